/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The plugin of the OpenGL renderer: a library of its own, so that whoever does without pictures does without OpenGL.
 */
#include "renderer.h"

#include <divan/plugin.h>

static const DvContract offers[] = {{.id = DV_RENDERER, .ops = &renderer_ops}, {0}};

DV_PLUGIN = {
    .size = sizeof(DvPlugin),
    .abi = DV_ABI_STAMP,
    .id = "divan.opengl",
    .version = DV_VERSION,
    .license = "LGPL-2.1-or-later",
    .help = "Draws pictures of scenes by OpenGL 3.3, with or without a window.",
    .offers = offers,
};
