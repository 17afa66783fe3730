/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What to say of likely mistakes: the word that was probably meant, an index beyond the end of a list.
 *
 * The nearest word is found by the optimal string alignment distance (insert, drop, change, swap two neighbours), where a
 * change of case alone counts a half.
 */
#include "words.h"

enum { LONGEST_WORD = 80 };

/* Twice the distance, so that halves are whole. */
static unsigned distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    unsigned rows[3][LONGEST_WORD + 1];
    unsigned *before = rows[0], *last = rows[1], *row = rows[2];
    for (size_t j = 0; j <= b_length; j++)
        last[j] = 2 * (unsigned)j;
    for (size_t i = 1; i <= a_length; i++) {
        row[0] = 2 * (unsigned)i;
        for (size_t j = 1; j <= b_length; j++) {
            unsigned change = 2;
            if (a[i - 1] == b[j - 1])
                change = 0;
            else if (g_ascii_tolower(a[i - 1]) == g_ascii_tolower(b[j - 1]))
                change = 1;
            row[j] = MIN(last[j - 1] + change, MIN(last[j], row[j - 1]) + 2);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = MIN(row[j], before[j - 2] + 2);
        }
        unsigned *const free_row = before;
        before = last;
        last = row;
        row = free_row;
    }
    return last[b_length];
}

const char *dv_closest(const char *word, const char *const *candidates, size_t count)
{
    const size_t length = strlen(word);
    if (length == 0 || length > LONGEST_WORD)
        return NULL;
    /* A third of the letters may be wrong; of short words one. */
    unsigned best = 2 * (unsigned)MAX(length / 3, 1) + 1;
    const char *closest = NULL;
    for (size_t i = 0; i < count; i++) {
        const size_t other = strlen(candidates[i]);
        if (other > LONGEST_WORD || 2 * (other > length ? other - length : length - other) >= best)
            continue;
        const unsigned d = distance(word, length, candidates[i], other);
        if (d < best) {
            best = d;
            closest = candidates[i];
        }
    }
    return closest;
}

/* All of them from 1 to `count`. */
static bool count_from_one(size_t count, const uint32_t *all, size_t all_count)
{
    uint32_t least = UINT32_MAX, most = 0;
    for (size_t i = 0; i < all_count; i++) {
        least = MIN(least, all[i]);
        most = MAX(most, all[i]);
    }
    return least >= 1 && most == count;
}

void dv_text_add_missing(DvText *text, const char *what, uint32_t index, const char *owner, size_t count,
                         const uint32_t *all, size_t all_count)
{
    dv_text_add(text, "no %s %lld: %s has %zu, counted from 0", what,
                index > INT32_MAX ? (long long)(int32_t)index : (long long)index, owner, count);
    if (all && all_count && count_from_one(count, all, all_count))
        dv_text_add(text, "; do these numbers count from 1?");
}

DvStatus dv_field_error_missing(const DvData *field, int64_t index, const char *what, uint32_t missing,
                                const char *owner, size_t count)
{
    const bool of_indices = field->type->list && field->type->scalar == DV_SCALAR_UINT;
    DvText text = {0};
    dv_text_add_missing(&text, what, missing, owner, count, of_indices ? field->value : NULL,
                        field->count * field->type->components);
    const DvStatus status = dv_field_error(field, index, "%s", text.at);
    dv_text_free(&text);
    return status;
}
