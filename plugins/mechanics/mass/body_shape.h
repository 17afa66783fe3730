/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The inertia of rigid bodies that a scene gives no inertia: 1 m^2 per kg, as in the reference, or that of a box of given edges.
 */
#ifndef DIVAN_MECHANICS_BODY_SHAPE_H
#define DIVAN_MECHANICS_BODY_SHAPE_H

#include <divan/kit/mass.h>

#define MASS_EXTENTS(Struct)                                                                                          \
    DV_FIELD(Struct, base.extents, "extents", dv_type_vec3d, .init = "0 0 0", .unit = "m", .flags = DV_FIELD_AT_LOAD, \
             .help =                                                                                                  \
                 "edges of the full box whose inertia rigid bodies have that are given none (in the plane: two); 0: " \
                 "1 m^2 per kg, as in the reference")

/* Looks at `extents`, at init: an error of edges that are no box's, a warning where nothing follows from them.     [main] */
DV_NODISCARD DvStatus mass_check_extents(DvMass *base);
/* A body of up to dv_body_mass_numbers numbers; one without inertia has that of the box, if there is one. */
DvBodyMass mass_from_shape(DvMass *base, const double *numbers, size_t count);
/* Gives the inertia of the box, per unit of mass; false: there is none. */
bool mass_box_inertia(DvMass *base, double inertia[9]);

/* For what is said before the first step, inside of this plugin: bodies whose inertia nobody gave, and one of their masses. */
#define DEFAULT_INERTIA "mechanics.default-inertia/1"
typedef struct DefaultInertiaOps {
    uint32_t size;
    uint32_t (*bodies)(void *self, double *mass);
} DefaultInertiaOps;

#endif
