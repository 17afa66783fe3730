/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The plugin divan.lapack: dense linear algebra by LAPACK and BLAS, whichever libraries of these names the system has. A library of its own, so
 * that whoever does without does without them.
 *
 * Of LAPACKE the functions with workspaces of the caller alone, by columns: they allocate nothing. What LAPACK would refuse is refused here
 * first, since its own way (xerbla) ends the process or writes to standard output.
 */
#include <divan/contracts/dense.h>
#include <divan/kit/blas.h>
#include <divan/plugin.h>

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "eigenpairs.h"

static bool is_size(uint32_t n)
{
    return n > 0 && n <= DV_DENSE_MOST;
}

static bool are_finite(const double *a, size_t count)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++)
        sum += 0.0 * a[i];
    return sum == 0.0;
}

static DvStatus check(uint32_t n, const double *a)
{
    if (!is_size(n))
        return DV_ERROR_INVALID;
    return are_finite(a, (size_t)n * n) ? DV_OK : DV_ERROR_NOT_FINITE;
}

/* What LAPACK says: negative, an argument; positive, a row counted from 1. */
static DvStatus said(int info, uint32_t *failed)
{
    if (info > 0)
        *failed = (uint32_t)info - 1;
    return info == 0 ? DV_OK : info < 0 ? DV_ERROR_INVALID : DV_ERROR_SINGULAR;
}

/* ---- Factors ---- */

static DvStatus factor(DvDenseMethod method, uint32_t n, double *a, int *pivots, uint32_t *failed)
{
    const DvStatus status = check(n, a);
    if (status != DV_OK)
        return status;
    const int size = (int)n;
    return said(method == DV_DENSE_CHOLESKY ? LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', size, a, size)
                                            : LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, size, size, a, size, pivots),
                failed);
}

static DvStatus solve(DvDenseMethod method, bool transposed, uint32_t n, const double *a, const int *pivots, double *b,
                      uint32_t count)
{
    if (!is_size(n) || count == 0 || count > INT32_MAX)
        return DV_ERROR_INVALID;
    const int size = (int)n;
    uint32_t failed;
    return said(
        method == DV_DENSE_CHOLESKY
            ? LAPACKE_dpotrs_work(LAPACK_COL_MAJOR, 'L', size, (int)count, a, size, b, size)
            : LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, transposed ? 'T' : 'N', size, (int)count, a, size, pivots, b, size),
        &failed);
}

static DvStatus condition(DvDenseMethod method, uint32_t n, const double *a, double norm, double *work, int *integers,
                          double *reciprocal)
{
    if (!is_size(n) || !(norm >= 0.0) || !isfinite(norm))
        return DV_ERROR_INVALID;
    const int size = (int)n;
    uint32_t failed;
    return said(method == DV_DENSE_CHOLESKY
                    ? LAPACKE_dpocon_work(LAPACK_COL_MAJOR, 'L', size, a, size, norm, reciprocal, work, integers)
                    : LAPACKE_dgecon_work(LAPACK_COL_MAJOR, '1', size, a, size, norm, reciprocal, work, integers),
                &failed);
}

/* ---- Eigenvalues, singular values ---- */

static DvDenseWork eigen_work(uint32_t n)
{
    const size_t size = n;
    return (DvDenseWork){1 + 6 * size + 2 * size * size, 3 + 5 * size};
}

static DvStatus eigen(uint32_t n, double *a, double *b, double *values, double *work, int *integers, uint32_t *failed)
{
    DvStatus status = check(n, a);
    if (status == DV_OK && b)
        status = check(n, b);
    if (status != DV_OK)
        return status;
    const int size = (int)n;
    const DvDenseWork needed = eigen_work(n);
    const int info = b ? LAPACKE_dsygvd_work(LAPACK_COL_MAJOR, 1, 'V', 'L', size, a, size, b, size, values, work,
                                             (int)needed.numbers, integers, (int)needed.integers)
                       : LAPACKE_dsyevd_work(LAPACK_COL_MAJOR, 'V', 'L', size, a, size, values, work,
                                             (int)needed.numbers, integers, (int)needed.integers);
    if (info > size)
        *failed = (uint32_t)(info - size - 1);
    return info == 0 ? DV_OK : info < 0 ? DV_ERROR_INVALID : info > size ? DV_ERROR_SINGULAR : DV_ERROR_NOT_CONVERGED;
}

/* As the library says, for the blocks that it likes; never less than what the method needs. */
static DvDenseWork svd_work(uint32_t n)
{
    const size_t size = n;
    double numbers = 0.0, dummy = 0.0;
    int integers = 0;
    if (!is_size(n) || LAPACKE_dgesdd_work(LAPACK_COL_MAJOR, 'A', (int)n, (int)n, &dummy, (int)n, &dummy, &dummy,
                                           (int)n, &dummy, (int)n, &numbers, -1, &integers) != 0)
        numbers = 0.0;
    const size_t least = 4 * size * size + 7 * size;
    return (DvDenseWork){numbers > (double)least ? (size_t)numbers : least, 8 * size};
}

static DvStatus svd(uint32_t n, double *a, double *values, double *u, double *vt, double *work, int *integers)
{
    const DvStatus status = check(n, a);
    if (status != DV_OK)
        return status;
    const int size = (int)n;
    const int info = LAPACKE_dgesdd_work(LAPACK_COL_MAJOR, 'A', size, size, a, size, values, u, size, vt, size, work,
                                         (int)svd_work(n).numbers, integers);
    return info == 0 ? DV_OK : info < 0 ? DV_ERROR_INVALID : DV_ERROR_NOT_CONVERGED;
}

static DvStatus svd_solve(uint32_t n, uint32_t rank, const double *values, const double *u, const double *vt, double *x,
                          const double *b, double *work)
{
    const int size = (int)n, kept = (int)rank;
    if (!is_size(n) || rank > n)
        return DV_ERROR_INVALID;
    memset(x, 0, n * sizeof *x);
    if (rank == 0)
        return DV_OK;
    cblas_dgemv(CblasColMajor, CblasTrans, size, kept, 1.0, u, size, b, 1, 0.0, work, 1);
    for (uint32_t k = 0; k < rank; k++)
        work[k] /= values[k];
    cblas_dgemv(CblasColMajor, CblasTrans, kept, size, 1.0, vt, size, work, 1, 0.0, x, 1);
    return DV_OK;
}

/* ---- Condensation ---- */

static DvStatus condense(uint32_t n, uint32_t inner, double *a, uint32_t *failed)
{
    DvStatus status = check(n, a);
    if (status != DV_OK)
        return status;
    if (inner == 0 || inner >= n)
        return DV_ERROR_INVALID;
    const int size = (int)n, in = (int)inner, kept = size - in;
    status = said(LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', in, a, size), failed);
    if (status != DV_OK)
        return status;
    double *across = a + inner, *schur = a + inner + (size_t)inner * n;
    cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, kept, in, 1.0, a, size, across, size);
    cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, kept, in, -1.0, across, size, 1.0, schur, size);
    for (size_t j = inner; j < n; j++)
        for (size_t i = j + 1; i < n; i++)
            a[j + i * n] = a[i + j * n];
    return DV_OK;
}

static DvStatus condense_forward(uint32_t n, uint32_t inner, const double *a, double *b)
{
    if (!is_size(n) || inner == 0 || inner >= n)
        return DV_ERROR_INVALID;
    const int size = (int)n, in = (int)inner;
    cblas_dtrsv(CblasColMajor, CblasLower, CblasNoTrans, CblasNonUnit, in, a, size, b, 1);
    cblas_dgemv(CblasColMajor, CblasNoTrans, size - in, in, -1.0, a + inner, size, b, 1, 1.0, b + inner, 1);
    return DV_OK;
}

static DvStatus condense_backward(uint32_t n, uint32_t inner, const double *a, double *x)
{
    if (!is_size(n) || inner == 0 || inner >= n)
        return DV_ERROR_INVALID;
    const int size = (int)n, in = (int)inner;
    cblas_dgemv(CblasColMajor, CblasTrans, size - in, in, -1.0, a + inner, size, x + inner, 1, 1.0, x, 1);
    cblas_dtrsv(CblasColMajor, CblasLower, CblasTrans, CblasNonUnit, in, a, size, x, 1);
    return DV_OK;
}

/* ---- One call after the other ---- */

#define IN_TURN(name, parameters, arguments)     \
    static DvStatus name##_in_turn parameters    \
    {                                            \
        dv_blas_enter();                         \
        const DvStatus status = (name)arguments; \
        dv_blas_leave();                         \
        return status;                           \
    }
IN_TURN(factor, (DvDenseMethod method, uint32_t n, double *a, int *pivots, uint32_t *failed),
        (method, n, a, pivots, failed))
IN_TURN(solve,
        (DvDenseMethod method, bool transposed, uint32_t n, const double *a, const int *pivots, double *b,
         uint32_t count),
        (method, transposed, n, a, pivots, b, count))
IN_TURN(condition,
        (DvDenseMethod method, uint32_t n, const double *a, double norm, double *work, int *integers,
         double *reciprocal),
        (method, n, a, norm, work, integers, reciprocal))
IN_TURN(eigen, (uint32_t n, double *a, double *b, double *values, double *work, int *integers, uint32_t *failed),
        (n, a, b, values, work, integers, failed))
IN_TURN(svd, (uint32_t n, double *a, double *values, double *u, double *vt, double *work, int *integers),
        (n, a, values, u, vt, work, integers))
IN_TURN(svd_solve,
        (uint32_t n, uint32_t rank, const double *values, const double *u, const double *vt, double *x, const double *b,
         double *work),
        (n, rank, values, u, vt, x, b, work))
IN_TURN(condense, (uint32_t n, uint32_t inner, double *a, uint32_t *failed), (n, inner, a, failed))
IN_TURN(condense_forward, (uint32_t n, uint32_t inner, const double *a, double *b), (n, inner, a, b))
IN_TURN(condense_backward, (uint32_t n, uint32_t inner, const double *a, double *x), (n, inner, a, x))

/* ---- The plugin ---- */

static const char *library(void)
{
    return openblas_set_num_threads != NULL ? "LAPACK on OpenBLAS" : "LAPACK";
}

static DvStatus start(void)
{
    dv_blas_keep_to_one_thread();
    return DV_OK;
}

static const DvDenseOps dense = {
    .size = sizeof dense,
    .library = library,
    .factor = factor_in_turn,
    .solve = solve_in_turn,
    .condition = condition_in_turn,
    .eigen_work = eigen_work,
    .eigen = eigen_in_turn,
    .svd_work = svd_work,
    .svd = svd_in_turn,
    .svd_solve = svd_solve_in_turn,
    .condense = condense_in_turn,
    .condense_forward = condense_forward_in_turn,
    .condense_backward = condense_backward_in_turn,
};

static const DvContract offers[] = {{.id = DV_DENSE, .ops = &dense}, {.id = DV_EIGENPAIRS, .ops = &eigenpairs}, {0}};

DV_PLUGIN = {
    .size = sizeof(DvPlugin),
    .abi = DV_ABI_STAMP,
    .id = "divan.lapack",
    .version = DV_VERSION,
    .license = "LGPL-2.1-or-later",
    .help =
        "Dense factors, eigenvalues, singular values and condensation (LAPACK); eigenvalues of large systems (ARPACK).",
    .offers = offers,
    .start = start,
};
