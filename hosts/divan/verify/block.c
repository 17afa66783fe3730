/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Blocks of points and their elements as text.
 */
#include "block.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_POINTS = 1000000 };

/* Variables of formulas, in this order. */
enum { X, Y, Z, U, V, W, I, COUNT, AREA, AX, AY, AZ, VARIABLES };
static const char *const of_point[] = {"x", "y", "z", "u", "v", "w", "i", "count", "area", "ax", "ay", "az", NULL};
static const char *const of_place[] = {"u", "v", "w", "i", NULL};

typedef struct Block {
    guint n[3], count;       /* points along u, v, w; all */
    double (*at)[VARIABLES]; /* by place: u counts first */
    guint *number;           /* of the point at a place */
    guint *place;            /* of the point of a number */
} Block;

static const Section *mesh_of_gap(const Problem *problem, const char *gap, const char **rest)
{
    const size_t length = strcspn(gap, ".: ");
    char *name = g_strndup(gap, length);
    const Section *mesh = problem_section(problem, "mesh", name);
    g_free(name);
    const char *after = gap + length + strspn(gap + length, " ");
    *rest = after;
    return mesh && (*after == '.' || *after == ':' || g_str_has_prefix(after, "where ") ||
                    g_str_has_prefix(after, "on "))
               ? mesh
               : NULL;
}

bool block_is_gap(const Problem *problem, const char *gap)
{
    const char *rest;
    return mesh_of_gap(problem, gap, &rest) != NULL;
}

static DvFormula *compiled(Run *run, const ProblemEntry *entry, const char *const *variables)
{
    const DvFormulaScope scope = {.variables = variables, .constant = run_number, .context = run};
    DvText problem = {0};
    DvFormula *formula = dv_formula_compile(entry->text, &scope, &problem);
    if (!formula)
        problem_error(run->problem, entry->line, "%s: %s", entry->name, problem.at);
    dv_text_free(&problem);
    return formula;
}

/* ---- points ---- */

static bool count_points(Run *run, const Section *mesh, Block *block)
{
    const ProblemEntry *points = section_entry(mesh, "points");
    const DvFormulaScope scope = {.constant = run_number, .context = run};
    DvText problem = {0};
    DvFormula *counts = dv_formula_compile_list(points->text, &scope, &problem);
    bool good = counts && dv_formula_count(counts) == 3;
    double all = 1;
    for (guint axis = 0; good && axis < 3; axis++) {
        const double n = round(dv_formula_value_of(counts, axis, NULL));
        all *= n;
        good = n >= 1 && all <= MAX_POINTS;
        block->n[axis] = good ? (guint)n : 0;
    }
    block->count = good ? (guint)all : 0;
    if (!good)
        problem_error(run->problem, points->line, "points: %s",
                      problem.length ? problem.at
                                     : "expected three numbers, how many points there are along u, v and w");
    dv_text_free(&problem);
    dv_formula_free(counts);
    return good;
}

static void place_in_block(const Block *block, guint place, double at[VARIABLES])
{
    const guint index[3] = {place % block->n[0], place / block->n[0] % block->n[1], place / block->n[0] / block->n[1]};
    for (guint axis = 0; axis < 3; axis++)
        at[U + axis] = block->n[axis] > 1 ? (double)index[axis] / (block->n[axis] - 1) : 0;
    at[I] = place;
}

static bool put_points(Run *run, const Section *mesh, Block *block)
{
    static const char *const names[] = {"x", "y", "z"};
    for (int axis = 0; axis < 3; axis++) {
        const ProblemEntry *entry = section_entry(mesh, names[axis]);
        if (!entry)
            continue;
        DvFormula *formula = compiled(run, entry, of_place);
        if (!formula)
            return false;
        for (guint place = 0; place < block->count; place++)
            block->at[place][X + axis] = dv_formula_value(formula, &block->at[place][U]);
        dv_formula_free(formula);
    }
    return true;
}

typedef struct Key {
    double key;
    guint place;
} Key;

static int by_key(const void *a, const void *b)
{
    const Key *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

static bool number_points(Run *run, const Section *mesh, Block *block)
{
    const ProblemEntry *entry = section_entry(mesh, "order");
    DvFormula *formula = entry ? compiled(run, entry, of_place) : NULL;
    if (entry && !formula)
        return false;
    Key *keys = g_new(Key, block->count);
    for (guint place = 0; place < block->count; place++)
        keys[place] = (Key){formula ? dv_formula_value(formula, &block->at[place][U]) : 0, place};
    qsort(keys, block->count, sizeof *keys, by_key);
    for (guint number = 0; number < block->count; number++) {
        block->place[number] = keys[number].place;
        block->number[keys[number].place] = number;
    }
    g_free(keys);
    dv_formula_free(formula);
    return true;
}

static void block_free(Block *block)
{
    g_free(block->at);
    g_free(block->number);
    g_free(block->place);
}

static bool block_make(Run *run, const Section *mesh, Block *block)
{
    if (!count_points(run, mesh, block))
        return false;
    block->at = g_malloc0_n(block->count, sizeof *block->at);
    block->number = g_new(guint, block->count);
    block->place = g_new(guint, block->count);
    for (guint place = 0; place < block->count; place++)
        place_in_block(block, place, block->at[place]);
    return put_points(run, mesh, block) && number_points(run, mesh, block);
}

static void print_number(GString *out, double number)
{
    if (out->len && !strchr("\"' \n", out->str[out->len - 1]))
        g_string_append_c(out, ' ');
    problem_print_number(out, number);
}

static void print_positions(const Block *block, GString *out)
{
    for (guint number = 0; number < block->count; number++)
        for (int axis = X; axis <= Z; axis++)
            print_number(out, block->at[block->place[number]][axis]);
}

/* ---- elements ---- */

/* Corners of elements in a cell, as bits: 1 along u, 2 along v, 4 along w. All in the same sense. */
typedef struct ElementKind {
    const char *name;
    unsigned axes;     /* along how many axes a cell reaches */
    unsigned corners;  /* of an element */
    unsigned elements; /* in a cell */
    unsigned char of_cell[24];
    unsigned turns; /* ways to begin */
    unsigned char turn[12][8];
} ElementKind;

static const ElementKind element_kinds[] = {
    {"edges", 1, 2, 1, {0, 1}, 1, {{0, 1}}},
    {"quads", 2, 4, 1, {0, 1, 3, 2}, 4, {{0, 1, 2, 3}, {1, 2, 3, 0}, {2, 3, 0, 1}, {3, 0, 1, 2}}},
    {"triangles", 2, 3, 2, {0, 1, 3, 0, 3, 2}, 3, {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}}},
    {"hexahedra",
     3,
     8,
     1,
     {0, 1, 3, 2, 4, 5, 7, 6},
     4,
     {{0, 1, 2, 3, 4, 5, 6, 7}, {1, 2, 3, 0, 5, 6, 7, 4}, {2, 3, 0, 1, 6, 7, 4, 5}, {3, 0, 1, 2, 7, 4, 5, 6}}},
    {"tetrahedra",
     3,
     4,
     6,
     {0, 1, 3, 7, 0, 3, 2, 7, 0, 2, 6, 7, 0, 6, 4, 7, 0, 4, 5, 7, 0, 5, 1, 7},
     12,
     {{0, 1, 2, 3},
      {1, 2, 0, 3},
      {2, 0, 1, 3},
      {1, 0, 3, 2},
      {0, 3, 1, 2},
      {3, 1, 0, 2},
      {2, 3, 0, 1},
      {3, 0, 2, 1},
      {0, 2, 3, 1},
      {3, 2, 1, 0},
      {2, 1, 3, 0},
      {1, 3, 2, 0}}},
};

/* The point at a corner of the cell that begins at a place; `axes` are those along which the block has more than one point. */
static guint corner_of_cell(const Block *block, const guint begin[3], const guint axes[3], unsigned bits)
{
    guint index[3] = {begin[0], begin[1], begin[2]};
    for (unsigned axis = 0; axis < 3; axis++)
        if (bits >> axis & 1)
            index[axes[axis]]++;
    return block->number[(index[2] * block->n[1] + index[1]) * block->n[0] + index[0]];
}

/* The axes of cells; how many there are. */
static unsigned axes_of(const Block *block, guint axes[3])
{
    unsigned count = 0;
    for (guint axis = 0; axis < 3; axis++)
        if (block->n[axis] > 1)
            axes[count++] = axis;
    return count;
}

static void print_cell(const Block *block, const ElementKind *kind, const guint begin[3], const guint axes[3],
                       const DvFormula *corner, double *made, GString *out)
{
    for (unsigned e = 0; e < kind->elements; e++) {
        const double first = corner ? dv_formula_value(corner, made) : 0;
        const unsigned turn = (unsigned)fabs(fmod(floor(first), kind->turns));
        for (unsigned c = 0; c < kind->corners; c++)
            print_number(out,
                         corner_of_cell(block, begin, axes, kind->of_cell[e * kind->corners + kind->turn[turn][c]]));
        ++*made;
    }
}

static bool print_elements(Run *run, const Section *mesh, const Block *block, const ElementKind *kind, int line,
                           GString *out)
{
    static const char *const of_element[] = {"i", NULL};
    guint axes[3] = {0, 0, 0};
    if (axes_of(block, axes) != kind->axes)
        return problem_error(run->problem, line,
                             "mesh %s has no %s: they need more than one point along %u of its axes", mesh->name,
                             kind->name, kind->axes);
    const ProblemEntry *entry = section_entry(mesh, "corner");
    DvFormula *corner = entry ? compiled(run, entry, of_element) : NULL;
    if (entry && !corner)
        return false;
    double made = 0;
    guint begin[3];
    for (begin[2] = 0; begin[2] < MAX(block->n[2] - 1, 1); begin[2]++)
        for (begin[1] = 0; begin[1] < MAX(block->n[1] - 1, 1); begin[1]++)
            for (begin[0] = 0; begin[0] < MAX(block->n[0] - 1, 1); begin[0]++)
                print_cell(block, kind, begin, axes, corner, &made, out);
    dv_formula_free(corner);
    return true;
}

static bool print_list(Run *run, const Section *mesh, const Block *block, const char *word, int line, GString *out)
{
    if (strcmp(word, "position") == 0) {
        print_positions(block, out);
        return true;
    }
    for (size_t i = 0; i < G_N_ELEMENTS(element_kinds); i++)
        if (strcmp(element_kinds[i].name, word) == 0)
            return print_elements(run, mesh, block, &element_kinds[i], line, out);
    return problem_error(run->problem, line,
                         "a mesh has no '%s': position, hexahedra, tetrahedra, quads, triangles or edges", word);
}

/* ---- points that are picked ---- */

static void cross(const double a[3], const double b[3], double product[3])
{
    for (int k = 0; k < 3; k++)
        product[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

/* Shares of one bilinear quad with corners (0,0) (1,0) (0,1) (1,1): the integral of shape function times normal, exactly. */
static void share_quad(double *const at[4])
{
    static const double gauss[2] = {0.21132486540518712, 0.78867513459481288}; /* (1 -+ 1/sqrt 3) / 2 */
    for (int point = 0; point < 4; point++) {
        const double s = gauss[point % 2], t = gauss[point / 2];
        const double shape[4] = {(1 - s) * (1 - t), s * (1 - t), (1 - s) * t, s * t};
        double along_s[3], along_t[3], normal[3];
        for (int k = 0; k < 3; k++) {
            along_s[k] = (1 - t) * (at[1][k] - at[0][k]) + t * (at[3][k] - at[2][k]);
            along_t[k] = (1 - s) * (at[2][k] - at[0][k]) + s * (at[3][k] - at[1][k]);
        }
        cross(along_s, along_t, normal);
        for (int corner = 0; corner < 4; corner++)
            for (int k = 0; k < 3; k++)
                at[corner][AX + k] += shape[corner] * normal[k] / 4;
    }
}

/* Shares of an edge of a surface: its normal in the x-y plane, to the right of its direction. */
static void share_edge(double *const at[2])
{
    const double normal[2] = {at[1][Y] - at[0][Y], at[0][X] - at[1][X]};
    const double length = sqrt(normal[0] * normal[0] + normal[1] * normal[1] + pow(at[1][Z] - at[0][Z], 2));
    for (int end = 0; end < 2; end++) {
        at[end][AREA] += length / 2;
        for (int k = 0; k < 2; k++)
            at[end][AX + k] += normal[k] / 2;
    }
}

/* Shares of the points on one face, outward where u, v, w are right-handed. */
static void share_face(Block *block, guint axis, bool last)
{
    const guint s = (axis + 1) % 3, t = (axis + 2) % 3, steps[3] = {1, block->n[0], block->n[0] * block->n[1]};
    const guint layer = last ? (block->n[axis] - 1) * steps[axis] : 0;
    const bool plane = block->n[s] == 1 || block->n[t] == 1;
    const guint along = block->n[s] > 1 ? s : t;
    for (guint place = 0; place < block->count; place++)
        for (int k = AREA; k <= AZ; k++)
            block->at[place][k] = 0;
    for (guint j = 0; j < MAX(block->n[t] - 1, 1); j++)
        for (guint i = 0; i < MAX(block->n[s] - 1, 1); i++) {
            const guint first = layer + i * steps[s] + j * steps[t];
            if (plane)
                share_edge(
                    (double *const[2]){block->at[first], block->at[first + (block->n[along] > 1 ? steps[along] : 0)]});
            else
                share_quad((double *const[4]){block->at[first], block->at[first + steps[s]],
                                              block->at[first + steps[t]], block->at[first + steps[s] + steps[t]]});
        }
    /* u1 of a plane mesh is passed along v, outward is to the right; v1 along u, outward is to the left */
    const double sign = (last ? 1 : -1) * (plane && along == t ? -1 : 1);
    for (guint place = 0; place < block->count; place++) {
        double *at = block->at[place];
        for (int k = AX; k <= AZ; k++)
            at[k] *= sign;
        if (!plane)
            at[AREA] = sqrt(at[AX] * at[AX] + at[AY] * at[AY] + at[AZ] * at[AZ]);
    }
}

typedef struct Selection {
    const char *condition; /* NULL: all */
    int axis;              /* of the face; -1: none */
    bool last;
    const char *numbers; /* NULL: indices */
} Selection;

static bool parse_selection(const Run *run, char *text, int line, Selection *selection)
{
    char *colon = strchr(text, ':');
    *selection = (Selection){.axis = -1};
    if (colon) {
        *colon = '\0';
        selection->numbers = colon + 1;
    }
    text = g_strstrip(text);
    if (g_str_has_prefix(text, "on ")) {
        text += 3;
        if (!strchr("uvw", text[0]) || !strchr("01", text[1]) || !text[0] || !text[1])
            return problem_error(run->problem, line, "'on %s': a face is u0, u1, v0, v1, w0 or w1", text);
        selection->axis = text[0] - 'u';
        selection->last = text[1] == '1';
        text = g_strchug(text + 2);
    }
    if (g_str_has_prefix(text, "where "))
        selection->condition = text + strlen("where ");
    else if (*text)
        return problem_error(run->problem, line, "expected 'where' or ':' at '%s'", text);
    return true;
}

static bool is_picked(const Selection *selection, const DvFormula *condition, const double *at)
{
    if (selection->axis >= 0 && at[U + selection->axis] != (selection->last ? 1 : 0))
        return false;
    return !condition || dv_formula_value(condition, at) != 0;
}

static void print_picked(const Block *block, const Selection *selection, const DvFormula *condition,
                         const DvFormula *numbers, GString *out)
{
    guint count = 0;
    for (guint place = 0; place < block->count; place++)
        count += is_picked(selection, condition, block->at[place]);
    for (guint number = 0; number < block->count; number++) {
        double *at = block->at[block->place[number]];
        if (!is_picked(selection, condition, at))
            continue;
        at[COUNT] = count;
        if (!numbers)
            print_number(out, number);
        for (guint i = 0; numbers && i < dv_formula_count(numbers); i++)
            print_number(out, dv_formula_value_of(numbers, i, at));
    }
}

static bool print_selection(Run *run, Block *block, char *text, int line, GString *out)
{
    const DvFormulaScope scope = {.variables = of_point, .constant = run_number, .context = run};
    Selection selection;
    if (!parse_selection(run, text, line, &selection))
        return false;
    if (selection.axis >= 0)
        share_face(block, (guint)selection.axis, selection.last);
    DvText problem = {0};
    DvFormula *condition = selection.condition ? dv_formula_compile(selection.condition, &scope, &problem) : NULL;
    DvFormula *numbers =
        selection.numbers && !problem.length ? dv_formula_compile_list(selection.numbers, &scope, &problem) : NULL;
    const bool good = !problem.length;
    if (!good)
        problem_error(run->problem, line, "%s", problem.at);
    else
        print_picked(block, &selection, condition, numbers, out);
    dv_text_free(&problem);
    dv_formula_free(condition);
    dv_formula_free(numbers);
    return good;
}

bool block_fill(Run *run, const char *gap, int line, GString *out)
{
    const char *rest;
    const Section *mesh = mesh_of_gap(run->problem, gap, &rest);
    Block block = {0};
    bool good = block_make(run, mesh, &block);
    char *text = g_strdup(rest);
    if (good)
        good = *text == '.' ? print_list(run, mesh, &block, text + 1, line, out)
                            : print_selection(run, &block, text, line, out);
    g_free(text);
    block_free(&block);
    return good;
}
