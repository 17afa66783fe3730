/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Constraint solvers against each other, against dense solutions of the problems they leave, and in closed form.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <divan/contracts/lagrangian_constraint.h>
#include <divan/divan.h>

#include "scene_text.h"

/* Contact between the points of a node and a floor; %s: loop and solver. */
#define DETECTION                                                  \
    "<CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/>" \
    "<LocalMinDistance alarmDistance='0.2' contactDistance='0.05' angleCone='0.02'/>"
#define COLLISION(friction) \
    DETECTION "<CollisionResponse response='FrictionContactConstraint' responseParams='mu=" friction "'/>"
/* Equalities alone. */
#define STICKING DETECTION "<CollisionResponse response='StickContactConstraint'/>"
#define FLOOR                                                                                           \
    "<Node name='Floor'><MeshTopology triangles='0 2 1'/><MechanicalObject position='-9 0 -8  9 0 -8  " \
    "0 0 15'/><TriangleCollisionModel simulated='0' moving='0'/></Node>"
#define BODY                                                                                               \
    "<Node name='Body'><EulerImplicitSolver rayleighStiffness='0.05'/>"                                    \
    "<SparseLDLSolver template='CompressedRowSparseMatrixMat3x3d'/>"                                       \
    "<MechanicalObject name='dofs' position='0 0.1 0  1 0.12 0.1  0.2 0.09 1  1.1 0.1 0.9  0.5 0.8 0.5'/>" \
    "<UniformMass totalMass='2'/><MeshTopology position='@dofs.position' "                                 \
    "edges='0 1 0 2 1 3 2 3 0 3 1 2 0 4 1 4 2 4 3 4'/><MeshSpringForceField stiffness='800' damping='3'/>" \
    "<LinearSolverConstraintCorrection/><PointCollisionModel/></Node>" FLOOR "</Node>"
/* Each point by itself: W is diagonal, 1 / W(i, i) = mass / dt. */
#define LOOSE                                                                                        \
    "<Node name='Body'><EulerImplicitSolver/><CGLinearSolver iterations='9' tolerance='1e-15' "      \
    "threshold='1e-30'/><MechanicalObject name='dofs' position='0 0.04 0  1 0.03 0.1  0.2 0.01 1'/>" \
    "<UniformMass vertexMass='0.01'/><UncoupledConstraintCorrection compliance='100 300 200'/>"      \
    "<PointCollisionModel/></Node>" FLOOR "</Node>"
#define ROOT(gravity) "<Node name='root' gravity='" gravity "' dt='0.02'>"
#define FREE_MOTION   "<FreeMotionAnimationLoop/>"

static void steps(DvScene *scene, int count)
{
    while (count-- > 0)
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
}

static DvScene *scene_of(const char *format, const char *solver)
{
    DvText text = {0};
    dv_text_add(&text, format, solver);
    DvScene *scene = scene_from_text(text.at);
    dv_text_free(&text);
    return scene;
}

static double difference(DvScene *a, DvScene *b, DvVecId vector)
{
    const DvConstVec x = dv_state_read(scene_state(a, "/Body/dofs"), vector);
    const DvConstVec y = dv_state_read(scene_state(b, "/Body/dofs"), vector);
    double most = 0.0;
    for (uint32_t i = 0; i < x.count * x.dim; i++)
        most = fmax(most, fabs(x.at[i] - y.at[i]));
    return most;
}

/* ---- The problem that a step leaves ---- */

static const DvConstraintSolverOps *solver_ops(const DvScene *scene)
{
    const DvConstraintSolverOps *ops = dv_object_ops(scene_object(scene, "/solver"), DV_CONSTRAINT_SOLVER);
    assert_non_null(ops);
    return ops;
}

static const DvConstraintProblem *take(const DvScene *scene)
{
    const DvConstraintProblem *problem =
        solver_ops(scene)->take_problem(dv_object_self(scene_object(scene, "/solver")));
    assert_non_null(problem);
    return problem;
}

static double product(const DvComplianceBlock *part, uint32_t i, uint32_t j)
{
    if (part->w)
        return part->w[(size_t)i * part->count + j];
    double sum = 0.0;
    for (uint32_t a = part->left.row_start[i]; a < part->left.row_start[i + 1]; a++)
        for (uint32_t b = part->right.row_start[j]; b < part->right.row_start[j + 1]; b++)
            if (part->left.columns[a] == part->right.columns[b])
                sum += part->left.values[a] * part->right.values[b];
    return sum;
}

/* W [rows x rows], for free(). */
static double *dense(const DvConstraintProblem *problem)
{
    const size_t n = problem->rows;
    double *w = calloc(n * n + 1, sizeof *w);
    for (uint32_t p = 0; p < problem->part_count; p++)
        for (uint32_t i = 0; i < problem->parts[p].count; i++)
            for (uint32_t j = 0; j < problem->parts[p].count; j++)
                w[problem->parts[p].row[i] * n + problem->parts[p].row[j]] += product(&problem->parts[p], i, j);
    for (size_t r = 0; r < n; r++)
        w[r * n + r] += problem->regularization[r];
    return w;
}

/* ---- Jacobi ---- */

static void jacobi_ends_where_gauss_seidel_does(void **state)
{
    (void)state;
    static const char *const solvers[] = {
        "<ImprovedJacobiConstraintSolver tolerance='1e-13' maxIterations='20000'/>",
        "<ImprovedJacobiConstraintSolver tolerance='1e-13' maxIterations='20000' useConjugateResidue='1' "
        "conjugateResidueSpeedFactor='2'/>",
        "<ImprovedJacobiConstraintSolver tolerance='1e-13' maxIterations='20000' useSpectralCorrection='1' "
        "spectralCorrectionFactor='0.7'/>"};
    for (size_t k = 0; k < sizeof solvers / sizeof *solvers; k++) {
        DvScene *a = scene_of(ROOT("0 -9 0") FREE_MOTION "%s" COLLISION("0") BODY,
                              "<BlockGaussSeidelConstraintSolver tolerance='1e-13' maxIterations='20000'/>");
        DvScene *b = scene_of(ROOT("0 -9 0") FREE_MOTION "%s" COLLISION("0") BODY, solvers[k]);
        steps(a, 60);
        steps(b, 60);
        const double lowest = dv_state_read(scene_state(a, "/Body/dofs"), DV_POSITION).at[1];
        assert_true(fabs(lowest - 0.05) < 0.01); /* it lies there */
        assert_true(difference(a, b, DV_POSITION) < 1e-9 && difference(a, b, DV_VELOCITY) < 1e-7);
        dv_scene_free(a);
        dv_scene_free(b);
    }
}

/* What a solution has to be, whatever found it: contacts neither pull nor let through, and friction is in its cone. */
static void jacobi_obeys_the_laws_of_friction(void **state)
{
    (void)state;
    DvScene *scene = scene_of(ROOT("4 -9 0") FREE_MOTION "%s" COLLISION("0.3") BODY,
                              "<ImprovedJacobiConstraintSolver name='solver' tolerance='1e-12' maxIterations='50000' "
                              "useSpectralCorrection='1' spectralCorrectionFactor='0.5'/>");
    uint32_t sliding = 0, touching = 0;
    for (int i = 0; i < 40; i++) {
        steps(scene, 1);
        const DvConstraintProblem *problem = take(scene);
        const size_t n = problem->rows;
        assert_true(problem->converged);
        double *w = dense(problem);
        for (uint32_t b = 0; b < problem->block_count; b++) {
            const DvConstraintBlock *block = &problem->blocks[b];
            const double *lambda = problem->lambda + block->first;
            double d[3];
            for (uint32_t k = 0; k < 3; k++) {
                d[k] = problem->violation[block->first + k];
                for (size_t j = 0; j < n; j++)
                    d[k] += w[(block->first + k) * n + j] * problem->lambda[j];
            }
            const double friction = hypot(lambda[1], lambda[2]);
            assert_true(d[0] > -1e-9 && lambda[0] >= 0.0 && fabs(d[0] * lambda[0]) < 1e-9);
            assert_true(friction <= 0.3 * lambda[0] * (1.0 + 1e-12));
            if (friction < 0.299 * lambda[0])
                assert_true(hypot(d[1], d[2]) < 1e-8);
            touching += lambda[0] > 0.0;
            sliding += lambda[0] > 0.0 && friction > 0.2999 * lambda[0];
        }
        free(w);
        solver_ops(scene)->release_problem(problem);
    }
    assert_true(touching > 50 && sliding > 5);
    dv_scene_free(scene);
}

/* Of a diagonal W: one sweep gives lambda = -rho d / w, the second adds rho (1 - rho) and beta times the first. */
static void jacobi_takes_the_share_of_its_fields(void **state)
{
    (void)state;
    static const struct {
        const char *fields;
        double factor, beta;
        int sweeps;
    } cases[] = {{"maxIterations='1' useSpectralCorrection='1'", 1.0, 0.0, 1},
                 {"maxIterations='1' useSpectralCorrection='1' spectralCorrectionFactor='0.5'", 0.5, 0.0, 1},
                 {"maxIterations='2' useSpectralCorrection='1'", 1.0, 0.0, 2},
                 {"maxIterations='2' useSpectralCorrection='1' useConjugateResidue='1' "
                  "conjugateResidueSpeedFactor='3'",
                  1.0, 0.125, 2}};
    const double largest = 0.02 * 300, rho_of_w = 1.8 / (largest * largest);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char solver[256];
        snprintf(solver, sizeof solver, "<ImprovedJacobiConstraintSolver name='solver' tolerance='1e-14' %s/>",
                 cases[k].fields);
        DvScene *scene = scene_of(ROOT("0 -9 0") FREE_MOTION "%s" COLLISION("0") LOOSE, solver);
        steps(scene, 1);
        const DvConstraintProblem *problem = take(scene);
        assert_int_equal(problem->rows, 3);
        assert_int_equal(problem->sweeps, cases[k].sweeps);
        double *w = dense(problem);
        const double rho = cases[k].factor * rho_of_w;
        const double share = rho + (cases[k].sweeps == 2 ? rho * (1.0 - rho) + cases[k].beta * rho : 0.0);
        for (uint32_t r = 0; r < 3; r++) {
            const double expected = -share * problem->violation[r] / w[4 * r];
            assert_true(expected > 0.0 && fabs(problem->lambda[r] - expected) < 1e-12 * expected);
        }
        free(w);
        solver_ops(scene)->release_problem(problem);
        dv_scene_free(scene);
    }
}

/* ---- Conjugate residuals ---- */

static void ignore(const DvMessage *message, void *context)
{
    (void)message, (void)context;
}

static void eliminate(size_t n, double *a, double *x)
{
    for (size_t k = 0; k < n; k++) {
        assert_true(fabs(a[k * n + k]) > 1e-14);
        for (size_t i = k + 1; i < n; i++) {
            const double factor = a[i * n + k] / a[k * n + k];
            for (size_t j = k; j < n; j++)
                a[i * n + j] -= factor * a[k * n + j];
            x[i] -= factor * x[k];
        }
    }
    for (size_t k = n; k-- > 0;) {
        for (size_t j = k + 1; j < n; j++)
            x[k] -= a[k * n + j] * x[j];
        x[k] /= a[k * n + k];
    }
}

/* With as many iterations as rows it is the solution of W lambda = -d_free. */
static void conjugate_residuals_solve_the_linear_system(void **state)
{
    (void)state;
    DvScene *scene = scene_of(ROOT("1 -9 0") FREE_MOTION "%s" STICKING BODY,
                              "<PreconditionedConjugateResidual name='solver' tolerance='0' allVerified='0'/>");
    for (int i = 0; i < 3; i++) {
        steps(scene, 1);
        const DvConstraintProblem *problem = take(scene);
        const size_t n = problem->rows;
        assert_true(n >= 9 && problem->sweeps == n);
        double *w = dense(problem), *lambda = calloc(n, sizeof *lambda), size = 0.0;
        for (size_t r = 0; r < n; r++) {
            lambda[r] = -problem->violation[r];
            size = fmax(size, fabs(problem->lambda[r]));
        }
        eliminate(n, w, lambda);
        for (size_t r = 0; r < n; r++)
            assert_true(fabs(lambda[r] - problem->lambda[r]) < 1e-8 * size);
        free(w);
        free(lambda);
        solver_ops(scene)->release_problem(problem);
    }
    dv_scene_free(scene);
}

/* A row of no compliance, between what nothing moves: whatever force it had, nothing would give way. The others are solved. */
static void conjugate_residuals_leave_what_is_rigid_without_force(void **state)
{
    (void)state;
    DvScene *scene = scene_of(
        ROOT("1 -9 0") FREE_MOTION
        "%s<Node name='Body'><EulerImplicitSolver/><CGLinearSolver iterations='9' tolerance='1e-15' threshold='1e-30'/>"
        "<MechanicalObject name='dofs' position='0 0 0  1 0 0.1'/><UniformMass vertexMass='0.01'/>"
        "<UncoupledConstraintCorrection compliance='100 200'/></Node>"
        "<Node name='Still'><MechanicalObject name='dofs' position='0 0.1 0.2  3 1 0  3 1.5 0.7'/></Node>"
        "<BilateralLagrangianConstraint object1='@Still/dofs' object2='@Still/dofs' first_point='1' second_point='2'/>"
        "<BilateralLagrangianConstraint object1='@Body/dofs' object2='@Still/dofs' first_point='0' second_point='0'/></Node>",
        "<PreconditionedConjugateResidual name='solver' tolerance='0' maxIterations='4'/>");
    dv_log_set_handler(ignore, NULL); /* it does not converge */
    steps(scene, 1);
    dv_log_set_handler(NULL, NULL);
    const DvConstraintProblem *problem = take(scene);
    assert_int_equal(problem->rows, 6);
    double *w = dense(problem);
    for (uint32_t r = 0; r < 6; r++) {
        const double force = w[7 * r] > 0.0 ? -problem->violation[r] / w[7 * r] : 0.0;
        assert_true((w[7 * r] > 0.0) == (r >= 3) && (r == 0 || fabs(problem->violation[r]) > 1e-5));
        assert_true(fabs(problem->lambda[r] - force) <= 1e-12 * fabs(force));
    }
    free(w);
    solver_ops(scene)->release_problem(problem);
    dv_scene_free(scene);
}

/* Of ties that all hold, both methods have the one solution. */
static void conjugate_residuals_hold_ties_as_gauss_seidel_does(void **state)
{
    (void)state;
    const char *tied = ROOT("1 -9 0") FREE_MOTION
        "%s<Node name='Body'><EulerImplicitSolver/><SparseLDLSolver/>"
        "<MechanicalObject name='dofs' position='0 0 0  1 0 0.1  2 0.1 0' velocity='1 0 0  0 -2 0  0 0 1'/>"
        "<UniformMass totalMass='1'/><SpringForceField spring='0 1 900 1 1  1 2 900 1 1'/>"
        "<LinearSolverConstraintCorrection/></Node><Node name='Other'><EulerImplicitSolver/><SparseLDLSolver/>"
        "<MechanicalObject name='dofs' position='0 -1 0  1 -1 0' velocity='0 2 3  0 0 0'/><UniformMass totalMass='2'/>"
        "<SpringForceField spring='0 1 900 1 1'/><LinearSolverConstraintCorrection/></Node>"
        "<BilateralLagrangianConstraint object1='@Body/dofs' object2='@Other/dofs' first_point='0 2' "
        "second_point='1 0'/></Node>";
    DvScene *a = scene_of(tied, "<PreconditionedConjugateResidual tolerance='1e-13'/>");
    DvScene *b = scene_of(tied, "<BlockGaussSeidelConstraintSolver tolerance='1e-14' maxIterations='20000'/>");
    steps(a, 20);
    steps(b, 20);
    assert_true(difference(a, b, DV_POSITION) < 1e-9);
    const DvConstVec x = dv_state_read(scene_state(a, "/Body/dofs"), DV_POSITION);
    const DvConstVec y = dv_state_read(scene_state(a, "/Other/dofs"), DV_POSITION);
    for (int k = 0; k < 3; k++)
        assert_true(fabs(x.at[k] - y.at[3 + k]) < 1e-10 && fabs(x.at[6 + k] - y.at[k]) < 1e-10);
    dv_scene_free(a);
    dv_scene_free(b);
}

/* ---- Regularization ---- */

/* Two floors in one place on the left: a point over them has two equal rows. */
#define LEFT_FLOOR(name)                                                                                            \
    "<Node name='" name "'><MeshTopology triangles='0 2 1'/><MechanicalObject position='-4 0 -4  0 0 -4  -2 0 9'/>" \
    "<TriangleCollisionModel simulated='0' moving='0'/></Node>"
#define DOUBLE_FLOOR                                                                                                        \
    "<Node name='Body'><EulerImplicitSolver/><CGLinearSolver iterations='9' tolerance='1e-15' threshold='1e-30'/>"          \
    "<MechanicalObject name='dofs' position='-2 0.04 0  2 0.03 0'/><UniformMass vertexMass='1'/>"                           \
    "<UncoupledConstraintCorrection compliance='1 3'/><PointCollisionModel/></Node>" LEFT_FLOOR("Left") LEFT_FLOOR(         \
        "Again") "<Node name='Right'><MeshTopology triangles='0 2 1'/><MechanicalObject position='0 0 -4  4 0 -4  2 0 9'/>" \
                 "<TriangleCollisionModel simulated='0' moving='0'/></Node></Node>"

static void regularization_of_the_null_space_spares_the_other_rows(void **state)
{
    (void)state;
    static const struct {
        const char *fields;
        double repeated, single;
    } cases[] = {{"", 0.5, 0.5},
                 {"useSVDForRegularization='1'", 0.5, 0.0},
                 {"useSVDForRegularization='1' svdSingularValueNullSpaceCriteriaFactor='0.9'", 0.5, 0.0},
                 {"useSVDForRegularization='1' svdSingularValueNullSpaceCriteriaFactor='1.1'", 0.5, 0.5},
                 {"useSVDForRegularization='1' svdSingularVectorNullSpaceCriteriaFactor='0.8'", 0.0, 0.0},
                 {"useSVDForRegularization='1' svdSingularValueNullSpaceCriteriaFactor='0'", 0.0, 0.0}};
    /* W: compliance 1 in two rows of eigenvalues 2 and 0, compliance 3 in the third; times dt. */
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char solver[256];
        snprintf(solver, sizeof solver,
                 "<BlockGaussSeidelConstraintSolver name='solver' tolerance='1e-13' regularizationTerm='0.5' %s/>",
                 cases[k].fields);
        DvScene *scene =
            scene_of(ROOT("0 -9 0") FREE_MOTION
                     "%s<CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/>"
                     "<MinProximityIntersection alarmDistance='0.2' contactDistance='0.05'/>"
                     "<CollisionResponse response='FrictionContactConstraint' responseParams='mu=0'/>" DOUBLE_FLOOR,
                     solver);
        steps(scene, 1);
        const DvConstraintProblem *problem = take(scene);
        assert_int_equal(problem->rows, 3);
        double *w = dense(problem);
        uint32_t singles = 0;
        for (uint32_t r = 0; r < 3; r++) {
            bool single = true;
            for (uint32_t s = 0; s < 3; s++)
                single = single && (s == r || w[3 * r + s] == 0.0);
            singles += single;
            assert_true(problem->regularization[r] == (single ? cases[k].single : cases[k].repeated));
            assert_true(problem->diagonal[r] == w[4 * r]);
        }
        assert_int_equal(singles, 1);
        free(w);
        solver_ops(scene)->release_problem(problem);
        dv_scene_free(scene);
    }
}

/* ---- Graphs ---- */

/* The numbers of the line that begins with `name`; how many. */
static int line_of(const char *text, const char *name, double *values, int most)
{
    const char *line = text;
    while (line && strncmp(line, name, strlen(name)) != 0) {
        line = strchr(line, '\n');
        line = line ? line + 1 : NULL;
    }
    if (!line)
        return -1;
    line += strlen(name);
    int count = 0;
    for (char *end; count < most; line = end) {
        values[count] = strtod(line, &end);
        if (end == line || memchr(line, '\n', (size_t)(end - line)))
            break;
        count++;
    }
    return count;
}

static const char *text_of(const DvScene *scene, const char *object, const char *field)
{
    return dv_data_string(dv_object_field(scene_object(scene, object), field));
}

static void graphs_hold_each_sweep(void **state)
{
    (void)state;
    static const char *const classes[] = {"BlockGaussSeidelConstraintSolver", "NNCGConstraintSolver",
                                          "ImprovedJacobiConstraintSolver", "PreconditionedConjugateResidual",
                                          "UnbuiltGaussSeidelConstraintSolver"};
    for (size_t k = 0; k < sizeof classes / sizeof *classes; k++) {
        char solver[200];
        snprintf(solver, sizeof solver, "<%s name='solver' computeGraphs='1' tolerance='1e-12' maxIterations='40'/>",
                 classes[k]);
        DvScene *scene = k == 3 ? scene_of(ROOT("0 -9 0") FREE_MOTION "%s" STICKING BODY, solver)
                                : scene_of(ROOT("0 -9 0") FREE_MOTION "%s" COLLISION("0.1") BODY, solver);
        steps(scene, 1);
        const DvConstraintProblem *problem = take(scene);
        double values[64];
        const int sweeps = line_of(text_of(scene, "/solver", "graphErrors"), "Error:", values, 64);
        const int measured = (int)problem->sweeps - (k == 1); /* the first of NNCG is not measured */
        assert_true(sweeps == measured && values[sweeps - 1] == problem->error);
        assert_int_equal(line_of(text_of(scene, "/solver", "graphConstraints"), "Constraints:", values, 64),
                         problem->block_count);
        for (uint32_t r = 0; r < problem->rows; r++) {
            char name[16];
            snprintf(name, sizeof name, "f%u:", r);
            assert_int_equal(line_of(text_of(scene, "/solver", "graphForces"), name, values, 64), sweeps);
            assert_true(k == 1 || values[sweeps - 1] == problem->lambda[r]);
            assert_int_equal(line_of(text_of(scene, "/solver", "graphViolations"), name, values, 64), sweeps);
        }
        assert_int_equal(line_of(text_of(scene, "/solver", "graphViolations"), "f0:", values, 64), sweeps);
        assert_true(k == 1 || k == 3 || values[0] == problem->violation[0]); /* nothing pushes yet */
        solver_ops(scene)->release_problem(problem);
        dv_scene_free(scene);
    }
}

/* That of the LCP solver: a number for each sweep of the last step, none of the steps before. */
static void the_graph_of_contacts_is_that_of_the_last_step(void **state)
{
    (void)state;
    DvScene *scene = scene_of(ROOT("0 -9 0") FREE_MOTION "%s" COLLISION("0.1") BODY,
                              "<LCPConstraintSolver name='solver' mu='0.1' displayDebug='1' tolerance='1e-12' "
                              "maxIt='40'/>");
    for (int step = 0; step < 3; step++) {
        steps(scene, 1);
        const DvConstraintProblem *problem = take(scene);
        double values[200];
        assert_int_equal(line_of(text_of(scene, "/solver", "graph"), "Error:", values, 200), problem->sweeps);
        assert_true(values[problem->sweeps - 1] == problem->error);
        assert_int_equal(line_of(text_of(scene, "/solver", "graph"), "Violation:", values, 200), problem->sweeps);
        solver_ops(scene)->release_problem(problem);
    }
    dv_scene_free(scene);
}

/* ---- What was seen ---- */

static void keep_warning(const DvMessage *message, void *context)
{
    if (message->level == DV_LEVEL_WARNING && message->component && strstr(message->component, "ConstraintSolver"))
        dv_text_add(context, "%s\n", message->text);
}

/* Two bodies, `ties` between them; what the solver says of a step of so many sweeps. */
static void expect_said(const char *ties, const char *sweeps, const char *part, const char *never)
{
    DvText text = {0}, said = {0};
    dv_text_add(
        &text,
        ROOT("0 -9 0") FREE_MOTION
        "<BlockGaussSeidelConstraintSolver tolerance='1e-12' maxIterations='%s'/>"
        "<Node name='A'><EulerImplicitSolver/><CGLinearSolver iterations='9' tolerance='1e-15' threshold='1e-30'/>"
        "<MechanicalObject name='dofs' position='0 0 0 1 0 0'/><UniformMass vertexMass='1'/>"
        "<UncoupledConstraintCorrection compliance='1 2'/></Node>"
        "<Node name='B'><EulerImplicitSolver/><CGLinearSolver iterations='9' tolerance='1e-15' threshold='1e-30'/>"
        "<MechanicalObject name='dofs' position='0 0 0.5 1 0 0.5'/><UniformMass vertexMass='1'/>"
        "<UncoupledConstraintCorrection compliance='3 4'/></Node>%s</Node>",
        sweeps, ties);
    DvScene *scene = NULL;
    assert_int_equal(dv_scene_load_text(text.at, text.length, "scene.scn", NULL, NULL, &scene), DV_OK);
    dv_log_set_handler(keep_warning, &said);
    steps(scene, 1);
    dv_log_set_handler(NULL, NULL);
    assert_true((part != NULL) == (said.at != NULL));
    assert_true(!part || strstr(said.at, part));
    assert_true(!said.at || !strstr(said.at, never));
    dv_text_free(&text);
    dv_text_free(&said);
    dv_scene_free(scene);
}

#define TIE(name, a, b, rest)                                                                            \
    "<BilateralLagrangianConstraint name='" name "' object1='@A/dofs' object2='@B/dofs' first_point='" a \
    "' second_point='" b "' rest_vector='" rest "'/>"
static void a_contradiction_is_named_where_it_is_one(void **state)
{
    (void)state;
    expect_said(TIE("p", "0", "0", "0 0 0.5") TIE("q", "0", "0", "0 0.25 0.5"), "50",
                "constraints contradict each other: row 1 of '/p' and row 1 of '/q', which are 0.25 apart", "raise");
    /* The same twice is no contradiction. */
    expect_said(TIE("p", "0", "0", "0 0 0.5") TIE("q", "0", "0", "0 0 0.5"), "500", NULL, "contradict");
    /* A chain that three sweeps do not solve is none either. */
    expect_said(TIE("p", "0", "0", "0 0 0.4") TIE("q", "0", "1", "1 0 0.3") TIE("r", "1", "1", "0 0 0.2"), "3", "raise",
                "contradict");
}

/* ---- ConstraintAnimationLoop ---- */

/* Backward Euler has x_free = x + dt v_free, so that both loops make the same step. */
static void its_own_loop_makes_the_same_steps(void **state)
{
    (void)state;
    static const char *const loops[] = {
        "<ConstraintAnimationLoop name='loop' tolerance='1e-13' maxIterations='20000'/>",
        "<ConstraintAnimationLoop name='loop' tolerance='1e-13' maxIterations='20000' "
        "sor='0.8'/>",
        "<ConstraintAnimationLoop name='loop' tolerance='1e-12' maxIterations='20000' "
        "allVerified='1' doCollisionsFirst='1'/>"};
    for (size_t k = 0; k < sizeof loops / sizeof *loops; k++) {
        DvScene *a = scene_of(ROOT("2 -9 0") "%s" COLLISION("0.3") BODY, FREE_MOTION
                              "<BlockGaussSeidelConstraintSolver tolerance='1e-13' maxIterations='20000'/>");
        DvScene *b = scene_of(ROOT("2 -9 0") "%s" COLLISION("0.3") BODY, loops[k]);
        steps(a, 40);
        steps(b, 40);
        assert_true(dv_state_read(scene_state(a, "/Body/dofs"), DV_POSITION).at[1] < 0.06);
        assert_true(difference(a, b, DV_POSITION) < 1e-9 && difference(a, b, DV_VELOCITY) < 1e-7);
        double values[64];
        assert_true(line_of(text_of(b, "/loop", "graphErrors"), "Error:", values, 64) >= 2);
        assert_true(line_of(text_of(b, "/loop", "graphForces"), "f0:", values, 64) >= 2);
        assert_true(line_of(text_of(b, "/loop", "graphConstraints"), "Constraints:", values, 64) >= 3);
        dv_scene_free(a);
        dv_scene_free(b);
    }
}

/* However near the first comes. */
static void its_own_loop_makes_two_sweeps_at_least(void **state)
{
    (void)state;
    DvScene *scene =
        scene_of(ROOT("0 -9 0") "%s" COLLISION("0") LOOSE, "<ConstraintAnimationLoop name='loop' tolerance='1'/>");
    double values[64];
    steps(scene, 1);
    assert_int_equal(line_of(text_of(scene, "/loop", "graphErrors"), "Error:", values, 64), 2);
    assert_true(values[0] > 0.01 && values[1] < 1e-15);
    dv_scene_free(scene);
}

/* A frame and points on it: mapped positions are the free ones and J dx, mapped velocities J v. */
static void mapped_points_follow_the_frame(void **state)
{
    (void)state;
    DvScene *scene =
        scene_from_text(ROOT("0 -9 0") "<ConstraintAnimationLoop tolerance='1e-13' maxIterations='20000'/>" COLLISION(
            "0.2") "<Node name='Body'><EulerImplicitSolver/><CGLinearSolver iterations='9' tolerance='1e-15' threshold='1e-30'/>"
                   "<MechanicalObject name='dofs' template='Rigid3d' position='0 0.1 0 0 0 0 1' velocity='0.3 0 0 0 0 0.2'/>"
                   "<UniformMass vertexMass='1 1 [0.1 0 0 0 0.1 0 0 0 0.1]'/><UncoupledConstraintCorrection/>"
                   "<Node name='Feet'><MechanicalObject name='dofs' position='-1 0 -1  1 0 -1  0 0 1'/><RigidMapping/>"
                   "<PointCollisionModel/></Node></Node>" FLOOR "</Node>");
    double lowest = 1.0;
    for (int i = 0; i < 40; i++) {
        steps(scene, 1);
        const DvConstVec frame = dv_state_read(scene_state(scene, "/Body/dofs"), DV_POSITION);
        const DvConstVec feet = dv_state_read(scene_state(scene, "/Body/Feet/dofs"), DV_POSITION);
        const DvConstVec v = dv_state_read(scene_state(scene, "/Body/dofs"), DV_VELOCITY);
        const DvConstVec u = dv_state_read(scene_state(scene, "/Body/Feet/dofs"), DV_VELOCITY);
        for (uint32_t p = 0; p < 3; p++) {
            const double *x = feet.at + 3 * p, r[3] = {x[0] - frame.at[0], x[1] - frame.at[1], x[2] - frame.at[2]};
            lowest = fmin(lowest, x[1]);
            const double size = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
            assert_true(fabs(size - (p == 2 ? 1.0 : sqrt(2.0))) < 1e-3); /* linear in dx */
            const double turned = v.at[4] * r[2] - v.at[5] * r[1];
            assert_true(fabs(u.at[3 * p] - (v.at[0] + turned)) < 0.02 + 0.02 * fabs(turned));
        }
    }
    assert_true(lowest > 0.05 - 1e-3 && lowest < 0.06);
    dv_scene_free(scene);
}

/* ---- Old names and errors ---- */

#define OLD(attributes) \
    "<Node name='root'><FreeMotionAnimationLoop/><GenericConstraintSolver name='solver' " attributes "/></Node>"

#define NEWTON \
    "<Node name='root'><FreeMotionMasterSolver/><NNCGConstraintSolver name='solver' newtonIterations='7'/></Node>"

/* A body of `points` points of a kind, all held. */
static void add_held(DvText *text, const char *name, const char *template, unsigned points, const char *rest)
{
    dv_text_add(text,
                "<Node name='%s'><EulerImplicitSolver/><SparseLDLSolver/><MechanicalObject name='dofs' template='%s' "
                "position='",
                name, template);
    for (unsigned i = 0; i < points; i++)
        dv_text_add(text, "%u %u 0 %s ", i, i % 5, rest);
    dv_text_add(text, "'/><UniformMass totalMass='3'/><LinearSolverConstraintCorrection/><FixedLagrangianConstraint "
                      "fixAll='1'/></Node>");
}

/* What was kept of rows on points has other room than rows on bodies want: these come out as where no points have been. */
static void rows_on_bodies_may_take_the_place_of_rows_on_points(void **state)
{
    (void)state;
    DvText text = {0};
    dv_text_add(&text, ROOT("0 -10 0") FREE_MOTION "<BlockGaussSeidelConstraintSolver/>");
    add_held(&text, "Points", "Vec3d", 60, "");
    add_held(&text, "Body", "Rigid3d", 30, "0 0 0 1");
    dv_text_add(&text, "</Node>");
    DvScene *scenes[2];
    for (int i = 0; i < 2; i++) {
        scenes[i] = scene_from_text(text.at);
        DvNode *points = dv_object_as_node(scene_object(scenes[i], "/Points"));
        DvNode *body = dv_object_as_node(scene_object(scenes[i], "/Body"));
        dv_node_set_active(points, i == 0);
        dv_node_set_active(body, false);
        steps(scenes[i], 1);
        dv_node_set_active(points, false);
        dv_node_set_active(body, true);
        steps(scenes[i], 2);
    }
    assert_true(difference(scenes[0], scenes[1], DV_POSITION) == 0.0);
    assert_true(difference(scenes[0], scenes[1], DV_VELOCITY) == 0.0);
    const DvConstVec v = dv_state_read(scene_state(scenes[0], "/Body/dofs"), DV_VELOCITY);
    for (uint32_t i = 0; i < v.count * v.dim; i++)
        assert_true(fabs(v.at[i]) < 1e-6); /* held */
    dv_scene_free(scenes[0]);
    dv_scene_free(scenes[1]);
    dv_text_free(&text);
}

static void old_names_are_understood(void **state)
{
    (void)state;
    static const char *const scenes[] = {OLD("maxIt='7'"), OLD("maxIt='7' resolutionMethod='ProjectedGaussSeidel'"),
                                         OLD("maxIterations='7' reverseAccumulateOrder='1' newtonIterations='3'"),
                                         NEWTON};
    for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k++) {
        DvScene *scene = scene_from_text(scenes[k]);
        DvObject *solver = scene_object(scene, "/solver");
        assert_true(dv_object_is_a(solver, "BlockGaussSeidelConstraintSolver"));
        assert_int_equal(dv_data_int(dv_object_field(solver, "maxIterations")), 7);
        dv_scene_free(scene);
    }
    expect_load_error(OLD("resolutionMethod='UnbuiltGaussSeidel'"), "UnbuiltGaussSeidelConstraintSolver");
    expect_load_error(OLD("resolutionMethod='NonsmoothNonlinearConjugateGradient'"), "NNCGConstraintSolver");
    expect_load_error(OLD("resolutionMethod='Newton'"), "'Newton' is no method");
    expect_load_error("<Node name='root'><LMConstraintSolver/></Node>", "BlockGaussSeidelConstraintSolver");
    DvScene *scene =
        scene_from_text("<Node name='root'><MasterConstraintSolver name='loop' maxIterations='3'/></Node>");
    assert_true(dv_object_is_a(scene_object(scene, "/loop"), "ConstraintAnimationLoop"));
    steps(scene, 2);
    dv_scene_free(scene);
    expect_load_error("<Node name='root'><ConstraintAnimationLoop sor='2'/></Node>",
                      "sor: is 2; it must be above 0 and below 2");
    expect_load_error("<Node name='root'><ConstraintAnimationLoop maxIterations='0'/></Node>",
                      "maxIterations: is 0; it must be 1 or more");
    expect_load_error("<Node name='root'><ConstraintAnimationLoop tolerance='-1'/></Node>",
                      "tolerance: is -1 m; it must be 0 or more");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jacobi_ends_where_gauss_seidel_does),
        cmocka_unit_test(jacobi_obeys_the_laws_of_friction),
        cmocka_unit_test(jacobi_takes_the_share_of_its_fields),
        cmocka_unit_test(conjugate_residuals_solve_the_linear_system),
        cmocka_unit_test(conjugate_residuals_leave_what_is_rigid_without_force),
        cmocka_unit_test(conjugate_residuals_hold_ties_as_gauss_seidel_does),
        cmocka_unit_test(regularization_of_the_null_space_spares_the_other_rows),
        cmocka_unit_test(graphs_hold_each_sweep),
        cmocka_unit_test(the_graph_of_contacts_is_that_of_the_last_step),
        cmocka_unit_test(a_contradiction_is_named_where_it_is_one),
        cmocka_unit_test(its_own_loop_makes_the_same_steps),
        cmocka_unit_test(its_own_loop_makes_two_sweeps_at_least),
        cmocka_unit_test(mapped_points_follow_the_frame),
        cmocka_unit_test(rows_on_bodies_may_take_the_place_of_rows_on_points),
        cmocka_unit_test(old_names_are_understood),
    };
    return cmocka_run_group_tests(tests, NULL, stop_plugins);
}
