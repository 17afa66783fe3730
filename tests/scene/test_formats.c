/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Formats are services: the one of line_format.c, made from the public headers, loads, reports, saves and goes on like the other.
 */
#include <libgen.h>
#include <unistd.h>

#include "kernel_test.h"

static char folder[200];

static const char *file(const char *name)
{
    static char paths[4][300];
    static int turn;
    char *path = paths[turn++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static void put(const char *name, const char *text)
{
    FILE *out = fopen(file(name), "w");
    assert_non_null(out);
    fputs(text, out);
    fclose(out);
}

static int setup(void **state)
{
    (void)state;
    const char *const plugins[] = {getenv("DIVAN_TEST_PARTS"), getenv("DIVAN_SCENE_PLUGIN"),
                                   getenv("DIVAN_LINE_FORMAT"), NULL};
    snprintf(folder, sizeof folder, P_tmpdir "/divan-formats-XXXXXX");
    dv_log_set_handler(keep_message, NULL);
    return mkdtemp(folder) && dv_start(&(DvStartOptions){.plugins = plugins, .only_given = true}) == DV_OK ? 0 : -1;
}

static int teardown(void **state)
{
    char command[300];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command) == 0 ? stop_parts(state) : -1;
}

static DvScene *open_scene(const char *name)
{
    DvScene *scene;
    forget_messages();
    if (dv_scene_load(file(name), NULL, &scene) != DV_OK)
        fail_msg("%s", said());
    assert_silent();
    return scene;
}

static const char lines[] = "lines 1\n"
                            "{ root\n"
                            "dt 0.25\n"
                            "+ Clock\n"
                            "name c\n"
                            "start 0.7\n"
                            "{ Below\n"
                            "+ Points\n"
                            "template Rigid\n"
                            "position 1 2 3 0 0 0 1\n"
                            "}\n"
                            "+ Value\n"
                            "name v\n"
                            "number @c.start\n"
                            "other @Below/Points1\n"
                            "}\n";

static void check_lines(const DvScene *scene)
{
    assert_true(dv_node_dt(dv_scene_root(scene)) == 0.25);
    assert_string_equal(dv_object_variant(object_at(scene, "@/Below/Points1")), "Rigid3d");
    assert_true(number_at(scene, "@v", "number") == 0.7);
    assert_ptr_equal(dv_link_object((DvLink *)(void *)field_at(scene, "@v", "other")),
                     object_at(scene, "@/Below/Points1"));
    int line;
    dv_object_file(object_at(scene, "@/Below/Points1"), &line, NULL);
    assert_int_equal(line, 8);
}

static void a_file_is_read_by_the_format_of_its_extension_or_its_text(void **state)
{
    (void)state;
    static const char *const names[] = {"a.lines", "a.LINES", "a.read", "a.txt", "plain"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        put(names[i], lines);
        DvScene *scene = open_scene(names[i]);
        check_lines(scene);
        dv_scene_free(scene);
    }
    put("b.txt", "  <Node name='root'><Clock name='c'/></Node>");
    DvScene *scene = open_scene("b.txt");
    object_at(scene, "@c");
    dv_scene_free(scene);
    put("c.txt", "something else");
    assert_int_equal(dv_scene_load(file("c.txt"), NULL, &scene), DV_ERROR_INVALID);
    assert_null(scene);
    assert_says("c.txt: a scene file ends in .scn or .xml or .lines or .read");
    assert_int_equal(dv_scene_load(file("missing.txt"), NULL, &scene), DV_ERROR_INVALID);
    assert_int_equal(dv_scene_load(file("missing.lines"), NULL, &scene), DV_ERROR_NOT_FOUND);
    put("d.scn", lines); /* the extension counts */
    assert_int_equal(dv_scene_load(file("d.scn"), NULL, &scene), DV_ERROR_INVALID);
    assert_says("broken XML");
}

static void problems_have_their_place_in_any_format(void **state)
{
    (void)state;
    DvScene *scene;
    put("wrong.lines", "lines 1\n{ root\n+ Value\nnumbr 3\n+ Vallue\nnumber 1\n+ Value\namount x\n}\nlost 1\n");
    forget_messages();
    assert_int_equal(dv_scene_load(file("wrong.lines"), NULL, &scene), DV_ERROR_NOT_FOUND);
    assert_null(scene);
    assert_says("wrong.lines:4:1: Value: no field 'numbr'; did you mean 'number'?");
    assert_says("wrong.lines:5:1: no class 'Vallue'; did you mean 'Value'?");
    assert_says("wrong.lines:10:1: 'lost' stands below no object");
    put("twice.lines", "lines 1\n{ one\n}\n+ Value\n{ two\n}\n");
    scene = open_scene("twice.lines"); /* the root is never left */
    object_at(scene, "@/two");
    dv_scene_free(scene);
}

static void step(DvScene *scene, int steps)
{
    while (steps-- > 0)
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
}

static void a_run_goes_on_from_either_format(void **state)
{
    (void)state;
    static const char *const names[] = {"saved.lines", "saved.scn", "saved.unknown"};
    put("run.lines", lines);
    DvScene *straight = open_scene("run.lines"), *stopped = open_scene("run.lines");
    step(stopped, 10);
    step(straight, 50);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_int_equal(dv_scene_save(stopped, file(names[i])), DV_OK);
        DvScene *resumed = open_scene(names[i]);
        assert_int_equal(dv_scene_steps(resumed), 10);
        step(resumed, 40);
        assert_true(number_at(resumed, "@c", "value") == number_at(straight, "@c", "value"));
        assert_true(dv_node_time(dv_scene_root(resumed)) == dv_node_time(dv_scene_root(straight)));
        assert_true(number_at(resumed, "@v", "number") == 0.7);
        dv_scene_free(resumed);
    }
    char start[8] = "";
    FILE *in = fopen(file("saved.unknown"), "r"); /* the format it was read in */
    assert_int_equal(fread(start, 1, 7, in), 7);
    fclose(in);
    assert_string_equal(start, "lines 1");
    forget_messages();
    assert_int_equal(dv_scene_save(stopped, file("saved.read")), DV_ERROR_UNSUPPORTED);
    assert_says("saved.read: scenes of this format can be read, but not written");
    dv_data_set_string(field_at(stopped, "@v", "text"), "two\nlines");
    assert_int_equal(dv_scene_save(stopped, file("saved.lines")), DV_ERROR_UNSUPPORTED);
    assert_says("Value 'v': text: a line has no line ends");
    dv_scene_free(stopped);
    dv_scene_free(straight);
}

static void without_the_format_the_plugin_that_reads_it_is_named(void **state)
{
    (void)state;
    dv_stop();
    put("plugins.conf", "[parts]\ntest.parts = 1.0.0\n");
    char parts[500], scene_plugin[500];
    snprintf(parts, sizeof parts, "%s", getenv("DIVAN_TEST_PARTS"));
    snprintf(scene_plugin, sizeof scene_plugin, "%s", getenv("DIVAN_SCENE_PLUGIN"));
    const char *const folders[] = {folder, dirname(scene_plugin), dirname(parts), NULL};
    const DvStartOptions options = {.plugin_path = folders, .plugin_set = "parts", .only_given = true};
    assert_int_equal(dv_start(&options), DV_OK);
    put("x.scn", "<Node/>");
    DvScene *scene;
    forget_messages();
    assert_int_equal(dv_scene_load(file("x.scn"), NULL, &scene), DV_ERROR_INVALID);
    assert_says("x.scn: such files are read by the plugin 'divan.scene' (");
    assert_says("which is not in use: not in the plugin set [parts]");
    forget_messages();
    assert_int_equal(dv_scene_load(file("x.txt"), NULL, &scene), DV_ERROR_INVALID);
    assert_says("x.txt: no plugin that is in use reads scene files");
    scene = dv_scene_new();
    assert_int_equal(dv_scene_save(scene, file("y.scn")), DV_ERROR_INVALID);
    assert_says("y.scn: such files are read by the plugin 'divan.scene'");
    dv_scene_free(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_read_by_the_format_of_its_extension_or_its_text),
        cmocka_unit_test(problems_have_their_place_in_any_format),
        cmocka_unit_test(a_run_goes_on_from_either_format),
        cmocka_unit_test(without_the_format_the_plugin_that_reads_it_is_named),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
