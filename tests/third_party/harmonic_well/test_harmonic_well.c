/* SPDX-License-Identifier: MIT
 *
 * What the well owes as a force field, by the installed conformance suite, and what it says of a stiffness that drives points away.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <divan-test/force_field_conformance.h>
#include <divan-test/scene_text.h>

FORCE_FIELD_CONFORMANCE(a_well_is_a_force_field,
                        .scene = "<Node><MechanicalObject name='dofs' position='1 2 3  -1 0 2  0.5 0.5 0'/>"
                                 "<HarmonicWellForceField name='field' centre='0.5 1 -1' stiffness='7'/></Node>")

static void a_negative_stiffness_is_refused(void **state)
{
    (void)state;
    expect_load_error("<Node><MechanicalObject/>\n  <HarmonicWellForceField name='well' stiffness='-1'/></Node>",
                      "HarmonicWellForceField 'well': stiffness: must not be negative");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_well_is_a_force_field),
        cmocka_unit_test(a_negative_stiffness_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, stop_plugins);
}
