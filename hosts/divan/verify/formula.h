/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Formulas: arithmetic as text, compiled once, evaluated often.
 *
 *   + - * / ^ (to the right, before a sign in front: -2^2 = -4), brackets, pi
 *   < > <= >= = != (1 or 0; = and != within 1e-9 of the larger number, or of 1), and, or
 *   sin cos tan asin acos atan sinh cosh tanh sqrt exp log abs round floor noise    of one number
 *   atan2 min max mod agm                                                           of two
 *   if(condition, then, else)
 *
 * noise(k) is a fixed number between -1 and 1 for each k, without any pattern; agm is the arithmetic-geometric mean, by which
 * complete elliptic integrals are computed: K(k) = pi / (2 agm(1, sqrt(1 - k^2))).
 */
#ifndef DIVAN_VERIFY_FORMULA_H
#define DIVAN_VERIFY_FORMULA_H

#include <glib.h>
#include <stdbool.h>

typedef struct Formula Formula;

/* What names mean. All but `context` may be NULL. */
typedef struct FormulaScope {
    const char *const *variables; /* names of what changes between evaluations, NULL at the end */
    /* The value of any other name, asked once; false: there is none, and *problem may say why (freed with g_free). */
    bool (*constant)(void *context, const char *name, double *value, char **problem);
    /* A function of a name, "period(y)", asked before the functions above; false: none of that name. */
    bool (*of_name)(void *context, const char *function, const char *name, double *value);
    void *context;
} FormulaScope;

/* Formulas separated by commas; NULL and what is wrong in *problem (freed with g_free) when they are none. */
GPtrArray *formula_compile_list(const char *text, const FormulaScope *scope, char **problem); /* Formula * */
/* One formula. */
Formula *formula_compile(const char *text, const FormulaScope *scope, char **problem);
/* `variables` in the order of the scope's names. */
double formula_value(const Formula *formula, const double *variables);
void formula_free(Formula *formula);

#endif
