/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Small classes for the tests of the kernel: nothing physical, one class per thing that the kernel promises.
 *
 *   Value     fields of several types, an engine (sum = a + b), a link
 *   Points    a state: DOF types, a slot of its node
 *   Force     takes its DOF type from the state it acts on; Joint from two; Pair from two equal ones
 *   Clock     changes in every step; keeps a hidden state and a cache that only `restore` can rebuild
 *   Troubled  fails where its field says, and complains when it is called after that; Needy needs another
 *   Shown     takes the display words of old nodes
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <divan/contracts/solver.h>
#include <divan/divan.h>

#define TEST_STATE "test.state/1"
#define TEST_FORCE "test.force/1"

typedef struct EmptyOps {
    uint32_t size;
    void (*unused)(void *self);
} EmptyOps;
static const EmptyOps empty_ops = {.size = sizeof(EmptyOps)}; /* of contracts that are only asked for */

/* Value */

typedef struct Value {
    DvData number, count, flag, text, list, points, choice, file, must, a, b, sum;
    DvLink other, others;
} Value;

static DvStatus value_update(DvObject *object, void *self_)
{
    (void)object;
    Value *self = self_;
    dv_data_set_double(&self->sum, dv_data_double(&self->a) + dv_data_double(&self->b));
    return DV_OK;
}

static const char *const number_aliases[] = {"size", "amount", NULL};
static const char *const list_aliases[] = {"amount", NULL};
static const char *const choices[] = {"small", "large", NULL};
static const DvField value_fields[] = {
    DV_FIELD(Value, number, "number", dv_type_double, .init = "1.5", .aliases = number_aliases, .help = "a number"),
    DV_FIELD(Value, count, "count", dv_type_int, .init = "7", .help = "an integer"),
    DV_FIELD(Value, flag, "flag", dv_type_bool, .help = "a choice of two"),
    DV_FIELD(Value, text, "text", dv_type_string, .help = "a text"),
    DV_FIELD(Value, list, "list", dv_type_doubles, .aliases = list_aliases, .help = "numbers"),
    DV_FIELD(Value, points, "points", dv_type_vec3s, .help = "points"),
    DV_FIELD(Value, choice, "choice", dv_type_choice, .choices = choices, .init = "small", .help = "one of two"),
    DV_FIELD(Value, file, "filename", dv_type_file, .help = "a file"),
    DV_FIELD(Value, must, "must", dv_type_double, .init = "3", .help = "fixed", .flags = DV_FIELD_NOT_LINKED),
    DV_FIELD(Value, a, "a", dv_type_double, .help = "first", .flags = DV_FIELD_INPUT),
    DV_FIELD(Value, b, "b", dv_type_double, .help = "second", .flags = DV_FIELD_INPUT),
    DV_FIELD(Value, sum, "sum", dv_type_double, .help = "a + b", .flags = DV_FIELD_OUTPUT),
    DV_LINK(Value, other, "other", TEST_STATE, .help = "a state"),
    DV_LINK(Value, others, "others", NULL, .many = true, .help = "any objects"),
    {0},
};

/* parse: an old attribute, not a field, that becomes one */
static DvStatus value_parse(DvObject *object, void *self_, const DvAttributes *attributes)
{
    (void)object;
    Value *self = self_;
    const char *twice = dv_attribute(attributes, "half");
    double half;
    if (twice && dv_read_double(&twice, &half))
        dv_data_set_double(&self->number, 2 * half * dv_data_double(&self->number));
    return DV_OK;
}

static const DvClass value_class = {
    .size = sizeof(DvClass),
    .name = "Value",
    .help = "Values of several types.",
    .instance_size = sizeof(Value),
    .fields = value_fields,
    .parse = value_parse,
    .update = value_update,
};

/* Ranged: numbers that make sense within bounds only; `low` and `high` share an alias. */

typedef struct Ranged {
    DvData positive, share, count, unsigned_count, sizes, lenient, drawn, low, high, open;
} Ranged;
static const DvRange between = {.least = -1.0, .most = 2.0, .above = true, .below = true};
static const DvRange at_most = {.least = -INFINITY, .most = 3.0};
static const char *const bounds[] = {"bound", NULL};
static const DvField ranged_fields[] = {
    DV_FIELD(Ranged, positive, "positive", dv_type_double, .init = "1", .unit = "kg", .range = &dv_range_positive),
    DV_FIELD(Ranged, share, "share", dv_type_double, .range = &dv_range_share),
    DV_FIELD(Ranged, count, "count", dv_type_int, .init = "1", .range = &dv_range_count),
    DV_FIELD(Ranged, unsigned_count, "pieces", dv_type_uint, .init = "1", .range = &dv_range_count),
    DV_FIELD(Ranged, sizes, "sizes", dv_type_vec3s, .unit = "m", .range = &dv_range_not_negative),
    DV_FIELD(Ranged, lenient, "lenient", dv_type_doubles, .range = &dv_range_not_negative, .flags = DV_FIELD_LENIENT),
    DV_FIELD(Ranged, drawn, "drawn", dv_type_double, .range = &dv_range_not_negative, .flags = DV_FIELD_DRAWING),
    DV_FIELD(Ranged, low, "low", dv_type_double, .range = &dv_range_not_negative, .aliases = bounds),
    DV_FIELD(Ranged, high, "high", dv_type_double, .range = &at_most, .aliases = bounds),
    DV_FIELD(Ranged, open, "open", dv_type_double, .range = &between),
    {0},
};
static const DvClass ranged_class = {
    .size = sizeof(DvClass),
    .name = "Ranged",
    .help = "Numbers within bounds.",
    .instance_size = sizeof(Ranged),
    .fields = ranged_fields,
};

/* Points, Force, Joint, Pair */

typedef struct Points {
    DvData position;
} Points;
static const DvField points_fields[] = {
    DV_FIELD(Points, position, "position", dv_type_coords, .help = "coordinates"),
    {0},
};
static void points_box(DvObject *object, void *self_, double *box)
{
    Points *self = self_;
    size_t count;
    const double *x = dv_data_doubles(&self->position, &count);
    const uint32_t dim = dv_dof_type(dv_object_variant(object))->coord;
    for (size_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < 3; k++) {
            box[k] = fmin(box[k], x[i * dim + k]);
            box[k + 3] = fmax(box[k + 3], x[i * dim + k]);
        }
}
static const DvContract points_contracts[] = {{.id = TEST_STATE, .ops = &empty_ops, .slot = true}, {0}};
static const DvClass points_class = {
    .size = sizeof(DvClass),
    .name = "Points",
    .variants = "Vec3d Vec2d Rigid3d NearVec3f",
    .default_variant = "Vec3d",
    .help = "A state.",
    .module = "Test.State",
    .instance_size = sizeof(Points),
    .fields = points_fields,
    .contracts = points_contracts,
    .bounding_box = points_box,
};

/* Picture: a state that paths reach, but that is never the node's own */
static const DvContract picture_contracts[] = {{.id = TEST_STATE, .ops = &empty_ops, .by_path_only = true}, {0}};
static const DvClass picture_class = {
    .size = sizeof(DvClass),
    .name = "Picture",
    .variants = "Vec3d",
    .help = "A state that is only looked at.",
    .instance_size = sizeof(Points),
    .fields = points_fields,
    .contracts = picture_contracts,
};

typedef struct Force {
    DvData factor;
    DvLink state, input, output, object1, object2;
} Force;
static const DvField force_fields[] = {
    DV_FIELD(Force, factor, "factor", dv_type_double, .help = "a number"),
    DV_LINK(Force, state, "mstate", TEST_STATE, .help = "the state"),
    {0},
};
static const DvField joint_fields[] = {
    DV_LINK(Force, input, "input", TEST_STATE, .help = "from"),
    DV_LINK(Force, output, "output", TEST_STATE, .help = "to"),
    {0},
};
static const DvField pair_fields[] = {
    DV_LINK(Force, object1, "object1", TEST_STATE, .help = "one"),
    DV_LINK(Force, object2, "object2", TEST_STATE, .help = "other"),
    {0},
};
static const DvContract force_contracts[] = {{.id = TEST_FORCE, .ops = &empty_ops}, {0}};
static const DvVariantSource force_sources[] = {{"mstate", "", TEST_STATE}, {0}};
static const DvClass force_class = {
    .size = sizeof(DvClass),
    .name = "Force",
    .variants = "Vec3d Rigid3d",
    .variant_rule = DV_VARIANT_OF_ALL,
    .sources = force_sources,
    .help = "A force.",
    .instance_size = sizeof(Force),
    .fields = force_fields,
    .contracts = force_contracts,
};
static const DvVariantSource joint_sources[] = {{"input", "@../", TEST_STATE}, {"output", "@./", TEST_STATE}, {0}};
static const DvClass joint_class = {
    .size = sizeof(DvClass),
    .name = "Joint",
    .variants = "Rigid3d,Vec3d Vec3d,Vec3d",
    .variant_rule = DV_VARIANT_OF_EACH,
    .sources = joint_sources,
    .help = "A mapping.",
    .instance_size = sizeof(Force),
    .fields = joint_fields,
};
static const DvVariantSource pair_sources[] = {{"object1", "@./", TEST_STATE}, {"object2", "@./", TEST_STATE}, {0}};
static const DvClass pair_class = {
    .size = sizeof(DvClass),
    .name = "Pair",
    .variants = "Vec3d Vec2d Rigid3d",
    .variant_rule = DV_VARIANT_OF_ALL,
    .sources = pair_sources,
    .help = "A force between two states.",
    .instance_size = sizeof(Force),
    .fields = pair_fields,
};

/* Choosy: accepts some variants only, and only where its attribute says so */
static bool choosy_accepts(DvNode *node, const char *variant, const DvAttributes *attributes, DvText *reason)
{
    (void)node;
    const char *wanted = dv_attribute(attributes, "only");
    if (wanted && strcmp(wanted, variant) == 0)
        return true;
    dv_text_add(reason, "%s is not wanted; ", variant);
    return false;
}
typedef struct Choosy {
    DvData only;
} Choosy;
static const DvField choosy_fields[] = {DV_FIELD(Choosy, only, "only", dv_type_string, .help = "variant"), {0}};
static const DvClass choosy_class = {
    .size = sizeof(DvClass),
    .name = "Choosy",
    .variants = "Vec3d Vec1d Rigid3d CompressedRowSparseMatrixd CompressedRowSparseMatrixMat3x3d",
    .default_variant = "Vec3d",
    .help = "Accepts one variant.",
    .instance_size = sizeof(Choosy),
    .fields = choosy_fields,
    .accepts = choosy_accepts,
};

/* Clock */

typedef struct Clock {
    DvData start, value, hidden, log;
    double cache; /* follows from `hidden` */
} Clock;
static const DvField clock_fields[] = {
    DV_FIELD(Clock, start, "start", dv_type_double, .init = "1", .help = "first value"),
    DV_FIELD(Clock, value, "value", dv_type_double, .help = "value now"),
    DV_FIELD(Clock, hidden, "hidden", dv_type_double, .flags = DV_FIELD_STATE, .help = "part of the state"),
    DV_FIELD(Clock, log, "log", dv_type_string, .help = "what happened"),
    {0},
};
static void note(DvObject *object, const char *word)
{
    dv_log(DV_LEVEL_DEBUG, "%s %s", word, dv_object_path(object));
}
static DvStatus clock_construct(DvObject *object, void *self_)
{
    (void)self_;
    dv_data_set_bool(dv_object_field(object, "listening"), true);
    return DV_OK;
}
static DvStatus clock_init(DvObject *object, void *self_)
{
    Clock *self = self_;
    note(object, "init");
    dv_data_set_double(&self->value, dv_data_double(&self->start));
    dv_data_set_double(&self->hidden, 0.1);
    self->cache = 0.01;
    return DV_OK;
}
static DvStatus clock_bwd_init(DvObject *object, void *self)
{
    (void)self;
    note(object, "bwd_init");
    return DV_OK;
}
static void clock_store(DvObject *object, void *self)
{
    (void)self;
    note(object, "store");
}
static void clock_reset(DvObject *object, void *self_)
{
    Clock *self = self_;
    note(object, "reset");
    dv_data_set_double(&self->value, dv_data_double(&self->start));
    dv_data_set_double(&self->hidden, 0.1);
    self->cache = 0.01;
}
static DvStatus clock_restore(DvObject *object, void *self_)
{
    Clock *self = self_;
    note(object, "restore");
    self->cache = dv_data_double(&self->hidden) * dv_data_double(&self->hidden);
    return DV_OK;
}
static void clock_event(DvObject *object, void *self_, DvEvent *event)
{
    Clock *self = self_;
    if (event->kind == DV_EVENT_INIT_START || event->kind == DV_EVENT_INIT_DONE)
        note(object, event->kind == DV_EVENT_INIT_START ? "start" : "done");
    if (event->kind != DV_EVENT_ANIMATE_BEGIN)
        return;
    dv_data_set_double(&self->value, sin(dv_data_double(&self->value) * 3.7 + self->cache));
    dv_data_set_double(&self->hidden, dv_data_double(&self->hidden) / 3);
    self->cache = dv_data_double(&self->hidden) * dv_data_double(&self->hidden);
}
static const DvClass clock_class = {
    .size = sizeof(DvClass),
    .name = "Clock",
    .help = "Changes in every step.",
    .instance_size = sizeof(Clock),
    .fields = clock_fields,
    .construct = clock_construct,
    .init = clock_init,
    .bwd_init = clock_bwd_init,
    .store_reset_state = clock_store,
    .reset = clock_reset,
    .restore = clock_restore,
    .handle_event = clock_event,
};

/* Troubled */

typedef struct Troubled {
    DvData when, in, out;
    int cleanups;
} Troubled;
static const DvField troubled_fields[] = {
    DV_FIELD(Troubled, when, "when", dv_type_string, .help = "parse, init, bwd_init or step"),
    DV_FIELD(Troubled, in, "in", dv_type_double, .help = "what nothing follows from", .flags = DV_FIELD_INPUT),
    DV_FIELD(Troubled, out, "out", dv_type_double, .help = "what is not computed", .flags = DV_FIELD_OUTPUT),
    {0},
};
static DvStatus fail_when(DvObject *object, Troubled *self, const char *now)
{
    if (strcmp(dv_data_string(&self->when), now) == 0)
        return dv_error(object, DV_ERROR_INVALID, "trouble in %s", now);
    return DV_OK;
}
static DvStatus troubled_parse(DvObject *object, void *self, const DvAttributes *attributes)
{
    (void)attributes;
    return fail_when(object, self, "parse");
}
static DvStatus troubled_init(DvObject *object, void *self)
{
    const double *gravity = dv_node_gravity(dv_object_node(object));
    if (gravity[0] != 42.0 && fail_when(object, self, "not 42") != DV_OK)
        return DV_ERROR_INVALID;
    return fail_when(object, self, "init");
}
static DvStatus troubled_bwd_init(DvObject *object, void *self)
{
    return fail_when(object, self, "bwd_init");
}
/* After trouble none of these may be called; cleanup is, once, while the object is not yet invalid. */
static void must_be_valid(DvObject *object, const char *function)
{
    if (!dv_object_is_valid(object))
        dv_error(object, DV_ERROR_INVALID, "%s was called", function);
}
static DvStatus troubled_reinit(DvObject *object, void *self)
{
    (void)self;
    must_be_valid(object, "reinit");
    return DV_OK;
}
static void troubled_store(DvObject *object, void *self)
{
    (void)self;
    must_be_valid(object, "store_reset_state");
}
static void troubled_reset(DvObject *object, void *self)
{
    (void)self;
    must_be_valid(object, "reset");
}
static void troubled_event(DvObject *object, void *self, DvEvent *event)
{
    (void)self, (void)event;
    must_be_valid(object, "handle_event");
}
static DvStatus troubled_update(DvObject *object, void *self)
{
    (void)self;
    must_be_valid(object, "update");
    return DV_OK;
}
static void troubled_box(DvObject *object, void *self, double *box)
{
    (void)self, (void)box;
    must_be_valid(object, "bounding_box");
}
static void troubled_cleanup(DvObject *object, void *self)
{
    ((Troubled *)self)->cleanups++;
    must_be_valid(object, "cleanup");
}
static void troubled_destroy(DvObject *object, void *self)
{
    (void)object;
    if (((Troubled *)self)->cleanups != 1)
        dv_error(NULL, DV_ERROR_INVALID, "cleanup was called %d times", ((Troubled *)self)->cleanups);
}
/* What its node offers by it. */
static const DvContract troubled_contracts[] = {{.id = TEST_FORCE, .ops = &empty_ops}, {0}};

/* Needy: cannot do without what it names. */
typedef struct Needy {
    DvLink of;
    DvData fails;
} Needy;
static const DvField needy_fields[] = {
    DV_LINK(Needy, of, "of", NULL, .help = "what it needs"),
    DV_FIELD(Needy, fails, "fails", dv_type_bool, .help = "whether its init fails"),
    {0},
};
static DvStatus needy_init(DvObject *object, void *self)
{
    Needy *needy = self;
    if (dv_data_bool(&needy->fails))
        return dv_error(object, DV_ERROR_INVALID, "fails");
    DvObject *of = dv_link_object(&needy->of);
    return of ? dv_object_require(object, of) : DV_OK;
}
static const DvClass needy_class = {
    .size = sizeof(DvClass),
    .name = "Needy",
    .help = "Needs another.",
    .instance_size = sizeof(Needy),
    .fields = needy_fields,
    .init = needy_init,
    .reinit = dv_object_initialise_again,
    .handle_event = troubled_event,
};

static const DvClass troubled_class = {
    .size = sizeof(DvClass),
    .name = "Troubled",
    .help = "Fails.",
    .instance_size = sizeof(Troubled),
    .fields = troubled_fields,
    .contracts = troubled_contracts,
    .parse = troubled_parse,
    .init = troubled_init,
    .bwd_init = troubled_bwd_init,
    .reinit = troubled_reinit,
    .store_reset_state = troubled_store,
    .reset = troubled_reset,
    .handle_event = troubled_event,
    .update = troubled_update,
    .bounding_box = troubled_box,
    .cleanup = troubled_cleanup,
    .destroy = troubled_destroy,
};

/* Shown, Pull (a context object), Maker (adds an object while it is initialised) */

typedef struct Shown {
    DvData words;
} Shown;
static const DvField shown_fields[] = {DV_FIELD(Shown, words, "words", dv_type_string, .help = "what is shown"), {0}};
static const DvClass shown_class = {
    .size = sizeof(DvClass), .name = "Shown", .help = "Words.", .instance_size = sizeof(Shown), .fields = shown_fields};

typedef struct Pull {
    DvData gravity;
} Pull;
static void pull_apply(void *self_, DvNode *node)
{
    Pull *self = self_;
    dv_node_set_gravity(node, dv_data_doubles(&self->gravity, NULL));
}
static const DvContextOps pull_ops = {sizeof(DvContextOps), pull_apply};
static const DvField pull_fields[] = {DV_FIELD(Pull, gravity, "gravity", dv_type_vec3d, .help = "gravity"), {0}};
static const DvContract pull_contracts[] = {{.id = DV_CONTEXT, .ops = &pull_ops}, {0}};
static const DvClass pull_class = {.size = sizeof(DvClass),
                                   .name = "Pull",
                                   .help = "Sets gravity.",
                                   .instance_size = sizeof(Pull),
                                   .fields = pull_fields,
                                   .contracts = pull_contracts};

static DvStatus maker_init(DvObject *object, void *self)
{
    (void)self;
    return dv_object_new(dv_node_parent(dv_object_node(object), 0), "Clock", NULL, "name", "made", NULL);
}
static const DvClass maker_class = {.size = sizeof(DvClass),
                                    .name = "Maker",
                                    .help = "Makes a clock.",
                                    .instance_size = sizeof(double),
                                    .init = maker_init};

/* TickLoop */

typedef struct Loop {
    DvData gap, phases;
} Loop;

/* A letter begins the phase of its name, a dot ends one. */
static void go_through_phases(const char *phases)
{
    static const char *const names[] = {"a", "b", "c"};
    for (; phases && *phases; phases++)
        if (*phases == '.')
            dv_phase_end();
        else
            dv_phase_begin(names[*phases - 'a']);
}

static DvStatus loop_step(void *self, double dt)
{
    DvNode *node = dv_object_node(dv_object_of(self));
    (void)dv_data_double(&((Loop *)self)->gap);
    go_through_phases(dv_data_string(&((Loop *)self)->phases));
    dt = dt != 0.0 ? dt : dv_node_dt(node);
    DvEvent begin = {.kind = DV_EVENT_ANIMATE_BEGIN, .dt = dt};
    dv_event_send(node, &begin);
    dv_node_set_time(node, dv_node_time(node) + dt);
    dv_node_propagate_context(node);
    return DV_OK;
}
static void loop_settle(void *self)
{
    note(dv_object_of(self), "settle");
}
static const DvAnimationLoopOps loop_ops = {
    .size = sizeof(DvAnimationLoopOps), .step = loop_step, .settle = loop_settle, .by_default = true};
static const DvContract loop_contracts[] = {{.id = DV_ANIMATION_LOOP, .ops = &loop_ops, .slot = true}, {0}};
static const DvField loop_fields[] = {
    DV_FIELD(Loop, gap, "gap", dv_type_double, .help = "read in each step"),
    DV_FIELD(Loop, phases, "phases", dv_type_string, .help = "of a step: a letter begins one, a dot ends it"),
    {0},
};
static const DvClass loop_class = {.size = sizeof(DvClass),
                                   .name = "TickLoop",
                                   .help = "Tells the clocks.",
                                   .instance_size = sizeof(Loop),
                                   .fields = loop_fields,
                                   .contracts = loop_contracts};

static const DvClass *const classes[] = {&value_class, &ranged_class, &points_class,   &picture_class,
                                         &force_class, &joint_class,  &pair_class,     &choosy_class,
                                         &clock_class, &shown_class,  &troubled_class, &needy_class,
                                         &pull_class,  &maker_class,  &loop_class,     NULL};

/* Step checks, more than a kernel is likely to have room for: number N complains of a root called "check N". */
static DvStatus complain(DvNode *root, int number)
{
    char name[16];
    snprintf(name, sizeof name, "check %d", number);
    return strcmp(dv_object_name(dv_node_object(root)), name) == 0
               ? dv_error(dv_node_object(root), DV_ERROR_INVALID, "number %d was asked", number)
               : DV_OK;
}
static bool restore_nothing(DvNode *root)
{
    (void)root;
    return false;
}
static size_t lint_nothing(DvNode *root)
{
    (void)root;
    return 0;
}
static void forget_nothing(DvNode *root)
{
    (void)root;
}
#define STEP_CHECK(number)                                                                                      \
    static DvStatus check_##number(DvNode *root, uint64_t step)                                                 \
    {                                                                                                           \
        (void)step;                                                                                             \
        return complain(root, number);                                                                          \
    }                                                                                                           \
    static const DvStepCheckOps step_check_##number = {sizeof(DvStepCheckOps), check_##number, restore_nothing, \
                                                       lint_nothing, forget_nothing};
STEP_CHECK(1)
STEP_CHECK(2)
STEP_CHECK(3)
STEP_CHECK(4)
STEP_CHECK(5)
STEP_CHECK(6)
static const DvContract offers[] = {{.id = DV_STEP_CHECK, .ops = &step_check_1},
                                    {.id = DV_STEP_CHECK, .ops = &step_check_2},
                                    {.id = DV_STEP_CHECK, .ops = &step_check_3},
                                    {.id = DV_STEP_CHECK, .ops = &step_check_4},
                                    {.id = DV_STEP_CHECK, .ops = &step_check_5},
                                    {.id = DV_STEP_CHECK, .ops = &step_check_6},
                                    {0}};
static const DvRename renames[] = {
    {DV_RENAME_CLASS, NULL, "OldValue", "Value"},
    {DV_RENAME_CLASS_EXPANDED, NULL, "Both",
     "<Group><Value number='4' text='first' half=''/><Points template='Rigid3d'/></Group>"},
    {DV_RENAME_CLASS_HARMLESS, NULL, "Ornament", "contacts need no groups any more"},
    {DV_RENAME_CLASS_REMOVED, NULL, "Gone", "Value"},
    {DV_RENAME_FIELD, "Value", "oldNumber", "number"},
    {DV_RENAME_FIELD, "Joint", "object1", "input"},
    {DV_RENAME_FIELD, "Joint", "object2", "output"},
    {DV_RENAME_FIELD, "Node", "showVisual", "Shown.words"},
    {DV_RENAME_FIELD, "Node", "showForces", "Shown.words"},
    {DV_RENAME_FIELD_HARMLESS, "Value", "useMask", "masks are always used"},
    {DV_RENAME_FIELD_REMOVED, "Value", "visible", "flag"},
    {DV_RENAME_MODULE, NULL, "OldModule", NULL},
    {DV_RENAME_DOF_TYPE, NULL, "FarVec3f", "Vec3d"},
    {DV_RENAME_DOF_TYPE, NULL, "NearVec3f", "Vec3d"},
    {0},
};

DV_PLUGIN = {
    .size = sizeof(DvPlugin),
    .abi = DV_ABI_STAMP,
    .id = "test.parts",
    .version = "1.0.0",
    .license = "LGPL-2.1-or-later",
    .help = "Small classes for the tests of the kernel.",
    .classes = classes,
    .renames = renames,
    .offers = offers,
    .variants =
        (const char *const[]){"CompressedRowSparseMatrixMat3x3d", "CompressedRowSparseMatrixd", "NearVec3f", NULL},
};
