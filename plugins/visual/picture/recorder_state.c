/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What holds in a node: that of its parent, changed by its own styles, transforms, planes and shaders. A sibling never sees them.
 */
#include "recorder_parts.h"

#include <math.h>
#include <string.h>

#include <divan/math/quat.h>

void identity_map(float m[12])
{
    memset(m, 0, 12 * sizeof *m);
    m[0] = m[5] = m[10] = 1;
}

/* state.transform = state.transform x rigid */
static void move_state(DvPictureState *state, const double rigid[7])
{
    const DvMat3 r = dv_quat_to_matrix(dv_quat_normalize(dv_quat_load(rigid + 3)));
    float product[12];
    for (int row = 0; row < 3; row++) {
        const float *m = state->transform + 4 * row;
        for (int column = 0; column < 3; column++)
            product[4 * row + column] = (float)(m[0] * r.m[0][column] + m[1] * r.m[1][column] + m[2] * r.m[2][column]);
        product[4 * row + 3] = (float)(m[0] * rigid[0] + m[1] * rigid[1] + m[2] * rigid[2] + m[3]);
    }
    memcpy(state->transform, product, sizeof product);
    state->moved = true;
}

static void clip_state(DvPictureState *state, const DvClipPlane *plane, Entry *entry)
{
    const DvVec3 normal = dv_vec3_load(plane->normal);
    if (!(dv_vec3_norm(normal) > 0))
        return;
    if (state->clip_count == DV_PICTURE_CLIPS) {
        if (!entry->told)
            dv_remark(entry->object, "more than %d clipping planes in and above its node: this one has no effect",
                      DV_PICTURE_CLIPS);
        entry->told = true;
        return;
    }
    const DvVec3 kept = dv_vec3_neg(dv_vec3_normalize(normal));
    float *clip = state->clips[state->clip_count++];
    clip[0] = (float)kept.x, clip[1] = (float)kept.y, clip[2] = (float)kept.z;
    clip[3] = (float)-dv_vec3_dot(kept, dv_vec3_load(plane->position));
}

uint32_t recorder_add_state(DvRecorder *self, const DvPictureState *state)
{
    const DvPictureState *known = self->states.at;
    for (uint32_t i = self->states.count; i-- > 0;)
        if (memcmp(&known[i], state, sizeof *state) == 0)
            return i;
    *(DvPictureState *)list_add(&self->states, sizeof *state) = *state;
    return self->states.count - 1;
}

void recorder_merge_flags(Level *level, const Level *parent, const Entry *entries, const DvRecordOptions *options)
{
    memset(level->flags, 0, sizeof level->flags);
    if (parent)
        memcpy(level->flags, parent->flags, sizeof level->flags);
    else
        level->flags[DV_DISPLAY_VISUAL_MODELS] = 1; /* unless a word hides them */
    for (uint32_t i = 0; i < level->count; i++) {
        const Entry *entry = &entries[level->first + i];
        if (entry->style)
            entry->style->merge(entry->self, level->flags);
    }
    for (int flag = 0; options && flag < DV_DISPLAY_FLAGS; flag++)
        if (options->flags[flag])
            level->flags[flag] = options->flags[flag];
}

void recorder_merge_state(DvRecorder *self, Recording *recording, Level *level, const Level *parent, Entry *entries)
{
    DvPictureState state;
    memset(&state, 0, sizeof state); /* padding too: states are compared by bytes */
    if (parent) {
        memcpy(&state, (DvPictureState *)self->states.at + parent->state, sizeof state);
    } else {
        identity_map(state.transform);
        state.shader = -1;
    }
    level->first_shader = self->shaders.count;
    for (uint32_t i = 0; i < level->count; i++) {
        Entry *entry = &entries[level->first + i];
        DvClipPlane plane = {0};
        double rigid[7];
        entry->shader_index = -1;
        if (!dv_object_is_valid(entry->object))
            continue;
        if (entry->clip && entry->clip->get(entry->self, &plane))
            clip_state(&state, &plane, entry);
        if (entry->transform && entry->transform->get(entry->self, rigid))
            move_state(&state, rigid);
        if (entry->shader)
            recorder_add_shader(self, recording, entry, &state);
    }
    level->shaders = self->shaders.count - level->first_shader;
    if (level->shaders == 0 && parent) {
        level->first_shader = parent->first_shader;
        level->shaders = parent->shaders;
    }
    level->state = recorder_add_state(self, &state);
}

uint32_t recorder_state_before(DvRecorder *self, const Level *level, const Entry *entries, uint32_t index)
{
    DvPictureState state;
    bool moved = false;
    memcpy(&state, (DvPictureState *)self->states.at + level->state, sizeof state);
    for (uint32_t i = index; i < level->count; i++) {
        const Entry *entry = &entries[level->first + i];
        double rigid[7];
        if (!entry->transform || !dv_object_is_valid(entry->object) || entry->transform->get(entry->self, rigid))
            continue;
        move_state(&state, rigid);
        moved = true;
    }
    return moved ? recorder_add_state(self, &state) : level->state;
}
