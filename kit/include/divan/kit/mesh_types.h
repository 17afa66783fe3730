/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Types of fields that only loaders have.
 */
#ifndef DIVAN_KIT_MESH_TYPES_H
#define DIVAN_KIT_MESH_TYPES_H

#include <divan/type.h>

DV_BEGIN_DECLS

/* Lists of lists of indices, printed as "[[0, 1, 2], [3, 4]]"; the outer brackets may be left out: "[0, 1, 2] [3, 4]". The value is one
 * array of int32_t: for each list its length, then its entries; the same of unsigned numbers, whose entries are uint32_t there. */
DV_PUBLIC extern const DvType dv_mesh_type_index_lists, dv_mesh_type_uint_lists;
/* Likewise of reals: one array of doubles. */
DV_PUBLIC extern const DvType dv_mesh_type_real_lists;

/* Lists of 4, 5, 6 and 8 indices. */
DV_PUBLIC extern const DvType dv_mesh_type_indices_4, dv_mesh_type_indices_5, dv_mesh_type_indices_6,
    dv_mesh_type_indices_8;

/* One 4 x 4 matrix, 16 doubles by rows. */
DV_PUBLIC extern const DvType dv_mesh_type_matrix_4;

enum { DV_MESH_NAME_BYTES = 128 };

/* Consecutive elements that belong together: text "group material materialIndex first count"; a blank in a name is "\\ ", an empty name "_". */
typedef struct DvGroupValue {
    uint32_t first, count;
    int32_t material_index;
    char name[DV_MESH_NAME_BYTES], material[DV_MESH_NAME_BYTES];
} DvGroupValue;
DV_PUBLIC extern const DvType dv_mesh_type_groups;

/* A material: text "name Diffuse use r g b a Ambient ... Specular ... Emissive ... Shininess use value". */
typedef struct DvMaterialValue {
    double diffuse[4], ambient[4], specular[4], emissive[4], shininess;
    int64_t use[5]; /* diffuse, ambient, specular, emissive, shininess: 0 or 1 */
    char name[DV_MESH_NAME_BYTES], texture[2 * DV_MESH_NAME_BYTES], bump[2 * DV_MESH_NAME_BYTES];
} DvMaterialValue;
DV_PUBLIC extern const DvType dv_mesh_type_material, dv_mesh_type_materials;

/* Reads the next name of a group from its text, and moves behind it; false at the end.     [any] */
DV_PUBLIC bool dv_mesh_read_name(const char **text, char *to, size_t size);
/* Copies a name into one of the arrays above, cut if it must be, the rest zero. */
DV_PUBLIC void dv_mesh_set_name(char *to, size_t size, const char *name);

DV_END_DECLS

#endif
