/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * ComplementaryROI: the points that are in none of some sets, ascending.
 */
#include <divan/kit/engine.h>
#include <divan/kit/region_group.h>
#include <divan/kit/value_lists.h>
#include <divan/worst.h>

#include <inttypes.h>

typedef struct ComplementaryRoi {
    DvEngine engine;
    DvData position, count, indices, points;
    DvNumberedFields sets;
    DvRegionGroup group;
} ComplementaryRoi;

/* Marks the points of a set; what is wrong with it, in one line for each kind. */
static void mark(ComplementaryRoi *self, DvData *set, bool *taken, size_t points)
{
    DvWorst missing = {0}, twice = {0};
    char worst[DV_WORST_TEXT];
    size_t count;
    const uint32_t *index = dv_data_uints(set, &count);
    for (size_t i = 0; i < count; i++) {
        if (index[i] >= points)
            dv_worst_add(&missing, index[i], 0);
        else if (taken[index[i]])
            dv_worst_add(&twice, index[i], 0);
        else
            taken[index[i]] = true;
    }
    if (missing.count && dv_engine_starting(&self->engine))
        dv_field_warning(set, -1, "%" PRIu32 " points that are not among the %zu positions do not count: %s",
                         missing.count, points, dv_worst_text(&missing, worst));
    if (twice.count && dv_engine_starting(&self->engine))
        dv_field_warning(set, -1, "%" PRIu32 " points are in a set already: %s", twice.count,
                         dv_worst_text(&twice, worst));
}

static DvStatus update(DvObject *object, void *self_)
{
    (void)object;
    ComplementaryRoi *self = self_;
    size_t points, left = 0;
    const double *position = dv_data_doubles(&self->position, &points);
    const uint32_t dim = self->engine.dof->coord;
    bool *taken = dv_alloc(points, sizeof *taken);
    for (uint32_t s = 0; s < self->sets.count; s++)
        mark(self, self->sets.at[s], taken, points);
    bool *left_over = dv_alloc(points, sizeof *left_over);
    for (size_t i = 0; i < points; i++)
        left_over[i] = !taken[i];
    dv_region_group_keep(&self->group, (uint32_t)points, left_over);
    for (size_t i = 0; i < points; i++)
        left += left_over[i];
    uint32_t *index = dv_data_begin_all(&self->indices, left);
    double *point = dv_data_begin_all(&self->points, left);
    for (size_t i = 0, to = 0; i < points; i++)
        if (left_over[i]) {
            memcpy(point + dim * to, position + dim * i, dim * sizeof *point);
            index[to++] = (uint32_t)i;
        }
    dv_data_end(&self->indices);
    dv_data_end(&self->points);
    dv_free(taken);
    dv_free(left_over);
    return DV_OK;
}

static DvStatus init(DvObject *object, void *self_)
{
    return dv_region_group_find(object, &((ComplementaryRoi *)self_)->group);
}

static DvStatus parse(DvObject *object, void *self_, const DvAttributes *attributes)
{
    (void)attributes;
    ComplementaryRoi *self = self_;
    return dv_numbered_fields_add(object, &self->sets, &self->count, "setIndices", &dv_type_uints, DV_FIELD_INPUT,
                                  "points of a set");
}

static void destroy(DvObject *object, void *self_)
{
    (void)object;
    dv_numbered_fields_free(&((ComplementaryRoi *)self_)->sets);
}

static const DvField fields[] = {
    DV_ENGINE_INPUT(ComplementaryRoi, position, "position", dv_type_coords, "the points", .unit = "m"),
    DV_FIELD(ComplementaryRoi, count, "nbSet", dv_type_uint, .init = "0", .flags = DV_FIELD_AT_LOAD,
             .help = "number of sets: setIndices1, setIndices2, ..."),
    DV_ENGINE_OUTPUT(ComplementaryRoi, indices, "indices", dv_type_uints, "points that are in no set"),
    DV_ENGINE_OUTPUT(ComplementaryRoi, points, "pointsInROI", dv_type_coords, "their positions", .unit = "m"),
    DV_REGION_GROUP(ComplementaryRoi, group),
    {0},
};

const DvClass dv_complementary_roi = {
    .size = sizeof(DvClass),
    .name = "ComplementaryROI",
    .variants = "Vec3d",
    .default_variant = "Vec3d",
    .module = "Sofa.Component.Engine.Select",
    .help = "Selects the points that are in none of some sets.",
    .instance_size = sizeof(ComplementaryRoi),
    .fields = fields,
    DV_ENGINE_CLASS("DataEngine"),
    DV_ENGINE_LIFE,
    .parse = parse,
    .init = init,
    .update = update,
    .destroy = destroy,
};
