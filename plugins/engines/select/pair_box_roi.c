/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * PairBoxROI: the points inside one box, borders included, and not inside another.
 */
#include <divan/kit/boxes.h>
#include <divan/kit/region.h>

typedef struct PairBoxRoi {
    DvRegion region;
    DvData outer, inner, draw_outer, draw_inner;
} PairBoxRoi;

static bool is_zero(const double *box)
{
    for (int i = 0; i < 6; i++)
        if (box[i] != 0)
            return false;
    return true;
}

static bool select_points(void *self_, DvRegionPoints points, bool *inside)
{
    PairBoxRoi *self = self_;
    const double *outer = dv_data_doubles(&self->outer, NULL), *inner = dv_data_doubles(&self->inner, NULL);
    DvData *missing = is_zero(outer) ? &self->outer : is_zero(inner) ? &self->inner : NULL;
    if (missing && dv_engine_starting(&self->region.engine))
        dv_field_warning(missing, -1, "is 0 0 0 0 0 0, so nothing is selected: give both boxes");
    for (uint32_t i = 0; i < points.count && !missing; i++) {
        const double *p = points.at + (size_t)i * points.stride;
        inside[i] = dv_box_has_point(outer, p, points.spatial) && !dv_box_has_point(inner, p, points.spatial);
    }
    return !missing;
}

static void draw_box(const DvRegion *region, DvData *box, DvData *shown, DvDraw *draw, const double color[4])
{
    if (dv_data_bool(shown))
        dv_draw_boxes(draw, dv_data_doubles(box, NULL), 1, dv_data_double((DvData *)(uintptr_t)&region->draw_size),
                      color);
}

static void draw(void *self_, DvDraw *draw)
{
    static const double color[4] = {1.0, 0.4, 0.4, 1.0};
    PairBoxRoi *self = self_;
    dv_region_draw(self, draw);
    if (!self->region.engine.ready || !dv_draw_shows(draw, DV_DISPLAY_BEHAVIOR_MODELS))
        return;
    draw_box(&self->region, &self->outer, &self->draw_outer, draw, color);
    draw_box(&self->region, &self->inner, &self->draw_inner, draw, color);
}

static const DvField fields[] = {
    DV_ENGINE_INPUT(PairBoxRoi, outer, "inclusiveBox", dv_type_vec6d, "box around: smallest corner, largest corner",
                    .unit = "m"),
    DV_ENGINE_INPUT(PairBoxRoi, inner, "includedBox", dv_type_vec6d, "box whose points are left out", .unit = "m"),
    DV_REGION_IN(PairBoxRoi, region, position, "position", dv_type_coords,
                 "positions to select from (default: the rest shape)", .unit = "m", DV_REGION_ALIASES("rest_position")),
    DV_FIELD_HELD("meshPosition", dv_type_coords, .help = "kept for old scenes: it never had an effect"),
    DV_REGION_OUT(PairBoxRoi, region, indices, "indices", dv_type_uints, "points between the boxes"),
    DV_REGION_OUT(PairBoxRoi, region, points_in, "pointsInROI", dv_type_coords, "their positions", .unit = "m",
                  DV_REGION_ALIASES("pointsInBox")),
    DV_ENGINE_SHOWN(PairBoxRoi, draw_outer, "drawInclusiveBox"),
    DV_ENGINE_SHOWN(PairBoxRoi, draw_inner, "drawIncludedBox"),
    DV_REGION_DRAW(PairBoxRoi, region, draw_points, "drawPoints"),
    DV_FIELD(PairBoxRoi, region.draw_size, "drawSize", dv_type_double, .init = "0", .unit = "pixel",
             .range = &dv_range_not_negative, .flags = DV_FIELD_DRAWING, .group = "Visualization",
             .help = "size of what is shown"),
    DV_REGION_GROUP(PairBoxRoi, region.group),
    {0},
};

static const DvRegionOps ops = {.drawable = {.size = sizeof(DvDrawableOps), .draw = draw}, .select = select_points};

const DvClass dv_pair_box_roi = {
    .size = sizeof(DvClass),
    .name = "PairBoxROI",
    .variants = "Vec3d Rigid3d Vec6d",
    .module = "Sofa.Component.Engine.Select",
    .help = "Selects the points inside one box and not inside another.",
    .instance_size = sizeof(PairBoxRoi),
    .fields = fields,
    DV_REGION_CLASS(ops, "DataEngine"),
};
