/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How data engines begin.
 */
#include <divan/kit/engine.h>

DvStatus dv_engine_construct(DvObject *object, void *self)
{
    ((DvEngine *)self)->dof = dv_dof_type(dv_object_variant(object));
    return DV_OK;
}

DvStatus dv_engine_start(DvObject *object, void *self)
{
    DvEngine *engine = self;
    engine->ready = engine->starting = true;
    const DvStatus status = dv_object_class(object)->update(object, self);
    engine->starting = false;
    return status;
}

DvStatus dv_engine_follow(DvObject *object, DvData *input, const char *contract, DvSearch where, const char *field)
{
    const DvNode *node = dv_object_node(object);
    DvObject *found = dv_data_is_set(input)      ? NULL
                      : where == DV_SEARCH_LOCAL ? dv_node_find(node, contract, DV_SEARCH_LOCAL)
                                                 : dv_node_context(node, contract);
    DvData *source = found ? dv_object_field(found, field) : NULL;
    return source ? dv_data_link(input, source) : DV_OK;
}
