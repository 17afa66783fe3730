/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Force fields of solids by element x law: a class says its kinematics, law and parameters; everything else is here.
 *
 * The variant of an object names the state and the element, "Vec3d,Tetrahedron". A class's struct begins with a DvSolidForceField, its field
 * table with DV_SOLID_FORCE_FIELD_FIELDS, and DV_SOLID_FORCE_FIELD_CLASS gives its table the rest; its `parse` is, or calls,
 * dv_solid_force_field_parse, its `init` is one call of dv_solid_force_field_init. An example: plugins/mechanics/forcefield/fem/solid_fem_force_field.c.
 */
#ifndef DIVAN_KIT_SOLID_FORCE_FIELD_H
#define DIVAN_KIT_SOLID_FORCE_FIELD_H

#include <divan/kit/element_operator.h>
#include <divan/kit/element_stress.h>
#include <divan/kit/mesh_force_field.h>
#include <divan/kit/solid_elements.h>

DV_BEGIN_DECLS

/* Elements that a variant may name, for DvClass.variants and DvPlugin.variants. */
#define DV_SOLID_VARIANTS                                                                                    \
    "Vec2d,Edge Vec2d,Quad Vec2d,Triangle Vec3d,Edge Vec3d,Hexahedron Vec3d,Prism Vec3d,Pyramid Vec3d,Quad " \
    "Vec3d,Tetrahedron Vec3d,Triangle"

typedef struct DvSolidForceField {
    DvMeshForceField field;
    DvData element_stiffness, gap;
    DvSolidElements elements;
    DvMeshForceFieldKind kind;
    bool by_default; /* the scene names no element */
    /* Kinematics, rotation, law and its parameters; kind and space are filled.     [main] in build, [step] of a mesh that changes */
    DvStatus (*model)(void *self, DvSolidModel *model);
    DvElementOperator described;
} DvSolidForceField;

#define DV_SOLID_FORCE_FIELD_FIELDS(Struct, solid)                                                             \
    DV_MESH_FORCE_FIELD_FIELDS(Struct, solid.field),                                                           \
        DV_FIELD(Struct, solid.element_stiffness, "elementStiffness", dv_type_doubles, .unit = "N/m",          \
                 .flags = DV_FIELD_READ_ONLY | DV_FIELD_OUTPUT,                                                \
                 .help = "stiffness of each element in its frame: its matrix, row by row"),                    \
        DV_FIELD(Struct, solid.gap, "elementSpace", dv_type_double, .init = "0.125", .range = &dv_range_share, \
                 .flags = DV_FIELD_DRAWING, .help = "how far elements are drawn apart"),                       \
        DV_FIELD_HELD("computeForceStrategy", dv_type_string, .init = "parallel",                              \
                      .help = "kept for old scenes: threads are those of the run"),                            \
        DV_FIELD_HELD("computeForceDerivStrategy", dv_type_string, .init = "parallel",                         \
                      .help = "kept for old scenes: threads are those of the run"),                            \
        DV_FIELD_HELD("nbThreads", dv_type_int, .init = "0", .flags = DV_FIELD_HIDDEN,                         \
                      .help = "kept for old scenes: threads are those of the run"),                            \
        DV_FIELD_HELD("taskSchedulerType", dv_type_string, .init = "_default", .flags = DV_FIELD_HIDDEN,       \
                      .help = "kept for old scenes: there is one scheduler of tasks")

/* State, mesh and elements. `material` as in dv_mesh_force_field_begin.     [main] */
DV_NODISCARD DV_PUBLIC DvStatus dv_solid_force_field_init(DvObject *object, DvSolidForceField *self,
                                                          DvStatus (*model)(void *self, DvSolidModel *model),
                                                          DvElasticMaterial *material);
/* The parameters of Hooke's law from Young's modulus and Poisson's ratio, in the dimensions of the state; `context` of the model is the
 * DvSolidForceField. */
DV_PUBLIC void dv_solid_force_field_lame(void *context, uint32_t element, double *parameters);

/* What such classes offer. */
extern DV_PUBLIC const DvForceFieldOps dv_solid_force_field_ops;
extern DV_PUBLIC const DvElementsCause dv_solid_force_field_cause;
extern DV_PUBLIC const DvElementStressOps dv_solid_force_field_stress;
extern DV_PUBLIC const DvDrawableOps dv_solid_force_field_drawable;
extern DV_PUBLIC const DvOperatorOps dv_solid_force_field_operator;
DV_PUBLIC DvStatus dv_solid_force_field_parse(DvObject *object, void *self, const DvAttributes *attributes);
DV_PUBLIC DvStatus dv_solid_force_field_reinit(DvObject *object, void *self);
DV_PUBLIC DvStatus dv_solid_force_field_update(DvObject *object, void *self);
DV_PUBLIC void dv_solid_force_field_destroy(DvObject *object, void *self);

/* The names of the class's bases, the nearest first. */
#define DV_SOLID_FORCE_FIELD_CLASS(...)                                                                   \
    DV_FORCE_FIELD_CLASS(__VA_ARGS__),                                                                    \
        .contracts = (const DvContract[]){{.id = DV_FORCE_FIELD, .ops = &dv_solid_force_field_ops},       \
                                          {.id = DV_COUPLED_PAIRS, .ops = &dv_mesh_force_field_pairs},    \
                                          {.id = DV_ROTATIONS, .ops = &dv_mesh_force_field_rotations},    \
                                          {.id = DV_FAULT_CAUSE, .ops = &dv_solid_force_field_cause},     \
                                          {.id = DV_DRAWABLE, .ops = &dv_solid_force_field_drawable},     \
                                          {.id = DV_ELEMENT_STRESS, .ops = &dv_solid_force_field_stress}, \
                                          {.id = DV_OPERATOR, .ops = &dv_solid_force_field_operator},     \
                                          {0}},                                                           \
        .reinit = dv_solid_force_field_reinit, .update = dv_solid_force_field_update,                     \
        .cleanup = dv_mesh_force_field_cleanup, .destroy = dv_solid_force_field_destroy

DV_END_DECLS
#endif
