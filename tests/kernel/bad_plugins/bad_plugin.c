/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A tiny plugin, one thing of which its build definitions set wrong: each definition below has a right value here.
 */
#include <divan/plugin.h>

#ifndef ID
#define ID "test.good"
#endif
#ifndef VERSION
#define VERSION "1.0"
#endif
#ifndef LICENSE
#define LICENSE "MIT"
#endif
#ifndef SIZE
#define SIZE sizeof(DvPlugin)
#endif
#ifndef ABI
#define ABI DV_ABI_STAMP
#endif
#ifndef CLASS_NAME
#define CLASS_NAME "Thing"
#endif
#ifndef CLASS_SIZE
#define CLASS_SIZE sizeof(DvClass)
#endif
#ifndef VARIANTS
#define VARIANTS NULL
#endif
#ifndef INSTANCE_SIZE
#define INSTANCE_SIZE sizeof(Thing)
#endif
#ifndef FIELD_NAME
#define FIELD_NAME "size"
#endif
#ifndef FIELD_FLAGS
#define FIELD_FLAGS 0
#endif
#ifndef FIRST_FLAGS
#define FIRST_FLAGS 0
#endif
#ifndef CLASS_ID
#define CLASS_ID "test.thing/1"
#endif
#ifndef CLASS_OPS
#define CLASS_OPS &ops
#endif
#ifndef SERVICE_OPS
#define SERVICE_OPS &ops
#endif
#ifndef OFFERS
#define OFFERS "test.service/1"
#endif
#ifndef RANK
#define RANK 0
#endif

typedef struct Ops {
    uint32_t size;
    void (*nothing)(void);
} Ops;

typedef struct Thing {
    DvData width, height;
} Thing;

#ifndef NO_SYMBOL

extern const Ops ops, empty_ops, long_ops;
const Ops ops = {sizeof(Ops), NULL}, empty_ops = {0, NULL}, long_ops = {sizeof(Ops) + 8, NULL};

#ifndef NO_CLASSES
static const DvField fields[] = {
    DV_FIELD(Thing, width, "width", dv_type_double, .flags = FIRST_FLAGS),
#ifdef NO_TYPE
    {.name = FIELD_NAME, .offset = offsetof(Thing, height)},
#elif defined CROOKED_OFFSET
    {.name = FIELD_NAME, .type = &dv_type_double, .offset = offsetof(Thing, height) + 4},
#elif defined WILD_OFFSET
    {.name = FIELD_NAME, .type = &dv_type_double, .offset = sizeof(Thing)},
#else
    DV_FIELD(Thing, height, FIELD_NAME, dv_type_double, .flags = FIELD_FLAGS),
#endif
    {0},
};

static const DvClass thing = {
    .size = CLASS_SIZE,
    .name = CLASS_NAME,
    .variants = VARIANTS,
    .instance_size = INSTANCE_SIZE,
    .fields = fields,
    .contracts = (const DvContract[]){{.id = CLASS_ID, .ops = CLASS_OPS}, {0}},
};
#ifdef CLASS_TWICE
static const DvClass between = {.size = sizeof(DvClass), .name = "Between"};
#endif
#endif

/* Calls are written to the file that the test names. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined FAIL || defined TRACE
static void trace(const char *what)
{
    const char *file = getenv("DIVAN_TEST_TRACE");
    FILE *out = file ? fopen(file, "a") : NULL;
    if (out) {
        fprintf(out, "%s %s\n", ID, what);
        fclose(out);
    }
}

static DvStatus start(void)
{
    trace("start");
#ifdef FAIL
    char text[64];
    snprintf(text, sizeof text, "no device of type %d", 7);
    dv_log_at(DV_LEVEL_ERROR, FAIL, ID, 0, 0, "%s", text);
    memset(text, '?', sizeof text);
    return FAIL;
#else
    return dv_service("test.missing/1") ? DV_ERROR_INVALID : DV_OK;
#endif
}

static void stop(void)
{
    trace("stop");
}
#endif

#ifdef START_ELSEWHERE
extern DvStatus elsewhere(void);
#endif

DV_PLUGIN = {
    .size = SIZE,
    .abi = ABI,
    .id = ID,
    .version = VERSION,
    .license = LICENSE,
    .help = "For the tests of the loader.",
    .rank = RANK,
#ifdef NEEDS
    .needs = (const char *const[]){NEEDS, NULL},
#endif
#ifndef NO_OFFERS
    .offers = (const DvContract[]){{.id = OFFERS, .ops = SERVICE_OPS}, {0}},
#endif
#ifdef CLASS_TWICE
    .classes = (const DvClass *const[]){&thing, &between, &thing, NULL},
#elif !defined NO_CLASSES
    .classes = (const DvClass *const[]){&thing, NULL},
#endif
#ifdef RENAME
    .renames = (const DvRename[]){{DV_RENAME_FIELD_HARMLESS, NULL, "speed", NULL}, RENAME, {0}},
#endif
#ifdef DECLARED
    .variants = (const char *const[]){DECLARED, NULL},
#endif
#if defined FAIL || defined TRACE
    .start = start,
    .stop = stop,
#elif defined START_ELSEWHERE
    .start = elsewhere,
#endif
};

#else
extern DV_PUBLIC const int something_else;
const int something_else = 1;
#endif
