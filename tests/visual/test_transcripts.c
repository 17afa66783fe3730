/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Transcripts: of scenes that have a lot in them, tests/visual/golden/pictures/NAME.scn, the pictures as they are recorded at the start and
 * after three steps (NAME.picture). Where they differ, what there is now is written to the working folder: to be looked at, and kept if it is
 * what is meant. Each is drawn in every way that a viewer can ask for. NAME.fields has the fields that change the picture, each with a hash of
 * what becomes another.
 */
#include <dlfcn.h>
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <epoxy/egl.h>
#include <epoxy/gl.h>

#include <cmocka.h>
#include <divan/contracts/camera.h>
#include <divan/contracts/renderer.h>
#include <divan/divan.h>
#include <divan/embed.h>
#include <divan/memory.h>

#include "picture_text.h"
#include "share.h"

enum { WIDTH = 160, HEIGHT = 120, STEPS = 3 };

static const DvPictureRecorderOps *recording;
static const DvRendererOps *rendering;
static DvRenderer *first; /* what gives a context to look functions up with; NULL: no OpenGL */

static char *contents_of(const char *path)
{
    FILE *file = fopen(path, "r");
    size_t length = 0, room = 1 << 20;
    char *text = calloc(1, room);
    if (file) {
        length = fread(text, 1, room - 1, file);
        assert_true(length < room - 1);
        fclose(file);
    }
    return text;
}

static void write_file(const char *name, const char *ending, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s.%s", name, ending);
    FILE *file = fopen(path, "w");
    if (file) {
        fputs(text, file);
        fclose(file);
    }
}

/* False: it is another, and that is said. */
static bool is_as_kept(const char *name, const char *ending, const DvText *now)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/tests/visual/golden/pictures/%s.%s", getenv("DIVAN_TEST_SOURCE_ROOT"), name,
             ending);
    char *expected = contents_of(path);
    const bool same = strcmp(expected, now->at) == 0;
    if (!same) {
        size_t line = 1;
        for (size_t i = 0; expected[i] && expected[i] == now->at[i]; i++)
            line += expected[i] == '\n';
        print_message("golden/pictures/%s.%s: line %zu is another now, see %s.%s\n", name, ending, line, name, ending);
        write_file(name, ending, now->at);
    }
    free(expected);
    return same;
}

static DvScene *open_scene(const char *name)
{
    char path[1024];
    DvScene *scene = NULL;
    snprintf(path, sizeof path, "%s/tests/visual/golden/pictures/%s.scn", getenv("DIVAN_TEST_SOURCE_ROOT"), name);
    assert_int_equal(dv_scene_load(path, NULL, &scene), DV_OK);
    return scene;
}

/* The bounds of each object that has some. */
static DvVisit print_bounds(DvNode *node, void *text)
{
    DvObject *object;
    for (size_t i = 0; (object = dv_node_member(node, i)); i++) {
        const double *box = dv_data_doubles(dv_object_field(object, "bbox"), NULL);
        if (box[0] <= box[3])
            dv_text_add(text, "%s from %.5g %.5g %.5g to %.5g %.5g %.5g\n", dv_object_path(object), box[0], box[1],
                        box[2], box[3], box[4], box[5]);
    }
    return DV_VISIT_CONTINUE;
}

static void a_picture_is_recorded_as_it_was(void **state)
{
    const char *name = *state;
    DvScene *scene = open_scene(name);
    DvRecorder *recorder = recording->create(scene);
    DvText text = {0};
    for (int round = 0; round < 2; round++) {
        DvPicture *picture = recording->record(recorder, NULL);
        dv_text_add(&text, "%s%d: %llu bytes copied\n", round ? "\n" : "", STEPS * round,
                    (unsigned long long)picture->bytes_copied);
        picture_print(picture, &text);
        dv_visit(dv_scene_root(scene), &(const DvVisitor){.top_down = print_bounds}, &text);
        recording->unref(picture);
        for (int step = 0; step < STEPS; step++)
            assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    }
    recording->destroy(recorder);
    dv_scene_free(scene);
    assert_true(is_as_kept(name, "picture", &text));
    dv_text_free(&text);
}

/* ---- Changes of fields ---- */

/* Of what is another line than before. */
static unsigned hash_of_change(const char *now, const char *before)
{
    unsigned hash = 2166136261u;
    while (*now) {
        const size_t length = strcspn(now, "\n") + 1, other = strcspn(before, "\n");
        if (length - 1 != other || strncmp(now, before, other) != 0)
            for (size_t i = 0; i < length; i++)
                hash = (hash ^ (unsigned char)now[i]) * 16777619u;
        now += length;
        before += before[other] ? other + 1 : other;
    }
    return hash;
}

static DvText printed(DvRecorder *recorder)
{
    DvText text = {0};
    DvPicture *picture = recording->record(recorder, NULL);
    picture_print(picture, &text);
    recording->unref(picture);
    return text;
}

static bool set_other_numbers(DvData *field)
{
    size_t elements = 0, components = 0;
    dv_data_shape(field, &elements, &components);
    const size_t count = elements * components;
    if (count == 0 || field->type->scalar > DV_SCALAR_DOUBLE)
        return false;
    double *numbers = dv_alloc(count, sizeof *numbers);
    bool good = dv_data_get_numbers(field, numbers, count) == DV_OK;
    if (field->type->scalar == DV_SCALAR_DOUBLE)
        for (size_t i = 0; i < count; i++)
            numbers[i] = 0.75 * numbers[i] + 0.125;
    else if (field->type->scalar == DV_SCALAR_BOOL || count == 1)
        numbers[0] = numbers[0] == 0;
    else
        numbers[0] = numbers[1];
    good = good && dv_data_set_numbers(field, numbers, count) == DV_OK;
    dv_free(numbers);
    return good;
}

/* The first figure 1 in it becomes 0: a part of a material is switched off, a text says something else. */
static bool set_other_text(DvData *field)
{
    DvText text = {0};
    dv_data_print(field, &text);
    char *figure = text.at ? strchr(text.at, '1') : NULL;
    if (figure)
        *figure = '0';
    const bool good = figure && dv_data_set_text(field, text.at) == DV_OK;
    dv_text_free(&text);
    return good;
}

/* Something that is not what it is; false: nothing comes to mind. */
static bool set_other(DvData *field)
{
    const char *const *choices = field->field->choices;
    if (choices)
        return dv_data_set_text(field, dv_data_choice(field) == 0 ? choices[1] : choices[0]) == DV_OK;
    return field->field->type == &dv_type_string ? set_other_text(field) : set_other_numbers(field);
}

/* What the object remembers of the past would not come back, nor what counts once it has been set; nor do meshes, whose test is elsewhere. */
static bool is_left_out(const DvObject *object, const DvData *field)
{
    static const char *const words[][2] = {{"TrailRenderer", ""},
                                           {"DataDisplay", "current"},
                                           {"DataDisplay", "pointData"},
                                           {"OglColorMap", "m"},
                                           {"MechanicalObject", ""},
                                           {"RecordedCamera", ""},
                                           {"InteractiveCamera", ""},
                                           {"Camera", ""},
                                           {"MeshOBJLoader", ""},
                                           {"RegularGridTopology", ""},
                                           {"MeshTopology", ""},
                                           {"OglViewport", "cameraRigid"},
                                           {"", "componentState"},
                                           {"", "printLog"},
                                           {"", "listening"},
                                           {"", "bbox"}};
    const char *cls = dv_object_class(object)->name, *name = field->field->name;
    if (field->field->flags & (DV_FIELD_READ_ONLY | DV_FIELD_OUTPUT | DV_FIELD_STATE | DV_FIELD_HIDDEN) ||
        field->field->type == &dv_type_link || dv_data_parent(field) ||
        (field->field->type == &dv_type_string && !dv_data_is_set(field)))
        return true;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if ((!*words[i][0] || strcmp(cls, words[i][0]) == 0) && strncmp(name, words[i][1], strlen(words[i][1])) == 0)
            return true;
    return false;
}

typedef struct Changing {
    DvRecorder *recorder;
    DvText now, table;
    int stuck;
} Changing;

static void change(Changing *self, DvObject *object, DvData *field)
{
    DvText value = {0};
    dv_data_print(field, &value);
    if (!set_other(field)) {
        dv_text_free(&value);
        return;
    }
    const bool good = dv_object_reinit(object) == DV_OK;
    DvText other = printed(self->recorder);
    if (good && strcmp(other.at, self->now.at) != 0)
        dv_text_add(&self->table, "%s.%s %08x\n", dv_object_path(object), field->field->name,
                    hash_of_change(other.at, self->now.at));
    assert_int_equal(dv_data_set_text(field, value.at ? value.at : ""), DV_OK);
    assert_int_equal(dv_object_reinit(object), DV_OK);
    DvText again = printed(self->recorder);
    if (strcmp(again.at, self->now.at) != 0) {
        print_message("%s.%s: the picture does not come back with the value\n", dv_object_path(object),
                      field->field->name);
        self->stuck++;
    }
    dv_text_free(&self->now);
    self->now = again;
    dv_text_free(&other);
    dv_text_free(&value);
}

static DvVisit change_fields(DvNode *node, void *context)
{
    DvObject *object;
    for (size_t i = 0; (object = dv_node_member(node, i)); i++)
        for (size_t k = 0; k < dv_object_field_count(object); k++) {
            DvData *field = dv_object_field_at(object, k);
            if (!is_left_out(object, field))
                change(context, object, field);
        }
    return DV_VISIT_CONTINUE;
}

/* Each field of each object is given another value and its own again: the first is seen (NAME.fields), the second too. */
static void a_change_is_seen_and_taken_back(void **state)
{
    const char *name = *state;
    DvScene *scene = open_scene(name);
    Changing self = {.recorder = recording->create(scene)};
    self.now = printed(self.recorder);
    dv_visit(dv_scene_root(scene), &(const DvVisitor){.top_down = change_fields}, &self);
    const bool same = is_as_kept(name, "fields", &self.table);
    recording->destroy(self.recorder);
    dv_scene_free(scene);
    dv_text_free(&self.now);
    dv_text_free(&self.table);
    assert_int_equal(self.stuck, 0);
    assert_true(same);
}

/* Some of the fields of an object become others, all at once; those that did are put into `before`, which is theirs then. */
typedef struct Edit {
    DvData *field;
    DvText before;
} Edit;

enum { MOST_EDITS = 128, ROUNDS = 3 };

static bool is_edited(size_t field, int round)
{
    return round == 0 ? field % 2 == 0 : round == 1 ? field % 2 == 1 : true;
}

/* What merges others has the lists of the others, whatever somebody writes there. */
static bool is_made(const DvObject *object, const DvData *field)
{
    return strcmp(dv_object_class(object)->name, "MergeVisualModels") == 0 && field->type->list;
}

static size_t edit(DvObject *object, int round, Edit edits[MOST_EDITS])
{
    size_t count = 0;
    for (size_t k = 0; k < dv_object_field_count(object) && count < MOST_EDITS; k++) {
        DvData *field = dv_object_field_at(object, k);
        Edit made = {.field = field};
        if (is_left_out(object, field) || is_made(object, field) || !is_edited(k, round))
            continue;
        dv_data_print(field, &made.before);
        if (set_other(field))
            edits[count++] = made;
        else
            dv_text_free(&made.before);
    }
    return count;
}

typedef struct Counting {
    size_t left;
    DvObject *object;
} Counting;

static DvVisit count_objects(DvNode *node, void *context)
{
    Counting *self = context;
    DvObject *object;
    for (size_t i = 0; !self->object && (object = dv_node_member(node, i)); i++)
        if (self->left-- == 0)
            self->object = object;
    return DV_VISIT_CONTINUE;
}

/* NULL: there are no more. */
static DvObject *nth_object(const DvScene *scene, size_t n)
{
    Counting counting = {.left = n};
    dv_visit(dv_scene_root(scene), &(const DvVisitor){.top_down = count_objects}, &counting);
    return counting.object;
}

static DvText printed_anew(const char *name, size_t n, int round)
{
    Edit edits[MOST_EDITS];
    DvScene *scene = open_scene(name);
    DvObject *object = nth_object(scene, n);
    assert_non_null(object);
    const size_t count = edit(object, round, edits);
    for (size_t i = 0; i < count; i++)
        dv_text_free(&edits[i].before);
    assert_int_equal(dv_object_reinit(object), DV_OK);
    DvRecorder *recorder = recording->create(scene);
    DvText text = printed(recorder);
    recording->destroy(recorder);
    dv_scene_free(scene);
    return text;
}

/* False: there is a difference, and that is said. */
static bool is_as_anew(const char *name, DvRecorder *recorder, DvObject *object, size_t n, int round)
{
    Edit edits[MOST_EDITS];
    const size_t count = edit(object, round, edits);
    if (count == 0)
        return true;
    const bool good = dv_object_reinit(object) == DV_OK;
    DvText now = printed(recorder), anew = {0};
    if (good)
        anew = printed_anew(name, n, round);
    const bool same = !good || strcmp(now.at, anew.at) == 0;
    if (!same) {
        char file[64];
        snprintf(file, sizeof file, "%s-%zu-%d", name, n, round);
        print_message("%s: the picture is another than without those before, see %s.now and %s.anew\n",
                      dv_object_path(object), file, file);
        write_file(file, "now", now.at);
        write_file(file, "anew", anew.at);
    }
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(dv_data_set_text(edits[i].field, edits[i].before.at ? edits[i].before.at : ""), DV_OK);
        dv_text_free(&edits[i].before);
    }
    assert_int_equal(dv_object_reinit(object), DV_OK);
    dv_text_free(&anew);
    dv_text_free(&now);
    now = printed(recorder);
    dv_text_free(&now);
    return same;
}

/* Several fields at once, too: what the object and the recorder keep of pictures before does not show in those that come after. The
 * loop that brings visual models up to date may be told not to: then they stay as they were. */
static void pictures_before_do_not_show(void **state)
{
    const char *name = *state;
    DvScene *scene = open_scene(name);
    DvRecorder *recorder = recording->create(scene);
    DvText before = printed(recorder);
    DvObject *object;
    int others = 0;
    for (size_t n = 0; (object = nth_object(scene, n)); n++)
        for (int round = 0; round < ROUNDS && !dv_object_ops(object, DV_VISUAL_LOOP); round++)
            others += !is_as_anew(name, recorder, object, n, round);
    DvText last = printed(recorder);
    assert_string_equal(last.at, before.at);
    recording->destroy(recorder);
    dv_scene_free(scene);
    dv_text_free(&before);
    dv_text_free(&last);
    assert_int_equal(others, 0);
}

/* Bytes of the heap that are in use; under sanitizers 0. */
static size_t bytes_in_use(void)
{
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

static void record_and_forget(const char *name)
{
    DvScene *scene = open_scene(name);
    DvRecorder *recorder = recording->create(scene);
    for (int round = 0; round < 3; round++) {
        DvPicture *picture = recording->record(recorder, NULL);
        recording->unref(recording->ref(picture));
        recording->unref(picture);
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    }
    recording->destroy(recorder);
    dv_scene_free(scene);
}

/* Once the lists of the process have the room that they need, nothing more is kept of scenes that were opened, recorded and closed. */
static void nothing_is_kept_of_pictures(void **state)
{
    enum { FIRST = 4, MORE = 12, KEPT_AT_MOST = 256 }; /* bytes: the heap has blocks of its own */
    for (int i = 0; i < FIRST; i++)
        record_and_forget(*state);
    const size_t before = bytes_in_use();
    for (int i = 0; i < MORE; i++)
        record_and_forget(*state);
    const size_t after = bytes_in_use();
    if (after > before + MORE * KEPT_AT_MOST)
        fail_msg("%zu bytes are kept of each %s", (after - before) / MORE, (const char *)*state);
}

/* ---- Files of surfaces ---- */

/* The paths of pictures lose the folder of the source. */
static DvText without_folder(const char *text)
{
    char folder[1024];
    DvText shorter = {0};
    snprintf(folder, sizeof folder, "%s/tests/visual/golden/pictures/", getenv("DIVAN_TEST_SOURCE_ROOT"));
    for (const char *at; (at = strstr(text, folder)); text = at + strlen(folder))
        dv_text_add(&shorter, "%.*s", (int)(at - text), text);
    dv_text_add(&shorter, "%s", text);
    return shorter;
}

static void surfaces_are_written_as_they_were(void **state)
{
    static const char *const endings[] = {"obj", "mtl"};
    char folder[] = "/tmp/divan-transcripts-XXXXXX", path[256];
    const char *name = *state;
    int others = 0;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/out", folder);
    DvScene *scene = open_scene(name);
    assert_int_equal(dv_object_new(dv_scene_root(scene), "VisualModelOBJExporter", NULL, "filename", path,
                                   "exportEveryNumberOfSteps", "1", NULL),
                     DV_OK);
    assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    dv_scene_free(scene);
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/out00001.%s", folder, endings[i]);
        char *written = contents_of(path), ending[16];
        DvText text = without_folder(written);
        snprintf(ending, sizeof ending, "%s.txt", endings[i]);
        others += !is_as_kept(name, ending, &text);
        dv_text_free(&text);
        free(written);
        (void)unlink(path);
    }
    assert_int_equal(rmdir(folder), 0);
    assert_int_equal(others, 0);
}

/* ---- Drawing ---- */

static DvRenderView view_of(const DvPicture *picture)
{
    static const double down[3] = {0, -1, 0};
    DvRenderView view = {.width = WIDTH, .height = HEIGHT};
    assert_true(picture->camera_count > 0);
    view.camera = picture->cameras[0].camera;
    view.camera.fits_clip = true;
    dv_camera_prepare(&view.camera, picture->box, down);
    return view;
}

static void expect_draw(DvRenderer *renderer, const DvPicture *picture, const DvRenderView *view, const char *what)
{
    DvText why = {0};
    if (rendering->draw(renderer, picture, view, &why) != DV_OK)
        fail_msg("%s: %s", what, why.at);
    dv_text_free(&why);
    /* What a picture switches on does not reach into the next one. */
    static const GLenum off[] = {GL_POLYGON_OFFSET_LINE, GL_POLYGON_OFFSET_FILL, GL_SCISSOR_TEST, GL_BLEND,
                                 GL_CLIP_DISTANCE0};
    for (size_t i = 0; i < sizeof off / sizeof *off; i++)
        if (glIsEnabled(off[i]))
            fail_msg("%s: 0x%x is left on", what, off[i]);
}

/* The same in all ways that a viewer can ask for. */
static void expect_ways(DvRenderer *renderer, const DvPicture *picture)
{
    static const DvBackground dusk = {.color = {0.1, 0.2, 0.3, 1}, .top = {0.4, 0.5, 0.6, 1}};
    DvRenderView view = view_of(picture);
    view.background = &dusk;
    view.shows_axes = view.shows_box = view.clips = view.without_shadows = view.wireframe = true;
    view.clip = (DvClipPlane){.position = {0.1, 0.2, 0.3}, .normal = {0, 0.6, 0.8}};
    view.fog = 0.05;
    view.fog_color[1] = view.fog_color[3] = 1;
    expect_draw(renderer, picture, &view, "wires, axes, bounds, a plane, fog, another background");
    view = view_of(picture);
    view.points = view.transparent_background = view.without_texts = true;
    view.height = WIDTH;
    expect_draw(renderer, picture, &view, "points, nothing behind, no texts, another size");
    view = view_of(picture);
    view.xray = view.camera.orthographic = true;
    expect_draw(renderer, picture, &view, "X-ray, parallel");
}

static void a_picture_is_drawn_in_all_ways(void **state)
{
    const char *name = *state;
    DvText why = {0};
    if (!first || access("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf", R_OK) != 0 || getenv("DIVAN_FONT"))
        skip();
    DvScene *scene = open_scene(name);
    DvRecorder *recorder = recording->create(scene);
    DvRenderer *renderer = NULL;
    if (rendering->create(&(DvRendererOptions){.samples = strcmp(name, "surfaces") == 0 ? 4 : 1}, &renderer, &why) !=
        DV_OK)
        fail_msg("%s", why.at);
    for (int step = 0; step < 3; step++) {
        DvPicture *picture = recording->record(recorder, NULL);
        const DvRenderView view = view_of(picture);
        expect_draw(renderer, picture, &view, step == 0 ? "first" : step == 1 ? "after steps" : "after others");
        if (step == 0)
            expect_ways(renderer, picture);
        recording->unref(picture);
        for (int i = 0; i < STEPS; i++)
            assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    }
    uint8_t *pixels = dv_alloc(WIDTH * HEIGHT, 4);
    assert_int_equal(rendering->read(renderer, pixels, &why), DV_OK);
    dv_free(pixels);
    rendering->destroy(renderer);
    recording->destroy(recorder);
    dv_scene_free(scene);
}

/* Where the driver gives a context that says so, the renderer's is one. */
static void a_context_says_when_it_is_lost(void **state)
{
    static const EGLint wanted[] = {EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY_KHR,
                                    EGL_LOSE_CONTEXT_ON_RESET_KHR,
                                    EGL_CONTEXT_MAJOR_VERSION_KHR,
                                    3,
                                    EGL_CONTEXT_MINOR_VERSION_KHR,
                                    3,
                                    EGL_CONTEXT_OPENGL_PROFILE_MASK_KHR,
                                    EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT_KHR,
                                    EGL_NONE};
    (void)state;
    DvRenderContext *context = NULL;
    DvText why = {0};
    EGLint id = 0, count = 0, strategy = 0;
    EGLConfig config = NULL;
    if (!first)
        skip();
    assert_int_equal(rendering->begin_context(&context, &why), DV_OK);
    EGLDisplay display = eglGetCurrentDisplay();
    assert_true(eglQueryContext(display, eglGetCurrentContext(), EGL_CONFIG_ID, &id));
    assert_true(eglChooseConfig(display, (const EGLint[]){EGL_CONFIG_ID, id, EGL_NONE}, &config, 1, &count));
    assert_int_equal(count, 1);
    EGLContext own = eglCreateContext(display, config, EGL_NO_CONTEXT, wanted);
    glGetIntegerv(GL_RESET_NOTIFICATION_STRATEGY, &strategy);
    if (own != EGL_NO_CONTEXT)
        assert_int_equal(strategy, GL_LOSE_CONTEXT_ON_RESET);
    print_message("a context that says when it is lost: %s\n",
                  own != EGL_NO_CONTEXT ? "yes" : "this driver gives none");
    if (own != EGL_NO_CONTEXT)
        (void)eglDestroyContext(display, own);
    rendering->end_context(context);
}

/* Asked of EGL by itself: whether Mesa gives a core context of OpenGL 3.3 without a window. Nothing but the libraries is asked before they
 * are known to be there. */
static bool has_opengl(void)
{
    static const EGLint core[] = {EGL_CONTEXT_MAJOR_VERSION_KHR, 3, EGL_CONTEXT_MINOR_VERSION_KHR, 3, EGL_NONE};
    EGLConfig config = NULL;
    EGLint count = 0;
    void *library = dlopen("libEGL.so.1", RTLD_LAZY | RTLD_LOCAL);
    if (!library || !epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_MESA_platform_surfaceless"))
        return false;
    EGLDisplay display = eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
    if (display == EGL_NO_DISPLAY || !eglInitialize(display, NULL, NULL) || !eglBindAPI(EGL_OPENGL_API) ||
        !eglChooseConfig(
            display, (const EGLint[]){EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_SURFACE_TYPE, EGL_DONT_CARE, EGL_NONE},
            &config, 1, &count) ||
        count != 1)
        return false;
    EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, core);
    const bool there = context != EGL_NO_CONTEXT;
    if (there)
        (void)eglDestroyContext(display, context);
    return there;
}

/* Tests that draw are left out where nothing draws: not for another reason. */
static void where_there_is_opengl_there_is_a_renderer(void **state)
{
    (void)state;
    DvRenderer *renderer = NULL;
    DvText why = {0};
    if (!rendering || !has_opengl())
        skip();
    const DvStatus status = rendering->create(NULL, &renderer, &why);
    if (status != DV_OK)
        fail_msg("%s", why.at);
    rendering->destroy(renderer);
}

static void begin_drawing(void)
{
    DvText why = {0};
    if (rendering && rendering->create(NULL, &first, &why) != DV_OK)
        print_message("drawing is left out: %s\n", why.at);
    dv_text_free(&why);
}

static int start(void **state)
{
    (void)state;
    const char *const plugins[] = {getenv("DIVAN_FOREIGN_PLUGIN"), NULL};
    if (dv_start(&(const DvStartOptions){.plugins = plugins}) != DV_OK)
        return -1;
    recording = dv_service(DV_PICTURE_RECORDER);
    rendering = dv_service(DV_RENDERER);
    begin_drawing();
    return recording ? 0 : -1;
}

static int stop(void **state)
{
    (void)state;
    if (first)
        rendering->destroy(first);
    dv_stop();
    return 0;
}

#define TRANSCRIPTS(name)                                                                           \
    {"fields of " name, a_change_is_seen_and_taken_back, NULL, NULL, (void *)(uintptr_t)name},      \
        {"before " name, pictures_before_do_not_show, NULL, NULL, (void *)(uintptr_t)name},         \
        {"memory of " name, nothing_is_kept_of_pictures, NULL, NULL, (void *)(uintptr_t)name},      \
        {"picture of " name, a_picture_is_recorded_as_it_was, NULL, NULL, (void *)(uintptr_t)name}, \
    {                                                                                               \
        "drawing of " name, a_picture_is_drawn_in_all_ways, NULL, NULL, (void *)(uintptr_t)name     \
    }

int main(void)
{
    if (dv_set_output_folder("/tmp") != DV_OK) /* where scenes write here */
        return 1;
    const struct CMUnitTest tests[] = {
        TRANSCRIPTS("surfaces"),
        TRANSCRIPTS("shapes"),
        TRANSCRIPTS("shaders"),
        {"files of surfaces", surfaces_are_written_as_they_were, NULL, NULL, (void *)(uintptr_t) "surfaces"},
        TRANSCRIPTS("passes"),
        TRANSCRIPTS("letters"),
        TRANSCRIPTS("foreign"),
        {"files of foreign", surfaces_are_written_as_they_were, NULL, NULL, (void *)(uintptr_t) "foreign"},
        cmocka_unit_test(a_context_says_when_it_is_lost),
        cmocka_unit_test(where_there_is_opengl_there_is_a_renderer)};
    return share_run_group_tests(tests, start, stop);
}
