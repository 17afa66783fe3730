/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * QuadularBendingSprings: two springs across each edge that two quads share, along the sides that end at it. See bending_springs.h.
 */
#include "forcefield/spring/bending_springs.h"

typedef struct QuadularBendingSprings {
    BendingSprings springs;
} QuadularBendingSprings;

static const DvField fields[] = {BENDING_SPRINGS_FIELDS(QuadularBendingSprings, springs), {0}};

static DvStatus init(DvObject *object, void *self_)
{
    QuadularBendingSprings *self = self_;
    const DvStatus status = bending_springs_init(object, &self->springs, DV_QUADS, "a container of quads");
    if (status == DV_OK && dv_topology_elements(&self->springs.topology, DV_QUADS).count == 0)
        dv_warning(object, "the topology '%s' has no quads", dv_object_path(self->springs.topology.object));
    return status;
}

static void draw(void *self_, DvDraw *target)
{
    bending_springs_draw(&((QuadularBendingSprings *)self_)->springs, target);
}

static const DvDrawableOps drawable = {.size = sizeof drawable, .draw = draw};

const DvClass dv_quadular_bending_springs = {
    .size = sizeof(DvClass),
    .name = "QuadularBendingSprings",
    .variants = "Vec3d",
    DV_FORCE_FIELD_CLASS("ForceField"),
    .module = "Sofa.Component.SolidMechanics.Spring",
    .help =
        "Springs across the edges of a surface of quads, against its bending; consistentEdges says which are left by "
        "edits of the mesh.",
    .instance_size = sizeof(QuadularBendingSprings),
    .fields = fields,
    BENDING_SPRINGS_CONTRACTS(drawable),
    .init = init,
    .reinit = dv_object_initialise_again,
    .update = bending_springs_update,
    .cleanup = bending_springs_cleanup,
    .destroy = bending_springs_destroy,
};
