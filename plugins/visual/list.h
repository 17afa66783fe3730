/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Lists that grow while a picture is recorded or drawn. Start as zeros; memory stays until list_free, so that setting `count` to 0
 * begins anew without asking for some.
 */
#ifndef DIVAN_VISUAL_LIST_H
#define DIVAN_VISUAL_LIST_H

#include <divan/kit/array.h>

typedef struct List {
    void *at;
    uint32_t count, capacity;
} List;

/* One more element of `size` bytes, zero; valid until the next. */
static inline void *list_add(List *list, size_t size)
{
    dv_array_grow(list, size, (uint64_t)list->count + 1); /* a List is a DV_ARRAY(void) */
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
