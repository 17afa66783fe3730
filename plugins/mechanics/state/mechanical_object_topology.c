/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Points of a MechanicalObject that follow a topology: all vectors grow, shrink and are renumbered with it, and what is added
 * becomes the weighted mean of its ancestors.
 */
#include "mechanical_object.h"

#include <string.h>

#include <divan/math/rigid.h>
#include <divan/memory.h>

/* Calls fn for every vector that exists, with its array of `self->count` points or more. */
static void for_each_vector(MechanicalObject *self, void (*fn)(MechanicalObject *, DvVecId, double *, const void *),
                            const void *context)
{
    for (DvVecId id = 1; id < DV_MAX_VEC; id++)
        if (mechanical_object_has(self, id))
            fn(self, id, mechanical_object_write(self, id, DV_HOST, DV_READ_WRITE), context);
}

static void overwrite_by_last(MechanicalObject *self, DvVecId id, double *at, const void *index)
{
    const uint32_t dim = mechanical_object_dim_of(self, id);
    memcpy(at + *(const uint32_t *)index * (size_t)dim, at + (size_t)(self->count - 1) * dim, dim * sizeof *at);
}

/* Entry i of the change becomes the weighted mean of its ancestors. */
typedef struct Descent {
    const DvElementChange *change;
    uint32_t first; /* point of entry 0 of an addition */
} Descent;

static void mix_from_ancestors(MechanicalObject *self, DvVecId id, double *at, const void *context)
{
    const Descent *descent = context;
    const DvElementChange *change = descent->change;
    const uint32_t dim = mechanical_object_dim_of(self, id);
    for (uint32_t i = 0; i < change->count; i++) {
        const uint32_t begin = change->ancestor_start[i], end = change->ancestor_start[i + 1];
        const uint32_t point = change->change == DV_POINTS_MOVED ? change->indices[i] : descent->first + i;
        if (begin == end || point >= self->count)
            continue;
        const double *weights = change->weights ? change->weights + begin : NULL;
        double mean[7] = {0};
        if (self->dof == &dv_rigid3d && dv_vec_kind(id) == DV_COORDS) {
            dv_rigid3_store(dv_rigid3_interpolate(at, change->ancestors + begin, weights, end - begin), mean);
        } else {
            for (uint32_t j = begin; j < end; j++)
                for (uint32_t c = 0; c < dim; c++)
                    mean[c] += (weights ? weights[j - begin] : 1.0 / (end - begin)) *
                               at[(size_t)change->ancestors[j] * dim + c];
        }
        memcpy(at + (size_t)point * dim, mean, dim * sizeof *at);
    }
}

static void renumber(MechanicalObject *self, DvVecId id, double *at, const void *context)
{
    const DvElementChange *change = context;
    const uint32_t dim = mechanical_object_dim_of(self, id);
    double *old = dv_alloc(self->count, dim * sizeof *old);
    memcpy(old, at, (size_t)self->count * dim * sizeof *old);
    for (uint32_t i = 0; i < change->count && i < self->count; i++)
        if (change->indices[i] < self->count)
            memcpy(at + (size_t)i * dim, old + (size_t)change->indices[i] * dim, dim * sizeof *at);
    dv_free(old);
}

/* Of a removal, the mesh has its points no more, the state still has. */
static void remove_points(MechanicalObject *self, const DvElementChange *change)
{
    for (uint32_t i = 0; i < change->count; i++)
        if (change->indices[i] < self->count) {
            for_each_vector(self, overwrite_by_last, &change->indices[i]);
            self->count--;
        }
    mechanical_object_resize(self, self->count);
}

static void points_changed(DvElementData *data, const DvElementChange *change)
{
    MechanicalObject *self = data->owner;
    if (change->without_states)
        return;
    const Descent descent = {change, self->count};
    switch (change->change) {
    case DV_ELEMENTS_ADDED:
        mechanical_object_resize(self, self->count + change->count);
        if (change->ancestor_start)
            for_each_vector(self, mix_from_ancestors, &descent);
        break;
    case DV_ELEMENTS_REMOVED:
        remove_points(self, change);
        break;
    case DV_ELEMENTS_RENUMBERED:
        for_each_vector(self, renumber, change);
        break;
    case DV_POINTS_MOVED:
        if (change->ancestor_start)
            for_each_vector(self, mix_from_ancestors, &descent);
        break;
    }
}

/* ---- Another mesh as a whole ---- */

static double *copy_of(MechanicalObject *self, DvVecId id)
{
    const double *at = mechanical_object_read(self, id, DV_HOST);
    const size_t numbers = mechanical_object_length_of(self, id);
    double *copy = at ? dv_alloc(numbers, sizeof *copy) : NULL;
    if (copy && numbers)
        memcpy(copy, at, numbers * sizeof *copy);
    return copy;
}

void mechanical_object_forget_first(MechanicalObject *self)
{
    dv_free(self->first_rest);
    dv_free(self->first_position);
    dv_free(self->first_velocity);
    self->first_rest = self->first_position = self->first_velocity = NULL;
}

void mechanical_object_keep_first(MechanicalObject *self)
{
    mechanical_object_forget_first(self);
    if (!self->points.topology)
        return;
    self->first_count = self->count;
    self->first_rest = copy_of(self, DV_REST_POSITION);
    self->first_position = copy_of(self, DV_POSITION);
    self->first_velocity = copy_of(self, DV_VELOCITY);
}

static void put_back(MechanicalObject *self, DvVecId id, const double *first)
{
    const size_t numbers = mechanical_object_length_of(self, id);
    if (first && numbers)
        memcpy(mechanical_object_write(self, id, DV_HOST, DV_OVERWRITE), first, numbers * sizeof *first);
}

/* A reset puts the first points back, a saved scene has put back its own. */
static void replaced(DvElementData *data, DvMeshReplacement why)
{
    MechanicalObject *self = data->owner;
    if (why == DV_MESH_RESTORED) {
        (void)dv_data_read(&self->position);
        mechanical_object_resize(self, (uint32_t)self->position.count);
        return;
    }
    if (!self->first_position)
        return;
    mechanical_object_resize(self, self->first_count);
    put_back(self, DV_REST_POSITION, self->first_rest);
    put_back(self, DV_POSITION, self->first_position);
    put_back(self, DV_VELOCITY, self->first_velocity);
    if (mechanical_object_has(self, DV_RESET_POSITION))
        put_back(self, DV_RESET_POSITION, self->first_position);
    if (mechanical_object_has(self, DV_RESET_VELOCITY))
        put_back(self, DV_RESET_VELOCITY, self->first_velocity);
}

DvStatus mechanical_object_follow(MechanicalObject *self, DvObject *topology)
{
    dv_element_data_detach(&self->points);
    self->points = (DvElementData){
        .kind = DV_POINTS, .entry_size = 1, .owner = self, .changed = points_changed, .replaced = replaced};
    return dv_element_data_attach(&self->points, topology);
}
