/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * DistanceMapping and SquareDistanceMapping: what every mapping owes, their numbers, rest lengths, and meshes that change.
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
#include <divan/contracts/mechanical_operations.h>
#include <divan/contracts/topology.h>
#include <divan/plugin.h>

#include "mapping_conformance.h"
#include "scene_text.h"

#define SCENE(type, positions, mesh, mapping)                                                  \
    "<Node name='root'><DefaultAnimationLoop/><MechanicalObject name='parent' template='" type \
    "' position='" positions "'/>"                                                             \
    "<Node name='Child'>" mesh "<MechanicalObject name='mapped' template='Vec1d'/>" mapping "</Node></Node>"
#define POINTS "0 0 0  1 2 2  -3 0.5 1  2 -2 0.25"
#define BODIES "1 2 3 0 0 0 1   0 1 0 0.5 0.5 0.5 0.5   2 0 0 0 0.6 0 0.8"
#define EDGES  "<MeshTopology name='edges' edges='0 1  2 1  0 3  3 2'/>"
/* Each point has one edge, so the matrix of all edges is negative semi-definite where each block of an edge is. */
#define PAIRS "<MeshTopology name='edges' edges='0 1  3 2'/>"

MAPPING_CONFORMANCE(distances, .scene = SCENE("Vec3d", POINTS, EDGES, "<DistanceMapping geometricStiffness='Exact'/>"))
MAPPING_CONFORMANCE(squares,
                    .scene = SCENE("Vec3d", POINTS, EDGES, "<SquareDistanceMapping geometricStiffness='Exact'/>"))
MAPPING_CONFORMANCE(distances_of_bodies, .scene = SCENE("Rigid3d", BODIES, "<MeshTopology edges='0 1 1 2'/>",
                                                        "<DistanceMapping geometricStiffness='Exact'/>"))
MAPPING_CONFORMANCE(distances_that_pull, .scene = SCENE("Vec3d", POINTS, PAIRS, "<DistanceMapping/>"),
                    .geometric_stiffness = GEOMETRIC_PROJECTED, .reason = "edges that push are left out")
MAPPING_CONFORMANCE(squares_that_pull, .scene = SCENE("Vec3d", POINTS, PAIRS, "<SquareDistanceMapping/>"),
                    .geometric_stiffness = GEOMETRIC_PROJECTED, .reason = "edges that push are left out")
MAPPING_CONFORMANCE(distances_alone,
                    .scene = SCENE("Vec3d", POINTS, EDGES, "<DistanceMapping geometricStiffness='None'/>"),
                    .geometric_stiffness = GEOMETRIC_LEFT_OUT, .reason = "the user asks for none")

static void expect_outputs(const DvScene *scene, const double *expected, uint32_t count)
{
    const DvConstVec x = dv_state_read(scene_state(scene, "/Child/mapped"), DV_POSITION);
    assert_int_equal(x.count, count);
    for (uint32_t i = 0; i < count; i++)
        if (!(fabs(x.at[i] - expected[i]) < 1e-14))
            fail_msg("output %u is %.17g instead of %.17g", i, x.at[i], expected[i]);
}

static void expect_outputs_of(const char *text, const double *expected, uint32_t count)
{
    DvScene *scene = scene_from_text(text);
    expect_outputs(scene, expected, count);
    dv_scene_free(scene);
}

static void outputs_are_lengths_less_those_at_rest(void **state)
{
    (void)state;
    const double lengths[4] = {3, sqrt(16 + 2.25 + 1), sqrt(8 + 0.0625), sqrt(25 + 6.25 + 0.5625)};
    double squares[4], longer[4];
    for (int e = 0; e < 4; e++)
        squares[e] = lengths[e] * lengths[e], longer[e] = lengths[e] - 0.5 * (e + 1);
    const double none[4] = {0};
    expect_outputs_of(SCENE("Vec3d", POINTS, EDGES, "<DistanceMapping/>"), none, 4);
    expect_outputs_of(SCENE("Vec3d", POINTS, EDGES, "<DistanceMapping computeDistance='1'/>"), lengths, 4);
    expect_outputs_of(SCENE("Vec3d", POINTS, EDGES, "<DistanceMapping restLengths='0.5 1 1.5 2'/>"), longer, 4);
    expect_outputs_of(SCENE("Vec3d", POINTS, EDGES, "<SquareDistanceMapping/>"), squares, 4);
}

/* Frames turned by 90 degrees against each other, 5 m apart: the rest length is that of the difference of coordinates. */
static void rest_lengths_of_frames_count_their_turn(void **state)
{
    (void)state;
    const double expected = 5 - sqrt(25.5);
    expect_outputs_of(SCENE("Rigid3d", "0 0 0 0 0 0 1  3 0 4 0 0.70710678118654757 0 0.70710678118654757",
                            "<MeshTopology edges='0 1'/>", "<DistanceMapping/>"),
                      &expected, 1);
    /* cos(t / 2) = 0.05 - 0.35 + 0.05 + 0.35 */
    const double between = 5 - sqrt(26 - 0.01);
    expect_outputs_of(SCENE("Rigid3d", "0 0 0 0.5 0.5 0.5 0.5  3 0 4 0.1 -0.7 0.1 0.7", "<MeshTopology edges='0 1'/>",
                            "<DistanceMapping/>"),
                      &between, 1);
}

static void ends_in_one_place_have_no_direction_of_their_own(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(SCENE("Vec3d", "1 2 3  1 2 3", "<MeshTopology edges='0 1'/>",
                                           "<DistanceMapping name='map' geometricStiffness='Exact'/>"));
    DvObject *map = scene_object(scene, "/Child/map");
    const DvMappingOps *ops = dv_object_ops(map, DV_MAPPING);
    const DvJacobian *j = ops->jacobian(dv_object_self(map), 0, 0);
    for (int i = 0; i < 6; i++)
        assert_true(fabs(j->values[i] - (i < 3 ? -1 : 1) / sqrt(3)) < 1e-15);
    const double force = 7, dx[6] = {1, 2, 3, 4, 7, 5};
    double df[6] = {0};
    ops->apply_djt(dv_object_self(map), &(const DvStep){.dt = 0.01}, 2, &(const DvConstVec){&force, 1, 1},
                   &(const DvConstVec){dx, 2, 3}, &(const DvVec){df, 2, 3});
    for (int i = 0; i < 6; i++)
        assert_true(df[i] == 0);
    dv_scene_free(scene);
}

static void stabilized_leaves_out_edges_that_push(void **state)
{
    (void)state;
    DvScene *scene =
        scene_from_text(SCENE("Vec3d", "0 0 0  0 0 2", "<MeshTopology edges='0 1'/>", "<DistanceMapping name='map'/>"));
    DvObject *map = scene_object(scene, "/Child/map");
    const DvMappingOps *ops = dv_object_ops(map, DV_MAPPING);
    const double dx[6] = {0, 0, 0, 1, 0, 1};
    for (int side = -1; side <= 1; side += 2) {
        const double force = side * 6;
        double df[6] = {0};
        ops->apply_djt(dv_object_self(map), &(const DvStep){.dt = 0.01}, 1, &(const DvConstVec){&force, 1, 1},
                       &(const DvConstVec){dx, 2, 3}, &(const DvVec){df, 2, 3});
        assert_true(fabs(df[3] - (side < 0 ? -6.0 / 2 : 0)) < 1e-15); /* across: tension over length; along: none */
        assert_true(df[3] == -df[0] && df[5] == 0);
    }
    dv_scene_free(scene);
}

/* The entries of J are those of the ends of each edge, in order. */
static void expect_ends(const DvScene *scene, const uint32_t *ends, uint32_t edges)
{
    DvObject *mapping = scene_object(scene, "/Child/map");
    const DvMappingOps *ops = dv_object_ops(mapping, DV_MAPPING);
    const DvJacobian *j = ops->jacobian(dv_object_self(mapping), 0, 0);
    assert_int_equal(j->rows, edges);
    for (uint32_t e = 0; e < edges; e++)
        assert_int_equal(j->row_start[e + 1], 2 * (e + 1));
    assert_memory_equal(j->columns, ends, 2 * edges * sizeof *ends);
}

/* The point of a removed edge stays; the last edge takes the number of the removed one, with its rest length. */
static void edges_that_come_and_go_keep_their_rest_lengths(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node name='root'><DefaultAnimationLoop/><MechanicalObject name='parent' position='0 0 0  1 0 0  1 2 0  1 2 3'/>"
        "<EdgeSetTopologyContainer name='edges' edges='0 1 1 2 2 3' position='0 0 0  1 0 0  1 2 0  1 2 3'/>"
        "<EdgeSetTopologyModifier name='modifier'/><Node name='Child'><MechanicalObject name='mapped' template='Vec1d'/>"
        "<DistanceMapping name='map' topology='@../edges' restLengths='0.25 0.5 0.75'/></Node></Node>");
    expect_outputs(scene, (const double[3]){0.75, 1.5, 2.25}, 3);
    expect_ends(scene, (const uint32_t[6]){0, 1, 1, 2, 2, 3}, 3);
    DvObject *modifier = scene_object(scene, "/modifier");
    const DvTopologyModifierOps *ops = dv_object_ops(modifier, DV_TOPOLOGY_MODIFIER);
    assert_int_equal(ops->remove_elements(dv_object_self(modifier), DV_EDGES, 1, (const uint32_t[1]){0}, false), DV_OK);
    assert_int_equal(dv_scene_step(scene, 0.01), DV_OK);
    expect_outputs(scene, (const double[2]){2.25, 1.5}, 2);
    assert_int_equal(ops->add_elements(dv_object_self(modifier), DV_EDGES, 1, (const uint32_t[2]){0, 3}, NULL), DV_OK);
    assert_int_equal(dv_scene_step(scene, 0.01), DV_OK);
    expect_outputs(scene, (const double[3]){2.25, 1.5, 0}, 3);
    expect_ends(scene, (const uint32_t[6]){2, 3, 1, 2, 0, 3}, 3);
    size_t count;
    const double *rest = dv_data_doubles(dv_object_field(scene_object(scene, "/Child/map"), "restLengths"), &count);
    assert_int_equal(count, 3);
    assert_true(rest[0] == 0.75 && rest[1] == 0.5 && fabs(rest[2] - sqrt(14)) < 1e-15);
    /* and so they do in a run that was saved */
    char file[64] = P_tmpdir "/divan-distance-XXXXXX.scn";
    const int descriptor = mkstemps(file, 4);
    assert_true(descriptor >= 0);
    close(descriptor);
    assert_int_equal(dv_scene_save(scene, file), DV_OK);
    dv_scene_free(scene);
    assert_int_equal(dv_scene_load(file, NULL, &scene), DV_OK);
    expect_outputs(scene, (const double[3]){2.25, 1.5, 0}, 3);
    dv_data_set(dv_object_field(scene_object(scene, "/parent"), "position"),
                (const double[12]){0, 0, 0, 1, 0, 0, 1, 2, 0, 4, 2, 4}, 4);
    assert_int_equal(dv_scene_step(scene, 0.01), DV_OK);
    expect_outputs(scene, (const double[3]){5 - 0.75, 1.5, 6 - sqrt(14)}, 3);
    dv_scene_free(scene);
    remove(file);
}

/* The squares of a mesh whose edges come and go need no rest lengths. */
static void squares_follow_edges_that_come_and_go(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node name='root'><DefaultAnimationLoop/><MechanicalObject name='parent' position='0 0 0  1 0 0  1 2 0  1 2 3'/>"
        "<EdgeSetTopologyContainer name='edges' edges='0 1 1 2 2 3' position='0 0 0  1 0 0  1 2 0  1 2 3'/>"
        "<EdgeSetTopologyModifier name='modifier'/><Node name='Child'><MechanicalObject name='mapped' template='Vec1d'/>"
        "<SquareDistanceMapping name='map' topology='@../edges'/></Node></Node>");
    expect_outputs(scene, (const double[3]){1, 4, 9}, 3);
    DvObject *modifier = scene_object(scene, "/modifier");
    const DvTopologyModifierOps *ops = dv_object_ops(modifier, DV_TOPOLOGY_MODIFIER);
    assert_int_equal(ops->remove_elements(dv_object_self(modifier), DV_EDGES, 1, (const uint32_t[1]){0}, false), DV_OK);
    assert_int_equal(ops->add_elements(dv_object_self(modifier), DV_EDGES, 1, (const uint32_t[2]){0, 3}, NULL), DV_OK);
    assert_int_equal(dv_scene_step(scene, 0.01), DV_OK);
    expect_outputs(scene, (const double[3]){9, 4, 14}, 3);
    expect_ends(scene, (const uint32_t[6]){2, 3, 1, 2, 0, 3}, 3);
    dv_scene_free(scene);
}

static void forces_are_those_of_a_spring(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        SCENE("Vec3d", "0 0 0  1 2 2", "<MeshTopology edges='0 1'/>", "<DistanceMapping name='map' restLengths='2'/>"));
    DvObject *map = scene_object(scene, "/Child/map");
    const DvMappingOps *ops = dv_object_ops(map, DV_MAPPING);
    const double force = -10.0; /* of a spring of 10 N/m that is 1 m too long */
    double f[6] = {0};
    ops->apply_jt(dv_object_self(map), &(const DvStep){.dt = 0.01}, &(const DvConstVec){&force, 1, 1},
                  &(const DvVec){f, 2, 3});
    static const double expected[6] = {10.0 / 3, 20.0 / 3, 20.0 / 3, -10.0 / 3, -20.0 / 3, -20.0 / 3};
    for (int i = 0; i < 6; i++)
        assert_true(fabs(f[i] - expected[i]) < 1e-14);
    dv_scene_free(scene);
}

/* A string of length 3 along (1 2 2) / 3 that constraints pull with 6 N: K = -2 N/m (I - u u^T) across it, in products as in the matrix,
 * though no component acts on the string. */
static void constraint_forces_count_in_the_geometric_stiffness(void **state)
{
    (void)state;
    DvScene *scene =
        scene_from_text(SCENE("Vec3d", "0 0 0  1 2 2", "<MeshTopology edges='0 1'/>", "<DistanceMapping/>"));
    const DvMechanicalOperationsOps *ops = dv_service(DV_MECHANICAL_OPERATIONS);
    DvMechanics *m = ops->open(dv_scene_root(scene));
    const DvStep step = {.dt = 0.01, .position = DV_POSITION, .velocity = DV_VELOCITY};
    dv_state_write(scene_state(scene, "/Child/mapped"), DV_LAMBDA, DV_OVERWRITE).at[0] = -6.0;
    ops->compute_force(m, &step, DV_FORCE, DV_WALK_WHOLE);
    const double dx[6] = {0, 0, 0, 1, 0, 0}, u[3] = {1.0 / 3, 2.0 / 3, 2.0 / 3};
    const DvVecId d = ops->allocate(m, DV_DERIVS), product = ops->allocate(m, DV_DERIVS);
    double df[6];
    ops->scatter(m, d, dx);
    const DvFactors stiffness = {.k = 1.0};
    ops->add_mbk(m, &step, stiffness, product, d, DV_WALK_WHOLE);
    ops->gather(m, df, product);
    const DvBlockMatrix *k = ops->assemble(m, &step, stiffness, 0);
    assert_non_null(k);
    assert_int_equal(k->block, 3);
    for (int i = 0; i < 3; i++) {
        const double expected = -2.0 * ((i == 0 ? 1.0 : 0.0) - u[i] * u[0]);
        const double *own = k->values + 9 * (size_t)k->diagonal[1];
        assert_true(fabs(df[3 + i] - expected) < 1e-14);
        assert_true(fabs(df[i] + expected) < 1e-14);
        assert_true(fabs(own[3 * i] - expected) < 1e-14);
    }
    ops->close(m);
    dv_scene_free(scene);
}

/* Mappings below each other: what constraints do to lengths counts in the stiffness of what computes their ends too. */
static const char nested[] =
    "<Node name='root' gravity='0 0 0'><DefaultAnimationLoop/>"
    "<MechanicalObject name='bodies' template='Rigid3d' position='0.1 0.2 0.3 0.5 0.5 0.5 0.5  1 2 1 0 0.6 0 0.8'/>"
    "<UniformMass totalMass='1'/><Node name='Ends'><MechanicalObject name='ends' template='Vec3d' "
    "position='0.3 0.1 0  -0.2 0.4 0.1  0 0.5 0.2  0.4 0 -0.3'/>"
    "<RigidMapping name='rigid' rigidIndexPerPoint='0 0 1 1' geometricStiffness='1'/>"
    "<Node name='Copy'><MechanicalObject name='copy' template='Vec3d' position='0 0 0  0 0 0  0 0 0  0 0 0'/>"
    "<IdentityMapping/><Node name='Lengths'><MechanicalObject name='lengths' template='Vec1d'/>"
    "<MeshTopology edges='0 2  1 3  0 3'/><DistanceMapping name='distance' geometricStiffness='1'/></Node></Node></Node></Node>";

static void multiply(const DvBlockMatrix *a, const double *x, double *y)
{
    const uint32_t b = a->block;
    for (uint32_t row = 0; row < a->rows * b; row++) {
        y[row] = 0.0;
        for (uint32_t e = a->row_start[row / b]; e < a->row_start[row / b + 1]; e++)
            for (uint32_t k = 0; k < b; k++)
                y[row] += a->values[(size_t)e * b * b + (size_t)(row % b) * b + k] * x[a->columns[e] * b + k];
    }
}

/* The force on the bodies, where they are, of loads on the lengths. */
static void force_of_loads(const DvMechanicalOperationsOps *ops, DvMechanics *m, DvScene *scene, const double *lambda,
                           double f[12])
{
    const DvStep step = {.dt = 0.01, .position = DV_POSITION, .velocity = DV_VELOCITY};
    ops->propagate_position(m, &step, DV_POSITION);
    memcpy(dv_state_write(scene_state(scene, "/Ends/Copy/Lengths/lengths"), DV_EXTERNAL_FORCE, DV_OVERWRITE).at, lambda,
           3 * sizeof *lambda);
    ops->compute_force(m, &step, DV_FORCE, DV_WALK_WHOLE);
    ops->end_integration(m);
    ops->gather(m, f, DV_FORCE);
}

static void constraint_forces_count_in_all_mappings_above(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(nested);
    const DvMechanicalOperationsOps *ops = dv_service(DV_MECHANICAL_OPERATIONS);
    DvMechanics *m = ops->open(dv_scene_root(scene));
    const DvStep step = {.dt = 0.01, .position = DV_POSITION, .velocity = DV_VELOCITY, .kind = DV_MATRIX_ANY};
    const double lambda[3] = {-6.0, 2.5, 4.0}, h = 1e-5;
    const DvStateRef bodies = scene_state(scene, "/bodies"), lengths = scene_state(scene, "/Ends/Copy/Lengths/lengths");
    const DvVecId d = ops->allocate(m, DV_DERIVS), product = ops->allocate(m, DV_DERIVS);
    const DvVecId start = ops->allocate(m, DV_COORDS);
    bodies.ops->combine(bodies.self, start, DV_POSITION, DV_NO_VEC, 0.0);
    for (int column = 0; column < 12; column++) {
        double dx[12] = {0}, f[2][12], df[12];
        dx[column] = 1.0;
        ops->scatter(m, d, dx);
        for (int side = 0; side < 2; side++) {
            bodies.ops->combine(bodies.self, DV_POSITION, start, d, side == 0 ? h : -h);
            force_of_loads(ops, m, scene, lambda, f[side]);
        }
        bodies.ops->combine(bodies.self, DV_POSITION, start, DV_NO_VEC, 0.0);
        ops->propagate_position(m, &step, DV_POSITION);
        memcpy(dv_state_write(lengths, DV_LAMBDA, DV_OVERWRITE).at, lambda, sizeof lambda);
        ops->compute_force(m, &step, DV_FORCE, DV_WALK_WHOLE);
        ops->clear(m, product);
        ops->add_mbk(m, &step, (DvFactors){.k = 1.0}, product, d, DV_WALK_WHOLE);
        ops->gather(m, df, product);
        const DvBlockMatrix *matrix = ops->assemble(m, &step, (DvFactors){.k = 1.0}, 0);
        assert_non_null(matrix);
        double assembled[12];
        multiply(matrix, dx, assembled);
        for (int row = 0; row < 12; row++) {
            const double expected = (f[0][row] - f[1][row]) / (2 * h);
            if (!(fabs(df[row] - expected) < 1e-8) || !(fabs(assembled[row] - expected) < 1e-8))
                fail_msg("entry %d %d: %.12g by differences, %.12g as a product, %.12g in the matrix", row, column,
                         expected, df[row], assembled[row]);
        }
        lengths.ops->clear(lengths.self, DV_LAMBDA);
    }
    ops->close(m);
    dv_scene_free(scene);
}

static void mistakes_are_named(void **state)
{
    (void)state;
    expect_load_error(SCENE("Vec3d", POINTS, "", "<DistanceMapping name='map'/>"), "DistanceMapping 'map'");
    expect_load_error(SCENE("Vec3d", POINTS, "<MeshTopology name='m'/>", "<DistanceMapping/>"),
                      "topology 'm' has no edges to measure");
    expect_load_error(SCENE("Vec3d", POINTS, "<MeshTopology edges='0 1 2 7'/>", "<DistanceMapping/>"),
                      "edge 1 of the topology: no point 7: the state has 4, counted from 0");
    expect_load_error(SCENE("Vec3d", POINTS, "<MeshTopology edges='0 1 2 2'/>", "<SquareDistanceMapping/>"),
                      "edge 1 of the topology: both its ends are point 2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances),
        cmocka_unit_test(squares),
        cmocka_unit_test(distances_of_bodies),
        cmocka_unit_test(distances_that_pull),
        cmocka_unit_test(squares_that_pull),
        cmocka_unit_test(distances_alone),
        cmocka_unit_test(outputs_are_lengths_less_those_at_rest),
        cmocka_unit_test(rest_lengths_of_frames_count_their_turn),
        cmocka_unit_test(ends_in_one_place_have_no_direction_of_their_own),
        cmocka_unit_test(stabilized_leaves_out_edges_that_push),
        cmocka_unit_test(edges_that_come_and_go_keep_their_rest_lengths),
        cmocka_unit_test(squares_follow_edges_that_come_and_go),
        cmocka_unit_test(forces_are_those_of_a_spring),
        cmocka_unit_test(constraint_forces_count_in_the_geometric_stiffness),
        cmocka_unit_test(constraint_forces_count_in_all_mappings_above),
        cmocka_unit_test(mistakes_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, stop_plugins);
}
