/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Settings of the mouse: what a button does together with the shift key. Each takes the place of what the button did before.
 */
#include <divan/contracts/visual.h>

typedef struct MouseButtonSetting {
    DvData button, stiffness, arrow_size, arrow_scale;
    DvMouseAction action;
} MouseButtonSetting;

static const char *const buttons[] = {"Left", "Middle", "Right", NULL};

static void get(void *self_, DvMouseBinding *binding)
{
    MouseButtonSetting *self = self_;
    const int button = dv_data_choice(&self->button);
    const bool pulls = self->action == DV_MOUSE_PULL;
    *binding = (DvMouseBinding){.button = button > 0 ? (DvMouseButton)button : DV_MOUSE_LEFT, .action = self->action};
    if (pulls || self->action == DV_MOUSE_FIX)
        binding->stiffness = dv_data_double(&self->stiffness);
    if (pulls) {
        binding->arrow_size = dv_data_double(&self->arrow_size);
        binding->arrow_scale = dv_data_double(&self->arrow_scale);
    }
}

#define FIELD(member, name, type, ...) \
    DV_FIELD(MouseButtonSetting, member, name, type, .flags = DV_FIELD_DRAWING, __VA_ARGS__)
#define BUTTON_FIELD \
    FIELD(button, "button", dv_type_choice, .init = "Left", .choices = buttons, .help = "button of the mouse")
#define STIFFNESS_FIELD(value)                                                                                   \
    FIELD(stiffness, "stiffness", dv_type_double, .init = value, .unit = "N/m", .range = &dv_range_not_negative, \
          .help = "of the spring between the mouse and the picked point")

static const DvField fields[] = {BUTTON_FIELD, {0}};
static const DvField pull_fields[] = {
    BUTTON_FIELD,
    STIFFNESS_FIELD("1000"),
    FIELD(arrow_size, "arrowSize", dv_type_double, .init = "0", .unit = "m", .range = &dv_range_not_negative,
          .help = "radius of the arrow that shows the pull; 0: a line"),
    FIELD(arrow_scale, "showFactorSize", dv_type_double, .init = "1", .range = &dv_range_not_negative,
          .help = "length of the arrow per length of the pull"),
    {0},
};
static const DvField fix_fields[] = {BUTTON_FIELD, STIFFNESS_FIELD("10000"), {0}};

static const DvMouseBindingOps ops = {.size = sizeof ops, .get = get};
static const DvContract contracts[] = {{.id = DV_MOUSE_BINDING, .ops = &ops}, {0}};

#define CLASS(variable, class_name, fields_, action_, text)            \
    static DvStatus variable##_construct(DvObject *object, void *self) \
    {                                                                  \
        (void)object;                                                  \
        ((MouseButtonSetting *)self)->action = (action_);              \
        return DV_OK;                                                  \
    }                                                                  \
    const DvClass variable = {                                         \
        .size = sizeof(DvClass),                                       \
        .name = (class_name),                                          \
        .bases = (const char *const[]){"MouseButtonSetting", NULL},    \
        .family = "settings",                                          \
        .module = "Sofa.GUI.Component",                                \
        .help = (text),                                                \
        .instance_size = sizeof(MouseButtonSetting),                   \
        .fields = (fields_),                                           \
        .contracts = contracts,                                        \
        .construct = variable##_construct,                             \
    };

CLASS(dv_attach_body_button_setting, "AttachBodyButtonSetting", pull_fields, DV_MOUSE_PULL,
      "A button of the mouse pulls the picked point by a spring.")
CLASS(dv_constraint_attach_button_setting, "ConstraintAttachButtonSetting", fields, DV_MOUSE_CONSTRAIN,
      "A button of the mouse holds the picked point by a constraint.")
CLASS(dv_fix_picked_particle_button_setting, "FixPickedParticleButtonSetting", fix_fields, DV_MOUSE_FIX,
      "A button of the mouse fixes the picked point.")
CLASS(dv_add_frame_button_setting, "AddFrameButtonSetting", fields, DV_MOUSE_FRAME,
      "A button of the mouse adds a frame.")
CLASS(dv_add_recorded_camera_button_setting, "AddRecordedCameraButtonSetting", fields, DV_MOUSE_RECORD,
      "A button of the mouse adds the present view to a recorded camera.")
CLASS(dv_start_navigation_button_setting, "StartNavigationButtonSetting", fields, DV_MOUSE_NAVIGATE,
      "A button of the mouse starts a recorded camera.")
