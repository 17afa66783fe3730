/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Data attached to mesh elements: arrays with one entry per point, edge, triangle... of a topology, which follow its
 * additions, removals and renumberings by themselves. A component declares one at init and then uses the array; it
 * needs no event loop.
 *
 * Order of changes, as in dynamic meshes of the field: an added element goes to the end; a removed one is overwritten
 * by the last, which takes its number, one removal after the other; renumbering puts old[order[i]] at i.
 *
 * The list of what is attached is the topology's (DvTopologyOps.attached). A topology calls dv_element_data_apply for each
 * change, and dv_element_data_detach_all when it is destroyed.
 */
#ifndef DIVAN_ELEMENT_DATA_H
#define DIVAN_ELEMENT_DATA_H

#include <string.h>

#include <divan/contracts/topology.h>
#include <divan/memory.h>

DV_BEGIN_DECLS

static inline void *dv_element_data_entry(const DvElementData *data, uint32_t index)
{
    return (char *)data->entries + (size_t)index * data->entry_size;
}

/* New entries are zero. */
static inline void dv_element_data_grow(DvElementData *data, uint32_t count)
{
    if (count > data->capacity) {
        const uint32_t larger = count > 2 * data->capacity ? count : 2 * data->capacity;
        data->entries = dv_realloc(data->entries, data->capacity * data->entry_size, larger * data->entry_size);
        data->capacity = larger;
    }
    if (count > data->count)
        memset(dv_element_data_entry(data, data->count), 0, (count - data->count) * data->entry_size);
    data->count = count;
}

static inline void dv_element_data_clear(DvElementData *data)
{
    dv_free(data->entries);
    data->entries = NULL;
    data->topology = NULL;
    data->count = data->capacity = 0;
}

static inline DvElementDataList *dv_element_data_list(const DvObject *topology)
{
    const DvTopologyOps *ops = (const DvTopologyOps *)dv_object_ops(topology, DV_TOPOLOGY);
    return ops->attached(dv_object_self(topology));
}

/* Frees the entries; twice is harmless.     [main] */
static inline void dv_element_data_detach(DvElementData *data)
{
    DvElementDataList *list = data->topology ? dv_element_data_list(data->topology) : NULL;
    uint32_t kept = 0;
    for (uint32_t i = 0; list && i < list->count; i++)
        if (list->at[i] != data)
            list->at[kept++] = list->at[i];
    if (list)
        list->count = kept;
    dv_element_data_clear(data);
}

/* Starts with one zero entry per element of the topology (an object of contract divan.topology/1). `data` is zero but for
 * its description at first, and keeps its address until detached; it is detached by the topology when that goes first, or
 * when it is attached anew.     [main] */
DV_NODISCARD static inline DvStatus dv_element_data_attach(DvElementData *data, DvObject *topology)
{
    const DvTopologyOps *ops = topology ? (const DvTopologyOps *)dv_object_ops(topology, DV_TOPOLOGY) : NULL;
    if (!ops || !ops->attached)
        return DV_ERROR_MISSING;
    dv_element_data_detach(data); /* from what it was attached to before */
    void *self = dv_object_self(topology);
    DvElementDataList *list = ops->attached(self);
    if (list->count == list->capacity) {
        const uint32_t larger = list->capacity ? 2 * list->capacity : 8;
        list->at = (DvElementData **)dv_realloc(list->at, list->capacity * sizeof *list->at, larger * sizeof *list->at);
        list->capacity = larger;
    }
    list->at[list->count++] = data;
    data->topology = topology;
    dv_element_data_grow(data,
                         data->kind == DV_POINTS ? ops->point_count(self) : ops->elements(self, data->kind).count);
    if (!data->entries)
        data->entries = dv_alloc(1, data->entry_size);
    return DV_OK;
}

/* For topologies: the end of all that is attached.     [main] */
static inline void dv_element_data_detach_all(DvElementDataList *list)
{
    while (list->count)
        dv_element_data_clear(list->at[--list->count]);
    dv_free(list->at);
    list->at = NULL;
    list->capacity = 0;
}

/* Adds the weighted mean of the ancestors' entries to `to`. */
static inline void dv_element_data_mix(const DvElementData *data, const DvElementChange *change, uint32_t which,
                                       double *to)
{
    const uint32_t begin = change->ancestor_start[which], end = change->ancestor_start[which + 1];
    for (uint32_t a = begin; a < end; a++) {
        const double weight = change->weights ? change->weights[a] : 1.0 / (end - begin);
        const double *from = (const double *)dv_element_data_entry(data, change->ancestors[a]);
        for (size_t c = 0; c < data->entry_size / sizeof(double); c++)
            to[c] += weight * from[c];
    }
}

static inline void dv_element_data_add(DvElementData *data, const DvElementChange *change)
{
    const uint32_t first = data->count;
    dv_element_data_grow(data, first + change->count);
    for (uint32_t i = 0; data->interpolate && change->ancestor_start && i < change->count; i++)
        dv_element_data_mix(data, change, i, (double *)dv_element_data_entry(data, first + i));
    if (data->added)
        data->added(data, change, first);
}

static inline void dv_element_data_remove(DvElementData *data, const DvElementChange *change)
{
    for (uint32_t i = 0; i < change->count; i++) {
        const uint32_t index = change->indices[i], last = data->count - 1;
        if (data->removed)
            data->removed(data, index);
        if (index != last)
            memcpy(dv_element_data_entry(data, index), dv_element_data_entry(data, last), data->entry_size);
        data->count = last;
    }
}

static inline void dv_element_data_renumber(DvElementData *data, const DvElementChange *change)
{
    char *old = (char *)dv_alloc(data->count, data->entry_size);
    memcpy(old, data->entries, data->count * data->entry_size);
    for (uint32_t i = 0; i < change->count; i++)
        memcpy(dv_element_data_entry(data, i), old + change->indices[i] * data->entry_size, data->entry_size);
    dv_free(old);
}

static inline void dv_element_data_move(DvElementData *data, const DvElementChange *change)
{
    if (!data->interpolate || !change->ancestor_start)
        return;
    const size_t components = data->entry_size / sizeof(double);
    double *moved = (double *)dv_alloc(change->count, data->entry_size); /* ancestors keep theirs until all are mixed */
    for (uint32_t i = 0; i < change->count; i++)
        dv_element_data_mix(data, change, i, moved + i * components);
    for (uint32_t i = 0; i < change->count; i++)
        memcpy(dv_element_data_entry(data, change->indices[i]), moved + i * components, data->entry_size);
    dv_free(moved);
}

/* For topologies: passes a change on to everything attached to `topology`, in the order of attachment. Additions and
 * renumberings after the lists changed, removals before.     [step] */
static inline void dv_element_data_apply(DvObject *topology, const DvElementChange *change)
{
    const DvElementDataList *list = dv_element_data_list(topology);
    for (uint32_t i = 0; i < list->count; i++) {
        DvElementData *data = list->at[i];
        if (data->kind != change->kind || (change->replaced && data->replaced))
            continue;
        if (change->change == DV_ELEMENTS_ADDED)
            dv_element_data_add(data, change);
        else if (change->change == DV_ELEMENTS_REMOVED)
            dv_element_data_remove(data, change);
        else if (change->change == DV_ELEMENTS_RENUMBERED)
            dv_element_data_renumber(data, change);
        else if (change->change == DV_POINTS_MOVED)
            dv_element_data_move(data, change);
        if (data->changed)
            data->changed(data, change);
    }
}

/* For topologies, once their lists are others as a whole: tells those of one kind that want to know, which have `count` elements
 * now.     [step] */
static inline void dv_element_data_replace(DvObject *topology, DvElementKind kind, uint32_t count,
                                           DvMeshReplacement why)
{
    const DvElementDataList *list = dv_element_data_list(topology);
    for (uint32_t i = 0; i < list->count; i++) {
        DvElementData *data = list->at[i];
        if (data->kind != kind || !data->replaced)
            continue;
        data->count = 0;
        dv_element_data_grow(data, count);
        data->replaced(data, why);
    }
}

DV_END_DECLS
#endif
