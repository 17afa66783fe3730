/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Classes that show the kernel's tests what the kernel does with a class.
 */
#include <string.h>

#include <divan/plugin.h>

#include "test_classes.h"

static int updates, alive;
static bool construct_fails;
static DvData *peek;
static DvText calls;

static const TestCounters counters = {sizeof(TestCounters), &updates, &alive, &calls, &construct_fails, &peek};

/* Recorder: every call of its lifecycle is written down. */
typedef struct Recorder {
    DvData value, fail;
    DvLink partner, friends;
} Recorder;

static DvStatus record(DvObject *object, const char *what)
{
    dv_text_add(&calls, "%s%s %s", calls.length ? ", " : "", dv_object_name(object), what);
    const Recorder *self = dv_object_self(object);
    const char *fail = *(char *const *)self->fail.value;
    return strcmp(fail, what) == 0 ? dv_error(object, DV_ERROR_MISSING, "%s was told to fail", what) : DV_OK;
}

static DvStatus recorder_construct(DvObject *object, void *self)
{
    (void)self;
    alive++;
    const DvStatus status = record(object, "construct");
    return construct_fails ? DV_ERROR_UNSUPPORTED : status;
}
static DvStatus recorder_parse(DvObject *object, void *self, const DvAttributes *attributes)
{
    (void)self, (void)attributes;
    return record(object, "parse");
}
static DvStatus recorder_init(DvObject *object, void *self)
{
    (void)self;
    return record(object, "init");
}
static DvStatus recorder_bwd_init(DvObject *object, void *self)
{
    (void)self;
    return record(object, "bwd_init");
}
static void recorder_cleanup(DvObject *object, void *self)
{
    (void)self;
    (void)record(object, "cleanup");
}
static void recorder_destroy(DvObject *object, void *self)
{
    (void)self;
    alive--;
    (void)record(object, "destroy");
}
static int recorder_answer(void *self)
{
    return dv_data_int(&((Recorder *)self)->value);
}

static const TestThing recorder_thing = {sizeof(TestThing), recorder_answer};
static const DvField recorder_fields[] = {
    DV_FIELD(Recorder, value, "value", dv_type_int, .init = "7", .help = "a number",
             .aliases = (const char *const[]){"number", "count", NULL}),
    DV_FIELD(Recorder, fail, "fail", dv_type_string, .help = "which call fails"),
    DV_LINK(Recorder, partner, "partner", "test.thing/1", .help = "one other"),
    DV_LINK(Recorder, friends, "friends", NULL, .many = true, .help = "several others"),
    {0},
};
static const DvClass recorder = {
    .size = sizeof(DvClass),
    .name = "Recorder",
    .family = "tests",
    .module = "Test.Module",
    .help = "Writes down what is done to it.",
    .aliases = (const char *const[]){"Scribe", NULL},
    .bases = (const char *const[]){"Writer", "Base", NULL},
    .instance_size = sizeof(Recorder),
    .fields = recorder_fields,
    .contracts = (const DvContract[]){{.id = "test.other/1", .ops = &recorder_thing},
                                      {.id = "test.thing/1", .ops = &recorder_thing},
                                      {0}},
    .construct = recorder_construct,
    .parse = recorder_parse,
    .init = recorder_init,
    .bwd_init = recorder_bwd_init,
    .cleanup = recorder_cleanup,
    .destroy = recorder_destroy,
};

/* SumEngine: sum = the sum of its list, twice = 2 x the sum. */
typedef struct SumEngine {
    DvData values, factor, sum, twice, untouched;
} SumEngine;

static DvStatus sum_update(DvObject *object, void *self_)
{
    SumEngine *self = self_;
    updates++;
    size_t count;
    const double *values = dv_data_doubles(&self->values, &count);
    double sum = dv_data_double(&self->sum) * 0; /* an engine may look at its own output */
    for (size_t i = 0; i < count; i++)
        sum += values[i] * dv_data_double(&self->factor);
    dv_data_set_double(&self->sum, sum);
    if (peek)
        (void)dv_data_read(peek);
    dv_data_set_double(&self->twice, 2 * sum);
    return sum < 0 ? dv_error(object, DV_ERROR_INVALID, "a negative sum") : DV_OK;
}

static const DvField sum_fields[] = {
    DV_FIELD(SumEngine, values, "values", dv_type_doubles, .flags = DV_FIELD_INPUT),
    DV_FIELD(SumEngine, factor, "factor", dv_type_double, .init = "1", .flags = DV_FIELD_INPUT),
    DV_FIELD(SumEngine, sum, "sum", dv_type_double, .flags = DV_FIELD_OUTPUT),
    DV_FIELD(SumEngine, twice, "twice", dv_type_double, .flags = DV_FIELD_OUTPUT),
    DV_FIELD(SumEngine, untouched, "untouched", dv_type_double, .init = "5", .flags = DV_FIELD_OUTPUT),
    {0},
};
static const DvClass sum_engine = {
    .size = sizeof(DvClass),
    .name = "SumEngine",
    .family = "tests",
    .help = "Adds numbers.",
    .instance_size = sizeof(SumEngine),
    .fields = sum_fields,
    .update = sum_update,
};

/* Needy: fields that a scene must give. */
typedef struct Needy {
    DvData also, must, should;
} Needy;

static const DvField needy_fields[] = {
    DV_FIELD(Needy, also, "also", dv_type_doubles, .flags = DV_FIELD_REQUIRED),
    DV_FIELD(Needy, must, "must", dv_type_doubles, .flags = DV_FIELD_REQUIRED,
             .help = "numbers without which nothing works"),
    DV_FIELD(Needy, should, "should", dv_type_double, .init = "2.5", .flags = DV_FIELD_REQUIRED),
    {0},
};
static const DvClass needy = {
    .size = sizeof(DvClass),
    .name = "Needy",
    .family = "tests",
    .help = "Has fields that must be given.",
    .instance_size = sizeof(Needy),
    .fields = needy_fields,
};

/* Bare: nothing at all. */
static const DvClass bare = {
    .size = sizeof(DvClass), .name = "Bare", .family = "tests", .help = "Has nothing of its own."};

/* Typed: fields whose types follow from the variant, and defaults that cannot be read, or only in part. */
typedef struct Typed {
    DvData coord, deriv, coords, derivs, coords_out, wrong, partly, choice;
} Typed;

static const DvField typed_fields[] = {
    DV_FIELD(Typed, coord, "coord", dv_type_coord),
    DV_FIELD(Typed, deriv, "deriv", dv_type_deriv),
    DV_FIELD(Typed, coords, "coords", dv_type_coords),
    DV_FIELD(Typed, derivs, "derivs", dv_type_derivs),
    DV_FIELD(Typed, coords_out, "coordsOut", dv_type_coords_out),
    DV_FIELD(Typed, wrong, "wrong", dv_type_double, .init = "one"),
    DV_FIELD(Typed, partly, "partly", dv_type_double, .init = "1.5 m"),
    DV_FIELD(Typed, choice, "choice", dv_type_choice, .choices = (const char *const[]){NULL}),
    {0},
};
static const DvClass typed = {
    .size = sizeof(DvClass),
    .name = "Typed",
    .variants = "Vec1d Vec2d Vec3d Vec6d Rigid2d Rigid3d Rigid3d,Vec2d",
    .default_variant = "Vec3d",
    .family = "tests",
    .help = "Has fields of all places.",
    .instance_size = sizeof(Typed),
    .fields = typed_fields,
};

DV_PLUGIN = {
    .size = sizeof(DvPlugin),
    .abi = DV_ABI_STAMP,
    .id = "test.classes",
    .version = DV_VERSION,
    .license = "LGPL-2.1-or-later",
    .help = "Classes for the tests of the kernel.",
    .offers = (const DvContract[]){{.id = TEST_COUNTERS, .ops = &counters}, {0}},
    .classes = (const DvClass *const[]){&recorder, &sum_engine, &needy, &typed, &bare, NULL},
    .renames =
        (const DvRename[]){
            {DV_RENAME_CLASS, NULL, "OldRecorder", "Recorder"},
            {DV_RENAME_CLASS, NULL, "LostRecorder", "NoSuchClass"},
            {DV_RENAME_CLASS, NULL, "LostPreconditioner", "WarpPreconditioner"},
            {DV_RENAME_CLASS, NULL, "OldLonely", "Lonely"},
            {DV_RENAME_CLASS_EXPANDED, NULL, "TwoRecorders", "<Node><Recorder/><Recorder/></Node>"},
            {DV_RENAME_CLASS_REMOVED, NULL, "GoneEngine", "its work is done by SumEngine"},
            {DV_RENAME_CLASS_HARMLESS, NULL, "IdleEngine", NULL},
            {DV_RENAME_FIELD, "Base", "oldValue", "value"},
            {DV_RENAME_FIELD, "SumEngine", "oldValue", "factor"},
            {DV_RENAME_FIELD, "Recorder", "loop", "loop"},
            {DV_RENAME_FIELD, NULL, "isLoud", "printLog"},
            {DV_RENAME_FIELD_HARMLESS, "Recorder", "speed", "it has none"},
            {DV_RENAME_FIELD_REMOVED, "Recorder", "weight", "use value"},
            {DV_RENAME_MODULE, NULL, "TestBase", NULL},
            {0},
        },
};
