/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The page for the browser: one file. Plots are SVG that gnuplot draws, where it is at hand.
 */
#include "report.h"

#include <math.h>
#include <string.h>

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>Divan: problems with known answers</title>\n<style>\n"
    "body { font: 15px/1.45 sans-serif; max-width: 72em; margin: 2em auto; padding: 0 1em; color: #222; }\n"
    "table { border-collapse: collapse; margin: 1em 0; }\n"
    "th, td { padding: 0.15em 0.8em 0.15em 0; text-align: left; border-bottom: 1px solid #ddd; vertical-align: top; }\n"
    "td.number { text-align: right; font-variant-numeric: tabular-nums; }\n"
    "code { background: #f3f3f3; padding: 0 0.2em; }\n"
    ".holds { color: #176f2c; } .deviates { color: #9a6700; } .fails { color: #b3261e; font-weight: bold; }\n"
    "svg { max-width: 100%; height: auto; }\n"
    "</style>\n</head>\n<body>\n";

static void print_escaped(FILE *to, const char *text)
{
    char *escaped = g_markup_escape_text(text, -1);
    fputs(escaped, to);
    g_free(escaped);
}

static void print_element(FILE *to, const char *begin, const char *text, const char *end)
{
    fputs(begin, to);
    print_escaped(to, text);
    fputs(end, to);
}

static void print_number(FILE *to, double number, int digits)
{
    char text[NUMBER_SIZE];
    fprintf(to, "<td class=\"number\">%s</td>", report_number(text, number, digits));
}

static const char *style_of(const Judgement *judgement)
{
    return !judgement->good ? "fails" : judgement->deviates ? "deviates" : "holds";
}

/* ---- plots ---- */

/* What gnuplot draws from a script, from <svg on; NULL: it is not there, or failed. */
static char *drawn(const char *script)
{
    char *program = g_find_program_in_path("gnuplot"), *out = NULL, *svg = NULL;
    FILE *file = program ? tmpfile() : NULL; /* without a name, so that nothing is left of it */
    if (file && fputs(script, file) >= 0 && fflush(file) == 0) {
        char name[32];
        (void)g_snprintf(name, sizeof name, "/dev/fd/%d", fileno(file));
        char *const arguments[] = {program, name, NULL};
        int status = -1;
        if (g_spawn_sync(NULL, (char **)arguments, NULL, G_SPAWN_STDERR_TO_DEV_NULL | G_SPAWN_LEAVE_DESCRIPTORS_OPEN,
                         NULL, NULL, &out, NULL, &status, NULL) &&
            status == 0 && strstr(out, "<svg"))
            svg = g_strdup(strstr(out, "<svg"));
    }
    if (file)
        (void)fclose(file);
    g_free(out);
    g_free(program);
    return svg;
}

/* Quotes end a title, and gnuplot would set _ and ^ as indices. */
static char *plot_title(const char *text)
{
    return g_strdelimit(g_strdup(text), "\"\\_^{}@&", ' ');
}

typedef struct Plot {
    GString *data, *lines; /* blocks "$d0 << end", and what draws them */
    guint count;
} Plot;

static void plot_begin(Plot *plot)
{
    plot->data =
        g_string_new("set key outside right samplen 1.5\nset grid lc rgb '#dddddd'\nset border 3\nset tics nomirror\n");
    plot->lines = g_string_new(NULL);
    plot->count = 0;
}

static void plot_line(Plot *plot, const char *points, const char *title, const char *style)
{
    char *plain = plot_title(title);
    g_string_append_printf(plot->data, "$d%u << end\n%send\n", plot->count, points);
    g_string_append_printf(plot->lines, "%s$d%u with %s title \"%s\"", plot->count ? ", " : "plot ", plot->count, style,
                           plain);
    plot->count++;
    g_free(plain);
}

/* Ends the plot; its picture goes to the page. */
static void plot_end(Plot *plot, const char *settings, const char *name, FILE *to)
{
    static const char *const about = "size 760,340 dynamic font 'sans,11' background 'white'";
    char *plain = g_strcanon(g_strdup(name), G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS, '_'); /* gnuplot takes no other */
    char *script = g_strdup_printf("set terminal svg %s name \"%s\"\n%s\n%s%s\n", about, plain, settings,
                                   plot->data->str, plot->lines->str);
    char *svg = plot->count ? drawn(script) : NULL;
    if (svg)
        fprintf(to, "<figure>%s</figure>\n", svg);
    g_free(svg);
    g_free(script);
    g_free(plain);
    g_string_free(plot->data, TRUE);
    g_string_free(plot->lines, TRUE);
}

/* Error against size, both logarithmic, for all figures of all cases of a problem that have two runs or more. */
static void plot_errors(const GPtrArray *cases, guint first, guint end, FILE *to)
{
    Plot plot;
    plot_begin(&plot);
    const Case *c = g_ptr_array_index(cases, first);
    for (guint i = first; i < end; i++) {
        c = g_ptr_array_index(cases, i);
        for (guint k = 0; k < c->judgements->len; k++) {
            const Judgement *judgement = g_ptr_array_index(c->judgements, k);
            GString *points = g_string_new(NULL);
            guint count = 0;
            for (guint run = 0; run < judgement->results->len; run++) {
                const Result *result = &g_array_index(judgement->results, Result, run);
                if (result->size > 0 && result->error > 0) {
                    g_string_append_printf(points, "%.9g %.9g\n", result->size, result->error);
                    count++;
                }
            }
            char *title = g_strdup_printf("%s%s%s", c->which ? c->which->name : "", c->which ? ": " : "",
                                          judgement->figure->name);
            if (count > 1)
                plot_line(&plot, points->str, title, "linespoints pt 7 ps 0.5");
            g_free(title);
            g_string_free(points, TRUE);
        }
    }
    const ProblemEntry *size = run_entry(&(Run){.problem = c->problem}, "size");
    char *label = plot_title(size ? size->text : "size");
    char *settings = g_strdup_printf(
        "set logscale xy\nset format y '10^{%%L}'\nset xlabel \"%s\"\nset ylabel \"relative error\"\n", label);
    char *name = g_strconcat(c->problem->name, "-errors", NULL);
    plot_end(&plot, settings, name, to);
    g_free(name);
    g_free(settings);
    g_free(label);
}

/* The watched series that the problem names, of the finest run. */
static void plot_curves(const Case *c, FILE *to)
{
    const ProblemEntry *entry = section_entry(problem_section(c->problem, "", ""), "plot");
    const GPtrArray *curves = c->outcomes[c->runs - 1].curves;
    char **names = g_strsplit(entry ? entry->text : "", ",", -1);
    Plot plot;
    plot_begin(&plot);
    for (guint i = 0; i < curves->len && names[i]; i++) {
        const GArray *curve = g_ptr_array_index(curves, i);
        GString *points = g_string_new(NULL);
        for (guint k = 0; k < curve->len; k++) {
            const Sample *sample = &g_array_index(curve, Sample, k);
            g_string_append_printf(points, "%.9g %.9g\n", sample->time, sample->value);
        }
        plot_line(&plot, points->str, g_strstrip(names[i]), i ? "lines dt 2 lw 2" : "lines lw 1.5");
        g_string_free(points, TRUE);
    }
    char *settings = g_strdup_printf("set xlabel \"t (s)\"\nset title \"%s\" noenhanced\n", c->name);
    plot_end(&plot, settings, c->name, to);
    g_free(settings);
    g_strfreev(names);
}

/* ---- the page ---- */

static void print_summary(const GPtrArray *cases, FILE *to)
{
    fputs(
        "<h1>Problems with known answers</h1>\n<table>\n<tr><th>Problem</th><th>Figure</th><th>Value</th><th>Exact</th><th></th>"
        "<th>Error</th><th>Bound</th><th>Order</th><th></th></tr>\n",
        to);
    for (guint i = 0; i < cases->len; i++) {
        const Case *c = g_ptr_array_index(cases, i);
        for (guint k = 0; k < c->judgements->len; k++) {
            const Judgement *judgement = g_ptr_array_index(c->judgements, k);
            const Result *finest = report_finest(judgement);
            char *unit = case_text(c, judgement->figure, "unit"), *order = report_order(judgement);
            fprintf(to, "<tr><td><a href=\"#%s\">", c->problem->name);
            print_element(to, "", c->name, "</a></td>");
            print_element(to, "<td>", judgement->figure->name, "</td>");
            print_number(to, finest->value, 6);
            print_number(to, finest->exact, 6);
            print_element(to, "<td>", unit, "</td>");
            print_number(to, finest->error, 2);
            print_number(to, finest->bound, 2);
            fprintf(to, "<td>%s</td><td class=\"%s\">%s</td></tr>\n", order, style_of(judgement),
                    report_verdict(judgement));
            g_free(order);
            g_free(unit);
        }
        if (!c->judgements->len)
            print_element(to, "<tr><td>", c->name, "</td><td class=\"fails\" colspan=\"8\">FAILS</td></tr>\n");
    }
    fputs("</table>\n", to);
}

static void print_about(const Problem *problem, FILE *to)
{
    const Section *section = problem_section(problem, "", "");
    const ProblemEntry *about = section_entry(section, "about");
    fprintf(to, "<h2 id=\"%s\">", problem->name);
    print_element(to, "", section_entry(section, "title")->text, "</h2>\n");
    if (about)
        print_element(to, "<p>", about->text, "</p>\n");
    print_element(to, "<p>Source: ", section_entry(section, "source")->text, "</p>\n<ul>\n");
    for (guint i = 0; (section = problem_nth(problem, "figure", i)); i++) {
        print_element(to, "<li>", section->name, ": ");
        print_element(to, "<code>", section_entry(section, "value")->text, "</code>, exactly ");
        print_element(to, "<code>", section_entry(section, "exact")->text, "</code></li>\n");
    }
    fputs("</ul>\n", to);
}

static void print_case(const Case *c, FILE *to)
{
    char *method = case_text(c, problem_section(c->problem, "", ""), "method");
    print_element(to, "<tr><td colspan=\"10\"><code>", method, "</code></td></tr>\n");
    g_free(method);
    for (guint k = 0; k < c->judgements->len; k++) {
        const Judgement *judgement = g_ptr_array_index(c->judgements, k);
        for (guint run = 0; run < judgement->results->len; run++) {
            const Result *result = &g_array_index(judgement->results, Result, run);
            print_element(to, "<tr><td>", run || k ? "" : c->which ? c->which->name : "", "</td>");
            print_element(to, "<td>", run ? "" : judgement->figure->name, "</td>");
            fprintf(to, "<td class=\"number\">%u</td>", run + 1);
            print_number(to, result->size, 4);
            print_number(to, result->value, 8);
            print_number(to, result->exact, 8);
            print_number(to, result->error, 2);
            print_number(to, result->bound, 2);
            char *order = run + 1 == judgement->results->len ? report_order(judgement) : g_strdup("");
            fprintf(to, "<td>%s</td><td class=\"%s\">%s</td></tr>\n", order, style_of(judgement),
                    run ? "" : report_verdict(judgement));
            g_free(order);
        }
        if (!isnan(judgement->limit_error)) {
            fputs("<tr><td></td><td></td><td class=\"number\">limit</td><td></td>", to);
            print_number(to, judgement->limit, 8);
            print_number(to, report_finest(judgement)->exact, 8);
            print_number(to, judgement->limit_error, 2);
            print_number(to, judgement->limit_wanted, 2);
            fputs("<td></td><td></td></tr>\n", to);
        }
        if (judgement->deviates)
            print_element(to, "<tr><td></td><td colspan=\"9\" class=\"deviates\">", judgement->deviates,
                          "</td></tr>\n");
    }
    for (guint run = 0; run < c->runs; run++)
        if (c->outcomes[run].messages->len)
            print_element(to, "<tr><td></td><td colspan=\"9\" class=\"fails\">", c->outcomes[run].messages->str,
                          "</td></tr>\n");
}

static void print_problem(const GPtrArray *cases, guint first, guint end, FILE *to)
{
    print_about(((const Case *)g_ptr_array_index(cases, first))->problem, to);
    fputs(
        "<table>\n<tr><th>Case</th><th>Figure</th><th>Run</th><th>Size</th><th>Value</th><th>Exact</th><th>Error</th><th>Bound</th>"
        "<th>Order</th><th></th></tr>\n",
        to);
    for (guint i = first; i < end; i++)
        print_case(g_ptr_array_index(cases, i), to);
    fputs("</table>\n", to);
    plot_errors(cases, first, end, to);
    for (guint i = first; i < end; i++)
        plot_curves(g_ptr_array_index(cases, i), to);
}

void report_html(const GPtrArray *cases, FILE *to)
{
    fputs(head, to);
    print_summary(cases, to);
    for (guint first = 0; first < cases->len; first = report_end_of_problem(cases, first))
        print_problem(cases, first, report_end_of_problem(cases, first), to);
    fputs("</body>\n</html>\n", to);
}
