/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A plugin for tests of the solvers that stand on a library: sparse LU, offered before any other, that counts its calls and loses digits as the
 * test says.
 */
#include "given_lu.h"
#include "random_matrix.h"

#include <divan/contracts/sparse_direct.h>

static GivenLu given;

struct DvSparseFactor {
    uint32_t n, entries;
    double *dense; /* [n x n] row by row; NULL before there are numbers */
};

static DvSparseFactor *begin(const DvObject *owner)
{
    (void)owner;
    given.open++;
    return dv_alloc(1, sizeof(DvSparseFactor));
}

static void end(DvSparseFactor *factor)
{
    given.open--;
    dv_free(factor->dense);
    dv_free(factor);
}

static DvStatus analyse(DvSparseFactor *factor, const DvSparseRows *a, const uint32_t *order)
{
    given.analyses++;
    given.entries = factor->entries = a->row_start[a->rows];
    factor->n = a->rows;
    dv_free(factor->dense);
    factor->dense = NULL;
    given.misuses += a->rows == 0 || a->rows > GIVEN_LU_MOST;
    memcpy(given.order, order, a->rows * sizeof *order);
    for (uint32_t row = 0; row < a->rows; row++)
        for (uint32_t e = a->row_start[row]; e < a->row_start[row + 1]; e++)
            given.misuses += a->columns[e] >= a->rows || (e > a->row_start[row] && a->columns[e] <= a->columns[e - 1]);
    return given.analysis;
}

static DvStatus factorize(DvSparseFactor *factor, const DvSparseRows *a, uint32_t *failed)
{
    const uint32_t n = a->rows;
    given.misuses += n != factor->n || a->row_start[n] != factor->entries;
    dv_free(factor->dense);
    factor->dense = dv_alloc((size_t)n * n, sizeof(double));
    for (uint32_t row = 0; row < n; row++)
        for (uint32_t e = a->row_start[row]; e < a->row_start[row + 1]; e++)
            factor->dense[row * n + a->columns[e]] = a->values[e];
    for (uint32_t row = 0; row < n; row++)
        if (factor->dense[row * (n + 1)] == 0.0) {
            *failed = row;
            return DV_ERROR_SINGULAR;
        }
    return DV_OK;
}

static DvStatus solve(DvSparseFactor *factor, bool transposed, double *x, size_t stride, uint32_t count)
{
    const uint32_t n = factor->n;
    if (factor->dense == NULL || count == 0 || transposed || (count > 1 && stride < n)) {
        given.misuses++;
        return DV_ERROR_INVALID;
    }
    if (++given.solves == given.failing_solve)
        return DV_ERROR_LIMIT;
    double a[GIVEN_LU_MOST * GIVEN_LU_MOST], b[GIVEN_LU_MOST];
    for (uint32_t r = 0; r < count; r++) {
        double *to = x + stride * r;
        const double error = count == 1 ? given.one : r < 4 ? given.several[r] : 0.0;
        memcpy(a, factor->dense, (size_t)n * n * sizeof *a);
        memcpy(b, to, n * sizeof *b);
        dense_solve(n, a, b, to);
        for (uint32_t i = 0; i < n; i++)
            to[i] *= 1.0 + error;
    }
    return DV_OK;
}

static void facts(const DvSparseFactor *factor, DvSparseFacts *facts)
{
    *facts = (DvSparseFacts){.rank = factor->n};
}

static const DvSparseDirectOps lu = {
    .size = sizeof lu,
    .method = DV_SPARSE_LU,
    .library = "hand",
    .open = begin,
    .close = end,
    .analyse = analyse,
    .factorize = factorize,
    .solve = solve,
    .facts = facts,
};
static const GivenLuOps ops = {.size = sizeof ops, .given = &given};
static const DvContract offers[] = {{.id = DV_SPARSE_DIRECT, .ops = &lu}, {.id = TEST_GIVEN_LU, .ops = &ops}, {0}};

/* Plugins start in the order of their ids, and the first offer of a method serves: this one comes before divan.mumps. */
DV_PLUGIN = {
    .size = sizeof(DvPlugin),
    .abi = DV_ABI_STAMP,
    .id = "divan.a-given-lu",
    .version = "0.1.0",
    .license = "LGPL-2.1-or-later",
    .help = "For tests.",
    .offers = offers,
};
