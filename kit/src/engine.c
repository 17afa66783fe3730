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
