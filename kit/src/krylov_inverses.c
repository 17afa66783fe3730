/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Preconditioned conjugate gradients that stay on a device; the iteration is that of PCGLinearSolver in the same order.
 */
#include "krylov_repeat.h"
#include "krylov_rows.h"

#include <divan/kit/krylov_inverses.h>
#include <divan/memory.h>
#include <divan/plugin.h>

struct DvInverseThere {
    DvStateRef state;
    uint32_t points;
    DvTwin *twin;       /* NULL: it is a diagonal that has been made there, */
    DvAddress diagonal; /* this one, of the space */
};

static void forget(DvKrylovInverses *inverses)
{
    for (uint32_t i = 0; i < inverses->states; i++) {
        const struct DvInverseThere *there = &inverses->there[i];
        if (there->twin)
            there->twin->ops->free(there->twin);
        if (there->diagonal)
            inverses->space->ops->give(inverses->space, there->diagonal);
    }
    inverses->states = 0;
    if (inverses->space)
        inverses->space->ops->close(inverses->space);
    inverses->space = NULL;
}

void dv_krylov_inverses_free(DvKrylovInverses *inverses)
{
    forget(inverses);
    dv_free(inverses->there);
    inverses->there = NULL;
    inverses->capacity = 0;
}

/* ---- The inverses of the states ---- */

static bool is_of(const DvKrylovInverses *inverses, const DvKrylovSpace *space, const DvVectorSpace *device)
{
    bool same = inverses->space == device && inverses->states == space->known;
    for (uint32_t i = 0; i < space->known && same; i++)
        same = inverses->there[i].state.object == space->state[i].object &&
               inverses->there[i].points == dv_state_count(space->state[i]) &&
               (inverses->there[i].twin == NULL) == inverses->is_made_there;
    return same;
}

static void describe(const DvDiagonalBlocks *blocks, size_t first, DvStateRef s, uint64_t version, DvOperator *op)
{
    const size_t points = dv_state_count(s), n = points * s.dof->deriv;
    op->name = "diagonal blocks";
    if (blocks->width == 1)
        dv_operator_add_numbers(op, "diagonal", blocks->numbers + first, points, s.dof->deriv, version);
    else
        dv_operator_add_numbers(op, "inverse", blocks->numbers + 3 * first, n / 3, 9, version);
}

DvTwin *dv_twin_of(const DvStorage *storage, DvStateRef s, const DvOperator *op, DvText *why)
{
    const void *services[DV_MOST_SPACES];
    const size_t count = dv_services(DV_DEVICE_OPERATORS, services, DV_MOST_SPACES);
    DvTwin *twin = NULL;
    for (size_t i = 0; i < count && i < DV_MOST_SPACES && !twin; i++)
        twin = ((const DvDeviceOperatorsOps *)services[i])
                   ->make(storage->space, storage->precision, s.dof, dv_state_count(s), op, why);
    return twin;
}

/* One that is there takes over other numbers, or another one is made. */
static bool take_state(DvKrylovInverses *inverses, const DvStorage *storage, uint32_t i, DvStateRef s,
                       const DvOperator *op)
{
    DvText why = {0};
    if (i < inverses->states) {
        DvTwin *twin = inverses->there[i].twin;
        const bool done = twin->ops->update(twin, op, &why);
        dv_text_free(&why);
        return done;
    }
    DvTwin *twin = dv_twin_of(storage, s, op, &why);
    dv_text_free(&why);
    if (!twin || !twin->ops->acceleration) {
        if (twin)
            twin->ops->free(twin);
        return false;
    }
    inverses->there[inverses->states++] = (struct DvInverseThere){s, dv_state_count(s), twin, 0};
    return true;
}

static bool hold(DvKrylovInverses *inverses, const DvKrylovSpace *space, const DvVectorSpace *device)
{
    DvText why = {0};
    forget(inverses);
    if (space->known > inverses->capacity) {
        dv_free(inverses->there);
        inverses->capacity = space->known;
        inverses->there = dv_alloc(inverses->capacity, sizeof *inverses->there);
    }
    inverses->space = device->ops->open(dv_node_scene(dv_object_node(space->state[0].object)), device->number, &why);
    dv_text_free(&why);
    return inverses->space != NULL;
}

/* ---- A diagonal that is made there ---- */

static DvAddress address_of(DvStateRef s, DvVecId id, const DvVectorSpace *device)
{
    return dv_vector_as_address(s.ops->read(s.self, id, device->number));
}

/* R: the diagonal with 1 where constraints fix, by Q and P. */
static bool make_diagonal(DvKrylovSpace *space, const DvStorage *storage)
{
    const DvMechanicalOperationsOps *ops = space->ops;
    const DvVecId *ids = space->ids;
    ops->clear(space->m, ids[DV_KRYLOV_R]);
    if (!ops->add_diagonal(space->m, &space->step, space->factors, ids[DV_KRYLOV_R]))
        return false;
    for (uint32_t i = 0; i < space->known; i++) {
        const DvStateRef s = space->state[i];
        double *at = s.ops->write(s.self, ids[DV_KRYLOV_P], storage->space->number, DV_OVERWRITE);
        if (!at)
            return false;
        storage->space->ops->fill(storage->space, dv_vector_as_address(at), storage->precision,
                                  (size_t)dv_state_count(s) * s.dof->deriv, 1.0);
    }
    ops->combine(space->m, ids[DV_KRYLOV_Q], ids[DV_KRYLOV_P], DV_NO_VEC, 0.0);
    ops->project_response(space->m, &space->step, ids[DV_KRYLOV_Q], DV_WALK_VISITOR);
    ops->project_response(space->m, &space->step, ids[DV_KRYLOV_R], DV_WALK_VISITOR);
    ops->combine(space->m, ids[DV_KRYLOV_P], ids[DV_KRYLOV_P], ids[DV_KRYLOV_Q], -1.0);
    ops->combine(space->m, ids[DV_KRYLOV_R], ids[DV_KRYLOV_R], ids[DV_KRYLOV_P], 1.0);
    return true;
}

/* Keeps R of a state. */
static bool keep_diagonal(DvKrylovInverses *inverses, const DvKrylovSpace *space, const DvStorage *storage, uint32_t i)
{
    const DvStateRef s = space->state[i];
    const size_t n = (size_t)dv_state_count(s) * s.dof->deriv;
    const DvVectorSpaceOps *ops = storage->space->ops;
    if (i == inverses->states) {
        const DvAddress at = ops->take(storage->space, dv_space_bytes(storage->precision, n ? n : 1));
        inverses->there[inverses->states++] = (struct DvInverseThere){s, dv_state_count(s), NULL, at};
    }
    const DvAddress to = inverses->there[i].diagonal, from = address_of(s, space->ids[DV_KRYLOV_R], storage->space);
    if (to && from)
        ops->combine(storage->space, to, from, 0, storage->precision, n, 0.0);
    return to != 0;
}

static bool make_there(DvKrylovInverses *inverses, DvKrylovSpace *space, const DvStorage *storage)
{
    bool made = make_diagonal(space, storage);
    for (uint32_t i = 0; i < space->known && made; i++)
        made = keep_diagonal(inverses, space, storage, i);
    return made;
}

bool dv_krylov_inverses_may_be_made_there(const DvKrylovInverses *inverses, const DvMechanicalOperationsOps *ops,
                                          DvMechanics *m)
{
    if (!inverses->ops || inverses->ops->size <= offsetof(DvDiagonalBlocksOps, is_diagonal) ||
        !inverses->ops->is_diagonal || !ops->add_diagonal)
        return false;
    const DvVectorSpace *device = ops->storage(m).space;
    return device && dv_space_fault(device) == DV_OK && device->ops->size > offsetof(DvVectorSpaceOps, divide) &&
           device->ops->divide;
}

/* ---- Both ---- */

static bool take_from_host(DvKrylovInverses *inverses, const DvKrylovSpace *space, const DvStorage *storage)
{
    const DvDiagonalBlocks blocks = inverses->ops->get(inverses->self);
    bool done = blocks.width == 1 || blocks.width == 3;
    for (uint32_t i = 0; i < space->known && done; i++) {
        const DvStateRef s = space->state[i];
        const size_t first = space->ops->offset(space->m, s.object), n = (size_t)dv_state_count(s) * s.dof->deriv;
        DvOperator op = {0};
        describe(&blocks, first, s, inverses->built + 1, &op);
        done = first % blocks.width == 0 && n % blocks.width == 0 && first + n <= space->n &&
               take_state(inverses, storage, i, s, &op);
    }
    return done;
}

/* Brings the inverses there up to date; false: they cannot be there, since blocks lie across states, or nobody has the operator. */
static bool take(DvKrylovInverses *inverses, DvKrylovSpace *space, const DvStorage *storage)
{
    const bool same = is_of(inverses, space, storage->space);
    if (same && inverses->taken == inverses->built)
        return true;
    if (space->known == 0 || (!same && !hold(inverses, space, storage->space)))
        return false;
    const bool done =
        inverses->is_made_there ? make_there(inverses, space, storage) : take_from_host(inverses, space, storage);
    if (!done)
        forget(inverses);
    inverses->taken = inverses->built;
    return done;
}

/* ---- Solves ---- */

bool dv_krylov_inverses_begin(DvKrylovSpace *space, DvKrylovCourse *course, DvKrylovInverses *inverses,
                              uint32_t iterations)
{
    if (!dv_krylov_course_begin(space, course, iterations))
        return false;
    if (dv_space_fault(course->storage.space) != DV_OK) /* nothing is solved there any more */
        return true;
    if ((inverses->ops && !take(inverses, space, &course->storage)) ||
        (inverses->solver && !inverses->solver->take(inverses->self)))
        course->storage.space = NULL;
    return course->storage.space != NULL;
}

/* z = P^-1 R */
static void precondition(const KrylovMethod *method, int z)
{
    const DvKrylovSpace *space = method->space;
    const DvKrylovInverses *inverses = method->own;
    const DvVecId *ids = method->ids;
    const DvSpace number = method->course->storage.space->number;
    if (inverses->solver)
        inverses->solver->solve(inverses->self, ids[z], ids[DV_KRYLOV_R]);
    else if (!inverses->ops)
        space->ops->combine(space->m, ids[z], ids[DV_KRYLOV_R], DV_NO_VEC, 0.0);
    for (uint32_t i = 0; inverses->ops && i < inverses->states; i++) {
        const DvStateRef s = inverses->there[i].state;
        const uint32_t points = inverses->there[i].points;
        const DvConstVec r = {s.ops->read(s.self, ids[DV_KRYLOV_R], number), points, s.dof->deriv};
        const DvVec to = {s.ops->write(s.self, ids[z], number, DV_OVERWRITE), points, s.dof->deriv};
        DvVectorSpace *device = method->course->storage.space;
        if (r.at && to.at && inverses->there[i].twin)
            inverses->there[i].twin->ops->acceleration(inverses->there[i].twin, r, to);
        else if (r.at && to.at)
            device->ops->divide(device, dv_vector_as_address(to.at), dv_vector_as_address(r.at),
                                inverses->there[i].diagonal, method->course->storage.precision,
                                (size_t)points * s.dof->deriv);
    }
}

static void after(const KrylovMethod *method)
{
    const DvKrylovSpace *space = method->space;
    const DvMechanicalOperationsOps *ops = space->ops;
    const DvVecId *ids = method->ids;
    const uint32_t alpha = method->first + ALPHA;
    ops->dot_to(space->m, method->first + DENOMINATOR, ids[DV_KRYLOV_P], ids[DV_KRYLOV_Q]);
    CALCULATE(method, {DV_SLOT_DIVIDE, ALPHA, RHO, DENOMINATOR}, {DV_SLOT_COPY, PREVIOUS, RHO, 0});
    ops->combine_by(space->m, ids[DV_KRYLOV_X], ids[DV_KRYLOV_X], ids[DV_KRYLOV_P], alpha, 1.0);
    ops->combine_by(space->m, ids[DV_KRYLOV_R], ids[DV_KRYLOV_R], ids[DV_KRYLOV_Q], alpha, -1.0);
    ops->dot_to(space->m, method->first + LEFT, ids[DV_KRYLOV_R], ids[DV_KRYLOV_R]);
    precondition(method, DV_KRYLOV_Q);
    ops->dot_to(space->m, method->first + RHO, ids[DV_KRYLOV_R], ids[DV_KRYLOV_Q]);
    CALCULATE(method, {DV_SLOT_KEEP, NEXT, LEFT, 0}, {DV_SLOT_KEEP, NEXT, RHO, 0},
              {DV_SLOT_DIVIDE, BETA, RHO, PREVIOUS}, {DV_SLOT_AT_MOST, STOP, RHO, THRESHOLD});
    ops->combine_by(space->m, ids[DV_KRYLOV_P], ids[DV_KRYLOV_Q], ids[DV_KRYLOV_P], method->first + BETA, 1.0);
}

/* Before the first iteration: R, P, and what ends it. */
static void prepare(const KrylovMethod *method, double tolerance)
{
    const DvKrylovSpace *space = method->space;
    const DvKrylovCourse *course = method->course;
    const DvMechanicalOperationsOps *ops = space->ops;
    const DvVecId *ids = method->ids;
    double slots[VALUES - DV_SLOT_OWN] = {0};
    slots[NEXT - DV_SLOT_OWN] = method->first + VALUES;
    slots[TOLERANCE - DV_SLOT_OWN] = tolerance;
    course->storage.space->ops->put_slots(course->storage.space, method->first + DV_SLOT_OWN, slots,
                                          VALUES - DV_SLOT_OWN);
    krylov_course_product(method, DV_KRYLOV_Q, DV_KRYLOV_X);
    ops->combine(space->m, ids[DV_KRYLOV_R], ids[DV_KRYLOV_B], ids[DV_KRYLOV_Q], -1.0);
    precondition(method, DV_KRYLOV_P);
    ops->dot_to(space->m, method->first + B_SQUARED, ids[DV_KRYLOV_B], ids[DV_KRYLOV_B]);
    ops->dot_to(space->m, method->first + RHO, ids[DV_KRYLOV_R], ids[DV_KRYLOV_P]);
    CALCULATE(method, {DV_SLOT_COPY, FIRST, RHO, 0}, {DV_SLOT_MULTIPLY, THRESHOLD, TOLERANCE, B_SQUARED},
              {DV_SLOT_AT_MOST, STOP, RHO, THRESHOLD});
}

double dv_krylov_inverses_run(DvKrylovSpace *space, DvKrylovCourse *course, DvKrylovInverses *inverses,
                              uint32_t iterations, double tolerance, uint32_t expected)
{
    DvVectorSpace *device = course->storage.space;
    KrylovMethod method = {.space = space, .course = course, .after = after, .own = inverses};
    double slots[DV_SLOTS] = {0};
    course->b_squared = 0.0;
    if (dv_space_fault(device) != DV_OK)
        return 0.0;
    if (krylov_rows_take(&method, slots)) {
        course->b_squared = slots[B_SQUARED];
        return slots[FIRST];
    }
    krylov_method_begin(&method);
    prepare(&method, tolerance);
    if (krylov_rows_ask(&method, iterations))
        return 0.0;
    device->ops->guard(device, STOP);
    if (iterations > 0)
        krylov_course_turn(&method, 1);
    krylov_course_repeat(&method, iterations > 0, iterations, expected, slots);
    device->ops->guard(device, DV_NO_SLOT);
    if (dv_space_fault(device) != DV_OK)
        return 0.0;
    course->b_squared = slots[B_SQUARED];
    return slots[FIRST];
}
