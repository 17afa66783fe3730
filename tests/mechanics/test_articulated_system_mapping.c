/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * ArticulatedSystemMapping and the components that describe its joints: what every mapping owes, frames of arms by their angles, the way that
 * processes 1 and 2 remember, the first step of a pendulum, and mistakes.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <divan/contracts/drawing.h>
#include <divan/contracts/mapping.h>
#include <divan/math/rigid.h>
#include <divan/scene.h>

#include "drawing.h"
#include "mapping_conformance.h"
#include "scene_text.h"

#define JOINT(parent, child, more, articulations)                                                                \
    "<Node><ArticulationCenter parentIndex='" #parent "' childIndex='" #child "' " more "/><Node>" articulations \
    "</Node></Node>"
#define TURN(axis, index)  "<Articulation rotation='1' axis='" axis "' articulationIndex='" #index "'/>"
#define SHIFT(axis, index) "<Articulation translation='1' axis='" axis "' articulationIndex='" #index "'/>"
#define SCREW(axis, index) "<Articulation rotation='1' translation='1' axis='" axis "' articulationIndex='" #index "'/>"
#define BODY(numbers, frames, more, joints)                                                          \
    "<Node name='root' dt='0.01' gravity='0 -10 0'><DefaultAnimationLoop/><Node name='body'>" more   \
    "<MechanicalObject name='numbers' template='Vec1d' position='" numbers "'/>"                     \
    "<Node name='frames'><MechanicalObject name='frames' template='Rigid3d' position='" frames "'/>" \
    "<UniformMass vertexMass='2 1 [0.5 0 0 0 0.5 0 0 0 0.5]'/>"                                      \
    "<ArticulatedSystemMapping name='mapping' input1='@../numbers' output='@frames'/></Node>"        \
    "<ArticulatedHierarchyContainer name='joints'/>" joints "</Node></Node>"
#define TWO   "0 0 0 0 0 0 1  0 0 0 0 0 0 1"
#define THREE "0 0 0 0 0 0 1  0 0 0 0 0 0 1  0 0 0 0 0 0 1"

/* A tree of joints below a frame that moves, with joints of several articulations and a number that moves two of them. */
MAPPING_CONFORMANCE(
    a_tree_of_joints_is_a_mapping,
    .scene =
        "<Node name='root'><DefaultAnimationLoop/><Node name='body'>"
        "<MechanicalObject name='numbers' template='Vec1d' position='0.3 -0.2 0.5 0.1 0.7'/>"
        "<Node name='base'><MechanicalObject name='base' template='Rigid3d' position='9 9 9 0 0 0 1  1 2 3 0.5 0.5 0.5 0.5  8 8 8 0 0 0 1'/></Node>"
        "<Node name='frames'><MechanicalObject name='frames' template='Rigid3d' position='" THREE " " THREE "'/>"
        "<ArticulatedSystemMapping input1='@../numbers' input2='@../base/base' indexInput2='1' output='@frames'/></Node>"
        "<ArticulatedHierarchyContainer/>" JOINT(0, 1, "posOnParent='0.5 0.2 0' posOnChild='-1 0 0.3'",
                                                 TURN("0 0 2", 2) TURN("1 1 0", 0) SHIFT("0 1 0", 3))
            JOINT(1, 2, "posOnParent='1 0 0' posOnChild='0 -1 0'", SCREW("1 2 3", 1))
                JOINT(1, 4, "posOnParent='0 1 0'", SHIFT("1 0 1", 2) TURN("0 1 0", 4))
                    JOINT(4, 5, "posOnChild='0.1 0 0'", ) "</Node></Node>",
    .geometric_stiffness = GEOMETRIC_LEFT_OUT, .reason = "the mapping has none by definition")
MAPPING_CONFORMANCE(increments_of_the_parent_are_a_mapping,
                    .scene = BODY("0.3 -0.2", TWO, "",
                                  JOINT(0, 1, "posOnParent='0.5 0 0' posOnChild='-1 0.5 0' articulationProcess='1'",
                                        TURN("0 1 1", 0) SHIFT("1 0 0", 1))),
                    .geometric_stiffness = GEOMETRIC_LEFT_OUT, .reason = "the mapping has none by definition")
MAPPING_CONFORMANCE(increments_of_the_child_are_a_mapping,
                    .scene = BODY("0.3", TWO, "",
                                  JOINT(0, 1, "posOnParent='0.5 0 0' posOnChild='-1 0.5 0' articulationProcess='2'",
                                        TURN("0 1 1", 0))),
                    .geometric_stiffness = GEOMETRIC_LEFT_OUT, .reason = "the mapping has none by definition")

static DvRigid3 frame(const DvScene *scene, uint32_t index)
{
    return dv_rigid3_load(dv_state_read(scene_state(scene, "/body/frames/frames"), DV_POSITION).at + 7 * (size_t)index);
}

static void expect_frame(const DvScene *scene, uint32_t index, DvVec3 center, DvQuat orientation)
{
    const DvRigid3 found = frame(scene, index);
    const double turn = fabs(dv_quat_dot(found.orientation, orientation));
    if (!(dv_vec3_distance(found.center, center) < 1e-12) || !(fabs(turn - 1.0) < 1e-12))
        fail_msg("frame %u is at %g %g %g, turned %g %g %g %g", index, found.center.x, found.center.y, found.center.z,
                 found.orientation.x, found.orientation.y, found.orientation.z, found.orientation.w);
}

static DvQuat about(DvVec3 axis, double angle)
{
    return dv_quat_from_axis_angle(axis, angle);
}

static void step(DvScene *scene, int count)
{
    for (int i = 0; i < count; i++)
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
}

static void swallow(const DvMessage *message, void *context)
{
    (void)message, (void)context;
}

/* Gives the numbers, and lets the mapping compute frames. */
static void move_to(const DvScene *scene, double a, double b)
{
    DvObject *mapping = scene_object(scene, "/body/frames/mapping");
    const DvMappingOps *ops = dv_object_ops(mapping, DV_MAPPING);
    const DvVec x = dv_state_write(scene_state(scene, "/body/numbers"), DV_POSITION, DV_READ_WRITE);
    const DvVec out = dv_state_write(scene_state(scene, "/body/frames/frames"), DV_POSITION, DV_READ_WRITE);
    const DvConstVec in = dv_const(x);
    x.at[0] = a;
    x.at[1] = b;
    ops->apply(dv_object_self(mapping), &(DvStep){.position = DV_POSITION}, &in, &out);
}

/* Of an arm in a plane the angles add up, whatever the process. */
static void an_arm_in_a_plane_adds_angles(void **state)
{
    (void)state;
    static const char *const scenes[] = {
#define ARM(process)                                                                                   \
    BODY("0.4 0.7", THREE, "",                                                                         \
         JOINT(0, 1, "posOnChild='-1 0 0' articulationProcess='" process "'", TURN("0 0 3", 0)) JOINT( \
             1, 2, "posOnParent='1 0 0' posOnChild='-1 0 0' articulationProcess='" process "'", TURN("0 0 1", 1)))
        ARM("0"), ARM("1"), ARM("2")};
    for (int process = 0; process < 3; process++) {
        DvScene *scene = scene_from_text(scenes[process]);
        const double c1 = cos(0.4), s1 = sin(0.4), c2 = cos(1.1), s2 = sin(1.1);
        expect_frame(scene, 0, dv_vec3_zero(), dv_quat_identity());
        expect_frame(scene, 1, dv_vec3(c1, s1, 0), about(dv_vec3(0, 0, 1), 0.4));
        expect_frame(scene, 2, dv_vec3(2 * c1 + c2, 2 * s1 + s2, 0), about(dv_vec3(0, 0, 1), 1.1));
        move_to(scene, 0.9, -0.3); /* each joint goes on from where it is */
        expect_frame(scene, 1, dv_vec3(cos(0.9), sin(0.9), 0), about(dv_vec3(0, 0, 1), 0.9));
        expect_frame(scene, 2, dv_vec3(2 * cos(0.9) + cos(0.6), 2 * sin(0.9) + sin(0.6), 0),
                     about(dv_vec3(0, 0, 1), 0.6));
        dv_scene_free(scene);
    }
}

/* About two axes, first the one, then the other: each process takes the second axis from elsewhere. */
static void processes_take_axes_from_parent_or_child(void **state)
{
    (void)state;
#define BALL(process) \
    BODY("0 0", TWO, "", JOINT(0, 1, "articulationProcess='" process "'", TURN("1 0 0", 0) TURN("0 1 0", 1)))
    static const char *const scenes[] = {BALL("0"), BALL("1"), BALL("2")};
    const DvQuat first = about(dv_vec3(1, 0, 0), DV_PI / 2), of_parent = about(dv_vec3(0, 1, 0), DV_PI / 2),
                 of_child = about(dv_vec3(0, 0, 1), DV_PI / 2);
    const DvQuat expected[] = {dv_quat_mul(of_child, first), dv_quat_mul(of_parent, first),
                               dv_quat_mul(of_child, first)};
    /* The other way round the y axis comes first, of which the chain of process 0 knows nothing. */
    const DvQuat back[] = {dv_quat_mul(of_child, first), dv_quat_mul(first, of_parent),
                           dv_quat_mul(about(dv_vec3(0, 0, -1), DV_PI / 2), of_parent)};
    for (int process = 0; process < 3; process++) {
        DvScene *scene = scene_from_text(scenes[process]);
        move_to(scene, DV_PI / 2, 0);
        expect_frame(scene, 1, dv_vec3_zero(), first);
        move_to(scene, DV_PI / 2, DV_PI / 2);
        expect_frame(scene, 1, dv_vec3_zero(), expected[process]);
        dv_scene_free(scene);
        scene = scene_from_text(scenes[process]);
        move_to(scene, 0, DV_PI / 2);
        move_to(scene, DV_PI / 2, DV_PI / 2);
        expect_frame(scene, 1, dv_vec3_zero(), back[process]);
        dv_scene_free(scene);
    }
}

/* A shift along an axis that a turn before it has turned (0), of the parent (1), of the child as it was (2). */
static void shifts_go_along_turned_axes(void **state)
{
    (void)state;
#define SLIDER(process)  \
    BODY("0 0", TWO, "", \
         JOINT(0, 1, "posOnParent='0 0 2' articulationProcess='" process "'", TURN("0 0 1", 0) SHIFT("1 0 0", 1)))
    static const char *const scenes[] = {SLIDER("0"), SLIDER("1"), SLIDER("2")};
    const DvVec3 along[] = {{0, 3, 2}, {3, 0, 2}, {0, 3, 2}}, shown[] = {{0, 0, 2}, {3, 0, 2}, {0, 0, 2}};
    for (int process = 0; process < 3; process++) {
        DvScene *scene = scene_from_text(scenes[process]);
        move_to(scene, DV_PI / 2, 0);
        move_to(scene, DV_PI / 2, 3);
        expect_frame(scene, 1, along[process], about(dv_vec3(0, 0, 1), DV_PI / 2));
        DvObject *center = dv_node_find(dv_scene_root(scene), "mechanics.articulation-center/1", DV_SEARCH_DOWN);
        const double *at = dv_data_doubles(dv_object_field(center, "globalPosition"), NULL);
        assert_true(dv_vec3_distance(dv_vec3_load(at), shown[process]) < 1e-12);
        dv_scene_free(scene);
    }
}

/* The first step of a pendulum from rest: its only stiffness is none, so v = dt torque / inertia. */
static void a_pendulum_falls_by_its_inertia_about_the_joint(void **state)
{
    (void)state;
    static const char *const solvers[] = {"<CGLinearSolver iterations='20' tolerance='1e-15' threshold='1e-30'/>",
                                          "<SparseLDLSolver/>"};
    for (int i = 0; i < 2; i++) {
        DvText text = {0};
        dv_text_add(
            &text, "%s%s%s",
            "<Node name='root' dt='0.01' gravity='0 -10 0'><DefaultAnimationLoop/><Node name='body'>"
            "<EulerImplicitSolver rayleighStiffness='0' rayleighMass='0'/>",
            solvers[i],
            "<MechanicalObject name='numbers' template='Vec1d' position='0'/>"
            "<Node name='frames'><MechanicalObject name='frames' template='Rigid3d' position='" TWO "'/>"
            "<UniformMass vertexMass='2 1 [0.5 0 0 0 0.5 0 0 0 0.5]'/>"
            "<ArticulatedSystemMapping input1='@../numbers' output='@frames'/></Node>"
            "<ArticulatedHierarchyContainer/>" JOINT(0, 1, "posOnChild='-3 0 0'", TURN("0 0 1", 0)) "</Node></Node>");
        DvScene *scene = scene_from_text(text.at);
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
        const double inertia = 2.0 * 9.0 + 2.0 * 0.5, torque = -2.0 * 10.0 * 3.0, speed = 0.01 * torque / inertia;
        const double *v = dv_state_read(scene_state(scene, "/body/numbers"), DV_VELOCITY).at;
        assert_true(fabs(v[0] / speed - 1.0) < 1e-12);
        const double *of_frame = dv_state_read(scene_state(scene, "/body/frames/frames"), DV_VELOCITY).at + 6;
        const double angle = 0.01 * speed;
        assert_true(fabs(of_frame[0] + 3.0 * sin(angle) * speed) < 1e-12);
        assert_true(fabs(of_frame[1] - 3.0 * cos(angle) * speed) < 1e-12 && of_frame[5] == v[0]);
        dv_scene_free(scene);
        dv_text_free(&text);
    }
}

/* What processes 1 and 2 have gathered is forgotten by a reset, and kept by a file that was saved. */
static void the_way_is_forgotten_by_a_reset_and_kept_by_a_file(void **state)
{
    (void)state;
    enum { HALF = 5 };
    static const char file[] = "articulated.saved.scn";
    DvScene *scene = scene_from_text(BODY(
        "0.2 0.1", TWO, "<EulerImplicitSolver/><CGLinearSolver iterations='9' tolerance='1e-12' threshold='1e-20'/>",
        JOINT(0, 1, "posOnChild='-1 0 0.5' articulationProcess='2'", TURN("0 0 1", 0) TURN("0 1 0", 1))));
    double after[3][7]; /* both halves: at once, after a reset, of the saved file */
    step(scene, HALF);
    assert_int_equal(dv_scene_save(scene, file), DV_OK);
    step(scene, HALF);
    dv_rigid3_store(frame(scene, 1), after[0]);
    dv_scene_reset(scene);
    step(scene, 2 * HALF);
    dv_rigid3_store(frame(scene, 1), after[1]);
    dv_scene_free(scene);
    assert_int_equal(dv_scene_load(file, NULL, &scene), DV_OK);
    remove(file);
    step(scene, HALF);
    dv_rigid3_store(frame(scene, 1), after[2]);
    dv_scene_free(scene);
    assert_memory_equal(after[0], after[1], sizeof after[0]);
    assert_memory_equal(after[0], after[2], sizeof after[0]);
}

/* Rest positions too, if that is asked for. */
static void rest_positions_are_computed_if_asked_for(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node name='root'><DefaultAnimationLoop/><Node name='body'><MechanicalObject name='numbers' template='Vec1d' position='0.5' rest_position='0.25'/>"
        "<Node name='frames'><MechanicalObject name='frames' template='Rigid3d' position='" TWO "'/>"
        "<ArticulatedSystemMapping applyRestPosition='1' input1='@../numbers' output='@frames'/></Node>"
        "<ArticulatedHierarchyContainer/>" JOINT(0, 1, "posOnChild='-1 0 0' articulationProcess='1'",
                                                 TURN("0 0 1", 0)) "</Node></Node>");
    const double *rest = dv_state_read(scene_state(scene, "/body/frames/frames"), DV_REST_POSITION).at + 7;
    assert_true(fabs(rest[0] - cos(0.25)) < 1e-12 && fabs(rest[1] - sin(0.25)) < 1e-12);
    expect_frame(scene, 1, dv_vec3(cos(0.5), sin(0.5), 0), about(dv_vec3(0, 0, 1), 0.5));
    dv_scene_free(scene);
}

/* An edit of a joint acts at the next look; one that makes no sense stops the mapping with a message. */
static void an_edited_joint_moves(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        BODY("0.5 0", TWO, "",
             JOINT(0, 1, "name='hinge' posOnChild='-1 0 0'", "<Articulation name='turn' rotation='1' axis='0 0 1'/>")));
    DvObject *center = dv_node_find(dv_scene_root(scene), "mechanics.articulation-center/1", DV_SEARCH_DOWN);
    DvObject *turn = dv_node_find(dv_scene_root(scene), "mechanics.articulation/1", DV_SEARCH_DOWN);
    assert_int_equal(dv_data_set_text(dv_object_field(center, "posOnChild"), "-2 0 0"), DV_OK);
    assert_int_equal(dv_data_set_text(dv_object_field(turn, "axis"), "0 0 -4"), DV_OK);
    move_to(scene, 0.5, 0);
    expect_frame(scene, 1, dv_vec3(2 * cos(0.5), -2 * sin(0.5), 0), about(dv_vec3(0, 0, -1), 0.5));
    assert_int_equal(dv_data_set_text(dv_object_field(turn, "articulationIndex"), "1"), DV_OK);
    move_to(scene, 0.5, 0.25);
    expect_frame(scene, 1, dv_vec3(2 * cos(0.25), -2 * sin(0.25), 0), about(dv_vec3(0, 0, -1), 0.25));
    const DvMappingOps *ops = dv_object_ops(scene_object(scene, "/body/frames/mapping"), DV_MAPPING);
    const DvJacobian *j = ops->jacobian(dv_object_self(scene_object(scene, "/body/frames/mapping")), 0, 0);
    assert_int_equal(j->row_start[2], 1);
    assert_int_equal(j->columns[0], 1);
    dv_log_set_handler(swallow, NULL);
    assert_int_equal(dv_data_set_text(dv_object_field(turn, "articulationIndex"), "7"), DV_OK);
    move_to(scene, 0.5, 0.5);
    dv_log_set_handler(NULL, NULL);
    assert_false(dv_object_is_valid(scene_object(scene, "/body/frames/mapping")));
    expect_frame(scene, 1, dv_vec3(2 * cos(0.25), -2 * sin(0.25), 0), about(dv_vec3(0, 0, -1), 0.25));
    dv_scene_free(scene);
}

/* One that is edited as users do moves its frames at once, and what is not moved any more is where it was. */
static void an_edit_moves_frames_at_once(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        BODY("2 3", THREE, "", JOINT(0, 1, "", "<Articulation name='slide' translation='1' axis='1 0 0'/>")));
    DvObject *center = dv_node_find(dv_scene_root(scene), "mechanics.articulation-center/1", DV_SEARCH_DOWN);
    DvObject *slide = dv_node_find(dv_scene_root(scene), "mechanics.articulation/1", DV_SEARCH_DOWN);
    expect_frame(scene, 1, dv_vec3(2, 0, 0), dv_quat_identity());
    assert_int_equal(dv_data_set_text(dv_object_field(slide, "articulationIndex"), "1"), DV_OK);
    assert_int_equal(dv_object_reinit(slide), DV_OK);
    expect_frame(scene, 1, dv_vec3(3, 0, 0), dv_quat_identity());
    assert_int_equal(dv_data_set_text(dv_object_field(center, "childIndex"), "2"), DV_OK);
    assert_int_equal(dv_object_reinit(center), DV_OK);
    expect_frame(scene, 1, dv_vec3_zero(), dv_quat_identity());
    expect_frame(scene, 2, dv_vec3(3, 0, 0), dv_quat_identity());
    dv_scene_free(scene);
}

/* Nothing hangs on anything then: frames stay, and the matrix has no entry of theirs. */
static void without_joints_frames_stay(void **state)
{
    (void)state;
    dv_log_set_handler(swallow, NULL);
    DvScene *scene = scene_from_text(
        BODY("2", TWO, "<EulerImplicitSolver/><CGLinearSolver iterations='9' tolerance='1e-9' threshold='1e-20'/>", ));
    step(scene, 2);
    dv_log_set_handler(NULL, NULL);
    DvObject *mapping = scene_object(scene, "/body/frames/mapping");
    const DvMappingOps *ops = dv_object_ops(mapping, DV_MAPPING);
    assert_int_equal(ops->jacobian(dv_object_self(mapping), 0, 0)->row_start[2], 0);
    expect_frame(scene, 1, dv_vec3_zero(), dv_quat_identity());
    dv_scene_free(scene);
}

/* Without one of its parts the mapping waits, and says so; a joint outlives its mapping. */
static void parts_may_leave(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        BODY("2 3", TWO, "<EulerExplicitSolver/>", JOINT(0, 1, "", "<Articulation translation='1' axis='1 0 0'/>")));
    DvObject *center = dv_node_find(dv_scene_root(scene), "mechanics.articulation-center/1", DV_SEARCH_DOWN);
    DvObject *slide = dv_node_find(dv_scene_root(scene), "mechanics.articulation/1", DV_SEARCH_DOWN);
    DvObject *mapping = scene_object(scene, "/body/frames/mapping");
    dv_log_set_handler(swallow, NULL);
    dv_object_remove(slide);
    step(scene, 1);
    assert_false(dv_object_is_valid(mapping));
    dv_object_remove(mapping);
    assert_int_equal(dv_object_reinit(center), DV_OK);
    step(scene, 1);
    dv_log_set_handler(NULL, NULL);
    dv_scene_free(scene);
}

typedef struct Expected {
    DrawnKind kind;
    const double *points;
    size_t numbers, found;
} Expected;

static void compare_batch(void *context, const DrawnBatch *batch)
{
    Expected *expected = context;
    if (batch->kind != expected->kind)
        return;
    expected->found++;
    assert_int_equal(batch->numbers, expected->numbers);
    for (size_t i = 0; i < batch->numbers; i++)
        if (!(fabs(batch->points[i] - expected->points[i]) < 1e-12))
            fail_msg("number %zu that is drawn is %g instead of %g", i, batch->points[i], expected->points[i]);
}

/* One batch of the kind, with these points; nothing without the flag. */
static void expect_drawn(DvObject *object, DrawnKind kind, const double *points, size_t numbers)
{
    Expected expected = {.kind = kind, .points = points, .numbers = numbers};
    DrawRecorder recorder = draw_recorder(1u << DV_DISPLAY_MECHANICAL_MAPPINGS, compare_batch, &expected);
    record_drawing_of(&recorder, object);
    assert_int_equal(expected.found, 1);
    recorder = draw_recorder(~(1u << DV_DISPLAY_MECHANICAL_MAPPINGS), compare_batch, &expected);
    record_drawing_of(&recorder, object);
    assert_int_equal(recorder.calls, 0);
}

/* What a joint and its axes draw: bones to both frames, an axis through the joint, half as long as the bones. */
static void joints_are_drawn_where_they_are(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(BODY(
        "0.5 0", TWO, "", JOINT(0, 1, "posOnParent='0 3 0' posOnChild='-1 0 0'", TURN("0 0 1", 0) SHIFT("0 1 0", 1))));
    DvObject *center = dv_node_find(dv_scene_root(scene), "mechanics.articulation-center/1", DV_SEARCH_DOWN);
    const DvNode *axes = dv_node_child(dv_object_node(center), 0);
    const double c = cos(0.5), s = sin(0.5);
    const double bones[12] = {0, 3, 0, 0, 0, 0, 0, 3, 0, c, 3 + s, 0}, hinge[6] = {0, 3, -1, 0, 3, 1},
                 slide[6] = {s, 3 - c, 0, -s, 3 + c, 0};
    expect_drawn(center, DRAWN_LINES, bones, 12);
    expect_drawn(center, DRAWN_POINTS, bones, 3);
    expect_drawn(dv_node_member(axes, 0), DRAWN_LINES, hinge, 6);
    expect_drawn(dv_node_member(axes, 1), DRAWN_ARROWS, slide, 6);
    dv_scene_free(scene);
    /* Frames and joint in one place have no length: the axis is one unit long. */
    scene = scene_from_text(BODY("0.5", TWO, "", JOINT(0, 1, "", TURN("0 0 1", 0))));
    center = dv_node_find(dv_scene_root(scene), "mechanics.articulation-center/1", DV_SEARCH_DOWN);
    const double unit[6] = {0, 0, -0.5, 0, 0, 0.5};
    expect_drawn(dv_node_member(dv_node_child(dv_object_node(center), 0), 0), DRAWN_LINES, unit, 6);
    dv_scene_free(scene);
}

/* A body of captured motion: two joints, channels in the order of the file; frame 0 is the ground. */
static const char walk[] = "HIERARCHY\nROOT hips\n{\n  OFFSET 0 1 0\n"
                           "  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n"
                           "  JOINT left.knee\n  {\n    OFFSET 1 -2 0.5\n    CHANNELS 1 Xrotation\n"
                           "    End Site\n    {\n      OFFSET 0 -3 0\n    }\n  }\n}\n"
                           "MOTION\nFrames: 2\nFrame Time: 0.05\n1 2 3 10 20 30 40\n-1 -2 -3 -10 -20 -30 -40\n";

static void write_file(const char *name, const char *text, size_t length)
{
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

#define WALKER                                                                                                            \
    "<Node name='root'><DefaultAnimationLoop/><Node name='body'><MechanicalObject name='numbers' template='Vec1d'/>"      \
    "<ArticulatedHierarchyContainer name='joints' filename='walk.bvh'/><Node name='frames'>"                              \
    "<MechanicalObject name='frames' template='Rigid3d'/><ArticulatedSystemMapping name='mapping' input1='@../numbers'/>" \
    "</Node></Node></Node>"

static void captured_motion_makes_joints(void **state)
{
    (void)state;
    static const double numbers[] = {1, 2, 3, 0.1, 0.2, 0.3, 0.4};
    write_file("walk.bvh", walk, strlen(walk));
    DvScene *scene = scene_from_text(WALKER);
    assert_int_equal(dv_state_count(scene_state(scene, "/body/numbers")), 7);
    assert_int_equal(dv_state_count(scene_state(scene, "/body/frames/frames")), 3);
    const DvVec x = dv_state_write(scene_state(scene, "/body/numbers"), DV_POSITION, DV_READ_WRITE);
    memcpy(x.at, numbers, sizeof numbers);
    move_to(scene, 1, 2);
    const DvQuat hips = dv_quat_mul(dv_quat_mul(about(dv_vec3(0, 0, 1), 0.1), about(dv_vec3(1, 0, 0), 0.2)),
                                    about(dv_vec3(0, 1, 0), 0.3));
    expect_frame(scene, 0, dv_vec3_zero(), dv_quat_identity());
    expect_frame(scene, 1, dv_vec3(1, 3, 3), hips);
    expect_frame(scene, 2, dv_vec3_add(dv_vec3(1, 3, 3), dv_quat_rotate(hips, dv_vec3(1, -2, 0.5))),
                 dv_quat_mul(hips, about(dv_vec3(1, 0, 0), 0.4)));
    DvObject *turn = dv_node_find(dv_object_as_node(scene_object(scene, "/body/leftknee/articulations")),
                                  "mechanics.articulation/1", DV_SEARCH_LOCAL);
    size_t frames;
    const double *motion = dv_data_doubles(dv_object_field(turn, "motion"), &frames);
    assert_int_equal(frames, 2);
    assert_true(motion[0] == 40 && motion[1] == -40);
    /* What was made of the file is not saved besides. */
    assert_int_equal(dv_scene_save(scene, "walk.saved.scn"), DV_OK);
    dv_scene_free(scene);
    assert_int_equal(dv_scene_load("walk.saved.scn", NULL, &scene), DV_OK);
    expect_frame(scene, 1, dv_vec3(1, 3, 3), hips);
    assert_int_equal(dv_node_find_all(dv_scene_root(scene), "mechanics.articulation-center/1", DV_SEARCH_DOWN, NULL, 0),
                     2);
    dv_scene_free(scene);
    (void)remove("walk.saved.scn");
    (void)remove("walk.bvh");
}

/* A file that ends anywhere, or has another word anywhere, is refused with the line. */
static void broken_motion_is_refused_by_line(void **state)
{
    (void)state;
    for (size_t length = 0; length + 3 < strlen(walk); length += 7) {
        write_file("walk.bvh", walk, length);
        expect_load_error(WALKER, "ArticulatedHierarchyContainer 'joints': filename: line ");
    }
    static const struct {
        const char *of, *other, *says;
    } changes[] = {
        {"OFFSET 0 1 0", "OFFSET 0 x 0", "line 4: 'x' where a number was expected"},
        {"CHANNELS 6", "CHANNELS 7", "line 5: '7' where a count was expected"},
        {"Yposition", "Wposition", "line 5: 'Wposition' where a channel (Xposition to Zrotation) was expected"},
        {"JOINT left", "JOIN left", "line 6: 'JOIN' where CHANNELS, JOINT, End Site or } was expected"},
        {"End Site", "End Seat", "line 10: 'Seat' where Site was expected"},
        {"Frames: 2", "Frames: 3", "line 21: the file ends where a number was expected"},
    };
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        const char *at = strstr(walk, changes[i].of);
        DvText text = {0};
        dv_text_add(&text, "%.*s%s%s", (int)(at - walk), walk, changes[i].other, at + strlen(changes[i].of));
        write_file("walk.bvh", text.at, text.length);
        expect_load_error(WALKER, changes[i].says);
        dv_text_free(&text);
    }
    (void)remove("walk.bvh");
    expect_load_error(WALKER, "filename: ");
    write_file("walk.bvh", walk, strlen(walk));
    expect_load_error("<Node><ArticulatedHierarchyContainer filename='walk.bvh'/></Node>",
                      "the joints of a file need a MechanicalObject of Vec1d in its node");
    expect_load_error(
        "<Node><MechanicalObject template='Vec1d'/><ArticulatedHierarchyContainer filename='walk.bvh'/></Node>",
        "the joints of a file need a MechanicalObject of Rigid3d in the first child node");
    (void)remove("walk.bvh");
}

static void mistakes_are_named(void **state)
{
    (void)state;
    expect_load_error(BODY("0", TWO, "", JOINT(0, 5, "", TURN("0 0 1", 0))),
                      "childIndex: 5: '/body/frames/frames' has 2 frames, 0 to 1");
    expect_load_error(BODY("0", TWO, "", JOINT(0, 1, "", TURN("0 0 1", 3))),
                      "articulationIndex: 3: '/body/numbers' has 1 numbers, 0 to 0");
    expect_load_error(BODY("0", TWO, "", JOINT(1, 1, "", TURN("0 0 1", 0))), "a frame cannot hang on itself");
    expect_load_error(BODY("0", TWO, "", JOINT(0, 1, "", TURN("0 0 0", 0))), "axis: has no direction");
    expect_load_error(BODY("0", TWO, "", JOINT(0, 1, "", TURN("0 0 1", 0)) JOINT(0, 1, "", TURN("0 0 1", 0))),
                      "childIndex: 1 is moved by");
    expect_load_error(BODY("0 0", THREE, "", JOINT(1, 2, "", TURN("0 0 1", 0)) JOINT(0, 1, "", TURN("0 0 1", 1))),
                      "parentIndex: 1 is moved by '/body/");
    expect_load_error(BODY("0", TWO, "", JOINT(0, 1, "articulationProcess='3'", TURN("0 0 1", 0))),
                      "articulationProcess");
    expect_load_error("<Node><MechanicalObject name='numbers' template='Vec1d' position='0'/>"
                      "<Node><MechanicalObject template='Rigid3d' position='" TWO
                      "'/><ArticulatedSystemMapping/></Node></Node>",
                      "input1 is not given");
    expect_load_error("<Node><MechanicalObject name='numbers' template='Vec1d' position='0'/><Node>"
                      "<MechanicalObject template='Rigid3d' position='" TWO
                      "'/><ArticulatedSystemMapping input1='@../numbers'/></Node></Node>",
                      "no ArticulatedHierarchyContainer in the node of '/numbers' or below");
    expect_load_error("<Node><MechanicalObject name='numbers' template='Vec3d' position='0 0 0'/><Node>"
                      "<MechanicalObject template='Rigid3d' position='" TWO
                      "'/><ArticulatedSystemMapping input1='@../numbers'/></Node></Node>",
                      "input1 '/numbers' holds Vec3d; it takes a state of Vec1d");
    expect_load_error("<Node><MechanicalObject name='numbers' template='Vec1d' position='0'/>"
                      "<Node name='base'><MechanicalObject name='base' template='Rigid3d' position='" TWO
                      "'/></Node><Node>"
                      "<MechanicalObject template='Rigid3d' position='" TWO "'/>"
                      "<ArticulatedSystemMapping input1='@../numbers' input2='@/base/base'/></Node>"
                      "<ArticulatedHierarchyContainer/>" JOINT(1, 0, "", TURN("0 0 1", 0)) "</Node>",
                      "childIndex: 0 is the frame of input2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tree_of_joints_is_a_mapping),
        cmocka_unit_test(increments_of_the_parent_are_a_mapping),
        cmocka_unit_test(increments_of_the_child_are_a_mapping),
        cmocka_unit_test(an_arm_in_a_plane_adds_angles),
        cmocka_unit_test(processes_take_axes_from_parent_or_child),
        cmocka_unit_test(shifts_go_along_turned_axes),
        cmocka_unit_test(a_pendulum_falls_by_its_inertia_about_the_joint),
        cmocka_unit_test(the_way_is_forgotten_by_a_reset_and_kept_by_a_file),
        cmocka_unit_test(rest_positions_are_computed_if_asked_for),
        cmocka_unit_test(an_edited_joint_moves),
        cmocka_unit_test(an_edit_moves_frames_at_once),
        cmocka_unit_test(without_joints_frames_stay),
        cmocka_unit_test(parts_may_leave),
        cmocka_unit_test(joints_are_drawn_where_they_are),
        cmocka_unit_test(captured_motion_makes_joints),
        cmocka_unit_test(broken_motion_is_refused_by_line),
        cmocka_unit_test(mistakes_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, stop_plugins);
}
