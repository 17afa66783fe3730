/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How fast values are read from text: 10 MB of decimal numbers by the function that all readers call, the best of five.
 */
#include <math.h>
#include <stdio.h>
#include <time.h>

#include <divan/divan.h>

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(void)
{
    DvText text = {0};
    uint64_t random = 1;
    while (text.length < 10000000) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        dv_text_add(&text, "%.6f ", (double)(random >> 40) * 1e-3);
    }
    double best = INFINITY;
    for (int i = 0; i < 5; i++) {
        const double begin = seconds();
        const char *at = text.at;
        double sum = 0, value;
        while (dv_read_double(&at, &value))
            sum += value;
        best = fmin(best, seconds() - begin);
        if (!(sum > 0))
            return 1;
    }
    printf("%.0f MB/s\n", (double)text.length / best * 1e-6);
    dv_text_free(&text);
    return 0;
}
