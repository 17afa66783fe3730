/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Points that a device holds along directions of no axis: the motion of the host, in solves that stay there.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "device_scenes.h"

#define PLANE(MORE) \
    "<PlaneProjectiveConstraint name='plane' indices='4 9 14 19' origin='4 0 0.2' normal='1 2 0.5' " MORE "/>"
#define WALL "<FixedPlaneProjectiveConstraint name='wall' indices='24 29' direction='0.3 -1 0.4'/>"
#define AXIS "<PlaneProjectiveConstraint name='plane' indices='4 9 14' origin='4 0 0.2' normal='1 0 0'/>"
#define FRAMES                                                                                                    \
    "<Node name='root' dt='0.01' gravity='0 -9 0'><DefaultAnimationLoop/><Node name='Body'>" IMPLICIT             \
    "<MechanicalObject name='dofs' template='%s' position='0 0 0 0 0 0 1  3 0 0 0.5 0.5 0.5 0.5' "                \
    "velocity='1 0 0 1 2 3  0 1 0 0 0 4'/><ConstantForceField indices='0 1' forces='0 2 0 1 0 0 1 0 1 0 0 0.5'/>" \
    "<DiagonalMass vertexMass='1 1 [1 0 0,0 1 0,0 0 1] 2 1 [1 0 0,0 1 0,0 0 1]'/>"                                \
    "<FixedPlaneProjectiveConstraint indices='1' direction='0.3 -1 0.4 0 0 0 1'/></Node></Node>"

enum { EXPLICIT = 4 };
static const struct {
    const char *format, *kind;
    bool stays;
} cases[] = {
    {BEAM(IMPLICIT, PLANE("")), "Vec3", true},
    {BEAM(IMPLICIT, PLANE("endTime='0.2'")), "Vec3", true},
    {BEAM(IMPLICIT, PLANE("") WALL), "Vec3", true},
    {BEAM(IMPLICIT, AXIS), "Vec3", true},
    {BEAM("<EulerExplicitSolver/>", PLANE("")), "Vec3", true},
    {FRAMES, "Rigid3", false}, /* masses of bodies that turn act on the host */
};

static void test_motions_are_those_of_the_host(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char words[3][32];
        for (int p = 0; p < 3; p++)
            (void)snprintf(words[p], sizeof words[p], "%s%s%c", p ? "Cuda" : "", cases[i].kind, "ddf"[p]);
        const double dt = i == EXPLICIT ? 0.001 : 0.01;
        DvScene *host = with_template(cases[i].format, words[0]);
        make_steps_of(host, 40, dt);
        for (int p = 1; p < 3; p++) {
            DvScene *device = with_template(cases[i].format, words[p]);
            if (p == 2 && i != EXPLICIT) /* what floats can reach */
                dv_data_set_double(dv_object_field(scene_object(device, "/Body/cg"), "tolerance"), 1e-6);
            make_steps_of(device, 40, dt);
            const double off = difference(host, device);
            if (!(off <= (p == 1 ? 1e-9 : 1e-3)))
                fail_msg("case %u, %s: %g", (unsigned)i, words[p], off);
            dv_scene_free(device);
        }
        dv_scene_free(host);
    }
}

/* The points are in the plane, which is what a wrong projection, or none, would not give. */
static void test_points_are_in_the_plane(void **state)
{
    (void)state;
    DvScene *scene = with_template(BEAM(IMPLICIT, PLANE("")), "CudaVec3d");
    make_steps(scene, 30);
    const DvConstVec x = dv_state_read(scene_state(scene, "/Body/dofs"), DV_POSITION);
    for (uint32_t p = 4; p < 20; p += 5) {
        const double *at = x.at + (size_t)3 * p;
        assert_true(fabs(at[0] - 4 + 2 * at[1] + 0.5 * (at[2] - 0.2)) < 1e-12);
    }
    dv_scene_free(scene);
}

static void test_nothing_travels_for_them(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (!cases[i].stays)
            continue;
        DvScene *scene = with_template(cases[i].format, "CudaVec3d");
        make_steps_of(scene, 30, 0.001);
        const DvVectorSpace *space = dv_state_storage(scene_state(scene, "/Body/dofs")).space;
        for (int step = 0; step < 5; step++) {
            const DvSpaceCounts before = *space->ops->counts(space);
            make_steps_of(scene, 1, 0.001);
            const DvSpaceCounts after = *space->ops->counts(space);
            const uint64_t waits = after.waits - before.waits;
            assert_true(waits >= 1 && waits <= 3);
            assert_true(after.bytes_got - before.bytes_got <= (waits - 1) * DV_SLOTS * sizeof(double) + 64);
            assert_true(after.bytes_put - before.bytes_put <= 1024);
            assert_int_equal(after.allocations, before.allocations);
        }
        dv_scene_free(scene);
    }
}

/* A normal that turns, and points that are others, while running. */
static void test_what_changes_is_taken_over(void **state)
{
    (void)state;
    DvScene *scenes[2] = {with_template(BEAM(IMPLICIT, PLANE("")), "Vec3d"),
                          with_template(BEAM(IMPLICIT, PLANE("")), "CudaVec3d")};
    for (int k = 0; k < 2; k++) {
        DvObject *plane = scene_object(scenes[k], "/Body/plane");
        make_steps(scenes[k], 10);
        dv_data_set(dv_object_field(plane, "normal"), (const double[]){1, -1, 0.25}, 3);
        dv_data_set(dv_object_field(plane, "origin"), (const double[]){4, 0.1, 0.2}, 3);
        make_steps(scenes[k], 10);
        dv_data_set(dv_object_field(plane, "indices"), (const uint32_t[]){14, 19, 24}, 3);
        make_steps(scenes[k], 10);
    }
    assert_true(difference(scenes[0], scenes[1]) <= 1e-9);
    dv_scene_free(scenes[0]);
    dv_scene_free(scenes[1]);
}

static int start_with_device(void **state)
{
    return setenv("DIVAN_DEVICE", "emulated", 1) == 0 ? start_plugins(state) : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_motions_are_those_of_the_host),
        cmocka_unit_test(test_points_are_in_the_plane),
        cmocka_unit_test(test_nothing_travels_for_them),
        cmocka_unit_test(test_what_changes_is_taken_over),
    };
    return cmocka_run_group_tests(tests, start_with_device, stop_plugins);
}
