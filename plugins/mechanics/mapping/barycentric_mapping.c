/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * BarycentricMapping: points that hang on the elements of a mesh with constant weights.
 *
 *   x_i = sum_j w_ij x_j over the nodes j of one element;  v_i = sum_j w_ij v_j;  f_j += w_ij f_i
 *
 * When the scene starts each point of the output is located in the mesh of the input (barycentric_location.h): in a regular or sparse grid
 * by its geometry, in meshes that may change by a hash of their elements, in others by comparing all; with nearestElement in all but
 * grids on the element that is nearest. From then on only the weights count. Points whose element goes from a mesh that may change are
 * located where they are among the elements around it; the others stay on their elements, whatever numbers these have. Points that come to the
 * output are located when they are next needed, at the positions of the moment when they came: until then a copy of the input's
 * positions follows the changes. Other changes of the two meshes locate all points anew in this way. Each element knows the points that hang on it, so that
 * an edit costs what it touches.
 *
 * Outputs that are rigid bodies take the position only; their orientation stays, forces on it are lost. In a mesh of tetrahedra that
 * may change they also turn with their tetrahedron: the orientation is the rotation of the polar decomposition of the deformed axes
 * A = M O (M: edges x1-x0, x2-x0, x3-x0; O: the initial axes in local coordinates). Its rate is w = R G^-1 axl(R^T dA - dA^T R),
 * G = tr(S) I - S, S = R^T A (Chen and Wheeler, Derivatives of the polar decomposition, 1993); the derivative of that is left out.
 */
#include "barycentric_points.h"

#include <divan/contracts/drawing.h>
#include <divan/contracts/report.h>
#include <divan/kit/product_at_points.h>
#include <divan/math/decompose.h>
#include <divan/math/quat.h>
#include <divan/memory.h>
#include <divan/parallel.h>
#include <divan/types/matrix.h>

#include <stdlib.h>
#include <string.h>

enum { BODIES_PER_CHUNK = 64 };

static const DvField fields[] = {
    DV_SINGLE_MAPPING_FIELDS(BarycentricMapping),
    DV_FIELD(BarycentricMapping, use_rest_position, "useRestPosition", dv_type_bool, .init = "0",
             .help = "locate the rest positions of the output in those of the input, not the present ones"),
    DV_FIELD(
        BarycentricMapping, nearest_element, "nearestElement", dv_type_bool, .init = "0",
        .help =
            "hang each point on the element nearest to it, with the coordinates of that element, in any unit of length. By "
            "default the element with the nearest centre is taken when the point is inside none, and inside a "
            "triangle or quad is what is at most 0.01 times twice its area above it, in the numbers of the scene"),
    DV_LINK(BarycentricMapping, input_topology, "input_topology", DV_TOPOLOGY,
            .help = "mesh of the input; by default that of its node or above"),
    DV_LINK(BarycentricMapping, output_topology, "output_topology", DV_TOPOLOGY,
            .help =
                "mesh of the output; by default that of its node or above; points that come to it are located then"),
    DV_FIELD_HELD("mapper", dv_type_string, .flags = DV_FIELD_HIDDEN,
                  .help = "kept for old scenes: the mesh of the input decides how points are located"),
    DV_FIELD(BarycentricMapping, row_start, "rowStart", dv_type_uints,
             .flags = DV_FIELD_STATE | DV_FIELD_HIDDEN | DV_FIELD_NOT_RESET,
             .help = "for each point, where its nodes start"),
    DV_FIELD(BarycentricMapping, row_nodes, "rowNodes", dv_type_uints,
             .flags = DV_FIELD_STATE | DV_FIELD_HIDDEN | DV_FIELD_NOT_RESET,
             .help = "points of the input that each point hangs on"),
    DV_FIELD(BarycentricMapping, row_weights, "rowWeights", dv_type_doubles,
             .flags = DV_FIELD_STATE | DV_FIELD_HIDDEN | DV_FIELD_NOT_RESET, .help = "their weights"),
    DV_FIELD(BarycentricMapping, turning_axes, "turningAxes", dv_type_mat3s,
             .flags = DV_FIELD_STATE | DV_FIELD_HIDDEN | DV_FIELD_NOT_RESET,
             .help = "axes of each rigid body in the coordinates of its tetrahedron"),
    {0},
};

/* ---- Bodies that turn */

typedef struct TurningWork {
    TurningBody *bodies;
    const double *from;
    double *to;
    uint32_t from_dim, to_dim;
} TurningWork;

static DvVec3 point_of(const TurningWork *w, const TurningBody *body, uint32_t k)
{
    return dv_vec3_load(w->from + (size_t)body->nodes[k] * w->from_dim);
}

/* Edges of the tetrahedron, times O: A of the positions, dA of the velocities. */
static DvMat3 deformed_axes(const TurningWork *w, const TurningBody *body)
{
    const DvVec3 x0 = point_of(w, body, 0);
    const DvMat3 edges =
        dv_mat3_from_columns(dv_vec3_sub(point_of(w, body, 1), x0), dv_vec3_sub(point_of(w, body, 2), x0),
                             dv_vec3_sub(point_of(w, body, 3), x0));
    return dv_mat3_mul(edges, body->axes);
}

static void turn_chunk(void *context, uint32_t begin, uint32_t end)
{
    const TurningWork *w = context;
    for (uint32_t i = begin; i < end; i++) {
        TurningBody *body = &w->bodies[i];
        const DvMat3 a = deformed_axes(w, body);
        DvMat3 rotation, inverse;
        body->spin = dv_mat3_zero();
        if (!dv_polar(a, &rotation))
            continue; /* a flat tetrahedron: the body keeps its orientation */
        body->rotation = rotation;
        const DvMat3 stretch = dv_mat3_transposed_mul(rotation, a);
        const double trace = dv_mat3_trace(stretch);
        const DvMat3 g = dv_mat3_sub(dv_mat3_diagonal(dv_vec3(trace, trace, trace)), stretch);
        if (dv_mat3_inverse(g, &inverse) != 0.0)
            body->spin = dv_mat3_mul(rotation, inverse);
        dv_quat_store(dv_quat_from_matrix(rotation), w->to + (size_t)i * w->to_dim + 3);
    }
}

static void spin_chunk(void *context, uint32_t begin, uint32_t end)
{
    const TurningWork *w = context;
    for (uint32_t i = begin; i < end; i++) {
        const TurningBody *body = &w->bodies[i];
        const DvMat3 x = dv_mat3_transposed_mul(body->rotation, deformed_axes(w, body));
        const DvVec3 axial = dv_vec3(x.m[2][1] - x.m[1][2], x.m[0][2] - x.m[2][0], x.m[1][0] - x.m[0][1]);
        dv_vec3_store(dv_mat3_mul_vec(body->spin, axial), w->to + (size_t)i * w->to_dim + 3);
    }
}

/* Torques to the nodes. Bodies share nodes and there are few of them: one after the other. */
static void pull_torques(const BarycentricMapping *self, uint32_t count, const DvConstVec *out, const DvVec *in)
{
    for (uint32_t i = 0; i < count; i++) {
        const TurningBody *body = &self->bodies[i];
        const DvVec3 torque = dv_vec3_load(out->at + (size_t)i * out->dim + 3);
        /* dA : R [u]x is the power of the torque, u = (R G^-1)^T torque; dA = dM O. */
        const DvMat3 turned = dv_mat3_mul(body->rotation, dv_mat3_skew(dv_mat3_transposed_mul_vec(body->spin, torque)));
        const DvMat3 forces = dv_mat3_mul_transposed(turned, body->axes);
        for (uint32_t k = 0; k < 3; k++) {
            const DvVec3 force = dv_mat3_column(forces, (int)k);
            dv_vec3_accumulate(force, in->at + (size_t)body->nodes[k + 1] * in->dim);
            dv_vec3_accumulate(dv_vec3_neg(force), in->at + (size_t)body->nodes[0] * in->dim);
        }
    }
}

/* d w / d x of the nodes in the last three rows of their blocks. */
static void add_turning_blocks(const BarycentricMapping *self, DvJacobian *j)
{
    double *values = (double *)j->values;
    for (uint32_t i = 0; i < j->rows; i++) {
        const TurningBody *body = &self->bodies[i];
        const uint32_t first = j->row_start[i], last = j->row_start[i + 1];
        for (uint32_t e = first; e < last; e++)
            memset(values + (size_t)e * 18 + 9, 0, 9 * sizeof *values);
        for (uint32_t k = 1; k < 4; k++) {
            const DvMat3 moment = dv_mat3_mul(body->spin, dv_mat3_skew(dv_mat3_row(body->axes, (int)k - 1)));
            const DvMat3 block = dv_mat3_mul_transposed(moment, body->rotation);
            for (uint32_t e = first; e < last; e++)
                for (uint32_t c = 0; c < 9; c++)
                    values[(size_t)e * 18 + 9 + c] += j->columns[e] == body->nodes[k]   ? block.m[c / 3][c % 3]
                                                      : j->columns[e] == body->nodes[0] ? -block.m[c / 3][c % 3]
                                                                                        : 0.0;
        }
    }
}

/* ---- The contract */

static void apply(void *self_, const DvStep *step, const DvConstVec *in, const DvVec *out)
{
    (void)step;
    BarycentricMapping *self = self_;
    if (!barycentric_is_current(self, in->count, out->count))
        return;
    dv_weighted_rows_gather(&self->rows, in, out, false);
    if (self->bodies)
        dv_parallel_for(self->rows.rows, BODIES_PER_CHUNK, turn_chunk,
                        &(TurningWork){self->bodies, in->at, out->at, in->dim, out->dim});
}

static void apply_j(void *self_, const DvStep *step, const DvConstVec *in, const DvVec *out)
{
    (void)step;
    BarycentricMapping *self = self_;
    if (!barycentric_is_current(self, in->count, out->count))
        return;
    dv_weighted_rows_gather(&self->rows, in, out, true);
    if (out->dim == 3)
        return;
    if (self->bodies)
        dv_parallel_for(self->rows.rows, BODIES_PER_CHUNK, spin_chunk,
                        &(TurningWork){self->bodies, in->at, out->at, in->dim, out->dim});
    else
        for (uint32_t i = 0; i < self->rows.rows; i++)
            memset(out->at + (size_t)i * out->dim + 3, 0, (out->dim - 3) * sizeof(double));
}

static void apply_jt(void *self_, const DvStep *step, const DvConstVec *out, const DvVec *in)
{
    (void)step;
    BarycentricMapping *self = self_;
    if (!barycentric_is_current(self, in->count, out->count))
        return;
    dv_weighted_rows_scatter(&self->rows, out, in);
    if (self->bodies)
        pull_torques(self, self->rows.rows, out, in);
}

static const DvJacobian *jacobian(void *self_, uint32_t output, uint32_t input)
{
    (void)output;
    (void)input;
    BarycentricMapping *self = self_;
    (void)barycentric_is_current(self, dv_state_count(self->base.in), dv_state_count(self->base.out));
    DvJacobian *j =
        dv_weighted_rows_jacobian(&self->rows, self->base.out.dof->deriv, 3, 3, dv_state_count(self->base.in));
    if (self->bodies) {
        add_turning_blocks(self, j);
        j->version = 0;
    }
    return j;
}

static const DvMappingOps ops = {
    DV_SINGLE_MAPPING_OPS,
    .keeps_topology = dv_mapping_no,
    .apply = apply,
    .apply_j = apply_j,
    .apply_jt = apply_jt,
    .jacobian = jacobian,
    .output_points = dv_single_mapping_output_points,
};

/* ---- Report */

/* Where points hang elsewhere than on the nearest element, for which there is no reason but that it is the default. */
static void report(void *self_, DvReportLine line, void *context)
{
    const BarycentricMapping *self = self_;
    if (!self->ready || self->elsewhere.count == 0)
        return;
    DvText text = {0};
    dv_text_add(
        &text,
        "%u of %u points hang elsewhere than on the nearest element, point %u at most, by %.3g; nearestElement=\"1\" "
        "takes the nearest, in any unit of length",
        self->elsewhere.count, self->rows.rows, self->elsewhere.worst, self->elsewhere.farthest);
    line(context, text.at);
    dv_text_free(&text);
}

static const DvReportOps report_ops = {.size = sizeof report_ops, .report = report};

/* ---- Life */

static void release(BarycentricMapping *self)
{
    for (uint32_t kind = 0; kind < DV_ELEMENT_KINDS; kind++)
        dv_element_data_detach(&self->watch[kind]);
    dv_element_data_detach(&self->output);
    dv_topology_release(&self->in_mesh);
    dv_topology_release(&self->out_mesh);
    dv_single_mapping_release(&self->base);
}

/* The mesh of a link, else that of the node of the state; there may be none. */
static DvStatus find_mesh(DvObject *object, const DvLink *link, DvStateRef state, DvTopologyRef *mesh)
{
    DvObject *found = dv_link_is_set(link) ? dv_object_find(object, link, DV_TOPOLOGY)
                                           : dv_object_find(state.object, NULL, DV_TOPOLOGY);
    return found ? dv_topology_take(object, found, mesh) : DV_OK;
}

static DvStatus init(DvObject *object, void *self_)
{
    BarycentricMapping *self = self_;
    DvSingleMapping *base = &self->base;
    release(self);
    DvStatus status = dv_single_mapping_init(object, base);
    if (status != DV_OK)
        return status;
    status = find_mesh(object, &self->input_topology, base->in, &self->in_mesh);
    if (status == DV_OK)
        status = find_mesh(object, &self->output_topology, base->out, &self->out_mesh);
    if (status != DV_OK)
        return status;
    if (!self->in_mesh.ops)
        return dv_field_error(&self->input_topology.data, -1,
                              "the input has no topology to hang points on; add one to its node or link one");
    if (self->in_mesh.ops->is_dynamic(self->in_mesh.self) && (status = barycentric_watch_mesh(self)) != DV_OK)
        return status;
    status = barycentric_watch_output(self);
    if (status == DV_OK)
        status = barycentric_locate(self, true);
    if (status != DV_OK || !dv_data_bool(&base->apply_rest_position) ||
        !base->in.ops->has(base->in.self, DV_REST_POSITION))
        return status;
    /* Positions and velocities follow when the whole scene is ready. */
    const DvConstVec in = dv_state_read(base->in, DV_REST_POSITION);
    const DvVec out = dv_state_write(base->out, DV_REST_POSITION, DV_READ_WRITE);
    apply(self, NULL, &in, &out);
    return DV_OK;
}

static DvStatus restore(DvObject *object, void *self_)
{
    BarycentricMapping *self = self_;
    barycentric_remember_meshes(self);
    barycentric_take_rows(self);
    barycentric_find_elements(self);
    if (self->ready && self->rows.columns <= self->located_in && self->rows.rows <= self->located) {
        if (self->bodies)
            dv_mapping_apply_all(&self->base, &ops); /* their rotations are needed before the next apply */
        return DV_OK;
    }
    self->ready = false;
    return dv_error(object, DV_ERROR_INVALID, "the saved rows do not fit %u points on %u", self->located,
                    self->located_in);
}

static void cleanup(DvObject *object, void *self)
{
    (void)object;
    release(self);
}

static void destroy(DvObject *object, void *self_)
{
    (void)object;
    BarycentricMapping *self = self_;
    dv_weighted_rows_free(&self->rows);
    dv_free(self->bodies);
    dv_array_free(&self->touched);
    dv_ordered_hexahedra_free(&self->order);
    barycentric_forget_elements(self);
}

/* ---- Products of a few points ---- */

static bool is_ready(void *self_)
{
    const BarycentricMapping *self = self_;
    return self->ready && !self->bodies && self->base.out.dof->deriv == 3;
}

static void apply_j_at(void *self_, const DvConstVec *in, const DvVec *out, const uint32_t *points, uint32_t count)
{
    dv_weighted_rows_gather_at(&((BarycentricMapping *)self_)->rows, in, out, points, count);
}

static void apply_jt_at(void *self_, const DvConstVec *out, const DvVec *in, const uint32_t *points, uint32_t count)
{
    dv_weighted_rows_scatter_at(&((BarycentricMapping *)self_)->rows, out, in, points, count);
}

static const DvProductAtPointsOps product_at_points = {
    .size = sizeof product_at_points, .is_ready = is_ready, .apply_j = apply_j_at, .apply_jt = apply_jt_at};

static uint64_t operator_version(void *self_)
{
    BarycentricMapping *self = self_;
    (void)barycentric_is_current(self, dv_state_count(self->base.in), dv_state_count(self->base.out));
    return 2 * self->rows.structure + self->ready;
}

static void describe(void *self_, DvOperator *out)
{
    const BarycentricMapping *self = self_;
    if (!self->ready)
        out->why = "its points are not located";
    else if (self->bodies || self->base.out.dof->deriv != 3)
        out->why = "bodies that hang on elements are moved on the host";
    else
        dv_weighted_rows_describe(&self->rows, true, out);
}

static const DvOperatorOps operator_ops = {
    .size = sizeof(DvOperatorOps), .version = operator_version, .describe = describe};

/* Lines from each point to those that it hangs on. */
static void draw(void *self_, DvDraw *draw)
{
    BarycentricMapping *self = self_;
    const DvWeightedRows *rows = &self->rows;
    double *points = self->ready ? dv_single_mapping_points_to_draw(&self->base, draw) : NULL;
    if (!points)
        return;
    const DvConstVec x = dv_state_read(self->base.in, DV_POSITION);
    double *nodes = dv_points_in_space(x, self->base.in.dof->spatial);
    const uint32_t count = dv_state_count(self->base.out) < rows->rows ? dv_state_count(self->base.out) : rows->rows;
    const uint32_t entries = rows->rows ? rows->row_start[count] : 0;
    double *ends = dv_alloc(entries ? entries : 1, 6 * sizeof *ends), *to = ends;
    for (uint32_t row = 0; row < count; row++)
        for (uint32_t e = rows->row_start[row]; e < rows->row_start[row + 1]; e++) {
            if (rows->column[e] >= x.count || rows->weight[e] == 0.0)
                continue;
            memcpy(to, points + 3 * (size_t)row, 3 * sizeof *to);
            memcpy(to + 3, nodes + 3 * (size_t)rows->column[e], 3 * sizeof *to);
            to += 6;
        }
    if (to > ends)
        draw->ops->lines(draw, ends, (uint32_t)((to - ends) / 6), 1.0, dv_mapping_color);
    dv_free(ends);
    dv_free(nodes);
    dv_free(points);
}

static const DvDrawableOps drawable = {.size = sizeof drawable, .draw = draw};

const DvClass dv_barycentric_mapping = {
    .size = sizeof(DvClass),
    .name = "BarycentricMapping",
    .variants = "Vec3d,Vec3d Vec3d,Rigid3d",
    .default_variant = "Vec3d,Vec3d",
    DV_MAPPING_CLASS,
    .module = "Sofa.Component.Mapping.Linear",
    .help = "Hangs points on the elements of a mesh.",
    .instance_size = sizeof(BarycentricMapping),
    .fields = fields,
    .contracts = (const DvContract[]){{DV_MAPPING, &ops, .slot = true},
                                      {.id = DV_PRODUCT_AT_POINTS, .ops = &product_at_points},
                                      {.id = DV_REPORT, .ops = &report_ops},
                                      {.id = DV_OPERATOR, .ops = &operator_ops},
                                      {.id = DV_DRAWABLE, .ops = &drawable},
                                      {0}},
    .init = init,
    .reinit = init,
    .restore = restore,
    .cleanup = cleanup,
    .destroy = destroy,
};
