/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A mesh as files describe it: the common result of all readers, and what may be done to it before it becomes the
 * fields of a loader. Plain arrays, elements in file order. Readers promise that every index of an element names a
 * position.
 */
#ifndef DIVAN_KIT_MESH_H
#define DIVAN_KIT_MESH_H

#include <divan/base.h>
#include <divan/data.h>
#include <divan/kit/array.h>
#include <divan/worst.h>

DV_BEGIN_DECLS

enum { DV_MESH_NONE = -1 };
/* Larger files are refused before they are read. */
#define DV_MESH_LARGEST_FILE ((size_t)INT32_MAX)

typedef struct DvPoint2 {
    double at[2];
} DvPoint2;
typedef struct DvPoint3 {
    double at[3];
} DvPoint3;
typedef struct DvEdge {
    uint32_t at[2];
} DvEdge;
typedef struct DvTriangle {
    uint32_t at[3];
} DvTriangle;
typedef struct DvQuad {
    uint32_t at[4];
} DvQuad;
typedef struct DvTetrahedron {
    uint32_t at[4];
} DvTetrahedron;
typedef struct DvHexahedron {
    uint32_t at[8];
} DvHexahedron;
typedef struct DvPrism {
    uint32_t at[6];
} DvPrism;
typedef struct DvPyramid {
    uint32_t at[5];
} DvPyramid;

/* A node in the middle of an edge of a quadratic element: node, edge, 1, 1 (its weights on both ends). */
typedef struct DvHighOrderEdge {
    uint32_t at[4];
} DvHighOrderEdge;

/* Lists of different length: list i is value[offset[i]] to value[offset[i + 1]]; there are offset.count - 1 of them,
 * or none when offset is empty. */
typedef struct DvMeshLists {
    DvIndexArray offset;
    DvIntArray value;
} DvMeshLists;

/* Elements first .. first + count - 1 of one kind belong together. */
typedef struct DvMeshRange {
    uint32_t first, count;
    char *name, *material;
    int32_t material_index; /* DV_MESH_NONE: none */
} DvMeshRange;
typedef DV_ARRAY(DvMeshRange) DvMeshRanges;

typedef struct DvFileMaterial {
    char *name, *texture, *bump;
    double diffuse[4], ambient[4], specular[4], emissive[4], shininess;
    bool use_diffuse, use_ambient, use_specular, use_emissive, use_shininess;
} DvFileMaterial;

/* An array that a file gives a name: `tuples` rows of `components` numbers. */
typedef struct DvMeshAttribute {
    char *name;
    uint32_t tuples, components;
    bool of_cells, integral;
    double *value;
} DvMeshAttribute;

typedef enum DvMeshKind {
    DV_MESH_EDGE,
    DV_MESH_TRIANGLE,
    DV_MESH_QUAD,
    DV_MESH_POLYGON,
    DV_MESH_TETRAHEDRON,
    DV_MESH_HEXAHEDRON,
    DV_MESH_PRISM,
    DV_MESH_PYRAMID,
    DV_MESH_KINDS
} DvMeshKind;

/* A part that a file gives a name, where somebody asks for one. */
typedef struct DvMeshParts {
    const char
        *wanted; /* its name, or its number in Gmsh files, or "array=value" of cells in VTK files; NULL: nobody asks */
    DvIndexArray element[DV_MESH_KINDS]; /* numbers of its elements */
    DvIndexArray point;                  /* points that the file puts into it by themselves */
    bool found;                          /* the file has it */
    bool searched;                       /* the reader has looked for it */
    bool cut;     /* faces of more than four corners are cut: groups do not name what they become */
    DvText names; /* of all parts of the file, with commas between */
    /* VTK: which cell each element comes from, and how many cells there are. */
    DvIndexArray cell_of[DV_MESH_KINDS];
    uint32_t cells;
} DvMeshParts;

typedef struct DvMesh {
    DV_ARRAY(DvPoint3) position;
    DV_ARRAY(DvPoint3) normal;
    DV_ARRAY(DvEdge) edge;
    DV_ARRAY(DvTriangle) triangle;
    DV_ARRAY(DvQuad) quad;
    DV_ARRAY(DvTetrahedron) tetrahedron;
    DV_ARRAY(DvHexahedron) hexahedron;
    DV_ARRAY(DvPrism) prism;
    DV_ARRAY(DvPyramid) pyramid;
    DvMeshLists polyline, polygon;
    DV_ARRAY(DvHighOrderEdge) high_order_edge;
    DvIndexArray
        middle; /* points inside edges, faces and volumes of second-order elements, which are read as linear ones */
    DvIndexArray of_file; /* of each point its number in the file, once some have been dropped; else empty */
    DvMeshRanges group[DV_MESH_KINDS];
    /* Wavefront OBJ */
    DV_ARRAY(DvPoint2) texcoord;
    DV_ARRAY(DvPoint3) position_definition; /* positions, texture coordinates and normals as the file lists them */
    DV_ARRAY(DvPoint2) texcoord_definition;
    DV_ARRAY(DvPoint3) normal_definition;
    DvMeshLists face_position, face_texcoord, face_normal; /* per face and corner; DV_MESH_NONE: none given */
    DvIntArray position_of_vertex;                         /* after seams are split */
    DvIntArray normal_of_vertex;
    DV_ARRAY(DvFileMaterial) material;
    uint32_t first_material;  /* 1 + index of the material that the file uses first; 0: none */
    DvIntArray face_material; /* per face: index of the material, or DV_MESH_NONE */
    /* VTK */
    DV_ARRAY(DvMeshAttribute) attribute;
    DvMeshParts parts;
} DvMesh;

/* What a reader has to say. `error` is one sentence with the line of the file where there is one. */
typedef struct DvMeshReport {
    char error[256];
    void (*warn)(void *context, const char *text); /* optional */
    void *context;
    uint32_t warnings;                               /* only the first few reach `warn` */
    void (*remark)(void *context, const char *text); /* optional: what changes no result */
} DvMeshReport;

/* A material as it starts: grey, with diffuse and ambient light only. `name` is copied. */
DV_PUBLIC DvFileMaterial dv_mesh_material(const char *name, size_t length);

/* Finds and reads a file that a mesh file names; the bytes belong to the caller, who gives them to dv_free. */
typedef bool (*DvMeshOpen)(void *context, const char *name, char **bytes, size_t *size);

typedef struct DvMeshOptions {
    bool flip_normals;  /* triangles, quads and polygons in reverse order, as they are read */
    bool triangulate;   /* OBJ: faces of four corners become two triangles */
    bool handle_seams;  /* OBJ: one vertex for each pair of texture coordinate and normal at a position */
    bool load_material; /* OBJ: read the libraries that mtllib names */
    DvMeshOpen
        open; /* of files that the file names: libraries (OBJ, with load_material), parts (Abaqus, Nastran); NULL: none */
    void *context;
} DvMeshOptions;

/* Readers: `bytes` need not end with a zero. False: report->error says why, the mesh holds what had been read and must
 * still be freed. Memory and time are in proportion to `size`. */
DV_NODISCARD DV_PUBLIC bool dv_mesh_read_gmsh(const void *bytes, size_t size, DvMesh *mesh, DvMeshReport *report);
DV_NODISCARD DV_PUBLIC bool dv_mesh_read_obj(const void *bytes, size_t size, const DvMeshOptions *options, DvMesh *mesh,
                                             DvMeshReport *report);
/* Whether the part that is wanted is called like this; lists the name. */
DV_PUBLIC bool dv_mesh_part_is(DvMeshParts *parts, const char *name, size_t length);
/* The part that is wanted of a file whose reader leaves it to groups (OBJ) or arrays of cells (VTK). */
DV_PUBLIC void dv_mesh_parts_find(DvMesh *mesh);
/* VTK: elements that have been added since the last cell come from the next one. */
DV_PUBLIC void dv_mesh_parts_add_cell(DvMesh *mesh);
DV_PUBLIC void dv_mesh_parts_free(DvMeshParts *parts);

DV_PUBLIC void dv_mesh_free(DvMesh *mesh);

/* For readers: `return dv_mesh_fail(report, ...)` sets the error and returns false. */
#define dv_mesh_fail(report, ...) (dv_mesh_set_error((report), __VA_ARGS__), false)
DV_PUBLIC void dv_mesh_set_error(DvMeshReport *report, const char *format, ...) DV_PRINTF(2, 3);
DV_PUBLIC void dv_mesh_warn(DvMeshReport *report, const char *format, ...) DV_PRINTF(2, 3);
DV_PUBLIC void dv_mesh_remark(DvMeshReport *report, const char *format, ...) DV_PRINTF(2, 3);

/* Adding surface elements by the rule of flip_normals. */
DV_PUBLIC void dv_mesh_add_triangle(DvMesh *mesh, bool flip, uint32_t a, uint32_t b, uint32_t c);
DV_PUBLIC void dv_mesh_add_quad(DvMesh *mesh, bool flip, uint32_t a, uint32_t b, uint32_t c, uint32_t d);
/* n >= 3 corners as triangles (0, j - 1, j). */
DV_PUBLIC void dv_mesh_add_fan(DvMesh *mesh, bool flip, const uint32_t *corner, uint32_t count);

DV_PUBLIC void dv_mesh_lists_begin(DvMeshLists *lists); /* opens a list; values pushed from now on belong to it */
DV_PUBLIC void dv_mesh_lists_push(DvMeshLists *lists, int32_t value);
static inline uint32_t dv_mesh_lists_count(const DvMeshLists *lists)
{
    return lists->offset.count ? lists->offset.count - 1 : 0;
}

/* What mesh loaders do after reading, in this order. */
DV_PUBLIC void dv_mesh_triangulate(DvMesh *mesh, bool flip); /* quads become triangles (0,1,2) (0,2,3) */
DV_PUBLIC void dv_mesh_create_subelements(
    DvMesh *mesh); /* faces of volumes, then edges of faces, where they are missing */
DV_PUBLIC void dv_mesh_keep_attached_positions(DvMesh *mesh); /* drops positions that no element uses */
/* Makes one of points that are within a distance of one another, the first of each; drops elements that collapse by it, or become the same
 * as another. */
typedef struct DvMeshMerge {
    uint32_t points, collapsed, repeated; /* that are no more; elements of the highest dimension alone */
    uint32_t pair[DV_WORST_KEPT][2];      /* the first of these points, and what they have become, by former numbers */
} DvMeshMerge;
DV_PUBLIC DvMeshMerge dv_mesh_merge_positions(DvMesh *mesh, double within);
/* What was merged, in the words of the field that asked for it. */
DV_PUBLIC void dv_mesh_say_merged(DvData *field, const DvMeshMerge *merge);
DV_PUBLIC void dv_mesh_loose_middles(DvMesh *mesh,
                                     DvWorst *loose); /* points in `middle` that no element has as a corner */
DV_PUBLIC void dv_mesh_update_normals(DvMesh *mesh);  /* sums of face normals, when there is not one per position */
DV_PUBLIC bool dv_mesh_transform(DvMesh *mesh,
                                 const double m[16]); /* row-major; false when the last row is not 0 0 0 1 */

/* T R S of a translation, Euler angles in degrees (x applied first) and scales, row-major 4x4. */
DV_PUBLIC void dv_mesh_matrix(const double translation[3], const double rotation[3], const double scale[3],
                              double m[16]);

DV_END_DECLS

#endif
