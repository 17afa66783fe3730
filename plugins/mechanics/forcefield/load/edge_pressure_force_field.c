/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * EdgePressureForceField: a force per length on some edges of a mesh.
 *
 *   each end of an edge gets half of   p L        p: pressure, L: length at rest
 *                                or   s n L       s: p_intensity, where pressure is zero
 *
 * n = b x t / |b x t| with the binormal b and the direction t of the edge; without b it is z x t, and points to the third point of the
 * triangle of a border edge. Directions are those of the current positions. There is no derivative: s n L is explicit.
 *
 * The edges are those between two planes at rest, those of a list of numbers and those of a list of pairs of points. They stay loaded
 * when the mesh changes, see element_set.h.
 */
#include "forcefield/load/element_set.h"

typedef struct EdgePressureForceField {
    SingleState base;
    DvLink topology_link;
    DvData pressure, indices, edges, normal, dmin, dmax, intensity, binormal, info;
    DvData arrow_size, show_forces;

    DvTopologyRef topology, triangles; /* triangles: of the mesh, or of one above that has some; ops NULL: none */
    ElementSet set;
    uint64_t version;
} EdgePressureForceField;

#define FIELD(member, name, type, ...) DV_FIELD(EdgePressureForceField, member, name, type, __VA_ARGS__)
static const DvField fields[] = {
    SINGLE_STATE_FIELDS(EdgePressureForceField, base),
    DV_LINK(EdgePressureForceField, topology_link, "topology", DV_TOPOLOGY,
            .help = "mesh; that of the node by default"),
    FIELD(info, "edgePressureMap", dv_type_doubles, .unit = "m",
          .flags = DV_FIELD_READ_ONLY | DV_FIELD_OUTPUT | DV_FIELD_HIDDEN,
          .help = "length of each edge that is loaded at the start"),
    FIELD(pressure, "pressure", dv_type_vec3d, .unit = "N/m", .help = "force per length of the rest shape"),
    FIELD(indices, "edgeIndices", dv_type_uints,
          .help = "edges that are loaded; they stay so when the mesh changes, and what they are split into"),
    FIELD(edges, "edges", dv_type_edges,
          .help = "further ones, by their points; of a list that is linked, those at the start"),
    FIELD(normal, "normal", dv_type_vec3d, .help = "of the planes between which edges are loaded"),
    FIELD(dmin, "dmin", dv_type_double, .init = "0", .unit = "m",
          .help = "first plane: x . normal is larger at both points"),
    FIELD(dmax, "dmax", dv_type_double, .init = "0", .unit = "m",
          .help = "second plane: x . normal is smaller; the same as dmin: none"),
    FIELD(arrow_size, "arrowSizeCoef", dv_type_double, .init = "0", .flags = DV_FIELD_DRAWING,
          .help = "length of arrows per newton"),
    FIELD(intensity, "p_intensity", dv_type_doubles, .unit = "N/m",
          .help =
              "force per length across each edge, one for all or one for each in the order of the lists; acts where "
              "pressure is zero"),
    FIELD(binormal, "binormal", dv_type_vec3d,
          .help = "such forces are normal to it; when zero they lie in the x-y plane and point inwards"),
    FIELD(show_forces, "showForces", dv_type_bool, .init = "0", .flags = DV_FIELD_DRAWING,
          .help = "draw the loaded edges"),
    {0},
};

/* Pairs that a link gives change with a mesh: what is loaded then are those of the start. */
static uint64_t version_of(EdgePressureForceField *self)
{
    const uint64_t pairs = dv_data_parent(&self->edges) ? 0 : dv_data_version(&self->edges);
    return dv_data_version(&self->indices) + pairs + dv_data_version(&self->normal) + dv_data_version(&self->dmin) +
           dv_data_version(&self->dmax);
}

/* Edges of the mesh by their points: those of the list, looked up around the first point. */
static DvStatus add_pairs(EdgePressureForceField *self)
{
    const uint32_t *pair = dv_data_read(&self->edges);
    const size_t count = self->edges.count;
    const DvElements edges = dv_topology_elements(&self->topology, DV_EDGES);
    const DvAdjacency around = self->topology.ops->adjacency(self->topology.self, DV_POINTS, DV_EDGES);
    for (size_t i = 0; i < count; i++) {
        const uint32_t a = pair[2 * i], b = pair[2 * i + 1];
        uint32_t found = UINT32_MAX;
        for (uint32_t k = a < around.count ? around.begin[a] : 0; a < around.count && k < around.end[a]; k++) {
            const uint32_t *ends = edges.at + 2 * (size_t)around.items[k];
            if ((ends[0] == a && ends[1] == b) || (ends[0] == b && ends[1] == a))
                found = around.items[k];
        }
        if (found == UINT32_MAX)
            return dv_field_error(&self->edges, (int64_t)i, "the mesh has no edge between points %u and %u", a, b);
        element_set_add(&self->set, found, self->set.count, false);
    }
    return DV_OK;
}

static DvStatus select_elements(EdgePressureForceField *self)
{
    self->version = version_of(self);
    DvStatus status = element_set_start(&self->set, self->topology.object, DV_EDGES);
    if (status != DV_OK)
        return status;
    const double dmin = dv_data_double(&self->dmin), dmax = dv_data_double(&self->dmax);
    const DvConstVec rest = dv_state_read(self->base.state, DV_REST_POSITION);
    if (dmin != dmax)
        element_set_add_between(&self->set, &self->topology, &rest, dv_data_doubles(&self->normal, NULL), dmin, dmax);
    status = element_set_add_list(&self->set, &self->indices, "edge", false);
    return status == DV_OK ? add_pairs(self) : status;
}

static bool update(EdgePressureForceField *self)
{
    if (self->version != version_of(self) && select_elements(self) != DV_OK)
        return false;
    const DvConstVec rest = dv_state_read(self->base.state, DV_REST_POSITION);
    element_set_measure(&self->set, &self->topology, &rest);
    return true;
}

/* The mesh itself when it has triangles, else the nearest above that has. */
static DvStatus find_triangles(EdgePressureForceField *self)
{
    DvObject *found = self->topology.object;
    DvNode *node = dv_object_node(found);
    while (node) {
        const DvTopologyOps *ops = found ? dv_object_ops(found, DV_TOPOLOGY) : NULL;
        if (ops && ops->elements(dv_object_self(found), DV_TRIANGLES).count > 0)
            return dv_topology_take(dv_object_of(self), found, &self->triangles);
        node = dv_node_parent(node, 0);
        found = node ? dv_node_slot(node, DV_TOPOLOGY) : NULL;
    }
    return DV_OK;
}

static DvStatus init(DvObject *object, void *self_)
{
    EdgePressureForceField *self = self_;
    DvConstVec rest;
    DvStatus status = single_state_init(object, &self->base);
    if (status == DV_OK)
        status = dv_topology_require(object, &self->topology_link, "a container of edges", &self->topology);
    if (status == DV_OK)
        status = state_at_rest(object, self->base.state, &rest);
    if (status == DV_OK)
        status = find_triangles(self);
    if (status == DV_OK)
        status = select_elements(self);
    if (status != DV_OK) {
        single_state_release(&self->base);
        return status;
    }
    element_set_measure(&self->set, &self->topology, &rest);
    const DvVec3 pressure = dv_vec3_load(dv_data_doubles(&self->pressure, NULL));
    size_t intensities;
    (void)dv_data_doubles(&self->intensity, &intensities);
    if (self->set.count == 0)
        dv_warning(object, "no edge is loaded; give 'edgeIndices', 'edges', or planes by 'normal', 'dmin' and 'dmax'");
    else if (dv_vec3_norm_squared(pressure) == 0.0 && intensities == 0)
        dv_warning(object, "there is no force; give 'pressure' or 'p_intensity'");
    double *info = dv_data_begin_all(&self->info, self->set.count);
    for (uint32_t i = 0; i < self->set.count; i++)
        info[i] = self->set.at[i].size;
    dv_data_end(&self->info);
    return DV_OK;
}

static void cleanup(DvObject *object, void *self_)
{
    (void)object;
    EdgePressureForceField *self = self_;
    element_set_leave(&self->set);
    single_state_release(&self->base);
    dv_topology_release(&self->topology);
    dv_topology_release(&self->triangles);
}

static void destroy(DvObject *object, void *self_)
{
    (void)object;
    element_set_free(&((EdgePressureForceField *)self_)->set);
}

/* The third point of the only triangle at an edge; UINT32_MAX: there is none, or several. */
static uint32_t third_point(const EdgePressureForceField *self, const uint32_t ends[2])
{
    uint32_t third = UINT32_MAX;
    if (!self->triangles.ops)
        return third;
    const DvAdjacency around = self->triangles.ops->adjacency(self->triangles.self, DV_POINTS, DV_TRIANGLES);
    const DvElements triangles = dv_topology_elements(&self->triangles, DV_TRIANGLES);
    for (uint32_t k = ends[0] < around.count ? around.begin[ends[0]] : 0;
         ends[0] < around.count && k < around.end[ends[0]]; k++) {
        const uint32_t *t = triangles.at + 3 * (size_t)around.items[k];
        for (int n = 0; n < 3; n++) {
            const uint32_t next = t[(n + 1) % 3], last = t[(n + 2) % 3];
            if ((next == ends[0] && last == ends[1]) || (next == ends[1] && last == ends[0])) {
                if (third != UINT32_MAX)
                    return UINT32_MAX;
                third = t[n];
            }
        }
    }
    return third;
}

/* Of unit length, zero where an edge is along the binormal or has no length. */
static DvVec3 normal_of(EdgePressureForceField *self, const uint32_t ends[2], const DvConstVec *x)
{
    const DvVec3 a = dv_vec3_load(x->at + 3 * (size_t)ends[0]), b = dv_vec3_load(x->at + 3 * (size_t)ends[1]);
    const DvVec3 binormal = dv_vec3_load(dv_data_doubles(&self->binormal, NULL));
    const bool given = dv_vec3_norm_squared(binormal) > 0.0;
    const DvVec3 across = dv_vec3_cross(given ? binormal : dv_vec3(0.0, 0.0, 1.0), dv_vec3_sub(b, a));
    const double length = dv_vec3_norm(across);
    const DvVec3 normal = length > 0.0 ? dv_vec3_scale(across, 1.0 / length) : across;
    const uint32_t third = given ? UINT32_MAX : third_point(self, ends);
    if (third < x->count && dv_vec3_dot(normal, dv_vec3_sub(dv_vec3_load(x->at + 3 * (size_t)third), a)) < 0.0)
        return dv_vec3_scale(normal, -1.0);
    return normal;
}

static void add_force(void *self_, const DvStep *step, const DvConstVec *x, const DvConstVec *v, const DvVec *f)
{
    (void)step;
    (void)v;
    EdgePressureForceField *self = self_;
    if (!update(self))
        return;
    const DvElements edges = dv_topology_elements(&self->topology, DV_EDGES);
    const DvVec3 pressure = dv_vec3_load(dv_data_doubles(&self->pressure, NULL));
    const bool across = dv_vec3_norm_squared(pressure) == 0.0;
    size_t intensities;
    const double *intensity = dv_data_doubles(&self->intensity, &intensities);
    for (uint32_t i = 0; i < self->set.count && !(across && intensities == 0); i++) {
        const LoadedElement *one = &self->set.at[i];
        const uint32_t *ends = edges.at + 2 * (size_t)one->element;
        if (ends[0] >= f->count || ends[1] >= f->count)
            continue;
        const double half = 0.5 * one->share * one->size;
        const DvVec3 force =
            across ? dv_vec3_scale(normal_of(self, ends, x), half * intensity[one->rank < intensities ? one->rank : 0])
                   : dv_vec3_scale(pressure, half);
        for (int n = 0; n < 2; n++) {
            double *at = f->at + 3 * (size_t)ends[n];
            dv_vec3_store(dv_vec3_add(dv_vec3_load(at), force), at);
        }
    }
}

static const DvForceFieldOps ops = {
    .size = sizeof ops,
    .states = single_state_states,
    .add_force = add_force,
    .add_dforce = load_add_dforce,
    .reserve = load_reserve,
    .assemble = load_assemble,
    .structure = load_structure,
};

static void draw(void *self_, DvDraw *target)
{
    EdgePressureForceField *self = self_;
    if (!dv_draw_shows(target, DV_DISPLAY_FORCE_FIELDS) || !self->base.state.ops || !dv_data_bool(&self->show_forces))
        return;
    const DvConstVec x = dv_state_read(self->base.state, DV_POSITION);
    element_set_draw(&self->set, &self->topology, target, &x);
}

static const DvDrawableOps drawable = {.size = sizeof drawable, .draw = draw};

const DvClass dv_edge_pressure_force_field = {
    .size = sizeof(DvClass),
    .name = "EdgePressureForceField",
    .variants = "Vec3d",
    .variant_rule = DV_VARIANT_OF_ALL,
    .sources = single_state_sources,
    .bases = (const char *const[]){"ForceField", NULL},
    .family = "force fields",
    .module = "Sofa.Component.MechanicalLoad",
    .help = "Forces per length on edges.",
    .instance_size = sizeof(EdgePressureForceField),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_FORCE_FIELD, .ops = &ops}, {.id = DV_DRAWABLE, .ops = &drawable}, {0}},
    .init = init,
    .cleanup = cleanup,
    .destroy = destroy,
};
