/* SPDX-License-Identifier: MIT
 *
 * A force field and a device made outside the tree: the installed suites on both, and a body on the device against one on the host.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <divan-test/constraint_conformance.h>
#include <divan-test/force_field_conformance.h>
#include <divan-test/mass_conformance.h>
#include <divan-test/scene_text.h>
#include <divan-test/state_conformance.h>
#include <divan/contracts/vector_space.h>

#define POINTS(word) "<MechanicalObject name='dofs' template='" word "' position='1 2 3  -1 0 2  0.5 0.5 0  0 3 1'/>"
#define FIELD        "<RampForceField name='field' normal='0.3 2 -0.1' start='0.2' stiffness='7'/>"
#define MASS         "<UniformMass name='mass' totalMass='3'/>"
#define HELD         "<FixedProjectiveConstraint name='fixed' indices='1 3'/>"
#define SCENE(word)                                                                                                          \
    "<Node name='root' dt='0.02' gravity='0.1 9 0.2'><DefaultAnimationLoop/><EulerImplicitSolver rayleighStiffness='0.02'/>" \
    "<CGLinearSolver iterations='100' tolerance='1e-13' threshold='1e-40'/>" POINTS(word) FIELD MASS HELD "</Node>"

STATE_CONFORMANCE(a_state_of_the_device_is_one, .scene = "<Node>" POINTS("RampVec3d") "</Node>")
FORCE_FIELD_CONFORMANCE(a_ramp_is_a_force_field, .scene = "<Node>" POINTS("Vec3d") FIELD "</Node>")
FORCE_FIELD_CONFORMANCE(a_ramp_is_one_on_the_device, .scene = "<Node>" POINTS("RampVec3d") FIELD "</Node>")
MASS_CONFORMANCE(a_mass_is_one_on_the_device, .scene = "<Node gravity='0 -9 0'>" POINTS("RampVec3d") MASS "</Node>")
CONSTRAINT_CONFORMANCE(a_constraint_is_one_on_the_device, .scene = "<Node>" POINTS("RampVec3d") HELD "</Node>")

static void steps_stay_on_the_device(void **state)
{
    (void)state;
    DvScene *host = scene_from_text(SCENE("Vec3d")), *device = scene_from_text(SCENE("RampVec3d"));
    const DvStateRef s = scene_state(host, "/dofs"), t = scene_state(device, "/dofs");
    const DvStorage storage = dv_state_storage(t);
    DvSpaceCounts before = {0};
    assert_non_null(storage.space);
    assert_string_equal(storage.space->ops->name, "ramp");
    for (int step = 0; step < 100; step++) {
        if (step == 50)
            before = *storage.space->ops->counts(storage.space);
        assert_int_equal(dv_scene_step(host, 0), DV_OK);
        assert_int_equal(dv_scene_step(device, 0), DV_OK);
    }
    const DvSpaceCounts after = *storage.space->ops->counts(storage.space);
    assert_int_equal(after.allocations, before.allocations);
    assert_int_equal(after.bytes_got, before.bytes_got); /* slots are no memory there */
    assert_true(after.waits - before.waits <= 3 * 50);
    const DvConstVec x = dv_state_read(s, DV_POSITION), y = dv_state_read(t, DV_POSITION);
    assert_true(fabs(x.at[0] - 1.0) > 1e-3);
    for (uint32_t i = 0; i < 3 * x.count; i++)
        assert_true(fabs(x.at[i] - y.at[i]) <= 1e-9);
    dv_scene_free(host);
    dv_scene_free(device);
}

static int use_device(void **state)
{
    return setenv("DIVAN_DEVICE", "ramp", 1) == 0 ? start_plugins(state) : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ramp_is_a_force_field),      cmocka_unit_test(a_ramp_is_one_on_the_device),
        cmocka_unit_test(a_mass_is_one_on_the_device),  cmocka_unit_test(a_constraint_is_one_on_the_device),
        cmocka_unit_test(a_state_of_the_device_is_one), cmocka_unit_test(steps_stay_on_the_device),
    };
    return cmocka_run_group_tests(tests, use_device, stop_plugins);
}
