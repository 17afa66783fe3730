/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What events of mouse, keys and haptic devices carry: the `data` of a DvEvent.
 *
 *   DV_EVENT_KEY_PRESSED, DV_EVENT_KEY_RELEASED   DvKeyStroke, or NULL; the event's `key` says which
 *   DV_EVENT_MOUSE                                DvMouseEvent
 *   DV_EVENT_HAPTIC_DEVICE                        DvHapticEvent
 *
 * Hosts send them between steps, devices at the begin of a step.
 */
#ifndef DIVAN_INPUT_H
#define DIVAN_INPUT_H

#include <divan/event.h>

DV_BEGIN_DECLS

/* What is held down besides the key: a sum of these. */
enum { DV_KEY_SHIFT = 1u << 0, DV_KEY_CONTROL = 1u << 1, DV_KEY_ALT = 1u << 2 };
typedef struct DvKeyStroke {
    uint32_t held; /* sum of DV_KEY_* */
    bool repeated; /* the key was down already */
} DvKeyStroke;

typedef enum DvMouseChange { DV_MOUSE_MOVED, DV_MOUSE_PRESSED, DV_MOUSE_RELEASED, DV_MOUSE_WHEEL } DvMouseChange;
typedef enum DvPressedButton { DV_NO_BUTTON, DV_LEFT_BUTTON, DV_MIDDLE_BUTTON, DV_RIGHT_BUTTON } DvPressedButton;

/* It begins with what a mouse of any kind tells: how far it has moved since the event before, in its own units (pixels of a window), to the
 * right, down; of a wheel, notches: to the right, up. A device that knows motion alone leaves the rest zero. */
typedef struct DvMouseEvent {
    DvMouseMove move;
    DvMouseChange change;
    DvPressedButton button; /* pressed or released; of a motion, the one that is held */
} DvMouseEvent;

/* Of a haptic or other device of six axes; in the axes and units of the scene. */
typedef struct DvHapticEvent {
    const DvObject *device;
    double position[3], orientation[4]; /* m; unit quaternion x y z w */
    uint32_t buttons;                   /* bit i: button i is down */
    uint32_t changed;                   /* bit i: since the event before */
    /* It comes not from the device but is for it: a recording says where it is to be. A device that can be led takes the event (`handled`).
     * An orientation of zeros: the buttons alone. */
    bool wanted;
} DvHapticEvent;

DV_END_DECLS
#endif
