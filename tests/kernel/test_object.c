/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Objects: fields, lifecycle, states, paths, links between objects, and how they leave.
 */
#include "capture.h"

#include "test_classes.h"

static DvScene *scene;
static const TestCounters *counters;

static DvNode *root(void)
{
    return dv_scene_root(scene);
}

static DvObject *make_in(DvNode *node, const char *class_name, const char *name)
{
    DvObject *object = NULL;
    assert_int_equal(dv_object_new(node, class_name, &object, "name", name, NULL), DV_OK);
    return object;
}

static DvObject *make(const char *class_name, const char *name)
{
    return make_in(root(), class_name, name);
}

static DvLink *link_of(DvObject *object, const char *name)
{
    DvData *data = dv_object_field(object, name);
    assert_non_null(data);
    return (DvLink *)data;
}

static void expect_calls(const char *expected)
{
    assert_string_equal(counters->calls->at ? counters->calls->at : "", expected);
    dv_text_free(counters->calls);
}

static void the_struct_and_the_object_lead_to_each_other(void **state)
{
    (void)state;
    DvObject *object = make("Recorder", "a");
    void *self = dv_object_self(object);
    assert_ptr_equal(dv_object_of(self), object);
    assert_int_equal((uintptr_t)self % 64, 0);
    assert_string_equal(dv_object_class(object)->name, "Recorder");
    assert_string_equal(dv_object_variant(object), "");
    assert_ptr_equal(dv_object_node(object), root());
    assert_null(dv_object_as_node(object));
    assert_ptr_equal(dv_object_as_node(dv_node_object(root())), root());
    assert_null(dv_object_file(object, NULL, NULL));
    int line = -1, column = -1;
    (void)dv_object_file(object, &line, &column);
    assert_int_equal(line, 0);
    assert_int_equal(column, 0);
}

static void the_lifecycle_runs_in_its_order(void **state)
{
    (void)state;
    (void)make("Recorder", "a");
    (void)make("Recorder", "b");
    assert_int_equal(dv_scene_init(scene), DV_OK);
    dv_scene_free(scene);
    scene = NULL;
    const char *calls = counters->calls->at;
    static const char *const order[] = {"a parse",    "b parse",    "a init",    "b init",
                                        "b bwd_init", "a bwd_init", "a cleanup", "a destroy"};
    const char *at = calls;
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        if (strcmp(order[i], "a cleanup") == 0)
            at = calls;
        at = strstr(at, order[i]);
        if (!at)
            fail_msg("'%s' is not at its place in: %s", order[i], calls);
    }
    dv_text_free(counters->calls);
}

static void an_object_whose_construct_fails_is_destroyed(void **state)
{
    (void)state;
    DvObject *object = NULL;
    *counters->construct_fails = true;
    const DvStatus status = dv_object_new(root(), "Recorder", &object, "name", "a", NULL);
    *counters->construct_fails = false;
    assert_int_equal(status, DV_ERROR_UNSUPPORTED);
    assert_null(object);
    assert_null(dv_node_member(root(), 0));
    expect_calls(" construct,  destroy");
}

static void an_object_whose_init_fails_stays_and_is_invalid(void **state)
{
    (void)state;
    DvObject *object = make("Recorder", "a");
    dv_data_set_string(dv_object_field(object, "fail"), "init");
    assert_int_equal(dv_scene_init(scene), DV_ERROR_MISSING);
    expect_messages("error: Recorder 'a': init was told to fail");
    assert_int_equal(dv_object_state(object), DV_COMPONENT_INVALID);
    assert_false(dv_object_is_valid(object));
}

static void fields_are_found_by_name_alias_and_old_name(void **state)
{
    (void)state;
    DvObject *object = make("Recorder", "a");
    DvData *value = dv_object_field(object, "value");
    assert_non_null(value);
    assert_ptr_equal(dv_object_field(object, "number"), value);
    assert_ptr_equal(dv_object_field(object, "count"), value);
    assert_ptr_equal(dv_object_field(object, "oldValue"), value); /* of its base class */
    assert_null(dv_object_field(object, "speed"));                /* harmless, but no field */
    assert_null(dv_object_field(object, "weight"));
    assert_null(dv_object_field(object, "loop")); /* an old name that leads to itself */
    assert_null(dv_object_field(object, "nothing"));
    DvObject *engine = make("SumEngine", "engine");
    assert_ptr_equal(dv_object_field(engine, "oldValue"), dv_object_field(engine, "factor"));
    assert_int_equal(dv_object_field_count(object), 10);
    assert_string_equal(dv_object_field_at(object, 0)->field->name, "name");
    assert_ptr_equal(dv_object_field_at(object, 6), value);
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) { /* and nothing behind the last */
        assert_null(dv_object_field_at(object, 10 + i));
        DvData *added = dv_object_add_field(object, &(DvField){.name = names[i], .type = &dv_type_int, .init = "0"});
        assert_ptr_equal(dv_object_field_at(object, 10 + i), added);
    }
}

static void fields_can_be_added_while_it_runs(void **state)
{
    (void)state;
    DvObject *object = NULL;
    assert_int_equal(dv_object_new(root(), "Recorder", &object, "name", "a", "extra", "5", NULL), DV_OK);
    dv_text_free(&captured); /* nobody asked for "extra" so far */
    char name[] = "extra";
    DvData *extra =
        dv_object_add_field(object, &(DvField){.name = name, .type = &dv_type_double, .init = "1", .unit = "m"});
    name[0] = '?'; /* the declaration is a copy */
    assert_ptr_equal(dv_object_field(object, "extra"), extra);
    assert_int_equal(dv_object_field_count(object), 11);
    assert_float_equal(dv_data_double(extra), 5, 0); /* what the scene had given */
    assert_null(dv_object_add_field(object, extra->field));
    expect_messages("error: Recorder 'a': has a field 'extra' already");
    assert_null(dv_object_add_field(object, &(DvField){.name = "number", .type = &dv_type_double}));
    expect_messages("error: Recorder 'a': has a field 'number' already");
    DvLink *link = (DvLink *)dv_object_add_field(object, &(DvField){.name = "way", .type = &dv_type_link});
    DvObject *other = make("Recorder", "b");
    assert_int_equal(dv_data_set_text(&link->data, "@b"), DV_OK);
    assert_ptr_equal(dv_link_object(link), other);
    assert_non_null(dv_object_add_field(make("SumEngine", "e"), &(DvField){.name = "x", .type = &dv_type_int}));
}

static void links_and_fields_of_a_node_are_looked_up_from_it(void **state)
{
    (void)state;
    DvObject *a = make("Recorder", "a"), *b = make("Recorder", "b"), *node = dv_node_object(root());
    const DvField several = {.name = "ways", .type = &dv_type_link, .many = true};
    DvLink *link = (DvLink *)dv_object_add_field(node, &several);
    assert_non_null(link);
    assert_int_equal(dv_data_set_text(&link->data, "@a @b"), DV_OK);
    assert_int_equal(link->count, 2);
    assert_ptr_equal(link->objects[1], b);
    DvObject *const targets[] = {b, a};
    dv_link_set_all(link, targets, 2);
    assert_string_equal(dv_data_string(&link->data), "@/b @/a");
    assert_int_equal(dv_data_set_text(&link->data, "one @a two"), DV_ERROR_INVALID);
    expect_messages(
        "error: Node: ways: the path 'one' must start with '@', as in '@one'"); /* one complaint is enough */
    assert_int_equal(link->count, 1);

    dv_data_set_text(dv_object_field(a, "number"), "4");
    DvData *follower = dv_object_add_field(node, &(DvField){.name = "follower", .type = &dv_type_double});
    assert_int_equal(dv_data_set_text(follower, "@a.number"), DV_OK);
    assert_float_equal(dv_data_double(follower), 4, 0);
}

static void places_in_a_field_table_are_filled_by_the_variant(void **state)
{
    (void)state;
    static const struct {
        const char *variant;
        uint32_t coord, deriv, out;
    } expected[] = {{"Vec1d", 1, 1, 1},   {"Vec2d", 2, 2, 2},   {"Vec3d", 3, 3, 3},        {"Vec6d", 6, 6, 6},
                    {"Rigid2d", 3, 3, 3}, {"Rigid3d", 7, 6, 7}, {"Rigid3d,Vec2d", 7, 6, 2}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        DvObject *object = NULL;
        assert_int_equal(dv_object_new(root(), "Typed", &object, "name", "t", "template", expected[i].variant, NULL),
                         DV_OK);
        assert_string_equal(dv_object_variant(object), expected[i].variant);
        assert_int_equal(dv_object_field(object, "coord")->type->components, expected[i].coord);
        assert_false(dv_object_field(object, "coord")->type->list);
        assert_int_equal(dv_object_field(object, "deriv")->type->components, expected[i].deriv);
        assert_int_equal(dv_object_field(object, "coords")->type->components, expected[i].coord);
        assert_true(dv_object_field(object, "coords")->type->list);
        assert_int_equal(dv_object_field(object, "derivs")->type->components, expected[i].deriv);
        assert_int_equal(dv_object_field(object, "coordsOut")->type->components, expected[i].out);
    }
    /* Said once, when the first object needs it: the value is kept as the default. */
    expect_messages("error: Typed: wrong: the default of the class cannot be read: 'one' is not a number\n"
                    "error: Typed: partly: the default of the class cannot be read: 'm' after the value is dropped");
}

static void fields_that_must_be_given_are_asked_for_at_init(void **state)
{
    (void)state;
    DvObject *object = make("Needy", "n");
    DvObject *fine = NULL;
    assert_int_equal(
        dv_object_new(root(), "Needy", &fine, "name", "m", "also", "1", "must", "1 2", "should", "1", NULL), DV_OK);
    assert_int_equal(dv_object_state(object), DV_COMPONENT_UNDEFINED);
    assert_int_not_equal(dv_scene_init(scene), DV_OK);
    expect_messages("error: Needy 'n': also: must be given: also\n"
                    "error: Needy 'n': must: must be given: numbers without which nothing works\n"
                    "warning: Needy 'n': should: should be given; its default 2.5 is used");
    assert_int_equal(dv_object_state(object), DV_COMPONENT_INVALID);
    assert_int_equal(dv_object_state(fine), DV_COMPONENT_VALID);
}

static void the_state_of_a_component_is_a_field_that_costs_nothing_to_change(void **state)
{
    (void)state;
    DvObject *object = make("Recorder", "a");
    dv_object_set_state(object, DV_COMPONENT_BUSY);
    dv_object_set_state(object, DV_COMPONENT_DIRTY);
    assert_string_equal(dv_data_string(dv_object_field(object, "componentState")), "Dirty");
    const uint64_t blocks = dv_allocation_count();
    dv_object_set_state(object, DV_COMPONENT_BUSY);
    dv_object_set_state(object, DV_COMPONENT_BUSY);
    assert_int_equal(dv_object_state(object), DV_COMPONENT_BUSY);
    assert_int_equal(dv_allocation_count(), blocks);
    assert_int_equal(dv_data_set_text(dv_object_field(object, "componentState"), "Loading"), DV_OK);
    assert_int_equal(dv_object_state(object), DV_COMPONENT_LOADING);
    dv_data_set_string(dv_object_field(object, "componentState"), "no such state");
    assert_int_equal(dv_object_state(object), DV_COMPONENT_UNDEFINED);
}

static void contracts_and_base_classes_are_known(void **state)
{
    (void)state;
    DvObject *object = make("Recorder", "a");
    const TestThing *thing = dv_object_ops(object, "test.thing/1");
    assert_non_null(thing);
    assert_int_equal(thing->answer(dv_object_self(object)), 7);
    assert_null(dv_object_ops(object, "test.unknown/1"));
    assert_null(dv_object_ops(make("SumEngine", "e"), "test.thing/1"));
    assert_true(dv_object_is_a(object, "Recorder"));
    assert_true(dv_object_is_a(object, "Base"));
    assert_false(dv_object_is_a(object, "SumEngine"));
    DvObject *bare = make("Bare", "b");
    assert_false(dv_object_is_a(bare, "Base"));
    assert_null(dv_object_ops(bare, "test.thing/1"));
    assert_int_equal(dv_object_field_count(bare), 6);
    assert_null(dv_object_field(bare, "oldValue"));
}

static void paths_follow_names_and_moves(void **state)
{
    (void)state;
    DvNode *liver = dv_node_new(root(), "liver"), *visual = dv_node_new(liver, "visual"),
           *unnamed = dv_node_new(root(), NULL), *below = dv_node_new(unnamed, "b");
    DvObject *in_root = make("Recorder", "m"), *deep = make_in(visual, "Recorder", "m"),
             *in_unnamed = make_in(unnamed, "Recorder", "m"), *in_below = make_in(below, "Recorder", "m");
    assert_string_equal(dv_node_path(root()), "/");
    assert_string_equal(dv_object_path(in_root), "/m");
    assert_string_equal(dv_object_path(deep), "/liver/visual/m");
    assert_string_equal(dv_node_path(unnamed), "/");
    assert_string_equal(dv_object_path(in_unnamed), "/m");
    assert_string_equal(dv_node_path(below), "//b");
    assert_string_equal(dv_object_path(in_below), "//b/m");
    dv_data_set_string(dv_object_field(dv_node_object(liver), "name"), "organ");
    assert_string_equal(dv_object_path(deep), "/organ/visual/m");
    dv_data_set_string(dv_object_field(deep, "name"), "dofs");
    assert_string_equal(dv_object_path(deep), "/organ/visual/dofs");
    dv_object_move(deep, root());
    assert_string_equal(dv_object_path(deep), "/dofs");
    (void)dv_object_ref(deep);
    dv_object_remove(deep);
    assert_string_equal(dv_object_path(deep), "dofs");
    DvLink *lost = link_of(deep, "friends");
    assert_int_equal(dv_data_set_text(&lost->data, "@m"), DV_OK); /* seen from nowhere */
    assert_null(dv_link_object(lost));
    assert_int_equal(dv_data_set_text(dv_object_field(deep, "value"), "@m.value"), DV_ERROR_NOT_FOUND);
    dv_text_free(&captured);
    dv_object_unref(deep);
}

static void a_link_finds_its_target_when_it_is_there(void **state)
{
    (void)state;
    DvObject *a = make("Recorder", "a");
    DvLink *partner = link_of(a, "partner");
    assert_false(dv_link_is_set(partner));
    assert_null(dv_link_object(partner));
    assert_int_equal(dv_link_resolve(partner), DV_OK); /* nothing to find */
    assert_int_equal(dv_data_set_text(&partner->data, "@b"), DV_OK);
    assert_true(dv_link_is_set(partner));
    assert_null(dv_link_object(partner));
    assert_int_equal(dv_link_resolve(partner), DV_ERROR_NOT_FOUND);
    DvObject *b = make("Recorder", "b");
    const uint64_t version = dv_data_version(&partner->data);
    assert_int_equal(dv_link_resolve(partner), DV_OK);
    assert_int_not_equal(dv_data_version(&partner->data), version);
    assert_ptr_equal(dv_link_object(partner), b);
    assert_int_equal(dv_link_resolve(partner), DV_OK);
    assert_string_equal(dv_data_string(&partner->data), "@b");
    /* An empty text changes nothing; an object of another contract is not found. */
    assert_int_equal(dv_data_set_text(&partner->data, " "), DV_OK);
    assert_ptr_equal(dv_link_object(partner), b);
    (void)make("SumEngine", "engine");
    assert_int_equal(dv_data_set_text(&partner->data, "@engine"), DV_OK);
    assert_null(dv_link_object(partner));
}

static void wrong_paths_of_links_are_named(void **state)
{
    (void)state;
    DvObject *a = make("Recorder", "a"), *b = make("Recorder", "b");
    DvLink *partner = link_of(a, "partner"), *friends = link_of(a, "friends");
    assert_int_equal(dv_data_set_text(&partner->data, "b"), DV_ERROR_INVALID);
    expect_messages("error: Recorder 'a': partner: the path 'b' must start with '@', as in '@b'");
    assert_int_equal(dv_data_set_text(&partner->data, "@b @a"), DV_ERROR_INVALID);
    expect_messages("error: Recorder 'a': partner: one path is expected; '@a' and what follows is dropped");
    assert_ptr_equal(dv_link_object(partner), b);
    assert_int_equal(dv_data_set_text(&friends->data, "@b c\t@a"), DV_ERROR_INVALID);
    expect_messages("error: Recorder 'a': friends: the path 'c' must start with '@', as in '@c'");
    assert_int_equal(friends->count, 2);
    assert_ptr_equal(friends->objects[0], b);
    assert_ptr_equal(friends->objects[1], a);
    DvText many = {0};
    for (int i = 0; i < 10001; i++)
        dv_text_add(&many, "@b ");
    assert_int_equal(dv_data_set_text(&friends->data, many.at), DV_ERROR_INVALID);
    expect_messages("error: Recorder 'a': friends: has more than 10000 paths; the rest is dropped");
    assert_int_equal(friends->count, 10000);
    dv_text_free(&many);
}

static void a_link_forgets_what_leaves_and_may_find_another(void **state)
{
    (void)state;
    DvObject *a = make("Recorder", "a"), *b = make("Recorder", "b");
    DvLink *partner = link_of(a, "partner"), *friends = link_of(a, "friends");
    dv_link_set(partner, b);
    assert_string_equal(dv_data_string(&partner->data), "@/b");
    assert_int_equal(dv_data_set_text(&friends->data, "@b @a @b"), DV_OK);
    const uint64_t version = dv_data_version(&partner->data);
    dv_object_remove(b);
    assert_null(dv_link_object(partner));
    assert_true(dv_link_is_set(partner));
    assert_int_not_equal(dv_data_version(&partner->data), version);
    assert_null(friends->objects[0]);
    assert_ptr_equal(friends->objects[1], a);
    assert_null(friends->objects[2]);
    DvObject *again = make("Recorder", "b");
    assert_int_equal(dv_link_resolve(partner), DV_OK);
    assert_int_equal(dv_link_resolve(friends), DV_OK);
    assert_ptr_equal(dv_link_object(partner), again);
    assert_ptr_equal(friends->objects[2], again);
    dv_link_set(partner, NULL);
    assert_false(dv_link_is_set(partner));
    assert_null(dv_link_object(partner));
    assert_string_equal(dv_data_string(&partner->data), "");
    dv_object_remove(a); /* the links that point to b go first */
    dv_object_remove(again);
}

/* The root runs: a state that a component has set itself stays. */
static void init_leaves_a_state_that_was_set(void **state)
{
    (void)state;
    DvObject *object = make("Bare", "b");
    dv_object_set_state(object, DV_COMPONENT_BUSY);
    assert_int_equal(dv_scene_init(scene), DV_OK);
    assert_int_equal(dv_object_state(object), DV_COMPONENT_BUSY);
}

static void a_node_that_leaves_is_forgotten_too(void **state)
{
    (void)state;
    DvNode *child = dv_node_new(root(), "child");
    DvObject *a = make("Recorder", "a");
    DvLink *friends = link_of(a, "friends");
    assert_int_equal(dv_data_set_text(&friends->data, "@child"), DV_OK);
    assert_ptr_equal(dv_link_object(friends), dv_node_object(child));
    dv_object_remove(dv_node_object(child));
    assert_null(dv_link_object(friends));
}

static void an_object_that_leaves_lives_until_its_last_user_lets_go(void **state)
{
    (void)state;
    DvObject *a = dv_object_ref(make("Recorder", "a"));
    dv_text_free(counters->calls);
    dv_object_remove(a);
    expect_calls("a cleanup");
    assert_null(dv_object_node(a));
    assert_null(dv_node_member(root(), 0));
    dv_object_remove(a); /* once is enough */
    expect_calls("");
    assert_int_equal(*counters->alive, 1);
    dv_object_unref(a);
    expect_calls("a destroy");
    assert_int_equal(*counters->alive, 0);
}

static void objects_in_the_middle_can_leave(void **state)
{
    (void)state;
    DvObject *a = make("Recorder", "a"), *b = make("Recorder", "b"), *c = make("Recorder", "c"),
             *d = make("Recorder", "d");
    const uint64_t revision = dv_node_revision(root());
    dv_object_remove(b);
    assert_true(dv_node_revision(root()) > revision);
    assert_ptr_equal(dv_node_member(root(), 0), a);
    assert_ptr_equal(dv_node_member(root(), 1), c);
    assert_ptr_equal(dv_node_member(root(), 2), d);
    assert_null(dv_node_member(root(), 3));
}

static void every_object_has_the_common_fields(void **state)
{
    (void)state;
    static const char *const names[] = {"name", "printLog", "tags", "bbox", "componentState", "listening"};
    const DvField *fields = dv_common_fields();
    for (size_t i = 0; i < 6; i++) {
        assert_string_equal(fields[i].name, names[i]);
        assert_non_null(fields[i].help);
    }
    assert_null(fields[6].name);
    const double *box = dv_data_doubles(dv_object_field(make("Recorder", "a"), "bbox"), NULL);
    assert_true(box[0] > box[3]); /* empty */
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
    dv_text_free(counters->calls);
    expect_messages("");
    assert_int_equal(*counters->alive, 0);
    return 0;
}

static int setup(void **state)
{
    (void)state;
    dv_log_set_handler(capture, NULL);
    const char *const plugins[] = {built("tests/kernel/plugins/test-classes.so"), NULL};
    const DvStatus status = dv_start(&(DvStartOptions){.plugins = plugins, .only_given = true});
    if (status != DV_OK)
        print_message("%s\n", captured.at);
    counters = dv_service(TEST_COUNTERS);
    return status == DV_OK && counters ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    dv_stop();
    dv_log_set_handler(NULL, NULL);
    return 0;
}

#define scene_test(test) cmocka_unit_test_setup_teardown(test, setup_scene, free_scene)

int main(void)
{
    const struct CMUnitTest tests[] = {
        scene_test(the_struct_and_the_object_lead_to_each_other),
        scene_test(the_lifecycle_runs_in_its_order),
        scene_test(an_object_whose_construct_fails_is_destroyed),
        scene_test(an_object_whose_init_fails_stays_and_is_invalid),
        scene_test(fields_are_found_by_name_alias_and_old_name),
        scene_test(fields_can_be_added_while_it_runs),
        scene_test(links_and_fields_of_a_node_are_looked_up_from_it),
        scene_test(places_in_a_field_table_are_filled_by_the_variant),
        scene_test(fields_that_must_be_given_are_asked_for_at_init),
        scene_test(the_state_of_a_component_is_a_field_that_costs_nothing_to_change),
        scene_test(contracts_and_base_classes_are_known),
        scene_test(paths_follow_names_and_moves),
        scene_test(a_link_finds_its_target_when_it_is_there),
        scene_test(wrong_paths_of_links_are_named),
        scene_test(a_link_forgets_what_leaves_and_may_find_another),
        scene_test(init_leaves_a_state_that_was_set),
        scene_test(a_node_that_leaves_is_forgotten_too),
        scene_test(an_object_that_leaves_lives_until_its_last_user_lets_go),
        scene_test(objects_in_the_middle_can_leave),
        scene_test(every_object_has_the_common_fields),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
