/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The plugin divan.mechanics: states, masses, force fields, mappings, projective constraints, and the operations on all of
 * them that solvers ask for. classes.def lists the classes, renames.c the vocabulary of older scenes.
 */
#include <divan/plugin.h>

#include "operations/operations.h"
#include "operations/twins.h"

#include <divan/kit/element_names.h>

#define DV_CLASS(name) extern const DvClass name;
#include "classes.def"
#undef DV_CLASS

#define DV_CLASS(name) &name,
static const DvClass *const classes[] = {
#include "classes.def"
    NULL,
};
#undef DV_CLASS

extern const DvRename mechanics_renames[];

DV_PLUGIN = {
    .size = sizeof(DvPlugin),
    .abi = DV_ABI_STAMP,
    .id = "divan.mechanics",
    .version = DV_VERSION,
    .license = "LGPL-2.1-or-later",
    .help = "States, masses, force fields, mappings, projective constraints, and the operations of solvers on them.",
    .offers = (const DvContract[]){{.id = DV_MECHANICAL_OPERATIONS, .ops = &dv_mechanical_operations},
                                   {.id = DV_STEP_CHECK, .ops = &dv_step_check},
                                   {.id = DV_DEVICE_USE, .ops = &dv_device_use},
                                   {0}},
    .classes = classes,
    .variants = (const char *const[]){DV_ELEMENT_VARIANT_WORDS, "d", "f", NULL},
    .renames = mechanics_renames,
};
