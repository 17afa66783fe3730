/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The tree of the elements of one file, by expat.
 */
#include "reader.h"

#include <expat.h>
#include <stdio.h>

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

XmlElement *xml_take_first(XmlElement *parent)
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

void xml_append(XmlElement *parent, XmlElement *child)
{
    if (parent->last)
        parent->last->next = child;
    else
        parent->first = child;
    parent->last = child;
    parent->children++;
}

void xml_element_free(XmlElement *element)
{
    if (!element)
        return;
    for (XmlElement *child; (child = xml_take_first(element));)
        xml_element_free(child);
    dv_free(element->kind);
    dv_attributes_free(element->attributes);
    dv_free(element);
}

const char *xml_attribute_of(const XmlElement *element, const char *name)
{
    const DvAttribute *attribute = dv_attributes_find(element->attributes, name);
    return attribute ? attribute->text : "";
}

const char *xml_class_of(const XmlElement *element)
{
    return is_kind(element, "Object") ? xml_attribute_of(element, "type") : element->kind;
}

/* The last element that is open; NULL outside the root. */
static XmlElement *innermost(const Parse *parse)
{
    return parse->depth ? parse->stack[parse->depth - 1] : NULL;
}

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

bool xml_is_blank(char c)
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
        } else if (xml_is_blank(*at) || *at == '=') {
            behind_name |= xml_is_blank(*at); /* of the element */
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
    const char *field = xml_attribute_of(element, "type"), *text = xml_attribute_of(element, "value");
    for (const XmlElement *child = element->first; child; child = child->next)
        if (is_kind(child, "Data"))
            text = xml_attribute_of(child, "value");
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
        xml_element_free(element);
    } else {
        xml_append(parent, element);
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

XmlElement *xml_parse_text(Reader *reader, const char *text, size_t length, const char *name, const char *folder,
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
        xml_element_free(parse.stack[--parse.depth]);
    if (parse.status != DV_OK)
        xml_element_free(parse.root);
    else if (parse.root)
        parse.root->is_file_root = true;
    return parse.status == DV_OK ? parse.root : NULL;
}
