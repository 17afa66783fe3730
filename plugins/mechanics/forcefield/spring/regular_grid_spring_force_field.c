/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * RegularGridSpringForceField: springs along the lines, the face diagonals and the space diagonals of a regular grid.
 * Equations and limits: springs.h.
 *
 * Rest lengths follow from the steps of the grid, whatever the positions are; stiffness and damping are divided by them. Springs of
 * the field `spring` come first. The second diagonal of a y-z face divides by the length of the first, as existing scenes have it.
 */
#include "forcefield/spring/springs.h"

enum { LINES, QUADS, CUBES, FAMILIES };

typedef struct RegularGridSpringForceField {
    Springs springs;
    DvData family_stiffness[FAMILIES], family_damping[FAMILIES];
} RegularGridSpringForceField;

static const char *const stiffness_aliases[] = {"stiffness", NULL}, *const damping_aliases[] = {"damping", NULL};
#define FAMILY(index, name, what)                                                                                   \
    DV_FIELD(RegularGridSpringForceField, family_stiffness[index], name "Stiffness", dv_type_double, .init = "100", \
             .unit = "N", .range = &dv_range_not_negative, .flags = DV_FIELD_LENIENT | DV_FIELD_AT_LOAD,            \
             .aliases = stiffness_aliases, .help = "stiffness times length of springs along " what),                \
        DV_FIELD(RegularGridSpringForceField, family_damping[index], name "Damping", dv_type_double, .init = "5",   \
                 .unit = "N s", .range = &dv_range_not_negative, .flags = DV_FIELD_LENIENT | DV_FIELD_AT_LOAD,      \
                 .aliases = damping_aliases, .help = "damping times length of springs along " what)
static const DvField fields[] = {
    SPRING_FIELDS(RegularGridSpringForceField, springs),
    FAMILY(LINES, "lines", "grid lines"),
    FAMILY(QUADS, "quads", "face diagonals"),
    FAMILY(CUBES, "cubes", "space diagonals"),
    {0},
};

/* A kind of spring: from each point `from` steps away from a cell's first corner to the one `to` steps away. */
typedef struct Direction {
    int family;
    uint8_t from[3], to[3];
} Direction;

static const Direction directions[] = {
    {LINES, {0, 0, 0}, {1, 0, 0}}, {LINES, {0, 0, 0}, {0, 1, 0}}, {LINES, {0, 0, 0}, {0, 0, 1}},
    {QUADS, {0, 0, 0}, {1, 1, 0}}, {QUADS, {1, 0, 0}, {0, 1, 0}}, {QUADS, {0, 0, 0}, {1, 0, 1}},
    {QUADS, {1, 0, 0}, {0, 0, 1}}, {QUADS, {0, 0, 0}, {0, 1, 1}}, {QUADS, {0, 1, 0}, {0, 0, 1}},
    {CUBES, {0, 0, 0}, {1, 1, 1}}, {CUBES, {1, 0, 0}, {0, 1, 1}}, {CUBES, {0, 1, 0}, {1, 0, 1}},
    {CUBES, {0, 0, 1}, {1, 1, 0}},
};

/* Springs of one direction over the whole grid, z outermost; only counted when `out` is NULL. */
static uint32_t add_direction(const DvGridShape *grid, const Direction *way, double stiffness, double damping,
                              LinearSpring *out)
{
    static const double origin[3] = {0};
    uint32_t end[3], count = 0;
    double along[3];
    for (int axis = 0; axis < 3; axis++) {
        const bool spans = way->from[axis] != way->to[axis];
        end[axis] = spans ? grid->n[axis] - 1 : grid->n[axis];
        if (grid->n[axis] == 0)
            return 0;
        along[axis] = grid->step[axis] * (way->to[axis] - way->from[axis]);
    }
    const double length = springs_length(origin, along, 3), scale = length > 0.0 ? length : 1.0;
    const uint32_t row = grid->n[0], layer = grid->n[0] * grid->n[1];
    for (uint32_t z = 0; z < end[2]; z++)
        for (uint32_t y = 0; y < end[1]; y++)
            for (uint32_t x = 0; x < end[0]; x++, count++) {
                if (!out)
                    continue;
                const uint32_t a = x + way->from[0] + row * (y + way->from[1]) + layer * (z + way->from[2]);
                const uint32_t b = x + way->to[0] + row * (y + way->to[1]) + layer * (z + way->to[2]);
                out[count] = (LinearSpring){a, b, stiffness / scale, damping / scale, length, 0, 1};
            }
    return count;
}

static void make_grid_springs(RegularGridSpringForceField *self, const DvGridShape *grid)
{
    dv_free(self->springs.extra);
    self->springs.extra = NULL;
    self->springs.extra_count = 0;
    for (int pass = 0; pass < 2; pass++) {
        uint32_t count = 0;
        for (size_t i = 0; i < sizeof directions / sizeof *directions; i++) {
            const double stiffness = dv_data_double(&self->family_stiffness[directions[i].family]);
            const double damping = dv_data_double(&self->family_damping[directions[i].family]);
            if (stiffness != 0.0 || damping != 0.0)
                count += add_direction(grid, &directions[i], stiffness, damping,
                                       pass == 1 ? self->springs.extra + count : NULL);
        }
        if (pass == 0)
            self->springs.extra = dv_alloc(count, sizeof *self->springs.extra);
        self->springs.extra_count = count;
    }
}

static DvStatus init(DvObject *object, void *self_)
{
    RegularGridSpringForceField *self = self_;
    const DvStatus status = springs_init_states(object, &self->springs);
    if (status != DV_OK)
        return status;
    DvObject *topology = dv_object_find(object, NULL, DV_TOPOLOGY);
    const DvTopologyOps *topology_ops = topology ? dv_object_ops(topology, DV_TOPOLOGY) : NULL;
    DvGridShape grid;
    if (!dv_pair_state_is_one(&self->springs.base))
        dv_warning(object, "object1 and object2 differ: a grid has springs within one state only");
    else if (!topology_ops || !topology_ops->grid || !topology_ops->grid(dv_object_self(topology), &grid))
        dv_warning(object, "no RegularGridTopology in node '%s' or above: only the springs of field 'spring' act",
                   dv_node_path(dv_object_node(object)));
    else
        make_grid_springs(self, &grid);
    return springs_init_lists(object, &self->springs);
}

const DvClass dv_regular_grid_spring_force_field = {
    .size = sizeof(DvClass),
    .name = "RegularGridSpringForceField",
    .variants = "Vec1d Vec2d Vec3d Vec6d",
    .default_variant = "Vec3d",
    DV_PAIR_FORCE_FIELD_CLASS("SpringForceField", "PairInteractionForceField"),
    .module = "Sofa.Component.SolidMechanics.Spring",
    .help = "Damped springs along the lines and diagonals of a regular grid.",
    .instance_size = sizeof(RegularGridSpringForceField),
    .fields = fields,
    SPRINGS_CONTRACTS,
    .init = init,
    .cleanup = springs_cleanup,
    .destroy = springs_destroy,
};
