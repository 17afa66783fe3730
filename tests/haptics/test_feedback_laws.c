/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The laws of LCPForceFeedback on random tools, walls and ways of the hand: without friction the answer of a dense solver that tries each set of
 * contacts; with friction each law within the tolerance asked; what is cut off is counted; by the clock whole problems in order; two devices apart.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include <divan/contracts/haptic_device.h>
#include <divan/contracts/lagrangian_constraint.h>
#include <divan/divan.h>
#include <divan/plugin.h>

#include "folder.h"
#include "scene_text.h"

enum { MOST_ROWS = 27, MOST_STEPS = 64, MOST_LINES = 4000 };

static const DvHapticsOps *service(void)
{
    return dv_service(DV_HAPTICS);
}

static uint32_t seed;

/* From low to high. */
static double number(double low, double high)
{
    seed = seed * 1664525u + 1013904223u;
    return low + (high - low) * ((double)(seed >> 8) / 16777216.0);
}

/* A walk of the hand about a corner of two walls, never faster than a hand is. */
static void write_way(const char *name)
{
    FILE *file = fopen(in_folder(name), "w");
    double at[3] = {0.01, 0, 0.004};
    const double low[3] = {-0.004, -0.01, -0.004}, high[3] = {0.02, 0.01, 0.006};
    assert_non_null(file);
    for (int i = 0; i < 260; i++) {
        fprintf(file, "%.17g %.17g %.17g %.17g\n", 0.002 * i, at[0], at[1], at[2]);
        for (int c = 0; c < 3; c++)
            at[c] = fmin(high[c], fmax(low[c], at[c] + number(-0.0025, 0.0025)));
    }
    fclose(file);
}

#define WALLS                                                                                              \
    "<Node name='floor'><MeshTopology position='-1 -1 0 1 -1 0 1 1 0 -1 1 0' triangles='0 1 2 0 2 3'/>"    \
    "<MechanicalObject/><TriangleCollisionModel moving='0' simulated='0'/></Node>"                         \
    "<Node name='wall'><MeshTopology position='0 -1 -1 0 1 -1 0.2 1 1 0.2 -1 1' triangles='0 1 2 0 2 3'/>" \
    "<MechanicalObject/><TriangleCollisionModel moving='0' simulated='0'/></Node>"

/* A tool of one to three points of random places and mass, which a spring leads to its device. */
static void add_tool(DvText *text, const char *name, const char *device, const char *feedback)
{
    const int points = (int)number(1, 3.999);
    dv_text_add(
        text,
        "<Node name='%s'><EulerImplicitSolver rayleighStiffness='0' rayleighMass='0'/>"
        "<SparseLDLSolver template='CompressedRowSparseMatrixMat3x3d'/>"
        "<MechanicalObject name='state' template='Rigid3d' position='0.02 0 0.01 0 0 0 1'/>"
        "<UniformMass vertexMass='%g 1 [%g 0 0 0 %g 0 0 0 %g]'/><RestShapeSpringsForceField stiffness='%g' "
        "angularStiffness='%g' external_rest_shape='@/%s_hand'/><LinearSolverConstraintCorrection/>"
        "<LCPForceFeedback name='feedback' device='@/%s' activate='1' rampTime='0' passivity='off' stallTime='10' "
        "forceCoef='1' %s/><Node name='points'><MechanicalObject position='",
        name, number(0.05, 0.5), number(5e-4, 2e-3), number(5e-4, 2e-3), number(5e-4, 2e-3), number(100, 400),
        number(0.5, 2), device, device, feedback);
    for (int i = 0; i < points; i++) {
        const double angle = 2.1 * i + number(-0.4, 0.4), radius = number(0.005, 0.01);
        dv_text_add(text, "%g %g %g ", radius * cos(angle), radius * sin(angle), number(-0.002, 0.002));
    }
    dv_text_add(text, "'/><PointCollisionModel group='1'/><RigidMapping/></Node></Node>");
}

static DvScene *load(int order, double mu, const char *solver, const char *feedback, int tools)
{
    DvText text = {0};
    dv_text_add(&text,
                "<Node name='root' dt='0.01' gravity='0 0 -1'><FreeMotionAnimationLoop %s/><%s/>"
                "<CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/>"
                "<LocalMinDistance alarmDistance='0.02' contactDistance='0.001'/>"
                "<CollisionResponse response='FrictionContactConstraint' responseParams='mu=%g'/>",
                order ? "solveVelocityConstraintFirst='1'" : "", solver, mu);
    for (int t = 0; t < tools; t++)
        dv_text_add(&text,
                    "<SimulatedHapticDevice name='arm%d' resolution='0' workspace='0 0 0 0 0 0' maxForce='0' "
                    "filename='way%d.txt'/><MechanicalObject name='arm%d_hand' template='Rigid3d' "
                    "position='@arm%d.positionDevice'/>",
                    t, t, t, t);
    for (int t = 0; t < tools; t++) {
        char name[16], device[16];
        snprintf(name, sizeof name, "tool%d", t);
        snprintf(device, sizeof device, "arm%d", t);
        add_tool(&text, name, device, feedback);
    }
    dv_text_add(&text, WALLS "</Node>");
    DvScene *scene = NULL;
    assert_int_equal(dv_scene_load_text(text.at, text.length, "scene.scn", folder, NULL, &scene), DV_OK);
    dv_text_free(&text);
    return scene;
}

/* ---- A problem, held, and as dense matrices ---- */

typedef struct Dense {
    const DvConstraintProblem *held;
    uint32_t rows;
    double w[MOST_ROWS][MOST_ROWS], j[MOST_ROWS][3], x[3];
} Dense;

static const DvConstraintSolverOps *solver_of(DvScene *scene, DvObject **solver)
{
    *solver = dv_node_find(dv_scene_root(scene), DV_CONSTRAINT_SOLVER, DV_SEARCH_LOCAL);
    return dv_object_ops(*solver, DV_CONSTRAINT_SOLVER);
}

static double entry(const DvSparseRows *rows, uint32_t row, uint32_t column)
{
    for (uint32_t e = rows->row_start[row]; e < rows->row_start[row + 1]; e++)
        if (rows->columns[e] == column)
            return rows->values[e];
    return 0;
}

static void hold(DvScene *scene, Dense *out)
{
    DvObject *solver;
    const DvConstraintSolverOps *ops = solver_of(scene, &solver);
    const DvConstraintProblem *problem = ops->take_problem(dv_object_self(solver));
    const DvStateRef tool = scene_state(scene, "/tool0/state");
    memset(out, 0, sizeof *out);
    assert_non_null(problem);
    assert_true(problem->rows <= MOST_ROWS && problem->moved_count == 1);
    out->held = problem;
    out->rows = problem->rows;
    for (uint32_t p = 0; p < problem->part_count; p++) {
        const DvComplianceBlock *part = &problem->parts[p];
        for (uint32_t i = 0; i < part->count; i++)
            for (uint32_t k = 0; k < part->count; k++) {
                double sum = part->w ? part->w[(size_t)i * part->count + k] : 0;
                for (uint32_t c = 0; !part->w && c < part->columns; c++)
                    sum += entry(&part->left, i, c) * entry(&part->right, k, c);
                out->w[part->row[i]][part->row[k]] += sum;
            }
    }
    for (uint32_t i = 0; i < problem->moved[0].j.rows; i++)
        for (uint32_t c = 0; c < 3; c++)
            out->j[problem->moved[0].row[i]][c] = entry(&problem->moved[0].j, i, c);
    const DvConstVec x = dv_state_read(tool, DV_POSITION);
    memcpy(out->x, problem->order == DV_CONSTRAIN_POSITION ? dv_state_read(tool, DV_FREE_POSITION).at : x.at,
           sizeof out->x);
    for (int c = 0; c < 3 && problem->order == DV_CONSTRAIN_VELOCITY; c++)
        out->x[c] +=
            problem->dt * (dv_state_read(tool, DV_FREE_VELOCITY).at[c] - dv_state_read(tool, DV_VELOCITY).at[c]);
}

static void let_go(DvScene *scene, Dense *problems, size_t count)
{
    DvObject *solver;
    const DvConstraintSolverOps *ops = solver_of(scene, &solver);
    for (size_t i = 0; i < count; i++)
        ops->release_problem(problems[i].held);
}

static void shifted(const Dense *problem, const double at[3], double d[MOST_ROWS])
{
    const double share = problem->held->order == DV_CONSTRAIN_VELOCITY ? 1 / problem->held->dt : 1;
    for (uint32_t r = 0; r < problem->rows; r++) {
        d[r] = problem->held->violation[r];
        for (int c = 0; c < 3; c++)
            d[r] += share * problem->j[r][c] * (at[c] - problem->x[c]);
    }
}

static void force_of(const Dense *problem, const double *lambda, double force[3])
{
    memset(force, 0, 3 * sizeof *force);
    for (uint32_t r = 0; r < problem->rows; r++)
        for (int c = 0; c < 3; c++)
            force[c] += problem->j[r][c] * lambda[r];
}

/* Of the rows in the set: W lambda = -d by elimination; false: singular. */
static bool solve_set(const Dense *problem, const double *d, uint32_t set, double *lambda)
{
    double a[MOST_ROWS][MOST_ROWS + 1];
    uint32_t row[MOST_ROWS] = {0}, n = 0;
    for (uint32_t r = 0; r < problem->rows; r++)
        if (set >> r & 1u)
            row[n++] = r;
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = 0; k < n; k++)
            a[i][k] = problem->w[row[i]][row[k]];
        a[i][n] = -d[row[i]];
    }
    for (uint32_t i = 0; i < n; i++) { /* symmetric and positive: without exchange */
        if (!(a[i][i] > 1e-9 * problem->w[row[i]][row[i]]))
            return false;
        for (uint32_t k = i + 1; k < n; k++) {
            const double factor = a[k][i] / a[i][i];
            for (uint32_t c = i; c <= n; c++)
                a[k][c] -= factor * a[i][c];
        }
    }
    memset(lambda, 0, MOST_ROWS * sizeof *lambda);
    for (uint32_t i = n; i-- > 0;) {
        double sum = a[i][n];
        for (uint32_t k = i + 1; k < n; k++)
            sum -= a[i][k] * lambda[row[k]];
        lambda[row[i]] = sum / a[i][i];
    }
    return true;
}

/* Of all sets of contacts the one whose forces push and which leaves no violation; which one is tried first. */
static void dense_force(const Dense *problem, const double at[3], uint32_t *last, double force[3])
{
    double d[MOST_ROWS], lambda[MOST_ROWS], best[MOST_ROWS] = {0}, least = INFINITY, scale = 0;
    shifted(problem, at, d);
    for (uint32_t r = 0; r < problem->rows; r++)
        scale = fmax(scale, fabs(d[r]));
    assert_true(problem->rows <= 10);
    for (uint32_t i = 0; i < 1u << problem->rows && least > 1e-13 * scale; i++) {
        const uint32_t set = i ^ *last;
        if (set >> problem->rows || !solve_set(problem, d, set, lambda))
            continue;
        double worst = 0;
        for (uint32_t r = 0; r < problem->rows; r++) {
            double sum = d[r];
            for (uint32_t k = 0; k < problem->rows; k++)
                sum += problem->w[r][k] * lambda[k];
            worst = fmax(worst, fmax(set >> r & 1u ? 0 : -sum, -lambda[r] * problem->w[r][r]));
        }
        if (worst < least) {
            least = worst;
            memcpy(best, lambda, sizeof best);
            *last = worst < 1e-13 * scale ? set : *last;
        }
    }
    assert_true(problem->rows == 0 || least < 1e-11 * fmax(scale, 1e-3));
    force_of(problem, best, force);
}

/* ---- Ticks, from the log ---- */

typedef struct Line {
    double time, at[3], force[3];
} Line;

static size_t read_log(const char *device, Line *lines)
{
    FILE *file = fopen(in_folder("log.csv"), "r");
    char text[1024];
    size_t count = 0;
    assert_non_null(file);
    while (fgets(text, sizeof text, file)) {
        double n[16];
        char *at = strchr(text, ',');
        if (strncmp(text, device, strlen(device)) != 0)
            continue;
        for (int i = 0; i < 16; i++)
            n[i] = strtod(at + 1, &at);
        assert_true(count < MOST_LINES);
        lines[count++] = (Line){n[1], {n[2], n[3], n[4]}, {n[10], n[11], n[12]}};
    }
    fclose(file);
    return count;
}

static FILE *begin_log(DvScene *scene)
{
    FILE *log = fopen(in_folder("log.csv"), "w");
    assert_non_null(log);
    assert_int_equal(service()->set_log(scene, log), DV_OK);
    return log;
}

static void end_log(DvScene *scene, FILE *log)
{
    assert_int_equal(service()->set_log(scene, NULL), DV_OK);
    fclose(log);
}

static Dense problems[MOST_STEPS];
static Line lines[MOST_LINES];

static void make_steps(DvScene *scene, int steps)
{
    for (int i = 0; i < steps; i++) {
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
        hold(scene, &problems[i]);
    }
}

/* The step that a tick sees; -1: none yet. */
static int step_seen(const Line *line)
{
    return (int)floor(line->time / 0.01 + 1e-6) - 1;
}

static double not_converged(DvScene *scene)
{
    return dv_data_double(dv_object_field(scene_object(scene, "/tool0/feedback"), "notConverged"));
}

/* ---- The laws ---- */

static void without_friction_it_is_what_a_dense_solver_finds(void **state)
{
    (void)state;
    for (int order = 0; order < 2; order++) {
        unsigned compared = 0, pushed = 0, with_many = 0;
        for (int run = 0; run < 21; run++) {
            seed = (uint32_t)(1000 * order + run);
            write_way("way0.txt");
            DvScene *scene = load(order, 0, "BlockGaussSeidelConstraintSolver tolerance='1e-12' maxIterations='100000'",
                                  "solverMaxIt='1000000'", 1);
            FILE *log = begin_log(scene);
            make_steps(scene, 50);
            end_log(scene, log);
            const size_t count = read_log("arm0", lines);
            double worst = 0, most = 0;
            uint32_t last = 0;
            for (size_t l = 0; l < count; l++) {
                const int seen = step_seen(&lines[l]);
                double force[3];
                if (seen < 0)
                    continue;
                dense_force(&problems[seen], lines[l].at, &last, force);
                for (int c = 0; c < 3; c++) {
                    worst = fmax(worst, fabs(force[c] - lines[l].force[c]));
                    most = fmax(most, fabs(force[c]));
                }
                compared++;
                pushed += force[0] != 0 || force[2] != 0;
                with_many += problems[seen].rows > 2;
            }
            if (worst > 1e-9 * most)
                fail_msg("order %d, run %d: %g apart of %g", order, run, worst, most);
            assert_true(not_converged(scene) == 0);
            let_go(scene, problems, 50);
            dv_scene_free(scene);
        }
        if (compared < 10000 || pushed < 4000 || with_many < 1500)
            fail_msg("%u compared, %u push, %u with many rows", compared, pushed, with_many);
    }
}

/* How far a contact is from its law: rows n, t, s of a block. */
static double off_coulomb(const DvConstraintBlock *block, const double *d, const double *lambda, const double w[3])
{
    const double *l = lambda + block->first, *v = d + block->first, most = block->p[0] * l[0];
    const double along = sqrt(l[1] * l[1] + l[2] * l[2]), slip = sqrt(v[1] * v[1] + v[2] * v[2]);
    double off = fmax(-v[0], -l[0] * w[0]);
    off = fmax(off, fmin(fabs(v[0]), l[0] * w[0])); /* one of them is 0 */
    off = fmax(off, (along - most) * w[1]);         /* within the cone */
    if (along * (1 + 1e-6) < most)
        return fmax(off, slip); /* it sticks */
    if (along > 0)              /* it slips against the force */
        off = fmax(off, fabs(v[1] * l[2] - v[2] * l[1]) / along), off = fmax(off, (v[1] * l[1] + v[2] * l[2]) / along);
    return off;
}

static void with_friction_each_law_holds(void **state)
{
    (void)state;
    static const double tolerance = 1e-9;
    for (int order = 0; order < 2; order++) {
        unsigned contacts = 0, sliding = 0, sticking = 0;
        double worst = 0, unmoved = 0;
        for (int run = 0; run < 5; run++) {
            seed = (uint32_t)(77 + 1000 * order + run);
            write_way("way0.txt");
            DvScene *scene =
                load(order, 0.4, "BlockGaussSeidelConstraintSolver tolerance='1e-9' maxIterations='100000'",
                     "solverMaxIt='1000000'", 1);
            DvObject *solver;
            const DvConstraintSolverOps *ops = solver_of(scene, &solver);
            FILE *log = begin_log(scene);
            make_steps(scene, 40);
            end_log(scene, log);
            const size_t count = read_log("arm0", lines);
            double lambda[MOST_ROWS] = {0}, again[MOST_ROWS], d[MOST_ROWS], force[3];
            int last = -1;
            for (size_t l = 0; l < count; l++) {
                const int seen = step_seen(&lines[l]);
                const Dense *problem = &problems[seen < 0 ? 0 : seen];
                if (seen < 0 || problem->rows == 0)
                    continue;
                double *work = test_calloc(ops->work(problem->held) + 1, sizeof *work);
                if (seen != last) {
                    memcpy(lambda, problem->held->lambda, problem->rows * sizeof *lambda);
                    memcpy(again, lambda, sizeof again);
                    assert_true(ops->solve_again(problem->held, problem->held->violation, again, 1000000,
                                                 1e-3 * tolerance, 0, work));
                    for (uint32_t r = 0; r < problem->rows; r++) /* where it stood, it is the step's */
                        unmoved = fmax(unmoved, fabs(again[r] - lambda[r]) * problem->w[r][r]);
                }
                last = seen;
                shifted(problem, lines[l].at, d);
                assert_true(ops->solve_again(problem->held, d, lambda, 1000000, 1e-3 * tolerance, 0, work));
                test_free(work);
                force_of(problem, lambda, force);
                for (int c = 0; c < 3; c++)
                    assert_true(fabs(force[c] - lines[l].force[c]) < 1e-6 * (1 + fabs(force[c])));
                for (uint32_t r = 0; r < problem->rows; r++)
                    for (uint32_t k = 0; k < problem->rows; k++)
                        d[r] += problem->w[r][k] * lambda[k];
                for (uint32_t b = 0; b < problem->held->block_count; b++) {
                    const DvConstraintBlock *block = &problem->held->blocks[b];
                    const double w[3] = {problem->w[block->first][block->first],
                                         problem->w[block->first + 1][block->first + 1],
                                         problem->w[block->first + 2][block->first + 2]};
                    assert_int_equal(block->law, DV_LAW_FRICTION);
                    worst = fmax(worst, off_coulomb(block, d, lambda, w));
                    const double *f = lambda + block->first;
                    const bool slides = hypot(f[1], f[2]) * (1 + 1e-6) >= block->p[0] * f[0];
                    contacts += f[0] > 0;
                    sliding += f[0] > 0 && slides;
                    sticking += f[0] > 0 && !slides;
                }
            }
            assert_true(not_converged(scene) == 0);
            let_go(scene, problems, 40);
            dv_scene_free(scene);
        }
        if (worst > tolerance || unmoved > 20 * tolerance)
            fail_msg("order %d: laws are %g off, where it stood %g", order, worst, unmoved);
        assert_true(contacts > 300 && sliding > 100 && sticking > 20);
    }
}

static void what_is_cut_off_is_counted(void **state)
{
    (void)state;
    seed = 5;
    write_way("way0.txt");
    DvScene *scene =
        load(0, 0.4, "BlockGaussSeidelConstraintSolver tolerance='1e-9' maxIterations='100000'", "solverMaxIt='1'", 1);
    for (int i = 0; i < 50; i++)
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    assert_true(not_converged(scene) > 50);
    dv_scene_free(scene);
}

/* Alone, and beside another that is elsewhere: the same forces; each has its own. */
static void two_devices_never_share_a_force(void **state)
{
    (void)state;
    static Line alone[2][MOST_LINES];
    static const char solver[] = "BlockGaussSeidelConstraintSolver tolerance='1e-12' maxIterations='100000'";
    size_t count[2] = {0};
    seed = 42;
    write_way("way0.txt");
    write_way("way1.txt");
    seed = 43;
    DvScene *scene = load(0, 0, solver, "solverMaxIt='1000000'", 2);
    FILE *log = begin_log(scene);
    unsigned apart = 0;
    for (int i = 0; i < 50; i++) {
        DvHapticAbout about[2];
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
        for (uint32_t d = 0; d < 2; d++)
            assert_true(service()->about(scene, d, &about[d]));
        apart += (about[0].force[2] == 0) != (about[1].force[2] == 0) ||
                 (about[0].force[0] == 0) != (about[1].force[0] == 0);
    }
    end_log(scene, log);
    assert_true(apart > 5);
    for (int d = 0; d < 2; d++)
        count[d] = read_log(d ? "arm1" : "arm0", alone[d]);
    dv_scene_free(scene);
    /* The first once more without the second, whose way is now far from the walls. */
    FILE *file = fopen(in_folder("way1.txt"), "w");
    fputs("0 0.01 0 0.004\n0.2 0.9 0 0.9\n", file);
    fclose(file);
    seed = 43;
    scene = load(0, 0, solver, "solverMaxIt='1000000'", 2);
    log = begin_log(scene);
    for (int i = 0; i < 50; i++)
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    end_log(scene, log);
    dv_scene_free(scene);
    assert_int_equal(read_log("arm0", lines), count[0]);
    double most = 0, worst = 0, other = 0;
    for (size_t l = 0; l < count[0]; l++)
        for (int c = 0; c < 3; c++) {
            worst = fmax(worst, fabs(lines[l].force[c] - alone[0][l].force[c]));
            most = fmax(most, fabs(lines[l].force[c]));
        }
    assert_true(most > 0 && worst < 1e-7 * most);
    const size_t lines_of_1 = read_log("arm1", lines);
    for (size_t l = lines_of_1 / 2; l < lines_of_1; l++)
        other = fmax(other, fabs(lines[l].force[2]));
    assert_true(other == 0);
}

/* By the clock each force is that of a whole problem, none older than the one before. */
static void problems_come_whole_and_in_order(void **state)
{
    (void)state;
    seed = 7;
    write_way("way0.txt");
    DvScene *scene = load(0, 0, "BlockGaussSeidelConstraintSolver tolerance='1e-12' maxIterations='100000'",
                          "solverMaxIt='1000000' solverTimeout='1'", 1);
    assert_int_equal(service()->run_by_clock(scene, true), DV_OK);
    FILE *log = begin_log(scene);
    for (int i = 0; i < 40; i++) {
        const struct timespec pause = {0, 10000000};
        make_steps(scene, 0);
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
        hold(scene, &problems[i]);
        (void)nanosleep(&pause, NULL);
    }
    end_log(scene, log);
    assert_int_equal(service()->run_by_clock(scene, false), DV_OK);
    const size_t count = read_log("arm0", lines);
    int last = -1, found = 0;
    uint32_t set = 0;
    for (size_t l = 0; l < count; l++) {
        if (lines[l].force[0] == 0 && lines[l].force[2] == 0)
            continue; /* no contact, or the end fades */
        int at = last < 0 ? 0 : last;
        double force[3];
        for (; at < 40; at++) {
            dense_force(&problems[at], lines[l].at, &set, force);
            if (fabs(force[0] - lines[l].force[0]) + fabs(force[1] - lines[l].force[1]) +
                    fabs(force[2] - lines[l].force[2]) <
                1e-9)
                break;
        }
        if (at == 40 && l + 300 > count)
            break; /* the forces fade before the thread ends */
        if (at == 40)
            fail_msg("line %zu of %zu: no problem after %d has this force", l, count, last);
        found += at != last;
        last = at;
    }
    assert_true(found > 3);
    let_go(scene, problems, 40);
    dv_scene_free(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_friction_it_is_what_a_dense_solver_finds),
        cmocka_unit_test(with_friction_each_law_holds),
        cmocka_unit_test(what_is_cut_off_is_counted),
        cmocka_unit_test(two_devices_never_share_a_force),
        cmocka_unit_test(problems_come_whole_and_in_order),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
