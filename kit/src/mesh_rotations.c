/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * DV_ROTATIONS of force fields on the elements of a mesh. Each element and each point is computed by itself, in the order of their numbers:
 * the same bits with any number of threads.
 */
#include "mesh_rest.h"

#include <divan/math/decompose.h>
#include <divan/parallel.h>

#include <string.h>

enum { NODES = 8, GRAIN = 64 };

typedef struct RotationWork {
    const DvElementBlocks *mesh;
    const DvConstVec *x, *rest;
    DvMat3 *of_element; /* [elements] */
    double *out;
} RotationWork;

static DvVec3 place_of(const DvConstVec *v, uint32_t point)
{
    const double *at = v->at + (size_t)point * v->dim;
    return dv_vec3(at[0], v->dim > 1 ? at[1] : 0.0, v->dim > 2 ? at[2] : 0.0);
}

/* Of places seen from their mean, times the scale. */
static void centred(const RotationWork *work, const DvConstVec *v, uint32_t element, DvVec3 place[NODES])
{
    const uint32_t nodes = work->mesh->nodes;
    DvVec3 mean = {0};
    for (uint32_t n = 0; n < nodes; n++) {
        place[n] = place_of(v, dv_element_blocks_point(work->mesh, element, n));
        mean = dv_vec3_add(mean, dv_vec3_scale(place[n], 1.0 / nodes));
    }
    for (uint32_t n = 0; n < nodes; n++)
        place[n] = dv_vec3_sub(place[n], mean);
}

static void turn_elements(void *context, uint32_t begin, uint32_t end)
{
    const RotationWork *work = context;
    for (uint32_t e = begin; e < end; e++) {
        DvVec3 now[NODES], before[NODES];
        centred(work, work->x, e, now);
        centred(work, work->rest, e, before);
        double size = 0.0;
        for (uint32_t n = 0; n < work->mesh->nodes; n++)
            size += dv_vec3_norm_squared(before[n]);
        DvMat3 sum = {{{0.0}}};
        for (uint32_t n = 0; n < work->mesh->nodes; n++)
            sum = dv_mat3_add(sum, dv_mat3_outer(now[n], dv_vec3_scale(before[n], 1.0 / size)));
        for (uint32_t c = work->x->dim; c < 3; c++)
            sum.m[c][c] = 1.0;
        work->of_element[e] = dv_polar_stable(sum);
    }
}

static void turn_points(void *context, uint32_t begin, uint32_t end)
{
    const RotationWork *work = context;
    const DvElementBlocks *mesh = work->mesh;
    for (uint32_t p = begin; p < end; p++) {
        const uint32_t first = mesh->begin[p], last = mesh->end[p];
        DvMat3 r = dv_mat3_identity();
        if (last == first + 1) {
            r = work->of_element[mesh->entry[first] / mesh->nodes];
        } else if (last > first) {
            DvMat3 sum = {{{0.0}}};
            for (uint32_t e = first; e < last; e++)
                sum = dv_mat3_add(sum, work->of_element[mesh->entry[e] / mesh->nodes]);
            r = dv_polar_stable(dv_mat3_scale(sum, 1.0 / (last - first)));
        }
        memcpy(work->out + 9 * (size_t)p, r.m, sizeof r.m);
    }
}

static void stand_still(double *out, uint32_t points)
{
    memset(out, 0, 9 * (size_t)points * sizeof *out);
    for (size_t p = 0; p < points; p++)
        out[9 * p] = out[9 * p + 4] = out[9 * p + 8] = 1.0;
}

static void rotations(void *self_, const DvConstVec *x, double *out)
{
    DvMeshForceField *self = self_;
    DvConstVec rest;
    if (self->base.state.ops == NULL || (self->kind->turns && !self->kind->turns(self)) ||
        dv_mesh_force_field_follow(self, x->count) != DV_OK || dv_mesh_rest(self, &rest) != DV_OK ||
        rest.count != x->count || self->blocks->points != x->count || self->blocks->elements == 0) {
        stand_still(out, x->count);
        return;
    }
    const DvStepMark mark = dv_step_mark();
    RotationWork work = {self->blocks, x, &rest, dv_step_alloc(self->blocks->elements, sizeof(DvMat3)), out};
    dv_parallel_for(self->blocks->elements, GRAIN, turn_elements, &work);
    dv_parallel_for(x->count, GRAIN, turn_points, &work);
    dv_step_release(mark);
}

static DvObject *state_of(void *self_)
{
    const DvMeshForceField *self = self_;
    return self->base.state.ops != NULL ? self->base.state.object : NULL;
}

const DvRotationsOps dv_mesh_force_field_rotations = {
    .size = sizeof(DvRotationsOps), .state = state_of, .rotations = rotations};
