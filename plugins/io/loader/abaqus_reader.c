/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Abaqus input files: *NODE, *ELEMENT, *NSET, *ELSET (with GENERATE, INSTANCE and names of other sets), *PART, *INSTANCE (moved, then turned
 * about an axis), *INCLUDE. Points and elements outside parts come first, then the instances in the order of the file; parts that no
 * instance names are left out where there are instances. Of elements of second order the corners are kept. Sets are parts of the mesh by
 * their name, in all instances, or by "instance.name". What makes points or elements out of others (*NGEN, *ELGEN, ...) is an error, other
 * keywords are counted.
 */
#include "model.h"

#include <divan/math/vec.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <strings.h>

enum { MOST_COPIED = 1 << 24 };
typedef enum Data { NO_DATA, NODES, ELEMENTS, SET, PLACE } Data;

typedef struct Instance {
    char *name;
    uint32_t part, lines, line;
    double number[10]; /* translation, two points of an axis, an angle in degrees */
} Instance;

typedef struct Abaqus {
    DV_ARRAY(Model) model; /* the first is what stands outside parts */
    DV_ARRAY(Instance) instance;
    uint32_t current; /* model */
    Data data;        /* what the lines are that follow */
    ModelElement element;
    int64_t number, node[MODEL_MOST_NODES]; /* of an element that goes on */
    uint32_t nodes;                         /* that have been read; 0 with number < 0: none begun */
    bool begun, skipped_type, generate, set_of_elements;
    uint32_t set_model, set; /* set: number + 1 of that which lines add to; 0: none */
    uint64_t copied;         /* from one set into another */
    const DvMeshOptions *options;
    DvMeshReport *report;
    Skipped keywords, types;
} Abaqus;

static Model *current(Abaqus *file)
{
    return &file->model.data[file->current];
}

/* ---- Keyword lines ---- */

/* The value of a parameter; empty where there is none. */
static DvWord parameter(DvScanner line, const char *name)
{
    DvWord field;
    while (model_field(&line, &field)) {
        const char *equals = field.length ? memchr(field.text, '=', field.length) : NULL;
        size_t length = equals ? (size_t)(equals - field.text) : field.length;
        while (length > 0 && field.text[length - 1] == ' ')
            length--;
        if (!word_is_same((DvWord){field.text, length}, name, strlen(name)))
            continue;
        if (!equals)
            return field;
        const char *from = equals + 1, *to = field.text + field.length;
        while (from < to && (*from == ' ' || *from == '"'))
            from++;
        while (to > from && (to[-1] == ' ' || to[-1] == '"'))
            to--;
        return (DvWord){from, (size_t)(to - from)};
    }
    return (DvWord){"", 0};
}

/* What a type of element is: a family of letters, then how many points it has; of beams and pipes the order, where 3 has two points. */
static bool find_type(DvWord type, ModelElement *element)
{
    static const struct {
        const char *letters;
        int dimension;
        bool by_order;
    } families[] = {{"C3D", 3, false},  {"DC3D", 3, false}, {"AC3D", 3, false},  {"CPS", 2, false}, {"CPE", 2, false},
                    {"CPEG", 2, false}, {"CAX", 2, false},  {"M3D", 2, false},   {"R3D", 2, false}, {"S", 2, false},
                    {"STRI", 2, false}, {"SC", 3, false},   {"SFM3D", 2, false}, {"DS", 2, false},  {"DC2D", 2, false},
                    {"T2D", 1, false},  {"T3D", 1, false},  {"R2D", 1, false},   {"B2", 1, true},   {"B3", 1, true},
                    {"PIPE2", 1, true}, {"PIPE3", 1, true}};
    static const struct {
        int dimension, nodes;
        DvMeshKind kind;
    } shapes[] = {{3, 4, DV_MESH_TETRAHEDRON}, {3, 10, DV_MESH_TETRAHEDRON}, {3, 5, DV_MESH_PYRAMID},
                  {3, 13, DV_MESH_PYRAMID},    {3, 6, DV_MESH_PRISM},        {3, 15, DV_MESH_PRISM},
                  {3, 8, DV_MESH_HEXAHEDRON},  {3, 20, DV_MESH_HEXAHEDRON},  {3, 27, DV_MESH_HEXAHEDRON},
                  {2, 3, DV_MESH_TRIANGLE},    {2, 6, DV_MESH_TRIANGLE},     {2, 65, DV_MESH_TRIANGLE},
                  {2, 4, DV_MESH_QUAD},        {2, 8, DV_MESH_QUAD},         {2, 9, DV_MESH_QUAD},
                  {1, 2, DV_MESH_EDGE},        {1, 3, DV_MESH_EDGE}};
    for (size_t f = 0; f < sizeof families / sizeof *families; f++) {
        const size_t length = strlen(families[f].letters);
        if (type.length <= length || strncasecmp(type.text, families[f].letters, length) != 0)
            continue;
        int nodes = 0;
        size_t at = length;
        for (; at < type.length && type.text[at] >= '0' && type.text[at] <= '9' && nodes < 100; at++)
            nodes = 10 * nodes + (type.text[at] - '0');
        if (families[f].by_order)
            nodes = nodes == 2 ? 3 : nodes == 1 || nodes == 3 ? 2 : 0;
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
            if (shapes[s].dimension == families[f].dimension && shapes[s].nodes == nodes) {
                element->kind = shapes[s].kind;
                element->nodes = nodes == 65 ? 6 : (uint32_t)nodes;
                element->end_is_third = shapes[s].kind == DV_MESH_EDGE && nodes == 3;
                return true;
            }
    }
    return false;
}

static void use_set(Abaqus *file, uint32_t model, DvWord name, DvWord instance, bool of_elements)
{
    const ModelSet *set = model_set(&file->model.data[model], name, instance, of_elements);
    file->set_model = model;
    file->set = (uint32_t)(set - file->model.data[model].set.data) + 1;
    file->set_of_elements = of_elements;
}

static uint32_t find_instance(const Abaqus *file, DvWord name)
{
    for (uint32_t i = 0; i < file->instance.count; i++)
        if (word_is_same(name, file->instance.data[i].name, strlen(file->instance.data[i].name)))
            return i;
    return UINT32_MAX;
}

static bool start_set(Abaqus *file, DvScanner line, bool of_elements)
{
    const DvWord name = parameter(line, of_elements ? "ELSET" : "NSET"), instance = parameter(line, "INSTANCE");
    if (name.length == 0)
        return dv_mesh_fail(file->report, "line %" PRIu32 ": the set has no name", line.line);
    uint32_t model = file->current;
    if (instance.length > 0) {
        const uint32_t i = find_instance(file, instance);
        if (i == UINT32_MAX)
            return dv_mesh_fail(file->report, "line %" PRIu32 ": there is no instance %s", line.line,
                                dv_word_excerpt(instance).text);
        model = file->instance.data[i].part;
    }
    use_set(file, model, name, instance, of_elements);
    file->generate = parameter(line, "GENERATE").length > 0;
    file->data = SET;
    return true;
}

static char *copy_name(DvWord name)
{
    char *copy = dv_alloc(name.length + 1, 1);
    if (name.length)
        memcpy(copy, name.text, name.length);
    return copy;
}

static bool start_instance(Abaqus *file, DvScanner line)
{
    const DvWord part = parameter(line, "PART"), name = parameter(line, "NAME");
    Instance instance = {.line = line.line};
    for (uint32_t m = 1; m < file->model.count; m++)
        if (word_is_same(part, file->model.data[m].name, strlen(file->model.data[m].name)))
            instance.part = m;
    if (instance.part == 0)
        return dv_mesh_fail(file->report, "line %" PRIu32 ": there is no part %s", line.line,
                            dv_word_excerpt(part).text);
    instance.name = copy_name(name);
    dv_array_push(&file->instance, instance);
    file->data = PLACE;
    return true;
}

static bool makes_more(DvWord word)
{
    static const char *const words[] = {"NGEN", "NFILL", "NCOPY", "NMAP", "ELGEN", "ELCOPY", "SYSTEM", "SUBMODEL"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (dv_word_is_caseless(word, words[i]))
            return true;
    return false;
}

static bool start_elements(Abaqus *file, DvScanner line)
{
    const DvWord type = parameter(line, "TYPE"), set = parameter(line, "ELSET");
    if (type.length == 0)
        return dv_mesh_fail(file->report, "line %" PRIu32 ": *ELEMENT without a type", line.line);
    file->element = (ModelElement){.line = line.line};
    file->skipped_type = !find_type(type, &file->element);
    if (file->skipped_type)
        skipped_add(&file->types, type.text, type.length);
    if (set.length > 0)
        use_set(file, file->current, set, (DvWord){"", 0}, true);
    file->data = file->skipped_type ? NO_DATA : ELEMENTS;
    return true;
}

static bool start_nodes(Abaqus *file, DvScanner line)
{
    const DvWord system = parameter(line, "SYSTEM"), set = parameter(line, "NSET");
    if (system.length > 0 && !dv_word_is_caseless(system, "R"))
        return dv_mesh_fail(file->report, "line %" PRIu32 ": points in a system other than R are not read", line.line);
    if (set.length > 0)
        use_set(file, file->current, set, (DvWord){"", 0}, false);
    file->data = NODES;
    return true;
}

static bool read_lines(Abaqus *file, const char *bytes, size_t size, int depth);

static bool include(Abaqus *file, DvScanner line, int depth)
{
    const DvWord input = parameter(line, "INPUT");
    char *name = copy_name(input), *bytes;
    size_t size;
    bool good = file->options->open && depth < MODEL_DEEPEST && *name &&
                file->options->open(file->options->context, name, &bytes, &size);
    if (!good) {
        dv_mesh_set_error(file->report, "line %" PRIu32 ": *INCLUDE: %s '%.100s'", line.line,
                          depth < MODEL_DEEPEST ? "cannot read" : "files include one another too often:", name);
    } else {
        good = read_lines(file, bytes, size, depth + 1);
        dv_free(bytes);
    }
    dv_free(name);
    return good;
}

static bool read_keyword(Abaqus *file, DvScanner line, int depth)
{
    DvWord word = {"", 0};
    DvScanner rest = line;
    rest.at++;
    (void)model_field(&rest, &word);
    if (file->begun)
        return dv_mesh_fail(file->report, "line %" PRIu32 ": element %" PRId64 " has %" PRIu32 " points of %" PRIu32,
                            line.line, file->number, file->nodes, file->element.nodes);
    file->data = NO_DATA;
    file->set = 0;
    if (dv_word_is_caseless(word, "NODE"))
        return start_nodes(file, rest);
    if (dv_word_is_caseless(word, "ELEMENT"))
        return start_elements(file, rest);
    if (dv_word_is_caseless(word, "NSET") || dv_word_is_caseless(word, "ELSET"))
        return start_set(file, rest, dv_word_is_caseless(word, "ELSET"));
    if (dv_word_is_caseless(word, "INSTANCE"))
        return start_instance(file, rest);
    if (dv_word_is_caseless(word, "INCLUDE"))
        return include(file, rest, depth);
    if (dv_word_is_caseless(word, "PART")) {
        const DvWord name = parameter(rest, "NAME");
        dv_array_push(&file->model, (Model){.name = copy_name(name)});
        file->current = file->model.count - 1;
    } else if (dv_word_is_caseless(word, "END PART")) {
        file->current = 0;
    } else if (makes_more(word)) {
        return dv_mesh_fail(file->report, "line %" PRIu32 ": keyword %s is not read: the mesh would lack what it makes",
                            line.line, dv_word_excerpt(word).text);
    } else if (!dv_word_is_caseless(word, "ASSEMBLY") && !dv_word_is_caseless(word, "END ASSEMBLY") &&
               !dv_word_is_caseless(word, "END INSTANCE") && !dv_word_is_caseless(word, "HEADING")) {
        skipped_add(&file->keywords, word.text, word.length);
    }
    return true;
}

/* ---- Data lines ---- */

static void add_to_set(Abaqus *file, int64_t first, int64_t last, int64_t step)
{
    if (file->set)
        dv_array_push(&file->model.data[file->set_model].set.data[file->set - 1].range,
                      ((ModelRange){first, last, step}));
}

static bool read_node(Abaqus *file, DvScanner line)
{
    DvWord field = {"", 0};
    int64_t number;
    double x[3] = {0, 0, 0};
    (void)model_field(&line, &field);
    if (!model_integer(field, &number))
        return dv_mesh_fail(file->report, "line %" PRIu32 ": the number of a point is %s", line.line,
                            dv_word_excerpt(field).text);
    for (int c = 0; c < 3 && model_field(&line, &field); c++)
        if (field.length > 0 && !model_number(field, &x[c]))
            return dv_mesh_fail(file->report, "line %" PRIu32 ": a coordinate of point %" PRId64 " is %s", line.line,
                                number, dv_word_excerpt(field).text);
    add_to_set(file, number, number, 1);
    return model_add_point(current(file), number, x, line.line, file->report);
}

/* An element goes on in the next line until it has all its points. */
static bool read_element(Abaqus *file, DvScanner line)
{
    DvWord field;
    while (model_field(&line, &field)) {
        int64_t number;
        if (field.length == 0)
            continue;
        if (!model_integer(field, &number))
            return dv_mesh_fail(file->report, "line %" PRIu32 ": a number of an element is %s", line.line,
                                dv_word_excerpt(field).text);
        if (!file->begun) {
            file->begun = true;
            file->number = number;
            file->nodes = 0;
            file->element.line = line.line;
        } else if (file->nodes < file->element.nodes) {
            file->node[file->nodes++] = number;
        }
    }
    if (!file->begun || file->nodes < file->element.nodes)
        return true;
    file->begun = false;
    add_to_set(file, file->number, file->number, 1);
    return model_add_element(current(file), file->number, file->element, file->node, file->report);
}

static bool read_range(Abaqus *file, DvScanner line)
{
    int64_t number[3] = {0, 0, 1};
    DvWord field;
    for (int k = 0; k < 3 && model_field(&line, &field); k++)
        if (field.length > 0 && !model_integer(field, &number[k]))
            return dv_mesh_fail(file->report, "line %" PRIu32 ": a number of a set is %s", line.line,
                                dv_word_excerpt(field).text);
    if (number[2] < 1 || number[0] < 0 || number[1] < number[0])
        return dv_mesh_fail(file->report, "line %" PRIu32 ": from %" PRId64 " to %" PRId64 " by %" PRId64, line.line,
                            number[0], number[1], number[2]);
    add_to_set(file, number[0], number[1], number[2]);
    return true;
}

static bool read_set(Abaqus *file, DvScanner line)
{
    DvWord field;
    if (file->generate)
        return read_range(file, line);
    while (model_field(&line, &field)) {
        int64_t number;
        if (field.length == 0)
            continue;
        if (model_integer(field, &number)) {
            add_to_set(file, number, number, 1);
            continue;
        }
        const ModelSet *other = model_find_set(&file->model.data[file->set_model], field, file->set_of_elements);
        if (!other)
            return dv_mesh_fail(file->report, "line %" PRIu32 ": there is no set %s", line.line,
                                dv_word_excerpt(field).text);
        const uint32_t count = other->range.count,
                       index = (uint32_t)(other - file->model.data[file->set_model].set.data);
        file->copied += count;
        if (index + 1 == file->set)
            continue; /* itself */
        if (file->copied > MOST_COPIED)
            return dv_mesh_fail(file->report, "line %" PRIu32 ": sets of sets of sets have too many members",
                                line.line);
        for (uint32_t i = 0; i < count; i++) {
            const ModelRange range = file->model.data[file->set_model].set.data[index].range.data[i];
            add_to_set(file, range.first, range.last, range.step);
        }
    }
    return true;
}

static bool read_place(Abaqus *file, DvScanner line)
{
    Instance *instance = &file->instance.data[file->instance.count - 1];
    const int first = instance->lines == 0 ? 0 : 3, last = instance->lines == 0 ? 3 : 10;
    DvWord field;
    for (int k = first; instance->lines < 2 && k < last && model_field(&line, &field); k++)
        if (field.length > 0 && !model_number(field, &instance->number[k]))
            return dv_mesh_fail(file->report, "line %" PRIu32 ": a number of the place of an instance is %s", line.line,
                                dv_word_excerpt(field).text);
    instance->lines++;
    return true;
}

static bool read_lines(Abaqus *file, const char *bytes, size_t size, int depth)
{
    DvScanner text = dv_scanner_start(bytes, size), line;
    while (dv_scanner_line(&text, &line)) {
        bool good = true;
        if (!dv_scanner_more(&line) || (line.end - line.at > 1 && line.at[0] == '*' && line.at[1] == '*'))
            continue;
        if (*line.at == '*') {
            /* A keyword line that ends with a comma goes on. */
            DvScanner more;
            const char *last = line.end;
            while (last > line.at && (unsigned char)last[-1] <= ' ')
                last--;
            while (last[-1] == ',' && dv_scanner_line(&text, &more)) {
                line.end = last = more.end;
                while (last > more.at && (unsigned char)last[-1] <= ' ')
                    last--;
            }
            good = read_keyword(file, line, depth);
        } else if (file->data == NODES) {
            good = read_node(file, line);
        } else if (file->data == ELEMENTS) {
            good = read_element(file, line);
        } else if (file->data == SET) {
            good = read_set(file, line);
        } else if (file->data == PLACE) {
            good = read_place(file, line);
        }
        if (!good)
            return false;
    }
    return true;
}

/* ---- The mesh ---- */

/* Moved, then turned about the axis through two points. */
static void matrix_of(const Instance *instance, double T[12])
{
    const double *n = instance->number, angle = n[9] * (3.14159265358979323846 / 180.0);
    double a[3] = {n[6] - n[3], n[7] - n[4], n[8] - n[5]};
    const double length = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]), c = cos(angle), s = sin(angle);
    for (int k = 0; k < 3; k++)
        a[k] = length > 0 ? a[k] / length : 0;
    const double R[3][3] = {
        {c + a[0] * a[0] * (1 - c), a[0] * a[1] * (1 - c) - a[2] * s, a[0] * a[2] * (1 - c) + a[1] * s},
        {a[1] * a[0] * (1 - c) + a[2] * s, c + a[1] * a[1] * (1 - c), a[1] * a[2] * (1 - c) - a[0] * s},
        {a[2] * a[0] * (1 - c) - a[1] * s, a[2] * a[1] * (1 - c) + a[0] * s, c + a[2] * a[2] * (1 - c)}};
    for (int r = 0; r < 3; r++) {
        T[4 * r + 3] = length > 0 && angle != 0 ? n[3 + r] : n[r];
        for (int k = 0; k < 3; k++) {
            T[4 * r + k] = length > 0 && angle != 0 ? R[r][k] : r == k;
            if (length > 0 && angle != 0)
                T[4 * r + 3] += R[r][k] * (n[k] - n[3 + k]);
        }
    }
}

/* Instances repeat what the file says once. */
static bool has_room(const Abaqus *file)
{
    double points = 0, elements = 0;
    for (uint32_t i = 0; i < file->instance.count; i++) {
        points += file->model.data[file->instance.data[i].part].point.count;
        elements += file->model.data[file->instance.data[i].part].element.count;
    }
    return (points < INT32_MAX && elements < INT32_MAX && dv_memory_has_room(72.0 * points + 100.0 * elements)) ||
           dv_mesh_fail(file->report, "there is no room in memory for the %.0f points of its instances", points);
}

static bool build(Abaqus *file, DvMesh *mesh)
{
    if (!has_room(file))
        return false;
    const bool flip = file->options->flip_normals;
    bool good = model_add_to_mesh(&file->model.data[0], NULL, NULL, flip, mesh, file->report);
    for (uint32_t i = 0; good && i < file->instance.count; i++) {
        const Instance *instance = &file->instance.data[i];
        const Model *part = &file->model.data[instance->part];
        double T[12];
        matrix_of(instance, T);
        good = model_add_to_mesh(part, instance->lines ? T : NULL, instance->name, flip, mesh, file->report);
    }
    for (uint32_t m = 1; good && file->instance.count == 0 && m < file->model.count; m++)
        good = model_add_to_mesh(&file->model.data[m], NULL, file->model.data[m].name, flip, mesh, file->report);
    return good && (mesh->position.count > 0 || dv_mesh_fail(file->report, "there is no *NODE"));
}

bool mesh_read_abaqus(const void *bytes, size_t size, const DvMeshOptions *options, DvMesh *mesh, DvMeshReport *report)
{
    Abaqus file = {.options = options, .report = report};
    dv_array_push(&file.model, (Model){.name = copy_name((DvWord){"", 0})});
    bool good = read_lines(&file, bytes, size, 0);
    if (good && file.begun)
        good = dv_mesh_fail(report, "element %" PRId64 " has %" PRIu32 " points of %" PRIu32 ": the file is cut",
                            file.number, file.nodes, file.element.nodes);
    good = good && build(&file, mesh);
    if (good) {
        skipped_say(&file.keywords, "keywords", report);
        for (uint32_t w = 0; w < file.types.words; w++)
            dv_mesh_warn(report, "elements of type %s are not read and left out", file.types.word[w].word);
    }
    for (uint32_t m = 0; good && m < file.model.count; m++)
        model_check_sets(&file.model.data[m], report);
    for (uint32_t m = 0; m < file.model.count; m++)
        model_free(&file.model.data[m]);
    for (uint32_t i = 0; i < file.instance.count; i++)
        dv_free(file.instance.data[i].name);
    dv_array_free(&file.model);
    dv_array_free(&file.instance);
    return good;
}
