/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The block LDL^T factorization and the block product against dense elimination, across block sizes, orderings, supernode
 * shapes and instruction sets.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "block_ldl.h"
#include "block_ldl_many.h"
#include "dense_panel.h"
#include "random_matrix.h"
#include "share.h"

#include <divan/kit/block_product.h>
#include <divan/parallel.h>

static void order_as_told(void *context, uint32_t nodes, const uint32_t *begin, const uint32_t *neighbours,
                          uint32_t *order)
{
    dv_order_nodes(*(const DvOrdering *)context, nodes, begin, neighbours, order);
}

static void order_as_given(void *context, uint32_t nodes, const uint32_t *begin, const uint32_t *neighbours,
                           uint32_t *order)
{
    (void)begin;
    (void)neighbours;
    memcpy(order, context, nodes * sizeof *order);
}

static DvOrdering natural = DV_ORDERING_NATURAL;
static DvOrdering by_amd = DV_ORDERING_AMD;

static double *random_vector(size_t n, uint64_t *seed)
{
    double *v = dv_alloc(n + 1, sizeof *v);
    for (size_t i = 0; i < n; i++)
        v[i] = random_number(seed);
    return v;
}

static double largest_difference(size_t n, const double *a, const double *b)
{
    double largest = 0.0;
    for (size_t i = 0; i < n; i++)
        largest = fmax(largest, fabs(a[i] - b[i]));
    return largest;
}

static void expect_solution_of_dense_elimination(const DvBlockMatrix *a, DvOrdering ordering, uint64_t *seed,
                                                 double tolerance)
{
    const size_t n = (size_t)a->block * a->rows;
    double *b = random_vector(n, seed);
    double *x = dv_alloc(n, sizeof *x);
    double *expected = dv_alloc(n, sizeof *expected);
    double *dense = dense_copy(a);
    dense_solve(n, dense, b, expected);
    DvBlockLdl *ldl = dv_block_ldl_new();
    uint32_t failed = 0;
    dv_block_ldl_analyse(ldl, a, order_as_told, &ordering);
    assert_int_equal(dv_block_ldl_factor(ldl, a, &failed), DV_OK);
    dv_block_ldl_solve(ldl, b, x);
    const double error = largest_difference(n, x, expected);
    if (!(error <= tolerance))
        fail_msg("rows %u block %u ordering %d: error %g", a->rows, a->block, (int)ordering, error);
    dv_block_ldl_free(ldl);
    dv_free(dense);
    dv_free(expected);
    dv_free(x);
    dv_free(b);
}

static void random_positive_and_indefinite_matrices_solve_as_dense_elimination_does(void **state)
{
    (void)state;
    static const uint32_t blocks[] = {1, 2, 3, 6};
    static const uint32_t sizes[] = {1, 2, 3, 7, 20, 61};
    uint64_t seed = 7;
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < 6; j++)
            for (uint32_t degree = 0; degree < 4; degree++) {
                DvBlockMatrix a = random_matrix(sizes[j], blocks[i], degree, &seed);
                for (int indefinite = 0; indefinite < 2; indefinite++) {
                    fill_matrix(&a, 8.0 * blocks[i], indefinite, &seed);
                    for (int ordering = DV_ORDERING_NATURAL; ordering <= DV_ORDERING_LEAST_WORK; ordering++)
                        expect_solution_of_dense_elimination(&a, (DvOrdering)ordering, &seed, 1e-12);
                }
                matrix_free(&a);
            }
}

static void meshes_solve_as_dense_elimination_does(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (uint32_t block = 1; block <= 3; block++) {
        DvBlockMatrix a = grid_matrix(5, 4, 9, block);
        fill_matrix(&a, 10.0 * block, false, &seed);
        for (int ordering = DV_ORDERING_NATURAL; ordering <= DV_ORDERING_LEAST_WORK; ordering++)
            expect_solution_of_dense_elimination(&a, (DvOrdering)ordering, &seed, 1e-12);
        matrix_free(&a);
    }
}

static void link_nodes(uint32_t (*links)[2], uint32_t *count, uint32_t a, uint32_t b)
{
    links[*count][0] = links[*count + 1][1] = a;
    links[(*count)++][1] = b;
    links[(*count)++][0] = b;
}

/* Cliques, few of whose nodes are coupled to others: supernodes too large to be merged, and what the elimination of one couples in two
 * later ones is coupled by nothing else. */
static void cliques_solve_as_dense_elimination_does(void **state)
{
    (void)state;
    enum { CLIQUES = 7, SMALLEST = 14, MOST_LINKS = 30000 };
    static const uint32_t coupled[][2] = {{0, 2}, {0, 5}, {1, 3}, {1, 6}, {2, 4}, {3, 4}, {5, 6}};
    uint64_t seed = 23;
    for (uint32_t round = 0; round < 6; round++) {
        const uint32_t block = round % 2 ? 3 : 1;
        uint32_t(*links)[2] = dv_alloc(MOST_LINKS, sizeof *links), count = 0, first[CLIQUES + 1] = {0};
        for (uint32_t k = 0; k < CLIQUES; k++) {
            first[k + 1] = first[k] + SMALLEST + 2 * k;
            for (uint32_t i = first[k]; i < first[k + 1]; i++)
                for (uint32_t j = first[k]; j <= i; j++)
                    link_nodes(links, &count, i, j);
        }
        for (size_t k = 0; k < sizeof coupled / sizeof *coupled; k++)
            for (uint32_t i = 0; i < 3; i++) {
                const uint32_t a = coupled[k][0], b = coupled[k][1], size = first[b + 1] - first[b];
                link_nodes(links, &count, first[a] + (round % 3 ? 5 * i : 0), first[b] + (4 * i + round) % size);
            }
        assert_true(count <= MOST_LINKS);
        DvBlockMatrix a = matrix_of_links(first[CLIQUES], block, links, count);
        fill_matrix(&a, 30.0 * block, round > 3, &seed);
        for (int ordering = DV_ORDERING_NATURAL; ordering <= DV_ORDERING_LEAST_WORK; ordering++)
            expect_solution_of_dense_elimination(&a, (DvOrdering)ordering, &seed, 1e-12);
        matrix_free(&a);
        dv_free(links);
    }
}

static void all_instruction_sets_give_the_same_bits(void **state)
{
    (void)state;
    uint64_t seed = 11;
    DvBlockMatrix a = grid_matrix(6, 6, 8, 3);
    fill_matrix(&a, 25.0, true, &seed);
    const size_t n = 3 * (size_t)a.rows;
    double *b = random_vector(n, &seed);
    double *x[3];
    for (int level = 0; level < 3; level++) {
        uint32_t failed;
        x[level] = dv_alloc(n, sizeof(double));
        DvBlockLdl *ldl = dv_block_ldl_new();
        dv_block_ldl_use_level(ldl, level);
        dv_block_ldl_analyse(ldl, &a, order_as_told, &by_amd);
        assert_int_equal(dv_block_ldl_factor(ldl, &a, &failed), DV_OK);
        dv_block_ldl_solve(ldl, b, x[level]);
        dv_block_ldl_free(ldl);
        assert_memory_equal(x[0], x[level], n * sizeof(double));
    }
    for (int level = 0; level < 3; level++)
        dv_free(x[level]);
    dv_free(b);
    matrix_free(&a);
}

/* A cube of nodes, each beside up to six others: operations of its elimination in an order. */
static double elimination_of_cube(DvOrdering ordering)
{
    enum { SIDE = 14, NODES = SIDE * SIDE * SIDE };
    static const uint32_t step[3] = {1, SIDE, SIDE * SIDE};
    uint32_t *begin = dv_alloc(NODES + 1, sizeof *begin), *neighbours = dv_alloc(6 * NODES, sizeof *neighbours);
    uint32_t *order = dv_alloc(NODES, sizeof *order), *parent = dv_alloc(NODES, sizeof *parent);
    uint32_t *counts = dv_alloc(NODES, sizeof *counts), count = 0;
    for (uint32_t i = 0; i < NODES; i++) {
        for (int axis = 2; axis >= 0; axis--)
            if (i / step[axis] % SIDE > 0)
                neighbours[count++] = i - step[axis];
        for (int axis = 0; axis < 3; axis++)
            if (i / step[axis] % SIDE + 1 < SIDE)
                neighbours[count++] = i + step[axis];
        begin[i + 1] = count;
    }
    dv_order_nodes(ordering, NODES, begin, neighbours, order);
    dv_elimination_tree(NODES, begin, neighbours, order, parent, counts);
    double sum = 0.0;
    for (uint32_t k = 0; k < NODES; k++)
        sum += (double)counts[k] * counts[k];
    uint32_t *times = parent; /* that each node is named */
    memset(times, 0, NODES * sizeof *times);
    for (uint32_t k = 0; k < NODES; k++)
        times[order[k]]++;
    for (uint32_t k = 0; k < NODES; k++)
        assert_int_equal(times[k], 1);
    dv_free(begin);
    dv_free(neighbours);
    dv_free(order);
    dv_free(parent);
    dv_free(counts);
    return sum;
}

/* Numbers of rows of each column of the factor, and the first of them below the diagonal, as elimination by hand has them. */
static void counts_are_those_of_elimination(void **state)
{
    (void)state;
    enum { NODES = 40 };
    uint64_t seed = 41;
    for (int round = 0; round < 20; round++) {
        bool full[NODES][NODES] = {{false}};
        uint32_t begin[NODES + 1] = {0}, neighbours[NODES * NODES], order[NODES], parent[NODES], counts[NODES];
        DvBlockMatrix a = random_matrix(NODES, 1, 1, &seed);
        for (uint32_t i = 0, used = 0; i < NODES; i++) {
            for (uint32_t e = a.row_start[i]; e < a.row_start[i + 1]; e++)
                if (a.columns[e] != i)
                    neighbours[used++] = a.columns[e];
            begin[i + 1] = used;
        }
        dv_order_nodes(round % 2 ? DV_ORDERING_LEAST_WORK : DV_ORDERING_NATURAL, NODES, begin, neighbours, order);
        dv_elimination_tree(NODES, begin, neighbours, order, parent, counts);
        for (uint32_t i = 0; i < NODES; i++)
            for (uint32_t k = 0; k < NODES; k++)
                for (uint32_t e = begin[order[i]]; e < begin[order[i] + 1]; e++)
                    full[i][k] = full[i][k] || neighbours[e] == order[k];
        for (uint32_t k = 0; k < NODES; k++) {
            uint32_t below = 0, first = UINT32_MAX;
            for (uint32_t i = NODES; i-- > k + 1;)
                if (full[i][k]) {
                    first = i;
                    below++;
                    for (uint32_t j = k + 1; j < NODES; j++)
                        full[i][j] = full[i][j] || full[j][k];
                }
            assert_int_equal(counts[k], below + 1);
            assert_int_equal(parent[k], first);
        }
        matrix_free(&a);
    }
}

/* Rows of a numbering by layers fill up to a layer: SIDE^4 numbers, of which dissection keeps a small part. */
static void orderings_save_most_of_the_work(void **state)
{
    (void)state;
    const double natural = elimination_of_cube(DV_ORDERING_NATURAL), amd = elimination_of_cube(DV_ORDERING_AMD),
                 metis = elimination_of_cube(DV_ORDERING_METIS), least = elimination_of_cube(DV_ORDERING_LEAST_WORK);
    assert_true(metis < natural / 4.0 && amd < natural / 2.0);
    assert_true(least == (amd < metis ? amd : metis));
}

static void the_solution_does_not_depend_on_the_order_the_caller_gives(void **state)
{
    (void)state;
    uint64_t seed = 5;
    DvBlockMatrix a = grid_matrix(4, 4, 6, 3);
    fill_matrix(&a, 20.0, false, &seed);
    const uint32_t rows = a.rows;
    const size_t n = 3 * (size_t)rows;
    double *b = random_vector(n, &seed);
    double *first = dv_alloc(n, sizeof *first);
    double *other = dv_alloc(n, sizeof *other);
    uint32_t *order = dv_alloc(rows, sizeof *order);
    uint32_t failed;
    DvBlockLdl *ldl = dv_block_ldl_new();
    for (uint32_t trial = 0; trial < 5; trial++) {
        for (uint32_t i = 0; i < rows; i++)
            order[i] = i;
        for (uint32_t i = rows; trial > 0 && i-- > 1;) {
            const uint32_t j = (uint32_t)((random_number(&seed) + 0.5) * (i + 1));
            const uint32_t swap = order[i];
            order[i] = order[j];
            order[j] = swap;
        }
        dv_block_ldl_analyse(ldl, &a, order_as_given, order);
        assert_int_equal(dv_block_ldl_factor(ldl, &a, &failed), DV_OK);
        dv_block_ldl_solve(ldl, b, trial == 0 ? first : other);
        if (trial > 0)
            assert_true(largest_difference(n, first, other) < 1e-13);
    }
    dv_block_ldl_free(ldl);
    dv_free(order);
    dv_free(other);
    dv_free(first);
    dv_free(b);
    matrix_free(&a);
}

/* Rows of up to 5 entries in random places; some are empty. To be freed with free_rows. */
static DvSparseRows random_rows(uint32_t rows, size_t n, uint64_t *seed)
{
    uint32_t *start = dv_alloc(rows + 1, sizeof *start), *columns = dv_alloc(rows * 5, sizeof *columns), count = 0;
    double *values = dv_alloc(rows * 5, sizeof *values);
    for (uint32_t r = 0; r < rows; r++) {
        const uint32_t entries = (uint32_t)((random_number(seed) + 0.5) * 6.0);
        for (size_t c = 0, left = entries; c < n && left > 0; c++)
            if ((random_number(seed) + 0.5) * (double)(n - c) < (double)left) {
                columns[count] = (uint32_t)c;
                values[count++] = random_number(seed);
                left--;
            }
        start[r + 1] = count;
    }
    return (DvSparseRows){rows, start, columns, values};
}

static void free_rows(DvSparseRows rows)
{
    dv_free((void *)rows.row_start);
    dv_free((void *)rows.columns);
    dv_free((void *)rows.values);
}

static double dot_row(const DvSparseRows *rows, uint32_t r, const double *x)
{
    double sum = 0.0;
    for (uint32_t e = rows->row_start[r]; e < rows->row_start[r + 1]; e++)
        sum += rows->values[e] * x[rows->columns[e]];
    return sum;
}

static void spread(const DvSparseRows *rows, uint32_t r, double *dense, size_t n)
{
    memset(dense, 0, n * sizeof *dense);
    for (uint32_t e = rows->row_start[r]; e < rows->row_start[r + 1]; e++)
        dense[rows->columns[e]] = rows->values[e];
}

/* Solutions, products and half solutions of sparse rows against dense elimination, row by row. */
static void check_rows(DvBlockLdl *ldl, const DvBlockMatrix *a, uint32_t count, uint64_t *seed)
{
    const size_t n = (size_t)a->block * a->rows, stride = n + 3;
    const DvSparseRows j = random_rows(count, n, seed);
    double *b = dv_alloc(n, sizeof *b), *expected = dv_alloc(n, sizeof *expected), *half = dv_alloc(n, sizeof *half);
    double *x = dv_alloc(count * stride, sizeof *x), *w = dv_alloc((size_t)count * (count + 2), sizeof *w);
    for (size_t i = 0; i < (size_t)count * (count + 2); i++)
        w[i] = 0.25;
    DvLdlMany *many = dv_ldl_many_new(ldl);
    dv_ldl_many_forward(many, &j);
    dv_ldl_many_backward(many, x, stride);
    dv_ldl_many_gram(many, 2.0, w, count + 2);
    const DvSparseRows y = dv_ldl_many_rows(many);
    const double *weights = dv_block_ldl_weights(ldl);
    assert_int_equal(y.rows, count);
    for (uint32_t r = 0; r < count; r++) {
        double *dense = dense_copy(a);
        spread(&j, r, b, n);
        dense_solve(n, dense, b, expected);
        assert_true(largest_difference(n, x + stride * r, expected) < 1e-12);
        spread(&y, r, half, n);
        for (uint32_t i = 0; i < count; i++) {
            double product = 0.0;
            for (uint32_t e = y.row_start[i]; e < y.row_start[i + 1]; e++)
                product += y.values[e] * weights[y.columns[e]] * half[y.columns[e]];
            assert_true(fabs(product - dot_row(&j, i, expected)) < 1e-12);
            assert_true(fabs(w[i * (count + 2) + r] - 0.25 - 2.0 * product) < 1e-12);
            assert_true(w[i * (count + 2) + r] == w[r * (count + 2) + i]);
        }
        for (uint32_t k = 0; k < 2; k++)
            assert_true(w[r * (count + 2) + count + k] == 0.25); /* beyond the matrix */
        dv_block_ldl_finish(ldl, half, half);
        assert_true(largest_difference(n, half, expected) < 1e-12);
        dv_free(dense);
    }
    dv_ldl_many_free(many);
    dv_free(w);
    dv_free(x);
    dv_free(half);
    dv_free(expected);
    dv_free(b);
    free_rows(j);
}

static void sparse_rows_solve_as_dense_elimination_does(void **state)
{
    (void)state;
    static const uint32_t blocks[] = {1, 2, 3, 6}, counts[] = {0, 1, 7, 8, 9, 40};
    uint64_t seed = 9;
    for (size_t i = 0; i < 4; i++)
        for (int kind = 0; kind < 3; kind++) {
            DvBlockMatrix a = kind == 0   ? grid_matrix(3, 3, 5, blocks[i])
                              : kind == 1 ? random_matrix(20, blocks[i], 2, &seed)
                                          : random_matrix(9, blocks[i], 0, &seed); /* without couplings */
            fill_matrix(&a, 20.0 * blocks[i], kind == 1, &seed);
            DvBlockLdl *ldl = dv_block_ldl_new();
            uint32_t failed;
            dv_block_ldl_analyse(ldl, &a, order_as_told, &by_amd);
            assert_int_equal(dv_block_ldl_factor(ldl, &a, &failed), DV_OK);
            for (size_t k = 0; k < 6; k++)
                check_rows(ldl, &a, counts[k], &seed);
            dv_block_ldl_free(ldl);
            matrix_free(&a);
        }
}

/* What many right-hand sides give, on some threads, by some instruction set: x, then w. */
static double *many_results(const DvBlockMatrix *a, const DvSparseRows *j, unsigned threads, int level)
{
    const size_t n = (size_t)a->block * a->rows;
    double *results = dv_alloc(j->rows * (n + j->rows), sizeof *results);
    uint32_t failed;
    DvBlockLdl *ldl = dv_block_ldl_new();
    dv_block_ldl_use_level(ldl, level);
    dv_parallel_set_threads(threads);
    dv_block_ldl_analyse(ldl, a, order_as_told, &by_amd);
    assert_int_equal(dv_block_ldl_factor(ldl, a, &failed), DV_OK);
    DvLdlMany *many = dv_ldl_many_new(ldl);
    for (int pass = 0; pass < 2; pass++) {
        const uint64_t before = dv_allocation_count();
        memset(results + j->rows * n, 0, (size_t)j->rows * j->rows * sizeof *results);
        dv_ldl_many_forward(many, j);
        dv_ldl_many_backward(many, results, n);
        dv_ldl_many_gram(many, 1.0, results + j->rows * n, j->rows);
        (void)dv_ldl_many_rows(many);
        if (pass == 1)
            assert_int_equal(dv_allocation_count(), before);
    }
    dv_parallel_set_threads(1);
    dv_ldl_many_free(many);
    dv_block_ldl_free(ldl);
    return results;
}

static void many_rows_give_the_same_bits_on_any_threads_and_instructions(void **state)
{
    (void)state;
    uint64_t seed = 21;
    DvBlockMatrix a = grid_matrix(6, 6, 8, 3);
    fill_matrix(&a, 60.0, false, &seed);
    const size_t n = 3 * (size_t)a.rows;
    const DvSparseRows j = random_rows(61, n, &seed);
    double *first = many_results(&a, &j, 1, 2);
    for (int level = 0; level < 3; level++)
        for (unsigned threads = 1; threads <= 4; threads += 3) {
            double *other = many_results(&a, &j, threads, level);
            assert_memory_equal(first, other, j.rows * (n + j.rows) * sizeof *first);
            dv_free(other);
        }
    dv_free(first);
    free_rows(j);
    matrix_free(&a);
}

/* Points in a row, eliminated from one end to the other: a force on one reaches those after it and no more. */
static void a_half_solution_holds_what_its_row_reaches(void **state)
{
    (void)state;
    enum { POINTS = 40 };
    uint64_t seed = 2;
    uint32_t(*links)[2] = dv_alloc(3 * POINTS, sizeof *links), count = 0;
    for (uint32_t p = 0; p < POINTS; p++)
        for (uint32_t q = p > 0 ? p - 1 : 0; q < POINTS && q <= p + 1; q++) {
            links[count][0] = p;
            links[count++][1] = q;
        }
    DvBlockMatrix a = matrix_of_links(POINTS, 1, links, count);
    fill_matrix(&a, 3.0, false, &seed);
    DvOrdering natural = DV_ORDERING_NATURAL;
    DvBlockLdl *ldl = dv_block_ldl_new();
    uint32_t failed, start[POINTS + 1], columns[POINTS];
    double values[POINTS];
    for (uint32_t p = 0; p <= POINTS; p++)
        start[p] = p;
    for (uint32_t p = 0; p < POINTS; p++) {
        columns[p] = p;
        values[p] = 1.0;
    }
    dv_block_ldl_analyse(ldl, &a, order_as_told, &natural);
    assert_int_equal(dv_block_ldl_factor(ldl, &a, &failed), DV_OK);
    DvLdlMany *many = dv_ldl_many_new(ldl);
    dv_ldl_many_forward(many, &(DvSparseRows){POINTS, start, columns, values});
    const DvSparseRows y = dv_ldl_many_rows(many);
    for (uint32_t p = 0; p < POINTS; p++) {
        assert_int_equal(y.row_start[p + 1] - y.row_start[p], POINTS - p);
        assert_int_equal(y.columns[y.row_start[p]], p);
        assert_true(y.values[y.row_start[p]] == 1.0);
    }
    dv_ldl_many_free(many);
    dv_block_ldl_free(ldl);
    dv_free(links);
    matrix_free(&a);
}

static void an_exactly_zero_pivot_is_reported_with_its_row(void **state)
{
    (void)state;
    uint64_t seed = 2;
    /* A body of two points and a spring between them, not held: the second point's x pivot is exactly 1 - 1. */
    uint32_t links[4][2] = {{0, 0}, {0, 1}, {1, 0}, {1, 1}};
    DvBlockMatrix a = matrix_of_links(2, 3, links, 4);
    for (uint32_t e = 0; e < 4; e++)
        for (uint32_t c = 0; c < 3; c++)
            a.values[9 * e + 4 * c] = e == 0 || e == 3 ? 1.0 : -1.0;
    a.values[9 * 3 + 4] = a.values[9 * 3 + 8] = 2.0;
    DvBlockLdl *ldl = dv_block_ldl_new();
    uint32_t failed = 99;
    dv_block_ldl_analyse(ldl, &a, order_as_told, &natural);
    assert_int_equal(dv_block_ldl_factor(ldl, &a, &failed), DV_ERROR_SINGULAR);
    assert_int_equal(failed, 3);
    matrix_free(&a);

    DvBlockMatrix mesh = grid_matrix(4, 4, 4, 3);
    fill_matrix(&mesh, 20.0, false, &seed);
    const uint32_t point = 17;
    for (uint32_t e = mesh.row_start[point]; e < mesh.row_start[point + 1]; e++)
        for (uint32_t c = 0; c < 3; c++) {
            mesh.values[9 * (size_t)e + 3 + c] = 0.0;                      /* row y of this point */
            mesh.values[9 * (size_t)mesh.transposed[e] + 3 * c + 1] = 0.0; /* and its column */
        }
    dv_block_ldl_analyse(ldl, &mesh, order_as_told, &by_amd);
    assert_int_equal(dv_block_ldl_factor(ldl, &mesh, &failed), DV_ERROR_SINGULAR);
    assert_int_equal(failed, 3 * point + 1);
    mesh.values[9 * (size_t)mesh.diagonal[point] + 4] = NAN;
    assert_int_equal(dv_block_ldl_factor(ldl, &mesh, &failed), DV_ERROR_SINGULAR);
    dv_block_ldl_free(ldl);
    matrix_free(&mesh);
}

static void an_indefinite_matrix_whose_pivot_is_noise_is_solved_by_refinement(void **state)
{
    (void)state;
    /* 0.9 - 0.3 0.3 / 0.1 is zero but for rounding; the matrix itself is well conditioned. */
    uint32_t links[7][2] = {{0, 0}, {0, 1}, {1, 0}, {1, 1}, {1, 2}, {2, 1}, {2, 2}};
    static const double values[7] = {0.1, 0.3, 0.3, 0.9, 1.0, 1.0, 1.0};
    static const double expected[3] = {1.0, -2.0, 3.0};
    DvBlockMatrix a = matrix_of_links(3, 1, links, 7);
    memcpy(a.values, values, sizeof values);
    double x[4] = {1.0, -2.0, 3.0}, b[3];
    dv_block_product(&a, x, b);
    DvBlockLdl *ldl = dv_block_ldl_new();
    uint32_t failed;
    dv_block_ldl_analyse(ldl, &a, order_as_told, &natural);
    assert_int_equal(dv_block_ldl_factor(ldl, &a, &failed), DV_OK);
    dv_block_ldl_solve(ldl, b, x);
    assert_true(largest_difference(3, x, expected) > 1e-10);
    assert_true(dv_block_ldl_refine(ldl, &a, b, x) < 1e-14);
    assert_true(largest_difference(3, x, expected) < 1e-13);

    /* Nothing is refined where nothing was lost. */
    a.values[3] = 9.0;
    assert_int_equal(dv_block_ldl_factor(ldl, &a, &failed), DV_OK);
    double wrong[4] = {0};
    assert_true(dv_block_ldl_refine(ldl, &a, b, wrong) == 0.0 && wrong[0] == 0.0);
    dv_block_ldl_free(ldl);
    matrix_free(&a);
}

static void a_singular_matrix_leaves_a_residual(void **state)
{
    (void)state;
    /* The second row is three times the first but for rounding. */
    uint32_t links[4][2] = {{0, 0}, {0, 1}, {1, 0}, {1, 1}};
    static const double values[4] = {0.1, 0.3, 0.3, 0.9};
    DvBlockMatrix a = matrix_of_links(2, 1, links, 4);
    memcpy(a.values, values, sizeof values);
    double x[3], b[2] = {1.0, 1.0};
    DvBlockLdl *ldl = dv_block_ldl_new();
    uint32_t failed;
    dv_block_ldl_analyse(ldl, &a, order_as_told, &natural);
    assert_int_equal(dv_block_ldl_factor(ldl, &a, &failed), DV_OK);
    dv_block_ldl_solve(ldl, b, x);
    const double residual = dv_block_ldl_refine(ldl, &a, b, x);
    assert_true(residual > 1e-8);
    /* What is told is the residual of what is left in x, also where refinement made it worse and was taken back. */
    const double left[2] = {b[0] - (0.1 * x[0] + 0.3 * x[1]), b[1] - (0.3 * x[0] + 0.9 * x[1])};
    assert_true(fabs(fmax(fabs(left[0]), fabs(left[1])) - residual) <= 1e-6 * residual);
    dv_block_ldl_free(ldl);
    matrix_free(&a);
}

static void threads_do_not_change_the_bits(void **state)
{
    (void)state;
    uint64_t seed = 12;
    DvBlockMatrix a = grid_matrix(9, 9, 30, 3);
    fill_matrix(&a, 30.0, false, &seed);
    const size_t n = 3 * (size_t)a.rows;
    double *b = random_vector(n, &seed);
    double *x[3];
    static const unsigned threads[] = {1, 2, 7};
    DvBlockLdl *ldl = dv_block_ldl_new();
    dv_block_ldl_analyse(ldl, &a, NULL, NULL);
    for (int i = 0; i < 3; i++) {
        uint32_t failed;
        x[i] = dv_alloc(n, sizeof(double));
        dv_parallel_set_threads(threads[i]);
        assert_int_equal(dv_block_ldl_factor(ldl, &a, &failed), DV_OK);
        dv_block_ldl_solve(ldl, b, x[i]);
        assert_memory_equal(x[0], x[i], n * sizeof(double));
    }
    /* The same pivot is named, too. */
    const uint32_t points[] = {400, 1700};
    for (int i = 0; i < 2; i++)
        for (uint32_t e = a.row_start[points[i]]; e < a.row_start[points[i] + 1]; e++)
            for (uint32_t c = 0; c < 3; c++)
                a.values[9 * (size_t)e + 3 + c] = a.values[9 * (size_t)a.transposed[e] + 3 * c + 1] = 0.0;
    uint32_t first = 0;
    for (int i = 0; i < 3; i++) {
        uint32_t failed = 0;
        dv_parallel_set_threads(threads[i]);
        assert_int_equal(dv_block_ldl_factor(ldl, &a, &failed), DV_ERROR_SINGULAR);
        first = i == 0 ? failed : first;
        assert_int_equal(failed, first);
    }
    assert_true(first == 3 * points[0] + 1 || first == 3 * points[1] + 1);
    dv_parallel_set_threads(1);
    dv_block_ldl_free(ldl);
    for (int i = 0; i < 3; i++)
        dv_free(x[i]);
    dv_free(b);
    matrix_free(&a);
}

static void blocks_that_are_zero_cost_nothing_until_they_are_not(void **state)
{
    (void)state;
    uint64_t seed = 4;
    DvBlockMatrix a = grid_matrix(4, 4, 6, 3);
    fill_matrix(&a, 20.0, false, &seed);
    const size_t values = 9 * (size_t)a.row_start[a.rows];
    double *full = dv_alloc(values, sizeof *full);
    memcpy(full, a.values, values * sizeof *full);
    DvBlockLdl *ldl = dv_block_ldl_new();
    dv_block_ldl_analyse(ldl, &a, order_as_told, &by_amd);
    const uint64_t all = dv_block_ldl_nonzeros(ldl);
    /* The first 16 points fixed: rows and columns cleared, 1 on the diagonal. */
    for (uint32_t row = 0; row < a.rows; row++)
        for (uint32_t e = a.row_start[row]; e < a.row_start[row + 1]; e++)
            if (row < 16 || a.columns[e] < 16)
                for (uint32_t i = 0; i < 9; i++)
                    a.values[9 * (size_t)e + i] = row == a.columns[e] && i % 4 == 0 ? 1.0 : 0.0;
    dv_block_ldl_analyse(ldl, &a, order_as_told, &by_amd);
    assert_true(dv_block_ldl_nonzeros(ldl) < all);
    uint32_t failed;
    const size_t n = 3 * (size_t)a.rows;
    double *b = random_vector(n, &seed);
    double *x = dv_alloc(n + 1, sizeof *x);
    double *product = dv_alloc(n, sizeof *product);
    for (int pass = 0; pass < 2; pass++) {
        const uint32_t analyses = dv_block_ldl_analyses(ldl);
        assert_int_equal(dv_block_ldl_factor(ldl, &a, &failed), DV_OK);
        assert_int_equal(dv_block_ldl_analyses(ldl), analyses + (pass == 1));
        dv_block_ldl_solve(ldl, b, x);
        dv_block_product(&a, x, product);
        assert_true(largest_difference(n, product, b) < 1e-13);
        memcpy(a.values, full, values * sizeof *full); /* the points are free again */
    }
    assert_int_equal(dv_block_ldl_nonzeros(ldl), all);
    dv_free(product);
    dv_free(x);
    dv_free(b);
    dv_free(full);
    dv_block_ldl_free(ldl);
    matrix_free(&a);
}

static void factoring_and_solving_do_not_allocate(void **state)
{
    (void)state;
    uint64_t seed = 6;
    DvBlockMatrix a = grid_matrix(5, 5, 6, 3);
    fill_matrix(&a, 20.0, false, &seed);
    const size_t n = 3 * (size_t)a.rows;
    double *b = random_vector(n, &seed);
    DvBlockLdl *ldl = dv_block_ldl_new();
    uint32_t failed;
    dv_block_ldl_analyse(ldl, &a, NULL, NULL);
    const uint64_t before = dv_allocation_count();
    assert_int_equal(dv_block_ldl_factor(ldl, &a, &failed), DV_OK);
    dv_block_ldl_solve(ldl, b, b);
    assert_int_equal(dv_allocation_count(), before);
    dv_block_ldl_free(ldl);
    dv_free(b);
    matrix_free(&a);
}

static void the_product_is_that_of_the_dense_matrix(void **state)
{
    (void)state;
    uint64_t seed = 8;
    static const uint32_t blocks[] = {1, 2, 3, 6};
    for (size_t i = 0; i < 4; i++) {
        DvBlockMatrix a = random_matrix(40, blocks[i], 3, &seed);
        fill_matrix(&a, 1.0, false, &seed);
        const size_t n = (size_t)a.block * a.rows;
        double *x = random_vector(n, &seed);
        double *y = dv_alloc(n, sizeof *y);
        double *dense = dense_copy(&a);
        const double dot = dv_block_product(&a, x, y);
        double expected_dot = 0.0;
        for (size_t r = 0; r < n; r++) {
            double expected = 0.0;
            for (size_t c = 0; c < n; c++)
                expected += dense[r * n + c] * x[c];
            assert_true(fabs(y[r] - expected) < 1e-14);
            expected_dot += expected * x[r];
        }
        assert_true(fabs(dot - expected_dot) < 1e-12);
        dv_free(dense);
        dv_free(y);
        dv_free(x);
        matrix_free(&a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_positive_and_indefinite_matrices_solve_as_dense_elimination_does),
        cmocka_unit_test(meshes_solve_as_dense_elimination_does),
        cmocka_unit_test(cliques_solve_as_dense_elimination_does),
        cmocka_unit_test(all_instruction_sets_give_the_same_bits),
        cmocka_unit_test(counts_are_those_of_elimination),
        cmocka_unit_test(orderings_save_most_of_the_work),
        cmocka_unit_test(the_solution_does_not_depend_on_the_order_the_caller_gives),
        cmocka_unit_test(sparse_rows_solve_as_dense_elimination_does),
        cmocka_unit_test(many_rows_give_the_same_bits_on_any_threads_and_instructions),
        cmocka_unit_test(a_half_solution_holds_what_its_row_reaches),
        cmocka_unit_test(an_exactly_zero_pivot_is_reported_with_its_row),
        cmocka_unit_test(an_indefinite_matrix_whose_pivot_is_noise_is_solved_by_refinement),
        cmocka_unit_test(a_singular_matrix_leaves_a_residual),
        cmocka_unit_test(threads_do_not_change_the_bits),
        cmocka_unit_test(blocks_that_are_zero_cost_nothing_until_they_are_not),
        cmocka_unit_test(factoring_and_solving_do_not_allocate),
        cmocka_unit_test(the_product_is_that_of_the_dense_matrix),
    };
    return share_run_group_tests(tests, NULL, NULL);
}
