/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Materials of a surface: its own, those of its file or of the loader that it takes its faces from, and which faces have which.
 */
#ifndef DIVAN_VISUAL_SURFACE_LOOK_H
#define DIVAN_VISUAL_SURFACE_LOOK_H

#include <divan/contracts/topology.h>
#include <divan/contracts/visual.h>

typedef struct LookPart {
    DvMaterial material;
    char *name, *texture; /* the texture that the material names */
} LookPart;

typedef struct SurfaceLook {
    LookPart *file; /* of the mesh file, [file_count] */
    uint32_t file_count;
    DvSurfaceGroup *file_groups; /* materials counted from 0 among all: file material i is i + 1 */
    uint32_t file_group_count;
    LookPart *parts; /* of the last view: its own first */
    DvMaterial *materials;
    DvSurfaceGroup *groups;
    uint32_t count, group_count;
    uint64_t version, seen[4]; /* of materials and groups; of the fields that they were made from */
} SurfaceLook;

/* The fields that say how a surface looks. */
typedef struct LookFields {
    DvData *material, *materials, *groups, *texture;
} LookFields;

/* Keeps what a mesh says of materials. */
void surface_look_take_mesh(SurfaceLook *look, const DvMeshView *mesh);
/* Fills materials and groups of a view. */
void surface_look_view(SurfaceLook *look, const LookFields *fields, DvSurfaceView *view);
void surface_look_free(SurfaceLook *look);

#endif
