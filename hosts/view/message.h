/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the window asks of the simulation thread. Those that change what is computed are stamped with the number of steps made since the
 * scene was opened, and written down: the same messages at the same steps give the same bits.
 */
#ifndef DIVAN_VIEW_MESSAGE_H
#define DIVAN_VIEW_MESSAGE_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef enum MessageKind {
    /* What is computed. Written down. */
    MESSAGE_EDIT,     /* path of a field, text */
    MESSAGE_ELEMENT,  /* path of a field; numbers: which number of the list, its value */
    MESSAGE_ACTIVATE, /* path of a node; numbers: 0 or 1 */
    MESSAGE_DELETE,   /* path of a node or an object */
    MESSAGE_KEY,      /* numbers: 1 pressed or 0 released, code, what is held beside (DV_KEY_*) */
    MESSAGE_MOUSE, /* numbers: DvMouseChange, DvPressedButton, way to the right and down: of a mouse that is a device of the scene */
    MESSAGE_DEVICE, /* path of a haptic device; numbers: where it is to be, a quaternion */
    MESSAGE_BUTTON, /* path of one; numbers: 1 pressed or 0 released, which of its buttons */
    MESSAGE_FORCES, /* numbers: 0: no haptic device pushes any more, 1: they do again */
    MESSAGE_GRAB,   /* numbers: GrabMode, origin and direction of the ray, stiffness */
    MESSAGE_DRAG,   /* numbers: origin and direction of the ray */
    MESSAGE_RELEASE,
    MESSAGE_RESET,
    MESSAGE_VIEWPOINT, /* numbers: position and orientation, another place of the recorded camera */
    MESSAGE_NAVIGATE,  /* the recorded camera begins to pass its places, or ends */
    MESSAGE_UNDO,      /* the last of these that changed the scene is taken back: the scene is what it was before */
    MESSAGE_CHANGES,   /* how many kinds there are of these */
    /* The scene as a whole. */
    MESSAGE_OPEN = MESSAGE_CHANGES, /* text: file */
    MESSAGE_CLOSE,
    MESSAGE_RELOAD,
    MESSAGE_SAVE, /* text: file; numbers: 1: none that is there may be replaced */
    /* Time. */
    MESSAGE_ANIMATE, /* numbers: 0 or 1 */
    MESSAGE_STEP,
    MESSAGE_PACE, /* numbers: 1: no faster than the clock, 0: as fast as possible */
    /* What is shown. */
    MESSAGE_SELECT, /* path of the object whose fields are wanted, or ""; numbers: first element of lists */
    MESSAGE_PICK, /* numbers: origin and direction of the ray, then how far from it a point may be, in shares of its distance */
    MESSAGE_FLAGS,  /* numbers: for each DvDisplayFlag 1 on, -1 off, 0 as the scene says */
    MESSAGE_PHASES, /* numbers: 0 or 1: times of phases */
    MESSAGE_PLOT,   /* path of a field; numbers: element */
    MESSAGE_UNPLOT, /* path of a field; numbers: element */
    MESSAGE_EXPORT, /* text: file for all plots as a table (CSV); numbers: as of MESSAGE_SAVE */
    /* What was done. */
    MESSAGE_RECORD, /* text: file; numbers: as of MESSAGE_SAVE */
    MESSAGE_RECORD_END,
    MESSAGE_REPLAY /* text: file */
} MessageKind;

typedef enum GrabMode { GRAB_SPRING, GRAB_CONSTRAINT, GRAB_FIX, GRAB_REMOVE, GRAB_CUT, GRAB_MODES } GrabMode;

enum { MESSAGE_NUMBERS = 12 };

typedef struct Message {
    MessageKind kind;
    const char *path, *text;
    double numbers[MESSAGE_NUMBERS];
} Message;

Message *message_copy(const Message *message); /* with its texts; free with message_free */
void message_free(Message *message);

/* A message of a kind that is written down, as one line: "edit '/Liver/FEM.youngModulus' '5000'", and back; NULL: it is none. */
void message_print(const Message *message, GString *out);
Message *message_parse(const char *line);

#endif
