/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Shaders that scenes bring. A stage that is not given, or whose file is not there, is our own; what it hands on and takes is in
 * docs/rendering.md. For each pass a program is made when it is needed: shadows and translucent things are drawn by the scene's shaders
 * too. It is compiled again when files or macros are others; one that cannot be compiled is told once, and its models are drawn without.
 */
#include "renderer.h"

#include <string.h>

#include <divan/log.h>
#include <divan/memory.h>

enum { FIRST_TEXTURE_UNIT = 8, MOST_TEXTURES = 8 };

struct SceneProgram {
    uint64_t key;
    Program programs[SCENE_PASSES]; /* name 0: it cannot be compiled */
    bool made[SCENE_PASSES], told, told_of_patches;
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
                                                         "fileGeometryShaders", "fileTessellationControlShaders",
                                                         "fileTessellationEvaluationShaders"};
    if (failed >= 0 && shader->names[failed])
        dv_log(DV_LEVEL_ERROR, "%s: %s: '%s' cannot be compiled as GLSL %s; its models are drawn without it:\n%s",
               shader->owner, fields[failed], shader->names[failed], failed >= DV_SHADER_CONTROL ? "4.00" : "3.30",
               why);
    else
        dv_log(DV_LEVEL_ERROR, "%s: its shaders do not fit together; its models are drawn without them:\n%s",
               shader->owner, why);
}

static const char *own_stage(int stage, Pass pass)
{
    if (stage == DV_SHADER_VERTEX)
        return pass == PASS_POST ? shader_post_vertex : shader_vertex[PROGRAM_SURFACE];
    if (stage == DV_SHADER_FRAGMENT)
        return pass == PASS_POST     ? shader_post_fragment
               : pass == PASS_SHADOW ? shader_shadow_fragment
                                     : shader_fragment;
    return NULL;
}

/* The text of the scene's file; where it is not there, ours of that name; NULL: neither. */
static const char *brought_stage(const DvPictureShader *shader, int stage)
{
    const char *name = shader->names[stage];
    return shader->sources[stage] ? shader->sources[stage] : name ? shader_by_name(name) : NULL;
}

/* Whether its triangles are patches, which the driver must have. */
static bool wants_patches(const DvRenderer *self, const DvPictureShader *shader, Pass pass, SceneProgram *made)
{
    const bool wanted = pass != PASS_POST && brought_stage(shader, DV_SHADER_EVALUATION);
    if (!wanted || self->has_tessellation)
        return wanted;
    if (!made->told_of_patches)
        dv_log(
            DV_LEVEL_WARNING,
            "%s: fileTessellationEvaluationShaders: %s has no tessellation (OpenGL 4.0 or ARB_tessellation_shader): surfaces "
            "are drawn with the triangles that they have",
            shader->owner, self->device);
    made->told_of_patches = true;
    return false;
}

static void compile(const DvRenderer *self, const DvPictureShader *shader, const char *macros, Pass pass,
                    SceneProgram *made)
{
    const bool patches = wants_patches(self, shader, pass, made);
    ProgramText text = {0};
    DvText why = {0}, head = {0}, vertex = {0};
    int failed = -1;
    dv_text_add(&vertex, "%s%s", shader_to_patches, shader_vertex[PROGRAM_SURFACE]);
    for (int stage = 0; stage < (patches ? DV_SHADER_STAGES : DV_SHADER_CONTROL); stage++) {
        text.stages[stage] = brought_stage(shader, stage);
        if (pass == PASS_TRANSLUCENT && stage == DV_SHADER_FRAGMENT && text.stages[stage])
            text.ends = shader_translucent_ends;
        if (!text.stages[stage])
            text.stages[stage] = patches && stage == DV_SHADER_VERTEX ? vertex.at : own_stage(stage, pass);
    }
    dv_text_add(&head, "%s%s", pass == PASS_TRANSLUCENT ? "#define TRANSLUCENT\n" : "", macros);
    text.head = head.at;
    Program *program = &made->programs[pass];
    program->name = program_compile(&text, &why, &failed);
    program->patches = patches;
    made->made[pass] = true;
    if (program->name)
        program_find_uniforms(program);
    else if (!made->told)
        complain(shader, failed, why.at ? why.at : "");
    made->told = made->told || !program->name;
    dv_text_free(&vertex);
    dv_text_free(&head);
    dv_text_free(&why);
}

static SceneProgram *scene_program_of(DvRenderer *self, uint64_t key)
{
    SceneProgram *known = self->scene_programs.at;
    for (uint32_t i = 0; i < self->scene_programs.count; i++)
        if (known[i].key == key)
            return &known[i];
    SceneProgram *added = list_add(&self->scene_programs, sizeof *added);
    added->key = key;
    return added;
}

const Program *scene_shader_use(DvRenderer *self, int32_t index, Pass pass)
{
    if (index < 0)
        return NULL;
    const DvPictureShader *shader = &self->picture->shaders[index];
    DvText macros = {0};
    add_macros(shader, &macros);
    const char *head = macros.at ? macros.at : "";
    SceneProgram *found = scene_program_of(self, key_of(shader, head));
    if (!found->made[pass])
        compile(self, shader, head, pass, found);
    dv_text_free(&macros);
    if (!found->programs[pass].name)
        return NULL;
    renderer_use(self, &found->programs[pass]);
    return &found->programs[pass];
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
    if (uniform->sides[0])
        glBindTexture(GL_TEXTURE_CUBE_MAP, texture_of_cube(self, uniform));
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

static void set_levels(const DvPictureShader *shader, GLuint program)
{
    const float outer[4] = {shader->outer_level, shader->outer_level, shader->outer_level, shader->outer_level},
                inner[2] = {shader->inner_level, shader->inner_level};
    glPatchParameteri(GL_PATCH_VERTICES, 3);
    glPatchParameterfv(GL_PATCH_DEFAULT_OUTER_LEVEL, outer);
    glPatchParameterfv(GL_PATCH_DEFAULT_INNER_LEVEL, inner);
    glUniform1f(glGetUniformLocation(program, "dv_outer_level"), shader->outer_level);
    glUniform1f(glGetUniformLocation(program, "dv_inner_level"), shader->inner_level);
}

void scene_shader_bind(DvRenderer *self, int32_t index, const Program *used, GpuSurface *surface, uint32_t vertices)
{
    const DvPictureShader *shader = &self->picture->shaders[index];
    const GLuint program = used->name;
    int unit = FIRST_TEXTURE_UNIT;
    if (used->patches)
        set_levels(shader, program);
    for (uint32_t i = 0; i < shader->uniform_count; i++) {
        const DvPictureUniform *uniform = &shader->uniforms[i];
        if (uniform->kind == DV_SHADER_ATTRIBUTE) {
            if (surface)
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
    const SceneProgram *known = self->scene_programs.at;
    for (uint32_t i = 0; i < self->scene_programs.count; i++)
        for (int pass = 0; pass < SCENE_PASSES; pass++)
            glDeleteProgram(known[i].programs[pass].name);
    list_free(&self->scene_programs);
}
