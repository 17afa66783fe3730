/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * ODE solvers and a force that depends on velocities: which of them takes it once.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <divan/contracts/state.h>
#include <divan/registry.h>
#include <divan/scene.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static int start(void **state)
{
    (void)state;
    return dv_start(&(DvStartOptions){.plugins = (const char *const[]){DRAG_FIELD, NULL}}) == DV_OK ? 0 : -1;
}

static void collect(const DvMessage *message, void *context)
{
    dv_message_print(message, context);
}

/* The velocity after `steps` steps of 0.01 s of 2 kg that begin at 1 m/s under the drag of 3 N s/m; exact: exp(-1.5 t). */
static double slowed(const char *solvers, int steps, bool *told)
{
    char text[1024];
    snprintf(text, sizeof text,
             "<Node name='root' dt='0.01' gravity='0 0 0'><DefaultAnimationLoop/>%s"
             "<CGLinearSolver iterations='50' tolerance='1e-14' threshold='1e-28'/>"
             "<MechanicalObject name='dofs' template='Vec1d' position='0' velocity='1'/><UniformMass totalMass='2'/>"
             "<Drag/></Node>",
             solvers);
    DvScene *scene = NULL;
    assert_int_equal(dv_scene_load_text(text, strlen(text), "scene.scn", NULL, NULL, &scene), DV_OK);
    DvText said = {0};
    dv_log_set_handler(collect, &said);
    for (int i = 0; i < steps; i++)
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    dv_log_set_handler(NULL, NULL);
    *told = said.at && strstr(said.at, "act twice");
    dv_text_free(&said);
    DvObject *dofs = dv_node_resolve(dv_scene_root(scene), NULL, "@/dofs", NULL);
    const double v = dv_state_read(dv_state_ref(dofs), DV_VELOCITY).at[0];
    dv_scene_free(scene);
    return v;
}

static void drag_acts_once_but_with_newmark_as_the_reference_has_it(void **state)
{
    (void)state;
    static const struct {
        const char *solver;
        double rate, within; /* v = exp(-rate t) */
        bool told;
    } cases[] = {
        {"<NewmarkImplicitSolver/>", 3.0, 0.06, true}, /* the half by the change of velocity acts once */
        {"<NewmarkImplicitSolver dampingOnce='1'/>", 1.5, 1e-4, false},
        {"<EulerImplicitSolver/>", 1.5, 0.02, false},
        {"<EulerImplicitSolver trapezoidalRule='1'/>", 1.5, 1e-4, false},
        {"<RungeKutta2Solver/>", 1.5, 1e-4, false},
        {"<RungeKutta4Solver/>", 1.5, 1e-9, false},
        {"<BDFOdeSolver order='2' ownHistory='1'/><NewtonRaphsonSolver maxNbIterationsNewton='3' "
         "absoluteResidualStoppingThreshold='1e-13'/>",
         1.5, 1e-3, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool told;
        const double v = slowed(cases[i].solver, 50, &told), expected = exp(-cases[i].rate * 0.5);
        if (!(fabs(v - expected) < cases[i].within) || told != cases[i].told)
            fail_msg("%s: %.12g instead of %.12g; told %d", cases[i].solver, v, expected, told);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(drag_acts_once_but_with_newmark_as_the_reference_has_it)};
    return cmocka_run_group_tests_name("dampers", tests, start, NULL);
}
