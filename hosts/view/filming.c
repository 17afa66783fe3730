/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A film of the picture, as it is seen: 25 frames for each second of the clock. A thread of its own feeds ffmpeg with the last picture, so
 * that the window waits for neither.
 */
#include "view.h"

#include "film.h"
#include "thread.h"

enum { RATE = 25 };

struct Filming {
    View *view; /* of the window's thread: it is only woken */
    Logbook *book;
    GThread *thread;
    char *name;
    uint32_t width, height;
    size_t bytes;
    uint8_t *shown, *next; /* height x width x 4: of the thread; under the mutex */
    GMutex mutex;          /* of these: */
    GCond ends;
    bool has_next, ended;
    gint failed; /* atomic */
};

/* Waits until `due` (us) and takes the last picture; false: it ends. */
static bool wait_for_frame(Filming *filming, gint64 due)
{
    g_mutex_lock(&filming->mutex);
    while (!filming->ended && g_cond_wait_until(&filming->ends, &filming->mutex, due))
        continue;
    const bool goes_on = !filming->ended;
    if (filming->has_next)
        memcpy(filming->shown, filming->next, filming->bytes);
    filming->has_next = false;
    g_mutex_unlock(&filming->mutex);
    return goes_on;
}

static gpointer film(gpointer data)
{
    Filming *filming = data;
    DvText why = {0};
    Film film;
    const gint64 begin = g_get_monotonic_time();
    bool good = film_open(&film, filming->name, NULL, filming->width, filming->height, RATE, &why);
    for (gint64 i = 1; good && wait_for_frame(filming, begin + i * G_USEC_PER_SEC / RATE); i++)
        good = film_add(&film, filming->shown, &why);
    good = film_close(&film, good, &why) && good;
    if (good)
        logbook_add(filming->book, DV_LEVEL_INFO, NULL, "film saved as %s", filming->name);
    else
        logbook_add(filming->book, DV_LEVEL_ERROR, NULL, "no film: %s: %s", filming->name, why.at ? why.at : "unknown");
    g_atomic_int_set(&filming->failed, !good);
    filming->view->screen->wake(filming->view);
    dv_text_free(&why);
    return NULL;
}

void filming_begin(View *view, const char *file)
{
    const Viewport *port = &view->viewport;
    filming_end(view);
    if (!port->renderer || !view->now->picture || port->width < 2 || port->height < 2) {
        view_toast(view, "There is no picture to film");
        return;
    }
    Filming *filming = g_new0(Filming, 1);
    filming->view = view;
    filming->book = view->book;
    filming->name = g_strdup(file);
    filming->width = (uint32_t)port->width;
    filming->height = (uint32_t)port->height;
    filming->bytes = 4 * (size_t)port->width * (size_t)port->height;
    filming->shown = g_malloc0(filming->bytes);
    filming->next = g_malloc0(filming->bytes);
    g_mutex_init(&filming->mutex);
    g_cond_init(&filming->ends);
    view->filming = filming;
    filming_take(view);
    filming->thread = host_thread_new("film", film, filming);
}

/* The picture that was drawn last. A film has one size. */
void filming_take(View *view)
{
    Filming *filming = view->filming;
    const Viewport *port = &view->viewport;
    DvText why = {0};
    if (!filming)
        return;
    if (filming->width != (uint32_t)port->width || filming->height != (uint32_t)port->height) {
        view_toast(view, "The video has ended: the size of the picture has changed");
        filming_end(view);
        return;
    }
    g_mutex_lock(&filming->mutex);
    filming->has_next = port->ops->read(port->renderer, filming->next, &why) == DV_OK;
    g_mutex_unlock(&filming->mutex);
    dv_text_free(&why);
}

void filming_look(View *view)
{
    if (!view->filming || !g_atomic_int_get(&view->filming->failed))
        return;
    filming_end(view);
    view->frames = MAX(view->frames, 1);
}

void filming_end(View *view)
{
    Filming *filming = view->filming;
    if (!filming)
        return;
    g_mutex_lock(&filming->mutex);
    filming->ended = true;
    g_cond_signal(&filming->ends);
    g_mutex_unlock(&filming->mutex);
    g_thread_join(filming->thread); /* ffmpeg writes what it still has */
    g_mutex_clear(&filming->mutex);
    g_cond_clear(&filming->ends);
    g_free(filming->name);
    g_free(filming->shown);
    g_free(filming->next);
    g_free(filming);
    view->filming = NULL;
}
