/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Solvers that make the residual as small as it can be in each Krylov space: against least squares over that space, and on systems that
 * conjugate gradients are not for.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "linear_solver_conformance.h"
#include "random_matrix.h"
#include "scene_text.h"

#include <divan/contracts/solver.h>
#include <divan/memory.h>
#include <divan/plugin.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MINRES "<MinResLinearSolver name='solver' iterations='200' tolerance='1e-15' "
LINEAR_SOLVER_CONFORMANCE(minimal_residuals_solve, .solver = MINRES "/>", .residual = 1e-11)
LINEAR_SOLVER_CONFORMANCE(minimal_residuals_solve_on_the_scalar_matrix,
                          .solver = MINRES "template='CompressedRowSparseMatrixd'/>", .residual = 1e-11)
LINEAR_SOLVER_CONFORMANCE(minimal_residuals_solve_on_the_block_matrix,
                          .solver = MINRES "template='CompressedRowSparseMatrixMat3x3d'/>", .residual = 1e-11)

#define GMRES "<GMRESLinearSolver name='solver' iterations='400' tolerance='1e-13' "
LINEAR_SOLVER_CONFORMANCE(generalised_minimal_residuals_solve, .solver = GMRES "/>", .residual = 1e-12)
LINEAR_SOLVER_CONFORMANCE(generalised_minimal_residuals_solve_without_a_matrix,
                          .solver = GMRES "template='GraphScattered'/>", .residual = 1e-12)
LINEAR_SOLVER_CONFORMANCE(
    generalised_minimal_residuals_begin_anew,
    .solver = "<GMRESLinearSolver name='solver' restart='9' iterations='4000' tolerance='1e-13'/>", .residual = 1e-12)
LINEAR_SOLVER_CONFORMANCE(generalised_minimal_residuals_are_preconditioned,
                          .solver = GMRES "preconditioner='@p'/><SSORPreconditioner name='p'/>", .residual = 1e-12)
LINEAR_SOLVER_CONFORMANCE(generalised_minimal_residuals_of_a_solved_system,
                          .solver =
                              "<GMRESLinearSolver name='solver' iterations='4' tolerance='1e-13' preconditioner='@p'/>"
                              "<SparseLDLSolver name='p'/>",
                          .residual = 1e-12)

enum { N = 9 };
static const DvStep step_of_test = {.dt = 0.1, .position = DV_POSITION, .velocity = DV_VELOCITY};

typedef struct Fixture {
    DvScene *scene;
    const DvMechanicalOperationsOps *mechanics;
    DvMechanics *m;
    const DvLinearSolverOps *ops;
    DvObject *object;
    void *solver;
    DvVecId x, b;
    double a[N * N], right[N + 1];
} Fixture;

/* Three points and springs; A = M + k K of any sign. */
static Fixture three_points(const char *solver, double k)
{
    char text[1024];
    snprintf(
        text, sizeof text,
        "<Node name='root' gravity='0 0 0'><Node name='Body'>%s"
        "<MechanicalObject template='Vec3d' position='0 0 0  1 0.2 0  0.3 1.1 0.7'/><UniformMass vertexMass='0.5'/>"
        "<SpringForceField spring='0 1 100 0 0.9  1 2 300 0 1.2  0 2 50 0 1'/></Node></Node>",
        solver);
    Fixture f = {.scene = scene_from_text(text), .mechanics = dv_service(DV_MECHANICAL_OPERATIONS)};
    f.object = scene_object(f.scene, "/Body/solver");
    f.ops = dv_object_ops(f.object, DV_LINEAR_SOLVER);
    f.solver = dv_object_self(f.object);
    f.m = f.mechanics->open(dv_object_node(f.object));
    f.x = f.mechanics->allocate(f.m, DV_DERIVS);
    f.b = f.mechanics->allocate(f.m, DV_DERIVS);
    f.mechanics->compute_force(f.m, &step_of_test, DV_FORCE, DV_WALK_WHOLE);
    const DvFactors factors = {.m = 1.0, .k = k};
    double *a = dense_copy(f.mechanics->assemble(f.m, &step_of_test, factors, DV_ASSEMBLE_CONSTRAINED));
    memcpy(f.a, a, sizeof f.a);
    dv_free(a);
    uint64_t seed = 5;
    for (int i = 0; i < N; i++)
        f.right[i] = random_number(&seed);
    f.mechanics->scatter(f.m, f.b, f.right);
    assert_int_equal(f.ops->set_system(f.solver, f.m, &step_of_test, factors), DV_OK);
    return f;
}

static void end(Fixture *f)
{
    f->mechanics->close(f->m);
    dv_scene_free(f->scene);
}

static double dot(const double *a, const double *b)
{
    double sum = 0.0;
    for (int i = 0; i < N; i++)
        sum += a[i] * b[i];
    return sum;
}

static void multiply(const double *a, const double *x, double *y)
{
    for (int i = 0; i < N; i++)
        y[i] = dot(a + (size_t)i * N, x);
}

/* Takes the parts of `count` orthonormal vectors out of v, twice, and norms it; its norm before that. */
static double orthonormalize(double (*basis)[N], int count, double *v)
{
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < count; k++) {
            const double part = dot(basis[k], v);
            for (int i = 0; i < N; i++)
                v[i] -= part * basis[k][i];
        }
    const double norm = sqrt(dot(v, v));
    for (int i = 0; i < N; i++)
        v[i] /= norm;
    return norm;
}

/* The least |b - A y| / |b| over y in the span of b, A b, ..., A^(k-1) b: b without its part in the images of an orthonormal basis. */
static double least_residual(const Fixture *f, int k)
{
    double basis[N][N], images[N][N], rest[N];
    memcpy(rest, f->right, sizeof rest);
    for (int j = 0; j < k; j++) {
        if (j == 0)
            memcpy(basis[0], f->right, sizeof basis[0]);
        else
            multiply(f->a, basis[j - 1], basis[j]);
        (void)orthonormalize(basis, j, basis[j]);
        multiply(f->a, basis[j], images[j]);
        (void)orthonormalize(images, j, images[j]);
        const double part = dot(images[j], rest);
        for (int i = 0; i < N; i++)
            rest[i] -= part * images[j][i];
    }
    return sqrt(dot(rest, rest) / dot(f->right, f->right));
}

static double residual_of(Fixture *f)
{
    double x[N + 1], r[N];
    f->mechanics->gather(f->m, x, f->x);
    multiply(f->a, x, r);
    for (int i = 0; i < N; i++)
        r[i] = f->right[i] - r[i];
    return sqrt(dot(r, r) / dot(f->right, f->right));
}

static void check_residuals(const char *class_name, const char *template, double k)
{
    for (int iterations = 1; iterations <= 5; iterations++) {
        char solver[256];
        snprintf(solver, sizeof solver, "<%s name='solver' iterations='%d' tolerance='1e-30' template='%s'/>",
                 class_name, iterations, template);
        Fixture f = three_points(solver, k);
        f.mechanics->clear(f.m, f.x);
        assert_int_equal(f.ops->solve(f.solver, f.x, f.b), DV_OK);
        const double expected = least_residual(&f, iterations), residual = residual_of(&f);
        if (!(fabs(residual - expected) <= 1e-8 * expected + 1e-12))
            fail_msg("%s, %d iterations: %.17g, least is %.17g", class_name, iterations, residual, expected);
        const char *graph = dv_data_string(dv_object_field(f.object, "graph"));
        const char *last = strrchr(graph, ' ');
        assert_non_null(last);
        assert_true(fabs(strtod(last, NULL) - expected) <= 1e-6 * expected + 1e-12);
        end(&f);
    }
}

/* k > 0: some eigenvalues are negative. */
static void residuals_are_the_least_there_are(void **state)
{
    (void)state;
    for (const char *const *t = (const char *const[]){"GraphScattered", "CompressedRowSparseMatrixd", NULL}; *t; t++) {
        check_residuals("MinResLinearSolver", *t, -0.01);
        check_residuals("MinResLinearSolver", *t, 0.01);
        check_residuals("GMRESLinearSolver", *t, -0.01);
        check_residuals("GMRESLinearSolver", *t, 0.01);
    }
}

static void indefinite_systems_are_solved(void **state)
{
    (void)state;
    Fixture f = three_points("<MinResLinearSolver name='solver' iterations='50' tolerance='1e-15'/>", 0.01);
    double a[N * N], b[N], expected[N], x[N + 1];
    memcpy(a, f.a, sizeof a);
    memcpy(b, f.right, sizeof b);
    dense_solve(N, a, b, expected);
    f.mechanics->combine(f.m, f.x, DV_NO_VEC, f.b, 3.0); /* a guess */
    assert_int_equal(f.ops->solve(f.solver, f.x, f.b), DV_OK);
    f.mechanics->gather(f.m, x, f.x);
    for (int i = 0; i < N; i++)
        assert_true(fabs(x[i] - expected[i]) < 1e-11);
    f.mechanics->clear(f.m, f.b); /* no right-hand side: the guess goes to zero */
    assert_int_equal(f.ops->solve(f.solver, f.x, f.b), DV_OK);
    f.mechanics->gather(f.m, x, f.x);
    for (int i = 0; i < N; i++)
        assert_true(fabs(x[i]) < 1e-11);
    f.mechanics->clear(f.m, f.x); /* nothing to do */
    assert_int_equal(f.ops->solve(f.solver, f.x, f.b), DV_OK);
    end(&f);
}

/* A body that is loaded by points away from its centre: the geometric stiffness of the mapping has the torque besides. */
#define LOADED(solver)                                                                                                     \
    "<Node name='root' dt='0.05' gravity='0 0 0'><DefaultAnimationLoop/><Node name='Body'><EulerImplicitSolver/>" solver   \
    "<MechanicalObject name='dofs' template='Rigid3d' position='0.1 0.2 0 0.36 0.48 0 0.8'/>"                              \
    "<UniformMass vertexMass='1 1 [0.4 0 0, 0 0.5 0, 0 0 0.6]'/><Node name='marks'>"                                       \
    "<MechanicalObject template='Vec3d' position='1 0 0  0 1 0.5'/><RigidMapping geometricStiffness='Exact'/>"             \
    "<ConstantForceField indices='0 1' forces='3 40 5  -20 7 30'/><RestShapeSpringsForceField stiffness='20' points='0'/>" \
    "</Node></Node></Node>"

static void unsymmetric_systems_are_solved(void **state)
{
    (void)state;
    for (const char *const *solver =
             (const char *const[]){
                 LOADED("<GMRESLinearSolver name='solver' iterations='60' tolerance='1e-14'/>"),
                 LOADED(
                     "<GMRESLinearSolver name='solver' template='GraphScattered' iterations='60' tolerance='1e-14'/>"),
                 LOADED("<GMRESLinearSolver name='solver' iterations='60' tolerance='1e-14' preconditioner='@p'/>"
                        "<SparseLDLSolver name='p' tags='o'/>"),
                 NULL};
         *solver; solver++) {
        DvScene *scene = scene_from_text(*solver);
        const DvMechanicalOperationsOps *mechanics = dv_service(DV_MECHANICAL_OPERATIONS);
        DvObject *object = scene_object(scene, "/Body/solver");
        const DvLinearSolverOps *ops = dv_object_ops(object, DV_LINEAR_SOLVER);
        assert_int_equal(ops->takes(dv_object_self(object)), DV_MATRIX_ANY);
        DvMechanics *m = mechanics->open(dv_object_node(object));
        const DvStep step = {.dt = 0.05, .position = DV_POSITION, .velocity = DV_VELOCITY, .kind = DV_MATRIX_ANY};
        const DvFactors factors = {.m = 1.0, .k = -0.02};
        const DvVecId x = mechanics->allocate(m, DV_DERIVS), b = mechanics->allocate(m, DV_DERIVS);
        mechanics->compute_force(m, &step, DV_FORCE, DV_WALK_WHOLE);
        double *a = dense_copy(mechanics->assemble(m, &step, factors, DV_ASSEMBLE_CONSTRAINED)), asymmetry = 0.0;
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < i; j++)
                asymmetry = fmax(asymmetry, fabs(a[6 * i + j] - a[6 * j + i]));
        assert_true(asymmetry > 0.1);
        double right[7] = {1, -2, 3, 0.5, 0.25, -1, 0}, rhs[6], expected[6], found[7];
        memcpy(rhs, right, sizeof rhs);
        dense_solve(6, a, rhs, expected);
        mechanics->scatter(m, b, right);
        assert_int_equal(ops->set_system(dv_object_self(object), m, &step, factors), DV_OK);
        assert_int_equal(ops->solve(dv_object_self(object), x, b), DV_OK);
        mechanics->gather(m, found, x);
        for (int i = 0; i < 6; i++)
            assert_true(fabs(found[i] - expected[i]) < 1e-11);
        dv_free(a);
        mechanics->close(m);
        dv_scene_free(scene);
    }
}

/* A bar that a pressure pulls: Newton's one step per time step sees all of the load's stiffness, and the bar comes to rest with it, longer by
 * L p / E, and sooner than with the load taken as explicit. */
static void a_follower_load_is_as_it_is(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node name='root' gravity='0 0 0' dt='0.02'><DefaultAnimationLoop/><Node name='bar'>"
        "<EulerImplicitSolver rayleighStiffness='0.1' rayleighMass='1'/>"
        "<GMRESLinearSolver name='solver' iterations='400' restart='60' tolerance='1e-11' preconditioner='@p'/>"
        "<SSORPreconditioner name='p' tags='o'/>"
        "<RegularGridTopology name='g' n='6 2 2' min='0 0 0' max='0.1 0.02 0.02'/><MechanicalObject name='s'/>"
        "<UniformMass totalMass='0.04'/><HexahedronFEMForceField youngModulus='1e6' poissonRatio='0'/>"
        "<FixedProjectiveConstraint indices='0 6 12 18'/><Node name='patch'>"
        "<MeshTopology triangles='5 11 23  5 23 17' position='@../g.position'/><MechanicalObject/>"
        "<SurfacePressureForceField name='load' pressure='20000' useTangentStiffness='1'/><IdentityMapping/></Node></Node></Node>");
    for (int i = 0; i < 200; i++)
        assert_int_equal(dv_scene_step(scene, 0.0), DV_OK);
    const double *x = dv_state_read(scene_state(scene, "/bar/s"), DV_POSITION).at;
    const double stretch = (x[3 * 5] + x[3 * 11] + x[3 * 17] + x[3 * 23]) / 4 - 0.1;
    if (!(fabs(stretch - 0.1 * 20000 / 1e6) < 2e-5))
        fail_msg("the bar is %g longer instead of 0.002", stretch);
    dv_scene_free(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(minimal_residuals_solve),
        cmocka_unit_test(minimal_residuals_solve_on_the_scalar_matrix),
        cmocka_unit_test(minimal_residuals_solve_on_the_block_matrix),
        cmocka_unit_test(generalised_minimal_residuals_solve),
        cmocka_unit_test(generalised_minimal_residuals_solve_without_a_matrix),
        cmocka_unit_test(generalised_minimal_residuals_begin_anew),
        cmocka_unit_test(generalised_minimal_residuals_are_preconditioned),
        cmocka_unit_test(generalised_minimal_residuals_of_a_solved_system),
        cmocka_unit_test(unsymmetric_systems_are_solved),
        cmocka_unit_test(a_follower_load_is_as_it_is),
        cmocka_unit_test(residuals_are_the_least_there_are),
        cmocka_unit_test(indefinite_systems_are_solved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
