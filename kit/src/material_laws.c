/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The kit's materials. Isotropic ones are functions of I1 = tr C, I2 = (I1^2 - tr C^2) / 2 and J = det F, with C = F^T F: such a law gives
 * its derivatives by these, and stress and tangent follow for all of them in the same way. Bonet and Wood, Nonlinear continuum mechanics
 * for finite element analysis, chapter 6.
 */
#include <divan/kit/material_law.h>

#include <divan/log.h>
#include <divan/memory.h>
#include <divan/plugin.h>

#include <math.h>
#include <string.h>

DV_SIMD_INLINE DvReal8 log8(DvReal8 a)
{
    DvReal8 r = a;
    for (int lane = 0; lane < DV_LANES; lane++)
        r[lane] = log(a[lane]);
    return r;
}

DV_SIMD_INLINE DvReal8 exp8(DvReal8 a)
{
    DvReal8 r = a;
    for (int lane = 0; lane < DV_LANES; lane++)
        r[lane] = exp(a[lane]);
    return r;
}

DV_SIMD_INLINE DvReal8 inner(const DvReal8 a[3][3], const DvReal8 b[3][3])
{
    return dv_real8_dot(a[0], b[0]) + dv_real8_dot(a[1], b[1]) + dv_real8_dot(a[2], b[2]);
}

/* r = a b and a^T b */
DV_SIMD_INLINE void multiply(const DvReal8 a[3][3], const DvReal8 b[3][3], DvReal8 r[3][3])
{
    DV_EACH (i, 3)
        DV_EACH (j, 3)
            r[i][j] = a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j];
}

DV_SIMD_INLINE void multiply_transposed(const DvReal8 a[3][3], const DvReal8 b[3][3], DvReal8 r[3][3])
{
    DV_EACH (i, 3)
        DV_EACH (j, 3)
            r[i][j] = a[0][i] * b[0][j] + a[1][i] * b[1][j] + a[2][i] * b[2][j];
}

/* ---- Hooke ---- */

DV_SIMD_CLONES static void hooke_stress(const DvReal8 *parameters, const DvReal8 f[3][3], DvReal8 p[3][3])
{
    const DvReal8 pressure = parameters[0] * (f[0][0] + f[1][1] + f[2][2] - 3.0), mu = parameters[1];
    DV_EACH (i, 3)
        DV_EACH (j, 3) {
            p[i][j] = mu * (f[i][j] + f[j][i]);
            if (i == j)
                p[i][j] = pressure + mu * (2.0 * (f[i][i] - 1.0));
        }
}

DV_SIMD_CLONES static void hooke_tangent(const DvReal8 *parameters, const DvReal8 f[3][3], const DvReal8 df[3][3],
                                         DvReal8 dp[3][3])
{
    (void)f;
    const DvReal8 pressure = parameters[0] * (df[0][0] + df[1][1] + df[2][2]), mu = parameters[1];
    DV_EACH (i, 3)
        DV_EACH (j, 3) {
            dp[i][j] = mu * (df[i][j] + df[j][i]);
            if (i == j)
                dp[i][j] += pressure;
        }
}

DV_SIMD_CLONES static void hooke_energy(const DvReal8 *parameters, const DvReal8 f[3][3], DvReal8 *w)
{
    DvReal8 squares = {0};
    const DvReal8 trace = f[0][0] + f[1][1] + f[2][2] - 3.0;
    DV_EACH (i, 3)
        DV_EACH (j, 3) {
            const DvReal8 e = 0.5 * (f[i][j] + f[j][i]) - (i == j ? 1.0 : 0.0);
            squares += e * e;
        }
    *w = 0.5 * parameters[0] * trace * trace + parameters[1] * squares;
}

static const char *const hooke_parameters[] = {"lambda", "mu", NULL};
const DvMaterialLaw dv_hooke_law = {.size = sizeof(DvMaterialLaw),
                                    .name = "Hooke",
                                    .parameters = hooke_parameters,
                                    .linear = true,
                                    .energy8 = hooke_energy,
                                    .stress8 = hooke_stress,
                                    .tangent8 = hooke_tangent};

/* ---- Functions of invariants ---- */

typedef struct Invariants {
    DvReal8 i1, i2, j, log_j, scale; /* scale: J^(-2/3) */
} Invariants;

/* W and its derivatives by I1, I2 and J. The second ones by I2 alone, and by I1 and I2, are zero in all laws here. */
typedef struct Derivatives {
    DvReal8 w, d1, d2, dj, d11, d1j, d2j, djj;
} Derivatives;

/* Adds what a function w(y) of y = J^(-2/3) I1 gives. */
DV_SIMD_INLINE void add_distortion(Derivatives *d, const Invariants *v, DvReal8 w, DvReal8 first, DvReal8 second)
{
    const DvReal8 y = v->scale * v->i1, per_j = 1.0 / v->j;
    d->w += w;
    d->d1 += first * v->scale;
    d->dj += -2.0 / 3.0 * first * y * per_j;
    d->d11 += second * v->scale * v->scale;
    d->d1j += -2.0 / 3.0 * per_j * v->scale * (second * y + first);
    d->djj += per_j * per_j * (4.0 / 9.0 * second * y * y + 10.0 / 9.0 * first * y);
}

/* Adds c (J^(-4/3) I2 - 3). */
DV_SIMD_INLINE void add_second_distortion(Derivatives *d, const Invariants *v, DvReal8 c)
{
    const DvReal8 square = v->scale * v->scale, per_j = 1.0 / v->j;
    d->w += c * (square * v->i2 - 3.0);
    d->d2 += c * square;
    d->dj += -4.0 / 3.0 * c * square * v->i2 * per_j;
    d->d2j += -4.0 / 3.0 * c * square * per_j;
    d->djj += 28.0 / 9.0 * c * square * v->i2 * per_j * per_j;
}

/* Adds k / 2 (ln J)^2. */
DV_SIMD_INLINE void add_volume(Derivatives *d, const Invariants *v, DvReal8 k)
{
    const DvReal8 per_j = 1.0 / v->j;
    d->w += 0.5 * k * v->log_j * v->log_j;
    d->dj += k * v->log_j * per_j;
    d->djj += k * (1.0 - v->log_j) * per_j * per_j;
}

DV_SIMD_INLINE void st_venant_kirchhoff(const DvReal8 *p, const Invariants *v, Derivatives *d)
{
    const DvReal8 mu = p[0], lambda = p[1], a = v->i1 - 3.0;
    d->w = 0.125 * lambda * a * a + 0.25 * mu * (v->i1 * v->i1 - 2.0 * v->i2 - 2.0 * v->i1 + 3.0);
    d->d1 = 0.25 * lambda * a + 0.5 * mu * (v->i1 - 1.0);
    d->d2 = -0.5 * mu;
    d->d11 = 0.25 * lambda + 0.5 * mu;
}

DV_SIMD_INLINE void neo_hookean(const DvReal8 *p, const Invariants *v, Derivatives *d)
{
    const DvReal8 mu = p[0], per_j = 1.0 / v->j;
    d->w = 0.5 * mu * (v->i1 - 3.0) - mu * v->log_j;
    d->d1 = 0.5 * mu;
    d->dj = -mu * per_j;
    d->djj = mu * per_j * per_j;
    add_volume(d, v, p[1]);
}

DV_SIMD_INLINE void stable_neo_hookean(const DvReal8 *p, const Invariants *v, Derivatives *d)
{
    const DvReal8 mu = p[0], stiff = p[0] + p[1], a = v->j - (1.0 + mu / stiff);
    d->w = 0.5 * (mu * (v->i1 - 3.0) + stiff * a * a);
    d->d1 = 0.5 * mu;
    d->dj = stiff * a;
    d->djj = stiff;
}

DV_SIMD_INLINE void mooney_rivlin(const DvReal8 *p, const Invariants *v, Derivatives *d)
{
    const DvReal8 zero = {0};
    add_distortion(d, v, p[0] * (v->scale * v->i1 - 3.0), p[0], zero);
    add_second_distortion(d, v, p[1]);
    add_volume(d, v, p[2]);
}

DV_SIMD_INLINE void veronda_westman(const DvReal8 *p, const Invariants *v, Derivatives *d)
{
    const DvReal8 power = exp8(p[1] * (v->scale * v->i1 - 3.0));
    add_distortion(d, v, p[0] * (power - 1.0), p[0] * p[1] * power, p[0] * p[1] * p[1] * power);
    add_second_distortion(d, v, -0.5 * p[0] * p[1]);
    add_volume(d, v, p[2]);
}

DV_SIMD_INLINE void arruda_boyce(const DvReal8 *p, const Invariants *v, Derivatives *d)
{
    static const double a[5] = {1.0 / 2.0, 1.0 / 160.0, 11.0 / 67200.0, 19.0 / 3584000.0, 519.0 / 2759680000.0};
    const DvReal8 y = v->scale * v->i1;
    DvReal8 w = {0}, first = {0}, second = {0}, power = dv_real8(1.0), before = {0};
    double three = 3.0;
    for (int k = 1; k <= 5; k++, three *= 3.0) { /* power: y^(k - 1) */
        second += a[k - 1] * k * (k - 1) * before;
        first += a[k - 1] * k * power;
        before = power;
        power *= y;
        w += a[k - 1] * (power - three);
    }
    add_distortion(d, v, p[0] * w, p[0] * first, p[0] * second);
    add_volume(d, v, p[1]);
}

/* What a function of invariants is made from. */
typedef struct Shape {
    DvReal8 c[3][3], cofactor[3][3];
    Invariants v;
} Shape;

DV_SIMD_INLINE void measure(const DvReal8 f[3][3], bool of_volume, Shape *s)
{
    multiply_transposed(f, f, s->c);
    DV_EACH (i, 3)
        dv_real8_cross(f[(i + 1) % 3], f[(i + 2) % 3], s->cofactor[i]);
    s->v.i1 = s->c[0][0] + s->c[1][1] + s->c[2][2];
    s->v.i2 = 0.5 * (s->v.i1 * s->v.i1 - inner((const DvReal8(*)[3])s->c, (const DvReal8(*)[3])s->c));
    s->v.j = dv_real8_dot(f[0], s->cofactor[0]);
    s->v.log_j = s->v.scale = dv_real8(0.0);
    if (of_volume) {
        s->v.log_j = log8(s->v.j);
        s->v.scale = exp8(-2.0 / 3.0 * s->v.log_j);
    }
}

DV_SIMD_INLINE void stress_of(const Shape *s, const Derivatives *d, const DvReal8 f[3][3], DvReal8 p[3][3])
{
    const DvReal8 along = 2.0 * (d->d1 + s->v.i1 * d->d2), against = 2.0 * d->d2;
    DvReal8 fc[3][3];
    multiply(f, (const DvReal8(*)[3])s->c, fc);
    DV_EACH (i, 3)
        DV_EACH (j, 3)
            p[i][j] = along * f[i][j] - against * fc[i][j] + d->dj * s->cofactor[i][j];
}

DV_SIMD_INLINE void tangent_of(const Shape *s, const Derivatives *d, const DvReal8 f[3][3], const DvReal8 df[3][3],
                               DvReal8 dp[3][3])
{
    DvReal8 fc[3][3], dc[3][3], a[3][3], dfc[3][3], fdc[3][3], dcofactor[3][3], other[3];
    multiply(f, (const DvReal8(*)[3])s->c, fc);
    multiply_transposed(f, df, a);
    DV_EACH (i, 3)
        DV_EACH (j, 3)
            dc[i][j] = a[i][j] + a[j][i];
    multiply(df, (const DvReal8(*)[3])s->c, dfc);
    multiply(f, (const DvReal8(*)[3])dc, fdc);
    DV_EACH (i, 3) {
        dv_real8_cross(df[(i + 1) % 3], f[(i + 2) % 3], dcofactor[i]);
        dv_real8_cross(f[(i + 1) % 3], df[(i + 2) % 3], other);
        DV_EACH (j, 3)
            dcofactor[i][j] += other[j];
    }
    const DvReal8 di1 = dc[0][0] + dc[1][1] + dc[2][2], dj = inner((const DvReal8(*)[3])s->cofactor, df);
    const DvReal8 di2 = s->v.i1 * di1 - inner((const DvReal8(*)[3])s->c, (const DvReal8(*)[3])dc);
    const DvReal8 d1 = d->d11 * di1 + d->d1j * dj, d2 = d->d2j * dj, dd = d->d1j * di1 + d->d2j * di2 + d->djj * dj;
    const DvReal8 along = 2.0 * (d->d1 + s->v.i1 * d->d2), dalong = 2.0 * (d1 + di1 * d->d2 + s->v.i1 * d2);
    DV_EACH (i, 3)
        DV_EACH (j, 3)
            dp[i][j] = dalong * f[i][j] + along * df[i][j] - 2.0 * (d2 * fc[i][j] + d->d2 * (dfc[i][j] + fdc[i][j])) +
                       dd * s->cofactor[i][j] + d->dj * dcofactor[i][j];
}

#define INVARIANT_LAW(law, text, of_volume, ...)                                                                       \
    DV_SIMD_CLONES static void law##_energy(const DvReal8 *parameters, const DvReal8 f[3][3], DvReal8 *w)              \
    {                                                                                                                  \
        Shape s;                                                                                                       \
        Derivatives d = {{0}, {0}, {0}, {0}, {0}, {0}, {0}, {0}};                                                      \
        measure(f, of_volume, &s);                                                                                     \
        law(parameters, &s.v, &d);                                                                                     \
        *w = d.w;                                                                                                      \
    }                                                                                                                  \
    DV_SIMD_CLONES static void law##_stress(const DvReal8 *parameters, const DvReal8 f[3][3], DvReal8 p[3][3])         \
    {                                                                                                                  \
        Shape s;                                                                                                       \
        Derivatives d = {{0}, {0}, {0}, {0}, {0}, {0}, {0}, {0}};                                                      \
        measure(f, of_volume, &s);                                                                                     \
        law(parameters, &s.v, &d);                                                                                     \
        stress_of(&s, &d, f, p);                                                                                       \
    }                                                                                                                  \
    DV_SIMD_CLONES static void law##_tangent(const DvReal8 *parameters, const DvReal8 f[3][3], const DvReal8 df[3][3], \
                                             DvReal8 dp[3][3])                                                         \
    {                                                                                                                  \
        Shape s;                                                                                                       \
        Derivatives d = {{0}, {0}, {0}, {0}, {0}, {0}, {0}, {0}};                                                      \
        measure(f, of_volume, &s);                                                                                     \
        law(parameters, &s.v, &d);                                                                                     \
        tangent_of(&s, &d, f, df, dp);                                                                                 \
    }                                                                                                                  \
    static const char *const law##_parameters[] = {__VA_ARGS__, NULL};                                                 \
    static const DvMaterialLaw law##_law = {.size = sizeof(DvMaterialLaw),                                             \
                                            .name = text,                                                              \
                                            .parameters = law##_parameters,                                            \
                                            .energy8 = law##_energy,                                                   \
                                            .stress8 = law##_stress,                                                   \
                                            .tangent8 = law##_tangent};

INVARIANT_LAW(st_venant_kirchhoff, "StVenantKirchhoff", false, "mu", "lambda")
INVARIANT_LAW(neo_hookean, "NeoHookean", true, "mu", "lambda")
INVARIANT_LAW(stable_neo_hookean, "StableNeoHookean", false, "mu", "lambda")
INVARIANT_LAW(mooney_rivlin, "MooneyRivlin", true, "c1", "c2", "k0")
INVARIANT_LAW(veronda_westman, "VerondaWestman", true, "c1", "c2", "k0")
INVARIANT_LAW(arruda_boyce, "ArrudaBoyce", true, "mu", "k0")

const DvMaterialLaw *const dv_material_laws[] = {
    &dv_hooke_law,      &st_venant_kirchhoff_law, &neo_hookean_law,  &stable_neo_hookean_law,
    &mooney_rivlin_law, &veronda_westman_law,     &arruda_boyce_law, NULL};

/* ---- By name ---- */

/* Calls `visit` with the laws of the kit, then with those of plugins, until it says that it is enough. */
static void visit_laws(bool (*visit)(void *context, const DvMaterialLaw *law), void *context)
{
    for (const DvMaterialLaw *const *law = dv_material_laws; *law; law++)
        if (visit(context, *law))
            return;
    const size_t count = dv_services(DV_MATERIAL_LAWS, NULL, 0);
    const void **services = dv_alloc(count, sizeof *services);
    const size_t found = dv_services(DV_MATERIAL_LAWS, services, count);
    bool enough = false;
    for (size_t i = 0; i < found && i < count && !enough; i++)
        for (const DvMaterialLaw *const *law = ((const DvMaterialLawsOps *)services[i])->laws; *law && !enough; law++)
            enough = visit(context, *law);
    dv_free(services);
}

typedef struct Search {
    const char *name;
    const DvMaterialLaw *found;
} Search;

static bool is_named(void *context, const DvMaterialLaw *law)
{
    Search *search = context;
    if (strcmp(law->name, search->name) == 0)
        search->found = law;
    return search->found != NULL;
}

const DvMaterialLaw *dv_material_law_find(const char *name)
{
    Search search = {name, NULL};
    visit_laws(is_named, &search);
    return search.found;
}

static bool add_name(void *context, const DvMaterialLaw *law)
{
    DvText *out = context;
    dv_text_add(out, "%s%s", out->length ? ", " : "", law->name);
    return false;
}

void dv_material_law_names(DvText *out)
{
    visit_laws(add_name, out);
}

DvStatus dv_material_law_unknown(DvData *field)
{
    DvText text = {0};
    dv_material_law_names(&text);
    const DvStatus status = dv_field_error(field, -1,
                                           "there is no material '%s'; there are %s, and those of plugins "
                                           "that are not loaded",
                                           dv_data_string(field), text.at);
    dv_text_free(&text);
    return status;
}

uint32_t dv_material_law_parameters(const DvMaterialLaw *law)
{
    uint32_t count = 0;
    while (law->parameters && law->parameters[count] && count < DV_LAW_PARAMETERS)
        count++;
    return count;
}

/* ---- Laws of one point, lane by lane ---- */

typedef struct Lane {
    double parameters[DV_LAW_PARAMETERS], f[9], df[9];
} Lane;

static void take_lane(const DvMaterialLaw *law, const DvReal8 *parameters, const DvReal8 f[3][3], int lane, Lane *one)
{
    const uint32_t count = dv_material_law_parameters(law);
    for (uint32_t i = 0; i < count; i++)
        one->parameters[i] = parameters[i][lane];
    for (int i = 0; i < 9; i++)
        one->f[i] = f[i / 3][i % 3][lane];
}

void dv_material_law_energy(const DvMaterialLaw *law, const DvReal8 *parameters, const DvReal8 f[3][3], DvReal8 *w)
{
    if (law->energy8) {
        law->energy8(parameters, f, w);
        return;
    }
    for (int lane = 0; lane < DV_LANES; lane++) {
        Lane one;
        take_lane(law, parameters, f, lane, &one);
        (*w)[lane] = law->energy(one.parameters, one.f);
    }
}

void dv_material_law_stress(const DvMaterialLaw *law, const DvReal8 *parameters, const DvReal8 f[3][3], DvReal8 p[3][3])
{
    if (law->stress8) {
        law->stress8(parameters, f, p);
        return;
    }
    for (int lane = 0; lane < DV_LANES; lane++) {
        Lane one;
        double stress[9];
        take_lane(law, parameters, f, lane, &one);
        law->stress(one.parameters, one.f, stress);
        for (int i = 0; i < 9; i++)
            p[i / 3][i % 3][lane] = stress[i];
    }
}

void dv_material_law_tangent(const DvMaterialLaw *law, const DvReal8 *parameters, const DvReal8 f[3][3],
                             const DvReal8 df[3][3], DvReal8 dp[3][3])
{
    if (law->tangent8) {
        law->tangent8(parameters, f, df, dp);
        return;
    }
    for (int lane = 0; lane < DV_LANES; lane++) {
        Lane one;
        double change[9];
        take_lane(law, parameters, f, lane, &one);
        for (int i = 0; i < 9; i++)
            one.df[i] = df[i / 3][i % 3][lane];
        law->tangent(one.parameters, one.f, one.df, change);
        for (int i = 0; i < 9; i++)
            dp[i / 3][i % 3][lane] = change[i];
    }
}
