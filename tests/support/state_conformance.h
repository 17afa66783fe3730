/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What every state owes, wherever it keeps its vectors:
 *   - a vector exists from when it is first written until it is released, with zeros or default coordinates at first, also where one was
 *     released before; no vector has a number that is none
 *   - what is written on the host is read there again; where it has a space of its own, what one side writes the other reads, and what is
 *     read and written keeps what nobody changed
 *   - clear, combine and dot are those of plain numbers, r may be a or b, operands may be absent; coordinates and derivatives integrate,
 *     and the difference of coordinates is a derivative; the same dot has the same bits
 *   - the first point that is not finite is found
 *   - a state that is resized keeps the points that stay, and new ones are as those of a new vector
 *
 *   STATE_CONFORMANCE(a_mechanical_object_is_a_state, .scene = "<Node><MechanicalObject name='dofs' size='5'/></Node>")
 */
#ifndef DIVAN_TESTS_STATE_CONFORMANCE_H
#define DIVAN_TESTS_STATE_CONFORMANCE_H

#include <divan/contracts/state.h>

typedef struct StateConformance {
    const char *
        scene; /* with a state "/dofs" of 2 points or more, which no topology gives, and whose coordinates may be any */
} StateConformance;

void state_conformance(const StateConformance *s);

#define STATE_CONFORMANCE(test, ...)                         \
    static void test(void **state)                           \
    {                                                        \
        (void)state;                                         \
        state_conformance(&(StateConformance){__VA_ARGS__}); \
    }

#endif
