/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * VariationalSymplecticSolver: the variational integrator of the midpoint (Kharevych et al. 2006), which is symplectic and of order 2.
 * Momenta p live from step to step. With r the way to the middle of the step,
 *
 *   (4/h^2) M r = f(x + r) + (2/h) p - (4/h) (rM M - rK K) r      v' = (2/h) r, x' = x + h v', p' = M v' + (h/2) f(x + r)
 *
 * solved by Newton's method: of linear bodies one iteration is enough. explicitIntegration: v' = h M^-1 (f(x) + p/h), x' = x + h v',
 * p' = M v', of order 1 and symplectic.
 *
 * v' is the velocity between x and x'. The Hamiltonian is p M^-1 p / 2 and the potential energy, which is what the forces have taken up
 * since the start (useIncrementalPotentialEnergy, the only way where force fields tell no energy) or that of the scene.
 *
 * The reference gives constraint corrections a response of 0, so that constraints have no effect; here it is what the method makes of
 * a force.
 */
#include <divan/contracts/solve_record.h>
#include <divan/kit/integrator.h>
#include <divan/output.h>
#include <divan/scene.h>

#include <math.h>

typedef struct VariationalSymplecticSolver {
    DvImplicitIntegrator implicit;
    DvData newton_error, steps;
    DvData explicit_integration;
    DvData save_energy, file;
    DvData compute_hamiltonian, hamiltonian, incremental, potential;
    DvKeptVector momentum;
    DvSolveRecord record;
    FILE *output;
    bool lost; /* the file */
} VariationalSymplecticSolver;

static const DvField fields[] = {
    DV_IMPLICIT_INTEGRATOR_OTHER_FIELDS(VariationalSymplecticSolver, implicit),
    DV_FIELD(VariationalSymplecticSolver, newton_error, "newtonError", dv_type_double, .init = "0.01",
             .range = &dv_range_not_negative, .flags = DV_FIELD_LENIENT,
             .help = "iterations end when positions change by less, as a share of all coordinates"),
    DV_FIELD(VariationalSymplecticSolver, steps, "steps", dv_type_uint, .init = "5",
             .help = "most iterations in a step; one is made in any case"),
    DV_FIELD(VariationalSymplecticSolver, explicit_integration, "explicitIntegration", dv_type_bool, .init = "0",
             .help = "forces at the start of the step, without linear systems: for small steps"),
    DV_FIELD(VariationalSymplecticSolver, save_energy, "saveEnergyInFile", dv_type_bool, .init = "0",
             .help = "write the energies of each step to `file`"),
    DV_FIELD(VariationalSymplecticSolver, file, "file", dv_type_string, .help = "table of energies (CSV)"),
    DV_FIELD(VariationalSymplecticSolver, compute_hamiltonian, "computeHamiltonian", dv_type_bool, .init = "1",
             .help = "compute the energies of each step"),
    DV_FIELD(VariationalSymplecticSolver, hamiltonian, "hamiltonianEnergy", dv_type_double, .init = "0", .unit = "J",
             .flags = DV_FIELD_READ_ONLY, .help = "kinetic and potential energy after the step"),
    DV_FIELD(VariationalSymplecticSolver, incremental, "useIncrementalPotentialEnergy", dv_type_bool, .init = "1",
             .help = "potential energy from the work of the forces since the start, instead of what force fields tell"),
    DV_FIELD(VariationalSymplecticSolver, potential, "incrementalPotentialEnergy", dv_type_double, .init = "0",
             .flags = DV_FIELD_STATE | DV_FIELD_HIDDEN, .help = "potential energy by the work of the forces so far"),
    DV_KEPT_VECTOR_FIELD(VariationalSymplecticSolver, momentum, "momentum", "momentum at the end of the last step"),
    {0},
};

/* Scratch vectors by number. */
enum { WAY, RIGHT_HAND_SIDE, CHANGE };

/* ---- Energies ---- */

static void write_energies(VariationalSymplecticSolver *self, double time, double kinetic, double potential)
{
    DvText why = {0};
    if (!self->output && !self->lost) {
        self->output =
            dv_scene_output_open(dv_node_scene(dv_object_node(dv_object_of(self))), dv_data_string(&self->file), &why);
        self->lost = self->output == NULL;
        if (self->lost)
            dv_scene_output_lost(&self->file, dv_data_string(&self->file), &why);
        else
            fputs("time,kinetic energy,potential energy, hamiltonian energy\n", self->output);
    }
    if (self->output)
        fprintf(self->output, "%.17g,%.17g,%.17g,%.17g\n", time, kinetic, potential, kinetic + potential);
    dv_text_free(&why);
}

/* p M^-1 p / 2; `velocity` is overwritten by M^-1 p. The linear solver has the system of the step again afterwards. */
static DvStatus kinetic_energy(VariationalSymplecticSolver *self, DvVecId p, DvVecId velocity, double *energy)
{
    DvIntegrator *base = &self->implicit.base;
    const DvLinearSolverUse solver = self->implicit.linear_solver;
    DvStatus status = DV_OK;
    if (base->ops->mass_kind(base->m) == DV_MASS_DIAGONAL) {
        base->ops->acceleration_from_force(base->m, velocity, p);
    } else {
        const DvFactors system = base->factors;
        status = dv_integrator_solve(base, solver, (DvFactors){.m = 1.0}, velocity, p);
        base->factors = system;
        if (status == DV_OK)
            status = solver.ops->set_system(solver.self, base->m, &base->step, system);
    }
    *energy = 0.5 * base->ops->dot(base->m, p, velocity);
    return status;
}

/* The energies after the step; positions are there. */
static DvStatus tell_energies(VariationalSymplecticSolver *self, DvVecId position, bool incremental)
{
    DvIntegrator *base = &self->implicit.base;
    if (!dv_data_bool(&self->compute_hamiltonian))
        return DV_OK;
    double kinetic, potential;
    const DvStatus status = kinetic_energy(self, self->momentum.id, dv_integrator_scratch(base, CHANGE), &kinetic);
    if (!incremental)
        base->ops->propagate_position(base->m, &base->step, position);
    potential = incremental ? dv_data_double(&self->potential) : base->ops->potential_energy(base->m);
    dv_data_set_double(&self->hamiltonian, kinetic + potential);
    if (dv_data_bool(&self->save_energy))
        write_energies(self, base->step.time + base->step.dt, kinetic, potential);
    return status;
}

/* ---- Steps ---- */

/* Newton's method for the way to the middle, from 0. */
static DvStatus find_middle(VariationalSymplecticSolver *self, DvVecId trial, DvVecId way)
{
    DvIntegrator *base = &self->implicit.base;
    const DvMechanicalOperationsOps *ops = base->ops;
    DvMechanics *m = base->m;
    const DvVecId b = dv_integrator_scratch(base, RIGHT_HAND_SIDE), change = dv_integrator_scratch(base, CHANGE);
    const double h = base->step.dt, wanted = dv_data_double(&self->newton_error),
                 size = sqrt(ops->dot(m, DV_POSITION, DV_POSITION));
    const DvFactors system = {.m = 4.0 / (h * h) + 4.0 / h * dv_data_double(&self->implicit.rayleigh_mass),
                              .k = -(1.0 + 4.0 / h * dv_data_double(&self->implicit.rayleigh_stiffness))};
    const uint32_t most = dv_data_uint(&self->steps);
    double error = 0.0;
    ops->clear(m, way);
    ops->combine(m, trial, DV_POSITION, DV_NO_VEC, 0.0);
    for (uint32_t i = 0; i == 0 || (i < most && error > wanted); i++) {
        dv_phase_begin("forces");
        ops->compute_force(m, &base->step, DV_FORCE, DV_WALK_VISITOR);
        ops->combine(m, b, DV_FORCE, self->momentum.id, 2.0 / h);
        if (i > 0)
            ops->add_mbk(m, &base->step, (DvFactors){.k = -1.0}, b, way, DV_WALK_VISITOR);
        ops->project_response(m, &base->step, b, DV_WALK_VISITOR);
        dv_phase_end();
        ops->combine(m, change, way, DV_NO_VEC, 0.0);
        const DvStatus status = dv_integrator_solve(base, self->implicit.linear_solver, system, way, b);
        if (status != DV_OK)
            return status;
        ops->combine(m, change, change, way, -1.0);
        const double length = sqrt(ops->dot(m, change, change));
        error = length == 0.0 ? 0.0 : length / size;
        ops->combine(m, trial, DV_POSITION, way, 1.0);
        ops->propagate_position(m, &base->step, trial);
    }
    if (most > 1 && dv_solve_record_add(&self->record, error, wanted, wanted))
        dv_solve_record_worst(&self->record, 1 + dv_scene_steps(dv_node_scene(dv_object_node(dv_object_of(self)))));
    return DV_OK;
}

static DvStatus step_implicitly(VariationalSymplecticSolver *self, double h, DvVecId position, DvVecId velocity)
{
    DvIntegrator *base = &self->implicit.base;
    const DvMechanicalOperationsOps *ops = base->ops;
    DvMechanics *m = base->m;
    const DvVecId way = dv_integrator_scratch(base, WAY), p = self->momentum.id;
    DvVecId trial;
    (void)ops->scratch(m, DV_COORDS, DV_SCRATCH_INTEGRATION, 1, &trial);
    base->step.position = trial;
    const DvStatus status = find_middle(self, trial, way);
    if (status != DV_OK)
        return status;
    ops->combine(m, velocity, DV_NO_VEC, way, 2.0 / h);
    ops->combine(m, trial, DV_POSITION, velocity, 0.5 * h);
    base->step.velocity = velocity;
    dv_phase_begin("forces");
    ops->compute_force(m, &base->step, DV_FORCE, DV_WALK_VISITOR);
    ops->project_response(m, &base->step, DV_FORCE, DV_WALK_VISITOR);
    dv_data_set_double(&self->potential, dv_data_double(&self->potential) - 2.0 * ops->dot(m, DV_FORCE, way));
    ops->combine(m, p, DV_NO_VEC, DV_FORCE, 0.5 * h);
    ops->add_mbk(m, &base->step, (DvFactors){.m = 2.0 / h}, p, way, DV_WALK_VISITOR);
    dv_phase_end();
    ops->combine(m, position, trial, velocity, 0.5 * h);
    return tell_energies(self, position, dv_data_bool(&self->incremental));
}

static DvStatus step_explicitly(VariationalSymplecticSolver *self, double h, DvVecId position, DvVecId velocity)
{
    DvIntegrator *base = &self->implicit.base;
    const DvMechanicalOperationsOps *ops = base->ops;
    DvMechanics *m = base->m;
    const double damping = dv_data_double(&self->implicit.rayleigh_mass);
    const DvStatus status = dv_integrator_require_diagonal_mass(base);
    if (status != DV_OK)
        return status;
    dv_phase_begin("forces");
    ops->compute_force(m, &base->step, DV_FORCE, DV_WALK_VISITOR);
    ops->combine(m, DV_FORCE, DV_FORCE, self->momentum.id, 1.0 / h);
    ops->acceleration_from_force(m, DV_DX, DV_FORCE);
    if (damping > 0.0)
        ops->combine(m, DV_DX, DV_DX, DV_VELOCITY, -damping);
    ops->project_response(m, &base->step, DV_DX, DV_WALK_VISITOR);
    dv_phase_end();
    ops->combine(m, velocity, DV_NO_VEC, DV_DX, h);
    ops->combine(m, position, DV_POSITION, velocity, h);
    ops->clear(m, self->momentum.id);
    ops->add_mbk(m, &base->step, (DvFactors){.m = h}, self->momentum.id, DV_DX, DV_WALK_VISITOR);
    return tell_energies(self, position, false);
}

static DvStatus solve(void *self_, double h, DvVecId position, DvVecId velocity)
{
    VariationalSymplecticSolver *self = self_;
    DvIntegrator *base = &self->implicit.base;
    if (base->m == NULL || base->ops->unknowns(base->m) == 0)
        return DV_OK;
    if (base->ops->mass_kind(base->m) == DV_MASS_NONE)
        return dv_integrator_refuse_massless(base);
    const DvStep *step = dv_integrator_begin(base, h, self->implicit.linear_solver);
    bool fresh;
    const DvVecId p = dv_kept_vector_begin(&self->momentum, base, &fresh);
    if (p == DV_NO_VEC)
        return DV_ERROR_LIMIT;
    if (fresh) {
        base->ops->add_mbk(base->m, step, (DvFactors){.m = 1.0}, p, DV_VELOCITY, DV_WALK_VISITOR);
        dv_data_set_double(&self->potential, base->ops->potential_energy(base->m));
    }
    const DvStatus status = dv_data_bool(&self->explicit_integration) ? step_explicitly(self, h, position, velocity)
                                                                      : step_implicitly(self, h, position, velocity);
    dv_kept_vector_end(&self->momentum, base);
    return status;
}

/* ---- The class ---- */

static DvStatus init(DvObject *object, void *self_)
{
    VariationalSymplecticSolver *self = self_;
    if (dv_data_bool(&self->save_energy) && *dv_data_string(&self->file) == '\0')
        return dv_field_error(&self->file, -1,
                              "saveEnergyInFile needs the name of a file, for instance \"energy.csv\"");
    self->record = (DvSolveRecord){0};
    self->lost = false;
    return dv_implicit_integrator_init(object, self);
}

static void close_output(VariationalSymplecticSolver *self)
{
    DvText why = {0};
    if (self->output && dv_output_close(self->output, DV_OUTPUT_WHOLE, &why) != DV_OK)
        dv_scene_output_lost(&self->file, dv_data_string(&self->file), &why);
    self->output = NULL;
    dv_text_free(&why);
}

static void reset(DvObject *object, void *self_)
{
    VariationalSymplecticSolver *self = self_;
    close_output(self);
    self->record = (DvSolveRecord){0};
    dv_integrator_reset(object, self);
}

static void cleanup(DvObject *object, void *self_)
{
    close_output(self_);
    dv_integrator_cleanup(object, self_);
}

static double position_factor(void *self_, double dt)
{
    return dv_data_bool(&((VariationalSymplecticSolver *)self_)->explicit_integration) ? dt * dt : 2.0;
}

static double velocity_factor(void *self_, double dt)
{
    return dv_data_bool(&((VariationalSymplecticSolver *)self_)->explicit_integration) ? dt : 2.0 / dt;
}

static const DvSolveRecord *record_of(void *self)
{
    return &((const VariationalSymplecticSolver *)self)->record;
}

static void remedy(void *self, DvText *text)
{
    (void)self;
    dv_text_add(text, "raise steps, or newtonError above the error of the linear solver");
}

static const DvSolveRecordOps record_ops = {.size = sizeof(DvSolveRecordOps),
                                            .record = record_of,
                                            .unit = "of all coordinates, changed by the last iteration",
                                            .remedy = remedy};

static const DvOdeSolverOps operations =
    DV_INTEGRATOR_OPS(.solve = solve, .position_factor = position_factor, .velocity_factor = velocity_factor);

const DvClass dv_variational_symplectic_solver = {
    .size = sizeof(DvClass),
    .name = "VariationalSymplecticSolver",
    .module = "Sofa.Component.ODESolver.Backward",
    .help = "Variational midpoint method of order 2: keeps the energy of motions over long times.",
    .instance_size = sizeof(VariationalSymplecticSolver),
    .fields = fields,
    .family = "ODE solvers",
    .bases = (const char *const[]){"OdeSolver", "LinearSolverAccessor", NULL},
    .contracts = (const DvContract[]){{.id = DV_ODE_SOLVER, .ops = &operations},
                                      {.id = DV_REPORT, .ops = &dv_implicit_integrator_report_ops},
                                      {.id = DV_SOLVE_RECORD, .ops = &record_ops},
                                      {0}},
    .init = init,
    .restore = dv_integrator_restore,
    .update = dv_integrator_update,
    .reset = reset,
    .cleanup = cleanup,
};
