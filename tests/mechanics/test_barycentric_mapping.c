/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * BarycentricMapping on each kind of mesh, and what only it promises.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <divan/contracts/mapping.h>
#include <divan/contracts/report.h>
#include <divan/contracts/topology.h>
#include <divan/math/decompose.h>
#include <divan/math/rigid.h>
#include <divan/parallel.h>

#include "mapping_conformance.h"
#include "scene_text.h"

#define CUBE       "0 0 0  1 0 0  1 1 0  0 1 0  0 0 1  1 0 1  1 1 1  0 1 1"
#define TETRAHEDRA "tetrahedra='0 5 1 6  0 1 3 6  1 3 6 2  6 3 0 7  6 7 0 5  7 5 4 0'"
#define POINTS     "0.2 0.3 0.4  0.9 0.1 0.5  1.2 0.5 0.5  0.5 0.5 -0.3"

#define ON(topology, out, points, attributes)                                                                   \
    "<Node name='root'>\n" topology "\n<MechanicalObject name='parent' template='Vec3d'/>\n<Node name='Child'>" \
    "<MechanicalObject name='mapped' template='" out "' position='" points                                      \
    "'/>\n<BarycentricMapping name='map' " attributes "/></Node></Node>"
#define SET(kind, elements) "<" kind "SetTopologyContainer name='mesh' position='" CUBE "' " elements "/>"
#define MESH(elements)      "<MeshTopology name='mesh' position='" CUBE "' " elements "/>"
#define GRID                "<RegularGridTopology name='mesh' n='3 4 3' min='0 0 0' max='1 1 1'/>"
#define FLAT_CUBE           "quads='0 1 2 3  0 1 5 4'"

#define LINEAR .geometric_stiffness = GEOMETRIC_LEFT_OUT, .reason = "the mapping is linear"

MAPPING_CONFORMANCE(a_regular_grid, .scene = ON(GRID, "Vec3d", POINTS, ""), LINEAR)
MAPPING_CONFORMANCE(a_mesh_of_tetrahedra, .scene = ON(MESH(TETRAHEDRA), "Vec3d", POINTS, ""), LINEAR)
MAPPING_CONFORMANCE(a_mesh_of_hexahedra, .scene = ON(MESH("hexahedra='0 1 2 3 4 5 6 7'"), "Vec3d", POINTS, ""), LINEAR)
MAPPING_CONFORMANCE(a_mesh_of_triangles_and_quads,
                    .scene = ON(MESH("triangles='0 1 2  0 2 3' quads='4 5 6 7'"), "Vec3d", POINTS, ""), LINEAR)
MAPPING_CONFORMANCE(a_mesh_of_edges, .scene = ON(MESH("edges='0 1 1 2 2 3'"), "Vec3d", POINTS, ""), LINEAR)
MAPPING_CONFORMANCE(a_set_of_tetrahedra, .scene = ON(SET("Tetrahedron", TETRAHEDRA), "Vec3d", POINTS, ""), LINEAR)
MAPPING_CONFORMANCE(a_set_of_hexahedra,
                    .scene = ON(SET("Hexahedron", "hexahedra='0 1 2 3 4 5 6 7'"), "Vec3d", POINTS, ""), LINEAR)
MAPPING_CONFORMANCE(a_set_of_triangles, .scene = ON(SET("Triangle", "triangles='0 1 2 0 2 3'"), "Vec3d", POINTS, ""),
                    LINEAR)
MAPPING_CONFORMANCE(a_set_of_quads, .scene = ON(SET("Quad", FLAT_CUBE), "Vec3d", POINTS, ""), LINEAR)
MAPPING_CONFORMANCE(a_set_of_edges, .scene = ON(SET("Edge", "edges='0 1 1 2'"), "Vec3d", POINTS, ""), LINEAR)

#define FRAMES "0.2 0.3 0.4 0 0 0 1  0.9 0.1 0.5 0.5 0.5 0.5 0.5  0.4 0.4 0.4 0 0.6 0 0.8"

MAPPING_CONFORMANCE(bodies_that_keep_their_orientation, .scene = ON(MESH(TETRAHEDRA), "Rigid3d", FRAMES, ""), LINEAR)
MAPPING_CONFORMANCE(bodies_that_turn_with_their_tetrahedron,
                    .scene = ON(SET("Tetrahedron", TETRAHEDRA), "Rigid3d", FRAMES, ""),
                    .geometric_stiffness = GEOMETRIC_LEFT_OUT,
                    .reason = "the second derivative of the polar decomposition is left out")

static const DvMappingOps *mapping_of(const DvScene *scene, void **self)
{
    DvObject *map = scene_object(scene, "/Child/map");
    *self = dv_object_self(map);
    return dv_object_ops(map, DV_MAPPING);
}

/* Applies the mapping to the parent's positions moved by F x + t; the output must have moved likewise. */
static void assert_affine(const DvScene *scene, const double *points, uint32_t count)
{
    void *self;
    const DvMappingOps *ops = mapping_of(scene, &self);
    const DvMat3 f = {{{1.1, 0.2, 0}, {-0.3, 0.9, 0.1}, {0, 0.2, 1.2}}};
    const DvVec3 t = dv_vec3(5, -1, 2);
    const DvVec x = dv_state_write(scene_state(scene, "/parent"), DV_POSITION, DV_READ_WRITE);
    for (uint32_t i = 0; i < x.count; i++)
        dv_vec3_store(dv_vec3_add(dv_mat3_mul_vec(f, dv_vec3_load(x.at + 3 * i)), t), x.at + 3 * i);
    const DvVec y = dv_state_write(scene_state(scene, "/Child/mapped"), DV_POSITION, DV_READ_WRITE);
    ops->apply(self, NULL, &(DvConstVec){x.at, x.count, 3}, &y);
    assert_int_equal(y.count, count);
    for (uint32_t i = 0; i < count; i++) {
        const DvVec3 expected = dv_vec3_add(dv_mat3_mul_vec(f, dv_vec3_load(points + 3 * i)), t);
        if (!(dv_vec3_distance(expected, dv_vec3_load(y.at + (size_t)i * y.dim)) < 1e-13))
            fail_msg("point %u is %g off", i, dv_vec3_distance(expected, dv_vec3_load(y.at + (size_t)i * y.dim)));
    }
}

static void affine_motions_of_a_volume_are_followed_exactly(void **state)
{
    (void)state;
    const double points[12] = {0.2, 0.3, 0.4, 0.9, 0.1, 0.5, 1.2, 0.5, 0.5, 0.5, 0.5, -0.3};
    const char *scenes[] = {ON(GRID, "Vec3d", POINTS, ""), ON(MESH(TETRAHEDRA), "Vec3d", POINTS, ""),
                            ON(SET("Tetrahedron", TETRAHEDRA), "Vec3d", POINTS, ""),
                            ON(SET("Hexahedron", "hexahedra='0 1 2 3 4 5 6 7'"), "Vec3d", POINTS, ""),
                            ON(MESH("hexahedra='0 1 2 3 4 5 6 7'"), "Vec3d", POINTS, "")};
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        DvScene *scene = scene_from_text(scenes[i]);
        assert_affine(scene, points, 4);
        dv_scene_free(scene);
    }
}

static void bodies_turn_by_the_polar_rotation_of_their_tetrahedron(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(ON(SET("Tetrahedron", TETRAHEDRA), "Rigid3d", FRAMES, ""));
    void *self;
    const DvMappingOps *ops = mapping_of(scene, &self);
    const DvStateRef mapped = scene_state(scene, "/Child/mapped");
    const DvQuat turn = dv_quat_from_axis_angle(dv_vec3(1, -2, 0.5), 0.7);
    const DvVec x = dv_state_write(scene_state(scene, "/parent"), DV_POSITION, DV_READ_WRITE);
    for (uint32_t i = 0; i < x.count; i++)
        dv_vec3_store(dv_quat_rotate(turn, dv_vec3_load(x.at + 3 * i)), x.at + 3 * i);
    const DvVec y = dv_state_write(mapped, DV_POSITION, DV_READ_WRITE);
    ops->apply(self, NULL, &(DvConstVec){x.at, x.count, 3}, &y);
    const double frames[21] = {0.2, 0.3, 0.4, 0,   0,   0,   1, 0.9, 0.1, 0.5, 0.5,
                               0.5, 0.5, 0.5, 0.4, 0.4, 0.4, 0, 0.6, 0,   0.8};
    for (uint32_t i = 0; i < 3; i++) {
        const DvRigid3 start = dv_rigid3_load(frames + 7 * i), end = dv_rigid3_load(y.at + 7 * i);
        assert_true(dv_vec3_distance(end.center, dv_quat_rotate(turn, start.center)) < 1e-14);
        const DvQuat expected = dv_quat_mul(turn, start.orientation);
        assert_true(fabs(fabs(dv_quat_dot(end.orientation, expected)) - 1.0) < 1e-13);
    }
    dv_scene_free(scene);
}

static void rest_positions_locate_when_asked(void **state)
{
    (void)state;
    /* The parent starts stretched; the point lies at a quarter of the rest cube. */
    const char *text =
        "<Node name='root'><RegularGridTopology n='2 2 2' min='0 0 0' max='1 1 1'/>"
        "<MechanicalObject name='parent' template='Vec3d' position='0 0 0 2 0 0 0 2 0 2 2 0 0 0 2 2 0 2 0 2 2 2 2 2' "
        "rest_position='0 0 0 1 0 0 0 1 0 1 1 0 0 0 1 1 0 1 0 1 1 1 1 1'/><Node name='Child'>"
        "<MechanicalObject name='mapped' template='Vec3d' position='0.5 0.5 0.5' rest_position='0.25 0.25 0.25'/>"
        "<BarycentricMapping name='map' useRestPosition='1' applyRestPosition='1'/></Node></Node>";
    DvScene *scene = scene_from_text(text);
    const DvConstVec x = dv_state_read(scene_state(scene, "/Child/mapped"), DV_POSITION);
    assert_true(fabs(x.at[0] - 0.5) < 1e-15);
    const DvConstVec rest = dv_state_read(scene_state(scene, "/Child/mapped"), DV_REST_POSITION);
    assert_true(fabs(rest.at[0] - 0.25) < 1e-15);
    dv_scene_free(scene);
}

static void a_linked_topology_counts_before_that_of_the_node(void **state)
{
    (void)state;
    /* The grid at the root would extrapolate; the linked mesh holds the point. */
    const char *text =
        "<Node name='root'><RegularGridTopology n='2 2 2' min='10 10 10' max='11 11 11'/>"
        "<MechanicalObject name='parent' template='Vec3d' position='" CUBE "'/>"
        "<Node name='Meshes'>" MESH(
            TETRAHEDRA) "</Node>"
                        "<Node name='Child'><MechanicalObject name='mapped' template='Vec3d' position='0.2 0.3 0.4'/>"
                        "<BarycentricMapping name='map' input_topology='@/Meshes/mesh'/></Node></Node>";
    DvScene *scene = scene_from_text(text);
    const double point[3] = {0.2, 0.3, 0.4};
    assert_affine(scene, point, 1);
    dv_scene_free(scene);
}

static void points_are_located_anew_when_the_mesh_changes(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        ON(SET("Tetrahedron", TETRAHEDRA) "<TetrahedronSetTopologyModifier name='modifier'/>", "Vec3d", POINTS, ""));
    void *self;
    const DvMappingOps *ops = mapping_of(scene, &self);
    DvObject *modifier = scene_object(scene, "/modifier");
    const DvTopologyModifierOps *change = dv_object_ops(modifier, DV_TOPOLOGY_MODIFIER);
    const uint64_t before = ops->jacobian(self, 0, 0)->structure;
    /* Point 0 lies in tetrahedron (7 5 4 0) or a neighbour: all but the first go. */
    assert_int_equal(
        change->remove_elements(dv_object_self(modifier), DV_TETRAHEDRA, 5, (uint32_t[]){5, 4, 3, 2, 1}, false), DV_OK);
    const DvJacobian *j = ops->jacobian(self, 0, 0);
    assert_true(j->structure != before);
    const uint32_t left[4] = {0, 1, 5, 6};
    for (uint32_t i = 0; i < j->rows; i++)
        for (uint32_t e = j->row_start[i]; e < j->row_start[i + 1]; e++)
            assert_true(j->columns[e] == left[0] || j->columns[e] == left[1] || j->columns[e] == left[2] ||
                        j->columns[e] == left[3]);
    /* The positions of that moment are reproduced: nothing jumps. */
    const double points[12] = {0.2, 0.3, 0.4, 0.9, 0.1, 0.5, 1.2, 0.5, 0.5, 0.5, 0.5, -0.3};
    assert_affine(scene, points, 4);
    dv_scene_free(scene);
}

/* Nobody looks between two changes and two motions: the points still hang where they hung at the first change. */
static void changes_that_nobody_looks_at_add_up(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        ON(SET("Tetrahedron", TETRAHEDRA) "<TetrahedronSetTopologyModifier name='modifier'/>", "Vec3d", POINTS, ""));
    DvObject *modifier = scene_object(scene, "/modifier");
    const DvTopologyModifierOps *change = dv_object_ops(modifier, DV_TOPOLOGY_MODIFIER);
    assert_int_equal(change->remove_elements(dv_object_self(modifier), DV_TETRAHEDRA, 1, (uint32_t[]){3}, false),
                     DV_OK);
    const DvVec x = dv_state_write(scene_state(scene, "/parent"), DV_POSITION, DV_READ_WRITE);
    double start[24];
    assert_int_equal(x.count, 8);
    for (uint32_t i = 0; i < 24; i++) {
        start[i] = x.at[i];
        x.at[i] = 10.0 - 3.0 * x.at[i];
    }
    assert_int_equal(change->renumber_points(dv_object_self(modifier), (uint32_t[]){3, 1, 0, 2, 7, 5, 4, 6}), DV_OK);
    const uint32_t order[8] = {3, 1, 0, 2, 7, 5, 4, 6};
    const DvVec moved = dv_state_write(scene_state(scene, "/parent"), DV_POSITION, DV_READ_WRITE);
    for (uint32_t i = 0; i < 24; i++)
        moved.at[i] = start[3 * order[i / 3] + i % 3];
    const double points[12] = {0.2, 0.3, 0.4, 0.9, 0.1, 0.5, 1.2, 0.5, 0.5, 0.5, 0.5, -0.3};
    assert_affine(scene, points, 4);
    dv_scene_free(scene);
}

static void points_follow_a_renumbering_of_the_mesh(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        ON(SET("Tetrahedron", TETRAHEDRA) "<TetrahedronSetTopologyModifier name='modifier'/>", "Vec3d", POINTS, ""));
    DvObject *modifier = scene_object(scene, "/modifier");
    const DvTopologyModifierOps *change = dv_object_ops(modifier, DV_TOPOLOGY_MODIFIER);
    assert_int_equal(change->renumber_points(dv_object_self(modifier), (uint32_t[]){7, 6, 5, 4, 3, 2, 1, 0}), DV_OK);
    const double points[12] = {0.2, 0.3, 0.4, 0.9, 0.1, 0.5, 1.2, 0.5, 0.5, 0.5, 0.5, -0.3};
    assert_affine(scene, points, 4);
    dv_scene_free(scene);
}

static void points_that_are_added_to_the_output_are_located_too(void **state)
{
    (void)state;
    const char *text =
        "<Node name='root'>" GRID "<MechanicalObject name='parent' template='Vec3d'/><Node name='Meshes'>"
        "<PointSetTopologyContainer name='surface' position='0.2 0.3 0.4  0.9 0.1 0.5'/>"
        "<PointSetTopologyModifier name='modifier'/></Node>"
        "<Node name='Child'><PointSetTopologyContainer name='own' position='0.2 0.3 0.4  0.9 0.1 0.5'/>"
        "<PointSetTopologyModifier name='modifier'/><MechanicalObject name='mapped' template='Vec3d'/>"
        "<BarycentricMapping name='map' %s/></Node></Node>";
    for (int linked = 0; linked < 2; linked++) {
        char scene_text[1024];
        snprintf(scene_text, sizeof scene_text, text, linked ? "output_topology='@/Meshes/surface'" : "");
        DvScene *scene = scene_from_text(scene_text);
        void *self;
        const DvMappingOps *ops = mapping_of(scene, &self);
        const uint64_t before = ops->jacobian(self, 0, 0)->structure;
        DvObject *modifier = scene_object(scene, linked ? "/Meshes/modifier" : "/Child/modifier");
        const DvTopologyModifierOps *change = dv_object_ops(modifier, DV_TOPOLOGY_MODIFIER);
        assert_int_equal(change->add_points(dv_object_self(modifier), 1, NULL), DV_OK);
        const DvJacobian *j = ops->jacobian(self, 0, 0);
        assert_true(j->structure != before);
        assert_int_equal(j->rows, linked ? 2 : 3);
        dv_scene_free(scene);
    }
}

static void ignore(const DvMessage *message, void *context)
{
    (void)context;
    assert_non_null(strstr(message->text, "finds no element"));
}

/* When all that is left is flat nothing moves the points, however often that is tried; an element that comes takes them again. */
static void points_that_find_no_element_stay(void **state)
{
    (void)state;
    static const char *const meshes[][2] = {
        {"Tetrahedron", "tetrahedra='0 1 3 4  0 1 2 3'"},
        {"Triangle", "triangles='0 1 3  0 8 1'"},
        {"Hexahedron", "hexahedra='0 1 2 3 4 5 6 7  0 1 2 3 0 1 2 3'"},
    };
    static const uint32_t good[][8] = {{0, 1, 3, 4}, {0, 1, 3}, {0, 1, 2, 3, 4, 5, 6, 7}};
    static const DvElementKind kinds[] = {DV_TETRAHEDRA, DV_TRIANGLES, DV_HEXAHEDRA};
    for (int k = 0; k < 3; k++) {
        char text[1024];
        snprintf(
            text, sizeof text,
            "<Node name='root'><%sSetTopologyContainer name='mesh' position='" CUBE "  2 0 0' %s/>"
            "<%sSetTopologyModifier name='modifier'/><MechanicalObject name='parent' template='Vec3d'/><Node name='Child'>"
            "<MechanicalObject name='mapped' position='0.2 0.1 0'/><BarycentricMapping name='map'/></Node></Node>",
            meshes[k][0], meshes[k][1], meshes[k][0]);
        DvScene *scene = scene_from_text(text);
        void *self;
        const DvMappingOps *ops = mapping_of(scene, &self);
        DvObject *modifier = scene_object(scene, "/modifier");
        const DvTopologyModifierOps *change = dv_object_ops(modifier, DV_TOPOLOGY_MODIFIER);
        const DvVec x = dv_state_write(scene_state(scene, "/parent"), DV_POSITION, DV_READ_WRITE);
        const DvVec y = dv_state_write(scene_state(scene, "/Child/mapped"), DV_POSITION, DV_READ_WRITE);
        dv_log_set_handler(ignore, NULL);
        assert_int_equal(change->remove_elements(dv_object_self(modifier), kinds[k], 1, &(uint32_t){0}, false), DV_OK);
        for (int pass = 0; pass < 3; pass++) {
            for (uint32_t i = 0; i < x.count; i++)
                x.at[3 * i + 1] += 1.0;
            ops->apply(self, NULL, &(DvConstVec){x.at, x.count, 3}, &y);
            assert_true(fabs(y.at[0] - 0.2) + fabs(y.at[1] - 0.1) + fabs(y.at[2]) < 1e-14);
            assert_true(dv_object_state(scene_object(scene, "/Child/map")) == DV_COMPONENT_INVALID);
        }
        assert_int_equal(change->add_elements(dv_object_self(modifier), kinds[k], 1, good[k], NULL), DV_OK);
        dv_log_set_handler(NULL, NULL);
        for (uint32_t i = 0; i < x.count; i++)
            x.at[3 * i + 2] += 1.0;
        ops->apply(self, NULL, &(DvConstVec){x.at, x.count, 3}, &y);
        assert_true(dv_object_state(scene_object(scene, "/Child/map")) == DV_COMPONENT_VALID);
        assert_true(fabs(y.at[0] - 0.2) + fabs(y.at[1] - 0.1) < 1e-14);
        dv_scene_free(scene);
    }
}

/* A point off the surface: located anew in the deformed mesh it would fall on it elsewhere. */
static void a_saved_run_goes_on_with_the_same_weights(void **state)
{
    (void)state;
    const char *scenes[] = {ON(MESH("triangles='0 1 2 0 2 3'"), "Vec3d", "0.6 0.3 0.5", ""),
                            ON(SET("Tetrahedron", TETRAHEDRA), "Rigid3d", FRAMES, "")};
    for (int which = 0; which < 2; which++) {
        char file[] = P_tmpdir "/divan-saved-XXXXXX.scn";
        const int handle = mkstemps(file, 4);
        assert_true(handle >= 0);
        close(handle);
        DvScene *scene = scene_from_text(scenes[which]);
        const DvVec x = dv_state_write(scene_state(scene, "/parent"), DV_POSITION, DV_READ_WRITE);
        x.at[3] += 0.5;
        x.at[8] += 0.4;
        x.at[2 * x.dim + 2] -= 0.3;
        void *self;
        const DvMappingOps *ops = mapping_of(scene, &self);
        const DvVec y = dv_state_write(scene_state(scene, "/Child/mapped"), DV_POSITION, DV_READ_WRITE);
        const DvStep step = {.position = DV_POSITION, .velocity = DV_VELOCITY};
        const DvConstVec in = dv_const(x);
        ops->apply(self, &step, &in, &y);
        const DvJacobian *j = ops->jacobian(self, 0, 0);
        assert_int_equal(dv_scene_save(scene, file), DV_OK);

        DvScene *again = NULL;
        assert_int_equal(dv_scene_load(file, NULL, &again), DV_OK);
        unlink(file);
        void *self_again;
        const DvMappingOps *ops_again = mapping_of(again, &self_again);
        const DvJacobian *k = ops_again->jacobian(self_again, 0, 0);
        assert_int_equal(k->rows, j->rows);
        assert_memory_equal(k->row_start, j->row_start, (j->rows + 1) * sizeof *j->row_start);
        const uint32_t entries = j->row_start[j->rows];
        assert_memory_equal(k->columns, j->columns, entries * sizeof *j->columns);
        assert_memory_equal(k->values, j->values, entries * (which ? 18 : 9) * sizeof *j->values);
        const DvConstVec z = dv_state_read(scene_state(again, "/Child/mapped"), DV_POSITION);
        assert_memory_equal(z.at, y.at, (size_t)y.count * y.dim * sizeof *y.at);
        dv_scene_free(again);
        dv_scene_free(scene);
    }
}

static void the_number_of_threads_does_not_matter(void **state)
{
    (void)state;
    static double result[2][3 * 27 + 3 * 5000];
    static double f[3 * 5000];
    for (int i = 0; i < 3 * 5000; i++)
        f[i] = sin(0.1 * i);
    char *text = malloc(400000), *at = text;
    at += sprintf(at, "<Node name='root'><RegularGridTopology n='3 3 3' min='-1 -1 -1' max='1 1 1'/>"
                      "<MechanicalObject name='parent' template='Vec3d'/>"
                      "<Node name='Child'><MechanicalObject name='mapped' template='Vec3d' position='");
    for (int i = 0; i < 5000; i++)
        at += sprintf(at, "%g %g %g ", sin(i), cos(3.0 * i), sin(i * i));
    sprintf(at, "'/><BarycentricMapping name='map'/></Node></Node>");
    for (unsigned run = 0; run < 2; run++) {
        dv_parallel_set_threads(run ? 4 : 1);
        DvScene *scene = scene_from_text(text);
        void *self;
        const DvMappingOps *ops = mapping_of(scene, &self);
        ops->apply_jt(self, NULL, &(DvConstVec){f, 5000, 3}, &(DvVec){result[run], 27, 3});
        const DvConstVec x = dv_state_read(scene_state(scene, "/parent"), DV_POSITION);
        ops->apply(self, NULL, &x, &(DvVec){result[run] + 81, 5000, 3});
        dv_scene_free(scene);
    }
    dv_parallel_set_threads(1);
    free(text);
    assert_memory_equal(result[0], result[1], sizeof result[0]);
    assert_true(result[0][0] != 0.0);
}

static void collect_line(void *context, const char *text)
{
    dv_text_add(context, "%s", text);
}

enum { FOLD_POINTS = 36 };

/* Points beside a square that is folded along its diagonal, where they hang, in metres; in a scene of another unit. */
static double *hung(double scale, const char *topology, const char *attributes, DvText *reported)
{
    static const double fold[12] = {0, 0, 0, 0.1, 0, 0, 0.1, 0.1, 0.1, 0, 0.1, 0};
    DvText text = {0};
    dv_text_add(&text, "<Node name='root'><%s name='mesh' position='", topology);
    for (int i = 0; i < 12; i++)
        dv_text_add(&text, "%.17g ", scale * fold[i]);
    dv_text_add(&text,
                "' triangles='0 1 2 0 2 3'/><MechanicalObject name='parent' template='Vec3d'/><Node name='Child'>"
                "<MechanicalObject name='mapped' template='Vec3d' position='");
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            dv_text_add(&text, "%.17g %.17g %.17g ", scale * 0.02 * i, scale * 0.02 * j,
                        scale * (0.02 + 0.01 * ((7 * i + 3 * j) % 5)));
    dv_text_add(&text, "'/><BarycentricMapping name='map' %s/></Node></Node>", attributes);
    DvScene *scene = scene_from_text(text.at);
    DvObject *map = scene_object(scene, "/Child/map");
    const DvReportOps *ops = dv_object_ops(map, DV_REPORT);
    ops->report(dv_object_self(map), collect_line, reported);
    const double *x = dv_state_read(scene_state(scene, "/Child/mapped"), DV_POSITION).at;
    double *copy = malloc(3 * FOLD_POINTS * sizeof *copy);
    for (int i = 0; i < 3 * FOLD_POINTS; i++)
        copy[i] = x[i] / scale;
    dv_scene_free(scene);
    dv_text_free(&text);
    return copy;
}

static double farthest_apart(const double *a, const double *b)
{
    double most = 0.0;
    for (int i = 0; i < FOLD_POINTS; i++)
        most = fmax(most, dv_vec3_distance(dv_vec3_load(a + 3 * i), dv_vec3_load(b + 3 * i)));
    return most;
}

/* By default the lengths as numbers decide, which is reported. */
static void the_nearest_element_does_not_depend_on_the_unit(void **state)
{
    (void)state;
    static const char *const topologies[] = {"MeshTopology", "TriangleSetTopologyContainer"};
    for (int t = 0; t < 2; t++) {
        DvText said[4] = {{0}, {0}, {0}, {0}};
        double *metres = hung(1.0, topologies[t], "", &said[0]), *millimetres = hung(1e3, topologies[t], "", &said[1]);
        assert_true(farthest_apart(metres, millimetres) > 0.01);
        assert_non_null(
            strstr(said[0].at, "1 of 36 points hang elsewhere than on the nearest element, point 1 at most"));
        assert_non_null(said[1].at);
        free(metres), free(millimetres);
        metres = hung(1.0, topologies[t], "nearestElement='1'", &said[2]);
        millimetres = hung(1e3, topologies[t], "nearestElement='1'", &said[3]);
        assert_true(farthest_apart(metres, millimetres) < 1e-12);
        assert_true(said[2].at == NULL && said[3].at == NULL);
        /* Point 1, (0, 0.02, 0.05): the foot on the plane of 0 2 3, x = z, is (0.025, 0.02, 0.025), but that is outside; the plane
         * of 0 1 2, y = z, gives (0, 0.035, 0.035), outside too. The fold from 0 to 2 is nearest to both alike: the first counts. */
        const double expected[3] = {0.0, 0.035, 0.035};
        for (int c = 0; c < 3; c++)
            assert_true(fabs(metres[3 + c] - expected[c]) < 1e-12);
        free(metres), free(millimetres);
        for (int i = 0; i < 4; i++)
            dv_text_free(&said[i]);
    }
}

static void scenes_that_cannot_work_say_why(void **state)
{
    (void)state;
    expect_load_error(ON("", "Vec3d", POINTS, ""), "has no topology");
    expect_load_error(ON("<RegularGridTopology n='3 3 1' min='0 0 0' max='1 1 0'/>", "Vec3d", POINTS, ""),
                      "the input's grid of 3 x 3 x 1 points has no cells; every side needs two points");
    expect_load_error(ON("<RegularGridTopology n='4 1 3' min='0 0 0' max='1 0 1'/>", "Vec3d", POINTS, ""),
                      "the input's grid of 4 x 1 x 3 points has no cells");
    expect_load_error(
        "<Node name='root'>" MESH(
            "tetrahedra='0 1 2 9'") "<MechanicalObject template='Vec3d' position='" CUBE "'/>"
                                    "<Node name='Child'><MechanicalObject template='Vec3d' position='0 0 0'/><BarycentricMapping/></Node></Node>",
        "no point 9: the topology has 8, counted from 0");
    expect_load_error(ON(MESH("tetrahedra='0 1 2 3'"), "Vec3d", POINTS, ""), "are flat");
    expect_load_error(
        "<Node name='root'><RegularGridTopology n='2 3 4'/><MechanicalObject template='Vec3d' position='0 0 0 1 1 1'/>"
        "<Node name='Child'><MechanicalObject template='Vec3d' position='0 0 0'/><BarycentricMapping/></Node></Node>",
        "grid has 2 x 3 x 4 points, its state only 2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_regular_grid),
        cmocka_unit_test(a_mesh_of_tetrahedra),
        cmocka_unit_test(a_mesh_of_hexahedra),
        cmocka_unit_test(a_mesh_of_triangles_and_quads),
        cmocka_unit_test(a_mesh_of_edges),
        cmocka_unit_test(a_set_of_tetrahedra),
        cmocka_unit_test(a_set_of_hexahedra),
        cmocka_unit_test(a_set_of_triangles),
        cmocka_unit_test(a_set_of_quads),
        cmocka_unit_test(a_set_of_edges),
        cmocka_unit_test(bodies_that_keep_their_orientation),
        cmocka_unit_test(bodies_that_turn_with_their_tetrahedron),
        cmocka_unit_test(affine_motions_of_a_volume_are_followed_exactly),
        cmocka_unit_test(bodies_turn_by_the_polar_rotation_of_their_tetrahedron),
        cmocka_unit_test(rest_positions_locate_when_asked),
        cmocka_unit_test(a_linked_topology_counts_before_that_of_the_node),
        cmocka_unit_test(points_are_located_anew_when_the_mesh_changes),
        cmocka_unit_test(changes_that_nobody_looks_at_add_up),
        cmocka_unit_test(points_follow_a_renumbering_of_the_mesh),
        cmocka_unit_test(points_that_are_added_to_the_output_are_located_too),
        cmocka_unit_test(points_that_find_no_element_stay),
        cmocka_unit_test(a_saved_run_goes_on_with_the_same_weights),
        cmocka_unit_test(the_number_of_threads_does_not_matter),
        cmocka_unit_test(the_nearest_element_does_not_depend_on_the_unit),
        cmocka_unit_test(scenes_that_cannot_work_say_why),
    };
    return cmocka_run_group_tests(tests, NULL, stop_plugins);
}
