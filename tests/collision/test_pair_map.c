/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The order of pairs, on the examples of its definition: models A B C D, all of which touch; and which contacts of a pair are at one
 * place.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "phase/pair_map.h"
#include "response/place_map.h"

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

/* Contacts about the corners of cells, some at one place with others: those kept are those that no kept one before is as near to. */
static void contacts_at_one_place_count_once(void **state)
{
    (void)state;
    enum { CONTACTS = 600, CORNERS = 6 };
    static DvContact contacts[CONTACTS];
    static uint32_t kept[CONTACTS];
    uint64_t random = 1;
    for (int i = 0; i < CONTACTS; i++)
        for (int side = 0; side < 2; side++)
            for (int axis = 0; axis < 3; axis++) {
                random = random * 6364136223846793005u + 1442695040888963407u;
                const double corner = 16.0 * SAME_PLACE * (axis + (double)(i % CORNERS) - 3.0);
                contacts[i].point[side][axis] = corner + 2.0 * SAME_PLACE * ((double)(random >> 11) * 0x1p-53 - 0.5);
            }
    PlaceMap map = {0};
    uint32_t alone = 0;
    for (uint32_t count = 0; count <= CONTACTS; count += CONTACTS / 4) { /* also into a map that has been used */
        const DvContactPair pair = {.contacts = contacts, .count = count};
        places_choose(&map, &pair, kept);
        alone = 0;
        for (uint32_t i = 0; i < count; i++) {
            uint32_t expected = 1;
            for (uint32_t k = 0; k < i && expected; k++)
                expected = !(kept[k] && is_same_place(&contacts[k], &contacts[i]));
            assert_int_equal(kept[i], expected);
            alone += expected;
        }
    }
    assert_true(alone > CONTACTS / 10 && alone < 9 * CONTACTS / 10);
    place_map_free(&map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_pairs_in_one_step),
        cmocka_unit_test(one_more_pair_each_step),
        cmocka_unit_test(a_lone_pair_gets_its_ranks_in_its_second_step),
        cmocka_unit_test(looking_up_compares_with_a_lone_pair_only),
        cmocka_unit_test(many_pairs_are_found_again_and_sorted),
        cmocka_unit_test(contacts_at_one_place_count_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
