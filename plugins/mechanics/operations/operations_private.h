/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the files of the operations share (operations.c says what they do).
 */
#ifndef DIVAN_MECHANICS_OPERATIONS_PRIVATE_H
#define DIVAN_MECHANICS_OPERATIONS_PRIVATE_H

#include "mechanics.h"

/* An operation begins: nothing fetched before counts any more. */
static inline void operation_begin(DvMechanics *m, Roles roles)
{
    mechanics_update(m);
    m->roles = roles;
    m->epoch++;
    m->depth++;
}

static inline void operation_end(DvMechanics *m)
{
    m->depth--;
}

/* The same vector in all states. */
static inline Roles roles_same(DvVecId x, DvVecId v, DvVecId f)
{
    return (Roles){{x, x, x}, {v, v, v}, {f, f, f}};
}

static inline bool walk_takes(bool below_stop, DvWalk walk)
{
    return walk == DV_WALK_WHOLE || !below_stop;
}

/* The visitor walk for forces: what it comes to. */
static inline bool walk_takes_mapping(const MappingItem *mapping, DvWalk walk)
{
    return walk == DV_WALK_WHOLE || (!mapping->below_stop && mapping->in_slot);
}

/* Arrays of the states of a mapping, for the present operation; false when one has none, which has been reported. */
static inline bool states_give_x(DvMechanics *m, const DvObject *asker, const uint32_t *states, uint32_t count,
                                 DvSpace space, DvConstVec *x)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!mechanics_fetch(m, &m->states[states[i]], asker, space))
            return false;
        x[i] = m->states[states[i]].x;
    }
    return true;
}

static inline bool states_give_f(DvMechanics *m, const DvObject *asker, const uint32_t *states, uint32_t count,
                                 DvSpace space, DvVec *f)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!mechanics_fetch(m, &m->states[states[i]], asker, space))
            return false;
        f[i] = m->states[states[i]].f;
    }
    return true;
}

/* Whether the outputs have room for what a mapping computes; one that has not is left out from then on. */
bool mapping_fits_outputs(DvMechanics *m, MappingItem *mapping);
/* Down: vector `out` of the outputs from those of the inputs (by StateKind), through one mapping. An input that has not got its one is
 * taken by `otherwise`; without that too the mapping is left out, which is reported. */
void mapping_propagate(DvMechanics *m, MappingItem *mapping, const DvStep *step, const DvVecId ids[3],
                       DvVecId otherwise, DvVecId out);
/* Up: forces of the outputs to the inputs, with geometric stiffness when k is not zero. Expects x and f of the operation to be
 * displacement and result. */
void mapping_pull_up(DvMechanics *m, MappingItem *mapping, const DvStep *step, double k);

/* ---- The service, as its contract says ---- */

void operation_clear(DvMechanics *m, DvVecId v);
DvVecId operation_allocate(DvMechanics *m, DvVecKind kind);
bool operation_scratch(DvMechanics *m, DvVecKind kind, uint32_t first, uint32_t count, DvVecId *ids);
void operation_release(DvMechanics *m, DvVecId v);
void operation_combine(DvMechanics *m, DvVecId r, DvVecId a, DvVecId b, double k);
double operation_dot(DvMechanics *m, DvVecId a, DvVecId b);
void operation_threshold(DvMechanics *m, DvVecId v, double length);
size_t operation_unknowns(DvMechanics *m);
void operation_gather(DvMechanics *m, double *flat, DvVecId v);
void operation_scatter(DvMechanics *m, DvVecId v, const double *flat);
uint32_t operation_list_states(DvMechanics *m, uint32_t which, DvObject **states, uint32_t capacity);
size_t operation_offset(DvMechanics *m, const DvObject *state);
void operation_clear_states(DvMechanics *m, uint32_t which, DvVecId v);
void operation_combine_states(DvMechanics *m, uint32_t which, DvVecId r, DvVecId a, DvVecId b, double k);
DvStatus operation_project_rows(DvMechanics *m, const DvStep *step, const DvStateRows *parts, uint32_t count,
                                uint32_t rows, uint32_t options, DvSparseRows *out);

void operation_propagate(DvMechanics *m, const DvStep *step, DvVecId v);

void operation_compute_force(DvMechanics *m, const DvStep *step, DvVecId f, DvWalk walk);
void operation_interaction_forces_to_external(DvMechanics *m, const DvStep *step);

void operation_add_mbk(DvMechanics *m, const DvStep *step, DvFactors factors, DvVecId res, DvVecId d, DvWalk walk);
void operation_add_mbk_columns(DvMechanics *m, const DvStep *step, DvFactors factors, uint32_t columns,
                               const DvVecId *res, const DvVecId *d, DvWalk walk);

void operation_add_mdx(DvMechanics *m, double factor, DvVecId res, DvVecId d);
void operation_acceleration_from_force(DvMechanics *m, DvVecId a, DvVecId f);
DvMassKind operation_mass_kind(DvMechanics *m);
void operation_add_separate_gravity(DvMechanics *m, double dt, DvVecId v);
void operation_implicit_turn(DvMechanics *m, const DvStep *step, double share, DvVecId b);

void operation_project_response(DvMechanics *m, const DvStep *step, DvVecId d, DvWalk walk);
void operation_project_position(DvMechanics *m, const DvStep *step, DvVecId x);
void operation_project_velocity(DvMechanics *m, const DvStep *step, DvVecId v);

#endif
