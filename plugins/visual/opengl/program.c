/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "renderer.h"

#include <string.h>

#include <divan/memory.h>

static const GLenum stages[DV_SHADER_STAGES] = {GL_VERTEX_SHADER, GL_FRAGMENT_SHADER, GL_GEOMETRY_SHADER};

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

static GLuint compile(GLenum stage, const char *source, const char *head, DvText *why)
{
    const size_t length = length_of_head(source);
    const char *parts[3] = {length ? source : "#version 330 core\n", head, source + length};
    const GLint lengths[3] = {length ? (GLint)length : -1, -1, -1};
    GLuint shader = glCreateShader(stage);
    GLint good = GL_FALSE;
    glShaderSource(shader, 3, parts, lengths);
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

GLuint program_compile(const char *const sources[DV_SHADER_STAGES], const char *head, DvText *why, int *failed)
{
    static const char *const attributes[OWN_ATTRIBUTES] = {"dv_position", "dv_normal", "dv_texcoord",
                                                           "dv_color",    "dv_from",   "dv_to"};
    GLuint program = glCreateProgram(), shader;
    bool good = true;
    *failed = -1;
    for (int stage = 0; good && stage < DV_SHADER_STAGES; stage++) {
        if (!sources[stage])
            continue;
        shader = compile(stages[stage], sources[stage], head, why);
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
        UNIFORM(faces),
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
#undef UNIFORM
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        *(GLint *)(void *)((char *)&program->at + names[i].at) = glGetUniformLocation(program->name, names[i].name);
}

/* Programs of our own: that they compile is a matter of the driver. */
static GLuint own(const char *vertex, const char *fragment, const char *head, DvText *why)
{
    const char *const sources[DV_SHADER_STAGES] = {vertex, fragment, NULL};
    int failed;
    return program_compile(sources, head, why, &failed);
}

static bool make_screen(ScreenProgram *program, const char *vertex, const char *fragment, DvText *why)
{
    program->name = own(vertex, fragment, "", why);
    if (!program->name)
        return false;
    program->box = glGetUniformLocation(program->name, "dv_box");
    program->bottom = glGetUniformLocation(program->name, "dv_bottom");
    program->top = glGetUniformLocation(program->name, "dv_top");
    program->textured = glGetUniformLocation(program->name, "dv_textured");
    program->texture = glGetUniformLocation(program->name, "dv_texture");
    program->sum = glGetUniformLocation(program->name, "dv_sum");
    program->weights = glGetUniformLocation(program->name, "dv_weights");
    program->view = glGetUniformLocation(program->name, "dv_view");
    program->projection = glGetUniformLocation(program->name, "dv_projection");
    return true;
}

bool program_make_all(DvRenderer *self, DvText *why)
{
    static const char *const heads[PASSES] = {"", "#define TRANSLUCENT\n", ""};
    for (int kind = 0; kind < PROGRAM_KINDS; kind++)
        for (int pass = 0; pass < PASSES; pass++) {
            const char *fragment = pass == PASS_SHADOW ? shader_shadow_fragment : shader_fragment;
            Program *program = &self->programs[kind][pass];
            program->name = own(shader_vertex[kind], fragment, heads[pass], why);
            if (!program->name)
                return false;
            program_find_uniforms(program);
        }
    return make_screen(&self->background, shader_screen_vertex, shader_background_fragment, why) &&
           make_screen(&self->compose, shader_screen_vertex, shader_compose_fragment, why) &&
           make_screen(&self->letters, shader_text_vertex, shader_text_fragment, why);
}

void program_free_all(DvRenderer *self)
{
    for (int kind = 0; kind < PROGRAM_KINDS; kind++)
        for (int pass = 0; pass < PASSES; pass++)
            glDeleteProgram(self->programs[kind][pass].name);
    glDeleteProgram(self->background.name);
    glDeleteProgram(self->compose.name);
    glDeleteProgram(self->letters.name);
}
