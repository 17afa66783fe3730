/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Types of fields that only loaders have.
 */
#ifndef DIVAN_TOPOLOGY_VALUE_TYPES_H
#define DIVAN_TOPOLOGY_VALUE_TYPES_H

#include <divan/type.h>

/* Lists of lists of indices, printed as "[[0, 1, 2], [3, 4]]". The value is one array of int32_t: for each list its
 * length, then its entries. */
extern const DvType type_index_lists;

/* Lists of 4, 5, 6 and 8 indices. */
extern const DvType type_indices_4, type_indices_5, type_indices_6, type_indices_8;

/* One 4 x 4 matrix, 16 doubles by rows. */
extern const DvType type_matrix_4;

enum { NAME_BYTES = 128 };

/* Consecutive elements that belong together: text "group material materialIndex first count". */
typedef struct GroupValue {
    uint32_t first, count;
    int32_t material_index;
    char name[NAME_BYTES], material[NAME_BYTES];
} GroupValue;
extern const DvType type_groups;

/* A material: text "name Diffuse use r g b a Ambient ... Specular ... Emissive ... Shininess use value". */
typedef struct MaterialValue {
    double diffuse[4], ambient[4], specular[4], emissive[4], shininess;
    int64_t use[5]; /* diffuse, ambient, specular, emissive, shininess: 0 or 1 */
    char name[NAME_BYTES], texture[2 * NAME_BYTES], bump[2 * NAME_BYTES];
} MaterialValue;
extern const DvType type_material, type_materials;

/* Copies a name into one of the arrays above, cut if it must be, the rest zero. */
void value_name(char *to, size_t size, const char *name);

#endif
