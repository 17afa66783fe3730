/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * JointSpringForceField: joints between rigid bodies, made of springs that are hard along locked axes and soft along free ones.
 *
 * With q the orientation of the first body and M = (c2 - c1 - rest, q1^-1 q2 rest_rotation) the relative displacement,
 *   F_T = q (K_T . q^-1 M_c) + kd (v2 - v1),   F_R = q tau + kd (w2 - w1);   the first body gets F, the second -F
 * tau follows from the rotation vector t of M:
 *   no free rotation          tau = K_R t
 *   one, within its limits    soft about the free axis; about the others what turns that axis back to where it was
 *   otherwise                 K_R t within the limits of each axis; the excess times `bloc` beyond them
 * Forces act at the centres: a spring between distant bodies gives no lever-arm torque. The derivative is that of small relative
 * displacements with the stiffnesses of the last force; damping has none. There is no energy. Where a body leaves a mesh that changes,
 * its joints go with it; the others keep their rest values.
 */
#include "forcefield/spring/joint_spring.h"
#include <divan/kit/force_field.h>

#include <divan/element_data.h>
#include <divan/math/rigid.h>
#include <divan/node.h>
#include <divan/output.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct JointSpringForceField {
    DvPairState base;
    DvData spring, outfile, infile, period, restart;
    DvData show_lawful, show_extra, show_factor;
    DvData rest_frames; /* [springs][7] rest translation and rotation that act */

    uint32_t count;
    struct Tangent {
        DvMat3 frame; /* of the first body */
        double translation[3], rotation[3];
    } * tangent;           /* [count] of the last force */
    double (*constant)[6]; /* [constants] forces of `infile`, in the axes of the first body */
    size_t constants;
    FILE *output;       /* `outfile`; NULL: not begun */
    double next_output; /* s */
    double *sent;       /* [count][6] last forces on the first bodies, for `outfile` */
    uint64_t version, structure;
    DvElementData attached[2]; /* follow removed and renumbered points of the states */
    JointSpring *first;        /* [first_count] those of the start, which are on the first meshes */
    double *first_frames;      /* [first_count][7] */
    uint32_t first_count;
} JointSpringForceField;

#define FIELD(member, name, type, ...) DV_FIELD(JointSpringForceField, member, name, type, __VA_ARGS__)
static const DvField fields[] = {
    DV_PAIR_STATE_FIELDS(JointSpringForceField, base),
    FIELD(spring, "spring", dv_type_joint_springs, .help = "joints: BEGIN_SPRING body body TAG values ... END_SPRING"),
    FIELD(
        outfile, "outfile", dv_type_string,
        .help =
            "file that gets the time and the force of each joint, line by line; in its place at the end of the run or at a reset"),
    FIELD(
        infile, "infile", dv_type_file, .flags = DV_FIELD_AT_LOAD,
        .help =
            "file of constant forces (6 numbers a line, axes of the first body), one for each joint and step, again and again"),
    FIELD(period, "period", dv_type_double, .init = "0", .unit = "s", .range = &dv_range_not_negative,
          .flags = DV_FIELD_LENIENT, .help = "time between two lines of outfile; 0: each step"),
    FIELD(restart, "reinit", dv_type_bool, .init = "0", .help = "start outfile anew with each line"),
    FIELD(rest_frames, "restFrames", dv_type_doubles, .flags = DV_FIELD_STATE,
          .help = "rest translation and rotation of each joint, as measured at the start"),
    FIELD(show_lawful, "showLawfulTorsion", dv_type_bool, .init = "0", .flags = DV_FIELD_DRAWING,
          .help = "draw the torsion within the limits"),
    FIELD(show_extra, "showExtraTorsion", dv_type_bool, .init = "0", .flags = DV_FIELD_DRAWING,
          .help = "draw the torsion beyond the limits"),
    FIELD(show_factor, "showFactorSize", dv_type_double, .init = "1", .flags = DV_FIELD_DRAWING,
          .help = "scale of drawn torsions"),
    {0},
};

static DvStatus read_constants(JointSpringForceField *self)
{
    dv_free(self->constant);
    self->constant = NULL;
    self->constants = 0;
    if (*dv_data_string(&self->infile) == '\0')
        return DV_OK;
    const char *path = dv_data_file(&self->infile);
    FILE *file = path ? fopen(path, "r") : NULL;
    if (!file)
        return dv_field_error(&self->infile, -1, "cannot read the file '%s'", dv_data_string(&self->infile));
    char line[512];
    size_t capacity = 0;
    DvStatus status = DV_OK;
    for (int number = 1; status == DV_OK && fgets(line, sizeof line, file); number++) {
        const char *text = line;
        double force[6];
        int given = 0;
        while (given < 6 && dv_read_double(&text, &force[given]))
            given++;
        if (given == 0)
            continue;
        if (given < 6) {
            status = dv_field_error(&self->infile, -1, "%s:%d: a force has 6 numbers", path, number);
        } else {
            if (self->constants == capacity) {
                const size_t larger = capacity > 0 ? 2 * capacity : 16;
                self->constant =
                    dv_realloc(self->constant, capacity * sizeof *self->constant, larger * sizeof *self->constant);
                capacity = larger;
            }
            memcpy(self->constant[self->constants++], force, sizeof force);
        }
    }
    fclose(file);
    return status;
}

/* What is computed for each joint; the rest values are another matter. */
static void allocate(JointSpringForceField *self, uint32_t count)
{
    dv_free(self->tangent);
    dv_free(self->sent);
    self->tangent = dv_alloc(count, sizeof *self->tangent);
    self->sent = dv_alloc(count, 6 * sizeof *self->sent);
    self->count = count;
    self->structure++;
    self->version = dv_data_version(&self->spring);
}

/* Checks the joints and takes their rest values: given, or those of the present positions. */
static DvStatus build(JointSpringForceField *self)
{
    allocate(self, 0);
    const JointSpring *list = dv_data_read(&self->spring);
    const uint32_t count = (uint32_t)self->spring.count;
    const DvConstVec x[2] = {dv_state_read(self->base.state[0], DV_POSITION),
                             dv_state_read(self->base.state[1], DV_POSITION)};
    for (uint32_t i = 0; i < count; i++)
        if (list[i].a >= x[0].count || list[i].b >= x[1].count)
            return dv_field_error_missing(&self->spring, i, "body", list[i].a >= x[0].count ? list[i].a : list[i].b,
                                          "the state", list[i].a >= x[0].count ? x[0].count : x[1].count);
    double *frame = dv_data_begin_all(&self->rest_frames, 7 * (size_t)count);
    for (uint32_t i = 0; i < count; i++) {
        memcpy(frame + 7 * i, list[i].rest_translation, sizeof list[i].rest_translation);
        memcpy(frame + 7 * i + 3, list[i].rest_rotation, sizeof list[i].rest_rotation);
        if (!list[i].measured)
            continue;
        const DvRigid3 p = dv_rigid3_load(x[0].at + 7 * (size_t)list[i].a),
                       q = dv_rigid3_load(x[1].at + 7 * (size_t)list[i].b);
        dv_vec3_store(dv_vec3_sub(q.center, p.center), frame + 7 * i);
        dv_quat_store(dv_quat_mul(q.orientation, dv_quat_inverse(p.orientation)), frame + 7 * i + 3);
    }
    dv_data_end(&self->rest_frames);
    allocate(self, count);
    return DV_OK;
}

static bool is_of(const JointSpringForceField *self, const DvElementData *data, int side)
{
    return dv_pair_state_is_one(&self->base) || data == &self->attached[side];
}

/* The last body takes the number of the one that goes. */
static void body_removed(DvElementData *data, uint32_t index)
{
    JointSpringForceField *self = data->owner;
    if (dv_data_version(&self->spring) != self->version && build(self) != DV_OK)
        return;
    const uint32_t count = self->count, last = data->count - 1;
    const bool first = is_of(self, data, 0), second = is_of(self, data, 1);
    uint32_t kept = 0;
    JointSpring *list = dv_data_begin(&self->spring, count);
    double *frame = dv_data_begin(&self->rest_frames, 7 * (size_t)count);
    for (uint32_t i = 0; i < count; i++) {
        JointSpring s = list[i];
        if ((first && s.a == index) || (second && s.b == index))
            continue;
        if (first && s.a == last)
            s.a = index;
        if (second && s.b == last)
            s.b = index;
        list[kept] = s;
        memmove(frame + 7 * (size_t)kept++, frame + 7 * (size_t)i, 7 * sizeof *frame);
    }
    dv_data_end(&self->rest_frames);
    dv_data_end(&self->spring);
    (void)dv_data_begin(&self->rest_frames, 7 * (size_t)kept);
    dv_data_end(&self->rest_frames);
    (void)dv_data_begin(&self->spring, kept);
    dv_data_end(&self->spring);
    allocate(self, kept);
}

static void bodies_changed(DvElementData *data, const DvElementChange *change)
{
    JointSpringForceField *self = data->owner;
    if (change->change != DV_ELEMENTS_RENUMBERED ||
        (dv_data_version(&self->spring) != self->version && build(self) != DV_OK))
        return;
    uint32_t *now = dv_alloc(change->count, sizeof *now);
    for (uint32_t i = 0; i < change->count; i++)
        now[change->indices[i]] = i;
    JointSpring *list = dv_data_begin(&self->spring, self->count);
    for (uint32_t i = 0; i < self->count; i++) {
        if (is_of(self, data, 0) && list[i].a < change->count)
            list[i].a = now[list[i].a];
        if (is_of(self, data, 1) && list[i].b < change->count)
            list[i].b = now[list[i].b];
    }
    dv_data_end(&self->spring);
    dv_free(now);
    allocate(self, self->count);
}

/* A saved scene has put the joints back; those of the start are on the first mesh. */
static void replaced(DvElementData *data, DvMeshReplacement why)
{
    JointSpringForceField *self = data->owner;
    if (why != DV_MESH_RESET)
        return;
    dv_data_set(&self->spring, self->first, self->first_count);
    dv_data_set(&self->rest_frames, self->first_frames, 7 * (size_t)self->first_count);
    allocate(self, self->first_count);
}

static void keep_first(JointSpringForceField *self)
{
    if (self->first)
        return;
    self->first_count = self->count;
    self->first = dv_alloc(self->count, sizeof *self->first);
    self->first_frames = dv_alloc(self->count, 7 * sizeof *self->first_frames);
    if (self->count == 0)
        return;
    memcpy(self->first, dv_data_read(&self->spring), self->count * sizeof *self->first);
    memcpy(self->first_frames, dv_data_read(&self->rest_frames), 7 * self->count * sizeof *self->first_frames);
}

static DvStatus follow_topologies(JointSpringForceField *self)
{
    for (int side = 0; side < (dv_pair_state_is_one(&self->base) ? 1 : 2); side++) {
        DvObject *topology = dv_node_slot(dv_object_node(self->base.state[side].object), DV_TOPOLOGY);
        const DvTopologyOps *mesh = topology ? dv_object_ops(topology, DV_TOPOLOGY) : NULL;
        if (!mesh || !mesh->is_dynamic(dv_object_self(topology)))
            continue;
        self->attached[side] = (DvElementData){.kind = DV_POINTS,
                                               .entry_size = 1,
                                               .owner = self,
                                               .removed = body_removed,
                                               .changed = bodies_changed,
                                               .replaced = replaced};
        keep_first(self);
        const DvStatus status = dv_element_data_attach(&self->attached[side], topology);
        if (status != DV_OK)
            return status;
    }
    return DV_OK;
}

static void release(JointSpringForceField *self)
{
    for (int side = 0; side < 2; side++)
        dv_element_data_detach(&self->attached[side]);
    dv_pair_state_release(&self->base);
}

static DvStatus bwd_init(DvObject *object, void *self_)
{
    JointSpringForceField *self = self_;
    DvStatus status = dv_pair_state_init(object, &self->base);
    if (status == DV_OK)
        status = build(self);
    if (status == DV_OK)
        status = read_constants(self);
    if (status == DV_OK)
        status = follow_topologies(self);
    if (status != DV_OK) {
        self->count = 0;
        release(self);
    }
    return status;
}

/* NULL, with a warning, once. */
static FILE *open_output(JointSpringForceField *self)
{
    DvText why = {0};
    FILE *file =
        dv_scene_output_open(dv_node_scene(dv_object_node(dv_object_of(self))), dv_data_string(&self->outfile), &why);
    if (!file)
        dv_scene_output_lost(&self->outfile, dv_data_string(&self->outfile), &why);
    dv_text_free(&why);
    return file;
}

static void close_output(JointSpringForceField *self)
{
    DvText why = {0};
    if (self->output && dv_output_close(self->output, DV_OUTPUT_WHOLE, &why) != DV_OK)
        dv_scene_output_lost(&self->outfile, dv_data_string(&self->outfile), &why);
    self->output = NULL;
    dv_text_free(&why);
}

static void reset(DvObject *object, void *self_)
{
    (void)object;
    JointSpringForceField *self = self_;
    close_output(self);
    self->next_output = 0.0;
}

static void cleanup(DvObject *object, void *self_)
{
    (void)object;
    close_output(self_);
    release(self_);
}

static void destroy(DvObject *object, void *self_)
{
    (void)object;
    JointSpringForceField *self = self_;
    dv_free(self->tangent);
    dv_free(self->sent);
    dv_free(self->constant);
    dv_free(self->first);
    dv_free(self->first_frames);
}

/* The limit that a rotation beyond them is nearer to, full turns apart. */
static double nearest_limit(double t, const double limit[2])
{
    const double turn = 2.0 * DV_PI;
    const double above = t > 0.0 ? t - limit[1] : t - limit[1] + turn;
    const double below = t > 0.0 ? limit[0] + turn - t : limit[0] - t;
    return above < below ? limit[1] : limit[0];
}

/* About one free axis: the others turn that axis, now `column` of m, back. */
static void torque_about_axis(const DvMat3 *m, int axis, const double t[3], const double k[3], double torque[3])
{
    const int j = (axis + 1) % 3, l = (axis + 2) % 3;
    const double rj = m->m[j][axis], rl = m->m[l][axis];
    const double angle = atan2(sqrt(rj * rj + rl * rl), m->m[axis][axis]);
    torque[axis] = t[axis] * k[axis];
    torque[j] = -rl * angle * k[j];
    torque[l] = rj * angle * k[l];
}

/* Beyond its limits an axis is held by `bloc`. */
static void torque_with_limits(const JointSpring *s, const double t[3], double k[3], double torque[3])
{
    double lawful[3], extra[3], square = 0.0;
    for (int c = 0; c < 3; c++) {
        const bool inside = t[c] >= s->limit[c][0] && t[c] <= s->limit[c][1];
        lawful[c] = !s->free_axis[3 + c] ? 0.0 : inside ? t[c] : nearest_limit(t[c], s->limit[c]);
        extra[c] = t[c] - lawful[c];
        square += extra[c] * extra[c];
    }
    const double norm = sqrt(square);
    double wrapped = fmod(norm, 2.0 * DV_PI);
    if (wrapped > DV_PI)
        wrapped -= 2.0 * DV_PI;
    const double scale = norm > 0.0 ? wrapped / norm : 0.0;
    for (int c = 0; c < 3; c++) {
        const bool beyond = s->free_axis[3 + c] && t[c] != lawful[c];
        if (beyond)
            k[c] = s->bloc;
        torque[c] = beyond ? extra[c] * scale * k[c] : t[c] * k[c];
    }
}

static void torque_of(const JointSpring *s, DvQuat turn, double k[3], double torque[3])
{
    const DvVec3 rotation = dv_quat_to_rotation_vector(turn);
    const double t[3] = {rotation.x, rotation.y, rotation.z};
    int free_count = 0, axis = 0;
    for (int c = 0; c < 3; c++) {
        k[c] = s->free_axis[3 + c] ? s->soft_rotation : s->hard_rotation;
        if (s->free_axis[3 + c]) {
            free_count++;
            axis = c;
        }
    }
    if (free_count == 1 && t[axis] > s->limit[axis][0] && t[axis] < s->limit[axis][1]) {
        const DvMat3 m = dv_quat_to_matrix(turn);
        torque_about_axis(&m, axis, t, k, torque);
    } else if (free_count == 0) {
        for (int c = 0; c < 3; c++)
            torque[c] = t[c] * k[c];
    } else {
        torque_with_limits(s, t, k, torque);
    }
}

static const double *constant_of(const JointSpringForceField *self, const DvStep *step, uint32_t spring)
{
    static const double none[6] = {0.0};
    if (self->constants == 0)
        return none;
    const double steps = step->dt > 0.0 ? floor(step->time / step->dt + 0.5) : 0.0;
    return self->constant[(size_t)fmod(fmax(steps, 0.0) * self->count + spring, (double)self->constants)];
}

static void write_output(JointSpringForceField *self, const DvStep *step)
{
    if (*dv_data_string(&self->outfile) == '\0' || step->time < self->next_output)
        return;
    if (!self->output && !(self->output = open_output(self))) {
        self->next_output = INFINITY;
        return;
    }
    if (dv_data_bool(&self->restart)) { /* of a stream, nothing can be taken back */
        rewind(self->output);
        (void)!ftruncate(fileno(self->output), 0);
    }
    fprintf(self->output, "%.17g", step->time);
    for (uint32_t i = 0; i < 6 * self->count; i++)
        fprintf(self->output, " %.17g", self->sent[i]);
    fprintf(self->output, "\n");
    const double period = dv_data_double(&self->period);
    self->next_output = step->time + (period > 0.0 ? period - 1e-9 * period : 0.5 * step->dt);
}

static void add_force(void *self_, const DvStep *step, const DvConstVec *x, const DvConstVec *v, const DvVec *f)
{
    JointSpringForceField *self = self_;
    if (dv_data_version(&self->spring) != self->version && build(self) != DV_OK)
        return;
    const JointSpring *list = dv_data_read(&self->spring);
    size_t frames;
    const double *frame = dv_data_doubles(&self->rest_frames, &frames);
    if (frames != 7 * (size_t)self->count)
        return;
    for (uint32_t i = 0; i < self->count; i++, frame += 7) {
        const JointSpring *s = &list[i];
        const DvRigid3 p = dv_rigid3_load(x[0].at + 7 * (size_t)s->a), q = dv_rigid3_load(x[1].at + 7 * (size_t)s->b);
        const DvRigid3Deriv vp = dv_rigid3_deriv_load(v[0].at + 6 * (size_t)s->a),
                            vq = dv_rigid3_deriv_load(v[1].at + 6 * (size_t)s->b);
        const double *constant = constant_of(self, step, i);
        struct Tangent *tangent = &self->tangent[i];
        tangent->frame = dv_quat_to_matrix(p.orientation);
        for (int c = 0; c < 3; c++)
            tangent->translation[c] = s->free_axis[c] ? s->soft_translation : s->hard_translation;
        double torque[3];
        const DvQuat turn = dv_quat_normalize(
            dv_quat_mul(dv_quat_mul(dv_quat_inverse(p.orientation), q.orientation), dv_quat_load(frame + 3)));
        torque_of(s, turn, tangent->rotation, torque);

        const DvVec3 gap = dv_vec3_sub(dv_vec3_sub(q.center, p.center), dv_vec3_load(frame));
        const DvVec3 local =
            dv_vec3_add(dv_vec3_load(constant), dv_vec3_mul(dv_vec3_load(tangent->translation),
                                                            dv_mat3_transposed_mul_vec(tangent->frame, gap)));
        const DvRigid3Deriv force = {
            dv_vec3_madd(dv_mat3_mul_vec(tangent->frame, local), s->damping, dv_vec3_sub(vq.linear, vp.linear)),
            dv_vec3_madd(dv_mat3_mul_vec(tangent->frame, dv_vec3_add(dv_vec3_load(constant + 3), dv_vec3_load(torque))),
                         s->damping, dv_vec3_sub(vq.angular, vp.angular))};
        dv_rigid3_deriv_store(force, self->sent + 6 * (size_t)i);
        dv_rigid3_deriv_accumulate(force, f[0].at + 6 * (size_t)s->a);
        dv_rigid3_deriv_accumulate(dv_rigid3_deriv(dv_vec3_neg(force.linear), dv_vec3_neg(force.angular)),
                                   f[1].at + 6 * (size_t)s->b);
    }
    write_output(self, step);
}

/* In place: vectors that are passed by value go through memory, in parts of another size than they are read. */
static inline __attribute__((always_inline)) DvVec3 turned_product(const DvMat3 *frame, const double k[3], DvVec3 d)
{
    const DvVec3 local = dv_mat3_transposed_mul_vec(*frame, d);
    return dv_mat3_mul_vec(*frame, dv_vec3_mul(dv_vec3_load(k), local));
}

static void add_dforce(void *self_, const DvStep *step, double k, double b, const DvConstVec *dx, const DvVec *df)
{
    (void)step;
    (void)b;
    JointSpringForceField *self = self_;
    const JointSpring *list = dv_data_read(&self->spring);
    for (uint32_t i = 0; i < self->count; i++) {
        const struct Tangent *tangent = &self->tangent[i];
        const double *p = dx[0].at + 6 * (size_t)list[i].a, *q = dx[1].at + 6 * (size_t)list[i].b;
        const DvVec3 linear = dv_vec3_sub(dv_vec3_load(q), dv_vec3_load(p));
        const DvVec3 angular = dv_vec3_sub(dv_vec3_load(q + 3), dv_vec3_load(p + 3));
        const DvRigid3Deriv force = {dv_vec3_scale(turned_product(&tangent->frame, tangent->translation, linear), k),
                                     dv_vec3_scale(turned_product(&tangent->frame, tangent->rotation, angular), k)};
        dv_rigid3_deriv_accumulate(force, df[0].at + 6 * (size_t)list[i].a);
        dv_rigid3_deriv_accumulate(dv_rigid3_deriv(dv_vec3_neg(force.linear), dv_vec3_neg(force.angular)),
                                   df[1].at + 6 * (size_t)list[i].b);
    }
}

static void reserve(void *self_, DvPattern *pattern)
{
    JointSpringForceField *self = self_;
    const JointSpring *list = dv_data_read(&self->spring);
    const uint32_t other = dv_pair_state_is_one(&self->base) ? 0 : 1;
    for (uint32_t i = 0; i < self->count; i++) {
        pattern->ops->add(pattern, 0, list[i].a, 0, list[i].a);
        pattern->ops->add(pattern, 0, list[i].a, other, list[i].b);
        pattern->ops->add(pattern, other, list[i].b, 0, list[i].a);
        pattern->ops->add(pattern, other, list[i].b, other, list[i].b);
    }
}

static void assemble(void *self_, const DvStep *step, double k, double b, const DvMatrixView *view)
{
    (void)step;
    (void)b;
    const JointSpringForceField *self = self_;
    for (uint32_t i = 0; i < self->count; i++) {
        const struct Tangent *tangent = &self->tangent[i];
        const DvMat3 frame = tangent->frame;
        double dense[36] = {0.0};
        for (int part = 0; part < 2; part++) {
            const DvVec3 stiffness = dv_vec3_load(part == 0 ? tangent->translation : tangent->rotation);
            const DvMat3 turned = dv_mat3_mul_transposed(dv_mat3_mul(frame, dv_mat3_diagonal(stiffness)), frame);
            for (int r = 0; r < 3; r++)
                for (int c = 0; c < 3; c++)
                    dense[6 * (3 * part + r) + 3 * part + c] = turned.m[r][c];
        }
        for (uint32_t pair = 0; pair < 4; pair++)
            dv_view_add(view, 4 * i + pair, dense, pair == 0 || pair == 3 ? -k : k);
    }
}

static uint64_t structure(void *self_)
{
    JointSpringForceField *self = self_;
    if (dv_data_version(&self->spring) != self->version)
        (void)build(self); /* reported; there are no joints then */
    return self->structure;
}

static double stiffness_bound(void *self_)
{
    const JointSpringForceField *self = self_;
    double largest = 0.0;
    for (uint32_t i = 0; i < self->count; i++)
        for (int c = 0; c < 3; c++)
            largest = fmax(largest, self->tangent[i].translation[c]);
    return sqrt(2.0 * largest);
}

static const DvElementsCause cause_ops = DV_ELEMENTS_CAUSE(.bound = stiffness_bound);

static const DvForceFieldOps ops = {
    .size = sizeof ops,
    .states = dv_pair_state_states,
    .add_force = add_force,
    .add_dforce = add_dforce,
    .reserve = reserve,
    .assemble = assemble,
    .structure = structure,
};

static void draw(void *self_, DvDraw *target)
{
    JointSpringForceField *self = self_;
    if (!dv_draw_shows(target, DV_DISPLAY_FORCE_FIELDS) && !dv_draw_shows(target, DV_DISPLAY_INTERACTION_FORCE_FIELDS))
        return;
    if (self->count == 0)
        return;
    static const double color[4] = {1.0, 0.0, 0.0, 1.0};
    const JointSpring *list = dv_data_read(&self->spring);
    const DvConstVec x[2] = {dv_state_read(self->base.state[0], DV_POSITION),
                             dv_state_read(self->base.state[1], DV_POSITION)};
    double *ends = dv_alloc(self->count, 6 * sizeof *ends);
    for (uint32_t i = 0; i < self->count; i++) {
        memcpy(ends + 6 * (size_t)i, x[0].at + 7 * (size_t)list[i].a, 3 * sizeof *ends);
        memcpy(ends + 6 * (size_t)i + 3, x[1].at + 7 * (size_t)list[i].b, 3 * sizeof *ends);
    }
    target->ops->lines(target, ends, self->count, 1.0, color);
    dv_free(ends);
}

static const DvDrawableOps drawable = {.size = sizeof drawable, .draw = draw};

const DvClass dv_joint_spring_force_field = {
    .size = sizeof(DvClass),
    .name = "JointSpringForceField",
    .variants = "Rigid3d",
    DV_PAIR_FORCE_FIELD_CLASS("PairInteractionForceField"),
    .module = "Sofa.Component.SolidMechanics.Spring",
    .help = "Joints between rigid bodies, of springs along and about locked and free axes.",
    .instance_size = sizeof(JointSpringForceField),
    .fields = fields,
    DV_PAIR_FORCE_FIELD_CONTRACTS(ops, cause_ops, drawable),
    .bwd_init = bwd_init,
    .reset = reset,
    .cleanup = cleanup,
    .destroy = destroy,
};
