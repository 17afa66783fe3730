/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The conformance suite of topologies. Expected tables come from loops over all pairs; they share no code with what is
 * tested.
 */
#include "topology_conformance.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scene_text.h"
#include <divan/element_data.h>
#include <divan/memory.h>
#include <string.h>

static uint32_t next_random(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return (uint32_t)(*seed >> 24);
}

static bool has_point(const uint32_t *element, uint32_t nodes, uint32_t point)
{
    for (uint32_t j = 0; j < nodes; j++)
        if (element[j] == point)
            return true;
    return false;
}

/* How many parts of each kind an element has, 0 when the kinds have nothing to do with each other. */
static uint32_t part_count(DvElementKind of, DvElementKind part)
{
    if (part == DV_EDGES)
        return of == DV_TRIANGLES ? 3 : of == DV_QUADS ? 4 : of == DV_TETRAHEDRA ? 6 : of == DV_HEXAHEDRA ? 12 : 0;
    if (part == DV_TRIANGLES)
        return of == DV_TETRAHEDRA ? 4 : 0;
    return part == DV_QUADS && of == DV_HEXAHEDRA ? 6 : 0;
}

static void check_points(const DvTopologyOps *ops, void *self, DvElementKind kind)
{
    const DvElements elements = ops->elements(self, kind);
    const uint32_t nodes = dv_element_nodes(kind), points = ops->point_count(self);
    const DvAdjacency around = ops->adjacency(self, DV_POINTS, kind), down = ops->adjacency(self, kind, DV_POINTS);
    for (size_t i = 0; i < (size_t)elements.count * nodes; i++)
        assert_true(elements.at[i] < points);
    assert_int_equal(around.count, points);
    for (uint32_t point = 0; point < points; point++) {
        uint32_t at = around.begin[point];
        for (uint32_t element = 0; element < elements.count; element++)
            if (has_point(elements.at + (size_t)element * nodes, nodes, point)) {
                assert_true(at < around.end[point]);
                assert_int_equal(around.items[at++], element);
            }
        assert_int_equal(at, around.end[point]);
    }
    assert_int_equal(down.count, elements.count);
    if (elements.count)
        assert_memory_equal(down.items, elements.at, (size_t)elements.count * nodes * sizeof *elements.at);
}

static void check_parts(const DvTopologyOps *ops, void *self, DvElementKind of, DvElementKind part, bool partial)
{
    const DvElements elements = ops->elements(self, of), parts = ops->elements(self, part);
    const uint32_t nodes = dv_element_nodes(of), part_nodes = dv_element_nodes(part), count = part_count(of, part);
    if (elements.count == 0 || parts.count == 0)
        return;
    const DvAdjacency down = ops->adjacency(self, of, part), up = ops->adjacency(self, part, of);
    if (partial && down.count == 0)
        return;
    assert_int_equal(down.count, elements.count);
    assert_int_equal(up.count, parts.count);
    uint32_t *users = dv_alloc(parts.count, sizeof *users);
    for (uint32_t element = 0; element < elements.count; element++) {
        assert_int_equal(down.end[element] - down.begin[element], count);
        for (uint32_t at = down.begin[element]; at < down.end[element]; at++) {
            const uint32_t *points = parts.at + (size_t)down.items[at] * part_nodes;
            assert_true(down.items[at] < parts.count);
            for (uint32_t j = 0; j < part_nodes; j++)
                assert_true(has_point(elements.at + (size_t)element * nodes, nodes, points[j]));
            for (uint32_t other = down.begin[element]; other < at; other++)
                assert_int_not_equal(down.items[other], down.items[at]);
            users[down.items[at]]++;
        }
    }
    for (uint32_t i = 0; i < parts.count; i++) {
        assert_int_equal(up.end[i] - up.begin[i], users[i]);
        for (uint32_t at = up.begin[i]; at < up.end[i]; at++) {
            const uint32_t element = up.items[at];
            bool found = false;
            for (uint32_t k = down.begin[element]; k < down.end[element]; k++)
                found = found || down.items[k] == i;
            assert_true(found);
        }
    }
    dv_free(users);
}

void check_topology(DvObject *topology, bool partial)
{
    const DvTopologyOps *ops = dv_object_ops(topology, DV_TOPOLOGY);
    void *self = dv_object_self(topology);
    for (int kind = DV_EDGES; kind < DV_ELEMENT_KINDS; kind++)
        check_points(ops, self, (DvElementKind)kind);
    for (int of = DV_EDGES; of < DV_ELEMENT_KINDS; of++)
        for (int part = DV_EDGES; part < DV_ELEMENT_KINDS; part++)
            if (part_count((DvElementKind)of, (DvElementKind)part))
                check_parts(ops, self, (DvElementKind)of, (DvElementKind)part, partial);
}

/* Labels that travel with points and elements. */
typedef struct Labels {
    DvElementData data;
    struct Labels *points;
    const DvTopologyOps *ops;
    void *self;
    double next;
    uint32_t changes;
} Labels;

enum { MOST_NODES = 8 };

static double *label(Labels *labels, uint32_t index)
{
    return (double *)labels->data.entries + (size_t)index * (labels->data.entry_size / sizeof(double));
}

static void label_points(DvElementData *data, const DvElementChange *change, uint32_t first)
{
    Labels *labels = data->owner;
    for (uint32_t i = 0; i < change->count; i++)
        *label(labels, first + i) = labels->next++;
}

static void label_elements(DvElementData *data, const DvElementChange *change, uint32_t first)
{
    Labels *labels = data->owner;
    const DvElements elements = labels->ops->elements(labels->self, data->kind);
    const uint32_t nodes = dv_element_nodes(data->kind);
    for (uint32_t i = first; i < first + change->count; i++)
        for (uint32_t j = 0; j < nodes; j++)
            label(labels, i)[j] = *label(labels->points, elements.at[(size_t)i * nodes + j]);
}

static void count_change(DvElementData *data, const DvElementChange *change)
{
    (void)change;
    ((Labels *)data->owner)->changes++;
}

static void check_labels(Labels *labels, uint32_t kinds)
{
    for (uint32_t kind = DV_EDGES; kind < kinds; kind++) {
        const DvElements elements = labels[kind].ops->elements(labels[kind].self, (DvElementKind)kind);
        const uint32_t nodes = dv_element_nodes((DvElementKind)kind);
        assert_int_equal(labels[kind].data.count, elements.count);
        for (uint32_t i = 0; i < elements.count; i++)
            for (uint32_t j = 0; j < nodes; j++)
                assert_true(label(&labels[kind], i)[j] ==
                            *label(&labels[DV_POINTS], elements.at[(size_t)i * nodes + j]));
    }
    assert_int_equal(labels[DV_POINTS].data.count, labels[DV_POINTS].ops->point_count(labels[DV_POINTS].self));
}

static void attach_labels(Labels *labels, DvObject *topology)
{
    for (uint32_t kind = DV_POINTS; kind < DV_ELEMENT_KINDS; kind++) {
        Labels *one = &labels[kind];
        one->points = &labels[DV_POINTS];
        one->ops = dv_object_ops(topology, DV_TOPOLOGY);
        one->self = dv_object_self(topology);
        one->data = (DvElementData){.kind = (DvElementKind)kind,
                                    .entry_size = (kind == DV_POINTS ? 1 : MOST_NODES) * sizeof(double),
                                    .owner = one,
                                    .added = kind == DV_POINTS ? label_points : label_elements,
                                    .changed = count_change};
        assert_int_equal(dv_element_data_attach(&one->data, topology), DV_OK);
        one->data.added(&one->data, &(DvElementChange){.count = one->data.count}, 0);
    }
}

/* One random edit. */
static void edit(const TopologyConformance *t, const DvTopologyOps *ops, void *self,
                 const DvTopologyModifierOps *modifier, void *by, uint64_t *seed)
{
    const uint32_t nodes = dv_element_nodes(t->own), points = ops->point_count(self);
    const DvElements elements = ops->elements(self, t->own);
    const uint32_t choice = next_random(seed) % 8;
    if (choice < 4 && elements.count > 4) { /* removals */
        uint32_t numbers[4];
        const uint32_t count = 1 + next_random(seed) % 4;
        for (uint32_t i = 0; i < count; i++)
            numbers[i] = next_random(seed) % elements.count;
        assert_int_equal(modifier->remove_elements(by, t->own, count, numbers, true), DV_OK);
        return;
    }
    if (choice < 6 && elements.count > 0) { /* a neighbour of an old element: all its points but one, and a new one */
        uint32_t element[MOST_NODES];
        memcpy(element, elements.at + (size_t)(next_random(seed) % elements.count) * nodes, nodes * sizeof *element);
        element[next_random(seed) % nodes] = points;
        assert_int_equal(modifier->add_points(by, 1, NULL), DV_OK);
        assert_int_equal(modifier->add_elements(by, t->own, 1, element, NULL), DV_OK);
        return;
    }
    uint32_t *order = dv_alloc(points, sizeof *order);
    for (uint32_t i = 0; i < points; i++)
        order[i] = i;
    for (uint32_t i = points; i > 1; i--) {
        const uint32_t j = next_random(seed) % i, swap = order[i - 1];
        order[i - 1] = order[j];
        order[j] = swap;
    }
    assert_int_equal(modifier->renumber_points(by, order), DV_OK);
    dv_free(order);
}

static void check_edits(const TopologyConformance *t, DvScene *scene, DvObject *topology)
{
    DvObject *object = scene_object(scene, t->modifier);
    const DvTopologyModifierOps *modifier = dv_object_ops(object, DV_TOPOLOGY_MODIFIER);
    const DvTopologyOps *ops = dv_object_ops(topology, DV_TOPOLOGY);
    void *self = dv_object_self(topology), *by = dv_object_self(object);
    assert_non_null(modifier);
    assert_true(ops->is_dynamic(self));
    Labels labels[DV_ELEMENT_KINDS] = {0};
    attach_labels(labels, topology);
    check_labels(labels, DV_ELEMENT_KINDS);
    uint64_t seed = 12345;
    for (uint32_t i = 0; i < (t->edits ? t->edits : 60); i++) {
        const uint64_t revision = ops->revision(self);
        edit(t, ops, self, modifier, by, &seed);
        assert_true(ops->revision(self) != revision);
        check_topology(topology, t->partial);
        check_labels(labels, DV_ELEMENT_KINDS);
    }
    assert_true(labels[t->own].changes > 10);
    /* numbers that do not exist change nothing */
    const uint32_t count = ops->elements(self, t->own).count, points = ops->point_count(self);
    assert_int_equal(modifier->remove_elements(by, t->own, 1, &count, true), DV_ERROR_INVALID);
    assert_int_equal(modifier->remove_points(by, 1, &points), DV_ERROR_INVALID);
    assert_int_equal(ops->elements(self, t->own).count, count);
    for (uint32_t kind = 0; kind < DV_ELEMENT_KINDS; kind++)
        dv_element_data_detach(&labels[kind].data);
}

void topology_conformance(const TopologyConformance *t)
{
    DvScene *scene = scene_from_text(t->scene);
    DvObject *topology = scene_object(scene, t->topology);
    assert_non_null(dv_object_ops(topology, DV_TOPOLOGY));
    check_topology(topology, t->partial);
    if (t->modifier)
        check_edits(t, scene, topology);
    dv_scene_free(scene);
}
