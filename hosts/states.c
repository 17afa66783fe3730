/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Walks the states of a scene, for all hosts.
 */
#include "states.h"

static void add_states(const DvNode *node, GPtrArray *states)
{
    if (!dv_node_is_active(node))
        return;
    DvObject *object;
    for (size_t i = 0; (object = dv_node_member(node, i)); i++)
        if (dv_object_ops(object, DV_STATE) && !dv_object_ops(object, "divan.visual-model/1"))
            g_ptr_array_add(states, object);
    const DvNode *child;
    for (size_t i = 0; (child = dv_node_child(node, i)); i++)
        if (dv_node_parent(child, 0) == node)
            add_states(child, states);
}

GPtrArray *host_states(DvScene *scene)
{
    GPtrArray *states = g_ptr_array_new();
    add_states(dv_scene_root(scene), states);
    return states;
}

/* 64-bit words mixed by multiplication and rotation (the finaliser of Stafford's variant 13, as in splitmix64). */
static uint64_t mixed(uint64_t hash, const double *numbers, size_t count)
{
    for (size_t i = 0; numbers && i < count; i++) {
        uint64_t word;
        memcpy(&word, &numbers[i], sizeof word);
        hash = (hash ^ word) + 0x9e3779b97f4a7c15u;
        hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9u;
        hash = (hash ^ (hash >> 27)) * 0x94d049bb133111ebu;
        hash ^= hash >> 31;
    }
    return hash;
}

uint64_t host_hash(const GPtrArray *states)
{
    uint64_t hash = states->len;
    for (guint i = 0; i < states->len; i++) {
        const DvStateRef state = dv_state_ref(g_ptr_array_index(states, i));
        const DvConstVec x = dv_state_read(state, DV_POSITION), v = dv_state_read(state, DV_VELOCITY);
        hash = mixed(hash, x.at, (size_t)x.count * x.dim);
        hash = mixed(hash, v.at, (size_t)v.count * v.dim);
    }
    return hash;
}
