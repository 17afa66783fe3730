/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The vectors of a MechanicalObject that keeps them on a device. Each has a copy there and one at home, a field or an array, and it is known
 * which are up to date: asking for one where it is not moves it, writing makes the other copy stale. A stale field is dirty, so that
 * whoever reads it fetches it; a field that somebody wrote, which its version tells, goes to the device when it is next asked for there.
 */
#ifndef DIVAN_MECHANICS_MECHANICAL_OBJECT_ELSEWHERE_H
#define DIVAN_MECHANICS_MECHANICAL_OBJECT_ELSEWHERE_H

#include "mechanical_object.h"

#include <divan/contracts/vector_space.h>
#include <divan/kit/listed_numbers.h>

extern const DvStatePointsOps mechanical_object_points_ops;

/* Takes the space that keeps vectors of this word; without one the object stays on the host.     [main] */
void elsewhere_begin(MechanicalObject *self, const char *word);
void elsewhere_end(MechanicalObject *self); /* [main] */
/* After init: from now on fields follow the device alone.     [main] */
void elsewhere_ready(MechanicalObject *self);

/* As in DvStateOps; the vectors exist. */
DvStorage elsewhere_storage(const MechanicalObject *self);
bool elsewhere_has(MechanicalObject *self, DvVecId id);
const double *elsewhere_read(MechanicalObject *self, DvVecId id, DvSpace space);
double *elsewhere_write(MechanicalObject *self, DvVecId id, DvSpace space, DvAccess access);
void elsewhere_release(MechanicalObject *self, DvVecId id);
void elsewhere_clear(MechanicalObject *self, DvVecId r);
bool elsewhere_combine(MechanicalObject *self, DvVecId r, DvVecId a, DvVecId b,
                       double k); /* false: kinds that do not fit */
double elsewhere_dot(MechanicalObject *self, DvVecId a, DvVecId b);
void elsewhere_resize(MechanicalObject *self, uint32_t old,
                      uint32_t count);            /* home copies of fields follow by themselves */
void elsewhere_come_home(MechanicalObject *self); /* before a change of size */
/* DvClass.update: the fields that are stale. */
DvStatus elsewhere_update(DvObject *object, void *self);
/* For a component of the host that touches a few points: as in DvStatePointsOps. And one of zeros at these points, to which it adds what is then
 * added to a vector. */
const double *elsewhere_read_points(MechanicalObject *self, DvVecId id, const uint32_t *points, uint32_t count);
double *elsewhere_begin_points(MechanicalObject *self, DvVecId id, const uint32_t *points, uint32_t count);
void elsewhere_end_points(MechanicalObject *self, DvVecId id, const uint32_t *points, uint32_t count);
/* Copies positions and velocities to the host, for the case that the device is lost; whether there is such a copy of as many points. */
void elsewhere_keep(MechanicalObject *self);
void elsewhere_take_copy(MechanicalObject *self); /* it is whole: the copy is that one from now on */
bool elsewhere_is_kept(const MechanicalObject *self);
/* Whether the content of a vector of no field can be had. */
bool elsewhere_holds(const MechanicalObject *self, DvVecId id);
/* All vectors are the host's from now on: as they are, what a lost device had as it came home last; `as_kept`: positions and velocities as
 * copied. Nobody uses its space any more. */
void elsewhere_leave(MechanicalObject *self, bool as_kept);
/* Counts changes of a vector, without fetching it. */
uint64_t elsewhere_version(MechanicalObject *self, DvVecId id);

#endif
