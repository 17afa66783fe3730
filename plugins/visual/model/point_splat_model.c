/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * PointSplatModel: a round spot that faces the camera at each point of a mesh, fading from its centre to its rim. `pointData` (0 to
 * 255 for each point) makes spots brighter or darker.
 */
#include "visual_points.h"

#include <divan/contracts/drawing.h>
#include <divan/types/color.h>

typedef struct PointSplatModel {
    DvData enable, radius, alpha, color, point_data;
    DvTopologyRef mesh;
} PointSplatModel;

static void draw(void *self_, DvDraw *draw)
{
    PointSplatModel *self = self_;
    const uint32_t count = self->mesh.ops ? self->mesh.ops->point_count(self->mesh.self) : 0;
    const double *points = count ? self->mesh.ops->positions(self->mesh.self) : NULL;
    const DvStateRef state = dv_state_ref(count && !points ? dv_object_find(self->mesh.object, NULL, DV_STATE) : NULL);
    double *copy = state.ops ? dv_points_in_space(dv_state_read(state, DV_POSITION), state.dof->spatial) : NULL;
    if (visual_is_shown(&self->enable, draw) && (points || (copy && dv_state_count(state) >= count))) {
        size_t values;
        const uint32_t *value = dv_data_uints(&self->point_data, &values);
        const double *color = dv_data_doubles(&self->color, NULL);
        double *colors = dv_alloc(count, 4 * sizeof *colors);
        for (uint32_t i = 0; i < count; i++) {
            const double share = i < values ? (value[i] < 255 ? value[i] : 255) / 255.0 : 1.0;
            for (uint32_t c = 0; c < 3; c++)
                colors[4 * (size_t)i + c] = share * color[c];
            colors[4 * (size_t)i + 3] = color[3] * dv_data_double(&self->alpha);
        }
        draw->ops->splats(draw, points ? points : copy, count, dv_data_double(&self->radius), colors);
        dv_free(colors);
    }
    dv_free(copy);
}

static DvStatus init(DvObject *object, void *self_)
{
    PointSplatModel *self = self_;
    return dv_topology_require(object, NULL, "a mesh whose points are shown", &self->mesh);
}

static void cleanup(DvObject *object, void *self)
{
    (void)object;
    dv_topology_release(&((PointSplatModel *)self)->mesh);
}

#define FIELD(member, name, type, ...) \
    DV_FIELD(PointSplatModel, member, name, type, .flags = DV_FIELD_DRAWING, __VA_ARGS__)
static const DvField fields[] = {
    VISUAL_ENABLE_FIELD(PointSplatModel, enable),
    FIELD(radius, "radius", dv_type_double, .init = "1", .unit = "m", .range = &dv_range_not_negative,
          .help = "radius of the spots"),
    DV_FIELD_HELD("textureSize", dv_type_int, .init = "32", .range = &dv_range_count,
                  .help = "kept for old scenes: spots are computed, not painted"),
    FIELD(alpha, "alpha", dv_type_double, .init = "1", .range = &dv_range_share, .help = "0 lets everything through"),
    FIELD(color, "color", dv_type_color, .help = "colour of the spots"),
    FIELD(point_data, "pointData", dv_type_uints, .help = "brightness of each spot, 0 to 255; full when not given"),
    {0},
};

static const DvDrawableOps drawable = {.size = sizeof drawable, .draw = draw};

const DvClass dv_point_splat_model = {
    .size = sizeof(DvClass),
    .name = "PointSplatModel",
    .bases = (const char *const[]){"VisualModel", NULL},
    .family = "visual models",
    .module = "Sofa.GL.Component.Rendering3D",
    .help = "A round spot that faces the camera at each point of a mesh.",
    .instance_size = sizeof(PointSplatModel),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_DRAWABLE, .ops = &drawable}, {0}},
    .init = init,
    .cleanup = cleanup,
};
