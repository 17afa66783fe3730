/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * OglTexture: a picture for a shader, from a file or from bytes in the scene; OglTexture2D, its old name with another field for the
 * file; OglTexturePointer, which gives the picture of another one another name and unit.
 *
 * Bytes: one for each pixel, or 3 or 4 with 24 or 32 bits, rows from below. A texture without a file and bytes is mid-grey.
 */
#include "shader_element.h"

#include <divan/memory.h>

enum { CUBE_SIDES = 6 };

typedef struct OglTexture {
    DvData enable, id, filename, old_filename, unit, enabled, repeat, linear, mipmaps, srgb, min_lod, max_lod;
    DvData width, height, bits, bytes, sides[CUBE_SIDES];
    double *numbers; /* of the bytes, 0 to 1 */
    size_t capacity;
    uint64_t converted; /* version of what they were made of */
} OglTexture;

static uint32_t channels_of(OglTexture *self)
{
    const uint32_t bits = dv_data_uint(&self->bits);
    return bits >= 32 ? 4 : bits >= 24 ? 3 : 1;
}

static uint64_t version_of_bytes(OglTexture *self)
{
    return dv_data_version(&self->bytes) + dv_data_version(&self->width) + dv_data_version(&self->height) +
           dv_data_version(&self->bits);
}

static void add_bytes(OglTexture *self, DvShaderElement *element)
{
    size_t given;
    const uint32_t *bytes = dv_data_uints(&self->bytes, &given);
    const uint32_t width = dv_data_uint(&self->width), height = dv_data_uint(&self->height);
    const size_t count = (size_t)width * height * channels_of(self);
    if (count == 0 || given < count)
        return;
    if (self->converted != version_of_bytes(self)) {
        if (count > self->capacity) {
            dv_free(self->numbers);
            self->numbers = dv_alloc(count, sizeof *self->numbers);
            self->capacity = count;
        }
        for (size_t i = 0; i < count; i++)
            self->numbers[i] = (bytes[i] < 255 ? bytes[i] : 255) / 255.0;
        self->converted = version_of_bytes(self);
    }
    element->numbers = self->numbers;
    element->columns = width;
    element->rows = height;
    element->count = channels_of(self);
}

/* All sides are given, and their files are there. */
static bool is_cube(OglTexture *self)
{
    for (size_t side = 0; side < CUBE_SIDES; side++)
        if (!dv_data_file(&self->sides[side]))
            return false;
    return true;
}

static bool get(void *self_, DvShaderElement *element)
{
    OglTexture *self = self_;
    element->kind = DV_SHADER_TEXTURE;
    element->name = shader_element_name(dv_object_of(self), &self->id);
    element->text = dv_data_file(&self->filename);
    element->version = dv_data_version(&self->filename) + version_of_bytes(self);
    element->unit = dv_data_uint(&self->unit);
    element->repeats = dv_data_bool(&self->repeat);
    element->sharp = !dv_data_bool(&self->linear);
    element->srgb = dv_data_bool(&self->srgb);
    element->without_mipmaps = !dv_data_bool(&self->mipmaps);
    if (!element->text)
        add_bytes(self, element);
    for (size_t side = 0; is_cube(self) && side < CUBE_SIDES; side++) {
        element->sides[side] = dv_data_file(&self->sides[side]);
        element->version += dv_data_version(&self->sides[side]);
    }
    return dv_data_bool(&self->enable) && dv_data_bool(&self->enabled);
}

static void check_cube(OglTexture *self)
{
    size_t given = 0;
    for (size_t side = 0; side < CUBE_SIDES; side++)
        given += *dv_data_string(&self->sides[side]) != '\0';
    for (size_t side = 0; given > 0 && side < CUBE_SIDES; side++) {
        DvData *field = &self->sides[side];
        if (dv_data_file(field))
            continue;
        if (*dv_data_string(field))
            dv_field_remark(field, -1, "no file '%s'; the texture is no cube", dv_data_string(field));
        else
            dv_field_remark(field, -1, "not given, and a cube has six sides; the texture is none");
        return;
    }
}

static DvStatus init(DvObject *object, void *self_)
{
    OglTexture *self = self_;
    size_t given;
    (void)dv_data_uints(&self->bytes, &given);
    const size_t wanted = (size_t)dv_data_uint(&self->width) * dv_data_uint(&self->height) * channels_of(self);
    if (given < wanted)
        return dv_field_error(&self->bytes, -1, "%zu bytes for %u x %u pixels; give %zu", given,
                              dv_data_uint(&self->width), dv_data_uint(&self->height), wanted);
    if (*dv_data_string(&self->filename) && !dv_data_file(&self->filename))
        dv_field_remark(&self->filename, -1, "no file '%s'; the texture is mid-grey", dv_data_string(&self->filename));
    check_cube(self);
    (void)object;
    return DV_OK;
}

static DvStatus construct_2d(DvObject *object, void *self)
{
    (void)self;
    dv_remark(object, "OglTexture2D is now called OglTexture, and texture2DFilename filename");
    return DV_OK;
}

static DvStatus parse_2d(DvObject *object, void *self_, const DvAttributes *attributes)
{
    OglTexture *self = self_;
    (void)object, (void)attributes;
    if (dv_data_is_set(&self->old_filename) && !dv_data_is_set(&self->filename))
        dv_data_share(&self->filename, &self->old_filename);
    return DV_OK;
}

static void destroy(DvObject *object, void *self)
{
    (void)object;
    dv_free(((OglTexture *)self)->numbers);
}

static const DvRange units = {0, 31, false, false}, pixel_bits = {1, 32, false, false}, side = {0, 16384, false, false};

#define FIELD(member, name, type, ...) DV_FIELD(OglTexture, member, name, type, .flags = DV_FIELD_DRAWING, __VA_ARGS__)
#define SIDE(i, name) \
    FIELD(sides[i], name, dv_type_file, .help = "picture of a side of a cube, upright as seen from inside")
#define TEXTURE_FIELDS                                                                                                 \
    SHADER_ELEMENT_FIELDS(OglTexture),                                                                                 \
        FIELD(filename, "filename", dv_type_file, .help = "the picture",                                               \
              .aliases = (const char *const[]){"textureFilename", NULL}),                                              \
        FIELD(unit, "textureUnit", dv_type_uint, .init = "1", .range = &units, .help = "texture unit"),                \
        FIELD(enabled, "enabled", dv_type_bool, .init = "1", .help = "whether it is used"),                            \
        FIELD(repeat, "repeat", dv_type_bool, .init = "0", .help = "beyond its borders it begins anew"),               \
        FIELD(linear, "linearInterpolation", dv_type_bool, .init = "1", .help = "colours between pixels are blended"), \
        FIELD(mipmaps, "generateMipmaps", dv_type_bool, .init = "1", .help = "smaller copies for what is far away"),   \
        FIELD(srgb, "srgbColorspace", dv_type_bool, .init = "0", .help = "its colours are those of a screen"),         \
        FIELD(min_lod, "minLod", dv_type_double, .init = "-1000", .help = "least level of detail"),                    \
        FIELD(max_lod, "maxLod", dv_type_double, .init = "1000", .help = "largest level of detail"),                   \
        FIELD(width, "proceduralTextureWidth", dv_type_uint, .init = "0", .range = &side, .unit = "pixels",            \
              .help = "width of a picture of bytes"),                                                                  \
        FIELD(height, "proceduralTextureHeight", dv_type_uint, .init = "0", .range = &side, .unit = "pixels",          \
              .help = "height of a picture of bytes"),                                                                 \
        FIELD(bits, "proceduralTextureNbBits", dv_type_uint, .init = "1", .range = &pixel_bits,                        \
              .help = "bits of a pixel: 24 or 32 take three or four bytes, all others one"),                           \
        FIELD(bytes, "proceduralTextureData", dv_type_uints, .help = "the bytes, 0 to 255"),                           \
        SIDE(0, "cubemapFilenamePosX"), SIDE(2, "cubemapFilenamePosY"), SIDE(4, "cubemapFilenamePosZ"),                \
        SIDE(1, "cubemapFilenameNegX"), SIDE(3, "cubemapFilenameNegY"), SIDE(5, "cubemapFilenameNegZ")

static const DvField fields[] = {TEXTURE_FIELDS, {0}};
static const DvField fields_2d[] = {
    TEXTURE_FIELDS, FIELD(old_filename, "texture2DFilename", dv_type_file, .help = "old name of filename"), {0}};

static const DvShaderElementOps ops = {.size = sizeof ops, .get = get};
static const DvContract contracts[] = {{.id = DV_SHADER_ELEMENT, .ops = &ops}, {0}};

const DvClass dv_ogl_texture = {
    .size = sizeof(DvClass),
    .name = "OglTexture",
    .bases = (const char *const[]){"VisualModel", "OglShaderElement", NULL},
    .family = "shaders",
    .module = "Sofa.GL.Component.Shader",
    .help = "A picture for a shader.",
    .instance_size = sizeof(OglTexture),
    .fields = fields,
    .contracts = contracts,
    .init = init,
    .destroy = destroy,
};

const DvClass dv_ogl_texture_2d = {
    .size = sizeof(DvClass),
    .name = "OglTexture2D",
    .bases = (const char *const[]){"OglTexture", "VisualModel", "OglShaderElement", NULL},
    .family = "shaders",
    .module = "Sofa.GL.Component.Shader",
    .help = "A picture for a shader: the old name of OglTexture.",
    .instance_size = sizeof(OglTexture),
    .fields = fields_2d,
    .contracts = contracts,
    .construct = construct_2d,
    .parse = parse_2d,
    .init = init,
    .destroy = destroy,
};

typedef struct OglTexturePointer {
    DvData enable, id, unit, enabled;
    DvLink texture;
} OglTexturePointer;

static bool get_pointed(void *self_, DvShaderElement *element)
{
    OglTexturePointer *self = self_;
    DvObject *texture = dv_link_object(&self->texture);
    if (!texture || !dv_data_bool(&self->enable) || !dv_data_bool(&self->enabled))
        return false;
    (void)get(dv_object_self(texture), element);
    element->name = shader_element_name(dv_object_of(self), &self->id);
    element->unit = dv_data_uint(&self->unit);
    return true;
}

static DvStatus init_pointer(DvObject *object, void *self_)
{
    OglTexturePointer *self = self_;
    const DvObject *texture = dv_link_object(&self->texture);
    if (!texture || !dv_object_is_a(texture, "OglTexture"))
        return dv_error(object, DV_ERROR_MISSING, "oglTexture leads to no OglTexture: write \"@\" and its path");
    return DV_OK;
}

static const DvField pointer_fields[] = {
    SHADER_ELEMENT_FIELDS(OglTexturePointer),
    DV_FIELD(OglTexturePointer, unit, "textureUnit", dv_type_uint, .init = "1", .range = &units,
             .flags = DV_FIELD_DRAWING, .help = "texture unit"),
    DV_FIELD(OglTexturePointer, enabled, "enabled", dv_type_bool, .init = "1", .flags = DV_FIELD_DRAWING,
             .help = "whether it is used"),
    DV_LINK(OglTexturePointer, texture, "oglTexture", DV_SHADER_ELEMENT, .help = "the texture whose picture it gives"),
    {0},
};

static const DvShaderElementOps pointer_ops = {.size = sizeof pointer_ops, .get = get_pointed};

const DvClass dv_ogl_texture_pointer = {
    .size = sizeof(DvClass),
    .name = "OglTexturePointer",
    .bases = (const char *const[]){"VisualModel", "OglShaderElement", NULL},
    .family = "shaders",
    .module = "Sofa.GL.Component.Shader",
    .help = "The picture of another texture under another name.",
    .instance_size = sizeof(OglTexturePointer),
    .fields = pointer_fields,
    .contracts = (const DvContract[]){{.id = DV_SHADER_ELEMENT, .ops = &pointer_ops}, {0}},
    .init = init_pointer,
};
