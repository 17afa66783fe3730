/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "drawing.h"

#include <math.h>
#include <string.h>

#include <divan/math/quat.h>
#include <divan/memory.h>

/* What a frame is drawn with, in parts of its size. */
static const double frame_radius = 0.025;

void color_bytes(const double color[4], uint8_t bytes[4])
{
    for (int i = 0; i < 4; i++)
        bytes[i] = (uint8_t)(fmin(fmax(color[i], 0.0), 1.0) * 255.0 + 0.5);
}

static bool same_kind(const DvPictureBatch *a, const DvPictureBatch *b)
{
    return a->kind == b->kind && a->state == b->state && a->draw_state == b->draw_state && a->pixels == b->pixels &&
           a->translucent == b->translucent;
}

static Batch *find(Drawing *self, DvBatchKind kind, double pixels, bool translucent)
{
    const bool has_faces = kind >= DV_BATCH_TRIANGLES && kind != DV_BATCH_SPLATS;
    const uint32_t wires = self->wires && has_faces ? DV_DRAW_WIREFRAME | DV_DRAW_UNLIT : 0;
    const DvPictureBatch head = {.kind = kind,
                                 .state = self->state,
                                 .draw_state = self->draw_state | wires,
                                 .pixels = (float)pixels,
                                 .translucent = translucent};
    Batch *batches = self->batches.at;
    if (self->recent < self->batches.count && same_kind(&batches[self->recent].head, &head))
        return &batches[self->recent];
    for (uint32_t i = 0; i < self->batches.count; i++)
        if (same_kind(&batches[i].head, &head)) {
            self->recent = i;
            return &batches[i];
        }
    self->recent = self->batches.count;
    Batch *batch = list_add(&self->batches, sizeof *batch);
    batch->head = head;
    return batch;
}

/* Where something is added to at once. */
static Batch *batch_of(Drawing *self, DvBatchKind kind, double pixels, bool translucent)
{
    Batch *batch = find(self, kind, pixels, translucent);
    if (!batch->elements.count)
        batch->turn = self->begun++;
    const DvPictureOwner *last = batch->owners.at;
    if (!batch->owners.count || last[batch->owners.count - 1].path != self->owner)
        *(DvPictureOwner *)list_add(&batch->owners, sizeof *last) =
            (DvPictureOwner){.first = batch->elements.count, .path = self->owner};
    return batch;
}

/* Room for `count` more elements, not zero. */
static void *more(Batch *batch, size_t count, size_t size)
{
    List *list = &batch->elements;
    const size_t needed = list->count + count;
    dv_array_grow(list, size, needed);
    void *at = (char *)list->at + list->count * size;
    list->count = (uint32_t)needed;
    return at;
}

static void store(const double *from, float to[3])
{
    for (int i = 0; i < 3; i++)
        to[i] = (float)from[i];
}

/* Points, `radius` around each. */
static void bound(Drawing *self, const double *points, size_t count, double radius)
{
    DvPicture *picture = &self->recording->picture;
    float *box = self->moves ? picture->moving_marks : self->still;
    bool *has = self->moves ? &picture->has_moving_marks : &self->has_still;
    for (size_t i = 0; i < count; i++, points += 3) {
        if (!isfinite(points[0]) || !isfinite(points[1]) || !isfinite(points[2]))
            continue;
        for (int c = 0; c < 3; c++) {
            const float least = (float)(points[c] - radius), most = (float)(points[c] + radius);
            box[c] = *has ? fminf(box[c], least) : least;
            box[3 + c] = *has ? fmaxf(box[3 + c], most) : most;
        }
        *has = true;
    }
}

/* `corners` vertices for each of `count` elements; `colors` are one for all, of elements or of corners. */
typedef enum Coloring { ONE_COLOR, OF_ELEMENTS, OF_CORNERS } Coloring;

static void add_vertices(Drawing *self, DvBatchKind kind, double pixels, const double *points, size_t count,
                         size_t corners, const double *colors, Coloring coloring)
{
    const size_t given = coloring == ONE_COLOR ? 1 : coloring == OF_ELEMENTS ? count : count * corners;
    bool translucent = false;
    for (size_t i = 0; count && i < given; i++)
        translucent = translucent || colors[4 * i + 3] < 1;
    if (!count)
        return;
    bound(self, points, count * corners, 0);
    DvBatchVertex *vertex = more(batch_of(self, kind, pixels, translucent), count * corners, sizeof *vertex);
    for (size_t i = 0; i < count * corners; i++) {
        store(points + 3 * i, vertex[i].at);
        const size_t color = coloring == ONE_COLOR ? 0 : coloring == OF_ELEMENTS ? i / corners : i;
        if (coloring == ONE_COLOR && i > 0)
            memcpy(vertex[i].color, vertex[0].color, 4);
        else
            color_bytes(colors + 4 * color, vertex[i].color);
    }
}

static void points(DvDraw *draw, const double *at, uint32_t count, double pixels, const double color[4])
{
    add_vertices((Drawing *)draw, DV_BATCH_POINTS, pixels, at, count, 1, color, ONE_COLOR);
}

static void lines(DvDraw *draw, const double *at, uint32_t count, double pixels, const double color[4])
{
    add_vertices((Drawing *)draw, DV_BATCH_LINES, pixels, at, count, 2, color, ONE_COLOR);
}

static void triangles(DvDraw *draw, const double *at, uint32_t count, const double color[4])
{
    add_vertices((Drawing *)draw, DV_BATCH_TRIANGLES, 1, at, count, 3, color, ONE_COLOR);
}

static Coloring coloring_of(DvColorsOf of)
{
    return of == DV_COLORS_OF_ELEMENTS ? OF_ELEMENTS : OF_CORNERS;
}

static void colored_points(DvDraw *draw, const double *at, uint32_t count, double pixels, const double *colors)
{
    add_vertices((Drawing *)draw, DV_BATCH_POINTS, pixels, at, count, 1, colors, OF_CORNERS);
}

static void colored_lines(DvDraw *draw, const double *at, uint32_t count, double pixels, const double *colors,
                          DvColorsOf of)
{
    add_vertices((Drawing *)draw, DV_BATCH_LINES, pixels, at, count, 2, colors, coloring_of(of));
}

static void colored_triangles(DvDraw *draw, const double *at, uint32_t count, const double *colors, DvColorsOf of)
{
    add_vertices((Drawing *)draw, DV_BATCH_TRIANGLES, 1, at, count, 3, colors, coloring_of(of));
}

static DvBatchSolid *add_solids(Drawing *self, DvBatchKind kind, uint32_t count, bool translucent)
{
    return more(batch_of(self, kind, 1, translucent), count, sizeof(DvBatchSolid));
}

static void spheres(DvDraw *draw, const double *centres, const double *radii, uint32_t count, const double color[4])
{
    if (!count)
        return;
    DvBatchSolid *solid = add_solids((Drawing *)draw, DV_BATCH_SPHERES, count, color[3] < 1);
    for (uint32_t i = 0; i < count; i++) {
        store(centres + 3 * (size_t)i, solid[i].from);
        memcpy(solid[i].to, solid[i].from, sizeof solid[i].to);
        bound((Drawing *)draw, centres + 3 * (size_t)i, 1, radii[i]);
        solid[i].radius = (float)radii[i];
        color_bytes(color, solid[i].color);
    }
}

static void sticks(Drawing *self, DvBatchKind kind, const double *ends, const double *radii, uint32_t count,
                   const double color[4])
{
    if (!count)
        return;
    DvBatchSolid *solid = add_solids(self, kind, count, color[3] < 1);
    for (uint32_t i = 0; i < count; i++) {
        store(ends + 6 * (size_t)i, solid[i].from);
        store(ends + 6 * (size_t)i + 3, solid[i].to);
        bound(self, ends + 6 * (size_t)i, 2, radii[i]);
        solid[i].radius = (float)radii[i];
        color_bytes(color, solid[i].color);
    }
}

static void arrows(DvDraw *draw, const double *ends, const double *radii, uint32_t count, const double color[4])
{
    sticks((Drawing *)draw, DV_BATCH_ARROWS, ends, radii, count, color);
}

static void cylinders(DvDraw *draw, const double *ends, const double *radii, uint32_t count, const double color[4])
{
    sticks((Drawing *)draw, DV_BATCH_CYLINDERS, ends, radii, count, color);
}

static void frames(DvDraw *draw, const double *rigids, uint32_t count, double size)
{
    if (!count)
        return;
    DvBatchSolid *solid = add_solids((Drawing *)draw, DV_BATCH_ARROWS, 3 * count, false);
    for (uint32_t i = 0; i < count; i++, rigids += 7) {
        const DvVec3 at = dv_vec3_load(rigids);
        const DvQuat q = dv_quat_load(rigids + 3);
        bound((Drawing *)draw, rigids, 1, size);
        for (int axis = 0; axis < 3; axis++, solid++) {
            const DvVec3 along = dv_vec3(axis == 0, axis == 1, axis == 2);
            double end[3], color[4] = {axis == 0, axis == 1, axis == 2, 1};
            dv_vec3_store(dv_vec3_madd(at, size, dv_quat_rotate(q, along)), end);
            store(rigids, solid->from);
            store(end, solid->to);
            solid->radius = (float)(frame_radius * size);
            color_bytes(color, solid->color);
        }
    }
}

static void splats(DvDraw *draw, const double *centres, uint32_t count, double radius, const double *colors)
{
    if (!count)
        return;
    DvBatchSolid *solid = add_solids((Drawing *)draw, DV_BATCH_SPLATS, count, true); /* they fade */
    for (uint32_t i = 0; i < count; i++) {
        store(centres + 3 * (size_t)i, solid[i].from);
        memcpy(solid[i].to, solid[i].from, sizeof solid[i].to);
        solid[i].radius = (float)radius;
        color_bytes(colors + 4 * (size_t)i, solid[i].color);
    }
}

static DvPictureText *add_text(Drawing *self, const char *text, const double color[4], double height)
{
    DvPictureText *added = list_add(&self->texts, sizeof *added);
    added->text = recording_text(self->recording, text);
    for (int i = 0; i < 4; i++)
        added->color[i] = (float)color[i];
    added->height = (float)height;
    added->state = self->state;
    return added;
}

static void texts(DvDraw *draw, const double *at, const char *const *text, uint32_t count, double size,
                  const double color[4])
{
    for (uint32_t i = 0; i < count; i++)
        store(at + 3 * (size_t)i, add_text((Drawing *)draw, text[i], color, size)->at);
}

static void text(DvDraw *draw, const double point[3], const char *words, double size, const double color[4])
{
    texts(draw, point, &words, 1, size, color);
}

static void screen_texts(DvDraw *draw, const DvScreenText *given, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        DvPictureText *added = add_text((Drawing *)draw, given[i].text, given[i].color, given[i].height);
        added->on_screen = true;
        added->corner = given[i].corner;
        added->x = (float)given[i].x;
        added->y = (float)given[i].y;
    }
}

static void state(DvDraw *draw, uint32_t bits)
{
    ((Drawing *)draw)->draw_state = bits;
}

static void no_triangles(DvDraw *draw, const double *at, uint32_t count, const double color[4])
{
    (void)draw, (void)at, (void)count, (void)color;
}

static void no_colored_triangles(DvDraw *draw, const double *at, uint32_t count, const double *colors, DvColorsOf of)
{
    (void)draw, (void)at, (void)count, (void)colors, (void)of;
}

const DvDrawOps drawing_ops = {
    .size = sizeof(DvDrawOps),
    .points = points,
    .lines = lines,
    .triangles = triangles,
    .spheres = spheres,
    .frames = frames,
    .text = text,
    .arrows = arrows,
    .cylinders = cylinders,
    .colored_points = colored_points,
    .colored_lines = colored_lines,
    .colored_triangles = colored_triangles,
    .texts = texts,
    .screen_texts = screen_texts,
    .splats = splats,
    .state = state,
};

const DvDrawOps drawing_ops_without_faces = {
    .size = sizeof(DvDrawOps),
    .points = points,
    .lines = lines,
    .triangles = no_triangles,
    .spheres = spheres,
    .frames = frames,
    .text = text,
    .arrows = arrows,
    .cylinders = cylinders,
    .colored_points = colored_points,
    .colored_lines = colored_lines,
    .colored_triangles = no_colored_triangles,
    .texts = texts,
    .screen_texts = screen_texts,
    .splats = splats,
    .state = state,
};

void drawing_begin(Drawing *self, Recording *recording)
{
    self->draw.ops = &drawing_ops;
    self->recording = recording;
    self->texts.count = 0;
    self->begun = 0;
    self->has_still = false;
    self->owner = NULL;
    Batch *batch = self->batches.at;
    for (uint32_t i = 0; i < self->batches.count; i++)
        batch[i].elements.count = batch[i].owners.count = 0;
}

/* The same primitives as in the picture before are the same array. */
static const DvPictureArray *array_of(Batch *batch, Recording *recording)
{
    const size_t size = batch->head.kind >= DV_BATCH_SPHERES ? sizeof(DvBatchSolid) : sizeof(DvBatchVertex);
    const size_t bytes = batch->elements.count * size;
    const bool same = batch->last && batch->last->array.count == batch->elements.count &&
                      memcmp(batch->last->array.at, batch->elements.at, bytes) == 0;
    if (!same) {
        shared_array_release(batch->last);
        batch->last = shared_array_new(batch->elements.count, size);
        memcpy(shared_array_data(batch->last), batch->elements.at, bytes);
        recording->picture.bytes_copied += bytes;
    }
    return recording_use(recording, batch->last);
}

static void free_batch(Batch *batch)
{
    shared_array_release(batch->last);
    list_free(&batch->elements);
    list_free(&batch->owners);
}

/* Batches of no use for two pictures go: what states there are changes with the scene. */
static void drop_unused(Drawing *self)
{
    Batch *batch = self->batches.at;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < self->batches.count; i++) {
        const bool used = batch[i].elements.count > 0;
        if (used || batch[i].was_used) {
            batch[i].was_used = used;
            batch[kept++] = batch[i];
            continue;
        }
        free_batch(&batch[i]);
    }
    self->batches.count = kept;
    self->recent = 0;
}

/* Owners in the order of the batches; `of` has the batch of each turn. Who comes several times in a row has one text. */
static void keep_owners(Drawing *self, const Batch *const *of)
{
    DvPicture *picture = &self->recording->picture;
    const char *path = NULL, *text = NULL;
    for (uint32_t i = 0; i < self->begun; i++)
        picture->owner_count += of[i]->owners.count;
    DvPictureOwner *out = recording_alloc(self->recording, picture->owner_count, sizeof *out);
    picture->owners = out;
    for (uint32_t i = 0; i < self->begun; i++) {
        const DvPictureOwner *owner = of[i]->owners.at;
        for (uint32_t k = 0; k < of[i]->owners.count; k++, out++) {
            text = owner[k].path == path ? text : recording_text(self->recording, owner[k].path);
            path = owner[k].path;
            *out = (DvPictureOwner){.batch = i, .first = owner[k].first, .path = text};
        }
    }
}

/* Batches in the order in which the picture began them, whatever pictures there were before. */
void drawing_end(Drawing *self)
{
    DvPicture *picture = &self->recording->picture;
    Batch *batch = self->batches.at;
    DvPictureBatch *out = recording_alloc(self->recording, self->begun, sizeof *out);
    const Batch **of = dv_alloc(self->begun, sizeof *of);
    picture->batches = out;
    picture->batch_count = self->begun;
    for (uint32_t i = 0; i < self->batches.count; i++) {
        if (!batch[i].elements.count)
            continue;
        of[batch[i].turn] = &batch[i];
        out[batch[i].turn] = batch[i].head;
        out[batch[i].turn].array = array_of(&batch[i], self->recording);
    }
    keep_owners(self, of);
    dv_free(of);
    picture->texts = recording_keep(self->recording, &self->texts, sizeof(DvPictureText));
    picture->text_count = self->texts.count;
    drop_unused(self);
}

void drawing_free(Drawing *self)
{
    Batch *batch = self->batches.at;
    for (uint32_t i = 0; i < self->batches.count; i++)
        free_batch(&batch[i]);
    list_free(&self->batches);
    list_free(&self->texts);
}
