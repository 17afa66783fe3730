/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Trees of boxes; see the header.
 */
#include "box_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <divan/kit/array.h>
#include <divan/memory.h>

/* Trees of fewer elements are built again for any change; others stay until one element in MOST_MOVED has gone elsewhere. */
enum { FEWEST_PATCHED = 4096, MOST_MOVED = 4 };

static const Box empty_box = {{1e308, 1e308, 1e308}, {-1e308, -1e308, -1e308}};

static void read_boxes(BoxTree *tree, const DvCollisionBody *body)
{
    for (uint32_t slot = 0; slot < tree->slots; slot++)
        for (int axis = 0; axis < 3; axis++) {
            tree->slot_box[slot].lower[axis] = body->boxes.lower[axis][tree->element[slot]];
            tree->slot_box[slot].upper[axis] = body->boxes.upper[axis][tree->element[slot]];
        }
}

static Box box_of_slots(const BoxTree *tree, uint32_t first, uint32_t count)
{
    Box box = empty_box;
    for (uint32_t slot = first; slot < first + count; slot++)
        box_include(&box, &tree->slot_box[slot]);
    return box;
}

static uint32_t add_node(BoxTree *tree, uint32_t first, uint32_t count)
{
    dv_columns_reserve(&tree->node_capacity, tree->nodes + 1, DV_COLUMN(tree->node), DV_COLUMN(tree->node_box));
    tree->node[tree->nodes] = (BoxNode){.first = first, .count = count};
    tree->node_box[tree->nodes] = first + count <= tree->slots ? box_of_slots(tree, first, count) : empty_box;
    return tree->nodes++;
}

typedef struct Sorted {
    double key;
    uint32_t slot;
} Sorted;

/* For `count` slots. */
typedef struct SortRoom {
    Sorted *items, *halves;
    uint32_t *element;
    Box *box;
} SortRoom;

/* Stable: by merging; few by insertion. */
static void sort_slots(Sorted *items, Sorted *room, uint32_t count)
{
    if (count <= 8) {
        for (uint32_t i = 1; i < count; i++) {
            const Sorted item = items[i];
            uint32_t at = i;
            for (; at > 0 && item.key < items[at - 1].key; at--)
                items[at] = items[at - 1];
            items[at] = item;
        }
        return;
    }
    const uint32_t half = count / 2;
    sort_slots(items, room, half);
    sort_slots(items + half, room, count - half);
    memcpy(room, items, half * sizeof *items);
    for (uint32_t left = 0, right = half, out = 0; left < half; out++) {
        const bool take_right = right < count && items[right].key < room[left].key;
        items[out] = take_right ? items[right++] : room[left++];
    }
}

static void sort_along_longest_side(BoxTree *tree, uint32_t index, const SortRoom *room)
{
    const BoxNode node = tree->node[index];
    const Box *box = &tree->node_box[index];
    double side[3];
    for (int axis = 0; axis < 3; axis++)
        side[axis] = box->upper[axis] - box->lower[axis];
    const int axis = side[0] > side[1] ? (side[0] > side[2] ? 0 : 2) : (side[1] > side[2] ? 1 : 2);
    for (uint32_t i = 0; i < node.count; i++) {
        const Box *slot = &tree->slot_box[node.first + i];
        room->items[i] = (Sorted){slot->lower[axis] + slot->upper[axis], node.first + i};
    }
    sort_slots(room->items, room->halves, node.count);
    for (uint32_t i = 0; i < node.count; i++) {
        room->element[i] = tree->element[room->items[i].slot];
        room->box[i] = tree->slot_box[room->items[i].slot];
    }
    memcpy(tree->element + node.first, room->element, node.count * sizeof *room->element);
    memcpy(tree->slot_box + node.first, room->box, node.count * sizeof *room->box);
}

static void split(BoxTree *tree, uint32_t index)
{
    const BoxNode node = tree->node[index];
    const uint32_t half = (node.count + 1) / 2;
    const uint32_t child = add_node(tree, node.first, half);
    (void)add_node(tree, node.first + half, node.count - half);
    tree->node[index].child = child;
}

/* Nodes by halving, level by level. */
static void build_nodes(BoxTree *tree, uint32_t count, uint32_t depth, const SortRoom *room)
{
    uint32_t begin = 0;
    tree->nodes = 0;
    (void)add_node(tree, 0, count);
    for (uint32_t level = 0; level < depth; level++) {
        const uint32_t end = tree->nodes;
        for (uint32_t index = begin; index < end; index++)
            if (tree->node[index].count > 4) {
                if (room)
                    sort_along_longest_side(tree, index, room);
                split(tree, index);
            }
        begin = end;
    }
}

static void refit(BoxTree *tree)
{
    for (uint32_t index = tree->nodes; index-- > 0;) {
        const BoxNode *node = &tree->node[index];
        if (node->child) {
            tree->node_box[index] = tree->node_box[node->child];
            box_include(&tree->node_box[index], &tree->node_box[node->child + 1]);
        } else {
            tree->node_box[index] = box_of_slots(tree, node->first, node->count);
        }
    }
}

static void make_slots(BoxTree *tree, uint32_t count)
{
    if (count <= tree->slot_capacity)
        return;
    dv_free(tree->element);
    dv_free(tree->slot_box);
    dv_free(tree->next_element);
    tree->slot_capacity = count + count / 4;
    tree->element = dv_alloc(tree->slot_capacity, sizeof *tree->element);
    tree->slot_box = dv_alloc(tree->slot_capacity, sizeof *tree->slot_box);
    tree->next_element = dv_alloc(tree->slot_capacity, sizeof *tree->next_element);
}

static void build(BoxTree *tree, const DvCollisionBody *body, uint32_t depth)
{
    const uint32_t count = body->boxes.count;
    make_slots(tree, count);
    tree->slots = tree->built = count;
    tree->moved = 0;
    for (uint32_t i = 0; i < count; i++)
        tree->element[i] = i;
    read_boxes(tree, body);
    const SortRoom room = {dv_alloc(count, sizeof *room.items), dv_alloc(count, sizeof *room.halves),
                           dv_alloc(count, sizeof *room.element), dv_alloc(count, sizeof *room.box)};
    build_nodes(tree, count, depth, &room);
    dv_free(room.items);
    dv_free(room.halves);
    dv_free(room.element);
    dv_free(room.box);
}

/* ---- A tree that was saved ---- */

static void free_given(BoxTree *tree)
{
    dv_free(tree->given.element);
    dv_free(tree->given.leaf);
    tree->given = (GivenTree){0};
}

/* Whether each leaf of the tree has a number of elements, and together they are those of the body. */
static bool take_given_leaves(BoxTree *tree)
{
    uint32_t first = 0, leaf = 0;
    for (uint32_t index = 0; index < tree->nodes; index++) {
        if (tree->node[index].child)
            continue;
        if (leaf == tree->given.leaf_count || tree->given.leaf[leaf] > tree->slots - first)
            return false;
        tree->node[index].first = first;
        tree->node[index].count = tree->given.leaf[leaf++];
        first += tree->node[index].count;
    }
    return leaf == tree->given.leaf_count && first == tree->slots;
}

/* The tree that was saved, if it is one of this body. */
static bool build_given(BoxTree *tree, const DvCollisionBody *body, uint32_t depth)
{
    const GivenTree *given = &tree->given;
    if (!given->element || given->count != body->boxes.count)
        return false;
    make_slots(tree, given->count);
    tree->slots = given->count;
    tree->built = given->leaf ? given->built : given->count;
    tree->moved = given->leaf ? given->moved : 0;
    for (uint32_t i = 0; i < given->count; i++)
        tree->element[i] = given->element[i] < given->count ? given->element[i] : i;
    read_boxes(tree, body);
    build_nodes(tree, tree->built, depth, NULL);
    if (given->leaf && !take_given_leaves(tree))
        return false;
    refit(tree);
    return true;
}

/* ---- A body that has become another one in a few places ---- */

static uint32_t leaf_near(const BoxTree *tree, const Box *box)
{
    uint32_t index = 0;
    while (tree->node[index].child) {
        double away[2] = {0, 0}, apart[2] = {0, 0};
        for (uint32_t side = 0; side < 2; side++)
            for (int axis = 0; axis < 3; axis++) {
                const Box *child = &tree->node_box[tree->node[index].child + side];
                const double middle = box->lower[axis] + box->upper[axis], of = child->lower[axis] + child->upper[axis];
                away[side] +=
                    fmax(child->lower[axis] - box->lower[axis], 0) + fmax(box->upper[axis] - child->upper[axis], 0);
                apart[side] += fabs(middle - of);
            }
        const bool second = away[0] == away[1] ? apart[1] < apart[0] : away[1] < away[0];
        index = tree->node[index].child + second;
    }
    return index;
}

typedef struct Stray {
    uint32_t element, leaf;
} Stray;

static int by_leaf(const void *a, const void *b)
{
    const Stray *left = a, *right = b;
    if (left->leaf != right->leaf)
        return left->leaf < right->leaf ? -1 : 1;
    return left->element < right->element ? -1 : left->element > right->element;
}

static Box box_of(const DvCollisionBody *body, uint32_t element)
{
    Box box = {0};
    for (int axis = 0; axis < 3; axis++) {
        box.lower[axis] = body->boxes.lower[axis][element];
        box.upper[axis] = body->boxes.upper[axis][element];
    }
    return box;
}

static double longest_side(const Box *box)
{
    double longest = 0;
    for (int axis = 0; axis < 3; axis++)
        longest = fmax(longest, box->upper[axis] - box->lower[axis]);
    return longest;
}

/* Elements that are farther than their size from where those of their numbers were, and new ones; UINT32_MAX: too many for the tree to stay. */
static uint32_t find_strays(const BoxTree *tree, const DvCollisionBody *body, Stray *strays, uint32_t most)
{
    const uint32_t count = body->boxes.count;
    uint32_t found = 0;
    for (uint32_t slot = 0; slot < tree->slots; slot++) {
        const uint32_t element = tree->element[slot];
        const Box box = element < count ? box_of(body, element) : empty_box;
        if (element < count && boxes_touch(&box, &tree->slot_box[slot], longest_side(&tree->slot_box[slot])))
            continue;
        if (found == most)
            return UINT32_MAX;
        strays[found++] = (Stray){element, element < count ? leaf_near(tree, &box) : UINT32_MAX};
        tree->element[slot] = UINT32_MAX;
    }
    for (uint32_t element = tree->slots; element < count; element++) {
        const Box box = box_of(body, element);
        if (found == most)
            return UINT32_MAX;
        strays[found++] = (Stray){element, leaf_near(tree, &box)};
    }
    qsort(strays, found, sizeof *strays, by_leaf); /* those that are gone come last */
    return found;
}

/* Elements stay in their leaves, strays go to those that are near. False: a new tree is better. */
static bool patch(BoxTree *tree, const DvCollisionBody *body)
{
    const uint32_t count = body->boxes.count, most = tree->built / MOST_MOVED;
    if (tree->built < FEWEST_PATCHED || count > tree->slot_capacity || tree->moved > most)
        return false;
    const DvStepMark mark = dv_step_mark();
    Stray *strays = dv_step_alloc(most, sizeof *strays);
    const uint32_t found = find_strays(tree, body, strays, most);
    if (found == UINT32_MAX) {
        dv_step_release(mark);
        return false;
    }
    uint32_t stray = 0, end = 0;
    for (uint32_t index = 0; index < tree->nodes; index++) {
        BoxNode *node = &tree->node[index];
        if (node->child)
            continue;
        const uint32_t first = end;
        for (uint32_t slot = node->first; slot < node->first + node->count; slot++)
            if (tree->element[slot] != UINT32_MAX)
                tree->next_element[end++] = tree->element[slot];
        for (; stray < found && strays[stray].leaf == index; stray++)
            tree->next_element[end++] = strays[stray].element;
        node->first = first;
        node->count = end - first;
    }
    dv_step_release(mark);
    uint32_t *before = tree->element;
    tree->element = tree->next_element;
    tree->next_element = before;
    tree->slots = end;
    tree->moved += found;
    read_boxes(tree, body);
    refit(tree);
    return true;
}

bool box_tree_fit(BoxTree *tree, const DvCollisionBody *body, uint32_t depth)
{
    const bool first = tree->version.structure == 0;
    const bool changed =
        tree->version.structure != body->version.structure || tree->depth != depth || tree->slots != body->boxes.count;
    if (first && !build_given(tree, body, depth)) {
        build(tree, body, depth);
    } else if (!first && changed && (tree->depth != depth || !patch(tree, body))) {
        build(tree, body, depth);
    } else if (!changed && tree->version.boxes != body->version.boxes) {
        read_boxes(tree, body);
        refit(tree);
    }
    free_given(tree);
    tree->version = body->version;
    tree->depth = depth;
    return changed;
}

void box_tree_free(BoxTree *tree)
{
    dv_free(tree->element);
    dv_free(tree->next_element);
    dv_free(tree->slot_box);
    dv_free(tree->node);
    dv_free(tree->node_box);
    free_given(tree);
    *tree = (BoxTree){0};
}
