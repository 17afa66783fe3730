/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * MapIndices: new numbers for those in a list, point by point or in elements: number indices[i] becomes i, or i becomes indices[i]
 * with `transpose`. Numbers that have no new one stay as they are.
 */
#include <divan/kit/engine.h>
#include <divan/kit/value_lists.h>
#include <divan/worst.h>

#include <inttypes.h>
#include <stdlib.h>

typedef struct MapIndices {
    DvEngine engine;
    DvData indices, text, transpose;
    DvData *in, *out;
} MapIndices;

typedef struct Renamed {
    uint32_t from, to;
} Renamed;

static int compare(const void *a, const void *b)
{
    const Renamed *p = a, *q = b;
    return p->from != q->from ? (p->from > q->from) - (p->from < q->from) : (p->to > q->to) - (p->to < q->to);
}

static int compare_from(const void *a, const void *b)
{
    const uint32_t p = *(const uint32_t *)a, q = ((const Renamed *)b)->from;
    return (p > q) - (p < q);
}

/* Sorted by the old number, each once: of those that are given twice the last counts. */
static uint32_t make_table(MapIndices *self, const uint32_t *index, size_t count, Renamed *table)
{
    const bool transposed = dv_data_bool(&self->transpose);
    DvWorst twice = {0};
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++)
        table[i] = transposed ? (Renamed){i, index[i]} : (Renamed){index[i], i};
    if (count)
        qsort(table, count, sizeof *table, compare);
    for (size_t i = 0; i < count; i++) {
        if (kept && table[kept - 1].from == table[i].from) {
            dv_worst_add(&twice, table[i].from, 0);
            kept--;
        }
        table[kept++] = table[i];
    }
    char worst[DV_WORST_TEXT];
    if (twice.count && dv_engine_starting(&self->engine))
        dv_field_warning(&self->indices, -1, "%" PRIu32 " are there again; the last place counts: %s", twice.count,
                         dv_worst_text(&twice, worst));
    return kept;
}

static DvStatus update(DvObject *object, void *self_)
{
    (void)object;
    MapIndices *self = self_;
    size_t count;
    const uint32_t *index = dv_data_uints(&self->indices, &count), *in = dv_data_read(self->in);
    const size_t numbers = self->in->count * self->in->type->components;
    Renamed *table = dv_alloc(count, sizeof *table);
    const uint32_t kept = make_table(self, index, count, table);
    uint32_t *out = dv_data_begin_all(self->out, self->in->count);
    for (size_t i = 0; i < numbers; i++) {
        const Renamed *found = kept ? bsearch(&in[i], table, kept, sizeof *table, compare_from) : NULL;
        out[i] = found ? found->to : in[i];
    }
    dv_data_end(self->out);
    dv_free(table);
    DvText text = {0};
    dv_value_list_print(self->out, &text);
    dv_data_set_string(&self->text, text.at ? text.at : "");
    dv_text_free(&text);
    return DV_OK;
}

static DvStatus construct(DvObject *object, void *self_)
{
    MapIndices *self = self_;
    self->in = dv_value_list_add(object, "in", NULL, DV_FIELD_INPUT, "the numbers, or elements of them");
    self->out =
        dv_value_list_add(object, "out", NULL, DV_FIELD_OUTPUT | DV_FIELD_READ_ONLY, "the same with new numbers");
    return self->in && self->out ? dv_engine_construct(object, self_) : DV_ERROR_INVALID;
}

static const DvField fields[] = {
    DV_ENGINE_INPUT(MapIndices, indices, "indices", dv_type_uints,
                    "old numbers, whose places are the new ones; transposed: new numbers of 0, 1, ..."),
    DV_ENGINE_OUTPUT(MapIndices, text, "outStr", dv_type_string, "the new numbers as text"),
    DV_ENGINE_INPUT(MapIndices, transpose, "transpose", dv_type_bool, "from places to numbers", .init = "0"),
    {0},
};

const DvClass dv_map_indices = {
    .size = sizeof(DvClass),
    .name = "MapIndices",
    .variants = "I fixed_array<I,2> fixed_array<I,3> fixed_array<I,4> fixed_array<I,8> i",
    .default_variant = "I",
    .module = "Sofa.Component.Engine.Transform",
    .help = "Gives points new numbers, in lists and in elements.",
    .instance_size = sizeof(MapIndices),
    .fields = fields,
    DV_ENGINE_CLASS("DataEngine"),
    .construct = construct,
    .bwd_init = dv_engine_start,
    .reinit = dv_engine_run,
    .update = update,
};
