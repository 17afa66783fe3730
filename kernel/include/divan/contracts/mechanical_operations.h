/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Mechanical operations: what solvers ask of a whole subtree. A service of plugins/mechanics, taken by solvers,
 * collision and haptics:
 *
 *   const DvMechanicalOperationsOps *ops = dv_service(DV_MECHANICAL_OPERATIONS);
 *   DvMechanics *m = ops->open(node, tags);         at init
 *   ops->compute_force(m, &step, DV_FORCE);         in a step
 *
 * A DvMechanics stands for the states, masses, force fields, mappings and constraints in and below a node. It follows
 * edits of the graph by itself and allocates nothing in a step after the first. Vectors are named by DvVecId in all
 * states at once; sums and products run over the independent states (those that no mapping computes) in tree order.
 *
 * Threads: [step], one thread at a time per DvMechanics.
 */
#ifndef DIVAN_CONTRACTS_MECHANICAL_OPERATIONS_H
#define DIVAN_CONTRACTS_MECHANICAL_OPERATIONS_H

#include <divan/contracts/block_matrix.h>
#include <divan/contracts/state.h>

DV_BEGIN_DECLS

#define DV_MECHANICAL_OPERATIONS "divan.mechanical-operations/1"

typedef struct DvMechanics DvMechanics;

/* m M + b B + k K */
typedef struct DvFactors {
    double m, b, k;
} DvFactors;

/* In which order constraints and force fields are asked, and whether mappings with mapForces=false end the walk:
 * solvers of the implicit and explicit Euler family work on the whole mapping graph (WHOLE), the others walk as
 * visitors do (VISITOR). */
typedef enum DvWalk { DV_WALK_VISITOR, DV_WALK_WHOLE } DvWalk;

/* What an assembly does (CONSTRAINED) and leaves out (a linear system of a scene may say so; Rayleigh damping
 * stays). */
enum {
    DV_ASSEMBLE_CONSTRAINED = 1u << 0,
    DV_ASSEMBLE_NO_MASS = 1u << 1,
    DV_ASSEMBLE_NO_DAMPING = 1u << 2,             /* b B */
    DV_ASSEMBLE_NO_STIFFNESS = 1u << 3,           /* k K of force fields */
    DV_ASSEMBLE_NO_GEOMETRIC_STIFFNESS = 1u << 4, /* of mappings */
    DV_ASSEMBLE_NO_MAPPED = 1u << 5               /* components that act on mapped states */
};

/* Scratch vectors by number, see `scratch`: who may use which. */
enum {
    DV_SCRATCH_LINEAR = 0,      /* linear solvers have the numbers from here on, within set_system or a solve */
    DV_SCRATCH_INTEGRATION = 8, /* ODE solvers these, within a solve */
    DV_SCRATCH_COLUMNS = 16,    /* linear solvers these, for right-hand sides beside the first */
    DV_SCRATCH_COUNT = 32
};

/* Which states an operation on vectors runs over, in tree order. */
enum {
    DV_STATES_INDEPENDENT = 1u << 0,
    DV_STATES_MAPPED = 1u << 1,
    DV_STATES_ALL = DV_STATES_INDEPENDENT | DV_STATES_MAPPED
};

/* Rows of constraints on one state, by entries: row[e] has the derivative values[e x deriv ...] at point[e]; in any order, what comes
 * again is added. It costs least when rows ascend. */
typedef struct DvStateRows {
    DvObject *state;
    size_t count; /* entries */
    const uint32_t *row, *point;
    const double *values;
} DvStateRows;

enum {
    DV_ROWS_CONSTRAINED = 1u << 0,  /* without the columns of unknowns that projective constraints fix */
    DV_ROWS_HEED_MAPPINGS = 1u << 1 /* mappings with mapConstraints=false end the way; else that field means nothing */
};

typedef enum DvMassKind {
    DV_MASS_NONE,     /* there is none */
    DV_MASS_DIAGONAL, /* all diagonal, on independent states */
    DV_MASS_GENERAL   /* a linear system is needed */
} DvMassKind;

typedef struct DvMechanicalOperationsOps {
    uint32_t size;
    /* [main] Only objects that pass the filter of the node's tags take part. Kept until closed. */
    DvMechanics *(*open)(DvNode *node);
    void (*close)(DvMechanics *m);

    /* Vectors over the independent states. */
    /* Zero; an id that is free in all states, given back by `release` or with the mechanics. DV_NO_VEC when none is left, which has
     * been reported: give up the step with DV_ERROR_LIMIT. What is needed within one call alone is better taken from `scratch`. */
    DvVecId (*allocate)(DvMechanics *m, DvVecKind kind);
    void (*release)(DvMechanics *m, DvVecId v);
    void (*clear)(DvMechanics *m, DvVecId v);
    void (*combine)(DvMechanics *m, DvVecId r, DvVecId a, DvVecId b, double k); /* r = a + k b, as in DvStateOps */
    double (*dot)(DvMechanics *m, DvVecId a, DvVecId b);
    void (*threshold)(DvMechanics *m, DvVecId v,
                      double length);   /* derivatives shorter than this become zero, point by point */
    size_t (*unknowns)(DvMechanics *m); /* scalars of a derivative vector */
    void (*gather)(DvMechanics *m, double *flat, DvVecId v); /* flat[unknowns] = v */
    void (*scatter)(DvMechanics *m, DvVecId v, const double *flat);

    /* Mechanics. x and v are step->position and step->velocity. */
    /* f = externalForce + all forces, those on mapped states pulled up; f is cleared first, in mapped states too. */
    void (*compute_force)(DvMechanics *m, const DvStep *step, DvVecId f, DvWalk walk);
    /* res += (m M + b B + k K) d, stiffness at the last compute_force, through mappings (geometric stiffness included)
     * but without projection. d is first propagated to the mapped states (as DV_DX there) unless it is a velocity
     * (propagated already). */
    void (*add_mbk)(DvMechanics *m, const DvStep *step, DvFactors factors, DvVecId res, DvVecId d, DvWalk walk);
    void (*add_mdx)(DvMechanics *m, double factor, DvVecId res, DvVecId d);
    void (*acceleration_from_force)(DvMechanics *m, DvVecId a, DvVecId f); /* a = M^-1 f, masses of kind DIAGONAL */
    DvMassKind (*mass_kind)(DvMechanics *m);
    void (*project_response)(DvMechanics *m, const DvStep *step, DvVecId d, DvWalk walk);
    void (*project_position)(DvMechanics *m, const DvStep *step, DvVecId x);
    void (*project_velocity)(DvMechanics *m, const DvStep *step, DvVecId v);
    void (*propagate_position)(DvMechanics *m, const DvStep *step,
                               DvVecId x); /* through all mappings, DV_POSITION of children... */
    void (*propagate_velocity)(DvMechanics *m, const DvStep *step, DvVecId v);
    /* a = acceleration at x, v of the step: project both, propagate, forces, M^-1, project a. */
    void (*compute_acceleration)(DvMechanics *m, const DvStep *step, DvVecId a);
    void (*add_separate_gravity)(DvMechanics *m, double dt, DvVecId v);
    /* DvMassOps.implicit_turn of all masses of independent states: between the sum of the right-hand side b of an implicit step for
     * the change of velocity, and its projection. Positions move by dt (v + share dv), v of the step. */
    void (*implicit_turn)(DvMechanics *m, const DvStep *step, double share, DvVecId b);
    void (*interaction_forces_to_external)(DvMechanics *m,
                                           const DvStep *step); /* of the node itself, not below: see animation loops */
    void (*begin_integration)(DvMechanics *m, double dt);
    void (*end_integration)(DvMechanics *m); /* external forces are cleared */

    /* The matrix m M + b B + k K of the independent states, mapped parts projected, constraints applied (rows and
     * columns cleared, 1 on the diagonal) with DV_ASSEMBLE_CONSTRAINED in `parts`, a sum of DV_ASSEMBLE_*. Belongs to
     * m; valid until the next assembly; same structure number = same structure, same version = same values: what has not
     * changed since the last assembly is not assembled again. NULL after an error, which has been reported. */
    const DvBlockMatrix *(*assemble)(DvMechanics *m, const DvStep *step, DvFactors factors, uint32_t parts);
    /* Whether a product with the assembled matrix costs less than add_mbk, by a count of operations, for `products`
     * products per assembly; and whether everything below can be assembled at all, to the operator of add_mbk and project_response:
     * with UINT32_MAX products that alone. */
    bool (*prefers_assembled)(DvMechanics *m, uint32_t products);

    /* For constraints. */
    /* The states of a kind (a sum of DV_STATES_*); stores at most capacity, returns how many there are. */
    uint32_t (*states)(DvMechanics *m, uint32_t which, DvObject **states, uint32_t capacity);
    /* Where an independent state begins among the unknowns; SIZE_MAX: it is none of these. */
    size_t (*offset)(DvMechanics *m, const DvObject *state);
    /* clear and combine over the states of a kind: what a constraint solver keeps in mapped states too. */
    void (*clear_states)(DvMechanics *m, uint32_t which, DvVecId v);
    void (*combine_states)(DvMechanics *m, uint32_t which, DvVecId r, DvVecId a, DvVecId b, double k);
    /* J over the unknowns of rows that are written on any states below, mapped ones too: pulled up through chains of
     * mappings by their J at the last propagation, the parts added row by row. What would reach a state outside is dropped. `options`: a sum of DV_ROWS_*. Exact zeros are left out. Lent until the next
     * call; identity rows on a state give its accumulated Jacobian. Allocates only for more than ever before. */
    DvStatus (*project_rows)(DvMechanics *m, const DvStep *step, const DvStateRows *parts, uint32_t count,
                             uint32_t rows, uint32_t options, DvSparseRows *out);

    /* Energies and momentum of everything below. */
    double (*kinetic_energy)(DvMechanics *m);
    double (*potential_energy)(DvMechanics *m);
    void (*momentum)(DvMechanics *m, double momentum[6]);

    /* Vectors whose numbers are of use within one call alone. All solvers of a scene have the same ones, in turn: they are always
     * there, nobody gives them back. ids [count] of the scratch vectors `first` to first + count - 1 (below DV_SCRATCH_COUNT) of
     * a kind. true: this mechanics asks for one of them for the first time, and all of them are zero; else they hold anything.     [step] */
    bool (*scratch)(DvMechanics *m, DvVecKind kind, uint32_t first, uint32_t count, DvVecId *ids);
    /* Force fields and mappings whose stiffness may now differ from its transpose, in tree order; stores at most capacity,
     * returns how many there are.     [main] */
    uint32_t (*unsymmetric)(DvMechanics *m, DvObject **objects, uint32_t capacity);

    /* For solves that stay on a device. */
    /* The space where all independent states live, if all that acts in a product and all projections act there too, with one precision;
     * space NULL: it is the host, or there are several.     [step] */
    DvStorage (*storage)(DvMechanics *m);
    /* In that space: slot = a . b; r = a + (factor slot) b (contracts/vector_space.h).     [step] */
    void (*dot_to)(DvMechanics *m, uint32_t slot, DvVecId a, DvVecId b);
    void (*combine_by)(DvMechanics *m, DvVecId r, DvVecId a, DvVecId b, uint32_t slot, double factor);
    /* In that space: res += the diagonal of m M + b B + k K, stiffness at the last compute_force, without projection. false: it is not known
     * there, as something acts through a mapping, by a twin that cannot tell, or is projected along no axis; then nothing is added.     [step] */
    bool (*add_diagonal)(DvMechanics *m, const DvStep *step, DvFactors factors, DvVecId res);
    /* add_mbk for several columns, res[i] and d[i], with the bits of one after the other: what acts on independent states alone and has a
     * twin that can, reads its operator once for DV_MOST_COLUMNS of them.     [step] */
    void (*add_mbk_columns)(DvMechanics *m, const DvStep *step, DvFactors factors, uint32_t columns, const DvVecId *res,
                            const DvVecId *d, DvWalk walk);
} DvMechanicalOperationsOps;

DV_END_DECLS
#endif
