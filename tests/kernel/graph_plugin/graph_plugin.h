/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The classes of the graph's tests: a Recorder that can be called and told events, a Gust that changes gravity, a Ghost that offers
 * the recorder's contract by path only, and a Cloud, a topology of as many points and edges as its fields say.
 */
#ifndef DIVAN_TESTS_GRAPH_PLUGIN_H
#define DIVAN_TESTS_GRAPH_PLUGIN_H

#include <divan/node.h>

#define TEST_RECORDER "test.recorder/1"
typedef struct RecorderOps {
    uint32_t size;
    /* What a call does, set by a test; shared by all recorders. */
    struct RecorderBehaviour *behaviour;
} RecorderOps;

#define TEST_GHOST "test.ghost/1" /* a ghost offers it as any contract */

typedef struct RecorderBehaviour {
    void (*on_event)(DvObject *object, DvEvent *event);
    unsigned cleaned, destroyed;
} RecorderBehaviour;

typedef struct Recorder {
    DvData weight;
    DvLink friend_link;
} Recorder;

#endif
