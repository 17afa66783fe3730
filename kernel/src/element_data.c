/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Arrays attached to mesh elements. The topology tells each change once; the arrays are moved here, for everybody alike.
 */
#include "internal.h"

#include <string.h>

#include <divan/contracts/topology.h>

uint32_t dv_element_nodes(DvElementKind kind)
{
    static const uint32_t nodes[DV_ELEMENT_KINDS] = {1, 2, 3, 4, 4, 8, 6, 5};
    return kind < DV_ELEMENT_KINDS ? nodes[kind] : 0;
}

static void *entry(const DvElementData *data, uint32_t index)
{
    return (char *)data->entries + (size_t)index * data->entry_size;
}

static void grow(DvElementData *data, uint32_t count)
{
    if (count > data->capacity) {
        const uint32_t larger = count > 2 * data->capacity ? count : 2 * data->capacity;
        data->entries = dv_realloc(data->entries, data->capacity * data->entry_size, larger * data->entry_size);
        data->capacity = larger;
    }
    if (count > data->count)
        memset(entry(data, data->count), 0, (count - data->count) * data->entry_size);
    data->count = count;
}

DvStatus dv_element_data_attach(DvElementData *data, DvObject *topology)
{
    const DvTopologyOps *ops = topology ? dv_object_ops(topology, DV_TOPOLOGY) : NULL;
    if (!ops)
        return DV_ERROR_MISSING;
    dv_element_data_detach(data); /* from what it was attached to before */
    data->topology = topology;
    grow(data,
         data->kind == DV_POINTS ? ops->point_count(topology->self) : ops->elements(topology->self, data->kind).count);
    if (!data->entries)
        data->entries = dv_alloc(1, data->entry_size);
    if (!topology->attached)
        topology->attached = g_ptr_array_new();
    g_ptr_array_add(topology->attached, data);
    return DV_OK;
}

void dv_element_data_detach(DvElementData *data)
{
    if (data->topology)
        g_ptr_array_remove(data->topology->attached, data);
    dv_free(data->entries);
    data->entries = NULL;
    data->topology = NULL;
    data->count = data->capacity = 0;
}

void dv_private_element_data_forget(DvObject *topology)
{
    while (topology->attached && topology->attached->len)
        dv_element_data_detach(g_ptr_array_index(topology->attached, topology->attached->len - 1));
    g_clear_pointer(&topology->attached, g_ptr_array_unref);
}

/* Adds the weighted mean of the ancestors' entries to `to`. */
static void mix_ancestors(const DvElementData *data, const DvElementChange *change, uint32_t which, double *to)
{
    const uint32_t begin = change->ancestor_start[which], end = change->ancestor_start[which + 1];
    for (uint32_t a = begin; a < end; a++) {
        const double weight = change->weights ? change->weights[a] : 1.0 / (end - begin);
        const double *from = entry(data, change->ancestors[a]);
        for (size_t c = 0; c < data->entry_size / sizeof(double); c++)
            to[c] += weight * from[c];
    }
}

static void follow_additions(DvElementData *data, const DvElementChange *change)
{
    const uint32_t first = data->count;
    grow(data, first + change->count);
    if (data->interpolate && change->ancestor_start)
        for (uint32_t i = 0; i < change->count; i++)
            mix_ancestors(data, change, i, entry(data, first + i));
    if (data->added)
        data->added(data, change, first);
}

static void follow_removals(DvElementData *data, const DvElementChange *change)
{
    for (uint32_t i = 0; i < change->count; i++) {
        const uint32_t index = change->indices[i], last = data->count - 1;
        if (data->removed)
            data->removed(data, index);
        if (index != last)
            memcpy(entry(data, index), entry(data, last), data->entry_size);
        data->count = last;
    }
}

static void follow_renumbering(DvElementData *data, const DvElementChange *change)
{
    void *old = dv_alloc(data->count, data->entry_size);
    memcpy(old, data->entries, data->count * data->entry_size);
    for (uint32_t i = 0; i < change->count; i++)
        memcpy(entry(data, i), (char *)old + (size_t)change->indices[i] * data->entry_size, data->entry_size);
    dv_free(old);
}

static void follow_moves(DvElementData *data, const DvElementChange *change)
{
    if (!data->interpolate || !change->ancestor_start)
        return;
    double *moved =
        dv_alloc(change->count, data->entry_size); /* ancestors keep their old entries until all are mixed */
    const size_t components = data->entry_size / sizeof(double);
    for (uint32_t i = 0; i < change->count; i++)
        mix_ancestors(data, change, i, moved + i * components);
    for (uint32_t i = 0; i < change->count; i++)
        memcpy(entry(data, change->indices[i]), moved + i * components, data->entry_size);
    dv_free(moved);
}

void dv_element_data_apply(DvObject *topology, const DvElementChange *change)
{
    for (guint i = 0; topology->attached && i < topology->attached->len; i++) {
        DvElementData *data = g_ptr_array_index(topology->attached, i);
        if (data->kind != change->kind)
            continue;
        switch (change->change) {
        case DV_ELEMENTS_ADDED:
            follow_additions(data, change);
            break;
        case DV_ELEMENTS_REMOVED:
            follow_removals(data, change);
            break;
        case DV_ELEMENTS_RENUMBERED:
            follow_renumbering(data, change);
            break;
        case DV_POINTS_MOVED:
            follow_moves(data, change);
            break;
        }
        if (data->changed)
            data->changed(data, change);
    }
}
