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

#include "scene_text.h"

typedef void (*Projection)(void *self, const DvStep *step, const DvVec *d);

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

void constraint_conformance(const ConstraintConformance *c)
{
    DvScene *scene = scene_from_text(c->scene);
    const DvStateRef state = scene_state(scene, "/dofs");
    DvObject *object = scene_object(scene, "/fixed"), *states[2] = {NULL, NULL};
    const DvProjectiveConstraintOps *ops = dv_object_ops(object, DV_PROJECTIVE_CONSTRAINT);
    void *self = dv_object_self(object);
    const DvStep step = {.time = 0.0, .dt = 0.01, .position = DV_POSITION, .velocity = DV_VELOCITY},
                 late = {.time = 10.0, .dt = 0.01, .position = DV_POSITION, .velocity = DV_VELOCITY};
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
    ops->project_response(self, &step, &va);
    ops->project_response(self, &step, &vb);
    ops->project_response(self, &step, &vsum);
    memcpy(again, a, n * sizeof *a);
    ops->project_response(self, &step, &vagain);
    assert_memory_equal(again, a, n * sizeof *a);
    for (size_t i = 0; i < n; i++)
        assert_true(fabs(sum[i] - (a[i] - 3.0 * b[i])) < 1e-14);
    if (ops->fixed) {
        ops->fixed(self, &step, name, &named);
        for (size_t i = 0; i < n; i++)
            assert_true(named.unknown[i] == (a[i] == 0.0));
    }
    if (ops->project_velocity) {
        fill(a, n, 3);
        ops->project_velocity(self, &step, &va);
        memcpy(again, a, n * sizeof *a);
        ops->project_velocity(self, &step, &vagain);
        assert_memory_equal(again, a, n * sizeof *a);
    }

    const uint64_t before = ops->structure ? ops->structure(self, &step) : 0;
    dv_data_set_double(dv_object_field(object, "endTime"), 5.0);
    assert_true(!ops->structure || ops->structure(self, &step) == before);
    assert_true(!ops->structure || ops->structure(self, &late) != before);
    fill(a, n, 4);
    memcpy(again, a, n * sizeof *a);
    ops->project_response(self, &late, &va);
    if (ops->project_velocity)
        ops->project_velocity(self, &late, &va);
    assert_memory_equal(again, a, n * sizeof *a);
    memset(named.unknown, 0, n);
    if (ops->fixed)
        ops->fixed(self, &late, name, &named);
    for (size_t i = 0; i < n; i++)
        assert_false(named.unknown[i]);
    free(a), free(b), free(sum), free(again), free(named.unknown);
    dv_scene_free(scene);
}
