/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The service divan.mechanical-operations/1: what solvers ask of all states, forces and mappings below a node.
 *
 * Two walks. VISITOR does not go below a mapping that does not map forces, knows one mapping per node, and projects residuals
 * from the last node to the first; WHOLE takes every mapping and asks constraints in order. Both ask force fields in the order
 * of the document and mappings from parents to children, and back for forces.
 *
 * Forces on mapped states are in their DV_FORCE. A product uses DV_DX and DV_DFORCE there; what no force acts on is not
 * visited at all.
 */
#include "operations.h"

#include <string.h>

#include <divan/memory.h>

#include "operations_private.h"
#include "twins.h"

SceneMechanics *mechanics_of_scene(const DvNode *node)
{
    static const char key = 0;
    return dv_scene_local(dv_node_scene(node), &key, sizeof(SceneMechanics));
}

static DvMechanics *open_at(DvNode *node)
{
    DvMechanics *m = dv_alloc(1, sizeof *m);
    m->node = node;
    m->graph = dv_node_revision_at(node);
    m->scene = mechanics_of_scene(node);
    m->next = m->scene->open;
    m->scene->open = m;
    (void)dv_object_ref(dv_node_object(node));
    return m;
}

static void close(DvMechanics *m)
{
    if (!m)
        return;
    for (DvVecId id = DV_FIRST_FREE_VEC; id < FIRST_SCRATCH_VEC; id++)
        if (m->allocated[id])
            operation_release(m, id);
    for (DvMechanics **at = &m->scene->open; *at; at = &(*at)->next)
        if (*at == m) {
            *at = m->next;
            break;
        }
    DvNode *node = m->node;
    mechanics_forget(m);
    dv_free(m);
    dv_object_unref(dv_node_object(node));
}

/* ---- Steps ---- */

static void compute_acceleration(DvMechanics *m, const DvStep *step, DvVecId a)
{
    operation_project_position(m, step, step->position);
    operation_project_velocity(m, step, step->velocity);
    operation_propagate(m, step, step->position);
    operation_propagate(m, step, step->velocity);
    operation_compute_force(m, step, DV_FORCE, DV_WALK_VISITOR);
    operation_acceleration_from_force(m, a, DV_FORCE);
    operation_project_response(m, step, a, DV_WALK_VISITOR);
}

static void begin_integration(DvMechanics *m, double dt)
{
    (void)dt;
    mechanics_update(m);
}

static void end_integration(DvMechanics *m)
{
    mechanics_update(m);
    for (uint32_t i = 0; i < m->state_list.count; i++)
        if (state_at(m, i)->kind != STATE_EXTERNAL && state_has(state_at(m, i)->ref, DV_EXTERNAL_FORCE))
            state_at(m, i)->ref.ops->release(state_at(m, i)->ref.self, DV_EXTERNAL_FORCE);
}

static const DvBlockMatrix *assemble(DvMechanics *m, const DvStep *step, DvFactors factors, uint32_t parts)
{
    mechanics_update(m);
    for (uint32_t i = 0; i < m->field_list.count && m->elsewhere; i++)
        field_catch_up(m, field_at(m, i), step);
    mappings_catch_up(m, step);
    return assembly_run(m, step, factors, parts);
}

static bool prefers_assembled(DvMechanics *m, uint32_t products)
{
    mechanics_update(m);
    return assembly_is_preferred(m, products);
}

/* ---- Energies ---- */

static double kinetic_energy(DvMechanics *m)
{
    operation_begin(m, (Roles){{DV_VELOCITY, DV_VELOCITY, DV_VELOCITY},
                               {DV_NO_VEC, DV_NO_VEC, DV_NO_VEC},
                               {DV_NO_VEC, DV_NO_VEC, DV_NO_VEC}});
    double energy = 0.0;
    for (uint32_t i = 0; i < m->mass_list.count; i++) {
        const FieldItem *mass = mass_at(m, i);
        StateItem *state = &m->states[mass->states[0]];
        if (mass->mass->kinetic_energy && !mass->below_stop &&
            mechanics_fetch(m, state, mass->object, mass->mass->space))
            energy += mass->mass->kinetic_energy(mass->self, state->x);
    }
    operation_end(m);
    return energy;
}

static double potential_energy(DvMechanics *m)
{
    const DvStep step = {
        .time = dv_node_time(m->node), .dt = dv_node_dt(m->node), .position = DV_POSITION, .velocity = DV_VELOCITY};
    operation_begin(m, roles_same(DV_POSITION, DV_NO_VEC, DV_NO_VEC));
    double energy = 0.0;
    for (uint32_t i = 0; i < m->field_list.count; i++) {
        FieldItem *field = field_at(m, i);
        DvConstVec x[2];
        field_catch_up(m, field, &step);
        if (field->ops->energy && !field->below_stop &&
            states_give_x(m, field->object, field->states, field->state_count, field->ops->space, x))
            energy += field->ops->energy(field->self, &step, x);
    }
    operation_end(m);
    return energy;
}

static void momentum(DvMechanics *m, double sum[6])
{
    operation_begin(m, roles_same(DV_POSITION, DV_VELOCITY, DV_NO_VEC));
    memset(sum, 0, 6 * sizeof *sum);
    for (uint32_t i = 0; i < m->mass_list.count; i++) {
        const FieldItem *mass = mass_at(m, i);
        StateItem *state = &m->states[mass->states[0]];
        if (mass->mass->momentum && !mass->below_stop && mechanics_fetch(m, state, mass->object, mass->mass->space))
            mass->mass->momentum(mass->self, state->x, state->v, sum);
    }
    operation_end(m);
}

static void list_one(DvObject **objects, uint32_t capacity, uint32_t *count, DvObject *object)
{
    if (*count < capacity)
        objects[*count] = object;
    ++*count;
}

static uint32_t list_unsymmetric(DvMechanics *m, DvObject **objects, uint32_t capacity)
{
    uint32_t count = 0;
    mechanics_update(m);
    for (uint32_t i = 0; i < m->field_list.count; i++) {
        const FieldItem *field = field_at(m, i);
        if (!field->below_stop && field->ops->symmetry && field->ops->symmetry(field->self) != DV_SYMMETRIC)
            list_one(objects, capacity, &count, field->object);
    }
    for (uint32_t i = 0; i < m->mapping_list.count; i++) {
        const MappingItem *mapping = mapping_at(m, i);
        if (mapping->loads && mapping->ops->symmetry && mapping->ops->symmetry(mapping->self) != DV_SYMMETRIC)
            list_one(objects, capacity, &count, mapping->object);
    }
    return count;
}

const DvMechanicalOperationsOps dv_mechanical_operations = {
    .size = sizeof(DvMechanicalOperationsOps),
    .open = open_at,
    .close = close,
    .allocate = operation_allocate,
    .release = operation_release,
    .clear = operation_clear,
    .combine = operation_combine,
    .dot = operation_dot,
    .threshold = operation_threshold,
    .unknowns = operation_unknowns,
    .gather = operation_gather,
    .scatter = operation_scatter,
    .compute_force = operation_compute_force,
    .add_mbk = operation_add_mbk,
    .add_mbk_columns = operation_add_mbk_columns,
    .add_mdx = operation_add_mdx,
    .acceleration_from_force = operation_acceleration_from_force,
    .mass_kind = operation_mass_kind,
    .project_response = operation_project_response,
    .project_position = operation_project_position,
    .project_velocity = operation_project_velocity,
    .propagate_position = operation_propagate,
    .propagate_velocity = operation_propagate,
    .compute_acceleration = compute_acceleration,
    .add_separate_gravity = operation_add_separate_gravity,
    .implicit_turn = operation_implicit_turn,
    .interaction_forces_to_external = operation_interaction_forces_to_external,
    .begin_integration = begin_integration,
    .end_integration = end_integration,
    .assemble = assemble,
    .prefers_assembled = prefers_assembled,
    .states = operation_list_states,
    .offset = operation_offset,
    .clear_states = operation_clear_states,
    .combine_states = operation_combine_states,
    .project_rows = operation_project_rows,
    .kinetic_energy = kinetic_energy,
    .potential_energy = potential_energy,
    .momentum = momentum,
    .scratch = operation_scratch,
    .unsymmetric = list_unsymmetric,
    .storage = operation_storage,
    .dot_to = operation_dot_to,
    .combine_by = operation_combine_by,
    .add_diagonal = operation_add_diagonal,
};
