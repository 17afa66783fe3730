/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The states of a scene as hosts see them: which there are, and one number for all their bits.
 */
#ifndef DIVAN_HOSTS_STATES_H
#define DIVAN_HOSTS_STATES_H

#include <glib.h>

#include <divan/contracts/state.h>
#include <divan/scene.h>

/* Every state that is simulated (not the visual models), in graph order, inactive nodes left out. */
GPtrArray *host_states(DvScene *scene); /* DvObject *; free with g_ptr_array_unref */
uint64_t host_hash(const GPtrArray *states);

#endif
