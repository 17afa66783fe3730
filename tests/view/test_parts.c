/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The parts that a session and the window are made of, each by itself: cameras by closed forms, messages and the log as text, views of
 * fields beside what the kernel says of them, elements that a hand reaches through every kind of mesh.
 */
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <divan/contracts/camera.h>
#include <divan/contracts/topology.h>
#include <divan/divan.h>
#include <glib/gstdio.h>

#include "camera.h"
#include "hand.h"
#include "logbook.h"
#include "message.h"
#include "plots.h"
#include "recording.h"
#include "scene_text.h"
#include "seen.h"
#include "share.h"
#include "snapshot.h"
#include "target.h"
#include "view_file.h"

static void expect_near(double found, double wanted)
{
    if (!(fabs(found - wanted) <= 1e-9 * fmax(1, fabs(wanted))))
        fail_msg("%.12g instead of %.12g", found, wanted);
}

static void expect_point(const double *found, double x, double y, double z)
{
    expect_near(found[0], x);
    expect_near(found[1], y);
    expect_near(found[2], z);
}

/* Cameras */

/* At distance 5 from (1, 2, 3), looking along -z, y up. */
static DvCamera looking(void)
{
    return (DvCamera){.position = {1, 2, 8},
                      .orientation = {0, 0, 0, 1},
                      .look_at = {1, 2, 3},
                      .field_of_view = 60,
                      .near = 0.1,
                      .far = 100};
}

/* The ball has a radius of 0.4 of the smaller side: a stroke by angle a on it turns the camera by 2 a the other way. */
static void a_drag_turns_the_camera_by_twice_the_angle_on_the_ball(void **state)
{
    (void)state;
    const double width = 500, height = 300, radius = 0.4 * 300;
    static const double shares[] = {0.1, 0.5, 0.7};
    for (size_t i = 0; i < 3; i++)
        for (int vertical = 0; vertical < 2; vertical++)
            for (int sign = -1; sign <= 1; sign += 2) {
                const CameraDrag drag = {.begin = looking(), .x = width / 2, .y = height / 2};
                DvCamera camera = drag.begin;
                const double u = sign * shares[i], turn = 2 * asin(u);
                camera_rotate(&camera, &drag, width / 2 + (vertical ? 0 : u * radius),
                              height / 2 - (vertical ? u * radius : 0), width, height);
                if (vertical)
                    expect_point(camera.position, 1, 2 - 5 * sin(turn), 3 + 5 * cos(turn));
                else
                    expect_point(camera.position, 1 - 5 * sin(turn), 2, 3 + 5 * cos(turn));
                expect_point(camera.look_at, 1, 2, 3);
                const DvVec3 ahead = dv_quat_rotate(dv_quat_load(camera.orientation), dv_vec3(0, 0, -5));
                expect_point((double[]){camera.position[0] + ahead.x, camera.position[1] + ahead.y,
                                        camera.position[2] + ahead.z},
                             1, 2, 3);
            }
}

/* Beyond the ball's flank, |u|^2 = 1/2, the surface goes on as v = 1 / (2 u): one goes over into the other. */
static void the_ball_goes_over_into_a_hyperbola(void **state)
{
    (void)state;
    static const double shares[] = {0.71, 1, 2.5};
    for (size_t i = 0; i < 3; i++)
        for (int tall = 0; tall < 2; tall++) {
            const double width = tall ? 300 : 800, height = tall ? 800 : 300, radius = 0.4 * 300;
            const CameraDrag drag = {.begin = looking(), .x = width / 2, .y = height / 2};
            DvCamera camera = drag.begin;
            const double u = shares[i], turn = 2 * atan2(u, 0.5 / u);
            camera_rotate(&camera, &drag, width / 2 + u * radius, height / 2, width, height);
            expect_point(camera.position, 1 - 5 * sin(turn), 2, 3 + 5 * cos(turn));
        }
    /* From a place aside to itself: nothing; around the rim: about the line of sight, which leaves the place. */
    const CameraDrag drag = {.begin = looking(), .x = 400, .y = 150};
    DvCamera camera = looking();
    camera.position[0] = 77;
    camera_rotate(&camera, &drag, 400, 150, 500, 300);
    expect_point(camera.position, 1, 2, 8);
    camera_rotate(&camera, &drag, 400.0001, 150, 500, 300);
    assert_true(camera.position[0] < 1);
}

static void a_camera_moves_across_with_what_is_under_the_mouse(void **state)
{
    (void)state;
    DvCamera camera = looking();
    double before[2], after[2];
    const double at[3] = {1.5, 2.5, 3};
    assert_true(camera_project(&camera, 640, 480, at, before));
    camera_pan(&camera, 31, -17, 480);
    assert_true(camera_project(&camera, 640, 480, at, after));
    expect_near(after[0] - before[0], 31);
    expect_near(after[1] - before[1], -17);
    expect_near(camera.position[2], 8);
    expect_point(
        (double[]){camera.look_at[0] - camera.position[0], camera.look_at[1] - camera.position[1], camera.look_at[2]},
        0, 0, 3);
}

static void a_camera_comes_nearer_to_its_pivot_and_not_onto_it(void **state)
{
    (void)state;
    DvCamera camera = looking();
    camera_zoom(&camera, 0.5);
    expect_point(camera.position, 1, 2, 5.5);
    camera_zoom(&camera, 4);
    expect_point(camera.position, 1, 2, 13);
    camera_zoom(&camera, 0);
    assert_true(camera.position[2] > 3 && camera.position[2] < 3 + 2e-9);
}

/* A cube of the largest side stands back by 1.1 of its half over the sine of half the smaller opening angle. */
/* A triangle at z = 1 that a transform of its node has moved to z = 3, a ball, a tube across the line of sight; what a plane of the scene
 * cuts away is not there. */
static void what_a_picture_shows_is_met_where_it_is_drawn(void **state)
{
    (void)state;
    const float points[] = {-1, -1, 1, 1, -1, 1, 0, 1, 1};
    const uint32_t corners[] = {0, 1, 2};
    const DvBatchSolid ball = {.from = {5, 0, 0}, .radius = 2},
                       tube = {.from = {9, 0, -1}, .radius = 0.5f, .to = {9, 4, -1}};
    const DvPictureArray positions = {1, points, 3, 12}, triangles = {2, corners, 1, 12},
                         balls = {3, &ball, 1, sizeof ball}, tubes = {4, &tube, 1, sizeof tube};
    DvPictureState states[2] = {{.transform = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 2}, .moved = true},
                                {.transform = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}}};
    const DvPictureSurface surface = {.path = "/Body/Look", .positions = &positions, .triangles = &triangles};
    const DvPictureBatch batches[] = {{.kind = DV_BATCH_SPHERES, .state = 1, .array = &balls},
                                      {.kind = DV_BATCH_CYLINDERS, .state = 1, .array = &tubes}};
    const DvPictureOwner owners[] = {{.batch = 0, .path = "/Ball"}, {.batch = 1}};
    const Reach reach = {0};
    const DvPicture picture = {.states = states,
                               .state_count = 2,
                               .surfaces = &surface,
                               .surface_count = 1,
                               .batches = batches,
                               .batch_count = 2,
                               .owners = owners,
                               .owner_count = 2};
    Seen seen = {0};
    assert_true(seen_on_ray(&picture, &(Ray){{0, 0, 10}, {0, 0, -1}}, reach, &seen));
    assert_string_equal(seen.path, "/Body/Look");
    expect_near(seen.depth, 7);
    expect_point(seen.at, 0, 0, 3);
    assert_true(seen_on_ray(&picture, &(Ray){{5, 0, 10}, {0, 0, -1}}, reach, &seen));
    assert_string_equal(seen.path, "/Ball");
    expect_point(seen.at, 5, 0, 2);
    assert_true(seen_on_ray(&picture, &(Ray){{9.3, 2, 10}, {0, 0, -1}}, reach, &seen));
    assert_true(fabs(seen.at[2] + 0.6) < 1e-6);
    assert_false(seen_on_ray(&picture, &(Ray){{9, 5, 10}, {0, 0, -1}}, reach, &seen));
    assert_false(seen_on_ray(&picture, &(Ray){{2, 0, 10}, {0, 0, -1}}, reach, &seen));
    states[0].clip_count = 1;
    states[0].clips[0][2] = -1, states[0].clips[0][3] = 2.5f; /* kept: z <= 2.5 */
    assert_false(seen_on_ray(&picture, &(Ray){{0, 0, 10}, {0, 0, -1}}, reach, &seen));
}

/* Lines and points are met from so near as the reach says, each by whom it is; a face in front of them hides them, and what is drawn over all
 * else is nothing that one points at. */
static void lines_and_points_are_met_from_nearby(void **state)
{
    (void)state;
    const DvBatchVertex lines[] = {{.at = {-1, 0, 0}}, {.at = {1, 0, 0}}, {.at = {5, -1, 0}}, {.at = {5, 1, 2}}},
                        point = {.at = {0, 5, 0}},
                        face[] = {{.at = {-2, -1, 1}}, {.at = {-0.5f, -1, 1}}, {.at = {-0.5f, 1, 1}}};
    const DvPictureArray arrays[] = {
        {1, lines, 4, sizeof *lines}, {2, &point, 1, sizeof point}, {3, face, 3, sizeof *face}};
    const DvPictureState plain = {.transform = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}};
    DvPictureBatch batches[] = {{.kind = DV_BATCH_LINES, .array = &arrays[0]},
                                {.kind = DV_BATCH_POINTS, .array = &arrays[1]},
                                {.kind = DV_BATCH_TRIANGLES, .array = &arrays[2]}};
    const DvPictureOwner owners[] = {{0, 0, "/A"}, {0, 2, "/B"}, {1, 0, "/C"}, {2, 0, "/D"}};
    const DvPicture picture = {
        .states = &plain, .state_count = 1, .batches = batches, .batch_count = 3, .owners = owners, .owner_count = 4};
    const Reach reach = {.begin = 0.05, .slope = 0.005}; /* 0.1 at z = 0 */
    static const struct {
        double x, y;
        const char *path;
    } rays[] = {{0, 0.09, "/A"},    {0, 0.11, NULL},   {1.09, 0, "/A"}, {1.11, 0, NULL},
                {5, 0, "/B"},       {5.08, 0.5, "/B"}, {5, 1.2, NULL},  {0, 5.09, "/C"},
                {0.08, 5.08, NULL}, {-0.6, 0, "/D"},   {-0.4, 0, "/A"}};
    Seen seen = {0};
    for (size_t i = 0; i < sizeof rays / sizeof *rays; i++) {
        const bool met = seen_on_ray(&picture, &(Ray){{rays[i].x, rays[i].y, 10}, {0, 0, -1}}, reach, &seen);
        assert_true(met == (rays[i].path != NULL));
        if (met)
            assert_string_equal(seen.path, rays[i].path);
    }
    assert_true(seen_has(&picture, "/B") && seen_has(&picture, "/") && !seen_has(&picture, "/E"));
    batches[0].draw_state = DV_DRAW_ON_TOP;
    assert_false(seen_on_ray(&picture, &(Ray){{0, 0.05, 10}, {0, 0, -1}}, reach, &seen));
}

/* Of a point somewhere in the picture, at another depth than the pivot; seen in perspective and in parallel. */
static void what_is_below_the_mouse_stays_there_as_the_camera_comes_nearer(void **state)
{
    (void)state;
    static const double points[][3] = {{1.5, 2.25, 2}, {0.25, 1, 4}, {1, 2, 3}};
    for (int k = 0; k < 6; k++) {
        const double *at = points[k / 2];
        double before[2], after[2];
        DvCamera camera = looking();
        camera.orthographic = k % 2 == 1;
        assert_true(camera_project(&camera, 640, 480, at, before));
        camera_zoom_about(&camera, 0.5, at);
        assert_true(camera_project(&camera, 640, 480, at, after));
        expect_near(after[0], before[0]);
        expect_near(after[1], before[1]);
        expect_point(camera.position, (1 + at[0]) / 2, (2 + at[1]) / 2, at[2] + (8 - at[2]) / 2);
        expect_point(camera.look_at, (1 + at[0]) / 2, (2 + at[1]) / 2, (3 + at[2]) / 2);
        camera_zoom_about(&camera, 0, at);
        assert_true(isfinite(camera.position[2]) && camera.position[2] > camera.look_at[2]);
    }
    DvCamera camera = looking();
    double point[3], pixel[2];
    camera_point_below(&camera, 640, 480, 100, 400, point);
    expect_near(point[2], 3);
    assert_true(camera_project(&camera, 640, 480, point, pixel));
    expect_near(pixel[0], 100);
    expect_near(pixel[1], 400);
}

/* A stroke by an angle of 45 degrees turns by a right angle about the point, which stays at its pixel. */
static void a_drag_turns_about_the_point_below_the_mouse(void **state)
{
    (void)state;
    const double width = 640, height = 480, radius = 0.4 * height;
    CameraDrag drag = {.begin = looking(), .x = width / 2, .y = height / 2, .has_point = true, .point = {1, 2, 4}};
    DvCamera camera = drag.begin;
    camera_rotate(&camera, &drag, width / 2 + radius * sin(DV_PI / 4), height / 2, width, height);
    expect_point(camera.position, 1 - 4, 2, 4);
    expect_point(camera.look_at, 1 + 1, 2, 4);
    double pixel[2];
    assert_true(camera_project(&camera, width, height, drag.point, pixel));
    expect_near(pixel[0], width / 2);
    expect_near(pixel[1], height / 2);
}

static void a_box_fills_the_picture(void **state)
{
    (void)state;
    static const double boxes[3][6] = {{0, 0, 0, 4, 1, 2}, {0, 0, 0, 1, 4, 2}, {-1, -1, -1, 0, 0, 3}};
    for (int i = 0; i < 3; i++)
        for (int tall = 0; tall < 2; tall++) {
            const double *box = boxes[i], width = tall ? 200 : 400, height = 300;
            const double angle = tall ? atan(tan(DV_PI / 6) * 200 / 300) : DV_PI / 6;
            DvCamera camera = looking();
            camera_fit(&camera, box, width, height);
            const double x = (box[0] + box[3]) / 2, y = (box[1] + box[4]) / 2, z = (box[2] + box[5]) / 2;
            expect_point(camera.look_at, x, y, z);
            expect_point(camera.position, x, y, z + 1.1 * 2 / sin(angle));
        }
    DvCamera camera = looking();
    camera_fit(&camera, (double[]){7, 7, 7, 7, 7, 7}, 300, 300); /* a point counts as the box from -1 to 1 */
    expect_point(camera.position, 0, 0, 1.1 / sin(DV_PI / 6));
}

static void a_camera_faces_each_axis(void **state)
{
    (void)state;
    static const double from[6][3] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}},
                        up[6][3] = {{0, 1, 0}, {0, 1, 0}, {0, 0, -1}, {0, 0, 1}, {0, 1, 0}, {0, 1, 0}};
    for (int axis = 0; axis < 6; axis++) {
        DvCamera camera = looking();
        camera_face(&camera, axis);
        expect_point(camera.position, 1 + 5 * from[axis][0], 2 + 5 * from[axis][1], 3 + 5 * from[axis][2]);
        double top[3], back[3];
        dv_vec3_store(dv_quat_rotate(dv_quat_load(camera.orientation), dv_vec3(0, 1, 0)), top);
        dv_vec3_store(dv_quat_rotate(dv_quat_load(camera.orientation), dv_vec3(0, 0, 1)), back);
        expect_point(top, up[axis][0], up[axis][1], up[axis][2]);
        expect_point(back, from[axis][0], from[axis][1], from[axis][2]);
    }
}

/* What lies on the line of sight of a pixel is seen there. */
static void a_point_is_projected_to_the_pixel_whose_ray_meets_it(void **state)
{
    (void)state;
    for (int orthographic = 0; orthographic < 2; orthographic++)
        for (int i = 0; i < 5; i++) {
            DvCamera camera = looking();
            camera.orthographic = orthographic;
            camera_face(&camera, i);
            double origin[3], direction[3], pixel[2];
            const double x = 37 + 100 * i, y = 300 - 50 * i;
            dv_camera_ray(&camera, 640, 400, x, y, origin, direction);
            const double at[3] = {origin[0] + 3 * direction[0], origin[1] + 3 * direction[1],
                                  origin[2] + 3 * direction[2]};
            assert_true(camera_project(&camera, 640, 400, at, pixel));
            expect_near(pixel[0], x);
            expect_near(pixel[1], y);
        }
    const DvCamera camera = looking();
    double pixel[2];
    assert_false(camera_project(&camera, 640, 400, (double[]){1, 2, 9}, pixel)); /* behind */
    assert_false(camera_project(&camera, 640, 400, (double[]){1, 2, 8}, pixel));
}

/* Views in files */

/* The camera that a file of this text gives to the one of looking(); NULL or what is said. */
static char *read_view(const char *text, DvCamera *camera)
{
    char *file = g_build_filename(g_get_tmp_dir(), "divan-view-parts.view", NULL);
    DvText why = {0};
    *camera = looking();
    camera->by_bounds = true;
    assert_true(g_file_set_contents(file, text, -1, NULL));
    const bool good = view_file_read(camera, file, &why);
    char *said = good ? NULL : g_strdup(why.at);
    assert_true(good == (why.at == NULL));
    dv_text_free(&why);
    g_remove(file);
    g_free(file);
    return said;
}

static void a_view_is_written_and_read_back(void **state)
{
    (void)state;
    for (int parallel = 0; parallel < 2; parallel++) {
        DvCamera camera = {.position = {1.5, -2, 0.1},
                           .orientation = {0.1, 0.7, -0.1, 0.7},
                           .field_of_view = 37.5,
                           .near = 0.25,
                           .far = 1e4,
                           .orthographic = parallel},
                 read = looking();
        DvText why = {0};
        dv_vec3_store(dv_vec3_add(dv_vec3_load(camera.position),
                                  dv_quat_rotate(dv_quat_load(camera.orientation), dv_vec3(0, 0, -2.5))),
                      camera.look_at);
        char *file = g_build_filename(g_get_tmp_dir(), "divan-view-parts.view", NULL);
        assert_true(view_file_write(&camera, file, &why));
        assert_true(view_file_read(&read, file, &why));
        assert_null(why.at);
        expect_point(read.position, 1.5, -2, 0.1);
        expect_point(read.look_at, camera.look_at[0], camera.look_at[1], camera.look_at[2]);
        for (int i = 0; i < 4; i++)
            expect_near(read.orientation[i], camera.orientation[i]);
        expect_near(read.field_of_view, 37.5);
        assert_true(read.near == 0.25 && read.far == 1e4 && read.orthographic == (parallel == 1));
        assert_true(read.fits_clip && !read.by_bounds);
        g_remove(file);
        g_free(file);
        assert_false(view_file_write(&camera, "/no/such/folder/a.view", &why));
        assert_non_null(strstr(why.at, "/no/such/folder/a.view: "));
        dv_text_free(&why);
    }
}

/* What a file does not say stays; an orientation may have any length. */
static void a_view_may_say_little(void **state)
{
    (void)state;
    DvCamera camera;
    assert_null(read_view("<Camera><position value='3 4 5'/></Camera>", &camera));
    expect_point(camera.position, 3, 4, 5);
    expect_point(camera.look_at, 3, 4, 0); /* as far ahead as before */
    expect_near(camera.orientation[3], 1);
    assert_true(camera.field_of_view == 60 && camera.near == 0.1 && camera.far == 100 && !camera.orthographic);
    assert_true(camera.fits_clip && !camera.by_bounds);
    assert_null(read_view("<Camera version='1'><position value='3 4 5'/><orientation value='0 3 0 3'/><distance "
                          "value='2'/><projectionType value='Orthographic'/><zNear value='1'/><zFar value='9'/>"
                          "<fieldOfView other='1' value='50'/><unknown value='x'/></Camera>",
                          &camera));
    expect_point(camera.look_at, 1, 4, 5); /* turned by 90 degrees about y */
    expect_near(camera.orientation[1], sqrt(0.5));
    expect_near(camera.orientation[3], sqrt(0.5));
    assert_true(camera.field_of_view == 50 && camera.near == 1 && camera.far == 9 && camera.orthographic);
    assert_null(read_view("<Camera><position value='0 0 0'/><projectionType value='1'/></Camera>", &camera));
    assert_true(camera.orthographic);
    assert_null(read_view("<Camera><position value='0 0 0'/><projectionType value='0'/></Camera>", &camera));
    assert_false(camera.orthographic);
}

static void a_file_that_is_no_view_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *inside, *says;
    } wrong[] = {
        {"", "it takes a Camera with position and orientation"},
        {"<position/>", "it takes a Camera with position and orientation"},
        {"<position value='1 2'/>", "this is no view: position"},
        {"<position value='1 2 x'/>", "this is no view: position"},
        {"<position value='1 2 inf'/>", "this is no view: position"},
        {"<position value='1 2 3'/><orientation value='0 0 1'/>", "this is no view: orientation"},
        {"<position value='1 2 3'/><orientation value='0 0 0 0'/>", "it takes a Camera with position and orientation"},
        {"<position value='1 2 3'/><lookAt value='a'/>", "this is no view: lookAt"},
        {"<position value='1 2 3'/><fieldOfView value=''/><zFar value=''/>", "this is no view: fieldOfView"},
        {"<position value='1 2 3'/><distance value='far'/>", "this is no view: distance"},
        {"<position value='1 2 3'/><distance value='0'/>", "it takes a Camera with position and orientation"},
        {"<position value='1 2 3'/><distance value='-1'/>", "it takes a Camera with position and orientation"},
        {"<position value='1 2 3'/><zNear value='-'/>", "this is no view: zNear"},
        {"<position value='1 2 3'/><zFar value='-'/>", "this is no view: zFar"},
        {"<position value='1 2 3'>", "divan-view-parts.view: "},
    };
    DvCamera camera, before = looking();
    before.by_bounds = true;
    for (size_t i = 0; i < G_N_ELEMENTS(wrong); i++) {
        char *text = g_strdup_printf("<Camera>%s</Camera>", wrong[i].inside), *said = read_view(text, &camera);
        if (!said || !strstr(said, wrong[i].says))
            fail_msg("%s is answered by '%s' instead of '%s'", text, said ? said : "(nothing)", wrong[i].says);
        expect_point(camera.position, before.position[0], before.position[1], before.position[2]);
        assert_true(camera.by_bounds);
        g_free(said);
        g_free(text);
    }
    char *said = read_view("<View><position value='1 2 3'/></View>", &camera);
    assert_non_null(said);
    g_free(said);
    DvText why = {0};
    assert_false(view_file_read(&camera, "/no/such/a.view", &why));
    assert_non_null(strstr(why.at, "/no/such/a.view: "));
    dv_text_free(&why);
}

/* Recordings on their way */

static void expect_written(int from, const char *text)
{
    char bytes[256] = "";
    const ssize_t count = read(from, bytes, sizeof bytes - 1);
    assert_int_equal(count, (ssize_t)strlen(text));
    assert_string_equal(bytes, text);
}

/* Each change is in the file before it is made; that the file takes no more is said once, and at the end that it is not whole. */
static void what_is_recorded_is_written_at_once(void **state)
{
    (void)state;
    int ends[2];
    DvText why = {0};
    Writer writer = {0};
    const Message release = {.kind = MESSAGE_RELEASE}, edit = {.kind = MESSAGE_EDIT, .path = "/a.b", .text = "1\n2"};
    Recording *recording = recording_new("/a \"b\".scn", 0xabc);
    recording_add(recording, 2, &(Message){.kind = MESSAGE_RESET});
    assert_true(writer_add(&writer, 1, &release, &why) && writer_end(&writer, 1, 1, &why)); /* none has begun */
    assert_int_equal(pipe(ends), 0);
    char *name = g_strdup_printf("/dev/fd/%d", ends[1]);
    assert_true(writer_begin(&writer, name, NULL, recording, &why));
    assert_string_equal(writer.name, name);
    expect_written(ends[0], "divan-session 1\nscene \"/a \\\"b\\\".scn\"\nstart 0000000000000abc\n2 reset\n");
    assert_true(writer_add(&writer, 7, &release, &why));
    expect_written(ends[0], "7 release\n");
    assert_true(writer_add(&writer, 8, &edit, &why));
    expect_written(ends[0], "8 edit \"/a.b\" \"1\\n2\"\n");
    assert_null(why.at);
    assert_int_equal(close(ends[0]), 0);
    void (*before)(int) = signal(SIGPIPE, SIG_IGN);
    assert_false(writer_add(&writer, 9, &release, &why));
    assert_non_null(strstr(why.at, "; further changes are not recorded"));
    assert_int_equal(strncmp(why.at, name, strlen(name)), 0);
    why.length = 0;
    assert_true(writer_add(&writer, 9, &release, &why) && why.length == 0);
    assert_false(writer_end(&writer, 10, 0xdef, &why));
    assert_non_null(strstr(why.at, name));
    assert_true(!writer.file && !writer.name && !writer.lost);
    (void)signal(SIGPIPE, before);
    assert_int_equal(close(ends[1]), 0);
    dv_text_free(&why);
    g_free(name);
    recording_free(recording);
}

/* Messages */

static void a_message_is_a_line_and_back(void **state)
{
    (void)state;
    static const struct {
        Message message;
        const char *line;
    } all[] = {
        {{.kind = MESSAGE_EDIT, .path = "/a.b", .text = "1 \"two\"\n3\\"}, "edit \"/a.b\" \"1 \\\"two\\\"\\n3\\\\\""},
        {{.kind = MESSAGE_ELEMENT, .path = "/a.b", .numbers = {4, 0.1}}, "element \"/a.b\" 4 0.1"},
        {{.kind = MESSAGE_ACTIVATE, .path = "/a", .numbers = {1}}, "activate \"/a\" 1"},
        {{.kind = MESSAGE_DELETE, .path = "/a b"}, "delete \"/a b\""},
        {{.kind = MESSAGE_KEY, .numbers = {1, 65}}, "key 1 65"},
        {{.kind = MESSAGE_MOUSE, .numbers = {1, 2, 0, 0}}, "mouse pressed middle 0 0"},
        {{.kind = MESSAGE_DEVICE, .path = "/arm", .numbers = {1, 2, 3, 0, 0.6, 0, 0.8}},
         "device \"/arm\" 1 2 3 0 0.6 0 0.8"},
        {{.kind = MESSAGE_BUTTON, .path = "/arm", .numbers = {1, 31}}, "button \"/arm\" 1 31"},
        {{.kind = MESSAGE_FORCES, .numbers = {1}}, "forces 1"},
        {{.kind = MESSAGE_GRAB, .numbers = {2, 1, 2, 3, 4, 5, 6, 7}}, "grab 2 1 2 3 4 5 6 7"},
        {{.kind = MESSAGE_DRAG, .numbers = {1, 2, 3, 4, 5, 1e-300}}, "drag 1 2 3 4 5 1e-300"},
        {{.kind = MESSAGE_RELEASE}, "release"},
        {{.kind = MESSAGE_RESET}, "reset"},
        {{.kind = MESSAGE_VIEWPOINT, .numbers = {1, 2, 3, 4, 5, 6, 7}}, "viewpoint 1 2 3 4 5 6 7"},
        {{.kind = MESSAGE_NAVIGATE}, "navigate"},
        {{.kind = MESSAGE_UNDO}, "undo"},
        {{.kind = MESSAGE_KEY, .numbers = {0, 18, 5}}, "key 0 18 5"},
    };
    assert_int_equal(G_N_ELEMENTS(all), MESSAGE_CHANGES + 1);
    for (size_t i = 0; i < G_N_ELEMENTS(all); i++) {
        GString *line = g_string_new(NULL);
        message_print(&all[i].message, line);
        assert_string_equal(line->str, all[i].line);
        Message *read = message_parse(line->str), *copy = message_copy(read);
        assert_non_null(read);
        assert_int_equal(copy->kind, all[i].message.kind);
        assert_string_equal(copy->path, all[i].message.path ? all[i].message.path : "");
        assert_string_equal(copy->text, all[i].message.text ? all[i].message.text : "");
        assert_memory_equal(copy->numbers, all[i].message.numbers, sizeof copy->numbers);
        message_free(read);
        message_free(copy);
        g_string_append(line, " x"); /* and nothing more */
        assert_null(message_parse(line->str));
        g_string_free(line, TRUE);
    }
    static const char *const bad[] = {"",
                                      "ed",
                                      "edits \"/a.b\" \"1\"",
                                      "edit",
                                      "edit \"/a.b\"",
                                      "edit /a.b 1",
                                      "edit \"/a.b\" \"1",
                                      "edit \"/a.b\" \"1\\",
                                      "edit \"/a.b\" \"1\\\"",
                                      "drag 1 2 3 4 5",
                                      "mouse 1 2 0 0",
                                      "mouse pressed middle 0",
                                      "mouse lost none 1 2",
                                      "device \"/arm\" 1 2",
                                      "device \"/arm\" 1 2 3 4 5",
                                      "drag 1 2 3 4 5 x"};
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++)
        assert_null(message_parse(bad[i]));
    Message *unturned = message_parse("device \"/arm\" 1 2 3");
    assert_memory_equal(unturned->numbers, ((double[7]){1, 2, 3, 0, 0, 0, 1}), 7 * sizeof(double));
    message_free(unturned);
    message_free(NULL);
}

/* The log */

static void the_log_keeps_so_much_and_says_when_it_ends(void **state)
{
    (void)state;
    enum { MOST = 20000 };
    Logbook *book = logbook_new(false);
    GPtrArray *entries = g_ptr_array_new();
    logbook_add(book, DV_LEVEL_ERROR, "/a", "number %d", 1);
    logbook_take(&(DvMessage){.level = DV_LEVEL_DEBUG, .text = "left out"}, book);
    logbook_take(&(DvMessage){.level = DV_LEVEL_INFO,
                              .file = "x.scn",
                              .line = 3,
                              .component = "C",
                              .name = "c",
                              .path = "/c",
                              .text = "words"},
                 book);
    assert_int_equal(logbook_count(book), 2);
    char *file = g_build_filename(g_get_tmp_dir(), "divan-view-log.txt", NULL), *text = NULL;
    DvText why = {0};
    assert_true(logbook_save(book, file, &why));
    assert_true(g_file_get_contents(file, &text, NULL, NULL));
    assert_string_equal(text, "error: number 1\ninfo: x.scn:3: C 'c': words\n");
    assert_false(logbook_save(book, "/no/such/folder/log.txt", &why));
    assert_non_null(why.at);
    dv_text_free(&why);
    g_remove(file);
    for (int i = 2; i < MOST + 10; i++)
        logbook_add(book, DV_LEVEL_INFO, NULL, "%d", i);
    assert_int_equal(logbook_count(book), MOST + 1);
    logbook_read(book, MOST - 1, entries);
    assert_int_equal(entries->len, 2);
    const LogEntry *last = g_ptr_array_index(entries, 1), *before = g_ptr_array_index(entries, 0);
    assert_string_equal(before->text, "19999");
    assert_string_equal(last->text, "no more messages are kept");
    assert_int_equal(last->level, DV_LEVEL_WARNING);
    g_ptr_array_set_size(entries, 0);
    logbook_read(book, 0, entries);
    const LogEntry *first = g_ptr_array_index(entries, 0), *second = g_ptr_array_index(entries, 1);
    assert_string_equal(first->path, "/a");
    assert_string_equal(second->path, "/c");
    assert_true(second->of_scene && !first->of_scene && !last->of_scene);
    g_ptr_array_unref(entries);
    g_free(text);
    g_free(file);
    logbook_free(book);
}

static gpointer say_the_worst(gpointer book)
{
    logbook_add(book, DV_LEVEL_ERROR, NULL, "by another");
    return NULL;
}

/* The first of the worst that the thread itself has said since, and nothing of another one. */
static void a_thread_hears_what_it_says_itself(void **state)
{
    (void)state;
    Logbook *book = logbook_new(false);
    logbook_add(book, DV_LEVEL_ERROR, NULL, "before");
    logbook_hear(book);
    g_thread_join(g_thread_new("other", say_the_worst, book));
    assert_int_equal(logbook_heard(book), DV_LEVEL_DEBUG);
    logbook_add(book, DV_LEVEL_INFO, NULL, "the least");
    logbook_add(book, DV_LEVEL_WARNING, NULL, "the first");
    logbook_add(book, DV_LEVEL_WARNING, NULL, "the second");
    assert_int_equal(logbook_heard(book), DV_LEVEL_WARNING);
    char *said = logbook_hear_no_more(book);
    assert_string_equal(said, "the first");
    g_free(said);
    logbook_add(book, DV_LEVEL_ERROR, NULL, "when nobody listens");
    logbook_hear(book);
    assert_int_equal(logbook_heard(book), DV_LEVEL_DEBUG);
    assert_null(logbook_hear_no_more(book));
    assert_int_equal(logbook_count(book), 6);
    logbook_free(book);
}

/* Views of objects */

static void expect_words(const char *found, const char *wanted, const char *what)
{
    if (g_strcmp0(found, wanted) != 0)
        fail_msg("%s: '%s' instead of '%s'", what, found ? found : "(none)", wanted ? wanted : "(none)");
}

static void expect_numbers(const FieldView *view, DvData *data, size_t first)
{
    size_t elements = 0, components = 0;
    dv_data_shape(data, &elements, &components);
    double *numbers = g_new0(double, elements *components + 1);
    if (view->scalar >= DV_SCALAR_STRING) {
        assert_null(view->numbers);
    } else if (dv_data_get_numbers(data, numbers, elements * components) == DV_OK) {
        const size_t begin = elements ? MIN(first, elements - 1) / FIELD_ROWS * FIELD_ROWS : 0;
        assert_int_equal(view->first, begin);
        assert_int_equal(view->rows, MIN(elements - begin, (size_t)FIELD_ROWS));
        for (size_t i = 0; i < view->rows * components; i++)
            assert_true(view->numbers[i] == numbers[begin * components + i] ||
                        (isnan(view->numbers[i]) && isnan(numbers[begin * components + i])));
    }
    g_free(numbers);
}

static void expect_field(const FieldView *view, DvData *data, size_t first)
{
    const DvField *field = data->field;
    DvText text = {0}, range = {0};
    expect_words(view->name, field->name, "name");
    expect_words(view->type, data->type->name, field->name);
    expect_words(view->unit, field->unit, field->name);
    expect_words(view->help, field->help, field->name);
    expect_words(view->group, field->group, field->name);
    for (size_t i = 0; field->choices && (i == 0 || field->choices[i - 1]); i++)
        expect_words(view->choices[i], field->choices[i], field->name);
    assert_int_equal(view->choices != NULL, field->choices != NULL);
    if (field->range)
        dv_range_print(field->range, &range);
    expect_words(view->range, range.at, field->name);
    assert_true(view->least == (field->range ? field->range->least : -INFINITY));
    assert_true(view->most == (field->range ? field->range->most : INFINITY));
    assert_int_equal(view->flags, field->flags);
    assert_int_equal(view->scalar, data->type->scalar);
    assert_int_equal(view->components, data->type->components);
    assert_int_equal(view->list, data->type->list);
    assert_int_equal(view->is_set, dv_data_is_set(data));
    assert_int_equal(view->is_link, field->type == &dv_type_link);
    assert_int_equal(view->is_file, field->type == &dv_type_file);
    assert_int_equal(view->is_color, strcmp(data->type->name, "color") == 0);
    assert_int_equal(view->count, data->count);
    const DvData *parent = dv_data_parent(data);
    char *followed = parent ? g_strdup_printf("%s.%s", dv_object_path(parent->owner), parent->field->name) : NULL;
    expect_words(view->parent, followed, field->name);
    dv_data_print(data, &text);
    if (data->type->list && data->count * data->type->components > 400)
        assert_null(view->text);
    else
        expect_words(view->text, text.at ? text.at : "", field->name);
    expect_numbers(view, data, first);
    g_free(followed);
    dv_text_free(&text);
    dv_text_free(&range);
}

static guint look_at_object(DvObject *object, size_t first)
{
    DvNode *node = dv_object_as_node(object);
    const DvClass *cls = dv_object_class(object);
    const DvPlugin *plugin = dv_class_plugin(cls);
    for (size_t i = 0; i < dv_object_field_count(object); i++)
        (void)dv_data_read(dv_object_field_at(object, i)); /* what is computed counts as set */
    ObjectView *view = object_view_new(object, "/some/path", first);
    expect_words(view->path, "/some/path", "path");
    expect_words(view->name, dv_object_name(object), "name");
    expect_words(view->type, cls->name, "type");
    expect_words(view->variant, node ? "" : dv_object_variant(object), "variant");
    expect_words(view->family, cls->family, "family");
    expect_words(view->help, cls->help, "help");
    expect_words(view->plugin, plugin ? plugin->id : "the kernel", "plugin");
    expect_words(view->license, cls->license ? cls->license : plugin ? plugin->license : "", "license");
    assert_int_equal(view->is_node, node != NULL);
    assert_int_equal(view->is_valid, dv_object_is_valid(object));
    assert_int_equal(view->is_active, !node || dv_node_is_active(node));
    assert_int_equal(view->is_transient, dv_object_is_transient(object));
    guint shown = 0;
    for (size_t i = 0; i < dv_object_field_count(object); i++) {
        DvData *data = dv_object_field_at(object, i);
        if (!(data->field->flags & (DV_FIELD_HIDDEN | DV_FIELD_STATE)))
            expect_field(&g_array_index(view->fields, FieldView, shown++), data, first);
    }
    assert_int_equal(view->fields->len, shown);
    object_view_free(view);
    return shown;
}

static DvScene *open_own(const char *name)
{
    DvScene *scene = NULL;
    char *file = g_build_filename(g_getenv("DIVAN_TEST_SOURCE_ROOT"), "scenes", name, NULL);
    assert_int_equal(dv_scene_load(file, NULL, &scene), DV_OK);
    g_free(file);
    return scene;
}

static DvScene *open_text(const char *text)
{
    DvScene *scene = NULL;
    assert_int_equal(dv_scene_load_text(text, strlen(text), "text.scn", NULL, NULL, &scene), DV_OK);
    return scene;
}

/* All objects of scenes that have many kinds of fields. */
static void a_view_of_an_object_has_what_the_kernel_says_of_it(void **state)
{
    (void)state;
    static const char *const scenes[] = {"liver.scn", "beam_on_spheres.scn", "visual/gallery.scn"};
    guint fields = 0;
    for (size_t s = 0; s < G_N_ELEMENTS(scenes); s++) {
        DvScene *scene = open_own(scenes[s]);
        Tree *tree = tree_new(scene);
        for (guint i = 0; i < tree->items->len; i++) {
            const TreeItem *item = &g_array_index(tree->items, TreeItem, i);
            char *link = g_strconcat("@", item->path, NULL);
            DvObject *object = strcmp(item->path, "/") == 0 ? dv_node_object(dv_scene_root(scene))
                                                            : dv_node_resolve(dv_scene_root(scene), NULL, link, NULL);
            assert_non_null(object);
            fields += look_at_object(object, 0) + look_at_object(object, 70) + look_at_object(object, SIZE_MAX);
            g_free(link);
        }
        tree_unref(tree);
        dv_scene_free(scene);
    }
    assert_true(fields > 1000);
    object_view_free(NULL);
}

static void a_tree_is_the_graph(void **state)
{
    (void)state;
    DvScene *scene = open_text(
        "<Node name='root'><DefaultVisualManagerLoop name='draw'/><DefaultAnimationLoop name='loop'/><Node name='a'><MechanicalObject name='d' position='0 0 0'/>\n"
        "<Node name='b' activated='0'><MechanicalObject name='d' template='Rigid3d'/></Node></Node>\n"
        "<Node name='a'><MechanicalObject name='e'/></Node></Node>");
    static const struct {
        const char *path, *plain, *type, *variant, *place;
        guint parent, end, depth;
        bool is_active;
    } wanted[] = {
        {"/", "/", "Node", "", "text.scn:1", G_MAXUINT, 9, 0, true},
        {"/draw", "/draw", "DefaultVisualManagerLoop", "", "text.scn:1", 0, 2, 1, true},
        {"/loop", "/loop", "DefaultAnimationLoop", "", "text.scn:1", 0, 3, 1, true},
        {"/a", "/a", "Node", "", "text.scn:1", 0, 7, 1, true},
        {"/a/d", "/a/d", "MechanicalObject", "Vec3d", "text.scn:1", 3, 5, 2, true},
        {"/a/b", "/a/b", "Node", "", "text.scn:2", 3, 7, 2, false},
        {"/a/b/d", "/a/b/d", "MechanicalObject", "Rigid3d", "text.scn:2", 5, 7, 3, true},
        {"/a[2]", "/a", "Node", "", "text.scn:3", 0, 9, 1, true},
        {"/a[2]/e", "/a/e", "MechanicalObject", "Vec3d", "text.scn:3", 7, 9, 2, true},
    };
    Tree *tree = tree_ref(tree_new(scene));
    tree_unref(tree);
    assert_int_equal(tree->items->len, G_N_ELEMENTS(wanted));
    assert_true(tree->revision == dv_node_revision(dv_scene_root(scene)));
    assert_int_equal(tree->invalid, tree_count_invalid(scene));
    for (guint i = 0; i < tree->items->len; i++) {
        const TreeItem *item = &g_array_index(tree->items, TreeItem, i);
        expect_words(item->path, wanted[i].path, "path");
        expect_words(item->plain, wanted[i].plain, "plain path");
        expect_words(item->type, wanted[i].type, "type");
        expect_words(item->place, wanted[i].place, "place");
        expect_words(item->variant, wanted[i].variant, wanted[i].path);
        assert_int_equal(item->parent, wanted[i].parent);
        assert_int_equal(item->end, wanted[i].end);
        assert_int_equal(item->depth, wanted[i].depth);
        assert_int_equal(item->is_active, wanted[i].is_active);
        assert_int_equal(item->is_node, strcmp(item->type, "Node") == 0);
        assert_int_equal(item->family == NULL, item->is_node);
        assert_ptr_equal(tree_find(tree, item->path), item);
    }
    assert_string_equal(tree_find(tree, "/a/e")->path, "/a[2]/e"); /* by the path of the log */
    assert_null(tree_find(tree, "/b"));
    assert_null(tree_find(NULL, "/"));
    assert_null(tree_find(tree, NULL));
    tree_unref(tree);
    tree_unref(NULL);
    dv_scene_free(scene);
}

/* Plots */

static void plots_are_a_ring_of_samples(void **state)
{
    (void)state;
    DvScene *scene =
        open_text("<Node name='root' gravity='0 0 0' dt='0.5'><DefaultAnimationLoop/><MechanicalObject name='d' "
                  "position='1 2 3  4 5 6'/></Node>");
    DvData *time = dv_object_field(dv_node_object(dv_scene_root(scene)), "time");
    DvData *at = dv_scene_field(scene, "/d.position");
    Plots *plots = plots_new();
    plots_sample(plots, scene); /* nothing to sample */
    assert_true(plots_add(plots, scene, "/d.position", 1) && plots_add(plots, scene, "/d.position", 1));
    for (int i = 0; i < PLOT_SAMPLES + 5; i++) {
        const double moved[6] = {i, 0, 0, -i, 0.5 * i, 7};
        dv_data_set_double(time, 0.25 * i);
        dv_data_set(at, moved, 2);
        plots_sample(plots, scene);
    }
    assert_true(plots_add(plots, scene, "/d.position", 0)); /* one that came later has nothing before */
    GPtrArray *views = plots_view(plots);
    assert_int_equal(views->len, 2);
    const PlotView *view = g_ptr_array_index(views, 0), *late = g_ptr_array_index(views, 1);
    assert_int_equal(view->count, PLOT_SHOWN);
    assert_int_equal(view->curves, 3);
    assert_int_equal(view->element, 1);
    expect_words(view->path, "/d.position", "path");
    expect_words(view->unit, "m", "unit");
    for (int k = 0; k < PLOT_SHOWN; k++) {
        const int i = PLOT_SAMPLES + 5 - PLOT_SHOWN + k;
        assert_true(view->times[k] == (float)(0.25 * i) && view->values[0][k] == (float)-i);
        assert_true(view->values[1][k] == (float)(0.5 * i) && view->values[2][k] == 7 && isnan(late->values[0][k]));
    }
    g_ptr_array_unref(views);
    char *file = g_build_filename(g_get_tmp_dir(), "divan-view-plots.csv", NULL), *text = NULL;
    DvText why = {0};
    assert_true(plots_export(plots, file, scene, &why));
    assert_true(g_file_get_contents(file, &text, NULL, NULL));
    char **lines = g_strsplit(text, "\n", -1);
    assert_int_equal(g_strv_length(lines), 1 + PLOT_SAMPLES + 1);
    assert_string_equal(lines[1], "1.25,-5,2.5,7,,,");
    g_strfreev(lines);
    g_free(text);
    g_remove(file);
    g_free(file);
    plots_clear(plots, false);
    plots_sample(plots, scene);
    plots_remove(plots, "/d.position", 1);
    plots_remove(plots, "/d.position", 9);
    views = plots_view(plots);
    assert_int_equal(views->len, 1);
    view = g_ptr_array_index(views, 0);
    assert_int_equal(view->count, 1);
    assert_int_equal(view->element, 0);
    assert_true(view->values[0][0] == (float)(PLOT_SAMPLES + 4));
    g_ptr_array_unref(views);
    for (uint32_t i = 1; i < PLOT_MOST; i++)
        assert_true(plots_add(plots, scene, "/d.position", i));
    assert_false(plots_add(plots, scene, "/d.position", PLOT_MOST));
    assert_non_null(strstr(dv_last_error(), "there are 16 plots already"));
    assert_false(plots_add(plots, scene, "/d.nothing", 0));
    plots_clear(plots, true);
    views = plots_view(plots);
    assert_int_equal(views->len, 0);
    g_ptr_array_unref(views);
    plots_free(plots);
    dv_scene_free(scene);
}

/* Hands */

#define MESH_SCENE(before, inside)                                                                                          \
    "<Node name='root' gravity='0 0 0' dt='0.01'><DefaultAnimationLoop/><CollisionPipeline/><BruteForceBroadPhase/>"        \
    "<BVHNarrowPhase/><MinProximityIntersection alarmDistance='0.02' contactDistance='0.01'/>"                              \
    "<CollisionResponse response='PenalityContactForceField'/>" before                                                      \
    "<Node name='body'><EulerImplicitSolver/><CGLinearSolver iterations='100' tolerance='1e-12' threshold='1e-20'/>" inside \
    "</Node></Node>"

static DvElements elements_at(const DvScene *scene, const char *link, DvElementKind kind)
{
    DvObject *mesh = dv_node_resolve(dv_scene_root(scene), NULL, link, NULL);
    const DvTopologyOps *ops = dv_object_ops(mesh, DV_TOPOLOGY);
    return ops->elements(dv_object_self(mesh), kind);
}

/* Whether the middle of some element, of points of the state there, is at that place: elements that stay have other numbers. */
static bool has_element(const DvScene *scene, DvElementKind kind, double x, double y, double z)
{
    const DvElements all = elements_at(scene, "@/body/mesh", kind);
    const DvStateRef state = dv_state_ref(dv_node_resolve(dv_scene_root(scene), NULL, "@/body/dofs", NULL));
    const DvConstVec at = dv_state_read(state, DV_POSITION);
    const uint32_t nodes = dv_element_nodes(kind);
    for (uint32_t e = 0; e < all.count; e++) {
        double middle[3] = {0};
        for (uint32_t n = 0; n < nodes; n++)
            for (int c = 0; c < 3; c++)
                middle[c] += at.at[3 * (size_t)all.at[(size_t)e * nodes + n] + (size_t)c] / nodes;
        if (fabs(middle[0] - x) + fabs(middle[1] - y) + fabs(middle[2] - z) < 1e-9)
            return true;
    }
    return false;
}

static bool remove_at(DvScene *scene, double x, double y)
{
    Hand *hand = hand_new();
    const bool done = hand_grab(hand, scene, GRAB_REMOVE, &(Ray){{x, y, 9}, {0, 0, -1}}, 1);
    GrabView view;
    hand_view(hand, &view);
    assert_false(view.active);
    hand_free(hand);
    return done;
}

/* Triangles of a sheet: the one that is pointed at goes, whichever it is. */
static void a_triangle_goes(void **state)
{
    (void)state;
    static const double at[3][2] = {{0.2, 0.2}, {0.8, 0.8}, {1.3, 0.2}};
    static const double middles[3][2] = {{1 / 3.0, 1 / 3.0}, {2 / 3.0, 2 / 3.0}, {4 / 3.0, 1 / 3.0}};
    for (int i = 0; i < 3; i++) {
        DvScene *scene = open_text(MESH_SCENE(
            "", "<TriangleSetTopologyContainer name='mesh' position='0 0 0  1 0 0  2 0 0  0 1 0  1 1 0' "
                "triangles='0 1 3  1 4 3  1 2 4'/><TriangleSetTopologyModifier/><MechanicalObject name='dofs'/>"
                "<UniformMass totalMass='1'/><TriangleCollisionModel/>"));
        assert_true(remove_at(scene, at[i][0], at[i][1]));
        assert_int_equal(elements_at(scene, "@/body/mesh", DV_TRIANGLES).count, 2);
        for (int k = 0; k < 3; k++)
            assert_int_equal(has_element(scene, DV_TRIANGLES, middles[k][0], middles[k][1], 0), k != i);
        assert_false(remove_at(scene, 7, 7)); /* a particle is met, which is none */
        dv_scene_free(scene);
    }
}

/* Both halves of a quad are the quad, which comes after the triangles. */
static void a_quad_goes_by_either_of_its_halves(void **state)
{
    (void)state;
    static const double at[4][2] = {{0.2, 0.1}, {0.8, 0.9}, {1.2, 0.1}, {1.8, 0.9}};
    for (int i = 0; i < 4; i++) {
        DvScene *scene = open_text(
            MESH_SCENE("", "<QuadSetTopologyContainer name='mesh' position='0 0 0  1 0 0  2 0 0  0 1 0  1 1 0  2 1 0' "
                           "quads='0 1 4 3  1 2 5 4'/><QuadSetTopologyModifier/><MechanicalObject name='dofs'/>"
                           "<UniformMass totalMass='1'/><TriangleCollisionModel/>"));
        assert_true(remove_at(scene, at[i][0], at[i][1]));
        assert_int_equal(elements_at(scene, "@/body/mesh", DV_QUADS).count, 1);
        for (int k = 0; k < 2; k++)
            assert_int_equal(has_element(scene, DV_QUADS, 0.5 + k, 0.5, 0), k != i / 2);
        dv_scene_free(scene);
    }
}

/* A face of a volume stands for the element behind it; of a model of tetrahedra the nearest one is met. */
static void an_element_behind_a_face_goes(void **state)
{
    (void)state;
    static const char *const models[] = {"<TriangleCollisionModel/>", "<TetrahedronCollisionModel/>"};
    static const double middles[2][3] = {{0.25, 0.25, 0.25}, {-0.25, 0.3, 0.3}};
    static const double at[2][2] = {{0.1, 0.1}, {-0.2, 0.3}};
    for (int m = 0; m < 2; m++)
        for (int i = 0; i < 2; i++) {
            char *text = g_strdup_printf(
                MESH_SCENE(
                    "",
                    "<TetrahedronSetTopologyContainer name='mesh' position='0 0 0  1 0 0  0 1 0  0 0 1  -1 0.2 0.2' "
                    "tetrahedra='0 1 2 3  0 3 2 4'/><TetrahedronSetTopologyModifier/><MechanicalObject name='dofs'/>"
                    "<UniformMass totalMass='1'/>%s"),
                models[m]);
            DvScene *scene = open_text(text);
            if (remove_at(scene, at[i][0], at[i][1])) {
                assert_int_equal(elements_at(scene, "@/body/mesh", DV_TETRAHEDRA).count, 1);
                for (int k = 0; k < 2; k++)
                    assert_int_equal(has_element(scene, DV_TETRAHEDRA, middles[k][0], middles[k][1], middles[k][2]),
                                     k != i);
            } else {
                assert_int_equal(m, 0); /* a mesh may have no faces of its own */
            }
            dv_scene_free(scene);
            g_free(text);
        }
}

static void a_hexahedron_goes_by_a_face_of_its_border(void **state)
{
    (void)state;
    DvScene *scene = open_text(MESH_SCENE(
        "<RegularGridTopology name='grid' n='3 2 2' min='0 0 0' max='2 1 1'/>",
        "<HexahedronSetTopologyContainer name='mesh' src='@/grid'/><HexahedronSetTopologyModifier/>"
        "<MechanicalObject name='dofs'/><UniformMass totalMass='1'/><Node name='border'><QuadSetTopologyContainer name='border'/>"
        "<QuadSetTopologyModifier/><Hexa2QuadTopologicalMapping input='@../mesh' output='@border'/>"
        "<TriangleCollisionModel/></Node>"));
    assert_int_equal(elements_at(scene, "@/body/mesh", DV_HEXAHEDRA).count, 2);
    assert_true(remove_at(scene, 1.4, 0.3));
    assert_int_equal(elements_at(scene, "@/body/mesh", DV_HEXAHEDRA).count, 1);
    assert_true(has_element(scene, DV_HEXAHEDRA, 0.5, 0.5, 0.5)); /* of the first */
    dv_scene_free(scene);
}

/* Of spheres the nearest on the line of sight, from where it is entered; none behind the eye, none of a model that is switched off. */
static void a_ray_meets_the_nearest_sphere(void **state)
{
    (void)state;
    DvScene *scene = open_text(MESH_SCENE(
        "", "<MechanicalObject name='dofs' position='0 0 0  0.5 0 -3  3 0 0  0 0 20'/><UniformMass totalMass='1'/>"
            "<SphereCollisionModel listRadius='1 2 0.5 1'/>"));
    static const struct {
        double x;
        uint32_t element;
        double depth;
    } rays[] = {{0, 0, 9 - 1}, {0.6, 0, 9 - 0.8}, {1.7, 1, 12 - 1.6}, {3.3, 2, 9 - 0.4}};
    Hit hit = {0};
    for (size_t i = 0; i < G_N_ELEMENTS(rays); i++) {
        assert_true(pick(scene, &(Ray){{rays[i].x, 0, 9}, {0, 0, -1}}, &hit));
        if (!hit.model || hit.element != rays[i].element)
            fail_msg("ray %zu meets %s %u at %g", i, hit.model ? "sphere" : "particle", hit.element, hit.depth);
        expect_near(hit.depth, rays[i].depth);
        expect_point(hit.at, rays[i].x, 0, 9 - rays[i].depth);
        assert_int_equal(hit.count, 1);
        assert_int_equal(hit.points[0], rays[i].element);
        expect_near(hit.weights[0], 1);
    }
    assert_true(
        pick(scene, &(Ray){{2.8, 0.6, 9}, {0, 0, -1}}, &hit)); /* past all: the particle that is nearest to the ray */
    assert_null(hit.model);
    assert_int_equal(hit.points[0], 2);
    expect_near(hit.depth, 9);
    dv_scene_free(scene);
}

/* Of particles as near to the line of sight as each other the first on it is taken, wherever it stands in the list; none behind the eye. */
static void of_particles_in_a_line_the_first_is_met(void **state)
{
    (void)state;
    DvScene *scene = open_text("<Node><DefaultAnimationLoop/><EulerImplicitSolver/><CGLinearSolver/>"
                               "<MechanicalObject name='dofs' position='0 0 -5  0 0 1  0 0 -2  0 0 20'/></Node>");
    Hit hit = {0};
    assert_true(pick(scene, &(Ray){{0, 0, 9}, {0, 0, -1}}, &hit));
    assert_int_equal(hit.points[0], 1);
    expect_near(hit.depth, 8);
    assert_true(pick(scene, &(Ray){{0, 0, -9}, {0, 0, 1}}, &hit));
    assert_int_equal(hit.points[0], 0);
    expect_near(hit.depth, 4);
    dv_scene_free(scene);
}

/* A triangle is met inside of its edges, from both sides, and not behind the eye. */
static void a_triangle_is_met_where_it_is(void **state)
{
    (void)state;
    DvScene *scene = open_text(
        MESH_SCENE("", "<TriangleSetTopologyContainer name='mesh' position='0 0 1  2 0 1  0 2 3' triangles='0 1 2'/>"
                       "<MechanicalObject/><UniformMass totalMass='1'/><TriangleCollisionModel/>"));
    for (int i = -2; i <= 12; i++)
        for (int j = -2; j <= 12; j++)
            for (int up = 0; up < 2; up++) {
                const double x = 0.2 * i + 0.05, y = 0.2 * j + 0.05, z = 9 - 13 * up;
                const bool inside = x > 0 && y > 0 && x + y < 2;
                Hit hit = {0};
                const Ray ray = {{x, y, z}, {0, 0, 2 * up - 1}}; /* towards the mesh */
                assert_true(pick(scene, &ray, &hit));
                assert_int_equal(hit.model != NULL, inside);
                if (inside) {
                    expect_point(hit.at, x, y, 1 + y);
                    expect_near(hit.weights[0], 1 - x / 2 - y / 2);
                    expect_near(hit.weights[1], x / 2);
                    expect_near(hit.weights[2], y / 2);
                }
            }
    Hit hit = {0};
    assert_false(pick(scene, &(Ray){{0.5, 0.5, 9}, {0, 0, 1}}, &hit)); /* all of it is behind */
    dv_scene_free(scene);
}

/* A place inside of a triangle: its points are pulled with their weights, so that their mean has the whole force. */
static void a_pull_is_shared_by_the_points_of_an_element(void **state)
{
    (void)state;
    DvScene *scene = open_text(
        MESH_SCENE("", "<TriangleSetTopologyContainer name='mesh' position='0 0 0  2 0 0  0 2 0' triangles='0 1 2'/>"
                       "<MechanicalObject name='dofs'/><UniformMass totalMass='3'/><TriangleCollisionModel/>"));
    Hand *hand = hand_new();
    GrabView view;
    assert_true(hand_grab(hand, scene, GRAB_SPRING, &(Ray){{0.5, 0.25, 7}, {0, 0, -1}}, 200));
    hand_view(hand, &view);
    assert_true(view.active && view.force == 0);
    expect_words(view.what, "/body/dofs, point 0", "what is held");
    g_free(view.what);
    hand_drag(hand, scene, &(Ray){{0.5, 0.75, 7}, {0, 0, -1}});
    hand_view(hand, &view);
    expect_point(view.from, 0.5, 0.25, 0);
    expect_point(view.to, 0.5, 0.75, 0);
    expect_near(view.force, 100);
    g_free(view.what);
    DvObject *springs = dv_node_resolve(dv_scene_root(scene), NULL, "@/body/mouse", NULL);
    assert_non_null(springs);
    assert_true(dv_object_is_transient(springs));
    size_t count = 0;
    const double *stiffness = dv_data_doubles(dv_object_field(springs, "stiffness"), &count);
    assert_int_equal(count, 3);
    expect_point(stiffness, 200 * (1 - 0.25 - 0.125), 200 * 0.25, 200 * 0.125);
    assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    hand_release(hand, scene);
    assert_null(dv_node_resolve(dv_scene_root(scene), NULL, "@/body/mouse", NULL));
    hand_view(hand, &view);
    assert_false(view.active);
    hand_free(hand);
    dv_scene_free(scene);
}

static void a_target_has_the_ending_of_its_kind(void **state)
{
    (void)state;
    static const struct {
        TargetKind kind;
        const char *name, *full;
    } cases[] = {
        {TARGET_FILM, "a", "a.mp4"},
        {TARGET_FILM, "a.mp4", "a.mp4"},
        {TARGET_FILM, "a.MP4", "a.MP4"},
        {TARGET_FILM, "a.scn", "a.scn.mp4"},
        {TARGET_SCENE, "a.xml", "a.xml"},
        {TARGET_SCENE, "/b/a.py", "/b/a.py.scn"},
        {TARGET_RECORDING, "a.csv", "a.csv.session"},
        {TARGET_TABLE, "a", "a.csv"},
        {TARGET_LOG, "a.txt", "a.txt"},
        {TARGET_LOG, "a.png", "a.png.log"},
        {TARGET_PICTURE, "a.jpeg", "a.jpeg"},
        {TARGET_VIEW, "a.scn", "a.scn.view"},
        {TARGET_FILM, "/b/.mp4", "/b/.mp4.mp4"},
        {TARGET_FILM, ".mp4", ".mp4.mp4"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *full = target_name(cases[i].kind, cases[i].name);
        assert_string_equal(full, cases[i].full);
        assert_true(target_fits(cases[i].kind, full));
        assert_int_equal(target_fits(cases[i].kind, cases[i].name), strcmp(cases[i].name, full) == 0);
        g_free(full);
    }
}

static void put_file(const char *folder, const char *name)
{
    char *path = g_build_filename(folder, name, NULL);
    assert_true(g_file_set_contents(path, name, -1, NULL));
    g_free(path);
}

static void expect_target(TargetKind kind, const char *folder, const char *name, const GPtrArray *reads,
                          TargetState wanted)
{
    char *path = g_build_filename(folder, name, NULL);
    DvText why = {0};
    const TargetState found = target_look(kind, path, reads, &why);
    if (found != wanted)
        fail_msg("%s: %d instead of %d", name, (int)found, (int)wanted);
    assert_int_equal(why.at != NULL, wanted == TARGET_REFUSED);
    dv_text_free(&why);
    g_free(path);
}

static void a_target_is_free_taken_or_refused(void **state)
{
    (void)state;
    char *folder = g_dir_make_tmp("divan-target-XXXXXX", NULL);
    const char *const names[] = {"a.scn", "box.obj", "other.mp4", "a.mp4", "a-2.mp4"};
    GPtrArray *reads = g_ptr_array_new_with_free_func(g_free);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        put_file(folder, names[i]);
    for (size_t i = 0; i < 2; i++)
        g_ptr_array_add(reads, g_build_filename(folder, names[i], NULL));
    char *hard = g_build_filename(folder, "hard.mp4", NULL), *soft = g_build_filename(folder, "soft.mp4", NULL),
         *loose = g_build_filename(folder, "a-3.mp4", NULL), *own = g_build_filename(folder, "own.scn", NULL),
         *linked = g_build_filename(folder, "linked.scn", NULL);
    assert_int_equal(link(g_ptr_array_index(reads, 1), hard), 0);
    assert_int_equal(symlink(g_ptr_array_index(reads, 0), soft), 0);
    assert_int_equal(symlink("nowhere", loose), 0);
    assert_int_equal(link(g_ptr_array_index(reads, 0), own), 0);
    assert_int_equal(symlink(g_ptr_array_index(reads, 0), linked), 0);
    for (int kind = 0; kind < TARGET_KINDS; kind++) {
        const bool is_scene = kind == TARGET_SCENE;
        expect_target((TargetKind)kind, folder, "new", reads, TARGET_NEW);
        expect_target((TargetKind)kind, folder, "other.mp4", reads, TARGET_EXISTS);
        expect_target((TargetKind)kind, folder, "box.obj", reads, TARGET_REFUSED);
        expect_target((TargetKind)kind, folder, "hard.mp4", reads, TARGET_REFUSED);
        expect_target((TargetKind)kind, folder, "own.scn", reads,
                      TARGET_REFUSED); /* the scene by another name of its file */
        expect_target((TargetKind)kind, folder, "a.scn", reads, is_scene ? TARGET_EXISTS : TARGET_REFUSED);
        expect_target((TargetKind)kind, folder, "linked.scn", reads, is_scene ? TARGET_EXISTS : TARGET_REFUSED);
        expect_target((TargetKind)kind, folder, "soft.mp4", reads, is_scene ? TARGET_EXISTS : TARGET_REFUSED);
        expect_target((TargetKind)kind, folder, "box.obj", NULL, TARGET_EXISTS);
        expect_target((TargetKind)kind, folder, ".", reads, TARGET_REFUSED);
        expect_target((TargetKind)kind, "/dev", "null", reads, TARGET_NEW);
    }
    char *film = target_suggest(TARGET_FILM, folder, "/elsewhere/a.scn"),
         *saved = target_suggest(TARGET_SCENE, folder, "a.scn"), *none = target_suggest(TARGET_TABLE, folder, "");
    assert_string_equal(film, "a-4.mp4"); /* a link that leads nowhere has its name */
    assert_string_equal(saved, "a.saved.scn");
    assert_string_equal(none, "scene.csv");
    g_free(film);
    g_free(saved);
    g_free(none);
    char *const links[] = {hard, soft, loose, own, linked};
    for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
        (void)g_unlink(links[i]);
        g_free(links[i]);
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *path = g_build_filename(folder, names[i], NULL);
        (void)g_unlink(path);
        g_free(path);
    }
    (void)g_rmdir(folder);
    g_ptr_array_unref(reads);
    g_free(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_drag_turns_the_camera_by_twice_the_angle_on_the_ball),
        cmocka_unit_test(the_ball_goes_over_into_a_hyperbola),
        cmocka_unit_test(a_camera_moves_across_with_what_is_under_the_mouse),
        cmocka_unit_test(a_camera_comes_nearer_to_its_pivot_and_not_onto_it),
        cmocka_unit_test(what_a_picture_shows_is_met_where_it_is_drawn),
        cmocka_unit_test(lines_and_points_are_met_from_nearby),
        cmocka_unit_test(what_is_below_the_mouse_stays_there_as_the_camera_comes_nearer),
        cmocka_unit_test(a_drag_turns_about_the_point_below_the_mouse),
        cmocka_unit_test(a_box_fills_the_picture),
        cmocka_unit_test(a_camera_faces_each_axis),
        cmocka_unit_test(a_point_is_projected_to_the_pixel_whose_ray_meets_it),
        cmocka_unit_test(a_view_is_written_and_read_back),
        cmocka_unit_test(a_view_may_say_little),
        cmocka_unit_test(a_file_that_is_no_view_is_refused),
        cmocka_unit_test(what_is_recorded_is_written_at_once),
        cmocka_unit_test(a_message_is_a_line_and_back),
        cmocka_unit_test(the_log_keeps_so_much_and_says_when_it_ends),
        cmocka_unit_test(a_thread_hears_what_it_says_itself),
        cmocka_unit_test(a_view_of_an_object_has_what_the_kernel_says_of_it),
        cmocka_unit_test(a_tree_is_the_graph),
        cmocka_unit_test(plots_are_a_ring_of_samples),
        cmocka_unit_test(a_triangle_goes),
        cmocka_unit_test(a_quad_goes_by_either_of_its_halves),
        cmocka_unit_test(an_element_behind_a_face_goes),
        cmocka_unit_test(a_hexahedron_goes_by_a_face_of_its_border),
        cmocka_unit_test(a_ray_meets_the_nearest_sphere),
        cmocka_unit_test(of_particles_in_a_line_the_first_is_met),
        cmocka_unit_test(a_target_has_the_ending_of_its_kind),
        cmocka_unit_test(a_target_is_free_taken_or_refused),
        cmocka_unit_test(a_triangle_is_met_where_it_is),
        cmocka_unit_test(a_pull_is_shared_by_the_points_of_an_element),
    };
    return share_run_group_tests(tests, start_plugins, stop_plugins);
}
