/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Shapes found by a hash of their numbers; see the header.
 */
#include "forcefield/fem/hexahedron_shapes.h"

#include <divan/memory.h>

#include <math.h>
#include <string.h>

enum { FEWEST_SHAPES = 16, ROUNDED_BITS = 42 };

typedef struct ShapeEntry {
    HexahedronShape shape;
    uint64_t hash;
    uint32_t users, next; /* next of the bucket, or without users, + 1; 0: none */
    bool shared;
} ShapeEntry;

HexahedronShape hexahedron_shape(const double node[8][3], double lambda, double mu)
{
    HexahedronShape shape = {.lame = {lambda, mu}};
    double squares = 0.0;
    for (int c = 0; c < 3; c++)
        squares += (node[6][c] - node[0][c]) * (node[6][c] - node[0][c]);
    int exponent;
    (void)frexp(sqrt(squares), &exponent);
    const double unit = ldexp(1.0, exponent - ROUNDED_BITS), inverse = ldexp(1.0, ROUNDED_BITS - exponent);
    for (int n = 1; n < 8; n++)
        for (int c = 0; c < 3; c++)
            shape.node[n][c] = rint((node[n][c] - node[0][c]) * inverse) * unit + 0.0; /* no -0 */
    return shape;
}

static uint64_t hash_of(const HexahedronShape *shape)
{
    uint64_t words[sizeof *shape / sizeof(uint64_t)], hash = 0;
    memcpy(words, shape, sizeof words);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        hash = (hash ^ words[i]) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 29;
    }
    return hash;
}

static void link_entry(HexahedronShapes *s, uint32_t number)
{
    uint32_t *bucket = &s->bucket[s->entry[number].hash & (s->buckets - 1)];
    s->entry[number].next = *bucket;
    *bucket = number + 1;
}

static void unlink_entry(HexahedronShapes *s, uint32_t number)
{
    uint32_t *at = &s->bucket[s->entry[number].hash & (s->buckets - 1)];
    while (*at != number + 1)
        at = &s->entry[*at - 1].next;
    *at = s->entry[number].next;
}

static void grow(HexahedronShapes *s)
{
    const uint32_t room = s->room ? s->room + s->room / 2 : FEWEST_SHAPES;
    s->stiffness = dv_realloc(s->stiffness, s->room * sizeof *s->stiffness, room * sizeof *s->stiffness);
    s->entry = dv_realloc(s->entry, s->room * sizeof *s->entry, room * sizeof *s->entry);
    s->room = room;
    if (room <= s->buckets)
        return;
    while (s->buckets < room)
        s->buckets = s->buckets ? 2 * s->buckets : FEWEST_SHAPES;
    dv_free(s->bucket);
    s->bucket = dv_alloc(s->buckets, sizeof *s->bucket);
    for (uint32_t number = 0; number < s->used; number++)
        if (s->entry[number].users > 0 && s->entry[number].shared)
            link_entry(s, number);
}

static uint32_t new_number(HexahedronShapes *s)
{
    if (s->unused > 0) {
        const uint32_t number = s->unused - 1;
        s->unused = s->entry[number].next;
        return number;
    }
    if (s->used == s->room)
        grow(s);
    return s->used++;
}

uint32_t hexahedron_shapes_take(HexahedronShapes *s, const HexahedronShape *shape, bool shared, bool *made)
{
    const uint64_t hash = hash_of(shape);
    *made = false;
    for (uint32_t at = shared && s->buckets ? s->bucket[hash & (s->buckets - 1)] : 0; at > 0;
         at = s->entry[at - 1].next)
        if (s->entry[at - 1].hash == hash && memcmp(&s->entry[at - 1].shape, shape, sizeof *shape) == 0) {
            s->entry[at - 1].users++;
            return at - 1;
        }
    const uint32_t number = new_number(s);
    s->entry[number] = (ShapeEntry){*shape, hash, 1, 0, shared};
    if (shared)
        link_entry(s, number);
    s->live++;
    *made = true;
    return number;
}

void hexahedron_shapes_release(HexahedronShapes *s, uint32_t number)
{
    ShapeEntry *entry = &s->entry[number];
    if (--entry->users > 0)
        return;
    if (entry->shared)
        unlink_entry(s, number);
    entry->next = s->unused;
    s->unused = number + 1;
    s->live--;
}

bool hexahedron_shapes_lives(const HexahedronShapes *s, uint32_t number)
{
    return s->entry[number].users > 0;
}

void hexahedron_shapes_free(HexahedronShapes *s)
{
    dv_free(s->stiffness);
    dv_free(s->entry);
    dv_free(s->bucket);
    *s = (HexahedronShapes){0};
}
