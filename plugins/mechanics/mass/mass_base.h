/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What every mass has: its fields, its state, gravity, and the masses of rigid bodies.
 *
 * A mass struct starts with a MassBase, its field table with MASS_FIELDS. Masses of rigid bodies are written
 *   mass volume inertia     inertia per unit of mass: 9 numbers by rows (Rigid3d), 1 number (Rigid2d)
 * where commas and brackets may stand between numbers; the volume is kept and not used. The inertia is that of the world's
 * axes and stays as it is when the body turns: no gyroscopic forces. With turningInertia it is that of the body's axes, see
 * turning_inertia.h.
 */
#ifndef DIVAN_MECHANICS_MASS_BASE_H
#define DIVAN_MECHANICS_MASS_BASE_H

#include <divan/contracts/mass.h>
#include <divan/contracts/visual.h>

typedef struct MassBase {
    DvData separate_gravity, rayleigh_mass, rayleigh_stiffness;
    DvData turning_inertia; /* of masses that rigid bodies may have */
    DvData show_gravity_center, show_axis_size;
    DvData extents; /* of masses of rigid bodies: see body_shape.h */
    DvLink mstate;
    DvStateRef state; /* ops is NULL until it is found, or when the mass is invalid */
} MassBase;

#define MASS_GRAVITY_FIELDS(Struct, base)                                                            \
    DV_FIELD(Struct, base.rayleigh_mass, "rayleighMass", dv_type_double, .init = "0", .unit = "1/s", \
             .range = &dv_range_not_negative, .flags = DV_FIELD_LENIENT,                             \
             .help = "damping in proportion to the mass, added to the solver's own"),                \
        DV_FIELD(Struct, base.separate_gravity, "separateGravity", dv_type_bool, .init = "0",        \
                 .help = "gravity changes the velocities directly, after the solver, instead of being a force")

#define MASS_FIELDS(Struct)                                                                                          \
    DV_FIELD_RAYLEIGH_STIFFNESS(Struct, base.rayleigh_stiffness), MASS_GRAVITY_FIELDS(Struct, base),                 \
        DV_FIELD(Struct, base.show_gravity_center, "showGravityCenter", dv_type_bool, .init = "0",                   \
                 .flags = DV_FIELD_DRAWING, .group = "Drawing", .help = "draw the centre of gravity"),               \
        DV_FIELD(Struct, base.show_axis_size, "showAxisSizeFactor", dv_type_double, .init = "1",                     \
                 .range = &dv_range_not_negative, .flags = DV_FIELD_DRAWING, .group = "Drawing",                     \
                 .help = "size of the drawn centre of gravity"),                                                     \
        DV_LINK(Struct, base.mstate, "mstate", DV_STATE, .aliases = (const char *const[]){"mechanicalStates", NULL}, \
                .help = "state that has the mass; by default that of the node")

#define MASS_TURNING_INERTIA(Struct)                                                                                   \
    DV_FIELD(Struct, base.turning_inertia, "turningInertia", dv_type_bool, .init = "0",                                \
             .help =                                                                                                   \
                 "the inertia of rigid bodies in space turns with them, with the gyroscopic torque -w x J w; without " \
                 "it the inertia stays in world axes, as in the reference: wrong unless it is a multiple of the "      \
                 "identity")

extern const DvVariantSource mass_variant_sources[];
extern const DvType mass_type; /* numbers of one mass, or of a list of masses */

/* One body. For points without rotation only `mass` counts. */
typedef struct BodyMass {
    double mass;
    double inertia[9];         /* per unit of mass; Rigid2d: the first */
    double inertia_mass[9];    /* inertia x mass */
    double inverse_inertia[9]; /* of inertia_mass */
} BodyMass;

/* Numbers that describe one mass of this kind of point: 1, 3 (Rigid2d) or 11 (Rigid3d). */
uint32_t mass_numbers(const DvDofType *dof);
/* From at most that many numbers; missing ones: mass 1, volume 1, unit inertia. */
BodyMass mass_from_numbers(const DvDofType *dof, const double *numbers, size_t count);
void mass_to_numbers(const DvDofType *dof, const BodyMass *body, double *numbers);
void mass_set(const DvDofType *dof, BodyMass *body, double mass); /* keeps the inertia per unit of mass */

/* At the end of init: other masses of the node that act on the same state add up with this one. A warning where they share points,
 * an error where they differ in separateGravity, which changes the velocities of all points of the state. */
DV_NODISCARD DvStatus mass_meet_others(DvObject *object, MassBase *base);

/* Gravity as a derivative of the state's kind: m/s^2, then zeros for rotations. */
void mass_gravity(const MassBase *base, double gravity[6]);

/* Operations on one point or body. */
void mass_add_product(const DvDofType *dof, const BodyMass *body, double factor, const double *dx, double *res);
void mass_divide(const DvDofType *dof, const BodyMass *body, const double *f, double *a);
double mass_kinetic_energy(const DvDofType *dof, const BodyMass *body, const double *v); /* twice the energy */
void mass_add_momentum(const DvDofType *dof, const BodyMass *body, const double *x, const double *v,
                       double momentum[6]);
void mass_matrix(const DvDofType *dof, const BodyMass *body, double *dense); /* deriv x deriv */

/* Whether the inertia turns with the bodies. */
bool mass_turns(MassBase *base);

/* Members of DvMassOps and DvForceFieldOps. */
DvObject *mass_state(void *self);
uint32_t mass_states(void *self, DvObject *states[2]);
bool mass_separate_gravity(void *self);
bool mass_yes(void *self);
void mass_add_gravity_to_velocity(void *self, double dt, DvVec v); /* all points of the state */

/* Draws the centre of gravity, when asked for. */
void mass_draw(MassBase *base, DvDraw *draw, double (*point_mass)(void *self, uint32_t point));

#endif
