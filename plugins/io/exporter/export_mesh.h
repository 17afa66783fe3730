/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A mesh as it is written, where exporters take it from, and the formats: one function each.
 */
#ifndef DIVAN_IO_EXPORT_MESH_H
#define DIVAN_IO_EXPORT_MESH_H

#include <divan/contracts/state.h>
#include <divan/contracts/topology.h>

/* What is written of a mesh; the arrays belong to others, but `own`. */
typedef struct ExportMesh {
    const char *name; /* of the file as it was asked for: a comment, or the object's name in formats that have one */
    const double *points; /* [point_count] x 3 */
    uint32_t point_count;
    uint32_t first_point; /* of files of several meshes: points before it */
    DvElements elements[DV_ELEMENT_KINDS];
    bool is_surface;                  /* of VTK: PolyData */
    double *own;                      /* points that were made for it */
    uint32_t *kept[DV_ELEMENT_KINDS]; /* elements that were chosen for it */
} ExportMesh;

/* A field over points or cells that goes with it. */
typedef struct ExportArray {
    const char *name;
    DvScalar scalar; /* of `at` */
    uint32_t components;
    size_t tuples;
    const void *at;
} ExportArray;

/* ---- Where it comes from (mesh_source.c) ---- */

typedef struct MeshSource {
    DvStateRef state; /* zeros: none */
    DvTopologyRef topology;
    bool told; /* of elements of points that are not there */
} MeshSource;

/* The state and the topology of the surroundings, or of links (NULL: none). Without topology, with `need`: an error. */
DV_NODISCARD DvStatus mesh_source_find(MeshSource *source, DvObject *object, const DvLink *state,
                                       const DvLink *topology, const char *need);
void mesh_source_release(MeshSource *source);

/* Points: of the field when it holds some, else of the state, else of the topology. Elements: of the kinds that are wanted; edges and faces of
 * elements are made. What names points that are not there is left out, with a warning. To be ended by export_mesh_free. */
void mesh_source_gather(MeshSource *source, DvData *position, const bool wanted[DV_ELEMENT_KINDS], ExportMesh *mesh);
/* The same with the fields below. */
void mesh_source_gather_wanted(MeshSource *source, DvData *position, DvData wanted[DV_ELEMENT_KINDS], ExportMesh *mesh);

/* Which kinds are wanted; `common`: the default of faces, tetrahedra and hexahedra. */
#define EXPORT_WANTED(Struct, kind, name, text, default_) \
    DV_FIELD(Struct, wanted[kind], name, dv_type_bool, .init = default_, .help = "write " text)
#define EXPORT_WANTED_FIELDS(Struct, common)                                   \
    EXPORT_WANTED(Struct, DV_EDGES, "edges", "edges", "1"),                    \
        EXPORT_WANTED(Struct, DV_TRIANGLES, "triangles", "triangles", common), \
        EXPORT_WANTED(Struct, DV_QUADS, "quads", "quads", common),             \
        EXPORT_WANTED(Struct, DV_TETRAHEDRA, "tetras", "tetrahedra", common),  \
        EXPORT_WANTED(Struct, DV_HEXAHEDRA, "hexas", "hexahedra", common),     \
        EXPORT_WANTED(Struct, DV_PRISMS, "prisms", "prisms", "0"),             \
        EXPORT_WANTED(Struct, DV_PYRAMIDS, "pyramids", "pyramids", "0")

/* Leaves out what names points that are not there; how many. */
uint32_t export_mesh_check(ExportMesh *mesh);
void export_mesh_free(ExportMesh *mesh);

uint32_t export_mesh_cells(const ExportMesh *mesh);

/* Cells stand in files in this order. */
extern const DvElementKind export_order[DV_ELEMENT_KINDS];
extern const uint8_t export_vtk_type[DV_ELEMENT_KINDS];

/* ---- Formats. Numbers in text come back the same, but those that a format declares as floats. ---- */

typedef enum VtkEncoding { VTK_ASCII, VTK_RAW, VTK_PACKED } VtkEncoding;

/* Cells as bytes, which are made once for a mesh: offsets and corners of each list, types. */
typedef struct VtkCells {
    bool made;
    uint32_t count[3]; /* of points, lines and faces of PolyData */
    DvText array[6];
} VtkCells;
void vtk_cells_encode(const ExportMesh *mesh, VtkEncoding encoding, VtkCells *cells);
void vtk_cells_free(VtkCells *cells);
void vtk_add_name(DvText *out, const char *name); /* in quotes of tags */

typedef struct VtkText {
    const char *title;       /* of legacy files */
    const char *blank;       /* between parts of legacy files: "" or "\n" */
    const char *indent;      /* of points in XML */
    const char *declaration; /* of XML */
    const char *real;        /* "float" or "double": of points; numbers that no float holds make a file "double" */
    const ExportArray *of_points, *of_cells;
    uint32_t of_points_count, of_cells_count;
    VtkEncoding encoding; /* of XML */
    VtkCells *cells;      /* not with VTK_ASCII: made if they are not yet */
} VtkText;
void write_vtk_legacy(const ExportMesh *mesh, const VtkText *style, DvText *out);
void write_vtk_xml(const ExportMesh *mesh, const VtkText *style, DvText *out);
void write_gmsh(const ExportMesh *mesh, DvText *out);
void write_obj(const ExportMesh *mesh, DvText *out);
void write_netgen(const ExportMesh *mesh, DvText *out);
void write_tetgen_nodes(const ExportMesh *mesh, DvText *out);
void write_tetgen_elements(const ExportMesh *mesh, DvText *out);
void write_tetgen_faces(const ExportMesh *mesh, DvText *out);
void write_stl(const ExportMesh *mesh, bool binary, DvText *out);
void write_ply(const ExportMesh *mesh, DvText *out);

/* How many numbers single precision cannot hold: a file would say infinity. */
uint32_t count_beyond_single(const double *at, size_t count);
/* Whether the points of a mesh are declared as floats. */
bool vtk_is_single(const ExportMesh *mesh, const VtkText *style);

/* One triple, as text. */
void add_point(DvText *out, const double *point, bool single);

#endif
