/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <divan/kit/listed_numbers.h>

#include <divan/contracts/vector_space.h>
#include <divan/memory.h>

DvConstVec dv_state_read_points(DvStateRef s, DvVecId id, const uint32_t *points, uint32_t count)
{
    const DvStatePointsOps *ops = dv_state_storage(s).space ? dv_object_ops(s.object, DV_STATE_POINTS) : NULL;
    if (!ops)
        return dv_state_read(s, id);
    return (DvConstVec){ops->read(s.self, id, points, count), dv_state_count(s),
                        dv_vec_kind(id) == DV_COORDS ? s.dof->coord : s.dof->deriv};
}

/* The points of numbers, each once: scratch of the step. */
static uint32_t *points_of(uint32_t dim, const uint32_t *places, uint32_t count, uint32_t *points)
{
    uint32_t *found = dv_step_alloc(count, sizeof *found);
    *points = 0;
    for (uint32_t i = 0; i < count; i++)
        if (*points == 0 || found[*points - 1] != places[i] / dim)
            found[(*points)++] = places[i] / dim;
    return found;
}

static void set_there(DvStateRef s, DvVecId v, const DvStorage *storage, const uint32_t *places, const double *numbers,
                      uint32_t count)
{
    const DvVectorSpaceOps *ops = storage->space->ops;
    const uint32_t dim = s.dof->deriv;
    uint32_t points;
    s.ops->clear(s.self, v);
    double *to = s.ops->write(s.self, v, storage->space->number, DV_READ_WRITE);
    if (!to || count == 0)
        return;
    const DvStepMark mark = dv_step_mark();
    const uint32_t *listed = points_of(dim, places, count, &points);
    double *from = dv_step_alloc((size_t)dv_state_count(s) * dim, sizeof *from);
    for (uint32_t i = 0; i < points; i++)
        memset(from + (size_t)listed[i] * dim, 0, dim * sizeof *from);
    for (uint32_t i = 0; i < count; i++)
        from[places[i]] = numbers[i];
    ops->add_points(storage->space, dv_vector_as_address(to), storage->precision, from, dim, listed, points);
    dv_step_release(mark);
}

void dv_state_set_listed(DvStateRef s, DvVecId v, const uint32_t *places, const double *numbers, uint32_t count)
{
    const DvStorage storage = dv_state_storage(s);
    if (storage.space && storage.space->ops->size > offsetof(DvVectorSpaceOps, add_points) &&
        storage.space->ops->add_points) {
        set_there(s, v, &storage, places, numbers, count);
        return;
    }
    const DvVec to = dv_state_write(s, v, DV_OVERWRITE);
    if (!to.at)
        return;
    memset(to.at, 0, (size_t)to.count * to.dim * sizeof *to.at);
    for (uint32_t i = 0; i < count; i++)
        to.at[places[i]] = numbers[i];
}

const double *dv_state_get_listed(DvStateRef s, DvVecId v, const uint32_t *places, uint32_t count)
{
    if (!dv_state_storage(s).space)
        return dv_state_read(s, v).at;
    const DvStepMark mark = dv_step_mark();
    uint32_t points;
    const uint32_t *listed = points_of(s.dof->deriv, places, count, &points);
    const double *at = dv_state_read_points(s, v, listed, points).at;
    dv_step_release(mark);
    return at;
}
