/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The plugin divan.collision: models that collide, detection of contacts, and responses to them. classes.def lists the classes,
 * renames.c the vocabulary of older scenes.
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

extern const DvRename collision_renames[];

DV_PLUGIN = {
    .size = sizeof(DvPlugin),
    .abi = DV_ABI_STAMP,
    .id = "divan.collision",
    .version = DV_VERSION,
    .license = "LGPL-2.1-or-later",
    .help = "Models that collide, detection of contacts, and responses to them.",
    .classes = classes,
    .renames = collision_renames,
};
