/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Visual models that are computed here: palettes against their closed forms, values in colours, trails, merged surfaces, slices, what
 * shaders are given, folders of data.
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
#include <divan/contracts/topology.h>
#include <divan/divan.h>
#include <divan/embed.h>
#include <divan/types/color_map.h>

#include "drawing.h"
#include "scene_text.h"

static void expect_color(const double *got, double r, double g, double b)
{
    const double expected[4] = {r, g, b, 1.0};
    for (int c = 0; c < 4; c++)
        if (!(fabs(got[c] - expected[c]) < 1e-12))
            fail_msg("colour %g %g %g %g instead of %g %g %g 1", got[0], got[1], got[2], got[3], r, g, b);
}

static void collect(const DvMessage *message, void *context)
{
    dv_message_print(message, context);
    dv_text_add(context, "\n");
}

static void palettes_are_those_of_their_names(void **state)
{
    (void)state;
    double p[4 * 13];
    dv_color_palette(dv_color_scheme("HSV"), p, 13); /* 30 degrees apart */
    expect_color(p, 1, 0, 0);
    expect_color(p + 4, 1, 0.5, 0);
    expect_color(p + 8, 1, 1, 0);
    expect_color(p + 16, 0, 1, 0);
    expect_color(p + 32, 0, 0, 1);
    expect_color(p + 40, 1, 0, 1);
    expect_color(p + 48, 1, 0, 0);
    dv_color_palette(dv_color_scheme("Blue to Red"), p, 5); /* 240, 180, 120, 60, 0 */
    expect_color(p, 0, 0, 1);
    expect_color(p + 4, 0, 1, 1);
    expect_color(p + 16, 1, 0, 0);
    dv_color_palette(dv_color_scheme("Red to Yellow"), p, 4); /* steps of 1/4, yellow itself is not reached */
    expect_color(p, 1, 0, 0);
    expect_color(p + 12, 1, 0.75, 0);
    dv_color_palette(dv_color_scheme("Green"), p, 10); /* 5 dark, 5 pale */
    expect_color(p, 0, 0.3, 0);
    expect_color(p + 16, 0, 0.86, 0);
    expect_color(p + 20, 0, 1, 0);
    expect_color(p + 36, 0.56, 1, 0.56);
    dv_color_palette(dv_color_scheme("RedInv"), p, 10);
    expect_color(p, 1, 0.7, 0.7);
    expect_color(p + 16, 1, 0.14, 0.14);
    expect_color(p + 20, 1, 0, 0);
    expect_color(p + 36, 0.44, 0, 0);
    assert_int_equal(dv_color_scheme("no such"), dv_color_scheme("HSV"));
}

static void values_are_colours_between_those_of_the_entries(void **state)
{
    (void)state;
    const double p[12] = {1, 0, 0, 1, 0, 1, 0, 1, 0, 0, 1, 1};
    double c[4];
    dv_color_of_value(p, 3, 10.0, 14.0, 11.0, c);
    expect_color(c, 0.5, 0.5, 0);
    dv_color_of_value(p, 3, 10.0, 14.0, 99.0, c);
    expect_color(c, 0, 0, 1);
    dv_color_of_value(p, 3, 10.0, 14.0, -99.0, c);
    expect_color(c, 1, 0, 0);
    dv_color_of_value(p, 3, 5.0, 5.0, 7.0, c);
    expect_color(c, 1, 0, 0);
}

#define FACE "<MeshTopology name='mesh' position='0 0 0 1 0 0 1 1 0 0 1 0' triangles='0 1 2 0 2 3'/>"

static DvSurfaceView view_of(DvScene *scene, const char *path)
{
    DvObject *object = scene_object(scene, path);
    DvSurfaceView view = {0};
    dv_scene_update_visual(scene);
    const DvSurfaceOps *ops = dv_object_ops(object, DV_SURFACE);
    assert_true(ops->view(dv_object_self(object), &view));
    return view;
}

static void values_at_points_are_shown_by_the_map_of_the_node(void **state)
{
    (void)state;
    DvScene *scene =
        scene_from_text("<Node><DefaultAnimationLoop/>" FACE "<OglColorMap colorScheme='Blue to Red' paletteSize='5'/>"
                        "<DataDisplay name='d' pointData='0 1 2 4' transparency='0.5'/></Node>");
    const DvSurfaceView view = view_of(scene, "/d");
    const double *colors = view.colors.at;
    assert_int_equal(view.colors.count, 4);
    assert_true(colors[0] == 0.0 && colors[2] == 1.0 && colors[3] == 0.5); /* the least: blue */
    assert_true(colors[4] == 0.0 && colors[5] == 1.0 && colors[6] == 1.0); /* a quarter: cyan */
    assert_true(colors[12] == 1.0 && colors[14] == 0.0);                   /* the most: red */
    const double *normals = view.normals.at;
    assert_true(normals[2] == 1.0 && normals[11] == 1.0);
    dv_scene_free(scene);
}

static void values_of_faces_have_corners_of_their_own(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text("<Node><DefaultAnimationLoop/>" FACE
                                     "<DataDisplay name='d' cellData='3 4' userRange='0 9' colorNaN='0 1 0'/></Node>");
    DvData *values = dv_object_field(scene_object(scene, "/d"), "triangleData");
    ((double *)dv_data_begin(values, 2))[1] = NAN;
    dv_data_end(values);
    const DvSurfaceView view = view_of(scene, "/d");
    assert_int_equal(view.positions.count, 6);
    assert_int_equal(view.triangles.count, 2);
    const double *colors = view.colors.at;
    assert_true(memcmp(colors, colors + 8, 4 * sizeof *colors) == 0);
    assert_true(colors[12] == 0.0 && colors[13] == 1.0 && colors[14] == 0.0); /* not a number */
    dv_scene_free(scene);
}

static void merged_surfaces_hold_the_vertices_and_faces_of_all(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text("<Node><DefaultAnimationLoop/>"
                                     "<MergeVisualModels name='m' nb='2' input1='@a' input2='@b'/>"
                                     "<OglModel name='a' position='0 0 0 1 0 0 0 1 0' triangles='0 1 2'/>"
                                     "<OglModel name='b' position='0 0 1 1 0 1 1 1 1 0 1 1' quads='0 1 2 3'/></Node>");
    const DvSurfaceView view = view_of(scene, "/m");
    assert_int_equal(view.positions.count, 7);
    assert_int_equal(view.triangles.count, 1);
    assert_int_equal(view.quads.count, 1);
    const uint32_t *quad = view.quads.at;
    assert_true(quad[0] == 3 && quad[3] == 6);
    DvData *moved = dv_object_field(scene_object(scene, "/b"), "position");
    double *at = dv_data_begin(moved, 4);
    at[0] = -5.0;
    dv_data_end(moved);
    assert_true(((const double *)view_of(scene, "/m").positions.at)[9] == -5.0);
    dv_scene_free(scene);
}

/* The inputs are moved, turned and scaled; what is given for the whole has no effect, and that is said. */
static void what_merges_moves_nothing_by_itself(void **state)
{
    (void)state;
    DvText said = {0};
    static const char *const words[] = {"translation='1 2 3'", "rotation='90 0 0'", "scale3d='2 3 4'"};
    for (size_t i = 0; i < 3; i++) {
        DvText text = {0};
        dv_text_add(&text,
                    "<Node><DefaultAnimationLoop/><OglModel name='a' translation='5 0 0' position='0 0 0 1 0 0 0 1 0' "
                    "triangles='0 1 2'/><MergeVisualModels name='m' nb='1' input1='@a' %s/></Node>",
                    words[i]);
        said.length = 0;
        dv_scene_free(scene_from_text("<Node><DefaultAnimationLoop/></Node>")); /* starts the plugins */
        dv_log_set_handler(collect, &said);
        DvScene *scene = scene_from_text(text.at);
        dv_log_set_handler(NULL, NULL);
        assert_non_null(strstr(said.at, "translation, rotation and scale have no effect here: move the inputs"));
        static const double expected[9] = {5, 0, 0, 6, 0, 0, 5, 1, 0};
        for (int round = 0; round < 2; round++) {
            const DvSurfaceView view = view_of(scene, "/m");
            assert_int_equal(view.positions.count, 3);
            assert_memory_equal(view.positions.at, expected, sizeof expected);
        }
        dv_scene_free(scene);
        dv_text_free(&text);
    }
    dv_text_free(&said);
}

typedef struct Kept {
    double points[4096], colors[4096];
    size_t numbers, color_count;
    DrawnKind kind;
    uint32_t count;
} Kept;

static void keep(void *context, const DrawnBatch *batch)
{
    Kept *kept = context;
    kept->kind = batch->kind;
    kept->count = batch->count;
    kept->numbers = batch->numbers;
    kept->color_count = batch->color_count;
    assert_true(batch->numbers <= 4096 && 4 * batch->color_count <= 4096);
    if (batch->numbers)
        memcpy(kept->points, batch->points, batch->numbers * sizeof(double));
    memcpy(kept->colors, batch->colors, 4 * batch->color_count * sizeof(double));
}

static void draw(DvScene *scene, const char *path, Kept *kept)
{
    *kept = (Kept){0};
    DrawRecorder recorder = draw_recorder(1u << DV_DISPLAY_VISUAL_MODELS, keep, kept);
    record_drawing_of(&recorder, scene_object(scene, path));
}

static void trails_lead_through_the_last_places(void **state)
{
    (void)state;
    static Kept kept;
    DvScene *scene = scene_from_text("<Node dt='1' gravity='0 0 0'><DefaultAnimationLoop/><EulerExplicitSolver/>"
                                     "<MechanicalObject name='dofs' position='0 0 0' velocity='1 0 0'/>"
                                     "<UniformMass totalMass='1'/>"
                                     "<TrailRenderer name='t' position='@dofs.position' nbSteps='3'/></Node>");
    for (int step = 0; step < 5; step++)
        assert_int_equal(dv_scene_step(scene, 0.0), DV_OK);
    draw(scene, "/t", &kept);
    assert_int_equal(kept.count, 2); /* three places: x = 3, 4, 5 */
    assert_true(kept.points[0] == 3.0 && kept.points[3] == 4.0 && kept.points[6] == 4.0 && kept.points[9] == 5.0);
    assert_true(kept.colors[1] == 1.0);
    dv_scene_reset(scene);
    draw(scene, "/t", &kept);
    assert_int_equal(kept.count, 0);
    dv_scene_free(scene);
}

/* A grid has both quads and their halves: 4 x 3 quads are seen, each once, unless its triangles have values. */
static void faces_of_a_flat_grid_are_drawn_once(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node><DefaultAnimationLoop/><RegularGridTopology name='grid' n='5 1 4' min='0 0 0' max='4 0 3'/>"
        "<VisualMesh name='m' elementSpace='0'/><DataDisplay name='d' pointData='0 0 0 0 0 1 1 1 1 1 2 2 2 2 2 3 3 3 3 3' "
        "position='@grid.position'/><DataDisplay name='t' triangleData='0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 "
        "21 22 23' position='@grid.position'/></Node>");
    static Kept kept;
    DrawRecorder recorder = draw_recorder(1u << DV_DISPLAY_VISUAL_MODELS, keep, &kept);
    record_drawing_of(&recorder, scene_object(scene, "/m"));
    double area = 0;
    assert_int_equal(recorder.calls, 1);
    assert_int_equal(kept.kind, DRAWN_TRIANGLES);
    for (size_t t = 0; t < kept.numbers; t += 9) {
        const double *a = kept.points + t, *b = a + 3, *c = a + 6;
        area += 0.5 * fabs((b[0] - a[0]) * (c[2] - a[2]) - (b[2] - a[2]) * (c[0] - a[0]));
    }
    assert_true(fabs(area - 12) < 1e-12);
    DvSurfaceView view = view_of(scene, "/d");
    assert_int_equal(view.triangles.count, 0);
    assert_int_equal(view.quads.count, 12);
    view = view_of(scene, "/t");
    assert_int_equal(view.triangles.count, 24);
    dv_scene_free(scene);
}

/* Of each way size / squares apart, from side to side; two squares where fewer are asked for, perpendicular to z by default. */
static void a_grid_has_its_lines_in_its_plane(void **state)
{
    (void)state;
    static Kept kept;
    static const struct {
        const char *plane, *asked;
        int normal, squares;
    } cases[] = {{"x", "3", 0, 3}, {"y", "5", 1, 5}, {"z", "2", 2, 2}, {"z", "1", 2, 2}, {"w", "4", 2, 4}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[256];
        snprintf(text, sizeof text,
                 "<Node><DefaultAnimationLoop/><VisualGrid name='g' plane='%s' nbSubdiv='%s' size='6'/></Node>",
                 cases[i].plane, cases[i].asked);
        DvScene *scene = scene_from_text(text);
        draw(scene, "/g", &kept);
        const int squares = cases[i].squares, normal = cases[i].normal;
        assert_int_equal(kept.kind, DRAWN_LINES);
        assert_int_equal(kept.count, 2 * (squares + 1));
        int found[2][8] = {{0}}; /* lines along each of the two axes, by their place */
        for (uint32_t line = 0; line < kept.count; line++) {
            const double *from = kept.points + 6 * (size_t)line, *to = from + 3;
            const int one = (normal + 1) % 3, other = (normal + 2) % 3, along = from[one] == to[one] ? other : one,
                      across = along == one ? other : one;
            const double place = (from[across] + 3) * squares / 6;
            assert_true(from[normal] == 0 && to[normal] == 0);
            assert_true(from[along] == -3 && to[along] == 3 && to[across] == from[across]);
            assert_true(place >= 0 && place <= squares && fabs(place - round(place)) < 1e-12);
            found[along == one][(int)round(place)]++;
        }
        for (int way = 0; way < 2; way++)
            for (int k = 0; k <= squares; k++)
                assert_int_equal(found[way][k], 1);
        dv_scene_free(scene);
    }
}

/* As they are read, and as they are written again. */
static void files_of_a_shader_are_a_list_of_names(void **state)
{
    (void)state;
    static const struct {
        const char *text, *names[3], *printed;
    } cases[] = {
        {" 'a b' 'c'", {"a b", "c"}, "'a b' c"},
        {"['x','y.vert']", {"x", "y.vert"}, "x y.vert"},
        {"a b,c", {"a", "b", "c"}, "a b c"},
        {"\"it's\" 'other'", {"it's", "other"}, "'it's' other"},
        {"''", {""}, "''"},
        {"[]", {NULL}, ""},
    };
    DvScene *scene = scene_from_text("<Node><DefaultAnimationLoop/><OglShader name='s' passive='1'/></Node>");
    DvData *files = dv_object_field(scene_object(scene, "/s"), "fileVertexShaders");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t count, expected = 0;
        assert_int_equal(dv_data_set_text(files, cases[i].text), DV_OK);
        char *const *names = dv_data_strings(files, &count);
        for (; expected < 3 && cases[i].names[expected]; expected++) {
            assert_true(expected < count);
            assert_string_equal(names[expected], cases[i].names[expected]);
        }
        assert_int_equal(count, expected);
        DvText printed = {0};
        dv_data_print(files, &printed);
        assert_string_equal(printed.at ? printed.at : "", cases[i].printed);
        dv_text_free(&printed);
    }
    DvText said = {0};
    dv_log_set_handler(collect, &said);
    assert_int_not_equal(dv_data_set_text(files, "'a' 'b"), DV_OK);
    dv_log_set_handler(NULL, NULL);
    assert_non_null(strstr(said.at, "'b' has no second quote: write 'first.vert' 'second.vert'"));
    dv_text_free(&said);
    dv_scene_free(scene);
}

/* Of several versions of a shader the active one counts, the last one of those that are fewer; each change of files or of what is active
 * is another version, and two at once are one too. */
static void the_active_version_of_a_shader_is_given(void **state)
{
    (void)state;
    static const char *const fields[] = {"fileVertexShaders", "fileFragmentShaders", "fileGeometryShaders",
                                         "fileTessellationControlShaders", "fileTessellationEvaluationShaders"};
    DvScene *scene =
        scene_from_text("<Node><DefaultAnimationLoop/><OglShader name='s' passive='1' tessellationOuterLevel='3' "
                        "tessellationInnerLevel='5' fileFragmentShaders=\"'a.frag' 'b.frag'\"/></Node>");
    DvObject *object = scene_object(scene, "/s");
    const DvShaderOps *ops = dv_object_ops(object, DV_SHADER);
    DvData *active = dv_object_field(object, "indexActiveShader");
    DvText said = {0};
    dv_log_set_handler(collect, &said);
    DvShaderView view = {0};
    assert_true(ops->get(dv_object_self(object), &view));
    assert_true(view.passive && view.outer_level == 3 && view.inner_level == 5);
    uint64_t version = view.version;
    assert_true(ops->get(dv_object_self(object), &view) && view.version == version);
    for (unsigned stage = 0; stage < DV_SHADER_STAGES; stage++) {
        char text[32], number[8];
        snprintf(text, sizeof text, "'x%u' 'y%u'", stage, stage);
        assert_int_equal(dv_data_set_text(dv_object_field(object, fields[stage]), text), DV_OK);
        assert_true(ops->get(dv_object_self(object), &view) && view.version != version);
        version = view.version;
        for (unsigned k = 0; k < 4; k++) { /* which is active and the names, at once */
            snprintf(number, sizeof number, "%u", k);
            snprintf(text, sizeof text, "'p%u' 'q%u' 'r%u'", k, k, k);
            assert_int_equal(dv_data_set_text(active, number), DV_OK);
            assert_int_equal(dv_data_set_text(dv_object_field(object, fields[stage]), text), DV_OK);
            assert_true(ops->get(dv_object_self(object), &view) && view.version != version);
            version = view.version;
            snprintf(text, sizeof text, "%c%u", "pqrr"[k], k);
            assert_string_equal(view.names[stage], text);
            assert_null(view.files[stage]); /* there is no such file */
        }
    }
    dv_log_set_handler(NULL, NULL);
    assert_non_null(strstr(said.at, "fileGeometryShaders: no file 'q1'"));
    dv_text_free(&said);
    dv_scene_free(scene);
}

/* The slices of a unit cube along z are unit squares: their area is 1 each, whatever the cells are. */
static void slices_of_a_cube_are_squares(void **state)
{
    (void)state;
    static Kept kept;
    DvScene *scene =
        scene_from_text("<Node><DefaultAnimationLoop/><RegularGridTopology n='3 3 3' min='0 0 0' max='1 1 1'/>"
                        "<SlicedVolumetricModel name='s' nbSlices='3'/></Node>");
    draw(scene, "/s", &kept);
    double area = 0.0;
    for (size_t t = 0; t < kept.numbers; t += 9) {
        const double *a = kept.points + t, *b = a + 3, *c = a + 6;
        area += 0.5 * fabs((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]));
        assert_true(fabs(a[2] - b[2]) < 1e-12 && fabs(a[2] - c[2]) < 1e-12);
    }
    assert_true(fabs(area - 3.0) < 1e-12);
    assert_true(kept.points[2] < 0.2); /* the farthest from a camera that looks along -z first */
    dv_scene_free(scene);
}

/* A skew cell, whichever of its points is listed first: slices are in the middle of as many layers between its lowest and its
 * highest point, and hold its volume and its centre together, to the square of their distance. */
static void slices_fill_a_skew_cell(void **state)
{
    (void)state;
    enum { SLICES = 16 };
    static Kept kept;
    for (int shift = 0; shift < 8; shift++) {
        static const double a[3] = {1, 0.2, 0.3}, b[3] = {-0.4, 1, 1.1},
                            c[3] = {0.1, -0.5, 2}; /* edges from the first point */
        static const int corner[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                         {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
        const double volume = a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) +
                              a[2] * (b[0] * c[1] - b[1] * c[0]);
        const double height = a[2] + b[2] + c[2];
        DvText text = {0};
        dv_text_add(&text, "<Node><MeshTopology position='");
        for (int i = 0; i < 8; i++) {
            const int *at = corner[(i + shift) % 8];
            for (int k = 0; k < 3; k++)
                dv_text_add(&text, "%.17g ", at[0] * a[k] + at[1] * b[k] + at[2] * c[k]);
        }
        dv_text_add(&text, "' hexahedra='");
        for (int i = 0; i < 8; i++)
            dv_text_add(&text, "%d ", (i - shift + 8) % 8);
        dv_text_add(&text, "'/><SlicedVolumetricModel name='s' nbSlices='%d'/></Node>", SLICES);
        DvScene *scene = scene_from_text(text.at);
        draw(scene, "/s", &kept);
        double sum = 0, middle = 0, last = -1;
        for (size_t t = 0; t < kept.numbers; t += 9) {
            const double *p = kept.points + t, *q = p + 3, *r = p + 6;
            const double area = 0.5 * fabs((q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]));
            const double layer = p[2] / height * SLICES - 0.5;
            assert_true(fabs(layer - round(layer)) < 1e-9 && layer > -0.1 && layer < SLICES - 0.9);
            assert_true(layer > last - 0.1); /* the camera is above: the lowest first */
            last = layer;
            sum += area * height / SLICES;
            middle += area * height / SLICES * p[2];
        }
        assert_true(fabs(sum / volume - 1) < 0.01);
        assert_true(fabs(middle / volume - height / 2) < 0.01 * height);
        dv_text_free(&text);
        dv_scene_free(scene);
    }
}

/* Cells of points that are not there are left out: of two cubes, one above the other, the lower one is shown. */
static void slices_are_of_points_that_are_there(void **state)
{
    (void)state;
    static Kept kept;
    DvScene *scene = scene_from_text(
        "<Node><DefaultAnimationLoop/><MeshTopology name='mesh' hexahedra='0 1 3 2 4 5 7 6  4 5 7 6 8 9 11 10  0 1 3 2 4 5 8 6'/>"
        "<MechanicalObject position='0 0 0  1 0 0  0 1 0  1 1 0  0 0 1  1 0 1  0 1 1  1 1 1'/>"
        "<SlicedVolumetricModel name='s' nbSlices='2' alpha='0.5' color='1 0.5 0.25 0.5'/></Node>");
    draw(scene, "/s", &kept);
    double area = 0.0;
    for (size_t t = 0; t < kept.numbers; t += 9) {
        const double *a = kept.points + t, *b = a + 3, *c = a + 6;
        area += 0.5 * fabs((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]));
        assert_true(fabs(a[2] - 0.25) < 1e-12 || fabs(a[2] - 0.75) < 1e-12);
    }
    assert_true(fabs(area - 2.0) < 1e-12);
    static const double expected[4] = {1, 0.5, 0.25, 0.25};
    assert_memory_equal(kept.colors, expected, sizeof expected);
    dv_scene_free(scene);
}

static DvShaderElement element_of(DvScene *scene, const char *path)
{
    DvObject *object = scene_object(scene, path);
    DvShaderElement element = {0};
    const DvShaderElementOps *ops = dv_object_ops(object, DV_SHADER_ELEMENT);
    assert_true(ops->get(dv_object_self(object), &element));
    return element;
}

static void shaders_are_given_values_and_matrices_row_by_row(void **state)
{
    (void)state;
    DvScene *scene =
        scene_from_text("<Node><DefaultAnimationLoop/><OglFloat3Variable id='light' name='l' value='1 2 3'/>"
                        "<OglIntVector2Variable name='pairs' values='1 2 3 4'/>"
                        "<OglMatrix2x3Variable name='m' value='1 2 3 4 5 6'/>"
                        "<OglMatrix2x3Variable name='t' value='1 2 3 4 5 6' transpose='1'/>"
                        "<OglShaderDefineMacro id='HIGH' value='3'/></Node>");
    const DvShaderElement light = element_of(scene, "/l");
    assert_string_equal(light.name, "light");
    assert_true(light.kind == DV_SHADER_FLOATS && light.rows == 3 && light.count == 1 && light.numbers[2] == 3.0);
    const DvShaderElement pairs = element_of(scene, "/pairs");
    assert_string_equal(pairs.name, "pairs");
    assert_true(pairs.kind == DV_SHADER_INTS && pairs.count == 2 && pairs.numbers[3] == 4.0);
    const DvShaderElement matrix = element_of(scene, "/m"); /* columns (1 2 3) and (4 5 6) */
    const double by_rows[6] = {1, 4, 2, 5, 3, 6};
    assert_true(matrix.rows == 3 && matrix.columns == 2);
    assert_memory_equal(matrix.numbers, by_rows, sizeof by_rows);
    assert_true(element_of(scene, "/t").numbers[1] == 2.0);
    dv_scene_free(scene);
}

typedef struct Expected {
    DvShaderElementKind kind;
    uint32_t rows, columns;
    bool single;
} Expected;

/* As GLSL counts, by the name alone: OglInt3Variable, OglFloatVector2Variable, OglUInt4Attribute, OglMatrix2x3Variable. */
static bool expected_of(const char *name, Expected *expected)
{
    static const char *const scalars[] = {"Float", "Int", "UInt"};
    if (strncmp(name, "Ogl", 3) != 0)
        return false;
    name += 3;
    *expected = (Expected){.rows = 1, .columns = 1};
    if (strncmp(name, "Matrix", 6) == 0) {
        expected->kind = DV_SHADER_MATRICES;
        expected->columns = expected->rows = (uint32_t)(name[6] - '0');
        if (name[7] == 'x')
            expected->rows = (uint32_t)(name[8] - '0');
        return true;
    }
    for (size_t s = 0; s < sizeof scalars / sizeof *scalars; s++) {
        if (strncmp(name, scalars[s], strlen(scalars[s])) != 0)
            continue;
        const char *rest = name + strlen(scalars[s]);
        const bool many = strncmp(rest, "Vector", 6) == 0;
        rest += many ? 6 : 0;
        if (*rest >= '2' && *rest <= '4')
            expected->rows = (uint32_t)(*rest++ - '0');
        const bool attribute = strcmp(rest, "Attribute") == 0;
        expected->single = !attribute && !many;
        expected->kind = attribute ? DV_SHADER_ATTRIBUTE : s == 0 ? DV_SHADER_FLOATS : DV_SHADER_INTS;
        return attribute || strcmp(rest, "Variable") == 0;
    }
    return false;
}

/* Two values, or one where there is a single one; less than a matrix is refused. */
static void every_variable_is_what_its_name_says(void **state)
{
    (void)state;
    dv_scene_free(scene_from_text("<Node><DefaultAnimationLoop/></Node>")); /* starts the plugins */
    unsigned classes = 0;
    for (size_t i = 0; i < dv_class_count(); i++) {
        const DvClass *cls = dv_class_at(i);
        Expected expected;
        if (!expected_of(cls->name, &expected))
            continue;
        classes++;
        const uint32_t each = expected.rows * expected.columns, count = expected.single ? 1 : 2;
        DvText text = {0};
        dv_text_add(&text, "<Node><DefaultAnimationLoop/><%s name='v' value='", cls->name);
        for (uint32_t n = 1; n <= count * each; n++)
            dv_text_add(&text, "%u ", n);
        dv_text_add(&text, "'/></Node>");
        DvScene *scene = scene_from_text(text.at);
        const DvShaderElement element = element_of(scene, "/v");
        assert_string_equal(element.name, "v");
        assert_int_equal(element.kind, expected.kind);
        assert_int_equal(element.rows, expected.rows);
        assert_int_equal(element.columns, expected.columns);
        assert_int_equal(element.count, count);
        if (expected.kind ==
            DV_SHADER_ATTRIBUTE) /* a value for each vertex is an element of the field, as panels show it */
            assert_int_equal(dv_object_field(scene_object(scene, "/v"), "value")->count, count);
        for (uint32_t m = 0; m < count; m++)
            for (uint32_t r = 0; r < expected.rows; r++)
                for (uint32_t c = 0; c < expected.columns; c++) /* one after the other by columns, kept by rows */
                    assert_true(element.numbers[m * each + r * expected.columns + c] ==
                                1.0 + m * each + c * expected.rows + r);
        dv_scene_free(scene);
        text.length = 0;
        if (expected.kind == DV_SHADER_MATRICES && strstr(cls->name, "Vector") == NULL) {
            dv_text_add(&text, "<Node><%s value='1 2 3'/></Node>", cls->name);
            char words[64];
            snprintf(words, sizeof words, "3 numbers; give %u for each value", each);
            expect_load_error(text.at, words);
        }
        dv_text_free(&text);
    }
    assert_int_equal(classes, 8 + 8 + 10 + 12);
}

/* Another value is another version, whose numbers arrive; without a value there is none. */
static void a_variable_that_changes_is_read_again(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text("<Node><DefaultAnimationLoop/><OglFloatVectorVariable name='v' value='1 2'/>"
                                     "<OglFloatVectorVariable name='off' value='1 2' enable='0'/>"
                                     "<OglFloatVectorVariable name='none'/></Node>");
    const DvShaderElement before = element_of(scene, "/v");
    assert_true(element_of(scene, "/v").version == before.version);
    DvObject *object = scene_object(scene, "/v");
    dv_data_set(dv_object_field(object, "value"), (const double[]){5, 6, 7}, 3);
    const DvShaderElement after = element_of(scene, "/v");
    assert_true(after.version != before.version && after.count == 3);
    assert_true(after.numbers[0] == 5.0 && after.numbers[1] == 6.0 && after.numbers[2] == 7.0);
    static const char *const without[] = {"/off", "/none"};
    for (size_t i = 0; i < 2; i++) {
        DvObject *of = scene_object(scene, without[i]);
        const DvShaderElementOps *ops = dv_object_ops(of, DV_SHADER_ELEMENT);
        DvShaderElement element = {0};
        assert_false(ops->get(dv_object_self(of), &element));
    }
    dv_scene_free(scene);
}

/* One byte a pixel, or three or four by its bits; each from 0 to 255, what is more counts as that. */
static void bytes_of_a_texture_are_parts_of_255(void **state)
{
    (void)state;
    static const uint32_t bytes[] = {0, 1, 51, 127, 128, 253, 254, 255, 256, 300, 4294967295u, 7,
                                     9, 2, 3,  4,   5,   6,   8,   10,  11,  12,  13,          14};
    static const struct {
        const char *bits;
        uint32_t channels;
    } all[] = {{"1", 1}, {"8", 1}, {"23", 1}, {"24", 3}, {"31", 3}, {"32", 4}, {"1", 1}};
    DvScene *scene =
        scene_from_text("<Node><DefaultAnimationLoop/><OglTexture name='t' id='words' textureUnit='7' "
                        "proceduralTextureWidth='3' proceduralTextureHeight='2' proceduralTextureData='0 0 0 0 0 0'/>"
                        "<OglTexturePointer name='p' oglTexture='@t' textureUnit='9'/>"
                        "<OglTexture name='none' proceduralTextureWidth='3'/></Node>");
    DvObject *object = scene_object(scene, "/t");
    uint64_t before = element_of(scene, "/t").version;
    dv_data_set(dv_object_field(object, "proceduralTextureData"), bytes, 24);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (i > 0)
            assert_int_equal(dv_data_set_text(dv_object_field(object, "proceduralTextureNbBits"), all[i].bits), DV_OK);
        const DvShaderElement element = element_of(scene, "/t"), pointed = element_of(scene, "/p");
        assert_true(element.version != before && pointed.version == element.version);
        before = element.version;
        assert_string_equal(element.name, "words");
        assert_true(element.kind == DV_SHADER_TEXTURE && element.unit == 7 && pointed.unit == 9 && !element.text);
        assert_true(element.columns == 3 && element.rows == 2 && element.count == all[i].channels);
        assert_true(pointed.numbers == element.numbers && pointed.count == element.count);
        for (size_t k = 0; k < (size_t)6 * all[i].channels; k++)
            assert_true(element.numbers[k] == (bytes[k] > 255 ? 1.0 : bytes[k] / 255.0));
    }
    /* Two fields at once are another version too. */
    static const char *const fields[] = {"proceduralTextureData", "proceduralTextureWidth", "proceduralTextureHeight",
                                         "proceduralTextureNbBits", "filename"};
    for (size_t i = 0; i < 5; i++)
        for (size_t k = 0; k < i; k++) {
            before = element_of(scene, "/t").version;
            const size_t both[2] = {i, k};
            for (size_t e = 0; e < 2; e++) {
                DvText value = {0};
                DvData *field = dv_object_field(object, fields[both[e]]);
                dv_data_print(field, &value);
                assert_int_equal(dv_data_set_text(field, value.at ? value.at : ""), DV_OK);
                dv_text_free(&value);
            }
            assert_true(element_of(scene, "/t").version != before);
        }
    before = element_of(scene, "/t").version;
    /* Another shape of the same bytes; fewer bytes than pixels: none. */
    assert_int_equal(dv_data_set_text(dv_object_field(object, "proceduralTextureHeight"), "8"), DV_OK);
    const DvShaderElement taller = element_of(scene, "/t");
    assert_true(taller.version != before && taller.rows == 8 && taller.numbers[23] == 14 / 255.0);
    assert_int_equal(dv_data_set_text(dv_object_field(object, "proceduralTextureHeight"), "9"), DV_OK);
    assert_null(element_of(scene, "/t").numbers);
    assert_null(element_of(scene, "/none").numbers);
    dv_scene_free(scene);
}

/* What is asked of a texture, each with its opposite. */
static void fields_of_a_texture_are_given_to_the_shader(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node><DefaultAnimationLoop/><OglTexture name='plain'/>"
        "<OglTexture name='other' id='o' repeat='1' linearInterpolation='0' srgbColorspace='1' generateMipmaps='0'/>"
        "<OglTexture name='off' enabled='0'/><OglTexture name='out' enable='0'/>"
        "<OglTexturePointer name='p' id='o' oglTexture='@other' enabled='0'/></Node>");
    const DvShaderElement plain = element_of(scene, "/plain"), other = element_of(scene, "/other");
    assert_true(!plain.repeats && !plain.sharp && !plain.srgb && !plain.without_mipmaps && plain.unit == 1);
    assert_true(other.repeats && other.sharp && other.srgb && other.without_mipmaps);
    assert_string_equal(plain.name, "plain");
    assert_string_equal(other.name, "o");
    for (int side = 0; side < 6; side++)
        assert_null(plain.sides[side]);
    static const char *const without[] = {"/off", "/out", "/p"};
    for (size_t i = 0; i < 3; i++) {
        DvObject *object = scene_object(scene, without[i]);
        DvShaderElement element = {0};
        assert_false(((const DvShaderElementOps *)dv_object_ops(object, DV_SHADER_ELEMENT))
                         ->get(dv_object_self(object), &element));
    }
    dv_scene_free(scene);
}

static void half_a_value_is_refused(void **state)
{
    (void)state;
    expect_load_error("<Node>\n<OglIntVector2Variable name='p' value='1 2 3'/></Node>",
                      "3 numbers; give 2 for each value");
    expect_load_error("<Node>\n<OglTexture proceduralTextureWidth='2' proceduralTextureHeight='2' "
                      "proceduralTextureData='1 2 3'/></Node>",
                      "3 bytes for 2 x 2 pixels; give 4");
    expect_load_error("<Node>\n<AddDataRepository path='no/such/folder'/></Node>", "no folder 'no/such/folder'");
    expect_load_error("<Node>\n<MergeVisualModels input1='@nobody'/></Node>", "leads to no surface");
    expect_load_error("<Node>\n<OglTexturePointer/></Node>", "oglTexture leads to no OglTexture");
    expect_load_error("<Node>\n<PostProcessManager zNear='5' zFar='2'/></Node>", "is not beyond zNear");
}

/* What the attributes of a model at rest are: of the drawn vertices, those of the field, and the normals of that shape. */
static void a_model_gives_shaders_its_shape_at_rest(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node><DefaultAnimationLoop/><OglShaderVisualModel name='m' position='0 0 0  1 0 0  0 1 0' triangles='0 1 2'/>"
        "<OglShaderVisualModel name='given' position='0 0 0  1 0 0  0 1 0' triangles='0 1 2' "
        "restPosition='0 0 0  0 2 0  0 0 2'/></Node>");
    const DvObject *model = scene_object(scene, "/m"), *given = scene_object(scene, "/given");
    const DvShaderElementOps *ops = dv_object_ops(model, DV_SHADER_ELEMENT);
    DvData *position = dv_object_field(model, "position");
    const double moved[9] = {0, 0, 5, 0, 0, 6, 0, 5, 5};
    dv_data_set(position, moved, 3);
    DvShaderElement rest = {0}, normal = {0};
    assert_true(ops->get(dv_object_self(model), &rest));
    assert_true(ops->more(dv_object_self(model), 1, &normal));
    assert_false(ops->more(dv_object_self(model), 2, &(DvShaderElement){0}));
    assert_string_equal(rest.name, "restPosition");
    assert_string_equal(normal.name, "restNormal");
    assert_true(rest.count == 3 && rest.rows == 3 && normal.count == 3 && normal.rows == 3);
    const double expected[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    assert_memory_equal(rest.numbers, expected, sizeof expected);
    for (int i = 0; i < 3; i++)
        assert_true(normal.numbers[3 * i + 2] == 1.0 && normal.numbers[3 * i] == 0.0);
    assert_true(ops->get(dv_object_self(given), &rest) && rest.numbers[4] == 2.0);
    assert_true(ops->more(dv_object_self(given), 1, &normal) && normal.numbers[0] == 1.0);
    dv_scene_free(scene);
}

/* Vertices that a file splits are at rest where their points are; a point that restPosition has not got, where it is. */
static void split_vertices_are_at_rest_where_their_points_are(void **state)
{
    (void)state;
    char path[] = P_tmpdir "/divan-split-XXXXXX.obj";
    FILE *file = fdopen(mkstemps(path, 4), "w");
    assert_non_null(file);
    fprintf(file, "v 0 0 0\nv 4 0 0\nv 4 4 0\nv 0 4 0\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nvt 0.5 0.5\n"
                  "f 1/1 2/2 3/3\nf 1/5 3/1 4/4\n");
    fclose(file);
    for (uint32_t given = 0; given <= 4; given++) {
        static const double rest_of[4][3] = {{1, 2, 3}, {5, 7, 6}, {9, 11, 10}, {13, 14, 17}};
        DvText text = {0};
        dv_text_add(&text, "<Node><DefaultAnimationLoop/><OglShaderVisualModel name='m' filename='%s' restPosition='",
                    path);
        for (uint32_t i = 0; i < given; i++)
            dv_text_add(&text, "%g %g %g ", rest_of[i][0], rest_of[i][1], rest_of[i][2]);
        dv_text_add(&text, "'/></Node>");
        DvScene *scene = scene_from_text(text.at);
        DvObject *model = scene_object(scene, "/m");
        const DvShaderElementOps *ops = dv_object_ops(model, DV_SHADER_ELEMENT);
        DvShaderElement rest = {0}, again = {0};
        size_t count, splits;
        const double *vertex = dv_data_doubles(dv_object_field(model, "vertices"), &count);
        const uint32_t *point = dv_data_uints(dv_object_field(model, "vertPosIdx"), &splits);
        assert_true(count == 6 && splits == 6);
        assert_true(ops->get(dv_object_self(model), &rest));
        assert_true(rest.count == 6 && rest.rows == 3 && rest.columns == 1 && rest.kind == DV_SHADER_ATTRIBUTE);
        for (uint32_t i = 0; i < 6; i++)
            assert_memory_equal(rest.numbers + 3 * (size_t)i,
                                point[i] < given ? rest_of[point[i]] : vertex + 3 * (size_t)i, 3 * sizeof(double));
        assert_true(ops->get(dv_object_self(model), &again));
        assert_true(again.version == rest.version);
        dv_data_set(dv_object_field(model, "restPosition"), &rest_of[1][0], 1);
        assert_true(ops->get(dv_object_self(model), &again));
        assert_true(again.version != rest.version);
        for (uint32_t i = 0; i < 6; i++)
            assert_memory_equal(again.numbers + 3 * (size_t)i, point[i] < 1 ? rest_of[1] : vertex + 3 * (size_t)i,
                                3 * sizeof(double));
        dv_data_set_bool(dv_object_field(model, "enable"), false);
        assert_false(ops->get(dv_object_self(model), &again));
        assert_false(ops->more(dv_object_self(model), 1, &again));
        dv_scene_free(scene);
        dv_text_free(&text);
    }
    assert_int_equal(unlink(path), 0);
}

static void a_legend_without_a_range_shows_that_of_the_values(void **state)
{
    (void)state;
#define SHEET(map)                                                                                       \
    "<Node><DefaultAnimationLoop/><OglColorMap name='map' showLegend='1' legendRangeScale='10'" map "/>" \
    "<DataDisplay position='0 0 0  1 0 0  0 1 0' pointData='-2 0 3'/></Node>"
    static const struct {
        const char *scene;
        double least, most;
    } cases[] = {{SHEET(""), -20, 30}, {SHEET(" min='-5' max='5'"), -50, 50}};
    for (size_t i = 0; i < 2; i++) {
        DvScene *scene = scene_from_text(cases[i].scene);
        const DvObject *map = scene_object(scene, "/map");
        DvLegend legend = {0};
        dv_scene_update_visual(scene);
        assert_true(((const DvLegendOps *)dv_object_ops(map, DV_LEGEND))->get(dv_object_self(map), &legend));
        assert_true(legend.least == cases[i].least && legend.most == cases[i].most);
        dv_scene_free(scene);
    }
}

static void values_become_texture_coordinates(void **state)
{
    (void)state;
    static const struct {
        const char *scene;
        double u[3];
    } cases[] = {
        {"<Node><TextureInterpolation name='it' input_states='-1 1 3'/></Node>", {0, 0.5, 1}},
        {"<Node><TextureInterpolation name='it' input_states='-1 1 3' manual_scale='1' min_value='-3' max_value='5'/></Node>",
         {0.25, 0.5, 0.75}},
        {"<Node><TextureInterpolation name='it' template='Vec3d' input_states='0 9 9  1 0 0  4 0 0'/></Node>",
         {0, 0.25, 1}},
        {"<Node><TextureInterpolation name='it' template='Vec3d' scalarField='0' input_states='0 3 3  6 3 9  1 2 0'/></Node>",
         {0.2, 1, 0}},
        {"<Node><TextureInterpolation name='it' input_states='3 3 3'/></Node>", {0, 0, 0}}, /* no range at all */
        {"<Node><TextureInterpolation name='it' input_states='1 2 3' manual_scale='1' min_value='2' max_value='2'/></Node>",
         {0, 0, 0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        DvScene *scene = scene_from_text(cases[i].scene);
        size_t count;
        const double *uv = dv_data_doubles(dv_object_field(scene_object(scene, "/it"), "output_coordinates"), &count);
        assert_int_equal(count, 3);
        for (int k = 0; k < 3; k++)
            assert_true(fabs(uv[2 * k] - cases[i].u[k]) < 1e-15 && uv[2 * k + 1] == 0.0);
        dv_scene_free(scene);
    }
}

/* What was written is a mesh that a loader reads back. */
static void exported_surfaces_are_read_back(void **state)
{
    (void)state;
    char folder[] = P_tmpdir "/divan-export-XXXXXX", text[2048], path[128];
    assert_non_null(mkdtemp(folder));
    snprintf(
        text, sizeof text,
        "<Node gravity='0 -10 0' dt='0.1'><DefaultAnimationLoop/><EulerExplicitSolver/>"
        "<MechanicalObject name='s' position='0 0 0  1 0 0  0 1 0'/><UniformMass totalMass='3'/>"
        "<Node name='v'><OglModel name='first' position='0 0 0  1 0 0  0 1 0' triangles='0 1 2' color='1 0 0 0.25'/>"
        "<IdentityMapping input='@../s' output='@first'/>"
        "<OglModel name='second' position='0 0 2  1 0 2  1 1 2  0 1 2' quads='0 1 2 3' texcoords='0 0  1 0  1 1  0 1'/>"
        "<VisualModelOBJExporter filename='%s/deep/a.obj' exportAtEnd='1'/>"
        "<VisualModelOBJExporter filename='%s/n' exportAtBegin='1' exportEveryNumberOfSteps='2'/></Node></Node>",
        folder, folder);
    DvScene *scene = scene_from_text(text);
    for (int i = 0; i < 3; i++)
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    dv_scene_free(scene);
    static const struct {
        const char *name;
        double height; /* of the first point: -g dt^2 (1 + 2 + ... + n) */
    } files[] = {{"n00000", 0}, {"n00001", -0.3}, {"deep/a", -0.6}};
    for (int i = 0; i < 3; i++) {
        snprintf(text, sizeof text, "<Node><MeshOBJLoader name='l' filename='%s/%s.obj'/></Node>", folder,
                 files[i].name);
        DvScene *read = scene_from_text(text);
        const DvObject *loader = scene_object(read, "/l");
        size_t points, triangles, quads;
        const double *at = dv_data_doubles(dv_object_field(loader, "position"), &points);
        const uint32_t *quad = dv_data_uints(dv_object_field(loader, "quads"), &quads);
        (void)dv_data_uints(dv_object_field(loader, "triangles"), &triangles);
        assert_true(points == 7 && triangles == 1 && quads == 1);
        assert_true(fabs(at[1] - files[i].height) < 1e-6);
        for (int c = 0; c < 4; c++)
            assert_true(at[3 * quad[c] + 2] == 2.0);
        DvMeshView mesh;
        ((const DvLoaderOps *)dv_object_ops(loader, DV_LOADER))->view(dv_object_self(loader), &mesh);
        assert_int_equal(mesh.material_count, 2);
        assert_true(fabs(mesh.materials[0].diffuse[3] - 0.25) < 1e-6);
        dv_scene_free(read);
        for (int ending = 0; ending < 2; ending++) {
            snprintf(path, sizeof path, "%s/%s.%s", folder, files[i].name, ending ? "mtl" : "obj");
            assert_int_equal(unlink(path), 0);
        }
    }
    snprintf(path, sizeof path, "%s/deep", folder);
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(rmdir(folder), 0); /* nothing else was written */
}

/* What renderers do not do is said once by each object that asks for it. */
static void what_is_not_drawn_is_told(void **state)
{
    (void)state;
    DvText said = {0};
    dv_log_set_handler(collect, &said);
    DvScene *scene = scene_from_text(
        "<Node><PostProcessManager/><OglTexture cubemapFilenamePosX='no.png'/><OglTexture cubemapFilenameNegX='x'/>"
        "<VisualManagerPass/><VisualManagerSecondaryPass/></Node>");
    dv_log_set_handler(NULL, NULL);
    assert_non_null(scene);
    static const struct {
        const char *words;
        int times;
    } told[] = {{"its node has no OglShader that could draw the picture once more", 1},
                {"no file 'no.png'; the texture is no cube", 1},
                {"cubemapFilenamePosX: not given, and a cube has six sides", 1},
                {"draws nothing: give fragFilename, a fragment shader that is there, or shader", 1}};
    for (size_t i = 0; i < sizeof told / sizeof *told; i++) {
        int times = 0;
        for (const char *at = said.at; at && (at = strstr(at, told[i].words)) != NULL; at++)
            times++;
        if (times != told[i].times)
            fail_msg("'%s' is said %d times, not %d: %s", told[i].words, times, told[i].times, said.at ? said.at : "");
    }
    dv_text_free(&said);
    dv_scene_free(scene);
}

int main(void)
{
    if (dv_set_output_folder("/tmp") != DV_OK) /* where scenes write here */
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(palettes_are_those_of_their_names),
        cmocka_unit_test(values_are_colours_between_those_of_the_entries),
        cmocka_unit_test(values_at_points_are_shown_by_the_map_of_the_node),
        cmocka_unit_test(values_of_faces_have_corners_of_their_own),
        cmocka_unit_test(merged_surfaces_hold_the_vertices_and_faces_of_all),
        cmocka_unit_test(trails_lead_through_the_last_places),
        cmocka_unit_test(a_grid_has_its_lines_in_its_plane),
        cmocka_unit_test(faces_of_a_flat_grid_are_drawn_once),
        cmocka_unit_test(slices_of_a_cube_are_squares),
        cmocka_unit_test(slices_fill_a_skew_cell),
        cmocka_unit_test(slices_are_of_points_that_are_there),
        cmocka_unit_test(what_merges_moves_nothing_by_itself),
        cmocka_unit_test(files_of_a_shader_are_a_list_of_names),
        cmocka_unit_test(the_active_version_of_a_shader_is_given),
        cmocka_unit_test(shaders_are_given_values_and_matrices_row_by_row),
        cmocka_unit_test(every_variable_is_what_its_name_says),
        cmocka_unit_test(a_variable_that_changes_is_read_again),
        cmocka_unit_test(a_model_gives_shaders_its_shape_at_rest),
        cmocka_unit_test(split_vertices_are_at_rest_where_their_points_are),
        cmocka_unit_test(a_legend_without_a_range_shows_that_of_the_values),
        cmocka_unit_test(values_become_texture_coordinates),
        cmocka_unit_test(exported_surfaces_are_read_back),
        cmocka_unit_test(bytes_of_a_texture_are_parts_of_255),
        cmocka_unit_test(fields_of_a_texture_are_given_to_the_shader),
        cmocka_unit_test(half_a_value_is_refused),
        cmocka_unit_test(what_is_not_drawn_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, stop_plugins);
}
