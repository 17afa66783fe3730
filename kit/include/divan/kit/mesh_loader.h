/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What all mesh loaders share: their fields, reading when the scene is parsed, and turning the mesh into the fields.
 * Every mesh loader has this struct first in its own.
 */
#ifndef DIVAN_KIT_MESH_LOADER_H
#define DIVAN_KIT_MESH_LOADER_H

#include <divan/contracts/report.h>
#include <divan/contracts/topology.h>
#include <divan/kit/mesh.h>
#include <divan/kit/mesh_materials.h>
#include <divan/kit/mesh_types.h>

DV_BEGIN_DECLS

typedef struct DvMeshLoader {
    DvObject *object;
    DvData filename;
    DvData position, polylines, edges, triangles, quads, polygons, tetrahedra, hexahedra, prisms, pyramids, normals;
    DvData high_order_edge, high_order_triangle, high_order_quad, high_order_tetrahedron, high_order_hexahedron;
    DvData group[DV_MESH_KINDS];
    DvData flip_normals, triangulate, create_subelements, only_attached_points, merge_distance;
    bool said_mirrored;
    uint32_t told; /* faults of the mesh, by bits of DvMeshFault */
    double merged; /* the length of which it has been said what it merges */
    DvData translation, rotation, scale, transformation;
    DvData *texcoords, *position_of_vertex, *normal_of_vertex; /* fields of classes that have them; or NULL */
    DvData **arrays; /* [array_count] of a file of VTK: the field of each of its arrays, NULL where it has none */
    uint32_t array_count;
    DvMeshGroup *groups;       /* of the last view */
    DvMeshMaterials materials; /* likewise */
    char *path;                /* of the file that was read; NULL: none */
    DvMesh mesh;               /* as the file has it */
    /* Reads the bytes of the file. */
    bool (*read)(struct DvMeshLoader *loader, const char *bytes, size_t size, DvMeshReport *report);
    /* Or, of loaders that read no file, makes the mesh from `made_from`, NULL at the end; an error has been reported. */
    DvStatus (*create)(struct DvMeshLoader *loader);
    DvData *made_from[3];
    uint64_t made; /* sum of their versions when the mesh was made */
    /* Optional: further fields of the class from the mesh as it is after everything has been done to it. */
    void (*publish)(struct DvMeshLoader *loader, const DvMesh *mesh);
} DvMeshLoader;

DV_PUBLIC extern const DvLoaderOps dv_mesh_loader_ops;
DV_PUBLIC extern const DvReportOps dv_mesh_loader_report;
/* The contracts of a class of loaders. */
#define DV_MESH_LOADER_CONTRACTS                       \
    {.id = DV_LOADER, .ops = &dv_mesh_loader_ops},     \
    {                                                  \
        .id = DV_REPORT, .ops = &dv_mesh_loader_report \
    }

DV_PUBLIC DvStatus dv_mesh_loader_construct(DvObject *object, void *self);
DV_PUBLIC DvStatus dv_mesh_loader_parse(DvObject *object, void *self, const DvAttributes *attributes);
DV_PUBLIC DvStatus dv_mesh_loader_init(DvObject *object, void *self);
DV_PUBLIC DvStatus dv_mesh_loader_update(DvObject *object, void *self);
DV_PUBLIC void dv_mesh_loader_destroy(DvObject *object, void *self);

/* What all classes of loaders have in their DvClass beside name, help, fields, instance size and construct.
 *
 *   static bool read(DvMeshLoader *loader, const char *bytes, size_t size, DvMeshReport *report) { ... into loader->mesh ... }
 *   static DvStatus construct(DvObject *object, void *self)
 *   {
 *       ((DvMeshLoader *)self)->read = read;
 *       return dv_mesh_loader_construct(object, self);
 *   }
 */
#define DV_MESH_LOADER_CLASS                                                                                        \
    .size = sizeof(DvClass), .bases = (const char *const[]){"MeshLoader", "BaseLoader", NULL}, .family = "loaders", \
    .contracts = (const DvContract[]){DV_MESH_LOADER_CONTRACTS, {0}}, .init = dv_mesh_loader_init,                  \
    .update = dv_mesh_loader_update, .destroy = dv_mesh_loader_destroy

DV_PUBLIC void dv_mesh_loader_set_lists(DvData *data, const DvMeshLists *lists);

#define DV_LOADER_OUT(Struct, member, name, type, text) \
    DV_FIELD(Struct, member, name, type, .flags = DV_FIELD_OUTPUT | DV_FIELD_READ_ONLY, .help = text)
#define DV_LOADER_OUT_ALIAS(Struct, member, name, type, text, ...)                                    \
    DV_FIELD(Struct, member, name, type, .flags = DV_FIELD_OUTPUT | DV_FIELD_READ_ONLY, .help = text, \
             .aliases = (const char *const[]){__VA_ARGS__, NULL})
#define DV_LOADER_OPTION(Struct, member, name, type, start, text) \
    DV_FIELD(Struct, member, name, type, .init = start, .flags = DV_FIELD_INPUT | DV_FIELD_NOT_LINKED, .help = text)
/* All fields of mesh loaders; `in` is the path to the MeshLoader in Struct, with a dot, or nothing. */
#define DV_MESH_LOADER_FIELDS(Struct, in)                                                                              \
    DV_FIELD(Struct, in filename, "filename", dv_type_file, .flags = DV_FIELD_NOT_LINKED | DV_FIELD_AT_LOAD,           \
             .help = "file to load"),                                                                                  \
        DV_FIELD(Struct, in position, "position", dv_type_vec3s, .unit = "m",                                          \
                 .flags = DV_FIELD_OUTPUT | DV_FIELD_READ_ONLY, .help = "positions of the points"),                    \
        DV_LOADER_OUT(Struct, in polylines, "polylines", dv_mesh_type_index_lists, "lines of several points"),         \
        DV_LOADER_OUT(Struct, in edges, "edges", dv_type_edges, "edges"),                                              \
        DV_LOADER_OUT(Struct, in triangles, "triangles", dv_type_triangles, "triangles"),                              \
        DV_LOADER_OUT(Struct, in quads, "quads", dv_type_quads, "quads"),                                              \
        DV_LOADER_OUT(Struct, in polygons, "polygons", dv_mesh_type_index_lists, "faces of more than four points"),    \
        DV_LOADER_OUT(Struct, in high_order_edge, "highOrderEdgePositions", dv_mesh_type_indices_4,                    \
                      "points inside edges: point, edge, two weights"),                                                \
        DV_LOADER_OUT(Struct, in high_order_triangle, "highOrderTrianglePositions", dv_mesh_type_indices_5,            \
                      "points inside triangles: point, triangle, three weights"),                                      \
        DV_LOADER_OUT(Struct, in high_order_quad, "highOrderQuadPositions", dv_mesh_type_indices_6,                    \
                      "points inside quads: point, quad, four weights"),                                               \
        DV_LOADER_OUT_ALIAS(Struct, in tetrahedra, "tetrahedra", dv_type_tetrahedra, "tetrahedra", "tetras"),          \
        DV_LOADER_OUT_ALIAS(Struct, in hexahedra, "hexahedra", dv_type_hexahedra, "hexahedra", "hexas"),               \
        DV_LOADER_OUT_ALIAS(Struct, in prisms, "prisms", dv_type_prisms, "prisms", "pentas", "pentahedra"),            \
        DV_LOADER_OUT(Struct, in high_order_tetrahedron, "highOrderTetrahedronPositions", dv_mesh_type_indices_6,      \
                      "points inside tetrahedra: point, tetrahedron, four weights"),                                   \
        DV_LOADER_OUT(Struct, in high_order_hexahedron, "highOrderHexahedronPositions", dv_mesh_type_indices_8,        \
                      "points inside hexahedra: point, hexahedron, six weights"),                                      \
        DV_LOADER_OUT(Struct, in pyramids, "pyramids", dv_type_pyramids, "pyramids"),                                  \
        DV_LOADER_OUT(Struct, in normals, "normals", dv_type_vec3s, "a normal for each point"),                        \
        DV_LOADER_OUT(Struct, in group[DV_MESH_EDGE], "edgesGroups", dv_mesh_type_groups, "groups of edges"),          \
        DV_LOADER_OUT(Struct, in group[DV_MESH_TRIANGLE], "trianglesGroups", dv_mesh_type_groups,                      \
                      "groups of triangles"),                                                                          \
        DV_LOADER_OUT(Struct, in group[DV_MESH_QUAD], "quadsGroups", dv_mesh_type_groups, "groups of quads"),          \
        DV_LOADER_OUT(Struct, in group[DV_MESH_POLYGON], "polygonsGroups", dv_mesh_type_groups, "groups of polygons"), \
        DV_LOADER_OUT(Struct, in group[DV_MESH_TETRAHEDRON], "tetrahedraGroups", dv_mesh_type_groups,                  \
                      "groups of tetrahedra"),                                                                         \
        DV_LOADER_OUT(Struct, in group[DV_MESH_HEXAHEDRON], "hexahedraGroups", dv_mesh_type_groups,                    \
                      "groups of hexahedra"),                                                                          \
        DV_LOADER_OUT(Struct, in group[DV_MESH_PRISM], "prismsGroups", dv_mesh_type_groups, "groups of prisms"),       \
        DV_LOADER_OUT(Struct, in group[DV_MESH_PYRAMID], "pyramidsGroups", dv_mesh_type_groups, "groups of pyramids"), \
        DV_FIELD(Struct, in flip_normals, "flipNormals", dv_type_bool, .init = "0",                                    \
                 .flags = DV_FIELD_AT_LOAD | DV_FIELD_NOT_LINKED, .help = "reverse the faces as they are read"),       \
        DV_LOADER_OPTION(Struct, in triangulate, "triangulate", dv_type_bool, "0", "cut quads into triangles"),        \
        DV_LOADER_OPTION(Struct, in create_subelements, "createSubelements", dv_type_bool, "0",                        \
                         "add the faces and edges that the file does not list"),                                       \
        DV_LOADER_OPTION(Struct, in only_attached_points, "onlyAttachedPoints", dv_type_bool, "0",                     \
                         "drop points that no element uses, those in the middle of second-order elements among them"), \
        DV_FIELD(Struct, in merge_distance, "mergeDistance", dv_type_double, .init = "0", .unit = "m",                 \
                 .range = &dv_range_not_negative, .flags = DV_FIELD_INPUT | DV_FIELD_NOT_LINKED | DV_FIELD_LENIENT,    \
                 .help = "points that are no farther apart become one, the first of them, after scale3d, rotation "    \
                         "and translation; elements that collapse or are then given twice are left out; 0: none"),     \
        DV_FIELD(Struct, in translation, "translation", dv_type_vec3d, .init = "0 0 0", .unit = "m",                   \
                 .flags = DV_FIELD_INPUT | DV_FIELD_NOT_LINKED, .help = "moves the positions, last"),                  \
        DV_FIELD(Struct, in rotation, "rotation", dv_type_vec3d, .init = "0 0 0", .unit = "degree",                    \
                 .flags = DV_FIELD_INPUT | DV_FIELD_NOT_LINKED, .help = "turns them about x, then y, then z"),         \
        DV_LOADER_OPTION(Struct, in scale, "scale3d", dv_type_vec3d, "1 1 1", "scales the positions, first"),          \
        DV_LOADER_OPTION(Struct, in transformation, "transformation", dv_mesh_type_matrix_4,                           \
                         "1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1",                                                            \
                         "4 x 4, by rows: takes the place of translation, rotation and scale3d")

DV_END_DECLS

#endif
