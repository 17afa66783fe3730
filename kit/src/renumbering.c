/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Numbers after a change of the mesh; see the header.
 */
#include <divan/kit/ascending.h>
#include <divan/kit/renumbering.h>

#include <divan/memory.h>

/* Where `number` is, or would be, among the touched ones. */
static uint32_t place_of(const DvRenumbering *r, uint32_t number)
{
    return dv_ascending_place(r->old, r->count, number);
}

/* Those that go, and the last ones, which take their numbers. */
static void list_touched(DvRenumbering *r, const DvElementChange *change)
{
    const uint32_t most = 2 * change->count;
    r->old = dv_alloc(most, sizeof *r->old);
    r->now = dv_alloc(most, sizeof *r->now);
    for (uint32_t i = 0; i < change->count; i++) {
        r->old[2 * (size_t)i] = change->indices[i];
        r->old[2 * (size_t)i + 1] = change->total + i;
    }
    r->count = dv_ascending_sort(r->old, most);
}

static void follow_removal(DvRenumbering *r, const DvElementChange *change)
{
    list_touched(r, change);
    uint32_t *occupant = dv_alloc(r->count, sizeof *occupant); /* of each place: which of `old` is there */
    for (uint32_t i = 0; i < r->count; i++)
        occupant[i] = i;
    for (uint32_t i = 0; i < change->count; i++) {
        const uint32_t gone = place_of(r, change->indices[i]);
        const uint32_t last = place_of(r, change->total + change->count - 1 - i);
        r->now[occupant[gone]] = UINT32_MAX;
        occupant[gone] = occupant[last];
    }
    for (uint32_t i = 0; i < r->count && r->old[i] < change->total; i++)
        r->now[occupant[i]] = r->old[i];
    dv_free(occupant);
}

DvRenumbering dv_renumbering_of(const DvElementChange *change)
{
    DvRenumbering r = {0};
    if (change->change == DV_ELEMENTS_REMOVED)
        follow_removal(&r, change);
    if (change->change == DV_ELEMENTS_RENUMBERED) {
        r.all = true;
        r.count = change->count;
        r.now = dv_alloc(r.count, sizeof *r.now);
        for (uint32_t i = 0; i < r.count; i++)
            r.now[change->indices[i]] = i;
    }
    return r;
}

void dv_renumbering_free(DvRenumbering *r)
{
    dv_free(r->old);
    dv_free(r->now);
    *r = (DvRenumbering){0};
}

uint32_t dv_renumbering_new(const DvRenumbering *r, uint32_t old)
{
    if (r->all)
        return old < r->count ? r->now[old] : UINT32_MAX;
    const uint32_t place = r->count && old >= r->old[0] ? place_of(r, old) : r->count;
    return place < r->count && r->old[place] == old ? r->now[place] : old;
}
