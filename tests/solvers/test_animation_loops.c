/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The animation loops: what happens in a step, in which order, at which time, and which solvers it calls.
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
    return dv_start(&(DvStartOptions){.plugins = (const char *const[]){EVENT_RECORDER, NULL}}) == DV_OK ? 0 : -1;
}

static DvScene *load(const char *text)
{
    DvScene *scene = NULL;
    assert_int_equal(dv_scene_load_text(text, strlen(text), "scene.scn", NULL, NULL, &scene), DV_OK);
    return scene;
}

static DvObject *object_at(const DvScene *scene, const char *path)
{
    DvObject *object = dv_node_resolve(dv_scene_root(scene), NULL, path, NULL);
    assert_non_null(object);
    return object;
}

static double number_at(const DvScene *scene, const char *path, DvVecId id)
{
    return dv_state_read(dv_state_ref(object_at(scene, path)), id).at[0];
}

static void step(DvScene *scene, double dt)
{
    assert_int_equal(dv_scene_step(scene, dt), DV_OK);
}

/* A point that moves at 1 m/s along x. */
#define MOVING_POINT                                                                                   \
    "<EulerExplicitSolver/><MechanicalObject name='dofs' template='Vec1d' position='0' velocity='1'/>" \
    "<UniformMass totalMass='1'/>"

static void events_come_in_order_at_the_time_of_the_start_until_the_step_is_done(void **state)
{
    (void)state;
    DvScene *scene =
        load("<Node name='root' dt='0.5' gravity='0 0 0'><DefaultAnimationLoop/><Node name='Body'>" MOVING_POINT
             "<EventRecorder name='recorder'/></Node></Node>");
    step(scene, 0);
    step(scene, 0.25);
    assert_string_equal(dv_data_string(dv_object_field(object_at(scene, "@/Body/recorder"), "log")),
                        "AnimateBegin 0.5 0 0\nCollisionBegin 0.5 0 0\nCollisionEnd 0.5 0 0\nIntegrateBegin 0.5 0 0\n"
                        "IntegrateEnd 0.5 0 0.5\nAnimateEnd 0.5 0.5 0.5\nUpdateMappingEnd 0.5 0.5 0.5\n"
                        "AnimateBegin 0.25 0.5 0.5\nCollisionBegin 0.25 0.5 0.5\nCollisionEnd 0.25 0.5 0.5\n"
                        "IntegrateBegin 0.25 0.5 0.5\nIntegrateEnd 0.25 0.5 0.75\nAnimateEnd 0.25 0.75 0.75\n"
                        "UpdateMappingEnd 0.25 0.75 0.75\n");
    dv_scene_free(scene);
}

static void only_the_target_and_what_is_below_it_moves(void **state)
{
    (void)state;
    DvScene *scene = load("<Node name='root' dt='0.5' gravity='0 0 0'><DefaultAnimationLoop targetNode='@/A'/>"
                          "<Node name='A'>" MOVING_POINT "</Node><Node name='B'>" MOVING_POINT "</Node></Node>");
    step(scene, 0);
    assert_true(number_at(scene, "@/A/dofs", DV_POSITION) == 0.5);
    assert_true(number_at(scene, "@/B/dofs", DV_POSITION) == 0.0);
    assert_true(dv_node_time(dv_scene_root(scene)) == 0.5);
    dv_scene_free(scene);
}

static void solvers_of_a_node_run_in_order_and_those_below_do_not(void **state)
{
    (void)state;
    DvScene *scene =
        load("<Node name='root' dt='0.5' gravity='0 0 0'><DefaultAnimationLoop/><Node name='Body'>"
             "<EulerExplicitSolver/><DampVelocitySolver rate='1'/>"
             "<MechanicalObject name='dofs' template='Vec1d' position='0' velocity='1'/><UniformMass totalMass='1'/>"
             "<Node name='Below'><DampVelocitySolver rate='100'/></Node></Node></Node>");
    step(scene, 0);
    assert_true(number_at(scene, "@/Body/dofs", DV_POSITION) == 0.5);
    assert_true(fabs(number_at(scene, "@/Body/dofs", DV_VELOCITY) - exp(-0.5)) < 1e-15);
    dv_scene_free(scene);
}

static void an_interaction_above_the_solvers_is_explicit_and_one_inside_is_implicit(void **state)
{
    (void)state;
    static const char *const pattern =
        "<Node name='root' dt='0.1' gravity='0 0 0'><DefaultAnimationLoop/>%s"
        "<Node name='A'>%s<MechanicalObject name='dofs' template='Vec1d' position='0'/><UniformMass totalMass='1'/></Node>"
        "<Node name='B'>%s<MechanicalObject name='dofs' template='Vec1d' position='2'/><UniformMass totalMass='1'/></Node>"
        "<SpringForceField template='Vec1d' object1='@A/dofs' object2='@B/dofs' spring='0 0 20 0 1'/></Node>";
    static const char *const solver = "<EulerImplicitSolver/><SparseLDLSolver/>";
    for (int inside = 0; inside < 2; inside++) {
        char text[1024];
        snprintf(text, sizeof text, pattern, inside ? solver : "", inside ? "" : solver, inside ? "" : solver);
        DvScene *scene = load(text);
        const double h = 0.1, k = 20.0;
        double left = 0.0, right = 0.0, length = 2.0;
        for (int i = 0; i < 3; i++) {
            step(scene, 0);
            const double force = k * (length - 1.0), closing = right - left;
            if (inside) { /* the distance is an oscillator of mass 1/2 */
                const double change = h * (force + h * k * closing) / (0.5 + h * h * k) / 2.0;
                left += change;
                right -= change;
            } else {
                left += h * force;
                right -= h * force;
            }
            length += h * (right - left);
            assert_true(fabs(number_at(scene, "@/A/dofs", DV_VELOCITY) - left) < 1e-12);
            assert_true(fabs(number_at(scene, "@/B/dofs", DV_VELOCITY) - right) < 1e-12);
        }
        dv_scene_free(scene);
    }
}

/* A damped spring between two bodies with solvers of their own: its force follows the velocities, not only the places. */
static void an_interaction_above_the_solvers_is_damped_by_velocities(void **state)
{
    (void)state;
    DvScene *scene = load(
        "<Node name='root' dt='0.1' gravity='0 0 0'><DefaultAnimationLoop/>"
        "<Node name='A'><EulerExplicitSolver/><MechanicalObject name='dofs' template='Vec1d' position='7' velocity='1'/>"
        "<UniformMass totalMass='1'/></Node>"
        "<Node name='B'><EulerExplicitSolver/><MechanicalObject name='dofs' template='Vec1d' position='9' velocity='-2'/>"
        "<UniformMass totalMass='2'/></Node>"
        "<SpringForceField template='Vec1d' object1='@A/dofs' object2='@B/dofs' spring='0 0 20 3 1'/></Node>");
    const double h = 0.1, k = 20.0, damping = 3.0;
    double x[2] = {7.0, 9.0}, v[2] = {1.0, -2.0};
    for (int i = 0; i < 4; i++) {
        step(scene, 0);
        const double force = k * (x[1] - x[0] - 1.0) + damping * (v[1] - v[0]);
        v[0] += h * force;
        v[1] -= h * force / 2.0;
        x[0] += h * v[0];
        x[1] += h * v[1];
        assert_true(fabs(number_at(scene, "@/A/dofs", DV_VELOCITY) - v[0]) < 1e-12);
        assert_true(fabs(number_at(scene, "@/B/dofs", DV_VELOCITY) - v[1]) < 1e-12);
        assert_true(fabs(number_at(scene, "@/B/dofs", DV_POSITION) - x[1]) < 1e-12);
    }
    dv_scene_free(scene);
}

static void external_forces_of_a_step_do_not_stay(void **state)
{
    (void)state;
    DvScene *scene =
        load("<Node name='root' dt='0.1' gravity='0 0 0'><DefaultAnimationLoop/><Node name='Body'>"
             "<EulerExplicitSolver/><MechanicalObject name='dofs' template='Vec1d' position='0' externalForce='10'/>"
             "<UniformMass totalMass='1'/></Node></Node>");
    step(scene, 0);
    assert_true(fabs(number_at(scene, "@/Body/dofs", DV_VELOCITY) - 1.0) < 1e-15);
    step(scene, 0);
    assert_true(fabs(number_at(scene, "@/Body/dofs", DV_VELOCITY) - 1.0) < 1e-15);
    dv_scene_free(scene);
}

/* The length of a step is dt, integrations take h; the time starts anew after each detection. */
static void a_step_of_several_detects_and_integrates_in_turn(void **state)
{
    (void)state;
    DvScene *scene =
        load("<Node name='root' dt='1' gravity='0 0 0'>"
             "<MultiStepAnimationLoop collisionSteps='2' integrationSteps='2'/><Node name='Body'>" MOVING_POINT
             "<EventRecorder name='recorder'/></Node></Node>");
    step(scene, 0);
    assert_string_equal(dv_data_string(dv_object_field(object_at(scene, "@/Body/recorder"), "log")),
                        "AnimateBegin 1 0 0\n"
                        "CollisionBegin 1 0 0\nCollisionEnd 1 0 0\n"
                        "IntegrateBegin 0.25 0 0\nIntegrateEnd 0.25 0 0.25\n"
                        "IntegrateBegin 0.25 0.25 0.25\nIntegrateEnd 0.25 0.25 0.5\n"
                        "CollisionBegin 1 0.5 0.5\nCollisionEnd 1 0.5 0.5\n"
                        "IntegrateBegin 0.25 0.5 0.5\nIntegrateEnd 0.25 0.5 0.75\n"
                        "IntegrateBegin 0.25 0.25 0.75\nIntegrateEnd 0.25 0.25 1\n"
                        "AnimateEnd 1 0.5 1\nUpdateMappingEnd 1 0.5 1\n");
    step(scene, 0.5);
    assert_true(dv_node_time(dv_scene_root(scene)) == 0.75);
    assert_true(number_at(scene, "@/Body/dofs", DV_POSITION) == 1.5);
    dv_scene_free(scene);
}

/* A mass on a spring by n steps of h is the same as by one loop step of n integrations. */
static void integrations_of_a_step_are_steps_of_their_own(void **state)
{
    (void)state;
    static const char *const pattern =
        "<Node name='root' dt='%g' gravity='0 -9.81 0'>%s<EulerImplicitSolver/><SparseLDLSolver/>"
        "<MechanicalObject name='dofs' template='Vec1d' position='2' rest_position='0'/><UniformMass totalMass='1'/>"
        "<RestShapeSpringsForceField stiffness='30'/></Node>";
    double position[2];
    for (int several = 0; several < 2; several++) {
        char text[1024];
        snprintf(text, sizeof text, pattern, several ? 0.5 : 0.125,
                 several ? "<MultiStepAnimationLoop integrationSteps='4'/>" : "<DefaultAnimationLoop/>");
        DvScene *scene = load(text);
        for (int i = 0; i < (several ? 3 : 12); i++)
            step(scene, 0);
        position[several] = number_at(scene, "@/dofs", DV_POSITION);
        assert_true(dv_node_time(dv_scene_root(scene)) == 1.5);
        dv_scene_free(scene);
    }
    assert_true(position[0] == position[1] && position[0] != 2.0);
}

static void a_step_of_several_takes_the_first_solver_of_a_node(void **state)
{
    (void)state;
    DvScene *scene =
        load("<Node name='root' dt='0.5' gravity='0 0 0'><MultiStepAnimationLoop/><Node name='Body'>"
             "<EulerExplicitSolver/><DampVelocitySolver rate='1'/>"
             "<MechanicalObject name='dofs' template='Vec1d' position='0' velocity='1'/><UniformMass totalMass='1'/>"
             "</Node></Node>");
    step(scene, 0);
    assert_true(number_at(scene, "@/Body/dofs", DV_POSITION) == 0.5);
    assert_true(number_at(scene, "@/Body/dofs", DV_VELOCITY) == 1.0);
    dv_scene_free(scene);
}

/* A spring above the solvers acts in each integration, with the force of its beginning. */
static void an_interaction_acts_in_each_integration(void **state)
{
    (void)state;
    DvScene *scene =
        load("<Node name='root' dt='0.2' gravity='0 0 0'><MultiStepAnimationLoop integrationSteps='2'/>"
             "<Node name='A'><EulerExplicitSolver/><MechanicalObject name='dofs' template='Vec1d' position='0'/>"
             "<UniformMass totalMass='1'/></Node>"
             "<Node name='B'><EulerExplicitSolver/><MechanicalObject name='dofs' template='Vec1d' position='2'/>"
             "<UniformMass totalMass='1'/></Node>"
             "<SpringForceField template='Vec1d' object1='@A/dofs' object2='@B/dofs' spring='0 0 20 0 1'/></Node>");
    step(scene, 0);
    double x = 0.0, v = 0.0; /* symmetric: the other end is at 2 - x */
    for (int i = 0; i < 2; i++) {
        v += 0.1 * 20.0 * (2.0 - 2.0 * x - 1.0);
        x += 0.1 * v;
    }
    assert_true(fabs(number_at(scene, "@/A/dofs", DV_POSITION) - x) < 1e-14);
    dv_scene_free(scene);
}

static void a_step_of_no_parts_is_refused(void **state)
{
    (void)state;
    static const char *const texts[2] = {"<Node name='root'><MultiStepAnimationLoop collisionSteps='0'/></Node>",
                                         "<Node name='root'><MultiStepAnimationLoop integrationSteps='-1'/></Node>"};
    for (int i = 0; i < 2; i++) {
        DvScene *scene = NULL;
        assert_int_not_equal(dv_scene_load_text(texts[i], strlen(texts[i]), "scene.scn", NULL, NULL, &scene), DV_OK);
        assert_null(scene);
    }
}

/* ---- Groups by tags ---- */

/* A point at 0 that moves at 1 m/s, and one that a stiff spring holds to where the first is when its turn comes. */
#define GROUPS(loop, first, second)                                                                                 \
    "<Node name='root' dt='0.5' gravity='0 0 0'>" loop "<Node name='A'><EulerExplicitSolver tags='" first "'/>"     \
    "<MechanicalObject name='dofs' template='Vec1d' position='0' velocity='1'/><UniformMass totalMass='1'/></Node>" \
    "<Node name='B'><EulerExplicitSolver tags='" second "'/><MechanicalObject name='dofs' template='Vec1d' "        \
    "position='0'/><UniformMass totalMass='1'/>"                                                                    \
    "<RestShapeSpringsForceField stiffness='4' external_rest_shape='@../A/dofs'/></Node></Node>"

/* v = 0.5 * 4 * where the first is. */
static void groups_move_in_turn(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double a, b;
    } cases[] = {
        {GROUPS("<MultiTagAnimationLoop tags='first second'/>", "first", "second"), 0.5, 1.0},
        {GROUPS("<MultiTagAnimationLoop tags='first second'/>", "second", "first"), 0.5, 0.0},
        /* the order in which the scene names them: the loop is the last that does */
        {GROUPS("<MeshTopology tags='second'/><MultiTagAnimationLoop tags='first second'/>", "first", "second"), 0.5,
         0.0},
        {GROUPS("<MultiTagAnimationLoop tags='first second'/>", "first second", "second"), 1.0, 2.0},
        {GROUPS("<MultiTagAnimationLoop tags='first'/>", "first", "second"), 0.5, 0.0},
        {GROUPS("<MultiTagAnimationLoop/>", "first", "second"), 0.0, 0.0},
        {GROUPS("<MultiTagAnimationLoop tags='first second' targetNode='@/B'/>", "first", "second"), 0.0, 0.0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        DvScene *scene = load(cases[i].text);
        step(scene, 0);
        assert_true(dv_node_time(dv_scene_root(scene)) == 0.5);
        assert_true(number_at(scene, "@/A/dofs", DV_POSITION) == cases[i].a);
        assert_true(number_at(scene, "@/B/dofs", DV_VELOCITY) == cases[i].b);
        dv_scene_free(scene);
    }
}

static void of_the_solvers_of_a_node_with_a_tag_the_first_runs(void **state)
{
    (void)state;
    DvScene *scene = load("<Node name='root' dt='0.5' gravity='0 0 0'><MultiTagAnimationLoop tags='a b'/>"
                          "<DampVelocitySolver rate='100' tags='other'/><EulerExplicitSolver tags='a'/>"
                          "<EulerExplicitSolver tags='a'/><DampVelocitySolver rate='1' tags='b'/>"
                          "<MechanicalObject name='dofs' template='Vec1d' position='0' velocity='1'/>"
                          "<UniformMass totalMass='1'/><EventRecorder name='recorder'/></Node>");
    step(scene, 0);
    assert_true(number_at(scene, "@/dofs", DV_POSITION) == 0.5);
    assert_true(fabs(number_at(scene, "@/dofs", DV_VELOCITY) - exp(-0.5)) < 1e-15);
    assert_string_equal(dv_data_string(dv_object_field(object_at(scene, "@/recorder"), "log")),
                        "AnimateBegin 0.5 0 0\nCollisionBegin 0.5 0 0\nCollisionEnd 0.5 0 0\nIntegrateBegin 0.5 0 0\n"
                        "IntegrateEnd 0.5 0 0.5\nCollisionBegin 0.5 0 0.5\nCollisionEnd 0.5 0 0.5\n"
                        "IntegrateBegin 0.5 0 0.5\nIntegrateEnd 0.5 0 0.5\nAnimateEnd 0.5 0.5 0.5\n"
                        "UpdateMappingEnd 0.5 0.5 0.5\n");
    dv_scene_free(scene);
}

/* An interaction above the solvers pushes both bodies, whose turns come one after the other, and only once. */
static void an_interaction_reaches_the_groups_that_come_later(void **state)
{
    (void)state;
#define BODY(name, tag, x)                                                                                       \
    "<Node name='" name "'><EulerExplicitSolver tags='" tag "'/><MechanicalObject name='dofs' template='Vec1d' " \
    "position='" x "'/><UniformMass totalMass='1'/></Node>"
    DvScene *scene =
        load("<Node name='root' dt='0.1' gravity='0 0 0'><MultiTagAnimationLoop tags='a b'/>" BODY("A", "a", "0")
                 BODY("B", "b", "2") "<SpringForceField template='Vec1d' object1='@A/dofs' object2='@B/dofs' "
                                     "spring='0 0 20 0 1' tags='a'/></Node>");
    step(scene, 0);
    assert_true(fabs(number_at(scene, "@/A/dofs", DV_VELOCITY) - 2.0) < 1e-14);
    assert_true(fabs(number_at(scene, "@/B/dofs", DV_VELOCITY) + 2.0) < 1e-14);
    dv_scene_free(scene);
}

/* ---- Parts with loops of their own ---- */

/* All parts begin at the same time; what B follows is where A was when the step before had ended. */
static void parts_make_their_steps_from_the_same_time(void **state)
{
    (void)state;
    DvScene *scene =
        load("<Node name='root' dt='0.5' gravity='0 0 0'><AnimationLoopParallelScheduler/>"
             "<Node name='A'><DefaultAnimationLoop/>" MOVING_POINT "<EventRecorder name='recorder'/></Node>"
             "<Node name='B'><DefaultAnimationLoop/>" MOVING_POINT "<EventRecorder name='recorder'/></Node>"
             "<Node name='C'>" MOVING_POINT "</Node>"
             "<Node name='D'><MechanicalObject name='copy' template='Vec1d' position='7'/>"
             "<DataExchange template='vector&lt;d>' from='@A/dofs.position' to='@D/copy.position'/></Node></Node>");
    assert_true(number_at(scene, "@/D/copy", DV_POSITION) == 7.0);
    for (int i = 1; i <= 2; i++) {
        step(scene, 0);
        assert_true(dv_node_time(dv_scene_root(scene)) == 0.5 * i);
        assert_true(number_at(scene, "@/A/dofs", DV_POSITION) == 0.5 * i);
        assert_true(number_at(scene, "@/B/dofs", DV_POSITION) == 0.5 * i);
        assert_true(number_at(scene, "@/C/dofs", DV_POSITION) == 0.0);
        assert_true(number_at(scene, "@/D/copy", DV_POSITION) == 0.5 * i);
    }
    const char *log = dv_data_string(dv_object_field(object_at(scene, "@/A/recorder"), "log"));
    assert_string_equal(log, dv_data_string(dv_object_field(object_at(scene, "@/B/recorder"), "log")));
    assert_non_null(strstr(log, "AnimateBegin 0.5 0.5 0.5"));
    dv_scene_free(scene);
}

/* Without a link `to` holds the value, for others to follow. */
static void an_exchanged_value_is_that_of_the_last_step(void **state)
{
    (void)state;
    DvScene *scene =
        load("<Node name='root' dt='0.5' gravity='0 0 0'><AnimationLoopParallelScheduler/>"
             "<Node name='A'><DefaultAnimationLoop/>" MOVING_POINT "</Node>"
             "<DataExchange name='x' template='d' from='3'/><DataExchange name='y' template='vector&lt;Vec3d>' "
             "from='1 2 3 4 5 6'/></Node>");
    assert_true(dv_data_double(dv_object_field(object_at(scene, "@/x"), "to")) == 0.0);
    step(scene, 0);
    assert_true(dv_data_double(dv_object_field(object_at(scene, "@/x"), "to")) == 3.0);
    size_t count;
    const double *to = dv_data_doubles(dv_object_field(object_at(scene, "@/y"), "to"), &count);
    assert_int_equal(count, 2);
    assert_true(to[5] == 6.0);
    dv_scene_free(scene);
}

static void means_are_of_all_bodies_but_those_that_take_them(void **state)
{
    (void)state;
#define HALF_TURN "0 0 0.70710678118654757 0.70710678118654757"
    DvScene *scene =
        load("<Node name='root' dt='0.5' gravity='0 0 0'><DefaultAnimationLoop/>"
             "<MeanComputation name='mean' template='Rigid3d'/>"
             "<Node name='A'><MechanicalObject template='Rigid3d' position='1 0 2 0 0 0 1'/></Node>"
             "<Node name='B'><EulerExplicitSolver/><MechanicalObject template='Rigid3d' position='3 4 2 " HALF_TURN
             "' velocity='2 0 0 0 0 0'/><UniformMass totalMass='1'/></Node>"
             "<Node name='C'><MechanicalObject name='points' position='9 9 9'/></Node>"
             "<Node name='D'><MechanicalObject name='dofs' template='Rigid3d' tags='MeanOutput' position='0 0 0 0 0 0 "
             "1'/></Node></Node>");
    for (int i = 0; i < 2; i++) {
        if (i == 1)
            step(scene, 0);
        size_t count;
        const double *mean = dv_data_doubles(dv_object_field(object_at(scene, "@/mean"), "result"), &count);
        const double *there = dv_state_read(dv_state_ref(object_at(scene, "@/D/dofs")), DV_POSITION).at;
        const double expected[7] = {2.0 + 0.5 * i, 2.0, 2.0, 0.0, 0.0, sin(atan(1.0) / 2.0), cos(atan(1.0) / 2.0)};
        assert_int_equal(count, 1);
        for (int c = 0; c < 7; c++)
            assert_true(fabs(mean[c] - expected[c]) < 1e-15 && there[c] == mean[c]);
    }
    dv_scene_free(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_come_in_order_at_the_time_of_the_start_until_the_step_is_done),
        cmocka_unit_test(only_the_target_and_what_is_below_it_moves),
        cmocka_unit_test(solvers_of_a_node_run_in_order_and_those_below_do_not),
        cmocka_unit_test(an_interaction_above_the_solvers_is_explicit_and_one_inside_is_implicit),
        cmocka_unit_test(an_interaction_above_the_solvers_is_damped_by_velocities),
        cmocka_unit_test(external_forces_of_a_step_do_not_stay),
        cmocka_unit_test(a_step_of_several_detects_and_integrates_in_turn),
        cmocka_unit_test(integrations_of_a_step_are_steps_of_their_own),
        cmocka_unit_test(a_step_of_several_takes_the_first_solver_of_a_node),
        cmocka_unit_test(an_interaction_acts_in_each_integration),
        cmocka_unit_test(a_step_of_no_parts_is_refused),
        cmocka_unit_test(groups_move_in_turn),
        cmocka_unit_test(of_the_solvers_of_a_node_with_a_tag_the_first_runs),
        cmocka_unit_test(an_interaction_reaches_the_groups_that_come_later),
        cmocka_unit_test(parts_make_their_steps_from_the_same_time),
        cmocka_unit_test(an_exchanged_value_is_that_of_the_last_step),
        cmocka_unit_test(means_are_of_all_bodies_but_those_that_take_them),
    };
    return cmocka_run_group_tests_name("animation loop", tests, start, NULL);
}
