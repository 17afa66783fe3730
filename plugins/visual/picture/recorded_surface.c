/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "recorded_surface.h"

#include <string.h>

#include <divan/memory.h>

#include "drawing.h"
#include "model/visual_points.h"

typedef struct KnownImage {
    char *path;
    SharedImage *image;
} KnownImage;

SharedImage *images_find(Images *images, const char *path, const DvObject *object)
{
    if (!path || !*path)
        return NULL;
    const KnownImage *known = images->at.at;
    for (uint32_t i = 0; i < images->at.count; i++)
        if (strcmp(known[i].path, path) == 0)
            return known[i].image;
    DvText why = {0};
    KnownImage *added = list_add(&images->at, sizeof *added);
    added->path = dv_strdup(path);
    added->image = shared_image_read(path, &why);
    if (!added->image)
        dv_remark(object, "the picture '%s' is not shown: %s", path, why.at ? why.at : "it cannot be read");
    dv_text_free(&why);
    return added->image;
}

void images_free(Images *images)
{
    KnownImage *known = images->at.at;
    for (uint32_t i = 0; i < images->at.count; i++) {
        dv_free(known[i].path);
        shared_image_release(known[i].image);
    }
    list_free(&images->at);
}

/* Whether it is of another version than what was recorded last, which is in `before` then. */
static bool is_new(RecordedArray *self, uint64_t version, uint32_t count, uint32_t limit)
{
    if (self->known && self->version == version && self->count == count && self->limit == limit)
        return false;
    shared_array_release(self->before);
    *self = (RecordedArray){.known = true, .version = version, .count = count, .limit = limit, .before = self->shared};
    return true;
}

void recorded_array_free(RecordedArray *self)
{
    shared_array_release(self->shared);
    shared_array_release(self->before);
    *self = (RecordedArray){0};
}

static void *begin(RecordedArray *self, size_t count, size_t bytes)
{
    self->shared = shared_array_new(count, bytes);
    return shared_array_data(self->shared);
}

/* A version may hold what the one before held, where a mapping was applied to a body at rest: then that array stays. */
static const DvPictureArray *use(RecordedArray *self, Recording *recording)
{
    SharedArray *before = self->before;
    const DvPictureArray *now = self->shared ? &self->shared->array : NULL;
    self->before = NULL;
    if (before && now && before->array.count == now->count && before->array.bytes == now->bytes &&
        memcmp(before->array.at, now->at, (size_t)now->count * now->bytes) == 0) {
        shared_array_release(self->shared);
        self->shared = before;
    } else {
        shared_array_release(before);
    }
    if (self->shared && !self->counted)
        recording->picture.bytes_copied += self->shared == before ? 0 : (uint64_t)now->count * now->bytes;
    self->counted = true;
    return recording_use(recording, self->shared);
}

const DvPictureArray *recorded_floats(RecordedArray *self, Recording *recording, const double *from, uint32_t count,
                                      uint32_t components, uint64_t version)
{
    if (!from || !count)
        recorded_array_free(self);
    else if (is_new(self, version, count, components)) {
        float *to = begin(self, count, components * sizeof *to);
        for (size_t i = 0; i < (size_t)count * components; i++)
            to[i] = (float)from[i];
    }
    return use(self, recording);
}

static const DvPictureArray *colors(RecordedArray *self, Recording *recording, const DvSurfaceArray *from)
{
    if (!from->at || !from->count)
        recorded_array_free(self);
    else if (is_new(self, from->version, from->count, 4)) {
        uint8_t *to = begin(self, from->count, 4);
        const double *color = from->at;
        for (size_t i = 0; i < from->count; i++)
            color_bytes(color + 4 * i, to + 4 * i);
    }
    return use(self, recording);
}

static bool is_sound(const uint32_t *corner, size_t corners, uint32_t vertices)
{
    for (size_t c = 0; c < corners; c++)
        if (corner[c] >= vertices)
            return false;
    return true;
}

/* Elements keep their numbers, by which groups name them: one of a vertex that is not there becomes a point. */
static const DvPictureArray *elements(RecordedArray *self, Recording *recording, const DvSurfaceArray *from,
                                      uint32_t corners, uint32_t vertices)
{
    if (!from->at || !from->count || !vertices)
        recorded_array_free(self);
    else if (is_new(self, from->version, from->count, vertices)) {
        const uint32_t *corner = from->at;
        uint32_t *to = begin(self, from->count, corners * sizeof *to);
        for (size_t i = 0; i < from->count; i++, corner += corners, to += corners)
            if (is_sound(corner, corners, vertices))
                memcpy(to, corner, corners * sizeof *to);
    }
    return use(self, recording);
}

static void copy_color(const double from[4], float to[4])
{
    for (int i = 0; i < 4; i++)
        to[i] = (float)from[i];
}

static void drop_images(RecordedSurface *self)
{
    SharedImage **image = self->images.at;
    for (uint32_t i = 0; i < self->images.count; i++)
        shared_image_release(image[i]);
    self->images.count = 0;
}

static void copy_materials(RecordedSurface *self, Images *images, const DvObject *object, const DvSurfaceView *view)
{
    static const DvMaterial grey = {.ambient = {0.2, 0.2, 0.2, 1},
                                    .diffuse = {0.75, 0.75, 0.75, 1},
                                    .specular = {0, 0, 0, 1},
                                    .emissive = {0, 0, 0, 1}};
    const uint32_t count = view->material_count ? view->material_count : 1;
    DvPictureMaterial *to = begin(&self->materials, count, sizeof *to);
    drop_images(self);
    self->translucent = false;
    for (uint32_t i = 0; i < count; i++) {
        const DvMaterial *from = view->material_count ? &view->materials[i] : &grey;
        copy_color(from->ambient, to[i].ambient);
        copy_color(from->diffuse, to[i].diffuse);
        copy_color(from->specular, to[i].specular);
        copy_color(from->emissive, to[i].emissive);
        to[i].shininess = (float)from->shininess;
        for (int c = 0; view->is_plain && c < 3; c++) {
            to[i].diffuse[c] = (float)self->color[c];
            to[i].ambient[c] = (float)(0.2 * self->color[c]);
        }
        self->translucent = self->translucent || from->diffuse[3] < 1;
        SharedImage *image = images_find(images, from->texture, object);
        if (!image)
            continue;
        to[i].texture = &image->image;
        atomic_fetch_add(&image->users, 1);
        *(SharedImage **)list_add(&self->images, sizeof image) = image;
    }
}

static void take_materials(RecordedSurface *self, Recording *recording, Images *images, const DvObject *object,
                           const DvSurfaceView *view, const double color[4], DvPictureSurface *out)
{
    if (view->is_plain && memcmp(color, self->color, sizeof self->color) != 0) {
        memcpy(self->color, color, sizeof self->color);
        self->colorings++;
    }
    if (is_new(&self->materials, view->materials_version ^ self->colorings << 40, view->material_count,
               view->group_count)) {
        copy_materials(self, images, object, view);
        (void)is_new(&self->groups, view->materials_version ^ self->colorings << 40, view->group_count, 0);
        DvSurfaceGroup *groups = begin(&self->groups, view->group_count, sizeof *groups);
        if (view->group_count)
            memcpy(groups, view->groups, view->group_count * sizeof *groups);
    }
    const DvPictureArray *materials = use(&self->materials, recording);
    out->materials = materials->at;
    out->material_count = materials->count;
    out->materials_id = materials->id;
    out->groups = use(&self->groups, recording)->at;
    out->group_count = view->group_count;
    SharedImage **image = self->images.at;
    for (uint32_t i = 0; i < self->images.count; i++)
        (void)recording_use_image(recording, image[i]);
}

/* Grids have their quads as triangles too; which of both is drawn shows only where one covers the other, so quads are enough. Groups name
 * faces by their numbers: with some, all faces stay. */
static bool draws_twice(RecordedSurface *self, const DvSurfaceView *view)
{
    const DvElements triangles = {view->triangles.at, view->triangles.count},
                     quads = {view->quads.at, view->quads.count};
    if (view->group_count || !triangles.at || !quads.at)
        return false;
    if (!self->halves_known || self->halves_of[0] != view->triangles.version ||
        self->halves_of[1] != view->quads.version) {
        self->halves_known = true;
        self->halves = visual_triangles_are_halves(triangles, quads);
        self->halves_of[0] = view->triangles.version;
        self->halves_of[1] = view->quads.version;
    }
    return self->halves;
}

/* With the copies that creases take, if there are some. */
static const DvPictureArray *spread(RecordedArray *self, Recording *recording, const Creases *creases,
                                    const DvSurfaceArray *from, uint32_t components, const double *at)
{
    const uint64_t version = from->version ^ creases->serial << 40;
    if (!at)
        recorded_array_free(self);
    else if (is_new(self, version, creases->vertices + creases->copies, components))
        creases_spread(creases, at, components, begin(self, self->count, components * sizeof(float)));
    return use(self, recording);
}

static const DvPictureArray *crease_faces(RecordedArray *self, Recording *recording, const Creases *creases,
                                          const uint32_t *faces, uint32_t count, uint32_t corners, uint64_t version)
{
    if (!count)
        recorded_array_free(self);
    else if (is_new(self, version ^ creases->serial << 40, count, creases->vertices + creases->copies))
        memcpy(begin(self, count, corners * sizeof *faces), faces, (size_t)count * corners * sizeof *faces);
    return use(self, recording);
}

static const double *if_complete(const DvSurfaceArray *array, uint32_t vertices)
{
    return array->count == vertices ? array->at : NULL;
}

static void take_whole(RecordedSurface *self, Recording *recording, const DvSurfaceView *view, bool twice,
                       DvPictureSurface *out)
{
    const uint32_t vertices = view->positions.count;
    out->positions =
        recorded_floats(&self->positions, recording, view->positions.at, vertices, 3, view->positions.version);
    out->normals = recorded_floats(&self->normals, recording, if_complete(&view->normals, vertices), vertices, 3,
                                   view->normals.version);
    out->texcoords = recorded_floats(&self->texcoords, recording, if_complete(&view->texcoords, vertices), vertices, 2,
                                     view->texcoords.version);
    const DvSurfaceArray given = {if_complete(&view->colors, vertices), vertices, view->colors.version};
    out->colors = colors(&self->colors, recording, &given);
    out->triangles = twice ? NULL : elements(&self->triangles, recording, &view->triangles, 3, vertices);
    out->quads = elements(&self->quads, recording, &view->quads, 4, vertices);
}

/* As it is drawn where faces meet at creases. */
static void take_split(RecordedSurface *self, Recording *recording, const DvSurfaceView *view, DvPictureSurface *out)
{
    const Creases *creases = &self->creases;
    const uint32_t vertices = view->positions.count;
    out->positions = spread(&self->positions, recording, creases, &view->positions, 3, view->positions.at);
    out->texcoords =
        spread(&self->texcoords, recording, creases, &view->texcoords, 2, if_complete(&view->texcoords, vertices));
    if (is_new(&self->normals, view->positions.version ^ creases->serial << 40, vertices + creases->copies, 3))
        creases_normals(creases, view->positions.at,
                        begin(&self->normals, vertices + creases->copies, 3 * sizeof(float)));
    out->normals = use(&self->normals, recording);
    out->triangles = crease_faces(&self->triangles, recording, creases, creases->triangles, creases->triangle_count, 3,
                                  view->triangles.version);
    out->quads =
        crease_faces(&self->quads, recording, creases, creases->quads, creases->quad_count, 4, view->quads.version);
}

void recorded_surface_take(RecordedSurface *self, Recording *recording, Images *images, const DvObject *object,
                           const DvSurfaceView *view, const double color[4], bool may_split, DvPictureSurface *out)
{
    const uint32_t vertices = view->positions.count;
    if (!self->key)
        self->key = picture_id();
    out->key = self->key;
    const bool twice = draws_twice(self, view);
    if (may_split && !view->colors.at && creases_find(&self->creases, view, twice))
        take_split(self, recording, view, out);
    else
        take_whole(self, recording, view, twice, out);
    out->edges = elements(&self->edges, recording, &view->edges, 2, vertices);
    take_materials(self, recording, images, object, view, color, out);
    out->style = view->style;
    out->translucent = view->style.blends || (self->translucent && !view->style.blends_not);
}

void recorded_surface_free(RecordedSurface *self)
{
    RecordedArray *const arrays[] = {&self->positions, &self->normals,   &self->texcoords,
                                     &self->colors,    &self->triangles, &self->quads,
                                     &self->edges,     &self->materials, &self->groups};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        recorded_array_free(arrays[i]);
    drop_images(self);
    list_free(&self->images);
    creases_free(&self->creases);
}

SharedImage *recorded_image(RecordedImage *self, const DvShaderElement *element)
{
    if (self->shared && self->version == element->version)
        return self->shared;
    shared_image_release(self->shared);
    self->shared = shared_image_of_numbers(element->numbers, element->columns, element->rows, element->count);
    self->version = element->version;
    return self->shared;
}
