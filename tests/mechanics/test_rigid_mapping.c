/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * RigidMapping for each pair of types and each geometric stiffness, and what only it promises.
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
#include <divan/contracts/topology.h>
#include <divan/math/rigid.h>
#include <divan/parallel.h>

#include "mapping_conformance.h"
#include "scene_text.h"

#define BODIES "1 2 3 0 0 0 1   0 1 0 0.5 0.5 0.5 0.5   2 0 0 0 0.6 0 0.8"
#define POINTS "0.1 0.2 0.3   -1 0.5 0   0 0 0   2 1 -1   0.3 0.3 0.4"
#define FRAMES "0.1 0.2 0.3 0 0 0 1   -1 0.5 0 0 0 0.6 0.8   2 1 -1 0.5 -0.5 0.5 0.5"

#define MAPPED(in, bodies, out, points, attributes)                                                     \
    "<Node name='root'><MechanicalObject name='parent' template='" in "' position='" bodies "'/>"       \
    "<Node name='Child'>\n<MechanicalObject name='mapped' template='" out "' position='" points "'/>\n" \
    "<RigidMapping name='map' " attributes "/></Node></Node>"

#define LEFT_OUT  .geometric_stiffness = GEOMETRIC_LEFT_OUT, .reason = "geometricStiffness is None by default"
#define PROJECTED .geometric_stiffness = GEOMETRIC_PROJECTED, .reason = "Stabilized keeps systems definite"

MAPPING_CONFORMANCE(points_on_one_body, .scene = MAPPED("Rigid3d", BODIES, "Vec3d", POINTS, "index='1'"), LEFT_OUT)
MAPPING_CONFORMANCE(points_on_several_bodies,
                    .scene = MAPPED("Rigid3d", BODIES, "Vec3d", POINTS,
                                    "rigidIndexPerPoint='2 0 2 0 2' geometricStiffness='Exact'"))
MAPPING_CONFORMANCE(points_with_stabilized_stiffness,
                    .scene = MAPPED("Rigid3d", BODIES, "Vec3d", POINTS, "index='2' geometricStiffness='Stabilized'"),
                    PROJECTED)
MAPPING_CONFORMANCE(frames_on_bodies, .scene = MAPPED("Rigid3d", BODIES, "Rigid3d", FRAMES,
                                                      "rigidIndexPerPoint='2 1 2' geometricStiffness='Exact'"))
MAPPING_CONFORMANCE(frames_with_stabilized_stiffness,
                    .scene = MAPPED("Rigid3d", BODIES, "Rigid3d", FRAMES, "geometricStiffness='Stabilized'"), PROJECTED)
MAPPING_CONFORMANCE(points_in_the_plane, .scene = MAPPED("Rigid2d", "1 2 0.5  3 4 -1", "Vec2d", "1 0 0 2 -1 1",
                                                         "rigidIndexPerPoint='1 0 1' geometricStiffness='Exact'"))
MAPPING_CONFORMANCE(points_in_the_plane_with_stabilized_stiffness,
                    .scene = MAPPED("Rigid2d", "1 2 0.5  3 4 -1", "Vec2d", "1 0 0 2 -1 1",
                                    "geometricStiffness='Stabilized'"),
                    PROJECTED)

/* Position of point `i` of the output. */
static DvVec3 mapped_point(const DvScene *scene, uint32_t i)
{
    const DvConstVec x = dv_state_read(scene_state(scene, "/Child/mapped"), DV_POSITION);
    assert_true(i < x.count);
    return dv_vec3_load(x.at + (size_t)i * x.dim);
}

static void assert_at(DvVec3 p, double x, double y, double z)
{
    if (!(dv_vec3_distance(p, dv_vec3(x, y, z)) < 1e-14))
        fail_msg("the point is at %.17g %.17g %.17g, expected at %g %g %g", p.x, p.y, p.z, x, y, z);
}

static void positions_of_the_output_are_local_by_default(void **state)
{
    (void)state;
    /* Body 1 turns x to y, y to z, z to x. */
    DvScene *scene = scene_from_text(MAPPED("Rigid3d", BODIES, "Vec3d", POINTS, "index='1'"));
    assert_at(mapped_point(scene, 0), 0.3, 1.1, 0.2);
    assert_at(mapped_point(scene, 3), -1, 3, 1);
    dv_scene_free(scene);
}

static void world_positions_stay_where_they_are(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(MAPPED("Rigid3d", BODIES, "Vec3d", POINTS, "index='2' globalToLocalCoords='1'"));
    assert_at(mapped_point(scene, 0), 0.1, 0.2, 0.3);
    assert_at(mapped_point(scene, 3), 2, 1, -1);
    dv_scene_free(scene);
    scene = scene_from_text(MAPPED("Rigid3d", BODIES, "Rigid3d", FRAMES, "index='1' globalToLocalCoords='1'"));
    const DvConstVec x = dv_state_read(scene_state(scene, "/Child/mapped"), DV_POSITION);
    const double expected[21] = {0.1, 0.2, 0.3, 0, 0, 0, 1, -1, 0.5, 0, 0, 0, 0.6, 0.8, 2, 1, -1, 0.5, -0.5, 0.5, 0.5};
    for (int i = 0; i < 21; i++)
        assert_true(fabs(x.at[i] - expected[i]) < 1e-15);
    dv_scene_free(scene);
    scene =
        scene_from_text(MAPPED("Rigid2d", "1 2 0.5  3 4 -1", "Vec2d", "1 0 0 2", "index='1' globalToLocalCoords='1'"));
    const DvConstVec plane = dv_state_read(scene_state(scene, "/Child/mapped"), DV_POSITION);
    assert_true(fabs(plane.at[0] - 1) < 1e-15 && fabs(plane.at[3] - 2) < 1e-15);
    dv_scene_free(scene);
}

static void given_local_points_win_over_the_positions(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        MAPPED("Rigid3d", BODIES, "Vec3d", "9 9 9", "index='1' initialPoints='1 0 0  0 1 0' globalToLocalCoords='1'"));
    assert_int_equal(dv_state_count(scene_state(scene, "/Child/mapped")), 2);
    assert_at(mapped_point(scene, 0), 0, 2, 0);
    assert_at(mapped_point(scene, 1), 0, 1, 1);
    dv_scene_free(scene);
}

static void rest_positions_serve_as_local_points_with_use_x0(void **state)
{
    (void)state;
    DvScene *scene =
        scene_from_text("<Node name='root'><MechanicalObject template='Rigid3d' position='" BODIES "'/>"
                        "<Node name='Child'><MechanicalObject name='mapped' template='Vec3d' position='9 9 9 8 8 8' "
                        "rest_position='1 0 0 0 0 1'/><RigidMapping name='map' index='1' useX0='1'/></Node></Node>");
    assert_at(mapped_point(scene, 0), 0, 2, 0);
    assert_at(mapped_point(scene, 1), 1, 1, 0);
    dv_scene_free(scene);
}

static void the_body_is_counted_from_the_end_on_request(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(MAPPED("Rigid3d", BODIES, "Vec3d", "0 0 0", "index='0' indexFromEnd='1'"));
    assert_at(mapped_point(scene, 0), 2, 0, 0);
    dv_scene_free(scene);
}

static void a_list_of_bodies_counts_only_when_there_is_one_for_each_point(void **state)
{
    (void)state;
    DvScene *scene =
        scene_from_text(MAPPED("Rigid3d", BODIES, "Vec3d", "0 0 0 0 0 0", "index='2' rigidIndexPerPoint='1 0'"));
    assert_at(mapped_point(scene, 0), 0, 1, 0);
    assert_at(mapped_point(scene, 1), 1, 2, 3);
    dv_scene_free(scene);
    scene = scene_from_text(MAPPED("Rigid3d", BODIES, "Vec3d", "0 0 0 0 0 0", "index='2' rigidIndexPerPoint='1 0 1'"));
    assert_at(mapped_point(scene, 0), 2, 0, 0);
    dv_scene_free(scene);
}

static void the_old_repartition_counts_points_per_body(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(MAPPED("Rigid3d", BODIES, "Vec3d", "0 0 0 0 0 0 0 0 0", "d_repartition='1 0 2'"));
    assert_at(mapped_point(scene, 0), 1, 2, 3);
    assert_at(mapped_point(scene, 2), 2, 0, 0);
    dv_scene_free(scene);
}

static void fields_changed_while_it_runs_count_from_the_next_apply_on(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(MAPPED("Rigid3d", BODIES, "Vec3d", "1 0 0 0 0 0", "index='0'"));
    DvObject *map = scene_object(scene, "/Child/map");
    const DvMappingOps *ops = dv_object_ops(map, DV_MAPPING);
    const DvConstVec in = dv_state_read(scene_state(scene, "/parent"), DV_POSITION);
    const DvVec out = dv_state_write(scene_state(scene, "/Child/mapped"), DV_POSITION, DV_OVERWRITE);
    dv_data_set_uint(dv_object_field(map, "index"), 1);
    ops->apply(dv_object_self(map), NULL, &in, &out);
    assert_at(mapped_point(scene, 0), 0, 2, 0);
    dv_data_set(dv_object_field(map, "rigidIndexPerPoint"), (uint32_t[]){2, 0}, 2);
    ops->apply(dv_object_self(map), NULL, &in, &out);
    assert_at(mapped_point(scene, 1), 1, 2, 3);
    const DvJacobian *j = ops->jacobian(dv_object_self(map), 0, 0);
    assert_int_equal(j->columns[0], 2);
    assert_int_equal(j->columns[1], 0);
    dv_scene_free(scene);
}

static void quaternions_that_are_not_of_unit_length_rotate_as_scenes_expect(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(MAPPED("Rigid3d", "0 0 0 0 0 2 0", "Vec3d", "1 0 0", ""));
    assert_at(mapped_point(scene, 0), -7, 0, 0); /* v + w t + u x t, u = 2 ez, t = 2 u x v */
    dv_scene_free(scene);
    /* Local frames are found with the quaternion divided by its length, local points without. */
    scene = scene_from_text(MAPPED("Rigid3d", "0 0 0 0 0 2 0", "Rigid3d", "1 0 0 0 0 0 1", "globalToLocalCoords='1'"));
    const double frame[7] = {-1, 0, 0, 0, 0, -1, 0};
    const double *local = dv_data_doubles(dv_object_field(scene_object(scene, "/Child/map"), "initialPoints"), NULL);
    for (int i = 0; i < 7; i++)
        assert_true(local[i] == frame[i]);
    dv_scene_free(scene);
    scene = scene_from_text(MAPPED("Rigid3d", "0 0 0 0 0 2 0", "Vec3d", "1 0 0", "globalToLocalCoords='1'"));
    assert_true(dv_data_doubles(dv_object_field(scene_object(scene, "/Child/map"), "initialPoints"), NULL)[0] == -7.0);
    dv_scene_free(scene);
}

static void stabilized_stiffness_is_exact_where_that_is_definite(void **state)
{
    (void)state;
    /* A load that pulls outwards: symmetric block, all eigenvalues negative. One that pushes: nothing is left. */
    for (int sign = -1; sign <= 1; sign += 2) {
        double df[2][6];
        const char *kinds[2] = {
            MAPPED("Rigid3d", "0 0 0 0 0 0 1", "Vec3d", "1 0 0 0 2 0", "geometricStiffness='Exact'"),
            MAPPED("Rigid3d", "0 0 0 0 0 0 1", "Vec3d", "1 0 0 0 2 0", "geometricStiffness='Stabilized'")};
        for (int kind = 0; kind < 2; kind++) {
            DvScene *scene = scene_from_text(kinds[kind]);
            DvObject *map = scene_object(scene, "/Child/map");
            const DvMappingOps *ops = dv_object_ops(map, DV_MAPPING);
            const double f[6] = {3.0 * sign, 0, 0, 0, 5.0 * sign, 0}, dx[6] = {0, 0, 0, 0.1, 0.2, 0.3};
            memset(df[kind], 0, sizeof df[kind]);
            ops->apply_djt(dv_object_self(map), &(DvStep){.dt = 0.01}, 2.0, &(DvConstVec){f, 2, 3},
                           &(DvConstVec){dx, 1, 6}, &(DvVec){df[kind], 1, 6});
            dv_scene_free(scene);
        }
        /* -f_i x (dw x r_i) with r parallel to f: -(f . r) of the components of dw across r. */
        const double expected[3] = {-2 * 10.0 * sign * 0.1, -2 * 3.0 * sign * 0.2, -2 * 13.0 * sign * 0.3};
        for (int k = 0; k < 3; k++) {
            assert_true(fabs(df[0][3 + k] - expected[k]) < 1e-14);
            assert_true(fabs(df[1][3 + k] - (sign > 0 ? expected[k] : 0.0)) < 1e-14);
        }
    }
}

static void the_number_of_threads_does_not_matter(void **state)
{
    (void)state;
    static double f[3 * 5000], result[2][18];
    for (int i = 0; i < 3 * 5000; i++)
        f[i] = sin(0.1 * i);
    char *text = malloc(400000), *at = text;
    at +=
        sprintf(at, "<Node name='root'><MechanicalObject template='Rigid3d' position='" BODIES "'/><Node name='Child'>"
                    "<MechanicalObject template='Vec3d' position='");
    for (int i = 0; i < 5000; i++)
        at += sprintf(at, "%g %g %g ", sin(i), cos(3.0 * i), sin(i * i));
    at += sprintf(at, "'/><RigidMapping name='map' rigidIndexPerPoint='");
    for (int i = 0; i < 5000; i++)
        at += sprintf(at, "%d ", i * 7 % 3);
    sprintf(at, "'/></Node></Node>");
    for (unsigned run = 0; run < 2; run++) {
        dv_parallel_set_threads(run ? 4 : 1);
        DvScene *scene = scene_from_text(text);
        DvObject *map = scene_object(scene, "/Child/map");
        const DvMappingOps *ops = dv_object_ops(map, DV_MAPPING);
        ops->apply_jt(dv_object_self(map), NULL, &(DvConstVec){f, 5000, 3}, &(DvVec){result[run], 3, 6});
        dv_scene_free(scene);
    }
    dv_parallel_set_threads(1);
    free(text);
    assert_memory_equal(result[0], result[1], sizeof result[0]);
    assert_true(result[0][0] != 0.0);
}

static void points_are_read_from_a_mesh_file(void **state)
{
    (void)state;
    char file[] = P_tmpdir "/divan-points-XXXXXX.obj";
    const int handle = mkstemps(file, 4);
    assert_true(handle >= 0);
    static const char mesh[] = "v 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\n";
    assert_int_equal(write(handle, mesh, sizeof mesh - 1), sizeof mesh - 1);
    close(handle);
    char text[600];
    snprintf(text, sizeof text, MAPPED("Rigid3d", BODIES, "Vec3d", "", "index='1' filename='%s'"), file);
    DvScene *scene = scene_from_text(text);
    unlink(file);
    assert_int_equal(dv_state_count(scene_state(scene, "/Child/mapped")), 3);
    assert_at(mapped_point(scene, 0), 0, 2, 0);
    assert_at(mapped_point(scene, 2), 1, 1, 0);
    dv_scene_free(scene);
}

static void bodies_that_are_not_there_are_named(void **state)
{
    (void)state;
    expect_load_error(MAPPED("Rigid3d", BODIES, "Vec3d", POINTS, "index='3'"),
                      "no body 3: the state has 3, counted from 0");
    expect_load_error(MAPPED("Rigid3d", BODIES, "Vec3d", "0 0 0 1 1 1", "rigidIndexPerPoint='0 7'"),
                      "no body 7: the state has 3, counted from 0");
    expect_load_error(
        MAPPED("Rigid3d", BODIES, "Vec3d", "0 0 0 1 1 1", "rigidIndexPerPoint='0 7'"),
        "scene.scn:3:26: RigidMapping 'map': rigidIndexPerPoint[1]: no body 7: the state has 3, counted from 0");
    expect_load_error(MAPPED("Rigid3d", BODIES, "Vec3d", "0 0 0", "indexFromEnd='1' index='5'"),
                      "no body 5: the state has 3, counted from 0");
    expect_load_error(MAPPED("Rigid3d", BODIES, "Vec3d", "0 0 0", "filename='points.doc'"), "points.doc");
    expect_load_error(
        "<Node name='root'><MechanicalObject name='parent' template='Rigid3d' size='0'/><Node name='Child'>"
        "<MechanicalObject name='mapped' position='0 0 0'/><RigidMapping name='map'/></Node></Node>",
        "no body 0: the state has 0");
}

/* A mapped mesh loses a triangle with its point 0, then gets points between others: each stays where it was on its body. */
static void points_of_a_changing_mesh_keep_their_bodies(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node name='root'><MechanicalObject name='parent' template='Rigid3d' position='0 0 0 0 0 0 1  10 0 0 0 0 0 1'/>"
        "<Node name='Child'><TriangleSetTopologyContainer name='mesh' position='0 0 0 1 0 0 0 1 0 1 1 0' triangles='0 1 2 1 3 2'/>"
        "<TriangleSetTopologyModifier name='modifier'/><MechanicalObject name='mapped' template='Vec3d'/>"
        "<RigidMapping name='map' rigidIndexPerPoint='0 0 1 1'/></Node></Node>");
    DvObject *modifier = scene_object(scene, "/Child/modifier"), *map = scene_object(scene, "/Child/map");
    const DvTopologyModifierOps *ops = dv_object_ops(modifier, DV_TOPOLOGY_MODIFIER);
    const DvMappingOps *mapping = dv_object_ops(map, DV_MAPPING);
    const DvStateRef parent = scene_state(scene, "/parent"), mapped = scene_state(scene, "/Child/mapped");
    assert_int_equal(ops->remove_elements(dv_object_self(modifier), DV_TRIANGLES, 1, &(uint32_t){0}, true), DV_OK);
    /* 0: 1 1 0 on body 1, 1: 1 0 0 on body 0, 2: 0 1 0 on body 1 */
    const uint32_t start[3] = {0, 2, 5}, from[5] = {1, 0, 2, 0, 1};
    const double weights[5] = {0.75, 0.25, 0.5, 0.25, 0.25};
    const DvElementChange between = {.ancestors = from, .weights = weights, .ancestor_start = start};
    assert_int_equal(ops->add_points(dv_object_self(modifier), 2, &between), DV_OK);
    const uint32_t then[3] = {0, 2, 3}, of[3] = {0, 1, 2};
    const DvElementChange alike = {.ancestors = of, .ancestor_start = then};
    assert_int_equal(ops->add_points(dv_object_self(modifier), 2, &alike), DV_OK);
    assert_int_equal(ops->add_points(dv_object_self(modifier), 1, NULL), DV_OK);
    const DvStep step = {.dt = 0.01, .position = DV_POSITION, .velocity = DV_VELOCITY};
    const DvConstVec in = dv_state_read(parent, DV_POSITION);
    const DvVec out = dv_state_write(mapped, DV_POSITION, DV_READ_WRITE);
    assert_int_equal(out.count, 8);
    mapping->apply(dv_object_self(map), &step, &in, &out);
    /* new ones are on the body of their first; one of nothing on that of `index`, in its middle */
    const double expected[24] = {11, 1, 0, 1, 0, 0, 10, 1, 0, 1, 0.25, 0, 10.5, 0.75, 0, 11, 0.5, 0, 10, 1, 0, 0, 0, 0};
    for (int i = 0; i < 24; i++)
        assert_true(fabs(out.at[i] - expected[i]) < 1e-14);
    dv_scene_free(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_of_a_changing_mesh_keep_their_bodies),
        cmocka_unit_test(points_on_one_body),
        cmocka_unit_test(points_on_several_bodies),
        cmocka_unit_test(points_with_stabilized_stiffness),
        cmocka_unit_test(frames_on_bodies),
        cmocka_unit_test(frames_with_stabilized_stiffness),
        cmocka_unit_test(points_in_the_plane),
        cmocka_unit_test(points_in_the_plane_with_stabilized_stiffness),
        cmocka_unit_test(positions_of_the_output_are_local_by_default),
        cmocka_unit_test(world_positions_stay_where_they_are),
        cmocka_unit_test(given_local_points_win_over_the_positions),
        cmocka_unit_test(rest_positions_serve_as_local_points_with_use_x0),
        cmocka_unit_test(the_body_is_counted_from_the_end_on_request),
        cmocka_unit_test(a_list_of_bodies_counts_only_when_there_is_one_for_each_point),
        cmocka_unit_test(the_old_repartition_counts_points_per_body),
        cmocka_unit_test(fields_changed_while_it_runs_count_from_the_next_apply_on),
        cmocka_unit_test(quaternions_that_are_not_of_unit_length_rotate_as_scenes_expect),
        cmocka_unit_test(stabilized_stiffness_is_exact_where_that_is_definite),
        cmocka_unit_test(the_number_of_threads_does_not_matter),
        cmocka_unit_test(points_are_read_from_a_mesh_file),
        cmocka_unit_test(bodies_that_are_not_there_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, stop_plugins);
}
