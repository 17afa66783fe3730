/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Lists of values whose type a template names, lists of lists, and fields that are numbered: what engines on any data stand on.
 */
#ifndef DIVAN_KIT_VALUE_LISTS_H
#define DIVAN_KIT_VALUE_LISTS_H

#include <divan/object.h>

DV_BEGIN_DECLS

/* The list of what a template names, "Vec3d" or "vector<Vec3d>": I, i, H, B (whole numbers), d, bool, string, Vec*d, Vec2I, RigidCoord*d,
 * RigidDeriv*d, fixed_array<I,2> (edges) to 8. NULL: no such.     [any] */
DV_PUBLIC const DvType *dv_value_list_type(const char *name);
/* Adds a field of this list to an object, whose template names the type unless `type` is given; the scene's attribute of this name, if any,
 * is in it. For `construct` and `parse`; NULL, which has been reported, when there is such a field already.     [main] */
DV_PUBLIC DvData *dv_value_list_add(DvObject *object, const char *name, const DvType *type, uint32_t flags,
                                    const char *help);

/* What `outStr` of an engine holds: numbers of six digits, texts in quotes between brackets.     [step] */
DV_PUBLIC void dv_value_list_print(DvData *data, DvText *out);

/* Of a list of lists of indices (dv_mesh_type_index_lists), the one that begins at `at`: its entries and their number; returns where the next begins.     [any] */
static inline const int32_t *dv_index_lists_next(const int32_t *at, const int32_t **entries, uint32_t *count)
{
    *count = (uint32_t)at[0];
    *entries = at + 1;
    return at + 1 + at[0];
}

/* Fields of one kind that are numbered from 1: "input1", "input2", ... */
typedef struct DvNumberedFields {
    DvData **at; /* [count]; owned, the fields by the object */
    uint32_t count;
} DvNumberedFields;

enum { DV_NUMBERED_MOST = 1000 }; /* of one kind */
/* So many that the field `number` says (0 and an error above DV_NUMBERED_MOST). For `parse`, when the scene's attributes are there; what
 * the scene gives for them counts. `type` as above.     [main] */
DV_NODISCARD DV_PUBLIC DvStatus dv_numbered_fields_add(DvObject *object, DvNumberedFields *fields, DvData *number,
                                                       const char *name, const DvType *type, uint32_t flags,
                                                       const char *help);
DV_PUBLIC void dv_numbered_fields_free(DvNumberedFields *fields); /* [main] in `destroy` */

DV_END_DECLS
#endif
