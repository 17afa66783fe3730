/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What is said of what a scene gives, or does not: required fields, and what a node gives in vain.
 */
#include "words.h"

/* What a scene gives for what a component computes. */
static void say_given_outputs(DvObject *object)
{
    for (size_t i = 0; object->attributes && i < object->attributes->count; i++) {
        const DvAttribute *attribute = &object->attributes->at[i];
        DvData *data = attribute->used ? dv_object_field(object, attribute->name) : NULL;
        if (!data || !(data->field->flags & DV_FIELD_OUTPUT) || !*attribute->text)
            continue;
        if (attribute->text[0] == '@')
            dv_field_warning(data, -1, "is an output of the component: it is not computed, and has the value of '%s'",
                             attribute->text);
        else
            dv_field_remark(data, -1,
                            "is an output of the component, which computes it: the value that is given has no effect");
    }
}

/* Fields that a scene must give; and some that it gives in vain. */
DvStatus dv_words_check_required(DvObject *object)
{
    DvStatus status = DV_OK;
    say_given_outputs(object);
    for (size_t i = 0; i < object->field_count; i++) {
        DvData *data = object->fields[i];
        const DvField *field = data->field;
        if (!(field->flags & DV_FIELD_REQUIRED) || dv_data_is_set(data))
            continue;
        if (field->init) {
            dv_field_warning(data, -1, "should be given; its default %s is used", field->init);
        } else {
            dv_field_error(data, -1, "must be given: %s", field->help ? field->help : field->name);
            status = DV_ERROR_MISSING;
        }
    }
    return status;
}

/* What a scene gives a node below the root, and the node above decides. */
void dv_words_say_unused_context(DvNode *node, const DvNode *parent)
{
    const double *own = dv_data_doubles(&node->gravity, NULL), *above = dv_node_gravity(parent);
    if (dv_data_is_set(&node->gravity) && memcmp(own, above, 3 * sizeof *own) != 0)
        dv_field_warning(&node->gravity, -1, "has no effect: the whole scene has the gravity of its root, %g %g %g",
                         above[0], above[1], above[2]);
    if (dv_data_is_set(&node->dt) && dv_data_double(&node->dt) != dv_node_dt(parent))
        dv_field_warning(&node->dt, -1, "has no effect: the whole scene steps by the %g s of its root",
                         dv_node_dt(parent));
}
