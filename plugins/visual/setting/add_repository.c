/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * AddDataRepository: one folder more in which files of the scene are looked for, from this place of the scene on, after all others;
 * AddPluginRepository: accepted, but a scene loads no libraries.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <divan/memory.h>
#include <divan/node.h>
#include <divan/scene.h>

typedef struct AddRepository {
    DvData path;
} AddRepository;

/* The folder, seen from that of the file this is written in, as an absolute path; dv_free. */
static char *folder_of(const DvObject *object, const char *path)
{
    const char *file = dv_object_file(object, NULL, NULL), *end = file ? strrchr(file, '/') : NULL;
    DvText text = {0};
    if (*path != '/' && end)
        dv_text_add(&text, "%.*s/", (int)(end - file), file);
    dv_text_add(&text, "%s", path);
    char *real = realpath(text.at, NULL), *copy = dv_strdup(real);
    struct stat about;
    if (real && (stat(real, &about) != 0 || !S_ISDIR(about.st_mode))) {
        dv_free(copy);
        copy = NULL;
    }
    free(real);
    dv_text_free(&text);
    return copy;
}

static DvStatus parse(DvObject *object, void *self_, const DvAttributes *attributes)
{
    AddRepository *self = self_;
    (void)attributes;
    const char *path = dv_data_string(&self->path);
    char *folder = folder_of(object, path);
    if (!folder)
        return dv_field_error(&self->path, -1, "no folder '%s', seen from that of the scene", path);
    dv_scene_add_data_folder(dv_node_scene(dv_object_node(object)), folder);
    dv_data_set_string(&self->path, folder); /* a copy of the scene elsewhere finds it too */
    dv_free(folder);
    return DV_OK;
}

static DvStatus init_plugins(DvObject *object, void *self)
{
    (void)self;
    dv_remark(object, "a scene loads no libraries; start the program with --plugin or DIVAN_PLUGIN_PATH");
    return DV_OK;
}

static const DvField fields[] = {
    DV_FIELD(AddRepository, path, "path", dv_type_string, .init = ".",
             .help = "the folder, seen from that of the scene"),
    {0},
};
static const DvField plugin_fields[] = {
    DV_FIELD(AddRepository, path, "path", dv_type_string, .init = ".", .flags = DV_FIELD_DRAWING,
             .help = "kept for old scenes: a scene loads no libraries"),
    {0},
};

const DvClass dv_add_data_repository = {
    .size = sizeof(DvClass),
    .name = "AddDataRepository",
    .bases = (const char *const[]){"BaseAddResourceRepository", NULL},
    .family = "settings",
    .module = "Sofa.Component.SceneUtility",
    .help = "One folder more in which files of the scene are looked for.",
    .instance_size = sizeof(AddRepository),
    .fields = fields,
    .parse = parse,
};

const DvClass dv_add_plugin_repository = {
    .size = sizeof(DvClass),
    .name = "AddPluginRepository",
    .bases = (const char *const[]){"BaseAddResourceRepository", NULL},
    .family = "settings",
    .module = "Sofa.Component.SceneUtility",
    .help = "A folder of plugins of another program; a scene loads no libraries.",
    .instance_size = sizeof(AddRepository),
    .fields = plugin_fields,
    .init = init_plugins,
};
