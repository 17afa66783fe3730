/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "problem_words.h"

#include "problem.h"

#include <divan/memory.h>

#include <string.h>

/* ---- Writing ---- */

typedef struct ProblemHead {
    uint64_t number;
    double dt, error, tolerance;
    uint32_t rows, block_count, part_count, moved_count, sweeps, converged, order, reserved;
} ProblemHead;

/* Of a part and of rows. */
typedef struct PartHead {
    double regularization;
    uint32_t count, columns, group, dense;
} PartHead;

typedef struct Writer {
    uint32_t *to; /* NULL: to be counted alone */
    size_t at;
} Writer;

static void put(Writer *w, const void *from, size_t bytes)
{
    if (w->to && bytes > 0)
        memcpy(w->to + w->at, from, bytes);
    w->at += bytes / 4;
}

static void put_rows(Writer *w, const DvSparseRows *rows)
{
    const uint32_t entries = rows->rows > 0 ? rows->row_start[rows->rows] : 0;
    put(w, &rows->rows, sizeof rows->rows);
    put(w, &entries, sizeof entries);
    if (rows->rows > 0)
        put(w, rows->row_start, ((size_t)rows->rows + 1) * sizeof *rows->row_start);
    put(w, rows->columns, entries * sizeof *rows->columns);
    put(w, rows->values, entries * sizeof *rows->values);
}

static void put_part(Writer *w, const DvComplianceBlock *part)
{
    const PartHead head = {part->regularization, part->count, part->columns, part->group, part->w != NULL};
    put(w, &head, sizeof head);
    put(w, part->row, part->count * sizeof *part->row);
    if (part->w)
        put(w, part->w, (size_t)part->count * part->count * sizeof *part->w);
    else {
        put_rows(w, &part->left);
        put_rows(w, &part->right);
    }
}

static void put_moved(Writer *w, const DvCorrectionRows *moved)
{
    put(w, &moved->state_count, sizeof moved->state_count);
    put(w, moved->first, ((size_t)moved->state_count + 1) * sizeof *moved->first);
    put_rows(w, &moved->j);
    put(w, moved->row, moved->j.rows * sizeof *moved->row);
}

static size_t write_words(const DvConstraintProblem *problem, uint32_t *words)
{
    Writer w = {.to = words};
    const ProblemHead head = {.number = problem->number,
                              .dt = problem->dt,
                              .error = problem->error,
                              .tolerance = problem->tolerance,
                              .rows = problem->rows,
                              .block_count = problem->block_count,
                              .part_count = problem->part_count,
                              .moved_count = problem->moved_count,
                              .sweeps = problem->sweeps,
                              .converged = problem->converged,
                              .order = (uint32_t)problem->order};
    size_t diagonal = 0;
    put(&w, &head, sizeof head);
    for (uint32_t b = 0; b < problem->block_count; b++) {
        if (problem->blocks[b].law == DV_LAW_OWN)
            return 0;
        diagonal += (size_t)problem->blocks[b].rows * problem->blocks[b].rows;
    }
    put(&w, problem->blocks, problem->block_count * sizeof *problem->blocks);
    put(&w, problem->violation, problem->rows * sizeof(double));
    put(&w, problem->lambda, problem->rows * sizeof(double));
    put(&w, problem->regularization, problem->rows * sizeof(double));
    put(&w, problem->diagonal, diagonal * sizeof(double));
    for (uint32_t p = 0; p < problem->part_count; p++)
        put_part(&w, &problem->parts[p]);
    for (uint32_t m = 0; m < problem->moved_count; m++)
        put_moved(&w, &problem->moved[m]);
    return w.at;
}

/* ---- Reading: words may come from a file that something else has written ---- */

typedef struct Reader {
    const uint32_t *from;
    size_t at, count;
    Problem *problem;
    bool wrong;
} Reader;

static void get(Reader *r, void *to, size_t bytes)
{
    if (r->wrong || bytes / 4 > r->count - r->at) {
        r->wrong = true;
        memset(to, 0, bytes);
        return;
    }
    memcpy(to, r->from + r->at, bytes);
    r->at += bytes / 4;
}

/* In the memory of the problem; NULL when there are not so many. */
static void *get_array(Reader *r, size_t count, size_t size)
{
    if (r->wrong || (count > 0 && count > 4 * (r->count - r->at) / size)) {
        r->wrong = true;
        return NULL;
    }
    void *to = problem_alloc(r->problem, count * size + 8);
    if (count > 0)
        get(r, to, count * size);
    return to;
}

static uint32_t get_number(Reader *r)
{
    uint32_t number;
    get(r, &number, sizeof number);
    return number;
}

static void expect(Reader *r, bool good)
{
    r->wrong = r->wrong || !good;
}

/* Numbers of rows, ascending. */
static const uint32_t *get_row_numbers(Reader *r, uint32_t count, uint32_t rows)
{
    const uint32_t *row = get_array(r, count, sizeof *row);
    for (uint32_t i = 0; !r->wrong && i < count; i++)
        expect(r, row[i] < rows && (i == 0 || row[i] > row[i - 1]));
    return row;
}

static DvSparseRows get_rows(Reader *r, size_t columns)
{
    DvSparseRows rows = {.rows = get_number(r)};
    const uint32_t entries = get_number(r);
    if (rows.rows > 0)
        rows.row_start = get_array(r, (size_t)rows.rows + 1, sizeof *rows.row_start);
    else
        expect(r, entries == 0);
    rows.columns = get_array(r, entries, sizeof *rows.columns);
    rows.values = get_array(r, entries, sizeof *rows.values);
    for (uint32_t i = 0; !r->wrong && i < rows.rows; i++)
        expect(r, rows.row_start[i] <= rows.row_start[i + 1]);
    if (!r->wrong && rows.rows > 0)
        expect(r, rows.row_start[0] == 0 && rows.row_start[rows.rows] == entries);
    for (uint32_t e = 0; !r->wrong && e < entries; e++)
        expect(r, rows.columns[e] < columns);
    return rows;
}

static void get_blocks(Reader *r, const ProblemHead *head, size_t *diagonal)
{
    DvConstraintBlock *blocks = get_array(r, head->block_count, sizeof *blocks);
    size_t next = 0;
    *diagonal = 0;
    for (uint32_t b = 0; !r->wrong && b < head->block_count; b++) {
        blocks[b].own = NULL;
        expect(r, blocks[b].first == next && blocks[b].rows > 0 && blocks[b].law < DV_LAW_OWN);
        const bool of_contact = blocks[b].law == DV_LAW_FRICTION || blocks[b].law == DV_LAW_AUGMENTED;
        expect(r, !of_contact || blocks[b].rows == 3);
        next += blocks[b].rows;
        *diagonal += (size_t)blocks[b].rows * blocks[b].rows;
    }
    expect(r, next == head->rows);
    r->problem->blocks = blocks;
}

static void get_part(Reader *r, uint32_t rows, DvComplianceBlock *part)
{
    PartHead head;
    get(r, &head, sizeof head);
    *part = (DvComplianceBlock){
        .count = head.count, .columns = head.columns, .group = head.group, .regularization = head.regularization};
    part->row = get_row_numbers(r, head.count, rows);
    if (head.dense) {
        expect(r, head.count <= rows);
        part->w = get_array(r, r->wrong ? 0 : (size_t)head.count * head.count, sizeof *part->w);
        return;
    }
    part->left = get_rows(r, head.columns);
    part->right = get_rows(r, head.columns);
    expect(r, part->left.rows == head.count && part->right.rows == head.count && head.count > 0);
    expect(r, head.group > 0 && head.group <= 64 && head.columns <= 4 * r->count + 64);
}

static void get_moved(Reader *r, uint32_t rows, DvCorrectionRows *moved)
{
    const uint32_t states = get_number(r);
    size_t *first = get_array(r, (size_t)states + 1, sizeof *first);
    for (uint32_t s = 0; !r->wrong && s < states; s++)
        expect(r, first[s] <= first[s + 1]);
    const DvSparseRows j = get_rows(r, r->wrong ? 0 : first[states]);
    *moved = (DvCorrectionRows){.first = first, .state_count = states, .j = j};
    moved->row = get_row_numbers(r, j.rows, rows);
}

static void get_numbers(Reader *r, const ProblemHead *head)
{
    Problem *problem = r->problem;
    DvConstraintProblem *view = &problem->view;
    size_t count;
    *view = (DvConstraintProblem){.number = head->number,
                                  .rows = head->rows,
                                  .block_count = head->block_count,
                                  .part_count = head->part_count,
                                  .dt = head->dt,
                                  .sweeps = head->sweeps,
                                  .error = head->error,
                                  .tolerance = head->tolerance,
                                  .converged = head->converged != 0,
                                  .order = head->order ? DV_CONSTRAIN_VELOCITY : DV_CONSTRAIN_POSITION,
                                  .moved_count = head->moved_count};
    get_blocks(r, head, &count);
    problem->violation = get_array(r, head->rows, sizeof(double));
    problem->lambda = get_array(r, head->rows, sizeof(double));
    problem->regularization = get_array(r, head->rows, sizeof(double));
    const double *diagonal = get_array(r, count, sizeof *diagonal);
    expect(r, head->part_count <= r->count && head->moved_count <= r->count && head->rows <= r->count);
    problem->parts = problem_alloc(problem, r->wrong ? 1 : (head->part_count + 1) * sizeof *problem->parts);
    for (uint32_t p = 0; !r->wrong && p < head->part_count; p++)
        get_part(r, head->rows, &problem->parts[p]);
    DvCorrectionRows *moved = problem_alloc(problem, r->wrong ? 1 : (head->moved_count + 1) * sizeof *moved);
    for (uint32_t m = 0; !r->wrong && m < head->moved_count; m++)
        get_moved(r, head->rows, &moved[m]);
    view->moved = moved;
    if (r->wrong)
        return;
    problem_finish(problem);
    if (count > 0)
        memcpy(problem->diagonal, diagonal, count * sizeof *diagonal); /* as it was summed */
}

static const DvConstraintProblem *read_words(const uint32_t *words, size_t count)
{
    ProblemPool pool = {0};
    Reader r = {.from = words, .count = count, .problem = problem_begin(&pool)};
    ProblemHead head;
    get(&r, &head, sizeof head);
    if (!r.wrong)
        get_numbers(&r, &head);
    dv_free(pool.problems);
    if (!r.wrong)
        return &r.problem->view;
    problem_release(&r.problem->view);
    return NULL;
}

const DvProblemWordsOps problem_words_ops = {
    .size = sizeof problem_words_ops, .write = write_words, .read = read_words};
