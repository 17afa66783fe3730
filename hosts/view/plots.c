/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Rings of samples. All plots are sampled at the same steps; one that came later has NaN before.
 */
#include "plots.h"

#include <math.h>
#include <string.h>

#include <divan/output.h>

#include "snapshot.h"

typedef struct Plot {
    char *path, *unit;
    uint32_t element, curves;
    double *values; /* [PLOT_SAMPLES x PLOT_CURVES] */
} Plot;

struct Plots {
    GPtrArray *plots; /* Plot */
    double *times;    /* [PLOT_SAMPLES] s; sample n is in place n % PLOT_SAMPLES */
    uint64_t count;   /* samples taken */
};

static void free_plot(gpointer data)
{
    Plot *plot = data;
    g_free(plot->path);
    g_free(plot->unit);
    g_free(plot->values);
    g_free(plot);
}

Plots *plots_new(void)
{
    Plots *plots = g_new0(Plots, 1);
    plots->plots = g_ptr_array_new_with_free_func(free_plot);
    plots->times = g_new0(double, PLOT_SAMPLES);
    return plots;
}

void plots_free(Plots *plots)
{
    g_ptr_array_unref(plots->plots);
    g_free(plots->times);
    g_free(plots);
}

static Plot *find(const Plots *plots, const char *path, uint32_t element)
{
    for (guint i = 0; i < plots->plots->len; i++) {
        Plot *plot = g_ptr_array_index(plots->plots, i);
        if (plot->element == element && strcmp(plot->path, path) == 0)
            return plot;
    }
    return NULL;
}

/* Number `component` of element `element` of a value; NaN where there is none. */
static double number_of(const DvType *type, const void *value, size_t count, size_t element, uint32_t component)
{
    if (!value || element >= count || component >= type->components)
        return NAN;
    return view_number(type, value, element * type->components + component);
}

bool plots_add(Plots *plots, DvScene *scene, const char *path, uint32_t element)
{
    DvData *field = dv_scene_field(scene, path);
    if (!field)
        return false;
    if (field->type->scalar >= DV_SCALAR_STRING) {
        (void)dv_field_error(field, -1, "a %s holds no numbers that could be plotted", field->type->name);
        return false;
    }
    if (find(plots, path, element))
        return true;
    if (plots->plots->len == PLOT_MOST) {
        (void)dv_field_error(field, -1, "there are %d plots already; close one", PLOT_MOST);
        return false;
    }
    Plot *plot = g_new0(Plot, 1);
    plot->path = g_strdup(path);
    plot->unit = g_strdup(field->field->unit);
    plot->element = element;
    plot->curves = MIN(field->type->components, (uint32_t)PLOT_CURVES);
    plot->values = g_new(double, (gsize)PLOT_SAMPLES *PLOT_CURVES);
    for (size_t i = 0; i < (size_t)PLOT_SAMPLES * PLOT_CURVES; i++)
        plot->values[i] = NAN;
    g_ptr_array_add(plots->plots, plot);
    return true;
}

void plots_remove(Plots *plots, const char *path, uint32_t element)
{
    Plot *plot = find(plots, path, element);
    if (plot)
        g_ptr_array_remove(plots->plots, plot);
}

void plots_clear(Plots *plots, bool forget)
{
    if (forget)
        g_ptr_array_set_size(plots->plots, 0);
    plots->count = 0;
}

static void take(const Plot *plot, DvScene *scene, size_t place)
{
    DvNode *root = dv_scene_root(scene);
    const char *dot = strrchr(plot->path, '.');
    char *link = g_strdup_printf("@%.*s", (int)(dot - plot->path), plot->path);
    DvObject *object = strcmp(link, "@/") == 0 ? dv_node_object(root) : dv_node_resolve(root, NULL, link, NULL);
    DvData *field = object ? dv_object_field(object, dot + 1) : NULL;
    const void *value = field ? dv_data_read(field) : NULL;
    for (uint32_t c = 0; c < plot->curves; c++)
        plot->values[place * PLOT_CURVES + c] =
            field ? number_of(field->type, value, field->count, plot->element, c) : NAN;
    g_free(link);
}

void plots_sample(Plots *plots, DvScene *scene)
{
    if (!plots->plots->len)
        return;
    const size_t place = plots->count++ % PLOT_SAMPLES;
    plots->times[place] = dv_node_time(dv_scene_root(scene));
    for (guint i = 0; i < plots->plots->len; i++)
        take(g_ptr_array_index(plots->plots, i), scene, place);
}

void plots_sample_one(Plots *plots, DvScene *scene, const char *path, uint32_t element)
{
    const size_t last = (size_t)((plots->count + PLOT_SAMPLES - 1) % PLOT_SAMPLES);
    if (plots->count && plots->times[last] == dv_node_time(dv_scene_root(scene)))
        take(find(plots, path, element), scene, last);
    else
        plots_sample(plots, scene);
}

static void free_view(gpointer data)
{
    PlotView *view = data;
    g_free(view->path);
    g_free(view->unit);
    g_free(view->times);
    for (uint32_t c = 0; c < view->curves; c++)
        g_free(view->values[c]);
    g_free(view);
}

GPtrArray *plots_view(const Plots *plots)
{
    GPtrArray *views = g_ptr_array_new_with_free_func(free_view);
    const uint32_t count = (uint32_t)MIN(plots->count, (uint64_t)PLOT_SHOWN);
    for (guint i = 0; i < plots->plots->len; i++) {
        const Plot *plot = g_ptr_array_index(plots->plots, i);
        PlotView *view = g_new0(PlotView, 1);
        view->path = g_strdup(plot->path);
        view->unit = g_strdup(plot->unit);
        view->element = plot->element;
        view->curves = plot->curves;
        view->count = count;
        view->times = g_new(float, count);
        for (uint32_t c = 0; c < plot->curves; c++)
            view->values[c] = g_new(float, count);
        for (uint32_t k = 0; k < count; k++) {
            const size_t place = (plots->count - count + k) % PLOT_SAMPLES;
            view->times[k] = (float)plots->times[place];
            for (uint32_t c = 0; c < plot->curves; c++)
                view->values[c][k] = (float)plot->values[place * PLOT_CURVES + c];
        }
        g_ptr_array_add(views, view);
    }
    return views;
}

static void print_head(const Plots *plots, FILE *file)
{
    fputs("time", file);
    for (guint i = 0; i < plots->plots->len; i++) {
        const Plot *plot = g_ptr_array_index(plots->plots, i);
        for (uint32_t c = 0; c < plot->curves; c++)
            fprintf(file, ",\"%s[%u].%u\"", plot->path, plot->element, c);
    }
    fputc('\n', file);
}

static void print_row(const Plots *plots, FILE *file, size_t place)
{
    DvText row = {0};
    dv_text_add_double(&row, plots->times[place]);
    for (guint i = 0; i < plots->plots->len; i++) {
        const Plot *plot = g_ptr_array_index(plots->plots, i);
        for (uint32_t c = 0; c < plot->curves; c++) {
            const double value = plot->values[place * PLOT_CURVES + c];
            dv_text_add(&row, ",");
            if (isfinite(value))
                dv_text_add_double(&row, value);
        }
    }
    fprintf(file, "%s\n", row.at);
    dv_text_free(&row);
}

bool plots_export(const Plots *plots, const char *name, DvScene *scene, DvText *why)
{
    FILE *file = dv_output_open(name, scene, why);
    if (!file)
        return false;
    print_head(plots, file);
    const uint64_t kept = MIN(plots->count, (uint64_t)PLOT_SAMPLES);
    for (uint64_t k = plots->count - kept; k < plots->count; k++)
        print_row(plots, file, k % PLOT_SAMPLES);
    return dv_output_close(file, DV_OUTPUT_WHOLE, why) == DV_OK;
}
