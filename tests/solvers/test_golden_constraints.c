/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Golden runs: small bodies with contacts, ties, sliding points and limits, by each constraint solver with its fields, each correction and
 * each loop, come to what tests/solvers/golden/constraints.txt has written down. That it is right is the task of other tests; this one notices
 * that it has changed. With DIVAN_WRITE_GOLDEN=1 it writes down what is found now.
 *
 *   scene: sums of positions, of velocities, of forces; rows and sweeps
 */
#include "golden_lines.h"

#include <divan/contracts/lagrangian_constraint.h>
#include <divan/divan.h>

#include "scene_text.h"

enum { STEPS = 12 };

static const char *const solvers[] = {
    "BlockGaussSeidelConstraintSolver tolerance='1e-6' maxIterations='200'",
    "BlockGaussSeidelConstraintSolver tolerance='1e-3' maxIterations='5' sor='0.7' scaleTolerance='0'",
    "BlockGaussSeidelConstraintSolver tolerance='1e-4' maxIterations='40' allVerified='1' initial_guess='0'",
    "BlockGaussSeidelConstraintSolver tolerance='1e-5' maxIterations='9' sor='1.3' regularizationTerm='1e-4' holdStiffBlocks='1'",
    "UnbuiltGaussSeidelConstraintSolver tolerance='1e-6' maxIterations='60'",
    "NNCGConstraintSolver tolerance='1e-7' maxIterations='40'",
    "NNCGConstraintSolver tolerance='1e-3' maxIterations='3'",
    "ImprovedJacobiConstraintSolver tolerance='1e-6' maxIterations='70'",
    "LCPConstraintSolver tolerance='1e-5' maxIt='50' mu='0.3'",
    "LCPConstraintSolver tolerance='1e-5' maxIt='50' mu='0.3' build_lcp='0' initial_guess='0'",
    "LCPConstraintSolver tolerance='1e-4' maxIt='20' mu='0' minW='0.001' regularizationTerm='1e-4'",
};
static const char *const loops[] = {
    "FreeMotionAnimationLoop", "FreeMotionAnimationLoop solveVelocityConstraintFirst='1'",
    "ConstraintAnimationLoop tolerance='1e-6' maxIterations='30'",
    "ConstraintAnimationLoop tolerance='1e-4' maxIterations='8' sor='0.8' doCollisionsFirst='1'"};

#define LDL "<EulerImplicitSolver rayleighMass='0.1'/><SparseLDLSolver template='CompressedRowSparseMatrixMat3x3d'/>"
#define CG  "<EulerImplicitSolver/><CGLinearSolver iterations='60' tolerance='1e-12' threshold='1e-14'/>"
static const char *const answers[][2] = {
    {LDL, "<LinearSolverConstraintCorrection/>"},
    {LDL, "<GenericConstraintCorrection complianceFactor='0.9'/>"},
    {CG, "<UncoupledConstraintCorrection/>"},
    {LDL, "<PrecomputedConstraintCorrection recompute='1'/>"},
};
enum { ANSWERS = sizeof answers / sizeof *answers };

static DvScene *load(const char *loop, const char *solver, const char *const answer[2], bool contacts_only)
{
    DvText text = {0};
    dv_text_add(
        &text,
        "<Node name='root' gravity='1 -10 0.5' dt='0.01'><%s/>%s%s%s<CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/>"
        "<LocalMinDistance alarmDistance='0.06' contactDistance='0.02'/>"
        "<CollisionResponse response='FrictionContactConstraint' responseParams='mu=0.3'/>",
        loop, solver ? "<" : "", solver ? solver : "", solver ? " name='solver'/>" : "");
    dv_text_add(
        &text,
        "<Node name='Floor'><MeshTopology triangles='0 1 2'/><MechanicalObject position='-9 0 9  9 0 9  0 0 -9'/>"
        "<TriangleCollisionModel simulated='0' moving='0'/></Node>");
    dv_text_add(
        &text,
        "<Node name='Soft'>%s<MeshTopology edges='0 1 0 2 0 3 1 2 1 3 2 3 0 4 1 4 2 4'/><MechanicalObject name='dofs' "
        "position='0 0.03 0  1 0.04 0  0 0.05 1  0.3 1 0.3  0.9 0.06 0.9' velocity='0.5 -1 0  0.5 -1 0.1  0.5 -1 0  0.5 -1 0  0 -1 0'/>"
        "<UniformMass totalMass='2'/><MeshSpringForceField stiffness='600' damping='1'/>%s<PointCollisionModel/></Node>",
        answer[0],
        strstr(answer[1], "Uncoupled") ? "<UncoupledConstraintCorrection defaultCompliance='2.5'/>" : answer[1]);
    dv_text_add(
        &text,
        "<Node name='Frame'>%s<MechanicalObject name='dofs' template='Rigid3d' position='3 0.13 0 0.1 0.2 0.1 0.9695359714832658' "
        "velocity='-1 -1 0 0 0 3'/><UniformMass vertexMass='1.5 1 [0.02 0 0 0 0.03 0 0 0 0.04]'/>%s<Node name='Points'>"
        "<MechanicalObject name='dofs' position='0.1 -0.1 0  -0.1 -0.1 0.1  0 -0.1 -0.1  0.2 0.1 0'/><RigidMapping/>"
        "<PointCollisionModel/></Node></Node>",
        answer[0], answer[1]);
    if (!contacts_only)
        dv_text_add(
            &text,
            "<Node name='Line'><EulerImplicitSolver/><CGLinearSolver iterations='20' tolerance='1e-12' threshold='1e-14'/>"
            "<MechanicalObject name='dofs' template='Vec1d' position='0.1 0.2' velocity='2 -3'/><UniformMass totalMass='2'/>"
            "<UncoupledConstraintCorrection defaultCompliance='1'/><StopperLagrangianConstraint index='0' min='-0.5' max='0.2'/></Node>"
            "<BilateralLagrangianConstraint object1='@Soft/dofs' object2='@Frame/Points/dofs' first_point='1' second_point='3' "
            "rest_vector='2.1 0.2 0'/>"
            "<SlidingLagrangianConstraint object1='@Frame/Points/dofs' object2='@Soft/dofs' sliding_point='1' axis_1='2' axis_2='4'/>"
            "<Node name='Held'>%s<MechanicalObject name='dofs' position='5 5 5  5 4 5'/><UniformMass totalMass='1'/>"
            "<SpringForceField spring='0 1 300 1 1'/>%s<FixedLagrangianConstraint indices='0'/></Node>",
            answer[0],
            strstr(answer[1], "Uncoupled") ? "<UncoupledConstraintCorrection defaultCompliance='2'/>" : answer[1]);
    dv_text_add(&text, "</Node>");
    DvScene *scene = scene_from_text(text.at);
    dv_text_free(&text);
    return scene;
}

static void run(const char *name, DvScene *scene, bool contacts_only, bool has_solver, DvText *text)
{
    static const char *const states[] = {"/Soft/dofs", "/Frame/dofs", "/Line/dofs", "/Held/dofs"};
    double sums[3] = {0};
    uint64_t number = 0, rows = 0, sweeps = 0;
    for (int step = 0; step < STEPS; step++) {
        if (dv_scene_step(scene, 0) != DV_OK)
            fail_msg("%s: step %d", name, step);
        for (int s = 0; s < (contacts_only ? 2 : 4); s++)
            for (int what = 0; what < 2; what++) {
                const DvConstVec at = dv_state_read(scene_state(scene, states[s]), what ? DV_VELOCITY : DV_POSITION);
                for (uint32_t i = 0; i < at.count * at.dim; i++)
                    sums[what] += golden_weight(number++) * at.at[i];
            }
        if (!has_solver)
            continue;
        DvObject *solver = scene_object(scene, "/solver");
        const DvConstraintSolverOps *ops = dv_object_ops(solver, DV_CONSTRAINT_SOLVER);
        const DvConstraintProblem *problem = ops->take_problem(dv_object_self(solver));
        for (uint32_t r = 0; r < problem->rows; r++)
            sums[2] += golden_weight(number++) * problem->lambda[r];
        rows += problem->rows;
        sweeps += problem->sweeps;
        ops->release_problem(problem);
    }
    dv_text_add(text, "%s: %.9g %.9g %.9g %llu %llu\n", name, sums[0], sums[1], sums[2], (unsigned long long)rows,
                (unsigned long long)sweeps);
    dv_scene_free(scene);
}

/* What does not converge in so few sweeps says so; what is said of phases that do not end is counted. */
static void ignore(const DvMessage *message, void *context)
{
    *(int *)context += strstr(message->text, "phase") != NULL;
    if (message->level == DV_LEVEL_ERROR)
        print_message("%s\n", message->text);
}

static void runs_end_where_they_did(void **state)
{
    (void)state;
    DvText text = {0};
    int phases = 0;
    dv_scene_free(scene_from_text("<Node/>")); /* starts the plugins */
    dv_log_set_handler(ignore, &phases);
    dv_phase_enable(true);
    for (size_t s = 0; s < sizeof solvers / sizeof *solvers; s++)
        for (size_t a = 0; a < ANSWERS; a++)
            for (int velocity = 0; velocity < 2; velocity++) {
                char name[256];
                const bool contacts_only = strncmp(solvers[s], "LCP", 3) == 0;
                const bool unbuilt = strncmp(solvers[s], "Unbuilt", 7) == 0;
                if (velocity && (contacts_only || unbuilt)) /* of contacts alone, or without the units of W */
                    continue;
                snprintf(name, sizeof name, "%zu %.*s, %zu, %s", s, (int)strcspn(solvers[s], " "), solvers[s], a,
                         velocity ? "velocities" : "positions");
                run(name, load(loops[velocity], solvers[s], answers[a], contacts_only), contacts_only, true, &text);
            }
    for (size_t l = 2; l < sizeof loops / sizeof *loops; l++)
        for (size_t a = 0; a < ANSWERS; a++) {
            char name[64];
            snprintf(name, sizeof name, "loop %zu, %zu", l, a);
            run(name, load(loops[l], NULL, answers[a], false), false, false, &text);
        }
    assert_true(dv_phase_count() > 10 && phases == 0);
    dv_phase_enable(false);
    dv_log_set_handler(NULL, NULL);
    expect_golden_lines("solvers/golden/constraints.txt", text.at, 1e-6);
    dv_text_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(runs_end_where_they_did)};
    return cmocka_run_group_tests(tests, NULL, stop_plugins);
}
