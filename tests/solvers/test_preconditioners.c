/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Preconditioners by over-relaxation: against the splitting that they invert, as preconditioners of conjugate gradients, and what they keep.
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
#include <string.h>

#define PRECONDITIONED(attributes)                                                            \
    "<PCGLinearSolver name='solver' iterations='200' tolerance='1e-28' preconditioner='@p'/>" \
    "<SSORPreconditioner name='p' " attributes "/>"
LINEAR_SOLVER_CONFORMANCE(sweeps_precondition, .solver = PRECONDITIONED(""), .residual = 1e-12)
LINEAR_SOLVER_CONFORMANCE(over_relaxed_sweeps_precondition, .solver = PRECONDITIONED("omega='1.4'"), .residual = 1e-12)
LINEAR_SOLVER_CONFORMANCE(sweeps_of_blocks_precondition,
                          .solver = PRECONDITIONED("omega='0.7' template='CompressedRowSparseMatrixMat3x3d'"),
                          .residual = 1e-12)

enum { UNKNOWNS = 9 };
static const DvFactors factors = {.m = 1.0, .k = -0.01};
static const DvStep step_of_test = {.dt = 0.1, .position = DV_POSITION, .velocity = DV_VELOCITY};

typedef struct Fixture {
    DvScene *scene;
    const DvMechanicalOperationsOps *mechanics;
    DvMechanics *m;
    const DvLinearSolverOps *ops;
    void *solver;
} Fixture;

static Fixture three_points(const char *attributes)
{
    char text[1024];
    snprintf(
        text, sizeof text,
        "<Node name='root' gravity='0 0 0'><Node name='Body'><SSORPreconditioner name='solver' %s/>"
        "<MechanicalObject template='Vec3d' position='0 0 0  1 0.2 0  0.3 1.1 0.7'/><UniformMass vertexMass='0.5'/>"
        "<SpringForceField spring='0 1 100 0 0.9  1 2 300 0 1.2  0 2 50 0 1'/></Node></Node>",
        attributes);
    Fixture f = {.scene = scene_from_text(text), .mechanics = dv_service(DV_MECHANICAL_OPERATIONS)};
    DvObject *object = scene_object(f.scene, "/Body/solver");
    f.ops = dv_object_ops(object, DV_LINEAR_SOLVER);
    f.solver = dv_object_self(object);
    f.m = f.mechanics->open(dv_object_node(object));
    f.mechanics->compute_force(f.m, &step_of_test, DV_FORCE, DV_WALK_WHOLE);
    assert_int_equal(f.mechanics->unknowns(f.m), UNKNOWNS);
    assert_int_equal(f.ops->set_system(f.solver, f.m, &step_of_test, factors), DV_OK);
    return f;
}

static void end(Fixture *f)
{
    f->mechanics->close(f->m);
    dv_scene_free(f->scene);
}

/* out = (D / omega + T) in, where T is what is above the diagonal, or below. */
static void multiply(const double *a, double omega, bool upper, const double *in, double *out)
{
    for (int i = 0; i < UNKNOWNS; i++) {
        out[i] = a[i * UNKNOWNS + i] / omega * in[i];
        for (int j = upper ? i + 1 : 0; j < (upper ? UNKNOWNS : i); j++)
            out[i] += a[i * UNKNOWNS + j] * in[j];
    }
}

/* (D / w + U) (w / D) (D / w + L) z is r, times 2 - w. */
static void sweeps_invert_their_splitting(void **state)
{
    (void)state;
    static const struct {
        const char *attributes;
        double omega, scale;
    } cases[] = {
        {"", 1.0, 1.0},
        {"omega='1.5'", 1.5, 0.5},
        {"omega='0.6'", 0.6, 1.4},
        {"omega='1.5' template='CompressedRowSparseMatrixMat3x3d'", 1.5, 1.0},
    };
    const double r[UNKNOWNS + 1] = {1.0, -2.0, 0.5, 3.0, 0.0, -1.0, 0.25, 4.0, -0.5, 0.0};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        Fixture f = three_points(cases[k].attributes);
        double z[UNKNOWNS + 1] = {0}, y[UNKNOWNS], back[UNKNOWNS];
        assert_int_equal(f.ops->solve_flat(f.solver, z, r, UNKNOWNS), DV_OK);
        double *a = dense_copy(f.mechanics->assemble(f.m, &step_of_test, factors, DV_ASSEMBLE_CONSTRAINED));
        multiply(a, cases[k].omega, false, z, y);
        for (int i = 0; i < UNKNOWNS; i++)
            y[i] *= cases[k].omega / a[i * UNKNOWNS + i];
        multiply(a, cases[k].omega, true, y, back);
        for (int i = 0; i < UNKNOWNS; i++)
            assert_true(fabs(back[i] - cases[k].scale * r[i]) < 1e-13);
        dv_free(a);
        end(&f);
    }
}

/* Others assemble between two buildings: the preconditioner is that of the matrix that it was built from. */
static void sweeps_keep_their_matrix(void **state)
{
    (void)state;
    Fixture f = three_points("omega='1.2'");
    const double r[UNKNOWNS + 1] = {1.0, -2.0, 0.5, 3.0, 0.0, -1.0, 0.25, 4.0, -0.5, 0.0};
    double z[UNKNOWNS + 1] = {0}, again[UNKNOWNS + 1] = {0};
    assert_int_equal(f.ops->solve_flat(f.solver, z, r, UNKNOWNS), DV_OK);
    assert_non_null(
        f.mechanics->assemble(f.m, &step_of_test, (DvFactors){.m = 2.0, .k = -5.0}, DV_ASSEMBLE_CONSTRAINED));
    assert_int_equal(f.ops->solve_flat(f.solver, again, r, UNKNOWNS), DV_OK);
    assert_memory_equal(z, again, UNKNOWNS * sizeof *z);
    assert_int_equal(f.ops->set_system(f.solver, f.m, &step_of_test, (DvFactors){.m = 2.0, .k = -5.0}), DV_OK);
    assert_int_equal(f.ops->solve_flat(f.solver, again, r, UNKNOWNS), DV_OK);
    assert_memory_not_equal(z, again, UNKNOWNS * sizeof *z);
    end(&f);
}

static void collect(const DvMessage *message, void *context)
{
    if (message->level == DV_LEVEL_ERROR)
        dv_message_print(message, context);
}

static void a_diagonal_of_zero_is_an_error_with_its_point(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node name='root' dt='0.1'><DefaultAnimationLoop/><Node name='Body'><EulerImplicitSolver/>"
        "<PCGLinearSolver preconditioner='@p'/><SSORPreconditioner name='p'/>"
        "<MechanicalObject template='Vec1d' position='0 1'/><UniformMass vertexMass='1' indices='0'/></Node></Node>");
    DvText messages = {0};
    dv_log_set_handler(collect, &messages);
    assert_int_not_equal(dv_scene_step(scene, 0.0), DV_OK);
    assert_non_null(strstr(messages.at,
                           "the matrix is singular: 1 point has neither mass nor stiffness in some direction: "
                           "point 1 of '/Body/MechanicalObject1'"));
    dv_log_set_handler(NULL, NULL);
    dv_text_free(&messages);
    dv_scene_free(scene);
}

/* ---- Matrices that turn with the bodies ---- */

#define BLOCK                                                                                                               \
    "<RegularGridTopology n='3 2 2' min='0 0 0' max='2 1 1'/><MechanicalObject name='dofs' template='Vec3d'/>"              \
    "<UniformMass totalMass='3'/><TetrahedronFEMForceField youngModulus='3000' poissonRatio='0.3'/>"                        \
    "<Node name='More'><MechanicalObject template='Vec1d' position='1 2' rest_position='0 0'/><UniformMass totalMass='2'/>" \
    "<RestShapeSpringsForceField points='0 1' stiffness='50 80'/></Node>"

enum { BLOCK_UNKNOWNS = 38 };

static void turn_points(DvStateRef state)
{
    const DvVec x = dv_state_write(state, DV_POSITION, DV_READ_WRITE);
    for (uint32_t p = 0; p < x.count; p++) {
        const double *at = x.at + 3 * (size_t)p, a = 0.6 * at[0] - 0.8 * at[1], b = 0.8 * at[0] + 0.6 * at[1],
                     c = at[2];
        x.at[3 * p] = a;
        x.at[3 * p + 1] = 0.28 * b - 0.96 * c;
        x.at[3 * p + 2] = 0.96 * b + 0.28 * c + 2.0;
    }
}

/* A free body that has turned as a whole: the matrix of the start, turned, is that of now, also where others hold unknowns beside it. */
static void check_turned(const char *solver, bool turns)
{
    char text[2048];
    snprintf(text, sizeof text, "<Node name='root' gravity='0 0 0'><Node name='Body'>%s" BLOCK "</Node></Node>",
             solver);
    DvScene *scene = scene_from_text(text);
    const DvMechanicalOperationsOps *mechanics = dv_service(DV_MECHANICAL_OPERATIONS);
    DvObject *object = scene_object(scene, "/Body/solver");
    const DvLinearSolverOps *ops = dv_object_ops(object, DV_LINEAR_SOLVER);
    void *self = dv_object_self(object);
    DvMechanics *m = mechanics->open(dv_object_node(object));
    mechanics->compute_force(m, &step_of_test, DV_FORCE, DV_WALK_WHOLE);
    assert_int_equal(mechanics->unknowns(m), BLOCK_UNKNOWNS);
    assert_int_equal(ops->set_system(self, m, &step_of_test, factors), DV_OK);
    turn_points(scene_state(scene, "/Body/dofs"));
    mechanics->compute_force(m, &step_of_test, DV_FORCE, DV_WALK_WHOLE);
    double *a = dense_copy(mechanics->assemble(m, &step_of_test, factors, DV_ASSEMBLE_CONSTRAINED));
    assert_int_equal(ops->set_system(self, m, &step_of_test, factors), DV_OK);
    double r[BLOCK_UNKNOWNS + 1] = {0}, z[BLOCK_UNKNOWNS + 1] = {0}, worst = 0.0;
    uint64_t seed = 3;
    for (int i = 0; i < BLOCK_UNKNOWNS; i++)
        r[i] = random_number(&seed);
    assert_int_equal(ops->solve_flat(self, z, r, BLOCK_UNKNOWNS), DV_OK);
    for (int i = 0; i < BLOCK_UNKNOWNS; i++) {
        double residual = r[i];
        for (int j = 0; j < BLOCK_UNKNOWNS; j++)
            residual -= a[i * BLOCK_UNKNOWNS + j] * z[j];
        worst = fmax(worst, fabs(residual));
    }
    if ((worst < 1e-11) != turns)
        fail_msg("%s leaves %g", solver, worst);
    dv_free(a);
    mechanics->close(m);
    dv_scene_free(scene);
}

#define LDL "<SparseLDLSolver name='ldl' tags='other'/>"
static void a_matrix_turns_with_its_body(void **state)
{
    (void)state;
    check_turned("<WarpPreconditioner name='solver' linearSolver='@ldl'/>"
                 "<RotationMatrixSystem assemblingRate='5'/>" LDL,
                 true);
    check_turned(LDL "<RotationMatrixSystem name='r' assemblingRate='1'/>"
                     "<WarpPreconditioner name='solver' linearSystem='@r'/>",
                 true);
}

/* How many products a beam that swings far takes in a step: a matrix of long ago, turned, is as good as that of the last steps. */
static uint32_t products_of(const char *preconditioner)
{
    char text[2048];
    snprintf(
        text, sizeof text,
        "<Node name='root' dt='0.02' gravity='0 -10 0'><DefaultAnimationLoop/><EulerImplicitSolver linearSolver='@pcg'/>"
        "<PCGLinearSolver name='pcg' iterations='500' tolerance='1e-16' preconditioner='@p'/>%s"
        "<RegularGridTopology n='3 3 12' min='0 0 0' max='2 2 11'/><MechanicalObject/><UniformMass totalMass='99'/>"
        "<FixedProjectiveConstraint indices='0 1 2 3 4 5 6 7 8'/>"
        "<HexahedronFEMForceField youngModulus='3000' poissonRatio='0.3'/></Node>",
        preconditioner);
    DvScene *scene = scene_from_text(text);
    for (int i = 0; i < 60; i++)
        assert_int_equal(dv_scene_step(scene, 0.0), DV_OK);
    const uint32_t products = dv_data_uint(dv_object_field(scene_object(scene, "/pcg"), "products"));
    dv_scene_free(scene);
    return products;
}

static void a_turned_matrix_saves_products(void **state)
{
    (void)state;
    const uint32_t old =
        products_of("<PreconditionedMatrixFreeSystem assemblingRate='1000'/><SparseLDLSolver name='p' tags='o'/>");
    const uint32_t turned =
        products_of("<RotationMatrixSystem assemblingRate='1000'/><WarpPreconditioner name='p' tags='o' "
                    "linearSolver='@l'/><SparseLDLSolver name='l' tags='o'/>");
    if (!(2 * turned < old))
        fail_msg("%u products with a turned matrix, %u without turning", turned, old);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sweeps_precondition),
        cmocka_unit_test(over_relaxed_sweeps_precondition),
        cmocka_unit_test(sweeps_of_blocks_precondition),
        cmocka_unit_test(sweeps_invert_their_splitting),
        cmocka_unit_test(sweeps_keep_their_matrix),
        cmocka_unit_test(a_matrix_turns_with_its_body),
        cmocka_unit_test(a_turned_matrix_saves_products),
        cmocka_unit_test(a_diagonal_of_zero_is_an_error_with_its_point),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
