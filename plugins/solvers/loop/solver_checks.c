/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "solver_checks.h"

#include "system/linear_system.h"

#include <divan/contracts/lagrangian_constraint.h>
#include <divan/divan.h>
#include <divan/visitor.h>

/* ---- Several ODE solvers in a node ---- */

/* Whether it integrates, and does not only change velocities in passing. One that does not say so is taken to integrate. */
static bool integrates(const DvObject *solver)
{
    const DvOdeSolverOps *ops = dv_object_ops(solver, DV_ODE_SOLVER);
    return !ops->velocity_factor || ops->velocity_factor(dv_object_self(solver), 1.0) != 0.0;
}

/* The first of `count` that integrates, from place `from` on; NULL: none. */
static DvObject *next_integrator(DvObject *const *solvers, size_t count, size_t *from)
{
    while (*from < count && !(dv_object_is_valid(solvers[*from]) && integrates(solvers[*from])))
        ++*from;
    return *from < count ? solvers[(*from)++] : NULL;
}

static void tell_of_several_integrators(const DvObject *loop, const DvNode *node, SolversOfNode taken)
{
    const DvStepMark mark = dv_step_mark();
    size_t count, at = 0;
    DvObject **solvers = dv_find_all(node, DV_ODE_SOLVER, DV_SEARCH_LOCAL, &count);
    const DvObject *first = next_integrator(solvers, count, &at), *other;
    uint32_t others = 0;
    const DvObject *second = other = next_integrator(solvers, count, &at);
    for (; other; other = next_integrator(solvers, count, &at))
        others++;
    if (others > 0 && taken == SOLVERS_FIRST)
        dv_warning(second, "has no effect: %s takes the first ODE solver of a node, '%s'; leave one of them out",
                   dv_object_class(loop)->name, dv_object_name(first));
    else if (others > 0 && taken == SOLVERS_LAST)
        dv_warning(
            second,
            "moves what %s '%s' of its node moves too: in a free motion the result of the last one counts and replaces "
            "those before; leave all but one of them out",
            dv_object_class(first)->name, dv_object_name(first));
    else if (others > 0)
        dv_warning(
            second,
            "moves what %s '%s' of its node moves too: each of the %u makes the whole of a step, one after the other, so "
            "that bodies move and fall %u times as fast; leave all but one of them out",
            dv_object_class(first)->name, dv_object_name(first), others + 1, others + 1);
    dv_step_release(mark);
}

/* ---- Linear solvers that nobody asks ---- */

typedef struct Search {
    const DvObject *wanted;
    bool found;
} Search;

static bool leads_to(const DvData *field, const DvObject *wanted)
{
    const DvLink *link = (const DvLink *)field;
    for (size_t i = 0; field->type == &dv_type_link && i < link->count; i++)
        if (link->objects[i] == wanted)
            return true;
    return false;
}

static DvVisit look_for_link(DvNode *node, void *context)
{
    Search *search = context;
    const DvObject *object;
    for (size_t i = 0; !search->found && (object = dv_node_member(node, i)); i++)
        for (size_t f = 0; f < dv_object_field_count(object) && !search->found; f++)
            search->found = leads_to(dv_object_field_at(object, f), search->wanted);
    return search->found ? DV_VISIT_PRUNE : DV_VISIT_CONTINUE;
}

static bool is_linked(const DvObject *object)
{
    Search search = {.wanted = object};
    dv_visit(dv_node_root(dv_object_node(object)),
             &(const DvVisitor){.top_down = look_for_link, .enters_sleeping = true}, &search);
    return search.found;
}

static bool has_tags(const DvObject *object)
{
    DvData *tags = dv_object_field(object, "tags");
    size_t count = 0;
    if (tags)
        (void)dv_data_strings(tags, &count);
    return count > 0;
}

/* A constraint correction takes the first linear solver of its node, another ODE solver that of its own. */
static bool is_first_of_its_own(const DvObject *solver, const DvNode *top)
{
    const DvNode *node = dv_object_node(solver);
    return node != top && dv_node_find(node, DV_LINEAR_SOLVER, DV_SEARCH_LOCAL) == solver &&
           (dv_node_find(node, DV_ODE_SOLVER, DV_SEARCH_LOCAL) ||
            dv_node_find(node, DV_CONSTRAINT_CORRECTION, DV_SEARCH_LOCAL));
}

/* Of the linear solvers below an ODE solver the first counts, unless links or tags say otherwise. */
static void tell_of_ignored_linear_solvers(const DvNode *node)
{
    const DvStepMark mark = dv_step_mark();
    size_t count;
    DvObject **solvers = dv_find_all(node, DV_LINEAR_SOLVER, DV_SEARCH_DOWN, &count);
    for (size_t i = 1; i < count; i++) {
        if (has_tags(solvers[i]) || is_first_of_its_own(solvers[i], node) || is_linked(solvers[i]))
            continue;
        dv_warning(solvers[i],
                   "has no effect: of several linear solvers the first counts, %s '%s'; leave one of them out, or name "
                   "the one that is meant with linearSolver=\"@...\" of the ODE solver",
                   dv_object_class(solvers[0])->name, dv_object_path(solvers[0]));
    }
    dv_step_release(mark);
}

/* ---- */

typedef struct Check {
    const DvObject *loop;
    SolversOfNode taken;
} Check;

static DvVisit check_node(DvNode *node, void *context)
{
    const Check *check = context;
    if (!dv_node_find(node, DV_ODE_SOLVER, DV_SEARCH_LOCAL))
        return DV_VISIT_CONTINUE;
    tell_of_several_integrators(check->loop, node, check->taken);
    tell_of_ignored_linear_solvers(node);
    return DV_VISIT_PRUNE;
}

void solver_checks_run(const DvObject *loop, DvNode *target, SolversOfNode taken)
{
    Check check = {loop, taken};
    dv_visit(target, &(const DvVisitor){.top_down = check_node, .enters_sleeping = true}, &check);
}
