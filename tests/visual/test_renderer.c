/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The renderer: which pixels a thing covers and what colour they have follows from geometry and the formulas of light.
 *
 * Skipped with one line where there is no OpenGL.
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
#include <divan/contracts/image.h>
#include <divan/contracts/renderer.h>
#include <divan/divan.h>

#include "scene_text.h"

enum { SIDE = 100 };

static const DvRendererOps *rendering;
static DvRenderer *renderer;

typedef struct Shot {
    uint8_t pixels[SIDE * SIDE * 4];
} Shot;

/* Straight down the z axis, a square of side 2 around the origin fills the picture: a pixel is 0.02 m. */
static DvRenderView view_from_above(void)
{
    DvRenderView view = {.width = SIDE, .height = SIDE};
    static const DvBackground black = {.color = {0, 0, 0, 1}, .top = {0, 0, 0, 1}};
    view.background = &black;
    view.camera = (DvCamera){.position = {0, 0, 10},
                             .orientation = {0, 0, 0, 1},
                             .field_of_view = 2 * atan(0.1) * 180 / DV_PI,
                             .near = 1,
                             .far = 20,
                             .orthographic = true};
    return view;
}

static DvRenderStats draw_pixels(DvScene *scene, const DvRenderView *view, uint8_t *pixels)
{
    const DvPictureRecorderOps *recording = dv_service(DV_PICTURE_RECORDER);
    DvRecorder *recorder = recording->create(scene);
    DvPicture *picture = recording->record(recorder, NULL);
    DvText why = {0};
    if (rendering->draw(renderer, picture, view, &why) != DV_OK || rendering->read(renderer, pixels, &why) != DV_OK)
        fail_msg("%s", why.at);
    DvRenderStats stats;
    rendering->stats(renderer, &stats);
    recording->unref(picture);
    recording->destroy(recorder);
    return stats;
}

static DvRenderStats draw_scene(DvScene *scene, const DvRenderView *view, Shot *shot)
{
    return draw_pixels(scene, view, shot->pixels);
}

static void draw_with(const char *objects, const DvRenderView *view, Shot *shot)
{
    DvText text = {0};
    dv_text_add(&text, "<Node><DefaultAnimationLoop/>%s</Node>", objects);
    DvScene *scene = scene_from_text(text.at);
    (void)draw_scene(scene, view, shot);
    dv_scene_free(scene);
    dv_text_free(&text);
}

static void draw(const char *objects, Shot *shot)
{
    const DvRenderView view = view_from_above();
    draw_with(objects, &view, shot);
}

/* The pixel that holds a point of the plane z = 0. */
static const uint8_t *at(const Shot *shot, double x, double y)
{
    const int column = (int)floor((x + 1) / 2 * SIDE), row = (int)floor((1 - y) / 2 * SIDE);
    assert_true(column >= 0 && column < SIDE && row >= 0 && row < SIDE);
    return shot->pixels + 4 * (row * SIDE + column);
}

static void expect_color(const Shot *shot, double x, double y, double red, double green, double blue)
{
    const uint8_t *pixel = at(shot, x, y);
    const double expected[3] = {red, green, blue};
    for (int i = 0; i < 3; i++)
        if (fabs(pixel[i] - 255 * fmin(expected[i], 1)) > 2.5)
            fail_msg("at %g %g: %d %d %d instead of %g %g %g", x, y, pixel[0], pixel[1], pixel[2], 255 * red,
                     255 * green, 255 * blue);
}

/* Whether a pixel, from the lower left corner, has a colour. */
static bool has_color(const Shot *shot, int column, int row, int red, int green, int blue)
{
    const uint8_t *pixel = shot->pixels + 4 * ((SIDE - 1 - row) * SIDE + column);
    return abs(pixel[0] - red) < 4 && abs(pixel[1] - green) < 4 && abs(pixel[2] - blue) < 4;
}

static int covered(const Shot *shot)
{
    int count = 0;
    for (int i = 0; i < SIDE * SIDE; i++)
        count += shot->pixels[4 * i] + shot->pixels[4 * i + 1] + shot->pixels[4 * i + 2] > 0;
    return count;
}

#define SUN "<LightManager/><DirectionalLight direction='0 0 1'/>"
#define MATTE(r, g, b) \
    "material='m Diffuse 1 " r " " g " " b " 1 Ambient 0 0 0 0 1 Specular 0 0 0 0 1 Emissive 0 0 0 0 1 Shininess 0 1'"
#define SQUARE "position='-0.5 -0.5 0  0.5 -0.5 0  0.5 0.5 0  -0.5 0.5 0' quads='0 1 2 3'"

static void a_triangle_covers_the_pixels_whose_centres_it_holds(void **state)
{
    (void)state;
    Shot shot;
    /* x > -0.613, y > -0.417, x + y < 0.207: no centre lies on a side. */
    draw(SUN "<OglModel " MATTE("1", "1",
                                "1") " position='-0.613 -0.417 0  0.624 -0.417 0  -0.613 0.82 0' triangles='0 1 2'/>",
         &shot);
    int expected = 0, wrong = 0;
    for (int row = 0; row < SIDE; row++)
        for (int column = 0; column < SIDE; column++) {
            const double x = (column + 0.5) / SIDE * 2 - 1, y = 1 - (row + 0.5) / SIDE * 2;
            const bool inside = x > -0.613 && y > -0.417 && x + y < 0.207;
            expected += inside;
            wrong += inside != (shot.pixels[4 * (row * SIDE + column)] > 127);
        }
    assert_true(expected > 1800);
    assert_true(wrong <= 2);
}

static DvRenderer *begin_with(const DvRendererOptions *given)
{
    DvRenderer *kept = renderer;
    const DvRendererOptions options = *given;
    DvText why = {0};
    if (rendering->create(&options, &renderer, &why) != DV_OK)
        fail_msg("%s", why.at);
    return kept;
}

static DvRenderer *begin_renderer(uint32_t samples)
{
    return begin_with(&(DvRendererOptions){.samples = samples});
}

static void end_renderer(DvRenderer *kept)
{
    rendering->destroy(renderer);
    renderer = kept;
}

/* Pixels of a half plane with a slanted edge that are neither black nor white; samples of each pixel. */
static int half_covered(uint32_t samples, uint32_t *used)
{
    DvRenderer *kept = begin_renderer(samples);
    Shot shot;
    draw(SUN "<OglModel " MATTE("1", "1", "1") " position='-3 -3 0  3 -2.1 0  -3 3.9 0' triangles='0 1 2'/>", &shot);
    DvRenderStats stats;
    rendering->stats(renderer, &stats);
    *used = stats.samples;
    end_renderer(kept);
    int count = 0;
    for (int i = 0; i < SIDE * SIDE; i++)
        count += shot.pixels[4 * i] > 10 && shot.pixels[4 * i] < 245;
    return count;
}

/* OpenGL 3.3 has 4 samples at least. */
static void edges_are_smooth_unless_that_is_not_wanted(void **state)
{
    (void)state;
    uint32_t samples;
    assert_int_equal(half_covered(1, &samples), 0);
    assert_int_equal(samples, 1);
    assert_in_range(half_covered(0, &samples), SIDE / 4,
                    2 * SIDE); /* about a pixel of each row that the edge crosses */
    assert_int_equal(samples, 4);
    assert_in_range(half_covered(1000000, &samples), SIDE / 4, 2 * SIDE); /* as many as there are */
    assert_in_range(samples, 4, 1024);
}

/* One sample, and the picture smoothed: about as many shades at the edge as four samples have; nothing else of the picture changes, and
 * texts stay as sharp as they were. */
static void edges_may_be_smoothed_in_the_picture(void **state)
{
    (void)state;
    const char *const objects =
        SUN "<OglModel " MATTE("1", "1", "1") " position='-3 -3 0  3 -2.1 0  -3 3.9 0' triangles='0 1 2'/>";
    Shot plain, smooth;
    DvRenderer *kept = begin_renderer(1);
    draw(objects, &plain);
    end_renderer(kept);
    kept = begin_with(&(DvRendererOptions){.samples = 1, .smooths = true});
    draw(objects, &smooth);
    end_renderer(kept);
    int shades = 0, others = 0;
    for (int i = 0; i < SIDE * SIDE; i++) {
        const uint8_t now = smooth.pixels[4 * i];
        shades += now > 10 && now < 245;
        others += (now <= 10 || now >= 245) && abs(now - plain.pixels[4 * i]) > 2;
    }
    assert_in_range(shades, SIDE / 4, 2 * SIDE);
    assert_in_range(others, 0, SIDE / 4);
}

/* Flat edges and steep ones: what is upside down is smoothed to the picture upside down. */
static void edges_are_smoothed_alike_above_and_below(void **state)
{
    (void)state;
    static const double corners[4][2] = {{-0.93, -0.71}, {0.87, -0.47}, {0.66, 0.83}, {-0.79, 0.41}};
    Shot shots[2];
    DvRenderer *kept = begin_with(&(DvRendererOptions){.samples = 1, .smooths = true});
    for (int turned = 0; turned < 2; turned++) {
        DvText text = {0};
        dv_text_add(&text, "%s<OglModel " MATTE("1", "1", "1") " position='", SUN);
        for (int i = 0; i < 4; i++)
            dv_text_add(&text, "%g %g 0 ", corners[i][0], (turned ? -1 : 1) * corners[i][1]);
        dv_text_add(&text, "' quads='%s'/>", turned ? "3 2 1 0" : "0 1 2 3");
        draw(text.at, &shots[turned]);
        dv_text_free(&text);
    }
    end_renderer(kept);
    int shades = 0;
    for (int row = 0; row < SIDE; row++)
        for (int x = 0; x < SIDE; x++) {
            const int here = shots[0].pixels[4 * (row * SIDE + x)],
                      there = shots[1].pixels[4 * ((SIDE - 1 - row) * SIDE + x)];
            shades += here > 10 && here < 245;
            if (abs(here - there) > 2)
                fail_msg("%d at %d %d, upside down %d", here, x, row, there);
        }
    assert_in_range(shades, 2 * SIDE, 6 * SIDE);
}

/* Of a scene without lights: what looks up is brighter than what looks down, and neither is black nor white; colours of vertices, of
 * textures and of what is unlit are not bent: facing the light they are as they were given. */
static void a_scene_without_lights_is_lit_from_above(void **state)
{
    (void)state;
    Shot shot;
    draw("<OglModel color='0.5 0.5 0.5' " SQUARE " rotation='-50 0 0'/>", &shot);
    const int above = at(&shot, 0, 0)[0];
    draw("<OglModel color='0.5 0.5 0.5' " SQUARE " rotation='50 0 0'/>", &shot);
    const int below = at(&shot, 0, 0)[0];
    if (above < below + 40 || above > 200 || below < 20)
        fail_msg("%d above, %d below", above, below);
    draw("<VisualPointCloud drawMode='Sphere' sphereRadius='0.8' color='0.2 0.4 0.6 1' position='0 0 0'/>", &shot);
    int best = 0;
    for (int i = 0; i < SIDE * SIDE; i++)
        best = shot.pixels[4 * i + 2] > best ? shot.pixels[4 * i + 2] : best;
    assert_in_range(best, 0.6 * 255 - 4, 0.6 * 255 + 2);
    draw(
        "<MeshTopology name='m' position='-1 -1 0  1 -1 0  1 1 0  -1 1 0' quads='0 1 2 3'/><OglColorMap colorScheme='Custom' min='0' "
        "max='1'/><DataDisplay topology='@m' position='@m.position' pointData='0 0 0 0'/>",
        &shot);
    const uint8_t *data = at(&shot, 0.3, 0.3); /* the first colour of the palette, whole */
    assert_true(data[0] == 255 || data[1] == 255 || data[2] == 255);
}

/* A body that is stepped has a shadow on a ground that ends around it; with lights of the scene, from below, or where nobody wants
 * shadows there is none, and a floor of the scene is enough. */
#define BALL                                                                                                         \
    "<EulerExplicitSolver/><Node name='ball'><MechanicalObject position='0 0 0'/><UniformMass totalMass='1'/>"       \
    "<OglModel position='-0.2 0 -0.2  0.2 0 -0.2  0.2 0 0.2  -0.2 0 0.2  -0.2 0.2 -0.2  0.2 0.2 -0.2  0.2 0.2 0.2  " \
    "-0.2 0.2 0.2' quads='0 3 2 1  4 5 6 7  0 1 5 4  1 2 6 5  2 3 7 6  3 0 4 7'/></Node>"
static int darkest(const char *objects, double height, bool without)
{
    static const DvBackground white = {.color = {1, 1, 1, 1}, .top = {1, 1, 1, 1}};
    DvRenderView view = {.width = SIDE, .height = SIDE, .background = &white, .without_shadows = without};
    Shot shot;
    int least = 255;
    view.camera = (DvCamera){.field_of_view = 40, .orientation = {0, 0, 0, 1}, .fits_clip = true};
    dv_camera_look(&view.camera, dv_vec3(0, height, 2), dv_vec3(0, 0, 0), dv_vec3(0, 1, 0));
    dv_camera_prepare(&view.camera, NULL, (const double[3]){0, -1, 0});
    draw_with(objects, &view, &shot);
    for (int i = 0; i < SIDE * SIDE; i++) { /* greys, which the orange body has none of */
        const uint8_t *p = shot.pixels + 4 * i;
        if (abs(p[0] - p[2]) < 3 && p[0] < least)
            least = p[0];
    }
    return least;
}

static void what_moves_has_a_shadow_on_a_ground(void **state)
{
    (void)state;
    const int shadow = darkest(BALL, 2, false);
    if (shadow < 90 || shadow > 190)
        fail_msg("the darkest grey of a shadow is %d", shadow);
    assert_int_equal(darkest(BALL, 2, true), 255);
    assert_int_equal(darkest(BALL, -2, false), 255);
    assert_int_equal(darkest(SUN BALL, 2, false), 255);
    assert_int_equal(
        darkest(
            "<OglModel color='1 0 0 1' position='-3 -0.1 -3  -3 -0.1 3  3 -0.1 3  3 -0.1 -3' quads='0 1 2 3'/>" BALL, 2,
            false),
        255);
    /* One that is drawn by its collision model alone is a floor as well. */
    static const char *const on_plate =
        "<VisualStyle displayFlags='showVisualModels showCollisionModels'/><Node name='b'>" BALL
        "</Node><Node name='floor'><MechanicalObject position='-3 -0.1 -3  -3 -0.1 3  3 -0.1 3  3 -0.1 -3'/>"
        "<MeshTopology triangles='0 1 2  0 2 3'/><TriangleCollisionModel moving='0' simulated='0' color='1 1 1 1'/></Node>";
    assert_int_equal(darkest(on_plate, 2, false), darkest(on_plate, 2, true));
}

static void light_falls_with_the_cosine(void **state)
{
    (void)state;
    Shot shot;
    /* Turned by 60 degrees about y: half the light. */
    draw(SUN "<OglModel " MATTE("0.8", "0.4", "1") " " SQUARE " rotation='0 60 0'/>", &shot);
    expect_color(&shot, 0, 0, 0.4, 0.2, 0.5);
    /* Seen from behind it is lit like its front. */
    draw(SUN "<OglModel " MATTE("0.8", "0.4", "1") " " SQUARE " rotation='0 180 0'/>", &shot);
    expect_color(&shot, 0, 0, 0.8, 0.4, 1);
}

static void ambient_emissive_and_highlight_add_up(void **state)
{
    (void)state;
    Shot shot;
    draw(
        "<LightManager ambient='0.5 0.5 0.5 1'/><DirectionalLight direction='0 0 1' color='0.5 0.5 0.5 1'/><OglModel " SQUARE
        " material='m Diffuse 1 0.2 0 0 1 Ambient 1 0 0.3 0 1 Specular 1 0.1 0.1 0.1 1 Emissive 1 0 0 0.25 1 Shininess 1 20'/>",
        &shot);
    /* The half vector is the normal everywhere: light and eye are straight above. */
    expect_color(&shot, 0, 0, 0.5 * 0.2 + 0.5 * 0.1, (0.5 + 0.5) * 0.3 + 0.5 * 0.1, 0.25 + 0.5 * 0.1);
}

static void smooth_normals_shade_a_sphere_by_its_slope(void **state)
{
    (void)state;
    Shot shot;
    draw("<VisualStyle displayFlags='showBehaviorModels'/>" SUN
         "<MechanicalObject position='0 0 0' showObject='1' showObjectScale='0.8' drawMode='1' showColor='1 1 1 1'/>",
         &shot);
    const double area = DV_PI * 0.8 * 0.8 * SIDE * SIDE / 4; /* of the disc, in pixels */
    assert_true(fabs(covered(&shot) - area) < 0.03 * area);
    for (double x = -0.7; x < 0.75; x += 0.1) { /* cosine and a fifth of ambient light */
        const double slope = sqrt(1 - x * x / 0.64);
        const double shade = at(&shot, x, 0.005)[0] / 255.0;
        if (fabs(shade - fmin(0.2 + slope, 1)) > 0.04)
            fail_msg("at %g: %g instead of %g", x, shade, fmin(0.2 + slope, 1));
    }
}

static void two_lights_are_the_sum_of_both(void **state)
{
    (void)state;
    static const char *const lights[3] = {
        "<PositionalLight position='-1 0 1' color='0.4 0 0.2 1' attenuation='0.5'/>",
        "<SpotLight position='0.3 0 2' direction='0 0 -1' cutoff='10' exponent='2' color='0 0.5 0.2 1'/>", ""};
    static Shot shots[3];
    for (int i = 0; i < 3; i++) {
        DvText text = {0};
        dv_text_add(&text, "<LightManager/>%s%s<OglModel " MATTE("1", "1", "1") " " SQUARE "/>",
                    i != 1 ? lights[0] : "", i != 0 ? lights[1] : "");
        draw(text.at, &shots[i]);
        dv_text_free(&text);
    }
    for (size_t i = 0; i < sizeof shots[0].pixels; i++)
        if (i % 4 != 3)
            assert_true(abs(shots[0].pixels[i] + shots[1].pixels[i] - shots[2].pixels[i]) <= 2);
    /* The positional light at the middle of a pixel, by hand. */
    const double x = 0.01, y = 0.01, away = sqrt((x + 1) * (x + 1) + y * y + 1);
    expect_color(&shots[0], x, y, 0.4 / away / (1 + 0.5 * away), 0, 0.2 / away / (1 + 0.5 * away));
    /* The cone ends where the tangent of 10 degrees says: 0.353 m around x = 0.3. */
    expect_color(&shots[1], 0.3 - 0.37, 0, 0, 0, 0);
    assert_true(at(&shots[1], 0.3 - 0.33, 0)[1] > 100);
}

static void a_shadow_falls_where_the_light_says(void **state)
{
    (void)state;
    static const char *const lights[2] = {"<DirectionalLight direction='1 0 1'/>",
                                          "<SpotLight position='2 0 2' direction='-1 0 -1' cutoff='45' exponent='0'/>"};
    for (int i = 0; i < 2; i++)
        for (int soft = 0; soft < 2; soft++) {
            Shot shot;
            DvText text = {0};
            /* A small square 0.5 m above the floor, which itself is seen from straight above. */
            dv_text_add(
                &text,
                "<LightManager shadows='1' softShadows='%d'/>%s<OglModel " MATTE(
                    "1", "1",
                    "1") " position='-1 -1 0  1 -1 0  1 1 0  -1 1 0' quads='0 1 2 3'/><OglModel " MATTE("1", "0",
                                                                                                        "0") " position='-0.1 -0.2 0.5  0.1 -0.2 0.5  0.1 0.2 0.5  -0.1 0.2 0.5' quads='0 1 2 3'/>",
                soft, lights[i]);
            draw(text.at, &shot);
            dv_text_free(&text);
            /* Along (1 0 1) the shadow is moved by -0.5; from the lamp at (2 0 2) it lies at x = -2/3, as wide as 4/3. */
            const double middle = i == 0 ? -0.5 : -2.0 / 3, half = i == 0 ? 0.1 : 0.4 / 3;
            expect_color(&shot, middle, 0, 0, 0, 0);
            expect_color(&shot, middle + (half - 0.05), 0.01, 0, 0, 0);
            assert_true(at(&shot, middle + half + 0.06, 0)[1] > 60);
            assert_true(at(&shot, middle - half - 0.06, 0)[1] > 60);
            assert_true(at(&shot, middle, 0.2 / 0.75 + 0.08)[1] > 60);
        }
}

#define SIDE_LIGHT(way, size) \
    "<DirectionalLight direction='" way "' color='0.5 0.5 0.5 1' shadowTextureSize='" size "'/>"

/* Maps of another size, or for more lights, are made anew: what was drawn before changes nothing. */
static void shadows_have_the_size_and_the_lights_of_their_scene(void **state)
{
    (void)state;
    static const char *const lights[] = {SIDE_LIGHT("1 0 1", "16"), SIDE_LIGHT("1 0 1", "512"),
                                         SIDE_LIGHT("1 0 1", "512") SIDE_LIGHT("-1 0.5 1", "512"),
                                         SIDE_LIGHT("1 0 1", "16")};
    static Shot shots[4], alone;
    for (int i = 0; i < 4; i++) {
        DvText text = {0};
        dv_text_add(
            &text,
            "<LightManager shadows='1'/>%s<OglModel " MATTE("1", "1", "1") " position='-1 -1 0  1 -1 0  1 1 0  -1 1 0' quads='0 1 2 3'/><OglModel " MATTE(
                "1", "0", "0") " position='-0.1 -0.2 0.5  0.1 -0.2 0.5  0.1 0.2 0.5  -0.1 0.2 0.5' quads='0 1 2 3'/>",
            lights[i]);
        draw(text.at, &shots[i]);
        DvRenderer *kept = begin_renderer(1);
        draw(text.at, &alone);
        end_renderer(kept);
        dv_text_free(&text);
        assert_memory_equal(shots[i].pixels, alone.pixels, sizeof alone.pixels);
    }
    assert_memory_not_equal(shots[0].pixels, shots[1].pixels, sizeof alone.pixels); /* of other texels */
    assert_memory_equal(shots[0].pixels, shots[3].pixels, sizeof alone.pixels);
    /* Each shadow has what the other light gives: the cosines of 45 degrees, and of (-1 0.5 1). */
    expect_color(&shots[2], -0.5, 0, 0.5 / 1.5, 0.5 / 1.5, 0.5 / 1.5);
    expect_color(&shots[2], 0.5, -0.25, 0.5 * sqrt(0.5), 0.5 * sqrt(0.5), 0.5 * sqrt(0.5));
}

static void translucent_things_look_alike_in_any_order(void **state)
{
    (void)state;
#define GLASS(name, color, z)                                                                           \
    "<OglModel name='" name "' color='" color "' position='-0.5 -0.5 " z "  0.5 -0.5 " z "  0.5 0.5 " z \
    "  -0.5 0.5 " z "' quads='0 1 2 3'/>"
#define LAMP "<LightManager ambient='4 4 4 1'/>" /* times the fifth that a colour gives to ambient light */
    Shot one, other;
    draw(LAMP GLASS("a", "1 0 0 0.5", "0") GLASS("b", "0 1 0 0.25", "0.5"), &one);
    draw(LAMP GLASS("b", "0 1 0 0.25", "0.5") GLASS("a", "1 0 0 0.5", "0"), &other);
    for (size_t i = 0; i < sizeof one.pixels; i++)
        assert_true(abs(one.pixels[i] - other.pixels[i]) <= 1);
    assert_true(at(&one, 0, 0)[0] > 30 && at(&one, 0, 0)[1] > 20);
    /* One alone: its colour times alpha over what is behind. */
    DvRenderView view = view_from_above();
    const DvBackground white = {.color = {1, 1, 1, 1}, .top = {1, 1, 1, 1}};
    view.background = &white;
    draw_with(LAMP GLASS("a", "1 0 0 0.5", "0"), &view, &one);
    expect_color(&one, 0, 0, 0.5 * 0.8 + 0.5, 0.5, 0.5);
    /* What is opaque hides it. */
    draw(LAMP GLASS("a", "1 0 0 0.5", "0") GLASS("b", "0 1 0 1", "0.5"), &one);
    expect_color(&one, 0, 0, 0, 0.8, 0);
}

static void a_plane_cuts_away_one_side(void **state)
{
    (void)state;
    Shot shot;
    DvRenderView view = view_from_above();
    view.clips = true;
    view.clip = (DvClipPlane){.position = {0.2, 0, 0}, .normal = {1, 0, 0}};
    draw_with(SUN "<OglModel " MATTE("1", "1", "1") " " SQUARE "/>", &view, &shot);
    expect_color(&shot, 0.19, 0, 1, 1, 1);
    expect_color(&shot, 0.21, 0, 0, 0, 0);
}

static void fog_lets_through_what_its_formula_says(void **state)
{
    (void)state;
    Shot shot;
    DvRenderView view = view_from_above();
    view.fog = 0.1;
    view.fog_color[2] = 1;
    draw_with(SUN "<OglModel " MATTE("1", "0", "0") " " SQUARE "/>", &view, &shot);
    expect_color(&shot, 0, 0, exp(-1), 0, 1 - exp(-1)); /* 10 m away */
}

static void wires_are_the_sides_of_faces_and_points_their_corners(void **state)
{
    (void)state;
    Shot shot;
    DvRenderView view = view_from_above();
    view.wireframe = true;
    draw_with(SUN "<OglModel " MATTE("1", "1", "1") " " SQUARE "/>", &view, &shot);
    const int sides = covered(&shot);
    assert_in_range(sides, 4 * 48, 4 * 2 * 52); /* four sides of 50 pixels; the diagonal is none */
    expect_color(&shot, 0, 0, 0, 0, 0);
    view.wireframe = false;
    view.points = true;
    draw_with(SUN "<OglModel " MATTE("1", "1", "1") " " SQUARE "/>", &view, &shot);
    assert_in_range(covered(&shot), 1, 16);
}

/* The sides of two triangles in the plane of a face that is seen straight on: they lie on it, whichever of both comes first. */
static void wires_in_a_face_are_seen(void **state)
{
    (void)state;
    static const double corners[6][2] = {{-0.71, -0.63}, {0.67, -0.52}, {0.13, 0.74},
                                         {0.6, 0.61},    {-0.7, 0.43},  {0.31, -0.7}};
    const char *const face =
        "<Node><OglModel " MATTE("0.2", "0.2", "0.2") " position='-0.9 -0.9 0.3  0.9 -0.9 0.3  0.9 0.9 0.3  "
                                                      "-0.9 0.9 0.3' quads='0 1 2 3'/></Node>";
    /* Coarse depths have no room between a face and what lies on it: what comes last is seen. */
    for (int order = getenv("MESA_EXTENSION_OVERRIDE") ? 1 : 0; order < 2; order++) {
        Shot shot;
        DvText text = {0};
        dv_text_add(&text, "%s%s%s", SUN, order ? face : "",
                    "<Node><VisualStyle displayFlags='showVisual showWireframe'/><OglModel " MATTE("1", "1",
                                                                                                   "1") " position='");
        for (int i = 0; i < 6; i++)
            dv_text_add(&text, "%g %g 0.3 ", corners[i][0], corners[i][1]);
        dv_text_add(&text, "' triangles='0 1 2  3 4 5'/></Node>%s", order ? "" : face);
        draw(text.at, &shot);
        dv_text_free(&text);
        assert_in_range(at(&shot, -0.85, 0.85)[0], 20, 90); /* the face */
        for (int side = 0; side < 6; side++)
            for (int k = 1; k < 40; k++) {
                const double *a = corners[side], *b = corners[side / 3 * 3 + (side + 1) % 3], t = k / 40.0;
                const double x = a[0] + t * (b[0] - a[0]), y = a[1] + t * (b[1] - a[1]);
                int most = 0; /* of the pixel and its neighbours */
                for (int n = 0; n < 9; n++) {
                    const int right = n % 3 - 1, up = n / 3 - 1;
                    const int shade = at(&shot, x + 0.02 * right, y + 0.02 * up)[0];
                    most = shade > most ? shade : most;
                }
                if (most < 130)
                    fail_msg("no line at %g %g: %d", x, y, most);
            }
    }
}

static void a_texture_lies_as_its_coordinates_say(void **state)
{
    (void)state;
    const DvImagesOps *images = dv_service(DV_IMAGES);
    if (!images) {
        print_message("skipped: no plugin reads images\n");
        skip();
    }
    /* The upper row is red, green; the lower blue, white. */
    uint8_t pixels[16] = {255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 255, 255, 255, 255};
    DvImage image = {2, 2, pixels};
    char path[] = P_tmpdir "/divan-texture-XXXXXX.png", text[1024];
    const int file = mkstemps(path, 4);
    assert_true(file >= 0);
    (void)close(file);
    DvText why = {0};
    assert_int_equal(images->write(path, NULL, &image, true, &why), DV_OK);
    snprintf(text, sizeof text,
             SUN "<OglModel " MATTE("1", "1", "1") " " SQUARE " texcoords='0 0  1 0  1 1  0 1' texturename='%s'/>",
             path);
    Shot shot;
    draw(text, &shot);
    expect_color(&shot, -0.25, 0.25, 1, 0, 0);
    expect_color(&shot, 0.25, 0.25, 0, 1, 0);
    expect_color(&shot, -0.25, -0.25, 0, 0, 1);
    expect_color(&shot, 0.25, -0.25, 1, 1, 1);
    assert_int_equal(unlink(path), 0);
}

static void each_group_has_its_material(void **state)
{
    (void)state;
    Shot shot;
    draw(
        SUN "<OglModel position='-0.5 -0.5 0  0.5 -0.5 0  0.5 0.5 0  -0.5 0.5 0' triangles='0 1 2  0 2 3' " MATTE(
            "1", "1",
            "1") " materials='g Diffuse 1 0 1 0 1 Ambient 0 0 0 0 1 Specular 0 0 0 0 1 Emissive 0 0 0 0 1 Shininess 0 1'"
                 " groups='upper g 0  0 0  1 1  0 0'/>",
        &shot);
    expect_color(&shot, 0.2, -0.2, 1, 1, 1);
    expect_color(&shot, -0.2, 0.2, 0, 1, 0);
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* A file with this text; the caller unlinks it. */
static void shader_file(char path[64], const char *text)
{
    snprintf(path, 64, P_tmpdir "/divan-shader-XXXXXX");
    const int file = mkstemp(path);
    assert_true(file >= 0);
    (void)close(file);
    write_text(path, text);
}

static void only_what_changed_is_uploaded(void **state)
{
    (void)state;
    const DvPictureRecorderOps *recording = dv_service(DV_PICTURE_RECORDER);
    DvScene *scene = scene_from_text("<Node><DefaultAnimationLoop/><OglModel name='m' " SQUARE "/></Node>");
    const DvRenderView view = view_from_above();
    DvRecorder *recorder = recording->create(scene);
    const uint64_t expected[3] = {4 * 12 + 4 * 12 + 6 * 4, 0, 4 * 12 + 4 * 12};
    for (int i = 0; i < 3; i++) {
        if (i == 2) { /* the points move, the faces stay */
            DvData *position = dv_object_field(scene_object(scene, "/m"), "position");
            ((double *)dv_data_begin(position, 4))[2] = 0.25;
            dv_data_end(position);
        }
        DvPicture *picture = recording->record(recorder, NULL);
        DvText why = {0};
        DvRenderStats stats;
        assert_int_equal(rendering->draw(renderer, picture, &view, &why), DV_OK);
        rendering->stats(renderer, &stats);
        assert_int_equal(stats.uploaded, expected[i]);
        assert_int_equal(stats.calls, 1);
        recording->unref(picture);
    }
    recording->destroy(recorder);
    dv_scene_free(scene);
}

/* Of several models, primitives, and what shaders are given only the model that moved: its points and normals. */
static void what_stays_is_not_uploaded_beside_what_moves(void **state)
{
    (void)state;
    char path[64], text[2048];
    shader_file(path, "in vec3 dv_position;\nin vec3 restPosition, restNormal;\nuniform mat4 dv_view, dv_projection;\n"
                      "void main()\n{\n    vec3 at = dv_position + restPosition + restNormal;\n"
                      "    gl_Position = dv_projection * dv_view * vec4(at, 1.0);\n}\n");
    snprintf(text, sizeof text,
             "<Node><DefaultAnimationLoop/><VisualStyle displayFlags='showVisualModels showBehaviorModels'/>"
             "<OglShader fileVertexShaders=\"'%s'\" fileFragmentShaders='[]'/><OglShaderVisualModel name='m' " SQUARE
             "/>"
             "<OglModel name='still' " SQUARE
             "/><MechanicalObject position='0 0 0  1 1 1' showObject='1' drawMode='1'/></Node>",
             path);
    DvScene *scene = scene_from_text(text);
    const DvPictureRecorderOps *recording = dv_service(DV_PICTURE_RECORDER);
    const DvRenderView view = view_from_above();
    DvRecorder *recorder = recording->create(scene);
    uint64_t uploaded[4];
    for (int i = 0; i < 4; i++) {
        if (i == 2) {
            DvData *position = dv_object_field(scene_object(scene, "/m"), "position");
            ((double *)dv_data_begin(position, 4))[2] = 0.25;
            dv_data_end(position);
        }
        DvPicture *picture = recording->record(recorder, NULL);
        DvText why = {0};
        DvRenderStats stats;
        assert_int_equal(rendering->draw(renderer, picture, &view, &why), DV_OK);
        rendering->stats(renderer, &stats);
        uploaded[i] = stats.uploaded;
        recording->unref(picture);
    }
    assert_true(uploaded[0] > 2 * (4 * 12 + 4 * 12 + 6 * 4) + 2 * 4 * 12);
    assert_int_equal(uploaded[1], 0);
    assert_int_equal(uploaded[2], 4 * 12 + 4 * 12);
    assert_int_equal(uploaded[3], 0);
    recording->destroy(recorder);
    dv_scene_free(scene);
    assert_int_equal(unlink(path), 0);
}

static void thousands_of_primitives_are_one_call(void **state)
{
    (void)state;
    DvText text = {0};
    dv_text_add(&text, "<Node><DefaultAnimationLoop/><VisualStyle displayFlags='showBehaviorModels'/>"
                       "<MechanicalObject showObject='1' showObjectScale='0.01' drawMode='1' position='");
    for (int row = 0; row < 50; row++)
        for (int column = 0; column < 100; column++)
            dv_text_add(&text, "%g %g 0 ", -0.9 + 0.018 * column, -0.9 + 0.036 * row);
    dv_text_add(&text, "'/></Node>");
    DvScene *scene = scene_from_text(text.at);
    const DvRenderView view = view_from_above();
    Shot shot;
    const DvRenderStats stats = draw_scene(scene, &view, &shot);
    assert_int_equal(stats.calls, 1);
    assert_true(covered(&shot) > 1000);
    dv_scene_free(scene);
    dv_text_free(&text);
}

static void a_size_that_cannot_be_is_an_error(void **state)
{
    (void)state;
    const DvPictureRecorderOps *recording = dv_service(DV_PICTURE_RECORDER);
    DvScene *scene = scene_from_text("<Node><DefaultAnimationLoop/></Node>");
    DvRecorder *recorder = recording->create(scene);
    DvPicture *picture = recording->record(recorder, NULL);
    DvRenderView view = view_from_above();
    DvText why = {0};
    view.width = 1000000;
    assert_int_equal(rendering->draw(renderer, picture, &view, &why), DV_ERROR_LIMIT);
    assert_non_null(strstr(why.at, "1000000 x 100 pixels: each side must have 1 to"));
    dv_text_free(&why);
    view.width = 0;
    assert_int_equal(rendering->draw(renderer, picture, &view, &why), DV_ERROR_LIMIT);
    dv_text_free(&why);
    recording->unref(picture);
    recording->destroy(recorder);
    dv_scene_free(scene);
}

static void two_renderers_of_a_thread_do_not_disturb_each_other(void **state)
{
    (void)state;
    Shot before, after;
    DvRenderer *other = NULL, *kept = renderer;
    DvText why = {0};
    draw(SUN "<OglModel " MATTE("1", "0", "1") " " SQUARE "/>", &before);
    assert_int_equal(rendering->create(NULL, &other, &why), DV_OK);
    renderer = other;
    draw(SUN "<OglModel " MATTE("1", "0", "1") " " SQUARE "/>", &after);
    renderer = kept;
    expect_color(&after, 0, 0, 1, 0, 1);
    rendering->destroy(other);
    draw(SUN "<OglModel " MATTE("1", "0", "1") " " SQUARE "/>", &after);
    assert_memory_equal(before.pixels, after.pixels, sizeof before.pixels);
}

static void collect(const DvMessage *message, void *context)
{
    dv_message_print(message, context);
    dv_text_add(context, "\n");
}

static void a_scene_draws_by_its_own_shader(void **state)
{
    (void)state;
    char path[] = P_tmpdir "/divan-shader-XXXXXX", text[1024];
    const int file = mkstemp(path);
    assert_true(file >= 0);
    (void)close(file);
    write_text(path,
               "in vec3 dv_world;\nuniform vec4 tint;\nuniform mat2 turn;\nuniform int third;\nout vec4 dv_pixel;\n"
               "void main()\n{\n    vec2 y = turn * vec2(1.0, 0.0);\n"
               "    dv_pixel = vec4(FACTOR * tint.rg * y, float(third) / 3.0, 1.0);\n}\n");
    snprintf(
        text, sizeof text,
        "<OglShader name='glsl' fileVertexShaders='[]' fileFragmentShaders=\"'%s'\"/>"
        "<OglShaderDefineMacro id='FACTOR' value='0.5'/><OglFloat4Variable id='tint' value='1 0.8 0 0'/>"
        "<OglMatrix2Variable id='turn' value='1 0.2 0.5 1'/><OglIntVariable id='third' value='1'/><OglModel " SQUARE
        "/>",
        path);
    Shot shot;
    draw(text, &shot);
    /* The first column of the matrix, which is written column by column, is 1 0.2. */
    expect_color(&shot, 0, 0, 0.5, 0.5 * 0.8 * 0.2, 1.0 / 3);
    /* One that cannot be compiled is told once, with what is wrong and where; its models are drawn without it. */
    write_text(path, "void main()\n{\n    nonsense = 1;\n}\n");
    DvText said = {0};
    dv_log_set_handler(collect, &said);
    snprintf(text, sizeof text,
             SUN "<OglShader name='glsl' fileVertexShaders='[]' fileFragmentShaders=\"'%s'\"/><OglModel " MATTE(
                 "0", "1", "0") " " SQUARE "/><OglModel dz='-1' " SQUARE "/>",
             path);
    draw(text, &shot);
    dv_log_set_handler(NULL, NULL);
    expect_color(&shot, 0.3, 0.1, 0, 1, 0);
    assert_non_null(said.at);
    const char *first = strstr(said.at, "/glsl: fileFragmentShaders: '");
    assert_non_null(first);
    assert_non_null(strstr(first, "cannot be compiled as GLSL 3.30"));
    assert_non_null(strstr(first, "nonsense"));
    assert_null(strstr(first + 1, "/glsl: "));
    dv_text_free(&said);
    assert_int_equal(unlink(path), 0);
}

/* A shader may begin with comments, its version and extensions; what the renderer adds comes behind them. */
static void a_shader_may_say_its_version(void **state)
{
    (void)state;
    static const char *const heads[] = {
        "",
        "// A comment\n",
        "#version 330 core\n",
        "// A comment\n\n  \n#version 330 core\n",
        "#version 330\n#extension GL_ARB_shading_language_420pack : enable\n// another\n",
        "  #version 330 core\n\n#define HALF 0.5\n",
    };
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        for (int translucent = 0; translucent < 2; translucent++) {
            char path[64], text[1024], source[1024];
            Shot shot;
            DvText said = {0};
            snprintf(source, sizeof source,
                     "%s#ifndef HALF\n#define HALF 0.5\n#endif\nout vec4 dv_pixel;\nvoid main()\n{\n"
                     "    dv_pixel = vec4(FACTOR * HALF, 1.0, 0.0, 1.0);\n}\n",
                     heads[i]);
            shader_file(path, source);
            snprintf(text, sizeof text,
                     "<OglShader fileVertexShaders='[]' fileFragmentShaders=\"'%s'\"/>"
                     "<OglShaderDefineMacro id='FACTOR' value='0.5'/><OglModel color='1 1 1 %s' " SQUARE "/>",
                     path, translucent ? "0.5" : "1");
            dv_log_set_handler(collect, &said);
            draw(text, &shot);
            dv_log_set_handler(NULL, NULL);
            if (said.at)
                fail_msg("'%s': %s", heads[i], said.at);
            expect_color(&shot, 0, 0, 0.25, 1, 0);
            assert_int_equal(unlink(path), 0);
        }
    /* Nothing but a head, without an end of its line: that is told, as it draws nothing. */
    char path[64], text[512];
    Shot shot;
    DvText said = {0};
    shader_file(path, "#version 330 core\n//\n//x");
    snprintf(text, sizeof text,
             SUN "<OglShader name='glsl' fileVertexShaders='[]' fileFragmentShaders=\"'%s'\"/><OglModel " MATTE(
                 "0", "1", "0") " " SQUARE "/>",
             path);
    dv_log_set_handler(collect, &said);
    draw(text, &shot);
    dv_log_set_handler(NULL, NULL);
    expect_color(&shot, 0, 0, 0, 1, 0);
    assert_non_null(said.at);
    assert_non_null(strstr(said.at, "/glsl: "));
    dv_text_free(&said);
    assert_int_equal(unlink(path), 0);
}

/* Stages that do not fit together are told with what the driver says; models are drawn without them. */
static void shaders_that_do_not_fit_are_told(void **state)
{
    (void)state;
    char path[64], text[1024];
    Shot shot;
    DvText said = {0};
    shader_file(path, "in vec3 dv_position;\nout vec2 dv_world;\nvoid main()\n{\n    dv_world = vec2(0.0);\n"
                      "    gl_Position = vec4(dv_position, 1.0);\n}\n");
    snprintf(text, sizeof text,
             SUN "<OglShader name='glsl' fileVertexShaders=\"'%s'\" fileFragmentShaders='[]'/><OglModel " MATTE(
                 "0", "1", "0") " " SQUARE "/>",
             path);
    dv_log_set_handler(collect, &said);
    draw(text, &shot);
    dv_log_set_handler(NULL, NULL);
    expect_color(&shot, 0.3, 0.1, 0, 1, 0);
    const char *told = said.at ? strstr(said.at, "/glsl: its shaders do not fit together") : NULL;
    assert_non_null(told);
    assert_non_null(strstr(told, "dv_world")); /* which the driver names */
    dv_text_free(&said);
    assert_int_equal(unlink(path), 0);
}

/* A diamond of four triangles about the origin, whose border comes to lie on a circle of its corners where it is divided. */
#define DIAMOND                                                                                          \
    "position='0 0 0  0.7 0 0  0 0.7 0  -0.7 0 0  0 -0.7 0' normal='0 0 1  0 0 1  0 0 1  0 0 1  0 0 1' " \
    "triangles='0 1 2  0 2 3  0 3 4  0 4 1'"
#define TO_CIRCLE(from)                                                                                      \
    "layout(triangles, equal_spacing, ccw) in;\nin vec3 " from "[];\nuniform mat4 dv_view, dv_projection;\n" \
    "out vec3 dv_world, dv_world_normal;\nout vec2 dv_uv;\nout vec4 dv_vertex_color;\nvoid main()\n{\n"      \
    "    vec3 at = mat3(" from "[0], " from "[1], " from "[2]) * gl_TessCoord;\n"                            \
    "    float inside = abs(at.x) + abs(at.y);\n    if (inside > 0.0)\n        at *= inside / length(at);\n" \
    "    dv_world = at;\n    dv_world_normal = vec3(0.0, 0.0, 1.0);\n    dv_uv = vec2(0.0);\n"               \
    "    dv_vertex_color = vec4(1.0);\n    gl_Position = dv_projection * dv_view * vec4(at, 1.0);\n}\n"

/* A regular polygon of so many corners on a circle of radius 0.7, in pixels. */
static double polygon_area(double corners)
{
    return 0.5 * corners * 0.49 * sin(2 * DV_PI / corners) * SIDE * SIDE / 4;
}

static void patches_are_divided_by_the_scenes_shaders(void **state)
{
    (void)state;
    char evaluation[64], control[64], evaluation_after[64];
    Shot shot;
    shader_file(evaluation, TO_CIRCLE("dv_patch_world"));
    shader_file(evaluation_after, TO_CIRCLE("handed"));
    shader_file(control, "layout(vertices = 3) out;\nin vec3 dv_patch_world[];\nout vec3 handed[];\n"
                         "uniform float dv_outer_level, dv_inner_level;\nvoid main()\n{\n"
                         "    handed[gl_InvocationID] = dv_patch_world[gl_InvocationID];\n"
                         "    for (int i = 0; i < 3; i++)\n        gl_TessLevelOuter[i] = 2.0 * dv_outer_level;\n"
                         "    gl_TessLevelInner[0] = dv_inner_level;\n}\n");
    const struct {
        const char *evaluation, *control;
        int level;
        const char *color;
        int corners;
    } cases[] = {{evaluation, NULL, 1, "1 1 1 1", 4},
                 {evaluation, NULL, 3, "1 1 1 1", 12},
                 {evaluation, NULL, 32, "1 1 1 1", 128},
                 {evaluation, NULL, 32, "1 1 1 0.5", 128}, /* where light comes through too */
                 {evaluation_after, control, 1, "1 1 1 1", 8}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        DvText text = {0};
        dv_text_add(
            &text,
            "<OglShader fileVertexShaders='[]' fileFragmentShaders='[]' fileTessellationEvaluationShaders=\"'%s'\" "
            "fileTessellationControlShaders=\"'%s'\" tessellationOuterLevel='%d' tessellationInnerLevel='%d'/>"
            "<OglModel color='%s' " DIAMOND "/>",
            cases[i].evaluation, cases[i].control ? cases[i].control : "", cases[i].level, cases[i].level,
            cases[i].color);
        draw(text.at, &shot);
        const double area = polygon_area(cases[i].corners);
        if (fabs(covered(&shot) - area) > 0.015 * area)
            fail_msg("case %zu: %d pixels instead of %g", i, covered(&shot), area);
        dv_text_free(&text);
    }
    /* Wires are those of the pieces, and the shadow is a disc's: along (1 0 1) it is moved by -0.5. */
    DvText text = {0};
    DvRenderView view = view_from_above();
    dv_text_add(
        &text,
        "<Node><OglShader fileVertexShaders='[]' fileFragmentShaders='[]' fileTessellationEvaluationShaders=\"'%s'\" "
        "tessellationOuterLevel='32' tessellationInnerLevel='3'/><OglModel " DIAMOND "/></Node>",
        evaluation);
    view.wireframe = true;
    draw_with(text.at, &view, &shot);
    assert_in_range(covered(&shot), 300, 3400); /* the whole has 3840 */
    expect_color(&shot, 0.6, 0.6, 0, 0, 0);
    int on_circle = 0;
    for (int degree = 0; degree < 360; degree++)
        on_circle += at(&shot, 0.695 * cos(degree * DV_PI / 180), 0.695 * sin(degree * DV_PI / 180))[1] > 20;
    assert_true(on_circle > 250);
    view.wireframe = false;
    view.points = true;
    draw_with(text.at, &view, &shot);
    assert_in_range(covered(&shot), 100, 1200);
    dv_text_free(&text);
    assert_int_equal(unlink(evaluation), 0);
    assert_int_equal(unlink(evaluation_after), 0);
    assert_int_equal(unlink(control), 0);
}

#define LEFT  "<OglModel name='left' tags='a' " MATTE("1", "0", "0") " " SQUARE " dx='-0.25' scale3d='0.4 0.4 1'/>"
#define RIGHT "<OglModel name='right' tags='b' " MATTE("0", "1", "0") " " SQUARE " dx='0.25' scale3d='0.4 0.4 1'/>"
#define STEPS "<VisualStyle displayFlags='showVisualModels showAdvancedRendering'/>" SUN

/* Passes draw what has their tags into pictures, which a shader puts together: here with the colours of the two exchanged. */
static void a_picture_may_be_drawn_in_steps(void **state)
{
    (void)state;
    char exchange[64], darken[64];
    Shot shot, plain;
    DvRenderView view = view_from_above();
    const DvBackground blue = {.color = {0, 0, 1, 1}, .top = {0, 0, 1, 1}};
    view.background = &blue;
    shader_file(exchange, "in vec2 dv_uv;\nuniform sampler2D one, two;\nuniform vec2 pixelSize;\nout vec4 dv_pixel;\n"
                          "void main()\n{\n    vec4 a = texture(one, dv_uv), b = texture(two, dv_uv);\n"
                          "    dv_pixel = vec4(b.g, a.r, 0.0, max(a.a, b.a));\n}\n");
    shader_file(darken, "in vec2 dv_uv;\nuniform sampler2D both;\nout vec4 dv_pixel;\n"
                        "void main()\n{\n    dv_pixel = vec4(0.5 * texture(both, dv_uv).rgb, 1.0);\n}\n");
    DvText text = {0};
    dv_text_add(
        &text,
        STEPS LEFT RIGHT
        "<VisualManagerPass name='one' tags='a'/><VisualManagerPass name='p' outputName='two' tags='b' factor='0.5'/>"
        "<VisualManagerSecondaryPass name='both' output_tags='sum' fragFilename='%s' renderToScreen='1'/>",
        exchange);
    draw_with(text.at, &view, &shot);
    expect_color(&shot, -0.25, 0, 0, 1, 0);
    expect_color(&shot, 0.25, 0, 1, 0, 0);
    expect_color(&shot, 0, 0.8, 0, 0, 1);
    expect_color(&shot, 0, 0, 0, 0, 1);
    /* A later one that takes the picture of that pass alone, by a shader of the scene. */
    dv_text_add(&text,
                "<OglShader name='glsl' passive='1' fileVertexShaders='[]' fileFragmentShaders=\"'%s'\"/>"
                "<VisualManagerSecondaryPass input_tags='sum' shader='@glsl' renderToScreen='1'/>",
                darken);
    draw_with(text.at, &view, &shot);
    expect_color(&shot, -0.25, 0, 0, 0.5, 0);
    expect_color(&shot, 0.25, 0, 0.5, 0, 0);
    expect_color(&shot, 0, 0.8, 0, 0, 0);
    dv_text_free(&text);
    /* One that is to be seen, before another: the background and what it draws. */
    draw_with(STEPS LEFT RIGHT "<VisualManagerPass tags='a' renderToScreen='1'/><VisualManagerPass tags='b'/>", &view,
              &shot);
    expect_color(&shot, -0.25, 0, 1, 0, 0);
    expect_color(&shot, 0.25, 0, 0, 0, 1);
    /* All at once where no style shows advanced rendering, or by a pass without tags. */
    draw_with(SUN LEFT RIGHT, &view, &plain);
    draw_with(SUN LEFT RIGHT "<VisualManagerPass tags='a' renderToScreen='1'/>", &view, &shot);
    assert_memory_equal(shot.pixels, plain.pixels, sizeof plain.pixels);
    draw_with(STEPS LEFT RIGHT "<VisualManagerPass/>", &view, &shot);
    assert_memory_equal(shot.pixels, plain.pixels, sizeof plain.pixels);
    assert_int_equal(unlink(exchange), 0);
    assert_int_equal(unlink(darken), 0);
}

/* What a scene's shader makes of a translucent model is laid over what is behind; a hole that it leaves is one in the shadow too. */
static void shaders_of_scenes_draw_glass_and_shadows(void **state)
{
    (void)state;
    char path[64], text[2048];
    Shot shot;
    shader_file(path,
                "in vec3 dv_world;\nout vec4 dv_pixel;\nvoid main()\n{\n"
                "    if (abs(dv_world.y) < 0.1)\n        discard;\n    dv_pixel = vec4(0.5, 0.25, 0.0, 0.25);\n}\n");
    DvRenderView view = view_from_above();
    const DvBackground white = {.color = {1, 1, 1, 1}, .top = {1, 1, 1, 1}};
    view.background = &white;
    snprintf(text, sizeof text,
             "<OglShader fileVertexShaders='[]' fileFragmentShaders=\"'%s'\"/><OglModel color='1 1 1 0.5' " SQUARE "/>",
             path);
    draw_with(text, &view, &shot);
    expect_color(&shot, 0.2, 0.3, 0.25 * 0.5 + 0.75, 0.25 * 0.25 + 0.75, 0.75);
    expect_color(&shot, 0.2, 0.05, 1, 1, 1);
    /* The shadow of an opaque square 0.5 m above the floor, which the sun moves by -0.5, has the hole. */
    snprintf(
        text, sizeof text,
        "<LightManager shadows='1'/><DirectionalLight direction='1 0 1'/>"
        "<OglModel " MATTE(
            "1", "1",
            "1") " position='-1 -1 0  1 -1 0  1 1 0  -1 1 0' quads='0 1 2 3'/>"
                 "<Node name='holed'><OglShader fileVertexShaders='[]' fileFragmentShaders=\"'%s'\"/><OglModel color='red' "
                 "position='-0.2 -0.4 0.5  0.2 -0.4 0.5  0.2 0.4 0.5  -0.2 0.4 0.5' quads='0 1 2 3'/></Node>",
        path);
    draw(text, &shot);
    expect_color(&shot, -0.5, 0.25, 0, 0, 0);
    assert_true(at(&shot, -0.5, 0)[1] > 100);
    assert_int_equal(unlink(path), 0);
    /* A vertex shader moves the shadow too: by 0.3 m along y. */
    shader_file(path, "in vec3 dv_position;\nuniform mat4 dv_view, dv_projection;\nvoid main()\n{\n"
                      "    gl_Position = dv_projection * dv_view * vec4(dv_position + vec3(0.0, 0.6, 0.0), 1.0);\n}\n");
    snprintf(
        text, sizeof text,
        "<LightManager shadows='1'/><DirectionalLight direction='1 0 1'/>"
        "<OglModel " MATTE(
            "1", "1",
            "1") " position='-1 -1 0  1 -1 0  1 1 0  -1 1 0' quads='0 1 2 3'/>"
                 "<Node name='moved'><OglShader fileVertexShaders=\"'%s'\" fileFragmentShaders='[]'/><OglModel color='red' "
                 "position='-0.2 -0.8 0.5  0.2 -0.8 0.5  0.2 -0.4 0.5  -0.2 -0.4 0.5' quads='0 1 2 3'/></Node>",
        path);
    draw(text, &shot);
    expect_color(&shot, -0.5, 0, 0, 0, 0);
    assert_true(at(&shot, -0.5, -0.6)[1] > 100);
    assert_int_equal(unlink(path), 0);
}

static void bodies_that_components_draw_cast_shadows(void **state)
{
    (void)state;
    Shot shot;
    draw(
        "<VisualStyle displayFlags='showVisualModels showBehaviorModels'/><LightManager shadows='1'/><DirectionalLight direction='1 0 1'/>"
        "<OglModel " MATTE(
            "1", "1",
            "1") " position='-1 -1 0  1 -1 0  1 1 0  -1 1 0' quads='0 1 2 3'/>"
                 "<MechanicalObject position='0.2 0 0.5' showObject='1' showObjectScale='0.15' drawMode='1'/>",
        &shot);
    expect_color(&shot, -0.3, 0, 0, 0, 0);
    expect_color(&shot, -0.3 + 0.15, 0, 0, 0, 0); /* wider along the way of the light: 0.15 x the root of 2 */
    assert_true(at(&shot, -0.3, 0.2)[1] > 100);
}

/* The shader of the node, passive though it is, sees colours, depths between two planes, and the size of a pixel. */
static void a_picture_is_drawn_once_more(void **state)
{
    (void)state;
    char path[64], text[2048];
    Shot shot;
    shader_file(path, "in vec2 dv_uv;\nuniform sampler2D colorTexture, depthTexture;\nuniform vec2 pixelSize;\n"
                      "uniform float gain;\nout vec4 dv_pixel;\nvoid main()\n{\n"
                      "    vec4 moved = texture(colorTexture, dv_uv - 10.0 * pixelSize);\n"
                      "    dv_pixel = vec4(gain * moved.r, texture(depthTexture, dv_uv).r, 0.0, 1.0);\n}\n");
    snprintf(text, sizeof text,
             SUN "<OglShader passive='1' fileVertexShaders='[]' fileFragmentShaders=\"'%s'\"/>"
                 "<OglFloatVariable id='gain' value='0.5'/><PostProcessManager zNear='5' zFar='20'/>"
                 "<OglModel " MATTE("1", "0", "0") " " SQUARE "/>",
             path);
    draw(text, &shot);
    /* 10 m away: 20 (10 - 5) / (10 (20 - 5)) = 2/3. Ten pixels are 0.2 m. */
    expect_color(&shot, 0.4, 0.4, 0.5, 2.0 / 3, 0);
    expect_color(&shot, 0.65, 0.65, 0.5, 1, 0);
    expect_color(&shot, -0.4, -0.4, 0, 2.0 / 3, 0);
    expect_color(&shot, 0.9, 0, 0, 1, 0);
    DvRenderView view = view_from_above(); /* in perspective the depth is the same */
    view.camera.orthographic = false;
    draw_with(text, &view, &shot);
    expect_color(&shot, 0.1, 0.1, 0.5, 2.0 / 3, 0);
    assert_int_equal(unlink(path), 0);
}

/* 34 pixels long and two wide, from a point 44 pixels from both sides; their letters stand at their ends, that of z in the middle. */
static void the_viewers_axes_lead_as_the_camera_sees_them(void **state)
{
    (void)state;
    DvRenderView view = view_from_above();
    Shot shot;
    view.shows_axes = true;
    draw_with("", &view, &shot);
    for (int along = 0; along <= 79; along++)
        for (int across = 41; across < 47; across++) {
            const bool there = along >= 56 && along < 78 && (across == 43 || across == 44);
            if (along >= 56 || along < 40) {
                assert_int_equal(has_color(&shot, along, across, 220, 30, 30), there);
                assert_int_equal(has_color(&shot, across, along, 30, 170, 30), there);
            }
        }
    dv_quat_store(dv_quat_from_rotation_vector(dv_vec3(0, DV_PI / 2, 0)), view.camera.orientation);
    draw_with("", &view, &shot); /* z leads to the left */
    for (int column = 0; column < 40; column++)
        for (int row = 41; row < 47; row++)
            assert_int_equal(has_color(&shot, column, row, 30, 30, 230), column >= 10 && (row == 43 || row == 44));
    dv_quat_store(dv_quat_from_rotation_vector(dv_vec3(0, 0, DV_PI / 4)), view.camera.orientation);
    draw_with("", &view, &shot); /* x leads to the lower right: what is within a pixel of that line */
    for (int column = 0; column < 78; column++)
        for (int row = 0; row < 40; row++) {
            const double x = column + 0.5 - 44, y = row + 0.5 - 44, half = sqrt(0.5);
            const double along = (x - y) * half, across = fabs(x + y) * half;
            if (along < 14 || fabs(along - 34) < 1 || fabs(across - 1) < 0.5 || column >= 67)
                continue;
            assert_int_equal(has_color(&shot, column, row, 220, 30, 30), along < 34 && across < 1);
        }
}

/* The twelve edges, from three sides, and nothing else. */
static void the_bounds_of_the_scene_are_a_box(void **state)
{
    (void)state;
    static const double turns[3][3] = {{0, 0, 0}, {0, DV_PI / 2, 0}, {0.5, 0.7, 0.1}}, half[3] = {0.5, 0.3, 0.2};
    for (int i = 0; i < 3; i++) {
        const DvQuat turn = dv_quat_from_rotation_vector(dv_vec3_load(turns[i]));
        DvRenderView view = view_from_above();
        Shot shot;
        double length = 0;
        view.shows_box = true;
        dv_quat_store(turn, view.camera.orientation);
        dv_vec3_store(dv_quat_rotate(turn, dv_vec3(0, 0, 10)), view.camera.position);
        draw_with("<OglModel position='-0.5 -0.3 -0.2  0.5 0.3 0.2' triangles=''/>", &view, &shot);
        for (int corner = 0; corner < 8; corner++)
            for (int axis = 0; axis < 3; axis++) {
                double ends[2][3];
                for (int end = 0; end < 2; end++)
                    for (int c = 0; c < 3; c++)
                        ends[end][c] = half[c] * ((corner >> c & 1) || (end && c == axis) ? 1 : -1);
                const DvVec3 from = dv_quat_inverse_rotate(turn, dv_vec3_load(ends[0])),
                             to = dv_quat_inverse_rotate(turn, dv_vec3_load(ends[1]));
                const double dx = 50 * (to.x - from.x), dy = 50 * (to.y - from.y);
                length += hypot(dx, dy);
                if (hypot(dx, dy) < 4) /* seen end on, or none */
                    continue;
                for (double t = 0.2; t < 0.9; t += 0.3)
                    assert_true(has_color(&shot, (int)(50 + 50 * from.x + t * dx), (int)(50 + 50 * from.y + t * dy),
                                          230, 180, 20));
            }
        assert_true(length > 150 && covered(&shot) < 2.5 * length);
    }
    Shot shot;
    draw("<OglModel position='-0.5 -0.3 -0.2  0.5 0.3 0.2' triangles=''/>", &shot);
    assert_int_equal(covered(&shot), 0);
}

/* Seen along its length a cylinder is a full disc: 0.05 at 2 away, 50 pixels to half the square. */
static void ends_of_axes_are_closed(void **state)
{
    (void)state;
    const double radius = 0.05 / (2 * tan(DV_PI / 6)) * 50;
    Shot shot;
    draw("<OglSceneFrame alignment='BottomLeft' viewportSize='100' style='Cylinders'/>", &shot);
    for (int row = 46; row < 54; row++)
        for (int column = 46; column < 54; column++)
            if (hypot(column - 49.5, row - 49.5) < radius - 0.4)
                assert_true(has_color(&shot, column, row, 0, 0, 255));
}

/* Cones towards the middle, grey ones on the other side, and a cube there, of half a unit: seen along a diagonal its corner is in front
 * of all, where the cylinders of another style would meet. */
static void axes_may_be_cones_about_a_cube(void **state)
{
    (void)state;
    Shot shot;
    const char *cones = "<OglSceneFrame alignment='TopRight' viewportSize='40' style='CubeCones'/>";
    const double half = 0.4, scale = half / tan(DV_PI / 6);
    draw(cones, &shot);
    for (int axis = 0; axis < 2; axis++)
        for (int side = -1; side <= 1; side += 2) {
            const double along = 0.8 * side / 3 * scale, grey = 128.0 / 255;
            const bool coloured = side > 0;
            expect_color(&shot, 0.6 + (axis == 0 ? along : 0.001), 0.6 + (axis == 1 ? along : 0.001),
                         coloured ? axis == 0 : grey, coloured ? axis == 1 : grey, coloured ? 0 : grey);
        }
    DvRenderView diagonal = view_from_above();
    const DvVec3 away = dv_vec3_normalize(dv_vec3(1, 1, 1));
    const DvQuat turn = dv_camera_orientation_towards(dv_quat_identity(), dv_vec3(0, 1, 0), away, dv_vec3_zero());
    dv_quat_store(turn, diagonal.camera.orientation);
    draw_with(cones, &diagonal, &shot);
    for (int i = -1; i <= 1; i++)
        expect_color(&shot, 0.6 + 0.02 * i, 0.6 + 0.02 * i, 128.0 / 255, 128.0 / 255, 128.0 / 255);
}

/* Out of focus an edge is smeared, in focus it is not: with Divan's own shader of that name. */
static void depth_of_field_smears_what_is_out_of_focus(void **state)
{
    (void)state;
    Shot shots[2];
    for (int i = 0; i < 2; i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 SUN
                 "<OglShader passive='1' fileVertexShaders=\"'shaders/depthOfField.vert'\" "
                 "fileFragmentShaders=\"'shaders/depthOfField.frag'\"/><OglFloatVariable id='blurIntensity' value='1'/>"
                 "<OglFloatVariable id='focusDistance' value='%g'/><OglFloatVariable id='focusLength' value='0.1'/>"
                 "<PostProcessManager zNear='5' zFar='20'/><OglModel " MATTE("1", "1", "1") " " SQUARE "/>",
                 i == 0 ? 0.6667 : 0.1);
        draw(text, &shots[i]);
    }
    expect_color(&shots[0], 0.48, 0, 1, 1, 1);
    assert_in_range(at(&shots[1], 0.48, 0)[0], 50, 220);
    expect_color(&shots[1], 0, 0, 1, 1, 1);
}

/* IEC 61966-2-1 */
static double of_screen(double linear)
{
    return linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1 / 2.4) - 0.055;
}

static void linear_colours_become_those_of_a_screen(void **state)
{
    (void)state;
    Shot shot;
    DvRenderView view = view_from_above();
    const DvBackground dark = {.color = {0.1, 0.1, 0.1, 1}, .top = {0.1, 0.1, 0.1, 1}};
    view.background = &dark;
    draw_with("<OglRenderingSRGB/>" SUN "<OglModel " MATTE("0.5", "0.2", "0.002") " " SQUARE "/>", &view, &shot);
    expect_color(&shot, 0, 0, of_screen(0.5), of_screen(0.2), of_screen(0.002));
    expect_color(&shot, 0.8, 0, of_screen(0.1), of_screen(0.1), of_screen(0.1));
}

/* Sides of 1 x 1 pixels, and the direction that a shader asks for. */
static void a_cube_shows_the_side_that_is_asked_for(void **state)
{
    (void)state;
    const DvImagesOps *images = dv_service(DV_IMAGES);
    static const char *const names[6] = {"PosX", "NegX", "PosY", "NegY", "PosZ", "NegZ"};
    static const char *const ways[6] = {"1, 0, 0", "-1, 0, 0", "0, 1, 0", "0, -1, 0", "0, 0, 1", "0, 0, -1"};
    char files[6][64], path[64];
    DvText why = {0}, sides = {0};
    if (!images) {
        print_message("skipped: no plugin reads images\n");
        skip();
    }
    for (int i = 0; i < 6; i++) { /* the upper half of each is dark */
        uint8_t pixels[16];
        for (int p = 0; p < 4; p++) {
            const uint8_t color[4] = {(uint8_t)(p < 2 ? 0 : 40 * (i + 1)), (uint8_t)(255 - 40 * i), 0, 255};
            memcpy(pixels + 4 * p, color, 4);
        }
        snprintf(files[i], sizeof files[i], P_tmpdir "/divan-side-XXXXXX.png");
        const int file = mkstemps(files[i], 4);
        assert_true(file >= 0);
        (void)close(file);
        assert_int_equal(images->write(files[i], NULL, &(DvImage){2, 2, pixels}, true, &why), DV_OK);
        dv_text_add(&sides, " cubemapFilename%s='%s'", names[i], files[i]);
    }
    for (int i = 0; i < 6; i++) {
        DvText glsl = {0}, scene = {0};
        Shot shot;
        /* Half a pixel below the middle: of the sides around the y axis, as seen from inside, that is the lower half. */
        dv_text_add(&glsl,
                    "uniform samplerCube sky;\nout vec4 dv_pixel;\nvoid main()\n{\n"
                    "    dv_pixel = texture(sky, vec3(%s) - vec3(0.0, %s, 0.0));\n}\n",
                    ways[i], i == 2 || i == 3 ? "0.0" : "0.5");
        shader_file(path, glsl.at);
        dv_text_add(&scene,
                    "<OglShader fileVertexShaders='[]' fileFragmentShaders=\"'%s'\"/>"
                    "<OglTexture id='sky'%s linearInterpolation='0'/><OglModel " SQUARE "/>",
                    path, sides.at);
        draw(scene.at, &shot);
        const uint8_t *pixel = at(&shot, 0, 0);
        assert_int_equal(pixel[1], 255 - 40 * i);
        if (i != 2 && i != 3)
            assert_int_equal(pixel[0], 40 * (i + 1));
        assert_int_equal(unlink(path), 0);
        dv_text_free(&glsl);
        dv_text_free(&scene);
    }
    for (int i = 0; i < 6; i++)
        assert_int_equal(unlink(files[i]), 0);
    dv_text_free(&sides);
}

/* A cube of any side that is no square, or of another size than the rest, is black, and is told. */
static void sides_of_a_cube_are_squares_of_one_size(void **state)
{
    (void)state;
    const DvImagesOps *images = dv_service(DV_IMAGES);
    static const char *const names[6] = {"PosX", "NegX", "PosY", "NegY", "PosZ", "NegZ"};
    static const struct {
        uint32_t width, height;
        bool good;
    } cases[] = {{2, 2, true}, {2, 1, false}, {1, 2, false}, {3, 3, false}, {1, 1, false}, {2, 3, false}};
    enum { CASES = sizeof cases / sizeof *cases };
    char files[CASES][64], path[64];
    uint8_t pixels[9 * 4];
    memset(pixels, 255, sizeof pixels);
    if (!images) {
        print_message("skipped: no plugin reads images\n");
        skip();
    }
    for (size_t c = 0; c < CASES; c++) {
        DvText why = {0};
        snprintf(files[c], sizeof files[c], P_tmpdir "/divan-side-XXXXXX.png");
        const int file = mkstemps(files[c], 4);
        assert_true(file >= 0);
        (void)close(file);
        assert_int_equal(images->write(files[c], NULL, &(DvImage){cases[c].width, cases[c].height, pixels}, true, &why),
                         DV_OK);
    }
    shader_file(path, "uniform samplerCube sky;\nout vec4 dv_pixel;\nvoid main()\n{\n"
                      "    dv_pixel = texture(sky, vec3(1.0, 0.2, 0.3));\n}\n");
    for (size_t c = 0; c < CASES; c++)
        for (int odd = 0; odd < (cases[c].good ? 1 : 6); odd++) {
            DvText scene = {0}, said = {0};
            Shot shot;
            dv_text_add(&scene,
                        "<OglShader fileVertexShaders='[]' fileFragmentShaders=\"'%s'\"/><OglTexture name='t' id='sky'",
                        path);
            for (int i = 0; i < 6; i++)
                dv_text_add(&scene, " cubemapFilename%s='%s'", names[i], files[i == odd ? c : 0]);
            dv_text_add(&scene, "/><OglModel " SQUARE "/>");
            dv_log_set_handler(collect, &said);
            draw(scene.at, &shot);
            dv_log_set_handler(NULL, NULL);
            assert_int_equal(at(&shot, 0, 0)[0], cases[c].good ? 255 : 0);
            assert_int_equal(
                said.at && strstr(said.at, "/t: the sides of a cube must be squares of one size; the texture is black"),
                !cases[c].good);
            dv_text_free(&said);
            dv_text_free(&scene);
        }
    for (size_t c = 0; c < CASES; c++)
        assert_int_equal(unlink(files[c]), 0);
    assert_int_equal(unlink(path), 0);
}

static void bytes_of_a_scene_are_a_texture(void **state)
{
    (void)state;
    char path[64], text[1024];
    Shot shot;
    shader_file(path, "in vec3 dv_world;\nuniform sampler2D bytes;\nout vec4 dv_pixel;\nvoid main()\n{\n"
                      "    dv_pixel = vec4(texture(bytes, dv_world.xy + 0.5).rgb, 1.0);\n}\n");
    snprintf(
        text, sizeof text,
        "<OglShader fileVertexShaders='[]' fileFragmentShaders=\"'%s'\"/><OglTexture id='bytes' "
        "linearInterpolation='0' generateMipmaps='0' proceduralTextureWidth='2' proceduralTextureHeight='2' "
        "proceduralTextureNbBits='24' proceduralTextureData='255 0 0  0 255 0  0 0 255  51 102 153'/><OglModel " SQUARE
        "/>",
        path);
    draw(text, &shot);
    expect_color(&shot, -0.2, -0.2, 1, 0, 0);
    expect_color(&shot, 0.2, -0.2, 0, 1, 0);
    expect_color(&shot, -0.2, 0.2, 0, 0, 1);
    expect_color(&shot, 0.2, 0.2, 0.2, 0.4, 0.6);
    assert_int_equal(unlink(path), 0);
}

static void planes_and_transforms_hold_in_their_node_and_below(void **state)
{
    (void)state;
    Shot shot;
    draw(SUN "<Node name='cut'><ClipPlane position='0 0.1 0' normal='0 1 0'/><Node name='below'><OglModel " MATTE(
             "1", "0",
             "0") " position='-0.9 -0.5 0  -0.5 -0.5 0  -0.5 0.5 0  -0.9 0.5 0' quads='0 1 2 3'/></Node></Node>"
                  "<Node name='moved'><VisualTransform transform='0.2 0 0  0 0 0 1' recursive='1'/><OglModel " MATTE(
                      "0", "1",
                      "0") " position='0 -0.5 0  0.2 -0.5 0  0.2 0.5 0  0 0.5 0' quads='0 1 2 3'/></Node>"
                           "<Node name='plain'><OglModel " MATTE(
                               "0", "0",
                               "1") " position='0.5 -0.5 0  0.7 -0.5 0  0.7 0.5 0  0.5 0.5 0' quads='0 1 2 3'/></Node>",
         &shot);
    expect_color(&shot, -0.7, 0.07, 1, 0, 0);
    expect_color(&shot, -0.7, 0.13, 0, 0, 0);
    expect_color(&shot, 0.1, 0, 0, 0, 0);
    expect_color(&shot, 0.3, 0.3, 0, 1, 0);
    expect_color(&shot, 0.6, 0.3, 0, 0, 1);
}

/* Without a font no text is drawn, which is told; with one it has to be. */
static bool has_font(void)
{
    static const char *const places[] = {
        "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf", "/usr/share/fonts/dejavu-sans-fonts/DejaVuSans.ttf",
        "/usr/share/fonts/TTF/DejaVuSans.ttf", "/usr/share/fonts/dejavu/DejaVuSans.ttf"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (access(places[i], R_OK) == 0)
            return true;
    return false;
}

static void need_font(void)
{
    if (has_font())
        return;
    print_message("skipped: no font\n");
    skip();
}

static void texts_are_where_they_are_asked_for(void **state)
{
    (void)state;
    Shot shot;
    draw(
        "<VisualStyle displayFlags='showVisualModels'/><OglLabel label='W' x='10' y='60' fontsize='20' color='1 1 1 1'/>",
        &shot);
    int inside = 0, outside = 0;
    for (int row = 0; row < SIDE; row++)
        for (int column = 0; column < SIDE; column++) {
            const bool ink = shot.pixels[4 * (row * SIDE + column)] > 60;
            const bool there = column >= 10 && column < 32 && row >= 58 && row < 82;
            inside += ink && there;
            outside += ink && !there;
        }
    need_font();
    assert_in_range(inside, 50, 250);
    assert_int_equal(outside, 0);
}

static void draw_word_of(const char *word, int height, Shot *shot)
{
    char scene[256];
    snprintf(scene, sizeof scene,
             "<VisualStyle displayFlags='showVisualModels'/><OglLabel label='%s' x='10' y='40' fontsize='%d' "
             "color='1 1 1 1'/>",
             word, height);
    draw(scene, shot);
}

static void draw_word(const char *word, Shot *shot)
{
    draw_word_of(word, 20, shot);
}

/* Black is the least value and white the largest, whichever point has them: in the middle they are a grey. */
static void values_of_points_are_colours_between_the_least_and_the_largest(void **state)
{
    (void)state;
    static const char *const orders[] = {"2 1 0", "0 2 1", "1 0 2", "2 0 1"};
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        char text[512];
        Shot shot;
        snprintf(
            text, sizeof text,
            "<VisualStyle displayFlags='showVisualModels'/><MeshTopology name='mesh' triangles='0 1 2'/>"
            "<VisualMesh position='-0.9 -0.9 0  0.9 -0.9 0  0 0.9 0' vertexValues='%s' elementSpace='0' colorMap='0 0 0 1  1 1 1 1'/>",
            orders[i]);
        draw(text, &shot);
        const uint8_t *middle = at(&shot, 0, -0.3), *one = at(&shot, -0.765, -0.81), *two = at(&shot, 0.765, -0.81),
                      *three = at(&shot, 0, 0.72);
        const uint8_t *const corner[3] = {one, two, three};
        int dark = 255, bright = 0;
        for (int k = 0; k < 3; k++) {
            dark = corner[k][0] < dark ? corner[k][0] : dark;
            bright = corner[k][0] > bright ? corner[k][0] : bright;
        }
        if (!(dark < bright / 5 && abs(middle[0] - (dark + bright) / 2) < bright / 20))
            fail_msg("values %s: %d to %d, in the middle %d", orders[i], dark, bright, middle[0]);
    }
}

/* A file that is named is taken; one that cannot be read is told, and the letters are the usual ones. */
static void a_named_font_is_taken(void **state)
{
    (void)state;
    need_font();
    static const char bold[] = "/usr/share/fonts/truetype/dejavu/DejaVuSans-Bold.ttf";
    DvRenderer *kept = renderer;
    Shot usual, other;
    draw_word("W", &usual);
    for (int readable = 0; readable < 2; readable++) {
        if (readable && access(bold, R_OK) != 0)
            break;
        DvText why = {0}, said = {0};
        assert_int_equal(rendering->create(NULL, &renderer, &why), DV_OK);
        assert_int_equal(setenv("DIVAN_FONT", readable ? bold : "/nowhere.ttf", 1), 0);
        dv_log_set_handler(collect, &said);
        draw_word("W", &other);
        dv_log_set_handler(NULL, NULL);
        assert_int_equal(unsetenv("DIVAN_FONT"), 0);
        rendering->destroy(renderer);
        renderer = kept;
        if (readable) {
            assert_null(said.at);
            assert_int_not_equal(memcmp(usual.pixels, other.pixels, sizeof usual.pixels), 0);
        } else {
            assert_non_null(said.at);
            assert_non_null(strstr(said.at, "DIVAN_FONT names '/nowhere.ttf', which is no font that can be read"));
            assert_memory_equal(usual.pixels, other.pixels, sizeof usual.pixels);
        }
        dv_text_free(&said);
    }
}

/* Whether `word` looks like `first`, and `second` some pixels to the right of it. */
static bool is_composed(const Shot *word, const Shot *first, const Shot *second)
{
    for (int shift = 3; shift < 40; shift++) {
        bool same = true;
        for (int i = 0; i < SIDE * SIDE && same; i++) {
            const int there = i % SIDE >= shift ? second->pixels[4 * (i - shift)] : 0;
            const int expected = there > first->pixels[4 * i] ? there : first->pixels[4 * i];
            same = abs(expected - word->pixels[4 * i]) <= 3;
        }
        if (same)
            return true;
    }
    return false;
}

/* Letters look the same wherever they are, after whatever was drawn before them. */
static void words_are_made_of_their_letters(void **state)
{
    (void)state;
    static Shot w, i, t, word;
    draw_word("W", &w);
    draw_word("i", &i);
    draw_word("t", &t);
    need_font();
    assert_int_not_equal(memcmp(i.pixels, t.pixels, sizeof t.pixels), 0);
    draw_word("Wi", &word);
    assert_true(is_composed(&word, &w, &i));
    draw_word("iW", &word);
    assert_true(is_composed(&word, &i, &w));
    draw_word("it", &word);
    assert_true(is_composed(&word, &i, &t));
    draw_word("ti", &word);
    assert_true(is_composed(&word, &t, &i));
    assert_false(is_composed(&word, &i, &t));
}

/* Letters of so many sizes that the texture which keeps them begins anew, several times. */
static void there_is_always_room_for_letters(void **state)
{
    (void)state;
    static Shot shot, w, i, word;
    draw_word("W", &shot);
    need_font();
    for (int height = 60; height < 100; height++)
        draw_word_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ", height, &shot);
    draw_word_of("W", 17, &w);
    draw_word_of("i", 17, &i);
    draw_word_of("Wi", 17, &word);
    assert_true(covered(&w) > 20 && covered(&i) > 5);
    assert_true(is_composed(&word, &w, &i));
}

/* Letters are kept in rows: what fills more rows leaves those above as they were. */
static void letters_stay_while_others_come(void **state)
{
    (void)state;
    static Shot before[2], after;
    static const char *const words[2] = {"A", "Wgi"};
    DvRenderer *kept = begin_renderer(1); /* keeps no letters yet */
    draw_word_of(words[0], 20, &before[0]);
    draw_word_of(words[1], 60, &before[1]); /* higher than the first of their row */
    for (int height = 50; height < 62; height += 3)
        draw_word_of("BCDEFGHIJKLMNOPQRSTUVXYZ", height, &after); /* about 900 pixels wide: a row of the 1024 each */
    for (int i = 0; i < 2; i++) {
        draw_word_of(words[i], i ? 60 : 20, &after);
        assert_memory_equal(after.pixels, before[i].pixels, sizeof after.pixels);
    }
    end_renderer(kept);
    need_font();
    assert_in_range(covered(&before[0]), 30, 200);
    assert_true(covered(&before[1]) > 500);
}

enum { TALL = 150 };

static void draw_tall(const char *objects, uint8_t pixels[SIDE * TALL * 4])
{
    DvText text = {0};
    DvRenderView view = view_from_above();
    view.height = TALL;
    dv_text_add(&text, "<Node><DefaultAnimationLoop/><VisualStyle displayFlags='showVisualModels'/>%s</Node>", objects);
    DvScene *scene = scene_from_text(text.at);
    (void)draw_pixels(scene, &view, pixels);
    dv_scene_free(scene);
    dv_text_free(&text);
}

/* Its words are those of labels at their places; between them is the bar, 10 x 100 pixels. */
static void a_legend_has_its_title_and_its_range(void **state)
{
    (void)state;
    static uint8_t legend[SIDE * TALL * 4], labels[sizeof legend];
#define LABEL(name, text, x, y) \
    "<OglLabel name='" name "' label='" text "' x='" x "' y='" y "' fontsize='10' color='1 1 1 1'/>"
#define MAP \
    "<OglColorMap colorScheme='Blue to Red' showLegend='1' legendOffset='5 -10' legendSize='10' min='-2.5' max='7.125'"
    static const struct {
        const char *legend, *labels;
        int top;
    } cases[] = {
        {MAP " legendTitle='Wig'/>",
         LABEL("a", "Wig", "15", "10") LABEL("b", "7.125", "29", "25") LABEL("c", "-2.5", "29", "125"), 30},
        {MAP "/>", LABEL("b", "7.125", "29", "5") LABEL("c", "-2.5", "29", "105"), 10},
    };
    for (int i = 0; i < 2; i++) {
        draw_tall(cases[i].legend, legend);
        draw_tall(cases[i].labels, labels);
        for (int row = 0; row < TALL; row++)
            for (int column = 0; column < SIDE; column++) {
                const bool bar = column >= 15 && column < 25 && row >= cases[i].top && row < cases[i].top + 100;
                const uint8_t *got = legend + 4 * (row * SIDE + column), *wanted = labels + 4 * (row * SIDE + column);
                const bool same = bar ? got[0] + got[1] + got[2] > 200 : memcmp(got, wanted, 3) == 0;
                if (!same)
                    fail_msg("legend %d: row %d, column %d: %d %d %d", i, row, column, got[0], got[1], got[2]);
            }
        const uint8_t *most = legend + 4 * (size_t)(cases[i].top * SIDE + 20), *least = most + 4 * (size_t)(99 * SIDE);
        assert_true(most[0] > 240 && most[2] < 20 && least[2] > 240 && least[0] < 20);
    }
    need_font();
    int ink = 0;
    for (int i = 0; i < SIDE * TALL; i++)
        ink += labels[4 * i] > 60;
    assert_in_range(ink, 40, 300);
}

/* A point on an axis, t from its beginning, is seen at t / (3 tan 30) of half the square's side from its middle; an axis is 0.05 thick. */
static void axes_of_the_scene_lie_in_their_corner(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int right, up;
    } corners[] = {{"BottomLeft", 0, 0}, {"BottomRight", 1, 0}, {"TopRight", 1, 1}, {"TopLeft", 0, 1}};
    Shot shot;
    for (int i = 0; i < 4; i++) {
        char scene[128];
        snprintf(scene, sizeof scene, "<OglSceneFrame alignment='%s' viewportSize='40'/>", corners[i].name);
        draw(scene, &shot);
        /* 40 pixels are 0.8 of the 2 that the picture is wide. */
        const double x = corners[i].right ? 0.6 : -0.6, y = corners[i].up ? 0.6 : -0.6, half = 0.4;
        const double along = 0.9 / (3 * tan(DV_PI / 6)) * half;
        expect_color(&shot, x + along, y + 0.001, 1, 0, 0);
        expect_color(&shot, x + 0.001, y + along, 0, 1, 0);
        expect_color(&shot, x + 0.001, y + 0.001, 0, 0, 1); /* comes towards the eye: its end hides the others */
        expect_color(&shot, x - along, y, 0, 0, 0);
        expect_color(&shot, x + 1.2 * along, y, 0, 0, 0);
    }
    draw("<OglSceneFrame draw='0'/>", &shot);
    assert_int_equal(covered(&shot), 0);
    draw("<VisualStyle displayFlags='hideVisualModels'/><OglSceneFrame/>", &shot);
    assert_int_equal(covered(&shot), 0);
    DvRenderView turned = view_from_above(); /* from the side of x: y is upwards, z to the left */
    dv_quat_store(dv_quat_from_rotation_vector(dv_vec3(0, DV_PI / 2, 0)), turned.camera.orientation);
    draw_with("<OglSceneFrame alignment='BottomLeft' viewportSize='100' style='Arrows'/>", &turned, &shot);
    expect_color(&shot, 0.001, 0.001, 1, 0, 0);
    expect_color(&shot, -0.5 / (3 * tan(DV_PI / 6)), 0.001, 0, 0, 1);
    draw_with("<OglSceneFrame alignment='BottomLeft' viewportSize='100' style='CubeCones'/>", &turned, &shot);
    expect_color(&shot, 0.001, 0.001, 1, 0, 0); /* the wide end of its cone, before the cube */
    expect_color(&shot, 0.95 / (3 * tan(DV_PI / 6)), 0.001, 0.5, 0.5, 0.5);
}

#define RED_BOX "<Node><OglModel " MATTE("1", "0", "0") " " SQUARE "/></Node>"

/* A square of side 1 from 10 m away: in a view of 2 x 10 x tan(fovy / 2) = 5 m and 40 pixels it covers the 8 in the middle. */
static void a_viewport_shows_the_scene_in_its_rectangle(void **state)
{
    (void)state;
    const double fovy = 2 * atan(0.25) * 180 / DV_PI;
    char scene[512];
    Shot shot;
    static const struct {
        int x, y, left, below;
    } places[] = {{5, 7, 5, 7}, {-50, 7, 50, 7}, {5, -45, 5, 55}};
    DvRenderView away = view_from_above(); /* sees nothing itself */
    away.camera.position[0] = 100;
    for (int i = 0; i < 3; i++) {
        snprintf(scene, sizeof scene,
                 SUN RED_BOX
                 "<OglViewport screenPosition='%d %d' screenSize='40 40' cameraPosition='0 0 10' fovy='%.17g'/>",
                 places[i].x, places[i].y, fovy);
        draw_with(scene, &away, &shot);
        int wrong = 0;
        for (int row = 0; row < SIDE; row++)
            for (int column = 0; column < SIDE; column++) {
                const int x = column - places[i].left, y = SIDE - 1 - row - places[i].below;
                const bool there = x >= 16 && x < 24 && y >= 16 && y < 24;
                wrong += (shot.pixels[4 * (row * SIDE + column)] > 200) != there;
            }
        assert_int_equal(wrong, 0);
    }
    /* Swapped: the viewport's camera over the whole, 20 pixels to a metre; the view's, which sees nothing, in the rectangle. */
    snprintf(
        scene, sizeof scene,
        SUN RED_BOX
        "<OglViewport screenPosition='50 0' screenSize='50 100' cameraPosition='0 0 10' fovy='%.17g' swapMainView='1'/>",
        fovy);
    draw_with(scene, &away, &shot);
    int count = 0;
    for (int i = 0; i < SIDE * SIDE; i++)
        count += shot.pixels[4 * i] > 200;
    assert_int_equal(count, 10 * 20); /* columns 40 to 49 of 40 to 59 */
    draw_with(SUN RED_BOX "<OglViewport screenSize='40 40' cameraPosition='0 0 10' enabled='0'/>", &away, &shot);
    assert_int_equal(covered(&shot), 0);
}

/* What lies on the screen is there once. */
static void a_viewport_repeats_nothing_of_the_screen(void **state)
{
    (void)state;
    Shot without, with;
    const DvRenderView view = view_from_above();
    draw_with("<OglSceneFrame alignment='BottomLeft' viewportSize='40'/>", &view, &without);
    draw_with("<OglSceneFrame alignment='BottomLeft' viewportSize='40'/>"
              "<OglViewport screenPosition='50 50' screenSize='50 50' cameraPosition='0 0 10'/>",
              &view, &with);
    assert_true(covered(&without) > 0);
    assert_memory_equal(&without, &with, sizeof with);
}

static void a_viewport_too_large_is_an_error(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text("<Node><DefaultAnimationLoop/><OglViewport screenSize='20000 20'/></Node>");
    const DvPictureRecorderOps *recording = dv_service(DV_PICTURE_RECORDER);
    DvRecorder *recorder = recording->create(scene);
    DvPicture *picture = recording->record(recorder, NULL);
    const DvRenderView view = view_from_above();
    DvText why = {0};
    assert_int_equal(rendering->draw(renderer, picture, &view, &why), DV_ERROR_LIMIT);
    assert_non_null(strstr(why.at, "/OglViewport1: screenSize: a picture of 20000 x 20 pixels"));
    dv_text_free(&why);
    recording->unref(picture);
    recording->destroy(recorder);
    dv_scene_free(scene);
}

/* A picture of scenes/visual/gallery.scn, as its camera sees it. */
enum { WIDTH = 800, HEIGHT = 600 };
typedef struct Gallery {
    uint8_t pixels[WIDTH * HEIGHT * 4];
    float whole[16]; /* to clip coordinates, by rows */
} Gallery;

static void draw_gallery(Gallery *gallery)
{
    const DvPictureRecorderOps *recording = dv_service(DV_PICTURE_RECORDER);
    char path[512];
    snprintf(path, sizeof path, "%s/scenes/visual/gallery.scn", getenv("DIVAN_TEST_SOURCE_ROOT"));
    DvScene *scene = NULL;
    DvText why = {0};
    assert_int_equal(dv_scene_load(path, NULL, &scene), DV_OK);
    DvRecorder *recorder = recording->create(scene);
    DvPicture *picture = recording->record(recorder, NULL);
    assert_int_equal(picture->camera_count, 1);
    DvRenderView view = {.width = WIDTH, .height = HEIGHT, .camera = picture->cameras[0].camera};
    dv_camera_prepare(&view.camera, picture->box, picture->gravity);
    if (rendering->draw(renderer, picture, &view, &why) != DV_OK ||
        rendering->read(renderer, gallery->pixels, &why) != DV_OK)
        fail_msg("%s", why.at);
    double look[16], projection[16];
    dv_camera_view(&view.camera, look);
    dv_camera_projection(&view.camera, WIDTH, HEIGHT, projection);
    for (int row = 0; row < 4; row++)
        for (int column = 0; column < 4; column++) {
            double sum = 0;
            for (int i = 0; i < 4; i++)
                sum += projection[4 * row + i] * look[4 * i + column];
            gallery->whole[4 * row + column] = (float)sum;
        }
    recording->unref(picture);
    recording->destroy(recorder);
    dv_scene_free(scene);
}

static const uint8_t *gallery_pixel(const Gallery *gallery, int column, int row) /* from the upper left corner */
{
    assert_true(column >= 0 && column < WIDTH && row >= 0 && row < HEIGHT);
    return gallery->pixels + 4 * ((size_t)row * WIDTH + (size_t)column);
}

static const uint8_t *gallery_point(const Gallery *gallery, float x, float y, float z)
{
    float to[4];
    for (int i = 0; i < 4; i++)
        to[i] = gallery->whole[4 * i] * x + gallery->whole[4 * i + 1] * y + gallery->whole[4 * i + 2] * z +
                gallery->whole[4 * i + 3];
    return gallery_pixel(gallery, (int)((to[0] / to[3] + 1) / 2 * WIDTH), (int)((1 - to[1] / to[3]) / 2 * HEIGHT));
}

/* Pixels of a rectangle whose channel `most` is above 1.5 times the others; 3: those that are dark. */
static int gallery_count(const Gallery *gallery, int left, int top, int width, int height, int most)
{
    int count = 0;
    for (int y = top; y < top + height; y++)
        for (int x = left; x < left + width; x++) {
            const uint8_t *p = gallery_pixel(gallery, x, y);
            const bool dark = p[0] < 100 && p[1] < 100 && p[2] < 100;
            count += most == 3 ? dark : 2 * p[most] > 3 * p[(most + 1) % 3] && 2 * p[most] > 3 * p[(most + 2) % 3];
        }
    return count;
}

static void each_of_the_gallery_is_where_its_fields_say(void **state)
{
    (void)state;
    static Gallery gallery;
    draw_gallery(&gallery);
    const uint8_t *p = gallery_point(&gallery, 1.6f, 0.4f, 1.6f); /* x z above 0: red; below: blue */
    assert_true(p[0] > 2 * p[2]);
    p = gallery_point(&gallery, -1.6f, 0.4f, 1.6f);
    assert_true(p[2] > 2 * p[0]);
    p = gallery_point(&gallery, 0, 0.3f, 2.5f); /* the largest ball */
    assert_true(p[0] > p[1] && p[1] > 2 * p[2]);
    p = gallery_point(&gallery, 1.5f, 1, -0.3f); /* the middle of an arrow, before a green part of the sheet */
    assert_true(p[0] > 2 * p[1] && p[2] > 2 * p[1]);
    p = gallery_point(&gallery, -3, 0, 0.25f); /* lines of the grid, and between them */
    assert_true(p[0] < 150);
    p = gallery_point(&gallery, 2.5f, 0, 2.75f);
    assert_true(p[0] < 150);
    p = gallery_point(&gallery, 2.75f, 0, 2.75f);
    assert_true(p[0] > 200 && p[2] > 200);
    p = gallery_point(&gallery, 0, 2, 0); /* the y axis */
    assert_true(p[1] > 200 && p[0] < 50 && p[2] < 50);
    p = gallery_pixel(&gallery, 25, 50); /* the legend: the most at the top */
    assert_true(p[0] > 200 && p[2] < 50);
    p = gallery_pixel(&gallery, 25, 143);
    assert_true(p[2] > 200 && p[0] < 50);
    for (int axis = 0; axis < 3; axis++)
        assert_true(gallery_count(&gallery, 0, HEIGHT - 140, 140, 140, axis) > 20); /* axes in their corner */
    p = gallery_pixel(&gallery, 590 + 100 + 31, 440 + 75 + 31); /* from above: 19.4 pixels a metre */
    assert_true(p[0] > 2 * p[2]);
    p = gallery_pixel(&gallery, 590 + 100 + 31, 440 + 75 - 31);
    assert_true(p[2] > 2 * p[0]);
    const int label = gallery_count(&gallery, 556, 10, 230, 24, 3),
              words = gallery_count(&gallery, 310, 395, 170, 25, 2);
    if (!has_font())
        print_message("no font: texts are not looked at\n");
    else
        assert_true(label > 200 && words > 100);
}

/* Mean colours of blocks of 5 x 5 pixels: what an eye sees of a small picture, whatever a driver does at edges. */
static double difference(const DvImage *image, const Shot *shot)
{
    enum { BLOCK = 5 };
    double worst = 0;
    for (int by = 0; by < SIDE; by += BLOCK)
        for (int bx = 0; bx < SIDE; bx += BLOCK)
            for (int c = 0; c < 3; c++) {
                double sum = 0;
                for (int y = by; y < by + BLOCK; y++)
                    for (int x = bx; x < bx + BLOCK; x++)
                        sum += image->pixels[4 * (y * SIDE + x) + c] - shot->pixels[4 * (y * SIDE + x) + c];
                worst = fmax(worst, fabs(sum) / (BLOCK * BLOCK));
            }
    return worst;
}

/* The picture golden/NAME.png, to be freed, which the shot must look like. DIVAN_WRITE_GOLDEN=1 writes the picture that is there
 * instead of comparing it: after having looked at it. */
static DvImage golden_picture(const char *name, Shot *shot)
{
    const DvImagesOps *images = dv_service(DV_IMAGES);
    DvText why = {0};
    char path[512];
    snprintf(path, sizeof path, "%s/tests/visual/golden/%s.png", getenv("DIVAN_TEST_SOURCE_ROOT"), name);
    DvImage golden;
    if (getenv("DIVAN_WRITE_GOLDEN")) {
        golden = (DvImage){SIDE, SIDE, shot->pixels};
        assert_int_equal(images->write(path, NULL, &golden, true, &why), DV_OK);
        skip();
    }
    if (images->read(path, &golden, &why) != DV_OK)
        fail_msg("%s: %s", path, why.at);
    assert_int_equal(golden.width, SIDE);
    assert_int_equal(golden.height, SIDE);
    const double same = difference(&golden, shot);
    if (same > 8)
        fail_msg("the picture differs by %g of 255 from %s", same, path);
    return golden;
}

static void need_images(void)
{
    if (dv_service(DV_IMAGES))
        return;
    print_message("skipped: no plugin reads images\n");
    skip();
}

/* What a scene shows to a camera at (3 2 4) that looks at the middle. */
static void expect_golden(const char *name, const char *objects)
{
    const DvImagesOps *images = dv_service(DV_IMAGES);
    static const DvBackground grey = {.color = {0.25, 0.25, 0.25, 1}, .top = {0.5, 0.5, 0.6, 1}};
    DvRenderView view = {.width = SIDE, .height = SIDE, .background = &grey, .camera = {.orientation = {0, 0, 0, 1}}};
    view.camera.field_of_view = 45;
    dv_camera_look(&view.camera, dv_vec3(3, 2, 4), dv_vec3(0, 0, 0), dv_vec3(0, 1, 0));
    view.camera.near = 1;
    view.camera.far = 20;
    Shot shot;
    draw_with(objects, &view, &shot);
    DvImage golden = golden_picture(name, &shot);
    images->free(&golden);
}

#define FLOOR                                                                                                             \
    "<OglModel name='floor' position='-3 -1 -3  3 -1 -3  3 -1 3  -3 -1 3' quads='3 2 1 0' material='m Diffuse 1 0.8 0.8 " \
    "0.7 1 Ambient 1 0.1 0.1 0.1 1 Specular 1 0.5 0.5 0.5 1 Emissive 0 0 0 0 1 Shininess 1 20'/>"
#define SHOWN "<VisualStyle displayFlags='showVisualModels showBehaviorModels'/>"

static void bodies_and_shadows_look_as_they_did(void **state)
{
    (void)state;
    need_images();
    expect_golden(
        "bodies", SHOWN
        "<LightManager shadows='1' ambient='0.2 0.2 0.2 1'/><SpotLight position='1 4 2' direction='-0.2 -1 -0.4' "
        "cutoff='40' exponent='2' color='1 0.9 0.8 1' shadowTextureSize='256'/>" FLOOR
        "<VisualPointCloud position='-1 -0.6 0  -1 0.3 0' drawMode='Sphere' sphereRadius='0.4' color='1 0.2 0.1 "
        "1'/><VisualVectorField position='0 -1 0.5  0 -1 -0.5' vector='0 1 0  0.3 1.2 0' vectorScale='1' "
        "drawMode='Arrow' color='0.2 0.9 0.3 1'/><CylinderVisualModel position='1 -1 0 1 0 0.5 1.4 0 0' edges='0 1 1 "
        "2' radius='0.12' color='0.3 0.4 1 1'/><VisualBoundingBox bbox='-1.5 -0.97 -1 1.5 1 1' thickness='2' color='1 1 "
        "0 1'/>");
}

static void what_lets_light_through_looks_as_it_did(void **state)
{
    (void)state;
    need_images();
    expect_golden(
        "translucent", SHOWN
        "<LightManager/><DirectionalLight direction='0.5 1 1' color='1 1 1 1'/><PositionalLight position='-2 1 1' "
        "color='0.5 0.2 0.2 1' attenuation='0.1'/>" FLOOR
        "<OglModel position='-1 -0.5 0.5 1 -0.5 0.5 1 0.7 0.5 -1 0.7 0.5' quads='0 1 2 3' color='0.2 0.5 1 0.5'/>"
        "<OglModel position='-0.5 -0.8 0 1.5 -0.8 0 1.5 0.2 -0.5 -0.5 0.2 -0.5' quads='0 1 2 3' color='1 0.3 0.2 "
        "0.6'/><VisualPointCloud position='0.5 0 -0.3' drawMode='Sphere' sphereRadius='0.5' color='0.9 0.9 0.1 "
        "0.7'/><Node name='splats'><PointSetTopologyContainer position='-1.2 0.5 0  -0.6 0.9 0'/><PointSplatModel radius='0.4' "
        "alpha='0.8' color='1 1 1 1' pointData='255 120'/></Node><VisualPointCloud position='1 0.8 0  1.3 0.8 0' "
        "drawMode='Point' pointSize='6' color='1 0 1 1'/>");
}

static void corners_and_lines_look_as_they_did(void **state)
{
    (void)state;
    need_images();
    expect_golden(
        "corners", SHOWN
        "<OglSceneFrame name='a' alignment='BottomLeft' viewportSize='36' style='Arrows'/><OglSceneFrame name='b' "
        "alignment='BottomRight' viewportSize='42' style='Cylinders'/><OglSceneFrame name='c' alignment='TopLeft' "
        "viewportSize='36' style='CubeCones'/><Node name='low'><VisualTransform transform='0 -0.05 0 0 0 0 1'/><VisualGrid "
        "plane='y' size='3' nbSubdiv='6' color='0.8 0.9 1 1' thickness='1'/></Node><LineAxis axis='xyz' size='2' thickness='3'/><MechanicalObject template='Rigid3d' position='0.4 "
        "0.3 0 0 0 0.38268343 0.92387953' showObject='1' showObjectScale='0.7'/><ClipPlane position='0 0 -0.6' normal='0 "
        "0 -1'/>");
}

/* Pixels that are rather red (0), green (1) or blue (2). */
static unsigned count_of(const Shot *shot, int channel)
{
    unsigned count = 0;
    for (size_t i = 0; i < sizeof shot->pixels; i += 4)
        count += shot->pixels[i + (size_t)channel] > 100 && shot->pixels[i + (size_t)(channel + 1) % 3] < 60 &&
                 shot->pixels[i + (size_t)(channel + 2) % 3] < 60;
    return count;
}

#define PLAIN(colour) \
    "material='m Diffuse 0 " colour " Ambient 0 " colour " Specular 0 " colour " Emissive 1 " colour " Shininess 0 1' "

/* A square of 2 a at a place, that faces the z axis. */
static void add_square(DvText *text, const char *look, double x, double y, double z, double a)
{
    dv_text_add(text, "<OglModel %s position='%g %g %g %g %g %g %g %g %g %g %g %g' quads='0 1 2 3'/>", look, x - a,
                y - a, z, x + a, y - a, z, x + a, y + a, z, x - a, y + a, z);
}

/* How far apart things are does not matter: near and far are those of what is seen. */
static void what_is_near_a_wide_floor_is_seen(void **state)
{
    (void)state;
    static const DvBackground black = {.color = {0, 0, 0, 1}, .top = {0, 0, 0, 1}};
    for (double floor = 10; floor < 20000; floor *= 10)
        for (int parallel = 0; parallel < 2; parallel++) {
            DvText text = {0};
            DvRenderView view = {.width = SIDE, .height = SIDE, .background = &black};
            Shot shot;
            dv_text_add(
                &text, "<OglModel " PLAIN("0 0.5 0 1") " position='-%g -1 -%g  %g -1 -%g  0 -1 %g' triangles='0 2 1'/>",
                floor, floor, floor, floor, floor);
            add_square(&text, PLAIN("0.5 0 0 1"), 0, 0, 0, 0.25);
            view.camera = (DvCamera){
                .orientation = {0, 0, 0, 1}, .field_of_view = 45, .orthographic = parallel, .fits_clip = true};
            dv_camera_look(&view.camera, dv_vec3(0, 0, 1.5), dv_vec3(0, 0, 0), dv_vec3(0, 1, 0));
            dv_camera_prepare(&view.camera, (const double[6]){-floor, -1, -floor, floor, 0.5, floor},
                              (const double[3]){0, -1, 0});
            draw_with(text.at, &view, &shot);
            /* 1.5 tan 22.5 = 0.621 m is half the picture: the square is 0.5 m wide, the floor begins below and ends at the horizon. */
            const double side = SIDE * 0.25 / 0.6213;
            assert_true(fabs(count_of(&shot, 0) - side * side) < 4 * side);
            if (!parallel)
                assert_true(count_of(&shot, 1) > SIDE * SIDE / 4);
            dv_text_free(&text);
        }
}

/* A cylinder that leads away from the eye, alone in the picture: its far end is as well seen as its near one. */
static void both_ends_of_a_cylinder_are_seen(void **state)
{
    (void)state;
    static const DvBackground black = {.color = {0, 0, 0, 1}, .top = {0, 0, 0, 1}};
    DvRenderView view = {.width = SIDE, .height = SIDE, .background = &black};
    Shot shot;
    view.camera = (DvCamera){.orientation = {0, 0, 0, 1}, .field_of_view = 45, .fits_clip = true};
    dv_camera_look(&view.camera, dv_vec3(0, 0, 0), dv_vec3(0, 0, -1), dv_vec3(0, 1, 0));
    dv_camera_prepare(&view.camera, (const double[6]){-1, -1, -31, 9, 1, -1}, (const double[3]){0, -1, 0});
    draw_with("<CylinderVisualModel position='-0.5 0 -2  8 0 -30' edges='0 1' radius='0.5' color='1 0 0 1'/>", &view,
              &shot);
    /* tan 22.5 is half the picture: the ends are at -0.6 and 0.64 of it. */
    for (double x = -0.5; x < 0.6; x += 0.5) {
        const uint8_t *pixel = at(&shot, x, 0);
        assert_true(pixel[0] > 30 && pixel[1] < pixel[0] / 2);
    }
}

/* Of two sheets the nearer one is seen, far behind a thing that is close to the eye. */
static void what_is_far_behind_is_in_order(void **state)
{
    (void)state;
    static const DvBackground black = {.color = {0, 0, 0, 1}, .top = {0, 0, 0, 1}};
    DvText text = {0};
    DvRenderView view = {.width = SIDE, .height = SIDE, .background = &black};
    Shot shot;
    add_square(&text, PLAIN("0.5 0 0 1"), 0, 0, -0.3, 0.02);
    for (int i = 0; i < 2; i++) { /* whatever is drawn first */
        add_square(&text, i ? PLAIN("0 0 0.5 1") : PLAIN("0 0.5 0 1"), i ? 4 : -4, 0, -29.97, 4);
        add_square(&text, i ? PLAIN("0 0.5 0 1") : PLAIN("0 0 0.5 1"), 0, 0, -30 - 0.03 * i, 8);
    }
    view.camera = (DvCamera){.orientation = {0, 0, 0, 1}, .field_of_view = 45, .fits_clip = true};
    dv_camera_look(&view.camera, dv_vec3(0, 0, 0), dv_vec3(0, 0, -0.3), dv_vec3(0, 1, 0));
    dv_camera_prepare(&view.camera, (const double[6]){-8, -8, -30.1, 8, 8, -0.3}, (const double[3]){0, -1, 0});
    draw_with(text.at, &view, &shot);
    const unsigned red = count_of(&shot, 0), green = count_of(&shot, 1), blue = count_of(&shot, 2);
    /* At 30 m the picture is 24.85 m wide. */
    const double pixel = 24.85 / SIDE, half = 8 / pixel * 8 / pixel, close = 0.04 / (0.2485 / SIDE);
    assert_true(fabs(red - close * close) < 6 * close);
    assert_true(fabs(green - (half - red / 2.0)) < 8 / pixel * 3);
    assert_true(fabs(blue - (16 / pixel * 16 / pixel - half - red / 2.0)) < 16 / pixel * 4);
    dv_text_free(&text);
}

/* Lines that lie in a face are whole, however far away. */
static void lines_in_a_face_are_whole(void **state)
{
    (void)state;
    if (getenv("MESA_EXTENSION_OVERRIDE"))
        skip(); /* 24 bits do not tell */
    static const DvBackground black = {.color = {0, 0, 0, 1}, .top = {0, 0, 0, 1}};
    for (double away = 1; away < 2000; away *= 10) {
        DvText text = {0};
        Shot shot;
        const double a = 0.3 * away;
        dv_text_add(&text, SHOWN);
        add_square(&text, PLAIN("0 0.5 0 1"), 0, 0, 0, away);
        dv_text_add(&text, "<VisualBoundingBox bbox='-%g -%g 0 %g %g 0' thickness='1' color='1 0 0 1'/>", a, a, a, a);
        DvRenderView view = {.width = SIDE, .height = SIDE, .background = &black};
        view.camera = (DvCamera){.orientation = {0, 0, 0, 1}, .field_of_view = 45, .fits_clip = true};
        dv_camera_look(&view.camera, dv_vec3(0.3 * away, 0.7 * away, away), dv_vec3(0, 0, 0), dv_vec3(0, 1, 0));
        dv_camera_prepare(&view.camera, (const double[6]){-away, -away, 0, away, away, 0}, (const double[3]){0, -1, 0});
        draw_with(text.at, &view, &shot);
        /* Four sides of some 40 pixels, each with a pixel or more: half of them and more would be missing of dashes. */
        assert_true(count_of(&shot, 0) > 100);
        static unsigned first;
        first = away > 1 ? first : count_of(&shot, 0);
        assert_in_range(count_of(&shot, 0), first - 4, first + 4);
        dv_text_free(&text);
    }
}

/* Of lines in a face that is seen obliquely as much is seen as without the face. */
static void lines_in_an_oblique_face_are_whole(void **state)
{
    (void)state;
    if (getenv("MESA_EXTENSION_OVERRIDE"))
        skip();
    static const DvBackground black = {.color = {0, 0, 0, 1}, .top = {0, 0, 0, 1}};
    unsigned seen[2];
    for (int face = 0; face < 2; face++) {
        DvText text = {0};
        Shot shot;
        dv_text_add(&text, SHOWN);
        if (face)
            add_square(&text, PLAIN("0 0.5 0 1"), 0, 0, 0, 1);
        for (int k = 1; k < 9; k++)
            dv_text_add(&text, "<VisualBoundingBox bbox='-%g -%g 0 %g %g 0' thickness='1' color='1 0 0 1'/>", 0.1 * k,
                        0.11 * k, 0.1 * k, 0.09 * k);
        DvRenderView view = {.width = SIDE, .height = SIDE, .background = &black};
        view.camera = (DvCamera){.orientation = {0, 0, 0, 1}, .field_of_view = 45, .fits_clip = true};
        dv_camera_look(&view.camera, dv_vec3(0.5, -1.7, 0.8), dv_vec3(0, 0, 0), dv_vec3(0, 0, 1));
        dv_camera_prepare(&view.camera, (const double[6]){-1, -1, 0, 1, 1, 0}, (const double[3]){0, 0, -1});
        draw_with(text.at, &view, &shot);
        seen[face] = count_of(&shot, 0);
        dv_text_free(&text);
    }
    assert_in_range(seen[1], seen[0] * 93 / 100, seen[0]); /* without the shift of faces: two thirds */
}

static void the_liver_looks_as_it_did(void **state)
{
    (void)state;
    const DvImagesOps *images = dv_service(DV_IMAGES);
    char path[512];
    need_images();
    snprintf(path, sizeof path, "%s/scenes/liver.scn", getenv("DIVAN_TEST_SOURCE_ROOT"));
    DvScene *scene;
    assert_int_equal(dv_scene_load(path, NULL, &scene), DV_OK);
    Shot shot;
    DvRenderView view = {.width = SIDE, .height = SIDE, .camera = {.orientation = {0, 0, 0, 1}, .fits_clip = true}};
    dv_camera_look(&view.camera, dv_vec3(-0.05, 0.05, 0.32), dv_vec3(-0.01, 0.01, 0), dv_vec3(0, 1, 0));
    dv_camera_prepare(&view.camera, (const double[6]){-0.15, -0.1, -0.1, 0.15, 0.1, 0.1},
                      (const double[3]){0, -9.81, 0});
    (void)draw_scene(scene, &view, &shot);
    DvImage golden = golden_picture("liver", &shot);
    /* That it can fail: the camera a centimetre to the side, or a light a quarter weaker. */
    DvRenderView moved = view;
    moved.camera.position[0] += 0.01;
    (void)draw_scene(scene, &moved, &shot);
    assert_true(difference(&golden, &shot) > 8);
    for (size_t i = 0; i < sizeof shot.pixels; i++)
        shot.pixels[i] = (uint8_t)(golden.pixels[i] * 3 / 4);
    assert_true(difference(&golden, &shot) > 8);
    images->free(&golden);
    dv_scene_free(scene);
}

/* False: there is a renderer, or should be; true: this machine has no OpenGL that would do, which is told. */
static bool is_skipped(void)
{
    const DvRendererOptions options = {.samples = 1};
    DvText why = {0};
    DvScene *scene = scene_from_text("<Node><DefaultAnimationLoop/></Node>"); /* starts the plugins */
    dv_scene_free(scene);
    rendering = dv_service(DV_RENDERER);
    const DvStatus status = rendering ? rendering->create(&options, &renderer, &why) : DV_ERROR_MISSING;
    const bool skipped =
        status == DV_ERROR_MISSING || (status == DV_ERROR_UNSUPPORTED && strstr(why.at, "3.3 is needed"));
    if (status != DV_OK)
        print_message("%s: %s\n", skipped ? "skipped" : "no renderer", why.at ? why.at : "no plugin draws");
    dv_text_free(&why);
    return skipped;
}

static int stop(void **state)
{
    if (rendering)
        rendering->destroy(renderer);
    return stop_plugins(state);
}

/* Of the columns that have some white, the first and the last; of the rows that have some, how many times they begin. */
static int lines_of_letters(const Shot *shot, int *first, int *last)
{
    int lines = 0;
    bool before = false;
    *first = SIDE, *last = -1;
    for (int row = 0; row < SIDE; row++) {
        bool some = false;
        for (int column = 0; column < SIDE; column++)
            if (shot->pixels[4 * (row * SIDE + column)] > 60) {
                *first = column < *first ? column : *first;
                *last = column > *last ? column : *last;
                some = true;
            }
        lines += some && !before;
        before = some;
    }
    return lines;
}

/* A text of the screen that is wider than the picture goes on in the next line; one that fits stays as it is. */
static void a_wide_text_is_broken_at_blanks(void **state)
{
    (void)state;
    static const char *const labels[] = {"aa aa", "aa aa aa aa aa aa aa aa", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"};
    static const int expected[] = {1, 3, 1};
    for (int i = 0; i < 3; i++) {
        Shot shot;
        DvText text = {0};
        int first, last;
        dv_text_add(&text, "<OglLabel label='%s' x='10' y='10' fontsize='15' color='1 1 1 1'/>", labels[i]);
        draw(text.at, &shot);
        assert_int_equal(lines_of_letters(&shot, &first, &last), expected[i]);
        assert_true(first >= 9 && (i == 2 || last < 91));
        dv_text_free(&text);
    }
}

/* Pixels of the line around what is outlined, in columns [first, end). */
static int outlined(const Shot *shot, int first, int end)
{
    int count = 0;
    for (int row = 0; row < SIDE; row++)
        for (int column = first; column < end; column++)
            count += has_color(shot, column, row, 255, 148, 26);
    return count;
}

/* Two pixels wide, outside of the silhouette, around what has the path alone. */
static void an_outline_lies_around_what_it_is_asked_for(void **state)
{
    (void)state;
    Shot shot;
    DvRenderView view = view_from_above();
    const char *rectangles = SUN "<OglModel name='left' " MATTE(
        "0", "0", "1") " position='-0.8 -0.4 0  -0.4 -0.4 0  -0.4 0.2 0  -0.8 0.2 0' quads='0 1 2 3'/>"
                       "<Node name='Right'><OglModel name='look' " MATTE(
                           "0", "1",
                           "0") " position='0.2 -0.2 0  0.8 -0.2 0  0.8 0.2 0  0.2 0.2 0' quads='0 1 2 3'/></Node>";
    view.outline = "/Right";
    draw_with(rectangles, &view, &shot);
    assert_int_equal(outlined(&shot, 0, 50), 0);
    /* 20 pixels and 30: 2 x 2 x (20 + 30) beside the sides, and in each corner the pixels whose distance is at most 2. */
    assert_int_equal(outlined(&shot, 50, SIDE), 2 * 2 * (20 + 30) + 4 * 1);
    for (int beside = 1; beside < 4; beside++)
        assert_true(has_color(&shot, 60 - beside, 50, beside < 3 ? 255 : 0, beside < 3 ? 148 : 0, beside < 3 ? 26 : 0));
    expect_color(&shot, 0.41, 0, 0, 1, 0);
    expect_color(&shot, -0.41, 0, 0, 0, 1);
    view.outline = "/left";
    draw_with(rectangles, &view, &shot);
    assert_int_equal(outlined(&shot, 50, SIDE), 0);
    assert_int_equal(outlined(&shot, 0, 50), 2 * 2 * (20 + 30) + 4 * 1);
    view.outline = "/lef"; /* nothing has this name */
    draw_with(rectangles, &view, &shot);
    assert_int_equal(outlined(&shot, 0, SIDE), 0);
}

/* A model's own edges have its colour whatever the light, and are outlined, but their shadow would be no wider than they are: none. */
static void edges_of_a_model_are_lines_without_a_shadow(void **state)
{
    (void)state;
    const char *rod =
        "<OglModel name='rod' " MATTE("1", "0", "0") " position='0.5 -0.49 0.5  0.5 0.51 0.5' edges='0 1'/>";
    Shot shot;
    DvText text = {0};
    dv_text_add(&text,
                "<LightManager shadows='1'/><DirectionalLight direction='1 0 1'/>%s"
                "<OglModel " MATTE("1", "1", "1") " position='-1 -1 0  1 -1 0  1 1 0  -1 1 0' quads='0 1 2 3'/>",
                rod);
    draw(text.at, &shot);
    int red = 0, floor = 0;
    for (int row = 0; row < SIDE; row++)
        for (int column = 0; column < SIDE; column++) {
            red += has_color(&shot, column, row, 255, 0, 0);
            floor += has_color(&shot, column, row, 180, 180, 180); /* half the root of two */
        }
    assert_in_range(red, 49, 51);
    assert_int_equal(red + floor, SIDE * SIDE);
    DvRenderView view = view_from_above();
    view.outline = "/rod";
    draw_with(rod, &view, &shot);
    assert_in_range(outlined(&shot, 0, SIDE), 2 * 2 * 49, 2 * 2 * 51 + 4 * 3);
    dv_text_free(&text);
}

/* Solids and vertices that several draw are one batch, of which those of one are outlined; a plane that cuts them cuts the line. */
static void an_outline_takes_a_part_of_a_batch(void **state)
{
    (void)state;
    static const char *const modes[] = {"drawMode='Sphere' sphereRadius='0.2'", "drawMode='Point' pointSize='10'"};
    for (int mode = 0; mode < 2; mode++) {
        DvRenderView view = view_from_above();
        Shot shot;
        DvText text = {0};
        for (int i = 0; i < 3; i++)
            dv_text_add(&text, "<VisualPointCloud name='%c' position='%g 0 0' %s color='0 0 1 1'/>", 'a' + i,
                        0.6 * (i - 1), modes[mode]);
        view.outline = "/b";
        draw_with(text.at, &view, &shot);
        assert_int_equal(outlined(&shot, 0, 38), 0);
        assert_int_equal(outlined(&shot, 62, SIDE), 0);
        const int whole = outlined(&shot, 38, 62);
        const double radius = mode == 0 ? 10 : 5, least = DV_PI * (pow(radius + 1.5, 2) - pow(radius, 2)),
                     most = 4.0 * (pow(radius + 2.5, 2) - pow(radius, 2));
        if (!(whole > least && whole < most))
            fail_msg("%d pixels in mode %d instead of %g to %g", whole, mode, least, most);
        view.clips = true;
        view.clip = (DvClipPlane){.normal = {1, 0, 0}};
        draw_with(text.at, &view, &shot);
        if (mode == 0) /* half a circle, and its cut */
            assert_true(outlined(&shot, 38, 53) > least / 2 && outlined(&shot, 53, 62) == 0);
        dv_text_free(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wide_text_is_broken_at_blanks),
        cmocka_unit_test(an_outline_lies_around_what_it_is_asked_for),
        cmocka_unit_test(edges_of_a_model_are_lines_without_a_shadow),
        cmocka_unit_test(an_outline_takes_a_part_of_a_batch),
        cmocka_unit_test(a_triangle_covers_the_pixels_whose_centres_it_holds),
        cmocka_unit_test(edges_are_smooth_unless_that_is_not_wanted),
        cmocka_unit_test(edges_may_be_smoothed_in_the_picture),
        cmocka_unit_test(edges_are_smoothed_alike_above_and_below),
        cmocka_unit_test(a_scene_without_lights_is_lit_from_above),
        cmocka_unit_test(what_moves_has_a_shadow_on_a_ground),
        cmocka_unit_test(light_falls_with_the_cosine),
        cmocka_unit_test(ambient_emissive_and_highlight_add_up),
        cmocka_unit_test(smooth_normals_shade_a_sphere_by_its_slope),
        cmocka_unit_test(two_lights_are_the_sum_of_both),
        cmocka_unit_test(a_shadow_falls_where_the_light_says),
        cmocka_unit_test(shadows_have_the_size_and_the_lights_of_their_scene),
        cmocka_unit_test(translucent_things_look_alike_in_any_order),
        cmocka_unit_test(a_plane_cuts_away_one_side),
        cmocka_unit_test(fog_lets_through_what_its_formula_says),
        cmocka_unit_test(wires_are_the_sides_of_faces_and_points_their_corners),
        cmocka_unit_test(wires_in_a_face_are_seen),
        cmocka_unit_test(a_texture_lies_as_its_coordinates_say),
        cmocka_unit_test(each_group_has_its_material),
        cmocka_unit_test(only_what_changed_is_uploaded),
        cmocka_unit_test(what_stays_is_not_uploaded_beside_what_moves),
        cmocka_unit_test(thousands_of_primitives_are_one_call),
        cmocka_unit_test(a_size_that_cannot_be_is_an_error),
        cmocka_unit_test(two_renderers_of_a_thread_do_not_disturb_each_other),
        cmocka_unit_test(a_scene_draws_by_its_own_shader),
        cmocka_unit_test(a_shader_may_say_its_version),
        cmocka_unit_test(shaders_that_do_not_fit_are_told),
        cmocka_unit_test(patches_are_divided_by_the_scenes_shaders),
        cmocka_unit_test(a_picture_may_be_drawn_in_steps),
        cmocka_unit_test(shaders_of_scenes_draw_glass_and_shadows),
        cmocka_unit_test(bodies_that_components_draw_cast_shadows),
        cmocka_unit_test(a_picture_is_drawn_once_more),
        cmocka_unit_test(depth_of_field_smears_what_is_out_of_focus),
        cmocka_unit_test(linear_colours_become_those_of_a_screen),
        cmocka_unit_test(a_cube_shows_the_side_that_is_asked_for),
        cmocka_unit_test(sides_of_a_cube_are_squares_of_one_size),
        cmocka_unit_test(bytes_of_a_scene_are_a_texture),
        cmocka_unit_test(planes_and_transforms_hold_in_their_node_and_below),
        cmocka_unit_test(texts_are_where_they_are_asked_for),
        cmocka_unit_test(values_of_points_are_colours_between_the_least_and_the_largest),
        cmocka_unit_test(a_named_font_is_taken),
        cmocka_unit_test(words_are_made_of_their_letters),
        cmocka_unit_test(there_is_always_room_for_letters),
        cmocka_unit_test(letters_stay_while_others_come),
        cmocka_unit_test(a_legend_has_its_title_and_its_range),
        cmocka_unit_test(axes_of_the_scene_lie_in_their_corner),
        cmocka_unit_test(axes_may_be_cones_about_a_cube),
        cmocka_unit_test(ends_of_axes_are_closed),
        cmocka_unit_test(the_viewers_axes_lead_as_the_camera_sees_them),
        cmocka_unit_test(the_bounds_of_the_scene_are_a_box),
        cmocka_unit_test(a_viewport_shows_the_scene_in_its_rectangle),
        cmocka_unit_test(a_viewport_repeats_nothing_of_the_screen),
        cmocka_unit_test(a_viewport_too_large_is_an_error),
        cmocka_unit_test(each_of_the_gallery_is_where_its_fields_say),
        cmocka_unit_test(what_is_near_a_wide_floor_is_seen),
        cmocka_unit_test(both_ends_of_a_cylinder_are_seen),
        cmocka_unit_test(what_is_far_behind_is_in_order),
        cmocka_unit_test(lines_in_a_face_are_whole),
        cmocka_unit_test(lines_in_an_oblique_face_are_whole),
        cmocka_unit_test(the_liver_looks_as_it_did),
        cmocka_unit_test(bodies_and_shadows_look_as_they_did),
        cmocka_unit_test(what_lets_light_through_looks_as_it_did),
        cmocka_unit_test(corners_and_lines_look_as_they_did),
    };
    void *none = NULL;
    const int failed = is_skipped() ? 0 : renderer ? cmocka_run_group_tests(tests, NULL, NULL) : 1;
    (void)stop(&none);
    return failed;
}
