/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Twins of what acts on points one by one: masses, loads, planes.
 */
#include "operators.h"

#include <divan/memory.h>

#include <string.h>

/* ---- Masses ---- */

typedef struct MassTwin {
    Twin twin;
    DeviceArray mass, weight, has, begin, other, value; /* begin to value: of rows */
    double gravity[6];
    size_t entries;      /* of rows */
    uint64_t version[3]; /* of mass, weight and rows */
} MassTwin;

static bool put_masses(MassTwin *self, const DvOperatorPart *mass, DvText *why)
{
    Space *space = self->twin.space;
    const size_t bytes = mass->count * sizeof(uint32_t);
    if (!device_array_numbers(space, self->twin.precision, &self->mass, mass, false, why) ||
        !device_array_room(space, &self->has, bytes, why))
        return false;
    uint32_t *has = bytes ? space->device->ops->put(space->device, self->has.at, bytes) : NULL;
    for (size_t i = 0; i < mass->count; i++)
        has[i] = mass->numbers[i] != 0.0;
    return true;
}

static bool mass_update(DvTwin *base, const DvOperator *op, DvText *why)
{
    MassTwin *self = (MassTwin *)base;
    const DvOperatorPart *mass = operator_part(op, "mass", self->twin.points, 1, why);
    const DvOperatorPart *weight = mass ? operator_part(op, "weight", self->twin.points, 1, why) : NULL;
    const DvOperatorPart *gravity = weight ? operator_part(op, "gravity", 1, self->twin.dim, why) : NULL;
    if (!gravity)
        return false;
    memcpy(self->gravity, gravity->numbers, self->twin.dim * sizeof(double));
    if ((!self->mass.at || mass->version != self->version[0]) && !put_masses(self, mass, why))
        return false;
    if ((!self->weight.at || weight->version != self->version[1]) &&
        !device_array_numbers(self->twin.space, self->twin.precision, &self->weight, weight, false, why))
        return false;
    self->version[0] = mass->version;
    self->version[1] = weight->version;
    return true;
}

static void mass_free(DvTwin *base)
{
    MassTwin *self = (MassTwin *)base;
    device_array_free(self->twin.space, &self->mass);
    device_array_free(self->twin.space, &self->weight);
    device_array_free(self->twin.space, &self->has);
    device_array_free(self->twin.space, &self->begin);
    device_array_free(self->twin.space, &self->other);
    device_array_free(self->twin.space, &self->value);
    twin_end(&self->twin);
}

static void mass_force(DvTwin *base, const DvStep *step, const DvConstVec *x, const DvConstVec *v, const DvVec *f)
{
    MassTwin *self = (MassTwin *)base;
    Space *space = self->twin.space;
    const double *g = self->gravity;
    const uint64_t n = (uint64_t)self->twin.points * self->twin.dim;
    (void)step, (void)x, (void)v;
    SPACE_LAUNCH(space, self->twin.precision, mass_force, n, .n = n, .f = (void *)f->at,
                 .weight = SPACE_AT(self->weight.at), .dim = self->twin.dim,
                 .gravity = {g[0], g[1], g[2], g[3], g[4], g[5]});
}

static void mass_products(DvTwin *base, double factor, uint32_t columns, const DvConstVec *dx, const DvVec *res)
{
    MassTwin *self = (MassTwin *)base;
    Space *space = self->twin.space;
    const uint64_t n = (uint64_t)self->twin.points * self->twin.dim;
    SPACE_LAUNCH(space, self->twin.precision, mass_product, n, .n = n, .of = COLUMNS_OF(columns, dx, res),
                 .mass = SPACE_AT(self->mass.at), .dim = self->twin.dim, .k = factor);
    space_reads(space, dv_space_bytes(self->twin.precision, self->twin.points));
}

static void mass_product(DvTwin *base, double factor, DvConstVec dx, DvVec res)
{
    mass_products(base, factor, 1, &dx, &res);
}

static void mass_diagonal(DvTwin *base, double factor, DvVec res)
{
    mass_product(base, factor, (DvConstVec){NULL, 0, 0}, res);
}

static void mass_acceleration(DvTwin *base, DvConstVec f, DvVec a)
{
    MassTwin *self = (MassTwin *)base;
    Space *space = self->twin.space;
    const uint64_t n = (uint64_t)self->twin.points * self->twin.dim;
    SPACE_LAUNCH(space, self->twin.precision, mass_acceleration, n, .n = n, .a = (void *)a.at, .f = (const void *)f.at,
                 .mass = SPACE_AT(self->mass.at), .has = SPACE_AT(self->has.at), .dim = self->twin.dim);
}

static const DvTwinOps mass_ops = {.size = sizeof(DvTwinOps),
                                   .update = mass_update,
                                   .free = mass_free,
                                   .add_force = mass_force,
                                   .add_mdx = mass_product,
                                   .acceleration = mass_acceleration,
                                   .add_mass_diagonal = mass_diagonal,
                                   .add_mdx_columns = mass_products};

Twin *mass_twin_new(void)
{
    MassTwin *self = dv_alloc(1, sizeof *self);
    self->twin.base.ops = &mass_ops;
    return &self->twin;
}

/* ---- Masses of rows ---- */

/* Lists that say who reads what: wrong ones would read elsewhere. */
static bool check_rows(const MassTwin *self, const DvOperatorPart *begin, const DvOperatorPart *other, DvText *why)
{
    bool fits = begin->index[0] == 0 && begin->index[self->twin.points] == other->count;
    for (uint32_t p = 0; p < self->twin.points; p++)
        fits = fits && begin->index[p] <= begin->index[p + 1];
    for (size_t i = 0; i < other->count; i++)
        fits = fits && other->index[i] < self->twin.points;
    if (!fits)
        dv_text_add(why, "its rows do not fit the %u points", self->twin.points);
    return fits;
}

static bool rows_update(DvTwin *base, const DvOperator *op, DvText *why)
{
    MassTwin *self = (MassTwin *)base;
    const DvOperatorPart *begin = operator_part(op, "begin", (size_t)self->twin.points + 1, 1, why);
    const DvOperatorPart *other = begin ? operator_part(op, "other", SIZE_MAX, 1, why) : NULL;
    const DvOperatorPart *value = other ? operator_part(op, "value", other->count, 1, why) : NULL;
    if (!value || !mass_update(base, op, why) || !check_rows(self, begin, other, why))
        return false;
    self->entries = other->count;
    if (self->value.at && value->version == self->version[2])
        return true;
    self->version[2] = value->version;
    return device_array_indices(self->twin.space, &self->begin, begin, false, why) &&
           device_array_indices(self->twin.space, &self->other, other, false, why) &&
           device_array_numbers(self->twin.space, self->twin.precision, &self->value, value, false, why);
}

static void rows_products(DvTwin *base, double factor, uint32_t columns, const DvConstVec *dx, const DvVec *res)
{
    MassTwin *self = (MassTwin *)base;
    Space *space = self->twin.space;
    const DvPrecision precision = self->twin.precision;
    const uint64_t n = (uint64_t)self->twin.points * self->twin.dim;
    SPACE_LAUNCH(space, precision, mass_rows, n, .n = n, .of = COLUMNS_OF(columns, dx, res),
                 .mass = SPACE_AT(self->mass.at), .value = SPACE_AT(self->value.at), .begin = SPACE_AT(self->begin.at),
                 .other = SPACE_AT(self->other.at), .dim = self->twin.dim, .k = factor);
    space_reads(space, dv_space_bytes(precision, self->twin.points + self->entries) +
                           (self->twin.points + 1 + self->entries) * sizeof(uint32_t));
}

static void rows_product(DvTwin *base, double factor, DvConstVec dx, DvVec res)
{
    rows_products(base, factor, 1, &dx, &res);
}

static void rows_diagonal(DvTwin *base, double factor, DvVec res)
{
    rows_product(base, factor, (DvConstVec){NULL, 0, 0}, res);
}

static const DvTwinOps rows_ops = {.size = sizeof(DvTwinOps),
                                   .update = rows_update,
                                   .free = mass_free,
                                   .add_force = mass_force,
                                   .add_mdx = rows_product,
                                   .add_mass_diagonal = rows_diagonal,
                                   .add_mdx_columns = rows_products};

Twin *mass_rows_twin_new(void)
{
    MassTwin *self = dv_alloc(1, sizeof *self);
    self->twin.base.ops = &rows_ops;
    return &self->twin;
}

/* ---- Blocks on a diagonal ---- */

typedef struct BlocksTwin {
    Twin twin;
    DeviceArray value;
    uint64_t version;
    uint32_t width;
} BlocksTwin;

static bool blocks_update(DvTwin *base, const DvOperator *op, DvText *why)
{
    BlocksTwin *self = (BlocksTwin *)base;
    const uint64_t n = (uint64_t)self->twin.points * self->twin.dim;
    const bool whole = dv_operator_part(op, "inverse") != NULL;
    const DvOperatorPart *value = whole ? operator_part(op, "inverse", n / 3, 9, why)
                                        : operator_part(op, "diagonal", self->twin.points, self->twin.dim, why);
    self->width = whole ? 3 : 1;
    if (!value || n % self->width != 0 ||
        !((self->value.at && self->version == value->version) ||
          device_array_numbers(self->twin.space, self->twin.precision, &self->value, value, false, why)))
        return false;
    self->version = value->version;
    return true;
}

static void blocks_free(DvTwin *base)
{
    BlocksTwin *self = (BlocksTwin *)base;
    device_array_free(self->twin.space, &self->value);
    twin_end(&self->twin);
}

static void blocks_divide(DvTwin *base, DvConstVec f, DvVec a)
{
    BlocksTwin *self = (BlocksTwin *)base;
    Space *space = self->twin.space;
    const uint64_t n = (uint64_t)self->twin.points * self->twin.dim;
    SPACE_LAUNCH(space, self->twin.precision, block_inverse, n, .n = n, .z = (void *)a.at, .r = (const void *)f.at,
                 .value = SPACE_AT(self->value.at), .width = self->width);
}

static const DvTwinOps blocks_ops = {
    .size = sizeof(DvTwinOps), .update = blocks_update, .free = blocks_free, .acceleration = blocks_divide};

Twin *blocks_twin_new(void)
{
    BlocksTwin *self = dv_alloc(1, sizeof *self);
    self->twin.base.ops = &blocks_ops;
    return &self->twin;
}

/* ---- Loads ---- */

typedef struct LoadTwin {
    Twin twin;
    DeviceArray point, force;
    uint64_t count;
} LoadTwin;

/* Lanes add to points without regard to each other: no point comes twice. */
static bool check_points(const Twin *twin, const DvOperatorPart *point, DvText *why)
{
    bool *named = dv_alloc((size_t)twin->points + 1, sizeof *named), fits = true;
    memset(named, 0, ((size_t)twin->points + 1) * sizeof *named);
    for (size_t i = 0; i < point->count && fits; i++) {
        const uint32_t p = point->index[i];
        fits = p < twin->points && !named[p];
        if (!fits)
            dv_text_add(why, p < twin->points ? "point %u is named twice" : "there is no point %u", p);
        else
            named[p] = true;
    }
    dv_free(named);
    return fits;
}

static bool load_update(DvTwin *base, const DvOperator *op, DvText *why)
{
    LoadTwin *self = (LoadTwin *)base;
    const DvOperatorPart *point = operator_part(op, "point", SIZE_MAX, 1, why);
    const DvOperatorPart *force = point ? operator_part(op, "force", point->count, self->twin.dim, why) : NULL;
    if (!force)
        return false;
    if (!check_points(&self->twin, point, why))
        return false;
    self->count = point->count;
    return device_array_indices(self->twin.space, &self->point, point, false, why) &&
           device_array_numbers(self->twin.space, self->twin.precision, &self->force, force, false, why);
}

static void load_free(DvTwin *base)
{
    LoadTwin *self = (LoadTwin *)base;
    device_array_free(self->twin.space, &self->point);
    device_array_free(self->twin.space, &self->force);
    twin_end(&self->twin);
}

static void load_force(DvTwin *base, const DvStep *step, const DvConstVec *x, const DvConstVec *v, const DvVec *f)
{
    LoadTwin *self = (LoadTwin *)base;
    Space *space = self->twin.space;
    const uint64_t n = self->count * self->twin.dim;
    (void)step, (void)x, (void)v;
    SPACE_LAUNCH(space, self->twin.precision, load_force, n, .n = n, .f = (void *)f->at,
                 .force = SPACE_AT(self->force.at), .point = SPACE_AT(self->point.at), .dim = self->twin.dim);
}

/* The derivative is zero. */
static void load_product(DvTwin *base, const DvStep *step, double k, double b, const DvConstVec *dx, const DvVec *df)
{
    (void)base, (void)step, (void)k, (void)b, (void)dx, (void)df;
}

static void load_diagonal(DvTwin *base, const DvStep *step, double k, double b, const DvVec *df)
{
    (void)base, (void)step, (void)k, (void)b, (void)df;
}

static void load_products(DvTwin *base, const DvStep *step, double k, double b, uint32_t columns, const DvConstVec *dx,
                          const DvVec *df)
{
    (void)base, (void)step, (void)k, (void)b, (void)columns, (void)dx, (void)df;
}

static const DvTwinOps load_ops = {.size = sizeof(DvTwinOps),
                                   .update = load_update,
                                   .free = load_free,
                                   .add_force = load_force,
                                   .add_dforce = load_product,
                                   .add_diagonal = load_diagonal,
                                   .add_dforce_columns = load_products};

Twin *load_twin_new(void)
{
    LoadTwin *self = dv_alloc(1, sizeof *self);
    self->twin.base.ops = &load_ops;
    return &self->twin;
}

/* ---- Springs to places ---- */

typedef struct PullTwin {
    Twin twin;
    DeviceArray point, stiffness, place;
    uint64_t count, version;
} PullTwin;

static const DvTwinOps pull_ops, pull_products_ops;

static bool pull_update(DvTwin *base, const DvOperator *op, DvText *why)
{
    PullTwin *self = (PullTwin *)base;
    Space *space = self->twin.space;
    const DvPrecision precision = self->twin.precision;
    const DvOperatorPart *point = operator_part(op, "point", SIZE_MAX, 1, why);
    const DvOperatorPart *stiffness = point ? operator_part(op, "stiffness", point->count, self->twin.dim, why) : NULL;
    const bool pulls = dv_operator_part(op, "place") != NULL;
    const DvOperatorPart *place =
        stiffness && pulls ? operator_part(op, "place", point->count, self->twin.dim, why) : NULL;
    if (!stiffness || (pulls && !place))
        return false;
    const bool same = self->point.at && self->version == point->version && self->count == point->count;
    if (!same &&
        !(check_points(&self->twin, point, why) && device_array_indices(space, &self->point, point, false, why) &&
          device_array_numbers(space, precision, &self->stiffness, stiffness, false, why)))
        return false;
    self->count = point->count;
    self->version = point->version;
    self->twin.base.ops = pulls ? &pull_ops : &pull_products_ops;
    return !pulls || device_array_numbers(space, precision, &self->place, place, false, why);
}

static void pull_free(DvTwin *base)
{
    PullTwin *self = (PullTwin *)base;
    device_array_free(self->twin.space, &self->point);
    device_array_free(self->twin.space, &self->stiffness);
    device_array_free(self->twin.space, &self->place);
    twin_end(&self->twin);
}

/* f -= k stiffness (x - place); without places the vectors are displacements. */
static void pull(PullTwin *self, double k, uint32_t columns, const DvConstVec *x, DvAddress place, const DvVec *f)
{
    Space *space = self->twin.space;
    const uint64_t n = self->count * self->twin.dim;
    SPACE_LAUNCH(space, self->twin.precision, pull, n, .n = n, .of = COLUMNS_OF(columns, x, f),
                 .stiffness = SPACE_AT(self->stiffness.at), .place = SPACE_AT(place), .point = SPACE_AT(self->point.at),
                 .dim = self->twin.dim, .k = k);
}

static void pull_force(DvTwin *base, const DvStep *step, const DvConstVec *x, const DvConstVec *v, const DvVec *f)
{
    PullTwin *self = (PullTwin *)base;
    (void)step, (void)v;
    pull(self, 1.0, 1, x, self->place.at, f);
}

static void pull_products(DvTwin *base, const DvStep *step, double k, double b, uint32_t columns, const DvConstVec *dx,
                          const DvVec *df)
{
    PullTwin *self = (PullTwin *)base;
    (void)step, (void)b;
    pull(self, k, columns, dx, 0, df);
    space_reads(self->twin.space,
                dv_space_bytes(self->twin.precision, self->count * self->twin.dim) + self->count * sizeof(uint32_t));
}

static void pull_product(DvTwin *base, const DvStep *step, double k, double b, const DvConstVec *dx, const DvVec *df)
{
    pull_products(base, step, k, b, 1, dx, df);
}

static void pull_diagonal(DvTwin *base, const DvStep *step, double k, double b, const DvVec *df)
{
    const DvConstVec none = {NULL, 0, 0};
    (void)step, (void)b;
    pull((PullTwin *)base, k, 1, &none, 0, df);
}

static const DvTwinOps pull_ops = {.size = sizeof(DvTwinOps),
                                   .update = pull_update,
                                   .free = pull_free,
                                   .add_force = pull_force,
                                   .add_dforce = pull_product,
                                   .add_diagonal = pull_diagonal,
                                   .add_dforce_columns = pull_products};

/* Whose forces the component computes. */
static const DvTwinOps pull_products_ops = {.size = sizeof(DvTwinOps),
                                            .update = pull_update,
                                            .free = pull_free,
                                            .add_dforce = pull_product,
                                            .add_diagonal = pull_diagonal,
                                            .add_dforce_columns = pull_products};

Twin *pull_twin_new(void)
{
    PullTwin *self = dv_alloc(1, sizeof *self);
    self->twin.base.ops = &pull_ops;
    return &self->twin;
}

/* ---- Directions that are left out ---- */

typedef struct NormalTwin {
    Twin twin;
    DeviceArray point;
    double normal[6], offset, end;
    uint64_t count, version;
} NormalTwin;

static bool normal_update(DvTwin *base, const DvOperator *op, DvText *why)
{
    NormalTwin *self = (NormalTwin *)base;
    const DvOperatorPart *point = operator_part(op, "point", SIZE_MAX, 1, why);
    const DvOperatorPart *normal = point ? operator_part(op, "normal", 1, self->twin.dim, why) : NULL;
    const DvOperatorPart *offset = normal ? operator_part(op, "offset", 1, 1, why) : NULL;
    const DvOperatorPart *end = offset ? operator_part(op, "end", 1, 1, why) : NULL;
    if (!end)
        return false;
    memcpy(self->normal, normal->numbers, self->twin.dim * sizeof(double));
    self->offset = offset->numbers[0];
    self->end = end->numbers[0];
    if (self->point.at && self->version == point->version && self->count == point->count)
        return true;
    self->version = point->version;
    self->count = point->count;
    return check_points(&self->twin, point, why) &&
           device_array_indices(self->twin.space, &self->point, point, false, why);
}

static void normal_free(DvTwin *base)
{
    NormalTwin *self = (NormalTwin *)base;
    device_array_free(self->twin.space, &self->point);
    twin_end(&self->twin);
}

static void remove_normal(NormalTwin *self, const DvStep *step, const DvVec *x, double offset)
{
    Space *space = self->twin.space;
    const double *n = self->normal;
    if (self->end >= 0.0 && self->end <= step->time)
        return;
    SPACE_LAUNCH(space, self->twin.precision, remove_normal, self->count, .n = self->count, .x = (void *)x->at,
                 .point = SPACE_AT(self->point.at), .dim = self->twin.dim,
                 .normal = {n[0], n[1], n[2], n[3], n[4], n[5]}, .offset = offset);
}

static void normal_of_response(DvTwin *base, const DvStep *step, const DvVec *d)
{
    remove_normal((NormalTwin *)base, step, d, 0.0);
}

static void normal_of_position(DvTwin *base, const DvStep *step, const DvVec *x)
{
    remove_normal((NormalTwin *)base, step, x, ((NormalTwin *)base)->offset);
}

static const DvTwinOps normal_ops = {.size = sizeof(DvTwinOps),
                                     .update = normal_update,
                                     .free = normal_free,
                                     .project_response = normal_of_response,
                                     .project_position = normal_of_position};

Twin *normal_twin_new(void)
{
    NormalTwin *self = dv_alloc(1, sizeof *self);
    self->twin.base.ops = &normal_ops;
    return &self->twin;
}

/* ---- Planes ---- */

typedef struct PlaneTwin {
    Twin twin;
    DeviceArray touching;
    double normal[6], plane[5];  /* distance, stiffness, damping, largest force, 1 on both sides */
    uint32_t first, count, kept; /* kept: whether touching is of a force */
} PlaneTwin;

static bool plane_update(DvTwin *base, const DvOperator *op, DvText *why)
{
    PlaneTwin *self = (PlaneTwin *)base;
    const DvOperatorPart *normal = operator_part(op, "normal", 1, self->twin.dim, why);
    const DvOperatorPart *plane = normal ? operator_part(op, "plane", 1, 5, why) : NULL;
    const DvOperatorPart *range = plane ? operator_part(op, "range", 1, 2, why) : NULL;
    if (!range)
        return false;
    const uint32_t last = range->index[1] < self->twin.points ? range->index[1] : self->twin.points;
    memcpy(self->normal, normal->numbers, self->twin.dim * sizeof(double));
    memcpy(self->plane, plane->numbers, sizeof self->plane);
    self->first = range->index[0];
    self->count = last > self->first ? last - self->first : 0;
    self->kept = 0;
    return device_array_room(self->twin.space, &self->touching, self->count * sizeof(uint32_t), why);
}

static void plane_free(DvTwin *base)
{
    PlaneTwin *self = (PlaneTwin *)base;
    device_array_free(self->twin.space, &self->touching);
    twin_end(&self->twin);
}

static void plane_force(DvTwin *base, const DvStep *step, const DvConstVec *x, const DvConstVec *v, const DvVec *f)
{
    PlaneTwin *self = (PlaneTwin *)base;
    Space *space = self->twin.space;
    const double *n = self->normal, *plane = self->plane;
    (void)step;
    self->kept = 1;
    SPACE_LAUNCH(space, self->twin.precision, plane_force, self->count, .n = self->count, .x = (const void *)x->at,
                 .v = (const void *)v->at, .f = (void *)f->at, .touching = SPACE_AT(self->touching.at),
                 .first = self->first, .dim = self->twin.dim, .both = plane[4] != 0.0,
                 .normal = {n[0], n[1], n[2], n[3], n[4], n[5]}, .distance = plane[0], .stiffness = plane[1],
                 .damping = plane[2], .most = plane[3]);
}

static void plane_products(DvTwin *base, const DvStep *step, double k, double b, uint32_t columns, const DvConstVec *dx,
                           const DvVec *df)
{
    PlaneTwin *self = (PlaneTwin *)base;
    Space *space = self->twin.space;
    const double *n = self->normal, *plane = self->plane;
    (void)step, (void)b;
    if (!self->kept)
        return;
    SPACE_LAUNCH(space, self->twin.precision, plane_product, self->count, .n = self->count,
                 .of = COLUMNS_OF(columns, dx, df), .touching = SPACE_AT(self->touching.at), .first = self->first,
                 .dim = self->twin.dim, .normal = {n[0], n[1], n[2], n[3], n[4], n[5]}, .k = k * plane[1]);
    space_reads(space, self->count * sizeof(uint32_t));
}

static void plane_product(DvTwin *base, const DvStep *step, double k, double b, const DvConstVec *dx, const DvVec *df)
{
    plane_products(base, step, k, b, 1, dx, df);
}

static void plane_diagonal(DvTwin *base, const DvStep *step, double k, double b, const DvVec *df)
{
    const DvConstVec none = {NULL, 0, 0};
    plane_product(base, step, k, b, &none, df);
}

static const DvTwinOps plane_ops = {.size = sizeof(DvTwinOps),
                                    .update = plane_update,
                                    .free = plane_free,
                                    .add_force = plane_force,
                                    .add_dforce = plane_product,
                                    .add_diagonal = plane_diagonal,
                                    .add_dforce_columns = plane_products};

Twin *plane_twin_new(void)
{
    PlaneTwin *self = dv_alloc(1, sizeof *self);
    self->twin.base.ops = &plane_ops;
    return &self->twin;
}
