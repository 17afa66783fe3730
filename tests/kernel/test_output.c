/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Files that are written: the old one is there until the new one is whole, and what cannot or must not be written is refused.
 */
#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include <divan/embed.h>
#include <divan/output.h>

static char folder[] = P_tmpdir "/divan-output-XXXXXX";
static DvText why;

static int enter(void **state)
{
    (void)state;
    return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int leave(void **state)
{
    (void)state;
    char command[300];
    dv_text_free(&why);
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return chdir("/") == 0 && system(command) == 0 ? 0 : -1;
}

static FILE *begin(const char *name)
{
    dv_text_free(&why);
    return dv_output_open(name, NULL, &why);
}

static void end(FILE *file, DvOutputEnd how, DvStatus status)
{
    dv_text_free(&why);
    assert_int_equal(dv_output_close(file, how, &why), status);
}

static void assert_why(const char *part)
{
    if (!why.at || !strstr(why.at, part))
        fail_msg("'%s' is not in '%s'", part, why.at ? why.at : "");
}

static void refused(const char *name, const char *reason)
{
    assert_null(begin(name));
    assert_why(reason);
}

static void put(const char *name, const char *text)
{
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void assert_holds(const char *name, const char *text)
{
    char found[200] = "";
    FILE *file = fopen(name, "r");
    assert_non_null(file);
    found[fread(found, 1, sizeof found - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(found, text);
}

/* Names of the folder that end in .part; the last one is left in `name`. */
static int parts(char name[300])
{
    int count = 0;
    DIR *files = opendir(".");
    assert_non_null(files);
    for (struct dirent *entry; (entry = readdir(files));)
        if (strlen(entry->d_name) > 5 && strcmp(entry->d_name + strlen(entry->d_name) - 5, ".part") == 0) {
            snprintf(name, 300, "%s", entry->d_name);
            count++;
        }
    closedir(files);
    return count;
}

static void the_old_file_stays_until_the_new_one_is_whole(void **state)
{
    (void)state;
    char part[300];
    put("a", "old");
    FILE *file = begin("a");
    assert_non_null(file);
    fputs("new", file);
    fflush(file);
    assert_holds("a", "old");
    assert_int_equal(parts(part), 1);
    assert_holds(part, "new");
    end(file, DV_OUTPUT_WHOLE, DV_OK);
    assert_null(why.at);
    assert_holds("a", "new");
    assert_int_equal(parts(part), 0);
    file = begin("not-there-yet");
    fputs("new", file);
    assert_int_equal(access("not-there-yet", F_OK), -1);
    end(file, DV_OUTPUT_WHOLE, DV_OK);
    assert_holds("not-there-yet", "new");
}

static void what_is_given_up_changes_nothing(void **state)
{
    (void)state;
    char part[300];
    put("a", "old");
    FILE *file = begin("a");
    fputs("new", file);
    fflush(file); /* so that a part is there */
    end(file, DV_OUTPUT_NONE, DV_OK);
    assert_null(why.at);
    assert_holds("a", "old");
    assert_int_equal(parts(part), 0);
    end(begin("a"), DV_OUTPUT_PART, DV_OK); /* of nothing there is no part */
    assert_null(why.at);
    assert_int_equal(parts(part), 0);
    file = begin("a");
    fputs("half", file);
    end(file, DV_OUTPUT_PART, DV_OK);
    assert_holds("a", "old");
    assert_int_equal(parts(part), 1);
    assert_why(part);
    assert_holds(part, "half");
    /* A part of an earlier run is nobody's to write to. */
    end(begin("a"), DV_OUTPUT_WHOLE, DV_OK);
    assert_holds(part, "half");
    assert_int_equal(unlink(part), 0);
}

static void the_place_of_the_old_file_is_lost_meanwhile(void **state)
{
    (void)state;
    char part[300];
    FILE *file = begin("place");
    fputs("new", file);
    assert_int_equal(mkdir("place", 0777), 0);
    end(file, DV_OUTPUT_WHOLE, DV_ERROR_IO);
    assert_why("cannot be replaced: ");
    assert_why("what was written is in ");
    assert_int_equal(parts(part), 1);
    assert_holds(part, "new");
    assert_int_equal(unlink(part), 0);
    assert_int_equal(rmdir("place"), 0);
}

static void a_file_is_written_by_one_at_a_time(void **state)
{
    (void)state;
    put("a", "old");
    assert_int_equal(link("a", "twin"), 0);
    assert_int_equal(symlink("a", "other"), 0);
    assert_int_equal(mkdir("sub", 0777), 0);
    static const char *const names[] = {"a", "./a", "sub/../a", "twin", "other"};
    FILE *file = begin("a"), *fresh = begin("fresh");
    assert_non_null(file);
    assert_non_null(fresh);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        refused(names[i], "is being written already");
    refused("./sub/../fresh", "is being written already");
    end(fresh, DV_OUTPUT_NONE, DV_OK);
    end(file, DV_OUTPUT_WHOLE, DV_OK);
    end(begin("other"), DV_OUTPUT_WHOLE, DV_OK);
    struct stat found;
    assert_int_equal(lstat("other", &found), 0);
    assert_true(S_ISLNK(found.st_mode));
    const int device = open("/dev/null", O_WRONLY); /* by number: no mistake can replace the device */
    char name[32];
    snprintf(name, sizeof name, "/dev/fd/%d", device);
    FILE *null = begin(name), *again = begin(name);
    assert_non_null(null);
    assert_non_null(again);
    end(again, DV_OUTPUT_WHOLE, DV_OK);
    end(null, DV_OUTPUT_PART, DV_OK);
    assert_null(why.at);
    close(device);
}

static void modes_stay_and_secrets_too(void **state)
{
    (void)state;
    char part[300];
    struct stat found;
    static const mode_t modes[] = {0600, 0640, 0755, 0622};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        put("secret", "old");
        assert_int_equal(chmod("secret", modes[i]), 0);
        FILE *file = begin("secret");
        assert_int_equal(parts(part), 1);
        assert_int_equal(stat(part, &found), 0);
        assert_int_equal(found.st_mode & 07777, modes[i]); /* before there is anything to read */
        end(file, DV_OUTPUT_WHOLE, DV_OK);
        assert_int_equal(stat("secret", &found), 0);
        assert_int_equal(found.st_mode & 07777, modes[i]);
    }
    const mode_t mask = umask(037);
    assert_int_equal(dv_output_write("by-umask", NULL, "x", 1, &why), DV_OK);
    umask(mask);
    assert_int_equal(stat("by-umask", &found), 0);
    assert_int_equal(found.st_mode & 07777, 0640);
}

static void what_is_no_file_of_ones_own_is_refused(void **state)
{
    (void)state;
    put("fixed", "old");
    assert_int_equal(chmod("fixed", 0444), 0);
    refused("fixed", "is write-protected");
    assert_holds("fixed", "old");
    assert_int_equal(mkdir("folder", 0777), 0);
    refused("folder", "is a folder");
    refused("folder/", "the name of a folder");
    refused(".", "the name of a folder");
    refused("folder/..", "the name of a folder");
    refused("", "no name of a file");
    refused("nowhere/a", "No such file or directory");
    refused("fixed/a", "Not a directory");
    refused("/dev/fd/99", "Bad file descriptor");
    assert_int_equal(symlink("round", "round"), 0);
    refused("round", "Too many levels of symbolic links");
}

static void links_are_followed_to_files_that_are_not_there_yet(void **state)
{
    (void)state;
    struct stat found;
    assert_int_equal(mkdir("deep", 0777), 0);
    assert_int_equal(symlink("../first", "deep/second"), 0);
    assert_int_equal(symlink("target", "first"), 0);
    assert_int_equal(dv_output_write("deep/second", NULL, "text", 4, &why), DV_OK);
    assert_holds("target", "text");
    assert_int_equal(lstat("first", &found), 0);
    assert_true(S_ISLNK(found.st_mode));
}

static void a_long_name_is_still_a_name(void **state)
{
    (void)state;
    char name[256];
    memset(name, 'n', 255);
    name[255] = '\0';
    assert_int_equal(dv_output_write(name, NULL, "text", 4, &why), DV_OK);
    assert_holds(name, "text");
}

static void an_open_descriptor_is_written_on(void **state)
{
    (void)state;
    put("log", "first\n");
    const int descriptor = open("log", O_WRONLY | O_APPEND);
    char name[32];
    snprintf(name, sizeof name, "/dev/fd/%d", descriptor);
    assert_int_equal(dv_output_write(name, NULL, "second\n", 7, &why), DV_OK);
    assert_int_equal(write(descriptor, "third\n", 6), 6); /* it is still open */
    close(descriptor);
    assert_holds("log", "first\nsecond\nthird\n");
}

static void a_full_device_is_told_of(void **state)
{
    (void)state;
    if (access("/dev/full", W_OK) != 0)
        skip();
    char text[100000];
    memset(text, 'x', sizeof text);
    const int full = open("/dev/full", O_WRONLY);
    char name[32];
    snprintf(name, sizeof name, "/dev/fd/%d", full);
    for (size_t size = 1; size <= sizeof text; size *= 10) {
        dv_text_free(&why);
        assert_int_equal(dv_output_write(name, NULL, text, size, &why), DV_ERROR_IO);
        assert_why("not everything could be written: No space left on device");
    }
    close(full);
}

/* ---- Where scenes write ---- */

static bool scene_writes(DvScene *scene, const char *name)
{
    dv_text_free(&why);
    const bool good = dv_scene_output_write(scene, name, "x", 1, &why) == DV_OK;
    assert_int_equal(good, access(name, F_OK) == 0);
    if (good)
        assert_int_equal(unlink(name), 0);
    return good;
}

/* Each keeps the folder that was given when it was made. */
static void a_scene_writes_below_the_folder_of_its_host(void **state)
{
    (void)state;
    assert_true(mkdir("one", 0777) == 0 && mkdir("one/deep", 0777) == 0 && mkdir("two", 0777) == 0);
    DvScene *here = dv_scene_new();
    assert_int_equal(dv_set_output_folder("one"), DV_OK);
    DvScene *one = dv_scene_new();
    assert_int_equal(dv_set_output_folder("two"), DV_OK);
    DvScene *two = dv_scene_new();
    assert_int_equal(dv_set_output_folder("/"), DV_OK);
    DvScene *all = dv_scene_new();
    assert_int_equal(dv_set_output_folder(NULL), DV_OK);
    DvScene *again = dv_scene_new();
    assert_true(scene_writes(one, "one/new_file") && scene_writes(one, "one/deep/new_file") &&
                scene_writes(one, "two/../one/new_file"));
    assert_false(scene_writes(one, "new_file") || scene_writes(one, "two/new_file") ||
                 scene_writes(one, "one/../new_file"));
    assert_true(scene_writes(two, "two/new_file"));
    assert_false(scene_writes(two, "one/new_file"));
    assert_why("/one/new_file' is not below '");
    assert_why("/two'");
    assert_why("--write-anywhere");
    assert_why("dv_set_output_folder");
    assert_true(scene_writes(all, "new_file") && scene_writes(all, "../divan-output-elsewhere"));
    assert_true(scene_writes(here, "new_file") && scene_writes(here, "one/new_file") &&
                scene_writes(again, "new_file"));
    assert_false(scene_writes(here, "../divan-output-elsewhere") || scene_writes(again, "../divan-output-elsewhere"));
    assert_int_equal(chdir("one"), 0); /* where the process is counts, when no folder was given */
    assert_true(scene_writes(here, "new_file") && scene_writes(one, "deep/new_file"));
    assert_false(scene_writes(here, "../new_file"));
    assert_int_equal(chdir(".."), 0);
    DvScene *const scenes[] = {here, one, two, all, again};
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++)
        assert_int_equal(dv_scene_end(scenes[i]), DV_OK);
}

static void a_folder_that_is_none_is_refused(void **state)
{
    (void)state;
    put("file", "");
    assert_int_equal(dv_set_output_folder("nowhere"), DV_ERROR_IO);
    assert_int_equal(dv_set_output_folder("file"), DV_ERROR_IO);
    DvScene *scene = dv_scene_new();
    assert_true(scene_writes(scene, "new_file")); /* as before */
    dv_scene_free(scene);
}

static void folders_are_made_below_that_folder_only(void **state)
{
    (void)state;
    assert_int_equal(dv_set_output_folder("one"), DV_OK);
    DvScene *scene = dv_scene_new();
    assert_int_equal(dv_set_output_folder(NULL), DV_OK);
    dv_text_free(&why);
    assert_int_equal(dv_scene_output_folders(scene, "new/file", &why), DV_ERROR_IO);
    assert_why("'new/file' is not below '");
    assert_int_not_equal(access("new", F_OK), 0);
    assert_int_equal(dv_scene_output_folders(scene, "one//new/./deep/file", &why), DV_OK);
    assert_int_equal(access("one/new/deep", F_OK), 0);
    assert_int_equal(dv_scene_output_folders(scene, "two/file", &why), DV_OK); /* nothing is to be made */
    assert_int_equal(dv_scene_output_folders(scene, "file", &why), DV_OK);
    dv_text_free(&why);
    assert_int_equal(dv_scene_output_folders(scene, "file/new/file", &why), DV_ERROR_IO);
    assert_why("folder 'file': ");
    dv_scene_free(scene);
}

static void a_lost_file_is_known_at_the_end(void **state)
{
    (void)state;
    DvScene *scene = dv_scene_new();
    DvText reason = {0};
    dv_text_add(&reason, "the disk is full");
    dv_scene_output_lost(dv_object_field(dv_node_object(dv_scene_root(scene)), "name"), "file", &reason);
    dv_text_free(&reason);
    assert_int_equal(dv_scene_end(scene), DV_ERROR_IO);
    assert_int_equal(dv_scene_end(NULL), DV_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_old_file_stays_until_the_new_one_is_whole),
        cmocka_unit_test(what_is_given_up_changes_nothing),
        cmocka_unit_test(the_place_of_the_old_file_is_lost_meanwhile),
        cmocka_unit_test(a_file_is_written_by_one_at_a_time),
        cmocka_unit_test(modes_stay_and_secrets_too),
        cmocka_unit_test(what_is_no_file_of_ones_own_is_refused),
        cmocka_unit_test(links_are_followed_to_files_that_are_not_there_yet),
        cmocka_unit_test(a_long_name_is_still_a_name),
        cmocka_unit_test(an_open_descriptor_is_written_on),
        cmocka_unit_test(a_full_device_is_told_of),
        cmocka_unit_test(a_scene_writes_below_the_folder_of_its_host),
        cmocka_unit_test(a_folder_that_is_none_is_refused),
        cmocka_unit_test(folders_are_made_below_that_folder_only),
        cmocka_unit_test(a_lost_file_is_known_at_the_end),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
