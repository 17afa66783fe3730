/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Components of the host that touch a few points of a state on a device: only these travel, counted by component; results are those of the
 * host, to rounding.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "device_scenes.h"

enum { POINTS = 2000, STEPS = 4 };

/* Points in a row, of which each second one of the first 2 `touching` lies in the range of a floor. */
static DvScene *points_on_floor(const char *word, int touching)
{
    DvText text = {0};
    dv_text_add(&text,
                "<Node name='root' dt='0.001' gravity='0 -9 0'><CollisionPipeline/><BruteForceBroadPhase/>"
                "<BVHNarrowPhase/><MinProximityIntersection alarmDistance='0.3' contactDistance='0.2'/>"
                "<CollisionResponse response='PenalityContactForceField'/><DefaultAnimationLoop/>"
                "<Node name='Body'><EulerExplicitSolver/><MechanicalObject name='dofs' template='%s' position='",
                word);
    for (int i = 0; i < POINTS; i++)
        dv_text_add(&text, "%g %g 0 ", 0.01 * i, i % 2 == 0 && i < 2 * touching ? 0.1 : 5.0);
    dv_text_add(&text, "'/><UniformMass totalMass='2000'/><PointCollisionModel contactStiffness='50'/></Node>"
                       "<Node name='Floor'><MechanicalObject position='-5.031 0 -5 45 0 -5 45 0 15 -5.031 0 15'/>"
                       "<MeshTopology triangles='0 2 1 0 3 2'/>"
                       "<TriangleCollisionModel moving='0' simulated='0' contactStiffness='50'/></Node></Node>");
    DvScene *scene = scene_from_text(text.at);
    dv_text_free(&text);
    return scene;
}

static DvDeviceShare share_of(DvScene *scene, const char *part)
{
    const DvDeviceUseOps *ops = dv_service(DV_DEVICE_USE);
    DvDeviceShare shares[16];
    const uint32_t count = ops->shares(scene, shares, 16);
    for (uint32_t i = 0; i < count && i < 16; i++)
        if (strstr(dv_object_path(shares[i].object), part))
            return shares[i];
    fail_msg("nothing is counted for %s", part);
    return shares[0];
}

static void test_bytes_are_in_proportion_to_contacts(void **state)
{
    (void)state;
    static const int touching[] = {10, 1000};
    for (int k = 0; k < 2; k++) {
        const uint64_t n = (uint64_t)touching[k];
        DvScene *device = points_on_floor("CudaVec3d", touching[k]), *host = points_on_floor("Vec3d", touching[k]);
        make_steps(device, 2);
        const DvDeviceShare before = share_of(device, "PointCollisionModel");
        make_steps(device, STEPS);
        const DvDeviceShare after = share_of(device, "PointCollisionModel");
        assert_false(after.acts_there);
        /* Positions have come home for the detection; velocities come, forces go, each with a list of 4 bytes a point. */
        assert_int_equal(after.bytes_got - before.bytes_got, STEPS * n * 3 * sizeof(double));
        assert_int_equal(after.bytes_put - before.bytes_put, STEPS * n * (3 * sizeof(double) + 2 * sizeof(uint32_t)));
        make_steps(host, 2 + STEPS);
        assert_true(difference(host, device) <= 1e-9);
        dv_scene_free(device);
        dv_scene_free(host);
    }
}

static void test_contacts_of_solves_are_those_of_the_host(void **state)
{
    (void)state;
    static const char *const words[] = {"Vec3d", "CudaVec3d", "CudaVec3f"};
    DvScene *scenes[3];
    for (int k = 0; k < 3; k++) {
        char text[4096];
        assert_true(
            (size_t)snprintf(
                text, sizeof text,
                "<Node name='root' dt='0.005' gravity='0 -9 0'><CollisionPipeline/><BruteForceBroadPhase/>"
                "<BVHNarrowPhase/><MinProximityIntersection alarmDistance='0.3' contactDistance='0.2'/>"
                "<CollisionResponse response='PenalityContactForceField'/><DefaultAnimationLoop/>"
                "<Node name='Body'><EulerImplicitSolver rayleighStiffness='0.05'/>"
                "<CGLinearSolver iterations='200' tolerance='1e-10' threshold='1e-30'/>"
                "<RegularGridTopology name='grid' n='4 3 4' min='0 0 0' max='2 1 2'/>"
                "<MechanicalObject name='dofs' template='%s'/>"
                "<TetrahedronFEMForceField youngModulus='20000' poissonRatio='0.3' method='large'/>"
                "<DiagonalMass totalMass='5'/><PointCollisionModel contactStiffness='50'/></Node>"
                "<Node name='Floor'><MechanicalObject name='dofs' "
                "position='-5 -0.1 -5 15 -0.1 -5 15 -0.1 15 -5 -0.1 15'/><MeshTopology triangles='0 2 1 0 3 2'/>"
                "<TriangleCollisionModel moving='0' simulated='0' contactStiffness='50'/></Node></Node>",
                words[k]) < sizeof text);
        scenes[k] = scene_from_text(text);
        make_steps(scenes[k], 20);
    }
    assert_true(difference(scenes[0], scenes[1]) <= 1e-9);
    assert_true(difference(scenes[0], scenes[2]) <= 1e-3);
    assert_true(share_of(scenes[1], "PointCollisionModel").bytes_got > 0);
    for (int k = 0; k < 3; k++)
        dv_scene_free(scenes[k]);
}

/* A chain of 500 points on the device, whose end hangs on a point of the host. */
static DvScene *chain(const char *word, const char *solver)
{
    enum { LINKS = 500 };
    DvText text = {0};
    dv_text_add(&text,
                "<Node name='root' dt='0.001' gravity='0 -9 0'><DefaultAnimationLoop/>%s"
                "<Node name='Body'><MechanicalObject name='dofs' template='%s' position='",
                solver, word);
    for (int i = 0; i < LINKS; i++)
        dv_text_add(&text, "%g 0 0 ", 0.1 * i);
    dv_text_add(&text, "'/><UniformMass totalMass='50'/><SpringForceField spring='");
    for (int i = 0; i + 1 < LINKS; i++)
        dv_text_add(&text, "%d %d 200 0.1 0.1 ", i, i + 1);
    dv_text_add(&text, "'/></Node><Node name='Hook'><MechanicalObject name='dofs' position='0 0 0  50 1 0'/>"
                       "<UniformMass totalMass='1'/></Node>"
                       "<SpringForceField name='joint' object1='@Body/dofs' object2='@Hook/dofs' "
                       "spring='499 1 300 0.1 0.5  0 1 1 0 40'/></Node>");
    DvScene *scene = scene_from_text(text.at);
    dv_text_free(&text);
    return scene;
}

static void test_springs_to_the_host_name_their_points(void **state)
{
    (void)state;
    static const char explicit[] = "<EulerExplicitSolver/>",
                      implicit[] =
                          "<EulerImplicitSolver/><CGLinearSolver iterations='50' tolerance='1e-12' threshold='1e-40'/>";
    static const uint64_t bytes = 3 * sizeof(double), ends = 2;
    DvScene *device = chain("CudaVec3d", explicit), *host = chain("Vec3d", explicit);
    make_steps(device, 2);
    const DvDeviceShare before = share_of(device, "joint");
    make_steps(device, STEPS);
    const DvDeviceShare after = share_of(device, "joint");
    /* Places and velocities of the ends come with a list each, forces go with one. */
    assert_int_equal(after.bytes_got - before.bytes_got, STEPS * ends * 2 * bytes);
    assert_int_equal(after.bytes_put - before.bytes_put, STEPS * ends * (bytes + 3 * sizeof(uint32_t)));
    make_steps(host, 2 + STEPS);
    assert_true(difference(host, device) <= 1e-9);
    dv_scene_free(device);
    dv_scene_free(host);
    device = chain("CudaVec3d", implicit);
    host = chain("Vec3d", implicit);
    make_steps(device, 20);
    make_steps(host, 20);
    assert_true(difference(host, device) <= 1e-9);
    dv_scene_free(device);
    dv_scene_free(host);
}

static int start_with_device(void **state)
{
    return setenv("DIVAN_DEVICE", "emulated", 1) == 0 ? start_plugins(state) : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes_are_in_proportion_to_contacts),
        cmocka_unit_test(test_springs_to_the_host_name_their_points),
        cmocka_unit_test(test_contacts_of_solves_are_those_of_the_host),
    };
    return cmocka_run_group_tests(tests, start_with_device, stop_plugins);
}
