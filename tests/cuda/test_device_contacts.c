/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Contacts that are forces, of states that a device keeps: the host computes the forces, the device the products. These are those of the host
 * between points, elements and frames, of one side or of both, and nothing travels for them.
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
#include <divan/contracts/mechanical_operations.h>

#include "device_scenes.h"

#define PIPELINE(RESPONSE)                                                                       \
    "<Node name='root' dt='0.0001' gravity='0 -9 0'><CollisionPipeline/><BruteForceBroadPhase/>" \
    "<BVHNarrowPhase/><MinProximityIntersection alarmDistance='0.3' contactDistance='0.2'/>"     \
    "<CollisionResponse response='" RESPONSE "'/><DefaultAnimationLoop/>"
#define SOLVER "<EulerImplicitSolver/><CGLinearSolver iterations='50' tolerance='1e-10' threshold='1e-30'/>"
#define FLOOR                                                                                                   \
    "<Node name='Floor'><MechanicalObject name='dofs' position='-5 -0.1 -5 15 -0.1 -5 15 -0.1 15 -5 -0.1 15'/>" \
    "<MeshTopology triangles='0 2 1 0 3 2'/>"                                                                   \
    "<TriangleCollisionModel moving='0' simulated='0' contactStiffness='50' contactFriction='0.5'/></Node>"
#define SLAB                                                                                             \
    "<Node name='Floor'><MechanicalObject name='dofs' template='Rigid3d' position='1 -0.45 1 0 0 0 1'/>" \
    "<OBBCollisionModel extents='5 0.5 5' moving='0' simulated='0' contactStiffness='50' contactFriction='0.5'/></Node>"
#define GRID(HEIGHT, TEMPLATE)                                                             \
    "<RegularGridTopology name='grid' n='4 3 4' min='0 " HEIGHT "' max='2 1 2'/>"          \
    "<MechanicalObject name='dofs' template='" TEMPLATE "'/><DiagonalMass totalMass='5'/>" \
    "<TetrahedronFEMForceField youngModulus='2000' poissonRatio='0.3' method='large'/>"    \
    "<TriangleCollisionModel contactStiffness='50' contactFriction='0.5'/><PointCollisionModel contactStiffness='50'/>"
#define TOP(TEMPLATE)                                                    \
    "<Node name='Top'><MechanicalObject name='dofs' template='" TEMPLATE \
    "' position='0.3 1.1 0.4 0.9 1.15 1.3 1.8 1.12 0.7'/>"               \
    "<UniformMass totalMass='1'/><PointCollisionModel contactStiffness='20' contactFriction='0.5'/></Node>"
#define FRAMES(TEMPLATE)                                                                                               \
    "<MechanicalObject name='dofs' template='" TEMPLATE "' position='1 0.55 1 0 0.1 0 0.995 3 0.6 2 0.1 0 0.1 0.99'/>" \
    "<UniformMass totalMass='3'/><OBBCollisionModel extents='0.5 0.5 0.5' contactStiffness='50' contactFriction='0.5'/>"

/* Six beads, each of which touches others; and one far away. */
#define BEADS(MORE)                                                                                               \
    SOLVER "<Node name='Body'><MechanicalObject name='dofs' template='%1$s' position='0 0 0 0.1 0.05 0 0.9 0 0 "  \
           "1 0.02 0.05 0.05 0.1 0.05 0.95 0.1 0" MORE "'/><UniformMass vertexMass='1'/>"                         \
           "<SphereCollisionModel radius='0.01' selfCollision='1' contactStiffness='50'/></Node>"                 \
           "<Node name='Away'><MechanicalObject template='%1$s' position='0 70 0'/><UniformMass vertexMass='1'/>" \
           "<SphereCollisionModel radius='0.01'/></Node></Node>"

typedef struct Case {
    const char *name, *format, *kind, *second; /* path of a second state; or NULL */
} Case;

static const Case cases[] = {
    {"a body on a floor of the host",
     PIPELINE("PenalityContactForceField") "<Node name='Body'>" SOLVER GRID("0 0", "%1$s") "</Node>" FLOOR "</Node>",
     "Vec3", NULL},
    {"a body that sticks to a floor of the host",
     PIPELINE("StickContactForceField") "<Node name='Body'>" SOLVER GRID("0 0", "%1$s") "</Node>" FLOOR "</Node>",
     "Vec3", NULL},
    {"points on a body of the same device",
     PIPELINE("PenalityContactForceField") SOLVER
     "<Node name='Body'>" GRID("0 0", "%1$s") "</Node>" TOP("%1$s") "</Node>",
     "Vec3", "/Top/dofs"},
    {"points that stick to a body of the same device",
     PIPELINE("StickContactForceField") SOLVER "<Node name='Body'>" GRID("0 0", "%1$s") "</Node>" TOP("%1$s") "</Node>",
     "Vec3", "/Top/dofs"},
    {"frames on a floor of the host",
     PIPELINE("PenalityContactForceField") "<Node name='Body'>" SOLVER FRAMES("%1$s") "</Node>" SLAB "</Node>",
     "Rigid3", NULL},
    {"points of one body that touch each other", PIPELINE("PenalityContactForceField") BEADS(""), "Vec3", "/Body/dofs"},
};
enum { CASES = sizeof cases / sizeof *cases };

typedef struct Product {
    double at[2][512];
    size_t count[2];
    uint64_t fetched; /* bytes, for the product */
} Product;

static const DvSpaceCounts *counts_of(const DvStateRef s)
{
    static const DvSpaceCounts none;
    const DvStorage storage = dv_state_storage(s);
    return storage.space ? storage.space->ops->counts(storage.space) : &none;
}

/* The same numbers everywhere, which floats can hold; positions near those of the scene. */
static void move(const DvStateRef s)
{
    uint32_t random = 7;
    for (int vector = 0; vector < 3; vector++) {
        const DvConstVec rest = dv_state_read(s, DV_REST_POSITION);
        const DvVec at = dv_state_write(s, ((const DvVecId[]){DV_POSITION, DV_VELOCITY, DV_DX})[vector], DV_OVERWRITE);
        for (uint32_t i = 0; i < at.count * at.dim; i++) {
            random = random * 1664525u + 1013904223u;
            const double moved = (double)random / 4294967296.0 - 0.5;
            at.at[i] = (double)(float)(vector ? moved : rest.at[i] + (i % at.dim < 3 ? 0.01 * moved : 0.0));
        }
    }
}

static Product multiply(const Case *c, const char *word)
{
    const char *const paths[] = {"/Body/dofs", c->second};
    DvScene *scene = with_template(c->format, word);
    const DvStateRef first = scene_state(scene, paths[0]);
    const DvMechanicalOperationsOps *ops = dv_service(DV_MECHANICAL_OPERATIONS);
    const DvStep step = {.dt = 0.01, .position = DV_POSITION, .velocity = DV_VELOCITY};
    Product product = {.fetched = 0};
    make_steps(scene, 1); /* contacts are found where all begin */
    DvMechanics *m = ops->open(c->second ? dv_scene_root(scene) : dv_object_node(first.object));
    for (int k = 0; k < 2 && paths[k]; k++)
        move(scene_state(scene, paths[k]));
    ops->compute_force(m, &step, DV_FORCE, DV_WALK_WHOLE);
    ops->clear(m, DV_DFORCE);
    const DvSpaceCounts before = *counts_of(first);
    ops->add_mbk(m, &step, (DvFactors){.k = -0.3}, DV_DFORCE, DV_DX, DV_WALK_WHOLE);
    product.fetched = counts_of(first)->bytes_got - before.bytes_got;
    for (int k = 0; k < 2 && paths[k]; k++) {
        const DvConstVec f = dv_state_read(scene_state(scene, paths[k]), DV_DFORCE);
        product.count[k] = (size_t)f.count * f.dim;
        assert_true(product.count[k] <= sizeof product.at[k] / sizeof(double));
        memcpy(product.at[k], f.at, product.count[k] * sizeof(double));
    }
    ops->close(m);
    dv_scene_free(scene);
    return product;
}

static void test_products_are_those_of_the_host(void **state)
{
    (void)state;
    for (int i = 0; i < CASES; i++)
        for (int p = 0; p < 2; p++) {
            char here[32], there[32];
            (void)snprintf(here, sizeof here, "%sd", cases[i].kind);
            (void)snprintf(there, sizeof there, "Cuda%s%c", cases[i].kind, p ? 'f' : 'd');
            const Product host = multiply(&cases[i], here), device = multiply(&cases[i], there);
            double largest = 0.0, off = 0.0;
            for (int k = 0; k < 2; k++) {
                assert_int_equal(host.count[k], device.count[k]);
                for (size_t n = 0; n < host.count[k]; n++) {
                    largest = fmax(largest, fabs(host.at[k][n]));
                    off = fmax(off, fabs(host.at[k][n] - device.at[k][n]));
                }
            }
            if (!(off <= (p ? 1e-5 : 1e-12) * largest) || !(largest > 20.0) || device.fetched)
                fail_msg("%s, %s: %g of %g, %u bytes fetched", cases[i].name, there, off, largest,
                         (unsigned)device.fetched);
        }
}

/* One that a step sets up is as those that follow; what comes home for contacts does not hang on the turns of a solve. */
static void test_nothing_travels_in_a_solve(void **state)
{
    (void)state;
    static const char *const turns[] = {"2", "40"};
    DvSpaceCounts moved[2];
    for (int k = 0; k < 2; k++) {
        char format[4096];
        (void)snprintf(format, sizeof format,
                       PIPELINE("PenalityContactForceField") "<Node name='Body'><EulerImplicitSolver/><CGLinearSolver "
                                                             "iterations='%s' tolerance='0' threshold='0'/>" GRID(
                                                                 "0 0", "%%s") "</Node>" FLOOR "</Node>",
                       turns[k]);
        DvScene *scene = with_template(format, "CudaVec3d");
        const DvStateRef s = scene_state(scene, "/Body/dofs");
        make_steps(scene, 3);
        const DvSpaceCounts before = *counts_of(s);
        make_steps(scene, 4);
        const DvSpaceCounts after = *counts_of(s);
        moved[k] = (DvSpaceCounts){.bytes_put = after.bytes_put - before.bytes_put,
                                   .bytes_got = after.bytes_got - before.bytes_got,
                                   .waits = after.waits - before.waits,
                                   .allocations = after.allocations - before.allocations};
        dv_scene_free(scene);
    }
    assert_int_equal(moved[0].bytes_put, moved[1].bytes_put);
    assert_int_equal(moved[0].bytes_got, moved[1].bytes_got);
    assert_int_equal(moved[0].waits, moved[1].waits);
    assert_int_equal(moved[1].allocations, 0);
}

/* Beads that touch none cost nothing. */
static void test_of_a_body_that_touches_itself_points_travel(void **state)
{
    (void)state;
    enum { FAR = 100 };
    DvText places = {0};
    for (int i = 0; i < FAR; i++)
        dv_text_add(&places, " %d 9 9", i);
    DvSpaceCounts moved[2];
    for (int k = 0; k < 2; k++) {
        char text[8192];
        assert_true((size_t)snprintf(text, sizeof text, PIPELINE("PenalityContactForceField") BEADS("%2$s"),
                                     "CudaVec3d", k ? places.at : "") < sizeof text);
        DvScene *scene = scene_from_text(text);
        make_steps(scene, 3);
        const DvDeviceUseOps *ops = dv_service(DV_DEVICE_USE);
        DvDeviceShare shares[16];
        const uint32_t count = ops->shares(scene, shares, 16);
        moved[k] = (DvSpaceCounts){0};
        for (uint32_t i = 0; i < count && i < 16; i++)
            if (strstr(dv_object_path(shares[i].object), "Sphere"))
                moved[k] = (DvSpaceCounts){.bytes_put = shares[i].bytes_put, .bytes_got = shares[i].bytes_got};
        dv_scene_free(scene);
    }
    dv_text_free(&places);
    assert_true(moved[0].bytes_got > 0 && moved[0].bytes_put > 0);
    assert_int_equal(moved[0].bytes_got, moved[1].bytes_got);
    assert_int_equal(moved[0].bytes_put, moved[1].bytes_put);
}

static int start_with_device(void **state)
{
    return setenv("DIVAN_DEVICE", "emulated", 1) == 0 ? start_plugins(state) : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_products_are_those_of_the_host),
        cmocka_unit_test(test_nothing_travels_in_a_solve),
        cmocka_unit_test(test_of_a_body_that_touches_itself_points_travel),
    };
    return cmocka_run_group_tests(tests, start_with_device, stop_plugins);
}
