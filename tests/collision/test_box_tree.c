/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Trees of boxes, against their definition carried out the plain way: the order of the elements, which nodes there are, what each of them
 * holds; and what becomes of a tree whose body has changed. The order of contacts hangs on all of it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <divan/divan.h>

#include "phase/box_tree.h"

enum { MOST = 8192, FEWEST_PATCHED = 4096 };

/* ---- Bodies ---- */

typedef struct Cloud {
    double lower[3][MOST], upper[3][MOST];
    DvCollisionBody body;
} Cloud;
static Cloud cloud;

static uint64_t seed = 1;

static double random_between(double low, double high)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(seed >> 11) / 9007199254740992.0;
}

static void place(uint32_t element, const double middle[3], double size)
{
    for (int axis = 0; axis < 3; axis++) {
        cloud.lower[axis][element] = middle[axis] - 0.5 * size;
        cloud.upper[axis][element] = middle[axis] + 0.5 * size;
    }
}

/* Another body: other elements. */
static void set_count(uint32_t count)
{
    for (int axis = 0; axis < 3; axis++) {
        cloud.body.boxes.lower[axis] = cloud.lower[axis];
        cloud.body.boxes.upper[axis] = cloud.upper[axis];
    }
    cloud.body.boxes.count = count;
    cloud.body.version.structure++;
    cloud.body.version.boxes++;
}

/* Middles in a block whose sides are as given; `steps` > 0: on a grid of so many places along each side, so that many are equal. */
static void scatter(uint32_t first, uint32_t count, const double side[3], uint32_t steps, double size)
{
    for (uint32_t i = first; i < first + count; i++) {
        double middle[3];
        for (int axis = 0; axis < 3; axis++)
            middle[axis] = steps > 0 ? side[axis] * (double)(uint32_t)random_between(0, steps) / steps
                                     : random_between(0, side[axis]);
        place(i, middle, size);
    }
}

/* ---- The definition ---- */

static double key_of(uint32_t element, int axis)
{
    return cloud.lower[axis][element] + cloud.upper[axis][element];
}

static Box bounds_of(const uint32_t *elements, uint32_t count)
{
    Box box = {.lower = {1e300, 1e300, 1e300}, .upper = {-1e300, -1e300, -1e300}};
    for (uint32_t i = 0; i < count; i++)
        for (int axis = 0; axis < 3; axis++) {
            const double low = cloud.lower[axis][elements[i]], high = cloud.upper[axis][elements[i]];
            box.lower[axis] = low < box.lower[axis] ? low : box.lower[axis];
            box.upper[axis] = high > box.upper[axis] ? high : box.upper[axis];
        }
    return box;
}

typedef struct Ranked {
    double key;
    uint32_t place, element;
} Ranked;

static int by_key_then_place(const void *a, const void *b)
{
    const Ranked *left = a, *right = b;
    if (left->key != right->key)
        return left->key < right->key ? -1 : 1;
    return left->place < right->place ? -1 : 1;
}

static void halve(uint32_t *elements, uint32_t count, uint32_t depth)
{
    static Ranked ranked[MOST];
    if (count <= 4 || depth == 0)
        return;
    const Box box = bounds_of(elements, count);
    int axis = 0;
    for (int other = 1; other < 3; other++)
        if (box.upper[other] - box.lower[other] >= box.upper[axis] - box.lower[axis])
            axis = other;
    for (uint32_t i = 0; i < count; i++)
        ranked[i] = (Ranked){key_of(elements[i], axis), i, elements[i]};
    qsort(ranked, count, sizeof *ranked, by_key_then_place);
    for (uint32_t i = 0; i < count; i++)
        elements[i] = ranked[i].element;
    const uint32_t half = count - count / 2;
    halve(elements, half, depth - 1);
    halve(elements + half, count - half, depth - 1);
}

static void assert_order_is_that_of_halving(const BoxTree *tree, uint32_t depth)
{
    static uint32_t expected[MOST];
    const uint32_t count = cloud.body.boxes.count;
    for (uint32_t i = 0; i < count; i++)
        expected[i] = i;
    halve(expected, count, depth);
    assert_int_equal(tree->slots, count);
    assert_memory_equal(tree->element, expected, count * sizeof *expected);
    assert_int_equal(tree->built, count);
    assert_int_equal(tree->moved, 0);
}

static void assert_same_box(const Box *box, const Box *expected)
{
    for (int axis = 0; axis < 3; axis++) {
        assert_true(box->lower[axis] == expected->lower[axis]);
        assert_true(box->upper[axis] == expected->upper[axis]);
    }
}

/* Each element once, in the leaves one after the other; each box around what it holds. Returns where the node ends. */
static uint32_t assert_node_holds(const BoxTree *tree, uint32_t index, uint32_t begin, uint32_t depth)
{
    const BoxNode *node = &tree->node[index];
    assert_true(index < tree->nodes);
    uint32_t end = begin + node->count;
    if (node->child) {
        assert_true(depth > 0 && node->child > index);
        end = assert_node_holds(tree, node->child, begin, depth - 1);
        end = assert_node_holds(tree, node->child + 1, end, depth - 1);
    } else {
        assert_int_equal(node->first, begin);
    }
    assert_true(end <= tree->slots);
    if (end > begin) {
        const Box bounds = bounds_of(tree->element + begin, end - begin);
        assert_same_box(&tree->node_box[index], &bounds);
    }
    return end;
}

static void assert_holds_the_body(const BoxTree *tree, uint32_t depth)
{
    static bool seen[MOST];
    memset(seen, 0, sizeof seen);
    assert_int_equal(tree->slots, cloud.body.boxes.count);
    for (uint32_t slot = 0; slot < tree->slots; slot++) {
        const uint32_t element = tree->element[slot];
        assert_true(element < cloud.body.boxes.count && !seen[element]);
        seen[element] = true;
        const Box bounds = bounds_of(&element, 1);
        assert_same_box(&tree->slot_box[slot], &bounds);
    }
    assert_int_equal(assert_node_holds(tree, 0, 0, depth), tree->slots);
}

/* Halves of a tree that was just built: down to four elements or to the depth, the larger half first, level by level. */
static void assert_nodes_are_halves(const BoxTree *tree, uint32_t depth)
{
    uint32_t next = 1, level_begin = 0, level_end = 1, level = 0;
    for (uint32_t index = 0; index < tree->nodes; index++) {
        const BoxNode *node = &tree->node[index];
        if (index == level_end) {
            level_begin = level_end;
            level_end = next;
            level++;
        }
        assert_true(index >= level_begin && index < level_end);
        assert_int_equal(node->child != 0, node->count > 4 && level < depth);
        if (!node->child)
            continue;
        const BoxNode *one = &tree->node[node->child], *two = one + 1;
        assert_int_equal(node->child, next);
        next += 2;
        assert_int_equal(one->first, node->first);
        assert_int_equal(one->count, node->count - node->count / 2);
        assert_int_equal(two->first, one->first + one->count);
        assert_int_equal(two->count, node->count / 2);
    }
    assert_int_equal(next, tree->nodes);
}

/* ---- Building ---- */

static void elements_are_halved_along_the_longest_side(void **state)
{
    (void)state;
    static const double sides[][3] = {{3, 1, 1}, {1, 3, 1}, {1, 1, 3}, {1, 1, 1}, {2, 2, 1}, {1, 2, 2}, {2, 1, 2}};
    static const uint32_t counts[] = {1, 2, 4, 5, 6, 7, 8, 9, 10, 16, 17, 18, 19, 23, 33, 64, 129, 500, 1500};
    for (size_t s = 0; s < sizeof sides / sizeof *sides; s++)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
            for (uint32_t depth = 0; depth < 12; depth += depth < 7 ? 1 : 4)
                for (uint32_t steps = 0; steps < 5; steps += 4) {
                    BoxTree tree = {0};
                    scatter(0, counts[c], sides[s], steps, 0.01);
                    set_count(counts[c]);
                    assert_true(box_tree_fit(&tree, &cloud.body, depth));
                    assert_order_is_that_of_halving(&tree, depth);
                    assert_holds_the_body(&tree, depth);
                    assert_nodes_are_halves(&tree, depth);
                    box_tree_free(&tree);
                    assert_null(tree.element);
                    assert_int_equal(tree.slots, 0);
                }
}

static void what_moves_keeps_its_place(void **state)
{
    (void)state;
    static const double cube[3] = {1, 1, 1};
    static uint32_t before[MOST];
    BoxTree tree = {0};
    scatter(0, 300, cube, 0, 0.1);
    set_count(300);
    assert_true(box_tree_fit(&tree, &cloud.body, 6));
    memcpy(before, tree.element, 300 * sizeof *before);
    for (int round = 0; round < 3; round++) {
        scatter(0, 300, cube, 0, 0.1);
        cloud.body.version.boxes++;
        assert_false(box_tree_fit(&tree, &cloud.body, 6));
        assert_memory_equal(tree.element, before, 300 * sizeof *before);
        assert_holds_the_body(&tree, 6);
        assert_nodes_are_halves(&tree, 6);
    }
    assert_true(box_tree_fit(&tree, &cloud.body, 3)); /* another depth */
    assert_order_is_that_of_halving(&tree, 3);
    assert_holds_the_body(&tree, 3);
    for (uint32_t count = 299; count < 600; count += 150) { /* other elements, few enough */
        set_count(count);
        scatter(0, count, cube, 0, 0.1);
        assert_true(box_tree_fit(&tree, &cloud.body, 3));
        assert_order_is_that_of_halving(&tree, 3);
        assert_holds_the_body(&tree, 3);
        assert_nodes_are_halves(&tree, 3);
    }
    box_tree_free(&tree);
}

/* ---- A large body that changes ---- */

enum { DEPTH = 6 };
static const double block[3] = {4, 3, 2};

static uint32_t leaf_of(const BoxTree *tree, uint32_t element)
{
    for (uint32_t index = 0; index < tree->nodes; index++)
        for (uint32_t k = 0; !tree->node[index].child && k < tree->node[index].count; k++)
            if (tree->element[tree->node[index].first + k] == element)
                return index;
    fail();
    return 0;
}

static void build_large(BoxTree *tree, uint32_t count, double size)
{
    scatter(0, count, block, 0, size);
    set_count(count);
    assert_true(box_tree_fit(tree, &cloud.body, DEPTH));
    assert_order_is_that_of_halving(tree, DEPTH);
}

static void put_at(uint32_t element, uint32_t other)
{
    for (int axis = 0; axis < 3; axis++) {
        cloud.lower[axis][element] = cloud.lower[axis][other];
        cloud.upper[axis][element] = cloud.upper[axis][other];
    }
}

/* Those that stay keep their order; the others stand behind those of the leaf that they came to, in the order of their numbers. */
static void assert_stays_in_order(const BoxTree *tree, const uint32_t *before, uint32_t count, const bool *strays)
{
    uint32_t slot = 0;
    for (uint32_t k = 0; k < count; k++) {
        if (strays[before[k]])
            continue;
        while (slot < tree->slots && strays[tree->element[slot]])
            slot++;
        assert_true(slot < tree->slots);
        assert_int_equal(tree->element[slot++], before[k]);
    }
    for (uint32_t index = 0; index < tree->nodes; index++) {
        const BoxNode *node = &tree->node[index];
        for (uint32_t k = 1; !node->child && k < node->count; k++) {
            const uint32_t last = tree->element[node->first + k - 1], here = tree->element[node->first + k];
            assert_true(!strays[last] || (strays[here] && last < here));
        }
    }
}

/* Points: of those that go to where another one is, all come to its leaf. */
static void strays_come_to_the_leaf_of_what_they_are_near(void **state)
{
    (void)state;
    static uint32_t before[MOST];
    static bool strays[MOST];
    const uint32_t count = 5000;
    BoxTree tree = {0};
    build_large(&tree, count, 0);
    memcpy(before, tree.element, count * sizeof *before);
    memset(strays, 0, sizeof strays);
    uint32_t moved = 0;
    for (uint32_t element = 7; element < count; element += 41, moved++) {
        strays[element] = true;
        put_at(element, element * 13 % 121 * 41); /* none of these moves */
    }
    for (uint32_t element = count; element < count + 60; element++, moved++) { /* new ones */
        strays[element] = true;
        put_at(element, 41 * (element - count));
    }
    set_count(count + 60);
    assert_true(box_tree_fit(&tree, &cloud.body, DEPTH));
    assert_holds_the_body(&tree, DEPTH);
    assert_int_equal(tree.moved, moved);
    assert_int_equal(tree.built, count);
    assert_stays_in_order(&tree, before, count, strays);
    for (uint32_t element = 7; element < count; element += 41)
        assert_int_equal(leaf_of(&tree, element), leaf_of(&tree, element * 13 % 121 * 41));
    for (uint32_t element = count; element < count + 60; element++)
        assert_int_equal(leaf_of(&tree, element), leaf_of(&tree, 41 * (element - count)));

    memcpy(before, tree.element, (count + 60) * sizeof *before); /* some are gone */
    memset(strays, 0, sizeof strays);
    for (uint32_t element = count - 20; element < count + 60; element++)
        strays[element] = true;
    set_count(count - 20);
    assert_true(box_tree_fit(&tree, &cloud.body, DEPTH));
    assert_holds_the_body(&tree, DEPTH);
    assert_int_equal(tree.moved, moved + 80);
    assert_stays_in_order(&tree, before, count + 60, strays);
    box_tree_free(&tree);
}

/* Farther from where it was than its longest side: then it goes elsewhere. */
static void an_element_that_moves_less_than_its_size_stays(void **state)
{
    (void)state;
    const uint32_t count = FEWEST_PATCHED, moves = 100;
    for (int longest = 0; longest < 3; longest++)
        for (int axis = 0; axis < 3; axis++)
            for (int way = -1; way < 2; way += 2)
                for (int far = 0; far < 2; far++) {
                    BoxTree tree = {0};
                    scatter(0, count, block, 0, 0.125);
                    cloud.upper[longest][moves] += 0.5;
                    set_count(count);
                    assert_true(box_tree_fit(&tree, &cloud.body, DEPTH));
                    const double side = cloud.upper[axis][moves] - cloud.lower[axis][moves];
                    const double along = way * (side + 0.625 * (far ? 1.01 : 0.99));
                    cloud.lower[axis][moves] += along;
                    cloud.upper[axis][moves] += along;
                    set_count(count);
                    assert_true(box_tree_fit(&tree, &cloud.body, DEPTH));
                    assert_holds_the_body(&tree, DEPTH);
                    assert_int_equal(tree.moved, far);
                    box_tree_free(&tree);
                }
}

/* A quarter of the elements may move at once, and no more when more than a quarter have. */
static void a_tree_is_built_again_when_too_much_has_changed(void **state)
{
    (void)state;
    for (uint32_t count = FEWEST_PATCHED - 1; count <= FEWEST_PATCHED + 4; count++)
        for (uint32_t beyond = 0; beyond < 2; beyond++) {
            BoxTree tree = {0};
            const uint32_t most = count / 4;
            build_large(&tree, count, 0);
            scatter(100, most + beyond, block, 0, 0);
            set_count(count);
            assert_true(box_tree_fit(&tree, &cloud.body, DEPTH));
            assert_holds_the_body(&tree, DEPTH);
            if (count < FEWEST_PATCHED || beyond) {
                assert_order_is_that_of_halving(&tree, DEPTH);
                box_tree_free(&tree);
                continue;
            }
            assert_int_equal(tree.moved, most);
            set_count(count); /* another one in name only: what moved was a quarter, not more */
            assert_true(box_tree_fit(&tree, &cloud.body, DEPTH));
            assert_int_equal(tree.moved, most);
            scatter(0, 1, block, 0, 0);
            set_count(count);
            assert_true(box_tree_fit(&tree, &cloud.body, DEPTH));
            assert_int_equal(tree.moved, most + 1);
            assert_holds_the_body(&tree, DEPTH);
            set_count(count);
            assert_true(box_tree_fit(&tree, &cloud.body, DEPTH));
            assert_order_is_that_of_halving(&tree, DEPTH);
            assert_holds_the_body(&tree, DEPTH);
            box_tree_free(&tree);
        }
}

/* New elements count as such: a quarter more are taken in, one more than that are not. */
static void a_quarter_of_new_elements_is_taken_in(void **state)
{
    (void)state;
    for (uint32_t beyond = 0; beyond < 2; beyond++) {
        BoxTree tree = {0};
        build_large(&tree, 4800, 0);
        scatter(4800, 1201, block, 0, 0);
        set_count(6000 + beyond);
        assert_true(box_tree_fit(&tree, &cloud.body, DEPTH));
        assert_holds_the_body(&tree, DEPTH);
        assert_int_equal(tree.moved, beyond ? 0 : 1200);
        assert_int_equal(tree.built, beyond ? 6001 : 4800);
        box_tree_free(&tree);
    }
}

/* ---- A tree that was saved ---- */

static GivenTree given_of(const BoxTree *tree, bool leaves)
{
    GivenTree given = {.element = dv_alloc(tree->slots, sizeof *given.element),
                       .count = tree->slots,
                       .built = tree->built,
                       .moved = tree->moved};
    memcpy(given.element, tree->element, tree->slots * sizeof *given.element);
    if (leaves)
        given.leaf = dv_alloc(tree->nodes, sizeof *given.leaf);
    for (uint32_t index = 0; leaves && index < tree->nodes; index++)
        if (!tree->node[index].child)
            given.leaf[given.leaf_count++] = tree->node[index].count;
    return given;
}

static void a_saved_tree_is_taken_up(void **state)
{
    (void)state;
    BoxTree tree = {0};
    build_large(&tree, 4200, 0.02);
    scatter(50, 400, block, 0, 0.02);
    scatter(4200, 100, block, 0, 0.02);
    set_count(4300);
    assert_true(box_tree_fit(&tree, &cloud.body, DEPTH));
    assert_true(tree.moved > 100);
    BoxTree again = {.given = given_of(&tree, true)};
    assert_true(box_tree_fit(&again, &cloud.body, DEPTH));
    assert_null(again.given.element);
    assert_null(again.given.leaf);
    assert_holds_the_body(&again, DEPTH);
    assert_memory_equal(again.element, tree.element, 4300 * sizeof *tree.element);
    assert_int_equal(again.moved, tree.moved);
    assert_int_equal(again.built, tree.built);
    assert_int_equal(again.nodes, tree.nodes);
    scatter(1000, 300, block, 0, 0.02); /* both go on alike */
    set_count(4300);
    assert_true(box_tree_fit(&tree, &cloud.body, DEPTH));
    assert_true(box_tree_fit(&again, &cloud.body, DEPTH));
    assert_memory_equal(again.element, tree.element, 4300 * sizeof *tree.element);
    box_tree_free(&again);
    box_tree_free(&tree);

    build_large(&tree, 200, 0.02); /* one that has always had its elements: positions may be others by now */
    again = (BoxTree){.given = given_of(&tree, false)};
    scatter(0, 200, block, 0, 0.02);
    cloud.body.version.boxes++;
    assert_false(box_tree_fit(&tree, &cloud.body, DEPTH));
    assert_true(box_tree_fit(&again, &cloud.body, DEPTH));
    assert_memory_equal(again.element, tree.element, 200 * sizeof *tree.element);
    assert_int_equal(again.built, 200);
    assert_int_equal(again.moved, 0);
    assert_nodes_are_halves(&again, DEPTH);
    assert_holds_the_body(&again, DEPTH);
    box_tree_free(&again);
    box_tree_free(&tree);
}

/* One of another body counts for nothing. */
static void a_saved_tree_of_another_body_is_left(void **state)
{
    (void)state;
    BoxTree tree = {0};
    build_large(&tree, 100, 0.02);
    for (int mistake = 0; mistake < 6; mistake++) {
        BoxTree again = {.given = given_of(&tree, mistake < 5)};
        GivenTree *given = &again.given;
        switch (mistake) {
        case 0: /* fewer elements */
            given->count--;
            break;
        case 1: /* a leaf less, one more */
            given->leaf_count--;
            break;
        case 2:
            given->leaf =
                dv_realloc(given->leaf, tree.nodes * sizeof *given->leaf, 2 * tree.nodes * sizeof *given->leaf);
            given->leaf[given->leaf_count++] = 0;
            break;
        case 3: /* leaves of fewer or of more elements than there are */
            given->leaf[0]--;
            break;
        case 4:
            given->leaf[given->leaf_count - 1]++;
            break;
        default: /* an order that is none */
            given->element[3] = 100;
            break;
        }
        assert_true(box_tree_fit(&again, &cloud.body, DEPTH));
        if (mistake < 5) {
            assert_order_is_that_of_halving(&again, DEPTH);
            assert_nodes_are_halves(&again, DEPTH);
            assert_holds_the_body(&again, DEPTH);
        } else {
            assert_int_equal(again.element[3], 3);
        }
        box_tree_free(&again);
    }
    box_tree_free(&tree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_are_halved_along_the_longest_side),
        cmocka_unit_test(what_moves_keeps_its_place),
        cmocka_unit_test(strays_come_to_the_leaf_of_what_they_are_near),
        cmocka_unit_test(an_element_that_moves_less_than_its_size_stays),
        cmocka_unit_test(a_tree_is_built_again_when_too_much_has_changed),
        cmocka_unit_test(a_quarter_of_new_elements_is_taken_in),
        cmocka_unit_test(a_saved_tree_is_taken_up),
        cmocka_unit_test(a_saved_tree_of_another_body_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
