/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * TriangularBendingSprings: a spring across each edge that two triangles share, between the points opposite to it. See
 * bending_springs.h.
 */
#include "forcefield/spring/bending_springs.h"

typedef struct TriangularBendingSprings {
    BendingSprings springs;
    DvData show_springs;
} TriangularBendingSprings;

static const DvField fields[] = {
    BENDING_SPRINGS_FIELDS(TriangularBendingSprings, springs),
    DV_FIELD(TriangularBendingSprings, show_springs, "showSprings", dv_type_bool, .init = "1",
             .flags = DV_FIELD_DRAWING, .help = "draw the springs"),
    {0},
};

static DvStatus init(DvObject *object, void *self_)
{
    TriangularBendingSprings *self = self_;
    const DvStatus status = bending_springs_init(object, &self->springs, DV_TRIANGLES, "a container of triangles");
    if (status != DV_OK)
        return status;
    if (dv_topology_elements(&self->springs.topology, DV_TRIANGLES).count == 0)
        dv_warning(object, "the topology '%s' has no triangles", dv_object_path(self->springs.topology.object));
    return DV_OK;
}

static void draw(void *self_, DvDraw *target)
{
    TriangularBendingSprings *self = self_;
    if (dv_data_bool(&self->show_springs))
        bending_springs_draw(&self->springs, target);
}

static const DvDrawableOps drawable = {.size = sizeof drawable, .draw = draw};

const DvClass dv_triangular_bending_springs = {
    .size = sizeof(DvClass),
    .name = "TriangularBendingSprings",
    .variants = "Vec3d",
    DV_FORCE_FIELD_CLASS("ForceField"),
    .module = "Sofa.Component.SolidMechanics.Spring",
    .help =
        "Springs across the edges of a triangulated surface, against its bending; consistentEdges says which are left "
        "by edits of the mesh.",
    .instance_size = sizeof(TriangularBendingSprings),
    .fields = fields,
    BENDING_SPRINGS_CONTRACTS(drawable),
    .init = init,
    .reinit = dv_object_initialise_again,
    .update = bending_springs_update,
    .cleanup = bending_springs_cleanup,
    .destroy = bending_springs_destroy,
};
