/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Writes a scene as XML: an element for each object, with what it was made from as attributes and its state as a child element
 * <State field="value"/>. What these are is the kernel's business, see divan/build.h.
 */
#include "scene_xml.h"

#include <divan/log.h>

typedef struct Writer {
    DvText *out;
    const char *folder; /* of the new file */
    DvStatus status;
    DvObject *object; /* that is being written */
    unsigned depth;
    bool has_state;
} Writer;

static void indent(Writer *writer, unsigned depth)
{
    for (unsigned i = 0; i < depth; i++)
        dv_text_add_bytes(writer->out, "  ", 2);
}

static void add_attribute(void *context, const char *name, const char *text)
{
    Writer *writer = context;
    dv_text_add(writer->out, " %s=\"", name);
    const char *plain = text; /* what need not be escaped is added in one piece */
    for (const char *at = text;; at++) {
        if ((unsigned char)*at >= 0x20 && *at != '&' && *at != '<' && *at != '"')
            continue;
        dv_text_add_bytes(writer->out, plain, (size_t)(at - plain));
        plain = at + 1;
        if (*at == '\0')
            break;
        if (*at == '&')
            dv_text_add(writer->out, "&amp;");
        else if (*at == '<')
            dv_text_add(writer->out, "&lt;");
        else if (*at == '"')
            dv_text_add(writer->out, "&quot;");
        else if (*at == '\t' || *at == '\n' || *at == '\r')
            dv_text_add(writer->out, "&#%d;", *at);
        else
            writer->status = dv_error(writer->object, DV_ERROR_INVALID,
                                      "%s: a control character cannot be written to a scene file", name);
    }
    dv_text_add_bytes(writer->out, "\"", 1);
}

/* The child element with the state, behind the end of the object's tag; nothing when there is no state. */
static void add_state(void *context, const char *name, const char *text)
{
    Writer *writer = context;
    if (!writer->has_state) {
        writer->has_state = true;
        dv_text_add(writer->out, ">\n");
        indent(writer, writer->depth + 1);
        dv_text_add(writer->out, "<State");
    }
    add_attribute(writer, name, text);
}

static void add_object(Writer *writer, DvObject *object, unsigned depth)
{
    const DvNode *node = dv_object_as_node(object);
    const char *class_name = dv_object_class(object)->name;
    writer->object = object;
    writer->depth = depth;
    writer->has_state = false;
    if (node && dv_node_parent(node, 1))
        writer->status =
            dv_error(object, DV_ERROR_UNSUPPORTED, "it has several parents, which a scene file cannot say");
    indent(writer, depth);
    dv_text_add(writer->out, "<%s", class_name);
    dv_saved_attributes(object, writer->folder, add_attribute, writer);
    dv_saved_state(object, add_state, writer);
    const bool has_state = writer->has_state;
    dv_text_add(writer->out, has_state || !node ? "/>\n" : ">\n");
    DvObject *content;
    for (size_t member = 0, child = 0; node && (content = dv_saved_content(node, &member, &child));)
        add_object(writer, content, depth + 1);
    if (node || has_state) {
        indent(writer, depth);
        dv_text_add(writer->out, "</%s>\n", class_name);
    }
}

DvStatus write_xml(DvNode *root, const char *folder, DvText *out)
{
    Writer writer = {.out = out, .folder = folder};
    dv_text_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    add_object(&writer, dv_node_object(root), 0);
    return writer.status;
}
