/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * So few that a table of them stays in a cache are looked up in one by hashes. Others are put into a bucket for each first number, one counting sort. The few of a bucket, as the parts of a mesh are, are compared
 * with those that differ so far. Larger buckets, and numbers too far apart for buckets, are sorted: least significant digit radix sort of
 * a permutation, 11 bits at a time, skipping digits that are zero in all tuples. Stability makes the first of a run the first in the input.
 */
#include <divan/kit/tuples.h>

#include <divan/memory.h>
#include <stdbool.h>
#include <string.h>

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS, MOST_COMPARED = 256, MOST_IN_TABLE = 1 << 16 };

typedef struct Tuples {
    uint32_t arity;
    const uint32_t *at;
    uint32_t any[4]; /* bits that some tuple has */
} Tuples;

static void sort_pass(const Tuples *tuples, uint32_t component, uint32_t shift, const uint32_t *from, uint32_t *to,
                      uint32_t count)
{
    const uint32_t *value = tuples->at + component;
    uint32_t start[DIGITS + 1] = {0};
    for (uint32_t i = 0; i < count; i++)
        start[1 + ((value[(size_t)from[i] * tuples->arity] >> shift) & (DIGITS - 1))]++;
    for (uint32_t digit = 0; digit < DIGITS; digit++)
        start[digit + 1] += start[digit];
    for (uint32_t i = 0; i < count; i++)
        to[start[(value[(size_t)from[i] * tuples->arity] >> shift) & (DIGITS - 1)]++] = from[i];
}

static bool same(const Tuples *tuples, uint32_t a, uint32_t b)
{
    return memcmp(tuples->at + (size_t)a * tuples->arity, tuples->at + (size_t)b * tuples->arity,
                  tuples->arity * sizeof *tuples->at) == 0;
}

/* Of the tuples of a permutation, ascending; `order` and `room` are used up. */
static void find_by_sorting(const Tuples *tuples, uint32_t *order, uint32_t *room, uint32_t count, uint32_t *first)
{
    for (uint32_t c = tuples->arity; c-- > 0;)
        for (uint32_t shift = 0; shift < 32 && tuples->any[c] >> shift; shift += DIGIT_BITS) {
            sort_pass(tuples, c, shift, order, room, count);
            uint32_t *swap = order;
            order = room;
            room = swap;
        }
    first[order[0]] = order[0];
    for (uint32_t i = 1; i < count; i++)
        first[order[i]] = same(tuples, order[i], order[i - 1]) ? first[order[i - 1]] : order[i];
}

/* Second and third number. */
static uint64_t key_of(const Tuples *tuples, uint32_t tuple)
{
    const uint32_t *at = tuples->at + (size_t)tuple * tuples->arity;
    return tuples->arity == 1 ? 0 : (uint64_t)at[1] << 32 | (tuples->arity > 2 ? at[2] : 0);
}

/* Of the tuples of a bucket, ascending. */
static void find_by_comparing(const Tuples *tuples, const uint32_t *bucket, uint32_t count, uint32_t *first)
{
    uint64_t keys[MOST_COMPARED];
    uint32_t different[MOST_COMPARED], found = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t key = key_of(tuples, bucket[i]);
        uint32_t k = 0;
        while (k < found && !(keys[k] == key && (tuples->arity < 4 || same(tuples, different[k], bucket[i]))))
            k++;
        if (k == found) {
            keys[found] = key;
            different[found++] = bucket[i];
        }
        first[bucket[i]] = different[k];
    }
}

/* One bucket for each first number up to `largest`. */
static void find_in_buckets(const Tuples *tuples, uint32_t count, uint32_t largest, uint32_t *first)
{
    uint32_t *start = dv_alloc((size_t)largest + 2, sizeof *start);
    uint32_t *order = dv_alloc(count, sizeof *order), *room = dv_alloc(count, sizeof *room);
    for (uint32_t i = 0; i < count; i++)
        start[tuples->at[(size_t)i * tuples->arity] + 1]++;
    for (uint32_t b = 0; b < largest; b++)
        start[b + 1] += start[b];
    for (uint32_t i = 0; i < count; i++)
        order[start[tuples->at[(size_t)i * tuples->arity]]++] = i; /* which moves to the end of its bucket */
    for (uint32_t b = 0, begin = 0; b <= largest; begin = start[b++]) {
        const uint32_t length = start[b] - begin;
        if (length > MOST_COMPARED)
            find_by_sorting(tuples, order + begin, room, length, first);
        else
            find_by_comparing(tuples, order + begin, length, first);
    }
    dv_free(start);
    dv_free(order);
    dv_free(room);
}

static inline uint64_t hash_of(uint32_t arity, const uint32_t *tuple)
{
    static const uint64_t odd[4] = {UINT64_C(0x9E3779B97F4A7C15), UINT64_C(0xC2B2AE3D27D4EB4F),
                                    UINT64_C(0x165667B19E3779F9), UINT64_C(0xD6E8FEB86659FD93)};
    uint64_t hash = 0;
    for (uint32_t c = 0; c < arity; c++)
        hash ^= tuple[c] * odd[c];
    return (hash ^ hash >> 32) * odd[0];
}

static inline void find_in_table(uint32_t arity, uint32_t count, const uint32_t *tuples, uint32_t *first)
{
    uint32_t bits = 4;
    while (1u << bits < 2 * count)
        bits++;
    const uint32_t mask = (1u << bits) - 1;
    uint32_t *table = dv_alloc((size_t)mask + 1, sizeof *table); /* one more than the first of a kind; 0: free */
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t *tuple = tuples + (size_t)i * arity;
        uint32_t place = (uint32_t)(hash_of(arity, tuple) >> (64 - bits)), other;
        for (; (other = table[place]) != 0; place = (place + 1) & mask) {
            const uint32_t *known = tuples + (size_t)(other - 1) * arity;
            uint32_t differ = 0;
            for (uint32_t c = 0; c < arity; c++)
                differ |= tuple[c] ^ known[c];
            if (differ == 0)
                break;
        }
        if (other == 0)
            table[place] = other = i + 1;
        first[i] = other - 1;
    }
    dv_free(table);
}

static void find_few(uint32_t arity, uint32_t count, const uint32_t *tuples, uint32_t *first)
{
    switch (arity) {
    case 1:
        find_in_table(1, count, tuples, first);
        break;
    case 2:
        find_in_table(2, count, tuples, first);
        break;
    case 3:
        find_in_table(3, count, tuples, first);
        break;
    default:
        find_in_table(4, count, tuples, first);
    }
}

void dv_tuples_find_first(uint32_t arity, uint32_t count, const uint32_t *tuples, uint32_t *first)
{
    Tuples all = {.arity = arity, .at = tuples};
    uint32_t largest = 0;
    if (count <= MOST_IN_TABLE) {
        find_few(arity, count, tuples, first);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t *tuple = tuples + (size_t)i * arity;
        largest = tuple[0] > largest ? tuple[0] : largest;
        for (uint32_t c = 0; c < arity; c++)
            all.any[c] |= tuple[c];
    }
    if (largest / 4 <= count) {
        find_in_buckets(&all, count, largest, first);
        return;
    }
    uint32_t *order = dv_alloc(count, sizeof *order), *room = dv_alloc(count, sizeof *room);
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    find_by_sorting(&all, order, room, count, first);
    dv_free(order);
    dv_free(room);
}
