/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the test classes of contracts_plugin.c tell the tests.
 */
#ifndef DIVAN_TESTS_CONTRACTS_PLUGIN_H
#define DIVAN_TESTS_CONTRACTS_PLUGIN_H

#include "fake_device.h"

#include <divan/element_data.h>

#define TEST_SPAWNER "test.spawner/1"
typedef struct SpawnCounters {
    unsigned spawned, destroyed;
} SpawnCounters;
typedef struct SpawnerOps {
    uint32_t size;
    SpawnCounters *counters; /* of all spawners */
} SpawnerOps;

#define TEST_ASKED "test.asked/1"
typedef struct AskedCounters {
    unsigned states, couplings, costs;
    uint32_t far_point; /* is coupled too, whether it is there or not; 0: none */
} AskedCounters;
typedef struct AskedOps {
    uint32_t size;
    AskedCounters *counters; /* of all AskedFields */
} AskedOps;

#define TEST_WATCHER "test.watcher/1"
typedef struct WatcherOps {
    uint32_t size;
    const DvElementData *(*points)(const void *self);
    const DvElementData *(*tetrahedra)(const void *self);
} WatcherOps;

#define TEST_FAST_DEVICE "test.fast-device/1"
typedef struct FastCounts {
    uint64_t turns, torn, full, pushes;
} FastCounts;
typedef struct FastDeviceOps {
    uint32_t size;
    void (*counts)(const void *self, FastCounts *counts);
} FastDeviceOps;

#endif
