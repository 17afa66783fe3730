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
#include "scene_xml.h"

#include <expat.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <divan/log.h>
#include <divan/memory.h>
#include <divan/registry.h>

enum {
    MAX_DEPTH = 256,            /* nodes within nodes, includes and all */
    MAX_CHILDREN = 10000,       /* of an element */
    MAX_ELEMENTS = 100000,      /* of a scene */
    MAX_INCLUDES = 1000,        /* of a scene */
    MAX_INCLUDE_DEPTH = 16,     /* files within files */
    MAX_UTF16_BYTES = 16 << 20, /* UTF-16 goes to the parser unseen, which holds all attributes of an element at once */
    MAX_MACROS_MISSED = 1000    /* class names that are looked up as files in vain */
};

typedef struct XmlElement {
    char *kind;
    DvPlace place;
    const char *folder; /* of dv_intern */
    bool is_file_root;
    DvAttributes *attributes;
    struct XmlElement *first, *last, *next; /* its children; the next child of its parent */
    unsigned children;
} XmlElement;

/* A scene being read, with what it has used up. */
typedef struct Reader {
    DvScene *scene;
    size_t elements, includes, bytes;
    char *open[MAX_INCLUDE_DEPTH + 1]; /* canonical names of the files being read, outermost first */
    size_t open_count;
    char *no_macro[MAX_MACROS_MISSED]; /* class names without a file Objects/<Class>.xml, in the order of bytes */
    size_t no_macro_count;
} Reader;

/* One file being parsed. */
typedef struct Parse {
    Reader *reader;
    XML_Parser parser;
    const char *file, *folder, *text;
    size_t length, base_depth;
    XmlElement *stack[MAX_DEPTH]; /* open elements; one joins its parent when it ends */
    size_t depth;
    XmlElement *root;
    DvStatus status;
} Parse;

/* The first child leaves its parent; NULL: there is none. */
static XmlElement *take_first(XmlElement *parent)
{
    XmlElement *child = parent->first;
    if (!child)
        return NULL;
    parent->first = child->next;
    parent->last = child->next ? parent->last : NULL;
    parent->children--;
    child->next = NULL;
    return child;
}

static void append(XmlElement *parent, XmlElement *child)
{
    if (parent->last)
        parent->last->next = child;
    else
        parent->first = child;
    parent->last = child;
    parent->children++;
}

static void element_free(XmlElement *element)
{
    if (!element)
        return;
    for (XmlElement *child; (child = take_first(element));)
        element_free(child);
    dv_free(element->kind);
    dv_attributes_free(element->attributes);
    dv_free(element);
}

static const char *attribute_of(const XmlElement *element, const char *name)
{
    const DvAttribute *attribute = dv_attributes_find(element->attributes, name);
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
    return parse->depth ? parse->stack[parse->depth - 1] : NULL;
}

#define problem_at(reader, place, why, ...) \
    ((void)dv_build_problem((reader)->scene, why, place, NULL, NULL, __VA_ARGS__))

/* Parsing one file */

static DvPlace present_place(const Parse *parse)
{
    return (DvPlace){parse->file, (int)XML_GetCurrentLineNumber(parse->parser),
                     (int)XML_GetCurrentColumnNumber(parse->parser) + 1};
}

static void stopped(Parse *parse, DvStatus status)
{
    parse->status = status;
    XML_StopParser(parse->parser, XML_FALSE);
}

/* Ends the file with an error, unless one has ended it. */
#define stop(parse, why, ...)                                                    \
    do {                                                                         \
        if ((parse)->status == DV_OK) {                                          \
            problem_at((parse)->reader, present_place(parse), why, __VA_ARGS__); \
            stopped(parse, why);                                                 \
        }                                                                        \
    } while (0)

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
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
    size_t next = 0;
    DvAttribute *attribute = dv_attributes_at(element->attributes, 0);
    char quote = '\0';
    for (bool in_name = true, behind_name = false; at < end && attribute; at++) {
        if (quote) {
            if (*at == quote)
                quote = '\0';
        } else if (*at == '"' || *at == '\'') {
            quote = *at;
        } else if (is_blank(*at) || *at == '=') {
            behind_name |= is_blank(*at); /* of the element */
            in_name = false;
        } else if (!in_name && behind_name) {
            attribute->line = line;
            attribute->column = column;
            attribute = dv_attributes_at(element->attributes, ++next);
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
    if (parse->base_depth + parse->depth >= MAX_DEPTH) {
        stop(parse, DV_ERROR_LIMIT, "elements are nested more than %d deep", MAX_DEPTH);
        return;
    }
    if (++reader->elements > MAX_ELEMENTS) {
        stop(parse, DV_ERROR_LIMIT, "the scene has more than %d elements", MAX_ELEMENTS);
        return;
    }
    XmlElement *parent = innermost(parse);
    if (parent && parent->children >= MAX_CHILDREN) {
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
    XmlElement *element = dv_alloc(1, sizeof *element);
    element->kind = dv_strdup(kind);
    element->place = present_place(parse);
    element->folder = parse->folder;
    element->attributes = dv_attributes_new();
    for (size_t i = 0; i < count; i++)
        dv_attributes_add(element->attributes, attributes[2 * i], attributes[2 * i + 1], 0, 0);
    place_attributes(parse, element);
    parse->stack[parse->depth++] = element;
}

/* <Attribute type="field"><Data value="v"/></Attribute> in an object is the attribute field="v" of it. */
static void fold_attribute(XmlElement *parent, const XmlElement *element)
{
    const char *field = attribute_of(element, "type"), *text = attribute_of(element, "value");
    for (const XmlElement *child = element->first; child; child = child->next)
        if (is_kind(child, "Data"))
            text = attribute_of(child, "value");
    if (*field)
        dv_attributes_set(parent->attributes, field, text, element->place.line, element->place.column);
}

static void end_element(void *data, const char *kind)
{
    (void)kind;
    Parse *parse = data;
    if (parse->status != DV_OK)
        return;
    XmlElement *element = parse->stack[--parse->depth], *parent = innermost(parse);
    if (!parent) {
        parse->root = element;
    } else if (is_kind(element, "Attribute") && is_object(parent)) {
        fold_attribute(parent, element);
        element_free(element);
    } else {
        append(parent, element);
    }
}

static void start_doctype(void *data, const char *name, const char *system, const char *public, int internal)
{
    (void)name, (void)system, (void)public, (void)internal;
    Parse *parse = data;
    stop(parse, DV_ERROR_INVALID, "a DOCTYPE is refused: scenes are read without any");
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
    const DvPlace whole = {.file = dv_intern(name)};
    if (length > DV_MAX_SCENE_BYTES || (reader->bytes += length) > DV_MAX_SCENE_BYTES) {
        problem_at(reader, whole, DV_ERROR_LIMIT, "the files of the scene are larger than %d MiB together",
                   DV_MAX_SCENE_BYTES >> 20);
        return NULL;
    }
    if (length > MAX_UTF16_BYTES && is_utf16(text, length)) {
        problem_at(reader, whole, DV_ERROR_LIMIT, "the file is in UTF-16 and larger than %d MiB; save it as UTF-8",
                   MAX_UTF16_BYTES >> 20);
        return NULL;
    }
    DvText mended = {0};
    Parse parse = {.reader = reader, .file = whole.file, .folder = dv_intern(folder), .base_depth = depth};
    if (mend(reader->scene, text, length, whole.file, &mended)) {
        _Static_assert(DV_MAX_SCENE_BYTES <= INT_MAX / 5, "the worst repair makes five bytes of one");
        parse.text = mended.at;
        parse.length = mended.length;
        parse.parser = XML_ParserCreate(NULL);
        XML_SetUserData(parse.parser, &parse);
        XML_SetElementHandler(parse.parser, start_element, end_element);
        XML_SetStartDoctypeDeclHandler(parse.parser, start_doctype);
        if (XML_Parse(parse.parser, mended.at, (int)mended.length, 1) != XML_STATUS_OK)
            report_syntax(&parse);
        XML_ParserFree(parse.parser);
    }
    dv_text_free(&mended);
    while (parse.depth)
        element_free(parse.stack[--parse.depth]);
    if (parse.status != DV_OK)
        element_free(parse.root);
    else if (parse.root)
        parse.root->is_file_root = true;
    return parse.status == DV_OK ? parse.root : NULL;
}

/* Includes and macros */

static void expand(Reader *reader, XmlElement *element, size_t depth);

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
    const char *name = attribute_of(element, "name");
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
        if (is_kind(child, like->kind) && strcmp(class_of(child), class_of(like)) == 0 &&
            strcmp(attribute_of(child, "name"), attribute_of(like, "name")) == 0)
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
    for (XmlElement *child; (child = take_first(from));) {
        XmlElement *same = *attribute_of(child, "name") ? same_child(into, child) : NULL;
        if (same) {
            merge(same, child);
            element_free(child);
        } else {
            append(into, child);
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
        root = parse_text(reader, text, length, path, folder.at, depth);
        dv_text_free(&folder);
    }
    dv_free(text);
    if (root) {
        reader->open[reader->open_count++] = canonical;
        expand(reader, root, depth);
        reader->open_count--;
        override_by(include, root);
        if (*attribute_of(include, "name"))
            dv_attributes_set(root->attributes, "name", attribute_of(include, "name"), include->place.line,
                              include->place.column);
    }
    free(canonical);
    dv_free(path);
    return root;
}

static void put_in_place(XmlElement *into, XmlElement *root)
{
    const char *name = attribute_of(root, "name");
    if (is_kind(root, "Node") && (strcmp(name, "Group") == 0 || strcmp(name, "_Group_") == 0)) {
        for (XmlElement *child; (child = take_first(root));)
            append(into, child);
        element_free(root);
    } else if (is_kind(root, "Node") && strcmp(name, "_Merge_") == 0) {
        merge(into, root);
        element_free(root);
    } else {
        append(into, root);
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
    const char *class_name = class_of(element);
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
    const char *href = attribute_of(element, "href");
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

static void expand(Reader *reader, XmlElement *element, size_t depth)
{
    if (!is_kind(element, "Node"))
        return;
    XmlElement before = *element; /* its children, which come back one by one */
    element->first = element->last = NULL;
    element->children = 0;
    for (XmlElement *child; (child = take_first(&before));) {
        include_as_class(child);
        DvText macro = {0};
        find_macro(reader, child, &macro);
        if (!macro.length && !is_kind(child, "include")) {
            append(element, child);
            expand(reader, child, depth + 1);
            continue;
        }
        const char *href = macro.length ? macro.at : attribute_of(child, "href");
        XmlElement *root = NULL;
        if (*href)
            root = included(reader, child, href, depth + 1);
        else
            problem_at(reader, child->place, DV_ERROR_INVALID, "<include> needs the attribute 'href'");
        if (root)
            put_in_place(element, root);
        dv_text_free(&macro);
        element_free(child);
    }
}

/* From elements to the graph */

/* What an element hands on to the kernel. */
static DvAttributes *take_attributes(XmlElement *element)
{
    DvAttributes *attributes = element->attributes;
    element->attributes = NULL;
    return attributes;
}

/* <State field="value"/>: kept with the object until it is initialised. */
static void keep_state(DvObject *object, const XmlElement *element)
{
    const DvAttribute *state;
    for (size_t i = 0; (state = dv_attributes_at(element->attributes, i)); i++)
        dv_build_state(object, state->name, state->text, state->line, state->column);
}

static void build_object(Reader *reader, DvNode *node, XmlElement *element)
{
    const DvAttribute *type = dv_attributes_find(element->attributes, "type");
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
    char *class_name = dv_strdup(class_of(element));
    DvObject *object;
    make_object(node, class_name, take_attributes(element), element->place, &object);
    for (const XmlElement *child = element->first; child; child = child->next) {
        if (is_kind(child, "State") && object)
            keep_state(object, child);
        else if (!is_kind(child, "State"))
            problem_at(reader, child->place, DV_ERROR_INVALID, "<%s> cannot stand inside the object <%s>", child->kind,
                       element->kind);
    }
    dv_free(class_name);
}

static void build_node(Reader *reader, DvNode *parent, XmlElement *element)
{
    DvNode *node;
    const char *folder = element->is_file_root || !parent ? element->folder : NULL;
    if (make_node(reader->scene, parent, take_attributes(element), element->place, folder, &node) != DV_OK)
        return;
    for (XmlElement *child = element->first; child && !dv_build_has_enough(reader->scene); child = child->next) {
        if (is_kind(child, "Node"))
            build_node(reader, node, child);
        else if (is_kind(child, "State"))
            keep_state(dv_node_object(node), child);
        else if (is_object(child))
            build_object(reader, node, child);
        else
            problem_at(reader, child->place, DV_OK, "<%s> has no effect inside a node", child->kind);
    }
}

bool recognise_xml(const char *text, size_t length)
{
    if (is_utf16(text, length))
        return true;
    static const char mark[] = "\xEF\xBB\xBF"; /* of UTF-8 */
    size_t at = length >= 3 && memcmp(text, mark, 3) == 0 ? 3 : 0;
    while (at < length && is_blank(text[at]))
        at++;
    return at < length && text[at] == '<';
}

void read_xml(DvScene *scene, const char *text, size_t length, const char *name, const char *folder)
{
    Reader reader = {.scene = scene};
    char *canonical = realpath(name, NULL);
    if (canonical)
        reader.open[reader.open_count++] = canonical;
    XmlElement *root = parse_text(&reader, text, length, name, folder, 0);
    if (root && !is_kind(root, "Node")) {
        problem_at(&reader, root->place, DV_ERROR_INVALID, "a scene starts with <Node>, not <%s>", root->kind);
    } else if (root) {
        expand(&reader, root, 0);
        build_node(&reader, NULL, root);
        if (dv_build_has_enough(scene))
            problem_at(&reader, root->place, DV_ERROR_LIMIT, "too many problems: the rest of the scene is left out");
    }
    element_free(root);
    free(canonical);
    while (reader.no_macro_count)
        dv_free(reader.no_macro[--reader.no_macro_count]);
}

/* Old classes that stand for several */

static void hand_down(const DvAttributes *given, DvAttributes *attributes, const char *class_name, bool is_first)
{
    const DvClass *cls = dv_class_find(class_name);
    DvAttribute *attribute;
    for (size_t i = 0; (attribute = dv_attributes_at(given, i)); i++) {
        const bool is_name = strcmp(attribute->name, "name") == 0;
        if (is_name
                ? !is_first
                : !dv_attributes_find(attributes, attribute->name) && !(cls && dv_class_takes(cls, attribute->name)))
            continue;
        dv_attributes_set(attributes, attribute->name, attribute->text, attribute->line, attribute->column);
        attribute->used = true;
    }
}

void make_expanded(DvNode *node, const DvRename *rename, DvAttributes *attributes, DvPlace place, DvObject **object)
{
    Reader reader = {.scene = dv_node_scene(node)};
    XmlElement *root =
        parse_text(&reader, rename->to, strlen(rename->to), place.file ? place.file : rename->from, NULL, 0);
    for (XmlElement *child = root ? root->first : NULL; child; child = child->next) {
        char *class_name = dv_strdup(class_of(child));
        hand_down(attributes, child->attributes, class_name, child == root->first);
        DvObject *made;
        make_object(node, class_name, take_attributes(child), place, &made);
        if (child == root->first)
            *object = made;
        dv_free(class_name);
    }
    const DvAttribute *attribute;
    for (size_t i = 0; (attribute = dv_attributes_at(attributes, i)); i++) {
        if (attribute->used || attribute->name[0] == '_' || strcmp(attribute->name, "type") == 0 ||
            strcmp(attribute->name, "template") == 0)
            continue;
        const DvPlace at = {place.file, attribute->line ? attribute->line : place.line, attribute->column};
        problem_at(&reader, at, DV_OK, "%s: no field '%s' in what it stands for today", rename->from, attribute->name);
    }
    element_free(root);
    dv_attributes_free(attributes);
}
