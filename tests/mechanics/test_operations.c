/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The mechanical operations of a subtree: forces through mappings, products with and without a matrix, the two walks, vectors,
 * edits of the graph, and that a step allocates nothing.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <divan/contracts/mapping.h>
#include <divan/contracts/mechanical_operations.h>
#include <divan/contracts/topology.h>
#include <divan/memory.h>
#include <divan/parallel.h>
#include <divan/plugin.h>
#include <divan/visitor.h>

#include "scene_text.h"

static const DvStep step = {.time = 0.0, .dt = 0.01, .position = DV_POSITION, .velocity = DV_VELOCITY};

static const DvMechanicalOperationsOps *ops_of_plugin(void)
{
    const DvMechanicalOperationsOps *ops = dv_service(DV_MECHANICAL_OPERATIONS);
    assert_non_null(ops);
    return ops;
}

static double *random_numbers(size_t n, uint32_t seed)
{
    double *at = calloc(n + 1, sizeof *at);
    for (size_t i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        at[i] = (double)(seed >> 8) / (double)(1u << 23) - 1.0;
    }
    return at;
}

/* ---- The matrix is the operator ---- */

static void multiply(const DvBlockMatrix *a, const double *x, double *y)
{
    const uint32_t b = a->block;
    for (uint32_t row = 0; row < a->rows; row++)
        for (uint32_t e = a->row_start[row]; e < a->row_start[row + 1]; e++)
            for (uint32_t i = 0; i < b; i++)
                for (uint32_t j = 0; j < b; j++)
                    y[row * b + i] += a->values[((size_t)e * b + i) * b + j] * x[a->columns[e] * b + j];
}

static void check_structure(const DvBlockMatrix *a)
{
    for (uint32_t row = 0; row < a->rows; row++) {
        assert_int_equal(a->columns[a->diagonal[row]], row);
        for (uint32_t e = a->row_start[row]; e < a->row_start[row + 1]; e++) {
            const uint32_t t = a->transposed[e], column = a->columns[e];
            assert_true(e == a->row_start[row] || a->columns[e - 1] < column);
            assert_true(t >= a->row_start[column] && t < a->row_start[column + 1]);
            assert_int_equal(a->columns[t], row);
        }
    }
}

static void assert_same(const double *a, const double *b, size_t n)
{
    double size = 0.0;
    for (size_t i = 0; i < n; i++)
        size = fmax(size, fabs(b[i]));
    assert_true(size > 0.0);
    for (size_t i = 0; i < n; i++)
        if (!(fabs(a[i] - b[i]) < 1e-11 * size))
            fail_msg("unknown %zu: %.17g with the matrix, %.17g without", i, a[i], b[i]);
}

/* m M + b B + k K, assembled, has the products of add_mbk; constrained, those with projection before and after. */
static void assembled_is_matrix_free(const char *text, uint32_t block)
{
    const DvFactors factors = {.m = 1.3, .b = -0.02, .k = -0.7};
    DvScene *scene = scene_from_text(text);
    const DvMechanicalOperationsOps *ops = ops_of_plugin();
    DvMechanics *m = ops->open(dv_scene_root(scene));
    ops->propagate_position(m, &step, DV_POSITION);
    ops->propagate_velocity(m, &step, DV_VELOCITY);
    ops->compute_force(m, &step, DV_FORCE, DV_WALK_WHOLE);
    const size_t n = ops->unknowns(m);
    double *x = random_numbers(n, 1), *with = calloc(n, sizeof *with), *without = calloc(n, sizeof *without);
    const DvVecId d = ops->allocate(m, DV_DERIVS), r = ops->allocate(m, DV_DERIVS);

    const DvBlockMatrix *a = ops->assemble(m, &step, factors, 0);
    assert_non_null(a);
    assert_int_equal(a->block, block);
    assert_int_equal((size_t)a->rows * a->block, n);
    check_structure(a);
    multiply(a, x, with);
    ops->scatter(m, d, x);
    ops->add_mbk(m, &step, factors, r, d, DV_WALK_WHOLE);
    ops->gather(m, without, r);
    assert_same(with, without, n);

    const uint64_t structure = a->structure, version = a->version;
    a = ops->assemble(m, &step, factors, DV_ASSEMBLE_CONSTRAINED);
    assert_true(a->structure == structure && a->version == version + 1);
    ops->project_response(m, &step, d, DV_WALK_WHOLE);
    ops->gather(m, x, d);
    memset(with, 0, n * sizeof *with);
    multiply(a, x, with);
    ops->clear(m, r);
    ops->add_mbk(m, &step, factors, r, d, DV_WALK_WHOLE);
    ops->project_response(m, &step, r, DV_WALK_WHOLE);
    ops->gather(m, without, r);
    assert_same(with, without, n);

    /* The same bits with four threads and many chunks. */
    const size_t entries = (size_t)a->row_start[a->rows] * a->block * a->block;
    assert_true(entries > 0);
    double *values = calloc(entries + 1, sizeof *values);
    memcpy(values, a->values, entries * sizeof *values);
    dv_parallel_set_threads(4);
    dv_parallel_set_grain_divisor(10000);
    (void)ops->assemble(m, &step, factors, 0);
    a = ops->assemble(m, &step, factors, DV_ASSEMBLE_CONSTRAINED);
    assert_memory_equal(a->values, values, entries * sizeof *values);
    dv_parallel_set_threads(1);
    dv_parallel_set_grain_divisor(1);
    free(values), free(x), free(with), free(without);
    ops->close(m);
    dv_scene_free(scene);
}

#define CHAIN "position='0 0 0 1 0.1 0 2 0 0.2 3 0.1 0.1' velocity='1 0 0 0 1 0 0 0 1 1 1 1'"
#define SPRINGS(k) \
    "<SpringForceField name='springs' spring='0 1 " k " 2 0.9 1 2 50 1 1.1 2 3 70 3 0.8' rayleighStiffness='0.1'/>"
#define BODIES "position='1 2 3 0 0 0 1   0 1 0 0.5 0.5 0.5 0.5'"

static void springs_and_masses(void **state)
{
    (void)state;
    assembled_is_matrix_free("<Node name='root' gravity='0 -9.81 0'><MechanicalObject name='dofs' " CHAIN "/>"
                             "<UniformMass totalMass='3' rayleighMass='0.3'/>" SPRINGS(
                                 "100") "<FixedProjectiveConstraint indices='0 2'/></Node>",
                             3);
}

static void blocks_of_two_and_of_one(void **state)
{
    (void)state;
    assembled_is_matrix_free(
        "<Node name='root'><MechanicalObject name='dofs' template='Vec2d' position='0 0 1 0.1 2 0.2 3 0'/>"
        "<UniformMass totalMass='3'/>" SPRINGS("100") "<FixedProjectiveConstraint indices='1'/></Node>",
        2);
    assembled_is_matrix_free(
        "<Node name='root'><Node name='A'><MechanicalObject template='Vec2d' position='0 0 1 0.1 2 0.2 3 0'/>"
        "<UniformMass totalMass='3'/>" SPRINGS("100") "<FixedProjectiveConstraint indices='1'/></Node>"
                                                      "<Node name='B'><MechanicalObject template='Vec3d' " CHAIN
                                                      "/><UniformMass totalMass='2'/>" SPRINGS("40") "</Node></Node>",
        1);
}

static void a_rigid_body_takes_two_blocks(void **state)
{
    (void)state;
    assembled_is_matrix_free("<Node name='root'><Node name='A'><MechanicalObject template='Rigid3d' " BODIES "/>"
                             "<UniformMass vertexMass='2 1 0.4 0.1 0 0.1 0.5 0.05 0 0.05 0.6'/>"
                             "<RestShapeSpringsForceField stiffness='10' angularStiffness='3'/></Node>"
                             "<Node name='B'><MechanicalObject " CHAIN
                             "/><UniformMass totalMass='2'/>" SPRINGS("40") "</Node></Node>",
                             3);
}

#define ON_BODY(stiffness)                                           \
    "<Node name='Points'><MechanicalObject name='points' " CHAIN     \
    "/><RigidMapping index='1' geometricStiffness='" stiffness "'/>" \
    "<UniformMass totalMass='2'/>" SPRINGS("100") "</Node>"

static void points_on_a_rigid_body(void **state)
{
    (void)state;
    assembled_is_matrix_free(
        "<Node name='root' gravity='0 -9.81 0'><MechanicalObject template='Rigid3d' " BODIES "/>"
        "<UniformMass vertexMass='2'/><FixedProjectiveConstraint indices='0'/>" ON_BODY("None") "</Node>",
        3);
    assembled_is_matrix_free("<Node name='root' gravity='0 -9.81 0'><MechanicalObject template='Rigid3d' " BODIES "/>"
                             "<UniformMass vertexMass='2'/>" ON_BODY("Exact") "</Node>",
                             3);
}

static void a_chain_of_mappings(void **state)
{
    (void)state;
    assembled_is_matrix_free(
        "<Node name='root'><MechanicalObject template='Rigid3d' " BODIES "/><UniformMass vertexMass='2'/>"
        "<Node name='Points'><MechanicalObject " CHAIN "/><RigidMapping index='1' geometricStiffness='Exact'/>"
        "<Node name='Copy'><MechanicalObject name='copy'/><IdentityMapping/>" SPRINGS(
            "100") "<UniformMass totalMass='2'/></Node></Node></Node>",
        3);
}

#define GRID                                                                                                                          \
    "<RegularGridTopology name='grid' n='3 2 2' min='0 0 0' max='2 1 1'/><MechanicalObject name='dofs'/><UniformMass totalMass='4'/>" \
    "<MeshSpringForceField stiffness='100' damping='2'/>"

static void a_surface_in_a_deforming_grid(void **state)
{
    (void)state;
    assembled_is_matrix_free(
        "<Node name='root' gravity='0 -9.81 0'>" GRID "<FixedProjectiveConstraint indices='0 3'/>"
        "<Node name='Surface'><MechanicalObject position='0.2 0.3 0.4 1.1 0.2 0.6 1.7 0.8 0.1 0.9 0.5 0.5'/>"
        "<BarycentricMapping/>" SPRINGS("100") "<UniformMass totalMass='2'/></Node></Node>",
        3);
}

/* A product once the couplings are known takes the points of a mapped state that are coupled, and has the same bits. Numbers at the
 * others show that they are left alone. */
static void assert_by_points(DvMechanics *m, DvStateRef surface, const uint32_t *coupled, uint32_t count)
{
    const DvMechanicalOperationsOps *ops = ops_of_plugin();
    const DvFactors factors = {.m = 1.3, .b = -0.02, .k = -0.7};
    const size_t n = ops->unknowns(m);
    double *x = random_numbers(n, 5), *whole = calloc(n, sizeof *whole), *of_points = calloc(n, sizeof *of_points);
    const DvVecId d = ops->allocate(m, DV_DERIVS), r = ops->allocate(m, DV_DERIVS);
    ops->end_integration(m); /* outer forces would make all points count */
    ops->propagate_position(m, &step, DV_POSITION);
    ops->compute_force(m, &step, DV_FORCE, DV_WALK_WHOLE);
    ops->scatter(m, d, x);
    ops->add_mbk(m, &step, factors, r, d, DV_WALK_WHOLE); /* nobody has asked for couplings */
    ops->gather(m, whole, r);
    (void)ops->prefers_assembled(m, 10);
    DvVec f = dv_state_write(surface, DV_DFORCE, DV_READ_WRITE);
    for (size_t i = 0; i < 3 * (size_t)f.count; i++)
        f.at[i] = 77.0;
    ops->clear(m, r);
    ops->add_mbk(m, &step, factors, r, d, DV_WALK_WHOLE);
    ops->gather(m, of_points, r);
    assert_memory_equal(whole, of_points, n * sizeof *whole);
    f = dv_state_write(surface, DV_DFORCE, DV_READ_WRITE);
    for (uint32_t i = 0; i < f.count; i++) {
        bool is_coupled = false;
        for (uint32_t k = 0; k < count; k++)
            is_coupled = is_coupled || coupled[k] == i;
        assert_int_equal(f.at[3 * i] == 77.0, !is_coupled);
    }
    ops->release(m, d), ops->release(m, r);
    free(x), free(whole), free(of_points);
}

/* Points in a tetrahedron whose corners are taken from the grid in descending order: columns of a product are ascending all the same. */
static void a_chain_in_descending_order(void **state)
{
    (void)state;
    assembled_is_matrix_free(
        "<Node name='root' gravity='0 -9.81 0'>" GRID
        "<Node name='Corners'><MechanicalObject name='corners'/><SubsetMapping indices='6 3 1 0'/>"
        "<MeshTopology tetrahedra='1 0 2 3' position='0 0 1 0 1 0 1 0 0 0 0 0'/><Node name='Inside'>"
        "<MechanicalObject position='0.2 0.3 0.4 0.1 0.2 0.6 0.7 0.1 0.1 0.1 0.5 0.2'/><BarycentricMapping/>" SPRINGS(
            "100") "<UniformMass totalMass='2'/></Node></Node></Node>",
        3);
}

static void a_product_takes_the_coupled_points_of_a_surface(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node name='root'>" GRID
        "<Node name='Surface'><MechanicalObject name='points' position='0.2 0.3 0.4 1.1 0.2 0.6 1.7 0.8 0.1 0.9 0.5 0.5'/>"
        "<BarycentricMapping/><SpringForceField name='springs' spring='1 3 100 3 0.5'/></Node></Node>");
    DvMechanics *m = ops_of_plugin()->open(dv_scene_root(scene));
    const DvStateRef surface = dv_state_ref(scene_object(scene, "/Surface/points"));
    assert_by_points(m, surface, (const uint32_t[]){1, 3}, 2);
    /* Other couplings: not those of before. */
    assert_int_equal(
        dv_data_set_text(dv_object_field(scene_object(scene, "/Surface/springs"), "spring"), "0 3 100 3 0.5"), DV_OK);
    assert_by_points(m, surface, (const uint32_t[]){0, 3}, 2);
    ops_of_plugin()->close(m);
    dv_scene_free(scene);
}

static void a_spring_between_a_mapped_and_a_free_point(void **state)
{
    (void)state;
    assembled_is_matrix_free(
        "<Node name='root'><Node name='A'>" GRID
        "<Node name='Surface'><MechanicalObject name='points' position='0.2 0.3 0.4 1.1 0.2 0.6'/>"
        "<BarycentricMapping/></Node></Node>"
        "<Node name='B'><MechanicalObject name='dofs' template='Rigid3d' " BODIES "/><UniformMass vertexMass='2'/>"
        "<Node name='Points'><MechanicalObject name='points' position='0.1 0.2 0.3 1 0 0'/><RigidMapping index='1'/></Node></Node>"
        "<Node name='C'><MechanicalObject name='dofs' position='0 1 2'/><UniformMass totalMass='1'/></Node>"
        "<SpringForceField object1='@A/Surface/points' object2='@B/Points/points' spring='0 1 100 3 0.5 1 0 80 1 0.4'/>"
        "<SpringForceField object1='@A/Surface/points' object2='@C/dofs' spring='1 0 60 3 0.5'/></Node>",
        3);
}

static void rows_and_columns_of_fixed_points_are_those_of_the_identity(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node name='root'><MechanicalObject name='dofs' " CHAIN
        "/><UniformMass totalMass='3'/>" SPRINGS("100") "<FixedProjectiveConstraint name='fixed' indices='1'/></Node>");
    const DvMechanicalOperationsOps *ops = ops_of_plugin();
    DvMechanics *m = ops->open(dv_scene_root(scene));
    ops->compute_force(m, &step, DV_FORCE, DV_WALK_WHOLE);
    const DvBlockMatrix *a = ops->assemble(m, &step, (DvFactors){.m = 1, .k = -1}, DV_ASSEMBLE_CONSTRAINED);
    for (uint32_t row = 0; row < 4; row++)
        for (uint32_t e = a->row_start[row]; e < a->row_start[row + 1]; e++)
            for (uint32_t i = 0; i < 9 && (row == 1 || a->columns[e] == 1); i++)
                assert_true(a->values[9 * e + i] == (row == a->columns[e] && i % 4 == 0 ? 1.0 : 0.0));
    dv_data_set_double(dv_object_field(scene_object(scene, "/fixed"), "endTime"), 1.0);
    const DvStep late = {.time = 2.0, .dt = 0.01, .position = DV_POSITION, .velocity = DV_VELOCITY};
    a = ops->assemble(m, &late, (DvFactors){.m = 1, .k = -1}, DV_ASSEMBLE_CONSTRAINED);
    assert_true(a->values[9 * (size_t)a->diagonal[1]] != 1.0); /* free again */
    ops->close(m);
    dv_scene_free(scene);
}

/* One direction of a point by one constraint, another one by a second: of each pair of points the rows and columns of these are cleared, the
 * others are those of the matrix without constraints. */
static void single_directions_of_points_are_fixed(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node name='root'><MechanicalObject name='dofs' " CHAIN "/><UniformMass totalMass='3'/>" SPRINGS(
            "100") "<FixedPlaneProjectiveConstraint indices='1 2' direction='0 1 0'/>"
                   "<FixedPlaneProjectiveConstraint indices='1' direction='0 0 1'/></Node>");
    const bool fixed[4][3] = {{false}, {false, true, true}, {false, true, false}, {false}};
    const DvMechanicalOperationsOps *ops = ops_of_plugin();
    DvMechanics *m = ops->open(dv_scene_root(scene));
    ops->compute_force(m, &step, DV_FORCE, DV_WALK_WHOLE);
    double free_values[16 * 9];
    const DvBlockMatrix *a = ops->assemble(m, &step, (DvFactors){.m = 1, .k = -1}, 0);
    const size_t numbers = 9 * (size_t)a->row_start[4];
    assert_int_equal(numbers, 9 * (4 + 2 * 3)); /* a chain */
    memcpy(free_values, a->values, numbers * sizeof *free_values);
    a = ops->assemble(m, &step, (DvFactors){.m = 1, .k = -1}, DV_ASSEMBLE_CONSTRAINED);
    for (uint32_t row = 0; row < 4; row++)
        for (uint32_t e = a->row_start[row]; e < a->row_start[row + 1]; e++)
            for (uint32_t i = 0; i < 9; i++) {
                const uint32_t column = a->columns[e], r = i / 3, c = i % 3;
                const double identity = row == column && r == c ? 1.0 : 0.0;
                const bool cleared = fixed[row][r] || fixed[column][c];
                assert_true(a->values[9 * e + i] == (cleared ? identity : free_values[9 * e + i]));
            }
    ops->close(m);
    dv_scene_free(scene);
}

/* ---- Parts of a matrix ---- */

static double norm_of_assembly(const DvMechanicalOperationsOps *ops, DvMechanics *m, DvFactors factors, uint32_t parts)
{
    const DvBlockMatrix *a = ops->assemble(m, &step, factors, parts);
    double sum = 0.0;
    for (size_t i = 0; i < (size_t)a->row_start[a->rows] * a->block * a->block; i++)
        sum += a->values[i] * a->values[i];
    return sum;
}

static void parts_can_be_left_out(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text("<Node name='root'><MechanicalObject template='Rigid3d' " BODIES
                                     "/><UniformMass vertexMass='2'/>" ON_BODY("Exact") "</Node>");
    const DvMechanicalOperationsOps *ops = ops_of_plugin();
    DvMechanics *m = ops->open(dv_scene_root(scene));
    ops->compute_force(m, &step, DV_FORCE, DV_WALK_WHOLE);
    const DvFactors mass = {.m = 1}, stiffness = {.k = 1}, damping = {.b = 1}, nothing = {.m = 0};
    assert_true(norm_of_assembly(ops, m, nothing, 0) == 0.0);
    assert_true(norm_of_assembly(ops, m, mass, DV_ASSEMBLE_NO_MASS) == 0.0);
    const double all = norm_of_assembly(ops, m, stiffness, 0);
    const double fields = norm_of_assembly(ops, m, stiffness, DV_ASSEMBLE_NO_GEOMETRIC_STIFFNESS);
    const double geometric = norm_of_assembly(ops, m, stiffness, DV_ASSEMBLE_NO_STIFFNESS);
    assert_true(all > 0.0 && fields > 0.0 && geometric > 0.0 && fields != all && geometric != all);
    assert_true(norm_of_assembly(ops, m, stiffness, DV_ASSEMBLE_NO_STIFFNESS | DV_ASSEMBLE_NO_GEOMETRIC_STIFFNESS) ==
                0.0);
    assert_true(norm_of_assembly(ops, m, damping, DV_ASSEMBLE_NO_DAMPING) > 0.0); /* rayleighStiffness stays */
    assert_true(norm_of_assembly(ops, m, mass, DV_ASSEMBLE_NO_MAPPED) > 0.0);
    assert_true(norm_of_assembly(ops, m, stiffness, DV_ASSEMBLE_NO_MAPPED) != all);
    ops->close(m);
    dv_scene_free(scene);
}

/* ---- Forces through mappings ---- */

static void forces_on_points_turn_the_body(void **state)
{
    (void)state;
    DvScene *scene =
        scene_from_text("<Node name='root'><MechanicalObject name='body' template='Rigid3d' position='1 0 0 0 0 0 1'/>"
                        "<Node name='Points'><MechanicalObject name='points' position='0 2 0'/><RigidMapping/>"
                        "<ConstantForceField indices='0' forces='3 0 1'/></Node></Node>");
    const DvMechanicalOperationsOps *ops = ops_of_plugin();
    DvMechanics *m = ops->open(dv_scene_root(scene));
    const double expected[6] = {3, 0, 1, 2, 0, -6}; /* (0 2 0) x (3 0 1) */
    double force[6];
    ops->compute_force(m, &step, DV_FORCE, DV_WALK_VISITOR);
    ops->gather(m, force, DV_FORCE);
    assert_memory_equal(force, expected, sizeof expected);
    /* A force from outside on the mapped point comes on top, once. */
    const DvStateRef points = scene_state(scene, "/Points/points");
    points.ops->write(points.self, DV_EXTERNAL_FORCE, DV_HOST, DV_READ_WRITE)[2] += 1.0;
    ops->compute_force(m, &step, DV_FORCE, DV_WALK_VISITOR);
    ops->gather(m, force, DV_FORCE);
    assert_true(force[2] == 2.0 && force[3] == 4.0);
    ops->end_integration(m);
    assert_false(points.ops->has(points.self, DV_EXTERNAL_FORCE));
    ops->compute_force(m, &step, DV_FORCE, DV_WALK_VISITOR);
    ops->gather(m, force, DV_FORCE);
    assert_memory_equal(force, expected, sizeof expected);
    ops->close(m);
    dv_scene_free(scene);
}

static void an_outer_force_comes_up_through_points_that_nothing_acts_on(void **state)
{
    (void)state;
    DvScene *scene =
        scene_from_text("<Node name='root'><MechanicalObject name='body' template='Rigid3d' position='1 0 0 0 0 0 1'/>"
                        "<Node name='Points'><MechanicalObject name='points' position='0 2 0'/>"
                        "<RigidMapping geometricStiffness='Exact'/></Node></Node>");
    const DvMechanicalOperationsOps *ops = ops_of_plugin();
    DvMechanics *m = ops->open(dv_scene_root(scene));
    const DvStateRef points = scene_state(scene, "/Points/points");
    points.ops->write(points.self, DV_EXTERNAL_FORCE, DV_HOST, DV_READ_WRITE)[0] = 3.0;
    double force[6], turned[6], df[6];
    ops->compute_force(m, &step, DV_FORCE, DV_WALK_VISITOR);
    ops->gather(m, force, DV_FORCE);
    assert_true(force[0] == 3.0 && force[5] == -6.0);
    /* Its geometric stiffness, by differences. */
    const DvVecId d = ops->allocate(m, DV_DERIVS), r = ops->allocate(m, DV_DERIVS);
    const double turn[6] = {0, 0, 0, 0, 0, 1}, h = 1e-6;
    ops->scatter(m, d, turn);
    ops->add_mbk(m, &step, (DvFactors){.k = 1.0}, r, d, DV_WALK_VISITOR);
    ops->gather(m, df, r);
    ops->combine(m, DV_POSITION, DV_POSITION, d, h);
    ops->propagate_position(m, &step, DV_POSITION);
    ops->compute_force(m, &step, DV_FORCE, DV_WALK_VISITOR);
    ops->gather(m, turned, DV_FORCE);
    for (size_t i = 0; i < 6; i++)
        assert_true(fabs((turned[i] - force[i]) / h - df[i]) < 1e-4);
    assert_true(fabs(df[5]) < 1e-12 && fabs((turned[5] - force[5]) / h) < 1e-4);
    ops->close(m);
    dv_scene_free(scene);
}

static void the_visitor_walk_stops_at_a_mapping_without_forces(void **state)
{
    (void)state;
    DvScene *scene =
        scene_from_text("<Node name='root'><MechanicalObject name='dofs'/>"
                        "<Node name='Child'><MechanicalObject name='copy'/><IdentityMapping name='map' mapForces='0'/>"
                        "<ConstantForceField indices='0' forces='3 0 1'/><UniformMass totalMass='2'/></Node></Node>");
    const DvMechanicalOperationsOps *ops = ops_of_plugin();
    DvMechanics *m = ops->open(dv_scene_root(scene));
    double force[3];
    ops->compute_force(m, &step, DV_FORCE, DV_WALK_WHOLE); /* before any force of another walk is there */
    ops->gather(m, force, DV_FORCE);
    assert_true(force[0] == 3.0);
    ops->compute_force(m, &step, DV_FORCE, DV_WALK_VISITOR);
    ops->gather(m, force, DV_FORCE);
    assert_true(force[0] == 0.0);
    ops->compute_force(m, &step, DV_FORCE, DV_WALK_WHOLE);
    ops->gather(m, force, DV_FORCE);
    assert_true(force[0] == 3.0);
    assert_false(ops->prefers_assembled(m, 1000000)); /* it would be another operator */
    dv_data_set_bool(dv_object_field(scene_object(scene, "/Child/map"), "mapForces"), true);
    ops->compute_force(m, &step, DV_FORCE, DV_WALK_VISITOR);
    ops->gather(m, force, DV_FORCE);
    assert_true(force[0] == 3.0);
    ops->close(m);
    dv_scene_free(scene);
}

static void a_spring_above_the_solvers_acts_from_outside(void **state)
{
    (void)state;
    DvScene *scene =
        scene_from_text("<Node name='root'><Node name='A'><MechanicalObject name='dofs' position='0 0 0'/></Node>"
                        "<Node name='B'><MechanicalObject name='dofs' position='2 0 0'/></Node>"
                        "<SpringForceField object1='@A/dofs' object2='@B/dofs' spring='0 0 10 0 1'/></Node>");
    const DvMechanicalOperationsOps *ops = ops_of_plugin();
    DvMechanics *m = ops->open(dv_scene_root(scene));
    ops->end_integration(m); /* the zeros of the start */
    ops->interaction_forces_to_external(m, &step);
    const DvStateRef a = scene_state(scene, "/A/dofs"), b = scene_state(scene, "/B/dofs");
    assert_true(dv_state_read(a, DV_EXTERNAL_FORCE).at[0] == 10.0);
    assert_true(dv_state_read(b, DV_EXTERNAL_FORCE).at[0] == -10.0);
    assert_true(dv_state_read(a, DV_FORCE).at[0] == 0.0);
    ops->end_integration(m);
    assert_false(a.ops->has(a.self, DV_EXTERNAL_FORCE));
    ops->close(m);
    dv_scene_free(scene);
}

static void a_state_outside_the_node_counts_as_fixed(void **state)
{
    (void)state;
    DvScene *scene =
        scene_from_text("<Node name='root'><Node name='A'><MechanicalObject name='dofs' position='0 0 0'/></Node>"
                        "<Node name='B'><MechanicalObject name='dofs' position='2 0 0'/><UniformMass totalMass='1'/>"
                        "<SpringForceField object1='@/A/dofs' object2='@/B/dofs' spring='0 0 10 0 1'/></Node></Node>");
    const DvMechanicalOperationsOps *ops = ops_of_plugin();
    DvMechanics *m = ops->open(dv_object_node(scene_object(scene, "/B/dofs")));
    assert_int_equal(ops->unknowns(m), 3);
    double force[3], df[3];
    ops->compute_force(m, &step, DV_FORCE, DV_WALK_VISITOR);
    ops->gather(m, force, DV_FORCE);
    assert_true(force[0] == -10.0);
    assert_true(dv_state_read(scene_state(scene, "/A/dofs"), DV_FORCE).at[0] == 0.0);
    const DvVecId d = ops->allocate(m, DV_DERIVS), r = ops->allocate(m, DV_DERIVS);
    ops->scatter(m, d, (const double[3]){1, 0, 0});
    ops->add_mbk(m, &step, (DvFactors){.k = 1.0}, r, d, DV_WALK_VISITOR);
    ops->gather(m, df, r);
    assert_true(df[0] == -10.0);
    const DvBlockMatrix *a = ops->assemble(m, &step, (DvFactors){.k = 1.0}, 0);
    assert_true(a->rows == 1 && a->values[0] == -10.0);
    ops->close(m);
    dv_scene_free(scene);
}

/* ---- Vectors ---- */

#define TWO_STATES                                                                                                                     \
    "<Node name='root'><Node name='A'><MechanicalObject name='dofs' position='1 2 3'/><UniformMass name='mass' totalMass='1'/></Node>" \
    "<Node name='B'><MechanicalObject name='dofs' template='Rigid3d' position='4 5 6 0 0 0 1'/><UniformMass vertexMass='2'/></Node></Node>"

static void vectors_run_over_the_independent_states_in_order(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(TWO_STATES);
    const DvMechanicalOperationsOps *ops = ops_of_plugin();
    DvMechanics *m = ops->open(dv_scene_root(scene));
    assert_int_equal(ops->unknowns(m), 9);
    const double flat[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    double back[9];
    const DvVecId a = ops->allocate(m, DV_DERIVS), b = ops->allocate(m, DV_DERIVS), x = ops->allocate(m, DV_COORDS);
    assert_true(a != b && dv_vec_kind(a) == DV_DERIVS && dv_vec_kind(x) == DV_COORDS);
    ops->scatter(m, a, flat);
    ops->combine(m, b, a, a, 0.5);
    ops->gather(m, back, b);
    for (size_t i = 0; i < 9; i++)
        assert_true(back[i] == 1.5 * flat[i]);
    assert_true(ops->dot(m, a, b) == 1.5 * 285.0);
    ops->threshold(m, a, 4.0); /* |(1 2 3)| < 4 < |(4 ... 9)| */
    ops->gather(m, back, a);
    assert_true(back[0] == 0.0 && back[2] == 0.0 && back[3] == 4.0);
    ops->clear(m, b);
    assert_true(ops->dot(m, b, b) == 0.0);
    ops->combine(m, x, DV_POSITION, DV_VELOCITY, 1.0);
    assert_true(dv_state_read(scene_state(scene, "/B/dofs"), x).at[6] == 1.0);

    DvMechanics *below = ops->open(dv_object_node(scene_object(scene, "/A/dofs")));
    const DvVecId other = ops->allocate(below, DV_DERIVS);
    assert_true(other != a && other != b); /* they share a state */
    /* nor is a vector taken from above where a state has come that never had it */
    DvNode *late = dv_node_new(dv_scene_root(scene), "Late");
    assert_int_equal(dv_object_new(late, "MechanicalObject", NULL, "position", "0 0 0", NULL), DV_OK);
    DvMechanics *there = ops->open(late);
    const DvVecId own = ops->allocate(there, DV_DERIVS);
    assert_true(own != a && own != b);
    ops->close(there);
    dv_node_remove(late);
    ops->release(m, a);
    assert_true(ops->allocate(m, DV_DERIVS) == a);
    ops->close(below);
    ops->close(m);
    dv_scene_free(scene);
}

static void accelerations_need_a_diagonal_mass(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node name='root' gravity='0 -10 0'><MechanicalObject name='dofs' velocity='1 0 0'/>"
        "<UniformMass name='mass' totalMass='2'/><ConstantForceField indices='0' forces='4 0 0'/></Node>");
    const DvMechanicalOperationsOps *ops = ops_of_plugin();
    DvMechanics *m = ops->open(dv_scene_root(scene));
    const DvVecId a = ops->allocate(m, DV_DERIVS);
    double value[3];
    assert_int_equal(ops->mass_kind(m), DV_MASS_DIAGONAL);
    ops->compute_acceleration(m, &step, a);
    ops->gather(m, value, a);
    assert_true(value[0] == 2.0 && value[1] == -10.0);
    ops->clear(m, a);
    ops->add_mdx(m, 3.0, a, DV_VELOCITY);
    ops->gather(m, value, a);
    assert_true(value[0] == 6.0);
    dv_data_set_bool(dv_object_field(scene_object(scene, "/mass"), "separateGravity"), true);
    ops->add_separate_gravity(m, 0.5, DV_VELOCITY);
    assert_true(dv_state_read(scene_state(scene, "/dofs"), DV_VELOCITY).at[1] == -5.0);
    ops->close(m);
    dv_scene_free(scene);

    scene =
        scene_from_text("<Node name='root'><MechanicalObject/><Node name='Child'><MechanicalObject/><IdentityMapping/>"
                        "<UniformMass totalMass='2'/></Node></Node>");
    m = ops->open(dv_scene_root(scene));
    assert_int_equal(ops->mass_kind(m), DV_MASS_GENERAL);
    ops->close(m);
    dv_scene_free(scene);
    scene = scene_from_text("<Node name='root'><MechanicalObject/></Node>");
    m = ops->open(dv_scene_root(scene));
    assert_int_equal(ops->mass_kind(m), DV_MASS_NONE);
    ops->close(m);
    dv_scene_free(scene);
}

static void energies_and_momentum_are_sums(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node name='root' gravity='0 -10 0'>"
        "<Node name='A'><MechanicalObject position='0 3 0 2 0 0' velocity='1 0 0 0 0 0'/><UniformMass vertexMass='2'/>"
        "<SpringForceField spring='0 1 0 0 1'/></Node>"
        "<Node name='B'><MechanicalObject position='0 1 0' velocity='0 0 3'/><UniformMass totalMass='4'/></Node></Node>");
    const DvMechanicalOperationsOps *ops = ops_of_plugin();
    DvMechanics *m = ops->open(dv_scene_root(scene));
    double momentum[6];
    assert_true(ops->kinetic_energy(m) == 0.5 * 2.0 + 0.5 * 4.0 * 9.0);
    assert_true(fabs(ops->potential_energy(m) - (2.0 * 10.0 * 3.0 + 4.0 * 10.0)) < 1e-12);
    ops->momentum(m, momentum);
    const double expected[6] = {2, 0, 12, 12, 0, -6}; /* (0 3 0) x (2 0 0) + (0 1 0) x (0 0 12) */
    assert_memory_equal(momentum, expected, sizeof expected);
    ops->close(m);
    dv_scene_free(scene);
}

/* Two masses of a body: both count in every way there is. */
static void masses_of_one_state_add_up(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node name='root' gravity='1 -10 2'><MechanicalObject name='dofs' template='Rigid3d' position='1 2 3 0 0 0 1' "
        "velocity='1 2 3 0.1 0.2 -0.3'/><UniformMass vertexMass='2 1 [0.4 0.1 0, 0.1 0.5 0.05, 0 0.05 0.6]'/>"
        "<DiagonalMass vertexMass='3 1 [1 0 0, 0 2 0.1, 0 0.1 3]'/>"
        "<ConstantForceField indices='0' forces='0 0 0 4 -5 6'/></Node>");
    /* The sum, of which M a = f has to hold. */
    const double matrix[3][3] = {
        {2 * 0.4 + 3, 2 * 0.1, 0}, {2 * 0.1, 2 * 0.5 + 6, 2 * 0.05 + 0.3}, {0, 2 * 0.05 + 0.3, 2 * 0.6 + 9}};
    const double v[6] = {1, 2, 3, 0.1, 0.2, -0.3}, torque[3] = {4, -5, 6};
    const DvMechanicalOperationsOps *ops = ops_of_plugin();
    DvMechanics *m = ops->open(dv_scene_root(scene));
    const DvVecId a = ops->allocate(m, DV_DERIVS), product = ops->allocate(m, DV_DERIVS);
    double value[6], mv[6], sum[6], energy = 0.5 * 5 * 14;
    ops->compute_acceleration(m, &step, a);
    ops->gather(m, value, a);
    assert_true(fabs(value[0] - 1) < 1e-14 && fabs(value[1] + 10) < 1e-14 && fabs(value[2] - 2) < 1e-14);
    for (int i = 0; i < 3; i++) {
        double moment = 0, turned = 0;
        for (int k = 0; k < 3; k++) {
            moment += matrix[i][k] * value[3 + k];
            turned += matrix[i][k] * v[3 + k];
        }
        assert_true(fabs(moment - torque[i]) < 1e-13);
        sum[i] = 5 * v[i];
        sum[3 + i] = turned;
        energy += 0.5 * turned * v[3 + i];
    }
    ops->add_mdx(m, 1.0, product, DV_VELOCITY);
    ops->gather(m, value, product);
    ops->clear(m, product);
    ops->add_mbk(m, &step, (DvFactors){.m = 1.0}, product, DV_VELOCITY, DV_WALK_WHOLE);
    ops->gather(m, mv, product);
    const DvBlockMatrix *assembled = ops->assemble(m, &step, (DvFactors){.m = 1.0}, 0);
    assert_true(assembled->rows * assembled->block == 6);
    for (uint32_t i = 0; i < 6; i++) {
        double row = 0;
        for (uint32_t e = assembled->row_start[i / assembled->block];
             e < assembled->row_start[i / assembled->block + 1]; e++)
            for (uint32_t k = 0; k < assembled->block; k++)
                row += assembled->values[((size_t)e * assembled->block + i % assembled->block) * assembled->block + k] *
                       v[assembled->columns[e] * assembled->block + k];
        assert_true(fabs(value[i] - sum[i]) < 1e-14 && fabs(mv[i] - sum[i]) < 1e-14 && fabs(row - sum[i]) < 1e-14);
    }
    assert_true(fabs(ops->kinetic_energy(m) - energy) < 1e-13);
    assert_true(fabs(ops->potential_energy(m) + 5 * (1 * 1 - 10 * 2 + 2 * 3)) < 1e-13);
    ops->momentum(m, value);
    sum[3] += 2 * sum[2] - 3 * sum[1], sum[4] += 3 * sum[0] - 1 * sum[2], sum[5] += 1 * sum[1] - 2 * sum[0];
    for (int i = 0; i < 6; i++)
        assert_true(fabs(value[i] - sum[i]) < 1e-13);
    ops->close(m);
    dv_scene_free(scene);
}

/* Each solver lets a state with two masses fall as one with their sum. */
static void bodies_with_two_masses_fall_as_all_do(void **state)
{
    (void)state;
    static const char *const solvers[] = {
        "<EulerExplicitSolver/>",
        "<RungeKutta4Solver/>",
        "<EulerImplicitSolver/><SparseLDLSolver/>",
        "<EulerImplicitSolver/><CGLinearSolver iterations='50' tolerance='1e-12' threshold='1e-24'/>",
    };
    for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++)
        for (int separate = 0; separate < 2; separate++) {
            char text[1024];
            snprintf(
                text, sizeof text,
                "<Node name='root' gravity='0 -10 0' dt='0.1'><DefaultAnimationLoop/>%s"
                "<MechanicalObject name='dofs' position='0 0 0  1 0 0'/><UniformMass vertexMass='1' separateGravity='%d'/>"
                "<UniformMass vertexMass='3' indices='1' separateGravity='%d'/></Node>",
                solvers[i], separate, separate);
            DvScene *scene = scene_from_text(text);
            for (int n = 0; n < 3; n++)
                assert_int_equal(dv_scene_step(scene, 0), DV_OK);
            const double *v = dv_state_read(scene_state(scene, "/dofs"), DV_VELOCITY).at;
            assert_true(fabs(v[1] + 3) < 1e-14 && fabs(v[4] + 3) < 1e-14);
            dv_scene_free(scene);
        }
}

/* The masses of another state, of other points, count for that one alone. */
static void two_states_with_two_masses_each_have_their_own(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node name='root' gravity='0 0 0' dt='0.5'><DefaultAnimationLoop/><EulerExplicitSolver/>"
        "<Node name='A'><MechanicalObject name='dofs' position='0 0 0  1 0 0  2 0 0'/><UniformMass vertexMass='1'/>"
        "<UniformMass vertexMass='3'/><ConstantForceField indices='0 1 2' forces='8 0 0'/></Node>"
        "<Node name='B'><MechanicalObject name='dofs' position='0 0 0'/><UniformMass vertexMass='2'/>"
        "<UniformMass vertexMass='14'/><ConstantForceField indices='0' forces='0 8 0'/></Node></Node>");
    assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    const double *a = dv_state_read(scene_state(scene, "/A/dofs"), DV_VELOCITY).at,
                 *b = dv_state_read(scene_state(scene, "/B/dofs"), DV_VELOCITY).at;
    for (int p = 0; p < 3; p++)
        assert_true(fabs(a[3 * p] - 1.0) < 1e-14); /* 0.5 s of 8 N on 4 kg */
    assert_true(fabs(b[1] - 0.25) < 1e-14);
    dv_scene_free(scene);
}

static void tags_of_the_node_choose_who_takes_part(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node name='root'><Node name='A' tags='body'><MechanicalObject name='dofs' tags='body' position='0 0 0 2 0 0'/>"
        "<ConstantForceField tags='body' indices='0' forces='1 0 0'/>"
        "<ConstantForceField indices='0' forces='10 0 0'/></Node></Node>");
    const DvMechanicalOperationsOps *ops = ops_of_plugin();
    DvMechanics *m = ops->open(dv_object_node(scene_object(scene, "/A/dofs")));
    double force[6];
    ops->compute_force(m, &step, DV_FORCE, DV_WALK_VISITOR);
    ops->gather(m, force, DV_FORCE);
    assert_true(force[0] == 1.0);
    ops->close(m);
    dv_scene_free(scene);
}

/* ---- Edits ---- */

/* ---- A matrix that has not changed ---- */

#define CONSTANT                                                                                                           \
    "<Node name='root'><MechanicalObject name='dofs' position='0 0 0 1 0 0 0 1 0 0 0 1 1 1 1'/>"                           \
    "<MeshTopology position='0 0 0 1 0 0 0 1 0 0 0 1 1 1 1' tetrahedra='0 1 2 3 1 2 3 4'/>"                                \
    "<TetrahedronFEMForceField name='fem' method='small' youngModulus='100' poissonRatio='0.3' updateStiffness='1'/>"      \
    "<DiagonalMass name='mass' vertexMass='1 2 3 4 5'/><FixedProjectiveConstraint name='fixed' indices='0'/>"              \
    "<Node name='Skin'><MechanicalObject name='dofs' position='0.2 0.2 0.2 0.1 0.3 0.4'/><BarycentricMapping/>"            \
    "<RestShapeSpringsForceField name='springs' points='0 1' stiffness='10 20'/><UniformMass name='drops' totalMass='1'/>" \
    "<Node name='Copy'><MechanicalObject name='dofs'/><IdentityMapping/>"                                                  \
    "<RestShapeSpringsForceField name='more' points='1' stiffness='7'/></Node></Node>%s</Node>"

typedef struct Kept {
    const DvMechanicalOperationsOps *ops;
    DvMechanics *m;
    DvNode *root;
    DvFactors factors;
    uint32_t parts;
    uint64_t structure, version;
} Kept;

/* Assembles, and compares with a matrix assembled anew; whether the version is another one than before. */
static bool assembled_again(Kept *k)
{
    const DvBlockMatrix *a = k->ops->assemble(k->m, &step, k->factors, k->parts);
    const size_t size = (size_t)a->row_start[a->rows] * a->block * a->block;
    DvMechanics *other = k->ops->open(k->root);
    const DvBlockMatrix *fresh = k->ops->assemble(other, &step, k->factors, k->parts);
    assert_int_equal(fresh->row_start[fresh->rows] * fresh->block * fresh->block, size);
    assert_memory_equal(a->values, fresh->values, size * sizeof *a->values);
    k->ops->close(other);
    const bool changed = a->structure != k->structure || a->version != k->version;
    k->structure = a->structure;
    k->version = a->version;
    return changed;
}

static void move(Kept *k, const DvScene *scene)
{
    DvVec x = dv_state_write(scene_state(scene, "/dofs"), DV_POSITION, DV_READ_WRITE);
    for (uint32_t i = 3; i < 3 * x.count; i++)
        x.at[i] += 0.01 * (i % 4);
    k->ops->propagate_position(k->m, &step, DV_POSITION);
    k->ops->compute_force(k->m, &step, DV_FORCE, DV_WALK_WHOLE);
}

static void a_matrix_that_has_not_changed_is_not_assembled_again(void **state)
{
    (void)state;
    char text[4096];
    snprintf(
        text, sizeof text, CONSTANT,
        "<Node name='Other'><MechanicalObject name='dofs' position='0 0 0 1 0 0 0 1 0'/>"
        "<MeshTopology position='0 0 0 1 0 0 0 1 0' triangles='0 1 2'/><MeshMatrixMass name='mass' totalMass='6'/></Node>");
    DvScene *scene = scene_from_text(text);
    Kept k = {.ops = ops_of_plugin(),
              .root = dv_scene_root(scene),
              .factors = {.m = 1.5, .b = -0.02, .k = -0.5},
              .parts = DV_ASSEMBLE_CONSTRAINED};
    k.m = k.ops->open(k.root);
    k.ops->compute_force(k.m, &step, DV_FORCE, DV_WALK_WHOLE);
    assert_true(assembled_again(&k));
    for (int i = 0; i < 3; i++) {
        move(&k, scene);
        assert_false(assembled_again(&k));
    }
    /* Whatever changes, the last number of a list too. */
    DvFactors *f = &k.factors;
    double *const factors[] = {&f->m, &f->k, &f->b};
    for (size_t i = 0; i < 3; i++) {
        *factors[i] *= 1.25;
        assert_true(assembled_again(&k));
        assert_false(assembled_again(&k));
    }
    static const uint32_t parts[] = {0, DV_ASSEMBLE_CONSTRAINED | DV_ASSEMBLE_NO_MASS,
                                     DV_ASSEMBLE_CONSTRAINED | DV_ASSEMBLE_NO_MAPPED, DV_ASSEMBLE_CONSTRAINED};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        k.parts = parts[i];
        assert_true(assembled_again(&k));
        assert_false(assembled_again(&k));
    }
    static const struct {
        const char *path, *field, *value;
    } changes[] = {
        {"/mass", "vertexMass", "1 2 3 4 6"},
        {"/mass", "rayleighMass", "0.3"},
        {"/fem", "rayleighStiffness", "0.2"},
        {"/Skin/drops", "totalMass", "2"},
        {"/Skin/springs", "stiffness", "10 21"},
        {"/Skin/Copy/more", "stiffness", "8"},
        {"/fixed", "indices", "0 4"},
        {"/Skin/springs", "activeDirections", "1 1 0"},
        {"/Skin/springs", "rayleighStiffness", "1"},
        {"/Other/mass", "totalMass", "7"},
    };
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        assert_int_equal(
            dv_data_set_text(dv_object_field(scene_object(scene, changes[i].path), changes[i].field), changes[i].value),
            DV_OK);
        if (!assembled_again(&k))
            fail_msg("%s of %s changes nothing", changes[i].field, changes[i].path);
        assert_false(assembled_again(&k));
    }
    k.ops->close(k.m);
    dv_scene_free(scene);
}

static void one_part_that_changes_each_time_has_all_assembled_again(void **state)
{
    (void)state;
    static const char *const parts[] = {
        "<SpringForceField spring='0 4 10 0 1'/>",
        "<Node name='Frame'><MechanicalObject template='Rigid3d' position='0 0 0 0 0 0 1'/><Node name='Points'>"
        "<MechanicalObject position='1 0 0'/><RigidMapping/><RestShapeSpringsForceField points='0' stiffness='7'/></Node></Node>",
    };
    for (size_t i = 0; i < 2; i++) {
        char text[4096];
        snprintf(text, sizeof text, CONSTANT, parts[i]);
        DvScene *scene = scene_from_text(text);
        Kept k = {.ops = ops_of_plugin(), .root = dv_scene_root(scene), .factors = {.m = 1.0, .k = -0.5}};
        k.m = k.ops->open(k.root);
        k.ops->compute_force(k.m, &step, DV_FORCE, DV_WALK_WHOLE);
        for (int pass = 0; pass < 3; pass++) {
            assert_true(assembled_again(&k));
            move(&k, scene);
        }
        k.factors.k = 0.0; /* now they add nothing: the same masses each time, but through a J that may turn */
        (void)assembled_again(&k);
        assert_true(assembled_again(&k) == (i == 1));
        k.ops->close(k.m);
        dv_scene_free(scene);
    }
}

static void edits_of_the_graph_are_followed(void **state)
{
    (void)state;
    DvScene *scene =
        scene_from_text("<Node name='root'><Node name='A'><MechanicalObject name='dofs' position='0 0 0'/></Node>"
                        "<Node name='B'/><Node name='C'/><Node name='D'/><Node name='E'/></Node>");
    const DvMechanicalOperationsOps *ops = ops_of_plugin();
    DvMechanics *m = ops->open(dv_scene_root(scene));
    DvNode *a = dv_object_node(scene_object(scene, "/A/dofs"));
    double force[6];
    assert_int_equal(ops->unknowns(m), 3);
    const uint64_t planned = dv_schedule_planned_nodes(scene);
    DvObject *push;
    assert_int_equal(dv_object_new(a, "ConstantForceField", &push, "indices", "0", "forces", "5 0 0", NULL), DV_OK);
    ops->compute_force(m, &step, DV_FORCE, DV_WALK_VISITOR);
    ops->gather(m, force, DV_FORCE);
    assert_true(force[0] == 5.0);
    assert_true(dv_schedule_planned_nodes(scene) - planned <= 2); /* not the other nodes */
    DvNode *more = dv_node_new(dv_scene_root(scene), "More");
    assert_int_equal(dv_object_new(more, "MechanicalObject", NULL, "position", "7 8 9", NULL), DV_OK);
    assert_int_equal(ops->unknowns(m), 6);
    dv_object_remove(push);
    ops->compute_force(m, &step, DV_FORCE, DV_WALK_VISITOR);
    ops->gather(m, force, DV_FORCE);
    assert_true(force[0] == 0.0);
    dv_node_remove(more);
    assert_int_equal(ops->unknowns(m), 3);
    ops->close(m);
    dv_scene_free(scene);
}

static void the_matrix_gets_a_new_structure_with_the_topology(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text("<Node name='root'><TetrahedronSetTopologyContainer name='mesh' "
                                     "position='0 0 0 2 0 0 0 3 0 0 0 1 2 3 1' tetrahedra='0 1 2 3 1 2 3 4'/>"
                                     "<TetrahedronSetTopologyModifier name='modifier'/><MechanicalObject name='dofs'/>"
                                     "<MeshMatrixMass totalMass='3'/></Node>");
    const DvMechanicalOperationsOps *ops = ops_of_plugin();
    DvMechanics *m = ops->open(dv_scene_root(scene));
    const DvBlockMatrix *a = ops->assemble(m, &step, (DvFactors){.m = 1.0}, 0);
    const uint64_t structure = a->structure;
    assert_int_equal(a->rows, 5);
    DvObject *modifier = scene_object(scene, "/modifier");
    const DvTopologyModifierOps *modify = dv_object_ops(modifier, DV_TOPOLOGY_MODIFIER);
    const uint32_t first = 0;
    assert_int_equal(modify->remove_elements(dv_object_self(modifier), DV_TETRAHEDRA, 1, &first, true), DV_OK);
    a = ops->assemble(m, &step, (DvFactors){.m = 1.0}, 0);
    assert_int_equal(a->rows, 4);
    assert_true(a->structure != structure);
    check_structure(a);
    ops->close(m);
    dv_scene_free(scene);
}

static void a_matrix_outlives_an_edit_until_the_next_assembly(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node name='root'><MechanicalObject name='dofs'/><UniformMass name='mass' totalMass='3'/></Node>");
    const DvMechanicalOperationsOps *ops = ops_of_plugin();
    DvMechanics *m = ops->open(dv_scene_root(scene));
    const DvBlockMatrix *a = ops->assemble(m, &step, (DvFactors){.m = 1.0}, 0);
    assert_int_equal(
        dv_object_new(dv_scene_root(scene), "ConstantForceField", NULL, "indices", "0", "forces", "5 0 0", NULL),
        DV_OK);
    ops->compute_force(m, &step, DV_FORCE, DV_WALK_VISITOR); /* what a preconditioner that keeps its matrix sees */
    (void)ops->prefers_assembled(m, 10);
    assert_true(a->rows == 1 && a->values[0] == 3.0 && a->values[8] == 3.0 && a->columns[0] == 0);
    const uint64_t structure = a->structure, version = a->version;
    DvNode *node = dv_node_new(dv_scene_root(scene), "more"); /* another row */
    assert_int_equal(dv_object_new(node, "MechanicalObject", NULL, NULL), DV_OK);
    ops->compute_force(m, &step, DV_FORCE, DV_WALK_VISITOR);
    (void)ops->prefers_assembled(m, 10);
    assert_true(a->rows == 1 && a->values[0] == 3.0 && a->values[8] == 3.0 && a->columns[0] == 0);
    assert_int_equal(a->version, version);
    const DvBlockMatrix *b = ops->assemble(m, &step, (DvFactors){.m = 1.0}, 0);
    assert_true(b->structure != structure);
    assert_int_equal(b->rows, 2);
    assert_int_not_equal(a->version, version); /* who still has the first one sees that it is not the last */
    ops->close(m);
    dv_scene_free(scene);
}

static void operations_allocate_nothing_after_the_first_time(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node name='root' gravity='0 -9.81 0'>" GRID "<FixedProjectiveConstraint indices='0 3'/>"
        "<Node name='Surface'><MechanicalObject position='0.2 0.3 0.4 1.1 0.2 0.6 1.7 0.8 0.1 0.9 0.5 0.5'/>"
        "<BarycentricMapping/>" SPRINGS("100") "<UniformMass totalMass='2'/></Node></Node>");
    const DvMechanicalOperationsOps *ops = ops_of_plugin();
    DvMechanics *m = ops->open(dv_scene_root(scene));
    uint64_t before = 0;
    for (int round = 0; round < 3; round++) {
        if (round == 1)
            before = dv_allocation_count();
        const DvVecId d = ops->allocate(m, DV_DERIVS), r = ops->allocate(m, DV_DERIVS);
        ops->begin_integration(m, 0.01);
        ops->propagate_position(m, &step, DV_POSITION);
        ops->propagate_velocity(m, &step, DV_VELOCITY);
        ops->compute_force(m, &step, DV_FORCE, DV_WALK_VISITOR);
        ops->combine(m, d, DV_FORCE, DV_VELOCITY, 0.1);
        ops->add_mbk(m, &step, (DvFactors){1.0, -0.1, -0.1}, r, d, DV_WALK_VISITOR);
        ops->project_response(m, &step, r, DV_WALK_VISITOR);
        assert_non_null(ops->assemble(m, &step, (DvFactors){1.0, -0.1, -0.1}, DV_ASSEMBLE_CONSTRAINED));
        ops->end_integration(m);
        ops->release(m, d);
        ops->release(m, r);
    }
    assert_int_equal(dv_allocation_count() - before, 0);
    ops->close(m);
    dv_scene_free(scene);
}

/* A matrix that leaves out what products have, or has what they leave out, is not taken for them, however many there are. */
static void only_a_matrix_that_is_the_operator_replaces_products(void **state)
{
    (void)state;
#define ON_A_BODY(mapping, loads)                                                                                         \
    "<Node name='root'><MechanicalObject template='Rigid3d' position='1 2 3 0 0 0 1'/><UniformMass totalMass='2'/><Node " \
    "name='Child'><MechanicalObject position='1 0 0 0 1 0'/><RigidMapping " mapping "/>" loads "</Node></Node>"
#define ON_POINTS(more)                                                                                                \
    "<Node name='root'><MechanicalObject position='0 0 0 1 0 0 1 1 0'/><UniformMass totalMass='2'/><SpringForceField " \
    "spring='0 1 10 1 0.5 1 2 10 1 0.5'/>" more "</Node>"
    static const struct {
        const char *scene;
        bool same;
    } cases[] = {
        {ON_POINTS(""), true},
        {ON_POINTS("<FixedProjectiveConstraint indices='0'/>"), true},
        {ON_POINTS("<PlaneProjectiveConstraint indices='0' normal='0 2 0'/>"), true},
        {ON_POINTS("<PlaneProjectiveConstraint indices='0' normal='1 2 0'/>"), false},
        {ON_POINTS("<FixedPlaneProjectiveConstraint indices='0' direction='0 0 -1'/>"), true},
        {ON_POINTS("<FixedPlaneProjectiveConstraint indices='0' direction='0 1 -1'/>"), false},
        {ON_POINTS("<LinearMovementProjectiveConstraint indices='0' keyTimes='0 1' movements='0 0 0 1 1 1'/>"), true},
        {ON_A_BODY("", "<SpringForceField spring='0 1 10 0 1'/>"), true},
        {ON_A_BODY("geometricStiffness='Exact'", "<SpringForceField spring='0 1 10 0 1'/>"), true},
        {ON_A_BODY("geometricStiffness='Stabilized'", "<SpringForceField spring='0 1 10 0 1'/>"), false},
        {ON_A_BODY("geometricStiffness='Stabilized'", ""), true}, /* nothing acts there */
        {ON_A_BODY("mapForces='0'", "<SpringForceField spring='0 1 10 0 1'/>"), false},
        /* a second mapping of a node is not met by products */
        {"<Node name='root'><MechanicalObject name='body' template='Rigid3d' position='1 2 3 0 0 0 1'/><UniformMass "
         "totalMass='2'/><Node name='Child'><MechanicalObject name='a' position='1 0 0'/><RigidMapping input='@/body' "
         "output='@a'/><MechanicalObject name='b' position='0 1 0'/><RigidMapping input='@/body' output='@b'/>"
         "<RestShapeSpringsForceField mstate='@a' points='0' stiffness='3'/><RestShapeSpringsForceField mstate='@b' "
         "points='0' stiffness='3'/></Node></Node>",
         false},
    };
    const DvMechanicalOperationsOps *ops = ops_of_plugin();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        DvScene *scene = scene_from_text(cases[i].scene);
        DvMechanics *m = ops->open(dv_scene_root(scene));
        ops->propagate_position(m, &step, DV_POSITION);
        ops->compute_force(m, &step, DV_FORCE, DV_WALK_WHOLE);
        if (ops->prefers_assembled(m, UINT32_MAX) != cases[i].same ||
            (!cases[i].same && ops->prefers_assembled(m, 1000000)))
            fail_msg("%s: the matrix is %sthe operator", cases[i].scene, cases[i].same ? "" : "not ");
        ops->close(m);
        dv_scene_free(scene);
    }
}

static void many_products_pay_for_a_matrix(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text("<Node name='root'>" GRID "</Node>");
    const DvMechanicalOperationsOps *ops = ops_of_plugin();
    DvMechanics *m = ops->open(dv_scene_root(scene));
    assert_false(ops->prefers_assembled(m, 0));
    assert_true(ops->prefers_assembled(m, 1000));
    ops->close(m);
    dv_scene_free(scene);
}

/* ---- Vectors that are not there ---- */

static unsigned said_count;
static char said_last[600];

static void hear(const DvMessage *message, void *context)
{
    (void)context;
    DvText text = {0};
    dv_message_print(message, &text);
    snprintf(said_last, sizeof said_last, "%s", text.at);
    said_count++;
    dv_text_free(&text);
}

static void a_vector_that_a_state_has_not_is_told_once_and_stops_the_run(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node dt='0.01'><DefaultAnimationLoop/><EulerExplicitSolver/><MechanicalObject name='dofs' position='0 0 0'/>"
        "<UniformMass name='mass' vertexMass='2'/></Node>");
    const DvMechanicalOperationsOps *ops = ops_of_plugin();
    DvMechanics *m = ops->open(dv_scene_root(scene));
    const DvVecId result = ops->allocate(m, DV_DERIVS), nobody = 41;
    said_count = 0;
    dv_log_set_handler(hear, NULL);
    for (int i = 0; i < 3; i++)
        ops->add_mdx(m, 1.0, result, nobody);
    assert_int_equal(said_count, 1);
    assert_non_null(
        strstr(said_last, "UniformMass 'mass': cannot act: state '/dofs' (MechanicalObject) gives no vector"));
    ops->release(m, result);
    ops->close(m);
    assert_int_equal(dv_scene_step(scene, 0), DV_ERROR_MISSING);
    dv_log_set_handler(NULL, NULL);
    dv_scene_free(scene);
}

/* The product of a displacement that the parent has not must not become that of its velocity. */
static void a_mapping_does_not_take_a_velocity_for_a_displacement(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node dt='0.01'><DefaultAnimationLoop/><EulerExplicitSolver/>"
        "<MechanicalObject name='dofs' position='1 0 0' velocity='0 7 0'/><UniformMass vertexMass='2'/><Node name='child'>"
        "<MechanicalObject name='dofs'/><RestShapeSpringsForceField stiffness='10'/><IdentityMapping name='copy'/></Node></Node>");
    const DvMechanicalOperationsOps *ops = ops_of_plugin();
    DvMechanics *m = ops->open(dv_scene_root(scene));
    const DvVecId result = ops->allocate(m, DV_DERIVS), nobody = 41;
    ops->compute_force(m, &step, DV_FORCE, DV_WALK_WHOLE);
    said_count = 0;
    dv_log_set_handler(hear, NULL);
    for (int i = 0; i < 3; i++)
        ops->add_mbk(m, &step, (DvFactors){.k = 1.0}, result, nobody, DV_WALK_WHOLE);
    assert_int_equal(said_count, 1);
    assert_non_null(strstr(said_last,
                           "IdentityMapping 'copy': cannot act: state '/dofs' (MechanicalObject) gives no vector "
                           "'of a solver' (41); a solver in its node or above has to make it"));
    assert_true(ops->dot(m, result, result) == 0.0);
    ops->release(m, result);
    ops->close(m);
    assert_int_equal(dv_scene_step(scene, 0), DV_ERROR_MISSING);
    dv_log_set_handler(NULL, NULL);
    dv_scene_free(scene);
}

/* What no solver moves stays where it is and goes on as it does: a vector that only solvers make is that of the state. */
static void a_mapping_takes_what_stands_still_by_its_position(void **state)
{
    (void)state;
    DvScene *scene =
        scene_from_text("<Node><MechanicalObject name='dofs' position='1 2 3' velocity='4 5 6'/><Node name='child'>"
                        "<MechanicalObject name='dofs'/><IdentityMapping/></Node></Node>");
    const DvMechanicalOperationsOps *ops = ops_of_plugin();
    DvMechanics *m = ops->open(dv_scene_root(scene));
    ops->propagate_position(m, &step, DV_FREE_POSITION);
    ops->propagate_velocity(m, &step, DV_FREE_VELOCITY);
    assert_memory_equal(dv_state_read(scene_state(scene, "/child/dofs"), DV_FREE_POSITION).at,
                        ((const double[3]){1, 2, 3}), 3 * sizeof(double));
    assert_memory_equal(dv_state_read(scene_state(scene, "/child/dofs"), DV_FREE_VELOCITY).at,
                        ((const double[3]){4, 5, 6}), 3 * sizeof(double));
    ops->close(m);
    dv_scene_free(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mapping_does_not_take_a_velocity_for_a_displacement),
        cmocka_unit_test(a_mapping_takes_what_stands_still_by_its_position),
        cmocka_unit_test(a_vector_that_a_state_has_not_is_told_once_and_stops_the_run),
        cmocka_unit_test(springs_and_masses),
        cmocka_unit_test(blocks_of_two_and_of_one),
        cmocka_unit_test(a_rigid_body_takes_two_blocks),
        cmocka_unit_test(points_on_a_rigid_body),
        cmocka_unit_test(a_chain_of_mappings),
        cmocka_unit_test(a_surface_in_a_deforming_grid),
        cmocka_unit_test(a_chain_in_descending_order),
        cmocka_unit_test(a_product_takes_the_coupled_points_of_a_surface),
        cmocka_unit_test(a_spring_between_a_mapped_and_a_free_point),
        cmocka_unit_test(rows_and_columns_of_fixed_points_are_those_of_the_identity),
        cmocka_unit_test(single_directions_of_points_are_fixed),
        cmocka_unit_test(parts_can_be_left_out),
        cmocka_unit_test(forces_on_points_turn_the_body),
        cmocka_unit_test(an_outer_force_comes_up_through_points_that_nothing_acts_on),
        cmocka_unit_test(the_visitor_walk_stops_at_a_mapping_without_forces),
        cmocka_unit_test(a_spring_above_the_solvers_acts_from_outside),
        cmocka_unit_test(a_state_outside_the_node_counts_as_fixed),
        cmocka_unit_test(vectors_run_over_the_independent_states_in_order),
        cmocka_unit_test(accelerations_need_a_diagonal_mass),
        cmocka_unit_test(energies_and_momentum_are_sums),
        cmocka_unit_test(masses_of_one_state_add_up),
        cmocka_unit_test(bodies_with_two_masses_fall_as_all_do),
        cmocka_unit_test(two_states_with_two_masses_each_have_their_own),
        cmocka_unit_test(tags_of_the_node_choose_who_takes_part),
        cmocka_unit_test(a_matrix_that_has_not_changed_is_not_assembled_again),
        cmocka_unit_test(one_part_that_changes_each_time_has_all_assembled_again),
        cmocka_unit_test(edits_of_the_graph_are_followed),
        cmocka_unit_test(the_matrix_gets_a_new_structure_with_the_topology),
        cmocka_unit_test(a_matrix_outlives_an_edit_until_the_next_assembly),
        cmocka_unit_test(operations_allocate_nothing_after_the_first_time),
        cmocka_unit_test(only_a_matrix_that_is_the_operator_replaces_products),
        cmocka_unit_test(many_products_pay_for_a_matrix),
    };
    return cmocka_run_group_tests(tests, NULL, stop_plugins);
}
