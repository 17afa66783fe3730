/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * QuadBendingSprings: springs across the edges that quads share, along the sides that end at them. Equations and limits:
 * spring_blocks.h.
 *
 * The first quad of an edge is remembered; each later one has two springs with it, between the points next to both ends of the edge.
 * A pair of points has one spring at most. Rest lengths are those of the positions at the start.
 */
#include "forcefield/spring/spring_list.h"
#include "forcefield/spring/springs.h"
#include <divan/given.h>
#include <divan/kit/element_faults.h>

#include <stdlib.h>
#include <string.h>

typedef struct QuadBendingSprings {
    Springs springs;
    DvData local_range;
    DvLink topology_link;

    DvTopologyRef topology;
} QuadBendingSprings;

static const DvField fields[] = {
    SPRING_FIELDS(QuadBendingSprings, springs),
    DV_FIELD(QuadBendingSprings, local_range, "localRange", dv_type_vec2i, .init = "-1 -1",
             .help = "first and last point that count: no springs with both points outside on one side; -1: no limit"),
    DV_LINK(QuadBendingSprings, topology_link, "topology", DV_TOPOLOGY, .help = "mesh; that of the node by default"),
    {0},
};

/* Each side of a quad, and the points next to its ends. */
static const uint8_t sides[4][4] = {{0, 1, 3, 2}, {1, 2, 0, 3}, {2, 3, 1, 0}, {3, 0, 2, 1}};

typedef struct Side {
    uint32_t end[2]; /* smaller first */
    uint32_t next[2];
    uint32_t order; /* in which it was met */
} Side;

static Side side_of(const uint32_t *quad, uint32_t k, uint32_t order)
{
    const uint8_t *p = sides[k];
    const bool turned = quad[p[0]] > quad[p[1]];
    return (Side){.end = {quad[p[turned]], quad[p[!turned]]},
                  .next = {quad[p[2 + turned]], quad[p[2 + !turned]]},
                  .order = order};
}

static int by_ends(const void *a_, const void *b_)
{
    const Side *a = a_, *b = b_;
    for (int i = 0; i < 2; i++)
        if (a->end[i] != b->end[i])
            return a->end[i] < b->end[i] ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

/* The first side of each edge, by the order of all: first[order]. */
static void find_first(const Side *side, uint32_t count, uint32_t *first)
{
    Side *sorted = dv_alloc(count, sizeof *sorted);
    memcpy(sorted, side, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_ends);
    for (uint32_t i = 0; i < count; i++) {
        const bool same = i > 0 && memcmp(sorted[i].end, sorted[i - 1].end, sizeof sorted[i].end) == 0;
        first[sorted[i].order] = same ? first[sorted[i - 1].order] : sorted[i].order;
    }
    dv_free(sorted);
}

static bool in_range(const int32_t range[2], uint32_t a, uint32_t b)
{
    const bool below = range[0] >= 0 && a < (uint32_t)range[0] && b < (uint32_t)range[0];
    const bool above = range[1] >= 0 && a > (uint32_t)range[1] && b > (uint32_t)range[1];
    return !below && !above;
}

static DvStatus add_spring(QuadBendingSprings *self, SpringList *list, uint32_t a, uint32_t b, const DvConstVec *x)
{
    if (a >= x->count || b >= x->count)
        return dv_error(dv_object_of(self), DV_ERROR_INVALID, "the topology has point %u, the state has %u points",
                        a >= x->count ? a : b, x->count);
    size_t stiffnesses, dampings;
    const double *stiffness = dv_data_doubles(&self->springs.stiffness, &stiffnesses);
    const double *damping = dv_data_doubles(&self->springs.damping, &dampings);
    if (!in_range(dv_data_ints(&self->local_range, NULL), a, b) || !spring_list_new_pair(list, a, b))
        return DV_OK;
    const double length =
        springs_length(x->at + (size_t)a * x->dim, x->at + (size_t)b * x->dim, springs_spatial(&self->springs));
    spring_list_push(list, (LinearSpring){a, b, stiffnesses > 0 ? stiffness[0] : 0.0, dampings > 0 ? damping[0] : 0.0,
                                          length, 0, 1});
    return DV_OK;
}

static DvStatus make_springs(QuadBendingSprings *self, SpringList *list)
{
    const DvElements quads = dv_topology_elements(&self->topology, DV_QUADS);
    const DvConstVec x = dv_state_read(self->springs.base.state[0], DV_POSITION);
    const uint32_t count = 4 * quads.count;
    Side *side = dv_alloc(count, sizeof *side);
    uint32_t *first = dv_alloc(count, sizeof *first);
    for (uint32_t i = 0; i < count; i++)
        side[i] = side_of(quads.at + 4 * (size_t)(i / 4), i % 4, i);
    find_first(side, count, first);
    DvStatus status = DV_OK;
    for (uint32_t i = 0; i < 2 * count && status == DV_OK; i++)
        if (first[i / 2] != i / 2)
            status = add_spring(self, list, side[i / 2].next[i % 2], side[first[i / 2]].next[i % 2], &x);
    dv_free(side);
    dv_free(first);
    return status;
}

static DvStatus init(DvObject *object, void *self_)
{
    QuadBendingSprings *self = self_;
    if (dv_data_is_given(&self->springs.indices1) || dv_data_is_given(&self->springs.indices2))
        dv_warning(object, "makes its springs from the mesh; springsIndices1 and springsIndices2 are ignored");
    self->springs.lists_ignored = true;
    DvStatus status = springs_init_states(object, &self->springs);
    if (status == DV_OK)
        status = dv_topology_require(object, &self->topology_link, "a container of quads", &self->topology);
    SpringList list = {0};
    if (status == DV_OK && !dv_pair_state_is_one(&self->springs.base))
        dv_warning(object, "object1 and object2 differ: a mesh has springs within one state only, there are none");
    else if (status == DV_OK)
        status = make_springs(self, &list);
    DvConstVec rest;
    const int32_t *range = dv_data_ints(&self->local_range, NULL);
    if (status == DV_OK && list.count > 0 && range[0] < 0 && range[1] < 0 &&
        dv_state_at_rest(object, self->springs.base.state[0], &rest) == DV_OK)
        dv_element_faults_report(object, &self->topology, DV_QUADS, dv_topology_elements(&self->topology, DV_QUADS),
                                 rest);
    if (status == DV_OK)
        dv_data_set(&self->springs.spring, list.at, list.count);
    else
        dv_pair_state_release(&self->springs.base);
    spring_list_free(&list);
    return status == DV_OK ? springs_init_lists(object, &self->springs) : status;
}

static void cleanup(DvObject *object, void *self_)
{
    QuadBendingSprings *self = self_;
    springs_cleanup(object, self_);
    dv_topology_release(&self->topology);
}

const DvClass dv_quad_bending_springs = {
    .size = sizeof(DvClass),
    .name = "QuadBendingSprings",
    .variants = "Vec2d Vec3d",
    DV_PAIR_FORCE_FIELD_CLASS("SpringForceField", "PairInteractionForceField"),
    .module = "Sofa.Component.SolidMechanics.Spring",
    .help = "Springs across the edges of a surface of quads, against its bending.",
    .instance_size = sizeof(QuadBendingSprings),
    .fields = fields,
    SPRINGS_CONTRACTS,
    .init = init,
    .reinit = dv_object_initialise_again,
    .cleanup = cleanup,
    .destroy = springs_destroy,
};
