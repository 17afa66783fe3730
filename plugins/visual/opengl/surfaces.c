/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Visual models. Buffers stay on the card while the model is in the pictures, and are filled anew when their array is another.
 * Quads are drawn as two triangles; in the frame of wires only the sides of faces are seen.
 */
#include "renderer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <divan/memory.h>

void renderer_buffer(DvRenderer *self, GLenum target, GpuBuffer *buffer, const DvPictureArray *array)
{
    const uint64_t id = array ? array->id : 0;
    if (!array) {
        glDeleteBuffers(1, &buffer->name);
        *buffer = (GpuBuffer){0};
        return;
    }
    if (!buffer->name)
        glGenBuffers(1, &buffer->name);
    glBindBuffer(target, buffer->name);
    if (buffer->id == id)
        return;
    const size_t bytes = (size_t)array->count * array->bytes;
    glBufferData(target, (GLsizeiptr)bytes, array->at, GL_DYNAMIC_DRAW);
    buffer->id = id;
    buffer->bytes = bytes;
    self->stats.uploaded += bytes;
}

static GpuSurface *surface_of(DvRenderer *self, uint64_t key, uint32_t hint)
{
    GpuSurface *known = self->surfaces.at;
    for (uint32_t i = 0; i < self->surfaces.count; i++) {
        GpuSurface *candidate = &known[(hint + i) % self->surfaces.count];
        if (candidate->key == key)
            return candidate;
    }
    GpuSurface *added = list_add(&self->surfaces, sizeof *added);
    added->key = key;
    return added;
}

static void attribute(DvRenderer *self, GLuint at, GpuBuffer *buffer, const DvPictureArray *array, GLint size,
                      GLenum type)
{
    renderer_buffer(self, GL_ARRAY_BUFFER, buffer, array);
    if (!array) {
        glDisableVertexAttribArray(at);
        glVertexAttrib4f(at, 0, 0, 0, 1);
        return;
    }
    glEnableVertexAttribArray(at);
    glVertexAttribPointer(at, size, type, type == GL_UNSIGNED_BYTE, 0, NULL);
}

static uint64_t id_of(const DvPictureArray *array)
{
    return array ? array->id : 0;
}

static uint32_t count_of(const DvPictureArray *array)
{
    return array ? array->count : 0;
}

static void fill_indices(DvRenderer *self, GpuBuffer *buffer, const uint32_t *indices, size_t count)
{
    if (!buffer->name)
        glGenBuffers(1, &buffer->name);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, buffer->name);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)(count * sizeof *indices), indices, GL_STATIC_DRAW);
    self->stats.uploaded += count * sizeof *indices;
}

/* Triangles, then two for each quad. The vertex array is bound. */
static void update_faces(DvRenderer *self, GpuSurface *gpu, const DvPictureSurface *surface)
{
    const uint64_t now[2] = {id_of(surface->triangles), id_of(surface->quads)};
    if (gpu->faces.name && memcmp(now, gpu->face_ids, sizeof now) == 0)
        return;
    memcpy(gpu->face_ids, now, sizeof now);
    gpu->triangles = count_of(surface->triangles);
    gpu->quads = count_of(surface->quads);
    const size_t corners = 3 * (size_t)gpu->triangles, count = corners + 6 * (size_t)gpu->quads;
    uint32_t *indices = dv_alloc(count, sizeof *indices);
    if (corners)
        memcpy(indices, surface->triangles->at, corners * sizeof *indices);
    const uint32_t *quad = gpu->quads ? surface->quads->at : NULL;
    for (size_t i = 0; i < gpu->quads; i++, quad += 4) {
        const uint32_t two[6] = {quad[0], quad[1], quad[2], quad[0], quad[2], quad[3]};
        memcpy(indices + corners + 6 * i, two, sizeof two);
    }
    fill_indices(self, &gpu->faces, indices, count);
    dv_free(indices);
}

static void add_sides(uint32_t **line, const DvPictureArray *faces, uint32_t corners)
{
    const uint32_t *face = faces ? faces->at : NULL;
    for (uint32_t i = 0; i < count_of(faces); i++, face += corners)
        for (uint32_t c = 0; c < corners; c++) {
            *(*line)++ = face[c];
            *(*line)++ = face[(c + 1) % corners];
        }
}

static GLsizei wire_count(const DvPictureSurface *surface)
{
    return (GLsizei)(6 * count_of(surface->triangles) + 8 * count_of(surface->quads));
}

static void update_wires(DvRenderer *self, GpuSurface *gpu, const DvPictureSurface *surface)
{
    const uint64_t now[2] = {id_of(surface->triangles), id_of(surface->quads)};
    if (gpu->wires.name && memcmp(now, gpu->wire_ids, sizeof now) == 0) {
        glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, gpu->wires.name);
        return;
    }
    memcpy(gpu->wire_ids, now, sizeof now);
    const size_t count = (size_t)wire_count(surface);
    uint32_t *lines = dv_alloc(count, sizeof *lines), *line = lines;
    add_sides(&line, surface->triangles, 3);
    add_sides(&line, surface->quads, 4);
    fill_indices(self, &gpu->wires, lines, count);
    dv_free(lines);
}

/* Buffers and vertex arrays as the picture has them; the array of faces stays bound. */
static void update(DvRenderer *self, GpuSurface *gpu, const DvPictureSurface *surface)
{
    if (!gpu->vertex_array)
        glGenVertexArrays(1, &gpu->vertex_array);
    glBindVertexArray(gpu->vertex_array);
    if (gpu->used == self->frame)
        return;
    gpu->used = self->frame;
    attribute(self, AT_POSITION, &gpu->positions, surface->positions, 3, GL_FLOAT);
    attribute(self, AT_NORMAL, &gpu->normals, surface->normals, 3, GL_FLOAT);
    attribute(self, AT_TEXCOORD, &gpu->texcoords, surface->texcoords, 2, GL_FLOAT);
    attribute(self, AT_COLOR, &gpu->colors, surface->colors, 4, GL_UNSIGNED_BYTE);
    update_faces(self, gpu, surface);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, gpu->faces.name);
}

/* How a surface is drawn now. */
typedef struct Look {
    const DvPictureSurface *surface;
    GpuSurface *gpu;
    const Program *program;
    bool wires, points, xray;
    bool masks;     /* only where it is counts */
    bool in_studio; /* colours are linear ones */
} Look;

static void set_material(DvRenderer *self, const Look *look, const DvPictureMaterial *material)
{
    const Uniforms *at = &look->program->at;
    const bool textured = material->texture && look->surface->texcoords && !look->points;
    float ambient[4], diffuse[4], emissive[4];
    const bool linear = look->in_studio && !textured;
    if (linear) {
        studio_ambient(material->ambient, ambient);
        studio_color(material->diffuse, diffuse);
        studio_color(material->emissive, emissive);
    }
    glUniform4fv(at->ambient, 1, linear ? ambient : material->ambient);
    glUniform4fv(at->diffuse, 1, linear ? diffuse : material->diffuse);
    glUniform4fv(at->specular, 1, material->specular);
    glUniform4fv(at->emissive, 1, linear ? emissive : material->emissive);
    glUniform1f(at->shininess, material->shininess);
    glUniform1i(at->textured, textured);
    if (!textured)
        return;
    const DvSurfaceStyle *style = &look->surface->style;
    glActiveTexture(GL_TEXTURE0 + OWN_TEXTURE_UNIT);
    glBindTexture(GL_TEXTURE_2D,
                  texture_of(self, material->texture, !style->repeats_no_texture, false, style->srgb_textures, false));
}

/* Elements [first, first + count) of those drawn with a material. */
static void draw_range(DvRenderer *self, GLenum mode, size_t first, size_t count)
{
    if (!count)
        return;
    glDrawElements(mode, (GLsizei)count, GL_UNSIGNED_INT, (const void *)(uintptr_t)(first * sizeof(uint32_t)));
    self->stats.calls++;
}

static bool is_translucent(const DvPictureMaterial *material)
{
    return material->diffuse[3] < 1 || (material->texture && !material->texture->opaque);
}

/* Materials belong to a pass by their alpha; blended surfaces, shadows and X-rays take all. */
static bool belongs(const Look *look, const DvPictureMaterial *material, Pass pass)
{
    const DvSurfaceStyle *style = &look->surface->style;
    if (look->masks)
        return true;
    if (style->blends || style->on_top)
        return pass != PASS_SHADOW || !is_translucent(material);
    if (look->xray && pass != PASS_SHADOW)
        return pass == PASS_TRANSLUCENT;
    if (look->points)
        return pass == PASS_OPAQUE;
    const bool translucent = is_translucent(material) && !style->blends_not;
    return pass == PASS_TRANSLUCENT ? translucent : !translucent;
}

/* The part of [first, first + count) in groups of another material is left out: `in` are the groups in order of `begin`. */
typedef struct Span {
    uint32_t begin, end, material;
} Span;

static int compare_spans(const void *a, const void *b)
{
    const Span *left = a, *right = b;
    return left->begin < right->begin ? -1 : left->begin > right->begin;
}

static void draw_spans(DvRenderer *self, const Look *look, Pass pass, GLenum mode, Span *spans, uint32_t count,
                       uint32_t total, size_t offset, size_t per_element)
{
    const DvPictureSurface *surface = look->surface;
    uint32_t at = 0;
    if (count)
        qsort(spans, count, sizeof *spans, compare_spans);
    for (uint32_t i = 0; i <= count; i++) {
        const uint32_t begin = i < count && spans[i].begin < total ? spans[i].begin : total;
        const uint32_t end = i < count && spans[i].end < total ? spans[i].end : total;
        if (begin > at && belongs(look, &surface->materials[0], pass)) {
            set_material(self, look, &surface->materials[0]);
            draw_range(self, mode, offset + at * per_element, (begin - at) * per_element);
        }
        const uint32_t material = i < count && spans[i].material < surface->material_count ? spans[i].material : 0;
        if (i < count && end > begin && belongs(look, &surface->materials[material], pass)) {
            set_material(self, look, &surface->materials[material]);
            draw_range(self, mode, offset + begin * per_element, (end - begin) * per_element);
        }
        at = end > at ? end : at;
    }
}

static void draw_faces(DvRenderer *self, const Look *look, Pass pass)
{
    const DvPictureSurface *surface = look->surface;
    const GpuSurface *gpu = look->gpu;
    const uint32_t groups = surface->group_count;
    const bool patches = look->program->patches, lines = look->wires && !patches;
    const GLenum mode = patches ? GL_PATCHES : lines ? GL_LINES : GL_TRIANGLES;
    const size_t per_triangle = lines ? 6 : 3, per_quad = lines ? 8 : 6;
    Span *spans = dv_alloc(2 * (size_t)groups + 1, sizeof *spans), *quads = spans + groups;
    for (uint32_t i = 0; i < groups; i++) {
        const DvSurfaceGroup *group = &surface->groups[i];
        spans[i] = (Span){group->first_triangle, group->first_triangle + group->triangles, group->material};
        quads[i] = (Span){group->first_quad, group->first_quad + group->quads, group->material};
    }
    if (patches && (look->wires || look->points)) /* those of the triangles that patches become */
        glPolygonMode(GL_FRONT_AND_BACK, look->wires ? GL_LINE : GL_POINT);
    draw_spans(self, look, pass, mode, spans, groups, gpu->triangles, 0, per_triangle);
    draw_spans(self, look, pass, mode, quads, groups, gpu->quads, gpu->triangles * per_triangle, per_quad);
    if (patches)
        glPolygonMode(GL_FRONT_AND_BACK, GL_FILL);
    dv_free(spans);
    self->stats.triangles += gpu->triangles + 2 * (uint64_t)gpu->quads;
}

static void draw_edges(DvRenderer *self, const Look *look, Pass pass)
{
    const DvPictureSurface *surface = look->surface;
    if (!surface->edges || (pass == PASS_SHADOW && !look->masks) || !belongs(look, &surface->materials[0], pass))
        return;
    renderer_buffer(self, GL_ELEMENT_ARRAY_BUFFER, &look->gpu->edges, surface->edges);
    Look unlit = *look;
    unlit.in_studio = false;
    set_material(self, &unlit, &surface->materials[0]);
    glUniform1i(look->program->at.lit, 0);
    depth_of_marks(self, true);
    draw_range(self, GL_LINES, 0, 2 * (size_t)surface->edges->count);
    depth_of_marks(self, false);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, look->gpu->faces.name);
}

static void set_blending(const DvSurfaceStyle *style)
{
    static const GLenum factors[] = {GL_ZERO, GL_ONE, GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA};
    static const GLenum equations[] = {GL_FUNC_ADD, GL_FUNC_SUBTRACT, GL_MIN, GL_MAX};
    glEnable(GL_BLEND);
    glBlendEquation(equations[style->equation]);
    if (style->blends)
        glBlendFuncSeparate(factors[style->source], factors[style->target], GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    else
        glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
}

static float within(double pixels, float most)
{
    const float wanted = pixels > 0 ? (float)pixels : 1;
    return wanted > most ? most : wanted;
}

static void set_style(DvRenderer *self, const Look *look, Pass pass, bool blended)
{
    const DvSurfaceStyle *style = &look->surface->style;
    const Uniforms *at = &look->program->at;
    if (blended)
        set_blending(style);
    const bool hides =
        pass == PASS_OPAQUE ? !blended || style->hides_when_blended : pass == PASS_SHADOW || style->hides_when_blended;
    glDepthMask(hides ? GL_TRUE : GL_FALSE);
    if (style->cull == DV_CULL_NONE) {
        glDisable(GL_CULL_FACE);
    } else {
        glEnable(GL_CULL_FACE);
        glCullFace(style->cull == DV_CULL_BACK ? GL_BACK : GL_FRONT);
    }
    glLineWidth(within(style->line_width, self->widest_line));
    glPointSize(within(style->point_size, self->largest_point));
    glUniform1i(at->lit, !look->points && !style->unlit);
    glUniform1i(at->flat_normals, !look->surface->normals && !look->wires);
    glUniform1i(at->thin, look->wires || look->points);
    glUniform1i(at->own_color, 0);
    glUniform1i(at->colored, look->surface->colors != NULL);
    glUniform1i(at->adds, style->adds);
    glUniform1i(at->splats, 0);
    glUniform1i(at->xray, look->xray);
}

/* What a program must be able to do to draw all of it. */
static uint32_t features_of(const DvRenderer *self, const Look *look, const DvPictureState *state)
{
    const DvPictureSurface *surface = look->surface;
    uint32_t features = renderer_features(self, state);
    if (look->points || surface->style.unlit)
        features &= ~(uint32_t)WITH_LIGHT;
    if (!surface->normals && !look->wires)
        features |= WITH_FLAT_NORMALS;
    if (look->xray)
        features |= WITH_XRAY;
    if (look->wires || look->points)
        features |= WITH_THIN;
    if (surface->colors)
        features |= WITH_COLORS;
    for (uint32_t i = 0; i < surface->material_count; i++) {
        const float *shine = surface->materials[i].specular;
        if (surface->materials[i].texture)
            features |= WITH_TEXTURE;
        if (shine[0] > 0 || shine[1] > 0 || shine[2] > 0)
            features |= WITH_HIGHLIGHTS;
    }
    return features;
}

static void draw_surface(DvRenderer *self, const DvPictureSurface *surface, uint32_t index, Pass pass, bool blended,
                         bool masks)
{
    const DvPictureState *state = &self->picture->states[surface->state];
    Look look = {.surface = surface, .gpu = surface_of(self, surface->key, index), .masks = masks};
    update(self, look.gpu, surface);
    look.points = surface->style.as_points || self->view->points;
    look.wires = !look.points && pass != PASS_SHADOW && (surface->wireframe || self->view->wireframe);
    look.xray = self->view->xray && pass != PASS_SHADOW;
    look.program = scene_shader_use(self, state->shader, pass);
    if (look.program) {
        scene_shader_bind(self, state->shader, look.program, look.gpu, surface->positions->count);
    } else {
        look.program = program_use(self, PROGRAM_SURFACE, pass, features_of(self, &look, state));
        look.in_studio = self->studio.holds && !look.points && !surface->style.unlit && !surface->colors;
    }
    renderer_set_state(self, look.program, state);
    set_style(self, &look, pass, blended);
    depth_of_marks(self, look.wires || look.points);
    if (look.points && !look.program->patches) {
        if (belongs(&look, &surface->materials[0], pass)) {
            set_material(self, &look, &surface->materials[0]);
            glDrawArrays(GL_POINTS, 0, (GLsizei)surface->positions->count);
            self->stats.calls++;
        }
        depth_of_marks(self, false);
        return;
    }
    if (look.program->patches) { /* which edges are not */
        draw_faces(self, &look, pass);
        depth_of_marks(self, false);
        return;
    }
    if (look.wires)
        update_wires(self, look.gpu, surface);
    draw_faces(self, &look, pass);
    depth_of_marks(self, false);
    if (look.wires)
        glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, look.gpu->faces.name);
    draw_edges(self, &look, pass);
}

/* A line from each vertex along its normal. */
static void draw_normals(DvRenderer *self, const DvPictureSurface *surface, uint32_t index)
{
    GpuSurface *gpu = surface_of(self, surface->key, index);
    const uint64_t now[2] = {surface->positions->id, surface->normals->id};
    const uint32_t count = surface->positions->count;
    const DvPictureState *state = &self->picture->states[surface->state];
    const Program *program =
        program_use(self, PROGRAM_VERTICES, PASS_OPAQUE, renderer_features(self, state) & ~(uint32_t)WITH_LIGHT);
    if (!gpu->normal_array)
        glGenVertexArrays(1, &gpu->normal_array);
    glBindVertexArray(gpu->normal_array);
    if (memcmp(now, gpu->arrow_ids, sizeof now) != 0) {
        const float *at = surface->positions->at, *normal = surface->normals->at;
        DvBatchVertex *line = dv_alloc(2 * (size_t)count, sizeof *line);
        for (size_t i = 0; i < count; i++)
            for (size_t c = 0; c < 3; c++) {
                line[2 * i].at[c] = at[3 * i + c];
                line[2 * i + 1].at[c] = at[3 * i + c] + normal[3 * i + c];
                memset(line[2 * i].color, 255, 4);
                memset(line[2 * i + 1].color, 255, 4);
            }
        if (!gpu->arrows.name)
            glGenBuffers(1, &gpu->arrows.name);
        glBindBuffer(GL_ARRAY_BUFFER, gpu->arrows.name);
        glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(2 * (size_t)count * sizeof *line), line, GL_DYNAMIC_DRAW);
        self->stats.uploaded += 2 * (size_t)count * sizeof *line;
        glEnableVertexAttribArray(AT_POSITION);
        glEnableVertexAttribArray(AT_COLOR);
        glVertexAttribPointer(AT_POSITION, 3, GL_FLOAT, GL_FALSE, sizeof *line, NULL);
        glVertexAttribPointer(AT_COLOR, 4, GL_UNSIGNED_BYTE, GL_TRUE, sizeof *line,
                              (const void *)offsetof(DvBatchVertex, color));
        dv_free(line);
        memcpy(gpu->arrow_ids, now, sizeof now);
    }
    renderer_set_state(self, program, state);
    glUniform1i(program->at.lit, 0);
    glUniform1i(program->at.own_color, 1);
    glLineWidth(1);
    depth_of_marks(self, true);
    glDrawArrays(GL_LINES, 0, (GLsizei)(2 * count));
    depth_of_marks(self, false);
    self->stats.calls++;
}

/* Whether the pass of the scene that is drawn has this surface. */
static bool is_drawn(const DvRenderer *self, uint32_t surface)
{
    return !self->pass || (self->pass->draws && self->pass->draws[surface]);
}

static void end_drawing(void)
{
    glDisable(GL_CULL_FACE);
    glDisable(GL_BLEND);
    glBlendEquation(GL_FUNC_ADD);
    glDepthMask(GL_TRUE);
}

void surfaces_draw(DvRenderer *self, Pass pass, bool on_top, bool blended)
{
    for (uint32_t i = 0; i < self->picture->surface_count; i++) {
        const DvPictureSurface *surface = &self->picture->surfaces[i];
        const DvSurfaceStyle *style = &surface->style;
        if (!is_drawn(self, i))
            continue;
        if (pass == PASS_SHADOW ? style->casts_no_shadow : style->on_top != on_top || style->blends != blended)
            continue;
        draw_surface(self, surface, i, pass, blended || (on_top && surface->translucent), false);
        if (pass == PASS_OPAQUE && surface->shows_normals && surface->normals)
            draw_normals(self, surface, i);
    }
    end_drawing();
}

void surfaces_draw_below(DvRenderer *self, const char *path)
{
    for (uint32_t i = 0; i < self->picture->surface_count; i++)
        if (dv_picture_is_below(self->picture->surfaces[i].path, path))
            draw_surface(self, &self->picture->surfaces[i], i, PASS_SHADOW, false, true);
    end_drawing();
}

bool surfaces_translucent(const DvRenderer *self)
{
    bool translucent = false;
    for (uint32_t i = 0; i < self->picture->surface_count; i++) {
        const DvPictureSurface *surface = &self->picture->surfaces[i];
        const Look look = {.surface = surface, .xray = self->view->xray, .points = surface->style.as_points};
        if (surface->style.blends || surface->style.on_top || !is_drawn(self, i))
            continue;
        for (uint32_t m = 0; m < surface->material_count; m++)
            translucent = translucent || belongs(&look, &surface->materials[m], PASS_TRANSLUCENT);
    }
    return translucent;
}

static void free_surface(GpuSurface *gpu)
{
    GpuBuffer *const buffers[] = {&gpu->positions, &gpu->normals, &gpu->texcoords, &gpu->colors,
                                  &gpu->faces,     &gpu->wires,   &gpu->edges,     &gpu->arrows};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        glDeleteBuffers(1, &buffers[i]->name);
    GpuBuffer *extra = gpu->extra.at;
    for (uint32_t i = 0; i < gpu->extra.count; i++)
        glDeleteBuffers(1, &extra[i].name);
    list_free(&gpu->extra);
    glDeleteVertexArrays(1, &gpu->vertex_array);
    glDeleteVertexArrays(1, &gpu->normal_array);
}

/* What no picture has had for a while goes. */
void surfaces_sweep(DvRenderer *self, bool all)
{
    enum { FRAMES = 60 };
    GpuSurface *gpu = self->surfaces.at;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < self->surfaces.count; i++)
        if (!all && self->frame - gpu[i].used < FRAMES)
            gpu[kept++] = gpu[i];
        else
            free_surface(&gpu[i]);
    self->surfaces.count = kept;
}
