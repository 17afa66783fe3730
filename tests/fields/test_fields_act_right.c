/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Fields act by the right amount: where the effect of a field has a closed form, values.tsv says it (see its head), and it is
 * computed here from the formula and compared with what the scene does.
 */
#include <ctype.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <divan/contracts/mechanical_operations.h>
#include <divan/contracts/state.h>
#include <divan/divan.h>

#include "drawing.h"
#include <divan/kit/formula.h>

static char folder[1024];
static DvText failures;

/* NAN where the text is no formula. */
static double value_of(const char *text)
{
    DvText problem = {0};
    DvFormula *formula = dv_formula_compile(text, &(DvFormulaScope){0}, &problem);
    const double value = formula ? dv_formula_value(formula, NULL) : NAN;
    dv_formula_free(formula);
    dv_text_free(&problem);
    return value;
}

/* ---- the table ---- */

enum { MAX_BASES = 64, MAX_FIELDS = 512 };

static char *text_of_table;

static struct {
    const char *name, *scene;
} bases[MAX_BASES];
static size_t base_count;

static const char *proved[MAX_FIELDS]; /* "Class.field", each once */
static size_t proved_count;

static char *next_cell(char **line)
{
    char *cell = *line, *tab = strchr(cell, '\t');
    *line = tab ? tab + 1 : cell + strlen(cell);
    if (tab)
        *tab = 0;
    return cell;
}

static int start(void **state)
{
    (void)state;
    const char *root = getenv("DIVAN_TEST_SOURCE_ROOT");
    snprintf(folder, sizeof folder, "%s/tests/fields", root ? root : ".");
    return dv_start(NULL) == DV_OK ? 0 : -1;
}

static int stop(void **state)
{
    (void)state;
    free(text_of_table);
    dv_text_free(&failures);
    dv_stop();
    return 0;
}

static char *read_table(void)
{
    char path[2048];
    snprintf(path, sizeof path, "%s/values.tsv", folder);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    const long size = ftell(file);
    assert_true(size > 0);
    rewind(file);
    char *text = calloc((size_t)size + 1, 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, (size_t)size, file), size);
    fclose(file);
    return text;
}

static const char *base_named(const char *name)
{
    for (size_t i = 0; i < base_count; i++)
        if (strcmp(bases[i].name, name) == 0)
            return bases[i].scene;
    return NULL;
}

/* ---- what is drawn ---- */

typedef enum Numbers { RADII = DRAWN_KINDS, COLORS, SIZES, NUMBERS } Numbers;

enum { MAX_NUMBERS = 1000 };

typedef struct Drawing {
    size_t count[NUMBERS];
    double at[NUMBERS][MAX_NUMBERS];
} Drawing;

static void keep(Drawing *drawing, uint32_t kind, const double *at, size_t count)
{
    for (size_t i = 0; i < count && drawing->count[kind] < MAX_NUMBERS; i++)
        drawing->at[kind][drawing->count[kind]++] = at[i];
}

/* Of texts, their numbers. */
static void keep_batch(void *context, const DrawnBatch *batch)
{
    Drawing *drawing = context;
    for (uint32_t i = 0; batch->texts && i < batch->count; i++)
        keep(drawing, DRAWN_TEXTS, &(const double){strtod(batch->texts[i], NULL)}, 1);
    keep(drawing, batch->texts ? DRAWN_POINTS : batch->kind, batch->points, batch->numbers);
    keep(drawing, RADII, batch->radii, batch->radii ? batch->count : 0);
    keep(drawing, COLORS, batch->colors, 4 * batch->color_count);
    keep(drawing, SIZES, &batch->size, batch->size > 0.0);
}

static const char *name_of_numbers(uint32_t kind)
{
    static const char *const names[] = {"radii", "colors", "sizes"};
    return kind < DRAWN_KINDS ? drawn_kinds[kind] : names[kind - DRAWN_KINDS];
}

/* What the triangles enclose, by the divergence theorem, or their area. */
static double enclosed(const double *at, size_t numbers, bool area)
{
    double sum = 0.0;
    for (size_t t = 0; t + 9 <= numbers; t += 9) {
        const double *a = at + t, *b = a + 3, *c = a + 6;
        double square = 0.0;
        for (size_t k = 0; k < 3; k++) {
            const size_t i = (k + 1) % 3, j = (k + 2) % 3;
            const double normal = (b[i] - a[i]) * (c[j] - a[j]) - (b[j] - a[j]) * (c[i] - a[i]);
            square += normal * normal;
            sum += area ? 0.0 : a[k] * normal / 6.0;
        }
        sum += area ? 0.5 * sqrt(square) : 0.0;
    }
    return sum;
}

/* "triangles 4", "lines count", "triangles volume", "triangles area", "colors sum" */
static double drawn(DvObject *object, const char *kind, const char *which)
{
    static Drawing drawing;
    drawing = (Drawing){0};
    DrawRecorder recorder = draw_recorder(UINT32_MAX, keep_batch, &drawing);
    if (!dv_object_ops(object, DV_DRAWABLE))
        return NAN;
    record_drawing_of(&recorder, object);
    for (uint32_t p = 0; p < NUMBERS; p++) {
        if (strcmp(name_of_numbers(p), kind) != 0)
            continue;
        const size_t count = drawing.count[p], index = (size_t)atoi(which);
        if (strcmp(which, "count") == 0)
            return (double)count;
        if (strcmp(which, "volume") == 0 || strcmp(which, "area") == 0)
            return enclosed(drawing.at[p], count, *which == 'a');
        return index < count ? drawing.at[p][index] : NAN;
    }
    return NAN;
}

/* A number of a field, "/dofs.velocity 3", how many it has, "/box.indices count", what is drawn, "/dofs draws lines 3", or
 * "energy kinetic", "energy potential", "momentum 2". NAN where there is none. */
static double observed(DvScene *scene, const char *what)
{
    char path[256] = "@", field[64], which[32];
    DvNode *root = dv_scene_root(scene);
    if (sscanf(what, "energy %31s", which) == 1 || sscanf(what, "momentum %31s", which) == 1) {
        const DvMechanicalOperationsOps *ops = dv_service(DV_MECHANICAL_OPERATIONS);
        DvMechanics *mechanics = ops->open(root);
        double momentum[6] = {0};
        ops->momentum(mechanics, momentum);
        const double energy =
            strcmp(which, "kinetic") == 0 ? ops->kinetic_energy(mechanics) : ops->potential_energy(mechanics);
        ops->close(mechanics);
        return isdigit((unsigned char)*which) ? momentum[atoi(which) % 6] : energy;
    }
    if (sscanf(what, "%200s draws %60s %31s", path + 1, field, which) == 3) {
        DvObject *object = dv_node_resolve(root, NULL, path, NULL);
        return object ? drawn(object, field, which) : NAN;
    }
    if (sscanf(what, "%200[^.].%60s %31s", path + 1, field, which) != 3)
        return NAN;
    DvObject *object = dv_node_resolve(root, NULL, path, NULL);
    DvData *data = object ? dv_object_field(object, field) : NULL;
    if (!data)
        return NAN;
    (void)dv_data_read(data);
    if (strcmp(which, "count") == 0)
        return (double)data->count;
    DvText text = {0};
    dv_data_print(data, &text);
    const char *at = text.at ? text.at : "";
    for (int skip = atoi(which); skip > 0 && *at; skip--) { /* words between blanks and brackets */
        at += strcspn(at, " ,[]");
        at += strspn(at, " ,[]");
    }
    at += strspn(at, " ,[]");
    char *end;
    double value = strtod(at, &end);
    if (end == at)
        value = strncmp(at, "true", 4) == 0 ? 1.0 : NAN;
    dv_text_free(&text);
    return value;
}

static void hear(const DvMessage *message, void *context)
{
    if (message->level >= DV_LEVEL_WARNING)
        dv_text_add(context, " %s", message->text);
}

static void check_row(int line, const char *fields, const char *base, const char *objects, int steps, const char *what,
                      const char *formula)
{
    const char *scene_text = base_named(base), *gap = scene_text ? strstr(scene_text, "...") : NULL;
    if (!gap) {
        dv_text_add(&failures, "\nvalues.tsv:%d: there is no scene '%s' with a gap '...'", line, base);
        return;
    }
    DvText text = {0}, messages = {0};
    dv_text_add(&text, "%.*s%s%s", (int)(gap - scene_text), scene_text, objects, gap + 3);
    dv_log_set_handler(hear, &messages);
    DvScene *scene = NULL;
    bool runs = dv_scene_load_text(text.at, strlen(text.at), "scene.scn", folder, NULL, &scene) == DV_OK && scene;
    for (int i = 0; runs && i < steps; i++)
        runs = dv_scene_step(scene, 0) == DV_OK;
    if (runs)
        dv_scene_update_visual(scene);
    const double value = runs ? observed(scene, what) : NAN, expected = value_of(formula);
    if (!runs || messages.length)
        dv_text_add(&failures, "\nvalues.tsv:%d: %s: %s:%s", line, fields, runs ? "warnings" : "the scene does not run",
                    messages.at ? messages.at : "");
    else if (!(fabs(value - expected) <= 1e-12 + 1e-11 * fabs(expected)))
        dv_text_add(&failures, "\nvalues.tsv:%d: %s: %s is %.15g instead of %s = %.15g", line, fields, what, value,
                    formula, expected);
    dv_scene_free(scene);
    dv_log_set_handler(NULL, NULL);
    dv_text_free(&text);
    dv_text_free(&messages);
}

/* Notes "Class.field", which must exist and be given in the row's scene. */
static void note_field(int line, char *name, const char *base, const char *objects)
{
    char *dot = strchr(name, '.');
    const char *scene = base_named(base);
    char attribute[80];
    snprintf(attribute, sizeof attribute, "%s=\"", dot ? dot + 1 : "?");
    if (!dot || !scene || (!strstr(objects, attribute) && !strstr(scene, attribute))) {
        dv_text_add(&failures, "\nvalues.tsv:%d: the scene does not set %s", line, name);
        return;
    }
    *dot = 0;
    const DvClass *cls = dv_class_find(name);
    const bool named = strcmp(name, "Node") == 0 || (cls && (strstr(objects, name) || strstr(scene, name)));
    bool found = strcmp(name, "Node") == 0;
    for (const DvField *field = cls ? cls->fields : NULL; field && field->name && !found; field++)
        found = strcmp(field->name, dot + 1) == 0;
    *dot = '.';
    if (!named || !found) {
        dv_text_add(&failures, "\nvalues.tsv:%d: no field %s", line, name);
        return;
    }
    for (size_t i = 0; i < proved_count; i++)
        if (strcmp(proved[i], name) == 0)
            return;
    assert_true(proved_count < MAX_FIELDS);
    proved[proved_count++] = name;
}

static void each_row_of_the_table_holds(void **state)
{
    (void)state;
    text_of_table = read_table();
    int number = 0;
    for (char *line = text_of_table, *end; *line; line = end) {
        number++;
        end = strchr(line, '\n');
        if (end)
            *end++ = 0;
        else
            end = line + strlen(line);
        if (!*line || *line == '#')
            continue;
        char *fields = next_cell(&line), *base = next_cell(&line);
        if (*fields == '=') {
            assert_true(base_count < MAX_BASES);
            bases[base_count].name = fields + 1;
            bases[base_count++].scene = base;
            continue;
        }
        const char *objects = next_cell(&line), *steps = next_cell(&line), *what = next_cell(&line);
        check_row(number, fields, base, objects, atoi(steps), what, next_cell(&line));
        for (char *name = strtok(fields, " "); name; name = strtok(NULL, " "))
            note_field(number, name, base, objects);
    }
    if (failures.length) {
        puts(failures.at);
        fail_msg("some fields act by another amount");
    }
}

static void the_fields_that_scenes_use_most_are_there(void **state)
{
    (void)state;
    print_message("%zu fields\n", proved_count);
    assert_true(proved_count >= 80);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_row_of_the_table_holds),
        cmocka_unit_test(the_fields_that_scenes_use_most_are_there),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
