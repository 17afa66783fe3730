/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Corners that stand on corners without friction; see the header.
 */
#include "standing_corners.h"

#include <divan/contracts/lagrangian_constraint.h>
#include <divan/divan.h>
#include <divan/math/vec.h>

/* Without comparing names, since it is asked in each step. */
static bool is_of_points(const DvShape *s)
{
    return s && !s->vertices && !s->radii && !s->more && s->stride == 3;
}

bool corners_stand_on_corners(const DvContactList *list, const DvContactPair *pair)
{
    if (pair->count < 3)
        return false;
    for (int side = 0; side < 2; side++)
        if (!is_of_points(list->bodies[pair->body[side]].shape))
            return false;
    const DvVec3 first = dv_vec3_load(pair->contacts[0].normal);
    for (uint32_t i = 1; i < pair->count; i++)
        if (dv_vec3_norm(dv_vec3_sub(dv_vec3_load(pair->contacts[i].normal), first)) > 1e-3)
            return false;
    return true;
}

/* A solver that has a coefficient of its own takes it for all contacts. */
static bool solver_has_friction(DvNode *root, double friction)
{
    const DvObject *solver = dv_node_find(root, DV_CONSTRAINT_SOLVER, DV_SEARCH_DOWN);
    DvData *own = solver ? dv_object_field(solver, "mu") : NULL;
    return (own ? dv_data_double(own) : friction) > 0.0;
}

void warn_of_standing_corners(const DvObject *response, const DvContactList *list, const DvContactPair *pair,
                              double friction)
{
    static const char key;
    DvNode *root = dv_node_root(dv_object_node(response));
    bool *told = dv_scene_local(dv_node_scene(root), &key, sizeof *told);
    const DvObject *method = dv_node_find(root, DV_INTERSECTION_METHOD, DV_SEARCH_DOWN);
    DvData *flat = method ? dv_object_field(method, "flatCorners") : NULL;
    if (*told || (flat && dv_data_bool(flat)) || solver_has_friction(root, friction))
        return;
    *told = true;
    dv_warning(
        list->bodies[pair->body[0]].object,
        "%u of its corners stand on corners of '%s' without friction: the normal of such a contact tilts as the "
        "corners slide, and pushes them on until the bodies slide off or into each other; %sflatCorners=\"1\" takes "
        "the normal of "
        "the faces instead, friction (mu) holds them too",
        pair->count, dv_object_path(list->bodies[pair->body[1]].object), flat ? "" : "a LocalMinDistance with ");
}
