/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The conformance suite of states on the host: a row for each class and DOF type. Those of devices are in tests/cuda.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "scene_text.h"
#include "state_conformance.h"

typedef struct StateRow {
    const char *name;
    StateConformance row;
} StateRow;

#define OF_TYPE(type)                                                                             \
    {                                                                                             \
        "MechanicalObject of " type,                                                              \
        {                                                                                         \
            .scene = "<Node><MechanicalObject name='dofs' template='" type "' size='37'/></Node>" \
        }                                                                                         \
    }
static StateRow states[] = {
    OF_TYPE("Vec1d"), OF_TYPE("Vec2d"), OF_TYPE("Vec3d"), OF_TYPE("Vec6d"), OF_TYPE("Rigid2d"), OF_TYPE("Rigid3d"),
};
enum { STATES = sizeof states / sizeof *states };

static void is_a_state(void **state)
{
    state_conformance(&((const StateRow *)*state)->row);
}

STATE_CONFORMANCE(a_picture_is_a_state, .scene = "<Node><OglModel name='dofs' position='0 0 0  1 2 3  4 5 6'/></Node>")

int main(void)
{
    struct CMUnitTest tests[1 + STATES] = {cmocka_unit_test(a_picture_is_a_state)};
    for (int i = 0; i < STATES; i++)
        tests[1 + i] = (struct CMUnitTest){states[i].name, is_a_state, NULL, NULL, &states[i]};
    return cmocka_run_group_tests(tests, start_plugins, stop_plugins);
}
