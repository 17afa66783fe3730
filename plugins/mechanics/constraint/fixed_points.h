/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What FixedProjectiveConstraint and PartialFixedProjectiveConstraint share: points whose components are held, all of them or some.
 *
 * Threads: [step].
 */
#ifndef DIVAN_MECHANICS_FIXED_POINTS_H
#define DIVAN_MECHANICS_FIXED_POINTS_H

#include <divan/kit/projective_constraint.h>

typedef struct FixedPoints {
    DvProjectiveConstraint base; /* first */
    DvData fix_all, project_velocity;
    DvData show_object, draw_size;
} FixedPoints;

#define FIXED_POINTS_FIELDS(Struct, fixed)                                                                          \
    DV_PROJECTIVE_CONSTRAINT_FIELDS(Struct, fixed.base, "0", "points that are fixed"),                              \
        DV_FIELD(Struct, fixed.fix_all, "fixAll", dv_type_bool, .init = "0", .help = "fix every point"),            \
        DV_FIELD(Struct, fixed.show_object, "showObject", dv_type_bool, .init = "1", .flags = DV_FIELD_DRAWING,     \
                 .group = "Drawing", .help = "draw the points"),                                                    \
        DV_FIELD(Struct, fixed.draw_size, "drawSize", dv_type_double, .init = "0", .range = &dv_range_not_negative, \
                 .flags = DV_FIELD_DRAWING, .group = "Drawing", .help = "radius of a drawn point; 0: some pixels")

/* Components of a point that are held, one each. */
typedef struct FixedComponents {
    bool at[DV_PROJECTIVE_COMPONENTS];
} FixedComponents;

/* d = 0 in these components of the points; components NULL: all. */
void fixed_points_clear(FixedPoints *self, const FixedComponents *components, const DvVec *d);
/* Names them. */
void fixed_points_fix(FixedPoints *self, const FixedComponents *components,
                      void (*fix)(void *context, uint32_t state, uint32_t point, uint32_t component), void *context);
/* DvProjectiveConstraintOps.structure, of all but the components. */
uint64_t fixed_points_structure(FixedPoints *self, const DvStep *step);
extern const DvDrawableOps fixed_points_drawable;

#endif
