/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Materials: the stress is the gradient of the energy, the tangent the derivative of the stress and its own transpose, a turned body has
 * the turned stress; closed forms; a law of one point is the same in eight lanes.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <divan/kit/material_law.h>
#include <divan/math/quat.h>

typedef struct Case {
    const DvMaterialLaw *law;
    DvReal8 parameters[DV_LAW_PARAMETERS];
} Case;

static const double values[DV_LAW_PARAMETERS] = {1.7, 0.6, 2.3, 0.4, 0.9, 1.1, 0.3, 0.8};

static Case case_of(const DvMaterialLaw *law)
{
    Case c;
    memset(&c, 0, sizeof c);
    c.law = law;
    for (uint32_t i = 0; i < DV_LAW_PARAMETERS; i++)
        for (int lane = 0; lane < DV_LANES; lane++)
            c.parameters[i][lane] = values[i] * (1.0 + 0.03 * lane);
    return c;
}

/* Another strain in each lane, of some tenths. */
static void strain(DvReal8 f[3][3])
{
    static const double spread[9] = {0.3, -0.2, 0.15, 0.1, -0.25, 0.2, -0.1, 0.22, 0.18};
    for (int i = 0; i < 9; i++)
        for (int lane = 0; lane < DV_LANES; lane++)
            f[i / 3][i % 3][lane] = (i % 4 == 0) + spread[(i + lane) % 9] * (lane % 2 == 0 ? 1.0 : 0.5);
}

#define TENSOR(a) ((const DvReal8(*)[3])(a))

static void expect(const DvMaterialLaw *law, const char *what, int lane, double found, double wanted, double tolerance)
{
    if (!(fabs(found - wanted) <= tolerance))
        fail_msg("%s: %s in lane %d is %.12g, not %.12g", law->name, what, lane, found, wanted);
}

static void stress_is_the_gradient_of_the_energy(const Case *c)
{
    DvReal8 f[3][3], p[3][3];
    strain(f);
    dv_material_law_stress(c->law, c->parameters, TENSOR(f), p);
    for (int i = 0; i < 9; i++) {
        DvReal8 after, before;
        const double h = 1e-5;
        f[i / 3][i % 3] += h;
        dv_material_law_energy(c->law, c->parameters, TENSOR(f), &after);
        f[i / 3][i % 3] -= 2.0 * h;
        dv_material_law_energy(c->law, c->parameters, TENSOR(f), &before);
        f[i / 3][i % 3] += h;
        for (int lane = 0; lane < DV_LANES; lane++)
            expect(c->law, "stress", lane, p[i / 3][i % 3][lane], (after[lane] - before[lane]) / (2.0 * h), 2e-7);
    }
}

static void tangent_is_the_derivative_of_the_stress_and_symmetric(const Case *c)
{
    DvReal8 f[3][3], derivative[9][9];
    strain(f);
    for (int j = 0; j < 9; j++) {
        DvReal8 df[3][3], dp[3][3], after[3][3], before[3][3];
        const double h = 1e-5;
        memset(df, 0, sizeof df);
        df[j / 3][j % 3] += 1.0;
        dv_material_law_tangent(c->law, c->parameters, TENSOR(f), TENSOR(df), dp);
        f[j / 3][j % 3] += h;
        dv_material_law_stress(c->law, c->parameters, TENSOR(f), after);
        f[j / 3][j % 3] -= 2.0 * h;
        dv_material_law_stress(c->law, c->parameters, TENSOR(f), before);
        f[j / 3][j % 3] += h;
        for (int i = 0; i < 9; i++) {
            derivative[i][j] = dp[i / 3][i % 3];
            for (int lane = 0; lane < DV_LANES; lane++)
                expect(c->law, "tangent", lane, derivative[i][j][lane],
                       (after[i / 3][i % 3][lane] - before[i / 3][i % 3][lane]) / (2.0 * h), 1e-6);
        }
    }
    for (int i = 0; i < 9; i++)
        for (int j = 0; j < i; j++)
            for (int lane = 0; lane < DV_LANES; lane++)
                expect(c->law, "tangent against its transpose", lane, derivative[i][j][lane], derivative[j][i][lane],
                       1e-12);
}

/* Of all but Hooke, which is for small strains. */
static void a_turned_body_has_the_turned_stress(const Case *c)
{
    const DvMat3 r = dv_quat_to_matrix(dv_quat_normalize(dv_quat(0.3, -0.5, 0.2, 0.7)));
    DvReal8 f[3][3], turned[3][3], p[3][3], q[3][3], w, v;
    strain(f);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            turned[i][j] = r.m[i][0] * f[0][j] + r.m[i][1] * f[1][j] + r.m[i][2] * f[2][j];
    dv_material_law_energy(c->law, c->parameters, TENSOR(f), &w);
    dv_material_law_energy(c->law, c->parameters, TENSOR(turned), &v);
    dv_material_law_stress(c->law, c->parameters, TENSOR(f), p);
    dv_material_law_stress(c->law, c->parameters, TENSOR(turned), q);
    for (int lane = 0; lane < DV_LANES; lane++) {
        expect(c->law, "energy of a turned body", lane, v[lane], w[lane], 1e-13);
        for (int i = 0; i < 9; i++) {
            const double wanted = r.m[i / 3][0] * p[0][i % 3][lane] + r.m[i / 3][1] * p[1][i % 3][lane] +
                                  r.m[i / 3][2] * p[2][i % 3][lane];
            expect(c->law, "stress of a turned body", lane, q[i / 3][i % 3][lane], wanted, 1e-12);
        }
    }
}

/* At rest there is neither energy nor stress: W is zero there, up to what MooneyRivlin and its kin have of I2. */
static void there_is_no_stress_at_rest(const Case *c)
{
    DvReal8 f[3][3], p[3][3], w;
    memset(f, 0, sizeof f);
    for (int i = 0; i < 3; i++)
        f[i][i] += 1.0;
    dv_material_law_energy(c->law, c->parameters, TENSOR(f), &w);
    dv_material_law_stress(c->law, c->parameters, TENSOR(f), p);
    for (int lane = 0; lane < DV_LANES; lane++) {
        if (strcmp(c->law->name, "StableNeoHookean") != 0) /* whose energy has no zero */
            expect(c->law, "energy at rest", lane, w[lane], 0.0, 1e-14);
        for (int i = 0; i < 9; i++)
            expect(c->law, "stress at rest", lane, p[i / 3][i % 3][lane], 0.0, 1e-14);
    }
}

static void laws_are_derivatives_of_their_energies(void **state)
{
    (void)state;
    for (const DvMaterialLaw *const *law = dv_material_laws; *law; law++) {
        const Case c = case_of(*law);
        stress_is_the_gradient_of_the_energy(&c);
        tangent_is_the_derivative_of_the_stress_and_symmetric(&c);
        there_is_no_stress_at_rest(&c);
        if (!(*law)->linear)
            a_turned_body_has_the_turned_stress(&c);
    }
}

/* Uniaxial and isotropic stretches, from the energies. */
static void stresses_have_their_closed_forms(void **state)
{
    (void)state;
    const double s = 1.3, j = s * s * s, mu = values[0], second = values[1], third = values[2];
    const struct {
        const char *name;
        double pressure; /* P_xx of F = s 1 */
    } cases[] = {
        {"Hooke", (3.0 * mu + 2.0 * second) * (s - 1.0)},
        {"StVenantKirchhoff", s * (3.0 * second + 2.0 * mu) * 0.5 * (s * s - 1.0)},
        {"NeoHookean", mu * (s - 1.0 / s) + second * log(j) / s},
        {"StableNeoHookean", mu * s + (mu + second) * (j - 1.0 - mu / (mu + second)) * s * s},
        {"MooneyRivlin", third * log(j) / s}, /* the rest knows no change of volume */
        {"VerondaWestman", third * log(j) / s},
        {"ArrudaBoyce", second * log(j) / s},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const Case c = case_of(dv_material_law_find(cases[k].name));
        DvReal8 f[3][3], p[3][3];
        memset(f, 0, sizeof f);
        for (int i = 0; i < 3; i++)
            f[i][i] += s;
        dv_material_law_stress(c.law, c.parameters, TENSOR(f), p);
        expect(c.law, "stress of a stretch", 0, p[0][0][0], cases[k].pressure, 1e-12);
        expect(c.law, "stress of a stretch", 0, p[0][1][0], 0.0, 1e-14);
    }
}

/* W = k / 2 |F - 1|^2 */
static double springy_energy(const double *parameters, const double f[9])
{
    double sum = 0.0;
    for (int i = 0; i < 9; i++)
        sum += (f[i] - (i % 4 == 0)) * (f[i] - (i % 4 == 0));
    return 0.5 * parameters[0] * sum;
}

static void springy_stress(const double *parameters, const double f[9], double p[9])
{
    for (int i = 0; i < 9; i++)
        p[i] = parameters[0] * (f[i] - (i % 4 == 0));
}

static void springy_tangent(const double *parameters, const double f[9], const double df[9], double dp[9])
{
    (void)f;
    for (int i = 0; i < 9; i++)
        dp[i] = parameters[0] * df[i];
}

static void a_law_of_one_point_works_in_eight_lanes(void **state)
{
    (void)state;
    static const char *const names[] = {"stiffness", NULL};
    const DvMaterialLaw springy = {.size = sizeof springy,
                                   .name = "Springy",
                                   .parameters = names,
                                   .energy = springy_energy,
                                   .stress = springy_stress,
                                   .tangent = springy_tangent};
    const Case c = case_of(&springy);
    assert_int_equal(dv_material_law_parameters(&springy), 1);
    stress_is_the_gradient_of_the_energy(&c);
    tangent_is_the_derivative_of_the_stress_and_symmetric(&c);
    there_is_no_stress_at_rest(&c);
}

static void laws_are_found_by_name(void **state)
{
    (void)state;
    DvText names = {0};
    dv_material_law_names(&names);
    assert_string_equal(names.at, "Hooke, StVenantKirchhoff, NeoHookean, StableNeoHookean, MooneyRivlin, "
                                  "VerondaWestman, ArrudaBoyce");
    dv_text_free(&names);
    assert_ptr_equal(dv_material_law_find("Hooke"), &dv_hooke_law);
    assert_null(dv_material_law_find("hooke"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(laws_are_derivatives_of_their_energies),
        cmocka_unit_test(stresses_have_their_closed_forms),
        cmocka_unit_test(a_law_of_one_point_works_in_eight_lanes),
        cmocka_unit_test(laws_are_found_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
