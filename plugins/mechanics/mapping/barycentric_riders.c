/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Points of BarycentricMapping on elements that come, go and change their numbers.
 */
#include "barycentric_points.h"

#include <divan/kit/ascending.h>
#include <divan/memory.h>

#include <stdlib.h>
#include <string.h>

/* ---- Which points hang on an element ---- */

void barycentric_hang(BarycentricMapping *self, uint32_t point, uint32_t element)
{
    const uint32_t first = self->rider[element];
    self->hangs[point] = element;
    self->previous[point] = NO_POINT;
    self->next[point] = first;
    if (first != NO_POINT)
        self->previous[first] = point;
    self->rider[element] = point;
}

static void get_off(BarycentricMapping *self, uint32_t point)
{
    const uint32_t next = self->next[point], previous = self->previous[point];
    if (next != NO_POINT)
        self->previous[next] = previous;
    if (previous != NO_POINT)
        self->next[previous] = next;
    else
        self->rider[self->hangs[point]] = next;
}

static void reserve_elements(BarycentricMapping *self, uint32_t elements)
{
    if (elements > self->element_capacity) {
        const uint32_t capacity = elements + elements / 2;
        self->rider =
            dv_realloc(self->rider, self->element_capacity * sizeof *self->rider, capacity * sizeof *self->rider);
        self->element_capacity = capacity;
    }
    for (; self->elements < elements; self->elements++)
        self->rider[self->elements] = NO_POINT;
}

void barycentric_reserve_points(BarycentricMapping *self, uint32_t points)
{
    const uint32_t old = self->point_capacity, capacity = points + points / 2;
    uint32_t **lists[] = {&self->hangs, &self->next, &self->previous};
    if (points <= old)
        return;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        *lists[i] = dv_realloc(*lists[i], old * sizeof **lists[i], capacity * sizeof **lists[i]);
    self->point_capacity = capacity;
}

void barycentric_forget_elements(BarycentricMapping *self)
{
    dv_free(self->hangs);
    dv_free(self->rider);
    dv_free(self->next);
    dv_free(self->previous);
    self->hangs = self->rider = self->next = self->previous = NULL;
    self->element_capacity = self->elements = self->point_capacity = 0;
    self->touched.count = self->coming = 0;
    self->renumbered = false;
}

/* The elements of points that hang on all nodes of one of a mesh that may change. */
void barycentric_find_elements(BarycentricMapping *self)
{
    DvLocationMesh mesh = {0};
    const DvTopologyRef *in = &self->in_mesh;
    if (!self->ready || self->bodies || self->rows.rows == 0 || self->rows.rows != self->located ||
        !self->watch[DV_POINTS].topology || (in->ops->grid && in->ops->grid(in->self, &(DvGridShape){0})) ||
        dv_object_ops(in->object, DV_SPARSE_GRID))
        return;
    barycentric_choose_changing_list(self, &mesh);
    self->kind = mesh.list_count ? mesh.lists[0].kind : DV_POINTS;
    const uint32_t nodes = dv_element_nodes(self->kind);
    if (self->kind == DV_POINTS || self->rows.row_length != nodes)
        return;
    const DvAdjacency around = in->ops->adjacency(in->self, DV_POINTS, self->kind);
    barycentric_reserve_points(self, self->rows.rows);
    reserve_elements(self, mesh.lists[0].elements.count);
    for (uint32_t i = 0; i < self->rows.rows; i++) {
        const uint32_t *node = self->rows.column + (size_t)i * nodes;
        uint32_t at = node[0] < around.count ? around.begin[node[0]] : 0;
        const uint32_t end = node[0] < around.count ? around.end[node[0]] : 0;
        while (at < end &&
               memcmp(mesh.lists[0].elements.at + (size_t)around.items[at] * nodes, node, nodes * sizeof *node) != 0)
            at++;
        if (at == end) {
            barycentric_forget_elements(self);
            return;
        }
        barycentric_hang(self, i, around.items[at]);
    }
}

/* ---- Points that hang on what goes */

static bool is_gone(const DvElementChange *change, uint32_t element)
{
    uint32_t low = 0, high = change->count; /* from the largest down */
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (change->indices[middle] > element)
            low = middle + 1;
        else
            high = middle;
    }
    return low < change->count && change->indices[low] == element;
}

static void add_once(DvIndexArray *numbers, uint32_t number)
{
    for (uint32_t i = 0; i < numbers->count; i++)
        if (numbers->data[i] == number)
            return;
    dv_array_push(numbers, number);
}

/* Elements that stay around one that goes; when there are none, around those that go with it. */
static void find_neighbours(const BarycentricMapping *self, const DvElementChange *change, uint32_t gone,
                            DvIndexArray *left)
{
    const uint32_t nodes = dv_element_nodes(self->kind);
    const DvElements list = barycentric_elements(self, self->kind);
    const DvAdjacency around = self->in_mesh.ops->adjacency(self->in_mesh.self, DV_POINTS, self->kind);
    DvIndexArray going = {0};
    add_once(&going, gone);
    left->count = 0;
    for (uint32_t i = 0, ring = 1; i < going.count; i++) {
        if (i == ring) { /* all that share a point with those before have been seen */
            if (left->count > 0)
                break;
            ring = going.count;
        }
        for (uint32_t k = 0; k < nodes; k++) {
            const uint32_t node = list.at[(size_t)going.data[i] * nodes + k];
            for (uint32_t at = node < around.count ? around.begin[node] : 0;
                 node < around.count && at < around.end[node]; at++)
                add_once(is_gone(change, around.items[at]) ? &going : left, around.items[at]);
        }
    }
    dv_array_free(&going);
}

/* The best of some elements for each of some points, as for those of a whole mesh. */
static bool locate_among(const BarycentricMapping *self, const double *x, uint32_t x_count,
                         const DvIndexArray *elements, DvLocationPoints points, double *weights, uint32_t *element)
{
    const uint32_t nodes = dv_element_nodes(self->kind);
    const DvElements all = barycentric_elements(self, self->kind);
    uint32_t *list = dv_alloc((size_t)elements->count * nodes, sizeof *list);
    for (uint32_t i = 0; i < elements->count; i++)
        memcpy(list + (size_t)i * nodes, all.at + (size_t)elements->data[i] * nodes, nodes * sizeof *list);
    const DvLocationMesh mesh = {
        .points = x, .point_count = x_count, .lists = {{self->kind, {list, elements->count}}}, .list_count = 1};
    DvLocation *found = dv_alloc(points.count, sizeof *found);
    if (self->kind == DV_EDGES)
        dv_locate_on_nearest_edge(&mesh, points, found);
    else if (dv_data_bool((DvData *)(uintptr_t)&self->nearest_element))
        dv_locate_on_nearest(&mesh, points, found);
    else
        dv_locate_in_all(&mesh, points, found);
    bool all_found = true;
    for (uint32_t i = 0; i < points.count && all_found; i++) {
        uint32_t node[8];
        all_found = found[i].element != DV_NO_ELEMENT &&
                    dv_location_weights(&mesh, found[i], false, node, weights + (size_t)i * nodes) == nodes;
        element[i] = all_found ? elements->data[found[i].element] : DV_NO_ELEMENT;
    }
    dv_free(found);
    dv_free(list);
    return all_found;
}

typedef struct Orphan {
    uint32_t element, row;
} Orphan;

static int by_element(const void *a, const void *b)
{
    const Orphan *left = a, *right = b;
    if (left->element != right->element)
        return left->element < right->element ? -1 : 1;
    return left->row < right->row ? -1 : left->row > right->row;
}

/* Points of one element that goes. False: nothing is left around it. */
static bool rehang(BarycentricMapping *self, const DvElementChange *change, const Orphan *orphans, uint32_t count)
{
    const uint32_t nodes = dv_element_nodes(self->kind);
    const DvConstVec in = dv_state_read(self->base.in, DV_POSITION), out = dv_state_read(self->base.out, DV_POSITION);
    DvIndexArray left = {0};
    find_neighbours(self, change, orphans[0].element, &left);
    double *at = dv_alloc(count, 3 * sizeof *at), *weights = dv_alloc((size_t)count * 8, sizeof *weights);
    uint32_t *element = dv_alloc(count, sizeof *element);
    for (uint32_t i = 0; i < count; i++)
        memcpy(at + 3 * (size_t)i, out.at + (size_t)orphans[i].row * out.dim, 3 * sizeof *at);
    const bool found = left.count > 0 &&
                       locate_among(self, in.at, in.count, &left, (DvLocationPoints){at, count, 3}, weights, element);
    double *row_weights = dv_data_begin(&self->row_weights, self->row_weights.count);
    for (uint32_t i = 0; i < count && found; i++) {
        memcpy(row_weights + (size_t)orphans[i].row * nodes, weights + (size_t)i * nodes, nodes * sizeof *weights);
        get_off(self, orphans[i].row);
        barycentric_hang(self, orphans[i].row, element[i]);
        dv_array_push(&self->touched, orphans[i].row);
    }
    dv_data_end(&self->row_weights);
    dv_array_free(&left);
    dv_free(at);
    dv_free(weights);
    dv_free(element);
    return found;
}

/* Elements are about to go. False: some points have to be looked for in the whole mesh. */
static bool leave_elements(BarycentricMapping *self, const DvElementChange *change)
{
    const DvConstVec in = dv_state_read(self->base.in, DV_POSITION), out = dv_state_read(self->base.out, DV_POSITION);
    const uint32_t before = change->total + change->count;
    if (!in.at || !out.at || in.count < self->rows.columns || out.count < self->located)
        return false;
    uint32_t count = 0;
    for (uint32_t i = 0; i < change->count; i++)
        for (uint32_t p = self->rider[change->indices[i]]; p != NO_POINT; p = self->next[p])
            count++;
    Orphan *orphans = dv_alloc(count, sizeof *orphans);
    count = 0;
    for (uint32_t i = 0; i < change->count; i++)
        for (uint32_t p = self->rider[change->indices[i]]; p != NO_POINT; p = self->next[p])
            orphans[count++] = (Orphan){change->indices[i], p};
    if (count)
        qsort(orphans, count, sizeof *orphans, by_element);
    bool found = true;
    for (uint32_t i = 0, next; i < count && found; i = next) {
        for (next = i + 1; next < count && orphans[next].element == orphans[i].element;)
            next++;
        found = rehang(self, change, orphans + i, next - i);
    }
    for (uint32_t i = 0; i < change->count && found; i++) { /* nothing hangs on those that go */
        const uint32_t gone = change->indices[i], last = before - 1 - i;
        if (gone == last)
            continue;
        self->rider[gone] = self->rider[last];
        for (uint32_t p = self->rider[gone]; p != NO_POINT; p = self->next[p]) {
            self->hangs[p] = gone;
            dv_array_push(&self->touched, p);
        }
        self->rider[last] = NO_POINT;
    }
    self->elements = change->total;
    dv_free(orphans);
    return found;
}

/* Points of the output go. */
static void leave_points(BarycentricMapping *self, const DvElementChange *change)
{
    const uint32_t nodes = dv_element_nodes(self->kind), before = self->located;
    double *weights = dv_data_begin(&self->row_weights, (size_t)before * nodes);
    for (uint32_t i = 0; i < change->count; i++) {
        const uint32_t gone = change->indices[i], last = before - 1 - i;
        get_off(self, gone);
        if (gone == last)
            continue;
        const uint32_t element = self->hangs[last];
        get_off(self, last);
        barycentric_hang(self, gone, element);
        dv_array_push(&self->touched, gone);
        memcpy(weights + (size_t)gone * nodes, weights + (size_t)last * nodes, nodes * sizeof *weights);
    }
    self->located = change->total;
    (void)dv_data_begin(&self->row_weights, (size_t)self->located * nodes);
    dv_data_end(&self->row_weights);
}

/* Points of the input are about to go: elements of those that take their numbers name them otherwise. */
static void touch_around(BarycentricMapping *self, const DvElementChange *change)
{
    const DvAdjacency around = self->in_mesh.ops->adjacency(self->in_mesh.self, DV_POINTS, self->kind);
    for (uint32_t point = change->total; point < change->total + change->count && point < around.count; point++)
        for (uint32_t at = around.begin[point]; at < around.end[point]; at++)
            for (uint32_t p = self->rider[around.items[at]]; p != NO_POINT; p = self->next[p])
                dv_array_push(&self->touched, p);
}

/* Each once. */
static void sort_touched(BarycentricMapping *self)
{
    DvIndexArray *touched = &self->touched;
    const uint32_t count = dv_ascending_sort(touched->data, touched->count);
    touched->count = dv_ascending_place(touched->data, count, self->located);
}

/* The rows of `hangs`, with the numbers that nodes have now, where something was touched. */
void barycentric_take_new_rows(BarycentricMapping *self)
{
    const uint32_t nodes = dv_element_nodes(self->kind), before = self->rows.rows;
    const DvElements list = barycentric_elements(self, self->kind);
    if (self->renumbered) {
        self->touched.count = 0;
        for (uint32_t i = 0; i < self->located; i++)
            dv_array_push(&self->touched, i);
    }
    sort_touched(self);
    uint32_t *row = dv_data_begin(&self->row_nodes, (size_t)self->located * nodes);
    for (uint32_t i = 0; i < self->touched.count; i++) {
        const uint32_t point = self->touched.data[i];
        memcpy(row + (size_t)point * nodes, list.at + (size_t)self->hangs[point] * nodes, nodes * sizeof *row);
    }
    dv_data_end(&self->row_nodes);
    uint32_t *start = dv_data_begin(&self->row_start, (size_t)self->located + 1);
    for (uint32_t i = before; i < self->located; i++)
        start[i + 1] = start[i] + nodes;
    dv_data_end(&self->row_start);
    size_t numbers;
    dv_weighted_rows_change(&self->rows, self->located, self->touched.data, self->touched.count,
                            dv_data_uints(&self->row_nodes, &numbers), dv_data_doubles(&self->row_weights, &numbers));
    self->touched.count = 0;
    self->renumbered = false;
}

/* ---- Changes of the meshes */

static void copy_positions(BarycentricMapping *self)
{
    DvElementData *points = &self->watch[DV_POINTS];
    const DvConstVec in = dv_state_read(self->base.in, DV_POSITION);
    self->copied = in.at && in.count == points->count;
    if (self->copied)
        memcpy(points->entries, in.at, (size_t)in.count * 3 * sizeof(double));
}

/* The mesh is about to change or has changed: what the points hang on now is where they have to hang afterwards. */
static void locate_later(BarycentricMapping *self)
{
    if (self->changed)
        return;
    self->changed = true;
    if (self->coming == 0) /* else there is a copy, as old as their positions */
        copy_positions(self);
}

static void mesh_changed(DvElementData *data, const DvElementChange *change)
{
    BarycentricMapping *self = data->owner;
    const bool removed = change->change == DV_ELEMENTS_REMOVED;
    if (change->replaced) { /* its lists are others already, and so are the states, or will be */
        self->changed = self->replaced = true;
        self->copied = false;
    }
    if (self->changed)
        return;
    if (!self->hangs || change->change == DV_POINTS_MOVED) {
        locate_later(self);
    } else if (change->change == DV_ELEMENTS_ADDED) { /* points stay where they are */
        if (data->kind == self->kind)
            reserve_elements(self, change->total);
    } else if (data->kind == self->kind) {
        if (!(removed && leave_elements(self, change)))
            locate_later(self);
    } else if (data->kind == DV_POINTS) {
        if (removed)
            touch_around(self, change);
        else
            self->renumbered = true;
    }
}

static void output_changed(DvElementData *data, const DvElementChange *change)
{
    BarycentricMapping *self = data->owner;
    if (self->changed || change->without_states)
        return;
    const bool removed = change->change == DV_ELEMENTS_REMOVED, added = change->change == DV_ELEMENTS_ADDED;
    if (self->hangs && removed && self->coming == 0 && change->total + change->count == self->located) {
        leave_points(self, change);
    } else if (self->hangs && added && change->total - change->count == self->located + self->coming) {
        if (self->coming == 0)
            copy_positions(self);
        self->coming += change->count;
    } else {
        locate_later(self);
    }
}

DvStatus barycentric_watch_output(BarycentricMapping *self)
{
    const DvTopologyRef *mesh = &self->out_mesh;
    if (!mesh->ops || mesh->object == self->in_mesh.object || !mesh->ops->is_dynamic(mesh->self))
        return DV_OK;
    self->output = (DvElementData){.kind = DV_POINTS, .owner = self, .changed = output_changed};
    return dv_element_data_attach(&self->output, mesh->object);
}

DvStatus barycentric_watch_mesh(BarycentricMapping *self)
{
    DvStatus status = DV_OK;
    for (uint32_t kind = 0; kind < DV_ELEMENT_KINDS && status == DV_OK; kind++) {
        DvElementData *watch = &self->watch[kind];
        *watch = (DvElementData){.kind = (DvElementKind)kind, .owner = self, .changed = mesh_changed};
        if (kind == DV_POINTS) {
            watch->entry_size = 3 * sizeof(double);
            watch->interpolate = true;
        }
        status = dv_element_data_attach(watch, self->in_mesh.object);
    }
    return status;
}

void barycentric_remember_meshes(BarycentricMapping *self)
{
    (void)dv_topology_changed(&self->in_mesh);
    (void)dv_topology_changed(&self->out_mesh);
    (void)dv_topology_rewritten(&self->in_mesh);
    (void)dv_topology_rewritten(&self->out_mesh);
    self->located = dv_state_count(self->base.out);
    self->located_in = dv_state_count(self->base.in);
    self->changed = self->copied = self->replaced = false;
    barycentric_forget_elements(self);
}
