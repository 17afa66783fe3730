/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Events: told to every listening object below a node, in graph order.
 */
#ifndef DIVAN_EVENT_H
#define DIVAN_EVENT_H

#include <divan/base.h>

DV_BEGIN_DECLS

typedef enum DvEventKind {
    DV_EVENT_INIT_START,
    DV_EVENT_INIT_DONE,
    DV_EVENT_ANIMATE_BEGIN,
    DV_EVENT_ANIMATE_END,
    DV_EVENT_COLLISION_BEGIN,
    DV_EVENT_COLLISION_END,
    DV_EVENT_INTEGRATE_BEGIN,
    DV_EVENT_INTEGRATE_END,
    DV_EVENT_UPDATE_MAPPING_END,
    DV_EVENT_PAUSE,
    DV_EVENT_KEY_PRESSED,
    DV_EVENT_KEY_RELEASED,
    DV_EVENT_MOUSE,
    DV_EVENT_HAPTIC_DEVICE,
    DV_EVENT_CUSTOM /* `name` says which */
} DvEventKind;

typedef struct DvEvent {
    DvEventKind kind;
    const char *name; /* of a custom event */
    double dt;        /* s, of the step, where it has one */
    int key;          /* of a key event */
    bool handled;     /* set by a listener: the rest of its branch is not told */
    const void *data; /* kind-specific, or NULL; valid during the call */
} DvEvent;

/* Tells every active object below and in `node` whose class handles events and whose `listening` is true.     [step] */
DV_PUBLIC void dv_event_send(DvNode *node, DvEvent *event);

DV_END_DECLS
#endif
