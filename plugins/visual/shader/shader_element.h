/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What all have that scenes give to shaders. The struct has the members enable, id and index_shader.
 */
#ifndef DIVAN_SHADER_ELEMENT_H
#define DIVAN_SHADER_ELEMENT_H

#include <divan/contracts/visual.h>

/* The name in the shader: `id`, else that of the object. */
static inline const char *shader_element_name(const DvObject *object, DvData *id)
{
    const char *given = dv_data_string(id);
    return *given ? given : dv_object_name(object);
}

#define SHADER_ELEMENT_FIELDS(Struct)                                                        \
    DV_FIELD(Struct, enable, "enable", dv_type_bool, .init = "1", .flags = DV_FIELD_DRAWING, \
             .help = "whether it is used"),                                                  \
        DV_FIELD(Struct, id, "id", dv_type_string, .flags = DV_FIELD_DRAWING,                \
                 .help = "name in the shader; that of this object by default"),              \
        DV_FIELD_HELD("indexShader", dv_type_uint, .init = "0", .flags = DV_FIELD_DRAWING,   \
                      .help = "kept for old scenes: it holds for every version of the shader")

#endif
