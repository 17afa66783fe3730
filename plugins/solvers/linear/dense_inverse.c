/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The inverse of a symmetric matrix, all of it.
 */
#include "linear/dense_inverse.h"

#include "linear/block_ldl_many.h"

#include <divan/divan.h>
#include <divan/kit/block_product.h>
#include <divan/math/simd.h>
#include <divan/memory.h>
#include <divan/output.h>
#include <divan/parallel.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers of files are written as they are in memory");

enum { BAND = 4, BATCH = 64 };

/* How far a product with the matrix may be from the identity: of a file, and of what a solver makes before that is said. */
static const double FITS = 1e-6, ROUGH = 1e-3;

static void forget(DenseInverse *inverse)
{
    dv_free(inverse->place);
    dv_free(inverse->unknown);
    dv_free(inverse->diagonal);
    dv_free(inverse->gathered);
    inverse->place = inverse->unknown = NULL;
    inverse->diagonal = inverse->gathered = inverse->bands = NULL;
    inverse->n = 0;
    inverse->active = 0;
}

void dense_inverse_free(DenseInverse *inverse)
{
    forget(inverse);
    dv_data_set(&inverse->numbers, NULL, 0);
    dv_data_set(&inverse->unknowns, NULL, 0);
}

bool dense_inverse_is_of(const DenseInverse *inverse, size_t n, DvFactors factors)
{
    const DvFactors own = inverse->factors;
    return inverse->n == n && own.m == factors.m && own.b == factors.b && own.k == factors.k;
}

/* ---- Bands ---- */

/* Numbers in a row of band `t`: up to the diagonal, as a multiple of eight. */
static size_t width_of(size_t t)
{
    return (BAND * t + BAND + DV_LANES - 1) / DV_LANES * DV_LANES;
}

/* Where band t begins: two bands have the same width, 8, 16, ... */
static size_t begin_of(size_t t)
{
    const size_t pairs = t / 2, before = 2 * BAND * DV_LANES * pairs * (pairs + 1) / 2;
    return before + (t % 2 ? BAND * width_of(t) : 0);
}

/* The diagonal is halved: a product adds each number on both sides. */
static double *entry_of(const DenseInverse *inverse, uint32_t i, uint32_t j)
{
    const uint32_t row = i > j ? i : j, column = i > j ? j : i;
    const size_t t = row / BAND;
    return inverse->bands + begin_of(t) + row % BAND * width_of(t) + column;
}

static double dense_inverse_entry(const DenseInverse *inverse, size_t i, size_t j)
{
    const uint32_t row = inverse->place[i], column = inverse->place[j];
    if (row == UINT32_MAX || column == UINT32_MAX)
        return i == j ? inverse->diagonal[i] : 0.0;
    return *entry_of(inverse, row, column) * (row == column ? 2.0 : 1.0);
}

/* ---- Products ---- */

typedef struct Product {
    const DenseInverse *inverse;
    const double *x;
    double *parts; /* [chunks][padded] */
    uint32_t bands, chunks;
} Product;

/* Bands whose numbers are about an n-th of all. */
static uint32_t first_band(const Product *work, uint32_t chunk)
{
    return (uint32_t)(work->bands * sqrt((double)chunk / work->chunks));
}

DV_SIMD_CLONES static void multiply_bands(const DenseInverse *inverse, uint32_t begin, uint32_t end, const double *x,
                                          double *y)
{
    for (size_t t = begin; t < end; t++) {
        const size_t width = width_of(t);
        const double *row = inverse->bands + begin_of(t);
        const double x0 = x[BAND * t], x1 = x[BAND * t + 1], x2 = x[BAND * t + 2], x3 = x[BAND * t + 3];
        DvReal8 s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};
        for (size_t j = 0; j < width; j += DV_LANES) {
            const DvReal8 v = DV_REAL8(x + j), w0 = DV_REAL8(row + j), w1 = DV_REAL8(row + width + j),
                          w2 = DV_REAL8(row + 2 * width + j), w3 = DV_REAL8(row + 3 * width + j);
            s0 += w0 * v;
            s1 += w1 * v;
            s2 += w2 * v;
            s3 += w3 * v;
            DV_REAL8_SET(y + j) = DV_REAL8(y + j) + ((x0 * w0 + x1 * w1) + (x2 * w2 + x3 * w3));
        }
        y[BAND * t] += DV_REAL8_SUM(s0);
        y[BAND * t + 1] += DV_REAL8_SUM(s1);
        y[BAND * t + 2] += DV_REAL8_SUM(s2);
        y[BAND * t + 3] += DV_REAL8_SUM(s3);
    }
}

static void multiply_chunks(void *context, uint32_t begin, uint32_t end)
{
    const Product *work = context;
    for (uint32_t c = begin; c < end; c++) {
        double *part = work->parts + (size_t)c * work->inverse->padded;
        memset(part, 0, work->inverse->padded * sizeof *part);
        multiply_bands(work->inverse, first_band(work, c), first_band(work, c + 1), work->x, part);
    }
}

void dense_inverse_apply(const DenseInverse *inverse, double *x, const double *b)
{
    const uint32_t small = 256;
    double *gathered = inverse->gathered, *parts = gathered + inverse->padded;
    for (uint32_t a = 0; a < inverse->active; a++)
        gathered[a] = b[inverse->unknown[a]];
    const uint32_t chunks = !inverse->active ? 0 : inverse->active < small ? 1 : DENSE_INVERSE_CHUNKS;
    Product work = {inverse, gathered, parts, (inverse->active + BAND - 1) / BAND, chunks};
    dv_parallel_for(work.chunks, 1, multiply_chunks, &work);
    for (uint32_t c = 1; c < work.chunks; c++)
        for (uint32_t a = 0; a < inverse->active; a++)
            parts[a] += parts[(size_t)c * inverse->padded + a];
    for (size_t i = 0; i < inverse->n; i++)
        x[i] = inverse->place[i] == UINT32_MAX ? inverse->diagonal[i] * b[i] : parts[inverse->place[i]];
}

void dense_inverse_compliance(const DenseInverse *inverse, const DvSparseRows *j, double factor, double *w,
                              size_t stride)
{
    for (uint32_t r = 0; r < j->rows; r++)
        for (uint32_t s = r; s < j->rows; s++) {
            double sum = 0.0;
            for (uint32_t e = j->row_start[r]; e < j->row_start[r + 1]; e++) {
                double part = 0.0;
                for (uint32_t f = j->row_start[s]; f < j->row_start[s + 1]; f++)
                    part += dense_inverse_entry(inverse, j->columns[e], j->columns[f]) * j->values[f];
                sum += j->values[e] * part;
            }
            w[stride * r + s] += factor * sum;
            if (s != r)
                w[stride * s + r] += factor * sum;
        }
}

/* ---- Memory ---- */

static bool is_alone(const DvBlockMatrix *a, uint32_t row, uint32_t k)
{
    const uint32_t b = a->block;
    for (uint32_t e = a->row_start[row]; e < a->row_start[row + 1]; e++)
        for (uint32_t c = 0; c < b; c++)
            if (a->values[((size_t)e * b + k) * b + c] != 0.0 && (e != a->diagonal[row] || c != k))
                return false;
    return true;
}

static void reserve_unknowns(DenseInverse *inverse, size_t n)
{
    inverse->place = dv_alloc(n, sizeof *inverse->place);
    inverse->unknown = dv_alloc(n, sizeof *inverse->unknown);
    inverse->diagonal = dv_alloc(n, sizeof *inverse->diagonal);
    inverse->n = n;
    inverse->active = 0;
}

/* Numbers of the bands, once it is known which unknowns are coupled. */
static size_t reserve_product(DenseInverse *inverse)
{
    inverse->padded = (uint32_t)width_of(inverse->active / BAND);
    inverse->gathered = dv_alloc((1 + DENSE_INVERSE_CHUNKS) * (size_t)inverse->padded, sizeof *inverse->gathered);
    return begin_of((inverse->active + BAND - 1) / BAND);
}

static DvStatus reserve(DenseInverse *inverse, const DvObject *object, const DvBlockMatrix *a)
{
    const size_t n = (size_t)a->rows * a->block;
    dense_inverse_free(inverse);
    reserve_unknowns(inverse, n);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t row = i / a->block, k = i % a->block;
        const bool alone = is_alone(a, row, k);
        const double entry = a->values[((size_t)a->diagonal[row] * a->block + k) * a->block + k];
        inverse->place[i] = alone ? UINT32_MAX : inverse->active;
        if (alone && entry != 0.0)
            inverse->diagonal[i] = 1.0 / entry;
        else if (!alone)
            inverse->unknown[inverse->active++] = i;
    }
    const size_t numbers = reserve_product(inverse);
    const DvStatus status =
        dv_memory_ask(object, (double)numbers * sizeof *inverse->bands, "the inverse of a matrix of %zu unknowns", n);
    if (status != DV_OK)
        return status;
    inverse->bands = dv_data_begin_all(&inverse->numbers, numbers);
    memset(inverse->bands, 0, numbers * sizeof *inverse->bands);
    return DV_OK;
}

/* ---- State of a run ---- */

enum { FACTORS = 3 };

static void keep(DenseInverse *inverse, DvFactors factors)
{
    dv_data_end(&inverse->numbers);
    double *kept = dv_data_begin_all(&inverse->unknowns, FACTORS + 2 * inverse->n);
    kept[0] = factors.m;
    kept[1] = factors.b;
    kept[2] = factors.k;
    for (size_t i = 0; i < inverse->n; i++) {
        kept[FACTORS + 2 * i] = inverse->place[i] == UINT32_MAX ? -1.0 : (double)inverse->place[i];
        kept[FACTORS + 2 * i + 1] = inverse->diagonal[i];
    }
    dv_data_end(&inverse->unknowns);
    inverse->factors = factors;
}

/* Places of coupled unknowns go up by one. */
static bool take_unknowns(DenseInverse *inverse, const double *kept)
{
    for (uint32_t i = 0; i < inverse->n; i++) {
        const double place = kept[2 * (size_t)i];
        if (place != -1.0 && place != (double)inverse->active)
            return false;
        inverse->place[i] = place == -1.0 ? UINT32_MAX : inverse->active;
        inverse->diagonal[i] = kept[2 * (size_t)i + 1];
        if (place != -1.0)
            inverse->unknown[inverse->active++] = i;
    }
    return true;
}

void dense_inverse_restore(DenseInverse *inverse)
{
    size_t count, numbers;
    const double *kept = dv_data_doubles(&inverse->unknowns, &count);
    (void)dv_data_doubles(&inverse->numbers, &numbers);
    forget(inverse);
    if (count <= FACTORS || count % 2 != FACTORS % 2 || count / 2 > UINT32_MAX)
        return;
    reserve_unknowns(inverse, (count - FACTORS) / 2);
    inverse->factors = (DvFactors){.m = kept[0], .b = kept[1], .k = kept[2]};
    if (take_unknowns(inverse, kept + FACTORS) && reserve_product(inverse) == numbers)
        inverse->bands = dv_data_begin(&inverse->numbers, numbers);
    else
        forget(inverse);
    if (inverse->bands != NULL)
        dv_data_end(&inverse->numbers);
}

/* Row `a` of the active unknowns, from numbers of all unknowns. */
static void set_row(DenseInverse *inverse, uint32_t a, const double *row, double factor)
{
    for (uint32_t c = 0; c <= a; c++)
        *entry_of(inverse, a, c) = row[inverse->unknown[c]] / factor * (c == a ? 0.5 : 1.0);
}

/* ---- Making ---- */

/* What a file would give back is what is taken: a run is the same with one and without. */
static DvStatus solve_columns(DenseInverse *inverse, const DvObject *object, ManySolver solver, double factor)
{
    uint32_t start[BATCH + 1];
    double ones[BATCH];
    const size_t n = inverse->n;
    double *x = dv_alloc(BATCH * (n + 1), sizeof *x);
    DvStatus status = DV_OK;
    for (uint32_t first = 0; first < inverse->active && status == DV_OK; first += BATCH) {
        const uint32_t count = inverse->active - first < BATCH ? inverse->active - first : BATCH;
        for (uint32_t i = 0; i <= count; i++) {
            start[i] = i;
            if (i < count)
                ones[i] = 1.0;
        }
        const DvSparseRows rows = {count, start, inverse->unknown + first, ones};
        status = solver.solve_many(solver.self, &rows, x, n + 1, NULL);
        for (uint32_t i = 0; i < count && status == DV_OK; i++) {
            for (size_t k = 0; k < n; k++)
                x[i * (n + 1) + k] *= factor;
            set_row(inverse, first + i, x + i * (n + 1), factor);
        }
    }
    for (uint32_t a = 0; a < inverse->active && status == DV_OK; a++)
        if (!isfinite(*entry_of(inverse, a, a)))
            status =
                dv_error(object, DV_ERROR_SINGULAR,
                         "the matrix has no inverse. Give every point mass or stiffness, and hold bodies that nothing "
                         "else holds");
    dv_free(x);
    return status;
}

/* How far W A v is from v, of numbers v of either sign: relative. */
static double distance_from_inverse(const DenseInverse *inverse, const DvBlockMatrix *a)
{
    const double golden = 0.61803398874989485;
    const DvStepMark mark = dv_step_mark();
    const size_t n = inverse->n;
    double *v = dv_step_alloc(n + 1, sizeof *v), *product = dv_step_alloc(n + 1, sizeof *product);
    for (size_t i = 0; i < n; i++)
        v[i] = fmod(golden * (double)(i + 1), 1.0) - 0.5;
    v[n] = product[n] = 0.0;
    (void)dv_block_product(a, v, product);
    dense_inverse_apply(inverse, product, product);
    double off = 0.0, size = 0.0;
    for (size_t i = 0; i < n; i++) {
        off += (product[i] - v[i]) * (product[i] - v[i]);
        size += v[i] * v[i];
    }
    dv_step_release(mark);
    return sqrt(off / size);
}

static bool read_rows(DenseInverse *inverse, FILE *file, double factor)
{
    const size_t n = inverse->n;
    double *row = dv_alloc(n, sizeof *row);
    bool good = true;
    for (size_t i = 0; i < n && good; i++) {
        good = fread(row, sizeof *row, n, file) == n;
        for (size_t j = 0; j < n && good; j++)
            good = isfinite(row[j]);
        if (good && inverse->place[i] != UINT32_MAX)
            set_row(inverse, inverse->place[i], row, factor);
    }
    dv_free(row);
    return good;
}

/* Whether the inverse comes from the file; what speaks against it is said. */
static bool read_file(DenseInverse *inverse, const DvObject *object, const DvBlockMatrix *a, InverseFile file)
{
    FILE *stream = fopen(file.path, "rb");
    if (stream == NULL)
        return false;
    const double wanted = 8.0 * (double)inverse->n * (double)inverse->n;
    const long bytes = fseek(stream, 0, SEEK_END) == 0 ? ftell(stream) : -1;
    bool good = bytes >= 0 && (double)bytes == wanted && fseek(stream, 0, SEEK_SET) == 0;
    if (!good) {
        dv_remark(object,
                  "'%s' is of another system: it has %ld bytes, %zu unknowns have %.0f; the inverse is made anew",
                  file.path, bytes, inverse->n, wanted);
    } else {
        good = read_rows(inverse, stream, file.factor);
        const double off = good ? distance_from_inverse(inverse, a) : INFINITY;
        if (!good)
            dv_remark(object,
                      "'%s' has numbers that are not finite, or cannot be read to its end; the inverse is made anew",
                      file.path);
        else if (!(off <= FITS))
            dv_remark(object,
                      "'%s' is not the inverse of this matrix: a product of both is %.1e off; the inverse is made anew",
                      file.path, off);
        good = off <= FITS;
    }
    fclose(stream);
    return good;
}

/* A file that cannot be written costs time in the next run, nothing else. */
static void write_file(const DenseInverse *inverse, const DvObject *object, InverseFile file)
{
    const size_t n = inverse->n;
    double *numbers = dv_try_alloc(n * n, sizeof *numbers);
    DvText why = {0};
    if (numbers == NULL) {
        dv_remark(object, "there is no memory to write '%s'; the next run makes the inverse again", file.path);
        return;
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++)
            numbers[i * n + j] = numbers[j * n + i] = dense_inverse_entry(inverse, i, j) * file.factor;
    if (dv_scene_output_update(dv_node_scene(dv_object_node(object)), file.path, numbers, n * n * sizeof *numbers,
                               &why) != DV_OK)
        dv_remark(object, "cannot write '%s': %s; the next run makes the inverse again", file.path,
                  why.at ? why.at : "");
    dv_text_free(&why);
    dv_free(numbers);
}

DvStatus dense_inverse_make(DenseInverse *inverse, const DvObject *object, const DvBlockMatrix *a, DvFactors factors,
                            ManySolver solver, InverseFile file)
{
    DvStatus status = reserve(inverse, object, a);
    if (status == DV_OK && (file.path == NULL || !read_file(inverse, object, a, file))) {
        status = solve_columns(inverse, object, solver, file.factor);
        const double off = status == DV_OK ? distance_from_inverse(inverse, a) : 0.0;
        if (!(off <= ROUGH))
            dv_warning(
                object,
                "its solver leaves an inverse whose product with the matrix is %.1e off; take SparseLDLSolver, or give it "
                "more iterations and a lower tolerance",
                off);
        if (status == DV_OK && file.path != NULL)
            write_file(inverse, object, file);
    }
    if (status == DV_OK)
        keep(inverse, factors);
    else
        dense_inverse_free(inverse);
    return status;
}

InverseFile dense_inverse_file(const DvObject *object, size_t n, double dt, bool use, DvText *name)
{
    DvNode *node = dv_object_node(object);
    DvObject *ode = dv_node_find(node, DV_ODE_SOLVER, DV_SEARCH_UP);
    const DvOdeSolverOps *ops = ode != NULL && dv_object_is_valid(ode) ? dv_object_ops(ode, DV_ODE_SOLVER) : NULL;
    const double factor =
        ops != NULL && ops->position_factor != NULL ? ops->position_factor(dv_object_self(ode), dt) : 1.0;
    if (use)
        dv_text_add(name, "%s-%zu-%g.comp", dv_node_name(node), n, dt);
    return (InverseFile){use ? name->at : NULL, isfinite(factor) && factor != 0.0 ? factor : 1.0};
}

/* ---- By a factorization of its own ---- */

static DvStatus solve_by_factor(void *many, const DvSparseRows *b, double *x, size_t stride, double *residual)
{
    (void)residual;
    dv_ldl_many_forward(many, b);
    dv_ldl_many_backward(many, x, stride);
    return DV_OK;
}

static DvStatus factor(DvBlockLdl *ldl, const DvLinearSolver *solver, const DvBlockMatrix *a)
{
    uint32_t failed = 0;
    dv_block_ldl_analyse(ldl, a, NULL, NULL);
    const DvStatus status = dv_block_ldl_factor(ldl, a, &failed);
    if (status == DV_ERROR_SINGULAR)
        return dv_linear_solver_refuse_singular(solver, a, failed);
    if (status == DV_OK && !dv_block_ldl_is_positive(ldl, &failed))
        return dv_linear_solver_refuse_indefinite(solver, failed, "SparseLDLSolver");
    return status;
}

DvStatus dense_inverse_make_by_factor(DenseInverse *inverse, const DvLinearSolver *solver, const DvBlockMatrix *a,
                                      DvFactors factors, double dt, bool use_file)
{
    const DvObject *object = dv_object_of(solver);
    DvBlockLdl *ldl = dv_block_ldl_new();
    dv_block_ldl_set_owner(ldl, object);
    DvStatus status = factor(ldl, solver, a);
    if (status == DV_OK) {
        DvLdlMany *many = dv_ldl_many_new(ldl);
        DvText name = {0};
        const InverseFile file = dense_inverse_file(object, solver->n, dt, use_file, &name);
        status = dense_inverse_make(inverse, object, a, factors, (ManySolver){solve_by_factor, many}, file);
        dv_text_free(&name);
        dv_ldl_many_free(many);
    }
    dv_block_ldl_free(ldl);
    return status;
}
