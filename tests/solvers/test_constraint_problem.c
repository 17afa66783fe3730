/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Problems of constraints and their solutions: products with W in parts against a dense W, random problems against other methods,
 * problems that somebody holds while the solver goes on, and memory that is used again.
 */
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "complementarity.h"
#include "problem.h"
#include "random_matrix.h"

enum { MOST_ROWS = 24, UNKNOWNS = 30, PARTS = 3 };

/* The kinds of parts that corrections make. */
typedef enum PartKind {
    PART_MATRIX,      /* J C J^T */
    PART_ROWS,        /* J and J C with C diagonal: the same columns on both sides */
    PART_POINTS,      /* the same; rows 3k, 3k + 1, 3k + 2 on two whole points */
    PART_FRAMES,      /* J and J C with C of blocks of 6: columns of each side its own */
    PART_HALVES,      /* Y and Y / D, sparse, in columns of 1 */
    PART_WHOLE_RIGHT, /* J and J C with C full: the right side has columns that the left side has not */
    PART_KINDS
} PartKind;

typedef struct Dense {
    uint32_t rows;
    double w[MOST_ROWS * MOST_ROWS]; /* regularization included */
} Dense;

static double at_random(uint64_t *seed)
{
    return 2.0 * random_number(seed);
}

static uint32_t below(uint64_t *seed, uint32_t n)
{
    return (uint32_t)((random_number(seed) + 0.5) * n);
}

static DvSparseRows sparse(Problem *problem, uint32_t rows, uint32_t columns, const double *dense)
{
    uint32_t *start = problem_alloc(problem, (rows + 1) * sizeof *start);
    uint32_t *column = problem_alloc(problem, (size_t)rows * columns * sizeof *column), entries = 0;
    double *values = problem_alloc(problem, (size_t)rows * columns * sizeof *values);
    start[0] = 0;
    for (uint32_t r = 0; r < rows; r++) {
        for (uint32_t c = 0; c < columns; c++)
            if (dense[r * columns + c] != 0.0) {
                column[entries] = c;
                values[entries++] = dense[r * columns + c];
            }
        start[r + 1] = entries;
    }
    return (DvSparseRows){rows, start, column, values};
}

/* C over the unknowns, as the kind has it: of full rank, symmetric, positive. */
static void random_inverse(PartKind kind, double c[UNKNOWNS * UNKNOWNS], uint64_t *seed)
{
    const uint32_t band = kind == PART_FRAMES                                               ? 6
                          : kind == PART_ROWS || kind == PART_POINTS || kind == PART_HALVES ? 1
                                                                                            : UNKNOWNS;
    memset(c, 0, UNKNOWNS * UNKNOWNS * sizeof *c);
    for (uint32_t i = 0; i < UNKNOWNS; i++)
        for (uint32_t j = 0; j <= i; j++) {
            if (i == j)
                c[i * UNKNOWNS + j] = 1.0 + random_number(seed);
            else if (i / band == j / band)
                c[i * UNKNOWNS + j] = c[j * UNKNOWNS + i] = 0.5 * random_number(seed) / sqrt(band);
        }
}

/* Few entries, none in the last third: columns that nobody uses. */
static bool has_entry(PartKind kind, uint32_t row, uint32_t column, uint64_t *seed)
{
    const uint32_t used = 2 * UNKNOWNS / 3, point = column / 3, contact = row / 3;
    if (kind == PART_POINTS)
        return column < used / 3 * 3 && (point == contact % 6 || point == (contact * 3 + 2) % 6);
    return column < used && (random_number(seed) < -0.1 || column == row % used);
}

static void add_part(Problem *problem, PartKind kind, Dense *dense, uint64_t *seed)
{
    static double j[MOST_ROWS * UNKNOWNS], c[UNKNOWNS * UNKNOWNS], jc[MOST_ROWS * UNKNOWNS];
    DvComplianceBlock *part = &problem->parts[problem->view.part_count++];
    uint32_t *row = problem_alloc(problem, dense->rows * sizeof *row);
    *part = (DvComplianceBlock){.row = row};
    for (uint32_t r = 0; r < dense->rows; r++)
        if (problem->view.part_count == 1 || random_number(seed) < 0.2) /* the first part has all rows */
            row[part->count++] = r;
    random_inverse(kind, c, seed);
    memset(j, 0, sizeof j);
    memset(jc, 0, sizeof jc);
    for (uint32_t r = 0; r < part->count; r++)
        for (uint32_t k = 0; k < UNKNOWNS; k++)
            if (has_entry(kind, row[r], k, seed))
                j[r * UNKNOWNS + k] = k == r % 20 ? 1.5 : 0.5 * at_random(seed);
    for (uint32_t r = 0; r < part->count; r++)
        for (uint32_t k = 0; k < UNKNOWNS; k++)
            for (uint32_t l = 0; l < UNKNOWNS; l++)
                jc[r * UNKNOWNS + k] += j[r * UNKNOWNS + l] * c[l * UNKNOWNS + k];
    part->columns = UNKNOWNS;
    part->group = kind == PART_FRAMES ? 6 : kind == PART_HALVES ? 1 : 3;
    double *w = problem_alloc(problem, (size_t)part->count * part->count * sizeof *w);
    for (uint32_t r = 0; r < part->count; r++)
        for (uint32_t s = 0; s < part->count; s++) {
            double sum = 0.0;
            for (uint32_t k = 0; k < UNKNOWNS; k++)
                sum += jc[r * UNKNOWNS + k] * j[s * UNKNOWNS + k];
            w[r * part->count + s] = sum;
            dense->w[row[r] * dense->rows + row[s]] += sum;
        }
    if (kind == PART_MATRIX) {
        part->w = w;
        return;
    }
    part->left = sparse(problem, part->count, UNKNOWNS, j);
    part->right = sparse(problem, part->count, UNKNOWNS, jc);
    if (kind == PART_ROWS || kind == PART_POINTS || kind == PART_HALVES) /* entries of J C where J has some */
        part->right.columns = part->left.columns;
}

/* How blocks are chosen. */
typedef enum Blocks { BILATERAL, UNILATERAL, FRICTION, MIXED } Blocks;

static void add_blocks(Problem *problem, Blocks choice, uint64_t *seed)
{
    problem->blocks = problem_alloc(problem, problem->view.rows * sizeof *problem->blocks);
    for (uint32_t row = 0; row < problem->view.rows;) {
        const uint32_t left = problem->view.rows - row;
        DvConstraintBlock block = {.first = row, .rows = 1, .law = DV_LAW_UNILATERAL};
        const uint32_t kind = choice == MIXED ? below(seed, 4) : 0;
        if (choice == BILATERAL || (choice == MIXED && kind == 0)) {
            block.law = DV_LAW_BILATERAL;
            block.rows = 1 + below(seed, left < 5 ? left : 5);
            block.p[0] = 1.0;
        } else if (left >= 3 && (choice == FRICTION || kind == 1)) {
            block.law = DV_LAW_FRICTION;
            block.rows = 3;
            block.p[0] = 0.4;
        } else if (choice == MIXED && kind == 2) {
            block.law = DV_LAW_INTERVAL;
            block.p[0] = -0.1;
            block.p[1] = 0.2;
        }
        problem->blocks[problem->view.block_count++] = block;
        row += block.rows;
    }
}

/* A random problem of a pool, with lambda 0. `kinds`: one bit of each kind of part that may be there. */
static Problem *random_problem(ProblemPool *pool, uint32_t rows, unsigned kinds, Blocks choice, Dense *dense,
                               uint64_t *seed)
{
    Problem *problem = problem_begin(pool);
    memset(dense, 0, sizeof *dense);
    dense->rows = problem->view.rows = rows;
    problem->violation = problem_alloc(problem, rows * sizeof(double));
    problem->lambda = problem_alloc(problem, rows * sizeof(double));
    problem->regularization = problem_alloc(problem, rows * sizeof(double));
    problem->parts = problem_alloc(problem, PARTS * sizeof *problem->parts);
    add_blocks(problem, choice, seed);
    for (int p = 0; p < PARTS; p++) {
        PartKind kind = (PartKind)below(seed, PART_KINDS);
        while (!(kinds & 1u << kind))
            kind = (kind + 1) % PART_KINDS;
        add_part(problem, kind, dense, seed);
    }
    for (uint32_t r = 0; r < rows; r++) {
        problem->violation[r] = at_random(seed);
        problem->lambda[r] = 0.0;
        problem->regularization[r] = 0.25 + 0.2 * random_number(seed);
        dense->w[r * rows + r] += problem->regularization[r];
    }
    problem_finish(problem);
    return problem;
}

static const unsigned all_kinds = (1u << PART_KINDS) - 1;

static void dense_product(const Dense *dense, const double *lambda, double *d)
{
    for (uint32_t r = 0; r < dense->rows; r++) {
        d[r] = 0.0;
        for (uint32_t s = 0; s < dense->rows; s++)
            d[r] += dense->w[r * dense->rows + s] * lambda[s];
    }
}

/* ---- Products ---- */

static void check_rows(const Solution *s, const Dense *dense)
{
    double d[MOST_ROWS];
    dense_product(dense, s->lambda, d);
    for (uint32_t r = 0; r < dense->rows; r++)
        if (!(fabs(solution_row(s, r) - d[r]) < 1e-12))
            fail_msg("row %u of W lambda is %.17g instead of %.17g", r, solution_row(s, r), d[r]);
}

static void parts_are_the_dense_matrix(void **state)
{
    (void)state;
    uint64_t seed = 11;
    ProblemPool pool = {0};
    for (int trial = 0; trial < 300; trial++) {
        Dense dense;
        const unsigned kinds =
            trial < PART_KINDS * 20 ? 1u << trial % PART_KINDS : all_kinds; /* each kind alone, then all */
        Problem *problem = random_problem(&pool, 1 + below(&seed, MOST_ROWS), kinds, MIXED, &dense, &seed);
        double *work = dv_alloc(problem_work(problem), sizeof *work);
        for (uint32_t r = 0; r < dense.rows; r++)
            problem->lambda[r] = r % 3 == 1 ? 0.0 : at_random(&seed);
        Solution s = solution_begin(problem, problem->violation, problem->lambda, work);
        check_rows(&s, &dense);
        for (int change = 0; change < 10; change++) {
            const uint32_t row = below(&seed, dense.rows);
            const double delta = at_random(&seed);
            problem->lambda[row] += delta;
            solution_add(&s, row, delta);
        }
        check_rows(&s, &dense);
        solution_sum_up(&s);
        check_rows(&s, &dense);
        for (uint32_t b = 0; b < problem->view.block_count; b++) {
            const DvConstraintBlock *block = &problem->blocks[b];
            const double *w = problem->view.diagonal + problem->diagonal_at[b];
            for (uint32_t i = 0; i < block->rows; i++)
                for (uint32_t j = 0; j < block->rows; j++)
                    assert_true(fabs(w[i * block->rows + j] -
                                     dense.w[(block->first + i) * dense.rows + block->first + j]) < 1e-13);
        }
        dv_free(work);
    }
    problem_pool_free(&pool);
}

/* A start that shows late shows in the end: when a force has changed on each point of each part. */
static void a_late_start_shows_where_forces_change(void **state)
{
    (void)state;
    uint64_t seed = 12;
    ProblemPool pool = {0};
    for (int trial = 0; trial < 100; trial++) {
        Dense dense;
        Problem *problem = random_problem(&pool, 6 + below(&seed, MOST_ROWS - 6), all_kinds & ~(1u << PART_WHOLE_RIGHT),
                                          FRICTION, &dense, &seed);
        double *work = dv_alloc(problem_work(problem) + problem->running, sizeof *work);
        for (uint32_t r = 0; r < dense.rows; r++)
            problem->lambda[r] = at_random(&seed);
        Solution s =
            solution_begin_late(problem, problem->violation, problem->lambda, work, work + problem_work(problem));
        for (uint32_t r = 0; r < dense.rows; r++) {
            problem->lambda[r] += 0.5;
            solution_add(&s, r, 0.5);
        }
        check_rows(&s, &dense);
        dv_free(work);
    }
    problem_pool_free(&pool);
}

/* ---- Solutions ---- */

static bool solve(Problem *problem, double tolerance)
{
    double *work = dv_alloc(problem_work(problem), sizeof *work);
    Solution s = solution_begin(problem, problem->violation, problem->lambda, work);
    const bool converged = solution_solve(&s, 5000, tolerance, 0.0);
    dv_free(work);
    return converged;
}

static void sweeps_find_what_lemke_finds(void **state)
{
    (void)state;
    uint64_t seed = 13;
    ProblemPool pool = {0};
    for (int trial = 0; trial < 1000; trial++) {
        Dense dense;
        double expected[MOST_ROWS];
        Problem *problem = random_problem(&pool, 1 + below(&seed, MOST_ROWS), all_kinds, UNILATERAL, &dense, &seed);
        assert_true(lemke(dense.rows, dense.w, problem->violation, expected));
        assert_true(solve(problem, 1e-13));
        for (uint32_t r = 0; r < dense.rows; r++)
            if (!(fabs(problem->lambda[r] - expected[r]) < 1e-9 * (1.0 + fabs(expected[r]))))
                fail_msg("problem %d: force %u is %.12g instead of %.12g", trial, r, problem->lambda[r], expected[r]);
    }
    problem_pool_free(&pool);
}

static void sweeps_find_what_elimination_finds(void **state)
{
    (void)state;
    uint64_t seed = 14;
    ProblemPool pool = {0};
    for (int trial = 0; trial < 1000; trial++) {
        Dense dense;
        double expected[MOST_ROWS], right[MOST_ROWS];
        Problem *problem = random_problem(&pool, 1 + below(&seed, MOST_ROWS), all_kinds, BILATERAL, &dense, &seed);
        assert_true(solve(problem, 1e-13));
        for (uint32_t r = 0; r < dense.rows; r++)
            right[r] = -problem->violation[r];
        dense_solve(dense.rows, dense.w, right, expected);
        for (uint32_t r = 0; r < dense.rows; r++)
            assert_true(fabs(problem->lambda[r] - expected[r]) < 1e-9 * (1.0 + fabs(expected[r])));
    }
    problem_pool_free(&pool);
}

/* Blocks of three rows on the same points are swept side by side: the same bits as row by row, error and all. */
static void rows_side_by_side_have_the_bits_of_single_rows(void **state)
{
    (void)state;
    uint64_t seed = 19;
    uint32_t threes = 0;
    ProblemPool pool = {0};
    for (int trial = 0; trial < 300; trial++) {
        Dense dense;
        double lambda[2][MOST_ROWS], d[2][MOST_ROWS], errors[2][MOST_ROWS];
        SweepError error[2];
        Problem *problem = random_problem(&pool, 3 + below(&seed, MOST_ROWS - 2),
                                          1u << PART_POINTS | (trial % 4 ? 0 : 1u << PART_ROWS),
                                          trial % 2 ? FRICTION : MIXED, &dense, &seed);
        for (uint32_t b = 0; b < problem->view.block_count && trial % 3 == 0; b++)
            problem->blocks[b].tolerance = 0.01;
        threes += problem->three_start[problem->view.block_count];
        for (int single = 0; single < 2; single++) {
            if (single) /* no block is of their kind any more */
                memset(problem->three_start, 0, (problem->view.block_count + 1) * sizeof *problem->three_start);
            double *work = dv_alloc(problem_work(problem), sizeof *work);
            memset(lambda[single], 0, sizeof lambda[single]);
            Solution s = solution_begin(problem, problem->violation, lambda[single], work);
            memset(d[single], 0, sizeof d[single]);
            memset(errors[single], 0, sizeof errors[single]);
            s.d = trial % 5 < 2 ? d[single] : NULL;
            s.error = errors[single];
            s.block_norm = trial % 7 < 2;
            for (int i = 0; i < 4; i++)
                error[single] = solution_sweep(&s, 1e-3, 0.0);
            dv_free(work);
        }
        assert_memory_equal(lambda[0], lambda[1], dense.rows * sizeof(double));
        assert_memory_equal(d[0], d[1], dense.rows * sizeof(double));
        assert_memory_equal(errors[0], errors[1], problem->view.block_count * sizeof(double));
        assert_true(error[0].sum == error[1].sum && error[0].verified == error[1].verified);
    }
    assert_true(threes > 300);
    problem_pool_free(&pool);
}

/* How far the worst block is from what its law says of d = violation + W lambda, with the dense W. */
static double worst_error(const Problem *problem, const Dense *dense, const double *violation, const double *lambda)
{
    double d[MOST_ROWS], worst = 0.0;
    dense_product(dense, lambda, d);
    for (uint32_t r = 0; r < dense->rows; r++)
        d[r] += violation[r];
    for (uint32_t b = 0; b < problem->view.block_count; b++) {
        const DvConstraintBlock *block = &problem->blocks[b];
        const double *at = d + block->first, *f = lambda + block->first;
        const double w = dense->w[block->first * dense->rows + block->first];
        switch (block->law) {
        case DV_LAW_FRICTION:
            worst = fmax(worst, coulomb_error(block->p[0], w, at, f));
            break;
        case DV_LAW_UNILATERAL:
            worst = fmax(worst, fmax(fmin(fabs(at[0]), fabs(f[0]) * w), fmax(-at[0], -f[0] * w)));
            break;
        case DV_LAW_INTERVAL:
            worst = fmax(worst, fmax(block->p[0] - at[0], at[0] - block->p[1]));
            if (f[0] > 0.0)
                worst = fmax(worst, fmin(at[0] - block->p[0], f[0] * w));
            if (f[0] < 0.0)
                worst = fmax(worst, fmin(block->p[1] - at[0], -f[0] * w));
            break;
        default:
            for (uint32_t i = 0; i < block->rows; i++)
                worst = fmax(worst, fabs(at[i]));
        }
    }
    return worst;
}

/* With friction and laws of all kinds: a sweep that converges has found what the laws say. Not all such problems have a solution
 * that sweeps reach; most have. */
static void converged_sweeps_fulfil_all_laws(void **state)
{
    (void)state;
    uint64_t seed = 15;
    ProblemPool pool = {0};
    unsigned converged = 0;
    for (int trial = 0; trial < 1000; trial++) {
        Dense dense;
        Problem *problem =
            random_problem(&pool, 1 + below(&seed, MOST_ROWS), all_kinds, trial % 2 ? MIXED : FRICTION, &dense, &seed);
        if (!solve(problem, 1e-12))
            continue;
        converged++;
        const double worst = worst_error(problem, &dense, problem->violation, problem->lambda);
        if (!(worst < 1e-9))
            fail_msg("problem %d: a law is broken by %g", trial, worst);
    }
    if (converged < 950)
        fail_msg("%u of 1000 problems converged", converged);
    problem_pool_free(&pool);
}

/* ---- Problems that are held ---- */

static uint64_t hash_bytes(uint64_t hash, const void *at, size_t bytes)
{
    const unsigned char *byte = at;
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ byte[i]) * 1099511628211u;
    return hash;
}

static uint64_t hash_of_rows(uint64_t hash, const DvSparseRows *rows)
{
    const uint32_t entries = rows->row_start[rows->rows];
    hash = hash_bytes(hash, rows->row_start, (rows->rows + 1) * sizeof *rows->row_start);
    hash = hash_bytes(hash, rows->columns, entries * sizeof *rows->columns);
    return hash_bytes(hash, rows->values, entries * sizeof *rows->values);
}

static uint64_t hash_of(const DvConstraintProblem *p)
{
    uint64_t hash = hash_bytes(14695981039346656037u, &p->number, sizeof p->number);
    for (uint32_t b = 0; b < p->block_count; b++) {
        hash = hash_bytes(hash, &p->blocks[b].first, sizeof p->blocks[b].first);
        hash = hash_bytes(hash, p->blocks[b].p, sizeof p->blocks[b].p);
    }
    hash = hash_bytes(hash, p->violation, p->rows * sizeof *p->violation);
    hash = hash_bytes(hash, p->lambda, p->rows * sizeof *p->lambda);
    hash = hash_bytes(hash, p->regularization, p->rows * sizeof *p->regularization);
    for (uint32_t i = 0; i < p->part_count; i++) {
        const DvComplianceBlock *part = &p->parts[i];
        hash = hash_bytes(hash, part->row, part->count * sizeof *part->row);
        if (part->w)
            hash = hash_bytes(hash, part->w, (size_t)part->count * part->count * sizeof *part->w);
        else
            hash = hash_of_rows(hash_of_rows(hash, &part->left), &part->right);
    }
    return hash;
}

typedef struct Holder {
    const DvConstraintProblem *problem;
    double violation[MOST_ROWS], lambda[MOST_ROWS];
    bool converged;
} Holder;

static void *solve_again(void *context)
{
    Holder *holder = context;
    double *work = dv_alloc(problem_work_of(holder->problem), sizeof *work);
    for (int again = 0; again < 20; again++) {
        memcpy(holder->lambda, holder->problem->lambda, holder->problem->rows * sizeof *holder->lambda);
        holder->converged =
            problem_solve_again(holder->problem, holder->violation, holder->lambda, 5000, 1e-12, 0.0, work);
    }
    dv_free(work);
    problem_release(holder->problem);
    return NULL;
}

/* Others solve what they hold with other violations, on threads of their own, while the solver makes and solves the next ones. */
static void problems_that_are_held_stay_and_are_solved_again(void **state)
{
    (void)state;
    enum { HOLDERS = 4, ROUNDS = 25 };
    uint64_t seed = 16;
    ProblemPool pool = {0};
    for (int round = 0; round < ROUNDS; round++) {
        Holder holders[HOLDERS];
        Dense dense[HOLDERS];
        double alone[HOLDERS][MOST_ROWS];
        pthread_t threads[HOLDERS];
        const DvConstraintProblem *held[HOLDERS];
        uint64_t hash[HOLDERS];
        for (int h = 0; h < HOLDERS; h++) {
            Problem *problem =
                random_problem(&pool, 3 + below(&seed, MOST_ROWS - 3), all_kinds, MIXED, &dense[h], &seed);
            (void)solve(problem, 1e-12);
            holders[h].problem = problem_take(&pool);
            held[h] = problem_take(&pool);
            assert_ptr_equal(held[h], &problem->view);
            hash[h] = hash_of(held[h]);
            for (uint32_t r = 0; r < held[h]->rows; r++)
                holders[h].violation[r] = held[h]->violation[r] + 0.1 * at_random(&seed);
            /* What it has to come to: the same solve before anything else happens. */
            double *work = dv_alloc(problem_work_of(held[h]), sizeof *work);
            memcpy(alone[h], held[h]->lambda, held[h]->rows * sizeof(double));
            const bool good = problem_solve_again(held[h], holders[h].violation, alone[h], 5000, 1e-12, 0.0, work);
            if (good)
                assert_true(worst_error((const Problem *)held[h], &dense[h], holders[h].violation, alone[h]) < 1e-9);
            dv_free(work);
            assert_int_equal(pthread_create(&threads[h], NULL, solve_again, &holders[h]), 0);
        }
        for (int step = 0; step < 5; step++) {
            Dense other;
            Problem *next = random_problem(&pool, MOST_ROWS, all_kinds, MIXED, &other, &seed);
            for (int h = 0; h < HOLDERS; h++)
                assert_ptr_not_equal(held[h], &next->view);
            (void)solve(next, 1e-12);
        }
        for (int h = 0; h < HOLDERS; h++) {
            assert_int_equal(pthread_join(threads[h], NULL), 0);
            assert_memory_equal(holders[h].lambda, alone[h], held[h]->rows * sizeof(double));
            assert_true(hash_of(held[h]) == hash[h]);
        }
        for (int h = 0; h < HOLDERS; h++)
            problem_release(held[h]);
    }
    assert_int_equal(pool.count, 5); /* as many as were held at once, and the one of the step */
    problem_pool_free(&pool);
}

/* What somebody holds outlives the solver. */
static void a_held_problem_outlives_its_pool(void **state)
{
    (void)state;
    uint64_t seed = 17;
    ProblemPool pool = {0};
    Dense dense;
    assert_null(problem_take(&pool));
    (void)random_problem(&pool, MOST_ROWS, all_kinds, MIXED, &dense, &seed);
    const DvConstraintProblem *held = problem_take(&pool);
    const uint64_t hash = hash_of(held);
    problem_pool_free(&pool);
    assert_true(hash_of(held) == hash);
    problem_release(held);
}

static void problems_of_the_same_size_allocate_nothing(void **state)
{
    (void)state;
    ProblemPool pool = {0};
    Dense dense;
    uint64_t allocated = 0;
    for (int trial = 0; trial < 20; trial++) {
        uint64_t seed = 18; /* the same each time */
        if (trial == 3)
            allocated = dv_allocation_count();
        (void)random_problem(&pool, MOST_ROWS, all_kinds, MIXED, &dense, &seed);
        const DvConstraintProblem *held = problem_take(&pool);
        (void)random_problem(&pool, MOST_ROWS, all_kinds, MIXED, &dense, &seed);
        problem_release(held);
    }
    assert_int_equal(dv_allocation_count(), allocated);
    problem_pool_free(&pool);
}

/* Limits end it: sweeps, and a time that has passed. */
static void limits_end_a_solution(void **state)
{
    (void)state;
    uint64_t seed = 19;
    ProblemPool pool = {0};
    Dense dense;
    Problem *problem = random_problem(&pool, MOST_ROWS, all_kinds, FRICTION, &dense, &seed);
    double lambda[MOST_ROWS] = {0}, *work = dv_alloc(problem_work(problem), sizeof *work);
    assert_false(problem_solve_again(&problem->view, problem->violation, lambda, 1, 1e-12, 0.0, work));
    double late[MOST_ROWS] = {0};
    assert_false(problem_solve_again(&problem->view, problem->violation, late, 1000, 1e-12, 1e-9, work));
    assert_true(late[MOST_ROWS - 1] == 0.0); /* it did not get there */
    assert_false(problem_solve_again(&problem->view, problem->violation, lambda, 0, 1e-12, 0.0, work));
    assert_true(problem_solve_again(&problem->view, problem->violation, lambda, 5000, 1e-12, 0.0, work));
    dv_free(work);
    /* Nothing to solve is solved. */
    problem = random_problem(&pool, 0, 1u << PART_MATRIX, UNILATERAL, &dense, &seed);
    assert_true(solve(problem, 1e-12));
    problem_pool_free(&pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_are_the_dense_matrix),
        cmocka_unit_test(a_late_start_shows_where_forces_change),
        cmocka_unit_test(rows_side_by_side_have_the_bits_of_single_rows),
        cmocka_unit_test(sweeps_find_what_lemke_finds),
        cmocka_unit_test(sweeps_find_what_elimination_finds),
        cmocka_unit_test(converged_sweeps_fulfil_all_laws),
        cmocka_unit_test(problems_that_are_held_stay_and_are_solved_again),
        cmocka_unit_test(a_held_problem_outlives_its_pool),
        cmocka_unit_test(problems_of_the_same_size_allocate_nothing),
        cmocka_unit_test(limits_end_a_solution),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
