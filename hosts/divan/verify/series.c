/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Series: what each is of, and its values as the run goes on.
 */
#include "series.h"
#include "host.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <divan/embed.h>

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

bool watch_number(void *watch_, const char *name, double *value, DvText *problem)
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

bool watch_open(Watch *watch)
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

void watch_close(Watch *watch)
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

void watch_observe(Watch *watch)
{
    const double time = dv_node_time(dv_scene_root(watch->scene));
    g_array_append_val(watch->times, time);
    for (guint i = 0; i < watch->count; i++) {
        const double value = series_value(watch, &watch->series[i], time);
        g_array_append_val(watch->series[i].values, value);
    }
}
