/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Indices that follow a topology: one flag per point, which moves with the point; the list is made from the flags anew.
 */
#include "point_set.h"

#include <divan/contracts/topology.h>
#include <divan/memory.h>

DvObject *point_set_topology(DvObject *object, const DvLink *link)
{
    DvObject *topology =
        dv_link_is_set(link) ? dv_link_object(link) : dv_node_context(dv_object_node(object), DV_TOPOLOGY);
    const DvTopologyOps *ops = topology ? dv_object_ops(topology, DV_TOPOLOGY) : NULL;
    return ops && ops->is_dynamic && ops->is_dynamic(dv_object_self(topology)) ? topology : NULL;
}

static void added(DvElementData *data, const DvElementChange *change, uint32_t first)
{
    const PointSet *set = data->owner;
    bool *member = data->entries;
    for (uint32_t i = first; i < first + change->count; i++)
        member[i] = set->takes_new;
}

static void changed(DvElementData *data, const DvElementChange *change)
{
    const PointSet *set = data->owner;
    if (change->change == DV_POINTS_MOVED)
        return;
    const bool *member = data->entries;
    uint32_t count = 0;
    uint32_t *index = dv_data_begin_all(set->indices, data->count);
    for (uint32_t i = 0; i < data->count; i++)
        if (member[i])
            index[count++] = i;
    (void)dv_data_begin(set->indices, count);
    dv_data_end(set->indices);
    if (set->changed)
        set->changed(set->owner);
}

DvStatus point_set_follow(PointSet *set, DvObject *topology)
{
    dv_element_data_detach(&set->members);
    set->members = (DvElementData){
        .kind = DV_POINTS, .entry_size = sizeof(bool), .owner = set, .added = added, .changed = changed};
    const DvStatus status = dv_element_data_attach(&set->members, topology);
    if (status != DV_OK)
        return status;
    size_t count;
    const uint32_t *index = dv_data_uints(set->indices, &count);
    bool *member = set->members.entries;
    for (size_t i = 0; i < count; i++)
        if (index[i] < set->members.count)
            member[index[i]] = true;
    return DV_OK;
}

void point_set_leave(PointSet *set)
{
    dv_element_data_detach(&set->members);
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
    dv_field_warning(indices, (int64_t)first_bad, "no point %u: the state has %u, counted from 0; %zu such %s left out",
                     index[first_bad], points, count - good, count - good == 1 ? "entry is" : "entries are");
    uint32_t *kept = dv_data_begin(indices, count);
    size_t at = 0;
    for (size_t i = 0; i < count; i++)
        if (kept[i] < points)
            kept[at++] = kept[i];
    (void)dv_data_begin(indices, good);
    dv_data_end(indices);
    return good;
}
