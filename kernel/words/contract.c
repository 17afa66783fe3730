/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What is known of contracts: a table made from contracts/required.def. Ids that begin with "divan." are this project's, so one that
 * is not in the table is a slip or belongs to another version; all others belong to whoever uses them.
 */
#include "words.h"

#include <string.h>

#include <divan/contracts/all.h>

typedef struct Row {
    const char *id;     /* NULL: a member of the contract above */
    const char *member; /* NULL: a contract */
    size_t at, size;    /* offset and size of the member; of a contract its size */
} Row;

static const Row rows[] = {
#define DV_CONTRACT(contract, Struct) {contract, NULL, 0, sizeof(Struct)},
#define DV_MEMBER(Struct, name)       {NULL, #name, offsetof(Struct, name), sizeof(((Struct *)NULL)->name)},
#include <divan/contracts/required.def>
};

static const Row *row_of(const char *id)
{
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
        if (rows[i].id && strcmp(rows[i].id, id) == 0)
            return &rows[i];
    return NULL;
}

static bool is_ours(const char *id)
{
    return g_str_has_prefix(id, "divan.");
}

bool dv_words_contract_known(const char *id, DvText *reason)
{
    if (!is_ours(id) || row_of(id))
        return true;
    const char *known[G_N_ELEMENTS(rows)];
    size_t count = 0;
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
        if (rows[i].id)
            known[count++] = rows[i].id;
    const char *closest = dv_closest(id, known, count);
    dv_text_add(reason, "'%s', which is no contract of this kernel", id);
    if (closest)
        dv_text_add(reason, "; did you mean '%s'?", closest);
    else
        dv_text_add(reason, "; names of one's own begin with another word than 'divan.'");
    return false;
}

static bool is_empty(const char *member, size_t size)
{
    static const char zeros[16];
    return memcmp(member, zeros, size) == 0;
}

bool dv_words_contract_complete(const DvContract *offer, DvText *reason)
{
    if (!dv_words_contract_known(offer->id, reason))
        return false;
    const uint32_t size = offer->ops ? *(const uint32_t *)offer->ops : 0;
    if (size <= sizeof(uint32_t)) {
        dv_text_add(reason, "'%s' without functions", offer->id);
        return false;
    }
    const Row *row = row_of(offer->id);
    if (row && size != row->size) {
        dv_text_add(reason, "'%s' with functions of %u bytes, the kernel's have %zu", offer->id, size, row->size);
        return false;
    }
    for (const Row *member = row ? row + 1 : NULL; member && member < rows + G_N_ELEMENTS(rows) && member->member;
         member++)
        if (is_empty((const char *)offer->ops + member->at, member->size)) {
            dv_text_add(reason, "'%s' without '%s', which is required", offer->id, member->member);
            return false;
        }
    return true;
}
