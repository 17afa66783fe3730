/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "number_map.h"

static uint32_t *find_slot(const NumberMap *map, int64_t number)
{
    uint32_t at = (uint32_t)(((uint64_t)number * 0x9E3779B97F4A7C15u) >> 32) & map->mask;
    while (map->slot[at] && map->number.data[map->slot[at] - 1] != number)
        at = (at + 1) & map->mask;
    return &map->slot[at];
}

static void build(NumberMap *map)
{
    uint32_t slots = 64;
    while (slots < UINT32_MAX / 4 && (uint64_t)slots < 4 * (uint64_t)map->number.count)
        slots *= 2;
    dv_free(map->slot);
    map->slot = dv_alloc(slots, sizeof *map->slot);
    map->mask = slots - 1;
    for (uint32_t i = 0; i < map->number.count; i++)
        *find_slot(map, map->number.data[i]) = i + 1;
}

bool number_map_add(NumberMap *map, int64_t number)
{
    const uint32_t count = map->number.count;
    const bool follows = count == 0 || (number > 0 && map->number.data[count - 1] == number - 1);
    if (!map->slot && !follows)
        build(map);
    if (map->slot && *find_slot(map, number))
        return false;
    dv_array_push(&map->number, number);
    if (map->slot && 2 * (uint64_t)map->number.count > map->mask)
        build(map);
    else if (map->slot)
        *find_slot(map, number) = map->number.count;
    return true;
}

uint32_t number_map_find(const NumberMap *map, int64_t number)
{
    if (map->slot) {
        const uint32_t slot = *find_slot(map, number);
        return slot ? slot - 1 : UINT32_MAX;
    }
    const uint32_t count = map->number.count;
    const bool has = count > 0 && number >= map->number.data[0] && number <= map->number.data[count - 1];
    return has ? (uint32_t)(number - map->number.data[0]) : UINT32_MAX;
}

void number_map_free(NumberMap *map)
{
    dv_array_free(&map->number);
    dv_free(map->slot);
    map->slot = NULL;
}
