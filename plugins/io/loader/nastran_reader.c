/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Nastran bulk data: cards of short fields (8 columns), long ones (16, a * behind the name) or free ones (commas), continued in lines
 * that start with +, *, a comma or blanks. Read are GRID in the basic system, CBAR, CBEAM, CROD, CTUBE, CONROD, CTRIA3, CTRIAR, CTRIA6,
 * CQUAD4, CQUADR, CQUAD8, CTETRA, CHEXA, CPENTA, CPYRAM (corners of those of second order), SET1, SET3 and INCLUDE, from BEGIN BULK (or
 * the start) to ENDDATA. Elements of property 7 are the part "property 7", the points of SET1 4 the part "set 4". Other cards are counted.
 */
#include "model.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

enum { SHORT_FIELD = 8, LONG_FIELD = 16, MOST_COLUMNS = 72 };

typedef struct Nastran {
    Model model;
    const DvMeshOptions *options;
    DvMeshReport *report;
    DV_ARRAY(DvWord) field; /* of the card that is read; the first is its name */
    uint32_t line;          /* of its name */
    bool ended;
    NumberMap properties;
    DvIndexArray set_of_property;
    Skipped skipped;
} Nastran;

typedef struct Card {
    const char *name;
    DvMeshKind kind;
    uint32_t first; /* field of its first point */
    uint32_t most;  /* points */
    bool property;  /* its second field is one */
} Card;

static const Card cards[] = {
    {"CBAR", DV_MESH_EDGE, 3, 2, true},         {"CBEAM", DV_MESH_EDGE, 3, 2, true},
    {"CROD", DV_MESH_EDGE, 3, 2, true},         {"CTUBE", DV_MESH_EDGE, 3, 2, true},
    {"CONROD", DV_MESH_EDGE, 2, 2, false},      {"CTRIA3", DV_MESH_TRIANGLE, 3, 3, true},
    {"CTRIAR", DV_MESH_TRIANGLE, 3, 3, true},   {"CTRIA6", DV_MESH_TRIANGLE, 3, 6, true},
    {"CQUAD4", DV_MESH_QUAD, 3, 4, true},       {"CQUADR", DV_MESH_QUAD, 3, 4, true},
    {"CQUAD8", DV_MESH_QUAD, 3, 8, true},       {"CTETRA", DV_MESH_TETRAHEDRON, 3, 10, true},
    {"CHEXA", DV_MESH_HEXAHEDRON, 3, 20, true}, {"CPENTA", DV_MESH_PRISM, 3, 15, true},
    {"CPYRAM", DV_MESH_PYRAMID, 3, 13, true},   {"CPYRA", DV_MESH_PYRAMID, 3, 13, true},
};

static DvWord field_of(const Nastran *file, uint32_t at)
{
    return at < file->field.count ? file->field.data[at] : (DvWord){"", 0};
}

static bool expect_integer(const Nastran *file, uint32_t at, int64_t *value)
{
    const DvWord field = field_of(file, at);
    return model_integer(field, value) ||
           dv_mesh_fail(file->report, "line %" PRIu32 ": field %" PRIu32 " of the card is no number but %s", file->line,
                        at, field.length ? dv_word_excerpt(field).text : "empty");
}

static bool read_grid(Nastran *file)
{
    int64_t number, system = 0;
    double x[3] = {0, 0, 0};
    if (!expect_integer(file, 1, &number) || (field_of(file, 2).length && !expect_integer(file, 2, &system)))
        return false;
    if (system != 0)
        return dv_mesh_fail(file->report,
                            "line %" PRIu32 ": GRID %" PRId64 " is in the coordinate system %" PRId64
                            "; those in the basic one are read alone",
                            file->line, number, system);
    for (uint32_t c = 0; c < 3; c++) {
        const DvWord field = field_of(file, 3 + c);
        if (field.length && !model_number(field, &x[c]))
            return dv_mesh_fail(file->report, "line %" PRIu32 ": a coordinate of GRID %" PRId64 " is %s", file->line,
                                number, dv_word_excerpt(field).text);
    }
    return model_add_point(&file->model, number, x, file->line, file->report);
}

static void add_range(ModelSet *set, int64_t first, int64_t last)
{
    dv_array_push(&set->range, ((ModelRange){first, last, 1}));
}

static ModelSet *named_set(Nastran *file, const char *kind, int64_t number, bool of_elements)
{
    DvText name = {0};
    dv_text_add(&name, "%s %" PRId64, kind, number);
    ModelSet *set = model_set(&file->model, (DvWord){name.at, name.length}, (DvWord){"", 0}, of_elements);
    dv_text_free(&name);
    return set;
}

static bool read_element(Nastran *file, const Card *card)
{
    int64_t number, property, node[MODEL_MOST_NODES];
    uint32_t nodes = 0;
    const uint32_t corners = model_corners(card->kind);
    if (!expect_integer(file, 1, &number))
        return false;
    for (; nodes < card->most && field_of(file, card->first + nodes).length > 0; nodes++)
        if (!expect_integer(file, card->first + nodes, &node[nodes]))
            return false;
    if (nodes < corners)
        return dv_mesh_fail(file->report, "line %" PRIu32 ": element %" PRId64 " has %" PRIu32 " points of %" PRIu32,
                            file->line, number, nodes, corners);
    const ModelElement element = {.kind = card->kind, .nodes = nodes, .line = file->line};
    if (!model_add_element(&file->model, number, element, node, file->report))
        return false;
    property = number;
    if (card->property && field_of(file, 2).length > 0 && !expect_integer(file, 2, &property))
        return false;
    if (card->property && number_map_add(&file->properties, property)) {
        const ModelSet *set = named_set(file, "property", property, true);
        dv_array_push(&file->set_of_property, (uint32_t)(set - file->model.set.data));
    }
    if (card->property) {
        const uint32_t place = number_map_find(&file->properties, property);
        add_range(&file->model.set.data[file->set_of_property.data[place]], number, number);
    }
    return true;
}

/* Numbers, and "a THRU b". */
static bool read_set(Nastran *file, uint32_t at, bool of_elements)
{
    int64_t name, first, last;
    if (!expect_integer(file, 1, &name))
        return false;
    ModelSet *set = named_set(file, "set", name, of_elements);
    for (; at < file->field.count; at++) {
        if (field_of(file, at).length == 0 || dv_word_is_caseless(field_of(file, at), "SKIN"))
            continue;
        if (!expect_integer(file, at, &first))
            return false;
        last = first;
        if (dv_word_is_caseless(field_of(file, at + 1), "THRU")) {
            if (!expect_integer(file, at + 2, &last))
                return false;
            at += 2;
        }
        add_range(set, first, last);
    }
    return true;
}

static bool read_card(Nastran *file)
{
    if (file->field.count == 0)
        return true;
    const DvWord name = file->field.data[0];
    bool good = true, known = true;
    if (dv_word_is_caseless(name, "GRID"))
        good = read_grid(file);
    else if (dv_word_is_caseless(name, "SET1"))
        good = read_set(file, 2, false);
    else if (dv_word_is_caseless(name, "SET3"))
        good = read_set(file, 3, dv_word_starts(field_of(file, 2), "EL") || dv_word_starts(field_of(file, 2), "el"));
    else
        known = false;
    for (size_t c = 0; !known && c < sizeof cards / sizeof *cards; c++)
        if (dv_word_is_caseless(name, cards[c].name)) {
            known = true;
            good = read_element(file, &cards[c]);
        }
    if (!known)
        skipped_add(&file->skipped, name.text, name.length);
    dv_array_clear(&file->field);
    return good;
}

/* ---- Lines ---- */

static DvWord trimmed(const char *from, const char *to)
{
    while (from < to && (unsigned char)*from <= ' ')
        from++;
    while (to > from && (unsigned char)to[-1] <= ' ')
        to--;
    return (DvWord){from, (size_t)(to - from)};
}

/* The fields of a line behind its first, which is given out; those that it leaves out are empty. */
static DvWord split_columns(Nastran *file, DvScanner line)
{
    const char *at = line.at, *end = line.end - at > MOST_COLUMNS ? at + MOST_COLUMNS : line.end;
    const char *stop = end - at < SHORT_FIELD ? end : at + SHORT_FIELD;
    const DvWord first = trimmed(at, stop);
    const bool wide = first.length > 0 && (first.text[first.length - 1] == '*' || *first.text == '*');
    const int width = wide ? LONG_FIELD : SHORT_FIELD;
    for (int n = 0; n < (MOST_COLUMNS - SHORT_FIELD) / width; n++) {
        at = stop;
        stop = end - at < width ? end : at + width;
        dv_array_push(&file->field, trimmed(at, stop));
    }
    return first;
}

static DvWord split_line(Nastran *file, DvScanner line)
{
    DvWord first = {"", 0}, field;
    if (!memchr(line.at, ',', (size_t)(line.end - line.at)))
        return split_columns(file, line);
    (void)model_field(&line, &first);
    while (model_field(&line, &field))
        if (line.at < line.end || field.length == 0 || (*field.text != '+' && *field.text != '*'))
            dv_array_push(&file->field, field);
    return first;
}

/* A line that goes on with the card before it. */
static bool continues(DvScanner line)
{
    return line.at < line.end &&
           (*line.at == '+' || *line.at == '*' || *line.at == ',' || (unsigned char)*line.at <= ' ');
}

static bool read_bulk(Nastran *file, DvScanner text, int depth);

static bool include(Nastran *file, DvScanner line, int depth)
{
    const DvWord rest = trimmed(line.at + strlen("INCLUDE"), line.end);
    size_t length = rest.length;
    const char *name = rest.text;
    if (length > 1 && (*name == '\'' || *name == '"')) {
        name++;
        length -= 2;
    }
    DvText path = {0};
    char *bytes;
    size_t size;
    dv_text_add(&path, "%.*s", (int)length, name);
    bool good = file->options->open && depth < MODEL_DEEPEST && path.length > 0 &&
                file->options->open(file->options->context, path.at, &bytes, &size);
    if (!good) {
        dv_mesh_set_error(
            file->report, "line %" PRIu32 ": INCLUDE: %s '%.100s'", line.line,
            depth < MODEL_DEEPEST ? "cannot read" : "files include one another too often:", path.length ? path.at : "");
    } else {
        good = read_bulk(file, dv_scanner_start(bytes, size), depth + 1) && read_card(file);
        dv_free(bytes);
    }
    dv_text_free(&path);
    return good;
}

static bool starts_with(DvScanner line, const char *word)
{
    const size_t length = strlen(word);
    return (size_t)(line.end - line.at) >= length && strncasecmp(line.at, word, length) == 0;
}

static bool read_line(Nastran *file, DvScanner line, int depth)
{
    if (file->field.count > 0 && continues(line)) {
        (void)split_line(file, line);
        return true;
    }
    if (!read_card(file))
        return false;
    DvScanner ahead = line;
    if (!dv_scanner_more(&ahead))
        return true;
    line.at = ahead.at;
    if (starts_with(line, "ENDDATA"))
        file->ended = true;
    else if (starts_with(line, "INCLUDE"))
        return include(file, line, depth);
    else {
        dv_array_push(&file->field, ((DvWord){"", 0}));
        DvWord name = split_line(file, line);
        while (name.length > 0 && name.text[name.length - 1] == '*')
            name.length--;
        file->field.data[0] = name;
        file->line = line.line;
    }
    return true;
}

/* Fields are cut out of the bytes: the last card is read before these go. */
static bool read_bulk(Nastran *file, DvScanner text, int depth)
{
    DvScanner line;
    while (!file->ended && dv_scanner_line(&text, &line)) {
        const char *note = memchr(line.at, '$', (size_t)(line.end - line.at));
        line.end = note ? note : line.end;
        if (note && note == line.at)
            continue;
        if (!read_line(file, line, depth))
            return false;
    }
    return true;
}

/* Where the bulk data start: behind BEGIN BULK, or at once. */
static DvScanner start_of_bulk(const char *bytes, size_t size)
{
    DvScanner text = dv_scanner_start(bytes, size), line;
    while (dv_scanner_line(&text, &line))
        if (dv_word_is_caseless(dv_scanner_word(&line), "BEGIN"))
            return text;
    return dv_scanner_start(bytes, size);
}

bool mesh_read_nastran(const void *bytes, size_t size, const DvMeshOptions *options, DvMesh *mesh, DvMeshReport *report)
{
    Nastran file = {.options = options, .report = report};
    const bool good = read_bulk(&file, start_of_bulk(bytes, size), 0) && read_card(&file) &&
                      (file.model.point.count > 0 || dv_mesh_fail(report, "there is no GRID")) &&
                      model_add_to_mesh(&file.model, NULL, NULL, options->flip_normals, mesh, report);
    if (good) {
        model_check_sets(&file.model, report);
        skipped_say(&file.skipped, "cards", report);
    }
    dv_array_free(&file.field);
    dv_array_free(&file.set_of_property);
    number_map_free(&file.properties);
    model_free(&file.model);
    return good;
}
