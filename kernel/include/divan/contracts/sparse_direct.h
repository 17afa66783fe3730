/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sparse direct factorizations by a library that lives in a plugin of its own: a service, with one offer for each library. dv_service and
 * dv_services find it; dv_sparse_direct_of finds the one of a method.
 *
 * A matrix is n rows of scalars (DvSparseRows: n = rows = columns; columns ascend within a row, none twice; zeros may be there). Its pattern need
 * not be symmetric. The method pivots, so that any matrix is factored that is not singular, as far as numbers tell.
 *
 * One call after the other for each factor; several factors may be used by several threads at once (an offer whose library has variables
 * of its own locks). What is lent to a call is not kept after it. The library takes its memory from the C library, also in a step.
 */
#ifndef DIVAN_CONTRACTS_SPARSE_DIRECT_H
#define DIVAN_CONTRACTS_SPARSE_DIRECT_H

#include <divan/contracts/block_matrix.h>
#include <divan/plugin.h>

DV_BEGIN_DECLS

#define DV_SPARSE_DIRECT "divan.sparse-direct/1"

typedef struct DvSparseFactor DvSparseFactor; /* the offer's */

typedef enum DvSparseMethod {
    DV_SPARSE_LU, /* P A Q = L U */
    DV_SPARSE_QR  /* A Q = Q' R: slower, and its R says what the rank is */
} DvSparseMethod;

/* Of the last analysis and factorization; 0 where the library does not say. */
typedef struct DvSparseFacts {
    double entries;    /* of the factors */
    double operations; /* multiplications and additions */
    uint32_t rank;     /* n, or less after DV_ERROR_SINGULAR */
    uint32_t moved;    /* pivots that are not on the diagonal, of LU */
} DvSparseFacts;

typedef struct DvSparseDirectOps {
    uint32_t size;
    DvSparseMethod method;
    bool any_processor;  /* the same bits on every processor, not only on those of one type */
    const char *library; /* its name and version, for people */
    /* A factor, empty; errors are reported of `owner`. To be closed. */
    DvSparseFactor *(*open)(const DvObject *owner);
    void (*close)(DvSparseFactor *factor); /* NULL is allowed */
    /* What the pattern alone decides, for all matrices that have it. order[k]: the unknown that is eliminated as k-th, [n]; NULL: as the
     * library likes. The values are not read. n > 0. An error has been reported. */
    DvStatus (*analyse)(DvSparseFactor *factor, const DvSparseRows *a, const uint32_t *order);
    /* The numbers, of the pattern that was analysed. DV_ERROR_SINGULAR, which is not reported: unknown *failed depends on the others. Other
     * errors have been reported; there is no factor after any of them. */
    DvStatus (*factorize)(DvSparseFactor *factor, const DvSparseRows *a, uint32_t *failed);
    /* In place of `count` right-hand sides of n numbers, `stride` apart, the solutions of A x = b, or of A^T x = b. count > 0. */
    DvStatus (*solve)(DvSparseFactor *factor, bool transposed, double *x, size_t stride, uint32_t count);
    void (*facts)(const DvSparseFactor *factor, DvSparseFacts *facts);
} DvSparseDirectOps;

/* The first offer of this method; NULL: no plugin has one.     [any] look up once, at init */
static inline const DvSparseDirectOps *dv_sparse_direct_of(DvSparseMethod method)
{
    enum { MOST = 16 };
    const void *offers[MOST];
    size_t count = dv_services(DV_SPARSE_DIRECT, offers, MOST);
    for (size_t i = 0; i < count && i < MOST; i++)
        if (((const DvSparseDirectOps *)offers[i])->method == method)
            return (const DvSparseDirectOps *)offers[i];
    return NULL;
}

DV_END_DECLS
#endif
