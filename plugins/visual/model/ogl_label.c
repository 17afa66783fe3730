/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * OglLabel: a line of text in the view.
 */
#include <divan/contracts/visual.h>
#include <divan/types/color.h>

typedef struct OglLabel {
    DvData enable, prefix, label, suffix, x, y, font_size, color, contrasting, steps_per_update;
} OglLabel;

static const DvField fields[] = {
    DV_FIELD(OglLabel, enable, "enable", dv_type_bool, .init = "1", .flags = DV_FIELD_DRAWING,
             .help = "whether it is shown"),
    DV_FIELD(OglLabel, prefix, "prefix", dv_type_string, .flags = DV_FIELD_DRAWING, .help = "text before the label"),
    DV_FIELD(OglLabel, label, "label", dv_type_string, .flags = DV_FIELD_DRAWING, .help = "the text"),
    DV_FIELD(OglLabel, suffix, "suffix", dv_type_string, .flags = DV_FIELD_DRAWING, .help = "text after the label"),
    DV_FIELD(OglLabel, x, "x", dv_type_uint, .init = "10", .unit = "pixels", .flags = DV_FIELD_DRAWING,
             .help = "from the left edge"),
    DV_FIELD(OglLabel, y, "y", dv_type_uint, .init = "10", .unit = "pixels", .flags = DV_FIELD_DRAWING,
             .help = "from the top edge"),
    DV_FIELD(OglLabel, font_size, "fontsize", dv_type_uint, .init = "14", .unit = "pixels", .range = &dv_range_count,
             .flags = DV_FIELD_DRAWING, .help = "height of the letters"),
    DV_FIELD(OglLabel, color, "color", dv_type_color, .init = "gray", .flags = DV_FIELD_DRAWING,
             .help = "colour of the letters"),
    DV_FIELD(OglLabel, contrasting, "selectContrastingColor", dv_type_bool, .init = "0", .flags = DV_FIELD_DRAWING,
             .help = "black or white, whichever the background shows better"),
    DV_FIELD(OglLabel, steps_per_update, "updateLabelEveryNbSteps", dv_type_uint, .init = "0",
             .flags = DV_FIELD_DRAWING, .help = "steps between changes of the text; 0: each frame"),
    {0},
};

const DvClass dv_ogl_label = {
    .size = sizeof(DvClass),
    .name = "OglLabel",
    .bases = (const char *const[]){"VisualModel", NULL},
    .family = "visual models",
    .module = "Sofa.GL.Component.Rendering2D",
    .help = "A line of text in the view.",
    .instance_size = sizeof(OglLabel),
    .fields = fields,
};
