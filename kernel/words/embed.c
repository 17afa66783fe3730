/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Plain functions for hosts in other languages.
 */
#include "words.h"

#include <math.h>
#include <string.h>

#include <divan/embed.h>

/* Whoever wants something of a field holds its scene meanwhile; a field of no scene is anybody's. */
static bool begin(Call *call, const DvObject *object, const char *function)
{
    DvScene *scene = dv_private_scene_of(object);
    call->scene = NULL;
    return !scene || dv_core_call_begin(call, scene, function);
}

static void end(const Call *call)
{
    if (call->scene)
        dv_core_call_end(call);
}

/* Paths */

static DvStatus not_found(const char *path, const char *why)
{
    dv_log_at(DV_LEVEL_ERROR, DV_ERROR_NOT_FOUND, NULL, 0, 0, "'%s': %s", path, why);
    return DV_ERROR_NOT_FOUND;
}

DvObject *dv_scene_object(DvScene *scene, const char *path)
{
    Call call;
    if (!dv_core_call_begin(&call, scene, "dv_scene_object"))
        return NULL;
    DvObject *object = dv_object_of(scene->root);
    if (strcmp(path, "/") != 0) {
        char *link = g_strconcat(path[0] == '/' ? "@" : "@/", path, NULL);
        object = dv_node_resolve(scene->root, NULL, link, NULL);
        g_free(link);
        if (!object)
            (void)not_found(path, "no object has this path");
    }
    end(&call);
    return object;
}

DvData *dv_scene_field(DvScene *scene, const char *path)
{
    Call call;
    if (!dv_core_call_begin(&call, scene, "dv_scene_field"))
        return NULL;
    DvText problem = {0};
    DvData *field;
    if (strncmp(path, "/.", 2) == 0) { /* of the root, which has no name in a path */
        field = dv_object_field(dv_object_of(scene->root), path + 2);
    } else {
        char *link = g_strconcat(path[0] == '/' ? "@" : "@/", path, NULL);
        field = dv_words_resolve_field(scene->root, NULL, link, &problem);
        g_free(link);
    }
    if (!field)
        (void)not_found(path, problem.at ? problem.at : "no field has this path");
    dv_text_free(&problem);
    end(&call);
    return field;
}

/* Fields */

size_t dv_data_get_text(DvData *field, char *text, size_t capacity)
{
    Call call;
    if (capacity)
        text[0] = '\0';
    if (!begin(&call, field->owner, "dv_data_get_text"))
        return 0;
    DvText printed = {0};
    dv_data_print(field, &printed);
    end(&call);
    const size_t length = printed.length, copied = MIN(length, capacity ? capacity - 1 : 0);
    if (copied)
        memcpy(text, printed.at, copied);
    if (capacity)
        text[copied] = '\0';
    dv_text_free(&printed);
    return length;
}

static size_t components_of(const DvType *type)
{
    return type->scalar < DV_SCALAR_STRING ? type->components : 0;
}

void dv_data_shape(DvData *field, size_t *elements, size_t *components)
{
    Call call;
    *elements = *components = 0;
    if (!begin(&call, field->owner, "dv_data_shape"))
        return;
    (void)dv_data_read(field);
    *elements = field->count;
    *components = components_of(field->type);
    end(&call);
}

const void *dv_data_value(DvData *field, size_t *elements)
{
    const void *value = dv_data_read(field);
    if (elements)
        *elements = field->count;
    return value;
}

static DvStatus check_count(const DvData *field, size_t count, size_t expected)
{
    if (!components_of(field->type))
        return dv_field_error(field, -1, "holds no numbers: its type is %s", field->type->name);
    if (count == expected)
        return DV_OK;
    return dv_field_error(field, -1, "holds %zu numbers, not %zu", expected, count);
}

DvStatus dv_data_get_numbers(DvData *field, double *numbers, size_t count)
{
    Call call;
    if (!begin(&call, field->owner, "dv_data_get_numbers"))
        return DV_ERROR_BUSY;
    const void *value = dv_data_read(field);
    const DvStatus status = check_count(field, count, field->count * components_of(field->type));
    for (size_t i = 0; status == DV_OK && i < count; i++)
        numbers[i] = dv_core_get_scalar(field->type->scalar, value, i);
    end(&call);
    return status;
}

static bool fits(DvScalar scalar, double number)
{
    switch (scalar) {
    case DV_SCALAR_BOOL:
        return number == 0 || number == 1;
    case DV_SCALAR_INT:
        return number >= INT32_MIN && number <= INT32_MAX && number == floor(number);
    case DV_SCALAR_UINT:
        return number >= 0 && number <= UINT32_MAX && number == floor(number);
    default:
        return isfinite(number);
    }
}

static DvStatus set_numbers(DvData *field, const double *numbers, size_t count)
{
    const DvType *type = field->type;
    const size_t components = components_of(type);
    if (components == 0)
        return check_count(field, count, 0);
    if (type->list && count % components)
        return dv_field_error(field, -1, "takes %zu numbers an element: %zu are not whole elements", components, count);
    DvStatus status = check_count(field, count, type->list ? count : components);
    for (size_t i = 0; status == DV_OK && i < count; i++)
        status = fits(type->scalar, numbers[i])
                     ? dv_words_check_number(field, i, numbers[i], count / components)
                     : dv_field_error(field, (int64_t)(i / components), "cannot hold %g: its type is %s", numbers[i],
                                      type->name);
    if (status != DV_OK)
        return status;
    void *value = dv_data_begin_all(field, type->list ? count / components : 1);
    for (size_t i = 0; i < count; i++)
        dv_core_put_scalar(type->scalar, value, i, numbers[i]);
    dv_data_end(field);
    return DV_OK;
}

DvStatus dv_data_set_numbers(DvData *field, const double *numbers, size_t count)
{
    if (!dv_core_may_change(dv_private_scene_of(field->owner), "dv_data_set_numbers"))
        return DV_ERROR_BUSY;
    return set_numbers(field, numbers, count);
}

/* States */

/* The state and its vector; an error when there is none. Only position and velocity exist whatever was computed so far. */
static DvStatus find_vector(DvObject *object, DvVecId vector, bool must_exist, DvStateRef *state)
{
    *state = dv_state_ref(object);
    if (!state->ops)
        return dv_error(object, DV_ERROR_INVALID, "is no state: it has no positions and velocities");
    if (vector == DV_NO_VEC || vector >= DV_MAX_VEC)
        return dv_error(object, DV_ERROR_INVALID, "no vector has the number %u", vector);
    if (must_exist && !state->ops->has(state->self, vector))
        return dv_error(object, DV_ERROR_NOT_FOUND, "has no vector %u yet: nothing has computed it", vector);
    return DV_OK;
}

static size_t numbers_per_point(const DvStateRef *state, DvVecId vector)
{
    return dv_vec_kind(vector) == DV_COORDS ? state->dof->coord : state->dof->deriv;
}

static DvStatus check_size(const DvStateRef *state, DvVecId vector, size_t count)
{
    const size_t points = dv_state_count(*state), components = numbers_per_point(state, vector);
    if (count == points * components)
        return DV_OK;
    return dv_error(state->object, DV_ERROR_INVALID, "vector %u has %zu x %zu numbers, not %zu", vector, points,
                    components, count);
}

DvStatus dv_state_shape(DvObject *object, DvVecId vector, size_t *points, size_t *components)
{
    Call call;
    DvStateRef state;
    *points = *components = 0;
    if (!begin(&call, object, "dv_state_shape"))
        return DV_ERROR_BUSY;
    const DvStatus status = find_vector(object, vector, false, &state);
    if (status == DV_OK) {
        *points = dv_state_count(state);
        *components = numbers_per_point(&state, vector);
    }
    end(&call);
    return status;
}

DvStatus dv_state_get(DvObject *object, DvVecId vector, double *numbers, size_t count)
{
    Call call;
    DvStateRef state;
    if (!begin(&call, object, "dv_state_get"))
        return DV_ERROR_BUSY;
    DvStatus status = find_vector(object, vector, true, &state);
    if (status == DV_OK)
        status = check_size(&state, vector, count);
    const double *values = status == DV_OK ? state.ops->read(state.self, vector, DV_HOST) : NULL;
    if (values)
        memcpy(numbers, values, count * sizeof *numbers);
    end(&call);
    return status;
}

static DvStatus set_state(DvObject *object, DvVecId vector, const double *numbers, size_t count)
{
    DvStateRef state;
    DvStatus status = find_vector(object, vector, false, &state);
    if (status == DV_OK)
        status = check_size(&state, vector, count);
    if (status != DV_OK)
        return status;
    const size_t components = numbers_per_point(&state, vector);
    for (size_t i = 0; i < count; i++)
        if (!isfinite(numbers[i]))
            return dv_error(object, DV_ERROR_NOT_FINITE, "vector %u: component %zu of point %zu is not finite", vector,
                            i % components, i / components);
    double *values = state.ops->write(state.self, vector, DV_HOST, DV_OVERWRITE);
    if (!values && count)
        return dv_error(object, DV_ERROR_UNSUPPORTED, "vector %u cannot be written", vector);
    if (count)
        memcpy(values, numbers, count * sizeof *numbers);
    DvScene *scene = dv_private_scene_of(object);
    if (scene && scene->running && (vector == DV_POSITION || vector == DV_VELOCITY))
        dv_core_settle(scene);
    return DV_OK;
}

DvStatus dv_state_set(DvObject *object, DvVecId vector, const double *numbers, size_t count)
{
    Call call;
    if (!begin(&call, object, "dv_state_set"))
        return DV_ERROR_BUSY;
    const DvStatus status = set_state(object, vector, numbers, count);
    end(&call);
    return status;
}

DvStatus dv_say(DvLevel level, DvStatus status, const DvObject *object, const DvData *field, int64_t index,
                const char *text)
{
    const DvObject *owner = field ? field->owner : object;
    if (level == DV_LEVEL_INFO && owner && !*(const bool *)owner->print_log.value)
        return status;
    dv_core_say(level, status, object, field, index, "%s", text);
    return status;
}

DvStatus dv_say_at(DvLevel level, DvStatus status, const char *file, int line, int column, const char *text)
{
    dv_log_at(level, status, file, line, column, "%s", text);
    return status;
}

void dv_text_append(DvText *text, const char *more)
{
    dv_text_add(text, "%s", more);
}
