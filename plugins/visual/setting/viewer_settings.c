/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Settings of viewers: ViewerSetting (the window), StatsSetting (what it writes down), SofaDefaultPathSetting (programs it calls).
 */
#include <divan/contracts/visual.h>

typedef struct ViewerSetting {
    DvData resolution, fullscreen, camera_mode, picking_method, node_box, box, positions, surfaces, volumes, indices,
        scaling;
} ViewerSetting;

static const char *const camera_modes[] = {"Perspective", "Orthographic", NULL};
static const char *const picking_methods[] = {"Ray casting", "Selection buffer", NULL};

static void get(void *self_, DvViewerLook *look)
{
    ViewerSetting *self = self_;
    const int32_t *size = dv_data_ints(&self->resolution, NULL);
    *look = (DvViewerLook){.width = size[0],
                           .height = size[1],
                           .fullscreen = dv_data_bool(&self->fullscreen),
                           .orthographic = dv_data_choice(&self->camera_mode) == 1,
                           .marks_node_box = dv_data_bool(&self->node_box),
                           .marks_box = dv_data_bool(&self->box),
                           .marks_positions = dv_data_bool(&self->positions),
                           .marks_surfaces = dv_data_bool(&self->surfaces),
                           .marks_volumes = dv_data_bool(&self->volumes),
                           .marks_indices = dv_data_bool(&self->indices),
                           .mark_size = dv_data_double(&self->scaling)};
}

static DvStatus init(DvObject *object, void *self_)
{
    ViewerSetting *self = self_;
    (void)object;
    if (dv_data_choice(&self->picking_method) == 1)
        dv_field_remark(&self->picking_method, -1, "things are picked by a ray in any case");
    return DV_OK;
}

static const DvRange sides = {1, 16384, false, false};

#define FIELD(member, name, type, ...) \
    DV_FIELD(ViewerSetting, member, name, type, .flags = DV_FIELD_DRAWING, __VA_ARGS__)
#define SHOW(member, name, what) \
    FIELD(member, name, dv_type_bool, .init = "1", .help = "of what is selected, show " what)
static const DvField fields[] = {
    FIELD(resolution, "resolution", dv_type_vec2i, .init = "800 600", .unit = "pixels", .range = &sides,
          .help = "width and height of the window"),
    FIELD(fullscreen, "fullscreen", dv_type_bool, .init = "0", .help = "over the whole screen"),
    FIELD(camera_mode, "cameraMode", dv_type_choice, .init = "Perspective", .choices = camera_modes,
          .help = "kind of projection"),
    FIELD(picking_method, "objectPickingMethod", dv_type_choice, .init = "Ray casting", .choices = picking_methods,
          .help = "kept for old scenes: things are picked by a ray"),
    SHOW(node_box, "showSelectedNodeBoundingBox", "the bounds of a node"),
    SHOW(box, "showSelectedObjectBoundingBox", "the bounds of an object"),
    SHOW(positions, "showSelectedObjectPositions", "the points"),
    SHOW(surfaces, "showSelectedObjectSurfaces", "the faces"),
    SHOW(volumes, "showSelectedObjectVolumes", "the solid elements"),
    SHOW(indices, "showSelectedObjectIndices", "the numbers of the points"),
    FIELD(scaling, "showSelectedVisualScaling", dv_type_double, .init = "0.02", .range = &dv_range_not_negative,
          .help = "size of such marks, of the size of the scene"),
    {0},
};

static const DvViewerLookOps ops = {.size = sizeof ops, .get = get};

const DvClass dv_viewer_setting = {
    .size = sizeof(DvClass),
    .name = "ViewerSetting",
    .bases = (const char *const[]){"ConfigurationSetting", NULL},
    .family = "settings",
    .module = "Sofa.Component.Setting",
    .help = "How the window of a viewer begins, and what it marks of what is selected.",
    .instance_size = sizeof(ViewerSetting),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_VIEWER_LOOK, .ops = &ops}, {0}},
    .init = init,
};

typedef struct StatsSetting {
    DvData dump_state, log_time, export_state;
} StatsSetting;

static DvStatus init_stats(DvObject *object, void *self_)
{
    StatsSetting *self = self_;
    if (dv_data_bool(&self->dump_state) || dv_data_bool(&self->export_state))
        dv_remark(object, "writes nothing: `divan run --dump FILE` writes states of a run");
    if (dv_data_bool(&self->log_time))
        dv_remark(object, "writes nothing: `divan bench` times the steps and their phases");
    return DV_OK;
}

static const DvField stats_fields[] = {
    DV_FIELD(StatsSetting, dump_state, "dumpState", dv_type_bool, .init = "0", .flags = DV_FIELD_DRAWING,
             .help = "kept for old scenes: the program is told by its options what to write"),
    DV_FIELD(StatsSetting, log_time, "logTime", dv_type_bool, .init = "0", .flags = DV_FIELD_DRAWING,
             .help = "kept for old scenes: likewise"),
    DV_FIELD(StatsSetting, export_state, "exportState", dv_type_bool, .init = "0", .flags = DV_FIELD_DRAWING,
             .help = "kept for old scenes: likewise"),
    {0},
};

const DvClass dv_stats_setting = {
    .size = sizeof(DvClass),
    .name = "StatsSetting",
    .bases = (const char *const[]){"ConfigurationSetting", NULL},
    .family = "settings",
    .module = "Sofa.Component.Setting",
    .help = "What a program should write about a run; options of the program do that.",
    .instance_size = sizeof(StatsSetting),
    .fields = stats_fields,
    .init = init_stats,
};

typedef struct SofaDefaultPathSetting {
} SofaDefaultPathSetting;

static const DvField path_fields[] = {
    DV_FIELD_HELD("gnuplotPath", dv_type_string, .flags = DV_FIELD_DRAWING,
                  .help = "kept for old scenes: nothing is written for gnuplot"),
    {0},
};

const DvClass dv_sofa_default_path_setting = {
    .size = sizeof(DvClass),
    .name = "SofaDefaultPathSetting",
    .bases = (const char *const[]){"ConfigurationSetting", NULL},
    .family = "settings",
    .module = "Sofa.Component.Setting",
    .help = "Folders of files for other programs; nothing is written there.",
    .instance_size = sizeof(SofaDefaultPathSetting),
    .fields = path_fields,
};
