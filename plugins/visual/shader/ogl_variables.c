/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Values that scenes give to shaders: uniforms (one value, lists, matrices), attributes (a value for each vertex) and macros. One table
 * says what each class holds.
 *
 * Matrices are R x C as GLSL counts, OglMatrix2x3Variable has two columns of three rows; they are written column by column, with
 * `transpose` row by row.
 */
#include "shader_element.h"

#include <divan/memory.h>

typedef struct OglVariable {
    DvData enable, id, index_shader, value, transpose, handle_dynamic_topology;
    const struct Kind *kind;
    double *numbers; /* the value as the shader takes it */
    size_t capacity;
    uint64_t version;
} OglVariable;

typedef struct Kind {
    DvShaderElementKind element;
    uint32_t rows, columns;
    bool one; /* a single value */
} Kind;

/* Types that only these classes need. */
#define TYPE(variable, text, kind, numbers, many)            \
    static const DvType variable = {.size = sizeof(DvType),  \
                                    .name = (text),          \
                                    .scalar = (kind),        \
                                    .components = (numbers), \
                                    .list = (many),          \
                                    .element_size =          \
                                        (numbers) * ((kind) == DV_SCALAR_DOUBLE ? sizeof(double) : sizeof(int32_t))}
TYPE(type_vec4i, "Vec4i", DV_SCALAR_INT, 4, false);
TYPE(type_vec4is, "list of Vec4i", DV_SCALAR_INT, 4, true);
TYPE(type_vec2us, "list of Vec2u", DV_SCALAR_UINT, 2, true);
TYPE(type_vec3us, "list of Vec3u", DV_SCALAR_UINT, 3, true);
TYPE(type_vec4us, "list of Vec4u", DV_SCALAR_UINT, 4, true);
TYPE(type_mat4s, "list of 4 x 4 matrices", DV_SCALAR_DOUBLE, 16, true);

/* How many numbers the field holds, and one of them. */
static size_t numbers_in(OglVariable *self)
{
    (void)dv_data_read(&self->value);
    return self->value.count * self->value.type->components;
}
static double number_at(const OglVariable *self, size_t i)
{
    switch (self->value.type->scalar) {
    case DV_SCALAR_INT:
        return ((const int32_t *)self->value.value)[i];
    case DV_SCALAR_UINT:
        return ((const uint32_t *)self->value.value)[i];
    default:
        return ((const double *)self->value.value)[i];
    }
}

static void update_numbers(OglVariable *self, size_t count)
{
    const uint64_t version = dv_data_version(&self->value) + dv_data_version(&self->transpose);
    if (self->version == version)
        return;
    self->version = version;
    if (count > self->capacity) {
        dv_free(self->numbers);
        self->numbers = dv_alloc(count, sizeof *self->numbers);
        self->capacity = count;
    }
    const size_t rows = self->kind->rows, columns = self->kind->columns, each = rows * columns;
    const bool by_columns = self->kind->element == DV_SHADER_MATRICES && !dv_data_bool(&self->transpose);
    for (size_t i = 0; i < count; i++) {
        const size_t row = i % each / columns, column = i % columns;
        self->numbers[i] = number_at(self, by_columns ? i - i % each + column * rows + row : i);
    }
}

static bool get(void *self_, DvShaderElement *element)
{
    OglVariable *self = self_;
    const size_t each = (size_t)self->kind->rows * self->kind->columns, count = numbers_in(self) / each;
    update_numbers(self, count * each);
    element->kind = self->kind->element;
    element->name = shader_element_name(dv_object_of(self), &self->id);
    element->numbers = self->numbers;
    element->count = (uint32_t)count;
    element->rows = self->kind->rows;
    element->columns = self->kind->columns;
    element->version = self->version;
    return dv_data_bool(&self->enable) && count > 0;
}

static DvStatus init(DvObject *object, void *self_)
{
    OglVariable *self = self_;
    const size_t given = numbers_in(self), each = (size_t)self->kind->rows * self->kind->columns;
    (void)object;
    if (given % each != 0)
        return dv_field_error(&self->value, -1, "%zu numbers; give %zu for each value", given, each);
    return DV_OK;
}

static void destroy(DvObject *object, void *self)
{
    (void)object;
    dv_free(((OglVariable *)self)->numbers);
}

static const DvShaderElementOps ops = {.size = sizeof ops, .get = get};
static const DvContract contracts[] = {{.id = DV_SHADER_ELEMENT, .ops = &ops}, {0}};

#define FIELD(member, name, type, ...) DV_FIELD(OglVariable, member, name, type, .flags = DV_FIELD_DRAWING, __VA_ARGS__)
#define COMMON_FIELDS                  SHADER_ELEMENT_FIELDS(OglVariable)
#define VARIABLE_FIELDS(type) \
    COMMON_FIELDS, FIELD(value, "value", type, .help = "the value", .aliases = (const char *const[]){"values", NULL})
#define MATRIX_FIELDS(type) \
    VARIABLE_FIELDS(type),  \
        FIELD(transpose, "transpose", dv_type_bool, .init = "0", .help = "numbers are written row by row")
#define ATTRIBUTE_FIELDS(type)                                                             \
    COMMON_FIELDS, FIELD(value, "value", type, .help = "a value for each vertex"),         \
        FIELD(handle_dynamic_topology, "handleDynamicTopology", dv_type_bool, .init = "1", \
              .help = "values follow changes of the mesh; those of vertices without values are zero")

#define CLASS(variable, class_name, base, fields_, kind_, text)         \
    static const DvField variable##_fields[] = {fields_, {0}};          \
    static DvStatus variable##_construct(DvObject *object, void *self)  \
    {                                                                   \
        static const Kind kind = kind_;                                 \
        (void)object;                                                   \
        ((OglVariable *)self)->kind = &kind;                            \
        return DV_OK;                                                   \
    }                                                                   \
    const DvClass variable = {                                          \
        .size = sizeof(DvClass),                                        \
        .name = (class_name),                                           \
        .bases = (const char *const[]){base, "OglShaderElement", NULL}, \
        .family = "shaders",                                            \
        .module = "Sofa.GL.Component.Shader",                           \
        .help = (text),                                                 \
        .instance_size = sizeof(OglVariable),                           \
        .fields = variable##_fields,                                    \
        .contracts = contracts,                                         \
        .construct = variable##_construct,                              \
        .init = init,                                                   \
        .destroy = destroy,                                             \
    };

#define KIND(...)   \
    {               \
        __VA_ARGS__ \
    }
#define UNIFORM(variable, name, type, kind, rows, text) \
    CLASS(variable, name, "OglVariable", VARIABLE_FIELDS(type), KIND(kind, rows, 1, true), text)
#define LIST(variable, name, type, kind, rows, text) \
    CLASS(variable, name, "OglVariable", VARIABLE_FIELDS(type), KIND(kind, rows, 1, false), text)
#define MATRIX(variable, name, rows, columns, text)                      \
    CLASS(variable, name, "OglVariable", MATRIX_FIELDS(dv_type_doubles), \
          KIND(DV_SHADER_MATRICES, rows, columns, false), text)
#define ATTRIBUTE(variable, name, type, rows, text) \
    CLASS(variable, name, "OglAttribute", ATTRIBUTE_FIELDS(type), KIND(DV_SHADER_ATTRIBUTE, rows, 1, false), text)

UNIFORM(dv_ogl_float_variable, "OglFloatVariable", dv_type_double, DV_SHADER_FLOATS, 1, "A number for a shader.")
UNIFORM(dv_ogl_float2_variable, "OglFloat2Variable", dv_type_vec2d, DV_SHADER_FLOATS, 2, "Two numbers for a shader.")
UNIFORM(dv_ogl_float3_variable, "OglFloat3Variable", dv_type_vec3d, DV_SHADER_FLOATS, 3, "Three numbers for a shader.")
UNIFORM(dv_ogl_float4_variable, "OglFloat4Variable", dv_type_vec4d, DV_SHADER_FLOATS, 4, "Four numbers for a shader.")
UNIFORM(dv_ogl_int_variable, "OglIntVariable", dv_type_int, DV_SHADER_INTS, 1, "A whole number for a shader.")
UNIFORM(dv_ogl_int2_variable, "OglInt2Variable", dv_type_vec2i, DV_SHADER_INTS, 2, "Two whole numbers for a shader.")
UNIFORM(dv_ogl_int3_variable, "OglInt3Variable", dv_type_vec3i, DV_SHADER_INTS, 3, "Three whole numbers for a shader.")
UNIFORM(dv_ogl_int4_variable, "OglInt4Variable", type_vec4i, DV_SHADER_INTS, 4, "Four whole numbers for a shader.")

LIST(dv_ogl_float_vector_variable, "OglFloatVectorVariable", dv_type_doubles, DV_SHADER_FLOATS, 1,
     "Numbers for a shader.")
LIST(dv_ogl_float_vector2_variable, "OglFloatVector2Variable", dv_type_vec2s, DV_SHADER_FLOATS, 2,
     "Pairs of numbers for a shader.")
LIST(dv_ogl_float_vector3_variable, "OglFloatVector3Variable", dv_type_vec3s, DV_SHADER_FLOATS, 3,
     "Triples of numbers for a shader.")
LIST(dv_ogl_float_vector4_variable, "OglFloatVector4Variable", dv_type_vec4s, DV_SHADER_FLOATS, 4,
     "Numbers for a shader, four by four.")
LIST(dv_ogl_int_vector_variable, "OglIntVectorVariable", dv_type_ints, DV_SHADER_INTS, 1, "Whole numbers for a shader.")
LIST(dv_ogl_int_vector2_variable, "OglIntVector2Variable", dv_type_ints, DV_SHADER_INTS, 2,
     "Pairs of whole numbers for a shader.")
LIST(dv_ogl_int_vector3_variable, "OglIntVector3Variable", dv_type_ints, DV_SHADER_INTS, 3,
     "Triples of whole numbers for a shader.")
LIST(dv_ogl_int_vector4_variable, "OglIntVector4Variable", dv_type_ints, DV_SHADER_INTS, 4,
     "Whole numbers for a shader, four by four.")

MATRIX(dv_ogl_matrix2_variable, "OglMatrix2Variable", 2, 2, "2 x 2 matrices for a shader.")
MATRIX(dv_ogl_matrix3_variable, "OglMatrix3Variable", 3, 3, "3 x 3 matrices for a shader.")
MATRIX(dv_ogl_matrix4_variable, "OglMatrix4Variable", 4, 4, "4 x 4 matrices for a shader.")
MATRIX(dv_ogl_matrix2x3_variable, "OglMatrix2x3Variable", 3, 2, "Matrices of two columns of three for a shader.")
MATRIX(dv_ogl_matrix3x2_variable, "OglMatrix3x2Variable", 2, 3, "Matrices of three columns of two for a shader.")
MATRIX(dv_ogl_matrix2x4_variable, "OglMatrix2x4Variable", 4, 2, "Matrices of two columns of four for a shader.")
MATRIX(dv_ogl_matrix4x2_variable, "OglMatrix4x2Variable", 2, 4, "Matrices of four columns of two for a shader.")
MATRIX(dv_ogl_matrix3x4_variable, "OglMatrix3x4Variable", 4, 3, "Matrices of three columns of four for a shader.")
MATRIX(dv_ogl_matrix4x3_variable, "OglMatrix4x3Variable", 3, 4, "Matrices of four columns of three for a shader.")
CLASS(dv_ogl_matrix4_vector_variable, "OglMatrix4VectorVariable", "OglVariable", MATRIX_FIELDS(type_mat4s),
      KIND(DV_SHADER_MATRICES, 4, 4, false), "4 x 4 matrices for a shader.")

ATTRIBUTE(dv_ogl_float_attribute, "OglFloatAttribute", dv_type_doubles, 1, "A number for each vertex.")
ATTRIBUTE(dv_ogl_float2_attribute, "OglFloat2Attribute", dv_type_vec2s, 2, "Two numbers for each vertex.")
ATTRIBUTE(dv_ogl_float3_attribute, "OglFloat3Attribute", dv_type_vec3s, 3, "Three numbers for each vertex.")
ATTRIBUTE(dv_ogl_float4_attribute, "OglFloat4Attribute", dv_type_vec4s, 4, "Four numbers for each vertex.")
ATTRIBUTE(dv_ogl_int_attribute, "OglIntAttribute", dv_type_ints, 1, "A whole number for each vertex.")
ATTRIBUTE(dv_ogl_int2_attribute, "OglInt2Attribute", dv_type_vec2is, 2, "Two whole numbers for each vertex.")
ATTRIBUTE(dv_ogl_int3_attribute, "OglInt3Attribute", dv_type_vec3is, 3, "Three whole numbers for each vertex.")
ATTRIBUTE(dv_ogl_int4_attribute, "OglInt4Attribute", type_vec4is, 4, "Four whole numbers for each vertex.")
ATTRIBUTE(dv_ogl_uint_attribute, "OglUIntAttribute", dv_type_uints, 1, "A whole number for each vertex.")
ATTRIBUTE(dv_ogl_uint2_attribute, "OglUInt2Attribute", type_vec2us, 2, "Two whole numbers for each vertex.")
ATTRIBUTE(dv_ogl_uint3_attribute, "OglUInt3Attribute", type_vec3us, 3, "Three whole numbers for each vertex.")
ATTRIBUTE(dv_ogl_uint4_attribute, "OglUInt4Attribute", type_vec4us, 4, "Four whole numbers for each vertex.")

/* #define in the shader's files */

typedef struct OglShaderDefineMacro {
    DvData enable, id, index_shader, value;
} OglShaderDefineMacro;

static bool get_macro(void *self_, DvShaderElement *element)
{
    OglShaderDefineMacro *self = self_;
    element->kind = DV_SHADER_MACRO;
    element->name = shader_element_name(dv_object_of(self), &self->id);
    element->text = dv_data_string(&self->value);
    element->version = dv_data_version(&self->value) + dv_data_version(&self->id);
    return dv_data_bool(&self->enable);
}

static const DvField macro_fields[] = {
    SHADER_ELEMENT_FIELDS(OglShaderDefineMacro),
    DV_FIELD(OglShaderDefineMacro, value, "value", dv_type_string, .flags = DV_FIELD_DRAWING,
             .help = "what the name stands for"),
    {0},
};

static const DvShaderElementOps macro_ops = {.size = sizeof macro_ops, .get = get_macro};

const DvClass dv_ogl_shader_define_macro = {
    .size = sizeof(DvClass),
    .name = "OglShaderDefineMacro",
    .bases = (const char *const[]){"OglShaderMacro", "OglShaderElement", NULL},
    .family = "shaders",
    .module = "Sofa.GL.Component.Shader",
    .help = "A name that is defined in a shader.",
    .instance_size = sizeof(OglShaderDefineMacro),
    .fields = macro_fields,
    .contracts = (const DvContract[]){{.id = DV_SHADER_ELEMENT, .ops = &macro_ops}, {0}},
};
