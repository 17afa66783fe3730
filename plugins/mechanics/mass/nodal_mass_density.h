/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Mass densities of the points of a mesh, as masses by quadrature ask for them.
 *
 * Threads: [step].
 */
#ifndef DIVAN_MECHANICS_NODAL_MASS_DENSITY_H
#define DIVAN_MECHANICS_NODAL_MASS_DENSITY_H

#include <divan/data.h>

#define NODAL_MASS_DENSITY "mechanics.nodal-mass-density/1"
typedef struct NodalMassDensityOps {
    uint32_t size;
    double (*at)(void *self, uint32_t point); /* kg per unit of length, area or volume */
    uint64_t (*version)(void *self);          /* another number when one may be another */
    uint32_t (*given)(void *self);            /* numbers that it has; the last one is that of all further points */
} NodalMassDensityOps;

#endif
