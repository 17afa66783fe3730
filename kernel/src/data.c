/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Data: values shared and copied on write, and how they are brought up to date. Who depends on whom: dependency.c.
 *
 * A value is a block of elements behind a hidden header that counts its users. Fields that still hold their default share
 * one value per type and default text. A writer that is not alone gets a copy, with one exception: fields that only follow the
 * written one (links of the same type) do not count, since they become dirty and take the new value anyway. So a state
 * whose positions a visual model follows is written in place, step after step, without a copy or an allocation.
 */
#include "dependency.h"

#include <divan/finite.h>
#include <divan/given.h>

#include <pthread.h>
#include <string.h>

/* In the flags: of a node (but its time), or tags or name of an object, on which the graph may hang. */
#define WATCHED (1u << 3)
static List outputs_of(const DvData *data)
{
    return data->graph ? data->graph->outputs : (List){0};
}

/* Values */

static void *value_new(const DvType *type, size_t count, size_t capacity)
{
    /* One at least, so that no empty value points behind its own block, where leak checkers do not see it. */
    Value *value = dv_alloc(1, HEADER + MAX(MAX(capacity, count), 1) * type->element_size);
    atomic_init(&value->users, 1);
    value->count = count;
    value->capacity = MAX(capacity, count);
    return (char *)value + HEADER;
}

const void *dv_core_value_ref(const void *elements)
{
    atomic_fetch_add_explicit(&header_of(elements)->users, 1, memory_order_relaxed);
    return elements;
}

void dv_core_value_unref(const DvType *type, const void *elements)
{
    Value *value = header_of(elements);
    if (atomic_fetch_sub_explicit(&value->users, 1, memory_order_acq_rel) > 1)
        return;
    if (type->scalar == DV_SCALAR_STRING)
        for (size_t i = 0; i < value->count; i++)
            dv_free(((char *const *)elements)[i]);
    dv_free(value);
}

/* A value of parsed or converted elements, which it takes. */
static void *value_take(const DvType *type, void *elements, size_t count)
{
    void *value = value_new(type, count, count);
    if (count)
        memcpy(value, elements, count * type->element_size);
    dv_free(elements);
    return value;
}

/* Defaults: one value per type, choices and text, for all objects. */

typedef struct Default {
    const DvType *type;
    const char *const *choices;
    char *text;
    const void *value;
} Default;

static GHashTable *defaults;
static pthread_mutex_t defaults_mutex = PTHREAD_MUTEX_INITIALIZER; /* scenes are made on several threads */

static guint default_hash(gconstpointer key)
{
    const Default *a = key;
    return g_str_hash(a->text) ^ g_direct_hash(a->type) ^ g_direct_hash(a->choices);
}

static gboolean default_equal(gconstpointer left, gconstpointer right)
{
    const Default *a = left, *b = right;
    return a->type == b->type && a->choices == b->choices && strcmp(a->text, b->text) == 0;
}

static void default_free(gpointer key)
{
    Default *a = key;
    dv_core_value_unref(a->type, a->value);
    g_free(a->text);
    g_free(a);
}

static const void *known_default(const Default *wanted)
{
    pthread_mutex_lock(&defaults_mutex);
    if (!defaults)
        defaults = g_hash_table_new_full(default_hash, default_equal, default_free, NULL);
    const Default *found = g_hash_table_lookup(defaults, wanted);
    pthread_mutex_unlock(&defaults_mutex);
    return found ? found->value : NULL;
}

static const void *default_of(const DvData *data, const char *text)
{
    const DvField *field = data->field;
    Default wanted = {.type = data->type, .choices = field->choices, .text = (char *)(uintptr_t)(text ? text : "")};
    const void *value = known_default(&wanted);
    if (value)
        return value;
    DvText problem = {0};
    size_t count = data->type->list ? 0 : 1;
    void *elements = dv_core_elements_copy(data->type, NULL, 0, count);
    if (*wanted.text) {
        const DvStatus status = data->owner->words->parse(field, data->type, wanted.text, &elements, &count, &problem);
        if (status != DV_OK || problem.length)
            dv_field_error(data, -1, "the default of the class cannot be read%s%s", problem.length ? ": " : "",
                           problem.length ? problem.at : "");
    } else if (data->type == &dv_type_choice && field->choices && field->choices[0]) {
        dv_free(*(char **)elements);
        *(char **)elements = dv_strdup(field->choices[0]);
    }
    dv_text_free(&problem);
    Default *made = g_new(Default, 1);
    *made = wanted;
    made->text = g_strdup(wanted.text);
    made->value = value_take(data->type, elements, count);
    pthread_mutex_lock(&defaults_mutex);
    const Default *first = g_hash_table_lookup(defaults, made); /* another thread may have made it meanwhile */
    if (!first)
        g_hash_table_add(defaults, made);
    value = first ? first->value : made->value;
    pthread_mutex_unlock(&defaults_mutex);
    if (first)
        default_free(made);
    return value;
}

void dv_private_defaults_clear(void)
{
    g_clear_pointer(&defaults, g_hash_table_destroy);
}

/* Marking */

void dv_private_data_mark_followers(DvData *data)
{
    Stack stack;
    STACK_INIT(stack);
    for (;;) {
        const List outputs = outputs_of(data);
        for (guint i = 0; i < outputs.len; i++) {
            DvData *output = dv_private_at(&outputs, i);
            if (output->flags & DV_DATA_DIRTY)
                continue;
            output->flags |= DV_DATA_DIRTY;
            if (output->graph->outputs.len)
                push(&stack, output);
        }
        if (!stack.count)
            break;
        data = stack.at[--stack.count];
    }
    stack_free(&stack);
}

/* What hangs on the field is told: others that follow it, and the graph. */
static __attribute__((noinline)) void tell_of_change(DvData *data)
{
    mark_outputs(data);
    if (data->flags & WATCHED)
        dv_private_graph_data_changed(data->owner, data);
}

static inline void count_change(DvData *data)
{
    dv_private_check_thread(dv_private_scene_of(data->owner), "writing a field");
    data->version++;
    data->reserved = 0; /* see dv_data_choice */
}

/* After every write. On most fields that change in a step nothing hangs. */
static inline void changed(DvData *data)
{
    count_change(data);
    data->flags = (data->flags | DV_DATA_SET) & ~(uint32_t)(DV_DATA_DIRTY | DV_DATA_WRITING | DERIVED);
    if (data->graph || data->flags & WATCHED)
        tell_of_change(data);
}

/* Takes one reference of `value`. */
static void replace_value(DvData *data, const void *value)
{
    dv_core_value_unref(data->type, data->value);
    data->value = value;
    data->count = header_of(value)->count;
}

/* Fields that follow `data` and hold the very same value, links of links included. */
static int followers(DvData *data)
{
    int found = 0;
    Stack stack;
    STACK_INIT(stack);
    for (DvData *at = data;;) {
        const List outputs = outputs_of(at);
        for (guint i = 0; i < outputs.len; i++) {
            DvData *output = dv_private_at(&outputs, i);
            if (output->value == data->value && output->graph->parent == at) {
                found++;
                push(&stack, output);
            }
        }
        if (!stack.count)
            break;
        at = stack.at[--stack.count];
    }
    stack_free(&stack);
    return found;
}

/* Updating */

static DvStatus update_engine(DvObject *object)
{
    if (object->updating)
        return DV_OK; /* it reads its own output while it computes */
    object->updating = true;
    const DvStatus status = object->cls->update && !object->failed ? object->cls->update(object, object->self) : DV_OK;
    object->updating = false;
    if (status == DV_OK)
        dv_tell_not_finite(object, &object->not_finite_said);
    for (size_t i = 0; i < object->field_count; i++) {
        DvData *output = object->fields[i];
        if (output->graph && output->graph->inputs.len && !output->graph->parent)
            output->flags &= ~(uint32_t)DV_DATA_DIRTY;
    }
    return status;
}

/* The parent is up to date: its value, shared when the types allow it. */
static DvStatus follow(DvData *data, DvData *parent)
{
    const uint32_t derived = data->flags & DERIVED;
    DvStatus status = DV_OK;
    if (dv_private_type_same(data->type, parent->type)) {
        if (data->value != parent->value || data->count != parent->count)
            replace_value(data, dv_core_value_ref(parent->value));
    } else {
        void *elements = NULL;
        size_t count = 0;
        status = dv_private_type_convert(data->owner->words, parent->type, parent->value, parent->count, data->type,
                                         data->value, data->count, &elements, &count);
        if (status != DV_OK)
            dv_field_error(data, -1, "the value of '%s' (%s) cannot be read as %s", parent->field->name,
                           parent->type->name, data->type->name);
        replace_value(data, value_take(data->type, elements, count));
    }
    changed(data);
    data->flags |= derived;
    return status;
}

/* The next field that must be updated before `data`, from input `from` on; or NULL. */
static DvData *dirty_source(const DvData *data)
{
    const struct DvDataGraph *graph = data->graph;
    if (graph->parent)
        return graph->parent->flags & DV_DATA_DIRTY ? graph->parent : NULL;
    if (data->owner->updating)
        return NULL;
    for (guint i = 0; i < graph->inputs.len; i++) {
        DvData *input = dv_private_at(&graph->inputs, i);
        if (input->flags & DV_DATA_DIRTY)
            return input;
    }
    return NULL;
}

DvStatus dv_data_update(DvData *data)
{
    dv_private_check_thread(dv_private_scene_of(data->owner), "bringing a field up to date");
    DvStatus status = DV_OK;
    Stack stack;
    STACK_INIT(stack);
    push(&stack, data);
    while (stack.count) {
        DvData *top = stack.at[stack.count - 1];
        DvData *source = top->flags & DV_DATA_DIRTY ? dirty_source(top) : NULL;
        if (source && !(source->owner->updating && source->graph->inputs.len && !source->graph->parent)) {
            push(&stack, source);
            continue;
        }
        stack.count--;
        if (!(top->flags & DV_DATA_DIRTY))
            continue;
        const DvStatus result = top->graph->parent ? follow(top, top->graph->parent) : update_engine(top->owner);
        if (status == DV_OK)
            status = result;
    }
    stack_free(&stack);
    if (status != DV_OK)
        dv_private_unreadable(data->owner, status);
    return status;
}

/* Writing */

static __attribute__((noinline)) void *begin_anyhow(DvData *data, size_t count, bool keep)
{
    const DvType *type = data->type;
    Value *value = header_of(data->value);
    const int users = atomic_load_explicit(&value->users, memory_order_acquire);
    const bool alone = users == 1 || users == 1 + followers(data);
    void *elements = (void *)(uintptr_t)data->value;
    const size_t old_count = data->count;
    const bool is_text = type->scalar == DV_SCALAR_STRING;
    if (alone && count <= value->capacity) {
        for (size_t i = keep ? count : 0; is_text && i < old_count; i++) {
            dv_free(((char **)elements)[i]);
            ((char **)elements)[i] = NULL;
        }
        if (count > old_count)
            dv_private_elements_blank(type, elements, old_count, count - old_count);
        value->count = count;
    } else {
        /* A list that grows again is likely to go on growing. */
        const size_t more = count > value->capacity && value->capacity ? value->capacity + value->capacity / 2 : count;
        elements = value_new(type, count, more);
        const size_t kept = keep ? MIN(count, old_count) : 0;
        if (kept && !is_text)
            memcpy(elements, data->value, kept * type->element_size);
        for (size_t i = 0; is_text && i < kept; i++)
            ((char **)elements)[i] = dv_strdup(((char *const *)data->value)[i]);
        dv_private_elements_blank(type, elements, kept, count - kept);
        dv_core_value_unref(type, data->value);
        data->value = elements;
    }
    data->count = count;
    data->flags |= DV_DATA_WRITING;
    return elements;
}

/* What a step does most: as many elements as before, of a value that nobody shares. */
static inline void *begin(DvData *data, size_t count, bool keep)
{
    if (!data->type->list)
        count = 1;
    Value *value = header_of(data->value);
    if (count != data->count || atomic_load_explicit(&value->users, memory_order_acquire) != 1 ||
        (!keep && data->type->scalar == DV_SCALAR_STRING))
        return begin_anyhow(data, count, keep);
    data->flags |= DV_DATA_WRITING;
    return (void *)(uintptr_t)data->value;
}

void *dv_data_begin(DvData *data, size_t count)
{
    (void)dv_data_read(data);
    return begin(data, count, true);
}

void *dv_data_begin_all(DvData *data, size_t count)
{
    return begin(data, count, false);
}

static __attribute__((noinline)) void end_of_words(DvData *data)
{
    char **words = (char **)(uintptr_t)data->value;
    for (size_t i = 0; i < data->count; i++)
        if (!words[i])
            words[i] = dv_strdup("");
    changed(data);
}

void dv_data_end(DvData *data)
{
    if (data->type->scalar == DV_SCALAR_STRING)
        end_of_words(data);
    else
        changed(data);
}

static __attribute__((noinline)) void *rewrite_anyhow(DvData *data)
{
    void *value = dv_data_begin(data, data->count);
    changed(data);
    return value;
}

void *dv_data_rewrite(DvData *data)
{
    Value *value = header_of(data->value);
    if (data->flags != DV_DATA_SET || data->graph || atomic_load_explicit(&value->users, memory_order_acquire) != 1)
        return rewrite_anyhow(data);
    count_change(data);
    return (void *)(uintptr_t)data->value;
}

bool dv_data_is_given(const DvData *data)
{
    return (data->flags & (DV_DATA_SET | DERIVED)) == DV_DATA_SET;
}

void dv_data_set_derived(DvData *data)
{
    data->flags |= DERIVED;
}

void dv_data_touch(DvData *data)
{
    data->version++;
    data->reserved = 0;
    data->flags |= DV_DATA_SET;
    mark_outputs(data);
}

void dv_data_set(DvData *data, const void *elements, size_t count)
{
    if (data->type->scalar == DV_SCALAR_STRING) {
        char **words = value_new(data->type, count, count);
        for (size_t i = 0; i < count; i++)
            words[i] = dv_strdup(((char *const *)elements)[i]);
        replace_value(data, words);
    } else if (elements == data->value) {
        (void)begin(data, count, true);
    } else {
        void *to = begin(data, count, false);
        if (data->count)
            memcpy(to, elements, data->count * data->type->element_size);
    }
    changed(data);
}

void dv_data_share(DvData *to, DvData *from)
{
    if (!dv_private_type_same(to->type, from->type)) {
        dv_field_error(to, -1, "cannot share the value of '%s': %s is not %s", from->field->name, from->type->name,
                       to->type->name);
        return;
    }
    replace_value(to, dv_core_value_ref(dv_data_read(from)));
    changed(to);
}

void dv_private_data_set_interned(DvData *data, const char *text)
{
    replace_value(data, dv_core_value_ref(default_of(data, text)));
    changed(data);
}

void dv_core_data_take(DvData *data, void *elements, size_t count)
{
    replace_value(data, value_take(data->type, elements, count));
    changed(data);
}

bool dv_data_equal(DvData *a, DvData *b)
{
    if (!dv_private_type_same(a->type, b->type))
        return false;
    const void *left = dv_data_read(a), *right = dv_data_read(b);
    if (a->count != b->count)
        return false;
    if (a->type->scalar != DV_SCALAR_STRING)
        return a->count == 0 || memcmp(left, right, a->count * a->type->element_size) == 0;
    for (size_t i = 0; i < a->count; i++)
        if (strcmp(((char *const *)left)[i], ((char *const *)right)[i]) != 0)
            return false;
    return true;
}

/* Steps ask for choices: words are compared once after a change. `reserved` holds 1 + the index meanwhile; 0: not known. */
int dv_data_choice(DvData *data)
{
    const char *value = dv_data_string(data);
    const char *const *choices = data->field->choices;
    for (uint32_t i = 0; data->reserved == 0 && choices && choices[i]; i++)
        if (strcmp(choices[i], value) == 0)
            data->reserved = i + 1;
    return (int)data->reserved - 1;
}

const char *dv_data_file(DvData *data)
{
    (void)dv_data_read(data);
    struct DvDataGraph *graph = graph_of(data);
    if (graph->parent && graph->parent->type == &dv_type_file)
        return dv_data_file(graph->parent);
    if (graph->file_known && graph->file_version == data->version)
        return graph->file;
    dv_free(graph->file);
    graph->file = data->owner->words->find_file(data->owner, dv_data_string(data));
    graph->file_version = data->version;
    graph->file_known = true;
    return graph->file;
}

/* Life */

void dv_private_data_construct(DvData *data, const DvField *field, const DvType *type, DvObject *owner)
{
    const bool of_node = owner->is_node && data != &((DvNode *)owner->self)->time;
    const bool watched = of_node || data == &owner->tags || data == &owner->name;
    *data = (DvData){.field = field, .type = type, .owner = owner, .flags = watched ? WATCHED : 0};
    data->value = dv_core_value_ref(default_of(data, field->init));
    data->count = header_of(data->value)->count;
}

void dv_private_data_destroy(DvData *data)
{
    dv_private_data_unlink(data);
    if (data->graph)
        dv_free(data->graph->file);
    g_free(data->graph);
    dv_core_value_unref(data->type, data->value);
    *data = (DvData){0};
}
