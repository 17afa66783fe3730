/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * ClipPlane: cuts away what lies on one side of a plane, in its node and below.
 */
#include "visual_points.h"

typedef struct ClipPlane {
    DvData enable, position, normal, active;
} ClipPlane;

static bool get(void *self_, DvClipPlane *plane)
{
    ClipPlane *self = self_;
    const double *normal = dv_data_doubles(&self->normal, NULL);
    memcpy(plane->position, dv_data_doubles(&self->position, NULL), sizeof plane->position);
    memcpy(plane->normal, normal, sizeof plane->normal);
    return dv_data_bool(&self->enable) && dv_data_bool(&self->active) &&
           (normal[0] != 0.0 || normal[1] != 0.0 || normal[2] != 0.0);
}

static DvStatus init(DvObject *object, void *self_)
{
    ClipPlane *self = self_;
    const double *normal = dv_data_doubles(&self->normal, NULL);
    (void)object;
    if (normal[0] == 0.0 && normal[1] == 0.0 && normal[2] == 0.0)
        dv_field_remark(&self->normal, -1, "0 0 0 has no direction: nothing is cut away");
    return DV_OK;
}

static const DvRange planes = {0, 7, false, false};

static const DvField fields[] = {
    VISUAL_ENABLE_FIELD(ClipPlane, enable),
    DV_FIELD(ClipPlane, position, "position", dv_type_vec3d, .unit = "m", .flags = DV_FIELD_DRAWING,
             .help = "a point of the plane"),
    DV_FIELD(ClipPlane, normal, "normal", dv_type_vec3d, .init = "1 0 0", .flags = DV_FIELD_DRAWING,
             .help = "towards the side that is cut away"),
    DV_FIELD_HELD("id", dv_type_int, .init = "0", .range = &planes, .flags = DV_FIELD_DRAWING,
                  .help = "number of the plane, kept for old scenes: planes need no numbers"),
    DV_FIELD(ClipPlane, active, "active", dv_type_bool, .init = "1", .flags = DV_FIELD_DRAWING,
             .help = "whether it cuts"),
    {0},
};

static const DvClipPlaneOps ops = {.size = sizeof ops, .get = get};

const DvClass dv_clip_plane = {
    .size = sizeof(DvClass),
    .name = "ClipPlane",
    .bases = (const char *const[]){"VisualModel", NULL},
    .family = "visual models",
    .module = "Sofa.GL.Component.Rendering3D",
    .help = "Cuts away what lies on one side of a plane.",
    .instance_size = sizeof(ClipPlane),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_CLIP_PLANE, .ops = &ops}, {0}},
    .init = init,
};
