/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The inertia of rigid bodies that a scene gives no inertia; see body_shape.h.
 *
 *   box of edges a b c, per unit of mass: diag(b^2 + c^2, c^2 + a^2, a^2 + b^2) / 12     in the plane: (a^2 + b^2) / 12
 */
#include "body_shape.h"

#include <string.h>

static const double *edges(DvMass *base)
{
    return dv_data_doubles(&base->extents, NULL);
}

bool mass_box_inertia(DvMass *base, double inertia[9])
{
    const double *e = edges(base), x = e[0] * e[0], y = e[1] * e[1], z = e[2] * e[2];
    memset(inertia, 0, 9 * sizeof *inertia);
    if (base->state.dof == &dv_rigid3d) {
        inertia[0] = (y + z) / 12.0;
        inertia[4] = (z + x) / 12.0;
        inertia[8] = (x + y) / 12.0;
    } else {
        inertia[0] = (x + y) / 12.0;
    }
    return base->state.dof->rotation && x + y + z > 0.0;
}

DvStatus mass_check_extents(DvMass *base)
{
    const double *e = edges(base);
    if (e[0] == 0.0 && e[1] == 0.0 && e[2] == 0.0)
        return DV_OK;
    if (!base->state.dof->rotation) {
        dv_field_warning(&base->extents, -1, "has no effect: points of type %s do not turn", base->state.dof->name);
        return DV_OK;
    }
    double inertia[9];
    const bool box = mass_box_inertia(base, inertia), plane = base->state.dof != &dv_rigid3d;
    const bool positive = inertia[0] > 0.0 && (plane || (inertia[4] > 0.0 && inertia[8] > 0.0));
    if (!box || !positive || e[0] < 0.0 || e[1] < 0.0 || e[2] < 0.0)
        return dv_field_error(&base->extents, -1,
                              "%g %g %g are not the edges of a body that can turn: give %s lengths in m, such as 0.05 "
                              "0.05 0.05 for a cube of 5 cm",
                              e[0], e[1], e[2], plane ? "two" : "three");
    return DV_OK;
}

DvBodyMass mass_from_shape(DvMass *base, const double *numbers, size_t count)
{
    const DvDofType *dof = base->state.dof;
    DvBodyMass body = dv_body_mass_from_numbers(dof, numbers, count);
    double inertia[9];
    if (dof->rotation && count <= 2 && mass_box_inertia(base, inertia)) {
        memcpy(body.inertia, inertia, sizeof inertia);
        dv_body_mass_set(dof, &body, body.mass);
    }
    return body;
}
