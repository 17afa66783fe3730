/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * PlaneROI: the points and elements near rectangles: within half the depth of one, borders included. All points of an element are near
 * the same one.
 */
#include <divan/kit/boxes.h>
#include <divan/kit/region.h>

typedef struct PlaneRoi {
    DvRegion region;
    DvData plane;
} PlaneRoi;

static bool select_points(void *self_, DvRegionPoints points, bool *inside)
{
    PlaneRoi *self = self_;
    size_t planes;
    const double *plane = dv_data_doubles(&self->plane, &planes);
    for (uint32_t i = 0; i < points.count; i++)
        inside[i] = false;
    for (size_t b = 0; b < planes; b++) {
        const DvOrientedBox box = dv_oriented_box_make(plane + 10 * b);
        for (uint32_t i = 0; i < points.count; i++)
            inside[i] = inside[i] || dv_oriented_box_has_point(&box, points.at + (size_t)i * points.stride);
    }
    return true;
}

static DvStatus prepare(DvObject *object, void *self)
{
    DvData *plane = &((PlaneRoi *)self)->plane;
    dv_oriented_boxes_check(plane);
    if (!dv_data_is_set(plane))
        dv_remark(object, "no 'plane' is given: all points are selected, as in old scenes");
    return DV_OK;
}

static void select_elements(void *self_, DvElementKind kind, DvElements elements, DvRegionPoints points,
                            const bool *point_inside, bool *inside)
{
    PlaneRoi *self = self_;
    (void)point_inside;
    size_t planes;
    const double *plane = dv_data_doubles(&self->plane, &planes);
    const uint32_t nodes = dv_element_nodes(kind);
    if (planes < 2) /* then the rule of the base is the same */
        return;
    for (uint32_t i = 0; i < elements.count; i++) {
        bool found = false;
        for (size_t b = 0; b < planes && inside[i] && !found; b++) {
            const DvOrientedBox box = dv_oriented_box_make(plane + 10 * b);
            found = true;
            for (uint32_t j = 0; j < nodes && found; j++)
                found = dv_oriented_box_has_point(&box, points.at +
                                                            (size_t)elements.at[(size_t)i * nodes + j] * points.stride);
        }
        inside[i] = found;
    }
}

static void draw(void *self_, DvDraw *draw, double pixels, const double color[4])
{
    dv_oriented_boxes_draw(&((PlaneRoi *)self_)->plane, draw, pixels, color);
}

#define IN(member, ...)   DV_REGION_IN(PlaneRoi, region, member, __VA_ARGS__)
#define OUT(member, ...)  DV_REGION_OUT(PlaneRoi, region, member, __VA_ARGS__)
#define DRAW(member, ...) DV_REGION_DRAW(PlaneRoi, region, member, __VA_ARGS__)
static const DvField fields[] = {
    DV_ENGINE_INPUT(PlaneRoi, plane, "plane", dv_oriented_boxes_type,
                    "rectangles: three corners and the depth, half on each side", .unit = "m",
                    .init = "0 0 0 0 0 0 0 0 0 0"),
    IN(position, "position", dv_type_coords, "positions to select from (default: the rest shape)", .unit = "m",
       DV_REGION_ALIASES("rest_position")),
    IN(elements[DV_EDGES], "edges", dv_type_edges, "edges to select from"),
    IN(elements[DV_TRIANGLES], "triangles", dv_type_triangles, "triangles to select from"),
    IN(elements[DV_TETRAHEDRA], "tetrahedra", dv_type_tetrahedra, "tetrahedra to select from"),
    IN(compute[DV_EDGES], "computeEdges", dv_type_bool, "select edges", .init = "1"),
    IN(compute[DV_TRIANGLES], "computeTriangles", dv_type_bool, "select triangles", .init = "1"),
    IN(compute[DV_TETRAHEDRA], "computeTetrahedra", dv_type_bool, "select tetrahedra", .init = "1"),
    OUT(indices, "indices", dv_type_uints, "points inside"),
    OUT(element_indices[DV_EDGES], "edgeIndices", dv_type_uints, "edges inside"),
    OUT(element_indices[DV_TRIANGLES], "triangleIndices", dv_type_uints, "triangles inside"),
    OUT(element_indices[DV_TETRAHEDRA], "tetrahedronIndices", dv_type_uints, "tetrahedra inside"),
    OUT(points_in, "pointsInROI", dv_type_coords, "positions inside", .unit = "m"),
    OUT(elements_in[DV_EDGES], "edgesInROI", dv_type_edges, "points of the edges inside"),
    OUT(elements_in[DV_TRIANGLES], "trianglesInROI", dv_type_triangles, "points of the triangles inside"),
    OUT(elements_in[DV_TETRAHEDRA], "tetrahedraInROI", dv_type_tetrahedra, "points of the tetrahedra inside"),
    DRAW(draw_region, "drawBoxes", DV_REGION_ALIASES("isVisible")),
    DRAW(draw_points, "drawPoints"),
    DRAW(draw_elements[DV_EDGES], "drawEdges"),
    DRAW(draw_elements[DV_TRIANGLES], "drawTriangles"),
    DRAW(draw_elements[DV_TETRAHEDRA], "drawTetrahedra"),
    DV_ENGINE_DRAW_SIZE(PlaneRoi, region.draw_size, "drawSize"),
    DV_REGION_GROUP(PlaneRoi, region.group),
    {0},
};

static const DvRegionOps ops =
    DV_REGION_OPS(.select = select_points, .select_elements = select_elements, .prepare = prepare, .draw = draw);

const DvClass dv_plane_roi = {
    .size = sizeof(DvClass),
    .name = "PlaneROI",
    .variants = "Vec3d Rigid3d",
    .module = "Sofa.Component.Engine.Select",
    .help = "Selects the points and elements near rectangles.",
    .instance_size = sizeof(PlaneRoi),
    .fields = fields,
    DV_REGION_CLASS(ops, "DataEngine"),
};
