/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * ArticulationCenter: a joint between two frames of an articulated body, at a point that is fixed on both.
 *
 * The Articulations in the child nodes of its node move it, in the order of the document; without any it holds both together.
 * ArticulatedSystemMapping computes the frames. Shown with mechanical mappings: the joint, and from it a line to the centre of each frame.
 */
#include "articulated.h"

#include <divan/contracts/drawing.h>

static const DvRange processes = {.least = 0, .most = PROCESSES - 1};
static const DvField fields[] = {
    DV_FIELD(ArticulationCenter, parent_index, "parentIndex", dv_type_int, .init = "0", .range = &dv_range_not_negative,
             .help = "frame of the mapping's output that the joint hangs on"),
    DV_FIELD(ArticulationCenter, child_index, "childIndex", dv_type_int, .flags = DV_FIELD_REQUIRED,
             .range = &dv_range_not_negative, .help = "frame of the output that it moves"),
    DV_FIELD(ArticulationCenter, global_position, "globalPosition", dv_type_vec3d, .unit = "m",
             .flags = DV_FIELD_READ_ONLY, .help = "where the joint is in the world"),
    DV_FIELD(ArticulationCenter, pos_on_parent, "posOnParent", dv_type_vec3d, .unit = "m",
             .help = "where the joint is on the parent frame"),
    DV_FIELD(ArticulationCenter, pos_on_child, "posOnChild", dv_type_vec3d, .unit = "m",
             .help = "where the joint is on the child frame"),
    DV_FIELD(
        ArticulationCenter, process, "articulationProcess", dv_type_int, .init = "0", .range = &processes,
        .help =
            "0: each axis is turned by the articulations before it; 1: what is new turns about axes of the parent; 2: "
            "of the child"),
    {0},
};

/* What was edited moves its frames at once. */
static DvStatus reinit(DvObject *object, void *self_)
{
    const ArticulationCenter *self = self_;
    (void)object;
    return self->mapping ? dv_object_reinit(self->mapping) : DV_OK;
}

static void show(ArticulationCenter *self, DvVec3 parent, DvVec3 place, DvVec3 child)
{
    double at[3];
    dv_vec3_store(place, at);
    dv_data_set(&self->global_position, at, 1);
    self->placed = true;
    self->parent = parent;
    self->child = child;
}

static const ArticulationCenterOps ops = {.size = sizeof ops, .show = show};

static void draw(void *self_, DvDraw *draw)
{
    static const double color[4] = {1.0, 0.8, 0.2, 1.0};
    ArticulationCenter *self = self_;
    if (!self->placed || !dv_draw_shows(draw, DV_DISPLAY_MECHANICAL_MAPPINGS))
        return;
    double ends[12];
    const DvVec3 place = dv_vec3_load(dv_data_doubles(&self->global_position, NULL));
    dv_vec3_store(place, ends);
    dv_vec3_store(self->parent, ends + 3);
    dv_vec3_store(place, ends + 6);
    dv_vec3_store(self->child, ends + 9);
    draw->ops->lines(draw, ends, 2, 2.0, color);
    draw->ops->points(draw, ends, 1, 8.0, color);
}

static const DvDrawableOps drawable = {.size = sizeof drawable, .draw = draw};

const DvClass dv_articulation_center = {
    .size = sizeof(DvClass),
    .name = "ArticulationCenter",
    .family = "mappings",
    .module = "ArticulatedSystemPlugin",
    .help = "A joint between two frames of an articulated body.",
    .instance_size = sizeof(ArticulationCenter),
    .fields = fields,
    .contracts =
        (const DvContract[]){{.id = ARTICULATION_CENTER, .ops = &ops}, {.id = DV_DRAWABLE, .ops = &drawable}, {0}},
    .reinit = reinit,
};
