/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Element x law: linear elements of any kind, with any material, eight at a time.
 *
 * At each point of quadrature the displacements of the nodes give a deformation gradient F, a law (material_law.h) gives its stress P, and
 * the nodes n get the forces -w P grad N_n. Kinematics say which F:
 *   small         1 + sym(grad u): for small displacements; linear with a linear law
 *   corotational  the same of R^T (x - c) - (X - C), turned back by R: the rotation of the element, for large rotations and small strains.
 *                 The derivative of R is left out
 *   finite        dx / dX: for laws that know rotations. The derivative is the whole one
 * Edges and surfaces in space have the stress of their tangent plane, as if it were a slice of a body of unit section or thickness; finite
 * strains need elements as many-dimensional as the state.
 *
 * States of one or two dimensions are computed in space with the missing coordinates at rest (plane strain; Lame's lambda of plane stress
 * makes it plane stress).
 *
 * Threads: [step] but where a function says otherwise.
 */
#ifndef DIVAN_KIT_SOLID_ELEMENTS_H
#define DIVAN_KIT_SOLID_ELEMENTS_H

#include <divan/kit/element_blocks.h>
#include <divan/kit/material_law.h>
#include <divan/kit/quadrature.h>

DV_BEGIN_DECLS

typedef enum DvKinematics { DV_SMALL_STRAIN, DV_COROTATIONAL, DV_FINITE_STRAIN } DvKinematics;

/* The rotation of corotational elements: none; the polar factor of sum (x - c) (X - C)^T, that may be a reflection where an element is turned
 * inside out, or one that never is; from the frame of nodes 0 1 2; from that of the mean edges of a hexahedron. */
typedef enum DvElementRotation {
    DV_ROTATION_NONE,
    DV_ROTATION_POLAR,
    DV_ROTATION_STABLE_POLAR,
    DV_ROTATION_TRIANGLE,
    DV_ROTATION_HEXAHEDRON
} DvElementRotation;

/* What elements are made of. */
typedef struct DvSolidModel {
    DvElementKind kind; /* from edges on */
    uint32_t space;     /* coordinates of a point of the state: 1, 2 or 3 */
    DvKinematics kinematics;
    DvElementRotation rotation; /* of corotational ones */
    const DvMaterialLaw *law;
    /* Of an element: the law's parameters.     out: [dv_material_law_parameters] */
    void (*parameters)(void *context, uint32_t element, double *out);
    void *context;
} DvSolidModel;

typedef struct DvSolidElements {
    DvElementBlocks mesh; /* may have `kept` before it is built */
    DvSolidModel model;
    uint32_t points; /* of quadrature */
    uint32_t stride;
    DvReal8 *block;    /* [blocks][stride] rest positions, parameters, rotation; of each point weight, gradients, F */
    double *stiffness; /* [elements][pairs of nodes, first <= second][3][4] as last made; NULL: not yet */
    DvReal4
        *row; /* of elements with one point and Hooke's law, [elements][nodes], of the last assembly; NULL: none yet */
    bool turns;    /* those are turned to where the elements are */
    double *space; /* [2][points x 3] x and f of states of one or two dimensions, or NULL */
} DvSolidElements;

/* `list`: elements x nodes.     rest: of the state, dim numbers a point. Errors have been reported, and leave no elements.     [main] */
DV_NODISCARD DV_PUBLIC DvStatus dv_solid_elements_build(DvSolidElements *solid, const DvObject *object,
                                                        const DvSolidModel *model, const DvConstVec *rest,
                                                        DvElements list);
/* Follows edits of the mesh, sorted, as dv_element_blocks_update does.     [main], [step] */
DV_NODISCARD DV_PUBLIC DvStatus dv_solid_elements_update(DvSolidElements *solid, const DvObject *object,
                                                         const DvMeshEdits *edits, const DvTopologyRef *topology,
                                                         const DvConstVec *rest, DvElements list, bool *paired);
DV_PUBLIC void dv_solid_elements_free(DvSolidElements *solid);

/* f += forces at x. */
DV_PUBLIC void dv_solid_elements_add_force(DvSolidElements *solid, const DvConstVec *x, const DvVec *f);
/* df += k K dx, K of the last force. */
DV_PUBLIC void dv_solid_elements_add_product(DvSolidElements *solid, double k, const DvConstVec *dx, const DvVec *df);
/* Couplings as dv_element_blocks_reserve has them += k K, K of the last force. */
DV_PUBLIC void dv_solid_elements_assemble(DvSolidElements *solid, double k, const DvMatrixView *view);
/* J at x, of corotational elements with the rotations of x. */
DV_PUBLIC double dv_solid_elements_energy(DvSolidElements *solid, const DvConstVec *x);
/* Largest angular frequency of the elements for a unit of mass per point, at the last force.     rad/s */
DV_PUBLIC double dv_solid_elements_bound(DvSolidElements *solid);
/* Nanoseconds on one core, roughly. */
DV_PUBLIC void dv_solid_elements_cost(const DvSolidElements *solid, double *product, double *assembly);
/* Fills `stiffness` with that of the last force; turned: as it acts, else in the frames of the elements. */
DV_PUBLIC void dv_solid_elements_make_matrices(DvSolidElements *solid, bool turned);
/* Pairs of nodes of an element, a node with itself included. */
static inline uint32_t dv_solid_elements_pairs(const DvSolidElements *solid)
{
    return solid->mesh.nodes * (solid->mesh.nodes + 1) / 2;
}
/* Of an element as `stiffness` has it: force i on node n by a displacement j of node m, with its sign turned. */
static inline double dv_solid_elements_stiffness(const DvSolidElements *solid, uint32_t element, uint32_t n, uint32_t m,
                                                 uint32_t i, uint32_t j)
{
    const uint32_t low = n < m ? n : m, high = n < m ? m : n;
    const uint32_t pair = low * solid->mesh.nodes - low * (low + 1) / 2 + high;
    return solid
        ->stiffness[((size_t)element * dv_solid_elements_pairs(solid) + pair) * 12 + (n <= m ? 4 * i + j : 4 * j + i)];
}
/* The faces, shrunk by the fraction `gap`.     x: points x 3 */
DV_PUBLIC void dv_solid_elements_draw(const DvSolidElements *solid, DvDraw *draw, const double *x, double gap);

DV_END_DECLS
#endif
