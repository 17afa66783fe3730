/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Scenes from files and into files: whose format it is, reading, writing. Reading makes everything first; initialisation is the core's.
 */
#include "words.h"

#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>

static void field_added(DvObject *object, DvData *data)
{
    const char *text = dv_attribute(object->attributes, data->field->name);
    if (text)
        dv_words_set_field(object, data, text);
}

static DvObject *object_at(DvScene *scene, const char *path)
{
    char *link = g_strconcat("@", path, NULL);
    DvObject *object = dv_node_resolve(scene->root, NULL, link, NULL);
    g_free(link);
    return object;
}

const Words dv_words = {.parse = dv_words_parse,
                        .find_file = dv_words_find_file_of,
                        .attribute_of = dv_words_attribute_of,
                        .check_required = dv_words_check_required,
                        .check_ranges = dv_words_check_ranges,
                        .make_first = dv_words_make_first,
                        .forget = dv_words_forget,
                        .capture = dv_words_capture,
                        .keep_first = dv_words_keep_first,
                        .put_first_back = dv_words_put_first_back,
                        .restore = dv_words_restore,
                        .field_added = field_added,
                        .resolve_links = dv_words_resolve_links,
                        .report_links = dv_words_report_links,
                        .object_at = object_at,
                        .say_circle = dv_words_say_circle,
                        .say_unused_context = dv_words_say_unused_context,
                        .say_namesake = dv_words_say_namesake,
                        .convert = dv_words_convert,
                        .update_boxes = dv_words_update_boxes};

/* The formats of the plugins that run. */
typedef struct Formats {
    const void **at; /* [count] DvSceneFormatOps; for g_free */
    size_t count;
} Formats;

static Formats formats(void)
{
    const size_t count = dv_services(DV_SCENE_FORMAT, NULL, 0);
    const Formats all = {g_new(const void *, count), count};
    (void)dv_services(DV_SCENE_FORMAT, all.at, count);
    return all;
}

static bool has_extension(const DvSceneFormatOps *format, const char *file)
{
    const char *dot = strrchr(file, '.');
    for (const char *const *extension = format->extensions; dot && extension && *extension; extension++)
        if (g_ascii_strcasecmp(dot, *extension) == 0)
            return true;
    return false;
}

/* By the extension, else by what the text looks like (NULL: unknown). */
static const DvSceneFormatOps *find_format(const char *file, const char *text, size_t length)
{
    const Formats all = formats();
    const DvSceneFormatOps *found = NULL;
    for (size_t i = 0; i < all.count && !found; i++)
        found = has_extension(all.at[i], file) ? all.at[i] : NULL;
    for (size_t i = 0; text && i < all.count && !found; i++)
        found = ((const DvSceneFormatOps *)all.at[i])->recognise(text, length) ? all.at[i] : NULL;
    g_free(all.at);
    return found;
}

static bool reads(const DvPlugin *plugin, const char *file)
{
    for (const DvContract *offer = plugin->offers; offer && offer->id; offer++)
        if (strcmp(offer->id, DV_SCENE_FORMAT) == 0 && has_extension(offer->ops, file))
            return true;
    return false;
}

static DvStatus refuse(const char *file, DvStatus status, const char *why)
{
    dv_log_at(DV_LEVEL_ERROR, status, file, 0, 0, "%s", why);
    return status;
}

/* The text, what a parser makes of one long attribute, which grows by doubling, and the attribute again as text and as numbers. */
enum { MEMORY_PER_BYTE = 8 };

static bool read_text(const char *path, double bytes, char **text, size_t *length, bool *lacks_memory)
{
    GError *error = NULL;
    *lacks_memory = !dv_memory_has_room(MEMORY_PER_BYTE * bytes);
    if (!*lacks_memory && !g_file_get_contents(path, text, length, &error))
        *lacks_memory = g_error_matches(error, G_FILE_ERROR, G_FILE_ERROR_NOMEM);
    g_clear_error(&error);
    return *text != NULL;
}

static DvStatus refuse_size(const char *file, double bytes)
{
    dv_log_at(
        DV_LEVEL_ERROR, DV_ERROR_LIMIT, file, 0, 0,
        "there is no room in memory for its text: %.1f MiB are needed; put meshes into files of their own, or give the "
        "process more memory",
        MEMORY_PER_BYTE * bytes / (1 << 20));
    return DV_ERROR_LIMIT;
}

/* No format takes the file: says which plugin would, or what a scene file is called. */
static DvStatus refuse_format(const char *file)
{
    const DvPluginInfo *idle = dv_words_idle_plugin(reads, file);
    const Formats all = formats();
    DvText why = {0};
    if (idle)
        dv_text_add(&why, "such files are read by the plugin '%s' (%s), which is not in use%s%s", idle->id, idle->file,
                    idle->reason ? ": " : "", idle->reason ? idle->reason : "");
    else if (!all.count)
        dv_text_add(&why, "no plugin that is in use reads scene files");
    for (size_t i = 0, known = 0; !idle && i < all.count; i++)
        for (const char *const *extension = ((const DvSceneFormatOps *)all.at[i])->extensions; *extension; extension++)
            dv_text_add(&why, "%s%s", known++ ? " or " : "a scene file ends in ", *extension);
    refuse(file, DV_ERROR_INVALID, why.at);
    dv_text_free(&why);
    g_free(all.at);
    return DV_ERROR_INVALID;
}

/* `beside`: a further folder of files that it names, or NULL. */
static DvStatus load(const char *text, size_t length, const char *name, const char *folder, const char *beside,
                     const DvLoadOptions *options, DvScene **result)
{
    const DvSceneFormatOps *format = find_format(name, text, length);
    if (!format)
        return refuse_format(name);
    DvScene *scene = dv_core_scene_new(&dv_words);
    scene->output_folder = dv_words_output_folder();
    scene->format = format;
    if (beside)
        dv_scene_add_data_folder(scene, beside);
    scene->keep_going = options && options->keep_going;
    scene->check_only = options && options->check_only;
    format->read(scene, text, length, name, folder);
    DvStatus status = scene->first_error;
    const bool partial = scene->keep_going || scene->check_only;
    if (scene->root && (status == DV_OK || partial) && !(options && options->no_init))
        status = dv_scene_init(scene);
    if (status == DV_OK && scene->check_only && scene->problems)
        status = DV_ERROR_INVALID;
    if (!scene->root || (status != DV_OK && !partial)) {
        dv_scene_free(scene);
        return status;
    }
    *result = scene;
    return status;
}

DvStatus dv_scene_load_text(const char *text, size_t length, const char *name, const char *folder,
                            const DvLoadOptions *options, DvScene **scene)
{
    *scene = NULL;
    char *absolute = g_canonicalize_filename(folder ? folder : ".", NULL);
    const DvStatus status = load(text, length, name ? name : "scene", absolute, NULL, options, scene);
    g_free(absolute);
    return status;
}

DvStatus dv_scene_load(const char *file, const DvLoadOptions *options, DvScene **scene)
{
    *scene = NULL;
    if (!file || !*file)
        return refuse(NULL, DV_ERROR_INVALID, "no scene file is given");
    if (g_file_test(file, G_FILE_TEST_IS_DIR))
        return refuse(file, DV_ERROR_INVALID, "is a folder; name the scene in it");
    char *path = dv_find_file(file, NULL);
    if (!path && !find_format(file, NULL, 0))
        return refuse_format(file);
    if (!path)
        return refuse(file, DV_ERROR_NOT_FOUND,
                      strchr(file, '\\')
                          ? "no such file, neither here nor in DIVAN_DATA_PATH; folders are parted by '/', "
                            "not by '\\'"
                          : "no such file, neither here nor in DIVAN_DATA_PATH");
    GStatBuf about = {.st_size = 0};
    char *text = NULL;
    size_t length = 0;
    bool lacks_memory = false;
    DvStatus status;
    if (g_stat(path, &about) == 0 && about.st_size > DV_MAX_SCENE_BYTES) {
        status = refuse(file, DV_ERROR_LIMIT, "the file is larger than 256 MiB");
    } else if (!read_text(path, (double)about.st_size, &text, &length, &lacks_memory)) {
        status = lacks_memory ? refuse_size(file, (double)about.st_size)
                              : refuse(file, DV_ERROR_IO, "the file cannot be read");
    } else {
        /* What a symbolic link names lies beside the scene itself, or beside the link. */
        char *real = g_file_test(path, G_FILE_TEST_IS_SYMLINK) ? realpath(path, NULL) : NULL;
        char *canonical = g_canonicalize_filename(path, NULL), *beside = g_path_get_dirname(canonical),
             *folder = g_path_get_dirname(real ? real : canonical);
        status = load(text, length, path, folder, real ? beside : NULL, options, scene);
        g_free(folder);
        g_free(beside);
        g_free(canonical);
        free(real);
    }
    g_free(text);
    dv_free(path);
    return status;
}

DvScene *dv_scene_new(void)
{
    DvScene *scene = dv_core_scene_new(&dv_words);
    scene->output_folder = dv_words_output_folder();
    DvNode *root;
    (void)dv_build_node(scene, NULL, NULL, (DvPlace){0}, NULL, &root);
    return scene;
}

static bool same_name(const char *a, const char *b)
{
    char *left = a ? realpath(a, NULL) : NULL, *right = realpath(b, NULL);
    const bool same = left && right && strcmp(left, right) == 0;
    free(left);
    free(right);
    return same;
}

static DvStatus save(DvScene *scene, const char *file)
{
    const DvSceneFormatOps *format = find_format(file, NULL, 0);
    if (!format)
        format = scene->format ? scene->format : dv_service(DV_SCENE_FORMAT);
    if (!format)
        return refuse_format(file);
    if (!format->write)
        return refuse(file, DV_ERROR_UNSUPPORTED, "scenes of this format can be read, but not written");
    char *folder = g_path_get_dirname(file), *absolute = g_canonicalize_filename(folder, NULL);
    DvText text = {0}, why = {0};
    DvStatus status = format->write(scene->root, absolute, &text);
    if (status == DV_OK && text.length > DV_MAX_SCENE_BYTES) {
        status = refuse(file, DV_ERROR_LIMIT, "the scene has grown beyond 256 MiB, more than would be read back");
    } else if (status == DV_OK) {
        /* The file it was loaded from may be brought up to date; no other that it needs. */
        const bool own = same_name(dv_node_object(scene->root)->place.file, file);
        status = dv_output_write(file, own ? NULL : scene, text.at, text.length, &why);
        if (status != DV_OK)
            dv_log_at(DV_LEVEL_ERROR, status, file, 0, 0, "the scene cannot be written: %s", why.at);
    }
    dv_text_free(&why);
    dv_text_free(&text);
    g_free(absolute);
    g_free(folder);
    return status;
}

DvStatus dv_scene_save(DvScene *scene, const char *file)
{
    Call call;
    if (!dv_core_call_begin(&call, scene, "dv_scene_save"))
        return DV_ERROR_BUSY;
    const DvStatus status = save(scene, file);
    if (status == DV_OK)
        dv_words_note_saved(file);
    dv_core_call_end(&call);
    return status;
}
