/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What every mass owes, whatever gives it:
 *   - products with M add to what is there, are linear in factor and vector, and M is symmetric and positive
 *   - the assembled matrix is M, entry by entry
 *   - the acceleration of M v is v, where the mass is diagonal
 *   - the kinetic energy is v.M v / 2; the momentum is that of M v about the origin
 *   - the weight is the gradient of the potential energy, and its sum that of the masses of the points times gravity
 *   - with separateGravity there is no weight, and velocities change by g dt instead
 *   - rayleighMass takes b times itself off the factor of M
 * Where the state is kept on a device (its template says so), its twin there does all this in its place:
 *   - products, accelerations and weights of the twin are those of the host
 *
 *   MASS_CONFORMANCE(a_uniform_mass_is_a_mass, .scene = "<Node gravity='1 2 3'> ... <UniformMass name='mass'/> ... </Node>")
 */
#ifndef DIVAN_TESTS_MASS_CONFORMANCE_H
#define DIVAN_TESTS_MASS_CONFORMANCE_H

#include <divan/contracts/mass.h>

typedef struct MassConformance {
    const char *scene; /* with one state "/dofs" and one mass "/mass" on it, and gravity in all directions */
    double total;      /* kg; 0: not checked */
    bool no_momentum;  /* the kind of points has none: only defined in space */
} MassConformance;

void mass_conformance(const MassConformance *m);

#define MASS_CONFORMANCE(test, ...)                        \
    static void test(void **state)                         \
    {                                                      \
        (void)state;                                       \
        mass_conformance(&(MassConformance){__VA_ARGS__}); \
    }

#endif
