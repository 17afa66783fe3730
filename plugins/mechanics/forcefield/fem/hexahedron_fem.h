/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Linear elastic hexahedra: what HexahedronFEMForceField, HexahedronFEMForceFieldAndMass and HexahedralFEMForceField share. The method is described in
 * hexahedron_fem_force_field.c.
 */
#ifndef DIVAN_MECHANICS_HEXAHEDRON_FEM_H
#define DIVAN_MECHANICS_HEXAHEDRON_FEM_H

#include "forcefield/fem/hexahedron_box.h"
#include "forcefield/fem/hexahedron_exact.h"
#include "forcefield/fem/hexahedron_shapes.h"
#include <divan/kit/element_operator.h>
#include <divan/kit/element_stress.h>
#include <divan/kit/ordered_hexahedra.h>

enum { NODES = 8, COLUMNS = 24 };

typedef enum HexahedronMethod {
    HEXAHEDRON_LARGE,
    HEXAHEDRON_POLAR,
    HEXAHEDRON_SMALL,
    HEXAHEDRON_EXACT
} HexahedronMethod;

/* Eight parallelepipeds. */
typedef struct Box {
    DvReal8 inverse[3][3];  /* inverse Jacobian in the rest frame */
    DvReal8 rest[MODES][3]; /* modes of the rest shape, in the rest frame */
} Box;

/* What products read of them. */
typedef struct TurnedBox {
    DvReal8 inverse[3][3]; /* inverse Jacobian in the axes of the last force */
    DvReal8 lambda, mu;    /* Lame's parameters times det J / 8; zero in unused lanes */
} TurnedBox;

typedef struct HexahedronFEMForceField {
    DvMeshForceField field;
    DvElasticMaterial material;
    DvData method, update_stiffness_matrix, stiffness_matrices, initial_points;
    DvData gather_points, gather_block_size, drawing, gap;

    bool closed_form; /* HexahedralFEMForceField: stiffness of a box along the axes of space */
    HexahedronMethod chosen;
    bool updates;
    DvElementBlocks mesh;
    DvOrderedHexahedra order; /* in which elements are taken */
    uint32_t *corner;         /* [elements][8] */
    DvReal8 (*rest)[3];       /* [elements] rest position in the rest frame, a lane per node */
    DvReal8 (*frame)[3][3];   /* [blocks] of the last force, world to local */
    bool *is_box;             /* [blocks] all eight are parallelepipeds, and none changes its stiffness */
    Box *box;                 /* [blocks] */
    TurnedBox *turned;        /* [blocks] */
    HexahedronExact *exact;   /* [elements]; of method exact, else NULL */
    bool derived;             /* their derivatives are those of the last force */
    uint32_t *shape;          /* [elements] which stiffness */
    HexahedronShapes shapes;
    double (*lame)[2]; /* [elements]; negative where the nodes are numbered as in a mirror */
    uint32_t room;     /* blocks that there is room for */
    DvElementOperator described;
} HexahedronFEMForceField;

extern const DvType dv_type_stiffness_matrices; /* of 24 x 24 numbers */

extern const char *const hexahedron_methods[];
#define HEXAHEDRON_FEM_FIELD(member, name, type, ...) DV_FIELD(HexahedronFEMForceField, member, name, type, __VA_ARGS__)
#define HEXAHEDRON_FEM_FIELDS                                                                                         \
    DV_MESH_FORCE_FIELD_FIELDS(HexahedronFEMForceField, field),                                                       \
        DV_MATERIAL_FIELDS(HexahedronFEMForceField, material, DV_FIELD_INPUT),                                        \
        HEXAHEDRON_FEM_FIELD(                                                                                         \
            method, "method", dv_type_choice, .init = "large", .choices = hexahedron_methods,                         \
            .help =                                                                                                   \
                "frame of an element: by the first two of its mean edges (large), by the polar decomposition of all " \
                "three (polar), none (small). Large and polar forces have a torque where strains are large, which "   \
                "changes the angular momentum, of large more than of polar, and depend on the order of an element's " \
                "points. By the rotation of its deformation, with force and stiffness of its energy (exact): they "   \
                "do neither"),                                                                                        \
        HEXAHEDRON_FEM_FIELD(update_stiffness_matrix, "updateStiffnessMatrix", dv_type_bool, .init = "0",             \
                             .help = "integrate the stiffness over the current shape in each evaluation"),            \
        HEXAHEDRON_FEM_FIELD(stiffness_matrices, "stiffnessMatrices", dv_type_stiffness_matrices, .unit = "N/m",      \
                             .flags = DV_FIELD_READ_ONLY | DV_FIELD_OUTPUT,                                           \
                             .help = "stiffness of each element in its frame"),                                       \
        HEXAHEDRON_FEM_FIELD(initial_points, "initialPoints", dv_type_vec3s, .unit = "m",                             \
                             .flags = DV_FIELD_READ_ONLY | DV_FIELD_OUTPUT,                                           \
                             .help = "rest positions the elements were made from"),                                   \
        HEXAHEDRON_FEM_FIELD(gather_points, "gatherPt", dv_type_string, .flags = DV_FIELD_HIDDEN,                     \
                             .help = "points gathered per GPU thread"),                                               \
        HEXAHEDRON_FEM_FIELD(gather_block_size, "gatherBsize", dv_type_string, .flags = DV_FIELD_HIDDEN,              \
                             .help = "elements per GPU block"),                                                       \
        HEXAHEDRON_FEM_FIELD(drawing, "drawing", dv_type_bool, .init = "1", .flags = DV_FIELD_DRAWING,                \
                             .help = "draw the elements"),                                                            \
        HEXAHEDRON_FEM_FIELD(gap, "drawPercentageOffset", dv_type_double, .init = "0.15", .range = &dv_range_share,   \
                             .flags = DV_FIELD_DRAWING, .help = "how far elements are drawn apart")

/* Of all classes whose instances start with one. `closed_form` is set before. */
DvStatus hexahedron_fem_init(DvObject *object, void *self);
DvStatus hexahedron_fem_reinit(DvObject *object, void *self);
DvStatus hexahedron_fem_update(DvObject *object, void *self);
void hexahedron_fem_destroy(DvObject *object, void *self);
void hexahedron_fem_draw(HexahedronFEMForceField *self, DvDraw *draw, double gap);

extern const DvForceFieldOps hexahedron_fem_ops;
extern const DvDrawableOps hexahedron_fem_drawable;
extern const DvElementsCause hexahedron_fem_cause;
extern const DvElementStressOps hexahedron_fem_stress;
extern const DvOperatorOps hexahedron_fem_operator;

#endif
