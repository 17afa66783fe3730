/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What every mapping owes, whatever it computes:
 *   - J v is the derivative of f(x) along v, by central differences; it overwrites its result
 *   - J^T is the transpose of J, and adds to what is there
 *   - the blocks of J are J, their columns ascend
 *   - the geometric stiffness is the derivative of J^T f along dx, is linear in k, and its couplings are the same matrix
 * Where its states are kept on a device (their templates say so), its twin there does all this in its place:
 *   - what the twin gives is what the host gives
 *
 *   MAPPING_CONFORMANCE(a_rigid_mapping_is_a_mapping, .scene = "<Node> ... <RigidMapping geometricStiffness='Exact'/> ... </Node>")
 */
#ifndef DIVAN_TESTS_MAPPING_CONFORMANCE_H
#define DIVAN_TESTS_MAPPING_CONFORMANCE_H

#include <stdbool.h>

typedef enum GeometricStiffness {
    GEOMETRIC_EXACT,    /* the derivative of J^T f */
    GEOMETRIC_LEFT_OUT, /* none, by definition of the method: say why */
    GEOMETRIC_PROJECTED /* the nearest negative semi-definite matrix to its symmetric part */
} GeometricStiffness;

typedef struct MappingConformance {
    const char *scene; /* with exactly one mapping */
    GeometricStiffness geometric_stiffness;
    const char *reason; /* why something is left out */
} MappingConformance;

void mapping_conformance(const MappingConformance *m);

#define MAPPING_CONFORMANCE(test, ...)                           \
    static void test(void **state)                               \
    {                                                            \
        (void)state;                                             \
        mapping_conformance(&(MappingConformance){__VA_ARGS__}); \
    }

#endif
