/* SPDX-License-Identifier: MIT
 *
 * What the brake owes as a constraint, by the installed conformance suite.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <divan-test/lagrangian_constraint_conformance.h>
#include <divan-test/scene_text.h>

LAGRANGIAN_CONSTRAINT_CONFORMANCE(a_brake_is_a_constraint,
                                  .scene = "<Node><MechanicalObject name='dofs' template='Vec1d' position='1 2 3'/>"
                                           "<DryBrakeConstraint name='constraint' force='7'/></Node>",
                                  .drifts = "it stops what moves and brings nothing back")

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_brake_is_a_constraint)};
    return cmocka_run_group_tests(tests, NULL, stop_plugins);
}
