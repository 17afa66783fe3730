/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The service divan.device-operators/1: which operators have a twin in the spaces of this plugin.
 */
#include "operators.h"

#include <divan/memory.h>

#include <string.h>

/* ---- Arrays ---- */

bool device_array_room(Space *space, DeviceArray *array, size_t bytes, DvText *why)
{
    if (array->at && array->bytes >= bytes)
        return true;
    device_array_free(space, array);
    array->at = device_take(space->device, bytes ? bytes : 1);
    array->bytes = bytes;
    if (!array->at)
        dv_text_add(why, "the device has no memory for %zu bytes more", bytes);
    return array->at != 0;
}

bool device_array_ample(Space *space, DeviceArray *array, size_t bytes, DvText *why)
{
    return (array->at && array->bytes >= bytes) || device_array_room(space, array, 2 * bytes, why);
}

void device_array_free(Space *space, DeviceArray *array)
{
    if (array->at)
        space->device->ops->give(space->device, array->at);
    *array = (DeviceArray){0};
}

bool device_array_put(Space *space, DeviceArray *array, const void *from, size_t bytes, DvText *why)
{
    if (!device_array_room(space, array, bytes, why))
        return false;
    if (bytes)
        memcpy(space->device->ops->put(space->device, array->at, bytes), from, bytes);
    return true;
}

/* Where numbers of a part go. */
typedef struct Shape {
    bool by_component;
    const uint32_t *order; /* by component: the i-th one is of entry order[i]; NULL: i */
} Shape;

static size_t place_of(const DvOperatorPart *part, size_t i, uint32_t k, const Shape *shape)
{
    return shape->by_component ? k * part->count + i : i * part->width + k;
}

static size_t source_of(const DvOperatorPart *part, size_t i, uint32_t k, const Shape *shape)
{
    return (shape->order ? shape->order[i] : i) * part->width + k;
}

static bool put_numbers(Space *space, DvPrecision precision, DeviceArray *array, const DvOperatorPart *part,
                        const Shape *shape, DvText *why)
{
    const size_t bytes = dv_space_bytes(precision, part->count * part->width);
    if (!device_array_room(space, array, bytes, why) || bytes == 0)
        return array->at != 0;
    void *to = space->device->ops->put(space->device, array->at, bytes);
    for (size_t i = 0; i < part->count; i++)
        for (uint32_t k = 0; k < part->width; k++) {
            const double value = part->numbers[source_of(part, i, k, shape)];
            const size_t place = place_of(part, i, k, shape);
            if (precision == DV_FLOAT)
                ((float *)to)[place] = (float)value;
            else
                ((double *)to)[place] = value;
        }
    return true;
}

static bool put_indices(Space *space, DeviceArray *array, const DvOperatorPart *part, const Shape *shape, DvText *why)
{
    const size_t bytes = part->count * part->width * sizeof(uint32_t);
    if (!device_array_room(space, array, bytes, why) || bytes == 0)
        return array->at != 0;
    uint32_t *to = space->device->ops->put(space->device, array->at, bytes);
    for (size_t i = 0; i < part->count; i++)
        for (uint32_t k = 0; k < part->width; k++)
            to[place_of(part, i, k, shape)] = part->index[source_of(part, i, k, shape)];
    return true;
}

bool device_array_numbers(Space *space, DvPrecision precision, DeviceArray *array, const DvOperatorPart *part,
                          bool by_component, DvText *why)
{
    return put_numbers(space, precision, array, part, &(Shape){by_component, NULL}, why);
}

bool device_array_indices(Space *space, DeviceArray *array, const DvOperatorPart *part, bool by_component, DvText *why)
{
    return put_indices(space, array, part, &(Shape){by_component, NULL}, why);
}

bool device_array_numbers_in(Space *space, DvPrecision precision, DeviceArray *array, const DvOperatorPart *part,
                             const uint32_t *order, DvText *why)
{
    return put_numbers(space, precision, array, part, &(Shape){true, order}, why);
}

bool device_array_indices_in(Space *space, DeviceArray *array, const DvOperatorPart *part, const uint32_t *order,
                             DvText *why)
{
    return put_indices(space, array, part, &(Shape){true, order}, why);
}

bool device_array_lists(Space *space, DeviceArray *begin_there, DeviceArray *entry_there, uint32_t points,
                        const uint32_t *list, size_t count, DvText *why)
{
    for (size_t i = 0; i < count; i++)
        if (list[i] >= points) {
            dv_text_add(why, "an element has point %u of %u", list[i], points);
            return false;
        }
    uint32_t *begin = dv_alloc((size_t)points + 1, sizeof *begin), *next = dv_alloc((size_t)points + 1, sizeof *next),
             *entry = dv_alloc(count ? count : 1, sizeof *entry);
    memset(begin, 0, ((size_t)points + 1) * sizeof *begin);
    for (size_t i = 0; i < count; i++)
        begin[list[i] + 1]++;
    for (uint32_t p = 0; p < points; p++)
        begin[p + 1] += begin[p];
    memcpy(next, begin, ((size_t)points + 1) * sizeof *begin);
    for (size_t i = 0; i < count; i++)
        entry[next[list[i]]++] = (uint32_t)i;
    const bool there = device_array_put(space, begin_there, begin, ((size_t)points + 1) * sizeof *begin, why) &&
                       device_array_put(space, entry_there, entry, count * sizeof *entry, why);
    dv_free(begin);
    dv_free(next);
    dv_free(entry);
    return there;
}

const DvOperatorPart *operator_part(const DvOperator *op, const char *name, size_t count, uint32_t width, DvText *why)
{
    const DvOperatorPart *part = dv_operator_part(op, name);
    if (part && part->width == width && (count == SIZE_MAX || part->count == count))
        return part;
    dv_text_add(why, "operator '%s' has no part '%s' of %u numbers each", op->name, name, width);
    return NULL;
}

void twin_end(Twin *twin)
{
    twin->space->base.ops->close(&twin->space->base);
    dv_free(twin);
}

/* ---- Which operators ---- */

static const struct {
    const char *name;
    Twin *(*make)(void);
    uint32_t dim; /* of derivatives; 0: any */
} operators[] = {
#define TWIN(name, make, dim) {name, make, dim},
#include "twins.def"
#undef TWIN
};

static DvTwin *make(DvVectorSpace *space, DvPrecision precision, const DvDofType *dof, uint32_t points,
                    const DvOperator *op, DvText *why)
{
    if (space->ops != &space_of_emulated_ops && space->ops != &space_of_cards_ops)
        return NULL; /* another plugin's */
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        if (strcmp(operators[i].name, op->name) != 0 || (operators[i].dim && operators[i].dim != dof->deriv))
            continue;
        Twin *twin = operators[i].make();
        twin->space = (Space *)(void *)space;
        twin->space->users++;
        twin->precision = precision;
        twin->points = points;
        twin->dim = dof->deriv;
        if (twin->base.ops->update(&twin->base, op, why))
            return &twin->base;
        twin->base.ops->free(&twin->base);
        return NULL;
    }
    dv_text_add(why, "the operator '%s' of %s points is not made for devices", op->name, dof->name);
    return NULL;
}

const DvDeviceOperatorsOps space_operators = {
    .size = sizeof(DvDeviceOperatorsOps), .make = make, .make_between = mapping_twin_make};
