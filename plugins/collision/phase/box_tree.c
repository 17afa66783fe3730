/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Trees of boxes; see the header.
 */
#include "box_tree.h"

#include <string.h>

#include <divan/memory.h>

static const Box empty_box = {{1e308, 1e308, 1e308}, {-1e308, -1e308, -1e308}};

static void include(Box *box, const Box *other)
{
    for (int axis = 0; axis < 3; axis++) {
        box->lower[axis] = other->lower[axis] < box->lower[axis] ? other->lower[axis] : box->lower[axis];
        box->upper[axis] = other->upper[axis] > box->upper[axis] ? other->upper[axis] : box->upper[axis];
    }
}

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
        include(&box, &tree->slot_box[slot]);
    return box;
}

static uint32_t add_node(BoxTree *tree, uint32_t first, uint32_t count)
{
    if (tree->nodes == tree->node_capacity) {
        const uint32_t capacity = tree->node_capacity > 0 ? 2 * tree->node_capacity : 128;
        tree->node = dv_realloc(tree->node, tree->node_capacity * sizeof *tree->node, capacity * sizeof *tree->node);
        tree->node_box =
            dv_realloc(tree->node_box, tree->node_capacity * sizeof *tree->node_box, capacity * sizeof *tree->node_box);
        tree->node_capacity = capacity;
    }
    tree->node[tree->nodes] = (BoxNode){.first = first, .count = count};
    tree->node_box[tree->nodes] = box_of_slots(tree, first, count);
    return tree->nodes++;
}

typedef struct Sorted {
    double key;
    uint32_t element;
    Box box;
} Sorted;

/* Stable: by merging. */
static void sort_slots(Sorted *items, Sorted *room, uint32_t count)
{
    if (count < 2)
        return;
    const uint32_t half = count / 2;
    sort_slots(items, room, half);
    sort_slots(items + half, room, count - half);
    memcpy(room, items, half * sizeof *items);
    for (uint32_t left = 0, right = half, out = 0; left < half; out++) {
        const bool take_right = right < count && items[right].key < room[left].key;
        items[out] = take_right ? items[right++] : room[left++];
    }
}

static void sort_along_longest_side(BoxTree *tree, uint32_t index, Sorted *items, Sorted *room)
{
    const BoxNode node = tree->node[index];
    const Box *box = &tree->node_box[index];
    double side[3];
    for (int axis = 0; axis < 3; axis++)
        side[axis] = box->upper[axis] - box->lower[axis];
    const int axis = side[0] > side[1] ? (side[0] > side[2] ? 0 : 2) : (side[1] > side[2] ? 1 : 2);
    for (uint32_t i = 0; i < node.count; i++) {
        const Box *slot = &tree->slot_box[node.first + i];
        items[i] = (Sorted){slot->lower[axis] + slot->upper[axis], tree->element[node.first + i], *slot};
    }
    sort_slots(items, room, node.count);
    for (uint32_t i = 0; i < node.count; i++) {
        tree->element[node.first + i] = items[i].element;
        tree->slot_box[node.first + i] = items[i].box;
    }
}

static void split(BoxTree *tree, uint32_t index)
{
    const BoxNode node = tree->node[index];
    const uint32_t half = (node.count + 1) / 2;
    const uint32_t child = add_node(tree, node.first, half);
    (void)add_node(tree, node.first + half, node.count - half);
    tree->node[index].child = child;
}

static void build(BoxTree *tree, const DvCollisionBody *body, uint32_t depth)
{
    const uint32_t count = body->boxes.count;
    if (count > tree->slot_capacity) {
        dv_free(tree->element);
        dv_free(tree->slot_box);
        tree->slot_capacity = count + count / 4;
        tree->element = dv_alloc(tree->slot_capacity, sizeof *tree->element);
        tree->slot_box = dv_alloc(tree->slot_capacity, sizeof *tree->slot_box);
    }
    tree->slots = count;
    tree->nodes = 0;
    const bool given = tree->given && tree->given_count == count;
    for (uint32_t i = 0; i < count; i++)
        tree->element[i] = given && tree->given[i] < count ? tree->given[i] : i;
    read_boxes(tree, body);
    (void)add_node(tree, 0, count);
    Sorted *items = dv_alloc(count, sizeof *items), *room = dv_alloc(count, sizeof *room);
    uint32_t begin = 0;
    for (uint32_t level = 0; level < depth; level++) {
        const uint32_t end = tree->nodes;
        for (uint32_t index = begin; index < end; index++)
            if (tree->node[index].count > 4) {
                if (!given)
                    sort_along_longest_side(tree, index, items, room);
                split(tree, index);
            }
        begin = end;
    }
    dv_free(items);
    dv_free(room);
    dv_free(tree->given);
    tree->given = NULL;
}

static void refit(BoxTree *tree)
{
    for (uint32_t index = tree->nodes; index-- > 0;) {
        const BoxNode *node = &tree->node[index];
        if (node->child) {
            tree->node_box[index] = tree->node_box[node->child];
            include(&tree->node_box[index], &tree->node_box[node->child + 1]);
        } else {
            tree->node_box[index] = box_of_slots(tree, node->first, node->count);
        }
    }
}

bool box_tree_fit(BoxTree *tree, const DvCollisionBody *body, uint32_t depth)
{
    const bool builds =
        tree->version.structure != body->version.structure || tree->depth != depth || tree->slots != body->boxes.count;
    if (builds) {
        build(tree, body, depth);
    } else if (tree->version.boxes != body->version.boxes) {
        read_boxes(tree, body);
        refit(tree);
    }
    tree->version = body->version;
    tree->depth = depth;
    return builds;
}

void box_tree_free(BoxTree *tree)
{
    dv_free(tree->element);
    dv_free(tree->slot_box);
    dv_free(tree->node);
    dv_free(tree->node_box);
    dv_free(tree->given);
    *tree = (BoxTree){0};
}
