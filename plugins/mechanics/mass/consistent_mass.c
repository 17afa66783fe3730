/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "consistent_mass.h"

#include <divan/memory.h>

#include <string.h>

void consistent_mass_unit(const ConsistentMass *c, uint32_t element, double unit[ELEMENT_MASS_ENTRIES])
{
    const DvElements elements = mass_mesh_elements(c->mesh);
    DvVec3 corner[8];
    DvHexahedronOrder order = dv_hexahedron_as_given;
    mass_mesh_corners(c->mesh, elements.at + (size_t)element * c->mesh->nodes, mass_mesh_positions(c->mesh, c->on_rest),
                      corner);
    mass_mesh_order(c->mesh, corner, &order);
    element_mass(c->mesh->kind, corner, unit);
    if (memcmp(&order, &dv_hexahedron_as_given, sizeof order) == 0)
        return;
    double proper[ELEMENT_MASS_ENTRIES]; /* back to the order of the mesh */
    memcpy(proper, unit, sizeof proper);
    for (uint32_t i = 0; i < c->mesh->nodes; i++)
        for (uint32_t j = 0; j <= i; j++) {
            const uint32_t a = order.at[i], b = order.at[j];
            unit[a > b ? element_mass_entry(a, b) : element_mass_entry(b, a)] = proper[element_mass_entry(i, j)];
        }
}

void consistent_mass_free(ConsistentMass *c)
{
    dv_free(c->diagonal);
    dv_free(c->weight);
    c->diagonal = c->weight = NULL;
    c->room = 0;
}

static void make_room(ConsistentMass *c, uint32_t points)
{
    if (points <= c->room)
        return;
    const uint32_t room = c->room ? points + points / 2 : points;
    c->diagonal = dv_realloc(c->diagonal, c->room * sizeof *c->diagonal, room * sizeof *c->diagonal);
    c->weight = dv_realloc(c->weight, c->room * sizeof *c->weight, room * sizeof *c->weight);
    c->room = room;
}

typedef struct Row {
    uint32_t *other; /* ascending */
    double *mass;
    uint32_t count, room;
} Row;

static void free_row(Row *row)
{
    dv_free(row->other);
    dv_free(row->mass);
}

static void add_to_row(Row *row, uint32_t other, double mass)
{
    uint32_t at = row->count;
    while (at > 0 && row->other[at - 1] > other)
        at--;
    if (at > 0 && row->other[at - 1] == other) {
        row->mass[at - 1] += mass;
        return;
    }
    if (row->count == row->room) {
        const uint32_t room = row->room ? 2 * row->room : 32; /* 26 in a grid */
        row->other = dv_realloc(row->other, row->room * sizeof *row->other, room * sizeof *row->other);
        row->mass = dv_realloc(row->mass, row->room * sizeof *row->mass, room * sizeof *row->mass);
        row->room = room;
    }
    for (uint32_t k = row->count++; k > at; k--) {
        row->other[k] = row->other[k - 1];
        row->mass[k] = row->mass[k - 1];
    }
    row->other[at] = other;
    row->mass[at] = mass;
}

/* What the elements around a point give to it. A corner may stand for several. */
static void gather_row(ConsistentMass *c, HalfEdges *half, Row *row, const DvAdjacency *around,
                       const ElementMass *elements, uint32_t point)
{
    const DvElements list = mass_mesh_elements(c->mesh);
    const uint32_t nodes = c->mesh->nodes;
    row->count = 0;
    c->diagonal[point] = c->weight[point] = 0.0;
    const uint32_t begin = point < around->count ? around->begin[point] : 0;
    const uint32_t end = point < around->count ? around->end[point] : 0;
    for (uint32_t k = begin; k < end; k++) {
        const uint32_t element = around->items[k], *node = list.at + (size_t)element * nodes;
        if (k > begin && around->items[k - 1] == element)
            continue; /* the point is several of its corners, which have been counted */
        for (uint32_t i = 0; i < nodes; i++)
            for (uint32_t j = 0; node[i] == point && j < nodes; j++) {
                const double mass = elements[element].density *
                                    elements[element].unit[i > j ? element_mass_entry(i, j) : element_mass_entry(j, i)];
                c->weight[point] += mass;
                if (node[j] == point)
                    c->diagonal[point] += mass;
                else
                    add_to_row(row, node[j], mass);
            }
    }
    const uint32_t first = half_edges_row(half, point, row->count);
    for (uint32_t k = 0; k < row->count; k++) {
        half->at[first + k].other = row->other[k];
        half->value[first + k] = row->mass[k];
    }
}

static DvAdjacency elements_around(const ConsistentMass *c)
{
    return c->mesh->topology.ops->adjacency(c->mesh->topology.self, DV_POINTS, c->mesh->kind);
}

void consistent_mass_build(ConsistentMass *c, HalfEdges *half, uint32_t points, const ElementMass *elements)
{
    const DvAdjacency around = elements_around(c);
    Row row = {0};
    make_room(c, points);
    half_edges_start(half, points);
    for (uint32_t p = 0; p < points; p++)
        gather_row(c, half, &row, &around, elements, p);
    free_row(&row);
}

void consistent_mass_update(ConsistentMass *c, HalfEdges *half, const DvMeshEdits *edits, uint32_t points,
                            const ElementMass *elements)
{
    const DvAdjacency around = elements_around(c);
    Row row = {0};
    make_room(c, points);
    half_edges_begin(half, points);
    for (uint32_t i = 0; i < edits->points.count; i++)
        gather_row(c, half, &row, &around, elements, edits->points.data[i]);
    half_edges_end(half, edits);
    free_row(&row);
}
