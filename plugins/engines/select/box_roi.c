/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * BoxROI: the points and elements inside a union of boxes, axis-aligned (`box`) or turned (`orientedBox`), borders included. An element
 * whose points are each in whichever box is inside. Frames of turned boxes are computed once, at init.
 */
#include <divan/kit/boxes.h>
#include <divan/kit/region.h>

typedef struct BoxRoi {
    DvRegion region;
    DvData box, oriented_box;
    DvOrientedBox *oriented;
    uint32_t oriented_count;
} BoxRoi;

static bool select_points(void *self_, DvRegionPoints points, bool *inside)
{
    BoxRoi *self = self_;
    size_t boxes;
    const double *box = dv_data_doubles(&self->box, &boxes), *p = points.at;
    const uint32_t oriented_count = points.spatial == 3 ? self->oriented_count : 0;
    for (uint32_t i = 0; i < points.count; i++, p += points.stride) {
        inside[i] = false;
        for (size_t b = 0; b < boxes && !inside[i]; b++)
            inside[i] = dv_box_has_point(box + 6 * b, p, points.spatial);
        for (uint32_t b = 0; b < oriented_count && !inside[i]; b++)
            inside[i] = dv_oriented_box_has_point(&self->oriented[b], p);
    }
    return true;
}

static DvStatus prepare(DvObject *object, void *self_)
{
    BoxRoi *self = self_;
    (void)object;
    if (!dv_data_is_set(&self->box) && !dv_data_is_set(&self->oriented_box))
        dv_data_set(&self->box, (const double[6]){0, 0, 0, 1, 1, 1}, 1);
    dv_boxes_order_corners(&self->box);
    size_t count;
    const double *at = dv_data_doubles(&self->oriented_box, &count);
    dv_free(self->oriented);
    self->oriented = dv_alloc(count, sizeof *self->oriented);
    self->oriented_count = (uint32_t)count;
    for (size_t i = 0; i < count; i++)
        self->oriented[i] = dv_oriented_box_make(at + 10 * i);
    dv_oriented_boxes_check(&self->oriented_box);
    if (count && self->region.engine.dof->spatial < 3)
        dv_field_warning(&self->oriented_box, -1,
                         "oriented boxes exist in three dimensions only; they select nothing here");
    return DV_OK;
}

static void draw(void *self_, DvDraw *draw, double pixels, const double color[4])
{
    BoxRoi *self = self_;
    size_t boxes;
    const double *box = dv_data_doubles(&self->box, &boxes);
    dv_draw_boxes(draw, box, (uint32_t)boxes, pixels, color);
    dv_oriented_boxes_draw(&self->oriented_box, draw, pixels, color);
}

static void bounds(void *self, double *bounds)
{
    dv_boxes_add_bounds(&((BoxRoi *)self)->box, bounds);
}

static void destroy(DvObject *object, void *self)
{
    (void)object;
    dv_free(((BoxRoi *)self)->oriented);
}

static const DvField fields[] = {
    DV_REGION_FIELDS(BoxRoi, region, , , DV_REGION_ALIASES("drawBoxes")),
    DV_ENGINE_INPUT(BoxRoi, box, "box", dv_type_vec6s, "boxes: smallest corner, largest corner (default: 0 0 0 1 1 1)",
                    .unit = "m"),
    DV_ENGINE_INPUT(BoxRoi, oriented_box, "orientedBox", dv_oriented_boxes_type,
                    "turned boxes: three corners of a rectangle and a depth", .unit = "m"),
    {0},
};

static const DvRegionOps ops =
    DV_REGION_OPS(.select = select_points, .prepare = prepare, .draw = draw, .bounds = bounds);

const DvClass dv_box_roi = {
    .size = sizeof(DvClass),
    .name = "BoxROI",
    .variants = "Vec3d Rigid3d Vec1d Vec2d Vec6d",
    .module = "Sofa.Component.Engine.Select",
    .help = "Selects the points and elements inside boxes.",
    .instance_size = sizeof(BoxRoi),
    .fields = fields,
    DV_REGION_CLASS(ops, "BaseROI", "DataEngine"),
    .destroy = destroy,
};
