/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * PrecomputedConstraintCorrection: a state answers for ever as it did at the beginning.
 *
 *   dx = C force      C = pf A^-1 at the initial positions, at rest and without gravity; all of it, n x n numbers
 *   x = x_free + dx,  v = v_free + dx / dt
 *
 * C is read from a file, or made once from the linear solver's own inverse and written to one. How much velocity a force gives in a
 * step is measured by a step of the ODE solver under a unit force, so that it holds for every scheme of the solver.
 *
 * Making C takes the gravity of the node away for the first step (for ever, where the node is the root), as scenes are used to;
 * keepGravity=1 does not.
 */
#include "compliance_file.h"

#include <divan/contracts/lagrangian_constraint.h>
#include <divan/event.h>
#include <divan/kit/integrator.h>
#include <divan/memory.h>
#include <divan/output.h>
#include <divan/plugin.h>
#include <divan/scene.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    MAX_UNKNOWNS = 40000, /* 12.8 GB */
    BATCH = 64            /* columns that are solved for at once */
};

typedef struct PrecomputedConstraintCorrection {
    DvData rotations, recompute, regularization_term, frame_scale, file, directory;
    DvData keep_gravity, used_file, gravity_is_back;
    DvLink state_link;
    DvStateRef state; /* held */
    const DvOdeSolverOps *ode;
    void *ode_self;
    const DvLinearSolverOps *linear;
    void *linear_self;
    const DvMechanicalOperationsOps *ops;
    DvMechanics *m;  /* of the ODE solver's node */
    size_t unknowns; /* n */
    double *c;       /* [n x n] by columns; NULL: invalid */
    double dt;       /* that C holds for */
    bool made, unchecked;
    bool told;        /* of another time step */
    uint32_t *active; /* unknowns that J has in this step */
    uint32_t *place;  /* [n] + 1 among these; 0: none */
    double *response; /* [rows x active] C J^T */
    size_t response_capacity;
} PrecomputedConstraintCorrection;

static const DvField fields[] = {
    DV_FIELD(PrecomputedConstraintCorrection, rotations, "rotations", dv_type_bool, .init = "0",
             .help = "no effect: the compliance does not turn with the body (LinearSolverConstraintCorrection does)"),
    DV_FIELD_HELD("restDeformations", dv_type_bool, .init = "0", .help = "no effect, as `rotations`"),
    DV_FIELD(PrecomputedConstraintCorrection, recompute, "recompute", dv_type_bool, .init = "0",
             .help = "the compliance is made anew though there may be a file"),
    DV_FIELD(PrecomputedConstraintCorrection, regularization_term, "regularizationTerm", dv_type_double, .init = "0",
             .range = &dv_range_not_negative, .flags = DV_FIELD_LENIENT,
             .help = "added to the compliance of each row, for each point it acts on"),
    DV_FIELD(PrecomputedConstraintCorrection, frame_scale, "debugViewFrameScale", dv_type_double, .init = "1",
             .flags = DV_FIELD_DRAWING, .help = "size of the frames that are drawn"),
    DV_FIELD(PrecomputedConstraintCorrection, file, "fileCompliance", dv_type_file,
             .aliases = (const char *const[]){"filePrefix", NULL}, .flags = DV_FIELD_NOT_LINKED,
             .help = "file to read; default: <node>-<unknowns>-<dt>.comp, which is the one that is written"),
    DV_FIELD(
        PrecomputedConstraintCorrection, directory, "fileDir", dv_type_string,
        .help =
            "folder to read from, and to write what is made; default: looked for as all files are, and not written"),
    DV_FIELD(PrecomputedConstraintCorrection, keep_gravity, "keepGravity", dv_type_bool, .init = "0",
             .help =
                 "gravity acts in the first step too; else making the compliance takes it away from the node for that "
                 "step, and for ever from the root"),
    DV_FIELD(PrecomputedConstraintCorrection, used_file, "usedFile", dv_type_file, .flags = DV_FIELD_READ_ONLY,
             .help = "file that the compliance was read from or written to"),
    DV_FIELD(PrecomputedConstraintCorrection, gravity_is_back, "gravityIsBack", dv_type_bool, .init = "0",
             .flags = DV_FIELD_STATE | DV_FIELD_HIDDEN, .help = "the first step is over"),
    DV_LINK_HELD("mechanicalStates", DV_STATE, .many = true, .flags = DV_FIELD_READ_ONLY | DV_FIELD_HIDDEN,
                 .help = "kept for scenes that name it"),
    DV_LINK(PrecomputedConstraintCorrection, state_link, "mstate", DV_STATE,
            .help = "state it moves; default: the node's"),
    DV_LINK_HELD("constraintSolvers", DV_CONSTRAINT_SOLVER, .many = true, .flags = DV_FIELD_READ_ONLY | DV_FIELD_HIDDEN,
                 .help = "kept for scenes that name it: solvers find it"),
    {0},
};

/* ---- Where it comes from ---- */

static size_t unknowns_of(const PrecomputedConstraintCorrection *self)
{
    return (size_t)dv_state_count(self->state) * self->state.dof->deriv;
}

static DvStatus find_solvers(DvObject *object, PrecomputedConstraintCorrection *self)
{
    DvObject *ode = dv_node_find(dv_object_node(object), DV_ODE_SOLVER, DV_SEARCH_UP);
    if (!ode)
        return dv_error(
            object, DV_ERROR_MISSING,
            "there is no ODE solver in '%s' or above to make the compliance with; add an <EulerImplicitSolver/>",
            dv_node_path(dv_object_node(object)));
    DvStatus status = dv_object_require(object, ode);
    if (status != DV_OK)
        return status;
    self->ode = dv_object_ops(ode, DV_ODE_SOLVER);
    self->ode_self = dv_object_self(ode);
    DvObject *linear = NULL;
    DvData *link = dv_object_field(ode, "linearSolver");
    if (link && link->field->type == &dv_type_link)
        linear = dv_link_object((const DvLink *)link); /* its first member */
    if (!linear)
        linear = dv_node_find(dv_object_node(ode), DV_LINEAR_SOLVER, DV_SEARCH_DOWN);
    if (!linear || !self->ode->position_factor)
        return dv_error(object, DV_ERROR_UNSUPPORTED,
                        "'%s' has no linear solver that knows how forces move the body; take an EulerImplicitSolver",
                        dv_object_path(ode));
    self->linear = dv_object_ops(linear, DV_LINEAR_SOLVER);
    self->linear_self = dv_object_self(linear);
    self->ops = dv_service(DV_MECHANICAL_OPERATIONS);
    self->m = self->ops->open(dv_object_node(ode));
    return dv_object_require(object, linear);
}

/* Everything that the ODE solver asks in a step. */
static DvStatus initialise_below(DvObject *object, const DvNode *node)
{
    DvObject *other;
    DvNode *child;
    DvStatus status = DV_OK;
    for (size_t i = 0; status == DV_OK && (other = dv_node_member(node, i)); i++)
        if (other != object)
            status = dv_object_initialise_first(object, other);
    for (size_t i = 0; status == DV_OK && (child = dv_node_child(node, i)); i++)
        status = initialise_below(object, child);
    return status;
}

/* ---- Making it ---- */

/* Fields of an iterative solver that say how far it goes. */
typedef struct Bounds {
    DvData *iterations, *tolerance, *threshold; /* NULL: it has none */
    uint32_t old_iterations;
    double old_tolerance, old_threshold;
} Bounds;

static DvData *field_of(DvObject *object, const char *name, const DvType *type)
{
    DvData *field = dv_object_field(object, name);
    return field && field->field->type == type ? field : NULL;
}

/* As near to the inverse as it comes. */
static Bounds tighten(const PrecomputedConstraintCorrection *self)
{
    Bounds b = {0};
    if (self->linear->factor_version)
        return b;
    DvObject *linear = dv_object_of(self->linear_self);
    b.iterations = field_of(linear, "iterations", &dv_type_uint);
    b.tolerance = field_of(linear, "tolerance", &dv_type_double);
    b.threshold = field_of(linear, "threshold", &dv_type_double);
    if (b.iterations) {
        b.old_iterations = dv_data_uint(b.iterations);
        dv_data_set_uint(b.iterations, 5000);
    }
    if (b.tolerance) {
        b.old_tolerance = dv_data_double(b.tolerance);
        dv_data_set_double(b.tolerance, 1e-20);
    }
    if (b.threshold) {
        b.old_threshold = dv_data_double(b.threshold);
        dv_data_set_double(b.threshold, 1e-35);
    }
    return b;
}

static void loosen(const Bounds *b)
{
    if (b->iterations)
        dv_data_set_uint(b->iterations, b->old_iterations);
    if (b->tolerance)
        dv_data_set_double(b->tolerance, b->old_tolerance);
    if (b->threshold)
        dv_data_set_double(b->threshold, b->old_threshold);
}

/* A step of the ODE solver from rest, into the free vectors, under a unit force on unknown `at` (SIZE_MAX: none). */
static DvStatus step_from_rest(PrecomputedConstraintCorrection *self, size_t at)
{
    if (at != SIZE_MAX) {
        double *force = dv_state_write(self->state, DV_EXTERNAL_FORCE, DV_OVERWRITE).at;
        memset(force, 0, self->unknowns * sizeof *force);
        force[at] = 1.0;
    }
    const DvStatus status = self->ode->solve(self->ode_self, self->dt, DV_FREE_POSITION, DV_FREE_VELOCITY);
    self->ops->end_integration(self->m); /* the external force goes */
    return status;
}

/* Unit forces on the unknowns of the state, over those of the linear solver, without what projective constraints hold. */
typedef struct UnitForces {
    uint32_t *start, *columns; /* start: [n + 1] */
    double *values;
} UnitForces;

static void unit_forces_free(UnitForces *unit)
{
    dv_free(unit->start);
    dv_free(unit->columns);
    dv_free(unit->values);
}

static DvStatus unit_forces(PrecomputedConstraintCorrection *self, UnitForces *unit)
{
    const uint32_t n = (uint32_t)self->unknowns, width = self->state.dof->deriv;
    uint32_t *row = dv_alloc(n, sizeof *row), *point = dv_alloc(n, sizeof *point);
    double *values = dv_alloc((size_t)n * width, sizeof *values);
    for (uint32_t i = 0; i < n; i++) {
        row[i] = i;
        point[i] = i / width;
        values[(size_t)i * width + i % width] = 1.0;
    }
    const DvStateRows identity = {self->state.object, n, row, point, values};
    const DvStep step = dv_step_from(self->state.object, self->dt, (DvLinearSolverUse){0});
    DvSparseRows j = {0};
    const DvStatus status = self->ops->project_rows(self->m, &step, &identity, 1, n, DV_ROWS_CONSTRAINED, &j);
    if (status == DV_OK) { /* lent until the next call, which the linear solver may make */
        const uint32_t entries = j.row_start[n];
        unit->start = dv_alloc((size_t)n + 1, sizeof *unit->start);
        unit->columns = dv_alloc(entries, sizeof *unit->columns);
        unit->values = dv_alloc(entries, sizeof *unit->values);
        memcpy(unit->start, j.row_start, ((size_t)n + 1) * sizeof *unit->start);
        memcpy(unit->columns, j.columns, entries * sizeof *unit->columns);
        memcpy(unit->values, j.values, entries * sizeof *unit->values);
    }
    dv_free(row);
    dv_free(point);
    dv_free(values);
    return status;
}

/* `count` columns of A^-1 from `first` on, over the unknowns of the state. `x`: room for as many solutions. */
static DvStatus solve_columns(PrecomputedConstraintCorrection *self, const UnitForces *unit, size_t first,
                              uint32_t count, double *x, double *columns)
{
    uint32_t start[BATCH + 1];
    const size_t all = self->ops->unknowns(self->m), offset = self->ops->offset(self->m, self->state.object);
    for (uint32_t i = 0; i <= count; i++)
        start[i] = unit->start[first + i] - unit->start[first];
    const DvSparseRows rows = {count, start, unit->columns + unit->start[first], unit->values + unit->start[first]};
    const DvStatus status = self->linear->solve_many(self->linear_self, &rows, x, all, NULL);
    for (uint32_t i = 0; i < count; i++)
        memcpy(columns + i * self->unknowns, x + i * all + offset, self->unknowns * sizeof *x);
    return status;
}

static DvStatus solve_all(PrecomputedConstraintCorrection *self, const UnitForces *unit)
{
    const size_t n = self->unknowns;
    double *x = dv_alloc(BATCH * self->ops->unknowns(self->m), sizeof *x);
    DvStatus status = DV_OK;
    for (size_t first = 0; first < n && status == DV_OK; first += BATCH) {
        const uint32_t count = n - first < BATCH ? (uint32_t)(n - first) : BATCH;
        status = solve_columns(self, unit, first, count, x, self->c + first * n);
    }
    dv_free(x);
    return status;
}

/* From A^-1 to C: how the ODE solver turns its solution into velocity is seen in a step that it makes. */
static DvStatus scale_columns(PrecomputedConstraintCorrection *self, size_t at, double velocity)
{
    const double response = self->c[at * self->unknowns + at];
    const double factor = velocity / response * (self->ode->position_factor(self->ode_self, self->dt) / self->dt);
    if (!(response > 0.0) || !isfinite(factor))
        return dv_error(
            dv_object_of(self), DV_ERROR_SINGULAR,
            "a unit force on unknown %zu moves it by %g: the linear system cannot be inverted. Is there a mass, or "
            "stiffness, on every point?",
            at, response);
    for (size_t i = 0; i < self->unknowns * self->unknowns; i++)
        self->c[i] *= factor;
    return DV_OK;
}

static DvStatus make_at_rest(PrecomputedConstraintCorrection *self)
{
    UnitForces unit = {0};
    DvStatus status = unit_forces(self, &unit);
    size_t at = 0;
    while (status == DV_OK && at < self->unknowns && unit.start[at + 1] == unit.start[at])
        at++;
    if (status == DV_OK && at < self->unknowns) { /* else everything is held: C is 0 */
        status = step_from_rest(self, SIZE_MAX);
        double velocity = 0.0;
        if (status == DV_OK) {
            velocity = -dv_state_read(self->state, DV_FREE_VELOCITY).at[at]; /* by forces that act at rest */
            status = step_from_rest(self, at);
        }
        if (status == DV_OK) {
            velocity += dv_state_read(self->state, DV_FREE_VELOCITY).at[at];
            status = solve_all(self, &unit);
        }
        if (status == DV_OK)
            status = scale_columns(self, at, velocity);
    }
    unit_forces_free(&unit);
    return status;
}

static DvStatus make(DvObject *object, PrecomputedConstraintCorrection *self)
{
    DvNode *node = dv_object_node(object);
    const double none[3] = {0.0, 0.0, 0.0};
    double gravity[3];
    memcpy(gravity, dv_node_gravity(node), sizeof gravity);
    const DvStatus status = initialise_below(object, dv_object_node(dv_object_of(self->ode_self)));
    if (status != DV_OK)
        return status;
    const DvStep step = dv_step_from(object, self->dt, (DvLinearSolverUse){0});
    const DvVecId velocity = self->ops->allocate(self->m, DV_DERIVS);
    if (velocity == DV_NO_VEC)
        return DV_ERROR_LIMIT;
    const Bounds bounds = tighten(self);
    dv_node_set_gravity(node, none);
    self->ops->combine(self->m, velocity, DV_VELOCITY, DV_NO_VEC, 0.0);
    self->ops->clear(self->m, DV_VELOCITY);
    self->ops->propagate_position(self->m, &step, DV_POSITION);
    self->ops->propagate_velocity(self->m, &step, DV_VELOCITY);
    const DvStatus made = make_at_rest(self);
    self->ops->combine(self->m, DV_VELOCITY, velocity, DV_NO_VEC, 0.0);
    self->ops->propagate_velocity(self->m, &step, DV_VELOCITY);
    self->ops->combine(self->m, DV_FREE_VELOCITY, DV_VELOCITY, DV_NO_VEC, 0.0);
    self->ops->combine(self->m, DV_FREE_POSITION, DV_POSITION, DV_NO_VEC, 0.0);
    self->ops->release(self->m, velocity);
    if (dv_data_bool(&self->keep_gravity) || dv_node_parent(node, 0))
        dv_node_set_gravity(node, gravity);
    loosen(&bounds);
    self->made = true;
    return made;
}

/* ---- Files ---- */

static void automatic_name(const PrecomputedConstraintCorrection *self, DvText *name)
{
    dv_text_add(name, "%s-%zu-%g.comp", dv_node_name(dv_object_node(dv_object_of(self))), self->unknowns, self->dt);
}

static void use_file(PrecomputedConstraintCorrection *self, const char *folder, const char *name)
{
    DvText path = {0};
    if (folder)
        dv_text_add(&path, "%s/", folder);
    dv_text_add(&path, "%s", name);
    dv_data_set_string(&self->used_file, path.at);
    dv_text_free(&path);
}

/* The file to read, or NULL. */
static const char *find_file(PrecomputedConstraintCorrection *self)
{
    DvText name = {0};
    const char *folder = dv_data_string(&self->directory), *given = dv_data_string(&self->file);
    if (dv_data_bool(&self->recompute))
        return NULL;
    if (*given)
        dv_text_add(&name, "%s", given);
    else
        automatic_name(self, &name);
    use_file(self, *folder ? folder : NULL, name.at);
    dv_text_free(&name);
    const char *found = dv_data_file(&self->used_file);
    if (!found && *given)
        dv_field_warning(&self->file, -1, "there is no file '%s': the compliance is made anew", given);
    return found;
}

/* Only where the scene says so: nobody expects a scene to write files. */
static void write_file(PrecomputedConstraintCorrection *self)
{
    const char *folder = dv_data_string(&self->directory);
    DvText name = {0}, why = {0};
    dv_data_set_string(&self->used_file, "");
    if (!*folder)
        return;
    automatic_name(self, &name);
    use_file(self, folder, name.at);
    dv_text_free(&name);
    const char *path = dv_data_string(&self->used_file);
    DvScene *scene = dv_node_scene(dv_object_node(dv_object_of(self)));
    if (compliance_file_write(scene, path, self->unknowns, self->c, &why) != DV_OK) {
        dv_scene_output_lost(&self->directory, path, &why);
        dv_data_set_string(&self->used_file, "");
    }
    dv_text_free(&why);
}

/* ---- Initialisation ---- */

static void cleanup(DvObject *object, void *self_)
{
    (void)object;
    PrecomputedConstraintCorrection *self = self_;
    if (self->m)
        self->ops->close(self->m);
    self->m = NULL;
    void *arrays[] = {self->c, self->active, self->place, self->response};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        dv_free(arrays[i]);
    self->c = self->response = NULL;
    self->active = self->place = NULL;
    self->response_capacity = 0;
    self->made = self->unchecked = self->told = false;
    dv_state_release(&self->state);
}

static DvStatus init(DvObject *object, void *self_)
{
    PrecomputedConstraintCorrection *self = self_;
    cleanup(object, self);
    dv_data_set_bool(dv_object_field(object, "listening"), true);
    if (dv_data_bool(&self->rotations))
        dv_field_warning(
            &self->rotations, -1,
            "has no effect: the compliance stays that of the initial positions while the body turns; where it "
            "turns far, take a LinearSolverConstraintCorrection");
    return dv_state_require(object, &self->state_link, &self->state);
}

static DvStatus bwd_init(DvObject *object, void *self_)
{
    PrecomputedConstraintCorrection *self = self_;
    self->unknowns = unknowns_of(self);
    self->dt = dv_node_dt(dv_object_node(object));
    if (self->unknowns == 0)
        return dv_error(object, DV_ERROR_INVALID, "state '%s' has no points that a compliance could be made of",
                        dv_object_path(self->state.object));
    if (self->unknowns > MAX_UNKNOWNS)
        return dv_error(object, DV_ERROR_LIMIT,
                        "the compliance of %zu unknowns would take %.1f GB; take a LinearSolverConstraintCorrection",
                        self->unknowns, 8e-9 * (double)self->unknowns * (double)self->unknowns);
    DvStatus status = find_solvers(object, self);
    if (status == DV_OK && self->ops->offset(self->m, self->state.object) == SIZE_MAX)
        status = dv_error(object, DV_ERROR_INVALID, "the ODE solver '%s' does not move state '%s'",
                          dv_object_path(dv_object_of(self->ode_self)), dv_object_path(self->state.object));
    if (status != DV_OK)
        return status;
    const double bytes = (double)self->unknowns * (double)self->unknowns * sizeof *self->c;
    status = dv_memory_ask(object, bytes, "the compliance of %zu unknowns", self->unknowns);
    if (status != DV_OK)
        return status;
    double *c = self->c = dv_alloc(self->unknowns * self->unknowns, sizeof *self->c);
    const char *path = find_file(self);
    if (path) {
        status = compliance_file_read(object, path, self->unknowns, c);
        self->unchecked = status == DV_OK;
    } else {
        status = make(object, self);
        if (status == DV_OK)
            write_file(self);
    }
    if (status != DV_OK) {
        dv_free(c);
        self->c = NULL;
        return status;
    }
    self->active = dv_alloc(self->unknowns, sizeof *self->active);
    self->place = dv_alloc(self->unknowns, sizeof *self->place);
    return DV_OK;
}

/* The step without gravity. */
static void handle_event(DvObject *object, void *self_, DvEvent *event)
{
    PrecomputedConstraintCorrection *self = self_;
    const double none[3] = {0.0, 0.0, 0.0};
    if (event->kind != DV_EVENT_ANIMATE_BEGIN || dv_data_bool(&self->gravity_is_back))
        return;
    if (self->made && !dv_data_bool(&self->keep_gravity))
        dv_node_set_gravity(dv_object_node(object), none); /* that of the parent comes back at the end of the step */
    dv_data_set_bool(&self->gravity_is_back, true);
}

/* ---- C ---- */

static uint32_t states(void *self_, DvObject **objects, uint32_t capacity)
{
    PrecomputedConstraintCorrection *self = self_;
    if (!self->c)
        return 0;
    if (capacity > 0)
        objects[0] = self->state.object;
    return 1;
}

/* A file of other material, or of another time step, has the same name and size: its first answer is compared with that of the
 * body. */
static void check_file(PrecomputedConstraintCorrection *self)
{
    UnitForces unit = {0};
    const size_t n = self->unknowns;
    double *x = dv_alloc(self->ops->unknowns(self->m), sizeof *x), *column = dv_alloc(n, sizeof *column);
    DvStatus status = unit_forces(self, &unit);
    size_t at = 0;
    while (status == DV_OK && at < n && unit.start[at + 1] == unit.start[at])
        at++;
    if (status == DV_OK && at < n)
        status = solve_columns(self, &unit, at, 1, x, column);
    const double factor = self->ode->position_factor(self->ode_self, self->dt);
    double off = 0.0, size = 0.0;
    for (size_t i = 0; i < n && at < n && status == DV_OK; i++) {
        off = fmax(off, fabs(factor * column[i] - self->c[at * n + i]));
        size = fmax(size, fabs(factor * column[i]));
    }
    if (off > 0.01 * size)
        dv_warning(
            dv_object_of(self),
            "'%s' is not the compliance of this body as it is now: a force on unknown %zu moves it by %g there, by %g "
            "here. Forces will be wrong; make the file anew with recompute=\"1\"",
            dv_data_string(&self->used_file), at, self->c[at * n + at], factor * column[at]);
    unit_forces_free(&unit);
    dv_free(x);
    dv_free(column);
}

static DvStatus check_body(PrecomputedConstraintCorrection *self)
{
    if (unknowns_of(self) != self->unknowns)
        return dv_error(dv_object_of(self), DV_ERROR_INVALID,
                        "the body has %zu unknowns now, its compliance was made of %zu; where a mesh changes, take a "
                        "LinearSolverConstraintCorrection",
                        unknowns_of(self), self->unknowns);
    return DV_OK;
}

/* Unknowns that J has. */
static uint32_t find_active(PrecomputedConstraintCorrection *self, const DvSparseRows *j)
{
    uint32_t count = 0;
    memset(self->place, 0, self->unknowns * sizeof *self->place);
    for (uint32_t e = 0; e < j->row_start[j->rows]; e++) {
        if (self->place[j->columns[e]] > 0)
            continue;
        self->active[count] = j->columns[e];
        self->place[j->columns[e]] = ++count;
    }
    return count;
}

/* C J^T at the active unknowns, by rows of J. */
static DvStatus respond_to_rows(PrecomputedConstraintCorrection *self, const DvSparseRows *j, uint32_t active,
                                double factor)
{
    const size_t numbers = (size_t)j->rows * active;
    if (numbers > self->response_capacity) {
        const size_t more = numbers + numbers / 2;
        const DvStatus room = dv_memory_ask(dv_object_of(self), (double)more * sizeof *self->response,
                                            "the responses to %u constraints", j->rows);
        if (room != DV_OK)
            return room;
        dv_free(self->response);
        self->response_capacity = more;
        self->response = dv_alloc(self->response_capacity, sizeof *self->response);
    }
    memset(self->response, 0, numbers * sizeof *self->response);
    for (uint32_t r = 0; r < j->rows; r++)
        for (uint32_t e = j->row_start[r]; e < j->row_start[r + 1]; e++) {
            const double *column = self->c + j->columns[e] * self->unknowns, value = factor * j->values[e];
            double *response = self->response + (size_t)r * active;
            for (uint32_t a = 0; a < active; a++)
                response[a] += value * column[self->active[a]];
        }
    return DV_OK;
}

/* Once for each point that row r acts on. */
static double regularization(PrecomputedConstraintCorrection *self, const DvSparseRows *j, uint32_t r)
{
    const uint32_t width = self->state.dof->deriv;
    uint32_t points = 0;
    for (uint32_t e = j->row_start[r]; e < j->row_start[r + 1]; e++)
        points += e == j->row_start[r] || j->columns[e] / width != j->columns[e - 1] / width;
    return points * dv_data_double(&self->regularization_term);
}

static DvStatus compliance(void *self_, const DvStep *step, DvConstraintOrder order, bool unbuilt,
                           const DvSparseRows *j, DvComplianceSink *sink)
{
    PrecomputedConstraintCorrection *self = self_;
    DvStatus status = check_body(self);
    if (status != DV_OK)
        return status;
    const uint32_t n = j->rows, active = find_active(self, j);
    status = respond_to_rows(self, j, active, order == DV_CONSTRAIN_VELOCITY && !unbuilt ? 1.0 / step->dt : 1.0);
    if (status != DV_OK)
        return status;
    double *w = sink->alloc(sink, (size_t)n * n * sizeof *w);
    if (!w)
        return DV_ERROR_LIMIT;
    for (uint32_t r = 0; r < n; r++) {
        for (uint32_t s = r; s < n; s++) {
            const double *response = self->response + (size_t)s * active;
            double sum = 0.0;
            for (uint32_t e = j->row_start[r]; e < j->row_start[r + 1]; e++)
                sum += j->values[e] * response[self->place[j->columns[e]] - 1];
            w[(size_t)r * n + s] = w[(size_t)s * n + r] = sum;
        }
        w[(size_t)r * n + r] += regularization(self, j, r);
    }
    sink->block->w = w;
    return DV_OK;
}

static DvStatus respond(void *self_, const DvStep *step, const DvSparseRows *force)
{
    PrecomputedConstraintCorrection *self = self_;
    (void)step;
    const DvStatus status = check_body(self);
    if (status != DV_OK || self->unknowns == 0)
        return status;
    double *dx = dv_state_write(self->state, DV_DX, DV_OVERWRITE).at;
    memset(dx, 0, self->unknowns * sizeof *dx);
    for (uint32_t e = 0; e < force->row_start[1]; e++) {
        const double *column = self->c + force->columns[e] * self->unknowns;
        for (size_t i = 0; i < self->unknowns; i++)
            dx[i] += force->values[e] * column[i];
    }
    return DV_OK;
}

/* Asked in each step. */
static void factors(void *self_, const DvStep *step, DvConstraintOrder order, double *position, double *velocity)
{
    PrecomputedConstraintCorrection *self = self_;
    (void)order;
    if (self->unchecked && unknowns_of(self) == self->unknowns && step->time <= 0.0)
        check_file(self);
    self->unchecked = false;
    if (!self->told && fabs(step->dt - self->dt) > 1e-9 * self->dt) {
        dv_warning(
            dv_object_of(self),
            "its compliance is that of steps of %g s, and this one is of %g s: forces will be wrong; set the dt of the "
            "root to that of the steps",
            self->dt, step->dt);
        self->told = true;
    }
    *position = 1.0;
    *velocity = 1.0 / step->dt;
}

static const DvConstraintCorrectionOps ops = {
    .size = sizeof ops, .states = states, .compliance = compliance, .respond = respond, .factors = factors};

static void reset(DvObject *object, void *self)
{
    (void)object;
    dv_data_set_bool(&((PrecomputedConstraintCorrection *)self)->gravity_is_back, true);
}

const DvClass dv_precomputed_constraint_correction = {
    .size = sizeof(DvClass),
    .name = "PrecomputedConstraintCorrection",
    .variants = "Rigid3d Vec1d Vec3d",
    .variant_rule = DV_VARIANT_OF_ALL,
    .sources = (const DvVariantSource[]){{.attribute = "mstate", .path = "", .contract = DV_STATE}, {0}},
    .bases = (const char *const[]){"BaseConstraintCorrection", NULL},
    .family = "constraint corrections",
    .module = "Sofa.Component.Constraint.Lagrangian.Correction",
    .help = "How constraint forces move a body: by a matrix made once at its initial positions.",
    .instance_size = sizeof(PrecomputedConstraintCorrection),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_CONSTRAINT_CORRECTION, .ops = &ops}, {0}},
    .init = init,
    .bwd_init = bwd_init,
    .reset = reset,
    .handle_event = handle_event,
    .cleanup = cleanup,
};
