/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the two readers of VTK files share: arrays of numbers of many types, and cells becoming elements.
 */
#ifndef DIVAN_TOPOLOGY_VTK_CELLS_H
#define DIVAN_TOPOLOGY_VTK_CELLS_H

#include "readers.h"

typedef enum VtkType {
    VTK_NO_TYPE,
    VTK_BIT,
    VTK_INT8,
    VTK_UINT8,
    VTK_INT16,
    VTK_UINT16,
    VTK_INT32,
    VTK_UINT32,
    VTK_INT64,
    VTK_UINT64,
    VTK_FLOAT,
    VTK_DOUBLE
} VtkType;

/* Bytes of `count` numbers. */
uint64_t vtk_bytes(VtkType type, uint64_t count);
static inline bool vtk_is_integral(VtkType type)
{
    return type < VTK_FLOAT;
}
/* Binary numbers as doubles; integers beyond 2^53 are rounded, no index is that large. */
void vtk_convert(VtkType type, bool swap, const void *bytes, uint32_t count, double *value);

/* VTK's numbers of cell types that are used by name. */
enum { VTK_POLY_LINE = 4, VTK_TRIANGLE_STRIP = 6, VTK_POLYGON = 7 };

/* A type number as files hold it; 255, which is none, for what is no small integer. */
static inline int vtk_cell_type(double number)
{
    return number >= 0 && number < 255 ? (int)number : 255;
}

typedef struct VtkSink {
    DvMesh *mesh;
    DvMeshReport *report;
    bool flip;
    uint32_t base;   /* added to every index: positions of the pieces before */
    uint32_t points; /* of this piece */
    uint32_t cells;  /* so far, for messages */
} VtkSink;

/* Adds one cell. False: a point that is not there, too few points, or an unknown type. */
DV_NODISCARD bool vtk_add_cell(VtkSink *sink, int type, const double *point, uint32_t count);
/* A face of POLYGONS: a quad when it has four corners, else a fan; fewer than three are skipped. */
DV_NODISCARD bool vtk_add_polygon(VtkSink *sink, const double *point, uint32_t count);

/* Takes an array over as a named attribute, or, if it is one, as the normals. Values that are not finite become 0 with
 * a warning. */
void vtk_add_attribute(VtkSink *sink, const char *name, size_t length, bool of_cells, bool normals, bool integral,
                       uint32_t components, double *value, uint32_t count);
/* Adds positions: three numbers each. False: one is not finite. */
DV_NODISCARD bool vtk_add_positions(VtkSink *sink, const double *value, uint32_t count);

#endif
