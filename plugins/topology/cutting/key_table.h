/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A table from up to three point numbers to one number, for the edges and faces that a cut comes across.
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
    uint32_t value; /* UINT32_MAX: free */
} KeyEntry;

typedef struct KeyTable {
    KeyEntry *entries;
    uint32_t size, count; /* size: a power of two */
} KeyTable;

static inline Key key_of(const uint32_t *points, uint32_t count)
{
    Key key = {{points[0], points[1], count > 2 ? points[2] : UINT32_MAX}};
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < 2; i++)
            if (key.point[i] > key.point[i + 1]) {
                const uint32_t larger = key.point[i];
                key.point[i] = key.point[i + 1];
                key.point[i + 1] = larger;
            }
    return key;
}

static inline KeyEntry *key_table_place(const KeyTable *table, Key key)
{
    uint64_t hash = key.point[0] * UINT64_C(0x9E3779B97F4A7C15) ^ key.point[1] * UINT64_C(0xC2B2AE3D27D4EB4F) ^
                    key.point[2] * UINT64_C(0x165667B19E3779F9);
    hash = (hash ^ hash >> 31) * UINT64_C(0x9E3779B97F4A7C15);
    hash ^= hash >> 32;
    for (uint32_t i = (uint32_t)hash & (table->size - 1);; i = (i + 1) & (table->size - 1)) {
        KeyEntry *entry = &table->entries[i];
        if (entry->value == UINT32_MAX || memcmp(&entry->key, &key, sizeof key) == 0)
            return entry;
    }
}

static inline void key_table_resize(KeyTable *table, uint32_t size)
{
    const KeyTable old = *table;
    table->entries = (KeyEntry *)dv_alloc(size, sizeof *table->entries);
    table->size = size;
    memset(table->entries, 0xFF, size * sizeof *table->entries);
    for (uint32_t i = 0; i < old.size; i++)
        if (old.entries[i].value != UINT32_MAX)
            *key_table_place(table, old.entries[i].key) = old.entries[i];
    dv_free(old.entries);
}

/* The value of a key; UINT32_MAX: there is none. */
static inline uint32_t key_table_get(const KeyTable *table, Key key)
{
    return table->size ? key_table_place(table, key)->value : UINT32_MAX;
}

/* The value of a key, to be written by the caller before the next call if it is UINT32_MAX. */
static inline uint32_t *key_table_at(KeyTable *table, Key key)
{
    if (2 * table->count >= table->size)
        key_table_resize(table, table->size ? 2 * table->size : 1024);
    KeyEntry *entry = key_table_place(table, key);
    table->count += entry->value == UINT32_MAX;
    entry->key = key;
    return &entry->value;
}

static inline void key_table_free(KeyTable *table)
{
    dv_free(table->entries);
    *table = (KeyTable){0};
}

#endif
