/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The service DV_SCENE_EXPORT: frames are copied in the scene's thread and written in one of its own, two at most under way.
 *
 * The thread is none of the kernel's pool: it waits for disks, while those of the pool compute, and there is none with one thread.
 */
#include "scene_export.h"
#include "frame.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include <divan/memory.h>
#include <divan/output.h>

enum { FRAMES = 2 };

struct DvSceneExport {
    DvScene *scene;
    char *file;
    Capture *capture;
    FrameFiles files;
    Frame frame[FRAMES];
    uint64_t taken, written; /* frames so far: number n is in frame[n % FRAMES] */
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t changed; /* one of those below, or of the two numbers */
    bool ends, lost;
    DvText why; /* once lost */
};

static void list_endings(bool series, DvText *list)
{
    const char *between = "";
    for (const FrameFormat *format = frame_formats; format->ending; format++)
        if ((format->series || !series) && frame_format_is_there(format)) {
            dv_text_add(list, "%s%s", between, format->ending);
            between = ", ";
        }
}

static bool check(const DvSceneExportOptions *options, bool *series, DvText *why)
{
    const FrameFormat *format = frame_format_of(options->file);
    if (!format) {
        dv_text_add(why, "the ending of its name says the format, and there is none of this one; there are ");
        list_endings(false, why);
        return false;
    }
    if (!frame_format_is_there(format)) {
        dv_text_add(why, "needs the plugin divan.hdf5, which is not there: it is built where Debian's libhdf5-dev is "
                         "installed. .pvd needs no library");
        return false;
    }
    *series = format->series;
    if (format->series || !(options->fields || options->compressed))
        return true;
    dv_text_add(why, options->fields ? "files of this format hold no fields; there are some in "
                                     : "files of this format are not compressed; possible are ");
    list_endings(true, why);
    return false;
}

/* ---- The thread that writes ---- */

static void *write_frames(void *self_)
{
    DvSceneExport *self = self_;
    pthread_mutex_lock(&self->mutex);
    for (;;) {
        while (self->written == self->taken && !self->ends)
            pthread_cond_wait(&self->changed, &self->mutex);
        if (self->written == self->taken)
            break;
        const Frame *frame = &self->frame[self->written % FRAMES];
        const bool go_on = !self->lost;
        pthread_mutex_unlock(&self->mutex);
        DvText why = {0};
        const bool good = !go_on || self->files.write(&self->files, frame, &why);
        pthread_mutex_lock(&self->mutex);
        if (!good) {
            self->lost = true;
            self->why = why;
        }
        self->written++;
        pthread_cond_broadcast(&self->changed);
    }
    pthread_mutex_unlock(&self->mutex);
    return NULL;
}

/* ---- Frames ---- */

static bool may_write(void *self_, const char *path)
{
    DvSceneExport *self = self_;
    if (access(path, F_OK) != 0 || !dv_scene_reads(self->scene, path))
        return true;
    pthread_mutex_lock(&self->mutex);
    if (!self->lost)
        dv_text_add(&self->why, "%s: is a file that the scene is made from; choose another name", path);
    self->lost = true;
    pthread_mutex_unlock(&self->mutex);
    return false;
}

static bool take_frame(DvSceneExport *self, uint64_t step, double time)
{
    pthread_mutex_lock(&self->mutex);
    while (self->taken - self->written == FRAMES)
        pthread_cond_wait(&self->changed, &self->mutex);
    const bool lost = self->lost;
    pthread_mutex_unlock(&self->mutex);
    if (lost)
        return false;
    Frame *frame = &self->frame[self->taken % FRAMES];
    capture_take(self->capture, frame, step, time);
    if (!frame_files_each(&self->files, frame, may_write, self))
        return false;
    pthread_mutex_lock(&self->mutex);
    self->taken++;
    pthread_cond_broadcast(&self->changed);
    pthread_mutex_unlock(&self->mutex);
    return true;
}

/* ---- Begin and end ---- */

static void free_export(DvSceneExport *self)
{
    for (int i = 0; i < FRAMES; i++)
        frame_free(&self->frame[i]);
    capture_free(self->capture);
    frame_files_free(&self->files);
    dv_text_free(&self->why);
    dv_free(self->file);
    dv_free(self);
}

static DvSceneExport *open_export(DvScene *scene, const DvSceneExportOptions *options, DvText *why)
{
    DvSceneExport *self = dv_alloc(1, sizeof *self);
    DvSceneExportOptions kept = *options;
    self->scene = scene;
    kept.file = self->file = dv_strdup(options->file);
    self->capture = capture_new(scene, options->fields, frame_format_of(options->file)->series, why);
    if (!self->capture || !frame_files_begin(&self->files, &kept, why)) {
        free_export(self);
        return NULL;
    }
    pthread_mutex_init(&self->mutex, NULL);
    pthread_cond_init(&self->changed, NULL);
    const int error = pthread_create(&self->thread, NULL, write_frames, self);
    if (error == 0)
        return self;
    dv_text_add(why, "the system gives no thread to write it: %s", strerror(error));
    pthread_cond_destroy(&self->changed);
    pthread_mutex_destroy(&self->mutex);
    free_export(self);
    return NULL;
}

static bool close_export(DvSceneExport *self, DvText *why)
{
    if (!self)
        return true;
    pthread_mutex_lock(&self->mutex);
    self->ends = true;
    pthread_cond_broadcast(&self->changed);
    pthread_mutex_unlock(&self->mutex);
    pthread_join(self->thread, NULL);
    pthread_cond_destroy(&self->changed);
    pthread_mutex_destroy(&self->mutex);
    const bool good = !self->lost;
    if (!good)
        dv_text_add(why, "%s", self->why.at ? self->why.at : self->file);
    free_export(self);
    return good;
}

const DvSceneExportOps scene_export_ops = {
    .size = sizeof(DvSceneExportOps), .check = check, .open = open_export, .frame = take_frame, .close = close_export};
