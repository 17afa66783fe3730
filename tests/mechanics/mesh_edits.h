/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * For tests of what hangs on a mesh: after any edits its forces and products are those of a mesh that is loaded as it is then.
 */
#ifndef DIVAN_TESTS_MESH_EDITS_H
#define DIVAN_TESTS_MESH_EDITS_H

#include "force_at.h"

#include <divan/contracts/topology.h>

/* A sheet of 6 x 6 points, jittered, as edges, triangles or quads; or a block of 4 x 4 x 4 points, as hexahedra. */
typedef struct EditedMesh {
    DvScene *scene;
    DvElementKind kind;
    const char *component; /* <Class name='field' .../> */
    uint32_t random;
    bool frames; /* rigid frames instead of points */
} EditedMesh;

static inline uint32_t coordinates_of(const EditedMesh *mesh)
{
    return mesh->frames ? 7 : 3;
}

static inline uint32_t freedoms_of(const EditedMesh *mesh)
{
    return mesh->frames ? 6 : 3;
}

static inline uint32_t edit_random(EditedMesh *mesh, uint32_t below)
{
    mesh->random = mesh->random * 1664525u + 1013904223u;
    return (uint32_t)(((uint64_t)mesh->random * below) >> 32);
}

static inline const char *set_name(DvElementKind kind)
{
    return kind == DV_TRIANGLES    ? "Triangle"
           : kind == DV_QUADS      ? "Quad"
           : kind == DV_EDGES      ? "Edge"
           : kind == DV_TETRAHEDRA ? "Tetrahedron"
                                   : "Hexahedron";
}

static inline const char *list_name(DvElementKind kind)
{
    return kind == DV_TRIANGLES    ? "triangles"
           : kind == DV_QUADS      ? "quads"
           : kind == DV_EDGES      ? "edges"
           : kind == DV_TETRAHEDRA ? "tetrahedra"
                                   : "hexahedra";
}

static inline void add_vector(DvText *text, const char *name, const double *at, size_t count)
{
    dv_text_add(text, " %s='", name);
    for (size_t i = 0; i < count; i++)
        dv_text_add(text, "%.17g ", at[i]);
    dv_text_add(text, "'");
}

static inline DvScene *scene_of_mesh(const EditedMesh *mesh, const uint32_t *elements, uint32_t count, const double *x,
                                     const double *rest, const double *v, uint32_t points)
{
    DvText text = {0};
    const size_t coordinates = coordinates_of(mesh);
    dv_text_add(&text, "<Node><%sSetTopologyContainer name='topo' position='", set_name(mesh->kind));
    for (size_t i = 0; i < 3 * (size_t)points; i++)
        dv_text_add(&text, "%.17g ", rest[i / 3 * coordinates + i % 3]);
    dv_text_add(&text, "' %s='", list_name(mesh->kind));
    for (size_t i = 0; i < (size_t)count * dv_element_nodes(mesh->kind); i++)
        dv_text_add(&text, "%u ", elements[i]);
    dv_text_add(&text, "'/><%sSetTopologyModifier name='modifier'/><MechanicalObject name='dofs' template='%s'",
                set_name(mesh->kind), mesh->frames ? "Rigid3d" : "Vec3d");
    add_vector(&text, "position", x, coordinates * points);
    add_vector(&text, "rest_position", rest, coordinates * points);
    add_vector(&text, "velocity", v, (size_t)freedoms_of(mesh) * points);
    dv_text_add(&text, "/>%s</Node>", mesh->component);
    DvScene *scene = scene_from_text(text.at);
    dv_text_free(&text);
    return scene;
}

/* Of a frame, a quaternion of length 1 that turns it a little. */
static inline void turn_frame(EditedMesh *mesh, double q[4])
{
    double square = 0.0;
    for (uint32_t c = 0; c < 4; c++) {
        q[c] = c < 3 ? 0.002 * edit_random(mesh, 201) - 0.2 : 1.0;
        square += q[c] * q[c];
    }
    for (uint32_t c = 0; c < 4; c++)
        q[c] /= sqrt(square);
}

static inline void start_mesh(EditedMesh *mesh)
{
    const DvElementKind kind = mesh->kind;
    const uint32_t n = kind == DV_HEXAHEDRA ? 4 : 6, layers = kind == DV_HEXAHEDRA ? 4 : 1;
    const uint32_t coordinates = coordinates_of(mesh), freedoms = freedoms_of(mesh);
    double x[7 * 64], rest[7 * 64], v[6 * 64] = {0.0};
    uint32_t list[512], count = 0;
    for (uint32_t p = 0; p < n * n * layers; p++) {
        for (uint32_t c = 0; c < 3; c++) {
            const uint32_t at[3] = {p % n, p / n % n, p / (n * n)};
            rest[coordinates * p + c] = at[c] + 0.0005 * edit_random(mesh, 201);
            x[coordinates * p + c] = rest[coordinates * p + c] + 0.001 * edit_random(mesh, 201) - 0.1;
            v[freedoms * p + c] = 0.01 * edit_random(mesh, 201) - 1.0;
        }
        if (mesh->frames) {
            turn_frame(mesh, rest + 7 * p + 3);
            turn_frame(mesh, x + 7 * p + 3);
        }
    }
    for (uint32_t z = 0; z + (layers > 1) < layers; z++)
        for (uint32_t y = 0; y + 1 < n; y++)
            for (uint32_t i = 0; i + 1 < n; i++) {
                const uint32_t a = i + n * (y + n * z), b = a + 1, c = a + n + 1, d = a + n, up = n * n;
                const uint32_t quad[8] = {a, b, c, d, a + up, b + up, c + up, d + up};
                const uint32_t triangles[6] = {a, b, c, a, c, d}, edges[4] = {a, b, a, d};
                const uint32_t *from = kind == DV_TRIANGLES ? triangles : kind == DV_EDGES ? edges : quad;
                const uint32_t numbers = kind == DV_TRIANGLES ? 6 : kind == DV_HEXAHEDRA ? 8 : 4;
                memcpy(list + count, from, numbers * sizeof *list);
                count += numbers;
            }
    mesh->scene = scene_of_mesh(mesh, list, count / dv_element_nodes(kind), x, rest, v, n * n * layers);
}

static inline void edited_mesh_start(EditedMesh *mesh, DvElementKind kind, const char *component)
{
    *mesh = (EditedMesh){.kind = kind, .component = component, .random = 7};
    start_mesh(mesh);
}

static inline DvElements edited_elements(const EditedMesh *mesh)
{
    DvObject *topology = scene_object(mesh->scene, "/topo");
    const DvTopologyOps *ops = dv_object_ops(topology, DV_TOPOLOGY);
    return ops->elements(dv_object_self(topology), mesh->kind);
}

/* Force, then product of the displacements sin(i). */
static inline void force_and_product(DvScene *scene, Forces *force, Forces *product)
{
    forces_at_time(scene, 0.0, force);
    DvObject *field = scene_object(scene, "/field");
    const DvForceFieldOps *ops = field_ops(field);
    const DvStateRef state = scene_state(scene, "/dofs");
    const uint32_t points = dv_state_count(state), freedoms = state.dof->deriv;
    static double at[3000];
    for (uint32_t i = 0; i < freedoms * points; i++)
        at[i] = sin(i);
    memset(product, 0, sizeof *product);
    const DvStep step = {.dt = 0.01, .position = DV_POSITION, .velocity = DV_VELOCITY};
    const DvConstVec dx[2] = {{at, points, freedoms}, {at, points, freedoms}};
    const DvVec df[2] = {{product->at[0], points, freedoms}, {product->at[0], points, freedoms}};
    ops->add_dforce(dv_object_self(field), &step, 0.7, 0.3, dx, df);
}

static inline void expect_as_loaded(const EditedMesh *mesh, double tolerance)
{
    const DvStateRef state = scene_state(mesh->scene, "/dofs");
    const DvElements elements = edited_elements(mesh);
    const DvConstVec x = dv_state_read(state, DV_POSITION), rest = dv_state_read(state, DV_REST_POSITION);
    DvScene *fresh =
        scene_of_mesh(mesh, elements.at, elements.count, x.at, rest.at, dv_state_read(state, DV_VELOCITY).at, x.count);
    static Forces f[2], df[2];
    force_and_product(mesh->scene, &f[0], &df[0]);
    force_and_product(fresh, &f[1], &df[1]);
    double largest[2] = {0.0, 0.0};
    for (uint32_t i = 0; i < freedoms_of(mesh) * x.count; i++) {
        largest[0] = fmax(largest[0], fabs(f[1].at[0][i]));
        largest[1] = fmax(largest[1], fabs(df[1].at[0][i]));
    }
    for (uint32_t i = 0; i < freedoms_of(mesh) * x.count; i++) {
        assert_close(f[0].at[0][i], f[1].at[0][i], tolerance * largest[0]);
        assert_close(df[0].at[0][i], df[1].at[0][i], tolerance * largest[1]);
    }
    dv_scene_free(fresh);
}

/* Removals one by one and several at once, with their isolated points; elements put back; points renumbered. */
static inline void edit_at_random(EditedMesh *mesh)
{
    DvObject *modifier = scene_object(mesh->scene, "/modifier");
    const DvTopologyModifierOps *ops = dv_object_ops(modifier, DV_TOPOLOGY_MODIFIER);
    void *self = dv_object_self(modifier);
    const DvElements elements = edited_elements(mesh);
    const uint32_t nodes = dv_element_nodes(mesh->kind), what = edit_random(mesh, 4);
    if (what < 2 && elements.count > 8) {
        uint32_t gone[4];
        const uint32_t count = what == 0 ? 1 : 4;
        for (uint32_t i = 0; i < count; i++)
            gone[i] = edit_random(mesh, elements.count);
        assert_int_equal(ops->remove_elements(self, mesh->kind, count, gone, true), DV_OK);
    } else if (what == 2) { /* takes one out without its parts, and puts it back */
        uint32_t kept[8];
        const uint32_t one = edit_random(mesh, elements.count);
        memcpy(kept, elements.at + (size_t)one * nodes, nodes * sizeof *kept);
        assert_int_equal(ops->remove_elements(self, mesh->kind, 1, &one, false), DV_OK);
        assert_int_equal(ops->add_elements(self, mesh->kind, 1, kept, NULL), DV_OK);
    } else {
        const uint32_t points = dv_state_count(scene_state(mesh->scene, "/dofs"));
        uint32_t order[100];
        for (uint32_t i = 0; i < points; i++)
            order[i] = i;
        for (uint32_t i = points; i > 1; i--) {
            const uint32_t j = edit_random(mesh, i), swapped = order[i - 1];
            order[i - 1] = order[j];
            order[j] = swapped;
        }
        assert_int_equal(ops->renumber_points(self, order), DV_OK);
    }
}

static inline void follow_edits(EditedMesh *mesh, int edits)
{
    expect_as_loaded(mesh, 1e-12);
    for (int i = 0; i < edits; i++) {
        edit_at_random(mesh);
        if (i % 3 == 2) /* several changes between two forces */
            expect_as_loaded(mesh, 1e-12);
    }
    dv_scene_free(mesh->scene);
}

/* The forces of the component "/field" follow `edits` edits of its mesh. */
static inline void forces_follow_edits(DvElementKind kind, const char *component, int edits)
{
    EditedMesh mesh;
    edited_mesh_start(&mesh, kind, component);
    follow_edits(&mesh, edits);
}

/* The same where the points are rigid frames. */
static inline void forces_on_frames_follow_edits(DvElementKind kind, const char *component, int edits)
{
    EditedMesh mesh = {.kind = kind, .component = component, .random = 7, .frames = true};
    start_mesh(&mesh);
    follow_edits(&mesh, edits);
}

#endif
