/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the files that read scenes share: reader.c (from elements to the graph), xml_tree.c (elements of one file), include.c (files in
 * files).
 */
#ifndef DIVAN_SCENE_READER_H
#define DIVAN_SCENE_READER_H

#include "scene_xml.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

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

static inline bool is_kind(const XmlElement *element, const char *kind)
{
    return strcmp(element->kind, kind) == 0;
}

static inline bool is_object(const XmlElement *element)
{
    return !is_kind(element, "Node") && !is_kind(element, "include") && !is_kind(element, "Attribute") &&
           !is_kind(element, "Data") && !is_kind(element, "State");
}

#define problem_at(reader, place, why, ...) \
    ((void)dv_build_problem((reader)->scene, why, place, NULL, NULL, __VA_ARGS__))

/* The first child leaves its parent; NULL: there is none. */
XmlElement *xml_take_first(XmlElement *parent);
void xml_append(XmlElement *parent, XmlElement *child);
void xml_element_free(XmlElement *element);
const char *xml_attribute_of(const XmlElement *element, const char *name);
const char *xml_class_of(const XmlElement *element);
bool xml_is_blank(char c);
/* The tree of one text; NULL after an error that has been reported. */
XmlElement *xml_parse_text(Reader *reader, const char *text, size_t length, const char *name, const char *folder,
                           size_t depth);
void xml_expand(Reader *reader, XmlElement *element, size_t depth);

#endif
