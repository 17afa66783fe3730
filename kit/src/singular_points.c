/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which points of which states make a matrix singular, said with what is known of them.
 */
#include <divan/contracts/topology.h>
#include <divan/divan.h>
#include <divan/kit/linear_solver.h>
#include <divan/memory.h>
#include <divan/worst.h>

#include <math.h>
#include <string.h>

/* A state among the unknowns. */
typedef struct Part {
    DvStateRef state;
    size_t begin; /* its first unknown */
} Part;

static uint32_t list_parts(const DvMechanicalOperationsOps *ops, DvMechanics *m, Part **parts)
{
    const uint32_t count = ops->states(m, DV_STATES_INDEPENDENT, NULL, 0);
    DvObject **states = dv_step_alloc(count, sizeof *states);
    *parts = dv_step_alloc(count, sizeof **parts);
    (void)ops->states(m, DV_STATES_INDEPENDENT, states, count);
    for (uint32_t i = 0; i < count; i++)
        (*parts)[i] = (Part){dv_state_ref(states[i]), ops->offset(m, states[i])};
    return count;
}

/* The path of the state and the point of an unknown: "point 3 of '/Liver/dofs'". */
static void name_point(const DvMechanicalOperationsOps *ops, DvMechanics *m, size_t unknown, DvText *text)
{
    const DvStepMark mark = dv_step_mark();
    Part *parts;
    for (uint32_t i = list_parts(ops, m, &parts); i-- > 0;) {
        const size_t numbers = (size_t)dv_state_count(parts[i].state) * parts[i].state.dof->deriv;
        if (unknown - parts[i].begin < numbers)
            dv_text_add(text, "point %zu of '%s'", (unknown - parts[i].begin) / parts[i].state.dof->deriv,
                        dv_object_path(parts[i].state.object));
    }
    dv_step_release(mark);
}

/* Whether a scalar row has no entry but zeros. */
static bool is_zero(const DvBlockMatrix *a, size_t unknown)
{
    const size_t b = a->block, row = unknown / b, k = unknown % b;
    if (row >= a->rows)
        return false;
    for (uint32_t slot = a->row_start[row]; slot < a->row_start[row + 1]; slot++)
        for (size_t c = 0; c < b; c++)
            if (a->values[((size_t)slot * b + k) * b + c] != 0.0) /* one that is no number is not zero either */
                return false;
    return true;
}

/* For each point whether an element of the topology of its state uses it; NULL: there are no elements, or they are of other points. */
static bool *points_of_elements(DvStateRef state)
{
    DvObject *object = dv_node_context(dv_object_node(state.object), DV_TOPOLOGY);
    const DvTopologyOps *ops = object ? dv_object_ops(object, DV_TOPOLOGY) : NULL;
    const uint32_t points = dv_state_count(state);
    if (!ops || !dv_object_is_valid(object) || ops->point_count(dv_object_self(object)) != points)
        return NULL;
    bool *used = dv_step_alloc(points, sizeof *used), any = false;
    memset(used, 0, points * sizeof *used);
    for (DvElementKind kind = DV_EDGES; kind < DV_ELEMENT_KINDS; kind++) {
        const DvElements elements = ops->elements(dv_object_self(object), kind);
        const size_t nodes = (size_t)elements.count * dv_element_nodes(kind);
        for (size_t i = 0; i < nodes; i++)
            if (elements.at[i] < points)
                used[elements.at[i]] = any = true;
    }
    return any ? used : NULL;
}

/* The first scalar row that has an entry which is not finite; SIZE_MAX: none has. */
static size_t first_not_finite(const DvBlockMatrix *a)
{
    const size_t b = a->block;
    for (uint32_t row = 0; row < a->rows; row++)
        for (size_t i = (size_t)a->row_start[row] * b * b; i < (size_t)a->row_start[row + 1] * b * b; i++)
            if (!isfinite(a->values[i]))
                return row * b + i / b % b;
    return SIZE_MAX;
}

typedef struct Found {
    uint32_t points, unused; /* whose rows are zero; of these, that no element uses */
    uint32_t states;         /* that have some */
    DvText names;
} Found;

/* The points of a state that have a row of zeros. */
static void look_at(Found *found, const DvBlockMatrix *a, const Part *part)
{
    const uint32_t deriv = part->state.dof->deriv, count = dv_state_count(part->state);
    DvWorst zero = {0};
    char list[DV_WORST_TEXT];
    const bool *used = NULL;
    for (uint32_t point = 0; point < count; point++) {
        bool is = false;
        for (uint32_t c = 0; c < deriv && !is; c++)
            is = is_zero(a, part->begin + (size_t)point * deriv + c);
        if (!is)
            continue;
        if (zero.count == 0)
            used = points_of_elements(part->state);
        dv_worst_add(&zero, point, 0.0);
        found->unused += used && !used[point] ? 1 : 0;
    }
    if (zero.count == 0)
        return;
    found->points += zero.count;
    if (found->states++ >= DV_WORST_KEPT)
        return;
    dv_text_add(&found->names, "%s%s %s of '%s'", found->names.length ? ", " : "", zero.count == 1 ? "point" : "points",
                dv_worst_text(&zero, list), dv_object_path(part->state.object));
}

DvStatus dv_linear_solver_refuse_singular(const DvLinearSolver *base, const DvBlockMatrix *a, uint32_t failed)
{
    const DvObject *solver = dv_object_of(base);
    const DvMechanicalOperationsOps *ops = base->ops;
    DvMechanics *m = base->m;
    const DvStepMark mark = dv_step_mark();
    Part *parts;
    Found found = {0};
    const uint32_t count = list_parts(ops, m, &parts);
    for (uint32_t i = 0; i < count; i++)
        look_at(&found, a, &parts[i]);
    const size_t lost = found.points == 0 ? first_not_finite(a) : SIZE_MAX;
    DvStatus status;
    if (lost != SIZE_MAX) {
        name_point(ops, m, lost, &found.names);
        status = dv_error(
            solver, DV_ERROR_NOT_FINITE,
            "the matrix is not finite: a coupling of %s is beyond all numbers; look at what acts there, or use a "
            "smaller dt",
            found.names.at ? found.names.at : "an unknown of no state");
    } else if (found.points == 0) {
        name_point(ops, m, failed, &found.names);
        status = dv_error(solver, DV_ERROR_SINGULAR,
                          "the matrix is singular: the pivot of %s is zero or not a number. Give every point mass or "
                          "stiffness, and hold bodies that nothing else holds",
                          found.names.at ? found.names.at : "an unknown of no state");
    } else {
        if (found.states > DV_WORST_KEPT)
            dv_text_add(&found.names, " and others of %u more states", found.states - DV_WORST_KEPT);
        char unused[64] = "No element uses it";
        if (found.points > 1 && found.unused == found.points)
            (void)snprintf(unused, sizeof unused, "No element uses them");
        else if (found.points > 1)
            (void)snprintf(unused, sizeof unused, "No element uses %u of them", found.unused);
        status = dv_error(
            solver, DV_ERROR_SINGULAR, "the matrix is singular: %u %s mass nor stiffness in some direction: %s. %s%s%s",
            found.points, found.points == 1 ? "point has neither" : "points have neither", found.names.at,
            found.unused ? unused : "",
            found.unused
                ? ": leave such points out (of position, or by onlyAttachedPoints=\"1\" where a loader reads them), or give them mass"
                : "Give every point mass or stiffness",
            found.unused ? "" : ", and hold bodies that nothing else holds");
    }
    dv_text_free(&found.names);
    dv_step_release(mark);
    return status;
}

DvStatus dv_linear_solver_refuse_indefinite(const DvLinearSolver *base, uint32_t failed, const char *instead)
{
    const DvStepMark mark = dv_step_mark();
    DvText name = {0};
    name_point(base->ops, base->m, failed, &name);
    const DvStatus status = dv_error(
        dv_object_of(base), DV_ERROR_INVALID,
        "the matrix is not positive definite: the pivot of %s is negative, which happens when a body is compressed "
        "until it buckles. Use a smaller dt, or %s, which does not need that",
        name.at ? name.at : "an unknown of no state", instead);
    dv_text_free(&name);
    dv_step_release(mark);
    return status;
}
