/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The picture of the scene: drawn by the renderer's service into a texture when the snapshot, the camera or the size is another, and shown
 * in the window. The mouse turns the camera; with Shift it reaches into the scene.
 */
#include "view.h"

#include "view_file.h"

#include <epoxy/gl.h>
#include <string.h>

static const DvBackground backgrounds[] = {
    {{0.16, 0.18, 0.21, 1}, {0.34, 0.38, 0.43, 1}, NULL},
    {{0.86, 0.89, 0.92, 1}, {0.98, 0.99, 1, 1}, NULL},
    {{0, 0, 0, 1}, {0, 0, 0, 1}, NULL},
    {{1, 1, 1, 1}, {1, 1, 1, 1}, NULL},
};

/* Where the processor draws, time is better spent on steps than on smooth edges. */
static bool draws_in_software(void)
{
    static const char *const names[] = {"llvmpipe", "softpipe", "swrast"};
    const char *device = (const char *)glGetString(GL_RENDERER);
    for (size_t i = 0; device && i < G_N_ELEMENTS(names); i++)
        if (strstr(device, names[i]))
            return true;
    return false;
}

bool viewport_start(View *view)
{
    Viewport *port = &view->viewport;
    const DvRendererOptions options = {.current_context = true, .samples = draws_in_software(), .smooths = true};
    DvText why = {0};
    port->ops = dv_service(DV_RENDERER);
    port->dragging = -1;
    port->blade = g_array_new(FALSE, FALSE, 2 * sizeof(float));
    port->stiffness = 1000;
    port->clip = 0.5;
    if (!port->ops)
        port->problem = g_strdup(
            "No plugin draws pictures: divan-opengl.so is not there. It is built where libepoxy-dev is installed.");
    else if (port->ops->create(&options, &port->renderer, &why) != DV_OK)
        port->problem = g_strdup(why.at ? why.at : "the renderer does not start");
    else if (!dv_service(DV_PICTURE_RECORDER))
        port->problem = g_strdup("No plugin records pictures: divan-visual.so is not there, or of another version.");
    if (port->problem)
        logbook_add(view->book, DV_LEVEL_WARNING, NULL, "%s", port->problem);
    dv_text_free(&why);
    return port->renderer != NULL;
}

static void free_texture(Viewport *port)
{
    if (port->framebuffer)
        glDeleteFramebuffers(1, &port->framebuffer);
    if (port->texture)
        glDeleteTextures(1, &port->texture);
    port->framebuffer = port->texture = 0;
}

void viewport_stop(View *view)
{
    Viewport *port = &view->viewport;
    start_close(view);
    if (port->renderer)
        port->ops->destroy(port->renderer);
    free_texture(port);
    g_free(port->problem);
    g_free(port->file);
    g_free(port->below);
    if (port->blade)
        g_array_free(port->blade, TRUE);
}

static void make_texture(Viewport *port, int width, int height)
{
    if (port->texture && port->width == width && port->height == height)
        return;
    free_texture(port);
    port->width = width;
    port->height = height;
    glGenTextures(1, &port->texture);
    glBindTexture(GL_TEXTURE_2D, port->texture);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glGenFramebuffers(1, &port->framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, port->framebuffer);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, port->texture, 0);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    port->drawn = 0;
}

/* Views */

static const double *box_of(const Snapshot *now)
{
    return now->picture && now->picture->has_box ? now->picture->box : now->box;
}

/* What the view is to have in its middle. */
static const double *view_box_of(const Snapshot *now, double box[6])
{
    const double *found = now->picture ? dv_picture_view_box(now->picture, box) : NULL;
    return found ? found : now->box;
}

static char *view_file(const View *view)
{
    return g_strconcat(view->now->file, ".view", NULL);
}

/* Width by height; before anything was drawn, that of most windows. */
static double aspect_of(const Viewport *port)
{
    return port->width > 0 && port->height > 0 ? (double)port->width / (double)port->height : 16.0 / 9.0;
}

void viewport_restore_view(View *view)
{
    Viewport *port = &view->viewport;
    const Snapshot *now = view->now;
    char *file = view_file(view);
    const DvPicture *picture = now->picture;
    port->camera = (DvCamera){.field_of_view = 45, .by_bounds = true, .fits_clip = true, .orientation = {0, 0, 0, 1}};
    if (picture && picture->camera_count)
        port->camera = picture->cameras[0].camera;
    port->camera.orthographic |= now->settings.look.orthographic;
    double box[6];
    if (picture && !picture->camera_count)
        dv_picture_frame(picture, aspect_of(port), &port->camera);
    if (port->camera.by_bounds)
        dv_camera_look_at_box(&port->camera, view_box_of(now, box), now->gravity);
    dv_camera_prepare(&port->camera, box_of(now), now->gravity);
    DvText why = {0};
    if (g_file_test(file, G_FILE_TEST_EXISTS) && !view_file_read(&port->camera, file, &why))
        logbook_add(view->book, DV_LEVEL_WARNING, NULL, "%s", why.at);
    dv_text_free(&why);
    g_free(file);
    port->camera.fits_clip = true;
    if (picture && picture->camera_count)
        port->moving = picture->cameras[0].camera;
    port->drawn = 0;
}

void viewport_save_view(View *view)
{
    char *file = view_file(view);
    if (view->now->has_scene)
        dialogs_write(view, FILE_VIEW, file);
    else
        view_toast(view, "No scene is open whose view could be saved");
    g_free(file);
}

void viewport_write_view(View *view, const char *file)
{
    DvText why = {0};
    if (view_file_write(&view->viewport.camera, file, &why))
        view_toast(view, "View saved as %s", file);
    else
        logbook_add(view->book, DV_LEVEL_ERROR, NULL, "%s", why.at);
    dv_text_free(&why);
}

/* So that it fills most of the picture, seen from the side that it is seen from now. False: there is nothing of it. */
static bool frame(View *view, bool moving, const char *path)
{
    static const double share = 0.85;
    Viewport *port = &view->viewport;
    const DvPicture *picture = view->now->picture;
    DvCameraFit fit = dv_camera_fit_begin(&port->camera, aspect_of(port), share);
    if (picture)
        dv_picture_fit(picture, moving, path, &fit);
    const bool found = dv_camera_fit_end(&fit, &port->camera);
    if (found)
        port->drawn = 0;
    return found;
}

void viewport_fit(View *view)
{
    Viewport *port = &view->viewport;
    const DvCamera before = port->camera;
    if (!view->now->has_scene)
        return;
    const bool moves = frame(view, true, NULL);
    const double change = dv_vec3_distance(dv_vec3_load(before.position), dv_vec3_load(port->camera.position));
    if (moves && change > 1e-6 * dv_vec3_distance(dv_vec3_load(before.position), dv_vec3_load(before.look_at)))
        return;
    if (!frame(view, false, NULL)) /* once more: all of it */
        camera_fit(&port->camera, box_of(view->now), fmax(port->width, 1), fmax(port->height, 1));
    port->drawn = 0;
}

/* What is seen of it, else of what is around it in the tree. */
void viewport_fit_path(View *view, const char *whole)
{
    char *path = g_strdup(whole);
    bool found = frame(view, false, path);
    for (char *end = strrchr(path, '/'); !found && end; end = strrchr(path, '/')) {
        *end = '\0';
        found = frame(view, false, path);
    }
    g_free(path);
    if (!found && !frame(view, true, NULL))
        view_toast(view, "Nothing is seen of %s", whole);
}

void viewport_fit_selected(View *view)
{
    const TreeItem *selected = view->now->tree ? tree_find(view->now->tree, view->selected) : NULL;
    if (selected)
        viewport_fit_path(view, selected->path);
    else
        view_toast(view, "Nothing is selected: click on something in the tree");
}

/* While the first camera of the scene moves, the view goes with it. */
static void follow_camera(View *view)
{
    Viewport *port = &view->viewport;
    const DvPicture *picture = view->now->picture;
    if (!picture || !picture->camera_count)
        return;
    const DvCamera *camera = &picture->cameras[0].camera;
    if (memcmp(camera->position, port->moving.position, sizeof camera->position) == 0 &&
        memcmp(camera->orientation, port->moving.orientation, sizeof camera->orientation) == 0)
        return;
    port->moving = *camera;
    port->camera = *camera;
    port->camera.orthographic |= view->now->settings.look.orthographic;
    port->camera.fits_clip = true;
    port->drawn = 0;
}

/* Drawing */

DvCamera viewport_camera(const View *view)
{
    DvCamera camera = view->viewport.camera;
    dv_camera_prepare(&camera, box_of(view->now), view->now->gravity);
    return camera;
}

/* The path of what the outline is around: what is selected, else the nearest node around it that shows something, but not the whole scene. */
static char *outlined(const View *view)
{
    const TreeItem *item = view->now->tree ? tree_find(view->now->tree, view->selected) : NULL;
    char *path = item && item->parent != G_MAXUINT ? g_strdup(item->path) : NULL;
    for (char *end; path && !seen_has(view->now->picture, path);) {
        end = strrchr(path, '/');
        if (end && end > path)
            *end = '\0';
        else
            g_clear_pointer(&path, g_free);
    }
    return path;
}

static DvRenderView render_view(const View *view, const char *outline)
{
    const Viewport *port = &view->viewport;
    DvRenderView look = {
        .camera = viewport_camera(view),
        .width = (uint32_t)port->width,
        .height = (uint32_t)port->height,
        .background = view->now->picture->has_background && !port->background
                          ? NULL
                          : &backgrounds[(size_t)port->background % G_N_ELEMENTS(backgrounds)],
        .wireframe = port->wireframe,
        .points = port->points,
        .xray = port->xray,
        .shows_axes = port->axes,
        .shows_box = port->box,
        .clips = port->clips,
        .framebuffer = port->framebuffer,
        .outline = outline,
    };
    const DvVec3 ahead = dv_quat_rotate(dv_quat_load(look.camera.orientation), dv_vec3(0, 0, -1));
    const DvVec3 least = dv_vec3_load(box_of(view->now)), most = dv_vec3_load(box_of(view->now) + 3);
    const double radius = dv_vec3_distance(least, most) / 2;
    const DvVec3 middle = dv_vec3_scale(dv_vec3_add(least, most), 0.5);
    dv_vec3_store(dv_vec3_add(middle, dv_vec3_scale(ahead, (2 * port->clip - 1) * radius)), look.clip.position);
    dv_vec3_store(dv_vec3_neg(ahead), look.clip.normal);
    return look;
}

static void draw_picture(View *view)
{
    Viewport *port = &view->viewport;
    const Snapshot *now = view->now;
    if (!port->renderer || !now->picture || port->drawn == now->number)
        return;
    char *outline = outlined(view);
    const DvRenderView look = render_view(view, outline);
    DvText why = {0};
    const double begin = view_clock();
    const DvStatus status = port->ops->draw(port->renderer, now->picture, &look, &why);
    port->draw_seconds += 0.1 * (view_clock() - begin - port->draw_seconds);
    if (status != DV_OK && !port->problem) {
        port->problem = g_strdup(why.at ? why.at : "the picture cannot be drawn");
        logbook_add(view->book, DV_LEVEL_ERROR, NULL, "%s", port->problem);
    }
    if (status == DV_OK)
        g_clear_pointer(&port->problem, g_free);
    DvRenderStats stats = {0};
    port->ops->stats(port->renderer, &stats);
    port->uploaded = (double)stats.uploaded;
    port->drawn = now->number;
    dv_text_free(&why);
    g_free(outline);
    filming_take(view);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
}

void viewport_screenshot(View *view)
{
    Viewport *port = &view->viewport;
    const DvImagesOps *images = dv_service(DV_IMAGES);
    if (!images || !port->renderer || !view->now->picture) {
        view_toast(view, "%s",
                   images ? "There is no picture yet" : "No plugin writes images: divan-image.so is not there");
        return;
    }
    char *base = g_path_get_basename(view->now->file);
    char *file = NULL;
    for (int i = 0; i == 0 || g_file_test(file, G_FILE_TEST_EXISTS); i++) {
        g_free(file);
        file = g_strdup_printf("%s-%04d.png", base, i);
    }
    DvImage image = {(uint32_t)port->width, (uint32_t)port->height,
                     g_new(uint8_t, 4 * (gsize)port->width * (gsize)port->height)};
    DvText why = {0};
    if (port->ops->read(port->renderer, image.pixels, &why) == DV_OK &&
        images->write(file, NULL, &image, true, &why) == DV_OK)
        view_toast(view, "Picture saved as %s", file);
    else
        logbook_add(view->book, DV_LEVEL_ERROR, NULL, "%s: %s", file, why.at ? why.at : "not written");
    dv_text_free(&why);
    g_free(image.pixels);
    g_free(file);
    g_free(base);
}

/* The mouse */

static void post_ray(View *view, MessageKind kind, double x, double y)
{
    const Viewport *port = &view->viewport;
    const DvCamera camera = viewport_camera(view);
    Message message = {.kind = kind};
    dv_camera_ray(&camera, port->width, port->height, x, y, message.numbers, message.numbers + 3);
    session_post(view->session, &message);
}

/* What the scene's settings of the mouse say, as what a press does; false: nothing that is done here. */
static bool mode_of(DvMouseAction action, GrabMode *mode)
{
    if (action == DV_MOUSE_PULL)
        *mode = GRAB_SPRING;
    else if (action == DV_MOUSE_CONSTRAIN)
        *mode = GRAB_CONSTRAINT;
    else if (action == DV_MOUSE_FIX)
        *mode = GRAB_FIX;
    else
        return false;
    return true;
}

static bool is_of_views(DvMouseAction action)
{
    return action == DV_MOUSE_RECORD || action == DV_MOUSE_NAVIGATE;
}

/* The left button does what the bar of tools says, which begins with what the scene says; the others what the scene says, else the right
 * one removes and the middle one cuts. */
static void take_bindings(View *view)
{
    static const char *const names[] = {"left", "middle", "right"};
    Viewport *port = &view->viewport;
    const SceneSettings *settings = &view->now->settings;
    const DvMouseBinding *left = &settings->bindings[DV_MOUSE_LEFT];
    for (int i = 0; i < 3; i++) {
        if (settings->binds[i] && settings->bindings[i].action == DV_MOUSE_FRAME)
            logbook_add(
                view->book, DV_LEVEL_WARNING, NULL,
                "the scene has a setting by which the %s button adds frames: there are no bodies whose frames could "
                "be added to",
                names[i]);
    }
    port->left_views = settings->binds[DV_MOUSE_LEFT] && is_of_views(left->action);
    if (settings->binds[DV_MOUSE_LEFT] && mode_of(left->action, &port->mode) && left->stiffness > 0)
        port->stiffness = left->stiffness;
}

static const DvMouseButton of_scene[] = {DV_MOUSE_LEFT, DV_MOUSE_RIGHT, DV_MOUSE_MIDDLE};

/* Whether the scene gives the button something to do with recorded cameras, which is done at once. */
static bool use_views(View *view, int button)
{
    const DvMouseBinding *binding = &view->now->settings.bindings[of_scene[button]];
    if (!view->now->settings.binds[of_scene[button]] || !is_of_views(binding->action) ||
        (button == 0 && !view->viewport.left_views))
        return false;
    const DvCamera camera = viewport_camera(view);
    Message message = {.kind = binding->action == DV_MOUSE_RECORD ? MESSAGE_VIEWPOINT : MESSAGE_NAVIGATE};
    memcpy(message.numbers, camera.position, sizeof camera.position);
    memcpy(message.numbers + 3, camera.orientation, sizeof camera.orientation);
    session_post(view->session, &message);
    return true;
}

static void move_blade(Viewport *port, double x, double y)
{
    const float at[2] = {(float)x, (float)y};
    g_array_append_val(port->blade, at);
}

static void grab(View *view, int button, double x, double y)
{
    static const GrabMode usual[] = {GRAB_SPRING, GRAB_REMOVE, GRAB_CUT};
    Viewport *port = &view->viewport;
    const SceneSettings *settings = &view->now->settings;
    const DvMouseBinding *binding = &settings->bindings[of_scene[button]];
    const DvCamera camera = viewport_camera(view);
    GrabMode mode = button == 0 ? port->mode : usual[button];
    double stiffness = port->stiffness;
    if (button != 0 && settings->binds[of_scene[button]] && mode_of(binding->action, &mode) && binding->stiffness > 0)
        stiffness = binding->stiffness;
    Message message = {.kind = MESSAGE_GRAB, .numbers = {mode, [7] = stiffness}};
    dv_camera_ray(&camera, port->width, port->height, x, y, message.numbers + 1, message.numbers + 4);
    session_post(view->session, &message);
    port->grabs = true;
    if (mode == GRAB_CUT)
        move_blade(port, x, y);
    port->grabbing = of_scene[button];
    port->dragging = button;
    port->drag.x = x;
    port->drag.y = y;
}

/* So many pixels around the mouse. */
static Reach reach_of(const Viewport *port, const DvCamera *camera, double pixels)
{
    double half[2];
    if (!camera->orthographic)
        return (Reach){.slope = 2 * pixels * tan(camera->field_of_view * DV_PI / 360) / port->height};
    dv_camera_half_size(camera, port->width, port->height, half);
    return (Reach){.begin = 2 * pixels * half[1] / port->height};
}

/* What the picture shows below a pixel. */
static bool see(const View *view, double x, double y, Seen *seen)
{
    enum { REACH = 5 }; /* pixels, of lines and points */
    const Viewport *port = &view->viewport;
    const DvCamera camera = viewport_camera(view);
    Ray ray;
    dv_camera_ray(&camera, port->width, port->height, x, y, ray.origin, ray.direction);
    return view->now->picture && seen_on_ray(view->now->picture, &ray, reach_of(port, &camera, REACH), seen);
}

/* The node of the body that an object belongs to: the nearest one around it that has a mass, else a state. */
static const TreeItem *body_of(const Tree *tree, const char *path)
{
    static const char *const families[] = {"masses", "states"};
    const TreeItem *item = path && tree ? tree_find(tree, path) : NULL;
    if (!item)
        return NULL;
    const TreeItem *items = &g_array_index(tree->items, TreeItem, 0);
    const guint own = item->is_node ? (guint)(item - items) : item->parent;
    for (size_t f = 0; f < G_N_ELEMENTS(families); f++)
        for (guint node = own; items[node].parent != G_MAXUINT; node = items[node].parent)
            for (guint i = node + 1; i < items[node].end; i = items[i].end)
                if (items[i].family && strcmp(items[i].family, families[f]) == 0)
                    return &items[node];
    return items[own].parent == G_MAXUINT ? item : &items[own]; /* the root is the whole scene */
}

static void select_body(View *view, const char *path)
{
    const TreeItem *body = body_of(view->now->tree, path);
    if (body)
        view_select(view, body->path);
}

/* What the picture shows of a body says whose it is; where it shows nothing the scene is asked, whose answer comes with a snapshot. */
static void click(View *view, double x, double y)
{
    enum { REACH = 8 }; /* pixels */
    Viewport *port = &view->viewport;
    const DvCamera camera = viewport_camera(view);
    Seen seen;
    if (see(view, x, y, &seen) && seen.path) {
        select_body(view, seen.path);
        return;
    }
    Message message = {.kind = MESSAGE_PICK,
                       .numbers = {[6] = 2.0 * REACH * tan(camera.field_of_view * DV_PI / 360) / port->height}};
    dv_camera_ray(&camera, port->width, port->height, x, y, message.numbers, message.numbers + 3);
    port->asked = view->now->pick.number + 1;
    session_post(view->session, &message);
}

static void take_answer(View *view)
{
    Viewport *port = &view->viewport;
    if (!port->asked || view->now->pick.number < port->asked)
        return;
    port->asked = 0;
    select_body(view, view->now->pick.path);
}

/* The body below a mouse that holds nothing. */
static void name_what_is_below(View *view, double x, double y, bool hovered)
{
    Viewport *port = &view->viewport;
    Seen seen;
    if (port->below_x == x && port->below_y == y && hovered && port->dragging < 0)
        return;
    g_clear_pointer(&port->below, g_free);
    port->below_x = port->dragging < 0 ? x : NAN; /* after a click the name comes back */
    port->below_y = y;
    if (!hovered || port->dragging >= 0 || !see(view, x, y, &seen))
        return;
    const TreeItem *body = body_of(view->now->tree, seen.path);
    port->below = body ? g_strdup(body->plain) : NULL;
}

static void press(View *view, int button, double x, double y)
{
    Viewport *port = &view->viewport;
    if (ui_shift()) {
        if (!use_views(view, button))
            grab(view, button, x, y);
        return;
    }
    port->dragging = button;
    Seen seen;
    port->clicks = button == 0;
    port->drag =
        (CameraDrag){.begin = port->camera, .x = x, .y = y, .has_point = button == 0 && see(view, x, y, &seen)};
    if (port->drag.has_point)
        memcpy(port->drag.point, seen.at, sizeof seen.at);
}

static void drag(View *view, double x, double y)
{
    Viewport *port = &view->viewport;
    const double dx = x - port->drag.x, dy = y - port->drag.y;
    if (dx == 0 && dy == 0)
        return;
    /* A hand that presses is not quite still. */
    if (port->clicks && hypot(dx, dy) < 4)
        return;
    port->clicks = false;
    if (port->grabs) {
        post_ray(view, MESSAGE_DRAG, x, y);
        if (port->blade->len)
            move_blade(port, x, y);
        port->drag.x = x, port->drag.y = y;
        return;
    }
    if (port->dragging == 0) {
        camera_rotate(&port->camera, &port->drag, x, y, port->width, port->height);
    } else {
        if (port->dragging == 1)
            camera_pan(&port->camera, dx, dy, port->height);
        else
            camera_zoom(&port->camera, exp(2 * dy / port->height));
        port->drag.x = x, port->drag.y = y;
    }
    port->drawn = 0;
}

static void release(View *view)
{
    Viewport *port = &view->viewport;
    if (port->grabs)
        view_post(view, MESSAGE_RELEASE, NULL, NULL);
    else if (port->clicks)
        click(view, port->drag.x, port->drag.y);
    port->grabs = port->clicks = false;
    g_array_set_size(port->blade, 0);
    port->dragging = -1;
}

static void use_mouse(View *view, UiBox box, bool hovered)
{
    Viewport *port = &view->viewport;
    float mx, my;
    ui_mouse(&mx, &my);
    const double x = mx - box.x, y = my - box.y;
    if (devices_take_mouse(view, x, y, hovered))
        return;
    for (int button = 0; hovered && port->dragging < 0 && button < 3; button++)
        if (ui_mouse_pressed(button))
            press(view, button, x, y);
    /* A quick hand has moved and let go since the last picture. */
    if (port->dragging >= 0)
        drag(view, x, y);
    if (port->dragging >= 0 && !ui_mouse_down(port->dragging))
        release(view);
    take_answer(view);
    name_what_is_below(view, x, y, hovered);
    if (hovered && ui_wheel() != 0) {
        Seen seen;
        if (!see(view, x, y, &seen))
            camera_point_below(&port->camera, port->width, port->height, x, y, seen.at);
        camera_zoom_about(&port->camera, pow(0.88, ui_wheel()), seen.at);
        port->drawn = 0;
    }
}

/* Scenes */

/* How the scene wants the window to begin: a size is that of the picture. */
static void take_look(View *view, UiBox box)
{
    const DvViewerLook *look = &view->now->settings.look;
    if (look->fullscreen && !view->full_screen)
        window_full_screen(view, true);
    else if (look->width > 0 && !view->full_screen && !view->options.sized && view->screen->grow)
        view->screen->grow(view, look->width - (int)box.width, look->height - (int)box.height);
}

/* A file that is read again leaves view and window as its user has made them since; a camera in it that is another now is followed. */
static void begin_scene(View *view, UiBox box)
{
    Viewport *port = &view->viewport;
    port->opened = view->now->opened;
    port->drawn = 0;
    take_bindings(view);
    if (g_strcmp0(port->file, view->now->file) == 0)
        return;
    g_free(port->file);
    port->file = g_strdup(view->now->file);
    viewport_restore_view(view);
    take_look(view, box);
}

void viewport_draw(View *view, UiBox box)
{
    Viewport *port = &view->viewport;
    if (!view->now->has_scene && !*view->now->file) {
        start_draw(view, box);
        return;
    }
    start_close(view);
    if (ui_panel_begin("##viewport", box, false, false)) {
        make_texture(port, (int)fmaxf(box.width, 1), (int)fmaxf(box.height, 1));
        if (view->now->has_scene && port->opened != view->now->opened)
            begin_scene(view, box);
        if (view->now->has_scene)
            follow_camera(view);
        draw_picture(view);
        const bool shown = port->renderer && view->now->picture;
        const UiBox place = ui_image(shown ? port->texture : 0, box.width, box.height);
        const bool hovered = ui_hovered();
        if (view->now->has_scene)
            use_mouse(view, place, hovered);
        overlay_draw(view, place);
    }
    ui_panel_end();
}
