/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The event by which AnimationLoopParallelScheduler tells that all parts of a scene have made their step.
 */
#ifndef DV_SOLVERS_DATA_EXCHANGE_H
#define DV_SOLVERS_DATA_EXCHANGE_H

#include <divan/event.h>

/* DvEvent.name: compared by its address. */
extern const char data_exchange_event[];
static inline bool is_data_exchange(const DvEvent *event)
{
    return event->kind == DV_EVENT_CUSTOM && event->name == data_exchange_event;
}

#endif
