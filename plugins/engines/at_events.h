/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Engines that compute at init and at an event of each step, not when they are read: old scenes see their outputs so.
 */
#ifndef DIVAN_ENGINES_AT_EVENTS_H
#define DIVAN_ENGINES_AT_EVENTS_H

#include <divan/kit/engine.h>

/* Computes at this event of a step; what is wrong with the inputs has been reported. */
static inline void compute_at(DvEventKind kind, DvObject *object, void *self, const DvEvent *event)
{
    if (event->kind == kind && dv_engine_run(object, self) != DV_OK)
        dv_object_set_state(object, DV_COMPONENT_INVALID);
}

#endif
