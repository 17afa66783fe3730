/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Numbers of fields over time: one plot for an element of a field, a curve for each of its numbers, sampled after each step.
 */
#ifndef DIVAN_VIEW_PLOTS_H
#define DIVAN_VIEW_PLOTS_H

#include <glib.h>

#include <divan/embed.h>

enum { PLOT_CURVES = 8, PLOT_SAMPLES = 1 << 16, PLOT_SHOWN = 1024, PLOT_MOST = 16 };

/* As published: the last PLOT_SHOWN samples at most. */
typedef struct PlotView {
    char *path; /* "/Liver/dofs.position" */
    char *unit; /* or NULL */
    uint32_t element, curves, count;
    float *times;               /* [count] s */
    float *values[PLOT_CURVES]; /* [curves][count] */
} PlotView;

typedef struct Plots Plots;

Plots *plots_new(void);
void plots_free(Plots *plots);
/* Errors have been reported: no such field, or one that holds no numbers. */
bool plots_add(Plots *plots, DvScene *scene, const char *path, uint32_t element);
void plots_remove(Plots *plots, const char *path, uint32_t element);
void plots_clear(Plots *plots, bool forget); /* the samples; or the plots as well */
void plots_sample(Plots *plots, DvScene *scene);
/* Of one that there is: where this time has its sample already, the others keep theirs. */
void plots_sample_one(Plots *plots, DvScene *scene, const char *path, uint32_t element);
GPtrArray *plots_view(const Plots *plots); /* PlotView, freed with the array */
/* All samples kept as a table: time, then a column for each number of each plot.     Errors are added to `why`. */
bool plots_export(const Plots *plots, const char *file, DvScene *scene, DvText *why);

#endif
