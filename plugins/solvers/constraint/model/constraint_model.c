/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How Lagrangian constraints hold their states and follow their meshes.
 */
#include "constraint/model/constraint_model.h"

#include <math.h>
#include <string.h>

#include <divan/element_data.h>

const DvVariantSource one_state_sources[] = {{"mstate", "", DV_STATE}, {0}};
const DvVariantSource two_state_sources[] = {{"object1", "@./", DV_STATE}, {"object2", "@./", DV_STATE}, {0}};

DvStatus constraint_model_init(DvObject *object, ConstraintModel *model, uint32_t states, const ConstraintForm *form)
{
    DvStatus status = DV_OK;
    constraint_model_release(model);
    for (uint32_t side = 0; status == DV_OK && side < states; side++)
        status = dv_state_require(object, &model->link[side], &model->state[side]);
    if (status == DV_OK) {
        model->states = states;
        model->form = form;
    } else {
        constraint_model_release(model);
    }
    return status;
}

void constraint_model_release(ConstraintModel *model)
{
    for (uint32_t side = 0; side < 2; side++) {
        dv_element_data_detach(&model->followed[side]);
        dv_state_release(&model->state[side]);
    }
    for (uint32_t i = 0; i < model->start_count; i++)
        dv_free(model->starts[i].elements);
    model->states = model->rows = model->start_count = 0;
}

/* ---- Points that get other numbers ---- */

static uint32_t sides_of(const ConstraintModel *model, const DvElementData *data)
{
    if (model->states == 2 && constraint_model_is_of_one_state(model))
        return 3;
    return data == &model->followed[0] ? 1 : 2;
}

static void point_removed(DvElementData *data, uint32_t index)
{
    ConstraintModel *model = data->owner;
    const PointMove move = {.gone = index, .last = data->count - 1};
    model->form->points_moved(model, sides_of(model, data), &move);
}

static void points_changed(DvElementData *data, const DvElementChange *change)
{
    ConstraintModel *model = data->owner;
    if (change->change != DV_ELEMENTS_RENUMBERED)
        return;
    uint32_t *now = dv_alloc(change->count, sizeof *now);
    for (uint32_t i = 0; i < change->count; i++)
        now[change->indices[i]] = i;
    const PointMove move = {.now = now, .count = change->count};
    model->form->points_moved(model, sides_of(model, data), &move);
    dv_free(now);
}

/* A saved scene has put the numbers back itself. */
static void points_replaced(DvElementData *data, DvMeshReplacement why)
{
    const ConstraintModel *model = data->owner;
    for (uint32_t i = 0; i < model->start_count && why == DV_MESH_RESET; i++) {
        const StartOfField *start = &model->starts[i];
        DvData *field = start->field;
        const void *now = dv_data_read(field);
        const size_t size = start->count * field->type->element_size;
        if (field->count == start->count && (size == 0 || memcmp(now, start->elements, size) == 0))
            continue;
        dv_data_set(field, start->elements, start->count);
        if (model->form->started_again)
            model->form->started_again(data->owner);
    }
}

void constraint_model_keep_start(ConstraintModel *model, DvData *field)
{
    if (!model->followed[0].topology && !model->followed[1].topology)
        return;
    const void *now = dv_data_read(field);
    const size_t size = field->count * field->type->element_size;
    StartOfField *start = &model->starts[model->start_count++];
    *start = (StartOfField){field, dv_alloc(size, 1), field->count};
    if (size > 0)
        memcpy(start->elements, now, size);
}

DvStatus constraint_model_follow(ConstraintModel *model, uint32_t side, const DvLink *link)
{
    if (side == 1 && constraint_model_is_of_one_state(model))
        return DV_OK;
    DvObject *topology = link ? dv_link_object(link) : NULL;
    if (!topology)
        topology = dv_node_slot(dv_object_node(model->state[side].object), DV_TOPOLOGY);
    const DvTopologyOps *mesh = topology ? dv_object_ops(topology, DV_TOPOLOGY) : NULL;
    if (!mesh || !mesh->is_dynamic(dv_object_self(topology)))
        return DV_OK;
    model->followed[side] = (DvElementData){.kind = DV_POINTS,
                                            .entry_size = 1,
                                            .owner = model,
                                            .removed = point_removed,
                                            .changed = points_changed,
                                            .replaced = points_replaced};
    return dv_element_data_attach(&model->followed[side], topology);
}

void constraint_model_move_point(DvData *field, const PointMove *move)
{
    const int32_t point = dv_data_int(field);
    const uint32_t now = point < 0 ? UINT32_MAX : moved_point(move, (uint32_t)point);
    if (point >= 0 && now == UINT32_MAX)
        dv_field_warning(field, -1, "point %d has left its mesh: the constraint does nothing from now on", point);
    if (now != (uint32_t)point)
        dv_data_set_int(field, now == UINT32_MAX ? -1 : (int32_t)now);
}

/* ---- A step ---- */

uint32_t constraint_model_states(void *self, DvObject **states, uint32_t capacity)
{
    const ConstraintModel *model = self;
    for (uint32_t side = 0; side < model->states && side < capacity; side++)
        states[side] = model->state[side].object;
    return model->states;
}

bool constraint_model_begin(ConstraintModel *model, const DvStep *step, const DvConstraintRows *rows)
{
    const double end = dv_data_double(&model->end_time);
    model->rows = 0;
    model->position = step->position;
    if (dv_data_uint(&model->constraint_index) != rows->next)
        dv_data_set_uint(&model->constraint_index, rows->next);
    return !(end >= 0.0 && end <= step->time);
}

static void read_states(const ConstraintModel *model, DvVecId id, DvConstVec at[2])
{
    for (uint32_t side = 0; side < model->states; side++)
        at[side] = dv_state_read(model->state[side], id);
}

DvStatus constraint_model_violation(void *self, const DvStep *step, DvConstraintOrder order, double *d)
{
    const ConstraintModel *model = self;
    if (model->rows == 0)
        return DV_OK;
    DvConstVec x[2], v[2];
    read_states(model, order == DV_CONSTRAIN_POSITION ? step->position : model->position, x);
    model->form->gap(self, x, d);
    if (order == DV_CONSTRAIN_POSITION)
        return DV_OK;
    const double rate = 1.0 / step->dt;
    for (uint32_t r = 0; r < model->rows; r++)
        d[r] *= rate;
    read_states(model, step->velocity, v);
    model->form->add_rate(self, v, d);
    return DV_OK;
}

/* ---- Checks ---- */

DvStatus constraint_model_check_points(ConstraintModel *model, uint32_t side, DvData *field)
{
    const uint32_t points = dv_state_count(model->state[side]);
    size_t count;
    const uint32_t *point = dv_data_uints(field, &count);
    for (size_t i = 0; i < count; i++)
        if (point[i] >= points)
            return dv_field_error_missing(field, (int64_t)i, "point", point[i], "the state", points);
    return DV_OK;
}

DvStatus constraint_model_check_point(ConstraintModel *model, uint32_t side, DvData *field)
{
    const uint32_t points = dv_state_count(model->state[side]);
    const uint32_t point = (uint32_t)dv_data_int(field);
    return point < points ? DV_OK : dv_field_error_missing(field, -1, "point", point, "the state", points);
}

DvStatus constraint_model_check_finite(DvData *field)
{
    const double *number = dv_data_read(field);
    const uint32_t components = field->type->components;
    for (size_t i = 0; i < field->count * components; i++)
        if (!isfinite(number[i]))
            return dv_field_error(field, field->type->list ? (int64_t)(i / components) : -1, "must be a finite number");
    return DV_OK;
}

DvStatus constraint_model_check_rest(const ConstraintModel *model)
{
    if (dv_state_read(model->state[0], DV_REST_POSITION).at)
        return DV_OK;
    return dv_error(dv_object_of(model), DV_ERROR_INVALID,
                    "state '%s' has no rest positions; what is held needs those of a MechanicalObject",
                    dv_object_path(model->state[0].object));
}
