/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Passes of a picture: over which surfaces each goes, and from which it takes its inputs.
 */
#include "recorder_parts.h"

#include <string.h>

/* Passes */

static bool has_all(DvTags tags, DvTags wanted)
{
    for (size_t w = 0; w < wanted.count; w++) {
        bool found = false;
        for (size_t i = 0; i < tags.count; i++)
            found = found || strcmp(tags.words[i], wanted.words[w]) == 0;
        if (!found)
            return false;
    }
    return true;
}

/* Another when the file is another (Fowler, Noll and Vo, FNV-1a). */
static uint64_t version_of_file(const char *file)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (; *file; file++)
        hash = (hash ^ (unsigned char)*file) * 0x100000001b3u;
    return hash;
}

/* Index of the shader of a pass over the whole: that which it names, or one of its file; -1: it has none. */
static int32_t shader_of_pass(DvRecorder *self, Recording *recording, Entry *entry, const DvRenderPass *pass)
{
    const Entry *named = pass->shader ? recorder_find_entry(&self->entries, pass->shader, 0) : NULL;
    if (named && named->shader)
        return named->shader_index;
    if (!pass->fragment_file)
        return -1;
    DvPictureShader *shader = list_add(&self->shaders, sizeof *shader);
    shader->owner = recording_text(recording, dv_object_path(entry->object));
    shader->version = version_of_file(pass->fragment_file);
    recorder_take_source(recording, entry, shader, DV_SHADER_FRAGMENT, pass->fragment_file, shader->version);
    shader->names[DV_SHADER_FRAGMENT] = recording_text(recording, pass->fragment_file);
    return (int32_t)self->shaders.count - 1;
}

static const uint8_t *surfaces_of_pass(DvRecorder *self, Recording *recording, const DvRenderPass *pass)
{
    DvObject *const *object = self->drawn.at;
    uint8_t *draws = recording_alloc(recording, self->drawn.count + 1, 1);
    for (uint32_t i = 0; i < self->drawn.count; i++)
        draws[i] = dv_object_has_tags(object[i], pass->models);
    return draws;
}

/* The passes before it that have all its tags of inputs: of one over the whole those of its output count. */
static void take_inputs(DvRecorder *self, Recording *recording, const DvRenderPass *pass, DvPicturePass *made)
{
    Entry *const *entry = self->pass_entries.at;
    const uint32_t count = self->passes.count - 1; /* without itself */
    uint32_t *inputs = recording_alloc(recording, count + 1, sizeof *inputs);
    for (uint32_t i = 0; i < count; i++) {
        DvRenderPass earlier = {0};
        if (entry[i]->pass->get(entry[i]->self, &earlier) &&
            has_all(((DvPicturePass *)self->passes.at)[i].draws ? earlier.models : earlier.output, pass->inputs))
            inputs[made->input_count++] = i;
    }
    made->inputs = inputs;
}

static void add_pass(DvRecorder *self, Recording *recording, Entry *entry)
{
    DvRenderPass pass = {0};
    if (!dv_object_is_valid(entry->object) || !entry->pass->get(entry->self, &pass))
        return;
    const bool whole = pass.fragment_file || pass.shader;
    const int32_t shader = whole ? shader_of_pass(self, recording, entry, &pass) : 0;
    if (shader < 0)
        return;
    DvPicturePass *made = list_add(&self->passes, sizeof *made);
    *(Entry **)list_add(&self->pass_entries, sizeof entry) = entry;
    made->name = recording_text(recording, pass.name);
    made->scale = (float)pass.scale;
    made->to_screen = pass.to_screen;
    made->shader = (uint32_t)shader;
    if (whole) {
        take_inputs(self, recording, &pass, made);
    } else {
        made->draws = surfaces_of_pass(self, recording, &pass);
        made->draws_batches = pass.models.count == 0;
    }
}

void recorder_add_passes(DvRecorder *self, Recording *recording)
{
    const Level *root = self->levels.at;
    Entry *entry = self->entries.at;
    if (!self->levels.count || root->flags[DV_DISPLAY_ADVANCED_RENDERING] != 1)
        return;
    for (uint32_t i = 0; i < self->entries.count; i++)
        if (entry[i].pass)
            add_pass(self, recording, &entry[i]);
}
