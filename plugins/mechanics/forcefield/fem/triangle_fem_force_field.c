/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * TriangleFEMForceField: linear elastic membranes of triangles, with large rotations; no bending.
 *
 * In the frame R of a triangle a b c (x along a b, z normal) the displacement D = rest - current is plane. With g the gradients of
 * the linear shape functions,
 *   strain = sum sym(D_n g_n^T),   sigma = area thickness (lambda tr(strain) I + 2 mu strain),   f_n = R^T sigma g_n
 * Lame's parameters are those of plane stress, or of plane strain.
 *
 *   large    the area is that of the rest shape, but g belong to the current one: they are made anew by each force, and the stiffness
 *            -R^T K R uses the last ones. Derivatives of R and g are left out: exact where a triangle is only moved rigidly. The
 *            frame follows the first edge, and B.y = 0 there, so where strains are large the force depends on which edge that is.
 *   small    the same without a frame: x and y alone, and B.y taken for 0 as well, which is right only of triangles whose first edge lies
 *            along x.
 *   linear   the frame and the g of the rest shape: small displacements of triangles that lie as they like.
 *   exact    the g of the rest shape, and R the rotation of the deformation gradient: with F = sum x_n g_n^T = R^T S,
 *            S = (F^T F)^(1/2), the force is minus the gradient of the energy sigma : (S - I) / 2 and has no torque. Its derivative has
 *            all terms, those of the turning plane too, and is not definite in a triangle that is pressed.
 *
 * Of linear and exact nothing depends on the order of the points.
 * Hauth and Strasser, Corotational simulation of deformable solids, WSCG 2004 (large); Chao, Pinkall, Sanan and Schroeder, A simple
 * geometric model for elastic deformations, 2010 (exact).
 *
 * Elements are the triangles of the topology or, when it starts with none, its quads cut in two. When the mesh changes, materials and
 * the shape without stress stay with their elements and points; the rest is made again.
 */
#include "costs.h"
#include "forcefield/element_blocks.h"
#include "forcefield/fem/frames.h"
#include "forcefield/fem/material.h"

#include <divan/element_data.h>
#include <divan/math/decompose.h>

#include <float.h>
#include <string.h>

typedef enum TriangleMethod { TRIANGLE_SMALL, TRIANGLE_LARGE, TRIANGLE_LINEAR, TRIANGLE_EXACT } TriangleMethod;

/* Area of a triangle, in proportion to that at rest, below which its rotation is noise. */
static const double FLATTEST = 1e-12;

typedef struct TriangleBlock { /* eight triangles */
    DvReal8 rest[2][2];        /* edges a b and a c in the rest frame: [edge][axis] */
    DvReal8 lambda, mu;        /* times area and thickness; zero in unused lanes */
    DvReal8 axis[2][3];        /* x and y of the last frame, in world axes */
    DvReal8 gradient[2][2];    /* of b and c, in that frame */
    DvReal8 twice_area;        /* at rest */
} TriangleBlock;

/* What the derivative of the frame adds to the stiffness, of method exact: with w_n = g_n1 y - g_n2 x in the axes of the frame,
 * spin w_n w_m^T turns in the plane, (g_n . tilt g_m) z z^T tilts it. Both are zero at rest. */
typedef struct TriangleTurn {
    DvReal8 spin, tilt[3]; /* tilt: xx yy xy */
    DvReal8 normal[3];
} TriangleTurn;

typedef struct TriangleFEMForceField {
    SingleState base;
    DvLink topology_link;
    Material material;
    DvData initial_points, method, thickness, plane_strain;

    DvTopologyRef topology;
    ElementMaterials materials;
    DvElementData initial;    /* what initialPoints held, of each point; not attached when it is empty */
    uint64_t initial_version; /* of the field then */
    bool from_quads;
    TriangleMethod chosen;
    ElementBlocks mesh;
    TriangleBlock *block; /* [blocks] */
    TriangleTurn *turn;   /* [blocks] of the last force; method exact only */
    bool *collapsed;      /* [blocks] a triangle of the block had no area in the last force */
    bool warned;
    uint64_t structure;
} TriangleFEMForceField;

static const char *const methods[] = {"small", "large", "linear", "exact", NULL}; /* as TriangleMethod */

#define FIELD(member, name, type, ...) DV_FIELD(TriangleFEMForceField, member, name, type, __VA_ARGS__)
static const DvField fields[] = {
    SINGLE_STATE_FIELDS(TriangleFEMForceField, base),
    DV_LINK(TriangleFEMForceField, topology_link, "topology", DV_TOPOLOGY, .help = "mesh; that of the node by default"),
    MATERIAL_FIELDS(TriangleFEMForceField, material, 0),
    FIELD(initial_points, "initialPoints", dv_type_vec3s, .unit = "m",
          .help = "shape without stress; the rest positions when empty"),
    FIELD(
        method, "method", dv_type_choice, .init = "large", .choices = methods,
        .help =
            "frame of an element: none, and right only of triangles in the x-y plane whose first edge lies along x "
            "(small); by the first edge and the plane, so that large strains depend on the order of the points (large); "
            "that of the rest shape, for small displacements (linear); the rotation of the deformation, with the "
            "force and stiffness of its energy (exact)"),
    FIELD(thickness, "thickness", dv_type_double, .init = "1", .unit = "m", .group = "material",
          .help = "of the membrane"),
    FIELD(plane_strain, "planeStrain", dv_type_bool, .init = "0", .group = "material",
          .help = "plane strain instead of plane stress"),
    {0},
};

static void free_elements(TriangleFEMForceField *self)
{
    element_blocks_free(&self->mesh);
    dv_free(self->block);
    dv_free(self->collapsed);
    dv_free(self->turn);
    self->block = NULL;
    self->turn = NULL;
    self->collapsed = NULL;
}

static void set_materials(TriangleFEMForceField *self, const double *rest)
{
    const double thickness = dv_data_double(&self->thickness);
    const bool plane_strain = dv_data_bool(&self->plane_strain);
    for (uint32_t i = 0; i < self->mesh.elements; i++) {
        DvVec3 p[3];
        for (uint32_t n = 0; n < 3; n++)
            p[n] = dv_vec3_load(rest + 3 * (size_t)element_blocks_point(&self->mesh, i, n));
        const ElementMaterial material = element_material(&self->materials, i);
        const double young = material.young, poisson = material.poisson;
        const double scale = thickness * dv_triangle_area(p[0], p[1], p[2]);
        TriangleBlock *block = &self->block[i / DV_LANES];
        block->lambda[i % DV_LANES] =
            scale * (plane_strain ? lame_lambda(young, poisson) : young * poisson / (1.0 - poisson * poisson));
        block->mu[i % DV_LANES] = scale * lame_mu(young, poisson);
    }
}

/* Gradients of b and c from the edges B = a b and C = a c in the frame, where B.y = 0; zero for a triangle that has lost its area. */
DV_SIMD_INLINE DvMask8 make_gradients(const DvReal8 edge[2][2], DvReal8 twice_area, DvReal8 gradient[2][2])
{
    const DvReal8 det = edge[0][0] * edge[1][1];
    const DvMask8 collapsed = ~(dv_real8_abs(det) >= DBL_EPSILON * twice_area);
    const DvReal8 inverse =
        dv_real8_select(collapsed, dv_real8(0.0), 1.0 / dv_real8_select(collapsed, dv_real8(1.0), det));
    gradient[0][0] = edge[1][1] * inverse;
    gradient[0][1] = -edge[1][0] * inverse;
    gradient[1][0] = dv_real8(0.0);
    gradient[1][1] = edge[0][0] * inverse;
    return collapsed;
}

/* Edges a b and a c of what element_blocks_load was given. */
DV_SIMD_INLINE void gather_edges(const ElementBlocks *mesh, uint32_t block, DvReal8 edge[2][3])
{
    const uint32_t *node = mesh->node + (size_t)block * 3 * DV_LANES;
    DvReal8 origin[3];
    dv_real8_gather_rows(mesh->point, node, origin);
    DV_EACH (k, 2) {
        DvReal8 point[3];
        dv_real8_gather_rows(mesh->point, node + (k + 1) * DV_LANES, point);
        dv_real8_sub(point, origin, edge[k]);
    }
}

DV_SIMD_INLINE void in_axes(const DvReal8 axis[2][3], const DvReal8 edge[2][3], DvReal8 local[2][2])
{
    DV_EACH (k, 2)
        DV_EACH (c, 2)
            local[k][c] = dv_real8_dot(axis[c], edge[k]);
}

/* The two axes of a frame that needs no more than the edges, and the edges in it. */
DV_SIMD_INLINE void frame_of_edges(TriangleMethod method, const DvReal8 edge[2][3], DvReal8 axis[2][3],
                                   DvReal8 local[2][2])
{
    if (method != TRIANGLE_SMALL) {
        DvReal8 frame[3][3];
        triangle_frame(edge[0], edge[1], frame);
        DV_EACH (c, 3) {
            axis[0][c] = frame[0][c];
            axis[1][c] = frame[1][c];
        }
    } else {
        DV_EACH (c, 3) {
            axis[0][c] = dv_real8(c == 0);
            axis[1][c] = dv_real8(c == 1);
        }
    }
    in_axes((const DvReal8(*)[3])axis, edge, local);
}

/* The rotation of the deformation gradient F, whose columns are F_0 and F_1: R = F S^-1 with S = (F^T F + d I) / t, d = det S = |F_0 x F_1|,
 * t = tr S = sqrt(tr(F^T F) + 2 d). Lanes without area, d = 0, get no axes and so no force. */
DV_SIMD_INLINE DvMask8 turn_frame(const DvReal8 edge[2][3], TriangleBlock *block, TriangleTurn *turn)
{
    DvReal8 f[2][3], normal[3], s[3];
    DV_EACH (c, 2)
        DV_EACH (i, 3)
            f[c][i] = edge[0][i] * block->gradient[0][c] + edge[1][i] * block->gradient[1][c];
    dv_real8_cross(f[0], f[1], normal);
    const DvReal8 d = dv_real8_sqrt(dv_real8_dot(normal, normal));
    const DvReal8 xx = dv_real8_dot(f[0], f[0]), yy = dv_real8_dot(f[1], f[1]);
    const DvMask8 collapsed = ~(d >= FLATTEST);
    const DvReal8 zero = {0}, safe = dv_real8_select(collapsed, dv_real8(1.0), d);
    const DvReal8 trace = dv_real8_sqrt(dv_real8_select(collapsed, dv_real8(1.0), xx + yy + 2.0 * d));
    s[0] = (xx + d) / trace;
    s[1] = (yy + d) / trace;
    s[2] = dv_real8_dot(f[0], f[1]) / trace;
    const DvReal8 inverse[3] = {s[1] / safe, s[0] / safe, -s[2] / safe};
    DV_EACH (i, 3) {
        block->axis[0][i] = dv_real8_select(collapsed, zero, f[0][i] * inverse[0] + f[1][i] * inverse[2]);
        block->axis[1][i] = dv_real8_select(collapsed, zero, f[0][i] * inverse[2] + f[1][i] * inverse[1]);
        turn->normal[i] = dv_real8_select(collapsed, zero, normal[i] / safe);
    }
    const DvReal8 two_mu = block->mu + block->mu, factor = block->lambda * (trace - 2.0) - two_mu;
    turn->spin = dv_real8_select(collapsed, zero, block->mu + factor / trace);
    turn->tilt[0] = dv_real8_select(collapsed, zero, two_mu + factor * inverse[0]);
    turn->tilt[1] = dv_real8_select(collapsed, zero, two_mu + factor * inverse[1]);
    turn->tilt[2] = dv_real8_select(collapsed, zero, factor * inverse[2]);
    return collapsed;
}

/* By the same operations as current shapes: at rest there is no force, to the last bit. */
static DvStatus set_rest_shapes(TriangleFEMForceField *self, const double *rest)
{
    element_blocks_load(&self->mesh, rest);
    for (uint32_t number = 0; number < self->mesh.blocks; number++) {
        TriangleBlock *block = &self->block[number];
        DvReal8 edge[2][3];
        gather_edges(&self->mesh, number, edge);
        frame_of_edges(self->chosen, (const DvReal8(*)[3])edge, block->axis, block->rest);
        DvReal8 normal[3];
        dv_real8_cross(edge[0], edge[1], normal);
        block->twice_area = dv_real8_sqrt(dv_real8_dot(normal, normal));
        (void)make_gradients((const DvReal8(*)[2])block->rest, block->twice_area, block->gradient);
    }
    for (uint32_t i = 0; i < self->mesh.elements; i++) {
        DvVec3 p[3];
        for (uint32_t n = 0; n < 3; n++)
            p[n] = dv_vec3_load(rest + 3 * (size_t)element_blocks_point(&self->mesh, i, n));
        const double size =
            dv_vec3_norm_squared(dv_vec3_sub(p[1], p[0])) + dv_vec3_norm_squared(dv_vec3_sub(p[2], p[0]));
        if (!(dv_triangle_area(p[0], p[1], p[2]) > 1e-14 * size))
            return dv_error(dv_object_of(self), DV_ERROR_INVALID,
                            "triangle %u has no area at rest; remove it from the mesh", i);
    }
    return DV_OK;
}

/* Forces of displacements d of b and c, into the rows of the block; lambda and mu carry the sign and the factor. */
DV_SIMD_INLINE void plane_forces(ElementBlocks *mesh, uint32_t number, const TriangleBlock *block,
                                 const DvReal8 d[2][2], const DvReal8 *lambda, const DvReal8 *mu)
{
    DvReal8 s[3] = {{0}}, f[2][3], a[3];
    DV_EACH (k, 2) {
        s[0] += block->gradient[k][0] * d[k][0];
        s[1] += block->gradient[k][1] * d[k][1];
        s[2] += block->gradient[k][1] * d[k][0] + block->gradient[k][0] * d[k][1];
    }
    const DvReal8 pressure = *lambda * (s[0] + s[1]), two_mu = *mu + *mu;
    const DvReal8 xx = pressure + two_mu * s[0], yy = pressure + two_mu * s[1], xy = *mu * s[2], none = {0};
    DV_EACH (k, 2) {
        const DvReal8 x = xx * block->gradient[k][0] + xy * block->gradient[k][1];
        const DvReal8 y = xy * block->gradient[k][0] + yy * block->gradient[k][1];
        DV_EACH (c, 3)
            f[k][c] = block->axis[0][c] * x + block->axis[1][c] * y;
    }
    DV_EACH (c, 3)
        a[c] = -(f[0][c] + f[1][c]);
    DvReal4 *rows = mesh->force + (size_t)number * DV_LANES * 3;
    dv_real8_scatter_rows(rows, 3, a, &none);
    dv_real8_scatter_rows(rows + 1, 3, f[0], &none);
    dv_real8_scatter_rows(rows + 2, 3, f[1], &none);
}

/* The frame of the current shape, and the edges in it. Whether a triangle has lost its area. */
DV_SIMD_INLINE bool update_shape(const TriangleFEMForceField *self, uint32_t number, const DvReal8 edge[2][3],
                                 DvReal8 local[2][2])
{
    TriangleBlock *block = &self->block[number];
    DvMask8 collapsed = {0};
    if (self->chosen == TRIANGLE_EXACT) {
        collapsed = turn_frame(edge, block, &self->turn[number]);
        in_axes((const DvReal8(*)[3])block->axis, edge, local);
    } else if (self->chosen == TRIANGLE_LINEAR) {
        in_axes((const DvReal8(*)[3])block->axis, edge, local);
    } else {
        frame_of_edges(self->chosen, edge, block->axis, local);
        collapsed = make_gradients((const DvReal8(*)[2])local, block->twice_area, block->gradient);
    }
    return dv_mask8_any(collapsed);
}

/* Adds what the turning of the frame gives for displacements of b and c to the rows of plane_forces(). */
DV_SIMD_INLINE void add_turning_forces(ElementBlocks *mesh, uint32_t number, const TriangleBlock *block,
                                       const TriangleTurn *turn, const DvReal8 edge[2][3], const DvReal8 d[2][2],
                                       double k)
{
    DvReal8 angle = {0}, slope[2] = {{0}, {0}}, f[2][3], a[3];
    const DvReal8 none = {0};
    DV_EACH (n, 2) {
        const DvReal8 out = dv_real8_dot(turn->normal, edge[n]);
        angle += block->gradient[n][0] * d[n][1] - block->gradient[n][1] * d[n][0];
        slope[0] += block->gradient[n][0] * out;
        slope[1] += block->gradient[n][1] * out;
    }
    const DvReal8 spin = -k * turn->spin * angle;
    const DvReal8 tilt[2] = {-k * (turn->tilt[0] * slope[0] + turn->tilt[2] * slope[1]),
                             -k * (turn->tilt[2] * slope[0] + turn->tilt[1] * slope[1])};
    DV_EACH (n, 2) {
        const DvReal8 out = tilt[0] * block->gradient[n][0] + tilt[1] * block->gradient[n][1];
        DV_EACH (c, 3)
            f[n][c] = spin * (block->gradient[n][0] * block->axis[1][c] - block->gradient[n][1] * block->axis[0][c]) +
                      out * turn->normal[c];
    }
    DV_EACH (c, 3)
        a[c] = -(f[0][c] + f[1][c]);
    DvReal4 *rows = mesh->force + (size_t)number * DV_LANES * 3;
    DvReal4 more[DV_LANES * 3];
    dv_real8_scatter_rows(more, 3, a, &none);
    dv_real8_scatter_rows(more + 1, 3, f[0], &none);
    dv_real8_scatter_rows(more + 2, 3, f[1], &none);
    for (uint32_t i = 0; i < DV_LANES * 3; i++)
        rows[i] += more[i];
}

typedef struct TriangleWork {
    TriangleFEMForceField *self;
    double k;
} TriangleWork;

DV_SIMD_CLONES static void force_chunk(void *context, uint32_t begin, uint32_t end)
{
    const TriangleWork *work = context;
    TriangleFEMForceField *self = work->self;
    for (uint32_t number = begin; number < end; number++) {
        const TriangleBlock *block = &self->block[number];
        DvReal8 edge[2][3], local[2][2], d[2][2];
        gather_edges(&self->mesh, number, edge);
        self->collapsed[number] = update_shape(self, number, (const DvReal8(*)[3])edge, local);
        DV_EACH (k, 2)
            DV_EACH (c, 2)
                d[k][c] = block->rest[k][c] - local[k][c];
        if (self->chosen == TRIANGLE_LARGE)
            d[0][1] = dv_real8(0.0);
        plane_forces(&self->mesh, number, block, (const DvReal8(*)[2])d, &block->lambda, &block->mu);
    }
}

DV_SIMD_CLONES static void dforce_chunk(void *context, uint32_t begin, uint32_t end)
{
    const TriangleWork *work = context;
    TriangleFEMForceField *self = work->self;
    for (uint32_t number = begin; number < end; number++) {
        const TriangleBlock *block = &self->block[number];
        DvReal8 edge[2][3], d[2][2];
        gather_edges(&self->mesh, number, edge);
        in_axes(block->axis, (const DvReal8(*)[3])edge, d);
        const DvReal8 lambda = block->lambda * -work->k, mu = block->mu * -work->k;
        plane_forces(&self->mesh, number, block, (const DvReal8(*)[2])d, &lambda, &mu);
        if (self->turn)
            add_turning_forces(&self->mesh, number, block, &self->turn[number], (const DvReal8(*)[3])edge,
                               (const DvReal8(*)[2])d, work->k);
    }
}

/* From here on the points keep what the field gives them, whatever number they have. */
static DvStatus follow_initial_points(TriangleFEMForceField *self)
{
    size_t given;
    const double *at = dv_data_doubles(&self->initial_points, &given);
    if (self->initial_version == dv_data_version(&self->initial_points))
        return DV_OK;
    self->initial_version = dv_data_version(&self->initial_points);
    dv_element_data_detach(&self->initial);
    if (given == 0 || self->topology.ops->point_count(self->topology.self) != given)
        return DV_OK;
    self->initial = (DvElementData){.kind = DV_POINTS, .entry_size = 3 * sizeof *at, .interpolate = true};
    const DvStatus status = dv_element_data_attach(&self->initial, self->topology.object);
    if (status == DV_OK)
        memcpy(self->initial.entries, at, given * self->initial.entry_size);
    return status;
}

/* Where the shape without stress is. */
static DvStatus initial_shape(TriangleFEMForceField *self, uint32_t points, const double **shape)
{
    if (self->initial.topology && self->initial.count == points) {
        *shape = self->initial.entries;
        return DV_OK;
    }
    size_t given;
    *shape = dv_data_doubles(&self->initial_points, &given);
    if (!self->initial.topology && given == points && given > 0)
        return DV_OK;
    DvConstVec rest;
    const DvStatus status = state_at_rest(dv_object_of(self), self->base.state, &rest);
    *shape = rest.at;
    return status;
}

static DvStatus build(TriangleFEMForceField *self)
{
    free_elements(self);
    self->structure++;
    DvElements triangles = dv_topology_elements(&self->topology, DV_TRIANGLES);
    uint32_t *cut = NULL;
    if (self->from_quads) {
        const DvElements quads = dv_topology_elements(&self->topology, DV_QUADS);
        triangles.at = cut = dv_alloc((size_t)quads.count * 2, 3 * sizeof *cut);
        triangles.count = 2 * quads.count;
        for (uint32_t i = 0; i < quads.count; i++) {
            const uint32_t *q = quads.at + 4 * (size_t)i;
            memcpy(cut + 6 * (size_t)i, (const uint32_t[6]){q[0], q[1], q[2], q[0], q[2], q[3]}, 6 * sizeof *cut);
        }
    }
    const uint32_t points = dv_state_count(self->base.state);
    self->chosen = (TriangleMethod)dv_data_choice(&self->method);
    DvStatus status = element_materials_agree(&self->materials, triangles.count);
    if (status == DV_OK)
        status =
            element_blocks_build(&self->mesh, dv_object_of(self), "triangle", points, 3, triangles.count, triangles.at);
    dv_free(cut);
    const double *rest = NULL;
    if (status == DV_OK)
        status = initial_shape(self, points, &rest);
    if (status == DV_OK) {
        self->block = dv_alloc(self->mesh.blocks, sizeof *self->block);
        self->collapsed = dv_alloc(self->mesh.blocks, sizeof *self->collapsed);
        if (self->chosen == TRIANGLE_EXACT)
            self->turn = dv_alloc(self->mesh.blocks, sizeof *self->turn);
        status = set_rest_shapes(self, rest);
        if (status == DV_OK) {
            set_materials(self, rest);
            /* Frames and gradients of the rest shape, should a product be asked for before a force. */
            TriangleWork work = {self, 1.0};
            force_chunk(&work, 0, self->mesh.blocks);
        }
    }
    if (status != DV_OK)
        free_elements(self);
    return status;
}

/* Method small is right of triangles in the x-y plane whose first edge lies along x. */
static void warn_of_small(TriangleFEMForceField *self)
{
    uint32_t wrong = 0, first = 0;
    const double *shape = NULL;
    if (self->chosen != TRIANGLE_SMALL || initial_shape(self, self->mesh.points, &shape) != DV_OK)
        return;
    for (uint32_t i = 0; i < self->mesh.elements; i++) {
        DvVec3 p[3];
        for (uint32_t n = 0; n < 3; n++)
            p[n] = dv_vec3_load(shape + 3 * (size_t)element_blocks_point(&self->mesh, i, n));
        const DvVec3 b = dv_vec3_sub(p[1], p[0]), c = dv_vec3_sub(p[2], p[0]);
        if (fmax(fmax(fabs(b.y), fabs(b.z)), fabs(c.z)) > 1e-6 * (dv_vec3_norm(b) + dv_vec3_norm(c)) && wrong++ == 0)
            first = i;
    }
    if (wrong > 0)
        dv_field_warning(
            &self->method, -1,
            "the forces of %u of %u triangles are wrong, first of triangle %u: 'small' needs them in the x-y "
            "plane, each with its first edge along x; use 'linear'",
            wrong, self->mesh.elements, first);
}

static DvStatus reinit(DvObject *object, void *self_)
{
    (void)object;
    TriangleFEMForceField *self = self_;
    element_materials_read(&self->materials);
    DvStatus status = follow_initial_points(self);
    if (status == DV_OK)
        status = build(self);
    if (status != DV_OK)
        single_state_release(&self->base);
    return status;
}

static DvStatus init(DvObject *object, void *self_)
{
    TriangleFEMForceField *self = self_;
    DvStatus status = single_state_init(object, &self->base);
    if (status == DV_OK)
        status = dv_topology_require(object, &self->topology_link, "a container of triangles", &self->topology);
    if (status == DV_OK && dv_topology_elements(&self->topology, DV_TRIANGLES).count == 0 &&
        dv_topology_elements(&self->topology, DV_QUADS).count == 0)
        dv_warning(object, "the topology '%s' has neither triangles nor quads", dv_object_path(self->topology.object));
    size_t given;
    dv_data_doubles(&self->initial_points, &given);
    if (status == DV_OK && given > 0 && given != dv_state_count(self->base.state))
        status = dv_field_error(&self->initial_points, -1, "holds %zu points, the state has %u", given,
                                dv_state_count(self->base.state));
    if (status == DV_OK) {
        self->from_quads = dv_topology_elements(&self->topology, DV_TRIANGLES).count == 0 &&
                           dv_topology_elements(&self->topology, DV_QUADS).count > 0;
        self->initial_version = 0;
        status = element_materials_attach(&self->materials, &self->material, NULL, self->topology.object,
                                          self->from_quads ? DV_QUADS : DV_TRIANGLES, self->from_quads ? 2 : 1);
    }
    if (status != DV_OK) {
        single_state_release(&self->base);
        return status;
    }
    status = reinit(object, self);
    if (status == DV_OK)
        warn_of_small(self);
    return status;
}

static void cleanup(DvObject *object, void *self_)
{
    (void)object;
    TriangleFEMForceField *self = self_;
    element_materials_detach(&self->materials);
    dv_element_data_detach(&self->initial);
    single_state_release(&self->base);
    dv_topology_release(&self->topology);
}

static void destroy(DvObject *object, void *self_)
{
    (void)object;
    free_elements(self_);
}

/* Twice the area of a triangle in the x-y plane, as the formula of method small has it, which takes B.y for 0, or as it is. */
static double plane_area(DvVec3 b, DvVec3 c, bool by_formula)
{
    return by_formula ? b.x * c.y : b.x * c.y - b.y * c.x;
}

/* Once: a triangle that has lost its area pulls at nothing until it opens again. */
static void warn_of_collapse(TriangleFEMForceField *self, const double *x)
{
    for (uint32_t i = 0; i < self->mesh.elements; i++) {
        DvVec3 p[3];
        for (uint32_t n = 0; n < 3; n++)
            p[n] = dv_vec3_load(x + 3 * (size_t)element_blocks_point(&self->mesh, i, n));
        const DvVec3 b = dv_vec3_sub(p[1], p[0]), c = dv_vec3_sub(p[2], p[0]);
        const bool small = self->chosen == TRIANGLE_SMALL;
        const double det = small ? plane_area(b, c, true) : 2.0 * dv_triangle_area(p[0], p[1], p[2]);
        const double least = (self->chosen == TRIANGLE_EXACT ? 1.001 * FLATTEST : DBL_EPSILON) *
                             self->block[i / DV_LANES].twice_area[i % DV_LANES];
        if (fabs(det) >= least)
            continue;
        if (small && fabs(plane_area(b, c, false)) >= least)
            dv_warning(
                dv_object_of(self),
                "triangle %u has no force: method 'small' divides by the extent of its first edge along x, which is "
                "0; use 'linear'",
                i);
        else
            dv_warning(dv_object_of(self), "triangle %u has lost its area%s; it has no force while it has none", i,
                       small ? " in the x-y plane (method 'small' knows no other; use 'linear')" : "");
        self->warned = true;
        return;
    }
}

static void add_force(void *self_, const DvStep *step, const DvConstVec *x, const DvConstVec *v, const DvVec *f)
{
    (void)step;
    (void)v;
    TriangleFEMForceField *self = self_;
    if ((dv_topology_changed(&self->topology) || x->count != self->mesh.points) && build(self) != DV_OK)
        return;
    TriangleWork work = {self, 1.0};
    element_blocks_load(&self->mesh, x->at);
    dv_parallel_for(self->mesh.blocks, BLOCKS_PER_CHUNK, force_chunk, &work);
    element_blocks_accumulate(&self->mesh, f);
    for (uint32_t number = 0; !self->warned && number < self->mesh.blocks; number++)
        if (self->collapsed[number])
            warn_of_collapse(self, x->at);
}

static void add_dforce(void *self_, const DvStep *step, double k, double b, const DvConstVec *dx, const DvVec *df)
{
    (void)step;
    (void)b;
    TriangleFEMForceField *self = self_;
    if (dx->count != self->mesh.points)
        return;
    TriangleWork work = {self, k};
    element_blocks_load(&self->mesh, dx->at);
    dv_parallel_for(self->mesh.blocks, BLOCKS_PER_CHUNK, dforce_chunk, &work);
    element_blocks_accumulate(&self->mesh, df);
}

static void reserve(void *self_, DvPattern *pattern)
{
    TriangleFEMForceField *self = self_;
    element_blocks_reserve(&self->mesh, pattern);
}

/* block += spin w_n w_m^T + (g_n . tilt g_m) z z^T, see TriangleTurn. */
static void add_turning_block(const TriangleTurn *turn, uint32_t lane, const double g[2][2], const double axis[2][3],
                              double block[9])
{
    const double spin = turn->spin[lane];
    const double tilt = g[0][0] * (turn->tilt[0][lane] * g[1][0] + turn->tilt[2][lane] * g[1][1]) +
                        g[0][1] * (turn->tilt[2][lane] * g[1][0] + turn->tilt[1][lane] * g[1][1]);
    double w[2][3];
    for (int side = 0; side < 2; side++)
        for (int c = 0; c < 3; c++)
            w[side][c] = g[side][0] * axis[1][c] - g[side][1] * axis[0][c];
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            block[3 * r + c] += spin * w[0][r] * w[1][c] + tilt * turn->normal[r][lane] * turn->normal[c][lane];
}

/* block += lambda G_n G_m^T + mu G_m G_n^T + mu (G_n . G_m) P of one triangle; P projects onto its plane. */
static void add_plane_block(const TriangleFEMForceField *self, uint32_t element, uint32_t n, uint32_t m,
                            double block[9])
{
    const TriangleBlock *b = &self->block[element / DV_LANES];
    const uint32_t lane = element % DV_LANES;
    const double lambda = b->lambda[lane], mu = b->mu[lane];
    double g[2][2], world[2][3], axis[2][3];
    for (int c = 0; c < 3; c++)
        for (int a = 0; a < 2; a++)
            axis[a][c] = b->axis[a][c][lane];
    for (int side = 0; side < 2; side++) {
        const uint32_t node = side == 0 ? n : m;
        for (int c = 0; c < 2; c++)
            g[side][c] =
                node > 0 ? b->gradient[node - 1][c][lane] : -(b->gradient[0][c][lane] + b->gradient[1][c][lane]);
        for (int c = 0; c < 3; c++)
            world[side][c] = axis[0][c] * g[side][0] + axis[1][c] * g[side][1];
    }
    const double dot = mu * (g[0][0] * g[1][0] + g[0][1] * g[1][1]);
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            block[3 * r + c] += lambda * world[0][r] * world[1][c] + mu * world[1][r] * world[0][c] +
                                dot * (axis[0][r] * axis[0][c] + axis[1][r] * axis[1][c]);
    if (self->turn)
        add_turning_block(&self->turn[element / DV_LANES], lane, (const double(*)[2])g, (const double(*)[3])axis,
                          block);
}

typedef struct AssembleWork {
    const TriangleFEMForceField *self;
    const DvMatrixView *view;
    double factor;
} AssembleWork;

static void diagonal_chunk(void *context, uint32_t begin, uint32_t end)
{
    const AssembleWork *work = context;
    const ElementBlocks *mesh = &work->self->mesh;
    for (uint32_t p = begin; p < end; p++) {
        double block[9] = {0};
        for (uint32_t e = mesh->start[p]; e < mesh->start[p + 1]; e++)
            add_plane_block(work->self, mesh->entry[e] / 3, mesh->entry[e] % 3, mesh->entry[e] % 3, block);
        add_block3(work->view, p, block, work->factor);
    }
}

static void pair_chunk(void *context, uint32_t begin, uint32_t end)
{
    const AssembleWork *work = context;
    const ElementBlocks *mesh = &work->self->mesh;
    for (uint32_t k = begin; k < end; k++) {
        double block[9] = {0};
        for (uint32_t e = mesh->pair_start[k]; e < mesh->pair_start[k + 1]; e++)
            add_plane_block(work->self, mesh->pair_entry[e] >> 6, mesh->pair_entry[e] >> 3 & 7, mesh->pair_entry[e] & 7,
                            block);
        add_block3(work->view, mesh->points + 2 * k, block, work->factor);
        add_block3_transposed(work->view, mesh->points + 2 * k + 1, block, work->factor);
    }
}

static void assemble(void *self_, const DvStep *step, double k, double b, const DvMatrixView *view)
{
    (void)step;
    (void)b;
    TriangleFEMForceField *self = self_;
    AssembleWork work = {self, view, -k};
    dv_parallel_for(self->mesh.points, POINTS_PER_CHUNK, diagonal_chunk, &work);
    dv_parallel_for(self->mesh.pairs, PAIRS_PER_CHUNK, pair_chunk, &work);
}

static uint64_t structure(void *self_)
{
    return ((const TriangleFEMForceField *)self_)->structure;
}

static uint64_t matrix_version(void *self_)
{
    const TriangleFEMForceField *self = self_;
    return self->chosen == TRIANGLE_LINEAR ? self->structure : 0;
}

static double stiffness_bound(const TriangleFEMForceField *self)
{
    double largest = 0.0;
    for (uint32_t i = 0; i < self->mesh.elements; i++) {
        double trace = 0.0;
        for (uint32_t n = 0; n < 3; n++) {
            double block[9] = {0};
            add_plane_block(self, i, n, n, block);
            trace += block[0] + block[4] + block[8];
        }
        largest = fmax(largest, trace);
    }
    return sqrt(largest);
}

static double explain(void *self_, const DvFault *fault, DvText *cause, DvText *remedy)
{
    const TriangleFEMForceField *self = self_;
    return single_state_is_concerned(&self->base, fault)
               ? explain_elements(self, fault, stiffness_bound(self), UINT32_MAX, cause, remedy)
               : 0.0;
}

DV_SIMD_CLONES static double energy_chunk(void *context, uint32_t begin, uint32_t end)
{
    const TriangleFEMForceField *self = context;
    double energy = 0.0;
    for (uint32_t number = begin; number < end; number++) {
        TriangleBlock block = self->block[number];
        TriangleTurn turn;
        DvReal8 edge[2][3], local[2][2], s[3] = {{0}};
        gather_edges(&self->mesh, number, edge);
        (void)make_gradients((const DvReal8(*)[2])block.rest, block.twice_area, block.gradient);
        if (self->chosen == TRIANGLE_EXACT)
            (void)turn_frame((const DvReal8(*)[3])edge, &block, &turn);
        else if (self->chosen == TRIANGLE_LARGE)
            frame_of_edges(self->chosen, (const DvReal8(*)[3])edge, block.axis, local);
        in_axes((const DvReal8(*)[3])block.axis, (const DvReal8(*)[3])edge, local);
        DV_EACH (k, 2) {
            s[0] += block.gradient[k][0] * (local[k][0] - block.rest[k][0]);
            s[1] += block.gradient[k][1] * (local[k][1] - block.rest[k][1]);
            s[2] += block.gradient[k][1] * (local[k][0] - block.rest[k][0]) +
                    block.gradient[k][0] * (local[k][1] - block.rest[k][1]);
        }
        const DvReal8 trace = s[0] + s[1];
        const DvReal8 density =
            block.lambda * trace * trace + block.mu * (2.0 * (s[0] * s[0] + s[1] * s[1]) + s[2] * s[2]);
        DV_EACH (lane, DV_LANES)
            energy += 0.5 * density[lane];
    }
    return energy;
}

/* In the frames of x. */
static double energy(void *self_, const DvStep *step, const DvConstVec *x)
{
    (void)step;
    TriangleFEMForceField *self = self_;
    if (x->count != self->mesh.points)
        return 0.0;
    element_blocks_load(&self->mesh, x->at);
    return dv_parallel_sum(self->mesh.blocks, BLOCKS_PER_CHUNK, energy_chunk, self);
}

static const DvFaultCauseOps cause_ops = {.size = sizeof cause_ops, .explain = explain};

static void cost(void *self_, double *product, double *assembly)
{
    const double elements = ((const TriangleFEMForceField *)self_)->mesh.elements;
    *product =
        cost_triangle_product * elements * cache_penalty(cost_triangle_bytes * elements, cost_triangle_product_beyond);
    *assembly = cost_triangle_assembly * elements;
}

static const DvForceFieldOps ops = {
    .size = sizeof ops,
    .states = single_state_states,
    .add_force = add_force,
    .add_dforce = add_dforce,
    .reserve = reserve,
    .assemble = assemble,
    .structure = structure,
    .matrix_version = matrix_version,
    .energy = energy,
    .cost = cost,
};

static void draw(void *self_, DvDraw *target)
{
    TriangleFEMForceField *self = self_;
    static const uint8_t face[1][3] = {{0, 1, 2}};
    static const double color[1][4] = {{0.0, 1.0, 0.0, 1.0}};
    if (!dv_draw_shows(target, DV_DISPLAY_FORCE_FIELDS) || !self->base.state.ops)
        return;
    const DvConstVec x = dv_state_read(self->base.state, DV_POSITION);
    if (x.count == self->mesh.points)
        element_blocks_draw(&self->mesh, target, x.at, face, 1, 0.0, color, 1);
}

static const DvDrawableOps drawable = {.size = sizeof drawable, .draw = draw};

const DvClass dv_triangle_fem_force_field = {
    .size = sizeof(DvClass),
    .name = "TriangleFEMForceField",
    .variants = "Vec3d",
    .variant_rule = DV_VARIANT_OF_ALL,
    .sources = single_state_sources,
    .bases = (const char *const[]){"ForceField", "BaseLinearElasticityFEMForceField", NULL},
    .family = "force fields",
    .module = "Sofa.Component.SolidMechanics.FEM.Elastic",
    .help = "Linear elastic membranes of triangles, with large rotations.",
    .instance_size = sizeof(TriangleFEMForceField),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_FORCE_FIELD, .ops = &ops},
                                      {.id = DV_FAULT_CAUSE, .ops = &cause_ops},
                                      {.id = DV_DRAWABLE, .ops = &drawable},
                                      {0}},
    .init = init,
    .reinit = reinit,
    .cleanup = cleanup,
    .destroy = destroy,
};
