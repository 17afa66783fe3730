/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The whole public kernel, without the contracts between component families (divan/contracts).
 */
#ifndef DIVAN_DIVAN_H
#define DIVAN_DIVAN_H

#include <divan/build.h>
#include <divan/dof_type.h>
#include <divan/element_data.h>
#include <divan/event.h>
#include <divan/exchange.h>
#include <divan/log.h>
#include <divan/memory.h>
#include <divan/moment.h>
#include <divan/node.h>
#include <divan/object.h>
#include <divan/output.h>
#include <divan/parallel.h>
#include <divan/plugin.h>
#include <divan/registry.h>
#include <divan/scene.h>
#include <divan/visitor.h>
#include <divan/worst.h>

#endif
