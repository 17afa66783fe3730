/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Types of values: how a field's value is stored, read from text and printed.
 *
 * A value is an array of `count` elements of `element_size` bytes (count is 1 unless the type is a list). An element is
 * `components` scalars of one kind, so most types are data alone; only types with a syntax of their own bring
 * functions: those of divan/types, and a plugin's own. Text follows the rules of scene files (white space separates, numbers use '.', a prefix may be read and
 * the rest dropped); see docs/scene-files.md.
 */
#ifndef DIVAN_TYPE_H
#define DIVAN_TYPE_H

#include <divan/memory.h>

DV_BEGIN_DECLS

typedef enum DvScalar {
    DV_SCALAR_BOOL,   /* bool */
    DV_SCALAR_INT,    /* int32_t */
    DV_SCALAR_UINT,   /* uint32_t */
    DV_SCALAR_DOUBLE, /* double */
    DV_SCALAR_STRING, /* char *, owned by the value, never NULL once set */
    DV_SCALAR_OPAQUE  /* bytes that only the type's functions understand; copied and compared as they are: no padding */
} DvScalar;

struct DvType {
    uint32_t size;    /* sizeof(DvType) */
    const char *name; /* as messages and `divan info` print it: "Vec3d", "list of Vec3d" */
    DvScalar scalar;
    uint32_t components; /* scalars per element */
    bool list;           /* zero or more elements */
    size_t element_size; /* bytes */
    const void *blank;   /* one element as new ones start, or NULL for zeros */
    /* Optional. parse: value of `text` into *elements (allocate with dv_alloc; the kernel frees) and *count; the
     * elements hold what could be read even when it fails, `problem` why it failed or what was dropped.     [any] */
    DvStatus (*parse)(const DvType *type, const char *text, void **elements, size_t *count, DvText *problem);
    /* Optional. The value as `parse` reads it back, bit for bit.     [any] */
    void (*print)(const DvType *type, const void *elements, size_t count, DvText *out);
};

/* One value. */
DV_PUBLIC extern const DvType dv_type_bool, dv_type_int, dv_type_uint, dv_type_double;
DV_PUBLIC extern const DvType dv_type_string; /* the text as it is */
DV_PUBLIC extern const DvType dv_type_file;   /* a file name, looked up when set: see dv_data_file */
DV_PUBLIC extern const DvType dv_type_choice; /* one of the field's `choices` (strings); a number counts as an index */
DV_PUBLIC extern const DvType dv_type_vec2d, dv_type_vec3d, dv_type_vec4d, dv_type_vec6d, dv_type_quat;
DV_PUBLIC extern const DvType dv_type_rigid2d, dv_type_rigid3d; /* coordinates: 3, 7 doubles */
DV_PUBLIC extern const DvType dv_type_vec2i, dv_type_vec3i, dv_type_vec2u, dv_type_vec3b;
DV_PUBLIC extern const DvType dv_type_box;  /* 6 doubles: smallest corner, largest corner */
DV_PUBLIC extern const DvType dv_type_tags; /* list of strings */

/* Lists. */
DV_PUBLIC extern const DvType dv_type_bools, dv_type_ints, dv_type_uints, dv_type_doubles, dv_type_strings;
DV_PUBLIC extern const DvType dv_type_vec2s, dv_type_vec3s, dv_type_vec4s,
    dv_type_vec6s; /* "vec3s": list of 3 doubles */
DV_PUBLIC extern const DvType dv_type_quats;
DV_PUBLIC extern const DvType dv_type_rigid2s, dv_type_rigid3s; /* coordinates: 3, 7 doubles */
DV_PUBLIC extern const DvType dv_type_vec2is, dv_type_vec3is;
DV_PUBLIC extern const DvType dv_type_edges, dv_type_triangles, dv_type_quads, dv_type_tetrahedra,
    dv_type_hexahedra; /* uint32_t */
DV_PUBLIC extern const DvType dv_type_prisms, dv_type_pyramids;

/* Places in a field table that become a type above when an object is made, by the DOF type of its variant (the first
 * part of the variant, or the last for the *_out ones). */
DV_PUBLIC extern const DvType dv_type_coord, dv_type_deriv, dv_type_coords, dv_type_derivs;
DV_PUBLIC extern const DvType dv_type_coords_out;

/* The list-of-coordinates (derivatives) type of a DOF type.     [any] */
struct DvDofType;
DV_PUBLIC const DvType *dv_type_of_coords(const struct DvDofType *dof);
DV_PUBLIC const DvType *dv_type_of_derivs(const struct DvDofType *dof);

/* Number readers that the types share and that own parsers should use, by the rules of math/decimal.h. They skip white space, read one number, move *text behind it, whatever follows; false leaves
 * *text and *value as they were: no number, or one out of range.     [any] */
DV_PUBLIC bool dv_read_double(const char **text, double *value);
DV_PUBLIC bool dv_read_int(const char **text, int32_t *value);
DV_PUBLIC bool dv_read_uint(const char **text, uint32_t *value);
/* The next white-space separated word into `word` (at most size - 1 bytes); false at the end.     [any] */
DV_PUBLIC bool dv_read_word(const char **text, char *word, size_t size);

/* For own parsers. The start of `text` in quotes, for messages.     [any] */
DV_PUBLIC void dv_text_add_quoted(DvText *problem, const char *text);
/* The end of a value: what follows it, but blanks, is dropped, and `problem` says so. DV_OK.     [any] */
DV_PUBLIC DvStatus dv_read_end(const char *text, DvText *problem);
/* One element more behind `count` of them, zero, in an array that may move and was made by this function alone.     [any] */
static inline void *dv_type_next(const DvType *type, void **elements, size_t count)
{
    const size_t bytes = type->element_size;
    if ((count & (count - 1)) == 0) /* as many as there is room for: a power of two, or none */
        *elements = dv_realloc(*elements, count * bytes, (count ? 2 * count : 1) * bytes);
    return (char *)*elements + count * bytes;
}

DV_END_DECLS
#endif
