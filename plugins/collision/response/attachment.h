/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Points of elements: where they are, how fast they move, and what a force on them is for the points of the model's state. `dim`:
 * numbers per point of the vector. Of frames (dim > 3) the lever is in world axes, of points it is 0.
 */
#ifndef DV_COLLISION_ATTACHMENT_H
#define DV_COLLISION_ATTACHMENT_H

#include <divan/contracts/collision.h>
#include <divan/contracts/lagrangian_constraint.h>
#include <divan/math/rigid.h>

#include <string.h>

/* x: positions of the state. */
static inline DvVec3 attachment_lever(const DvAttachment *at, const double *x, uint32_t dim)
{
    if (dim <= 3)
        return dv_vec3_zero();
    const DvRigid3 frame = dv_rigid3_load(x + (size_t)at->points[0] * dim);
    return dv_quat_rotate(frame.orientation, dv_vec3_load(at->lever));
}

static inline DvVec3 attachment_position(const DvAttachment *at, const double *x, uint32_t dim, DvVec3 lever)
{
    DvVec3 p = lever;
    for (uint32_t i = 0; i < at->count; i++)
        p = dv_vec3_madd(p, at->weights[i], dv_vec3_load(x + (size_t)at->points[i] * dim));
    return p;
}

/* J v: of a frame also what its rotation adds. */
static inline DvVec3 attachment_velocity(const DvAttachment *at, const double *v, uint32_t dim, DvVec3 lever)
{
    DvVec3 sum = dv_vec3_zero();
    for (uint32_t i = 0; i < at->count; i++)
        sum = dv_vec3_madd(sum, at->weights[i], dv_vec3_load(v + (size_t)at->points[i] * dim));
    if (dim > 3)
        sum = dv_vec3_add(sum, dv_vec3_cross(dv_vec3_load(v + (size_t)at->points[0] * dim + 3), lever));
    return sum;
}

/* f += J^T force */
static inline void attachment_add_force(const DvAttachment *at, double *f, uint32_t dim, DvVec3 lever, DvVec3 force)
{
    for (uint32_t i = 0; i < at->count; i++)
        dv_vec3_accumulate(dv_vec3_scale(force, at->weights[i]), f + (size_t)at->points[i] * dim);
    if (dim > 3)
        dv_vec3_accumulate(dv_vec3_cross(lever, force), f + (size_t)at->points[0] * dim + 3);
}

/* A row of a constraint: how far the point moves along a direction. */
static inline void attachment_add_row(const DvAttachment *at, DvRowEntries *entries, uint32_t row, DvVec3 lever,
                                      DvVec3 direction)
{
    for (uint32_t i = 0; i < at->count; i++) {
        double *values = dv_entry_add(entries, row, at->points[i]);
        dv_vec3_store(dv_vec3_scale(direction, at->weights[i]), values);
        if (entries->width > 3)
            dv_vec3_store(dv_vec3_cross(lever, direction), values + 3);
    }
}

/* An attachment as numbers, for what is held over steps and saved. Reading: false: it is not of points of a state of `points`. */
enum { ATTACHMENT_NUMBERS = 1 + 8 + 8 + 3 + 1 };
static inline void attachment_write(const DvAttachment *at, double numbers[ATTACHMENT_NUMBERS])
{
    numbers[0] = at->count;
    for (uint32_t k = 0; k < 8; k++) {
        numbers[1 + k] = k < at->count ? at->points[k] : 0.0;
        numbers[9 + k] = k < at->count ? at->weights[k] : 0.0;
    }
    memcpy(numbers + 17, at->lever, sizeof at->lever);
    numbers[20] = at->radius;
}

DV_NODISCARD static inline bool attachment_read(DvAttachment *at, uint32_t points,
                                                const double numbers[ATTACHMENT_NUMBERS])
{
    memset(at, 0, sizeof *at);
    if (!(numbers[0] >= 1.0 && numbers[0] <= 8.0))
        return false;
    at->count = (uint32_t)numbers[0];
    for (uint32_t k = 0; k < at->count; k++) {
        if (!(numbers[1 + k] >= 0.0 && numbers[1 + k] < points))
            return false;
        at->points[k] = (uint32_t)numbers[1 + k];
        at->weights[k] = numbers[9 + k];
    }
    memcpy(at->lever, numbers + 17, sizeof at->lever);
    at->radius = numbers[20];
    return true;
}

#endif
