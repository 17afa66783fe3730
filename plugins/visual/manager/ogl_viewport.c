/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * OglViewport: a second view of the scene in a part of the picture, from a camera of its own: cameraRigid when it is given, else
 * cameraPosition and cameraOrientation.
 */
#include <math.h>
#include <string.h>

#include <divan/contracts/drawing.h>
#include <divan/math/rigid.h>

typedef struct OglViewport {
    DvData position, size, camera_position, camera_orientation, camera_rigid, near, far, field_of_view, enabled;
    DvData swap, draw_camera;
} OglViewport;

static DvRigid3 place_of(OglViewport *self)
{
    if (dv_data_is_set(&self->camera_rigid))
        return dv_rigid3_load(dv_data_doubles(&self->camera_rigid, NULL));
    return dv_rigid3(dv_vec3_load(dv_data_doubles(&self->camera_position, NULL)),
                     dv_quat_load(dv_data_doubles(&self->camera_orientation, NULL)));
}

static bool get(void *self_, DvViewport *viewport)
{
    OglViewport *self = self_;
    const int32_t *at = dv_data_ints(&self->position, NULL);
    const uint32_t *size = dv_data_uints(&self->size, NULL);
    double place[7];
    dv_rigid3_store(place_of(self), place);
    viewport->x = at[0];
    viewport->y = at[1];
    viewport->width = size[0];
    viewport->height = size[1];
    memcpy(viewport->camera.position, place, sizeof viewport->camera.position);
    dv_quat_store(dv_quat_normalize(dv_quat_load(place + 3)), viewport->camera.orientation);
    viewport->camera.field_of_view = dv_data_double(&self->field_of_view);
    viewport->camera.near = dv_data_double(&self->near);
    viewport->camera.far = dv_data_double(&self->far);
    viewport->camera.fits_clip = !(viewport->camera.near > 0.0 && viewport->camera.far > viewport->camera.near);
    viewport->swapped = dv_data_bool(&self->swap);
    viewport->shows_camera = dv_data_bool(&self->draw_camera);
    return dv_data_bool(&self->enabled) && size[0] > 0 && size[1] > 0;
}

/* The frame of its camera. */
static void draw(void *self_, DvDraw *draw)
{
    OglViewport *self = self_;
    double place[7];
    if (!dv_data_bool(&self->enabled) || !dv_data_bool(&self->draw_camera))
        return;
    dv_rigid3_store(place_of(self), place);
    draw->ops->frames(draw, place, 1, 1.0);
}

static DvStatus init(DvObject *object, void *self_)
{
    OglViewport *self = self_;
    double place[7];
    dv_rigid3_store(place_of(self), place);
    const DvQuat turn = dv_quat_load(place + 3);
    if (!(dv_quat_dot(turn, turn) > 0.0)) {
        DvData *given = dv_data_is_set(&self->camera_rigid) ? &self->camera_rigid : &self->camera_orientation;
        dv_field_remark(given, -1, "is no rotation and counts as 0 0 0 1, which turns nothing");
        double *numbers = dv_data_begin(given, 1);
        dv_quat_store(dv_quat_identity(), numbers + (given == &self->camera_rigid ? 3 : 0));
        dv_data_end(given);
    }
    const uint32_t *size = dv_data_uints(&self->size, NULL);
    if (size[0] == 0 || size[1] == 0)
        dv_remark(object, "shows nothing: screenSize is %u x %u pixels", size[0], size[1]);
    return DV_OK;
}

static const DvRange angles = {0, 180, true, true};

#define FIELD(member, name, type, ...) DV_FIELD(OglViewport, member, name, type, .flags = DV_FIELD_DRAWING, __VA_ARGS__)
static const DvField fields[] = {
    FIELD(position, "screenPosition", dv_type_vec2i, .unit = "pixels",
          .help = "from the lower left corner; negative: from the right, from the top"),
    FIELD(size, "screenSize", dv_type_vec2u, .unit = "pixels", .help = "width and height"),
    FIELD(camera_position, "cameraPosition", dv_type_vec3d, .unit = "m", .help = "where its camera stands"),
    FIELD(camera_orientation, "cameraOrientation", dv_type_quat, .init = "0 0 0 1",
          .help = "rotation of the axes of its camera, which looks along -z"),
    FIELD(camera_rigid, "cameraRigid", dv_type_rigid3d, .init = "0 0 0 0 0 0 1",
          .help = "both in one; this counts when given"),
    FIELD(near, "zNear", dv_type_double, .init = "0", .unit = "m", .range = &dv_range_not_negative,
          .help = "nearer things are cut off; 0: by the bounds of the scene"),
    FIELD(far, "zFar", dv_type_double, .init = "0", .unit = "m", .range = &dv_range_not_negative,
          .help = "farther things are cut off; 0: by the bounds of the scene"),
    FIELD(field_of_view, "fovy", dv_type_double, .init = "60", .unit = "degrees", .range = &angles,
          .help = "vertical opening angle"),
    FIELD(enabled, "enabled", dv_type_bool, .init = "1", .help = "whether it is shown"),
    DV_FIELD_HELD("advancedRendering", dv_type_bool, .init = "0",
                  .help = "kept for old scenes: it is drawn as the first view is"),
    DV_FIELD_HELD("useFBO", dv_type_bool, .init = "1", .help = "kept for old scenes: the renderer decides"),
    FIELD(swap, "swapMainView", dv_type_bool, .init = "0", .help = "it takes the whole, and the first view its place"),
    FIELD(draw_camera, "drawCamera", dv_type_bool, .init = "0", .help = "show where its camera stands"),
    {0},
};

static const DvViewportOps ops = {.size = sizeof ops, .get = get};
static const DvDrawableOps drawable = {.size = sizeof drawable, .draw = draw};

const DvClass dv_ogl_viewport = {
    .size = sizeof(DvClass),
    .name = "OglViewport",
    .bases = (const char *const[]){"VisualManager", NULL},
    .family = "visual models",
    .module = "Sofa.GL.Component.Rendering2D",
    .help = "A second view of the scene in a part of the picture.",
    .instance_size = sizeof(OglViewport),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_VIEWPORT, .ops = &ops}, {.id = DV_DRAWABLE, .ops = &drawable}, {0}},
    .init = init,
};
