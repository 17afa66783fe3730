/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * MeshSpringForceField: springs along the edges and diagonals of mesh elements. Equations and limits: springs.h.
 *
 * Each family of elements (lines, triangles, quads, tetrahedra, hexahedra) with a stiffness or a damping gives one spring to every
 * pair of points of each element; a pair that an earlier family has is left alone. Rest lengths are those of the rest positions,
 * stiffness and damping are divided by them.
 */
#include "forcefield/spring/spring_list.h"
#include "forcefield/spring/springs.h"
#include <divan/given.h>
#include <divan/kit/element_faults.h>

enum { FAMILIES = 5 };

typedef struct MeshSpringForceField {
    Springs springs;
    DvData family_stiffness[FAMILIES], family_damping[FAMILIES], no_compression, local_range;
    DvData draw_min, draw_max, draw_size;
    DvLink topology_link;

    DvTopologyRef topology;
} MeshSpringForceField;

static const DvElementKind kinds[FAMILIES] = {DV_EDGES, DV_TRIANGLES, DV_QUADS, DV_TETRAHEDRA, DV_HEXAHEDRA};

#define FIELD(member, name, type, ...) DV_FIELD(MeshSpringForceField, member, name, type, __VA_ARGS__)
static const char *const stiffness_aliases[] = {"stiffness", NULL}, *const damping_aliases[] = {"damping", NULL};
static const char *const tetrahedra_stiffness_aliases[] = {"stiffness", "tetrasStiffness", NULL};
static const char *const tetrahedra_damping_aliases[] = {"damping", "tetrasDamping", NULL};
#define FAMILY(index, name, what, stiffness_names, damping_names)                                   \
    FIELD(family_stiffness[index], name "Stiffness", dv_type_double, .init = "0", .unit = "N",      \
          .range = &dv_range_not_negative, .flags = DV_FIELD_LENIENT, .aliases = stiffness_names,   \
          .help = "stiffness times length of springs in " what),                                    \
        FIELD(family_damping[index], name "Damping", dv_type_double, .init = "0", .unit = "N s",    \
              .range = &dv_range_not_negative, .flags = DV_FIELD_LENIENT, .aliases = damping_names, \
              .help = "damping times length of springs in " what)
static const DvField fields[] = {
    SPRING_FIELDS(MeshSpringForceField, springs),
    FAMILY(0, "lines", "edges", stiffness_aliases, damping_aliases),
    FAMILY(1, "triangles", "triangles", stiffness_aliases, damping_aliases),
    FAMILY(2, "quads", "quads", stiffness_aliases, damping_aliases),
    FAMILY(3, "tetrahedra", "tetrahedra", tetrahedra_stiffness_aliases, tetrahedra_damping_aliases),
    FAMILY(4, "cubes", "hexahedra", stiffness_aliases, damping_aliases),
    FIELD(no_compression, "noCompression", dv_type_bool, .init = "0", .help = "springs resist elongation only"),
    FIELD(
        local_range, "localRange", dv_type_vec2i, .init = "-1 -1",
        .help =
            "first and last point that count: no springs below the first, nor with both points above the last; -1: no limit"),
    FIELD(draw_min, "drawMinElongationRange", dv_type_double, .init = "8", .flags = DV_FIELD_DRAWING,
          .help = "elongation of the first colour"),
    FIELD(draw_max, "drawMaxElongationRange", dv_type_double, .init = "15", .flags = DV_FIELD_DRAWING,
          .help = "elongation of the last colour"),
    FIELD(draw_size, "drawSpringSize", dv_type_double, .init = "8", .range = &dv_range_not_negative,
          .flags = DV_FIELD_DRAWING, .help = "width of lines"),
    DV_LINK(MeshSpringForceField, topology_link, "topology", DV_TOPOLOGY, .help = "mesh; that of the node by default"),
    {0},
};

static bool in_range(const int32_t range[2], uint32_t a, uint32_t b)
{
    if (range[0] >= 0 && (a < (uint32_t)range[0] || b < (uint32_t)range[0]))
        return false;
    return range[1] < 0 || a <= (uint32_t)range[1] || b <= (uint32_t)range[1];
}

static DvStatus make_springs(MeshSpringForceField *self, SpringList *list)
{
    DvConstVec rest;
    DvStatus status = dv_state_at_rest(dv_object_of(self), self->springs.base.state[0], &rest);
    if (status != DV_OK)
        return status;
    const uint32_t spatial = springs_spatial(&self->springs);
    const int32_t *range = dv_data_ints(&self->local_range, NULL);
    const bool elongation_only = dv_data_bool(&self->no_compression);
    for (int family = 0; family < FAMILIES; family++) {
        const double stiffness = dv_data_double(&self->family_stiffness[family]);
        const double damping = dv_data_double(&self->family_damping[family]);
        if (stiffness == 0.0 && damping == 0.0)
            continue;
        const DvElements elements = dv_topology_elements(&self->topology, kinds[family]);
        const uint32_t nodes = dv_element_nodes(kinds[family]);
        for (size_t i = 0; i < elements.count; i++)
            for (uint32_t k = 0; k < nodes; k++)
                for (uint32_t j = k + 1; j < nodes; j++) {
                    const uint32_t a = elements.at[i * nodes + k], b = elements.at[i * nodes + j];
                    if (a >= rest.count || b >= rest.count) {
                        return dv_error(dv_object_of(self), DV_ERROR_INVALID,
                                        "the topology has point %u, the state has %u points", a >= rest.count ? a : b,
                                        rest.count);
                    }
                    if (!in_range(range, a, b) || !spring_list_new_pair(list, a, b))
                        continue;
                    const double length =
                        springs_length(rest.at + (size_t)a * rest.dim, rest.at + (size_t)b * rest.dim, spatial);
                    const double scale = length > 2.220446049250313e-16 ? length : 1.0;
                    spring_list_push(
                        list, (LinearSpring){a, b, stiffness / scale, damping / scale, length, elongation_only, 1});
                }
    }
    return DV_OK;
}

/* Of part of a mesh nothing is known: others may hold the rest. */
static void say_faults(MeshSpringForceField *self, const SpringList *list)
{
    DvConstVec rest;
    const int32_t *range = dv_data_ints(&self->local_range, NULL);
    if (list->count == 0 || range[0] >= 0 || range[1] >= 0 ||
        dv_state_at_rest(dv_object_of(self), self->springs.base.state[0], &rest) != DV_OK)
        return;
    uint32_t *ends = dv_alloc(list->count, 2 * sizeof *ends);
    for (uint32_t i = 0; i < list->count; i++) {
        ends[2 * (size_t)i] = list->at[i].a;
        ends[2 * (size_t)i + 1] = list->at[i].b;
    }
    dv_element_faults_report(dv_object_of(self), &self->topology, DV_EDGES,
                             (DvElements){.at = ends, .count = (uint32_t)list->count}, rest);
    dv_free(ends);
}

static DvStatus init(DvObject *object, void *self_)
{
    MeshSpringForceField *self = self_;
    if (dv_data_is_given(&self->springs.indices1) || dv_data_is_given(&self->springs.indices2))
        dv_warning(object, "makes its springs from the mesh; springsIndices1 and springsIndices2 are ignored");
    self->springs.lists_ignored = true;
    DvStatus status = springs_init_states(object, &self->springs);
    if (status == DV_OK)
        status = dv_topology_require(object, &self->topology_link, "a mesh", &self->topology);
    SpringList list = {0};
    if (status == DV_OK && !dv_pair_state_is_one(&self->springs.base))
        dv_warning(object, "object1 and object2 differ: a mesh has springs within one state only, there are none");
    else if (status == DV_OK)
        status = make_springs(self, &list);
    if (status != DV_OK) {
        spring_list_free(&list);
        dv_pair_state_release(&self->springs.base);
        return status;
    }
    say_faults(self, &list);
    dv_data_set(&self->springs.spring, list.at, list.count);
    spring_list_free(&list);
    return springs_init_lists(object, &self->springs);
}

static void cleanup(DvObject *object, void *self_)
{
    MeshSpringForceField *self = self_;
    springs_cleanup(object, self_);
    dv_topology_release(&self->topology);
}

const DvClass dv_mesh_spring_force_field = {
    .size = sizeof(DvClass),
    .name = "MeshSpringForceField",
    .variants = "Vec1d Vec2d Vec3d",
    DV_PAIR_FORCE_FIELD_CLASS("SpringForceField", "PairInteractionForceField"),
    .module = "Sofa.Component.SolidMechanics.Spring",
    .help = "Damped springs along the edges and diagonals of mesh elements.",
    .instance_size = sizeof(MeshSpringForceField),
    .fields = fields,
    SPRINGS_CONTRACTS,
    .init = init,
    .reinit = dv_object_initialise_again,
    .cleanup = cleanup,
    .destroy = springs_destroy,
};
