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
        assert_true(2 * large.bytes_put <= 3 * small.bytes_put && 2 * large.bytes_got <= 3 * small.bytes_got);
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

static int start_with_device(void **state)
{
    return setenv("DIVAN_DEVICE", "emulated", 1) == 0 ? start_plugins(state) : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_correction_moves_as_on_the_host),
        cmocka_unit_test(test_bytes_hang_on_contacts_alone),
    };
    return cmocka_run_group_tests(tests, start_with_device, stop_plugins);
}
