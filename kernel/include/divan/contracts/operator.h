/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Operators and their twins: how a component acts on a device without knowing one.
 *
 * A component may offer DV_OPERATOR: by which operator it acts, and plain arrays with versions. A plugin may offer the service
 * DV_DEVICE_OPERATORS: from an operator and a space it makes the twin, the functions that act there, or says why not. Mechanics
 * puts both together for the states that are kept elsewhere, brings a twin up to date when a version has changed, and lets components act on
 * the host where there is none. So a component knows no device; an operator, a device, or both can be added by anyone.
 *
 * Operators of this kernel's plugins, with their parts (n numbers each, `points` of the state):
 *   "diagonal blocks"            a preconditioner, by `acceleration`: diagonal [points][deriv], by which is divided; or inverse
 *                                [points x deriv / 3][9], of blocks of 3 numbers that follow each other, each transposed
 *   "diagonal mass"              mass [points] kg; weight [points] kg that gravity acts on; gravity [1][deriv] m/s^2
 *   "body mass"                  of Rigid2 and Rigid3: as "diagonal mass", and inertia, inverse [points][1 or 9] kg m^2, 1 / (kg m^2) in world axes, or with
 *                                turns [1][1] 1 in those of each body at the last force, with the gyroscopic torque -w x J w
 *   "constant load"              point [count]; force [count][deriv] N
 *   "corotational tetrahedra"    element [count][4]; edge [count][9] at rest in the element's frame, b-a, c-a, d-a; gradient [count][9]
 *                                of b, c, d, times 6 V; modulus [count][2] Lame's lambda and mu over 36 V; frame [1][1]: 0 none, 1 that
 *                                of edge a b and face a b c, 2 the polar factor of the edges, 3 that, and of flat and inverted ones the
 *                                rotation of G = A A0^-1 times the rest frame, 4 the rotation of the deformation, whose derivative is the
 *                                whole one; of 3 inverse [count][9] A0^-1 and initial [count][9], the rest frame
 *   "factor"                     of a symmetric matrix of blocks, A = P^T L D L^T P, of one state or several, by `solve` and `compliance`: size
 *                                [states][1] numbers of each; node [count][1], which is eliminated k-th, of as many numbers as `inverse` [count][1 to 3]
 *                                1 / D has (they follow each other through all states); panel [panels][5] columns of L with the same rows below
 *                                them: first node, how many, nodes of the rows below, numbers from one column to the next, and behind the last
 *                                one to the next panel; row [below][1] these rows, ascending, panel after panel; value [numbers][1] panels,
 *                                column by column with their own rows on top, where only what is below the diagonal counts, which is 1
 *   "linear elements"            of Hooke's law, of 2 to 6 or 8 nodes: element [count][nodes]; rest [count][nodes x 3] in the element's
 *                                frame, from its middle; slope [points][nodes x 3], derivatives of the shape functions at the points of
 *                                quadrature; map [count][maps x 9] inverse Jacobians there in the element's frame, maps: points, or 1;
 *                                material [count][2 x maps] lambda and mu times the weight; frame [1][1], seen from the middle: 0 none,
 *                                1 rows along edge 0 1 and normal to face 0 1 2, 2 the same of the first two mean edges of a hexahedron, 3
 *                                the polar factor of its three mean edges, 4 that of sum x X^T, 5 that, but never a reflection
 *   "row mass"                   as "diagonal mass", and entries between points: begin [points + 1], other [count], value [count]
 *   "removed normal"             of listed points: d -= n (n . d), and x -= n (n . x - offset), where coordinates are as many as derivatives: point [count];
 *                                normal [1][deriv]; offset [1][1] m; end [1][1] s from which it does nothing, negative: never; velocities [1][1] 1: these too
 *   "rest springs"               point [count]; stiffness [count][deriv] N/m; place [count][deriv] m; without place: products alone
 *   "stiff rows"                 df = -k J^T S J dx, whose forces the component computes: stiffness [rows][1]; rows of J, of the first state begin
 *                                [rows + 1][1], point [entries][1], value [entries][deriv]; between two states of the second one begin 2,
 *                                point 2, value 2 too, with as many numbers each as its derivatives have, and second [1][1], its points
 *   "springs"                    pair [count][2] points; spring [count][3] stiffness N/m, damping N s/m, length m; flags
 *                                [count][1] 1: it acts, 2: on elongation only; shortest [1][1] m, at which none acts; between two states
 *                                second [1][1], how many points the second one has
 *   "weighted rows"              from one state to another: begin [rows + 1][1]; column, weight [entries][1]: a point of the output is the sum of its
 *                                columns' points with these weights, of the components that both have; without any it stays where it
 *                                is, its velocity too unless clears [1][1] is 1. From several states of one kind: input [entries][1], whose column it
 *                                is; points [states][1]
 *   "copies"                     likewise: point [rows][1] that each point of the output copies; one that is not there: it stays
 *   "rigid points"               from Rigid3 to points in space: body [points][1]; local [points][3] m in the body's axes; stiff [1][1] 1: forces on
 *                                the points have geometric stiffness when bodies turn; 2: what its symmetric part has of negative eigenvalues alone
 *   "plane"                      normal [1][deriv]; plane [1][5] distance, stiffness, damping, largest force, 1 on both sides; range
 *                                [1][2] first and last point + 1
 *
 * Threads: all [step].
 */
#ifndef DIVAN_CONTRACTS_OPERATOR_H
#define DIVAN_CONTRACTS_OPERATOR_H

#include <divan/contracts/block_matrix.h>
#include <divan/contracts/vector_space.h>

DV_BEGIN_DECLS

#define DV_OPERATOR         "divan.operator/1"
#define DV_DEVICE_OPERATORS "divan.device-operators/1"

enum {
    DV_MOST_PARTS = 12,
    DV_MOST_COLUMNS = 4 /* of a product */
};

/* An array of the component, which stays as it is until its version is another. */
typedef struct DvOperatorPart {
    const char *name;
    const double *numbers; /* [count][width]; or NULL... */
    const uint32_t *index; /* ...and these */
    size_t count;
    uint32_t width;
    uint64_t version;
} DvOperatorPart;

typedef struct DvOperator {
    const char *name; /* NULL: none, as the component is now... */
    const char *why;  /* ...since this, in a message: "plasticity acts on the host alone" */
    uint32_t count;   /* of the parts */
    DvOperatorPart part[DV_MOST_PARTS];
} DvOperator;

typedef struct DvOperatorOps {
    uint32_t size;
    /* A number that changes when `describe` would say something else; quick, as it is asked in each step. */
    uint64_t (*version)(void *self);
    void (*describe)(void *self, DvOperator *out);
} DvOperatorOps;

/* Beside DV_OPERATOR, of what acts between two states, of which a device may keep one alone: how its product acts on that one (0 or 1) while
 * the other one rests. Its version is that of the operator. */
#define DV_OPERATOR_OF_SIDE "divan.operator-of-side/1"
typedef struct DvOperatorOfSideOps {
    uint32_t size;
    void (*describe)(void *self, uint32_t state, DvOperator *out);
} DvOperatorOfSideOps;

/* Part by name, or NULL. */
static inline const DvOperatorPart *dv_operator_part(const DvOperator *op, const char *name)
{
    for (uint32_t i = 0; i < op->count; i++)
        if (strcmp(op->part[i].name, name) == 0)
            return &op->part[i];
    return NULL;
}
static inline void dv_operator_add_numbers(DvOperator *op, const char *name, const double *numbers, size_t count,
                                           uint32_t width, uint64_t version)
{
    const DvOperatorPart part = {name, numbers, NULL, count, width, version};
    op->part[op->count++] = part;
}
static inline void dv_operator_add_indices(DvOperator *op, const char *name, const uint32_t *index, size_t count,
                                           uint32_t width, uint64_t version)
{
    const DvOperatorPart part = {name, NULL, index, count, width, version};
    op->part[op->count++] = part;
}

/* What acts in a space, for one component. Vectors are of that space, in the precision that the twin was made for, and shaped as in the
 * contract of the component, whose functions these are; those that the operator has not, or that do nothing, are NULL. */
typedef struct DvTwin {
    const struct DvTwinOps *ops;
} DvTwin;
typedef struct DvTwinOps {
    uint32_t size;
    /* The operator has another version: takes over parts whose versions are others. false: it cannot act any more, with the reason. */
    bool (*update)(DvTwin *twin, const DvOperator *op, DvText *why);
    void (*free)(DvTwin *twin);
    /* DvForceFieldOps */
    void (*add_force)(DvTwin *twin, const DvStep *step, const DvConstVec *x, const DvConstVec *v, const DvVec *f);
    void (*add_dforce)(DvTwin *twin, const DvStep *step, double k, double b, const DvConstVec *dx, const DvVec *df);
    /* DvMassOps */
    void (*add_mdx)(DvTwin *twin, double factor, DvConstVec dx, DvVec res);
    void (*acceleration)(DvTwin *twin, DvConstVec f, DvVec a);
    /* DvMappingOps, of one output */
    void (*apply)(DvTwin *twin, const DvConstVec *in, const DvVec *out);
    void (*apply_j)(DvTwin *twin, const DvConstVec *in, const DvVec *out);
    void (*apply_jt)(DvTwin *twin, const DvConstVec *out, const DvVec *in);
    /* in += k dJ^T(dx) force, with the forces of the output; the input and its force where dJ is not symmetric are as of the last apply */
    void (*apply_djt)(DvTwin *twin, double k, const DvConstVec *force, const DvConstVec *dx, const DvVec *in);
    /* DvProjectiveConstraintOps, where these leave something out of `fixed` */
    void (*project_response)(DvTwin *twin, const DvStep *step, const DvVec *d);
    void (*project_position)(DvTwin *twin, const DvStep *step, const DvVec *x);
    /* DvMassOps */
    void (*implicit_turn)(DvTwin *twin, double dt, double share, DvConstVec v, DvVec b);
    /* Of linear solvers: x = A^-1 b, a vector for each state; x may be b. */
    void (*solve)(DvTwin *twin, const DvConstVec *b, const DvVec *x);
    /* DvLinearSolverOps; rows whose columns ascend, each once. Waits for the device. */
    void (*compliance)(DvTwin *twin, const DvSparseRows *j, double factor, double *w, size_t stride);
    /* Optional: the diagonal of what add_dforce and add_mdx multiply by, the number by which each component of a vector is multiplied for its own
     * place: added to df, to res. Without them preconditioners by the diagonal are built on the host. */
    void (*add_diagonal)(DvTwin *twin, const DvStep *step, double k, double b, const DvVec *df);
    void (*add_mass_diagonal)(DvTwin *twin, double factor, DvVec res);
    /* Optional, of what acts on one state: add_dforce and add_mdx for up to DV_MOST_COLUMNS columns in one pass over the operator. Each
     * column has the bits of a product by itself. */
    void (*add_dforce_columns)(DvTwin *twin, const DvStep *step, double k, double b, uint32_t columns,
                               const DvConstVec *dx, const DvVec *df);
    void (*add_mdx_columns)(DvTwin *twin, double factor, uint32_t columns, const DvConstVec *dx, const DvVec *res);
} DvTwinOps;

typedef struct DvDeviceOperatorsOps {
    uint32_t size;
    /* The twin of an operator for states of a kind in a space: NULL: none, with the reason when there could be one. The caller
     * frees it before it closes the space. */
    DvTwin *(*make)(DvVectorSpace *space, DvPrecision precision, const DvDofType *dof, uint32_t points,
                    const DvOperator *op, DvText *why);
    /* Optional: of an operator from one state, or several of one kind and the first one's points, to another, a mapping. */
    DvTwin *(*make_between)(DvVectorSpace *space, DvPrecision precision, const DvDofType *const dof[2],
                            const uint32_t points[2], const DvOperator *op, DvText *why);
} DvDeviceOperatorsOps;

DV_END_DECLS
#endif
