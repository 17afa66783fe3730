/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Files that are written: beside their names first, then in place, so that the old one is there until the new one is whole.
 *
 * The new one gets its name by rename(2), in the folder of the old one, after all of it has reached the disk. What is no regular
 * file is written through.
 */
#include "words.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <divan/embed.h>
#include <divan/output.h>

enum { MAX_LINKS = 40, MAX_PARTS = 100, MAX_NAME = 200 /* bytes: with the ending, names of files have 255 at most */ };

/* What is being written. Once its folder is open all is done from there, by the last part of its name, which is no link: so nothing comes to lie
 * elsewhere though somebody exchanges a folder meanwhile. */
typedef struct Output {
    FILE *file;
    int folder;           /* descriptor; -1: of a descriptor that was open already */
    char *target;         /* its name, links resolved; NULL likewise */
    char *part;           /* last part of the name of the new file; NULL: written through */
    struct stat replaced; /* or written through; st_nlink 0: there was none */
    struct Output *next;
} Output;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static Output *outputs;
static const char *volatile made; /* name of a part that is not in the list yet; NULL: none */
static volatile int made_in;      /* its folder */

static void output_free(Output *output)
{
    if (output->folder >= 0)
        close(output->folder);
    g_free(output->target);
    g_free(output->part);
    g_free(output);
}

static const char *last_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool same_file(const struct stat *a, const struct stat *b)
{
    return a->st_nlink && b->st_nlink && a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* ---- Which file ---- */

/* The descriptor of this process that a path means; -1: none. */
static int descriptor_of(const char *path)
{
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/", NULL};
    if (strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0)
        return STDOUT_FILENO;
    if (strcmp(path, "/dev/stderr") == 0)
        return STDERR_FILENO;
    for (const char *const *folder = folders; *folder; folder++) {
        guint64 number;
        if (g_str_has_prefix(path, *folder) &&
            g_ascii_string_to_unsigned(path + strlen(*folder), 10, 0, INT_MAX, &number, NULL))
            return (int)number;
    }
    return -1;
}

/* Where links lead; NULL with the reason. A descriptor stays the name that means it. */
static char *follow_links(const char *path, DvText *why)
{
    char *at = g_strdup(path);
    for (int links = 0; links < MAX_LINKS; links++) {
        struct stat found;
        if (descriptor_of(at) >= 0 || lstat(at, &found) != 0 || !S_ISLNK(found.st_mode))
            return at;
        char *to = g_file_read_link(at, NULL), *folder = g_path_get_dirname(at);
        g_free(at);
        at = to && !g_path_is_absolute(to) ? g_build_filename(folder, to, NULL) : g_strdup(to ? to : "");
        g_free(folder);
        g_free(to);
    }
    g_free(at);
    dv_text_add(why, "%s", g_strerror(ELOOP));
    return NULL;
}

/* The file in its real folder, so that two names of one that is not there yet are equal; NULL with the reason. */
static char *real_name(const char *path, DvText *why)
{
    char *folder = g_path_get_dirname(path), *name = g_path_get_basename(path);
    char *real = realpath(folder, NULL), *result = NULL;
    if (!*path)
        dv_text_add(why, "no name of a file");
    else if (!real)
        dv_text_add(why, "%s", g_strerror(errno));
    else if (g_str_has_suffix(path, "/") || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        dv_text_add(why, "the name of a folder, not of a file");
    else
        result = g_build_filename(real, name, NULL);
    free(real);
    g_free(name);
    g_free(folder);
    return result;
}

/* ---- Where a scene may write ---- */

enum { FOLDER = O_PATH | O_DIRECTORY | O_CLOEXEC };

static const char *given_folder; /* interned; NULL: the working directory */

DvStatus dv_set_output_folder(const char *folder)
{
    char *real = folder ? realpath(folder, NULL) : NULL;
    if (folder && (!real || !g_file_test(real, G_FILE_TEST_IS_DIR))) {
        const DvStatus status = dv_error(NULL, DV_ERROR_IO, "'%s', where scenes should write: %s", folder,
                                         real ? "is no folder" : g_strerror(errno));
        free(real);
        return status;
    }
    pthread_mutex_lock(&mutex);
    given_folder = real ? g_intern_string(real) : NULL;
    pthread_mutex_unlock(&mutex);
    free(real);
    return DV_OK;
}

const char *dv_words_output_folder(void)
{
    pthread_mutex_lock(&mutex);
    const char *folder = given_folder;
    pthread_mutex_unlock(&mutex);
    return folder;
}

/* The folder that a scene writes in; NULL: all of them. */
static const char *limit_of(const DvScene *scene)
{
    const char *folder = scene->output_folder ? scene->output_folder : ".";
    return strcmp(folder, "/") == 0 ? NULL : folder;
}

/* Whether a folder is, or lies below, another one: from the descriptor upwards, so that names do not matter. */
static bool is_below(int folder, const char *limit)
{
    struct stat wanted, here, above = {0};
    int at = openat(folder, ".", FOLDER);
    bool found = false, top = at < 0 || stat(limit, &wanted) != 0 || fstat(at, &here) != 0;
    while (!top && !(found = same_file(&here, &wanted))) {
        const int next = openat(at, "..", FOLDER);
        close(at);
        at = next;
        top = at < 0 || fstat(at, &above) != 0 || same_file(&here, &above);
        here = above;
    }
    if (at >= 0)
        close(at);
    return found;
}

/* False, with the reason. `target`: where the name has led. */
static bool refuse_elsewhere(const char *target, const char *limit, DvText *why)
{
    char *real = realpath(limit, NULL);
    dv_text_add(why,
                "'%s' is not below '%s', where alone a scene may write; --write-anywhere (in a host: "
                "dv_set_output_folder) lets it write elsewhere",
                target, real ? real : limit);
    free(real);
    return false;
}

/* ---- What is refused ---- */

static bool refuse(DvText *why, const char *reason)
{
    dv_text_add(why, "%s", reason);
    return false;
}

/* The libraries that run are inputs too. */
static bool is_plugin(const struct stat *found)
{
    const DvPluginInfo *info;
    for (size_t i = 0; (info = dv_plugin_info(i)); i++) {
        struct stat library;
        if (stat(info->file, &library) == 0 && same_file(&library, found))
            return true;
    }
    return false;
}

static bool is_writable(const Output *output, DvText *why)
{
    const struct stat *found = &output->replaced;
    if (S_ISDIR(found->st_mode))
        return refuse(why, "is a folder");
    if (S_ISBLK(found->st_mode))
        return refuse(why, "is a block device; nothing is written to those");
    if (S_ISSOCK(found->st_mode))
        return refuse(why, "is a socket; nothing is written to those");
    if (!(found->st_mode & 0222) || faccessat(output->folder, last_of(output->target), W_OK, 0) != 0)
        return refuse(why, "is write-protected; choose another name, or `chmod u+w` it first");
    if (is_plugin(found))
        return refuse(why, "is a plugin; choose another name");
    return true;
}

/* Two outputs in one file would be one too few. What takes everything from everybody, /dev/null or a terminal, is none. */
static bool is_free(const Output *output, DvText *why)
{
    if (S_ISCHR(output->replaced.st_mode))
        return true;
    for (const Output *other = outputs; other; other = other->next)
        if (same_file(&output->replaced, &other->replaced) ||
            (output->target && g_strcmp0(output->target, other->target) == 0))
            return refuse(why, "is being written already; two outputs need two files");
    for (int standard = STDOUT_FILENO; output->target && standard <= STDERR_FILENO; standard++) {
        struct stat found;
        if (fstat(standard, &found) == 0 && same_file(&output->replaced, &found))
            return refuse(why, standard == STDOUT_FILENO ? "is where standard output goes; two outputs need two files"
                                                         : "is where standard error goes; two outputs need two files");
    }
    return true;
}

/* ---- Begin ---- */

static FILE *stream_of(int descriptor, DvText *why)
{
    FILE *file = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
    if (!file)
        dv_text_add(why, "%s", g_strerror(errno));
    if (!file && descriptor >= 0)
        close(descriptor);
    return file;
}

/* A new file beside the target, which nobody else has; with the mode of the old one from the start, since that may be a secret. */
static int open_part(Output *output)
{
    const bool is_there = output->replaced.st_nlink > 0;
    const mode_t mode = is_there ? output->replaced.st_mode & 0777 : 0666;
    int descriptor = -1;
    made_in = output->folder;
    for (int i = 0; i < MAX_PARTS && descriptor < 0 && (i == 0 || errno == EEXIST); i++) {
        char more[16] = "";
        if (i)
            g_snprintf(more, sizeof more, "-%d", i);
        made = NULL;
        g_free(output->part);
        output->part = g_strdup_printf("%.*s.%ld%s.part", MAX_NAME, last_of(output->target), (long)getpid(), more);
        made = output->part;
        descriptor = openat(output->folder, output->part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    }
    if (descriptor >= 0 && is_there) {
        const struct stat *old = &output->replaced;
        /* Not everybody may give files away; a group of which one is a member is another matter. */
        if (fchown(descriptor, old->st_uid, old->st_gid) != 0)
            (void)!fchown(descriptor, (uid_t)-1, old->st_gid);
        (void)!fchmod(descriptor, mode);
    }
    return descriptor;
}

static FILE *open_beside(Output *output, DvText *why)
{
    const int descriptor = open_part(output);
    if (descriptor < 0 && output->replaced.st_nlink && (errno == EACCES || errno == EROFS)) {
        dv_text_add(why, "cannot be replaced: no file can be made in its folder (%s)", g_strerror(errno));
        return NULL;
    }
    FILE *file = stream_of(descriptor, why);
    if (!file && descriptor >= 0)
        (void)unlinkat(output->folder, output->part, 0);
    return file;
}

/* The folder of the target, and what is there. `limit`: where it must be; NULL: anywhere. */
static bool find_target(Output *output, const char *limit, DvText *why)
{
    char *folder = g_path_get_dirname(output->target);
    output->folder = open(folder, FOLDER);
    g_free(folder);
    if (output->folder < 0)
        return refuse(why, g_strerror(errno));
    if (limit && !is_below(output->folder, limit))
        return refuse_elsewhere(output->target, limit, why);
    if (fstatat(output->folder, last_of(output->target), &output->replaced, AT_SYMLINK_NOFOLLOW) != 0)
        output->replaced = (struct stat){.st_nlink = 0};
    return !S_ISLNK(output->replaced.st_mode) || refuse(why, "has become a link to another file meanwhile");
}

/* With the mutex held. `target` is where links lead. What is written through by name is opened later. */
static bool begin(Output *output, const char *target, const char *limit, DvText *why)
{
    const int descriptor = descriptor_of(target);
    if (descriptor >= 0 && limit)
        return refuse_elsewhere(target, limit, why);
    if (descriptor >= 0) {
        if (fstat(descriptor, &output->replaced) != 0)
            return refuse(why, g_strerror(errno));
        if (!is_free(output, why))
            return false;
        output->file = stream_of(fcntl(descriptor, F_DUPFD_CLOEXEC, 0), why);
        return output->file != NULL;
    }
    output->target = real_name(target, why);
    if (!output->target || !find_target(output, limit, why))
        return false;
    const bool is_there = output->replaced.st_nlink > 0;
    if ((is_there && !is_writable(output, why)) || !is_free(output, why))
        return false;
    if (is_there && !S_ISREG(output->replaced.st_mode))
        return true;
    output->file = open_beside(output, why);
    return output->file != NULL;
}

/* NULL: it is not one of these. */
static Output *find_output(const FILE *file)
{
    pthread_mutex_lock(&mutex);
    Output *output = outputs;
    while (output && output->file != file)
        output = output->next;
    pthread_mutex_unlock(&mutex);
    return output;
}

static void forget(const Output *output)
{
    pthread_mutex_lock(&mutex);
    Output **at = &outputs;
    while (*at != output)
        at = &(*at)->next;
    *at = output->next;
    pthread_mutex_unlock(&mutex);
}

static FILE *open_target(const char *target, const char *limit, DvText *why)
{
    Output *output = g_new0(Output, 1);
    output->folder = -1;
    pthread_mutex_lock(&mutex);
    const bool good = begin(output, target, limit, why);
    if (good) {
        output->next = outputs;
        outputs = output;
    }
    made = NULL;
    pthread_mutex_unlock(&mutex);
    if (good && !output->file) { /* a FIFO may have to wait: not with the mutex */
        FILE *file = stream_of(openat(output->folder, last_of(output->target), O_WRONLY | O_NOFOLLOW | O_CLOEXEC), why);
        pthread_mutex_lock(&mutex);
        output->file = file;
        pthread_mutex_unlock(&mutex);
        if (!file)
            forget(output);
    }
    FILE *file = output->file;
    if (!file)
        output_free(output);
    return file;
}

static FILE *open_path(const char *path, DvScene *scene, const char *limit, DvText *why)
{
    char *target = follow_links(path, why);
    FILE *file = NULL;
    if (target && scene && dv_scene_reads(scene, target))
        dv_text_add(why, "is a file that the scene is made from; choose another name");
    else if (target)
        file = open_target(target, limit, why);
    g_free(target);
    return file;
}

FILE *dv_output_open(const char *path, DvScene *scene, DvText *why)
{
    return open_path(path, scene, NULL, why);
}

FILE *dv_scene_output_open(DvScene *scene, const char *path, DvText *why)
{
    return open_path(path, scene, limit_of(scene), why);
}

/* A folder in another one, made when it is not there; -1 with the reason. */
static int step_into(int folder, const char *name, const char *path, const char *limit, DvText *why)
{
    int next = openat(folder, name, FOLDER);
    if (next < 0 && errno == ENOENT) {
        if (limit && !is_below(folder, limit)) {
            (void)refuse_elsewhere(path, limit, why);
            return -1;
        }
        (void)mkdirat(folder, name, 0777); /* somebody else may just have done so */
        next = openat(folder, name, FOLDER | O_NOFOLLOW);
    }
    if (next < 0)
        dv_text_add(why, "folder '%s': %s", name, g_strerror(errno));
    return next;
}

DvStatus dv_scene_output_folders(DvScene *scene, const char *path, DvText *why)
{
    const char *limit = limit_of(scene);
    int at = open(*path == '/' ? "/" : ".", FOLDER);
    char **names = g_strsplit(path, "/", -1);
    for (char **name = names; at >= 0 && *name && name[1]; name++) {
        const int next = **name ? step_into(at, *name, path, limit, why) : at;
        if (next != at)
            close(at);
        at = next;
    }
    g_strfreev(names);
    if (at >= 0)
        close(at);
    return at >= 0 ? DV_OK : DV_ERROR_IO;
}

/* ---- End ---- */

static bool flush(const Output *output, DvText *why)
{
    const bool lost = ferror(output->file) != 0;
    const int descriptor = fileno(output->file);
    errno = 0;
    bool good = fflush(output->file) == 0 && !lost;
    if (lost && errno == 0)
        (void)!write(descriptor, "\n", 1); /* the reason of what failed earlier, once more */
    /* Of some files, fsync says that it can do nothing for them. */
    good = good && (!output->part || fsync(descriptor) == 0 || errno == EINVAL);
    if (!good)
        dv_text_add(why, "not everything could be written: %s", g_strerror(errno ? errno : EIO));
    return good;
}

static bool put_in_place(const Output *output, DvText *why)
{
    if (renameat(output->folder, output->part, output->folder, last_of(output->target)) == 0)
        return true;
    dv_text_add(why, "cannot be replaced: %s", g_strerror(errno));
    return false;
}

static void leave_part(const Output *output, DvText *text)
{
    struct stat found;
    if (fstatat(output->folder, output->part, &found, 0) == 0 && found.st_size > 0)
        dv_text_add(text, "%swhat was written is in %.*s%s", text->length ? "; " : "",
                    (int)(last_of(output->target) - output->target), output->target, output->part);
    else
        (void)unlinkat(output->folder, output->part, 0);
}

/* `failed`: what becomes of one that should be whole and is not. */
static DvStatus end_output(FILE *file, DvOutputEnd end, DvOutputEnd failed, DvText *text)
{
    Output *output = find_output(file);
    DvStatus status = DV_OK;
    if (end == DV_OUTPUT_PART)
        (void)fflush(file);
    if (end == DV_OUTPUT_WHOLE && !(flush(output, text) && (!output->part || put_in_place(output, text)))) {
        status = DV_ERROR_IO;
        end = failed;
    }
    if (output->part && end == DV_OUTPUT_PART)
        leave_part(output, text);
    else if (output->part && end == DV_OUTPUT_NONE)
        (void)unlinkat(output->folder, output->part, 0);
    forget(output);
    (void)fclose(file); /* it has been flushed, or is of no use */
    output_free(output);
    return status;
}

void dv_output_abandon(void)
{
    if (made)
        (void)unlinkat(made_in, made, 0);
    for (const Output *output = outputs; output; output = output->next)
        if (output->part)
            (void)unlinkat(output->folder, output->part, 0);
}

DvStatus dv_output_close(FILE *file, DvOutputEnd end, DvText *text)
{
    return end_output(file, end, DV_OUTPUT_PART, text);
}

static DvStatus write_whole(FILE *file, const void *bytes, size_t size, DvText *why)
{
    if (!file)
        return DV_ERROR_IO;
    if (size)
        (void)fwrite(bytes, 1, size, file); /* an error stays with the file */
    return end_output(file, DV_OUTPUT_WHOLE, DV_OUTPUT_NONE, why);
}

DvStatus dv_output_write(const char *path, DvScene *scene, const void *bytes, size_t size, DvText *why)
{
    return write_whole(dv_output_open(path, scene, why), bytes, size, why);
}

DvStatus dv_scene_output_write(DvScene *scene, const char *path, const void *bytes, size_t size, DvText *why)
{
    return write_whole(dv_scene_output_open(scene, path, why), bytes, size, why);
}

DvStatus dv_scene_output_update(DvScene *scene, const char *path, const void *bytes, size_t size, DvText *why)
{
    return write_whole(open_path(path, NULL, limit_of(scene), why), bytes, size, why);
}

void dv_scene_output_lost(DvData *field, const char *path, const DvText *why)
{
    DvScene *scene = dv_private_scene_of(field->owner);
    if (scene)
        scene->lost_outputs++;
    dv_field_warning(field, -1, "'%s' cannot be written: %s", path, why->at ? why->at : "no reason is known");
}

/* ---- What a scene reads ---- */

typedef struct Reads {
    void (*visit)(void *context, const char *path);
    void *context;
    GHashTable *seen; /* names of scene files */
} Reads;

static void visit_file(const Reads *reads, const char *path)
{
    if (path)
        reads->visit(reads->context, path);
}

/* A list of texts that its name says to be files: shaders, meshes. */
static void visit_list(const Reads *reads, const DvObject *object, DvData *data)
{
    size_t count = 0;
    char *const *names = dv_data_strings(data, &count);
    char *folder = object->place.file ? g_path_get_dirname(object->place.file) : NULL;
    for (size_t i = 0; i < count; i++) {
        char *path = *names[i] ? dv_find_file(names[i], folder) : NULL;
        visit_file(reads, path);
        dv_free(path);
    }
    g_free(folder);
}

static void visit_object(const Reads *reads, DvObject *object)
{
    const char *file = object->place.file;
    if (file && g_hash_table_add(reads->seen, (gpointer)file))
        visit_file(reads, file);
    for (size_t i = 0; i < object->field_count; i++) {
        DvData *data = object->fields[i];
        const DvType *type = data->field->type;
        if (type == &dv_type_file)
            visit_file(reads, dv_data_file(data));
        else if (dv_words_names_files(data->field))
            visit_list(reads, object, data);
    }
}

static void visit_node(const Reads *reads, const DvNode *node)
{
    DvObject *object;
    visit_object(reads, dv_node_object(node));
    for (size_t i = 0; (object = dv_node_member(node, i)); i++)
        visit_object(reads, object);
    const DvNode *child;
    for (size_t i = 0; (child = dv_node_child(node, i)); i++)
        if (dv_node_parent(child, 0) == node)
            visit_node(reads, child);
}

void dv_scene_files(DvScene *scene, void (*visit)(void *context, const char *path), void *context)
{
    if (!scene->root)
        return;
    const Reads reads = {visit, context, g_hash_table_new(g_str_hash, g_str_equal)};
    visit_node(&reads, scene->root);
    g_hash_table_unref(reads.seen);
}

typedef struct Wanted {
    struct stat file;
    bool found;
} Wanted;

static void compare(void *context, const char *path)
{
    Wanted *wanted = context;
    struct stat found;
    wanted->found = wanted->found || (stat(path, &found) == 0 && same_file(&found, &wanted->file));
}

bool dv_scene_reads(DvScene *scene, const char *path)
{
    Wanted wanted = {.found = false};
    if (stat(path, &wanted.file) == 0)
        dv_scene_files(scene, compare, &wanted);
    return wanted.found;
}
