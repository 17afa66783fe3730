/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Shaders of a picture: their sources, and what other objects give them.
 */
#include "recorder_parts.h"

#include <stdio.h>
#include <string.h>

#include <divan/memory.h>

/* Shaders */

/* The text of a file as an array of bytes that ends with a zero. */
static SharedArray *read_source(const char *path, const DvObject *object)
{
    enum { MOST_BYTES = 1 << 20 };
    FILE *file = fopen(path, "rb");
    SharedArray *text = NULL;
    if (file) {
        char *bytes = dv_alloc(MOST_BYTES + 1, 1);
        const size_t count = fread(bytes, 1, MOST_BYTES, file);
        if (!ferror(file)) {
            text = shared_array_new(count + 1, 1);
            memcpy(shared_array_data(text), bytes, count);
        }
        dv_free(bytes);
        (void)fclose(file);
    }
    if (!text)
        dv_remark(object, "the shader '%s' cannot be read; one of Divan's own takes its place", path);
    return text;
}

void recorder_take_source(Recording *recording, Entry *entry, DvPictureShader *shader, int stage, const char *file,
                          uint64_t version)
{
    RecordedArray *source = &entry->sources[stage];
    if (!source->known || source->version != version) {
        shared_array_release(source->shared);
        *source = (RecordedArray){.known = true, .version = version};
        if (file)
            source->shared = read_source(file, entry->object);
    }
    const DvPictureArray *text = recording_use(recording, source->shared);
    shader->sources[stage] = text ? text->at : NULL;
    shader->key = shader->key * 31 + (text ? text->id : 1);
}

void recorder_add_shader(DvRecorder *self, Recording *recording, Entry *entry, DvPictureState *state)
{
    DvShaderView view = {0};
    if (!entry->shader->get(entry->self, &view))
        return;
    DvPictureShader *shader = list_add(&self->shaders, sizeof *shader);
    entry->shader_index = (int32_t)self->shaders.count - 1;
    if (!view.passive)
        state->shader = entry->shader_index;
    shader->owner = recording_text(recording, dv_object_path(entry->object));
    for (int stage = 0; stage < DV_SHADER_STAGES; stage++) {
        recorder_take_source(recording, entry, shader, stage, view.files[stage], view.version);
        shader->names[stage] = recording_text(recording, view.names[stage]);
    }
    shader->version = view.version;
    shader->outer_level = (float)view.outer_level;
    shader->inner_level = (float)view.inner_level;
}

/* Of a file, the files of a cube, or the numbers. */
static void take_texture(DvRecorder *self, Recording *recording, Entry *entry, const DvShaderElement *element,
                         DvPictureUniform *uniform)
{
    if (element->numbers)
        uniform->image = recording_use_image(recording, recorded_image(&entry->image, element));
    else
        uniform->image = recording_use_image(recording, images_find(&self->images, element->text, entry->object));
    for (int side = 0; side < 6; side++)
        uniform->sides[side] =
            recording_use_image(recording, images_find(&self->images, element->sides[side], entry->object));
}

static void add_element(DvRecorder *self, Recording *recording, Entry *entry, const Level *level, uint32_t index,
                        DvShaderElement element)
{
    if (!element.name)
        return;
    DvPictureUniform made, *uniform = &made;
    made = (DvPictureUniform){.kind = element.kind,
                              .name = recording_text(recording, element.name),
                              .owner = recording_text(recording, dv_object_path(entry->object)),
                              .count = element.count,
                              .rows = element.rows ? element.rows : 1,
                              .columns = element.columns ? element.columns : 1,
                              .unit = element.unit,
                              .repeats = element.repeats,
                              .sharp = element.sharp,
                              .srgb = element.srgb,
                              .without_mipmaps = element.without_mipmaps};
    const size_t numbers = (size_t)uniform->count * uniform->rows * uniform->columns;
    if (element.kind == DV_SHADER_ATTRIBUTE) {
        uniform->array = recorded_floats(&entry->attributes[index], recording, element.numbers, uniform->count,
                                         uniform->rows, element.version);
    } else if (element.kind == DV_SHADER_TEXTURE) {
        take_texture(self, recording, entry, &element, uniform);
    } else if (element.kind == DV_SHADER_MACRO) {
        uniform->text = recording_text(recording, element.text ? element.text : "");
    } else {
        float *to = recording_alloc(recording, numbers, sizeof *to);
        for (size_t i = 0; element.numbers && i < numbers; i++)
            to[i] = (float)element.numbers[i];
        uniform->numbers = to;
    }
    for (uint32_t i = 0; i < level->shaders; i++)
        *(ShaderPart *)list_add(&self->parts, sizeof(ShaderPart)) = (ShaderPart){level->first_shader + i, made};
}

void recorder_add_elements(DvRecorder *self, Recording *recording, Entry *entry, const Level *level)
{
    const DvShaderElementOps *ops = entry->element;
    DvShaderElement element = {0};
    if (level->shaders == 0)
        return;
    if (ops->get(entry->self, &element))
        add_element(self, recording, entry, level, 0, element);
    for (uint32_t i = 1; ops->more && i < MOST_ELEMENTS; i++) {
        element = (DvShaderElement){0};
        if (!ops->more(entry->self, i, &element))
            break;
        add_element(self, recording, entry, level, i, element);
    }
}

void recorder_keep_shaders(DvRecorder *self, Recording *recording)
{
    DvPicture *picture = &recording->picture;
    DvPictureShader *shader = recording_keep(recording, &self->shaders, sizeof *shader);
    const ShaderPart *part = self->parts.at;
    for (uint32_t i = 0; i < self->shaders.count; i++) {
        DvPictureUniform *uniform = recording_alloc(recording, self->parts.count, sizeof *uniform);
        shader[i].uniforms = uniform;
        for (uint32_t p = 0; p < self->parts.count; p++)
            if (part[p].shader == i)
                uniform[shader[i].uniform_count++] = part[p].uniform;
    }
    picture->shaders = shader;
    picture->shader_count = self->shaders.count;
}
