/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Linear mappings by rows and weights; see divan/kit/linear_mapping.h.
 */
#include <divan/kit/linear_mapping.h>

#include <divan/kit/array.h>

#include "class_ops.h"

#include <assert.h>

/* ---- Rows ---- */

typedef struct InputRows {
    DvIndexArray start, column;
    DvRealArray weight;
} InputRows;

struct DvMappingRows {
    InputRows *of; /* [inputs] */
    uint32_t inputs;
};

void dv_mapping_rows_add(DvMappingRows *rows, uint32_t input, uint32_t point, double weight)
{
    assert(input < rows->inputs);
    dv_array_push(&rows->of[input].column, point);
    dv_array_push(&rows->of[input].weight, weight);
}

void dv_mapping_rows_end(DvMappingRows *rows)
{
    for (uint32_t i = 0; i < rows->inputs; i++)
        dv_array_push(&rows->of[i].start, rows->of[i].column.count);
}

static void make_rows(DvLinearMapping *self)
{
    DvMappingRows rows = {dv_alloc(self->input_count, sizeof(InputRows)), self->input_count};
    dv_mapping_rows_end(&rows); /* where the first row begins */
    self->ops->rows(self, &rows);
    for (uint32_t i = 0; i < self->input_count; i++) {
        InputRows *of = &rows.of[i];
        dv_weighted_rows_set(&self->inputs[i].rows, of->start.count - 1, of->start.data, of->column.data,
                             of->weight.data);
        dv_array_free(&of->start);
        dv_array_free(&of->column);
        dv_array_free(&of->weight);
        self->inputs[i].points = dv_state_count(self->inputs[i].state);
    }
    dv_free(rows.of);
    self->points = dv_state_count(self->base.out);
    self->version = self->ops->version ? self->ops->version(self) : 0;
    self->made = true;
}

static void update(DvLinearMapping *self)
{
    bool same = self->made && self->points == dv_state_count(self->base.out) &&
                (!self->ops->version || self->version == self->ops->version(self));
    for (uint32_t i = 0; i < self->input_count && same; i++)
        same = self->inputs[i].points == dv_state_count(self->inputs[i].state);
    if (!same)
        make_rows(self);
}

/* ---- Products ---- */

static uint32_t points_like(const DvDofType *dof, uint32_t dim)
{
    return dof->rotation ? dof->spatial : dim;
}

/* Components that are mapped, of coordinates or derivatives of these dimensions. */
static uint32_t components(const DvLinearMapping *self, uint32_t in_dim, uint32_t out_dim)
{
    const DvDofType *from = self->base.in.dof, *to = self->base.out.dof;
    const bool bodies = from->rotation && to->rotation;
    const uint32_t in = bodies ? in_dim : points_like(from, in_dim), out = bodies ? out_dim : points_like(to, out_dim);
    return in < out ? in : out;
}

static bool fits(const DvLinearMapping *self, uint32_t input, uint32_t in_count, uint32_t out_count)
{
    const DvWeightedRows *rows = &self->inputs[input].rows;
    return in_count >= rows->columns && out_count >= rows->rows;
}

/* The sum of several inputs begins with zero, where there is anything to add. */
static void clear_rows(const DvWeightedRows *rows, const DvVec *out, uint32_t count)
{
    for (uint32_t i = 0; i < rows->rows; i++)
        for (uint32_t c = 0; c < count && rows->row_start[i + 1] > rows->row_start[i]; c++)
            out->at[(size_t)i * out->dim + c] = 0.0;
}

void dv_linear_mapping_apply_j(void *self_, const DvStep *step, const DvConstVec *in, const DvVec *out)
{
    DvLinearMapping *self = self_;
    (void)step;
    update(self);
    for (uint32_t i = 0; i < self->input_count; i++)
        if (!fits(self, i, in[i].count, out->count))
            return;
    const uint32_t count = components(self, in->dim, out->dim);
    if (self->input_count == 1 && count == 3) {
        dv_weighted_rows_gather(&self->inputs[0].rows, in, out, false);
        return;
    }
    for (uint32_t i = 0; i < self->input_count; i++)
        clear_rows(&self->inputs[i].rows, out, count);
    for (uint32_t i = 0; i < self->input_count; i++)
        dv_weighted_rows_add(&self->inputs[i].rows, &in[i], out, count);
}

void dv_linear_mapping_apply(void *self_, const DvStep *step, const DvConstVec *in, const DvVec *out)
{
    DvLinearMapping *self = self_;
    dv_linear_mapping_apply_j(self, step, in, out);
    if (self->ops->add_offsets && fits(self, 0, in->count, out->count))
        self->ops->add_offsets(self, out);
}

void dv_linear_mapping_apply_jt(void *self_, const DvStep *step, const DvConstVec *out, const DvVec *in)
{
    DvLinearMapping *self = self_;
    (void)step;
    update(self);
    const uint32_t count = components(self, in->dim, out->dim);
    for (uint32_t i = 0; i < self->input_count; i++) {
        if (!fits(self, i, in[i].count, out->count))
            continue;
        if (count == 3)
            dv_weighted_rows_scatter(&self->inputs[i].rows, out, &in[i]);
        else
            dv_weighted_rows_add_transposed(&self->inputs[i].rows, out, &in[i], count);
    }
}

const DvJacobian *dv_linear_mapping_jacobian(void *self_, uint32_t output, uint32_t input)
{
    DvLinearMapping *self = self_;
    (void)output;
    update(self);
    const uint32_t deriv_out = self->base.out.dof->deriv, deriv_in = self->base.in.dof->deriv;
    return dv_weighted_rows_jacobian(&self->inputs[input].rows, deriv_out, deriv_in,
                                     components(self, deriv_in, deriv_out), dv_state_count(self->inputs[input].state));
}

uint32_t dv_linear_mapping_inputs(void *self_, DvObject **states, uint32_t capacity)
{
    const DvLinearMapping *self = self_;
    for (uint32_t i = 0; i < self->input_count && i < capacity; i++)
        states[i] = self->inputs[i].state.object;
    return self->input_count;
}

/* ---- Life ---- */

static void forget_merged(DvLinearMapping *self);

static void release(DvLinearMapping *self)
{
    forget_merged(self);
    for (uint32_t i = 0; i < self->input_count; i++) {
        dv_weighted_rows_free(&self->inputs[i].rows);
        if (i > 0)
            dv_state_release(&self->inputs[i].state);
    }
    dv_free(self->inputs);
    self->inputs = NULL;
    self->input_count = 0;
    self->made = false;
    dv_single_mapping_release(&self->base);
}

static DvStatus take_input(DvObject *object, DvLinearMapping *self, DvObject *found, uint32_t index)
{
    DvData *link = &self->base.input_link.data;
    if (!found || !dv_object_ops(found, DV_STATE))
        return dv_field_error(link, index, "finds no state");
    const DvStateRef state = dv_state_ref(found);
    if (state.dof != self->base.in.dof)
        return dv_field_error(link, index, "'%s' holds %s, the first state %s; name states of one type",
                              dv_object_path(found), state.dof->name, self->base.in.dof->name);
    for (uint32_t i = 0; i < self->input_count; i++)
        if (self->inputs[i].state.object == found)
            return dv_field_error(link, index, "'%s' is named twice; name each state once", dv_object_path(found));
    if (found == self->base.out.object)
        return dv_field_error(link, index, "'%s' is the output too", dv_object_path(found));
    const DvStatus status = dv_object_require(object, found);
    if (status != DV_OK)
        return status;
    self->inputs[self->input_count++].state = state;
    dv_object_ref(found);
    return DV_OK;
}

DvStatus dv_linear_mapping_init(DvObject *object, DvLinearMapping *self, const DvLinearMappingOps *ops)
{
    release(self);
    self->ops = ops;
    DvStatus status = dv_single_mapping_init(object, &self->base);
    if (status != DV_OK)
        return status;
    const size_t count = self->base.input_link.count;
    self->inputs = dv_alloc(count > 1 ? count : 1, sizeof *self->inputs);
    self->inputs[self->input_count++].state = self->base.in;
    for (size_t i = 1; i < count && status == DV_OK; i++)
        status = take_input(object, self, self->base.input_link.objects[i], (uint32_t)i);
    return status;
}

void dv_linear_mapping_start(DvLinearMapping *self)
{
    make_rows(self);
    const uint32_t rows = self->inputs[0].rows.rows;
    if (dv_state_count(self->base.out) != rows)
        self->base.out.ops->resize(self->base.out.self, rows);
    self->points = dv_state_count(self->base.out);
    dv_mapping_apply_all(&self->base, &self->ops->ops);
}

DvStatus dv_linear_mapping_begin(DvObject *object, void *self)
{
    const DvStatus status = dv_linear_mapping_init(object, self, dv_class_ops(object, DV_MAPPING));
    if (status == DV_OK)
        dv_linear_mapping_start(self);
    return status;
}

void dv_linear_mapping_cleanup(DvObject *object, void *self)
{
    (void)object;
    release(self);
}

void dv_linear_mapping_destroy(DvObject *object, void *self)
{
    (void)object;
    release(self);
}

/* ---- The operator ---- */

/* Rows of all inputs, by the rows of the output. */
typedef struct DvMergedRows {
    uint32_t *begin, *column, *input, *points; /* [rows + 1], [entries] twice, [inputs] */
    double *weight;
} DvMergedRows;

static void forget_merged(DvLinearMapping *self)
{
    if (!self->merged)
        return;
    dv_free(self->merged->begin);
    dv_free(self->merged->column);
    dv_free(self->merged->input);
    dv_free(self->merged->points);
    dv_free(self->merged->weight);
    dv_free(self->merged);
    self->merged = NULL;
}

static DvMergedRows *merge(DvLinearMapping *self)
{
    const uint32_t rows = self->inputs[0].rows.rows;
    size_t entries = 0;
    forget_merged(self);
    for (uint32_t k = 0; k < self->input_count; k++)
        entries += self->inputs[k].rows.row_start[rows];
    DvMergedRows *m = self->merged = dv_alloc(1, sizeof *m);
    m->begin = dv_alloc((size_t)rows + 1, sizeof *m->begin);
    m->column = dv_alloc(entries, sizeof *m->column);
    m->input = dv_alloc(entries, sizeof *m->input);
    m->weight = dv_alloc(entries, sizeof *m->weight);
    m->points = dv_alloc(self->input_count, sizeof *m->points);
    uint32_t at = 0;
    for (uint32_t i = 0; i < rows; i++) {
        for (uint32_t k = 0; k < self->input_count; k++) {
            const DvWeightedRows *own = &self->inputs[k].rows;
            for (uint32_t e = own->row_start[i]; e < own->row_start[i + 1]; e++, at++) {
                m->column[at] = own->column[e];
                m->weight[at] = own->weight[e];
                m->input[at] = k;
            }
        }
        m->begin[i + 1] = at;
    }
    for (uint32_t k = 0; k < self->input_count; k++)
        m->points[k] = self->inputs[k].points;
    return m;
}

static uint64_t operator_version(void *self_)
{
    DvLinearMapping *self = self_;
    update(self);
    uint64_t version = 0;
    for (uint32_t k = 0; k < self->input_count; k++)
        version += self->inputs[k].rows.structure;
    return version;
}

static void describe_all(DvLinearMapping *self, DvOperator *out)
{
    static const uint32_t no = 0;
    const DvMergedRows *m = merge(self);
    const uint32_t rows = self->inputs[0].rows.rows, entries = m->begin[rows];
    const uint64_t version = operator_version(self);
    out->name = "weighted rows";
    dv_operator_add_indices(out, "begin", m->begin, (size_t)rows + 1, 1, version);
    dv_operator_add_indices(out, "column", m->column, entries, 1, version);
    dv_operator_add_numbers(out, "weight", m->weight, entries, 1, version);
    dv_operator_add_indices(out, "clears", &no, 1, 1, 0);
    dv_operator_add_indices(out, "input", m->input, entries, 1, version);
    dv_operator_add_indices(out, "points", m->points, self->input_count, 1, version);
}

static void describe(void *self_, DvOperator *out)
{
    DvLinearMapping *self = self_;
    update(self);
    bool made = true;
    for (uint32_t k = 0; k < self->input_count; k++)
        made = made && self->inputs[k].rows.row_start;
    if (self->ops->add_offsets)
        out->why = "its offsets are added on the host";
    else if (self->input_count == 1)
        dv_weighted_rows_describe(&self->inputs[0].rows, false, out);
    else if (made)
        describe_all(self, out);
    else
        out->why = "it has no rows";
}

const DvOperatorOps dv_linear_mapping_operator = {
    .size = sizeof(DvOperatorOps), .version = operator_version, .describe = describe};
