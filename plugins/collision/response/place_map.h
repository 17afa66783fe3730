/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Contacts at one place count once: of those whose points are, both together, nearer to each other than 0.1 mm the first.
 */
#ifndef DV_COLLISION_PLACE_MAP_H
#define DV_COLLISION_PLACE_MAP_H

#include <divan/contracts/collision.h>
#include <divan/memory.h>

#include <math.h>
#include <string.h>

#define SAME_PLACE 1e-4 /* m */

/* Contacts by the place of their first point: chains by cell. Zeros at first. */
typedef struct PlaceMap {
    uint32_t *cells, *next; /* contact + 1; 0: the end */
    uint32_t mask, capacity;
} PlaceMap;

static inline void place_map_free(PlaceMap *map)
{
    dv_free(map->cells);
    dv_free(map->next);
    memset(map, 0, sizeof *map);
}

static inline void place_map_restart(PlaceMap *map, uint32_t listed)
{
    if (listed > map->capacity) {
        place_map_free(map);
        map->capacity = 2 * listed + 16;
        map->next = (uint32_t *)dv_alloc(map->capacity, sizeof *map->next);
        uint32_t size = 64;
        while (size < map->capacity)
            size *= 2;
        map->cells = (uint32_t *)dv_alloc(size, sizeof *map->cells);
        map->mask = size - 1;
    }
    if (map->capacity > 0)
        memset(map->cells, 0, ((size_t)map->mask + 1) * sizeof *map->cells);
}

/* Cells are much larger, so that a place is mostly in one with all that is as near. */
static inline int64_t place_map_along(double x)
{
    const double cell = floor(x / (16.0 * SAME_PLACE));
    return fabs(cell) < 1e15 ? (int64_t)cell : 0; /* far away all share one, which costs time and nothing else */
}

static inline uint32_t *place_map_cell(const PlaceMap *map, int64_t x, int64_t y, int64_t z)
{
    const uint64_t spread = 11400714819323198485u;
    const uint64_t hash = (((uint64_t)x * spread ^ (uint64_t)y) * spread ^ (uint64_t)z) * spread;
    return &map->cells[(uint32_t)(hash >> 32) & map->mask];
}

static inline bool is_same_place(const DvContact *a, const DvContact *b)
{
    double sum = 0.0;
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < 3; i++)
            sum += (a->point[side][i] - b->point[side][i]) * (a->point[side][i] - b->point[side][i]);
    return sum < SAME_PLACE * SAME_PLACE;
}

/* Whether one that is kept already stands for this contact: those whose first point is in a cell near its own. */
static inline bool place_map_knows(const PlaceMap *map, const DvContactPair *pair, uint32_t index)
{
    const double *p = pair->contacts[index].point[0];
    int64_t first[3], last[3];
    for (int i = 0; i < 3; i++) {
        first[i] = place_map_along(p[i] - SAME_PLACE);
        last[i] = place_map_along(p[i] + SAME_PLACE);
    }
    for (int64_t x = first[0]; x <= last[0]; x++)
        for (int64_t y = first[1]; y <= last[1]; y++)
            for (int64_t z = first[2]; z <= last[2]; z++)
                for (uint32_t k = *place_map_cell(map, x, y, z); k > 0; k = map->next[k - 1])
                    if (is_same_place(&pair->contacts[k - 1], &pair->contacts[index]))
                        return true;
    return false;
}

/* kept[pair->count]: 1 for each that counts, else 0. */
static inline void places_choose(PlaceMap *map, const DvContactPair *pair, uint32_t *kept)
{
    place_map_restart(map, pair->count);
    for (uint32_t i = 0; i < pair->count; i++) {
        kept[i] = place_map_knows(map, pair, i) ? 0 : 1;
        if (!kept[i])
            continue;
        const double *p = pair->contacts[i].point[0];
        uint32_t *cell = place_map_cell(map, place_map_along(p[0]), place_map_along(p[1]), place_map_along(p[2]));
        map->next[i] = *cell;
        *cell = i + 1;
    }
}

#endif
