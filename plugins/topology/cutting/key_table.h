/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A table from up to three point numbers to one number from 1 on, for the edges and faces that a cut comes across.
 */
#ifndef DIVAN_TOPOLOGY_KEY_TABLE_H
#define DIVAN_TOPOLOGY_KEY_TABLE_H

#include <divan/memory.h>

#include <stdint.h>
#include <string.h>

typedef struct Key {
    uint32_t point[3]; /* ascending; UINT32_MAX: none */
} Key;

typedef struct KeyEntry {
    Key key;
    uint32_t value; /* 0: free */
} KeyEntry;

typedef struct KeyTable {
    KeyEntry *entries;
    uint32_t size, count; /* size: a power of two */
} KeyTable;

static inline Key key_of(const uint32_t *points, uint32_t count)
{
    uint32_t a = points[0], b = points[1], c = count > 2 ? points[2] : UINT32_MAX;
    const uint32_t low = a < b ? a : b, high = a < b ? b : a;
    const uint32_t middle = high < c ? high : c;
    c = high < c ? c : high;
    a = low < middle ? low : middle;
    b = low < middle ? middle : low;
    return (Key){{a, b, c}};
}

static inline KeyEntry *key_table_place(const KeyTable *table, Key key)
{
    uint64_t hash = key.point[0] * UINT64_C(0x9E3779B97F4A7C15) ^ key.point[1] * UINT64_C(0xC2B2AE3D27D4EB4F) ^
                    key.point[2] * UINT64_C(0x165667B19E3779F9);
    hash = (hash ^ hash >> 31) * UINT64_C(0x9E3779B97F4A7C15);
    hash ^= hash >> 32;
    for (uint32_t i = (uint32_t)hash & (table->size - 1);; i = (i + 1) & (table->size - 1)) {
        KeyEntry *entry = &table->entries[i];
        const uint32_t *at = entry->key.point;
        if (entry->value == 0 || ((at[0] ^ key.point[0]) | (at[1] ^ key.point[1]) | (at[2] ^ key.point[2])) == 0)
            return entry;
    }
}

/* Room for so many. */
static inline void key_table_reserve(KeyTable *table, uint32_t count)
{
    const KeyTable old = *table;
    uint32_t size = old.size ? old.size : 1024;
    while (size / 2 < count)
        size *= 2;
    if (size == old.size)
        return;
    table->entries = (KeyEntry *)dv_alloc(size, sizeof *table->entries);
    table->size = size;
    for (uint32_t i = 0; i < old.size; i++)
        if (old.entries[i].value)
            *key_table_place(table, old.entries[i].key) = old.entries[i];
    dv_free(old.entries);
}

/* The value of a key; 0: there is none. */
static inline uint32_t key_table_get(const KeyTable *table, Key key)
{
    return table->size ? key_table_place(table, key)->value : 0;
}

/* The value of a key, to be written by the caller before the next call if it is 0. */
static inline uint32_t *key_table_at(KeyTable *table, Key key)
{
    if (2 * table->count >= table->size)
        key_table_reserve(table, table->count + 1);
    KeyEntry *entry = key_table_place(table, key);
    table->count += entry->value == 0;
    entry->key = key;
    return &entry->value;
}

static inline void key_table_clear(KeyTable *table)
{
    if (table->count)
        memset(table->entries, 0, table->size * sizeof *table->entries);
    table->count = 0;
}

static inline void key_table_free(KeyTable *table)
{
    dv_free(table->entries);
    *table = (KeyTable){0};
}

#endif
