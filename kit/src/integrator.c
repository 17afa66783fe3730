/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What ODE solvers have in common.
 */
#include <divan/kit/integrator.h>

#include <divan/contracts/force_field.h>
#include <divan/contracts/mapping.h>
#include <divan/memory.h>
#include <divan/plugin.h>
#include <divan/scene.h>

#include <string.h>

/* The topmost node with solvers is integrated as a whole. */
static void warn_of_solver_above(const DvObject *object)
{
    const DvNode *parent = dv_node_parent(dv_object_node(object), 0);
    const DvObject *above = parent ? dv_node_find(parent, DV_ODE_SOLVER, DV_SEARCH_UP) : NULL;
    if (above)
        dv_warning(object, "has no effect: %s '%s' above integrates everything below '%s'; leave one of them out",
                   dv_object_class(above)->name, dv_object_name(above), dv_node_path(dv_object_node(above)));
}

DvStatus dv_integrator_init(DvObject *object, void *self)
{
    DvIntegrator *integrator = self;
    *integrator = (DvIntegrator){.ops = dv_service(DV_MECHANICAL_OPERATIONS)};
    if (integrator->ops == NULL)
        return dv_error(object, DV_ERROR_MISSING, "needs the plugin divan.mechanics");
    integrator->m = integrator->ops->open(dv_object_node(object));
    warn_of_solver_above(object);
    return DV_OK;
}

/* The vector whose numbers a field saves; or NULL. */
static DvKeptVector *kept_vector_at(const DvObject *object, size_t i)
{
    DvData *saved = dv_object_field_at(object, i);
    const bool keeps = saved->field->group && strcmp(saved->field->group, DV_KEPT_VECTORS) == 0;
    return keeps ? (DvKeptVector *)saved : NULL; /* its first member */
}

/* Of the vectors that it keeps, `forget` the numbers, and in any case the ids. */
static void drop_kept_vectors(const DvObject *object, bool forget)
{
    for (size_t i = 0; i < dv_object_field_count(object); i++) {
        DvKeptVector *vector = kept_vector_at(object, i);
        if (!vector)
            continue;
        const DvIntegrator *integrator = dv_object_self(object);
        DvData *saved = &vector->saved;
        vector->behind = false;
        if (vector->id != DV_NO_VEC && integrator->m != NULL)
            integrator->ops->release(integrator->m, vector->id);
        vector->id = DV_NO_VEC;
        if (forget)
            dv_data_set(saved, NULL, 0);
    }
}

static void bring_home(DvKeptVector *vector, const DvIntegrator *integrator)
{
    const DvMechanicalOperationsOps *ops = integrator->ops;
    vector->behind = false;
    ops->gather(integrator->m, dv_data_begin_all(&vector->saved, ops->unknowns(integrator->m)), vector->id);
    dv_data_end(&vector->saved);
}

DvStatus dv_integrator_restore(DvObject *object, void *self)
{
    (void)self;
    drop_kept_vectors(object, false);
    return DV_OK;
}

void dv_integrator_reset(DvObject *object, void *self)
{
    (void)self;
    drop_kept_vectors(object, true);
}

DvStatus dv_integrator_update(DvObject *object, void *self)
{
    const DvIntegrator *integrator = self;
    for (size_t i = 0; i < dv_object_field_count(object); i++) {
        DvKeptVector *vector = kept_vector_at(object, i);
        if (vector && vector->behind && integrator->m != NULL)
            bring_home(vector, integrator);
    }
    return DV_OK;
}

void dv_integrator_cleanup(DvObject *object, void *self)
{
    DvIntegrator *integrator = self;
    (void)dv_integrator_update(object, self);
    drop_kept_vectors(object, false);
    if (integrator->m != NULL)
        integrator->ops->close(integrator->m);
    *integrator = (DvIntegrator){.m = NULL};
}

DvVecId dv_integrator_take_scratch(DvIntegrator *integrator, uint32_t number)
{
    DvVecId *id = &integrator->scratch[number];
    (void)integrator->ops->scratch(integrator->m, DV_DERIVS, DV_SCRATCH_INTEGRATION + number, 1, id);
    return *id;
}

/* ---- The step and its system ---- */

DvStep dv_step_from(const DvObject *object, double dt, DvLinearSolverUse solver)
{
    return (DvStep){.time = dv_node_time(dv_object_node(object)),
                    .dt = dt,
                    .position = DV_POSITION,
                    .velocity = DV_VELOCITY,
                    .kind = dv_linear_solver_takes(solver)};
}

const DvStep *dv_integrator_begin(DvIntegrator *integrator, double dt, DvLinearSolverUse solver)
{
    DvStep *step = &integrator->step;
    step->time = dv_node_time(dv_object_node(dv_object_of(integrator)));
    step->dt = dt;
    step->position = DV_POSITION;
    step->velocity = DV_VELOCITY;
    step->kind = dv_linear_solver_takes(solver);
    return step;
}

static DvStatus set_system(DvIntegrator *integrator)
{
    const DvLinearSolverUse solver = integrator->solver;
    const DvObject *object = dv_object_of(solver.self);
    if (!dv_object_is_valid(object))
        return dv_error(object, DV_ERROR_INVALID,
                        "cannot solve: it was not initialised; the first error about it says why");
    return solver.ops->set_system(solver.self, integrator->m, &integrator->step, integrator->factors);
}

DvStatus dv_integrator_solve(DvIntegrator *integrator, DvLinearSolverUse solver, DvFactors factors, DvVecId x,
                             DvVecId b)
{
    integrator->solver = solver;
    integrator->factors = factors;
    const DvStatus status = set_system(integrator);
    return status == DV_OK ? solver.ops->solve(solver.self, x, b) : status;
}

DvStatus dv_integrator_hold_system(void *self)
{
    DvIntegrator *integrator = self;
    const DvLinearSolverUse solver = integrator->solver;
    if (solver.ops == NULL || !dv_linear_solver_is_of_another(solver.ops, solver.self, integrator->m))
        return DV_OK;
    return set_system(integrator);
}

double dv_integrator_factor_zero(void *self, double dt)
{
    (void)self;
    (void)dt;
    return 0.0;
}

double dv_integrator_factor_one(void *self, double dt)
{
    (void)self;
    (void)dt;
    return 1.0;
}

double dv_integrator_factor_dt(void *self, double dt)
{
    (void)self;
    return dt;
}

/* ---- Masses ---- */

DvStatus dv_integrator_refuse_massless(const DvIntegrator *integrator)
{
    const DvObject *object = dv_object_of(integrator);
    return dv_error(
        object, DV_ERROR_MISSING,
        "there is no mass in '%s' or below it, and forces without mass give no acceleration; add one, for instance "
        "<UniformMass totalMass=\"1\"/>",
        dv_node_path(dv_object_node(object)));
}

DvStatus dv_integrator_require_diagonal_mass(const DvIntegrator *integrator)
{
    switch (integrator->ops->mass_kind(integrator->m)) {
    case DV_MASS_DIAGONAL:
        return DV_OK;
    case DV_MASS_GENERAL:
        return dv_error(
            dv_object_of(integrator), DV_ERROR_UNSUPPORTED,
            "a mass that is not diagonal, or acts on a mapped state, gives no acceleration without a linear solver; lump "
            "the mass or take EulerExplicitSolver with a linear solver");
    case DV_MASS_NONE:
        break;
    }
    return dv_integrator_refuse_massless(integrator);
}

/* ---- Vectors that live from step to step ---- */

DvVecId dv_kept_vector_begin(DvKeptVector *vector, const DvIntegrator *integrator, bool *fresh)
{
    if (fresh)
        *fresh = false;
    if (vector->id != DV_NO_VEC)
        return vector->id;
    const DvMechanicalOperationsOps *ops = integrator->ops;
    vector->id = ops->allocate(integrator->m, DV_DERIVS);
    size_t count;
    const double *numbers = dv_data_doubles(&vector->saved, &count);
    const bool fits = vector->id != DV_NO_VEC && count > 0 && count == ops->unknowns(integrator->m);
    if (fits)
        ops->scatter(integrator->m, vector->id, numbers);
    if (fresh)
        *fresh = !fits;
    return vector->id;
}

void dv_kept_vector_end(DvKeptVector *vector, const DvIntegrator *integrator)
{
    const DvMechanicalOperationsOps *ops = integrator->ops;
    if (!ops->storage || !ops->storage(integrator->m).space) {
        bring_home(vector, integrator);
        return;
    }
    vector->behind = true;
    dv_data_touch(&vector->saved);                            /* it is another one, for who saves what has changed... */
    (void)dv_data_depend(&vector->saved, &vector->elsewhere); /* ...and is dirty until somebody reads it */
}

/* ---- Implicit ones ---- */

DvStatus dv_implicit_integrator_init(DvObject *object, void *self)
{
    DvImplicitIntegrator *integrator = self;
    const DvLinearSolverUse solver = dv_linear_solver_of(object, &integrator->linear_solver_link, DV_SEARCH_DOWN);
    integrator->linear_solver = solver;
    if (solver.ops == NULL && solver.self != NULL)
        return DV_ERROR_MISSING; /* it cannot be used, as has been reported */
    if (solver.ops == NULL)
        return dv_error(
            object, DV_ERROR_MISSING,
            "there is no linear solver in '%s' or below it; add one, for instance <CGLinearSolver iterations=\"25\" "
            "tolerance=\"1e-5\" threshold=\"1e-5\"/>",
            dv_node_path(dv_object_node(object)));
    return dv_integrator_init(object, self);
}

static bool starts_from_guess(DvLinearSolverUse solver)
{
    return solver.ops->uses_guess != NULL && solver.ops->uses_guess(solver.self);
}

DvVecId dv_implicit_integrator_begin_solution(DvImplicitIntegrator *integrator)
{
    return starts_from_guess(integrator->linear_solver)
               ? dv_kept_vector_begin(&integrator->solution, &integrator->base, NULL)
               : dv_integrator_scratch(&integrator->base, 0);
}

void dv_implicit_integrator_end_solution(DvImplicitIntegrator *integrator, DvVecId vector)
{
    if (vector == integrator->solution.id)
        dv_kept_vector_end(&integrator->solution, &integrator->base);
}

/* ---- Stiffness that is not symmetric ---- */

static DvSymmetry symmetry_of(const DvObject *object)
{
    const DvMappingOps *mapping = dv_object_ops(object, DV_MAPPING);
    if (mapping)
        return mapping->symmetry(dv_object_self(object));
    const DvForceFieldOps *field = dv_object_ops(object, DV_FORCE_FIELD);
    return (field ? field : (const DvForceFieldOps *)dv_object_ops(object, DV_INTERACTION_FORCE_FIELD))
        ->symmetry(dv_object_self(object));
}

/* "not symmetric: A 'a' (...), B 'b' (...) and 3 more" */
static void name_unsymmetric(DvText *text, DvObject *const *objects, uint32_t count)
{
    enum { MOST = 3 };
    for (uint32_t i = 0; i < count && i < MOST; i++)
        dv_text_add(text, "%s%s '%s' (%s)", i ? ", " : "", dv_object_class(objects[i])->name,
                    dv_object_name(objects[i]),
                    symmetry_of(objects[i]) == DV_SYMMETRIC_PART ? "its symmetric part counts"
                                                                 : "left out: its force is explicit");
    if (count > MOST)
        dv_text_add(text, " and %u more", count - MOST);
}

static void report_unsymmetric(void *self, DvReportLine line, void *context)
{
    const DvImplicitIntegrator *integrator = self;
    const DvIntegrator *base = &integrator->base;
    const DvLinearSolverUse solver = integrator->linear_solver;
    if (base->m == NULL || dv_linear_solver_takes(solver) == DV_MATRIX_ANY)
        return;
    const uint32_t count = base->ops->unsymmetric(base->m, NULL, 0);
    if (count == 0)
        return;
    const DvStepMark mark = dv_step_mark();
    DvObject **objects = dv_step_alloc(count, sizeof *objects);
    base->ops->unsymmetric(base->m, objects, count);
    const DvObject *linear = dv_object_of(solver.self);
    DvText text = {0};
    dv_text_add(&text,
                "%s '%s' takes only symmetric matrices, and the stiffness of these components is not symmetric: ",
                dv_object_class(linear)->name, dv_object_name(linear));
    name_unsymmetric(&text, objects, count);
    line(context, text.at);
    dv_text_free(&text);
    dv_step_release(mark);
}

const DvReportOps dv_implicit_integrator_report_ops = {.size = sizeof(DvReportOps), .report = report_unsymmetric};
