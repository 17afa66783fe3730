/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "problem.h"

#include "law.h"

#include <divan/memory.h>

#include <string.h>

/* ---- Memory: chunks that are kept from step to step ---- */

enum { CHUNK_BYTES = 1 << 16, ALIGNMENT = 64, ROWS_AT_ONCE = 4 };

struct ProblemChunk {
    struct ProblemChunk *next;
    size_t bytes;
    unsigned char *at;
};

static void chunks_free(struct ProblemChunk *chunk)
{
    while (chunk) {
        struct ProblemChunk *next = chunk->next;
        dv_free(chunk->at);
        dv_free(chunk);
        chunk = next;
    }
}

/* Behind the one in use, which is full: chunks grow, so that there are few, as long as there is room for that. */
static struct ProblemChunk *chunk_new(const struct ProblemChunk *full, size_t bytes)
{
    struct ProblemChunk *chunk = dv_alloc(1, sizeof *chunk);
    size_t least = full ? 2 * full->bytes : CHUNK_BYTES;
    if (bytes < least && !dv_memory_has_room((double)least))
        least = CHUNK_BYTES;
    chunk->bytes = bytes > least ? bytes : least;
    chunk->at = dv_alloc(chunk->bytes, 1);
    return chunk;
}

bool problem_has_room(const Problem *problem, const DvObject *object, size_t bytes)
{
    const struct ProblemChunk *chunk = problem->chunk ? problem->chunk : problem->chunks;
    size_t used = problem->chunk ? problem->chunk_used : 0;
    for (; chunk; chunk = chunk->next, used = 0)
        if (chunk->bytes - used >= bytes + ALIGNMENT)
            return true;
    return dv_memory_ask(object, (double)bytes, "the compliance of %u constraints", problem->view.rows) == DV_OK;
}

void *problem_alloc(Problem *problem, size_t bytes)
{
    bytes = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    while (!problem->chunk || problem->chunk_used + bytes > problem->chunk->bytes) {
        struct ProblemChunk **next = problem->chunk ? &problem->chunk->next : &problem->chunks;
        if (!*next)
            *next = chunk_new(problem->chunk, bytes);
        problem->chunk = *next;
        problem->chunk_used = 0;
    }
    void *at = problem->chunk->at + problem->chunk_used;
    problem->chunk_used += bytes;
    return at;
}

static void empty(Problem *problem)
{
    memset(&problem->view, 0, sizeof problem->view);
    problem->chunk = NULL;
    problem->chunk_used = 0;
    problem->running = problem->factors = 0;
    problem->most_rows = 0;
}

static void problem_free(Problem *problem)
{
    chunks_free(problem->chunks);
    dv_free(problem);
}

/* ---- Who holds it ---- */

Problem *problem_begin(ProblemPool *pool)
{
    uint32_t free_one = 0;
    while (free_one < pool->count && atomic_load(&pool->problems[free_one]->holders) > 1)
        free_one++;
    if (free_one == pool->count) {
        pool->problems = dv_realloc(pool->problems, pool->count * sizeof *pool->problems,
                                    ((size_t)pool->count + 1) * sizeof *pool->problems);
        pool->problems[pool->count] = dv_alloc(1, sizeof **pool->problems);
        atomic_init(&pool->problems[pool->count++]->holders, 1);
    }
    pool->current = pool->problems[free_one];
    empty(pool->current);
    pool->current->view.number = ++pool->number;
    return pool->current;
}

void problem_pool_free(ProblemPool *pool)
{
    for (uint32_t i = 0; i < pool->count; i++)
        problem_release(&pool->problems[i]->view);
    dv_free(pool->problems);
    *pool = (ProblemPool){0};
}

const DvConstraintProblem *problem_take(ProblemPool *pool)
{
    if (!pool->current)
        return NULL;
    atomic_fetch_add(&pool->current->holders, 1);
    return &pool->current->view;
}

void problem_release(const DvConstraintProblem *view)
{
    Problem *problem = (Problem *)view; /* view is its first member */
    if (atomic_fetch_sub(&problem->holders, 1) == 1)
        problem_free(problem);
}

/* ---- Finishing ---- */

/* Numbers of columns anew; entries whose group has none go. */
static DvSparseRows renumbered(Problem *problem, const DvSparseRows *rows, const uint32_t *number, uint32_t group)
{
    const uint32_t entries = rows->row_start[rows->rows];
    uint32_t *start = problem_alloc(problem, ((size_t)rows->rows + 1) * sizeof *start), kept = 0;
    uint32_t *columns = problem_alloc(problem, entries * sizeof *columns);
    double *values = problem_alloc(problem, entries * sizeof *values);
    start[0] = 0;
    for (uint32_t r = 0; r < rows->rows; r++) {
        for (uint32_t e = rows->row_start[r]; e < rows->row_start[r + 1]; e++) {
            const uint32_t at = number[rows->columns[e] / group];
            if (at == UINT32_MAX)
                continue;
            columns[kept] = at * group + rows->columns[e] % group;
            values[kept++] = rows->values[e];
        }
        start[r + 1] = kept;
    }
    return (DvSparseRows){rows->rows, start, columns, values};
}

/* Columns of factors by whole groups that some left row has an entry in, numbered anew. */
static void drop_unused_columns(Problem *problem, DvComplianceBlock *part)
{
    const uint32_t group = part->group, groups = (part->columns + group - 1) / group;
    uint32_t *number = problem_alloc(problem, groups * sizeof *number);
    memset(number, 0, groups * sizeof *number);
    const uint32_t entries = part->left.row_start[part->count];
    for (uint32_t e = 0; e < entries; e++)
        number[part->left.columns[e] / group] = 1;
    uint32_t used = 0;
    for (uint32_t g = 0; g < groups; g++)
        number[g] = number[g] > 0 ? used++ : UINT32_MAX;
    const bool shared = part->left.columns == part->right.columns;
    uint32_t *columns = problem_alloc(problem, entries * sizeof *columns);
    for (uint32_t e = 0; e < entries; e++)
        columns[e] = number[part->left.columns[e] / group] * group + part->left.columns[e] % group;
    part->left.columns = columns;
    if (shared)
        part->right.columns = columns;
    else
        part->right = renumbered(problem, &part->right, number, group);
    part->columns = used * group;
}

static double product(const DvComplianceBlock *part, uint32_t i, uint32_t j)
{
    if (part->w)
        return part->w[(size_t)i * part->count + j];
    double sum = 0.0;
    uint32_t a = part->left.row_start[i], b = part->right.row_start[j];
    const uint32_t a_end = part->left.row_start[i + 1], b_end = part->right.row_start[j + 1];
    while (a < a_end && b < b_end) {
        if (part->left.columns[a] < part->right.columns[b])
            a++;
        else if (part->left.columns[a] > part->right.columns[b])
            b++;
        else
            sum += part->left.values[a++] * part->right.values[b++];
    }
    return sum;
}

static void place_rows(Problem *problem)
{
    const uint32_t rows = problem->view.rows;
    uint32_t *start = problem_alloc(problem, ((size_t)rows + 2) * sizeof *start), total = 0;
    memset(start, 0, ((size_t)rows + 2) * sizeof *start);
    for (uint32_t p = 0; p < problem->view.part_count; p++) {
        total += problem->parts[p].count;
        for (uint32_t i = 0; i < problem->parts[p].count; i++)
            start[problem->parts[p].row[i] + 2]++;
    }
    problem->uses = problem_alloc(problem, total * sizeof *problem->uses);
    for (uint32_t r = 0; r < rows; r++)
        start[r + 2] += start[r + 1];
    for (uint32_t p = 0; p < problem->view.part_count; p++)
        for (uint32_t i = 0; i < problem->parts[p].count; i++)
            problem->uses[start[problem->parts[p].row[i] + 1]++] = (RowUse){p, i};
    problem->use_start = start;
}

/* How many groups of three columns the rows r, r + 1 and r + 2 share; 0: their columns differ, or do not come in threes. */
static uint32_t threes_of_rows(const DvSparseRows *rows, uint32_t r)
{
    const uint32_t *columns = rows->columns + rows->row_start[r], n = rows->row_start[r + 1] - rows->row_start[r];
    for (uint32_t next = r + 1; next < r + 3; next++)
        if (rows->row_start[next + 1] - rows->row_start[next] != n ||
            memcmp(rows->columns + rows->row_start[next], columns, n * sizeof *columns) != 0)
            return 0;
    if (n % 3 != 0)
        return 0;
    for (uint32_t e = 0; e < n; e += 3)
        if (columns[e + 1] != columns[e] + 1 || columns[e + 2] != columns[e] + 2)
            return 0;
    return n / 3;
}

/* The same of a block of three rows in all its parts. */
static uint32_t threes_of_block(const Problem *problem, const DvConstraintBlock *block)
{
    if (block->rows != 3)
        return 0;
    const uint32_t *start = problem->use_start + block->first, uses = start[1] - start[0];
    if (start[2] - start[1] != uses || start[3] - start[2] != uses)
        return 0;
    uint32_t threes = 0;
    for (uint32_t u = 0; u < uses; u++) {
        const RowUse first = problem->uses[start[0] + u];
        const DvComplianceBlock *part = &problem->parts[first.part];
        for (uint32_t i = 1; i < 3; i++) {
            const RowUse use = problem->uses[start[i] + u];
            if (use.part != first.part || use.at != first.at + i)
                return 0;
        }
        const uint32_t n = part->w ? 0 : threes_of_rows(&part->left, first.at);
        if (n == 0 || threes_of_rows(&part->right, first.at) != n ||
            memcmp(part->left.columns + part->left.row_start[first.at],
                   part->right.columns + part->right.row_start[first.at], 3 * n * sizeof(uint32_t)) != 0)
            return 0;
        threes += n;
    }
    return threes;
}

static void write_threes(const Problem *problem, const DvConstraintBlock *block, ThreeColumns *to)
{
    for (uint32_t u = problem->use_start[block->first]; u < problem->use_start[block->first + 1]; u++) {
        const DvComplianceBlock *part = &problem->parts[problem->uses[u].part];
        const uint32_t at = problem->uses[u].at, n = part->left.row_start[at + 1] - part->left.row_start[at];
        for (uint32_t e = 0; e < n; e += 3, to++) {
            memset(to, 0, sizeof *to);
            to->at = problem->running_at[problem->uses[u].part] + part->left.columns[part->left.row_start[at] + e];
            to->last = e + 3 == n;
            for (uint32_t row = 0; row < 3; row++)
                for (uint32_t k = 0; k < 3; k++) {
                    to->left[k][row] = part->left.values[part->left.row_start[at + row] + e + k];
                    to->right[row][k] = part->right.values[part->right.row_start[at + row] + e + k];
                }
        }
    }
}

static void place_threes(Problem *problem)
{
    const uint32_t blocks = problem->view.block_count;
    problem->three_start = problem_alloc(problem, ((size_t)blocks + 1) * sizeof *problem->three_start);
    problem->three_start[0] = 0;
    for (uint32_t b = 0; b < blocks; b++)
        problem->three_start[b + 1] = problem->three_start[b] + threes_of_block(problem, &problem->blocks[b]);
    problem->threes = problem_alloc(problem, problem->three_start[blocks] * sizeof *problem->threes);
    for (uint32_t b = 0; b < blocks; b++)
        if (problem->three_start[b + 1] > problem->three_start[b])
            write_threes(problem, &problem->blocks[b], problem->threes + problem->three_start[b]);
}

/* W between two rows. */
static double entry(const Problem *problem, uint32_t r, uint32_t s)
{
    double sum = r == s ? problem->regularization[r] : 0.0;
    for (uint32_t a = problem->use_start[r]; a < problem->use_start[r + 1]; a++)
        for (uint32_t b = problem->use_start[s]; b < problem->use_start[s + 1]; b++)
            if (problem->uses[a].part == problem->uses[b].part)
                sum += product(&problem->parts[problem->uses[a].part], problem->uses[a].at, problem->uses[b].at);
    return sum;
}

void problem_finish(Problem *problem)
{
    DvConstraintProblem *view = &problem->view;
    problem->running_at = problem_alloc(problem, view->part_count * sizeof *problem->running_at);
    for (uint32_t p = 0; p < view->part_count; p++) {
        if (problem->parts[p].group == 0)
            problem->parts[p].group = 1;
        if (!problem->parts[p].w)
            drop_unused_columns(problem, &problem->parts[p]);
        problem->running_at[p] = problem->running;
        problem->running += problem->parts[p].w ? problem->parts[p].count : problem->parts[p].columns;
    }
    place_rows(problem);
    place_threes(problem);
    problem->diagonal_at = problem_alloc(problem, view->block_count * sizeof *problem->diagonal_at);
    for (uint32_t b = 0; b < view->block_count; b++) {
        problem->diagonal_at[b] = problem->factors;
        problem->factors += (size_t)problem->blocks[b].rows * problem->blocks[b].rows;
        if (problem->blocks[b].rows > problem->most_rows)
            problem->most_rows = problem->blocks[b].rows;
    }
    problem->diagonal = problem_alloc(problem, problem->factors * sizeof *problem->diagonal);
    for (uint32_t b = 0; b < view->block_count; b++) {
        const DvConstraintBlock *block = &problem->blocks[b];
        double *w = problem->diagonal + problem->diagonal_at[b];
        for (uint32_t i = 0; i < block->rows; i++)
            for (uint32_t j = 0; j < block->rows; j++)
                w[i * block->rows + j] = entry(problem, block->first + i, block->first + j);
    }
    view->blocks = problem->blocks;
    view->violation = problem->violation;
    view->lambda = problem->lambda;
    view->diagonal = problem->diagonal;
    view->regularization = problem->regularization;
    view->parts = problem->parts;
}

void problem_dense(const Problem *problem, double *w)
{
    const size_t n = problem->view.rows;
    memset(w, 0, n * n * sizeof *w);
    for (uint32_t p = 0; p < problem->view.part_count; p++) {
        const DvComplianceBlock *part = &problem->parts[p];
        for (uint32_t i = 0; i < part->count; i++)
            for (uint32_t j = 0; j < part->count; j++)
                w[part->row[i] * n + part->row[j]] += product(part, i, j);
    }
    for (size_t r = 0; r < n; r++)
        w[r * n + r] += problem->regularization[r];
}

void problem_regularize(Problem *problem, uint32_t row, double term)
{
    uint32_t low = 0, high = problem->view.block_count; /* the block of the row is in between */
    while (high - low > 1) {
        const uint32_t middle = (low + high) / 2;
        if (problem->blocks[middle].first <= row)
            low = middle;
        else
            high = middle;
    }
    const DvConstraintBlock *block = &problem->blocks[low];
    problem->diagonal[problem->diagonal_at[low] + (size_t)(row - block->first) * (block->rows + 1)] += term;
    problem->regularization[row] += term;
}

/* ---- Solutions ---- */

size_t problem_work(const Problem *problem)
{
    return problem->running + problem->factors + 2 * (size_t)problem->most_rows;
}

double solution_row(const Solution *s, uint32_t row)
{
    const Problem *problem = s->problem;
    double sum = problem->regularization[row] * s->lambda[row];
    for (uint32_t u = problem->use_start[row]; u < problem->use_start[row + 1]; u++) {
        const RowUse use = problem->uses[u];
        const DvComplianceBlock *part = &problem->parts[use.part];
        const double *running = s->running + problem->running_at[use.part];
        double d = 0.0;
        if (part->w) {
            const double *w = part->w + (size_t)use.at * part->count;
            for (uint32_t k = 0; k < part->count; k++)
                d += w[k] * running[k];
        } else {
            const uint32_t end = part->left.row_start[use.at + 1];
            for (uint32_t e = part->left.row_start[use.at]; e < end; e++)
                d += part->left.values[e] * running[part->left.columns[e]];
        }
        sum += d;
    }
    return sum;
}

/* How many parts a row has entries in. */
static uint32_t row_uses(const Problem *problem, uint32_t row)
{
    return problem->use_start[row + 1] - problem->use_start[row];
}

/* Whether `count` rows have entries in the same parts, all of them matrices. */
static bool rows_are_alike(const Problem *problem, uint32_t row, uint32_t count)
{
    const RowUse *uses = problem->uses + problem->use_start[row];
    const uint32_t number = row_uses(problem, row);
    for (uint32_t u = 0; u < number; u++)
        if (!problem->parts[uses[u].part].w)
            return false;
    for (uint32_t i = 1; i < count; i++) {
        const RowUse *others = problem->uses + problem->use_start[row + i];
        if (row_uses(problem, row + i) != number)
            return false;
        for (uint32_t u = 0; u < number; u++)
            if (others[u].part != uses[u].part)
                return false;
    }
    return true;
}

/* Sums wait for their last product, those of several rows do not wait for each other. */
static void add_rows_at_once(const Solution *s, uint32_t row, uint32_t count, double *out)
{
    const Problem *problem = s->problem;
    const uint32_t number = row_uses(problem, row);
    for (uint32_t u = 0; u < number; u++) {
        const uint32_t p = problem->uses[problem->use_start[row] + u].part;
        const DvComplianceBlock *part = &problem->parts[p];
        const double *running = s->running + problem->running_at[p], *w[ROWS_AT_ONCE];
        for (uint32_t i = 0; i < ROWS_AT_ONCE; i++) { /* those that are not asked for stand for the last */
            const uint32_t of = problem->use_start[row + (i < count ? i : count - 1)] + u;
            w[i] = part->w + (size_t)problem->uses[of].at * part->count;
        }
        double d0 = 0.0, d1 = 0.0, d2 = 0.0, d3 = 0.0;
        for (uint32_t k = 0; k < part->count; k++) {
            d0 += w[0][k] * running[k];
            d1 += w[1][k] * running[k];
            d2 += w[2][k] * running[k];
            d3 += w[3][k] * running[k];
        }
        const double d[ROWS_AT_ONCE] = {d0, d1, d2, d3};
        for (uint32_t i = 0; i < count; i++)
            out[i] += d[i];
    }
}

void solution_rows(const Solution *s, uint32_t first, uint32_t count, double *out)
{
    for (uint32_t begin = 0; begin < count; begin += ROWS_AT_ONCE) {
        const uint32_t rest = count - begin, some = rest < ROWS_AT_ONCE ? rest : ROWS_AT_ONCE, row = first + begin;
        const bool alike = some > 1 && rows_are_alike(s->problem, row, some);
        for (uint32_t i = 0; i < some; i++)
            out[begin + i] =
                alike ? s->problem->regularization[row + i] * s->lambda[row + i] : solution_row(s, row + i);
        if (alike)
            add_rows_at_once(s, row, some, out + begin);
    }
}

/* The start of lambda shows at the point of a column. */
static void touch(Solution *s, uint32_t p, uint32_t column)
{
    const uint32_t group = s->problem->parts[p].group;
    const size_t first = s->problem->running_at[p] + column / group * group;
    for (uint32_t k = 0; k < group; k++) {
        s->running[first + k] += s->late[first + k];
        s->late[first + k] = 0.0;
    }
}

void solution_add(Solution *s, uint32_t row, double delta)
{
    const Problem *problem = s->problem;
    for (uint32_t u = problem->use_start[row]; u < problem->use_start[row + 1]; u++) {
        const RowUse use = problem->uses[u];
        const DvComplianceBlock *part = &problem->parts[use.part];
        double *running = s->running + problem->running_at[use.part];
        if (part->w) {
            running[use.at] += delta;
            continue;
        }
        const uint32_t end = part->right.row_start[use.at + 1];
        for (uint32_t e = part->right.row_start[use.at]; e < end; e++) {
            if (s->late)
                touch(s, use.part, part->right.columns[e]);
            running[part->right.columns[e]] += delta * part->right.values[e];
        }
    }
}

void solution_sum_up(Solution *s)
{
    memset(s->running, 0, s->problem->running * sizeof *s->running);
    for (uint32_t r = 0; r < s->problem->view.rows; r++)
        if (s->lambda[r] != 0.0)
            solution_add(s, r, s->lambda[r]);
}

void solution_product(const Solution *s, double *x, double *out)
{
    Solution of_x = *s;
    of_x.lambda = x;
    solution_sum_up(&of_x);
    solution_rows(&of_x, 0, s->problem->view.rows, out);
}

Solution solution_begin(const Problem *problem, const double *violation, double *lambda, double *work)
{
    Solution s = {.problem = problem,
                  .violation = violation,
                  .lambda = lambda,
                  .running = work,
                  .factors = work + problem->running,
                  .scratch = work + problem->running + problem->factors};
    for (uint32_t b = 0; b < problem->view.block_count; b++)
        law_factor(&problem->blocks[b], problem->diagonal + problem->diagonal_at[b],
                   s.factors + problem->diagonal_at[b], s.scratch);
    solution_sum_up(&s);
    return s;
}

Solution solution_begin_late(const Problem *problem, const double *violation, double *lambda, double *work,
                             double *late)
{
    Solution s = solution_begin(problem, violation, lambda, work);
    memcpy(late, s.running, problem->running * sizeof *late);
    for (uint32_t p = 0; p < problem->view.part_count; p++)
        if (!problem->parts[p].w)
            memset(s.running + problem->running_at[p], 0, problem->parts[p].columns * sizeof *s.running);
    s.late = late;
    return s;
}

size_t problem_work_of(const DvConstraintProblem *problem)
{
    return problem_work((const Problem *)problem);
}

bool problem_solve_again(const DvConstraintProblem *view, const double *violation, double *lambda, uint32_t sweeps,
                         double tolerance, double deadline, double *work)
{
    Solution s = solution_begin((const Problem *)view, violation, lambda, work);
    return solution_solve(&s, sweeps, tolerance, deadline);
}
