/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * MeshROI: the points and elements inside a closed surface. A ray from a point to beyond the nearer corner of the surface's bounds meets
 * it an odd number of times. An element is inside when all its points are, else when its middle is, unless `strict`.
 */
#include <divan/contracts/state.h>
#include <divan/contracts/topology.h>
#include <divan/kit/boxes.h>
#include <divan/kit/region.h>

#include <float.h>
#include <inttypes.h>
#include <math.h>

typedef struct MeshRoi {
    DvRegion region;
    DvData surface, triangles, by_surface, box;
} MeshRoi;

typedef struct Surface {
    const double *at;
    size_t points, triangles, stride;
    const uint32_t *triangle;
    double box[6];
} Surface;

/* Whether p and q are on one side of the line from a to b, or on it. */
static bool same_side(DvVec3 p, DvVec3 q, DvVec3 a, DvVec3 b)
{
    const DvVec3 side = dv_vec3_sub(b, a);
    return dv_vec3_dot(dv_vec3_cross(side, dv_vec3_sub(p, a)), dv_vec3_cross(side, dv_vec3_sub(q, a))) >= 0;
}

static bool ray_meets(DvVec3 p, DvVec3 way, DvVec3 a, DvVec3 b, DvVec3 c)
{
    const DvVec3 normal = dv_vec3_cross(dv_vec3_sub(b, a), dv_vec3_sub(c, a));
    const double slope = dv_vec3_dot(normal, way);
    if (slope == 0)
        return false;
    const double t = dv_vec3_dot(normal, dv_vec3_sub(a, p)) / slope;
    const DvVec3 hit = dv_vec3_madd(p, t, way);
    return t >= 0 && same_side(hit, a, b, c) && same_side(hit, b, a, c) && same_side(hit, c, a, b);
}

static bool has_point(const Surface *surface, DvVec3 p)
{
    const double *box = surface->box, at[3] = {p.x, p.y, p.z};
    if (!dv_box_has_point(box, at, 3))
        return false;
    const DvVec3 least = dv_vec3_load(box), most = dv_vec3_load(box + 3), far = dv_vec3(100, 100, 100);
    const bool down = dv_vec3_distance(p, least) < dv_vec3_distance(p, most);
    const DvVec3 way = dv_vec3_sub(down ? dv_vec3_sub(least, far) : dv_vec3_add(most, far), p);
    bool odd = false;
    for (size_t t = 0; t < surface->triangles; t++) {
        const uint32_t *node = surface->triangle + 3 * t;
        if (node[0] < surface->points && node[1] < surface->points && node[2] < surface->points)
            odd ^= ray_meets(p, way, dv_vec3_load(surface->at + node[0] * surface->stride),
                             dv_vec3_load(surface->at + node[1] * surface->stride),
                             dv_vec3_load(surface->at + node[2] * surface->stride));
    }
    return odd;
}

static Surface read_surface(MeshRoi *self)
{
    Surface surface = {.stride = self->region.engine.dof->coord,
                       .box = {DBL_MAX, DBL_MAX, DBL_MAX, -DBL_MAX, -DBL_MAX, -DBL_MAX}};
    surface.at = dv_data_doubles(&self->surface, &surface.points);
    surface.triangle = dv_data_uints(&self->triangles, &surface.triangles);
    for (size_t i = 0; i < surface.points; i++)
        for (int axis = 0; axis < 3; axis++) {
            const double x = surface.at[i * surface.stride + (size_t)axis];
            surface.box[axis] = fmin(surface.box[axis], x);
            surface.box[3 + axis] = fmax(surface.box[3 + axis], x);
        }
    return surface;
}

static bool select_points(void *self_, DvRegionPoints points, bool *inside)
{
    MeshRoi *self = self_;
    const bool all = !dv_data_bool(&self->by_surface);
    const Surface surface = read_surface(self);
    for (uint32_t i = 0; i < points.count; i++)
        inside[i] = all || has_point(&surface, dv_region_point(points, i));
    return true;
}

/* All points of an element count before its middle. */
static void select_elements(void *self_, DvElementKind kind, DvElements elements, DvRegionPoints points,
                            const bool *point_inside, bool *inside)
{
    (void)self_;
    const uint32_t nodes = dv_element_nodes(kind);
    for (uint32_t i = 0; i < elements.count; i++) {
        bool all = true;
        for (uint32_t j = 0; j < nodes && all; j++) {
            const uint32_t point = elements.at[(size_t)i * nodes + j];
            all = point < points.count && point_inside[point];
        }
        inside[i] = inside[i] || all;
    }
}

static DvStatus prepare(DvObject *object, void *self_)
{
    MeshRoi *self = self_;
    DvStatus status = dv_engine_follow(object, &self->surface, DV_STATE, DV_SEARCH_LOCAL, "rest_position");
    if (status == DV_OK)
        status = dv_engine_follow(object, &self->surface, DV_LOADER, DV_SEARCH_LOCAL, "position");
    if (status == DV_OK)
        status = dv_engine_follow(object, &self->triangles, DV_TOPOLOGY, DV_SEARCH_LOCAL, "triangles");
    if (status != DV_OK)
        return status;
    const Surface surface = read_surface(self);
    for (size_t i = 0; i < 3 * surface.triangles; i++)
        if (surface.triangle[i] >= surface.points)
            return dv_field_error(&self->triangles, (int64_t)(i / 3), "point %" PRIu32 " of %zu in 'ROIposition'",
                                  surface.triangle[i], surface.points);
    dv_data_set(&self->box, surface.points ? surface.box : (const double[6]){0}, 1);
    return DV_OK;
}

static void draw(void *self_, DvDraw *draw, double pixels, const double color[4])
{
    MeshRoi *self = self_;
    const Surface surface = read_surface(self);
    double *space = dv_points_in_space(
        (DvConstVec){.at = surface.at, .count = (uint32_t)surface.points, .dim = (uint32_t)surface.stride}, 3);
    const DvElementStyle style = {
        .colors = (const double(*)[4])(const void *)color, .color_count = 1, .pixels = pixels};
    dv_draw_elements(draw, DV_TRIANGLES, (DvElements){.at = surface.triangle, .count = (uint32_t)surface.triangles},
                     space, (uint32_t)surface.points, &style);
    dv_free(space);
}

#undef DV_REGION_STRICT
#define DV_REGION_STRICT "0"
static const DvField fields[] = {
    DV_REGION_FIELDS(MeshRoi, region, , , ),
    DV_ENGINE_INPUT(MeshRoi, surface, "ROIposition", dv_type_coords, "points of the closed surface", .unit = "m"),
    DV_FIELD_HELD("ROIedges", dv_type_edges,
                  .help = "kept for old scenes: edges of the surface, which has its triangles"),
    DV_ENGINE_INPUT(MeshRoi, triangles, "ROItriangles", dv_type_triangles, "its triangles"),
    DV_ENGINE_INPUT(MeshRoi, by_surface, "computeMeshROI", dv_type_bool, "0: every point is inside", .init = "1"),
    DV_FIELD(MeshRoi, box, "box", dv_type_vec6d, .flags = DV_FIELD_OUTPUT | DV_FIELD_READ_ONLY, .unit = "m",
             .help = "bounds of the surface when it was initialised"),
    DV_FIELD_HELD("drawOut", dv_type_bool, .init = "0", .help = "kept for old scenes: what is outside is not drawn"),
    DV_FIELD_HELD("drawBox", dv_type_bool, .init = "0", .help = "kept for old scenes: drawROI shows the surface"),
    {0},
};

static const DvRegionOps ops =
    DV_REGION_OPS(.select = select_points, .select_elements = select_elements, .prepare = prepare, .draw = draw);

const DvClass dv_mesh_roi = {
    .size = sizeof(DvClass),
    .name = "MeshROI",
    .variants = "Vec3d Rigid3d Vec6d",
    .module = "Sofa.Component.Engine.Select",
    .help = "Selects the points and elements inside a closed surface.",
    .instance_size = sizeof(MeshRoi),
    .fields = fields,
    DV_REGION_CLASS(ops, "BaseROI", "DataEngine"),
};
