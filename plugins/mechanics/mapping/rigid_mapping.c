/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * RigidMapping: points, or frames, fixed to rigid bodies.
 *
 *   x_i = c_b + r_i,  r_i = R_b p_i    v_i = v_b + w_b x r_i    force f_b += f_i,  torque t_b += r_i x f_i
 *
 * p_i: the point in the coordinates of its body b. Outputs of type Rigid3 add the body's rotation, angular velocity and torque.
 * In the plane: w_b (-r_y, r_x), and the torque r_x f_y - r_y f_x.
 *
 * Geometric stiffness of body b: the torque changes by -f_i x (dw x r_i) when the body turns by dw, summed to the 3 x 3 block
 * G = sum [f_i]x [r_i]x (plane: -sum f_i . r_i). Exact is not symmetric while there is a torque: (G - G^T) / 2 = -[t_b / 2]x. Solvers
 * that take symmetric matrices alone get (G + G^T) / 2, the second derivative of the loads' energy by the rotation vector. Stabilized
 * takes the closest negative semi-definite matrix to that, so that an implicit step never loses definiteness.
 *
 * When the mesh of the output changes, points keep their body and their place on it; a new one takes the mean place of those it was made
 * from, on the body of the first of them, else the origin of the body `index`.
 *
 * Levers r_i are those of the last apply. Bodies gather their points in ascending order.
 */
#include <divan/kit/mapping.h>

#include "state/former_number.h"

#include <divan/contracts/drawing.h>
#include <divan/element_data.h>
#include <divan/math/decompose.h>
#include <divan/math/rigid.h>
#include <divan/math/simd.h>
#include <divan/memory.h>
#include <divan/parallel.h>
#include <divan/plugin.h>

#include <string.h>

enum { POINTS_PER_CHUNK = 1024, BODIES_PER_CHUNK = 64 };
enum { STIFFNESS_NONE, STIFFNESS_EXACT, STIFFNESS_STABILIZED };

typedef struct RigidMapping {
    DvSingleMapping base;
    DvData initial_points;         /* coordinates of the output's type, local */
    DvData index;                  /* uint: the body of points without one of their own */
    DvData filename;               /* file of points */
    DvData use_x0;                 /* bool: the rest positions of the output are the local points */
    DvData index_from_end;         /* bool */
    DvData rigid_index_per_point;  /* uint[points], or ignored */
    DvData global_to_local_coords; /* bool */
    DvData geometric_stiffness;    /* STIFFNESS_* */

    uint64_t versions[4]; /* of the fields that choose bodies, when they were chosen */
    uint32_t points;      /* points of the output that are mapped */
    uint32_t bodies_in;   /* points of the input then */
    bool ready;
    uint32_t *body;       /* [points] */
    uint32_t used;        /* bodies with points */
    uint32_t *used_body;  /* [used] ascending */
    uint32_t *used_start; /* [used + 1] */
    uint32_t *used_point; /* [points] ascending within a body */
    double *lever;        /* [points] x 3 (plane: 2), and one more to read */
    DvJacobian jacobian;
    uint64_t structure;   /* + 1 when bodies are chosen */
    DvElementData former; /* numbers of the output's points before a change of its mesh */
} RigidMapping;

static const char *const stiffness_choices[] = {"None", "Exact", "Stabilized", NULL};
static const char *const filename_aliases[] = {"fileRigidMapping", NULL};

static const DvField fields[] = {
    DV_SINGLE_MAPPING_FIELDS(RigidMapping),
    DV_FIELD(RigidMapping, initial_points, "initialPoints", dv_type_coords_out, .unit = "m",
             .flags = DV_FIELD_EMPTY_IS_DEFAULT,
             .help = "points in the coordinates of their body; by default the positions of the output"),
    DV_FIELD(RigidMapping, index, "index", dv_type_uint, .init = "0", .help = "body of the points"),
    DV_FIELD(RigidMapping, filename, "filename", dv_type_file, .aliases = filename_aliases,
             .help = "mesh or sphere file whose vertices are the points"),
    DV_FIELD(RigidMapping, use_x0, "useX0", dv_type_bool, .init = "0",
             .help = "the rest positions of the output are the points in the coordinates of their body"),
    DV_FIELD(RigidMapping, index_from_end, "indexFromEnd", dv_type_bool, .init = "0",
             .help = "count `index` from the last body backwards"),
    DV_FIELD(RigidMapping, rigid_index_per_point, "rigidIndexPerPoint", dv_type_uints,
             .flags = DV_FIELD_EMPTY_IS_DEFAULT, .help = "body of each point; used when there is one for each"),
    DV_FIELD(RigidMapping, global_to_local_coords, "globalToLocalCoords", dv_type_bool, .init = "0",
             .flags = DV_FIELD_AT_LOAD,
             .help = "the positions of the output are given in the world, not in the coordinates of the body"),
    DV_FIELD(RigidMapping, geometric_stiffness, "geometricStiffness", dv_type_choice, .init = "None",
             .choices = stiffness_choices, .help = "how the turning of levers under load counts as stiffness"),
    {0},
};

static bool in_plane(const RigidMapping *self)
{
    return self->base.in.dof == &dv_rigid2d;
}

/* ---- Which point belongs to which body */

static void forget_bodies(RigidMapping *self)
{
    dv_free(self->body);
    dv_free(self->used_body);
    dv_free(self->used_start);
    dv_free(self->used_point);
    dv_free(self->lever);
    self->body = self->used_body = self->used_start = self->used_point = NULL;
    self->lever = NULL;
}

static void list_points_of_bodies(RigidMapping *self)
{
    uint32_t *start = dv_alloc((size_t)self->bodies_in + 1, sizeof *start);
    for (uint32_t i = 0; i < self->points; i++)
        start[self->body[i] + 1]++;
    self->used = 0;
    for (uint32_t b = 0; b < self->bodies_in; b++)
        self->used += start[b + 1] > 0;
    self->used_body = dv_alloc(self->used, sizeof *self->used_body);
    self->used_start = dv_alloc((size_t)self->used + 1, sizeof *self->used_start);
    self->used_point = dv_alloc(self->points, sizeof *self->used_point);
    uint32_t u = 0;
    for (uint32_t b = 0; b < self->bodies_in; b++) {
        if (start[b + 1] > 0) {
            self->used_body[u] = b;
            self->used_start[u + 1] = self->used_start[u] + start[b + 1];
            u++;
        }
        start[b + 1] += start[b];
    }
    for (uint32_t i = 0; i < self->points; i++)
        self->used_point[start[self->body[i]]++] = i;
    dv_free(start);
}

/* The body of each of `points` points of a state of `bodies`. Says which field names a body that is not there. */
static DvStatus choose_bodies(RigidMapping *self, uint32_t points, uint32_t bodies)
{
    size_t given;
    const uint32_t *per_point = dv_data_uints(&self->rigid_index_per_point, &given);
    const uint32_t index = dv_data_uint(&self->index);
    forget_bodies(self);
    self->points = points;
    self->bodies_in = bodies;
    self->structure++;
    self->ready = false;
    if (points == 0) {
        self->ready = true;
        self->used = 0;
        self->used_start = dv_alloc(1, sizeof *self->used_start);
        return DV_OK;
    }
    if (given != points && index >= bodies)
        return dv_field_error_missing(&self->index, -1, "body", index, "the state", bodies);
    const uint32_t common = dv_data_bool(&self->index_from_end) ? bodies - 1 - index : index;
    self->body = dv_alloc(points, sizeof *self->body);
    for (uint32_t i = 0; i < points; i++) {
        self->body[i] = given == points ? per_point[i] : common;
        if (self->body[i] >= bodies)
            return dv_field_error_missing(&self->rigid_index_per_point, i, "body", self->body[i], "the state", bodies);
    }
    list_points_of_bodies(self);
    self->lever = dv_alloc((size_t)points * (in_plane(self) ? 2 : 3) + 1, sizeof *self->lever);
    self->ready = true;
    return DV_OK;
}

/* The local points, and how many; NULL when there are none. */
static const double *local_points(RigidMapping *self, uint32_t *count)
{
    if (dv_data_bool(&self->use_x0)) {
        const DvConstVec rest = dv_state_read(self->base.out, DV_REST_POSITION);
        *count = rest.at ? rest.count : 0;
        return rest.at;
    }
    size_t points;
    const double *at = dv_data_doubles(&self->initial_points, &points);
    *count = (uint32_t)points;
    return at;
}

/* Whether the bodies of the points are known; chooses them anew when a field or the number of points or bodies changed. */
static bool current(RigidMapping *self, uint32_t points, uint32_t bodies)
{
    const uint64_t versions[4] = {dv_data_version(&self->index), dv_data_version(&self->index_from_end),
                                  dv_data_version(&self->rigid_index_per_point), dv_data_version(&self->use_x0)};
    if (self->points == points && self->bodies_in == bodies && memcmp(versions, self->versions, sizeof versions) == 0)
        return self->ready;
    memcpy(self->versions, versions, sizeof versions);
    dv_object_set_state(dv_object_of(self),
                        choose_bodies(self, points, bodies) == DV_OK ? DV_COMPONENT_VALID : DV_COMPONENT_INVALID);
    return self->ready;
}

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
    const double *local = local_points(self, &points);
    points = points < out->count ? points : out->count;
    if (current(self, points, in->count))
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

static const DvMappingOps ops = {
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

/* ---- Life */

/* `d_repartition`, `repartition`: how many consecutive points each body has. */
static DvStatus parse(DvObject *object, void *self_, const DvAttributes *attributes)
{
    RigidMapping *self = self_;
    const char *text = dv_attribute(attributes, "d_repartition");
    if (!text)
        text = dv_attribute(attributes, "repartition");
    if (text) {
        dv_remark(object, "the attribute `repartition` is old; `rigidIndexPerPoint` names the body of each point");
        uint32_t body = 0, count, total = 0;
        for (; dv_read_uint(&text, &count); body++) {
            if (count > UINT32_MAX / 16 - total)
                return dv_error(object, DV_ERROR_LIMIT, "`repartition` asks for more than %u points", UINT32_MAX / 16);
            uint32_t *per_point = dv_data_begin(&self->rigid_index_per_point, (size_t)total + count);
            for (uint32_t i = 0; i < count; i++)
                per_point[total + i] = body;
            dv_data_end(&self->rigid_index_per_point);
            total += count;
        }
        if (*(text += strspn(text, " \t\r\n")))
            dv_warning(object,
                       "attribute 'repartition' must be numbers of points, not \"%.40s\"; what comes before it is used",
                       text);
    }
    return dv_mapping_parse(object, self_, attributes);
}

/* initialPoints from the points of a file. */
static DvStatus load_points(RigidMapping *self)
{
    const DvMeshFilesOps *files = dv_service(DV_MESH_FILES);
    if (!files)
        return dv_field_error(&self->filename, -1, "no plugin reads mesh files; load divan.topology");
    DvMeshFile *file;
    DvMeshView mesh;
    const DvStatus status = files->open(&self->filename, NULL, &file, &mesh);
    if (status != DV_OK)
        return status;
    const DvDofType *dof = self->base.out.dof;
    double *points = dv_data_begin_all(&self->initial_points, mesh.point_count);
    for (size_t i = 0; i < mesh.point_count; i++) {
        memcpy(points + i * dof->coord, dof->origin, dof->coord * sizeof *points);
        memcpy(points + i * dof->coord, mesh.positions + i * 3, dof->spatial * sizeof *points);
    }
    dv_data_end(&self->initial_points);
    files->close(file);
    return DV_OK;
}

static void store_local(const RigidMapping *self, const double *body, const double *world, double *local)
{
    if (in_plane(self)) {
        const DvRigid2 b = dv_rigid2_load(body);
        dv_vec2_store(dv_vec2_rotate(dv_vec2_sub(dv_vec2_load(world), b.center), -b.angle), local);
        return;
    }
    const DvRigid3 b = dv_rigid3_load(body);
    if (self->base.out.dof->rotation) {
        /* inverse divides by the length of a quaternion that is not of unit length, inverse_rotate would not. */
        const DvQuat back = dv_quat_inverse(b.orientation);
        dv_vec3_store(dv_quat_rotate(back, dv_vec3_sub(dv_vec3_load(world), b.center)), local);
        dv_quat_store(dv_quat_mul(back, dv_quat_load(world + 3)), local + 3);
    } else {
        dv_vec3_store(dv_rigid3_to_local(b, dv_vec3_load(world)), local);
    }
}

/* initialPoints from the positions of the output. */
static DvStatus take_positions(RigidMapping *self)
{
    const DvConstVec in = dv_state_read(self->base.in, DV_POSITION), out = dv_state_read(self->base.out, DV_POSITION);
    const uint32_t count = out.at ? out.count : 0;
    const DvStatus status = choose_bodies(self, count, in.at ? in.count : 0);
    if (status != DV_OK)
        return status;
    double *points = dv_data_begin_all(&self->initial_points, count);
    if (count)
        memcpy(points, out.at, (size_t)count * out.dim * sizeof *points);
    if (in.at && dv_data_bool(&self->global_to_local_coords))
        for (uint32_t i = 0; i < count; i++)
            store_local(self, in.at + (size_t)self->body[i] * in.dim, out.at + (size_t)i * out.dim,
                        points + (size_t)i * out.dim);
    dv_data_end(&self->initial_points);
    return DV_OK;
}

/* initialPoints and rigidIndexPerPoint by the new numbers. */
static void points_changed(DvElementData *data, const DvElementChange *change)
{
    RigidMapping *self = data->owner;
    if (change->change == DV_POINTS_MOVED)
        return;
    const DvDofType *dof = self->base.out.dof;
    const size_t dim = dof->coord;
    size_t count, bodies;
    const double *local = dv_data_doubles(&self->initial_points, &count);
    const uint32_t *body = dv_data_uints(&self->rigid_index_per_point, &bodies);
    double *points = dv_alloc(data->count, dim * sizeof *points);
    uint32_t *body_of = dv_alloc(data->count, sizeof *body_of), added = 0;
    for (uint32_t i = 0; i < data->count; i++) {
        const uint32_t former = former_number(data, i);
        double *at = points + i * dim;
        const bool made = former == UINT32_MAX && change->ancestor_start;
        const uint32_t begin = made ? change->ancestor_start[added] : 0,
                       end = made ? change->ancestor_start[added + 1] : 0;
        const uint32_t from = former == UINT32_MAX && begin < end ? change->ancestors[begin] : former;
        memcpy(at, from < count ? local + from * dim : dof->origin, dim * sizeof *at);
        body_of[i] = from < bodies ? body[from] : dv_data_uint(&self->index);
        added += former == UINT32_MAX;
        if (begin == end)
            continue;
        for (uint32_t c = 0; c < dof->spatial; c++) {
            at[c] = 0.0;
            for (uint32_t a = begin; a < end; a++)
                at[c] += (change->weights ? change->weights[a] : 1.0 / (end - begin)) *
                         (change->ancestors[a] < count ? local[change->ancestors[a] * dim + c] : 0.0);
        }
    }
    if (count > 0)
        dv_data_set(&self->initial_points, points, data->count);
    const uint32_t before = change->change == DV_ELEMENTS_ADDED     ? data->count - change->count
                            : change->change == DV_ELEMENTS_REMOVED ? data->count + change->count
                                                                    : data->count;
    if (bodies > 0 && bodies == before)
        dv_data_set(&self->rigid_index_per_point, body_of, data->count);
    dv_free(points);
    dv_free(body_of);
    former_number_start(data);
}

/* The points of a mesh of the output's own that may change. */
static DvStatus follow_output(RigidMapping *self)
{
    DvObject *topology = dv_node_slot(dv_object_node(self->base.out.object), DV_TOPOLOGY);
    const DvTopologyOps *mesh = topology ? dv_object_ops(topology, DV_TOPOLOGY) : NULL;
    dv_element_data_detach(&self->former);
    if (!mesh || !mesh->is_dynamic || !mesh->is_dynamic(dv_object_self(topology)))
        return DV_OK;
    const DvStatus status = former_number_attach(&self->former, topology, DV_POINTS);
    self->former.owner = self;
    self->former.changed = points_changed;
    return status;
}

static DvStatus init(DvObject *object, void *self_)
{
    RigidMapping *self = self_;
    DvSingleMapping *base = &self->base;
    DvStatus status = dv_single_mapping_init(object, base);
    if (status != DV_OK)
        return status;
    if (*dv_data_string(&self->filename) && (status = load_points(self)) != DV_OK)
        return status;
    size_t given;
    (void)dv_data_doubles(&self->initial_points, &given);
    if (given == 0 && !dv_data_bool(&self->use_x0) && (status = take_positions(self)) != DV_OK)
        return status;
    uint32_t points;
    (void)local_points(self, &points);
    if (points > dv_state_count(base->out))
        base->out.ops->resize(base->out.self, points);
    status = choose_bodies(self, points, dv_state_count(base->in));
    if (status != DV_OK)
        return status;
    dv_mapping_apply_all(base, &ops);
    return follow_output(self);
}

/* Levers of the positions that were put back. */
static DvStatus restore(DvObject *object, void *self_)
{
    (void)object;
    RigidMapping *self = self_;
    dv_mapping_apply_all(&self->base, &ops);
    return DV_OK;
}

static void cleanup(DvObject *object, void *self_)
{
    (void)object;
    RigidMapping *self = self_;
    dv_element_data_detach(&self->former);
    dv_single_mapping_release(&self->base);
}

static void destroy(DvObject *object, void *self_)
{
    (void)object;
    RigidMapping *self = self_;
    forget_bodies(self);
    dv_jacobian_free(&self->jacobian);
}

/* A line from each frame to each of its points. */
static void draw(void *self_, DvDraw *draw)
{
    RigidMapping *self = self_;
    double *points = dv_single_mapping_points_to_draw(&self->base, draw);
    const DvConstVec frames = points ? dv_state_read(self->base.in, DV_POSITION) : (DvConstVec){0};
    const uint32_t all = points ? dv_state_count(self->base.out) : 0, count = self->points < all ? self->points : all;
    double *centres = points ? dv_alloc(count ? count : 1, 3 * sizeof *centres) : NULL;
    uint32_t drawn = 0;
    for (; points && drawn < count && self->body[drawn] < frames.count; drawn++)
        for (uint32_t axis = 0; axis < 3; axis++)
            centres[3 * (size_t)drawn + axis] =
                axis < self->base.in.dof->spatial ? frames.at[(size_t)self->body[drawn] * frames.dim + axis] : 0.0;
    if (points)
        dv_draw_pairs(draw, centres, points, drawn, 1.0, dv_mapping_color);
    dv_free(centres);
    dv_free(points);
}

static const DvDrawableOps drawable = {.size = sizeof drawable, .draw = draw};

const DvClass dv_rigid_mapping = {
    .size = sizeof(DvClass),
    .name = "RigidMapping",
    .variants = "Rigid3d,Vec3d Rigid3d,Rigid3d Rigid2d,Vec2d",
    .default_variant = "Rigid3d,Vec3d",
    .variant_rule = DV_VARIANT_OF_EACH,
    .sources = dv_single_mapping_sources,
    .family = "mappings",
    .module = "Sofa.Component.Mapping.NonLinear",
    .help = "Fixes points or frames to rigid bodies.",
    .instance_size = sizeof(RigidMapping),
    .fields = fields,
    .contracts = (const DvContract[]){{DV_MAPPING, &ops, .slot = true}, {.id = DV_DRAWABLE, .ops = &drawable}, {0}},
    .parse = parse,
    .init = init,
    .reinit = init,
    .restore = restore,
    .cleanup = cleanup,
    .destroy = destroy,
};
