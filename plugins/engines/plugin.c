/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The plugin of engines: what computes data from data: regions, generated meshes, transforms, analyses.
 * classes.def lists its classes.
 */
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
    {DV_RENAME_MODULE, NULL, "Sofa.Component.Engine", NULL},
    {DV_RENAME_MODULE, NULL, "Sofa.Component.Engine.Analyze", NULL},
    {DV_RENAME_MODULE, NULL, "Sofa.Component.Engine.Generate", NULL},
    {DV_RENAME_MODULE, NULL, "Sofa.Component.Engine.Select", NULL},
    {DV_RENAME_MODULE, NULL, "Sofa.Component.Engine.Transform", NULL},
    {DV_RENAME_MODULE, NULL, "SofaEngine", NULL},
    {DV_RENAME_MODULE, NULL, "SofaGeneralEngine", NULL},
    {0},
};

DV_PLUGIN = {
    .size = sizeof(DvPlugin),
    .abi = DV_ABI_STAMP,
    .id = "divan.engines",
    .version = DV_VERSION,
    .license = "LGPL-2.1-or-later",
    .help = "Engines: regions of interest, generated meshes, transforms of positions, analyses.",
    .classes = classes,
    .renames = renames,
};
