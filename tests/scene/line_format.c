/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A scene format of one page, made with the public headers alone: a line is one thing.
 *
 *   lines 1            the first line
 *   { Liver            a node; what follows is in it, up to its }
 *   + UniformMass      an object
 *   totalMass 3        an attribute of the node or object above
 *   = vertexMass 3     its state in a run that goes on
 */
#include <string.h>

#include <divan/contracts/scene_format.h>
#include <divan/log.h>
#include <divan/memory.h>

typedef struct Lines {
    DvScene *scene;
    DvNode *node; /* the innermost that is open */
    const char *folder;
    DvAttributes *attributes; /* of what is about to be made; NULL: nothing is */
    bool is_node;
    char word[80]; /* its class, or its name */
    DvPlace place;
    DvObject *last; /* what was made last; NULL: it failed */
} Lines;

static void make(Lines *lines)
{
    DvAttributes *attributes = lines->attributes;
    lines->attributes = NULL;
    if (attributes && lines->is_node) {
        DvNode *node;
        dv_attributes_set(attributes, "name", lines->word, 0, 0);
        if (dv_build_node(lines->scene, lines->node, attributes, lines->place, lines->folder, &node) == DV_OK)
            lines->node = node;
        lines->last = dv_node_object(lines->node);
    } else if (attributes) {
        (void)dv_build_object(lines->node, lines->word, attributes, lines->place, &lines->last);
    }
}

static void read_line(Lines *lines, char *text, int number)
{
    const DvPlace place = {lines->place.file, number, 1};
    char *rest = text + strcspn(text, " ");
    if (*rest)
        *rest++ = '\0';
    if (strcmp(text, "{") == 0 || strcmp(text, "+") == 0) {
        make(lines);
        lines->is_node = *text == '{';
        lines->attributes = dv_attributes_new();
        lines->place = place;
        memcpy(lines->word, rest, strnlen(rest, sizeof lines->word - 1) + 1);
    } else if (strcmp(text, "}") == 0) {
        make(lines);
        DvNode *parent = lines->node ? dv_node_parent(lines->node, 0) : NULL;
        lines->node = parent ? parent : lines->node;
    } else if (strcmp(text, "=") == 0) {
        make(lines);
        char *value = rest + strcspn(rest, " ");
        if (*value)
            *value++ = '\0';
        if (lines->last)
            dv_build_state(lines->last, rest, value, number, 1);
    } else if (lines->attributes) {
        dv_attributes_set(lines->attributes, text, rest, number, 1);
    } else if (*text) {
        dv_build_problem(lines->scene, DV_ERROR_INVALID, place, NULL, NULL, "'%s' stands below no object", text);
    }
}

static bool recognise(const char *text, size_t length)
{
    return length >= 7 && memcmp(text, "lines 1", 7) == 0;
}

static void read(DvScene *scene, const char *text, size_t length, const char *name, const char *folder)
{
    Lines lines = {.scene = scene, .folder = folder, .place = {.file = dv_intern(name)}};
    int number = 1;
    if (!recognise(text, length))
        dv_build_problem(scene, DV_ERROR_INVALID, lines.place, NULL, NULL, "the first line must be 'lines 1'");
    for (const char *end = text + length, *at = memchr(text, '\n', length); at && !dv_build_has_enough(scene);) {
        const char *start = at + 1;
        at = memchr(start, '\n', (size_t)(end - start));
        DvText line = {0};
        dv_text_add_bytes(&line, start, (size_t)((at ? at : end) - start));
        read_line(&lines, line.at, ++number);
        dv_text_free(&line);
    }
    make(&lines);
}

typedef struct Writer {
    DvText *out;
    DvObject *object;
    const char *folder, *start;
    DvStatus status;
} Writer;

static void say(void *context, const char *name, const char *text)
{
    Writer *writer = context;
    if (strchr(text, '\n'))
        writer->status = dv_error(writer->object, DV_ERROR_UNSUPPORTED, "%s: a line has no line ends", name);
    else if (!dv_object_as_node(writer->object) || strcmp(name, "name") != 0)
        dv_text_add(writer->out, "%s%s %s\n", writer->start, name, text);
}

static void write_object(Writer *writer, DvObject *object)
{
    const DvNode *node = dv_object_as_node(object);
    writer->object = object;
    dv_text_add(writer->out, "%s %s\n", node ? "{" : "+", node ? dv_node_name(node) : dv_object_class(object)->name);
    writer->start = "";
    dv_saved_attributes(object, writer->folder, say, writer);
    writer->start = "= ";
    dv_saved_state(object, say, writer);
    DvObject *content;
    for (size_t member = 0, child = 0; node && (content = dv_saved_content(node, &member, &child));)
        write_object(writer, content);
    if (node)
        dv_text_add(writer->out, "}\n");
}

static DvStatus write(DvNode *root, const char *folder, DvText *out)
{
    Writer writer = {.out = out, .folder = folder};
    dv_text_add(out, "lines 1\n");
    write_object(&writer, dv_node_object(root));
    return writer.status;
}

static const DvSceneFormatOps lines_format = {.size = sizeof(DvSceneFormatOps),
                                              .extensions = (const char *const[]){".lines", NULL},
                                              .recognise = recognise,
                                              .read = read,
                                              .write = write};
static const DvSceneFormatOps reader = {.size = sizeof(DvSceneFormatOps),
                                        .extensions = (const char *const[]){".read", NULL},
                                        .recognise = recognise,
                                        .read = read};
static const DvContract offers[] = {
    {.id = DV_SCENE_FORMAT, .ops = &lines_format}, {.id = DV_SCENE_FORMAT, .ops = &reader}, {0}};

DV_PLUGIN = {.size = sizeof(DvPlugin),
             .abi = DV_ABI_STAMP,
             .id = "test.lines",
             .version = "1.0.0",
             .license = "LGPL-2.1-or-later",
             .help = "Scenes of lines.",
             .offers = offers};
