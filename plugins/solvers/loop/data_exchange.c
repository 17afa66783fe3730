/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * DataExchange: carries a value from one part of a scene to another between two steps, so that neither sees the other's changes while it
 * makes its own. `from` and `to` have the type that the template names, and lead to fields by links: `from="@A/state.position"`.
 *
 * When AnimationLoopParallelScheduler tells that all parts have made their step, the value of `from` is written to the field that `to`
 * links to, or to `to` itself, which others may link to.
 */
#include "loop/data_exchange.h"

#include <divan/divan.h>

#include <string.h>

const char data_exchange_event[] = "DataExchange";

typedef struct DataExchange {
    DvData *from, *to; /* added by construct */
} DataExchange;

static const DvType *type_of(const char *variant)
{
    static const struct {
        const char *variant;
        const DvType *type;
    } types[] = {
        {"Vec3d", &dv_type_vec3d},
        {"bool", &dv_type_bool},
        {"d", &dv_type_double},
        {"f", &dv_type_double},
        {"vector<I>", &dv_type_uints},
        {"vector<Vec2d>", &dv_type_vec2s},
        {"vector<Vec2f>", &dv_type_vec2s},
        {"vector<Vec3d>", &dv_type_vec3s},
        {"vector<Vec3f>", &dv_type_vec3s},
        {"vector<d>", &dv_type_doubles},
        {"vector<f>", &dv_type_doubles},
        {"vector<i>", &dv_type_ints},
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i].variant, variant) == 0)
            return types[i].type;
    return &dv_type_vec3s;
}

static DvStatus construct(DvObject *object, void *self_)
{
    DataExchange *self = self_;
    const DvType *type = type_of(dv_object_variant(object));
    self->from = dv_object_add_field(object, &(DvField){.name = "from", .type = type, .help = "the value"});
    self->to = dv_object_add_field(
        object, &(DvField){.name = "to", .type = type, .help = "where it goes: a link to a field, or none"});
    dv_data_set_bool(dv_object_field(object, "listening"), true);
    return self->from && self->to ? DV_OK : DV_ERROR_INVALID;
}

static DvData *destination_of(const DataExchange *self)
{
    DvData *linked = dv_data_parent(self->to);
    return linked ? linked : self->to;
}

static DvStatus init(DvObject *object, void *self_)
{
    const DataExchange *self = self_;
    const DvType *there = destination_of(self)->type, *here = self->to->type;
    if (!dv_data_is_set(self->from) && !dv_data_parent(self->from))
        return dv_error(
            object, DV_ERROR_MISSING,
            "from: there is no value to exchange; link it to a field, for instance from=\"@A/state.position\"");
    if (there->scalar == here->scalar && there->components == here->components && there->list == here->list)
        return DV_OK;
    return dv_field_error(self->to, -1, "it leads to a field of type %s, and the template is %s", there->name,
                          dv_object_variant(object));
}

static void handle_event(DvObject *object, void *self_, DvEvent *event)
{
    const DataExchange *self = self_;
    (void)object;
    if (!is_data_exchange(event))
        return;
    const void *value = dv_data_read(self->from);
    dv_data_set(destination_of(self), value, self->from->count);
}

const DvClass dv_data_exchange = {
    .size = sizeof(DvClass),
    .name = "DataExchange",
    .variants = "Vec3d bool d f vector<I> vector<Vec2d> vector<Vec2f> vector<Vec3d> vector<Vec3f> vector<d> vector<f> "
                "vector<i>",
    .default_variant = "vector<Vec3d>",
    .bases = (const char *const[]){"BaseComponent", NULL},
    .family = "utilities",
    .module = "MultiThreading",
    .help = "Carries a value from `from` to `to`, a field elsewhere, when all parts of a scene have made their step.",
    .instance_size = sizeof(DataExchange),
    .construct = construct,
    .init = init,
    .handle_event = handle_event,
};
