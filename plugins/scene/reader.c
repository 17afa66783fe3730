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
#include "reader.h"

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
    char *class_name = dv_strdup(xml_class_of(element));
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
    while (at < length && xml_is_blank(text[at]))
        at++;
    return at < length && text[at] == '<';
}

void read_xml(DvScene *scene, const char *text, size_t length, const char *name, const char *folder)
{
    Reader reader = {.scene = scene};
    char *canonical = realpath(name, NULL);
    if (canonical)
        reader.open[reader.open_count++] = canonical;
    XmlElement *root = xml_parse_text(&reader, text, length, name, folder, 0);
    if (root && !is_kind(root, "Node")) {
        problem_at(&reader, root->place, DV_ERROR_INVALID, "a scene starts with <Node>, not <%s>", root->kind);
    } else if (root) {
        xml_expand(&reader, root, 0);
        build_node(&reader, NULL, root);
        if (dv_build_has_enough(scene))
            problem_at(&reader, root->place, DV_ERROR_LIMIT, "too many problems: the rest of the scene is left out");
    }
    xml_element_free(root);
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
        xml_parse_text(&reader, rename->to, strlen(rename->to), place.file ? place.file : rename->from, NULL, 0);
    for (XmlElement *child = root ? root->first : NULL; child; child = child->next) {
        char *class_name = dv_strdup(xml_class_of(child));
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
    xml_element_free(root);
    dv_attributes_free(attributes);
}
