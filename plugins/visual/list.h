/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Lists that grow while a picture is recorded or drawn. Start as zeros; memory stays until list_free, so that setting `count` to 0
 * begins anew without asking for some.
 */
#ifndef DIVAN_VISUAL_LIST_H
#define DIVAN_VISUAL_LIST_H

#include <string.h>

#include <divan/memory.h>

typedef struct List {
    void *at;
    uint32_t count, capacity;
} List;

/* One more element of `size` bytes, zero; valid until the next. */
static inline void *list_add(List *list, size_t size)
{
    if (list->count == list->capacity) {
        const uint32_t capacity = list->capacity ? 2 * list->capacity : 16;
        list->at = dv_realloc(list->at, list->capacity * size, capacity * size);
        list->capacity = capacity;
    }
    void *element = (char *)list->at + list->count++ * size;
    memset(element, 0, size);
    return element;
}

static inline void list_free(List *list)
{
    dv_free(list->at);
    *list = (List){0};
}

#endif
