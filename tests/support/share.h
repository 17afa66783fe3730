/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A day's share of long tests. DIVAN_TEST_SHARE, which `./bootstrap sanitize` sets, is "TURN/DAYS": of DAYS cases one is run, another one
 * each day, so that after DAYS days all have been. Without it all are. tests/support/share.py is the same for scripts.
 */
#ifndef DIVAN_TESTS_SHARE_H
#define DIVAN_TESTS_SHARE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static inline void share_read(unsigned *turn, unsigned *days)
{
    const char *text = getenv("DIVAN_TEST_SHARE");
    if (!text || sscanf(text, "%u/%u", turn, days) != 2 || *days == 0)
        *turn = 0, *days = 1;
}

static inline bool share_is_all(void)
{
    unsigned turn, days;
    share_read(&turn, &days);
    return days == 1;
}

/* Whether this one of many cases is one of today. */
static inline bool share_has(size_t number)
{
    unsigned turn, days;
    share_read(&turn, &days);
    return number % days == turn % days;
}

/* Of so many steps or random cases, how many are made today: at least one. */
static inline int share_count(int count)
{
    unsigned turn, days;
    share_read(&turn, &days);
    return (count + (int)days - 1) / (int)days;
}

/* Those of today, at least one, in a list of their own that lasts as long as the process; what is left out is said. */
static inline int share_run(const char *name, const struct CMUnitTest *tests, size_t count, CMFixtureFunction setup,
                            CMFixtureFunction teardown)
{
    unsigned turn, days;
    share_read(&turn, &days);
    const size_t every = days < count ? days : count;
    struct CMUnitTest *today = malloc(count * sizeof *today);
    size_t chosen = 0;
    for (size_t i = 0; i < count; i++)
        if (i % every == turn % every)
            today[chosen++] = tests[i];
    if (days > 1)
        printf("share %u of %u: %zu of %zu tests (DIVAN_TEST_SHARE)\n", turn % days + 1, days, chosen, count);
    const int failed = _cmocka_run_group_tests(name, today, chosen, setup, teardown);
    free(today);
    return failed;
}

/* Whether long tests run at full length, `./bootstrap test --long`; without it random runs are shorter and meshes smaller, where length and size
 * prove little. */
static inline bool share_is_long(void)
{
    return getenv("DIVAN_LONG") != NULL;
}

/* As cmocka_run_group_tests, for programs whose tests do not need each other. */
#define share_run_group_tests(tests, setup, teardown) \
    share_run(#tests, tests, sizeof(tests) / sizeof(tests)[0], setup, teardown)

#endif
