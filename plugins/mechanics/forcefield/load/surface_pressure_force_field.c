/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * SurfacePressureForceField: a pressure normal to the current surface of a mesh, as of a gas inside.
 *
 *   each point of a triangle a b c gets P = p (ab x ac) / 6;   of a quad a b c d, as triangles abc and acd: a and c of both, b and d of one
 *   K dx of a triangle: p / 6 (bc x dx_a - ac x dx_b + ab x dx_c) at each of its points
 *
 * K is the derivative of forces on triangles where the pressure does not change and no mainDirection is given; it is symmetric for
 * closed surfaces alone. An open one has K - K^T along its rim. Solvers that take symmetric matrices alone do without the K of an open
 * surface: with (K + K^T) / 2, damped in proportion to the stiffness, a bar that is pulled at its tip gathers energy at small steps. Quads
 * are explicit; where they close the surface conjugate gradients have the K of its triangles. Triangles and quads are those of lists, which stay with them when the mesh changes, or
 * else all, or all whose points are in a box at the moment.
 *
 *   pulseMode                the pressure rises and falls between its bounds by pressureSpeed, with each evaluation of the force
 *   volumeConservationMode   the pressure is multiplied by V0 / V, V the volume under the surface
 *   mainDirection m          forces are multiplied by |n . m|, n the unit normal
 *
 * Bodies are pressed at their centres.
 */
#include "load_ops.h"

#include <divan/kit/element_set.h>

#include <divan/math/vec.h>

#include <math.h>
#include <string.h>

typedef struct PressedTriangle { /* of the last force */
    uint32_t point[3];
    double factor; /* p / 6, times how often it is pressed */
    double share;  /* how often */
    DvVec3 ab, ac;
} PressedTriangle;

typedef enum Rim { NO_RIM, RIM_OF_QUADS, RIM } Rim; /* of the triangles: none, closed by quads, open */

typedef struct SurfacePressureForceField {
    DvSingleState base;
    DvLink topology_link;
    DvData pressure, min, max, indices[2], pulse_mode, lower_bound, speed, conserves_volume, use_tangent,
        default_volume;
    DvData main_direction, draw_scale;
    DvData pulse, falls, volume, kept[2]; /* of a run */

    DvTopologyRef topology;
    DvElementSet set[2]; /* triangles, quads: of the lists */
    uint64_t version;
    double acting;            /* pressure of the last force, Pa */
    PressedTriangle *pressed; /* [pressed_count] */
    uint32_t pressed_count, pressed_capacity;
    uint64_t structure;
    uint64_t rim_structure; /* of the pressed triangles when `rim` was found */
    uint32_t rim_quads;     /* that there were */
    Rim rim;
} SurfacePressureForceField;

static const DvElementKind kinds[2] = {DV_TRIANGLES, DV_QUADS};

#define FIELD(member, name, type, ...) DV_FIELD(SurfacePressureForceField, member, name, type, __VA_ARGS__)
static const DvField fields[] = {
    DV_SINGLE_STATE_FIELDS(SurfacePressureForceField, base),
    DV_LINK(SurfacePressureForceField, topology_link, "topology", DV_TOPOLOGY,
            .help = "mesh; that of the node by default"),
    FIELD(pressure, "pressure", dv_type_double, .init = "0", .unit = "Pa",
          .help = "along the normals; of pulses one bound"),
    FIELD(min, "min", dv_type_coord, .unit = "m", .help = "lower corner of the box; both corners zero: no box"),
    FIELD(max, "max", dv_type_coord, .unit = "m", .help = "upper corner of the box"),
    FIELD(indices[0], "triangleIndices", dv_type_uints, .flags = DV_FIELD_EMPTY_IS_ALL,
          .help = "triangles that are pressed, wherever they are"),
    FIELD(indices[1], "quadIndices", dv_type_uints, .flags = DV_FIELD_EMPTY_IS_ALL,
          .help = "quads that are pressed, wherever they are"),
    FIELD(pulse_mode, "pulseMode", dv_type_bool, .init = "0", .help = "the pressure rises and falls"),
    FIELD(lower_bound, "pressureLowerBound", dv_type_double, .init = "0", .unit = "Pa",
          .help = "other bound of pulses"),
    FIELD(speed, "pressureSpeed", dv_type_double, .init = "0", .unit = "Pa/s", .range = &dv_range_not_negative,
          .flags = DV_FIELD_LENIENT, .help = "of pulses, per evaluation of the force in a step; 0: |pressure|"),
    FIELD(conserves_volume, "volumeConservationMode", dv_type_bool, .init = "0",
          .help = "the pressure goes with the inverse of the volume"),
    FIELD(use_tangent, "useTangentStiffness", dv_type_bool, .init = "1",
          .help = "solvers see how forces on triangles change; bodies have it always"),
    FIELD(default_volume, "defaultVolume", dv_type_double, .init = "-1", .unit = "m^3",
          .help = "volume at which the pressure is as given; -1: that of the first force"),
    FIELD(main_direction, "mainDirection", dv_type_deriv,
          .help = "forces go with their normals along it; zero: all alike"),
    FIELD(draw_scale, "drawForceScale", dv_type_double, .init = "0", .flags = DV_FIELD_DRAWING,
          .help = "length of arrows per newton"),
    FIELD(pulse, "pulsePressure", dv_type_double, .init = "0", .unit = "Pa", .flags = DV_FIELD_STATE | DV_FIELD_HIDDEN,
          .help = "pressure of the pulse"),
    FIELD(falls, "pulseFalls", dv_type_int, .init = "-1", .flags = DV_FIELD_STATE | DV_FIELD_HIDDEN,
          .help = "whether the pulse falls; -1: it has not begun"),
    FIELD(volume, "firstVolume", dv_type_double, .init = "-1", .unit = "m^3", .flags = DV_FIELD_STATE | DV_FIELD_HIDDEN,
          .help = "volume of the first force"),
    DV_ELEMENT_SET_FIELD(SurfacePressureForceField, kept[0], "loadedTriangles"),
    DV_ELEMENT_SET_FIELD(SurfacePressureForceField, kept[1], "loadedQuads"),
    {0},
};

static DvStatus select_elements(SurfacePressureForceField *self)
{
    self->version = dv_data_version(&self->indices[0]) + dv_data_version(&self->indices[1]);
    for (int i = 0; i < 2; i++) {
        DvStatus status = dv_element_set_start(&self->set[i], self->topology.object, kinds[i]);
        if (status == DV_OK)
            status = dv_element_set_add_list(&self->set[i], &self->indices[i], i == 0 ? "triangle" : "quad", true);
        if (status != DV_OK)
            return status;
    }
    return DV_OK;
}

static bool is_listed(SurfacePressureForceField *self, int which)
{
    return (dv_data_read(&self->indices[which]), self->indices[which].count) > 0;
}

static DvStatus init(DvObject *object, void *self_)
{
    SurfacePressureForceField *self = self_;
    DvStatus status = dv_single_state_init(object, &self->base);
    if (status == DV_OK)
        status = dv_topology_require(object, &self->topology_link, "a mesh of triangles or quads", &self->topology);
    for (int i = 0; i < 2 && status == DV_OK; i++)
        status = dv_element_set_keep_in(&self->set[i], &self->kept[i], &self->pressure);
    if (status == DV_OK)
        status = select_elements(self);
    if (status != DV_OK) {
        dv_single_state_release(&self->base);
        return status;
    }
    if (dv_data_bool(&self->pulse_mode) && dv_data_double(&self->speed) == 0.0)
        dv_field_warning(&self->speed, -1, "is 0 in pulseMode; it counts as %g Pa/s, the size of the pressure",
                         fabs(dv_data_double(&self->pressure)));
    return DV_OK;
}

static DvStatus keep(DvObject *object, void *self_)
{
    SurfacePressureForceField *self = self_;
    for (int i = 0; i < 2 && dv_object_is_valid(object) && self->set[i].kept; i++)
        dv_element_set_keep(&self->set[i]);
    return DV_OK;
}

static void cleanup(DvObject *object, void *self_)
{
    (void)object;
    SurfacePressureForceField *self = self_;
    dv_element_set_leave(&self->set[0]);
    dv_element_set_leave(&self->set[1]);
    dv_single_state_release(&self->base);
    dv_topology_release(&self->topology);
}

static void destroy(DvObject *object, void *self_)
{
    (void)object;
    SurfacePressureForceField *self = self_;
    dv_element_set_free(&self->set[0]);
    dv_element_set_free(&self->set[1]);
    dv_free(self->pressed);
}

static DvVec3 point_at(const DvConstVec *x, uint32_t point)
{
    return dv_vec3_load(x->at + (size_t)point * x->dim);
}

static bool all_inside(SurfacePressureForceField *self, const uint32_t *element, uint32_t nodes, const DvConstVec *x)
{
    const double *min = dv_data_doubles(&self->min, NULL), *max = dv_data_doubles(&self->max, NULL);
    bool no_box = true;
    for (int c = 0; c < 3; c++)
        no_box = no_box && min[c] == 0.0 && max[c] == 0.0;
    for (uint32_t n = 0; n < nodes; n++) {
        if (element[n] >= x->count)
            return false;
        const double *at = x->at + (size_t)element[n] * x->dim;
        for (int c = 0; c < 3 && !no_box; c++)
            if (at[c] < min[c] || at[c] > max[c])
                return false;
    }
    return true;
}

static bool within(const uint32_t *element, uint32_t nodes, const DvConstVec *x)
{
    for (uint32_t n = 0; n < nodes; n++)
        if (element[n] >= x->count)
            return false;
    return true;
}

/* Calls `visit` with each pressed element of a kind, and how often it is. */
typedef void Visit(SurfacePressureForceField *self, const DvConstVec *x, const uint32_t *element, double share,
                   void *context);
static void for_each(SurfacePressureForceField *self, int which, const DvConstVec *x, bool boxed, Visit *visit,
                     void *context)
{
    const DvElements elements = dv_topology_elements(&self->topology, kinds[which]);
    const uint32_t nodes = dv_element_nodes(kinds[which]);
    const bool listed = is_listed(self, which);
    const uint32_t count = listed ? self->set[which].count : elements.count;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t number = listed ? self->set[which].at[i].element : i;
        const uint32_t *element = elements.at + (size_t)number * nodes;
        if (listed || !boxed ? within(element, nodes, x) : all_inside(self, element, nodes, x))
            visit(self, x, element, listed ? self->set[which].at[i].share : 1.0, context);
    }
}

static void add_triangle_volume(SurfacePressureForceField *self, const DvConstVec *x, const uint32_t *t, double share,
                                void *volume)
{
    (void)self, (void)share;
    *(double *)volume += dv_vec3_dot(dv_vec3_cross(point_at(x, t[0]), point_at(x, t[1])), point_at(x, t[2]));
}

static void add_quad_volume(SurfacePressureForceField *self, const DvConstVec *x, const uint32_t *q, double share,
                            void *volume)
{
    (void)self, (void)share;
    const DvVec3 a = point_at(x, q[0]), c = point_at(x, q[2]);
    *(double *)volume +=
        dv_vec3_dot(dv_vec3_cross(a, point_at(x, q[1])), c) + dv_vec3_dot(dv_vec3_cross(a, c), point_at(x, q[3]));
}

static double conserved(SurfacePressureForceField *self, const DvConstVec *x, double pressure)
{
    double volume = 0.0, wanted = dv_data_double(&self->default_volume);
    for_each(self, 0, x, false, add_triangle_volume, &volume);
    for_each(self, 1, x, false, add_quad_volume, &volume);
    volume /= 6.0;
    if (wanted == -1.0) {
        if (dv_data_double(&self->volume) == -1.0)
            dv_data_set_double(&self->volume, volume);
        wanted = dv_data_double(&self->volume);
    }
    return volume != 0.0 ? pressure * wanted / volume : pressure;
}

/* One evaluation further. */
static double pulsed(SurfacePressureForceField *self, double dt)
{
    const double pressure = dv_data_double(&self->pressure), lower = dv_data_double(&self->lower_bound);
    const double given = dv_data_double(&self->speed), speed = given != 0.0 ? given : fabs(pressure);
    const double high = pressure > 0.0 ? pressure : lower, low = pressure > 0.0 ? lower : pressure;
    int32_t falls = dv_data_int(&self->falls);
    if (falls < 0)
        falls = pressure > 0.0 ? 0 : 1;
    double value = dv_data_double(&self->pulse) + (falls ? -speed : speed) * dt;
    if (falls ? value <= low : value >= high) {
        value = falls ? low : high;
        falls = !falls;
    }
    dv_data_set_double(&self->pulse, value);
    dv_data_set_int(&self->falls, falls);
    return value;
}

static double factor_of(SurfacePressureForceField *self, DvVec3 normal)
{
    const DvVec3 direction = dv_vec3_load(dv_data_doubles(&self->main_direction, NULL));
    const double length = dv_vec3_norm(normal);
    if (dv_vec3_norm_squared(direction) == 0.0 || length == 0.0)
        return 1.0;
    return fabs(dv_vec3_dot(normal, direction)) / length;
}

static void add_at(const DvVec *f, uint32_t point, DvVec3 force)
{
    double *at = f->at + (size_t)point * f->dim;
    dv_vec3_store(dv_vec3_add(dv_vec3_load(at), force), at);
}

static DvVec3 force_of(SurfacePressureForceField *self, DvVec3 ab, DvVec3 ac, double share)
{
    const DvVec3 normal = dv_vec3_cross(ab, ac);
    return dv_vec3_scale(normal, share * self->acting * factor_of(self, normal) / 6.0);
}

typedef struct Pressing {
    const DvVec *f;
    uint32_t count;
} Pressing;

static void remember(SurfacePressureForceField *self, uint32_t at, PressedTriangle one)
{
    if (at == self->pressed_capacity) {
        const uint32_t larger = at > 0 ? 2 * at : 64;
        self->pressed = dv_realloc(self->pressed, at * sizeof one, larger * sizeof one);
        self->pressed_capacity = larger;
    }
    if (at >= self->pressed_count || memcmp(self->pressed[at].point, one.point, sizeof one.point) != 0 ||
        self->pressed[at].share != one.share)
        self->structure++;
    self->pressed[at] = one;
}

static void press_triangle(SurfacePressureForceField *self, const DvConstVec *x, const uint32_t *t, double share,
                           void *context)
{
    Pressing *pressing = context;
    const DvVec3 a = point_at(x, t[0]);
    const PressedTriangle one = {{t[0], t[1], t[2]},
                                 share * self->acting / 6.0,
                                 share,
                                 dv_vec3_sub(point_at(x, t[1]), a),
                                 dv_vec3_sub(point_at(x, t[2]), a)};
    const DvVec3 force = force_of(self, one.ab, one.ac, share);
    for (int n = 0; n < 3; n++)
        add_at(pressing->f, t[n], force);
    remember(self, pressing->count++, one);
}

static void press_quad(SurfacePressureForceField *self, const DvConstVec *x, const uint32_t *q, double share,
                       void *context)
{
    const Pressing *pressing = context;
    const DvVec3 a = point_at(x, q[0]), ac = dv_vec3_sub(point_at(x, q[2]), a);
    const DvVec3 first = force_of(self, dv_vec3_sub(point_at(x, q[1]), a), ac, share);
    const DvVec3 second = force_of(self, ac, dv_vec3_sub(point_at(x, q[3]), a), share);
    add_at(pressing->f, q[0], dv_vec3_add(first, second));
    add_at(pressing->f, q[1], first);
    add_at(pressing->f, q[2], dv_vec3_add(first, second));
    add_at(pressing->f, q[3], second);
}

static void add_force(void *self_, const DvStep *step, const DvConstVec *x, const DvConstVec *v, const DvVec *f)
{
    (void)v;
    SurfacePressureForceField *self = self_;
    const bool other_lists = self->version != dv_data_version(&self->indices[0]) + dv_data_version(&self->indices[1]);
    if ((other_lists || self->set[0].anew || self->set[1].anew) && select_elements(self) != DV_OK)
        return;
    self->acting = dv_data_bool(&self->pulse_mode) ? pulsed(self, step->dt) : dv_data_double(&self->pressure);
    if (dv_data_bool(&self->conserves_volume))
        self->acting = conserved(self, x, self->acting);
    Pressing pressing = {f, 0};
    for_each(self, 0, x, true, press_triangle, &pressing);
    for_each(self, 1, x, true, press_quad, &pressing);
    if (pressing.count != self->pressed_count)
        self->structure++;
    self->pressed_count = pressing.count;
}

/* Those of a mesh that is put back are chosen before it changes again. */
static DvStatus restore(DvObject *object, void *self_)
{
    (void)object;
    SurfacePressureForceField *self = self_;
    const bool kept = self->kept[0].count + self->kept[1].count > 0;
    return !kept && (self->set[0].anew || self->set[1].anew) ? select_elements(self) : DV_OK;
}

static bool has_tangent(SurfacePressureForceField *self)
{
    return self->base.state.dof->rotation || dv_data_bool(&self->use_tangent);
}

/* A number for the edge from p to q, whose negative is that of the way back. */
static uint64_t number_of_edge(uint32_t p, uint32_t q)
{
    const uint64_t low = p < q ? p : q, high = p < q ? q : p;
    uint64_t h = (low << 32 | high) + 0x9e3779b97f4a7c15u;
    h = (h ^ h >> 30) * 0xbf58476d1ce4e5b9u;
    h = (h ^ h >> 27) * 0x94d049bb133111ebu;
    h ^= h >> 31;
    return p < q ? h : 0 - h;
}

/* Of a triangle or quad, to a sum that is zero for a closed surface, and for others once in 2^64. */
static void add_edges(uint64_t *sum, const uint32_t *element, uint32_t nodes, double share)
{
    const uint64_t times = (uint64_t)(int64_t)(share * 0x1p20);
    for (uint32_t n = 0; n < nodes; n++)
        *sum += times * number_of_edge(element[n], element[n + 1 < nodes ? n + 1 : 0]);
}

static void add_triangle_edges(SurfacePressureForceField *self, const DvConstVec *x, const uint32_t *t, double share,
                               void *sum)
{
    (void)self, (void)x;
    add_edges(sum, t, 3, share);
}

static void add_quad_edges(SurfacePressureForceField *self, const DvConstVec *x, const uint32_t *q, double share,
                           void *sum)
{
    (void)self, (void)x;
    add_edges(sum, q, 4, share);
}

/* Whether the triangles of the last force, or those of the positions before the first, have edges that others do not share the other
 * way round; and whether some of these are not of quads either. */
static Rim rim_of(SurfacePressureForceField *self)
{
    const uint32_t quads =
        is_listed(self, 1) ? self->set[1].count : dv_topology_elements(&self->topology, DV_QUADS).count;
    if (self->structure != 0 && self->rim_structure == self->structure && self->rim_quads == quads)
        return self->rim;
    const DvConstVec x = dv_state_read(self->base.state, DV_POSITION);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < self->pressed_count; i++)
        add_edges(&sum, self->pressed[i].point, 3, self->pressed[i].share);
    if (self->structure == 0)
        for_each(self, 0, &x, true, add_triangle_edges, &sum);
    self->rim = sum == 0 ? NO_RIM : RIM;
    if (self->rim != NO_RIM && quads > 0) {
        for_each(self, 1, &x, true, add_quad_edges, &sum);
        self->rim = sum == 0 ? RIM_OF_QUADS : RIM;
    }
    self->rim_structure = self->structure;
    self->rim_quads = quads;
    return self->rim;
}

static DvSymmetry symmetry(void *self_)
{
    SurfacePressureForceField *self = self_;
    return has_tangent(self) && rim_of(self) != NO_RIM ? DV_SYMMETRIC_WITHOUT : DV_SYMMETRIC;
}

/* Whether products and matrices have anything of it. */
static bool takes_part(SurfacePressureForceField *self, DvMatrixKind kind)
{
    if (!has_tangent(self) || kind == DV_MATRIX_ANY)
        return has_tangent(self);
    const Rim rim = rim_of(self);
    return rim == NO_RIM || (rim == RIM_OF_QUADS && kind == DV_MATRIX_NEARLY_SYMMETRIC);
}

static void add_dforce(void *self_, const DvStep *step, double k, double b, const DvConstVec *dx, const DvVec *df)
{
    (void)b;
    SurfacePressureForceField *self = self_;
    const bool part = takes_part(self, step->kind);
    for (uint32_t i = 0; i < self->pressed_count && part; i++) {
        const PressedTriangle *t = &self->pressed[i];
        if (!within(t->point, 3, dx))
            continue;
        const DvVec3 bc = dv_vec3_sub(t->ac, t->ab);
        DvVec3 change = dv_vec3_cross(bc, point_at(dx, t->point[0]));
        change = dv_vec3_sub(change, dv_vec3_cross(t->ac, point_at(dx, t->point[1])));
        change = dv_vec3_add(change, dv_vec3_cross(t->ab, point_at(dx, t->point[2])));
        for (int n = 0; n < 3; n++)
            add_at(df, t->point[n], dv_vec3_scale(change, k * t->factor));
    }
}

/* Triangle i: couplings 9 i + 3 n + m, of its points n and m. */
static void reserve(void *self_, DvPattern *pattern)
{
    SurfacePressureForceField *self = self_;
    for (uint32_t i = 0; i < self->pressed_count && has_tangent(self); i++)
        for (int pair = 0; pair < 9; pair++)
            dv_pattern_add(pattern, self->pressed[i].point[pair / 3], self->pressed[i].point[pair % 3]);
}

static void assemble(void *self_, const DvStep *step, double k, double b, const DvMatrixView *view)
{
    (void)b;
    SurfacePressureForceField *self = self_;
    const uint32_t deriv = self->base.state.dof->deriv;
    const bool part = takes_part(self, step->kind);
    for (uint32_t i = 0; i < self->pressed_count && part; i++) {
        const PressedTriangle *t = &self->pressed[i];
        const DvVec3 arm[3] = {dv_vec3_sub(t->ac, t->ab), dv_vec3_scale(t->ac, -1.0), t->ab};
        for (uint32_t pair = 0; pair < 9; pair++) {
            const DvVec3 w = arm[pair % 3];
            const double cross[3][3] = {{0.0, -w.z, w.y}, {w.z, 0.0, -w.x}, {-w.y, w.x, 0.0}};
            double dense[36] = {0.0};
            for (uint32_t c = 0; c < 9; c++)
                dense[c / 3 * deriv + c % 3] = cross[c / 3][c % 3];
            dv_view_add(view, 9 * i + pair, dense, k * t->factor);
        }
    }
}

static uint64_t structure(void *self_)
{
    SurfacePressureForceField *self = self_;
    return 2 * self->structure + (has_tangent(self) ? 1 : 0);
}

static const DvForceFieldOps ops = {
    LOAD_OPS,
    .symmetry = symmetry,
};

static void draw(void *self_, DvDraw *target)
{
    SurfacePressureForceField *self = self_;
    if (!dv_draw_shows(target, DV_DISPLAY_FORCE_FIELDS) || !self->base.state.ops ||
        !(dv_data_double(&self->draw_scale) > 0.0))
        return;
    static const double green[4] = {0.0, 1.0, 0.0, 1.0};
    const DvConstVec x = dv_state_read(self->base.state, DV_POSITION);
    const double scale = dv_data_double(&self->draw_scale);
    double *ends = dv_alloc(self->pressed_count, 6 * sizeof *ends);
    uint32_t count = 0;
    for (uint32_t i = 0; i < self->pressed_count; i++) {
        const PressedTriangle *t = &self->pressed[i];
        if (!within(t->point, 3, &x))
            continue;
        const DvVec3 middle = dv_vec3_scale(
            dv_vec3_add(dv_vec3_add(point_at(&x, t->point[0]), point_at(&x, t->point[1])), point_at(&x, t->point[2])),
            1.0 / 3.0);
        const DvVec3 force = dv_vec3_scale(dv_vec3_cross(t->ab, t->ac), 3.0 * t->factor * scale);
        dv_vec3_store(middle, ends + 6 * (size_t)count);
        dv_vec3_store(dv_vec3_add(middle, force), ends + 6 * (size_t)count + 3);
        count++;
    }
    target->ops->lines(target, ends, count, 1.0, green);
    dv_free(ends);
}

/* The pulse begins anew. */
static void reset(DvObject *object, void *self_)
{
    (void)object;
    SurfacePressureForceField *self = self_;
    dv_data_set_double(&self->pulse, 0.0);
    dv_data_set_int(&self->falls, -1);
}

static const DvDrawableOps drawable = {.size = sizeof drawable, .draw = draw};

const DvClass dv_surface_pressure_force_field = {
    .size = sizeof(DvClass),
    .name = "SurfacePressureForceField",
    .variants = "Rigid3d Vec3d",
    DV_FORCE_FIELD_CLASS("ForceField"),
    .module = "Sofa.Component.MechanicalLoad",
    .help = "A pressure normal to a surface, constant, in pulses, or of an enclosed gas.",
    .instance_size = sizeof(SurfacePressureForceField),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_FORCE_FIELD, .ops = &ops}, {.id = DV_DRAWABLE, .ops = &drawable}, {0}},
    .init = init,
    .update = keep,
    .reset = reset,
    .restore = restore,
    .cleanup = cleanup,
    .destroy = destroy,
};
