/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * OglSceneFrame: the directions of the axes, in a corner of the view.
 */
#include <divan/contracts/visual.h>

typedef struct OglSceneFrame {
    DvData enable, draw, style, alignment, viewport_size;
} OglSceneFrame;

static const char *const styles[] = {"Arrows", "Cylinders", "CubeCones", NULL};
static const char *const corners[] = {"BottomLeft", "BottomRight", "TopRight", "TopLeft", NULL};

static const DvField fields[] = {
    DV_FIELD(OglSceneFrame, enable, "enable", dv_type_bool, .init = "1", .flags = DV_FIELD_DRAWING,
             .help = "whether it is shown"),
    DV_FIELD(OglSceneFrame, draw, "draw", dv_type_bool, .init = "1", .flags = DV_FIELD_DRAWING,
             .help = "whether it is shown"),
    DV_FIELD(OglSceneFrame, style, "style", dv_type_choice, .init = "Cylinders", .choices = styles,
             .flags = DV_FIELD_DRAWING, .help = "form of the axes"),
    DV_FIELD(OglSceneFrame, alignment, "alignment", dv_type_choice, .init = "BottomRight", .choices = corners,
             .flags = DV_FIELD_DRAWING, .help = "which corner"),
    DV_FIELD(OglSceneFrame, viewport_size, "viewportSize", dv_type_int, .init = "150", .unit = "pixels",
             .range = &dv_range_count, .flags = DV_FIELD_DRAWING, .help = "width of the corner it takes"),
    {0},
};

static bool get(void *self_, DvSceneAxes *axes)
{
    static const DvScreenCorner places[] = {DV_BOTTOM_LEFT, DV_BOTTOM_RIGHT, DV_TOP_RIGHT, DV_TOP_LEFT};
    OglSceneFrame *self = self_;
    const int style = dv_data_choice(&self->style), corner = dv_data_choice(&self->alignment);
    axes->corner = places[corner < 0 ? 1 : corner];
    axes->style = style < 0 ? DV_AXES_CYLINDERS : (DvAxesStyle)style;
    axes->size = dv_data_int(&self->viewport_size);
    return dv_data_bool(&self->enable) && dv_data_bool(&self->draw);
}

static const DvSceneAxesOps ops = {.size = sizeof ops, .get = get};

const DvClass dv_ogl_scene_frame = {
    .size = sizeof(DvClass),
    .name = "OglSceneFrame",
    .bases = (const char *const[]){"VisualModel", NULL},
    .family = "visual models",
    .module = "Sofa.GL.Component.Rendering3D",
    .help = "The directions of the axes, in a corner of the view.",
    .instance_size = sizeof(OglSceneFrame),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_SCENE_AXES, .ops = &ops}, {0}},
};
