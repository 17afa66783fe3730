/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Operations of RigidMapping; one body for points, frames and the plane each. The method is described in rigid_mapping.c.
 */
#include "rigid_mapping.h"

#include <divan/math/decompose.h>
#include <divan/math/simd.h>

enum { POINTS_PER_CHUNK = 1024, BODIES_PER_CHUNK = 64 };

/* ---- Operations. One body for points, frames and the plane each. */

typedef struct Work {
    RigidMapping *self;
    const double *local;
    const double *from;
    double *to;
    uint32_t from_dim, to_dim;
} Work;

static inline const double *from_at(const Work *w, uint32_t i)
{
    return w->from + (size_t)i * w->from_dim;
}

static inline double *to_at(const Work *w, uint32_t i)
{
    return w->to + (size_t)i * w->to_dim;
}

static void place_points(void *context, uint32_t begin, uint32_t end)
{
    const Work *w = context;
    for (uint32_t i = begin; i < end; i++) {
        const DvRigid3 body = dv_rigid3_load(from_at(w, w->self->body[i]));
        const double *local = w->local + (size_t)i * w->to_dim;
        const DvVec3 lever = dv_quat_rotate(body.orientation, dv_vec3_load(local));
        dv_vec3_store(lever, w->self->lever + 3 * (size_t)i);
        dv_vec3_store(dv_vec3_add(body.center, lever), to_at(w, i));
        if (w->to_dim == 7)
            dv_quat_store(dv_quat_mul(body.orientation, dv_quat_load(local + 3)), to_at(w, i) + 3);
    }
}

static void place_in_plane(void *context, uint32_t begin, uint32_t end)
{
    const Work *w = context;
    for (uint32_t i = begin; i < end; i++) {
        const DvRigid2 body = dv_rigid2_load(from_at(w, w->self->body[i]));
        const DvVec2 lever = dv_vec2_rotate(dv_vec2_load(w->local + (size_t)i * w->to_dim), body.angle);
        dv_vec2_store(lever, w->self->lever + 2 * (size_t)i);
        dv_vec2_store(dv_vec2_add(body.center, lever), to_at(w, i));
    }
}

/* Components y z x and z x y, which a cross product multiplies. */
DV_SIMD_INLINE DvReal4 turned_left(DvReal4 a)
{
    return DV_SHUFFLE(a, a, 1, 2, 0, 3);
}

DV_SIMD_INLINE DvReal4 turned_right(DvReal4 a)
{
    return DV_SHUFFLE(a, a, 2, 0, 1, 3);
}

/* Points that follow one another mostly have one body. The fourth number of each is the next one's first, which comes next. */
DV_SIMD_CLONES static void move_points(void *context, uint32_t begin, uint32_t end)
{
    const Work w = *(const Work *)context; /* of one's own: what is written may be anywhere */
    const uint32_t *body = w.self->body;
    const double *lever = w.self->lever;
    for (uint32_t i = begin; i < end;) {
        const double *v = from_at(&w, body[i]);
        const DvReal4 linear = DV_REAL4(v), angular = {v[3], v[4], v[5], 0.0};
        const DvReal4 left = turned_left(angular), right = turned_right(angular);
        for (const uint32_t of = body[i]; i < end && body[i] == of; i++) {
            const DvReal4 arm = DV_REAL4(lever + 3 * (size_t)i);
            const DvReal4 velocity = linear + (left * turned_right(arm) - right * turned_left(arm));
            double *to = w.to + 3 * (size_t)i;
            if (i + 1 < end)
                *(DvReal4At *)to = velocity;
            else
                to[0] = velocity[0], to[1] = velocity[1], to[2] = velocity[2];
        }
    }
}

static void move_frames(void *context, uint32_t begin, uint32_t end)
{
    const Work w = *(const Work *)context;
    for (uint32_t i = begin; i < end; i++) {
        const DvRigid3Deriv v = dv_rigid3_deriv_load(from_at(&w, w.self->body[i]));
        dv_vec3_store(dv_rigid3_velocity_at(v, dv_vec3_load(w.self->lever + 3 * (size_t)i)), to_at(&w, i));
        dv_vec3_store(v.angular, to_at(&w, i) + 3);
    }
}

static void move_in_plane(void *context, uint32_t begin, uint32_t end)
{
    const Work *w = context;
    for (uint32_t i = begin; i < end; i++) {
        const double *v = from_at(w, w->self->body[i]), *lever = w->self->lever + 2 * (size_t)i;
        to_at(w, i)[0] = v[0] - v[2] * lever[1];
        to_at(w, i)[1] = v[1] + v[2] * lever[0];
    }
}

DV_SIMD_CLONES static void pull_points(void *context, uint32_t begin, uint32_t end)
{
    const Work w = *(const Work *)context;
    const uint32_t *point = w.self->used_point, last = w.self->points - 1;
    const double *lever = w.self->lever;
    for (uint32_t u = begin; u < end; u++) {
        DvReal4 linear = {0}, angular = {0};
        for (uint32_t e = w.self->used_start[u]; e < w.self->used_start[u + 1]; e++) {
            const double *at = w.from + 3 * (size_t)point[e];
            const DvReal4 force = point[e] < last ? (DvReal4)DV_REAL4(at) : (DvReal4){at[0], at[1], at[2], 0.0};
            const DvReal4 arm = DV_REAL4(lever + 3 * (size_t)point[e]);
            linear += force;
            angular += turned_left(arm) * turned_right(force) - turned_right(arm) * turned_left(force);
        }
        double *to = to_at(&w, w.self->used_body[u]);
        DV_EACH (c, 3) {
            to[c] += linear[c];
            to[3 + c] += angular[c];
        }
    }
}

static void pull_frames(void *context, uint32_t begin, uint32_t end)
{
    const Work *w = context;
    for (uint32_t u = begin; u < end; u++) {
        DvRigid3Deriv sum = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
        for (uint32_t e = w->self->used_start[u]; e < w->self->used_start[u + 1]; e++) {
            const uint32_t i = w->self->used_point[e];
            const DvVec3 force = dv_vec3_load(from_at(w, i)), lever = dv_vec3_load(w->self->lever + 3 * (size_t)i);
            sum.linear = dv_vec3_add(sum.linear, force);
            sum.angular = dv_vec3_add(sum.angular, dv_vec3_cross(lever, force));
            sum.angular = dv_vec3_add(sum.angular, dv_vec3_load(from_at(w, i) + 3));
        }
        dv_rigid3_deriv_accumulate(sum, to_at(w, w->self->used_body[u]));
    }
}

static void pull_in_plane(void *context, uint32_t begin, uint32_t end)
{
    const Work *w = context;
    for (uint32_t u = begin; u < end; u++) {
        double *to = to_at(w, w->self->used_body[u]);
        for (uint32_t e = w->self->used_start[u]; e < w->self->used_start[u + 1]; e++) {
            const uint32_t i = w->self->used_point[e];
            const double *force = from_at(w, i), *lever = w->self->lever + 2 * (size_t)i;
            to[0] += force[0];
            to[1] += force[1];
            to[2] += lever[0] * force[1] - lever[1] * force[0];
        }
    }
}

static void apply(void *self_, const DvStep *step, const DvConstVec *in, const DvVec *out)
{
    (void)step;
    RigidMapping *self = self_;
    uint32_t points;
    const double *local = rigid_mapping_local_points(self, &points);
    points = points < out->count ? points : out->count;
    if (rigid_mapping_is_current(self, points, in->count))
        dv_parallel_for(points, POINTS_PER_CHUNK, in_plane(self) ? place_in_plane : place_points,
                        &(Work){self, local, in->at, out->at, in->dim, out->dim});
}

static void apply_j(void *self_, const DvStep *step, const DvConstVec *in, const DvVec *out)
{
    (void)step;
    RigidMapping *self = self_;
    if (!self->ready || self->points > out->count || self->bodies_in > in->count)
        return;
    dv_parallel_for(self->points, POINTS_PER_CHUNK,
                    in_plane(self)  ? move_in_plane
                    : out->dim == 3 ? move_points
                                    : move_frames,
                    &(Work){self, NULL, in->at, out->at, in->dim, out->dim});
    /* Points of the output that nothing maps stay where they are. */
    memset(out->at + (size_t)self->points * out->dim, 0,
           (size_t)(out->count - self->points) * out->dim * sizeof *out->at);
}

static void apply_jt(void *self_, const DvStep *step, const DvConstVec *out, const DvVec *in)
{
    (void)step;
    RigidMapping *self = self_;
    if (self->ready && self->points <= out->count && self->bodies_in <= in->count)
        dv_parallel_for(self->used, BODIES_PER_CHUNK,
                        in_plane(self)  ? pull_in_plane
                        : out->dim == 3 ? pull_points
                                        : pull_frames,
                        &(Work){self, NULL, out->at, in->at, out->dim, in->dim});
}

/* ---- Geometric stiffness */

/* G of the u-th body with points; in the plane only its last entry. */
static DvMat3 stiffness_of_body(const RigidMapping *self, int kind, DvMatrixKind matrix, uint32_t u,
                                const DvConstVec *f)
{
    DvMat3 g = dv_mat3_zero();
    for (uint32_t e = self->used_start[u]; e < self->used_start[u + 1]; e++) {
        const uint32_t i = self->used_point[e];
        const double *force = f->at + (size_t)i * f->dim;
        if (in_plane(self)) {
            g.m[2][2] -= dv_vec2_dot(dv_vec2_load(force), dv_vec2_load(self->lever + 2 * (size_t)i));
        } else {
            const DvVec3 lever = dv_vec3_load(self->lever + 3 * (size_t)i), load = dv_vec3_load(force);
            /* [f]x [r]x = r f^T - (f . r) I */
            const double power = dv_vec3_dot(load, lever);
            g = dv_mat3_add(g, dv_mat3_outer(lever, load));
            g = dv_mat3_sub(g, dv_mat3_diagonal(dv_vec3(power, power, power)));
        }
    }
    if (kind == STIFFNESS_STABILIZED)
        return dv_sym3_negative_part(dv_mat3_symmetric_part(g));
    return matrix == DV_MATRIX_SYMMETRIC ? dv_mat3_symmetric_part(g) : g;
}

static bool forces_fit(const RigidMapping *self, const DvConstVec *f)
{
    return self->ready && f->at && self->points <= f->count;
}

static void apply_djt(void *self_, const DvStep *step, double k, const DvConstVec *f, const DvConstVec *dx,
                      const DvVec *df)
{
    RigidMapping *self = self_;
    const int kind = dv_data_choice(&self->geometric_stiffness);
    if (kind == STIFFNESS_NONE || !forces_fit(self, f) || self->bodies_in > dx->count)
        return;
    for (uint32_t u = 0; u < self->used; u++) {
        const DvMat3 g = stiffness_of_body(self, kind, step->kind, u, f);
        const double *turn = dx->at + (size_t)self->used_body[u] * dx->dim;
        double *to = df->at + (size_t)self->used_body[u] * df->dim;
        if (in_plane(self))
            to[2] += k * g.m[2][2] * turn[2];
        else
            dv_vec3_accumulate(dv_vec3_scale(dv_mat3_mul_vec(g, dv_vec3_load(turn + 3)), k), to + 3);
    }
}

/* The stabilised stiffness of a product follows from the product itself, not from the forces: trajectories hang on it. */
static bool djt_of_product(void *self_)
{
    RigidMapping *self = self_;
    return dv_data_choice(&self->geometric_stiffness) == STIFFNESS_STABILIZED;
}

static void reserve_stiffness(void *self_, DvPattern *pattern)
{
    const RigidMapping *self = self_;
    for (uint32_t u = 0; self->ready && u < self->used; u++)
        dv_pattern_add(pattern, self->used_body[u], self->used_body[u]);
}

static void assemble_stiffness(void *self_, double k, const DvConstVec *f, const DvMatrixView *view)
{
    RigidMapping *self = self_;
    const int kind = dv_data_choice(&self->geometric_stiffness);
    if (kind == STIFFNESS_NONE || !forces_fit(self, f))
        return;
    const uint32_t deriv = self->base.in.dof->deriv, first = deriv - 3;
    for (uint32_t u = 0; u < self->used; u++) {
        const DvMat3 g = stiffness_of_body(self, kind, view->kind, u, f);
        double block[6 * 6] = {0.0};
        for (uint32_t r = 0; r < 3; r++)
            for (uint32_t c = 0; c < 3; c++)
                block[(first + r) * deriv + first + c] = g.m[r][c];
        dv_view_add(view, u, block, k);
    }
}

static DvSymmetry symmetry(void *self_)
{
    RigidMapping *self = self_;
    return dv_data_choice(&self->geometric_stiffness) == STIFFNESS_EXACT && !in_plane(self) ? DV_SYMMETRIC_PART
                                                                                            : DV_SYMMETRIC;
}

/* ---- J by blocks */

static const DvJacobian *jacobian(void *self_, uint32_t output, uint32_t input)
{
    (void)output;
    (void)input;
    RigidMapping *self = self_;
    DvJacobian *j = &self->jacobian;
    const uint32_t rows = dv_state_count(self->base.out), columns = dv_state_count(self->base.in);
    const uint32_t deriv_out = self->base.out.dof->deriv, deriv_in = self->base.in.dof->deriv;
    const uint32_t points = self->ready && self->points <= rows ? self->points : 0;
    if (j->structure != self->structure || j->rows != rows || j->columns_count != columns) {
        const DvJacobianArrays to = dv_jacobian_new(j, rows, columns, points, deriv_out * deriv_in);
        for (uint32_t i = 0; i < rows; i++)
            to.row_start[i + 1] = i < points ? i + 1 : points;
        if (points)
            memcpy(to.columns, self->body, points * sizeof *to.columns);
        j->structure = self->structure;
    }
    double *block = (double *)j->values;
    for (uint32_t i = 0; i < points; i++, block += deriv_out * deriv_in) {
        for (uint32_t k = 0; k < deriv_out; k++)
            block[k * deriv_in + k] = 1.0;
        if (in_plane(self)) {
            block[2] = -self->lever[2 * (size_t)i + 1];
            block[5] = self->lever[2 * (size_t)i];
        } else {
            const DvMat3 turn = dv_mat3_skew(dv_vec3_load(self->lever + 3 * (size_t)i));
            for (uint32_t k = 0; k < 9; k++)
                block[k / 3 * 6 + 3 + k % 3] = -turn.m[k / 3][k % 3];
        }
    }
    return j;
}

const DvMappingOps rigid_mapping_ops = {
    DV_SINGLE_MAPPING_OPS,
    .keeps_topology = dv_mapping_no,
    .apply = apply,
    .apply_j = apply_j,
    .apply_jt = apply_jt,
    .apply_djt = apply_djt,
    .djt_of_product = djt_of_product,
    .jacobian = jacobian,
    .output_points = dv_single_mapping_output_points,
    .reserve_stiffness = reserve_stiffness,
    .assemble_stiffness = assemble_stiffness,
    .symmetry = symmetry,
};

/* ---- The operator */

static uint64_t operator_version(void *self_)
{
    RigidMapping *self = self_;
    uint32_t points;
    (void)rigid_mapping_local_points(self, &points);
    const uint32_t room = dv_state_count(self->base.out);
    (void)rigid_mapping_is_current(self, points < room ? points : room, dv_state_count(self->base.in));
    DvData *rest = dv_data_bool(&self->use_x0) ? dv_object_field(self->base.out.object, "rest_position") : NULL;
    return 31 * (31 * self->structure + dv_data_version(rest ? rest : &self->initial_points)) +
           dv_data_version(&self->geometric_stiffness);
}

static void describe(void *self_, DvOperator *out)
{
    RigidMapping *self = self_;
    uint32_t points;
    const double *local = rigid_mapping_local_points(self, &points);
    if (self->base.in.dof != &dv_rigid3d || self->base.out.dof != &dv_vec3d)
        out->why = "only points in space are moved with bodies there";
    else if (!self->ready || (!local && self->points))
        out->why = "it has no points";
    if (out->why)
        return;
    out->name = "rigid points";
    dv_operator_add_indices(out, "body", self->body, self->points, 1, 0);
    dv_operator_add_numbers(out, "local", local, self->points, 3, 0);
    const int kind = dv_data_choice(&self->geometric_stiffness);
    self->stiff = kind == STIFFNESS_EXACT ? 1 : kind == STIFFNESS_STABILIZED ? 2 : 0;
    dv_operator_add_indices(out, "stiff", &self->stiff, 1, 1, 0);
}

const DvOperatorOps rigid_mapping_operator = {
    .size = sizeof(DvOperatorOps), .version = operator_version, .describe = describe};
