/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * LCPForceFeedback: its force is what a dense solver finds for the same problem where the device is; a weight at rest is felt as its weight; a wall answers
 * in the first tick behind it and never pulls.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <divan/contracts/haptic_device.h>
#include <divan/contracts/lagrangian_constraint.h>
#include <divan/divan.h>
#include <divan/math/rigid.h>
#include <divan/moment.h>
#include <divan/plugin.h>

#include "folder.h"
#include "scene_text.h"

/* A tool of three points above a floor at z = 0. What holds it (`spring`) goes where the device is. */
static DvScene *load(double dt, const char *gravity, const char *loop, const char *solver, const char *feedback,
                     const char *spring)
{
    DvText text = {0};
    dv_text_add(
        &text,
        "<Node name='root' dt='%.17g' gravity='%s'><FreeMotionAnimationLoop %s/><%s/>"
        "<CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/>"
        "<LocalMinDistance alarmDistance='0.02' contactDistance='0.001'/>"
        "<CollisionResponse response='FrictionContactConstraint' responseParams='mu=0'/>"
        "<SimulatedHapticDevice name='arm' resolution='0' workspace='0 0 0 0 0 0' maxForce='0' drivenAxes='6' maxTorque='0' filename='way.txt'/>"
        "<MechanicalObject name='hand' template='Rigid3d' position='@arm.positionDevice'/>"
        "<Node name='tool'><EulerImplicitSolver rayleighStiffness='0' rayleighMass='0'/>"
        "<SparseLDLSolver template='CompressedRowSparseMatrixMat3x3d'/>"
        "<MechanicalObject name='state' template='Rigid3d' position='0 0 0.003 0 0 0 1'/>"
        "<UniformMass vertexMass='0.1 1e-3 1e-3 0 0 0 1e-3 0 0 0 1e-3'/>%s<LinearSolverConstraintCorrection/>"
        "<LCPForceFeedback name='feedback' activate='1' rampTime='0' passivity='off' stallTime='10' %s/>"
        "<Node name='points'><MechanicalObject position='0.01 0 0 -0.005 0.009 0 -0.005 -0.009 0'/>"
        "<PointCollisionModel/><RigidMapping/></Node></Node>"
        "<Node name='floor'><MeshTopology position='-1 -1 0 1 -1 0 1 1 0 -1 1 0' triangles='0 1 2 0 2 3'/>"
        "<MechanicalObject/><TriangleCollisionModel moving='0' simulated='0'/></Node></Node>",
        dt, gravity, loop, solver, spring, feedback);
    DvScene *scene = NULL;
    assert_int_equal(dv_scene_load_text(text.at, text.length, "scene.scn", folder, NULL, &scene), DV_OK);
    dv_text_free(&text);
    return scene;
}

static const DvHapticsOps *service(void)
{
    const DvHapticsOps *haptics = dv_service(DV_HAPTICS);
    assert_non_null(haptics);
    return haptics;
}

static void step(DvScene *scene)
{
    assert_int_equal(dv_scene_step(scene, 0), DV_OK);
}

/* A problem as a dense matrix, and what a tick needs of it: a copy that is the test's own. */
enum { MOST_ROWS = 32 };
typedef struct Dense {
    uint32_t rows;
    double w[MOST_ROWS * MOST_ROWS], free[MOST_ROWS], j[MOST_ROWS][6], dt, x[7];
    DvConstraintOrder order;
} Dense;

static double entry(const DvSparseRows *rows, uint32_t row, uint32_t column)
{
    for (uint32_t e = rows->row_start[row]; e < rows->row_start[row + 1]; e++)
        if (rows->columns[e] == column)
            return rows->values[e];
    return 0;
}

static void read_problem(DvScene *scene, Dense *out)
{
    DvObject *solver = dv_node_find(dv_scene_root(scene), DV_CONSTRAINT_SOLVER, DV_SEARCH_LOCAL);
    const DvConstraintSolverOps *ops = dv_object_ops(solver, DV_CONSTRAINT_SOLVER);
    const DvConstraintProblem *problem = ops->take_problem(dv_object_self(solver));
    const DvStateRef tool = scene_state(scene, "/tool/state");
    memset(out, 0, sizeof *out);
    assert_non_null(problem);
    assert_true(problem->rows <= MOST_ROWS);
    out->rows = problem->rows;
    out->dt = problem->dt;
    out->order = problem->order;
    for (uint32_t r = 0; r < problem->rows; r++)
        out->free[r] = problem->violation[r];
    for (uint32_t p = 0; p < problem->part_count; p++) {
        const DvComplianceBlock *part = &problem->parts[p];
        for (uint32_t i = 0; i < part->count; i++)
            for (uint32_t k = 0; k < part->count; k++) {
                double sum = part->w ? part->w[(size_t)i * part->count + k] : 0;
                for (uint32_t c = 0; !part->w && c < part->columns; c++)
                    sum += entry(&part->left, i, c) * entry(&part->right, k, c);
                out->w[part->row[i] * problem->rows + part->row[k]] += sum;
            }
    }
    assert_int_equal(problem->moved_count, 1);
    assert_ptr_equal(problem->moved[0].states[0], tool.object);
    const size_t unknowns = problem->moved[0].first[1]; /* all points move alike */
    for (uint32_t i = 0; i < problem->moved[0].j.rows; i++)
        for (uint32_t c = 0; c < unknowns; c++)
            out->j[problem->moved[0].row[i]][c % 6] += entry(&problem->moved[0].j, i, c);
    const DvConstVec x = dv_state_read(tool, DV_POSITION), v = dv_state_read(tool, DV_VELOCITY);
    if (out->order == DV_CONSTRAIN_POSITION) {
        memcpy(out->x, dv_state_read(tool, DV_FREE_POSITION).at, sizeof out->x);
    } else {
        const DvConstVec f = dv_state_read(tool, DV_FREE_VELOCITY);
        for (int c = 0; c < 3; c++)
            out->x[c] = x.at[c] + out->dt * (f.at[c] - v.at[c]);
    }
    ops->release_problem(problem);
}

/* d = free + J way + W lambda >= 0, lambda >= 0, d lambda = 0, by all subsets for few rows: which of them push is found by pivots on the dense
 * matrix (Lemke's problem of a symmetric matrix has one solution in d; J^T lambda is the same for all of them). */
static void dense_force(const Dense *problem, const double at[3], const double turn[3], double force[6])
{
    const uint32_t n = problem->rows;
    double lambda[MOST_ROWS] = {0}, d[MOST_ROWS];
    const double share = problem->order == DV_CONSTRAIN_VELOCITY ? 1 / problem->dt : 1;
    for (uint32_t r = 0; r < n; r++) {
        d[r] = problem->free[r];
        for (int c = 0; c < 3; c++)
            d[r] += share * (problem->j[r][c] * (at[c] - problem->x[c]) + problem->j[r][c + 3] * turn[c]);
    }
    for (int sweep = 0; sweep < 200000; sweep++) { /* over-converged */
        double most = 0;
        for (uint32_t r = 0; r < n; r++) {
            double sum = d[r];
            for (uint32_t k = 0; k < n; k++)
                sum += problem->w[r * n + k] * lambda[k];
            const double before = lambda[r];
            lambda[r] = fmax(0, before - sum / problem->w[r * n + r]);
            most = fmax(most, fabs(lambda[r] - before));
        }
        if (most == 0 || (sweep > 100 && most < 1e-17))
            break;
    }
    memset(force, 0, 6 * sizeof *force);
    for (uint32_t r = 0; r < n; r++)
        for (int c = 0; c < 6; c++)
            force[c] += problem->j[r][c] * lambda[r];
}

typedef struct Line {
    double time, at[3], force[3];
} Line;

static size_t read_log(Line *lines, size_t capacity)
{
    FILE *file = fopen(in_folder("log.csv"), "r");
    assert_non_null(file);
    char text[1024];
    size_t count = 0;
    while (fgets(text, sizeof text, file)) {
        double n[16];
        char *at = strchr(text, ',');
        if (!at || strncmp(text, "device", 6) == 0)
            continue;
        for (int i = 0; i < 16; i++)
            n[i] = strtod(at + 1, &at);
        if (count < capacity)
            lines[count++] = (Line){n[1], {n[2], n[3], n[4]}, {n[10], n[11], n[12]}};
    }
    fclose(file);
    return count;
}

static const char spring[] = "<RestShapeSpringsForceField stiffness='300' angularStiffness='1' "
                             "external_rest_shape='@/hand'/>";

static void each_tick_is_a_dense_solution(const char *loop, const char *solver)
{
    enum { STEPS = 260 };
    static Dense problems[STEPS];
    static Line lines[11 * STEPS];
    /* Down, along the floor, up and down again. */
    write_file("way.txt",
               "0 0 0 0.004\n0.3 0.002 0 -0.004\n1 0.02 -0.01 -0.002\n1.5 0.01 0.01 0.006\n2.6 -0.01 0 -0.006\n");
    DvScene *scene = load(0.01, "0 0 0", loop, solver, "forceCoef='1' solverMaxIt='100000'", spring);
    FILE *log = fopen(in_folder("log.csv"), "w");
    assert_int_equal(service()->set_log(scene, log), DV_OK);
    for (int i = 0; i < STEPS; i++) {
        step(scene);
        read_problem(scene, &problems[i]);
    }
    assert_int_equal(service()->set_log(scene, NULL), DV_OK);
    fclose(log);
    assert_true(dv_data_double(dv_object_field(scene_object(scene, "/tool/feedback"), "notConverged")) == 0);
    dv_scene_free(scene);
    const size_t count = read_log(lines, 11 * STEPS);
    double most = 0, worst = 0;
    unsigned changed = 0, pushed = 0;
    for (size_t l = 0; l < count; l++) {
        const int behind = (int)floor(lines[l].time / 0.01 + 1e-6) - 1; /* the step that ended last */
        if (behind < 0)
            continue;
        double force[6];
        static const double none[3] = {0};
        dense_force(&problems[behind], lines[l].at, none, force);
        for (int c = 0; c < 3; c++) {
            worst = fmax(worst, fabs(force[c] - lines[l].force[c]));
            most = fmax(most, fabs(force[c]));
        }
        assert_true(lines[l].force[2] >= 0); /* the floor never pulls */
        pushed += lines[l].force[2] > 0;
        changed +=
            l > 0 && lines[l].force[2] > 0 && lines[l - 1].force[2] > 0 && lines[l].force[2] != lines[l - 1].force[2];
    }
    assert_true(pushed > 500 && changed > pushed * 9 / 10);
    if (worst > 1e-9 * fmax(1, most))
        fail_msg("%s %s: %g apart of %g", loop, solver, worst, most);
}

static void ticks_are_dense_solutions_with_each_solver(void **state)
{
    (void)state;
    each_tick_is_a_dense_solution("", "BlockGaussSeidelConstraintSolver tolerance='1e-12' maxIterations='100000'");
    each_tick_is_a_dense_solution("", "UnbuiltGaussSeidelConstraintSolver tolerance='1e-12' maxIterations='100000'");
    each_tick_is_a_dense_solution("", "NNCGConstraintSolver tolerance='1e-12' maxIterations='100000'");
    each_tick_is_a_dense_solution("", "LCPConstraintSolver mu='0' tolerance='1e-12' maxIt='100000'");
}

static void ticks_are_dense_solutions_of_velocities(void **state)
{
    (void)state;
    each_tick_is_a_dense_solution("solveVelocityConstraintFirst='1'",
                                  "BlockGaussSeidelConstraintSolver tolerance='1e-12' maxIterations='100000'");
}

/* Under gravity on the floor, the device where the tool would have fallen to: what it weighs. */
static void a_weight_at_rest_is_felt_as_its_weight(void **state)
{
    (void)state;
    for (int order = 0; order < 2; order++) {
        write_file("way.txt", "0 0 0 0.00001\n");
        const char *loop = order ? "solveVelocityConstraintFirst='1'" : "";
        DvScene *scene =
            load(0.01, "0 0 -10", loop, "BlockGaussSeidelConstraintSolver tolerance='1e-14' maxIterations='10000'",
                 "physicalForce='1' solverMaxIt='10000'", "");
        for (int i = 0; i < 200; i++)
            step(scene);
        /* It stands where contacts hold it, and would fall by g dt^2 in a step. */
        const double z = dv_state_read(scene_state(scene, "/tool/state"), DV_POSITION).at[2];
        dv_scene_free(scene);
        char way[100];
        snprintf(way, sizeof way, "0 0 0 %.17g\n", z - 10 * 0.01 * 0.01);
        write_file("way.txt", way);
        scene = load(0.01, "0 0 -10", loop, "BlockGaussSeidelConstraintSolver tolerance='1e-14' maxIterations='10000'",
                     "physicalForce='1' solverMaxIt='10000'", "");
        for (int i = 0; i < 202; i++)
            step(scene);
        DvHapticAbout about;
        assert_true(service()->about(scene, 0, &about));
        if (fabs(about.force[2] - 1) > 1e-6)
            fail_msg("order %d: %.9g N instead of 1", order, about.force[2]);
        dv_scene_free(scene);
    }
}

static void a_wall_answers_in_the_first_tick_behind_it(void **state)
{
    (void)state;
    static Line lines[2000];
    write_file("way.txt", "0 0 0 0.005\n1 0 0 -0.005\n");
    DvScene *scene = load(0.02, "0 0 0", "", "BlockGaussSeidelConstraintSolver tolerance='1e-12' maxIterations='10000'",
                          "forceCoef='1'", spring);
    FILE *log = fopen(in_folder("log.csv"), "w");
    assert_int_equal(service()->set_log(scene, log), DV_OK);
    for (int i = 0; i < 50; i++)
        step(scene);
    assert_int_equal(service()->set_log(scene, NULL), DV_OK);
    fclose(log);
    dv_scene_free(scene);
    const size_t count = read_log(lines, 2000);
    for (size_t l = 0; l < count; l++) /* contacts hold at 0.001 */
        if (fabs(lines[l].at[2] - 0.001) > 1e-9)
            assert_true((lines[l].force[2] > 0) == (lines[l].at[2] < 0.001));
}

/* A wall that a hand presses at `speed` with places told in steps of 0.055 mm: the most by which passivity changes the force, the force, and the energy
 * from nowhere that is left. */
static double chatter(double speed, double *force, double *deficit)
{
    static Line lines[2][2000];
    static const char *const passivities[] = {"off", "control"};
    size_t count[2];
    char way[200];
    snprintf(way, sizeof way, "0 0 0 0.001\n0.5 0 0 %.17g\n1 0 0 0.001\n", 0.001 - 0.5 * speed);
    write_file("way.txt", way);
    for (int p = 0; p < 2; p++) {
        DvScene *scene =
            load(0.02, "0 0 0", "", "BlockGaussSeidelConstraintSolver tolerance='1e-12' maxIterations='10000'",
                 "physicalForce='1' solverMaxIt='10000'", spring);
        dv_data_set_double(dv_object_field(scene_object(scene, "/arm"), "resolution"), 5.5e-5);
        assert_int_equal(
            dv_data_set_text(dv_object_field(scene_object(scene, "/tool/feedback"), "passivity"), passivities[p]),
            DV_OK);
        FILE *log = fopen(in_folder("log.csv"), "w");
        assert_int_equal(service()->set_log(scene, log), DV_OK);
        for (int i = 0; i < 50; i++)
            step(scene);
        assert_int_equal(service()->set_log(scene, NULL), DV_OK);
        fclose(log);
        DvHapticTool tool;
        assert_true(service()->tool(scene, 0, 0, &tool));
        if (p == 0)
            *deficit = tool.energy_deficit;
        else if (speed > 0.004) /* what comes from nowhere is paid back, and little else */
            assert_true(tool.energy_deficit < 1e-9 && tool.energy_removed >= *deficit &&
                        tool.energy_removed < 2 * *deficit);
        dv_scene_free(scene);
        count[p] = read_log(lines[p], 2000);
    }
    assert_int_equal(count[0], count[1]);
    double most = 0;
    *force = 0;
    for (size_t l = 0; l < count[0]; l++) {
        most = fmax(most, fabs(lines[1][l].force[2] - lines[0][l].force[2]));
        *force = fmax(*force, lines[0][l].force[2]);
    }
    return most;
}

static void steps_of_an_encoder_make_no_chatter(void **state)
{
    (void)state;
    static const double speeds[] = {0.002, 0.005, 0.01};
    for (int v = 0; v < 3; v++) {
        double force, deficit = 0;
        const double most = chatter(speeds[v], &force, &deficit);
        /* A damper of m / 2 T, which means over 8 ticks: of the speed, and a step that may be one more. */
        const double bound = 0.5 * 0.05 / 1e-3 / 8 * (speeds[v] + 5.5e-5 / 8e-3);
        if (!(most < bound && force > 250 * speeds[v] && deficit < 1e-5))
            fail_msg("at %g m/s: a chatter of %g N beside %g N, %g J from nowhere", speeds[v], most, force, deficit);
    }
}

/* Force of the last tick along z; what a dense solver finds for it with these turns. */
static double last_force(DvScene *scene, int steps, const double turn[3], bool sees_torques, double *law)
{
    static Dense problem;
    double force[6];
    for (int i = 0; i < steps; i++) {
        if (i == steps - 1)
            read_problem(scene, &problem); /* of the step before, which the ticks of this one see */
        step(scene);
    }
    DvHapticAbout about;
    assert_true(service()->about(scene, 0, &about));
    const double *at = dv_data_doubles(dv_object_field(scene_object(scene, "/arm"), "positionDevice"), NULL);
    dense_force(&problem, at, turn, force);
    for (int c = 0; c < 3; c++) /* about the middle of the tool */
        assert_true(fabs(about.torque[c] - (sees_torques ? force[3 + c] : 0)) < 1e-9);
    *law = force[2];
    return about.force[2];
}

static const char exact[] = "BlockGaussSeidelConstraintSolver tolerance='1e-12' maxIterations='100000'";

/* The device is where the tool is, turned by half a radian: a point at 0.01 m goes 5 mm down, through the floor. */
static void turns_count_where_they_are_asked_for(void **state)
{
    (void)state;
    static const double none[3] = {0}, turn[3] = {0, 0.5, 0};
    double law;
    write_file("way.txt", "0 0 0 0.003 0 0.24740395925452294 0 0.9689124217106447\n");
    DvScene *scene = load(0.01, "0 0 0", "", exact, "forceCoef='1' solverMaxIt='100000'", "");
    assert_true(last_force(scene, 5, none, true, &law) == 0 && law == 0);
    dv_scene_free(scene);
    scene = load(0.01, "0 0 0", "", exact, "forceCoef='1' solverMaxIt='100000' derivRotations='1'", "");
    const double force = last_force(scene, 5, turn, true, &law);
    assert_true(law > 1e-3 && fabs(force - law) < 1e-9 * fmax(1, law));
    DvHapticAbout about;
    assert_true(service()->about(scene, 0, &about) && fabs(about.torque[1]) > 1e-3 * law);
    dv_scene_free(scene);
}

/* Two frames, of which the second touches: it moves with the device only if all do. */
static void all_frames_count_where_they_are_asked_for(void **state)
{
    (void)state;
    static const double none[3] = {0};
    for (int all = 0; all < 2; all++) {
        DvText text = {0};
        dv_text_add(
            &text,
            "<Node name='root' dt='0.01' gravity='0 0 0'><FreeMotionAnimationLoop/><%s/>"
            "<CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/>"
            "<LocalMinDistance alarmDistance='0.02' contactDistance='0.001'/>"
            "<CollisionResponse response='FrictionContactConstraint' responseParams='mu=0'/>"
            "<SimulatedHapticDevice name='arm' resolution='0' maxForce='0' filename='way.txt'/>"
            "<Node name='tool'><EulerImplicitSolver/><SparseLDLSolver template='CompressedRowSparseMatrixMat3x3d'/>"
            "<MechanicalObject name='state' template='Rigid3d' position='0 0 0.003 0 0 0 1 0.1 0 0.003 0 0 0 1'/>"
            "<UniformMass vertexMass='0.1 1e-3 1e-3 0 0 0 1e-3 0 0 0 1e-3'/><LinearSolverConstraintCorrection/>"
            "<LCPForceFeedback activate='1' rampTime='0' passivity='off' stallTime='10' forceCoef='1' "
            "solverMaxIt='100000' localHapticConstraintAllFrames='%d'/>"
            "<Node name='points'><MechanicalObject position='0.01 0 0 -0.005 0.009 0 -0.005 -0.009 0'/>"
            "<PointCollisionModel/><RigidMapping index='1'/></Node></Node>"
            "<Node name='floor'><MeshTopology position='-1 -1 0 1 -1 0 1 1 0 -1 1 0' triangles='0 1 2 0 2 3'/>"
            "<MechanicalObject/><TriangleCollisionModel moving='0' simulated='0'/></Node></Node>",
            exact, all);
        DvScene *scene = NULL;
        write_file("way.txt", "0 0 0 -0.004\n");
        assert_int_equal(dv_scene_load_text(text.at, text.length, "scene.scn", folder, NULL, &scene), DV_OK);
        dv_text_free(&text);
        double law;
        const double force = last_force(scene, 5, none, false, &law);
        assert_true(law > 1e-3 && fabs(force - (all ? law : 0)) < 1e-9);
        dv_scene_free(scene);
    }
}

/* It counts by the clock alone: in virtual time sweeps do. */
static void time_cuts_a_solve_off_by_the_clock(void **state)
{
    (void)state;
    write_file("way.txt", "0 0 0 -0.002\n");
    for (int i = 0; i < 3; i++) {
        DvScene *scene = load(
            0.01, "0 0 0", "", exact,
            i == 1 ? "solverMaxIt='1000000' solverTimeout='10'" : "solverMaxIt='1000000' solverTimeout='1e-9'", "");
        DvHapticAbout about = {0};
        if (i > 0)
            assert_int_equal(service()->run_by_clock(scene, true), DV_OK);
        for (int k = 0; k < 400 && (k < 10 || about.ticks < 40); k++) {
            step(scene);
            (void)usleep(i > 0 ? 3000 : 0);
            assert_true(service()->about(scene, 0, &about));
        }
        step(scene);
        const double cut = dv_data_double(dv_object_field(scene_object(scene, "/tool/feedback"), "notConverged"));
        assert_true(i == 2 ? cut > 5 : cut == 0);
        dv_scene_free(scene);
    }
}

/* What a run leads to in bits, and its log. */
typedef struct Outcome {
    double tool[7], about[8];
    size_t lines;
    Line log[400];
} Outcome;

static void go_on(DvScene *scene, int count, Outcome *out)
{
    memset(out, 0, sizeof *out);
    FILE *log = fopen(in_folder("log.csv"), "w");
    assert_int_equal(service()->set_log(scene, log), DV_OK);
    for (int i = 0; i < count; i++)
        step(scene);
    assert_int_equal(service()->set_log(scene, NULL), DV_OK);
    fclose(log);
    DvHapticAbout about;
    assert_true(service()->about(scene, 0, &about));
    memcpy(out->tool, dv_state_read(scene_state(scene, "/tool/state"), DV_POSITION).at, sizeof out->tool);
    const double numbers[8] = {about.path, about.work,       about.force[2],        (double)about.ticks,
                               about.time, about.mean_force, (double)about.clamped, (double)about.snapshots};
    memcpy(out->about, numbers, sizeof numbers);
    out->lines = read_log(out->log, 400);
}

static DvScene *load_held(const char *solver)
{
    char whole[200];
    snprintf(whole, sizeof whole, "%s tolerance='1e-6' %s='30'", solver,
             strstr(solver, "LCP") ? "maxIt" : "maxIterations");
    DvScene *scene = load(0.01, "0 0 0", "", whole, "physicalForce='1' maxForce='3' solverMaxIt='5'", spring);
    const DvHapticSchedule schedule = {.latency = 1.5, .jitter = 0.5, .lost = 0.1, .seed = 9};
    assert_int_equal(service()->set_schedule(scene, &schedule), DV_OK);
    return scene;
}

/* Moments, checkpoints and saved scenes, in contact, while states wait to be seen. */
static void a_run_goes_on_with_what_it_solves(void **state)
{
    (void)state;
    static Outcome first, again;
    static const char *const solvers[] = {"BlockGaussSeidelConstraintSolver", "UnbuiltGaussSeidelConstraintSolver",
                                          "NNCGConstraintSolver", "LCPConstraintSolver mu='0'"};
    write_file("way.txt", "0 0 0 0.004\n0.2 0.002 0 -0.004\n1 0.02 -0.01 -0.002\n");
    for (int s = 0; s < 4; s++) {
        DvScene *scene = load_held(solvers[s]);
        DvMoment *moment = dv_moment_new(scene);
        for (int i = 0; i < 23; i++)
            step(scene);
        assert_int_equal(dv_moment_take(moment), DV_OK);
        assert_int_equal(dv_checkpoint_write(scene, in_folder("half.checkpoint")), DV_OK);
        assert_int_equal(dv_scene_save(scene, in_folder("half.scn")), DV_OK);
        go_on(scene, 12, &first);
        assert_true(first.about[2] > 0 && first.lines > 90);
        for (int i = 0; i < 2; i++) {
            assert_int_equal(dv_moment_restore(moment), DV_OK);
            go_on(scene, 12, &again);
            assert_memory_equal(&first, &again, sizeof first);
        }
        dv_moment_free(moment);
        dv_scene_free(scene);
        scene = load_held(solvers[s]);
        assert_int_equal(dv_checkpoint_read(scene, in_folder("half.checkpoint")), DV_OK);
        go_on(scene, 12, &again);
        assert_memory_equal(&first, &again, sizeof first);
        dv_scene_free(scene);
        assert_int_equal(dv_scene_load(in_folder("half.scn"), NULL, &scene), DV_OK);
        const DvHapticSchedule schedule = {.latency = 1.5, .jitter = 0.5, .lost = 0.1, .seed = 9};
        assert_int_equal(service()->set_schedule(scene, &schedule), DV_OK);
        go_on(scene, 12, &again);
        assert_memory_equal(&first, &again, sizeof first);
        dv_scene_free(scene);
    }
}

/* Whatever a file says: an error, a run that begins anew, never more than the force allowed. */
static void words_that_are_wrong_do_no_harm(void **state)
{
    (void)state;
    write_file("way.txt", "0 0 0 -0.002\n");
    DvScene *scene = load_held("BlockGaussSeidelConstraintSolver");
    DvData *resume = dv_object_field(scene_object(scene, "/tool/feedback"), "resume");
    for (int i = 0; i < 10; i++)
        step(scene);
    DvMoment *moment = dv_moment_new(scene);
    for (uint32_t bad = 0; bad < 300; bad++) {
        size_t count;
        (void)dv_data_uints(resume, &count);
        const size_t kept = bad % 3 == 0 ? count - bad * count / 300 : count;
        uint32_t *other = dv_data_begin(resume, kept);
        assert_non_null(other);
        if (bad % 3)
            other[count / 5 + (7919 * (size_t)bad) % (count / 2)] = bad % 2 ? UINT32_MAX : 77 * bad;
        dv_data_end(resume);
        assert_int_equal(dv_moment_take(moment), DV_OK);
        assert_int_equal(dv_moment_restore(moment), DV_OK);
        const DvStatus status = dv_scene_step(scene, 0);
        assert_true(status == DV_OK || status == DV_ERROR_NOT_FINITE);
        dv_scene_reset(scene);
        for (int i = 0; i < 3; i++)
            step(scene);
    }
    dv_moment_free(moment);
    dv_scene_free(scene);
}

static void what_is_wrong_is_said(void **state)
{
    (void)state;
    expect_load_error("<Node><DefaultAnimationLoop/><SimulatedHapticDevice/><MechanicalObject template='Rigid3d'/>"
                      "<LCPForceFeedback/></Node>",
                      "no constraint solver");
    expect_load_error("<Node><FreeMotionAnimationLoop/><BlockGaussSeidelConstraintSolver/><SimulatedHapticDevice/>"
                      "<LCPForceFeedback template='Rigid3d'/></Node>",
                      "MechanicalObject");
    expect_load_error("<Node><FreeMotionAnimationLoop/><BlockGaussSeidelConstraintSolver/><SimulatedHapticDevice/>"
                      "<MechanicalObject template='Rigid3d'/><LCPForceFeedback indice='3'/></Node>",
                      "no device 3");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ticks_are_dense_solutions_with_each_solver),
        cmocka_unit_test(ticks_are_dense_solutions_of_velocities),
        cmocka_unit_test(a_weight_at_rest_is_felt_as_its_weight),
        cmocka_unit_test(a_wall_answers_in_the_first_tick_behind_it),
        cmocka_unit_test(steps_of_an_encoder_make_no_chatter),
        cmocka_unit_test(turns_count_where_they_are_asked_for),
        cmocka_unit_test(all_frames_count_where_they_are_asked_for),
        cmocka_unit_test(time_cuts_a_solve_off_by_the_clock),
        cmocka_unit_test(a_run_goes_on_with_what_it_solves),
        cmocka_unit_test(words_that_are_wrong_do_no_harm),
        cmocka_unit_test(what_is_wrong_is_said),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
