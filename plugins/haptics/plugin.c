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

/* Drivers of makers whose arms are no longer made, or need their libraries. */
#define OTHER_MAKER(name)                                                                       \
    {                                                                                           \
        DV_RENAME_CLASS_HARMLESS, NULL, name,                                                   \
            "write a SimulatedHapticDevice, or a device of a plugin with divan.haptic-device/1" \
    }
static const DvRename renames[] = {
    OTHER_MAKER("EnslavementForceFeedback"),
    OTHER_MAKER("HaptionDriver"),
    OTHER_MAKER("IHPDriver"),
    OTHER_MAKER("ITPDriver"),
    OTHER_MAKER("LeapMotionDriver"),
    OTHER_MAKER("NewOmniDriver"),
    OTHER_MAKER("OmniDriver"),
    OTHER_MAKER("OmniDriverEmu"),
    OTHER_MAKER("RazerHydraDriver"),
    OTHER_MAKER("SofaHAPIHapticsDevice"),
    {DV_RENAME_MODULE, NULL, "Geomagic", NULL},
    {DV_RENAME_MODULE, NULL, "Haption", NULL},
    {DV_RENAME_MODULE, NULL, "LeapMotion", NULL},
    {DV_RENAME_MODULE, NULL, "SensableEmulation", NULL},
    {DV_RENAME_MODULE, NULL, "Sensable", NULL},
    {DV_RENAME_MODULE, NULL, "SixenseHydra", NULL},
    {DV_RENAME_MODULE, NULL, "Sofa.Component.Controller", NULL},
    {DV_RENAME_MODULE, NULL, "SofaGeneralController", NULL},
    {DV_RENAME_MODULE, NULL, "SofaUserInteraction", NULL},
    {DV_RENAME_MODULE, NULL, "Xitact", NULL},
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
