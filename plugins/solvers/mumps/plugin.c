/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The plugin divan.mumps: sparse LU by MUMPS, the sequential one (Amestoy, Duff, Koster and L'Excellent 2001). A library of its own, so that
 * whoever solves symmetric systems alone does without MUMPS and its Fortran.
 *
 * MUMPS has variables in Fortran modules, and calls BLAS: one call at a time in the process. It prints nothing, and reads no environment but
 * OpenBLAS's. Systems of at most SMALL_LU_MOST unknowns do without it (small_lu.h).
 */
#include "mumps/small_lu.h"

#include <divan/contracts/sparse_direct.h>
#include <divan/divan.h>
#include <divan/kit/blas.h>
#include <divan/log.h>
#include <divan/memory.h>

#include <dmumps_c.h>

/* The numbers of MUMPS's manual, which count from 1. */
#define ICNTL(i)  icntl[(i)-1]
#define INFOG(i)  infog[(i)-1]
#define RINFOG(i) rinfog[(i)-1]

enum { BEGIN = -1, END = -2, ANALYSE = 1, FACTORIZE = 2, SOLVE = 3 }; /* JOB */
enum {
    NOT_ENOUGH_ANALYSIS_MEMORY = -7, /* of integers */
    INTEGERS_TOO_SMALL = -8,         /* the work array of integers */
    NUMBERS_TOO_SMALL = -9,          /* that of numbers */
    NUMERICALLY_SINGULAR = -10,
    NO_MEMORY = -13,
    SOLVE_TOO_SMALL = -11,
    SOLVE_INTEGERS_TOO_SMALL = -14,
    TOO_MUCH_MEMORY = -19
};

struct DvSparseFactor {
    DMUMPS_STRUC_C mumps;
    const DvObject *owner;
    uint32_t n;
    uint32_t rank;
    MUMPS_INT *rows, *columns, *position; /* [entries], [entries], [n], from 1 */
    SmallLu *small;                       /* instead of all that, or NULL */
};

static int call(DvSparseFactor *factor, int job)
{
    dv_blas_enter(); /* who calls MUMPS comes through here alone, so that its variables are guarded too */
    factor->mumps.job = job;
    dmumps_c(&factor->mumps);
    dv_blas_leave();
    return factor->mumps.INFOG(1);
}

static DvSparseFactor *begin(const DvObject *owner)
{
    DvSparseFactor *factor = dv_alloc(1, sizeof *factor);
    factor->owner = owner;
    DMUMPS_STRUC_C *mumps = &factor->mumps;
    mumps->par = 1;
    mumps->sym = 0;
    mumps->comm_fortran = -987654; /* MPI_COMM_WORLD */
    (void)call(factor, BEGIN);
    for (int stream = 1; stream <= 3; stream++)
        mumps->ICNTL(stream) = -1; /* errors, statistics, and the host's words go nowhere */
    mumps->ICNTL(4) = 0;
    mumps->ICNTL(6) = 0;  /* the diagonal is there: no permutation to make it so; delayed pivots do the rest */
    mumps->ICNTL(8) = 1;  /* scaling by the diagonal: its own by rows and columns takes a sixth of a factorization */
    mumps->ICNTL(10) = 0; /* refinement is the caller's */
    mumps->ICNTL(13) = 1; /* no ScaLAPACK at the root */
    mumps->ICNTL(16) = 1; /* threads */
    mumps->ICNTL(24) = 1; /* pivots that are zero are listed */
    mumps->ICNTL(28) = 1; /* sequential analysis */
    return factor;
}

static void free_arrays(DvSparseFactor *factor)
{
    dv_free(factor->rows);
    dv_free(factor->columns);
    dv_free(factor->position);
    dv_free(factor->small);
    factor->rows = factor->columns = factor->position = NULL;
    factor->small = NULL;
}

static void end(DvSparseFactor *factor)
{
    if (factor == NULL)
        return;
    (void)call(factor, END);
    free_arrays(factor);
    dv_free(factor);
}

/* What MUMPS says, in our words. */
static DvStatus refuse(const DvSparseFactor *factor, const char *doing)
{
    const DMUMPS_STRUC_C *mumps = &factor->mumps;
    switch (mumps->INFOG(1)) {
    case NOT_ENOUGH_ANALYSIS_MEMORY:
    case INTEGERS_TOO_SMALL:
    case NUMBERS_TOO_SMALL:
    case SOLVE_TOO_SMALL:
    case SOLVE_INTEGERS_TOO_SMALL:
    case NO_MEMORY:
    case TOO_MUCH_MEMORY:
        return dv_error(
            factor->owner, DV_ERROR_LIMIT,
            "there is not enough memory for MUMPS to %s a system of %u unknowns. Use fewer points, or an iterative solver",
            doing, factor->n);
    default:
        return dv_error(factor->owner, DV_ERROR_INVALID, "MUMPS cannot %s the system of %u unknowns: its error %d (%d)",
                        doing, factor->n, mumps->INFOG(1), mumps->INFOG(2));
    }
}

static DvStatus analyse(DvSparseFactor *factor, const DvSparseRows *a, const uint32_t *order)
{
    DMUMPS_STRUC_C *mumps = &factor->mumps;
    const uint32_t entries = a->row_start[a->rows];
    factor->n = a->rows;
    if (a->rows >= INT32_MAX)
        return dv_error(factor->owner, DV_ERROR_LIMIT, "MUMPS takes no system of %u unknowns", a->rows);
    free_arrays(factor);
    if (a->rows <= SMALL_LU_MOST) {
        factor->small = dv_alloc(1, sizeof *factor->small);
        return DV_OK;
    }
    factor->rows = dv_alloc(entries, sizeof *factor->rows);
    factor->columns = dv_alloc(entries, sizeof *factor->columns);
    for (uint32_t row = 0; row < a->rows; row++)
        for (uint32_t e = a->row_start[row]; e < a->row_start[row + 1]; e++)
            factor->rows[e] = (MUMPS_INT)row + 1, factor->columns[e] = (MUMPS_INT)a->columns[e] + 1;
    mumps->n = (MUMPS_INT)a->rows;
    mumps->nnz = entries;
    mumps->irn = factor->rows;
    mumps->jcn = factor->columns;
    mumps->ICNTL(7) = order != NULL ? 1 : 7;
    mumps->ICNTL(14) = 20; /* per cent of room for delayed pivots */
    if (order != NULL) {
        factor->position = dv_alloc(a->rows, sizeof *factor->position);
        for (uint32_t k = 0; k < a->rows; k++)
            factor->position[order[k]] = (MUMPS_INT)k + 1;
    }
    mumps->perm_in = factor->position;
    if (call(factor, ANALYSE) < 0)
        return refuse(factor, "analyse");
    return dv_memory_ask(factor->owner, 1048576.0 * mumps->INFOG(16), "the factors of a system of %u unknowns",
                         a->rows);
}

static bool wants_more_room(int error)
{
    return error == INTEGERS_TOO_SMALL || error == NUMBERS_TOO_SMALL;
}

static DvStatus factorize(DvSparseFactor *factor, const DvSparseRows *a, uint32_t *failed)
{
    enum { MOST_PER_CENT = 2000 };
    if (factor->small != NULL) {
        factor->rank = dv_small_lu_factor(factor->small, a, failed);
        return factor->rank == factor->n ? DV_OK : DV_ERROR_SINGULAR;
    }
    DMUMPS_STRUC_C *mumps = &factor->mumps;
    mumps->a = (double *)a->values; /* only read */
    int error = call(factor, FACTORIZE);
    while (wants_more_room(error) && mumps->ICNTL(14) < MOST_PER_CENT) {
        mumps->ICNTL(14) *= 2; /* many pivots were delayed; the room is kept for the next factorizations */
        error = call(factor, FACTORIZE);
    }
    mumps->a = NULL;
    factor->rank = factor->n;
    if (error == NUMERICALLY_SINGULAR) {
        factor->rank = (uint32_t)mumps->INFOG(2);
        *failed = 0;
        return DV_ERROR_SINGULAR;
    }
    if (error < 0)
        return refuse(factor, "factor");
    if (mumps->INFOG(28) > 0) {
        factor->rank -= (uint32_t)mumps->INFOG(28);
        *failed = (uint32_t)mumps->pivnul_list[0] - 1;
        return DV_ERROR_SINGULAR;
    }
    return DV_OK;
}

static DvStatus solve_some(DvSparseFactor *factor, double *x, size_t stride, uint32_t count)
{
    DMUMPS_STRUC_C *mumps = &factor->mumps;
    mumps->rhs = x;
    mumps->nrhs = (MUMPS_INT)count;
    mumps->lrhs = (MUMPS_INT)stride;
    const int error = call(factor, SOLVE);
    mumps->rhs = NULL;
    return error < 0 ? refuse(factor, "solve") : DV_OK;
}

static DvStatus solve(DvSparseFactor *factor, bool transposed, double *x, size_t stride, uint32_t count)
{
    if (factor->small != NULL) {
        for (uint32_t r = 0; r < count; r++)
            dv_small_lu_solve(factor->small, transposed, x + stride * r);
        return DV_OK;
    }
    factor->mumps.ICNTL(9) = transposed ? 0 : 1;
    if (stride <= INT32_MAX && count <= INT32_MAX)
        return solve_some(factor, x, stride, count);
    DvStatus status = DV_OK;
    for (uint32_t r = 0; r < count && status == DV_OK; r++)
        status = solve_some(factor, x + stride * r, factor->n, 1);
    return status;
}

/* Numbers above 2^31 are given in millions, as negative ones. */
static double in_full(MUMPS_INT number)
{
    return number < 0 ? -1e6 * number : number;
}

static void facts(const DvSparseFactor *factor, DvSparseFacts *facts)
{
    const DMUMPS_STRUC_C *mumps = &factor->mumps;
    if (factor->small != NULL) {
        const double n = factor->n;
        *facts = (DvSparseFacts){
            .entries = n * n, .operations = 2.0 / 3.0 * n * n * n, .rank = factor->rank, .moved = factor->small->moved};
        return;
    }
    *facts = (DvSparseFacts){.entries = in_full(mumps->INFOG(29)),
                             .operations = mumps->RINFOG(3),
                             .rank = factor->rank,
                             .moved = (uint32_t)mumps->INFOG(12)};
}

static const DvSparseDirectOps lu = {
    .size = sizeof lu,
    .method = DV_SPARSE_LU,
    .library = "MUMPS " MUMPS_VERSION,
    .open = begin,
    .close = end,
    .analyse = analyse,
    .factorize = factorize,
    .solve = solve,
    .facts = facts,
};

static DvStatus start(void)
{
    dv_blas_keep_to_one_thread();
    return DV_OK;
}

static const DvContract offers[] = {{.id = DV_SPARSE_DIRECT, .ops = &lu}, {0}};

DV_PLUGIN = {
    .size = sizeof(DvPlugin),
    .abi = DV_ABI_STAMP,
    .id = "divan.mumps",
    .version = DV_VERSION,
    .license = "LGPL-2.1-or-later",
    .help = "Sparse LU by MUMPS (CeCILL-C), for EigenSparseLU.",
    .offers = offers,
    .start = start,
};
