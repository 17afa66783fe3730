/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * RigidMapping: points, or frames, fixed to rigid bodies.
 *
 *   x_i = c_b + r_i,  r_i = R_b p_i    v_i = v_b + w_b x r_i    force f_b += f_i,  torque t_b += r_i x f_i
 *
 * p_i: the point in the coordinates of its body b. Outputs of type Rigid3 add the body's rotation, angular velocity and torque.
 * In the plane: w_b (-r_y, r_x), and the torque r_x f_y - r_y f_x.
 *
 * Geometric stiffness of body b: the torque changes by -f_i x (dw x r_i) when the body turns by dw, summed to the 3 x 3 block
 * G = sum [f_i]x [r_i]x (plane: -sum f_i . r_i). Exact is not symmetric while there is a torque: (G - G^T) / 2 = -[t_b / 2]x. Solvers
 * that take symmetric matrices alone get (G + G^T) / 2, the second derivative of the loads' energy by the rotation vector. Stabilized
 * takes the closest negative semi-definite matrix to that, so that an implicit step never loses definiteness.
 *
 * When the mesh of the output changes, points keep their body and their place on it; a new one takes the mean place of those it was made
 * from, on the body of the first of them, else the origin of the body `index`.
 *
 * Levers r_i are those of the last apply. Bodies gather their points in ascending order.
 */
#include "rigid_mapping.h"

#include "state/former_number.h"

#include <divan/contracts/drawing.h>
#include <divan/plugin.h>

static const char *const stiffness_choices[] = {"None", "Exact", "Stabilized", NULL};
static const char *const filename_aliases[] = {"fileRigidMapping", NULL};

static const DvField fields[] = {
    DV_SINGLE_MAPPING_FIELDS(RigidMapping),
    DV_FIELD(RigidMapping, initial_points, "initialPoints", dv_type_coords_out, .unit = "m",
             .flags = DV_FIELD_EMPTY_IS_DEFAULT,
             .help = "points in the coordinates of their body; by default the positions of the output"),
    DV_FIELD(RigidMapping, index, "index", dv_type_uint, .init = "0", .help = "body of the points"),
    DV_FIELD(RigidMapping, filename, "filename", dv_type_file, .aliases = filename_aliases,
             .help = "mesh or sphere file whose vertices are the points"),
    DV_FIELD(RigidMapping, use_x0, "useX0", dv_type_bool, .init = "0",
             .help = "the rest positions of the output are the points in the coordinates of their body"),
    DV_FIELD(RigidMapping, index_from_end, "indexFromEnd", dv_type_bool, .init = "0",
             .help = "count `index` from the last body backwards"),
    DV_FIELD(RigidMapping, rigid_index_per_point, "rigidIndexPerPoint", dv_type_uints,
             .flags = DV_FIELD_EMPTY_IS_DEFAULT, .help = "body of each point; used when there is one for each"),
    DV_FIELD(RigidMapping, global_to_local_coords, "globalToLocalCoords", dv_type_bool, .init = "0",
             .flags = DV_FIELD_AT_LOAD,
             .help = "the positions of the output are given in the world, not in the coordinates of the body"),
    DV_FIELD(RigidMapping, geometric_stiffness, "geometricStiffness", dv_type_choice, .init = "None",
             .choices = stiffness_choices, .help = "how the turning of levers under load counts as stiffness"),
    {0},
};

/* ---- Which point belongs to which body */

static void forget_bodies(RigidMapping *self)
{
    dv_free(self->body);
    dv_free(self->used_body);
    dv_free(self->used_start);
    dv_free(self->used_point);
    dv_free(self->lever);
    self->body = self->used_body = self->used_start = self->used_point = NULL;
    self->lever = NULL;
}

static void list_points_of_bodies(RigidMapping *self)
{
    uint32_t *start = dv_alloc((size_t)self->bodies_in + 1, sizeof *start);
    for (uint32_t i = 0; i < self->points; i++)
        start[self->body[i] + 1]++;
    self->used = 0;
    for (uint32_t b = 0; b < self->bodies_in; b++)
        self->used += start[b + 1] > 0;
    self->used_body = dv_alloc(self->used, sizeof *self->used_body);
    self->used_start = dv_alloc((size_t)self->used + 1, sizeof *self->used_start);
    self->used_point = dv_alloc(self->points, sizeof *self->used_point);
    uint32_t u = 0;
    for (uint32_t b = 0; b < self->bodies_in; b++) {
        if (start[b + 1] > 0) {
            self->used_body[u] = b;
            self->used_start[u + 1] = self->used_start[u] + start[b + 1];
            u++;
        }
        start[b + 1] += start[b];
    }
    for (uint32_t i = 0; i < self->points; i++)
        self->used_point[start[self->body[i]]++] = i;
    dv_free(start);
}

/* The body of each of `points` points of a state of `bodies`. Says which field names a body that is not there. */
static DvStatus choose_bodies(RigidMapping *self, uint32_t points, uint32_t bodies)
{
    size_t given;
    const uint32_t *per_point = dv_data_uints(&self->rigid_index_per_point, &given);
    const uint32_t index = dv_data_uint(&self->index);
    forget_bodies(self);
    self->points = points;
    self->bodies_in = bodies;
    self->structure++;
    self->ready = false;
    if (points == 0) {
        self->ready = true;
        self->used = 0;
        self->used_start = dv_alloc(1, sizeof *self->used_start);
        return DV_OK;
    }
    if (given != points && index >= bodies)
        return dv_field_error_missing(&self->index, -1, "body", index, "the state", bodies);
    const uint32_t common = dv_data_bool(&self->index_from_end) ? bodies - 1 - index : index;
    self->body = dv_alloc(points, sizeof *self->body);
    for (uint32_t i = 0; i < points; i++) {
        self->body[i] = given == points ? per_point[i] : common;
        if (self->body[i] >= bodies)
            return dv_field_error_missing(&self->rigid_index_per_point, i, "body", self->body[i], "the state", bodies);
    }
    list_points_of_bodies(self);
    self->lever = dv_alloc((size_t)points * (in_plane(self) ? 2 : 3) + 1, sizeof *self->lever);
    self->ready = true;
    return DV_OK;
}

const double *rigid_mapping_local_points(RigidMapping *self, uint32_t *count)
{
    if (dv_data_bool(&self->use_x0)) {
        const DvConstVec rest = dv_state_read(self->base.out, DV_REST_POSITION);
        *count = rest.at ? rest.count : 0;
        return rest.at;
    }
    size_t points;
    const double *at = dv_data_doubles(&self->initial_points, &points);
    *count = (uint32_t)points;
    return at;
}

bool rigid_mapping_is_current(RigidMapping *self, uint32_t points, uint32_t bodies)
{
    const uint64_t versions[4] = {dv_data_version(&self->index), dv_data_version(&self->index_from_end),
                                  dv_data_version(&self->rigid_index_per_point), dv_data_version(&self->use_x0)};
    if (self->points == points && self->bodies_in == bodies && memcmp(versions, self->versions, sizeof versions) == 0)
        return self->ready;
    memcpy(self->versions, versions, sizeof versions);
    dv_object_set_state(dv_object_of(self),
                        choose_bodies(self, points, bodies) == DV_OK ? DV_COMPONENT_VALID : DV_COMPONENT_INVALID);
    return self->ready;
}

/* ---- Life */

/* `d_repartition`, `repartition`: how many consecutive points each body has. */
static DvStatus parse(DvObject *object, void *self_, const DvAttributes *attributes)
{
    RigidMapping *self = self_;
    const char *text = dv_attribute(attributes, "d_repartition");
    if (!text)
        text = dv_attribute(attributes, "repartition");
    if (text) {
        dv_remark(object, "the attribute `repartition` is old; `rigidIndexPerPoint` names the body of each point");
        uint32_t body = 0, count, total = 0;
        for (; dv_read_uint(&text, &count); body++) {
            if (count > UINT32_MAX / 16 - total)
                return dv_error(object, DV_ERROR_LIMIT, "`repartition` asks for more than %u points", UINT32_MAX / 16);
            uint32_t *per_point = dv_data_begin(&self->rigid_index_per_point, (size_t)total + count);
            for (uint32_t i = 0; i < count; i++)
                per_point[total + i] = body;
            dv_data_end(&self->rigid_index_per_point);
            total += count;
        }
        if (*(text += strspn(text, " \t\r\n")))
            dv_warning(object,
                       "attribute 'repartition' must be numbers of points, not \"%.40s\"; what comes before it is used",
                       text);
    }
    return dv_mapping_parse(object, self_, attributes);
}

/* initialPoints from the points of a file. */
static DvStatus load_points(RigidMapping *self)
{
    const DvMeshFilesOps *files = dv_service(DV_MESH_FILES);
    if (!files)
        return dv_field_error(&self->filename, -1, "no plugin reads mesh files; load divan.topology");
    DvMeshFile *file;
    DvMeshView mesh;
    const DvStatus status = files->open(&self->filename, NULL, &file, &mesh);
    if (status != DV_OK)
        return status;
    const DvDofType *dof = self->base.out.dof;
    double *points = dv_data_begin_all(&self->initial_points, mesh.point_count);
    for (size_t i = 0; i < mesh.point_count; i++) {
        memcpy(points + i * dof->coord, dof->origin, dof->coord * sizeof *points);
        memcpy(points + i * dof->coord, mesh.positions + i * 3, dof->spatial * sizeof *points);
    }
    dv_data_end(&self->initial_points);
    files->close(file);
    return DV_OK;
}

static void store_local(const RigidMapping *self, const double *body, const double *world, double *local)
{
    if (in_plane(self)) {
        const DvRigid2 b = dv_rigid2_load(body);
        dv_vec2_store(dv_vec2_rotate(dv_vec2_sub(dv_vec2_load(world), b.center), -b.angle), local);
        return;
    }
    const DvRigid3 b = dv_rigid3_load(body);
    if (self->base.out.dof->rotation) {
        /* inverse divides by the length of a quaternion that is not of unit length, inverse_rotate would not. */
        const DvQuat back = dv_quat_inverse(b.orientation);
        dv_vec3_store(dv_quat_rotate(back, dv_vec3_sub(dv_vec3_load(world), b.center)), local);
        dv_quat_store(dv_quat_mul(back, dv_quat_load(world + 3)), local + 3);
    } else {
        dv_vec3_store(dv_rigid3_to_local(b, dv_vec3_load(world)), local);
    }
}

/* initialPoints from the positions of the output. */
static DvStatus take_positions(RigidMapping *self)
{
    const DvConstVec in = dv_state_read(self->base.in, DV_POSITION), out = dv_state_read(self->base.out, DV_POSITION);
    const uint32_t count = out.at ? out.count : 0;
    const DvStatus status = choose_bodies(self, count, in.at ? in.count : 0);
    if (status != DV_OK)
        return status;
    double *points = dv_data_begin_all(&self->initial_points, count);
    if (count)
        memcpy(points, out.at, (size_t)count * out.dim * sizeof *points);
    if (in.at && dv_data_bool(&self->global_to_local_coords))
        for (uint32_t i = 0; i < count; i++)
            store_local(self, in.at + (size_t)self->body[i] * in.dim, out.at + (size_t)i * out.dim,
                        points + (size_t)i * out.dim);
    dv_data_end(&self->initial_points);
    return DV_OK;
}

/* initialPoints and rigidIndexPerPoint by the new numbers. */
static void points_changed(DvElementData *data, const DvElementChange *change)
{
    RigidMapping *self = data->owner;
    if (change->change == DV_POINTS_MOVED)
        return;
    const DvDofType *dof = self->base.out.dof;
    const size_t dim = dof->coord;
    size_t count, bodies;
    const double *local = dv_data_doubles(&self->initial_points, &count);
    const uint32_t *body = dv_data_uints(&self->rigid_index_per_point, &bodies);
    double *points = dv_alloc(data->count, dim * sizeof *points);
    uint32_t *body_of = dv_alloc(data->count, sizeof *body_of), added = 0;
    for (uint32_t i = 0; i < data->count; i++) {
        const uint32_t former = former_number(data, i);
        double *at = points + i * dim;
        const bool made = former == UINT32_MAX && change->ancestor_start;
        const uint32_t begin = made ? change->ancestor_start[added] : 0,
                       end = made ? change->ancestor_start[added + 1] : 0;
        const uint32_t from = former == UINT32_MAX && begin < end ? change->ancestors[begin] : former;
        memcpy(at, from < count ? local + from * dim : dof->origin, dim * sizeof *at);
        body_of[i] = from < bodies ? body[from] : dv_data_uint(&self->index);
        added += former == UINT32_MAX;
        if (begin == end)
            continue;
        for (uint32_t c = 0; c < dof->spatial; c++) {
            at[c] = 0.0;
            for (uint32_t a = begin; a < end; a++)
                at[c] += (change->weights ? change->weights[a] : 1.0 / (end - begin)) *
                         (change->ancestors[a] < count ? local[change->ancestors[a] * dim + c] : 0.0);
        }
    }
    if (count > 0)
        dv_data_set(&self->initial_points, points, data->count);
    const uint32_t before = change->change == DV_ELEMENTS_ADDED     ? data->count - change->count
                            : change->change == DV_ELEMENTS_REMOVED ? data->count + change->count
                                                                    : data->count;
    if (bodies > 0 && bodies == before)
        dv_data_set(&self->rigid_index_per_point, body_of, data->count);
    dv_free(points);
    dv_free(body_of);
    former_number_start(data);
}

/* The points of a mesh of the output's own that may change. */
static DvStatus follow_output(RigidMapping *self)
{
    DvObject *topology = dv_node_slot(dv_object_node(self->base.out.object), DV_TOPOLOGY);
    const DvTopologyOps *mesh = topology ? dv_object_ops(topology, DV_TOPOLOGY) : NULL;
    dv_element_data_detach(&self->former);
    if (!mesh || !mesh->is_dynamic || !mesh->is_dynamic(dv_object_self(topology)))
        return DV_OK;
    const DvStatus status = former_number_attach(&self->former, topology, DV_POINTS);
    self->former.owner = self;
    self->former.changed = points_changed;
    return status;
}

static DvStatus init(DvObject *object, void *self_)
{
    RigidMapping *self = self_;
    DvSingleMapping *base = &self->base;
    DvStatus status = dv_single_mapping_init(object, base);
    if (status != DV_OK)
        return status;
    if (*dv_data_string(&self->filename) && (status = load_points(self)) != DV_OK)
        return status;
    size_t given;
    (void)dv_data_doubles(&self->initial_points, &given);
    if (given == 0 && !dv_data_bool(&self->use_x0) && (status = take_positions(self)) != DV_OK)
        return status;
    uint32_t points;
    (void)rigid_mapping_local_points(self, &points);
    if (points > dv_state_count(base->out))
        base->out.ops->resize(base->out.self, points);
    status = choose_bodies(self, points, dv_state_count(base->in));
    if (status != DV_OK)
        return status;
    dv_mapping_apply_all(base, &rigid_mapping_ops);
    return follow_output(self);
}

/* Levers of the positions that were put back. */
static DvStatus restore(DvObject *object, void *self_)
{
    (void)object;
    RigidMapping *self = self_;
    dv_mapping_apply_all(&self->base, &rigid_mapping_ops);
    return DV_OK;
}

static void cleanup(DvObject *object, void *self_)
{
    (void)object;
    RigidMapping *self = self_;
    dv_element_data_detach(&self->former);
    dv_single_mapping_release(&self->base);
}

static void destroy(DvObject *object, void *self_)
{
    (void)object;
    RigidMapping *self = self_;
    forget_bodies(self);
    dv_jacobian_free(&self->jacobian);
}

/* A line from each frame to each of its points. */
static void draw(void *self_, DvDraw *draw)
{
    RigidMapping *self = self_;
    double *points = dv_single_mapping_points_to_draw(&self->base, draw);
    const DvConstVec frames = points ? dv_state_read(self->base.in, DV_POSITION) : (DvConstVec){0};
    const uint32_t all = points ? dv_state_count(self->base.out) : 0, count = self->points < all ? self->points : all;
    double *centres = points ? dv_alloc(count ? count : 1, 3 * sizeof *centres) : NULL;
    uint32_t drawn = 0;
    for (; points && drawn < count && self->body[drawn] < frames.count; drawn++)
        for (uint32_t axis = 0; axis < 3; axis++)
            centres[3 * (size_t)drawn + axis] =
                axis < self->base.in.dof->spatial ? frames.at[(size_t)self->body[drawn] * frames.dim + axis] : 0.0;
    if (points)
        dv_draw_pairs(draw, centres, points, drawn, 1.0, dv_mapping_color);
    dv_free(centres);
    dv_free(points);
}

static const DvDrawableOps drawable = {.size = sizeof drawable, .draw = draw};

const DvClass dv_rigid_mapping = {
    .size = sizeof(DvClass),
    .name = "RigidMapping",
    .variants = "Rigid3d,Vec3d Rigid3d,Rigid3d Rigid2d,Vec2d",
    .default_variant = "Rigid3d,Vec3d",
    .variant_rule = DV_VARIANT_OF_EACH,
    .sources = dv_single_mapping_sources,
    .family = "mappings",
    .module = "Sofa.Component.Mapping.NonLinear",
    .help = "Fixes points or frames to rigid bodies.",
    .instance_size = sizeof(RigidMapping),
    .fields = fields,
    .contracts = (const DvContract[]){{DV_MAPPING, &rigid_mapping_ops, .slot = true},
                                      {.id = DV_OPERATOR, .ops = &rigid_mapping_operator},
                                      {.id = DV_DRAWABLE, .ops = &drawable},
                                      {0}},
    .parse = parse,
    .init = init,
    .reinit = init,
    .restore = restore,
    .cleanup = cleanup,
    .destroy = destroy,
};
