/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Makes snapshots. Texts are copied: objects and the fields that are added at run time may go while a snapshot is looked at. Nothing here
 * knows a class: all follows from field tables.
 */
#include "snapshot.h"

#include <math.h>
#include <string.h>

#include <divan/registry.h>

enum { TEXT_MOST = 400 }; /* numbers, or words, of a list that is shown as one text */

/* Trees */

static void clear_item(gpointer data)
{
    TreeItem *item = data;
    g_free(item->path);
    g_free(item->plain);
    g_free(item->name);
    g_free(item->variant);
    g_free(item->place);
}

static char *place_of(const DvObject *object)
{
    int line = 0, column = 0;
    const char *file = dv_object_file(object, &line, &column);
    if (!file)
        return NULL;
    char *base = g_path_get_basename(file);
    char *place = line > 0 ? g_strdup_printf("%s:%d", base, line) : g_strdup(base);
    g_free(base);
    return place;
}

static char *path_of(const DvObject *object)
{
    DvText path = {0};
    dv_object_link_path(object, &path);
    char *copy = g_strdup(path.at + 1); /* without the '@' */
    dv_text_free(&path);
    return copy;
}

static guint add_item(Tree *tree, DvObject *object, guint parent, guint depth)
{
    const DvClass *cls = dv_object_class(object);
    DvNode *node = dv_object_as_node(object);
    const TreeItem item = {
        .path = path_of(object),
        .plain = g_strdup(node ? dv_node_path(node) : dv_object_path(object)),
        .name = g_strdup(dv_object_name(object)),
        .type = cls->name,
        .family = node ? NULL : cls->family,
        .variant = g_strdup(node ? "" : dv_object_variant(object)),
        .place = place_of(object),
        .parent = parent,
        .depth = depth,
        .is_node = node != NULL,
        .is_active = node ? dv_node_is_active(node) : true,
        .is_valid = dv_object_is_valid(object),
    };
    tree->invalid += !item.is_valid;
    g_array_append_val(tree->items, item);
    return tree->items->len - 1;
}

static void add_node(Tree *tree, const DvNode *node, guint parent, guint depth)
{
    const guint index = add_item(tree, dv_node_object(node), parent, depth);
    DvObject *object;
    for (size_t i = 0; (object = dv_node_member(node, i)); i++) {
        const guint leaf = add_item(tree, object, index, depth + 1);
        g_array_index(tree->items, TreeItem, leaf).end = leaf + 1;
    }
    const DvNode *child;
    for (size_t i = 0; (child = dv_node_child(node, i)); i++)
        if (dv_node_parent(child, 0) == node)
            add_node(tree, child, index, depth + 1);
    g_array_index(tree->items, TreeItem, index).end = tree->items->len;
}

Tree *tree_new(DvScene *scene)
{
    Tree *tree = g_new0(Tree, 1);
    tree->references = 1;
    tree->items = g_array_new(FALSE, TRUE, sizeof(TreeItem));
    g_array_set_clear_func(tree->items, clear_item);
    tree->revision = dv_node_revision(dv_scene_root(scene));
    add_node(tree, dv_scene_root(scene), G_MAXUINT, 0);
    return tree;
}

static guint count_invalid(const DvNode *node)
{
    guint count = 0;
    DvObject *object;
    for (size_t i = 0; (object = dv_node_member(node, i)); i++)
        count += !dv_object_is_valid(object);
    const DvNode *child;
    for (size_t i = 0; (child = dv_node_child(node, i)); i++)
        if (dv_node_parent(child, 0) == node)
            count += count_invalid(child);
    return count;
}

guint tree_count_invalid(DvScene *scene)
{
    return count_invalid(dv_scene_root(scene));
}

Tree *tree_ref(Tree *tree)
{
    g_atomic_int_inc(&tree->references);
    return tree;
}

void tree_unref(Tree *tree)
{
    if (!tree || !g_atomic_int_dec_and_test(&tree->references))
        return;
    g_array_free(tree->items, TRUE);
    g_free(tree);
}

const TreeItem *tree_find(const Tree *tree, const char *path)
{
    const TreeItem *plain = NULL;
    for (guint i = 0; tree && path && i < tree->items->len; i++) {
        const TreeItem *item = &g_array_index(tree->items, TreeItem, i);
        if (strcmp(item->path, path) == 0)
            return item;
        if (!plain && strcmp(item->plain, path) == 0)
            plain = item;
    }
    return plain;
}

/* Fields */

static void clear_field(gpointer data)
{
    FieldView *view = data;
    g_free(view->name);
    g_free(view->type);
    g_free(view->unit);
    g_free(view->help);
    g_free(view->group);
    g_free(view->range);
    g_strfreev(view->choices);
    g_free(view->text);
    g_free(view->parent);
    g_free(view->numbers);
}

double view_number(const DvType *type, const void *value, size_t place)
{
    switch (type->scalar) {
    case DV_SCALAR_BOOL:
        return ((const bool *)value)[place];
    case DV_SCALAR_INT:
        return ((const int32_t *)value)[place];
    case DV_SCALAR_UINT:
        return ((const uint32_t *)value)[place];
    case DV_SCALAR_DOUBLE:
        return ((const double *)value)[place];
    default:
        return NAN;
    }
}

static bool holds_numbers(const DvType *type)
{
    return type->scalar < DV_SCALAR_STRING;
}

static void copy_numbers(FieldView *view, const DvType *type, const void *value, size_t first)
{
    view->first = MIN(first, view->count ? view->count - 1 : 0) / FIELD_ROWS * FIELD_ROWS;
    view->rows = MIN(view->count - view->first, (size_t)FIELD_ROWS);
    view->numbers = g_new(double, view->rows * view->components + 1);
    for (size_t i = 0; i < view->rows * view->components; i++)
        view->numbers[i] = view_number(type, value, view->first * view->components + i);
}

static void view_value(FieldView *view, DvData *data, size_t first)
{
    const void *value = dv_data_read(data);
    view->count = data->count;
    if (holds_numbers(data->type))
        copy_numbers(view, data->type, value, first);
    if (view->count * view->components > TEXT_MOST && view->list)
        return;
    DvText text = {0};
    dv_data_print(data, &text);
    view->text = g_strdup(text.at ? text.at : "");
    dv_text_free(&text);
}

static char *parent_of(const DvData *data)
{
    const DvData *parent = dv_data_parent(data);
    return parent && parent->owner ? g_strdup_printf("%s.%s", dv_object_path(parent->owner), parent->field->name)
                                   : NULL;
}

static FieldView field_view(DvData *data, size_t first)
{
    const DvField *field = data->field;
    FieldView view = {
        .name = g_strdup(field->name),
        .type = g_strdup(data->type->name),
        .unit = g_strdup(field->unit),
        .help = g_strdup(field->help),
        .group = g_strdup(field->group),
        .choices = g_strdupv((char **)field->choices),
        .parent = parent_of(data),
        .scalar = data->type->scalar,
        .components = data->type->components,
        .flags = field->flags,
        .list = data->type->list,
        .is_set = dv_data_is_set(data),
        .is_link = field->type == &dv_type_link,
        .is_color = strcmp(data->type->name, "color") == 0,
        .is_file = field->type == &dv_type_file,
        .least = field->range ? field->range->least : -INFINITY,
        .most = field->range ? field->range->most : INFINITY,
    };
    if (field->range) {
        DvText range = {0};
        dv_range_print(field->range, &range);
        view.range = g_strdup(range.at);
        dv_text_free(&range);
    }
    view_value(&view, data, first);
    return view;
}

ObjectView *object_view_new(DvObject *object, const char *path, size_t first)
{
    const DvClass *cls = dv_object_class(object);
    const DvPlugin *plugin = dv_class_plugin(cls);
    DvNode *node = dv_object_as_node(object);
    ObjectView *view = g_new0(ObjectView, 1);
    view->path = g_strdup(path);
    view->name = g_strdup(dv_object_name(object));
    view->type = g_strdup(cls->name);
    view->variant = g_strdup(node ? "" : dv_object_variant(object));
    view->family = g_strdup(cls->family);
    view->help = g_strdup(cls->help);
    view->plugin = g_strdup(plugin ? plugin->id : "the kernel");
    view->license = g_strdup(cls->license ? cls->license : plugin ? plugin->license : "");
    view->place = place_of(object);
    view->is_node = node != NULL;
    view->is_valid = dv_object_is_valid(object);
    view->is_active = !node || dv_node_is_active(node);
    view->is_transient = dv_object_is_transient(object);
    view->fields = g_array_new(FALSE, TRUE, sizeof(FieldView));
    g_array_set_clear_func(view->fields, clear_field);
    for (size_t i = 0; i < dv_object_field_count(object); i++) {
        DvData *data = dv_object_field_at(object, i);
        if (data->field->flags & (DV_FIELD_HIDDEN | DV_FIELD_STATE))
            continue;
        const FieldView field = field_view(data, first);
        g_array_append_val(view->fields, field);
    }
    return view;
}

void object_view_free(ObjectView *view)
{
    if (!view)
        return;
    char *const texts[] = {view->path, view->name,   view->type,    view->variant, view->family,
                           view->help, view->plugin, view->license, view->place};
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++)
        g_free(texts[i]);
    g_array_free(view->fields, TRUE);
    g_free(view);
}

/* Snapshots */

Snapshot *snapshot_ref(Snapshot *snapshot)
{
    g_atomic_int_inc(&snapshot->references);
    return snapshot;
}

void snapshot_unref(Snapshot *snapshot)
{
    if (!snapshot || !g_atomic_int_dec_and_test(&snapshot->references))
        return;
    tree_unref(snapshot->tree);
    g_clear_pointer(&snapshot->reads, g_ptr_array_unref);
    object_view_free(snapshot->object);
    g_array_free(snapshot->phases, TRUE);
    g_ptr_array_unref(snapshot->plots);
    if (snapshot->devices)
        g_array_free(snapshot->devices, TRUE);
    if (snapshot->picture)
        ((const DvPictureRecorderOps *)dv_service(DV_PICTURE_RECORDER))->unref(snapshot->picture);
    g_free(snapshot->file);
    g_free(snapshot->edit.path);
    g_free(snapshot->edit.error);
    g_free(snapshot->grab.what);
    g_free(snapshot->pick.path);
    g_free(snapshot->recording);
    g_free(snapshot);
}
