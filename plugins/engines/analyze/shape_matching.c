/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * ShapeMatching: where points should be so that clusters of them keep their rest shape (Mueller et al., Meshless Deformations Based on
 * Shape Matching, 2005): of each cluster the best rotation R = polar(A), mixed with the best linear transformation A Q; a point of several
 * clusters gets the mean. Frames turn with their clusters: the target orientation is the mean of R q0.
 */
#include <math.h>

#include <divan/contracts/state.h>
#include <divan/given.h>
#include <divan/kit/mesh_types.h>
#include <divan/kit/value_lists.h>
#include <divan/math/decompose.h>

#include "mesh_inputs.h"

typedef struct ShapeMatching {
    DvEngine engine;
    DvData iterations, affine, fixed_weight, fixed_rest, fixed, position, cluster, target;
    DvLink state_link;
    DvStateRef state;
} ShapeMatching;

/* Points and then fixed points. */
typedef struct Shape {
    const double *rest, *fixed_rest, *fixed;
    double *at; /* [count] x stride: targets of the last iteration */
    uint32_t count, fixed_count, stride;
    double fixed_weight, affine;
    double *sum, *orientation; /* [count] x 3, 4 */
    uint32_t *clusters;        /* [count] how many it is in */
} Shape;

static DvVec3 place(const Shape *s, const double *points, const double *fixed, uint32_t i)
{
    return dv_vec3_load(i < s->count ? points + (size_t)i * s->stride : fixed + (size_t)(i - s->count) * s->stride);
}

static void match(Shape *s, const int32_t *entries, uint32_t count)
{
    double total = 0.0;
    DvVec3 c0 = dv_vec3_zero(), c = c0;
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t i = (uint32_t)entries[k];
        const double w = i < s->count ? 1.0 : s->fixed_weight;
        total += w;
        c0 = dv_vec3_madd(c0, w, place(s, s->rest, s->fixed_rest, i));
        c = dv_vec3_madd(c, w, place(s, s->at, s->fixed, i));
    }
    if (!(total > 0.0))
        return;
    c0 = dv_vec3_scale(c0, 1.0 / total);
    c = dv_vec3_scale(c, 1.0 / total);
    DvMat3 a = dv_mat3_zero(), q = a, inverse = a;
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t i = (uint32_t)entries[k];
        const double w = i < s->count ? 1.0 : s->fixed_weight;
        const DvVec3 r0 = dv_vec3_sub(place(s, s->rest, s->fixed_rest, i), c0),
                     r = dv_vec3_sub(place(s, s->at, s->fixed, i), c);
        a = dv_mat3_madd(a, w, dv_mat3_outer(r, r0));
        q = dv_mat3_madd(q, w, dv_mat3_outer(r0, r0));
    }
    const DvMat3 rotation = dv_polar_stable(a);
    DvMat3 m = rotation;
    if (s->affine != 0.0 && dv_mat3_inverse(q, &inverse) != 0.0)
        m = dv_mat3_add(dv_mat3_scale(dv_mat3_mul(a, inverse), s->affine), dv_mat3_scale(rotation, 1.0 - s->affine));
    const DvQuat turn = dv_quat_from_matrix(rotation);
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t i = (uint32_t)entries[k];
        if (i >= s->count)
            continue;
        const DvVec3 r0 = dv_vec3_sub(place(s, s->rest, s->fixed_rest, i), c0);
        dv_vec3_accumulate(dv_vec3_add(c, dv_mat3_mul_vec(m, r0)), s->sum + 3 * (size_t)i);
        s->clusters[i]++;
        if (s->stride != 7)
            continue;
        double *o = s->orientation + 4 * (size_t)i, to[4];
        dv_quat_store(dv_quat_mul(turn, dv_quat_load(s->rest + 7 * (size_t)i + 3)), to);
        const double side = o[0] * to[0] + o[1] * to[1] + o[2] * to[2] + o[3] * to[3] < 0.0 ? -1.0 : 1.0;
        for (int j = 0; j < 4; j++)
            o[j] += side * to[j];
    }
}

static void iterate(Shape *s, const int32_t *lists, size_t length)
{
    memset(s->sum, 0, 3 * (size_t)s->count * sizeof *s->sum);
    memset(s->orientation, 0, 4 * (size_t)s->count * sizeof *s->orientation);
    memset(s->clusters, 0, s->count * sizeof *s->clusters);
    for (const int32_t *at = lists, *end = lists + length, *entries; at < end;) {
        uint32_t count;
        at = dv_index_lists_next(at, &entries, &count);
        match(s, entries, count);
    }
    for (uint32_t i = 0; i < s->count; i++) {
        if (s->clusters[i] == 0)
            continue;
        double *to = s->at + (size_t)i * s->stride;
        dv_vec3_store(dv_vec3_scale(mesh_point(s->sum, i), 1.0 / s->clusters[i]), to);
        if (s->stride == 7)
            dv_quat_store(dv_quat_normalize(dv_quat_load(s->orientation + 4 * (size_t)i)), to + 3);
    }
}

static DvStatus check_clusters(ShapeMatching *self, const int32_t *lists, size_t length, uint32_t points)
{
    int64_t cluster = 0;
    for (const int32_t *at = lists, *end = lists + length, *entries; at < end; cluster++) {
        uint32_t count;
        at = dv_index_lists_next(at, &entries, &count);
        for (uint32_t k = 0; k < count; k++)
            if (entries[k] < 0 || (uint32_t)entries[k] >= points)
                return dv_field_error(&self->cluster, cluster,
                                      "point %" PRId32 " of %" PRIu32 " positions and fixed positions", entries[k],
                                      points);
    }
    return DV_OK;
}

static DvStatus update(DvObject *object, void *self_)
{
    ShapeMatching *self = self_;
    if (!dv_engine_runs(dv_object_of(self), &self->engine))
        return DV_OK;
    size_t count, n0, n1, length;
    Shape s = {.stride = self->engine.dof->coord, .fixed_weight = dv_data_double(&self->fixed_weight)};
    const double *position = dv_data_doubles(&self->position, &count);
    s.fixed_rest = dv_data_doubles(&self->fixed_rest, &n0);
    s.fixed = dv_data_doubles(&self->fixed, &n1);
    s.affine = dv_data_double(&self->affine);
    const int32_t *lists = dv_data_ints(&self->cluster, &length);
    const DvConstVec rest = dv_state_read(self->state, DV_REST_POSITION);
    DvStatus status = check_clusters(self, lists, length, (uint32_t)(count + n1));
    if (n0 != n1)
        status = dv_field_error(&self->fixed_rest, -1, "%zu rest positions of %zu fixed points: give as many", n0, n1);
    else if (rest.count != count)
        status = dv_error(object, DV_ERROR_INVALID,
                          "%zu positions, and %" PRIu32 " in the state '%s' whose rest shape counts", count, rest.count,
                          dv_object_path(self->state.object));
    if (status != DV_OK) {
        dv_data_set(&self->target, NULL, 0);
        return status;
    }
    s.count = (uint32_t)count;
    s.fixed_count = (uint32_t)n1;
    s.rest = rest.at;
    const DvStepMark mark = dv_step_mark();
    s.sum = dv_step_alloc(count, 3 * sizeof *s.sum);
    s.orientation = dv_step_alloc(count, 4 * sizeof *s.orientation);
    s.clusters = dv_step_alloc(count, sizeof *s.clusters);
    s.at = dv_data_begin_all(&self->target, count);
    if (count)
        memcpy(s.at, position, count * s.stride * sizeof *s.at);
    for (uint32_t i = 0; i < dv_data_uint(&self->iterations); i++)
        iterate(&s, lists, length);
    dv_data_end(&self->target);
    dv_step_release(mark);
    return DV_OK;
}

static DvStatus init(DvObject *object, void *self_)
{
    ShapeMatching *self = self_;
    DvStatus status = dv_state_require(object, &self->state_link, &self->state);
    if (status == DV_OK && self->state.dof != self->engine.dof)
        status =
            dv_error(object, DV_ERROR_INVALID, "made for %s, but state '%s' holds %s: give the template of the state",
                     dv_object_variant(object), dv_object_path(self->state.object), self->state.dof->name);
    if (status == DV_OK && !dv_data_is_given(&self->position))
        status = dv_data_link(&self->position, dv_object_field(self->state.object, "position"));
    self->engine.ready = status == DV_OK;
    return status;
}

static void cleanup(DvObject *object, void *self_)
{
    (void)object;
    ShapeMatching *self = self_;
    self->engine.ready = false;
    dv_state_release(&self->state);
}

static const DvRange iteration_range = {.least = 0, .most = 100000};

static const DvField fields[] = {
    DV_ENGINE_INPUT(ShapeMatching, iterations, "iterations", dv_type_uint, "how often targets are matched again",
                    .init = "1", .range = &iteration_range),
    DV_ENGINE_INPUT(ShapeMatching, affine, "affineRatio", dv_type_double, "share of the linear transformation",
                    .init = "0", .range = &dv_range_share),
    DV_ENGINE_INPUT(ShapeMatching, fixed_weight, "fixedweight", dv_type_double, "weight of fixed points; of others 1",
                    .init = "1", .range = &dv_range_not_negative),
    DV_ENGINE_INPUT(ShapeMatching, fixed_rest, "fixedPosition0", dv_type_coords, "fixed points at rest", .unit = "m"),
    DV_ENGINE_INPUT(ShapeMatching, fixed, "fixedPosition", dv_type_coords, "fixed points, numbered after the others",
                    .unit = "m"),
    DV_ENGINE_INPUT(ShapeMatching, position, "position", dv_type_coords, "points (default: those of the state)",
                    .unit = "m"),
    DV_ENGINE_INPUT(ShapeMatching, cluster, "cluster", dv_mesh_type_index_lists, "points of each cluster"),
    DV_ENGINE_OUTPUT(ShapeMatching, target, "targetPosition", dv_type_coords, "where the points should be",
                     .unit = "m"),
    DV_LINK(ShapeMatching, state_link, "mstate", DV_STATE,
            .help = "the state whose rest shape counts (default: that of the node)"),
    {0},
};

const DvClass dv_shape_matching = {
    .size = sizeof(DvClass),
    .name = "ShapeMatching",
    .variants = "Vec3d Rigid3d",
    .default_variant = "Vec3d",
    .module = "Sofa.Component.Engine.Analyze",
    .help = "Computes positions that keep the rest shape of clusters of points.",
    .instance_size = sizeof(ShapeMatching),
    .fields = fields,
    DV_ENGINE_CLASS("DataEngine"),
    .construct = dv_engine_construct,
    .init = init,
    .bwd_init = dv_engine_start,
    .reinit = dv_engine_run,
    .update = update,
    .cleanup = cleanup,
};
