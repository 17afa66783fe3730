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
#ifndef DIVAN_KIT_FORMULA_H
#define DIVAN_KIT_FORMULA_H

#include <divan/memory.h>

DV_BEGIN_DECLS

typedef struct DvFormula DvFormula; /* one formula, or several separated by commas */

enum { DV_FORMULA_NAME = 40 }; /* bytes of a name, with its end; what is longer is cut */

/* What names mean. All but `context` may be NULL. */
typedef struct DvFormulaScope {
    const char *const *variables; /* names of what changes between evaluations, NULL at the end */
    /* The value of any other name, asked once; false: there is none, and `problem` may say why. */
    bool (*constant)(void *context, const char *name, double *value, DvText *problem);
    /* A function of a name, "period(y)", asked before the functions above; false: none of that name. */
    bool (*of_name)(void *context, const char *function, const char *name, double *value);
    void *context;
    size_t *place; /* gets where in the text that begins which is wrong, in bytes */
} DvFormulaScope;

/* One formula; NULL, and what is wrong added to `problem`, when it is none. Owned by the caller.     [any] */
DV_NODISCARD DV_PUBLIC DvFormula *dv_formula_compile(const char *text, const DvFormulaScope *scope, DvText *problem);
/* The same of formulas separated by commas.     [any] */
DV_NODISCARD DV_PUBLIC DvFormula *dv_formula_compile_list(const char *text, const DvFormulaScope *scope,
                                                          DvText *problem);
DV_PUBLIC void dv_formula_free(DvFormula *formula); /* NULL: nothing     [any] */

DV_PUBLIC uint32_t dv_formula_count(const DvFormula *formula); /* how many there are     [any] */
/* Of number `n`; `variables` in the order of the scope's names, NULL where it has none. Allocates nothing.     [any] */
DV_PUBLIC double dv_formula_value_of(const DvFormula *formula, uint32_t n, const double *variables);
/* Of the first.     [any] */
static inline double dv_formula_value(const DvFormula *formula, const double *variables)
{
    return dv_formula_value_of(formula, 0, variables);
}

DV_END_DECLS

#endif
