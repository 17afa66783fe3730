/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Vertex2Frame: a frame at each point. Its z axis is the normal there; without normals its x axis leads to the next point, and the last
 * frame is turned as the one before. Then each turns about one of its own axes.
 */
#include <divan/kit/engine.h>
#include <divan/math/rigid.h>

typedef struct Vertex2Frame {
    DvEngine engine;
    DvData position, normals, frames, use_normals, invert_normals, axis, angle;
} Vertex2Frame;

/* a x b at length 1; with b' where they are parallel. */
static DvVec3 across(DvVec3 a, DvVec3 b, DvVec3 instead, bool swapped)
{
    DvVec3 c = swapped ? dv_vec3_cross(b, a) : dv_vec3_cross(a, b);
    if (dv_vec3_norm(c) < 1e-7)
        c = swapped ? dv_vec3_cross(instead, a) : dv_vec3_cross(a, instead);
    return dv_vec3_normalize(c);
}

static DvQuat on_normal(DvVec3 normal)
{
    const DvVec3 z = dv_vec3_normalize(normal), x = across(z, dv_vec3(0, 1, 0), dv_vec3(0, 0, 1), true);
    return dv_quat_from_matrix(dv_mat3_from_columns(x, dv_vec3_cross(z, x), z));
}

static DvQuat on_curve(DvVec3 way)
{
    const DvVec3 x = dv_vec3_normalize(way), y = across(x, dv_vec3(1, 0, 0), dv_vec3(0, 0, 1), true);
    return dv_quat_from_matrix(dv_mat3_from_columns(x, y, dv_vec3_cross(x, y)));
}

static DvStatus update(DvObject *object, void *self_)
{
    Vertex2Frame *self = self_;
    (void)object;
    static const DvVec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    size_t count, normal_count;
    const double *position = dv_data_doubles(&self->position, &count),
                 *normal = dv_data_doubles(&self->normals, &normal_count);
    const bool by_normal = dv_data_bool(&self->use_normals), invert = dv_data_bool(&self->invert_normals);
    const int32_t axis = dv_data_int(&self->axis);
    if (by_normal && normal_count < count) {
        if (dv_engine_starting(&self->engine))
            dv_field_warning(&self->normals, -1, "%zu for %zu positions: there are as many frames", normal_count,
                             count);
        count = normal_count;
    }
    const DvQuat more =
        dv_quat_from_axis_angle(axes[axis < 0 || axis > 2 ? 0 : axis], dv_data_double(&self->angle) * DV_PI / 180);
    DvQuat q = dv_quat_identity();
    double *frame = dv_data_begin_all(&self->frames, count);
    for (size_t i = 0; i < count; i++, frame += 7) {
        const DvVec3 p = dv_vec3_load(position + 3 * i);
        if (by_normal) {
            const DvVec3 n = dv_vec3_load(normal + 3 * i);
            q = on_normal(invert ? dv_vec3_neg(n) : n);
        } else if (i + 1 < count) {
            q = on_curve(dv_vec3_sub(dv_vec3_load(position + 3 * (i + 1)), p));
        }
        dv_rigid3_store(dv_rigid3(p, dv_quat_mul(q, more)), frame);
    }
    dv_data_end(&self->frames);
    return DV_OK;
}

static const DvRange axis_range = {.least = 0, .most = 2};
#define IN(member, ...) DV_ENGINE_INPUT(Vertex2Frame, member, __VA_ARGS__)
static const DvField fields[] = {
    IN(position, "position", dv_type_vec3s, "where the frames are", .unit = "m",
       .aliases = (const char *const[]){"vertices", NULL}),
    DV_FIELD_HELD("texCoords", dv_type_vec2s, .help = "kept for old scenes: it never had an effect"),
    IN(normals, "normals", dv_type_vec3s, "their z axes"),
    DV_ENGINE_OUTPUT(Vertex2Frame, frames, "frames", dv_type_rigid3s, "the frames", .unit = "m"),
    IN(use_normals, "useNormals", dv_type_bool, "turn them by the normals; else along the points", .init = "1"),
    IN(invert_normals, "invertNormals", dv_type_bool, "take the normals the other way round", .init = "0"),
    IN(axis, "rotation", dv_type_int, "own axis that they turn about then: 0 x, 1 y, 2 z", .init = "0",
       .range = &axis_range),
    IN(angle, "rotationAngle", dv_type_double, "how far", .init = "0", .unit = "degree"),
    {0},
};

const DvClass dv_vertex2frame = {
    .size = sizeof(DvClass),
    .name = "Vertex2Frame",
    .variants = "Rigid3d",
    .default_variant = "Rigid3d",
    .module = "Sofa.Component.Engine.Transform",
    .help = "Makes frames of points and normals.",
    .instance_size = sizeof(Vertex2Frame),
    .fields = fields,
    DV_ENGINE_CLASS("DataEngine"),
    DV_ENGINE_LIFE,
    .update = update,
};
