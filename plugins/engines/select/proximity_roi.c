/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * ProximityROI: the N points nearest to any of some centres, of those nearer to one than its radius.
 *
 * Points come in the order of a binary heap, the farthest first, as the standard library of C++ keeps one. A point as far as the farthest
 * takes its place. Then `indicesOut` gets the one that is the farthest without it, not the one that left.
 */
#include <divan/contracts/drawing.h>
#include <divan/contracts/state.h>
#include <divan/contracts/topology.h>
#include <divan/kit/array.h>
#include <divan/kit/engine.h>
#include <divan/kit/region_group.h>
#include <divan/math/vec.h>

#include <math.h>

typedef struct ProximityRoi {
    DvEngine engine;
    DvData centers, radii, wanted, position;
    DvData indices, points, distances, outside;
    DvData draw_spheres, draw_points, draw_size;
    DvRegionGroup group;
} ProximityRoi;

typedef struct Near {
    double distance;
    uint32_t point;
} Near;
typedef DV_ARRAY(Near) NearArray;

static void sift_up(Near *heap, uint32_t hole, Near item)
{
    for (uint32_t parent; hole > 0 && heap[parent = (hole - 1) / 2].distance < item.distance; hole = parent)
        heap[hole] = heap[parent];
    heap[hole] = item;
}

/* Takes the farthest out: the hole goes down to a leaf, then the last item rises from there. */
static void pop(NearArray *heap)
{
    const Near last = heap->data[--heap->count];
    uint32_t hole = 0;
    for (uint32_t child; (child = 2 * hole + 2) <= heap->count; hole = child) {
        if (child == heap->count || heap->data[child].distance < heap->data[child - 1].distance)
            child--;
        heap->data[hole] = heap->data[child];
    }
    if (heap->count)
        sift_up(heap->data, hole, last);
}

static double distance_to(ProximityRoi *self, const double *point)
{
    size_t centers, radii;
    const double *center = dv_data_doubles(&self->centers, &centers), *radius = dv_data_doubles(&self->radii, &radii);
    double nearest = INFINITY;
    for (size_t i = 0; i < centers; i++) {
        const double distance = dv_vec3_norm(dv_vec3_sub(dv_vec3_load(point), dv_vec3_load(center + 3 * i)));
        if (distance < radius[i < radii ? i : radii - 1])
            nearest = fmin(nearest, distance);
    }
    return nearest;
}

static void write_outputs(ProximityRoi *self, const NearArray *heap, const DvIndexArray *out, const double *position)
{
    uint32_t *index = dv_data_begin_all(&self->indices, heap->count);
    double *point = dv_data_begin_all(&self->points, heap->count);
    double *distance = dv_data_begin_all(&self->distances, heap->count);
    for (uint32_t i = 0; i < heap->count; i++) {
        index[i] = heap->data[i].point;
        distance[i] = heap->data[i].distance;
        memcpy(point + 3 * (size_t)i, position + 3 * (size_t)index[i], 3 * sizeof *point);
    }
    dv_data_end(&self->indices);
    dv_data_end(&self->points);
    dv_data_end(&self->distances);
    dv_data_set(&self->outside, out->data, out->count);
}

static DvStatus update(DvObject *object, void *self_)
{
    ProximityRoi *self = self_;
    const uint32_t wanted = dv_data_uint(&self->wanted);
    size_t radii, points;
    (void)dv_data_doubles(&self->radii, &radii);
    const double *position = dv_data_doubles(&self->position, &points);
    if (!dv_engine_runs(dv_object_of(self), &self->engine))
        return DV_OK;
    if (wanted == 0 || radii == 0) { /* outputs stay as they are */
        if (dv_engine_starting(&self->engine))
            dv_warning(object, "selects nothing: %s", wanted ? "it has no 'radii'" : "'N' is 0");
        return DV_OK;
    }
    NearArray heap = {0};
    DvIndexArray out = {0};
    bool *there = dv_alloc(points, sizeof *there);
    for (size_t i = 0; i < points; i++)
        there[i] = true;
    dv_region_group_keep(&self->group, (uint32_t)points, there);
    for (uint32_t i = 0; i < points; i++) {
        const Near item = {there[i] ? distance_to(self, position + 3 * (size_t)i) : INFINITY, i};
        if (item.distance == INFINITY || (heap.count == wanted && item.distance > heap.data[0].distance)) {
            dv_array_push(&out, i);
            continue;
        }
        if (heap.count == wanted) {
            const uint32_t farthest = heap.data[0].point;
            pop(&heap);
            dv_array_push(&out, heap.count ? heap.data[0].point : farthest);
        }
        dv_array_push(&heap, item);
        sift_up(heap.data, heap.count - 1, item);
    }
    write_outputs(self, &heap, &out, position);
    dv_array_free(&heap);
    dv_array_free(&out);
    dv_free(there);
    return DV_OK;
}

static DvStatus init(DvObject *object, void *self_)
{
    ProximityRoi *self = self_;
    const DvStatus status = dv_engine_follow(object, &self->position, DV_STATE, DV_SEARCH_UP, "rest_position");
    return status == DV_OK ? dv_region_group_find(object, &self->group) : status;
}

static void draw(void *self_, DvDraw *draw)
{
    static const double red[1][4] = {{1.0, 0.4, 0.4, 1.0}};
    ProximityRoi *self = self_;
    if (!self->engine.ready || !dv_draw_shows(draw, DV_DISPLAY_BEHAVIOR_MODELS))
        return;
    size_t centers, given, selected, points;
    const double *center = dv_data_doubles(&self->centers, &centers), *radius = dv_data_doubles(&self->radii, &given);
    if (dv_data_bool(&self->draw_spheres) && given) {
        double *radii = dv_alloc(centers, sizeof *radii);
        for (size_t i = 0; i < centers; i++)
            radii[i] = radius[i < given ? i : given - 1];
        draw->ops->spheres(draw, center, radii, (uint32_t)centers, red[0]);
        dv_free(radii);
    }
    const double *position = dv_data_doubles(&self->position, &points);
    const uint32_t *indices = dv_data_uints(&self->indices, &selected);
    const DvElementStyle style = {.colors = red, .color_count = 1, .pixels = dv_data_double(&self->draw_size)};
    if (dv_data_bool(&self->draw_points))
        dv_draw_elements(draw, DV_POINTS, (DvElements){.at = indices, .count = (uint32_t)selected}, position,
                         (uint32_t)points, &style);
}

static const DvField fields[] = {
    DV_ENGINE_INPUT(ProximityRoi, centers, "centers", dv_type_vec3s, "what points are near to", .unit = "m"),
    DV_ENGINE_INPUT(ProximityRoi, radii, "radii", dv_type_doubles, "how near; the last one counts for all that follow",
                    .unit = "m", .range = &dv_range_not_negative),
    DV_ENGINE_INPUT(ProximityRoi, wanted, "N", dv_type_uint, "how many points at most", .init = "0"),
    DV_ENGINE_INPUT(ProximityRoi, position, "position", dv_type_vec3s,
                    "positions to select from (default: the rest shape)", .unit = "m",
                    .aliases = (const char *const[]){"rest_position", NULL}),
    DV_ENGINE_OUTPUT(ProximityRoi, indices, "indices", dv_type_uints, "the points, the farthest first", .init = "0",
                     .aliases = (const char *const[]){"pointIndices", NULL}),
    DV_ENGINE_OUTPUT(ProximityRoi, points, "pointsInROI", dv_type_vec3s, "their positions", .unit = "m"),
    DV_ENGINE_OUTPUT(ProximityRoi, distances, "distance", dv_type_doubles, "to the nearest centre", .unit = "m"),
    DV_ENGINE_OUTPUT(ProximityRoi, outside, "indicesOut", dv_type_uints, "points that are not selected"),
    DV_ENGINE_SHOWN(ProximityRoi, draw_spheres, "drawSphere"),
    DV_ENGINE_SHOWN(ProximityRoi, draw_points, "drawPoints"),
    DV_ENGINE_DRAW_SIZE(ProximityRoi, draw_size, "drawSize"),
    DV_REGION_GROUP(ProximityRoi, group),
    {0},
};

static const DvDrawableOps drawable = {.size = sizeof drawable, .draw = draw};

const DvClass dv_proximity_roi = {
    .size = sizeof(DvClass),
    .name = "ProximityROI",
    .variants = "Vec3d",
    .default_variant = "Vec3d",
    .module = "Sofa.Component.Engine.Select",
    .help = "Selects the points nearest to some centres.",
    .instance_size = sizeof(ProximityRoi),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_DRAWABLE, .ops = &drawable}, {0}},
    DV_ENGINE_CLASS("DataEngine"),
    DV_ENGINE_LIFE,
    .init = init,
    .update = update,
};
