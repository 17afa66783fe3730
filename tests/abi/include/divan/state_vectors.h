/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Vectors of a state that no field holds: one array a number, for who implements contracts/state.h in memory of the host. A vector
 * exists from when it is first written until it is released, with default coordinates or zeros at first; its memory is kept for the next
 * one. Starts as zeros. `count` is the number of points that the state has, and the caller's.
 *
 * Threads: as the state.
 */
#ifndef DIVAN_STATE_VECTORS_H
#define DIVAN_STATE_VECTORS_H

#include <divan/contracts/state.h>
#include <divan/memory.h>

DV_BEGIN_DECLS

typedef struct DvStateVector {
    double *at;
    size_t capacity; /* doubles */
    bool exists;
} DvStateVector;

typedef struct DvStateVectors {
    DvStateVector of[DV_MAX_VEC];
} DvStateVectors;

/* Points [from, count) of a vector become default coordinates or zeros. */
static inline void dv_state_vectors_blank(const DvDofType *dof, DvVecId id, double *at, uint32_t from, uint32_t count)
{
    const size_t dim = dv_vec_kind(id) == DV_COORDS ? dof->coord : dof->deriv;
    if (dv_vec_kind(id) == DV_DERIVS) {
        if (from < count)
            memset(at + from * dim, 0, (count - from) * dim * sizeof *at);
        return;
    }
    for (size_t i = from; i < count; i++)
        memcpy(at + i * dim, dof->origin, dim * sizeof *at);
}

static inline bool dv_state_vectors_has(const DvStateVectors *vectors, DvVecId id)
{
    return id < DV_MAX_VEC && vectors->of[id].exists;
}

/* NULL: it does not exist. */
static inline const double *dv_state_vectors_read(const DvStateVectors *vectors, DvVecId id)
{
    return dv_state_vectors_has(vectors, id) ? vectors->of[id].at : NULL;
}

/* Memory for `room` points, unless there is enough for `count`; what it held stays. */
static inline void dv_state_vectors_reserve(DvStateVector *vector, size_t dim, uint32_t count, uint32_t room)
{
    if (vector->at && vector->capacity >= count * dim)
        return;
    vector->at =
        (double *)dv_realloc(vector->at, vector->capacity * sizeof *vector->at, room * dim * sizeof *vector->at);
    vector->capacity = room * dim;
}

/* Makes it if it does not exist, with memory for `room` >= count points. NULL: no vector has this number. */
static inline double *dv_state_vectors_write(DvStateVectors *vectors, const DvDofType *dof, DvVecId id, uint32_t count,
                                             uint32_t room)
{
    if (id == DV_NO_VEC || id >= DV_MAX_VEC)
        return NULL;
    DvStateVector *vector = &vectors->of[id];
    if (!vector->exists) {
        dv_state_vectors_reserve(vector, dv_vec_kind(id) == DV_COORDS ? dof->coord : dof->deriv, count, room);
        dv_state_vectors_blank(dof, id, vector->at, 0, count);
        vector->exists = true;
    }
    return vector->at;
}

static inline void dv_state_vectors_release(DvStateVectors *vectors, DvVecId id)
{
    if (id < DV_MAX_VEC)
        vectors->of[id].exists = false;
}

/* The state had `old` points and now has `count`: those that came are default coordinates or zeros. */
static inline void dv_state_vectors_resize(DvStateVectors *vectors, const DvDofType *dof, uint32_t old, uint32_t count,
                                           uint32_t room)
{
    for (DvVecId id = 1; id < DV_MAX_VEC; id++) {
        DvStateVector *vector = &vectors->of[id];
        if (!vector->exists)
            continue;
        dv_state_vectors_reserve(vector, dv_vec_kind(id) == DV_COORDS ? dof->coord : dof->deriv, count, room);
        dv_state_vectors_blank(dof, id, vector->at, old, count);
    }
}

static inline void dv_state_vectors_free(DvStateVectors *vectors)
{
    for (DvVecId id = 0; id < DV_MAX_VEC; id++)
        dv_free(vectors->of[id].at);
}

DV_END_DECLS
#endif
