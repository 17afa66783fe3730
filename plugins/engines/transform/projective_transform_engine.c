/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * ProjectiveTransformEngine: points as a camera sees them: f (P p) / (P p)_z, P of 3 rows and 4 columns, p with a 1 behind.
 */
#include <divan/kit/engine.h>
#include <divan/math/vec.h>
#include <divan/types/matrix.h>
#include <divan/worst.h>

#include <inttypes.h>

typedef struct ProjectiveTransform {
    DvEngine engine;
    DvData in, out, matrix, focal_distance;
} ProjectiveTransform;

static DvStatus update(DvObject *object, void *self_)
{
    (void)object;
    ProjectiveTransform *self = self_;
    size_t count;
    const double *in = dv_data_doubles(&self->in, &count), *m = dv_data_doubles(&self->matrix, NULL),
                 f = dv_data_double(&self->focal_distance);
    double *out = dv_data_begin_all(&self->out, count);
    DvWorst flat = {0};
    for (size_t i = 0; i < count; i++) {
        const double *p = in + 3 * i;
        double seen[3];
        for (int row = 0; row < 3; row++)
            seen[row] = m[4 * row] * p[0] + m[4 * row + 1] * p[1] + m[4 * row + 2] * p[2] + m[4 * row + 3];
        if (seen[2] == 0)
            dv_worst_add(&flat, (uint32_t)i, 0);
        for (int row = 0; row < 3; row++)
            out[3 * i + (size_t)row] = seen[2] == 0 ? 0 : f * seen[row] / seen[2];
    }
    dv_data_end(&self->out);
    char worst[DV_WORST_TEXT];
    if (flat.count && dv_engine_starting(&self->engine) && dv_data_is_set(&self->matrix))
        dv_field_warning(&self->in, -1,
                         "%" PRIu32 " points lie in the plane of the camera, where nothing is seen: %s become 0 0 0",
                         flat.count, dv_worst_text(&flat, worst));
    else if (flat.count && dv_engine_starting(&self->engine))
        dv_field_warning(&self->matrix, -1, "is not given, so that all points become 0 0 0");
    return DV_OK;
}

static const DvField fields[] = {
    DV_ENGINE_INPUT(ProjectiveTransform, in, "input_position", dv_type_vec3s, "points to project", .unit = "m"),
    DV_ENGINE_OUTPUT(ProjectiveTransform, out, "output_position", dv_type_vec3s, "where they are seen", .unit = "m"),
    DV_ENGINE_INPUT(ProjectiveTransform, matrix, "proj_mat", dv_type_mat34d, "the camera, row by row"),
    DV_ENGINE_INPUT(ProjectiveTransform, focal_distance, "focal_distance", dv_type_double,
                    "how far behind it the picture is", .init = "1", .unit = "m"),
    {0},
};

const DvClass dv_projective_transform_engine = {
    .size = sizeof(DvClass),
    .name = "ProjectiveTransformEngine",
    .variants = "Vec3d",
    .default_variant = "Vec3d",
    .module = "Sofa.Component.Engine.Transform",
    .help = "Projects points onto the picture of a camera.",
    .instance_size = sizeof(ProjectiveTransform),
    .fields = fields,
    DV_ENGINE_CLASS("DataEngine"),
    DV_ENGINE_LIFE,
    .update = update,
};
