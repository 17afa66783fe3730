/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "creases.h"

#include <math.h>
#include <string.h>

#include <divan/math/vec.h>
#include <divan/memory.h>

enum { NOBODY = UINT32_MAX };

/* Faces one after the other, whatever their corners. */
typedef struct Faces {
    const uint32_t *triangles, *quads;
    uint32_t triangle_count, quad_count, count, vertices;
} Faces;

typedef struct Face {
    const uint32_t *at;
    uint32_t corners, first; /* number of its first corner among all */
} Face;

static Face face_of(const Faces *faces, uint32_t index)
{
    const uint32_t triangles = faces->triangle_count;
    if (index < triangles)
        return (Face){faces->triangles + 3 * (size_t)index, 3, 3 * index};
    return (Face){faces->quads + 4 * (size_t)(index - triangles), 4, 3 * triangles + 4 * (index - triangles)};
}

static bool is_there(const Face *face, uint32_t vertices)
{
    for (uint32_t c = 0; c < face->corners; c++)
        if (face->at[c] >= vertices)
            return false;
    return true;
}

static DvVec3 face_normal(const Face *face, const double *at)
{
    const DvVec3 a = dv_vec3_load(at + 3 * (size_t)face->at[0]), b = dv_vec3_load(at + 3 * (size_t)face->at[1]),
                 c = dv_vec3_load(at + 3 * (size_t)face->at[2]);
    if (face->corners == 3)
        return dv_vec3_cross(dv_vec3_sub(b, a), dv_vec3_sub(c, a));
    const DvVec3 d = dv_vec3_load(at + 3 * (size_t)face->at[3]);
    return dv_vec3_cross(dv_vec3_sub(c, a), dv_vec3_sub(d, b));
}

/* Tables: places are taken one after the other from where the hash leads. */

static uint32_t table_size(uint32_t entries)
{
    uint32_t size = 16;
    while (size < 2 * (uint64_t)entries && size < 1u << 31)
        size *= 2;
    return size;
}

static uint64_t mix(uint64_t x) /* the end of splitmix64 (Steele, Lea and Flood 2014) */
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* The first vertex at the same place, for each. */
static uint32_t *find_points(const double *at, uint32_t count)
{
    const uint32_t size = table_size(count);
    uint32_t *table = dv_alloc(size, sizeof *table), *point = dv_alloc(count, sizeof *point);
    memset(table, 0xff, size * sizeof *table);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t bits[3];
        memcpy(bits, at + 3 * (size_t)i, sizeof bits);
        uint32_t place = (uint32_t)mix(bits[0] + mix(bits[1] + mix(bits[2]))) & (size - 1);
        while (table[place] != NOBODY && memcmp(at + 3 * (size_t)table[place], bits, sizeof bits) != 0)
            place = (place + 1) & (size - 1);
        if (table[place] == NOBODY)
            table[place] = i;
        point[i] = table[place];
    }
    dv_free(table);
    return point;
}

/* Sets of corners that share a normal, as trees. */

static uint32_t root_of(uint32_t *parent, uint32_t corner)
{
    while (parent[corner] != corner) {
        parent[corner] = parent[parent[corner]];
        corner = parent[corner];
    }
    return corner;
}

static void join(uint32_t *parent, uint32_t a, uint32_t b)
{
    const uint32_t first = root_of(parent, a), second = root_of(parent, b);
    if (first < second)
        parent[second] = first;
    else
        parent[first] = second;
}

typedef struct Side {                 /* of a face, in the order of points */
    uint32_t low, high;               /* points */
    uint32_t low_corner, high_corner; /* numbers of corners */
    uint32_t face, next;              /* next: of the sides between the same points; NOBODY: none */
} Side;

/* Sides between the same points whose faces lie nearly in a plane have their corners joined. */
static void join_sides(uint32_t *parent, const Side *all, const Side *side, const DvVec3 *normals, double cosine)
{
    for (uint32_t i = side->next; i != NOBODY; i = all[i].next) {
        const Side *other = &all[i];
        if (dv_vec3_dot(normals[side->face], normals[other->face]) < cosine)
            continue;
        join(parent, side->low_corner, other->low_corner);
        join(parent, side->high_corner, other->high_corner);
    }
}

static void join_corners(const Faces *faces, const double *shape, double cosine, uint32_t *parent, uint32_t corners)
{
    const uint32_t size = table_size(corners);
    uint32_t *point = find_points(shape, faces->vertices), *table = dv_alloc(size, sizeof *table), count = 0;
    DvVec3 *normals = dv_alloc(faces->count, sizeof *normals);
    Side *sides = dv_alloc(corners, sizeof *sides);
    memset(table, 0xff, size * sizeof *table);
    for (uint32_t f = 0; f < faces->count; f++) {
        const Face face = face_of(faces, f);
        if (!is_there(&face, faces->vertices))
            continue;
        normals[f] = dv_vec3_normalize(face_normal(&face, shape));
        for (uint32_t c = 0; c < face.corners; c++) {
            const uint32_t end = (c + 1) % face.corners, a = point[face.at[c]], b = point[face.at[end]];
            Side side = {a, b, face.first + c, face.first + end, f, NOBODY};
            if (a > b)
                side = (Side){b, a, face.first + end, face.first + c, f, NOBODY};
            uint32_t place = (uint32_t)mix((uint64_t)side.low << 32 | side.high) & (size - 1);
            while (table[place] != NOBODY &&
                   (sides[table[place]].low != side.low || sides[table[place]].high != side.high))
                place = (place + 1) & (size - 1);
            side.next = table[place];
            table[place] = count;
            sides[count++] = side;
            join_sides(parent, sides, &side, normals, cosine);
        }
    }
    dv_free(point);
    dv_free(table);
    dv_free(normals);
    dv_free(sides);
}

/* A drawn vertex for each vertex and group that has a corner there: the first is the vertex, others are copies. */
static void make_copies(Creases *self, const Faces *faces)
{
    const uint32_t corners = 3 * faces->triangle_count + 4 * faces->quad_count, vertices = faces->vertices;
    uint32_t *next = dv_alloc((size_t)vertices + corners, sizeof *next); /* drawn vertices of one vertex */
    self->copy_of = dv_alloc(corners, sizeof *self->copy_of);
    self->group_of = dv_alloc((size_t)vertices + corners, sizeof *self->group_of);
    memset(self->group_of, 0xff, vertices * sizeof *self->group_of);
    memset(next, 0xff, ((size_t)vertices + corners) * sizeof *next);
    for (uint32_t f = 0; f < faces->count; f++) {
        const Face face = face_of(faces, f);
        uint32_t *to = f < faces->triangle_count ? self->triangles + 3 * (size_t)f
                                                 : self->quads + 4 * (size_t)(f - faces->triangle_count);
        if (!is_there(&face, vertices)) {
            memset(to, 0, face.corners * sizeof *to);
            continue;
        }
        for (uint32_t c = 0; c < face.corners; c++) {
            const uint32_t group = self->group[face.first + c];
            uint32_t drawn = face.at[c];
            if (self->group_of[drawn] == NOBODY)
                self->group_of[drawn] = group;
            while (self->group_of[drawn] != group && next[drawn] != NOBODY)
                drawn = next[drawn];
            if (self->group_of[drawn] != group) {
                next[drawn] = vertices + self->copies;
                drawn = next[drawn];
                self->group_of[drawn] = group;
                self->copy_of[self->copies++] = face.at[c];
            }
            to[c] = drawn;
        }
    }
    dv_free(next);
}

static void number_groups(Creases *self, uint32_t *parent, uint32_t corners)
{
    self->group = dv_alloc(corners, sizeof *self->group);
    self->groups = 0;
    for (uint32_t i = 0; i < corners; i++) {
        const uint32_t root = root_of(parent, i); /* the least of its set */
        self->group[i] = root == i ? self->groups++ : self->group[root];
    }
}

static void clear(Creases *self)
{
    dv_free(self->copy_of);
    dv_free(self->triangles);
    dv_free(self->quads);
    dv_free(self->group);
    dv_free(self->group_of);
    self->copy_of = self->triangles = self->quads = self->group = self->group_of = NULL;
    self->copies = self->groups = self->triangle_count = self->quad_count = 0;
}

static void find(Creases *self, const DvSurfaceView *view, bool without_triangles)
{
    const Faces faces = {.triangles = view->triangles.at,
                         .quads = view->quads.at,
                         .triangle_count = without_triangles || !view->triangles.at ? 0 : view->triangles.count,
                         .quad_count = view->quads.at ? view->quads.count : 0,
                         .count = (without_triangles || !view->triangles.at ? 0 : view->triangles.count) +
                                  (view->quads.at ? view->quads.count : 0),
                         .vertices = view->positions.count};
    const uint32_t corners = 3 * faces.triangle_count + 4 * faces.quad_count;
    const bool has_shape = view->shape.at && view->shape.count == view->positions.count;
    if (corners == 0)
        return;
    uint32_t *parent = dv_alloc(corners, sizeof *parent);
    for (uint32_t i = 0; i < corners; i++)
        parent[i] = i;
    join_corners(&faces, has_shape ? view->shape.at : view->positions.at, cos(view->crease_angle * DV_PI / 180), parent,
                 corners);
    number_groups(self, parent, corners);
    self->triangle_count = faces.triangle_count;
    self->quad_count = faces.quad_count;
    self->triangles = dv_alloc(faces.triangle_count, 3 * sizeof *self->triangles);
    self->quads = dv_alloc(faces.quad_count, 4 * sizeof *self->quads);
    make_copies(self, &faces);
    dv_free(parent);
    if (self->copies == 0)
        clear(self);
}

bool creases_find(Creases *self, const DvSurfaceView *view, bool without_triangles)
{
    const uint64_t now[4] = {view->triangles.version, view->quads.version, view->shape.version,
                             (uint64_t)(view->shape.count == view->positions.count) << 1 | without_triangles};
    if (!(view->crease_angle > 0))
        return false;
    if (self->serial && self->vertices == view->positions.count && self->angle == view->crease_angle &&
        memcmp(self->seen, now, sizeof now) == 0)
        return self->copies > 0;
    clear(self);
    memcpy(self->seen, now, sizeof now);
    self->vertices = view->positions.count;
    self->angle = view->crease_angle;
    self->serial++;
    find(self, view, without_triangles);
    return self->copies > 0;
}

void creases_spread(const Creases *self, const double *from, uint32_t components, float *to)
{
    for (size_t i = 0; i < (size_t)self->vertices * components; i++)
        *to++ = (float)from[i];
    for (uint32_t i = 0; i < self->copies; i++)
        for (uint32_t c = 0; c < components; c++)
            *to++ = (float)from[(size_t)self->copy_of[i] * components + c];
}

static void add_normal(double *sum, DvVec3 normal)
{
    sum[0] += normal.x;
    sum[1] += normal.y;
    sum[2] += normal.z;
}

void creases_normals(const Creases *self, const double *at, float *to)
{
    const DvStepMark mark = dv_step_mark();
    double *sum = dv_step_alloc(3 * (size_t)self->groups, sizeof *sum);
    memset(sum, 0, 3 * (size_t)self->groups * sizeof *sum);
    const uint32_t faces = self->triangle_count + self->quad_count;
    const Faces all = {self->triangles, self->quads, self->triangle_count, self->quad_count, faces, self->vertices};
    for (uint32_t f = 0; f < faces; f++) {
        Face face = face_of(&all, f);
        uint32_t original[4];
        for (uint32_t c = 0; c < face.corners; c++)
            original[c] = face.at[c] < self->vertices ? face.at[c] : self->copy_of[face.at[c] - self->vertices];
        face.at = original;
        const DvVec3 normal = face_normal(&face, at);
        for (uint32_t c = 0; c < face.corners; c++)
            add_normal(sum + 3 * (size_t)self->group[face.first + c], normal);
    }
    for (uint32_t i = 0; i < self->vertices + self->copies; i++, to += 3) {
        double normal[3] = {0, 0, 0};
        if (self->group_of[i] != NOBODY)
            dv_vec3_store(dv_vec3_normalize(dv_vec3_load(sum + 3 * (size_t)self->group_of[i])), normal);
        for (int c = 0; c < 3; c++)
            to[c] = (float)normal[c];
    }
    dv_step_release(mark);
}

void creases_free(Creases *self)
{
    clear(self);
}
