/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * States that a device keeps, on the emulated one: the same scene with and without gives the same, to rounding; what is done where is
 * counted; memory of the device cannot be read by the host.
 */
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <divan/contracts/mechanical_operations.h>
#include <divan/contracts/vector_space.h>
#include <divan/divan.h>

#include "device_scenes.h"

static DvSpaceCounts counts_of(const DvScene *scene)
{
    const DvStorage storage = dv_state_storage(scene_state(scene, "/Body/dofs"));
    assert_non_null(storage.space);
    return *storage.space->ops->counts(storage.space);
}

static void expect_like_host(const char *format, double exact, double rough, int steps, double dt)
{
    static const char *const words[] = {"CudaVec3d", "CudaVec3f"};
    DvScene *host = with_template(format, "Vec3d");
    make_steps_of(host, steps, dt);
    for (int k = 0; k < 2; k++) {
        DvScene *device = with_template(format, words[k]);
        assert_non_null(dv_state_storage(scene_state(device, "/Body/dofs")).space);
        make_steps_of(device, steps, dt);
        const double found = difference(host, device);
        if (!(found <= (k ? rough : exact)))
            fail_msg("%s: %g", words[k], found);
        dv_scene_free(device);
    }
    dv_scene_free(host);
}

static void test_implicit_steps_are_those_of_the_host(void **state)
{
    (void)state;
    expect_like_host(BEAM(IMPLICIT, ""), 1e-9, 1e-3, 100, 0.01);
    expect_like_host(BEAM(IMPLICIT, LOADS), 1e-9, 1e-3, 100, 0.01);
}

static void test_explicit_steps_are_those_of_the_host(void **state)
{
    (void)state;
    expect_like_host(BEAM("<EulerExplicitSolver/>", LOADS), 1e-9, 1e-3, 20, 0.001);
    expect_like_host(BEAM("<RungeKutta4Solver/>", ""), 1e-9, 1e-3, 20, 0.001);
}

static void test_components_without_a_twin_act_on_the_host(void **state)
{
    (void)state;
    expect_like_host(BEAM(IMPLICIT, "<RestShapeSpringsForceField stiffness='3' points='44'/>"), 1e-9, 1e-3, 50, 0.01);
    expect_like_host(BEAM(IMPLICIT, "<Node><MechanicalObject position='3.9 0.5 0.5'/><BarycentricMapping/>"
                                    "<ConstantForceField indices='0' forces='0 2 0'/></Node>"),
                     1e-9, 1e-3, 50, 0.01);
    expect_like_host(BEAM("<EulerImplicitSolver/><SparseLDLSolver/>", ""), 1e-9, 1e-3, 50, 0.01);
}

static void test_batches_do_not_show(void **state)
{
    (void)state;
    double first[45 * 3] = {0};
    for (int k = 0; k < 3; k++) {
        DvScene *scene = with_template(BEAM(IMPLICIT, LOADS), "CudaVec3d");
        dv_data_set_uint(dv_object_field(scene_object(scene, "/Body/cg"), "batch"), (const uint32_t[]){0, 1, 7}[k]);
        make_steps(scene, 20);
        const DvConstVec x = dv_state_read(scene_state(scene, "/Body/dofs"), DV_POSITION);
        assert_int_equal(x.count, 45);
        if (k == 0)
            memcpy(first, x.at, sizeof first);
        assert_memory_equal(first, x.at, sizeof first);
        dv_scene_free(scene);
    }
}

static void test_steps_are_counted(void **state)
{
    (void)state;
    /* A region that follows the rest positions has nothing to do with those that change. */
    DvScene *scene = with_template(BEAM(IMPLICIT, LOADS "<BoxROI name='box' box='-1 -1 -1 0.1 2 2'/>"
                                                        "<FixedProjectiveConstraint indices='@box.indices'/>"),
                                   "CudaVec3d");
    make_steps(scene, 5);
    for (int step = 0; step < 10; step++) {
        const DvSpaceCounts before = counts_of(scene);
        make_steps(scene, 1);
        const DvSpaceCounts after = counts_of(scene);
        const uint64_t waits = after.waits - before.waits, got = after.bytes_got - before.bytes_got;
        assert_true(waits >= 2 && waits <= 3); /* the check of the step; one or two batches */
        assert_true(got <= (waits - 1) * DV_SLOTS * sizeof(double) + 64); /* slots, and sums of the check */
        assert_true(after.bytes_put - before.bytes_put <= 1024);          /* slots */
        assert_int_equal(after.allocations, before.allocations);
    }
    dv_scene_free(scene);
}

static void test_fields_are_fetched_and_sent(void **state)
{
    (void)state;
    DvScene *device = with_template(BEAM(IMPLICIT, ""), "CudaVec3d"),
            *host = with_template(BEAM(IMPLICIT, ""), "Vec3d");
    DvScene *const both[] = {host, device};
    make_steps(device, 5);
    make_steps(host, 5);
    for (int k = 0; k < 2; k++) { /* as a user does: reads a field, and writes another one */
        DvObject *dofs = scene_object(both[k], "/Body/dofs");
        size_t count;
        const double *x = dv_data_doubles(dv_object_field(dofs, "position"), &count);
        assert_int_equal(count, 45);
        assert_true(x[3 * 44 + 1] < 1.0); /* it sinks */
        double *v = dv_data_begin(dv_object_field(dofs, "velocity"), count);
        v[3 * 44 + 2] += 0.5;
        dv_data_end(dv_object_field(dofs, "velocity"));
        dv_data_set_double(dv_object_field(scene_object(both[k], "/Body/mass"), "totalMass"), 7.0);
        dv_data_set(dv_object_field(scene_object(both[k], "/Body/fixed"), "indices"), (const uint32_t[]){0, 5, 10}, 3);
    }
    make_steps(device, 10);
    make_steps(host, 10);
    assert_true(difference(host, device) <= 1e-9);
    dv_scene_reset(device);
    dv_scene_reset(host);
    assert_true(difference(host, device) == 0.0);
    make_steps(device, 3);
    make_steps(host, 3);
    assert_true(difference(host, device) <= 1e-9);
    dv_scene_free(device);
    dv_scene_free(host);
}

static void test_vectors_follow_what_they_are_linked_to(void **state)
{
    (void)state;
    static const char format[] =
        BEAM(IMPLICIT, "<PointsFromIndices name='ends' position='@dofs.position' indices='4 44'/>"
                       "<Node name='Ends'><MechanicalObject name='dofs' template='CudaVec3d' "
                       "position='@../ends.indices_position'/></Node>");
    static const char *const words[] = {"Vec3d", "CudaVec3d"};
    for (int k = 0; k < 2; k++) {
        DvScene *scene = with_template(format, words[k]);
        make_steps(scene, 10);
        const DvConstVec all = dv_state_read(scene_state(scene, "/Body/dofs"), DV_POSITION),
                         ends = dv_state_read(scene_state(scene, "/Body/Ends/dofs"), DV_POSITION);
        assert_int_equal(ends.count, 2);
        assert_true(all.at[3 * 44 + 1] < 1.0);
        assert_memory_equal(ends.at, all.at + 3 * 4, 3 * sizeof(double));
        assert_memory_equal(ends.at + 3, all.at + 3 * 44, 3 * sizeof(double));
        dv_scene_free(scene);
    }
}

static void test_saved_scenes_go_on(void **state)
{
    (void)state;
    char file[] = "/tmp/divan-device-XXXXXX";
    assert_true(close(mkstemp(file)) == 0);
    DvScene *scene = with_template(BEAM(IMPLICIT, ""), "CudaVec3d"), *loaded = NULL;
    make_steps(scene, 5);
    assert_int_equal(dv_scene_save(scene, file), DV_OK);
    assert_int_equal(dv_scene_load(file, NULL, &loaded), DV_OK);
    assert_non_null(dv_state_storage(scene_state(loaded, "/Body/dofs")).space);
    make_steps(scene, 5);
    make_steps(loaded, 5);
    if (difference(scene, loaded) != 0.0)
        fail_msg("%g", difference(scene, loaded));
    dv_scene_free(loaded);
    dv_scene_free(scene);
    assert_int_equal(unlink(file), 0);
}

/* Forces and products at random places, inverted elements among them. */
static void expect_same_operators(const char *word, double limit)
{
    DvScene *scene[2] = {with_template(BEAM(IMPLICIT, LOADS), "Vec3d"), with_template(BEAM(IMPLICIT, LOADS), word)};
    double result[2][2][45 * 3];
    const DvMechanicalOperationsOps *ops = dv_service(DV_MECHANICAL_OPERATIONS);
    const DvStep step = {.dt = 0.01, .position = DV_POSITION, .velocity = DV_VELOCITY};
    for (int k = 0; k < 2; k++) {
        const DvStateRef s = scene_state(scene[k], "/Body/dofs");
        DvMechanics *m = ops->open(dv_object_node(s.object));
        uint32_t random = 1;
        for (int vector = 0; vector < 3; vector++) {
            const DvVec at =
                dv_state_write(s, ((const DvVecId[]){DV_POSITION, DV_VELOCITY, DV_DX})[vector], DV_READ_WRITE);
            for (uint32_t i = 0; i < at.count * at.dim; i++) {
                random = random * 1664525u + 1013904223u;
                at.at[i] += (double)(float)((double)random / 4294967296.0 - 0.5);
            }
        }
        ops->compute_force(m, &step, DV_FORCE, DV_WALK_WHOLE);
        const DvConstVec f = dv_state_read(s, DV_FORCE);
        memcpy(result[k][0], f.at, sizeof result[k][0]);
        ops->clear(m, DV_DFORCE);
        ops->add_mbk(m, &step, (DvFactors){.m = 0.7, .k = -0.3}, DV_DFORCE, DV_DX, DV_WALK_WHOLE);
        ops->project_response(m, &step, DV_DFORCE, DV_WALK_WHOLE);
        const DvConstVec df = dv_state_read(s, DV_DFORCE);
        memcpy(result[k][1], df.at, sizeof result[k][1]);
        ops->close(m);
    }
    for (int vector = 0; vector < 2; vector++) {
        double largest = 0, off = 0;
        for (int i = 0; i < 45 * 3; i++) {
            largest = fmax(largest, fabs(result[0][vector][i]));
            off = fmax(off, fabs(result[0][vector][i] - result[1][vector][i]));
        }
        if (!(largest > 1.0 && off <= limit * largest))
            fail_msg("%s, vector %d: %g of %g", word, vector, off, largest);
    }
    dv_scene_free(scene[0]);
    dv_scene_free(scene[1]);
}

static void test_twins_act_as_their_components(void **state)
{
    (void)state;
    expect_same_operators("CudaVec3d", 1e-12);
    expect_same_operators("CudaVec3f", 1e-5);
}

static void test_the_host_cannot_read_the_device(void **state)
{
    (void)state;
    DvScene *scene = with_template(BEAM(IMPLICIT, ""), "CudaVec3d");
    make_steps(scene, 1);
    const DvStateRef s = scene_state(scene, "/Body/dofs");
    const volatile double *at = s.ops->read(s.self, DV_POSITION, dv_state_storage(s).space->number);
    assert_non_null((const void *)(uintptr_t)at);
    const pid_t child = fork();
    if (child == 0) {
        (void)signal(SIGSEGV, SIG_DFL);
        (void)signal(SIGBUS, SIG_DFL);
        _exit(*at != *at ? 2 : 1);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    dv_scene_free(scene);
}

static int start_with_device(void **state)
{
    return setenv("DIVAN_DEVICE", "emulated", 1) == 0 ? start_plugins(state) : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_implicit_steps_are_those_of_the_host),
        cmocka_unit_test(test_explicit_steps_are_those_of_the_host),
        cmocka_unit_test(test_components_without_a_twin_act_on_the_host),
        cmocka_unit_test(test_batches_do_not_show),
        cmocka_unit_test(test_steps_are_counted),
        cmocka_unit_test(test_fields_are_fetched_and_sent),
        cmocka_unit_test(test_vectors_follow_what_they_are_linked_to),
        cmocka_unit_test(test_saved_scenes_go_on),
        cmocka_unit_test(test_twins_act_as_their_components),
        cmocka_unit_test(test_the_host_cannot_read_the_device),
    };
    return cmocka_run_group_tests(tests, start_with_device, stop_plugins);
}
