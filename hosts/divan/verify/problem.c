/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reading problems, and what their names mean in a run.
 */
#include "problem.h"

#include "block.h"

#include <math.h>
#include <string.h>

enum { MAX_DEPTH = 32, MAX_RUNS = 20 };

/* What may stand where; "*" stands for any name. */
static const struct {
    const char *kind;
    bool named; /* [kind name] */
    const char *keys[12];
} kinds[] = {
    {"", false, {"title", "about", "method", "source", "quick", "plot", "warns", NULL}},
    {"values", false, {"*", NULL}},
    {"runs", false, {"*", NULL}},
    {"case", true, {"*", NULL}},
    {"mesh", true, {"points", "x", "y", "z", "order", "corner", NULL}},
    {"watch", false, {"*", NULL}},
    {"figure",
     true,
     {"about", "value", "exact", "unit", "scale", "bound", "order", "order within", "limit within", "when", "deviates",
      NULL}},
    {"scene", false, {NULL}},
};

bool problem_error(const Problem *problem, int line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    dv_log_at(DV_LEVEL_ERROR, DV_ERROR_INVALID, problem->file, line, 0, "%s", text);
    g_free(text);
    return false;
}

const ProblemEntry *section_entry(const Section *section, const char *name)
{
    for (guint i = 0; section && i < section->entries->len; i++) {
        const ProblemEntry *entry = &g_array_index(section->entries, ProblemEntry, i);
        if (strcmp(entry->name, name) == 0)
            return entry;
    }
    return NULL;
}

const Section *problem_section(const Problem *problem, const char *kind, const char *name)
{
    for (guint i = 0; i < problem->sections->len; i++) {
        const Section *section = g_ptr_array_index(problem->sections, i);
        if (strcmp(section->kind, kind) == 0 && strcmp(section->name, name) == 0)
            return section;
    }
    return NULL;
}

const Section *problem_nth(const Problem *problem, const char *kind, guint n)
{
    for (guint i = 0; i < problem->sections->len; i++) {
        const Section *section = g_ptr_array_index(problem->sections, i);
        if (strcmp(section->kind, kind) == 0 && n-- == 0)
            return section;
    }
    return NULL;
}

guint problem_count(const Problem *problem, const char *kind)
{
    guint count = 0;
    while (problem_nth(problem, kind, count))
        count++;
    return count;
}

/* ---- reading ---- */

static void clear_entry(gpointer entry_)
{
    ProblemEntry *entry = entry_;
    g_free(entry->name);
    g_free(entry->text);
}

static void free_section(gpointer section_)
{
    Section *section = section_;
    g_free(section->kind);
    g_free(section->name);
    g_array_free(section->entries, TRUE);
    g_free(section);
}

static Section *add_section(Problem *problem, const char *kind, const char *name, int line)
{
    Section *section = g_new0(Section, 1);
    section->kind = g_strdup(kind);
    section->name = g_strdup(name);
    section->line = line;
    section->entries = g_array_new(FALSE, TRUE, sizeof(ProblemEntry));
    g_array_set_clear_func(section->entries, clear_entry);
    g_ptr_array_add(problem->sections, section);
    return section;
}

/* An error about a word that is none of these, with the closest one. */
static bool unknown_word(const Problem *problem, int line, const char *what, const char *word, const char *const *names,
                         size_t count)
{
    const char *closest = dv_closest(word, names, count);
    return closest ? problem_error(problem, line, "no %s '%s' is known here; did you mean '%s'?", what, word, closest)
                   : problem_error(problem, line, "no %s '%s' is known here", what, word);
}

static bool is_name(const char *name)
{
    if (!g_ascii_isalpha(*name))
        return false;
    for (; *name; name++)
        if (!g_ascii_isalnum(*name) && *name != '_')
            return false;
    return true;
}

/* "[figure tip]" */
static Section *read_head(Problem *problem, char *text, int line)
{
    char *end = strchr(text, ']');
    if (!end || end[1]) {
        problem_error(problem, line, "a section is a line of its own, as in [values]");
        return NULL;
    }
    *end = '\0';
    char *kind = g_strstrip(text + 1), *name = strchr(kind, ' ');
    if (name) {
        *name++ = '\0';
        name = g_strstrip(name);
    }
    const char *names[G_N_ELEMENTS(kinds)];
    for (size_t i = 1; i < G_N_ELEMENTS(kinds); i++) {
        names[i - 1] = kinds[i].kind;
        if (strcmp(kinds[i].kind, kind) != 0)
            continue;
        if (kinds[i].named && !name)
            problem_error(problem, line, "[%s] needs a name, as in [%s first]", kind, kind);
        else if (!kinds[i].named && name)
            problem_error(problem, line, "[%s] has no name", kind);
        else if (strcmp(kind, "mesh") == 0 && !is_name(name))
            problem_error(problem, line, "'%s' cannot be the name of a mesh: letters, digits and _", name);
        else if (problem_section(problem, kind, name ? name : ""))
            problem_error(problem, line, "[%s%s%s] is there already", kind, name ? " " : "", name ? name : "");
        else
            return add_section(problem, kind, name ? name : "", line);
        return NULL;
    }
    unknown_word(problem, line, "section", kind, names, G_N_ELEMENTS(kinds) - 1);
    return NULL;
}

static bool is_key(const Problem *problem, const Section *section, const char *key, int line)
{
    for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
        if (strcmp(kinds[i].kind, section->kind) != 0)
            continue;
        if (kinds[i].keys[0] && *kinds[i].keys[0] == '*')
            return is_name(key) || problem_error(problem, line, "'%s' is no name: letters, digits and _", key);
        if (g_strv_contains(kinds[i].keys, key))
            return true;
        size_t count = 0;
        while (kinds[i].keys[count])
            count++;
        return unknown_word(problem, line, "entry", key, kinds[i].keys, count);
    }
    return false;
}

static bool read_entry(const Problem *problem, Section *section, char *text, int line)
{
    char *equals = strchr(text, '=');
    if (!equals)
        return problem_error(problem, line, "expected 'name = value' or '[section]'");
    *equals = '\0';
    ProblemEntry entry = {.line = line};
    const char *name = g_strstrip(text);
    if (!is_key(problem, section, name, line))
        return false;
    if (section_entry(section, name))
        return problem_error(problem, line, "'%s' is given twice; first in line %d", name,
                             section_entry(section, name)->line);
    entry.name = g_strdup(name);
    entry.text = g_strdup(g_strstrip(equals + 1));
    g_array_append_val(section->entries, entry);
    return true;
}

/* A line that begins with a blank goes on with the entry above. */
static bool read_more(const Problem *problem, Section *section, char *text, int line)
{
    if (!section->entries->len)
        return problem_error(problem, line,
                             "a line that begins with a blank goes on with the one above, but there is none");
    ProblemEntry *entry = &g_array_index(section->entries, ProblemEntry, section->entries->len - 1);
    char *longer = g_strconcat(entry->text, *entry->text ? " " : "", g_strstrip(text), NULL);
    g_free(entry->text);
    entry->text = longer;
    return true;
}

static bool read_lines(Problem *problem, char *text)
{
    Section *section = add_section(problem, "", "", 1);
    int line = 1;
    for (char *at = text, *next; *at; at = next, line++) {
        next = strchr(at, '\n');
        if (next)
            *next++ = '\0';
        else
            next = at + strlen(at);
        if (strcmp(section->kind, "scene") == 0) {
            if (next > at && next[-1] == '\0')
                next[-1] = '\n';
            problem->scene_line = line;
            char *blank = g_strnfill((gsize)line - 1, '\n');
            problem->scene = g_strconcat(blank, at, NULL);
            g_free(blank);
            return true;
        }
        const bool goes_on = g_ascii_isspace(*at);
        g_strchomp(at);
        if (!*at || *at == '#')
            continue;
        if (*at == '[' && !(section = read_head(problem, at, line)))
            return false;
        if (*at != '[' && !(goes_on ? read_more(problem, section, at, line) : read_entry(problem, section, at, line)))
            return false;
    }
    return problem_error(problem, line, "there is no [scene], which is the last section");
}

/* ---- what must be there ---- */

/* How many numbers a list has, without computing them: commas outside brackets. */
static guint list_length(const char *text)
{
    guint length = 1;
    int depth = 0;
    for (; *text; text++) {
        depth += *text == '(';
        depth -= *text == ')';
        length += *text == ',' && depth == 0;
    }
    return length;
}

static bool count_runs(Problem *problem)
{
    const Section *runs = problem_section(problem, "runs", "");
    problem->runs = 1;
    for (guint i = 0; runs && i < runs->entries->len; i++) {
        const ProblemEntry *entry = &g_array_index(runs->entries, ProblemEntry, i);
        const guint length = list_length(entry->text);
        if (i == 0)
            problem->runs = length;
        if (length != problem->runs || length > MAX_RUNS)
            return problem_error(problem, entry->line, "'%s' has %u numbers, '%s' %u: one for each run, at most %d",
                                 entry->name, length, g_array_index(runs->entries, ProblemEntry, 0).name, problem->runs,
                                 MAX_RUNS);
    }
    const ProblemEntry *quick = section_entry(problem_section(problem, "", ""), "quick");
    guint64 number = 1;
    if (quick && !g_ascii_string_to_unsigned(quick->text, 10, 0, problem->runs, &number, NULL))
        return problem_error(problem, quick->line, "quick = %s: a number of runs, from 0 to %u", quick->text,
                             problem->runs);
    problem->quick = (guint)number;
    return true;
}

static bool has_entries(const Problem *problem, const Section *section, const char *const *names)
{
    for (; *names; names++)
        if (!section_entry(section, *names))
            return problem_error(problem, section->line, "%s%s%s has no '%s'",
                                 *section->kind ? section->kind : "the problem", *section->name ? " " : "",
                                 section->name, *names);
    return true;
}

static bool is_complete(Problem *problem)
{
    static const char *const of_problem[] = {"title", "method", "source", NULL},
                             *const of_mesh[] = {"points", "x", "y", NULL},
                             *const of_figure[] = {"value", "exact", "bound", NULL};
    const Section *values = problem_section(problem, "values", "");
    if (!has_entries(problem, problem_section(problem, "", ""), of_problem) || !count_runs(problem))
        return false;
    if (!section_entry(values, "steps"))
        return problem_error(problem, values ? values->line : 1, "[values] does not say how many 'steps' a run has");
    if (!problem_nth(problem, "figure", 0))
        return problem_error(problem, problem->scene_line, "there is no [figure NAME] to compare");
    for (guint i = 0; i < problem->sections->len; i++) {
        const Section *section = g_ptr_array_index(problem->sections, i);
        if ((strcmp(section->kind, "mesh") == 0 && !has_entries(problem, section, of_mesh)) ||
            (strcmp(section->kind, "figure") == 0 && !has_entries(problem, section, of_figure)))
            return false;
        if (strcmp(section->kind, "figure") != 0)
            continue;
        const ProblemEntry *bound = section_entry(section, "bound");
        const guint bounds = list_length(bound->text);
        if (bounds != 1 && bounds != problem->runs)
            return problem_error(problem, bound->line, "%u bounds for %u runs: one for each, or one for all", bounds,
                                 problem->runs);
        if (section_entry(section, "order") && !run_entry(&(Run){.problem = problem}, "size"))
            return problem_error(problem, section->line,
                                 "an order needs the 'size' in [values] that runs get smaller by");
    }
    return true;
}

Problem *problem_read(const char *file)
{
    char *text;
    gsize length;
    GError *error = NULL;
    Problem *problem = g_new0(Problem, 1);
    problem->file = g_strdup(file);
    problem->name = g_path_get_basename(file);
    char *dot = strrchr(problem->name, '.');
    if (dot)
        *dot = '\0';
    problem->sections = g_ptr_array_new_with_free_func(free_section);
    bool good = g_file_get_contents(file, &text, &length, &error);
    if (!good) {
        dv_log(DV_LEVEL_ERROR, "%s", error->message);
        g_error_free(error);
    } else {
        good = strlen(text) == length || problem_error(problem, 1, "a zero byte: not a text");
        good = good && read_lines(problem, text) && is_complete(problem);
        g_free(text);
    }
    if (good)
        return problem;
    problem_free(problem);
    return NULL;
}

void problem_free(Problem *problem)
{
    if (!problem)
        return;
    g_ptr_array_unref(problem->sections);
    g_free(problem->scene);
    g_free(problem->file);
    g_free(problem->name);
    g_free(problem);
}

/* ---- names in a run ---- */

const ProblemEntry *run_entry(const Run *run, const char *name)
{
    const Section *const places[] = {run->which, problem_section(run->problem, "runs", ""),
                                     problem_section(run->problem, "values", "")};
    for (size_t i = 0; i < G_N_ELEMENTS(places); i++) {
        const ProblemEntry *entry = section_entry(places[i], name);
        if (entry)
            return entry;
    }
    return NULL;
}

static bool is_text(const ProblemEntry *entry)
{
    const size_t length = strlen(entry->text);
    return length >= 2 && entry->text[0] == '"' && entry->text[length - 1] == '"';
}

bool run_text(const Run *run, const char *name, char **text)
{
    const ProblemEntry *entry = run_entry(run, name);
    if (!entry || !is_text(entry))
        return false;
    *text = g_strndup(entry->text + 1, strlen(entry->text) - 2);
    return true;
}

/* Number `n` of a list; false and the reason otherwise. */
static bool nth_value(Run *run, const ProblemEntry *entry, guint n, double *value, DvText *problem)
{
    const DvFormulaScope scope = {.constant = run_number, .context = run};
    if (is_text(entry)) {
        dv_text_add(problem, "'%s' is a text, not a number", entry->name);
        return false;
    }
    if (run->depth >= MAX_DEPTH) {
        dv_text_add(problem, "'%s' needs its own value", entry->name);
        return false;
    }
    run->depth++;
    DvFormula *formulas = dv_formula_compile_list(entry->text, &scope, problem);
    run->depth--;
    if (!formulas)
        return false;
    const bool found = n < dv_formula_count(formulas);
    if (found)
        *value = dv_formula_value_of(formulas, n, NULL);
    else
        dv_text_add(problem, "'%s' has only %u numbers", entry->name, dv_formula_count(formulas));
    dv_formula_free(formulas);
    return found;
}

bool run_number(void *run_, const char *name, double *value, DvText *problem)
{
    Run *run = run_;
    const ProblemEntry *entry = run_entry(run, name);
    if (!entry)
        return false;
    const Section *runs = problem_section(run->problem, "runs", "");
    const bool of_runs = section_entry(runs, name) == entry;
    return nth_value(run, entry, of_runs ? run->number : 0, value, problem);
}

static bool reported(Run *run, const ProblemEntry *entry, guint n, double *value)
{
    DvText problem = {0};
    if (nth_value(run, entry, n, value, &problem))
        return true;
    problem_error(run->problem, entry->line, "%s: %s", entry->name, problem.at);
    dv_text_free(&problem);
    return false;
}

bool run_value(Run *run, const ProblemEntry *entry, double *value)
{
    return reported(run, entry, 0, value);
}

bool run_value_of_list(Run *run, const ProblemEntry *entry, double *value)
{
    return reported(run, entry, list_length(entry->text) > 1 ? run->number : 0, value);
}

/* ---- gaps ---- */

void problem_print_number(GString *out, double number)
{
    char digits[G_ASCII_DTOSTR_BUF_SIZE];
    g_ascii_formatd(digits, sizeof digits, "%.15g", number);
    if (g_ascii_strtod(digits, NULL) != number)
        g_ascii_formatd(digits, sizeof digits, "%.17g", number);
    g_string_append(out, digits);
}

static bool fill_gap(Run *run, const char *gap, int line, GString *out)
{
    char *text;
    if (run->depth >= MAX_DEPTH)
        return problem_error(run->problem, line, "{%s} holds itself", gap);
    if (run_text(run, gap, &text)) {
        run->depth++;
        char *filled = run_fill(run, text, line);
        run->depth--;
        g_free(text);
        if (filled)
            g_string_append(out, filled);
        g_free(filled);
        return filled != NULL;
    }
    if (block_is_gap(run->problem, gap))
        return block_fill(run, gap, line, out);
    const DvFormulaScope scope = {.constant = run_number, .context = run};
    DvText problem = {0};
    DvFormula *formula = dv_formula_compile(gap, &scope, &problem);
    if (!formula) {
        problem_error(run->problem, line, "{%s}: %s", gap, problem.at);
        dv_text_free(&problem);
        return false;
    }
    problem_print_number(out, dv_formula_value(formula, NULL));
    dv_formula_free(formula);
    return true;
}

char *run_fill(Run *run, const char *text, int line)
{
    GString *out = g_string_new(NULL);
    for (const char *at = text, *open; *at; at = open) {
        open = strchr(at, '{');
        if (!open)
            open = at + strlen(at);
        for (; at < open; at++) {
            line += *at == '\n';
            g_string_append_c(out, *at);
        }
        if (!*open)
            break;
        const char *close = strchr(open, '}');
        if (!close) {
            problem_error(run->problem, line, "a '{' without its '}'");
            g_string_free(out, TRUE);
            return NULL;
        }
        char *gap = g_strndup(open + 1, (gsize)(close - open - 1));
        g_strstrip(g_strdelimit(gap, "\n\t", ' '));
        const bool filled = fill_gap(run, gap, line, out);
        g_free(gap);
        if (!filled) {
            g_string_free(out, TRUE);
            return NULL;
        }
        for (; open <= close; open++)
            line += *open == '\n';
    }
    return g_string_free(out, FALSE);
}
