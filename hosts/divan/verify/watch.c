/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Series and figures of a run.
 */
#include "watch.h"
#include "host.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <divan/contracts/mechanical_operations.h>
#include <divan/contracts/state.h>
#include <divan/embed.h>

enum { MAX_STEPS = 10000000, MAX_VARIABLES = 24, MAX_SERIES = 64 };

/* ---- series ---- */

typedef enum Kind {
    FORMULA,
    POINT,
    LARGEST,
    SMALLEST,
    SUM,
    MEAN,
    ENTRY,
    KINETIC,
    POTENTIAL,
    ENERGY,
    MOMENTUM,
    FREQUENCY
} Kind;

typedef struct Series {
    const ProblemEntry *entry;
    Kind kind;
    DvStateRef state;
    const char *names[MAX_VARIABLES]; /* of the variables of its formula, NULL at the end */
    GArray *rest;                     /* double: coordinates at the start, where the state has none at rest */
    guint point;                      /* or entry of the field, or component of the momentum */
    DvFormula *formula;
    DvData *field;
    double constant;
    GArray *values; /* double, one for the start and one for each step */
} Series;

typedef struct Watch {
    Run *run;
    DvScene *scene;
    Series series[MAX_SERIES];
    guint count;
    GArray *times; /* double */
    const DvMechanicalOperationsOps *ops;
    DvMechanics *mechanics;
} Watch;

/* Names of coordinates and derivatives by type of degrees of freedom. */
static const struct {
    const char *type, *coord[8], *deriv[7];
} dof_names[] = {
    {"Vec1d", {"x", NULL}, {"vx", NULL}},
    {"Vec2d", {"x", "y", NULL}, {"vx", "vy", NULL}},
    {"Vec3d", {"x", "y", "z", NULL}, {"vx", "vy", "vz", NULL}},
    {"Rigid2d", {"x", "y", "angle", NULL}, {"vx", "vy", "w", NULL}},
    {"Rigid3d", {"x", "y", "z", "qx", "qy", "qz", "qw", NULL}, {"vx", "vy", "vz", "wx", "wy", "wz", NULL}},
};
static const char *const rest_names[] = {"X", "Y", "Z"};

static double last_of(const GArray *values)
{
    return values->len ? g_array_index(values, double, values->len - 1) : NAN;
}

/* ---- what a series is of ---- */

/* Variables of a point: t, i, coordinates, derivatives, the place at rest. */
static bool name_variables(const Watch *watch, Series *series)
{
    const char **name = series->names;
    *name++ = "t";
    *name++ = "i";
    for (size_t d = 0; d < G_N_ELEMENTS(dof_names); d++) {
        if (strcmp(dof_names[d].type, series->state.dof->name) != 0)
            continue;
        for (size_t k = 0; dof_names[d].coord[k]; k++)
            *name++ = dof_names[d].coord[k];
        for (size_t k = 0; dof_names[d].deriv[k]; k++)
            *name++ = dof_names[d].deriv[k];
        for (size_t k = 0; k < MIN(series->state.dof->coord, G_N_ELEMENTS(rest_names)); k++)
            *name++ = rest_names[k];
        *name = NULL;
        return true;
    }
    return problem_error(watch->run->problem, series->entry->line, "%s: points of type %s cannot be watched",
                         series->entry->name, series->state.dof->name);
}

static const double *rest_of(const Series *series)
{
    const DvConstVec rest = dv_state_read(series->state, DV_REST_POSITION);
    return rest.at && rest.count * rest.dim >= series->rest->len ? rest.at : (const double *)(void *)series->rest->data;
}

static void point_variables(const Series *series, double time, guint point, double variables[MAX_VARIABLES])
{
    const DvConstVec x = dv_state_read(series->state, DV_POSITION), v = dv_state_read(series->state, DV_VELOCITY);
    const double *rest = rest_of(series);
    double *out = variables;
    *out++ = time;
    *out++ = point;
    for (guint k = 0; k < x.dim; k++)
        *out++ = x.at[(size_t)point * x.dim + k];
    for (guint k = 0; k < v.dim; k++)
        *out++ = v.at ? v.at[(size_t)point * v.dim + k] : 0;
    for (guint k = 0; k < MIN(x.dim, G_N_ELEMENTS(rest_names)); k++)
        *out++ = rest[(size_t)point * x.dim + k];
}

static double point_value(const Series *series, double time, guint point)
{
    double variables[MAX_VARIABLES];
    point_variables(series, time, point, variables);
    return dv_formula_value(series->formula, variables);
}

/* The point that lies nearest to a place at rest. */
static guint nearest_point(const Series *series, const double place[3])
{
    const double *rest = rest_of(series);
    const guint dim = series->state.dof->coord, count = dv_state_count(series->state);
    guint nearest = 0;
    double least = INFINITY;
    for (guint point = 0; point < count; point++) {
        double square = 0;
        for (guint k = 0; k < MIN(dim, 3); k++)
            square += pow(rest[(size_t)point * dim + k] - place[k], 2);
        if (square < least) {
            least = square;
            nearest = point;
        }
    }
    return nearest;
}

static bool watch_error(const Watch *watch, const Series *series, const char *format, ...) G_GNUC_PRINTF(3, 4);

static bool watch_error(const Watch *watch, const Series *series, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    problem_error(watch->run->problem, series->entry->line, "%s: %s", series->entry->name, text);
    g_free(text);
    return false;
}

/* Numbers of the run, and of the series so far: series stand for their last value. */
static bool number_of_watch(void *watch_, const char *name, double *value, DvText *problem)
{
    Watch *watch = watch_;
    for (guint s = 0; s < watch->count; s++)
        if (strcmp(watch->series[s].entry->name, name) == 0) {
            *value = last_of(watch->series[s].values);
            return true;
        }
    return run_number(watch->run, name, value, problem);
}

/* "at (0, l, 0)" or "point 3": `text` is what stands between these words and " of ". */
static bool find_point(Watch *watch, Series *series, const char *text, bool is_place)
{
    const DvFormulaScope scope = {.constant = run_number, .context = watch->run};
    DvText problem = {0};
    char *inside = g_strdup(text);
    const size_t length = strlen(inside);
    if (is_place && length > 2 && inside[0] == '(' && inside[length - 1] == ')') {
        inside[length - 1] = '\0';
        memmove(inside, inside + 1, length - 1);
    }
    DvFormula *numbers = dv_formula_compile_list(inside, &scope, &problem);
    g_free(inside);
    if (!numbers) {
        watch_error(watch, series, "%s", problem.at);
        dv_text_free(&problem);
        return false;
    }
    double place[3] = {0};
    for (guint k = 0; k < MIN(dv_formula_count(numbers), 3); k++)
        place[k] = dv_formula_value_of(numbers, k, NULL);
    const guint given = dv_formula_count(numbers), wanted = is_place ? 3 : 1, count = dv_state_count(series->state);
    dv_formula_free(numbers);
    if (given != wanted)
        return watch_error(watch, series, "expected %u numbers in '%s'", wanted, text);
    if (!is_place && !(place[0] >= 0 && place[0] < count))
        return watch_error(watch, series, "point %g of a state of %u points", place[0], count);
    series->point = is_place ? nearest_point(series, place) : (guint)place[0];
    return true;
}

static bool compile_of_points(Watch *watch, Series *series, const char *text)
{
    const DvFormulaScope scope = {.variables = series->names, .constant = run_number, .context = watch->run};
    DvText problem = {0};
    series->formula = dv_formula_compile(text, &scope, &problem);
    if (!series->formula)
        watch_error(watch, series, "%s", problem.at);
    dv_text_free(&problem);
    return series->formula != NULL;
}

/* "/path: formula" */
static bool watch_state(Watch *watch, Series *series, const char *text, const char **formula)
{
    const char *colon = strchr(text, ':');
    if (!colon)
        return watch_error(watch, series, "expected ': formula' behind '%s'", text);
    char *path = g_strndup(text, (gsize)(colon - text));
    DvObject *object = dv_scene_object(watch->scene, g_strstrip(path));
    series->state = dv_state_ref(object);
    const bool good = series->state.ops && dv_state_count(series->state) > 0;
    if (!good)
        watch_error(watch, series, "%s is no state of the scene with points", path);
    g_free(path);
    if (!good)
        return false;
    const DvConstVec x = dv_state_read(series->state, DV_POSITION);
    g_array_append_vals(series->rest, x.at, x.count * x.dim);
    *formula = colon + 1;
    return name_variables(watch, series);
}

/* "at (0, l, 0) of /path: formula", "point 3 of /path: formula" */
static bool watch_point(Watch *watch, Series *series, const char *text, bool is_place)
{
    const char *of = strstr(text, " of "), *formula;
    if (!of)
        return watch_error(watch, series, "expected ' of /path: formula' behind '%s'", text);
    if (!watch_state(watch, series, of + strlen(" of "), &formula))
        return false;
    char *which = g_strndup(text, (gsize)(of - text));
    const bool found = find_point(watch, series, g_strstrip(which), is_place);
    g_free(which);
    return found && compile_of_points(watch, series, formula);
}

static bool watch_all_points(Watch *watch, Series *series, const char *text)
{
    const char *formula;
    return watch_state(watch, series, text, &formula) && compile_of_points(watch, series, formula);
}

/* "3 of /path.field" */
static bool watch_entry(Watch *watch, Series *series, const char *text)
{
    char *end;
    const guint64 index = g_ascii_strtoull(text, &end, 10);
    if (end == text || !g_str_has_prefix(end, " of "))
        return watch_error(watch, series, "expected a number, then ' of /path.field' in '%s'", text);
    series->field = dv_scene_field(watch->scene, end + strlen(" of "));
    size_t elements = 0, components = 0;
    if (series->field)
        dv_data_shape(series->field, &elements, &components);
    /* A list that is empty before the first step may be filled by then. */
    if (!series->field || (elements > 0 && index >= elements * components))
        return watch_error(watch, series, "%s has %zu numbers", end + strlen(" of "), elements * components);
    series->point = (guint)index;
    return true;
}

/* "2" */
static bool watch_frequency(Watch *watch, Series *series, const char *text)
{
    enum { MOST = 100 };
    gint64 number = 0;
    if (!g_ascii_string_to_signed(text, 10, 1, MOST, &number, NULL))
        return watch_error(watch, series, "expected the number of a mode, from 1 to %d, behind 'frequency'", MOST);
    series->constant = host_frequency(watch->scene, (uint32_t)number);
    return !isnan(series->constant) || watch_error(watch, series, "there is no frequency %d", (int)number);
}

static bool watch_formula(Watch *watch, Series *series)
{
    const DvFormulaScope scope = {.variables = series->names, .constant = run_number, .context = watch->run};
    DvText problem = {0};
    guint n = 0;
    series->names[n++] = "t";
    for (Series *earlier = watch->series; earlier < series && n + 1 < MAX_VARIABLES; earlier++)
        series->names[n++] = earlier->entry->name;
    series->names[n] = NULL;
    series->formula = dv_formula_compile(series->entry->text, &scope, &problem);
    if (!series->formula)
        watch_error(watch, series, "%s", problem.at);
    dv_text_free(&problem);
    return series->formula != NULL;
}

static bool open_series(Watch *watch, Series *series)
{
    static const struct {
        const char *word;
        Kind kind;
        guint point;
    } words[] = {
        {"kinetic energy", KINETIC, 0},
        {"potential energy", POTENTIAL, 0},
        {"energy", ENERGY, 0},
        {"momentum x", MOMENTUM, 0},
        {"momentum y", MOMENTUM, 1},
        {"momentum z", MOMENTUM, 2},
        {"angular momentum x", MOMENTUM, 3},
        {"angular momentum y", MOMENTUM, 4},
        {"angular momentum z", MOMENTUM, 5},
        {"largest over ", LARGEST, 0},
        {"smallest over ", SMALLEST, 0},
        {"sum over ", SUM, 0},
        {"mean over ", MEAN, 0},
        {"frequency ", FREQUENCY, 0},
        {"at ", POINT, 1},
        {"point ", POINT, 0},
        {"entry ", ENTRY, 0},
    };
    const char *text = series->entry->text;
    for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
        const size_t length = strlen(words[i].word);
        const bool has_more = words[i].word[length - 1] == ' ';
        if (has_more ? strncmp(text, words[i].word, length) != 0 : strcmp(text, words[i].word) != 0)
            continue;
        series->kind = words[i].kind;
        series->point = words[i].point;
        switch (words[i].kind) {
        case POINT:
            return watch_point(watch, series, text + length, words[i].point == 1);
        case ENTRY:
            return watch_entry(watch, series, text + length);
        case FREQUENCY:
            return watch_frequency(watch, series, text + length);
        case LARGEST:
        case SMALLEST:
        case SUM:
        case MEAN:
            return watch_all_points(watch, series, text + length);
        default:
            return true;
        }
    }
    return watch_formula(watch, series);
}

static bool open_watch(Watch *watch)
{
    const Section *section = problem_section(watch->run->problem, "watch", "");
    watch->ops = dv_service(DV_MECHANICAL_OPERATIONS);
    watch->mechanics = watch->ops ? watch->ops->open(dv_scene_root(watch->scene)) : NULL;
    for (guint i = 0; section && i < section->entries->len; i++) {
        Series *series = &watch->series[watch->count];
        series->entry = &g_array_index(section->entries, ProblemEntry, i);
        series->constant = NAN;
        if (watch->count == MAX_SERIES)
            return problem_error(watch->run->problem, series->entry->line, "more than %d series", MAX_SERIES);
        series->values = g_array_new(FALSE, FALSE, sizeof(double));
        series->rest = g_array_new(FALSE, FALSE, sizeof(double));
        watch->count++;
        if (!open_series(watch, series))
            return false;
    }
    return watch->mechanics ||
           problem_error(watch->run->problem, watch->run->problem->scene_line, "no plugin offers mechanics");
}

static void close_watch(Watch *watch)
{
    for (guint i = 0; i < watch->count; i++) {
        g_array_free(watch->series[i].values, TRUE);
        g_array_free(watch->series[i].rest, TRUE);
        dv_formula_free(watch->series[i].formula);
    }
    if (watch->mechanics)
        watch->ops->close(watch->mechanics);
}

/* ---- watching ---- */

static double over_points(const Series *series, double time)
{
    const guint count = dv_state_count(series->state);
    double sum = 0, largest = -INFINITY, smallest = INFINITY;
    for (guint point = 0; point < count; point++) {
        const double value = point_value(series, time, point);
        sum += value;
        largest = value > largest || isnan(value) ? value : largest;
        smallest = value < smallest || isnan(value) ? value : smallest;
    }
    return series->kind == LARGEST    ? largest
           : series->kind == SMALLEST ? smallest
           : series->kind == SUM      ? sum
                                      : sum / count;
}

static double number_of_field(const Series *series)
{
    size_t elements, components;
    dv_data_shape(series->field, &elements, &components);
    double *numbers = g_new(double, elements *components + 1);
    const DvStatus status = dv_data_get_numbers(series->field, numbers, elements * components);
    const double value = status == DV_OK && series->point < elements * components ? numbers[series->point] : NAN;
    g_free(numbers);
    return value;
}

static double series_value(const Watch *watch, const Series *series, double time)
{
    double variables[MAX_VARIABLES] = {time}, momentum[6] = {0};
    switch (series->kind) {
    case FORMULA:
        for (guint k = 1; series->names[k]; k++)
            variables[k] = last_of(watch->series[k - 1].values);
        return dv_formula_value(series->formula, variables);
    case POINT:
        return point_value(series, time, series->point);
    case ENTRY:
        return number_of_field(series);
    case FREQUENCY:
        return series->constant;
    case KINETIC:
        return watch->ops->kinetic_energy(watch->mechanics);
    case POTENTIAL:
        return watch->ops->potential_energy(watch->mechanics);
    case ENERGY:
        return watch->ops->kinetic_energy(watch->mechanics) + watch->ops->potential_energy(watch->mechanics);
    case MOMENTUM:
        watch->ops->momentum(watch->mechanics, momentum);
        return momentum[series->point];
    default:
        return over_points(series, time);
    }
}

static void observe(Watch *watch)
{
    const double time = dv_node_time(dv_scene_root(watch->scene));
    g_array_append_val(watch->times, time);
    for (guint i = 0; i < watch->count; i++) {
        const double value = series_value(watch, &watch->series[i], time);
        g_array_append_val(watch->series[i].values, value);
    }
}

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
    const DvFormulaScope scope = {.constant = number_of_watch, .of_name = function_of_series, .context = watch};
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
    observe(watch);
    for (int i = 0; i < (int)lround(steps); i++) {
        if (dv_scene_step(watch->scene, 0) != DV_OK)
            return false;
        observe(watch);
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
        outcome->good = open_watch(&watch) && make_steps(&watch) && compute_figures(&watch, outcome) &&
                        keep_curves(&watch, outcome);
        close_watch(&watch);
    }
    g_array_free(watch.times, TRUE);
    outcome->good &= dv_scene_end(watch.scene) == DV_OK;
    dv_log_set_handler(NULL, NULL);
}

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
