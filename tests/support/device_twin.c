/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The twin of a component for the conformance suites; see the header.
 */
#include "device_twin.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include <divan/plugin.h>

static DvTwin *make(const DeviceTwin *t, const DvDofType *const dof[2], const uint32_t points[2], const DvOperator *op,
                    DvText *why)
{
    const void *services[DV_MOST_SPACES];
    const size_t count = dv_services(DV_DEVICE_OPERATORS, services, DV_MOST_SPACES);
    DvTwin *twin = NULL;
    for (size_t i = 0; i < count && i < DV_MOST_SPACES && !twin; i++) {
        const DvDeviceOperatorsOps *ops = services[i];
        if (!dof[1])
            twin = ops->make(t->space, t->precision, dof[0], points[0], op, why);
        else if (ops->size > offsetof(DvDeviceOperatorsOps, make_between) && ops->make_between)
            twin = ops->make_between(t->space, t->precision, dof, points, op, why);
    }
    return twin;
}

DeviceTwin device_twin_of(DvObject *object, const DvStateRef *states, uint32_t count, const DvStateRef *to)
{
    const DvStorage storage = dv_state_storage(states[0]);
    DeviceTwin t = {.space = storage.space,
                    .precision = storage.precision,
                    .self = dv_object_self(object),
                    .ops = dv_object_ops(object, DV_OPERATOR)};
    for (uint32_t i = 1; i < count; i++)
        assert_ptr_equal(dv_state_storage(states[i]).space, t.space);
    if (to)
        assert_ptr_equal(dv_state_storage(*to).space, t.space);
    if (!t.space)
        return t;
    if (!t.ops)
        fail_msg("%s has no operator", dv_object_path(object));
    DvOperator op = {0};
    DvText why = {0};
    t.version = t.ops->version(t.self);
    t.ops->describe(t.self, &op);
    if (!op.name)
        fail_msg("%s has no operator: %s", dv_object_path(object), op.why);
    t.twin = make(&t, (const DvDofType *const[]){states[0].dof, to ? to->dof : NULL},
                  (const uint32_t[]){dv_state_count(states[0]), to ? dv_state_count(*to) : 0}, &op, &why);
    if (!t.twin)
        fail_msg("%s has no twin of its operator '%s': %s", dv_object_path(object), op.name,
                 why.at ? why.at : "no plugin has it");
    dv_text_free(&why);
    return t;
}

void device_twin_free(DeviceTwin *t)
{
    if (t->twin)
        t->twin->ops->free(t->twin);
    t->twin = NULL;
}

DvTwin *device_twin_now(DeviceTwin *t)
{
    const uint64_t version = t->ops->version(t->self);
    if (version == t->version)
        return t->twin;
    DvOperator op = {0};
    DvText why = {0};
    t->version = version;
    t->ops->describe(t->self, &op);
    assert_non_null(op.name);
    if (!t->twin->ops->update(t->twin, &op, &why))
        fail_msg("the twin of '%s' cannot be brought up to date: %s", op.name, why.at ? why.at : "no reason is given");
    dv_text_free(&why);
    return t->twin;
}

static DvAddress send(DeviceTwin *t, const double *from, size_t n)
{
    assert_true(t->sent < DEVICE_TWIN_VECTORS);
    const DvAddress at = t->space->ops->take(t->space, dv_space_bytes(t->precision, n ? n : 1));
    assert_true(at != 0);
    t->space->ops->put_numbers(t->space, at, t->precision, from, n);
    t->at[t->sent++] = at;
    return at;
}

void device_twin_send(DeviceTwin *t, const DvConstVec *from, uint32_t count, DvConstVec *there)
{
    for (uint32_t i = 0; i < count; i++)
        there[i] = (DvConstVec){dv_address_as_vector(send(t, from[i].at, (size_t)from[i].count * from[i].dim)),
                                from[i].count, from[i].dim};
}

void device_twin_send_sum(DeviceTwin *t, const DvVec *from, uint32_t count, DvVec *there)
{
    for (uint32_t i = 0; i < count; i++)
        there[i] = (DvVec){dv_address_as_vector(send(t, from[i].at, (size_t)from[i].count * from[i].dim)),
                           from[i].count, from[i].dim};
}

void device_twin_take(DeviceTwin *t, const char *name, const DvVec *there, uint32_t count, const DvVec *here)
{
    double largest = 0.0, off = 0.0;
    for (uint32_t s = 0; s < count; s++) {
        const size_t n = (size_t)here[s].count * here[s].dim;
        double *numbers = calloc(n + 1, sizeof *numbers);
        assert_non_null(numbers);
        t->space->ops->get_numbers(t->space, numbers, dv_vector_as_address(there[s].at), t->precision, n);
        for (size_t i = 0; i < n; i++) {
            largest = fmax(largest, fabs(here[s].at[i]));
            off = isfinite(numbers[i]) ? fmax(off, fabs(numbers[i] - here[s].at[i])) : INFINITY;
            here[s].at[i] = numbers[i];
        }
        free(numbers);
    }
    if (name && !(off <= 1e-12 * largest))
        fail_msg("%s of the twin is %g from that of the host, of %g", name, off, largest);
}

void device_twin_release(DeviceTwin *t)
{
    while (t->sent)
        t->space->ops->give(t->space, t->at[--t->sent]);
}
