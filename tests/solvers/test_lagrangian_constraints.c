/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Lagrangian constraints by themselves: what they owe, their rows and violations in closed form, mistakes, and how they follow meshes.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <divan/contracts/lagrangian_constraint.h>
#include <divan/contracts/topology.h>
#include <divan/divan.h>
#include <divan/math/rigid.h>

#include "lagrangian_constraint_conformance.h"
#include "scene_text.h"

#define STATE(template_, position)           "<MechanicalObject name='dofs' template='" template_ "' position='" position "'/>"
#define ONE(template_, position, constraint) "<Node name='root'>" STATE(template_, position) constraint "</Node>"
#define TWO(template_, first, second, constraint)                                               \
    "<Node name='root'><Node name='A'>" STATE(template_, first) "</Node><Node name='B'>" STATE( \
        template_, second) "</Node>" constraint "</Node>"
#define PAIR        "name='constraint' object1='@A/dofs' object2='@B/dofs' "
#define POINTS_A    "0 0 0  1 0.2 0  2 0 0.3  3 0.1 0.1"
#define POINTS_B    "0.1 1 0  1 1.2 0.1  2.2 0.9 0"
#define BODIES_A    "0 1 2 0.5 0.5 0.5 0.5  3 4 5 0 0.6 0 0.8"
#define SAME_BODIES "1 1 1 0 0.6 0 0.8  2 1 1 0.5 0.5 0.5 0.5"

LAGRANGIAN_CONSTRAINT_CONFORMANCE(
    tied_points_are_a_constraint,
    .scene = TWO("Vec3d", POINTS_A, POINTS_B,
                 "<BilateralLagrangianConstraint " PAIR
                 "first_point='3 0' second_point='1 2' rest_vector='0.1 0.2 0.3' load='0.5'/>"))
LAGRANGIAN_CONSTRAINT_CONFORMANCE(tied_points_of_one_state_are_a_constraint,
                                  .scene = ONE("Vec3d", POINTS_A,
                                               "<BilateralLagrangianConstraint name='constraint' first_point='3 0' "
                                               "second_point='1 2'/>"))
LAGRANGIAN_CONSTRAINT_CONFORMANCE(tied_bodies_are_a_constraint,
                                  .scene = TWO("Rigid3d", BODIES_A, SAME_BODIES,
                                               "<BilateralLagrangianConstraint " PAIR
                                               "first_point='0 1' second_point='1 0'/>"),
                                  .not_affine = "rotation vectors are not")
LAGRANGIAN_CONSTRAINT_CONFORMANCE(bodies_that_keep_their_difference_are_a_constraint,
                                  .scene = TWO("Rigid3d", BODIES_A, SAME_BODIES,
                                               "<BilateralLagrangianConstraint " PAIR
                                               "first_point='0 1' second_point='0 1' keepOrientationDifference='1'/>"),
                                  .not_affine = "rotation vectors are not")
LAGRANGIAN_CONSTRAINT_CONFORMANCE(held_values_are_a_constraint,
                                  .scene = ONE("Vec1d", "1 2 3",
                                               "<FixedLagrangianConstraint name='constraint' indices='2 0'/>"))
LAGRANGIAN_CONSTRAINT_CONFORMANCE(held_points_of_the_plane_are_a_constraint,
                                  .scene = ONE("Vec2d", "1 2 3 4",
                                               "<FixedLagrangianConstraint name='constraint' fixAll='1'/>"))
LAGRANGIAN_CONSTRAINT_CONFORMANCE(held_points_are_a_constraint,
                                  .scene = ONE("Vec3d", POINTS_A,
                                               "<FixedLagrangianConstraint name='constraint' indices='2 0'/>"))
LAGRANGIAN_CONSTRAINT_CONFORMANCE(held_points_of_six_components_are_a_constraint,
                                  .scene = ONE("Vec6d", "1 2 3 4 5 6  6 5 4 3 2 1",
                                               "<FixedLagrangianConstraint name='constraint' indices='1'/>"))
LAGRANGIAN_CONSTRAINT_CONFORMANCE(held_bodies_are_a_constraint,
                                  .scene = ONE("Rigid3d", BODIES_A,
                                               "<FixedLagrangianConstraint name='constraint' indices='1 0'/>"),
                                  .not_affine = "angles are not")
LAGRANGIAN_CONSTRAINT_CONFORMANCE(a_sliding_point_is_a_constraint,
                                  .scene = TWO("Vec3d", POINTS_A, POINTS_B,
                                               "<SlidingLagrangianConstraint " PAIR
                                               "sliding_point='2' axis_1='1' axis_2='2'/>"))
LAGRANGIAN_CONSTRAINT_CONFORMANCE(a_point_between_the_ends_is_a_constraint,
                                  .scene = TWO("Vec3d", "9 9 9  1.2 0.5 -0.3", "7 7 7  4 0.5 0  0 0 1",
                                               "<SlidingLagrangianConstraint " PAIR
                                               "sliding_point='1' axis_1='2' axis_2='1'/>"))
LAGRANGIAN_CONSTRAINT_CONFORMANCE(a_point_that_slides_nowhere_is_a_constraint,
                                  .scene = TWO("Vec3d", POINTS_A, POINTS_B,
                                               "<SlidingLagrangianConstraint " PAIR
                                               "sliding_point='2' axis_1='1' axis_2='1'/>"))
LAGRANGIAN_CONSTRAINT_CONFORMANCE(a_sliding_body_is_a_constraint,
                                  .scene = TWO("Rigid3d", BODIES_A, SAME_BODIES,
                                               "<SlidingLagrangianConstraint " PAIR
                                               "sliding_point='1' axis_1='0' axis_2='1'/>"))
LAGRANGIAN_CONSTRAINT_CONFORMANCE(
    a_stopper_is_a_constraint,
    .scene = ONE("Vec1d", "1 2 3", "<StopperLagrangianConstraint name='constraint' index='1' min='-1' max='3'/>"))
LAGRANGIAN_CONSTRAINT_CONFORMANCE(values_of_zero_are_a_constraint,
                                  .scene = ONE("Vec1d", "1 2 3 4 5 6 7 8",
                                               "<UniformLagrangianConstraint name='constraint'/>"))
LAGRANGIAN_CONSTRAINT_CONFORMANCE(values_of_rest_at_once_are_a_constraint,
                                  .scene = ONE("Vec1d", "1 2 3 4 5 6 7 8",
                                               "<UniformLagrangianConstraint name='constraint' iterative='0' "
                                               "constrainToRestPos='1'/>"))

/* ---- One build, looked at ---- */

enum { MOST = 128 };

typedef struct Written {
    DvScene *scene;
    const DvLagrangianConstraintOps *ops;
    void *self;
    DvConstraintRows rows;
    DvRowEntries entries[2];
    uint32_t row[2][MOST], point[2][MOST];
    double values[2][MOST * 6];
    DvConstraintBlock blocks[MOST];
} Written;

static void no_more_entries(DvRowEntries *entries)
{
    fail_msg("more than %zu entries", entries->capacity);
}

static void no_more_blocks(DvConstraintRows *rows)
{
    fail_msg("more than %u blocks", rows->block_capacity);
}

static DvStatus build_at(Written *w, double time, DvConstraintOrder order)
{
    DvObject *states[2];
    const uint32_t count = w->ops->states(w->self, states, 2);
    assert_in_range(count, 1, 2);
    w->rows = (DvConstraintRows){.grow = no_more_blocks, .blocks = w->blocks, .block_capacity = MOST, .order = order};
    for (uint32_t s = 0; s < count; s++) {
        w->entries[s] = (DvRowEntries){.row = w->row[s],
                                       .point = w->point[s],
                                       .values = w->values[s],
                                       .capacity = MOST,
                                       .width = dv_state_ref(states[s]).dof->deriv,
                                       .grow = no_more_entries};
        w->rows.of_state[s] = &w->entries[s > 0 && states[s] == states[0] ? 0 : s];
    }
    const DvStep step = {.time = time, .dt = 0.5, .position = DV_POSITION, .velocity = DV_VELOCITY};
    return w->ops->build(w->self, &step, &w->rows);
}

static void look_at(Written *w, DvScene *scene)
{
    DvObject *object = scene_object(scene, "/constraint");
    *w = (Written){
        .scene = scene, .ops = dv_object_ops(object, DV_LAGRANGIAN_CONSTRAINT), .self = dv_object_self(object)};
    assert_int_equal(build_at(w, 0.0, DV_CONSTRAIN_POSITION), DV_OK);
}

static DvData *field_of(const Written *w, const char *name)
{
    return dv_object_field(scene_object(w->scene, "/constraint"), name);
}

static void violation_of(const Written *w, DvConstraintOrder order, double *d)
{
    const DvStep step = {.time = 0.0, .dt = 0.5, .position = DV_POSITION, .velocity = DV_VELOCITY};
    assert_int_equal(w->ops->violation(w->self, &step, order, d), DV_OK);
}

static void assert_numbers(const double *found, const double *expected, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!(fabs(found[i] - expected[i]) <= 1e-14 * (1.0 + fabs(expected[i]))))
            fail_msg("number %zu is %.17g instead of %.17g", i, found[i], expected[i]);
}

/* ---- Closed forms ---- */

static void pairs_are_as_far_apart_as_asked(void **state)
{
    (void)state;
    Written w;
    look_at(&w, scene_from_text(TWO("Vec3d", "0 0 0 1 2 3", "5 7 9 2 2 2",
                                    "<BilateralLagrangianConstraint " PAIR
                                    "first_point='1 0' second_point='0 1' rest_vector='0.5 0.25 -1' load='0.25'/>")));
    double d[6];
    violation_of(&w, DV_CONSTRAIN_POSITION, d);
    assert_numbers(d, (double[]){3.5, 4.75, 7, 2, 2, 2}, 6); /* the second pair has no rest vector */
    assert_int_equal(w.rows.block_count, 2);
    assert_true(w.blocks[0].p[0] == 0.25 && w.blocks[0].has_start && w.blocks[1].start[2] == 0.0);
    const DvVec v = dv_state_write(scene_state(w.scene, "/B/dofs"), DV_VELOCITY, DV_READ_WRITE);
    v.at[0] = 10.0;
    violation_of(&w, DV_CONSTRAIN_VELOCITY, d);
    assert_numbers(d, (double[]){17, 9.5, 14, 4, 4, 4}, 6);
    dv_scene_free(w.scene);
}

static void what_is_beyond_the_shorter_list_is_left_out(void **state)
{
    (void)state;
    static const char *const lists[] = {"first_point='2 0 1' second_point='1'", "first_point='2' second_point='1 0'"};
    for (int i = 0; i < 2; i++) {
        char text[1024];
        (void)snprintf(text, sizeof text,
                       TWO("Vec3d", POINTS_A, POINTS_B, "<BilateralLagrangianConstraint " PAIR "%s/>"), lists[i]);
        Written w;
        look_at(&w, scene_from_text(text));
        assert_int_equal(w.rows.next, 3);
        assert_true(w.point[0][0] == 2 && w.point[1][0] == 1);
        dv_scene_free(w.scene);
    }
}

/* A quarter turn about z, seen from a body that is turned about x. */
static void bodies_are_turned_by_the_rotation_between_them(void **state)
{
    (void)state;
    const double half = sqrt(0.5);
    char text[1024];
    (void)snprintf(text, sizeof text,
                   TWO("Rigid3d", "1 2 3 0.6 0 0 0.8", "2 2 2 %.17g %.17g %.17g %.17g",
                       "<BilateralLagrangianConstraint " PAIR
                       "first_point='0' second_point='0' rest_vector='1 0 0 0 0 1'/>"),
                   0.6 * half, 0.6 * half, 0.8 * half, 0.8 * half); /* (0 0 s c) (0.6 0 0 0.8) */
    Written w;
    look_at(&w, scene_from_text(text));
    double d[6];
    violation_of(&w, DV_CONSTRAIN_POSITION, d);
    assert_numbers(d, (double[]){0, 0, -1, 0, 0, acos(-1.0) / 2.0 - 1.0}, 6);
    assert_int_equal(w.rows.block_count, 2);
    assert_false(w.blocks[0].has_start);
    dv_scene_free(w.scene);
}

static void a_kept_difference_turns_with_no_body(void **state)
{
    (void)state;
    Written w;
    look_at(
        &w,
        scene_from_text(TWO(
            "Rigid3d", "1 2 3 0.6 0 0 0.8", "2 2 2 0 0.6 0 0.8",
            "<BilateralLagrangianConstraint " PAIR
            "first_point='0' second_point='0' activate='0' rest_vector='1 2 3 0 0 0' keepOrientationDifference='1'/>")));
    assert_int_equal(w.rows.next, 0);
    dv_data_set_bool(field_of(&w, "activate"), true); /* the difference is that of the beginning all the same */
    const DvVec other = dv_state_write(scene_state(w.scene, "/B/dofs"), DV_POSITION, DV_READ_WRITE);
    other.at[0] += 3.0;
    assert_int_equal(build_at(&w, 0.5, DV_CONSTRAIN_POSITION), DV_OK);
    other.at[0] -= 3.0;
    double d[6];
    violation_of(&w, DV_CONSTRAIN_POSITION, d);
    assert_numbers(d, (double[6]){0}, 6);
    const DvVec x = dv_state_write(scene_state(w.scene, "/A/dofs"), DV_POSITION, DV_READ_WRITE);
    memcpy(x.at, (double[]){0, 0, 0, 0, 0, 0, 1},
           7 * sizeof *x.at); /* turned back: the other is seen 2 (atan 3/4) further */
    violation_of(&w, DV_CONSTRAIN_POSITION, d);
    assert_numbers(d, (double[]){1, 2, 3}, 3); /* c2 - (0 + c), c = (1, 0, -1) */
    assert_true(fabs(sqrt(d[3] * d[3] + d[4] * d[4] + d[5] * d[5]) - 2.0 * atan2(3.0, 4.0)) < 1e-14);
    dv_scene_free(w.scene);
}

static void held_points_are_measured_from_rest(void **state)
{
    (void)state;
    Written w;
    look_at(&w,
            scene_from_text(ONE("Vec3d", POINTS_A, "<FixedLagrangianConstraint name='constraint' indices='2 0'/>")));
    const DvVec x = dv_state_write(scene_state(w.scene, "/dofs"), DV_POSITION, DV_READ_WRITE);
    x.at[6] += 0.5;
    x.at[2] -= 0.25;
    double d[6];
    violation_of(&w, DV_CONSTRAIN_POSITION, d);
    assert_numbers(d, (double[]){0.5, 0, 0, 0, 0, -0.25}, 6);
    assert_true(w.point[0][0] == 2 && w.point[0][3] == 0);
    dv_scene_free(w.scene);
}

/* Rz Ry Rx, by its angles. */
static void held_bodies_are_measured_by_angles(void **state)
{
    (void)state;
    Written w;
    look_at(&w,
            scene_from_text(ONE("Rigid3d", BODIES_A, "<FixedLagrangianConstraint name='constraint' indices='1'/>")));
    const DvVec x = dv_state_write(scene_state(w.scene, "/dofs"), DV_POSITION, DV_READ_WRITE);
    const DvVec3 angles = {0.3, -0.4, 0.9};
    dv_quat_store(dv_quat_mul(dv_quat_from_euler(angles), dv_quat_load(x.at + 10)), x.at + 10);
    double d[6];
    violation_of(&w, DV_CONSTRAIN_POSITION, d);
    assert_true(fabs(d[3] - angles.x) < 1e-14 && fabs(d[4] - angles.y) < 1e-14 && fabs(d[5] - angles.z) < 1e-14);
    dv_scene_free(w.scene);
}

/* The segment from (0 0 0) to (4 0 0). */
static void a_point_slides_between_the_ends(void **state)
{
    (void)state;
    static const struct {
        const char *at;
        double d[4];
        double weight; /* of the second end across */
    } cases[] = {{"1 3 0", {3, 0, 1, 3}, 0.25},
                 {"6 0 2", {2, 0, 6, -2}, 1.0},
                 {"-2 -1 0", {1, 0, -2, 6}, 0.0},
                 {"3 0 0", {0, 0, 3, 1}, 0.75}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1024];
        (void)snprintf(text, sizeof text,
                       TWO("Vec3d", "9 9 9 %s", "7 7 7 4 0 0 0 0 0",
                           "<SlidingLagrangianConstraint " PAIR "sliding_point='1' axis_1='2' axis_2='1'/>"),
                       cases[i].at);
        Written w;
        look_at(&w, scene_from_text(text));
        double d[4];
        violation_of(&w, DV_CONSTRAIN_POSITION, d);
        assert_numbers(d, cases[i].d, 4);
        assert_int_equal(w.blocks[1].law, DV_LAW_BILATERAL);
        assert_int_equal(w.blocks[2].law, DV_LAW_UNILATERAL);
        assert_int_equal(w.blocks[3].law, DV_LAW_UNILATERAL);
        const double *to_second = w.values[1] + 3; /* of row 0 */
        const double length =
            sqrt(to_second[0] * to_second[0] + to_second[1] * to_second[1] + to_second[2] * to_second[2]);
        assert_int_equal(w.point[1][1], 1);
        assert_true(fabs(length - cases[i].weight) < 1e-14);
        w.ops->store(w.self, &(DvStep){.dt = 0.5}, (double[]){0, 0, 5, 2}, 4);
        assert_numbers(dv_data_doubles(field_of(&w, "force"), NULL), (double[]){3, 0, 0}, 3);
        dv_scene_free(w.scene);
    }
}

static void a_point_that_cannot_slide_is_held(void **state)
{
    (void)state;
    Written w;
    look_at(&w, scene_from_text(TWO("Vec3d", "1 2 3", "5 7 9 5 7 9",
                                    "<SlidingLagrangianConstraint " PAIR "sliding_point='0' axis_1='0' axis_2='1'/>")));
    double d[3];
    violation_of(&w, DV_CONSTRAIN_POSITION, d);
    assert_numbers(d, (double[]){-4, -5, -6}, 3);
    dv_scene_free(w.scene);
}

static void limits_of_a_stopper_are_those_of_its_field(void **state)
{
    (void)state;
    Written w;
    look_at(&w, scene_from_text(ONE("Vec1d", "1 2 3",
                                    "<StopperLagrangianConstraint name='constraint' index='1' min='-1' max='3'/>")));
    double d;
    violation_of(&w, DV_CONSTRAIN_POSITION, &d);
    assert_true(d == 2.0 && w.blocks[0].law == DV_LAW_INTERVAL && w.blocks[0].p[0] == -1.0 && w.blocks[0].p[1] == 3.0);
    assert_int_equal(build_at(&w, 0.0, DV_CONSTRAIN_VELOCITY), DV_OK);
    violation_of(&w, DV_CONSTRAIN_VELOCITY, &d);
    assert_true(d == 4.0 && w.blocks[0].p[0] == -2.0 && w.blocks[0].p[1] == 6.0); /* dt = 0.5 */
    dv_scene_free(w.scene);
}

static void values_are_solved_for_one_by_one_or_together(void **state)
{
    (void)state;
    for (int iterative = 0; iterative < 2; iterative++) {
        char text[512];
        (void)snprintf(
            text, sizeof text,
            ONE("Vec1d", "1 2 3 4 5 6 7 8", "<UniformLagrangianConstraint name='constraint' iterative='%d'/>"),
            iterative);
        Written w;
        look_at(&w, scene_from_text(text));
        assert_int_equal(w.rows.block_count, iterative ? 8 : 1);
        assert_int_equal(w.blocks[0].rows, iterative ? 1 : 8);
        double d[8];
        violation_of(&w, DV_CONSTRAIN_POSITION, d);
        assert_numbers(d, (double[]){1, 2, 3, 4, 5, 6, 7, 8}, 8);
        dv_data_set_bool(field_of(&w, "constrainToRestPos"), true);
        violation_of(&w, DV_CONSTRAIN_POSITION, d);
        assert_numbers(d, (double[8]){0}, 8);
        dv_scene_free(w.scene);
    }
}

/* ---- When they act ---- */

static void it_acts_until_its_end(void **state)
{
    (void)state;
    Written w;
    look_at(&w, scene_from_text(
                    ONE("Vec3d", POINTS_A, "<FixedLagrangianConstraint name='constraint' fixAll='1' endTime='2'/>")));
    assert_int_equal(w.rows.next, 12);
    assert_int_equal(build_at(&w, 1.5, DV_CONSTRAIN_POSITION), DV_OK);
    assert_int_equal(w.rows.next, 12);
    assert_int_equal(build_at(&w, 2.0, DV_CONSTRAIN_POSITION), DV_OK);
    assert_int_equal(w.rows.next, 0);
    double d = 7.0;
    violation_of(&w, DV_CONSTRAIN_POSITION, &d);
    assert_true(d == 7.0);
    dv_scene_free(w.scene);
}

static void the_key_a_turns_it_off_and_on(void **state)
{
    (void)state;
    Written w;
    look_at(&w, scene_from_text(
                    ONE("Vec3d", POINTS_A,
                        "<BilateralLagrangianConstraint name='constraint' first_point='0' second_point='2'/>")));
    static const struct {
        int key;
        uint32_t rows;
    } keys[] = {{'B', 3}, {'A', 0}, {'b', 0}, {'a', 3}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        DvEvent event = {.kind = DV_EVENT_KEY_PRESSED, .key = keys[i].key};
        dv_event_send(dv_scene_root(w.scene), &event);
        assert_int_equal(build_at(&w, 0.0, DV_CONSTRAIN_POSITION), DV_OK);
        assert_int_equal(w.rows.next, keys[i].rows);
    }
    dv_scene_free(w.scene);
}

static void it_says_where_its_rows_begin(void **state)
{
    (void)state;
    Written w;
    look_at(&w, scene_from_text(ONE("Vec1d", "1 2", "<UniformLagrangianConstraint name='constraint'/>")));
    w.rows.next = 5;
    assert_int_equal(w.ops->build(w.self,
                                  &(DvStep){.time = 0.0, .dt = 0.5, .position = DV_POSITION, .velocity = DV_VELOCITY},
                                  &w.rows),
                     DV_OK);
    assert_int_equal(dv_data_uint(field_of(&w, "constraintIndex")), 5);
    dv_scene_free(w.scene);
}

/* ---- What they remember ---- */

static DvScene *saved_and_loaded(DvScene *scene)
{
    char file[64] = P_tmpdir "/divan-constraint-XXXXXX.scn";
    const int descriptor = mkstemps(file, 4);
    assert_true(descriptor >= 0);
    close(descriptor);
    assert_int_equal(dv_scene_save(scene, file), DV_OK);
    DvScene *loaded;
    assert_int_equal(dv_scene_load(file, NULL, &loaded), DV_OK);
    remove(file);
    return loaded;
}

static void a_solution_begins_where_the_last_ended(void **state)
{
    (void)state;
    static const char *const scenes[] = {
        ONE("Vec3d", POINTS_A,
            "<BilateralLagrangianConstraint name='constraint' first_point='0 1' second_point='2 3'/>"),
        ONE("Vec3d", POINTS_A, "<FixedLagrangianConstraint name='constraint' indices='3 1'/>"),
        ONE("Rigid3d", BODIES_A, "<FixedLagrangianConstraint name='constraint' indices='1'/>")};
    static const double lambda[] = {0.1, -2, 3, 1.0 / 3, 5e-7, 6};
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        Written w;
        look_at(&w, scene_from_text(scenes[i]));
        assert_int_equal(w.rows.next, 6);
        w.ops->store(w.self, &(DvStep){.dt = 0.5}, lambda, 6);
        Written again = {0};
        look_at(&again, saved_and_loaded(w.scene));
        assert_int_equal(build_at(&w, 0.5, DV_CONSTRAIN_POSITION), DV_OK);
        for (uint32_t r = 0; r < 6; r++) {
            assert_true(w.blocks[r / 3].has_start && w.blocks[r / 3].start[r % 3] == lambda[r]);
            assert_true(again.blocks[r / 3].start[r % 3] == lambda[r]);
        }
        dv_scene_reset(w.scene);
        assert_int_equal(build_at(&w, 0.0, DV_CONSTRAIN_POSITION), DV_OK);
        for (uint32_t r = 0; r < 6; r++)
            assert_true(w.blocks[r / 3].start[r % 3] == 0.0);
        dv_scene_free(again.scene);
        dv_scene_free(w.scene);
    }
}

static void a_saved_run_keeps_the_difference_it_began_with(void **state)
{
    (void)state;
    Written w, again;
    look_at(&w, scene_from_text(TWO("Rigid3d", "1 2 3 0.6 0 0 0.8", "2 2 2 0 0.6 0 0.8",
                                    "<BilateralLagrangianConstraint " PAIR
                                    "first_point='0' second_point='0' keepOrientationDifference='1'/>")));
    dv_state_write(scene_state(w.scene, "/B/dofs"), DV_POSITION, DV_READ_WRITE).at[0] += 1.0;
    look_at(&again, saved_and_loaded(w.scene));
    double d[6], e[6];
    violation_of(&w, DV_CONSTRAIN_POSITION, d);
    violation_of(&again, DV_CONSTRAIN_POSITION, e);
    assert_true(d[0] == 1.0);
    assert_memory_equal(d, e, sizeof d);
    dv_scene_free(w.scene);
    dv_scene_free(again.scene);
}

/* ---- Meshes that change ---- */

#define SHEET(name)                                                                                            \
    "<Node name='" name                                                                                        \
    "'><TriangleSetTopologyContainer name='mesh' position='0 0 0 1 0 0 0 1 0 1 1 0' triangles='0 1 2 1 3 2'/>" \
    "<TriangleSetTopologyModifier name='modifier'/><MechanicalObject name='dofs'/></Node>"

/* Point 0 goes, 3 takes its number. */
static void remove_a_corner(DvScene *scene, const char *modifier)
{
    DvObject *object = scene_object(scene, modifier);
    const DvTopologyModifierOps *ops = dv_object_ops(object, DV_TOPOLOGY_MODIFIER);
    const uint32_t triangle = 0;
    assert_int_equal(ops->remove_elements(dv_object_self(object), DV_TRIANGLES, 1, &triangle, true), DV_OK);
}

static void assert_points(DvData *field, const uint32_t *expected, size_t count)
{
    size_t found;
    const uint32_t *point = dv_data_uints(field, &found);
    assert_int_equal(found, count);
    assert_memory_equal(point, expected, count * sizeof *expected);
}

static void pairs_go_with_their_points(void **state)
{
    (void)state;
    Written w;
    look_at(&w, scene_from_text("<Node name='root'>" SHEET("A") SHEET(
                    "B") "<BilateralLagrangianConstraint " PAIR
                         "first_point='1 0 3' second_point='3 1 2' rest_vector='1 2 3 4 5 6 7 8 9'/></Node>"));
    w.ops->store(w.self, &(DvStep){.dt = 0.5}, (double[]){1, 2, 3, 4, 5, 6, 7, 8, 9}, 9);
    remove_a_corner(w.scene, "/A/modifier");
    assert_points(field_of(&w, "first_point"), (uint32_t[]){1, 0}, 2);
    assert_points(field_of(&w, "second_point"), (uint32_t[]){3, 2}, 2);
    size_t rests;
    const double *rest = dv_data_doubles(field_of(&w, "rest_vector"), &rests);
    assert_int_equal(rests, 2);
    assert_numbers(rest, (double[]){1, 2, 3, 7, 8, 9}, 6);
    remove_a_corner(w.scene, "/B/modifier");
    assert_points(field_of(&w, "first_point"), (uint32_t[]){1, 0}, 2);
    assert_points(field_of(&w, "second_point"), (uint32_t[]){0, 2}, 2);
    assert_int_equal(build_at(&w, 0.0, DV_CONSTRAIN_POSITION), DV_OK);
    assert_int_equal(w.rows.block_count, 2);
    assert_true(w.blocks[0].start[0] == 1.0 && w.blocks[1].start[2] == 9.0);
    dv_scene_free(w.scene);
}

/* Both ends of a pair in one mesh, and a mesh whose points get new numbers. */
static void pairs_of_one_state_go_with_their_points(void **state)
{
    (void)state;
    Written w;
    look_at(&w, scene_from_text("<Node name='root'>" SHEET(
                    "A") "<BilateralLagrangianConstraint name='constraint' object1='@A/dofs' object2='@A/dofs' "
                         "first_point='1 0 3' second_point='3 1 2'/></Node>"));
    remove_a_corner(w.scene, "/A/modifier");
    assert_points(field_of(&w, "first_point"), (uint32_t[]){1, 0}, 2);
    assert_points(field_of(&w, "second_point"), (uint32_t[]){0, 2}, 2);
    DvObject *object = scene_object(w.scene, "/A/modifier");
    const DvTopologyModifierOps *ops = dv_object_ops(object, DV_TOPOLOGY_MODIFIER);
    assert_int_equal(ops->renumber_points(dv_object_self(object), (const uint32_t[]){2, 0, 1}),
                     DV_OK); /* 0 is 1, 1 is 2, 2 is 0 */
    assert_points(field_of(&w, "first_point"), (uint32_t[]){2, 1}, 2);
    assert_points(field_of(&w, "second_point"), (uint32_t[]){1, 0}, 2);
    dv_scene_free(w.scene);

    look_at(&w, scene_from_text("<Node name='root'>" SHEET(
                    "A") "<SlidingLagrangianConstraint name='constraint' object1='@A/dofs' object2='@A/dofs' "
                         "sliding_point='0' axis_1='1' axis_2='2'/></Node>"));
    object = scene_object(w.scene, "/A/modifier");
    assert_int_equal(ops->renumber_points(dv_object_self(object), (const uint32_t[]){1, 0, 3, 2}), DV_OK);
    assert_int_equal(dv_data_int(field_of(&w, "sliding_point")), 1);
    assert_int_equal(dv_data_int(field_of(&w, "axis_1")), 0);
    assert_int_equal(dv_data_int(field_of(&w, "axis_2")), 3);
    dv_scene_free(w.scene);
}

static void held_points_go_with_their_mesh(void **state)
{
    (void)state;
    Written w;
    look_at(&w,
            scene_from_text(
                "<Node name='root'><TriangleSetTopologyContainer name='mesh' position='0 0 0 1 0 0 0 1 0 1 1 0' "
                "triangles='0 1 2 1 3 2'/><TriangleSetTopologyModifier name='modifier'/><MechanicalObject name='dofs'/>"
                "<FixedLagrangianConstraint name='constraint' indices='0 3 1'/></Node>"));
    w.ops->store(w.self, &(DvStep){.dt = 0.5}, (double[]){1, 2, 3, 4, 5, 6, 7, 8, 9}, 9);
    remove_a_corner(w.scene, "/modifier");
    assert_points(field_of(&w, "indices"), (uint32_t[]){0, 1}, 2);
    assert_int_equal(build_at(&w, 0.0, DV_CONSTRAIN_POSITION), DV_OK);
    assert_true(w.blocks[0].start[0] == 4.0 && w.blocks[1].start[2] == 9.0);
    double d[6];
    violation_of(&w, DV_CONSTRAIN_POSITION, d);
    assert_numbers(d, (double[6]){0}, 6);
    dv_scene_free(w.scene);
}

/* Point 3 becomes 0, and then goes too. */
static void single_points_go_with_their_mesh(void **state)
{
    (void)state;
    static const char scene[] = "<Node name='root'>" SHEET("A")
        SHEET("B") "<SlidingLagrangianConstraint " PAIR "sliding_point='%d' axis_1='%d' axis_2='2'/></Node>";
    static const struct {
        int point, axis;
        const char *field, *modifier;
    } cases[] = {{3, 1, "sliding_point", "/A/modifier"}, {1, 3, "axis_1", "/B/modifier"}};
    for (size_t i = 0; i < 2; i++) {
        char text[2048];
        (void)snprintf(text, sizeof text, scene, cases[i].point, cases[i].axis);
        Written w;
        look_at(&w, scene_from_text(text));
        remove_a_corner(w.scene, cases[i].modifier);
        assert_int_equal(dv_data_int(field_of(&w, cases[i].field)), 0);
        assert_int_equal(dv_data_int(field_of(&w, i == 0 ? "axis_1" : "sliding_point")), 1);
        assert_int_equal(build_at(&w, 0.0, DV_CONSTRAIN_POSITION), DV_OK);
        assert_int_equal(w.rows.next, 4);
        remove_a_corner(w.scene, cases[i].modifier);
        assert_int_equal(dv_data_int(field_of(&w, cases[i].field)), -1);
        assert_int_equal(build_at(&w, 0.0, DV_CONSTRAIN_POSITION), DV_OK);
        assert_int_equal(w.rows.next, 0);
        dv_scene_free(w.scene);
    }
    Written w;
    look_at(
        &w,
        scene_from_text(
            "<Node name='root'><PointSetTopologyContainer position='0 0 0 1 0 0 2 0 0'/><PointSetTopologyModifier name='modifier'/>"
            "<MechanicalObject name='dofs' template='Vec1d' position='0 1 2'/><StopperLagrangianConstraint name='constraint' index='2'/></Node>"));
    DvObject *object = scene_object(w.scene, "/modifier");
    const DvTopologyModifierOps *ops = dv_object_ops(object, DV_TOPOLOGY_MODIFIER);
    for (int32_t expected = 0; expected >= -1; expected--) {
        assert_int_equal(ops->remove_points(dv_object_self(object), 1, &(uint32_t){0}), DV_OK);
        assert_int_equal(dv_data_int(field_of(&w, "index")), expected);
        assert_int_equal(build_at(&w, 0.0, DV_CONSTRAIN_POSITION), DV_OK);
        assert_int_equal(w.rows.next, expected + 1);
    }
    dv_scene_free(w.scene);
}

/* A reset gives meshes their points back, and constraints what they said of these. */
static void a_reset_puts_points_back(void **state)
{
    (void)state;
    Written w;
    look_at(
        &w,
        scene_from_text("<Node name='root'>" SHEET("A") SHEET(
            "B") "<BilateralLagrangianConstraint " PAIR
                 "first_point='1 0 3' second_point='3 1 2' rest_vector='1 2 3 4 5 6 7 8 9'/>"
                 "<SlidingLagrangianConstraint name='sliding' object1='@A/dofs' object2='@B/dofs' "
                 "sliding_point='3' axis_1='0' axis_2='2'/>"
                 "<FixedLagrangianConstraint template='Vec3d' name='fixed' mstate='@B/dofs' indices='0 3 1'/></Node>"));
    DvData *sliding = dv_object_field(scene_object(w.scene, "/sliding"), "sliding_point");
    DvData *axis = dv_object_field(scene_object(w.scene, "/sliding"), "axis_1");
    DvData *fixed = dv_object_field(scene_object(w.scene, "/fixed"), "indices");
    for (int pass = 0; pass < 2; pass++) {
        remove_a_corner(w.scene, "/A/modifier");
        remove_a_corner(w.scene, "/B/modifier");
        assert_points(field_of(&w, "first_point"), (uint32_t[]){1, 0}, 2);
        assert_points(fixed, (uint32_t[]){0, 1}, 2);
        assert_true(dv_data_int(sliding) == 0 && dv_data_int(axis) == -1);
        dv_scene_reset(w.scene);
        assert_points(field_of(&w, "first_point"), (uint32_t[]){1, 0, 3}, 3);
        assert_points(field_of(&w, "second_point"), (uint32_t[]){3, 1, 2}, 3);
        assert_points(fixed, (uint32_t[]){0, 3, 1}, 3);
        assert_true(dv_data_int(sliding) == 3 && dv_data_int(axis) == 0);
        size_t rests;
        const double *rest = dv_data_doubles(field_of(&w, "rest_vector"), &rests);
        assert_int_equal(rests, 3);
        assert_numbers(rest, (double[]){1, 2, 3, 4, 5, 6, 7, 8, 9}, 9);
        assert_int_equal(build_at(&w, 0.0, DV_CONSTRAIN_POSITION), DV_OK);
        assert_int_equal(w.rows.block_count, 3);
    }
    dv_scene_free(w.scene);
    look_at(&w, scene_from_text("<Node name='root'><PointSetTopologyContainer position='0 0 0 1 0 0 2 0 0'/>"
                                "<PointSetTopologyModifier name='modifier'/>"
                                "<MechanicalObject name='dofs' template='Vec1d' position='0 1 2'/>"
                                "<StopperLagrangianConstraint name='constraint' index='2'/></Node>"));
    DvObject *object = scene_object(w.scene, "/modifier");
    const DvTopologyModifierOps *ops = dv_object_ops(object, DV_TOPOLOGY_MODIFIER);
    assert_int_equal(ops->remove_points(dv_object_self(object), 1, &(uint32_t){0}), DV_OK);
    assert_int_equal(dv_data_int(field_of(&w, "index")), 0);
    dv_scene_reset(w.scene);
    assert_int_equal(dv_data_int(field_of(&w, "index")), 2);
    dv_scene_free(w.scene);
}

/* ---- Mistakes ---- */

static void mistakes_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *scene, *message;
    } cases[] = {
        {TWO("Vec3d", POINTS_A, POINTS_B,
             "<BilateralLagrangianConstraint " PAIR "first_point='0 4' second_point='0 1'/>"),
         "first_point[1]: no point 4: the state has 4, counted from 0"},
        {TWO("Vec3d", POINTS_A, POINTS_B, "<BilateralLagrangianConstraint " PAIR "first_point='0' second_point='3'/>"),
         "second_point[0]: no point 3: the state has 3, counted from 0"},
        {ONE("Vec3d", POINTS_A,
             "<BilateralLagrangianConstraint name='constraint' first_point='1 2' second_point='0 2'/>"),
         "second_point[1]: point 2 of a state is tied to itself; name another"},
        {"<Node name='root'><BilateralLagrangianConstraint template='Vec3d' name='constraint'/></Node>",
         "BilateralLagrangianConstraint 'constraint'"},
        {ONE("Vec3d", POINTS_A, "<FixedLagrangianConstraint name='constraint' indices='4'/>"),
         "indices[0]: no point 4"},
        {"<Node name='root'><FixedLagrangianConstraint template='Vec3d' name='constraint' fixAll='1'/></Node>",
         "FixedLagrangianConstraint 'constraint'"},
        {TWO("Vec3d", POINTS_A, POINTS_B, "<SlidingLagrangianConstraint " PAIR "sliding_point='-1' axis_2='1'/>"),
         "sliding_point: no point -1: the state has 4, counted from 0"},
        {TWO("Vec3d", POINTS_A, POINTS_B, "<SlidingLagrangianConstraint " PAIR "axis_1='3'/>"), "axis_1: no point 3"},
        {TWO("Vec3d", POINTS_A, POINTS_B, "<SlidingLagrangianConstraint " PAIR "axis_2='9'/>"), "axis_2: no point 9"},
        {ONE("Vec3d", POINTS_A,
             "<SlidingLagrangianConstraint name='constraint' sliding_point='1' axis_1='0' axis_2='1'/>"),
         "axis_2: is the point that slides; name another"},
        {ONE("Vec1d", "1 2", "<StopperLagrangianConstraint name='constraint' index='2'/>"), "index: no point 2"},
        {ONE("Vec1d", "1 2", "<StopperLagrangianConstraint name='constraint' min='2' max='1'/>"),
         "min: 2 is larger than max, 1; exchange them"},
        {"<Node name='root'><UniformLagrangianConstraint name='constraint'/></Node>",
         "UniformLagrangianConstraint 'constraint'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_load_error(cases[i].scene, cases[i].message);
}

/* Scene files hold none; other fields may come out of a computation. */
static void numbers_that_are_none_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *scene, *field;
        double value[3];
    } cases[] = {
        {ONE("Vec3d", POINTS_A, "<BilateralLagrangianConstraint name='constraint' first_point='0' second_point='1'/>"),
         "rest_vector",
         {1, NAN, 2}},
        {ONE("Vec3d", POINTS_A, "<BilateralLagrangianConstraint name='constraint' first_point='0' second_point='1'/>"),
         "load",
         {NAN}},
        {ONE("Vec1d", "1 2", "<StopperLagrangianConstraint name='constraint'/>"), "min", {NAN}},
        {ONE("Vec1d", "1 2", "<StopperLagrangianConstraint name='constraint'/>"), "max", {INFINITY}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Written w;
        look_at(&w, scene_from_text(cases[i].scene));
        dv_data_set(field_of(&w, cases[i].field), cases[i].value, 1);
        assert_int_not_equal(build_at(&w, 0.0, DV_CONSTRAIN_POSITION), DV_OK);
        dv_scene_free(w.scene);
    }
}

/* Fields and states may change while a scene runs. */
static void mistakes_at_run_time_stop_the_step(void **state)
{
    (void)state;
    Written w;
    look_at(&w, scene_from_text(TWO("Vec3d", POINTS_A, POINTS_B,
                                    "<BilateralLagrangianConstraint " PAIR "first_point='3' second_point='0'/>")));
    const DvStateRef a = scene_state(w.scene, "/A/dofs");
    a.ops->resize(a.self, 2);
    assert_int_not_equal(build_at(&w, 0.0, DV_CONSTRAIN_POSITION), DV_OK);
    dv_data_set(field_of(&w, "first_point"), (uint32_t[]){1}, 1);
    dv_data_set_double(field_of(&w, "load"), 7.0);
    assert_int_equal(build_at(&w, 0.0, DV_CONSTRAIN_POSITION), DV_OK);
    assert_true(w.blocks[0].p[0] == 1.0 && dv_data_double(field_of(&w, "load")) == 1.0);
    dv_scene_free(w.scene);
}

static void old_scenes_call_them_by_other_names(void **state)
{
    (void)state;
    static const char *const names[][2] = {{"BilateralInteractionConstraint", "BilateralLagrangianConstraint"},
                                           {"StopperConstraint", "StopperLagrangianConstraint"},
                                           {"UniformConstraint", "UniformLagrangianConstraint"},
                                           {"SlidingConstraint axis_1='1' axis_2='2'", "SlidingLagrangianConstraint"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const bool pair = i == 0 || i == 3;
        char text[256];
        (void)snprintf(
            text, sizeof text,
            "<Node name='root'><MechanicalObject template='%s' position='%s'/><%s name='constraint'/></Node>",
            pair ? "Vec3d" : "Vec1d", pair ? POINTS_A : "1", names[i][0]);
        DvScene *scene = scene_from_text(text);
        assert_true(dv_object_is_a(scene_object(scene, "/constraint"), names[i][1]));
        dv_scene_free(scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tied_points_are_a_constraint),
        cmocka_unit_test(tied_points_of_one_state_are_a_constraint),
        cmocka_unit_test(tied_bodies_are_a_constraint),
        cmocka_unit_test(bodies_that_keep_their_difference_are_a_constraint),
        cmocka_unit_test(held_values_are_a_constraint),
        cmocka_unit_test(held_points_of_the_plane_are_a_constraint),
        cmocka_unit_test(held_points_are_a_constraint),
        cmocka_unit_test(held_points_of_six_components_are_a_constraint),
        cmocka_unit_test(held_bodies_are_a_constraint),
        cmocka_unit_test(a_sliding_point_is_a_constraint),
        cmocka_unit_test(a_point_between_the_ends_is_a_constraint),
        cmocka_unit_test(a_point_that_slides_nowhere_is_a_constraint),
        cmocka_unit_test(a_sliding_body_is_a_constraint),
        cmocka_unit_test(a_stopper_is_a_constraint),
        cmocka_unit_test(values_of_zero_are_a_constraint),
        cmocka_unit_test(values_of_rest_at_once_are_a_constraint),
        cmocka_unit_test(pairs_are_as_far_apart_as_asked),
        cmocka_unit_test(what_is_beyond_the_shorter_list_is_left_out),
        cmocka_unit_test(bodies_are_turned_by_the_rotation_between_them),
        cmocka_unit_test(a_kept_difference_turns_with_no_body),
        cmocka_unit_test(held_points_are_measured_from_rest),
        cmocka_unit_test(held_bodies_are_measured_by_angles),
        cmocka_unit_test(a_point_slides_between_the_ends),
        cmocka_unit_test(a_point_that_cannot_slide_is_held),
        cmocka_unit_test(limits_of_a_stopper_are_those_of_its_field),
        cmocka_unit_test(values_are_solved_for_one_by_one_or_together),
        cmocka_unit_test(it_acts_until_its_end),
        cmocka_unit_test(the_key_a_turns_it_off_and_on),
        cmocka_unit_test(it_says_where_its_rows_begin),
        cmocka_unit_test(a_solution_begins_where_the_last_ended),
        cmocka_unit_test(a_saved_run_keeps_the_difference_it_began_with),
        cmocka_unit_test(pairs_go_with_their_points),
        cmocka_unit_test(pairs_of_one_state_go_with_their_points),
        cmocka_unit_test(held_points_go_with_their_mesh),
        cmocka_unit_test(single_points_go_with_their_mesh),
        cmocka_unit_test(a_reset_puts_points_back),
        cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(numbers_that_are_none_are_refused),
        cmocka_unit_test(mistakes_at_run_time_stop_the_step),
        cmocka_unit_test(old_scenes_call_them_by_other_names),
    };
    return cmocka_run_group_tests(tests, NULL, stop_plugins);
}
