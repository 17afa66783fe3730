/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Unknowns that turn with the bodies they belong to.
 */
#include "linear/rotated_unknowns.h"

#include <divan/memory.h>

#include <string.h>

DvStatus rotated_unknowns_find(RotatedUnknowns *unknowns, DvObject *object, DvLink *link, bool required)
{
    DvObject *found = link != NULL ? dv_link_object(link) : NULL;
    if (link != NULL && dv_link_is_set(link) && found == NULL)
        return dv_field_error(&link->data, -1, "leads to nothing that knows rotations");
    if (found == NULL)
        found = dv_node_find(dv_object_node(object), DV_ROTATIONS, DV_SEARCH_UP);
    if (found == NULL)
        found = dv_node_find(dv_object_node(object), DV_ROTATIONS, DV_SEARCH_DOWN);
    if (found == NULL)
        return required
                   ? dv_error(
                         object, DV_ERROR_MISSING,
                         "nothing around it knows how bodies turn: add a force field with large rotations, such as "
                         "TetrahedronFEMForceField or HexahedronFEMForceField, or take the preconditioner's solver by "
                         "itself")
                   : DV_OK;
    const DvStatus status = dv_object_require(object, found);
    if (status != DV_OK)
        return status;
    unknowns->ops = dv_object_ops(found, DV_ROTATIONS);
    unknowns->self = dv_object_self(found);
    if (link != NULL && !dv_link_is_set(link))
        dv_link_set(link, found);
    return DV_OK;
}

void rotated_unknowns_free(RotatedUnknowns *unknowns)
{
    dv_free(unknowns->kept);
    dv_free(unknowns->rotation);
    *unknowns = (RotatedUnknowns){0};
}

static void reserve(RotatedUnknowns *unknowns, uint32_t points)
{
    if (points > unknowns->capacity) {
        dv_free(unknowns->kept);
        dv_free(unknowns->rotation);
        unknowns->capacity = points;
        unknowns->kept = dv_alloc(points, 9 * sizeof *unknowns->kept);
        unknowns->rotation = dv_alloc(points, 9 * sizeof *unknowns->rotation);
    }
    unknowns->points = points;
}

/* The state of the rotations among those of the mechanics, of points in the plane or in space. */
static void find_state(RotatedUnknowns *unknowns, const DvMechanicalOperationsOps *ops, DvMechanics *m)
{
    unknowns->dimension = 0;
    DvObject *object = unknowns->ops != NULL ? unknowns->ops->state(unknowns->self) : NULL;
    if (object == NULL)
        return;
    unknowns->state = dv_state_ref(object);
    unknowns->begin = ops->offset(m, object);
    const uint32_t numbers = unknowns->state.dof->deriv;
    if (unknowns->begin != SIZE_MAX && unknowns->state.dof->coord == numbers && (numbers == 2 || numbers == 3)) {
        unknowns->dimension = numbers;
        return;
    }
    if (!unknowns->told)
        dv_remark(dv_object_of(unknowns->self),
                  "its rotations are those of '%s', which the linear system has no points of: it is not turned",
                  dv_object_path(object));
    unknowns->told = true;
}

void rotated_unknowns_keep(RotatedUnknowns *unknowns, const DvMechanicalOperationsOps *ops, DvMechanics *m,
                           const DvStep *step)
{
    find_state(unknowns, ops, m);
    unknowns->restored = false;
    if (unknowns->dimension == 0)
        return;
    const DvConstVec x = dv_state_read(unknowns->state, step->position);
    reserve(unknowns, x.count);
    unknowns->ops->rotations(unknowns->self, &x, unknowns->kept);
    memset(unknowns->rotation, 0, 9 * (size_t)x.count * sizeof *unknowns->rotation);
    for (size_t p = 0; p < x.count; p++)
        unknowns->rotation[9 * p] = unknowns->rotation[9 * p + 4] = unknowns->rotation[9 * p + 8] = 1.0;
}

void rotated_unknowns_save(const RotatedUnknowns *unknowns, DvData *numbers)
{
    dv_data_set(numbers, unknowns->kept, unknowns->dimension > 0 ? 9 * (size_t)unknowns->points : 0);
}

void rotated_unknowns_restore(RotatedUnknowns *unknowns, DvData *numbers)
{
    size_t count;
    const double *kept = dv_data_doubles(numbers, &count);
    unknowns->dimension = 0;
    unknowns->restored = count > 0 && count % 9 == 0 && count / 9 <= UINT32_MAX;
    if (!unknowns->restored)
        return;
    reserve(unknowns, (uint32_t)(count / 9));
    memcpy(unknowns->kept, kept, count * sizeof *kept);
}

void rotated_unknowns_save_turned(const RotatedUnknowns *unknowns, DvData *numbers)
{
    dv_data_set(numbers, unknowns->rotation, unknowns->dimension > 0 ? 9 * (size_t)unknowns->points : 0);
}

void rotated_unknowns_resume(RotatedUnknowns *unknowns, const DvMechanicalOperationsOps *ops, DvMechanics *m,
                             DvData *numbers)
{
    size_t count;
    const double *turned = dv_data_doubles(numbers, &count);
    if (unknowns->restored)
        find_state(unknowns, ops, m);
    unknowns->restored = false;
    if (count != 9 * (size_t)unknowns->points)
        unknowns->dimension = 0;
    if (unknowns->dimension > 0)
        memcpy(unknowns->rotation, turned, count * sizeof *turned);
}

void rotated_unknowns_turn(RotatedUnknowns *unknowns, const DvMechanicalOperationsOps *ops, DvMechanics *m,
                           const DvStep *step)
{
    if (unknowns->restored)
        find_state(unknowns, ops, m);
    unknowns->restored = false;
    if (unknowns->dimension == 0)
        return;
    const DvConstVec x = dv_state_read(unknowns->state, step->position);
    if (x.count != unknowns->points) { /* another mesh: nothing is known of its points */
        unknowns->dimension = 0;
        return;
    }
    unknowns->ops->rotations(unknowns->self, &x, unknowns->rotation);
    for (size_t p = 0; p < x.count; p++) {
        double *r = unknowns->rotation + 9 * p, now[9];
        const double *kept = unknowns->kept + 9 * p;
        memcpy(now, r, sizeof now);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                r[3 * i + j] =
                    now[3 * i] * kept[3 * j] + now[3 * i + 1] * kept[3 * j + 1] + now[3 * i + 2] * kept[3 * j + 2];
    }
}

void rotated_unknowns_apply(const RotatedUnknowns *unknowns, bool back, double *out, const double *in, size_t n)
{
    const uint32_t d = unknowns->dimension;
    if (out != in)
        memcpy(out, in, n * sizeof *out);
    if (d == 0 || unknowns->begin + (size_t)d * unknowns->points > n)
        return;
    const uint32_t row = back ? 1 : 3, column = back ? 3 : 1;
    for (uint32_t p = 0; p < unknowns->points; p++) {
        const double *r = unknowns->rotation + 9 * (size_t)p;
        double *at = out + unknowns->begin + (size_t)d * p;
        const double v[3] = {at[0], at[1], d == 3 ? at[2] : 0.0};
        for (uint32_t i = 0; i < d; i++) {
            at[i] = r[i * row] * v[0] + r[i * row + column] * v[1];
            if (d == 3)
                at[i] += r[i * row + 2 * column] * v[2];
        }
    }
}
