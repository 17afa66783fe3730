/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Files that the window writes: what all its writers go by. A name gets the ending of its kind. What is there already is replaced only
 * when that was asked for; what the open scene is made from never is, but for its own file by the scene that is saved.
 */
#ifndef DIVAN_VIEW_TARGET_H
#define DIVAN_VIEW_TARGET_H

#include <glib.h>
#include <stdbool.h>

#include <divan/base.h>

typedef enum TargetKind {
    TARGET_SCENE,
    TARGET_RECORDING,
    TARGET_TABLE,
    TARGET_LOG,
    TARGET_FILM,
    TARGET_PICTURE,
    TARGET_VIEW,
    TARGET_KINDS
} TargetKind;

typedef enum TargetState { TARGET_NEW, TARGET_EXISTS, TARGET_REFUSED } TargetState;

bool target_fits(TargetKind kind, const char *name);  /* by its ending */
char *target_name(TargetKind kind, const char *name); /* with one; to be freed */
char *target_suggest(TargetKind kind, const char *folder,
                     const char *scene); /* a name in the folder that nothing has; to be freed */
/* What it means to write there. `reads`: paths of files that the open scene is made from, the scene's own first; NULL: none is open.
 * TARGET_REFUSED adds the reason to `why`, without the path.     [any] */
TargetState target_look(TargetKind kind, const char *path, const GPtrArray *reads, DvText *why);

#endif
