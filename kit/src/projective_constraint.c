/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What projective constraints on some points of one state have in common.
 */
#include <divan/kit/projective_constraint.h>

#include <divan/memory.h>

#include <math.h>
#include <string.h>

/* Start positions go along with their indices. Points that come back with a reset have none: all are taken anew. */
static void indices_changed(void *owner, const uint32_t *place, size_t count)
{
    DvProjectiveConstraint *base = owner;
    const size_t coord = base->state.dof->coord;
    size_t numbers;
    const double *start = dv_data_doubles(&base->start, &numbers);
    double *kept = dv_alloc(count, coord * sizeof *kept);
    bool all = true;
    for (size_t i = 0; i < count; i++) {
        const size_t from = place[i] * coord;
        const bool known = place[i] != UINT32_MAX && from + coord <= numbers;
        if (known)
            memcpy(kept + i * coord, start + from, coord * sizeof *kept);
        all = all && known;
    }
    if (numbers > 0)
        dv_data_set(&base->start, kept, all ? count * coord : 0);
    dv_free(kept);
}

DvStatus dv_projective_init(DvObject *object, DvProjectiveConstraint *base)
{
    const DvStatus status = dv_state_require(object, &base->mstate, &base->state);
    if (status != DV_OK)
        return status;
    size_t count;
    (void)dv_projective_indices(base, &count);
    DvObject *topology = dv_point_set_topology(object, &base->topology_link);
    if (!topology)
        return DV_OK;
    base->points.indices = &base->indices;
    base->points.takes_new = false;
    base->points.changed = base->keeps_start ? indices_changed : NULL;
    base->points.owner = base;
    return dv_point_set_follow(&base->points, topology);
}

void dv_projective_cleanup(DvObject *object, void *self)
{
    (void)object;
    dv_point_set_leave(&((DvProjectiveConstraint *)self)->points);
}

void dv_projective_destroy(DvObject *object, void *self)
{
    (void)object;
    dv_state_release(&((DvProjectiveConstraint *)self)->state);
}

uint32_t dv_projective_states(void *self, DvObject *states[2])
{
    const DvProjectiveConstraint *base = self;
    states[0] = base->state.object;
    return base->state.ops ? 1 : 0;
}

bool dv_projective_is_active(DvProjectiveConstraint *base, const DvStep *step)
{
    const double end = dv_data_double(&base->end_time);
    return end < 0.0 || end > step->time;
}

const uint32_t *dv_projective_indices(DvProjectiveConstraint *base, size_t *count)
{
    const uint32_t points = dv_state_count(base->state);
    if (dv_data_version(&base->indices) != base->indices_version || points != base->checked_points) {
        base->checked_points = points;
        (void)dv_point_set_remove_out_of_range(&base->indices, points);
        base->indices_version = dv_data_version(&base->indices);
    }
    return dv_data_uints(&base->indices, count);
}

void dv_projective_clear(DvProjectiveConstraint *base, const DvVec *d)
{
    size_t count;
    const uint32_t *index = dv_projective_indices(base, &count);
    for (size_t i = 0; i < count; i++)
        for (uint32_t c = 0; c < d->dim; c++)
            d->at[(size_t)index[i] * d->dim + c] = 0.0;
}

void dv_projective_fix(DvProjectiveConstraint *base,
                       void (*fix)(void *context, uint32_t state, uint32_t point, uint32_t component), void *context)
{
    size_t count;
    const uint32_t *index = dv_projective_indices(base, &count);
    for (size_t i = 0; i < count; i++)
        for (uint32_t c = 0; c < base->state.dof->deriv; c++)
            fix(context, 0, index[i], c);
}

void dv_projective_fixed(void *self, const DvStep *step,
                         void (*fix)(void *context, uint32_t state, uint32_t point, uint32_t component), void *context)
{
    if (dv_projective_is_active(self, step))
        dv_projective_fix(self, fix, context);
}

uint64_t dv_projective_structure(void *self, const DvStep *step)
{
    DvProjectiveConstraint *base = self;
    return 2 * dv_data_version(&base->indices) + (dv_projective_is_active(base, step) ? 1 : 0);
}

const double *dv_projective_start(DvProjectiveConstraint *base, const DvVec *x)
{
    size_t count, numbers;
    const uint32_t *index = dv_projective_indices(base, &count);
    const double *start = dv_data_doubles(&base->start, &numbers);
    if (numbers == count * x->dim)
        return start;
    double *now = dv_data_begin_all(&base->start, count * x->dim);
    for (size_t i = 0; i < count; i++)
        memcpy(now + i * x->dim, x->at + (size_t)index[i] * x->dim, x->dim * sizeof *now);
    dv_data_end(&base->start);
    return dv_data_doubles(&base->start, NULL);
}

/* ---- Along a direction ---- */

static uint32_t spatial_of(const DvProjectiveConstraint *base)
{
    return base->state.dof->rotation ? 3 : base->state.dof->deriv;
}

bool dv_projective_normal(const DvProjectiveConstraint *base, DvData *direction, double n[DV_PROJECTIVE_COMPONENTS])
{
    const double *given = dv_data_doubles(direction, NULL);
    const uint32_t spatial = spatial_of(base);
    double square = 0.0;
    for (uint32_t c = 0; c < spatial; c++)
        square += given[c] * given[c];
    const double length = square == 1.0 ? 1.0 : sqrt(square);
    for (uint32_t c = 0; c < spatial && length > 0.0; c++)
        n[c] = given[c] / length;
    return length > 0.0;
}

/* Twice on an axis is once, to the last bit: there n n^T has ones and zeros. */
void dv_projective_remove_normal(DvProjectiveConstraint *base, const double *n, const DvVec *d)
{
    const uint32_t spatial = spatial_of(base);
    size_t count;
    const uint32_t *index = dv_projective_indices(base, &count);
    for (size_t i = 0; i < count; i++) {
        double *at = d->at + (size_t)index[i] * d->dim, along = 0.0;
        for (uint32_t c = 0; c < spatial; c++)
            along += n[c] * at[c];
        for (uint32_t c = 0; c < spatial; c++)
            at[c] -= n[c] * along;
    }
}

bool dv_projective_is_oblique(const DvProjectiveConstraint *base, const double *n)
{
    uint32_t along = 0;
    for (uint32_t c = 0; c < spatial_of(base); c++)
        along += n[c] != 0.0;
    return along > 1;
}

void dv_projective_fix_normal(DvProjectiveConstraint *base, const double *n,
                              void (*fix)(void *context, uint32_t state, uint32_t point, uint32_t component),
                              void *context)
{
    const bool oblique = dv_projective_is_oblique(base, n);
    uint32_t component = 0;
    while (component < spatial_of(base) && n[component] == 0.0)
        component++;
    if (oblique && !base->warned) {
        dv_warning(dv_object_of(base),
                   "its direction is along no axis: an assembled system does not contain it; use a linear "
                   "solver without a matrix (CGLinearSolver template=\"GraphScattered\")");
        base->warned = true;
    }
    size_t count;
    const uint32_t *index = dv_projective_indices(base, &count);
    for (size_t i = 0; i < count && !oblique; i++)
        fix(context, 0, index[i], component);
}

void dv_projective_describe_normal(DvProjectiveConstraint *base, const double *n, const double *offset, bool velocities,
                                   uint64_t version, DvOperator *out)
{
    static const uint32_t yes = 1, no = 0;
    size_t count, times;
    const uint32_t *index = dv_projective_indices(base, &count);
    const uint64_t of_points = 1 + dv_data_version(&base->indices);
    out->name = "removed normal";
    dv_operator_add_indices(out, "point", index, count, 1, of_points);
    dv_operator_add_numbers(out, "normal", n, 1, base->state.dof->deriv, version);
    dv_operator_add_numbers(out, "offset", offset, 1, 1, version);
    dv_operator_add_numbers(out, "end", dv_data_doubles(&base->end_time, &times), 1, 1,
                            dv_data_version(&base->end_time));
    dv_operator_add_indices(out, "velocities", velocities ? &yes : &no, 1, 1, 0);
}

/* ---- Drawing ---- */

void dv_projective_draw(DvProjectiveConstraint *base, DvDraw *draw, bool all, double radius)
{
    static const double red[4] = {1.0, 0.5, 0.5, 1.0};
    if (!base->state.ops || !dv_draw_shows(draw, DV_DISPLAY_BEHAVIOR_MODELS))
        return;
    const DvConstVec x = dv_state_read(base->state, DV_POSITION);
    size_t count = x.count;
    const uint32_t *index = all ? NULL : dv_projective_indices(base, &count);
    double *points = dv_alloc(count, 3 * sizeof *points), *radii = dv_alloc(count, sizeof *radii);
    for (size_t i = 0; i < count; i++) {
        memcpy(points + 3 * i, x.at + (size_t)(all ? i : index[i]) * x.dim, base->state.dof->spatial * sizeof *points);
        radii[i] = radius;
    }
    if (radius > 0.0)
        draw->ops->spheres(draw, points, radii, (uint32_t)count, red);
    else
        draw->ops->points(draw, points, (uint32_t)count, 10.0, red);
    dv_free(points);
    dv_free(radii);
}

static void draw_dots(void *self, DvDraw *draw)
{
    dv_projective_draw(self, draw, false, 0.0);
}

const DvDrawableOps dv_projective_drawable = {.size = sizeof(DvDrawableOps), .draw = draw_dots};
