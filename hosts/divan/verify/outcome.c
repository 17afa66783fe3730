/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a run came to, kept and passed between processes.
 */
#include "watch.h"

#include <stdio.h>

/* ---- outcomes ---- */

static void free_curve(gpointer curve)
{
    g_array_free(curve, TRUE);
}

void outcome_init(Outcome *outcome)
{
    outcome->good = false;
    outcome->values = g_array_new(FALSE, FALSE, sizeof(FigureValues));
    outcome->curves = g_ptr_array_new_with_free_func(free_curve);
    outcome->messages = g_string_new(NULL);
}

void outcome_clear(Outcome *outcome)
{
    g_array_free(outcome->values, TRUE);
    g_ptr_array_unref(outcome->curves);
    g_string_free(outcome->messages, TRUE);
}

static void write_array(const void *at, guint count, size_t size, FILE *file)
{
    fwrite(&count, sizeof count, 1, file);
    if (count)
        fwrite(at, size, count, file);
}

static bool read_array(GArray *array, FILE *file)
{
    guint count;
    if (fread(&count, sizeof count, 1, file) != 1)
        return false;
    g_array_set_size(array, count);
    return !count || fread(array->data, g_array_get_element_size(array), count, file) == count;
}

void outcome_write(const Outcome *outcome, FILE *file)
{
    fputc(outcome->good ? 1 : 0, file);
    write_array(outcome->values->data, outcome->values->len, sizeof(FigureValues), file);
    fwrite(&outcome->curves->len, sizeof outcome->curves->len, 1, file);
    for (guint i = 0; i < outcome->curves->len; i++) {
        const GArray *curve = g_ptr_array_index(outcome->curves, i);
        write_array(curve->data, curve->len, sizeof(Sample), file);
    }
    fputs(outcome->messages->str, file);
}

bool outcome_read(Outcome *outcome, FILE *file)
{
    guint curves;
    const int good = fgetc(file);
    if (good == EOF || !read_array(outcome->values, file) || fread(&curves, sizeof curves, 1, file) != 1)
        return false;
    outcome->good = good;
    for (guint i = 0; i < curves; i++) {
        GArray *curve = g_array_new(FALSE, FALSE, sizeof(Sample));
        g_ptr_array_add(outcome->curves, curve);
        if (!read_array(curve, file))
            return false;
    }
    for (int byte; (byte = fgetc(file)) != EOF;)
        g_string_append_c(outcome->messages, (char)byte);
    return true;
}
