/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * TrailRenderer: the way that points have gone in the last steps, a line each. Positions are taken at the end of each step; the
 * colours of the line go from its oldest to its newest end.
 */
#include "visual_points.h"

#include <divan/contracts/drawing.h>
#include <divan/types/color_map.h>

typedef struct TrailRenderer {
    DvData enable, position, steps, color, thickness;
    const DvDofType *dof;
    double *places;       /* [room] moments x points x 3; a ring when room is the capacity */
    uint32_t room;        /* moments there is memory for: it grows as they come */
    uint32_t capacity;    /* moments that are remembered */
    uint32_t next, count; /* the moment written next; moments there are */
    uint32_t points;
} TrailRenderer;

static void forget(TrailRenderer *self)
{
    self->next = self->count = 0;
}

/* Room for one moment more; trails begin anew when their points or the number of moments are others. */
static void make_room(TrailRenderer *self, uint32_t points)
{
    enum { FIRST_ROOM = 64 };
    const uint32_t steps = dv_data_uint(&self->steps), capacity = steps ? steps : 1;
    if (self->capacity != capacity || self->points != points) {
        dv_free(self->places);
        self->places = NULL;
        self->room = 0;
        self->capacity = capacity;
        self->points = points;
        forget(self);
    }
    if (self->count < self->room || self->room == capacity)
        return;
    const uint32_t wanted = self->room ? 2 * self->room : FIRST_ROOM, room = wanted < capacity ? wanted : capacity;
    const size_t moment = 3 * (size_t)points * sizeof *self->places;
    self->places = dv_realloc(self->places, self->room * moment, room * moment);
    self->room = room;
    self->next = self->count; /* it was full, and no moment has been written over yet */
}

static void handle_event(DvObject *object, void *self_, DvEvent *event)
{
    TrailRenderer *self = self_;
    size_t points;
    if (event->kind != DV_EVENT_ANIMATE_END || !dv_object_is_valid(object))
        return;
    const double *at = dv_data_doubles(&self->position, &points);
    make_room(self, (uint32_t)points);
    double *to = self->places + (size_t)self->next * points * 3;
    for (size_t i = 0; i < points; i++)
        for (size_t axis = 0; axis < 3; axis++)
            *to++ = axis < self->dof->spatial ? at[i * self->dof->coord + axis] : 0.0;
    self->next = (self->next + 1) % self->room;
    self->count += self->count < self->capacity;
}

/* The place of a point at a moment, 0 the oldest. */
static const double *place(const TrailRenderer *self, uint32_t moment, uint32_t point)
{
    const uint32_t oldest = self->next + self->room - self->count;
    const uint32_t row = (oldest + moment) % self->room;
    return self->places + ((size_t)row * self->points + point) * 3;
}

static void draw(void *self_, DvDraw *draw)
{
    TrailRenderer *self = self_;
    if (!visual_is_shown(&self->enable, draw) || self->count < 2 || self->points == 0)
        return;
    size_t entries;
    const double *palette = dv_data_doubles(&self->color, &entries);
    const uint32_t lines = (self->count - 1) * self->points;
    double *at = dv_alloc(lines, 14 * sizeof *at), *colors = at + 6 * (size_t)lines, *to = at, *color = colors;
    for (uint32_t point = 0; point < self->points; point++)
        for (uint32_t moment = 0; moment + 1 < self->count; moment++)
            for (uint32_t end = 0; end < 2; end++, to += 3, color += 4) {
                static const double green[4] = {0, 1, 0, 1};
                memcpy(to, place(self, moment + end, point), 3 * sizeof *to);
                dv_color_of_value(entries ? palette : green, entries ? entries : 1, 0.0, self->count - 1.0,
                                  moment + end, color);
            }
    draw->ops->colored_lines(draw, at, lines, dv_data_double(&self->thickness), colors, DV_COLORS_OF_CORNERS);
    dv_free(at);
}

static DvStatus construct(DvObject *object, void *self)
{
    (void)self;
    dv_data_set_bool(dv_object_field(object, "listening"), true);
    return DV_OK;
}

static DvStatus init(DvObject *object, void *self_)
{
    TrailRenderer *self = self_;
    self->dof = dv_dof_type(dv_object_variant(object));
    forget(self);
    return DV_OK;
}

static void reset(DvObject *object, void *self)
{
    (void)object;
    forget(self);
}

static void destroy(DvObject *object, void *self)
{
    (void)object;
    dv_free(((TrailRenderer *)self)->places);
}

static const DvRange remembered = {1, 1000000, false, false};

#define FIELD(member, name, type, ...) \
    DV_FIELD(TrailRenderer, member, name, type, .flags = DV_FIELD_DRAWING, __VA_ARGS__)
static const DvField fields[] = {
    VISUAL_ENABLE_FIELD(TrailRenderer, enable),
    FIELD(position, "position", dv_type_coords, .unit = "m", .help = "the points; usually a link to those of a state"),
    FIELD(steps, "nbSteps", dv_type_uint, .init = "100", .range = &remembered, .help = "steps that are remembered"),
    FIELD(color, "color", dv_type_color_map, .init = "#00ff00ff #00ff00ff",
          .help = "colours from the oldest to the newest end, or the name of a scheme of OglColorMap"),
    FIELD(thickness, "thickness", dv_type_double, .init = "1", .unit = "pixels", .range = &dv_range_not_negative,
          .help = "width of the lines"),
    {0},
};

static const DvDrawableOps drawable = {.size = sizeof drawable, .draw = draw};

const DvClass dv_trail_renderer = {
    .size = sizeof(DvClass),
    .name = "TrailRenderer",
    .variants = "Rigid3d Vec1d Vec2d Vec3d",
    .default_variant = "Vec3d",
    .bases = (const char *const[]){"VisualModel", NULL},
    .family = "visual models",
    .module = "Sofa.Component.Visual",
    .help = "The way that points have gone in the last steps.",
    .instance_size = sizeof(TrailRenderer),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_DRAWABLE, .ops = &drawable}, {0}},
    .construct = construct,
    .init = init,
    .handle_event = handle_event,
    .reset = reset,
    .destroy = destroy,
};
