/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * VisualPointCloud: points as dots, spheres or frames, with their numbers.
 */
#include "visual_points.h"

#include <divan/contracts/drawing.h>
#include <divan/types/color.h>

#include <math.h>

typedef struct VisualPointCloud {
    DvData enable, position, draw_mode, point_size, sphere_radius, color, show_indices, indices_scale, indices_color;
    const DvDofType *dof;
} VisualPointCloud;

typedef enum DrawMode { POINT, SPHERE, FRAME } DrawMode;
static const char *const draw_modes[] = {"Point", "Sphere", "Frame", NULL};

/* A radius for each point: the last of the list holds for the rest; dv_free. */
static double *radii_of(VisualPointCloud *self, uint32_t points)
{
    size_t given;
    const double *radius = dv_data_doubles(&self->sphere_radius, &given);
    double *radii = dv_alloc(points, sizeof *radii);
    for (size_t i = 0; i < points; i++)
        radii[i] = given == 0 ? 1.0 : radius[i < given ? i : given - 1];
    return radii;
}

/* Rigid3d coordinates of points in space or in the plane; dv_free. */
static double *frames_of(const VisualPointCloud *self, DvConstVec x)
{
    double *frames = dv_alloc(x.count, 7 * sizeof *frames);
    for (uint32_t i = 0; i < x.count; i++) {
        const double *from = x.at + (size_t)i * x.dim;
        double *to = frames + 7 * (size_t)i;
        if (self->dof == &dv_rigid3d) {
            memcpy(to, from, 7 * sizeof *to);
            continue;
        }
        const bool turns = self->dof == &dv_rigid2d;
        for (uint32_t axis = 0; axis < 3; axis++)
            to[axis] = axis < self->dof->spatial ? from[axis] : 0.0;
        to[5] = turns ? sin(0.5 * from[2]) : 0.0;
        to[6] = turns ? cos(0.5 * from[2]) : 1.0;
    }
    return frames;
}

static void draw(void *self_, DvDraw *draw)
{
    VisualPointCloud *self = self_;
    size_t count;
    const double *at = dv_data_doubles(&self->position, &count);
    if (!visual_is_shown(&self->enable, draw) || count == 0)
        return;
    const DvConstVec x = {.at = at, .count = (uint32_t)count, .dim = self->dof->coord};
    const double *color = dv_data_doubles(&self->color, NULL);
    double *points = dv_points_in_space(x, self->dof->spatial);
    double *radii = radii_of(self, x.count);
    const int mode = dv_data_choice(&self->draw_mode);
    if (mode == FRAME) {
        double *frames = frames_of(self, x);
        draw->ops->frames(draw, frames, x.count, radii[0]);
        dv_free(frames);
    } else if (mode == SPHERE) {
        draw->ops->spheres(draw, points, radii, x.count, color);
    } else {
        draw->ops->points(draw, points, x.count, dv_data_double(&self->point_size), color);
    }
    if (dv_data_bool(&self->show_indices))
        dv_draw_numbers(draw, points, x.count, dv_data_double(&self->indices_scale),
                        dv_data_doubles(&self->indices_color, NULL));
    dv_free(radii);
    dv_free(points);
}

static DvStatus init(DvObject *object, void *self_)
{
    VisualPointCloud *self = self_;
    self->dof = dv_dof_type(dv_object_variant(object));
    if ((self->dof == &dv_rigid2d || self->dof == &dv_rigid3d) && !dv_data_is_set(&self->draw_mode))
        dv_data_set_string(&self->draw_mode, draw_modes[FRAME]);
    return DV_OK;
}

static void bounding_box(DvObject *object, void *self_, double *box)
{
    VisualPointCloud *self = self_;
    size_t count;
    const double *at = dv_data_doubles(&self->position, &count);
    (void)object;
    if (!self->dof || count == 0)
        return;
    double *radii = radii_of(self, (uint32_t)count);
    const int mode = dv_data_choice(&self->draw_mode);
    for (size_t i = 0; i < count; i++) {
        const double reach = mode == SPHERE ? radii[i] : mode == FRAME ? radii[0] : 0.0;
        for (uint32_t axis = 0; axis < 3; axis++) {
            const double p = axis < self->dof->spatial ? at[i * self->dof->coord + axis] : 0.0;
            box[axis] = fmin(box[axis], p - reach);
            box[3 + axis] = fmax(box[3 + axis], p + reach);
        }
    }
    dv_free(radii);
}

#define FIELD(member, name, type, ...) \
    DV_FIELD(VisualPointCloud, member, name, type, .flags = DV_FIELD_DRAWING, __VA_ARGS__)
static const DvField fields[] = {
    VISUAL_ENABLE_FIELD(VisualPointCloud, enable),
    FIELD(position, "position", dv_type_coords, .unit = "m", .help = "the points"),
    FIELD(draw_mode, "drawMode", dv_type_choice, .init = "Point", .choices = draw_modes,
          .help = "dots, spheres or frames; frames when not given and the points turn"),
    FIELD(point_size, "pointSize", dv_type_double, .init = "1", .unit = "pixels", .range = &dv_range_not_negative,
          .help = "width of dots"),
    FIELD(sphere_radius, "sphereRadius", dv_type_doubles, .unit = "m", .range = &dv_range_not_negative,
          .help =
              "radius of each sphere, the last one of the rest; the first is the size of frames; 1 when there is none"),
    FIELD(color, "color", dv_type_color, .help = "colour of dots and spheres"),
    FIELD(show_indices, "showIndices", dv_type_bool, .init = "0", .help = "show numbers at the points"),
    FIELD(indices_scale, "indicesScale", dv_type_double, .init = "1", .unit = "m", .range = &dv_range_not_negative,
          .help = "height of the numbers"),
    FIELD(indices_color, "indicesColor", dv_type_color, .help = "colour of the numbers"),
    {0},
};

static const DvDrawableOps drawable = {.size = sizeof drawable, .draw = draw};

const DvClass dv_visual_point_cloud = {
    .size = sizeof(DvClass),
    .name = "VisualPointCloud",
    .variants = "Rigid2d Rigid3d Vec1d Vec2d Vec3d",
    .default_variant = "Vec3d",
    .bases = (const char *const[]){"VisualModel", NULL},
    .family = "visual models",
    .module = "Sofa.Component.Visual",
    .help = "Points as dots, spheres or frames, with their numbers.",
    .instance_size = sizeof(VisualPointCloud),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_DRAWABLE, .ops = &drawable}, {0}},
    .init = init,
    .bounding_box = bounding_box,
};
