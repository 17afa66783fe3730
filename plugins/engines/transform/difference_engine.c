/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * DifferenceEngine: the differences of two lists of vectors, one by one.
 */
#include <divan/kit/engine.h>

typedef struct DifferenceEngine {
    DvEngine engine;
    DvData input, subtrahend, output;
} DifferenceEngine;

static DvStatus update(DvObject *object, void *self_)
{
    DifferenceEngine *self = self_;
    (void)object;
    size_t count, others;
    const double *input = dv_data_doubles(&self->input, &count), *other = dv_data_doubles(&self->subtrahend, &others);
    if (count != others) {
        dv_data_set(&self->output, NULL, 0);
        return dv_field_error(&self->subtrahend, -1, "%zu vectors to subtract from %zu: give as many", others, count);
    }
    double *output = dv_data_begin_all(&self->output, count);
    for (size_t i = 0; i < count * self->engine.dof->coord; i++)
        output[i] = input[i] - other[i];
    dv_data_end(&self->output);
    return DV_OK;
}

static const DvField fields[] = {
    DV_ENGINE_INPUT(DifferenceEngine, input, "input", dv_type_coords, "vectors to subtract from"),
    DV_ENGINE_INPUT(DifferenceEngine, subtrahend, "substractor", dv_type_coords, "vectors to subtract, as many"),
    DV_ENGINE_OUTPUT(DifferenceEngine, output, "output", dv_type_coords, "the differences"),
    {0},
};

const DvClass dv_difference_engine = {
    .size = sizeof(DvClass),
    .name = "DifferenceEngine",
    .variants = "Vec3d Vec1d",
    .default_variant = "Vec3d",
    .module = "Sofa.Component.Engine.Transform",
    .help = "Subtracts one list of vectors from another.",
    .instance_size = sizeof(DifferenceEngine),
    .fields = fields,
    DV_ENGINE_CLASS("DataEngine"),
    DV_ENGINE_LIFE,
    .update = update,
};
