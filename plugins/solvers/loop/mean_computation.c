/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * MeanComputation: the mean of the positions of several bodies, point by point. Of the states in its node and below, those with the tag
 * MeanOutput take the mean as their positions, and all others count. It is computed at the start, at the end of each step, and when
 * AnimationLoopParallelScheduler tells that all parts have made theirs.
 *
 * Orientations: the normalised sum of the quaternions, each with the sign that is nearer to the first: the mean for small differences.
 */
#include "loop/data_exchange.h"

#include <divan/contracts/state.h>
#include <divan/divan.h>
#include <divan/kit/linear_solver.h>
#include <divan/memory.h>
#include <divan/scene.h>

#include <math.h>

typedef struct MeanComputation {
    DvData result;
    DvStateRef *states; /* [inputs + outputs], inputs first */
    uint32_t inputs, outputs;
} MeanComputation;

static const DvField fields[] = {
    DV_FIELD(MeanComputation, result, "result", dv_type_coords, .flags = DV_FIELD_READ_ONLY, .help = "mean positions"),
    {0},
};

static DvStatus construct(DvObject *object, void *self)
{
    (void)self;
    dv_data_set_bool(dv_object_field(object, "listening"), true);
    return DV_OK;
}

static bool is_output(const DvObject *state)
{
    char word[] = "MeanOutput";
    char *const words[] = {word};
    return dv_object_has_tags(state, (DvTags){words, 1});
}

/* All of one kind, held until cleanup. */
static uint32_t take_states(MeanComputation *self, DvObject *const *objects, size_t count, bool outputs)
{
    const char *variant = dv_object_variant(dv_object_of(self));
    uint32_t taken = 0;
    for (size_t i = 0; i < count; i++) {
        if (is_output(objects[i]) != outputs || strcmp(dv_object_variant(objects[i]), variant) != 0)
            continue;
        self->states[self->inputs + self->outputs + taken++] = dv_state_ref(dv_object_ref(objects[i]));
    }
    return taken;
}

static DvStatus check_counts(const MeanComputation *self, DvObject *object)
{
    for (uint32_t i = 1; i < self->inputs + self->outputs; i++)
        if (dv_state_count(self->states[i]) != dv_state_count(self->states[0]))
            return dv_error(object, DV_ERROR_INVALID,
                            "'%s' has %u points and '%s' %u: a mean is of bodies with as many points",
                            dv_object_path(self->states[0].object), dv_state_count(self->states[0]),
                            dv_object_path(self->states[i].object), dv_state_count(self->states[i]));
    return DV_OK;
}

/* `width` numbers of a point, of which the last four are a quaternion when there are seven. */
static void mean_of_point(const MeanComputation *self, size_t at, uint32_t width, double *mean)
{
    const double *first = dv_state_read(self->states[0], DV_POSITION).at + at;
    for (uint32_t c = 0; c < width; c++)
        mean[c] = 0.0;
    for (uint32_t i = 0; i < self->inputs; i++) {
        const double *x = dv_state_read(self->states[i], DV_POSITION).at + at;
        double cosine = 1.0;
        if (width == 7)
            cosine = first[3] * x[3] + first[4] * x[4] + first[5] * x[5] + first[6] * x[6];
        for (uint32_t c = 0; c < width; c++)
            mean[c] += c >= 3 && cosine < 0.0 ? -x[c] : x[c];
    }
    double divisor = self->inputs;
    for (uint32_t c = 0; c < width; c++) {
        if (width == 7 && c == 3)
            divisor = sqrt(mean[3] * mean[3] + mean[4] * mean[4] + mean[5] * mean[5] + mean[6] * mean[6]);
        mean[c] /= divisor;
    }
}

static void compute(MeanComputation *self)
{
    if (self->inputs == 0)
        return;
    const uint32_t count = dv_state_count(self->states[0]), width = self->states[0].dof->coord;
    double *result = dv_data_begin_all(&self->result, count);
    for (uint32_t i = 0; i < count; i++)
        mean_of_point(self, (size_t)i * width, width, result + (size_t)i * width);
    dv_data_end(&self->result);
    for (uint32_t i = self->inputs; i < self->inputs + self->outputs; i++)
        if (dv_state_count(self->states[i]) == count)
            memcpy(dv_state_write(self->states[i], DV_POSITION, DV_OVERWRITE).at, dv_data_read(&self->result),
                   (size_t)count * width * sizeof(double));
}

static DvStatus bwd_init(DvObject *object, void *self_)
{
    MeanComputation *self = self_;
    const DvStepMark mark = dv_step_mark();
    size_t count;
    DvObject **objects = dv_find_all(dv_object_node(object), DV_STATE, DV_SEARCH_DOWN, &count);
    self->states = (DvStateRef *)dv_alloc(count, sizeof *self->states);
    self->inputs = take_states(self, objects, count, false);
    self->outputs = take_states(self, objects, count, true);
    dv_step_release(mark);
    if (self->inputs == 0)
        return dv_error(object, DV_ERROR_MISSING,
                        "there is no %s state without the tag MeanOutput in '%s' or below it to take the mean of",
                        dv_object_variant(object), dv_node_path(dv_object_node(object)));
    const DvStatus status = check_counts(self, object);
    if (status == DV_OK)
        compute(self);
    return status;
}

static void handle_event(DvObject *object, void *self, DvEvent *event)
{
    (void)object;
    if (event->kind == DV_EVENT_ANIMATE_END || is_data_exchange(event))
        compute(self);
}

static void cleanup(DvObject *object, void *self_)
{
    (void)object;
    MeanComputation *self = self_;
    for (uint32_t i = 0; i < self->inputs + self->outputs; i++)
        dv_state_release(&self->states[i]);
    dv_free(self->states);
    self->states = NULL;
    self->inputs = self->outputs = 0;
}

const DvClass dv_mean_computation = {
    .size = sizeof(DvClass),
    .name = "MeanComputation",
    .variants = "Rigid2d Rigid3d Vec1d Vec2d Vec3d",
    .default_variant = "Vec3d",
    .bases = (const char *const[]){"BaseComponent", NULL},
    .family = "utilities",
    .module = "MultiThreading",
    .help = "Computes the mean of the positions of several bodies, for those with the tag MeanOutput.",
    .instance_size = sizeof(MeanComputation),
    .fields = fields,
    .construct = construct,
    .bwd_init = bwd_init,
    .handle_event = handle_event,
    .cleanup = cleanup,
};
