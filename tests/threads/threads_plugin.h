/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the test class of threads_plugin.c takes from the tests.
 */
#ifndef DIVAN_TESTS_THREADS_PLUGIN_H
#define DIVAN_TESTS_THREADS_PLUGIN_H

#include <divan/object.h>

#define TEST_CALLER "test.caller/1"
typedef struct CallerOps {
    uint32_t size;
    void (*set)(void *self, void (*call)(void *context), void *context); /* what each step calls */
} CallerOps;

#endif
