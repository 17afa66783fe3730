/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The state that visual models are; see the header.
 */
#include "visual_points.h"

#include <math.h>

static const DvDofType *dof_type(const void *self)
{
    (void)self;
    return &dv_vec3d;
}

static uint32_t count(const void *object)
{
    const VisualPoints *self = object;
    return (uint32_t)self->position.count;
}

/* The vectors of its own have as many points as there are positions, which anybody may set. */
static void fit_vectors(VisualPoints *self)
{
    const uint32_t points = count(self);
    if (self->own_count != points)
        dv_state_vectors_resize(&self->own, &dv_vec3d, self->own_count, points, points);
    self->own_count = points;
}

static void resize(void *object, uint32_t points)
{
    VisualPoints *self = object;
    dv_data_begin(&self->position, points);
    dv_data_end(&self->position);
    fit_vectors(self);
}

static bool has(const void *object, DvVecId id)
{
    const VisualPoints *self = object;
    if (id == DV_REST_POSITION)
        return self->rest_position.count == self->position.count;
    return id == DV_POSITION || dv_state_vectors_has(&self->own, id);
}

static const double *read_vector(void *object, DvVecId id, DvSpace space)
{
    VisualPoints *self = object;
    if (space != DV_HOST || !has(self, id))
        return NULL;
    if (id == DV_POSITION || id == DV_REST_POSITION)
        return dv_data_doubles(id == DV_POSITION ? &self->position : &self->rest_position, NULL);
    fit_vectors(self);
    return dv_state_vectors_read(&self->own, id);
}

static double *write_vector(void *object, DvVecId id, DvSpace space, DvAccess access)
{
    VisualPoints *self = object;
    const uint32_t points = count(self);
    if (space != DV_HOST)
        return NULL;
    if (id == DV_POSITION || id == DV_REST_POSITION) {
        DvData *data = id == DV_POSITION ? &self->position : &self->rest_position;
        double *at = access == DV_OVERWRITE ? dv_data_begin_all(data, points) : dv_data_begin(data, points);
        dv_data_end(data);
        return at;
    }
    fit_vectors(self);
    return dv_state_vectors_write(&self->own, &dv_vec3d, id, points, points);
}

static void release(void *object, DvVecId id)
{
    dv_state_vectors_release(&((VisualPoints *)object)->own, id);
}

static void clear(void *object, DvVecId r)
{
    double *at = write_vector(object, r, DV_HOST, DV_OVERWRITE);
    if (at)
        dv_state_vectors_blank(&dv_vec3d, r, at, 0, count(object));
}

static void combine(void *object, DvVecId r, DvVecId a, DvVecId b, double k)
{
    const size_t n = (size_t)count(object) * 3;
    double *to = write_vector(object, r, DV_HOST, DV_READ_WRITE);
    const double *x = read_vector(object, a, DV_HOST), *y = read_vector(object, b, DV_HOST);
    for (size_t i = 0; i < n; i++)
        to[i] = (x ? x[i] : 0) + (y ? k * y[i] : 0);
}

static double dot(void *object, DvVecId a, DvVecId b)
{
    const double *x = read_vector(object, a, DV_HOST), *y = read_vector(object, b, DV_HOST);
    double sum = 0;
    for (size_t i = 0, n = (size_t)count(object) * 3; x && y && i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

static uint32_t first_not_finite(void *object, DvVecId a)
{
    const double *x = read_vector(object, a, DV_HOST);
    for (size_t i = 0, n = (size_t)count(object) * 3; x && i < n; i++)
        if (!isfinite(x[i]))
            return (uint32_t)(i / 3);
    return UINT32_MAX;
}

const DvStateOps visual_points_state_ops = {
    .size = sizeof(DvStateOps),
    .spaces = DV_IN_HOST,
    .dof_type = dof_type,
    .count = count,
    .resize = resize,
    .read = read_vector,
    .write = write_vector,
    .has = has,
    .release = release,
    .clear = clear,
    .combine = combine,
    .dot = dot,
    .first_not_finite = first_not_finite,
};

/* What is no number counts for nothing. */
static void box_points(const double *at, size_t points, double *box)
{
    for (size_t c = 0; c < 3; c++)
        box[c] = INFINITY, box[3 + c] = -INFINITY;
    for (size_t i = 0; i < points; i++, at += 3)
        for (size_t c = 0; c < 3; c++) {
            box[c] = at[c] < box[c] ? at[c] : box[c];
            box[3 + c] = at[c] > box[3 + c] ? at[c] : box[3 + c];
        }
}

void visual_points_bounding_box(VisualPoints *self, double *box)
{
    size_t points;
    const double *at = dv_data_doubles(&self->position, &points);
    const uint64_t version = dv_data_version(&self->position) + 1;
    if (self->boxed != version)
        box_points(at, points, self->box);
    self->boxed = version;
    for (size_t c = 0; c < 3; c++) {
        box[c] = fmin(box[c], self->box[c]);
        box[3 + c] = fmax(box[3 + c], self->box[3 + c]);
    }
}

void visual_points_free(VisualPoints *self)
{
    dv_state_vectors_free(&self->own);
}
