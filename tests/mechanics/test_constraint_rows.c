/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What constraints ask of the mechanical operations: rows pulled up through mappings, places among the unknowns, vectors of mapped
 * states.
 *
 * A row r on a state and its projection j agree when r . v(state) = j . v(independent) for any velocities that are propagated: the
 * left side knows apply_j alone, the right side Jacobians.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <divan/contracts/mapping.h>
#include <divan/contracts/mechanical_operations.h>
#include <divan/memory.h>
#include <divan/plugin.h>

#include "scene_text.h"

static const DvStep step = {.time = 0.0, .dt = 0.01, .position = DV_POSITION, .velocity = DV_VELOCITY};

static const DvMechanicalOperationsOps *ops_of_plugin(void)
{
    const DvMechanicalOperationsOps *ops = dv_service(DV_MECHANICAL_OPERATIONS);
    assert_non_null(ops);
    return ops;
}

/* Two bodies that nothing acts on, and what hangs on them: points on a rigid one, points in a tetrahedron, copies of both. What is fixed
 * on a mapped state fixes no unknown. */
#define SCENE                                                                                                                      \
    "<Node name='root'>"                                                                                                           \
    "<Node name='Soft'><MechanicalObject name='dofs' position='0 0 0 1 0 0 0 1 0 0 0 1'/>"                                         \
    "<MeshTopology position='0 0 0 1 0 0 0 1 0 0 0 1' tetrahedra='0 1 2 3'/><FixedProjectiveConstraint name='fixed' indices='1'/>" \
    "<Node name='Skin'><MechanicalObject name='dofs' position='0.2 0.3 0.1 0.1 0.1 0.5'/><BarycentricMapping/>"                    \
    "<Node name='Copy'><MechanicalObject name='dofs'/><IdentityMapping name='map'/></Node></Node></Node>"                          \
    "<Node name='Rigid'><MechanicalObject name='dofs' template='Rigid3d' position='1 2 3 0.5 0.5 0.5 0.5  4 5 6 0 0 0.6 0.8'/>"    \
    "<Node name='Tool'><MechanicalObject name='dofs' template='Rigid3d'/><IdentityMapping/>"                                       \
    "<Node name='Tip'><MechanicalObject name='dofs' position='1 2 3.5 0 1 1 4 4 4'/>"                                              \
    "<RigidMapping rigidIndexPerPoint='0 1 1' globalToLocalCoords='1'/><FixedProjectiveConstraint indices='0 2'/></Node></Node></Node></Node>"

static double next(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (double)(1u << 23) - 1.0;
}

enum { ROWS = 5, MOST = 64 };

/* Rows on a state: points out of order and again, one row without entries. */
typedef struct Written {
    uint32_t start[ROWS + 1], row[MOST], points[MOST];
    double values[MOST * 6];
    DvStateRef state;
    DvStateRows rows;
} Written;

static void write_rows(Written *w, const DvScene *scene, const char *path, uint32_t seed)
{
    w->state = scene_state(scene, path);
    const uint32_t count = dv_state_count(w->state), deriv = w->state.dof->deriv;
    uint32_t entries = 0;
    for (uint32_t r = 0; r < ROWS; r++) {
        w->start[r] = entries;
        for (uint32_t k = 0; r != 3 && k < r + 2; k++) {
            w->row[entries] = r;
            w->points[entries] = (7 * r + count - 1 - k % count) % count;
            for (uint32_t c = 0; c < deriv; c++)
                w->values[entries * deriv + c] = next(&seed);
            entries++;
        }
    }
    w->start[ROWS] = entries;
    w->rows = (DvStateRows){w->state.object, entries, w->row, w->points, w->values};
}

/* r . v of the state as it has been propagated. */
static double work(const Written *w, uint32_t r)
{
    const DvConstVec v = dv_state_read(w->state, DV_VELOCITY);
    double sum = 0.0;
    for (uint32_t e = w->start[r]; e < w->start[r + 1]; e++)
        for (uint32_t c = 0; c < v.dim; c++)
            sum += w->values[e * v.dim + c] * v.at[(size_t)w->points[e] * v.dim + c];
    return sum;
}

static void check_rows(const DvSparseRows *j, size_t unknowns)
{
    assert_int_equal(j->rows, ROWS);
    for (uint32_t r = 0; r < ROWS; r++)
        for (uint32_t e = j->row_start[r]; e < j->row_start[r + 1]; e++) {
            assert_true(j->columns[e] < unknowns && j->values[e] != 0.0);
            assert_true(e == j->row_start[r] || j->columns[e - 1] < j->columns[e]);
        }
}

static double dot_row(const DvSparseRows *j, uint32_t r, const double *v)
{
    double sum = 0.0;
    for (uint32_t e = j->row_start[r]; e < j->row_start[r + 1]; e++)
        sum += j->values[e] * v[j->columns[e]];
    return sum;
}

static void rows_do_the_work_of_what_they_are_written_on(void **state)
{
    (void)state;
    static const char *const paths[] = {"/Soft/dofs",  "/Soft/Skin/dofs",  "/Soft/Skin/Copy/dofs",
                                        "/Rigid/dofs", "/Rigid/Tool/dofs", "/Rigid/Tool/Tip/dofs"};
    DvScene *scene = scene_from_text(SCENE);
    const DvMechanicalOperationsOps *ops = ops_of_plugin();
    DvMechanics *m = ops->open(dv_scene_root(scene));
    const size_t n = ops->unknowns(m);
    assert_int_equal(n, 24);
    double v[24];
    for (uint32_t a = 0; a < 6; a++)
        for (uint32_t b = 0; b < 6; b++) { /* a constraint between a point of each; also of a state with itself */
            Written w[2];
            write_rows(&w[0], scene, paths[a], 3 + a);
            write_rows(&w[1], scene, paths[b], 17 + b);
            const DvStateRows parts[2] = {w[0].rows, w[1].rows};
            uint32_t seed = 100 + 6 * a + b;
            for (size_t i = 0; i < n; i++)
                v[i] = next(&seed);
            for (uint32_t options = 0; options <= DV_ROWS_CONSTRAINED; options++) {
                DvSparseRows j = {0};
                uint64_t allocations = 0;
                for (int pass = 0; pass < 2; pass++) {
                    allocations = dv_allocation_count();
                    assert_int_equal(ops->project_rows(m, &step, parts, 2, ROWS, options, &j), DV_OK);
                }
                assert_int_equal(dv_allocation_count(), allocations);
                check_rows(&j, n);
                assert_int_equal(j.row_start[4] - j.row_start[3], 0);
                if (options & DV_ROWS_CONSTRAINED) { /* point 1 does not move */
                    for (uint32_t e = 0; e < j.row_start[ROWS]; e++)
                        assert_true(j.columns[e] < 3 || j.columns[e] > 5);
                    v[3] = v[4] = v[5] = 0.0;
                }
                ops->scatter(m, DV_VELOCITY, v);
                ops->propagate_velocity(m, &step, DV_VELOCITY);
                for (uint32_t r = 0; r < ROWS; r++)
                    assert_true(fabs(dot_row(&j, r, v) - work(&w[0], r) - work(&w[1], r)) < 1e-12);
            }
        }
    ops->close(m);
    dv_scene_free(scene);
}

static void rows_follow_the_bodies(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(SCENE);
    const DvMechanicalOperationsOps *ops = ops_of_plugin();
    DvMechanics *m = ops->open(dv_scene_root(scene));
    Written w;
    write_rows(&w, scene, "/Rigid/Tool/Tip/dofs", 5);
    DvSparseRows j;
    assert_int_equal(ops->project_rows(m, &step, &w.rows, 1, ROWS, 0, &j), DV_OK);
    double *x = dv_state_write(scene_state(scene, "/Rigid/dofs"), DV_POSITION, DV_READ_WRITE).at;
    const double turned[7] = {1, 1, 1, 0.1, 0.7, 0.1, 0.7};
    memcpy(x, turned, sizeof turned);
    ops->propagate_position(m, &step, DV_POSITION);
    double v[24];
    uint32_t seed = 9;
    for (size_t i = 0; i < 24; i++)
        v[i] = next(&seed);
    ops->scatter(m, DV_VELOCITY, v);
    ops->propagate_velocity(m, &step, DV_VELOCITY);
    assert_true(fabs(dot_row(&j, 1, v) - work(&w, 1)) > 1e-3); /* those of before */
    assert_int_equal(ops->project_rows(m, &step, &w.rows, 1, ROWS, 0, &j), DV_OK);
    for (uint32_t r = 0; r < ROWS; r++)
        assert_true(fabs(dot_row(&j, r, v) - work(&w, r)) < 1e-12);
    ops->close(m);
    dv_scene_free(scene);
}

static void identity_rows_are_the_accumulated_jacobian(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(SCENE);
    const DvMechanicalOperationsOps *ops = ops_of_plugin();
    DvMechanics *m = ops->open(dv_scene_root(scene));
    static const uint32_t row[] = {0, 1, 2}, points[] = {0, 0, 0};
    static const double unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const DvStateRows rows = {scene_object(scene, "/Soft/Skin/Copy/dofs"), 3, row, points, unit};
    DvSparseRows j;
    assert_int_equal(ops->project_rows(m, &step, &rows, 1, 3, 0, &j), DV_OK);
    static const double weights[4] = {0.4, 0.2, 0.3, 0.1}; /* barycentric coordinates of (0.2 0.3 0.1) */
    for (uint32_t r = 0; r < 3; r++) {
        assert_int_equal(j.row_start[r + 1] - j.row_start[r], 4);
        for (uint32_t k = 0; k < 4; k++) {
            assert_int_equal(j.columns[j.row_start[r] + k], 3 * k + r);
            assert_true(fabs(j.values[j.row_start[r] + k] - weights[k]) < 1e-15);
        }
    }
    ops->close(m);
    dv_scene_free(scene);
}

static void a_mapping_without_constraints_ends_the_way_where_that_is_asked_for(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(SCENE);
    const DvMechanicalOperationsOps *ops = ops_of_plugin();
    DvMechanics *m = ops->open(dv_scene_root(scene));
    Written w;
    write_rows(&w, scene, "/Soft/Skin/Copy/dofs", 5);
    DvSparseRows j;
    assert_int_equal(ops->project_rows(m, &step, &w.rows, 1, ROWS, DV_ROWS_HEED_MAPPINGS, &j), DV_OK);
    const uint32_t entries = j.row_start[ROWS];
    assert_true(entries > 0);
    dv_data_set_bool(dv_object_field(scene_object(scene, "/Soft/Skin/Copy/map"), "mapConstraints"), false);
    assert_int_equal(ops->project_rows(m, &step, &w.rows, 1, ROWS, 0, &j), DV_OK);
    assert_int_equal(j.row_start[ROWS], entries);
    assert_int_equal(ops->project_rows(m, &step, &w.rows, 1, ROWS, DV_ROWS_HEED_MAPPINGS, &j), DV_OK);
    check_rows(&j, 24);
    assert_int_equal(j.row_start[ROWS], 0);
    assert_int_equal(ops->project_rows(m, &step, NULL, 0, 0, 0, &j), DV_OK);
    assert_int_equal(j.rows, 0);
    ops->close(m);
    dv_scene_free(scene);
}

static void collect(const DvMessage *message, void *context)
{
    dv_message_print(message, context);
    dv_text_add(context, "\n");
}

static void rows_that_cannot_be_are_refused(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(SCENE);
    const DvMechanicalOperationsOps *ops = ops_of_plugin();
    DvMechanics *m = ops->open(dv_object_node(scene_object(scene, "/Soft/dofs")));
    Written w[2];
    DvSparseRows j;
    DvText text = {0};
    dv_log_set_handler(collect, &text);
    write_rows(&w[0], scene, "/Rigid/Tool/Tip/dofs", 1);
    assert_int_equal(ops->project_rows(m, &step, &w[0].rows, 1, ROWS, 0, &j), DV_ERROR_INVALID);
    write_rows(&w[0], scene, "/Soft/Skin/dofs", 1);
    write_rows(&w[1], scene, "/Soft/dofs", 1);
    assert_int_equal(ops->project_rows(m, &step, (DvStateRows[]){w[0].rows, w[1].rows}, 2, ROWS - 1, 0, &j),
                     DV_ERROR_INVALID);
    w[0].points[2] = 2;
    assert_int_equal(ops->project_rows(m, &step, &w[0].rows, 1, ROWS, 0, &j), DV_ERROR_INVALID);
    dv_log_set_handler(NULL, NULL);
    assert_string_equal(
        text.at, "scene.scn:1: MechanicalObject 'dofs': rows of constraints on a state that is not below '/Soft'\n"
                 "scene.scn:1: MechanicalObject 'dofs': row 4 of 4 of the constraints\n"
                 "scene.scn:1: MechanicalObject 'dofs': a constraint on point 2 of 2\n");
    dv_text_free(&text);
    ops->close(m);
    dv_scene_free(scene);
}

/* Seen from a node below, what a point hangs on outside counts as fixed. */
static void what_would_reach_a_state_outside_is_dropped(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(SCENE);
    const DvMechanicalOperationsOps *ops = ops_of_plugin();
    DvMechanics *m = ops->open(dv_object_node(scene_object(scene, "/Soft/Skin/dofs")));
    Written w;
    write_rows(&w, scene, "/Soft/Skin/Copy/dofs", 1);
    DvSparseRows j;
    assert_int_equal(ops->project_rows(m, &step, &w.rows, 1, ROWS, DV_ROWS_CONSTRAINED, &j), DV_OK);
    assert_int_equal(j.rows, ROWS);
    assert_int_equal(j.row_start[ROWS], 0);
    ops->close(m);
    dv_scene_free(scene);
}

static void states_have_their_places(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(SCENE);
    const DvMechanicalOperationsOps *ops = ops_of_plugin();
    DvMechanics *m = ops->open(dv_scene_root(scene));
    DvObject *list[8];
    assert_int_equal(ops->states(m, DV_STATES_INDEPENDENT, list, 8), 2);
    assert_ptr_equal(list[0], scene_object(scene, "/Soft/dofs"));
    assert_ptr_equal(list[1], scene_object(scene, "/Rigid/dofs"));
    assert_int_equal(ops->offset(m, list[0]), 0);
    assert_int_equal(ops->offset(m, list[1]), 12);
    assert_int_equal(ops->states(m, DV_STATES_MAPPED, list, 1), 4);
    assert_ptr_equal(list[0], scene_object(scene, "/Soft/Skin/dofs"));
    assert_true(ops->offset(m, list[0]) == SIZE_MAX);
    assert_int_equal(ops->states(m, DV_STATES_ALL, NULL, 0), 6);
    ops->close(m);
    dv_scene_free(scene);
}

/* As a free motion does: linearised positions of mapped points. */
static void vectors_of_mapped_states_are_combined(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(SCENE);
    const DvMechanicalOperationsOps *ops = ops_of_plugin();
    DvMechanics *m = ops->open(dv_scene_root(scene));
    const DvStateRef tip = scene_state(scene, "/Rigid/Tool/Tip/dofs"), soft = scene_state(scene, "/Soft/dofs");
    double v[24];
    uint32_t seed = 4;
    for (size_t i = 0; i < 24; i++)
        v[i] = next(&seed);
    ops->scatter(m, DV_VELOCITY, v);
    ops->propagate_velocity(m, &step, DV_VELOCITY);
    ops->combine_states(m, DV_STATES_ALL, DV_FREE_POSITION, DV_POSITION, DV_VELOCITY, 0.5);
    const DvStateRef both[2] = {tip, soft};
    for (int s = 0; s < 2; s++) {
        const DvConstVec x = dv_state_read(both[s], DV_POSITION), free = dv_state_read(both[s], DV_FREE_POSITION),
                         u = dv_state_read(both[s], DV_VELOCITY);
        for (size_t i = 0; i < 3 * (size_t)x.count; i++)
            assert_true(free.at[i] == x.at[i] + 0.5 * u.at[i]);
    }
    /* A vector of its own: not one that a mapped state holds already. */
    const DvVecId id = ops->allocate(m, DV_DERIVS);
    ops->combine_states(m, DV_STATES_MAPPED, id, DV_VELOCITY, DV_NO_VEC, 0.0);
    assert_true(dv_state_read(tip, id).at[4] == dv_state_read(tip, DV_VELOCITY).at[4]);
    assert_true(dv_state_read(soft, id).at[4] == 0.0);
    ops->clear_states(m, DV_STATES_INDEPENDENT, DV_VELOCITY);
    assert_true(dv_state_read(soft, DV_VELOCITY).at[4] == 0.0);
    assert_true(dv_state_read(tip, DV_VELOCITY).at[4] != 0.0);
    ops->clear_states(m, DV_STATES_ALL, DV_VELOCITY);
    assert_true(dv_state_read(tip, DV_VELOCITY).at[4] == 0.0);
    DvMechanics *other = ops->open(dv_object_node(soft.object)); /* shares the mapped states of /Soft */
    assert_true(ops->allocate(other, DV_DERIVS) != id);
    ops->close(other);
    ops->close(m);
    dv_scene_free(scene);
}

/* The geometric stiffness of a mapping below another one, where only an outer force (or a constraint's) acts. */
static void the_matrix_knows_mappings_that_no_force_field_is_below(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node name='root'><MechanicalObject name='dofs' template='Rigid3d' position='1 2 3 0.5 0.5 0.5 0.5'/>"
        "<UniformMass vertexMass='1'/><Node name='Tool'><MechanicalObject name='dofs' template='Rigid3d'/><IdentityMapping/>"
        "<Node name='Tip'><MechanicalObject name='dofs' position='1 2 3.5 0 1 1'/>"
        "<RigidMapping globalToLocalCoords='1' geometricStiffness='1'/></Node></Node></Node>");
    const DvMechanicalOperationsOps *ops = ops_of_plugin();
    DvMechanics *m = ops->open(dv_scene_root(scene));
    double *f = dv_state_write(scene_state(scene, "/Tool/Tip/dofs"), DV_EXTERNAL_FORCE, DV_OVERWRITE).at;
    for (int i = 0; i < 6; i++)
        f[i] = 1.0 + i;
    ops->compute_force(m, &step, DV_FORCE, DV_WALK_WHOLE);
    const DvVecId d = ops->allocate(m, DV_DERIVS), r = ops->allocate(m, DV_DERIVS);
    const DvFactors factors = {.m = 1.0, .k = -0.5};
    const DvBlockMatrix *a = ops->assemble(m, &step, factors, 0);
    assert_int_equal(a->rows * a->block, 6);
    double largest = 0.0;
    for (uint32_t c = 0; c < 6; c++) {
        double unit[6] = {0}, column[6];
        unit[c] = 1.0;
        ops->scatter(m, d, unit);
        ops->clear(m, r);
        ops->add_mbk(m, &step, factors, r, d, DV_WALK_WHOLE);
        ops->gather(m, column, r);
        for (uint32_t row = 0; row < 6; row++) {
            double entry = 0.0;
            for (uint32_t e = a->row_start[row / a->block]; e < a->row_start[row / a->block + 1]; e++)
                if (a->columns[e] == c / a->block)
                    entry = a->values[((size_t)e * a->block + row % a->block) * a->block + c % a->block];
            assert_true(fabs(entry - column[row]) < 1e-13);
            largest = row >= 3 && c >= 3 && row != c ? fmax(largest, fabs(entry)) : largest;
        }
    }
    assert_true(largest > 0.1); /* there is some */
    ops->close(m);
    dv_scene_free(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_do_the_work_of_what_they_are_written_on),
        cmocka_unit_test(rows_follow_the_bodies),
        cmocka_unit_test(identity_rows_are_the_accumulated_jacobian),
        cmocka_unit_test(a_mapping_without_constraints_ends_the_way_where_that_is_asked_for),
        cmocka_unit_test(rows_that_cannot_be_are_refused),
        cmocka_unit_test(what_would_reach_a_state_outside_is_dropped),
        cmocka_unit_test(states_have_their_places),
        cmocka_unit_test(vectors_of_mapped_states_are_combined),
        cmocka_unit_test(the_matrix_knows_mappings_that_no_force_field_is_below),
    };
    return cmocka_run_group_tests(tests, NULL, stop_plugins);
}
