/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Damped linear springs: lists, forces, stiffness. The equations are in the header.
 *
 * `spring` and the lists (points, stiffness...) describe the same springs. What was given at the start fills the other; later
 * changes of either are noticed by their versions when a force is asked for.
 */
#include "forcefield/spring/springs.h"

#include <divan/given.h>
#include <divan/kit/ascending.h>

#include <stdlib.h>
#include <string.h>

#include "state/mechanical_object.h"

static DvStatus parse_springs(const DvType *type, const char *text, void **elements, size_t *count, DvText *problem)
{
    (void)type;
    LinearSpring *list = NULL;
    size_t capacity = 0;
    DvStatus status = DV_OK;
    for (;;) {
        LinearSpring s = {.enabled = 1};
        const char *before = text;
        if (!dv_read_uint(&text, &s.a))
            break;
        if (!dv_read_uint(&text, &s.b) || !dv_read_double(&text, &s.stiffness) || !dv_read_double(&text, &s.damping) ||
            !dv_read_double(&text, &s.rest_length)) {
            dv_text_add(
                problem,
                "spring %zu is incomplete: five numbers are needed (point, point, stiffness, damping, rest length)",
                *count);
            text = before;
            break;
        }
        char word[16];
        for (const char *next = text; dv_read_word(&next, word, sizeof word); text = next) {
            if (strcmp(word, "elongationOnly") == 0)
                s.elongation_only = 1;
            else if (strcmp(word, "disabled") == 0)
                s.enabled = 0;
            else
                break;
        }
        if (*count == capacity) {
            const size_t larger = capacity > 0 ? 2 * capacity : 16;
            list = dv_realloc(list, capacity * sizeof *list, larger * sizeof *list);
            capacity = larger;
        }
        list[(*count)++] = s;
    }
    char rest[16];
    if (!problem->length && dv_read_word(&text, rest, sizeof rest)) {
        dv_text_add(problem, "'%s' is not a number", rest);
        status = DV_ERROR_INVALID;
    }
    *elements = list;
    return status;
}

static void print_springs(const DvType *type, const void *elements, size_t count, DvText *out)
{
    (void)type;
    const LinearSpring *list = elements;
    for (size_t i = 0; i < count; i++) {
        dv_text_add(out, "%s%u %u ", i > 0 ? " " : "", list[i].a, list[i].b);
        dv_text_add_double(out, list[i].stiffness);
        dv_text_add(out, " ");
        dv_text_add_double(out, list[i].damping);
        dv_text_add(out, " ");
        dv_text_add_double(out, list[i].rest_length);
        dv_text_add(out, "%s%s", list[i].elongation_only ? " elongationOnly" : "", list[i].enabled ? "" : " disabled");
    }
}

static const LinearSpring blank_spring = {.enabled = 1};

const DvType dv_type_linear_springs = {
    .size = sizeof(DvType),
    .name = "list of springs",
    .scalar = DV_SCALAR_OPAQUE,
    .components = 1,
    .list = true,
    .element_size = sizeof(LinearSpring),
    .blank = &blank_spring,
    .parse = parse_springs,
    .print = print_springs,
};

static const double SHORTEST = 1e-9; /* m */

static uint64_t list_version(Springs *self)
{
    return dv_data_version(&self->indices1) + dv_data_version(&self->indices2) + dv_data_version(&self->lengths) +
           dv_data_version(&self->stiffness) + dv_data_version(&self->damping) +
           dv_data_version(&self->elongation_only) + dv_data_version(&self->enabled);
}

static DvStatus check_spring(Springs *self, const LinearSpring *s, uint32_t number, const uint32_t points[2])
{
    if (s->a < points[0] && s->b < points[1])
        return DV_OK;
    const bool first = s->a >= points[0];
    return dv_field_error_missing(&self->spring, number, "point", first ? s->a : s->b, "the state",
                                  points[first ? 0 : 1]);
}

/* What a scene can say in one line of springs and hardly mean. */
static void warn_of_springs(Springs *self)
{
    enum { MOST = 3 };
    const LinearSpring *list = dv_data_read(&self->spring);
    const bool one = dv_pair_state_is_one(&self->base);
    size_t odd = 0;
    for (size_t i = 0; i < self->spring.count; i++) {
        const LinearSpring *s = &list[i];
        const bool closed = one && s->a == s->b, pushes = s->stiffness < 0.0, feeds = s->damping < 0.0;
        if (!(closed || pushes || feeds) || ++odd > MOST)
            continue;
        if (closed)
            dv_field_warning(&self->spring, (int64_t)i, "both ends are point %u: it has no force", s->a);
        else if (pushes)
            dv_field_warning(
                &self->spring, (int64_t)i,
                "the stiffness is %g N/m: it pushes its ends away from where they rest; it should be 0 or more",
                s->stiffness);
        else
            dv_field_warning(&self->spring, (int64_t)i,
                             "the damping is %g N s/m: it adds energy; it should be 0 or more", s->damping);
    }
    if (odd > MOST)
        dv_field_warning(&self->spring, -1, "so %s %zu more", odd == MOST + 1 ? "is" : "are", odd - MOST);
}

/* The springs of the field and those the class adds. */
static DvStatus compile(Springs *self)
{
    spring_blocks_start(&self->set, self->base.state[0].dof, dv_pair_state_is_one(&self->base), SHORTEST);
    self->structure++;
    size_t count = (dv_data_read(&self->spring), self->spring.count);
    const LinearSpring *list = dv_data_read(&self->spring);
    const uint32_t points[2] = {state_count(self->base.state[0]), state_count(self->base.state[1])};
    spring_blocks_resize(&self->set, 0, points);
    if (count + self->extra_count > UINT32_MAX / 2)
        return dv_field_error(&self->spring, -1, "too many springs (%zu)", count);
    const uint32_t total = (uint32_t)count + self->extra_count;
    for (uint32_t i = 0; i < total; i++) {
        const DvStatus status = check_spring(self, i < count ? &list[i] : &self->extra[i - count], i, points);
        if (status != DV_OK)
            return status;
    }
    spring_blocks_resize(&self->set, total, points);
    for (uint32_t i = 0; i < total; i++)
        spring_blocks_set(&self->set, i, i < count ? &list[i] : &self->extra[i - count]);
    return DV_OK;
}

/* A list of `count` values from a field: its last value is repeated when it is too short. */
static void fit_list(DvData *field, size_t count)
{
    const size_t had = (dv_data_read(field), field->count);
    if (had == count)
        return;
    if (had > 1)
        dv_field_warning(field, -1, "holds %zu values for %zu springs; %s", had, count,
                         had > count ? "the rest is dropped" : "the last one is repeated");
    const bool flags = field->type->scalar == DV_SCALAR_BOOL;
    void *values = dv_data_begin(field, count);
    for (size_t i = had; had > 0 && i < count; i++) {
        if (flags)
            ((bool *)values)[i] = ((bool *)values)[had - 1];
        else
            ((double *)values)[i] = ((double *)values)[had - 1];
    }
    dv_data_end(field);
}

static void lists_from_springs(Springs *self)
{
    const LinearSpring *list = dv_data_read(&self->spring);
    const size_t count = self->spring.count;
    uint32_t *a = dv_data_begin_all(&self->indices1, count), *b = dv_data_begin_all(&self->indices2, count);
    double *length = dv_data_begin_all(&self->lengths, count), *stiffness = dv_data_begin_all(&self->stiffness, count);
    double *damping = dv_data_begin_all(&self->damping, count);
    bool *elongation = dv_data_begin_all(&self->elongation_only, count),
         *enabled = dv_data_begin_all(&self->enabled, count);
    for (size_t i = 0; i < count; i++) {
        a[i] = list[i].a;
        b[i] = list[i].b;
        length[i] = list[i].rest_length;
        stiffness[i] = list[i].stiffness;
        damping[i] = list[i].damping;
        elongation[i] = list[i].elongation_only != 0;
        enabled[i] = list[i].enabled != 0;
    }
    DvData *const all[] = {&self->indices1, &self->indices2,        &self->lengths, &self->stiffness,
                           &self->damping,  &self->elongation_only, &self->enabled};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        dv_data_end(all[i]);
}

static DvStatus springs_from_lists(Springs *self)
{
    size_t count, second;
    dv_data_uints(&self->indices1, &count);
    dv_data_uints(&self->indices2, &second);
    if (count != second)
        return dv_field_error(&self->indices2, -1,
                              "holds %zu points, springsIndices1 holds %zu: each spring needs both", second, count);
    if (count > 0) {
        const double zero = 0.0;
        if ((dv_data_read(&self->lengths), self->lengths.count) == 0)
            dv_data_set(&self->lengths, &zero, 1);
        DvData *const lists[] = {&self->lengths, &self->stiffness, &self->damping, &self->elongation_only,
                                 &self->enabled};
        for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
            fit_list(lists[i], count);
    }
    const uint32_t *a = dv_data_uints(&self->indices1, NULL), *b = dv_data_uints(&self->indices2, NULL);
    const double *length = dv_data_doubles(&self->lengths, NULL), *stiffness = dv_data_doubles(&self->stiffness, NULL);
    const double *damping = dv_data_doubles(&self->damping, NULL);
    const bool *elongation = dv_data_bools(&self->elongation_only, NULL),
               *enabled = dv_data_bools(&self->enabled, NULL);
    LinearSpring *list = dv_data_begin_all(&self->spring, count);
    for (size_t i = 0; i < count; i++)
        list[i] = (LinearSpring){a[i], b[i], stiffness[i], damping[i], length[i], elongation[i], enabled[i]};
    dv_data_end(&self->spring);
    return DV_OK;
}

static void remember_versions(Springs *self)
{
    self->spring_version = dv_data_version(&self->spring);
    self->list_version = list_version(self);
}

/* Takes up what was changed since the last time; false: there are no usable springs. */
static bool update(Springs *self)
{
    const bool spring_changed = dv_data_version(&self->spring) != self->spring_version;
    const bool lists_changed = list_version(self) != self->list_version;
    if (spring_changed || lists_changed) {
        DvStatus status = DV_OK;
        if (spring_changed || self->lists_ignored)
            lists_from_springs(self);
        else
            status = springs_from_lists(self);
        remember_versions(self);
        if (status != DV_OK || compile(self) != DV_OK)
            spring_blocks_free(&self->set);
    } else if (state_count(self->base.state[0]) != self->set.points[0] ||
               state_count(self->base.state[1]) != self->set.points[1]) {
        if (compile(self) != DV_OK)
            spring_blocks_free(&self->set);
    }
    return self->set.count > 0;
}

/* ---- Edits of the meshes of its states: the list is read once for each, in its order ---- */

typedef struct SpringEdit {
    bool side[2]; /* whose points it is about */
    /* New numbers of the points, UINT32_MAX for what goes; or edges that go, each with its lesser end first, sorted. */
    const uint32_t *number;
    uint32_t points;
    const uint64_t *edge;
    size_t edges;
} SpringEdit;

static uint64_t edge_key(uint32_t a, uint32_t b)
{
    return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

static int by_key(const void *a, const void *b)
{
    const uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return left < right ? -1 : left > right;
}

static uint32_t new_number(const SpringEdit *edit, int side, uint32_t point)
{
    return edit->side[side] && point < edit->points ? edit->number[point] : point;
}

static bool goes(const SpringEdit *edit, const LinearSpring *spring)
{
    const uint64_t key = edge_key(spring->a, spring->b);
    return edit->edges && bsearch(&key, edit->edge, edit->edges, sizeof key, by_key);
}

/* Where nothing changes, nothing is written. */
static bool touches(const SpringEdit *edit, const LinearSpring *spring)
{
    return goes(edit, spring) || new_number(edit, 0, spring->a) != spring->a ||
           new_number(edit, 1, spring->b) != spring->b;
}

static void edit_springs(Springs *self, const SpringEdit *edit)
{
    const LinearSpring *before = dv_data_read(&self->spring);
    const size_t count = self->spring.count;
    size_t kept = 0;
    while (kept < count && !touches(edit, &before[kept]))
        kept++;
    if (kept == count)
        return;
    LinearSpring *list = dv_data_begin(&self->spring, count);
    for (size_t i = kept; i < count; i++) {
        LinearSpring s = list[i];
        if (goes(edit, &s))
            continue;
        s.a = new_number(edit, 0, s.a);
        s.b = new_number(edit, 1, s.b);
        if (s.a != UINT32_MAX && s.b != UINT32_MAX)
            list[kept++] = s;
    }
    (void)dv_data_begin(&self->spring, kept);
    dv_data_end(&self->spring);
}

static void points_changed(DvElementData *data, const DvElementChange *change)
{
    Springs *self = data->owner;
    const bool removed = change->change == DV_ELEMENTS_REMOVED, first = data != &self->attached[1];
    const uint32_t former = change->total + (removed ? change->count : 0);
    if (!removed && change->change != DV_ELEMENTS_RENUMBERED)
        return;
    uint32_t *number = dv_alloc(former, sizeof *number), *place = dv_alloc(former, sizeof *place);
    for (uint32_t i = 0; i < former; i++)
        number[i] = place[i] = i; /* place: who has a number */
    for (uint32_t i = 0; i < change->count; i++) {
        const uint32_t index = change->indices[i], last = former - 1 - i;
        if (!removed) {
            number[index] = i;
            continue;
        }
        number[place[index]] = UINT32_MAX;
        if (index != last)
            number[place[last]] = index;
        place[index] = place[last];
    }
    const bool one = dv_pair_state_is_one(&self->base);
    edit_springs(self, &(SpringEdit){.side = {one || first, one || !first}, .number = number, .points = former});
    dv_free(number);
    dv_free(place);
}

static void edges_changed(DvElementData *data, const DvElementChange *change)
{
    if (change->change != DV_ELEMENTS_REMOVED)
        return;
    Springs *self = data->owner;
    const DvTopologyOps *topology = dv_object_ops(data->topology, DV_TOPOLOGY);
    const DvElements edges = topology->elements(dv_object_self(data->topology), DV_EDGES);
    uint64_t *edge = dv_alloc(change->count, sizeof *edge);
    size_t count = 0;
    for (uint32_t i = 0; i < change->count; i++) {
        const uint32_t *end = edges.at + 2 * (size_t)change->indices[i];
        if (change->indices[i] < edges.count)
            edge[count++] = edge_key(end[0], end[1]);
    }
    qsort(edge, count, sizeof *edge, by_key);
    if (count > 0)
        edit_springs(self, &(SpringEdit){.edge = edge, .edges = count});
    dv_free(edge);
}

/* A saved scene has put the springs back; those of the start are on the first mesh. Once, of up to three. */
static void replaced(DvElementData *data, DvMeshReplacement why)
{
    Springs *self = data->owner;
    if (why == DV_MESH_RESET && self->first)
        dv_data_set(&self->spring, self->first, self->first_count);
}

static void keep_first(Springs *self)
{
    (void)dv_data_read(&self->spring);
    dv_free(self->first);
    self->first_count = self->spring.count;
    self->first = dv_alloc(self->first_count, sizeof *self->first);
    if (self->first_count)
        memcpy(self->first, self->spring.value, self->first_count * sizeof *self->first);
}

/* Springs go with the points and edges of meshes that change. */
static DvStatus follow_topologies(Springs *self)
{
    const bool one = dv_pair_state_is_one(&self->base);
    for (int i = 0; i < 3; i++) {
        const bool edges = i == 2;
        if ((i == 1 && one) || (edges && !one))
            continue;
        DvObject *topology = dv_node_slot(dv_object_node(self->base.state[edges ? 0 : i].object), DV_TOPOLOGY);
        const DvTopologyOps *topology_ops = topology ? dv_object_ops(topology, DV_TOPOLOGY) : NULL;
        if (!topology_ops || !topology_ops->is_dynamic(dv_object_self(topology)))
            continue;
        self->attached[i] = (DvElementData){.kind = edges ? DV_EDGES : DV_POINTS,
                                            .entry_size = 1,
                                            .owner = self,
                                            .changed = edges ? edges_changed : points_changed,
                                            .replaced = replaced};
        if (!self->first)
            keep_first(self);
        const DvStatus status = dv_element_data_attach(&self->attached[i], topology);
        if (status != DV_OK)
            return status;
    }
    return DV_OK;
}

DvStatus springs_init_states(DvObject *object, Springs *self)
{
    return dv_pair_state_init(object, &self->base);
}

DvStatus springs_init_lists(DvObject *object, Springs *self)
{
    (void)object;
    DvStatus status = DV_OK;
    if (*dv_data_string(&self->file) != '\0') {
        size_t count;
        const LinearSpring *list = dv_data_read(&self->spring);
        LinearSpring *all = springs_read_file(&self->file, list, self->spring.count, &count);
        if (all)
            dv_data_set(&self->spring, all, count);
        else
            status = DV_ERROR_INVALID;
        dv_free(all);
    }
    if (status == DV_OK) {
        const bool given = dv_data_is_given(&self->spring);
        if (given && !self->lists_ignored)
            warn_of_springs(self);
        if (self->lists_ignored || given)
            lists_from_springs(self);
        else
            status = springs_from_lists(self);
    }
    if (status == DV_OK)
        status = compile(self);
    if (status == DV_OK)
        status = follow_topologies(self);
    if (status != DV_OK) {
        spring_blocks_free(&self->set);
        dv_pair_state_release(&self->base);
    }
    remember_versions(self);
    return status;
}

void springs_cleanup(DvObject *object, void *self_)
{
    (void)object;
    Springs *self = self_;
    for (int i = 0; i < 3; i++)
        dv_element_data_detach(&self->attached[i]);
    dv_pair_state_release(&self->base);
}

/* ---- The operator ---- */

static uint64_t operator_version(void *self_)
{
    Springs *self = self_;
    const bool acts = update(self); /* which may change the structure */
    return 2 * self->structure + acts;
}

static void describe_operator(void *self_, DvOperator *out)
{
    Springs *self = self_;
    const uint64_t version = operator_version(self);
    spring_operator_describe(&self->described, &self->set, self->base.state[0].dof, !dv_pair_state_is_one(&self->base),
                             SHORTEST, version, out);
}

const DvOperatorOps springs_operator = {
    .size = sizeof(DvOperatorOps), .version = operator_version, .describe = describe_operator};

/* ---- Points that are touched ---- */

static void list_ends(Springs *self, int side)
{
    const uint32_t count = self->set.count;
    dv_free(self->ends[side]);
    uint32_t *ends = dv_alloc((size_t)count + 1, sizeof *ends);
    for (uint32_t i = 0; i < count; i++) {
        const LinearSpring spring = spring_blocks_get(&self->set, i);
        ends[i] = side ? spring.b : spring.a;
    }
    self->ends[side] = ends;
    self->end_count[side] = dv_ascending_sort(ends, count);
}

/* Between two states; of one it may be all. */
static const uint32_t *touched_points(void *self_, uint32_t state, uint32_t *count)
{
    Springs *self = self_;
    (void)update(self);
    if (dv_pair_state_is_one(&self->base))
        return NULL;
    if (self->ends_of != self->structure + 1) {
        list_ends(self, 0);
        list_ends(self, 1);
        self->ends_of = self->structure + 1;
    }
    *count = self->end_count[state];
    return self->ends[state];
}

const DvTouchedPointsOps springs_points = {.size = sizeof(DvTouchedPointsOps), .points = touched_points};

void springs_destroy(DvObject *object, void *self_)
{
    (void)object;
    Springs *self = self_;
    dv_free(self->first);
    spring_blocks_free(&self->set);
    dv_free(self->extra);
    spring_operator_free(&self->described);
    dv_free(self->ends[0]);
    dv_free(self->ends[1]);
}

static void add_force(void *self_, const DvStep *step, const DvConstVec *x, const DvConstVec *v, const DvVec *f)
{
    (void)step;
    Springs *self = self_;
    if (update(self))
        spring_blocks_force(&self->set, x, v, f);
}

static void add_dforce(void *self_, const DvStep *step, double k, double b, const DvConstVec *dx, const DvVec *df)
{
    (void)step;
    (void)b;
    Springs *self = self_;
    if (self->set.count > 0)
        spring_blocks_dforce(&self->set, k, dx, df);
}

static void reserve(void *self, DvPattern *pattern)
{
    spring_blocks_reserve(&((const Springs *)self)->set, pattern);
}

static void assemble(void *self, const DvStep *step, double k, double b, const DvMatrixView *view)
{
    (void)step;
    (void)b;
    spring_blocks_assemble(&((Springs *)self)->set, k, view);
}

static uint64_t structure(void *self_)
{
    Springs *self = self_;
    (void)update(self);
    return self->structure;
}

static double energy(void *self_, const DvStep *step, const DvConstVec *x)
{
    (void)step;
    Springs *self = self_;
    return update(self) ? spring_blocks_energy(&self->set, x) : 0.0;
}

static double bound(void *self)
{
    return spring_blocks_bound(&((const Springs *)self)->set);
}

const DvElementsCause springs_cause = DV_ELEMENTS_CAUSE(.bound = bound);

static void cost(void *self, double *product, double *assembly)
{
    spring_blocks_cost(&((const Springs *)self)->set, product, assembly);
}

const DvForceFieldOps springs_ops = {
    .size = sizeof springs_ops,
    .states = dv_pair_state_states,
    .add_force = add_force,
    .add_dforce = add_dforce,
    .reserve = reserve,
    .assemble = assemble,
    .structure = structure,
    .energy = energy,
    .cost = cost,
};

static void draw(void *self_, DvDraw *target)
{
    Springs *self = self_;
    const DvDisplayFlag flag =
        dv_pair_state_is_one(&self->base) ? DV_DISPLAY_FORCE_FIELDS : DV_DISPLAY_INTERACTION_FORCE_FIELDS;
    if (!dv_draw_shows(target, flag) || !self->base.state[0].ops || self->set.count == 0 || !update(self))
        return;
    const DvConstVec x[2] = {dv_state_read(self->base.state[0], DV_POSITION),
                             dv_state_read(self->base.state[1], DV_POSITION)};
    spring_blocks_draw(&self->set, target, x);
}

const DvDrawableOps springs_drawable = {.size = sizeof springs_drawable, .draw = draw};
