/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * SelectLabelROI: the points that have one of some labels. SelectConnectedLabelsROI: the points whose labels in two lists are a
 * pair that is asked for, in either order. Of labels there is a list for each point: "[1, 2] [3] []".
 */
#include <divan/kit/array.h>
#include <divan/kit/engine.h>
#include <divan/kit/mesh_types.h>
#include <divan/kit/region_group.h>
#include <divan/kit/value_lists.h>

#include <inttypes.h>
#include <stdlib.h>

typedef struct SelectLabels {
    DvEngine engine;
    DvData count, indices;
    DvData *wanted;         /* labels, or pairs of them */
    DvNumberedFields lists; /* of labels, one for each point */
    bool is_signed;
    DvRegionGroup group;
} SelectLabels;

/* A list of lists that is gone through from its beginning. */
typedef struct Labels {
    const int32_t *at, *end, *entries;
    uint32_t count; /* of the entries of the present point */
} Labels;

static bool next_point(Labels *labels)
{
    const bool there = labels->at < labels->end;
    if (there)
        labels->at = dv_index_lists_next(labels->at, &labels->entries, &labels->count);
    return there;
}

static int64_t label(const SelectLabels *self, const int32_t *entry)
{
    return self->is_signed ? (int64_t)*entry : (int64_t)(uint32_t)*entry;
}

static Labels begin(DvData *data)
{
    const int32_t *at = dv_data_read(data);
    return (Labels){.at = at, .end = data->count ? at + data->count : at};
}

static size_t points_of(DvData *data)
{
    size_t points = 0;
    for (Labels labels = begin(data); next_point(&labels);)
        points++;
    return points;
}

static const DvType *type_of_lists(const char *variant)
{
    return strcmp(variant, "i") == 0 ? &dv_mesh_type_index_lists : &dv_mesh_type_uint_lists;
}

/* Labels of one or two bytes are no greater than these hold. */
static const DvRange *range_of(const char *variant)
{
    static const DvRange byte = {.least = 0, .most = UINT8_MAX}, two_bytes = {.least = 0, .most = UINT16_MAX};
    return strcmp(variant, "B") == 0 ? &byte : strcmp(variant, "H") == 0 ? &two_bytes : NULL;
}

static DvStatus check_range(DvObject *object, SelectLabels *self)
{
    const DvRange *range = range_of(dv_object_variant(object));
    for (uint32_t l = 0; range && l < self->lists.count; l++) {
        int64_t point = 0;
        for (Labels labels = begin(self->lists.at[l]); next_point(&labels); point++)
            for (uint32_t i = 0; i < labels.count; i++)
                if ((double)label(self, &labels.entries[i]) > range->most && dv_engine_starting(&self->engine))
                    return dv_field_error(self->lists.at[l], point,
                                          "label %" PRId64 " is greater than %.0f, the greatest of the template; "
                                          "template=\"I\" takes it",
                                          label(self, &labels.entries[i]), range->most);
    }
    return DV_OK;
}

/* Pairs of labels, (a, b) with a < b or alike, or single ones (0, a), sorted. */
typedef struct Pair {
    int64_t a, b;
} Pair;
typedef DV_ARRAY(Pair) Pairs;

static Pair pair_of(int64_t a, int64_t b)
{
    return a < b ? (Pair){a, b} : (Pair){b, a};
}

static int compare(const void *a, const void *b)
{
    const Pair *p = a, *q = b;
    return p->a != q->a ? (p->a > q->a) - (p->a < q->a) : (p->b > q->b) - (p->b < q->b);
}

static bool is_wanted(const Pairs *wanted, Pair pair)
{
    return wanted->count && bsearch(&pair, wanted->data, wanted->count, sizeof pair, compare) != NULL;
}

static Pairs sorted(SelectLabels *self, bool pairs)
{
    Pairs wanted = {0};
    const int32_t *values = dv_data_read(self->wanted);
    const size_t step = pairs ? 2 : 1;
    for (size_t i = 0; i + step <= self->wanted->count; i += step)
        dv_array_push(&wanted, pairs ? pair_of(label(self, &values[i]), label(self, &values[i + 1]))
                                     : (Pair){0, label(self, &values[i])});
    if (wanted.count)
        qsort(wanted.data, wanted.count, sizeof *wanted.data, compare);
    return wanted;
}

/* Ascending points; those of the group alone. */
static void give(SelectLabels *self, DvIndexArray *found)
{
    const uint32_t points = found->count ? found->data[found->count - 1] + 1 : 0;
    uint32_t kept = 0;
    bool *inside = dv_alloc(points, sizeof *inside);
    for (uint32_t i = 0; i < found->count; i++)
        inside[found->data[i]] = true;
    dv_region_group_keep(&self->group, points, inside);
    for (uint32_t i = 0; i < found->count; i++)
        if (inside[found->data[i]])
            found->data[kept++] = found->data[i];
    dv_data_set(&self->indices, found->data, kept);
    dv_array_free(found);
    dv_free(inside);
}

static DvStatus init(DvObject *object, void *self_)
{
    return dv_region_group_find(object, &((SelectLabels *)self_)->group);
}

static DvStatus update_single(DvObject *object, void *self_)
{
    SelectLabels *self = self_;
    DvIndexArray found = {0};
    Pairs wanted = sorted(self, false);
    uint32_t point = 0;
    for (Labels labels = begin(self->lists.at[0]); next_point(&labels); point++)
        for (uint32_t i = 0; i < labels.count; i++)
            if (is_wanted(&wanted, (Pair){0, label(self, &labels.entries[i])})) {
                dv_array_push(&found, point);
                break;
            }
    give(self, &found);
    dv_array_free(&wanted);
    return check_range(object, self);
}

static bool are_connected(const SelectLabels *self, const Pairs *wanted, const Labels *a, const Labels *b)
{
    for (uint32_t i = 0; i < a->count; i++)
        for (uint32_t j = 0; j < b->count; j++)
            if (is_wanted(wanted, pair_of(label(self, &a->entries[i]), label(self, &b->entries[j]))))
                return true;
    return false;
}

static void warn_of_sizes(SelectLabels *self)
{
    if (self->wanted->count % 2 && dv_engine_starting(&self->engine))
        dv_field_warning(self->wanted, (int64_t)self->wanted->count - 1,
                         "has no partner and does not count: labels stand in pairs");
    if (self->wanted->count && self->lists.count < 2 && dv_engine_starting(&self->engine))
        dv_field_warning(&self->count, -1,
                         "is %" PRIu32 "; labels are connected between two lists, so nothing is selected",
                         self->lists.count);
    const size_t first = self->lists.count ? points_of(self->lists.at[0]) : 0;
    for (uint32_t l = 1; l < self->lists.count; l++) {
        const size_t points = points_of(self->lists.at[l]);
        if (points != first && dv_engine_starting(&self->engine))
            dv_field_warning(self->lists.at[l], -1, "%zu points, but labels1 has %zu: those beyond have no labels here",
                             points, first);
    }
}

static DvStatus update_connected(DvObject *object, void *self_)
{
    SelectLabels *self = self_;
    const uint32_t lists = self->lists.count;
    DvIndexArray found = {0};
    Pairs wanted = sorted(self, true);
    Labels *labels = dv_alloc(lists, sizeof *labels);
    for (uint32_t l = 0; l < lists; l++)
        labels[l] = begin(self->lists.at[l]);
    for (uint32_t point = 0, there = 1; there; point++) {
        bool selected = false;
        there = 0;
        for (uint32_t l = 0; l < lists; l++) {
            labels[l].count = 0;
            there |= next_point(&labels[l]);
            for (uint32_t k = 0; k < l && !selected; k++)
                selected = are_connected(self, &wanted, &labels[k], &labels[l]);
        }
        if (selected)
            dv_array_push(&found, point);
    }
    warn_of_sizes(self);
    give(self, &found);
    dv_array_free(&wanted);
    dv_free(labels);
    return check_range(object, self);
}

static DvData *add_wanted(DvObject *object, const char *name, const char *help)
{
    const char *variant = dv_object_variant(object);
    return dv_object_add_field(object, &(DvField){.name = name,
                                                  .type = dv_value_list_type(variant),
                                                  .range = range_of(variant),
                                                  .flags = DV_FIELD_INPUT,
                                                  .help = help});
}

static DvStatus construct_single(DvObject *object, void *self_)
{
    SelectLabels *self = self_;
    const char *variant = dv_object_variant(object);
    self->is_signed = strcmp(variant, "i") == 0;
    self->lists.at = dv_alloc(1, sizeof *self->lists.at);
    self->lists.at[0] =
        dv_value_list_add(object, "labels", type_of_lists(variant), DV_FIELD_INPUT, "of each point a list of labels");
    self->lists.count = self->lists.at[0] != NULL;
    self->wanted = add_wanted(object, "selectLabels", "points that have one of these are selected");
    return self->lists.count && self->wanted ? dv_engine_construct(object, self_) : DV_ERROR_INVALID;
}

static DvStatus construct_connected(DvObject *object, void *self_)
{
    SelectLabels *self = self_;
    self->is_signed = strcmp(dv_object_variant(object), "i") == 0;
    self->wanted =
        add_wanted(object, "connectLabels",
                   "pairs of labels: points that have one in one list and the other in another are selected");
    return self->wanted ? dv_engine_construct(object, self_) : DV_ERROR_INVALID;
}

static DvStatus parse_connected(DvObject *object, void *self_, const DvAttributes *attributes)
{
    (void)attributes;
    SelectLabels *self = self_;
    return dv_numbered_fields_add(object, &self->lists, &self->count, "labels",
                                  type_of_lists(dv_object_variant(object)), DV_FIELD_INPUT,
                                  "of each point a list of labels");
}

static void destroy(DvObject *object, void *self_)
{
    (void)object;
    dv_numbered_fields_free(&((SelectLabels *)self_)->lists);
}

#define INDICES DV_ENGINE_OUTPUT(SelectLabels, indices, "indices", dv_type_uints, "the points selected, ascending")
static const DvField single_fields[] = {INDICES, DV_REGION_GROUP(SelectLabels, group), {0}};
static const DvField connected_fields[] = {
    DV_FIELD(SelectLabels, count, "nbLabels", dv_type_uint, .init = "0", .flags = DV_FIELD_AT_LOAD,
             .help = "number of lists: labels1, labels2, ..."),
    INDICES,
    DV_REGION_GROUP(SelectLabels, group),
    {0},
};

#define LABELS_CLASS(class_name, text, kind)                                                                 \
    {                                                                                                        \
        .size = sizeof(DvClass), .name = class_name, .variants = "I B H i", .default_variant = "I",          \
        .module = "Sofa.Component.Engine.Select", .help = text, .instance_size = sizeof(SelectLabels),       \
        .fields = kind##_fields, DV_ENGINE_CLASS("DataEngine"), .construct = construct_##kind, .init = init, \
        .bwd_init = dv_engine_start, .reinit = dv_engine_run, .update = update_##kind, .destroy = destroy,   \
        LABELS_PARSE                                                                                         \
    }
#define LABELS_PARSE .parse = NULL
const DvClass dv_select_label_roi = LABELS_CLASS("SelectLabelROI", "Selects points by their labels.", single);
#undef LABELS_PARSE
#define LABELS_PARSE .parse = parse_connected
const DvClass dv_select_connected_labels_roi =
    LABELS_CLASS("SelectConnectedLabelsROI", "Selects points by pairs of labels in different lists.", connected);
