/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * divan render: pictures of a scene, and films of them, without a display.
 *
 * The host knows no graphics: it records pictures, has them drawn and written by the services that plugins offer, and says which one is
 * missing.
 */
#include "host.h"

#include <glib/gstdio.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include <divan/contracts/image.h>
#include <divan/contracts/picture.h>
#include <divan/contracts/renderer.h>

#include "film.h"
#include "view_file.h"

enum { DEFAULT_WIDTH = 1280, DEFAULT_HEIGHT = 720 };

static volatile sig_atomic_t interrupted; /* by the signal of this number; 0: not yet */

static void on_signal(int number)
{
    interrupted = number;
}

typedef struct Job {
    const Options *options;
    const DvPictureRecorderOps *recording;
    const DvRendererOps *rendering;
    const DvImagesOps *images; /* NULL: only a film is made */
    DvScene *scene;
    DvRecorder *recorder;
    DvRenderer *renderer;
    DvViewerLook look; /* of the scene; zeros: it says nothing */
    DvCamera camera;   /* one that does not move */
    char *named;       /* camera of the scene; NULL: `camera` */
    DvRecordOptions shown;
    DvImage image;
    const char *name; /* of a picture, with a number */
    uint32_t first;   /* that number, of the first */
    Film film;
} Job;

static bool complain(const char *what, DvText *why)
{
    fprintf(stderr, "divan: %s: %s\n", what, why->at ? why->at : "unknown");
    dv_text_free(why);
    return false;
}

/* Services */

static bool find_services(Job *job)
{
    job->recording = dv_service(DV_PICTURE_RECORDER);
    job->rendering = dv_service(DV_RENDERER);
    job->images = dv_service(DV_IMAGES);
    if (!job->recording)
        fputs("divan: nothing records pictures: the plugin divan.visual is not loaded; see `divan list`\n", stderr);
    else if (!job->rendering)
        fputs(
            "divan: nothing draws pictures: the plugin divan.opengl is not loaded; see `divan list`. It is built where libepoxy, EGL "
            "and FreeType are (on Debian: libepoxy-dev libegl-dev libfreetype-dev)\n",
            stderr);
    else if (!job->images && job->options->out)
        fputs(
            "divan: nothing writes images: the plugin divan.image is not loaded; see `divan list`. It is built where libpng and libjpeg "
            "are (on Debian: libpng-dev libjpeg-dev)\n",
            stderr);
    return job->recording && job->rendering && (job->images || !job->options->out);
}

/* Cameras */

static const DvPictureCamera *find_camera(const DvPicture *picture, const char *name)
{
    for (uint32_t i = 0; i < picture->camera_count; i++)
        if (!name || strcmp(picture->cameras[i].name, name) == 0 || strcmp(picture->cameras[i].path, name) == 0)
            return &picture->cameras[i];
    return NULL;
}

static bool read_place(const char *text, DvCamera *camera)
{
    double at[6];
    for (int i = 0; i < 6; i++)
        if (!dv_read_double(&text, &at[i]) || !isfinite(at[i]))
            return false;
    text += strspn(text, " \t");
    const DvVec3 from = dv_vec3_load(at), to = dv_vec3_load(at + 3);
    if (*text || !(dv_vec3_distance(from, to) > 0))
        return false;
    dv_camera_look(camera, from, to, dv_vec3_neg(dv_vec3_load(camera->look_at))); /* look_at holds gravity's way */
    return true;
}

static bool no_camera(const Job *job, const DvPicture *picture)
{
    fprintf(
        stderr,
        "divan: --camera %s: neither a camera of the scene, nor six numbers 'x y z lookx looky lookz' of two points, nor a file that "
        "ends in .view, nor 'default'",
        job->options->camera);
    for (uint32_t i = 0; i < picture->camera_count; i++)
        fprintf(stderr, "%s %s", i ? "," : "; the scene has", picture->cameras[i].name);
    fputs("\n", stderr);
    return false;
}

/* Without --camera: the view kept beside the scene, else the scene's first camera, else the whole scene. */
static bool choose_camera(Job *job, const DvPicture *picture)
{
    const char *wanted = job->options->camera;
    char *beside = wanted ? NULL : g_strdup_printf("%s.view", job->options->scene);
    const char *file = wanted && g_str_has_suffix(wanted, ".view")             ? wanted
                       : beside && g_file_test(beside, G_FILE_TEST_IS_REGULAR) ? beside
                                                                               : NULL;
    const DvPictureCamera *of_scene = wanted && strcmp(wanted, "default") == 0 ? NULL : find_camera(picture, wanted);
    const double *down = picture->gravity;
    double sides[6];
    const double *box = dv_picture_view_box(picture, sides);
    DvText why = {0};
    bool good = true;
    job->camera = (DvCamera){.orientation = {0, 0, 0, 1}, .field_of_view = 45, .fits_clip = true};
    if (file) {
        good = view_file_read(&job->camera, file, &why) || complain("--camera", &why);
    } else if (of_scene) {
        job->camera = of_scene->camera;
        if (job->camera.by_bounds)
            dv_camera_look_at_box(&job->camera, box, down);
        else
            job->named = g_strdup(of_scene->path);
    } else if (!wanted || strcmp(wanted, "default") == 0) {
        dv_picture_frame(picture, (double)job->image.width / (double)job->image.height, &job->camera);
    } else {
        const bool falls = down[0] != 0 || down[1] != 0 || down[2] != 0;
        dv_vec3_store(falls ? dv_vec3_load(down) : dv_vec3(0, -1, 0), job->camera.look_at);
        good = read_place(wanted, &job->camera) || no_camera(job, picture);
    }
    g_free(beside);
    return good;
}

/* Films */

static double frames_per_second(const Job *job)
{
    const double dt = job->options->dt > 0 ? job->options->dt : dv_node_dt(dv_scene_root(job->scene));
    return fmin(fmax(1 / (dt * job->options->every), 1), 240);
}

static bool film_failed(const Job *job, DvText *why)
{
    fprintf(stderr, "divan: --mp4 %s: %s\n", job->options->mp4, why->at ? why->at : "unknown");
    dv_text_free(why);
    return false;
}

static bool open_film(Job *job)
{
    DvText why = {0};
    return !job->options->mp4 ||
           film_open(&job->film, job->options->mp4, job->scene, job->image.width, job->image.height,
                     frames_per_second(job), &why) ||
           film_failed(job, &why);
}

static bool add_to_film(const Job *job)
{
    DvText why = {0};
    return film_add(&job->film, job->image.pixels, &why) || film_failed(job, &why);
}

/* What went wrong before has been said. */
static bool close_film(Job *job, bool good)
{
    DvText why = {0};
    const bool closed = film_close(&job->film, good, &why);
    if (good && !closed)
        (void)film_failed(job, &why);
    dv_text_free(&why);
    return closed;
}

/* Pictures */

/* The number in place of "%05u". */
static char *picture_name(const Job *job, uint32_t frame)
{
    const char *number = strchr(job->name, '%');
    return g_strdup_printf("%.*s%05u%s", (int)(number - job->name), job->name, frame + job->first,
                           number + strlen("%05u"));
}

static bool write_image(Job *job, uint32_t frame)
{
    DvText why = {0};
    bool good = true;
    if (job->options->out) {
        char *name = picture_name(job, frame);
        char *path = g_build_filename(job->options->out, name, NULL);
        g_free(name);
        good = job->images->write(path, job->scene, &job->image, true, &why) == DV_OK || complain(path, &why);
        g_free(path);
    }
    return good && add_to_film(job);
}

static bool draw(Job *job, DvPicture *picture, uint32_t frame)
{
    DvText why = {0};
    DvRenderView view = {.camera = job->camera, .width = job->image.width, .height = job->image.height};
    const DvPictureCamera *moving = job->named ? find_camera(picture, job->named) : NULL;
    if (moving)
        view.camera = moving->camera;
    view.camera.orthographic |= job->look.orthographic;
    dv_camera_prepare(&view.camera, picture->has_box ? picture->box : NULL, picture->gravity);
    if (job->rendering->draw(job->renderer, picture, &view, &why) != DV_OK ||
        job->rendering->read(job->renderer, job->image.pixels, &why) != DV_OK)
        return complain("the picture cannot be drawn", &why);
    return write_image(job, frame);
}

static bool picture_of_now(Job *job, uint32_t frame)
{
    DvPicture *picture = job->recording->record(job->recorder, &job->shown);
    if (picture->shows_bodies && !frame && !job->options->quiet && !job->options->json)
        puts(
            "the scene shows nothing by itself: its bodies are drawn, as meshes, springs, frames and collision models; --show "
            "chooses others");
    const bool good = (frame || (choose_camera(job, picture) && open_film(job))) && draw(job, picture, frame);
    job->recording->unref(picture);
    return good;
}

static int make_steps(Job *job, int steps)
{
    for (int i = 0; i < steps && !interrupted; i++) {
        const DvStatus status = dv_scene_step(job->scene, job->options->dt > 0 ? job->options->dt : 0);
        if (status != DV_OK)
            return host_step_failed(job->scene, job->options, NULL, status);
    }
    return EXIT_DONE;
}

static void print_pictures(const Job *job, int made)
{
    DvRenderStats stats;
    job->rendering->stats(job->renderer, &stats);
    printf("%d picture%s of %u x %u pixels%s%s, drawn by %s\n", made, made == 1 ? "" : "s", job->image.width,
           job->image.height, job->options->out ? " in " : "", job->options->out ? job->options->out : "",
           stats.device);
}

static int make_pictures(Job *job)
{
    const int frames = job->options->frames;
    int result = make_steps(job, job->options->steps > 0 ? job->options->steps : 0);
    int made = 0;
    for (; result == EXIT_DONE && made < frames && !interrupted; made++) {
        if (made)
            result = make_steps(job, job->options->every);
        if (result == EXIT_DONE && !interrupted && !picture_of_now(job, (uint32_t)made))
            result = EXIT_FAULT;
    }
    if (!close_film(job, result == EXIT_DONE) && result == EXIT_DONE)
        result = EXIT_FAULT;
    if (result == EXIT_DONE && interrupted)
        result = EXIT_BY_SIGNAL + interrupted;
    if (result == EXIT_DONE && !job->options->quiet)
        print_pictures(job, made);
    return result;
}

/* By --size, else as the scene's ViewerSetting says. */
static bool make_image(Job *job)
{
    const Options *options = job->options;
    const DvObject *setting = dv_node_find(dv_scene_root(job->scene), DV_VIEWER_LOOK, DV_SEARCH_DOWN);
    const DvViewerLookOps *ops = setting ? dv_object_ops(setting, DV_VIEWER_LOOK) : NULL;
    job->image = (DvImage){DEFAULT_WIDTH, DEFAULT_HEIGHT, NULL};
    if (ops) {
        ops->get(dv_object_self(setting), &job->look);
        job->image.width = (uint32_t)job->look.width;
        job->image.height = (uint32_t)job->look.height;
    }
    if (options->width) {
        job->image.width = (uint32_t)options->width;
        job->image.height = (uint32_t)options->height;
    }
    if (options->mp4 && (job->image.width < 2 || job->image.height < 2)) {
        fprintf(stderr, "divan: --mp4 %s: a film has at least 2 x 2 pixels, not %u x %u; give a larger --size\n",
                options->mp4, job->image.width, job->image.height);
        return false;
    }
    job->image.pixels = g_try_malloc((size_t)job->image.width * (size_t)job->image.height * 4);
    if (!job->image.pixels)
        fprintf(stderr, "divan: --size %ux%u: there is no memory for a picture of that size\n", job->image.width,
                job->image.height);
    return job->image.pixels != NULL;
}

static bool start(Job *job)
{
    const Options *options = job->options;
    DvText why = {0};
    if (!find_services(job))
        return false;
    if (options->out && g_mkdir_with_parents(options->out, 0777) != 0) {
        fprintf(stderr, "divan: --out %s: no folder can be made there: %s\n", options->out, g_strerror(errno));
        return false;
    }
    job->shown.bodies = true;
    if (options->show && job->recording->read_flags(options->show, job->shown.flags, &why) != DV_OK)
        return complain("--show", &why);
    if (job->rendering->create(NULL, &job->renderer, &why) != DV_OK)
        return complain("nothing can be drawn", &why);
    if (!job->scene)
        job->scene = host_load(options);
    if (!job->scene)
        return false;
    job->recorder = job->recording->create(job->scene);
    return make_image(job);
}

static bool sides_are_right(const char *command, const Options *options)
{
    if (options->width <= DV_RENDER_SIZE_MOST && options->height <= DV_RENDER_SIZE_MOST)
        return true;
    fprintf(stderr, "divan %s: --size %dx%d: a side has at most %d pixels\n", command, options->width, options->height,
            DV_RENDER_SIZE_MOST);
    return false;
}

/* All but the scene. */
static void end(Job *job)
{
    if (job->recorder)
        job->recording->destroy(job->recorder);
    if (job->renderer)
        job->rendering->destroy(job->renderer);
    g_free(job->image.pixels);
    g_free(job->named);
}

int host_draw(const Options *given, DvScene *scene, const char *folder, const char *name, uint32_t count,
              void (*pose)(void *context, uint32_t number), void *context)
{
    Options options = *given;
    char *out = g_strdup(folder);
    options.out = out;
    options.mp4 = NULL;
    Job job = {.options = &options, .scene = scene, .name = name, .first = 1};
    bool good = sides_are_right("modes", &options) && start(&job);
    for (uint32_t k = 0; good && k < count; k++) {
        pose(context, k);
        good = picture_of_now(&job, k);
    }
    if (good && !options.json && !options.quiet)
        print_pictures(&job, (int)count);
    end(&job);
    g_free(out);
    return good ? EXIT_DONE : EXIT_FAULT;
}

static int render(const Options *given)
{
    Options options = *given;
    Job job = {.options = &options, .name = "frame_%05u.png"};
    if (!options.out && !options.mp4) {
        fputs("divan render: needs --out DIR, --mp4 FILE or both\n", stderr);
        return EXIT_USAGE;
    }
    options.frames = options.frames ? options.frames : 1;
    options.every = options.every ? options.every : 1;
    if (!sides_are_right("render", &options))
        return EXIT_USAGE;
    const struct sigaction taken = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};
    (void)sigaction(SIGINT, &taken, NULL);
    (void)sigaction(SIGTERM, &taken, NULL);
    (void)signal(SIGPIPE, SIG_IGN); /* ffmpeg may go */
    int result = start(&job) ? make_pictures(&job) : EXIT_FAULT;
    end(&job);
    return host_end(job.scene, result);
}

const Command command_render = {
    .name = "render",
    .arguments = "SCENE",
    .summary = "draw pictures of a scene into files, without a display",
    .description =
        "The first picture shows the loaded scene, or the scene after -n steps. Each other one follows after --every steps.\n"
        "They are written as frame_00000.png and so on into the folder of --out, which is made if necessary; --mp4 makes a\n"
        "film of them, in real time. Without --camera the view is that of SCENE.view, or else of the scene's first camera,\n"
        "or else the whole scene.\n"
        "If a scene shows nothing by itself, its bodies are drawn.",
    .positional = 1,
    .options = "steps dt threads keep-going quiet frames every size camera show out mp4 write-anywhere",
    .run = render,
};
