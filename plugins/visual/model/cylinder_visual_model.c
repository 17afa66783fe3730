/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * CylinderVisualModel: a cylinder along each edge between its points, which a mapping may place.
 */
#include "visual_points.h"

#include <divan/contracts/drawing.h>
#include <divan/types/color.h>

typedef struct CylinderVisualModel {
    VisualPoints points; /* first: the state's functions take it */
    DvData enable, radius, color, edges;
} CylinderVisualModel;

static void draw(void *self_, DvDraw *draw)
{
    CylinderVisualModel *self = self_;
    size_t points, edges;
    const double *at = dv_data_doubles(&self->points.position, &points);
    const uint32_t *edge = dv_data_uints(&self->edges, &edges);
    if (!visual_is_shown(&self->enable, draw) || edges == 0)
        return;
    double *ends = dv_alloc(edges, 7 * sizeof *ends), *radii = ends + 6 * edges;
    uint32_t count = 0;
    for (size_t i = 0; i < edges; i++) {
        const size_t a = edge[2 * i], b = edge[2 * i + 1];
        if (a >= points || b >= points)
            continue;
        memcpy(ends + 6 * (size_t)count, at + 3 * a, 3 * sizeof *at);
        memcpy(ends + 6 * (size_t)count + 3, at + 3 * b, 3 * sizeof *at);
        radii[count++] = dv_data_double(&self->radius);
    }
    draw->ops->cylinders(draw, ends, radii, count, dv_data_doubles(&self->color, NULL));
    dv_free(ends);
}

static DvStatus init(DvObject *object, void *self_)
{
    CylinderVisualModel *self = self_;
    size_t points, edges;
    (void)object, (void)dv_data_doubles(&self->points.position, &points);
    const uint32_t *edge = dv_data_uints(&self->edges, &edges);
    for (size_t i = 0; points && i < 2 * edges; i++) {
        if (edge[i] < points)
            continue;
        DvText text = {0};
        dv_text_add_missing(&text, "point", edge[i], "the model", points, edge, 2 * edges);
        dv_field_remark(&self->edges, (int64_t)(i / 2), "%s; such edges are not shown", text.at);
        dv_text_free(&text);
        break;
    }
    return DV_OK;
}

static void bounding_box(DvObject *object, void *self, double *box)
{
    (void)object;
    visual_points_bounding_box(self, box);
}

static void destroy(DvObject *object, void *self)
{
    (void)object;
    visual_points_free(self);
}

static const DvField fields[] = {
    VISUAL_ENABLE_FIELD(CylinderVisualModel, enable),
    DV_FIELD(CylinderVisualModel, points.position, "position", dv_type_vec3s, .unit = "m", .help = "points"),
    DV_FIELD(CylinderVisualModel, points.rest_position, "restPosition", dv_type_vec3s, .unit = "m",
             .help = "points at rest"),
    DV_FIELD_HELD("normal", dv_type_vec3s, .flags = DV_FIELD_DRAWING,
                  .help = "kept for old scenes: cylinders are round"),
    DV_FIELD(CylinderVisualModel, radius, "radius", dv_type_double, .init = "1", .unit = "m",
             .range = &dv_range_not_negative, .flags = DV_FIELD_DRAWING, .help = "radius of the cylinders"),
    DV_FIELD(CylinderVisualModel, color, "color", dv_type_color, .flags = DV_FIELD_DRAWING, .help = "their colour"),
    DV_FIELD(CylinderVisualModel, edges, "edges", dv_type_edges, .flags = DV_FIELD_DRAWING,
             .help = "pairs of points with a cylinder between them"),
    {0},
};

static const DvDrawableOps drawable = {.size = sizeof drawable, .draw = draw};

const DvClass dv_cylinder_visual_model = {
    .size = sizeof(DvClass),
    .name = "CylinderVisualModel",
    .variants = "Vec3d",
    .bases = (const char *const[]){"VisualModel", NULL},
    .family = "visual models",
    .module = "Sofa.Component.Visual",
    .help = "A cylinder along each edge between its points.",
    .instance_size = sizeof(CylinderVisualModel),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_STATE, .ops = &visual_points_state_ops, .by_path_only = true},
                                      {.id = DV_DRAWABLE, .ops = &drawable},
                                      {0}},
    .init = init,
    .bounding_box = bounding_box,
    .destroy = destroy,
};
