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
            dv_private_list_remove(&link->objects[i]->referrers, link);
    if (count != link->count) {
        dv_free(link->objects);
        link->objects = count ? dv_alloc(count, sizeof *link->objects) : NULL;
        link->count = count;
    }
    if (count)
        memset(link->objects, 0, count * sizeof *link->objects);
}

void dv_core_link_point(DvLink *link, size_t index, DvObject *target)
{
    link->objects[index] = target;
    dv_private_list_add(&target->referrers, link);
}

void dv_private_link_destroy(DvLink *link)
{
    dv_core_link_clear(link, 0);
    dv_private_data_destroy(&link->data);
}

void dv_private_links_forget(DvObject *target)
{
    List referrers = target->referrers;
    target->referrers = (List){0};
    for (guint r = 0; r < referrers.len; r++) {
        DvLink *link = dv_private_at(&referrers, r);
        for (size_t i = 0; i < link->count; i++)
            if (link->objects[i] == target)
                link->objects[i] = NULL;
        dv_data_touch(&link->data);
    }
    dv_private_list_free(&referrers);
}
