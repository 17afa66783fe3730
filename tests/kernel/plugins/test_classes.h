/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the plugin of test classes tells the tests: how often its functions ran, and in which order.
 */
#ifndef DIVAN_TESTS_TEST_CLASSES_H
#define DIVAN_TESTS_TEST_CLASSES_H

#include <divan/data.h>

#define TEST_COUNTERS "test.counters/1"

typedef struct TestCounters {
    uint32_t size;
    int *updates;  /* of all SumEngines */
    int *alive;    /* objects whose construct ran and whose destroy did not */
    DvText *calls; /* "a construct, a parse, a init..." of all Recorders */
    bool *construct_fails;
    DvData **peek; /* what a SumEngine reads while it computes; or NULL */
} TestCounters;

typedef struct TestThing { /* divan.thing/1 */
    uint32_t size;
    int (*answer)(void *self);
} TestThing;

#endif
