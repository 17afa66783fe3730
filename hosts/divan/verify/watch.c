/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A run and its figures.
 */
#include "host.h"
#include "series.h"

#include <string.h>

enum { MAX_STEPS = 10000000 };

/* ---- what figures ask of series ---- */

static double lowest_of(const GArray *values)
{
    double least = INFINITY;
    for (guint i = 0; i < values->len; i++) {
        const double value = g_array_index(values, double, i);
        least = value < least || isnan(value) ? value : least;
    }
    return least;
}

static double highest_of(const GArray *values)
{
    double most = -INFINITY;
    for (guint i = 0; i < values->len; i++) {
        const double value = g_array_index(values, double, i);
        most = value > most || isnan(value) ? value : most;
    }
    return most;
}

static double mean_of(const GArray *values)
{
    double sum = 0;
    for (guint i = 0; i < values->len; i++)
        sum += g_array_index(values, double, i);
    return sum / values->len;
}

/* The cubic through four values at -1, 0, 1, 2 (Lagrange). */
static double cubic(const double at[4], double s)
{
    return -at[0] * s * (s - 1) * (s - 2) / 6 + at[1] * (s + 1) * (s - 1) * (s - 2) / 2 -
           at[2] * (s + 1) * s * (s - 2) / 2 + at[3] * (s + 1) * s * (s - 1) / 6;
}

/* Where between samples i and i + 1 the values rise through 0, in samples; needs i >= 1 and i + 2 < length. */
static double rise_after(const GArray *values, guint i, double level)
{
    double at[4];
    for (guint k = 0; k < 4; k++)
        at[k] = g_array_index(values, double, i + k - 1) - level;
    double low = 0, high = 1;
    for (int bit = 0; bit < 50; bit++) {
        const double middle = (low + high) / 2;
        if (cubic(at, middle) < 0)
            low = middle;
        else
            high = middle;
    }
    return i + low;
}

/* The mean time between crossings of the mean level upwards; NAN with fewer than two. */
static double period_of(const Watch *watch, const GArray *values)
{
    const double level = (highest_of(values) + lowest_of(values)) / 2;
    double first = 0, last = 0;
    guint crossings = 0;
    for (guint i = 1; i + 2 < values->len; i++) {
        if (!(g_array_index(values, double, i) < level && g_array_index(values, double, i + 1) >= level))
            continue;
        last = rise_after(values, i, level);
        if (!crossings++)
            first = last;
    }
    const double step = g_array_index(watch->times, double, 1) - g_array_index(watch->times, double, 0);
    return crossings > 1 ? (last - first) * step / (crossings - 1) : NAN;
}

static bool function_of_series(void *watch_, const char *function, const char *name, double *value)
{
    const Watch *watch = watch_;
    for (guint i = 0; i < watch->count; i++) {
        const GArray *values = watch->series[i].values;
        if (strcmp(watch->series[i].entry->name, name) != 0)
            continue;
        if (strcmp(function, "first") == 0)
            *value = g_array_index(values, double, 0);
        else if (strcmp(function, "last") == 0)
            *value = last_of(values);
        else if (strcmp(function, "highest") == 0)
            *value = highest_of(values);
        else if (strcmp(function, "lowest") == 0)
            *value = lowest_of(values);
        else if (strcmp(function, "mean") == 0)
            *value = mean_of(values);
        else if (strcmp(function, "period") == 0)
            *value = period_of(watch, values);
        else
            return false;
        return true;
    }
    return false;
}

static bool figure_number(Watch *watch, const Section *figure, const char *key, double *value)
{
    const DvFormulaScope scope = {.constant = watch_number, .of_name = function_of_series, .context = watch};
    const ProblemEntry *entry = section_entry(figure, key);
    DvText problem = {0};
    DvFormula *formula = dv_formula_compile(entry->text, &scope, &problem);
    if (formula)
        *value = dv_formula_value(formula, NULL);
    else
        problem_error(watch->run->problem, entry->line, "%s: %s", key, problem.at);
    dv_text_free(&problem);
    dv_formula_free(formula);
    return formula != NULL;
}

static bool compute_figures(Watch *watch, Outcome *outcome)
{
    const Section *figure;
    bool good = true;
    for (guint i = 0; good && (figure = problem_nth(watch->run->problem, "figure", i)); i++) {
        const ProblemEntry *when = section_entry(figure, "when");
        FigureValues values = {.value = NAN, .exact = NAN, .scale = NAN, .when = true};
        double wanted = 1;
        good = !when || run_value(watch->run, when, &wanted);
        values.when = wanted != 0;
        values.of_first_run = strcmp(section_entry(figure, "exact")->text, "the first run") == 0;
        if (good && values.when)
            good = figure_number(watch, figure, "value", &values.value) &&
                   (values.of_first_run || figure_number(watch, figure, "exact", &values.exact)) &&
                   (!section_entry(figure, "scale") || figure_number(watch, figure, "scale", &values.scale));
        g_array_append_val(outcome->values, values);
    }
    return good;
}

/* Series to plot, thinned out. */
static bool keep_curves(const Watch *watch, Outcome *outcome)
{
    const ProblemEntry *plot = section_entry(problem_section(watch->run->problem, "", ""), "plot");
    char **names = g_strsplit(plot ? plot->text : "", ",", -1);
    bool good = true;
    for (char **name = names; *name && good; name++) {
        const Series *found = NULL;
        for (guint i = 0; i < watch->count; i++)
            if (strcmp(watch->series[i].entry->name, g_strstrip(*name)) == 0)
                found = &watch->series[i];
        if (!found) {
            good = problem_error(watch->run->problem, plot->line, "plot: no series '%s' is watched", *name);
            break;
        }
        GArray *curve = g_array_new(FALSE, FALSE, sizeof(Sample));
        const guint count = found->values->len, kept = MIN(count, MAX_SAMPLES);
        for (guint k = 0; k < kept; k++) {
            const guint i = kept > 1 ? (guint)((guint64)k * (count - 1) / (kept - 1)) : 0;
            const Sample sample = {g_array_index(watch->times, double, i), g_array_index(found->values, double, i)};
            g_array_append_val(curve, sample);
        }
        g_ptr_array_add(outcome->curves, curve);
    }
    g_strfreev(names);
    return good;
}

/* ---- a run ---- */

static void keep_message(const DvMessage *message, void *outcome_)
{
    Outcome *outcome = outcome_;
    if (message->level < DV_LEVEL_WARNING || (message->level == DV_LEVEL_WARNING && message->harmless))
        return;
    DvText text = {0};
    dv_message_print(message, &text);
    g_string_append_printf(outcome->messages, "%s: %s\n", message->level == DV_LEVEL_ERROR ? "error" : "warning",
                           text.at);
    dv_text_free(&text);
}

static DvScene *load(Run *run)
{
    char *text = run_fill(run, run->problem->scene, 1);
    if (!text)
        return NULL;
    char *folder = g_path_get_dirname(run->problem->file);
    DvScene *scene = NULL;
    if (dv_scene_load_text(text, strlen(text), run->problem->file, folder, NULL, &scene) != DV_OK) {
        dv_scene_free(scene);
        scene = NULL;
    }
    g_free(folder);
    g_free(text);
    return scene;
}

static bool make_steps(Watch *watch)
{
    const ProblemEntry *entry = run_entry(watch->run, "steps");
    double steps;
    if (!run_value(watch->run, entry, &steps))
        return false;
    if (!(steps >= 0 && steps <= MAX_STEPS))
        return problem_error(watch->run->problem, entry->line, "steps = %g: between 0 and %d", steps, MAX_STEPS);
    watch_observe(watch);
    for (int i = 0; i < (int)lround(steps); i++) {
        if (dv_scene_step(watch->scene, 0) != DV_OK)
            return false;
        watch_observe(watch);
    }
    return true;
}

void watch_run(Run *run, Outcome *outcome)
{
    Watch watch = {.run = run};
    dv_log_set_handler(keep_message, outcome);
    watch.scene = load(run);
    watch.times = g_array_new(FALSE, FALSE, sizeof(double));
    if (watch.scene) {
        outcome->good = watch_open(&watch) && make_steps(&watch) && compute_figures(&watch, outcome) &&
                        keep_curves(&watch, outcome);
        watch_close(&watch);
    }
    g_array_free(watch.times, TRUE);
    outcome->good &= dv_scene_end(watch.scene) == DV_OK;
    dv_log_set_handler(NULL, NULL);
}
