/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Articulation: one number that moves a joint of an articulated body, by a turn about an axis (rad), a shift along it (m), or both.
 *
 * It says so to the ArticulationCenter of the node above; ArticulatedSystemMapping moves the frames. Shown with mechanical mappings: its
 * axis through the joint, with a head where it shifts.
 */
#include "articulated.h"

#include <divan/contracts/drawing.h>

static const DvField fields[] = {
    DV_FIELD(Articulation, axis, "axis", dv_type_vec3d, .init = "1 0 0",
             .aliases = (const char *const[]){"rotationAxis", NULL},
             .help = "what it turns about or goes along, of any length"),
    DV_FIELD(Articulation, rotation, "rotation", dv_type_bool, .init = "0", .help = "it turns about the axis"),
    DV_FIELD(Articulation, translation, "translation", dv_type_bool, .init = "0", .help = "it goes along the axis"),
    DV_FIELD(Articulation, index, "articulationIndex", dv_type_int, .init = "0", .range = &dv_range_not_negative,
             .help = "number of the mapping's input1 that says how far"),
    DV_FIELD(Articulation, motion, "motion", dv_type_doubles, .flags = DV_FIELD_READ_ONLY,
             .help = "what the file of the container has for it, one for each frame: degrees, m"),
    {0},
};

static DvStatus init(DvObject *object, void *self_)
{
    Articulation *self = self_;
    if (!(dv_vec3_norm(dv_vec3_load(dv_data_doubles(&self->axis, NULL))) > 0.0))
        return dv_field_error(&self->axis, -1, "has no direction; 1 0 0, say");
    if (!dv_data_bool(&self->rotation) && !dv_data_bool(&self->translation))
        dv_warning(object, "it moves nothing: set rotation or translation");
    return DV_OK;
}

/* What was edited moves its frames at once. */
static DvStatus reinit(DvObject *object, void *self_)
{
    const Articulation *self = self_;
    const DvStatus status = init(object, self_);
    return status == DV_OK && self->mapping ? dv_object_reinit(self->mapping) : status;
}

static void show(Articulation *self, DvVec3 place, DvVec3 direction, double length)
{
    self->placed = true;
    self->place = place;
    self->direction = direction;
    self->length = length;
}

static const ArticulationOps ops = {.size = sizeof ops, .show = show};

static void draw(void *self_, DvDraw *draw)
{
    static const double turn[4] = {0.9, 0.3, 0.1, 1.0}, shift[4] = {0.1, 0.7, 0.9, 1.0};
    Articulation *self = self_;
    if (!self->placed || !dv_draw_shows(draw, DV_DISPLAY_MECHANICAL_MAPPINGS))
        return;
    double ends[6];
    const double half = self->length / 2;
    dv_vec3_store(dv_vec3_madd(self->place, -half, self->direction), ends);
    dv_vec3_store(dv_vec3_madd(self->place, half, self->direction), ends + 3);
    if (dv_data_bool(&self->translation))
        draw->ops->arrows(draw, ends, (const double[]){self->length / 40}, 1, shift);
    if (dv_data_bool(&self->rotation))
        draw->ops->lines(draw, ends, 1, 3.0, turn);
}

static const DvDrawableOps drawable = {.size = sizeof drawable, .draw = draw};

const DvClass dv_articulation = {
    .size = sizeof(DvClass),
    .name = "Articulation",
    .family = "mappings",
    .module = "ArticulatedSystemPlugin",
    .help = "A number that turns or shifts a joint of an articulated body.",
    .instance_size = sizeof(Articulation),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = ARTICULATION, .ops = &ops}, {.id = DV_DRAWABLE, .ops = &drawable}, {0}},
    .init = init,
    .reinit = reinit,
};
