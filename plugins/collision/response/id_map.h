/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which contact has an id: open addressing, kept from step to step.
 */
#ifndef DV_COLLISION_ID_MAP_H
#define DV_COLLISION_ID_MAP_H

#include <divan/memory.h>

#include <string.h>

typedef struct IdPlace {
    int64_t id;
    uint32_t index; /* + 1; 0: free */
} IdPlace;

typedef struct IdMap {
    IdPlace *places;
    uint32_t mask; /* + 1: places, a power of 2 */
} IdMap;

/* Empties it and makes room for `count` ids; allocates when there were never so many. */
static inline void id_map_restart(IdMap *map, uint32_t count)
{
    uint32_t size = map->places ? map->mask + 1 : 64;
    if (map->places && size >= 2 * count) {
        memset(map->places, 0, size * sizeof *map->places);
        return;
    }
    while (size < 2 * count)
        size *= 2;
    dv_free(map->places);
    map->places = (IdPlace *)dv_alloc(size, sizeof *map->places);
    map->mask = size - 1;
}

/* Where an id is, or would be (index 0). */
static inline IdPlace *id_map_find(const IdMap *map, int64_t id)
{
    uint32_t at = (uint32_t)((uint64_t)id * 11400714819323198485u >> 32) & map->mask;
    while (map->places[at].index > 0 && map->places[at].id != id)
        at = (at + 1) & map->mask;
    return &map->places[at];
}

static inline void id_map_free(IdMap *map)
{
    dv_free(map->places);
    map->places = NULL;
    map->mask = 0;
}

#endif
