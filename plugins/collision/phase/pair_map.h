/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Pairs of bodies that are kept from step to step, in the order that the contacts of a scene are known by.
 *
 * Pairs are ordered by the ranks of their first, then of their second body. A body gets its rank, 0, 1, 2..., when a pair that holds
 * it is first compared with another one:
 *   a pair is put into an empty map          nobody gets a rank
 *   into a map with one pair                 the four bodies of both do, in the order of the rule
 *   into a map with several                  the second, then the first body of the new pair
 * Putting in a pair that is there already compares it too. Ranks stay when pairs are taken out.
 */
#ifndef DIVAN_COLLISION_PAIR_MAP_H
#define DIVAN_COLLISION_PAIR_MAP_H

#include <divan/data.h>

/* Which of two pairs is asked for ranks first when a lone pair meets another. */
typedef enum PairRule { KEPT_PAIR_FIRST, NEW_PAIR_FIRST } PairRule;

typedef struct PairEntry {
    uint32_t body[2];
    bool present;
} PairEntry;

typedef struct PairMap {
    PairRule rule;
    PairEntry *entries; /* all pairs that ever were here: their numbers do not change */
    uint32_t count, capacity, present;
    uint32_t *table; /* open addressing: entry + 1; 0: free */
    uint32_t table_mask;
    uint32_t *rank; /* [bodies] UINT32_MAX: none */
    uint32_t body_count, ranks;
    uint32_t *order; /* [present] entries in order, when `ordered` */
    uint32_t order_capacity;
    bool ordered;
    uint32_t *saved; /* what the field holds, as of the last save */
    uint32_t saved_capacity;
} PairMap;

/* Puts a pair in (or meets it again); its entry. */
uint32_t pair_map_put(PairMap *map, uint32_t first, uint32_t second);
/* The comparisons of looking a pair up, whether it is there or not. */
void pair_map_look_up(PairMap *map, uint32_t first, uint32_t second);
/* The entry of a pair that is present, without any comparison; UINT32_MAX: it is not. */
uint32_t pair_map_find(const PairMap *map, uint32_t first, uint32_t second);
void pair_map_take_out(PairMap *map, uint32_t entry);
/* The entries of the present pairs, in order; map->present of them. */
const uint32_t *pair_map_order(PairMap *map);
/* What a saved run needs of it, in a field of dv_type_uints, which is written only when it has changed; `entries`: the present
 * ones, in an order that the entries of the restored map have. Restoring takes an empty map; false: the numbers are not
 * those of one. */
void pair_map_save(PairMap *map, DvData *field, const uint32_t *entries);
bool pair_map_restore(PairMap *map, DvData *field);
void pair_map_clear(PairMap *map); /* back to an empty map of this rule; frees */

#endif
