/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "served_laws.h"

#include <divan/contracts/collision.h>
#include <divan/divan.h>
#include <divan/visitor.h>

#include <string.h>

static const void *ops_of_class(const DvClass *cls, const char *contract)
{
    for (const DvContract *c = cls->contracts; c && c->id; c++)
        if (strcmp(c->id, contract) == 0)
            return c->ops;
    return NULL;
}

/* ---- What is refused ---- */

static void add_names_of_laws(DvText *text, uint32_t laws)
{
    static const char *const names[] = {
        [DV_LAW_BILATERAL] = "equalities",
        [DV_LAW_UNILATERAL] = "contacts without friction",
        [DV_LAW_FRICTION] = "contacts with friction",
        [DV_LAW_AUGMENTED] = "contacts by an augmented Lagrangian",
        [DV_LAW_INTERVAL] = "limits on both sides",
        [DV_LAW_OWN] = "a law of its own",
    };
    if ((laws & DV_LAWS_OF_CONTACTS) == DV_LAWS_OF_CONTACTS) {
        dv_text_add(text, "contacts");
        laws &= ~(uint32_t)DV_LAWS_OF_CONTACTS;
    }
    for (uint32_t law = 0; law <= DV_LAW_OWN; law++)
        if (laws & dv_law_bit((DvLaw)law))
            dv_text_add(text, "%s%s", text->length ? ", " : "", names[law]);
}

/* The classes of solvers, other than one, that serve one of the laws. */
static void add_solvers(DvText *text, uint32_t laws, const DvClass *but)
{
    for (size_t i = 0; i < dv_class_count(); i++) {
        const DvConstraintSolverOps *ops = ops_of_class(dv_class_at(i), DV_CONSTRAINT_SOLVER);
        if (ops && dv_class_at(i) != but && dv_constraint_solver_laws(ops) & laws)
            dv_text_add(text, "%s%s", text->length ? ", " : "", dv_class_at(i)->name);
    }
}

static DvStatus refuse(const DvObject *object, const char *what, uint32_t laws, const DvObject *solver, uint32_t served)
{
    const DvClass *cls = dv_object_class(solver);
    const DvConstraintSolverOps *ops = dv_object_ops(solver, DV_CONSTRAINT_SOLVER);
    DvText asked = {0}, given = {0}, others = {0};
    add_names_of_laws(&asked, laws);
    add_names_of_laws(&given, served);
    add_solvers(&others, laws, cls);
    /* As it is now, but not whatever its fields are. */
    const bool may = ops && dv_constraint_solver_laws(ops) & laws;
    const DvStatus status =
        dv_error(object, DV_ERROR_UNSUPPORTED,
                 "%s %s, and the constraint solver '%s' (%s) does not solve for those, but for %s; %s%s", what,
                 asked.at, dv_object_name(solver), cls->name, given.at,
                 may ? "give the solver and the responses both mu 0 or both another, or take one of "
                     : "take a solver that does: ",
                 others.at ? others.at : "none of the plugins has one");
    dv_text_free(&asked);
    dv_text_free(&given);
    dv_text_free(&others);
    return status;
}

DvStatus served_laws_refuse(const DvObject *constraint, uint32_t laws, const DvObject *solver, uint32_t served)
{
    return refuse(constraint, "its rows are", laws, solver, served);
}

/* ---- Before the first step ---- */

typedef struct Search {
    const DvObject *solver; /* NULL: of the loop */
    uint32_t served;
    const DvClass *refused[32]; /* classes of constraints that have been said */
    uint32_t refused_count;
    const DvObject *first; /* constraint */
    uint32_t constraints;
    const DvObject *pipeline; /* the first whose contacts constraints would answer */
    const DvClass *response;
} Search;

static bool is_news(Search *search, const DvClass *cls)
{
    for (uint32_t i = 0; i < search->refused_count; i++)
        if (search->refused[i] == cls)
            return false;
    if (search->refused_count < sizeof search->refused / sizeof *search->refused)
        search->refused[search->refused_count++] = cls;
    return true;
}

static void look_at(Search *search, DvObject *object, const char *what, const DvClass *cls, uint32_t laws)
{
    if (search->solver && laws && !(laws & search->served))
        dv_object_refuse(object,
                         is_news(search, cls) ? refuse(object, what, laws, search->solver, search->served) : DV_OK);
}

static void look_at_responses(Search *search, DvObject *pipeline)
{
    enum { MOST = 32 };
    const DvCollisionPipelineOps *ops = dv_object_ops(pipeline, DV_COLLISION_PIPELINE);
    const DvClass *classes[MOST];
    const uint32_t count = ops->responses ? ops->responses(dv_object_self(pipeline), classes, MOST) : 0;
    for (uint32_t i = 0; i < count; i++) {
        const DvLagrangianConstraintOps *constraint = ops_of_class(classes[i], DV_LAGRANGIAN_CONSTRAINT);
        DvText what = {0};
        if (!constraint)
            continue;
        if (!search->pipeline) {
            search->pipeline = pipeline;
            search->response = classes[i];
        }
        dv_text_add(&what, "contacts are answered by %s, whose rows are", classes[i]->name);
        look_at(search, pipeline, what.at, classes[i], constraint->laws);
        dv_text_free(&what);
    }
}

static DvVisit look_at_node(DvNode *node, void *context)
{
    Search *search = context;
    DvObject *object;
    for (size_t i = 0; (object = dv_node_member(node, i)); i++) {
        const DvLagrangianConstraintOps *constraint = dv_object_ops(object, DV_LAGRANGIAN_CONSTRAINT);
        if (!dv_object_is_valid(object))
            continue;
        if (constraint && search->constraints++ == 0)
            search->first = object;
        if (constraint)
            look_at(search, object, "its rows are", dv_object_class(object), constraint->laws);
        if (dv_object_ops(object, DV_COLLISION_PIPELINE) && dv_node_slot(node, DV_COLLISION_PIPELINE) == object)
            look_at_responses(search, object);
    }
    return DV_VISIT_CONTINUE;
}

static void search_below(Search *search, DvNode *node)
{
    dv_visit(node, &(const DvVisitor){.top_down = look_at_node, .enters_sleeping = true}, search);
}

void served_laws_check(const DvObject *solver)
{
    const DvConstraintSolverOps *ops = dv_object_ops(solver, DV_CONSTRAINT_SOLVER);
    Search search = {.solver = solver, .served = dv_constraint_solver_laws(ops)};
    if (search.served != DV_LAWS_ALL)
        search_below(&search, dv_object_node(solver));
}

bool served_laws_tell_of_unsolved(const DvObject *loop, DvNode *target)
{
    static const char remedy[] =
        "which solves no constraints; take a FreeMotionAnimationLoop, with a constraint solver, and a "
        "constraint correction for each body";
    const char *name = dv_object_class(loop)->name;
    Search search = {0};
    search_below(&search, target);
    if (search.constraints > 1)
        dv_warning(search.first, "this and %u other constraint%s have no effect under %s, %s", search.constraints - 1,
                   search.constraints == 2 ? "" : "s", name, remedy);
    else if (search.constraints == 1)
        dv_warning(search.first, "has no effect under %s, %s", name, remedy);
    if (search.pipeline)
        dv_warning(search.pipeline,
                   "contacts will have no effect: they are answered by %s, a constraint, under %s, %s; or take "
                   "PenalityContactForceField for the response",
                   search.response->name, name, remedy);
    return search.constraints > 0 || search.pipeline;
}
