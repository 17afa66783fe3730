/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * GMRESLinearSolver: generalised minimal residuals (Saad and Schultz 1986) for systems that are not symmetric, always starting from the given
 * x. It gets stiffness as it is: of loads that follow a surface, of rigid bodies under load.
 *
 * The basis V of the Krylov space of A P^-1 is made orthonormal vector by vector (modified Gram and Schmidt), H = V^T A P^-1 V triangular by
 * rotations as it grows, and x is corrected by P^-1 V y when |r| / |b| is within `tolerance`, or the basis has `restart` vectors and is begun
 * anew. Preconditioned from the right, so that r is the true residual; P is any linear solver with a factor, or a preconditioner.
 */
#include <divan/kit/krylov.h>
#include <divan/memory.h>

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct GmresLinearSolver {
    DvKrylovSolver krylov;
    DvData restart;
    DvLink preconditioner_link;
    DvLinearSolverUse preconditioner;
    double *basis, *h; /* [restart + 1][n]; [restart] columns of restart + 1, then cosines, sines, right-hand side, y */
    size_t basis_capacity, h_capacity;
} GmresLinearSolver;

static const DvField fields[] = {
    DV_KRYLOV_FIELDS(GmresLinearSolver, krylov, 0,
                     "stop when the residual has shrunk to this part of the right-hand side",
                     "relative residual of each iteration of the last solve"),
    DV_FIELD(GmresLinearSolver, restart, "restart", dv_type_uint, .init = "30", .range = &dv_range_count,
             .help = "vectors that are kept; then the method begins anew from where it is"),
    DV_LINK(GmresLinearSolver, preconditioner_link, "preconditioner", DV_LINEAR_SOLVER,
            .help = "linear solver with a factor, or a preconditioner; none: plain GMRES"),
    {0},
};

static DvStatus init(DvObject *object, void *self_)
{
    GmresLinearSolver *self = self_;
    DvObject *found = dv_link_object(&self->preconditioner_link);
    if (dv_link_is_set(&self->preconditioner_link) && found == NULL)
        return dv_field_error(&self->preconditioner_link.data, -1, "leads to no linear solver");
    if (found == object)
        return dv_field_error(&self->preconditioner_link.data, -1, "leads to itself");
    if (found != NULL) {
        const DvStatus status = dv_object_require(object, found);
        if (status != DV_OK)
            return status;
        self->preconditioner = (DvLinearSolverUse){dv_object_ops(found, DV_LINEAR_SOLVER), dv_object_self(found)};
        if (self->preconditioner.ops->solve_flat == NULL)
            return dv_field_error(
                &self->preconditioner_link.data, -1,
                "'%s' has no factor; a preconditioner needs one, or is one such as JacobiPreconditioner",
                dv_object_name(found));
    }
    return dv_krylov_solver_init(object, self);
}

/* The preconditioner first: what the system is then multiplied by is the last that is assembled. Symmetric methods get their part of it. */
static DvStatus set_system(void *self_, DvMechanics *m, const DvStep *step, DvFactors factors)
{
    GmresLinearSolver *self = self_;
    if (self->preconditioner.ops != NULL) {
        DvStep of_preconditioner = *step;
        of_preconditioner.kind = dv_linear_solver_takes(self->preconditioner);
        const DvStatus status =
            self->preconditioner.ops->set_system(self->preconditioner.self, m, &of_preconditioner, factors);
        if (status != DV_OK)
            return status;
    }
    return dv_krylov_solver_set_system(self, m, step, factors);
}

/* ---- Vectors of the basis ---- */

static void reserve(GmresLinearSolver *self, size_t restart)
{
    const size_t numbers = (restart + 1) * (self->krylov.space.n + 1), small = (restart + 1) * (restart + 5);
    if (numbers > self->basis_capacity) {
        dv_free(self->basis);
        self->basis_capacity = numbers;
        self->basis = dv_alloc(numbers, sizeof *self->basis);
    }
    if (small > self->h_capacity) {
        dv_free(self->h);
        self->h_capacity = small;
        self->h = dv_alloc(small, sizeof *self->h);
    }
}

static double *vector_of(const GmresLinearSolver *self, uint32_t j)
{
    return self->basis + j * (self->krylov.space.n + 1);
}

static void store(DvKrylovSpace *space, int vector, double *flat)
{
    if (space->matrix != NULL)
        memcpy(flat, space->flat[vector], space->n * sizeof *flat);
    else
        space->ops->gather(space->m, flat, space->ids[vector]);
    flat[space->n] = 0.0;
}

static void load(DvKrylovSpace *space, int vector, const double *flat)
{
    if (space->matrix != NULL)
        memcpy(space->flat[vector], flat, space->n * sizeof *flat);
    else
        space->ops->scatter(space->m, space->ids[vector], flat);
}

static double dot(const double *a, const double *b, size_t n)
{
    double part[4] = {0};
    size_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (int k = 0; k < 4; k++)
            part[k] += a[i + (size_t)k] * b[i + (size_t)k];
    for (; i < n; i++)
        part[0] += a[i] * b[i];
    return (part[0] + part[1]) + (part[2] + part[3]);
}

static void add(double *r, const double *a, double k, size_t n)
{
    for (size_t i = 0; i < n; i++)
        r[i] += k * a[i];
}

/* P = P^-1 v. */
static DvStatus load_preconditioned(GmresLinearSolver *self, const double *v)
{
    DvKrylovSpace *space = &self->krylov.space;
    if (self->preconditioner.ops == NULL) {
        load(space, DV_KRYLOV_P, v);
        return DV_OK;
    }
    const DvStepMark mark = dv_step_mark();
    double *z = dv_step_alloc(space->n + 1, sizeof *z);
    const DvStatus status = self->preconditioner.ops->solve_flat(self->preconditioner.self, z, v, space->n);
    z[space->n] = 0.0;
    load(space, DV_KRYLOV_P, z);
    dv_step_release(mark);
    return status;
}

/* ---- The method ---- */

/* Column j of H gets the rotations before it and one more, which makes it end at its diagonal; the right-hand side too. */
static void rotate(double *column, double *cosine, double *sine, double *g, uint32_t j)
{
    for (uint32_t i = 0; i < j; i++) {
        const double upper = column[i], lower = column[i + 1];
        column[i] = cosine[i] * upper + sine[i] * lower;
        column[i + 1] = cosine[i] * lower - sine[i] * upper;
    }
    const double length = hypot(column[j], column[j + 1]);
    cosine[j] = length > 0.0 ? column[j] / length : 1.0;
    sine[j] = length > 0.0 ? column[j + 1] / length : 0.0;
    column[j] = length;
    g[j + 1] = -sine[j] * g[j];
    g[j] *= cosine[j];
}

/* From the residual R of norm beta, until the residual is `bound`, the basis is full or there are no more iterations: X, and the norm of what
 * is left by the rotations. */
static DvStatus cycle(GmresLinearSolver *self, double beta, double bound, double b_norm, uint32_t *products,
                      double *left)
{
    DvKrylovSpace *space = &self->krylov.space;
    const size_t n = space->n;
    const uint32_t restart = dv_data_uint(&self->restart), iterations = dv_data_uint(&self->krylov.iterations);
    double *cosine = self->h + (size_t)restart * (restart + 1), *sine = cosine + restart, *g = sine + restart,
           *y = g + restart + 1;
    double *v = vector_of(self, 0);
    store(space, DV_KRYLOV_R, v);
    for (size_t i = 0; i < n; i++)
        v[i] /= beta;
    g[0] = beta;
    uint32_t size = 0;
    DvStatus status = DV_OK;
    for (bool goes_on = true; goes_on && status == DV_OK;) {
        double *column = self->h + (size_t)size * (restart + 1), *next = vector_of(self, size + 1);
        status = load_preconditioned(self, vector_of(self, size));
        (void)dv_krylov_product(space, DV_KRYLOV_Q, DV_KRYLOV_P);
        store(space, DV_KRYLOV_Q, next);
        const double before = sqrt(dot(next, next, n));
        for (uint32_t i = 0; i <= size; i++) {
            column[i] = dot(vector_of(self, i), next, n);
            add(next, vector_of(self, i), -column[i], n);
        }
        const double norm = column[size + 1] = sqrt(dot(next, next, n));
        rotate(column, cosine, sine, g, size);
        *left = fabs(g[++size]);
        ++*products;
        dv_curve_add(&self->krylov.errors, *left / b_norm);
        /* A basis that spans all that is reached solves the system. */
        goes_on = *left > bound && size < restart && *products <= iterations && norm > DBL_EPSILON * before;
        for (size_t i = 0; i < n && goes_on; i++)
            next[i] /= norm;
    }
    for (uint32_t i = size; i-- > 0;) {
        y[i] = g[i];
        for (uint32_t j = i + 1; j < size; j++)
            y[i] -= self->h[(size_t)j * (restart + 1) + i] * y[j];
        const double diagonal = self->h[(size_t)i * (restart + 1) + i];
        y[i] = diagonal != 0.0 ? y[i] / diagonal : 0.0;
    }
    double *sum = vector_of(self, restart); /* of no use any more */
    memset(sum, 0, (n + 1) * sizeof *sum);
    for (uint32_t j = 0; j < size; j++)
        if (vector_of(self, j) != sum)
            add(sum, vector_of(self, j), y[j], n);
    if (status == DV_OK)
        status = load_preconditioned(self, sum);
    dv_krylov_combine(space, DV_KRYLOV_X, DV_KRYLOV_X, DV_KRYLOV_P, 1.0);
    return status;
}

static DvStatus iterate(void *self_, bool of_step, uint32_t *products)
{
    GmresLinearSolver *self = self_;
    DvKrylovSolver *krylov = &self->krylov;
    DvKrylovSpace *space = &krylov->space;
    const double tolerance = dv_data_double(&krylov->tolerance);
    const double b_norm = sqrt(dv_krylov_dot(space, DV_KRYLOV_B, DV_KRYLOV_B));
    krylov->left = 0.0;
    dv_curve_restart(&krylov->errors, dv_data_uint(&krylov->iterations));
    if (b_norm == 0.0) {
        dv_krylov_clear(space, DV_KRYLOV_X);
        return DV_OK;
    }
    reserve(self, dv_data_uint(&self->restart));
    dv_krylov_residual(space);
    double left = sqrt(dv_krylov_dot(space, DV_KRYLOV_R, DV_KRYLOV_R)), before = INFINITY;
    DvStatus status = DV_OK;
    *products = 1; /* of the first residual */
    dv_curve_add(&krylov->errors, left / b_norm);
    /* A cycle that gains nothing is the last: the residual that is left has no part in what A reaches. */
    while (status == DV_OK && left > tolerance * b_norm && *products <= dv_data_uint(&krylov->iterations) &&
           left < before) {
        before = left;
        status = cycle(self, left, tolerance * b_norm, b_norm, products, &left);
        dv_krylov_residual(space);
        left = sqrt(dv_krylov_dot(space, DV_KRYLOV_R, DV_KRYLOV_R));
    }
    krylov->left = left / b_norm;
    (void)dv_krylov_solver_record(krylov, left, b_norm, tolerance, of_step);
    return status;
}

static DvMatrixKind takes(void *self)
{
    (void)self;
    return DV_MATRIX_ANY;
}

static void destroy(DvObject *object, void *self_)
{
    GmresLinearSolver *self = self_;
    dv_free(self->basis);
    dv_free(self->h);
    dv_krylov_solver_destroy(object, self);
}

static const DvKrylovOps operations = {
    .solver = {DV_KRYLOV_SOLVER_OPS, .set_system = set_system, .uses_guess = dv_krylov_solver_starts_from_guess,
               .takes = takes},
    .iterate = iterate,
};

const DvClass dv_gmres_linear_solver = {
    .size = sizeof(DvClass),
    .name = "GMRESLinearSolver",
    .variants =
        "CompressedRowSparseMatrixMat2x2d CompressedRowSparseMatrixMat3x3d CompressedRowSparseMatrixMat4x4d "
        "CompressedRowSparseMatrixMat6x6d CompressedRowSparseMatrixMat8x8d CompressedRowSparseMatrixd FullMatrix "
        "GraphScattered SparseMatrix",
    .default_variant = "CompressedRowSparseMatrixd",
    .module = "Sofa.Component.LinearSolver.Iterative",
    .help = "GMRES, for systems that are not symmetric, with the assembled matrix or without one.",
    .instance_size = sizeof(GmresLinearSolver),
    .fields = fields,
    .init = init,
    .reset = dv_krylov_solver_reset,
    .update = dv_krylov_solver_update,
    .destroy = destroy,
    DV_KRYLOV_CLASS(operations, dv_krylov_solver_record_ops, "MatrixLinearSolver", "LinearSolver"),
};
