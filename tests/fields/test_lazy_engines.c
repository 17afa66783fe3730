/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Engines of all classes are lazy: after init one that nobody reads has not run; when an input changes it runs once, whoever reads how
 * many of its outputs, links to them and links of links. What the reference computes earlier stands in not_lazy.tsv.
 *
 * Scenes, attributes and other values of each input are the rows of fields.tsv. Runs are counted by putting a function in the place of
 * the class's `update`, so what counts is what the kernel calls.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include <divan/divan.h>

#include "field_rows.h"
#include "scene_text.h"

enum { READERS = 3 }; /* of each output: a link, a link to that, another link */

/* ---- counting ---- */

static DvStatus (*counted)(DvObject *object, void *self);
static unsigned runs;

static DvStatus count(DvObject *object, void *self)
{
    if (strcmp(dv_object_name(object), "it") == 0)
        runs++;
    return counted(object, self);
}

/* Classes are constant: the page is opened for a moment. */
static void put_update(const DvClass *cls, DvStatus (*update)(DvObject *object, void *self))
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), at = (uintptr_t)&cls->update, begin = at / page * page;
    const size_t length = at + sizeof cls->update - begin;
    assert_int_equal(mprotect((void *)begin, length, PROT_READ | PROT_WRITE), 0);
    memcpy((void *)at, &update, sizeof update);
    assert_int_equal(mprotect((void *)begin, length, PROT_READ), 0);
}

/* ---- tables ---- */

static Table fields, exceptions;

static int read_tables(void **state)
{
    find_folder();
    read_table(&fields, "fields.tsv");
    read_table(&exceptions, "not_lazy.tsv");
    return start_plugins(state);
}

static int drop_tables(void **state)
{
    free(fields.at), free(fields.text), free(exceptions.at), free(exceptions.text);
    return stop_plugins(state);
}

static bool is_output(const DvData *data)
{
    return (data->field->flags & DV_FIELD_OUTPUT) != 0;
}

/* Links to all outputs, in the root: what is read by others. */
typedef struct Readers {
    DvData *at[READERS * 64];
    size_t count;
} Readers;

static DvData *add_reader(DvObject *root, DvData *of, size_t number)
{
    char name[64];
    snprintf(name, sizeof name, "reader%zu", number);
    DvData *reader = dv_object_add_field(
        root, &(DvField){.name = name, .type = of->type, .choices = of->field->choices, .help = "reads an engine"});
    assert_non_null(reader);
    assert_int_equal(dv_data_link(reader, of), DV_OK);
    return reader;
}

static void add_readers(DvScene *scene, const DvObject *it, Readers *readers)
{
    DvObject *root = dv_node_object(dv_scene_root(scene));
    for (size_t i = 0; i < dv_object_field_count(it); i++) {
        DvData *output = dv_object_field_at(it, i);
        if (!is_output(output) || readers->count + READERS > sizeof readers->at / sizeof *readers->at)
            continue;
        DvData **at = readers->at + readers->count;
        for (int k = 0; k < READERS; k++)
            at[k] = add_reader(root, k == 1 ? at[0] : output, readers->count++);
    }
    assert_true(readers->count > 0);
}

/* What all readers see. Links of links are read first. */
static void read_all(const Readers *readers, DvText *out)
{
    for (size_t i = readers->count; i-- > 0;) {
        dv_data_print(readers->at[i], out);
        dv_text_add(out, "\n");
    }
}

static void just_read(const Readers *readers)
{
    for (size_t i = readers->count; i-- > 0;)
        (void)dv_data_read(readers->at[i]);
}

/* ---- claims ---- */

#define expect_runs(wanted, row, name, what)                                                                           \
    if (runs != (wanted))                                                                                              \
    fail_msg("%s, %s in %s.scn: ran %u times, not %u, %s", name, (row)->cell[FIELD], (row)->cell[SCENE], runs, wanted, \
             what)

static bool can_be_changed(const DvData *data, const Row *row)
{
    const uint32_t flags = data ? data->field->flags : 0;
    return flags & DV_FIELD_INPUT && !(flags & (DV_FIELD_AT_LOAD | DV_FIELD_OUTPUT)) && row->cell[SCENE][0] != '-' &&
           strcmp(row->cell[VALUE], "output") != 0 && row->cell[VALUE][0] != '@' && !strstr(row->cell[WITH], "$output");
}

static void is_lazy(const Row *row, const char *name, const char *field, bool at_init)
{
    runs = 0;
    DvScene *scene = load_row(row, name, "");
    DvObject *it = find_it(scene);
    Readers readers = {0};
    add_readers(scene, it, &readers);
    expect_runs(at_init ? 1u : 0u, row, name, "after init");
    just_read(&readers);
    expect_runs(1u, row, name, "when it is read");
    if (dv_data_set_text(dv_object_field(it, field), row->cell[VALUE]) == DV_OK) {
        expect_runs(1u, row, name, "when an input is changed and nobody reads");
        just_read(&readers);
        expect_runs(2u, row, name, "when an input is changed and many read");
        just_read(&readers);
        expect_runs(2u, row, name, "when it is read once more");
    }
    dv_scene_free(scene);
}

/* Each input that there is, those which a class adds for each of many inputs too: a change of it runs the engine once. */
static size_t each_input_counts(const Row *row, const char *name)
{
    runs = 0;
    DvScene *scene = load_row(row, name, "");
    DvObject *it = find_it(scene);
    Readers readers = {0};
    add_readers(scene, it, &readers);
    just_read(&readers);
    size_t inputs = 0;
    for (size_t i = 0; i < dv_object_field_count(it); i++) {
        DvData *input = dv_object_field_at(it, i);
        if (!(input->field->flags & DV_FIELD_INPUT))
            continue;
        runs = 0;
        dv_data_touch(input);
        expect_runs(0u, row, name, input->field->name);
        just_read(&readers);
        expect_runs(1u, row, name, input->field->name);
        inputs++;
    }
    dv_scene_free(scene);
    return inputs;
}

/* What computes at init and events alone gives the same until then, and at a reinit something else. */
static void waits(const Row *row, const char *name, const char *field, const char *with)
{
    for (int listens = 0; listens <= (*with ? 1 : 0); listens++) {
        runs = 0;
        DvScene *scene = load_row(row, name, listens ? with : "");
        DvObject *it = find_it(scene);
        Readers readers = {0};
        add_readers(scene, it, &readers);
        expect_runs(1u, row, name, "after init");
        DvText before = {0}, changed = {0}, after = {0};
        just_read(&readers);
        expect_runs(1u, row, name, "when it is read after init");
        assert_int_equal(dv_scene_step(scene, 0), DV_OK); /* so that states are elsewhere than at rest */
        assert_int_equal(dv_object_reinit(it), DV_OK);
        read_all(&readers, &before);
        assert_int_equal(dv_data_set_text(dv_object_field(it, field), row->cell[VALUE]), DV_OK);
        read_all(&readers, &changed);
        assert_string_equal(before.at, changed.at);
        assert_int_equal(listens ? dv_scene_step(scene, 0) : dv_object_reinit(it), DV_OK);
        read_all(&readers, &after);
        if (strcmp(before.at, after.at) == 0)
            fail_msg("%s, %s in %s.scn: %s does not compute it anew", name, field, row->cell[SCENE],
                     listens ? "a step" : "a reinit");
        dv_text_free(&before), dv_text_free(&changed), dv_text_free(&after);
        dv_scene_free(scene);
    }
}

static const Row *exception_of(const char *name)
{
    for (size_t i = 0; i < exceptions.count; i++)
        if (strcmp(exceptions.at[i].cell[CLASSES], name) == 0)
            return &exceptions.at[i];
    return NULL;
}

enum { WHEN = 1, IN_STEPS = 2 }; /* cells of not_lazy.tsv */

/* How many of its inputs were changed. */
static size_t try_class(const DvClass *cls)
{
    const Row *exception = exception_of(cls->name);
    const bool at_init = exception && strcmp(exception->cell[WHEN], "init") == 0;
    size_t tried = 0;
    counted = cls->update;
    put_update(cls, count);
    for (size_t i = 0; i < fields.count; i++) {
        const Row *row = &fields.at[i];
        if (!has_name(row->cell[CLASSES], cls->name) || row->cell[SCENE][0] == '-')
            continue;
        if (!exception || at_init) {
            const size_t inputs = each_input_counts(row, cls->name);
            tried = inputs > tried ? inputs : tried;
        }
        char names[1024], *rest = names;
        snprintf(names, sizeof names, "%s", row->cell[FIELD]);
        for (char *field; (field = strsep(&rest, ","));) {
            DvScene *scene = load_row(row, cls->name, "");
            const bool changes = can_be_changed(dv_object_field(find_it(scene), field), row);
            dv_scene_free(scene);
            if (!changes)
                continue;
            if (exception && !at_init)
                waits(row, cls->name, field, exception->cell[IN_STEPS]);
            else
                is_lazy(row, cls->name, field, at_init);
            tried += exception && !at_init;
        }
    }
    put_update(cls, counted);
    return tried;
}

static void engines_of_all_classes_run_when_they_are_read(void **state)
{
    (void)state;
    unsigned classes = 0, inputs = 0;
    for (size_t i = 0; i < dv_class_count(); i++) {
        const DvClass *cls = dv_class_at(i);
        if (!cls->update || !cls->family || strcmp(cls->family, "engines") != 0)
            continue;
        const size_t tried = try_class(cls);
        if (tried == 0)
            fail_msg("%s: no row of fields.tsv changes an input", cls->name);
        classes++;
        inputs += (unsigned)tried;
    }
    print_message("%u inputs of %u classes\n", inputs, classes);
    assert_true(classes > 40);
}

static void what_is_not_lazy_exists(void **state)
{
    (void)state;
    for (size_t i = 0; i < exceptions.count; i++)
        if (!dv_class_find(exceptions.at[i].cell[CLASSES]))
            fail_msg("not_lazy.tsv: there is no class %s", exceptions.at[i].cell[CLASSES]);
}

/* a <- b <- c, and d of a and c: each once for a change of a's input, however it is reached. */
static void chains_of_engines_run_once_each(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node name='root'><TransformEngine name='it' input_position='1 2 3' translation='1 0 0'/>"
        "<Node name='b'><TransformEngine name='it' input_position='@../it.output_position' translation='0 1 0'/></Node>"
        "<Node name='c'><TransformEngine name='it' input_position='@../b/it.output_position' translation='0 0 1'/></Node>"
        "<DifferenceEngine name='d' input='@c/it.output_position' substractor='@it.output_position'/></Node>");
    const DvClass *cls = dv_class_find("TransformEngine");
    counted = cls->update;
    put_update(cls, count);
    runs = 0;
    DvData *d = dv_object_field(scene_object(scene, "/d"), "output"),
           *c = dv_object_field(scene_object(scene, "/c/it"), "output_position");
    assert_true(dv_data_doubles(d, NULL)[1] == 1.0 && dv_data_doubles(c, NULL)[0] == 2.0);
    assert_int_equal(runs, 3);
    assert_int_equal(dv_data_set_text(dv_object_field(scene_object(scene, "/it"), "input_position"), "5 5 5"), DV_OK);
    assert_int_equal(runs, 3);
    assert_true(dv_data_doubles(c, NULL)[0] == 6.0 && dv_data_doubles(d, NULL)[2] == 1.0);
    assert_int_equal(runs, 6);
    put_update(cls, counted);
    dv_scene_free(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(engines_of_all_classes_run_when_they_are_read),
        cmocka_unit_test(what_is_not_lazy_exists),
        cmocka_unit_test(chains_of_engines_run_once_each),
    };
    return cmocka_run_group_tests(tests, read_tables, drop_tables);
}
