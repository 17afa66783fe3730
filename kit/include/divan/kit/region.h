/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Regions of interest: which points and elements lie inside a shape.
 *
 * A class says which points are inside (`select`, for many at once) and how the shape is drawn; the rest is here. Points are inside when
 * their spatial components are. An element is inside when all its points are (`strict`), or when the mean of its points is; a class
 * may judge elements otherwise (`select_elements`). Lists keep the order of the input and the numbers of its points.
 *
 * Without `position` the region looks at the rest shape: of the state in its node, else the positions of a loader there, else the rest
 * shape of a state above. Lists of elements that are not given come from the topology in its node; those that are made from what the region
 * selects as they are at the start.
 *
 * DvRegion is the first member of the component's struct. The table of a class like the reference's BaseROI begins with
 * DV_REGION_FIELDS and its class has DV_REGION_CLASS; others list the fields they offer, by the same members: what has no field
 * counts as its default, and is not computed.
 */
#ifndef DIVAN_KIT_REGION_H
#define DIVAN_KIT_REGION_H

#include <divan/contracts/drawing.h>
#include <divan/kit/engine.h>
#include <divan/kit/region_group.h>
#include <divan/math/vec.h>

DV_BEGIN_DECLS

typedef struct DvRegionOps DvRegionOps;

typedef struct DvRegion {
    DvEngine engine;
    /* Inputs; by DvElementKind, DV_EDGES to DV_HEXAHEDRA. */
    DvData position, elements[DV_ELEMENT_KINDS], compute[DV_ELEMENT_KINDS], strict, do_update;
    /* Outputs: numbers and rows of both sides. */
    DvData indices, element_indices[DV_ELEMENT_KINDS], points_in, elements_in[DV_ELEMENT_KINDS], point_count;
    DvData indices_out, element_out_indices[DV_ELEMENT_KINDS], points_out, elements_out[DV_ELEMENT_KINDS];
    DvData draw_region, draw_points, draw_elements[DV_ELEMENT_KINDS], draw_size;
    const DvRegionOps *ops; /* the class's */
    bool makes_sense;       /* what `select` last said */
    bool selected;          /* it has run since init */
    DvRegionGroup group;    /* DV_REGION_GROUP: its points and elements alone count */
} DvRegion;

/* Points to judge: `count` rows of `stride` numbers, the first `spatial` of which (1, 2 or 3) are a position. */
typedef struct DvRegionPoints {
    const double *at;
    uint32_t count, stride, spatial;
} DvRegionPoints;
/* Of three spatial numbers.     [worker] */
static inline DvVec3 dv_region_point(DvRegionPoints points, uint32_t point)
{
    return dv_vec3_load(points.at + (size_t)point * points.stride);
}

/* What differs from class to class. Begins with the functions of DV_DRAWABLE, under which a class offers it. */
struct DvRegionOps {
    DvDrawableOps drawable;
    /* inside[count] of the points. False: the shape makes no sense, which has been reported; then nothing is inside, nor outside.
     *     [step] */
    bool (*select)(void *self, DvRegionPoints points, bool *inside);
    /* Optional: may change inside[elements.count], which holds what the rule above says; `point_inside` of the points. Elements all of
     * whose points are there.     [step] */
    void (*select_elements)(void *self, DvElementKind kind, DvElements elements, DvRegionPoints points,
                            const bool *point_inside, bool *inside);
    DvStatus (*prepare)(DvObject *object, void *self); /* optional: at init and reinit, before it selects     [main] */
    /* Optional: the shape itself, where drawROI is set; and what it occupies, added to bounds[6].     [main] */
    void (*draw)(void *self, DvDraw *draw, double pixels, const double color[4]);
    void (*bounds)(void *self, double *bounds);
};
#define DV_REGION_OPS(...)                                                               \
    {                                                                                    \
        .drawable = {.size = sizeof(DvDrawableOps), .draw = dv_region_draw}, __VA_ARGS__ \
    }

/* `operations` of DV_REGION_OPS, and the names of the bases, the nearest first. */
#define DV_REGION_CLASS(operations, ...)                                                                              \
    DV_ENGINE_CLASS(__VA_ARGS__), .contracts = (const DvContract[]){{.id = DV_DRAWABLE, .ops = &(operations)}, {0}},  \
                                  .default_variant = "Vec3d", .construct = dv_region_construct,                       \
                                  .init = dv_region_init, .bwd_init = dv_region_end_init, .reinit = dv_region_reinit, \
                                  .update = dv_region_update, .bounding_box = dv_region_bounding_box

#define DV_REGION_ALIASES(...)       \
    .aliases = (const char *const[]) \
    {                                \
        __VA_ARGS__, NULL            \
    }
#define DV_REGION_IN(Struct, base, member, name, type, text, ...) \
    DV_ENGINE_INPUT(Struct, base.member, name, type, text, __VA_ARGS__)
#define DV_REGION_OUT(Struct, base, member, name, type, text, ...) \
    DV_ENGINE_OUTPUT(Struct, base.member, name, type, text, __VA_ARGS__)
#define DV_REGION_DRAW(Struct, base, member, name, ...) DV_ENGINE_SHOWN(Struct, base.member, name, __VA_ARGS__)

/* Default of `strict`: a class with another one defines it anew before its table. */
#define DV_REGION_STRICT "1"
/* All fields, in the order of the reference; DV_REGION_ALIASES of position, indices and drawROI, or nothing. */
#define DV_REGION_FIELDS(Struct, base, position_aliases, indices_aliases, draw_aliases)                                \
    DV_REGION_IN(Struct, base, position, "position", dv_type_coords,                                                   \
                 "positions to select from (default: the rest shape)", .unit = "m", position_aliases),                 \
        DV_REGION_IN(Struct, base, elements[DV_EDGES], "edges", dv_type_edges, "edges to select from"),                \
        DV_REGION_IN(Struct, base, elements[DV_TRIANGLES], "triangles", dv_type_triangles,                             \
                     "triangles to select from"),                                                                      \
        DV_REGION_IN(Struct, base, elements[DV_QUADS], "quads", dv_type_quads, "quads to select from",                 \
                     DV_REGION_ALIASES("quad")),                                                                       \
        DV_REGION_IN(Struct, base, elements[DV_TETRAHEDRA], "tetrahedra", dv_type_tetrahedra,                          \
                     "tetrahedra to select from"),                                                                     \
        DV_REGION_IN(Struct, base, elements[DV_HEXAHEDRA], "hexahedra", dv_type_hexahedra,                             \
                     "hexahedra to select from"),                                                                      \
        DV_REGION_IN(Struct, base, compute[DV_EDGES], "computeEdges", dv_type_bool, "select edges", .init = "1"),      \
        DV_REGION_IN(Struct, base, compute[DV_TRIANGLES], "computeTriangles", dv_type_bool, "select triangles",        \
                     .init = "1"),                                                                                     \
        DV_REGION_IN(Struct, base, compute[DV_QUADS], "computeQuads", dv_type_bool, "select quads", .init = "1",       \
                     DV_REGION_ALIASES("computeQuad")),                                                                \
        DV_REGION_IN(Struct, base, compute[DV_TETRAHEDRA], "computeTetrahedra", dv_type_bool, "select tetrahedra",     \
                     .init = "1"),                                                                                     \
        DV_REGION_IN(Struct, base, compute[DV_HEXAHEDRA], "computeHexahedra", dv_type_bool, "select hexahedra",        \
                     .init = "1"),                                                                                     \
        DV_REGION_IN(Struct, base, strict, "strict", dv_type_bool,                                                     \
                     "an element is inside when all its points are, else when its centre is",                          \
                     .init = DV_REGION_STRICT),                                                                        \
        DV_REGION_OUT(Struct, base, indices, "indices", dv_type_uints, "points inside", indices_aliases),              \
        DV_REGION_OUT(Struct, base, element_indices[DV_EDGES], "edgeIndices", dv_type_uints, "edges inside"),          \
        DV_REGION_OUT(Struct, base, element_indices[DV_TRIANGLES], "triangleIndices", dv_type_uints,                   \
                      "triangles inside"),                                                                             \
        DV_REGION_OUT(Struct, base, element_indices[DV_QUADS], "quadIndices", dv_type_uints, "quads inside"),          \
        DV_REGION_OUT(Struct, base, element_indices[DV_TETRAHEDRA], "tetrahedronIndices", dv_type_uints,               \
                      "tetrahedra inside"),                                                                            \
        DV_REGION_OUT(Struct, base, element_indices[DV_HEXAHEDRA], "hexahedronIndices", dv_type_uints,                 \
                      "hexahedra inside"),                                                                             \
        DV_REGION_OUT(Struct, base, points_in, "pointsInROI", dv_type_coords, "positions inside", .unit = "m"),        \
        DV_REGION_OUT(Struct, base, elements_in[DV_EDGES], "edgesInROI", dv_type_edges, "points of the edges inside"), \
        DV_REGION_OUT(Struct, base, elements_in[DV_TRIANGLES], "trianglesInROI", dv_type_triangles,                    \
                      "points of the triangles inside"),                                                               \
        DV_REGION_OUT(Struct, base, elements_in[DV_QUADS], "quadsInROI", dv_type_quads, "points of the quads inside",  \
                      DV_REGION_ALIASES("quadInROI")),                                                                 \
        DV_REGION_OUT(Struct, base, elements_in[DV_TETRAHEDRA], "tetrahedraInROI", dv_type_tetrahedra,                 \
                      "points of the tetrahedra inside"),                                                              \
        DV_REGION_OUT(Struct, base, elements_in[DV_HEXAHEDRA], "hexahedraInROI", dv_type_hexahedra,                    \
                      "points of the hexahedra inside"),                                                               \
        DV_REGION_OUT(Struct, base, point_count, "nbIndices", dv_type_uint, "number of points inside", .init = "0"),   \
        DV_REGION_OUT(Struct, base, points_out, "pointsOutROI", dv_type_coords, "positions outside", .unit = "m"),     \
        DV_REGION_OUT(Struct, base, elements_out[DV_EDGES], "edgesOutROI", dv_type_edges,                              \
                      "points of the edges outside"),                                                                  \
        DV_REGION_OUT(Struct, base, elements_out[DV_TRIANGLES], "trianglesOutROI", dv_type_triangles,                  \
                      "points of the triangles outside"),                                                              \
        DV_REGION_OUT(Struct, base, elements_out[DV_TETRAHEDRA], "tetrahedraOutROI", dv_type_tetrahedra,               \
                      "points of the tetrahedra outside"),                                                             \
        DV_REGION_OUT(Struct, base, indices_out, "indicesOut", dv_type_uints, "points outside"),                       \
        DV_REGION_OUT(Struct, base, element_out_indices[DV_EDGES], "edgeOutIndices", dv_type_uints, "edges outside"),  \
        DV_REGION_OUT(Struct, base, element_out_indices[DV_TRIANGLES], "triangleOutIndices", dv_type_uints,            \
                      "triangles outside"),                                                                            \
        DV_REGION_OUT(Struct, base, element_out_indices[DV_TETRAHEDRA], "tetrahedronOutIndices", dv_type_uints,        \
                      "tetrahedra outside"),                                                                           \
        DV_REGION_DRAW(Struct, base, draw_region, "drawROI", draw_aliases),                                            \
        DV_REGION_DRAW(Struct, base, draw_points, "drawPoints"),                                                       \
        DV_REGION_DRAW(Struct, base, draw_elements[DV_EDGES], "drawEdges"),                                            \
        DV_REGION_DRAW(Struct, base, draw_elements[DV_TRIANGLES], "drawTriangles"),                                    \
        DV_REGION_DRAW(Struct, base, draw_elements[DV_QUADS], "drawQuads"),                                            \
        DV_REGION_DRAW(Struct, base, draw_elements[DV_TETRAHEDRA], "drawTetrahedra"),                                  \
        DV_REGION_DRAW(Struct, base, draw_elements[DV_HEXAHEDRA], "drawHexahedra"),                                    \
        DV_ENGINE_DRAW_SIZE(Struct, base.draw_size, "drawSize"),                                                       \
        DV_REGION_IN(Struct, base, do_update, "doUpdate", dv_type_bool, "select again when an input changes",          \
                     .init = "1"),                                                                                     \
        DV_REGION_GROUP(Struct, base.group)

/* Members of DvClass. init: links inputs that are not given, an error when there are no positions, and prepares the shape. Classes
 * like the reference's BaseROI select then, others when they are read; the first time, and by reinit, whatever `doUpdate` says. The first
 * time a region warns when nothing is inside.     [main]; update: [step] */
DV_NODISCARD DV_PUBLIC DvStatus dv_region_construct(DvObject *object, void *self);
DV_NODISCARD DV_PUBLIC DvStatus dv_region_init(DvObject *object, void *self);
DV_NODISCARD DV_PUBLIC DvStatus dv_region_end_init(DvObject *object, void *self);
DV_NODISCARD DV_PUBLIC DvStatus dv_region_reinit(DvObject *object, void *self);
DV_NODISCARD DV_PUBLIC DvStatus dv_region_update(DvObject *object, void *self);
/* The shape counts only when it is shown. */
DV_PUBLIC void dv_region_bounding_box(DvObject *object, void *self, double *bounds);
/* DvDrawableOps.draw: the shape, the points and elements inside, as the fields say, where behaviour models are shown.     [main] */
DV_PUBLIC void dv_region_draw(void *self, DvDraw *draw);

DV_END_DECLS
#endif
