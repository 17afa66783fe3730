/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Monitor: chosen points of the state of its node, written down for gnuplot and drawn.
 *
 * The files are `<fileName>_x.txt`, `_v.txt` and `_f.txt`: a line for the start and one after each step, the time, a tab, and the numbers of all
 * points. Where points have been is drawn from places that are taken every `TrajectoriesPrecision` seconds; there are at most as many as
 * MOST_MOMENTS: beyond that every other one goes, and the time between them doubles.
 */
#include "recording.h"

#include <math.h>

#include <divan/contracts/drawing.h>
#include <divan/types/color.h>

enum { POSITIONS, VELOCITIES, FORCES, VECTORS };
enum { MOST_MOMENTS = 4096 };

typedef struct Monitor {
    DvData indices, file_name, exports[VECTORS], shows[VECTORS], color[VECTORS];
    DvData threshold, trajectories, precision, trajectory_color, size_factor;
    DvData lines;
    DvStateRef state;
    RecordingFile file[VECTORS];
    DV_ARRAY(double) places; /* [moments] x points x 3 */
    uint32_t points;         /* of each moment */
    double next, between;    /* s: when the next moment is taken; 0: as precision says */
} Monitor;

static const DvVecId vectors[VECTORS] = {DV_POSITION, DV_VELOCITY, DV_FORCE};

/* How many points are watched, and which is the i-th. */
static uint32_t watched(Monitor *self)
{
    size_t count;
    (void)dv_data_uints(&self->indices, &count);
    return count ? (uint32_t)count : dv_state_count(self->state);
}

static uint32_t point_at(Monitor *self, uint32_t i)
{
    size_t count;
    const uint32_t *index = dv_data_uints(&self->indices, &count);
    return count ? index[i] : i;
}

/* The numbers of a point; NULL: it has gone with a change of the mesh, or the state has no such vector. */
static const double *numbers_of(Monitor *self, const DvConstVec *v, uint32_t i)
{
    const uint32_t point = point_at(self, i);
    return v->at && point < v->count ? v->at + (size_t)point * v->dim : NULL;
}

static void write_line(Monitor *self, int which, double now)
{
    DvText line = {0};
    const DvConstVec v = dv_state_read(self->state, vectors[which]);
    dv_text_add(&line, "%g\t", now);
    for (uint32_t i = 0, n = watched(self); i < n; i++) {
        const double *at = numbers_of(self, &v, i);
        for (uint32_t c = 0; c < v.dim; c++)
            dv_text_add(&line, "%s%g", i + c ? " " : "", at ? at[c] : 0.0);
    }
    dv_text_add(&line, "\n");
    recording_add(&self->file[which], &self->file_name, &line);
    dv_text_free(&line);
}

static void write_lines(Monitor *self, double now)
{
    for (int which = 0; which < VECTORS; which++)
        if (dv_data_bool(&self->exports[which]))
            write_line(self, which, now);
    dv_data_set_uint(&self->lines, dv_data_uint(&self->lines) + 1);
}

/* ---- Where points have been ---- */

static void forget(Monitor *self)
{
    self->places.count = 0;
    self->next = -INFINITY;
    self->between = 0;
}

static void thin(Monitor *self)
{
    const size_t moment = 3 * (size_t)self->points, moments = self->places.count / moment;
    for (size_t i = 1; 2 * i < moments; i++)
        memmove(self->places.data + i * moment, self->places.data + 2 * i * moment, moment * sizeof *self->places.data);
    self->places.count = (uint32_t)(moment * ((moments + 1) / 2));
    self->between *= 2;
}

static void take_places(Monitor *self, double now, double dt)
{
    const DvConstVec x = dv_state_read(self->state, DV_POSITION);
    const uint32_t points = watched(self);
    if (!dv_data_bool(&self->trajectories) || points == 0 || now < self->next - 0.1 * dt)
        return;
    if (points != self->points)
        forget(self);
    self->points = points;
    self->between = self->between > 0 ? self->between : fmax(dv_data_double(&self->precision), dt);
    if (self->places.count / (3 * (size_t)points) >= MOST_MOMENTS)
        thin(self);
    for (uint32_t i = 0; i < points; i++) {
        const double *at = numbers_of(self, &x, i);
        for (uint32_t axis = 0; axis < 3; axis++)
            dv_array_push(&self->places, at && axis < self->state.dof->spatial ? at[axis] : 0.0);
    }
    self->next = now + self->between;
}

static void handle_event(DvObject *object, void *self_, DvEvent *event)
{
    Monitor *self = self_;
    const double now = dv_node_time(dv_object_node(object));
    const bool begins = event->kind == DV_EVENT_ANIMATE_BEGIN && dv_data_uint(&self->lines) == 0;
    if (!begins && event->kind != DV_EVENT_ANIMATE_END)
        return;
    write_lines(self, now);
    take_places(self, now, event->dt);
}

/* ---- Drawing ---- */

static void draw_places(Monitor *self, DvDraw *draw)
{
    const uint32_t points = self->points;
    const size_t moments = points ? self->places.count / (3 * (size_t)points) : 0;
    if (!dv_data_bool(&self->trajectories) || moments < 2)
        return;
    double *at = dv_alloc((moments - 1) * points, 6 * sizeof *at), *to = at;
    for (uint32_t i = 0; i < points; i++)
        for (size_t m = 0; m + 1 < moments; m++)
            for (size_t end = 0; end < 2; end++, to += 3)
                memcpy(to, self->places.data + 3 * ((m + end) * points + i), 3 * sizeof *to);
    draw->ops->lines(draw, at, (uint32_t)(moments - 1) * points, 1, dv_data_doubles(&self->trajectory_color, NULL));
    dv_free(at);
}

/* Velocities and forces that are longer than the threshold, as arrows of size x vector. */
static void draw_vectors(Monitor *self, DvDraw *draw, int which)
{
    const DvConstVec x = dv_state_read(self->state, DV_POSITION), v = dv_state_read(self->state, vectors[which]);
    const uint32_t points = watched(self), spatial = self->state.dof->spatial;
    const double size = dv_data_double(&self->size_factor), least = dv_data_double(&self->threshold);
    if (points == 0)
        return;
    double *at = dv_alloc(points, 7 * sizeof *at), *radii = at + 6 * (size_t)points;
    uint32_t drawn = 0;
    for (uint32_t i = 0; i < points; i++) {
        const double *from = numbers_of(self, &x, i), *vector = numbers_of(self, &v, i);
        double length = 0, *to = at + 6 * (size_t)drawn;
        for (uint32_t axis = 0; from && vector && axis < 3; axis++) {
            const double along = axis < spatial ? vector[axis] : 0.0, begin = axis < spatial ? from[axis] : 0.0;
            length += along * along;
            to[axis] = begin;
            to[3 + axis] = begin + size * along;
        }
        length = sqrt(length);
        if (length <= least)
            continue;
        radii[drawn++] = 0.02 * size * length;
    }
    if (drawn)
        draw->ops->arrows(draw, at, radii, drawn, dv_data_doubles(&self->color[which], NULL));
    dv_free(at);
}

static void draw_points(Monitor *self, DvDraw *draw)
{
    const DvConstVec x = dv_state_read(self->state, DV_POSITION);
    const uint32_t points = watched(self);
    if (points == 0)
        return;
    double *at = dv_alloc(points, 3 * sizeof *at);
    uint32_t drawn = 0;
    for (uint32_t i = 0; i < points; i++) {
        const double *from = numbers_of(self, &x, i);
        for (uint32_t axis = 0; from && axis < 3; axis++)
            at[3 * (size_t)drawn + axis] = axis < self->state.dof->spatial ? from[axis] : 0.0;
        drawn += from != NULL;
    }
    if (drawn)
        draw->ops->points(draw, at, drawn, 5, dv_data_doubles(&self->color[POSITIONS], NULL));
    dv_free(at);
}

static void draw(void *self_, DvDraw *draw)
{
    Monitor *self = self_;
    if (!dv_draw_shows(draw, DV_DISPLAY_BEHAVIOR_MODELS))
        return;
    if (dv_data_bool(&self->shows[POSITIONS]))
        draw_points(self, draw);
    for (int which = VELOCITIES; which < VECTORS; which++)
        if (dv_data_bool(&self->shows[which]))
            draw_vectors(self, draw, which);
    draw_places(self, draw);
}

/* ---- Life ---- */

static DvStatus construct(DvObject *object, void *self)
{
    (void)self;
    dv_data_set_bool(dv_object_field(object, "listening"), true);
    return DV_OK;
}

static DvStatus init(DvObject *object, void *self_)
{
    static const char *const endings[VECTORS] = {"_x.txt", "_v.txt", "_f.txt"};
    Monitor *self = self_;
    DvStatus status = dv_state_require(object, NULL, &self->state);
    if (status != DV_OK)
        return status;
    for (int which = 0; which < VECTORS; which++)
        self->file[which].ending = endings[which];
    if (!*dv_data_string(&self->file_name))
        dv_data_set_string(&self->file_name, dv_object_name(object));
    forget(self);
    size_t count;
    const uint32_t *index = dv_data_uints(&self->indices, &count), points = dv_state_count(self->state);
    for (size_t i = 0; i < count; i++)
        if (index[i] >= points)
            return dv_field_error_missing(&self->indices, (int64_t)i, "point", index[i], "the state", points);
    return DV_OK;
}

static void reset(DvObject *object, void *self_)
{
    Monitor *self = self_;
    (void)object;
    for (int which = 0; which < VECTORS; which++)
        recording_drop(&self->file[which]);
    forget(self);
}

static void cleanup(DvObject *object, void *self_)
{
    Monitor *self = self_;
    (void)object;
    for (int which = 0; which < VECTORS; which++)
        recording_close(&self->file[which], &self->file_name);
    dv_state_release(&self->state);
}

static void destroy(DvObject *object, void *self)
{
    (void)object;
    dv_array_free(&((Monitor *)self)->places);
}

#define FIELD(member, name, type, ...) DV_FIELD(Monitor, member, name, type, __VA_ARGS__)
#define DRAW(member, name, type, ...)  FIELD(member, name, type, .flags = DV_FIELD_DRAWING, __VA_ARGS__)
#define COLOR(member, name, of)        DRAW(member, name, dv_type_color, .init = "1 1 0 1", .help = "colour of " of)
#define SHOW(member, name, what)       DRAW(member, name, dv_type_bool, .init = "0", .help = "draw " what)
#define EXPORT(member, name, what)     FIELD(member, name, dv_type_bool, .init = "0", .help = "write " what)
static const DvField fields[] = {
    FIELD(indices, "indices", dv_type_uints, .help = "the points; none: all of the state"),
    FIELD(file_name, "fileName", dv_type_string, .flags = DV_FIELD_AT_LOAD,
          .help = "what the names of the files begin with; the name of the component when it is not given"),
    EXPORT(exports[POSITIONS], "ExportPositions", "positions, to <fileName>_x.txt"),
    EXPORT(exports[VELOCITIES], "ExportVelocities", "velocities, to <fileName>_v.txt"),
    EXPORT(exports[FORCES], "ExportForces", "forces, to <fileName>_f.txt"),
    SHOW(shows[POSITIONS], "showPositions", "the points"),
    COLOR(color[POSITIONS], "PositionsColor", "the points"),
    SHOW(shows[VELOCITIES], "showVelocities", "velocities as arrows"),
    COLOR(color[VELOCITIES], "VelocitiesColor", "velocities"),
    SHOW(shows[FORCES], "showForces", "forces as arrows"),
    COLOR(color[FORCES], "ForcesColor", "forces"),
    DRAW(threshold, "showMinThreshold", dv_type_double, .init = "0.01", .range = &dv_range_not_negative,
         .help = "shorter velocities and forces are not drawn"),
    SHOW(trajectories, "showTrajectories", "where the points have been"),
    DRAW(precision, "TrajectoriesPrecision", dv_type_double, .init = "0.1", .unit = "s",
         .range = &dv_range_not_negative, .help = "between two places of that"),
    COLOR(trajectory_color, "TrajectoriesColor", "where the points have been"),
    DRAW(size_factor, "showSizeFactor", dv_type_double, .init = "1", .range = &dv_range_not_negative,
         .help = "length of an arrow, of its vector"),
    FIELD(lines, "linesDone", dv_type_uint, .init = "0", .flags = DV_FIELD_STATE,
          .help = "lines that have been written"),
    {0},
};

static const DvDrawableOps drawable = {.size = sizeof drawable, .draw = draw};

const DvClass dv_monitor = {
    .size = sizeof(DvClass),
    .name = "Monitor",
    .variants = "Rigid2d Rigid3d Vec1d Vec2d Vec3d Vec6d",
    .variant_rule = DV_VARIANT_OF_ALL,
    .sources = (const DvVariantSource[]){{"mstate", "", DV_STATE}, {0}},
    .family = "playback",
    .help = "Writes chosen points of a state for gnuplot, and draws them.",
    .instance_size = sizeof(Monitor),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_DRAWABLE, .ops = &drawable}, {0}},
    .construct = construct,
    .init = init,
    .handle_event = handle_event,
    .reset = reset,
    .cleanup = cleanup,
    .destroy = destroy,
};
