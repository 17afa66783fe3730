/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What is said of masses that no body has; see mass_check.h.
 *
 * An inertia is positive when its symmetric part has three positive leading minors (Sylvester).
 */
#include "mass_check.h"

#include <math.h>

#include <divan/math/mat.h>

static bool is_positive(const DvDofType *dof, const double *inertia)
{
    if (dof != &dv_rigid3d)
        return inertia[0] > 0.0;
    const DvMat3 m = dv_mat3_load(inertia), s = dv_mat3_symmetric_part(m);
    double a[9];
    dv_mat3_store(s, a);
    return a[0] > 0.0 && a[0] * a[4] - a[1] * a[3] > 0.0 && dv_mat3_det(s) > 0.0;
}

static bool is_symmetric(const DvDofType *dof, const double *inertia)
{
    if (dof != &dv_rigid3d)
        return true;
    const DvMat3 m = dv_mat3_load(inertia);
    return dv_mat3_norm(dv_mat3_sub(m, dv_mat3_transpose(m))) <= 1e-6 * dv_mat3_norm(m);
}

static DvStatus check_inertia(const DvData *field, int64_t entry, const DvDofType *dof, const double *inertia)
{
    if (!is_positive(dof, inertia))
        return dof == &dv_rigid3d
                   ? dv_field_error(
                         field, entry,
                         "the inertia is not positive: forces would turn the body without bound or against "
                         "themselves; write the nine numbers of a body's inertia over its mass by rows, such "
                         "as 0.4 0 0  0 0.4 0  0 0 0.4 for a ball of radius 1 m")
                   : dv_field_error(field, entry,
                                    "the inertia over the mass is %g m^2; it must be above 0, such as 0.5 for a disc "
                                    "of radius 1 m",
                                    inertia[0]);
    if (!is_symmetric(dof, inertia))
        dv_field_warning(field, entry, "the inertia is not symmetric, as that of every body is");
    return DV_OK;
}

DvStatus mass_check_numbers(DvData *field, const DvDofType *dof, bool many)
{
    const uint32_t stride = dv_body_mass_numbers(dof);
    size_t count;
    const double *numbers = dv_data_doubles(field, &count);
    const size_t bodies = !many && count > 0 ? 1 : (count + stride - 1) / stride;
    size_t without = 0;
    DvStatus status = DV_OK;
    for (size_t i = 0; i < bodies && status == DV_OK; i++) {
        const double *body = numbers + i * stride;
        const int64_t entry = many ? (int64_t)i : -1;
        const DvBodyMass whole = dv_body_mass_from_numbers(dof, body, count - i * stride);
        without += !(body[0] > 0.0);
        if (body[0] < 0.0 || (!(body[0] > 0.0) && bodies == 1))
            status = dv_field_error(field, entry, "is %g kg; a mass must be above 0", body[0]);
        else if (dof->rotation)
            status = check_inertia(field, entry, dof, whole.inertia);
    }
    if (status == DV_OK && without > 0 && without == bodies)
        return dv_field_error(field, -1, "all masses are 0; a mass must be above 0");
    if (status == DV_OK && without > 0)
        dv_field_warning(field, -1, "%zu of %zu masses %s 0: explicit solvers divide by it", without, bodies,
                         without == 1 ? "is" : "are");
    return status;
}

static const char *one_body(const DvDofType *dof)
{
    return dof == &dv_rigid3d ? "mass, volume and 9 of inertia" : "mass, volume and inertia";
}

void mass_check_one(DvData *field, const DvDofType *dof)
{
    const size_t stride = dv_body_mass_numbers(dof);
    size_t count;
    const double *numbers = dv_data_doubles(field, &count);
    if (count > stride && stride == 1)
        dv_field_warning(field, -1,
                         "holds %zu numbers, but the mass is the same for all points: %g kg is used; DiagonalMass has "
                         "one for each",
                         count, numbers[0]);
    else if (count > stride)
        dv_field_warning(field, -1, "holds %zu numbers, but a body has %zu (%s): the rest is left out", count, stride,
                         one_body(dof));
    else if (count > 2 && count < stride)
        dv_field_warning(field, -1,
                         "holds %zu numbers, but a body has %zu (%s): 1 is taken for those of the diagonal that are "
                         "missing, 0 for the others",
                         count, stride, one_body(dof));
}

void mass_check_each(DvData *field, const DvDofType *dof, uint32_t points)
{
    const size_t stride = dv_body_mass_numbers(dof);
    size_t count;
    (void)dv_data_doubles(field, &count);
    const size_t bodies = count / stride;
    if (stride > 1 && count % stride)
        dv_field_warning(field, -1, "holds %zu numbers, which is no multiple of %zu (%s for each body)", count, stride,
                         one_body(dof));
    else if (bodies > points)
        dv_field_warning(field, -1, "%zu masses, but the state has %u point%s: the rest is left out", bodies, points,
                         points == 1 ? "" : "s");
    else if (bodies > 1 && bodies < points)
        dv_field_warning(field, -1, "%zu masses, but the state has %u points: the last mass is that of the others too",
                         bodies, points);
}
