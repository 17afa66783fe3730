/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The inverse W of a symmetric matrix, all of it, made once or read from a file: solutions are products.
 *
 * Unknowns that nothing couples, as those of points that are held, are left out: of them 1 / A_ii is kept. Of the others there is the half
 * below the diagonal, in bands of four rows, so that a product reads each number once. The same bits with any number of threads.
 *
 * The inverse is state of a run: a saved scene holds it, and goes on with the same bits.
 *
 * A file has n x n little-endian doubles, W times the factor of the integrator from solutions to positions. One of another size, with
 * numbers that are not finite, or whose product with the matrix is not the identity, is not taken.
 */
#ifndef DV_SOLVERS_DENSE_INVERSE_H
#define DV_SOLVERS_DENSE_INVERSE_H

#include <divan/kit/linear_solver.h>

typedef struct DenseInverse {
    DvData numbers;    /* the bands, see the head */
    DvData unknowns;   /* m, b, k; then of each unknown its place, or -1, and 1 / A_ii of the others */
    size_t n;          /* unknowns; 0: there is none */
    DvFactors factors; /* of its matrix */
    uint32_t active;   /* that are coupled */
    uint32_t *place;   /* [n] among these, or UINT32_MAX */
    uint32_t *unknown; /* [active] */
    double *diagonal;  /* [n] 1 / A_ii of the others */
    double *bands;     /* of `numbers` */
    double *gathered;  /* [1 + DENSE_INVERSE_CHUNKS][padded] a right-hand side, and parts of its product */
    uint32_t padded;   /* active, as a multiple of eight */
} DenseInverse;

enum { DENSE_INVERSE_CHUNKS = 8 };

#define DENSE_INVERSE_FIELDS(Struct, inverse)                                                           \
    DV_FIELD(Struct, inverse.numbers, "inverse", dv_type_doubles, .flags = DV_FIELD_STATE,              \
             .help = "the inverse below its diagonal, in bands of four rows"),                          \
        DV_FIELD(Struct, inverse.unknowns, "inverseUnknowns", dv_type_doubles, .flags = DV_FIELD_STATE, \
                 .help = "factors of its matrix; of each unknown its place and the inverse of its diagonal")

/* Columns of A^-1: what solves many sparse right-hand sides, as DvLinearSolverOps.solve_many. */
typedef struct ManySolver {
    DvStatus (*solve_many)(void *self, const DvSparseRows *b, double *x, size_t stride, double *residual);
    void *self;
} ManySolver;

/* Where the file is, and its factor. */
typedef struct InverseFile {
    const char *path; /* NULL: none */
    double factor;
} InverseFile;

/* Of `a`, whose factors are these. From the file if it is that of `a`, which it is said when it is not, else by `solver`, and into the file
 * then. Errors have been reported of `object`: no memory, a solver that fails, no inverse.     [main], [step] in a first set_system */
DV_NODISCARD DvStatus dense_inverse_make(DenseInverse *inverse, const DvObject *object, const DvBlockMatrix *a,
                                         DvFactors factors, ManySolver solver, InverseFile file);
/* The same by a factorization of its own, for a solver whose present matrix `a` is. It must be positive definite. `use_file`: the file of
 * dense_inverse_file. */
DV_NODISCARD DvStatus dense_inverse_make_by_factor(DenseInverse *inverse, const DvLinearSolver *solver,
                                                   const DvBlockMatrix *a, DvFactors factors, double dt, bool use_file);
/* Whether there is one of so many unknowns and these factors.     [step] */
bool dense_inverse_is_of(const DenseInverse *inverse, size_t n, DvFactors factors);
/* DvClass.restore: takes what the fields hold, if it is an inverse.     [main] */
void dense_inverse_restore(DenseInverse *inverse);
void dense_inverse_free(DenseInverse *inverse);

/* x = W b; x may be b.     [n] */
void dense_inverse_apply(const DenseInverse *inverse, double *x, const double *b);
/* w(i, j) += factor j_i W j_j at w[i * stride + j]. */
void dense_inverse_compliance(const DenseInverse *inverse, const DvSparseRows *j, double factor, double *w,
                              size_t stride);

/* <node>-<unknowns>-<dt>.comp, and the factor of the first integrator in the object's node or above; `use` false: none. The text is
 * the caller's. */
InverseFile dense_inverse_file(const DvObject *object, size_t n, double dt, bool use, DvText *name);

#endif
