/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The conformance suite of projective constraints; see the header.
 */
#include "constraint_conformance.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <divan/contracts/mechanical_operations.h>
#include <divan/contracts/vector_space.h>
#include <divan/plugin.h>

#include "scene_text.h"

/* What projects: the constraint, or, of a state that is kept on a device, mechanics there, which must give what the constraint does. */
typedef struct Subject {
    const DvProjectiveConstraintOps *ops;
    void *self;
    const DvMechanicalOperationsOps *mechanics;
    DvMechanics *there; /* NULL: on the host */
    DvVectorSpace *space;
} Subject;

static void project(const Subject *c, const DvStep *step, const DvVec *d, bool velocity)
{
    const size_t n = (size_t)d->count * d->dim;
    const DvVecId id = velocity ? DV_VELOCITY : DV_DX;
    double *given = calloc(n + 1, sizeof *given), largest = 0.0, off = 0.0;
    memcpy(given, d->at, n * sizeof *given);
    (velocity ? c->ops->project_velocity : c->ops->project_response)(c->self, step, d);
    if (c->there) {
        c->mechanics->scatter(c->there, id, given);
        const uint64_t fetched = c->space->ops->counts(c->space)->bytes_got;
        if (velocity)
            c->mechanics->project_velocity(c->there, step, id);
        else
            c->mechanics->project_response(c->there, step, id, DV_WALK_VISITOR);
        if (!velocity && c->space->ops->counts(c->space)->bytes_got != fetched)
            fail_msg("residuals are projected on the host");
        c->mechanics->gather(c->there, given, id);
        for (size_t i = 0; i < n; i++) {
            largest = fmax(largest, fabs(d->at[i]));
            off = fmax(off, fabs(d->at[i] - given[i]));
        }
        if (!(off <= 1e-12 * largest))
            fail_msg("a projection there is %g from that on the host, of %g", off, largest);
        memcpy(d->at, given, n * sizeof *given);
    }
    free(given);
}

static void project_response(const Subject *c, const DvStep *step, const DvVec *d)
{
    project(c, step, d, false);
}

static void project_velocity(const Subject *c, const DvStep *step, const DvVec *d)
{
    project(c, step, d, true);
}

static Subject subject_of(const DvScene *scene, const DvStateRef state, DvObject *object)
{
    Subject c = {.ops = dv_object_ops(object, DV_PROJECTIVE_CONSTRAINT),
                 .self = dv_object_self(object),
                 .mechanics = dv_service(DV_MECHANICAL_OPERATIONS),
                 .space = dv_state_storage(state).space};
    c.there = c.space ? c.mechanics->open(dv_scene_root(scene)) : NULL;
    return c;
}

typedef struct Named {
    bool *unknown;
    uint32_t points, dim;
} Named;

static void name(void *context, uint32_t state, uint32_t point, uint32_t component)
{
    const Named *named = context;
    assert_int_equal(state, 0);
    assert_true(point < named->points && component < named->dim);
    named->unknown[point * named->dim + component] = true;
}

static void fill(double *at, size_t n, uint32_t seed)
{
    for (size_t i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        at[i] = 1.0 + (double)(seed >> 8) / (double)(1u << 24); /* never zero */
    }
}

/* But for rounding, which directions along no axis have. */
static void assert_same(const double *a, const double *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        assert_true(fabs(a[i] - b[i]) < 1e-14);
}

static void nothing_is_done_after_the_end(const Subject *c, DvObject *object, const DvStep *step, Named *named)
{
    const size_t n = (size_t)named->points * named->dim;
    double *a = calloc(n + 1, sizeof *a), *again = calloc(n + 1, sizeof *again);
    const DvVec va = {a, named->points, named->dim};
    const DvProjectiveConstraintOps *ops = c->ops;
    DvStep late = *step;
    late.time = 10.0;
    const uint64_t before = ops->structure ? ops->structure(c->self, step) : 0;
    dv_data_set_double(dv_object_field(object, "endTime"), 5.0);
    assert_true(!ops->structure || ops->structure(c->self, step) == before);
    assert_true(!ops->structure || ops->structure(c->self, &late) != before);
    fill(a, n, 4);
    memcpy(again, a, n * sizeof *a);
    project_response(c, &late, &va);
    if (ops->project_velocity)
        project_velocity(c, &late, &va);
    assert_memory_equal(again, a, n * sizeof *a);
    memset(named->unknown, 0, n);
    if (ops->fixed)
        ops->fixed(c->self, &late, name, named);
    for (size_t i = 0; i < n; i++)
        assert_false(named->unknown[i]);
    free(a), free(again);
}

void constraint_conformance(const ConstraintConformance *c)
{
    DvScene *scene = scene_from_text(c->scene);
    const DvStateRef state = scene_state(scene, "/dofs");
    DvObject *object = scene_object(scene, "/fixed"), *states[2] = {NULL, NULL};
    const Subject subject = subject_of(scene, state, object);
    const DvProjectiveConstraintOps *ops = subject.ops;
    void *self = subject.self;
    const DvStep step = {.time = 0.0, .dt = 0.01, .position = DV_POSITION, .velocity = DV_VELOCITY};
    assert_int_equal(ops->states(self, states), 1);
    assert_ptr_equal(states[0], state.object);
    const uint32_t points = dv_state_count(state), dim = state.dof->deriv;
    const size_t n = (size_t)points * dim;
    double *a = calloc(n, sizeof *a), *b = calloc(n, sizeof *b), *sum = calloc(n, sizeof *sum),
           *again = calloc(n, sizeof *again);
    Named named = {calloc(n, sizeof(bool)), points, dim};
    const DvVec va = {a, points, dim}, vb = {b, points, dim}, vsum = {sum, points, dim}, vagain = {again, points, dim};

    fill(a, n, 1);
    fill(b, n, 2);
    for (size_t i = 0; i < n; i++)
        sum[i] = a[i] - 3.0 * b[i];
    project_response(&subject, &step, &va);
    project_response(&subject, &step, &vb);
    project_response(&subject, &step, &vsum);
    memcpy(again, a, n * sizeof *a);
    project_response(&subject, &step, &vagain);
    assert_same(again, a, n);
    for (size_t i = 0; i < n; i++)
        b[i] = a[i] - 3.0 * b[i];
    assert_same(sum, b, n);
    if (ops->fixed) {
        ops->fixed(self, &step, name, &named);
        for (size_t i = 0; i < n; i++)
            assert_true(named.unknown[i] == (a[i] == 0.0));
    }
    if (ops->project_velocity) {
        fill(a, n, 3);
        project_velocity(&subject, &step, &va);
        memcpy(again, a, n * sizeof *a);
        project_velocity(&subject, &step, &vagain);
        assert_same(again, a, n);
    }

    nothing_is_done_after_the_end(&subject, object, &step, &named);
    if (subject.there)
        subject.mechanics->close(subject.there);
    free(a), free(b), free(sum), free(again), free(named.unknown);
    dv_scene_free(scene);
}
