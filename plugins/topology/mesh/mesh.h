/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A mesh as files describe it: the common result of all readers, and what may be done to it before it becomes the
 * fields of a loader. Plain arrays, elements in file order. Readers promise that every index of an element names a
 * position.
 */
#ifndef DIVAN_TOPOLOGY_MESH_H
#define DIVAN_TOPOLOGY_MESH_H

#include <divan/base.h>
#include <divan/data.h>
#include <divan/kit/array.h>
#include <divan/worst.h>

enum { NO_INDEX = -1 };
#define INVALID_INDEX UINT32_MAX

/* Larger files are refused before they are read. */
#define MESH_LARGEST_FILE ((size_t)INT32_MAX)

typedef struct Vec2 {
    double at[2];
} Vec2;
typedef struct Vec3 {
    double at[3];
} Vec3;
typedef struct Edge {
    uint32_t at[2];
} Edge;
typedef struct Triangle {
    uint32_t at[3];
} Triangle;
typedef struct Quad {
    uint32_t at[4];
} Quad;
typedef struct Tetrahedron {
    uint32_t at[4];
} Tetrahedron;
typedef struct Hexahedron {
    uint32_t at[8];
} Hexahedron;
typedef struct Prism {
    uint32_t at[6];
} Prism;
typedef struct Pyramid {
    uint32_t at[5];
} Pyramid;

/* A node in the middle of an edge of a quadratic element: node, edge, 1, 1 (its weights on both ends). */
typedef struct HighOrderEdge {
    uint32_t at[4];
} HighOrderEdge;

/* Lists of different length: list i is value[offset[i]] to value[offset[i + 1]]; there are offset.count - 1 of them,
 * or none when offset is empty. */
typedef struct MeshLists {
    DvIndexArray offset;
    DvIntArray value;
} MeshLists;

/* Elements first .. first + count - 1 of one kind belong together. */
typedef struct MeshGroup {
    uint32_t first, count;
    char *name, *material;
    int32_t material_index; /* NO_INDEX: none */
} MeshGroup;
typedef DV_ARRAY(MeshGroup) MeshGroups;

typedef struct MeshMaterial {
    char *name, *texture, *bump;
    double diffuse[4], ambient[4], specular[4], emissive[4], shininess;
    bool use_diffuse, use_ambient, use_specular, use_emissive, use_shininess;
} MeshMaterial;

/* An array that a file gives a name: `tuples` rows of `components` numbers. */
typedef struct MeshAttribute {
    char *name;
    uint32_t tuples, components;
    bool of_cells, integral;
    double *value;
} MeshAttribute;

typedef enum MeshKind {
    MESH_EDGE,
    MESH_TRIANGLE,
    MESH_QUAD,
    MESH_POLYGON,
    MESH_TETRAHEDRON,
    MESH_HEXAHEDRON,
    MESH_PRISM,
    MESH_PYRAMID,
    MESH_KINDS
} MeshKind;

/* A part that a file gives a name, where somebody asks for one. */
typedef struct MeshParts {
    const char
        *wanted; /* its name, or its number in Gmsh files, or "array=value" of cells in VTK files; NULL: nobody asks */
    DvIndexArray element[MESH_KINDS]; /* numbers of its elements */
    DvIndexArray point;               /* points that the file puts into it by themselves */
    bool found;                       /* the file has it */
    bool searched;                    /* the reader has looked for it */
    bool cut;                         /* faces of more than four corners are cut: groups do not name what they become */
    DvText names;                     /* of all parts of the file, with commas between */
    /* VTK: which cell each element comes from, and how many cells there are. */
    DvIndexArray cell_of[MESH_KINDS];
    uint32_t cells;
} MeshParts;

typedef struct Mesh {
    DV_ARRAY(Vec3) position;
    DV_ARRAY(Vec3) normal;
    DV_ARRAY(Edge) edge;
    DV_ARRAY(Triangle) triangle;
    DV_ARRAY(Quad) quad;
    DV_ARRAY(Tetrahedron) tetrahedron;
    DV_ARRAY(Hexahedron) hexahedron;
    DV_ARRAY(Prism) prism;
    DV_ARRAY(Pyramid) pyramid;
    MeshLists polyline, polygon;
    DV_ARRAY(HighOrderEdge) high_order_edge;
    DvIndexArray
        middle; /* points inside edges, faces and volumes of second-order elements, which are read as linear ones */
    DvIndexArray of_file; /* of each point its number in the file, once some have been dropped; else empty */
    MeshGroups group[MESH_KINDS];
    /* Wavefront OBJ */
    DV_ARRAY(Vec2) texcoord;
    DV_ARRAY(Vec3) position_definition; /* positions, texture coordinates and normals as the file lists them */
    DV_ARRAY(Vec2) texcoord_definition;
    DV_ARRAY(Vec3) normal_definition;
    MeshLists face_position, face_texcoord, face_normal; /* per face and corner; NO_INDEX: none given */
    DvIntArray position_of_vertex;                       /* after seams are split */
    DvIntArray normal_of_vertex;
    DV_ARRAY(MeshMaterial) material;
    uint32_t first_material;  /* 1 + index of the material that the file uses first; 0: none */
    DvIntArray face_material; /* per face: index of the material, or NO_INDEX */
    /* VTK */
    DV_ARRAY(MeshAttribute) attribute;
    MeshParts parts;
} Mesh;

/* What a reader has to say. `error` is one sentence with the line of the file where there is one. */
typedef struct MeshReport {
    char error[256];
    void (*warn)(void *context, const char *text); /* optional */
    void *context;
    uint32_t warnings; /* only the first few reach `warn` */
} MeshReport;

/* A material as it starts: grey, with diffuse and ambient light only. `name` is copied. */
MeshMaterial mesh_material(const char *name, size_t length);

/* Finds and reads a file that a mesh file names; the bytes belong to the caller, who gives them to dv_free. */
typedef bool (*MeshOpen)(void *context, const char *name, char **bytes, size_t *size);

typedef struct MeshOptions {
    bool flip_normals;  /* triangles, quads and polygons in reverse order, as they are read */
    bool triangulate;   /* OBJ: faces of four corners become two triangles */
    bool handle_seams;  /* OBJ: one vertex for each pair of texture coordinate and normal at a position */
    bool load_material; /* OBJ: read the libraries that mtllib names */
    MeshOpen open;      /* OBJ: needed for load_material */
    void *context;
} MeshOptions;

/* Readers: `bytes` need not end with a zero. False: report->error says why, the mesh holds what had been read and must
 * still be freed. Memory and time are in proportion to `size`. */
DV_NODISCARD bool mesh_read_gmsh(const void *bytes, size_t size, Mesh *mesh, MeshReport *report);
DV_NODISCARD bool mesh_read_obj(const void *bytes, size_t size, const MeshOptions *options, Mesh *mesh,
                                MeshReport *report);
DV_NODISCARD bool mesh_read_vtk(const void *bytes, size_t size, const MeshOptions *options, Mesh *mesh,
                                MeshReport *report);
/* The XML variant, which mesh_read_vtk calls when it meets one. */
DV_NODISCARD bool mesh_read_vtk_xml(const char *bytes, size_t size, const MeshOptions *options, Mesh *mesh,
                                    MeshReport *report);

/* Whether the part that is wanted is called like this; lists the name. */
bool mesh_part_is(MeshParts *parts, const char *name, size_t length);
/* The part that is wanted of a file whose reader leaves it to groups (OBJ) or arrays of cells (VTK). */
void mesh_parts_find(Mesh *mesh);
/* VTK: elements that have been added since the last cell come from the next one. */
void mesh_parts_add_cell(Mesh *mesh);
void mesh_parts_free(MeshParts *parts);

typedef struct Sphere {
    double centre[3], radius;
} Sphere;
typedef DV_ARRAY(Sphere) SphereArray;
/* A .sph file. */
DV_NODISCARD bool mesh_read_spheres(const void *bytes, size_t size, SphereArray *spheres, MeshReport *report);

void mesh_free(Mesh *mesh);

/* For readers: `return mesh_fail(report, ...)` sets the error and returns false. */
#define mesh_fail(report, ...) (mesh_set_error((report), __VA_ARGS__), false)
void mesh_set_error(MeshReport *report, const char *format, ...) DV_PRINTF(2, 3);
void mesh_warn(MeshReport *report, const char *format, ...) DV_PRINTF(2, 3);

/* Adding surface elements by the rule of flip_normals. */
void mesh_add_triangle(Mesh *mesh, bool flip, uint32_t a, uint32_t b, uint32_t c);
void mesh_add_quad(Mesh *mesh, bool flip, uint32_t a, uint32_t b, uint32_t c, uint32_t d);
/* n >= 3 corners as triangles (0, j - 1, j). */
void mesh_add_fan(Mesh *mesh, bool flip, const uint32_t *corner, uint32_t count);

void lists_begin(MeshLists *lists); /* opens a list; values pushed from now on belong to it */
void lists_push(MeshLists *lists, int32_t value);
static inline uint32_t lists_count(const MeshLists *lists)
{
    return lists->offset.count ? lists->offset.count - 1 : 0;
}

/* What mesh loaders do after reading, in this order. */
void mesh_triangulate(Mesh *mesh, bool flip);  /* quads become triangles (0,1,2) (0,2,3) */
void mesh_create_subelements(Mesh *mesh);      /* faces of volumes, then edges of faces, where they are missing */
void mesh_keep_attached_positions(Mesh *mesh); /* drops positions that no element uses */
/* Makes one of points that are within a distance of one another, the first of each; drops elements that collapse by it, or become the same
 * as another. */
typedef struct MeshMerge {
    uint32_t points, collapsed, repeated; /* that are no more; elements of the highest dimension alone */
    uint32_t pair[DV_WORST_KEPT][2];      /* the first of these points, and what they have become, by former numbers */
} MeshMerge;
MeshMerge mesh_merge_positions(Mesh *mesh, double within);
/* What was merged, in the words of the field that asked for it. */
void mesh_say_merged(DvData *field, const MeshMerge *merge);
void mesh_loose_middles(Mesh *mesh, DvWorst *loose); /* points in `middle` that no element has as a corner */
void mesh_update_normals(Mesh *mesh);                /* sums of face normals, when there is not one per position */
bool mesh_transform(Mesh *mesh, const double m[16]); /* row-major; false when the last row is not 0 0 0 1 */

/* T R S of a translation, Euler angles in degrees (x applied first) and scales, row-major 4x4. */
void mesh_matrix(const double translation[3], const double rotation[3], const double scale[3], double m[16]);

#endif
