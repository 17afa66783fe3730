/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Linear elastic triangles in blocks of eight: what TriangleFEMForceField and TriangularFEMForceField share.
 *
 * In the frame R of a triangle a b c (x along a b, z normal) the displacement D = rest - current is plane. With g the gradients of
 * the linear shape functions,
 *   strain = sum sym(D_n g_n^T),   sigma = area thickness (lambda tr(strain) I + 2 mu strain),   f_n = R^T sigma g_n
 * Lame's parameters are those of plane stress, or of plane strain.
 *
 *   large    the area is that of the rest shape, but g belong to the current one: they are made anew by each force, and the stiffness
 *            -R^T K R uses the last ones. Derivatives of R and g are left out: exact where a triangle is only moved rigidly. The
 *            frame follows the first edge, and B.y = 0 there, so where strains are large the force depends on which edge that is.
 *   small    the same without a frame: x and y alone, and B.y taken for 0 as well, which is right only of triangles whose first edge lies
 *            along x.
 *   linear   the frame and the g of the rest shape: small displacements of triangles that lie as they like.
 *   exact    the g of the rest shape, and R the rotation of the deformation gradient: with F = sum x_n g_n^T = R^T S,
 *            S = (F^T F)^(1/2), the force is minus the gradient of the energy sigma : (S - I) / 2 and has no torque. Its derivative has
 *            all terms, those of the turning plane too, and is not definite in a triangle that is pressed.
 *   planar   (TriangularFEMForceField calls it small) like small, with the g of x and y of both edges and the area in space.
 *
 * Of linear and exact nothing depends on the order of the points.
 * Hauth and Strasser, Corotational simulation of deformable solids, WSCG 2004 (large); Chao, Pinkall, Sanan and Schroeder, A simple
 * geometric model for elastic deformations, 2010 (exact).
 */
#ifndef DIVAN_MECHANICS_TRIANGLE_BLOCKS_H
#define DIVAN_MECHANICS_TRIANGLE_BLOCKS_H

#include <divan/kit/element_blocks.h>

typedef enum TriangleMethod {
    TRIANGLE_SMALL,
    TRIANGLE_LARGE,
    TRIANGLE_LINEAR,
    TRIANGLE_EXACT,
    TRIANGLE_PLANAR
} TriangleMethod;

typedef struct TriangleBlock { /* eight triangles */
    DvReal8 rest[2][2];        /* edges a b and a c in the rest frame: [edge][axis] */
    DvReal8 area;              /* at rest */
    DvReal8 lambda, mu;        /* times area and thickness; zero in unused lanes */
    DvReal8 axis[2][3];        /* x and y of the last frame, in world axes */
    DvReal8 gradient[2][2];    /* of b and c, in that frame */
    DvReal8 twice_area;        /* at rest */
} TriangleBlock;

/* What the derivative of the frame adds to the stiffness, of method exact: with w_n = g_n1 y - g_n2 x in the axes of the frame,
 * spin w_n w_m^T turns in the plane, (g_n . tilt g_m) z z^T tilts it. Both are zero at rest. */
typedef struct TriangleTurn {
    DvReal8 spin, tilt[3]; /* tilt: xx yy xy */
    DvReal8 normal[3];
} TriangleTurn;

typedef struct TriangleBlocks {
    DvElementBlocks mesh;
    TriangleMethod method;
    TriangleBlock *block; /* [blocks] */
    TriangleTurn *turn;   /* [blocks] of the last force; method exact only */
    DvReal4 *row;         /* of triangle_assembly.c, from the first assembly on */
    bool *collapsed;      /* [blocks] a triangle of the block had no area in the last force */
    uint32_t room;        /* blocks that there is room for */
    bool warned;
} TriangleBlocks;

/* The rest shape; materials are zero until set. A triangle without area is an error. */
DV_NODISCARD DvStatus triangle_blocks_build(TriangleBlocks *t, const DvObject *object, TriangleMethod method,
                                            uint32_t points, const double *rest, uint32_t triangles,
                                            const uint32_t *list);
void triangle_blocks_free(TriangleBlocks *t);
/* Follows edits of the mesh, sorted, as dv_element_blocks_update: rest shapes of blocks with a touched triangle are made again, also those
 * of their other triangles. Materials of touched triangles are to be set, and a force is to come before a product. */
DV_NODISCARD DvStatus triangle_blocks_update(TriangleBlocks *t, const DvObject *object, const DvMeshEdits *edits,
                                             const DvTopologyRef *topology, uint32_t points, const double *rest,
                                             uint32_t triangles, const uint32_t *list, bool *paired);
/* Another rest shape of one triangle, before its material is set; its gradients follow from triangle_blocks_ready.     edge: a b and a c in the rest frame, z ignored but for the area;
 * frame: rows, x and y of that of rest; or NULL */
void triangle_blocks_set_rest(TriangleBlocks *t, uint32_t triangle, const double edge[2][3], const double frame[6]);
/* thickness: m; Lame's parameters of the plane: Pa */
void triangle_blocks_set_material(TriangleBlocks *t, uint32_t triangle, double thickness, double lambda, double mu);

/* After shapes and materials: frames and gradients of the rest shape, should a product be asked for before a force. */
void triangle_blocks_ready(TriangleBlocks *t, const double *rest);

/* DvForceFieldOps of `self`, which is told once when a triangle has lost its area. */
void triangle_blocks_force(TriangleBlocks *t, const void *self, const DvConstVec *x, const DvVec *f);
void triangle_blocks_dforce(TriangleBlocks *t, double k, const DvConstVec *dx, const DvVec *df);
void triangle_blocks_assemble(TriangleBlocks *t, double k, const DvMatrixView *view);
/* In the frames of x. */
double triangle_blocks_energy(TriangleBlocks *t, const DvConstVec *x);
void triangle_blocks_cost(const TriangleBlocks *t, double *product, double *assembly);
/* The largest angular frequency, for dv_elements_explain. */
double triangle_blocks_bound(const TriangleBlocks *t);
void triangle_blocks_draw(const TriangleBlocks *t, DvDraw *draw, DvStateRef state);

/* Stress at the positions of the last force, in the frame of each triangle: xx, yy, xy.     N/m, Pa where it is 1 m thick;
 * out: [triangles] */
void triangle_blocks_stress(const TriangleBlocks *t, const DvConstVec *x, double (*out)[3]);

#endif
