/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Whether there is room for what a scene asks for, and the end of a process that has no memory. A system that lends more memory than it has ends the process when it is written
 * to; so a size is also held against all the memory that the machine, or the control group of the process, has.
 */
#include "words.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <divan/memory.h>
#include <divan/output.h>

/* Bytes that are not worth asking for, as the C library has them at hand; and that are not worth a look at files. */
static const double least = 1 << 16, small = 1 << 26;

/* The whole number in a file; INFINITY: there is none. */
static double limit_in(const char *file)
{
    char *text = NULL, *end = NULL;
    double limit = INFINITY;
    if (g_file_get_contents(file, &text, NULL, NULL)) {
        const double number = g_ascii_strtod(text, &end);
        limit = end != text ? number : INFINITY;
    }
    g_free(text);
    return limit;
}

/* Bytes that the process can have at most. */
static double memory_of_machine(void)
{
    const double whole = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    const double group = limit_in("/sys/fs/cgroup/memory.max");
    return whole > 0.0 && whole < group ? whole : group;
}

bool dv_memory_has_room(double bytes)
{
    if (bytes < least)
        return true;
    if (!(bytes < (double)(SIZE_MAX / 2)))
        return false;
    return dv_core_has_room((size_t)bytes) && (bytes <= small || bytes <= memory_of_machine());
}

DvStatus dv_memory_ask(const DvObject *object, double bytes, const char *format, ...)
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    if (dv_memory_has_room(bytes))
        return DV_OK;
    va_list arguments;
    va_start(arguments, format);
    char *what = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    size_t unit = 0;
    for (; bytes >= 1024.0 && unit + 1 < G_N_ELEMENTS(units); unit++)
        bytes /= 1024.0;
    const DvStatus status = dv_error(object, DV_ERROR_LIMIT,
                                     "there is no room in memory for %s: %.3g %s are needed; make it smaller, or give "
                                     "the process more memory",
                                     what, bytes, units[unit]);
    g_free(what);
    return status;
}

/* GLib ends a process that has no memory by a signal, but says so before. */
static void see_glib(const char *domain, GLogLevelFlags level, const char *message, void *unused)
{
    const char *said = strstr(message, "failed to allocate ");
    if (said || strstr(message, "overflow allocating ")) {
        const char *bytes = said ? said + strlen("failed to allocate ") : NULL;
        const uint64_t number = bytes ? g_ascii_strtoull(bytes, NULL, 10) : 0;
        dv_memory_end(number ? (size_t)number : SIZE_MAX);
    }
    g_log_default_handler(domain, level, message, unused);
}

void dv_words_watch_memory(void)
{
    dv_core_no_memory = dv_memory_end;
    static bool is_watched;
    if (!is_watched)
        (void)g_log_set_handler("GLib", (GLogLevelFlags)(G_LOG_LEVEL_ERROR | G_LOG_FLAG_FATAL | G_LOG_FLAG_RECURSION),
                                see_glib, NULL);
    is_watched = true;
}

static char saved[1024]; /* the scene file saved last, cut to what there is room for */

void dv_words_note_saved(const char *file)
{
    (void)g_strlcpy(saved, file, sizeof saved);
}

void dv_memory_end(size_t bytes)
{
    static atomic_flag is_told = ATOMIC_FLAG_INIT;
    char line[sizeof saved + 256];
    while (atomic_flag_test_and_set(&is_told)) /* by another thread, which ends them all */
        (void)pause();
    dv_output_abandon();
    const int length = snprintf(line, sizeof line, "error: out of memory: there is no room for %zu bytes; %s%s\n",
                                bytes, *saved ? "the file saved last is " : "no scene was saved", saved);
    if (write(STDERR_FILENO, line, (size_t)length) < 0)
        _exit(1); /* whoever reads it has gone */
    _exit(1);
}
