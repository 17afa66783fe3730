/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * SlicedVolumetricModel: hexahedra as a cloud: translucent slices across the direction in which the camera looks, the farthest first.
 *
 * Each hexahedron is cut into six tetrahedra; a plane meets a tetrahedron in a triangle or a quad, whose corners are on the edges from
 * the points in front of the plane to those behind.
 */
#include "visual_points.h"

#include <math.h>

#include <divan/contracts/drawing.h>
#include <divan/kit/array.h>
#include <divan/math/vec.h>
#include <divan/types/color.h>

typedef struct SlicedVolumetricModel {
    DvData enable, alpha, color, slices;
    DvTopologyRef mesh;
} SlicedVolumetricModel;

static void add_triangle(DvRealArray *corners, DvVec3 a, DvVec3 b, DvVec3 c)
{
    dv_array_reserve(corners, (uint64_t)corners->count + 9);
    double *to = corners->data + corners->count;
    corners->count += 9;
    dv_vec3_store(a, to);
    dv_vec3_store(b, to + 3);
    dv_vec3_store(c, to + 6);
}

/* Where the plane of depth 0 meets the edge between two points of these depths, one in front and one behind. */
static DvVec3 crossing(DvVec3 a, double depth_a, DvVec3 b, double depth_b)
{
    return dv_vec3_add(a, dv_vec3_scale(dv_vec3_sub(b, a), depth_a / (depth_a - depth_b)));
}

static void slice_tetrahedron(DvRealArray *list, const double *points, const uint32_t corner[4], DvVec3 view,
                              double plane)
{
    DvVec3 front[4], behind[4];
    double depth_front[4], depth_behind[4];
    int fronts = 0, behinds = 0;
    for (int c = 0; c < 4; c++) {
        const DvVec3 p = dv_vec3_load(points + 3 * (size_t)corner[c]);
        const double depth = dv_vec3_dot(p, view) - plane;
        if (depth < 0.0) {
            front[fronts] = p;
            depth_front[fronts++] = depth;
        } else {
            behind[behinds] = p;
            depth_behind[behinds++] = depth;
        }
    }
    DvVec3 cut[4];
    int cuts = 0;
    for (int f = 0; f < fronts; f++)
        for (int b = 0; b < behinds; b++) {
            const int other = f % 2 ? behinds - 1 - b : b; /* around a quad, not across it */
            cut[cuts++] = crossing(front[f], depth_front[f], behind[other], depth_behind[other]);
        }
    if (cuts >= 3)
        add_triangle(list, cut[0], cut[1], cut[2]);
    if (cuts == 4)
        add_triangle(list, cut[0], cut[2], cut[3]);
}

static void slice(DvRealArray *list, const double *points, uint32_t count, DvElements cells, DvVec3 view, double plane)
{
    for (uint32_t cell = 0; cell < cells.count; cell++) {
        const uint32_t *corner = cells.at + 8 * (size_t)cell;
        uint32_t tetrahedra[6][4];
        bool front = false, behind = false, whole = true;
        for (int c = 0; c < 8; c++) {
            whole = whole && corner[c] < count;
            const double depth = whole ? dv_vec3_dot(dv_vec3_load(points + 3 * (size_t)corner[c]), view) - plane : 0.0;
            front = front || depth < 0.0;
            behind = behind || depth >= 0.0;
        }
        if (!whole || !front || !behind)
            continue;
        dv_cut_hexahedron(corner, 0, false, tetrahedra);
        for (int t = 0; t < 6; t++)
            slice_tetrahedron(list, points, tetrahedra[t], view, plane);
    }
}

static void draw_slices(SlicedVolumetricModel *self, DvDraw *draw, const double *points, uint32_t count)
{
    const DvVec3 given = dv_vec3_load(draw->view);
    const DvVec3 view = dv_vec3_norm(given) > 0.0 ? dv_vec3_normalize(given) : dv_vec3(0.0, 0.0, -1.0);
    const DvElements cells = dv_topology_elements(&self->mesh, DV_HEXAHEDRA);
    const int32_t slices = dv_data_int(&self->slices);
    double least = INFINITY, most = -INFINITY;
    for (uint32_t i = 0; i < count; i++) {
        const double depth = dv_vec3_dot(dv_vec3_load(points + 3 * (size_t)i), view);
        least = fmin(least, depth);
        most = fmax(most, depth);
    }
    DvRealArray list = {0};
    for (int32_t i = slices; i-- > 0;)
        slice(&list, points, count, cells, view, least + (i + 0.5) / slices * (most - least));
    double color[4];
    memcpy(color, dv_data_doubles(&self->color, NULL), sizeof color);
    color[3] *= dv_data_double(&self->alpha);
    draw->ops->state(draw, DV_DRAW_UNLIT);
    if (list.count > 0)
        draw->ops->triangles(draw, list.data, list.count / 9, color);
    dv_array_free(&list);
}

static void draw(void *self_, DvDraw *draw)
{
    SlicedVolumetricModel *self = self_;
    if (!visual_is_shown(&self->enable, draw) || !self->mesh.ops)
        return;
    const double *points = self->mesh.ops->positions(self->mesh.self);
    if (points) {
        draw_slices(self, draw, points, self->mesh.ops->point_count(self->mesh.self));
        return;
    }
    const DvStateRef state = dv_state_ref(dv_object_find(self->mesh.object, NULL, DV_STATE));
    double *copy = state.ops ? dv_points_in_space(dv_state_read(state, DV_POSITION), state.dof->spatial) : NULL;
    if (copy)
        draw_slices(self, draw, copy, dv_state_count(state));
    dv_free(copy);
}

static DvStatus init(DvObject *object, void *self_)
{
    SlicedVolumetricModel *self = self_;
    const DvStatus status = dv_topology_require(object, NULL, "a mesh of hexahedra", &self->mesh);
    if (status == DV_OK && dv_topology_elements(&self->mesh, DV_HEXAHEDRA).count == 0)
        dv_remark(object, "shows nothing: '%s' has no hexahedra", dv_object_path(self->mesh.object));
    return status;
}

static void cleanup(DvObject *object, void *self)
{
    (void)object;
    dv_topology_release(&((SlicedVolumetricModel *)self)->mesh);
}

static const DvField fields[] = {
    VISUAL_ENABLE_FIELD(SlicedVolumetricModel, enable),
    DV_FIELD(SlicedVolumetricModel, alpha, "alpha", dv_type_double, .init = "0.2", .range = &dv_range_share,
             .flags = DV_FIELD_DRAWING, .help = "of each slice: 0 lets everything through"),
    DV_FIELD(SlicedVolumetricModel, color, "color", dv_type_color, .flags = DV_FIELD_DRAWING, .help = "colour"),
    DV_FIELD(SlicedVolumetricModel, slices, "nbSlices", dv_type_int, .init = "100", .range = &dv_range_count,
             .flags = DV_FIELD_DRAWING, .help = "number of slices"),
    {0},
};

static const DvDrawableOps drawable = {.size = sizeof drawable, .draw = draw};

const DvClass dv_sliced_volumetric_model = {
    .size = sizeof(DvClass),
    .name = "SlicedVolumetricModel",
    .bases = (const char *const[]){"VisualModel", NULL},
    .family = "visual models",
    .module = "Sofa.GL.Component.Rendering3D",
    .help = "Hexahedra as a cloud of translucent slices.",
    .instance_size = sizeof(SlicedVolumetricModel),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_DRAWABLE, .ops = &drawable}, {0}},
    .init = init,
    .cleanup = cleanup,
};
