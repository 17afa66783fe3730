/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * PostProcessManager: the picture of the scene is drawn once more by the shader of its node; OglRenderingSRGB: the colours of the
 * picture are linear and become those of a screen.
 */
#include <divan/contracts/visual.h>

typedef struct PostProcessManager {
    DvData enable, near, far;
} PostProcessManager;

static bool get(void *self_, DvPostProcess *process)
{
    PostProcessManager *self = self_;
    process->near = dv_data_double(&self->near);
    process->far = dv_data_double(&self->far);
    process->shader = dv_node_find(dv_object_node(dv_object_of(self)), DV_SHADER, DV_SEARCH_LOCAL);
    return dv_data_bool(&self->enable) && process->shader;
}

static DvStatus init(DvObject *object, void *self_)
{
    PostProcessManager *self = self_;
    if (!(dv_data_double(&self->near) < dv_data_double(&self->far)))
        return dv_field_error(&self->far, -1, "%g m is not beyond zNear, %g m", dv_data_double(&self->far),
                              dv_data_double(&self->near));
    if (!dv_node_find(dv_object_node(object), DV_SHADER, DV_SEARCH_LOCAL))
        dv_remark(object, "changes nothing: its node has no OglShader that could draw the picture once more");
    return DV_OK;
}

static const DvField fields[] = {
    DV_FIELD(PostProcessManager, enable, "enable", dv_type_bool, .init = "1", .flags = DV_FIELD_DRAWING,
             .help = "whether it is used"),
    DV_FIELD(PostProcessManager, near, "zNear", dv_type_double, .init = "1", .unit = "m", .range = &dv_range_positive,
             .flags = DV_FIELD_DRAWING, .help = "depth that the shader sees as 0"),
    DV_FIELD(PostProcessManager, far, "zFar", dv_type_double, .init = "100", .unit = "m", .range = &dv_range_positive,
             .flags = DV_FIELD_DRAWING, .help = "depth that the shader sees as 1"),
    {0},
};

static const DvPostProcessOps ops = {.size = sizeof ops, .get = get};

const DvClass dv_post_process_manager = {
    .size = sizeof(DvClass),
    .name = "PostProcessManager",
    .bases = (const char *const[]){"VisualModel", NULL},
    .family = "shaders",
    .module = "Sofa.GL.Component.Shader",
    .help = "Draws the picture of the scene once more by the shader of its node.",
    .instance_size = sizeof(PostProcessManager),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_POST_PROCESS, .ops = &ops}, {0}},
    .init = init,
};

typedef struct OglRenderingSrgb {
    char none;
} OglRenderingSrgb;

static bool get_srgb(void *self, DvPostProcess *process)
{
    (void)self;
    process->linear_colors = true;
    return true;
}

static const DvPostProcessOps srgb_ops = {.size = sizeof srgb_ops, .get = get_srgb};

const DvClass dv_ogl_rendering_srgb = {
    .size = sizeof(DvClass),
    .name = "OglRenderingSRGB",
    .bases = (const char *const[]){"VisualManager", NULL},
    .family = "shaders",
    .module = "Sofa.GL.Component.Shader",
    .help = "Colours of the scene are linear, and the picture has those of a screen (IEC 61966-2-1).",
    .instance_size = sizeof(OglRenderingSrgb),
    .contracts = (const DvContract[]){{.id = DV_POST_PROCESS, .ops = &srgb_ops}, {0}},
};
