/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Golden files of numbers: lines of a name up to ": " and of numbers behind it, which may differ by rounding. With DIVAN_WRITE_GOLDEN=1 the
 * file is written anew.
 */
#ifndef DIVAN_TESTS_GOLDEN_LINES_H
#define DIVAN_TESTS_GOLDEN_LINES_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A weight between 1/2 and 3/2 of its own for each number of a sum, so that one cannot make up for another. */
static inline double golden_weight(uint64_t number)
{
    uint64_t mixed = (number + 1) * 0x9e3779b97f4a7c15u;
    mixed = (mixed ^ (mixed >> 31)) * 0xbf58476d1ce4e5b9u;
    return 0.5 + (double)(mixed >> 11) / 9007199254740992.0;
}

static inline bool golden_same_line(const char *found, const char *expected, double tolerance)
{
    const char *numbers = strstr(expected, ": ");
    if (!numbers || strncmp(found, expected, (size_t)(numbers + 2 - expected)) != 0)
        return false;
    found += numbers + 2 - expected;
    expected = numbers + 2;
    while (*expected) {
        char *end[2];
        const double a = strtod(found, &end[0]), b = strtod(expected, &end[1]);
        if (end[0] == found || end[1] == expected || !(fabs(a - b) <= tolerance * (1 + fabs(b))))
            return false;
        found = end[0];
        expected = end[1];
    }
    return !*found;
}

/* `text`, which is cut into lines, is what the file below tests/ holds. */
static inline void expect_golden_lines(const char *name, char *text, double tolerance)
{
    char path[1024], expected[1024];
    snprintf(path, sizeof path, "%s/tests/%s", getenv("DIVAN_TEST_SOURCE_ROOT"), name);
    const bool writes = getenv("DIVAN_WRITE_GOLDEN") != NULL;
    FILE *file = fopen(path, writes ? "w" : "r");
    if (!file)
        fail_msg("cannot open %s", path);
    if (writes)
        fputs(text, file);
    char *line = text;
    while (!writes && fgets(expected, sizeof expected, file)) {
        char *end = strchr(line, '\n');
        if (!end)
            fail_msg("missing: %s", expected);
        *end = '\0';
        expected[strcspn(expected, "\n")] = '\0';
        if (!golden_same_line(line, expected, tolerance))
            fail_msg("\nfound   %s\ngolden  %s", line, expected);
        line = end + 1;
    }
    if (!writes && *line)
        fail_msg("not in the golden file: %s", line);
    fclose(file);
}

#endif
