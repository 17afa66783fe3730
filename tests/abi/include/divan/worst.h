/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Many findings of one kind, told in one line: how many there are, and the three that are worst.
 *
 *   DvWorst far = {0};
 *   for each point: if it lies outside: dv_worst_add(&far, point, distance);
 *   if (far.count) { char worst[DV_WORST_TEXT]; dv_warning(object, "%u points lie outside: %s", far.count, dv_worst_text(&far, worst)); }
 *   ... 17 points lie outside: 3 (0.52), 8 (0.41), 11 (0.4), ...
 *
 * Equally bad ones stay in the order in which they came, so that the line does not depend on threads where the loop does not.
 */
#ifndef DIVAN_WORST_H
#define DIVAN_WORST_H

#include <divan/base.h>

#include <stdio.h>

DV_BEGIN_DECLS

enum { DV_WORST_KEPT = 3, DV_WORST_TEXT = 128 };

/* All zeros: nothing found yet. */
typedef struct DvWorst {
    uint32_t count;                /* findings */
    uint32_t index[DV_WORST_KEPT]; /* of the worst ones, the worst first */
    double badness[DV_WORST_KEPT]; /* how bad they are; the larger the worse */
} DvWorst;

/* One more finding: what it is the number of, and how bad it is (0 where all are alike).     [any] */
static inline void dv_worst_add(DvWorst *worst, uint32_t index, double badness)
{
    uint32_t kept = worst->count < DV_WORST_KEPT ? worst->count : (uint32_t)DV_WORST_KEPT;
    worst->count++;
    uint32_t place = kept;
    while (place > 0 && badness > worst->badness[place - 1])
        place--;
    if (place == DV_WORST_KEPT)
        return;
    for (uint32_t i = kept < DV_WORST_KEPT ? kept : DV_WORST_KEPT - 1; i > place; i--) {
        worst->index[i] = worst->index[i - 1];
        worst->badness[i] = worst->badness[i - 1];
    }
    worst->index[place] = index;
    worst->badness[place] = badness;
}

/* "3 (0.52), 8 (0.41), 11 (0.4), ...", the last word where there are more; without brackets where all are equally bad by 0.
 * Returns `text`.     [any] */
static inline const char *dv_worst_text(const DvWorst *worst, char text[DV_WORST_TEXT])
{
    const uint32_t kept = worst->count < DV_WORST_KEPT ? worst->count : (uint32_t)DV_WORST_KEPT;
    int length = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < kept; i++) {
        length += snprintf(text + length, (size_t)(DV_WORST_TEXT - length), "%s%u", i ? ", " : "", worst->index[i]);
        if (worst->badness[0] != 0)
            length += snprintf(text + length, (size_t)(DV_WORST_TEXT - length), " (%.3g)", worst->badness[i]);
    }
    if (worst->count > kept)
        snprintf(text + length, (size_t)(DV_WORST_TEXT - length), ", ...");
    return text;
}

DV_END_DECLS
#endif
