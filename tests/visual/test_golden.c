/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A small picture of each visual class, beside the one that was looked at and kept: tests/visual/golden/classes.png, row by row. That a
 * picture can fail is proved for each: without the object it is another.
 *
 * DIVAN_WRITE_GOLDEN=1 writes the pictures that are there instead of comparing them: after having looked at them. Texts are those of
 * DejaVu Sans, and left out where that is not there. Skipped with one line where there is no OpenGL.
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
#include <divan/memory.h>

#include "scene_text.h"

enum { SIDE = 100, COLUMNS = 6, BLOCK = 5, LARGEST_DIFFERENCE = 8 };

#define SHEET "position='-0.7 0 -0.7  -0.7 0 0.7  0.7 0 0.7  0.7 0 -0.7' quads='0 1 2 3'"
#define FLOOR \
    "<OglModel name='floor' color='0.7 0.8 0.6' position='-1 -0.4 -1  -1 -0.4 1  1 -0.4 1  1 -0.4 -1' quads='0 1 2 3'/>"
#define ROOF \
    "<OglModel name='roof' color='0.8 0.3 0.2' position='-0.3 0.3 -0.3  -0.3 0.3 0.3  0.3 0.3 0.3  0.3 0.3 -0.3' quads='0 1 2 3'/>"
#define GRID     "<RegularGridTopology name='grid' n='3 2 3' min='-0.6 -0.3 -0.6' max='0.6 0.3 0.6'/>"
#define ADVANCED "<VisualStyle displayFlags='showVisualModels showAdvancedRendering'/>"
#define GLASS(color, z) \
    "<OglModel color='" color "' position='-1 -1 " z "  1 -1 " z "  1 1 " z "  -1 1 " z "' quads='0 1 2 3'/>"

/* `around` holds with and without `it`. */
typedef struct Case {
    const char *class_name, *around, *it;
} Case;

static const Case cases[] = {
    {"OglModel", "", "<OglModel color='0.9 0.5 0.1' " SHEET "/>"},
    {"OglShaderVisualModel", "", "<OglShaderVisualModel color='0.2 0.5 0.9' " SHEET "/>"},
    {"MergeVisualModels",
     "<OglModel name='a' color='white' " SHEET "/><OglModel name='b' color='white' dy='0.5' " SHEET "/>",
     "<MergeVisualModels nb='2' input1='@a' input2='@b' color='0.1 0.6 0.3' depthTest='0'/>"},
    {"CylinderVisualModel", "",
     "<CylinderVisualModel radius='0.1' color='0.8 0.7 0.1 1' position='-0.8 0 0  0.8 0 0  0 0.7 0' edges='0 1  1 2'/>"},
    {"VisualMesh", GRID, "<VisualMesh position='@grid.position' topology='@grid'/>"},
    {"VisualPointCloud", "",
     "<VisualPointCloud drawMode='Sphere' sphereRadius='0.3 0.2' color='0.3 0.3 0.9 1' position='-0.4 0 0  0.5 0.2 0'/>"},
    {"VisualVectorField", "",
     "<VisualVectorField drawMode='Arrow' color='0.7 0.1 0.5 1' vectorScale='1' position='-0.6 0 0  0.4 -0.5 0' vector='0.8 0 0  0 1 0'/>"},
    {"PointSplatModel", GRID, "<PointSplatModel radius='0.3' color='0.9 0.2 0.2 1' alpha='0.8'/>"},
    {"SlicedVolumetricModel", GRID, "<SlicedVolumetricModel alpha='0.1' nbSlices='20' color='0.2 0.4 0.8'/>"},
    {"TrailRenderer",
     "<EulerExplicitSolver/><MechanicalObject name='s' position='-0.8 0 0' velocity='0.16 0.1 0'/><UniformMass totalMass='1'/>",
     "<TrailRenderer position='@s.position' thickness='6' color='#ff0000ff #0000ffff'/>"},
    {"DataDisplay", "",
     "<DataDisplay position='-0.8 0 -0.8  -0.8 0 0.8  0.8 0 0.8  0.8 0 -0.8' pointData='0 1 2 1' topology='@mesh'/>"},
    {"OglColorMap", "", "<OglColorMap colorScheme='Blue to Red' showLegend='1' legendOffset='78 0' min='0' max='1'/>"},
    {"VisualGrid", "", "<VisualGrid plane='y' size='1.6' nbSubdiv='4' thickness='2'/>"},
    {"LineAxis", "", "<LineAxis size='1.6' thickness='4'/>"},
    {"VisualBoundingBox", "",
     "<VisualBoundingBox bbox='-0.6 -0.4 -0.6 0.6 0.4 0.6' color='0.1 0.1 0.6 1' thickness='3'/>"},
    {"OglSceneFrame", "", "<OglSceneFrame style='Arrows' alignment='TopRight' viewportSize='80'/>"},
    {"OglViewport", FLOOR ROOF,
     "<OglViewport screenPosition='5 5' screenSize='40 40' cameraPosition='0 4 0' cameraOrientation='-0.70710678 0 0 0.70710678' fovy='40'/>"},
    {"VisualTransform", FLOOR ROOF,
     "<VisualTransform transform='0.4 0.3 0  0 0 -0.38268343 0.92387953' recursive='1'/>"},
    {"ClipPlane", FLOOR ROOF, "<ClipPlane normal='1 0 0'/>"},
    {"LightManager and DirectionalLight", FLOOR ROOF,
     "<LightManager shadows='1' ambient='0.3 0.3 0.3 1'/><DirectionalLight direction='0.3 1 0.4' color='0.9 0.9 0.9 1'/>"},
    {"PositionalLight", FLOOR ROOF "<LightManager/>",
     "<PositionalLight position='0.8 0.8 0.8' color='0.9 0.7 0.5 1' attenuation='0.5'/>"},
    {"SpotLight", FLOOR ROOF "<LightManager shadows='1' softShadows='1'/>",
     "<SpotLight position='0.5 2 0' direction='-0.2 -1 0' cutoff='20' exponent='4' color='0.8 0.8 1 1'/>"},
    {"BackgroundSetting", "", "<BackgroundSetting color='0.2 0.3 0.4 1'/>"},
    {"OrderIndependentTransparencyManager", GLASS("1 0.1 0.1 0.6", "1") GLASS("0.1 0.1 1 0.6", "-2"),
     "<OrderIndependentTransparencyManager depthScale='100'/>"},
    {"OglShader", FLOOR ROOF, "<OglShader fileVertexShaders='[]' fileFragmentShaders=\"'toonShading.frag'\"/>"},
    {"PostProcessManager",
     FLOOR ROOF
     "<OglFloatVariable id='blurIntensity' value='2'/><OglFloatVariable id='focusDistance' value='0.1'/><OglFloatVariable id='focusLength' value='0.1'/>",
     "<OglShader passive='1' fileVertexShaders='[]' fileFragmentShaders=\"'depthOfField.frag'\"/><PostProcessManager/>"},
    {"OglRenderingSRGB", FLOOR ROOF, "<OglRenderingSRGB/>"},
    {"shapes of components", "<VisualStyle displayFlags='showVisualModels showBehaviorModels'/>",
     "<MechanicalObject template='Rigid3d' position='0 0 0  0 0 0.38268343 0.92387953' showObject='1' showObjectScale='0.8'/>"},
    {"OglShader with patches", "",
     "<OglShader fileVertexShaders='[]' fileFragmentShaders='[]' fileTessellationEvaluationShaders=\"'visual/sphere.tese'\" "
     "tessellationOuterLevel='12' tessellationInnerLevel='12'/><OglModel color='0.3 0.6 0.4' position='0.8 0 0  -0.8 0 0  0 0.8 0  "
     "0 -0.8 0  0 0 0.8  0 0 -0.8' triangles='0 2 4  2 1 4  1 3 4  3 0 4  2 0 5  1 2 5  3 1 5  0 3 5'/>"},
    {"VisualManagerPass", ADVANCED FLOOR "<OglModel tags='roof' color='0.8 0.3 0.2' " SHEET "/>",
     "<VisualManagerPass tags='roof'/>"},
    {"VisualManagerSecondaryPass",
     ADVANCED FLOOR ROOF
     "<OglShader name='blur' passive='1' fileVertexShaders='[]' fileFragmentShaders=\"'depthOfField.frag'\"/>"
     "<OglFloatVariable id='blurIntensity' value='2'/><OglFloatVariable id='focusDistance' value='0.1'/><OglFloatVariable id='focusLength' value='0.1'/>",
     "<VisualManagerPass name='colorTexture'/><VisualManagerSecondaryPass shader='@blur' renderToScreen='1'/>"},
    {"OglLabel", "", "<OglLabel label='Liver' x='8' y='12' fontsize='34' color='0.7 0.1 0.1 1'/>"},
    {"Visual3DText", FLOOR, "<Visual3DText text='Bowl' position='-0.7 0 0.4' scale='0.7' color='0.1 0.1 0.6 1'/>"},
    {"OglColorMap with a title", "",
     "<OglColorMap colorScheme='HSV' showLegend='1' legendTitle='stress' legendSize='16' legendOffset='5 -20' min='0' max='75'/>"},
};
enum { CASES = sizeof cases / sizeof *cases, ROWS = (CASES + COLUMNS - 1) / COLUMNS };

static const DvRendererOps *rendering;
static const DvImagesOps *images;
static DvRenderer *renderer;

typedef struct Shot {
    uint8_t pixels[SIDE * SIDE * 4];
} Shot;

static void draw(const Case *of, bool with, Shot *shot)
{
    const DvPictureRecorderOps *recording = dv_service(DV_PICTURE_RECORDER);
    DvText text = {0}, why = {0};
    dv_text_add(
        &text,
        "<Node gravity='0 0 0' dt='1'><DefaultAnimationLoop/><MeshTopology name='mesh' position='0 0 0  0 0 0  0 0 0  0 0 0' "
        "quads='0 1 2 3'/>%s%s</Node>",
        of->around, with ? of->it : "");
    DvScene *scene = scene_from_text(text.at);
    for (int step = 0; step < 10; step++)
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    DvRecorder *recorder = recording->create(scene);
    DvPicture *picture = recording->record(recorder, NULL);
    DvRenderView view = {.width = SIDE, .height = SIDE, .camera = {.field_of_view = 35, .near = 1, .far = 20}};
    dv_camera_look(&view.camera, dv_vec3(1.2, 1.8, 3.4), dv_vec3(0, 0, 0), dv_vec3(0, 1, 0));
    if (rendering->draw(renderer, picture, &view, &why) != DV_OK ||
        rendering->read(renderer, shot->pixels, &why) != DV_OK)
        fail_msg("%s: %s", of->class_name, why.at);
    recording->unref(picture);
    recording->destroy(recorder);
    dv_scene_free(scene);
    dv_text_free(&text);
}

/* The place of a picture among all. */
static size_t first_pixel(size_t index)
{
    return 4 * (index / COLUMNS * SIDE * COLUMNS * SIDE + index % COLUMNS * SIDE);
}

static const size_t row_bytes = 4 * (size_t)COLUMNS * SIDE;

/* Mean colours of blocks: what an eye sees of a small picture, whatever a driver does at edges. */
static double difference(const uint8_t *all, size_t index, const Shot *shot)
{
    double worst = 0;
    for (size_t by = 0; by < SIDE; by += BLOCK)
        for (size_t bx = 0; bx < SIDE; bx += BLOCK)
            for (size_t c = 0; c < 3; c++) {
                double sum = 0;
                for (size_t y = by; y < by + BLOCK; y++)
                    for (size_t x = bx; x < bx + BLOCK; x++)
                        sum +=
                            all[first_pixel(index) + y * row_bytes + 4 * x + c] - shot->pixels[4 * (y * SIDE + x) + c];
                worst = fmax(worst, fabs(sum) / (BLOCK * BLOCK));
            }
    return worst;
}

static void write_all(const char *path)
{
    DvImage golden = {COLUMNS * SIDE, ROWS * SIDE, dv_alloc(ROWS * SIDE, row_bytes)};
    DvText why = {0};
    memset(golden.pixels, 255, ROWS * SIDE * row_bytes);
    for (size_t i = 0; i < CASES; i++) {
        Shot shot;
        draw(&cases[i], true, &shot);
        for (size_t y = 0; y < SIDE; y++)
            memcpy(golden.pixels + first_pixel(i) + y * row_bytes, shot.pixels + 4 * y * SIDE, 4 * SIDE);
    }
    assert_int_equal(images->write(path, NULL, &golden, true, &why), DV_OK);
    dv_free(golden.pixels);
}

static bool has_letters(const Case *of)
{
    return strstr(of->it, " label=") || strstr(of->it, " text=") || strstr(of->it, " legendTitle=");
}

static bool has_font(void)
{
    return access("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf", R_OK) == 0 && !getenv("DIVAN_FONT");
}

static void each_class_looks_as_it_did(void **state)
{
    (void)state;
    char path[512];
    DvText why = {0};
    DvImage golden;
    snprintf(path, sizeof path, "%s/tests/visual/golden/classes.png", getenv("DIVAN_TEST_SOURCE_ROOT"));
    if (getenv("DIVAN_WRITE_GOLDEN")) {
        write_all(path);
        skip();
    }
    if (images->read(path, &golden, &why) != DV_OK)
        fail_msg("%s: %s", path, why.at);
    assert_int_equal(golden.width, COLUMNS * SIDE);
    assert_int_equal(golden.height, ROWS * SIDE);
    int failed = 0;
    for (size_t i = 0; i < CASES; i++) {
        Shot with, without;
        if (has_letters(&cases[i]) && !has_font()) {
            print_message("%s: left out, DejaVu Sans is not there\n", cases[i].class_name);
            continue;
        }
        draw(&cases[i], true, &with);
        draw(&cases[i], false, &without);
        const double same = difference(golden.pixels, i, &with), other = difference(golden.pixels, i, &without);
        if (same > LARGEST_DIFFERENCE || other <= LARGEST_DIFFERENCE) {
            print_message("%s: differs by %g of 255 from what is kept, without it by %g\n", cases[i].class_name, same,
                          other);
            failed++;
        }
    }
    assert_int_equal(failed, 0);
    images->free(&golden);
}

/* Whether this machine has no OpenGL that would do, or nothing to read pictures with, which is told. */
static bool is_skipped(void)
{
    const DvRendererOptions options = {.samples = 1};
    DvText why = {0};
    DvScene *scene = scene_from_text("<Node><DefaultAnimationLoop/></Node>"); /* starts the plugins */
    dv_scene_free(scene);
    rendering = dv_service(DV_RENDERER);
    images = dv_service(DV_IMAGES);
    const DvStatus status = rendering && images ? rendering->create(&options, &renderer, &why) : DV_ERROR_MISSING;
    const bool skipped =
        status == DV_ERROR_MISSING || (status == DV_ERROR_UNSUPPORTED && strstr(why.at, "3.3 is needed"));
    if (status != DV_OK)
        print_message("%s: %s\n", skipped ? "skipped" : "no renderer",
                      why.at ? why.at : "no plugin draws, or none reads images");
    dv_text_free(&why);
    return skipped;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_class_looks_as_it_did)};
    void *none = NULL;
    const int failed = is_skipped() ? 0 : renderer ? cmocka_run_group_tests(tests, NULL, NULL) : 1;
    if (rendering)
        rendering->destroy(renderer);
    (void)stop_plugins(&none);
    return failed;
}
