/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Lists of pointers that objects and nodes hold. Their memory is the kernel's, so that what is made anew finds that of what has gone.
 */
#include "ground.h"

#include <string.h>

enum { FIRST_ROOM = 8 }; /* one aligned block */

void dv_private_list_insert(List *list, uint32_t index, void *what)
{
    if (list->len == list->room) {
        const uint32_t room = list->room ? 2 * list->room : FIRST_ROOM;
        list->at = dv_realloc(list->at, list->room * sizeof *list->at, room * sizeof *list->at);
        list->room = room;
    }
    memmove(list->at + index + 1, list->at + index, (list->len - index) * sizeof *list->at);
    list->at[index] = what;
    list->len++;
}

void dv_private_list_add(List *list, void *what)
{
    dv_private_list_insert(list, list->len, what);
}

/* Most lists change at their end. */
uint32_t dv_private_list_find(const List *list, const void *what)
{
    for (uint32_t i = list->len; i-- > 0;)
        if (list->at[i] == what)
            return i;
    return DV_PRIVATE_NOT_THERE;
}

void dv_private_list_remove_at(List *list, uint32_t index)
{
    memmove(list->at + index, list->at + index + 1, (--list->len - index) * sizeof *list->at);
}

void dv_private_list_remove(List *list, const void *what)
{
    const uint32_t index = dv_private_list_find(list, what);
    if (index != DV_PRIVATE_NOT_THERE)
        dv_private_list_remove_at(list, index);
}

void dv_private_list_free(List *list)
{
    dv_free(list->at);
    *list = (List){0};
}
