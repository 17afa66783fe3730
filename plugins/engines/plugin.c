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

/* What lists are of, as engines on any data name it (dv_value_list_type). */
static const char *const variants[] = {
    "I",
    "i",
    "H",
    "B",
    "d",
    "string",
    "Vec4d",
    "RigidCoord2d",
    "RigidCoord3d",
    "RigidDeriv2d",
    "RigidDeriv3d",
    "fixed_array<I,2>",
    "fixed_array<I,3>",
    "fixed_array<I,4>",
    "fixed_array<I,8>",
    "vector<RigidCoord2d>",
    "vector<RigidCoord3d>",
    "vector<RigidDeriv2d>",
    "vector<RigidDeriv3d>",
    "vector<Vec2I>",
    "vector<Vec2d>",
    "vector<Vec3d>",
    "vector<Vec4d>",
    "vector<bool>",
    "vector<d>",
    "vector<i>",
    "Mat4x4d",
    "bool",
    NULL,
};

DV_PLUGIN = {
    .size = sizeof(DvPlugin),
    .abi = DV_ABI_STAMP,
    .id = "divan.engines",
    .version = DV_VERSION,
    .license = "LGPL-2.1-or-later",
    .help = "Engines: regions of interest, generated meshes, transforms of positions, analyses.",
    .variants = variants,
    .classes = classes,
    .renames = renames,
};
