/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Springs that a class makes from a mesh.
 */
#include "forcefield/spring/spring_list.h"

void spring_list_free(SpringList *list)
{
    dv_free(list->at);
    dv_free(list->pair);
    *list = (SpringList){0};
}

void spring_list_push(SpringList *list, LinearSpring spring)
{
    if (list->count == list->capacity) {
        const size_t larger = list->capacity > 0 ? 2 * list->capacity : 256;
        list->at = dv_realloc(list->at, list->capacity * sizeof spring, larger * sizeof spring);
        list->capacity = larger;
    }
    list->at[list->count++] = spring;
}

static bool insert_key(SpringList *list, uint64_t key)
{
    size_t at = (size_t)((key * 0x9E3779B97F4A7C15u) >> 20) & list->pair_mask;
    for (; list->pair[at] != 0; at = (at + 1) & list->pair_mask)
        if (list->pair[at] == key)
            return false;
    list->pair[at] = key;
    list->pairs++;
    return true;
}

bool spring_list_new_pair(SpringList *list, uint32_t a, uint32_t b)
{
    if (2 * list->pairs >= list->pair_mask) {
        const SpringList old = *list;
        list->pair_mask = old.pair_mask > 0 ? 4 * (old.pair_mask + 1) - 1 : 1023;
        list->pairs = 0;
        list->pair = dv_alloc(list->pair_mask + 1, sizeof *list->pair);
        for (size_t i = 0; old.pair && i <= old.pair_mask; i++)
            if (old.pair[i] != 0)
                (void)insert_key(list, old.pair[i]);
        dv_free(old.pair);
    }
    const uint64_t low = a < b ? a : b, high = a < b ? b : a;
    return insert_key(list, (low << 32 | high) + 1);
}
