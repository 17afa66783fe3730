/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What every mass has: its fields, its state, gravity, and the masses of rigid bodies.
 *
 * A mass struct starts with a DvMass, its field table with DV_MASS_FIELDS, its class has DV_MASS_CLASS, its tables of functions
 * DV_MASS_OPS and DV_MASS_FORCE_OPS and their loops, in the memory space that they state. Masses of rigid bodies are written
 *   mass volume inertia     inertia per unit of mass: 9 numbers by rows (Rigid3d), 1 number (Rigid2d)
 * where commas and brackets may stand between numbers; the volume is kept and not used. The inertia is that of the world's
 * axes and stays as it is when the body turns: no gyroscopic forces. With turningInertia it is that of the body's axes, see
 * divan/kit/turning_inertia.h.
 */
#ifndef DIVAN_KIT_MASS_H
#define DIVAN_KIT_MASS_H

#include <divan/contracts/mass.h>
#include <divan/contracts/visual.h>
#include <divan/kit/states.h>

DV_BEGIN_DECLS

typedef struct DvMass {
    DvData separate_gravity, rayleigh_mass, rayleigh_stiffness;
    DvData turning_inertia; /* of masses that rigid bodies may have */
    DvData show_gravity_center, show_axis_size;
    DvData extents; /* of masses of rigid bodies that have such a field: lengths of their box */
    DvLink mstate;
    DvStateRef state; /* ops is NULL until it is found, or when the mass is invalid */
} DvMass;

#define DV_MASS_GRAVITY_FIELDS(Struct, base)                                                         \
    DV_FIELD(Struct, base.rayleigh_mass, "rayleighMass", dv_type_double, .init = "0", .unit = "1/s", \
             .range = &dv_range_not_negative, .flags = DV_FIELD_LENIENT,                             \
             .help = "damping in proportion to the mass, added to the solver's own"),                \
        DV_FIELD(Struct, base.separate_gravity, "separateGravity", dv_type_bool, .init = "0",        \
                 .help = "gravity changes the velocities directly, after the solver, instead of being a force")

#define DV_MASS_FIELDS(Struct)                                                                                       \
    DV_FIELD_RAYLEIGH_STIFFNESS(Struct, base.rayleigh_stiffness), DV_MASS_GRAVITY_FIELDS(Struct, base),              \
        DV_FIELD(Struct, base.show_gravity_center, "showGravityCenter", dv_type_bool, .init = "0",                   \
                 .flags = DV_FIELD_DRAWING, .group = "Drawing", .help = "draw the centre of gravity"),               \
        DV_FIELD(Struct, base.show_axis_size, "showAxisSizeFactor", dv_type_double, .init = "1",                     \
                 .range = &dv_range_not_negative, .flags = DV_FIELD_DRAWING, .group = "Drawing",                     \
                 .help = "size of the drawn centre of gravity"),                                                     \
        DV_LINK(Struct, base.mstate, "mstate", DV_STATE, .aliases = (const char *const[]){"mechanicalStates", NULL}, \
                .help = "state that has the mass; by default that of the node")

#define DV_MASS_TURNING_INERTIA_FIELD(Struct)                                                                          \
    DV_FIELD(Struct, base.turning_inertia, "turningInertia", dv_type_bool, .init = "0",                                \
             .help =                                                                                                   \
                 "the inertia of rigid bodies in space turns with them, with the gyroscopic torque -w x J w; without " \
                 "it the inertia stays in world axes, as in the reference: wrong unless it is a multiple of the "      \
                 "identity")

/* What the classes have alike. */
#define DV_MASS_CLASS                                                                          \
    .variant_rule = DV_VARIANT_OF_ALL, .sources = dv_single_state_sources, .family = "masses", \
    .bases = (const char *const[])                                                             \
    {                                                                                          \
        "Mass", "BaseMass", "ForceField", NULL                                                 \
    }
/* What their tables of functions have alike: DvMassOps, DvForceFieldOps. */
#define DV_MASS_OPS                                                                                  \
    .size = sizeof(DvMassOps), .state = dv_mass_state, .separate_gravity = dv_mass_separate_gravity, \
    .add_gravity_to_velocity = dv_mass_add_gravity_to_velocity
#define DV_MASS_FORCE_OPS .size = sizeof(DvForceFieldOps), .states = dv_mass_states

extern DV_PUBLIC const DvType dv_mass_type; /* numbers of one mass, or of a list of masses */

/* One body; kg, kg m^2. For points without rotation only `mass` counts. */
typedef struct DvBodyMass {
    double mass;
    double inertia[9];         /* per unit of mass; Rigid2d: the first */
    double inertia_mass[9];    /* inertia x mass */
    double inverse_inertia[9]; /* of inertia_mass */
} DvBodyMass;

/* Numbers that describe one mass of this kind of point: 1, 3 (Rigid2d) or 11 (Rigid3d). */
DV_PUBLIC uint32_t dv_body_mass_numbers(const DvDofType *dof);
/* From at most that many numbers; missing ones: mass 1, volume 1, unit inertia. */
DV_PUBLIC DvBodyMass dv_body_mass_from_numbers(const DvDofType *dof, const double *numbers, size_t count);
DV_PUBLIC void dv_body_mass_to_numbers(const DvDofType *dof, const DvBodyMass *body, double *numbers);
DV_PUBLIC void dv_body_mass_set(const DvDofType *dof, DvBodyMass *body,
                                double mass); /* keeps the inertia per unit of mass */

/* At the end of init: other masses of the node that act on the same state add up with this one. A warning where they share points,
 * an error where they differ in separateGravity, which changes the velocities of all points of the state.     [main] */
DV_NODISCARD DV_PUBLIC DvStatus dv_mass_check_others(DvObject *object, DvMass *base);

/* Gravity as a derivative of the state's kind: m/s^2, then zeros for rotations.     [step] */
DV_PUBLIC void dv_mass_gravity(const DvMass *base, double gravity[6]);

/* Operations on one point or body.     [worker]     dx, f, v, a, res: deriv components; x: coord components */
DV_PUBLIC void dv_body_mass_add_product(const DvDofType *dof, const DvBodyMass *body, double factor, const double *dx,
                                        double *res);
DV_PUBLIC void dv_body_mass_divide(const DvDofType *dof, const DvBodyMass *body, const double *f, double *a);
DV_PUBLIC double dv_body_mass_kinetic_energy(const DvDofType *dof, const DvBodyMass *body,
                                             const double *v); /* twice the energy */
DV_PUBLIC void dv_body_mass_add_momentum(const DvDofType *dof, const DvBodyMass *body, const double *x, const double *v,
                                         double momentum[6]);
DV_PUBLIC void dv_body_mass_matrix(const DvDofType *dof, const DvBodyMass *body, double *dense); /* deriv x deriv */

/* Whether the inertia turns with the bodies. */
DV_PUBLIC bool dv_mass_turns(DvMass *base);

/* Members of DvMassOps and DvForceFieldOps.     [step] */
DV_PUBLIC DvObject *dv_mass_state(void *self);
DV_PUBLIC uint32_t dv_mass_states(void *self, DvObject *states[2]);
DV_PUBLIC bool dv_mass_separate_gravity(void *self);
DV_PUBLIC bool dv_mass_yes(void *self);
DV_PUBLIC void dv_mass_add_gravity_to_velocity(void *self, double dt, DvVec v); /* all points of the state */

/* Draws the centre of gravity, when asked for.     [main] */
DV_PUBLIC void dv_mass_draw(DvMass *base, DvDraw *draw, double (*point_mass)(void *self, uint32_t point));

DV_END_DECLS
#endif
