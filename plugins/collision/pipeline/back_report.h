/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Surfaces that show their back to what may touch them: where contacts count from the front alone, there are none.
 */
#ifndef DIVAN_COLLISION_BACK_REPORT_H
#define DIVAN_COLLISION_BACK_REPORT_H

#include <divan/contracts/collision.h>
#include <divan/worst.h>

/* Starts as {.method, .tests_left}. Bodies stay where they are until the end. */
typedef struct BackReport {
    const DvObject *method;
    uint64_t tests_left; /* points against triangles: when there are no more, pairs are no longer looked at */
    uint32_t found;      /* pairs */
    const DvCollisionBody *surface, *other; /* the first of them */
    uint32_t looked;                        /* points of `other` */
    DvWorst behind;
} BackReport;

/* Whether contacts with a model count from the front of its triangles alone. */
bool counts_front_alone(const DvObject *method, const DvCollisionBody *surface);
/* Notes a pair when most points of `other` lie behind the triangle of `surface` that is nearest to them, and contacts count from the
 * front alone. Time in proportion to triangles; of many points some are looked at. */
void back_report_pair(BackReport *self, const DvCollisionBody *surface, const DvCollisionBody *other);
/* One warning of all pairs; true: there was one. */
bool back_report_end(const BackReport *self);

/* Whether the scene of a node has been told of backs in this run: while it runs they are told once. */
bool *backs_are_told(const DvNode *node);

#endif
