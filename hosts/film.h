/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Films: pictures go to ffmpeg, which writes an MP4 file to what stands for the new film until that is whole. Who uses it ignores SIGPIPE:
 * ffmpeg may go.
 *
 * All of one film by one thread. Errors add the reason to `why`, without the name of the film.
 */
#ifndef DIVAN_FILM_H
#define DIVAN_FILM_H

#include <glib.h>
#include <stdio.h>

#include <divan/scene.h>

typedef struct Film {
    FILE *file; /* that ffmpeg writes to; NULL: none is made */
    int pipe;   /* pixels go in */
    GPid ffmpeg;
    uint32_t width, height;
} Film;

/* `scene` NULL: its files are no matter. close follows in any case. */
bool film_open(Film *film, const char *name, DvScene *scene, uint32_t width, uint32_t height, double frames_per_second,
               DvText *why);
bool film_add(const Film *film, const uint8_t *pixels,
              DvText *why); /* height x width x 4, the first row is the highest */
/* The film takes the place of the old file only if all went well, `good` and what is still to be written. */
bool film_close(Film *film, bool good, DvText *why);

#endif
