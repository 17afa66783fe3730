/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Films by ffmpeg, which is run where it is there.
 */
#include "film.h"

#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#include <divan/output.h>

static void take_file(gpointer data)
{
    (void)dup2(*(int *)data, STDOUT_FILENO);
}

static bool start_ffmpeg(Film *film, double frames_per_second, DvText *why)
{
    GError *error = NULL;
    char *size = g_strdup_printf("%ux%u", film->width, film->height);
    char rate[G_ASCII_DTOSTR_BUF_SIZE];
    g_ascii_formatd(rate, sizeof rate, "%.6g", frames_per_second);
    /* Without -xerror it is content with a file whose end cannot be written. Pixels come in pairs in the colours of films: an odd side
     * loses one. */
    char *arguments[] = {"ffmpeg",
                         "-loglevel",
                         "error",
                         "-xerror",
                         "-y",
                         "-f",
                         "rawvideo",
                         "-pix_fmt",
                         "rgba",
                         "-s",
                         size,
                         "-r",
                         rate,
                         "-i",
                         "pipe:0",
                         "-vf",
                         "crop=trunc(iw/2)*2:trunc(ih/2)*2",
                         "-pix_fmt",
                         "yuv420p",
                         "-f",
                         "mp4",
                         "/dev/fd/1",
                         NULL};
    int file = fileno(film->file);
    const bool good = g_spawn_async_with_pipes(
        NULL, arguments, NULL, G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_LEAVE_DESCRIPTORS_OPEN,
        take_file, &file, &film->ffmpeg, &film->pipe, NULL, NULL, &error);
    if (!good)
        dv_text_add(why, "ffmpeg cannot be started (%s); on Debian: apt-get install ffmpeg", error->message);
    g_clear_error(&error);
    g_free(size);
    return good;
}

bool film_open(Film *film, const char *name, DvScene *scene, uint32_t width, uint32_t height, double frames_per_second,
               DvText *why)
{
    *film = (Film){.file = dv_output_open(name, scene, why), .width = width, .height = height};
    return film->file && start_ffmpeg(film, frames_per_second, why);
}

bool film_add(const Film *film, const uint8_t *pixels, DvText *why)
{
    const size_t bytes = (size_t)film->width * film->height * 4;
    for (size_t sent = 0; film->ffmpeg && sent < bytes;) {
        const ssize_t now = write(film->pipe, pixels + sent, bytes - sent);
        if (now < 0 && errno == EINTR)
            continue;
        if (now <= 0) {
            dv_text_add(why, "ffmpeg takes no more pictures; its message is above");
            return false;
        }
        sent += (size_t)now;
    }
    return true;
}

bool film_close(Film *film, bool good, DvText *why)
{
    int status = 0;
    if (!film->file)
        return good;
    if (film->ffmpeg) {
        (void)close(film->pipe);
        while (waitpid(film->ffmpeg, &status, 0) < 0 && errno == EINTR) {
        }
        g_spawn_close_pid(film->ffmpeg);
        if (status != 0 && good)
            dv_text_add(why, "ffmpeg failed; its message is above");
        good = good && status == 0;
    }
    if (dv_output_close(film->file, good ? DV_OUTPUT_WHOLE : DV_OUTPUT_NONE, why) != DV_OK)
        good = false;
    *film = (Film){0};
    return good;
}
