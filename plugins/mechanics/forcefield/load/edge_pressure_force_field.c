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
#include <divan/kit/element_load.h>

typedef struct EdgePressureForceField {
    DvElementLoad load;
    DvData indices, edges, normal, dmin, dmax, intensity, binormal;
    DvData arrow_size;

    DvTopologyRef triangles; /* of the mesh, or of one above that has some; ops NULL: none */
} EdgePressureForceField;

#define FIELD(member, name, type, ...) DV_FIELD(EdgePressureForceField, member, name, type, __VA_ARGS__)
static const DvField fields[] = {
    DV_SINGLE_STATE_FIELDS(EdgePressureForceField, load.base),
    DV_ELEMENT_LOAD_TOPOLOGY(EdgePressureForceField),
    FIELD(load.info, "edgePressureMap", dv_type_doubles, .unit = "m",
          .flags = DV_FIELD_READ_ONLY | DV_FIELD_OUTPUT | DV_FIELD_HIDDEN,
          .help = "length of each edge that is loaded at the start"),
    FIELD(load.pressure, "pressure", dv_type_vec3d, .unit = "N/m", .help = "force per length of the rest shape"),
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
    FIELD(load.show_forces, "showForces", dv_type_bool, .init = "0", .flags = DV_FIELD_DRAWING,
          .help = "draw the loaded edges"),
    {0},
};

static uint64_t version_of(void *self_)
{
    EdgePressureForceField *self = self_;
    return dv_element_load_list_version(&self->indices) + dv_element_load_list_version(&self->edges) +
           dv_data_version(&self->normal) + dv_data_version(&self->dmin) + dv_data_version(&self->dmax);
}

/* Edges of the mesh by their points: those of the list, looked up around the first point. */
static DvStatus add_pairs(EdgePressureForceField *self)
{
    const uint32_t *pair = dv_data_read(&self->edges);
    const size_t count = self->edges.count;
    const DvElements edges = dv_topology_elements(&self->load.topology, DV_EDGES);
    const DvAdjacency around = self->load.topology.ops->adjacency(self->load.topology.self, DV_POINTS, DV_EDGES);
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
        dv_element_set_add(&self->load.set, found, self->load.set.count, false);
    }
    return DV_OK;
}

static DvStatus select_elements(void *self_)
{
    EdgePressureForceField *self = self_;
    DvElementLoad *load = &self->load;
    const double dmin = dv_data_double(&self->dmin), dmax = dv_data_double(&self->dmax);
    const DvConstVec rest = dv_state_read(load->base.state, DV_REST_POSITION);
    if (dmin != dmax)
        dv_element_set_add_between(&load->set, &load->topology, &rest, dv_data_doubles(&self->normal, NULL), dmin,
                                   dmax);
    const DvStatus status = dv_element_set_add_list(&load->set, &self->indices, "edge", false);
    return status == DV_OK ? add_pairs(self) : status;
}

static const DvElementLoadKind kind = {DV_EDGES, "a container of edges", version_of, select_elements};

/* The mesh itself when it has triangles, else the nearest above that has. */
static DvStatus find_triangles(EdgePressureForceField *self)
{
    DvObject *found = self->load.topology.object;
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
    DvStatus status = dv_element_load_init(object, &self->load, &kind);
    if (status != DV_OK)
        return status;
    status = find_triangles(self);
    if (status != DV_OK) {
        dv_element_load_cleanup(object, self);
        return status;
    }
    const DvVec3 pressure = dv_vec3_load(dv_data_doubles(&self->load.pressure, NULL));
    size_t intensities;
    (void)dv_data_doubles(&self->intensity, &intensities);
    if (self->load.set.count == 0)
        dv_warning(object, "no edge is loaded; give 'edgeIndices', 'edges', or planes by 'normal', 'dmin' and 'dmax'");
    else if (dv_vec3_norm_squared(pressure) == 0.0 && intensities == 0)
        dv_warning(object, "there is no force; give 'pressure' or 'p_intensity'");
    return DV_OK;
}

static void cleanup(DvObject *object, void *self_)
{
    EdgePressureForceField *self = self_;
    dv_element_load_cleanup(object, self);
    dv_topology_release(&self->triangles);
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
    if (!dv_element_load_update(&self->load))
        return;
    const DvElements edges = dv_topology_elements(&self->load.topology, DV_EDGES);
    const DvVec3 pressure = dv_vec3_load(dv_data_doubles(&self->load.pressure, NULL));
    const bool across = dv_vec3_norm_squared(pressure) == 0.0;
    size_t intensities;
    const double *intensity = dv_data_doubles(&self->intensity, &intensities);
    for (uint32_t i = 0; i < self->load.set.count && !(across && intensities == 0); i++) {
        const DvLoadedElement *one = &self->load.set.at[i];
        const uint32_t *ends = edges.at + 2 * (size_t)one->element;
        if (ends[0] >= f->count || ends[1] >= f->count)
            continue;
        const double half = 0.5 * one->share * one->size;
        const DvVec3 force =
            across ? dv_vec3_scale(normal_of(self, ends, x), half * intensity[one->rank < intensities ? one->rank : 0])
                   : dv_vec3_scale(pressure, half);
        dv_element_load_add(&self->load, i, force, f);
    }
}

static const DvForceFieldOps ops = DV_ELEMENT_LOAD_OPS(add_force);

const DvClass dv_edge_pressure_force_field = {
    .size = sizeof(DvClass),
    .name = "EdgePressureForceField",
    .variants = "Vec3d",
    DV_FORCE_FIELD_CLASS("ForceField"),
    .module = "Sofa.Component.MechanicalLoad",
    .help = "Forces per length on edges.",
    .instance_size = sizeof(EdgePressureForceField),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_FORCE_FIELD, .ops = &ops},
                                      {.id = DV_DRAWABLE, .ops = &dv_element_load_drawable},
                                      {0}},
    .init = init,
    .update = dv_element_load_keep,
    .restore = dv_element_load_restore,
    .cleanup = cleanup,
    .destroy = dv_element_load_destroy,
};
