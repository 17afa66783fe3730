/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What projective constraints on some points of one state have in common.
 */
#include "constraint/constraint_base.h"

#include <math.h>
#include <string.h>

#include "state/mechanical_object.h"

const DvVariantSource constraint_sources[] = {{.attribute = "mstate", .path = "", .contract = DV_STATE}, {0}};

/* Start positions go along with their indices. Points that come back with a reset have none: all are taken anew. */
static void indices_changed(void *owner, const uint32_t *place, size_t count)
{
    ConstraintBase *base = owner;
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

DvStatus constraint_init(DvObject *object, ConstraintBase *base)
{
    const DvStatus status = dv_state_require(object, &base->mstate, &base->state);
    if (status != DV_OK)
        return status;
    size_t count;
    (void)constraint_indices(base, &count);
    DvObject *topology = point_set_topology(object, &base->topology_link);
    if (!topology)
        return DV_OK;
    base->points.indices = &base->indices;
    base->points.takes_new = false;
    base->points.changed = base->keeps_start ? indices_changed : NULL;
    base->points.owner = base;
    return point_set_follow(&base->points, topology);
}

void constraint_cleanup(DvObject *object, void *self)
{
    (void)object;
    point_set_leave(&((ConstraintBase *)self)->points);
}

void constraint_destroy(DvObject *object, void *self)
{
    (void)object;
    dv_state_release(&((ConstraintBase *)self)->state);
}

uint32_t constraint_states(void *self, DvObject *states[2])
{
    const ConstraintBase *base = self;
    states[0] = base->state.object;
    return base->state.ops ? 1 : 0;
}

bool constraint_is_active(ConstraintBase *base, const DvStep *step)
{
    const double end = dv_data_double(&base->end_time);
    return end < 0.0 || end > step->time;
}

const uint32_t *constraint_indices(ConstraintBase *base, size_t *count)
{
    const uint32_t points = state_count(base->state);
    if (dv_data_version(&base->indices) != base->indices_version || points != base->checked_points) {
        base->checked_points = points;
        (void)point_set_remove_out_of_range(&base->indices, points);
        base->indices_version = dv_data_version(&base->indices);
    }
    return dv_data_uints(&base->indices, count);
}

void constraint_clear(ConstraintBase *base, const DvVec *d)
{
    size_t count;
    const uint32_t *index = constraint_indices(base, &count);
    for (size_t i = 0; i < count; i++)
        for (uint32_t c = 0; c < d->dim; c++)
            d->at[(size_t)index[i] * d->dim + c] = 0.0;
}

void constraint_fix(ConstraintBase *base,
                    void (*fix)(void *context, uint32_t state, uint32_t point, uint32_t component), void *context)
{
    size_t count;
    const uint32_t *index = constraint_indices(base, &count);
    for (size_t i = 0; i < count; i++)
        for (uint32_t c = 0; c < base->state.dof->deriv; c++)
            fix(context, 0, index[i], c);
}

/* Twice on an axis is once, to the last bit: there n n^T has ones and zeros. */
void constraint_remove_normal(ConstraintBase *base, const double *n, uint32_t spatial, const DvVec *d)
{
    size_t count;
    const uint32_t *index = constraint_indices(base, &count);
    for (size_t i = 0; i < count; i++) {
        double *at = d->at + (size_t)index[i] * d->dim, along = 0.0;
        for (uint32_t c = 0; c < spatial; c++)
            along += n[c] * at[c];
        for (uint32_t c = 0; c < spatial; c++)
            at[c] -= n[c] * along;
    }
}

bool constraint_is_oblique(const double *n, uint32_t spatial)
{
    uint32_t along = 0;
    for (uint32_t c = 0; c < spatial; c++)
        along += n[c] != 0.0;
    return along > 1;
}

void constraint_fix_normal(ConstraintBase *base, const double *n, uint32_t spatial,
                           void (*fix)(void *context, uint32_t state, uint32_t point, uint32_t component),
                           void *context)
{
    const bool oblique = constraint_is_oblique(n, spatial);
    uint32_t component = 0;
    while (component < spatial && n[component] == 0.0)
        component++;
    if (oblique && !base->warned) {
        dv_warning(dv_object_of(base),
                   "its direction is along no axis: an assembled system is left unconstrained by it; use a linear "
                   "solver without a matrix (CGLinearSolver template=\"GraphScattered\")");
        base->warned = true;
    }
    size_t count;
    const uint32_t *index = constraint_indices(base, &count);
    for (size_t i = 0; i < count && !oblique; i++)
        fix(context, 0, index[i], component);
}

const double *constraint_start(ConstraintBase *base, const DvVec *x)
{
    size_t count, numbers;
    const uint32_t *index = constraint_indices(base, &count);
    const double *start = dv_data_doubles(&base->start, &numbers);
    if (numbers == count * x->dim)
        return start;
    double *now = dv_data_begin_all(&base->start, count * x->dim);
    for (size_t i = 0; i < count; i++)
        memcpy(now + i * x->dim, x->at + (size_t)index[i] * x->dim, x->dim * sizeof *now);
    dv_data_end(&base->start);
    return dv_data_doubles(&base->start, NULL);
}

void constraint_draw(ConstraintBase *base, DvDraw *draw, bool all, double radius)
{
    static const double red[4] = {1.0, 0.5, 0.5, 1.0};
    if (!base->state.ops || !dv_draw_shows(draw, DV_DISPLAY_BEHAVIOR_MODELS))
        return;
    const DvConstVec x = dv_state_read(base->state, DV_POSITION);
    size_t count = x.count;
    const uint32_t *index = all ? NULL : constraint_indices(base, &count);
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
