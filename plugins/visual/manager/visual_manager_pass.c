/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * VisualManagerPass: draws the visual models that have its tags into a picture; VisualManagerSecondaryPass: draws pictures of earlier
 * passes by a shader. They count where the style at the root shows advanced rendering.
 */
#include <divan/contracts/visual.h>

typedef struct VisualManagerPass {
    DvData factor, render_to_screen, output_name;
    DvData input_tags, output_tags, fragment_file; /* of a secondary pass */
    DvLink shader;
} VisualManagerPass;

static DvTags tags_of(DvData *data)
{
    DvTags tags = {0};
    tags.words = dv_data_strings(data, &tags.count);
    return tags;
}

static bool get(void *self_, DvRenderPass *pass)
{
    VisualManagerPass *self = self_;
    const DvObject *object = dv_object_of(self);
    const char *name = dv_data_string(&self->output_name);
    pass->name = *name ? name : dv_object_name(object);
    pass->scale = dv_data_double(&self->factor);
    pass->to_screen = dv_data_bool(&self->render_to_screen);
    pass->models = tags_of(dv_object_field(object, "tags"));
    return true;
}

static bool get_secondary(void *self_, DvRenderPass *pass)
{
    VisualManagerPass *self = self_;
    (void)get(self, pass);
    pass->models = (DvTags){0};
    pass->inputs = tags_of(&self->input_tags);
    pass->output = tags_of(&self->output_tags);
    pass->fragment_file = dv_data_file(&self->fragment_file);
    pass->shader = dv_link_object(&self->shader);
    return pass->fragment_file || pass->shader;
}

static DvStatus init_secondary(DvObject *object, void *self_)
{
    VisualManagerPass *self = self_;
    if (!dv_data_file(&self->fragment_file) && !dv_link_object(&self->shader))
        dv_remark(object, "draws nothing: give fragFilename, a fragment shader that is there, or shader, an OglShader");
    return DV_OK;
}

#define FIELD(member, name, type, ...) \
    DV_FIELD(VisualManagerPass, member, name, type, .flags = DV_FIELD_DRAWING, __VA_ARGS__)
#define PASS_FIELDS                                                                                         \
    FIELD(factor, "factor", dv_type_double, .init = "1", .range = &dv_range_positive,                       \
          .help = "size of its picture, of the size of the view"),                                          \
        FIELD(render_to_screen, "renderToScreen", dv_type_bool, .init = "0", .help = "it is what is seen"), \
        FIELD(output_name, "outputName", dv_type_string,                                                    \
              .help = "name of its picture; that of this object by default")

static const DvField fields[] = {PASS_FIELDS, {0}};
static const DvField secondary_fields[] = {
    PASS_FIELDS,
    FIELD(input_tags, "input_tags", dv_type_tags, .help = "tags of the passes whose pictures it takes"),
    FIELD(output_tags, "output_tags", dv_type_tags, .help = "tags by which later passes take its picture"),
    FIELD(fragment_file, "fragFilename", dv_type_file, .help = "its fragment shader"),
    DV_LINK(VisualManagerPass, shader, "shader", DV_SHADER, .help = "its shader, instead of a file"),
    {0},
};

static const DvRenderPassOps ops = {.size = sizeof ops, .get = get};
static const DvRenderPassOps secondary_ops = {.size = sizeof secondary_ops, .get = get_secondary};

const DvClass dv_visual_manager_pass = {
    .size = sizeof(DvClass),
    .name = "VisualManagerPass",
    .bases = (const char *const[]){"VisualManager", NULL},
    .family = "shaders",
    .module = "Sofa.GL.Component.Shader",
    .help =
        "Draws visual models that have its tags into a picture of its own, where the style at the root has showAdvancedRendering.",
    .instance_size = sizeof(VisualManagerPass),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_RENDER_PASS, .ops = &ops}, {0}},
};

const DvClass dv_visual_manager_secondary_pass = {
    .size = sizeof(DvClass),
    .name = "VisualManagerSecondaryPass",
    .bases = (const char *const[]){"VisualManagerPass", "VisualManager", NULL},
    .family = "shaders",
    .module = "Sofa.GL.Component.Shader",
    .help =
        "Draws pictures of earlier passes by a shader, each by its name, where the style at the root has showAdvancedRendering.",
    .instance_size = sizeof(VisualManagerPass),
    .fields = secondary_fields,
    .contracts = (const DvContract[]){{.id = DV_RENDER_PASS, .ops = &secondary_ops}, {0}},
    .init = init_secondary,
};
