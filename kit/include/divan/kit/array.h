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

/* Makes room for `need` items of `item` bytes; `array` points to any DV_ARRAY. */
static inline void dv_array_grow(void *array, size_t item, uint64_t need)
{
    DV_ARRAY(void) any;
    memcpy(&any, array, sizeof any); /* all ARRAYs share this layout; copying keeps the aliasing rules */
    if (need <= any.capacity)
        return;
    assert(need < UINT32_MAX);
    uint64_t capacity = any.capacity ? (uint64_t)any.capacity * 2 : 16;
    if (capacity < need)
        capacity = need;
    if (capacity > UINT32_MAX)
        capacity = UINT32_MAX;
    any.data = dv_realloc(any.data, (size_t)any.capacity * item, (size_t)capacity * item);
    any.capacity = (uint32_t)capacity;
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

#endif
