/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What every force field owes, whatever its force:
 *   - forces and products add to what is there, are the same bits each time, with any number of threads and any size of chunks
 *   - add_dforce is linear, and the derivative of add_force, by central differences
 *   - the stiffness is its transpose, or the class says that it is not: then it is found to be another, and who takes symmetric
 *     matrices gets its symmetric part, or nothing, as the class says
 *   - the assembled matrix is add_dforce, column by column, through both kinds of view, with k K and b B
 *   - the force is minus the gradient of the energy
 *   - internal forces have no sum and no torque; objective ones turn with the body, and are zero at rest
 * Where its states are kept on a device (their template says so), its twin there does all this in its place, and:
 *   - forces and products of the twin are those of the host
 * A method that leaves a term out by definition says so, with the reason, and the rest is tested.
 *
 *   FORCE_FIELD_CONFORMANCE(a_spring_is_a_force_field, .scene = "<Node> ... <SpringForceField name='field'/> ... </Node>", ...)
 */
#ifndef DIVAN_TESTS_FORCE_FIELD_CONFORMANCE_H
#define DIVAN_TESTS_FORCE_FIELD_CONFORMANCE_H

#include <stdbool.h>

typedef enum ForceFieldTangent {
    TANGENT_EXACT,   /* everywhere */
    TANGENT_AT_REST, /* at rest, and at rest moved rigidly if the field is objective */
    TANGENT_LEFT_OUT /* nowhere the derivative of the force */
} ForceFieldTangent;

typedef enum ForceFieldEnergy {
    ENERGY_EXACT,   /* the force is minus its gradient */
    ENERGY_AT_REST, /* its second derivative at rest is that of the stiffness */
    ENERGY_NONE     /* not offered */
} ForceFieldEnergy;

typedef struct ForceFieldConformance {
    const char *scene;  /* with the force field "/field" */
    double deformation; /* m (and rad): by how much points are moved at random from where they are; 0: 0.1 */
    ForceFieldTangent tangent;
    ForceFieldEnergy energy;
    const char *reason; /* why a term is left out */
    bool unsymmetric;   /* the stiffness is not that of an energy, and here not its transpose */
    bool internal;      /* sum and torque vanish */
    bool objective;     /* turns with the body, zero at rest */
    bool damping;       /* B is the derivative along the velocities, and not zero */
} ForceFieldConformance;

void force_field_conformance(const ForceFieldConformance *c);

#define FORCE_FIELD_CONFORMANCE(test, ...)                              \
    static void test(void **state)                                      \
    {                                                                   \
        (void)state;                                                    \
        force_field_conformance(&(ForceFieldConformance){__VA_ARGS__}); \
    }

#endif
