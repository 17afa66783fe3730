/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Paths: where "@..." leads from a node or an object.
 */
#include "kernel_test.h"

static DvScene *scene;

static int setup(void **state)
{
    if (start_parts(state))
        return -1;
    scene = load("<Node name='root'>"
                 "  <Points name='dofs'/>"
                 "  <Value name='twin'/>"
                 "  <Node name='A'>"
                 "    <Points name='own' template='Vec2d'/> <Value name='v' number='3'/> <Value name='w'/>"
                 "    <Node name='B'><Value name='deep' number='5'/></Node>"
                 "  </Node>"
                 "  <Node name='twin'><Value name='inside'/></Node>"
                 "  <Node name='two'><Points name='p'/><Points name='q'/></Node>"
                 "  <Node name='seen'><Picture name='i'/><Node name='both'><Points name='p'/><Picture/></Node></Node>"
                 "  <Node name='album'><Picture/><Picture/></Node>"
                 "  <Node name='none'><Value name='dotted.name'/></Node>"
                 "</Node>");
    return scene ? 0 : -1;
}

static int teardown(void **state)
{
    dv_scene_free(scene);
    return stop_parts(state);
}

static DvNode *node(const char *path)
{
    return dv_object_as_node(object_at(scene, path));
}

static void leads(const char *from_node, const char *from, const char *path, const char *contract, const char *expected)
{
    DvObject *start = from ? object_at(scene, from) : NULL;
    const DvObject *found = dv_node_resolve(node(from_node), start, path, contract);
    if (!expected)
        assert_null(found);
    else if (!found)
        fail_msg("%s leads nowhere instead of to %s", path, expected);
    else
        assert_string_equal(dv_object_path(found), expected);
}

static void a_name_is_searched_in_the_node_then_upwards(void **state)
{
    (void)state;
    leads("@/A/B", NULL, "@deep", NULL, "/A/B/deep");
    leads("@/A/B", NULL, "@own", NULL, "/A/own");
    leads("@/A/B", NULL, "@dofs", NULL, "/dofs");
    leads("@/A/B", NULL, "@A/v", NULL, "/A/v");
    leads("@/A/B", NULL, "@missing", NULL, NULL);
}

static void once_something_is_found_the_rest_is_strict(void **state)
{
    (void)state;
    leads("@/A/B", NULL, "@A/dofs", NULL, NULL);
    leads("@/A/B", NULL, "@./dofs", NULL, NULL);
    leads("@/A/B", NULL, "@../dofs", NULL, NULL);
    leads("@/A/B", NULL, "@/own", NULL, NULL);
}

static void dots_and_slashes_walk_the_graph(void **state)
{
    (void)state;
    leads("@/A/B", NULL, "@../v", NULL, "/A/v");
    leads("@/A/B", NULL, "@../../dofs", NULL, "/dofs");
    leads("@/A/B", NULL, "@../../..", NULL, NULL);
    leads("@/A/B", NULL, "@/A//v", NULL, "/A/v");
    leads("@/A/B", NULL, "@/", NULL, "/");
    leads("@/A/B", NULL, "@./deep", NULL, "/A/B/deep");
    leads("@/A", "@/A/v", "@own/..", NULL, "/A");
}

static void a_child_node_comes_before_an_object_of_its_name(void **state)
{
    (void)state;
    leads("@/", NULL, "@twin/inside", NULL, "/twin/inside");
    assert_non_null(dv_object_as_node(dv_node_resolve(node("@/"), NULL, "@twin", NULL)));
}

static void brackets_count_back_from_the_owner(void **state)
{
    (void)state;
    leads("@/A", "@/A/w", "@[-1]", NULL, "/A/v");
    leads("@/A", "@/A/w", "@[-2]", NULL, "/A/own");
    leads("@/A", "@/A/w", "@[-3]", NULL, NULL);
    leads("@/A", "@/A/w", "@[]", NULL, "/A/w");
    leads("@/A", "@/A/w", "@", NULL, "/A/w");
    leads("@/A", NULL, "@[-1]", NULL, "/A/w");
    leads("@/A", "@/A/w", "@[1]", NULL, NULL);
    leads("@/A", "@/A/w", "@[-1", NULL, NULL);
    leads("@/A", "@/A/w", "@[-1]x", NULL, NULL);
    leads("@/A", "@/A/w", "@[", NULL, NULL);
}

static void a_node_stands_for_its_only_object_of_the_contract(void **state)
{
    (void)state;
    leads("@/A/B", NULL, "@../", "test.state/1", "/A/own");
    leads("@/A", NULL, "@../", "test.state/1", "/dofs");
    leads("@/A/B", NULL, "@./", "test.state/1", "/A/own"); /* none of its own: taken from above */
    leads("@/two", NULL, "@./", "test.state/1", NULL);     /* which of the two? */
    leads("@/seen", NULL, "@./", "test.state/1", "/seen/i");
    leads("@/seen/both", NULL, "@./", "test.state/1", "/seen/both/p");
    leads("@/album", NULL, "@./", "test.state/1", NULL);
    leads("@/A", NULL, "@v", "test.state/1", NULL);
    leads("@/A", NULL, "own", "test.state/1", NULL);
}

static void names_with_dots_can_be_reached(void **state)
{
    (void)state;
    leads("@/none", NULL, "@dotted.name", NULL, "/none/dotted.name");
}

static double read_through(const char *path)
{
    DvScene *reader;
    char text[512];
    snprintf(text, sizeof text,
             "<Node><Value name='v' number='3'/><Node name='A.B'><Value name='w' number='4'/></Node>"
             "<Value name='x' number='%s'/></Node>",
             path);
    reader = load(text);
    const double value = number_at(reader, "@x", "number");
    dv_scene_free(reader);
    return value;
}

static void the_field_is_behind_the_last_dot_of_the_last_part(void **state)
{
    (void)state;
    assert_true(read_through("@v.number") == 3);
    assert_true(read_through("@v.size") == 3); /* by an alias */
    assert_true(read_through("@A.B/w.number") == 4);
    assert_true(read_through("@[-1].number") == 3);
    assert_true(read_through("@./.dt") == 0.01); /* of the node */
}

/* Of several things with one name each has a link of its own, and a node's name is told in a file as in code. */
static void namesakes_have_links_of_their_own(void **state)
{
    (void)state;
    DvScene *scene =
        load("<Node><Node name='B'><Value name='v' number='1'/></Node>\n<Node name='B'><Value name='v' number='2'/>"
             "<Value name='v' number='3'/></Node><Node/><Node><Value name='v' number='4'/></Node>"
             "<Node name='x[2]'/><Value name='B' number='5'/></Node>");
    assert_says(
        "warning: scene.scn:2: Node 'B': its parent has another child of this name, to which paths lead; the path of this "
        "one is '@/B[2]'");
    static const char *const links[] = {"@/B/v", "@/B[2]/v", "@/B[2]/v[2]", "@/[2]/v", "@/B[3]"};
    for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
        const DvObject *object = object_at(scene, links[i]);
        assert_true(number_at(scene, links[i], "number") == (double)(i + 1));
        DvText path = {0};
        dv_object_link_path(object, &path);
        assert_string_equal(path.at, links[i]);
        dv_text_free(&path);
    }
    object_at(scene, "@/x[2]"); /* its name */
    static const char *const nowhere[] = {"@/B[4]", "@/B[0]", "@/B[]", "@/B[1", "@/B[1]x", "@/[3]", "@/B[-1]", "@/]"};
    for (size_t i = 0; i < sizeof nowhere / sizeof *nowhere; i++)
        assert_null(dv_node_resolve(dv_scene_root(scene), NULL, nowhere[i], NULL));
    assert_ptr_equal(object_at(scene, "@/B[1]"), object_at(scene, "@/B"));
    forget_messages();
    (void)dv_node_new(dv_scene_root(scene), "B");
    assert_says("its parent has another child of this name, to which paths lead; the path of this one is '@/B[3]'");
    dv_scene_free(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(namesakes_have_links_of_their_own),
        cmocka_unit_test(a_name_is_searched_in_the_node_then_upwards),
        cmocka_unit_test(once_something_is_found_the_rest_is_strict),
        cmocka_unit_test(dots_and_slashes_walk_the_graph),
        cmocka_unit_test(a_child_node_comes_before_an_object_of_its_name),
        cmocka_unit_test(brackets_count_back_from_the_owner),
        cmocka_unit_test(a_node_stands_for_its_only_object_of_the_contract),
        cmocka_unit_test(names_with_dots_can_be_reached),
        cmocka_unit_test(the_field_is_behind_the_last_dot_of_the_last_part),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
