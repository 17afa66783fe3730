/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * MathOp: arithmetic on lists, value by value, component by component; the list that is computed is as long as the shortest.
 *
 * `op` joins input1, input2, ... from left to right; of one list - changes the sign, / takes the inverse, ! is not. < is the least, > the
 * greatest. Or `formula` says what is computed, of lists by any names, which become fields: formula="sqrt(a*a + b*b)" a="3 5" b="4 12".
 */
#include "data_engine.h"
#include <divan/kit/array.h>
#include <divan/kit/engine.h>
#include <divan/kit/formula.h>
#include <divan/kit/value_lists.h>
#include <divan/math/quat.h>
#include <divan/worst.h>

#include <inttypes.h>
#include <math.h>

enum { MOST_NAMES = 64 };

typedef struct MathOp {
    DvEngine engine;
    DvData count, formula_text, negated_ops;
    DvData *op, *output;
    DvNumberedFields inputs;
    DvFormula *formula;
    char names[MOST_NAMES][DV_FORMULA_NAME]; /* that the formula is of */
    DvData *named[MOST_NAMES];
    uint32_t name_count;
} MathOp;

/* ---- what a formula is of ---- */

static bool collect(void *self_, const char *name, double *value, DvText *problem)
{
    MathOp *self = self_;
    *value = 0;
    for (uint32_t i = 0; i < self->name_count; i++)
        if (strcmp(self->names[i], name) == 0)
            return true;
    if (self->name_count == MOST_NAMES) {
        dv_text_add(problem, "there are more than %d lists", MOST_NAMES);
        return false;
    }
    (void)snprintf(self->names[self->name_count++], DV_FORMULA_NAME, "%s", name);
    return true;
}

static DvFormula *compile(MathOp *self, const DvFormulaScope *given)
{
    size_t place = 0;
    DvText problem = {0};
    const char *text = dv_data_string(&self->formula_text);
    DvFormulaScope scope = *given;
    scope.place = &place;
    DvFormula *formula = dv_formula_compile(text, &scope, &problem);
    if (!formula)
        (void)dv_field_error(
            &self->formula_text, -1,
            "character %zu of '%s': %s; a formula is like \"sqrt(a*a + b*b)\", with the fields a and b", place + 1,
            text, problem.at);
    dv_text_free(&problem);
    return formula;
}

static DvData *input_named(DvObject *object, MathOp *self, const char *name)
{
    DvData *there = dv_object_field(object, name);
    if (!there)
        return dv_value_list_add(object, name, NULL, DV_FIELD_INPUT, "a list that the formula is of");
    for (uint32_t i = 0; i < self->inputs.count; i++)
        if (self->inputs.at[i] == there)
            return there;
    (void)dv_field_error(&self->formula_text, -1, "'%s' is a field of its own; take another name", name);
    return NULL;
}

static DvStatus add_formula(DvObject *object, MathOp *self)
{
    if (strstr(dv_object_variant(object), "Coord"))
        return dv_field_error(&self->formula_text, -1,
                              "a formula has no meaning for orientations; take vectors, such as vector<Vec3d>");
    DvFormula *first = compile(self, &(DvFormulaScope){.constant = collect, .context = self});
    const char *variables[MOST_NAMES + 1] = {NULL};
    const bool good = first != NULL;
    dv_formula_free(first);
    for (uint32_t i = 0; i < self->name_count;
         i++) { /* of a formula that is none too: what is given for them is no slip */
        variables[i] = self->names[i];
        self->named[i] = input_named(object, self, self->names[i]);
        if (!self->named[i])
            return DV_ERROR_INVALID;
    }
    if (!good)
        return DV_ERROR_INVALID;
    if (self->name_count == 0)
        return dv_field_error(&self->formula_text, -1, "'%s' is of no list; name one, as in \"2 * a\"",
                              dv_data_string(&self->formula_text));
    self->formula = compile(self, &(DvFormulaScope){.variables = variables});
    return self->formula ? DV_OK : DV_ERROR_INVALID;
}

/* ---- numbers of all kinds ---- */

static double number_at(const DvData *data, size_t i)
{
    switch (data->type->scalar) {
    case DV_SCALAR_BOOL:
        return ((const bool *)data->value)[i];
    case DV_SCALAR_INT:
        return ((const int32_t *)data->value)[i];
    default:
        return ((const double *)data->value)[i];
    }
}

/* Whether a number that was computed is there: whole numbers have 32 bits. */
static bool write_at(const DvType *type, void *to, size_t i, double number)
{
    const bool fits = number > -2147483649.0 && number < 2147483648.0;
    switch (type->scalar) {
    case DV_SCALAR_BOOL:
        ((bool *)to)[i] = number != 0;
        return number == number;
    case DV_SCALAR_INT:
        ((int32_t *)to)[i] = fits ? (int32_t)number : 0;
        return fits;
    default:
        ((double *)to)[i] = number;
        return true; /* what is not finite is told of all engines alike */
    }
}

static double join(char op, double a, double b)
{
    switch (op) {
    case '+':
        return a + b;
    case '-':
        return a - b;
    case '*':
        return a * b;
    case '/':
        return a / b;
    case '<':
        return b < a ? b : a;
    case '>':
        return b > a ? b : a;
    case '|':
        return a != 0 || b != 0;
    case '&':
        return a != 0 && b != 0;
    case '^':
        return (a != 0) != (b != 0);
    default:
        return a;
    }
}

/* Number i of all lists, joined. */
static double joined(MathOp *self, char op, bool negated, size_t i)
{
    const uint32_t count = op ? self->inputs.count : 1;
    double value = number_at(self->inputs.at[0], i);
    for (uint32_t k = 1; k < count; k++)
        value = join(op, value, number_at(self->inputs.at[k], i));
    if (count == 1 && op == '-')
        value = -value;
    else if (count == 1 && op == '/')
        value = 1 / value;
    return negated ? value == 0 : value;
}

/* Frames add their centres; an orientation turns those before it. */
static void add_frames(MathOp *self, size_t frames, double *to)
{
    for (size_t i = 0; i < frames; i++) {
        DvVec3 centre = dv_vec3_zero();
        DvQuat turn = dv_quat_identity();
        for (uint32_t k = 0; k < self->inputs.count; k++) {
            const double *frame = (const double *)self->inputs.at[k]->value + 7 * i;
            centre = dv_vec3_add(centre, dv_vec3_load(frame));
            turn = dv_quat_mul(dv_quat_load(frame + 3), turn);
        }
        dv_vec3_store(centre, to + 7 * i);
        dv_quat_store(turn, to + 7 * i + 3);
    }
}

/* ---- the engine ---- */

/* Of the shortest list; they are brought up to date. */
static size_t shortest(DvData *const *lists, uint32_t count)
{
    size_t least = count ? SIZE_MAX : 0;
    for (uint32_t k = 0; k < count; k++) {
        (void)dv_data_read(lists[k]);
        least = lists[k]->count < least ? lists[k]->count : least;
    }
    return least;
}

static void compute_formula(MathOp *self, size_t numbers, void *to, DvWorst *wrong)
{
    double variables[MOST_NAMES];
    for (size_t i = 0; i < numbers; i++) {
        for (uint32_t k = 0; k < self->name_count; k++)
            variables[k] = number_at(self->named[k], i);
        const double value = dv_formula_value(self->formula, variables);
        const bool whole = self->output->type->scalar == DV_SCALAR_INT;
        if (!write_at(self->output->type, to, i, whole ? round(value) : value))
            dv_worst_add(wrong, (uint32_t)(i / self->output->type->components), 0);
    }
}

/* Words of old scenes for "not" give "no" always; negatedOps lets them mean what they say. */
static void compute_op(MathOp *self, size_t numbers, void *to, DvWorst *wrong)
{
    const char *op = dv_data_string(self->op);
    const bool negates = op[0] == '!', silent = negates && op[1] && !dv_data_bool(&self->negated_ops);
    const DvType *type = self->output->type;
    for (size_t i = 0; i < numbers; i++)
        if (!write_at(type, to, i, silent ? 0 : joined(self, op[negates], negates, i)))
            dv_worst_add(wrong, (uint32_t)(i / type->components), 0);
    if (silent && numbers && dv_engine_starting(&self->engine))
        dv_field_warning(self->op, -1, "'%s' is false for all values, as in old scenes; negatedOps=\"1\" negates '%s'",
                         op, op + 1);
}

static void warn_of_inputs(MathOp *self, DvData *const *lists, uint32_t count, const DvWorst *wrong)
{
    char worst[DV_WORST_TEXT];
    if (wrong->count && dv_engine_starting(&self->engine))
        dv_field_warning(self->output, -1, "%" PRIu32 " values have no %s: %s", wrong->count,
                         self->output->type->scalar == DV_SCALAR_INT ? "whole number of 32 bits" : "finite number",
                         dv_worst_text(wrong, worst));
    bool missing = false;
    for (uint32_t k = 0; k < self->name_count && self->formula; k++)
        if (!dv_data_is_set(self->named[k]) && dv_engine_starting(&self->engine)) {
            dv_field_warning(self->named[k], -1, "is not given, so that the formula has nothing to compute with");
            missing = true;
        }
    for (uint32_t k = 0; k < count && !missing; k++)
        if (lists[k]->count > self->output->count && dv_engine_starting(&self->engine))
            dv_field_warning(lists[k], -1, "%zu values, but another list has %zu: the rest does not count",
                             lists[k]->count, self->output->count);
    if (!self->formula && strcmp(dv_data_string(self->op), "!") == 0 && self->inputs.count > 1 &&
        dv_data_is_set(self->inputs.at[1]) && dv_engine_starting(&self->engine))
        dv_field_warning(self->op, -1, "'!' is of one list; input1 alone counts");
}

static DvStatus update(DvObject *object, void *self_)
{
    MathOp *self = self_;
    if (!dv_engine_runs(object, &self->engine))
        return DV_OK;
    DvData *const *lists = self->formula ? self->named : self->inputs.at;
    const bool single = !self->formula && strcmp(dv_data_string(self->op), "!") == 0; /* of the first list alone */
    const uint32_t all = self->formula ? self->name_count : self->inputs.count, given = single && all ? 1 : all;
    const size_t count = shortest(lists, given);
    const size_t numbers = count * self->output->type->components;
    DvWorst wrong = {0};
    void *to = dv_data_begin_all(self->output, count);
    if (count == 0)
        ;
    else if (self->formula)
        compute_formula(self, numbers, to, &wrong);
    else if (self->output->type == &dv_type_rigid3s)
        add_frames(self, count, to);
    else
        compute_op(self, numbers, to, &wrong);
    dv_data_end(self->output);
    warn_of_inputs(self, lists, given, &wrong);
    return DV_OK;
}

static DvStatus construct(DvObject *object, void *self_)
{
    static const char *const of_numbers[] = {"+", "-", "*", "/", "<", ">", NULL}, *const of_truths[] = {"!",  "|",
                                                                                                        "!|", "&",
                                                                                                        "!&", "^",
                                                                                                        "!^", NULL},
                             *const of_frames[] = {"+", NULL};
    MathOp *self = self_;
    const char *variant = dv_object_variant(object);
    const char *const *ops = strcmp(variant, "vector<bool>") == 0 ? of_truths
                             : strstr(variant, "Coord")           ? of_frames
                                                                  : of_numbers;
    self->op = dv_object_add_field(object, &(DvField){.name = "op",
                                                      .type = &dv_type_choice,
                                                      .choices = ops,
                                                      .init = ops[0],
                                                      .flags = DV_FIELD_INPUT,
                                                      .help = "what joins the lists"});
    self->output = dv_value_list_add(object, "output", NULL, DV_FIELD_OUTPUT | DV_FIELD_READ_ONLY, "what is computed");
    return self->op && self->output ? dv_engine_construct(object, self_) : DV_ERROR_INVALID;
}

static DvStatus parse(DvObject *object, void *self_, const DvAttributes *attributes)
{
    (void)attributes;
    MathOp *self = self_;
    const DvStatus status =
        dv_numbered_fields_add(object, &self->inputs, &self->count, "input", NULL, DV_FIELD_INPUT, "a list");
    if (status != DV_OK || !*dv_data_string(&self->formula_text))
        return status;
    return add_formula(object, self);
}

static void destroy(DvObject *object, void *self_)
{
    (void)object;
    MathOp *self = self_;
    dv_numbered_fields_free(&self->inputs);
    dv_formula_free(self->formula);
}

static const DvField fields[] = {
    DV_FIELD(MathOp, count, "nbInputs", dv_type_uint, .init = "2", .flags = DV_FIELD_AT_LOAD,
             .help = "number of lists: input1, input2, ..."),
    DV_FIELD(MathOp, formula_text, "formula", dv_type_string, .flags = DV_FIELD_AT_LOAD,
             .help = "instead of 'op': what is computed of lists that it names, such as sqrt(a*a + b*b)"),
    DV_ENGINE_INPUT(MathOp, negated_ops, "negatedOps", dv_type_bool,
                    "!|, !& and !^ negate |, & and ^; else they are always false, as in old scenes", .init = "0"),
    {0},
};

const DvClass dv_math_op = {
    PARSED_ENGINE_CLASS(construct, parse, update, destroy),
    .name = "MathOp",
    .variants =
        "vector<d> vector<RigidCoord2d> vector<RigidCoord3d> vector<RigidDeriv2d> vector<RigidDeriv3d> vector<Vec2d> "
        "vector<Vec3d> vector<bool> vector<i>",
    .default_variant = "vector<d>",
    .module = "Sofa.Component.Engine.Transform",
    .help = "Computes with lists, value by value, by an operation or a formula.",
    .instance_size = sizeof(MathOp),
    .fields = fields,
};
