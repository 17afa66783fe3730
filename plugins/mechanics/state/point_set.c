/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Indices that follow a topology: each point knows the number it had before the change, and the list is read through that. It
 * comes out in ascending order with its repetitions, and says where each entry stood, so that other lists can go along with it.
 */
#include "point_set.h"

#include "former_number.h"

#include <divan/contracts/topology.h>
#include <divan/memory.h>

DvObject *point_set_topology(DvObject *object, const DvLink *link)
{
    DvObject *topology = dv_object_find(object, link, DV_TOPOLOGY);
    const DvTopologyOps *ops = topology ? dv_object_ops(topology, DV_TOPOLOGY) : NULL;
    return ops && ops->is_dynamic && ops->is_dynamic(dv_object_self(topology)) ? topology : NULL;
}

static void changed(DvElementData *data, const DvElementChange *change)
{
    const PointSet *set = data->owner;
    if (change->change == DV_POINTS_MOVED)
        return;
    size_t count, kept = 0;
    uint32_t points = 0; /* former ones that the list names */
    const uint32_t *old = dv_data_uints(set->indices, &count);
    for (size_t i = 0; i < count; i++)
        points = old[i] >= points ? old[i] + 1 : points;
    uint32_t *start =
        dv_alloc((size_t)points + 1, sizeof *start); /* entries that name each former point: a counting sort */
    uint32_t *entry = dv_alloc(count, sizeof *entry);
    for (size_t i = 0; i < count; i++)
        start[old[i] + 1]++;
    for (uint32_t p = 0; p < points; p++)
        start[p + 1] += start[p];
    for (size_t i = 0; i < count; i++)
        entry[start[old[i]]++] = (uint32_t)i;
    /* start[p] is now where the entries of p end. */
    const size_t most = count + data->count;
    uint32_t *index = dv_alloc(most, sizeof *index), *place = dv_alloc(most, sizeof *place);
    for (uint32_t i = 0; i < data->count; i++) {
        const uint32_t former = former_number(data, i);
        if (former == UINT32_MAX && set->takes_new) {
            index[kept] = i;
            place[kept++] = UINT32_MAX;
        }
        for (uint32_t e = former < points && former > 0 ? start[former - 1] : 0; former < points && e < start[former];
             e++) {
            index[kept] = i;
            place[kept++] = entry[e];
        }
    }
    dv_data_set(set->indices, index, kept);
    former_number_start(data);
    if (set->changed)
        set->changed(set->owner, place, kept);
    dv_free(start);
    dv_free(entry);
    dv_free(index);
    dv_free(place);
}

DvStatus point_set_follow(PointSet *set, DvObject *topology)
{
    const DvStatus status = former_number_attach(&set->former, topology, DV_POINTS);
    set->former.owner = set;
    set->former.changed = changed;
    return status;
}

void point_set_leave(PointSet *set)
{
    dv_element_data_detach(&set->former);
}

bool point_set_is_range(const uint32_t *indices, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (indices[i] != i)
            return false;
    return true;
}

size_t point_set_remove_out_of_range(DvData *indices, uint32_t points)
{
    size_t count;
    const uint32_t *index = dv_data_uints(indices, &count);
    size_t good = 0, first_bad = count;
    for (size_t i = 0; i < count; i++) {
        if (index[i] < points)
            good++;
        else if (first_bad == count)
            first_bad = i;
    }
    if (good == count)
        return count;
    DvText text = {0};
    dv_text_add_missing(&text, "point", index[first_bad], "the state", points, index, count);
    dv_field_warning(indices, (int64_t)first_bad, "%s; %zu such %s left out", text.at, count - good,
                     count - good == 1 ? "entry is" : "entries are");
    dv_text_free(&text);
    uint32_t *kept = dv_data_begin(indices, count);
    size_t at = 0;
    for (size_t i = 0; i < count; i++)
        if (kept[i] < points)
            kept[at++] = kept[i];
    (void)dv_data_begin(indices, good);
    dv_data_end(indices);
    return good;
}
