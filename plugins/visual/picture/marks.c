/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Bounds by their edges, points as dots, faces by the edges of those, solid elements drawn apart, and the numbers of the points. Where
 * there are more points than anyone reads, numbers are left out.
 */
#include "marks.h"

#include <math.h>

#include <divan/contracts/drawing.h>
#include <divan/math/vec.h>

enum { NUMBERS_MOST = 2000 };

static const double of_nodes[4] = {0.55, 0.75, 1, 1}, of_objects[4] = {1, 0.8, 0.3, 1},
                    of_points[4] = {1, 0.55, 0.1, 1}, of_faces[4] = {0.95, 0.75, 0.2, 1},
                    of_volumes[4] = {0.3, 0.7, 0.9, 0.35}, of_numbers[4] = {0.9, 0.1, 0.1, 1};
static const double dot_pixels = 5, line_pixels = 2, apart = 0.15;

/* What has points: the object, else what its node has. */
typedef struct Points {
    double *at; /* [count] x 3; dv_free */
    uint32_t count;
    DvElements elements[DV_ELEMENT_KINDS];
} Points;

static void take_elements(Points *points, DvObject *object, DvObject *mesh)
{
    const DvSurfaceOps *surface = dv_object_ops(object, DV_SURFACE);
    const DvTopologyOps *ops = mesh ? dv_object_ops(mesh, DV_TOPOLOGY) : NULL;
    DvSurfaceView view = {0};
    if (surface && surface->view(dv_object_self(object), &view)) {
        points->elements[DV_TRIANGLES] = (DvElements){view.triangles.at, view.triangles.count};
        points->elements[DV_QUADS] = (DvElements){view.quads.at, view.quads.count};
        return;
    }
    for (DvElementKind kind = DV_TRIANGLES; ops && kind < DV_ELEMENT_KINDS; kind++)
        points->elements[kind] = ops->elements(dv_object_self(mesh), kind);
}

static DvObject *sound(DvObject *object)
{
    return object && dv_object_is_valid(object) ? object : NULL;
}

static Points points_of(DvObject *object)
{
    Points points = {0};
    const DvNode *node = dv_object_node(object);
    DvObject *mesh = sound(dv_object_ops(object, DV_TOPOLOGY) ? object : dv_node_context(node, DV_TOPOLOGY));
    const DvTopologyOps *ops = mesh ? dv_object_ops(mesh, DV_TOPOLOGY) : NULL;
    const DvStateRef state =
        dv_state_ref(sound(dv_object_ops(object, DV_STATE) ? object : dv_node_context(node, DV_STATE)));
    const double *at = ops && !state.ops ? ops->positions(dv_object_self(mesh)) : NULL;
    const DvConstVec x =
        state.ops ? dv_state_read(state, DV_POSITION)
                  : (DvConstVec){.at = at, .count = at ? ops->point_count(dv_object_self(mesh)) : 0, .dim = 3};
    points.count = x.count;
    points.at = dv_points_in_space(x, state.ops ? state.dof->spatial : 3);
    take_elements(&points, object, mesh);
    return points;
}

static void draw_box(DvDraw *draw, DvObject *object, const double color[4])
{
    const double *box = dv_data_doubles(dv_object_field(object, "bbox"), NULL);
    bool known = true;
    for (int i = 0; i < 3; i++)
        known = known && isfinite(box[i]) && isfinite(box[3 + i]) && box[i] <= box[3 + i];
    if (known)
        dv_draw_boxes(draw, box, 1, line_pixels, color);
}

static void draw_elements(DvDraw *draw, const Points *points, DvElementKind first, DvElementKind last,
                          const double color[4], double shrink)
{
    const DvElementStyle style = {
        .colors = (const double(*)[4])color, .color_count = 1, .shrink = shrink, .pixels = line_pixels};
    for (DvElementKind kind = first; kind <= last; kind++)
        dv_draw_elements(draw, kind, points->elements[kind], points->at, points->count, &style);
}

void marks_draw(DvDraw *draw, DvObject *object, const DvViewerLook *look, double size)
{
    const bool is_node = dv_object_as_node(object) != NULL;
    Points points = {0};
    if (!is_node)
        points = points_of(object);
    draw->ops->state(draw, DV_DRAW_UNLIT | DV_DRAW_ON_TOP);
    if (is_node ? look->marks_node_box : look->marks_box)
        draw_box(draw, object, is_node ? of_nodes : of_objects);
    if (look->marks_volumes)
        draw_elements(draw, &points, DV_TETRAHEDRA, DV_PYRAMIDS, of_volumes, apart);
    if (look->marks_positions)
        draw->ops->points(draw, points.at, points.count, dot_pixels, of_points);
    if (look->marks_indices && look->mark_size > 0 && points.count <= NUMBERS_MOST)
        dv_draw_numbers(draw, points.at, points.count, look->mark_size * size, of_numbers);
    draw->ops->state(draw, DV_DRAW_UNLIT | DV_DRAW_ON_TOP | DV_DRAW_WIREFRAME);
    if (look->marks_surfaces)
        draw_elements(draw, &points, DV_TRIANGLES, DV_QUADS, of_faces, 0);
    dv_free(points.at);
}
