/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The plugin of haptics: devices, what pushes through them, and the loop that serves them. classes.def lists its classes.
 */
#include "session.h"

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

static const DvRename renames[] = {
    {DV_RENAME_MODULE, NULL, "Sofa.Component.Haptics", NULL},
    {DV_RENAME_MODULE, NULL, "SofaHaptics", NULL},
    {0},
};

static const DvContract services[] = {{.id = DV_HAPTICS, .ops = &haptics_service}, {0}};

DV_PLUGIN = {
    .size = sizeof(DvPlugin),
    .abi = DV_ABI_STAMP,
    .id = "divan.haptics",
    .version = DV_VERSION,
    .license = "LGPL-2.1-or-later",
    .help = "Haptic devices, virtual couplings, force feedback.",
    .offers = services,
    .classes = classes,
    .renames = renames,
};
