/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Scene files: elements, includes, macros, and what a hostile file meets.
 */
#include <errno.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "kernel_test.h"

static char folder[200];

static int setup(void **state)
{
    snprintf(folder, sizeof folder, P_tmpdir "/divan-reader-XXXXXX");
    return mkdtemp(folder) ? start_parts(state) : -1;
}

static int teardown(void **state)
{
    char command[300];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command) == 0 ? stop_parts(state) : -1;
}

static const char *file(const char *name)
{
    static char path[300];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void put_bytes(const char *name, const char *text, size_t length)
{
    FILE *out = fopen(file(name), "w");
    assert_non_null(out);
    assert_int_equal(fwrite(text, 1, length, out), length);
    fclose(out);
}

static void put(const char *name, const char *text)
{
    put_bytes(name, text, strlen(text));
}

static DvScene *load_file(const char *name, DvStatus expected)
{
    DvScene *scene;
    forget_messages();
    const DvStatus status = dv_scene_load(file(name), NULL, &scene);
    if (status != expected)
        fail_msg("%s: %s", dv_status_name(status), said());
    return scene;
}

static void both_forms_of_an_object_are_the_same(void **state)
{
    (void)state;
    DvScene *scene =
        load("<Node name='root' dt='0.5'><Object type='Value' name='v' count='2'/><Value name='w' count='2'/></Node>");
    assert_silent();
    assert_ptr_equal(dv_object_class(object_at(scene, "@v")), dv_object_class(object_at(scene, "@w")));
    assert_true(dv_node_dt(dv_scene_root(scene)) == 0.5);
    int line, column;
    assert_string_equal(dv_object_file(object_at(scene, "@w"), &line, &column), "scene.scn");
    assert_int_equal(column, 69);
    dv_scene_free(scene);
    assert_refused("<Node><Object name='v'/></Node>", DV_ERROR_INVALID, "<Object> needs the attribute 'type'");
}

/* Whatever ends the lines: attributes are found where they stand. */
static void attributes_are_named_by_their_place(void **state)
{
    (void)state;
    static const char *const ends[] = {"\n", "\r\n", "\t\n", "\n\n"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        char text[200], place[60];
        snprintf(text, sizeof text, "<Node>%s<Value name='v'%s  text='a'%s\t\tnonsense = 'b'/></Node>", ends[i],
                 ends[i], ends[i]);
        dv_scene_free(load(text));
        snprintf(place, sizeof place, "scene.scn:%d:3: Value", i == 3 ? 7 : 4);
        assert_says(place);
    }
}

static void an_attribute_element_sets_a_field_of_its_object(void **state)
{
    (void)state;
    DvScene *scene = load("<Node><Value name='v'><Attribute type='text'><Data value='a'/></Attribute>"
                          "<Attribute type='count' value='4'/></Value></Node>");
    assert_silent();
    assert_string_equal(dv_data_string(field_at(scene, "@v", "text")), "a");
    assert_int_equal(dv_data_int(field_at(scene, "@v", "count")), 4);
    dv_scene_free(scene);
    scene = load("<Node><Attribute type='dt' value='4'/></Node>");
    assert_says("<Attribute> has no effect inside a node");
    assert_true(dv_node_dt(dv_scene_root(scene)) == 0.01);
    dv_scene_free(scene);
}

static void what_stands_in_the_wrong_place_is_told(void **state)
{
    (void)state;
    assert_refused("<Value/>", DV_ERROR_INVALID, "scene.scn:1:1: a scene starts with <Node>, not <Value>");
    assert_refused("<Node><Value><Value/></Value></Node>", DV_ERROR_INVALID,
                   "scene.scn:1:14: <Value> cannot stand inside the object <Value>");
    assert_refused("<Node><Value><Node/></Value></Node>", DV_ERROR_INVALID,
                   "<Node> cannot stand inside the object <Value>");
    DvScene *scene = load("<Node type='GNode'><Value name='v' type='x'/></Node>");
    assert_says("warning: scene.scn:1:20: <Value> with an attribute 'type' is left out");
    assert_null(dv_node_resolve(dv_scene_root(scene), NULL, "@v", NULL));
    dv_scene_free(scene);
}

static void text_and_line_ends_in_values_are_blanks(void **state)
{
    (void)state;
    DvScene *scene = load("<Node> text <Value name='v' list='1 2\n3\t4' text='a&#10;b'/></Node>");
    size_t count;
    dv_data_doubles(field_at(scene, "@v", "list"), &count);
    assert_int_equal(count, 4);
    assert_string_equal(dv_data_string(field_at(scene, "@v", "text")), "a\nb");
    dv_scene_free(scene);
}

static void a_file_is_found_by_name_and_checked_first(void **state)
{
    (void)state;
    put("good.scn", "<Node><Value name='v' count='3'/></Node>");
    put("GOOD2.XML", "<Node/>");
    dv_scene_free(load_file("good.scn", DV_OK));
    dv_scene_free(load_file("GOOD2.XML", DV_OK));
    assert_null(load_file("missing.scn", DV_ERROR_NOT_FOUND));
    assert_says("missing.scn: no such file, neither here nor in DIVAN_DATA_PATH");
    assert_null(load_file("good.py", DV_ERROR_INVALID));
    assert_says("a scene file ends in .scn or .xml");
    DvScene *scene;
    assert_int_equal(dv_scene_load("", NULL, &scene), DV_ERROR_INVALID);
    setenv("DIVAN_DATA_PATH", folder, 1);
    assert_int_equal(dv_scene_load("good.scn", NULL, &scene), DV_OK);
    dv_scene_free(scene);
    unsetenv("DIVAN_DATA_PATH");
}

static void an_included_node_becomes_a_child_with_overrides(void **state)
{
    (void)state;
    mkdir(file("sub"), 0755);
    put("sub/part.xml", "<Node name='part' dt='3'><Value name='v' count='1' text='x'/><Value name='w' count='2'/>"
                        "<Value name='u'/><include href='deep.xml'/></Node>");
    put("sub/deep.xml", "<Node name='deep'><Value name='v' count='7'/></Node>");
    put("main.scn",
        "<Node name='root'><include href='sub/part.xml' name='mine' count='9' v__text='y' w__count='5' dt='8'/>"
        "<include href='sub/part.xml'/></Node>");
    DvScene *scene = load_file("main.scn", DV_OK);
    assert_says("part.xml:1:19: Node 'part': dt: has no effect: the whole scene steps by the 0.01 s of its root");
    assert_int_equal(dv_data_int(field_at(scene, "@/mine/v", "count")), 9);
    assert_string_equal(dv_data_string(field_at(scene, "@/mine/v", "text")), "y");
    assert_int_equal(dv_data_int(field_at(scene, "@/mine/w", "count")), 5);
    assert_int_equal(dv_data_int(field_at(scene, "@/mine/u", "count")), 7); /* not in the file: not overridden */
    assert_int_equal(dv_data_int(field_at(scene, "@/mine/deep/v", "count")), 9);
    assert_int_equal(dv_data_int(field_at(scene, "@/part/v", "count")), 1);
    int line;
    assert_string_equal(strrchr(dv_object_file(object_at(scene, "@/part/v"), &line, NULL), '/'), "/part.xml");
    dv_scene_free(scene);
}

static void a_group_is_put_in_place_and_a_merge_is_merged(void **state)
{
    (void)state;
    put("group.xml", "<Node name='Group'><Value name='a'/><Node name='inner'/></Node>");
    put("merge.xml", "<Node dt='0.3' name='_Merge_'><Value name='own' count='4'/><Value name='new'/>"
                     "<Node name='child'><Value name='more'/></Node></Node>");
    put("main.scn",
        "<Node name='root' dt='0.1'><Value name='own' count='1' text='t'/><Node name='child'><Value name='less'/></Node>"
        "<include href='group.xml'/><include href='merge.xml'/></Node>");
    DvScene *scene = load_file("main.scn", DV_OK);
    object_at(scene, "@/a");
    object_at(scene, "@/inner");
    assert_int_equal(dv_data_int(field_at(scene, "@/own", "count")), 4);
    assert_string_equal(dv_data_string(field_at(scene, "@/own", "text")), "t");
    object_at(scene, "@/child/less");
    object_at(scene, "@/child/more");
    object_at(scene, "@/new");
    assert_true(dv_node_dt(dv_scene_root(scene)) == 0.3);
    dv_scene_free(scene);
}

static void a_class_that_nobody_offers_may_be_a_macro_file(void **state)
{
    (void)state;
    mkdir(file("Objects"), 0755);
    put("Objects/Plate.xml", "<Node name='Plate'><Value name='v' count='1'/></Node>");
    put("main.scn", "<Node><Plate name='mine' count='6'/><Object type='Plate'/></Node>");
    DvScene *scene = load_file("main.scn", DV_OK);
    assert_int_equal(dv_data_int(field_at(scene, "@/mine/v", "count")), 6);
    assert_int_equal(dv_data_int(field_at(scene, "@/Plate/v", "count")), 1);
    dv_scene_free(scene);
    put("main.scn", "<Node><include href='Objects/Both.xml' count='9'/><include href='Objects/Plate.xml'/></Node>");
    scene = load_file("main.scn", DV_OK); /* of the first there is no file, but the old name */
    assert_int_equal(dv_data_int(field_at(scene, "@/Value1", "count")), 9);
    assert_string_equal(dv_object_variant(object_at(scene, "@/Points1")), "Rigid3d");
    object_at(scene, "@/Plate/v");
    dv_scene_free(scene);
}

static void files_that_include_themselves_are_refused(void **state)
{
    (void)state;
    put("one.scn", "<Node>\n<include href='two.xml'/></Node>");
    put("two.xml", "<Node><include href='one.scn'/></Node>");
    assert_null(load_file("one.scn", DV_ERROR_CYCLE));
    assert_says("one.scn' includes itself, through other files");
    put("self.scn", "<Node>\n<include href='./self.scn'/></Node>");
    assert_null(load_file("self.scn", DV_ERROR_CYCLE));
    assert_says("self.scn:2:1: '");
    assert_says("self.scn' includes itself\n");
}

static void includes_that_cannot_be_read_are_named(void **state)
{
    (void)state;
    put("main.scn", "<Node>\n<include href='none.xml'/><include/></Node>");
    assert_null(load_file("main.scn", DV_ERROR_NOT_FOUND));
    assert_says(
        "main.scn:2:1: the file 'none.xml' to include is neither in the folder of the scene nor in DIVAN_DATA_PATH");
    assert_says("main.scn:2:27: <include> needs the attribute 'href'");
    put("broken.xml", "<Node>\n<Value></Node>");
    put("main.scn", "<Node><include href='broken.xml'/></Node>");
    assert_null(load_file("main.scn", DV_ERROR_INVALID));
    assert_says("broken.xml:2:10: broken XML: mismatched tag");
}

static void a_tree_of_includes_has_an_end(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++) { /* 2^20 files if nobody counted */
        char name[40], text[200];
        snprintf(name, sizeof name, "level%d.xml", i);
        snprintf(text, sizeof text, "<Node name='n'><include href='level%d.xml'/><include href='level%d.xml'/></Node>",
                 i + 1, i + 1);
        put(name, text);
    }
    put("level20.xml", "<Node/>");
    put("main.scn", "<Node><include href='level0.xml'/></Node>");
    assert_null(load_file("main.scn", DV_ERROR_LIMIT));
    assert_says("files include each other more than 16 deep");
    char deep[3000] = "";
    for (int i = 0; i < 200; i++)
        strcat(deep, "<Node>");
    strcat(deep, "<include href='level19.xml'/>");
    for (int i = 0; i < 200; i++)
        strcat(deep, "</Node>");
    put("level18.xml", deep);
    put("level19.xml", deep);
    put("deep.scn", "<Node><include href='level18.xml'/></Node>");
    assert_null(load_file("deep.scn", DV_ERROR_LIMIT));
    assert_says("level19.xml:1:331: elements are nested more than 256 deep");
    put("level12.xml", "<Node/>");
    assert_null(load_file("main.scn", DV_ERROR_LIMIT));
    assert_says("the scene includes more than 1000 files");
}

static void a_doctype_is_refused(void **state)
{
    (void)state;
    assert_refused("<?xml version='1.0'?>\n<!DOCTYPE Node [<!ENTITY a 'b'>]><Node name='&a;'/>", DV_ERROR_INVALID,
                   "error: scene.scn:2:16: a DOCTYPE is refused");
    assert_refused("<!DOCTYPE Node SYSTEM 'file:///etc/passwd'><Node/>", DV_ERROR_INVALID, "a DOCTYPE is refused");
}

/* Hostile text: refused with a message, at a cost in proportion to its length. 3 MB take at most 0.2 s of
 * processor time; what looks at the rest of the text for each of its parts takes hours. The bound lies between, far
 * from both, and counts this thread's time alone: neither a slow machine nor a busy one comes near it. */

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__OPTIMIZE__)
enum { LENGTH = 1000000 }; /* sanitizers look at all of a string in each call that takes one */
static const double most_seconds = 200.0;
#else
enum { LENGTH = 3000000 };
static const double most_seconds = 10.0;
#endif

static char *repeated(const char *before, const char *unit, const char *behind)
{
    char *text = malloc(LENGTH + 1000), *end = text;
    const size_t length = strlen(unit);
    end = stpcpy(end, before);
    while (end - text + (ptrdiff_t)length < LENGTH) {
        memcpy(end, unit, length);
        end += length;
    }
    strcpy(end, behind);
    return text;
}

static void expect_linear(const char *before, const char *unit, const char *behind, DvStatus expected, const char *part)
{
    char *text = repeated(before, unit, behind);
    const double start = processor_seconds();
    DvStatus status;
    DvScene *scene = load_with(text, NULL, &status);
    const double used = processor_seconds() - start;
    if (used > most_seconds)
        fail_msg("'%s%s...' took %g s", before, unit, used);
    if (part)
        assert_says(part);
    if (status != expected)
        fail_msg("'%s%s...': %s: %.1000s", before, unit, dv_status_name(status), said());
    dv_scene_free(scene);
    free(text);
}

static void megabytes_of_anything_cost_in_proportion(void **state)
{
    (void)state;
    expect_linear("", "<Node>", "", DV_ERROR_LIMIT, "elements are nested more than 256 deep");
    expect_linear("<Node>", "<Node><Value>", "", DV_ERROR_LIMIT, "nested more than 256 deep");
    expect_linear("<Node>", "<Node/>", "</Node>", DV_ERROR_LIMIT, "<Node> of line 1 holds more than 10000 elements");
    expect_linear("<Node>", "<Value/>\n", "</Node>", DV_ERROR_LIMIT, "holds more than 10000 elements");
    expect_linear("<Node>", "<Node><Value/><Value/><Points/><Clock/><Force/></Node>", "</Node>", DV_ERROR_LIMIT, NULL);
    expect_linear("<Node><Value name='v' list='", "1 ", "'/></Node>", DV_OK, NULL);
    expect_linear("<Node><Value name='v' text='", "x", "'/></Node>", DV_OK, NULL);
    expect_linear("<Node><Value name='", "x", "'/></Node>", DV_OK, NULL);
    expect_linear("<Node><Value name='v' other='", "@a ", "'/></Node>", DV_ERROR_INVALID, NULL);
    expect_linear("<Node><Value name='v' others='", "@a ", "'/></Node>", DV_ERROR_INVALID, "has more than 10000 paths");
    expect_linear("<Node><Value name='v' others='", "a ", "'/></Node>", DV_ERROR_INVALID, NULL);
    expect_linear("<Node><Value name='v' other='@", "a/", "'/></Node>", DV_OK, "nothing is found at");
    expect_linear("<Node><Value name='v' number='@", "../", "'/></Node>", DV_OK, NULL);
    expect_linear("<Node><Value name='v' ", "x", "='1'/></Node>", DV_OK, NULL);
    expect_linear("<Node><Value ", "a='' ", "/></Node>", DV_ERROR_LIMIT, "1:7: <Value> has more than 256 attributes");
    expect_linear("<Node><Value a='1' ", "a='' ", "", DV_ERROR_LIMIT, "<Value> has more than 256 attributes");
    expect_linear("<Node><", "Value", "/></Node>", DV_ERROR_NOT_FOUND, "no class 'Value");
    expect_linear("<Node><Value template='", "Vec3d,", "'/></Node>", DV_OK, NULL);
    expect_linear("<Node><Points template='", "Vec3d,", "'/></Node>", DV_OK, NULL);
    expect_linear("<Node><RequiredPlugin name='", "a ", "'/></Node>", DV_OK, NULL);
    expect_linear("<Node><include href='", "a/", "'/></Node>", DV_ERROR_NOT_FOUND, NULL);
    expect_linear("<Node><!--", "-", "--></Node>", DV_OK, NULL);
    expect_linear("<Node>", "<!-- -- -->\n", "</Node>", DV_OK, NULL);
    expect_linear("<Node>", "&", "</Node>", DV_OK, NULL);
    expect_linear("<Node>", "& \n", "</Node>", DV_OK, NULL);
    expect_linear("<Node><Value text='", "&", "'/></Node>", DV_OK, NULL);
    expect_linear("<Node><Value text='", "\xE9", "'/></Node>", DV_OK, NULL);
    expect_linear("<Node><Value text='", "<", "'/></Node>", DV_OK, NULL);
    expect_linear("", "<", "", DV_ERROR_INVALID, NULL);
    expect_linear("", "]]>", "", DV_ERROR_INVALID, NULL);
    expect_linear("<Node>", "<![CDATA[", "</Node>", DV_ERROR_INVALID, NULL);
    expect_linear("<Node", "'' ", "/>", DV_ERROR_LIMIT, "<Node> has more than 256 attributes");
    expect_linear("<", "a:", "/>", DV_ERROR_INVALID, NULL);
    expect_linear("", "\xFF\xFE", "", DV_ERROR_INVALID, NULL);
}

static void many_different_attributes_and_classes_cost_in_proportion(void **state)
{
    (void)state;
    DvText text = {0};
    DvStatus status;
    dv_text_add(&text, "<Node><Value ");
    for (int i = 0; i < 200000; i++)
        dv_text_add(&text, "a%d='%d' ", i, i);
    dv_text_add(&text, "/></Node>");
    double start = processor_seconds();
    assert_null(load_with(text.at, NULL, &status));
    assert_true(processor_seconds() - start < most_seconds);
    assert_int_equal(status, DV_ERROR_LIMIT);
    assert_says("<Value> has more than 256 attributes");

    dv_text_free(&text);
    dv_text_add(&text, "<Node>");
    for (int i = 0; i < 90000; i++)
        dv_text_add(&text, "%s<Unknown%d a%d='1' b%d='1'/>%s", i % 9000 ? "" : "<Node>", i, i, i,
                    i % 9000 == 8999 ? "</Node>" : "");
    dv_text_add(&text, "</Node>");
    start = processor_seconds();
    assert_null(load_with(text.at, NULL, &status));
    assert_true(processor_seconds() - start < most_seconds);
    assert_int_equal(status, DV_ERROR_NOT_FOUND);
    assert_says("too many problems: the rest of the scene is left out");

    dv_text_free(&text);
    dv_text_add(&text, "<Node>");
    for (int i = 0; i < 90000; i++)
        dv_text_add(&text, "%s<Value a%d='1' b%d='1' cc='x' ddd='y'/>%s", i % 9000 ? "" : "<Node>", i, i,
                    i % 9000 == 8999 ? "</Node>" : "");
    dv_text_add(&text, "</Node>");
    start = processor_seconds();
    assert_null(load_with(text.at, NULL, &status));
    assert_true(processor_seconds() - start < most_seconds);
    dv_text_free(&text);
}

/* A hole of terabytes, or of what the file system allows: whoever reads it first finds neither time nor memory. */
static void a_large_file_is_refused_before_it_is_read(void **state)
{
    (void)state;
    put("large.scn", "<Node/>");
    int bits = 42;
    while (truncate(file("large.scn"), (off_t)1 << bits) != 0)
        assert_true(--bits > 28);
    assert_null(load_file("large.scn", DV_ERROR_LIMIT));
    assert_says("large.scn: the file is larger than 256 MiB");
    put("main.scn", "<Node>\n<include href='large.scn'/></Node>");
    assert_null(load_file("main.scn", DV_ERROR_LIMIT));
    assert_says("main.scn:2:1: '");
}

static void any_prefix_of_a_scene_ends_well(void **state)
{
    (void)state;
    static const char whole[] =
        "<?xml version='1.0'?><!-- c -- --><Node name='r'><Value a='1'b=\"&x; <\" c='&lt;'/>"
        "<Node><Points template='Rigid' position='1 2 3'/><Force/></Node>"
        "<Value name='v'><Attribute type='text'><Data value='@a.b'/></Attribute><State count='1'/></Value></Node>";
    for (size_t length = 0; length < sizeof whole; length++) {
        DvScene *scene;
        forget_messages();
        char *text = malloc(length ? length : 1); /* of its own, so that a sanitizer sees a byte too many */
        memcpy(text, whole, length);
        const DvStatus status = dv_scene_load_text(text, length, "scene.scn", NULL, NULL, &scene);
        free(text);
        assert_true((status == DV_OK) == (length == sizeof whole - 1));
        assert_true((scene != NULL) == (status == DV_OK));
        dv_scene_free(scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_forms_of_an_object_are_the_same),
        cmocka_unit_test(attributes_are_named_by_their_place),
        cmocka_unit_test(an_attribute_element_sets_a_field_of_its_object),
        cmocka_unit_test(what_stands_in_the_wrong_place_is_told),
        cmocka_unit_test(text_and_line_ends_in_values_are_blanks),
        cmocka_unit_test(a_file_is_found_by_name_and_checked_first),
        cmocka_unit_test(an_included_node_becomes_a_child_with_overrides),
        cmocka_unit_test(a_group_is_put_in_place_and_a_merge_is_merged),
        cmocka_unit_test(a_class_that_nobody_offers_may_be_a_macro_file),
        cmocka_unit_test(files_that_include_themselves_are_refused),
        cmocka_unit_test(includes_that_cannot_be_read_are_named),
        cmocka_unit_test(a_tree_of_includes_has_an_end),
        cmocka_unit_test(a_doctype_is_refused),
        cmocka_unit_test(megabytes_of_anything_cost_in_proportion),
        cmocka_unit_test(many_different_attributes_and_classes_cost_in_proportion),
        cmocka_unit_test(a_large_file_is_refused_before_it_is_read),
        cmocka_unit_test(any_prefix_of_a_scene_ends_well),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
