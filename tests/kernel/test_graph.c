/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Nodes, walks, schedules and events: order, edits while something runs, what an edit costs, and that memory goes when it should.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <divan/divan.h>

#include "graph_plugin/graph_plugin.h"
#include "scene_text.h"

static char trace[4096]; /* names of what was called, in order */

static void note(const char *name)
{
    strcat(trace, name);
    strcat(trace, " ");
}

static RecorderBehaviour *behaviour_of(DvObject *object)
{
    return ((const RecorderOps *)dv_object_ops(object, TEST_RECORDER))->behaviour;
}

static DvObject *recorder_in(DvNode *node, const char *name)
{
    DvObject *object = NULL;
    assert_int_equal(dv_object_new(node, "Recorder", &object, "name", name, "listening", "1", NULL), DV_OK);
    return object;
}

typedef struct Graph {
    DvScene *scene;
    DvNode *root, *a, *b, *c; /* root -> a, b; a, b -> c */
} Graph;

static Graph diamond(void)
{
    Graph g = {.scene = dv_scene_new()};
    g.root = dv_scene_root(g.scene);
    g.a = dv_node_new(g.root, "a");
    g.c = dv_node_new(g.a, "c");
    g.b = dv_node_new(g.root, "b");
    assert_int_equal(dv_node_attach(g.b, g.c), DV_OK);
    trace[0] = '\0';
    return g;
}

static const char *pruned, *stopped; /* names of nodes */

static DvVisit down(DvNode *node, void *context)
{
    (void)context;
    note(dv_node_name(node));
    if (stopped && strcmp(dv_node_name(node), stopped) == 0)
        return DV_VISIT_STOP;
    return pruned && strstr(pruned, dv_node_name(node)) && *dv_node_name(node) ? DV_VISIT_PRUNE : DV_VISIT_CONTINUE;
}

static DvVisit up(DvNode *node, void *context)
{
    (void)context;
    char text[64];
    snprintf(text, sizeof text, "^%s", dv_node_name(node));
    note(text);
    return DV_VISIT_CONTINUE;
}

static const DvVisitor visitor = {.top_down = down, .bottom_up = up};

static void walk(DvNode *root, const char *prune, const char *stop, const char *expected)
{
    trace[0] = '\0';
    pruned = prune;
    stopped = stop;
    dv_visit(root, &visitor, NULL);
    assert_string_equal(trace, expected);
}

static void a_node_is_visited_after_all_its_parents_and_left_in_reverse(void **state)
{
    (void)state;
    Graph g = diamond();
    dv_data_set_string(dv_object_field(dv_node_object(g.root), "name"), "r");
    walk(g.root, NULL, NULL, "r a b c ^c ^b ^a ^r ");
    walk(g.a, NULL, NULL, "a c ^c ^a ");
    dv_scene_free(g.scene);
}

static void a_child_is_skipped_when_all_its_parents_are_pruned(void **state)
{
    (void)state;
    Graph g = diamond();
    dv_data_set_string(dv_object_field(dv_node_object(g.root), "name"), "r");
    walk(g.root, "a", NULL, "r a b c ^c ^b ^a ^r ");
    walk(g.root, "ab", NULL, "r a b ^b ^a ^r ");
    walk(g.root, NULL, "a", "r a ");
    (void)dv_node_new(dv_node_new(g.c, "d"), "e"); /* and so is all below it */
    walk(g.root, "ab", NULL, "r a b ^b ^a ^r ");
    walk(g.root, "a", NULL, "r a b c d e ^e ^d ^c ^b ^a ^r ");
    walk(g.root, "d", NULL, "r a b c d ^d ^c ^b ^a ^r ");
    dv_scene_free(g.scene);
}

static void inactive_and_sleeping_nodes_are_passed_by(void **state)
{
    (void)state;
    Graph g = diamond();
    dv_data_set_string(dv_object_field(dv_node_object(g.root), "name"), "r");
    dv_node_set_active(g.b, false);
    walk(g.root, NULL, NULL, "r a c ^c ^a ^r "); /* b does not hold c back: it is outside the walk */
    dv_node_set_active(g.b, true);
    dv_data_set_bool(dv_object_field(dv_node_object(g.b), "sleeping"), true);
    walk(g.root, NULL, NULL, "r a c ^c ^a ^r ");
    const DvVisitor all = {.top_down = down, .enters_sleeping = true};
    trace[0] = '\0';
    dv_visit(g.root, &all, NULL);
    assert_string_equal(trace, "r a b c ");
    dv_scene_free(g.scene);
}

static char last_error[512];

static void keep_error(const DvMessage *message, void *context)
{
    (void)context;
    if (message->level == DV_LEVEL_ERROR)
        snprintf(last_error, sizeof last_error, "%s", message->text);
}

static void an_attachment_that_closes_a_cycle_is_refused_with_the_path(void **state)
{
    (void)state;
    Graph g = diamond();
    dv_log_set_handler(keep_error, NULL);
    assert_int_equal(dv_node_attach(g.c, g.a), DV_ERROR_CYCLE);
    assert_string_equal(last_error, "cannot be a child of '/a/c', which is below it");
    assert_int_equal(dv_node_attach(g.a, g.a), DV_ERROR_CYCLE);
    dv_log_set_handler(NULL, NULL);
    assert_int_equal(dv_node_attach(g.b, g.c), DV_OK); /* it is there already: nothing happens */
    assert_ptr_equal(dv_node_parent(g.c, 2), NULL);
    dv_scene_free(g.scene);
}

static void look_ups_go_the_way_they_say(void **state)
{
    (void)state;
    Graph g = diamond();
    DvObject *ghost = NULL;
    DvObject *top = recorder_in(g.root, "top"), *in_a = recorder_in(g.a, "in_a"),
             *last_in_a = recorder_in(g.a, "last_in_a");
    assert_int_equal(dv_object_new(g.c, "Ghost", &ghost, NULL), DV_OK);
    assert_ptr_equal(dv_node_find(g.c, TEST_RECORDER, DV_SEARCH_LOCAL), ghost);
    assert_ptr_equal(dv_node_slot(g.c, TEST_RECORDER), NULL);
    assert_ptr_equal(dv_node_slot(g.c, TEST_GHOST), ghost);
    assert_ptr_equal(dv_node_context(g.c, TEST_RECORDER), in_a);
    assert_ptr_equal(dv_node_context(g.a, TEST_RECORDER), last_in_a); /* own: the last; above: the first */
    assert_ptr_equal(dv_node_find(g.a, TEST_RECORDER, DV_SEARCH_UP), in_a);
    assert_ptr_equal(dv_node_find(g.a, TEST_RECORDER, DV_SEARCH_PARENTS), top);
    assert_ptr_equal(dv_node_find(g.b, TEST_RECORDER, DV_SEARCH_DOWN), ghost);
    assert_ptr_equal(dv_node_find(g.c, TEST_RECORDER, DV_SEARCH_ROOT), top);
    assert_ptr_equal(dv_node_find(g.c, "test.nothing/1", DV_SEARCH_UP), NULL);
    assert_ptr_equal(dv_node_context(g.root, "test.nothing/1"), NULL);
    DvObject *found[8];
    assert_int_equal(dv_node_find_all(g.a, TEST_RECORDER, DV_SEARCH_UP, found, 8), 3);
    assert_ptr_equal(found[0], in_a);
    assert_ptr_equal(found[2], top);
    assert_int_equal(dv_node_find_all(g.root, TEST_RECORDER, DV_SEARCH_DOWN, found, 2), 5); /* c is below both */
    assert_int_equal(dv_node_find_all(g.b, TEST_RECORDER, DV_SEARCH_ROOT, NULL, 0), 5);
    assert_int_equal(dv_node_find_all(g.a, TEST_RECORDER, DV_SEARCH_PARENTS, found, 8), 1);
    assert_int_equal(dv_node_find_all(g.a, TEST_RECORDER, DV_SEARCH_LOCAL, found, 8), 2);
    dv_object_remove(in_a);
    dv_object_remove(last_in_a);
    assert_ptr_equal(dv_node_context(g.c, TEST_RECORDER), top); /* two levels up */
    assert_ptr_equal(dv_node_find(g.c, TEST_RECORDER, DV_SEARCH_PARENTS), top);
    assert_ptr_equal(dv_node_find(g.root, TEST_GHOST, DV_SEARCH_DOWN), ghost);
    assert_ptr_equal(dv_node_find(g.root, "test.nothing/1", DV_SEARCH_DOWN), NULL);
    assert_ptr_equal(dv_node_find(g.root, TEST_RECORDER, (DvSearch)99), NULL);
    assert_ptr_equal(dv_node_scene(g.c), g.scene);
    assert_ptr_equal(dv_object_as_node(dv_node_object(g.c)), g.c);
    assert_ptr_equal(dv_object_as_node(ghost), NULL);
    assert_ptr_equal(dv_object_as_node(NULL), NULL);
    dv_scene_free(g.scene);
}

static void context_passes_from_the_first_parent_and_context_objects_act_on_the_way(void **state)
{
    (void)state;
    Graph g = diamond();
    const double gravity[3] = {0, 0, -5};
    dv_node_set_gravity(g.root, gravity);
    dv_node_set_time(g.root, 2.5);
    dv_node_set_dt(g.root, 0.125);
    dv_data_set_bool(dv_object_field(dv_node_object(g.root), "animate"), true);
    assert_int_equal(dv_object_new(g.a, "Gust", NULL, NULL), DV_OK);
    dv_node_propagate_context(g.root);
    assert_true(dv_node_gravity(g.b)[2] == -5);
    assert_true(dv_node_gravity(g.c)[1] == 2); /* its first parent is a */
    assert_true(dv_node_time(g.c) == 2.5 && dv_node_dt(g.c) == 0.125);
    assert_true(dv_data_bool(dv_object_field(dv_node_object(g.c), "animate")));
    dv_scene_free(g.scene);
}

static void edits_without_an_effect_are_harmless(void **state)
{
    (void)state;
    Graph g = diamond();
    DvObject *object = dv_object_ref(recorder_in(g.c, "x"));
    dv_node_detach(g.root, g.c); /* not its child */
    dv_node_remove(g.root);      /* goes with the scene alone */
    dv_object_move(dv_node_object(g.c), g.b);
    dv_object_move(object, g.c);
    walk(g.root, NULL, NULL, " a b c ^c ^b ^a ^ ");
    assert_ptr_equal(dv_object_node(object), g.c);
    dv_object_remove(object);
    dv_object_move(object, g.a); /* what has left does not come back */
    assert_ptr_equal(dv_object_node(object), NULL);
    dv_data_set_text(dv_object_field(object, "tags"), "late");
    assert_ptr_equal(dv_node_find(g.root, TEST_RECORDER, DV_SEARCH_DOWN), NULL);
    dv_object_unref(object);
    dv_scene_free(g.scene);
}

static DvVisit remove_b_at_a(DvNode *node, void *context)
{
    Graph *g = context;
    note(dv_node_name(node));
    if (node == g->a)
        dv_node_remove(g->b);
    return DV_VISIT_CONTINUE;
}

static DvVisit remove_itself_at_b(DvNode *node, void *context)
{
    Graph *g = context;
    note(dv_node_name(node));
    if (node == g->b)
        dv_node_remove(g->b);
    return DV_VISIT_CONTINUE;
}

static void a_visitor_may_remove_what_it_has_not_yet_left(void **state)
{
    (void)state;
    pruned = stopped = NULL;
    Graph g = diamond();
    dv_visit(g.root, &(const DvVisitor){.top_down = remove_b_at_a, .bottom_up = up}, &g);
    assert_string_equal(trace, " a c ^c ^a ^ ");
    dv_scene_free(g.scene);
    g = diamond();
    dv_visit(g.root, &(const DvVisitor){.top_down = remove_itself_at_b, .bottom_up = up}, &g);
    assert_string_equal(trace, " a b c ^c ^a ^ ");
    dv_scene_free(g.scene);
}

static void a_visitor_may_come_up_alone_and_finds_nothing_below_an_inactive_root(void **state)
{
    (void)state;
    Graph g = diamond();
    const DvVisitor upwards = {.bottom_up = up};
    dv_visit(g.root, &upwards, NULL);
    assert_string_equal(trace, "^c ^b ^a ^ ");
    dv_node_set_active(g.a, false);
    trace[0] = '\0';
    dv_visit(g.a, &upwards, NULL);
    assert_string_equal(trace, "");
    dv_scene_free(g.scene);
}

/* Schedules */

static void call_recorder(const DvCall *call, void *context)
{
    (void)context;
    note(dv_object_name(call->object));
}

static DvObject *victim;

static void call_and_remove_victim(const DvCall *call, void *context)
{
    call_recorder(call, context);
    if (victim) {
        DvObject *object = victim;
        victim = NULL;
        dv_object_remove(object);
    }
}

static DvVisit plan_recorders(DvPlanner *planner, DvNode *node)
{
    dv_plan_each(planner, node, TEST_RECORDER, call_recorder, NULL);
    return pruned && strcmp(dv_node_name(node), pruned) == 0 ? DV_VISIT_PRUNE : DV_VISIT_CONTINUE;
}

static DvVisit plan_recorders_up(DvPlanner *planner, DvNode *node)
{
    return plan_recorders(planner, node);
}

static DvVisit plan_removals(DvPlanner *planner, DvNode *node)
{
    dv_plan_each(planner, node, TEST_RECORDER, call_and_remove_victim, NULL);
    return DV_VISIT_CONTINUE;
}

static const DvPlan both_ways = {.name = "both ways", .top_down = plan_recorders, .bottom_up = plan_recorders_up};
static const DvPlan removals = {.name = "removals", .top_down = plan_removals};
static const DvTags no_tags = {NULL, 0};

static void run(DvNode *root, const DvPlan *plan, DvTags tags, const char *expected)
{
    trace[0] = '\0';
    dv_schedule_run(dv_schedule(root, plan, tags), NULL);
    assert_string_equal(trace, expected);
}

static void nodes_and_objects_stay_in_their_scene(void **state)
{
    (void)state;
    Graph g = diamond(), h = diamond();
    DvObject *object = recorder_in(h.a, "1");
    dv_log_set_handler(keep_error, NULL);
    assert_int_equal(dv_node_attach(g.b, h.c), DV_ERROR_INVALID);
    assert_string_equal(last_error, "cannot be a child of '/b', which is in another scene");
    dv_object_move(object, g.b);
    assert_string_equal(last_error, "cannot move to '/b', which is in another scene");
    dv_log_set_handler(NULL, NULL);
    assert_ptr_equal(dv_object_node(object), h.a);

    /* Nothing that happens in one raises a number of the other. */
    const uint64_t revision = dv_node_revision(h.root), planned = dv_schedule_planned_nodes(h.scene);
    recorder_in(g.b, "2");
    run(g.root, &both_ways, no_tags, "2 2 ");
    assert_int_equal(dv_node_revision(h.root), revision);
    assert_int_equal(dv_schedule_planned_nodes(h.scene), planned);

    /* A node that is held keeps what it needs of its scene. */
    dv_object_ref(dv_node_object(h.c));
    dv_scene_free(h.scene);
    assert_ptr_equal(dv_node_scene(h.c), h.scene);
    run(h.c, &both_ways, no_tags, "");
    dv_object_unref(dv_node_object(h.c));
    dv_scene_free(g.scene);
}

static void a_schedule_makes_the_calls_of_a_walk_and_is_kept_until_an_edit(void **state)
{
    (void)state;
    pruned = NULL;
    Graph g = diamond();
    recorder_in(g.c, "3");
    recorder_in(g.root, "0");
    recorder_in(g.b, "2");
    DvObject *one = recorder_in(g.a, "1");
    run(g.root, &both_ways, no_tags, "0 1 2 3 3 2 1 0 ");
    assert_ptr_equal(dv_schedule(g.root, &both_ways, no_tags), dv_schedule(g.root, &both_ways, no_tags));
    const uint64_t planned = dv_schedule_planned_nodes(g.scene);
    run(g.root, &both_ways, no_tags, "0 1 2 3 3 2 1 0 ");
    assert_int_equal(dv_schedule_planned_nodes(g.scene), planned);
    dv_object_move(one, g.c);
    run(g.root, &both_ways, no_tags, "0 2 3 1 3 1 2 0 ");
    assert_int_equal(dv_schedule_planned_nodes(g.scene), planned + 2); /* the nodes it left and joined */
    dv_object_remove(one);
    run(g.root, &both_ways, no_tags, "0 2 3 3 2 0 ");
    dv_scene_free(g.scene);
}

static void an_edit_plans_only_the_nodes_it_changed(void **state)
{
    (void)state;
    pruned = NULL;
    DvScene *scene = dv_scene_new();
    DvNode *root = dv_scene_root(scene), *last = NULL;
    enum { NODES = 1000 };
    for (int i = 0; i < NODES; i++)
        recorder_in(last = dv_node_new(i % 2 ? root : last ? last : root, "n"), "x");
    size_t calls;
    dv_schedule_calls(dv_schedule(root, &both_ways, no_tags), &calls);
    assert_int_equal(calls, 2 * NODES);
    const uint64_t planned = dv_schedule_planned_nodes(scene);
    recorder_in(last, "y");
    dv_schedule_calls(dv_schedule(root, &both_ways, no_tags), &calls);
    assert_int_equal(calls, 2 * NODES + 2);
    assert_int_equal(dv_schedule_planned_nodes(scene) - planned, 1);
    dv_scene_free(scene);
}

static uint32_t random_state;

static uint32_t random_below(uint32_t n)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (uint32_t)(((uint64_t)random_state * n) >> 32);
}

/* Prunes below nodes that hold an object named "fence". */
static DvVisit plan_fenced(DvPlanner *planner, DvNode *node)
{
    dv_plan_each(planner, node, TEST_RECORDER, call_recorder, NULL);
    DvObject *object;
    for (size_t i = 0; (object = dv_node_member(node, i)); i++)
        if (strcmp(dv_object_name(object), "fence") == 0)
            return DV_VISIT_PRUNE;
    return DV_VISIT_CONTINUE;
}

static DvVisit plan_fenced_up(DvPlanner *planner, DvNode *node)
{
    return plan_fenced(planner, node);
}

/* The calls of a schedule that has followed every edit are those of one compiled now, and so are its orders' calls. */
static void expect_fresh(DvNode *root, const DvPlan *kept, DvPlan *fresh)
{
    size_t count, fresh_count, at_count;
    *fresh = *kept; /* another plan, as far as the cache knows */
    const DvCall *expected = dv_schedule_calls(dv_schedule(root, fresh, no_tags), &fresh_count);
    DvSchedule *schedule = dv_schedule(root, kept, no_tags);
    const DvCall *calls = dv_schedule_calls(schedule, &count);
    assert_int_equal(count, fresh_count);
    for (size_t i = 0; i < count; i++) {
        assert_ptr_equal(calls[i].object, expected[i].object);
        assert_true(i == 0 || calls[i - 1].order <= calls[i].order);
        const DvCall *at = dv_schedule_calls_at(schedule, calls[i].order, &at_count);
        assert_true(at <= calls + i && calls + i < at + at_count);
    }
}

/* `parents` 1: the graph stays a tree, and is spliced; 2: it becomes one of several parents as well. */
static void edit_at_random(uint32_t seed, uint32_t parents)
{
    enum { NODES = 40, EDITS = 600, FRESH = 150 };
    static const DvPlan plan = {.name = "kept", .top_down = plan_fenced, .bottom_up = plan_fenced_up};
    static DvPlan fresh[2 * FRESH];
    DvScene *scene = dv_scene_new();
    DvNode *root = dv_scene_root(scene), *nodes[NODES] = {root};
    random_state = seed;
    for (uint32_t edit = 0, compared = 0; edit < EDITS; edit++) {
        const uint32_t which = 1 + random_below(NODES - 1), above = random_below(NODES);
        DvNode *node = nodes[which], *parent = nodes[above];
        DvObject *object;
        switch (random_below(8)) {
        case 0:
        case 1:
            if (!node && parent)
                recorder_in(nodes[which] = dv_node_new(parent, "n"), "first");
            break;
        case 2: /* with all below */
            if (node && edit % 3 == 0) {
                dv_node_remove(node);
                for (int i = 1; i < NODES; i++)
                    if (nodes[i] && dv_object_of(nodes[i]) && !dv_node_parent(nodes[i], 0)) {
                        dv_object_unref(dv_node_object(nodes[i]));
                        nodes[i] = NULL;
                    }
                node = NULL;
            }
            break;
        case 3:
            if (node && (object = dv_node_member(node, 0)))
                dv_object_remove(object);
            break;
        case 4:
            if (node)
                dv_node_set_active(node, !dv_node_is_active(node));
            break;
        case 5:
            if (node)
                recorder_in(node, random_below(8) ? "more" : "fence");
            break;
        case 6:
            if (node && parent && (object = dv_node_member(node, 0)))
                dv_object_move(object, parent);
            break;
        default:
            if (parents > 1 && node && parent && which != above) {
                dv_log_set_handler(keep_error, NULL); /* cycles are refused */
                (void)!dv_node_attach(parent, node);
                dv_log_set_handler(NULL, NULL);
            }
        }
        if (nodes[which] && nodes[which] != node)
            dv_object_ref(dv_node_object(nodes[which]));
        if (edit % 5 == 0) /* several edits at once, too */
            expect_fresh(root, &plan, &fresh[(parents - 1) * FRESH + compared++]);
    }
    for (int i = 1; i < NODES; i++)
        if (nodes[i])
            dv_object_unref(dv_node_object(nodes[i]));
    dv_scene_free(scene);
}

static void a_schedule_that_followed_any_edits_is_the_one_compiled_now(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 5; seed++) {
        edit_at_random(seed, 1);
        edit_at_random(seed, 2);
    }
}

/* However many plans a node is asked for, in turn and by turns, each gets the one schedule that was made for it. */
static void each_of_many_plans_keeps_its_schedule(void **state)
{
    (void)state;
    pruned = NULL;
    enum { PLANS = 20 };
    static DvPlan plans[PLANS];
    Graph g = diamond();
    DvObject *one = recorder_in(g.a, "1");
    DvSchedule *made[PLANS];
    for (size_t i = 0; i < PLANS; i++) {
        plans[i] = both_ways;
        made[i] = dv_schedule(g.root, &plans[i], no_tags);
    }
    const uint64_t planned = dv_schedule_planned_nodes(g.scene);
    for (size_t round = 1; round < PLANS; round++)
        for (size_t i = 0; i < PLANS; i++)
            assert_ptr_equal(dv_schedule(g.root, &plans[i * round % PLANS], no_tags), made[i * round % PLANS]);
    assert_int_equal(dv_schedule_planned_nodes(g.scene), planned);
    /* With tags it is another, and the one without stays what it is. */
    char *word = "tagged";
    const DvTags tags = {&word, 1};
    for (size_t i = 0; i < PLANS; i++)
        assert_ptr_not_equal(dv_schedule(g.root, &plans[i], tags), dv_schedule(g.root, &plans[i], no_tags));
    dv_object_remove(one);
    for (size_t i = 0; i < PLANS; i++)
        run(g.root, &plans[i], no_tags, "");
    dv_scene_free(g.scene);
}

static void changes_name_the_orders_whose_calls_are_others(void **state)
{
    (void)state;
    pruned = NULL;
    DvScene *scene = dv_scene_new();
    DvNode *root = dv_scene_root(scene), *a = dv_node_new(root, "a"), *b = dv_node_new(root, "b");
    DvObject *one = recorder_in(a, "1");
    recorder_in(b, "2");
    uint64_t seen = 0;
    const uint64_t *orders;
    size_t count;
    DvSchedule *schedule = dv_schedule(root, &both_ways, no_tags);
    assert_false(dv_schedule_changes(schedule, &seen, &orders, &count)); /* never looked: anything may have changed */
    assert_true(dv_schedule_changes(schedule, &seen, &orders, &count));
    assert_int_equal(count, 0);
    const uint64_t of_b = dv_schedule_calls(schedule, &count)[1].order;
    DvObject *three = recorder_in(b, "3");
    schedule = dv_schedule(root, &both_ways, no_tags);
    assert_true(dv_schedule_changes(schedule, &seen, &orders, &count));
    assert_int_equal(count, 1);
    assert_int_equal(orders[0], of_b);
    const DvCall *calls = dv_schedule_calls_at(schedule, of_b, &count);
    assert_int_equal(count, 2);
    assert_ptr_equal(calls[1].object, three);
    dv_node_remove(a);
    schedule = dv_schedule(root, &both_ways, no_tags);
    assert_true(dv_schedule_changes(schedule, &seen, &orders, &count));
    assert_int_equal(count, 1);
    (void)dv_schedule_calls_at(schedule, orders[0], &count);
    assert_int_equal(count, 0); /* what was there has left */
    (void)one;
    /* Who looks away for too long has to look at everything. */
    for (int i = 0; i < 5000; i++) {
        dv_data_set_text(dv_object_field(three, "tags"), i % 2 ? "odd" : "even");
        (void)dv_schedule(root, &both_ways, no_tags);
    }
    schedule = dv_schedule(root, &both_ways, no_tags);
    assert_false(dv_schedule_changes(schedule, &seen, &orders, &count));
    dv_scene_free(scene);
}

static void a_detached_object_comes_back_as_it_was(void **state)
{
    (void)state;
    pruned = NULL;
    Graph g = diamond();
    DvObject *one = recorder_in(g.a, "1"), *two = recorder_in(g.b, "2");
    RecorderBehaviour *behaviour = behaviour_of(one);
    dv_link_set(&((Recorder *)dv_object_self(two))->friend_link, one);
    const unsigned cleaned = behaviour->cleaned, destroyed = behaviour->destroyed;
    run(g.root, &both_ways, no_tags, "1 2 2 1 ");
    assert_int_equal(dv_object_detach(one), DV_OK);
    assert_ptr_equal(dv_object_node(one), NULL);
    run(g.root, &both_ways, no_tags, "2 2 ");
    assert_ptr_equal(dv_link_object(&((Recorder *)dv_object_self(two))->friend_link), one); /* links still lead to it */
    const uint64_t before = dv_allocation_count();
    assert_int_equal(dv_object_attach(one, g.b), DV_OK);
    assert_int_equal(dv_object_detach(one), DV_OK);
    assert_int_equal(dv_object_attach(one, g.b), DV_OK);
    assert_int_equal(dv_allocation_count(), before);
    run(g.root, &both_ways, no_tags, "2 1 2 1 ");
    assert_int_equal(behaviour->cleaned, cleaned);
    /* What makes no sense is refused: twice, nodes, another scene. */
    Graph h = diamond();
    dv_log_set_handler(keep_error, NULL);
    assert_int_equal(dv_object_attach(one, g.a), DV_ERROR_INVALID);
    assert_string_equal(last_error, "cannot be attached to '/a': it is in '/b'; detach it first");
    assert_int_equal(dv_object_detach(one), DV_OK);
    assert_int_equal(dv_object_detach(one), DV_ERROR_INVALID);
    assert_string_equal(last_error, "cannot be detached: it is in no node");
    assert_int_equal(dv_object_attach(one, h.a), DV_ERROR_INVALID);
    assert_string_equal(last_error, "cannot be attached to '/a', which is in another scene");
    assert_int_equal(dv_object_detach(dv_node_object(g.c)), DV_ERROR_INVALID);
    assert_string_equal(last_error, "is a node, which is not detached as an object is; use dv_node_set_active");
    dv_log_set_handler(NULL, NULL);
    /* Who lets go of a detached object ends it. */
    dv_object_unref(one);
    assert_int_equal(behaviour->cleaned, cleaned + 1);
    assert_int_equal(behaviour->destroyed, destroyed + 1);
    assert_ptr_equal(dv_link_object(&((Recorder *)dv_object_self(two))->friend_link), NULL);
    dv_scene_free(g.scene);
    dv_scene_free(h.scene);
}

static void a_schedule_honours_pruning_and_tags(void **state)
{
    (void)state;
    pruned = NULL;
    Graph g = diamond();
    DvObject *one = recorder_in(g.a, "1"), *two = recorder_in(g.b, "2");
    recorder_in(g.c, "3");
    dv_data_set_text(dv_object_field(one, "tags"), "red big");
    dv_data_set_text(dv_object_field(two, "tags"), "red");
    char *words[] = {"red"}, *not_big[] = {"red", "!big"}, *nobody[] = {"0"}, *absent[] = {"!big"};
    run(g.root, &both_ways, (DvTags){words, 1}, "1 2 2 1 ");
    run(g.root, &both_ways, (DvTags){not_big, 2}, "2 2 ");
    run(g.root, &both_ways, (DvTags){nobody, 1}, "3 3 "); /* objects without tags */
    run(g.root, &both_ways, (DvTags){absent, 1}, "2 3 3 2 ");
    dv_data_set_text(dv_object_field(two, "tags"), "blue");
    run(g.root, &both_ways, (DvTags){words, 1}, "1 1 ");
    dv_scene_free(g.scene);
}

/* The first of each node. */
static DvVisit plan_the_first(DvPlanner *planner, DvNode *node)
{
    DvObject *first = dv_node_find(node, TEST_RECORDER, DV_SEARCH_LOCAL);
    if (first)
        dv_plan_call(planner, first, TEST_RECORDER, call_recorder, NULL);
    return DV_VISIT_CONTINUE;
}

static void parts_of_schedules_are_kept_apart_by_plan_root_and_tags(void **state)
{
    (void)state;
    pruned = NULL;
    Graph g = diamond();
    const DvPlan firsts = {.name = "the first", .top_down = plan_the_first},
                 all = {.name = "all", .top_down = plan_recorders};
    dv_data_set_text(dv_object_field(recorder_in(g.root, "0"), "tags"), "red");
    dv_data_set_text(dv_object_field(recorder_in(g.a, "1"), "tags"), "blue");
    dv_data_set_text(dv_object_field(recorder_in(g.a, "2"), "tags"), "red");
    char *red[] = {"red"}, *blue[] = {"blue"};
    for (int round = 0; round < 2; round++) { /* planned, then kept */
        run(g.a, &firsts, no_tags, "1 ");
        run(g.root, &firsts, no_tags, "0 1 ");
        run(g.root, &all, no_tags, "0 1 2 ");
        run(g.a, &all, no_tags, "1 2 ");
        run(g.a, &all, (DvTags){red, 1}, "2 ");
        run(g.root, &all, (DvTags){blue, 1}, "1 ");
        run(g.root, &all, (DvTags){red, 1}, "0 2 ");
        run(g.a, &all, (DvTags){blue, 1}, "1 ");
        run(g.a, &firsts, (DvTags){blue, 1}, "1 ");
        recorder_in(g.b, "new"); /* an edit elsewhere: parts are put together again */
        dv_object_remove(dv_node_member(g.b, 0));
    }
    dv_scene_free(g.scene);
}

static void what_a_call_removes_is_not_called_any_more_and_is_freed_after_the_run(void **state)
{
    (void)state;
    Graph g = diamond();
    RecorderBehaviour *behaviour = behaviour_of(recorder_in(g.a, "1"));
    victim = recorder_in(g.b, "2");
    recorder_in(g.c, "3");
    const unsigned cleaned = behaviour->cleaned, destroyed = behaviour->destroyed;
    run(g.root, &removals, no_tags, "1 3 ");
    assert_int_equal(behaviour->cleaned - cleaned, 1);
    assert_int_equal(behaviour->destroyed - destroyed, 1);
    victim = dv_node_find(g.a, TEST_RECORDER, DV_SEARCH_LOCAL); /* it removes itself, while it runs */
    run(g.root, &removals, no_tags, "1 3 ");
    assert_int_equal(behaviour->destroyed - destroyed, 2);
    run(g.root, &removals, no_tags, "3 ");
    victim = dv_object_ref(dv_node_find(g.c, TEST_RECORDER, DV_SEARCH_LOCAL)); /* somebody keeps it */
    DvObject *kept = victim;
    run(g.root, &removals, no_tags, "3 ");
    assert_int_equal(behaviour->destroyed - destroyed, 2);
    assert_ptr_equal(dv_object_node(kept), NULL);
    dv_object_unref(kept);
    assert_int_equal(behaviour->destroyed - destroyed, 3);
    dv_scene_free(g.scene);
}

static DvVisit plan_until_a(DvPlanner *planner, DvNode *node)
{
    (void)plan_recorders(planner, node);
    return strcmp(dv_node_name(node), "a") == 0 ? DV_VISIT_STOP : DV_VISIT_CONTINUE;
}

static void a_plan_may_stop_the_walk_or_only_come_up(void **state)
{
    (void)state;
    pruned = NULL;
    Graph g = diamond();
    recorder_in(g.root, "0");
    recorder_in(g.a, "1");
    recorder_in(g.b, "2");
    recorder_in(g.c, "3");
    const DvPlan until_a = {.name = "until a", .top_down = plan_until_a},
                 upwards = {.name = "up", .bottom_up = plan_recorders_up};
    run(g.root, &until_a, no_tags, "0 1 ");
    run(g.root, &upwards, no_tags, "3 2 1 0 ");
    dv_scene_free(g.scene);
}

static const DvPlan *nested_plan;
static DvNode *nested_root;
static int nesting;

static void call_nested(const DvCall *call, void *context)
{
    call_recorder(call, context);
    if (nesting == 0)
        return;
    nesting--;
    DvSchedule *same = dv_schedule(nested_root, nested_plan, no_tags);
    if (nesting == 0)
        recorder_in(nested_root, "new"); /* the running ones finish with what they have */
    if (nesting == 0)
        assert_ptr_not_equal(dv_schedule(nested_root, nested_plan, no_tags), same);
    else
        dv_schedule_run(same, NULL);
}

static DvVisit plan_nested(DvPlanner *planner, DvNode *node)
{
    dv_plan_each(planner, node, TEST_RECORDER, call_nested, NULL);
    return DV_VISIT_CONTINUE;
}

static void a_schedule_may_run_inside_itself_and_be_replaced_meanwhile(void **state)
{
    (void)state;
    Graph g = diamond();
    recorder_in(g.a, "1");
    const DvPlan plan = {.name = "nested", .top_down = plan_nested};
    nested_plan = &plan;
    nested_root = g.root;
    nesting = 2; /* the call runs the schedule; the call in there edits the graph */
    run(g.root, &plan, no_tags, "1 1 ");
    run(g.root, &plan, no_tags, "new 1 ");
    dv_scene_free(g.scene);
}

static DvNode *node_to_remove, *node_to_grow;
static const DvPlan *const running_plan; /* the one that edit_the_graph is part of */

static void edit_the_graph(const DvCall *call, void *context)
{
    call_recorder(call, context);
    if (node_to_remove) {
        dv_node_remove(node_to_remove);
        node_to_remove = NULL;
    }
    if (node_to_grow) {
        recorder_in(dv_node_new(node_to_grow, "new"), "new");
        node_to_grow = NULL;
        DvNode *root = dv_node_root(dv_object_node(call->object));
        dv_schedule_run(dv_schedule(root, running_plan, no_tags), NULL); /* the new one is seen */
        note("|");
    }
}

static DvVisit plan_edits(DvPlanner *planner, DvNode *node)
{
    dv_plan_each(planner, node, TEST_RECORDER, edit_the_graph, NULL);
    return DV_VISIT_CONTINUE;
}
static const DvPlan edits = {.name = "edits", .top_down = plan_edits};
static const DvPlan *const running_plan = &edits;

static void nodes_may_come_and_go_while_a_schedule_runs(void **state)
{
    (void)state;
    Graph g = diamond();
    RecorderBehaviour *behaviour = behaviour_of(recorder_in(g.root, "0"));
    recorder_in(g.a, "1");
    recorder_in(g.b, "2");
    recorder_in(g.c, "3");
    const unsigned destroyed = behaviour->destroyed;
    node_to_remove = g.a; /* c stays: it is below b too */
    node_to_grow = g.b;
    run(g.root, &edits, no_tags, "0 0 2 3 new | 2 3 ");
    assert_int_equal(behaviour->destroyed - destroyed, 1);
    run(g.root, &edits, no_tags, "0 2 3 new ");
    assert_ptr_equal(dv_node_parent(g.c, 0), g.b);
    assert_string_equal(dv_node_path(g.c), "/b/c");
    node_to_remove = g.b;
    run(g.root, &edits, no_tags, "0 ");
    assert_int_equal(behaviour->destroyed - destroyed, 4);
    dv_scene_free(g.scene);
}

static void links_to_what_was_removed_are_empty(void **state)
{
    (void)state;
    Graph g = diamond();
    DvObject *target = recorder_in(g.a, "target");
    DvObject *one = recorder_in(g.b, "one");
    dv_link_set(&((Recorder *)dv_object_self(one))->friend_link, target);
    assert_ptr_equal(dv_link_object(&((Recorder *)dv_object_self(one))->friend_link), target);
    dv_node_remove(g.a);
    assert_ptr_equal(dv_link_object(&((Recorder *)dv_object_self(one))->friend_link), NULL);
    dv_scene_free(g.scene);
}

/* Events */

static const char *handler;

static void hear(DvObject *object, DvEvent *event)
{
    note(dv_object_name(object));
    if (handler && strcmp(dv_object_name(object), handler) == 0)
        event->handled = true;
}

static void tell(Graph g, const char *expected)
{
    trace[0] = '\0';
    DvEvent event = {.kind = DV_EVENT_CUSTOM, .name = "test"};
    dv_event_send(g.root, &event);
    assert_string_equal(trace, expected);
}

static void an_event_reaches_listeners_in_order_until_it_is_handled(void **state)
{
    (void)state;
    Graph g = diamond();
    tell(g, "");
    DvObject *zero = recorder_in(g.root, "0"), *one = recorder_in(g.a, "1");
    DvNode *below = dv_node_new(g.a, "below");
    recorder_in(g.a, "1b");
    recorder_in(below, "1c");
    recorder_in(g.b, "2");
    recorder_in(g.b, "2b");
    behaviour_of(zero)->on_event = hear;
    handler = NULL;
    tell(g, "0 1 1b 1c 2 2b ");
    handler = "1"; /* nothing more in its branch, and only the first of each node elsewhere */
    tell(g, "0 1 2 ");
    handler = NULL;
    dv_data_set_bool(dv_object_field(one, "listening"), false);
    tell(g, "0 1b 1c 2 2b ");
    behaviour_of(zero)->on_event = NULL;
    dv_scene_free(g.scene);
}

static int start(void **state)
{
    (void)state;
    const char *const plugins[] = {getenv("DIVAN_GRAPH_PLUGIN"), NULL};
    const DvStartOptions options = {.plugins = plugins, .only_given = true};
    return dv_start(&options) == DV_OK ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_node_is_visited_after_all_its_parents_and_left_in_reverse),
        cmocka_unit_test(a_child_is_skipped_when_all_its_parents_are_pruned),
        cmocka_unit_test(inactive_and_sleeping_nodes_are_passed_by),
        cmocka_unit_test(an_attachment_that_closes_a_cycle_is_refused_with_the_path),
        cmocka_unit_test(look_ups_go_the_way_they_say),
        cmocka_unit_test(context_passes_from_the_first_parent_and_context_objects_act_on_the_way),
        cmocka_unit_test(edits_without_an_effect_are_harmless),
        cmocka_unit_test(a_visitor_may_remove_what_it_has_not_yet_left),
        cmocka_unit_test(a_visitor_may_come_up_alone_and_finds_nothing_below_an_inactive_root),
        cmocka_unit_test(a_plan_may_stop_the_walk_or_only_come_up),
        cmocka_unit_test(a_schedule_may_run_inside_itself_and_be_replaced_meanwhile),
        cmocka_unit_test(nodes_and_objects_stay_in_their_scene),
        cmocka_unit_test(a_schedule_makes_the_calls_of_a_walk_and_is_kept_until_an_edit),
        cmocka_unit_test(an_edit_plans_only_the_nodes_it_changed),
        cmocka_unit_test(a_schedule_that_followed_any_edits_is_the_one_compiled_now),
        cmocka_unit_test(each_of_many_plans_keeps_its_schedule),
        cmocka_unit_test(changes_name_the_orders_whose_calls_are_others),
        cmocka_unit_test(a_detached_object_comes_back_as_it_was),
        cmocka_unit_test(a_schedule_honours_pruning_and_tags),
        cmocka_unit_test(parts_of_schedules_are_kept_apart_by_plan_root_and_tags),
        cmocka_unit_test(what_a_call_removes_is_not_called_any_more_and_is_freed_after_the_run),
        cmocka_unit_test(nodes_may_come_and_go_while_a_schedule_runs),
        cmocka_unit_test(links_to_what_was_removed_are_empty),
        cmocka_unit_test(an_event_reaches_listeners_in_order_until_it_is_handled),
    };
    return cmocka_run_group_tests(tests, start, stop_plugins);
}
