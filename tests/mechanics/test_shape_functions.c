/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The tables of shape functions and quadrature against what defines them.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <divan/kit/quadrature.h>

static const char *const names[DV_ELEMENT_KINDS] = {"point",       "edge",       "triangle", "quad",
                                                    "tetrahedron", "hexahedron", "prism",    "pyramid"};

static void expect(DvElementKind kind, int order, const char *what, double found, double wanted, double tolerance)
{
    if (!(fabs(found - wanted) <= tolerance))
        fail_msg("%s of order %d: %s is %.17g, not %.17g", names[kind], order, what, found, wanted);
}

/* A point inside, another one for each `k`. */
static void inside(DvElementKind kind, int k, double at[3])
{
    static const double place[4][3] = {{0.21, 0.32, 0.17}, {0.05, 0.6, 0.3}, {0.4, 0.1, 0.25}, {0.13, 0.11, 0.7}};
    const uint32_t dimensions = dv_shape_dimensions(kind);
    for (uint32_t c = 0; c < 3; c++)
        at[c] = c < dimensions ? place[k][c] : 0.0;
}

static void functions_sum_to_one_and_are_one_at_their_own_node_alone(void **state)
{
    (void)state;
    for (int order = 1; order <= 2; order++)
        for (DvElementKind kind = DV_EDGES; kind < DV_ELEMENT_KINDS; kind++) {
            const uint32_t nodes = dv_shape_nodes(kind, order);
            double d[3], at[3];
            for (uint32_t i = 0; i < nodes; i++)
                for (uint32_t j = 0; j < nodes; j++) {
                    dv_shape_node(kind, i, at);
                    expect(kind, order, "a function at a node", dv_shape_function(kind, order, j, at, d), i == j,
                           1e-15);
                }
            for (int k = 0; k < 4; k++) {
                double sum = 0.0, slope[3] = {0.0, 0.0, 0.0};
                inside(kind, k, at);
                for (uint32_t i = 0; i < nodes; i++) {
                    sum += dv_shape_function(kind, order, i, at, d);
                    for (int c = 0; c < 3; c++)
                        slope[c] += d[c];
                }
                expect(kind, order, "the sum of all", sum, 1.0, 1e-14);
                for (int c = 0; c < 3; c++)
                    expect(kind, order, "the sum of their slopes", slope[c], 0.0, 1e-14);
            }
        }
}

static void derivatives_are_those_of_the_functions(void **state)
{
    (void)state;
    const double h = 1e-5;
    for (int order = 1; order <= 2; order++)
        for (DvElementKind kind = DV_EDGES; kind < DV_ELEMENT_KINDS; kind++)
            for (uint32_t i = 0; i < dv_shape_nodes(kind, order); i++)
                for (uint32_t c = 0; c < 3; c++) {
                    double at[3], d[3], other[3];
                    inside(kind, (int)(i % 4), at);
                    (void)dv_shape_function(kind, order, i, at, d);
                    at[c] += h;
                    const double after = dv_shape_function(kind, order, i, at, other);
                    at[c] -= 2.0 * h;
                    const double before = dv_shape_function(kind, order, i, at, other);
                    expect(kind, order, "a derivative", d[c],
                           c < dv_shape_dimensions(kind) ? (after - before) / (2.0 * h) : 0.0, 1e-9);
                }
}

/* Where the functions of the corners put a point of the reference element: of a pyramid not the cube, but what becomes of it. */
static void position(DvElementKind kind, const double at[3], double x[3])
{
    double d[3];
    x[0] = x[1] = x[2] = 0.0;
    for (uint32_t i = 0; i < dv_shape_nodes(kind, 1); i++) {
        const double n = dv_shape_function(kind, 1, i, at, d);
        for (int c = 0; c < 3; c++)
            x[c] += n * dv_shape_corner[kind][i][c];
    }
}

/* Functions of order k interpolate all polynomials of degree k in space. */
static void polynomials_are_interpolated(void **state)
{
    (void)state;
    for (int order = 1; order <= 2; order++)
        for (DvElementKind kind = DV_EDGES; kind < DV_ELEMENT_KINDS; kind++)
            for (int k = 0; k < 4; k++)
                for (int a = 0; a <= order; a++)
                    for (int b = 0; a + b <= order; b++)
                        for (int c = 0; a + b + c <= order; c++) {
                            double at[3], x[3], d[3], node[3], sum = 0.0;
                            for (uint32_t i = 0; i < dv_shape_nodes(kind, order); i++) {
                                inside(kind, k, at);
                                dv_shape_node(kind, i, node);
                                position(kind, node, x);
                                sum += dv_shape_function(kind, order, i, at, d) * pow(x[0], a) * pow(x[1], b) *
                                       pow(x[2], c);
                            }
                            position(kind, at, x);
                            expect(kind, order, "a polynomial", sum, pow(x[0], a) * pow(x[1], b) * pow(x[2], c), 1e-13);
                        }
}

static double factorial(int n)
{
    return n < 2 ? 1.0 : n * factorial(n - 1);
}

/* Of x^a over an edge from -1 to 1. */
static double over_line(int a)
{
    return a % 2 == 0 ? 2.0 / (a + 1) : 0.0;
}

/* Of x^a y^b z^c over a reference element. */
static double integral(DvElementKind kind, int a, int b, int c)
{
    switch (kind) {
    case DV_EDGES:
        return over_line(a);
    case DV_QUADS:
        return over_line(a) * over_line(b);
    case DV_TRIANGLES:
        return factorial(a) * factorial(b) / factorial(a + b + 2);
    case DV_PRISMS:
        return factorial(a) * factorial(b) / factorial(a + b + 2) / (c + 1);
    case DV_TETRAHEDRA:
        return factorial(a) * factorial(b) * factorial(c) / factorial(a + b + c + 3);
    default:
        return over_line(a) * over_line(b) * over_line(c);
    }
}

static double sum_of(DvElementKind kind, const DvQuadrature *rule, int a, int b, int c)
{
    double sum = 0.0, at[3];
    for (uint32_t q = 0; q < rule->count; q++) {
        const double weight = dv_quadrature_point(kind, rule, q, at);
        sum += weight * pow(at[0], a) * pow(at[1], b) * pow(at[2], c);
    }
    return sum;
}

static void rules_are_exact_to_their_order_and_no_further(void **state)
{
    (void)state;
    for (DvElementKind kind = DV_EDGES; kind < DV_ELEMENT_KINDS; kind++)
        for (int r = 0; r < DV_QUADRATURE_RULES; r++) {
            const DvQuadrature rule = dv_quadrature_rule[kind][r];
            const int order = (int)rule.order, dimensions = (int)dv_shape_dimensions(kind);
            double worst = 0.0; /* of the degree above */
            for (int a = 0; order > 0 && a <= order + 1; a++)
                for (int b = 0; b <= (dimensions > 1 ? order + 1 - a : 0); b++)
                    for (int c = 0; c <= (dimensions > 2 ? order + 1 - a - b : 0); c++) {
                        const double found = sum_of(kind, &rule, a, b, c), wanted = integral(kind, a, b, c);
                        if (a + b + c <= order)
                            expect(kind, order, "an integral", found, wanted, r == 0 ? 1e-11 : 1e-14);
                        else
                            worst = fmax(worst, fabs(found - wanted));
                    }
            if (order > 0 && worst < 1e-6)
                fail_msg("the rule of a %s with %u points is better than its order %d", names[kind], rule.count, order);
            if (order > 0)
                assert_int_equal(dv_quadrature(kind, rule.order).count, rule.count);
        }
    assert_int_equal(dv_quadrature(DV_QUADS, 9).order, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_sum_to_one_and_are_one_at_their_own_node_alone),
        cmocka_unit_test(derivatives_are_those_of_the_functions),
        cmocka_unit_test(polynomials_are_interpolated),
        cmocka_unit_test(rules_are_exact_to_their_order_and_no_further),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
