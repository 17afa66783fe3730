/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * MechanicalObject: how it is filled at the start, transformed and reset, its vectors and their arithmetic, what follows a
 * topology that changes, and what it draws.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <divan/build.h>
#include <divan/contracts/topology.h>
#include <divan/math/rigid.h>
#include <divan/parallel.h>

#include "drawing.h"
#include "scene_text.h"

#define STATE(attributes) "<Node name='root'><MechanicalObject name='dofs' " attributes "/></Node>"

static DvStateRef dofs(DvScene *scene)
{
    return scene_state(scene, "/dofs");
}

static void assert_vector(DvScene *scene, DvVecId id, size_t count, const double *expected)
{
    const DvConstVec v = dv_state_read(dofs(scene), id);
    assert_int_equal((size_t)v.count * v.dim, count);
    for (size_t i = 0; i < count; i++)
        if (!(fabs(v.at[i] - expected[i]) < 1e-15))
            fail_msg("component %zu of vector %u is %.17g instead of %.17g", i, id, v.at[i], expected[i]);
}

#define ASSERT_VECTOR(scene, id, ...) \
    assert_vector(scene, id, sizeof((double[]){__VA_ARGS__}) / sizeof(double), (double[]){__VA_ARGS__})

static void collect(const DvMessage *message, void *context)
{
    dv_message_print(message, context);
    dv_text_add(context, "\n");
}

/* The scene loads, or not, but says this. */
static void expect_message(const char *text, const char *part)
{
    DvText messages = {0};
    DvScene *scene = NULL;
    dv_scene_free(scene_from_text("<Node name='root'/>")); /* plugins are started */
    dv_log_set_handler(collect, &messages);
    const DvStatus status = dv_scene_load_text(text, strlen(text), "scene.scn", NULL, NULL, &scene);
    dv_log_set_handler(NULL, NULL);
    if (!messages.at || !strstr(messages.at, part))
        fail_msg("%s; expected\n  %s\nbut got\n%s", dv_status_name(status), part,
                 messages.at ? messages.at : "nothing");
    dv_text_free(&messages);
    dv_scene_free(scene);
}

/* ---- How it is filled ---- */

static void a_state_of_nothing_is_one_point_at_the_origin(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(STATE(""));
    assert_ptr_equal(dofs(scene).dof, &dv_vec3d);
    ASSERT_VECTOR(scene, DV_POSITION, 0, 0, 0);
    ASSERT_VECTOR(scene, DV_REST_POSITION, 0, 0, 0);
    ASSERT_VECTOR(scene, DV_VELOCITY, 0, 0, 0);
    dv_scene_free(scene);
    scene = scene_from_text(STATE("template='Rigid3d'"));
    ASSERT_VECTOR(scene, DV_POSITION, 0, 0, 0, 0, 0, 0, 1);
    dv_scene_free(scene);
}

static void all_vectors_get_the_length_of_the_longest(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(STATE("template='Vec2d' position='1 2 3 4' velocity='5 6'"));
    ASSERT_VECTOR(scene, DV_VELOCITY, 5, 6, 0, 0);
    ASSERT_VECTOR(scene, DV_FORCE, 0, 0, 0, 0);
    dv_scene_free(scene);
    scene = scene_from_text(STATE("template='Vec1d' rest_position='1 2 3'")); /* positions are not taken from it */
    ASSERT_VECTOR(scene, DV_POSITION, 0, 0, 0);
    ASSERT_VECTOR(scene, DV_REST_POSITION, 1, 2, 3);
    dv_scene_free(scene);
    scene = scene_from_text(STATE("template='Rigid3d' size='2'"));
    ASSERT_VECTOR(scene, DV_POSITION, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1);
    dv_scene_free(scene);
    scene = scene_from_text(STATE("position=''"));
    assert_int_equal(dv_state_count(dofs(scene)), 0);
    assert_non_null(dv_state_read(dofs(scene), DV_POSITION).at);
    dv_scene_free(scene);
}

#define GRID "<RegularGridTopology name='grid' n='2 2 1' min='0 0 0' max='1 3 0'/>"

static void points_come_from_the_first_topology_of_the_node(void **state)
{
    (void)state;
    DvScene *scene =
        scene_from_text("<Node name='root'>" GRID "<EdgeSetTopologyContainer position='9 9 9' edges='0 0'/>"
                        "<MechanicalObject name='dofs' position='7 7 7' velocity='1 2 3'/></Node>");
    ASSERT_VECTOR(scene, DV_POSITION, 0, 0, 0, 1, 0, 0, 0, 3, 0, 1, 3, 0);
    ASSERT_VECTOR(scene, DV_VELOCITY, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3);
    dv_scene_free(scene);
    scene = scene_from_text("<Node name='root'>" GRID "<MechanicalObject name='dofs' template='Rigid3d'/></Node>");
    const DvConstVec x = dv_state_read(dofs(scene), DV_POSITION);
    assert_int_equal(x.count, 4);
    assert_true(x.at[21] == 1.0 && x.at[22] == 3.0 && x.at[27] == 1.0);
    dv_scene_free(scene);
    scene = scene_from_text("<Node name='root'>" GRID "<MechanicalObject name='dofs' useTopology='0'/></Node>");
    ASSERT_VECTOR(scene, DV_POSITION, 0, 0, 0);
    dv_scene_free(scene);
    scene = scene_from_text("<Node name='root'>" GRID
                            "<Node name='Child'><MechanicalObject name='dofs' topology='@../grid'/></Node></Node>");
    assert_int_equal(dv_state_count(scene_state(scene, "/Child/dofs")), 4);
    dv_scene_free(scene);
    scene = scene_from_text("<Node name='root'>" GRID "<MechanicalObject name='dofs' position='1 1 1 2 2 2'/></Node>");
    ASSERT_VECTOR(scene, DV_POSITION, 1, 1, 1, 2, 2, 2); /* it has points of its own */
    dv_scene_free(scene);
}

static void others_see_the_points_before_the_state_is_initialised(void **state)
{
    (void)state;
    /* The mass of the root comes first, and reads the state of the child. */
    DvScene *scene = scene_from_text(
        "<Node name='root'><Node name='Child'><MechanicalObject name='dofs' position='1 1 1 2 2 2'/></Node>"
        "<UniformMass name='mass' mstate='@Child/dofs' vertexMass='2'/></Node>");
    assert_true(dv_data_double(dv_object_field(scene_object(scene, "/mass"), "totalMass")) == 4.0);
    assert_int_equal(dv_state_count(scene_state(scene, "/Child/dofs")), 2);
    dv_scene_free(scene);
}

/* ---- Transformations ---- */

static void positions_are_scaled_then_rotated_then_translated(void **state)
{
    (void)state;
    DvScene *scene =
        scene_from_text(STATE("position='1 2 3' scale3d='2 3 4' rotation='0 0 90' translation='10 20 30'"));
    ASSERT_VECTOR(scene, DV_POSITION, 10 - 6, 20 + 2, 30 + 12);
    ASSERT_VECTOR(scene, DV_REST_POSITION, 10 - 6, 20 + 2, 30 + 12);
    dv_scene_free(scene);
    scene = scene_from_text(STATE("template='Rigid3d' position='1 2 3 0 0 0 1' scale3d='2 2 2' rotation='90 0 0'"));
    const double h = sqrt(0.5);
    ASSERT_VECTOR(scene, DV_POSITION, 2, -6, 4, h, 0, 0, h);
    dv_scene_free(scene);
    scene = scene_from_text(STATE("template='Rigid3d' position='5 0 0 0 0 0 1  1 2 3 0 0 0.70710678118654757 "
                                  "0.70710678118654757' rotation='90 0 0'"));
    ASSERT_VECTOR(scene, DV_POSITION, 5, 0, 0, h, 0, 0, h, 1, -3, 2, 0.5, -0.5, 0.5, 0.5);
    dv_scene_free(scene);
    /* What a line or a plane has not is zero: points that are turned out of it fall onto it. */
    scene = scene_from_text(STATE("template='Vec2d' position='3 2' rotation='90 0 0'"));
    ASSERT_VECTOR(scene, DV_POSITION, 3, 0);
    dv_scene_free(scene);
    scene = scene_from_text(STATE("template='Vec1d' position='3' rotation='0 0 90'"));
    ASSERT_VECTOR(scene, DV_POSITION, 0);
    dv_scene_free(scene);
    scene = scene_from_text(STATE("template='Vec1d' position='3' rotation='0 90 0'"));
    ASSERT_VECTOR(scene, DV_POSITION, 0);
    dv_scene_free(scene);
    scene = scene_from_text(STATE("template='Rigid2d' position='1 2 3' scale3d='2 3 4' rotation='0 0 90'"));
    ASSERT_VECTOR(scene, DV_POSITION, -6, 2, 12); /* the angle is scaled, not turned */
    dv_scene_free(scene);
    scene = scene_from_text(STATE("template='Vec6d' position='1 2 3 4 5 6' translation='1 1 1'"));
    ASSERT_VECTOR(scene, DV_POSITION, 2, 3, 4, 4, 5, 6);
    dv_scene_free(scene);
    scene = scene_from_text(STATE("template='Vec1d' position='2' translation='1 5 5' scale3d='3 1 1'"));
    ASSERT_VECTOR(scene, DV_POSITION, 7);
    dv_scene_free(scene);
}

static void rest_positions_are_copied_between_the_transformations(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        STATE("position='1 2 3' translation='1 0 0' translation2='0 5 0' rotation2='0 0 90' restScale='2'"));
    ASSERT_VECTOR(scene, DV_REST_POSITION, 4, 4, 6);
    ASSERT_VECTOR(scene, DV_POSITION, -2, 2 + 5, 3);
    dv_scene_free(scene);
    scene = scene_from_text(STATE("position='1 2 3' rest_position='9 9 9' translation='1 0 0'"));
    ASSERT_VECTOR(scene, DV_REST_POSITION, 9, 9, 9); /* one that is given stays */
    dv_scene_free(scene);
    scene = scene_from_text(STATE("template='Rigid3d' position='1 2 3 0 0 0 1' restScale='2'"));
    ASSERT_VECTOR(scene, DV_REST_POSITION, 2, 4, 6, 0, 0, 0, 1);
    dv_scene_free(scene);
}

static void short_attributes_are_single_precision(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(STATE("position='1 1 1' scale='2' dx='0.1' dz2='0.3'"));
    ASSERT_VECTOR(scene, DV_POSITION, 2 + (double)0.1f, 2, 2 + (double)0.3f);
    ASSERT_VECTOR(scene, DV_REST_POSITION, 2 + (double)0.1f, 2, 2);
    dv_scene_free(scene);
    scene = scene_from_text(STATE("position='1 1 1' sy='3'")); /* the others count as 1 */
    ASSERT_VECTOR(scene, DV_POSITION, 1, 3, 1);
    dv_scene_free(scene);
    scene = scene_from_text(STATE("position='1 0 0' rz='90'"));
    const DvConstVec x = dv_state_read(dofs(scene), DV_POSITION);
    assert_true(fabs(x.at[0]) < 1e-15 && fabs(x.at[1] - 1.0) < 1e-15);
    dv_scene_free(scene);
}

static void mistakes_are_named(void **state)
{
    (void)state;
    expect_load_error("<Node name='root'>\n<MechanicalObject name='dofs' size='2000000000'/></Node>",
                      "MechanicalObject 'dofs': size: 2000000000 points are more than the 20000000 a state may have");
    expect_message("<Node name='root'>\n<MechanicalObject name='dofs' dx='1m'/></Node>",
                   "scene.scn:2: MechanicalObject 'dofs': attribute 'dx' must be one number, not \"1m\"; 0 is used");
    expect_message("<Node name='root'>\n<MechanicalObject name='dofs' size='-3'/></Node>",
                   "size: -3 points are too few");
    expect_message(
        "<Node name='root'>\n<MechanicalObject name='dofs' position='1 1 1 2 2 2 3 3 3' velocity='1 1 1 2 2 2'/></Node>",
        "velocity: 2 entries where other fields have 3; the missing ones are taken as zero");
}

/* Of an attribute that stands nowhere, as code makes them, the place is that of its object. */
static void mistakes_in_made_attributes_have_the_place_of_their_object(void **state)
{
    (void)state;
    for (int line = 0; line < 2; line++) {
        DvScene *scene = scene_from_text("<Node name='root'/>");
        DvText messages = {0};
        DvAttributes *attributes = dv_attributes_new();
        dv_attributes_add(attributes, "dx", "1m", line ? 12 : 0, 0);
        DvObject *made;
        dv_log_set_handler(collect, &messages);
        const DvPlace place = {dv_intern("made.scn"), 7, 3};
        assert_int_equal(dv_build_object(dv_scene_root(scene), "MechanicalObject", attributes, place, &made), DV_OK);
        assert_int_equal(dv_scene_init(scene), DV_OK);
        dv_log_set_handler(NULL, NULL);
        assert_non_null(messages.at);
        assert_non_null(strstr(messages.at, line ? "made.scn:12: Mech" : "made.scn:7: Mech"));
        dv_text_free(&messages);
        dv_scene_free(scene);
    }
}

/* What stands in a vector before the points of a mesh are known does not say how many there are. */
static void vectors_written_before_a_mesh_are_those_of_its_points(void **state)
{
    (void)state;
#define GRID_STATE(attributes)                                                                          \
    "<Node name='root' gravity='0 0 0' dt='0.01'><DefaultAnimationLoop/><EulerImplicitSolver/>"         \
    "<CGLinearSolver iterations='100' tolerance='1e-9' threshold='1e-60'/>"                             \
    "<RegularGridTopology n='3 1 3' min='0 0 0' max='1 0 1'/><MechanicalObject name='dofs' " attributes \
    "/><UniformMass totalMass='1'/><RegularGridSpringForceField linesStiffness='10' quadsStiffness='10'/></Node>"
#define NINE "1 0 0 1 0 0 1 0 0 1 0 0 1 0 0 1 0 0 1 0 0 1 0 0 1 0 0"
    const double grid[27] = {0,   0, 0, 0.5, 0, 0, 1, 0,   0, 0, 0, 0.5, 0.5, 0,
                             0.5, 1, 0, 0.5, 0, 0, 1, 0.5, 0, 1, 1, 0,   1};
    static const char *const scenes[] = {GRID_STATE("velocity='" NINE "'"),
                                         GRID_STATE("force='" NINE "'"),
                                         GRID_STATE("velocity='" NINE "' position='7 7 7'"),
                                         GRID_STATE("externalForce='" NINE "'"),
                                         GRID_STATE("velocity='1 0 0'"),
                                         GRID_STATE("reset_velocity='" NINE "'"),
                                         GRID_STATE("derivX='" NINE "'")};
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        DvScene *scene = scene_from_text(scenes[i]);
        assert_vector(scene, DV_POSITION, 27, grid);
        assert_vector(scene, DV_REST_POSITION, 27, grid);
        dv_scene_free(scene);
    }
    /* Nine points of the grid, moving at 1 m/s: nothing stretches. */
    DvScene *scene = scene_from_text(scenes[0]);
    for (int i = 0; i < 10; i++)
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    const DvConstVec x = dv_state_read(dofs(scene), DV_POSITION), v = dv_state_read(dofs(scene), DV_VELOCITY);
    for (uint32_t i = 0; i < 27; i++) {
        assert_true(fabs(x.at[i] - grid[i] - (i % 3 == 0 ? 0.1 : 0.0)) < 1e-9);
        assert_true(fabs(v.at[i] - (i % 3 == 0)) < 1e-9);
    }
    dv_scene_free(scene);
    scene = scene_from_text(GRID_STATE("rest_position='" NINE "'"));
    assert_vector(scene, DV_POSITION, 27, grid);
    assert_true(dv_state_read(dofs(scene), DV_REST_POSITION).at[3] == 1);
    dv_scene_free(scene);
    /* A position that is given counts more than the mesh. */
    scene = scene_from_text(GRID_STATE("position='" NINE "'"));
    assert_true(dv_state_read(dofs(scene), DV_POSITION).at[3] == 1);
    dv_scene_free(scene);
    /* Zeros alone say how many points there are, at the origin, as old scenes have it; and that is told. */
    static const char zeros[] = "<Node name='root'><RegularGridTopology n='3 1 3' min='0 0 0' max='1 0 1'/>"
                                "<MechanicalObject name='dofs' velocity='0 0 0 0 0 0'/></Node>";
    scene = scene_from_text(zeros);
    ASSERT_VECTOR(scene, DV_POSITION, 0, 0, 0, 0, 0, 0);
    dv_scene_free(scene);
    expect_message(zeros, "position: 1 entry where other fields have 2; the missing ones are taken as the origin");
    expect_message(GRID_STATE("velocity='1 0 0 1 0 0'"),
                   "velocity: 2 entries where the mesh has 9; the missing ones are taken as zero");
    expect_message(GRID_STATE("velocity='" NINE " 1 0 0'"),
                   "velocity: 10 entries where the mesh has 9; those behind are dropped");
    expect_message(
        GRID_STATE("rest_position='1 0 0 1 0 0'"),
        "rest_position: 2 entries where the mesh has 9; the missing ones are taken as the origin, and springs to "
        "the rest shape pull there");
}

static void one_entry_for_many_points_is_told(void **state)
{
    (void)state;
#define THREE(attributes) \
    "<Node name='root'>\n<MechanicalObject name='dofs' position='1 1 1 2 2 2 3 3 3' " attributes "/></Node>"
    expect_message(THREE("velocity='1 0 0'"),
                   "velocity: 1 entry where other fields have 3; the missing ones are taken as zero");
    expect_message(THREE("externalForce='0 2 0'"),
                   "externalForce: 1 entry where other fields have 3; the missing ones are taken as zero");
    expect_message(THREE("rest_position='1 1 1'"),
                   "rest_position: 1 entry where other fields have 3; the missing ones are "
                   "taken as the origin, and springs to the rest shape pull there");
    expect_message("<Node name='root'>\n<MechanicalObject name='dofs' velocity='1 1 1 2 2 2'/></Node>",
                   "position: 1 entry where other fields have 2; the missing ones are taken as the origin");
    /* Zeros that stand for zeros are no news. */
    DvText messages = {0};
    dv_log_set_handler(collect, &messages);
    dv_scene_free(scene_from_text(THREE("velocity='0 0 0' force='1 0 0' externalForce='0 0 0'")));
    dv_log_set_handler(NULL, NULL);
    if (messages.at)
        fail_msg("%s", messages.at);
}

/* Of many bodies one line; what they do is what 0 0 0 1 does. */
static void an_orientation_of_zeros_is_none(void **state)
{
    (void)state;
#define BODIES "position='0 0 0 0 0 0 0  1 0 0 0 0 0 1  2 0 0 0 0 0 0  3 0 0 0 0 0 0  4 0 0 0 0 0 0'"
    expect_message(
        "<Node name='root'>\n<MechanicalObject name='dofs' template='Rigid3d' " BODIES "/></Node>",
        "position: the orientation of 4 bodies is 0 0 0 0, which is no rotation, and counts as 0 0 0 1, which turns "
        "nothing (body 0, 2, 3, ...); a body is x y z and a quaternion");
    DvScene *scene = scene_from_text(STATE("template='Rigid3d' rz='90' " BODIES));
    const DvConstVec x = dv_state_read(dofs(scene), DV_POSITION);
    assert_int_equal(x.count, 5);
    for (uint32_t i = 0; i < 5; i++) {
        const double *q = x.at + 7 * (size_t)i + 3;
        assert_true(fabs(q[2] - sqrt(0.5)) < 1e-7 && fabs(q[3] - sqrt(0.5)) < 1e-7);
        assert_true(fabs(x.at[7 * (size_t)i + 1] - i) < 1e-7);
    }
    dv_scene_free(scene);
    /* Eight numbers for seven: what is left over is dropped. */
    expect_message(
        "<Node name='root'>\n<MechanicalObject name='dofs' template='Rigid3d' position='0 0 0 0 0 0 0 1'/></Node>",
        "position: the last entry has 1 of 7 numbers and is dropped");
    scene = scene_from_text(STATE("template='Rigid3d' position='0 0 0 0 0 0 0 1'"));
    ASSERT_VECTOR(scene, DV_POSITION, 0, 0, 0, 0, 0, 0, 1);
    dv_scene_free(scene);
}

static void a_state_without_points_runs(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node name='root' gravity='0 -10 0'><EulerExplicitSolver/><MechanicalObject name='dofs' position=''/>"
        "<UniformMass vertexMass='1'/><FixedProjectiveConstraint/></Node>");
    assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    assert_int_equal(dv_state_count(dofs(scene)), 0);
    dv_scene_free(scene);
}

static void a_reset_puts_the_start_back(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(STATE("position='1 2 3' velocity='4 5 6'"));
    const DvVec x = dv_state_write(dofs(scene), DV_POSITION, DV_READ_WRITE);
    const DvVec v = dv_state_write(dofs(scene), DV_VELOCITY, DV_READ_WRITE);
    const DvVec f = dv_state_write(dofs(scene), DV_FORCE, DV_READ_WRITE);
    for (size_t i = 0; i < 3; i++)
        x.at[i] = v.at[i] = f.at[i] = 7.0;
    dv_scene_reset(scene);
    ASSERT_VECTOR(scene, DV_POSITION, 1, 2, 3);
    ASSERT_VECTOR(scene, DV_VELOCITY, 4, 5, 6);
    ASSERT_VECTOR(scene, DV_FORCE, 0, 0, 0);
    dv_scene_free(scene);
}

/* ---- Vectors ---- */

static void a_vector_exists_from_its_first_write_to_its_release(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(STATE("template='Rigid3d' size='2'"));
    const DvStateRef s = dofs(scene);
    const DvVecId ids[] = {DV_FREE_POSITION, DV_FREE_VELOCITY, DV_DX, DV_DFORCE, DV_LAMBDA, 20, 21};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        assert_false(s.ops->has(s.self, ids[i]));
        assert_null(s.ops->read(s.self, ids[i], DV_HOST));
        double *at = s.ops->write(s.self, ids[i], DV_HOST, DV_READ_WRITE);
        assert_true(((uintptr_t)at & 63u) == 0);
        assert_true(at[0] == 0.0 && at[(dv_vec_kind(ids[i]) == DV_COORDS ? 7 : 6) * 2 - 1] ==
                                        (dv_vec_kind(ids[i]) == DV_COORDS ? 1.0 : 0.0));
        assert_true(s.ops->has(s.self, ids[i]));
    }
    double *at = s.ops->write(s.self, 21, DV_HOST, DV_READ_WRITE);
    at[0] = 3.0;
    s.ops->release(s.self, 21);
    assert_false(s.ops->has(s.self, 21));
    assert_ptr_equal(s.ops->write(s.self, 21, DV_HOST, DV_READ_WRITE), at); /* the same memory, clean */
    assert_true(at[0] == 0.0);
    s.ops->resize(s.self, 3);
    assert_true(s.ops->read(s.self, 20, DV_HOST)[7 * 3 - 1] == 1.0);
    assert_true(s.ops->read(s.self, DV_POSITION, DV_HOST)[7 * 3 - 1] == 1.0);
    dv_scene_free(scene);
}

static void an_external_force_lasts_until_it_is_released(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(STATE("externalForce='1 2 3'"));
    const DvStateRef s = dofs(scene);
    assert_true(s.ops->has(s.self, DV_EXTERNAL_FORCE));
    s.ops->release(s.self, DV_EXTERNAL_FORCE);
    assert_false(s.ops->has(s.self, DV_EXTERNAL_FORCE));
    assert_null(s.ops->read(s.self, DV_EXTERNAL_FORCE, DV_HOST));
    s.ops->write(s.self, DV_EXTERNAL_FORCE, DV_HOST, DV_READ_WRITE)[1] += 5.0;
    assert_true(s.ops->has(s.self, DV_EXTERNAL_FORCE));
    ASSERT_VECTOR(scene, DV_EXTERNAL_FORCE, 0, 5, 0);
    dv_scene_free(scene);
}

static void followers_of_a_field_see_what_a_solver_wrote(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node name='root'><MechanicalObject name='dofs' position='1 2 3'/>"
        "<Node name='Child'><MechanicalObject name='copy' rest_position='@../dofs.position'/></Node></Node>");
    dv_state_write(dofs(scene), DV_POSITION, DV_READ_WRITE).at[1] = 8.0;
    const DvConstVec rest = dv_state_read(scene_state(scene, "/Child/copy"), DV_REST_POSITION);
    assert_true(rest.at[1] == 8.0);
    assert_true(dv_state_read(dofs(scene), DV_REST_POSITION).at[1] == 2.0); /* a copy does not follow */
    dv_scene_free(scene);
}

static void linear_combinations_are_those_of_each_component(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(STATE("size='40000'")); /* several chunks, and a rest */
    const DvStateRef s = dofs(scene);
    const size_t n = 120000;
    double *a = s.ops->write(s.self, 17, DV_HOST, DV_READ_WRITE), *b = s.ops->write(s.self, 19, DV_HOST, DV_READ_WRITE);
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        a[i] = sin((double)i);
        b[i] = cos((double)(3 * i));
        sum += a[i] * b[i];
    }
    s.ops->combine(s.self, 21, 17, 19, -0.5);
    s.ops->combine(s.self, 23, DV_NO_VEC, 19, 3.0);
    s.ops->combine(s.self, 25, 17, DV_NO_VEC, 0.0);
    const double *r = s.ops->read(s.self, 21, DV_HOST), *k = s.ops->read(s.self, 23, DV_HOST),
                 *c = s.ops->read(s.self, 25, DV_HOST);
    for (size_t i = 0; i < n; i++)
        assert_true(r[i] == a[i] + -0.5 * b[i] && k[i] == 3.0 * b[i] && c[i] == a[i]);
    const double dot = s.ops->dot(s.self, 17, 19);
    assert_true(fabs(dot - sum) < 1e-9);
    dv_parallel_set_threads(4);
    assert_true(s.ops->dot(s.self, 17, 19) == dot); /* the same bits */
    dv_parallel_set_threads(1);
    s.ops->combine(s.self, 17, 17, 19, 2.0); /* in place */
    assert_true(a[77] == sin(77.0) + 2.0 * b[77]);
    assert_int_equal(s.ops->first_not_finite(s.self, 17), UINT32_MAX);
    a[3 * 39999 + 1] = NAN;
    assert_int_equal(s.ops->first_not_finite(s.self, 17), 39999);
    a[5] = INFINITY;
    assert_int_equal(s.ops->first_not_finite(s.self, 17), 1);
    dv_scene_free(scene);
}

static void count_errors(const DvMessage *message, void *context)
{
    if (message->level == DV_LEVEL_ERROR && strstr(message->text, "rotations integrate, they are not added"))
        (*(int *)context)++;
}

static void rotations_integrate_and_differ(void **state)
{
    (void)state;
    int errors = 0;
    dv_log_set_handler(count_errors, &errors);
    DvScene *scene = scene_from_text(
        STATE("template='Rigid3d' position='1 2 3 0 0 0 1  0 0 0 0 0 0.6 0.8' velocity='1 0 0 0 0 2  0 1 0 1 2 3'"));
    const DvStateRef s = dofs(scene);
    s.ops->combine(s.self, 18, DV_POSITION, DV_VELOCITY, 0.25);
    const double *moved = s.ops->read(s.self, 18, DV_HOST), *start = s.ops->read(s.self, DV_POSITION, DV_HOST);
    const DvQuat turned = dv_quat_load(moved + 3); /* by 0.5 rad about z */
    assert_true(fabs(moved[0] - 1.25) < 1e-15 && fabs(turned.z - sin(0.25)) < 1e-15 &&
                fabs(turned.w - cos(0.25)) < 1e-15);
    assert_true(fabs(dv_quat_norm(dv_quat_load(moved + 10)) - 1.0) < 1e-15);
    s.ops->combine(s.self, 19, 18, DV_POSITION, -1.0); /* a difference is the derivative that leads back */
    const double *difference = s.ops->read(s.self, 19, DV_HOST), *v = s.ops->read(s.self, DV_VELOCITY, DV_HOST);
    for (size_t i = 0; i < 12; i++)
        assert_true(fabs(difference[i] - 0.25 * v[i]) < 1e-14);
    s.ops->combine(s.self, 18, DV_POSITION, DV_NO_VEC, 0.0);
    assert_memory_equal(s.ops->read(s.self, 18, DV_HOST), start, 14 * sizeof *start);
    s.ops->clear(s.self, 18);
    s.ops->combine(s.self, 18, DV_NO_VEC, DV_POSITION, 1.0);
    assert_memory_equal(s.ops->read(s.self, 18, DV_HOST), start, 14 * sizeof *start);
    dv_scene_free(scene);
    dv_log_set_handler(NULL, NULL);
    assert_int_equal(errors, 0);
}

enum { NOTHING, COORDINATES, DERIVATIVES };

/* r = a + k b by the kinds of r, a and b, one or both of which may be nothing. False: there is no such sum. */
static bool expected_sum(const DvDofType *dof, uint32_t points, int kind, const double *a, int kind_a, const double *b,
                         int kind_b, double k, double *r)
{
    const uint32_t dim = kind == COORDINATES ? dof->coord : dof->deriv;
    const bool body = dof == &dv_rigid3d;
    for (uint32_t i = 0; i < points && kind_a == NOTHING && kind_b == NOTHING; i++)
        for (uint32_t c = 0; c < dim; c++)
            r[i * dim + c] = kind == COORDINATES && body && c == 6 ? 1.0 : 0.0;
    if (kind_a == NOTHING && kind_b == NOTHING)
        return true;
    if (dof->rotation && kind == DERIVATIVES && kind_a == COORDINATES && kind_b == COORDINATES) {
        dv_dof_difference(dof, points, r, a, b);
        return k == -1.0;
    }
    if (body && kind == COORDINATES && kind_a == COORDINATES && kind_b == DERIVATIVES) {
        dv_dof_integrate(dof, points, r, a, b, k);
        return true;
    }
    if (body && ((kind_a != NOTHING && kind_a != kind) || (kind_b != NOTHING && kind_b != kind)))
        return false;
    for (uint32_t i = 0; i < points * dim; i++)
        r[i] = (kind_a == NOTHING ? 0.0 : a[i]) + (kind_b == NOTHING ? 0.0 : k * b[i]);
    return !(body && kind == COORDINATES && kind_b != NOTHING && (kind_a != NOTHING || k != 1.0));
}

/* For each type of points, all kinds of vectors, and results in a vector of their own or in that of an operand. */
static void sums_are_those_of_their_kinds(void **state)
{
    (void)state;
    enum { POINTS = 5 };
    static const char *const types[] = {"Vec1d", "Vec2d", "Vec3d", "Vec6d", "Rigid2d", "Rigid3d"};
    static const double factors[] = {1.0, -1.0, 0.5};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        DvText text = {0};
        dv_text_add(&text, "<Node name='root'><MechanicalObject name='dofs' template='%s' size='5'/></Node>", types[t]);
        DvScene *scene = scene_from_text(text.at);
        dv_text_free(&text);
        const DvStateRef s = dofs(scene);
        for (int number = 0; number < 2 * 3 * 3 * 3 * 3; number++) {
            const int kind = 1 + number % 2, kind_a = number / 2 % 3, kind_b = number / 6 % 3, place = number / 54;
            const double k = factors[number / 18 % 3];
            const DvVecId a = kind_a == NOTHING       ? DV_NO_VEC
                              : kind_a == COORDINATES ? 18
                                                      : 17,
                          b = kind_b == NOTHING       ? DV_NO_VEC
                              : kind_b == COORDINATES ? 20
                                                      : 19;
            DvVecId r = kind == COORDINATES ? 22 : 21;
            if ((place == 1 && kind_a != kind) || (place == 2 && kind_b != kind))
                continue;
            r = place == 1 ? a : place == 2 ? b : r;
            double operand[2][7 * POINTS] = {{0}}, expected[7 * POINTS];
            for (int side = 0; side < 2; side++) {
                const DvVecId id = side ? b : a;
                if (id == DV_NO_VEC)
                    continue;
                const DvVec v = dv_state_write(s, id, DV_OVERWRITE);
                assert_int_equal(v.count, POINTS);
                for (uint32_t i = 0; i < v.count * v.dim; i++)
                    v.at[i] = sin(2.3 * i + 1.1 * side + number);
                for (uint32_t i = 0; i < v.count && v.dim == 7; i++)
                    dv_quat_store(dv_quat_normalize(dv_quat_load(v.at + 7 * i + 3)), v.at + 7 * i + 3);
                memcpy(operand[side], v.at, (size_t)v.count * v.dim * sizeof *v.at);
            }
            const bool possible =
                expected_sum(s.dof, POINTS, kind, operand[0], kind_a, operand[1], kind_b, k, expected);
            int errors = 0;
            dv_log_set_handler(count_errors, &errors);
            s.ops->combine(s.self, r, a, b, k);
            dv_log_set_handler(NULL, NULL);
            if (errors != (possible ? 0 : 1))
                fail_msg("%s: kinds %d = %d + %g x %d: %d errors", types[t], kind, kind_a, k, kind_b, errors);
            const DvConstVec result = dv_state_read(s, r);
            for (uint32_t i = 0; possible && i < result.count * result.dim; i++)
                if (!(fabs(result.at[i] - expected[i]) < 1e-15))
                    fail_msg("%s: kinds %d = %d + %g x %d, number %u: %.17g instead of %.17g", types[t], kind, kind_a,
                             k, kind_b, i, result.at[i], expected[i]);
        }
        dv_scene_free(scene);
    }
}

static void angles_differ_by_the_short_way_round(void **state)
{
    (void)state;
    DvScene *scene =
        scene_from_text(STATE("template='Rigid2d' position='1 2 -3  0 0 -1' velocity='0 0 0.5  2 0 -0.5'"));
    const DvStateRef s = dofs(scene);
    double *other = s.ops->write(s.self, 18, DV_HOST, DV_OVERWRITE);
    memcpy(other, (const double[]){0, 0, 3, 1, 1, 1}, 6 * sizeof *other);
    s.ops->combine(s.self, 19, 18, DV_POSITION, -1.0); /* from -3 rad to 3 rad it is 6 rad, or back by 2 pi - 6 */
    const double *difference = s.ops->read(s.self, 19, DV_HOST);
    const double expected[6] = {-1, -2, 6 - 2 * 3.14159265358979323846, 1, 1, 2};
    for (size_t i = 0; i < 6; i++)
        assert_true(fabs(difference[i] - expected[i]) < 1e-14);
    dv_scene_free(scene);
}

static void sums_of_rotations_are_refused(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(STATE("template='Rigid3d'"));
    const DvStateRef s = dofs(scene);
    int errors = 0;
    dv_log_set_handler(count_errors, &errors);
    s.ops->combine(s.self, 18, DV_POSITION, DV_REST_POSITION, 1.0);
    s.ops->combine(s.self, 19, DV_VELOCITY, DV_POSITION, 1.0);
    dv_log_set_handler(NULL, NULL);
    assert_int_equal(errors, 2);
    dv_scene_free(scene);
}

/* ---- Following a topology ---- */

#define MESH                                                                                                                   \
    "<Node name='root'><TriangleSetTopologyContainer name='mesh' position='0 0 0 1 0 0 0 1 0 1 1 0' triangles='0 1 2 1 3 2'/>" \
    "<TriangleSetTopologyModifier name='modifier'/><MechanicalObject name='dofs' velocity='1 1 1'/></Node>"

static const DvTopologyModifierOps *modifier_of(DvScene *scene, void **self)
{
    DvObject *object = scene_object(scene, "/modifier");
    *self = dv_object_self(object);
    return dv_object_ops(object, DV_TOPOLOGY_MODIFIER);
}

static void new_points_are_mixed_from_their_ancestors(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(MESH);
    void *self;
    const DvTopologyModifierOps *ops = modifier_of(scene, &self);
    const uint32_t ancestors[] = {1, 3}, start[] = {0, 2, 2};
    const double weights[] = {0.25, 0.75};
    const DvElementChange change = {.ancestors = ancestors, .weights = weights, .ancestor_start = start};
    assert_int_equal(ops->add_points(self, 2, &change), DV_OK);
    ASSERT_VECTOR(scene, DV_POSITION, 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 1, 0.75, 0, 0, 0, 0);
    const DvConstVec v = dv_state_read(dofs(scene), DV_VELOCITY);
    assert_true(v.count == 6 && v.at[12] == 1.0 && v.at[15] == 0.0);
    dv_scene_free(scene);
}

static void the_last_point_takes_the_place_of_a_removed_one(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(MESH);
    void *self;
    const DvTopologyModifierOps *ops = modifier_of(scene, &self);
    const uint32_t triangle = 0;
    assert_int_equal(ops->remove_elements(self, DV_TRIANGLES, 1, &triangle, true), DV_OK); /* with point 0 */
    ASSERT_VECTOR(scene, DV_POSITION, 1, 1, 0, 1, 0, 0, 0, 1, 0);
    assert_int_equal(dv_data_int(dv_object_field(scene_object(scene, "/dofs"), "size")), 3);
    dv_scene_free(scene);
}

static void points_are_renumbered(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(MESH);
    void *self;
    const DvTopologyModifierOps *ops = modifier_of(scene, &self);
    const uint32_t order[] = {3, 1, 0, 2};
    assert_int_equal(ops->renumber_points(self, order), DV_OK);
    ASSERT_VECTOR(scene, DV_POSITION, 1, 1, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0);
    dv_scene_free(scene);
}

/* ---- Drawing ---- */

typedef struct Counter {
    uint32_t points, lines, spheres, frames, texts;
} Counter;

static void count_batch(void *context, const DrawnBatch *batch)
{
    Counter *counter = context;
    counter->points += batch->kind == DRAWN_POINTS ? batch->count : 0;
    counter->lines += batch->kind == DRAWN_LINES ? batch->count : 0;
    counter->spheres += batch->kind == DRAWN_SPHERES ? batch->count : 0;
    counter->frames += batch->kind == DRAWN_FRAMES ? batch->count : 0;
    counter->texts += batch->kind == DRAWN_TEXTS ? batch->count : 0;
    assert_true(batch->kind != DRAWN_SPHERES || batch->radii[0] == 0.2);
    assert_true(batch->kind != DRAWN_LINES || fabs(batch->points[3] - batch->points[0] - 0.5) < 1e-15);
}

static Counter drawn(const char *text, uint32_t shown)
{
    DvScene *scene = scene_from_text(text);
    Counter counter = {0};
    DrawRecorder recorder = draw_recorder(shown, count_batch, &counter);
    record_drawing_of(&recorder, scene_object(scene, "/dofs"));
    dv_scene_free(scene);
    return counter;
}

static void it_draws_what_it_is_asked_to(void **state)
{
    (void)state;
    const uint32_t all = 1u << DV_DISPLAY_BEHAVIOR_MODELS;
    Counter c = drawn(STATE("size='2' showObject='1' showIndices='1'"), all);
    assert_true(c.points == 2 && c.texts == 2 && c.lines == 0);
    c = drawn(STATE("size='2' showObject='1' drawMode='1' showObjectScale='0.2'"), all);
    assert_true(c.spheres == 2 && c.points == 0);
    c = drawn(STATE("velocity='5 0 0' showVectors='1' showVectorsScale='0.1'"), all);
    assert_true(c.lines == 1 && c.points == 0);
    c = drawn(STATE("template='Rigid3d' size='3' showObject='1'"), all);
    assert_true(c.frames == 3);
    c = drawn(STATE("size='2' showObject='1' showIndices='1'"), 0);
    assert_true(c.points == 0 && c.texts == 0);
    c = drawn(STATE("size='2'"), all);
    assert_true(c.points == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_state_of_nothing_is_one_point_at_the_origin),
        cmocka_unit_test(all_vectors_get_the_length_of_the_longest),
        cmocka_unit_test(points_come_from_the_first_topology_of_the_node),
        cmocka_unit_test(others_see_the_points_before_the_state_is_initialised),
        cmocka_unit_test(positions_are_scaled_then_rotated_then_translated),
        cmocka_unit_test(rest_positions_are_copied_between_the_transformations),
        cmocka_unit_test(short_attributes_are_single_precision),
        cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(mistakes_in_made_attributes_have_the_place_of_their_object),
        cmocka_unit_test(a_state_without_points_runs),
        cmocka_unit_test(a_reset_puts_the_start_back),
        cmocka_unit_test(a_vector_exists_from_its_first_write_to_its_release),
        cmocka_unit_test(an_external_force_lasts_until_it_is_released),
        cmocka_unit_test(followers_of_a_field_see_what_a_solver_wrote),
        cmocka_unit_test(linear_combinations_are_those_of_each_component),
        cmocka_unit_test(rotations_integrate_and_differ),
        cmocka_unit_test(sums_are_those_of_their_kinds),
        cmocka_unit_test(angles_differ_by_the_short_way_round),
        cmocka_unit_test(sums_of_rotations_are_refused),
        cmocka_unit_test(new_points_are_mixed_from_their_ancestors),
        cmocka_unit_test(the_last_point_takes_the_place_of_a_removed_one),
        cmocka_unit_test(points_are_renumbered),
        cmocka_unit_test(it_draws_what_it_is_asked_to),
        cmocka_unit_test(vectors_written_before_a_mesh_are_those_of_its_points),
        cmocka_unit_test(one_entry_for_many_points_is_told),
        cmocka_unit_test(an_orientation_of_zeros_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, stop_plugins);
}
