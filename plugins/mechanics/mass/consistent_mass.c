/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "consistent_mass.h"

#include <string.h>

#include <divan/element_data.h>
#include <divan/memory.h>

#include "forcefield/element_blocks.h"

static void unit_matrix(const ConsistentMass *c, uint32_t element, double *m)
{
    const DvElements elements = mass_mesh_elements(c->mesh);
    DvVec3 corner[8];
    mass_mesh_corners(c->mesh, elements.at + (size_t)element * c->mesh->nodes, mass_mesh_positions(c->mesh, c->on_rest),
                      corner);
    element_mass(c->mesh->kind, corner, m);
}

static void elements_added(DvElementData *data, const DvElementChange *change, uint32_t first)
{
    for (uint32_t i = first; i < first + change->count; i++)
        unit_matrix(data->owner, i, dv_element_data_entry(data, i));
}

DvStatus consistent_mass_attach(ConsistentMass *c, DvObject *topology)
{
    c->unit = (DvElementData){.kind = c->mesh->kind,
                              .entry_size = ELEMENT_MASS_ENTRIES * sizeof(double),
                              .owner = c,
                              .added = elements_added};
    const DvStatus status = dv_element_data_attach(&c->unit, topology);
    for (uint32_t i = 0; status == DV_OK && i < c->unit.count; i++)
        unit_matrix(c, i, dv_element_data_entry(&c->unit, i));
    return status;
}

void consistent_mass_detach(ConsistentMass *c)
{
    dv_element_data_detach(&c->unit);
}

void consistent_mass_free(ConsistentMass *c)
{
    dv_free(c->pair);
    dv_free(c->between);
    dv_free(c->diagonal);
    dv_free(c->weight);
    c->pair = NULL;
    c->between = c->diagonal = c->weight = NULL;
    c->points = c->pairs = 0;
}

/* What the elements give to each of their points: its own entry, and the sum of its row. A corner may stand for several. */
static void gather_points(ConsistentMass *c, const ElementBlocks *blocks, const double *matrix)
{
    for (uint32_t p = 0; p < blocks->points; p++)
        for (uint32_t e = blocks->begin[p]; e < blocks->end[p]; e++) {
            const uint32_t element = blocks->entry[e] / blocks->nodes, i = blocks->entry[e] % blocks->nodes;
            const double *m = matrix + (size_t)element * ELEMENT_MASS_ENTRIES;
            for (uint32_t j = 0; j < blocks->nodes; j++) {
                const double mass = m[i > j ? element_mass_entry(i, j) : element_mass_entry(j, i)];
                c->weight[p] += mass;
                if (element_blocks_point(blocks, element, j) == p)
                    c->diagonal[p] += mass;
            }
        }
}

static void gather_pairs(ConsistentMass *c, const ElementBlocks *blocks, const double *matrix)
{
    for (uint32_t k = 0; k < blocks->pairs; k++)
        for (uint32_t e = blocks->pair_begin[k]; e < blocks->pair_end[k]; e++) {
            const uint32_t entry = blocks->pair_entry[e], i = entry >> 3 & 7, j = entry & 7;
            c->between[k] += matrix[(size_t)(entry >> 6) * ELEMENT_MASS_ENTRIES +
                                    (i > j ? element_mass_entry(i, j) : element_mass_entry(j, i))];
        }
}

DvStatus consistent_mass_build(ConsistentMass *c, const DvObject *object, uint32_t points, const double *density)
{
    const DvElements elements = mass_mesh_elements(c->mesh);
    ElementBlocks blocks = {0};
    consistent_mass_free(c);
    const DvStatus status = element_blocks_build(&blocks, object, c->mesh->kind == DV_QUADS ? "quad" : "hexahedron",
                                                 points, c->mesh->nodes, elements.count, elements.at);
    if (status != DV_OK)
        return status;
    element_blocks_find_pairs(&blocks);
    double *matrix = dv_alloc(elements.count, ELEMENT_MASS_ENTRIES * sizeof *matrix);
    for (uint32_t e = 0; e < elements.count; e++) {
        double *m = matrix + (size_t)e * ELEMENT_MASS_ENTRIES;
        if (c->unit.topology && e < c->unit.count)
            memcpy(m, dv_element_data_entry(&c->unit, e), c->unit.entry_size);
        else
            unit_matrix(c, e, m);
        for (uint32_t k = 0; k < ELEMENT_MASS_ENTRIES; k++)
            m[k] *= density[e];
    }
    c->points = points;
    c->pairs = blocks.pairs;
    c->pair = dv_alloc(c->pairs, 2 * sizeof *c->pair);
    c->between = dv_alloc(c->pairs, sizeof *c->between);
    c->diagonal = dv_alloc(points, sizeof *c->diagonal);
    c->weight = dv_alloc(points, sizeof *c->weight);
    if (c->pairs)
        memcpy(c->pair, blocks.pair, c->pairs * 2 * sizeof *c->pair);
    gather_points(c, &blocks, matrix);
    gather_pairs(c, &blocks, matrix);
    dv_free(matrix);
    element_blocks_free(&blocks);
    return DV_OK;
}

void consistent_mass_scale(ConsistentMass *c, double factor)
{
    for (uint32_t k = 0; k < c->pairs; k++)
        c->between[k] *= factor;
    for (uint32_t p = 0; p < c->points; p++) {
        c->diagonal[p] *= factor;
        c->weight[p] *= factor;
    }
}
