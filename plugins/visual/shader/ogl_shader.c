/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * OglShader: programs in GLSL that draw the visual models of its node and below; OglShadowShader, by which lights cast shadows, and
 * OglOITShader, by which translucent things are drawn without sorting.
 *
 * Several files of a stage are several versions of the program, chosen by `indexActiveShader`; shorter lists repeat their last file.
 * Lists are written 'a' 'b', ['a','b'] or, without blanks in the names, a b.
 */
#include <string.h>

#include <divan/build.h>
#include <divan/contracts/visual.h>
#include <divan/memory.h>

typedef struct OglShader {
    DvData enable, turn_on, passive, files[DV_SHADER_STAGES];
    DvData geometry_input, geometry_output, geometry_vertices, outer_level, inner_level, active_shader,
        backface_writing, clamp_color;
    char *found[DV_SHADER_STAGES]; /* of the version in use; NULL: not there */
    uint64_t version, found_version;
} OglShader;

/* A list of names in quotes, brackets and commas around and between them. */
static DvStatus parse_names(const DvType *type, const char *text, void **elements, size_t *count, DvText *problem)
{
    static const char between[] = " \t\r\n,[]";
    for (text += strspn(text, between); *text; text += strspn(text, between)) {
        const char quote = *text == '\'' || *text == '"' ? *text : '\0';
        text += quote ? 1 : 0;
        const char *end = quote ? strchr(text, quote) : text + strcspn(text, between);
        if (!end) {
            dv_text_add_quoted(problem, text);
            dv_text_add(problem, " has no second quote: write 'first.vert' 'second.vert'");
            return DV_ERROR_INVALID;
        }
        const size_t length = (size_t)(end - text);
        char *name = dv_alloc(length + 1, 1);
        memcpy(name, text, length);
        memcpy(dv_type_next(type, elements, *count), &name, sizeof name);
        ++*count;
        text = end + (quote ? 1 : 0);
    }
    return DV_OK;
}

static void print_names(const DvType *type, const void *elements, size_t count, DvText *out)
{
    (void)type;
    for (size_t i = 0; i < count; i++) {
        const char *name = ((char *const *)elements)[i];
        const bool plain = *name && !strpbrk(name, " \t\r\n,[]'");
        dv_text_add(out, plain ? "%s%s" : "%s'%s'", i ? " " : "", name);
    }
}

static const DvType type_names = {.size = sizeof(DvType),
                                  .name = "list of file names",
                                  .scalar = DV_SCALAR_STRING,
                                  .components = 1,
                                  .list = true,
                                  .element_size = sizeof(char *),
                                  .parse = parse_names,
                                  .print = print_names};

/* The file of a stage in the version in use; NULL: none is given. */
static const char *name_of(OglShader *self, size_t stage)
{
    size_t count;
    char *const *names = dv_data_strings(&self->files[stage], &count);
    const size_t active = dv_data_uint(&self->active_shader);
    return count ? names[active < count ? active : count - 1] : NULL;
}

static char *folder_of(const DvObject *object)
{
    const char *file = dv_object_file(object, NULL, NULL);
    const char *end = file ? strrchr(file, '/') : NULL;
    char *folder = end ? dv_strdup(file) : NULL;
    if (folder)
        folder[end - file] = '\0';
    return folder;
}

static void find_files(OglShader *self)
{
    uint64_t version = dv_data_version(&self->active_shader);
    for (size_t stage = 0; stage < DV_SHADER_STAGES; stage++)
        version += dv_data_version(&self->files[stage]);
    if (self->version && self->found_version == version)
        return;
    self->found_version = version;
    self->version++;
    char *folder = folder_of(dv_object_of(self));
    for (size_t stage = 0; stage < DV_SHADER_STAGES; stage++) {
        const char *name = name_of(self, stage);
        dv_free(self->found[stage]);
        self->found[stage] = name && *name ? dv_find_file(name, folder) : NULL;
        if (name && *name && !self->found[stage])
            dv_field_remark(&self->files[stage], -1,
                            "no file '%s', neither beside the scene nor in DIVAN_DATA_PATH; the renderer's own shader "
                            "takes its place",
                            name);
    }
    dv_free(folder);
}

static bool get(void *self_, DvShaderView *view)
{
    OglShader *self = self_;
    find_files(self);
    for (size_t stage = 0; stage < DV_SHADER_STAGES; stage++) {
        view->files[stage] = self->found[stage];
        view->names[stage] = name_of(self, stage);
    }
    view->version = self->version;
    view->outer_level = dv_data_double(&self->outer_level);
    view->inner_level = dv_data_double(&self->inner_level);
    view->passive = dv_data_bool(&self->passive);
    return dv_data_bool(&self->enable) && dv_data_bool(&self->turn_on);
}

static DvStatus init(DvObject *object, void *self_)
{
    OglShader *self = self_;
    find_files(self);
    if (name_of(self, DV_SHADER_CONTROL) && !name_of(self, DV_SHADER_EVALUATION))
        dv_remark(object,
                  "fileTessellationControlShaders without fileTessellationEvaluationShaders: surfaces are drawn with "
                  "the triangles that they have");
    return DV_OK;
}

static void destroy(DvObject *object, void *self_)
{
    OglShader *self = self_;
    (void)object;
    for (size_t stage = 0; stage < DV_SHADER_STAGES; stage++)
        dv_free(self->found[stage]);
}

static const DvRange levels = {1, 64, false, false};

#define NAMES(...)                   \
    .aliases = (const char *const[]) \
    {                                \
        __VA_ARGS__, NULL            \
    }
#define FIELD(member, name, type, ...) DV_FIELD(OglShader, member, name, type, .flags = DV_FIELD_DRAWING, __VA_ARGS__)
#define SHADER_FIELDS(vertex_file, fragment_file)                                                                      \
    FIELD(enable, "enable", dv_type_bool, .init = "1", .help = "whether it is used"),                                  \
        FIELD(turn_on, "turnOn", dv_type_bool, .init = "1", .help = "whether it is used"),                             \
        FIELD(passive, "passive", dv_type_bool, .init = "0",                                                           \
              .help = "others start it; it is not started for each model"),                                            \
        FIELD(files[DV_SHADER_VERTEX], "fileVertexShaders", type_names, .init = vertex_file,                           \
              .help = "vertex shader of each version", NAMES("vertFilename", "fileVertexShader")),                     \
        FIELD(files[DV_SHADER_FRAGMENT], "fileFragmentShaders", type_names, .init = fragment_file,                     \
              .help = "fragment shader of each version", NAMES("fragFilename", "fileFragmentShader")),                 \
        FIELD(files[DV_SHADER_GEOMETRY], "fileGeometryShaders", type_names, .help = "geometry shader of each version", \
              NAMES("geoFilename", "fileGeometryShader")),                                                             \
        FIELD(files[DV_SHADER_CONTROL], "fileTessellationControlShaders", type_names,                                  \
              .help = "tessellation control shader of each version",                                                   \
              NAMES("tessellationControlFilename", "fileTessellationControlShader")),                                  \
        FIELD(files[DV_SHADER_EVALUATION], "fileTessellationEvaluationShaders", type_names,                            \
              .help = "tessellation evaluation shader of each version",                                                \
              NAMES("tessellationEvaluationFilename", "fileTessellationEvaluationShader")),                            \
        FIELD(geometry_input, "geometryInputType", dv_type_int, .init = "-1",                                          \
              .help = "primitives the geometry shader takes; -1: as its text says"),                                   \
        FIELD(geometry_output, "geometryOutputType", dv_type_int, .init = "-1",                                        \
              .help = "primitives the geometry shader makes; -1: as its text says"),                                   \
        FIELD(geometry_vertices, "geometryVerticesOut", dv_type_int, .init = "-1",                                     \
              .help = "most vertices the geometry shader makes; -1: as its text says"),                                \
        FIELD(outer_level, "tessellationOuterLevel", dv_type_double, .init = "1", .range = &levels,                    \
              .help = "pieces of each side of a triangle; a control shader has it as dv_outer_level"),                 \
        FIELD(inner_level, "tessellationInnerLevel", dv_type_double, .init = "1", .range = &levels,                    \
              .help = "pieces across a triangle; a control shader has it as dv_inner_level",                           \
              NAMES("tessellationLevel")),                                                                             \
        FIELD(active_shader, "indexActiveShader", dv_type_uint, .init = "0", .help = "version in use"),                \
        FIELD(backface_writing, "backfaceWriting", dv_type_bool, .init = "0",                                          \
              .help = "the shader writes the colour of back faces"),                                                   \
        FIELD(clamp_color, "clampVertexColor", dv_type_bool, .init = "1",                                              \
              .help = "vertex colours are kept between 0 and 1"),                                                      \
    {                                                                                                                  \
        0                                                                                                              \
    }

static const DvField fields[] = {SHADER_FIELDS("'shaders/toonShading.vert'", "'shaders/toonShading.frag'")};
static const DvField own_fields[] = {SHADER_FIELDS("", "")};

static const DvShaderOps ops = {.size = sizeof ops, .get = get};
static const DvContract contracts[] = {{.id = DV_SHADER, .ops = &ops}, {0}};

const DvClass dv_ogl_shader = {
    .size = sizeof(DvClass),
    .name = "OglShader",
    .bases = (const char *const[]){"Shader", "VisualModel", NULL},
    .family = "shaders",
    .module = "Sofa.GL.Component.Shader",
    .help = "A program in GLSL that draws the visual models of its node and below.",
    .instance_size = sizeof(OglShader),
    .fields = fields,
    .contracts = contracts,
    .init = init,
    .destroy = destroy,
};

/* Renderers have programs of their own for these two: they are no shaders of the node's visual models. */

const DvClass dv_ogl_shadow_shader = {
    .size = sizeof(DvClass),
    .name = "OglShadowShader",
    .bases = (const char *const[]){"OglShader", "Shader", "VisualModel", NULL},
    .family = "shaders",
    .module = "Sofa.GL.Component.Shader",
    .help = "The shader by which lights cast shadows; the renderer's own is used.",
    .instance_size = sizeof(OglShader),
    .fields = own_fields,
    .destroy = destroy,
};

const DvClass dv_ogl_oit_shader = {
    .size = sizeof(DvClass),
    .name = "OglOITShader",
    .bases = (const char *const[]){"OglShader", "Shader", "VisualModel", NULL},
    .family = "shaders",
    .module = "Sofa.GL.Component.Shader",
    .help = "The shader by which translucent things are drawn without sorting; the renderer's own is used.",
    .instance_size = sizeof(OglShader),
    .fields = fields,
    .destroy = destroy,
};
