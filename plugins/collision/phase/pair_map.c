/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Pairs of bodies in the order of contacts; see the header.
 */
#include "pair_map.h"

#include <string.h>

#include <divan/kit/array.h>
#include <divan/memory.h>

static uint32_t place_of(const PairMap *map, uint32_t first, uint32_t second)
{
    uint32_t place = (first * 2654435761u ^ second * 2246822519u) & map->table_mask;
    while (map->table[place]) {
        const PairEntry *entry = &map->entries[map->table[place] - 1];
        if (entry->body[0] == first && entry->body[1] == second)
            break;
        place = (place + 1) & map->table_mask;
    }
    return place;
}

static void grow(PairMap *map)
{
    dv_columns_reserve(&map->capacity, map->count + 1, DV_COLUMN(map->entries));
    dv_free(map->table);
    map->table = dv_alloc(4 * (size_t)map->capacity, sizeof *map->table);
    map->table_mask = 4 * map->capacity - 1; /* capacities are powers of two */
    for (uint32_t i = 0; i < map->count; i++)
        map->table[place_of(map, map->entries[i].body[0], map->entries[i].body[1])] = i + 1;
}

static uint32_t entry_of(PairMap *map, uint32_t first, uint32_t second)
{
    if (map->count == map->capacity)
        grow(map);
    const uint32_t place = place_of(map, first, second);
    if (!map->table[place]) {
        map->entries[map->count] = (PairEntry){.body = {first, second}};
        map->table[place] = ++map->count;
    }
    return map->table[place] - 1;
}

static void rank_body(PairMap *map, uint32_t body)
{
    if (body >= map->body_count) {
        const uint32_t count = body + body / 2 + 16;
        map->rank = dv_realloc(map->rank, map->body_count * sizeof *map->rank, count * sizeof *map->rank);
        for (uint32_t i = map->body_count; i < count; i++)
            map->rank[i] = UINT32_MAX;
        map->body_count = count;
    }
    if (map->rank[body] != UINT32_MAX)
        return;
    map->rank[body] = map->ranks++;
    map->ordered = false;
}

static void rank_pair(PairMap *map, const uint32_t body[2])
{
    rank_body(map, body[1]);
    rank_body(map, body[0]);
}

static const PairEntry *lone_pair(const PairMap *map)
{
    for (uint32_t i = 0; i < map->count; i++)
        if (map->entries[i].present)
            return &map->entries[i];
    return NULL;
}

uint32_t pair_map_put(PairMap *map, uint32_t first, uint32_t second)
{
    const uint32_t body[2] = {first, second};
    if (map->present == 1) {
        const PairEntry lone = *lone_pair(map);
        rank_pair(map, map->rule == KEPT_PAIR_FIRST ? lone.body : body);
        rank_pair(map, map->rule == KEPT_PAIR_FIRST ? body : lone.body);
    } else if (map->present > 1) {
        rank_pair(map, body);
    }
    const uint32_t entry = entry_of(map, first, second);
    if (!map->entries[entry].present) {
        map->entries[entry].present = true;
        map->present++;
        map->ordered = false;
    }
    return entry;
}

void pair_map_look_up(PairMap *map, uint32_t first, uint32_t second)
{
    if (map->present != 1)
        return;
    const uint32_t body[2] = {first, second};
    const PairEntry lone = *lone_pair(map);
    rank_pair(map, lone.body);
    rank_pair(map, body);
}

uint32_t pair_map_find(const PairMap *map, uint32_t first, uint32_t second)
{
    const uint32_t entry = map->count > 0 ? map->table[place_of(map, first, second)] : 0;
    return entry > 0 && map->entries[entry - 1].present ? entry - 1 : UINT32_MAX;
}

void pair_map_take_out(PairMap *map, uint32_t entry)
{
    if (!map->entries[entry].present)
        return;
    map->entries[entry].present = false;
    map->present--;
    map->ordered = false;
}

static bool goes_before(const PairMap *map, uint32_t a, uint32_t b)
{
    const uint32_t *left = map->entries[a].body, *right = map->entries[b].body;
    if (left[0] != right[0])
        return map->rank[left[0]] < map->rank[right[0]];
    return map->rank[left[1]] < map->rank[right[1]];
}

/* Down a heap of entries whose largest is on top. */
static void sift(const PairMap *map, uint32_t *heap, uint32_t at, uint32_t count)
{
    for (;;) {
        uint32_t largest = at;
        for (uint32_t child = 2 * at + 1; child <= 2 * at + 2 && child < count; child++)
            if (goes_before(map, heap[largest], heap[child]))
                largest = child;
        if (largest == at)
            return;
        const uint32_t kept = heap[at];
        heap[at] = heap[largest];
        heap[largest] = kept;
        at = largest;
    }
}

const uint32_t *pair_map_order(PairMap *map)
{
    if (map->ordered)
        return map->order;
    if (map->present > map->order_capacity) {
        dv_free(map->order);
        map->order_capacity = 2 * map->present + 16;
        map->order = dv_alloc(map->order_capacity, sizeof *map->order);
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i < map->count; i++)
        if (map->entries[i].present)
            map->order[count++] = i;
    for (uint32_t i = count / 2; count > 1 && i-- > 0;)
        sift(map, map->order, i, count);
    for (uint32_t end = count; end > 1;) {
        const uint32_t last = map->order[--end];
        map->order[end] = map->order[0];
        map->order[0] = last;
        sift(map, map->order, 0, end);
    }
    map->ordered = true;
    return map->order;
}

/* Ranks given so far, bodies, the rank of each body, then the pairs that are present. */
void pair_map_save(PairMap *map, DvData *field, const uint32_t *entries)
{
    uint32_t bodies = map->body_count;
    while (bodies > 0 && map->rank[bodies - 1] == UINT32_MAX)
        bodies--;
    const uint32_t count = 2 + bodies + 2 * map->present;
    if (count > map->saved_capacity) {
        dv_free(map->saved);
        map->saved_capacity = 2 * count;
        map->saved = dv_alloc(map->saved_capacity, sizeof *map->saved);
    }
    uint32_t *at = map->saved;
    *at++ = map->ranks;
    *at++ = bodies;
    for (uint32_t i = 0; i < bodies; i++)
        *at++ = map->rank[i];
    for (uint32_t i = 0; i < map->present; i++) {
        *at++ = map->entries[entries[i]].body[0];
        *at++ = map->entries[entries[i]].body[1];
    }
    size_t known;
    const uint32_t *numbers = dv_data_uints(field, &known);
    if (known != count || memcmp(numbers, map->saved, count * sizeof *numbers) != 0)
        dv_data_set(field, map->saved, count);
}

bool pair_map_restore(PairMap *map, DvData *field)
{
    size_t count;
    const uint32_t *at = dv_data_uints(field, &count), *end = at + count;
    pair_map_clear(map);
    if (count == 0)
        return true;
    if (count < 2 || at[1] > count - 2 || (count - 2 - at[1]) % 2 != 0)
        return false;
    map->ranks = at[0];
    map->body_count = at[1];
    map->rank = dv_alloc(map->body_count, sizeof *map->rank);
    for (uint32_t i = 0; i < map->body_count; i++)
        map->rank[i] = at[2 + i];
    at += 2 + map->body_count;
    const bool several = end - at > 2; /* a lone pair may have no ranks yet */
    for (; at < end; at += 2) {
        for (int side = 0; several && side < 2; side++)
            if (at[side] >= map->body_count || map->rank[at[side]] == UINT32_MAX)
                return false;
        const uint32_t entry = entry_of(map, at[0], at[1]);
        map->present += !map->entries[entry].present;
        map->entries[entry].present = true;
    }
    return true;
}

void pair_map_clear(PairMap *map)
{
    dv_free(map->saved);
    dv_free(map->entries);
    dv_free(map->table);
    dv_free(map->rank);
    dv_free(map->order);
    *map = (PairMap){.rule = map->rule};
}
