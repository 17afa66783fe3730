/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The loader: every way a library can be wrong has its own status and a text that names the file; what is right starts in one
 * order, whatever the file system says.
 */
#include "capture.h"

#include <sys/stat.h>
#include <unistd.h>

#include "test_classes.h"

static char folder[64]; /* a new one for each test, removed after it */

static const char *bad(const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "tests/kernel/bad_plugins/%s.so", name);
    return built(path);
}

/* Path of something in the folder of the test. */
static const char *here(const char *name)
{
    static char paths[8][256];
    static unsigned turn;
    char *path = paths[turn++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

/* What the loader says of a plugin made for another version. */
static const char *made_for(unsigned major, unsigned minor)
{
    static char texts[8][96];
    static unsigned turn;
    char *text = texts[turn++ % 8];
    snprintf(text, sizeof texts[0], "made for version %u.%u of the kernel, this is %u.%u", major, minor, DV_ABI_MAJOR,
             DV_ABI_MINOR);
    return text;
}

static void copy(const char *from, const char *to)
{
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    assert_non_null(in);
    assert_non_null(out);
    char block[4096];
    for (size_t n; (n = fread(block, 1, sizeof block, in)) > 0;)
        assert_int_equal(fwrite(block, 1, n, out), n);
    fclose(in);
    fclose(out);
}

static void write_file(const char *path, const char *text)
{
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    fputs(text, out);
    fclose(out);
}

static void read_file(const char *path, char *text, size_t size)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, size - 1, file)] = 0;
    fclose(file);
}

static DvStatus start_files(const char *const *plugins)
{
    return dv_start(&(DvStartOptions){.plugins = plugins, .only_given = true});
}

static DvStatus start_folder(const char *set)
{
    const char *const path[] = {folder, NULL};
    return dv_start(&(DvStartOptions){.plugin_path = path, .plugin_set = set, .only_given = true});
}

#define files(...) ((const char *const[]){__VA_ARGS__, NULL})

static void every_bad_plugin_is_refused_with_its_own_reason(void **state)
{
    (void)state;
    const struct {
        const char *name;
        DvStatus status;
        const char *reason;
    } cases[] = {
        {"no-symbol", DV_ERROR_UNSUPPORTED, "not a plugin: it has no symbol dv_plugin_entry"},
        {"wrong-size", DV_ERROR_ABI, NULL},
        {"major-up", DV_ERROR_ABI, made_for(DV_ABI_MAJOR + 1, DV_ABI_MINOR)},
        {"major-down", DV_ERROR_ABI, made_for((DV_ABI_MAJOR - 1) & 255, DV_ABI_MINOR)},
        {"minor-up", DV_ERROR_ABI, made_for(DV_ABI_MAJOR, DV_ABI_MINOR + 1)},
        {"minor-down", DV_ERROR_ABI, made_for(DV_ABI_MAJOR, DV_ABI_MINOR - 1)},
        {"other-real", DV_ERROR_ABI, "made for real numbers of 4 bytes, the kernel has 8"},
        {"other-index", DV_ERROR_ABI, "made for indices of 8 bytes, the kernel has 4"},
        {"other-contract", DV_ERROR_ABI, NULL},
        {"other-field", DV_ERROR_ABI, NULL},
        {"other-data", DV_ERROR_ABI, NULL},
        {"contract-size", DV_ERROR_INVALID,
         "class 'Thing' offers 'divan.drawable/1' with functions of 24 bytes, the kernel's have 16"},
        {"contract-member", DV_ERROR_INVALID,
         "class 'Thing' offers 'divan.drawable/1' without 'draw', which is required"},
        {"contract-unknown", DV_ERROR_INVALID,
         "class 'Thing' offers 'divan.forcefield/1', which is no contract of this kernel; did you mean "
         "'divan.force-field/1'?"},
        {"contract-revision", DV_ERROR_INVALID,
         "class 'Thing' offers 'divan.drawable/7', which is no contract of this kernel; did you mean "
         "'divan.drawable/1'?"},
        {"service-member", DV_ERROR_INVALID,
         "plugin 'test.good' offers 'divan.visual-model/1' without 'update', which is required"},
        {"service-unknown", DV_ERROR_INVALID,
         "plugin 'test.good' offers 'divan.mechanical-operation/1', which is no contract of this kernel; did you mean "
         "'divan.mechanical-operations/1'?"},
        {"needs-unknown", DV_ERROR_INVALID,
         "plugin 'test.good' needs 'divan.mechanical-operation/1', which is no contract of this kernel; did you mean "
         "'divan.mechanical-operations/1'?"},
        {"variant-unknown", DV_ERROR_INVALID,
         "class 'Thing' has a variant 'Vec3f', which is neither a DOF type nor declared by the plugin; did you mean "
         "'Vec3d'?"},
        {"variant-part", DV_ERROR_INVALID,
         "class 'Thing' has a variant 'Vec3', which is neither a DOF type nor declared by the plugin; did you mean "
         "'Vec3d'?"},
        {"no-id", DV_ERROR_INVALID, "it has no id"},
        {"no-version", DV_ERROR_INVALID, "plugin 'test.good' has no version"},
        {"no-license", DV_ERROR_INVALID, "plugin 'test.good' has no licence"},
        {"needs-nobody", DV_ERROR_MISSING, "plugin 'test.lonely' needs 'test.missing/1', which no plugin offers"},
        {"class-ops", DV_ERROR_INVALID, "class 'Thing' offers 'test.thing/1' without functions"},
        {"class-empty-ops", DV_ERROR_INVALID, "class 'Thing' offers 'test.thing/1' without functions"},
        {"service-ops", DV_ERROR_INVALID, "plugin 'test.good' offers 'test.service/1' without functions"},
        {"class-size", DV_ERROR_INVALID, NULL},
        {"class-name", DV_ERROR_INVALID, "a class has no name"},
        {"class-twice", DV_ERROR_INVALID, "plugin 'test.good' has two classes 'Thing'"},
        {"field-type", DV_ERROR_INVALID, "field 'size' of class 'Thing' has no type"},
        {"field-outside", DV_ERROR_INVALID, NULL},
        {"field-crooked", DV_ERROR_INVALID, NULL},
        {"instance-size", DV_ERROR_INVALID, "field 'width' of class 'Thing' is not within its 8 bytes"},
        {"field-twice", DV_ERROR_INVALID, "class 'Thing' has two fields 'width'"},
        {"field-common", DV_ERROR_INVALID, "class 'Thing' has two fields 'name'"},
        {"field-both", DV_ERROR_INVALID, "field 'size' of class 'Thing' is both input and output"},
        /* Two are, and the first is named. */
        {"fields-wrong", DV_ERROR_INVALID, "field 'width' of class 'Thing' is both input and output"},
        {"rename-nothing", DV_ERROR_INVALID, "plugin 'test.good' has an old name '' that leads nowhere"},
        {"rename-class", DV_ERROR_INVALID, "plugin 'test.good' has an old name 'OldThing' that leads nowhere"},
        {"rename-expanded", DV_ERROR_INVALID, "plugin 'test.good' has an old name 'TwoThings' that leads nowhere"},
        {"rename-removed", DV_ERROR_INVALID, "plugin 'test.good' has an old name 'NoThing' that leads nowhere"},
        {"rename-field", DV_ERROR_INVALID, "plugin 'test.good' has an old name 'length' that leads nowhere"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        DvText text = {0}, reason = {0};
        if (cases[i].reason)
            dv_text_add(&reason, "%s", cases[i].reason);
        else if (strcmp(cases[i].name, "wrong-size") == 0)
            dv_text_add(&reason, "its descriptor has %zu bytes, the kernel's %zu", sizeof(DvPlugin) - 8,
                        sizeof(DvPlugin));
        else if (strcmp(cases[i].name, "other-contract") == 0)
            dv_text_add(&reason, "made for offers (DvContract) of %zu bytes, the kernel has %zu",
                        sizeof(DvContract) + 8, sizeof(DvContract));
        else if (strcmp(cases[i].name, "other-field") == 0)
            dv_text_add(&reason, "made for fields (DvField) of %zu bytes, the kernel has %zu", sizeof(DvField) + 8,
                        sizeof(DvField));
        else if (strcmp(cases[i].name, "other-data") == 0)
            dv_text_add(&reason, "made for values (DvData) of %zu bytes, the kernel has %zu", sizeof(DvData) + 8,
                        sizeof(DvData));
        else if (strncmp(cases[i].name, "field-", 6) == 0)
            dv_text_add(&reason, "field 'size' of class 'Thing' is not within its %zu bytes", 2 * sizeof(DvData));
        else
            dv_text_add(&reason, "class 'Thing' has 8 bytes, not %zu", sizeof(DvClass));
        dv_text_add(&text, "error: %s.so: %s", cases[i].name, reason.at);
        assert_int_equal(start_files(files(bad(cases[i].name))), cases[i].status);
        expect_messages(text.at);
        const DvPluginInfo *info = dv_plugin_info(0);
        assert_int_equal(info->state, DV_PLUGIN_REJECTED);
        assert_int_equal(info->status, cases[i].status);
        assert_string_equal(info->reason, reason.at);
        assert_non_null(strstr(info->file, cases[i].name));
        assert_int_equal(dv_class_count(), 0);
        dv_stop();
        dv_text_free(&text);
        dv_text_free(&reason);
    }
}

static void contracts_and_variants_of_ones_own_are_free(void **state)
{
    (void)state;
    assert_int_equal(start_files(files(bad("foreign-contract"))), DV_OK);
    dv_stop();
    assert_int_equal(start_files(files(bad("variant-declared"))), DV_OK);
    expect_messages("");
}

static void files_that_are_no_libraries_are_named(void **state)
{
    (void)state;
    write_file(here("empty.so"), "");
    assert_int_equal(start_files(files(here("missing.so"), here("empty.so"))), DV_ERROR_NOT_FOUND);
    expect_messages("error: missing.so: no such file\nerror: empty.so: cannot be opened: it is empty");
    assert_int_equal(dv_plugin_info(1)->status, DV_ERROR_IO);
    assert_null(dv_plugin_info(1)->id);
}

static size_t length_of(const char *file)
{
    struct stat found;
    assert_int_equal(stat(file, &found), 0);
    return (size_t)found.st_size;
}

static void a_library_that_is_cut_short_is_not_opened(void **state)
{
    (void)state;
    copy(bad("good"), here("cut.so"));
    const size_t whole = length_of(here("cut.so"));
    for (size_t i = 0; i < 60; i++) {
        char reason[160];
        const size_t length = (whole - 1) * (60 - i) / 60;
        copy(bad("good"), here("cut.so"));
        assert_int_equal(truncate(here("cut.so"), (off_t)length), 0);
        assert_int_equal(start_files(files(here("cut.so"))), DV_ERROR_IO);
        snprintf(reason, sizeof reason,
                 "cannot be opened: it is cut short: its header speaks of %zu bytes, it has %zu; ", whole, length);
        if (length < 64)
            snprintf(reason, sizeof reason, "cannot be opened: ");
        assert_int_equal(strncmp(dv_plugin_info(0)->reason, reason, strlen(reason)), 0);
        dv_stop();
        dv_text_free(&captured);
    }
}

/* Writes a byte of the header. */
static void copy_with_byte(const char *copied, long at, int byte)
{
    copy(bad("good"), copied);
    FILE *file = fopen(copied, "r+b");
    assert_non_null(file);
    assert_int_equal(fseek(file, at, SEEK_SET), 0);
    assert_int_equal(fputc(byte, file), byte);
    fclose(file);
}

static void what_is_no_library_for_this_machine_is_said(void **state)
{
    (void)state;
    static const struct {
        const char *name, *reason;
        long at; /* of the byte that is changed; -1: made otherwise */
        int byte;
    } cases[] = {
        {"folder.so", "it is a folder, not a library", -1, 0},
        {"fifo.so", "it is a FIFO, not a library", -1, 0},
        {"text.so", "it is no library: it does not begin as an ELF file does", -1, 0},
        {"narrow.so", "it is a library of 32 bits, this program has 64", 4, 1},
        {"turned.so", "it was made for another kind of processor", 5, 2},
        {"machine.so", "it was made for another kind of processor", 18, 2},
        {"program.so", "it is an ELF file, but no shared library", 16, 2},
        {"segments.so", "its table of segments makes no sense", 56, 0},
    };
    assert_int_equal(mkdir(here("folder.so"), 0700), 0);
    assert_int_equal(mkfifo(here("fifo.so"), 0600), 0); /* nobody writes to it */
    write_file(here("text.so"),
               "#!/bin/sh\necho this is a text, longer than the header of a library is, and no library\n");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char expected[160];
        if (cases[i].at >= 0)
            copy_with_byte(here(cases[i].name), cases[i].at, cases[i].byte);
        snprintf(expected, sizeof expected, "error: %s: cannot be opened: %s", cases[i].name, cases[i].reason);
        assert_int_equal(start_files(files(here(cases[i].name))), DV_ERROR_IO);
        expect_messages(expected);
        dv_stop();
    }
    assert_int_equal(rmdir(here("folder.so")), 0);
}

/* A copy of the file in which each `from` has become `to`, a text of the same length. */
static void copy_with(const char *file, const char *copied, const char *from, const char *to)
{
    copy(file, copied);
    static char bytes[1 << 20];
    FILE *both = fopen(copied, "r+b");
    assert_non_null(both);
    const size_t size = fread(bytes, 1, sizeof bytes, both);
    assert_true(size < sizeof bytes);
    for (char *at = bytes; (at = memmem(at, size - (size_t)(at - bytes), from, strlen(from)));)
        memcpy(at, to, strlen(to));
    rewind(both);
    assert_int_equal(fwrite(bytes, 1, size, both), size);
    fclose(both);
}

static void of_a_library_that_is_missing_for_a_plugin_both_names_are_said(void **state)
{
    (void)state;
    assert_int_equal(start_files(files(bad("needs-library"))), DV_OK);
    dv_stop();
    copy_with(bad("needs-library"), here("needs.so"), "libdivan-test-elsewhere", "libdivan-test-somewhere");
    assert_int_equal(start_files(files(here("needs.so"))), DV_ERROR_IO);
    assert_non_null(captured.at);
    static const char start[] = "error: needs.so: cannot be opened: libdivan-test-somewhere.so: cannot open ";
    assert_non_null(strstr(captured.at, start)); /* the rest is the C library's */
    dv_text_free(&captured);
}

static void a_bad_plugin_does_not_stop_the_others(void **state)
{
    (void)state;
    copy(bad("good"), here("b.so"));
    copy(bad("major-up"), here("a.so"));
    assert_int_equal(start_folder(NULL), DV_OK); /* nobody asked for it by name */
    char expected[128];
    snprintf(expected, sizeof expected, "warning: a.so: %s", made_for(DV_ABI_MAJOR + 1, DV_ABI_MINOR));
    expect_messages(expected);
    assert_int_equal(dv_plugin_count(), 2);
    const DvPluginInfo *info = dv_plugin_info(1);
    assert_int_equal(info->state, DV_PLUGIN_STARTED);
    assert_string_equal(info->id, "test.good");
    assert_string_equal(info->version, "1.0");
    assert_string_equal(info->license, "MIT");
    assert_string_equal(info->help, "For the tests of the loader.");
    assert_null(info->reason);
    assert_non_null(dv_class_find("Thing"));
    dv_stop();
    assert_int_equal(dv_plugin_info(1)->state, DV_PLUGIN_STOPPED);
    assert_null(dv_class_find("Thing"));
}

static void plugins_that_need_each_other_are_refused_by_name(void **state)
{
    (void)state;
    assert_int_equal(
        start_files(files(bad("circle-a"), bad("good"), bad("circle-b"), bad("behind-circle"), bad("early"))),
        DV_ERROR_CYCLE);
    expect_messages(
        "error: circle-a.so: plugins that need each other: 'test.a' needs 'test.b/1' of 'test.b', "
        "'test.b' needs 'test.a/1' of 'test.a'\n"
        "error: circle-b.so: plugins that need each other: 'test.a' needs 'test.b/1' of 'test.b', "
        "'test.b' needs 'test.a/1' of 'test.a'\n"
        "error: behind-circle.so: plugin 'test.0' needs 'test.a/1' of plugin 'test.a', which is not in use: plugins "
        "that need each other: 'test.a' needs 'test.b/1' of 'test.b', 'test.b' needs 'test.a/1' of 'test.a'");
    assert_int_equal(dv_plugin_info(1)->state, DV_PLUGIN_STARTED);
}

static void of_two_plugins_with_one_id_the_first_is_taken_and_both_are_named(void **state)
{
    (void)state;
    DvText expected = {0};
    assert_int_equal(start_files(files(bad("same-id"), bad("good"), bad("same-id"))), DV_ERROR_INVALID);
    dv_text_add(&expected, "error: good.so: plugin 'test.good' was found already: %s", dv_plugin_info(0)->file);
    expect_messages(expected.at);
    dv_text_free(&expected);
    assert_int_equal(dv_plugin_count(), 2); /* the same file twice is one */
    assert_string_equal(dv_plugin_info(0)->version, "2.0");
    assert_non_null(dv_class_find("Other"));
    assert_null(dv_class_find("Thing"));
}

static void the_same_id_in_two_folders_is_taken_from_the_first(void **state)
{
    (void)state;
    mkdir(here("one"), 0777);
    mkdir(here("two"), 0777);
    copy(bad("same-id"), here("one/z.so"));
    copy(bad("good"), here("two/a.so"));
    const char *const path[] = {here("one"), here("two"), here("nowhere"), NULL};
    assert_int_equal(dv_start(&(DvStartOptions){.plugin_path = path, .only_given = true}), DV_OK);
    DvText expected = {0};
    dv_text_add(&expected, "warning: a.so: plugin 'test.good' was found already: %s", dv_plugin_info(0)->file);
    expect_messages(expected.at);
    dv_text_free(&expected);
    assert_non_null(dv_class_find("Other"));
}

static void a_plugin_that_does_not_start_is_not_stopped_and_takes_its_dependents_along(void **state)
{
    (void)state;
    setenv("DIVAN_TEST_TRACE", here("trace"), 1);
    assert_int_equal(start_files(files(bad("needs-broken"), bad("start-fails"), bad("good"))), DV_ERROR_MISSING);
    /* The plugin's own text comes first: it was made on its stack and is gone. */
    expect_messages(
        "error: test.broken: no device of type 7\n"
        "error: needs-broken.so: plugin 'test.dependent' needs 'test.device/1' of plugin 'test.broken', which is not in "
        "use: plugin 'test.broken' did not start: input or output\n"
        "error: start-fails.so: plugin 'test.broken' did not start: input or output");
    assert_int_equal(dv_plugin_info(1)->status, DV_ERROR_IO);
    assert_null(dv_service("test.device/1"));
    assert_non_null(dv_service("test.service/1"));
    dv_stop();
    char text[256];
    read_file(here("trace"), text, sizeof text);
    assert_string_equal(text, "test.broken start\n");
}

static void plugins_start_after_what_they_need_and_stop_in_reverse(void **state)
{
    (void)state;
    static const char *const orders[][4] = {{"chain-1", "chain-2", "chain-3", "chain-4"},
                                            {"chain-4", "chain-3", "chain-2", "chain-1"},
                                            {"chain-3", "chain-1", "chain-4", "chain-2"}};
    setenv("DIVAN_TEST_TRACE", here("trace"), 1);
    for (size_t i = 0; i < 3; i++) {
        const char *const *name = orders[i];
        assert_int_equal(start_files(files(bad(name[0]), bad(name[1]), bad(name[2]), bad(name[3]))), DV_OK);
        dv_stop();
        char text[512];
        read_file(here("trace"), text, sizeof text);
        remove(here("trace"));
        assert_string_equal(text, "test.a4 start\ntest.z1 start\ntest.m2 start\ntest.a3 start\n"
                                  "test.a3 stop\ntest.m2 stop\ntest.z1 stop\ntest.a4 stop\n");
    }
}

static void the_order_of_a_folder_is_that_of_the_names(void **state)
{
    (void)state;
    static const char *const names[] = {"e.so", "b.so", "d.so", "a.so", "c.so"};
    static const char *const sources[] = {"chain-1", "chain-2", "chain-3", "chain-4", "good"};
    for (size_t i = 0; i < 5; i++)
        copy(bad(sources[i]), here(names[i]));
    copy(bad("good"), here(".hidden.so"));
    write_file(here("readme.txt"), "not a library");
    mkdir(here("folder.so"), 0777);
    assert_int_equal(start_folder(NULL), DV_OK);
    expect_messages("");
    assert_int_equal(dv_plugin_count(), 5);
    for (size_t i = 0; i < 5; i++) {
        const char name[] = {'/', (char)('a' + i), '.', 's', 'o', 0};
        assert_non_null(strstr(dv_plugin_info(i)->file, name));
    }
}

static void a_plugin_set_says_what_is_started(void **state)
{
    (void)state;
    copy(bad("good"), here("good.so"));
    copy(bad("tie-3"), here("tie-3.so"));
    write_file(here("plugins.conf"),
               "# two sets\n[default]\ntest.good = 1.0\n\n[all]\ntest.good = 1.0\ntest.tie3 = 1.0\n[none]\n");
    assert_int_equal(start_folder(NULL), DV_OK);
    assert_int_equal(dv_plugin_info(0)->state, DV_PLUGIN_STARTED);
    assert_int_equal(dv_plugin_info(1)->state, DV_PLUGIN_READY);
    assert_non_null(strstr(dv_plugin_info(1)->reason, "not in the plugin set [default] of "));
    dv_stop();
    assert_int_equal(start_folder("all"), DV_OK);
    assert_int_equal(dv_plugin_info(1)->state, DV_PLUGIN_STARTED);
    dv_stop();
    assert_int_equal(start_folder("none"), DV_OK);
    assert_int_equal(dv_class_count(), 0);
    dv_stop();
    /* What is named by its file is started too. */
    const char *const path[] = {folder, NULL};
    assert_int_equal(
        dv_start(&(DvStartOptions){
            .plugin_path = path, .plugin_set = "default", .only_given = true, .plugins = files(here("tie-3.so"))}),
        DV_OK);
    assert_int_equal(dv_plugin_info(0)->state, DV_PLUGIN_STARTED);
    assert_int_equal(dv_plugin_info(1)->state, DV_PLUGIN_STARTED);
    expect_messages("");
}

static void a_plugin_set_may_lie_one_folder_up(void **state)
{
    (void)state;
    mkdir(here("family"), 0777);
    copy(bad("good"), here("family/good.so"));
    copy(bad("tie-3"), here("family/tie-3.so"));
    write_file(here("plugins.conf"), "[default]\ntest.tie3 = 1.0\n");
    const char *const path[] = {here("family"), NULL};
    assert_int_equal(dv_start(&(DvStartOptions){.plugin_path = path, .only_given = true}), DV_OK);
    assert_int_equal(dv_plugin_info(0)->state, DV_PLUGIN_READY);
    assert_int_equal(dv_plugin_info(1)->state, DV_PLUGIN_STARTED);
}

static void a_plugin_set_that_cannot_be_had_is_an_error(void **state)
{
    (void)state;
    copy(bad("good"), here("good.so"));
    assert_int_equal(start_folder("fast"), DV_ERROR_NOT_FOUND);
    expect_messages("error: no file plugins.conf was found that could hold the plugin set [fast]");
    assert_string_equal(dv_plugin_info(0)->reason, "no plugin set could be read");
    dv_stop();
    write_file(here("plugins.conf"), "[slow]\ntest.good = 2.0\n[far]\ntest.far = 1.0\ntest.good=1.0\n");
    assert_int_equal(start_folder("fast"), DV_ERROR_NOT_FOUND);
    expect_messages("error: plugins.conf: no plugin set [fast]; there are [slow], [far]");
    dv_stop();
    assert_int_equal(start_folder("far"), DV_ERROR_NOT_FOUND);
    expect_messages(
        "error: plugins.conf: plugin set [far] asks for plugin 'test.far', and no library on the search path is that plugin");
    assert_int_equal(dv_plugin_info(0)->state, DV_PLUGIN_STARTED);
    dv_stop();
    assert_int_equal(start_folder("slow"), DV_ERROR_INVALID);
    char *conf = realpath(here("plugins.conf"), NULL);
    DvText expected = {0};
    dv_text_add(&expected,
                "error: good.so: plugin set [slow] of %s asks for version 2.0 of plugin 'test.good', this is 1.0",
                conf);
    expect_messages(expected.at);
    dv_text_free(&expected);
    free(conf);
    dv_stop();
    /* A version is taken byte by byte, even if it is no text. */
    write_file(here("plugins.conf"), "[slow]\ntest.good = 1.0\xff\n");
    assert_int_equal(start_folder("slow"), DV_ERROR_INVALID);
    assert_non_null(strstr(captured.at, " asks for version 1.0\xff of plugin 'test.good', this is 1.0"));
    dv_text_free(&captured);
    dv_stop();
    /* Without [default] everything found is taken. */
    assert_int_equal(start_folder(NULL), DV_OK);
    assert_int_equal(dv_plugin_info(0)->state, DV_PLUGIN_STARTED);
    dv_stop();
    write_file(here("plugins.conf"), "test.good = 1.0\n");
    assert_int_equal(start_folder(NULL), DV_ERROR_INVALID);
    assert_non_null(captured.at);
    assert_memory_equal(captured.at, "error: plugins.conf: ", strlen("error: plugins.conf: "));
    dv_text_free(&captured);
    assert_int_equal(dv_class_count(), 0);
}

static void plugin_sets_of_several_files_add_up(void **state)
{
    (void)state;
    mkdir(here("mine"), 0777);
    mkdir(here("theirs"), 0777);
    copy(bad("tie-3"), here("mine/tie-3.so"));
    copy(bad("good"), here("theirs/good.so"));
    copy(bad("tie-1"), here("theirs/tie-1.so"));
    write_file(here("mine/plugins.conf"), "[default]\ntest.tie3 = 1.0\n[mine]\ntest.tie3 = 1.0\n");
    write_file(here("theirs/plugins.conf"), "[default]\ntest.good = 1.0\n");
    char mine[256], theirs[256];
    snprintf(mine, sizeof mine, "%s/mine", folder);
    snprintf(theirs, sizeof theirs, "%s/theirs", folder);
    const char *const path[] = {mine, theirs, NULL};
    DvStartOptions options = {.plugin_path = path, .only_given = true};
    assert_int_equal(dv_start(&options), DV_OK);
    assert_int_equal(dv_plugin_info(0)->state, DV_PLUGIN_STARTED);
    assert_int_equal(dv_plugin_info(1)->state, DV_PLUGIN_STARTED);
    assert_int_equal(dv_plugin_info(2)->state, DV_PLUGIN_READY);
    assert_non_null(strstr(dv_plugin_info(2)->reason, "mine/plugins.conf, "));
    assert_non_null(strstr(dv_plugin_info(2)->reason, "theirs/plugins.conf"));
    dv_stop();
    /* A set of another name takes the place of [default] altogether. */
    options.plugin_set = "mine";
    assert_int_equal(dv_start(&options), DV_OK);
    assert_int_equal(dv_plugin_info(1)->state, DV_PLUGIN_READY);
    dv_stop();
    options.plugin_set = "ours";
    assert_int_equal(dv_start(&options), DV_ERROR_NOT_FOUND);
    assert_non_null(strstr(captured.at, "error: no plugin set [ours]; there are, in "));
    assert_non_null(strstr(captured.at, "mine/plugins.conf: [default], [mine], "));
    assert_non_null(strstr(captured.at, "theirs/plugins.conf: [default]"));
    dv_text_free(&captured);
    dv_stop();
    /* Of two entries for one plugin the first counts. */
    options.plugin_set = NULL;
    write_file(here("mine/plugins.conf"), "[default]\ntest.tie3 = 1.0\ntest.good = 1.0\n");
    write_file(here("theirs/plugins.conf"), "[default]\ntest.good = 7.0\n");
    assert_int_equal(dv_start(&options), DV_OK);
    assert_int_equal(dv_plugin_info(1)->state, DV_PLUGIN_STARTED);
    dv_stop();
    write_file(here("mine/plugins.conf"), "[default]\ntest.tie3 = 1.0\n");
    assert_int_equal(dv_start(&options), DV_ERROR_INVALID);
    assert_non_null(strstr(captured.at, "theirs/plugins.conf asks for version 7.0 of plugin 'test.good', this is 1.0"));
    dv_text_free(&captured);
}

static void the_environment_names_folders_to_search(void **state)
{
    (void)state;
    mkdir(here("one"), 0777);
    copy(bad("good"), here("one/good.so"));
    write_file(here("one/plugins.conf"), "[default]\ntest.good = 1.0\n");
    DvText path = {0};
    dv_text_add(&path, ":%s:%s", here("nowhere"), here("one"));
    char *before = getenv("DIVAN_PLUGIN_PATH") ? strdup(getenv("DIVAN_PLUGIN_PATH")) : NULL;
    setenv("DIVAN_PLUGIN_PATH", path.at, 1);
    assert_int_equal(dv_start(NULL), DV_OK);
    assert_string_equal(dv_plugin_info(0)->id, "test.good");
    assert_int_equal(dv_plugin_info(0)->state, DV_PLUGIN_STARTED);
    dv_stop();
    unsetenv("DIVAN_PLUGIN_PATH");
    assert_int_equal(dv_start(NULL), DV_OK); /* the build tree's own */
    assert_null(dv_class_find("Thing"));
    if (before)
        setenv("DIVAN_PLUGIN_PATH", before, 1);
    free(before);
    dv_text_free(&path);
    dv_text_free(&captured);
}

static void it_starts_once(void **state)
{
    (void)state;
    assert_int_equal(start_files(files(bad("good"))), DV_OK);
    assert_int_equal(start_files(files(bad("good"))), DV_ERROR_INVALID);
    expect_messages("error: the kernel has been started already");
    assert_non_null(dv_class_find("Thing"));
    dv_stop();
    assert_int_equal(start_files(files(bad("good"))), DV_OK);
    assert_non_null(dv_class_find("Thing"));
}

/* Another process: a kernel library that lies in `place`, alone, until it is taken away while the program runs. */
static int run_displaced(const char *place)
{
    static const char *const names[] = {"Alpha", "no module", "Beta"};
    snprintf(folder, sizeof folder, "%s", place);
    dv_log_set_handler(capture, NULL);
    for (int round = 1; round <= 3; round++) {
        DvText text = {0};
        const DvStatus status = dv_start(NULL);
        printf("round %d: %s, plugins: %zu\n", round, dv_status_name(status), dv_plugin_count());
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            dv_class_explain(names[i], &text);
            printf("%s\n", text.at);
            dv_text_free(&text);
        }
        dv_stop();
        remove(here(round == 1 ? "reference-classes.tsv" : "libdivan-kernel.so.0"));
    }
    printf("%s\n", captured.at ? captured.at : "nothing was said");
    return 0;
}

static void the_kernel_finds_what_lies_beside_its_library_and_starts_without(void **state)
{
    (void)state;
    copy(built("kernel/libdivan-kernel.so.0"), here("libdivan-kernel.so.0"));
    mkdir(here("divan"), 0777);
    mkdir(here("divan/plugins"), 0777);
    copy(bad("good"), here("divan/plugins/good.so"));
    /* A line without a module, and no end of the last line. */
    write_file(here("reference-classes.tsv"), "# classes\nAlpha\tModule.One\nno module\nBeta\tModule.Two");
    char command[1024];
    snprintf(command, sizeof command, "env -u DIVAN_PLUGIN_PATH LD_LIBRARY_PATH='%s' '%s' --displaced '%s' >'%s/said'",
             folder, built("tests/kernel-loader"), folder, folder);
    assert_int_equal(system(command), 0);
    char text[2048];
    read_file(here("said"), text, sizeof text);
    assert_string_equal(
        text, "round 1: ok, plugins: 1\n"
              "no class 'Alpha': it is a class of SOFA (Module.One) that no plugin of Divan offers yet\n"
              "no class 'no module'\n"
              "no class 'Beta': it is a class of SOFA (Module.Two) that no plugin of Divan offers yet\n"
              "round 2: ok, plugins: 1\nno class 'Alpha'\nno class 'no module'\nno class 'Beta'\n"
              "round 3: ok, plugins: 0\nno class 'Alpha'\nno class 'no module'\nno class 'Beta'\nnothing was said\n");
}

static int new_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, P_tmpdir "/divan-loader-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int clean_up(void **state)
{
    (void)state;
    dv_stop();
    unsetenv("DIVAN_TEST_TRACE");
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    assert_int_equal(system(command), 0);
    expect_messages("");
    return 0;
}

static int setup(void **state)
{
    (void)state;
    dv_log_set_handler(capture, NULL);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    dv_log_set_handler(NULL, NULL);
    return 0;
}

#define folder_test(test) cmocka_unit_test_setup_teardown(test, new_folder, clean_up)

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--displaced") == 0)
        return run_displaced(argv[2]);
    const struct CMUnitTest tests[] = {
        folder_test(every_bad_plugin_is_refused_with_its_own_reason),
        folder_test(contracts_and_variants_of_ones_own_are_free),
        folder_test(files_that_are_no_libraries_are_named),
        folder_test(a_library_that_is_cut_short_is_not_opened),
        folder_test(what_is_no_library_for_this_machine_is_said),
        folder_test(of_a_library_that_is_missing_for_a_plugin_both_names_are_said),
        folder_test(a_bad_plugin_does_not_stop_the_others),
        folder_test(plugins_that_need_each_other_are_refused_by_name),
        folder_test(of_two_plugins_with_one_id_the_first_is_taken_and_both_are_named),
        folder_test(the_same_id_in_two_folders_is_taken_from_the_first),
        folder_test(a_plugin_that_does_not_start_is_not_stopped_and_takes_its_dependents_along),
        folder_test(plugins_start_after_what_they_need_and_stop_in_reverse),
        folder_test(the_order_of_a_folder_is_that_of_the_names),
        folder_test(a_plugin_set_says_what_is_started),
        folder_test(a_plugin_set_may_lie_one_folder_up),
        folder_test(a_plugin_set_that_cannot_be_had_is_an_error),
        folder_test(plugin_sets_of_several_files_add_up),
        folder_test(the_environment_names_folders_to_search),
        folder_test(it_starts_once),
        folder_test(the_kernel_finds_what_lies_beside_its_library_and_starts_without),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
