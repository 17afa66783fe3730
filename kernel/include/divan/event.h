/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Events: told to every listening object in and below a node, in graph order.
 *
 * Listening is off unless asked for: the field `listening` of every object is false until the scene says listening="1", or
 * the class, which cannot do without, sets it in `construct` or `init`. A class that has no `handle_event` hears nothing.
 *
 * What DefaultAnimationLoop tells in a step, in this order, from its target node downwards. `dt` is that of the step:
 *
 *   ANIMATE_BEGIN         the time, positions and velocities at the beginning of the step
 *   COLLISION_BEGIN       the same
 *   COLLISION_END         the same; a loop that looks for contacts does so between these two
 *   INTEGRATE_BEGIN       the same
 *   INTEGRATE_END         new positions and velocities, mapped states too; still the time at the beginning
 *   ANIMATE_END           the time at the end
 *   UPDATE_MAPPING_END    the same
 *
 * A step that fails tells no more. When a scene is initialised, from the root, with the root's dt:
 *
 *   INIT_START            every object is made, none is initialised
 *   INIT_DONE             every object is; constraints and mappings have not been applied yet, nor the state stored that a reset
 *                         goes back to
 *
 * A reset tells nothing. The other kinds come from hosts and devices.
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
    DV_EVENT_MOUSE, /* `data` is a DvMouseMove */
    DV_EVENT_HAPTIC_DEVICE,
    DV_EVENT_CUSTOM /* `name` says which */
} DvEventKind;

/* How far it has moved, in the units of the device: to the right, down. */
typedef struct DvMouseMove {
    int32_t x, y;
} DvMouseMove;

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
