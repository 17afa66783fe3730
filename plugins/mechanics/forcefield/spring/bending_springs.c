/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Springs across the edges of a surface: which edges have which, and how they follow the mesh.
 */
#include "forcefield/spring/bending_springs.h"

static const double SHORTEST = 1e-4; /* m */

static uint32_t per_edge(const BendingSprings *self)
{
    return self->kind == DV_TRIANGLES ? 1 : 2;
}

static uint32_t *place_of(BendingSprings *self, uint32_t edge)
{
    return dv_element_data_entry(&self->edges, edge);
}

static void list_edge(BendingSprings *self, uint32_t edge)
{
    if (edge >= self->edges.count || *place_of(self, edge) > 0)
        return;
    if (self->stale_count == self->stale_capacity) {
        const uint32_t larger = self->stale_capacity > 0 ? 2 * self->stale_capacity : 64;
        self->stale = dv_realloc(self->stale, self->stale_capacity * sizeof *self->stale, larger * sizeof *self->stale);
        self->stale_capacity = larger;
    }
    self->stale[self->stale_count++] = edge;
    *place_of(self, edge) = self->stale_count;
}

static void unlist_edge(BendingSprings *self, uint32_t edge)
{
    const uint32_t place = *place_of(self, edge);
    if (place == 0)
        return;
    const uint32_t last = self->stale[--self->stale_count];
    self->stale[place - 1] = last;
    *place_of(self, last) = place;
    *place_of(self, edge) = 0;
}

static DvAdjacency adjacency(const BendingSprings *self, DvElementKind of, DvElementKind to)
{
    return self->topology.ops->adjacency(self->topology.self, of, to);
}

static void list_edges_of_element(BendingSprings *self, uint32_t element)
{
    const DvAdjacency edges = adjacency(self, self->kind, DV_EDGES);
    if (element < edges.count)
        for (uint32_t k = edges.begin[element]; k < edges.end[element]; k++)
            list_edge(self, edges.items[k]);
}

static void list_edges_around_point(BendingSprings *self, uint32_t point)
{
    const DvAdjacency around = adjacency(self, DV_POINTS, self->kind);
    if (point < around.count)
        for (uint32_t k = around.begin[point]; k < around.end[point]; k++)
            list_edges_of_element(self, around.items[k]);
}

static void edges_added(DvElementData *data, const DvElementChange *change, uint32_t first)
{
    for (uint32_t i = 0; i < change->count; i++)
        list_edge(data->owner, first + i);
}

/* The last edge takes the number: its springs with it. */
static void edge_removed(DvElementData *data, uint32_t index)
{
    BendingSprings *self = data->owner;
    const uint32_t last = data->count - 1, springs = per_edge(self);
    unlist_edge(self, index);
    const uint32_t place = *place_of(self, last);
    if (place > 0)
        self->stale[place - 1] = index;
    for (uint32_t i = 0; i < springs && springs * last < self->set.count; i++)
        spring_blocks_copy(&self->set, springs * index + i, springs * last + i);
}

static void elements_added(DvElementData *data, const DvElementChange *change, uint32_t first)
{
    for (uint32_t i = 0; i < change->count; i++)
        list_edges_of_element(data->owner, first + i);
}

static void element_removed(DvElementData *data, uint32_t index)
{
    list_edges_of_element(data->owner, index);
}

/* Springs name points and hang on their rest positions. */
static void points_changed(DvElementData *data, const DvElementChange *change)
{
    BendingSprings *self = data->owner;
    self->told = true;
    if (change->change == DV_ELEMENTS_RENUMBERED)
        self->all_stale = true;
    for (uint32_t i = 0; i < change->count && change->change == DV_POINTS_MOVED; i++)
        list_edges_around_point(self, change->indices[i]);
    for (uint32_t i = 0; i < change->count && change->change == DV_ELEMENTS_REMOVED; i++)
        list_edges_around_point(self, change->total + i); /* take the numbers of those that go */
}

static void told(DvElementData *data, const DvElementChange *change)
{
    (void)change;
    ((BendingSprings *)data->owner)->told = true;
}

static DvStatus follow(BendingSprings *self)
{
    self->stale_count = 0;
    self->edges = (DvElementData){.kind = DV_EDGES,
                                  .entry_size = sizeof *self->stale,
                                  .owner = self,
                                  .added = edges_added,
                                  .removed = edge_removed,
                                  .changed = told};
    self->elements = (DvElementData){.kind = self->kind,
                                     .entry_size = 1,
                                     .owner = self,
                                     .added = elements_added,
                                     .removed = element_removed,
                                     .changed = told};
    self->points = (DvElementData){.kind = DV_POINTS, .entry_size = 1, .owner = self, .changed = points_changed};
    DvElementData *const all[] = {&self->edges, &self->elements, &self->points};
    DvStatus status = DV_OK;
    for (size_t i = 0; i < sizeof all / sizeof *all && status == DV_OK; i++)
        status = dv_element_data_attach(all[i], self->topology.object);
    return status;
}

static void leave(BendingSprings *self)
{
    dv_element_data_detach(&self->edges);
    dv_element_data_detach(&self->elements);
    dv_element_data_detach(&self->points);
}

/* Which edge of an element runs between two points, in either direction: edge j joins points j + 1 and j + 2. */
static uint32_t local_edge(const uint32_t *element, uint32_t nodes, const uint32_t ends[2])
{
    for (uint32_t j = 0; j < nodes; j++) {
        const uint32_t p = element[(j + 1) % nodes], q = element[(j + 2) % nodes];
        if ((p == ends[0] && q == ends[1]) || (p == ends[1] && q == ends[0]))
            return j;
    }
    return 0; /* not reached: adjacency is by the edges of elements */
}

static void make_spring(BendingSprings *self, uint32_t number, uint32_t a, uint32_t b, const DvConstVec *rest)
{
    LinearSpring spring = {0};
    if (a < rest->count && b < rest->count)
        spring = (LinearSpring){a, b, self->made[0], self->made[1], 0.0, 0, 1};
    if (spring.enabled)
        spring.rest_length = springs_length(rest->at + 3 * (size_t)a, rest->at + 3 * (size_t)b, 3);
    spring_blocks_set(&self->set, number, &spring);
}

static void make_edge(BendingSprings *self, uint32_t edge, const DvAdjacency *around, const DvConstVec *rest)
{
    const uint32_t nodes = dv_element_nodes(self->kind), springs = per_edge(self);
    const uint32_t *ends = dv_topology_elements(&self->topology, DV_EDGES).at + 2 * (size_t)edge;
    const uint32_t *items = edge < around->count ? around->items + around->begin[edge] : NULL;
    if (!items || around->end[edge] - around->begin[edge] != 2) {
        for (uint32_t i = 0; i < springs; i++)
            spring_blocks_set(&self->set, springs * edge + i, &(LinearSpring){0});
        return;
    }
    const uint32_t *element = dv_topology_elements(&self->topology, self->kind).at;
    const uint32_t *visited = element + (size_t)nodes * (items[0] < items[1] ? items[0] : items[1]);
    const uint32_t *other = element + (size_t)nodes * (items[0] < items[1] ? items[1] : items[0]);
    const uint32_t i = local_edge(other, nodes, ends), j = local_edge(visited, nodes, ends);
    if (self->kind == DV_TRIANGLES) {
        make_spring(self, edge, other[i], visited[j], rest);
    } else {
        make_spring(self, 2 * edge, other[i], visited[(j + 3) % 4], rest);
        make_spring(self, 2 * edge + 1, other[(i + 3) % 4], visited[j], rest);
    }
}

/* Edges that the mesh has now; element data count them too, unless the mesh was written anew and not by steps. */
static DvStatus agree_on_edges(BendingSprings *self, uint32_t edges)
{
    const bool anew = dv_topology_changed(&self->topology) && !self->told;
    if (self->edges.count == edges && !anew)
        return DV_OK;
    self->all_stale = true;
    leave(self);
    return follow(self);
}

/* A mesh that has lost its last element may have edges without points. */
static bool acts(const BendingSprings *self)
{
    return self->set.count > 0 && self->set.points[0] > 0;
}

/* Makes the springs again that the mesh or the fields have changed; false: there are none. */
static bool update(BendingSprings *self)
{
    if (!self->base.state.ops)
        return false;
    const uint32_t edges = dv_topology_elements(&self->topology, DV_EDGES).count,
                   points = dv_state_count(self->base.state);
    const double stiffness = dv_data_double(&self->stiffness), damping = dv_data_double(&self->damping);
    const bool other_values = stiffness != self->made[0] || damping != self->made[1];
    if (agree_on_edges(self, edges) != DV_OK)
        return false;
    if (other_values)
        self->all_stale = true;
    self->told = false;
    if (!self->all_stale && self->stale_count == 0 && points == self->set.points[0])
        return acts(self);
    self->made[0] = stiffness;
    self->made[1] = damping;
    const DvConstVec rest = dv_state_read(self->base.state, DV_REST_POSITION);
    const DvAdjacency around = adjacency(self, DV_EDGES, self->kind);
    spring_blocks_resize(&self->set, edges * per_edge(self), (const uint32_t[2]){points, points});
    for (uint32_t i = 0; i < (self->all_stale ? edges : self->stale_count); i++)
        make_edge(self, self->all_stale ? i : self->stale[i], &around, &rest);
    for (uint32_t i = 0; i < self->stale_count; i++)
        *place_of(self, self->stale[i]) = 0;
    self->stale_count = 0;
    self->all_stale = false;
    self->structure++;
    dv_data_touch(&self->stiffness); /* for edgeInfo */
    return acts(self);
}

DvStatus bending_springs_update(DvObject *object, void *self_)
{
    (void)object;
    BendingSprings *self = self_;
    const SpringBlocks *set = &self->set;
    LinearSpring *out = dv_data_begin_all(&self->edge_info, set->count);
    for (uint32_t i = 0; i < set->count; i++)
        out[i] = spring_blocks_get(set, i);
    dv_data_end(&self->edge_info);
    return DV_OK;
}

DvStatus bending_springs_init(DvObject *object, BendingSprings *self, DvElementKind kind, const char *need)
{
    self->kind = kind;
    DvConstVec rest;
    DvStatus status = single_state_init(object, &self->base);
    if (status == DV_OK)
        status = dv_topology_require(object, &self->topology_link, need, &self->topology);
    if (status == DV_OK)
        status = state_at_rest(object, self->base.state, &rest);
    if (status == DV_OK) {
        leave(self);
        status = follow(self);
    }
    if (status != DV_OK) {
        single_state_release(&self->base);
        return status;
    }
    spring_blocks_start(&self->set, self->base.state.dof, true, SHORTEST);
    self->all_stale = true;
    self->told = true;
    (void)update(self);
    return DV_OK;
}

void bending_springs_cleanup(DvObject *object, void *self_)
{
    (void)object;
    BendingSprings *self = self_;
    leave(self);
    single_state_release(&self->base);
    dv_topology_release(&self->topology);
}

void bending_springs_destroy(DvObject *object, void *self_)
{
    (void)object;
    BendingSprings *self = self_;
    spring_blocks_free(&self->set);
    dv_free(self->stale);
}

static void add_force(void *self_, const DvStep *step, const DvConstVec *x, const DvConstVec *v, const DvVec *f)
{
    (void)step;
    BendingSprings *self = self_;
    if (update(self) && x->count == self->set.points[0])
        spring_blocks_force(&self->set, x, v, f);
}

static void add_dforce(void *self_, const DvStep *step, double k, double b, const DvConstVec *dx, const DvVec *df)
{
    (void)step;
    (void)b;
    BendingSprings *self = self_;
    if (acts(self) && dx->count == self->set.points[0])
        spring_blocks_dforce(&self->set, k, dx, df);
}

static void reserve(void *self, DvPattern *pattern)
{
    spring_blocks_reserve(&((const BendingSprings *)self)->set, pattern);
}

static void assemble(void *self, const DvStep *step, double k, double b, const DvMatrixView *view)
{
    (void)step;
    (void)b;
    spring_blocks_assemble(&((BendingSprings *)self)->set, k, view);
}

static uint64_t structure(void *self_)
{
    BendingSprings *self = self_;
    (void)update(self);
    return self->structure;
}

static double energy(void *self_, const DvStep *step, const DvConstVec *x)
{
    (void)step;
    BendingSprings *self = self_;
    return update(self) && x->count == self->set.points[0] ? spring_blocks_energy(&self->set, x) : 0.0;
}

static double explain(void *self_, const DvFault *fault, DvText *cause, DvText *remedy)
{
    const BendingSprings *self = self_;
    return single_state_is_concerned(&self->base, fault)
               ? explain_elements(self, fault, spring_blocks_bound(&self->set), UINT32_MAX, cause, remedy)
               : 0.0;
}

const DvFaultCauseOps bending_springs_cause = {.size = sizeof bending_springs_cause, .explain = explain};

static void cost(void *self, double *product, double *assembly)
{
    spring_blocks_cost(&((const BendingSprings *)self)->set, product, assembly);
}

const DvForceFieldOps bending_springs_ops = {
    .size = sizeof bending_springs_ops,
    .states = single_state_states,
    .add_force = add_force,
    .add_dforce = add_dforce,
    .reserve = reserve,
    .assemble = assemble,
    .structure = structure,
    .energy = energy,
    .cost = cost,
};

void bending_springs_draw(BendingSprings *self, DvDraw *draw)
{
    if (!dv_draw_shows(draw, DV_DISPLAY_FORCE_FIELDS) || !self->base.state.ops || self->set.count == 0)
        return;
    const DvConstVec x = dv_state_read(self->base.state, DV_POSITION);
    if (x.count == self->set.points[0])
        spring_blocks_draw(&self->set, draw, &x);
}
