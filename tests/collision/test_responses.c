/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which response a pair of models gets, contacts as fields, and springs that hold bodies together.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <divan/contracts/collision.h>
#include <divan/contracts/force_field.h>
#include <divan/divan.h>

#include "scene_text.h"

#define PIPELINE(manager)                                                                                 \
    "<DefaultAnimationLoop/><CollisionPipeline name='pipeline'/><BruteForceBroadPhase/><BVHNarrowPhase/>" \
    "<MinProximityIntersection alarmDistance='0.3' contactDistance='0.1'/>" manager
#define STICK "<CollisionResponse response='StickContactForceField'/>"
#define FLOOR(attributes)                                                                                      \
    "<Node name='Floor'><MeshTopology triangles='0 1 2'/><MechanicalObject position='-5 0 5  5 0 5  0 0 -5'/>" \
    "<TriangleCollisionModel name='floor' simulated='0' moving='0' " attributes "/></Node>"
#define BALL(name, position, attributes)                                                                           \
    "<Node name='" name "'><EulerExplicitSolver symplectic='1'/><MechanicalObject name='dofs' position='" position \
    "'/>"                                                                                                          \
    "<UniformMass totalMass='2'/><PointCollisionModel name='" name "points' " attributes "/></Node>"

static void steps(DvScene *scene, int count)
{
    while (count-- > 0)
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
}

static DvObject *response_in(DvScene *scene, const char *node)
{
    DvObject *object;
    const DvNode *holder = dv_object_as_node(scene_object(scene, node));
    for (size_t i = 0; (object = dv_node_member(holder, i)); i++)
        if (dv_object_ops(object, DV_CONTACT_RESPONSE))
            return object;
    return NULL;
}

/* ---- Rules ---- */

/* The class of the response of a ball in group 3 that touches a floor, "" when there is none. */
static const char *response_by(const char *manager, const char *of_ball, const char *of_floor)
{
    static char found[64];
    char text[2048];
    snprintf(text, sizeof text,
             "<Node name='root' gravity='0 0 0' dt='0.01'>" PIPELINE("%s") BALL("Ball", "0 0.04 0", "group='3' %s")
                 FLOOR("%s") "</Node>",
             manager, of_ball, of_floor);
    DvScene *scene = scene_from_text(text);
    steps(scene, 1);
    const DvObject *response = response_in(scene, "/Ball");
    snprintf(found, sizeof found, "%s", response ? dv_object_class(response)->name : "");
    dv_scene_free(scene);
    return found;
}

#define RULES(rules) "<RuleBasedContactManager response='PenalityContactForceField' rules='" rules "'/>"

static void rules_name_models_groups_or_any(void **state)
{
    (void)state;
    static const struct {
        const char *manager, *expected;
    } cases[] = {
        {RULES(""), "PenalityContactForceField"},
        {RULES("Ballpoints floor StickContactForceField"), "StickContactForceField"},
        {RULES("floor Ballpoints StickContactForceField"), "StickContactForceField"}, /* either order */
        {RULES("floor floor StickContactForceField"), "PenalityContactForceField"},
        {RULES("3 * StickContactForceField"), "StickContactForceField"},
        {RULES("* 3 StickContactForceField"), "StickContactForceField"},
        {RULES("4 * StickContactForceField"), "PenalityContactForceField"},
        {RULES("0 * StickContactForceField"), "PenalityContactForceField"}, /* the floor has no group, not group 0 */
        {RULES("* * nullptr"), ""},
        {"<CollisionResponse response='nullptr'/>", ""},
        {RULES("-3 * nullptr"), "PenalityContactForceField"},
        {RULES("4 * nullptr  * floor StickContactForceField  * * nullptr"),
         "StickContactForceField"},                            /* the first that fits */
        {RULES("* * StickContact"), "StickContactForceField"}, /* an old name */
        {RULES("default"), "PenalityContactForceField"},
        {RULES("* * StickContactForceField  * *"), "StickContactForceField"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(response_by(cases[i].manager, "", ""), cases[i].expected);
}

/* Whichever part of the pipeline leaves: then nothing touches any more. */
static void contacts_go_with_what_finds_them(void **state)
{
    (void)state;
    static const char *const parts[] = {DV_BROAD_PHASE, DV_NARROW_PHASE, DV_INTERSECTION_METHOD, DV_CONTACT_MANAGER};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        DvScene *scene = scene_from_text("<Node name='root' gravity='0 -10 0' dt='0.01'>" PIPELINE(RULES("")) BALL(
            "A", "0 0.04 0", "contactStiffness='50'") FLOOR("contactStiffness='50'") "</Node>");
        steps(scene, 1);
        DvObject *pipeline = scene_object(scene, "/pipeline");
        const DvCollisionPipelineOps *ops = dv_object_ops(pipeline, DV_COLLISION_PIPELINE);
        assert_int_equal(ops->contacts(dv_object_self(pipeline))->pair_count, 1);
        dv_object_remove(dv_node_context(dv_scene_root(scene), parts[i]));
        const DvContactList *list = ops->contacts(dv_object_self(pipeline));
        assert_true(list->pair_count == 0 && list->pairs == NULL);
        dv_scene_free(scene);
    }
}

/* What has no response has no force, whatever was in the place for it. */
static void contacts_without_a_response_have_no_force(void **state)
{
    (void)state;
    DvScene *scene =
        scene_from_text("<Node name='root' gravity='0 -10 0' dt='0.01'>" PIPELINE(RULES("Bpoints * nullptr"))
                            BALL("A", "0 0.04 0", "contactStiffness='50'") BALL("B", "1 0.04 0", "")
                                FLOOR("contactStiffness='50'") "</Node>");
    steps(scene, 1);
    DvObject *pipeline = scene_object(scene, "/pipeline");
    const DvCollisionPipelineOps *ops = dv_object_ops(pipeline, DV_COLLISION_PIPELINE);
    const DvContactList *list = ops->contacts(dv_object_self(pipeline));
    assert_int_equal(list->pair_count, 2);
    for (uint32_t pair = 0; pair < 2; pair++) {
        bool answered = true;
        for (int side = 0; side < 2; side++)
            answered = answered && strcmp(dv_node_name(list->bodies[list->pairs[pair].body[side]].node), "B") != 0;
        double force[3] = {NAN, NAN, NAN};
        ops->force(dv_object_self(pipeline), pair, 0, force);
        assert_true(force[0] == 0 && force[2] == 0);
        assert_true(answered ? fabs(force[1]) > 0.1 : force[1] == 0);
    }
    dv_scene_free(scene);
}

static void models_have_their_say_before_rules(void **state)
{
    (void)state;
    static const char all[] = RULES("* * nullptr");
    assert_string_equal(response_by(all, "contactResponse='StickContactForceField'", ""), "StickContactForceField");
    assert_string_equal(response_by(all, "", "contactResponse='StickContactForceField'"), "StickContactForceField");
    assert_string_equal(response_by(all, "contactResponse='nullptr'", "contactResponse='nullptr'"), "");
}

static void fields_behind_a_response_are_set(void **state)
{
    (void)state;
    static const char *const managers[] = {
        ("<RuleBasedContactManager response='PenalityContactForceField' responseParams='keepAlive=1' variables='hold damp' "
         "hold='0' damp='7' rules='* floor StickContactForceField?keepAlive=$hold$&amp;rayleighStiffness=$damp$'/>"),
        "<CollisionResponse response='StickContactForceField?keepAlive=0&amp;rayleighStiffness=7'/>",
        "<CollisionResponse response='StickContactForceField' responseParams='keepAlive=0&amp;rayleighStiffness=7'/>"};
    for (int i = 0; i < 3; i++) {
        char text[2048];
        snprintf(text, sizeof text,
                 "<Node name='root' gravity='0 0 0' dt='0.01'>" PIPELINE("%s") BALL("Ball", "0 0.04 0", "")
                     FLOOR("") "</Node>",
                 managers[i]);
        DvScene *scene = scene_from_text(text);
        steps(scene, 1);
        DvObject *response = response_in(scene, "/Ball");
        assert_non_null(response);
        assert_false(dv_data_bool(dv_object_field(response, "keepAlive")));
        assert_true(dv_data_double(dv_object_field(response, "rayleighStiffness")) == 7);
        dv_scene_free(scene);
    }
}

static void rules_that_cannot_be_followed_are_named(void **state)
{
    (void)state;
    expect_load_error("<Node>" RULES("a b PenaltyContactForceField") "</Node>",
                      "rules[2]: no response 'PenaltyContactForceField'; did you mean 'PenalityContactForceField'");
    expect_load_error("<Node>" RULES("a b $what$") "</Node>",
                      "rules[2]: '$what$' needs the variable 'what'; name it in variables");
    expect_load_error(
        "<Node>\n<RuleBasedContactManager response='StickContactForceField' variables='a b' a='1'/></Node>",
        "variables[1]: 'b' has no value; add the attribute b='...'");
    expect_load_error("<Node><RuleBasedContactManager rules='a b nullptr'/></Node>",
                      "no response to contacts is named");
}

static void look_for_words(const DvMessage *message, void *context)
{
    const char *at = strstr(message->text, "the last rule has ");
    if (at)
        *(int *)context = atoi(at + strlen("the last rule has "));
}

/* Words behind the last whole rule are told, and how many they are; nothing is where rules are whole. */
static void half_a_rule_is_told(void **state)
{
    (void)state;
    for (int words = 0; words < 8; words++) {
        static const char *const word[] = {"a", "b", "nullptr", "c", "d", "StickContactForceField", "*", "*"};
        DvText text = {0};
        dv_text_add(&text, "<Node><RuleBasedContactManager response='PenalityContactForceField' rules='");
        for (int i = 0; i < words; i++)
            dv_text_add(&text, "%s ", word[i]);
        dv_text_add(&text, "'/></Node>");
        int told = -1; /* nothing */
        dv_log_set_handler(look_for_words, &told);
        dv_scene_free(scene_from_text(text.at));
        dv_log_set_handler(NULL, NULL);
        assert_int_equal(told, words % 3 ? words % 3 : -1);
        dv_text_free(&text);
    }
}

/* ---- Contacts as fields ---- */

static const double *numbers(DvScene *scene, const char *path, const char *field, size_t expected)
{
    size_t count;
    const double *at = dv_data_doubles(dv_object_field(scene_object(scene, path), field), &count);
    assert_int_equal(count, expected);
    return at;
}

#define LISTENERS                                                                                             \
    "<ContactListener name='ball' collisionModel1='@Ball/Ballpoints'/>"                                       \
    "<ContactListener name='floor' collisionModel1='@Floor/floor' collisionModel2='@Ball/Ballpoints'/>"       \
    "<ContactListener name='other' collisionModel1='@Other/Otherpoints' collisionModel2='@Ball/Ballpoints'/>" \
    "<ContactListener name='second' collisionModel2='@Ball/Ballpoints'/>"

static void contacts_are_told_from_either_side(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text("<Node name='root' gravity='0 0 0' dt='0.01'>" PIPELINE(STICK) BALL(
        "Ball", "0 0.25 0  4 4 4  0.5 0.08 0.25", "") BALL("Other", "-1 0.05 0", "") FLOOR("") LISTENERS "</Node>");
    steps(scene, 1);
    const double *mine = numbers(scene, "/ball", "points1", 2), *theirs = numbers(scene, "/floor", "points2", 2);
    static const double expected[6] = {0, 0.25, 0, 0.5, 0.08, 0.25};
    for (int i = 0; i < 6; i++)
        assert_true(mine[i] == expected[i] && theirs[i] == expected[i]);
    const double *at_floor = numbers(scene, "/floor", "points1", 2), *up = numbers(scene, "/floor", "normals", 2);
    const double *down = numbers(scene, "/ball", "normals", 2), *gap = numbers(scene, "/ball", "distances", 2);
    for (int i = 0; i < 2; i++) {
        assert_true(fabs(at_floor[3 * i + 1]) < 1e-15 && fabs(at_floor[3 * i] - expected[3 * i]) < 1e-15);
        assert_true(fabs(up[3 * i + 1] - 1) < 1e-15 && down[3 * i + 1] == -up[3 * i + 1]);
        assert_true(fabs(gap[i] - (expected[3 * i + 1] - 0.1)) < 1e-15);
    }
    const int32_t *elements = dv_data_ints(dv_object_field(scene_object(scene, "/ball"), "elements"), NULL);
    assert_true(elements[0] == 0 && elements[1] == 0 && elements[2] == 2 && elements[3] == 0);
    elements = dv_data_ints(dv_object_field(scene_object(scene, "/floor"), "elements"), NULL);
    assert_true(elements[2] == 0 && elements[3] == 2);
    (void)numbers(scene, "/other", "distances", 0); /* it touches the floor alone */
    (void)numbers(scene, "/second", "distances", 2);
    assert_int_equal(dv_data_uint(dv_object_field(scene_object(scene, "/ball"), "numberOfContacts")), 2);
    dv_scene_free(scene);
}

static void contacts_that_end_leave_the_fields(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text("<Node name='root' gravity='0 0 0' dt='0.1'>" PIPELINE(
        "<CollisionResponse response='PenalityContactForceField'/>") "<Node name='Ball'><EulerExplicitSolver/><MechanicalObject name='dofs' position='0 0.2 0' velocity='0 1 0'/><UniformMass totalMass='2'/>"
                                                                     "<PointCollisionModel name='Ballpoints'/></Node>" FLOOR(
                                                                         "") "<ContactListener name='listener' collisionModel1='@Ball/Ballpoints'/></Node>");
    steps(scene, 1);
    (void)numbers(scene, "/listener", "normals", 1);
    steps(scene, 3);
    (void)numbers(scene, "/listener", "normals", 0);
    dv_scene_free(scene);
    expect_load_error("<Node>\n<ContactListener name='l'/></Node>",
                      "scene.scn:2: ContactListener 'l': no model is named; link collisionModel1 to one");
}

/* ---- Sticking ---- */

/* Explicit: at the beginning of a step springs have no load; what is felt is the damping. */
static void sticking_is_damped_by_the_friction_of_the_models(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text("<Node name='root' gravity='0 0 0' dt='0.001'>" PIPELINE(
        STICK) "<Node name='Ball'><EulerExplicitSolver/><MechanicalObject name='dofs' position='0 0.04 0' velocity='3 -1 2'/><UniformMass "
               "totalMass='2'/><PointCollisionModel contactStiffness='50' contactFriction='4'/></Node>" FLOOR(
                   "contactStiffness='20' contactFriction='1'") "</Node>");
    steps(scene, 1);
    static const double before[3] = {3, -1, 2};
    const double *v = dv_state_read(scene_state(scene, "/Ball/dofs"), DV_VELOCITY).at;
    double felt[3];
    DvObject *response = response_in(scene, "/Ball");
    ((const DvContactResponseOps *)dv_object_ops(response, DV_CONTACT_RESPONSE))
        ->force(dv_object_self(response), 0, felt);
    for (int i = 0; i < 3; i++) {
        assert_true(fabs(v[i] - before[i] * (1 - 0.001 * 5 / 2)) < 1e-14);
        assert_true(fabs(fabs(felt[i]) - fabs(5 * before[i])) < 1e-13);
    }
    dv_scene_free(scene);
}

/* Implicit: the spring of k1 + k2 starts unloaded in each step, v' = (v + h g) / (1 + h^2 k / m). */
static void sticking_slows_what_falls(void **state)
{
    (void)state;
    static const char *const solvers[2] = {"<CGLinearSolver iterations='50' tolerance='1e-14' threshold='1e-20'/>",
                                           "<SparseLDLSolver/>"};
    for (int s = 0; s < 2; s++) {
        char text[2048];
        snprintf(
            text, sizeof text,
            "<Node name='root' gravity='0 -10 0' dt='0.01'>" PIPELINE(
                STICK) "<Node name='Ball'><EulerImplicitSolver/>%s<MechanicalObject name='dofs' position='0 0.04 0' velocity='0.5 0 0'/>"
                       "<UniformMass totalMass='2'/><PointCollisionModel contactStiffness='5000'/></Node>" FLOOR(
                           "contactStiffness='3000'") "</Node>",
            solvers[s]);
        DvScene *scene = scene_from_text(text);
        double v[2] = {0.5, 0};
        for (int i = 0; i < 5; i++) {
            steps(scene, 1);
            for (int c = 0; c < 2; c++)
                v[c] = (v[c] - (c ? 0.1 : 0)) / (1 + 1e-4 * 8000 / 2);
            const double *at = dv_state_read(scene_state(scene, "/Ball/dofs"), DV_VELOCITY).at;
            assert_true(fabs(at[0] - v[0]) < 1e-12 && fabs(at[1] - v[1]) < 1e-12 && fabs(at[2]) < 1e-12);
        }
        dv_scene_free(scene);
    }
}

/* While contacts are found no more the last ones hold on: an oscillator about where they were. */
static void what_stuck_is_held_back(void **state)
{
    (void)state;
    for (int held = 0; held < 2; held++) {
        char text[2048];
        snprintf(
            text, sizeof text,
            "<Node name='root' gravity='0 0 0' dt='0.01'>" PIPELINE(
                "<CollisionResponse response='StickContactForceField' responseParams='keepAlive=%d'/>") "<Node name='Ball'>"
                                                                                                        "<EulerExplicitSolver symplectic='1'/><MechanicalObject name='dofs' position='0 0.29 0' velocity='0 2 0'/>"
                                                                                                        "<UniformMass totalMass='2'/><PointCollisionModel contactStiffness='50'/></Node>" FLOOR(
                                                                                                            "contactStiffness='30'") "</Node>",
            held);
        DvScene *scene = scene_from_text(text);
        double x = 0.29, v = 2; /* found in the first step alone: then it is beyond 0.3 m */
        for (int i = 0; i < 40; i++) {
            steps(scene, 1);
            v += held ? 0.01 * -80 * (x - 0.29) / 2 : 0;
            x += 0.01 * v;
            assert_true(fabs(dv_state_read(scene_state(scene, "/Ball/dofs"), DV_POSITION).at[1] - x) < 1e-12);
            assert_true((response_in(scene, "/Ball") != NULL) == (held || i == 0));
        }
        dv_scene_free(scene);
    }
}

/* ... also in a run that is saved meanwhile, with the same bits; numbers that are none of its own are refused. */
static void what_stuck_is_held_back_after_loading(void **state)
{
    (void)state;
    char file[64] = P_tmpdir "/divan-stick-XXXXXX.scn";
    const int descriptor = mkstemps(file, 4);
    assert_true(descriptor >= 0);
    close(descriptor);
    DvScene *straight = scene_from_text("<Node name='root' gravity='0 0 0' dt='0.01'>" PIPELINE(
        STICK) "<Node name='Ball'><EulerExplicitSolver symplectic='1'/><MechanicalObject name='dofs' template='Rigid3d' "
               "position='0 0.29 0 0 0 0 1  1 0.28 1 0 0 0 1' velocity='0 2 0 1 0 0  0 3 0 0 0 2'/>"
               "<UniformMass totalMass='2'/><SphereCollisionModel radius='0.01' contactStiffness='50'/></Node>" FLOOR(
                   "contactStiffness='30'") "</Node>");
    steps(straight, 7);
    assert_non_null(response_in(straight, "/Ball"));
    assert_int_equal(dv_scene_save(straight, file), DV_OK);
    DvScene *loaded;
    assert_int_equal(dv_scene_load(file, NULL, &loaded), DV_OK);
    steps(straight, 20);
    steps(loaded, 20);
    const DvConstVec a = dv_state_read(scene_state(straight, "/Ball/dofs"), DV_POSITION);
    const DvConstVec b = dv_state_read(scene_state(loaded, "/Ball/dofs"), DV_POSITION);
    assert_memory_equal(a.at, b.at, (size_t)a.count * 7 * sizeof(double));
    assert_true(a.at[1] < 0.29 + 27 * 0.01 * 2 * 0.9); /* it was held */
    DvObject *response = response_in(loaded, "/Ball");
    const DvContactResponseOps *ops = dv_object_ops(response, DV_CONTACT_RESPONSE);
    size_t count;
    const double *memory = ops->memory(dv_object_self(response), &count);
    assert_int_equal(count, 6 + 2 * 45);
    double wrong[96];
    memcpy(wrong, memory, sizeof wrong);
    assert_true(ops->recall(dv_object_self(response), wrong, 96));
    assert_false(ops->recall(dv_object_self(response), wrong, 95));
    wrong[7] = 3; /* a point that is not there */
    assert_false(ops->recall(dv_object_self(response), wrong, 96));
    wrong[6] = 9;
    assert_false(ops->recall(dv_object_self(response), wrong, 96));
    dv_scene_free(straight);
    dv_scene_free(loaded);
    remove(file);
}

/* Two bodies with a common solver: momentum stays, and they end up with one velocity. */
static void bodies_that_stick_keep_their_momentum(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text("<Node name='root' gravity='0 0 0' dt='0.01'>" PIPELINE(
        STICK) "<Node name='Both'><EulerImplicitSolver/><CGLinearSolver iterations='50' tolerance='1e-14' threshold='1e-20'/>"
               "<Node name='A'><MechanicalObject name='dofs' template='Rigid3d' position='0 0 0 0 0 0 1' velocity='1 0 0 0 0 0'/>"
               "<UniformMass totalMass='1'/><SphereCollisionModel radius='0.5' contactStiffness='400'/></Node>"
               "<Node name='B'><MechanicalObject name='dofs' position='0 1.05 0'/><UniformMass totalMass='3'/>"
               "<SphereCollisionModel radius='0.5' contactStiffness='400'/></Node></Node></Node>");
    steps(scene, 100);
    const double *a = dv_state_read(scene_state(scene, "/Both/A/dofs"), DV_VELOCITY).at;
    const double *b = dv_state_read(scene_state(scene, "/Both/B/dofs"), DV_VELOCITY).at;
    for (int i = 0; i < 3; i++)
        assert_true(fabs(a[i] + 3 * b[i] - (i == 0)) < 1e-10);
    assert_true(b[0] > 0.05);
    dv_scene_free(scene);
}

static void lasting_responses_allocate_nothing(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node name='root' gravity='0 -10 0' dt='0.01'>" PIPELINE(RULES("* floor StickContactForceField"))
            BALL("Ball", "0 0.05 0  1 0.05 0", "contactStiffness='50' contactFriction='50'")
                FLOOR("") "<ContactListener name='listener' collisionModel1='@Ball/Ballpoints'/></Node>");
    steps(scene, 20);
    const uint64_t before = dv_allocation_count();
    steps(scene, 20);
    assert_int_equal(dv_allocation_count(), before);
    (void)numbers(scene, "/listener", "points1", 2);
    dv_scene_free(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_name_models_groups_or_any),
        cmocka_unit_test(contacts_go_with_what_finds_them),
        cmocka_unit_test(contacts_without_a_response_have_no_force),
        cmocka_unit_test(models_have_their_say_before_rules),
        cmocka_unit_test(fields_behind_a_response_are_set),
        cmocka_unit_test(rules_that_cannot_be_followed_are_named),
        cmocka_unit_test(half_a_rule_is_told),
        cmocka_unit_test(contacts_are_told_from_either_side),
        cmocka_unit_test(contacts_that_end_leave_the_fields),
        cmocka_unit_test(sticking_is_damped_by_the_friction_of_the_models),
        cmocka_unit_test(sticking_slows_what_falls),
        cmocka_unit_test(what_stuck_is_held_back),
        cmocka_unit_test(what_stuck_is_held_back_after_loading),
        cmocka_unit_test(bodies_that_stick_keep_their_momentum),
        cmocka_unit_test(lasting_responses_allocate_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, stop_plugins);
}
