/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The plugin divan.cxsparse: sparse QR by Householder reflections, of CXSparse (Davis 2006), a part of SuiteSparse that is under the LGPL.
 *
 * B = A(order, order) is factored, B = Q R. What is left of a column beside those before it stands on the diagonal of R: a column of which
 * rounding alone is left depends on them.
 */
#include <divan/contracts/sparse_direct.h>
#include <divan/divan.h>
#include <divan/log.h>
#include <divan/memory.h>

#include <float.h>
#include <math.h>
#include <string.h>
#include <suitesparse/cs.h>

#define STRINGIFY(x)          #x
#define VERSION_TEXT(a, b, c) STRINGIFY(a) "." STRINGIFY(b) "." STRINGIFY(c)

/* What is left of a column, over its norm, in units of rounding for each unknown. */
static const double DEPENDENT = 4.0 * DBL_EPSILON;

struct DvSparseFactor {
    const DvObject *owner;
    cs_di b; /* by columns; lives in the arrays below */
    int *column_start, *rows;
    double *values;
    uint32_t *slot;  /* [entries] place in b of an entry of A */
    uint32_t *order; /* [n] unknown that is eliminated as k-th */
    cs_dis *symbolic;
    cs_din *numeric;
    double *work, *moved; /* [symbolic->m2], [n] */
    uint32_t rank;
};

static DvSparseFactor *begin(const DvObject *owner)
{
    DvSparseFactor *factor = dv_alloc(1, sizeof *factor);
    factor->owner = owner;
    return factor;
}

static void clear(DvSparseFactor *factor)
{
    cs_di_nfree(factor->numeric);
    cs_di_sfree(factor->symbolic);
    dv_free(factor->column_start);
    dv_free(factor->rows);
    dv_free(factor->values);
    dv_free(factor->slot);
    dv_free(factor->order);
    dv_free(factor->work);
    dv_free(factor->moved);
    *factor = (DvSparseFactor){.owner = factor->owner};
}

static void end(DvSparseFactor *factor)
{
    if (factor == NULL)
        return;
    clear(factor);
    dv_free(factor);
}

/* The columns of B, in ascending rows of A, and where each entry of A goes. */
static void arrange(DvSparseFactor *factor, const DvSparseRows *a, const uint32_t *position)
{
    const uint32_t n = a->rows, entries = a->row_start[n];
    int *start = factor->column_start;
    for (uint32_t e = 0; e < entries; e++)
        start[position[a->columns[e]] + 1]++;
    for (uint32_t k = 0; k < n; k++)
        start[k + 1] += start[k];
    uint32_t *next = dv_alloc(n, sizeof *next);
    for (uint32_t k = 0; k < n; k++)
        next[k] = (uint32_t)start[k];
    for (uint32_t row = 0; row < n; row++)
        for (uint32_t e = a->row_start[row]; e < a->row_start[row + 1]; e++) {
            factor->slot[e] = next[position[a->columns[e]]]++;
            factor->rows[factor->slot[e]] = (int)position[row];
        }
    dv_free(next);
}

static DvStatus no_room(const DvSparseFactor *factor, uint32_t n)
{
    return dv_error(
        factor->owner, DV_ERROR_LIMIT,
        "there is not enough memory to factor a system of %u unknowns by QR. Use EigenSparseLU, or fewer points", n);
}

static DvStatus analyse(DvSparseFactor *factor, const DvSparseRows *a, const uint32_t *order)
{
    const uint32_t n = a->rows, entries = a->row_start[n];
    clear(factor);
    if (n >= INT32_MAX / 2 || entries >= INT32_MAX)
        return dv_error(factor->owner, DV_ERROR_LIMIT, "QR takes no system of %u unknowns", n);
    factor->column_start = dv_alloc(n + 1, sizeof *factor->column_start);
    factor->rows = dv_alloc(entries, sizeof *factor->rows);
    factor->values = dv_alloc(entries, sizeof *factor->values);
    factor->slot = dv_alloc(entries, sizeof *factor->slot);
    factor->order = dv_alloc(n, sizeof *factor->order);
    factor->moved = dv_alloc(n, sizeof *factor->moved);
    uint32_t *position = dv_alloc(n, sizeof *position);
    for (uint32_t k = 0; k < n; k++)
        factor->order[k] = order != NULL ? order[k] : k;
    for (uint32_t k = 0; k < n; k++)
        position[factor->order[k]] = k;
    arrange(factor, a, position);
    dv_free(position);
    factor->b = (cs_di){.nzmax = (int)entries,
                        .m = (int)n,
                        .n = (int)n,
                        .p = factor->column_start,
                        .i = factor->rows,
                        .x = factor->values,
                        .nz = -1};
    enum { AS_IT_STANDS = 0, LEAST_DEGREE_OF_SQUARE = 3 };
    factor->symbolic = cs_di_sqr(order != NULL ? AS_IT_STANDS : LEAST_DEGREE_OF_SQUARE, &factor->b, 1);
    if (factor->symbolic == NULL)
        return no_room(factor, n);
    factor->work = dv_alloc((size_t)factor->symbolic->m2, sizeof *factor->work);
    const double entries_of_factors = factor->symbolic->lnz + factor->symbolic->unz;
    if (!(entries_of_factors < INT32_MAX))
        return no_room(factor, n);
    return dv_memory_ask(factor->owner, entries_of_factors * (sizeof(double) + sizeof(int)),
                         "the factors by QR of a system of %u unknowns", n);
}

/* How many columns do not depend on those before them; *failed: the first that does. */
static uint32_t rank_of(const DvSparseFactor *factor, uint32_t *failed)
{
    const cs_di *r = factor->numeric->U;
    const uint32_t n = (uint32_t)factor->b.n;
    uint32_t rank = 0;
    for (uint32_t k = n; k-- > 0;) {
        double square = 0.0;
        for (int e = r->p[k]; e < r->p[k + 1]; e++)
            square += r->x[e] * r->x[e];
        const double left = fabs(r->x[r->p[k + 1] - 1]);
        if (left > DEPENDENT * n * sqrt(square))
            rank++;
        else
            *failed = factor->order[factor->symbolic->q != NULL ? factor->symbolic->q[k] : (int)k];
    }
    return rank;
}

static DvStatus factorize(DvSparseFactor *factor, const DvSparseRows *a, uint32_t *failed)
{
    for (uint32_t e = 0; e < a->row_start[a->rows]; e++)
        factor->values[factor->slot[e]] = a->values[e];
    cs_di_nfree(factor->numeric);
    factor->numeric = cs_di_qr(&factor->b, factor->symbolic);
    if (factor->numeric == NULL)
        return no_room(factor, a->rows);
    factor->rank = rank_of(factor, failed);
    return factor->rank == a->rows ? DV_OK : DV_ERROR_SINGULAR;
}

static void solve_one(DvSparseFactor *factor, bool transposed, double *x)
{
    const cs_dis *s = factor->symbolic;
    const cs_din *f = factor->numeric;
    const int n = factor->b.n;
    double *work = factor->work, *moved = factor->moved;
    memset(work, 0, (size_t)s->m2 * sizeof *work);
    for (int k = 0; k < n; k++)
        moved[k] = x[factor->order[k]];
    if (transposed) {
        cs_di_pvec(s->q, moved, work, n);
        cs_di_utsolve(f->U, work);
        for (int k = n - 1; k >= 0; k--)
            cs_di_happly(f->L, k, f->B[k], work);
        cs_di_pvec(s->pinv, work, moved, n);
    } else {
        cs_di_ipvec(s->pinv, moved, work, n);
        for (int k = 0; k < n; k++)
            cs_di_happly(f->L, k, f->B[k], work);
        cs_di_usolve(f->U, work);
        cs_di_ipvec(s->q, work, moved, n);
    }
    for (int k = 0; k < n; k++)
        x[factor->order[k]] = moved[k];
}

static DvStatus solve(DvSparseFactor *factor, bool transposed, double *x, size_t stride, uint32_t count)
{
    for (uint32_t r = 0; r < count; r++)
        solve_one(factor, transposed, x + stride * r);
    return DV_OK;
}

static void facts(const DvSparseFactor *factor, DvSparseFacts *facts)
{
    *facts = (DvSparseFacts){.rank = factor->rank};
    if (factor->symbolic != NULL)
        facts->entries = factor->symbolic->lnz + factor->symbolic->unz;
}

static const DvSparseDirectOps qr = {
    .size = sizeof qr,
    .method = DV_SPARSE_QR,
    .any_processor = true,
    .library = "CXSparse " VERSION_TEXT(CS_VER, CS_SUBVER, CS_SUBSUB),
    .open = begin,
    .close = end,
    .analyse = analyse,
    .factorize = factorize,
    .solve = solve,
    .facts = facts,
};

static const DvContract offers[] = {{.id = DV_SPARSE_DIRECT, .ops = &qr}, {0}};

DV_PLUGIN = {
    .size = sizeof(DvPlugin),
    .abi = DV_ABI_STAMP,
    .id = "divan.cxsparse",
    .version = DV_VERSION,
    .license = "LGPL-2.1-or-later",
    .help = "Sparse QR by CXSparse (LGPL-2.1-or-later), for EigenSparseQR.",
    .offers = offers,
};
