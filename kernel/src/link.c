/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Links: the objects that they lead to. A target knows the links that point to it, so that it can be forgotten when it leaves the
 * graph; the path stays and may lead to another object later. Paths as text: words/link.c.
 */
#include "internal.h"

#include <string.h>

void dv_core_link_clear(DvLink *link, size_t count)
{
    for (size_t i = 0; i < link->count; i++)
        if (link->objects[i])
            g_ptr_array_remove_fast(link->objects[i]->referrers, link);
    if (count != link->count) {
        g_free(link->objects);
        link->objects = g_new(DvObject *, count);
        link->count = count;
    }
    if (count)
        memset(link->objects, 0, count * sizeof *link->objects);
}

void dv_core_link_point(DvLink *link, size_t index, DvObject *target)
{
    link->objects[index] = target;
    if (!target->referrers)
        target->referrers = g_ptr_array_new();
    g_ptr_array_add(target->referrers, link);
}

void dv_private_link_destroy(DvLink *link)
{
    dv_core_link_clear(link, 0);
    dv_private_data_destroy(&link->data);
}

void dv_private_links_forget(DvObject *target)
{
    GPtrArray *referrers = target->referrers;
    target->referrers = NULL;
    for (guint r = 0; referrers && r < referrers->len; r++) {
        DvLink *link = g_ptr_array_index(referrers, r);
        for (size_t i = 0; i < link->count; i++)
            if (link->objects[i] == target)
                link->objects[i] = NULL;
        dv_data_touch(&link->data);
    }
    if (referrers)
        g_ptr_array_free(referrers, TRUE);
}
