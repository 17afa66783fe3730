/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What is said of objects and fields: where it stands in the scene file, what it is about, and whether the step or the load of the
 * scene fails by it.
 */
#include "internal.h"

#include <stdarg.h>

void dv_scene_listen(DvScene *scene, DvLogHandler hear, void *context)
{
    dv_private_hearers_add(&scene->hearers, hear, context);
}

void dv_scene_unlisten(DvScene *scene, const void *context)
{
    dv_private_hearers_remove(&scene->hearers, context);
}

void dv_core_emit(DvMessage *message, const DvScene *scene, const char *format, va_list args)
{
    dv_private_emit(message, scene ? &scene->hearers : NULL, format, args);
}

DvStatus dv_core_problem(DvScene *scene, DvStatus status)
{
    if (scene) {
        scene->problems++;
        scene->errors += status != DV_OK;
        if (scene->first_error == DV_OK)
            scene->first_error = status;
    }
    return status;
}

void dv_private_unreadable(const DvObject *object, DvStatus status)
{
    const DvNode *node = dv_private_node_of(object);
    if (!node)
        return;
    node->scene->fault = status;
    if (!node->scene->running)
        dv_core_problem(node->scene, status);
}

static void fail_step(const DvObject *object, DvStatus status)
{
    const DvNode *node = object && !object->is_node ? object->node : NULL;
    if (node && node->scene->running)
        node->scene->fault = status;
}

/* A message and the scene that it is about, NULL: the one of the call in progress. */
typedef struct Saying {
    DvMessage message;
    const DvScene *scene;
} Saying;

static Saying about(const DvObject *object, DvLevel level, DvStatus status)
{
    Saying saying = {.message = {.level = level, .status = status}};
    if (object) {
        DvMessage *message = &saying.message;
        message->file = object->place.file;
        message->line = object->place.line;
        message->component = object->cls->name;
        message->name = dv_object_name(object);
        message->path = dv_private_object_path(object);
        saying.scene = dv_private_scene_of(object);
    }
    return saying;
}

static Saying harmless(Saying saying)
{
    saying.message.harmless = true;
    return saying;
}

/* A field's message stands where its attribute was written, when that is known. */
static Saying about_field(const DvData *field, DvLevel level, DvStatus status)
{
    Saying saying = about(field->owner, level, status);
    saying.message.field = field->field->name;
    const DvAttribute *attribute = field->owner ? field->owner->words->attribute_of(field->owner, field->field) : NULL;
    if (attribute && attribute->line > 0) {
        saying.message.line = attribute->line;
        saying.message.column = attribute->column;
    }
    return saying;
}

/* About an entry of the field unless `index` is negative. Frees the path. */
static void say_with(Saying saying, int64_t index, const char *format, va_list args)
    __attribute__((format(printf, 3, 0)));
static void say_with(Saying saying, int64_t index, const char *format, va_list args)
{
    DvMessage *message = &saying.message;
    char *entry = index >= 0 ? g_strdup_printf("%s[%lld]", message->field, (long long)index) : NULL;
    if (entry)
        message->field = entry;
    dv_core_emit(message, saying.scene, format, args);
    g_free(entry);
    dv_free((char *)(uintptr_t)message->path);
}

/* In a function whose last arguments are `format` and what is to be printed by it. */
#define SAY(saying, index)                     \
    do {                                       \
        va_list args;                          \
        va_start(args, format);                \
        say_with(saying, index, format, args); \
        va_end(args);                          \
    } while (0)

DvStatus dv_error(const DvObject *object, DvStatus status, const char *format, ...)
{
    fail_step(object, status);
    SAY(about(object, DV_LEVEL_ERROR, status), -1);
    return status;
}

void dv_warning(const DvObject *object, const char *format, ...)
{
    SAY(about(object, DV_LEVEL_WARNING, DV_OK), -1);
}

void dv_remark(const DvObject *object, const char *format, ...)
{
    SAY(harmless(about(object, DV_LEVEL_WARNING, DV_OK)), -1);
}

void dv_info(const DvObject *object, const char *format, ...)
{
    if (object && !*(const bool *)object->print_log.value && !dv_private_log_shows(DV_LEVEL_INFO))
        return;
    SAY(about(object, DV_LEVEL_INFO, DV_OK), -1);
}

DvStatus dv_field_error(const DvData *field, int64_t index, const char *format, ...)
{
    fail_step(field->owner, DV_ERROR_INVALID);
    SAY(about_field(field, DV_LEVEL_ERROR, DV_ERROR_INVALID), index);
    return DV_ERROR_INVALID;
}

void dv_field_warning(const DvData *field, int64_t index, const char *format, ...)
{
    SAY(about_field(field, DV_LEVEL_WARNING, DV_OK), index);
}

void dv_field_remark(const DvData *field, int64_t index, const char *format, ...)
{
    SAY(harmless(about_field(field, DV_LEVEL_WARNING, DV_OK)), index);
}

void dv_core_say(DvLevel level, DvStatus status, const DvObject *object, const DvData *field, int64_t index,
                 const char *format, ...)
{
    SAY(field ? about_field(field, level, status) : about(object, level, status), field ? index : -1);
}
