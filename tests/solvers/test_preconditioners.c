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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sweeps_precondition),
        cmocka_unit_test(over_relaxed_sweeps_precondition),
        cmocka_unit_test(sweeps_of_blocks_precondition),
        cmocka_unit_test(sweeps_invert_their_splitting),
        cmocka_unit_test(sweeps_keep_their_matrix),
        cmocka_unit_test(a_diagonal_of_zero_is_an_error_with_its_point),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
