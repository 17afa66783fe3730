/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How Lagrangian constraints hold their states and follow their meshes.
 */
#include <divan/kit/lagrangian_constraint.h>

#include <assert.h>
#include <divan/element_data.h>
#include <math.h>

DvStatus dv_lagrangian_init(DvObject *object, DvLagrangianConstraint *base, uint32_t states,
                            const DvConstraintForm *form)
{
    DvStatus status = DV_OK;
    dv_lagrangian_release(base);
    for (uint32_t side = 0; status == DV_OK && side < states; side++)
        status = dv_state_require(object, &base->link[side], &base->state[side]);
    if (status == DV_OK) {
        base->states = states;
        base->form = form;
    } else {
        dv_lagrangian_release(base);
    }
    return status;
}

void dv_lagrangian_release(DvLagrangianConstraint *base)
{
    for (uint32_t side = 0; side < 2; side++) {
        dv_element_data_detach(&base->followed[side]);
        dv_state_release(&base->state[side]);
    }
    for (uint32_t i = 0; i < base->following_count; i++)
        dv_start_values_free(&base->starts[i]);
    base->states = base->rows = base->following_count = 0;
}

void dv_lagrangian_cleanup(DvObject *object, void *self)
{
    (void)object;
    dv_lagrangian_release(self);
}

/* ---- Points that get other numbers ---- */

static uint32_t sides_of(const DvLagrangianConstraint *base, const DvElementData *data)
{
    if (base->states == 2 && dv_lagrangian_is_of_one_state(base))
        return 3;
    return data == &base->followed[0] ? 1 : 2;
}

static void points_changed(DvElementData *data, const DvElementChange *change)
{
    DvLagrangianConstraint *base = data->owner;
    if (change->change != DV_ELEMENTS_REMOVED && change->change != DV_ELEMENTS_RENUMBERED)
        return;
    DvRenumbering numbers = dv_renumbering_of(change);
    base->form->points_moved(base, sides_of(base, data), &numbers);
    dv_renumbering_free(&numbers);
}

/* A saved scene has put the numbers back itself. */
static void points_replaced(DvElementData *data, DvMeshReplacement why)
{
    const DvLagrangianConstraint *base = data->owner;
    for (uint32_t i = 0; i < base->following_count && why == DV_MESH_RESET; i++)
        if (dv_start_values_put_back(&base->starts[i], base->following[i]) && base->form->started_again)
            base->form->started_again(data->owner);
}

static DvStatus follow_side(DvLagrangianConstraint *base, uint32_t side, const DvLink *link)
{
    if (side == 1 && dv_lagrangian_is_of_one_state(base))
        return DV_OK;
    DvObject *topology = link ? dv_link_object(link) : NULL;
    if (!topology)
        topology = dv_node_slot(dv_object_node(base->state[side].object), DV_TOPOLOGY);
    const DvTopologyOps *mesh = topology ? dv_object_ops(topology, DV_TOPOLOGY) : NULL;
    if (!mesh || !mesh->is_dynamic(dv_object_self(topology)))
        return DV_OK;
    base->followed[side] = (DvElementData){
        .kind = DV_POINTS, .entry_size = 1, .owner = base, .changed = points_changed, .replaced = points_replaced};
    return dv_element_data_attach(&base->followed[side], topology);
}

DvStatus dv_lagrangian_follow(DvLagrangianConstraint *base, const DvLink *topology, DvData *const *fields,
                              uint32_t count)
{
    assert(count <= DV_LAGRANGIAN_FOLLOWING);
    DvStatus status = DV_OK;
    for (uint32_t side = 0; status == DV_OK && side < base->states; side++)
        status = follow_side(base, side, topology ? &topology[side] : NULL);
    const bool follows = base->followed[0].topology || base->followed[1].topology;
    for (uint32_t i = 0; status == DV_OK && follows && i < count; i++) {
        base->following[i] = fields[i];
        dv_start_values_keep(&base->starts[base->following_count++], fields[i]);
    }
    return status;
}

void dv_lagrangian_move_point(DvData *field, const DvRenumbering *numbers)
{
    const int32_t point = dv_data_int(field);
    const uint32_t now = point < 0 ? UINT32_MAX : dv_renumbering_new(numbers, (uint32_t)point);
    if (point >= 0 && now == UINT32_MAX)
        dv_field_warning(field, -1, "point %d has left its mesh: the constraint does nothing from now on", point);
    if (now != (uint32_t)point)
        dv_data_set_int(field, now == UINT32_MAX ? -1 : (int32_t)now);
}

/* ---- A step ---- */

uint32_t dv_lagrangian_states(void *self, DvObject **states, uint32_t capacity)
{
    const DvLagrangianConstraint *base = self;
    for (uint32_t side = 0; side < base->states && side < capacity; side++)
        states[side] = base->state[side].object;
    return base->states;
}

bool dv_lagrangian_begin(DvLagrangianConstraint *base, const DvStep *step, const DvConstraintRows *rows)
{
    const double end = dv_data_double(&base->end_time);
    base->rows = 0;
    base->position = step->position;
    if (dv_data_uint(&base->constraint_index) != rows->next)
        dv_data_set_uint(&base->constraint_index, rows->next);
    return !(end >= 0.0 && end <= step->time);
}

static void read_states(const DvLagrangianConstraint *base, DvVecId id, DvConstVec at[2])
{
    for (uint32_t side = 0; side < base->states; side++)
        at[side] = dv_state_read(base->state[side], id);
}

DvStatus dv_lagrangian_violation(void *self, const DvStep *step, DvConstraintOrder order, double *d)
{
    const DvLagrangianConstraint *base = self;
    if (base->rows == 0)
        return DV_OK;
    DvConstVec x[2], v[2];
    read_states(base, order == DV_CONSTRAIN_POSITION ? step->position : base->position, x);
    base->form->gap(self, x, d);
    if (order == DV_CONSTRAIN_POSITION)
        return DV_OK;
    const double rate = 1.0 / step->dt;
    for (uint32_t r = 0; r < base->rows; r++)
        d[r] *= rate;
    read_states(base, step->velocity, v);
    base->form->add_rate(self, v, d);
    return DV_OK;
}

/* ---- Checks ---- */

DvStatus dv_lagrangian_check_points(DvLagrangianConstraint *base, uint32_t side, DvData *field)
{
    const uint32_t points = dv_state_count(base->state[side]);
    size_t count;
    const uint32_t *point = dv_data_uints(field, &count);
    for (size_t i = 0; i < count; i++)
        if (point[i] >= points)
            return dv_field_error_missing(field, (int64_t)i, "point", point[i], "the state", points);
    return DV_OK;
}

DvStatus dv_lagrangian_check_point(DvLagrangianConstraint *base, uint32_t side, DvData *field)
{
    const uint32_t points = dv_state_count(base->state[side]);
    const uint32_t point = (uint32_t)dv_data_int(field);
    return point < points ? DV_OK : dv_field_error_missing(field, -1, "point", point, "the state", points);
}

DvStatus dv_lagrangian_check_finite(DvData *field)
{
    const double *number = dv_data_read(field);
    const uint32_t components = field->type->components;
    for (size_t i = 0; i < field->count * components; i++)
        if (!isfinite(number[i]))
            return dv_field_error(field, field->type->list ? (int64_t)(i / components) : -1, "must be a finite number");
    return DV_OK;
}

DvStatus dv_lagrangian_check_rest(const DvLagrangianConstraint *base)
{
    if (dv_state_read(base->state[0], DV_REST_POSITION).at)
        return DV_OK;
    return dv_error(dv_object_of(base), DV_ERROR_INVALID,
                    "state '%s' has no rest positions; what is held needs those of a MechanicalObject",
                    dv_object_path(base->state[0].object));
}
