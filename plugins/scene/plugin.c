/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The plugin of scene files: XML with the vocabulary of 2007 to 2026, as docs/scene-files.md has it; and components that say something of
 * the scene itself, listed in classes.def.
 */
#include "scene_xml.h"

#define DV_CLASS(name) extern const DvClass name;
#include "classes.def"
#undef DV_CLASS

static const DvClass *const classes[] = {
#define DV_CLASS(name) &name,
#include "classes.def"
#undef DV_CLASS
    NULL,
};

static const DvSceneFormatOps format = {
    .size = sizeof(DvSceneFormatOps),
    .extensions = (const char *const[]){".scn", ".xml", NULL},
    .recognise = recognise_xml,
    .read = read_xml,
    .write = write_xml,
};

static const DvContract offers[] = {{.id = DV_SCENE_FORMAT, .ops = &format}, {0}};

DV_PLUGIN = {
    .size = sizeof(DvPlugin),
    .abi = DV_ABI_STAMP,
    .id = "divan.scene",
    .version = DV_VERSION,
    .license = "LGPL-2.1-or-later",
    .help = "Scene files: XML of today and of earlier years, read, mended and written.",
    .offers = offers,
    .classes = classes,
};
