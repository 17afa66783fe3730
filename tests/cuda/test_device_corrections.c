/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Constraints on bodies that a device keeps: each correction gives the motion of the host, and what travels hangs on the contacts, not on the
 * body.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <divan/contracts/lagrangian_constraint.h>
#include <divan/contracts/solver.h>

#include "device_scenes.h"
#include "turned_scenes.h"

#define CG               "<CGLinearSolver iterations='400' tolerance='1e-14' threshold='1e-40'/>"
#define ANSWER_OF_SOLVER "<LinearSolverConstraintCorrection name='answer'/>"
#define ANSWER_OF_POINTS                                                       \
    "<UncoupledConstraintCorrection name='answer' defaultCompliance='0.0002' " \
    "useOdeSolverIntegrationFactors='0' correctionVelocityFactor='1' correctionPositionFactor='1'/>"

/* A soft block of n x n x n points, from above onto a floor of the host. Points hang on its lower half, and these touch. */
#define DROP                                                                                                        \
    "<Node name='root' dt='0.01' gravity='0 -9 0'><FreeMotionAnimationLoop/>"                                       \
    "<BlockGaussSeidelConstraintSolver maxIterations='500' tolerance='1e-12'/>"                                     \
    "<CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/>"                                                  \
    "<LocalMinDistance alarmDistance='0.2' contactDistance='0.02'/>"                                                \
    "<CollisionResponse response='FrictionContactConstraint' responseParams='mu=%s'/>"                              \
    "<Node name='Body'><EulerImplicitSolver rayleighStiffness='0.05' rayleighMass='0.05'/>%s"                       \
    "<RegularGridTopology name='grid' n='%d %d %d' min='0 0 0' max='2 1 2'/>"                                       \
    "<MechanicalObject name='dofs' template='%s'/><DiagonalMass totalMass='5'/>"                                    \
    "<TetrahedronFEMForceField youngModulus='2000' poissonRatio='0.3' method='large'/>%s"                           \
    "<Node name='Hull'><MechanicalObject name='dofs' template='%s' position='%s'/>"                                 \
    "<PointCollisionModel/><BarycentricMapping/></Node></Node>"                                                     \
    "<Node name='Floor'><MechanicalObject name='dofs' position='-5 -0.03 -5 15 -0.03 -5 15 -0.03 15 -5 -0.03 15'/>" \
    "<MeshTopology triangles='0 2 1 0 3 2'/><TriangleCollisionModel moving='0' simulated='0'/></Node></Node>"

typedef struct Drop {
    const char *friction, *solver, *answer;
    int grid, contacts;
} Drop;

/* `contacts` points side by side near the floor. */
static DvScene *load(const Drop *drop, const char *word)
{
    DvText places = {0}, text = {0};
    int side = 1;
    while (side * side < drop->contacts)
        side++;
    for (int i = 0; i < drop->contacts; i++) {
        const int row = i / side, column = i % side;
        dv_text_add(&places, "%.17g 0.01 %.17g ", 0.05 + 1.9 * column / side, 0.07 + 1.7 * row / side);
    }
    dv_text_add(&text, DROP, drop->friction, drop->solver, drop->grid, drop->grid, drop->grid, word, drop->answer, word,
                places.at);
    DvScene *scene = scene_from_text(text.at);
    dv_text_free(&places);
    dv_text_free(&text);
    return scene;
}

static const DvVectorSpace *space_of(const DvScene *scene)
{
    const DvVectorSpace *space = dv_state_storage(scene_state(scene, "/Body/dofs")).space;
    assert_non_null(space);
    return space;
}

/* ---- The motion of the host ---- */

enum { STEPS = 14 };

static const struct {
    const char *solver, *answer;
} ways[] = {
    {CG, ANSWER_OF_POINTS},
    {CG, ANSWER_OF_SOLVER},
    {CG, "<GenericConstraintCorrection/>"},
    {"<PreconditionedMatrixFreeSystem name='often' assemblingRate='4'/><PCGLinearSolver iterations='400' "
     "tolerance='1e-24' preconditioner='@jacobi' linearSystem='@often'/><JacobiPreconditioner name='jacobi'/>",
     ANSWER_OF_SOLVER},
    {"<PreconditionedMatrixFreeSystem name='often'/><PCGLinearSolver iterations='100' tolerance='1e-24' "
     "preconditioner='@factor' linearSystem='@often'/><AsyncSparseLDLSolver name='factor'/>",
     ANSWER_OF_SOLVER},
    {"<SparseLDLSolver template='CompressedRowSparseMatrixMat3x3d'/>", ANSWER_OF_SOLVER},
    {"<AsyncSparseLDLSolver template='CompressedRowSparseMatrixMat3x3d'/>", ANSWER_OF_SOLVER},
    {"<SparseLDLSolver template='CompressedRowSparseMatrixMat3x3d'/>",
     "<PrecomputedConstraintCorrection recompute='1' fileCompliance='' rotations='0'/>"},
};

static void test_each_correction_moves_as_on_the_host(void **state)
{
    (void)state;
    for (size_t way = 0; way < sizeof ways / sizeof *ways; way++) {
        const Drop drop = {"0.3", ways[way].solver, ways[way].answer, 4, 4};
        DvScene *host = load(&drop, "Vec3d");
        make_steps(host, STEPS);
        const DvConstVec hull = dv_state_read(scene_state(host, "/Body/Hull/dofs"), DV_POSITION);
        for (uint32_t i = 0; i < hull.count; i++)
            if (!(hull.at[3 * i + 1] > -0.035)) /* a free fall ends at -0.09 */
                fail_msg("%s %s: point %u at %g", ways[way].solver, ways[way].answer, i, hull.at[3 * i + 1]);
        for (int p = 0; p < 2; p++) {
            DvScene *device = load(&drop, p ? "CudaVec3f" : "CudaVec3d");
            (void)space_of(device);
            make_steps(device, STEPS);
            const double apart = difference(host, device);
            if (!(apart <= (p ? 1e-3 : 1e-6)))
                fail_msg("%s %s, %s: %g", ways[way].solver, ways[way].answer, p ? "f" : "d", apart);
            dv_scene_free(device);
        }
        dv_scene_free(host);
    }
}

/* ---- What travels ---- */

static DvSpaceCounts moved_in_a_step(const Drop *drop)
{
    DvScene *scene = load(drop, "CudaVec3d");
    const DvVectorSpace *space = space_of(scene);
    make_steps(scene, 4);
    const DvSpaceCounts before = *space->ops->counts(space);
    make_steps(scene, 1);
    const DvSpaceCounts after = *space->ops->counts(space);
    dv_scene_free(scene);
    return (DvSpaceCounts){.bytes_put = after.bytes_put - before.bytes_put,
                           .bytes_got = after.bytes_got - before.bytes_got,
                           .allocations = after.allocations - before.allocations,
                           .waits = after.waits - before.waits};
}

#define FEW_TURNS "<CGLinearSolver iterations='6' tolerance='0' threshold='0'/>"

/* A body of eight times as many points moves as many bytes, but for the nodes that the same points hang on; and what a step moves grows as the
 * contacts do. */
static void test_bytes_hang_on_contacts_alone(void **state)
{
    (void)state;
    static const char *const answers[] = {ANSWER_OF_POINTS, ANSWER_OF_SOLVER};
    for (int k = 0; k < 2; k++) {
        const DvSpaceCounts small = moved_in_a_step(&(Drop){"0", FEW_TURNS, answers[k], 6, 10}),
                            large = moved_in_a_step(&(Drop){"0", FEW_TURNS, answers[k], 12, 10});
        assert_true(2 * large.bytes_put <= 3 * small.bytes_put && large.bytes_got <= 2 * small.bytes_got);
        assert_int_equal(large.allocations, 0);
    }
    const uint64_t slots = DV_SLOTS * sizeof(double);
    const DvSpaceCounts ten = moved_in_a_step(&(Drop){"0", FEW_TURNS, ANSWER_OF_POINTS, 12, 10}),
                        thousand = moved_in_a_step(&(Drop){"0", FEW_TURNS, ANSWER_OF_POINTS, 12, 1000});
    assert_true(ten.bytes_got > slots && ten.bytes_put > 0);
    assert_true(thousand.bytes_got - slots <= 110 * (ten.bytes_got - slots));
    assert_true(thousand.bytes_put <= 110 * ten.bytes_put);
    assert_int_equal(thousand.waits, ten.waits);
}

/* ---- Side by side ---- */

#define PCG                                                                                                          \
    "<PreconditionedMatrixFreeSystem name='often' assemblingRate='4'/><PCGLinearSolver iterations='400' batch='%d' " \
    "tolerance='%g' preconditioner='@jacobi' linearSystem='@often'/><JacobiPreconditioner name='jacobi'/>"

/* As many rows, as many waits: all are asked for before the host looks. */
static void test_waits_do_not_hang_on_rows(void **state)
{
    (void)state;
    const DvSpaceCounts ten = moved_in_a_step(&(Drop){"0", FEW_TURNS, ANSWER_OF_SOLVER, 8, 10}),
                        hundred = moved_in_a_step(&(Drop){"0", FEW_TURNS, ANSWER_OF_SOLVER, 8, 100});
    assert_int_equal(hundred.waits, ten.waits);
    assert_true(ten.waits <= 6 && hundred.bytes_got > ten.bytes_got);
    assert_int_equal(hundred.allocations, 0);
}

enum { ROWS = 11, ENTRIES = 3 };

/* Rows of a few unknowns each, some in common; the fourth is of none. */
static DvSparseRows rows_over(uint32_t n, uint32_t *start, uint32_t *columns, double *values)
{
    uint32_t entries = 0;
    for (uint32_t r = 0; r < ROWS; r++) {
        start[r] = entries;
        for (uint32_t e = 0; e < ENTRIES && r != 3; e++) {
            columns[entries] = n / 4 + 2 * r + (7 + r) * e;
            values[entries++] = 1.0 - 0.4 * e + 0.1 * r;
        }
    }
    start[ROWS] = entries;
    return (DvSparseRows){ROWS, start, columns, values};
}

/* A scene's solver, as it is after some steps. */
static void *solver_of(const DvScene *scene, const DvLinearSolverOps **ops)
{
    DvObject *linear =
        dv_node_find(dv_object_node(scene_state(scene, "/Body/dofs").object), DV_LINEAR_SOLVER, DV_SEARCH_LOCAL);
    assert_non_null(linear);
    *ops = dv_object_ops(linear, DV_LINEAR_SOLVER);
    return dv_object_self(linear);
}

/* Springs between points, and a net that is mapped and held by springs of its own; with `coupled` by some to points of the body too. */
#define MORE                                                                                                       \
    ANSWER_OF_SOLVER "<MeshSpringForceField linesStiffness='50' linesDamping='0.1'/><RestShapeSpringsForceField "  \
                     "points='0 7 9' stiffness='30'/><FixedProjectiveConstraint indices='3 60'/>"                  \
                     "<Node name='Net'><MechanicalObject name='dofs' template='%s' position='1 0.5 1 1.2 0.4 1'/>" \
                     "<SpringForceField spring='0 1 40 0 0.1'/><BarycentricMapping/></Node>%s"
#define COUPLING "<SpringForceField object1='@dofs' object2='@Net/dofs' spring='5 1 70 0 0.1'/>"

/* W of a scene's solver, and the same by one solve for each row. */
static void expect_bits_of_single_solves(const char *solver, const char *answer, const char *word)
{
    DvScene *scene = load(&(Drop){"0", solver, answer, 5, 4}, word);
    make_steps(scene, 3);
    const DvLinearSolverOps *ops;
    void *linear = solver_of(scene, &ops);
    const uint32_t n = 3 * dv_state_count(scene_state(scene, "/Body/dofs"));
    uint32_t start[ROWS + 1], columns[ROWS * ENTRIES];
    double values[ROWS * ENTRIES], w[ROWS][ROWS] = {{0}}, *x = calloc((size_t)ROWS * n, sizeof *x);
    assert_non_null(x);
    const DvSparseRows rows = rows_over(n, start, columns, values);
    assert_int_equal(ops->compliance(linear, &rows, -2.0, w[0], ROWS), DV_OK);
    assert_int_equal(ops->solve_many(linear, &rows, x, n, NULL), DV_OK);
    for (uint32_t r = 0; r < ROWS; r++)
        for (uint32_t i = 0; i < ROWS; i++) {
            double sum = 0.0;
            for (uint32_t e = start[i]; e < start[i + 1]; e++)
                sum += values[e] * x[(size_t)r * n + columns[e]];
            const double one = 0.0 + -2.0 * sum;
            if (memcmp(&one, &w[i][r], sizeof one) != 0 || (r != 3 && i == r && !(one < 0.0)))
                fail_msg("%s %s, %u %u: %.17g and %.17g by itself", solver, word, i, r, w[i][r], one);
        }
    free(x);
    dv_scene_free(scene);
}

/* Whatever a look finds: rows that are done, that have to be asked for again, and that have more iterations than there are slots for. */
static void test_rows_side_by_side_have_the_bits_of_single_ones(void **state)
{
    (void)state;
    static const struct {
        int batch;
        double tolerance;
    } cases[] = {{0, 1e-10}, {1, 1e-10}, {7, 1e-10}, {400, 1e-10}, {0, 0.0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int p = 0; p < 2; p++) {
            const char *word = p ? "CudaVec3f" : "CudaVec3d";
            char solver[512];
            (void)snprintf(solver, sizeof solver,
                           "<CGLinearSolver iterations='400' batch='%d' tolerance='%g' threshold='0'/>", cases[i].batch,
                           cases[i].tolerance);
            expect_bits_of_single_solves(solver, ANSWER_OF_SOLVER, word);
            (void)snprintf(solver, sizeof solver, PCG, cases[i].batch, cases[i].tolerance);
            expect_bits_of_single_solves(solver, ANSWER_OF_SOLVER, word);
        }
}

/* Whatever acts: what is read once, what goes through a mapping, and what acts on both its sides. */
static void test_rows_have_the_same_bits_whatever_acts(void **state)
{
    (void)state;
    static const char *const couplings[] = {"", COUPLING};
    for (int p = 0; p < 2; p++)
        for (int k = 0; k < 2; k++) {
            const char *word = p ? "CudaVec3f" : "CudaVec3d";
            char answer[2048];
            (void)snprintf(answer, sizeof answer, MORE, word, couplings[k]);
            expect_bits_of_single_solves("<CGLinearSolver iterations='400' tolerance='1e-10' threshold='0'/>", answer,
                                         word);
        }
}

/* What W of the first `count` rows asks of the device. */
static DvSpaceCounts asked_for(const char *solver, uint32_t count)
{
    DvScene *scene = load(&(Drop){"0", solver, ANSWER_OF_SOLVER, 5, 4}, "CudaVec3d");
    make_steps(scene, 3);
    const DvLinearSolverOps *ops;
    void *linear = solver_of(scene, &ops);
    uint32_t start[ROWS + 1], columns[ROWS * ENTRIES];
    double values[ROWS * ENTRIES], w[ROWS * ROWS] = {0};
    DvSparseRows rows = rows_over(3 * dv_state_count(scene_state(scene, "/Body/dofs")), start, columns, values);
    rows.rows = count;
    const DvVectorSpace *space = space_of(scene);
    DvSpaceCounts counts[2];
    for (int i = 0; i < 2; i++) {
        const DvSpaceCounts before = *space->ops->counts(space);
        assert_int_equal(ops->compliance(linear, &rows, 1.0, w, ROWS), DV_OK);
        counts[i] = *space->ops->counts(space);
        counts[i].bytes_read -= before.bytes_read;
        counts[i].launches -= before.launches;
        counts[i].waits -= before.waits;
    }
    dv_scene_free(scene);
    return counts[1];
}

/* Four rows at a time go through one iteration: of eight the operator is read for two. */
static void test_several_rows_read_the_operator_once(void **state)
{
    (void)state;
    static const char *const solvers[] = {FEW_TURNS, "<CGLinearSolver iterations='130' tolerance='0' threshold='0'/>"};
    for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++) {
        const DvSpaceCounts one = asked_for(solvers[i], 1), three = asked_for(solvers[i], 3),
                            eight = asked_for(solvers[i], 8);
        assert_true(one.bytes_read > 0);
        assert_int_equal(three.bytes_read, one.bytes_read);
        assert_int_equal(eight.bytes_read, 2 * one.bytes_read);
        assert_int_equal(eight.waits, one.waits);
        assert_true(eight.launches < 8 * one.launches);
    }
}

/* ---- The tool on the liver ---- */

/* The first place of `from`, which is there, is `to`. */
static void replace(DvText *text, const char *from, const char *to)
{
    DvText out = {0};
    const char *at = strstr(text->at, from);
    assert_non_null(at);
    dv_text_add(&out, "%.*s%s%s", (int)(at - text->at), text->at, to, at + strlen(from));
    dv_text_free(text);
    *text = out;
}

/* It begins right above the liver, which answers otherwise. */
static DvScene *liver_with(const char *answer, const char *prefix)
{
    char folder[2048], file[2100];
    DvText text = {0};
    DvScene *scene;
    (void)snprintf(folder, sizeof folder, "%s/scenes", getenv("DIVAN_TEST_SOURCE_ROOT"));
    (void)snprintf(file, sizeof file, "%s/liver_tool.scn", folder);
    (void)turned_scene_read(&text, file, prefix, false);
    replace(&text, "<SparseLDLSolver name=\"direct\" template=\"CompressedRowSparseMatrixMat3x3d\"/>",
            "<CGLinearSolver iterations=\"1000\" tolerance=\"1e-10\" threshold=\"1e-40\"/>");
    replace(&text, "<LinearSolverConstraintCorrection name=\"answer\"/>", answer);
    replace(&text, "position=\"-0.02 0 0.12 ", "position=\"-0.02 0 0.0895 ");
    assert_int_equal(dv_scene_load_text(text.at, text.length, file, folder, NULL, &scene), DV_OK);
    expect_elsewhere(scene, *prefix != '\0', false);
    dv_text_free(&text);
    return scene;
}

/* Run where DIVAN_LONG is set. */
static void test_tool_presses_the_liver_as_on_the_host(void **state)
{
    (void)state;
    static const char *const answers[] = {ANSWER_OF_SOLVER, "<GenericConstraintCorrection/>", ANSWER_OF_POINTS};
    for (size_t i = 0; i < sizeof answers / sizeof *answers && getenv("DIVAN_LONG"); i++) {
        DvScene *host = liver_with(answers[i], ""), *device = liver_with(answers[i], "Cuda");
        make_steps(host, 4);
        make_steps(device, 4);
        const double apart = states_apart(host, device);
        if (!(apart <= 1e-6))
            fail_msg("%s: %g apart", answers[i], apart);
        DvData *rows = dv_object_field(scene_object(host, "/contacts"), "currentNumConstraints");
        assert_true(dv_data_int(rows) > 0);
        dv_scene_free(host);
        dv_scene_free(device);
    }
}

static int start_with_device(void **state)
{
    return setenv("DIVAN_DEVICE", "emulated", 1) == 0 ? start_plugins(state) : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_correction_moves_as_on_the_host),
        cmocka_unit_test(test_bytes_hang_on_contacts_alone),
        cmocka_unit_test(test_waits_do_not_hang_on_rows),
        cmocka_unit_test(test_rows_side_by_side_have_the_bits_of_single_ones),
        cmocka_unit_test(test_rows_have_the_same_bits_whatever_acts),
        cmocka_unit_test(test_several_rows_read_the_operator_once),
        cmocka_unit_test(test_tool_presses_the_liver_as_on_the_host),
    };
    return cmocka_run_group_tests(tests, start_with_device, stop_plugins);
}
