/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Visual models without drawing: where their points come from, what follows from them, when; display flags; cameras.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <divan/contracts/topology.h>
#include <divan/contracts/visual.h>
#include <divan/divan.h>

#include "scene_text.h"

static DvData *field(const DvScene *scene, const char *path, const char *name)
{
    DvData *data = dv_object_field(scene_object(scene, path), name);
    if (!data)
        fail_msg("%s has no field %s", path, name);
    return data;
}

static void expect_numbers(DvData *data, const double *expected, size_t count, double tolerance)
{
    const double *at = dv_data_doubles(data, NULL);
    assert_int_equal(data->count * data->type->components, count);
    for (size_t i = 0; i < count; i++)
        if (!(fabs(at[i] - expected[i]) <= tolerance))
            fail_msg("%s: number %zu is %.17g instead of %.17g", data->field->name, i, at[i], expected[i]);
}

static void collect(const DvMessage *message, void *context)
{
    dv_message_print(message, context);
    dv_text_add(context, "\n");
}

static void points_are_scaled_then_turned_then_moved_once(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node><DefaultAnimationLoop/><OglModel name='m' position='1 0 0  0 2 0  0 0 3' triangles='0 1 2'"
        " scale3d='2 1 1' rz='90' dx='10' initRestPositions='1'/></Node>");
    const double expected[9] = {10, 2, 0, 8, 0, 0, 10, 0, 3};
    expect_numbers(field(scene, "/m", "position"), expected, 9, 1e-15);
    expect_numbers(field(scene, "/m", "restPosition"), expected, 9, 1e-15);
    expect_numbers(field(scene, "/m", "translation"), (double[]){0, 0, 0}, 3, 0); /* applied: not again after saving */
    expect_numbers(field(scene, "/m", "scale3d"), (double[]){1, 1, 1}, 3, 0);
    dv_scene_free(scene);
}

static void normals_are_those_of_the_faces_weighted_by_area(void **state)
{
    (void)state;
    /* Two triangles that share an edge: one of area 1/2 in the plane z = 0, one of area 1 in the plane x = 0. */
    DvScene *scene = scene_from_text(
        "<Node><DefaultAnimationLoop/><OglModel name='m' position='0 0 0  1 0 0  0 1 0  0 0 2' triangles='0 1 2  0 2 3'/>"
        "<OglModel name='q' position='0 0 0  1 0 0  1 1 0  0 1 0' quads='0 1 2 3'/></Node>");
    const double shared = 1 / sqrt(5.0);
    const double expected[12] = {2 * shared, 0, shared, 0, 0, 1, 2 * shared, 0, shared, 1, 0, 0};
    expect_numbers(field(scene, "/m", "normal"), expected, 12, 1e-15);
    const double up[12] = {0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1};
    expect_numbers(field(scene, "/q", "normal"), up, 12, 1e-15);
    dv_scene_free(scene);
}

static void split_vertices_share_points_and_normals(void **state)
{
    (void)state;
    /* Point 1 carries two texture coordinates: vertices 1 and 3 are the same point, and share a normal. */
    DvScene *scene =
        scene_from_text("<Node><DefaultAnimationLoop/><OglModel name='m' position='0 0 0  1 0 0  0 1 0  1 0 0  1 1 0'"
                        " vertPosIdx='0 1 2 1 3' vertNormIdx='0 1 2 1 3' triangles='0 1 2  3 4 2'/></Node>");
    const double points[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0};
    expect_numbers(field(scene, "/m", "position"), points, 12, 0);
    const DvStateRef surface = scene_state(scene, "/m");
    DvVec x = dv_state_write(surface, DV_POSITION, DV_READ_WRITE);
    assert_int_equal(x.count, 4);
    x.at[3] = 2; /* point 1 */
    x.at[5] = 1;
    dv_scene_update_visual(scene);
    const double vertices[15] = {0, 0, 0, 2, 0, 1, 0, 1, 0, 2, 0, 1, 1, 1, 0};
    expect_numbers(field(scene, "/m", "vertices"), vertices, 15, 0);
    const double *normal = dv_data_doubles(field(scene, "/m", "normal"), NULL);
    assert_true(memcmp(normal + 3, normal + 9, 3 * sizeof *normal) == 0 && fabs(normal[3]) > 0.1);
    dv_scene_free(scene);
}

#define MAPPED                                                                                                                  \
    "<Node gravity='0 0 0' dt='0.5'><DefaultAnimationLoop/><EulerExplicitSolver/>"                                              \
    "<MechanicalObject name='dofs' position='0 0 0  1 0 0  0 1 0' velocity='0 0 1  0 0 1  0 0 1'/><UniformMass totalMass='3'/>" \
    "<Node name='skin'><OglModel name='m' position='0 0 0  1 0 0  0 1 0' triangles='0 1 2'/>"                                   \
    "<IdentityMapping input='@../dofs' output='@m'/></Node></Node>"

static void a_visual_model_follows_when_somebody_looks_and_not_before(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(MAPPED);
    assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    const double before[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0}, after[9] = {0, 0, 0.5, 1, 0, 0.5, 0, 1, 0.5};
    expect_numbers(field(scene, "/skin/m", "position"), before, 9, 0);
    dv_scene_update_visual(scene);
    expect_numbers(field(scene, "/skin/m", "position"), after, 9, 0);
    dv_scene_free(scene);
}

static void a_visual_model_is_never_taken_for_the_state_of_its_node(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(MAPPED);
    const DvNode *skin = dv_object_node(scene_object(scene, "/skin/m"));
    assert_ptr_equal(dv_node_context(skin, DV_STATE), scene_object(scene, "/dofs"));
    assert_ptr_equal(dv_node_resolve(skin, NULL, "@m", DV_STATE), scene_object(scene, "/skin/m"));
    dv_scene_free(scene);
}

static void the_vectors_of_a_surface_obey_the_contract_of_states(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node><DefaultAnimationLoop/><OglModel name='m' position='1 2 3  4 5 6' triangles=''/></Node>");
    const DvStateRef s = scene_state(scene, "/m");
    assert_false(s.ops->has(s.self, DV_FORCE));
    assert_null(s.ops->read(s.self, DV_FORCE, DV_HOST));
    DvVec f = dv_state_write(s, DV_FORCE, DV_READ_WRITE);
    assert_true(f.at[0] == 0 && f.at[5] == 0);
    f.at[4] = -7;
    assert_true(s.ops->dot(s.self, DV_FORCE, DV_FORCE) == 49);
    s.ops->combine(s.self, DV_VELOCITY, DV_FORCE, DV_FORCE, 2);
    assert_true(dv_state_read(s, DV_VELOCITY).at[4] == -21);
    s.ops->resize(s.self, 3);
    assert_int_equal(dv_state_count(s), 3);
    assert_true(dv_state_read(s, DV_VELOCITY).at[4] == -21 && dv_state_read(s, DV_VELOCITY).at[8] == 0);
    assert_int_equal(s.ops->first_not_finite(s.self, DV_VELOCITY), UINT32_MAX);
    dv_state_write(s, DV_VELOCITY, DV_READ_WRITE).at[7] = NAN;
    assert_int_equal(s.ops->first_not_finite(s.self, DV_VELOCITY), 2);
    s.ops->clear(s.self, DV_VELOCITY);
    assert_true(s.ops->dot(s.self, DV_VELOCITY, DV_VELOCITY) == 0);
    s.ops->release(s.self, DV_VELOCITY);
    assert_false(s.ops->has(s.self, DV_VELOCITY));
    dv_scene_free(scene);
}

/* Positions may get another length from anybody: what is read then has as many points, what is made anew starts as zero. */
static void vectors_of_a_surface_have_as_many_points_as_it_has_positions(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text("<Node><DefaultAnimationLoop/><OglModel name='m' position='0 0 0  1 0 0'"
                                     " initRestPositions='1'/></Node>");
    const DvStateRef s = dv_state_ref(scene_object(scene, "/m"));
    assert_true(s.ops->has(s.self, DV_REST_POSITION) && !s.ops->has(s.self, DV_DX));
    dv_state_write(s, DV_DX, DV_READ_WRITE).at[5] = 7;
    assert_int_equal(dv_data_set_text(field(scene, "/m", "position"), "0 0 0  1 0 0  2 0 0"), DV_OK);
    assert_false(s.ops->has(s.self, DV_REST_POSITION));
    const DvConstVec dx = dv_state_read(s, DV_DX);
    assert_int_equal(dx.count, 3);
    assert_true(dx.at[5] == 7 && dx.at[6] == 0 && dx.at[8] == 0);
    s.ops->release(s.self, DV_DX);
    assert_null(dv_state_read(s, DV_DX).at);
    assert_true(dv_state_write(s, DV_DX, DV_READ_WRITE).at[5] == 0);
    assert_null(s.ops->write(s.self, DV_MAX_VEC, DV_HOST, DV_READ_WRITE));
    dv_scene_free(scene);
}

static void a_color_makes_the_material(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node><DefaultAnimationLoop/><OglModel name='m' position='0 0 0' triangles='' color='1 0.5 0 1'/></Node>");
    assert_string_equal(
        dv_data_string(field(scene, "/m", "material")),
        "Default Diffuse 1 1 0.5 0 1 Ambient 1 0.2 0.1 0 1 Specular 0 1 0.5 0 1 Emissive 0 1 0.5 0 1 Shininess 0 45");
    dv_scene_free(scene);
}

/* What is drawn lies within the bounds, by which cameras choose their place: spheres as a whole, frames in any direction, dots as points,
 * and points of a line or a plane where they are drawn. */
static void clouds_reach_as_far_as_they_are_drawn(void **state)
{
    (void)state;
    static const struct {
        const char *cloud;
        double box[6];
    } cases[] = {
        {"position='1 0 0  4 5 6' drawMode='Sphere' sphereRadius='0.5 2'", {0.5, -0.5, -0.5, 6, 7, 8}},
        {"position='1 0 0  4 5 6' sphereRadius='0.5 2'", {1, 0, 0, 4, 5, 6}},
        {"template='Rigid3d' position='1 2 3 0 0 0 1' sphereRadius='0.25'", {0.75, 1.75, 2.75, 1.25, 2.25, 3.25}},
        {"template='Vec1d' position='1 3' drawMode='Sphere' sphereRadius='0.5'", {0.5, -0.5, -0.5, 3.5, 0.5, 0.5}},
        {"template='Rigid2d' position='1 2 3'", {0, 1, -1, 2, 3, 1}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[300];
        snprintf(text, sizeof text, "<Node><DefaultAnimationLoop/><VisualPointCloud name='c' %s/></Node>",
                 cases[i].cloud);
        DvScene *scene = scene_from_text(text);
        const double *box = dv_data_doubles(field(scene, "/c", "bbox"), NULL);
        for (int k = 0; k < 6; k++)
            assert_true(box[k] == cases[i].box[k]);
        dv_scene_free(scene);
    }
}

static void flags_of(const char *words, signed char flags[DV_DISPLAY_FLAGS])
{
    char text[500];
    snprintf(text, sizeof text, "<Node><DefaultAnimationLoop/><VisualStyle name='s' displayFlags='%s'/></Node>", words);
    DvScene *scene = scene_from_text(text);
    DvObject *style = scene_object(scene, "/s");
    const DvVisualStyleOps *ops = dv_object_ops(style, DV_VISUAL_STYLE);
    memset(flags, 0, DV_DISPLAY_FLAGS);
    ops->merge(dv_object_self(style), flags);
    dv_scene_free(scene);
}

static void display_flags_apply_from_the_root_of_their_tree(void **state)
{
    (void)state;
    signed char flags[DV_DISPLAY_FLAGS];
    flags_of("showBehavior hideForceFields showWireframe", flags);
    assert_int_equal(flags[DV_DISPLAY_BEHAVIOR_MODELS], 1);
    assert_int_equal(flags[DV_DISPLAY_FORCE_FIELDS], 1); /* its branch is decided already */
    assert_int_equal(flags[DV_DISPLAY_WIREFRAME], 1);
    assert_int_equal(flags[DV_DISPLAY_VISUAL_MODELS], 0);
    flags_of("hideForceFields showForceFields hideVisual", flags); /* show wins; the order does not count */
    assert_int_equal(flags[DV_DISPLAY_FORCE_FIELDS], 1);
    assert_int_equal(flags[DV_DISPLAY_VISUAL_MODELS], -1);
    flags_of("showAll hideVisualModels", flags);
    assert_int_equal(flags[DV_DISPLAY_VISUAL_MODELS], 1);
    assert_int_equal(flags[DV_DISPLAY_NORMALS], 0); /* an option, not below All */
}

static void a_style_inherits_what_it_leaves_open(void **state)
{
    (void)state;
    DvScene *scene =
        scene_from_text("<Node><DefaultAnimationLoop/><VisualStyle name='s' displayFlags='hideMapping'/></Node>");
    DvObject *style = scene_object(scene, "/s");
    signed char flags[DV_DISPLAY_FLAGS];
    memset(flags, 1, sizeof flags);
    ((const DvVisualStyleOps *)dv_object_ops(style, DV_VISUAL_STYLE))->merge(dv_object_self(style), flags);
    assert_int_equal(flags[DV_DISPLAY_MAPPINGS], -1);
    assert_int_equal(flags[DV_DISPLAY_VISUAL_MODELS], 1);
    dv_scene_free(scene);
}

static void old_display_attributes_of_a_node_make_a_style(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text("<Node showForceFields='1' showVisualModels='0'><DefaultAnimationLoop/></Node>");
    DvObject *style = scene_object(scene, "/displayFlags");
    signed char flags[DV_DISPLAY_FLAGS] = {0};
    ((const DvVisualStyleOps *)dv_object_ops(style, DV_VISUAL_STYLE))->merge(dv_object_self(style), flags);
    assert_int_equal(flags[DV_DISPLAY_FORCE_FIELDS], 1);
    assert_int_equal(flags[DV_DISPLAY_VISUAL_MODELS], -1);
    dv_scene_free(scene);
}

static void a_camera_that_looks_at_a_point_sees_it_in_the_middle(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node><DefaultAnimationLoop/><InteractiveCamera name='c' position='3 4 5' lookAt='1 1 -1' zNear='1' zFar='20'"
        " widthViewport='800' heightViewport='400'/></Node>");
    const double *view = dv_data_doubles(field(scene, "/c", "modelViewMatrix"), NULL);
    const double *projection = dv_data_doubles(field(scene, "/c", "projectionMatrix"), NULL);
    const double target[4] = {1, 1, -1, 1};
    double seen[4] = {0}, clip[4] = {0};
    for (int row = 0; row < 4; row++)
        for (int column = 0; column < 4; column++)
            seen[row] += view[4 * row + column] * target[column];
    assert_true(fabs(seen[0]) < 1e-14 && fabs(seen[1]) < 1e-14 && fabs(seen[2] + 7) < 1e-14); /* 7 m ahead: |2 3 6| */
    for (int row = 0; row < 4; row++)
        for (int column = 0; column < 4; column++)
            clip[row] += projection[4 * row + column] * seen[column];
    assert_true(clip[0] == clip[0] && fabs(clip[0] / clip[3]) < 1e-14 && fabs(clip[2] / clip[3]) < 1);
    assert_true(fabs(projection[5] - 1 / tan(22.5 * 3.14159265358979323846 / 180)) < 1e-12); /* 45 degrees high */
    assert_true(fabs(projection[0] - projection[5] / 2) < 1e-12);                            /* twice as wide */
    assert_true(fabs(dv_data_double(field(scene, "/c", "distance")) - 7) < 1e-14);
    dv_scene_free(scene);
}

static void expect_camera(DvScene *scene, const char *name, const double *expected, int count)
{
    const double *at = dv_data_doubles(field(scene, "/c", name), NULL);
    for (int i = 0; i < count; i++)
        if (!(fabs(at[i] - expected[i]) < 1e-12))
            fail_msg("%s: number %d is %g instead of %g", name, i, at[i], expected[i]);
}

/* Towards -z without a turn; a quarter turn about y looks along -x, half of one about y at (5, 0, 5) along the diagonal. */
static void what_follows_an_edited_camera(void **state)
{
    (void)state;
    DvScene *scene =
        scene_from_text("<Node><DefaultAnimationLoop/><Camera name='c' position='0 0 5' lookAt='0 0 0'/></Node>");
    DvObject *camera = scene_object(scene, "/c");
    const double half = sqrt(0.5), quarter[2] = {sin(DV_PI / 8), cos(DV_PI / 8)};
    assert_int_equal(dv_data_set_text(field(scene, "/c", "lookAt"), "-5 0 5"), DV_OK);
    assert_int_equal(dv_object_reinit(camera), DV_OK);
    expect_camera(scene, "position", (const double[]){0, 0, 5}, 3);
    expect_camera(scene, "orientation", (const double[]){0, half, 0, half}, 4);
    expect_camera(scene, "distance", (const double[]){5}, 1);
    assert_int_equal(dv_data_set_text(field(scene, "/c", "distance"), "2"), DV_OK); /* nearer to what it looks at */
    assert_int_equal(dv_object_reinit(camera), DV_OK);
    expect_camera(scene, "lookAt", (const double[]){-5, 0, 5}, 3);
    expect_camera(scene, "position", (const double[]){-3, 0, 5}, 3);
    assert_int_equal(dv_data_set_text(field(scene, "/c", "orientation"), "0 0 0 1"), DV_OK);
    assert_int_equal(dv_object_reinit(camera), DV_OK);
    expect_camera(scene, "position", (const double[]){-3, 0, 5}, 3);
    expect_camera(scene, "lookAt", (const double[]){-3, 0, 3}, 3);
    assert_int_equal(dv_data_set_text(field(scene, "/c", "position"), "-1 0 5"), DV_OK);
    assert_int_equal(dv_object_reinit(camera), DV_OK);
    expect_camera(scene, "lookAt", (const double[]){-3, 0, 3}, 3);
    expect_camera(scene, "orientation", (const double[]){0, quarter[0], 0, quarter[1]}, 4);
    expect_camera(scene, "distance", (const double[]){2 * sqrt(2)}, 1);
    assert_int_equal(dv_object_reinit(camera), DV_OK); /* nothing was written: all stay */
    expect_camera(scene, "position", (const double[]){-1, 0, 5}, 3);
    dv_scene_free(scene);
}

static void step_to(DvScene *scene, double time)
{
    dv_node_set_time(dv_scene_root(scene), time);
    assert_int_equal(dv_scene_step(scene, 0.0), DV_OK);
}

static void a_recorded_camera_goes_around_its_centre(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node><DefaultAnimationLoop/><RecordedCamera name='c' rotationMode='1' navigationMode='1' startTime='2' endTime='10' "
        "rotationCenter='1 5 0' rotationStartPoint='1 5 3' rotationLookAt='1 5 0' cameraUp='0 4 0'/></Node>");
    step_to(scene, 4); /* a quarter turn about y */
    expect_camera(scene, "position", (const double[3]){4, 5, 0}, 3);
    expect_camera(scene, "lookAt", (const double[3]){1, 5, 0}, 3);
    expect_camera(scene, "distance", (const double[1]){3}, 1);
    expect_camera(scene, "orientation", (const double[4]){0, sqrt(0.5), 0, sqrt(0.5)}, 4); /* -z becomes -x */
    step_to(scene, 14); /* one turn and a half: times beyond the end go on */
    expect_camera(scene, "position", (const double[3]){1, 5, -3}, 3);
    dv_scene_free(scene);
}

static void a_recorded_camera_passes_its_places(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node><DefaultAnimationLoop/><RecordedCamera name='c' translationMode='1' startTime='0' endTime='4' "
        "cameraPositions='0 0 0  0 0 -2  6 0 -2'/></Node>");
    step_to(scene, 1);
    expect_camera(scene, "position", (const double[3]){0, 0, -1}, 3);
    expect_camera(scene, "lookAt", (const double[3]){0, 0, -2}, 3);
    expect_camera(scene, "orientation", (const double[4]){0, 0, 0, 1}, 4);
    step_to(scene, 3);
    expect_camera(scene, "position", (const double[3]){3, 0, -2}, 3);
    expect_camera(scene, "orientation", (const double[4]){0, -sqrt(0.5), 0, sqrt(0.5)}, 4); /* -z becomes x */
    step_to(scene, 5);                                                                      /* from the start again */
    expect_camera(scene, "position", (const double[3]){0, 0, -1}, 3);
    dv_scene_free(scene);
}

static void a_recorded_camera_turns_between_its_places(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node><DefaultAnimationLoop/><RecordedCamera name='c' navigationMode='1' startTime='0' endTime='3' "
        "position='0 0 5' lookAt='0 0 3' cameraPositions='0 0 0  3 0 0' cameraOrientations='0 0 0 2  0 -2 0 0'/></Node>");
    step_to(scene, 1); /* a third of half a turn, the other way round or this one: 60 degrees about y */
    expect_camera(scene, "position", (const double[3]){1, 0, 0}, 3);
    expect_camera(scene, "orientation", (const double[4]){0, -0.5, 0, sqrt(0.75)}, 4);
    expect_camera(scene, "lookAt", (const double[3]){1 + 2 * sqrt(0.75), 0, -1}, 3);
    dv_scene_free(scene);
    scene = scene_from_text("<Node><DefaultAnimationLoop/><RecordedCamera name='c' navigationMode='1' "
                            "cameraPositions='1 2 3' cameraOrientations='0 3 0 4'/></Node>");
    step_to(scene, 50); /* one place: it stays there */
    expect_camera(scene, "position", (const double[3]){1, 2, 3}, 3);
    expect_camera(scene, "orientation", (const double[4]){0, 0.6, 0, 0.8}, 4);
    dv_scene_free(scene);
}

static void a_recorded_camera_without_a_way_is_refused(void **state)
{
    (void)state;
    expect_load_error("<Node>\n<RecordedCamera name='c' startTime='3' endTime='3'/></Node>",
                      "scene.scn:2:40: RecordedCamera 'c': endTime: 3 s is not after startTime, 3 s");
    expect_load_error("<Node>\n<RecordedCamera name='c' rotationMode='1' rotationAxis='0 0 0'/></Node>",
                      "rotationAxis: has no direction");
    expect_load_error("<Node>\n<RecordedCamera name='c' translationMode='1'/></Node>",
                      "cameraPositions: give the places that it passes");
    expect_load_error("<Node>\n<RecordedCamera name='c' navigationMode='1' cameraPositions='0 0 0 1 1 1' "
                      "cameraOrientations='0 0 0 1'/></Node>",
                      "cameraOrientations: 1 for 2 cameraPositions; give one for each");
    expect_load_error("<Node>\n<RecordedCamera name='c' navigationMode='1' cameraPositions='0 0 0' "
                      "cameraOrientations='0 0 0 0'/></Node>",
                      "cameraOrientations[0]: is no rotation");
}

/* ---- Files, textures, topologies ---- */

static const char *write_file(const char *name, const char *text)
{
    static char path[256];
    (void)snprintf(path, sizeof path, P_tmpdir "/divan-%ld-%s", (long)getpid(), name);
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    assert_true(fputs(text, out) >= 0);
    assert_int_equal(fclose(out), 0);
    return path;
}

static void expect_indices(DvData *data, const uint32_t *expected, size_t count)
{
    const uint32_t *at = dv_data_uints(data, NULL);
    assert_int_equal(data->count * data->type->components, count);
    for (size_t i = 0; i < count; i++)
        if (at[i] != expected[i])
            fail_msg("%s: number %zu is %u instead of %u", data->field->name, i, at[i], expected[i]);
}

/* Two triangles with a common edge from point 2 to point 3. At point 2 they have other normals, at point 3 another normal and another
 * texture coordinate. */
#define SEAMS                                                                                      \
    "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 1\nvt 0 0\nvt 1 0\nvt 0 1\nvt 0.5 0.5\nvn 0 0 1\nvn 0 1 0\n" \
    "f 1/1/1 2/2/1 3/3/1\nf 2/2/2 4/1/2 3/4/2\n"

static void normals_of_a_file_that_do_not_count_split_no_vertices(void **state)
{
    (void)state;
    const char *path = write_file("seams.obj", SEAMS);
    char text[512];
    (void)snprintf(text, sizeof text,
                   "<Node><DefaultAnimationLoop/><OglModel name='m' filename='%s' useNormals='0' scaleTex='2 4'"
                   " translationTex='10 20'/></Node>",
                   path);
    DvScene *scene = scene_from_text(text);
    const double points[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 1};
    expect_numbers(field(scene, "/m", "position"), points, 12, 0);
    /* Point 2 is one vertex, point 3 two: of texture coordinates (0 1) and (0.5 0.5), which are scaled and moved. */
    const double vertices[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 1, 1, 1};
    expect_numbers(field(scene, "/m", "vertices"), vertices, 15, 0);
    const double uv[10] = {10, 20, 12, 20, 10, 24, 11, 22, 10, 20};
    expect_numbers(field(scene, "/m", "texcoords"), uv, 10, 0);
    expect_numbers(field(scene, "/m", "scaleTex"), (double[]){1, 1}, 2, 0); /* applied: not again after saving */
    expect_numbers(field(scene, "/m", "translationTex"), (double[]){0, 0}, 2, 0);
    expect_indices(field(scene, "/m", "vertPosIdx"), (const uint32_t[]){0, 1, 2, 2, 3}, 5);
    expect_indices(field(scene, "/m", "triangles"), (const uint32_t[]){0, 1, 2, 1, 4, 3}, 6);
    /* Both vertices of point 3 have the sum of (0 0 1) and (1 0 0) x ... of the second face: cross((0 1 1), (-1 1 0)) = (-1 -1 1) */
    const double s = 1 / sqrt(1.0 + 1.0 + 4.0), t = 1 / sqrt(3.0);
    const double normals[15] = {0, 0, 1, -s, -s, 2 * s, -s, -s, 2 * s, -s, -s, 2 * s, -t, -t, t};
    expect_numbers(field(scene, "/m", "normal"), normals, 15, 1e-15);
    dv_scene_free(scene);
    (void)snprintf(text, sizeof text, "<Node><DefaultAnimationLoop/><OglModel name='m' filename='%s'/></Node>", path);
    scene = scene_from_text(text); /* with its normals each of the points has two vertices */
    assert_int_equal(field(scene, "/m", "vertices")->count, 6);
    expect_numbers(field(scene, "/m", "position"), points, 12, 0);
    dv_scene_free(scene);
    assert_int_equal(unlink(path), 0);
}

/* Around the middle of an octahedron: longitude and latitude of its corners. */
static void texture_coordinates_are_those_of_a_sphere_around_the_middle(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node><DefaultAnimationLoop/><OglModel name='m' computeTextureCoordinates='1' position='7 2 3  3 2 3  5 4 3"
        "  5 0 3  5 2 5  5 2 1  6 3 3' triangles='0 2 4'/></Node>");
    const double uv[14] = {0.5, 0.5, 1.0, 0.5, 0.75, 0.5, 0.25, 0.5, 0.5, 0.0, 0.5, 1.0, 0.625, 0.5};
    expect_numbers(field(scene, "/m", "texcoords"), uv, 14, 1e-15);
    dv_scene_free(scene);
}

static void points_and_faces_of_a_topology_are_followed_when_it_changes(void **state)
{
    (void)state;
    for (int follows = 0; follows < 2; follows++) {
        char text[768];
        (void)snprintf(
            text, sizeof text,
            "<Node><DefaultAnimationLoop/><TriangleSetTopologyContainer name='mesh' position='0 0 0  1 0 0  0 1 0  1 1 0'"
            " triangles='0 1 2  1 3 2'/><TriangleSetTopologyModifier name='modifier'/><MechanicalObject/>"
            "<OglModel name='m' topology='@mesh' handleDynamicTopology='%d'/></Node>",
            follows);
        DvScene *scene = scene_from_text(text);
        assert_int_equal(field(scene, "/m", "position")->count, 4);
        expect_indices(field(scene, "/m", "triangles"), (const uint32_t[]){0, 1, 2, 1, 3, 2}, 6);
        DvObject *modifier = scene_object(scene, "/modifier");
        const DvTopologyModifierOps *ops = dv_object_ops(modifier, DV_TOPOLOGY_MODIFIER);
        const uint32_t last = 1;
        assert_int_equal(ops->remove_elements(dv_object_self(modifier), DV_TRIANGLES, 1, &last, true), DV_OK);
        dv_scene_update_visual(scene);
        assert_int_equal(field(scene, "/m", "triangles")->count, follows ? 1 : 2);
        assert_int_equal(ops->add_points(dv_object_self(modifier), 2, NULL), DV_OK);
        dv_scene_update_visual(scene);
        DvObject *mesh = scene_object(scene, "/mesh");
        const DvTopologyOps *topology = dv_object_ops(mesh, DV_TOPOLOGY);
        const uint32_t points = topology->point_count(dv_object_self(mesh));
        assert_true(points > 4);
        assert_int_equal(field(scene, "/m", "position")->count, follows ? points : 4);
        dv_scene_free(scene);
    }
}

/* Positions that somebody writes stay when faces change; when there are other points, those of the mesh are taken. */
static void positions_that_are_written_stay_while_faces_change(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node><DefaultAnimationLoop/><TriangleSetTopologyContainer name='c' position='0 0 0  1 0 0  0 1 0  1 1 0' triangles='0 1 2  1 3 "
        "2'/><TriangleSetTopologyModifier name='m'/><MechanicalObject/><OglModel name='v'/></Node>");
    DvObject *model = scene_object(scene, "/v"), *by = scene_object(scene, "/m");
    const DvTopologyModifierOps *modifier = dv_object_ops(by, DV_TOPOLOGY_MODIFIER);
    DvData *position = dv_object_field(model, "position"), *triangles = dv_object_field(model, "triangles");
    static const double moved[12] = {0, 0, 5, 1, 0, 6, 0, 1, 7, 1, 1, 8};
    size_t points;
    dv_scene_update_visual(scene);
    assert_true(dv_data_doubles(position, &points)[11] == 0.0 && points == 4);
    dv_data_set(position, moved, 4);
    assert_int_equal(modifier->remove_elements(dv_object_self(by), DV_TRIANGLES, 1, (const uint32_t[]){0}, false),
                     DV_OK);
    dv_scene_update_visual(scene);
    assert_memory_equal(dv_data_doubles(position, &points), moved, sizeof moved);
    (void)dv_data_read(triangles);
    assert_int_equal(triangles->count, 1);
    assert_int_equal(modifier->remove_points(dv_object_self(by), 1, (const uint32_t[]){0}), DV_OK);
    dv_scene_update_visual(scene);
    const double *now = dv_data_doubles(position, &points);
    assert_true(points == 3 && now[2] == 0.0 && now[5] == 0.0 && now[8] == 0.0);
    dv_scene_free(scene);
}

static void faces_without_points_are_told_and_given_normals_are_kept(void **state)
{
    (void)state;
    DvText said = {0};
    dv_log_set_handler(collect, &said);
    DvScene *scene = scene_from_text(
        "<Node><DefaultAnimationLoop/><OglModel name='m' position='0 0 0  1 0 0  0 1 0' triangles='0 1 2  0 1 3'"
        " updateNormals='0' normal='1 0 0  0 1 0  0 0 1'/></Node>");
    dv_log_set_handler(NULL, NULL);
    assert_non_null(said.at);
    assert_non_null(strstr(said.at, "OglModel 'm': triangles[1]: no point 3: the surface has 3, counted from 0"));
    const double given[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    expect_numbers(field(scene, "/m", "normal"), given, 9, 0);
    dv_scene_free(scene);
    dv_text_free(&said);
}

static void an_unknown_mesh_file_is_an_error_with_its_field(void **state)
{
    (void)state;
    expect_load_error("<Node>\n<DefaultAnimationLoop/>\n<OglModel name='m' filename='nowhere.obj'/></Node>",
                      "scene.scn:3:");
    expect_load_error("<Node>\n<DefaultAnimationLoop/>\n<OglModel name='m' filename='nowhere.obj'/></Node>",
                      "no file 'nowhere.obj'");
}

/* All its vector arithmetic, with operands that are absent, against a plain sum. */
static void vectors_of_a_visual_model_are_added_and_multiplied(void **state)
{
    (void)state;
    static const DvVecId absent = DV_NO_VEC;
    DvScene *scene = scene_from_text("<Node><OglModel name='m' position='1 2 3  4 5 6' triangles='0 0 1'/></Node>");
    const DvStateRef s = dv_state_ref(scene_object(scene, "/m"));
    double *f = dv_state_write(s, DV_FORCE, DV_READ_WRITE).at, *v = dv_state_write(s, DV_VELOCITY, DV_READ_WRITE).at;
    double dot = 0;
    for (int i = 0; i < 6; i++) {
        f[i] = 1 + i;
        v[i] = 0.5 * i - 1;
        dot += f[i] * v[i];
    }
    assert_true(s.ops->dot(s.self, DV_FORCE, DV_VELOCITY) == dot);
    assert_true(s.ops->dot(s.self, DV_FORCE, DV_DX) == 0 || s.ops->has(s.self, DV_DX));
    const DvVecId operands[4][2] = {
        {DV_FORCE, DV_VELOCITY}, {absent, DV_VELOCITY}, {DV_FORCE, absent}, {absent, absent}};
    for (int k = 0; k < 4; k++) {
        s.ops->combine(s.self, DV_DX, operands[k][0], operands[k][1], -3);
        const double *sum = dv_state_read(s, DV_DX).at;
        for (int i = 0; i < 6; i++)
            assert_true(sum[i] == (k == 0 || k == 2 ? 1 + i : 0) - (k < 2 ? 3 * (0.5 * i - 1) : 0));
    }
    s.ops->clear(s.self, DV_FORCE);
    for (int i = 0; i < 6; i++)
        assert_true(dv_state_read(s, DV_FORCE).at[i] == 0);
    assert_int_equal(s.ops->first_not_finite(s.self, DV_VELOCITY), UINT32_MAX);
    for (int i = 5; i >= 0; i--) {
        dv_state_write(s, DV_VELOCITY, DV_READ_WRITE).at[i] = INFINITY;
        assert_int_equal(s.ops->first_not_finite(s.self, DV_VELOCITY), i / 3);
    }
    dv_scene_free(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors_of_a_visual_model_are_added_and_multiplied),
        cmocka_unit_test(points_are_scaled_then_turned_then_moved_once),
        cmocka_unit_test(normals_are_those_of_the_faces_weighted_by_area),
        cmocka_unit_test(split_vertices_share_points_and_normals),
        cmocka_unit_test(a_visual_model_follows_when_somebody_looks_and_not_before),
        cmocka_unit_test(a_visual_model_is_never_taken_for_the_state_of_its_node),
        cmocka_unit_test(the_vectors_of_a_surface_obey_the_contract_of_states),
        cmocka_unit_test(vectors_of_a_surface_have_as_many_points_as_it_has_positions),
        cmocka_unit_test(a_color_makes_the_material),
        cmocka_unit_test(display_flags_apply_from_the_root_of_their_tree),
        cmocka_unit_test(a_style_inherits_what_it_leaves_open),
        cmocka_unit_test(clouds_reach_as_far_as_they_are_drawn),
        cmocka_unit_test(old_display_attributes_of_a_node_make_a_style),
        cmocka_unit_test(a_camera_that_looks_at_a_point_sees_it_in_the_middle),
        cmocka_unit_test(what_follows_an_edited_camera),
        cmocka_unit_test(a_recorded_camera_goes_around_its_centre),
        cmocka_unit_test(a_recorded_camera_passes_its_places),
        cmocka_unit_test(a_recorded_camera_turns_between_its_places),
        cmocka_unit_test(a_recorded_camera_without_a_way_is_refused),
        cmocka_unit_test(normals_of_a_file_that_do_not_count_split_no_vertices),
        cmocka_unit_test(texture_coordinates_are_those_of_a_sphere_around_the_middle),
        cmocka_unit_test(points_and_faces_of_a_topology_are_followed_when_it_changes),
        cmocka_unit_test(positions_that_are_written_stay_while_faces_change),
        cmocka_unit_test(faces_without_points_are_told_and_given_normals_are_kept),
        cmocka_unit_test(an_unknown_mesh_file_is_an_error_with_its_field),
    };
    return cmocka_run_group_tests(tests, NULL, stop_plugins);
}
