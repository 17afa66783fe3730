/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tables of sums within blocks of elements.
 */
#include "element_sums.h"

#include <divan/memory.h>

#include <string.h>

/* Elements, and those of each point, on the host. */
typedef struct Mesh {
    const uint32_t *element;
    uint32_t count, nodes, points;
    uint32_t *begin, *of, *stamp; /* stamp [points]: the block, or point, that has seen a point */
} Mesh;

static void find_elements(Mesh *mesh)
{
    const size_t entries = (size_t)mesh->count * mesh->nodes;
    uint32_t *next = dv_alloc((size_t)mesh->points + 1, sizeof *next);
    mesh->begin = dv_alloc((size_t)mesh->points + 1, sizeof *mesh->begin);
    mesh->stamp = dv_alloc((size_t)mesh->points + 1, sizeof *mesh->stamp);
    mesh->of = dv_alloc(entries, sizeof *mesh->of);
    for (size_t i = 0; i < entries; i++)
        mesh->begin[mesh->element[i] + 1]++;
    for (uint32_t p = 0; p < mesh->points; p++)
        mesh->begin[p + 1] += mesh->begin[p];
    memcpy(next, mesh->begin, ((size_t)mesh->points + 1) * sizeof *next);
    for (size_t i = 0; i < entries; i++)
        mesh->of[next[mesh->element[i]]++] = (uint32_t)(i / mesh->nodes);
    dv_free(next);
}

static void forget_stamps(const Mesh *mesh)
{
    memset(mesh->stamp, 0, ((size_t)mesh->points + 1) * sizeof *mesh->stamp);
}

/* Points that blocks touch, all together. */
static uint32_t count_slots(const Mesh *mesh, const uint32_t *order)
{
    uint32_t slots = 0;
    forget_stamps(mesh);
    for (uint32_t k = 0; k < mesh->count; k++)
        for (uint32_t i = 0; i < mesh->nodes; i++) {
            uint32_t *stamp = &mesh->stamp[mesh->element[(size_t)order[k] * mesh->nodes + i]];
            slots += *stamp != k / LANES + 1;
            *stamp = k / LANES + 1;
        }
    return slots;
}

/* Blocks of a matrix of these elements: for each point itself and its neighbours. */
static size_t count_matrix_blocks(const Mesh *mesh)
{
    size_t blocks = 0;
    forget_stamps(mesh);
    for (uint32_t p = 0; p < mesh->points; p++)
        for (uint32_t k = mesh->begin[p]; k < mesh->begin[p + 1]; k++)
            for (uint32_t i = 0; i < mesh->nodes; i++) {
                uint32_t *stamp = &mesh->stamp[mesh->element[(size_t)mesh->of[k] * mesh->nodes + i]];
                blocks += *stamp != p + 1;
                *stamp = p + 1;
            }
    return blocks;
}

/* Each block from the first element that is left, by neighbours: as round as can be. */
static void grow_blocks(const Mesh *mesh, uint32_t *order)
{
    bool *taken = dv_alloc(mesh->count, sizeof *taken);
    uint32_t *queue = dv_alloc((size_t)LANES * mesh->nodes, sizeof *queue), head = 0, tail = 0, first = 0;
    forget_stamps(mesh);
    for (uint32_t k = 0; k < mesh->count; k++) {
        uint32_t found = UINT32_MAX;
        if (k % LANES == 0)
            head = tail = 0;
        for (; head < tail && found == UINT32_MAX; head += found == UINT32_MAX)
            for (uint32_t i = mesh->begin[queue[head]]; i < mesh->begin[queue[head] + 1]; i++)
                if (!taken[mesh->of[i]]) {
                    found = mesh->of[i];
                    break;
                }
        while (found == UINT32_MAX && taken[first])
            first++;
        found = found == UINT32_MAX ? first : found;
        taken[found] = true;
        order[k] = found;
        for (uint32_t i = 0; i < mesh->nodes; i++) {
            const uint32_t p = mesh->element[(size_t)found * mesh->nodes + i];
            if (mesh->stamp[p] != k / LANES + 1)
                queue[tail++] = p;
            mesh->stamp[p] = k / LANES + 1;
        }
    }
    dv_free(queue);
    dv_free(taken);
}

/* As they come, or by neighbours, whatever has fewer slots. */
static void choose_order(const Mesh *mesh, ElementSums *sums)
{
    uint32_t *other = dv_alloc(mesh->count, sizeof *other);
    dv_free(sums->order);
    sums->order = dv_alloc(mesh->count, sizeof *sums->order);
    for (uint32_t k = 0; k < mesh->count; k++)
        sums->order[k] = k;
    grow_blocks(mesh, other);
    sums->slots = count_slots(mesh, sums->order);
    const uint32_t slots = count_slots(mesh, other);
    if (slots < sums->slots) {
        memcpy(sums->order, other, mesh->count * sizeof *other);
        sums->slots = slots;
    }
    dv_free(other);
}

typedef struct Tables {
    uint32_t *first, *begin, *point; /* of blocks; of slots */
    uint16_t *entry;
} Tables;

/* The slots of one block, from `slot` on, in the order in which it meets their points; returns their end. `place`: of a point the slot of
 * its block */
static uint32_t fill_block(const Mesh *mesh, const uint32_t *order, uint32_t block, uint32_t slot, uint32_t *place,
                           Tables *to)
{
    const uint32_t from = block * LANES, end = from + LANES < mesh->count ? from + LANES : mesh->count, start = slot;
    uint32_t fill[LANES * 8], count = from * mesh->nodes;
    for (uint32_t k = from; k < end; k++)
        for (uint32_t i = 0; i < mesh->nodes; i++) {
            const uint32_t p = mesh->element[(size_t)order[k] * mesh->nodes + i];
            if (mesh->stamp[p] != block + 1) {
                mesh->stamp[p] = block + 1;
                to->point[slot] = p;
                to->begin[slot] = 0;
                place[p] = slot++;
            }
            to->begin[place[p]]++;
        }
    for (uint32_t s = start; s < slot; s++) {
        const uint32_t own = to->begin[s];
        to->begin[s] = fill[s - start] = count;
        count += own;
    }
    for (uint32_t k = from; k < end; k++)
        for (uint32_t i = 0; i < mesh->nodes; i++) {
            const uint32_t p = mesh->element[(size_t)order[k] * mesh->nodes + i];
            to->entry[fill[place[p] - start]++] = (uint16_t)(i * LANES + (k - from));
        }
    return slot;
}

static bool put_tables(Space *space, const Mesh *mesh, ElementSums *sums, DvText *why)
{
    const uint32_t blocks = (uint32_t)space_blocks(mesh->count), slots = sums->slots;
    const size_t entries = (size_t)mesh->count * mesh->nodes;
    Tables t = {dv_alloc((size_t)blocks + 1, sizeof *t.first), dv_alloc((size_t)slots + 1, sizeof *t.begin),
                dv_alloc(slots, sizeof *t.point), dv_alloc(entries, sizeof *t.entry)};
    uint32_t *place = dv_alloc(mesh->points, sizeof *place), slot = 0;
    forget_stamps(mesh);
    for (uint32_t b = 0; b < blocks; b++) {
        t.first[b] = slot;
        slot = fill_block(mesh, sums->order, b, slot, place, &t);
    }
    t.first[blocks] = slot;
    t.begin[slot] = (uint32_t)entries;
    const bool there = device_array_put(space, &sums->first, t.first, ((size_t)blocks + 1) * sizeof *t.first, why) &&
                       device_array_put(space, &sums->begin, t.begin, ((size_t)slots + 1) * sizeof *t.begin, why) &&
                       device_array_put(space, &sums->entry, t.entry, entries * sizeof *t.entry, why) &&
                       device_array_lists(space, &sums->point_begin, &sums->slot, mesh->points, t.point, slots, why);
    dv_free(t.first);
    dv_free(t.begin);
    dv_free(t.point);
    dv_free(t.entry);
    dv_free(place);
    return there;
}

bool element_sums_make(Space *space, DvPrecision precision, ElementSums *sums, const DvOperatorPart *element,
                       uint32_t points, DvText *why)
{
    Mesh mesh = {
        .element = element->index, .count = (uint32_t)element->count, .nodes = element->width, .points = points};
    for (size_t i = 0; i < element->count * element->width; i++)
        if (element->index[i] >= points) {
            dv_text_add(why, "an element has point %u of %u", element->index[i], points);
            return false;
        }
    find_elements(&mesh);
    choose_order(&mesh, sums);
    sums->beside = count_matrix_blocks(&mesh);
    const bool there =
        put_tables(space, &mesh, sums, why) &&
        device_array_room(space, &sums->partial, 3 * (size_t)sums->slots * dv_space_bytes(precision, 1), why);
    dv_free(mesh.begin);
    dv_free(mesh.of);
    dv_free(mesh.stamp);
    return there;
}

void element_sums_free(Space *space, ElementSums *sums)
{
    DeviceArray *const all[] = {&sums->first,   &sums->begin,       &sums->entry,
                                &sums->partial, &sums->point_begin, &sums->slot};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        device_array_free(space, all[i]);
    dv_free(sums->order);
    sums->order = NULL;
}

bool element_sums_reserve(Space *space, DvPrecision precision, ElementSums *sums, uint32_t columns)
{
    DvText why = {0};
    const size_t numbers = 3 * (size_t)columns * sums->slots;
    const bool there = device_array_room(space, &sums->partial, dv_space_bytes(precision, numbers), &why);
    dv_text_free(&why);
    return there;
}

void element_sums_add(Space *space, DvPrecision precision, const ElementSums *sums, uint32_t points, double k,
                      uint32_t columns, const DvVec *f)
{
    SPACE_LAUNCH(space, precision, gather_elements, points, .n = points, .of = COLUMNS_OF(columns, f, f),
                 .at = SPACE_AT(sums->partial.at), .begin = SPACE_AT(sums->point_begin.at),
                 .entry = SPACE_AT(sums->slot.at), .nodes = 1, .elements = sums->slots, .dim = 3, .k = k);
}

uint64_t element_sums_read(const ElementSums *sums, uint64_t elements, uint32_t nodes, uint32_t points)
{
    return (space_blocks(elements) + 1 + 2 * (uint64_t)sums->slots + 1 + points + 1) * sizeof(uint32_t) +
           elements * nodes * sizeof(uint16_t);
}
