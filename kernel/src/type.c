/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Types: the tables of them and of the DOF types, conversion, and which type stands in a place that depends on the DOF type.
 *
 * A type is data (scalar, components, list), so one converter serves all; words/parse.c reads them and words/print.c writes them.
 */
#include "internal.h"

#include <math.h>
#include <string.h>

void dv_core_elements_free(const DvType *type, void *elements, size_t count)
{
    if (type->scalar == DV_SCALAR_STRING)
        for (size_t i = 0; i < count; i++)
            dv_free(((char **)elements)[i]);
    dv_free(elements);
}

double dv_core_get_scalar(DvScalar scalar, const void *values, size_t i)
{
    switch (scalar) {
    case DV_SCALAR_DOUBLE:
        return ((const double *)values)[i];
    case DV_SCALAR_INT:
        return ((const int32_t *)values)[i];
    case DV_SCALAR_UINT:
        return ((const uint32_t *)values)[i];
    default:
        return ((const bool *)values)[i];
    }
}

/* Same layout: a value of one is a value of the other. */
bool dv_private_type_same(const DvType *a, const DvType *b)
{
    return a == b || (a->scalar == b->scalar && a->scalar != DV_SCALAR_OPAQUE && a->components == b->components &&
                      a->list == b->list && a->element_size == b->element_size);
}

static bool is_number(const DvType *type)
{
    return type->scalar != DV_SCALAR_STRING && type->scalar != DV_SCALAR_OPAQUE;
}

bool dv_private_type_converts(const DvType *from, const DvType *to)
{
    if (dv_private_type_same(from, to))
        return true;
    if (is_number(from) && is_number(to)) /* places are no numbers of points */
        return from->scalar != DV_SCALAR_DOUBLE || to->scalar == DV_SCALAR_DOUBLE || from->components == to->components;
    const bool from_text = from->scalar != DV_SCALAR_OPAQUE || from->print;
    const bool to_text = to->scalar != DV_SCALAR_OPAQUE || to->parse;
    return (from->scalar == DV_SCALAR_STRING || to->scalar == DV_SCALAR_STRING) && from_text && to_text;
}

void dv_core_put_scalar(DvScalar scalar, void *values, size_t i, double value)
{
    switch (scalar) {
    case DV_SCALAR_DOUBLE:
        ((double *)values)[i] = value;
        break;
    case DV_SCALAR_INT:
        ((int32_t *)values)[i] = isnan(value) ? 0 : (int32_t)CLAMP(value, INT32_MIN, INT32_MAX);
        break;
    case DV_SCALAR_UINT: /* -1 keeps meaning "none" */
        if (value >= INT32_MIN && value < 0)
            ((uint32_t *)values)[i] = (uint32_t)(int32_t)value;
        else
            ((uint32_t *)values)[i] = isnan(value) ? 0 : (uint32_t)CLAMP(value, 0, UINT32_MAX);
        break;
    default:
        ((bool *)values)[i] = value != 0;
        break;
    }
}

void dv_private_elements_blank(const DvType *type, void *elements, size_t first, size_t count)
{
    char *at = (char *)elements + first * type->element_size;
    if (count == 0)
        return;
    if (!type->blank) {
        memset(at, 0, count * type->element_size);
        return;
    }
    for (size_t i = 0; i < count; i++)
        memcpy(at + i * type->element_size, type->blank, type->element_size);
}

/* Elements of `type` as a copy of old ones, lengthened by blank ones or shortened to `count`. */
void *dv_core_elements_copy(const DvType *type, const void *old, size_t old_count, size_t count)
{
    void *copy = dv_alloc(MAX(count, 1), type->element_size);
    const size_t kept = MIN(count, old_count);
    if (type->scalar == DV_SCALAR_STRING) {
        for (size_t i = 0; i < count; i++)
            ((char **)copy)[i] = dv_strdup(i < kept ? ((char *const *)old)[i] : "");
        return copy;
    }
    if (kept)
        memcpy(copy, old, kept * type->element_size);
    dv_private_elements_blank(type, copy, kept, count - kept);
    return copy;
}

DvStatus dv_private_type_convert(const Words *words, const DvType *from, const void *value, size_t count,
                                 const DvType *to, const void *old, size_t old_count, void **out, size_t *out_count)
{
    if (!is_number(from) || !is_number(to)) {
        *out = dv_core_elements_copy(to, old, old_count, old_count);
        *out_count = old_count;
        return words->convert(from, value, count, to, out, out_count);
    }
    /* A list takes element by element what both have; a fixed value takes scalar by scalar. */
    *out_count = to->list ? count : 1;
    *out = dv_core_elements_copy(to, old, old_count, *out_count);
    const size_t rows = to->list ? count : 1;
    const size_t from_row = to->list ? from->components : count * from->components;
    const size_t both = MIN(from_row, to->components);
    for (size_t row = 0; row < rows; row++)
        for (size_t i = 0; i < both; i++)
            dv_core_put_scalar(to->scalar, *out, row * to->components + i,
                               dv_core_get_scalar(from->scalar, value, row * from_row + i));
    return DV_OK;
}

static const double zeros[6];
static const double identity_quaternion[4] = {0, 0, 0, 1};
static const double identity_rigid3[7] = {0, 0, 0, 0, 0, 0, 1};

#define TYPE(id, label, kind, c_type, number, many, ...)        \
    const DvType id = {.size = sizeof(DvType),                  \
                       .name = label,                           \
                       .scalar = kind,                          \
                       .components = number,                    \
                       .list = many,                            \
                       .element_size = sizeof(c_type) * number, \
                       __VA_ARGS__}

TYPE(dv_type_bool, "bool", DV_SCALAR_BOOL, bool, 1, false, );
TYPE(dv_type_int, "int", DV_SCALAR_INT, int32_t, 1, false, );
TYPE(dv_type_uint, "unsigned int", DV_SCALAR_UINT, uint32_t, 1, false, );
TYPE(dv_type_double, "double", DV_SCALAR_DOUBLE, double, 1, false, );
TYPE(dv_type_string, "string", DV_SCALAR_STRING, char *, 1, false, );
TYPE(dv_type_file, "file name", DV_SCALAR_STRING, char *, 1, false, );
TYPE(dv_type_choice, "choice", DV_SCALAR_STRING, char *, 1, false, );
TYPE(dv_type_link, "link", DV_SCALAR_STRING, char *, 1, false, );
TYPE(dv_type_vec2d, "Vec2d", DV_SCALAR_DOUBLE, double, 2, false, );
TYPE(dv_type_vec3d, "Vec3d", DV_SCALAR_DOUBLE, double, 3, false, );
TYPE(dv_type_vec4d, "Vec4d", DV_SCALAR_DOUBLE, double, 4, false, );
TYPE(dv_type_vec6d, "Vec6d", DV_SCALAR_DOUBLE, double, 6, false, );
TYPE(dv_type_quat, "quaternion", DV_SCALAR_DOUBLE, double, 4, false, .blank = identity_quaternion);
TYPE(dv_type_rigid2d, "Rigid2d", DV_SCALAR_DOUBLE, double, 3, false, );
TYPE(dv_type_rigid3d, "Rigid3d", DV_SCALAR_DOUBLE, double, 7, false, .blank = identity_rigid3);
TYPE(dv_type_vec2i, "Vec2i", DV_SCALAR_INT, int32_t, 2, false, );
TYPE(dv_type_vec3i, "Vec3i", DV_SCALAR_INT, int32_t, 3, false, );
TYPE(dv_type_vec2u, "Vec2u", DV_SCALAR_UINT, uint32_t, 2, false, );
TYPE(dv_type_vec3b, "Vec3b", DV_SCALAR_BOOL, bool, 3, false, );
TYPE(dv_type_box, "box", DV_SCALAR_DOUBLE, double, 6, false, );
TYPE(dv_type_tags, "tags", DV_SCALAR_STRING, char *, 1, true, );

TYPE(dv_type_bools, "list of bool", DV_SCALAR_BOOL, bool, 1, true, );
TYPE(dv_type_ints, "list of int", DV_SCALAR_INT, int32_t, 1, true, );
TYPE(dv_type_uints, "list of unsigned int", DV_SCALAR_UINT, uint32_t, 1, true, );
TYPE(dv_type_doubles, "list of double", DV_SCALAR_DOUBLE, double, 1, true, );
TYPE(dv_type_strings, "list of string", DV_SCALAR_STRING, char *, 1, true, );
TYPE(dv_type_vec2s, "list of Vec2d", DV_SCALAR_DOUBLE, double, 2, true, );
TYPE(dv_type_vec3s, "list of Vec3d", DV_SCALAR_DOUBLE, double, 3, true, );
TYPE(dv_type_vec4s, "list of Vec4d", DV_SCALAR_DOUBLE, double, 4, true, );
TYPE(dv_type_vec6s, "list of Vec6d", DV_SCALAR_DOUBLE, double, 6, true, );
TYPE(dv_type_quats, "list of quaternion", DV_SCALAR_DOUBLE, double, 4, true, .blank = identity_quaternion);
TYPE(dv_type_rigid2s, "list of Rigid2d", DV_SCALAR_DOUBLE, double, 3, true, );
TYPE(dv_type_rigid3s, "list of Rigid3d", DV_SCALAR_DOUBLE, double, 7, true, .blank = identity_rigid3);
TYPE(dv_type_vec2is, "list of Vec2i", DV_SCALAR_INT, int32_t, 2, true, );
TYPE(dv_type_vec3is, "list of Vec3i", DV_SCALAR_INT, int32_t, 3, true, );
TYPE(dv_type_edges, "list of edge", DV_SCALAR_UINT, uint32_t, 2, true, );
TYPE(dv_type_triangles, "list of triangle", DV_SCALAR_UINT, uint32_t, 3, true, );
TYPE(dv_type_quads, "list of quad", DV_SCALAR_UINT, uint32_t, 4, true, );
TYPE(dv_type_tetrahedra, "list of tetrahedron", DV_SCALAR_UINT, uint32_t, 4, true, );
TYPE(dv_type_hexahedra, "list of hexahedron", DV_SCALAR_UINT, uint32_t, 8, true, );
TYPE(dv_type_prisms, "list of prism", DV_SCALAR_UINT, uint32_t, 6, true, );
TYPE(dv_type_pyramids, "list of pyramid", DV_SCALAR_UINT, uint32_t, 5, true, );

/* Places: only their addresses and names matter. */
TYPE(dv_type_coord, "coordinate", DV_SCALAR_OPAQUE, double, 1, false, );
TYPE(dv_type_deriv, "derivative", DV_SCALAR_OPAQUE, double, 1, false, );
TYPE(dv_type_coords, "list of coordinate", DV_SCALAR_OPAQUE, double, 1, true, );
TYPE(dv_type_derivs, "list of derivative", DV_SCALAR_OPAQUE, double, 1, true, );
TYPE(dv_type_coords_out, "list of output coordinate", DV_SCALAR_OPAQUE, double, 1, true, );

const DvDofType dv_vec1d = {sizeof(DvDofType), "Vec1d", 1, 1, 1, false, zeros};
const DvDofType dv_vec2d = {sizeof(DvDofType), "Vec2d", 2, 2, 2, false, zeros};
const DvDofType dv_vec3d = {sizeof(DvDofType), "Vec3d", 3, 3, 3, false, zeros};
const DvDofType dv_vec6d = {sizeof(DvDofType), "Vec6d", 6, 6, 3, false, zeros};
const DvDofType dv_rigid2d = {sizeof(DvDofType), "Rigid2d", 3, 3, 2, true, zeros};
const DvDofType dv_rigid3d = {sizeof(DvDofType), "Rigid3d", 7, 6, 3, true, identity_rigid3};

static const struct {
    const DvDofType *dof;
    const DvType *coord, *deriv, *coords, *derivs;
} places[] = {
    {&dv_vec3d, &dv_type_vec3d, &dv_type_vec3d, &dv_type_vec3s, &dv_type_vec3s}, /* also for what has no DOF type */
    {&dv_vec1d, &dv_type_double, &dv_type_double, &dv_type_doubles, &dv_type_doubles},
    {&dv_vec2d, &dv_type_vec2d, &dv_type_vec2d, &dv_type_vec2s, &dv_type_vec2s},
    {&dv_vec6d, &dv_type_vec6d, &dv_type_vec6d, &dv_type_vec6s, &dv_type_vec6s},
    {&dv_rigid2d, &dv_type_rigid2d, &dv_type_vec3d, &dv_type_rigid2s, &dv_type_vec3s},
    {&dv_rigid3d, &dv_type_rigid3d, &dv_type_vec6d, &dv_type_rigid3s, &dv_type_vec6s},
};

enum { NO_PLACE = G_N_ELEMENTS(places) };

static size_t place_named(const char *dof_name, size_t length)
{
    size_t i = 0;
    while (i < NO_PLACE &&
           (strlen(places[i].dof->name) != length || strncmp(places[i].dof->name, dof_name, length) != 0))
        i++;
    return i;
}

/* Of a DOF type or of a word that a plugin has for one. */
static size_t place_of_word(const char *word, size_t length)
{
    const size_t place = place_named(word, length);
    const char *dof_name = place == NO_PLACE ? dv_core_dof_type_of_word(word, length) : NULL;
    return dof_name ? place_named(dof_name, strlen(dof_name)) : place;
}

static size_t place_of(const char *word, size_t length)
{
    const size_t place = place_of_word(word, length);
    return place == NO_PLACE ? 0 : place;
}

const char *dv_core_dof_type_name(size_t index)
{
    return index < G_N_ELEMENTS(places) ? places[index].dof->name : NULL;
}

const DvDofType *dv_dof_type(const char *name)
{
    const size_t place = place_of_word(name, strlen(name));
    return place == NO_PLACE ? NULL : places[place].dof;
}

const DvType *dv_type_of_coords(const DvDofType *dof)
{
    return places[place_of(dof->name, strlen(dof->name))].coords;
}

const DvType *dv_type_of_derivs(const DvDofType *dof)
{
    return places[place_of(dof->name, strlen(dof->name))].derivs;
}

const DvType *dv_private_type_for(const DvType *declared, const char *variant)
{
    const char *const comma = strrchr(variant, ',');
    const size_t first = place_of(variant, strcspn(variant, ","));
    if (declared == &dv_type_coord)
        return places[first].coord;
    if (declared == &dv_type_deriv)
        return places[first].deriv;
    if (declared == &dv_type_coords)
        return places[first].coords;
    if (declared == &dv_type_derivs)
        return places[first].derivs;
    if (declared == &dv_type_coords_out)
        return places[comma ? place_of(comma + 1, strlen(comma + 1)) : first].coords;
    return declared;
}
