/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Problems with known answers, as files: docs/verification.md says what may stand in them.
 *
 * A problem is a scene with gaps, values for the gaps, what is watched while it runs, and figures with what they should be. It has one
 * or more cases (a method, an element, a solver), each of them one or more runs (a mesh, a time step).
 */
#ifndef DIVAN_VERIFY_PROBLEM_H
#define DIVAN_VERIFY_PROBLEM_H

#include <divan/kit/formula.h>

#include <glib.h>

#include <divan/divan.h>

/* `name = text`, with the line it begins in. */
typedef struct ProblemEntry {
    char *name, *text;
    int line;
} ProblemEntry;

/* `[kind name]` and its entries. */
typedef struct Section {
    char *kind, *name; /* name: "" where it has none */
    int line;
    GArray *entries; /* ProblemEntry */
} Section;

typedef struct Problem {
    char *file, *name;
    GPtrArray *sections; /* Section *; first the one without a head, of kind "" */
    char *scene;         /* text behind [scene], with as many line ends in front as the file has before it */
    int scene_line;
    guint runs, quick; /* how many runs a case has, how many of them are quick */
} Problem;

/* NULL after an error that was reported with file and line. */
Problem *problem_read(const char *file);
void problem_free(Problem *problem);

/* NULL: not there. */
const Section *problem_section(const Problem *problem, const char *kind, const char *name);
const ProblemEntry *section_entry(const Section *section, const char *name);
/* How many sections of a kind there are, and one of them. */
guint problem_count(const Problem *problem, const char *kind);
const Section *problem_nth(const Problem *problem, const char *kind, guint n);

/* One run of one case: what the names of the problem mean in it. */
typedef struct Run {
    const Problem *problem;
    const Section *which; /* the case; NULL: the problem has none */
    guint number;         /* of the run, from 0 */
    guint depth;          /* of names that are being looked up, to find circles */
} Run;

/* Reports an error at a line of the problem's file; returns false. */
bool problem_error(const Problem *problem, int line, const char *format, ...) G_GNUC_PRINTF(3, 4);
/* The entry that gives a name its value in this run: of the case, else of [runs], else of [values]; NULL: none. */
const ProblemEntry *run_entry(const Run *run, const char *name);
/* Whether the name stands for a text in quotes, which is copied to *text (freed with g_free). */
bool run_text(const Run *run, const char *name, char **text);
/* For DvFormulaScope.constant: names are numbers of the run; `context` is a Run. */
bool run_number(void *context, const char *name, double *value, DvText *problem);
/* The number of a formula in this run. false: reported. */
bool run_value(Run *run, const ProblemEntry *entry, double *value);
/* ProblemEntry `run->number` of a list with one number for each run, or one for all. false: reported. */
bool run_value_of_list(Run *run, const ProblemEntry *entry, double *value);
/* As many digits as it needs to be read back the same. */
void problem_print_number(GString *out, double number);
/* The text with its gaps {...} filled; the gaps of the scene may hold meshes, see block.h. NULL: reported. */
char *run_fill(Run *run, const char *text, int line);

#endif
