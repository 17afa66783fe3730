/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * For tests of force fields: the force of "/field" at the positions and velocities of its state, and numbers compared.
 */
#ifndef DIVAN_TESTS_FORCE_AT_H
#define DIVAN_TESTS_FORCE_AT_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <divan/contracts/force_field.h>
#include <divan/divan.h>

#include "fault.h"
#include "force_field_conformance.h"
#include "scene_text.h"

#define assert_close(value, expected, tolerance) assert_close_at(value, expected, tolerance, __FILE__, __LINE__)

static inline void assert_close_at(double value, double expected, double tolerance, const char *file, int line)
{
    if (!(fabs(value - expected) <= tolerance)) {
        print_error("%.17g instead of %.17g, tolerance %g\n", value, expected, tolerance);
        _fail(file, line);
    }
}

static inline const DvForceFieldOps *field_ops(const DvObject *field)
{
    const DvForceFieldOps *ops = dv_object_ops(field, DV_FORCE_FIELD);
    return ops ? ops : dv_object_ops(field, DV_INTERACTION_FORCE_FIELD);
}

/* How the cause begins that the field gives for a failed run of an implicit solver, NULL: it gives none. */
static inline void expect_inverted(DvObject *field, const char *expected)
{
    const DvFaultCauseOps *ops = dv_object_ops(field, DV_FAULT_CAUSE);
    const DvFault fault = fault_of_all_states();
    DvText cause = {0}, remedy = {0};
    const double likelihood = ops->explain(dv_object_self(field), &fault, &cause, &remedy);
    assert_true(likelihood == (expected ? DV_FAULT_SEEN : 0.0));
    if (expected)
        assert_memory_equal(cause.at, expected, strlen(expected));
    dv_text_free(&cause);
    dv_text_free(&remedy);
}

/* f[2][..]: forces on the states of a field, up to 64 numbers each, at time `time`. */
typedef struct Forces {
    double at[2][3000];
} Forces;

static inline void forces_at_time(DvScene *scene, double time, Forces *out)
{
    DvObject *field = scene_object(scene, "/field"), *states[2] = {NULL, NULL};
    const DvForceFieldOps *ops = field_ops(field);
    const uint32_t count = ops->states(dv_object_self(field), states);
    const bool one = count == 1 || states[0] == states[1];
    memset(out, 0, sizeof *out);
    DvConstVec x[2] = {{0}}, v[2] = {{0}};
    DvVec f[2] = {{0}};
    for (uint32_t s = 0; s < count; s++) {
        const DvStateRef state = dv_state_ref(states[s]);
        x[s] = dv_state_read(state, DV_POSITION);
        v[s] = dv_state_read(state, DV_VELOCITY);
        f[s] = (DvVec){out->at[one ? 0 : s], dv_state_count(state), state.dof->deriv};
        assert_true((size_t)f[s].count * f[s].dim <= sizeof out->at[0] / sizeof(double));
    }
    const DvStep step = {.time = time, .dt = 0.01, .position = DV_POSITION, .velocity = DV_VELOCITY};
    ops->add_force(dv_object_self(field), &step, x, v, f);
}

/* Of a scene given as text. */
static inline void forces_of(const char *text, Forces *out)
{
    DvScene *scene = scene_from_text(text);
    forces_at_time(scene, 0.0, out);
    dv_scene_free(scene);
}

static inline const double *field_doubles(const DvScene *scene, const char *path, const char *name, size_t *count)
{
    DvData *data = dv_object_field(scene_object(scene, path), name);
    assert_non_null(data);
    return dv_data_doubles(data, count);
}

#endif
