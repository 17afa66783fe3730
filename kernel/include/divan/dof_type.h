/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * DOF types: how many numbers a coordinate and a derivative of a point have, and how one is added to the other.
 *
 * A coordinate of Rigid3d is centre (3) then unit quaternion x y z w (4), its derivative linear (3) then angular
 * velocity in world axes (3). Rigid2d: x y angle, and their rates. Vec types: plain numbers. Everything linear treats
 * the arrays as flat; only the two functions here know rotations. Formulas: exponential map of unit quaternions (e.g.
 * Shuster 1993).
 */
#ifndef DIVAN_DOF_TYPE_H
#define DIVAN_DOF_TYPE_H

#include <divan/base.h>
#include <divan/math/rigid.h>

DV_BEGIN_DECLS

typedef struct DvDofType {
    uint32_t size;
    const char *name;     /* canonical: "Vec3d" */
    uint32_t coord;       /* doubles per coordinate */
    uint32_t deriv;       /* doubles per derivative */
    uint32_t spatial;     /* leading components that are a position in space: 1, 2 or 3 */
    bool rotation;        /* coordinates hold a rotation after the position */
    const double *origin; /* [coord] the default coordinate */
} DvDofType;

DV_PUBLIC extern const DvDofType dv_vec1d, dv_vec2d, dv_vec3d, dv_vec6d, dv_rigid2d, dv_rigid3d;

/* By its name or a word that a plugin has for it (DV_RENAME_DOF_TYPE); NULL when there is none.     [any] */
DV_PUBLIC const DvDofType *dv_dof_type(const char *name);

/* out = x + h v for `count` points; out may be x. Rotations compose on the left and are not renormalised.
 * [worker] */
static inline void dv_dof_integrate(const DvDofType *type, uint32_t count, double *out, const double *x,
                                    const double *v, double h)
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

/* d = the derivative that leads from b to a in unit time (a - b).     [worker] */
static inline void dv_dof_difference(const DvDofType *type, uint32_t count, double *d, const double *a, const double *b)
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

DV_END_DECLS
#endif
