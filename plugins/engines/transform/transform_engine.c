/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * TransformEngine: positions scaled, turned by Euler angles, turned by a quaternion and moved, in this order; or back, in the reverse one.
 * Frames are turned with their positions; of a flat frame the angle about z counts.
 */
#include <divan/kit/engine.h>
#include <divan/math/rigid.h>

#include <math.h>

typedef struct TransformEngine {
    DvEngine engine;
    DvData input, output, translation, rotation, quaternion, scale, inverse;
} TransformEngine;

typedef struct Transform {
    DvVec3 translation, scale;
    DvQuat euler, quaternion;
    bool turns, turns_more, inverse;
    double flat_angle; /* rad */
} Transform;

static DvVec3 divide(DvVec3 a, DvVec3 b)
{
    return dv_vec3(a.x / b.x, a.y / b.y, a.z / b.z);
}

static DvVec3 moved(const Transform *t, DvVec3 p)
{
    if (t->inverse) {
        p = dv_vec3_sub(p, t->translation);
        p = t->turns_more ? dv_quat_inverse_rotate(t->quaternion, p) : p;
        p = t->turns ? dv_quat_inverse_rotate(t->euler, p) : p;
        return divide(p, t->scale);
    }
    p = dv_vec3_mul(p, t->scale);
    p = t->turns ? dv_quat_rotate(t->euler, p) : p;
    p = t->turns_more ? dv_quat_rotate(t->quaternion, p) : p;
    return dv_vec3_add(p, t->translation);
}

static DvQuat turned(const Transform *t, DvQuat q)
{
    if (t->inverse) {
        q = t->turns_more ? dv_quat_mul(dv_quat_conjugate(t->quaternion), q) : q;
        return t->turns ? dv_quat_mul(dv_quat_conjugate(t->euler), q) : q;
    }
    q = t->turns ? dv_quat_mul(t->euler, q) : q;
    return t->turns_more ? dv_quat_mul(t->quaternion, q) : q;
}

static Transform read_transform(TransformEngine *self)
{
    const DvVec3 rotation = dv_vec3_load(dv_data_doubles(&self->rotation, NULL));
    Transform t = {.translation = dv_vec3_load(dv_data_doubles(&self->translation, NULL)),
                   .scale = dv_vec3_load(dv_data_doubles(&self->scale, NULL)),
                   .euler = dv_quat_from_euler_degrees(rotation),
                   .quaternion = dv_quat_load(dv_data_doubles(&self->quaternion, NULL)),
                   .inverse = dv_data_bool(&self->inverse)};
    t.turns = rotation.x != 0 || rotation.y != 0 || rotation.z != 0;
    t.turns_more = t.quaternion.x != 0 || t.quaternion.y != 0 || t.quaternion.z != 0 || t.quaternion.w != 1;
    t.flat_angle = (t.inverse ? -rotation.z : rotation.z) * DV_PI / 180;
    return t;
}

static DvStatus update(DvObject *object, void *self_)
{
    TransformEngine *self = self_;
    (void)object;
    size_t count;
    const DvDofType *dof = self->engine.dof;
    const double *in = dv_data_doubles(&self->input, &count);
    const Transform t = read_transform(self);
    if (t.inverse && (t.scale.x == 0 || t.scale.y == 0 || t.scale.z == 0) && dv_engine_starting(&self->engine))
        return dv_field_error(&self->scale, -1, "has a 0, which has no inverse");
    double *out = dv_data_begin_all(&self->output, count);
    for (size_t i = 0; i < count; i++, in += dof->coord, out += dof->coord) {
        const DvVec3 p = moved(&t, dv_vec3(in[0], dof->spatial > 1 ? in[1] : 0, dof->spatial > 2 ? in[2] : 0));
        const double at[3] = {p.x, p.y, p.z};
        for (uint32_t axis = 0; axis < dof->spatial; axis++)
            out[axis] = at[axis];
        if (dof == &dv_rigid3d)
            dv_quat_store(turned(&t, dv_quat_load(in + 3)), out + 3);
        else if (dof == &dv_rigid2d)
            out[2] = in[2] + t.flat_angle;
    }
    dv_data_end(&self->output);
    return DV_OK;
}

#define IN(member, ...) DV_ENGINE_INPUT(TransformEngine, member, __VA_ARGS__)
static const DvField fields[] = {
    IN(input, "input_position", dv_type_coords, "positions", .unit = "m",
       .aliases = (const char *const[]){"inputPosition", NULL}),
    DV_ENGINE_OUTPUT(TransformEngine, output, "output_position", dv_type_coords, "where they come to", .unit = "m",
                     .aliases = (const char *const[]){"outputPosition", NULL}),
    IN(translation, "translation", dv_type_vec3d, "how far they move, at last", .unit = "m"),
    IN(rotation, "rotation", dv_type_vec3d, "how they turn about x, then y, then z", .unit = "degree"),
    IN(quaternion, "quaternion", dv_type_quat, "how they turn then", .init = "0 0 0 1"),
    IN(scale, "scale", dv_type_vec3d, "what they are multiplied by, first", .init = "1 1 1"),
    IN(inverse, "inverse", dv_type_bool, "the other way", .init = "0"),
    {0},
};

const DvClass dv_transform_engine = {
    .size = sizeof(DvClass),
    .name = "TransformEngine",
    .variants = "Vec3d Rigid2d Rigid3d Vec1d Vec2d",
    .default_variant = "Vec3d",
    .module = "Sofa.Component.Engine.Transform",
    .help = "Scales, turns and moves positions.",
    .instance_size = sizeof(TransformEngine),
    .fields = fields,
    DV_ENGINE_CLASS("DataEngine"),
    DV_ENGINE_LIFE,
    .update = update,
};
