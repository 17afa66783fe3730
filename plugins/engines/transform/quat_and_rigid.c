/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * QuatToRigidEngine: frames of positions and orientations. RigidToQuatEngine: positions and orientations of frames.
 */
#include <divan/kit/engine.h>
#include <divan/math/quat.h>

typedef struct QuatAndRigid {
    DvEngine engine;
    DvData positions, orientations, euler, colinear, rigids;
} QuatAndRigid;

/* The point of the line through `through`, along the z axis of q, that is nearest to p. */
static DvVec3 to_axis(DvVec3 p, DvVec3 through, DvQuat q)
{
    const DvVec3 axis = dv_quat_rotate(q, dv_vec3(0, 0, 1));
    return dv_vec3_madd(through, dv_vec3_dot(dv_vec3_sub(p, through), axis), axis);
}

static DvStatus make_frames(DvObject *object, void *self_)
{
    (void)object;
    QuatAndRigid *self = self_;
    size_t points, turns, lines;
    const double *x = dv_data_doubles(&self->positions, &points), *q = dv_data_doubles(&self->orientations, &turns),
                 *on_line = dv_data_doubles(&self->colinear, &lines);
    if (points != turns && turns != 1 && dv_engine_starting(&self->engine))
        dv_field_warning(&self->orientations, -1, "%zu for %zu positions: the rest does not count", turns, points);
    if (lines && lines < points && dv_engine_starting(&self->engine))
        dv_field_warning(&self->colinear, -1, "%zu for %zu positions: the others stay where they are", lines, points);
    const size_t frames = turns == 1 || points < turns ? points : turns;
    double *rigid = dv_data_begin_all(&self->rigids, frames);
    for (size_t i = 0; i < frames; i++) {
        const DvQuat turn = dv_quat_load(q + (turns == 1 ? 0 : 4 * i));
        DvVec3 p = dv_vec3_load(x + 3 * i);
        if (i < lines)
            p = to_axis(p, dv_vec3_load(on_line + 3 * i), turn);
        dv_vec3_store(p, rigid + 7 * i);
        dv_quat_store(turn, rigid + 7 * i + 3);
    }
    dv_data_end(&self->rigids);
    return DV_OK;
}

/* Angles about x, then y, then z, of the axes that stay: q = qz qy qx. */
static DvVec3 euler_angles(DvQuat q)
{
    const double sine = 2 * (q.w * q.y - q.z * q.x);
    return dv_vec3(atan2(2 * (q.w * q.x + q.y * q.z), 1 - 2 * (q.x * q.x + q.y * q.y)), asin(fmax(-1, fmin(1, sine))),
                   atan2(2 * (q.w * q.z + q.x * q.y), 1 - 2 * (q.y * q.y + q.z * q.z)));
}

static DvStatus take_apart(DvObject *object, void *self_)
{
    (void)object;
    QuatAndRigid *self = self_;
    size_t count;
    const double *rigid = dv_data_doubles(&self->rigids, &count);
    double *x = dv_data_begin_all(&self->positions, count), *q = dv_data_begin_all(&self->orientations, count),
           *angle = dv_data_begin_all(&self->euler, count);
    for (size_t i = 0; i < count; i++) {
        const DvQuat turn = dv_quat_load(rigid + 7 * i + 3);
        dv_vec3_store(dv_vec3_load(rigid + 7 * i), x + 3 * i);
        dv_quat_store(turn, q + 4 * i);
        dv_vec3_store(euler_angles(turn), angle + 3 * i);
    }
    dv_data_end(&self->positions);
    dv_data_end(&self->orientations);
    dv_data_end(&self->euler);
    return DV_OK;
}

#define ALIAS(name)                  \
    .aliases = (const char *const[]) \
    {                                \
        name, NULL                   \
    }
static const DvField make_fields[] = {
    DV_ENGINE_INPUT(QuatAndRigid, positions, "positions", dv_type_vec3s, "where the frames are", .unit = "m",
                    ALIAS("position")),
    DV_ENGINE_INPUT(QuatAndRigid, orientations, "orientations", dv_type_quats,
                    "how they are turned; one for all, or each", ALIAS("orientation")),
    DV_ENGINE_INPUT(
        QuatAndRigid, colinear, "colinearPositions", dv_type_vec3s,
        "points: a frame moves to where the line along its z axis through its point is nearest (empty: none)",
        .unit = "m", ALIAS("colinearPosition")),
    DV_ENGINE_OUTPUT(QuatAndRigid, rigids, "rigids", dv_type_rigid3s, "the frames", ALIAS("rigid")),
    {0},
};
static const DvField apart_fields[] = {
    DV_ENGINE_OUTPUT(QuatAndRigid, positions, "positions", dv_type_vec3s, "where the frames are", .unit = "m",
                     ALIAS("position")),
    DV_ENGINE_OUTPUT(QuatAndRigid, orientations, "orientations", dv_type_quats, "how they are turned",
                     ALIAS("orientation")),
    DV_ENGINE_OUTPUT(QuatAndRigid, euler, "orientationsEuler", dv_type_vec3s,
                     "the same as angles about x, then y, then z", .unit = "rad", ALIAS("orientationEuler")),
    DV_ENGINE_INPUT(QuatAndRigid, rigids, "rigids", dv_type_rigid3s, "the frames", ALIAS("rigid")),
    {0},
};

#define FRAMES_CLASS(class_name, text, table, function)                                                   \
    {                                                                                                     \
        .size = sizeof(DvClass), .name = class_name, .variants = "Vec3d", .default_variant = "Vec3d",     \
        .module = "Sofa.Component.Engine.Transform", .help = text, .instance_size = sizeof(QuatAndRigid), \
        .fields = table, DV_ENGINE_CLASS("DataEngine"), DV_ENGINE_LIFE, .update = function                \
    }
const DvClass dv_quat_to_rigid_engine =
    FRAMES_CLASS("QuatToRigidEngine", "Makes frames of positions and orientations.", make_fields, make_frames);
const DvClass dv_rigid_to_quat_engine =
    FRAMES_CLASS("RigidToQuatEngine", "Takes positions and orientations out of frames.", apart_fields, take_apart);
