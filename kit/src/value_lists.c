/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Types of lists by the names of templates; numbered fields.
 */
#include <divan/kit/value_lists.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const DvType *dv_value_list_type(const char *name)
{
    static const struct {
        const char *name;
        const DvType *type;
    } types[] = {
        {"B", &dv_type_uints},
        {"H", &dv_type_uints},
        {"I", &dv_type_uints},
        {"i", &dv_type_ints},
        {"d", &dv_type_doubles},
        {"bool", &dv_type_bools},
        {"string", &dv_type_strings},
        {"Vec1d", &dv_type_doubles},
        {"Vec2d", &dv_type_vec2s},
        {"Vec3d", &dv_type_vec3s},
        {"Vec4d", &dv_type_vec4s},
        {"Vec6d", &dv_type_vec6s},
        {"Vec2I", &dv_type_edges},
        {"RigidCoord2d", &dv_type_rigid2s},
        {"RigidCoord3d", &dv_type_rigid3s},
        {"RigidDeriv2d", &dv_type_vec3s},
        {"RigidDeriv3d", &dv_type_vec6s},
        {"fixed_array<I,2>", &dv_type_edges},
        {"fixed_array<I,3>", &dv_type_triangles},
        {"fixed_array<I,4>", &dv_type_quads},
        {"fixed_array<I,8>", &dv_type_hexahedra},
    };
    static const char vector[] = "vector<";
    size_t length = strlen(name);
    if (strncmp(name, vector, sizeof vector - 1) == 0 && name[length - 1] == '>') {
        name += sizeof vector - 1;
        length -= sizeof vector;
    }
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strlen(types[i].name) == length && strncmp(types[i].name, name, length) == 0)
            return types[i].type;
    return NULL;
}

DvData *dv_value_list_add(DvObject *object, const char *name, const DvType *type, uint32_t flags, const char *help)
{
    if (!type)
        type = dv_value_list_type(dv_object_variant(object));
    return dv_object_add_field(
        object, &(DvField){.name = name, .type = type ? type : &dv_type_uints, .flags = flags, .help = help});
}

void dv_value_list_print(DvData *data, DvText *out)
{
    const void *value = dv_data_read(data);
    const size_t count = data->count * data->type->components;
    if (data->type->scalar == DV_SCALAR_STRING) {
        for (size_t i = 0; i < count; i++)
            dv_text_add(out, "%s\"%s\"", i ? ", " : "[", ((char *const *)value)[i]);
        dv_text_add(out, count ? "]" : "[]");
    } else if (data->type->scalar == DV_SCALAR_DOUBLE) {
        for (size_t i = 0; i < count; i++)
            dv_text_add(out, i ? " %.6g" : "%.6g", ((const double *)value)[i]);
    } else {
        dv_data_print(data, out);
    }
}

/* Numbered fields */

DvStatus dv_numbered_fields_add(DvObject *object, DvNumberedFields *fields, DvData *number, const char *name,
                                const DvType *type, uint32_t flags, const char *help)
{
    const double wanted = dv_data_uint(number);
    if (wanted > DV_NUMBERED_MOST)
        return dv_field_error(number, -1, "is %.0f; from 0 to %d can be had", wanted, DV_NUMBERED_MOST);
    fields->count = (uint32_t)wanted;
    fields->at = dv_alloc(fields->count, sizeof(DvData *));
    for (uint32_t i = 0; i < fields->count; i++) {
        char numbered[64];
        (void)snprintf(numbered, sizeof numbered, "%s%" PRIu32, name, i + 1);
        fields->at[i] = dv_value_list_add(object, numbered, type, flags, help);
        if (!fields->at[i])
            return DV_ERROR_INVALID;
    }
    return DV_OK;
}

void dv_numbered_fields_free(DvNumberedFields *fields)
{
    dv_free(fields->at);
    *fields = (DvNumberedFields){0};
}
