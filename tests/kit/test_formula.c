/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Formulas of problems and of tests: what they compute, and what is said of those that are none.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <divan/kit/formula.h>
#include <divan/math/vec.h>

#include <stdio.h>

static bool number_of(void *context, const char *name, double *value, DvText *problem)
{
    (void)context;
    if (strcmp(name, "broken") == 0)
        dv_text_add(problem, "broken needs its own value");
    if (strcmp(name, "half") != 0)
        return false;
    *value = 0.5;
    return true;
}

static bool function_of_name(void *context, const char *function, const char *name, double *value)
{
    (void)context;
    if (strcmp(function, "length") != 0)
        return false;
    *value = (double)strlen(name);
    return true;
}

static const DvFormulaScope scope = {
    .variables = (const char *const[]){"x", "y", NULL}, .constant = number_of, .of_name = function_of_name};

/* At x = 3, y = 4. */
static double value_of(const char *text)
{
    DvText problem = {0};
    DvFormula *formula = dv_formula_compile(text, &scope, &problem);
    if (!formula)
        fail_msg("%s: %s", text, problem.at);
    const double value = dv_formula_value(formula, (const double[]){3, 4});
    dv_formula_free(formula);
    return value;
}

static void expect(const char *text, double expected)
{
    const double value = value_of(text);
    if (!(fabs(value - expected) <= 1e-15 * fmax(1, fabs(expected))))
        fail_msg("%s = %.17g instead of %.17g", text, value, expected);
}

static void refused(const char *text, const char *because)
{
    DvText problem = {0};
    DvFormula *formula = dv_formula_compile(text, &scope, &problem);
    if (formula)
        fail_msg("'%s' is taken for a formula", text);
    if (!strstr(problem.at, because))
        fail_msg("'%s' is refused with '%s' instead of '%s'", text, problem.at, because);
    dv_text_free(&problem);
}

static void operators_bind_as_in_books(void **state)
{
    (void)state;
    expect("1 + 2 * 3 - 4 / 8", 6.5);
    expect("2 - (1 - 3)^2 / 2", 0);
    expect("10 - 4 - 3", 3);
    expect("16 / 4 / 2", 2);
    expect("2 ^ 3 ^ 2", 512);
    expect("-2 ^ 2", -4);
    expect("2 ^ -1", 0.5);
    expect("--3", 3);
    expect("1e3 + .5", 1000.5);
    expect("2*-3", -6);
}

static void conditions_are_one_or_zero(void **state)
{
    (void)state;
    expect("x < y", 1);
    expect("x >= y", 0);
    expect("3 <= x", 1);
    expect("x != 3", 0);
    expect("0.1 + 0.2 = 0.3", 1); /* within 1e-9 */
    expect("1 = 1.00001", 0);
    expect("x < y and y < x or 1", 1); /* `and` before `or` */
    expect("1 or 1 and 0", 1);
    expect("x + 1 = y", 1);
    expect("if(x > y, 10, 20) + 1", 21);
}

static void functions_are_those_of_the_library(void **state)
{
    (void)state;
    expect("sqrt(2^2 + 5) * cos(0)", 3);
    expect("sin(pi / 2) - exp(0)", 0);
    expect("atan2(1, -1)", 0.75 * DV_PI);
    expect("tan(0.3) - sin(0.3) / cos(0.3)", 0);
    expect("asin(sin(0.3)) + acos(cos(0.3)) + atan(tan(0.3))", 0.9);
    expect("cosh(1) ^ 2 - sinh(1) ^ 2", 1);
    expect("tanh(0.7) - sinh(0.7) / cosh(0.7)", 0);
    expect("log(exp(2))", 2);
    expect("min(x, y) + 10 * max(x, y)", 43);
    expect("mod(7, 4) + 10 * mod(-1, 4)", 33);
    expect("round(2.6) + floor(2.6) + abs(-1)", 6);
}

/* K(0) = pi/2; Gauss: pi / (2 agm(1, sqrt 2)) is half the length of the lemniscate's quarter, Gamma(1/4)^2 / (4 sqrt(2 pi)) */
static void the_agm_gives_elliptic_integrals(void **state)
{
    (void)state;
    expect("agm(1, 1)", 1);
    const double gamma = tgamma(0.25);
    expect("pi / (2 * agm(1, sqrt(2)))", gamma * gamma / (4 * sqrt(2 * DV_PI)));
}

static void noise_is_fixed_and_without_pattern(void **state)
{
    (void)state;
    enum { COUNT = 2000 };
    double sum = 0, squares = 0, neighbours = 0, last = 0;
    for (int k = 0; k < COUNT; k++) {
        char text[32];
        (void)snprintf(text, sizeof text, "noise(%d)", k);
        const double value = value_of(text);
        assert_true(value >= -1 && value < 1);
        sum += value;
        squares += value * value;
        neighbours += value * last;
        last = value;
    }
    /* uniform on -1..1: mean 0, mean square 1/3, no correlation; four standard deviations */
    assert_true(fabs(sum / COUNT) < 4 * sqrt(1.0 / 3 / COUNT));
    assert_true(fabs(squares / COUNT - 1.0 / 3) < 4 * sqrt(4.0 / 45 / COUNT));
    assert_true(fabs(neighbours / COUNT) < 4 / 3.0 / sqrt(COUNT));
    assert_true(value_of("noise(7)") == value_of("noise(7.9)"));
    assert_true(value_of("noise(1e300)") == value_of("noise(0)")); /* beyond what can be counted */
    assert_true(fabs(value_of("noise(0 / 0)")) <= 1);
}

static void names_come_from_the_scope(void **state)
{
    (void)state;
    expect("x * y + half", 12.5);
    expect("length(word) + length(x)", 5);
    expect("sqrt(half * 8)", 2);
    refused("z + 1", "'z' has no value here");
    refused("2 * broken", "broken needs its own value");
}

static void what_is_no_formula_is_refused(void **state)
{
    (void)state;
    refused("", "expected a number at the end");
    refused("1 +", "expected a number at the end");
    refused("(1", "expected ')' at the end");
    refused("1 2", "'2' is too much");
    refused("1 + * 2", "expected a number at * 2");
    refused("sinus(1)", "no function 'sinus'");
    refused("min(1)", "min takes 2 numbers");
    refused("sqrt(1, 2)", "expected ')' at , 2)");
    refused("1, 2", "one number is wanted");
    char deep[202], wide[512] = "";
    memset(deep, '(', 200);
    (void)strcpy(deep + 200, "1");
    refused(deep, "more than 64 brackets");
    for (int i = 0; i < 100; i++) /* each power holds a number open */
        (void)strcat(wide, "1 ^ ");
    (void)strcat(wide, "1");
    refused(wide, "more than 64");
}

static void a_list_is_as_long_as_it_has_commas(void **state)
{
    (void)state;
    DvText problem = {0};
    DvFormula *list = dv_formula_compile_list("1, max(2, 3), x + y", &scope, &problem);
    assert_non_null(list);
    assert_int_equal(dv_formula_count(list), 3);
    assert_true(dv_formula_value_of(list, 1, (const double[]){3, 4}) == 3);
    assert_true(dv_formula_value_of(list, 2, (const double[]){3, 4}) == 7);
    dv_formula_free(list);
    assert_null(dv_formula_compile_list("1,,2", &scope, &problem));
    dv_text_free(&problem);
}

static void expect_place(const char *text, size_t expected)
{
    size_t place = 99;
    DvText problem = {0};
    DvFormulaScope with_place = scope;
    with_place.place = &place;
    assert_null(dv_formula_compile(text, &with_place, &problem));
    assert_true(problem.length > 0);
    assert_int_equal(place, expected);
    dv_text_free(&problem);
}

static void what_is_wrong_has_a_place(void **state)
{
    (void)state;
    expect_place("1 + z", 4);
    expect_place("2 * sinus(1)", 4);
    expect_place("sqrt(x", 6);
    expect_place("x y", 2);
    expect_place("1 + * 2", 4);
    expect_place("1, 2", 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operators_bind_as_in_books),         cmocka_unit_test(conditions_are_one_or_zero),
        cmocka_unit_test(functions_are_those_of_the_library), cmocka_unit_test(the_agm_gives_elliptic_integrals),
        cmocka_unit_test(noise_is_fixed_and_without_pattern), cmocka_unit_test(names_come_from_the_scope),
        cmocka_unit_test(what_is_no_formula_is_refused),      cmocka_unit_test(what_is_wrong_has_a_place),
        cmocka_unit_test(a_list_is_as_long_as_it_has_commas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
