/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The words of display flags, a tree: all; visual, behavior, collision, mapping; leaves. They are applied from the root of the tree down: a
 * word decides its whole branch, and nothing below a branch that is decided is looked at; so `showAll hideVisualModels` hides nothing. Of
 * the two words of one branch, show wins. The order of the words does not matter.
 */
#ifndef DIVAN_VISUAL_DISPLAY_FLAGS_H
#define DIVAN_VISUAL_DISPLAY_FLAGS_H

#include <divan/contracts/visual.h>

/* Parents before children; `leaf` is -1 for a branch. */
typedef struct DisplayBranch {
    const char *word;
    int parent, leaf;
} DisplayBranch;
enum { DISPLAY_BRANCHES = 18 };
extern const DisplayBranch display_branches[DISPLAY_BRANCHES];

/* Sets all flags: 1 on, -1 off, 0 where no word decides. */
void display_flags_decide(const bool show[DISPLAY_BRANCHES], const bool hide[DISPLAY_BRANCHES],
                          signed char flags[DV_DISPLAY_FLAGS]);
/* DvPictureRecorderOps.read_flags */
DvStatus display_flags_read(const char *words, signed char flags[DV_DISPLAY_FLAGS], DvText *why);

#endif
