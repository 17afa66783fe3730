/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * InteractiveCamera: where a viewer looks from, and how far the mouse moves it.
 */
#include "camera.h"

typedef struct InteractiveCamera {
    Camera camera;
} InteractiveCamera;

static const DvField fields[] = {
    CAMERA_FIELDS(InteractiveCamera, "1"),
    CAMERA_MOUSE_FIELDS(InteractiveCamera, "2"),
    {0},
};

const DvClass dv_interactive_camera = {
    .size = sizeof(DvClass),
    .name = "InteractiveCamera",
    CAMERA_CLASS,
    .help = "Where a viewer looks from.",
    .instance_size = sizeof(InteractiveCamera),
    .fields = fields,
    .init = camera_init,
    .reinit = camera_reinit,
};
