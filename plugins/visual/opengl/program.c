/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "renderer.h"

#include <string.h>

#include <divan/memory.h>

static const GLenum stages[DV_SHADER_STAGES] = {GL_VERTEX_SHADER, GL_FRAGMENT_SHADER, GL_GEOMETRY_SHADER,
                                                GL_TESS_CONTROL_SHADER, GL_TESS_EVALUATION_SHADER};

/* Lines of what a compiler says, at most this much. */
enum { LOG_BYTES = 2048 };

/* Lines that a shader must begin with, `#version` and `#extension`, stay in front of what is put before it. */
static size_t length_of_head(const char *source)
{
    const char *at = source, *end = source;
    while (*at) {
        const char *line = at + strspn(at, " \t\r");
        const char *next = strchr(at, '\n');
        next = next ? next + 1 : at + strlen(at);
        if (strncmp(line, "#version", 8) == 0 || strncmp(line, "#extension", 10) == 0)
            end = next;
        else if (*line != '\n' && *line != '\0' && strncmp(line, "//", 2) != 0)
            break;
        at = next;
    }
    return (size_t)(end - source);
}

/* Of a text that does not say which version it is. */
static const char *version_of(GLenum stage)
{
    if (stage != GL_TESS_CONTROL_SHADER && stage != GL_TESS_EVALUATION_SHADER)
        return "#version 330 core\n";
    return epoxy_gl_version() >= 40 ? "#version 400 core\n"
                                    : "#version 330 core\n#extension GL_ARB_tessellation_shader : require\n";
}

static GLuint compile(GLenum stage, const char *source, const char *head, const char *ends, DvText *why)
{
    enum { PARTS = 6 };
    const size_t length = length_of_head(source);
    const char *parts[PARTS] = {length ? source : version_of(stage),
                                head,
                                ends ? "#define main dv_scene_main\n" : "",
                                source + length,
                                ends ? "\n#undef main\n" : "",
                                ends ? ends : ""};
    const GLint lengths[PARTS] = {length ? (GLint)length : -1, -1, -1, -1, -1, -1};
    GLuint shader = glCreateShader(stage);
    GLint good = GL_FALSE;
    glShaderSource(shader, PARTS, parts, lengths);
    glCompileShader(shader);
    glGetShaderiv(shader, GL_COMPILE_STATUS, &good);
    if (good)
        return shader;
    char log[LOG_BYTES] = "";
    glGetShaderInfoLog(shader, sizeof log, NULL, log);
    dv_text_add(why, "%s", log[0] ? log : "the compiler does not say why");
    glDeleteShader(shader);
    return 0;
}

GLuint program_compile(const ProgramText *text, DvText *why, int *failed)
{
    static const char *const attributes[OWN_ATTRIBUTES] = {"dv_position", "dv_normal", "dv_texcoord",
                                                           "dv_color",    "dv_from",   "dv_to"};
    GLuint program = glCreateProgram(), shader;
    bool good = true;
    *failed = -1;
    for (int stage = 0; good && stage < DV_SHADER_STAGES; stage++) {
        if (!text->stages[stage])
            continue;
        shader = compile(stages[stage], text->stages[stage], text->head,
                         stage == DV_SHADER_FRAGMENT ? text->ends : NULL, why);
        good = shader != 0;
        if (good) {
            glAttachShader(program, shader);
            glDeleteShader(shader); /* it goes with the program */
        } else {
            *failed = stage;
        }
    }
    for (GLuint i = 0; good && i < OWN_ATTRIBUTES; i++)
        glBindAttribLocation(program, i, attributes[i]);
    if (good) {
        GLint linked = GL_FALSE;
        glBindFragDataLocation(program, 0, "dv_pixel");
        glBindFragDataLocation(program, 1, "dv_weight");
        glLinkProgram(program);
        glGetProgramiv(program, GL_LINK_STATUS, &linked);
        good = linked == GL_TRUE;
        char log[LOG_BYTES] = "";
        if (!good) {
            glGetProgramInfoLog(program, sizeof log, NULL, log);
            dv_text_add(why, "%s", log);
        }
    }
    if (!good) {
        glDeleteProgram(program);
        program = 0;
    }
    return program;
}

void program_find_uniforms(Program *program)
{
    const struct {
        const char *name;
        size_t at;
    } names[] = {
#define UNIFORM(member) {"dv_" #member, offsetof(Uniforms, member)}
        UNIFORM(view),
        UNIFORM(projection),
        UNIFORM(model),
        UNIFORM(normal_matrix),
        UNIFORM(eye),
        UNIFORM(clip_count),
        UNIFORM(clips),
        UNIFORM(ambient),
        UNIFORM(diffuse),
        UNIFORM(specular),
        UNIFORM(emissive),
        UNIFORM(shininess),
        UNIFORM(textured),
        UNIFORM(texture),
        UNIFORM(own_color),
        UNIFORM(colored),
        UNIFORM(lit),
        UNIFORM(flat_normals),
        UNIFORM(thin),
        UNIFORM(key),
        UNIFORM(fill),
        UNIFORM(rim),
        UNIFORM(half_way),
        UNIFORM(light_count),
        UNIFORM(light_color),
        UNIFORM(light_position),
        UNIFORM(light_direction),
        UNIFORM(light_factors),
        UNIFORM(light_shadow),
        UNIFORM(light_matrix),
        UNIFORM(shadow_map),
        UNIFORM(light_extent),
        UNIFORM(scene_ambient),
        UNIFORM(fog),
        UNIFORM(xray),
        UNIFORM(depth_scale),
        UNIFORM(adds),
        UNIFORM(shape),
        UNIFORM(splats),
        UNIFORM(orthographic),
        UNIFORM(depths),
        UNIFORM(stored),
#undef UNIFORM
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        *(GLint *)(void *)((char *)&program->at + names[i].at) = glGetUniformLocation(program->name, names[i].name);
}

/* Programs of our own: that they compile is a matter of the driver. */
static GLuint own(const char *vertex, const char *fragment, const char *head, DvText *why)
{
    const ProgramText text = {.stages = {vertex, fragment}, .head = head};
    int failed;
    return program_compile(&text, why, &failed);
}

static bool find_screen(ScreenProgram *program, GLuint name)
{
    program->name = name;
    program->box = glGetUniformLocation(name, "dv_box");
    program->bottom = glGetUniformLocation(name, "dv_bottom");
    program->top = glGetUniformLocation(name, "dv_top");
    program->textured = glGetUniformLocation(name, "dv_textured");
    program->texture = glGetUniformLocation(name, "dv_texture");
    program->sum = glGetUniformLocation(name, "dv_sum");
    program->weights = glGetUniformLocation(name, "dv_weights");
    program->view = glGetUniformLocation(name, "dv_view");
    program->projection = glGetUniformLocation(name, "dv_projection");
    program->depths = glGetUniformLocation(name, "dv_depths");
    program->stored = glGetUniformLocation(name, "dv_stored");
    program->range = glGetUniformLocation(name, "dv_range");
    return name != 0;
}

static bool make_screen(ScreenProgram *program, const char *fragment, const char *head, DvText *why)
{
    return find_screen(program, own(shader_screen_vertex, fragment, head, why));
}

static bool make_letters(DvRenderer *self, DvText *why)
{
    return find_screen(&self->letters, own(shader_text_vertex, shader_text_fragment, "", why));
}

/* Features that a program lacks, as its shaders are told. */
static void add_head(DvText *head, Pass pass, uint32_t features)
{
    static const char *const names[FEATURES] = {"LIGHT",      "TEXTURE", "FLAT_NORMALS", "SPLATS",    "XRAY",
                                                "HIGHLIGHTS", "FADING",  "SHADOWS",      "FOG",       "MANY_LIGHTS",
                                                "CLIPS",      "THIN",    "COLORS",       "OWN_COLOR", "STUDIO"};
    dv_text_add(head, "%s", pass == PASS_TRANSLUCENT ? "#define TRANSLUCENT\n" : "");
    for (int i = 0; i < FEATURES; i++)
        if (!(features & 1u << i))
            dv_text_add(head, "#define WITHOUT_%s\n", names[i]);
}

static Program *make(DvRenderer *self, ProgramKind kind, Pass pass, uint32_t features, DvText *why)
{
    DvText head = {0};
    add_head(&head, pass, features);
    const GLuint name =
        own(shader_vertex[kind], pass == PASS_SHADOW ? shader_shadow_fragment : shader_fragment, head.at, why);
    dv_text_free(&head);
    if (!name)
        return NULL;
    OwnProgram *made = dv_alloc(1, sizeof *made);
    *made = (OwnProgram){.kind = kind, .pass = pass, .features = features, .program = {.name = name}};
    *(OwnProgram **)list_add(&self->programs, sizeof made) = made;
    program_find_uniforms(&made->program);
    return &made->program;
}

static Program *find(DvRenderer *self, ProgramKind kind, Pass pass, uint32_t features)
{
    OwnProgram *const *known = self->programs.at;
    for (uint32_t i = 0; i < self->programs.count; i++)
        if (known[i]->kind == kind && known[i]->pass == pass && known[i]->features == features)
            return &known[i]->program;
    return NULL;
}

const Program *program_use(DvRenderer *self, ProgramKind kind, Pass pass, uint32_t features)
{
    DvText why = {0};
    if (kind != PROGRAM_SURFACE)
        features |= WITH_COLORS | WITH_OWN_COLOR;
    if (pass == PASS_SHADOW)
        features &= WITH_CLIPS;
    if (!(features & WITH_LIGHT))
        features &= ~(uint32_t)(WITH_HIGHLIGHTS | WITH_FADING | WITH_SHADOWS | WITH_MANY_LIGHTS | WITH_STUDIO);
    Program *program = find(self, kind, pass, features);
    if (!program)
        program = make(self, kind, pass, features, &why);
    if (!program) /* the one that can do all was made at the start */
        program = find(self, kind, pass, pass == PASS_SHADOW ? WITH_CLIPS : WITH_ALL);
    dv_text_free(&why);
    renderer_use(self, program);
    return program;
}

bool program_make_all(DvRenderer *self, DvText *why)
{
    for (int kind = 0; kind < PROGRAM_KINDS; kind++)
        for (int pass = 0; pass < PASSES; pass++)
            if (!make(self, (ProgramKind)kind, (Pass)pass, pass == PASS_SHADOW ? WITH_CLIPS : WITH_ALL, why))
                return false;
    if (!studio_make(&self->studio, why) || !outline_make(&self->outline, why))
        return false;
    return make_screen(&self->background, shader_background_fragment, "#define WITHOUT_TEXTURE\n", why) &&
           make_screen(&self->background_image, shader_background_fragment, "", why) &&
           make_screen(&self->compose, shader_compose_fragment, "", why) &&
           make_screen(&self->depths, shader_depths_fragment, "", why) && make_letters(self, why);
}

void program_free_all(DvRenderer *self)
{
    OwnProgram **known = self->programs.at;
    for (uint32_t i = 0; i < self->programs.count; i++) {
        glDeleteProgram(known[i]->program.name);
        dv_free(known[i]);
    }
    list_free(&self->programs);
    glDeleteProgram(self->background.name);
    glDeleteProgram(self->background_image.name);
    glDeleteProgram(self->compose.name);
    glDeleteProgram(self->depths.name);
    glDeleteProgram(self->letters.name);
}
