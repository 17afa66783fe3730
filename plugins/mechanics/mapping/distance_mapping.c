/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * DistanceMapping, SquareDistanceMapping: a number for each edge of a mesh, from the distance l of its ends.
 *
 *                          output        J at b (at a its negative)    Hessian on (a,a), (b,b) (minus that on (a,b), (b,a))
 *   DistanceMapping        l - rest      u = (x_b - x_a) / l           (I - u u^T) / l
 *   SquareDistanceMapping  l^2           2 (x_b - x_a)                 2 I
 *
 * Two ends in one place have no direction: u is then (1 1 1) / sqrt(3), their Hessian 0. Of frames only the centres count.
 *
 * Geometric stiffness: the force f_e of an edge times its Hessian. Exact takes all, Stabilized those with f_e < 0, which pull: the
 * Hessian is positive semi-definite, so what is left never spoils the definiteness of an implicit step.
 *
 * Edges that a mesh gains while it runs are at rest as long as they are then. Each end gathers its edges in ascending order.
 */
#include <divan/kit/mapping.h>

#include <divan/contracts/topology.h>
#include <divan/contracts/visual.h>
#include <divan/element_data.h>
#include <divan/math/vec.h>
#include <divan/parallel.h>
#include <divan/plugin.h>
#include <divan/types/color.h>

#include <string.h>

enum { EDGES_PER_CHUNK = 2048, POINTS_PER_CHUNK = 1024 };
enum { STIFFNESS_NONE, STIFFNESS_EXACT, STIFFNESS_STABILIZED };

/* Shorter edges have no direction, m. */
static const double SHORTEST = 2.2204460492503131e-16;

typedef struct DistanceMapping {
    DvSingleMapping base;
    DvData geometric_stiffness, compute_distance, rest_lengths, show_object_scale, show_color;
    DvLink topology_link;
    bool square;

    DvTopologyRef topology;
    DvElementData rest;   /* double[edges] of a mesh that may change: rest lengths; NaN of an edge that has just come */
    DvElementData points; /* of such a mesh: tells of its points, whose number a state beside it follows */
    uint32_t edges;
    uint32_t (*edge)[2];   /* [edges] */
    uint32_t ends;         /* 1 + the largest point that an edge names */
    uint32_t *point_start; /* [ends + 1] */
    uint32_t *incident;    /* [2 edges] 2 x edge + side, by point, ascending */
    DvVec3 *direction;     /* [edges] J at b */
    double *curvature;     /* [edges] factor of the Hessian: 1 / l, or 2 */
    bool applied;
    DvJacobian jacobian;
    uint64_t structure; /* + 1 when the edges are others */
} DistanceMapping;

static const char *const stiffness_choices[] = {"None", "Exact", "Stabilized", NULL};

#define SHARED_FIELDS                                                                                              \
    DV_SINGLE_MAPPING_FIELDS(DistanceMapping),                                                                     \
        DV_FIELD(DistanceMapping, geometric_stiffness, "geometricStiffness", dv_type_choice, .init = "Stabilized", \
                 .choices = stiffness_choices, .help = "how the turning of edges under load counts as stiffness"), \
        DV_LINK(DistanceMapping, topology_link, "topology", DV_TOPOLOGY,                                           \
                .help = "mesh whose edges are measured; by default that of the node or above"),                    \
        DV_FIELD(DistanceMapping, show_object_scale, "showObjectScale", dv_type_double, .init = "0", .unit = "m",  \
                 .range = &dv_range_not_negative, .flags = DV_FIELD_DRAWING,                                       \
                 .help = "radius of the ends of the edges that are shown; 0: none is"),                            \
        DV_FIELD(DistanceMapping, show_color, "showColor", dv_type_color, .init = "1 1 0 1",                       \
                 .flags = DV_FIELD_DRAWING, .help = "color of the edges that are shown")

static const DvField distance_fields[] = {
    SHARED_FIELDS,
    DV_FIELD(DistanceMapping, compute_distance, "computeDistance", dv_type_bool, .init = "0", .flags = DV_FIELD_AT_LOAD,
             .help = "rest lengths that are not given are 0: the output is the distance itself"),
    DV_FIELD(DistanceMapping, rest_lengths, "restLengths", dv_type_doubles, .unit = "m",
             .range = &dv_range_not_negative, .flags = DV_FIELD_LENIENT | DV_FIELD_EMPTY_IS_DEFAULT,
             .help = "of each edge; by default its length when the scene starts"),
    {0},
};

static const DvField square_distance_fields[] = {SHARED_FIELDS, {0}};

/* ---- Edges */

static void forget_edges(DistanceMapping *self)
{
    dv_free(self->edge);
    dv_free(self->point_start);
    dv_free(self->incident);
    dv_free(self->direction);
    dv_free(self->curvature);
    self->edge = NULL;
    self->point_start = self->incident = NULL;
    self->direction = NULL;
    self->curvature = NULL;
    self->edges = self->ends = 0;
    self->applied = false;
}

static void list_edges_of_points(DistanceMapping *self)
{
    self->point_start = dv_alloc((size_t)self->ends + 1, sizeof *self->point_start);
    self->incident = dv_alloc(2 * (size_t)self->edges, sizeof *self->incident);
    uint32_t *at = dv_alloc((size_t)self->ends + 1, sizeof *at);
    for (uint32_t e = 0; e < self->edges; e++)
        for (int side = 0; side < 2; side++)
            self->point_start[self->edge[e][side] + 1]++;
    for (uint32_t p = 0; p < self->ends; p++)
        at[p + 1] = self->point_start[p + 1] += self->point_start[p];
    for (uint32_t e = 0; e < self->edges; e++)
        for (uint32_t side = 0; side < 2; side++)
            self->incident[at[self->edge[e][side]]++] = 2 * e + side;
    dv_free(at);
}

/* The edges of the mesh as it is, between the points of a state of `points`. */
static DvStatus read_edges(DistanceMapping *self, uint32_t points)
{
    const DvElements edges = dv_topology_elements(&self->topology, DV_EDGES);
    forget_edges(self);
    (void)dv_topology_changed(&self->topology);
    for (uint32_t e = 0; e < edges.count; e++) {
        const uint32_t *end = edges.at + 2 * (size_t)e, largest = end[0] > end[1] ? end[0] : end[1];
        if (largest >= points) {
            DvText text = {0};
            dv_text_add_missing(&text, "point", largest, "the state", points, edges.at, 2 * (size_t)edges.count);
            const DvStatus status =
                dv_error(dv_object_of(self), DV_ERROR_INVALID, "edge %u of the topology: %s", e, text.at);
            dv_text_free(&text);
            return status;
        }
        if (end[0] == end[1])
            return dv_error(dv_object_of(self), DV_ERROR_INVALID, "edge %u of the topology: both its ends are point %u",
                            e, end[0]);
        self->ends = largest >= self->ends ? largest + 1 : self->ends;
    }
    self->structure++;
    self->edges = edges.count;
    self->edge = dv_alloc(edges.count, sizeof *self->edge);
    self->direction = dv_alloc(edges.count, sizeof *self->direction);
    self->curvature = dv_alloc(edges.count, sizeof *self->curvature);
    if (edges.count)
        memcpy(self->edge, edges.at, edges.count * sizeof *self->edge);
    list_edges_of_points(self);
    return DV_OK;
}

static DvVec3 span(const DistanceMapping *self, const DvConstVec *x, uint32_t e)
{
    return dv_vec3_sub(dv_vec3_load(x->at + (size_t)self->edge[e][1] * x->dim),
                       dv_vec3_load(x->at + (size_t)self->edge[e][0] * x->dim));
}

/* Between frames that are turned by an angle t against each other sin(t / 2)^2 is added to the square: the length of the
 * difference of their coordinates. Scenes start from it. */
static double rest_length(const DistanceMapping *self, const DvConstVec *x, uint32_t e)
{
    double square = dv_vec3_norm_squared(span(self, x, e));
    if (self->base.in.dof->rotation) {
        const double *a = x->at + (size_t)self->edge[e][0] * x->dim + 3,
                     *b = x->at + (size_t)self->edge[e][1] * x->dim + 3;
        const double cosine = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
        square += 1.0 - cosine * cosine;
    }
    return sqrt(square);
}

/* Edges that have just come to a mesh. */
static void measure_new_edges(DistanceMapping *self, const DvConstVec *x)
{
    double *rest = self->rest.entries;
    const uint32_t count = self->rest.count < self->edges ? self->rest.count : self->edges;
    for (uint32_t e = 0; e < count; e++)
        if (isnan(rest[e]))
            rest[e] = dv_data_bool(&self->compute_distance) ? 0.0 : rest_length(self, x, e);
    dv_data_set(&self->rest_lengths, rest, count);
}

/* Whether the edges may be used; reads them anew when the mesh has changed. */
static bool current(DistanceMapping *self, const DvConstVec *x)
{
    if (self->topology.ops && dv_topology_changed(&self->topology)) {
        if (read_edges(self, x->count) != DV_OK) {
            dv_object_set_state(dv_object_of(self), DV_COMPONENT_INVALID);
            return false;
        }
        if (!self->square && self->rest.topology)
            measure_new_edges(self, x);
    }
    return self->topology.ops && self->ends <= x->count;
}

/* ---- The contract */

typedef struct Work {
    DistanceMapping *self;
    const double *rest; /* NULL: none is subtracted */
    const DvConstVec *from, *dx;
    const DvVec *to;
    double k;
    int kind;
} Work;

static void measure(void *context, uint32_t begin, uint32_t end)
{
    const Work *w = context;
    DistanceMapping *self = w->self;
    for (uint32_t e = begin; e < end; e++) {
        const DvVec3 g = span(self, w->from, e);
        const double square = dv_vec3_norm_squared(g);
        if (self->square) {
            w->to->at[e] = square;
            self->direction[e] = dv_vec3_scale(g, 2.0);
            self->curvature[e] = 2.0;
            continue;
        }
        static const double third = 0.57735026918962576; /* 1 / sqrt(3) */
        const double length = sqrt(square);
        w->to->at[e] = w->rest ? length - w->rest[e] : length;
        self->curvature[e] = length > SHORTEST ? 1.0 / length : 0.0;
        self->direction[e] = length > SHORTEST ? dv_vec3_scale(g, self->curvature[e]) : dv_vec3(third, third, third);
    }
}

static void apply(void *self_, const DvStep *step, const DvConstVec *in, const DvVec *out)
{
    (void)step;
    DistanceMapping *self = self_;
    if (!current(self, in) || out->count < self->edges)
        return;
    size_t given = 0;
    const double *rest = self->square ? NULL : dv_data_doubles(&self->rest_lengths, &given);
    dv_parallel_for(self->edges, EDGES_PER_CHUNK, measure,
                    &(Work){.self = self, .rest = given == self->edges ? rest : NULL, .from = in, .to = out});
    self->applied = true;
}

static bool usable(const DistanceMapping *self, uint32_t points, uint32_t outputs)
{
    return self->applied && self->ends <= points && self->edges <= outputs;
}

static void rates(void *context, uint32_t begin, uint32_t end)
{
    const Work *w = context;
    for (uint32_t e = begin; e < end; e++)
        w->to->at[e] = dv_vec3_dot(w->self->direction[e], span(w->self, w->from, e));
}

static void apply_j(void *self_, const DvStep *step, const DvConstVec *in, const DvVec *out)
{
    (void)step;
    DistanceMapping *self = self_;
    if (!usable(self, in->count, out->count))
        return;
    dv_parallel_for(self->edges, EDGES_PER_CHUNK, rates, &(Work){.self = self, .from = in, .to = out});
    memset(out->at + self->edges, 0, (out->count - self->edges) * sizeof *out->at);
}

static void pull(void *context, uint32_t begin, uint32_t end)
{
    const Work *w = context;
    const DistanceMapping *self = w->self;
    for (uint32_t p = begin; p < end; p++) {
        DvVec3 sum = dv_vec3_zero();
        for (uint32_t i = self->point_start[p]; i < self->point_start[p + 1]; i++) {
            const uint32_t e = self->incident[i] / 2;
            const double force = w->from->at[e];
            sum = dv_vec3_madd(sum, self->incident[i] % 2 ? force : -force, self->direction[e]);
        }
        dv_vec3_accumulate(sum, w->to->at + (size_t)p * w->to->dim);
    }
}

static void apply_jt(void *self_, const DvStep *step, const DvConstVec *out, const DvVec *in)
{
    (void)step;
    DistanceMapping *self = self_;
    if (usable(self, in->count, out->count))
        dv_parallel_for(self->ends, POINTS_PER_CHUNK, pull, &(Work){.self = self, .from = out, .to = in});
}

/* ---- Geometric stiffness */

/* The factor of (I - u u^T), or of I, for edge e. */
static double stiffness_of_edge(const DistanceMapping *self, int kind, uint32_t e, double force)
{
    return kind == STIFFNESS_EXACT || force < 0.0 ? force * self->curvature[e] : 0.0;
}

static void stiffen(void *context, uint32_t begin, uint32_t end)
{
    const Work *w = context;
    const DistanceMapping *self = w->self;
    for (uint32_t p = begin; p < end; p++) {
        DvVec3 sum = dv_vec3_zero();
        for (uint32_t i = self->point_start[p]; i < self->point_start[p + 1]; i++) {
            const uint32_t e = self->incident[i] / 2;
            const double factor =
                stiffness_of_edge(self, w->kind, e, w->from->at[e]) * (self->incident[i] % 2 ? 1.0 : -1.0);
            const DvVec3 d = span(self, w->dx, e);
            const double along = self->square ? 0.0 : dv_vec3_dot(self->direction[e], d);
            sum = dv_vec3_madd(sum, factor, dv_vec3_madd(d, -along, self->direction[e]));
        }
        dv_vec3_accumulate(dv_vec3_scale(sum, w->k), w->to->at + (size_t)p * w->to->dim);
    }
}

static void apply_djt(void *self_, const DvStep *step, double k, const DvConstVec *f, const DvConstVec *dx,
                      const DvVec *df)
{
    (void)step;
    DistanceMapping *self = self_;
    const int kind = dv_data_choice(&self->geometric_stiffness);
    if (kind != STIFFNESS_NONE && f->at && usable(self, dx->count, f->count))
        dv_parallel_for(self->ends, POINTS_PER_CHUNK, stiffen,
                        &(Work){.self = self, .from = f, .dx = dx, .to = df, .k = k, .kind = kind});
}

static void reserve_stiffness(void *self_, DvPattern *pattern)
{
    const DistanceMapping *self = self_;
    for (uint32_t e = 0; e < self->edges; e++)
        for (uint32_t i = 0; i < 4; i++)
            dv_pattern_add(pattern, self->edge[e][i / 2], self->edge[e][i % 2]);
}

static void assemble_stiffness(void *self_, double k, const DvConstVec *f, const DvMatrixView *view)
{
    DistanceMapping *self = self_;
    const int kind = dv_data_choice(&self->geometric_stiffness);
    if (kind == STIFFNESS_NONE || !f->at || !usable(self, self->ends, f->count))
        return;
    const uint32_t deriv = self->base.in.dof->deriv;
    for (uint32_t e = 0; e < self->edges; e++) {
        const double factor = k * stiffness_of_edge(self, kind, e, f->at[e]);
        double u[3], block[6 * 6] = {0.0};
        if (factor == 0.0)
            continue;
        dv_vec3_store(self->direction[e], u);
        for (uint32_t r = 0; r < 3; r++)
            for (uint32_t c = 0; c < 3; c++)
                block[r * deriv + c] = (r == c ? 1.0 : 0.0) - (self->square ? 0.0 : u[r] * u[c]);
        for (uint32_t i = 0; i < 4; i++)
            dv_view_add(view, 4 * e + i, block, i / 2 == i % 2 ? factor : -factor);
    }
}

/* ---- J by blocks */

static void free_jacobian(DistanceMapping *self)
{
    dv_free((void *)self->jacobian.row_start);
    dv_free((void *)self->jacobian.columns);
    dv_free((void *)self->jacobian.values);
    self->jacobian = (DvJacobian){0};
}

static void start_jacobian(DistanceMapping *self, uint32_t rows, uint32_t columns)
{
    const uint32_t edges = self->edges < rows ? self->edges : rows;
    free_jacobian(self);
    uint32_t *row_start = dv_alloc((size_t)rows + 1, sizeof *row_start);
    uint32_t *column = dv_alloc(2 * (size_t)edges, sizeof *column);
    for (uint32_t i = 0; i < rows; i++)
        row_start[i + 1] = i < edges ? 2 * (i + 1) : 2 * edges;
    for (uint32_t e = 0; e < edges; e++) {
        const bool ascending = self->edge[e][0] < self->edge[e][1];
        column[2 * (size_t)e] = self->edge[e][ascending ? 0 : 1];
        column[2 * (size_t)e + 1] = self->edge[e][ascending ? 1 : 0];
    }
    double *values = dv_alloc(2 * (size_t)edges * self->base.in.dof->deriv, sizeof *values);
    self->jacobian = (DvJacobian){rows, columns, row_start, column, values, self->structure, 0};
}

static const DvJacobian *jacobian(void *self_, uint32_t output, uint32_t input)
{
    (void)output, (void)input;
    DistanceMapping *self = self_;
    DvJacobian *j = &self->jacobian;
    const uint32_t rows = dv_state_count(self->base.out), columns = dv_state_count(self->base.in);
    const uint32_t deriv = self->base.in.dof->deriv;
    if (j->structure != self->structure || j->rows != rows || j->columns_count != columns)
        start_jacobian(self, rows, columns);
    double *block = (double *)j->values;
    for (uint32_t entry = 0; entry < j->row_start[rows]; entry++, block += deriv) {
        const uint32_t e = entry / 2;
        const bool at_end = j->columns[entry] == self->edge[e][1];
        dv_vec3_store(at_end ? self->direction[e] : dv_vec3_neg(self->direction[e]), block);
    }
    return j;
}

static const DvMappingOps ops = {
    .size = sizeof ops,
    .space = DV_HOST,
    .inputs = dv_single_mapping_inputs,
    .outputs = dv_single_mapping_outputs,
    .maps_forces = dv_single_mapping_maps_forces,
    .maps_constraints = dv_single_mapping_maps_constraints,
    .is_mechanical = dv_single_mapping_is_mechanical,
    .keeps_topology = dv_mapping_no,
    .apply = apply,
    .apply_j = apply_j,
    .apply_jt = apply_jt,
    .apply_djt = apply_djt,
    .jacobian = jacobian,
    .output_points = dv_single_mapping_output_points,
    .reserve_stiffness = reserve_stiffness,
    .assemble_stiffness = assemble_stiffness,
};

/* ---- Showing */

static void draw(void *self_, DvDraw *target)
{
    DistanceMapping *self = self_;
    const double radius = dv_data_double(&self->show_object_scale);
    const double *color = dv_data_doubles(&self->show_color, NULL);
    if (!dv_draw_shows(target, DV_DISPLAY_MECHANICAL_MAPPINGS) || !(radius > 0.0) || !self->applied)
        return;
    const DvConstVec x = dv_state_read(self->base.in, DV_POSITION);
    if (!x.at || self->ends > x.count)
        return;
    const uint32_t ends = 2 * self->edges;
    double *points = dv_alloc(ends, 3 * sizeof *points), *radii = dv_alloc(ends, sizeof *radii);
    for (uint32_t i = 0; i < ends; i++) {
        memcpy(points + 3 * (size_t)i, x.at + (size_t)self->edge[i / 2][i % 2] * x.dim, 3 * sizeof *points);
        radii[i] = radius;
    }
    target->ops->lines(target, points, self->edges, 1.0, color);
    target->ops->spheres(target, points, radii, ends, color);
    dv_free(points);
    dv_free(radii);
}

static const DvDrawableOps drawable = {.size = sizeof drawable, .draw = draw};

/* ---- Life */

static void edge_added(DvElementData *data, const DvElementChange *change, uint32_t first)
{
    double *rest = data->entries;
    for (uint32_t i = 0; i < change->count; i++)
        rest[first + i] = NAN;
}

/* Points, or edges, are others: as many outputs as edges. */
static void mesh_changed(DvElementData *data, const DvElementChange *change)
{
    DistanceMapping *self = data->owner;
    if (change->change != DV_POINTS_MOVED)
        self->base.out.ops->resize(self->base.out.self, self->rest.count);
}

static DvStatus watch_mesh(DistanceMapping *self)
{
    self->rest = (DvElementData){
        .kind = DV_EDGES, .entry_size = sizeof(double), .owner = self, .added = edge_added, .changed = mesh_changed};
    self->points = (DvElementData){.kind = DV_POINTS, .entry_size = 1, .owner = self, .changed = mesh_changed};
    DvStatus status = dv_element_data_attach(&self->rest, self->topology.object);
    if (status == DV_OK)
        status = dv_element_data_attach(&self->points, self->topology.object);
    return status;
}

static void take_rest_lengths(DistanceMapping *self, const DvConstVec *x)
{
    size_t given;
    const double *rest = dv_data_doubles(&self->rest_lengths, &given);
    if (given != self->edges) {
        if (given > 0)
            dv_field_warning(&self->rest_lengths, -1, "%zu for %u edges: those of the start of the scene are taken",
                             given, self->edges);
        double *at = dv_data_begin_all(&self->rest_lengths, self->edges);
        for (uint32_t e = 0; e < self->edges; e++)
            at[e] = dv_data_bool(&self->compute_distance) ? 0.0 : rest_length(self, x, e);
        dv_data_end(&self->rest_lengths);
        rest = dv_data_doubles(&self->rest_lengths, &given);
    }
    if (self->rest.topology && self->edges > 0)
        memcpy(self->rest.entries, rest, self->edges * sizeof *rest);
}

static void release(DistanceMapping *self)
{
    dv_element_data_detach(&self->rest);
    dv_element_data_detach(&self->points);
    dv_topology_release(&self->topology);
    dv_single_mapping_release(&self->base);
}

/* Also when a saved run was put back: edges and rest lengths are those of then, J that of its positions. */
static DvStatus init(DvObject *object, void *self_)
{
    DistanceMapping *self = self_;
    DvSingleMapping *base = &self->base;
    release(self);
    DvStatus status = dv_single_mapping_init(object, base);
    if (status == DV_OK)
        status = dv_topology_require(object, &self->topology_link, "a container of edges", &self->topology);
    if (status != DV_OK)
        return status;
    const DvConstVec x = dv_state_read(base->in, DV_POSITION);
    status = read_edges(self, x.at ? x.count : 0);
    if (status != DV_OK)
        return status;
    if (self->edges == 0)
        return dv_error(object, DV_ERROR_INVALID, "topology '%s' has no edges to measure",
                        dv_object_name(self->topology.object));
    if (self->topology.ops->is_dynamic(self->topology.self) && (status = watch_mesh(self)) != DV_OK)
        return status;
    base->out.ops->resize(base->out.self, self->edges);
    if (!self->square)
        take_rest_lengths(self, &x);
    dv_mapping_apply_all(base, &ops);
    return DV_OK;
}

static DvStatus construct_square(DvObject *object, void *self)
{
    (void)object;
    ((DistanceMapping *)self)->square = true;
    return DV_OK;
}

static void cleanup(DvObject *object, void *self)
{
    (void)object;
    release(self);
}

static void destroy(DvObject *object, void *self)
{
    (void)object;
    forget_edges(self);
    free_jacobian(self);
}

#define DISTANCE_CLASS                                                                                               \
    .size = sizeof(DvClass), .variants = "Rigid3d,Vec1d Vec3d,Vec1d", DV_MAPPING_CLASS,                              \
    .module = "Sofa.Component.Mapping.NonLinear", .instance_size = sizeof(DistanceMapping),                          \
    .contracts = (const DvContract[]){{DV_MAPPING, &ops, .slot = true}, {.id = DV_DRAWABLE, .ops = &drawable}, {0}}, \
    .init = init, .reinit = init, .restore = init, .cleanup = cleanup, .destroy = destroy

const DvClass dv_distance_mapping = {
    .name = "DistanceMapping",
    DISTANCE_CLASS,
    .help = "How much longer than at rest the edges of a mesh are.",
    .fields = distance_fields,
};

const DvClass dv_square_distance_mapping = {
    .name = "SquareDistanceMapping",
    DISTANCE_CLASS,
    .help = "The squares of the lengths of the edges of a mesh.",
    .fields = square_distance_fields,
    .construct = construct_square,
};
