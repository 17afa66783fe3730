/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The order of pairs, on the examples of its definition: models A B C D, all of which touch.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "pair_map.h"

static void put(PairMap *map, const char *pair)
{
    (void)pair_map_put(map, (uint32_t)(pair[0] - 'A'), (uint32_t)(pair[1] - 'A'));
}

static void assert_order(PairMap *map, const char *expected)
{
    char text[256] = "";
    const uint32_t *order = pair_map_order(map);
    for (uint32_t i = 0; i < map->present; i++) {
        const PairEntry *entry = &map->entries[order[i]];
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%c%c", i ? " " : "", 'A' + (int)entry->body[0],
                 'A' + (int)entry->body[1]);
    }
    assert_string_equal(text, expected);
}

static const char *const broad[] = {"BA", "CA", "CB", "DA", "DB", "DC"};

static void all_pairs_in_one_step(void **state)
{
    (void)state;
    PairMap found = {.rule = KEPT_PAIR_FIRST}, contacts = {.rule = NEW_PAIR_FIRST};
    for (int i = 0; i < 6; i++)
        put(&found, broad[i]);
    assert_order(&found, "BA CA CB DA DB DC");
    const uint32_t *order = pair_map_order(&found);
    for (uint32_t i = 0; i < found.present; i++)
        (void)pair_map_put(&contacts, found.entries[order[i]].body[0], found.entries[order[i]].body[1]);
    assert_order(&contacts, "CA CB BA DA DC DB");
    pair_map_clear(&found);
    pair_map_clear(&contacts);
}

static void one_more_pair_each_step(void **state)
{
    (void)state;
    PairMap found = {.rule = KEPT_PAIR_FIRST}, contacts = {.rule = NEW_PAIR_FIRST};
    for (int step = 1; step <= 3; step++) {
        for (int i = 0; i < step; i++)
            put(&found, broad[i]);
        const uint32_t *order = pair_map_order(&found);
        for (uint32_t i = 0; i < found.present; i++)
            (void)pair_map_put(&contacts, found.entries[order[i]].body[0], found.entries[order[i]].body[1]);
    }
    assert_order(&found, "BA CA CB");
    assert_order(&contacts, "BA CA CB");
    pair_map_clear(&found);
    pair_map_clear(&contacts);
}

/* A lone pair meets itself when it is put in again: its second body gets the first rank. */
static void a_lone_pair_gets_its_ranks_in_its_second_step(void **state)
{
    (void)state;
    PairMap twice = {.rule = KEPT_PAIR_FIRST}, once = {.rule = KEPT_PAIR_FIRST};
    put(&twice, "AB");
    put(&twice, "AB"); /* B 0, A 1 */
    pair_map_take_out(&twice, pair_map_find(&twice, 0, 1));
    put(&twice, "CA");
    put(&twice, "BA"); /* lone CA: A 1, C 2; BA: A 1, B 0 */
    assert_order(&twice, "BA CA");
    put(&once, "AB");
    pair_map_take_out(&once, pair_map_find(&once, 0, 1));
    put(&once, "CA");
    put(&once, "BA"); /* lone CA: A 0, C 1; BA: B 2 */
    assert_order(&once, "CA BA");
    pair_map_clear(&twice);
    pair_map_clear(&once);
}

static void looking_up_compares_with_a_lone_pair_only(void **state)
{
    (void)state;
    PairMap map = {.rule = KEPT_PAIR_FIRST};
    put(&map, "AB");
    pair_map_look_up(&map, 2, 3); /* B 0, A 1, D 2, C 3 */
    put(&map, "CA");
    put(&map, "DA");
    assert_order(&map, "AB DA CA");
    pair_map_look_up(&map, 4, 5);
    put(&map, "FE"); /* E 4, F 5 */
    put(&map, "EF");
    assert_order(&map, "AB DA CA EF FE");
    assert_int_equal(pair_map_find(&map, 5, 5), UINT32_MAX);
    pair_map_clear(&map);
}

static void many_pairs_are_found_again_and_sorted(void **state)
{
    (void)state;
    PairMap map = {.rule = NEW_PAIR_FIRST};
    for (uint32_t round = 0; round < 2; round++)
        for (uint32_t a = 0; a < 40; a++)
            for (uint32_t b = 0; b < a; b++)
                (void)pair_map_put(&map, a, b);
    assert_int_equal(map.present, 780);
    assert_int_equal(map.count, 780);
    for (uint32_t i = 0; i < map.count; i += 3)
        pair_map_take_out(&map, i);
    assert_int_equal(map.present, 520);
    const uint32_t *order = pair_map_order(&map);
    for (uint32_t i = 1; i < map.present; i++) {
        const uint32_t *x = map.entries[order[i - 1]].body, *y = map.entries[order[i]].body;
        assert_true(map.rank[x[0]] < map.rank[y[0]] || (x[0] == y[0] && map.rank[x[1]] < map.rank[y[1]]));
    }
    pair_map_clear(&map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_pairs_in_one_step),
        cmocka_unit_test(one_more_pair_each_step),
        cmocka_unit_test(a_lone_pair_gets_its_ranks_in_its_second_step),
        cmocka_unit_test(looking_up_compares_with_a_lone_pair_only),
        cmocka_unit_test(many_pairs_are_found_again_and_sorted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
