/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * BTDLinearSolver: block tridiagonal systems, as those of beams and chains, in time and memory that grow as their length.
 *
 * With blocks of 6 x 6, B_i left of the diagonal, A_i on it and C_i right of it (Golub and Van Loan, Matrix Computations, 4.5.1):
 *   E_i = (A_i - B_i F_(i-1))^-1, F_i = E_i C_i;   y_i = E_i (b_i - B_i y_(i-1)),   x_i = y_i - F_i x_(i+1)
 * Blocks are inverted with pivots, so that neither symmetry nor definiteness is needed beyond what the order of blocks asks for. Couplings
 * of blocks that are no neighbours are left out, which is said. The compliance of constraints is computed for the blocks that they have
 * part in alone.
 */
#include <divan/kit/block_product.h>
#include <divan/kit/direct_solver.h>
#include <divan/math/simd.h>
#include <divan/memory.h>

#include <math.h>
#include <string.h>

enum { B = 6, SQUARE = B * B };

/* Row i of blocks. */
typedef struct BlockRow {
    double left[SQUARE], inverse[SQUARE], right[SQUARE]; /* B_i, E_i (first A_i), F_i (first C_i) */
} BlockRow;

typedef struct BtdLinearSolver {
    DvDirectSolver direct;
    DvData verification;
    BlockRow *row; /* [rows] */
    uint32_t rows, capacity;
    bool warned_beyond, warned_left;
} BtdLinearSolver;

static const DvField fields[] = {
    DV_LINEAR_SOLVER_FIELDS(BtdLinearSolver, direct.base),
    DV_FIELD_HELD("verbose", dv_type_bool, .init = "0", .help = "kept for old scenes: set printLog"),
    DV_FIELD_HELD("showProblem", dv_type_bool, .init = "0",
                  .help = "kept for old scenes: a GlobalSystemMatrixImage shows the matrix"),
    DV_FIELD_HELD("subpartSolve", dv_type_bool, .init = "0",
                  .help = "whether constraints are solved for where they act alone; they always are"),
    DV_FIELD(BtdLinearSolver, verification, "verification", dv_type_bool, .init = "0",
             .help = "multiply each solution by the matrix, and warn of a residual"),
    {0},
};

/* ---- Blocks ---- */

/* c = a b, or c -= a b. */
DV_SIMD_INLINE void multiply(double *restrict c, const double *a, const double *b, bool subtract)
{
    for (int i = 0; i < B; i++) {
        double sum[B] = {0};
        for (int k = 0; k < B; k++)
            for (int j = 0; j < B; j++)
                sum[j] += a[B * i + k] * b[B * k + j];
        for (int j = 0; j < B; j++)
            c[B * i + j] = subtract ? c[B * i + j] - sum[j] : sum[j];
    }
}

DV_SIMD_INLINE void subtract_product(double *restrict y, const double *a, const double *x)
{
    for (int i = 0; i < B; i++) {
        double sum = 0.0;
        for (int j = 0; j < B; j++)
            sum += a[B * i + j] * x[j];
        y[i] -= sum;
    }
}

/* In place, by Gauss and Jordan with the largest pivot of each column. False: column *failed has none. */
DV_SIMD_INLINE bool invert(double *a, uint32_t *failed)
{
    int from[B];
    for (int k = 0; k < B; k++) {
        int p = k;
        for (int i = k + 1; i < B; i++)
            p = fabs(a[B * i + k]) > fabs(a[B * p + k]) ? i : p;
        from[k] = p;
        *failed = (uint32_t)k;
        if (!(fabs(a[B * p + k]) > 0.0) || !isfinite(a[B * p + k]))
            return false;
        for (int j = 0; j < B && p != k; j++) {
            const double swapped = a[B * k + j];
            a[B * k + j] = a[B * p + j];
            a[B * p + j] = swapped;
        }
        const double pivot = 1.0 / a[B * k + k];
        a[B * k + k] = 1.0;
        for (int j = 0; j < B; j++)
            a[B * k + j] *= pivot;
        for (int i = 0; i < B; i++) {
            const double part = a[B * i + k];
            if (i == k)
                continue;
            a[B * i + k] = 0.0;
            for (int j = 0; j < B; j++)
                a[B * i + j] -= part * a[B * k + j];
        }
    }
    for (int k = B; k-- > 0;)
        for (int i = 0; i < B && from[k] != k; i++) {
            const double swapped = a[B * i + k];
            a[B * i + k] = a[B * i + from[k]];
            a[B * i + from[k]] = swapped;
        }
    return true;
}

/* ---- The matrix ---- */

static void analyse(void *self_, const DvBlockMatrix *a)
{
    BtdLinearSolver *self = self_;
    self->rows = (a->rows * a->block + B - 1) / B;
    if (self->rows > self->capacity) {
        dv_free(self->row);
        self->capacity = self->rows;
        self->row = dv_alloc(self->rows, sizeof *self->row);
    }
}

static double *block_of(BtdLinearSolver *self, uint32_t i, uint32_t j)
{
    BlockRow *row = &self->row[i];
    return j == i ? row->inverse : j + 1 == i ? row->left : j == i + 1 ? row->right : NULL;
}

/* Entries other than zero that are in no block. */
static uint64_t gather_block(BtdLinearSolver *self, uint32_t b, uint32_t first, uint32_t column, const double *values)
{
    uint64_t beyond = 0;
    for (uint32_t k = 0; k < b; k++)
        for (uint32_t c = 0; c < b; c++) {
            double *block = block_of(self, (first + k) / B, (column + c) / B);
            if (block)
                block[(first + k) % B * B + (column + c) % B] = values[b * k + c];
            else
                beyond += values[b * k + c] != 0.0;
        }
    return beyond;
}

static uint64_t gather(BtdLinearSolver *self, const DvBlockMatrix *a)
{
    const uint32_t b = a->block;
    uint64_t beyond = 0;
    memset(self->row, 0, self->rows * sizeof *self->row);
    for (uint32_t i = a->rows * b; i < self->rows * B; i++) /* what fills the last block */
        self->row[i / B].inverse[i % B * (B + 1)] = 1.0;
    for (uint32_t r = 0; r < a->rows; r++)
        for (uint32_t e = a->row_start[r]; e < a->row_start[r + 1]; e++) {
            const double *values = a->values + (size_t)b * b * e;
            double *block = b == B ? block_of(self, r, a->columns[e]) : NULL;
            if (block)
                memcpy(block, values, SQUARE * sizeof *values);
            else
                beyond += gather_block(self, b, r * b, a->columns[e] * b, values);
        }
    return beyond;
}

/* False: scalar row *failed has no pivot. */
DV_SIMD_CLONES static bool eliminate(BlockRow *rows, uint32_t count, uint32_t *failed)
{
    for (uint32_t i = 0; i < count; i++) {
        BlockRow *row = &rows[i];
        double right[SQUARE];
        if (i > 0)
            multiply(row->inverse, row->left, rows[i - 1].right, true);
        if (!invert(row->inverse, failed)) {
            *failed += i * B;
            return false;
        }
        memcpy(right, row->right, sizeof right);
        multiply(row->right, row->inverse, right, false);
    }
    return true;
}

static DvStatus factor(void *self_, const DvBlockMatrix *a, uint32_t *failed)
{
    BtdLinearSolver *self = self_;
    const uint64_t beyond = gather(self, a);
    if (beyond > 0 && !self->warned_beyond) {
        self->warned_beyond = true;
        dv_warning(
            dv_object_of(self),
            "%llu entries of the matrix couple points that do not follow each other, and are left out: solutions are not "
            "those of the system. Number the points along the beam, or take SparseLDLSolver",
            (unsigned long long)beyond);
    }
    return eliminate(self->row, self->rows, failed) ? DV_OK : DV_ERROR_SINGULAR;
}

/* ---- Solutions ---- */

/* In place of `x` [rows x B], which is zero before block `first`; right in the blocks from `last` on, last <= first. */
DV_SIMD_CLONES static void solve_part(const BtdLinearSolver *self, double *x, uint32_t first, uint32_t last)
{
    for (uint32_t i = first; i < self->rows; i++) {
        double y[B] = {0}, *at = x + (size_t)B * i;
        if (i > first)
            subtract_product(at, self->row[i].left, at - B);
        subtract_product(y, self->row[i].inverse, at);
        for (int k = 0; k < B; k++)
            at[k] = -y[k];
    }
    for (uint32_t i = self->rows - 1; i-- > last;)
        subtract_product(x + (size_t)B * i, self->row[i].right, x + (size_t)B * (i + 1));
}

static void substitute(void *self_, double *x, const double *b)
{
    const BtdLinearSolver *self = self_;
    const size_t n = self->direct.base.n, padded = (size_t)B * self->rows;
    const DvStepMark mark = dv_step_mark();
    double *y = dv_step_alloc(padded, sizeof *y);
    memcpy(y, b, n * sizeof *y);
    memset(y + n, 0, (padded - n) * sizeof *y);
    solve_part(self, y, 0, 0);
    memcpy(x, y, n * sizeof *x);
    dv_step_release(mark);
}

/* What is left is said here, with its reason: the base knows singular matrices alone. */
static double refine(void *self_, const DvBlockMatrix *a, double *x, const double *b)
{
    BtdLinearSolver *self = self_;
    const double allowed = 1e-6;
    if (!dv_data_bool(&self->verification) || self->warned_left)
        return 0.0;
    const DvStepMark mark = dv_step_mark();
    const size_t n = self->direct.base.n;
    double *at = dv_step_alloc(n + 1, sizeof *at), *product = dv_step_alloc(n + 1, sizeof *product), left = 0.0,
           size = 0.0;
    memcpy(at, x, n * sizeof *at);
    at[n] = 0.0;
    (void)dv_block_product(a, at, product);
    for (size_t i = 0; i < n; i++) {
        left = fmax(left, fabs(product[i] - b[i]));
        size = fmax(size, fabs(b[i]));
    }
    dv_step_release(mark);
    self->warned_left = left > allowed * size;
    if (self->warned_left)
        dv_warning(dv_object_of(self), "a solution leaves %.1e of its right-hand side", left / size);
    return 0.0;
}

/* Blocks before the first that any row has part in are not solved for. */
static DvStatus compliance(void *self_, const DvSparseRows *j, double factor, double *w, size_t stride)
{
    BtdLinearSolver *self = self_;
    const DvStatus status = dv_linear_solver_check_rows(&self->direct.base, j);
    if (status != DV_OK || j->row_start[j->rows] == 0)
        return status;
    dv_phase_begin("compliance");
    const DvStepMark mark = dv_step_mark();
    const size_t padded = (size_t)B * self->rows;
    double *x = dv_step_alloc(padded, sizeof *x);
    uint32_t last = UINT32_MAX;
    for (uint32_t e = 0; e < j->row_start[j->rows]; e++)
        last = j->columns[e] / B < last ? j->columns[e] / B : last;
    for (uint32_t r = 0; r < j->rows; r++) {
        uint32_t first = self->rows;
        memset(x + (size_t)B * last, 0, (padded - (size_t)B * last) * sizeof *x);
        for (uint32_t e = j->row_start[r]; e < j->row_start[r + 1]; e++) {
            x[j->columns[e]] += j->values[e];
            first = j->columns[e] / B < first ? j->columns[e] / B : first;
        }
        if (first < self->rows)
            solve_part(self, x, first, last);
        for (uint32_t i = 0; i < j->rows && first < self->rows; i++) {
            double sum = 0.0;
            for (uint32_t e = j->row_start[i]; e < j->row_start[i + 1]; e++)
                sum += j->values[e] * x[j->columns[e]];
            w[stride * i + r] += factor * sum;
        }
    }
    dv_step_release(mark);
    dv_phase_end();
    return DV_OK;
}

static void destroy(DvObject *object, void *self)
{
    dv_free(((BtdLinearSolver *)self)->row);
    dv_linear_solver_destroy(object, self);
}

static const DvDirectSolverOps operations = {
    .solver = {DV_DIRECT_SOLVER_OPS, .set_system = dv_direct_solver_set_system,
               .solve_many = dv_linear_solver_solve_many, .compliance = compliance},
    .analyse = analyse,
    .factor = factor,
    .substitute = substitute,
    .refine = refine,
};

const DvClass dv_btd_linear_solver = {
    .size = sizeof(DvClass),
    .name = "BTDLinearSolver",
    .variants = "BTDMatrix6d",
    .module = "Sofa.Component.LinearSolver.Direct",
    .help = "Direct solver of block tridiagonal systems, such as those of beams, in linear time.",
    .instance_size = sizeof(BtdLinearSolver),
    .fields = fields,
    .init = dv_direct_solver_init,
    .destroy = destroy,
    DV_DIRECT_SOLVER_CLASS(operations, "MatrixLinearSolver", "LinearSolver"),
};
