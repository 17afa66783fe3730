/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What all topologies of this plugin share: lists of elements in Data, adjacency made on request, and the contract
 * divan.topology/1. Every topology class has this struct first in its own.
 */
#ifndef DIVAN_TOPOLOGY_TOPOLOGY_H
#define DIVAN_TOPOLOGY_TOPOLOGY_H

#include "adjacency.h"
#include <divan/contracts/report.h>
#include <divan/element_data.h>

/* One adjacency, once it has been asked for. */
typedef struct AdjacencyCache {
    DvRows adjacency;
    uint32_t missing; /* entries INVALID_INDEX: parts that no list holds */
    bool made, warned;
} AdjacencyCache;

typedef struct Topology {
    DvObject *object;
    DvData filename, position, merge_distance;
    DvData list[DV_ELEMENT_KINDS]; /* those that the class declares; list[DV_POINTS] is never one */
    DvData texcoords, compute_all_buffers;
    DvData draw_edges, draw_triangles, draw_quads, draw_tetrahedra, draw_hexahedra;
    /* set containers */
    DvData point_count_field, check_topology, check_connexity, create_triangle_array, create_quad_array;
    DvData saved; /* which elements dangle, for a saved scene: see set_container.c */

    uint32_t points;
    double *placed; /* [points] x 3, m: where the points are, if `position` says something else; owned by the class */
    uint64_t revision, rewritten;
    uint64_t seen[DV_ELEMENT_KINDS];     /* versions of the lists when the adjacency was made */
    bool derived[DV_ELEMENT_KINDS];      /* computed from higher elements */
    uint8_t *dangling[DV_ELEMENT_KINDS]; /* bit j: point j of the element has been removed; NULL: none */
    uint32_t dangling_capacity[DV_ELEMENT_KINDS];
    DvIndexArray loose[DV_ELEMENT_KINDS]; /* the elements with such points, in no order */
    bool loose_changed, edited;           /* since that was put into `saved`; at all */
    DvElementKind own;                    /* set containers: the kind they are named after; DV_POINTS otherwise */
    bool dynamic;                         /* a set container */
    bool restoring;                       /* a saved scene puts its lists back: mappings find their way themselves */
    bool moved;                           /* points were added, removed or renumbered: `position` is no longer theirs */
    uint32_t told[DV_ELEMENT_KINDS];      /* set containers: counts that attached data know */
    bool (*grid_shape)(struct Topology *topology, DvGridShape *shape); /* grids */
    uint32_t told_faults;    /* faults of the mesh, by bits of DvMeshFault; of a mesh of a loader in that one */
    bool modifiable;         /* set containers: a modifier may change it */
    struct FirstMesh *first; /* likewise: what a reset puts back, once it may change; see set_container.c */
    /* Optional, of who fills it: elements have been removed from it by a modifier. */
    void (*after_removal)(void *owner);
    void *after_removal_owner;
    DvElementDataList attached;
    AdjacencyCache cache[DV_ELEMENT_KINDS][DV_ELEMENT_KINDS];
} Topology;

extern const DvTopologyOps topology_ops;
extern const DvReportOps topology_report;
extern const DvMeshFaultsOps topology_faults;
/* The contracts of a class whose elements are lists that a scene gives. */
#define TOPOLOGY_OF_LISTS_CONTRACTS                                                                      \
    {.id = DV_TOPOLOGY, .ops = &topology_ops, .slot = true}, {.id = DV_REPORT, .ops = &topology_report}, \
    {                                                                                                    \
        .id = DV_MESH_FAULTS, .ops = &topology_faults                                                    \
    }

/* The topology of an object of one of our classes, or NULL. */
Topology *topology_of(const DvObject *object);

/* The elements of a kind, none if the class has no such list. */
ElementList topology_elements(Topology *topology, DvElementKind kind);
const DvRows *topology_adjacency(Topology *topology, DvElementKind of, DvElementKind to);
/* Part numbers of each element with INVALID_INDEX where a list lacks the part; NULL when there is no such table. */
const uint32_t *topology_parts(Topology *topology, DvElementKind of, DvElementKind part, uint32_t *per_element);
/* The local parts of `of` that are elements of kind `part`, or NULL. */
const PartTable *topology_part_table(DvElementKind of, DvElementKind part);

/* Connectivity has changed: adjacency is made anew when next asked for. */
void topology_changed(Topology *topology);
/* Connectivity has changed, tables have followed in place and attached data are told. */
void topology_edited(Topology *topology);
/* Likewise, but everything has another number, or is another: adjacency is made anew. */
void topology_renumbered(Topology *topology);
/* A table as it is for edits in place, NULL if it has not been made. */
AdjacencyCache *topology_table(Topology *topology, DvElementKind of, DvElementKind to);
/* Replaces a list (takes a copy). */
void topology_set_list(Topology *topology, DvElementKind kind, const uint32_t *elements, uint32_t count);
/* No element of a kind names removed points. */
void topology_tie(Topology *topology, DvElementKind kind);
/* Empties all lists; the number of points stays. */
void topology_clear(Topology *topology);
void topology_set_points(Topology *topology, uint32_t points);

/* Largest number of points that indices may ask for. */
enum { MOST_POINTS = 1 << 28 };
/* 1 + the largest point of a kind's elements. An error when that is more than MOST_POINTS. */
DV_NODISCARD DvStatus topology_count_used_points(Topology *topology, DvElementKind kind, uint32_t *points);
/* Checks that all points of a kind's elements exist. */
DV_NODISCARD DvStatus topology_check_points(Topology *topology, DvElementKind kind);
/* Reads the file that `filename` names; the mesh is to be freed in any case. */
DV_NODISCARD DvStatus topology_read_file(Topology *topology, DvMesh *mesh);
/* The same of another field, which names the file at `path` (NULL: there is none). */
DV_NODISCARD DvStatus topology_read_mesh(Topology *topology, DvData *field, int64_t entry, const char *name,
                                         const char *path, DvMesh *mesh);
/* The same into the lists, if it names one. */
DV_NODISCARD DvStatus topology_load_file(Topology *topology);

/* What the field mergeDistance asks for; before init counts points. */
void topology_merge_points(Topology *topology);

/* The part of init that comes after the lists are there: MeshTopology's, and the set containers'. Mappings call them
 * through topology_init when they have filled a topology. */
DV_NODISCARD DvStatus mesh_topology_start(Topology *topology);
DV_NODISCARD DvStatus set_container_start(Topology *topology);
DV_NODISCARD DvStatus topology_start(Topology *topology);
/* A set container was changed: keeps what a saved scene needs. */
void set_container_remember(Topology *topology);

/* Lifecycle functions that all classes share. */
DvStatus topology_construct(DvObject *object, void *self);
void topology_destroy(DvObject *object, void *self);
/* Computes the lists that follow from others: an engine's update. */
DvStatus mesh_topology_update(DvObject *object, void *self);
void topology_bounding_box(DvObject *object, void *self, double *box);
/* What classes have alike whose lists are made from what a scene gives. */
#define MADE_TOPOLOGY_CLASS                                                                          \
    .family = "topologies",                                                                          \
    .contracts = (const DvContract[]){{.id = DV_TOPOLOGY, .ops = &topology_ops, .slot = true}, {0}}, \
    .update = mesh_topology_update, .bounding_box = topology_bounding_box, .destroy = topology_destroy

/* Entries of field tables: the struct of the class and, in it, the Topology with a dot (or nothing when it is one). */
#define TOPOLOGY_FILE_FIELD(Struct, in)                                     \
    DV_FIELD(Struct, in filename, "filename", dv_type_file,                 \
             .help = "mesh file (.obj, .msh) that fills the lists at init", \
             .flags = DV_FIELD_NOT_LINKED | DV_FIELD_AT_LOAD, .aliases = (const char *const[]){"fileTopology", NULL})
#define TOPOLOGY_POSITION_FIELD(Struct, in)                                                          \
    DV_FIELD(Struct, in position, "position", dv_type_vec3s, .unit = "m", .flags = DV_FIELD_AT_LOAD, \
             .help = "positions of the points", .aliases = (const char *const[]){"points", NULL})
#define TOPOLOGY_MERGE_FIELD(Struct, in)                                                                          \
    DV_FIELD(Struct, in merge_distance, "mergeDistance", dv_type_double, .init = "0", .unit = "m",                \
             .range = &dv_range_not_negative, .flags = DV_FIELD_AT_LOAD | DV_FIELD_NOT_LINKED | DV_FIELD_LENIENT, \
             .help =                                                                                              \
                 "points of `position` that are no farther apart become one, the first of them; elements that "   \
                 "collapse or are then given twice are left out; the state is to take its points from here; 0: none")
#define TOPOLOGY_EDGES_FIELD(Struct, in)                                                   \
    DV_FIELD(Struct, in list[DV_EDGES], "edges", dv_type_edges, .flags = DV_FIELD_AT_LOAD, \
             .help = "edges: 2 points each", .aliases = (const char *const[]){"lines", NULL})
#define TOPOLOGY_TRIANGLES_FIELD(Struct, in)                                                           \
    DV_FIELD(Struct, in list[DV_TRIANGLES], "triangles", dv_type_triangles, .flags = DV_FIELD_AT_LOAD, \
             .help = "triangles: 3 points each")
#define TOPOLOGY_QUADS_FIELD(Struct, in)                                                   \
    DV_FIELD(Struct, in list[DV_QUADS], "quads", dv_type_quads, .flags = DV_FIELD_AT_LOAD, \
             .help = "quads: 4 points each, around")
#define TOPOLOGY_TETRAHEDRA_FIELD(Struct, in)                                                             \
    DV_FIELD(Struct, in list[DV_TETRAHEDRA], "tetrahedra", dv_type_tetrahedra, .flags = DV_FIELD_AT_LOAD, \
             .help = "tetrahedra: 4 points each", .aliases = (const char *const[]){"tetras", NULL})
#define TOPOLOGY_HEXAHEDRA_FIELD(Struct, in)                                                           \
    DV_FIELD(Struct, in list[DV_HEXAHEDRA], "hexahedra", dv_type_hexahedra, .flags = DV_FIELD_AT_LOAD, \
             .help = "hexahedra: 8 points each, around the bottom, then above them",                   \
             .aliases = (const char *const[]){"hexas", NULL})

/* All fields of MeshTopology. */
#define MESH_TOPOLOGY_FIELDS(Struct, in)                                                                               \
    TOPOLOGY_FILE_FIELD(Struct, in), TOPOLOGY_POSITION_FIELD(Struct, in), TOPOLOGY_EDGES_FIELD(Struct, in),            \
        TOPOLOGY_TRIANGLES_FIELD(Struct, in), TOPOLOGY_QUADS_FIELD(Struct, in), TOPOLOGY_TETRAHEDRA_FIELD(Struct, in), \
        TOPOLOGY_HEXAHEDRA_FIELD(Struct, in),                                                                          \
        DV_FIELD(Struct, in list[DV_PRISMS], "prisms", dv_type_prisms, .flags = DV_FIELD_AT_LOAD,                      \
                 .help = "prisms: 6 points each"),                                                                     \
        DV_FIELD(Struct, in list[DV_PYRAMIDS], "pyramids", dv_type_pyramids, .flags = DV_FIELD_AT_LOAD,                \
                 .help = "pyramids: 5 points each"),                                                                   \
        DV_FIELD(Struct, in texcoords, "uv", dv_type_vec2s, .help = "texture coordinates of the points",               \
                 .aliases = (const char *const[]){"texcoords", NULL}),                                                 \
        DV_FIELD(Struct, in compute_all_buffers, "computeAllBuffers", dv_type_bool, .init = "0",                       \
                 .help = "make all adjacency at init instead of when first needed"),                                   \
        TOPOLOGY_DRAW_FIELD(Struct, in, draw_edges, "drawEdges", "show the edges"),                                    \
        TOPOLOGY_DRAW_FIELD(Struct, in, draw_triangles, "drawTriangles", "show the triangles"),                        \
        TOPOLOGY_DRAW_FIELD(Struct, in, draw_quads, "drawQuads", "show the quads"),                                    \
        TOPOLOGY_DRAW_FIELD(Struct, in, draw_tetrahedra, "drawTetrahedra", "show the tetrahedra"),                     \
        TOPOLOGY_DRAW_FIELD(Struct, in, draw_hexahedra, "drawHexahedra", "show the hexahedra")
#define TOPOLOGY_DRAW_FIELD(Struct, in, member, name, text)                                                           \
    DV_FIELD(Struct, in member, name, dv_type_bool, .init = "0", .flags = DV_FIELD_DRAWING, .group = "Visualization", \
             .help = text)

#endif
