/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Shaders that scenes bring. A stage that is not given, or whose file is not there, is our own; what it hands on and takes is in
 * docs/rendering.md. A program is compiled again when its files or macros are others; one that cannot be compiled is told once, and its
 * models are drawn without it.
 */
#include "renderer.h"

#include <string.h>

#include <divan/log.h>
#include <divan/memory.h>

enum { FIRST_TEXTURE_UNIT = 8, MOST_TEXTURES = 8 };

struct SceneProgram {
    uint64_t key;
    Program program; /* name 0: it cannot be compiled */
};

static void add_macros(const DvPictureShader *shader, DvText *head)
{
    for (uint32_t i = 0; i < shader->uniform_count; i++)
        if (shader->uniforms[i].kind == DV_SHADER_MACRO)
            dv_text_add(head, "#define %s %s\n", shader->uniforms[i].name, shader->uniforms[i].text);
}

/* A number for the texts that a program is made of (Fowler, Noll and Vo, FNV-1a). */
static uint64_t hash_text(uint64_t hash, const char *text)
{
    for (; text && *text; text++)
        hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
    return hash * 0x100000001b3u;
}

static uint64_t key_of(const DvPictureShader *shader, const char *macros)
{
    uint64_t hash = 0xcbf29ce484222325u ^ shader->key;
    hash = hash_text(hash, shader->owner);
    return hash_text(hash, macros);
}

static void complain(const DvPictureShader *shader, int failed, const char *why)
{
    static const char *const fields[DV_SHADER_STAGES] = {"fileVertexShaders", "fileFragmentShaders",
                                                         "fileGeometryShaders"};
    if (failed >= 0 && shader->names[failed])
        dv_log(DV_LEVEL_ERROR, "%s: %s: '%s' cannot be compiled as GLSL 3.30; its models are drawn without it:\n%s",
               shader->owner, fields[failed], shader->names[failed], why);
    else
        dv_log(DV_LEVEL_ERROR, "%s: its shaders do not fit together; its models are drawn without them:\n%s",
               shader->owner, why);
}

static void compile(const DvPictureShader *shader, const char *macros, Program *program)
{
    const char *sources[DV_SHADER_STAGES];
    DvText why = {0};
    int failed = -1;
    for (int stage = 0; stage < DV_SHADER_STAGES; stage++)
        sources[stage] = shader->sources[stage];
    if (!sources[DV_SHADER_VERTEX])
        sources[DV_SHADER_VERTEX] = shader_vertex[PROGRAM_SURFACE];
    if (!sources[DV_SHADER_FRAGMENT])
        sources[DV_SHADER_FRAGMENT] = shader_fragment;
    program->name = program_compile(sources, macros, &why, &failed);
    if (program->name)
        program_find_uniforms(program);
    else
        complain(shader, failed, why.at ? why.at : "");
    dv_text_free(&why);
}

static SceneProgram *program_of(DvRenderer *self, const DvPictureShader *shader)
{
    DvText macros = {0};
    add_macros(shader, &macros);
    const char *head = macros.at ? macros.at : "";
    const uint64_t key = key_of(shader, head);
    SceneProgram *known = self->scene_programs.at, *found = NULL;
    for (uint32_t i = 0; i < self->scene_programs.count && !found; i++)
        if (known[i].key == key)
            found = &known[i];
    if (!found) {
        found = list_add(&self->scene_programs, sizeof *found);
        found->key = key;
        compile(shader, head, &found->program);
    }
    dv_text_free(&macros);
    return found;
}

const Program *scene_shader_use(DvRenderer *self, int32_t shader, Pass pass)
{
    if (shader < 0 || pass != PASS_OPAQUE)
        return NULL;
    SceneProgram *found = program_of(self, &self->picture->shaders[shader]);
    if (!found->program.name)
        return NULL;
    renderer_use(self, &found->program);
    return &found->program;
}

static void set_matrices(GLint at, const DvPictureUniform *uniform)
{
    const GLsizei count = (GLsizei)uniform->count;
    /* GLSL counts columns first: a matrix of r rows and c columns is mat<c>x<r>. */
    switch (uniform->rows * 10 + uniform->columns) {
    case 22:
        glUniformMatrix2fv(at, count, GL_TRUE, uniform->numbers);
        break;
    case 33:
        glUniformMatrix3fv(at, count, GL_TRUE, uniform->numbers);
        break;
    case 44:
        glUniformMatrix4fv(at, count, GL_TRUE, uniform->numbers);
        break;
    case 32:
        glUniformMatrix2x3fv(at, count, GL_TRUE, uniform->numbers);
        break;
    case 23:
        glUniformMatrix3x2fv(at, count, GL_TRUE, uniform->numbers);
        break;
    case 42:
        glUniformMatrix2x4fv(at, count, GL_TRUE, uniform->numbers);
        break;
    case 24:
        glUniformMatrix4x2fv(at, count, GL_TRUE, uniform->numbers);
        break;
    case 43:
        glUniformMatrix3x4fv(at, count, GL_TRUE, uniform->numbers);
        break;
    case 34:
        glUniformMatrix4x3fv(at, count, GL_TRUE, uniform->numbers);
        break;
    default:
        break;
    }
}

static void set_floats(GLint at, const DvPictureUniform *uniform)
{
    const GLsizei count = (GLsizei)uniform->count;
    switch (uniform->rows) {
    case 1:
        glUniform1fv(at, count, uniform->numbers);
        break;
    case 2:
        glUniform2fv(at, count, uniform->numbers);
        break;
    case 3:
        glUniform3fv(at, count, uniform->numbers);
        break;
    case 4:
        glUniform4fv(at, count, uniform->numbers);
        break;
    default:
        break;
    }
}

static void set_ints(GLint at, const DvPictureUniform *uniform)
{
    const size_t numbers = (size_t)uniform->count * uniform->rows;
    GLint *whole = dv_alloc(numbers, sizeof *whole);
    const GLsizei count = (GLsizei)uniform->count;
    for (size_t i = 0; i < numbers; i++)
        whole[i] = (GLint)uniform->numbers[i];
    switch (uniform->rows) {
    case 1:
        glUniform1iv(at, count, whole);
        break;
    case 2:
        glUniform2iv(at, count, whole);
        break;
    case 3:
        glUniform3iv(at, count, whole);
        break;
    case 4:
        glUniform4iv(at, count, whole);
        break;
    default:
        break;
    }
    dv_free(whole);
}

static void set_texture(DvRenderer *self, GLint at, const DvPictureUniform *uniform, int unit)
{
    glActiveTexture(GL_TEXTURE0 + (GLenum)unit);
    glBindTexture(GL_TEXTURE_2D, uniform->image ? texture_of(self, uniform->image, uniform->repeats, uniform->sharp,
                                                             uniform->srgb, !uniform->without_mipmaps)
                                                : self->grey);
    glUniform1i(at, unit);
    glActiveTexture(GL_TEXTURE0);
}

static void set_attribute(DvRenderer *self, GLuint program, const DvPictureUniform *uniform, GpuSurface *surface,
                          uint32_t index, uint32_t vertices)
{
    const GLint at = glGetAttribLocation(program, uniform->name);
    if (at < 0 || !uniform->array || uniform->array->count < vertices)
        return;
    while (surface->extra.count <= index)
        (void)list_add(&surface->extra, sizeof(GpuBuffer));
    renderer_buffer(self, GL_ARRAY_BUFFER, (GpuBuffer *)surface->extra.at + index, uniform->array);
    glEnableVertexAttribArray((GLuint)at);
    glVertexAttribPointer((GLuint)at, (GLint)uniform->rows, GL_FLOAT, GL_FALSE, 0, NULL);
}

void scene_shader_bind(DvRenderer *self, int32_t index, GpuSurface *surface, uint32_t vertices)
{
    const DvPictureShader *shader = &self->picture->shaders[index];
    const GLuint program = program_of(self, shader)->program.name;
    int unit = FIRST_TEXTURE_UNIT;
    for (uint32_t i = 0; i < shader->uniform_count; i++) {
        const DvPictureUniform *uniform = &shader->uniforms[i];
        if (uniform->kind == DV_SHADER_ATTRIBUTE) {
            set_attribute(self, program, uniform, surface, i, vertices);
            continue;
        }
        const GLint at = uniform->kind == DV_SHADER_MACRO ? -1 : glGetUniformLocation(program, uniform->name);
        if (at < 0)
            continue;
        if (uniform->kind == DV_SHADER_TEXTURE && unit < FIRST_TEXTURE_UNIT + MOST_TEXTURES)
            set_texture(self, at, uniform, unit++);
        else if (uniform->kind == DV_SHADER_MATRICES)
            set_matrices(at, uniform);
        else if (uniform->kind == DV_SHADER_FLOATS)
            set_floats(at, uniform);
        else if (uniform->kind == DV_SHADER_INTS)
            set_ints(at, uniform);
    }
}

void scene_shaders_free(DvRenderer *self)
{
    const SceneProgram *program = self->scene_programs.at;
    for (uint32_t i = 0; i < self->scene_programs.count; i++)
        glDeleteProgram(program[i].program.name);
    list_free(&self->scene_programs);
}
