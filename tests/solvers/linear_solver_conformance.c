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

static double relative_residual(System *s)
{
    s->ops->clear(s->m, s->r);
    s->ops->add_mbk(s->m, &s->step, s->factors, s->r, s->x, DV_WALK_WHOLE);
    s->ops->project_response(s->m, &s->step, s->r, DV_WALK_WHOLE);
    s->ops->combine(s->m, s->r, s->b, s->r, -1.0);
    return sqrt(s->ops->dot(s->m, s->r, s->r) / s->ops->dot(s->m, s->b, s->b));
}

void linear_solver_conformance(const LinearSolverConformance *c)
{
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
    s.ops->close(s.m);
    dv_scene_free(scene);
}
