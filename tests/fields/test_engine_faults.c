/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Engines of all classes and inputs that are wrong: each input, in the scene of its row of fields.tsv, gets an empty list, one entry
 * fewer, one more, numbers that are 0, negative, tiny and huge, indices beyond everything. Nothing crashes or hangs; an output that is
 * not finite does not come in silence, nor an index of something that is not there: a message names the object.
 */
#include <math.h>

#include "field_rows.h"
#include "scene_text.h"

static Table fields, allowed;
static unsigned failures, tried;

/* What may be silent: classes, field, fault, why. */
static const char allowed_file[] = "engine_faults.tsv";

/* ---- what is said ---- */

static DvText said;
static bool of_it; /* a message of the object */

static void keep(const DvMessage *message, void *context)
{
    (void)context;
    if (message->level < DV_LEVEL_WARNING)
        return;
    of_it = of_it || (message->name && strcmp(message->name, "it") == 0);
    dv_message_print(message, &said);
    dv_text_add(&said, "\n");
}

static void forget(void)
{
    said.length = 0;
    of_it = false;
}

/* ---- faults ---- */

typedef enum Fault { EMPTY, FEWER, MORE, ZERO, NEGATIVE, TINY, HUGE_NUMBERS, BEYOND, ONE_HUGE, FAULTS } Fault;
static const char *const fault_names[FAULTS] = {"empty", "fewer", "more",   "zero",    "negative",
                                                "tiny",  "huge",  "beyond", "one huge"};

/* The value of the field with a fault; false: the field cannot have it. */
static bool spoil(const DvData *data, const char *value, Fault fault, DvText *out)
{
    const DvType *type = data->type;
    const bool real = type->scalar == DV_SCALAR_DOUBLE,
               whole = type->scalar == DV_SCALAR_INT || type->scalar == DV_SCALAR_UINT;
    if ((!real && !whole) || (!type->list && fault <= MORE) || (fault == TINY && !real) ||
        (fault == ONE_HUGE && whole && !type->list) || strpbrk(value, "[@"))
        return false;
    char copy[4096], *rest = copy, *words[512];
    size_t count = 0;
    snprintf(copy, sizeof copy, "%s", value);
    for (char *word; (word = strsep(&rest, " \n,")) && count < 500;)
        if (*word)
            words[count++] = word;
    const size_t each = type->components ? type->components : 1;
    if (count < each && fault != EMPTY)
        return false;
    if (fault == EMPTY)
        return true;
    if (fault == FEWER)
        count -= each;
    if (fault == MORE)
        for (size_t i = 0; i < each; i++)
            words[count + i] = words[i];
    count += fault == MORE ? each : 0;
    for (size_t i = 0; i < count; i++) {
        static const char *const by[FAULTS] = {[ZERO] = "0", [TINY] = "1e-200", [HUGE_NUMBERS] = "1e200"};
        const char *word = by[fault] ? by[fault] : words[i];
        char number[64];
        if (whole && fault == HUGE_NUMBERS)
            word = "2147483647";
        if (fault == BEYOND)
            word = real ? "-1e308" : "4000000000";
        if (fault == BEYOND && type->scalar == DV_SCALAR_INT)
            word = "-2147483648";
        if (fault == ONE_HUGE)
            word = i > 0 ? words[i] : real ? "1e300" : "100000";
        if (fault == NEGATIVE && type->scalar != DV_SCALAR_UINT) {
            snprintf(number, sizeof number, "-%s", words[i][0] == '-' ? words[i] + 1 : words[i]);
            word = number;
        }
        dv_text_add(out, "%s%s", i ? " " : "", word);
    }
    return count > 0;
}

/* ---- outputs ---- */

static bool is_finite(DvObject *it, DvText *which)
{
    bool finite = true;
    for (size_t i = 0; i < dv_object_field_count(it); i++) {
        DvData *data = dv_object_field_at(it, i);
        if (!(data->field->flags & DV_FIELD_OUTPUT))
            continue;
        const double *at = dv_data_read(data);
        if (data->type->scalar != DV_SCALAR_DOUBLE || !at)
            continue;
        bool good = true;
        for (size_t k = 0; k < data->count * data->type->components; k++)
            good = good && isfinite(at[k]);
        if (!good)
            dv_text_add(which, " %s", data->field->name);
        finite = finite && good;
    }
    return finite;
}

static bool may_be_silent(const char *name, const char *field, const char *fault)
{
    for (size_t i = 0; i < allowed.count; i++)
        if (has_name(allowed.at[i].cell[CLASSES], name) && has_name(allowed.at[i].cell[FIELD], field) &&
            has_name(allowed.at[i].cell[SCENE], fault))
            return true;
    return false;
}

/* Given in the scene; `later`: written into a list afterwards. */
static void try_fault(const Row *row, const char *name, const DvData *data, const char *value, Fault fault, bool later)
{
    const char *const field = data->field->name;
    DvText text = {0}, with = {0}, which = {0};
    if (spoil(data, value, fault, &text)) {
        const char *const wrong = text.at ? text.at : "";
        if (getenv("DIVAN_TEST_SHOW"))
            print_error("%s %s %s %s\n", name, field, fault_names[fault], wrong);
        tried++;
        dv_text_add(&with, "%s=\"%s\"", field, wrong);
        DvScene *scene;
        forget();
        DvStatus status = try_row(row, name, later ? "" : with.at, &scene);
        bool finite = true;
        if (status == DV_OK) {
            DvObject *it = find_it(scene);
            if (later && (status = dv_data_set_text(dv_object_field(it, field), wrong)) == DV_OK)
                status = dv_object_reinit(it);
            finite = is_finite(it, &which);
        }
        const bool silent = status == DV_OK && !of_it,
                   index = fault == BEYOND && data->type->scalar == DV_SCALAR_UINT && data->type->list;
        if (silent && (!finite || index) && !may_be_silent(name, field, fault_names[fault])) {
            print_error("%s\t%s\t%s: silent (%s)%s%s; in %s.scn\n", name, field, fault_names[fault], wrong,
                        finite ? "" : " and not finite:", finite ? "" : which.at, row->cell[SCENE]);
            failures++;
        }
        dv_scene_free(scene);
    }
    dv_text_free(&text), dv_text_free(&with), dv_text_free(&which);
}

static void try_class(const DvClass *cls)
{
    for (size_t i = 0; i < fields.count; i++) {
        const Row *row = &fields.at[i];
        if (!has_name(row->cell[CLASSES], cls->name) || row->cell[SCENE][0] == '-' ||
            strcmp(row->cell[VALUE], "output") == 0)
            continue;
        char names[1024], *rest = names;
        snprintf(names, sizeof names, "%s", row->cell[FIELD]);
        for (char *field; (field = strsep(&rest, ","));) {
            DvScene *scene = load_row(row, cls->name, "");
            DvData *data = dv_object_field(find_it(scene), field);
            const uint32_t flags = data ? data->field->flags : 0;
            DvText value = {0};
            if (flags & DV_FIELD_INPUT && !(flags & (DV_FIELD_AT_LOAD | DV_FIELD_OUTPUT))) {
                dv_data_print(data, &value);
                for (Fault fault = EMPTY; fault < FAULTS; fault++) {
                    try_fault(row, cls->name, data, row->cell[VALUE], fault, false);
                    if (value.at && fault != EMPTY)
                        try_fault(row, cls->name, data, value.at, fault, false);
                    if (data->type->list)
                        try_fault(row, cls->name, data, row->cell[VALUE], fault, true);
                }
            }
            dv_text_free(&value);
            dv_scene_free(scene);
        }
    }
}

static void wrong_inputs_are_told(void **state)
{
    (void)state;
    const char *const only = getenv("DIVAN_TEST_CLASS");
    for (size_t i = 0; i < dv_class_count(); i++) {
        const DvClass *cls = dv_class_at(i);
        if (cls->update && cls->family && strcmp(cls->family, "engines") == 0 &&
            (!only || strcmp(only, cls->name) == 0))
            try_class(cls);
    }
    print_message("%u wrong inputs\n", tried);
    assert_int_equal(failures, 0);
}

static int read_tables(void **state)
{
    find_folder();
    dv_log_set_handler(keep, NULL);
    read_table(&fields, "fields.tsv");
    read_table(&allowed, allowed_file);
    return start_plugins(state);
}

static int drop_tables(void **state)
{
    free(fields.at), free(fields.text), free(allowed.at), free(allowed.text);
    dv_text_free(&said);
    return stop_plugins(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_inputs_are_told),
    };
    return cmocka_run_group_tests(tests, read_tables, drop_tables);
}
