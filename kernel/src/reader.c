/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reads scene files: XML with the elements Node, Object, include, Attribute, Data and State; any other element is an object whose
 * class is the element's name. docs/scene-files.md has the grammar.
 *
 * First the whole tree is read, includes and macros (files Objects/<Class>.xml for classes that nobody offers) put in place; then
 * the graph is made in the order of the document, so that an object sees what was written before it.
 *
 * Scenes are untrusted: a DOCTYPE is refused, so that no entity is ever expanded, and there are limits on everything that
 * grows. Time is linear in the size of the text.
 */
#include "internal.h"

#include <expat.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_DEPTH = 256, /* nodes within nodes, includes and all */
    MAX_ATTRIBUTES = DV_PRIVATE_MAX_ATTRIBUTES,
    MAX_CHILDREN = 10000,   /* of an element */
    MAX_ELEMENTS = 100000,  /* of a scene */
    MAX_INCLUDES = 1000,    /* of a scene */
    MAX_INCLUDE_DEPTH = 16, /* files within files */
    MAX_BYTES = DV_PRIVATE_MAX_SCENE_BYTES,
    MAX_UTF16_BYTES = 16 << 20, /* UTF-16 goes to the parser unseen, which holds all attributes of an element at once */
    MAX_PROBLEMS = 10000,       /* enough is enough: warnings and errors */
    MAX_ERRORS = 200,
    MAX_MACROS_MISSED = 1000 /* class names that are looked up as files in vain */
};

typedef struct XmlElement {
    char *kind;
    Place place;
    const char *folder; /* interned */
    bool is_file_root;
    DvAttributes *attributes;
    GPtrArray *children; /* XmlElement * */
} XmlElement;

/* A scene being read, with what it has used up. */
typedef struct Reader {
    DvScene *scene;
    size_t elements, includes, bytes;
    GPtrArray *open;      /* char *: canonical names of the files being read, outermost first */
    GHashTable *no_macro; /* class names without a file Objects/<Class>.xml */
} Reader;

/* One file being parsed. */
typedef struct Parse {
    Reader *reader;
    XML_Parser parser;
    const char *file, *folder, *text;
    size_t length, base_depth;
    GPtrArray *stack; /* XmlElement *: open elements */
    XmlElement *root;
    DvStatus status;
} Parse;

static void element_free(void *pointer)
{
    XmlElement *element = pointer;
    if (!element)
        return;
    g_free(element->kind);
    dv_private_attributes_free(element->attributes);
    g_ptr_array_unref(element->children);
    g_free(element);
}

static const char *attribute_of(const XmlElement *element, const char *name)
{
    const Attribute *attribute = dv_private_attribute_find(element->attributes, name);
    return attribute ? attribute->text : "";
}

static bool is_kind(const XmlElement *element, const char *kind)
{
    return strcmp(element->kind, kind) == 0;
}

static bool is_object(const XmlElement *element)
{
    return !is_kind(element, "Node") && !is_kind(element, "include") && !is_kind(element, "Attribute") &&
           !is_kind(element, "Data") && !is_kind(element, "State");
}

static const char *class_of(const XmlElement *element)
{
    return is_kind(element, "Object") ? attribute_of(element, "type") : element->kind;
}

/* The last element that is open; NULL outside the root. */
static XmlElement *innermost(const Parse *parse)
{
    return parse->stack->len ? g_ptr_array_index(parse->stack, parse->stack->len - 1) : NULL;
}

static void problem_at(Reader *reader, Place place, DvStatus status, const char *format, ...) DV_PRINTF(4, 5);
static void problem_at(Reader *reader, Place place, DvStatus status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    dv_private_report(reader->scene, place, status, format, args);
    va_end(args);
}

/* Parsing one file */

static Place present_place(const Parse *parse)
{
    return (Place){parse->file, (int)XML_GetCurrentLineNumber(parse->parser),
                   (int)XML_GetCurrentColumnNumber(parse->parser) + 1};
}

static void stop(Parse *parse, DvStatus status, const char *format, ...) DV_PRINTF(3, 4);
static void stop(Parse *parse, DvStatus status, const char *format, ...)
{
    if (parse->status != DV_OK)
        return;
    parse->status = status;
    va_list args;
    va_start(args, format);
    dv_private_report(parse->reader->scene, present_place(parse), status, format, args);
    va_end(args);
    XML_StopParser(parse->parser, XML_FALSE);
}

/* The parser says where a tag stands; where its attributes do is read off the tag's text again. */
static void place_attributes(const Parse *parse, XmlElement *element)
{
    const XML_Index start = XML_GetCurrentByteIndex(parse->parser);
    const int size = XML_GetCurrentByteCount(parse->parser);
    if (start < 0 || (size_t)start + (size_t)size > parse->length || size < 2 || parse->text[start + 1] == '\0')
        return; /* UTF-16 */
    const char *at = parse->text + start, *end = at + size;
    int line = element->place.line, column = element->place.column;
    guint next = 0;
    char quote = '\0';
    for (bool in_name = true, behind_name = false; at < end && next < element->attributes->list->len; at++) {
        if (quote) {
            if (*at == quote)
                quote = '\0';
        } else if (*at == '"' || *at == '\'') {
            quote = *at;
        } else if (g_ascii_isspace(*at) || *at == '=') {
            behind_name |= g_ascii_isspace(*at); /* of the element */
            in_name = false;
        } else if (!in_name && behind_name) {
            Attribute *attribute = &g_array_index(element->attributes->list, Attribute, next++);
            attribute->line = line;
            attribute->column = column;
            in_name = true;
        }
        column++;
        if (*at == '\n') {
            line++;
            column = 1;
        }
    }
}

static void start_element(void *data, const char *kind, const char **attributes)
{
    Parse *parse = data;
    Reader *reader = parse->reader;
    if (parse->status != DV_OK)
        return;
    if (parse->base_depth + parse->stack->len >= MAX_DEPTH) {
        stop(parse, DV_ERROR_LIMIT, "elements are nested more than %d deep", MAX_DEPTH);
        return;
    }
    if (++reader->elements > MAX_ELEMENTS) {
        stop(parse, DV_ERROR_LIMIT, "the scene has more than %d elements", MAX_ELEMENTS);
        return;
    }
    XmlElement *parent = innermost(parse);
    if (parent && parent->children->len >= MAX_CHILDREN) {
        stop(parse, DV_ERROR_LIMIT, "<%s> of line %d holds more than %d elements", parent->kind, parent->place.line,
             MAX_CHILDREN);
        return;
    }
    size_t count = 0;
    while (attributes[2 * count] && count <= MAX_ATTRIBUTES)
        count++;
    if (count > MAX_ATTRIBUTES) {
        stop(parse, DV_ERROR_LIMIT, "<%s> has more than %d attributes", kind, MAX_ATTRIBUTES);
        return;
    }
    XmlElement *element = g_new0(XmlElement, 1);
    element->kind = g_strdup(kind);
    element->place = present_place(parse);
    element->folder = parse->folder;
    element->attributes = dv_private_attributes_new();
    element->children = g_ptr_array_new_with_free_func(element_free);
    for (size_t i = 0; i < count; i++)
        dv_private_attributes_add(element->attributes, attributes[2 * i], attributes[2 * i + 1], 0, 0);
    place_attributes(parse, element);
    if (parent)
        g_ptr_array_add(parent->children, element);
    else
        parse->root = element;
    g_ptr_array_add(parse->stack, element);
}

/* <Attribute type="field"><Data value="v"/></Attribute> in an object is the attribute field="v" of it. */
static void fold_attribute(XmlElement *parent, XmlElement *element)
{
    const char *field = attribute_of(element, "type"), *text = attribute_of(element, "value");
    for (guint i = 0; i < element->children->len; i++) {
        const XmlElement *child = g_ptr_array_index(element->children, i);
        if (is_kind(child, "Data"))
            text = attribute_of(child, "value");
    }
    if (*field)
        dv_private_attributes_set(parent->attributes, field, text, element->place.line, element->place.column);
    g_ptr_array_set_size(parent->children, (gint)parent->children->len - 1);
}

static void end_element(void *data, const char *kind)
{
    (void)kind;
    Parse *parse = data;
    if (parse->status != DV_OK)
        return;
    XmlElement *element = g_ptr_array_steal_index(parse->stack, parse->stack->len - 1);
    XmlElement *parent = innermost(parse);
    if (parent && is_kind(element, "Attribute") && is_object(parent))
        fold_attribute(parent, element);
}

static void start_doctype(void *data, const char *name, const char *system, const char *public, int internal)
{
    (void)name, (void)system, (void)public, (void)internal;
    stop(data, DV_ERROR_INVALID, "a DOCTYPE is refused: scenes are read without any");
}

static void report_syntax(Parse *parse)
{
    const enum XML_Error error = XML_GetErrorCode(parse->parser);
    const XmlElement *open = innermost(parse);
    if (error == XML_ERROR_NO_ELEMENTS && open) {
        stop(parse, DV_ERROR_INVALID, "broken XML: the file ends inside <%s> of line %d; </%s> is missing", open->kind,
             open->place.line, open->kind);
    } else if (error == XML_ERROR_NO_ELEMENTS) {
        stop(parse, DV_ERROR_INVALID, "broken XML: nothing is here; a scene starts with <Node>");
    } else if (error == XML_ERROR_SYNTAX && !open) {
        stop(parse, DV_ERROR_INVALID, "broken XML: this is no element; a scene starts with <Node>");
    } else if (open) {
        stop(parse, DV_ERROR_INVALID, "broken XML: %s, inside <%s> of line %d", XML_ErrorString(error), open->kind,
             open->place.line);
    } else {
        stop(parse, DV_ERROR_INVALID, "broken XML: %s", XML_ErrorString(error));
    }
}

/* The tree of one text; NULL after an error that has been reported. */
static XmlElement *parse_text(Reader *reader, const char *text, size_t length, const char *name, const char *folder,
                              size_t depth)
{
    const Place whole = {.file = name};
    if (length > MAX_BYTES || (reader->bytes += length) > MAX_BYTES) {
        problem_at(reader, whole, DV_ERROR_LIMIT, "the files of the scene are larger than %d MiB together",
                   MAX_BYTES >> 20);
        return NULL;
    }
    if (length > MAX_UTF16_BYTES && dv_private_is_utf16(text, length)) {
        problem_at(reader, whole, DV_ERROR_LIMIT, "the file is in UTF-16 and larger than %d MiB; save it as UTF-8",
                   MAX_UTF16_BYTES >> 20);
        return NULL;
    }
    Parse parse = {
        .reader = reader, .file = g_intern_string(name), .folder = g_intern_string(folder), .base_depth = depth};
    char *mended = dv_private_repair(reader->scene, text, length, name, &parse.length);
    if (!mended)
        return NULL;
    _Static_assert(MAX_BYTES <= INT_MAX / 5, "the worst repair makes five bytes of one");
    parse.text = mended;
    parse.parser = XML_ParserCreate(NULL);
    parse.stack = g_ptr_array_new();
    XML_SetUserData(parse.parser, &parse);
    XML_SetElementHandler(parse.parser, start_element, end_element);
    XML_SetStartDoctypeDeclHandler(parse.parser, start_doctype);
    if (XML_Parse(parse.parser, mended, (int)parse.length, 1) != XML_STATUS_OK)
        report_syntax(&parse);
    XML_ParserFree(parse.parser);
    g_ptr_array_unref(parse.stack);
    g_free(mended);
    if (parse.status != DV_OK) {
        element_free(parse.root);
        return NULL;
    }
    parse.root->is_file_root = true;
    return parse.root;
}

/* Includes and macros */

static void expand(Reader *reader, XmlElement *element, size_t depth);

/* href_b="v" goes to the elements called `href`, a="v" to all; only objects that have the attribute already take it. */
static void override(XmlElement *element, GHashTable *overrides)
{
    const char *name = attribute_of(element, "name");
    for (guint i = 0; is_object(element) && i < element->attributes->list->len; i++) {
        Attribute *attribute = &g_array_index(element->attributes->list, Attribute, i);
        const char *text = g_hash_table_lookup(overrides, attribute->name);
        if (*name) {
            char *own = g_strconcat(name, "__", attribute->name, NULL);
            const char *for_name = g_hash_table_lookup(overrides, own);
            text = for_name ? for_name : text;
            g_free(own);
        }
        if (text && strcmp(attribute->name, "name") != 0 && strcmp(attribute->name, "type") != 0) {
            g_free(attribute->text);
            attribute->text = g_strdup(text);
        }
    }
    for (guint i = 0; i < element->children->len; i++)
        override(g_ptr_array_index(element->children, i), overrides);
}

static XmlElement *same_child(const XmlElement *parent, const XmlElement *like)
{
    for (guint i = 0; i < parent->children->len; i++) {
        XmlElement *child = g_ptr_array_index(parent->children, i);
        if (is_kind(child, like->kind) && strcmp(class_of(child), class_of(like)) == 0 &&
            strcmp(attribute_of(child, "name"), attribute_of(like, "name")) == 0)
            return child;
    }
    return NULL;
}

/* _Merge_: attributes over those of `into`, children of the same class and name likewise, all others behind its own. */
static void merge(XmlElement *into, XmlElement *from)
{
    for (guint i = 0; i < from->attributes->list->len; i++) {
        const Attribute *attribute = &g_array_index(from->attributes->list, Attribute, i);
        if (strcmp(attribute->name, "name") == 0)
            continue;
        dv_private_attributes_set(into->attributes, attribute->name, attribute->text, attribute->line,
                                  attribute->column);
    }
    while (from->children->len) {
        XmlElement *child = g_ptr_array_steal_index(from->children, 0);
        XmlElement *same = *attribute_of(child, "name") ? same_child(into, child) : NULL;
        if (same) {
            merge(same, child);
            element_free(child);
        } else {
            g_ptr_array_add(into->children, child);
        }
    }
}

static char *read_file(Reader *reader, const XmlElement *include, const char *path, size_t *length)
{
    GStatBuf status;
    char *text = NULL;
    if (g_stat(path, &status) == 0 && status.st_size > MAX_BYTES)
        problem_at(reader, include->place, DV_ERROR_LIMIT, "'%s' is larger than %d MiB", path, MAX_BYTES >> 20);
    else if (!g_file_get_contents(path, &text, length, NULL))
        problem_at(reader, include->place, DV_ERROR_IO, "'%s' cannot be read", path);
    return text;
}

static bool may_open(Reader *reader, const XmlElement *include, const char *canonical)
{
    for (guint i = 0; i < reader->open->len; i++) {
        if (strcmp(g_ptr_array_index(reader->open, i), canonical) != 0)
            continue;
        problem_at(reader, include->place, DV_ERROR_CYCLE, "'%s' includes itself%s", canonical,
                   i + 1 < reader->open->len ? ", through other files" : "");
        return false;
    }
    if (reader->open->len > MAX_INCLUDE_DEPTH) {
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
    char *path = dv_private_find_file(href, include->folder);
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
        char *folder = g_path_get_dirname(canonical);
        root = parse_text(reader, text, length, path, folder, depth);
        g_free(folder);
    }
    if (root) {
        g_ptr_array_add(reader->open, canonical);
        expand(reader, root, depth);
        g_ptr_array_remove_index(reader->open, reader->open->len - 1);
        GHashTable *overrides = g_hash_table_new(g_str_hash, g_str_equal);
        for (guint i = 0; i < include->attributes->list->len; i++) {
            const Attribute *attribute = &g_array_index(include->attributes->list, Attribute, i);
            if (strcmp(attribute->name, "href") != 0 && strcmp(attribute->name, "name") != 0)
                g_hash_table_insert(overrides, attribute->name, attribute->text);
        }
        if (g_hash_table_size(overrides))
            override(root, overrides);
        g_hash_table_unref(overrides);
        if (*attribute_of(include, "name"))
            dv_private_attributes_set(root->attributes, "name", attribute_of(include, "name"), include->place.line,
                                      include->place.column);
    }
    free(canonical);
    g_free(text);
    g_free(path);
    return root;
}

static void put_in_place(XmlElement *into, XmlElement *root)
{
    const char *name = attribute_of(root, "name");
    if (is_kind(root, "Node") && (strcmp(name, "Group") == 0 || strcmp(name, "_Group_") == 0)) {
        while (root->children->len)
            g_ptr_array_add(into->children, g_ptr_array_steal_index(root->children, 0));
        element_free(root);
    } else if (is_kind(root, "Node") && strcmp(name, "_Merge_") == 0) {
        merge(into, root);
        element_free(root);
    } else {
        g_ptr_array_add(into->children, root);
    }
}

/* The macro file of a class that nobody offers; NULL when there is none. */
static char *macro_of(Reader *reader, const XmlElement *element)
{
    const char *class_name = class_of(element);
    if (!is_object(element) || !*class_name || strchr(class_name, '/') || strcmp(class_name, "RequiredPlugin") == 0 ||
        dv_class_find(class_name) || dv_private_rename_class(class_name) ||
        g_hash_table_size(reader->no_macro) >= MAX_MACROS_MISSED || g_hash_table_contains(reader->no_macro, class_name))
        return NULL;
    char *href = g_strdup_printf("Objects/%s.xml", class_name);
    char *path = dv_private_find_file(href, element->folder);
    if (!path) {
        g_hash_table_add(reader->no_macro, g_strdup(class_name));
        g_clear_pointer(&href, g_free);
    }
    g_free(path);
    return href;
}

/* Old scenes include group files that came with the program, as Objects/TetrahedronSetTopology.xml. Where such a file is not at
 * hand, the include becomes the old class of that name. */
static void include_as_class(XmlElement *element)
{
    const char *href = attribute_of(element, "href");
    if (!is_kind(element, "include") || !g_str_has_prefix(href, "Objects/") || !g_str_has_suffix(href, ".xml"))
        return;
    char *name = g_strndup(href + 8, strlen(href) - 12), *path = dv_private_find_file(href, element->folder);
    const DvRename *rename = path ? NULL : dv_private_rename_class(name);
    if (rename && rename->kind == DV_RENAME_CLASS_EXPANDED) {
        g_free(element->kind);
        element->kind = g_steal_pointer(&name);
        dv_private_attributes_drop(element->attributes, "href");
    }
    g_free(name);
    g_free(path);
}

static void expand(Reader *reader, XmlElement *element, size_t depth)
{
    if (!is_kind(element, "Node"))
        return;
    GPtrArray *children = element->children;
    element->children = g_ptr_array_new_with_free_func(element_free);
    for (guint i = 0; i < children->len; i++) {
        XmlElement *child = g_ptr_array_index(children, i);
        include_as_class(child);
        char *macro = macro_of(reader, child);
        if (!macro && !is_kind(child, "include")) {
            g_ptr_array_add(element->children, child);
            expand(reader, child, depth + 1);
            continue;
        }
        const char *href = macro ? macro : attribute_of(child, "href");
        XmlElement *root = NULL;
        if (*href)
            root = included(reader, child, href, depth + 1);
        else
            problem_at(reader, child->place, DV_ERROR_INVALID, "<include> needs the attribute 'href'");
        if (root)
            put_in_place(element, root);
        g_free(macro);
        element_free(child);
    }
    g_ptr_array_set_free_func(children, NULL);
    g_ptr_array_unref(children);
}

/* From elements to the graph */

/* <State field="value"/>: kept with the object until it is initialised. */
static void keep_state(DvScene *scene, DvObject *object, const XmlElement *element)
{
    if (!object->restore)
        object->restore = dv_private_attributes_new();
    for (guint i = 0; i < element->attributes->list->len; i++) {
        const Attribute *from = &g_array_index(element->attributes->list, Attribute, i);
        dv_private_attributes_add(object->restore, from->name, from->text, from->line, from->column);
    }
    scene->restored = true;
}

static void build_object(Reader *reader, DvNode *node, XmlElement *element)
{
    const Attribute *type = dv_private_attribute_find(element->attributes, "type");
    if (is_kind(element, "Object") && (!type || !*type->text)) {
        problem_at(reader, element->place, DV_ERROR_INVALID,
                   "<Object> needs the attribute 'type', the name of a class");
        return;
    }
    if (!is_kind(element, "Object") && type && strcmp(type->text, "default") != 0) {
        problem_at(reader, element->place, DV_OK,
                   "<%s> with an attribute 'type' is left out, as it always was; write <Object type=\"%s\">",
                   element->kind, element->kind);
        return;
    }
    char *class_name = g_strdup(class_of(element));
    DvObject *object;
    (void)dv_private_create(node, class_name, g_steal_pointer(&element->attributes), element->place, &object);
    for (guint i = 0; i < element->children->len; i++) {
        const XmlElement *child = g_ptr_array_index(element->children, i);
        if (is_kind(child, "State") && object)
            keep_state(reader->scene, object, child);
        else if (!is_kind(child, "State"))
            problem_at(reader, child->place, DV_ERROR_INVALID, "<%s> cannot stand inside the object <%s>", child->kind,
                       element->kind);
    }
    g_free(class_name);
}

static bool has_enough(const DvScene *scene)
{
    return scene->problems > MAX_PROBLEMS || scene->errors > MAX_ERRORS;
}

static void build_node(Reader *reader, DvNode *parent, XmlElement *element)
{
    DvNode *node;
    if (dv_private_create_node(parent, reader->scene, g_steal_pointer(&element->attributes), element->place, &node) !=
        DV_OK)
        return;
    if (!parent)
        reader->scene->root = node;
    node->folder = element->is_file_root || !parent ? element->folder : parent->folder;
    for (guint i = 0; i < element->children->len && !has_enough(reader->scene); i++) {
        XmlElement *child = g_ptr_array_index(element->children, i);
        if (is_kind(child, "Node"))
            build_node(reader, node, child);
        else if (is_kind(child, "State"))
            keep_state(reader->scene, dv_object_of(node), child);
        else if (is_object(child))
            build_object(reader, node, child);
        else
            problem_at(reader, child->place, DV_OK, "<%s> has no effect inside a node", child->kind);
    }
}

DvStatus dv_private_read_scene(DvScene *scene, const char *text, size_t length, const char *name, const char *folder)
{
    Reader reader = {.scene = scene,
                     .open = g_ptr_array_new(),
                     .no_macro = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL)};
    char *canonical = realpath(name, NULL);
    if (canonical)
        g_ptr_array_add(reader.open, canonical);
    XmlElement *root = parse_text(&reader, text, length, name, folder, 0);
    if (root && !is_kind(root, "Node")) {
        problem_at(&reader, root->place, DV_ERROR_INVALID, "a scene starts with <Node>, not <%s>", root->kind);
    } else if (root) {
        expand(&reader, root, 0);
        build_node(&reader, NULL, root);
        if (has_enough(scene))
            problem_at(&reader, root->place, DV_ERROR_LIMIT, "too many problems: the rest of the scene is left out");
    }
    element_free(root);
    free(canonical);
    g_ptr_array_unref(reader.open);
    g_hash_table_unref(reader.no_macro);
    return scene->first_error;
}

/* Old classes that stand for several */

static void hand_down(const DvAttributes *given, DvAttributes *attributes, const char *class_name, bool is_first)
{
    const DvClass *cls = dv_class_find(class_name);
    for (guint i = 0; i < given->list->len; i++) {
        Attribute *attribute = &g_array_index(given->list, Attribute, i);
        const bool is_name = strcmp(attribute->name, "name") == 0;
        if (is_name ? !is_first
                    : !dv_private_attribute_find(attributes, attribute->name) &&
                          !(cls && dv_private_class_takes(cls, attribute->name)))
            continue;
        dv_private_attributes_set(attributes, attribute->name, attribute->text, attribute->line, attribute->column);
        attribute->used = true;
    }
}

DvStatus dv_private_create_expanded(DvNode *node, const DvRename *rename, DvAttributes *attributes, Place place,
                                    DvObject **object)
{
    Reader reader = {.scene = node->scene};
    XmlElement *root =
        parse_text(&reader, rename->to, strlen(rename->to), place.file ? place.file : rename->from, NULL, 0);
    DvStatus status = root ? DV_OK : DV_ERROR_INVALID;
    for (guint i = 0; root && i < root->children->len; i++) {
        XmlElement *child = g_ptr_array_index(root->children, i);
        char *class_name = g_strdup(class_of(child));
        hand_down(attributes, child->attributes, class_name, i == 0);
        DvObject *made;
        const DvStatus one = dv_private_create(node, class_name, g_steal_pointer(&child->attributes), place, &made);
        status = status == DV_OK ? one : status;
        if (i == 0)
            *object = made;
        g_free(class_name);
    }
    for (guint i = 0; i < attributes->list->len; i++) {
        const Attribute *attribute = &g_array_index(attributes->list, Attribute, i);
        if (attribute->used || attribute->name[0] == '_' || strcmp(attribute->name, "type") == 0 ||
            strcmp(attribute->name, "template") == 0)
            continue;
        const Place at = {place.file, attribute->line ? attribute->line : place.line, attribute->column};
        problem_at(&reader, at, DV_OK, "%s: no field '%s' in what it stands for today", rename->from, attribute->name);
    }
    element_free(root);
    dv_private_attributes_free(attributes);
    return status;
}
