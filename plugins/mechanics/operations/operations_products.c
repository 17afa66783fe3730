/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Products of the matrices of mass, damping and stiffness with vectors, without a matrix.
 */
#include <string.h>

#include "operations_private.h"
#include "twins.h"

static bool is_velocity(const DvStep *step, DvVecId d)
{
    return d == DV_VELOCITY || d == DV_FREE_VELOCITY || d == step->velocity;
}

static void add_product(const FieldItem *field, const DvStep *step, DvFactors factors, double k, double mass,
                        const DvConstVec *dx, const DvVec *df)
{
    if (field->ops->add_dforce && (k != 0.0 || factors.b != 0.0))
        field->ops->add_dforce(field->self, step, k, factors.b, dx, df);
    if (field->mass && mass != 0.0)
        field->mass->add_mdx(field->self, mass, dx[0], df[0]);
}

/* By the twin; false: there is none that does all of it. */
static __attribute__((noinline)) bool add_product_there(DvMechanics *m, FieldItem *field, const DvStep *step,
                                                        DvFactors factors, double k, double mass)
{
    DvTwin *twin = field_twin_of_products(m, field);
    const bool stiff = field->ops->add_dforce && (k != 0.0 || factors.b != 0.0), heavy = field->mass && mass != 0.0;
    DvConstVec dx[2];
    DvVec df[2];
    if (!twin || (stiff && !twin->ops->add_dforce && !field->mass) || (heavy && !twin->ops->add_mdx))
        return false;
    const uint32_t count = field->twin->alone ? 1 : field->state_count;
    for (uint32_t i = 0; i < count; i++) {
        StateItem *state = &m->states[field->states[field->twin->side + i]];
        if (!mechanics_fetch(m, state, field->object, field->twin->space->number))
            return true;
        dx[i] = state->x;
        df[i] = state->f;
    }
    twin_range(field->twin);
    if (stiff && twin->ops->add_dforce)
        twin->ops->add_dforce(twin, step, k, factors.b, dx, df);
    if (heavy)
        twin->ops->add_mdx(twin, mass, dx[0], df[0]);
    twin_range_end(field->twin);
    return true;
}

/* On the host, of a state that a device keeps. */
static __attribute__((noinline)) void add_product_from_host(DvMechanics *m, FieldItem *field, const DvStep *step,
                                                            DvFactors factors, double k, double mass)
{
    field_catch_up(m, field, step);
    const DvSpaceCounts before = twin_begin(field->twin);
    PointsThere there;
    DvConstVec dx[2], none[2];
    DvVec df[2];
    bool all = true;
    const DvStepMark mark = dv_step_mark();
    const bool few = points_begin(m, field, &there, dx, none, df);
    for (uint32_t i = 0; i < field->state_count && !few && all; i++) {
        StateItem *state = &m->states[field->states[i]];
        all = mechanics_fetch(m, state, field->object, field->ops->space);
        dx[i] = state->x;
        df[i] = state->f;
    }
    if (all)
        add_product(field, step, factors, k, mass, dx, df);
    if (few)
        points_end(&there, field->state_count);
    dv_step_release(mark);
    twin_end(field->twin, &before);
}

static void add_product_of(DvMechanics *m, FieldItem *field, const DvStep *step, DvFactors factors)
{
    const double k = field_stiffness_factor(field, factors), mass = field_mass_factor(field, factors);
    const bool stiff = field->ops->add_dforce && (k != 0.0 || factors.b != 0.0), heavy = field->mass && mass != 0.0;
    if (!stiff && !heavy)
        return;
    if (field->twin) {
        if (!add_product_there(m, field, step, factors, k, mass))
            add_product_from_host(m, field, step, factors, k, mass);
        return;
    }
    DvConstVec dx[2];
    DvVec df[2];
    for (uint32_t i = 0; i < field->state_count; i++) {
        StateItem *state = &m->states[field->states[i]];
        if (!mechanics_fetch(m, state, field->object, field->ops->space))
            return;
        if (field->state_count == 1) {
            add_product(field, step, factors, k, mass, &state->x, &state->f);
            return;
        }
        dx[i] = state->x;
        df[i] = state->f;
    }
    add_product(field, step, factors, k, mass, dx, df);
}

enum { FEW_POINTS = 2048 }; /* of more, whole products by several threads are as good */

/* The points of the output of a mapping on which all that acts in a product acts; NULL: perhaps all. Both vectors are there. */
static const uint32_t *points_of_product(DvMechanics *m, const MappingItem *mapping, uint32_t *count)
{
    if (!mapping->at_points || mapping->inputs != 1 || mapping->outputs != 1 || (mapping->twin && mapping->twin->twin))
        return NULL;
    const StateItem *output = &m->states[mapping_outputs_of(mapping)[0]];
    const DvStateRef s = output->ref;
    if (output->readers > 0 || output->producers != 1 || !mapping->at_points->is_ready(mapping->self) ||
        !state_has(s, DV_DX) || !state_has(s, DV_DFORCE))
        return NULL;
    const uint32_t *points = assembly_points(m, mapping_outputs_of(mapping)[0], count);
    return *count <= FEW_POINTS && 2 * *count <= state_count(s) ? points : NULL;
}

/* What a product needs of the output of a mapping: its displacement `mapped` from d of the input, unless it has that, and no force. */
static void begin_product_below(DvMechanics *m, MappingItem *mapping, const DvStep *step, const DvVecId ids[3],
                                DvVecId mapped, bool by_points)
{
    const uint32_t *outputs = mapping_outputs_of(mapping);
    const StateItem *input = &m->states[mapping_inputs_of(mapping)[0]];
    uint32_t count = 0;
    const uint32_t *points = by_points ? points_of_product(m, mapping, &count) : NULL;
    const DvConstVec d = points ? dv_state_read(input->ref, ids[input->kind]) : (DvConstVec){0};
    if (points && d.at && mapping_fits_outputs(m, mapping)) {
        const DvStateRef s = m->states[outputs[0]].ref;
        if (mapped != ids[STATE_INDEPENDENT]) {
            const DvVec dx = dv_state_write(s, mapped, DV_READ_WRITE);
            mapping->at_points->apply_j(mapping->self, &d, &dx, points, count);
        }
        const DvVec f = dv_state_write(s, DV_DFORCE, DV_READ_WRITE);
        for (uint32_t i = 0; i < count; i++)
            memset(f.at + (size_t)points[i] * f.dim, 0, f.dim * sizeof *f.at);
        return;
    }
    if (mapped != ids[STATE_INDEPENDENT])
        mapping_propagate(m, mapping, step, ids, DV_NO_VEC, mapped);
    for (uint32_t k = 0; k < mapping->outputs; k++) {
        const DvStateRef s = m->states[outputs[k]].ref;
        state_clear(s, DV_DFORCE);
    }
}

static void pull_product_up(DvMechanics *m, MappingItem *mapping, const DvStep *step, double k, bool by_points)
{
    uint32_t count = 0;
    const uint32_t *points = by_points ? points_of_product(m, mapping, &count) : NULL;
    DvVec out, in;
    if (!points || !mapping_fits_outputs(m, mapping)) {
        mapping_pull_up(m, mapping, step, k);
        return;
    }
    const DvSpace space = mapping->ops->space;
    if (!states_give_f(m, mapping->object, mapping_outputs_of(mapping), 1, space, &out) ||
        !states_give_f(m, mapping->object, mapping_inputs_of(mapping), 1, space, &in))
        return;
    const DvConstVec from = {out.at, out.count, out.dim};
    mapping->at_points->apply_jt(mapping->self, &from, &in, points, count);
}

/* ---- All of it ---- */

typedef enum Reach { REACHES_NONE, REACHES_INDEPENDENT, REACHES_MAPPED, REACHES_BOTH } Reach;

/* Which kinds of states that are moved a component acts on. */
static Reach reach_of(const DvMechanics *m, const FieldItem *field)
{
    unsigned reach = REACHES_NONE;
    for (uint32_t i = 0; i < field->state_count; i++) {
        const StateKind kind = m->states[field->states[i]].kind;
        reach |= kind == STATE_INDEPENDENT ? REACHES_INDEPENDENT : kind == STATE_MAPPED ? REACHES_MAPPED : REACHES_NONE;
    }
    return (Reach)reach;
}

/* The product, or with `below` only what does not act on independent states alone. */
static void add_mbk(DvMechanics *m, const DvStep *step, DvFactors factors, DvVecId res, DvVecId d, DvWalk walk,
                    bool below)
{
    if (res == DV_NO_VEC || d == DV_NO_VEC)
        return;
    const DvVecId mapped = is_velocity(step, d) ? d : DV_DX, ids[3] = {d, mapped, VEC_ZERO};
    operation_begin(m,
                    (Roles){{ids[0], ids[1], ids[2]}, {DV_NO_VEC, DV_NO_VEC, DV_NO_VEC}, {res, DV_DFORCE, VEC_SINK}});
    const bool all = m->external_on_mapped; /* geometric stiffness also where no component acts */
    const bool by_points = m->mapping_list.count > 0 && !all && !m->any_constrained && assembly_knows_points(m);
    for (uint32_t i = 0; i < m->mapping_list.count; i++) {
        MappingItem *mapping = mapping_at(m, i);
        if (!(mapping->loads || mapping->constrained || all) || !walk_takes_mapping(mapping, walk) ||
            !mechanics_alive(m, mapping->object))
            continue;
        begin_product_below(m, mapping, step, ids, mapped, by_points);
    }
    for (uint32_t i = 0; i < m->field_list.count; i++)
        if (walk_takes(field_at(m, i)->below_stop, walk) && mechanics_alive(m, field_at(m, i)->object) &&
            !(below && reach_of(m, field_at(m, i)) == REACHES_INDEPENDENT))
            add_product_of(m, field_at(m, i), step, factors);
    for (uint32_t i = m->mapping_list.count; i-- > 0;) {
        MappingItem *mapping = mapping_at(m, i);
        if ((mapping->loads || mapping->constrained || all) && walk_takes_mapping(mapping, walk) &&
            mechanics_alive(m, mapping->object))
            pull_product_up(m, mapping, step, factors.k, by_points);
    }
    operation_end(m);
}

void operation_add_mbk(DvMechanics *m, const DvStep *step, DvFactors factors, DvVecId res, DvVecId d, DvWalk walk)
{
    add_mbk(m, step, factors, res, d, walk, false);
}

/* ---- Several columns ---- */

typedef struct Columns {
    uint32_t count;
    const DvVecId *res, *d;
} Columns;

/* From here on the vectors of the states are those of a column. */
static void turn_to(DvMechanics *m, const Columns *columns, uint32_t i)
{
    m->roles = (Roles){
        {columns->d[i], DV_DX, VEC_ZERO}, {DV_NO_VEC, DV_NO_VEC, DV_NO_VEC}, {columns->res[i], DV_DFORCE, VEC_SINK}};
    m->epoch++;
}

/* All columns by the twin at once; false: it cannot. */
static bool add_columns_there(DvMechanics *m, FieldItem *field, const DvStep *step, DvFactors factors,
                              const Columns *columns)
{
    const double k = field_stiffness_factor(field, factors), mass = field_mass_factor(field, factors);
    const bool stiff = field->ops->add_dforce && (k != 0.0 || factors.b != 0.0), heavy = field->mass && mass != 0.0;
    DvTwin *twin = field->twin ? field_twin_of_products(m, field) : NULL;
    DvConstVec dx[DV_MOST_COLUMNS];
    DvVec df[DV_MOST_COLUMNS];
    const bool of_one = field->state_count == 1 || field->states[0] == field->states[1];
    if (!twin || twin->ops->size <= offsetof(DvTwinOps, add_mdx_columns) || !(of_one || field->twin->alone))
        return false;
    const DvTwinOps *ops = twin->ops;
    if ((stiff && !ops->add_dforce_columns && (ops->add_dforce || !field->mass)) || (heavy && !ops->add_mdx_columns))
        return false;
    for (uint32_t i = 0; i < columns->count; i++) {
        StateItem *state = &m->states[field->states[field->twin->side]];
        turn_to(m, columns, i);
        if (!mechanics_fetch(m, state, field->object, field->twin->space->number))
            return true;
        dx[i] = state->x;
        df[i] = state->f;
    }
    if (stiff && ops->add_dforce_columns)
        ops->add_dforce_columns(twin, step, k, factors.b, columns->count, dx, df);
    if (heavy)
        ops->add_mdx_columns(twin, mass, columns->count, dx, df);
    return true;
}

/* Whether sums keep their order when what acts on independent states comes first, for all columns, and then the rest of each. */
static bool can_be_parted(const DvMechanics *m, const Columns *columns, const DvStep *step, DvWalk walk)
{
    for (uint32_t i = 0; i < columns->count; i++)
        if (columns->res[i] == DV_NO_VEC || columns->d[i] == DV_NO_VEC || is_velocity(step, columns->d[i]))
            return false;
    for (uint32_t i = 0; i < m->field_list.count; i++)
        if (walk_takes(field_at(m, i)->below_stop, walk) && reach_of(m, field_at(m, i)) == REACHES_BOTH)
            return false;
    return true;
}

static void add_independent(DvMechanics *m, const DvStep *step, DvFactors factors, const Columns *columns, DvWalk walk)
{
    operation_begin(m, roles_same(DV_NO_VEC, DV_NO_VEC, DV_NO_VEC));
    for (uint32_t i = 0; i < m->field_list.count; i++) {
        FieldItem *field = field_at(m, i);
        if (!walk_takes(field->below_stop, walk) || !mechanics_alive(m, field->object) ||
            reach_of(m, field) != REACHES_INDEPENDENT || add_columns_there(m, field, step, factors, columns))
            continue;
        for (uint32_t k = 0; k < columns->count; k++) {
            turn_to(m, columns, k);
            add_product_of(m, field, step, factors);
        }
    }
    operation_end(m);
}

void operation_add_mbk_columns(DvMechanics *m, const DvStep *step, DvFactors factors, uint32_t columns,
                               const DvVecId *res, const DvVecId *d, DvWalk walk)
{
    mechanics_update(m);
    for (uint32_t first = 0; first < columns; first += DV_MOST_COLUMNS) {
        const uint32_t rest = columns - first;
        const Columns some = {rest < DV_MOST_COLUMNS ? rest : DV_MOST_COLUMNS, res + first, d + first};
        const bool parted = can_be_parted(m, &some, step, walk);
        if (parted)
            add_independent(m, step, factors, &some, walk);
        for (uint32_t i = 0; i < some.count; i++)
            add_mbk(m, step, factors, some.res[i], some.d[i], walk, parted);
    }
}
