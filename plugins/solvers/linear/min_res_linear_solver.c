/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * MinResLinearSolver: MINRES (Paige and Saunders 1975) for symmetric systems, definite or not, always starting from the given x.
 *
 * The Lanczos process makes A tridiagonal in the basis of its V; rotations make that triangular as it grows, and X moves along W, which
 * is V times the inverse of it. |r| never grows. Stops when |r| / (|A| |x|) is within `tolerance`, or |A r| / (|A| |r|), as of singular
 * systems.
 */
#include <divan/kit/krylov.h>

#include <float.h>
#include <math.h>

/* Vectors beside X and B: three of the process, whose names go round, the present one of them normed, and two W. */
enum { V = DV_KRYLOV_P, W = DV_KRYLOV_OWN + 1, VECTORS = DV_KRYLOV_OWN + 3 };

typedef struct MinResLinearSolver {
    DvKrylovSolver krylov;
} MinResLinearSolver;

static const DvField fields[] = {
    DV_KRYLOV_FIELDS(MinResLinearSolver, krylov, DV_FIELD_REQUIRED,
                     "stop when the residual has shrunk to this part of the norms of matrix and solution, multiplied",
                     "relative residual of each iteration of the last solve"),
    {0},
};

/* From the residual R of norm beta. The norm of the one that is left; *converged: a bound ended it. */
static double reduce(DvKrylovSolver *self, double beta, bool *converged, uint32_t *products)
{
    DvKrylovSpace *space = &self->space;
    const uint32_t iterations = dv_data_uint(&self->iterations);
    const double tolerance = dv_data_double(&self->tolerance), first = beta;
    int previous = DV_KRYLOV_OWN, present = DV_KRYLOV_R, next = DV_KRYLOV_Q, w = W, last_w = W + 1;
    double cosine = -1.0, sine = 0.0, phi = beta, dbar = 0.0, epsilon = 0.0, squares = 0.0, last_beta = 0.0;
    double gamma = 1.0, gamma_before = 1.0; /* W is kept that many times as long: last_w, and w before it is made */
    dv_krylov_clear(space, w);
    dv_krylov_clear(space, last_w);
    for (uint32_t it = 1;; it++) {
        dv_krylov_clear(space, V);
        dv_krylov_combine(space, V, V, present, 1.0 / beta);
        (void)dv_krylov_product(space, next, V);
        if (it > 1)
            dv_krylov_combine(space, next, next, previous, -beta / last_beta);
        const double alpha = dv_krylov_dot(space, V, next);
        dv_krylov_combine(space, next, next, present, -alpha / beta);
        const int spare = previous;
        previous = present, present = next, next = spare;
        last_beta = beta;
        beta = sqrt(dv_krylov_dot(space, present, present));
        squares += alpha * alpha + last_beta * last_beta + beta * beta;

        const double last_epsilon = epsilon, delta = cosine * dbar + sine * alpha, gbar = sine * dbar - cosine * alpha;
        epsilon = sine * beta;
        dbar = -cosine * beta;
        const double root = hypot(gbar, dbar), length = fmax(hypot(gbar, beta), DBL_EPSILON);
        cosine = gbar / length;
        sine = beta / length;
        const double step = cosine * phi;
        phi *= sine;
        dv_krylov_combine(space, w, V, w, -last_epsilon / gamma_before);
        dv_krylov_combine(space, w, w, last_w, -delta / gamma);
        dv_krylov_combine(space, DV_KRYLOV_X, DV_KRYLOV_X, w, step / length);
        const int made = w;
        w = last_w, last_w = made;
        gamma_before = gamma, gamma = length;
        dv_curve_add(&self->errors, phi / first);

        *products = it;
        const double a_norm = sqrt(squares), x_norm = sqrt(dv_krylov_dot(space, DV_KRYLOV_X, DV_KRYLOV_X));
        *converged = (it == 1 && beta < 10.0 * DBL_EPSILON * first) || phi <= tolerance * a_norm * x_norm ||
                     root <= tolerance * a_norm || a_norm * DBL_EPSILON * x_norm >= first || isnan(phi);
        if (*converged || it >= iterations)
            return phi;
    }
}

static DvStatus iterate(void *self_, bool of_step, uint32_t *products)
{
    DvKrylovSolver *self = self_;
    const double b_norm = sqrt(dv_krylov_dot(&self->space, DV_KRYLOV_B, DV_KRYLOV_B));
    dv_curve_restart(&self->errors, dv_data_uint(&self->iterations));
    dv_krylov_residual(&self->space);
    const double beta = sqrt(dv_krylov_dot(&self->space, DV_KRYLOV_R, DV_KRYLOV_R));
    self->left = 0.0;
    *products = 1;
    if (beta == 0.0)
        return DV_OK;
    bool converged = false;
    const double left = reduce(self, beta, &converged, products);
    if (b_norm == 0.0)
        return DV_OK;
    self->left = left / b_norm;
    (void)dv_krylov_solver_record(self, converged ? 0.0 : left, b_norm, dv_data_double(&self->tolerance), of_step);
    return DV_OK;
}

static DvStatus init(DvObject *object, void *self)
{
    return dv_krylov_solver_open(object, self, NULL, dv_object_variant(object), VECTORS);
}

static const DvKrylovOps operations = {
    .solver = {DV_KRYLOV_SOLVER_OPS, .set_system = dv_krylov_solver_set_system,
               .uses_guess = dv_krylov_solver_starts_from_guess, .takes = dv_krylov_solver_takes_nearly_symmetric},
    .iterate = iterate,
};

const DvClass dv_min_res_linear_solver = {
    .size = sizeof(DvClass),
    .name = "MinResLinearSolver",
    .variants =
        "CompressedRowSparseMatrixMat2x2d CompressedRowSparseMatrixMat3x3d CompressedRowSparseMatrixMat4x4d "
        "CompressedRowSparseMatrixMat6x6d CompressedRowSparseMatrixMat8x8d CompressedRowSparseMatrixd FullMatrix "
        "GraphScattered SparseMatrix",
    .default_variant = "GraphScattered",
    .module = "Sofa.Component.LinearSolver.Iterative",
    .help = "MINRES, for symmetric systems that need not be definite, without a matrix or with the assembled one.",
    .instance_size = sizeof(MinResLinearSolver),
    .fields = fields,
    .init = init,
    .reset = dv_krylov_solver_reset,
    .update = dv_krylov_solver_update,
    .destroy = dv_krylov_solver_destroy,
    DV_KRYLOV_CLASS(operations, dv_krylov_solver_record_ops, "MatrixLinearSolver", "LinearSolver"),
};
