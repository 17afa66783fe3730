/* SPDX-License-Identifier: MIT
 *
 * Twins on the ramp device. What they keep lies beside them: this device is the processor.
 */
#include "ramp.h"

#include <divan/memory.h>

#include <string.h>

typedef struct Twin {
    DvTwin base;
    Ramp *ramp;
    uint32_t points;
    double *mass, *weight; /* [points], of a mass */
    double gravity[3], normal[3], start, stiffness;
} Twin;

static const DvOperatorPart *part_of(const DvOperator *op, const char *name, size_t count, uint32_t width, DvText *why)
{
    const DvOperatorPart *part = dv_operator_part(op, name);
    if (part && part->count == count && part->width == width)
        return part;
    dv_text_add(why, "operator '%s' has no part '%s' that fits", op->name, name);
    return NULL;
}

static void free_twin(DvTwin *base)
{
    Twin *self = (Twin *)base;
    dv_free(self->mass);
    dv_free(self->weight);
    self->ramp->base.ops->close(&self->ramp->base);
    dv_free(self);
}

/* ---- Masses ---- */

static bool update_mass(DvTwin *base, const DvOperator *op, DvText *why)
{
    Twin *self = (Twin *)base;
    const DvOperatorPart *mass = part_of(op, "mass", self->points, 1, why),
                         *weight = mass ? part_of(op, "weight", self->points, 1, why) : NULL,
                         *gravity = weight ? part_of(op, "gravity", 1, 3, why) : NULL;
    if (!gravity)
        return false;
    if (!self->mass) {
        self->mass = dv_alloc((size_t)self->points + 1, sizeof *self->mass);
        self->weight = dv_alloc((size_t)self->points + 1, sizeof *self->weight);
    }
    memcpy(self->mass, mass->numbers, self->points * sizeof *self->mass);
    memcpy(self->weight, weight->numbers, self->points * sizeof *self->weight);
    memcpy(self->gravity, gravity->numbers, sizeof self->gravity);
    return true;
}

static void run_weight(Ramp *ramp, const Task *task)
{
    const Twin *self = task->twin;
    double *f = ramp_reveal(task->r);
    (void)ramp;
    for (size_t i = 0; i < task->n; i++)
        f[i] += self->weight[i / 3] * self->gravity[i % 3];
}

static void run_mass(Ramp *ramp, const Task *task)
{
    const Twin *self = task->twin;
    double *r = ramp_reveal(task->r);
    const double *d = ramp_reveal(task->a);
    (void)ramp;
    for (size_t i = 0; i < task->n; i++)
        r[i] += task->k * self->mass[i / 3] * d[i];
}

static void run_acceleration(Ramp *ramp, const Task *task)
{
    const Twin *self = task->twin;
    double *a = ramp_reveal(task->r);
    const double *f = ramp_reveal(task->a);
    (void)ramp;
    for (size_t i = 0; i < task->n; i++)
        a[i] = self->mass[i / 3] > 0.0 ? f[i] / self->mass[i / 3] : 0.0;
}

static void ask(Twin *self, void (*run)(Ramp *, const Task *), double *r, const double *a, double k)
{
    ramp_do(self->ramp, &(Task){.run = run,
                                .r = dv_vector_as_address(r),
                                .a = dv_vector_as_address(a),
                                .n = (size_t)3 * self->points,
                                .k = k,
                                .twin = self});
}

static void weigh(DvTwin *base, const DvStep *step, const DvConstVec *x, const DvConstVec *v, const DvVec *f)
{
    (void)step, (void)v;
    ask((Twin *)base, run_weight, f->at, x->at, 1.0);
}

static void add_mdx(DvTwin *base, double factor, DvConstVec dx, DvVec res)
{
    ask((Twin *)base, run_mass, res.at, dx.at, factor);
}

static void acceleration(DvTwin *base, DvConstVec f, DvVec a)
{
    ask((Twin *)base, run_acceleration, a.at, f.at, 1.0);
}

static const DvTwinOps mass_ops = {.size = sizeof(DvTwinOps),
                                   .update = update_mass,
                                   .free = free_twin,
                                   .add_force = weigh,
                                   .add_mdx = add_mdx,
                                   .acceleration = acceleration};

/* ---- The ramp ---- */

static bool update_ramp(DvTwin *base, const DvOperator *op, DvText *why)
{
    Twin *self = (Twin *)base;
    const DvOperatorPart *normal = part_of(op, "normal", 1, 3, why),
                         *ramp = normal ? part_of(op, "ramp", 1, 2, why) : NULL;
    if (!ramp)
        return false;
    memcpy(self->normal, normal->numbers, sizeof self->normal);
    self->start = ramp->numbers[0];
    self->stiffness = ramp->numbers[1];
    if (!self->mass) /* how far points were beyond it when forces were computed last */
        self->mass = dv_alloc((size_t)self->points + 1, sizeof *self->mass);
    return true;
}

static double along(const double *normal, const double *x)
{
    return normal[0] * x[0] + normal[1] * x[1] + normal[2] * x[2];
}

static void run_force(Ramp *ramp, const Task *task)
{
    const Twin *self = task->twin;
    double *f = ramp_reveal(task->r);
    const double *x = ramp_reveal(task->a);
    (void)ramp;
    for (size_t i = 0; i < self->points; i++) {
        self->mass[i] = along(self->normal, x + 3 * i) - self->start;
        for (size_t c = 0; c < 3 && self->mass[i] > 0.0; c++)
            f[3 * i + c] -= self->stiffness * self->mass[i] * self->normal[c];
    }
}

static void run_product(Ramp *ramp, const Task *task)
{
    const Twin *self = task->twin;
    double *f = ramp_reveal(task->r);
    const double *d = ramp_reveal(task->a);
    (void)ramp;
    for (size_t i = 0; i < self->points; i++)
        for (size_t c = 0; c < 3 && self->mass[i] > 0.0; c++)
            f[3 * i + c] -= task->k * self->stiffness * along(self->normal, d + 3 * i) * self->normal[c];
}

static void add_force(DvTwin *base, const DvStep *step, const DvConstVec *x, const DvConstVec *v, const DvVec *f)
{
    (void)step, (void)v;
    ask((Twin *)base, run_force, f->at, x->at, 1.0);
}

static void add_dforce(DvTwin *base, const DvStep *step, double k, double b, const DvConstVec *dx, const DvVec *df)
{
    (void)step, (void)b;
    ask((Twin *)base, run_product, df->at, dx->at, k);
}

static const DvTwinOps ramp_ops = {.size = sizeof(DvTwinOps),
                                   .update = update_ramp,
                                   .free = free_twin,
                                   .add_force = add_force,
                                   .add_dforce = add_dforce};

static DvTwin *make(DvVectorSpace *space, DvPrecision precision, const DvDofType *dof, uint32_t points,
                    const DvOperator *op, DvText *why)
{
    const DvTwinOps *ops = strcmp(op->name, "ramp") == 0            ? &ramp_ops
                           : strcmp(op->name, "diagonal mass") == 0 ? &mass_ops
                                                                    : NULL;
    if (space->ops != &ramp_space || !ops || precision != DV_DOUBLE || dof != &dv_vec3d)
        return NULL;
    Twin *self = dv_alloc(1, sizeof *self);
    *self = (Twin){.base = {ops}, .ramp = (Ramp *)(void *)space, .points = points};
    self->ramp->users++;
    if (ops->update(&self->base, op, why))
        return &self->base;
    free_twin(&self->base);
    return NULL;
}

const DvDeviceOperatorsOps ramp_operators = {.size = sizeof(DvDeviceOperatorsOps), .make = make};
