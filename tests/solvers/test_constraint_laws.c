/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The laws of blocks of constraints, one by one: what each makes of d and lambda of its own rows.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "complementarity.h"
#include "law.h"
#include "random_matrix.h"

enum { MOST = 7 };

static bool is_near(double a, double b, double tolerance)
{
    return fabs(a - b) <= tolerance;
}

/* d of the block after its lambda has become another. */
static void move(uint32_t n, const double *w, const double *before, const double *after, double *d)
{
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            d[i] += w[i * n + j] * (after[j] - before[j]);
}

/* A random symmetric positive definite n x n matrix times `scale`; of a lower `rank` a semi-definite one. */
static void random_compliance(uint32_t n, uint32_t rank, double scale, double *w, uint64_t *seed)
{
    double g[MOST * MOST] = {0};
    for (uint32_t i = 0; i < n * rank; i++)
        g[i] = 2.0 * random_number(seed);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++) {
            double sum = i == j && rank == n ? 0.3 : 0.0;
            for (uint32_t k = 0; k < rank; k++)
                sum += g[i * rank + k] * g[j * rank + k];
            w[i * n + j] = scale * sum;
        }
}

/* ---- Bilateral ---- */

/* One look at a block of any size and any stiffness ends in d = 0; with p[0] = 0.25 in three quarters of d. */
static void bilateral_blocks_are_solved_at_once(void **state)
{
    (void)state;
    uint64_t seed = 1;
    static const double scales[] = {1.0, 1e-12, 1e9};
    for (int k = 0; k < 3; k++)
        for (uint32_t n = 1; n <= MOST; n++)
            for (int part = 0; part < 2; part++) {
                DvConstraintBlock block = {.rows = n, .law = DV_LAW_BILATERAL, .p = {part ? 0.25 : 1.0}};
                double w[MOST * MOST], factor[MOST * MOST], scratch[MOST], d[MOST], after[MOST], lambda[MOST];
                double before[MOST];
                random_compliance(n, n, scales[k], w, &seed);
                for (uint32_t i = 0; i < n; i++) {
                    d[i] = after[i] = random_number(&seed);
                    lambda[i] = before[i] = random_number(&seed) / scales[k];
                }
                law_factor(&block, w, factor, scratch);
                law_resolve(&block, w, factor, d, lambda);
                double at_first[MOST];
                memcpy(at_first, after, sizeof at_first);
                move(n, w, before, lambda, after);
                for (uint32_t i = 0; i < n; i++)
                    assert_true(is_near(after[i], (part ? 0.75 : 0.0) * at_first[i], 1e-10));
            }
}

/* Rows that say the same twice, or that nothing answers: what can be reached is reached, and nothing is infinite. */
static void singular_bilateral_blocks_do_what_they_can(void **state)
{
    (void)state;
    uint64_t seed = 2;
    for (int trial = 0; trial < 200; trial++)
        for (uint32_t n = 1; n <= MOST; n++)
            for (uint32_t rank = 0; rank < n; rank++) {
                const DvConstraintBlock block = {.rows = n, .law = DV_LAW_BILATERAL, .p = {1.0}};
                double w[MOST * MOST], factor[MOST * MOST], scratch[MOST], d[MOST] = {0}, lambda[MOST] = {0},
                                                                           before[MOST], f[MOST];
                random_compliance(n, rank, 1e-3, w, &seed);
                /* A violation that forces can undo: in the range of W. */
                for (uint32_t i = 0; i < n; i++)
                    f[i] = random_number(&seed);
                for (uint32_t i = 0; i < n; i++)
                    for (uint32_t j = 0; j < n; j++)
                        d[i] += w[i * n + j] * f[j];
                memcpy(before, lambda, sizeof before);
                double after[MOST];
                memcpy(after, d, sizeof after);
                law_factor(&block, w, factor, scratch);
                law_resolve(&block, w, factor, d, lambda);
                move(n, w, before, lambda, after);
                uint32_t without = 0; /* what several rows say is said once */
                for (uint32_t i = 0; i < n; i++)
                    without += lambda[i] == 0.0;
                assert_int_equal(without, n - rank);
                for (uint32_t i = 0; i < n; i++) {
                    assert_true(isfinite(lambda[i]));
                    assert_true(fabs(lambda[i]) < 1e6);
                    if (!is_near(after[i], 0.0, 1e-12))
                        fail_msg("%u rows of rank %u: d is still %g", n, rank, after[i]);
                }
            }
}

/* Where scenes of earlier years want it: no force, whatever the violation. */
static void a_bilateral_block_of_three_rows_is_let_go_below_its_determinant(void **state)
{
    (void)state;
    const double w[9] = {1e-5, 0, 0, 0, 2e-5, 0, 0, 0, 1e-5}; /* 2e-15 */
    for (int let_go = 0; let_go < 2; let_go++) {
        const DvConstraintBlock block = {.rows = 3, .law = DV_LAW_BILATERAL, .p = {1.0, let_go ? 2.1e-15 : 1.9e-15}};
        double factor[9], scratch[3], d[3] = {1.0, 2.0, 3.0}, lambda[3] = {0.5, 0.5, 0.5};
        assert_int_equal(law_lets_go(&block, w), let_go);
        law_factor(&block, w, factor, scratch);
        law_resolve(&block, w, factor, d, lambda);
        for (int i = 0; i < 3; i++)
            assert_true(is_near(lambda[i], let_go ? 0.5 : 0.5 - (i + 1) / w[4 * i], 1e-9));
    }
}

/* ---- Contacts ---- */

static void one_row_is_open_or_pushes(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int trial = 0; trial < 1000; trial++) {
        const DvConstraintBlock block = {.rows = 1, .law = DV_LAW_UNILATERAL};
        const double w = 0.1 + 2.0 * (random_number(&seed) + 0.5), before = random_number(&seed) + 0.5;
        double d = 4.0 * random_number(&seed), lambda = before;
        const double free = d - w * before;
        law_resolve(&block, &w, NULL, &d, &lambda);
        const double after = free + w * lambda;
        assert_true(is_near(lambda, fmax(0.0, -free / w), 1e-14));
        assert_true(after > -1e-14 && lambda >= 0.0 && fabs(after * lambda) < 1e-14);
    }
    /* A row of less compliance than asked for, or of none, has no force. */
    const DvConstraintBlock least = {.rows = 1, .law = DV_LAW_UNILATERAL, .p = {0.0, 0.5}};
    double w = 0.5, d = -1.0, lambda = 2.0;
    law_resolve(&least, &w, NULL, &d, &lambda);
    assert_true(lambda == 0.0);
    const DvConstraintBlock none = {.rows = 1, .law = DV_LAW_UNILATERAL};
    w = 0.0, d = -1.0, lambda = 2.0;
    law_resolve(&none, &w, NULL, &d, &lambda);
    assert_true(lambda == 0.0);
}

/* Looked at again and again, a block alone ends where Coulomb's law holds. */
static void a_contact_with_friction_ends_in_coulombs_law(void **state)
{
    (void)state;
    uint64_t seed = 4;
    unsigned open = 0, sticking = 0, slipping = 0;
    for (int trial = 0; trial < 1000; trial++) {
        const double mu = random_number(&seed) + 0.5;
        const DvConstraintBlock block = {.rows = 3, .law = DV_LAW_FRICTION, .p = {mu}};
        double w[9], free[3], lambda[3] = {0}, d[3];
        random_compliance(3, 3, 0.05, w, &seed);
        for (int i = 0; i < 3; i++) {
            w[4 * i] += 1.0;
            free[i] = 2.0 * random_number(&seed);
        }
        for (int sweep = 0; sweep < 200; sweep++) {
            memcpy(d, free, sizeof d);
            move(3, w, (const double[3]){0}, lambda, d);
            law_resolve(&block, w, NULL, d, lambda);
            /* The cone and the sign hold after each look, not only in the end. */
            assert_true(lambda[0] >= 0.0 && hypot(lambda[1], lambda[2]) <= mu * lambda[0] * (1.0 + 1e-14));
        }
        memcpy(d, free, sizeof d);
        move(3, w, (const double[3]){0}, lambda, d);
        assert_true(coulomb_error(mu, w[0], d, lambda) < 1e-12);
        open += lambda[0] == 0.0;
        slipping += lambda[0] > 0.0 && hypot(d[1], d[2]) > 1e-9;
        sticking += lambda[0] > 0.0 && hypot(d[1], d[2]) < 1e-9;
    }
    assert_true(open > 100 && slipping > 100 && sticking > 20);
}

/* By hand: the normal first, the tangents by what that has changed and by the mean of their compliances. */
static void a_look_at_friction_by_hand(void **state)
{
    (void)state;
    const DvConstraintBlock block = {.rows = 3, .law = DV_LAW_FRICTION, .p = {0.5}};
    const double w[9] = {2.0, 0.5, 0.25, 0.5, 1.0, 0.0, 0.25, 0.0, 3.0};
    double d[3] = {-4.0, 0.1, -0.3}, lambda[3] = {1.0, 0.25, 0.0};
    law_resolve(&block, w, NULL, d, lambda);
    /* n: 1 + 4 / 2 = 3; d_t = 0.1 + 0.5 * 2, d_s = -0.3 + 0.25 * 2; t: 0.25 - 2 * 1.1 / 4, s: - 2 * 0.2 / 4 */
    assert_true(is_near(lambda[0], 3.0, 1e-15) && is_near(lambda[1], -0.3, 1e-15) && is_near(lambda[2], -0.1, 1e-15));
    /* The same with so little friction that it slips: onto the cone, the direction kept. */
    const DvConstraintBlock slippery = {.rows = 3, .law = DV_LAW_FRICTION, .p = {0.01}};
    double e[3] = {-4.0, 0.1, -0.3}, slips[3] = {1.0, 0.25, 0.0};
    law_resolve(&slippery, w, NULL, e, slips);
    assert_true(is_near(hypot(slips[1], slips[2]), 0.03, 1e-15) && is_near(slips[1], 3.0 * slips[2], 1e-15));
    /* Rows without compliance: no force, in the normal and in the tangents. */
    double zero[9] = {0}, f[3] = {-1.0, 1.0, 1.0}, none[3] = {1.0, 1.0, 1.0};
    law_resolve(&block, zero, NULL, f, none);
    assert_true(none[0] == 0.0 && none[1] == 0.0 && none[2] == 0.0);
    zero[0] = 1.0;
    double g[3] = {-1.0, 1.0, 1.0}, frictionless[3] = {0.0, 0.0, 0.0};
    law_resolve(&block, zero, NULL, g, frictionless);
    assert_true(frictionless[0] == 1.0 && frictionless[1] == 0.0 && frictionless[2] == 0.0);
}

/* A gradient step of the augmented Lagrangian: by hand for each of its four ways. */
static void the_augmented_law_takes_a_step(void **state)
{
    (void)state;
    const DvConstraintBlock block = {.rows = 3, .law = DV_LAW_AUGMENTED, .p = {0.5, 10.0}};
    const double w[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const struct {
        double d[3], lambda[3], expected[3];
    } ways[] = {
        {{0.2, 0.1, 0.1}, {1, 2, 3}, {0, 0, 0}},                      /* opens */
        {{-0.2, 0.01, -0.02}, {1, 0.2, 0.3}, {3, 0.1, 0.5}},          /* sticks: within the cone of 1.5 */
        {{-0.2, 0.3, 0.4}, {1, 0.1, 0.2}, {3, 0.1 + 0.6, 0.2 + 0.8}}, /* slips: by mu d_n epsilon along the slip */
        {{-0.2, 0.0, 0.0}, {1, 5, 0}, {3, 5, 0}},                     /* out of the cone, but does not slip */
    };
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        double d[3], lambda[3];
        memcpy(d, ways[i].d, sizeof d);
        memcpy(lambda, ways[i].lambda, sizeof lambda);
        law_resolve(&block, w, NULL, d, lambda);
        for (int k = 0; k < 3; k++)
            assert_true(is_near(lambda[k], ways[i].expected[k], 1e-14));
    }
}

/* ---- Intervals, and laws of others ---- */

static void an_interval_pushes_from_either_end(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int trial = 0; trial < 1000; trial++) {
        const DvConstraintBlock block = {.rows = 1, .law = DV_LAW_INTERVAL, .p = {-0.2, 0.3}};
        const double w = 0.1 + random_number(&seed) + 0.5, before = random_number(&seed);
        const double free = 2.0 * random_number(&seed);
        double d = free + w * before, lambda = before;
        law_resolve(&block, &w, NULL, &d, &lambda);
        const double after = free + w * lambda;
        assert_true(is_near(after, fmin(fmax(free, -0.2), 0.3), 1e-14));
        assert_true((lambda == 0.0) == (free >= -0.2 && free <= 0.3));
    }
    const DvConstraintBlock block = {.rows = 1, .law = DV_LAW_INTERVAL, .p = {-0.2, 0.3}};
    double w = 0.0, d = 5.0, lambda = 1.0;
    law_resolve(&block, &w, NULL, &d, &lambda);
    assert_true(lambda == 0.0);
}

static void damped(const DvConstraintBlock *block, const double *w, double *d, double *lambda)
{
    for (uint32_t i = 0; i < block->rows; i++)
        lambda[i] -= block->p[0] * d[i] / w[i * block->rows + i];
}

static void a_law_of_its_own_is_asked(void **state)
{
    (void)state;
    static const DvOwnLaw own = {damped};
    const DvConstraintBlock block = {.rows = 2, .law = DV_LAW_OWN, .p = {0.5}, .own = &own};
    const double w[4] = {2.0, 1.0, 1.0, 4.0};
    double d[2] = {1.0, 2.0}, lambda[2] = {0.0, 1.0};
    law_factor(&block, w, NULL, NULL);
    law_resolve(&block, w, NULL, d, lambda);
    assert_true(lambda[0] == -0.25 && lambda[1] == 0.75);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bilateral_blocks_are_solved_at_once),
        cmocka_unit_test(singular_bilateral_blocks_do_what_they_can),
        cmocka_unit_test(a_bilateral_block_of_three_rows_is_let_go_below_its_determinant),
        cmocka_unit_test(one_row_is_open_or_pushes),
        cmocka_unit_test(a_contact_with_friction_ends_in_coulombs_law),
        cmocka_unit_test(a_look_at_friction_by_hand),
        cmocka_unit_test(the_augmented_law_takes_a_step),
        cmocka_unit_test(an_interval_pushes_from_either_end),
        cmocka_unit_test(a_law_of_its_own_is_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
