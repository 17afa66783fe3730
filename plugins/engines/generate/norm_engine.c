/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * NormEngine: the p-norms of vectors: (sum |x_i|^p)^(1/p); with p = 0 how many components are not zero, with p < 0 the largest
 * magnitude.
 */
#include <divan/kit/engine.h>

#include <math.h>

typedef struct NormEngine {
    DvEngine engine;
    DvData input, norm_type, output;
} NormEngine;

static DvStatus update(DvObject *object, void *self_)
{
    NormEngine *self = self_;
    (void)object;
    size_t count;
    const double *input = dv_data_doubles(&self->input, &count);
    const int32_t p = dv_data_int(&self->norm_type);
    double *output = dv_data_begin_all(&self->output, count);
    for (size_t i = 0; i < count; i++, input += 3) {
        const double x = fabs(input[0]), y = fabs(input[1]), z = fabs(input[2]);
        output[i] = p < 0    ? fmax(x, fmax(y, z))
                    : p == 0 ? (x != 0) + (y != 0) + (z != 0)
                             : pow(pow(x, p) + pow(y, p) + pow(z, p), 1.0 / p);
    }
    dv_data_end(&self->output);
    return DV_OK;
}

static const DvField fields[] = {
    DV_ENGINE_INPUT(NormEngine, input, "input", dv_type_vec3s, "vectors"),
    DV_ENGINE_INPUT(NormEngine, norm_type, "normType", dv_type_int,
                    "exponent of the norm; 0: the number of components that are not zero, below: the largest one",
                    .init = "2"),
    DV_ENGINE_OUTPUT(NormEngine, output, "output", dv_type_doubles, "their norms"),
    {0},
};

const DvClass dv_norm_engine = {
    .size = sizeof(DvClass),
    .name = "NormEngine",
    .variants = "Vec3d",
    .default_variant = "Vec3d",
    .module = "Sofa.Component.Engine.Generate",
    .help = "Computes the norms of vectors.",
    .instance_size = sizeof(NormEngine),
    .fields = fields,
    DV_ENGINE_CLASS("DataEngine"),
    DV_ENGINE_LIFE,
    .update = update,
};
