/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "twins.h"

#include <divan/memory.h>
#include <divan/plugin.h>

#include "operations_private.h"

static void forget_twin(TwinItem *item)
{
    if (item->twin)
        item->twin->ops->free(item->twin);
    item->twin = NULL;
}

static void forget(TwinItem *item)
{
    forget_twin(item);
    item->asked = item->told = item->behind = item->applied = false;
}

/* Where the states are: the storage that all have, or that of one of two, whose side its component can name. */
static TwinItem place_of(DvObject *const *states, uint32_t count, TwinItem item)
{
    DvStorage storage = {NULL, DV_DOUBLE};
    bool same = true;
    uint32_t there = 0;
    item.counted = NULL;
    item.side = 0;
    for (uint32_t i = 0; i < count; i++) {
        const DvStorage other = dv_state_storage(dv_state_ref(states[i]));
        same = same && (i == 0 || (storage.space == other.space && storage.precision == other.precision));
        storage = same || other.space ? other : storage;
        if (!other.space)
            continue;
        there++;
        item.counted = other.space;
        item.travels = states[i];
        item.side = i;
    }
    item.alone = !same && count == 2 && there == 1 && item.of_side && item.ops;
    item.side = item.alone ? item.side : 0;
    item.space = same || item.alone ? storage.space : NULL;
    item.precision = storage.precision;
    return item;
}

TwinItem *twin_place(SceneMechanics *scene, DvObject *object, DvObject *const *states, uint32_t count)
{
    const TwinItem place = place_of(states, count,
                                    (TwinItem){.object = object,
                                               .ops = dv_object_ops(object, DV_OPERATOR),
                                               .of_side = dv_object_ops(object, DV_OPERATOR_OF_SIDE)});
    if (!place.counted)
        return NULL;
    TwinItem *item = scene->twins;
    while (item && item->object != object)
        item = item->next;
    if (!item) {
        item = dv_alloc(1, sizeof *item);
        *item = place;
        item->next = scene->twins;
        scene->twins = item;
    } else if (item->space != place.space || item->precision != place.precision || item->alone != place.alone ||
               item->side != place.side) {
        forget(item);
    }
    item->space = place.space;
    item->counted = place.counted;
    item->travels = place.travels;
    item->precision = place.precision;
    item->alone = place.alone;
    item->side = place.side;
    item->users++;
    return item;
}

void twin_leave(SceneMechanics *scene, TwinItem **at)
{
    TwinItem *item = *at, **link = &scene->twins;
    *at = NULL;
    if (!item || --item->users)
        return;
    forget(item);
    while (*link != item)
        link = &(*link)->next;
    *link = item->next;
    dv_free(item);
}

void twins_forget_all(DvMechanics *m)
{
    for (uint32_t i = 0; i < m->field_list.count; i++) {
        twin_leave(m->scene, &field_at(m, i)->twin);
    }
    for (uint32_t i = 0; i < m->mapping_list.count; i++) {
        twin_leave(m->scene, &mapping_at(m, i)->twin);
    }
    for (uint32_t i = 0; i < m->constraint_list.count; i++) {
        constraint_leave_twin(m->scene, constraint_at(m, i));
    }
}

/* ---- What moves ---- */

DvSpaceCounts twin_begin(const TwinItem *item)
{
    if (!item)
        return (DvSpaceCounts){0};
    twin_range(item);
    return *item->counted->ops->counts(item->counted);
}

void twin_end(TwinItem *item, const DvSpaceCounts *before)
{
    if (!item)
        return;
    const DvSpaceCounts *now = item->counted->ops->counts(item->counted);
    item->put += now->bytes_put - before->bytes_put;
    item->got += now->bytes_got - before->bytes_got;
    item->waits += now->waits - before->waits;
    twin_range_end(item);
}

static uint32_t shares(DvScene *scene, DvDeviceShare *shares, uint32_t capacity)
{
    uint32_t count = 0;
    for (const TwinItem *item = mechanics_of_scene(dv_scene_root(scene))->twins; item; item = item->next) {
        if (count < capacity)
            shares[count] = (DvDeviceShare){item->object, item->put, item->got, item->waits, item->twin != NULL};
        count++;
    }
    return count;
}

const DvDeviceUseOps dv_device_use = {.size = sizeof(DvDeviceUseOps), .shares = shares};

/* ---- The twin of an operator ---- */

/* Once, as long as its states are where they are. */
static void tell(TwinItem *item, const DvObject *object, const DvObject *state, const char *why)
{
    if (item->told)
        return;
    item->told = true;
    dv_remark(object, "acts on the host, and the vectors of '%s' travel for it: %s", dv_object_path(state), why);
}

static DvTwin *make(const TwinItem *item, const DvDofType *const dof[2], uint32_t states, const DvOperator *op,
                    DvText *why)
{
    const void *services[DV_MOST_SPACES];
    const size_t count = dv_services(DV_DEVICE_OPERATORS, services, DV_MOST_SPACES);
    DvTwin *twin = NULL;
    for (size_t i = 0; i < count && i < DV_MOST_SPACES && !twin; i++) {
        const DvDeviceOperatorsOps *ops = services[i];
        const bool makes_between = ops->size > offsetof(DvDeviceOperatorsOps, make_between) && ops->make_between;
        if (states == 1)
            twin = ops->make(item->space, item->precision, dof[0], item->points[0], op, why);
        else if (makes_between)
            twin = ops->make_between(item->space, item->precision, dof, item->points, op, why);
    }
    return twin;
}

static void refresh(TwinItem *item, DvObject *object, void *self, const DvStateRef *state, const DvStateRef *to)
{
    DvOperator op = {0};
    DvText why = {0};
    const DvDofType *const dof[2] = {state->dof, to ? to->dof : NULL};
    item->applied = false;
    const DvSpaceCounts before = twin_begin(item);
    if (item->alone)
        item->of_side->describe(self, item->side, &op);
    else
        item->ops->describe(self, &op);
    if (!op.name)
        dv_text_add(&why, "%s", op.why ? op.why : "it has no operator as it is");
    else if (item->twin && !item->twin->ops->update(item->twin, &op, &why))
        forget_twin(item);
    else if (!item->twin)
        item->twin = make(item, dof, to ? 2 : 1, &op, &why);
    if (!op.name)
        forget_twin(item);
    if (!item->twin && dv_space_fault(item->space) == DV_OK) /* else that has been said */
        tell(item, object, state->object, why.at ? why.at : "no plugin has this operator there");
    twin_end(item, &before);
    dv_text_free(&why);
}

DvTwin *twin_find(TwinItem *item, DvObject *object, void *self, const DvStateRef *state, const DvStateRef *to)
{
    const uint32_t points[2] = {state_count(*state), to ? state_count(*to) : 0};
    if (!item->space) {
        tell(item, object, item->travels, "another of its states is on the host");
        return NULL;
    }
    if (!item->ops) {
        tell(item, object, state->object, "the class has no operator");
        return NULL;
    }
    const uint64_t version = item->ops->version(self);
    const bool same = memcmp(points, item->points, sizeof points) == 0;
    if (item->asked && version == item->version && same)
        return item->twin;
    if (!same)
        forget_twin(item);
    item->asked = true;
    item->version = version;
    memcpy(item->points, points, sizeof points);
    refresh(item, object, self, state, to);
    return item->twin;
}

DvTwin *field_twin_of_forces(const DvMechanics *m, FieldItem *field)
{
    TwinItem *item = field->twin;
    DvTwin *twin = item->alone || (item->twin && !item->twin->ops->add_force) ? NULL : field_twin(m, field);
    if (twin && twin->ops->add_force)
        return twin;
    if ((item->alone || twin || item->twin) && field->ops->add_force)
        tell(item, field->object, item->travels, "only its products act there");
    return NULL;
}

DvTwin *field_twin_of_products(const DvMechanics *m, FieldItem *field)
{
    const TwinItem *item = field->twin;
    if (item && item->alone && m->states[field->states[1 - item->side]].kind != STATE_EXTERNAL)
        return NULL;
    return field_twin(m, field);
}

void field_catch_up(DvMechanics *m, FieldItem *field, const DvStep *step)
{
    if (!field->twin || !field->twin->behind || !field->ops->add_force)
        return;
    field->twin->behind = false;
    const DvSpaceCounts before = twin_begin(field->twin);
    DvConstVec x[2], v[2];
    DvVec f[2];
    const DvStepMark mark = dv_step_mark();
    for (uint32_t i = 0; i < field->state_count; i++) {
        const DvStateRef s = m->states[field->states[i]].ref;
        x[i] = dv_state_read(s, step->position);
        v[i] = dv_state_read(s, step->velocity);
        f[i] = (DvVec){dv_step_alloc((size_t)x[i].count * s.dof->deriv, sizeof(double)), x[i].count, s.dof->deriv};
        if (!x[i].at || !v[i].at) {
            twin_end(field->twin, &before);
            dv_step_release(mark);
            return;
        }
        memset(f[i].at, 0, (size_t)x[i].count * s.dof->deriv * sizeof(double));
    }
    field->ops->add_force(field->self, step, x, v, f);
    twin_end(field->twin, &before);
    dv_step_release(mark);
}

/* ---- Mappings ---- */

DvTwin *mapping_twin_now(DvMechanics *m, MappingItem *mapping)
{
    TwinItem *item = mapping->twin;
    const uint32_t *inputs = mapping_inputs_of(mapping);
    bool alike = mapping->outputs == 1 && mapping->inputs > 0;
    for (uint32_t i = 1; i < mapping->inputs; i++)
        alike = alike && m->states[inputs[i]].ref.dof == m->states[inputs[0]].ref.dof;
    if (!alike) {
        tell(item, mapping->object, item->travels,
             "a mapping of states of several kinds, or to several, acts on the host");
        return NULL;
    }
    return twin_find(item, mapping->object, mapping->self, &m->states[inputs[0]].ref,
                     &m->states[*mapping_outputs_of(mapping)].ref);
}

void mapping_take_positions(DvMechanics *m, MappingItem *mapping)
{
    TwinItem *item = mapping->twin;
    const DvStateRef to = m->states[*mapping_outputs_of(mapping)].ref;
    const DvStepMark mark = dv_step_mark();
    DvConstVec *in = dv_step_alloc(mapping->inputs, sizeof *in);
    bool all = true;
    for (uint32_t i = 0; i < mapping->inputs; i++) {
        const DvStateRef from = m->states[mapping_inputs_of(mapping)[i]].ref;
        in[i] = (DvConstVec){state_read(from, DV_POSITION, item->space->number), state_count(from), from.dof->coord};
        all = all && in[i].at;
    }
    const DvVec out = {state_write(to, DV_POSITION, item->space->number, DV_READ_WRITE), state_count(to),
                       to.dof->coord};
    item->applied = true;
    twin_range(item);
    if (all && out.at && item->twin->ops->apply)
        item->twin->ops->apply(item->twin, in, &out);
    twin_range_end(item);
    dv_step_release(mark);
}

void mapping_catch_up(DvMechanics *m, MappingItem *mapping, const DvStep *step)
{
    if (!mapping->twin || !mapping->twin->behind)
        return;
    mapping->twin->behind = false;
    if (!mapping->ops->apply_djt) /* J is the same wherever the inputs are */
        return;
    const DvSpaceCounts before = twin_begin(mapping->twin);
    const DvStepMark mark = dv_step_mark();
    const DvStateRef to = m->states[*mapping_outputs_of(mapping)].ref;
    DvConstVec *in = dv_step_alloc(mapping->inputs, sizeof *in);
    bool all = true;
    for (uint32_t i = 0; i < mapping->inputs; i++) {
        in[i] = dv_state_read(m->states[mapping_inputs_of(mapping)[i]].ref, DV_POSITION);
        all = all && in[i].at;
    }
    const size_t n = (size_t)state_count(to) * to.dof->coord;
    const DvVec out = {dv_step_alloc(n ? n : 1, sizeof(double)), state_count(to), to.dof->coord};
    memset(out.at, 0, (n ? n : 1) * sizeof(double));
    if (all)
        mapping->ops->apply(mapping->self, step, in, &out);
    twin_end(mapping->twin, &before);
    dv_step_release(mark);
}

void mappings_catch_up(DvMechanics *m, const DvStep *step)
{
    for (uint32_t i = 0; i < m->mapping_list.count && m->elsewhere; i++)
        mapping_catch_up(m, mapping_at(m, i), step);
}

/* ---- Projections ---- */

static void forget_fixed(ConstraintItem *constraint)
{
    if (constraint->fixed)
        constraint->twin->space->ops->give(constraint->twin->space, constraint->fixed);
    constraint->fixed = 0;
    constraint->fixed_room = 0;
    constraint->fixed_structure = 0;
}

void constraint_leave_twin(SceneMechanics *scene, ConstraintItem *constraint)
{
    forget_fixed(constraint);
    twin_leave(scene, &constraint->twin);
}

typedef struct Scalars {
    uint32_t *at; /* NULL: they are counted */
    uint32_t count, deriv, points;
} Scalars;

static void list_scalar(void *context, uint32_t state, uint32_t point, uint32_t component)
{
    (void)state;
    Scalars *scalars = context;
    if (point >= scalars->points || component >= scalars->deriv)
        return;
    if (scalars->at)
        scalars->at[scalars->count] = point * scalars->deriv + component;
    scalars->count++;
}

/* Brings the list of what is fixed up to date. */
static bool list_fixed(ConstraintItem *constraint, const DvStep *step, const DvStateRef *state)
{
    DvVectorSpace *space = constraint->twin->space;
    const uint64_t structure =
        1 + state_count(*state) + (constraint->ops->structure ? constraint->ops->structure(constraint->self, step) : 0);
    if (constraint->fixed_structure == structure)
        return true;
    Scalars scalars = {NULL, 0, state->dof->deriv, state_count(*state)};
    constraint->ops->fixed(constraint->self, step, list_scalar, &scalars);
    if (scalars.count > constraint->fixed_room) {
        forget_fixed(constraint);
        constraint->fixed = space->ops->take(space, scalars.count * sizeof(uint32_t));
        if (!constraint->fixed)
            return false;
        constraint->fixed_room = scalars.count;
    }
    scalars.at = dv_alloc(scalars.count, sizeof *scalars.at);
    constraint->fixed_count = scalars.count;
    scalars.count = 0;
    constraint->ops->fixed(constraint->self, step, list_scalar, &scalars);
    if (scalars.count)
        space->ops->put(space, constraint->fixed, scalars.at, scalars.count * sizeof *scalars.at);
    dv_free(scalars.at);
    constraint->fixed_structure = structure;
    return true;
}

bool constraint_clears_alone(const ConstraintItem *constraint)
{
    return constraint->twin && constraint->twin->space && constraint->state_count == 1 && constraint->ops->fixed &&
           !(constraint->ops->leaves_out && constraint->ops->leaves_out(constraint->self));
}

/* The twin of one that `fixed` does not tell all about, or that moves positions; NULL: it acts on the host. */
static DvTwin *constraint_twin(DvMechanics *m, ConstraintItem *constraint)
{
    if (!constraint->twin || constraint->state_count != 1)
        return NULL;
    return twin_find(constraint->twin, constraint->object, constraint->self, &m->states[constraint->states[0]].ref,
                     NULL);
}

/* Whether it can take part in a solve. */
static bool projects_there(DvMechanics *m, ConstraintItem *constraint)
{
    if (constraint_clears_alone(constraint))
        return true;
    const DvTwin *twin = constraint_twin(m, constraint);
    return twin && twin->ops->project_response;
}

static bool project_by_twin(DvMechanics *m, ConstraintItem *constraint, const DvStep *step, DvVecId id, bool position)
{
    DvTwin *twin = constraint_twin(m, constraint);
    void (*project)(DvTwin *, const DvStep *, const DvVec *) = !twin      ? NULL
                                                               : position ? twin->ops->project_position
                                                                          : twin->ops->project_response;
    if (!project)
        return false;
    const DvStateRef state = m->states[constraint->states[0]].ref;
    const DvVec vector = {state_write(state, id, constraint->twin->space->number, DV_READ_WRITE), state_count(state),
                          position ? state.dof->coord : state.dof->deriv};
    twin_range(constraint->twin);
    if (vector.at)
        project(twin, step, &vector);
    twin_range_end(constraint->twin);
    return vector.at != NULL;
}

bool project_position_there(DvMechanics *m, ConstraintItem *constraint, const DvStep *step, DvVecId x)
{
    return project_by_twin(m, constraint, step, x, true);
}

bool project_there(DvMechanics *m, ConstraintItem *constraint, const DvStep *step, DvVecId d)
{
    const DvStateRef state = m->states[constraint->states[0]].ref;
    DvVectorSpace *space = constraint->twin->space;
    if (!constraint_clears_alone(constraint))
        return project_by_twin(m, constraint, step, d, false);
    if (!list_fixed(constraint, step, &state))
        return false;
    double *at = state_write(state, d, space->number, DV_READ_WRITE);
    if (at && constraint->fixed_count)
        space->ops->clear_listed(space, dv_vector_as_address(at), constraint->twin->precision, constraint->fixed,
                                 constraint->fixed_count);
    return at != NULL;
}

bool leaves_velocities_there(DvMechanics *m, ConstraintItem *constraint, bool *projects)
{
    *projects = false;
    if (!constraint->twin->ops || !projects_there(m, constraint))
        return false;
    DvOperator op = {0};
    constraint->twin->ops->describe(constraint->self, &op);
    const DvOperatorPart *velocities = op.name ? dv_operator_part(&op, "velocities") : NULL;
    if (!velocities)
        return false;
    *projects = velocities->index[0] != 0;
    return true;
}

/* ---- Solves that stay ---- */

static bool acts_there(const DvMechanics *m, FieldItem *field)
{
    const bool acts = field->ops->add_dforce || field->mass;
    if (!acts)
        return true;
    DvTwin *twin = field_twin_of_products(m, field);
    return twin && (!field->mass || twin->ops->add_mdx) &&
           (!field->ops->add_dforce || field->mass || twin->ops->add_dforce);
}

/* Whether products go through a mapping there. */
static bool maps_there(DvMechanics *m, MappingItem *mapping)
{
    if (!mapping->loads && !mapping->constrained && !m->external_on_mapped)
        return true;
    const DvTwin *twin = mapping->constrained ? NULL : mapping_twin(m, mapping);
    return twin && twin->ops->apply_j && twin->ops->apply_jt;
}

DvStorage operation_storage(DvMechanics *m)
{
    const DvStorage none = {NULL, DV_DOUBLE};
    mechanics_update(m);
    if (m->independent.count == 0)
        return none;
    const DvStorage storage = dv_state_storage(independent_at(m, 0)->ref);
    if (dv_space_fault(storage.space) != DV_OK) /* there is nothing to be solved any more */
        return storage;
    for (uint32_t i = 0; i < m->independent.count && storage.space; i++) {
        const DvStorage other = dv_state_storage(independent_at(m, i)->ref);
        if (other.space != storage.space || other.precision != storage.precision)
            return none;
    }
    for (uint32_t i = 0; i < m->mapping_list.count && storage.space; i++)
        if (!maps_there(m, mapping_at(m, i)))
            return none;
    for (uint32_t i = 0; i < m->field_list.count && storage.space; i++)
        if (!field_at(m, i)->below_stop && !acts_there(m, field_at(m, i)))
            return none;
    for (uint32_t i = 0; i < m->constraint_list.count && storage.space; i++)
        if (!projects_there(m, constraint_at(m, i)))
            return none;
    return storage;
}

static DvAddress address_of(const DvStateRef s, DvVecId id, DvSpace space)
{
    return id == DV_NO_VEC ? 0 : dv_vector_as_address(state_read(s, id, space));
}

void operation_dot_to(DvMechanics *m, uint32_t slot, DvVecId a, DvVecId b)
{
    mechanics_update(m);
    for (uint32_t i = 0; i < m->independent.count; i++) {
        const DvStateRef s = independent_at(m, i)->ref;
        const DvStorage storage = dv_state_storage(s);
        const DvAddress x = address_of(s, a, storage.space->number), y = address_of(s, b, storage.space->number);
        storage.space->ops->dot(storage.space, slot, i > 0, x, y, storage.precision,
                                x && y ? (size_t)state_count(s) * s.dof->deriv : 0);
    }
}

void operation_combine_by(DvMechanics *m, DvVecId r, DvVecId a, DvVecId b, uint32_t slot, double factor)
{
    mechanics_update(m);
    for (uint32_t i = 0; i < m->independent.count; i++) {
        const DvStateRef s = independent_at(m, i)->ref;
        const DvStorage storage = dv_state_storage(s);
        const DvSpace number = storage.space->number;
        const DvAddress x = address_of(s, a, number), y = address_of(s, b, number);
        double *to = state_write(s, r, number, r == a || r == b ? DV_READ_WRITE : DV_OVERWRITE);
        if (to && state_count(s))
            storage.space->ops->combine_by(storage.space, dv_vector_as_address(to), x, y, storage.precision,
                                           (size_t)state_count(s) * s.dof->deriv, slot, factor);
    }
}
