/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The list, the table of the terminal, and docs/verification.md.
 */
#include "report.h"

#include "host.h"

#include <math.h>
#include <string.h>

const char *report_number(char text[NUMBER_SIZE], double number, int digits)
{
    if (isnan(number))
        g_strlcpy(text, "-", NUMBER_SIZE);
    else
        g_snprintf(text, NUMBER_SIZE, "%.*g", digits, number);
    return text;
}

const char *report_verdict(const Judgement *judgement)
{
    if (judgement->deviates)
        return judgement->good ? "deviates" : "HOLDS NOW";
    return judgement->good ? "holds" : "FAILS";
}

const Result *report_finest(const Judgement *judgement)
{
    return judgement->results->len ? &g_array_index(judgement->results, Result, judgement->results->len - 1) : NULL;
}

char *report_order(const Judgement *judgement)
{
    if (isnan(judgement->order))
        return g_strdup("");
    return g_strdup_printf("%.2f of %g", judgement->order, judgement->order_wanted);
}

void report_list(const GPtrArray *cases, FILE *to)
{
    for (guint i = 0; i < cases->len; i++) {
        const Case *c = g_ptr_array_index(cases, i);
        char *title = case_text(c, problem_section(c->problem, "", ""), "title");
        fprintf(to, "%-36s %s\n", c->name, title);
        g_free(title);
    }
}

/* ---- terminal ---- */

static void print_row(const Case *c, const Judgement *judgement, FILE *to)
{
    char value[NUMBER_SIZE], exact[NUMBER_SIZE], error[NUMBER_SIZE], bound[NUMBER_SIZE];
    const Result *finest = report_finest(judgement);
    char *order = report_order(judgement), *unit = case_text(c, judgement->figure, "unit");
    fprintf(to, "%-34s %-26s %12s %12s %-7s %9s %9s  %-12s %s\n", c->name, judgement->figure->name,
            report_number(value, finest ? finest->value : NAN, 6),
            report_number(exact, finest ? finest->exact : NAN, 6), unit,
            report_number(error, finest ? finest->error : NAN, 2),
            report_number(bound, finest ? finest->bound : NAN, 2), order, report_verdict(judgement));
    g_free(unit);
    g_free(order);
}

/* Why a figure fails where that is not its last run's error. */
static void print_reason(const Judgement *judgement, FILE *to)
{
    for (guint i = 0; i < judgement->results->len; i++) {
        const Result *result = &g_array_index(judgement->results, Result, i);
        if (!result->good)
            fprintf(to, "    run %u: error %.3g, bound %.3g\n", i + 1, result->error, result->bound);
    }
    if (!judgement->order_good)
        fprintf(to, "    order of convergence %.3g instead of %.3g\n", judgement->order, judgement->order_wanted);
    if (!judgement->limit_good)
        fprintf(to, "    error of the limit %.3g, bound %.3g\n", judgement->limit_error, judgement->limit_wanted);
}

/* What a run says that the one before did not. */
static void print_messages(const Case *c, FILE *to)
{
    for (guint run = 0; run < c->runs; run++) {
        if (run && g_string_equal(c->outcomes[run].messages, c->outcomes[run - 1].messages))
            continue;
        char **lines = g_strsplit(c->outcomes[run].messages->str, "\n", -1);
        for (char **line = lines; *line; line++)
            if (**line)
                fprintf(to, "    run %u: %s\n", run + 1, *line);
        g_strfreev(lines);
    }
}

void report_table(const GPtrArray *cases, FILE *to)
{
    guint figures = 0, deviate = 0, wrong = 0;
    fprintf(to, "%-34s %-26s %12s %12s %-7s %9s %9s  %-12s\n", "problem", "figure", "value", "exact", "", "error",
            "bound", "order");
    for (guint i = 0; i < cases->len; i++) {
        const Case *c = g_ptr_array_index(cases, i);
        for (guint k = 0; k < c->judgements->len; k++) {
            const Judgement *judgement = g_ptr_array_index(c->judgements, k);
            print_row(c, judgement, to);
            if (judgement->deviates)
                fprintf(to, "    %s\n", judgement->deviates);
            if (!judgement->good && !judgement->deviates)
                print_reason(judgement, to);
            figures++;
            deviate += judgement->good && judgement->deviates;
            wrong += !judgement->good;
        }
        if (!c->good && !c->judgements->len) {
            fprintf(to, "%-34s FAILS\n", c->name);
            wrong++;
        }
        print_messages(c, to);
    }
    fprintf(to, "%u problems, %u figures: %u hold, %u deviate for a known reason, %u fail\n", cases->len, figures,
            figures - MIN(figures, deviate + wrong), deviate, wrong);
}

/* ---- docs/verification.md ---- */

/* Pipes would end a cell. */
static void print_cell(FILE *to, const char *text)
{
    for (; *text; text++)
        fprintf(to, *text == '|' ? "\\%c" : "%c", *text);
}

static void print_runs(const Case *c, const Judgement *judgement, FILE *to)
{
    char *unit = case_text(c, judgement->figure, "unit"), *order = report_order(judgement);
    char value[NUMBER_SIZE], exact[NUMBER_SIZE], error[NUMBER_SIZE], bound[NUMBER_SIZE];
    for (guint i = 0; i < judgement->results->len; i++) {
        const Result *result = &g_array_index(judgement->results, Result, i);
        const bool last = i + 1 == judgement->results->len;
        fprintf(to, "| %s | ", i ? "" : c->which ? c->which->name : "");
        print_cell(to, i ? "" : judgement->figure->name);
        fprintf(to, " | %u | %s %s | %s | %s | %s | %s | %s |\n", i + 1, report_number(value, result->value, 6), unit,
                report_number(exact, result->exact, 6), report_number(error, result->error, 2),
                report_number(bound, result->bound, 2), last ? order : "", last ? report_verdict(judgement) : "");
    }
    if (!isnan(judgement->limit_error))
        fprintf(to, "| | | limit | %s %s | %s | %s | %s | | |\n", report_number(value, judgement->limit, 6), unit,
                report_number(exact, report_finest(judgement)->exact, 6),
                report_number(error, judgement->limit_error, 2), report_number(bound, judgement->limit_wanted, 2));
    g_free(order);
    g_free(unit);
}

static void print_formulas(const Problem *problem, FILE *to)
{
    const Section *figure;
    for (guint i = 0; (figure = problem_nth(problem, "figure", i)); i++) {
        const ProblemEntry *about = section_entry(figure, "about");
        fprintf(to, "- %s: `%s`, exactly `%s`%s%s\n", figure->name, section_entry(figure, "value")->text,
                section_entry(figure, "exact")->text, about ? ". " : "", about ? about->text : "");
    }
}

/* What the problem is computed with: one line, or one for each case where they differ. */
static void print_methods(const GPtrArray *cases, guint first, guint end, FILE *to)
{
    const Problem *problem = ((const Case *)g_ptr_array_index(cases, first))->problem;
    const Section *head = problem_section(problem, "", "");
    const bool differ = strchr(section_entry(head, "method")->text, '{') != NULL;
    fputs(differ ? "With:\n\n" : "With: ", to);
    for (guint i = first; i < (differ ? end : first + 1); i++) {
        const Case *c = g_ptr_array_index(cases, i);
        char *method = case_text(c, head, "method");
        if (differ)
            fprintf(to, "- %s: `%s`\n", c->which ? c->which->name : "", method);
        else
            fprintf(to, "%s\n", method);
        g_free(method);
    }
}

static void print_problem(const GPtrArray *cases, guint first, guint end, FILE *to)
{
    const Problem *problem = ((const Case *)g_ptr_array_index(cases, first))->problem;
    const Section *head = problem_section(problem, "", "");
    const ProblemEntry *about = section_entry(head, "about");
    fprintf(to, "\n### %s\n\n%s\n\n", problem->name, section_entry(head, "title")->text);
    if (about)
        fprintf(to, "%s\n\n", about->text);
    print_methods(cases, first, end, to);
    fprintf(to, "\nSource: %s\n\n", section_entry(head, "source")->text);
    print_formulas(problem, to);
    fputs(
        "\n| Case | Figure | Run | Value | Exact | Error | Bound | Order | |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
        to);
    for (guint i = first; i < end; i++) {
        const Case *c = g_ptr_array_index(cases, i);
        for (guint k = 0; k < c->judgements->len; k++)
            print_runs(c, g_ptr_array_index(c->judgements, k), to);
    }
}

guint report_end_of_problem(const GPtrArray *cases, guint first)
{
    guint end = first + 1;
    while (end < cases->len && ((const Case *)g_ptr_array_index(cases, end))->problem ==
                                   ((const Case *)g_ptr_array_index(cases, first))->problem)
        end++;
    return end;
}

/* What stands above the figures is a file beside the problems. */
static void print_head(FILE *to)
{
    char *folder = host_data_folder("problems"), *file = g_build_filename(folder, "head.md", NULL), *text = NULL;
    if (g_file_get_contents(file, &text, NULL, NULL))
        fputs(text, to);
    g_free(text);
    g_free(file);
    g_free(folder);
}

void report_markdown(const GPtrArray *cases, FILE *to)
{
    print_head(to);
    for (guint first = 0; first < cases->len; first = report_end_of_problem(cases, first))
        print_problem(cases, first, report_end_of_problem(cases, first), to);
    fputs("\n## What deviates\n\n", to);
    for (guint i = 0; i < cases->len; i++) {
        const Case *c = g_ptr_array_index(cases, i);
        for (guint k = 0; k < c->judgements->len; k++) {
            const Judgement *judgement = g_ptr_array_index(c->judgements, k);
            if (judgement->deviates)
                fprintf(to, "- %s, %s: %s\n", c->name, judgement->figure->name, judgement->deviates);
        }
    }
}
