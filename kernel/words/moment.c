/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The state of a scene in memory, to go back to.
 *
 * A moment has a copy of each field that a run may change (dv_words_may_change), with the version that the field had. Taking it again
 * copies what has another version by now. Going back is what loading a saved scene is: the scene is reset, which makes all forget what
 * it remembers beside its fields; then fields get their values, where they are others; then `restore` of the classes rebuilds what
 * hangs on them.
 *
 * Objects that have left since are made again (again.c), and take over what is kept of those in whose place they are.
 *
 * A field that follows another one, and has not been written since, follows it again. The values of the others are put back until none
 * of them counts as overtaken by what it follows: whoever is put back later tells its followers that it has changed. What an engine would
 * only compute later is computed before that, where it had been.
 */
#include "words.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif
#include <stdlib.h>
#include <string.h>

#include <divan/moment.h>

typedef struct KeptField {
    DvData *data, *parent; /* parent: what it followed; or NULL */
    uint64_t version;      /* of the data, whose value this is */
    void *at; /* numbers, in a block of `room` bytes; of texts a value that is shared; NULL: none is held yet */
    size_t count, room;
    bool follows;   /* has no value but that of its parent */
    bool overtakes; /* was written after its parent had been computed */
} KeptField;

typedef struct KeptObject {
    DvObject *object; /* a reference */
    DvObject *node;   /* that it was in, or the first of its parents; NULL: the root */
    size_t fields;    /* how many it had: components may add some */
} KeptObject;

struct DvMoment {
    DvScene *scene;
    DvObject *root; /* a reference: with it the scene stays in memory */
    KeptObject *object;
    KeptField *kept; /* those of the first object first */
    size_t objects, fields, bytes;
    uint64_t steps, revision; /* of the scene; of its root when the list was made */
    bool taken;
};

/* ---- What there is ---- */

void dv_words_each_object(const DvNode *node, void (*visit)(void *context, DvObject *object), void *context)
{
    DvObject *self = dv_node_object(node);
    if (self->transient)
        return;
    visit(context, self);
    for (uint32_t i = 0; i < node->members.len; i++) {
        DvObject *object = dv_private_at(&node->members, i);
        if (!object->transient)
            visit(context, object);
    }
    for (uint32_t i = 0; i < node->children.len; i++) {
        const DvNode *child = dv_private_at(&node->children, i);
        if (dv_private_at(&child->parents, 0) == node)
            dv_words_each_object(child, visit, context);
    }
}

static void release_field(const KeptField *kept)
{
    if (kept->at && kept->data->type->scalar == DV_SCALAR_STRING)
        dv_core_value_unref(kept->data->type, kept->at);
    else
        dv_free(kept->at);
}

static void release_all(DvMoment *moment)
{
    for (size_t i = 0; i < moment->fields; i++)
        release_field(&moment->kept[i]);
    for (size_t i = 0; i < moment->objects; i++)
        dv_object_unref(moment->object[i].object);
    dv_free(moment->object);
    dv_free(moment->kept);
    moment->object = NULL;
    moment->kept = NULL;
    moment->objects = moment->fields = moment->bytes = 0;
    moment->taken = false;
}

typedef struct Walk {
    DvMoment *moment;
    size_t objects, fields;
    bool same;
} Walk;

static void compare(void *context, DvObject *object)
{
    Walk *walk = context;
    const DvMoment *moment = walk->moment;
    walk->same = walk->same && walk->objects < moment->objects && moment->object[walk->objects].object == object;
    walk->objects++;
    walk->fields += object->field_count;
}

static void list_object(void *context, DvObject *object)
{
    Walk *walk = context;
    DvMoment *moment = walk->moment;
    moment->object[moment->objects++] =
        (KeptObject){dv_object_ref(object), object->node ? dv_object_of(object->node) : NULL, object->field_count};
    for (size_t i = 0; i < object->field_count; i++)
        if (dv_words_may_change(object, object->fields[i]))
            moment->kept[moment->fields++] = (KeptField){.data = object->fields[i]};
}

/* Whether the list is that of the scene as it is. */
static bool is_complete(DvMoment *moment)
{
    const uint64_t revision = moment->scene->root->revision;
    for (size_t i = 0; i < moment->objects; i++)
        if (moment->object[i].object->field_count != moment->object[i].fields)
            return false;
    if (moment->revision == revision)
        return true;
    Walk walk = {.moment = moment, .same = true};
    dv_words_each_object(moment->scene->root, compare, &walk);
    if (!walk.same || walk.objects != moment->objects)
        return false;
    moment->revision = revision;
    return true;
}

static void list_anew(DvMoment *moment)
{
    release_all(moment);
    Walk walk = {.moment = moment};
    dv_words_each_object(moment->scene->root, compare, &walk);
    moment->object = dv_alloc(walk.objects, sizeof *moment->object);
    moment->kept = dv_alloc(walk.fields, sizeof *moment->kept);
    dv_words_each_object(moment->scene->root, list_object, &walk);
    moment->revision = moment->scene->root->revision;
}

/* ---- Taking ---- */

enum { LARGE = 1 << 18, PIECE = 1 << 16 /* bytes: copied by several threads from the first on, in pieces */ };

typedef struct Copy {
    char *to;
    const char *from;
    size_t bytes;
} Copy;

/* Past the caches: what is kept is not read soon, and is not to be fetched before it is overwritten. */
static void copy_piece(char *to, const char *from, size_t bytes)
{
    size_t done = 0;
#ifdef __SSE2__
    enum { LINE = 64, PART = 16 };
    for (; ((uintptr_t)to % PART) == 0 && done + LINE <= bytes; done += LINE)
        for (size_t i = done; i < done + LINE; i += PART)
            _mm_stream_si128((__m128i *)(void *)(to + i), _mm_loadu_si128((const __m128i *)(const void *)(from + i)));
    _mm_sfence();
#endif
    memcpy(to + done, from + done, bytes - done);
}

static void copy_pieces(void *context, uint32_t begin, uint32_t end)
{
    const Copy *copy = context;
    const size_t first = (size_t)begin * PIECE, last = MIN((size_t)end * PIECE, copy->bytes);
    copy_piece(copy->to + first, copy->from + first, last - first);
}

static void copy_numbers(void *to, const void *from, size_t bytes)
{
    Copy copy = {to, from, bytes};
    if (bytes < LARGE)
        memcpy(to, from, bytes);
    else
        dv_parallel_for((uint32_t)((bytes + PIECE - 1) / PIECE), 1, copy_pieces, &copy);
}

static __attribute__((noinline)) void keep(DvMoment *moment, KeptField *kept)
{
    DvData *data = kept->data;
    kept->parent = dv_data_parent(data);
    /* A state that is computed when it is read; or what only has to be taken over. An engine above does not run for this. */
    if (data->flags & DV_DATA_DIRTY && (!kept->parent || !(kept->parent->flags & DV_DATA_DIRTY)))
        (void)dv_data_update(data);
    kept->follows = (data->flags & DV_DATA_DIRTY) != 0;
    kept->overtakes = !kept->follows && kept->parent && !(kept->parent->flags & DV_DATA_DIRTY);
    kept->version = data->version;
    if (kept->follows)
        return;
    if (data->type->scalar == DV_SCALAR_STRING) {
        if (kept->at)
            dv_core_value_unref(data->type, kept->at);
        kept->at = (void *)(uintptr_t)dv_core_value_ref(data->value);
    } else {
        const size_t bytes = data->count * data->type->element_size, least = MAX(bytes, 1);
        if (kept->room < least) {
            dv_free(kept->at);
            kept->at = dv_alloc(1, least);
            moment->bytes += least - kept->room;
            kept->room = least;
        }
        copy_numbers(kept->at, data->value, bytes);
    }
    kept->count = data->count;
}

static DvStatus refuse(const DvMoment *moment, const char *function, const char *why)
{
    return dv_error(moment->root, DV_ERROR_INVALID, "%s: %s", function, why);
}

/* False, with *status: not now. */
static bool begin(Call *call, const DvMoment *moment, const char *function, DvStatus *status)
{
    *status = DV_ERROR_BUSY;
    if (!dv_core_call_begin(call, moment->scene, function))
        return false;
    if (moment->scene->depth > 1)
        *status = refuse(moment, function, "called from inside a call for the same scene");
    else if (!moment->scene->running)
        *status = refuse(moment, function, "the scene does not run");
    else
        return true;
    dv_core_call_end(call);
    return false;
}

DvStatus dv_moment_take(DvMoment *moment)
{
    Call call;
    DvStatus status;
    if (!begin(&call, moment, "dv_moment_take", &status))
        return status;
    if (!moment->objects || !is_complete(moment))
        list_anew(moment);
    for (size_t i = 0; i < moment->fields; i++) {
        KeptField *kept = &moment->kept[i];
        if (kept->data->version != kept->version || kept->data->flags & DV_DATA_DIRTY || kept->follows || !kept->at)
            keep(moment, kept);
    }
    moment->steps = moment->scene->steps;
    moment->taken = true;
    dv_core_call_end(&call);
    return DV_OK;
}

/* ---- Going back ---- */

static bool is_as_kept(const KeptField *kept)
{
    return kept->data->version == kept->version && ((kept->data->flags & DV_DATA_DIRTY) != 0) == kept->follows;
}

/* What has the value that it should have is not written: a component may take what it did not write itself for an edit. */
static bool has_value(const KeptField *kept)
{
    const DvData *data = kept->data;
    if (data->flags & DV_DATA_DIRTY || data->count != kept->count)
        return false;
    if (data->type->scalar != DV_SCALAR_STRING)
        return memcmp(data->value, kept->at, data->count * data->type->element_size) == 0;
    for (size_t i = 0; i < data->count; i++)
        if (strcmp(((char *const *)data->value)[i], ((char *const *)kept->at)[i]) != 0)
            return false;
    return true;
}

static DvStatus put_back(KeptField *kept)
{
    DvData *data = kept->data;
    DvStatus status = DV_OK;
    if (dv_data_parent(data) != kept->parent || (kept->follows && !(data->flags & DV_DATA_DIRTY)))
        status = dv_data_link(data, kept->parent);
    if (!kept->follows && !has_value(kept))
        dv_data_set(data, kept->at, kept->count);
    kept->version = data->version;
    return status;
}

static DvStatus put_all_back(const DvMoment *moment)
{
    enum { MOST_PASSES = 100 };
    DvStatus status = DV_OK;
    bool again = true;
    for (int pass = 0; again && pass < MOST_PASSES; pass++) {
        again = false;
        for (size_t i = 0; i < moment->fields; i++) {
            KeptField *kept = &moment->kept[i];
            if (kept->overtakes && kept->parent->flags & DV_DATA_DIRTY) {
                const DvStatus computed = dv_data_update(kept->parent);
                status = status == DV_OK ? computed : status;
            }
            if (is_as_kept(kept))
                continue;
            again = true;
            const DvStatus one = put_back(kept);
            status = status == DV_OK ? one : status;
        }
    }
    return status;
}

typedef struct Newcomers {
    GHashTable *known;
    GPtrArray *found;
} Newcomers;

static void find_newcomer(void *context, DvObject *object)
{
    const Newcomers *newcomers = context;
    if (!g_hash_table_contains(newcomers->known, object))
        g_ptr_array_add(newcomers->found, dv_object_ref(object));
}

/* What has come since the moment was taken goes. */
static void remove_newcomers(const DvMoment *moment)
{
    Newcomers newcomers = {g_hash_table_new(NULL, NULL), g_ptr_array_new()};
    for (size_t i = 0; i < moment->objects; i++)
        g_hash_table_add(newcomers.known, moment->object[i].object);
    dv_words_each_object(moment->scene->root, find_newcomer, &newcomers);
    for (guint i = newcomers.found->len; i-- > 0;) {
        DvObject *object = g_ptr_array_index(newcomers.found, i);
        if (dv_private_node_of(object) && !object->removed)
            dv_object_remove(object);
        dv_object_unref(object);
    }
    g_ptr_array_unref(newcomers.found);
    g_hash_table_unref(newcomers.known);
}

/* ---- What has left ---- */

static bool is_lost(const DvMoment *moment, const KeptObject *kept)
{
    return kept->object != moment->root && (kept->object->removed || !kept->object->node);
}

static size_t count_lost(const DvMoment *moment)
{
    size_t lost = 0;
    for (size_t i = 0; i < moment->objects; i++)
        lost += is_lost(moment, &moment->object[i]);
    return lost;
}

/* Behind those that were in front of it, as far as they are there. */
static size_t place_of(const DvMoment *moment, const KeptObject *lost)
{
    const bool is_node = lost->object->is_node;
    const DvNode *node = lost->node->self;
    const List *all = is_node ? &node->children : &node->members;
    for (const KeptObject *before = lost; before-- > moment->object;) {
        if (before->node != lost->node || before->object->is_node != is_node)
            continue;
        const void *wanted = is_node ? before->object->self : (void *)before->object;
        for (uint32_t at = 0; at < all->len; at++)
            if (dv_private_at(all, at) == wanted)
                return at + 1;
    }
    return 0;
}

static int compare_orders(const void *left, const void *right)
{
    const uint64_t a = (*(KeptObject *const *)left)->object->order, b = (*(KeptObject *const *)right)->object->order;
    return (a > b) - (a < b);
}

typedef struct Replaced {
    KeptObject *kept;
    DvObject *old, *made;
} Replaced;

/* The nodes that it is to be in lead to the one that is there now. */
static void hand_node_on(DvMoment *moment, const Replaced *one)
{
    for (size_t i = 0; one->made->is_node && i < moment->objects; i++)
        if (moment->object[i].node == one->old)
            moment->object[i].node = one->made;
}

/* The field that has come in the place of one of an object that has left; the field itself where that is still there. */
static DvData *field_now(GHashTable *made_for, DvData *data)
{
    const DvObject *made = data ? g_hash_table_lookup(made_for, data->owner) : NULL;
    if (!made)
        return data;
    for (size_t i = 0; i < data->owner->field_count && i < made->field_count; i++)
        if (data->owner->fields[i] == data && strcmp(made->fields[i]->field->name, data->field->name) == 0)
            return made->fields[i];
    return dv_object_field(made, data->field->name);
}

/* What was kept of the objects that have left is from now on of those that were made. */
static void hand_fields_on(DvMoment *moment, const Replaced *replaced, size_t count)
{
    GHashTable *made_for = g_hash_table_new(NULL, NULL);
    for (size_t i = 0; i < count; i++)
        g_hash_table_insert(made_for, replaced[i].old, replaced[i].made);
    size_t fields = 0;
    for (size_t i = 0; i < moment->fields; i++) {
        KeptField kept = moment->kept[i];
        DvData *data = field_now(made_for, kept.data);
        kept.version = data == kept.data ? kept.version : UINT64_MAX;
        kept.parent = field_now(made_for, kept.parent);
        if (data && data->type == kept.data->type) {
            kept.data = data;
            moment->kept[fields++] = kept;
        } else {
            release_field(&kept);
        }
    }
    moment->fields = fields;
    g_hash_table_destroy(made_for);
}

/* Whoever keeps it outside goes on holding a reference. */
static DvStatus attach_again(const DvMoment *moment, const KeptObject *kept, DvStatus status)
{
    DvNode *node = kept->node->self;
    const size_t index = place_of(moment, kept);
    const DvStatus attached = dv_object_attach(dv_object_ref(kept->object), node);
    if (attached == DV_OK)
        dv_core_node_move_member(node, kept->object, index);
    return status == DV_OK ? attached : status;
}

static DvStatus make_again(DvMoment *moment, KeptObject **lost, size_t count, Replaced *replaced, size_t *made)
{
    DvStatus status = DV_OK;
    for (size_t i = 0; i < count; i++) {
        Replaced one = {lost[i], lost[i]->object, NULL};
        if (one.old->detached_from) {
            status = attach_again(moment, one.kept, status);
            continue;
        }
        const DvStatus result =
            dv_words_make_again(one.kept->node->self, one.old, place_of(moment, one.kept), &one.made);
        status = status == DV_OK ? result : status;
        if (!one.made)
            return status;
        one.kept->object = dv_object_ref(one.made);
        hand_node_on(moment, &one);
        replaced[(*made)++] = one;
    }
    return status;
}

static int compare_places(const void *left, const void *right)
{
    const KeptObject *a = ((const Replaced *)left)->kept, *b = ((const Replaced *)right)->kept;
    return (a > b) - (a < b);
}

/* While the scene is reset. Links look back, so the order of making is the one in which they were made. */
static DvStatus put_lost_back(DvMoment *moment, size_t count)
{
    KeptObject **lost = dv_alloc(count, sizeof(KeptObject *));
    Replaced *replaced = dv_alloc(count, sizeof *replaced);
    DvObject **objects = dv_alloc(count, 2 * sizeof(DvObject *)), **old = objects + count;
    size_t made = 0, members = 0;
    for (size_t i = 0, found = 0; i < moment->objects; i++)
        if (is_lost(moment, &moment->object[i]))
            lost[found++] = &moment->object[i];
    qsort(lost, count, sizeof *lost, compare_orders);
    DvStatus status = make_again(moment, lost, count, replaced, &made);
    qsort(replaced, made, sizeof *replaced, compare_places);
    for (size_t i = 0; i < made; i++)
        if (!replaced[i].made->is_node) {
            old[members] = replaced[i].old;
            objects[members++] = replaced[i].made;
        }
    const DvStatus started = dv_words_init_again(moment->scene, old, objects, members);
    status = status == DV_OK ? started : status;
    hand_fields_on(moment, replaced, made);
    for (size_t i = 0; i < made; i++) {
        replaced[i].kept->fields = replaced[i].made->field_count;
        dv_words_hand_first_on(replaced[i].old, replaced[i].made);
        dv_object_unref(replaced[i].old);
    }
    moment->revision = moment->scene->root->revision;
    dv_free(lost);
    dv_free(replaced);
    dv_free(objects);
    return status;
}

/* ---- All of it ---- */

/* What lies in nodes that have never been active was never initialised. */
static void rebuild(void *context, DvObject *object)
{
    DvStatus *status = context;
    const bool has = object->cls->restore && object->initialised && dv_object_is_valid(object);
    const DvStatus one = has ? object->cls->restore(object, object->self) : DV_OK;
    *status = *status == DV_OK ? one : *status;
}

DvStatus dv_words_rebuild(DvScene *scene)
{
    DvStatus status = DV_OK;
    dv_words_each_object(scene->root, rebuild, &status);
    return status;
}

DvStatus dv_moment_restore(DvMoment *moment)
{
    Call call;
    DvStatus status;
    if (!begin(&call, moment, "dv_moment_restore", &status))
        return status;
    status = DV_OK;
    if (!moment->taken) {
        status = refuse(moment, "dv_moment_restore", "no moment has been taken");
    } else {
        if (!is_complete(moment))
            remove_newcomers(moment);
        dv_scene_reset(moment->scene);
        const size_t lost = count_lost(moment);
        if (lost) {
            status = put_lost_back(moment, lost);
            dv_scene_reset(moment->scene);
        }
        const DvStatus put = put_all_back(moment);
        moment->scene->steps = moment->steps;
        const DvStatus rebuilt = dv_words_rebuild(moment->scene);
        status = status != DV_OK ? status : put != DV_OK ? put : rebuilt;
    }
    dv_core_call_end(&call);
    return status;
}

/* ---- Life ---- */

DvMoment *dv_moment_new(DvScene *scene)
{
    DvMoment *moment = dv_alloc(1, sizeof *moment);
    moment->scene = scene;
    moment->root = dv_object_ref(dv_node_object(scene->root));
    return moment;
}

void dv_moment_free(DvMoment *moment)
{
    if (!moment)
        return;
    release_all(moment);
    dv_object_unref(moment->root);
    dv_free(moment);
}

size_t dv_moment_bytes(const DvMoment *moment)
{
    return moment->bytes;
}
