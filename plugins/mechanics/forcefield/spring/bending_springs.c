/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Springs across the edges of a surface: which edges have which, and how they follow the mesh.
 */
#include "forcefield/spring/bending_springs.h"

#include <divan/kit/ascending.h>
#include <divan/kit/element_faults.h>
#include <divan/kit/renumbering.h>

static const double SHORTEST = 1e-4; /* m */

static uint32_t per_edge(const BendingSprings *self)
{
    return self->kind == DV_TRIANGLES ? 1 : 2;
}

static EdgeSprings *springs_of_edge(BendingSprings *self, uint32_t edge)
{
    return dv_element_data_entry(&self->edges, edge);
}

static uint32_t *place_of(BendingSprings *self, uint32_t edge)
{
    return &springs_of_edge(self, edge)->place;
}

static bool consistent(BendingSprings *self)
{
    return dv_data_bool(&self->consistent);
}

/* What a saved scene would hold is not so any more: it is computed when it is read. */
static void changes(BendingSprings *self)
{
    self->told = self->followed = true;
    dv_data_touch(&self->stiffness);
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

/* Between the two elements around an edge, not counting `but`; none when there are not two. Returns how many there are with it. */
static uint32_t find_springs(BendingSprings *self, uint32_t edge, uint32_t but)
{
    EdgeSprings *springs = springs_of_edge(self, edge);
    const DvAdjacency around = adjacency(self, DV_EDGES, self->kind);
    uint32_t two[2] = {0, 0}, count = 0, all = 0;
    for (uint32_t k = edge < around.count ? around.begin[edge] : 0; edge < around.count && k < around.end[edge]; k++) {
        all++;
        if (around.items[k] != but && count++ < 2)
            two[count - 1] = around.items[k];
    }
    memset(springs->end, 0, sizeof springs->end);
    if (count != 2)
        return all;
    const uint32_t nodes = dv_element_nodes(self->kind);
    const uint32_t *ends = dv_topology_elements(&self->topology, DV_EDGES).at + 2 * (size_t)edge;
    const uint32_t *element = dv_topology_elements(&self->topology, self->kind).at;
    const uint32_t *visited = element + (size_t)nodes * (two[0] < two[1] ? two[0] : two[1]);
    const uint32_t *other = element + (size_t)nodes * (two[0] < two[1] ? two[1] : two[0]);
    const uint32_t i = local_edge(other, nodes, ends), j = local_edge(visited, nodes, ends);
    const bool triangles = self->kind == DV_TRIANGLES;
    springs->end[0][0] = other[i];
    springs->end[0][1] = visited[triangles ? j : (j + 3) % 4];
    springs->end[1][0] = triangles ? 0 : other[(i + 3) % 4];
    springs->end[1][1] = triangles ? 0 : visited[j];
    return all;
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

/* `gone`: an element that goes; UINT32_MAX: one has come. */
static void settle_edge(BendingSprings *self, uint32_t edge, uint32_t gone)
{
    EdgeSprings *springs = springs_of_edge(self, edge);
    const bool comes = gone == UINT32_MAX;
    if (comes == (springs->settled != 0))
        return;
    const uint32_t elements = find_springs(self, edge, gone);
    springs->settled = comes || elements == 3;
    list_edge(self, edge);
}

static void settle_edges_of_element(BendingSprings *self, uint32_t element, uint32_t gone)
{
    const DvAdjacency edges = adjacency(self, self->kind, DV_EDGES);
    for (uint32_t k = element < edges.count ? edges.begin[element] : 0; element < edges.count && k < edges.end[element];
         k++)
        if (edges.items[k] < self->edges.count)
            settle_edge(self, edges.items[k], gone);
}

static void elements_added(DvElementData *data, const DvElementChange *change, uint32_t first)
{
    BendingSprings *self = data->owner;
    for (uint32_t i = 0; i < change->count; i++) {
        if (consistent(self))
            list_edges_of_element(self, first + i);
        else
            settle_edges_of_element(self, first + i, UINT32_MAX);
    }
}

static void element_removed(DvElementData *data, uint32_t index)
{
    BendingSprings *self = data->owner;
    if (consistent(self))
        list_edges_of_element(self, index);
    else
        settle_edges_of_element(self, index, index);
}

/* Springs name points; one that loses a point goes. */
static void rename_points(BendingSprings *self, uint32_t edge, const DvRenumbering *renumbering)
{
    for (uint32_t i = 0; i < per_edge(self); i++) {
        uint32_t *end = springs_of_edge(self, edge)->end[i];
        const uint32_t a = dv_renumbering_new(renumbering, end[0]), b = dv_renumbering_new(renumbering, end[1]);
        if (end[0] == end[1] || (a == end[0] && b == end[1]))
            continue;
        const bool lost = a == UINT32_MAX || b == UINT32_MAX;
        end[0] = lost ? 0 : a;
        end[1] = lost ? 0 : b;
        list_edge(self, edge);
    }
}

/* Edges of the elements around touched points: those whose springs name them, for a spring is between two elements that are there. Each once,
 * for a second look would take numbers of now for those of before; dv_free. */
static uint32_t *edges_around(const BendingSprings *self, const DvRenumbering *touched, uint32_t *count)
{
    const DvAdjacency around = adjacency(self, DV_POINTS, self->kind), edges = adjacency(self, self->kind, DV_EDGES);
    uint32_t *list = NULL, found = 0, room = 0;
    for (uint32_t i = 0; i < touched->count && touched->old[i] < around.count; i++)
        for (uint32_t k = around.begin[touched->old[i]]; k < around.end[touched->old[i]]; k++) {
            const uint32_t element = around.items[k], begin = element < edges.count ? edges.begin[element] : 0;
            const uint32_t more = element < edges.count ? edges.end[element] - begin : 0;
            if (found + more > room) {
                const uint32_t larger = 2 * (found + more);
                list = dv_realloc(list, room * sizeof *list, larger * sizeof *list);
                room = larger;
            }
            for (uint32_t j = 0; j < more; j++)
                if (edges.items[begin + j] < self->edges.count)
                    list[found++] = edges.items[begin + j];
        }
    *count = dv_ascending_sort(list, found);
    return list;
}

/* Before points go, or after all have other numbers. */
static void rename_touched(BendingSprings *self, const DvElementChange *change)
{
    DvRenumbering renumbering = dv_renumbering_of(change);
    if (renumbering.all) {
        for (uint32_t edge = 0; edge < self->edges.count; edge++)
            rename_points(self, edge, &renumbering);
    } else {
        uint32_t count, *edges = edges_around(self, &renumbering, &count);
        for (uint32_t i = 0; i < count; i++)
            rename_points(self, edges[i], &renumbering);
        dv_free(edges);
    }
    dv_renumbering_free(&renumbering);
}

/* Springs hang on the rest positions of points. */
static void points_changed(DvElementData *data, const DvElementChange *change)
{
    BendingSprings *self = data->owner;
    const bool removed = change->change == DV_ELEMENTS_REMOVED;
    changes(self);
    for (uint32_t i = 0; i < change->count && change->change == DV_POINTS_MOVED; i++)
        list_edges_around_point(self, change->indices[i]);
    if (!removed && change->change != DV_ELEMENTS_RENUMBERED)
        return;
    if (!consistent(self))
        rename_touched(self, change);
    else if (!removed)
        self->all_stale = true;
    for (uint32_t i = 0; i < change->count && removed && consistent(self); i++)
        list_edges_around_point(self, change->total + i); /* take the numbers of those that go */
}

static void told(DvElementData *data, const DvElementChange *change)
{
    (void)change;
    changes(data->owner);
}

static size_t numbers_per_edge(const BendingSprings *self)
{
    return 1 + 2 * (size_t)per_edge(self);
}

/* A saved scene has put its springs back, or there are those of the mesh as it is. */
static void edges_replaced(DvElementData *data, DvMeshReplacement why)
{
    BendingSprings *self = data->owner;
    const size_t numbers = numbers_per_edge(self);
    const uint32_t *saved = self->settled.value; /* what it depends on may have been put back after it */
    const size_t count = self->settled.count;
    self->stale_count = 0;
    self->all_stale = self->told = true;
    self->followed = why == DV_MESH_RESTORED && count > 0 && count == numbers * data->count;
    self->anew = !self->followed;
    for (uint32_t edge = 0; edge < data->count && self->followed; edge++) {
        EdgeSprings *springs = springs_of_edge(self, edge);
        springs->settled = saved[numbers * edge];
        memcpy(springs->end, saved + numbers * edge + 1, (numbers - 1) * sizeof *saved);
    }
    dv_data_touch(&self->stiffness);
}

static void elements_replaced(DvElementData *data, DvMeshReplacement why)
{
    (void)why;
    ((BendingSprings *)data->owner)->told = true;
}

/* For saved scenes. */
static void remember(BendingSprings *self)
{
    const bool followed = self->followed && !self->made_consistent;
    const size_t numbers = numbers_per_edge(self);
    uint32_t *to = dv_data_begin_all(&self->settled, followed ? numbers * self->edges.count : 0);
    for (uint32_t edge = 0; edge < self->edges.count && followed; edge++) {
        const EdgeSprings *springs = springs_of_edge(self, edge);
        to[numbers * edge] = springs->settled;
        memcpy(to + numbers * edge + 1, springs->end, (numbers - 1) * sizeof *to);
    }
    dv_data_end(&self->settled);
}

static DvStatus follow(BendingSprings *self)
{
    self->stale_count = 0;
    self->edges = (DvElementData){.kind = DV_EDGES,
                                  .entry_size = sizeof(EdgeSprings),
                                  .owner = self,
                                  .added = edges_added,
                                  .removed = edge_removed,
                                  .changed = told,
                                  .replaced = edges_replaced};
    self->elements = (DvElementData){.kind = self->kind,
                                     .entry_size = 1,
                                     .owner = self,
                                     .added = elements_added,
                                     .removed = element_removed,
                                     .changed = told,
                                     .replaced = elements_replaced};
    self->points = (DvElementData){
        .kind = DV_POINTS, .entry_size = 1, .owner = self, .changed = points_changed, .replaced = elements_replaced};
    DvElementData *const all[] = {&self->edges, &self->elements, &self->points};
    DvStatus status = DV_OK;
    for (size_t i = 0; i < sizeof all / sizeof *all && status == DV_OK; i++)
        status = dv_element_data_attach(all[i], self->topology.object);
    self->anew = self->all_stale = true;
    self->followed = false;
    return status;
}

static void leave(BendingSprings *self)
{
    dv_element_data_detach(&self->edges);
    dv_element_data_detach(&self->elements);
    dv_element_data_detach(&self->points);
}

static void make_spring(BendingSprings *self, uint32_t number, uint32_t a, uint32_t b, const DvConstVec *rest)
{
    LinearSpring spring = {0};
    if (a != b && a < rest->count && b < rest->count)
        spring = (LinearSpring){a, b, self->made[0], self->made[1], 0.0, 0, 1};
    if (spring.enabled)
        spring.rest_length = springs_length(rest->at + 3 * (size_t)a, rest->at + 3 * (size_t)b, 3);
    spring_blocks_set(&self->set, number, &spring);
}

static void make_edge(BendingSprings *self, uint32_t edge, const DvConstVec *rest)
{
    const EdgeSprings *springs = springs_of_edge(self, edge);
    if (self->anew || self->made_consistent)
        springs_of_edge(self, edge)->settled = find_springs(self, edge, UINT32_MAX) > 0;
    for (uint32_t i = 0; i < per_edge(self); i++)
        make_spring(self, per_edge(self) * edge + i, springs->end[i][0], springs->end[i][1], rest);
}

/* Edges that the mesh has now; element data count them too, unless the mesh was written anew and not by steps. */
static DvStatus agree_on_edges(BendingSprings *self, uint32_t edges)
{
    const bool anew = dv_topology_changed(&self->topology) && !self->told;
    if (self->edges.count == edges && !anew)
        return DV_OK;
    leave(self);
    return follow(self);
}

/* A mesh that has lost its last element may have edges without points. */
static bool acts(const BendingSprings *self)
{
    return self->set.count > 0 && self->set.points[0] > 0;
}

/* Makes the springs again that the mesh or the fields have changed; false: there was nothing to do. */
static bool make_springs(BendingSprings *self)
{
    const uint32_t edges = dv_topology_elements(&self->topology, DV_EDGES).count,
                   points = dv_state_count(self->base.state);
    const double stiffness = dv_data_double(&self->stiffness), damping = dv_data_double(&self->damping);
    const bool other_values =
        stiffness != self->made[0] || damping != self->made[1] || consistent(self) != self->made_consistent;
    if (agree_on_edges(self, edges) != DV_OK)
        return false;
    if (other_values)
        self->all_stale = true;
    const bool same = !self->told && !self->all_stale && self->stale_count == 0;
    self->told = false;
    if (same && points == self->set.points[0])
        return false;
    self->made[0] = stiffness;
    self->made[1] = damping;
    self->made_consistent = consistent(self);
    const DvConstVec rest = dv_state_read(self->base.state, DV_REST_POSITION);
    spring_blocks_resize(&self->set, edges * per_edge(self), (const uint32_t[2]){points, points});
    for (uint32_t i = 0; i < (self->all_stale ? edges : self->stale_count); i++)
        make_edge(self, self->all_stale ? i : self->stale[i], &rest);
    for (uint32_t i = 0; i < self->stale_count; i++)
        *place_of(self, self->stale[i]) = 0;
    self->stale_count = 0;
    self->all_stale = self->anew = false;
    self->structure++;
    return true;
}

/* The same; false: there are no springs. */
static bool update(BendingSprings *self)
{
    if (!self->base.state.ops)
        return false;
    if (make_springs(self))
        dv_data_touch(&self->stiffness); /* for edgeInfo and settledEdges */
    return acts(self);
}

DvStatus bending_springs_update(DvObject *object, void *self_)
{
    BendingSprings *self = self_;
    if (!self->base.state.ops || !dv_object_is_valid(object))
        return DV_OK;
    (void)make_springs(self); /* a scene may be saved between an edit and the next force */
    remember(self);
    const SpringBlocks *set = &self->set;
    LinearSpring *out = dv_data_begin_all(&self->edge_info, set->count);
    for (uint32_t i = 0; i < set->count; i++)
        out[i] = spring_blocks_get(set, i);
    dv_data_end(&self->edge_info);
    return DV_OK;
}

/* Scenes run with a mesh that has points more than the state. */
static void tell_of_points_without_state(const BendingSprings *self, const DvObject *object, uint32_t points)
{
    const DvElements elements = dv_topology_elements(&self->topology, self->kind);
    const size_t nodes = self->kind == DV_TRIANGLES ? 3 : 4;
    for (size_t i = 0; i < elements.count * nodes; i++)
        if (elements.at[i] >= points) {
            dv_warning(object,
                       "%s %zu names point %u, the state '%s' has %u points: there are no springs to those that it has "
                       "not; give it the positions of '%s'",
                       nodes == 3 ? "triangle" : "quad", i / nodes, elements.at[i],
                       dv_object_path(self->base.state.object), points, dv_object_path(self->topology.object));
            return;
        }
}

DvStatus bending_springs_init(DvObject *object, BendingSprings *self, DvElementKind kind, const char *need)
{
    self->kind = kind;
    DvConstVec rest;
    DvStatus status = dv_single_state_init(object, &self->base);
    if (status == DV_OK)
        status = dv_topology_require(object, &self->topology_link, need, &self->topology);
    if (status == DV_OK)
        status = dv_state_at_rest(object, self->base.state, &rest);
    if (status == DV_OK)
        status = dv_data_depend(&self->settled, &self->stiffness);
    if (status == DV_OK) {
        leave(self);
        status = follow(self);
    }
    if (status != DV_OK) {
        dv_single_state_release(&self->base);
        return status;
    }
    tell_of_points_without_state(self, object, rest.count);
    dv_element_faults_report(object, &self->topology, kind, dv_topology_elements(&self->topology, kind), rest);
    spring_blocks_start(&self->set, self->base.state.dof, true, SHORTEST);
    self->told = true;
    (void)update(self);
    return DV_OK;
}

void bending_springs_cleanup(DvObject *object, void *self_)
{
    (void)object;
    BendingSprings *self = self_;
    leave(self);
    dv_single_state_release(&self->base);
    dv_topology_release(&self->topology);
}

void bending_springs_destroy(DvObject *object, void *self_)
{
    (void)object;
    BendingSprings *self = self_;
    spring_blocks_free(&self->set);
    spring_operator_free(&self->described);
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
    if (acts(self))
        spring_blocks_reserve(&((const BendingSprings *)self)->set, pattern);
}

static void assemble(void *self, const DvStep *step, double k, double b, const DvMatrixView *view)
{
    (void)step;
    (void)b;
    if (acts(self))
        spring_blocks_assemble(&((BendingSprings *)self)->set, k, view);
}

static uint64_t structure(void *self_)
{
    BendingSprings *self = self_;
    (void)update(self);
    return self->structure;
}

static uint64_t operator_version(void *self_)
{
    BendingSprings *self = self_;
    return 2 * structure(self) + acts(self);
}

static void describe_operator(void *self_, DvOperator *out)
{
    BendingSprings *self = self_;
    const uint64_t version = operator_version(self);
    if (!acts(self))
        out->why = "there are no springs";
    else
        spring_operator_describe(&self->described, &self->set, self->base.state.dof, false, SHORTEST, version, out);
}

const DvOperatorOps bending_springs_operator = {
    .size = sizeof(DvOperatorOps), .version = operator_version, .describe = describe_operator};

static double energy(void *self_, const DvStep *step, const DvConstVec *x)
{
    (void)step;
    BendingSprings *self = self_;
    return update(self) && x->count == self->set.points[0] ? spring_blocks_energy(&self->set, x) : 0.0;
}

static double bound(void *self)
{
    return spring_blocks_bound(&((const BendingSprings *)self)->set);
}

const DvElementsCause bending_springs_cause = DV_ELEMENTS_CAUSE(.bound = bound);

static void cost(void *self, double *product, double *assembly)
{
    spring_blocks_cost(&((const BendingSprings *)self)->set, product, assembly);
}

const DvForceFieldOps bending_springs_ops = {
    .size = sizeof bending_springs_ops,
    .states = dv_single_state_states,
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
    if (!dv_draw_shows(draw, DV_DISPLAY_FORCE_FIELDS) || self->set.count == 0 || !update(self))
        return;
    const DvConstVec x = dv_state_read(self->base.state, DV_POSITION);
    if (x.count == self->set.points[0])
        spring_blocks_draw(&self->set, draw, &x);
}
