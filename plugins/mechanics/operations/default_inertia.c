/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Before the first step: rigid bodies that can turn, and whose inertia is 1 m^2 per kg because nobody gave one.
 */
#include <math.h>
#include <stdio.h>

#include <divan/contracts/solver.h>
#include <divan/memory.h>

#include "mass/body_shape.h"
#include "mechanics.h"

/* What constraints leave of unit derivatives, the angular ones (or all) of every point: whether anything. */
static bool is_free(const DvMechanics *m, uint32_t state, bool angular)
{
    const DvStateRef s = m->states[state].ref;
    const uint32_t points = state_count(s), dim = s.dof->deriv;
    const size_t numbers = (size_t)points * dim;
    double *unit = dv_alloc(numbers, sizeof *unit);
    for (size_t i = 0; i < numbers; i++)
        unit[i] = !angular || i % dim >= s.dof->spatial ? 1.0 : 0.0;
    const DvStep step = {
        .time = dv_node_time(m->node), .dt = dv_node_dt(m->node), .position = DV_POSITION, .velocity = DV_VELOCITY};
    const DvVec vector = {unit, points, dim};
    for (uint32_t i = 0; i < m->constraint_list.count; i++) {
        const ConstraintItem *constraint = constraint_at(m, i);
        if (constraint->state_count == 1 && constraint->states[0] == state && constraint->ops->space == DV_HOST)
            constraint->ops->project_response(constraint->self, &step, &vector);
    }
    bool left = false;
    for (size_t i = 0; i < numbers; i++)
        left |= (!angular || i % dim >= s.dof->spatial) && fabs(unit[i]) > 1e-9;
    dv_free(unit);
    return left;
}

static bool has_solver(const DvObject *state)
{
    const DvNode *node = dv_object_node(state);
    return node && dv_node_find(node, DV_ODE_SOLVER, DV_SEARCH_UP) != NULL;
}

/* Whether anything that a state hangs on can move, or the state itself turn. */
static bool can_turn(const DvMechanics *m, uint32_t state, bool angular)
{
    if (m->states[state].kind == STATE_INDEPENDENT)
        return has_solver(m->states[state].ref.object) && is_free(m, state, angular);
    for (uint32_t i = 0; i < m->mapping_list.count; i++) {
        const MappingItem *mapping = mapping_at(m, i);
        for (uint32_t k = 0; k < mapping->outputs; k++)
            for (uint32_t n = 0; mapping_outputs_of(mapping)[k] == state && n < mapping->inputs; n++)
                if (mapping_inputs_of(mapping)[n] != state && can_turn(m, mapping_inputs_of(mapping)[n], false))
                    return true;
    }
    return false;
}

size_t default_inertia_lint(const DvMechanics *m)
{
    size_t problems = 0;
    for (uint32_t i = 0; i < m->mass_list.count; i++) {
        const FieldItem *item = mass_at(m, i);
        const DefaultInertiaOps *ops = dv_object_ops(item->object, DEFAULT_INERTIA);
        double mass = 0.0;
        const uint32_t bodies = ops ? ops->bodies(item->self, &mass) : 0;
        if (bodies == 0 || !can_turn(m, item->states[0], true))
            continue;
        const bool plane = m->states[item->states[0]].ref.dof != &dv_rigid3d;
        char many[32] = "the body";
        if (bodies > 1)
            (void)snprintf(many, sizeof many, "each of %u bodies", bodies);
        dv_warning(
            item->object,
            "no inertia is given: %s of %g kg has the default of 1 m^2 per kg, %g kg m^2, as a %s of %s m would; "
            "give the edges of its box, such as extents=\"%s\", or vertexMass=\"%g 1 %s\" with the inertia over "
            "the mass",
            many, mass, mass, plane ? "square" : "cube", "2.45", plane ? "0.05 0.05 0" : "0.05 0.05 0.05", mass,
            plane ? "0.000416667" : "[0.000416667 0 0, 0 0.000416667 0, 0 0 0.000416667]");
        problems++;
    }
    return problems;
}
