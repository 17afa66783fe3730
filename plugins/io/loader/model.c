/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "model.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

uint32_t model_corners(DvMeshKind kind)
{
    static const uint32_t corners[DV_MESH_KINDS] = {
        [DV_MESH_EDGE] = 2,       [DV_MESH_TRIANGLE] = 3, [DV_MESH_QUAD] = 4,   [DV_MESH_TETRAHEDRON] = 4,
        [DV_MESH_HEXAHEDRON] = 8, [DV_MESH_PRISM] = 6,    [DV_MESH_PYRAMID] = 5};
    return corners[kind];
}

bool model_add_point(Model *model, int64_t number, const double x[3], uint32_t line, DvMeshReport *report)
{
    if (!number_map_add(&model->points, number))
        return dv_mesh_fail(report, "line %" PRIu32 ": point %" PRId64 " is there twice", line, number);
    dv_array_push(&model->point, (DvPoint3){{x[0], x[1], x[2]}});
    return true;
}

bool model_add_element(Model *model, int64_t number, ModelElement element, const int64_t *nodes, DvMeshReport *report)
{
    if (!number_map_add(&model->elements, number))
        return dv_mesh_fail(report, "line %" PRIu32 ": element %" PRId64 " is there twice", element.line, number);
    element.first_node = model->node.count;
    dv_array_append(&model->node, nodes, element.nodes);
    dv_array_push(&model->element, element);
    return true;
}

bool word_is_same(DvWord word, const char *text, size_t length)
{
    return word.length == length && strncasecmp(word.text, text, length) == 0;
}

static char *copy_word(DvWord word)
{
    char *copy = dv_alloc(word.length + 1, 1);
    if (word.length)
        memcpy(copy, word.text, word.length);
    return copy;
}

static ModelSet *find_set(const Model *model, DvWord name, DvWord instance, bool of_elements)
{
    for (uint32_t s = 0; s < model->set.count; s++) {
        ModelSet *set = &model->set.data[s];
        if (set->of_elements == of_elements && word_is_same(name, set->name, strlen(set->name)) &&
            word_is_same(instance, set->instance ? set->instance : "", set->instance ? strlen(set->instance) : 0))
            return set;
    }
    return NULL;
}

const ModelSet *model_find_set(const Model *model, DvWord name, bool of_elements)
{
    return find_set(model, name, (DvWord){"", 0}, of_elements);
}

ModelSet *model_set(Model *model, DvWord name, DvWord instance, bool of_elements)
{
    ModelSet *found = find_set(model, name, instance, of_elements);
    if (found)
        return found;
    dv_array_push(&model->set, ((ModelSet){.name = copy_word(name),
                                           .instance = instance.length ? copy_word(instance) : NULL,
                                           .of_elements = of_elements}));
    return &model->set.data[model->set.count - 1];
}

bool model_integer(DvWord word, int64_t *value)
{
    DvScanner text = {.at = word.text, .end = word.text + word.length};
    return dv_scanner_integer(&text, value) && !dv_scanner_more(&text);
}

bool model_number(DvWord word, double *value)
{
    char plain[48];
    size_t length = 0;
    for (size_t i = 0; i < word.length && length < sizeof plain - 2; i++) {
        const char c = word.text[i], before = i ? word.text[i - 1] : 'e';
        if ((c == '+' || c == '-') && ((before >= '0' && before <= '9') || before == '.'))
            plain[length++] = 'e';
        plain[length++] = (char)(c == 'd' || c == 'D' ? 'e' : c);
    }
    DvScanner text = {.at = plain, .end = plain + length};
    return word.length < sizeof plain - 2 && dv_scanner_double(&text, value) && !dv_scanner_more(&text);
}

bool model_field(DvScanner *line, DvWord *field)
{
    if (line->at >= line->end)
        return false;
    const char *comma = memchr(line->at, ',', (size_t)(line->end - line->at));
    const char *from = line->at, *to = comma ? comma : line->end;
    line->at = comma ? comma + 1 : line->end;
    while (from < to && (unsigned char)*from <= ' ')
        from++;
    while (to > from && (unsigned char)to[-1] <= ' ')
        to--;
    *field = (DvWord){from, (size_t)(to - from)};
    return true;
}

static void add_points(const Model *model, const double *T, DvMesh *mesh)
{
    for (uint32_t i = 0; i < model->point.count; i++) {
        DvPoint3 x = model->point.data[i];
        const double *at = model->point.data[i].at;
        for (int r = 0; T && r < 3; r++)
            x.at[r] = T[4 * r] * at[0] + T[4 * r + 1] * at[1] + T[4 * r + 2] * at[2] + T[4 * r + 3];
        dv_array_push(&mesh->position, x);
    }
}

static bool add_elements(const Model *model, uint32_t first_point, bool flip, DvMesh *mesh, uint32_t *place,
                         DvMeshReport *report)
{
    for (uint32_t e = 0; e < model->element.count; e++) {
        const ModelElement *element = &model->element.data[e];
        const uint32_t corners = model_corners(element->kind);
        uint32_t at[MODEL_MOST_NODES];
        for (uint32_t k = 0; k < element->nodes; k++) {
            const int64_t number = model->node.data[element->first_node + k];
            at[k] = number_map_find(&model->points, number);
            if (at[k] == UINT32_MAX)
                return dv_mesh_fail(report,
                                    "line %" PRIu32 ": element %" PRId64 " names point %" PRId64 ", which is not there",
                                    element->line, model->elements.number.data[e], number);
            at[k] += first_point;
        }
        if (element->end_is_third) {
            const uint32_t middle = at[1];
            at[1] = at[2];
            at[2] = middle;
        }
        for (uint32_t k = corners; k < element->nodes; k++)
            dv_array_push(&mesh->middle, at[k]);
        place[e] = mesh_element_count(mesh, element->kind);
        mesh_add_element(mesh, flip, element->kind, at);
    }
    return true;
}

static void take_place(const Model *model, const ModelSet *set, uint32_t at, uint32_t first_point,
                       const uint32_t *place, DvMeshParts *parts)
{
    if (at == UINT32_MAX)
        return;
    if (set->of_elements)
        dv_array_push(&parts->element[model->element.data[at].kind], place[at]);
    else
        dv_array_push(&parts->point, first_point + at);
}

/* The points or elements of a set, into the part that is wanted. */
static void take_set(const Model *model, const ModelSet *set, uint32_t first_point, const uint32_t *place,
                     DvMeshParts *parts)
{
    const NumberMap *map = set->of_elements ? &model->elements : &model->points;
    for (uint32_t i = 0; i < set->range.count; i++) {
        const ModelRange range = set->range.data[i];
        if (range.first == range.last) {
            take_place(model, set, number_map_find(map, range.first), first_point, place, parts);
            continue;
        }
        for (uint32_t at = 0; at < map->number.count; at++) {
            const int64_t number = map->number.data[at];
            if (number >= range.first && number <= range.last && (number - range.first) % range.step == 0)
                take_place(model, set, at, first_point, place, parts);
        }
    }
}

static void name_part(DvMeshParts *parts, const char *name, bool *is_it)
{
    const bool same = strcasecmp(name, parts->wanted) == 0;
    (void)dv_mesh_part_is(parts, same ? parts->wanted : name, same ? strlen(parts->wanted) : strlen(name));
    *is_it = *is_it || same;
}

static void find_sets(const Model *model, const char *instance, uint32_t first_point, const uint32_t *place,
                      DvMeshParts *parts)
{
    parts->searched = true;
    for (uint32_t s = 0; s < model->set.count; s++) {
        const ModelSet *set = &model->set.data[s];
        bool is_it = false;
        if (set->instance && (!instance || strcasecmp(set->instance, instance) != 0))
            continue;
        name_part(parts, set->name, &is_it);
        if (instance && *instance && !set->instance) {
            DvText name = {0};
            dv_text_add(&name, "%s.%s", instance, set->name);
            name_part(parts, name.at, &is_it);
            dv_text_free(&name);
        }
        if (is_it)
            take_set(model, set, first_point, place, parts);
    }
}

void model_check_sets(const Model *model, DvMeshReport *report)
{
    for (uint32_t s = 0; s < model->set.count; s++) {
        const ModelSet *set = &model->set.data[s];
        uint32_t missing = 0;
        int64_t first = 0;
        for (uint32_t i = 0; i < set->range.count && !set->of_elements; i++) {
            const ModelRange range = set->range.data[i];
            if (range.first != range.last || number_map_find(&model->points, range.first) != UINT32_MAX)
                continue;
            first = missing++ ? first : range.first;
        }
        if (missing)
            dv_mesh_warn(report, "set '%.100s' names %" PRIu32 " points that are not there, first %" PRId64, set->name,
                         missing, first);
    }
}

bool model_add_to_mesh(const Model *model, const double *T, const char *instance, bool flip, DvMesh *mesh,
                       DvMeshReport *report)
{
    const uint32_t first_point = mesh->position.count;
    uint32_t *place = dv_alloc(model->element.count, sizeof *place);
    add_points(model, T, mesh);
    const bool good = add_elements(model, first_point, flip, mesh, place, report);
    if (good && mesh->parts.wanted)
        find_sets(model, instance, first_point, place, &mesh->parts);
    dv_free(place);
    return good;
}

void model_free(Model *model)
{
    for (uint32_t s = 0; s < model->set.count; s++) {
        dv_free(model->set.data[s].name);
        dv_free(model->set.data[s].instance);
        dv_array_free(&model->set.data[s].range);
    }
    dv_array_free(&model->set);
    dv_array_free(&model->point);
    dv_array_free(&model->node);
    dv_array_free(&model->element);
    number_map_free(&model->points);
    number_map_free(&model->elements);
    dv_free(model->name);
}

void skipped_add(Skipped *skipped, const char *word, size_t length)
{
    char text[sizeof skipped->word[0].word];
    snprintf(text, sizeof text, "%.*s", (int)(length < 15 ? length : 15), word);
    for (char *c = text; *c; c++)
        *c = *c > ' ' && *c < 127 ? *c : '?';
    for (uint32_t w = 0; w < skipped->words; w++)
        if (strcasecmp(skipped->word[w].word, text) == 0) {
            skipped->word[w].count++;
            return;
        }
    if (skipped->words == sizeof skipped->word / sizeof *skipped->word) {
        skipped->others++;
        return;
    }
    memcpy(skipped->word[skipped->words].word, text, sizeof text);
    skipped->word[skipped->words++].count = 1;
}

void skipped_say(const Skipped *skipped, const char *what, DvMeshReport *report)
{
    DvText list = {0};
    uint32_t all = skipped->others;
    for (uint32_t w = 0; w < skipped->words; w++) {
        dv_text_add(&list, "%s%" PRIu32 " %s", w ? ", " : "", skipped->word[w].count, skipped->word[w].word);
        all += skipped->word[w].count;
    }
    if (skipped->others)
        dv_text_add(&list, ", %" PRIu32 " others", skipped->others);
    if (all)
        dv_mesh_remark(report, "%" PRIu32 " %s say nothing of the mesh and are left out: %s", all, what, list.at);
    dv_text_free(&list);
}
