/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Scenes of many bodies that springs may join, as contacts do: /rigid, and /b1, /b2 ... of one particle each, a mass and a weak spring
 * to their place.
 */
#ifndef BODIES_H
#define BODIES_H

#include <divan/divan.h>

/* `bodies` of them, /rigid counted. Texts of further components: of the root, of each body, of /rigid; then nodes behind the bodies. */
static inline void bodies_text(DvText *text, unsigned bodies, const char *of_root, const char *of_each,
                               const char *of_rigid, const char *last)
{
    dv_text_add(
        text,
        "<Node name='root' dt='0.01' gravity='0 -1 0'><DefaultAnimationLoop/>%s<Node name='rigid'>%s"
        "<MechanicalObject name='dofs' template='Rigid3d' position='0 0 0 0 0 0 1'/><UniformMass totalMass='2'/>%s</Node>",
        of_root, of_each, of_rigid);
    for (unsigned i = 1; i < bodies; i++)
        dv_text_add(text,
                    "<Node name='b%u'>%s<MechanicalObject name='dofs' position='%u 0 0'/><UniformMass totalMass='1'/>"
                    "<RestShapeSpringsForceField stiffness='%u'/></Node>",
                    i, of_each, i, 10 + i % 7);
    dv_text_add(text, "%s</Node>", last);
}

/* Between the first points of two states, in `node`. */
DV_NODISCARD static inline DvStatus bodies_join(DvNode *node, const char *first, const char *second, DvObject **spring)
{
    return dv_object_new(node, "SpringForceField", spring, "object1", first, "object2", second, "indices1", "0",
                         "indices2", "0", "stiffness", "5", "damping", "0", "lengths", "1", NULL);
}

#endif
