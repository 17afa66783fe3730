/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The window: events and shortcuts come in, frames go out. While nothing changes it sleeps; a snapshot wakes it.
 */
#include "view.h"

#include "target.h"

#include <SDL.h>
#include <divan/input.h>
#include <epoxy/gl.h>
#include <glib/gstdio.h>

double view_clock(void)
{
    return 1e-6 * (double)g_get_monotonic_time();
}

/* Opening and closing */

static char *find_font(void)
{
    static const char *const files[] = {"/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf",
                                        "/usr/share/fonts/TTF/DejaVuSans.ttf",
                                        "/usr/share/fonts/dejavu-sans-fonts/DejaVuSans.ttf"};
    for (size_t i = 0; i < G_N_ELEMENTS(files); i++)
        if (g_file_test(files[i], G_FILE_TEST_IS_REGULAR))
            return g_strdup(files[i]);
    return NULL;
}

static void wake(void *context)
{
    View *view = context;
    view->screen->wake(view);
}

bool window_open(View *view)
{
    view->screen = &screen_desktop;
#if DIVAN_VIEW_SERVES
    if (view->options.serves)
        view->screen = &screen_browser;
#endif
    if (!view->screen->open(view))
        return false;
    char *font = find_font();
    view->has_panels = view->screen->start_panels(view, font);
    g_free(font);
    if (!view->has_panels)
        return false;
    view->tells_reset = epoxy_gl_version() >= 45 || epoxy_has_gl_extension("GL_KHR_robustness");
    (void)viewport_start(view);
    session_on_publish(view->session, wake, view);
    return true;
}

void window_close(View *view)
{
    session_on_publish(view->session, NULL, NULL);
    filming_end(view);
    if (view->has_panels && !view->options.screenshot)
        settings_write(view);
    if (view->has_panels) {
        viewport_stop(view);
        ui_stop();
    }
    view->screen->close(view);
    g_free(view->title);
}

void window_full_screen(View *view, bool on)
{
    view->full_screen = on;
    view->screen->full_screen(view, on);
}

/* The command line has asked for it: a picture may take the place of one. */
static bool may_take(View *view, const char *file)
{
    DvText why = {0};
    const TargetState state = target_look(TARGET_PICTURE, file, view->now->reads, &why);
    if (state == TARGET_EXISTS && !target_fits(TARGET_PICTURE, file))
        dv_text_add(&why, "exists already and is no picture by the end of its name; choose another name");
    if (why.at)
        logbook_add(view->book, DV_LEVEL_ERROR, NULL, "%s: %s", file, why.at);
    const bool may = why.at == NULL;
    dv_text_free(&why);
    return may;
}

bool window_screenshot(View *view, const char *file)
{
    const DvImagesOps *images = dv_service(DV_IMAGES);
    if (!may_take(view, file))
        return false;
    int width = 0, height = 0;
    view->screen->size(view, &width, &height);
    const size_t row = 4 * (size_t)width;
    uint8_t *pixels = g_new(uint8_t, row * (size_t)height), *flipped = g_new(uint8_t, row * (size_t)height);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    for (int y = 0; y < height; y++)
        memcpy(flipped + row * (size_t)y, pixels + row * (size_t)(height - 1 - y), row);
    const DvImage image = {(uint32_t)width, (uint32_t)height, flipped};
    DvText why = {0};
    const bool good = images && images->write(file, NULL, &image, true, &why) == DV_OK;
    if (!good)
        logbook_add(view->book, DV_LEVEL_ERROR, NULL, "%s: %s", file,
                    images ? why.at : "no plugin writes images: divan-image.so is not there");
    dv_text_free(&why);
    g_free(pixels);
    g_free(flipped);
    return good;
}

/* Letters as capitals, arrows as 18 to 21; 0: no key of scenes. */
static int key_of_scene(const SDL_KeyboardEvent *event)
{
    int key = 0;
    if (event->keysym.sym >= SDLK_a && event->keysym.sym <= SDLK_z)
        key = 'A' + (event->keysym.sym - SDLK_a);
    else if (event->keysym.sym >= SDLK_0 && event->keysym.sym <= SDLK_9)
        key = (int)event->keysym.sym;
    else if (event->keysym.sym == SDLK_LEFT || event->keysym.sym == SDLK_UP || event->keysym.sym == SDLK_RIGHT ||
             event->keysym.sym == SDLK_DOWN)
        key = event->keysym.sym == SDLK_LEFT    ? 18
              : event->keysym.sym == SDLK_UP    ? 19
              : event->keysym.sym == SDLK_RIGHT ? 20
                                                : 21;
    return key;
}

/* Keys that are no shortcut go to the scene while Ctrl is held, which then counts for the window; and without it while the mouse is a device, where
 * all that is held counts for the scene. What was pressed there is released there, whatever is held by then. */
static void send_key(View *view, const SDL_KeyboardEvent *event)
{
    const int key = key_of_scene(event);
    const bool down = event->type == SDL_KEYDOWN, gives = view->viewport.gives;
    const SDL_Keymod mod = (SDL_Keymod)event->keysym.mod;
    if (!key || (down ? !gives && !(mod & KMOD_CTRL) : !view->keys_given[key]))
        return;
    const unsigned held = (mod & KMOD_SHIFT ? DV_KEY_SHIFT : 0u) | (gives && (mod & KMOD_CTRL) ? DV_KEY_CONTROL : 0u) |
                          (mod & KMOD_ALT ? DV_KEY_ALT : 0u);
    view->keys_given[key] = down;
    session_post(view->session, &(Message){.kind = MESSAGE_KEY, .numbers = {down, key, held}});
}

/* To the question whether a file is to be replaced. */
static void answer(View *view, SDL_Keycode key)
{
    if (key == SDLK_r)
        dialogs_answer(view, true);
    else if (key == SDLK_ESCAPE || key == SDLK_RETURN || key == SDLK_KP_ENTER)
        dialogs_answer(view, false);
}

static void press_key(View *view, const SDL_KeyboardEvent *event)
{
    const bool control = (event->keysym.mod & KMOD_CTRL) != 0;
    if (view->asks && !control) {
        answer(view, event->repeat ? SDLK_UNKNOWN : event->keysym.sym);
        return;
    }
    if (view->asks && event->keysym.sym != SDLK_q)
        return;
    if (ui_wants_keys() && (event->keysym.sym == SDLK_RETURN || event->keysym.sym == SDLK_KP_ENTER ||
                            event->keysym.sym == SDLK_TAB || event->keysym.sym == SDLK_ESCAPE))
        view_await_focus(view); /* the editor is left */
    if (event->keysym.sym == SDLK_ESCAPE) {
        if (!ui_close_popups())
            dialogs_close(view);
        return;
    }
    if (ui_wants_keys() && event->keysym.sym != SDLK_F1 && event->keysym.sym != SDLK_F11 &&
        !(control && event->keysym.sym == SDLK_q))
        return;
    const bool shift = (event->keysym.mod & KMOD_SHIFT) != 0;
    bool has_shifted = false;
    for (int i = 0; i < ACTIONS; i++)
        has_shifted |= shift && shortcuts[i].shift && shortcuts[i].key == event->keysym.sym;
    for (int i = 0; i < ACTIONS; i++)
        if (shortcuts[i].key == event->keysym.sym && shortcuts[i].control == control &&
            shortcuts[i].shift == has_shifted) {
            if (!event->repeat || i == ACTION_STEP)
                view_act(view, (Action)i);
            return;
        }
    if (control || (view->viewport.gives && key_of_scene(event)))
        send_key(view, event);
    else if (event->keysym.sym >= SDLK_1 && event->keysym.sym <= SDLK_6) {
        camera_face(&view->viewport.camera, (int)(event->keysym.sym - SDLK_1));
        view->viewport.drawn = 0;
    }
}

static void take_event(View *view, const SDL_Event *event)
{
    if (event->type >= SDL_USEREVENT)
        return; /* a snapshot */
    ui_event(event);
    view->frames = MAX(view->frames, SETTLING_FRAMES);
    switch (event->type) {
    case SDL_QUIT:
        view->quits = true;
        break;
    case SDL_KEYDOWN:
        press_key(view, &event->key);
        break;
    case SDL_KEYUP:
        send_key(view, &event->key);
        break;
    case SDL_DROPFILE:
        view_open(view, event->drop.file);
        SDL_free(event->drop.file);
        break;
    case SDL_DROPTEXT:
        SDL_free(event->drop.file);
        break;
    default:
        break;
    }
}

/* Frames */

static void put_title(View *view)
{
    char *base = *view->now->file ? g_path_get_basename(view->now->file) : NULL;
    char *title = base ? g_strdup_printf("%s - divan-view", base) : g_strdup("divan-view");
    if (g_strcmp0(view->title, title) != 0)
        view->screen->title(view, title);
    g_free(view->title);
    view->title = title;
    g_free(base);
}

/* A size of panels that is dragged: what was asked for waits until there is room for it again. */
typedef struct Split {
    float *wanted, size, least, most;
} Split;

static Split split(float *wanted, float least, float most)
{
    return (Split){wanted, fminf(fmaxf(*wanted, least), fmaxf(least, most)), least, most};
}

static void drag_split(const char *name, UiBox box, bool vertical, float sign, const Split *self)
{
    float size = self->size;
    if (ui_splitter(name, box, vertical, &size, sign, self->least, self->most))
        *self->wanted = size;
}

static void lay_out(View *view)
{
    const UiBox screen = ui_screen();
    if (!view->full_screen && !view->options.serves) {
        view->window_width = (int)screen.width;
        view->window_height = (int)screen.height;
    }
    const float menu = view->hides_panels ? 0 : panels_menu(view), line = ui_line_height(), gap = 4;
    const float tools = view->hides_panels ? 0 : line * 1.15f + 16, status = view->hides_panels ? 0 : line + 12;
    const float top = menu + tools, height = screen.height - top - status, end = screen.height - status;
    if (view->hides_panels) {
        viewport_draw(view, screen);
        return;
    }
    const Split left = split(&view->left, 180, screen.width - 300), fields = split(&view->fields, 80, height - 100),
                bottom = split(&view->bottom, 60, height - 120);
    const float right = left.size + gap;
    panels_toolbar(view, (UiBox){0, menu, screen.width, tools});
    drag_split("##left", (UiBox){left.size, top, gap, height}, true, 1, &left);
    drag_split("##fields", (UiBox){0, end - fields.size - gap, left.size, gap}, false, -1, &fields);
    drag_split("##bottomline", (UiBox){right, end - bottom.size - gap, screen.width, gap}, false, -1, &bottom);
    panels_tree(view, (UiBox){0, top, left.size, height - fields.size - gap});
    panels_fields(view, (UiBox){0, end - fields.size, left.size, fields.size});
    viewport_draw(view, (UiBox){right, top, screen.width - right, height - bottom.size - gap});
    panels_bottom(view, (UiBox){right, end - bottom.size, screen.width - right, bottom.size});
    panels_status(view, (UiBox){0, end, screen.width, status});
}

/* Nothing can be drawn any more, and what was drawn with is gone; the scene and what is recorded of it are not. */
static bool is_lost(View *view)
{
    const GLenum status = view->tells_reset ? glGetGraphicsResetStatus() : GL_NO_ERROR;
    if (status == GL_NO_ERROR)
        return false;
    logbook_add(view->book, DV_LEVEL_ERROR, NULL,
                "the graphics card was reset%s: divan-view ends, and the recording is complete; start it again",
                status == GL_GUILTY_CONTEXT_RESET ? ", because of what was drawn" : "");
    view->exit_status = 1;
    return true;
}

static void draw_frame(View *view)
{
    static const float clear[4] = {0.1f, 0.11f, 0.13f, 1};
    int width = 0, height = 0;
    view->screen->size(view, &width, &height);
    ui_begin();
    lay_out(view);
    dialogs_draw(view);
    glBindFramebuffer(GL_FRAMEBUFFER, view->framebuffer);
    glViewport(0, 0, width, height);
    glClearBufferfv(GL_COLOR, 0, clear);
    ui_end();
}

/* What came since the last frame. */
static void take_snapshot(View *view)
{
    Snapshot *now = session_snapshot(view->session);
    const uint64_t opened = view->now ? view->now->opened : 0;
    const bool other = !view->now || strcmp(view->now->file, now->file) != 0;
    if (!view->now || view->now->number != now->number)
        view->frames = MAX(view->frames, now->animates ? 1 : SETTLING_FRAMES);
    snapshot_unref(view->now);
    view->now = now;
    if (now->opened != opened) {
        if (other) {
            g_hash_table_remove_all(view->folded);
            g_hash_table_remove_all(view->joined);
        }
        g_clear_pointer(&view->edit_id, g_free);
        g_clear_pointer(&view->changed, g_free);
        view->modified = 0;
        put_title(view);
        if (now->has_scene)
            settings_add_recent(view, now->file);
    }
    logbook_read(view->book, view->said->len, view->said);
    const size_t before = view->errors;
    view->errors = view->problems = 0;
    for (size_t i = view->said_before; i < view->said->len; i++) {
        const LogEntry *entry = g_ptr_array_index(view->said, i);
        view->errors += entry->level == DV_LEVEL_ERROR;
        view->problems += entry->level == DV_LEVEL_ERROR && entry->of_scene;
    }
    if (view->errors > before)
        view->tab = 0;
}

/* Twice a second: the scene's file may have been written by somebody else. */
static void look_at_file(View *view)
{
    GStatBuf found;
    const gint64 time = g_get_monotonic_time();
    if (time - view->checked < G_USEC_PER_SEC / 2 || !*view->now->file)
        return;
    view->checked = time;
    if (g_stat(view->now->file, &found) != 0)
        return;
    const gint64 modified = (gint64)found.st_mtim.tv_sec * 1000000000 + found.st_mtim.tv_nsec;
    if (view->modified && modified != view->modified) {
        if (view->reloads)
            view_act(view, ACTION_RELOAD);
        else
            view_toast(view, "The file of the scene has changed: Ctrl+R reads it again");
    }
    view->modified = modified;
}

/* Where nothing changes but the cursor of what is typed, and words that go by themselves, a few pictures a second are enough. */
static bool wants_frame(View *view, bool waited)
{
    const bool lingers = view->toast != NULL || ui_wants_keys();
    if (view->toast && view_clock() > view->toast_until)
        g_clear_pointer(&view->toast, g_free);
    return view->frames > 0 || (lingers && waited);
}

/* --screenshot: once the steps that were asked for are made, and drawn. */
static void take_wanted_screenshot(View *view, int *settled)
{
    const bool opens = (view->options.scene || view->options.replay) && !view->now->opened && !view->errors;
    if (!view->options.screenshot || opens || view->now->steps < (uint64_t)view->options.steps ||
        view->now->replay_steps || ++*settled < 8)
        return;
    if (!window_screenshot(view, view->options.screenshot) || view->errors)
        view->exit_status = 1;
    view->quits = true;
}

/* Panels see which keys and buttons are down once a frame: one that is pressed and let go between two would be lost. */
static bool needs_own_frame(const SDL_Event *event)
{
    if (event->type == SDL_MOUSEBUTTONDOWN || event->type == SDL_MOUSEBUTTONUP)
        return true;
    const SDL_Keycode key = event->key.keysym.sym;
    const bool is_letter = key >= SDLK_SPACE && key <= SDLK_z && !(event->key.keysym.mod & KMOD_CTRL);
    return event->type == SDL_KEYDOWN && !is_letter && !(key >= SDLK_LCTRL && key <= SDLK_RGUI);
}

/* What is typed ahead: an editor gets the keys some frames after it was asked for, which may have waited for a snapshot, and gives them back
 * a frame after it was left. Until then keys wait, and nothing else does. */

static bool keys_wait(const View *view)
{
    return view->focuses_search || view->focuses_filter || view->focuses_field || view->focuses_file ||
           view->focusing > 0;
}

/* A key that is let go waits only if it waits to be pressed: one that stays down would be repeated. Buttons come after keys that wait. */
static bool waits(const View *view, const SDL_Event *event)
{
    const bool pending = keys_wait(view) || view->typed->len > 0;
    if (event->type == SDL_MOUSEBUTTONDOWN || event->type == SDL_MOUSEBUTTONUP)
        return view->typed->len > 0;
    if (event->type != SDL_KEYUP)
        return pending && (event->type == SDL_KEYDOWN || event->type == SDL_TEXTINPUT);
    for (guint i = 0; i < view->typed->len; i++) {
        const SDL_Event *typed = &g_array_index(view->typed, SDL_Event, i);
        if (typed->type == SDL_KEYDOWN && typed->key.keysym.sym == event->key.keysym.sym)
            return true;
    }
    return false;
}

/* Who presses a button or Escape, or types on and on, means what there is now. */
static void end_waiting(View *view, const SDL_Event *event)
{
    enum { TYPED_MOST = 256 };
    const bool escapes = event->type == SDL_KEYDOWN && event->key.keysym.sym == SDLK_ESCAPE;
    if (event->type != SDL_MOUSEBUTTONDOWN && !escapes && view->typed->len < TYPED_MOST)
        return;
    view->focuses_search = view->focuses_filter = view->focuses_field = view->focuses_file = false;
    if (escapes)
        g_array_set_size(view->typed, 0);
}

/* The first of those that wait. */
static bool may_go_on(const View *view)
{
    return view->typed->len > 0 && (!keys_wait(view) || g_array_index(view->typed, SDL_Event, 0).type == SDL_KEYUP);
}

static bool next_event(View *view, SDL_Event *event, int milliseconds)
{
    if (may_go_on(view)) {
        *event = g_array_index(view->typed, SDL_Event, 0);
        g_array_remove_index(view->typed, 0);
        return true;
    }
    while (view->screen->next(view, event, milliseconds)) {
        end_waiting(view, event);
        if (!waits(view, event))
            return true;
        g_array_append_val(view->typed, *event);
        milliseconds = 0;
    }
    return false;
}

/* False: none came within that time. What the mouse comes upon has to be drawn below it before a button is pressed: panels would take the
 * press for one of what was there before. */
static bool take_events(View *view, int milliseconds)
{
    SDL_Event event;
    bool moved = false;
    if (view->pressed)
        event = *view->pressed;
    else if (!next_event(view, &event, milliseconds))
        return false;
    g_clear_pointer(&view->pressed, g_free);
    do {
        if (moved && event.type == SDL_MOUSEBUTTONDOWN) {
            view->pressed = g_memdup2(&event, sizeof event);
            break;
        }
        moved |= event.type == SDL_MOUSEMOTION;
        take_event(view, &event);
    } while (!needs_own_frame(&event) && next_event(view, &event, 0));
    return true;
}

void window_run(View *view)
{
    enum { IDLE = 250 }; /* ms */
    double last = view_clock();
    int settled = 0;
    view->frames = SETTLING_FRAMES;
    while (!view->quits) {
        const bool draws = view->screen->takes_frame(view);
        const bool busy = (draws && view->frames > 0) || may_go_on(view) || view->pressed;
        const bool waited = !take_events(view, busy ? 0 : IDLE);
        take_snapshot(view);
        filming_look(view);
        look_at_file(view);
        if (view->options.screenshot)
            view->frames = SETTLING_FRAMES;
        if (!view->screen->takes_frame(view) || !wants_frame(view, waited))
            continue;
        view->frames -= view->frames > 0;
        view->focusing -= view->focusing > 0;
        draw_frame(view);
        view->quits |= is_lost(view);
        take_wanted_screenshot(view, &settled);
        view->screen->show(view);
        const double now = view_clock();
        view->frame_seconds += 0.05 * (now - last - view->frame_seconds);
        last = now;
    }
}
