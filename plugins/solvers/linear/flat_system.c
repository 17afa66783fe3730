/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Flat right-hand sides and solutions.
 */
#include "linear/flat_system.h"

#include <divan/memory.h>
#include <divan/plugin.h>

void dv_flat_system_set(DvFlatSystem *flat, DvMechanics *m)
{
    if (flat->ops == NULL)
        flat->ops = dv_service(DV_MECHANICAL_OPERATIONS);
    flat->m = m;
    flat->n = flat->ops->unknowns(m);
    if (flat->n + 1 > flat->capacity) {
        dv_flat_system_free(flat);
        flat->capacity = flat->n + 1;
        flat->b = dv_alloc(flat->capacity, sizeof *flat->b);
        flat->x = dv_alloc(flat->capacity, sizeof *flat->x);
    }
    flat->b[flat->n] = flat->x[flat->n] = 0.0;
}

void dv_flat_system_free(DvFlatSystem *flat)
{
    dv_free(flat->b);
    dv_free(flat->x);
    flat->b = flat->x = NULL;
    flat->capacity = 0;
}

DvStatus dv_flat_system_solve(DvFlatSystem *flat, DvVecId x, DvVecId b, void *self,
                              DvStatus (*solve_flat)(void *self, double *x, const double *b, size_t n))
{
    flat->ops->gather(flat->m, flat->b, b);
    const DvStatus status = solve_flat(self, flat->x, flat->b, flat->n);
    if (status == DV_OK)
        flat->ops->scatter(flat->m, x, flat->x);
    return status;
}
