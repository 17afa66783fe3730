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

#endif
