/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * VisualMesh: the elements of a mesh, drawn apart from each other: its solids, or without any its triangles and quads, or without
 * those its edges. Colours go in turn through a few for each kind, or follow values of the points.
 */
#include "visual_points.h"

#include <divan/contracts/drawing.h>
#include <divan/types/color_map.h>

enum { PALETTE = 256 };

typedef struct VisualMesh {
    DvData enable, position, element_space, lighting, vertex_values, color_map;
    DvLink topology;
    DvTopologyRef mesh;
} VisualMesh;

/* In turn: of the faces of a solid, of the elements of other kinds. */
static const struct Colors {
    DvElementKind kind;
    uint32_t count;
    double at[6][4];
} colors_of[] = {
    {DV_EDGES, 2, {{0.5, 1, 0, 1}, {0.75, 0.75, 0.75, 1}}},
    {DV_TRIANGLES, 3, {{0, 1, 0, 1}, {0, 0.5, 0.5, 1}, {0, 0, 1, 1}}},
    {DV_QUADS, 2, {{0, 1, 0, 1}, {1, 0.5, 0, 1}}},
    {DV_TETRAHEDRA, 4, {{0, 0, 1, 1}, {0, 0, 0, 1}, {0, 0.5, 1, 1}, {0, 1, 1, 1}}},
    {DV_HEXAHEDRA,
     6,
     {{0.7, 0.7, 0.1, 1}, {0.7, 0, 0, 1}, {0, 0.7, 0, 1}, {0, 0, 0.7, 1}, {0.1, 0.7, 0.7, 1}, {0.7, 0.1, 0.7, 1}}},
    {DV_PRISMS, 5, {{0, 1, 0, 1}, {0, 0.5, 0.5, 1}, {0, 0, 0.5, 1}, {1, 0.84, 0, 1}, {0.5, 0, 0.5, 1}}},
    {DV_PYRAMIDS, 5, {{0, 1, 0, 1}, {0, 0.5, 0.5, 1}, {0, 0, 0.5, 1}, {1, 0.84, 0, 1}, {0.5, 0, 0.5, 1}}},
};
enum { KINDS = sizeof colors_of / sizeof *colors_of };

static bool has(const VisualMesh *self, DvElementKind first, DvElementKind last)
{
    for (DvElementKind kind = first; kind <= last; kind++)
        if (dv_topology_elements(&self->mesh, kind).count > 0)
            return true;
    return false;
}

static bool is_drawn(const VisualMesh *self, DvElementKind kind)
{
    if (kind >= DV_TETRAHEDRA)
        return true;
    if (has(self, DV_TETRAHEDRA, DV_PYRAMIDS))
        return false;
    if (kind == DV_TRIANGLES && visual_triangles_are_halves(dv_topology_elements(&self->mesh, DV_TRIANGLES),
                                                            dv_topology_elements(&self->mesh, DV_QUADS)))
        return false;
    return kind != DV_EDGES || !has(self, DV_TRIANGLES, DV_QUADS);
}

/* A colour for each point, NULL when there are no values for all of them; dv_free. */
static double *colors_of_values(VisualMesh *self, size_t points)
{
    size_t count, entries;
    const double *values = dv_data_doubles(&self->vertex_values, &count);
    const double *palette = dv_data_doubles(&self->color_map, &entries);
    double hues[4 * PALETTE];
    if (count < points || points == 0)
        return NULL;
    if (entries == 0) {
        dv_color_palette(dv_color_scheme("HSV"), hues, PALETTE);
        palette = hues;
        entries = PALETTE;
    }
    double least = values[0], most = values[0];
    for (size_t i = 1; i < count; i++) {
        least = values[i] < least ? values[i] : least;
        most = values[i] > most ? values[i] : most;
    }
    double *colors = dv_alloc(points, 4 * sizeof *colors);
    for (size_t i = 0; i < points; i++)
        dv_color_of_value(palette, entries, least, most, values[i], colors + 4 * i);
    return colors;
}

/* Its own, or those of the mesh, or of the state there; *copy is to be freed. */
static const double *points_of(VisualMesh *self, size_t *count, double **copy)
{
    const double *points = dv_data_doubles(&self->position, count);
    if (*count == 0 && (points = self->mesh.ops->positions(self->mesh.self)))
        *count = self->mesh.ops->point_count(self->mesh.self);
    const DvStateRef state = dv_state_ref(*count ? NULL : dv_object_find(self->mesh.object, NULL, DV_STATE));
    if (!state.ops)
        return points;
    *count = dv_state_count(state);
    return *copy = dv_points_in_space(dv_state_read(state, DV_POSITION), state.dof->spatial);
}

static void draw(void *self_, DvDraw *draw)
{
    VisualMesh *self = self_;
    if (!visual_is_shown(&self->enable, draw) || !self->mesh.ops)
        return;
    size_t count;
    double *copy = NULL;
    const double *points = points_of(self, &count, &copy);
    double *colors = colors_of_values(self, count);
    if (!dv_data_bool(&self->lighting))
        draw->ops->state(draw, DV_DRAW_UNLIT);
    for (size_t k = 0; k < KINDS; k++) {
        const DvElementStyle style = {.colors = colors_of[k].at,
                                      .color_count = colors_of[k].count,
                                      .point_colors = colors,
                                      .shrink = dv_data_double(&self->element_space),
                                      .pixels = 1.0};
        if (is_drawn(self, colors_of[k].kind))
            dv_draw_elements(draw, colors_of[k].kind, dv_topology_elements(&self->mesh, colors_of[k].kind), points,
                             (uint32_t)count, &style);
    }
    dv_free(colors);
    dv_free(copy);
}

static DvStatus init(DvObject *object, void *self_)
{
    VisualMesh *self = self_;
    return dv_topology_require(object, &self->topology, "a mesh to show, or a link to one in topology", &self->mesh);
}

static void cleanup(DvObject *object, void *self)
{
    (void)object;
    dv_topology_release(&((VisualMesh *)self)->mesh);
}

static const DvField fields[] = {
    VISUAL_ENABLE_FIELD(VisualMesh, enable),
    DV_FIELD(VisualMesh, position, "position", dv_type_vec3s, .unit = "m", .flags = DV_FIELD_DRAWING,
             .help = "points of the mesh; those of the mesh or of its state when there are none"),
    DV_FIELD(VisualMesh, element_space, "elementSpace", dv_type_double, .init = "0.15", .range = &dv_range_share,
             .flags = DV_FIELD_DRAWING, .help = "how far elements are drawn apart, 0 to 1"),
    DV_FIELD(VisualMesh, lighting, "lighting", dv_type_bool, .init = "1", .flags = DV_FIELD_DRAWING,
             .help = "lights shade it"),
    DV_FIELD(VisualMesh, vertex_values, "vertexValues", dv_type_doubles, .flags = DV_FIELD_DRAWING,
             .help = "a value for each point, shown by its colour"),
    DV_FIELD(VisualMesh, color_map, "colorMap", dv_type_color_map, .flags = DV_FIELD_DRAWING,
             .help =
                 "colours from the least to the largest value, or the name of a scheme of OglColorMap; by default HSV"),
    DV_LINK(VisualMesh, topology, "topology", DV_TOPOLOGY, .help = "the mesh; that of the node by default"),
    {0},
};

static const DvDrawableOps drawable = {.size = sizeof drawable, .draw = draw};

const DvClass dv_visual_mesh = {
    .size = sizeof(DvClass),
    .name = "VisualMesh",
    .bases = (const char *const[]){"VisualModel", NULL},
    .family = "visual models",
    .module = "Sofa.Component.Visual",
    .help = "The elements of a mesh, drawn apart from each other.",
    .instance_size = sizeof(VisualMesh),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_DRAWABLE, .ops = &drawable}, {0}},
    .init = init,
    .cleanup = cleanup,
};
