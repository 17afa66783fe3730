/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * MergeSets: union, intersection, difference or symmetric difference of two sets of whole numbers, in ascending order. The first letter
 * of the operation decides, as in old scenes.
 */
#include <stdlib.h>

#include <divan/kit/engine.h>
#include <divan/kit/value_lists.h>

typedef struct MergeSets {
    DvEngine engine;
    DvData operation, *in[2], *out;
    bool is_signed;
} MergeSets;

static DvStatus construct(DvObject *object, void *self_)
{
    MergeSets *self = self_;
    self->is_signed = strcmp(dv_object_variant(object), "i") == 0;
    self->in[0] = dv_value_list_add(object, "in1", NULL, DV_FIELD_INPUT, "the first set");
    self->in[1] = dv_value_list_add(object, "in2", NULL, DV_FIELD_INPUT, "the second set");
    self->out =
        dv_value_list_add(object, "out", NULL, DV_FIELD_OUTPUT | DV_FIELD_READ_ONLY, "the numbers of the result");
    return self->in[0] && self->in[1] && self->out ? dv_engine_construct(object, self_) : DV_ERROR_INVALID;
}

static int compare(const void *a, const void *b)
{
    const int64_t p = *(const int64_t *)a, q = *(const int64_t *)b;
    return p < q ? -1 : p > q;
}

/* Numbers of both kinds as they are, sorted. */
static int64_t *sorted(const MergeSets *self, DvData *data, size_t *count)
{
    const void *values = dv_data_read(data);
    *count = data->count;
    int64_t *numbers = dv_alloc(*count, sizeof *numbers);
    for (size_t i = 0; i < *count; i++)
        numbers[i] = self->is_signed ? (int64_t)((const int32_t *)values)[i] : (int64_t)((const uint32_t *)values)[i];
    qsort(numbers, *count, sizeof *numbers, compare);
    return numbers;
}

static DvStatus update(DvObject *object, void *self_)
{
    (void)object;
    MergeSets *self = self_;
    size_t n[2], at[2] = {0, 0}, kept = 0;
    int64_t *set[2];
    for (int s = 0; s < 2; s++)
        set[s] = sorted(self, self->in[s], &n[s]);
    const char operation = dv_data_string(&self->operation)[0];
    /* of the numbers in the first alone, in the second alone, in both */
    const bool takes[3] = {strchr("uds", operation) != NULL, strchr("us", operation) != NULL,
                           strchr("ui", operation) != NULL};
    uint32_t *out = dv_alloc(n[0] + n[1], sizeof *out);
    while (at[0] < n[0] || at[1] < n[1]) {
        const bool has0 = at[0] < n[0], has1 = at[1] < n[1];
        const int64_t least = !has1 || (has0 && set[0][at[0]] < set[1][at[1]]) ? set[0][at[0]] : set[1][at[1]];
        bool in[2] = {false, false};
        for (int s = 0; s < 2; s++)
            for (; at[s] < n[s] && set[s][at[s]] == least; at[s]++)
                in[s] = true;
        if (takes[in[0] && in[1] ? 2 : in[1]])
            out[kept++] = (uint32_t)least;
    }
    dv_data_set(self->out, out, kept);
    dv_free(out);
    dv_free(set[0]);
    dv_free(set[1]);
    return DV_OK;
}

static DvStatus start(DvObject *object, void *self_)
{
    MergeSets *self = self_;
    const char *operation = dv_data_string(&self->operation);
    if (!*operation || !strchr("uids", *operation))
        return dv_field_error(&self->operation, -1,
                              "no operation '%s'; there are union, intersection, difference and symmetric_difference",
                              operation);
    return dv_engine_start(object, self_);
}

static const DvField fields[] = {
    DV_ENGINE_INPUT(MergeSets, operation, "op", dv_type_string,
                    "union, intersection, difference or symmetric_difference; the first letter decides",
                    .init = "union"),
    {0},
};

const DvClass dv_merge_sets = {
    .size = sizeof(DvClass),
    .name = "MergeSets",
    .variants = "I i",
    .default_variant = "I",
    .module = "Sofa.Component.Engine.Generate",
    .help = "Union, intersection or difference of two sets of numbers.",
    .instance_size = sizeof(MergeSets),
    .fields = fields,
    DV_ENGINE_CLASS("DataEngine"),
    .construct = construct,
    .bwd_init = start,
    .reinit = start,
    .update = update,
};
