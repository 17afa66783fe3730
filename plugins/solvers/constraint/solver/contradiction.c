/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Rows i and k of J are parallel where W_ik^2 = W_ii W_kk, W = J C J^T: Cauchy and Schwarz, with equality. Then d_i moves by W_ik / W_kk
 * times what d_k moves by, so that both vanish only if that is how they stand to each other now.
 */
#include "contradiction.h"

#include <divan/memory.h>

#include <math.h>

enum { MOST_ROWS = 512 };

bool contradiction_find(const Problem *problem, Contradiction *found)
{
    const uint32_t n = problem->view.rows;
    if (n > MOST_ROWS)
        return false;
    const DvStepMark mark = dv_step_mark();
    double *w = dv_step_alloc((size_t)n * n, sizeof *w);
    bool *equal = dv_step_alloc(n, sizeof *equal);
    problem_dense(problem, w);
    for (uint32_t b = 0; b < problem->view.block_count; b++)
        for (uint32_t r = 0; r < problem->blocks[b].rows; r++)
            equal[problem->blocks[b].first + r] = problem->blocks[b].law == DV_LAW_BILATERAL;
    *found = (Contradiction){.apart = 0.0};
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < i && equal[i]; k++) {
            const double ii = w[(size_t)i * n + i], kk = w[(size_t)k * n + k], ik = w[(size_t)i * n + k];
            if (!equal[k] || !(ii > 0.0) || !(kk > 0.0) || !(ik * ik > (1.0 - 1e-9) * ii * kk))
                continue;
            const double apart = fabs(problem->violation[i] - ik / kk * problem->violation[k]);
            if (apart > found->apart && apart > 1e-6 * fabs(problem->violation[i]))
                *found = (Contradiction){k, i, apart};
        }
    dv_step_release(mark);
    return found->apart > 0.0;
}
