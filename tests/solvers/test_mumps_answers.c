/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The plugin divan.mumps and what MUMPS may answer (its Users' Guide 5.5, sections 5 to 7): this program has a function dmumps_c of its own in the
 * place of the library's, which keeps what it is asked and answers as the test says. test_direct_solvers.c has the true one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scene_text.h"

#include <divan/contracts/sparse_direct.h>
#include <divan/divan.h>
#include <divan/memory.h>
#include <divan/plugin.h>

#include <dmumps_c.h>
#include <string.h>
#include <sys/mman.h>

enum { BEGIN = -1, END = -2, ANALYSE = 1, FACTORIZE = 2, SOLVE = 3, JOBS = 6, CALLS = 32, N = 60 };

typedef struct Answer {
    int error, more; /* INFOG(1), INFOG(2) */
} Answer;

static struct Library {
    Answer answers[JOBS][CALLS];    /* of the calls of job k - 2, from the first one on */
    int calls[JOBS];                /* so far */
    int megabytes;                  /* INFOG(16) */
    int dependent, first_dependent; /* INFOG(28), PIVNUL_LIST(1) */
    int entries, moved;             /* INFOG(29), INFOG(12) */
    double operations;              /* RINFOG(3) */
    int room[CALLS];                /* ICNTL(14) of each factorization */
    double *rhs[CALLS]; /* of each solution, with its numbers of right-hand sides and of rows, and ICNTL(9) */
    int nrhs[CALLS], lrhs[CALLS], straight[CALLS];
    DMUMPS_STRUC_C last; /* as it was given to the last call but END */
} library;

/* What MUMPS sets when it begins. */
static void set_defaults(DMUMPS_STRUC_C *mumps)
{
    static const int defaults[] = {6, 0, 6, 2, 0, 7, 7, 77, 1, 0, 0, 1, 0, 20};
    memset(mumps->icntl, 0, sizeof mumps->icntl);
    memcpy(mumps->icntl, defaults, sizeof defaults);
}

__attribute__((visibility("default"))) void dmumps_c(DMUMPS_STRUC_C *mumps)
{
    static int dependent[1];
    const int job = mumps->job + 2, call = library.calls[job]++;
    mumps->infog[0] = library.answers[job][call].error;
    mumps->infog[1] = library.answers[job][call].more;
    if (mumps->job != END)
        library.last = *mumps;
    if (mumps->job == BEGIN)
        set_defaults(mumps);
    if (mumps->job == ANALYSE)
        mumps->infog[15] = library.megabytes;
    if (mumps->job == FACTORIZE) {
        library.room[call] = mumps->icntl[13];
        dependent[0] = library.first_dependent;
        mumps->pivnul_list = dependent;
        mumps->infog[11] = library.moved;
        mumps->infog[27] = library.dependent;
        mumps->infog[28] = library.entries;
        mumps->rinfog[2] = library.operations;
    }
    if (mumps->job == SOLVE) {
        library.rhs[call] = mumps->rhs;
        library.nrhs[call] = mumps->nrhs;
        library.lrhs[call] = mumps->lrhs;
        library.straight[call] = mumps->icntl[8];
    }
}

/* ---- A matrix of N unknowns: the diagonal, and entry (row, row + 1) ---- */

static uint32_t begin[N + 1], columns[2 * N - 1], order[N];
static double values[2 * N - 1];
static const DvSparseRows matrix = {N, begin, columns, values};
static const DvSparseDirectOps *lu;
static DvText said;

static int start(void **state)
{
    if (start_plugins(state) != 0)
        return -1;
    lu = dv_sparse_direct_of(DV_SPARSE_LU);
    for (uint32_t row = 0, e = 0; row < N; row++) {
        columns[e] = row, values[e++] = 2.0;
        if (row + 1 < N)
            columns[e] = row + 1, values[e++] = 1.0;
        begin[row + 1] = e;
        order[row] = (row + 7) % N;
    }
    return lu != NULL ? 0 : -1;
}

static void keep(const DvMessage *message, void *context)
{
    (void)context;
    dv_text_add(&said, "%s\n", message->text);
}

static DvSparseFactor *new_factor(void)
{
    memset(&library, 0, sizeof library);
    dv_log_set_handler(keep, NULL);
    DvSparseFactor *factor = lu->open(NULL);
    assert_int_equal(library.calls[BEGIN + 2], 1);
    return factor;
}

static void end_factor(DvSparseFactor *factor)
{
    lu->close(factor);
    assert_int_equal(library.calls[END + 2], 1);
    dv_log_set_handler(NULL, NULL);
    dv_text_free(&said);
}

static void expect_said(const char *part)
{
    const char *at = said.at != NULL ? said.at : "";
    if (part == NULL ? *at != '\0' : strstr(at, part) == NULL)
        fail_msg("it says '%s', not '%s'", at, part != NULL ? part : "");
    dv_text_free(&said);
}

/* ---- Tests ---- */

static void it_begins_silent_and_unsymmetric(void **state)
{
    (void)state;
    DvSparseFactor *factor = new_factor();
    assert_true(library.last.par == 1 && library.last.sym == 0 && library.last.comm_fortran == -987654);
    assert_int_equal(lu->analyse(factor, &matrix, order), DV_OK);
    const int *icntl = library.last.icntl;
    assert_true(icntl[0] < 0 && icntl[1] < 0 && icntl[2] < 0 && icntl[3] == 0); /* nothing is printed */
    assert_int_equal(icntl[5], 0);                                              /* columns stay where they are */
    assert_int_equal(icntl[7], 1);                                              /* scaled by the diagonal */
    assert_int_equal(icntl[23], 1);                                             /* pivots that are zero are found */
    end_factor(factor);
    lu->close(NULL);
    assert_int_equal(library.calls[END + 2], 1);
}

static void the_pattern_is_counted_from_one(void **state)
{
    (void)state;
    DvSparseFactor *factor = new_factor();
    assert_int_equal(lu->analyse(factor, &matrix, order), DV_OK);
    const DMUMPS_STRUC_C *mumps = &library.last;
    assert_true(mumps->n == N && mumps->nnz == 2 * N - 1);
    for (int row = 0; row < N; row++)
        for (uint32_t e = begin[row]; e < begin[row + 1]; e++)
            assert_true(mumps->irn[e] == row + 1 && mumps->jcn[e] == (int)columns[e] + 1);
    assert_int_equal(mumps->icntl[6], 1); /* the order is given: the place of each unknown */
    for (int k = 0; k < N; k++)
        assert_int_equal(mumps->perm_in[order[k]], k + 1);
    assert_int_equal(lu->factorize(factor, &matrix, &(uint32_t){0}), DV_OK);
    assert_true(library.last.a == values);
    assert_int_equal(lu->analyse(factor, &matrix, NULL), DV_OK);
    assert_int_equal(library.last.icntl[6], 7); /* MUMPS's own */
    assert_null(library.last.perm_in);
    end_factor(factor);
}

/* Room for delayed pivots is doubled from 20 per cent on, kept for the next factorization and given back at the next analysis. */
static void it_asks_for_more_room_while_there_is_too_little(void **state)
{
    (void)state;
    DvSparseFactor *factor = new_factor();
    uint32_t failed;
    const Answer too_little[] = {{-8, 5}, {-9, 5}, {-9, 5}, {0, 0}, {-9, 5}, {0, 0}, {0, 0}};
    memcpy(library.answers[FACTORIZE + 2], too_little, sizeof too_little);
    static const int room[] = {20, 40, 80, 160, 160, 320, 20};
    assert_int_equal(lu->analyse(factor, &matrix, order), DV_OK);
    assert_int_equal(lu->factorize(factor, &matrix, &failed), DV_OK);
    assert_int_equal(library.calls[FACTORIZE + 2], 4);
    assert_int_equal(lu->factorize(factor, &matrix, &failed), DV_OK);
    assert_int_equal(library.calls[FACTORIZE + 2], 6);
    assert_int_equal(lu->analyse(factor, &matrix, order), DV_OK);
    assert_int_equal(lu->factorize(factor, &matrix, &failed), DV_OK);
    assert_int_equal(library.calls[FACTORIZE + 2], 7);
    assert_memory_equal(library.room, room, sizeof room);
    expect_said(NULL);
    end_factor(factor);
}

/* Which answers are errors of memory, which are tried again, and which are neither. */
static void answers_become_errors(void **state)
{
    (void)state;
    static const struct {
        int job;
        Answer answer;
        int calls;
        DvStatus status;
        const char *part;
    } cases[] = {
        {ANALYSE, {-7, 1}, 1, DV_ERROR_LIMIT, "not enough memory for MUMPS to analyse a system of 60 unknowns"},
        {ANALYSE, {-13, 1}, 1, DV_ERROR_LIMIT, "not enough memory for MUMPS to analyse a system of 60 unknowns"},
        {ANALYSE, {-6, 59}, 1, DV_ERROR_INVALID, "cannot analyse the system of 60 unknowns: its error -6 (59)"},
        {ANALYSE, {1, 3}, 1, DV_OK, NULL}, /* a warning */
        {FACTORIZE, {-8, 1}, 8, DV_ERROR_LIMIT, "not enough memory for MUMPS to factor a system of 60 unknowns"},
        {FACTORIZE, {-9, 1}, 8, DV_ERROR_LIMIT, "not enough memory for MUMPS to factor a system of 60 unknowns"},
        {FACTORIZE, {-13, 1}, 1, DV_ERROR_LIMIT, "not enough memory for MUMPS to factor a system of 60 unknowns"},
        {FACTORIZE, {-19, 1}, 1, DV_ERROR_LIMIT, "not enough memory for MUMPS to factor a system of 60 unknowns"},
        {FACTORIZE, {-40, 7}, 1, DV_ERROR_INVALID, "cannot factor the system of 60 unknowns: its error -40 (7)"},
        {FACTORIZE, {4, 0}, 1, DV_OK, NULL},
        {SOLVE, {-11, 1}, 1, DV_ERROR_LIMIT, "not enough memory for MUMPS to solve a system of 60 unknowns"},
        {SOLVE, {-14, 1}, 1, DV_ERROR_LIMIT, "not enough memory for MUMPS to solve a system of 60 unknowns"},
        {SOLVE, {-3, 1}, 1, DV_ERROR_INVALID, "cannot solve the system of 60 unknowns: its error -3 (1)"},
        {SOLVE, {2, 0}, 1, DV_OK, NULL},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        DvSparseFactor *factor = new_factor();
        uint32_t failed = 0;
        double x[N] = {0};
        for (int call = 0; call < CALLS; call++)
            library.answers[cases[k].job + 2][call] = cases[k].answer;
        DvStatus status = lu->analyse(factor, &matrix, order);
        if (cases[k].job >= FACTORIZE)
            status = lu->factorize(factor, &matrix, &failed);
        if (cases[k].job >= SOLVE)
            status = lu->solve(factor, false, x, N, 1);
        if (status != cases[k].status || library.calls[cases[k].job + 2] != cases[k].calls)
            fail_msg("case %zu: status %d, %d calls", k, status, library.calls[cases[k].job + 2]);
        expect_said(cases[k].part);
        end_factor(factor);
    }
}

/* What MUMPS says that it will take is asked of the system first. */
static void memory_is_asked_for(void **state)
{
    (void)state;
    DvSparseFactor *factor = new_factor();
    library.megabytes = 1;
    assert_int_equal(lu->analyse(factor, &matrix, order), DV_OK);
    library.megabytes = INT32_MAX; /* 2 PiB */
    assert_int_equal(lu->analyse(factor, &matrix, order), DV_ERROR_LIMIT);
    expect_said("no room in memory for the factors of a system of 60 unknowns: 2 PiB");
    end_factor(factor);
}

/* It stops at a pivot that is zero, and says how many it has; or goes on, and lists them. The first of them is named. */
static void singular_matrices_have_a_rank(void **state)
{
    (void)state;
    DvSparseFactor *factor = new_factor();
    DvSparseFacts facts;
    uint32_t failed = 99;
    assert_int_equal(lu->analyse(factor, &matrix, order), DV_OK);
    library.answers[FACTORIZE + 2][0] = (Answer){-10, 41};
    assert_int_equal(lu->factorize(factor, &matrix, &failed), DV_ERROR_SINGULAR);
    lu->facts(factor, &facts);
    assert_true(failed == 0 && facts.rank == 41);
    library.dependent = 2;
    library.first_dependent = 17;
    assert_int_equal(lu->factorize(factor, &matrix, &failed), DV_ERROR_SINGULAR);
    lu->facts(factor, &facts);
    assert_true(failed == 16 && facts.rank == N - 2);
    library.dependent = 0;
    assert_int_equal(lu->factorize(factor, &matrix, &failed), DV_OK);
    lu->facts(factor, &facts);
    assert_true(facts.rank == N);
    assert_int_equal(library.calls[FACTORIZE + 2], 3);
    expect_said(NULL); /* who asked says it */
    end_factor(factor);
}

/* All right-hand sides at once, unless they lie farther apart than MUMPS can count. */
static void right_hand_sides_are_solved_together_where_they_can_be(void **state)
{
    (void)state;
    const size_t far = (size_t)INT32_MAX + 1, bytes = (3 * far + N) * sizeof(double);
    double *x = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (x == MAP_FAILED)
        skip(); /* a process that may not have so many addresses */
    DvSparseFactor *factor = new_factor();
    assert_int_equal(lu->analyse(factor, &matrix, order), DV_OK);
    assert_int_equal(lu->factorize(factor, &matrix, &(uint32_t){0}), DV_OK);
    assert_int_equal(lu->solve(factor, false, x, N + 2, 3), DV_OK);
    assert_int_equal(lu->solve(factor, true, x, INT32_MAX, 2), DV_OK);
    assert_int_equal(library.calls[SOLVE + 2], 2);
    assert_true(library.rhs[0] == x && library.nrhs[0] == 3 && library.lrhs[0] == N + 2 && library.straight[0] == 1);
    assert_true(library.rhs[1] == x && library.nrhs[1] == 2 && library.lrhs[1] == INT32_MAX &&
                library.straight[1] == 0);
    assert_int_equal(lu->solve(factor, false, x, far, 3), DV_OK);
    assert_int_equal(library.calls[SOLVE + 2], 5);
    for (int r = 0; r < 3; r++)
        assert_true(library.rhs[2 + r] == x + far * (size_t)r && library.nrhs[2 + r] == 1 && library.lrhs[2 + r] == N &&
                    library.straight[2 + r] == 1);
    library.answers[SOLVE + 2][6] = (Answer){-11, 1}; /* the second one: there is no third */
    assert_int_equal(lu->solve(factor, false, x, far, 3), DV_ERROR_LIMIT);
    assert_int_equal(library.calls[SOLVE + 2], 7);
    end_factor(factor);
    assert_int_equal(munmap(x, bytes), 0);
}

/* Numbers above 2^31 come in millions, as negative ones. */
static void large_facts_are_told_in_full(void **state)
{
    (void)state;
    DvSparseFactor *factor = new_factor();
    DvSparseFacts facts;
    library.entries = 12345;
    library.moved = 6;
    library.operations = 7e15;
    assert_int_equal(lu->analyse(factor, &matrix, order), DV_OK);
    assert_int_equal(lu->factorize(factor, &matrix, &(uint32_t){0}), DV_OK);
    lu->facts(factor, &facts);
    assert_true(facts.entries == 12345 && facts.moved == 6 && facts.operations == 7e15 && facts.rank == N);
    library.entries = -3000;
    assert_int_equal(lu->factorize(factor, &matrix, &(uint32_t){0}), DV_OK);
    lu->facts(factor, &facts);
    assert_true(facts.entries == 3e9);
    end_factor(factor);
}

static void small_systems_do_without_it(void **state)
{
    (void)state;
    const DvSparseRows small = {48, begin, columns, values}, larger = {49, begin, columns, values};
    DvSparseFactor *factor = new_factor();
    const uint32_t last = begin[48], last_column = columns[last - 1];
    columns[last - 1] = 0; /* within it */
    assert_int_equal(lu->analyse(factor, &small, NULL), DV_OK);
    assert_int_equal(lu->factorize(factor, &small, &(uint32_t){0}), DV_OK);
    columns[last - 1] = last_column;
    assert_int_equal(library.calls[ANALYSE + 2] + library.calls[FACTORIZE + 2], 0);
    assert_int_equal(lu->analyse(factor, &larger, NULL), DV_OK);
    assert_int_equal(library.calls[ANALYSE + 2], 1);
    end_factor(factor);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_begins_silent_and_unsymmetric),
        cmocka_unit_test(the_pattern_is_counted_from_one),
        cmocka_unit_test(it_asks_for_more_room_while_there_is_too_little),
        cmocka_unit_test(answers_become_errors),
        cmocka_unit_test(memory_is_asked_for),
        cmocka_unit_test(singular_matrices_have_a_rank),
        cmocka_unit_test(right_hand_sides_are_solved_together_where_they_can_be),
        cmocka_unit_test(large_facts_are_told_in_full),
        cmocka_unit_test(small_systems_do_without_it),
    };
    return cmocka_run_group_tests(tests, start, stop_plugins);
}
