/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How a component finds its state and its topology, and that what it found stays in memory until it lets go.
 */
#include "force_at.h"

#include <divan/contracts/topology.h>

#define SCENE                                                                                                              \
    "<Node><MechanicalObject name='a' position='0 0 0 1 0 0 0 1 0'/>"                                                      \
    "<TriangleSetTopologyContainer name='mesh' triangles='0 1 2'/><TriangleSetTopologyModifier name='modifier'/>"          \
    "<PlaneForceField name='plane' normal='0 1 0'/>"                                                                       \
    "<Node name='child'><MechanicalObject name='b' template='Vec2d' position='1 2'/>"                                      \
    "<PlaneForceField name='other' normal='0 1' mstate='@b'/><Node name='below'><VisualStyle name='style'/></Node></Node>" \
    "</Node>"

static DvLink *link_of(DvObject *object, const char *name)
{
    return (DvLink *)(void *)dv_object_field(object, name);
}

static void a_state_is_that_of_the_link_else_of_the_context_and_is_held(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(SCENE);
    DvObject *plane = scene_object(scene, "/plane"), *other = scene_object(scene, "/child/other");
    DvStateRef ref = {0};
    assert_int_equal(dv_state_require(plane, link_of(plane, "mstate"), &ref), DV_OK);
    assert_ptr_equal(ref.object, scene_object(scene, "/a"));
    assert_int_equal(dv_state_require(other, link_of(other, "mstate"), &ref), DV_OK); /* lets go of the first */
    assert_ptr_equal(ref.object, scene_object(scene, "/child/b"));
    assert_ptr_equal(ref.dof, &dv_vec2d);
    assert_int_equal(dv_state_require(scene_object(scene, "/child/below/style"), NULL, &ref), DV_OK);
    assert_ptr_equal(ref.object, scene_object(scene, "/child/b"));

    dv_object_remove(ref.object);
    assert_int_equal(dv_state_count(ref), 1); /* it left the graph, not the memory */
    assert_close(dv_state_read(ref, DV_POSITION).at[1], 2.0, 0.0);
    dv_state_release(&ref);
    assert_null(ref.ops);
    dv_state_release(&ref); /* zeros stay */

    /* The one above has another DOF type than the field was made for. */
    dv_link_set(link_of(other, "mstate"), NULL);
    assert_int_equal(dv_state_require(other, link_of(other, "mstate"), &ref), DV_ERROR_INVALID);
    assert_null(ref.object);
    dv_scene_free(scene);
}

static void a_topology_is_held_and_tells_its_changes(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(SCENE);
    DvObject *style = scene_object(scene, "/child/below/style"), *modifier = scene_object(scene, "/modifier");
    DvTopologyRef mesh = {0};
    assert_int_equal(dv_topology_require(style, NULL, NULL, &mesh), DV_OK);
    assert_int_equal(dv_topology_require(style, NULL, "a mesh", &mesh), DV_OK);
    assert_ptr_equal(mesh.object, scene_object(scene, "/mesh"));
    assert_int_equal(dv_topology_elements(&mesh, DV_TRIANGLES).count, 1);
    assert_false(dv_topology_changed(&mesh));
    const DvTopologyModifierOps *ops = dv_object_ops(modifier, DV_TOPOLOGY_MODIFIER);
    assert_int_equal(ops->remove_elements(dv_object_self(modifier), DV_TRIANGLES, 1, (const uint32_t[]){0}, false),
                     DV_OK);
    assert_true(dv_topology_changed(&mesh));
    assert_false(dv_topology_changed(&mesh));
    assert_int_equal(dv_topology_elements(&mesh, DV_TRIANGLES).count, 0);

    dv_object_remove(mesh.object);
    assert_int_equal(dv_topology_elements(&mesh, DV_TRIANGLES).count, 0);
    assert_int_equal(dv_topology_require(style, NULL, NULL, &mesh), DV_OK); /* optional: no error */
    assert_null(mesh.object);
    assert_int_equal(dv_topology_require(style, NULL, "a mesh", &mesh), DV_ERROR_MISSING);
    assert_false(dv_topology_changed(&mesh));
    assert_null(dv_topology_elements(&mesh, DV_EDGES).at);
    dv_scene_free(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_state_is_that_of_the_link_else_of_the_context_and_is_held),
        cmocka_unit_test(a_topology_is_held_and_tells_its_changes),
    };
    return cmocka_run_group_tests(tests, NULL, stop_plugins);
}
