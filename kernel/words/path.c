/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Paths: how scenes name objects and fields.
 *
 *   @dofs           in this node (child nodes before objects) or, failing that, in the nearest ancestor that has it
 *   @../dofs  @./x  relative to the node: strictly there; @/Liver/dofs from the root
 *   @[-1]           the object before this one in its node
 *   @/Ball[2]/dofs  of several that have one name the second; the name alone means the first
 *   @..             a node; where an object of some contract is wanted, the one it holds, else the one it takes from above
 *   @dofs.position  a field: what follows the last '.' behind the last '/'
 *
 * A name is searched upwards only while nothing of the path has been found yet.
 */
#include "words.h"

#include <string.h>

/* The first of a name, or for "name[k]" the k-th. */
static DvObject *named(const DvNode *node, const char *name, size_t length)
{
    DvObject *object;
    for (guint i = 0; (object = dv_private_held(node, i)); i++)
        if (dv_private_is_called(object, name, length))
            return object;
    size_t plain = length;
    while (plain && name[plain] != '[')
        plain--;
    const char *text = name + plain + 1;
    uint32_t number;
    if (name[length - 1] != ']' || name[plain] != '[' || !dv_read_uint(&text, &number) || text != name + length - 1)
        return NULL;
    for (guint i = 0; (object = dv_private_held(node, i)); i++)
        if (dv_private_is_called(object, name, plain) && --number == 0)
            return object;
    return NULL;
}

/* "[-k]" counts back from the owner of the link, or from the end for one that is not in the node yet. */
static DvObject *counted_back(const DvNode *node, const DvObject *from, const char *path, size_t length)
{
    const char *text = path + 1, *end = path + length - 1;
    int32_t places;
    if (!dv_read_int(&text, &places) || text != end || *end != ']' || places >= 0)
        return NULL;
    size_t position = 0;
    while (position < node->members.len && dv_private_at(&node->members, position) != from)
        position++;
    const int64_t index = (int64_t)position + places;
    return index >= 0 ? dv_private_at(&node->members, (guint)index) : NULL;
}

/* Follows `length` characters behind the '@'. */
static DvObject *walk(const DvNode *node, const DvObject *from, const char *path, size_t length)
{
    if (length == 0 || (length == 2 && strncmp(path, "[]", 2) == 0))
        return from ? (DvObject *)from : dv_object_of(node);
    if (path[0] == '[')
        return counted_back(node, from, path, length);
    bool strict = path[0] == '/';
    DvObject *at = dv_object_of(strict ? dv_node_root(node) : node);
    for (const char *end = path + length; path < end && at;) {
        const char *slash = memchr(path, '/', (size_t)(end - path));
        const size_t size = (size_t)((slash ? slash : end) - path);
        if (size == 1 && path[0] == '.') {
            strict = true;
        } else if (size == 2 && path[0] == '.' && path[1] == '.') {
            DvNode *above = at->is_node ? dv_node_parent(at->self, 0) : at->node;
            at = above ? dv_object_of(above) : NULL;
            strict = true;
        } else if (size) {
            const DvNode *in = at->is_node ? at->self : NULL;
            DvObject *found = NULL;
            while (in && !(found = named(in, path, size)))
                in = strict ? NULL : dv_node_parent(in, 0);
            at = found;
            strict = true;
        }
        path += size + (slash ? 1 : 0);
    }
    return at;
}

/* What a path that ends on `object` means where an object of a contract is wanted. */
static DvObject *of_contract(DvObject *object, const char *contract)
{
    if (!object || !contract)
        return object;
    if (!object->is_node)
        return dv_core_object_offer(object, contract) ? object : NULL;
    const DvNode *node = object->self;
    DvObject *found = NULL, *by_path = NULL;
    guint standing = 0, others = 0;
    for (guint i = 0; i < node->members.len; i++) {
        DvObject *member = dv_private_at(&node->members, i);
        if (dv_core_stands_for_node(member, contract)) {
            found = member;
            standing++;
        } else if (dv_core_object_offer(member, contract)) {
            by_path = member;
            others++;
        }
    }
    if (standing + others == 0)
        return dv_core_node_context(node, contract);
    if (standing == 1)
        return found;
    return standing == 0 && others == 1 ? by_path : NULL; /* else ambiguous */
}

DvObject *dv_node_resolve(const DvNode *node, const DvObject *from, const char *path, const char *contract)
{
    DvObject *found = dv_words_resolve(node, from, path, contract);
    return !found || !contract || dv_object_ops(found, contract) ? found : NULL;
}

DvObject *dv_words_resolve(const DvNode *node, const DvObject *from, const char *path, const char *contract)
{
    return path && path[0] == '@' ? of_contract(walk(node, from, path + 1, strlen(path + 1)), contract) : NULL;
}

enum { SHORTEST = 3 }; /* letters of a name that another one can be close to */

/* Names of what a node holds, and for a name alone of what the nodes above hold. */
static void add_names(GPtrArray *names, const DvNode *node, bool upwards)
{
    DvObject *object;
    for (; node; node = upwards ? dv_node_parent(node, 0) : NULL)
        for (guint i = 0; (object = dv_private_held(node, i)); i++)
            g_ptr_array_add(names, (gpointer)(uintptr_t)dv_object_name(object));
}

void dv_words_say_closest(DvText *text, const DvNode *node, const DvObject *from, const char *path, size_t length)
{
    if (path[0] != '@')
        return;
    while (length > 1) { /* the first name of the path that leads nowhere */
        size_t last = length;
        while (last > 1 && path[last - 1] != '/')
            last--;
        const DvObject *holder = last > 1 ? walk(node, from, path + 1, MAX(last - 2, 1)) : dv_object_of(node);
        if (!holder) {
            length = last - 1;
            continue;
        }
        if (length < last + SHORTEST || !holder->is_node)
            return;
        GPtrArray *names = g_ptr_array_new();
        add_names(names, holder->self, last == 1);
        char *name = g_strndup(path + last, length - last);
        const char *closest = dv_closest(name, (const char *const *)names->pdata, names->len);
        if (closest && strcmp(closest, name) != 0)
            dv_text_add(text, "; did you mean '%.*s%s'?", (int)last, path, closest);
        g_free(name);
        g_ptr_array_free(names, TRUE);
        return;
    }
}

void dv_words_say_not_found(DvText *text, const DvNode *node, const DvObject *from, const char *path, size_t length)
{
    dv_text_add(text, "nothing is found at '%.*s'", (int)length, path);
    dv_words_say_closest(text, node, from, path, length);
}

DvData *dv_words_resolve_field(const DvNode *node, const DvObject *from, const char *path, DvText *problem)
{
    if (path[0] != '@') {
        dv_text_add(problem, "a link starts with '@', '%s' does not", path);
        return NULL;
    }
    const char *slash = strrchr(path, '/');
    const char *last = slash ? slash + 1 : path + 1, *dot = strrchr(last, '.');
    if (!dot || strcmp(last, "..") == 0 || strcmp(last, ".") == 0) {
        dv_text_add(problem, "'%s' names no field: '@path.field' is needed", path);
        return NULL;
    }
    DvObject *object = walk(node, from, path + 1, (size_t)(dot - path - 1));
    if (!object) {
        dv_words_say_not_found(problem, node, from, path, (size_t)(dot - path));
        return NULL;
    }
    DvData *field = dv_object_field(object, dot + 1);
    if (!field) {
        const size_t count = dv_object_field_count(object);
        const char **names = g_new(const char *, count);
        for (size_t i = 0; i < count; i++)
            names[i] = dv_object_field_at(object, i)->field->name;
        const char *closest = dv_closest(dot + 1, names, count);
        dv_text_add(problem, "%s '%s' has no field '%s'", object->cls->name, dv_object_name(object), dot + 1);
        if (closest)
            dv_text_add(problem, "; did you mean '%s'?", closest);
        g_free(names);
    }
    return field;
}

void dv_object_link_path(const DvObject *object, DvText *out)
{
    const DvNode *above = object->node;
    if (!above) {
        dv_text_add(out, object->is_node ? "@/" : "@%s", dv_object_name(object));
        return;
    }
    dv_object_link_path(dv_object_of(above), out);
    const char *name = dv_object_name(object);
    dv_text_add(out, "%s%s", out->at[out->length - 1] == '/' ? "" : "/", name);
    guint number = 1;
    for (guint i = 0; dv_private_held(above, i) != object; i++)
        number += dv_private_is_called(dv_private_held(above, i), name, strlen(name));
    if (number > 1 || !*name)
        dv_text_add(out, "[%u]", number);
}

void dv_words_say_namesake(DvNode *node, const DvNode *parent)
{
    const char *name = dv_node_name(node);
    for (guint i = 0; *name && dv_private_at(&parent->children, i) != node; i++) {
        if (strcmp(dv_node_name(dv_private_at(&parent->children, i)), name) != 0)
            continue;
        DvText path = {0};
        dv_object_link_path(dv_object_of(node), &path);
        dv_warning(dv_object_of(node),
                   "its parent has another child of this name, to which paths lead; the path of this one is '%s'",
                   path.at);
        dv_text_free(&path);
        dv_core_problem(node->scene, DV_OK);
        return;
    }
}

char *dv_words_data_path(const DvData *data)
{
    DvText path = {0};
    dv_object_link_path(data->owner, &path);
    char *whole = g_strdup_printf("%s.%s", path.at, data->field->name);
    dv_text_free(&path);
    return whole;
}
