/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <divan/kit/ordered_hexahedra.h>

#include <divan/log.h>
#include <divan/math/hexahedron.h>
#include <divan/memory.h>
#include <divan/worst.h>

#include <string.h>

enum { CORNERS = 8 };

/* False where a point is missing, which is for others to tell. */
static bool corners_of(const uint32_t *node, DvConstVec x, DvVec3 p[CORNERS])
{
    for (int c = 0; c < CORNERS; c++) {
        if (node[c] >= x.count)
            return false;
        p[c] = dv_vec3_load(x.at + (size_t)node[c] * x.dim);
    }
    return true;
}

/* A copy of the list, to be changed. */
static void copy_list(DvOrderedHexahedra *order, DvElements given)
{
    const size_t size = (size_t)given.count * CORNERS;
    if (size > order->room) {
        order->nodes = dv_realloc(order->nodes, order->room * sizeof *order->nodes, size * sizeof *order->nodes);
        order->room = size;
    }
    memcpy(order->nodes, given.at, size * sizeof *order->nodes);
}

static void say(DvOrderedHexahedra *order, const DvObject *object, const DvWorst *mirrored, const DvWorst *tangled,
                uint32_t elements)
{
    char numbers[DV_WORST_TEXT];
    if (object && mirrored->count > order->said_mirrored)
        dv_remark(object,
                  "%u of %u hexahedra list their points as in a mirror, 4 to 7 below 0 to 3: %s; they are taken like "
                  "those in proper order",
                  mirrored->count, elements, dv_worst_text(mirrored, numbers));
    if (object && tangled->count > order->said_tangled)
        dv_remark(object,
                  "%u of %u hexahedra do not list their points around the bottom and then above it: %s; they are taken "
                  "as if they did",
                  tangled->count, elements, dv_worst_text(tangled, numbers));
    order->said_mirrored = mirrored->count > order->said_mirrored ? mirrored->count : order->said_mirrored;
    order->said_tangled = tangled->count > order->said_tangled ? tangled->count : order->said_tangled;
}

DvElements dv_ordered_hexahedra_mend(DvOrderedHexahedra *order, const DvObject *object, DvElements given, DvConstVec x)
{
    DvWorst mirrored = {0}, tangled = {0};
    DvHexahedronOrder proper = dv_hexahedron_as_given;
    for (uint32_t e = 0; x.at && x.dim == 3 && e < given.count; e++) {
        const uint32_t *node = given.at + (size_t)e * CORNERS;
        DvVec3 p[CORNERS];
        if (!corners_of(node, x, p))
            continue;
        const DvHexahedronTurn turn = dv_hexahedron_turn(p, &proper);
        if (turn == DV_HEXAHEDRON_MIRRORED)
            dv_worst_add(&mirrored, e, 0.0);
        if (turn != DV_HEXAHEDRON_TANGLED)
            continue;
        if (tangled.count == 0)
            copy_list(order, given);
        for (int c = 0; c < CORNERS; c++)
            order->nodes[(size_t)e * CORNERS + (size_t)c] = node[proper.at[c]];
        dv_worst_add(&tangled, e, 0.0);
    }
    say(order, object, &mirrored, &tangled, given.count);
    if (tangled.count > 0)
        return (DvElements){order->nodes, given.count};
    dv_ordered_hexahedra_free(order);
    return given;
}

bool dv_hexahedra_are_in_order(DvElements given, const uint32_t *numbers, uint32_t count, DvConstVec x)
{
    DvHexahedronOrder proper = dv_hexahedron_as_given;
    for (uint32_t i = 0; i < count; i++) {
        DvVec3 p[CORNERS];
        if (corners_of(given.at + (size_t)numbers[i] * CORNERS, x, p) &&
            dv_hexahedron_turn(p, &proper) == DV_HEXAHEDRON_TANGLED)
            return false;
    }
    return true;
}

DvElements dv_ordered_hexahedra_follow(DvOrderedHexahedra *order, const DvTopologyRef *topology, DvConstVec x)
{
    const DvElements given = dv_topology_elements(topology, DV_HEXAHEDRA);
    if (!order->nodes)
        return given;
    const uint64_t revision = topology->ops->revision(topology->self);
    if (revision == order->revision)
        return (DvElements){order->nodes, given.count};
    order->revision = revision;
    return dv_ordered_hexahedra_mend(order, NULL, given, x);
}

void dv_ordered_hexahedra_free(DvOrderedHexahedra *order)
{
    dv_free(order->nodes);
    order->nodes = NULL;
    order->room = 0;
}
