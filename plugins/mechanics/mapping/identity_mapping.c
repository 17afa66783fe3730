/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * IdentityMapping: the output copies the input, point by point.
 *
 * Between different types the components they have in common are copied: a rigid body gives its centre and its linear velocity, and
 * takes forces on them without torque; six components give their first three. The output has as many points as the input.
 *
 * The number of points follows the topology of the input: when that gains or loses points, so does the output.
 */
#include <divan/kit/mapping.h>

#include <divan/contracts/operator.h>
#include <divan/contracts/topology.h>
#include <divan/element_data.h>
#include <divan/memory.h>
#include <divan/parallel.h>

#include <string.h>

enum { POINTS_PER_CHUNK = 4096 };

typedef struct IdentityMapping {
    DvSingleMapping base;
    DvElementData points; /* of the input's topology, without entries of our own: tells when their number changes */
    DvJacobian jacobian;
    uint32_t *numbers; /* [number_count] 0, 1, 2...: of its operator */
    uint32_t number_count;
} IdentityMapping;

static const DvField fields[] = {DV_SINGLE_MAPPING_FIELDS(IdentityMapping), {0}};

typedef struct Copy {
    const double *from;
    double *to;
    uint32_t from_dim, to_dim, common;
} Copy;

static inline void copy_rows(const Copy *c, uint32_t begin, uint32_t end, uint32_t common, uint32_t from_dim,
                             uint32_t to_dim)
{
    for (uint32_t i = begin; i < end; i++) {
        const double *from = c->from + (size_t)i * from_dim;
        double *to = c->to + (size_t)i * to_dim;
        for (uint32_t k = 0; k < common; k++)
            to[k] = from[k];
    }
}

/* No output has more components than its input. */
static void copy_chunk(void *context, uint32_t begin, uint32_t end)
{
    const Copy *c = context;
    if (c->from_dim == c->to_dim)
        memcpy(c->to + (size_t)begin * c->to_dim, c->from + (size_t)begin * c->from_dim,
               (size_t)(end - begin) * c->to_dim * sizeof(double));
    else if (c->from_dim == 7 && c->to_dim == 3)
        copy_rows(c, begin, end, 3, 7, 3);
    else if (c->from_dim == 6 && c->to_dim == 3)
        copy_rows(c, begin, end, 3, 6, 3);
    else
        copy_rows(c, begin, end, c->common, c->from_dim, c->to_dim);
}

static inline void add_rows(const Copy *c, uint32_t begin, uint32_t end, uint32_t common, uint32_t from_dim,
                            uint32_t to_dim)
{
    for (uint32_t i = begin; i < end; i++)
        for (uint32_t k = 0; k < common; k++)
            c->to[(size_t)i * to_dim + k] += c->from[(size_t)i * from_dim + k];
}

static void add_chunk(void *context, uint32_t begin, uint32_t end)
{
    const Copy *c = context;
    if (c->from_dim == 3 && c->to_dim == 3)
        add_rows(c, begin, end, 3, 3, 3);
    else if (c->from_dim == 3 && c->to_dim == 6)
        add_rows(c, begin, end, 3, 3, 6);
    else
        add_rows(c, begin, end, c->common, c->from_dim, c->to_dim);
}

static inline uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Coordinates and derivatives alike. */
static void apply(void *self, const DvStep *step, const DvConstVec *in, const DvVec *out)
{
    (void)self;
    (void)step;
    Copy c = {in->at, out->at, in->dim, out->dim, smaller(in->dim, out->dim)};
    dv_parallel_for(smaller(in->count, out->count), POINTS_PER_CHUNK, copy_chunk, &c);
}

static void apply_jt(void *self, const DvStep *step, const DvConstVec *out, const DvVec *in)
{
    (void)self;
    (void)step;
    Copy c = {out->at, in->at, out->dim, in->dim, smaller(in->dim, out->dim)};
    dv_parallel_for(smaller(in->count, out->count), POINTS_PER_CHUNK, add_chunk, &c);
}

static const DvJacobian *jacobian(void *self_, uint32_t output, uint32_t input)
{
    (void)output;
    (void)input;
    IdentityMapping *self = self_;
    DvJacobian *j = &self->jacobian;
    const uint32_t rows = dv_state_count(self->base.out), columns = dv_state_count(self->base.in);
    if (!j->structure || j->rows != rows || j->columns_count != columns)
        dv_jacobian_set_copies(j, rows, columns, NULL, columns, self->base.out.dof->deriv, self->base.in.dof->deriv);
    return j;
}

static const DvMappingOps ops = {
    DV_SINGLE_MAPPING_OPS,
    .keeps_topology = dv_mapping_yes,
    .apply = apply,
    .apply_j = apply,
    .apply_jt = apply_jt,
    .jacobian = jacobian,
    .output_points = dv_single_mapping_output_points,
};

/* ---- The operator ---- */

static uint64_t operator_version(void *self_)
{
    const IdentityMapping *self = self_;
    return smaller(dv_state_count(self->base.in), dv_state_count(self->base.out));
}

static void describe(void *self_, DvOperator *out)
{
    IdentityMapping *self = self_;
    const uint32_t count = smaller(dv_state_count(self->base.in), dv_state_count(self->base.out));
    if (self->number_count < count) {
        self->numbers =
            dv_realloc(self->numbers, self->number_count * sizeof *self->numbers, count * sizeof *self->numbers);
        for (uint32_t i = self->number_count; i < count; i++)
            self->numbers[i] = i;
        self->number_count = count;
    }
    out->name = "copies";
    dv_operator_add_indices(out, "point", self->numbers, count, 1, 1 + count);
}

static const DvOperatorOps operator_ops = {
    .size = sizeof(DvOperatorOps), .version = operator_version, .describe = describe};

/* The output takes the new number of points; its rest positions follow those of the input, the rest comes with the next apply. */
static void points_changed(DvElementData *data, const DvElementChange *change)
{
    DvSingleMapping *base = data->owner;
    if (change->without_states || dv_state_count(base->out) == change->total)
        return;
    base->out.ops->resize(base->out.self, change->total);
    if (base->in.ops->has(base->in.self, DV_REST_POSITION) && base->out.ops->has(base->out.self, DV_REST_POSITION)) {
        const DvConstVec in = dv_state_read(base->in, DV_REST_POSITION);
        const DvVec out = dv_state_write(base->out, DV_REST_POSITION, DV_READ_WRITE);
        apply(base, NULL, &in, &out);
    }
}

static DvStatus init(DvObject *object, void *self_)
{
    IdentityMapping *self = self_;
    DvSingleMapping *base = &self->base;
    const DvStatus status = dv_single_mapping_init(object, base);
    if (status != DV_OK)
        return status;
    const uint32_t count = dv_state_count(base->in);
    if (dv_state_count(base->out) != count)
        base->out.ops->resize(base->out.self, count);
    dv_mapping_apply_all(base, &ops);

    DvObject *topology = dv_mapping_topology_of(base->in);
    if (!topology)
        return DV_OK;
    self->points = (DvElementData){.kind = DV_POINTS, .owner = self, .changed = points_changed};
    return dv_element_data_attach(&self->points, topology);
}

static void cleanup(DvObject *object, void *self_)
{
    (void)object;
    IdentityMapping *self = self_;
    dv_element_data_detach(&self->points);
    dv_single_mapping_release(&self->base);
}

static void destroy(DvObject *object, void *self_)
{
    (void)object;
    dv_jacobian_free(&((IdentityMapping *)self_)->jacobian);
    dv_free(((IdentityMapping *)self_)->numbers);
}

const DvClass dv_identity_mapping = {
    .size = sizeof(DvClass),
    .name = "IdentityMapping",
    .variants =
        "Vec3d,Vec3d Vec2d,Vec2d Vec1d,Vec1d Vec6d,Vec3d Vec6d,Vec6d Rigid3d,Rigid3d Rigid2d,Rigid2d Rigid3d,Vec3d "
        "Rigid2d,Vec2d",
    DV_MAPPING_CLASS,
    .module = "Sofa.Component.Mapping.Linear",
    .help = "Copies the points of another state, or the part of their coordinates that both types have.",
    .instance_size = sizeof(IdentityMapping),
    .fields = fields,
    .contracts = (const DvContract[]){{DV_MAPPING, &ops, .slot = true},
                                      {.id = DV_OPERATOR, .ops = &operator_ops},
                                      {.id = DV_DRAWABLE, .ops = &dv_single_mapping_drawable},
                                      {0}},
    .init = init,
    .cleanup = cleanup,
    .destroy = destroy,
};
