/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The DOF types and the two operations that know their rotations.
 */
#include "internal.h"

#include <math.h>
#include <string.h>

#include <divan/math/rigid.h>

static const double origin_of_rigid3[7] = {0, 0, 0, 0, 0, 0, 1};
static const double zeros[6];

const DvDofType dv_vec1d = {sizeof(DvDofType), "Vec1d", 1, 1, 1, false, zeros};
const DvDofType dv_vec2d = {sizeof(DvDofType), "Vec2d", 2, 2, 2, false, zeros};
const DvDofType dv_vec3d = {sizeof(DvDofType), "Vec3d", 3, 3, 3, false, zeros};
const DvDofType dv_vec6d = {sizeof(DvDofType), "Vec6d", 6, 6, 3, false, zeros};
const DvDofType dv_rigid2d = {sizeof(DvDofType), "Rigid2d", 3, 3, 2, true, zeros};
const DvDofType dv_rigid3d = {sizeof(DvDofType), "Rigid3d", 7, 6, 3, true, origin_of_rigid3};

const DvDofType *dv_dof_type(const char *name)
{
    static const DvDofType *const all[] = {&dv_vec1d, &dv_vec2d, &dv_vec3d, &dv_vec6d, &dv_rigid2d, &dv_rigid3d};
    for (size_t i = 0; i < G_N_ELEMENTS(all); i++)
        if (strcmp(all[i]->name, name) == 0)
            return all[i];
    return NULL;
}

void dv_dof_integrate(const DvDofType *type, uint32_t count, double *out, const double *x, const double *v, double h)
{
    if (type != &dv_rigid3d) {
        for (size_t i = 0, n = (size_t)count * type->coord; i < n; i++)
            out[i] = x[i] + h * v[i];
        return;
    }
    for (size_t i = 0; i < count; i++) {
        double step[6];
        for (size_t c = 0; c < 6; c++)
            step[c] = h * v[6 * i + c];
        dv_rigid3_store(dv_rigid3_integrate(dv_rigid3_load(x + 7 * i), dv_rigid3_deriv_load(step)), out + 7 * i);
    }
}

void dv_dof_difference(const DvDofType *type, uint32_t count, double *d, const double *a, const double *b)
{
    if (type == &dv_rigid3d) {
        for (size_t i = 0; i < count; i++)
            dv_rigid3_deriv_store(dv_rigid3_difference(dv_rigid3_load(a + 7 * i), dv_rigid3_load(b + 7 * i)),
                                  d + 6 * i);
        return;
    }
    for (size_t i = 0, n = (size_t)count * type->coord; i < n; i++)
        d[i] = a[i] - b[i];
    if (type == &dv_rigid2d)
        for (size_t i = 0; i < count; i++) /* the angle the short way round, as rigid.h */
            d[3 * i + 2] = dv_rigid2_difference(dv_rigid2_load(a + 3 * i), dv_rigid2_load(b + 3 * i)).angle;
}
