/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Errors, orders of convergence, limits.
 */
#include "judge.h"

#include <math.h>
#include <string.h>

static void free_judgement(gpointer judgement_)
{
    Judgement *judgement = judgement_;
    g_array_free(judgement->results, TRUE);
    g_free(judgement->deviates);
    g_free(judgement);
}

Case *case_new(const Problem *problem, const Section *which, guint runs)
{
    Case *c = g_new0(Case, 1);
    c->problem = problem;
    c->which = which;
    c->name = which ? g_strconcat(problem->name, "/", which->name, NULL) : g_strdup(problem->name);
    c->runs = runs;
    c->outcomes = g_new0(Outcome, runs);
    for (guint i = 0; i < runs; i++)
        outcome_init(&c->outcomes[i]);
    c->judgements = g_ptr_array_new_with_free_func(free_judgement);
    return c;
}

void case_free(Case *c)
{
    for (guint i = 0; i < c->runs; i++)
        outcome_clear(&c->outcomes[i]);
    g_free(c->outcomes);
    g_ptr_array_unref(c->judgements);
    g_free(c->name);
    g_free(c);
}

Run case_run(const Case *c, guint number)
{
    return (Run){.problem = c->problem, .which = c->which, .number = number};
}

char *case_text(const Case *c, const Section *section, const char *key)
{
    Run run = case_run(c, 0);
    const ProblemEntry *entry = section_entry(section, key);
    char *text = entry ? run_fill(&run, entry->text, entry->line) : NULL;
    return text ? text : g_strdup("");
}

/* A number of the figure in a run; `fallback` where it is not given. false: reported. */
static bool number_of(const Case *c, const Section *section, const char *key, guint number, double fallback,
                      double *value)
{
    Run run = case_run(c, number);
    const ProblemEntry *entry = section ? section_entry(section, key) : run_entry(&run, key);
    *value = fallback;
    return !entry || run_value_of_list(&run, entry, value);
}

static const FigureValues *values_of(const Case *c, guint figure, guint run)
{
    return &g_array_index(c->outcomes[run].values, FigureValues, figure);
}

static bool take_result(const Case *c, Judgement *judgement, guint figure, guint run)
{
    const FigureValues *values = values_of(c, figure, run);
    Result result = {.value = values->value};
    result.exact = values->of_first_run ? values_of(c, figure, 0)->value : values->exact;
    const double scale = fabs(isnan(values->scale) ? result.exact : values->scale);
    if (!number_of(c, judgement->figure, "bound", run, NAN, &result.bound) ||
        !number_of(c, NULL, "size", run, NAN, &result.size))
        return false;
    if (scale == 0)
        return problem_error(c->problem, judgement->figure->line,
                             "figure %s: exact is 0: the error needs a 'scale' to be measured by",
                             judgement->figure->name);
    result.error = fabs(result.value - result.exact) / scale;
    result.good = result.error <= result.bound;
    g_array_append_val(judgement->results, result);
    return true;
}

/* Of some runs only, as with --quick: orders and limits, which are those of the finest meshes, are told but not judged. */
static bool is_partial(const Case *c)
{
    return c->runs < c->problem->runs;
}

/* Order and limit from the last two runs. */
static bool take_order(const Case *c, Judgement *judgement)
{
    const guint runs = judgement->results->len;
    double within;
    judgement->order = judgement->limit = judgement->limit_error = NAN;
    judgement->order_good = judgement->limit_good = true;
    if (!number_of(c, judgement->figure, "order", runs - 1, NAN, &judgement->order_wanted) ||
        !number_of(c, judgement->figure, "order within", runs - 1, 0.25, &within) ||
        !number_of(c, judgement->figure, "limit within", runs - 1, NAN, &judgement->limit_wanted))
        return false;
    if (runs < 2 || isnan(judgement->order_wanted))
        return true;
    const Result *coarse = &g_array_index(judgement->results, Result, runs - 2), *fine = coarse + 1;
    const double ratio = coarse->size / fine->size;
    judgement->order = log(coarse->error / fine->error) / log(ratio);
    judgement->order_good = is_partial(c) || fabs(judgement->order - judgement->order_wanted) <= within;
    if (isnan(judgement->limit_wanted))
        return true;
    const double limit = fine->value + (fine->value - coarse->value) / (pow(ratio, judgement->order_wanted) - 1);
    judgement->limit = limit;
    judgement->limit_error = fabs(limit - fine->exact) * fine->error / fabs(fine->value - fine->exact);
    judgement->limit_good = is_partial(c) || judgement->limit_error <= judgement->limit_wanted;
    return true;
}

static bool take_figure(Case *c, const Section *figure, guint index)
{
    if (!values_of(c, index, 0)->when)
        return true;
    Judgement *judgement = g_new0(Judgement, 1);
    g_ptr_array_add(c->judgements, judgement);
    judgement->figure = figure;
    judgement->results = g_array_new(FALSE, TRUE, sizeof(Result));
    bool taken = true;
    for (guint run = 0; taken && run < c->runs; run++)
        taken = take_result(c, judgement, index, run);
    if (!taken || !take_order(c, judgement))
        return false;
    bool holds = judgement->order_good && judgement->limit_good;
    for (guint run = 0; run < judgement->results->len; run++)
        holds = holds && g_array_index(judgement->results, Result, run).good;
    char *deviates = case_text(c, figure, "deviates");
    if (*deviates)
        judgement->deviates = g_steal_pointer(&deviates);
    g_free(deviates);
    judgement->good = judgement->deviates ? !holds || is_partial(c) : holds;
    return true;
}

/* A scene that is not what it says computes something else: a warning that changes results is a failure, unless the problem is about it. */
static bool is_warned(const Case *c)
{
    char *expected = case_text(c, problem_section(c->problem, "", ""), "warns");
    bool warned = false;
    for (guint run = 0; run < c->runs && !*expected; run++)
        warned = warned || c->outcomes[run].messages->len;
    g_free(expected);
    return warned;
}

void case_judge(Case *c)
{
    const Section *figure;
    c->good = !is_warned(c);
    for (guint run = 0; run < c->runs; run++)
        c->good = c->good && c->outcomes[run].good;
    for (guint i = 0; c->good && (figure = problem_nth(c->problem, "figure", i)); i++)
        c->good = take_figure(c, figure, i);
    if (!c->good)
        g_ptr_array_set_size(c->judgements, 0);
    for (guint i = 0; c->good && i < c->judgements->len; i++)
        c->good = ((const Judgement *)g_ptr_array_index(c->judgements, i))->good;
}
