/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * States that follow from others on a device, and bodies that turn there, on the emulated one: as on the host, to rounding; solves through
 * mappings stay; what only pictures need comes home when somebody looks.
 */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bodies/trigonometry.h"
#include "device_scenes.h"

/* Points on elements, some of these again, and a part of the beam, each with forces and stiffness */
#define HANGING                                                                                                        \
    "<Node name='Hang'><MechanicalObject name='dofs' template='POINTS' position='3.9 0.5 0.5 2.1 0.3 0.2 3 0.4 0.9'/>" \
    "<BarycentricMapping/><ConstantForceField indices='0 1' forces='0 2 0 0 0 1'/>"                                    \
    "<SpringForceField spring='0 1 50 0.1 1.5'/><UniformMass totalMass='0.5'/>"                                        \
    "<Node name='Same'><MechanicalObject name='dofs' template='POINTS'/><IdentityMapping/>"                            \
    "<SpringForceField spring='1 2 30 0.1 1'/></Node></Node>"                                                          \
    "<Node name='Some'><MechanicalObject name='dofs' template='POINTS'/><SubsetMapping indices='44 9 24 44'/>"         \
    "<PlaneForceField normal='0 1 0' d='0.5' stiffness='300'/></Node>"

/* Points of three states in one, one of these free. */
#define GATHERED                                                                                                     \
    HANGING                                                                                                          \
    "<Node name='Loose'><MechanicalObject name='dofs' template='POINTS' position='4.5 0 0 4.5 1 0'/>"                \
    "<UniformMass vertexMass='0.3'/></Node>"                                                                         \
    "<Node name='Both'><MechanicalObject name='dofs' template='POINTS'/>"                                            \
    "<SubsetMultiMapping input='@../dofs @../Hang/dofs @../Loose/dofs' indexPairs='0 44 1 0 0 9 2 1 1 2 2 0 0 44'/>" \
    "<SpringForceField spring='0 1 40 0.1 1 2 3 30 0.1 2 4 5 30 0.1 1 6 3 10 0.1 0.5'/></Node>"

#define BODIES(SOLVER)                                                                                               \
    "<Node name='root' dt='0.01' gravity='0 -9 0'><DefaultAnimationLoop/><Node name='Body'>" SOLVER                  \
    "<MechanicalObject name='dofs' template='TURNING' position='0 0 0 0 0 0 1  3 0 0 0.5 0.5 0.5 0.5' "              \
    "velocity='0 0 0 1 2 3  0 1 0 0 0 4'/>"                                                                          \
    "<UniformMass vertexMass='1.5 1 [0.2 0 0, 0 0.3 0, 0 0 0.4]'/>"                                                  \
    "<Node name='Points'><MechanicalObject name='dofs' template='POINTS' position='1 0 0 0 1 0 0 0 1 1 1 0 0 1 1'/>" \
    "<RigidMapping rigidIndexPerPoint='0 0 0 1 1'/><ConstantForceField indices='0 4' forces='0 12 0 0 14 1'/>"       \
    "<SpringForceField spring='0 3 50 0.1 1.5'/></Node>"                                                             \
    "<Node name='Centres'><MechanicalObject name='dofs' template='POINTS'/><IdentityMapping/>"                       \
    "<ConstantForceField indices='1' forces='0 0 3'/></Node></Node></Node>"

#define STIFF_BODIES(KIND, SOLVER, MORE)                                                                             \
    "<Node name='root' dt='0.01' gravity='0 -9 0'><DefaultAnimationLoop/><Node name='Body'>" SOLVER                  \
    "<MechanicalObject name='dofs' template='TURNING' position='0 0 0 0 0 0 1  3 0 0 0.5 0.5 0.5 0.5'/>"             \
    "<UniformMass vertexMass='1.5 1 [0.2 0 0, 0 0.3 0, 0 0 0.4]'/>"                                                  \
    "<Node name='Points'><MechanicalObject name='dofs' template='POINTS' position='1 0 0 0 1 0 0 0 1 1 1 0 0 1 1'/>" \
    "<RigidMapping rigidIndexPerPoint='0 0 0 1 1' geometricStiffness='" KIND "'/>"                                   \
    "<ConstantForceField indices='0 4' forces='0 120 0 0 140 10'/>" MORE "</Node></Node></Node>"

/* The words of the states go where their names, or %s, stand. */
static DvScene *load(const char *format, const char *points, const char *bodies)
{
    const struct {
        const char *name, *word;
    } places[] = {{"%s", points}, {"POINTS", points}, {"TURNING", bodies}};
    char text[8192];
    size_t length = 0;
    while (*format) {
        size_t k = 0;
        while (k < 3 && strncmp(format, places[k].name, strlen(places[k].name)) != 0)
            k++;
        const size_t more = k < 3 ? strlen(places[k].word) : 1;
        assert_true(length + more < sizeof text);
        memcpy(text + length, k < 3 ? places[k].word : format, more);
        length += more;
        format += k < 3 ? strlen(places[k].name) : 1;
    }
    text[length] = '\0';
    return scene_from_text(text);
}

static double difference_of(const DvScene *a, const DvScene *b, const char *path)
{
    const DvStateRef s = scene_state(a, path), t = scene_state(b, path);
    double largest = 0, size = 1e-300;
    for (int k = 0; k < 2; k++) {
        const DvConstVec x = dv_state_read(s, k ? DV_VELOCITY : DV_POSITION),
                         y = dv_state_read(t, k ? DV_VELOCITY : DV_POSITION);
        assert_int_equal(x.count, y.count);
        if (!x.at && k == 1) /* a model has no velocities */
            continue;
        for (uint32_t i = 0; i < x.count * x.dim; i++) {
            assert_true(isfinite(x.at[i]) && isfinite(y.at[i]));
            largest = fmax(largest, fabs(x.at[i] - y.at[i]));
            size = fmax(size, fabs(x.at[i]));
        }
    }
    return largest / size;
}

static void expect_like_host(const char *format, const char *const *paths, int count, int steps)
{
    static const char *const words[][2] = {{"CudaVec3d", "CudaRigid3d"}, {"CudaVec3f", "CudaRigid3f"}};
    DvScene *host = load(format, "Vec3d", "Rigid3d");
    make_steps(host, steps);
    for (int k = 0; k < 2; k++) {
        DvScene *device = load(format, words[k][0], words[k][1]);
        make_steps(device, steps);
        for (int i = 0; i < count; i++) {
            assert_non_null(dv_state_storage(scene_state(device, paths[i])).space);
            const double found = difference_of(host, device, paths[i]);
            if (!(found <= (k ? 1e-3 : 1e-9)))
                fail_msg("%s of %s: %g", paths[i], words[k][0], found);
        }
        dv_scene_free(device);
    }
    dv_scene_free(host);
}

/* Nothing but slots and sums comes home in a step, and no more often than without mappings. */
static void expect_to_stay(const char *format)
{
    DvScene *scene = load(format, "CudaVec3d", "CudaRigid3d");
    make_steps(scene, 4);
    const DvVectorSpace *space = dv_state_storage(scene_state(scene, "/Body/dofs")).space;
    for (int step = 0; step < 5; step++) {
        const DvSpaceCounts before = *space->ops->counts(space);
        make_steps(scene, 1);
        const DvSpaceCounts after = *space->ops->counts(space);
        const uint64_t waits = after.waits - before.waits;
        assert_true(waits >= 1 && waits <= 3);
        assert_true(after.bytes_got - before.bytes_got <= (waits - 1) * DV_SLOTS * sizeof(double) + 64);
        assert_true(after.bytes_put - before.bytes_put <= 1024);
        assert_int_equal(after.allocations, before.allocations);
    }
    dv_scene_free(scene);
}

/* Bodies alone. */
#define TOPS(SOLVER, MASS)                                                                                                 \
    "<Node name='root' dt='0.01' gravity='0 -9 0'><DefaultAnimationLoop/><Node name='Body'>" SOLVER                        \
    "<MechanicalObject name='dofs' template='TURNING' position='0 0 0 0 0 0 1  3 0 0 0.5 0.5 0.5 0.5  6 0 0 0.6 0 0.8 0' " \
    "velocity='0 0 0 1 12 3  0 1 0 0 0 4  1 0 0 9 0 20'/>" MASS "</Node></Node>"
#define HEAVY "vertexMass='1.5 1 [0.2 0.05 0, 0.05 0.3 0, 0 0 0.4]'"

/* However the inertia is seen: steps of each kind, with all that they need there, and nothing that travels. */
static void test_masses_of_bodies(void **state)
{
    (void)state;
    static const char *const paths[] = {"/Body/dofs"};
    static const char *const scenes[] = {
        TOPS(IMPLICIT, "<UniformMass " HEAVY "/>"),
        TOPS(IMPLICIT, "<UniformMass turningInertia='1' " HEAVY "/>"),
        TOPS(
            "<EulerImplicitSolver trapezoidalScheme='1'/><CGLinearSolver iterations='50' tolerance='1e-13' threshold='1e-40'/>",
            "<DiagonalMass turningInertia='1' " HEAVY "/>"),
        TOPS("<EulerExplicitSolver/>", "<UniformMass turningInertia='1' " HEAVY "/>"),
        TOPS("<RungeKutta4Solver/>", "<DiagonalMass turningInertia='1' " HEAVY "/>"),
        TOPS("<RungeKutta4Solver/>", "<DiagonalMass " HEAVY "/>"),
    };
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        expect_like_host(scenes[i], paths, 1, 60);
        expect_to_stay(scenes[i]);
    }
}

static void test_points_that_hang_on_others(void **state)
{
    (void)state;
    static const char *const paths[] = {"/Body/dofs", "/Body/Hang/dofs", "/Body/Hang/Same/dofs", "/Body/Some/dofs"};
    expect_like_host(BEAM(IMPLICIT, HANGING), paths, 4, 60);
}

static void test_bodies_and_their_points(void **state)
{
    (void)state;
    static const char *const paths[] = {"/Body/dofs", "/Body/Points/dofs", "/Body/Centres/dofs"};
    expect_like_host(BODIES(IMPLICIT), paths, 3, 60);
    expect_like_host(BODIES("<EulerExplicitSolver/>"), paths, 3, 60);
    expect_like_host(BODIES("<RungeKutta4Solver/>"), paths, 3, 20);
}

/* What has come home for a class so far, and whether it acts there; there is one of it. */
static uint64_t got_for(const DvScene *scene, const char *name, bool *there)
{
    const DvDeviceUseOps *ops = dv_service(DV_DEVICE_USE);
    DvDeviceShare shares[16];
    const uint32_t count = ops->shares((DvScene *)(uintptr_t)scene, shares, 16);
    const DvDeviceShare *found = NULL;
    for (uint32_t i = 0; i < count && i < 16; i++)
        if (strstr(dv_object_path(shares[i].object), name)) {
            assert_null(found);
            found = &shares[i];
        }
    assert_non_null(found);
    *there = found->acts_there;
    return found->bytes_got;
}

static void test_points_of_several_states(void **state)
{
    (void)state;
    static const char *const paths[] = {"/Body/dofs", "/Body/Hang/dofs", "/Body/Loose/dofs", "/Body/Both/dofs"};
    expect_like_host(BEAM(IMPLICIT, GATHERED), paths, 4, 60);
    expect_to_stay(BEAM(IMPLICIT, GATHERED));
}

/* Forces on points of bodies that turn a lot: without what they change the products would be others. */
static void test_points_of_bodies_stiffen_them(void **state)
{
    (void)state;
    static const char *const paths[] = {"/Body/dofs", "/Body/Points/dofs"};
    static const char *const scenes[] = {
        STIFF_BODIES("Exact", IMPLICIT, ""),
        STIFF_BODIES("Stabilized",
                     "<EulerImplicitSolver/><CGLinearSolver iterations='8' tolerance='1e-6' threshold='1e-20'/>",
                     "<SpringForceField spring='0 3 40 0.1 1 1 4 30 0.1 2'/>")};
    for (int k = 0; k < 2; k++) {
        expect_like_host(scenes[k], paths, 2, 40);
        DvScene *scene = load(scenes[k], "CudaVec3d", "CudaRigid3d");
        bool there;
        make_steps(scene, 4);
        assert_int_equal(got_for(scene, "RigidMapping", &there), 0);
        assert_true(there);
        dv_scene_free(scene);
    }
}

/* Bodies that are pulled back: torques on the host, of those bodies alone, products there. */
static void test_bodies_are_pulled_back(void **state)
{
    (void)state;
    enum { STEPS = 5, BYTES = (7 + 6) * sizeof(double) };
    static const char *const paths[] = {"/Body/dofs"};
    static const char text[] =
        TOPS(IMPLICIT, "<UniformMass turningInertia='1' " HEAVY
                       "/><RestShapeSpringsForceField points='2 0' stiffness='30' angularStiffness='5 7'/>");
    expect_like_host(text, paths, 1, 60);
    DvScene *scene = load(text, "CudaVec3d", "CudaRigid3d");
    bool there;
    make_steps(scene, 4);
    const uint64_t before = got_for(scene, "RestShapeSprings", &there);
    make_steps(scene, STEPS);
    assert_int_equal(got_for(scene, "RestShapeSprings", &there) - before, STEPS * 2 * BYTES);
    assert_true(there);
    dv_scene_free(scene);
}

static void test_solves_through_mappings_stay(void **state)
{
    (void)state;
    expect_to_stay(BEAM(IMPLICIT, HANGING));
}

static void test_pictures_cost_when_somebody_looks(void **state)
{
    (void)state;
    static const char text[] =
        BEAM(IMPLICIT, "<Node name='Seen'><OglModel name='model' position='3.5 0.5 0.5 2 0.5 0.5 1 0.2 0.2' "
                       "triangles='0 1 2'/><BarycentricMapping/></Node>");
    expect_to_stay(text);
    DvScene *scene = load(text, "CudaVec3d", ""), *host = load(text, "Vec3d", "");
    const DvVectorSpace *space = dv_state_storage(scene_state(scene, "/Body/dofs")).space;
    make_steps(scene, 10);
    make_steps(host, 10);
    const uint64_t before = space->ops->counts(space)->bytes_got;
    dv_scene_update_visual(scene);
    dv_scene_update_visual(host);
    const uint64_t looked = space->ops->counts(space)->bytes_got;
    assert_int_equal(looked - before, 45 * 3 * sizeof(double));
    dv_scene_update_visual(scene);
    assert_int_equal(space->ops->counts(space)->bytes_got, looked); /* nothing has moved */
    assert_true(difference_of(host, scene, "/Body/Seen/model") <= 1e-9);
    dv_scene_free(scene);
    dv_scene_free(host);
}

/* In units of the last place of the result. */
static double ulps(double found, long double right)
{
    int exponent;
    (void)frexp((double)right, &exponent);
    return (double)(fabsl((long double)found - right) / ldexpl(1.0L, exponent - 53));
}

static void test_sine_and_cosine_to_one_ulp(void **state)
{
    (void)state;
    uint64_t random = 1;
    double worst[2] = {0, 0}, sine, cosine;
    for (int i = 0; i < 200000; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        const double unit = (double)(random >> 11) / 9007199254740992.0;
        const double x = (i % 2 ? 1 : -1) * (i % 4 < 2 ? 8 * unit : exp(60 * unit - 46));
        sine_and_cosine(x, &sine, &cosine);
        worst[0] = fmax(worst[0], ulps(sine, sinl((long double)x)));
        worst[1] = fmax(worst[1], ulps(cosine, cosl((long double)x)));
    }
    if (!(worst[0] <= 1.0 && worst[1] <= 1.0))
        fail_msg("sine %g ulp, cosine %g ulp", worst[0], worst[1]);
    sine_and_cosine(0.0, &sine, &cosine);
    assert_true(sine == 0.0 && cosine == 1.0);
}

static int start_with_device(void **state)
{
    return setenv("DIVAN_DEVICE", "emulated", 1) == 0 ? start_plugins(state) : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_points_of_several_states),
        cmocka_unit_test(test_bodies_are_pulled_back),
        cmocka_unit_test(test_masses_of_bodies),
        cmocka_unit_test(test_points_of_bodies_stiffen_them),
        cmocka_unit_test(test_points_that_hang_on_others),
        cmocka_unit_test(test_bodies_and_their_points),
        cmocka_unit_test(test_solves_through_mappings_stay),
        cmocka_unit_test(test_pictures_cost_when_somebody_looks),
        cmocka_unit_test(test_sine_and_cosine_to_one_ulp),
    };
    return cmocka_run_group_tests(tests, start_with_device, stop_plugins);
}
