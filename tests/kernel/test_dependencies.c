/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Dependencies: what making them costs, counted in fields looked at; what is said of circles.
 */
#include "capture.h"

#include <dlfcn.h>

#include "test_classes.h"

static DvScene *scene;

/* The kernel remembers each field that it looks at in a table of GLib: this one counts them, and hands on. */
int g_hash_table_insert(void *table, void *key, void *value);
static size_t looked_at;

int g_hash_table_insert(void *table, void *key, void *value)
{
    int (*next)(void *, void *, void *);
    *(void **)&next = dlsym(RTLD_NEXT, "g_hash_table_insert");
    looked_at++;
    return next(table, key, value);
}

static DvObject *make(const char *class_name, const char *name)
{
    DvObject *object = NULL;
    assert_int_equal(dv_object_new(dv_scene_root(scene), class_name, &object, "name", name, NULL), DV_OK);
    return object;
}

static DvData *field(DvObject *object, const char *name)
{
    DvData *data = dv_object_field(object, name);
    assert_non_null(data);
    return data;
}

enum { MANY = 4000 };
/* GLib keeps names for ever, and counts as a leak what it had for fewer than 2,048 of them. */
enum { FIELDS = 1000 };

/* The number of the link made as the i-th: a chain from its beginning, from its end, every other one first. */
static unsigned in_order(unsigned i)
{
    return i;
}

static unsigned backwards(unsigned i)
{
    return MANY - 1 - i;
}

static unsigned every_other_one(unsigned i)
{
    return i < MANY / 2 ? 2 * i : 2 * (i - MANY / 2) + 1;
}

/* Outwards from the middle. */
static unsigned from_the_middle(unsigned i)
{
    return i % 2 ? MANY / 2 - 1 - i / 2 : MANY / 2 + i / 2;
}

/* How many fields are looked at when engine after engine takes the sum of the one before. */
static size_t cost_of_chain(unsigned (*order)(unsigned))
{
    static DvObject *engines[MANY + 1];
    scene = dv_scene_new();
    for (unsigned i = 0; i <= MANY; i++)
        engines[i] = make("SumEngine", "engine");
    looked_at = 0;
    for (unsigned i = 0; i < MANY; i++) {
        const unsigned k = order(i);
        assert_int_equal(dv_data_link(field(engines[k + 1], "factor"), field(engines[k], "sum")), DV_OK);
    }
    const size_t cost = looked_at;
    assert_int_equal(dv_data_link(field(engines[0], "factor"), field(engines[MANY], "sum")), DV_ERROR_CYCLE);
    dv_text_free(&captured);
    dv_scene_free(scene);
    return cost;
}

/* Three outputs and a factor an engine: a handful of fields a link from an end. In pieces that grow together, each is looked at once for
 * each doubling of the piece that it is in, log2(4000) = 12 times. */
static void a_chain_costs_the_same_for_each_link_in_whatever_order_it_is_made(void **state)
{
    (void)state;
    assert_in_range(cost_of_chain(in_order), 1, 20 * MANY);
    assert_in_range(cost_of_chain(backwards), 1, 20 * MANY);
    assert_in_range(cost_of_chain(every_other_one), 1, 40 * MANY);
    assert_in_range(cost_of_chain(from_the_middle), 1, 20 * MANY);
}

/* Each takes two before it: there are as many ways through as Fibonacci's numbers say. */
static void fields_that_are_reached_in_many_ways_are_looked_at_once(void **state)
{
    (void)state;
    static DvData *fields[FIELDS];
    scene = dv_scene_new();
    DvObject *object = make("Recorder", "a");
    for (unsigned i = 0; i < FIELDS; i++) {
        char name[16];
        snprintf(name, sizeof name, "f%u", i);
        fields[i] = dv_object_add_field(object, &(DvField){.name = name, .type = &dv_type_double});
    }
    looked_at = 0;
    for (unsigned i = 1; i < FIELDS; i++)
        for (unsigned k = i < 2 ? 1 : 2; k > 0; k--)
            assert_int_equal(dv_data_depend(fields[i], fields[i - k]), DV_OK);
    assert_in_range(looked_at, 0, 20 * FIELDS);
    looked_at = 0;
    assert_int_equal(dv_data_depend(fields[0], fields[FIELDS - 1]), DV_ERROR_CYCLE);
    assert_in_range(looked_at, FIELDS, 4 * FIELDS);
    dv_text_free(&captured);
    dv_scene_free(scene);
}

static void a_circle_names_all_its_fields_and_where_it_opens(void **state)
{
    (void)state;
    scene = dv_scene_new();
    DvObject *a = make("SumEngine", "a"), *b = make("SumEngine", "b");
    assert_int_equal(dv_data_link(field(b, "factor"), field(a, "sum")), DV_OK);
    assert_int_equal(dv_data_link(field(a, "factor"), field(b, "twice")), DV_ERROR_CYCLE);
    expect_messages(
        "error: SumEngine 'a': factor: '@/a.factor' cannot follow '@/b.twice', which itself depends on it: "
        "'@/a.factor' (SumEngine) -> '@/a.sum' (SumEngine) -> '@/b.factor' (SumEngine) -> '@/b.twice' "
        "(SumEngine) -> '@/a.factor' (SumEngine); the cycle ends when '@/a.factor' or '@/b.factor' is given "
        "another value");
    assert_int_equal(dv_data_depend(field(a, "factor"), field(a, "sum")), DV_ERROR_CYCLE);
    expect_messages(
        "error: SumEngine 'a': factor: '@/a.factor' cannot be computed from '@/a.sum', which itself depends "
        "on it: '@/a.factor' (SumEngine) -> '@/a.sum' (SumEngine) -> '@/a.factor' (SumEngine); the cycle ends when "
        "one of these components goes");
    dv_scene_free(scene);
}

/* Of very many, those in the middle are counted: 8,002 fields. */
static void a_long_circle_is_said_in_a_line_that_can_be_read(void **state)
{
    (void)state;
    scene = dv_scene_new();
    DvObject *last = make("SumEngine", "first"), *first = last;
    for (unsigned i = 0; i < MANY; i++) {
        DvObject *next = make("SumEngine", "next");
        assert_int_equal(dv_data_link(field(next, "factor"), field(last, "sum")), DV_OK);
        last = next;
    }
    assert_int_equal(dv_data_link(field(first, "factor"), field(last, "sum")), DV_ERROR_CYCLE);
    assert_non_null(strstr(captured.at, "'@/first.factor' (SumEngine) -> '@/first.sum' (SumEngine) -> "));
    assert_non_null(strstr(captured.at, " -> ... 7978 more ... -> "));
    assert_in_range(captured.length, 500, 4000);
    dv_text_free(&captured);
    dv_scene_free(scene);
}

static int setup(void **state)
{
    (void)state;
    dv_log_set_handler(capture, NULL);
    const char *const plugins[] = {built("tests/kernel/plugins/test-classes.so"), NULL};
    return dv_start(&(DvStartOptions){.plugins = plugins, .only_given = true}) == DV_OK ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    dv_stop();
    dv_log_set_handler(NULL, NULL);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_costs_the_same_for_each_link_in_whatever_order_it_is_made),
        cmocka_unit_test(fields_that_are_reached_in_many_ways_are_looked_at_once),
        cmocka_unit_test(a_circle_names_all_its_fields_and_where_it_opens),
        cmocka_unit_test(a_long_circle_is_said_in_a_line_that_can_be_read),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
