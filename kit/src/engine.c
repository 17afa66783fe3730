/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How data engines begin, and when they run.
 */
#include <divan/finite.h>
#include <divan/given.h>
#include <divan/kit/engine.h>

DvStatus dv_engine_construct(DvObject *object, void *self)
{
    ((DvEngine *)self)->dof = dv_dof_type(dv_object_variant(object));
    return DV_OK;
}

static uint64_t steps_of(const DvObject *object)
{
    const DvNode *node = dv_object_node(object);
    return node ? dv_scene_steps(dv_node_scene(node)) : 0;
}

/* What `update` did not write needs no further run. */
static void clean_outputs(DvObject *object)
{
    for (size_t i = 0; i < dv_object_field_count(object); i++) {
        DvData *data = dv_object_field_at(object, i);
        if (data->field->flags & DV_FIELD_OUTPUT && !dv_data_parent(data))
            data->flags &= ~(uint32_t)DV_DATA_DIRTY;
    }
}

DvStatus dv_engine_run(DvObject *object, void *self)
{
    DvEngine *engine = self;
    engine->ready = engine->started = engine->forced = true;
    engine->first_step = UINT64_MAX;
    const DvStatus status = dv_object_class(object)->update(object, self);
    engine->forced = engine->again = false;
    clean_outputs(object);
    if (status == DV_OK)
        dv_tell_not_finite(object, &engine->not_finite_said);
    return status;
}

DvStatus dv_engine_start(DvObject *object, void *self)
{
    DvEngine *engine = self;
    if (engine->started || engine->again)
        return dv_engine_run(object, self);
    engine->ready = engine->started = true;
    engine->first_step = steps_of(object);
    return DV_OK;
}

bool dv_engine_starting(DvEngine *engine)
{
    engine->again = engine->again || !engine->started;
    return engine->started && (engine->forced || engine->first_step == steps_of(dv_object_of(engine)));
}

DvStatus dv_engine_follow(DvObject *object, DvData *input, const char *contract, DvSearch where, const char *field)
{
    const DvNode *node = dv_object_node(object);
    DvObject *found = dv_data_is_given(input)    ? NULL
                      : where == DV_SEARCH_LOCAL ? dv_node_find(node, contract, DV_SEARCH_LOCAL)
                                                 : dv_node_context(node, contract);
    DvData *source = found ? dv_object_field(found, field) : NULL;
    return source ? dv_data_link(input, source) : DV_OK;
}
