/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Twins of mappings to a state: rows of weights, copies, points of rigid bodies.
 */
#include "operators.h"

#include <divan/memory.h>

#include <string.h>

/* What they begin with; the state of `twin` is the output. */
typedef struct MappingTwin {
    Twin twin;
    const DvDofType *dof[2]; /* of input and output */
    uint32_t points_in;
} MappingTwin;

/* ---- Rows of weights ---- */

typedef struct RowsTwin {
    MappingTwin base;
    DeviceArray begin, column, weight, row;
    DeviceArray entry_begin, entry;                        /* of the points of all inputs, one input behind the other */
    DeviceArray input;                                     /* of entries, where there are several */
    uint32_t rows, clears, inputs, first[MOST_INPUTS + 1]; /* first: point of each input among all */
} RowsTwin;

typedef struct Rows {
    uint32_t rows, entries;
    const uint32_t *begin, *column, *input; /* input: or NULL */
    const double *weight;
} Rows;

/* For each entry its row. */
static bool put_rows_of_entries(RowsTwin *self, const Rows *rows, DvText *why)
{
    Space *space = self->base.twin.space;
    const size_t bytes = rows->entries * sizeof(uint32_t);
    if (!device_array_room(space, &self->row, bytes, why))
        return false;
    uint32_t *row = bytes ? space->device->ops->put(space->device, self->row.at, bytes) : NULL;
    for (uint32_t i = 0; i < rows->rows; i++)
        for (uint32_t e = rows->begin[i]; e < rows->begin[i + 1]; e++)
            row[e] = i;
    return true;
}

/* The rows that name each point of each input. */
static bool put_entries(RowsTwin *self, const Rows *rows, DvText *why)
{
    Space *space = self->base.twin.space;
    uint32_t *point = dv_alloc(rows->entries, sizeof *point);
    bool fits = true;
    for (uint32_t e = 0; e < rows->entries; e++) {
        const uint32_t k = rows->input ? rows->input[e] : 0;
        fits = fits && k < self->inputs && rows->column[e] < self->first[k + 1] - self->first[k];
        point[e] = fits ? self->first[k] + rows->column[e] : 0;
    }
    if (!fits)
        dv_text_add(why, "a row names a point that no input has");
    fits = fits && device_array_lists(space, &self->entry_begin, &self->entry, self->first[self->inputs], point,
                                      rows->entries, why);
    dv_free(point);
    return fits &&
           (!rows->input || device_array_put(space, &self->input, rows->input, rows->entries * sizeof(uint32_t), why));
}

static bool put_rows(RowsTwin *self, const Rows *rows, DvText *why)
{
    Space *space = self->base.twin.space;
    const DvOperatorPart weight = {"weight", rows->weight, NULL, rows->entries, 1, 0};
    if (rows->rows > self->base.twin.points) {
        dv_text_add(why, "it has %u rows for %u points", rows->rows, self->base.twin.points);
        return false;
    }
    self->rows = rows->rows;
    return put_entries(self, rows, why) &&
           device_array_put(space, &self->begin, rows->begin, ((size_t)rows->rows + 1) * sizeof(uint32_t), why) &&
           device_array_put(space, &self->column, rows->column, rows->entries * sizeof(uint32_t), why) &&
           device_array_numbers(space, self->base.twin.precision, &self->weight, &weight, false, why) &&
           put_rows_of_entries(self, rows, why);
}

/* How many points each input has. */
static bool find_inputs(RowsTwin *self, const DvOperator *op, size_t entries, DvText *why)
{
    self->inputs = 1;
    self->first[1] = self->base.points_in;
    if (!dv_operator_part(op, "input"))
        return true;
    const DvOperatorPart *input = operator_part(op, "input", entries, 1, why),
                         *points = input ? operator_part(op, "points", SIZE_MAX, 1, why) : NULL;
    if (points && (points->count == 0 || points->count > MOST_INPUTS || points->index[0] != self->base.points_in)) {
        dv_text_add(why, "it maps %zu states, at most %d are made for", points->count, (int)MOST_INPUTS);
        return false;
    }
    self->inputs = points ? (uint32_t)points->count : 0;
    for (uint32_t k = 0; k < self->inputs; k++)
        self->first[k + 1] = self->first[k] + points->index[k];
    return points != NULL;
}

static bool rows_update(DvTwin *twin, const DvOperator *op, DvText *why)
{
    RowsTwin *self = (RowsTwin *)twin;
    const DvOperatorPart *begin = operator_part(op, "begin", SIZE_MAX, 1, why);
    const DvOperatorPart *column = begin ? operator_part(op, "column", SIZE_MAX, 1, why) : NULL;
    const DvOperatorPart *weight = column ? operator_part(op, "weight", column->count, 1, why) : NULL;
    const DvOperatorPart *clears = weight ? operator_part(op, "clears", 1, 1, why) : NULL;
    if (!clears)
        return false;
    if (begin->count == 0 || begin->index[begin->count - 1] != column->count) {
        dv_text_add(why, "its rows have not as many entries as it says");
        return false;
    }
    self->clears = clears->index[0];
    if (!find_inputs(self, op, column->count, why))
        return false;
    const DvOperatorPart *input = dv_operator_part(op, "input");
    return put_rows(self,
                    &(const Rows){(uint32_t)begin->count - 1, (uint32_t)column->count, begin->index, column->index,
                                  input ? input->index : NULL, weight->numbers},
                    why);
}

/* Rows of one entry, or none. */
static bool copies_update(DvTwin *twin, const DvOperator *op, DvText *why)
{
    RowsTwin *self = (RowsTwin *)twin;
    const DvOperatorPart *point = operator_part(op, "point", SIZE_MAX, 1, why);
    if (!point)
        return false;
    const uint32_t count = (uint32_t)point->count;
    uint32_t *begin = dv_alloc((size_t)count + 1, sizeof *begin), *column = dv_alloc((size_t)count + 1, sizeof *column);
    double *weight = dv_alloc((size_t)count + 1, sizeof *weight);
    Rows rows = {count, 0, begin, column, NULL, weight};
    (void)find_inputs(self, &(DvOperator){0}, 0, why);
    begin[0] = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (point->index[i] < self->base.points_in) {
            column[rows.entries] = point->index[i];
            weight[rows.entries++] = 1.0;
        }
        begin[i + 1] = rows.entries;
    }
    self->clears = 0;
    const bool there = put_rows(self, &rows, why);
    dv_free(begin);
    dv_free(column);
    dv_free(weight);
    return there;
}

static void rows_free(DvTwin *twin)
{
    RowsTwin *self = (RowsTwin *)twin;
    DeviceArray *const all[] = {&self->begin,       &self->column, &self->weight, &self->row,
                                &self->entry_begin, &self->entry,  &self->input};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        device_array_free(self->base.twin.space, all[i]);
    twin_end(&self->base.twin);
}

/* Of numbers of a point of both; between bodies all, between a body and a point those of the place. */
static uint32_t components(const MappingTwin *self, uint32_t in_dim, uint32_t out_dim)
{
    const DvDofType *from = self->dof[0], *to = self->dof[1];
    const bool bodies = from->rotation && to->rotation;
    const uint32_t in = from->rotation && !bodies ? from->spatial : in_dim,
                   out = to->rotation && !bodies ? to->spatial : out_dim;
    return in < out ? in : out;
}

static void rows_gather_of(RowsTwin *self, const DvConstVec *in, const DvVec *out, uint32_t clears)
{
    Space *space = self->base.twin.space;
    const uint32_t count = components(&self->base, in->dim, out->dim);
    const uint64_t n = (uint64_t)self->rows * count;
    const void *from[MOST_INPUTS] = {NULL};
    for (uint32_t k = 0; k < self->inputs; k++)
        from[k] = in[k].at;
    SPACE_LAUNCH(space, self->base.twin.precision, rows_gather, n, .n = n,
                 .in = {from[0], from[1], from[2], from[3], from[4], from[5], from[6], from[7]}, .out = (void *)out->at,
                 .begin = SPACE_AT(self->begin.at), .column = SPACE_AT(self->column.at),
                 .input = SPACE_AT(self->inputs > 1 ? self->input.at : 0), .weight = SPACE_AT(self->weight.at),
                 .in_dim = in->dim, .out_dim = out->dim, .components = count, .clears = clears);
}

static void rows_apply(DvTwin *twin, const DvConstVec *in, const DvVec *out)
{
    rows_gather_of((RowsTwin *)twin, in, out, 0);
}

static void rows_apply_j(DvTwin *twin, const DvConstVec *in, const DvVec *out)
{
    rows_gather_of((RowsTwin *)twin, in, out, ((RowsTwin *)twin)->clears);
}

static void rows_apply_jt(DvTwin *twin, const DvConstVec *out, const DvVec *in)
{
    RowsTwin *self = (RowsTwin *)twin;
    Space *space = self->base.twin.space;
    const uint32_t count = components(&self->base, in->dim, out->dim);
    for (uint32_t k = 0; k < self->inputs; k++) {
        const uint64_t n = (uint64_t)(self->first[k + 1] - self->first[k]) * count;
        const DvAddress begin = self->entry_begin.at + self->first[k] * sizeof(uint32_t);
        SPACE_LAUNCH(space, self->base.twin.precision, rows_scatter, n, .n = n, .out = (const void *)out->at,
                     .in = (void *)in[k].at, .begin = SPACE_AT(begin), .entry = SPACE_AT(self->entry.at),
                     .row = SPACE_AT(self->row.at), .weight = SPACE_AT(self->weight.at), .in_dim = in->dim,
                     .out_dim = out->dim, .components = count);
    }
}

#define ROWS_OPS .apply = rows_apply, .apply_j = rows_apply_j, .apply_jt = rows_apply_jt
static const DvTwinOps rows_ops = {.size = sizeof(DvTwinOps), .update = rows_update, .free = rows_free, ROWS_OPS};
static const DvTwinOps copies_ops = {.size = sizeof(DvTwinOps), .update = copies_update, .free = rows_free, ROWS_OPS};

static MappingTwin *rows_twin_new(void)
{
    RowsTwin *self = dv_alloc(1, sizeof *self);
    self->base.twin.base.ops = &rows_ops;
    return &self->base;
}

static MappingTwin *copies_twin_new(void)
{
    MappingTwin *self = rows_twin_new();
    self->twin.base.ops = &copies_ops;
    return self;
}

/* ---- Points of rigid bodies ---- */

typedef struct RigidTwin {
    MappingTwin base;
    DeviceArray body, local, lever, begin, entry;
    uint32_t mapped; /* points */
    uint32_t stiff;  /* geometric stiffness: of STIFF_NONE and what follows */
} RigidTwin;

static bool rigid_update(DvTwin *twin, const DvOperator *op, DvText *why)
{
    RigidTwin *self = (RigidTwin *)twin;
    Space *space = self->base.twin.space;
    const DvPrecision precision = self->base.twin.precision;
    const DvOperatorPart *body = operator_part(op, "body", SIZE_MAX, 1, why);
    const DvOperatorPart *local = body ? operator_part(op, "local", body->count, 3, why) : NULL;
    const DvOperatorPart *stiff = dv_operator_part(op, "stiff");
    if (!local || body->count > self->base.twin.points) {
        if (local)
            dv_text_add(why, "it has %zu local points for %u", body->count, self->base.twin.points);
        return false;
    }
    self->mapped = (uint32_t)body->count;
    self->stiff = stiff && stiff->count == 1 ? stiff->index[0] : STIFF_NONE;
    return device_array_lists(space, &self->begin, &self->entry, self->base.points_in, body->index, body->count, why) &&
           device_array_indices(space, &self->body, body, false, why) &&
           device_array_numbers(space, precision, &self->local, local, false, why) &&
           device_array_room(space, &self->lever, dv_space_bytes(precision, body->count * 3), why);
}

static void rigid_free(DvTwin *twin)
{
    RigidTwin *self = (RigidTwin *)twin;
    DeviceArray *const all[] = {&self->body, &self->local, &self->lever, &self->begin, &self->entry};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        device_array_free(self->base.twin.space, all[i]);
    twin_end(&self->base.twin);
}

static void rigid_apply(DvTwin *twin, const DvConstVec *in, const DvVec *out)
{
    RigidTwin *self = (RigidTwin *)twin;
    Space *space = self->base.twin.space;
    SPACE_LAUNCH(space, self->base.twin.precision, rigid_place, self->mapped, .n = self->mapped,
                 .in = (const void *)in->at, .out = (void *)out->at, .lever = SPACE_AT(self->lever.at),
                 .body = SPACE_AT(self->body.at), .local = SPACE_AT(self->local.at));
}

/* Points that nothing maps do not move. */
static void rigid_apply_j(DvTwin *twin, const DvConstVec *in, const DvVec *out)
{
    RigidTwin *self = (RigidTwin *)twin;
    Space *space = self->base.twin.space;
    const uint32_t rest = out->count - self->mapped;
    SPACE_LAUNCH(space, self->base.twin.precision, rigid_move, self->mapped, .n = self->mapped,
                 .in = (const void *)in->at, .out = (void *)out->at, .body = SPACE_AT(self->body.at),
                 .lever = SPACE_AT(self->lever.at));
    if (rest)
        space->base.ops->fill(&space->base,
                              dv_vector_as_address(out->at) +
                                  dv_space_bytes(self->base.twin.precision, 3 * (size_t)self->mapped),
                              self->base.twin.precision, 3 * (size_t)rest, 0.0);
}

static void rigid_apply_jt(DvTwin *twin, const DvConstVec *out, const DvVec *in)
{
    RigidTwin *self = (RigidTwin *)twin;
    Space *space = self->base.twin.space;
    const uint64_t blocks = 6 * (uint64_t)self->base.points_in;
    SPACE_LAUNCH(space, self->base.twin.precision, rigid_pull, blocks * LANES, .n = blocks,
                 .out = (const void *)out->at, .in = (void *)in->at, .begin = SPACE_AT(self->begin.at),
                 .entry = SPACE_AT(self->entry.at), .lever = SPACE_AT(self->lever.at));
}

static void rigid_apply_djt(DvTwin *twin, double k, const DvConstVec *force, const DvConstVec *dx, const DvVec *in)
{
    RigidTwin *self = (RigidTwin *)twin;
    Space *space = self->base.twin.space;
    if (self->stiff)
        SPACE_LAUNCH(space, self->base.twin.precision, rigid_turn, self->base.points_in, .n = self->base.points_in,
                     .force = (const void *)force->at, .in = (const void *)dx->at, .out = (void *)in->at,
                     .begin = SPACE_AT(self->begin.at), .entry = SPACE_AT(self->entry.at),
                     .lever = SPACE_AT(self->lever.at), .k = k, .stabilized = self->stiff == STIFF_STABILIZED);
}

static const DvTwinOps rigid_ops = {.size = sizeof(DvTwinOps),
                                    .update = rigid_update,
                                    .free = rigid_free,
                                    .apply = rigid_apply,
                                    .apply_j = rigid_apply_j,
                                    .apply_jt = rigid_apply_jt,
                                    .apply_djt = rigid_apply_djt};

static MappingTwin *rigid_twin_new(void)
{
    RigidTwin *self = dv_alloc(1, sizeof *self);
    self->base.twin.base.ops = &rigid_ops;
    return &self->base;
}

/* ---- Which ---- */

static const struct {
    const char *name;
    MappingTwin *(*make)(void);
    bool of_bodies; /* from Rigid3 to Vec3 */
} operators[] = {{"copies", copies_twin_new, false},
                 {"rigid points", rigid_twin_new, true},
                 {"weighted rows", rows_twin_new, false}};

DvTwin *mapping_twin_make(DvVectorSpace *space, DvPrecision precision, const DvDofType *const dof[2],
                          const uint32_t points[2], const DvOperator *op, DvText *why)
{
    if (space->ops != &space_of_emulated_ops && space->ops != &space_of_cards_ops)
        return NULL; /* another plugin's */
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        if (strcmp(operators[i].name, op->name) != 0 ||
            (operators[i].of_bodies && (dof[0] != &dv_rigid3d || dof[1] != &dv_vec3d)))
            continue;
        MappingTwin *self = operators[i].make();
        self->twin.space = (Space *)(void *)space;
        self->twin.space->users++;
        self->twin.precision = precision;
        self->twin.points = points[1];
        self->twin.dim = dof[1]->deriv;
        self->points_in = points[0];
        self->dof[0] = dof[0];
        self->dof[1] = dof[1];
        if (self->twin.base.ops->update(&self->twin.base, op, why))
            return &self->twin.base;
        self->twin.base.ops->free(&self->twin.base);
        return NULL;
    }
    dv_text_add(why, "the operator '%s' from %s to %s points is not made for devices", op->name, dof[0]->name,
                dof[1]->name);
    return NULL;
}
