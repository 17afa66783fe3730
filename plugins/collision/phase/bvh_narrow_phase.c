/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * BVHNarrowPhase: pairs of elements whose boxes meet, by descending two trees of boxes at once (bounding volume hierarchies, e.g.
 * Gottschalk, Lin, Manocha 1996).
 *
 * The order of what is found is part of the method, since it decides the order of contacts: ranges of boxes are tested pair by pair in
 * order, a pair of inner boxes that meet puts the ranges of their children on a stack, a pair of leaves is a pair of elements at once.
 * Pairs of elements are collected and tested in batches. Pairs of bodies are searched at once by several threads: what each finds
 * goes to a place of its own, so that the order does not depend on them.
 *
 * Which of two kinds comes first is decided by the method's routines, so a pair of bodies may be turned round here.
 */
#include <divan/divan.h>
#include <divan/kit/array.h>
#include <divan/memory.h>
#include <divan/parallel.h>

#include "box_tree.h"
#include "neighbours.h"
#include "pair_map.h"
#include "pipeline/back_report.h"

enum {
    BATCH = 1024,      /* pairs of elements */
    LEAF_PAIRS = 1024, /* pairs of ranges of elements */
    AHEAD = 2,         /* leaf pairs before its turn whose boxes are asked for */
    RUN = 16,          /* elements that are passed over at once, of leaves with... */
    FEW = 4 * RUN      /* ...more of them near the other leaf */
};

/* What is on the stack: for each tree what is below a node, or, with ONE_SLOT, a slot. */
typedef struct Below {
    uint32_t a, b;
} Below;

enum { ONE_SLOT = 1u << 31 };

/* What is below a node: nodes [begin, end) of the tree, or slots. `all` holds them. */
typedef struct Range {
    uint32_t begin, end;
    bool slots;
    const Box *all;
} Range;

typedef struct BvhNarrowPhase {
    DvData tree_order, tree_leaves, pair_order; /* of a run that is saved: what the order of contacts hangs on */
    bool trees_changed;
    BoxTree *trees; /* [tree_count] of the bodies */
    uint32_t tree_count;
    PairMap map;
    DvContactSink *found; /* [map.capacity] of the entries */
    uint32_t found_count;
    DvContactPair *pairs;
    uint32_t pair_capacity;
    DV_ARRAY(Route) routes;  /* by the addresses of their kinds */
    const DvObject *method;  /* of the routes */
    struct Search *searches; /* [search_capacity] of this detection */
    uint32_t search_count, search_capacity;
    bool neighbours_are_told, backs_are_told, rounding_is_told;
} BvhNarrowPhase;

static const DvField fields[] = {
    DV_FIELD(BvhNarrowPhase, tree_order, "treeOrder", dv_type_uints, .flags = DV_FIELD_STATE,
             .help = "of each body with a tree: its number, how many elements, their order"),
    DV_FIELD(
        BvhNarrowPhase, tree_leaves, "treeLeaves", dv_type_uints, .flags = DV_FIELD_STATE,
        .help =
            "of each tree whose elements have changed since it was built: the number of the body, how many elements it was "
            "built with, how many have moved, how many leaves, the elements of each"),
    DV_FIELD(BvhNarrowPhase, pair_order, "pairOrder", dv_type_uints, .flags = DV_FIELD_STATE,
             .help = "ranks of the bodies, and the pairs that had contacts"),
    {0},
};

static void grow_sink(DvContactSink *sink)
{
    enum { MANY = 1 << 16 };
    const uint32_t capacity = dv_array_capacity(sink->capacity, 0);
    if (capacity > MANY) /* else what ends the process does not say whose contacts they are */
        (void)!dv_memory_ask(NULL, (double)capacity * sizeof *sink->contacts, "%u contacts of a step", capacity);
    dv_columns_reserve(&sink->capacity, capacity, DV_COLUMN(sink->contacts));
}

/* ---- Routines ---- */

static const Route *route_of(BvhNarrowPhase *self, const DvObject *method, const char *a, const char *b)
{
    if (self->method != method)
        dv_array_clear(&self->routes);
    self->method = method;
    for (uint32_t i = 0; i < self->routes.count; i++)
        if (self->routes.data[i].a == a && self->routes.data[i].b == b)
            return &self->routes.data[i];
    const Route route = find_route(method, a, b);
    if (route.answer == DV_ROUTINE_NONE)
        warn_of_unserved(method, a, b);
    dv_array_push(&self->routes, route);
    return &self->routes.data[self->routes.count - 1];
}

/* ---- Traversal ---- */

/* A pair of bodies to be searched: one after the other or several at once, each for itself. */
typedef struct Search {
    const DvCollisionBody *a, *b;
    const BoxTree *tree_a, *tree_b;
    DvContactQuery query;
    DvContactRoutine routine;
    uint32_t entry; /* of the map: where its contacts go */
    DvContactSink *sink;
    double tolerance;
    bool same_node, neighbours, apart; /* elements may share points; those that do are kept apart */
    bool filtered;                     /* by one of these */
} Search;

/* What a search needs while it runs, in the scratch of its thread. */
typedef struct Work {
    const Search *search;
    Below *stack;
    uint32_t stack_count, stack_capacity;
    Below *leaves; /* [LEAF_PAIRS] what is below both is elements; in the order in which they are to be visited */
    uint32_t leaf_count;
    uint32_t (*batch)[2];
    uint32_t batch_count;
    uint32_t *near[2]; /* slots of the ranges at work: one more than there are, see slots_near */
    Box *runs;         /* of the second range: what each RUN of these takes up */
} Work;

static void flush(Work *work)
{
    const Search *search = work->search;
    if (work->batch_count > 0)
        search->routine(&search->query, (const uint32_t(*)[2])work->batch, work->batch_count, search->sink);
    work->batch_count = 0;
}

DV_SIMD_INLINE void add_elements(Work *work, uint32_t a, uint32_t b)
{
    const Search *search = work->search;
    if (search->filtered) {
        if (search->a == search->b && a >= b)
            return;
        if (search->a->ops->can_collide && !search->a->ops->can_collide(search->a->self, a, search->b->object, b))
            return;
        if (search->apart && elements_share_a_point(search->query.a, a, search->query.b, b))
            return;
    }
    work->batch[work->batch_count][0] = a;
    work->batch[work->batch_count][1] = b;
    if (++work->batch_count == BATCH)
        flush(work);
}

DV_SIMD_INLINE Range range_of(const BoxTree *tree, uint32_t below)
{
    if (below & ONE_SLOT) {
        const uint32_t slot = below & ~(uint32_t)ONE_SLOT;
        return (Range){slot, slot + 1, true, &tree->slot_box[slot]};
    }
    const BoxNode *node = &tree->node[below];
    return node->child ? (Range){node->child, node->child + 2, false, &tree->node_box[below]}
                       : (Range){node->first, node->first + node->count, true, &tree->node_box[below]};
}

static void grow_stack(Work *work, size_t most)
{
    const Below *old = work->stack;
    work->stack_capacity = 2 * (work->stack_count + (uint32_t)most) + 256;
    work->stack = dv_step_alloc(work->stack_capacity, sizeof *work->stack);
    if (work->stack_count > 0)
        memcpy(work->stack, old, work->stack_count * sizeof *old);
}

/* The slots of a range that are near a box, in order. */
DV_SIMD_INLINE uint32_t slots_near(const BoxTree *tree, const Range *range, const Box *box, double tolerance,
                                   uint32_t *near)
{
    uint32_t count = 0;
    for (uint32_t i = range->begin; i < range->end; i++) {
        near[count] = i;
        count += boxes_touch(&tree->slot_box[i], box, tolerance);
    }
    return count;
}

DV_SIMD_INLINE void visit_near(Work *work, uint32_t one, uint32_t begin, uint32_t end)
{
    const Search *search = work->search;
    const Box *box = &search->tree_a->slot_box[one];
    for (uint32_t k = begin; k < end; k++) {
        const uint32_t two = work->near[1][k];
        if (boxes_touch(box, &search->tree_b->slot_box[two], search->tolerance))
            add_elements(work, search->tree_a->element[one], search->tree_b->element[two]);
    }
}

/* The same pairs in the same order, a run of the second at a time: a tree has a given depth, so that leaves of large meshes are long. */
DV_SIMD_INLINE void visit_runs(Work *work, uint32_t near_a, uint32_t near_b)
{
    const Search *search = work->search;
    const uint32_t runs = (near_b + RUN - 1) / RUN;
    for (uint32_t r = 0; r < runs; r++) {
        work->runs[r] = search->tree_b->slot_box[work->near[1][r * RUN]];
        for (uint32_t k = r * RUN + 1; k < near_b && k < (r + 1) * RUN; k++)
            box_include(&work->runs[r], &search->tree_b->slot_box[work->near[1][k]]);
    }
    for (uint32_t i = 0; i < near_a; i++) {
        const uint32_t one = work->near[0][i];
        for (uint32_t r = 0; r < runs; r++)
            if (boxes_touch(&search->tree_a->slot_box[one], &work->runs[r], search->tolerance))
                visit_near(work, one, r * RUN, r + 1 < runs ? (r + 1) * RUN : near_b);
    }
}

/* Two ranges of elements: first those of each that are near all of the other, then pair by pair. */
DV_SIMD_INLINE void visit_slots(Work *work, const Range *a, const Range *b)
{
    const Search *search = work->search;
    const uint32_t near_a = slots_near(search->tree_a, a, b->all, search->tolerance, work->near[0]);
    if (near_a == 0)
        return;
    const uint32_t near_b = slots_near(search->tree_b, b, a->all, search->tolerance, work->near[1]);
    if (near_b > FEW) {
        visit_runs(work, near_a, near_b);
        return;
    }
    for (uint32_t i = 0; i < near_a; i++)
        visit_near(work, work->near[0][i], 0, near_b);
}

DV_SIMD_INLINE void ask_for(const BoxTree *tree, uint32_t below)
{
    const Range range = range_of(tree, below);
    __builtin_prefetch(range.all);
    for (uint32_t i = range.begin; i < range.end; i++)
        __builtin_prefetch(&tree->slot_box[i]);
}

/* The pairs of elements of the leaf pairs so far. */
DV_SIMD_INLINE void visit_leaves(Work *work)
{
    const BoxTree *tree_a = work->search->tree_a, *tree_b = work->search->tree_b;
    for (uint32_t i = 0; i < work->leaf_count; i++) {
        if (i + AHEAD < work->leaf_count) {
            ask_for(tree_a, work->leaves[i + AHEAD].a);
            ask_for(tree_b, work->leaves[i + AHEAD].b);
        }
        const Range a = range_of(tree_a, work->leaves[i].a), b = range_of(tree_b, work->leaves[i].b);
        visit_slots(work, &a, &b);
    }
    work->leaf_count = 0;
}

/* Two nodes each, all of them leaves: they would leave the stack next, from the last pair to the first. Which of them touch cannot be
 * foreseen, so that no branch hangs on it. */
DV_SIMD_INLINE void list_leaves(Work *work, uint32_t first_a, uint32_t first_b)
{
    const Search *search = work->search;
    Below *leaves = work->leaves + work->leaf_count;
    uint32_t count = 0;
    for (uint32_t i = first_a + 2; i-- > first_a;)
        for (uint32_t k = first_b + 2; k-- > first_b;) {
            leaves[count] = (Below){i, k};
            count += boxes_touch(&search->tree_a->node_box[i], &search->tree_b->node_box[k], search->tolerance);
        }
    work->leaf_count += count;
}

DV_SIMD_INLINE void push_touching(Work *work, const Range *a, const Range *b)
{
    const Search *search = work->search;
    const Box *boxes_a = a->slots ? search->tree_a->slot_box : search->tree_a->node_box;
    const Box *boxes_b = b->slots ? search->tree_b->slot_box : search->tree_b->node_box;
    const uint32_t flag_a = a->slots ? ONE_SLOT : 0, flag_b = b->slots ? ONE_SLOT : 0;
    const size_t most = (size_t)(a->end - a->begin) * (b->end - b->begin);
    if (work->stack_count + most > work->stack_capacity)
        grow_stack(work, most);
    Below *stack = work->stack;
    uint32_t count = work->stack_count;
    for (uint32_t i = a->begin; i < a->end; i++)
        for (uint32_t k = b->begin; k < b->end; k++) {
            stack[count] = (Below){i | flag_a, k | flag_b};
            count += boxes_touch(&boxes_a[i], &boxes_b[k], search->tolerance);
        }
    work->stack_count = count;
}

DV_SIMD_INLINE void visit(Work *work, Below below)
{
    const BoxTree *tree_a = work->search->tree_a, *tree_b = work->search->tree_b;
    const Range a = range_of(tree_a, below.a), b = range_of(tree_b, below.b);
    if (work->leaf_count + 4 > LEAF_PAIRS)
        visit_leaves(work);
    if (a.slots && b.slots)
        work->leaves[work->leaf_count++] = below;
    else if (!a.slots && !b.slots &&
             !(tree_a->node[a.begin].child | tree_a->node[a.begin + 1].child | tree_b->node[b.begin].child |
               tree_b->node[b.begin + 1].child))
        list_leaves(work, a.begin, b.begin);
    else
        push_touching(work, &a, &b);
}

DV_SIMD_CLONES static void search_pair(Work *work)
{
    for (visit(work, (Below){0, 0}); work->stack_count > 0;)
        visit(work, work->stack[--work->stack_count]);
    visit_leaves(work);
    flush(work);
}

static void search_pairs(void *context, uint32_t begin, uint32_t end)
{
    BvhNarrowPhase *self = context;
    for (uint32_t i = begin; i < end; i++) {
        const Search *search = &self->searches[i];
        const DvStepMark mark = dv_step_mark();
        Work work = {.search = search,
                     .leaves = dv_step_alloc(LEAF_PAIRS, sizeof *work.leaves),
                     .batch = dv_step_alloc(BATCH, sizeof *work.batch)};
        work.near[0] = dv_step_alloc((size_t)search->tree_a->slots + 1, sizeof *work.near[0]);
        work.near[1] = dv_step_alloc((size_t)search->tree_b->slots + 1, sizeof *work.near[1]);
        work.runs = dv_step_alloc((size_t)search->tree_b->slots / RUN + 1, sizeof *work.runs);
        search_pair(&work);
        dv_step_release(mark);
    }
}

/* ---- The phase ---- */

static void make_room(BvhNarrowPhase *self, uint32_t bodies)
{
    if (bodies > self->tree_count) {
        self->trees = dv_realloc(self->trees, self->tree_count * sizeof *self->trees, bodies * sizeof *self->trees);
        self->tree_count = bodies;
    }
    self->map.rule = KEPT_PAIR_FIRST;
}

static DvContactSink *sink_of(BvhNarrowPhase *self, uint32_t entry)
{
    if (self->map.capacity > self->found_count) {
        self->found =
            dv_realloc(self->found, self->found_count * sizeof *self->found, self->map.capacity * sizeof *self->found);
        self->found_count = self->map.capacity;
    }
    self->found[entry].grow = grow_sink;
    return &self->found[entry];
}

static void fit_tree(BvhNarrowPhase *self, uint32_t body, const DvCollisionBody *of, uint32_t depth)
{
    BoxTree *tree = &self->trees[body];
    const bool changed = box_tree_fit(tree, of, depth);
    self->trees_changed |= changed;
    if (changed || !tree->origin)
        tree->origin = origin_of_points(of);
}

/* What is between two bodies: nothing, or a search. All that changes what others see is done here, one pair after the other. */
static void prepare_pair(BvhNarrowPhase *self, const DvCollisionBody *bodies, DvBodyPair pair, DvObject *method,
                         uint32_t depth)
{
    const DvIntersectionMethodOps *ops = dv_object_ops(method, DV_INTERSECTION_METHOD);
    void *method_self = dv_object_self(method);
    uint32_t first = pair.body[0], second = pair.body[1];
    if (!bodies[first].traits.simulated && !bodies[second].traits.simulated)
        return;
    const Route *route = route_of(self, method, bodies[first].shape->kind, bodies[second].shape->kind);
    if (route->answer != DV_ROUTINE_FOUND)
        return;
    if (route->turned) {
        first = pair.body[1];
        second = pair.body[0];
    }
    const DvCollisionBody *a = &bodies[first], *b = &bodies[second];
    fit_tree(self, first, a, depth);
    fit_tree(self, second, b, depth);
    if (ops->prepare) {
        ops->prepare(method_self, a->shape);
        ops->prepare(method_self, b->shape);
    }
    const double distances = a->traits.distance + b->traits.distance;
    const bool neighbours = a->shape->x == b->shape->x || self->trees[first].origin == self->trees[second].origin;
    const bool apart = neighbours && neighbours_are_kept_apart(a, b);
    self->searches[self->search_count++] =
        (Search){.a = a,
                 .b = b,
                 .tree_a = &self->trees[first],
                 .tree_b = &self->trees[second],
                 .query = {.a = a->shape,
                           .b = b->shape,
                           .alarm = ops->alarm_distance(method_self) + distances,
                           .contact = ops->contact_distance(method_self) + distances,
                           .same_model = first == second,
                           .method = method_self},
                 .routine = route->routine,
                 .entry = pair_map_put(&self->map, first, second),
                 .tolerance = ops->box_tolerance(method_self, a->traits.distance, b->traits.distance),
                 .same_node = a->node == b->node,
                 .neighbours = neighbours,
                 .apart = apart,
                 .filtered = a->node == b->node || apart};
}

static void remember_order(BvhNarrowPhase *self)
{
    size_t count = 0;
    for (uint32_t i = 0; i < self->tree_count; i++)
        count += self->trees[i].slots > 0 ? 2 + (size_t)self->trees[i].slots : 0;
    uint32_t *at = dv_data_begin_all(&self->tree_order, count);
    for (uint32_t i = 0; i < self->tree_count; i++) {
        const BoxTree *tree = &self->trees[i];
        if (tree->slots == 0)
            continue;
        *at++ = i;
        *at++ = tree->slots;
        memcpy(at, tree->element, tree->slots * sizeof *at);
        at += tree->slots;
    }
    dv_data_end(&self->tree_order);
}

static uint32_t leaves_of(const BoxTree *tree)
{
    uint32_t leaves = 0;
    for (uint32_t index = 0; index < tree->nodes; index++)
        leaves += tree->node[index].child == 0;
    return leaves;
}

static void remember_leaves(BvhNarrowPhase *self)
{
    size_t count = 0;
    for (uint32_t i = 0; i < self->tree_count; i++)
        count += self->trees[i].moved > 0 ? 4 + (size_t)leaves_of(&self->trees[i]) : 0;
    uint32_t *at = dv_data_begin_all(&self->tree_leaves, count);
    for (uint32_t i = 0; i < self->tree_count; i++) {
        const BoxTree *tree = &self->trees[i];
        if (tree->moved == 0)
            continue;
        const uint32_t head[4] = {i, tree->built, tree->moved, leaves_of(tree)};
        memcpy(at, head, sizeof head);
        at += 4;
        for (uint32_t index = 0; index < tree->nodes; index++)
            if (tree->node[index].child == 0)
                *at++ = tree->node[index].count;
    }
    dv_data_end(&self->tree_leaves);
}

/* Fills the fields that a saved run continues with. */
static void remember(BvhNarrowPhase *self)
{
    pair_map_save(&self->map, &self->pair_order, pair_map_order(&self->map));
    if (!self->trees_changed)
        return;
    self->trees_changed = false;
    remember_order(self);
    remember_leaves(self);
}

/* A copy of the `count` numbers at *at, which goes on behind them; NULL: there are not as many. */
static uint32_t *take_numbers(const uint32_t **at, const uint32_t *end, uint32_t count)
{
    if (count > (size_t)(end - *at))
        return NULL;
    uint32_t *copy = dv_alloc(count, sizeof *copy);
    memcpy(copy, *at, count * sizeof *copy);
    *at += count;
    return copy;
}

static DvStatus restore_order(BvhNarrowPhase *self)
{
    size_t count;
    const uint32_t *at = dv_data_uints(&self->tree_order, &count), *end = at + count;
    while (end - at > 1) {
        const uint32_t body = at[0], slots = at[1];
        at += 2;
        uint32_t *order = body > UINT16_MAX ? NULL : take_numbers(&at, end, slots);
        if (!order)
            return dv_field_error(&self->tree_order, -1, "it ends within a tree");
        make_room(self, body + 1);
        GivenTree *given = &self->trees[body].given;
        dv_free(given->element);
        given->element = order;
        given->count = slots;
    }
    return DV_OK;
}

static DvStatus restore_leaves(BvhNarrowPhase *self)
{
    size_t count;
    const uint32_t *at = dv_data_uints(&self->tree_leaves, &count), *end = at + count;
    while (end - at > 3) {
        const uint32_t body = at[0], built = at[1], moved = at[2], leaves = at[3];
        at += 4;
        uint32_t *leaf = body < self->tree_count ? take_numbers(&at, end, leaves) : NULL;
        if (!leaf)
            return dv_field_error(&self->tree_leaves, -1, "it ends within a tree, or treeOrder has none of that body");
        GivenTree *given = &self->trees[body].given;
        dv_free(given->leaf);
        given->leaf = leaf;
        given->leaf_count = leaves;
        given->built = built;
        given->moved = moved;
    }
    return DV_OK;
}

static DvStatus restore(DvObject *object, void *self_)
{
    BvhNarrowPhase *self = self_;
    (void)object;
    DvStatus status = restore_order(self);
    if (status == DV_OK)
        status = restore_leaves(self);
    if (status == DV_OK && !pair_map_restore(&self->map, &self->pair_order))
        status = dv_field_error(&self->pair_order, -1, "these are no pairs of bodies");
    return status;
}

/* Of the first detection that finds contacts of elements that share points: how many, of which models. */
static void tell_of_neighbours(BvhNarrowPhase *self)
{
    const Search *first = NULL;
    uint32_t contacts = 0, others = 0;
    for (uint32_t i = 0; i < self->search_count; i++) {
        const Search *search = &self->searches[i];
        if (!search->neighbours || search->apart)
            continue;
        const uint32_t count = count_contacts_of_neighbours(search->a, search->b, search->sink);
        others += count > 0 && first;
        contacts = count > 0 && !first ? count : contacts;
        first = count > 0 && !first ? search : first;
    }
    self->neighbours_are_told = first;
    if (first)
        warn_of_neighbours(first->a, first->b, contacts, others);
}

static bool nodes_touch(const BvhNarrowPhase *self, const DvNode *a, const DvNode *b)
{
    for (uint32_t i = 0; i < self->search_count; i++) {
        const Search *search = &self->searches[i];
        if (search->sink->count > 0 &&
            ((search->a->node == a && search->b->node == b) || (search->a->node == b && search->b->node == a)))
            return true;
    }
    return false;
}

/* Of the first detection in which bodies are as near as in contact, and no contact counts because of the backs of surfaces. */
static void tell_of_backs(BvhNarrowPhase *self)
{
    for (uint32_t i = 0; i < self->search_count; i++) {
        const Search *search = &self->searches[i];
        if (search->sink->behind == 0 || search->same_node || nodes_touch(self, search->a->node, search->b->node))
            continue;
        self->backs_are_told = true;
        if (*backs_are_told(search->a->node))
            return;
        *backs_are_told(search->a->node) = true;
        dv_warning(
            search->a->object,
            "it is as near to '%s' as in contact (places: %u), and there is no contact, since a surface shows its back "
            "there: the bodies pass through each other. bothSide=\"1\" on all models of a surface that is no closed "
            "body lets both sides count, as does turning its triangles round for one",
            dv_object_path(search->b->object), search->sink->behind);
        return;
    }
}

/* Of the first detection in which bodies are near each other and directions are all along the cones of corners and edges, so that the last
 * digits of positions decide, and leave no contact. What then falls through shows its back for this reason alone. */
static void tell_of_rounding(BvhNarrowPhase *self)
{
    for (uint32_t i = 0; i < self->search_count; i++) {
        const Search *search = &self->searches[i];
        if (search->sink->by_rounding == 0 || search->same_node ||
            nodes_touch(self, search->a->node, search->b->node) || *backs_are_told(search->a->node))
            continue;
        self->rounding_is_told = self->backs_are_told = true;
        dv_warning(
            search->a->object,
            "it is near '%s' (places: %u), and only rounding leaves no contact: faces lie flat on each other, along "
            "the "
            "cones of directions of their corners and edges; angleCone=\"1e-9\" of %s widens these so that all are "
            "found, as does bothSide=\"1\" on the models of a sheet",
            dv_object_path(search->b->object), search->sink->by_rounding, dv_object_class(self->method)->name);
        return;
    }
}

static uint32_t collide(void *self_, const DvCollisionBody *bodies, uint32_t count, const DvBodyPair *pairs,
                        uint32_t pair_count, DvObject *method, uint32_t depth, const DvContactPair **contacts)
{
    BvhNarrowPhase *self = self_;
    make_room(self, count);
    if (pair_count > self->search_capacity) {
        dv_free(self->searches);
        self->search_capacity = 2 * pair_count;
        self->searches = dv_alloc(self->search_capacity, sizeof *self->searches);
    }
    self->search_count = 0;
    for (uint32_t i = 0; i < pair_count; i++)
        prepare_pair(self, bodies, pairs[i], method, depth);
    for (uint32_t i = 0; i < self->map.count; i++)
        sink_of(self, i)->count = sink_of(self, i)->behind = sink_of(self, i)->by_rounding = 0;
    for (uint32_t i = 0; i < self->search_count; i++)
        self->searches[i].sink = &self->found[self->searches[i].entry];
    dv_parallel_for(self->search_count, 1, search_pairs, self);
    if (!self->neighbours_are_told)
        tell_of_neighbours(self);
    if (!self->rounding_is_told)
        tell_of_rounding(self);
    if (!self->backs_are_told)
        tell_of_backs(self);
    for (uint32_t i = 0; i < self->map.count; i++)
        if (sink_of(self, i)->count == 0)
            pair_map_take_out(&self->map, i);
    const uint32_t *order = pair_map_order(&self->map), present = self->map.present;
    if (present > self->pair_capacity) {
        dv_free(self->pairs);
        self->pair_capacity = 2 * present + 16;
        self->pairs = dv_alloc(self->pair_capacity, sizeof *self->pairs);
    }
    for (uint32_t i = 0; i < present; i++) {
        const PairEntry *entry = &self->map.entries[order[i]];
        self->pairs[i] = (DvContactPair){
            {entry->body[0], entry->body[1]}, self->found[order[i]].contacts, self->found[order[i]].count};
    }
    *contacts = self->pairs;
    remember(self);
    return present;
}

static void look_up(void *self_, uint32_t first, uint32_t second)
{
    BvhNarrowPhase *self = self_;
    pair_map_look_up(&self->map, first, second);
}

static void forget(void *self_)
{
    BvhNarrowPhase *self = self_;
    for (uint32_t i = 0; i < self->tree_count; i++)
        box_tree_free(&self->trees[i]);
    for (uint32_t i = 0; i < self->found_count; i++)
        dv_free(self->found[i].contacts);
    pair_map_clear(&self->map);
    dv_free(self->found);
    self->found = NULL;
    self->found_count = 0;
    self->neighbours_are_told = self->backs_are_told = self->rounding_is_told = false;
}

static void cleanup(DvObject *object, void *self_)
{
    (void)object;
    BvhNarrowPhase *self = self_;
    forget(self);
    dv_free(self->trees);
    dv_free(self->pairs);
    dv_array_free(&self->routes);
    dv_free(self->searches);
    self->trees = NULL;
    self->pairs = NULL;
    self->searches = NULL;
    self->tree_count = self->pair_capacity = 0;
    self->search_count = self->search_capacity = 0;
}

static const DvNarrowPhaseOps ops = {.size = sizeof ops, .collide = collide, .look_up = look_up, .forget = forget};

const DvClass dv_bvh_narrow_phase = {
    .size = sizeof(DvClass),
    .name = "BVHNarrowPhase",
    .bases = (const char *const[]){"NarrowPhaseDetection", NULL},
    .family = "collision detection",
    .module = "Sofa.Component.Collision.Detection.Algorithm",
    .help = "Pairs of elements whose boxes meet, by descending trees of boxes.",
    .instance_size = sizeof(BvhNarrowPhase),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_NARROW_PHASE, .ops = &ops}, {0}},
    .restore = restore,
    .cleanup = cleanup,
};
