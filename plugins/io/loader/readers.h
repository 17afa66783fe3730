/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Readers of mesh files beside those of the kit: `bytes` need not end with a zero. False: report->error says why, the mesh holds what had
 * been read and must still be freed. Memory and time are in proportion to `size`.
 */
#ifndef DIVAN_IO_READERS_H
#define DIVAN_IO_READERS_H

#include <divan/kit/mesh.h>

DV_NODISCARD bool mesh_read_vtk(const void *bytes, size_t size, const DvMeshOptions *options, DvMesh *mesh,
                                DvMeshReport *report);
/* The XML variant, which mesh_read_vtk calls when it meets one. */
DV_NODISCARD bool mesh_read_vtk_xml(const char *bytes, size_t size, const DvMeshOptions *options, DvMesh *mesh,
                                    DvMeshReport *report);

typedef struct Sphere {
    double centre[3], radius;
} Sphere;
typedef DV_ARRAY(Sphere) SphereArray;
/* A .sph file. */
DV_NODISCARD bool mesh_read_spheres(const void *bytes, size_t size, SphereArray *spheres, DvMeshReport *report);

/* An element by its corners, in the order of the mesh's own lists; faces by the rule of flip_normals. */
void mesh_add_element(DvMesh *mesh, bool flip, DvMeshKind kind, const uint32_t *at);
uint32_t mesh_element_count(const DvMesh *mesh, DvMeshKind kind);

typedef struct StlOptions {
    bool flip, binary; /* binary whatever the file starts with */
    uint32_t head;     /* bytes before the number of facets */
} StlOptions;
enum { STL_HEAD = 80 };
DV_NODISCARD bool mesh_read_stl(const void *bytes, size_t size, const StlOptions *options, DvMesh *mesh,
                                DvMeshReport *report);

DV_NODISCARD bool mesh_read_off(const void *bytes, size_t size, const DvMeshOptions *options, DvMesh *mesh,
                                DvMeshReport *report);

/* What a trian file says of the border, its corners in the order of the file. */
typedef struct TrianBorder {
    DvIntArray neighbor;   /* 3 of each triangle, -1: none */
    DvMeshLists edge;      /* of the border, two points each */
    DvIndexArray triangle; /* that have such an edge */
} TrianBorder;
/* `second`: the kind with a head and normals. */
DV_NODISCARD bool mesh_read_trian(const void *bytes, size_t size, bool second, bool flip, DvMesh *mesh,
                                  TrianBorder *border, DvMeshReport *report);
void trian_border_free(TrianBorder *border);

DV_NODISCARD bool mesh_read_xsp(const void *bytes, size_t size, DvMesh *mesh, DvMeshReport *report);
DV_NODISCARD bool mesh_read_gid(const void *bytes, size_t size, const DvMeshOptions *options, DvMesh *mesh,
                                DvMeshReport *report);

DV_NODISCARD bool mesh_read_ply(const void *bytes, size_t size, const DvMeshOptions *options, DvMesh *mesh,
                                DvMeshReport *report);
DV_NODISCARD bool mesh_read_abaqus(const void *bytes, size_t size, const DvMeshOptions *options, DvMesh *mesh,
                                   DvMeshReport *report);
DV_NODISCARD bool mesh_read_nastran(const void *bytes, size_t size, const DvMeshOptions *options, DvMesh *mesh,
                                    DvMeshReport *report);

#endif
