/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Includes and macros: files put in the place of elements.
 */
#include "reader.h"

#include <stdio.h>
#include <sys/stat.h>

/* Includes and macros */

static int compare_names(const void *a, const void *b)
{
    return strcmp((*(DvAttribute *const *)a)->name, (*(DvAttribute *const *)b)->name);
}

/* The attributes of an include that replace others, by name. */
typedef struct Overrides {
    DvAttribute *at[MAX_ATTRIBUTES];
    size_t count;
    DvText key; /* room for "name__attribute" */
} Overrides;

static const char *override_of(const Overrides *overrides, const char *name)
{
    DvAttribute key = {.name = (char *)(uintptr_t)name}, *wanted = &key;
    DvAttribute *const *found = bsearch(&wanted, overrides->at, overrides->count, sizeof *overrides->at, compare_names);
    return found ? (*found)->text : NULL;
}

/* name__field="v" goes to the elements called `name`, field="v" to all; only objects that have the attribute already take it. */
static void override(XmlElement *element, Overrides *overrides)
{
    const char *name = xml_attribute_of(element, "name");
    DvAttribute *attribute;
    for (size_t i = 0; is_object(element) && (attribute = dv_attributes_at(element->attributes, i)); i++) {
        const char *text = override_of(overrides, attribute->name);
        if (*name) {
            overrides->key.length = 0;
            dv_text_add(&overrides->key, "%s__%s", name, attribute->name);
            const char *for_name = override_of(overrides, overrides->key.at);
            text = for_name ? for_name : text;
        }
        if (text && strcmp(attribute->name, "name") != 0 && strcmp(attribute->name, "type") != 0) {
            dv_free(attribute->text);
            attribute->text = dv_strdup(text);
        }
    }
    for (XmlElement *child = element->first; child; child = child->next)
        override(child, overrides);
}

static void override_by(const XmlElement *include, XmlElement *root)
{
    Overrides overrides = {.count = 0};
    DvAttribute *attribute;
    for (size_t i = 0; overrides.count < MAX_ATTRIBUTES && (attribute = dv_attributes_at(include->attributes, i)); i++)
        if (strcmp(attribute->name, "href") != 0 && strcmp(attribute->name, "name") != 0)
            overrides.at[overrides.count++] = attribute;
    if (!overrides.count)
        return;
    qsort(overrides.at, overrides.count, sizeof *overrides.at, compare_names);
    override(root, &overrides);
    dv_text_free(&overrides.key);
}

static XmlElement *same_child(const XmlElement *parent, const XmlElement *like)
{
    for (XmlElement *child = parent->first; child; child = child->next)
        if (is_kind(child, like->kind) && strcmp(xml_class_of(child), xml_class_of(like)) == 0 &&
            strcmp(xml_attribute_of(child, "name"), xml_attribute_of(like, "name")) == 0)
            return child;
    return NULL;
}

/* _Merge_: attributes over those of `into`, children of the same class and name likewise, all others behind its own. */
static void merge(XmlElement *into, XmlElement *from)
{
    const DvAttribute *attribute;
    for (size_t i = 0; (attribute = dv_attributes_at(from->attributes, i)); i++)
        if (strcmp(attribute->name, "name") != 0)
            dv_attributes_set(into->attributes, attribute->name, attribute->text, attribute->line, attribute->column);
    for (XmlElement *child; (child = xml_take_first(from));) {
        XmlElement *same = *xml_attribute_of(child, "name") ? same_child(into, child) : NULL;
        if (same) {
            merge(same, child);
            xml_element_free(child);
        } else {
            xml_append(into, child);
        }
    }
}

/* For dv_free; ended by a zero byte. NULL after an error that has been reported. */
static char *read_file(Reader *reader, const XmlElement *include, const char *path, size_t *length)
{
    struct stat status;
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    if (!file || fstat(fileno(file), &status) != 0) {
        problem_at(reader, include->place, DV_ERROR_IO, "'%s' cannot be read", path);
    } else if (status.st_size > DV_MAX_SCENE_BYTES) {
        problem_at(reader, include->place, DV_ERROR_LIMIT, "'%s' is larger than %d MiB", path,
                   DV_MAX_SCENE_BYTES >> 20);
    } else if (!(text = dv_try_alloc((size_t)status.st_size + 1, 1))) {
        problem_at(
            reader, include->place, DV_ERROR_LIMIT,
            "'%s': there is no room in memory for its %lld bytes; put meshes into files of their own, or give the "
            "process more memory",
            path, (long long)status.st_size);
    } else {
        *length = fread(text, 1, (size_t)status.st_size, file);
    }
    if (file)
        fclose(file);
    return text;
}

static bool may_open(Reader *reader, const XmlElement *include, const char *canonical)
{
    for (size_t i = 0; i < reader->open_count; i++) {
        if (strcmp(reader->open[i], canonical) != 0)
            continue;
        problem_at(reader, include->place, DV_ERROR_CYCLE, "'%s' includes itself%s", canonical,
                   i + 1 < reader->open_count ? ", through other files" : "");
        return false;
    }
    if (reader->open_count > MAX_INCLUDE_DEPTH) {
        problem_at(reader, include->place, DV_ERROR_LIMIT, "files include each other more than %d deep",
                   MAX_INCLUDE_DEPTH);
        return false;
    }
    if (++reader->includes > MAX_INCLUDES) {
        problem_at(reader, include->place, DV_ERROR_LIMIT, "the scene includes more than %d files", MAX_INCLUDES);
        return false;
    }
    return true;
}

/* The root element of the file that an include (or a macro) names, with overrides applied. */
static XmlElement *included(Reader *reader, const XmlElement *include, const char *href, size_t depth)
{
    char *path = dv_find_file(href, include->folder);
    if (!path) {
        problem_at(reader, include->place, DV_ERROR_NOT_FOUND,
                   "the file '%s' to include is neither in the folder of the scene nor in DIVAN_DATA_PATH", href);
        return NULL;
    }
    char *canonical = realpath(path, NULL);
    XmlElement *root = NULL;
    size_t length = 0;
    char *text = canonical && may_open(reader, include, canonical) ? read_file(reader, include, path, &length) : NULL;
    if (text) {
        DvText folder = {0};
        const size_t slash = (size_t)(strrchr(canonical, '/') - canonical);
        dv_text_add_bytes(&folder, canonical, slash ? slash : 1);
        root = xml_parse_text(reader, text, length, path, folder.at, depth);
        dv_text_free(&folder);
    }
    dv_free(text);
    if (root) {
        reader->open[reader->open_count++] = canonical;
        xml_expand(reader, root, depth);
        reader->open_count--;
        override_by(include, root);
        if (*xml_attribute_of(include, "name"))
            dv_attributes_set(root->attributes, "name", xml_attribute_of(include, "name"), include->place.line,
                              include->place.column);
    }
    free(canonical);
    dv_free(path);
    return root;
}

static void put_in_place(XmlElement *into, XmlElement *root)
{
    const char *name = xml_attribute_of(root, "name");
    if (is_kind(root, "Node") && (strcmp(name, "Group") == 0 || strcmp(name, "_Group_") == 0)) {
        for (XmlElement *child; (child = xml_take_first(root));)
            xml_append(into, child);
        xml_element_free(root);
    } else if (is_kind(root, "Node") && strcmp(name, "_Merge_") == 0) {
        merge(into, root);
        xml_element_free(root);
    } else {
        xml_append(into, root);
    }
}

/* Where a class name is among those without a macro file, or belongs. */
static size_t place_in_missed(const Reader *reader, const char *class_name, bool *is_there)
{
    size_t first = 0, end = reader->no_macro_count;
    *is_there = false;
    while (first < end && !*is_there) {
        const size_t middle = (first + end) / 2;
        const int order = strcmp(class_name, reader->no_macro[middle]);
        *is_there = order == 0;
        if (order > 0)
            first = middle + 1;
        else
            end = middle;
    }
    return *is_there ? end : first;
}

/* The macro file of a class that nobody offers, in `href`; nothing when there is none. */
static void find_macro(Reader *reader, const XmlElement *element, DvText *href)
{
    const char *class_name = xml_class_of(element);
    bool is_missed = true;
    if (!is_object(element) || !*class_name || strchr(class_name, '/') || dv_class_find(class_name) ||
        dv_rename_of_class(class_name) || reader->no_macro_count == MAX_MACROS_MISSED)
        return;
    const size_t place = place_in_missed(reader, class_name, &is_missed);
    if (is_missed)
        return;
    dv_text_add(href, "Objects/%s.xml", class_name);
    char *path = dv_find_file(href->at, element->folder);
    if (!path) {
        char **at = &reader->no_macro[place];
        memmove(at + 1, at, (reader->no_macro_count++ - place) * sizeof *at);
        *at = dv_strdup(class_name);
        dv_text_free(href);
    }
    dv_free(path);
}

/* Old scenes include group files that came with the program, as Objects/TetrahedronSetTopology.xml. Where such a file is not at
 * hand, the include becomes the old class of that name. */
static void include_as_class(XmlElement *element)
{
    static const char before[] = "Objects/", behind[] = ".xml";
    const char *href = xml_attribute_of(element, "href");
    const size_t length = strlen(href), around = strlen(before) + strlen(behind);
    if (!is_kind(element, "include") || length <= around || strncmp(href, before, strlen(before)) != 0 ||
        strcmp(href + length - strlen(behind), behind) != 0)
        return;
    DvText name = {0};
    dv_text_add_bytes(&name, href + strlen(before), length - around);
    char *path = dv_find_file(href, element->folder);
    const DvRename *rename = path ? NULL : dv_rename_of_class(name.at);
    if (rename && rename->kind == DV_RENAME_CLASS_EXPANDED) {
        dv_free(element->kind);
        element->kind = dv_strdup(name.at);
        dv_attributes_drop(element->attributes, "href");
    }
    dv_text_free(&name);
    dv_free(path);
}

void xml_expand(Reader *reader, XmlElement *element, size_t depth)
{
    if (!is_kind(element, "Node"))
        return;
    XmlElement before = *element; /* its children, which come back one by one */
    element->first = element->last = NULL;
    element->children = 0;
    for (XmlElement *child; (child = xml_take_first(&before));) {
        include_as_class(child);
        DvText macro = {0};
        find_macro(reader, child, &macro);
        if (!macro.length && !is_kind(child, "include")) {
            xml_append(element, child);
            xml_expand(reader, child, depth + 1);
            continue;
        }
        const char *href = macro.length ? macro.at : xml_attribute_of(child, "href");
        XmlElement *root = NULL;
        if (*href)
            root = included(reader, child, href, depth + 1);
        else
            problem_at(reader, child->place, DV_ERROR_INVALID, "<include> needs the attribute 'href'");
        if (root)
            put_in_place(element, root);
        dv_text_free(&macro);
        xml_element_free(child);
    }
}
