/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The components of docs/contracts.md, compiled as they stand there, and what event.h and mapping.h say of the order of things.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <divan/divan.h>

#include "mapping_conformance.h"
#include "scene_text.h"

static double field_double(const DvScene *scene, const char *path, size_t index)
{
    const DvConstVec x = dv_state_read(scene_state(scene, path), DV_POSITION);
    assert_true(index < (size_t)x.count * x.dim);
    return x.at[index];
}

static void make_steps(DvScene *scene, int steps)
{
    for (int step = 0; step < steps; step++)
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
}

/* A point of 2 kg on a spring of 8 N/m, omega = 2 / s, released at 0.3 m. */
static double oscillator(double h, int steps)
{
    char text[1024];
    snprintf(text, sizeof text,
             "<Node gravity='0 0 0' dt='%.17g'><DefaultAnimationLoop/><LeapfrogSolver/>"
             "<MechanicalObject name='dofs' position='0.3 0 0' rest_position='0 0 0'/><UniformMass totalMass='2'/>"
             "<RestShapeSpringsForceField points='0' stiffness='8'/></Node>",
             h);
    DvScene *scene = scene_from_text(text);
    make_steps(scene, steps);
    const double x = field_double(scene, "/dofs", 0);
    dv_scene_free(scene);
    return x;
}

static void the_leapfrog_follows_its_own_closed_form(void **state)
{
    (void)state;
    const double h = 0.1, theta = acos(1 - 0.5 * (2 * h) * (2 * h));
    for (int steps = 1; steps <= 200; steps += 33)
        assert_true(fabs(oscillator(h, steps) - 0.3 * cos(steps * theta)) < 1e-12);
}

static void the_leapfrog_is_of_second_order(void **state)
{
    (void)state;
    const double exact = 0.3 * cos(2.0 * 1.0); /* after 1 s */
    const double coarse = fabs(oscillator(0.01, 100) - exact), fine = fabs(oscillator(0.005, 200) - exact);
    assert_true(coarse > 1e-7);
    assert_true(fabs(coarse / fine - 4) < 0.01);
}

static void collect_errors(const DvMessage *message, void *context)
{
    if (message->level == DV_LEVEL_ERROR)
        dv_message_print(message, context);
}

static void the_leapfrog_says_which_masses_it_can_do(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text("<Node><LeapfrogSolver name='solver'/><MeshTopology position='0 0 0 1 0 0 0 1 0' "
                                     "triangles='0 1 2'/><MechanicalObject/><MeshMatrixMass massDensity='1'/></Node>");
    DvText errors = {0};
    dv_log_set_handler(collect_errors, &errors);
    const DvStatus status = dv_scene_step(scene, 0);
    dv_log_set_handler(NULL, NULL);
    assert_int_equal(status, DV_ERROR_UNSUPPORTED);
    assert_non_null(strstr(errors.at, "LeapfrogSolver 'solver': a mass that is not diagonal"));
    dv_text_free(&errors);
    dv_scene_free(scene);
}

#define POLAR(position, velocity, more)                                                                     \
    "<Node gravity='0 0 0' dt='0.5'><DefaultAnimationLoop/><LeapfrogSolver/>"                               \
    "<MechanicalObject name='polar' template='Vec2d' position='" position "' velocity='" velocity "'/>"     \
    "<UniformMass totalMass='1'/><Node name='Plane'><MechanicalObject name='plane' template='Vec2d'/>" more \
    "<PolarMapping/></Node></Node>"

MAPPING_CONFORMANCE(a_polar_mapping_is_a_mapping, .scene = POLAR("2 0.5  1 -3  0.2 9", "1 0  0 1  1 1", ""))

#define MIDDLE(attributes)                                                                                       \
    "<Node><MechanicalObject name='ends' position='0 0 0  2 0 0  2 4 0'/><Node name='Middle'><MechanicalObject " \
    "name='points'/><MiddleMapping " attributes "/></Node></Node>"

MAPPING_CONFORMANCE(a_middle_mapping_is_a_mapping, .scene = MIDDLE("pairs='0 1  1 2  2 2'"),
                    .geometric_stiffness = GEOMETRIC_LEFT_OUT, .reason = "the mapping is linear")

static void a_middle_mapping_puts_points_between_others(void **state)
{
    (void)state;
    static const double expected[] = {1, 0, 0, 2, 2, 0};
    DvScene *scene = scene_from_text(MIDDLE("pairs='0 1  1 2'"));
    const DvConstVec x = dv_state_read(scene_state(scene, "/Middle/points"), DV_POSITION);
    assert_int_equal(x.count, 2);
    assert_memory_equal(x.at, expected, sizeof expected);
    dv_scene_free(scene);
}

static void a_polar_mapping_turns_radius_and_angle_into_a_point(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(POLAR("2 0.52359877559829887  3 0", "0.5 0.25  0 0", ""));
    const DvStateRef plane = scene_state(scene, "/Plane/plane");
    assert_int_equal(dv_state_count(plane), 2); /* the mapping has resized its output */
    const double root3 = sqrt(3), x[4] = {root3, 1, 3, 0}, v[4] = {0.25 * root3 - 0.25, 0.25 + 0.25 * root3, 0, 0};
    for (int i = 0; i < 4; i++) {
        assert_true(fabs(dv_state_read(plane, DV_POSITION).at[i] - x[i]) < 1e-15 * 8);
        assert_true(fabs(dv_state_read(plane, DV_VELOCITY).at[i] - v[i]) < 1e-15 * 8);
    }
    make_steps(scene, 3); /* without forces radius and angle grow evenly: 1.5 s later */
    const double r = 2.75, a = 0.52359877559829887 + 0.375;
    assert_true(fabs(field_double(scene, "/Plane/plane", 0) - r * cos(a)) < 1e-14);
    assert_true(fabs(field_double(scene, "/Plane/plane", 1) - r * sin(a)) < 1e-14);
    dv_scene_free(scene);
}

static void an_engine_runs_when_its_output_is_read_and_once_per_change(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text("<Node><ScaledPoints name='half' points='2 4 6  8 10 12' factor='0.5'/>"
                                     "<MechanicalObject name='dofs' position='@half.output'/></Node>");
    for (size_t i = 0; i < 6; i++)
        assert_true(field_double(scene, "/dofs", i) == (double)(i + 1));
    DvObject *half = scene_object(scene, "/half");
    DvData *points = dv_object_field(half, "points"), *factor = dv_object_field(half, "factor"),
           *output = dv_object_field(half, "output");
    size_t count;
    const uint64_t before = dv_data_version(output);
    dv_data_set_double(factor, 3);
    assert_true(dv_data_doubles(output, &count)[5] == 36);
    assert_int_equal(count, 2);
    const uint64_t once = dv_data_version(output);
    assert_true(once > before);
    assert_true(dv_data_doubles(output, NULL)[5] == 36);
    assert_int_equal(dv_data_version(output), once); /* nothing changed, nothing ran */
    dv_data_set(points, (const double[3]){1, 1, 1}, 1);
    dv_data_set_double(factor, 7);
    assert_true(dv_data_doubles(output, &count)[2] == 7);
    assert_int_equal(count, 1);
    assert_int_equal(dv_data_version(output) - once, once - before); /* two changes, one run */
    dv_scene_free(scene);
}

/* What the recorder was told: kind, time, dt, and the first component of the states /polar and /Plane/plane then. */
enum { ROW = 5 };
static void expect_rows(DvScene *scene, const double (*rows)[ROW], size_t count)
{
    size_t numbers;
    const double *log = dv_data_doubles(dv_object_field(scene_object(scene, "/recorder"), "log"), &numbers);
    if (numbers != count * ROW)
        fail_msg("%zu events instead of %zu", numbers / ROW, count);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < ROW; k++)
            if (fabs(log[ROW * i + k] - rows[i][k]) > 1e-14)
                fail_msg("event %zu, column %zu: %g instead of %g", i, k, log[ROW * i + k], rows[i][k]);
}

#define RECORDED(listening)                                                                                       \
    "<Node gravity='0 0 0' dt='0.5' time='10'><DefaultAnimationLoop/><LeapfrogSolver/>"                           \
    "<EventRecorder name='recorder'" listening "/>"                                                               \
    "<MechanicalObject name='polar' template='Vec2d' position='2 0' velocity='1 0'/><UniformMass totalMass='1'/>" \
    "<Node name='Plane'><MechanicalObject name='plane' template='Vec2d' position='0 0'/><PolarMapping/></Node></Node>"

static void events_come_in_the_order_and_with_the_time_that_event_h_says(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(RECORDED(" listening='1'"));
    static const double rows[][ROW] = {
        /* Initialisation: the mapping applies itself. */
        {DV_EVENT_INIT_START, 10, 0.5, 2, 0},
        {DV_EVENT_INIT_DONE, 10, 0.5, 2, 2},
        /* A step */
        {DV_EVENT_ANIMATE_BEGIN, 10, 0.5, 2, 2},
        {DV_EVENT_COLLISION_BEGIN, 10, 0.5, 2, 2},
        {DV_EVENT_COLLISION_END, 10, 0.5, 2, 2},
        {DV_EVENT_INTEGRATE_BEGIN, 10, 0.5, 2, 2},
        {DV_EVENT_INTEGRATE_END, 10, 0.5, 2.5, 2.5},
        {DV_EVENT_ANIMATE_END, 10.5, 0.5, 2.5, 2.5},
        {DV_EVENT_UPDATE_MAPPING_END, 10.5, 0.5, 2.5, 2.5},
    };
    make_steps(scene, 1);
    expect_rows(scene, rows, sizeof rows / sizeof *rows);
    dv_scene_free(scene);
}

static void nobody_hears_events_who_does_not_listen(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(RECORDED(""));
    make_steps(scene, 1);
    expect_rows(scene, NULL, 0);
    dv_data_set_bool(dv_object_field(scene_object(scene, "/recorder"), "listening"), true);
    make_steps(scene, 1);
    static const double rows[][ROW] = {
        {DV_EVENT_ANIMATE_BEGIN, 10.5, 0.5, 2.5, 2.5}, {DV_EVENT_COLLISION_BEGIN, 10.5, 0.5, 2.5, 2.5},
        {DV_EVENT_COLLISION_END, 10.5, 0.5, 2.5, 2.5}, {DV_EVENT_INTEGRATE_BEGIN, 10.5, 0.5, 2.5, 2.5},
        {DV_EVENT_INTEGRATE_END, 10.5, 0.5, 3, 3},     {DV_EVENT_ANIMATE_END, 11, 0.5, 3, 3},
        {DV_EVENT_UPDATE_MAPPING_END, 11, 0.5, 3, 3},
    };
    expect_rows(scene, rows, sizeof rows / sizeof *rows);
    dv_scene_free(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_leapfrog_follows_its_own_closed_form),
        cmocka_unit_test(the_leapfrog_is_of_second_order),
        cmocka_unit_test(the_leapfrog_says_which_masses_it_can_do),
        cmocka_unit_test(a_middle_mapping_is_a_mapping),
        cmocka_unit_test(a_middle_mapping_puts_points_between_others),
        cmocka_unit_test(a_polar_mapping_is_a_mapping),
        cmocka_unit_test(a_polar_mapping_turns_radius_and_angle_into_a_point),
        cmocka_unit_test(an_engine_runs_when_its_output_is_read_and_once_per_change),
        cmocka_unit_test(events_come_in_the_order_and_with_the_time_that_event_h_says),
        cmocka_unit_test(nobody_hears_events_who_does_not_listen),
    };
    return cmocka_run_group_tests(tests, NULL, stop_plugins);
}
