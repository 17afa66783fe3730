/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Surfaces that show their back to what may touch them: where contacts count from the front alone, there are none.
 */
#ifndef DIVAN_COLLISION_BACK_REPORT_H
#define DIVAN_COLLISION_BACK_REPORT_H

#include <divan/contracts/collision.h>

/* A warning when most points of `other` lie behind the triangle of `surface` that is nearest to them, and the method takes contacts from the
 * front alone. Time in proportion to triangles; of many points some are looked at. */
void report_back(const DvObject *method, const DvCollisionBody *surface, const DvCollisionBody *other);

#endif
