/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Numbers touched by edits of a mesh; see the header. Removals are told while the mesh is still the old one: element number
 * total - 1 - i takes the place of the i-th that goes, or is itself one that has been counted.
 */
#include <divan/kit/ascending.h>
#include <divan/kit/mesh_edits.h>

#include <divan/element_data.h>
#include <divan/kit/array.h>

#include <string.h>

enum { FEWEST_NUMBERS = 256 };

static void touch(DvIndexArray *numbers, uint32_t number)
{
    dv_array_push(numbers, number);
}

static const DvTopologyOps *ops_of(const DvElementData *data)
{
    return dv_object_ops(data->topology, DV_TOPOLOGY);
}

static void touch_points_of(DvMeshEdits *edits, const DvElements *elements, uint32_t element)
{
    const uint32_t nodes = dv_element_nodes(edits->kind);
    for (uint32_t j = 0; element < elements->count && j < nodes; j++)
        touch(&edits->points, elements->at[(size_t)element * nodes + j]);
}

static void forget_kept_pairs(DvMeshEdits *edits)
{
    if (edits->kept_pairs && edits->kept_pairs->count > 0)
        dv_data_set(edits->kept_pairs, NULL, 0);
    if (edits->pairs_made && dv_data_bool(edits->pairs_made))
        dv_data_set_bool(edits->pairs_made, false);
}

static void make_all_anew(DvMeshEdits *edits)
{
    edits->all = true;
    forget_kept_pairs(edits);
}

/* Rather than a list as long as the mesh. */
static void check_size(DvMeshEdits *edits)
{
    const uint64_t most = edits->of_points.count + (uint64_t)edits->of_elements.count + 4 * FEWEST_NUMBERS;
    if ((uint64_t)edits->points.count + edits->elements.count > 2 * most)
        make_all_anew(edits);
}

/* Those of an element that goes, which may be left without any: for a scene that is saved before they are looked for. */
static void keep_pairs_of(DvMeshEdits *edits, const DvElements *elements, uint32_t element)
{
    const uint32_t nodes = dv_element_nodes(edits->kind), *point = elements->at + (size_t)element * nodes;
    if (!edits->kept_pairs || !dv_data_bool(edits->pairs_made))
        return;
    size_t used = edits->kept_pairs->count;
    uint32_t *at = dv_data_begin(edits->kept_pairs, used + (size_t)nodes * (nodes - 1));
    for (uint32_t i = 0; i < nodes; i++)
        for (uint32_t j = 0; j < nodes; j++)
            if (point[i] < point[j]) {
                at[used++] = point[i];
                at[used++] = point[j];
            }
    (void)dv_data_begin(edits->kept_pairs, used);
    dv_data_end(edits->kept_pairs);
}

static void elements_changed(DvElementData *data, const DvElementChange *change)
{
    DvMeshEdits *edits = data->owner;
    const DvElements elements = ops_of(data)->elements(dv_object_self(data->topology), data->kind);
    for (uint32_t i = 0; change->change == DV_ELEMENTS_REMOVED && i < change->count; i++)
        keep_pairs_of(edits, &elements, change->indices[i]);
    if (change->change == DV_POINTS_MOVED || edits->all)
        return;
    edits->any = true;
    const uint32_t first = change->total - (change->change == DV_ELEMENTS_ADDED ? change->count : 0);
    switch (change->change) {
    case DV_ELEMENTS_ADDED:
        for (uint32_t element = first; element < change->total; element++) {
            touch(&edits->elements, element);
            touch_points_of(edits, &elements, element);
        }
        break;
    case DV_ELEMENTS_REMOVED:
        for (uint32_t i = 0; i < change->count; i++) {
            touch(&edits->elements, change->indices[i]);
            touch_points_of(edits, &elements, change->indices[i]);
            touch_points_of(edits, &elements, first + i);
        }
        break;
    default:
        make_all_anew(edits);
    }
    check_size(edits);
}

/* Elements around a point name it by another number from now on. */
static void touch_around(DvMeshEdits *edits, const DvAdjacency *around, const DvElements *elements, uint32_t point)
{
    for (uint32_t at = point < around->count ? around->begin[point] : 0;
         point < around->count && at < around->end[point]; at++) {
        touch(&edits->elements, around->items[at]);
        touch_points_of(edits, elements, around->items[at]);
    }
}

static void points_changed(DvElementData *data, const DvElementChange *change)
{
    DvMeshEdits *edits = data->owner;
    edits->points_moved = edits->points_moved || change->change == DV_POINTS_MOVED;
    if (change->change != DV_POINTS_MOVED)
        forget_kept_pairs(edits);
    if (change->change == DV_POINTS_MOVED || edits->all)
        return;
    edits->any = edits->points_edited = true;
    const DvTopologyOps *ops = ops_of(data);
    void *self = dv_object_self(data->topology);
    if (change->change == DV_ELEMENTS_ADDED) {
        for (uint32_t point = change->total - change->count; point < change->total; point++)
            touch(&edits->points, point);
    } else if (change->change == DV_ELEMENTS_REMOVED) {
        const DvAdjacency around = ops->adjacency(self, DV_POINTS, edits->kind);
        const DvElements elements = ops->elements(self, edits->kind);
        for (uint32_t i = 0; i < change->count; i++) {
            touch(&edits->points, change->indices[i]);
            touch_around(edits, &around, &elements, change->total + i);
        }
    } else {
        make_all_anew(edits);
    }
    check_size(edits);
}

static void replaced(DvElementData *data, DvMeshReplacement why)
{
    DvMeshEdits *edits = data->owner;
    edits->any = edits->all = edits->points_edited = true;
    if (why != DV_MESH_RESTORED)
        forget_kept_pairs(edits);
}

DvStatus dv_mesh_edits_attach(DvMeshEdits *edits, DvObject *topology, DvElementKind kind)
{
    dv_mesh_edits_detach(edits);
    const DvTopologyOps *ops = dv_object_ops(topology, DV_TOPOLOGY);
    edits->kind = kind;
    if (!ops->is_dynamic(dv_object_self(topology)))
        return DV_OK;
    edits->of_points = (DvElementData){
        .kind = DV_POINTS, .entry_size = 1, .owner = edits, .changed = points_changed, .replaced = replaced};
    edits->of_elements = (DvElementData){
        .kind = kind, .entry_size = 1, .owner = edits, .changed = elements_changed, .replaced = replaced};
    const DvStatus status = dv_element_data_attach(&edits->of_points, topology);
    return status == DV_OK ? dv_element_data_attach(&edits->of_elements, topology) : status;
}

void dv_mesh_edits_detach(DvMeshEdits *edits)
{
    dv_element_data_detach(&edits->of_points);
    dv_element_data_detach(&edits->of_elements);
    dv_free(edits->points.data);
    dv_free(edits->elements.data);
    *edits = (DvMeshEdits){.kind = edits->kind, .kept_pairs = edits->kept_pairs, .pairs_made = edits->pairs_made};
}

static void sort(DvIndexArray *numbers, uint32_t limit)
{
    const uint32_t count = dv_ascending_sort(numbers->data, numbers->count);
    numbers->count = dv_ascending_place(numbers->data, count, limit);
}

void dv_mesh_edits_sort(DvMeshEdits *edits, uint32_t points, uint32_t elements)
{
    sort(&edits->points, points);
    sort(&edits->elements, elements);
}

bool dv_mesh_edits_touch_point(const DvMeshEdits *edits, uint32_t point)
{
    return dv_ascending_has(edits->points.data, edits->points.count, point);
}

void dv_mesh_edits_touch_points(DvMeshEdits *edits, const uint32_t *points, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        touch(&edits->points, points[i]);
    edits->any = edits->any || count > 0;
}

void dv_mesh_edits_copy_points(const DvMeshEdits *edits, DvData *field, const DvConstVec *from)
{
    if (!edits->points_edited)
        return;
    double *at = dv_data_begin(field, from->count);
    for (uint32_t i = 0; i < edits->points.count; i++)
        memcpy(at + 3 * (size_t)edits->points.data[i], from->at + 3 * (size_t)edits->points.data[i], 3 * sizeof *at);
    dv_data_end(field);
}

void dv_mesh_edits_clear(DvMeshEdits *edits)
{
    edits->points.count = edits->elements.count = 0;
    edits->any = edits->all = edits->points_edited = edits->points_moved = false;
}
