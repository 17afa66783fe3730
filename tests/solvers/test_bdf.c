/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * BDFOdeSolver on a mass and a spring, with the coefficients that books give: as it is meant, and with the last sample for all before
 * it; with steps of different lengths; what is missing, and what is said.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <divan/contracts/report.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scene_text.h"

static const double mass = 2.0, stiffness = 18.0, rm = 0.3, rk = 0.02;

typedef struct Motion {
    double x, v;
} Motion;

#define NEWTON                                                                                                   \
    "<NewtonRaphsonSolver name='newton' maxNbIterationsNewton='5' absoluteResidualStoppingThreshold='0' "        \
    "relativeInitialStoppingThreshold='1e-12' relativeSuccessiveStoppingThreshold='1e-12' warnWhenDiverge='0'/>" \
    "<SparseLDLSolver template='CompressedRowSparseMatrixd'/>"

static DvScene *oscillator(const char *attributes)
{
    char text[2048];
    snprintf(text, sizeof text,
             "<Node name='root' dt='0.04' gravity='0 0 0'><DefaultAnimationLoop/><Node name='Body'>"
             "<BDFOdeSolver name='ode' rayleighMass='0.3' rayleighStiffness='0.02' %s/>" NEWTON
             "<MechanicalObject name='dofs' template='Vec1d' position='1' rest_position='0' velocity='0.5'/>"
             "<UniformMass totalMass='2'/><RestShapeSpringsForceField stiffness='18'/></Node></Node>",
             attributes);
    return scene_from_text(text);
}

static Motion motion_of(const DvScene *scene)
{
    const DvStateRef state = scene_state(scene, "/Body/dofs");
    return (Motion){dv_state_read(state, DV_POSITION).at[0], dv_state_read(state, DV_VELOCITY).at[0]};
}

static void expect_motion(Motion motion, Motion expected)
{
    if (!(fabs(motion.x - expected.x) <= 1e-12 && fabs(motion.v - expected.v) <= 1e-12))
        fail_msg("x %.17g v %.17g instead of x %.17g v %.17g", motion.x, motion.v, expected.x, expected.v);
}

/* From what the past says: x = past.x + hb v, m (v - past.v) = hb F. */
static Motion implicit_step(Motion past, double hb)
{
    const double v =
        (mass * past.v - hb * stiffness * past.x) / (mass + hb * (rm * mass + rk * stiffness) + hb * hb * stiffness);
    return (Motion){past.x + hb * v, v};
}

/* sum of a_j x_(n-j) = h b v_n, a_0 = 1: -a_1, -a_2 ... and b (Hairer, Norsett, Wanner, III.1). */
static const double formulas[6][7] = {
    {1.0, 1.0},
    {4.0 / 3, -1.0 / 3, 2.0 / 3},
    {18.0 / 11, -9.0 / 11, 2.0 / 11, 6.0 / 11},
    {48.0 / 25, -36.0 / 25, 16.0 / 25, -3.0 / 25, 12.0 / 25},
    {300.0 / 137, -300.0 / 137, 200.0 / 137, -75.0 / 137, 12.0 / 137, 60.0 / 137},
    {360.0 / 147, -450.0 / 147, 400.0 / 147, -225.0 / 147, 72.0 / 147, -10.0 / 147, 60.0 / 147},
};

static void each_order_follows_its_formula(void **state)
{
    (void)state;
    enum { STEPS = 12 };
    const double h = 0.04;
    for (int order = 1; order <= 6; order++) {
        for (int own = 0; own < 2; own++) {
            char attributes[64];
            snprintf(attributes, sizeof attributes, "order='%d' ownHistory='%d'", order, own);
            DvScene *scene = oscillator(attributes);
            Motion m[STEPS + 1] = {{1.0, 0.5}};
            for (int i = 1; i <= STEPS; i++) {
                const int n = i < order ? i : order;
                const double *formula = formulas[n - 1];
                Motion past = own ? (Motion){0.0, 0.0} : m[i - 1];
                for (int j = 1; j <= n && own; j++) {
                    past.x += formula[j - 1] * m[i - j].x;
                    past.v += formula[j - 1] * m[i - j].v;
                }
                m[i] = implicit_step(past, h * formula[n]);
                assert_int_equal(dv_scene_step(scene, 0), DV_OK);
                expect_motion(motion_of(scene), m[i]);
            }
            dv_scene_free(scene);
        }
    }
}

static void steps_may_differ_in_length(void **state)
{
    (void)state;
    static const double lengths[] = {0.04, 0.02, 0.05, 0.05, 0.01};
    DvScene *scene = oscillator("order='2' ownHistory='1'");
    Motion before = {0.0, 0.0}, now = {1.0, 0.5};
    for (int i = 0; i < 5; i++) {
        const double h = lengths[i], q = i > 0 ? h / lengths[i - 1] : 0.0;
        const double first = (1.0 + q) * (1.0 + q) / (1.0 + 2.0 * q), second = -q * q / (1.0 + 2.0 * q);
        const Motion past = {first * now.x + second * before.x, first * now.v + second * before.v};
        before = now;
        now = implicit_step(past, h * (1.0 + q) / (1.0 + 2.0 * q));
        assert_int_equal(dv_scene_step(scene, h), DV_OK);
        expect_motion(motion_of(scene), now);
    }
    /* A reset starts with order 1 again. */
    dv_scene_reset(scene);
    assert_int_equal(dv_scene_step(scene, 0.04), DV_OK);
    expect_motion(motion_of(scene), implicit_step((Motion){1.0, 0.5}, 0.04));
    dv_scene_free(scene);
}

static void take_line(void *context, const char *text)
{
    dv_text_add(context, "%s", text);
}

static void the_report_tells_of_an_order_in_name_alone(void **state)
{
    (void)state;
    static const char *const attributes[] = {"order='1'", "order='2'", "order='2' ownHistory='1'"};
    for (int i = 0; i < 3; i++) {
        DvScene *scene = oscillator(attributes[i]);
        DvObject *ode = scene_object(scene, "/Body/ode");
        const DvReportOps *ops = dv_object_ops(ode, DV_REPORT);
        DvText text = {0};
        ops->report(dv_object_self(ode), take_line, &text);
        if (i == 1)
            assert_non_null(strstr(text.at, "moves everything by 0.667 of what it should; ownHistory=\"1\" is the "
                                            "method of order 2"));
        else
            assert_null(text.at);
        dv_text_free(&text);
        dv_scene_free(scene);
    }
}

static void what_is_missing_is_named_with_its_remedy(void **state)
{
    (void)state;
#define WITHOUT(objects)                                                                                    \
    "<Node name='root'>\n<DefaultAnimationLoop/>\n<Node name='Body'>\n<BDFOdeSolver name='ode'/>\n" objects \
    "<MechanicalObject template='Vec1d' position='0'/>\n<UniformMass totalMass='1'/>\n</Node></Node>"
    expect_load_error(
        WITHOUT("<SparseLDLSolver/>"),
        "scene.scn:4: BDFOdeSolver 'ode': there is no NewtonRaphsonSolver in '/Body' or below it; add one");
    expect_load_error(WITHOUT("<NewtonRaphsonSolver/>"),
                      "scene.scn:4: BDFOdeSolver 'ode': there is no linear solver in '/Body' or below it; add one");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_order_follows_its_formula),
        cmocka_unit_test(steps_may_differ_in_length),
        cmocka_unit_test(the_report_tells_of_an_order_in_name_alone),
        cmocka_unit_test(what_is_missing_is_named_with_its_remedy),
    };
    return cmocka_run_group_tests_name("BDF", tests, NULL, NULL);
}
