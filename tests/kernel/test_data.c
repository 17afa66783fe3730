/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Data: values shared until written, followers and engines that compute when they are read, and never more than once.
 */
#include "capture.h"

#include <math.h>
#include <sys/mman.h>

#include "test_classes.h"

static DvScene *scene;
static const TestCounters *counters;

static DvNode *root(void)
{
    return dv_scene_root(scene);
}

static DvData *added(DvObject *object, const char *name, const DvType *type, const char *text)
{
    DvData *data = dv_object_add_field(object, &(DvField){.name = name, .type = type, .init = text});
    assert_non_null(data);
    return data;
}

/* A new object of a class of the test plugin. */
static DvObject *make(const char *class_name, const char *name)
{
    DvObject *object = NULL;
    assert_int_equal(dv_object_new(root(), class_name, &object, "name", name, NULL), DV_OK);
    return object;
}

static DvData *field(DvObject *object, const char *name)
{
    DvData *data = dv_object_field(object, name);
    assert_non_null(data);
    return data;
}

static void objects_share_their_defaults_until_one_is_written(void **state)
{
    (void)state;
    DvData *a = field(make("Recorder", "a"), "value"), *b = field(make("Recorder", "b"), "value");
    assert_ptr_equal(a->value, b->value);
    assert_false(dv_data_is_set(a));
    dv_data_set_int(a, 8);
    assert_true(dv_data_is_set(a));
    assert_int_equal(dv_data_int(a), 8);
    assert_int_equal(dv_data_int(b), 7);
}

typedef struct Twin {
    DvType type;
    const char *choices[2];
} Twin;

/* Two of them, 4 GiB apart: pointers into both have one hash of 32 bits. They stay, since the table of defaults keeps them. */
static void map_twins(Twin *twins[2])
{
    const size_t apart = (size_t)4 << 30, room = 1 << 16;
    char *low = mmap(NULL, apart + room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_true(low != MAP_FAILED);
    assert_int_equal(mprotect(low, room, PROT_READ | PROT_WRITE), 0);
    assert_int_equal(mprotect(low + apart, room, PROT_READ | PROT_WRITE), 0);
    twins[0] = (Twin *)low;
    twins[1] = (Twin *)(low + apart);
    *twins[0] = (Twin){dv_type_double, {"one", NULL}};
    *twins[1] = (Twin){dv_type_bool, {"two", NULL}};
}

static void defaults_whose_hashes_collide_stay_apart(void **state)
{
    (void)state;
    Twin *twins[2];
    map_twins(twins);
    const struct {
        DvField field;
        const char *printed;
    } cases[] = {
        {{.name = "double", .type = &twins[0]->type, .init = "1"}, "1"},
        {{.name = "bool", .type = &twins[1]->type, .init = "1"}, "true"},
        {{.name = "choiceOfOne", .type = &dv_type_choice, .choices = twins[0]->choices}, "one"},
        {{.name = "choiceOfTwo", .type = &dv_type_choice, .choices = twins[1]->choices}, "two"},
        {{.name = "text", .type = &dv_type_string, .init = "1Q"}, "1Q"},
        {{.name = "other", .type = &dv_type_string, .init = "20"}, "20"}, /* 33 '1' + 'Q' = 33 '2' + '0' */
    };
    DvObject *object = make("Recorder", "a");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        DvText text = {0};
        dv_data_print(dv_object_add_field(object, &cases[i].field), &text);
        assert_string_equal(text.at, cases[i].printed);
        dv_text_free(&text);
    }
}

static DvStatus refuse_silently(const DvType *type, const char *text, void **elements, size_t *count, DvText *problem)
{
    (void)type, (void)text, (void)elements, (void)count, (void)problem;
    return DV_ERROR_INVALID;
}

static void a_type_that_does_not_say_what_is_wrong_is_reported_all_the_same(void **state)
{
    (void)state;
    static const DvType word = {.size = sizeof(DvType),
                                .name = "word",
                                .scalar = DV_SCALAR_STRING,
                                .components = 1,
                                .element_size = sizeof(char *),
                                .parse = refuse_silently};
    DvData *data = added(make("Recorder", "a"), "word", &word, "x");
    expect_messages("error: Recorder 'a': word: the default of the class cannot be read");
    assert_string_equal(dv_data_string(data), "");
    assert_int_equal(dv_data_set_text(data, "y"), DV_ERROR_INVALID);
    expect_messages("warning: Recorder 'a': word: the text cannot be read"); /* nothing is used that could be shown */
    assert_string_equal(dv_data_string(data), "");
}

static void a_long_value_is_not_repeated_in_a_message(void **state)
{
    (void)state;
    DvData *data = added(make("Recorder", "a"), "frame", &dv_type_vec6d, "1 2 3 4 5 6");
    (void)dv_data_set_text(data, "1 2 3 4 5 x");
    assert_non_null(captured.at);
    assert_non_null(strstr(captured.at, " (1 2 3 4 5 "));
    dv_text_free(&captured);
    (void)dv_data_set_text(data, "0.12345678901234 0.12345678901234 0.12345678901234 0.12345678901234 5 x");
    assert_non_null(captured.at);
    assert_null(strstr(captured.at, "is used"));
    dv_text_free(&captured);
    assert_true(dv_data_doubles(data, NULL)[0] == 0.12345678901234);
}

static void values_start_at_a_cache_line(void **state)
{
    (void)state;
    DvData *data = added(make("Recorder", "a"), "more", &dv_type_vec3s, "1 2 3");
    assert_int_equal((uintptr_t)data->value % 64, 0);
    assert_int_equal((uintptr_t)dv_data_begin(data, 100) % 64, 0);
    dv_data_end(data);
}

static void writing_in_brackets_keeps_old_elements_and_blanks_new_ones(void **state)
{
    (void)state;
    DvData *frames = added(make("Recorder", "a"), "frames", &dv_type_rigid3s, "1 2 3 1 0 0 0");
    const uint64_t version = dv_data_version(frames);
    double *x = dv_data_begin(frames, 2);
    assert_int_equal(dv_data_version(frames), version); /* changed from the end on */
    assert_float_equal(x[0], 1, 0);
    assert_float_equal(x[3], 1, 0);
    assert_float_equal(x[7], 0, 0);
    assert_float_equal(x[13], 1, 0);
    dv_data_end(frames);
    assert_int_equal(dv_data_version(frames), version + 1);
    /* Within its room it stays where it is; what is blank was cleared again. */
    x[13] = 0.5;
    const void *before = frames->value;
    (void)dv_data_begin(frames, 1);
    dv_data_end(frames);
    x = dv_data_begin(frames, 2);
    assert_ptr_equal(x, before);
    assert_float_equal(x[13], 1, 0);
    dv_data_end(frames);
    /* Growing again and again takes room ahead: far fewer blocks than entries. */
    const uint64_t blocks = dv_allocation_count();
    for (size_t n = 3; n < 1000; n++) {
        (void)dv_data_begin(frames, n);
        dv_data_end(frames);
    }
    assert_true(dv_allocation_count() - blocks < 30);
    x = dv_data_begin_all(frames, 5000);
    assert_float_equal(x[6], 1, 0);
    dv_data_end(frames);
    assert_int_equal(frames->count, 5000);
    DvData *one = added(frames->owner, "one", &dv_type_vec3d, "1 2 3");
    (void)dv_data_begin(one, 7); /* not a list: one element */
    dv_data_end(one);
    assert_int_equal(one->count, 1);
}

static void texts_belong_to_their_value(void **state)
{
    (void)state;
    DvData *words = added(make("Recorder", "a"), "words", &dv_type_strings, "one two three");
    char **at = dv_data_begin(words, 2); /* of a shared default: a copy */
    assert_string_equal(at[1], "two");
    dv_free(at[0]);
    at[0] = dv_strdup("1");
    dv_data_end(words);
    at = dv_data_begin(words, 3);
    assert_null(at[2]);
    dv_data_end(words);
    size_t count;
    char *const *read = dv_data_strings(words, &count);
    assert_int_equal(count, 3);
    assert_string_equal(read[0], "1");
    assert_string_equal(read[2], "");
    at = dv_data_begin_all(words, 2);
    assert_null(at[0]);
    at[1] = dv_strdup("b");
    dv_data_end(words);
    read = dv_data_strings(words, &count);
    assert_string_equal(read[0], "");
    assert_string_equal(read[1], "b");
    (void)dv_data_begin(words, 1); /* room for more stays */
    dv_data_end(words);
    at = dv_data_begin(words, 2);
    assert_null(at[1]);
    dv_data_end(words);
    read = dv_data_strings(words, &count);
    dv_data_set(words, read, 1);
    read = dv_data_strings(words, &count);
    assert_int_equal(count, 1);
    assert_string_equal(read[0], "");
}

static void a_value_may_be_set_from_itself(void **state)
{
    (void)state;
    DvData *list = added(make("Recorder", "a"), "list", &dv_type_doubles, "1 2 3");
    dv_data_set(list, dv_data_read(list), 2);
    size_t count;
    const double *x = dv_data_doubles(list, &count);
    assert_int_equal(count, 2);
    assert_float_equal(x[1], 2, 0);
    dv_data_set(list, NULL, 0);
    assert_non_null(dv_data_doubles(list, &count));
    assert_int_equal(count, 0);
}

static void typed_reads_give_what_was_set(void **state)
{
    (void)state;
    DvObject *object = make("Recorder", "a");
    DvData *u = added(object, "u", &dv_type_uint, NULL), *b = added(object, "b", &dv_type_bool, NULL),
           *s = added(object, "s", &dv_type_string, NULL), *bs = added(object, "bs", &dv_type_bools, "1 0"),
           *is = added(object, "is", &dv_type_ints, "1-3"), *us = added(object, "us", &dv_type_uints, "4");
    dv_data_set_uint(u, 3);
    dv_data_set_bool(b, true);
    dv_data_set_string(s, "text");
    assert_int_equal(dv_data_uint(u), 3);
    assert_true(dv_data_bool(b));
    assert_string_equal(dv_data_string(s), "text");
    size_t count;
    assert_true(dv_data_bools(bs, &count)[0]);
    assert_int_equal(count, 2);
    assert_int_equal(dv_data_ints(is, &count)[2], 3);
    assert_int_equal(dv_data_uints(us, NULL)[0], 4);
}

static void a_follower_shares_the_value_and_follows_changes(void **state)
{
    (void)state;
    DvObject *object = make("Recorder", "a");
    DvData *parent = added(object, "parent", &dv_type_vec3s, "1 2 3"),
           *child = added(object, "child", &dv_type_vec3s, NULL),
           *grandchild = added(object, "grandchild", &dv_type_vec3s, NULL);
    assert_null(dv_data_parent(child));
    assert_int_equal(dv_data_link(child, parent), DV_OK);
    assert_int_equal(dv_data_link(grandchild, child), DV_OK);
    assert_ptr_equal(dv_data_parent(child), parent);
    assert_true(dv_data_is_set(child));
    assert_ptr_equal(dv_data_read(grandchild), parent->value);
    const uint64_t version = dv_data_version(grandchild);
    assert_int_equal(dv_data_version(grandchild), version);
    dv_data_set(parent, (double[]){4, 5, 6, 7, 8, 9}, 2);
    assert_true(grandchild->flags & DV_DATA_DIRTY);
    assert_int_not_equal(dv_data_version(grandchild), version);
    assert_int_equal(grandchild->count, 2);
    assert_float_equal(dv_data_doubles(grandchild, NULL)[5], 9, 0);
    assert_true(dv_data_equal(parent, grandchild));
}

static void a_follower_sees_a_list_grow_and_shrink_in_place(void **state)
{
    (void)state;
    DvObject *object = make("Recorder", "a");
    DvData *parent = added(object, "parent", &dv_type_doubles, NULL),
           *child = added(object, "child", &dv_type_doubles, NULL);
    assert_int_equal(dv_data_link(child, parent), DV_OK);
    for (size_t n = 4; n > 0; n--) {
        (void)dv_data_begin(parent, n);
        dv_data_end(parent);
        (void)dv_data_read(child);
        assert_int_equal(child->count, n);
        assert_ptr_equal(child->value, parent->value);
    }
}

static void a_step_that_writes_followed_values_allocates_nothing(void **state)
{
    (void)state;
    DvObject *object = make("Recorder", "a");
    DvData *parent = added(object, "parent", &dv_type_vec3s, NULL),
           *child = added(object, "child", &dv_type_vec3s, NULL),
           *grandchild = added(object, "grandchild", &dv_type_vec3s, NULL);
    assert_int_equal(dv_data_link(child, parent), DV_OK);
    assert_int_equal(dv_data_link(grandchild, child), DV_OK);
    (void)dv_data_begin(parent, 100);
    dv_data_end(parent);
    (void)dv_data_read(grandchild);
    const uint64_t blocks = dv_allocation_count();
    const void *value = parent->value;
    for (int i = 1; i <= 3; i++) {
        double *x = dv_data_begin(parent, 100);
        x[299] = i;
        dv_data_end(parent);
        assert_float_equal(dv_data_doubles(grandchild, NULL)[299], i, 0);
    }
    dv_data_touch(parent);
    assert_true(grandchild->flags & DV_DATA_DIRTY);
    assert_ptr_equal(dv_data_read(grandchild), value);
    assert_int_equal(dv_allocation_count(), blocks);
}

static void a_value_that_someone_else_keeps_is_copied_before_it_is_written(void **state)
{
    (void)state;
    DvObject *object = make("Recorder", "a");
    DvData *from = added(object, "from", &dv_type_doubles, "1 2"), *to = added(object, "to", &dv_type_doubles, NULL);
    dv_data_share(to, from);
    assert_ptr_equal(to->value, from->value);
    assert_null(dv_data_parent(to));
    ((double *)dv_data_begin(from, 2))[0] = 9;
    dv_data_end(from);
    assert_float_equal(dv_data_doubles(to, NULL)[0], 1, 0);
    assert_false(dv_data_equal(to, from));
    DvData *other = added(object, "other", &dv_type_vec3s, NULL);
    dv_data_share(other, from);
    expect_messages(
        "error: Recorder 'a': other: cannot share the value of 'from': list of double is not list of Vec3d");
    assert_false(dv_data_equal(other, from));
}

/* As a writer in brackets does: the value counts as changed, who follows is told, who keeps it keeps the old one. */
static void a_value_of_the_same_length_is_written_by_one_call(void **state)
{
    (void)state;
    DvObject *object = make("Recorder", "a");
    DvData *data = added(object, "data", &dv_type_doubles, "1 2"), *to = added(object, "to", &dv_type_doubles, NULL),
           *child = added(object, "child", &dv_type_doubles, NULL);
    dv_data_share(to, data);
    const uint64_t version = data->version;
    double *x = dv_data_rewrite(data); /* its default is everybody's */
    assert_int_equal(data->version, version + 1);
    assert_true(dv_data_is_set(data));
    assert_float_equal(x[1], 2, 0);
    x[1] = 3;
    assert_float_equal(dv_data_doubles(to, NULL)[1], 2, 0);
    assert_int_equal(dv_data_link(child, data), DV_OK);
    assert_float_equal(dv_data_doubles(child, NULL)[1], 3,
                       0); /* from here on shared with who follows alone: written in place */
    assert_ptr_equal(dv_data_rewrite(data), x);
    x[1] = 4;
    assert_true(child->flags & DV_DATA_DIRTY);
    assert_float_equal(dv_data_doubles(child, NULL)[1], 4, 0);
    x = dv_data_rewrite(child); /* it was up to date */
    assert_float_equal(x[1], 4, 0);
    (void)dv_data_rewrite(data);
    assert_true(child->flags & DV_DATA_DIRTY);
    ((double *)(uintptr_t)data->value)[1] = 5;
    assert_float_equal(((double *)dv_data_rewrite(child))[1], 5, 0); /* it was brought up to date first */
    assert_false(child->flags & DV_DATA_DIRTY);
}

static void a_follower_that_is_written_holds_until_its_parent_changes(void **state)
{
    (void)state;
    DvObject *object = make("Recorder", "a");
    DvData *parent = added(object, "parent", &dv_type_doubles, "1"),
           *child = added(object, "child", &dv_type_doubles, NULL);
    assert_int_equal(dv_data_link(child, parent), DV_OK);
    (void)dv_data_read(child);
    ((double *)dv_data_begin(child, 1))[0] = 5;
    dv_data_end(child);
    assert_float_equal(dv_data_doubles(child, NULL)[0], 5, 0);
    assert_float_equal(dv_data_doubles(parent, NULL)[0], 1, 0);
    dv_data_set(parent, &(double){2}, 1);
    assert_float_equal(dv_data_doubles(child, NULL)[0], 2, 0);
    dv_data_set(parent, &(double){3}, 1);
    assert_int_equal(dv_data_link(child, NULL), DV_OK); /* takes what its parent has, then goes its own way */
    assert_int_equal(dv_data_link(child, NULL), DV_OK);
    dv_data_set(parent, &(double){4}, 1);
    assert_float_equal(dv_data_doubles(child, NULL)[0], 3, 0);
}

/* What it followed has changed since it was last read: it leaves with the new value, whatever way that would have come. */
static void a_follower_leaves_with_what_its_parent_has_by_then(void **state)
{
    (void)state;
    DvObject *object = make("Recorder", "a");
    DvData *whole = added(object, "whole", &dv_type_int, NULL), *list = added(object, "list", &dv_type_doubles, "1"),
           *words = added(object, "words", &dv_type_strings, NULL);
    DvData *number = added(object, "number of whole", &dv_type_double, NULL),
           *numbers = added(object, "same list", &dv_type_doubles, NULL),
           *texts = added(object, "same words", &dv_type_strings, NULL);
    assert_int_equal(dv_data_set_text(words, "one two"), DV_OK);
    assert_int_equal(dv_data_link(number, whole), DV_OK);
    assert_int_equal(dv_data_link(numbers, list), DV_OK);
    assert_int_equal(dv_data_link(texts, words), DV_OK);
    size_t count;
    assert_float_equal(dv_data_double(number), 0, 0);
    assert_float_equal(dv_data_doubles(numbers, &count)[0], 1, 0);
    assert_string_equal(dv_data_strings(texts, &count)[1], "two");
    dv_data_set_int(whole, 5);
    dv_data_set(list, (const double[]){7, 8, 9}, 3);
    assert_int_equal(dv_data_set_text(words, "three four five"), DV_OK);
    assert_int_equal(dv_data_link(number, NULL), DV_OK);
    assert_int_equal(dv_data_link(numbers, NULL), DV_OK);
    assert_int_equal(dv_data_link(texts, NULL), DV_OK);
    dv_data_set_int(whole, 6);
    dv_data_set(list, (const double[]){0}, 1);
    assert_int_equal(dv_data_set_text(words, "six"), DV_OK);
    assert_float_equal(dv_data_double(number), 5, 0);
    const double *at = dv_data_doubles(numbers, &count);
    assert_int_equal(count, 3);
    assert_true(at[0] == 7 && at[1] == 8 && at[2] == 9);
    char *const *kept = dv_data_strings(texts, &count);
    assert_int_equal(count, 3);
    assert_string_equal(kept[2], "five");
    assert_null(dv_data_parent(number));
}

static void a_new_link_takes_the_place_of_the_old_one(void **state)
{
    (void)state;
    DvObject *object = make("Recorder", "a");
    DvData *one = added(object, "one", &dv_type_double, "1"), *two = added(object, "two", &dv_type_double, "2"),
           *child = added(object, "child", &dv_type_double, NULL),
           *sibling = added(object, "sibling", &dv_type_double, NULL);
    assert_int_equal(dv_data_link(child, one), DV_OK);
    assert_int_equal(dv_data_link(sibling, one), DV_OK);
    assert_int_equal(dv_data_link(child, two), DV_OK);
    dv_data_set_double(one, 10);
    assert_float_equal(dv_data_double(child), 2, 0);
    assert_float_equal(dv_data_double(sibling), 10, 0);
}

static void whichever_follower_leaves_the_others_go_on(void **state)
{
    (void)state;
    enum { FOLLOWERS = 5 };
    static const int leaves[FOLLOWERS] = {2, 1, 3, 0, 4}; /* from the middle, the second of four, the last... */
    DvObject *object = make("Recorder", "a");
    DvData *parent = added(object, "parent", &dv_type_int, NULL), *followers[FOLLOWERS]; /* each with its own value */
    for (int i = 0; i < FOLLOWERS; i++) {
        const char name[] = {'f', (char)('0' + i), 0};
        followers[i] = added(object, name, &dv_type_double, NULL);
        assert_int_equal(dv_data_link(followers[i], parent), DV_OK);
    }
    double expected[FOLLOWERS] = {0};
    for (int round = 0; round < FOLLOWERS; round++) {
        assert_int_equal(dv_data_link(followers[leaves[round]], NULL), DV_OK);
        dv_data_set_int(parent, round + 1);
        for (int i = round + 1; i < FOLLOWERS; i++)
            expected[leaves[i]] = round + 1;
        for (int i = 0; i < FOLLOWERS; i++)
            assert_float_equal(dv_data_double(followers[i]), expected[i], 0);
    }
}

static void a_circle_of_links_is_refused_with_both_names(void **state)
{
    (void)state;
    DvObject *object = make("Recorder", "a");
    DvData *one = added(object, "one", &dv_type_double, NULL), *two = added(object, "two", &dv_type_double, NULL),
           *three = added(object, "three", &dv_type_double, NULL);
    assert_int_equal(dv_data_link(two, one), DV_OK);
    assert_int_equal(dv_data_link(three, two), DV_OK);
    assert_int_equal(dv_data_link(one, three), DV_ERROR_CYCLE);
    expect_messages(
        "error: Recorder 'a': one: '@/a.one' cannot follow '@/a.three', which itself depends on it: '@/a.one' (Recorder) "
        "-> '@/a.two' (Recorder) -> '@/a.three' (Recorder) -> '@/a.one' (Recorder); the cycle ends when '@/a.one' or "
        "'@/a.two' "
        "or '@/a.three' is given another value");
    assert_int_equal(dv_data_link(one, one), DV_ERROR_CYCLE);
    expect_messages(
        "error: Recorder 'a': one: '@/a.one' cannot follow '@/a.one', which itself depends on it: '@/a.one' "
        "(Recorder) -> '@/a.one' (Recorder); the cycle ends when '@/a.one' is given another value");
    assert_int_equal(dv_data_depend(one, three), DV_ERROR_CYCLE);
    expect_messages(
        "error: Recorder 'a': one: '@/a.one' cannot be computed from '@/a.three', which itself depends on it: '@/a.one' "
        "(Recorder) -> '@/a.two' (Recorder) -> '@/a.three' (Recorder) -> '@/a.one' (Recorder); the cycle ends when "
        "'@/a.two' or "
        "'@/a.three' is given another value");
    DvObject *engine = make("SumEngine", "engine");
    assert_int_equal(dv_data_link(field(engine, "factor"), field(engine, "sum")), DV_ERROR_CYCLE);
    expect_messages(
        "error: SumEngine 'engine': factor: '@/engine.factor' cannot follow '@/engine.sum', which itself depends on it: "
        "'@/engine.factor' (SumEngine) -> '@/engine.sum' (SumEngine) -> '@/engine.factor' (SumEngine); the cycle "
        "ends when "
        "'@/engine.factor' is given another value");
}

static void types_that_have_nothing_in_common_cannot_follow(void **state)
{
    (void)state;
    static const DvType opaque = {
        .size = sizeof(DvType), .name = "handle", .scalar = DV_SCALAR_OPAQUE, .components = 1, .element_size = 8};
    DvObject *object = make("Recorder", "a");
    DvData *handle = added(object, "handle", &opaque, NULL), *number = added(object, "number2", &dv_type_double, NULL),
           *text = added(object, "text", &dv_type_string, "zwei"), *copy = added(object, "copy", &opaque, NULL);
    assert_int_equal(dv_data_link(number, handle), DV_ERROR_INVALID);
    expect_messages("error: Recorder 'a': number2: cannot follow 'handle' of 'a': handle cannot become double");
    assert_int_equal(dv_data_link(handle, text), DV_ERROR_INVALID);
    assert_int_equal(dv_data_link(text, handle), DV_ERROR_INVALID);
    dv_text_free(&captured);
    assert_int_equal(dv_data_link(copy, handle), DV_OK);
    assert_int_equal(dv_data_link(number, text), DV_OK);
    assert_int_equal(dv_data_update(number), DV_ERROR_INVALID);
    expect_messages("error: Recorder 'a': number2: the value of 'text' (string) cannot be read as double");
    assert_int_equal(dv_data_update(number), DV_OK); /* clean now: said once */
    /* Bytes that only their type understands are those of no other type. */
    static const DvType other = {
        .size = sizeof(DvType), .name = "token", .scalar = DV_SCALAR_OPAQUE, .components = 1, .element_size = 8};
    assert_int_equal(dv_data_link(added(object, "token", &other, NULL), handle), DV_ERROR_INVALID);
    expect_messages("error: Recorder 'a': token: cannot follow 'handle' of 'a': handle cannot become token");
    /* Numbers that lie farther apart in one type than in the other. */
    static const DvType padded = {
        .size = sizeof(DvType), .name = "padded", .scalar = DV_SCALAR_DOUBLE, .components = 1, .element_size = 16};
    dv_data_share(number, added(object, "padded", &padded, "4"));
    expect_messages("error: Recorder 'a': number2: cannot share the value of 'padded': padded is not double");
}

/* A scene file can chain as many links as it has room for: neither marking nor updating may use the machine's stack. */
static void chains_of_links_may_be_as_long_as_they_like(void **state)
{
    (void)state;
    enum { LINKS = 20000 };
    static DvData *chain[LINKS];
    for (size_t i = 0; i < LINKS; i++) {
        DvNode *node = dv_node_new(root(), NULL);
        chain[i] = field(dv_node_object(node), "dt");
        if (i)
            assert_int_equal(dv_data_link(chain[i], chain[i - 1]), DV_OK);
    }
    for (int round = 1; round <= 3; round++) {
        dv_data_set_double(chain[0], round);
        assert_float_equal(dv_data_double(chain[LINKS - 1]), round, 0);
    }
    assert_int_equal(dv_data_link(chain[0], chain[LINKS - 1]), DV_ERROR_CYCLE);
    dv_text_free(&captured);
}

static void an_engine_computes_when_read_and_once_per_change(void **state)
{
    (void)state;
    DvObject *object = make("SumEngine", "engine");
    DvData *values = field(object, "values"), *sum = field(object, "sum"), *twice = field(object, "twice");
    *counters->updates = 0;
    assert_int_equal(dv_data_set_text(values, "1 2 3"), DV_OK);
    dv_data_set_double(field(object, "factor"), 2);
    assert_int_equal(*counters->updates, 0);
    assert_float_equal(dv_data_double(sum), 12, 0);
    assert_float_equal(dv_data_double(twice), 24, 0);
    assert_float_equal(dv_data_double(field(object, "untouched")), 5, 0);
    assert_int_equal(*counters->updates, 1);
    DvData *follower = added(make("Recorder", "a"), "follower", &dv_type_double, NULL);
    assert_int_equal(dv_data_link(follower, twice), DV_OK);
    assert_float_equal(dv_data_double(follower), 24, 0);
    dv_data_touch(values);
    assert_float_equal(dv_data_double(follower), 24, 0);
    assert_int_equal(*counters->updates, 2);
    assert_int_equal(dv_data_set_text(values, "-1"), DV_OK);
    assert_int_equal(dv_data_update(follower), DV_ERROR_INVALID);
    expect_messages("error: SumEngine 'engine': a negative sum");
    assert_float_equal(dv_data_double(follower), -4, 0);
    assert_int_equal(*counters->updates, 3);
}

static void engines_in_a_row_are_brought_up_to_date_in_order(void **state)
{
    (void)state;
    DvObject *first = make("SumEngine", "first"), *second = make("SumEngine", "second");
    *counters->updates = 0;
    assert_int_equal(dv_data_link(field(second, "values"), field(first, "sum")), DV_OK);
    assert_int_equal(dv_data_link(field(second, "factor"), field(first, "twice")), DV_OK);
    assert_int_equal(dv_data_set_text(field(first, "values"), "1 2"), DV_OK);
    assert_float_equal(dv_data_double(field(second, "sum")), 18, 0);
    assert_int_equal(*counters->updates, 2);
    dv_data_set_double(field(first, "factor"), 2);
    assert_float_equal(dv_data_double(field(second, "twice")), 144, 0);
    assert_int_equal(*counters->updates, 4);
}

/* Each input of an engine is brought up to date before it, so that what fails there is not lost. */
static void what_fails_above_an_engine_is_told_by_what_it_computes(void **state)
{
    (void)state;
    static const char *const inputs[] = {"values", "factor"};
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
        char names[2][16];
        snprintf(names[0], sizeof names[0], "above%zu", i);
        snprintf(names[1], sizeof names[1], "below%zu", i);
        DvObject *above = make("SumEngine", names[0]), *below = make("SumEngine", names[1]);
        char expected[64];
        assert_int_equal(dv_data_set_text(field(below, "values"), "-1 -2"), DV_OK); /* times -1: nothing fails there */
        dv_data_set_double(field(below, "factor"), -1);
        assert_int_equal(dv_data_link(field(below, inputs[i]), field(above, "sum")), DV_OK);
        assert_int_equal(dv_data_set_text(field(above, "values"), "-1"), DV_OK);
        assert_int_equal(dv_data_update(field(below, "sum")), DV_ERROR_INVALID);
        snprintf(expected, sizeof expected, "error: SumEngine '%s': a negative sum", names[0]);
        expect_messages(expected);
    }
}

static void an_engine_that_reads_what_follows_its_own_output_sees_the_value_so_far(void **state)
{
    (void)state;
    DvObject *engine = make("SumEngine", "engine");
    DvData *follower = added(make("Recorder", "a"), "follower", &dv_type_double, NULL);
    assert_int_equal(dv_data_link(follower, field(engine, "sum")), DV_OK);
    assert_int_equal(dv_data_set_text(field(engine, "values"), "1 2"), DV_OK);
    *counters->updates = 0;
    *counters->peek = follower;
    assert_float_equal(dv_data_double(field(engine, "twice")), 6, 0);
    assert_float_equal(dv_data_double(follower), 3, 0);
    *counters->peek = field(engine, "untouched");
    dv_data_touch(field(engine, "values"));
    assert_float_equal(dv_data_double(follower), 3, 0);
    DvData *late = added(follower->owner, "late", &dv_type_double, NULL);
    assert_int_equal(dv_data_link(late, field(engine, "untouched")), DV_OK);
    *counters->peek = late;
    dv_data_touch(field(engine, "values"));
    assert_float_equal(dv_data_double(field(engine, "sum")), 3, 0);
    assert_float_equal(dv_data_double(late), 5, 0);
    *counters->peek = NULL;
    assert_int_equal(*counters->updates, 3);
}

static void what_an_engine_only_passes_on_is_up_to_date_while_it_computes(void **state)
{
    (void)state;
    DvObject *engine = make("SumEngine", "engine"), *other = make("Recorder", "a");
    DvData *source = added(other, "source", &dv_type_int, "1"), *more = added(other, "more", &dv_type_double, "1"),
           *passing = added(engine, "passing", &dv_type_double, NULL),
           *follower = added(other, "follower", &dv_type_double, NULL);
    assert_int_equal(dv_data_link(passing, source), DV_OK);
    assert_int_equal(dv_data_link(follower, passing), DV_OK);
    *counters->peek = follower;
    for (int i = 1; i <= 2; i++) {
        dv_data_set_int(source, 10 * i);
        dv_data_touch(field(engine, "values"));
        (void)dv_data_read(field(engine, "sum"));
        assert_false(follower->flags & DV_DATA_DIRTY); /* the engine has read it */
        assert_true(*(const double *)follower->value == 10 * i);
        /* The same of a field that is also computed: what it follows comes first. */
        assert_int_equal(dv_data_depend(passing, more), DV_OK);
    }
    *counters->peek = NULL;
}

static void a_computed_field_that_follows_another_takes_the_value_of_that_one(void **state)
{
    (void)state;
    DvObject *object = make("Recorder", "a"), *gone = make("Recorder", "b");
    DvData *parent = added(object, "parent", &dv_type_int, "1"), *in = added(object, "in", &dv_type_double, "1"),
           *lost = added(gone, "lost", &dv_type_double, "1"), *both = added(object, "both", &dv_type_double, NULL),
           *beside = added(object, "beside", &dv_type_double, NULL);
    assert_int_equal(dv_data_link(both, parent), DV_OK);
    assert_int_equal(dv_data_depend(both, lost), DV_OK);
    assert_float_equal(dv_data_double(both), 1, 0);
    dv_data_set_int(parent, 2);
    dv_object_remove(gone); /* its last input: the parent stays */
    assert_float_equal(dv_data_double(both), 2, 0);
    assert_int_equal(dv_data_depend(both, in), DV_OK);
    assert_int_equal(dv_data_depend(beside, in), DV_OK);
    (void)dv_data_read(both);
    dv_data_set_int(parent, 3);
    dv_data_set_double(in, 2);
    (void)dv_data_read(beside); /* computes what the class computes: not what follows */
    assert_float_equal(dv_data_double(both), 3, 0);
}

static void dependencies_may_be_made_by_hand(void **state)
{
    (void)state;
    DvObject *object = make("Recorder", "a");
    DvData *in = added(object, "in", &dv_type_double, "1"), *out = added(object, "out", &dv_type_double, "2");
    assert_int_equal(dv_data_depend(out, in), DV_OK);
    assert_int_equal(dv_data_depend(out, in), DV_OK); /* twice is once */
    assert_true(out->flags & DV_DATA_DIRTY);
    assert_float_equal(dv_data_double(out), 2, 0); /* its class computes nothing */
    dv_data_set_double(in, 3);
    assert_true(out->flags & DV_DATA_DIRTY);
    /* Two ways from one field to another are no circle. */
    DvData *one = added(object, "one", &dv_type_double, NULL), *end = added(object, "end", &dv_type_double, NULL);
    assert_int_equal(dv_data_link(one, out), DV_OK);
    assert_int_equal(dv_data_depend(end, one), DV_OK);
    assert_int_equal(dv_data_depend(end, out), DV_OK);
    DvData *last = added(object, "last", &dv_type_double, NULL), *below = added(object, "below", &dv_type_double, NULL);
    assert_int_equal(dv_data_link(below, last), DV_OK);
    assert_int_equal(dv_data_link(last, end), DV_OK);
    dv_data_set_double(in, 4);
    assert_float_equal(dv_data_double(below), 0, 0);
    assert_int_equal(dv_data_link(in, below), DV_ERROR_CYCLE);
    dv_text_free(&captured);
    DvData *loose = added(object, "loose", &dv_type_double, NULL);
    assert_int_equal(dv_data_link(loose, below), DV_OK);
    assert_int_equal(dv_data_link(loose, NULL), DV_OK);
    assert_int_equal(dv_data_link(in, NULL), DV_OK);
}

static void an_input_added_at_run_time_is_an_input(void **state)
{
    (void)state;
    DvObject *engine = make("SumEngine", "engine");
    DvData *sum = field(engine, "sum");
    (void)dv_data_read(sum);
    DvData *input =
        dv_object_add_field(engine, &(DvField){.name = "input", .type = &dv_type_double, .flags = DV_FIELD_INPUT});
    DvData *output =
        dv_object_add_field(engine, &(DvField){.name = "output", .type = &dv_type_double, .flags = DV_FIELD_OUTPUT});
    assert_true(sum->flags & DV_DATA_DIRTY);
    (void)dv_data_read(sum);
    assert_false(output->flags & DV_DATA_DIRTY);
    dv_data_set_double(input, 1);
    assert_true(sum->flags & DV_DATA_DIRTY);
    assert_true(output->flags & DV_DATA_DIRTY);
}

static void a_link_on_an_output_takes_the_place_of_its_engine(void **state)
{
    (void)state;
    DvObject *engine = make("SumEngine", "engine");
    DvData *number = added(make("Recorder", "a"), "number2", &dv_type_double, "3");
    assert_int_equal(dv_data_link(field(engine, "sum"), number), DV_OK);
    *counters->updates = 0;
    assert_float_equal(dv_data_double(field(engine, "sum")), 3, 0);
    assert_int_equal(*counters->updates, 0);
    assert_int_equal(dv_data_set_text(field(engine, "values"), "1"), DV_OK);
    assert_float_equal(dv_data_double(field(engine, "twice")), 2, 0);
}

static void a_follower_keeps_a_whole_value_when_what_it_follows_leaves_after_a_write(void **state)
{
    (void)state;
    DvObject *source = make("Recorder", "a"), *other = make("Recorder", "b");
    DvData *words = added(source, "words", &dv_type_strings, NULL);
    assert_int_equal(dv_data_set_text(words, "one two three"), DV_OK);
    DvData *same = added(other, "words", &dv_type_strings, NULL);
    assert_int_equal(dv_data_link(same, words), DV_OK);
    size_t count;
    (void)dv_data_strings(same, &count);
    assert_int_equal(count, 3);
    (void)dv_data_begin(words, 1); /* in place: only a follower shares the value */
    dv_data_end(words);
    dv_object_remove(source);
    char *const *kept = dv_data_strings(same, &count);
    for (size_t i = 0; i < count; i++)
        assert_non_null(kept[i]);
    assert_string_equal(kept[0], "one");
}

static void followers_of_what_leaves_keep_their_last_value(void **state)
{
    (void)state;
    DvObject *engine = make("SumEngine", "engine"), *other = make("SumEngine", "other");
    DvData *follower = added(make("Recorder", "a"), "follower", &dv_type_double, NULL);
    assert_int_equal(dv_data_link(follower, field(engine, "sum")), DV_OK);
    assert_int_equal(dv_data_link(field(engine, "factor"), field(other, "sum")), DV_OK);
    assert_int_equal(dv_data_depend(field(other, "twice"), field(engine, "values")), DV_OK);
    assert_int_equal(dv_data_set_text(field(engine, "values"), "1 2"), DV_OK);
    assert_int_equal(dv_data_set_text(field(other, "values"), "4"), DV_OK);
    assert_float_equal(dv_data_double(follower), 12, 0);
    dv_data_touch(field(engine, "values"));
    dv_object_remove(engine);
    assert_false(follower->flags & DV_DATA_DIRTY);
    assert_float_equal(dv_data_double(follower), 12, 0);
    assert_null(dv_data_parent(follower));
    dv_data_set_double(field(other, "factor"), 3);
    assert_float_equal(dv_data_double(field(other, "twice")), 24, 0);
}

static void a_text_with_an_at_sign_makes_a_link(void **state)
{
    (void)state;
    DvObject *a = make("Recorder", "a"), *b = make("Recorder", "b");
    DvData *value = field(b, "value");
    assert_int_equal(dv_data_set_text(value, "@a.number"), DV_OK);
    dv_data_set_int(field(a, "value"), 44);
    assert_int_equal(dv_data_int(value), 44);
    DvData *lonely = field(make("Recorder", "c"), "value");
    assert_int_equal(dv_data_set_text(lonely, "@nobody.value"), DV_ERROR_NOT_FOUND);
    assert_non_null(strstr(
        captured.at,
        "warning: Recorder 'c': value: the default is kept, since '@nobody.value' leads to no field of an object written "
        "earlier in the scene"));
    dv_text_free(&captured);
    assert_true(dv_data_is_set(lonely));
    assert_int_equal(dv_data_int(lonely), 7);
}

static void values_are_equal_bit_by_bit(void **state)
{
    (void)state;
    DvObject *object = make("Recorder", "a");
    DvData *a = added(object, "a", &dv_type_strings, "x y"), *b = added(object, "b", &dv_type_strings, "x y"),
           *c = added(object, "c", &dv_type_strings, "x z"), *d = added(object, "d", &dv_type_strings, "x"),
           *e = added(object, "e", &dv_type_doubles, NULL), *f = added(object, "f", &dv_type_doubles, NULL);
    assert_true(dv_data_equal(a, b));
    assert_false(dv_data_equal(a, c));
    assert_false(dv_data_equal(a, d));
    assert_true(dv_data_equal(e, f));
    dv_data_set(e, (double[]){0.0}, 1);
    dv_data_set(f, (double[]){-0.0}, 1);
    assert_false(dv_data_equal(e, f));
}

static void a_file_name_is_looked_up_and_remembered_until_it_changes(void **state)
{
    (void)state;
    DvObject *object = make("Recorder", "a");
    DvData *file = added(object, "file", &dv_type_file, NULL),
           *follower = added(object, "follower", &dv_type_file, NULL),
           *text = added(object, "text", &dv_type_file, NULL);
    char name[] = P_tmpdir "/divan-test-XXXXXX";
    const int descriptor = mkstemp(name);
    assert_true(descriptor >= 0);
    assert_null(dv_data_file(file));
    dv_data_set_string(file, name);
    assert_int_equal(dv_data_link(follower, file), DV_OK);
    assert_int_equal(dv_data_link(text, field(object, "fail")), DV_OK);
    const char *found = dv_data_file(file);
    assert_string_equal(found, name);
    assert_ptr_equal(dv_data_file(follower), found);
    remove(name);
    assert_ptr_equal(dv_data_file(file), found);
    dv_data_touch(file);
    assert_null(dv_data_file(file));
    dv_data_set_string(field(object, "fail"), "/");
    (void)dv_data_file(text);
    assert_string_equal(dv_data_string(text), "/");
    /* Relative names start at the folder of the nearest node that has one. */
    static const char nodes[] = "<Node><Node name='below'/></Node>";
    DvScene *other = NULL;
    assert_int_equal(dv_scene_load_text(nodes, strlen(nodes), "text.scn", P_tmpdir, NULL, &other), DV_OK);
    char second[] = P_tmpdir "/divan-test-XXXXXX";
    assert_true(mkstemp(second) >= 0);
    DvObject *below = dv_node_object(dv_node_new(dv_node_child(dv_scene_root(other), 0), "new"));
    const char *beside = dv_data_file(added(below, "file", &dv_type_file, second + strlen(P_tmpdir "/")));
    assert_non_null(beside);
    assert_string_equal(without_folder(beside), second + strlen(P_tmpdir "/"));
    remove(second);
    dv_scene_free(other);
    dv_text_free(&captured);
    DvObject *node = dv_node_object(root());
    assert_null(dv_data_file(added(node, "fileOfNode", &dv_type_file, "nowhere.msh")));
}

static int setup_scene(void **state)
{
    (void)state;
    scene = dv_scene_new();
    return 0;
}

static int free_scene(void **state)
{
    (void)state;
    dv_scene_free(scene);
    expect_messages("");
    assert_int_equal(*counters->alive, 0);
    return 0;
}

static int setup(void **state)
{
    (void)state;
    dv_log_set_handler(capture, NULL);
    const char *const plugins[] = {built("tests/kernel/plugins/test-classes.so"), getenv("DIVAN_SCENE_PLUGIN"), NULL};
    const DvStatus status = dv_start(&(DvStartOptions){.plugins = plugins, .only_given = true});
    if (status != DV_OK)
        print_message("%s\n", captured.at);
    counters = dv_service(TEST_COUNTERS);
    return status == DV_OK && counters ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    dv_text_free(counters->calls);
    dv_stop();
    dv_log_set_handler(NULL, NULL);
    return 0;
}

#define scene_test(test) cmocka_unit_test_setup_teardown(test, setup_scene, free_scene)

int main(void)
{
    const struct CMUnitTest tests[] = {
        scene_test(a_follower_keeps_a_whole_value_when_what_it_follows_leaves_after_a_write),
        scene_test(objects_share_their_defaults_until_one_is_written),
        scene_test(defaults_whose_hashes_collide_stay_apart),
        scene_test(a_type_that_does_not_say_what_is_wrong_is_reported_all_the_same),
        scene_test(a_long_value_is_not_repeated_in_a_message),
        scene_test(values_start_at_a_cache_line),
        scene_test(writing_in_brackets_keeps_old_elements_and_blanks_new_ones),
        scene_test(texts_belong_to_their_value),
        scene_test(a_value_may_be_set_from_itself),
        scene_test(typed_reads_give_what_was_set),
        scene_test(a_follower_shares_the_value_and_follows_changes),
        scene_test(a_follower_sees_a_list_grow_and_shrink_in_place),
        scene_test(a_step_that_writes_followed_values_allocates_nothing),
        scene_test(a_value_that_someone_else_keeps_is_copied_before_it_is_written),
        scene_test(a_value_of_the_same_length_is_written_by_one_call),
        scene_test(a_follower_that_is_written_holds_until_its_parent_changes),
        scene_test(a_follower_leaves_with_what_its_parent_has_by_then),
        scene_test(a_new_link_takes_the_place_of_the_old_one),
        scene_test(whichever_follower_leaves_the_others_go_on),
        scene_test(a_circle_of_links_is_refused_with_both_names),
        scene_test(types_that_have_nothing_in_common_cannot_follow),
        scene_test(chains_of_links_may_be_as_long_as_they_like),
        scene_test(an_engine_computes_when_read_and_once_per_change),
        scene_test(engines_in_a_row_are_brought_up_to_date_in_order),
        scene_test(what_fails_above_an_engine_is_told_by_what_it_computes),
        scene_test(an_engine_that_reads_what_follows_its_own_output_sees_the_value_so_far),
        scene_test(what_an_engine_only_passes_on_is_up_to_date_while_it_computes),
        scene_test(a_computed_field_that_follows_another_takes_the_value_of_that_one),
        scene_test(dependencies_may_be_made_by_hand),
        scene_test(an_input_added_at_run_time_is_an_input),
        scene_test(a_link_on_an_output_takes_the_place_of_its_engine),
        scene_test(followers_of_what_leaves_keep_their_last_value),
        scene_test(a_text_with_an_at_sign_makes_a_link),
        scene_test(values_are_equal_bit_by_bit),
        scene_test(a_file_name_is_looked_up_and_remembered_until_it_changes),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
