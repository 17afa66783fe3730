/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Formulas, by recursive descent to a program for a stack of numbers.
 */
#include <divan/kit/array.h>
#include <divan/kit/formula.h>
#include <divan/math/vec.h>
#include <divan/type.h>

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

enum { MAX_DEPTH = 64, MAX_STACK = 64, MAX_NAME = DV_FORMULA_NAME };

typedef enum Action { NUMBER, VARIABLE, NEGATE, ONE, TWO, CHOOSE } Action;

typedef struct Op {
    Action action;
    union {
        double number;
        uint32_t variable;
        double (*one)(double);
        double (*two)(double, double);
    };
} Op;

struct DvFormula {
    DV_ARRAY(Op) ops;
    DvIndexArray end; /* of each formula: behind its last op */
};

/* ---- what operators and functions compute ---- */

static double add(double a, double b)
{
    return a + b;
}

static double subtract(double a, double b)
{
    return a - b;
}

static double multiply(double a, double b)
{
    return a * b;
}

static double divide(double a, double b)
{
    return a / b;
}

static double is_equal(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fmax(1, fmax(fabs(a), fabs(b)));
}

static double is_different(double a, double b)
{
    return is_equal(a, b) == 0;
}

static double is_less(double a, double b)
{
    return a < b;
}

static double is_more(double a, double b)
{
    return a > b;
}

static double is_at_most(double a, double b)
{
    return a <= b;
}

static double is_at_least(double a, double b)
{
    return a >= b;
}

static double both(double a, double b)
{
    return a != 0 && b != 0;
}

static double either(double a, double b)
{
    return a != 0 || b != 0;
}

/* Never negative, as a remainder of counting is. */
static double modulo(double a, double b)
{
    return a - b * floor(a / b);
}

static double agm(double a, double b)
{
    for (int i = 0; i < 64 && fabs(a - b) > 1e-16 * fabs(a); i++) {
        const double mean = (a + b) / 2;
        b = sqrt(a * b);
        a = mean;
    }
    return (a + b) / 2;
}

/* Bits of a whole number, mixed (the finaliser of splitmix64). */
static double noise(double k)
{
    const int64_t whole = fabs(k) < 9e18 ? (int64_t)floor(k) : 0;
    uint64_t word = (uint64_t)whole + 0x9e3779b97f4a7c15u;
    word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9u;
    word = (word ^ (word >> 27)) * 0x94d049bb133111ebu;
    word ^= word >> 31;
    return (double)(word >> 11) / 4503599627370496.0 - 1;
}

static const struct {
    const char *name;
    double (*one)(double);
} of_one[] = {
    {"sin", sin},   {"cos", cos},     {"tan", tan},     {"asin", asin},   {"acos", acos}, {"atan", atan},
    {"sinh", sinh}, {"cosh", cosh},   {"tanh", tanh},   {"sqrt", sqrt},   {"exp", exp},   {"log", log},
    {"abs", fabs},  {"round", round}, {"floor", floor}, {"noise", noise},
};

static const struct {
    const char *name;
    double (*two)(double, double);
} of_two[] = {{"atan2", atan2}, {"min", fmin}, {"max", fmax}, {"mod", modulo}, {"agm", agm}};

/* ---- reading ---- */

typedef struct Reader {
    const char *at, *text;
    const DvFormulaScope *scope;
    DvFormula *formula;
    uint32_t depth, stack;
    bool failed;
    DvText *problem; /* the first */
} Reader;

static void read_choice(Reader *r);

static void wrong_at(Reader *r, const char *at, const char *format, ...) DV_PRINTF(3, 4);

static void wrong_at(Reader *r, const char *at, const char *format, ...)
{
    if (r->failed)
        return;
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    dv_text_add(r->problem, "%s", text);
    r->failed = true;
    if (r->scope->place)
        *r->scope->place = (size_t)(at - r->text);
}
#define wrong(r, ...) wrong_at((r), (r)->at, __VA_ARGS__)

static void put(Reader *r, Op op)
{
    static const int grows[] = {[NUMBER] = 1, [VARIABLE] = 1, [NEGATE] = 0, [ONE] = 0, [TWO] = -1, [CHOOSE] = -2};
    dv_array_push(&r->formula->ops, op);
    r->stack = (uint32_t)((int)r->stack + grows[op.action]);
    if (r->stack > MAX_STACK)
        wrong(r, "the formula holds more than %d numbers at a time", MAX_STACK);
}

static void put_two(Reader *r, double (*two)(double, double))
{
    put(r, (Op){.action = TWO, .two = two});
}

static void put_number(Reader *r, double number)
{
    put(r, (Op){.action = NUMBER, .number = number});
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_of_name(char c)
{
    return is_letter(c) || is_digit(c) || c == '_';
}

static void skip_blanks(Reader *r)
{
    r->at += strspn(r->at, " \t\n\v\f\r");
}

static bool takes(Reader *r, const char *sign)
{
    skip_blanks(r);
    const size_t length = strlen(sign);
    if (strncmp(r->at, sign, length) != 0)
        return false;
    if (is_letter(*sign) && is_of_name(r->at[length]))
        return false; /* only the beginning of a name */
    r->at += length;
    return true;
}

static void expect(Reader *r, const char *sign)
{
    if (!takes(r, sign))
        wrong(r, "expected '%s' at %s", sign, *r->at ? r->at : "the end");
}

/* A name in `name`; false: there is none. */
static bool takes_name(Reader *r, char name[MAX_NAME])
{
    skip_blanks(r);
    if (!is_letter(*r->at))
        return false;
    size_t length = 0;
    while (is_of_name(*r->at)) {
        if (length + 1 < MAX_NAME)
            name[length++] = *r->at;
        r->at++;
    }
    name[length] = '\0';
    return true;
}

static void read_arguments(Reader *r, const char *function, unsigned count)
{
    for (unsigned i = 0; i < count && !r->failed; i++) {
        if (i && !takes(r, ","))
            wrong(r, "%s takes %u numbers", function, count);
        read_choice(r);
    }
    expect(r, ")");
}

/* "period(y)", for a scope that knows such functions. */
static bool takes_function_of_name(Reader *r, const char *function)
{
    const char *begin = r->at;
    char name[MAX_NAME];
    double value;
    if (r->scope->of_name && takes_name(r, name) && takes(r, ")") &&
        r->scope->of_name(r->scope->context, function, name, &value)) {
        put_number(r, value);
        return true;
    }
    r->at = begin;
    return false;
}

static void read_function(Reader *r, const char *name, const char *at)
{
    if (takes_function_of_name(r, name))
        return;
    for (size_t i = 0; i < sizeof of_one / sizeof *of_one; i++)
        if (strcmp(of_one[i].name, name) == 0) {
            read_arguments(r, name, 1);
            put(r, (Op){.action = ONE, .one = of_one[i].one});
            return;
        }
    for (size_t i = 0; i < sizeof of_two / sizeof *of_two; i++)
        if (strcmp(of_two[i].name, name) == 0) {
            read_arguments(r, name, 2);
            put_two(r, of_two[i].two);
            return;
        }
    if (strcmp(name, "if") == 0) {
        read_arguments(r, name, 3);
        put(r, (Op){.action = CHOOSE});
        return;
    }
    wrong_at(r, at, "there is no function '%s' of what is in its brackets", name);
}

static void read_name(Reader *r, const char *name, const char *at)
{
    const char *const *variables = r->scope->variables;
    for (uint32_t i = 0; variables && variables[i]; i++)
        if (strcmp(variables[i], name) == 0) {
            put(r, (Op){.action = VARIABLE, .variable = i});
            return;
        }
    double value = 0;
    DvText problem = {0};
    if (strcmp(name, "pi") == 0)
        put_number(r, DV_PI);
    else if (r->scope->constant && r->scope->constant(r->scope->context, name, &value, &problem))
        put_number(r, value);
    else if (problem.length)
        wrong_at(r, at, "%s", problem.at);
    else
        wrong_at(r, at, "'%s' has no value here", name);
    dv_text_free(&problem);
}

static void read_operand(Reader *r)
{
    char name[MAX_NAME];
    skip_blanks(r);
    const char *begin = r->at;
    double number;
    if (takes(r, "(")) {
        read_choice(r);
        expect(r, ")");
    } else if (takes_name(r, name)) {
        if (takes(r, "("))
            read_function(r, name, begin);
        else
            read_name(r, name, begin);
    } else if ((is_digit(*r->at) || *r->at == '.') && dv_read_double(&r->at, &number)) {
        put_number(r, number);
    } else {
        wrong(r, "expected a number at %s", *r->at ? r->at : "the end");
    }
}

static void read_signed(Reader *r);

static void read_power(Reader *r)
{
    read_operand(r);
    if (takes(r, "^")) {
        read_signed(r);
        put_two(r, pow);
    }
}

static void read_signed(Reader *r)
{
    if (++r->depth > MAX_DEPTH) {
        wrong(r, "more than %d brackets or signs inside each other", MAX_DEPTH);
    } else if (takes(r, "-")) {
        read_signed(r);
        put(r, (Op){.action = NEGATE});
    } else {
        read_power(r);
    }
    r->depth--;
}

typedef struct Operator {
    const char *sign;
    double (*two)(double, double);
} Operator;

/* Operands of `read`, joined by any of these from left to right. */
static void read_joined(Reader *r, void (*read)(Reader *), const Operator *operators, size_t count)
{
    read(r);
    for (size_t i = 0; i < count && !r->failed; i++)
        if (takes(r, operators[i].sign)) {
            read(r);
            put_two(r, operators[i].two);
            i = (size_t)-1; /* once more from the first */
        }
}

static void read_product(Reader *r)
{
    static const Operator operators[] = {{"*", multiply}, {"/", divide}};
    read_joined(r, read_signed, operators, sizeof operators / sizeof *operators);
}

static void read_sum(Reader *r)
{
    static const Operator operators[] = {{"+", add}, {"-", subtract}};
    read_joined(r, read_product, operators, sizeof operators / sizeof *operators);
}

static void read_comparison(Reader *r)
{
    static const Operator operators[] = {{"<=", is_at_most}, {">=", is_at_least}, {"!=", is_different},
                                         {"<", is_less},     {">", is_more},      {"=", is_equal}};
    read_joined(r, read_sum, operators, sizeof operators / sizeof *operators);
}

static void read_both(Reader *r)
{
    static const Operator operators[] = {{"and", both}};
    read_joined(r, read_comparison, operators, sizeof operators / sizeof *operators);
}

static void read_choice(Reader *r)
{
    static const Operator operators[] = {{"or", either}};
    read_joined(r, read_both, operators, sizeof operators / sizeof *operators);
}

DvFormula *dv_formula_compile_list(const char *text, const DvFormulaScope *scope, DvText *problem)
{
    DvFormula *formula = dv_alloc(1, sizeof *formula);
    Reader reader = {.at = text, .text = text, .scope = scope, .formula = formula, .problem = problem};
    do {
        reader.stack = 0;
        read_choice(&reader);
        dv_array_push(&formula->end, formula->ops.count);
    } while (!reader.failed && takes(&reader, ","));
    if (*reader.at)
        wrong(&reader, "'%s' is too much", reader.at);
    if (!reader.failed)
        return formula;
    dv_formula_free(formula);
    return NULL;
}

DvFormula *dv_formula_compile(const char *text, const DvFormulaScope *scope, DvText *problem)
{
    DvFormula *formula = dv_formula_compile_list(text, scope, problem);
    if (!formula || formula->end.count == 1)
        return formula;
    dv_text_add(problem, "one number is wanted, not a list");
    if (scope->place)
        *scope->place = 0;
    dv_formula_free(formula);
    return NULL;
}

uint32_t dv_formula_count(const DvFormula *formula)
{
    return formula->end.count;
}

/* ---- evaluation ---- */

double dv_formula_value_of(const DvFormula *formula, uint32_t n, const double *variables)
{
    double stack[MAX_STACK + 1] = {0}, *top = stack; /* top: behind the last */
    for (uint32_t i = n ? formula->end.data[n - 1] : 0; i < formula->end.data[n]; i++) {
        const Op *op = &formula->ops.data[i];
        switch (op->action) {
        case NUMBER:
            *top++ = op->number;
            break;
        case VARIABLE:
            *top++ = variables[op->variable];
            break;
        case NEGATE:
            top[-1] = -top[-1];
            break;
        case ONE:
            top[-1] = op->one(top[-1]);
            break;
        case TWO:
            top--;
            top[-1] = op->two(top[-1], top[0]);
            break;
        case CHOOSE:
            top -= 2;
            top[-1] = top[-1] != 0 ? top[0] : top[1];
            break;
        }
    }
    return stack[0];
}

void dv_formula_free(DvFormula *formula)
{
    if (!formula)
        return;
    dv_array_free(&formula->ops);
    dv_array_free(&formula->end);
    dv_free(formula);
}
