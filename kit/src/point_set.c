/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Indices that follow a topology. A change says which points go and which take their numbers; the list is read once, and only if
 * it names one of them it is written: in ascending order with its repetitions, and with the place where each entry stood, so that
 * other lists can go along with it.
 */
#include <divan/kit/point_set.h>

#include <divan/kit/renumbering.h>

#include <divan/contracts/topology.h>
#include <divan/memory.h>

#include <stdlib.h>

DvObject *dv_point_set_topology(DvObject *object, const DvLink *link)
{
    DvObject *state = dv_node_context(dv_object_node(object), DV_STATE);
    DvObject *topology = dv_link_is_set(link) ? dv_link_object(link) : NULL;
    if (!dv_link_is_set(link) && state)
        topology = dv_node_find(dv_object_node(state), DV_TOPOLOGY, DV_SEARCH_LOCAL);
    const DvTopologyOps *ops = topology ? dv_object_ops(topology, DV_TOPOLOGY) : NULL;
    return ops && ops->is_dynamic && ops->is_dynamic(dv_object_self(topology)) ? topology : NULL;
}

typedef struct Entry {
    uint32_t index, place;
} Entry;

static int ascending(const void *a, const void *b)
{
    const Entry *left = a, *right = b;
    if (left->index != right->index)
        return left->index < right->index ? -1 : 1;
    return left->place < right->place ? -1 : left->place > right->place;
}

static void write_entries(const DvPointSet *set, Entry *entries, size_t count)
{
    bool sorted = true;
    for (size_t i = 1; i < count; i++)
        sorted = sorted && entries[i - 1].index <= entries[i].index;
    if (!sorted)
        qsort(entries, count, sizeof *entries, ascending);
    uint32_t *index = dv_data_begin_all(set->indices, count), *place = dv_alloc(count, sizeof *place);
    for (size_t i = 0; i < count; i++) {
        index[i] = entries[i].index;
        place[i] = entries[i].place;
    }
    dv_data_end(set->indices);
    if (set->changed)
        set->changed(set->owner, place, count);
    dv_free(place);
}

static void changed(DvElementData *data, const DvElementChange *change)
{
    const DvPointSet *set = data->owner;
    const bool added = change->change == DV_ELEMENTS_ADDED;
    if (change->change == DV_POINTS_MOVED || (added && !set->takes_new))
        return;
    size_t count, kept = 0;
    const uint32_t *old = dv_data_uints(set->indices, &count);
    DvRenumbering renumbering = dv_renumbering_of(change);
    Entry *entries = dv_alloc(count + (added ? change->count : 0), sizeof *entries);
    bool same = !added;
    for (size_t i = 0; i < count; i++) {
        const uint32_t index = dv_renumbering_new(&renumbering, old[i]);
        same = same && index == old[i];
        if (index != UINT32_MAX)
            entries[kept++] = (Entry){index, (uint32_t)i};
    }
    for (uint32_t i = change->total - change->count; added && i < change->total; i++)
        entries[kept++] = (Entry){i, UINT32_MAX};
    if (!same)
        write_entries(set, entries, kept);
    dv_renumbering_free(&renumbering);
    dv_free(entries);
}

/* A saved scene has put the indices back itself. */
static void replaced(DvElementData *data, DvMeshReplacement why)
{
    const DvPointSet *set = data->owner;
    size_t before, count;
    if (why != DV_MESH_RESET)
        return;
    (void)dv_data_uints(set->indices, &before);
    const bool changed = dv_start_values_put_back(&set->start, set->indices);
    if (set->put_back)
        set->put_back(set->owner);
    if (!changed || !set->changed || set->put_back)
        return;
    (void)dv_data_uints(set->indices, &count);
    uint32_t *place = dv_alloc(count, sizeof *place);
    for (size_t i = 0; i < count; i++)
        place[i] = i < before ? (uint32_t)i : UINT32_MAX;
    set->changed(set->owner, place, count);
    dv_free(place);
}

DvStatus dv_point_set_follow(DvPointSet *set, DvObject *topology)
{
    dv_point_set_leave(set);
    dv_start_values_keep(&set->start, set->indices);
    set->follower =
        (DvElementData){.kind = DV_POINTS, .entry_size = 1, .owner = set, .changed = changed, .replaced = replaced};
    return dv_element_data_attach(&set->follower, topology);
}

void dv_point_set_leave(DvPointSet *set)
{
    dv_element_data_detach(&set->follower);
    dv_start_values_free(&set->start);
}

bool dv_point_set_is_range(const uint32_t *indices, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (indices[i] != i)
            return false;
    return true;
}

size_t dv_point_set_remove_out_of_range(DvData *indices, uint32_t points)
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
