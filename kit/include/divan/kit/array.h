/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Growing arrays for code that collects elements without knowing how many there will be: DV_ARRAY(Type) is a struct with
 * data, count and capacity; dv_array_push doubles the capacity when it must. Counts are 32-bit, as all element numbers
 * are: what is collected comes from files below 2 GiB, so no count can pass that.
 */
#ifndef DIVAN_KIT_ARRAY_H
#define DIVAN_KIT_ARRAY_H

#include <divan/memory.h>

#include <assert.h>
#include <string.h>

#define DV_ARRAY(Type)            \
    struct {                      \
        Type *data;               \
        uint32_t count, capacity; \
    }

typedef DV_ARRAY(uint32_t) DvIndexArray;
typedef DV_ARRAY(int32_t) DvIntArray;
typedef DV_ARRAY(double) DvRealArray;

/* The capacity of what must hold `need` items and has grown to `capacity`: twice that, at least 16. */
static inline uint32_t dv_array_capacity(uint32_t capacity, uint64_t need)
{
    assert(need < UINT32_MAX);
    uint64_t larger = capacity ? (uint64_t)capacity * 2 : 16;
    if (larger < need)
        larger = need;
    return larger > UINT32_MAX ? UINT32_MAX : (uint32_t)larger;
}

/* Capacity for `need` items of `item` bytes; `array` points to any DV_ARRAY. */
static inline void dv_array_grow(void *array, size_t item, uint64_t need)
{
    DV_ARRAY(void) any;
    memcpy(&any, array, sizeof any); /* all ARRAYs share this layout; copying keeps the aliasing rules */
    if (need <= any.capacity)
        return;
    const uint32_t capacity = dv_array_capacity(any.capacity, need);
    any.data = dv_realloc(any.data, (size_t)any.capacity * item, (size_t)capacity * item);
    any.capacity = capacity;
    memcpy(array, &any, sizeof any);
}

#define dv_array_reserve(array, need) dv_array_grow((array), sizeof *(array)->data, (need))

#define dv_array_push(array, ...)                                                    \
    (dv_array_reserve((array), (uint64_t)(array)->count + 1), assert((array)->data), \
     (void)((array)->data[(array)->count++] = (__VA_ARGS__)))

/* A new size; items beyond the old count are zero. */
#define dv_array_resize(array, size)                                                                          \
    do {                                                                                                      \
        const uint32_t array_size = (size);                                                                   \
        dv_array_reserve((array), array_size);                                                                \
        if (array_size > (array)->count) {                                                                    \
            assert((array)->data);                                                                            \
            memset((array)->data + (array)->count, 0, (array_size - (array)->count) * sizeof *(array)->data); \
        }                                                                                                     \
        (array)->count = array_size;                                                                          \
    } while (0)

/* Copies of `added` items that lie elsewhere. */
#define dv_array_append(array, items, added)                                                      \
    do {                                                                                          \
        const uint32_t array_added = (added);                                                     \
        if (array_added) {                                                                        \
            dv_array_reserve((array), (uint64_t)(array)->count + array_added);                    \
            assert((array)->data);                                                                \
            memcpy((array)->data + (array)->count, (items), array_added * sizeof *(array)->data); \
            (array)->count += array_added;                                                        \
        }                                                                                         \
    } while (0)

#define dv_array_clear(array) ((void)((array)->count = 0))

#define dv_array_free(array)                    \
    do {                                        \
        dv_free((array)->data);                 \
        (array)->data = NULL;                   \
        (array)->count = (array)->capacity = 0; \
    } while (0)

/* Arrays of one capacity that grow together: dv_columns_reserve(&capacity, need, DV_COLUMN(first), DV_COLUMN(second)), where `first` is
 * the pointer to its items. New items are zero. */
typedef struct DvColumn {
    void *array; /* address of the pointer */
    size_t item; /* bytes */
} DvColumn;
#define DV_COLUMN(pointer)            \
    {                                 \
        &(pointer), sizeof *(pointer) \
    }

static inline void dv_columns_grow(uint32_t *capacity, uint64_t need, const DvColumn *columns, size_t count)
{
    const uint32_t larger = dv_array_capacity(*capacity, need);
    for (size_t i = 0; i < count; i++) {
        void *items;
        memcpy(&items, columns[i].array, sizeof items);
        items = dv_realloc(items, *capacity * columns[i].item, larger * columns[i].item);
        memcpy(columns[i].array, &items, sizeof items);
    }
    *capacity = larger;
}

#define dv_columns_reserve(capacity, need, ...)                                                          \
    do {                                                                                                 \
        if ((need) > *(capacity)) {                                                                      \
            const DvColumn array_columns[] = {__VA_ARGS__};                                              \
            dv_columns_grow((capacity), (need), array_columns, sizeof array_columns / sizeof(DvColumn)); \
        }                                                                                                \
    } while (0)

#endif
