/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Before the first step: rigid bodies that can turn, and whose inertia is 1 m^2 per kg because nobody gave one.
 */
#include <math.h>
#include <stdio.h>

#include <divan/contracts/solver.h>
#include <divan/log.h>
#include <divan/memory.h>
#include <divan/worst.h>

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

/* Masses of bodies whose inertia nobody gave; of the first one what is told of it. */
typedef struct Found {
    uint32_t masses, bodies, others; /* all masses, bodies of the first one, and of those behind it */
    double mass;
    bool plane;
    DvObject *first;
    DvText behind; /* paths of up to three masses behind the first one */
} Found;

static Found find_default_inertia(const DvMechanics *m)
{
    Found found = {0};
    for (uint32_t i = 0; i < m->mass_list.count; i++) {
        const FieldItem *item = mass_at(m, i);
        const DefaultInertiaOps *ops = dv_object_ops(item->object, DEFAULT_INERTIA);
        double mass = 0.0;
        const uint32_t bodies = ops ? ops->bodies(item->self, &mass) : 0;
        if (bodies == 0 || !can_turn(m, item->states[0], true))
            continue;
        if (found.masses++ == 0) {
            found.first = item->object;
            found.bodies = bodies;
            found.mass = mass;
            found.plane = m->states[item->states[0]].ref.dof != &dv_rigid3d;
            continue;
        }
        found.others += bodies;
        if (found.masses <= DV_WORST_KEPT + 1)
            dv_text_add(&found.behind, "%s'%s'", found.masses > 2 ? ", " : "", dv_object_path(item->object));
    }
    return found;
}

size_t default_inertia_lint(const DvMechanics *m)
{
    Found found = find_default_inertia(m);
    if (found.masses == 0)
        return 0;
    char many[32] = "the body";
    if (found.bodies > 1)
        (void)snprintf(many, sizeof many, "each of %u bodies", found.bodies);
    DvText more = {0};
    if (found.masses > 1)
        dv_text_add(&more, "; the same holds for %u bod%s of %u more mass%s: %s%s", found.others,
                    found.others == 1 ? "y" : "ies", found.masses - 1, found.masses == 2 ? "" : "es", found.behind.at,
                    found.masses > DV_WORST_KEPT + 1 ? ", ..." : "");
    dv_warning(found.first,
               "no inertia is given: %s of %g kg has the default of 1 m^2 per kg, %g kg m^2, as a %s of %s m would; "
               "give the edges of its box, such as extents=\"%s\", or vertexMass=\"%g 1 %s\" with the inertia over "
               "the mass%s",
               many, found.mass, found.mass, found.plane ? "square" : "cube", "2.45",
               found.plane ? "0.05 0.05 0" : "0.05 0.05 0.05", found.mass,
               found.plane ? "0.000416667" : "[0.000416667 0 0, 0 0.000416667 0, 0 0 0.000416667]",
               more.at ? more.at : "");
    dv_text_free(&more);
    dv_text_free(&found.behind);
    return 1;
}
