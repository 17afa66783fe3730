/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * NearestPointROI: for each point of one state the nearest of another, when it is nearer than a radius.
 */
#include <divan/contracts/drawing.h>
#include <divan/contracts/state.h>
#include <divan/contracts/topology.h>
#include <divan/kit/array.h>
#include <divan/kit/engine.h>

#include <inttypes.h>
#include <math.h>

typedef struct Found {
    DvIndexArray index[2];
    DvRealArray distance;
} Found;

typedef struct NearestPointRoi {
    DvEngine engine;
    DvLink object[2];
    DvData given[2], radius, rest, draw_pairs;
    DvData indices[2], edges, pairs, distances;
    DvData *position[2]; /* of the states, as `useRestPosition` says */
    Found found;         /* by the last update; its memory is that of the next one */
} NearestPointRoi;

/* Of frames with what turns one into the other: the vector of a quaternion, an angle within a full turn. */
static double squared_distance(const DvDofType *dof, const double *a, const double *b)
{
    double sum = 0;
    for (uint32_t i = 0; i < (dof->rotation ? dof->spatial : dof->coord); i++)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    if (dof == &dv_rigid3d) {
        const DvQuat turn = dv_quat_mul(dv_quat_conjugate(dv_quat_load(b + 3)), dv_quat_load(a + 3));
        sum += dv_vec3_norm_squared(dv_quat_vector(turn));
    } else if (dof == &dv_rigid2d) {
        const double turn = fmod(a[2] - b[2], 2 * DV_PI);
        sum += turn * turn;
    }
    return sum;
}

/* The points of a side that count: those given, or all. */
static uint32_t point_of(const uint32_t *given, uint32_t i)
{
    return given ? given[i] : i;
}

static DvStatus check(NearestPointRoi *self, int side, const uint32_t *given, size_t count, size_t points)
{
    for (size_t i = 0; given && i < count; i++)
        if (given[i] >= points)
            return dv_field_error(&self->given[side], (int64_t)i, "point %" PRIu32 " of %zu", given[i], points);
    return DV_OK;
}

static void find_pairs(NearestPointRoi *self, const double *const x[2], const uint32_t *const given[2],
                       const size_t count[2], Found *found)
{
    const uint32_t dim = self->engine.dof->coord;
    const double radius = dv_data_double(&self->radius);
    for (uint32_t i = 0; i < count[1]; i++) {
        const uint32_t to = point_of(given[1], i);
        double least = INFINITY;
        uint32_t nearest = 0;
        for (uint32_t j = 0; j < count[0]; j++) {
            const uint32_t from = point_of(given[0], j);
            const double squared =
                squared_distance(self->engine.dof, x[0] + (size_t)from * dim, x[1] + (size_t)to * dim);
            nearest = squared < least ? from : nearest;
            least = fmin(least, squared);
        }
        if (!(least < radius * radius))
            continue;
        dv_array_push(&found->index[0], nearest);
        dv_array_push(&found->index[1], to);
        dv_array_push(&found->distance, sqrt(least));
    }
}

static void write_outputs(NearestPointRoi *self, const Found *found)
{
    const uint32_t count = found->distance.count;
    for (int side = 0; side < 2; side++)
        dv_data_set(&self->indices[side], found->index[side].data, count);
    dv_data_set(&self->distances, found->distance.data, count);
    uint32_t *edge = dv_data_begin_all(&self->edges, count), *pair = dv_data_begin_all(&self->pairs, 4 * (size_t)count);
    for (uint32_t i = 0; i < count; i++) {
        edge[2 * i] = 2 * found->index[1].data[i];
        edge[2 * i + 1] = edge[2 * i] + 1;
        pair[4 * i] = 0;
        pair[4 * i + 1] = found->index[0].data[i];
        pair[4 * i + 2] = 1;
        pair[4 * i + 3] = found->index[1].data[i];
    }
    dv_data_end(&self->edges);
    dv_data_end(&self->pairs);
}

static DvStatus update(DvObject *object, void *self_)
{
    NearestPointRoi *self = self_;
    if (!dv_engine_runs(object, &self->engine) || !self->position[0])
        return DV_OK;
    const double *x[2];
    const uint32_t *given[2];
    size_t count[2], points;
    for (int side = 0; side < 2; side++) {
        x[side] = dv_data_doubles(self->position[side], &points);
        given[side] = dv_data_uints(&self->given[side], &count[side]);
        const DvStatus status = check(self, side, given[side], count[side], points);
        if (status != DV_OK)
            return status;
        if (count[side] == 0) {
            given[side] = NULL;
            count[side] = points;
        }
    }
    dv_array_clear(&self->found.index[0]);
    dv_array_clear(&self->found.index[1]);
    dv_array_clear(&self->found.distance);
    find_pairs(self, x, given, count, &self->found);
    write_outputs(self, &self->found);
    return DV_OK;
}

static DvStatus init(DvObject *object, void *self_)
{
    NearestPointRoi *self = self_;
    DvData *const outputs[] = {&self->indices[0], &self->indices[1], &self->edges, &self->pairs, &self->distances};
    const char *name = dv_data_bool(&self->rest) ? "rest_position" : "position";
    for (int side = 0; side < 2; side++) {
        DvObject *state;
        DvStatus status = dv_object_find_required(object, &self->object[side], DV_STATE, "a MechanicalObject", &state);
        if (status == DV_OK)
            status = dv_object_require(object, state);
        if (status != DV_OK)
            return status;
        DvData *position = dv_object_field(state, name);
        if (!position || position->type->components != self->engine.dof->coord)
            return dv_field_error(&self->object[side].data, -1, "'%s' has no positions of %s", dv_object_path(state),
                                  self->engine.dof->name);
        self->position[side] = position;
        for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++)
            if ((status = dv_data_depend(outputs[i], position)) != DV_OK)
                return status;
    }
    self->engine.ready = true; /* mappings read the pairs when they are initialised */
    return DV_OK;
}

static void cleanup(DvObject *object, void *self_)
{
    (void)object;
    NearestPointRoi *self = self_;
    self->engine.ready = false;
    self->position[0] = self->position[1] = NULL;
    dv_array_free(&self->found.index[0]);
    dv_array_free(&self->found.index[1]);
    dv_array_free(&self->found.distance);
}

static void draw(void *self_, DvDraw *draw)
{
    static const double red[1][4] = {{1.0, 0.0, 0.0, 1.0}};
    NearestPointRoi *self = self_;
    if (!self->engine.ready || !dv_draw_shows(draw, DV_DISPLAY_BEHAVIOR_MODELS) || !dv_data_bool(&self->draw_pairs))
        return;
    size_t count, points;
    const uint32_t dim = self->engine.dof->coord, *index[2];
    for (int side = 0; side < 2; side++)
        index[side] = dv_data_uints(&self->indices[side], &count);
    double *ends = dv_alloc(6 * count, sizeof *ends);
    uint32_t *lines = dv_alloc(2 * count, sizeof *lines);
    for (int side = 0; side < 2; side++) {
        const double *x = dv_data_doubles(self->position[side], &points);
        for (size_t i = 0; i < count; i++) {
            lines[2 * i + (size_t)side] = (uint32_t)(2 * i) + (uint32_t)side;
            for (uint32_t axis = 0; axis < self->engine.dof->spatial; axis++)
                ends[3 * (2 * i + (size_t)side) + axis] = x[(size_t)index[side][i] * dim + axis];
        }
    }
    const DvElementStyle style = {.colors = red, .color_count = 1, .pixels = 1};
    dv_draw_elements(draw, DV_EDGES, (DvElements){.at = lines, .count = (uint32_t)count}, ends, (uint32_t)(2 * count),
                     &style);
    dv_free(ends);
    dv_free(lines);
}

#define GIVEN(member, name, text)                                                                           \
    DV_FIELD(NearestPointRoi, member, name, dv_type_uints, .flags = DV_FIELD_INPUT | DV_FIELD_EMPTY_IS_ALL, \
             .help = text)
#define OUT(member, ...) DV_ENGINE_OUTPUT(NearestPointRoi, member, __VA_ARGS__)
static const DvField fields[] = {
    DV_LINK(NearestPointRoi, object[0], "object1", DV_STATE, .help = "state whose points are looked through"),
    DV_LINK(NearestPointRoi, object[1], "object2", DV_STATE, .help = "state whose points look for the nearest"),
    GIVEN(given[0], "inputIndices1", "points of object1 (empty: all)"),
    GIVEN(given[1], "inputIndices2", "points of object2 (empty: all)"),
    DV_ENGINE_INPUT(NearestPointRoi, radius, "radius", dv_type_double, "pairs are nearer than this", .init = "1",
                    .unit = "m", .range = &dv_range_not_negative),
    DV_FIELD(NearestPointRoi, rest, "useRestPosition", dv_type_bool, .init = "1", .flags = DV_FIELD_AT_LOAD,
             .help = "look at the rest shapes; else at the present ones"),
    OUT(indices[0], "indices1", dv_type_uints, "points of object1"),
    OUT(indices[1], "indices2", dv_type_uints, "points of object2, in their order"),
    OUT(edges, "edges", dv_type_edges, "2 i, 2 i + 1 for each point i of indices2"),
    OUT(pairs, "indexPairs", dv_type_uints, "0, point of object1, 1, point of object2 for each pair"),
    OUT(distances, "distances", dv_type_doubles, "between the points of each pair", .unit = "m"),
    DV_ENGINE_SHOWN(NearestPointRoi, draw_pairs, "drawPairs"),
    {0},
};

static const DvDrawableOps drawable = {.size = sizeof drawable, .draw = draw};

const DvClass dv_nearest_point_roi = {
    .size = sizeof(DvClass),
    .name = "NearestPointROI",
    .variants = "Vec3d Rigid3d Rigid2d Vec1d Vec2d Vec6d",
    .variant_rule = DV_VARIANT_OF_ALL,
    .sources = (const DvVariantSource[]){{"object1", "", DV_STATE}, {"object2", "", DV_STATE}, {0}},
    .module = "Sofa.Component.Engine.Select",
    .help = "Pairs points of two states that are near each other.",
    .instance_size = sizeof(NearestPointRoi),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_DRAWABLE, .ops = &drawable}, {0}},
    DV_ENGINE_CLASS("DataEngine", "PairStateAccessor"),
    DV_ENGINE_LIFE,
    .init = init,
    .update = update,
    .cleanup = cleanup,
};
