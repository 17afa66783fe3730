/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * VisualTransform: moves what is drawn: the visual models that stand before it in its node, or with `recursive` all in its node and
 * below. Positions stay as they are.
 */
#include "visual_points.h"

#include <divan/math/quat.h>

typedef struct VisualTransform {
    DvData enable, transform, recursive;
} VisualTransform;

static const double identity[7] = {0, 0, 0, 0, 0, 0, 1};

static bool get(void *self_, double rigid[7])
{
    VisualTransform *self = self_;
    const double *given = dv_data_bool(&self->enable) ? dv_data_doubles(&self->transform, NULL) : identity;
    memcpy(rigid, given, 3 * sizeof *rigid);
    dv_quat_store(dv_quat_normalize(dv_quat_load(given + 3)), rigid + 3);
    return dv_data_bool(&self->recursive);
}

static DvStatus init(DvObject *object, void *self_)
{
    VisualTransform *self = self_;
    const DvQuat turn = dv_quat_load(dv_data_doubles(&self->transform, NULL) + 3);
    (void)object;
    if (!(dv_quat_dot(turn, turn) > 0.0)) {
        dv_field_remark(&self->transform, -1,
                        "its last four numbers are no rotation and count as 0 0 0 1, which turns nothing");
        double *rigid = dv_data_begin(&self->transform, 1);
        dv_quat_store(dv_quat_identity(), rigid + 3);
        dv_data_end(&self->transform);
    }
    return DV_OK;
}

static const DvField fields[] = {
    VISUAL_ENABLE_FIELD(VisualTransform, enable),
    DV_FIELD(VisualTransform, transform, "transform", dv_type_rigid3d, .init = "0 0 0 0 0 0 1",
             .flags = DV_FIELD_DRAWING, .help = "translation (m), then rotation as a quaternion x y z w"),
    DV_FIELD(VisualTransform, recursive, "recursive", dv_type_bool, .init = "0", .flags = DV_FIELD_DRAWING,
             .help = "holds for the whole node and below, not only for the visual models before it in the node"),
    {0},
};

static const DvVisualTransformOps ops = {.size = sizeof ops, .get = get};

const DvClass dv_visual_transform = {
    .size = sizeof(DvClass),
    .name = "VisualTransform",
    .bases = (const char *const[]){"VisualModel", NULL},
    .family = "visual models",
    .module = "Sofa.Component.Visual",
    .help = "Moves what is drawn; positions stay as they are.",
    .instance_size = sizeof(VisualTransform),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_VISUAL_TRANSFORM, .ops = &ops}, {0}},
    .init = init,
};
