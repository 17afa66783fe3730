/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Primitives: a call for each batch. Spheres, cylinders, arrows and spots are one small mesh, drawn once for each of them; above some
 * hundreds a coarser sphere does.
 */
#include "renderer.h"

#include <math.h>
#include <string.h>

#include <divan/math/vec.h>
#include <divan/memory.h>

enum { SLICES = 24, STACKS = 16, COARSE_SLICES = 10, COARSE_STACKS = 6, MANY_SPHERES = 400 };

typedef struct Corner {
    float at[3], normal[3];
} Corner;

typedef struct Mesh {
    List corners, indices; /* Corner, uint32_t */
} Mesh;

static void add_corner(Mesh *mesh, double x, double y, double z, double nx, double ny, double nz)
{
    Corner *corner = list_add(&mesh->corners, sizeof *corner);
    *corner = (Corner){{(float)x, (float)y, (float)z}, {(float)nx, (float)ny, (float)nz}};
}

static void add_face(Mesh *mesh, uint32_t a, uint32_t b, uint32_t c)
{
    const uint32_t corners[3] = {a, b, c};
    for (int i = 0; i < 3; i++)
        *(uint32_t *)list_add(&mesh->indices, sizeof(uint32_t)) = corners[i];
}

/* Rows of `columns` quads between rings of columns + 1 corners, the last `rows` x (columns + 1) from `first` on. */
static void add_rows(Mesh *mesh, uint32_t first, uint32_t rows, uint32_t columns)
{
    for (uint32_t r = 0; r < rows; r++)
        for (uint32_t c = 0; c < columns; c++) {
            const uint32_t a = first + r * (columns + 1) + c, b = a + columns + 1;
            add_face(mesh, a, a + 1, b + 1);
            add_face(mesh, a, b + 1, b);
        }
}

static void make_sphere(Mesh *mesh, uint32_t slices, uint32_t stacks)
{
    for (uint32_t s = 0; s <= stacks; s++)
        for (uint32_t c = 0; c <= slices; c++) {
            const double height = DV_PI * ((double)s / stacks - 0.5), turn = 2 * DV_PI * c / slices;
            const double x = cos(height) * cos(turn), y = cos(height) * sin(turn), z = sin(height);
            add_corner(mesh, x, y, z, x, y, z);
        }
    add_rows(mesh, 0, stacks, slices);
}

/* A ring around z: of radius r, with normals that lean towards z by `rise`. */
static void add_ring(Mesh *mesh, double r, double z, double rise)
{
    const double length = sqrt(1 + rise * rise);
    for (uint32_t c = 0; c <= SLICES; c++) {
        const double x = cos(2 * DV_PI * c / SLICES), y = sin(2 * DV_PI * c / SLICES);
        add_corner(mesh, r * x, r * y, z, x / length, y / length, rise / length);
    }
}

static void add_disk(Mesh *mesh, double r, double z, double facing)
{
    const uint32_t centre = mesh->corners.count;
    add_corner(mesh, 0, 0, z, 0, 0, facing);
    for (uint32_t c = 0; c <= SLICES; c++)
        add_corner(mesh, r * cos(2 * DV_PI * c / SLICES), r * sin(2 * DV_PI * c / SLICES), z, 0, 0, facing);
    for (uint32_t c = 0; c < SLICES; c++)
        add_face(mesh, centre, centre + (facing > 0 ? 1 : 2) + c, centre + (facing > 0 ? 2 : 1) + c);
}

static void make_cylinder(Mesh *mesh)
{
    add_ring(mesh, 1, 0, 0);
    add_ring(mesh, 1, 1, 0);
    add_rows(mesh, 0, 1, SLICES);
    add_disk(mesh, 1, 0, -1);
    add_disk(mesh, 1, 1, 1);
}

/* The shaft from z = 0 to 1, the head of twice its radius from 1 to 2. */
static void make_arrow(Mesh *mesh)
{
    add_ring(mesh, 1, 0, 0);
    add_ring(mesh, 1, 1, 0);
    add_rows(mesh, 0, 1, SLICES);
    add_disk(mesh, 1, 0, -1);
    const uint32_t head = mesh->corners.count;
    add_ring(mesh, 2, 1, 1.0 / 3);
    add_ring(mesh, 0, 2, 1.0 / 3);
    add_rows(mesh, head, 1, SLICES);
    add_disk(mesh, 2, 1, -1);
}

static void make_square(Mesh *mesh)
{
    for (int i = 0; i < 4; i++)
        add_corner(mesh, i & 1 ? 1 : -1, i & 2 ? 1 : -1, 0, 0, 0, 1);
    add_face(mesh, 0, 1, 3);
    add_face(mesh, 0, 3, 2);
}

static void upload(Mesh *mesh, Shape *shape)
{
    glBindVertexArray(0);
    glGenBuffers(1, &shape->vertices);
    glGenBuffers(1, &shape->indices);
    glBindBuffer(GL_ARRAY_BUFFER, shape->vertices);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(mesh->corners.count * sizeof(Corner)), mesh->corners.at, GL_STATIC_DRAW);
    glBindBuffer(GL_ARRAY_BUFFER, shape->indices);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(mesh->indices.count * sizeof(uint32_t)), mesh->indices.at,
                 GL_STATIC_DRAW);
    shape->count = (GLsizei)mesh->indices.count;
    list_free(&mesh->corners);
    list_free(&mesh->indices);
}

void batches_start(DvRenderer *self)
{
    Mesh mesh = {0};
    make_sphere(&mesh, SLICES, STACKS);
    upload(&mesh, &self->shapes[SHAPE_SPHERE]);
    make_sphere(&mesh, COARSE_SLICES, COARSE_STACKS);
    upload(&mesh, &self->shapes[SHAPE_COARSE_SPHERE]);
    make_cylinder(&mesh);
    upload(&mesh, &self->shapes[SHAPE_CYLINDER]);
    make_arrow(&mesh);
    upload(&mesh, &self->shapes[SHAPE_ARROW]);
    make_square(&mesh);
    upload(&mesh, &self->shapes[SHAPE_SQUARE]);
}

static GpuBatch *batch_of(DvRenderer *self, uint64_t id)
{
    GpuBatch *known = self->batches.at;
    for (uint32_t i = 0; i < self->batches.count; i++)
        if (known[i].id == id)
            return &known[i];
    /* One that was not in the picture before lends its buffer. */
    for (uint32_t i = 0; i < self->batches.count; i++)
        if (known[i].used + 1 < self->frame) {
            known[i].id = 0;
            return &known[i];
        }
    return list_add(&self->batches, sizeof *known);
}

static const Shape *shape_of(const DvRenderer *self, const DvPictureBatch *batch)
{
    switch (batch->kind) {
    case DV_BATCH_SPHERES:
        return &self->shapes[batch->array->count > MANY_SPHERES ? SHAPE_COARSE_SPHERE : SHAPE_SPHERE];
    case DV_BATCH_CYLINDERS:
        return &self->shapes[SHAPE_CYLINDER];
    case DV_BATCH_ARROWS:
        return &self->shapes[SHAPE_ARROW];
    case DV_BATCH_SPLATS:
        return &self->shapes[SHAPE_SQUARE];
    default:
        return NULL;
    }
}

static void point_at(GLuint at, GLint size, GLenum type, GLsizei stride, size_t offset, GLuint divisor)
{
    glEnableVertexAttribArray(at);
    glVertexAttribPointer(at, size, type, type == GL_UNSIGNED_BYTE, stride, (const void *)(uintptr_t)offset);
    glVertexAttribDivisor(at, divisor);
}

/* Solids from number `first` on. */
static void lay_out(GpuBatch *gpu, const Shape *shape, uint32_t first)
{
    const size_t begin = first * sizeof(DvBatchSolid);
    glDisableVertexAttribArray(AT_NORMAL);
    glDisableVertexAttribArray(AT_FROM);
    glDisableVertexAttribArray(AT_TO);
    if (!shape) {
        glBindBuffer(GL_ARRAY_BUFFER, gpu->buffer);
        point_at(AT_POSITION, 3, GL_FLOAT, sizeof(DvBatchVertex), offsetof(DvBatchVertex, at), 0);
        point_at(AT_COLOR, 4, GL_UNSIGNED_BYTE, sizeof(DvBatchVertex), offsetof(DvBatchVertex, color), 0);
        return;
    }
    glBindBuffer(GL_ARRAY_BUFFER, shape->vertices);
    point_at(AT_POSITION, 3, GL_FLOAT, sizeof(Corner), offsetof(Corner, at), 0);
    point_at(AT_NORMAL, 3, GL_FLOAT, sizeof(Corner), offsetof(Corner, normal), 0);
    glBindBuffer(GL_ARRAY_BUFFER, gpu->buffer);
    point_at(AT_FROM, 4, GL_FLOAT, sizeof(DvBatchSolid), begin + offsetof(DvBatchSolid, from), 1);
    point_at(AT_TO, 3, GL_FLOAT, sizeof(DvBatchSolid), begin + offsetof(DvBatchSolid, to), 1);
    point_at(AT_COLOR, 4, GL_UNSIGNED_BYTE, sizeof(DvBatchSolid), begin + offsetof(DvBatchSolid, color), 1);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, shape->indices);
}

static void update(DvRenderer *self, GpuBatch *gpu, const DvPictureBatch *batch, const Shape *shape)
{
    if (!gpu->vertex_array) {
        glGenVertexArrays(1, &gpu->vertex_array);
        glGenBuffers(1, &gpu->buffer);
    }
    glBindVertexArray(gpu->vertex_array);
    gpu->used = self->frame;
    if (gpu->id == batch->array->id)
        return;
    const size_t bytes = (size_t)batch->array->count * batch->array->bytes;
    glBindBuffer(GL_ARRAY_BUFFER, gpu->buffer);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)bytes, batch->array->at, GL_DYNAMIC_DRAW);
    self->stats.uploaded += bytes;
    gpu->id = batch->array->id;
    lay_out(gpu, shape, 0);
}

static bool is_lit(const DvPictureBatch *batch)
{
    return batch->kind != DV_BATCH_POINTS && batch->kind != DV_BATCH_LINES && batch->kind != DV_BATCH_SPLATS &&
           !(batch->draw_state & DV_DRAW_UNLIT);
}

static uint32_t features_of(const DvRenderer *self, const DvPictureBatch *batch, const DvPictureState *state)
{
    uint32_t features = renderer_features(self, state);
    if (!is_lit(batch))
        features &= ~(uint32_t)WITH_LIGHT;
    if (batch->kind == DV_BATCH_TRIANGLES)
        features |= WITH_FLAT_NORMALS;
    if (batch->kind == DV_BATCH_SPLATS)
        features |= WITH_SPLATS;
    return features;
}

static void set_uniforms(const DvPictureBatch *batch, const Program *program)
{
    static const float white[4] = {1, 1, 1, 1}, black[4] = {0, 0, 0, 1};
    const Uniforms *at = &program->at;
    const bool flat = batch->kind == DV_BATCH_TRIANGLES;
    glUniform4fv(at->diffuse, 1, white);
    glUniform4fv(at->specular, 1, black);
    glUniform4fv(at->emissive, 1, black);
    glUniform1f(at->shininess, 1);
    glUniform1i(at->textured, 0);
    glUniform1i(at->own_color, 1);
    glUniform1i(at->lit, is_lit(batch));
    glUniform1i(at->flat_normals, flat);
    glUniform1i(at->thin, 0);
    glUniform1i(at->adds, 0);
    glUniform1i(at->xray, 0);
    glUniform1i(at->splats, batch->kind == DV_BATCH_SPLATS);
    glUniform1i(at->shape, batch->kind == DV_BATCH_CYLINDERS ? 1
                           : batch->kind == DV_BATCH_ARROWS  ? 3
                           : batch->kind == DV_BATCH_SPLATS  ? 2
                                                             : 0);
}

static float within(float wanted, float most)
{
    return wanted < 1 ? 1 : wanted > most ? most : wanted;
}

/* Elements [first, end) of it. */
static void draw_part(DvRenderer *self, const DvPictureBatch *batch, Pass pass, uint32_t first, uint32_t end)
{
    static const GLenum modes[] = {
        [DV_BATCH_POINTS] = GL_POINTS, [DV_BATCH_LINES] = GL_LINES, [DV_BATCH_TRIANGLES] = GL_TRIANGLES};
    const Shape *shape = shape_of(self, batch);
    const DvPictureState *state = &self->picture->states[batch->state];
    const bool wires = (batch->draw_state & DV_DRAW_WIREFRAME) && pass != PASS_SHADOW;
    GpuBatch *gpu = batch_of(self, batch->array->id);
    update(self, gpu, batch, shape);
    if (shape && first)
        lay_out(gpu, shape, first);
    const Program *program =
        program_use(self, shape ? PROGRAM_SOLIDS : PROGRAM_VERTICES, pass, features_of(self, batch, state));
    renderer_set_state(self, program, state);
    set_uniforms(batch, program);
    glLineWidth(within(batch->pixels, self->widest_line));
    glPointSize(within(batch->pixels, self->largest_point));
    depth_of_marks(self, wires || batch->kind == DV_BATCH_POINTS || batch->kind == DV_BATCH_LINES);
    if (wires) { /* before the faces that they lie in */
        glPolygonMode(GL_FRONT_AND_BACK, GL_LINE);
        glEnable(GL_POLYGON_OFFSET_LINE);
        glPolygonOffset(self->lifts ? 1 : -1, self->lifts ? 4 : -4);
    }
    if (shape && self->shifts) /* no lines lie in these */
        glDisable(GL_POLYGON_OFFSET_FILL);
    if (shape)
        glDrawElementsInstanced(GL_TRIANGLES, shape->count, GL_UNSIGNED_INT, NULL, (GLsizei)(end - first));
    else
        glDrawArrays(modes[batch->kind], (GLint)first, (GLsizei)(end - first));
    if (shape && self->shifts)
        glEnable(GL_POLYGON_OFFSET_FILL);
    if (shape && first)
        lay_out(gpu, shape, 0);
    if (wires) {
        glPolygonMode(GL_FRONT_AND_BACK, GL_FILL);
        glDisable(GL_POLYGON_OFFSET_LINE);
        depth_of_faces(self);
    }
    depth_of_marks(self, false);
    self->stats.calls++;
}

static void draw_batch(DvRenderer *self, const DvPictureBatch *batch, Pass pass)
{
    draw_part(self, batch, pass, 0, batch->array->count);
}

static bool is_on_top(const DvPictureBatch *batch)
{
    return (batch->draw_state & DV_DRAW_ON_TOP) != 0;
}

/* Bodies do; lines, points, spots and what is drawn without light are marks. */
static bool casts_shadows(const DvPictureBatch *batch)
{
    return is_lit(batch) && !batch->translucent && !(batch->draw_state & DV_DRAW_WIREFRAME);
}

/* How many the pass of the scene that is drawn has: all or none. */
static uint32_t count_drawn(const DvRenderer *self)
{
    return !self->pass || self->pass->draws_batches ? self->picture->batch_count : 0;
}

void batches_draw(DvRenderer *self, Pass pass, bool on_top)
{
    for (uint32_t i = 0; i < count_drawn(self); i++) {
        const DvPictureBatch *batch = &self->picture->batches[i];
        const bool belongs =
            pass == PASS_SHADOW ? casts_shadows(batch) : on_top || batch->translucent == (pass == PASS_TRANSLUCENT);
        if (is_on_top(batch) == on_top && belongs)
            draw_batch(self, batch, pass);
    }
}

void batches_draw_below(DvRenderer *self, const char *path)
{
    const DvPicture *picture = self->picture;
    for (uint32_t i = 0; i < picture->owner_count; i++) {
        const DvPictureOwner *owner = &picture->owners[i];
        if (dv_picture_is_below(owner->path, path))
            draw_part(self, &picture->batches[owner->batch], PASS_SHADOW, owner->first,
                      dv_picture_owner_end(picture, i));
    }
}

bool batches_translucent(const DvRenderer *self)
{
    bool translucent = false;
    for (uint32_t i = 0; i < count_drawn(self); i++)
        translucent = translucent || (self->picture->batches[i].translucent && !is_on_top(&self->picture->batches[i]));
    return translucent;
}

void batches_sweep(DvRenderer *self, bool all)
{
    enum { FRAMES = 60 };
    GpuBatch *gpu = self->batches.at;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < self->batches.count; i++) {
        if (!all && self->frame - gpu[i].used < FRAMES) {
            gpu[kept++] = gpu[i];
            continue;
        }
        glDeleteVertexArrays(1, &gpu[i].vertex_array);
        glDeleteBuffers(1, &gpu[i].buffer);
    }
    self->batches.count = kept;
    for (int i = 0; all && i < SHAPES; i++) {
        glDeleteBuffers(1, &self->shapes[i].vertices);
        glDeleteBuffers(1, &self->shapes[i].indices);
    }
}
