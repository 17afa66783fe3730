/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * BladeCutter: a blade that moves through a mesh of tetrahedra or triangles at given times.
 *
 * `blade` holds the two ends of its edge at each place, one place after the other, and `times` when it arrives at each. At the
 * beginning of a step all places that have been reached since the last one are cut, with the piece of the way before them, so
 * that cuts of several steps are one.
 */
#include "container/topology.h"
#include "cutting.h"

#include <divan/math/vec.h>

#include <inttypes.h>

typedef struct BladeCutter {
    DvObject *object;
    DvData blade, times, snap;
    DvData done, cut, pieces, points, faces, smallest_angle; /* what has been */
    DvLink topology;
    DvObject *mesh;
} BladeCutter;

static const DvField fields[] = {
    DV_FIELD(BladeCutter, blade, "blade", dv_type_vec3s, .unit = "m",
             .help = "the two ends of the blade's edge, place after place"),
    DV_FIELD(BladeCutter, times, "times", dv_type_doubles, .unit = "s",
             .help = "when the blade arrives at each place, ascending; one time alone: it passes all of them then"),
    DV_FIELD(BladeCutter, snap, "snap", dv_type_double, .init = "0.25",
             .range = &(const DvRange){.least = 0, .most = 0.4, .above = true},
             .help =
                 "where the blade passes a point by less than this share of an edge, the cut goes through the point: "
                 "above 0, at most 0.4. Small values follow the blade closely, large ones make no thin elements"),
    DV_FIELD(BladeCutter, cut, "cutElements", dv_type_uint, .flags = DV_FIELD_STATE | DV_FIELD_READ_ONLY,
             .help = "elements that were cut, or have got a point of their own"),
    DV_FIELD(BladeCutter, pieces, "pieces", dv_type_uint, .flags = DV_FIELD_STATE | DV_FIELD_READ_ONLY,
             .help = "elements that took their place"),
    DV_FIELD(BladeCutter, points, "newPoints", dv_type_uint, .flags = DV_FIELD_STATE | DV_FIELD_READ_ONLY,
             .help = "points that were made"),
    DV_FIELD(BladeCutter, faces, "openFaces", dv_type_uint, .flags = DV_FIELD_STATE | DV_FIELD_READ_ONLY,
             .help = "faces (of triangles: edges) that came apart"),
    DV_FIELD(BladeCutter, smallest_angle, "smallestAngle", dv_type_double, .flags = DV_FIELD_STATE | DV_FIELD_READ_ONLY,
             .unit = "deg",
             .help = "smallest angle between faces (of triangles: edges) of a piece, of all cuts; 0: none yet"),
    DV_FIELD(BladeCutter, done, "placesDone", dv_type_uint, .flags = DV_FIELD_STATE | DV_FIELD_HIDDEN,
             .help = "places that the blade has reached"),
    DV_LINK(BladeCutter, topology, "topology", DV_TOPOLOGY, .help = "mesh to cut; the node's own by default"),
    {0},
};

static uint32_t places(BladeCutter *self)
{
    size_t ends;
    (void)dv_data_doubles(&self->blade, &ends);
    return (uint32_t)(ends / 2);
}

/* When the blade arrives at a place. */
static double arrival(BladeCutter *self, uint32_t place)
{
    size_t count;
    const double *times = dv_data_doubles(&self->times, &count);
    return count == 0 ? 0.0 : times[count == 1 ? 0 : place];
}

static void forget(BladeCutter *self)
{
    dv_data_set_uint(&self->done, 0);
    dv_data_set_uint(&self->cut, 0);
    dv_data_set_uint(&self->pieces, 0);
    dv_data_set_uint(&self->points, 0);
    dv_data_set_uint(&self->faces, 0);
    dv_data_set_double(&self->smallest_angle, 0.0);
}

static DvStatus check_times(BladeCutter *self)
{
    size_t count;
    const double *times = dv_data_doubles(&self->times, &count);
    if (count > 1 && count != places(self))
        return dv_field_error(&self->times, -1,
                              "%zu times for %" PRIu32 " places of the blade; give one for each, or one alone", count,
                              places(self));
    for (size_t i = 1; i < count; i++)
        if (!(times[i] >= times[i - 1]))
            return dv_field_error(&self->times, (int64_t)i, "%g comes after %g: times must ascend", times[i],
                                  times[i - 1]);
    return DV_OK;
}

static DvStatus init(DvObject *object, void *self_)
{
    BladeCutter *self = self_;
    size_t ends;
    (void)dv_data_doubles(&self->blade, &ends);
    if (ends % 2 || ends < 4)
        return dv_field_error(
            &self->blade, -1,
            "has %zu points, which are no way of a blade: give the two ends of its edge at each of two or more places",
            ends);
    DvStatus status = check_times(self);
    if (status == DV_OK)
        status = dv_object_find_required(object, &self->topology, DV_TOPOLOGY, "a container of tetrahedra or triangles",
                                         &self->mesh);
    return status == DV_OK ? dv_object_require(object, self->mesh) : status;
}

static void add_to(DvData *sum, uint32_t more)
{
    dv_data_set_uint(sum, dv_data_uint(sum) + more);
}

static void handle_event(DvObject *object, void *self_, DvEvent *event)
{
    BladeCutter *self = self_;
    if (event->kind != DV_EVENT_ANIMATE_BEGIN || !dv_object_is_valid(object))
        return;
    const double now = dv_node_time(dv_object_node(object)), slack = 1e-9 * dv_node_dt(dv_object_node(object));
    const uint32_t before = dv_data_uint(&self->done);
    uint32_t reached = before;
    while (reached < places(self) && arrival(self, reached) <= now + slack)
        reached++;
    if (reached == before)
        return;
    dv_data_set_uint(&self->done, reached);
    /* The place before, which the last cut ended at, and the one before that. */
    const uint32_t first = before < 2 ? 0 : before - 2;
    if (reached - first < 2)
        return;
    const DvBlade blade = {.sections = dv_data_doubles(&self->blade, NULL) + 6 * (size_t)first,
                           .count = reached - first,
                           .snap = dv_data_double(&self->snap)};
    DvCut result;
    if (cutting_ops.cut(self->mesh, &blade, &result) != DV_OK || result.pieces == 0)
        return;
    const double angle = result.smallest_angle * 180.0 / DV_PI, least = dv_data_double(&self->smallest_angle);
    add_to(&self->cut, result.cut);
    add_to(&self->pieces, result.pieces);
    add_to(&self->points, result.points);
    add_to(&self->faces, result.faces);
    dv_data_set_double(&self->smallest_angle, least == 0.0 || angle < least ? angle : least);
}

static DvStatus construct(DvObject *object, void *self_)
{
    ((BladeCutter *)self_)->object = object;
    dv_data_set_bool(dv_object_field(object, "listening"), true);
    return DV_OK;
}

static void reset(DvObject *object, void *self_)
{
    (void)object;
    forget(self_);
}

const DvClass dv_blade_cutter = {
    .size = sizeof(DvClass),
    .name = "BladeCutter",
    .family = "topological changes",
    .help = "Cuts a mesh of tetrahedra or triangles along the way of a blade.",
    .instance_size = sizeof(BladeCutter),
    .fields = fields,
    .construct = construct,
    .init = init,
    .reset = reset,
    .handle_event = handle_event,
};
