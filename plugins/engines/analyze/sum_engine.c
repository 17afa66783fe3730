/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * SumEngine: the sum of a list of vectors.
 */
#include <divan/kit/engine.h>

typedef struct SumEngine {
    DvEngine engine;
    DvData input, output;
} SumEngine;

static DvStatus update(DvObject *object, void *self_)
{
    SumEngine *self = self_;
    (void)object;
    size_t count;
    const double *input = dv_data_doubles(&self->input, &count);
    const uint32_t dim = self->engine.dof->coord;
    double *sum = dv_data_begin_all(&self->output, 1);
    memset(sum, 0, dim * sizeof *sum);
    for (size_t i = 0; i < count * dim; i++)
        sum[i % dim] += input[i];
    dv_data_end(&self->output);
    return DV_OK;
}

static const DvField fields[] = {
    DV_ENGINE_INPUT(SumEngine, input, "input", dv_type_coords, "vectors to add"),
    DV_ENGINE_OUTPUT(SumEngine, output, "output", dv_type_coord, "their sum"),
    {0},
};

const DvClass dv_sum_engine = {
    .size = sizeof(DvClass),
    .name = "SumEngine",
    .variants = "Vec3d Vec1d",
    .default_variant = "Vec3d",
    .module = "Sofa.Component.Engine.Analyze",
    .help = "Adds up a list of vectors.",
    .instance_size = sizeof(SumEngine),
    .fields = fields,
    DV_ENGINE_CLASS("DataEngine"),
    DV_ENGINE_LIFE,
    .update = update,
};
