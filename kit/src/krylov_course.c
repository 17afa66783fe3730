/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Conjugate gradients that stay on a device. Their scalars are in slots; the host asks for an iteration once, has it repeated as often as
 * the last solve took, and looks. What ends a solve sets a slot that leaves all that follows undone, so batches never show.
 *
 * An iteration is that of CGLinearSolver in the same order: what comes home are the denominators and the squares of the residuals, from which
 * the host takes the same decisions, with the same warnings and curves.
 */
#include "krylov_repeat.h"
#include "krylov_rows.h"

#include <divan/memory.h>

#include <math.h>
#include <string.h>

static const DvVectorSpaceOps *ops_of(const DvKrylovCourse *course)
{
    return course->storage.space->ops;
}

void krylov_course_reserve(DvKrylovCourse *course, uint32_t iterations)
{
    if (iterations > course->capacity) {
        dv_free(course->denominator);
        dv_free(course->rho);
        course->denominator = dv_alloc(iterations, sizeof *course->denominator);
        course->rho = dv_alloc(iterations, sizeof *course->rho);
        course->capacity = iterations;
    }
    course->turns = 0;
}

void krylov_course_calculate(const KrylovMethod *method, const DvSlotStep *steps, uint32_t count)
{
    enum { MOST = 24 };
    DvSlotStep moved[MOST];
    for (uint32_t i = 0; i < count && i < MOST; i++)
        moved[i] = (DvSlotStep){steps[i].action, steps[i].r + method->first, steps[i].a + method->first,
                                steps[i].b + method->first};
    ops_of(method->course)->calculate(method->course->storage.space, moved, count < MOST ? count : MOST);
}

void krylov_course_product(const KrylovMethod *method, int q, int p)
{
    const DvKrylovSpace *space = method->space;
    const DvVecId *ids = method->ids;
    space->ops->clear(space->m, ids[q]);
    space->ops->add_mbk(space->m, &space->step, space->factors, ids[q], ids[p], DV_WALK_VISITOR);
    space->ops->project_response(space->m, &space->step, ids[q], DV_WALK_VISITOR);
}

static void product_of_all(const KrylovMethod *columns, uint32_t width)
{
    const DvKrylovSpace *space = columns->space;
    const DvMechanicalOperationsOps *ops = space->ops;
    DvVecId q[COLUMNS], p[COLUMNS];
    for (uint32_t i = 0; i < width; i++) {
        q[i] = columns[i].ids[DV_KRYLOV_Q];
        p[i] = columns[i].ids[DV_KRYLOV_P];
        ops->clear(space->m, q[i]);
    }
    ops->add_mbk_columns(space->m, &space->step, space->factors, width, q, p, DV_WALK_VISITOR);
    for (uint32_t i = 0; i < width; i++)
        ops->project_response(space->m, &space->step, q[i], DV_WALK_VISITOR);
}

/* ALL_STOP from the STOP of each. */
static void find_whether_all_have_ended(const KrylovMethod *columns, uint32_t width)
{
    DvSlotStep steps[COLUMNS];
    steps[0] = (DvSlotStep){DV_SLOT_COPY, ALL_STOP, columns[0].first + STOP, 0};
    for (uint32_t i = 1; i < width; i++)
        steps[i] = (DvSlotStep){DV_SLOT_MULTIPLY, ALL_STOP, ALL_STOP, columns[i].first + STOP};
    ops_of(columns->course)->calculate(columns->course->storage.space, steps, width);
}

void krylov_course_turn(const KrylovMethod *columns, uint32_t width)
{
    DvVectorSpace *device = columns->course->storage.space;
    if (width == 1) {
        if (columns->before)
            columns->before(columns);
        krylov_course_product(columns, DV_KRYLOV_Q, DV_KRYLOV_P);
        columns->after(columns);
        return;
    }
    for (uint32_t i = 0; i < width && columns->before; i++) {
        device->ops->guard(device, columns[i].first + STOP);
        columns[i].before(&columns[i]);
    }
    device->ops->guard(device, DV_NO_SLOT);
    find_whether_all_have_ended(columns, width);
    device->ops->guard(device, ALL_STOP);
    product_of_all(columns, width);
    for (uint32_t i = 0; i < width; i++) {
        device->ops->guard(device, columns[i].first + STOP);
        columns[i].after(&columns[i]);
    }
    device->ops->guard(device, DV_NO_SLOT);
}

bool dv_krylov_course_begin(DvKrylovSpace *space, DvKrylovCourse *course, uint32_t iterations)
{
    course->storage = (DvStorage){NULL, DV_DOUBLE};
    if (space->matrix == NULL && space->parts == 0 && space->ops->storage)
        course->storage = space->ops->storage(space->m);
    if (!course->storage.space)
        return false;
    krylov_course_reserve(course, iterations);
    return true;
}

void dv_krylov_course_free(DvKrylovCourse *course)
{
    dv_free(course->denominator);
    dv_free(course->rho);
    *course = (DvKrylovCourse){.capacity = 0};
}

static void put_limits(const KrylovMethod *method, double tolerance, double threshold)
{
    ops_of(method->course)
        ->put_slots(method->course->storage.space, method->first + TOLERANCE, (const double[]){tolerance, threshold},
                    2);
}

/* One iteration, asked for: up to its product... */
static void before(const KrylovMethod *method)
{
    const DvKrylovSpace *space = method->space;
    const DvVecId *ids = method->ids;
    CALCULATE(method, {DV_SLOT_ROOT, ERROR, RHO, 0}, {DV_SLOT_DIVIDE, ERROR, ERROR, B_NORM},
              {DV_SLOT_AT_MOST, STOP, ERROR, TOLERANCE}, {DV_SLOT_DIVIDE, BETA, RHO, PREVIOUS});
    space->ops->combine_by(space->m, ids[DV_KRYLOV_P], ids[DV_KRYLOV_R], ids[DV_KRYLOV_P], method->first + BETA, 1.0);
}

/* ...and from there on. */
static void after(const KrylovMethod *method)
{
    const DvKrylovSpace *space = method->space;
    const DvMechanicalOperationsOps *ops = space->ops;
    const DvVecId *ids = method->ids;
    const uint32_t alpha = method->first + ALPHA;
    ops->dot_to(space->m, method->first + DENOMINATOR, ids[DV_KRYLOV_P], ids[DV_KRYLOV_Q]);
    CALCULATE(method, {DV_SLOT_KEEP, NEXT, DENOMINATOR, 0}, {DV_SLOT_SIZE, SIZE, DENOMINATOR, 0},
              {DV_SLOT_NOT_ABOVE, STOP, SIZE, THRESHOLD}, {DV_SLOT_DIVIDE, ALPHA, RHO, DENOMINATOR},
              {DV_SLOT_COPY, PREVIOUS, RHO, 0});
    ops->combine_by(space->m, ids[DV_KRYLOV_X], ids[DV_KRYLOV_X], ids[DV_KRYLOV_P], alpha, 1.0);
    ops->combine_by(space->m, ids[DV_KRYLOV_R], ids[DV_KRYLOV_R], ids[DV_KRYLOV_Q], alpha, -1.0);
    ops->dot_to(space->m, method->first + RHO, ids[DV_KRYLOV_R], ids[DV_KRYLOV_R]);
    CALCULATE(method, {DV_SLOT_KEEP, NEXT, RHO, 0}, {DV_SLOT_NOT_ABOVE, STOP, RHO, LEAST});
}

/* Before the first iteration. */
static void prepare(const KrylovMethod *method)
{
    const DvKrylovSpace *space = method->space;
    const DvKrylovCourse *course = method->course;
    const DvMechanicalOperationsOps *ops = space->ops;
    const DvVecId *ids = method->ids;
    double slots[VALUES - DV_SLOT_OWN] = {0};
    slots[PREVIOUS - DV_SLOT_OWN] = INFINITY; /* so that P becomes R */
    slots[NEXT - DV_SLOT_OWN] = method->first + VALUES;
    slots[LEAST - DV_SLOT_OWN] = -1.0;
    ops_of(course)->put_slots(course->storage.space, method->first + DV_SLOT_OWN, slots, VALUES - DV_SLOT_OWN);
    ops->combine(space->m, ids[DV_KRYLOV_R], ids[DV_KRYLOV_B], DV_NO_VEC, 0.0);
    ops->clear(space->m, ids[DV_KRYLOV_P]);
    ops->dot_to(space->m, method->first + B_SQUARED, ids[DV_KRYLOV_B], ids[DV_KRYLOV_B]);
    ops->dot_to(space->m, method->first + RHO, ids[DV_KRYLOV_R], ids[DV_KRYLOV_R]);
    /* Without a right-hand side there is nothing to do; SIZE is zero yet. */
    CALCULATE(method, {DV_SLOT_ROOT, B_NORM, B_SQUARED, 0}, {DV_SLOT_NOT_ABOVE, STOP, B_SQUARED, SIZE});
}

bool krylov_course_take(DvKrylovCourse *course, const double *slots)
{
    if (!(slots[NEXT] >= VALUES)) /* of a device that is lost, or only counts */
        return true;
    const uint32_t kept = (uint32_t)slots[NEXT] - VALUES;
    for (uint32_t i = 0; i < kept && course->turns < course->capacity; i++) {
        if (i % 2 == 0) {
            course->denominator[course->turns] = slots[VALUES + i];
            course->rho[course->turns] = NAN; /* unless it has come that far */
            course->turns += i + 1 == kept;
        } else {
            course->rho[course->turns++] = slots[VALUES + i];
        }
    }
    return slots[STOP] != 0.0;
}

/* What has come home; whether the solve is over. */
static bool look(DvKrylovCourse *course, double *slots)
{
    ops_of(course)->get_slots(course->storage.space, 0, slots, DV_SLOTS);
    ops_of(course)->put_slots(course->storage.space, NEXT, (const double[]){VALUES}, 1);
    return krylov_course_take(course, slots);
}

void krylov_course_keep(const KrylovMethod *method, DvAddress to, uint32_t count)
{
    DvVectorSpace *device = method->course->storage.space;
    device->ops->keep_slots(device, to, method->first, count);
    device->ops->put_slots(device, method->first + NEXT, (const double[]){method->first + VALUES}, 1);
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

void krylov_course_ahead(const KrylovMethod *columns, uint32_t width, uint32_t count, bool *recorded)
{
    DvVectorSpace *device = columns->course->storage.space;
    if (!*recorded && count > 0) {
        device->ops->record(device);
        krylov_course_turn(columns, width);
        *recorded = device->ops->end_record(device);
    }
    if (*recorded)
        device->ops->replay(device, count);
    for (uint32_t i = 0; i < count && !*recorded; i++)
        krylov_course_turn(columns, width);
}

/* More iterations than slots have room for, `first` of which have been asked for: slots are kept there part by part, and come home at once.
 * false: that cannot be done. */
static bool look_far(const KrylovMethod *method, uint32_t first, uint32_t count, bool *recorded, double slots[DV_SLOTS],
                     bool *over)
{
    const uint32_t parts = (first + count + MOST_AHEAD - 1) / MOST_AHEAD;
    const size_t bytes = (size_t)parts * DV_SLOTS * sizeof *slots;
    if (parts < 2 || !krylov_rows_begin(method->space))
        return false;
    DvKrylovRows *rows = method->space->rows;
    DvVectorSpace *device = rows->space;
    if (!krylov_rows_reserve(rows, &rows->store, &rows->store_bytes, bytes))
        return false;
    for (uint32_t part = 0; part < parts; part++) {
        const uint32_t some = smaller(count, part == 0 ? MOST_AHEAD - first : MOST_AHEAD);
        krylov_course_ahead(method, 1, some, recorded);
        count -= some;
        device->ops->guard(device, DV_NO_SLOT);
        krylov_course_keep(method, rows->store + (size_t)part * DV_SLOTS * sizeof *slots, DV_SLOTS);
        device->ops->guard(device, STOP);
    }
    const DvStepMark mark = dv_step_mark();
    double *from = dv_step_alloc((size_t)parts * DV_SLOTS, sizeof *from);
    device->ops->get(device, from, rows->store, bytes);
    for (uint32_t part = 0; part < parts; part++)
        *over = krylov_course_take(method->course, from + (size_t)part * DV_SLOTS);
    memcpy(slots, from + (size_t)(parts - 1) * DV_SLOTS, DV_SLOTS * sizeof *slots);
    dv_step_release(mark);
    return true;
}

void krylov_course_repeat(const KrylovMethod *method, uint32_t asked, uint32_t iterations, uint32_t expected,
                          double slots[DV_SLOTS])
{
    DvKrylovCourse *course = method->course;
    bool recorded = false, over = false;
    const uint32_t batch = course->batch ? course->batch : expected + 1 > LEAST_AHEAD ? expected + 1 : LEAST_AHEAD;
    while (!over && asked < iterations) {
        const uint32_t first = asked == 1, wanted = smaller(batch > 1 ? batch - first : 1, iterations - asked);
        if (look_far(method, first, wanted, &recorded, slots, &over)) {
            asked += wanted;
            continue;
        }
        const uint32_t count = smaller(wanted, MOST_AHEAD - first);
        krylov_course_ahead(method, 1, count, &recorded);
        asked += count;
        over = look(course, slots);
    }
    if (iterations <= 1)
        (void)look(course, slots);
}

void dv_krylov_course_run(DvKrylovSpace *space, DvKrylovCourse *course, uint32_t iterations, double tolerance,
                          double threshold, bool first_solve, uint32_t expected)
{
    DvVectorSpace *device = course->storage.space;
    KrylovMethod method = {.space = space, .course = course, .before = before, .after = after};
    double slots[DV_SLOTS] = {0};
    uint32_t asked = 0;
    course->b_squared = 0.0; /* nothing is solved on a device that has failed */
    if (dv_space_fault(device) != DV_OK)
        return;
    if (krylov_rows_take(&method, slots)) {
        course->b_squared = slots[B_SQUARED];
        return;
    }
    krylov_method_begin(&method);
    prepare(&method);
    put_limits(&method, first_solve ? -1.0 : tolerance, first_solve ? 0.0 : threshold);
    if (krylov_rows_ask(&method, iterations))
        return;
    device->ops->guard(device, STOP);
    if (iterations > 0) {
        krylov_course_turn(&method, 1);
        asked = 1;
    }
    put_limits(&method, tolerance, threshold);
    krylov_course_repeat(&method, asked, iterations, expected, slots);
    device->ops->guard(device, DV_NO_SLOT);
    course->b_squared = dv_space_fault(device) == DV_OK ? slots[B_SQUARED] : 0.0;
}
