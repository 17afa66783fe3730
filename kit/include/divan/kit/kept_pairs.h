/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Pairs of points that no element couples any more keep their place in a matrix, so that its pattern stays; a saved scene holds them, so
 * that it goes on with the same pattern. Pairs of elements that go are noted by DvMeshEdits, the others by whoever keeps them
 * (element_blocks.h).
 */
#ifndef DIVAN_KIT_KEPT_PAIRS_H
#define DIVAN_KIT_KEPT_PAIRS_H

#include <divan/kit/mesh_edits.h>

DV_BEGIN_DECLS

typedef struct DvKeptPairs {
    DvData pairs;
    DvData made;   /* a matrix has places for the pairs of all elements: those of elements that go are to be kept */
    size_t pruned; /* numbers that were left the last time */
} DvKeptPairs;

#define DV_KEPT_PAIRS_FIELD(Struct, member)                                                                   \
    DV_FIELD(Struct, member.pairs, "keptPairs", dv_type_uints,                                                \
             .flags = DV_FIELD_STATE | DV_FIELD_HIDDEN | DV_FIELD_NOT_RESET,                                  \
             .help = "pairs of points that no element couples any more, and that matrices have a place for"), \
        DV_FIELD(Struct, member.made, "pairsMade", dv_type_bool, .init = "0",                                 \
                 .flags = DV_FIELD_STATE | DV_FIELD_HIDDEN | DV_FIELD_NOT_RESET,                              \
                 .help = "matrices have a place for pairs of points of elements")

static inline void dv_kept_pairs_make(DvKeptPairs *kept, bool made)
{
    if (kept && dv_data_bool(&kept->made) != made)
        dv_data_set_bool(&kept->made, made);
}

static inline void dv_kept_pairs_forget(DvKeptPairs *kept)
{
    if (kept && kept->pairs.count > 0)
        dv_data_set(&kept->pairs, NULL, 0);
    dv_kept_pairs_make(kept, false);
}

/* By the first point of two numbers, then by the second; for qsort. */
DV_PUBLIC int dv_kept_pairs_compare(const void *a, const void *b);
/* Where a scene goes on that had a matrix, and nobody has made one yet: what was noted, each pair once and without those that an element
 * couples, when it has become twice as much. */
DV_PUBLIC void dv_kept_pairs_prune(DvKeptPairs *kept,
                                   bool (*coupled)(const void *context, uint32_t first, uint32_t second),
                                   const void *context);

/* Those that go are noted there.     Before the edits are attached. */
static inline DvKeptPairs *dv_kept_pairs_note(DvKeptPairs *kept, DvMeshEdits *edits)
{
    edits->kept_pairs = &kept->pairs;
    edits->pairs_made = &kept->made;
    return kept;
}

DV_END_DECLS
#endif
