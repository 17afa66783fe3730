/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The factor of AsyncSparseLDLSolver where a device keeps the states: what it gives there is what the host makes of it, to rounding, the same
 * bits each time, and no vector travels.
 */
#include <divan/kit/krylov_inverses.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <divan/contracts/solver.h>
#include <divan/memory.h>

#include "device_scenes.h"

#define ALONE "<EulerImplicitSolver rayleighStiffness='0.05'/><AsyncSparseLDLSolver name='ldl' refresh='%s'/>"

/* A beam and, below the same solver, other states: `more`. */
static DvScene *scene_of(const char *refresh, const char *more, const char *word)
{
    char text[4096], solver[256];
    DvText all = {0};
    const char *format = BEAM("@", "#");
    (void)snprintf(solver, sizeof solver, ALONE, refresh);
    for (const char *at = format; *at; at++)
        dv_text_add(&all, "%.*s", *at == '@' || *at == '#' ? (int)strlen(*at == '@' ? solver : more) : 1,
                    *at == '@'   ? solver
                    : *at == '#' ? more
                                 : at);
    const char *rest = all.at;
    text[0] = '\0';
    for (const char *hole; (hole = strstr(rest, "%s")); rest = hole + 2)
        (void)snprintf(text + strlen(text), sizeof text - strlen(text), "%.*s%s", (int)(hole - rest), rest, word);
    (void)snprintf(text + strlen(text), sizeof text - strlen(text), "%s", rest);
    dv_text_free(&all);
    return scene_from_text(text);
}

/* Points by springs, some without any, and plane ones: nodes of 1 number then. */
#define POINTS                                                                                                          \
    "<Node name='Points'><MechanicalObject name='dofs' template='%s' position='0 0 0 1 0 0 1 1 0 5 5 5'/><UniformMass " \
    "totalMass='1'/><SpringForceField spring='0 1 50 1 1.2 1 2 70 0 0.9'/></Node>"
#define ROD                                                                                             \
    "<Node name='Rod'><MechanicalObject name='dofs' template='Cuda1' position='0 1 2.5'/><UniformMass " \
    "totalMass='1'/><RestShapeSpringsForceField stiffness='40' points='0 2'/></Node>"

static void expect_motion_of_the_host(const char *more, const char *word, double bound)
{
    char below[1024];
    const bool floats = word[strlen(word) - 1] == 'f';
    const char *at = strstr(more, "Cuda1");
    (void)snprintf(below, sizeof below, "%.*s%s%s", at ? (int)(at - more) : (int)strlen(more), more,
                   at ? floats ? "CudaVec1f" : "CudaVec1d" : "", at ? at + strlen("Cuda1") : "");
    DvScene *device = scene_of("3", below, word);
    assert_non_null(dv_state_storage(scene_state(device, "/Body/dofs")).space);
    (void)snprintf(below, sizeof below, "%.*s%s%s", at ? (int)(at - more) : (int)strlen(more), more, at ? "Vec1d" : "",
                   at ? at + strlen("Cuda1") : "");
    DvScene *host = scene_of("3", below, "Vec3d");
    make_steps(host, 50);
    make_steps(device, 50);
    const double off = difference(host, device);
    if (!(off <= bound))
        fail_msg("%s %s: %g", more, word, off);
    dv_scene_free(device);
    dv_scene_free(host);
}

static void test_steps_are_those_of_the_host(void **state)
{
    (void)state;
    static const char *const below[] = {"", POINTS, ROD, POINTS ROD};
    for (size_t i = 0; i < sizeof below / sizeof *below; i++) {
        expect_motion_of_the_host(below[i], "CudaVec3d", 1e-9);
        expect_motion_of_the_host(below[i], "CudaVec3f", 1e-3);
    }
}

static DvSpaceCounts counts_of(const DvScene *scene)
{
    const DvVectorSpace *space = dv_state_storage(scene_state(scene, "/Body/dofs")).space;
    assert_non_null(space);
    return *space->ops->counts(space);
}

/* A step waits once, for its check. When a matrix is assembled on the host, positions come home, and the factor that it was begun with
 * before is sent, without its structure. */
static void test_no_vector_travels(void **state)
{
    (void)state;
    enum { REFRESH = 4, STEPS = 4 * REFRESH, POSITIONS = 45 * 3 * sizeof(double) };
    DvScene *scene = scene_of("4", "", "CudaVec3d");
    make_steps(scene, 2 + REFRESH);
    uint64_t sent = 0;
    for (int i = 0; i < STEPS; i++) {
        const DvSpaceCounts before = counts_of(scene);
        make_steps(scene, 1);
        const DvSpaceCounts after = counts_of(scene);
        const uint64_t put = after.bytes_put - before.bytes_put, got = after.bytes_got - before.bytes_got;
        assert_int_equal(after.allocations, before.allocations);
        if (i % REFRESH == 2) {
            assert_true(put > POSITIONS && (sent == 0 || put == sent));
            assert_true(got > 2 * POSITIONS && got <= 2 * POSITIONS + 2 * sizeof(double));
            sent = put;
            continue;
        }
        assert_int_equal(put, 0);
        assert_int_equal(got, 2 * sizeof(double));
        assert_int_equal(after.waits - before.waits, 1);
    }
    dv_scene_free(scene);
}

/* ---- Rows ---- */

enum { ROWS = 21, ENTRIES = 4 };

static DvSparseRows some_rows(uint32_t n, uint32_t *start, uint32_t *columns, double *values)
{
    uint32_t entries = 0;
    for (uint32_t r = 0; r < ROWS; r++) {
        start[r] = entries;
        for (uint32_t e = 0; e < ENTRIES && r != 9; e++) {
            columns[entries] = (r * 5) % (n / 2) + e * (3 + r % 7);
            values[entries++] = 1.0 - 0.4 * e + 0.1 * r;
        }
    }
    start[ROWS] = entries;
    return (DvSparseRows){ROWS, start, columns, values};
}

/* W and a solution there, against solutions on the host of the same factor; twice, with the blocks in other orders. */
static void test_rows_are_answered_as_on_the_host(void **state)
{
    (void)state;
    DvScene *scene = scene_of("100", POINTS, "CudaVec3d");
    make_steps(scene, 3);
    const DvObject *ldl = scene_object(scene, "/Body/ldl");
    const DvLinearSolverOps *ops = dv_object_ops(ldl, DV_LINEAR_SOLVER);
    void *self = dv_object_self(ldl);
    const uint32_t beam = 45 * 3, n = beam + 4 * 3;
    uint32_t start[ROWS + 1], columns[ROWS * ENTRIES];
    double values[ROWS * ENTRIES], w[2][ROWS][ROWS] = {{{0}}}, *x = calloc((size_t)ROWS * n, sizeof *x), largest = 0.0;
    assert_non_null(x);
    const DvSparseRows rows = some_rows(n, start, columns, values);
    assert_int_equal(ops->solve_many(self, &rows, x, n, NULL), DV_OK);
    const DvSpaceCounts before = counts_of(scene);
    assert_int_equal(ops->compliance(self, &rows, -2.0, w[0][0], ROWS), DV_OK);
    assert_int_equal(counts_of(scene).waits, before.waits + 1);
    assert_int_equal(ops->compliance(self, &rows, -2.0, w[1][0], ROWS), DV_OK);
    assert_memory_equal(w[0], w[1], sizeof w[0]);
    for (uint32_t i = 0; i < ROWS; i++)
        largest = fmax(largest, fabs(w[0][i][i]));
    for (uint32_t r = 0; r < ROWS; r++)
        for (uint32_t i = 0; i < ROWS; i++) {
            double sum = 0.0;
            for (uint32_t e = start[i]; e < start[i + 1]; e++)
                sum += values[e] * x[(size_t)r * n + columns[e]];
            assert_true(w[0][i][r] == w[0][r][i]);
            if (!(fabs(w[0][i][r] + 2.0 * sum) <= 1e-12 * largest))
                fail_msg("%u %u: %.17g and %.17g", i, r, w[0][i][r], -2.0 * sum);
        }
    const DvSparseRows one = {1, (const uint32_t[]){0, ENTRIES}, columns, values};
    DvVecId id;
    bool there = false;
    assert_int_equal(ops->solve_there(self, &one, &id, &there), DV_OK);
    assert_true(there);
    const DvConstVec found = dv_state_read(scene_state(scene, "/Body/dofs"), id);
    double size = 0.0;
    for (uint32_t k = 0; k < beam; k++)
        size = fmax(size, fabs(x[k]));
    assert_true(size > 0.0);
    for (uint32_t k = 0; k < beam; k++)
        assert_true(fabs(found.at[k] - x[k]) <= 1e-12 * size);
    free(x);
    dv_scene_free(scene);
}

static void test_runs_have_the_same_bits(void **state)
{
    (void)state;
    double first[45 * 3] = {0};
    for (int i = 0; i < 2; i++) {
        DvScene *scene = scene_of("3", POINTS, "CudaVec3f");
        make_steps(scene, 21);
        const DvConstVec x = dv_state_read(scene_state(scene, "/Body/dofs"), DV_POSITION);
        assert_int_equal(x.count, 45);
        if (i == 0)
            memcpy(first, x.at, sizeof first);
        assert_memory_equal(first, x.at, sizeof first);
        dv_scene_free(scene);
    }
}

static int remarks;

static void count_remarks(const DvMessage *message, void *context)
{
    (void)context;
    remarks +=
        strstr(message->text, "solves on the host, and vectors travel for it: corrections to a tolerance") != NULL;
}

/* Said once, and the motion is that of the host. */
static void test_corrections_are_made_on_the_host(void **state)
{
    (void)state;
    DvScene *scenes[2] = {scene_of("3' tolerance='1e-10", "", "Vec3d"),
                          scene_of("3' tolerance='1e-10", "", "CudaVec3d")};
    for (int k = 0; k < 2; k++) {
        remarks = 0;
        dv_log_set_handler(count_remarks, NULL);
        make_steps(scenes[k], 10);
        dv_log_set_handler(NULL, NULL);
        assert_int_equal(remarks, k);
    }
    assert_true(difference(scenes[0], scenes[1]) <= 1e-9);
    dv_scene_free(scenes[0]);
    dv_scene_free(scenes[1]);
}

/* ---- What does not fit ---- */

/* Of two nodes of a number each: D, and L with one number below its diagonal, in one panel. */
typedef struct Parts {
    uint32_t size[1], node[2], panel[5], row[1];
    size_t rows, values;
} Parts;

static bool is_refused(DvScene *scene, const Parts *parts, const char *reason)
{
    static const double value[2 * 2] = {1.0, 0.5, 0.0, 1.0}, inverse[2] = {1.0, 1.0};
    const DvStorage storage = dv_state_storage(scene_state(scene, "/Body/dofs"));
    DvOperator op = {.name = "factor"};
    DvText why = {0};
    dv_operator_add_indices(&op, "size", parts->size, 1, 1, 1);
    dv_operator_add_indices(&op, "node", parts->node, 2, 1, 1);
    dv_operator_add_indices(&op, "panel", parts->panel, 1, 5, 1);
    dv_operator_add_indices(&op, "row", parts->row, parts->rows, 1, 1);
    dv_operator_add_numbers(&op, "value", value, parts->values, 1, 1);
    dv_operator_add_numbers(&op, "inverse", inverse, 2, 1, 1);
    DvTwin *twin = dv_twin_of(&storage, scene_state(scene, "/Body/dofs"), &op, &why);
    const bool refused = !twin && why.at && strstr(why.at, reason);
    if (twin)
        twin->ops->free(twin);
    dv_text_free(&why);
    return refused;
}

/* Lists that say who reads what are not trusted. */
static void test_parts_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    DvScene *scene =
        scene_from_text("<Node name='root'><DefaultAnimationLoop/><Node name='Body'><MechanicalObject name='dofs' "
                        "template='CudaVec1d' position='0 1'/></Node></Node>");
    const Parts right = {{2}, {1, 0}, {0, 2, 0, 2, 0}, {0}, 0, 4};
    assert_false(is_refused(scene, &right, ""));
    Parts wrong = right;
    wrong.size[0] = 3;
    assert_true(is_refused(scene, &wrong, "not those of its states"));
    wrong = right;
    wrong.node[1] = 1;
    assert_true(is_refused(scene, &wrong, "its order is not one of its 2 nodes"));
    wrong = right;
    wrong.panel[1] = 3;
    assert_true(is_refused(scene, &wrong, "its panels do not fit its 2 nodes"));
    wrong = right;
    wrong.panel[3] = 1;
    assert_true(is_refused(scene, &wrong, "its panels do not fit"));
    wrong = right;
    wrong.values = 3;
    assert_true(is_refused(scene, &wrong, "its panels do not fit"));
    wrong = right;
    wrong.panel[2] = 1;
    wrong.rows = 1;
    assert_true(is_refused(scene, &wrong, "its panels do not fit"));
    dv_scene_free(scene);
}

static int start_with_device(void **state)
{
    return setenv("DIVAN_DEVICE", "emulated", 1) == 0 ? start_plugins(state) : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps_are_those_of_the_host),
        cmocka_unit_test(test_no_vector_travels),
        cmocka_unit_test(test_rows_are_answered_as_on_the_host),
        cmocka_unit_test(test_runs_have_the_same_bits),
        cmocka_unit_test(test_corrections_are_made_on_the_host),
        cmocka_unit_test(test_parts_that_do_not_fit_are_refused),
    };
    return cmocka_run_group_tests(tests, start_with_device, stop_plugins);
}
