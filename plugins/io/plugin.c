/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The plugin of files: loaders of meshes, exporters, playback.
 * classes.def lists its classes.
 */
#include "exporter/scene_export.h"
#include "loader/mesh_files.h"
#include <divan/plugin.h>

#define DV_CLASS(name) extern const DvClass name;
#include "classes.def"
#undef DV_CLASS

static const DvClass *const classes[] = {
#define DV_CLASS(name) &name,
#include "classes.def"
#undef DV_CLASS
    NULL,
};

/* Names of earlier years. */
static const DvRename renames[] = {
    {DV_RENAME_CLASS, NULL, "MeshObjLoader", "MeshOBJLoader"},
    {DV_RENAME_MODULE, NULL, "Sofa.Component.IO", NULL},
    {DV_RENAME_MODULE, NULL, "Sofa.Component.IO.Mesh", NULL},
    {DV_RENAME_MODULE, NULL, "Sofa.Component.Playback", NULL},
    {DV_RENAME_MODULE, NULL, "SofaExporter", NULL},
    {DV_RENAME_MODULE, NULL, "SofaGeneralLoader", NULL},
    {DV_RENAME_MODULE, NULL, "SofaLoader", NULL},
    {0},
};

static const DvContract services[] = {
    {.id = DV_MESH_FILES, .ops = &mesh_files_ops}, {.id = DV_SCENE_EXPORT, .ops = &scene_export_ops}, {0}};

DV_PLUGIN = {
    .size = sizeof(DvPlugin),
    .abi = DV_ABI_STAMP,
    .id = "divan.io",
    .version = DV_VERSION,
    .license = "LGPL-2.1-or-later",
    .help = "Files: loaders and exporters of meshes, recorded states and topologies.",
    .offers = services,
    .classes = classes,
    .renames = renames,
};
