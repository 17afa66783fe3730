/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The conformance suite of linear solvers; see linear_solver_conformance.h.
 */
#include "linear_solver_conformance.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "missing_library.h"
#include "random_matrix.h"
#include "scene_text.h"

#include <divan/contracts/solver.h>
#include <divan/plugin.h>

#include <math.h>
#include <stdio.h>

/* A net of springs in space, two points fixed, and below it the same net seen through an identity mapping, where another
 * spring couples the first point with the last. */
static const char scene_text[] =
    "<Node name='root' dt='0.01' gravity='1 -9.81 2'><DefaultAnimationLoop/><Node name='Body'>"
    "<EulerImplicitSolver linearSolver='@solver'/>%s"
    "<MechanicalObject name='dofs' template='Vec3d' position='0 0 0  1 0.1 0  2 0 0.2  0 1 0.1  1.1 1 0  2 1.2 0  0 2 0.3  1 2 0.1 "
    " 2.1 2 0' velocity='0 0 0  1 0 0  0 1 0  0 0 1  0 0 0  1 1 0  0 1 1  1 0 1  0 0 0'/>"
    "<UniformMass totalMass='0.9'/><FixedProjectiveConstraint indices='0 2'/>"
    "<SpringForceField spring='0 1 100 0.1 0.9  1 2 100 0.1 0.9  3 4 1000 0.1 0.9  4 5 1000 0.1 1  6 7 10 0 1  7 8 10 0.2 1 "
    " 0 3 300 0.1 1.1  3 6 300 0.1 1  1 4 5000 1 0.9  4 7 50 0.1 1  2 5 200 0.1 1.1  5 8 200 0.1 0.8  0 4 70 0 1.4  1 5 70 0 1.4 "
    " 3 7 70 0 1.3  4 8 70 0 1.3'/>"
    "<Node name='Mapped'><MechanicalObject name='mapped' template='Vec3d'/><IdentityMapping/>"
    "<SpringForceField spring='0 8 40 0.3 2.5  2 6 40 0.3 2.5'/></Node></Node></Node>";

typedef struct System {
    const DvMechanicalOperationsOps *ops;
    DvMechanics *m;
    DvStep step;
    DvFactors factors;
    DvVecId x, b, r;
} System;

static void ignore(const DvMessage *message, void *context)
{
    (void)message, (void)context;
}

static double relative_residual(System *s)
{
    s->ops->clear(s->m, s->r);
    s->ops->add_mbk(s->m, &s->step, s->factors, s->r, s->x, DV_WALK_WHOLE);
    s->ops->project_response(s->m, &s->step, s->r, DV_WALK_WHOLE);
    s->ops->combine(s->m, s->r, s->b, s->r, -1.0);
    return sqrt(s->ops->dot(s->m, s->r, s->r) / s->ops->dot(s->m, s->b, s->b));
}

enum { UNKNOWNS = 27, ROWS = 19 };

/* A as the mechanical operations assemble it, row-major. */
static void dense_matrix(const System *s, double a[UNKNOWNS * UNKNOWNS])
{
    const DvBlockMatrix *matrix = s->ops->assemble(s->m, &s->step, s->factors, DV_ASSEMBLE_CONSTRAINED);
    assert_non_null(matrix);
    double *copy = dense_copy(matrix);
    memcpy(a, copy, UNKNOWNS * UNKNOWNS * sizeof *a);
    dv_free(copy);
}

static bool is_free(uint32_t unknown)
{
    return unknown / 3 != 0 && unknown / 3 != 2;
}

/* Rows as contacts give them: a few points each, the same point in several rows, one row without entries, one that is
 * another one again; no fixed unknown. */
static void make_rows(uint32_t *start, uint32_t *columns, double *values)
{
    uint64_t seed = 17;
    start[0] = 0;
    for (uint32_t r = 0; r < ROWS; r++) {
        uint32_t count = start[r];
        for (uint32_t c = 0; r != 4 && c < UNKNOWNS; c++)
            if (is_free(c) && (c / 3 == (3 + r) % 9 || c / 3 == (r * r) % 9 || c == 26)) {
                columns[count] = c;
                values[count++] = random_number(&seed);
            }
        start[r + 1] = count;
    }
    start[ROWS] = start[ROWS - 1]; /* the last is the first again */
    for (uint32_t e = start[0]; e < start[1]; e++) {
        columns[start[ROWS]] = columns[e];
        values[start[ROWS]++] = values[e];
    }
}

static void check_many(const LinearSolverConformance *c, const System *s, const DvLinearSolverOps *ops, void *self)
{
    assert_non_null(ops->solve_many);
    assert_non_null(ops->compliance);
    assert_true((ops->half_solve == NULL) == (ops->finish_half == NULL));
    assert_true(ops->half_solve == NULL || ops->factor_version != NULL);
    uint32_t start[ROWS + 1], columns[ROWS * UNKNOWNS];
    double values[ROWS * UNKNOWNS], a[UNKNOWNS * UNKNOWNS], b[UNKNOWNS], expected[ROWS][UNKNOWNS];
    static double x[ROWS][UNKNOWNS + 1], w[ROWS][ROWS + 1], again[ROWS][UNKNOWNS + 1];
    make_rows(start, columns, values);
    const DvSparseRows j = {ROWS, start, columns, values};
    for (uint32_t r = 0; r < ROWS; r++) {
        memset(b, 0, sizeof b);
        for (uint32_t e = start[r]; e < start[r + 1]; e++)
            b[columns[e]] = values[e];
        dense_matrix(s, a);
        dense_solve(UNKNOWNS, a, b, expected[r]);
    }
    assert_int_equal(ops->set_system(self, s->m, &s->step, s->factors), DV_OK); /* after the assemblies above */
    const uint64_t version = ops->factor_version ? ops->factor_version(self) : 0;
    double residual = NAN;
    assert_int_equal(ops->solve_many(self, &j, x[0], UNKNOWNS + 1, &residual), DV_OK);
    assert_true(residual <= c->residual);
    for (uint32_t r = 0; r < ROWS; r++)
        for (uint32_t i = 0; i < ROWS; i++)
            w[r][i] = 1.0;
    assert_int_equal(ops->compliance(self, &j, -3.0, w[0], ROWS + 1), DV_OK);
    for (uint32_t r = 0; r < ROWS; r++) {
        for (uint32_t i = 0; i < UNKNOWNS; i++)
            assert_true(fabs(x[r][i] - expected[r][i]) <= 1e4 * c->residual);
        for (uint32_t i = 0; i < ROWS; i++) {
            double product = 0.0;
            for (uint32_t e = start[i]; e < start[i + 1]; e++)
                product += values[e] * expected[r][columns[e]];
            assert_true(fabs(w[i][r] - (1.0 - 3.0 * product)) <= 1e4 * c->residual);
            assert_true(ops->half_solve == NULL || w[i][r] == w[r][i]);
        }
    }
    assert_int_equal(ops->compliance(self, &j, 0.0, w[0], ROWS + 1), DV_OK); /* scratch has its size by now */
    const uint64_t allocations = dv_allocation_count();
    assert_int_equal(ops->solve_many(self, &j, again[0], UNKNOWNS + 1, NULL), DV_OK);
    assert_int_equal(dv_allocation_count(), allocations);
    assert_memory_equal(x, again, sizeof x);
    if (ops->half_solve != NULL) {
        DvHalfSolutions y;
        double half[UNKNOWNS];
        assert_int_equal(ops->half_solve(self, &j, &y), DV_OK);
        for (uint32_t r = 0; r < ROWS; r++) {
            memset(half, 0, sizeof half);
            for (uint32_t e = y.rows.row_start[r]; e < y.rows.row_start[r + 1]; e++)
                half[y.rows.columns[e]] = y.rows.values[e];
            double square = 0.0;
            for (uint32_t i = 0; i < UNKNOWNS; i++)
                square += half[i] * half[i] * y.weights[i];
            assert_true(fabs(w[r][r] - (1.0 - 3.0 * square)) <= 1e4 * c->residual);
            assert_int_equal(ops->finish_half(self, b, half, UNKNOWNS), DV_OK);
            for (uint32_t i = 0; i < UNKNOWNS; i++)
                assert_true(fabs(b[i] - expected[r][i]) <= 1e4 * c->residual);
        }
        /* The factor stays, whatever is assembled over the same mechanics. */
        (void)s->ops->assemble(s->m, &s->step, (DvFactors){.m = 1.0}, 0);
        assert_int_equal(ops->solve_many(self, &j, again[0], UNKNOWNS + 1, NULL), DV_OK);
        assert_memory_equal(x, again, sizeof x);
        assert_int_equal(ops->factor_version(self), version);
        assert_int_equal(ops->set_system(self, s->m, &s->step, (DvFactors){.m = 2.0, .k = -0.0003}), DV_OK);
        assert_int_not_equal(ops->factor_version(self), version);
    }
    columns[0] = UNKNOWNS;
    dv_log_set_handler(ignore, NULL);
    assert_int_equal(ops->solve_many(self, &j, again[0], UNKNOWNS + 1, NULL), DV_ERROR_INVALID);
    assert_int_equal(ops->compliance(self, &j, 1.0, w[0], ROWS + 1), DV_ERROR_INVALID);
    dv_log_set_handler(NULL, NULL);
}

void linear_solver_conformance(const LinearSolverConformance *c)
{
    static const char *const of_libraries[] = {"EigenSparseLU", "EigenSparseQR", "SVDLinearSolver", "CholeskySolver",
                                               "CondensationSolver"};
    for (size_t i = 0; i < sizeof of_libraries / sizeof *of_libraries; i++)
        if (strstr(c->solver, of_libraries[i]) && library_is_missing(of_libraries[i]))
            skip();
    char text[4096];
    snprintf(text, sizeof text, scene_text, c->solver);
    DvScene *scene = scene_from_text(text);
    DvObject *solver = scene_object(scene, "/Body/solver");
    const DvLinearSolverOps *ops = dv_object_ops(solver, DV_LINEAR_SOLVER);
    assert_non_null(ops);
    void *self = dv_object_self(solver);

    System s = {.ops = dv_service(DV_MECHANICAL_OPERATIONS),
                .step = {.dt = 0.01, .position = DV_POSITION, .velocity = DV_VELOCITY},
                .factors = {.m = 1.02, .b = -0.01, .k = -0.0003}};
    s.m = s.ops->open(dv_object_node(solver));
    s.x = s.ops->allocate(s.m, DV_DERIVS);
    s.b = s.ops->allocate(s.m, DV_DERIVS);
    s.r = s.ops->allocate(s.m, DV_DERIVS);
    s.ops->compute_force(s.m, &s.step, DV_FORCE, DV_WALK_WHOLE);
    s.ops->combine(s.m, s.b, DV_FORCE, DV_NO_VEC, 0.0);
    s.ops->project_response(s.m, &s.step, s.b, DV_WALK_WHOLE);

    double first[27];
    assert_int_equal(s.ops->unknowns(s.m), 27);
    for (int pass = 0; pass < 3; pass++) {
        if (pass == 1) /* another guess: anything that respects the constraints */
            s.ops->combine(s.m, s.x, DV_NO_VEC, s.b, 0.01);
        if (pass < 2)
            assert_int_equal(ops->set_system(self, s.m, &s.step, s.factors), DV_OK);
        assert_int_equal(ops->solve(self, s.x, s.b), DV_OK);
        const double residual = relative_residual(&s);
        if (!(residual <= c->residual))
            fail_msg("%s: relative residual %g", c->solver, residual);
        double x[27];
        s.ops->gather(s.m, x, s.x);
        for (int i = 0; i < 27; i++) {
            if (pass == 0)
                first[i] = x[i];
            assert_true(fabs(x[i] - first[i]) <= 1e4 * c->residual);
            if (i / 3 == 0 || i / 3 == 2)
                assert_true(x[i] == 0.0);
        }
        if (ops->solve_flat != NULL) {
            double b[27], flat[27];
            s.ops->gather(s.m, b, s.b);
            assert_int_equal(ops->solve_flat(self, flat, b, 27), DV_OK);
            for (int i = 0; i < 27; i++)
                assert_true(flat[i] == x[i]);
        }
    }
    check_many(c, &s, ops, self);
    s.ops->close(s.m);
    dv_scene_free(scene);
}
