/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Linear corotational tetrahedra in blocks of eight: what TetrahedronFEMForceField and TetrahedralCorotationalFEMForceField share.
 *
 * Method (Muller and Gross, Interactive virtual materials, Graphics Interface 2004; Nesme, Payan and Faure, 2005): each element
 * has a frame R (world to local) that follows its rotation; in it the displacement D (rest minus current shape) is small and
 * elasticity linear. With g the gradients of the linear shape functions times 6 V,
 *   s = sum sym(D_n g_n^T)      strain, shears as engineering shears, times 6 V
 *   f_n = R^T (sigma g_n),      sigma = lambda tr(s) I + 2 mu sym(...), Lame's parameters divided by 36 V
 * The stiffness is -R^T K R; the derivative of R is left out, as is usual for this method: exact where an element is only moved
 * rigidly. The material is isotropic, so the stiffness needs no more of the frame than the gradients turned into world axes.
 *
 * Method exact takes for R the rotation of the deformation gradient F = sum x_n g_n^T / 6 V = R^T S. Other frames, polar and svd included,
 * which decompose the matrix of the edges, depend on the order of the points, and their forces have a torque and are no gradient; of
 * this one nothing depends on the order, the torque vanishes (sigma and S commute), and the force is minus the gradient of the energy
 * V (mu |S - I|^2 + lambda tr(S - I)^2 / 2). Its derivative has all terms: with a = sum G_n x dx_n (G in world axes) the frame turns by
 * (tr(S) I - S)^-1 a, seen in it, which adds to the stiffness
 *   B = mu I + (lambda tr(S - I) - 2 mu) (tr(S) I - S)^-1,   df_n += G_n x (R^T B R) a
 * and is not definite in an element that is pressed. An inverted element takes the rotation whose S has one negative eigenvalue.
 * Chao, Pinkall, Sanan and Schroeder, A simple geometric model for elastic deformations, 2010; Irving, Teran and Fedkiw, 2004.
 *
 * An element with points a, b, c, d is described by its edges b-a, c-a, d-a and by g_b, g_c, g_d; g_a = -(g_b + g_c + g_d).
 */
#ifndef DIVAN_MECHANICS_TETRAHEDRON_BLOCKS_H
#define DIVAN_MECHANICS_TETRAHEDRON_BLOCKS_H

#include <divan/kit/element_blocks.h>

typedef enum TetrahedronMethod {
    TETRAHEDRON_SMALL, /* no frame: small displacements */
    TETRAHEDRON_LARGE, /* frame of edge a b and face a b c */
    TETRAHEDRON_POLAR, /* polar decomposition of the edges */
    TETRAHEDRON_SVD,   /* the same, and a stable one for flat and inverted elements */
    TETRAHEDRON_EXACT  /* rotation of the deformation gradient */
} TetrahedronMethod;

/* Which gradients a new force takes from the current local shape instead of the rest shape. */
typedef enum TetrahedronUpdate { UPDATE_NONE, UPDATE_NORMAL_STRAINS, UPDATE_ALL_STRAINS } TetrahedronUpdate;

typedef enum TetrahedronLayout {
    LAYOUT_BLOCKS, /* as everywhere */
    LAYOUT_CELLS,  /* element 6 i + k of a pack is in lane i of its block k */
    LAYOUT_ROW     /* the same, and an element may keep the gradient of its first node instead of another */
} TetrahedronLayout;

typedef struct TetrahedronRest { /* eight elements */
    DvReal8 edge[3][3];          /* local: [edge][axis] */
    DvReal8 gradient[3][3];      /* local, of b, c, d */
    DvReal8 lambda, mu;          /* Lame's parameters / (36 V); zero in unused lanes */
    DvReal8 root_mu;
    DvReal8 volume;
} TetrahedronRest;

typedef struct TetrahedronPlasticity {
    double yield, creep, limit; /* of the norm of the strain times 6 V */
    double *strain;             /* [elements][6] plastic part, order xx yy zz xy yz zx; changed by each force */
} TetrahedronPlasticity;

typedef struct TetrahedronBlocks {
    DvElementBlocks mesh;
    TetrahedronMethod method;
    TetrahedronUpdate update;
    TetrahedronRest *rest;     /* [blocks] */
    DvReal8 (*frame)[3][3];    /* [blocks] rest frame, world to local */
    DvReal8 (*inverse)[3][3];  /* [blocks] inverse of the matrix whose rows are the rest edges; SVD only */
    DvReal8 (*world)[3][3];    /* [blocks] gradients in world axes times sqrt(mu), of the last force: see world_of */
    TetrahedronLayout *layout; /* [packs] of their gradients in world axes */
    uint32_t packs;            /* that are cells */
    DvReal8 (*current)[3][3];  /* [blocks] frame of the last force; UPDATE_NORMAL_STRAINS only */
    DvReal8 (*normal)[3][3];   /* [blocks] local gradients of its normal strains; likewise */
    DvReal8 (*turn)[6];        /* [blocks] R^T B R / mu of the last force: xx yy zz xy yz zx; EXACT only */
    DvReal4 *row;              /* [blocks x 8][4] `world` by element, lambda / mu in a free place */
    bool owed; /* the last force kept only its positions, in mesh.point: `world` to `turn` are to be made of them */
    uint32_t forces_alone; /* since anything else was asked; at most FORCES_ALONE */
    uint32_t capacity;     /* of blocks */
    bool has_ratio;        /* of lambda to mu, of the first element that was set */
    bool one_ratio;        /* it has been the same in all elements */
    double ratio;
} TetrahedronBlocks;

/* The rest shape; materials are zero until set. An element without volume is an error. */
DV_NODISCARD DvStatus tetrahedron_blocks_build(TetrahedronBlocks *t, const DvObject *object, TetrahedronMethod method,
                                               TetrahedronUpdate update, uint32_t points, const double *rest_position,
                                               uint32_t elements, const uint32_t *list);
void tetrahedron_blocks_free(TetrahedronBlocks *t);
/* Follows edits of the mesh, sorted; the rest as for tetrahedron_blocks_build. The materials of what is touched are to be set again, and
 * a force computed before any product.
 * *paired: whether couplings are those they were. After an error it has to be built. */
DV_NODISCARD DvStatus tetrahedron_blocks_update(TetrahedronBlocks *t, const DvObject *object, const DvMeshEdits *edits,
                                                const DvTopologyRef *topology, uint32_t points,
                                                const double *rest_position, uint32_t elements, const uint32_t *list,
                                                bool *paired);
void tetrahedron_blocks_set_material(TetrahedronBlocks *t, uint32_t element, double young, double poisson);

/* DvForceFieldOps; plasticity may be NULL. */
void tetrahedron_blocks_force(TetrahedronBlocks *t, const TetrahedronPlasticity *plasticity, const DvConstVec *x,
                              const DvVec *f);
void tetrahedron_blocks_dforce(TetrahedronBlocks *t, double k, const DvConstVec *dx, const DvVec *df);
void tetrahedron_blocks_assemble(TetrahedronBlocks *t, double k, const DvMatrixView *view);
/* Makes what the last force owes, before anything that needs what a force keeps, or changes what it is made of. */
void tetrahedron_blocks_keep(TetrahedronBlocks *t);
/* Elastic energy in the frames of x. */
double tetrahedron_blocks_energy(TetrahedronBlocks *t, const TetrahedronPlasticity *plasticity, const DvConstVec *x);
/* DvElementsCause */
double tetrahedron_blocks_bound(const TetrahedronBlocks *t);
uint32_t tetrahedron_blocks_inverted(const TetrahedronBlocks *t, const DvConstVec *x);
/* DvForceFieldOps.cost, as measured. */
void tetrahedron_blocks_cost(const TetrahedronBlocks *t, double *product, double *assembly);

/* All faces, each in one of four colours. */
extern const double tetrahedron_colors[4][4];
void tetrahedron_blocks_draw(const TetrahedronBlocks *t, DvDraw *draw, const double *position, double gap,
                             const double (*color)[4]);

typedef enum TetrahedronStrain {
    STRAIN_LOCAL, /* of the displacement in the element's frame */
    STRAIN_GREEN  /* Green-Lagrange, of the displacement in world axes */
} TetrahedronStrain;
/* Von Mises stress of each element at x, Pa.     frame: of the local displacements; out: [elements] */
void tetrahedron_blocks_von_mises(TetrahedronBlocks *t, TetrahedronMethod frame, TetrahedronStrain strain,
                                  const DvConstVec *x, double *out);

#endif
