/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * PlaneForceField: a plane that points cannot pass without being pushed back.
 *
 *   delta = x . n - d;  where delta < 0:   f = -k delta n + c delta v,   cut to the length maxForce when that is positive
 *
 * The damping grows with the depth and acts along the whole velocity. The stiffness is that of the spring alone, -k n n^T: the damping
 * and the cut have no derivative. The normal is taken as given, of any length. Of rigid bodies the centre counts.
 */
#include "load_ops.h"

#include <divan/contracts/operator.h>
#include <divan/kit/force_field.h>
#include <divan/math/simd.h>
#include <divan/types/color.h>

#include <math.h>
#include <string.h>

enum { POINTS_PER_CHUNK = 1024, MOST_COMPONENTS = 6 };

typedef struct PlaneForceField {
    DvSingleState base;
    DvData normal, d, stiffness, damping, max_force, bilateral, local_range;
    DvData show_plane, plane_color, show_plane_size;

    bool *touching;                   /* [capacity] points that were pushed by the last force */
    uint32_t *touched, touched_count; /* [capacity] which those are, ascending: most points do not touch */
    uint32_t capacity, first, last;   /* points [first, last) were looked at */
    double plane_normal[MOST_COMPONENTS], plane[5];
    uint32_t plane_range[2]; /* of the operator, as it was described last */
} PlaneForceField;

#define FIELD(member, name, type, ...) DV_FIELD(PlaneForceField, member, name, type, __VA_ARGS__)
static const DvField fields[] = {
    DV_SINGLE_STATE_FIELDS(PlaneForceField, base),
    FIELD(normal, "normal", dv_type_doubles, .init = "0 1 0",
          .help = "normal of the plane, towards the free side; as many numbers as a position has"),
    FIELD(d, "d", dv_type_double, .init = "0", .unit = "m",
          .help = "distance from the origin, times the length of the normal"),
    FIELD(stiffness, "stiffness", dv_type_double, .init = "500", .unit = "N/m", .help = "force per depth"),
    FIELD(damping, "damping", dv_type_double, .init = "5", .unit = "N s/m^2", .help = "force per depth and velocity"),
    FIELD(max_force, "maxForce", dv_type_double, .init = "0", .unit = "N",
          .help = "largest force on a point; 0: no limit"),
    FIELD(bilateral, "bilateral", dv_type_bool, .init = "0", .help = "act on both sides"),
    FIELD(local_range, "localRange", dv_type_vec2i, .init = "-1 -1",
          .help = "first and last point that count; -1: from the first, to the last"),
    FIELD(show_plane, "showPlane", dv_type_bool, .init = "0", .flags = DV_FIELD_DRAWING, .help = "draw the plane"),
    FIELD(plane_color, "planeColor", dv_type_color, .init = "0 0.5 0.2 1", .flags = DV_FIELD_DRAWING,
          .help = "of the plane"),
    FIELD(show_plane_size, "showPlaneSize", dv_type_double, .init = "10", .unit = "m", .range = &dv_range_not_negative,
          .flags = DV_FIELD_DRAWING, .help = "length of its sides"),
    {0},
};

static void replace_negative(DvData *field, double replacement)
{
    const double value = dv_data_double(field);
    if (value >= 0.0)
        return;
    dv_field_warning(field, -1, "%g is negative; %g is taken", value, replacement);
    dv_data_set_double(field, replacement);
}

static uint32_t plane_dimension(const PlaneForceField *self);

/* A plane without a direction has no side. */
static DvStatus check_normal(PlaneForceField *self)
{
    size_t given;
    const double *normal = dv_data_doubles(&self->normal, &given);
    const uint32_t wanted = plane_dimension(self);
    double square = 0.0;
    for (uint32_t c = 0; c < wanted && c < given; c++)
        square += normal[c] * normal[c];
    if (!(square > 0.0))
        return dv_field_error(&self->normal, -1,
                              "has no direction; give %u number%s towards the free side, such as 0 1 0 for a floor",
                              wanted, wanted == 1 ? "" : "s");
    if (dv_data_is_set(&self->normal) && given < wanted)
        dv_field_warning(&self->normal, -1, "holds %zu of %u numbers: 0 is taken for the rest", given, wanted);
    return DV_OK;
}

static DvStatus init(DvObject *object, void *self_)
{
    PlaneForceField *self = self_;
    replace_negative(&self->stiffness, 500.0);
    replace_negative(&self->damping, 5.0);
    replace_negative(&self->max_force, 0.0);
    const int32_t *range = dv_data_ints(&self->local_range, NULL);
    if (range[0] < -1 || range[1] < -1 || (range[1] >= 0 && range[1] < range[0])) {
        dv_field_warning(&self->local_range, -1, "%d %d is no range; all points count", range[0], range[1]);
        dv_data_set(&self->local_range, (const int32_t[2]){-1, -1}, 1);
    }
    DvStatus status = dv_single_state_init(object, &self->base);
    if (status == DV_OK && (status = check_normal(self)) != DV_OK)
        dv_single_state_release(&self->base);
    return status;
}

static void cleanup(DvObject *object, void *self_)
{
    (void)object;
    PlaneForceField *self = self_;
    dv_single_state_release(&self->base);
}

static void destroy(DvObject *object, void *self_)
{
    (void)object;
    PlaneForceField *self = self_;
    dv_free(self->touching);
    dv_free(self->touched);
}

/* Components that the plane sees. */
static uint32_t plane_dimension(const PlaneForceField *self)
{
    return self->base.state.dof->rotation ? 3 : self->base.state.dof->deriv;
}

static void choose_points(PlaneForceField *self, uint32_t count)
{
    const int32_t *range = dv_data_ints(&self->local_range, NULL);
    self->first = range[0] >= 0 ? (uint32_t)range[0] : 0;
    self->last = range[1] >= 0 && (uint32_t)range[1] < count ? (uint32_t)range[1] + 1 : count;
    if (self->first > self->last)
        self->first = self->last;
    if (count > self->capacity) {
        self->touching = dv_realloc(self->touching, self->capacity * sizeof(bool), count * sizeof(bool));
        self->touched = dv_realloc(self->touched, self->capacity * sizeof(uint32_t), count * sizeof(uint32_t));
        self->capacity = count;
    }
}

typedef struct PlaneWork {
    PlaneForceField *self;
    const double *x, *v;
    double *f;
    uint32_t coord, deriv, dim;
    double normal[MOST_COMPONENTS], d, stiffness, damping, max_force, k;
    bool bilateral;
} PlaneWork;

/* In place, and what is not asked for stays as it is: a plane acts on a few points in each product. */
static void plane_work(PlaneForceField *self, PlaneWork *work)
{
    size_t given;
    const double *normal = dv_data_doubles(&self->normal, &given);
    work->self = self;
    work->dim = plane_dimension(self);
    for (uint32_t c = 0; c < MOST_COMPONENTS; c++)
        work->normal[c] = c < work->dim && c < given ? normal[c] : 0.0;
    work->stiffness = dv_data_double(&self->stiffness);
}

/* One body for every DOF type: of points in space callers pass constants. */
DV_SIMD_INLINE void force_body(const PlaneWork *work, uint32_t begin, uint32_t end, uint32_t dim, uint32_t coord,
                               uint32_t deriv)
{
    const double stiffness = work->stiffness, damping = work->damping;
    double normal[MOST_COMPONENTS];
    for (uint32_t c = 0; c < dim; c++)
        normal[c] = work->normal[c];
    bool *touching = work->self->touching;
    for (uint32_t p = work->self->first + begin; p < work->self->first + end; p++) {
        const double *x = work->x + (size_t)p * coord, *v = work->v + (size_t)p * deriv;
        double *f = work->f + (size_t)p * deriv, depth = -work->d, force[MOST_COMPONENTS], square = 0.0;
        for (uint32_t c = 0; c < dim; c++)
            depth += x[c] * normal[c];
        touching[p] = work->bilateral || depth < 0.0;
        if (!touching[p])
            continue;
        for (uint32_t c = 0; c < dim; c++) {
            force[c] = normal[c] * (-stiffness * depth) - v[c] * (-damping * depth);
            square += force[c] * force[c];
        }
        const double scale =
            work->max_force > 0.0 && square > work->max_force * work->max_force ? work->max_force / sqrt(square) : 1.0;
        for (uint32_t c = 0; c < dim; c++)
            f[c] += scale * force[c];
    }
}

static void force_chunk(void *context, uint32_t begin, uint32_t end)
{
    const PlaneWork *work = context;
    if (work->dim == 3 && work->coord == 3 && work->deriv == 3)
        force_body(work, begin, end, 3, 3, 3);
    else
        force_body(work, begin, end, work->dim, work->coord, work->deriv);
}

static void list_touched(PlaneForceField *self)
{
    uint64_t eight = 1;
    self->touched_count = 0;
    for (uint32_t p = self->first; p < self->last; p++) {
        for (; self->last - p >= sizeof eight; p += sizeof eight) {
            memcpy(&eight, self->touching + p, sizeof eight);
            if (eight)
                break;
        }
        if (p < self->last && self->touching[p])
            self->touched[self->touched_count++] = p;
    }
}

static void add_force(void *self_, const DvStep *step, const DvConstVec *x, const DvConstVec *v, const DvVec *f)
{
    (void)step;
    PlaneForceField *self = self_;
    choose_points(self, x->count);
    PlaneWork work;
    plane_work(self, &work);
    work.x = x->at;
    work.v = v->at;
    work.f = f->at;
    work.coord = x->dim;
    work.deriv = f->dim;
    work.d = dv_data_double(&self->d);
    work.damping = dv_data_double(&self->damping);
    work.max_force = dv_data_double(&self->max_force);
    work.bilateral = dv_data_bool(&self->bilateral);
    dv_parallel_for(self->last - self->first, POINTS_PER_CHUNK, force_chunk, &work);
    list_touched(self);
}

DV_SIMD_INLINE void dforce_body(const PlaneWork *work, uint32_t begin, uint32_t end, uint32_t dim, uint32_t deriv)
{
    const double stiffness = work->stiffness, k = work->k, *v = work->v;
    const uint32_t *touched = work->self->touched;
    double *f = work->f, normal[MOST_COMPONENTS];
    for (uint32_t c = 0; c < dim; c++)
        normal[c] = work->normal[c];
    for (uint32_t i = begin; i < end; i++) {
        const uint32_t p = touched[i];
        const double *dx = v + (size_t)p * deriv;
        double *df = f + (size_t)p * deriv, along = 0.0;
        for (uint32_t c = 0; c < dim; c++)
            along += dx[c] * normal[c];
        for (uint32_t c = 0; c < dim; c++)
            df[c] += normal[c] * (-k * stiffness * along);
    }
}

static void dforce_chunk(void *context, uint32_t begin, uint32_t end)
{
    const PlaneWork *work = context;
    if (work->dim == 3 && work->deriv == 3)
        dforce_body(work, begin, end, 3, 3);
    else
        dforce_body(work, begin, end, work->dim, work->deriv);
}

static void add_dforce(void *self_, const DvStep *step, double k, double b, const DvConstVec *dx, const DvVec *df)
{
    (void)step;
    (void)b;
    PlaneForceField *self = self_;
    if (self->last > dx->count)
        return;
    PlaneWork work;
    plane_work(self, &work);
    work.v = dx->at;
    work.f = df->at;
    work.deriv = df->dim;
    work.k = k;
    dv_parallel_for(self->touched_count, POINTS_PER_CHUNK, dforce_chunk, &work);
}

/* Any point may touch the plane one day: all diagonal blocks. */
static void reserve(void *self_, DvPattern *pattern)
{
    const PlaneForceField *self = self_;
    const uint32_t count = dv_state_count(self->base.state);
    for (uint32_t p = 0; p < count; p++)
        dv_pattern_add(pattern, p, p);
}

static void assemble(void *self_, const DvStep *step, double k, double b, const DvMatrixView *view)
{
    (void)step;
    (void)b;
    PlaneForceField *self = self_;
    PlaneWork work;
    plane_work(self, &work);
    const uint32_t n = self->base.state.dof->deriv;
    double dense[MOST_COMPONENTS * MOST_COMPONENTS] = {0.0};
    for (uint32_t r = 0; r < work.dim; r++)
        for (uint32_t c = 0; c < work.dim; c++)
            dense[r * n + c] = work.stiffness * work.normal[r] * work.normal[c];
    for (uint32_t i = 0; i < self->touched_count; i++)
        dv_view_add(view, self->touched[i], dense, -k);
}

static uint64_t structure(void *self_)
{
    const PlaneForceField *self = self_;
    return dv_state_count(self->base.state);
}

static double energy(void *self_, const DvStep *step, const DvConstVec *x)
{
    (void)step;
    PlaneForceField *self = self_;
    choose_points(self, x->count);
    PlaneWork work;
    plane_work(self, &work);
    const bool bilateral = dv_data_bool(&self->bilateral);
    const double d = dv_data_double(&self->d);
    double sum = 0.0;
    for (uint32_t p = self->first; p < self->last; p++) {
        double depth = -d;
        for (uint32_t c = 0; c < work.dim; c++)
            depth += x->at[(size_t)p * x->dim + c] * work.normal[c];
        if (bilateral || depth < 0.0)
            sum += 0.5 * work.stiffness * depth * depth;
    }
    return sum;
}

static double stiffness_bound(void *self)
{
    PlaneWork work;
    plane_work(self, &work);
    double square = 0.0;
    for (uint32_t c = 0; c < work.dim; c++)
        square += work.normal[c] * work.normal[c];
    return sqrt(work.stiffness * square);
}

static const DvElementsCause cause_ops = DV_ELEMENTS_CAUSE(.bound = stiffness_bound);

static const DvForceFieldOps ops = {
    LOAD_OPS,
    .energy = energy,
};

static void draw(void *self_, DvDraw *target)
{
    PlaneForceField *self = self_;
    if (!dv_draw_shows(target, DV_DISPLAY_FORCE_FIELDS) || !dv_data_bool(&self->show_plane) || !self->base.state.ops)
        return;
    PlaneWork work;
    plane_work(self, &work);
    double n[3] = {work.normal[0], work.normal[1], work.normal[2]}, u[3], w[3], corner[4][3], triangles[6][3];
    if (work.dim < 3)
        n[2] = 0.0;
    const double square = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
    if (!(square > 0.0))
        return;
    /* Two directions in the plane. */
    const double length = sqrt(square), half = 0.5 * dv_data_double(&self->show_plane_size);
    const int axis = fabs(n[0]) < 0.5 * length ? 0 : 1;
    double helper[3] = {axis == 0, axis == 1, 0.0};
    for (int c = 0; c < 3; c++)
        u[c] = n[(c + 1) % 3] * helper[(c + 2) % 3] - n[(c + 2) % 3] * helper[(c + 1) % 3];
    const double norm = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    for (int c = 0; c < 3; c++)
        u[c] /= norm;
    for (int c = 0; c < 3; c++)
        w[c] = (n[(c + 1) % 3] * u[(c + 2) % 3] - n[(c + 2) % 3] * u[(c + 1) % 3]) / length;
    for (int k = 0; k < 4; k++)
        for (int c = 0; c < 3; c++)
            corner[k][c] = n[c] * dv_data_double(&self->d) / square +
                           half * ((k == 0 || k == 3 ? -1.0 : 1.0) * u[c] + (k < 2 ? -1.0 : 1.0) * w[c]);
    static const int order[6] = {0, 1, 2, 0, 2, 3};
    for (int k = 0; k < 6; k++)
        memcpy(triangles[k], corner[order[k]], sizeof triangles[k]);
    target->ops->triangles(target, triangles[0], 2, dv_data_doubles(&self->plane_color, NULL));
}

static const DvDrawableOps drawable = {.size = sizeof drawable, .draw = draw};

static uint64_t operator_version(void *self_)
{
    PlaneForceField *self = self_;
    return dv_data_version(&self->normal) + dv_data_version(&self->d) + dv_data_version(&self->stiffness) +
           dv_data_version(&self->damping) + dv_data_version(&self->max_force) + dv_data_version(&self->bilateral) +
           dv_data_version(&self->local_range);
}

static void describe_operator(void *self_, DvOperator *out)
{
    PlaneForceField *self = self_;
    const uint64_t version = operator_version(self);
    const uint32_t points = dv_state_count(self->base.state);
    const int32_t *range = dv_data_ints(&self->local_range, NULL);
    size_t given;
    const double *normal = dv_data_doubles(&self->normal, &given);
    if (self->base.state.dof->rotation) {
        out->why = "a plane acts on bodies that turn on the host alone";
        return;
    }
    for (uint32_t c = 0; c < MOST_COMPONENTS; c++)
        self->plane_normal[c] = c < plane_dimension(self) && c < given ? normal[c] : 0.0;
    self->plane[0] = dv_data_double(&self->d);
    self->plane[1] = dv_data_double(&self->stiffness);
    self->plane[2] = dv_data_double(&self->damping);
    self->plane[3] = dv_data_double(&self->max_force);
    self->plane[4] = dv_data_bool(&self->bilateral) ? 1.0 : 0.0;
    self->plane_range[0] = range[0] >= 0 ? (uint32_t)range[0] : 0;
    self->plane_range[1] = range[1] >= 0 && (uint32_t)range[1] < points ? (uint32_t)range[1] + 1 : points;
    out->name = "plane";
    dv_operator_add_numbers(out, "normal", self->plane_normal, 1, self->base.state.dof->deriv, version);
    dv_operator_add_numbers(out, "plane", self->plane, 1, 5, version);
    dv_operator_add_indices(out, "range", self->plane_range, 1, 2, version);
}

static const DvOperatorOps operator_ops = {
    .size = sizeof(DvOperatorOps), .version = operator_version, .describe = describe_operator};

const DvClass dv_plane_force_field = {
    .size = sizeof(DvClass),
    .name = "PlaneForceField",
    .variants = "Vec1d Vec2d Vec3d Vec6d Rigid3d",
    DV_FORCE_FIELD_CLASS("ForceField"),
    .module = "Sofa.Component.MechanicalLoad",
    .help = "A plane that points cannot pass without being pushed back.",
    .instance_size = sizeof(PlaneForceField),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_FORCE_FIELD, .ops = &ops},
                                      {.id = DV_OPERATOR, .ops = &operator_ops},
                                      {.id = DV_FAULT_CAUSE, .ops = &cause_ops},
                                      {.id = DV_DRAWABLE, .ops = &drawable},
                                      {0}},
    .init = init,
    .cleanup = cleanup,
    .destroy = destroy,
};
