/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Penalty contacts: closed forms of one contact, conservation, and the derivative against differences of the force.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <divan/contracts/collision.h>
#include <divan/contracts/force_field.h>
#include <divan/divan.h>

#include "scene_text.h"

#define PIPELINE                                                                                          \
    "<DefaultAnimationLoop/><CollisionPipeline name='pipeline'/><BruteForceBroadPhase/><BVHNarrowPhase/>" \
    "<MinProximityIntersection alarmDistance='0.3' contactDistance='0.1'/>"                               \
    "<CollisionResponse response='PenalityContactForceField'/>"
#define IMPLICIT "<EulerImplicitSolver/><CGLinearSolver iterations='50' tolerance='1e-14' threshold='1e-20'/>"
#define FLOOR                                                                                                  \
    "<Node name='Floor'><MeshTopology triangles='0 1 2'/><MechanicalObject position='-5 0 5  5 0 5  0 0 -5'/>" \
    "<TriangleCollisionModel simulated='0' moving='0' contactStiffness='20'/></Node>"

static void steps(DvScene *scene, int count)
{
    while (count-- > 0)
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
}

static DvObject *response_in(DvScene *scene, const char *node)
{
    DvObject *object;
    const DvNode *holder = dv_object_as_node(scene_object(scene, node));
    for (size_t i = 0; (object = dv_node_member(holder, i)); i++)
        if (dv_object_ops(object, DV_CONTACT_RESPONSE))
            return object;
    return NULL;
}

/* ks = k1 k2 / dist; explicit: v = h (F / m - g) after a step from rest. */
static void force_of_a_point_over_a_floor(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node name='root' gravity='0 -10 0' dt='0.001'>" PIPELINE
        "<Node name='Ball'><EulerExplicitSolver symplectic='1'/><MechanicalObject name='dofs' position='0 0.04 0'/>"
        "<UniformMass totalMass='2'/><PointCollisionModel contactStiffness='50' contactDistance='0.05'/></Node>" FLOOR
        "</Node>");
    steps(scene, 1);
    const double distance = 0.1 + 0.05, stiffness = 50 * 20 / distance, force = stiffness * (distance - 0.04);
    const DvConstVec v = dv_state_read(scene_state(scene, "/Ball/dofs"), DV_VELOCITY);
    assert_true(fabs(v.at[1] - 0.001 * (force / 2 - 10)) < 1e-12);
    assert_true(v.at[0] == 0 && v.at[2] == 0);
    DvObject *response = response_in(scene, "/Ball");
    assert_non_null(response);
    double felt[3];
    ((const DvContactResponseOps *)dv_object_ops(response, DV_CONTACT_RESPONSE))
        ->force(dv_object_self(response), 0, felt);
    assert_true(fabs(felt[1] - force) < 1e-9 && felt[0] == 0 && felt[2] == 0);
    dv_scene_free(scene);
}

/* It comes to rest where ks (dist - y) = m g. */
static void a_ball_rests_where_the_spring_carries_its_weight(void **state)
{
    (void)state;
    DvScene *scene =
        scene_from_text("<Node name='root' gravity='0 -10 0' dt='0.01'>" PIPELINE "<Node name='Ball'>" IMPLICIT
                        "<MechanicalObject name='dofs' position='0 0.5 0'/><UniformMass totalMass='2'/>"
                        "<SphereCollisionModel radius='0.2' contactStiffness='100'/></Node>" FLOOR "</Node>");
    steps(scene, 2000);
    /* a sphere of points: the contact is at its centre, the radius counts as distance */
    const double distance = 0.1 + 0.2, stiffness = 100 * 20 / distance;
    const DvConstVec x = dv_state_read(scene_state(scene, "/Ball/dofs"), DV_POSITION);
    assert_true(fabs(x.at[1] - (distance - 2 * 10 / stiffness)) < 1e-9);
    dv_scene_free(scene);
}

/* While the same pairs touch, a step takes nothing from the heap. */
static void a_lasting_contact_allocates_nothing(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node name='root' gravity='0 -10 0' dt='0.01'>" PIPELINE "<Node name='Balls'>" IMPLICIT
        "<MechanicalObject name='dofs' position='0 0.25 0  1 0.25 0  2 0.25 0.5'/><UniformMass totalMass='2'/>"
        "<SphereCollisionModel radius='0.2' contactStiffness='100'/></Node>" FLOOR "</Node>");
    steps(scene, 200);
    const uint64_t before = dv_allocation_count();
    steps(scene, 200);
    assert_int_equal(dv_allocation_count(), before);
    dv_scene_free(scene);
}

/* Saved in the middle of contacts and loaded, a run goes on with the same bits. */
static void a_saved_contact_goes_on_as_it_was(void **state)
{
    (void)state;
    static const char text[] =
        "<Node name='root' gravity='0 -10 0' dt='0.01'>" PIPELINE "<Node name='Sheet'>" IMPLICIT
        "<MechanicalObject name='dofs' position='0 0.2 0  0.5 0.2 0  0 0.25 0.5  0.5 0.25 0.5'/>"
        "<MeshTopology triangles='0 1 2  1 3 2'/><UniformMass totalMass='1'/><MeshSpringForceField stiffness='200'/>"
        "<PointCollisionModel contactStiffness='50'/><LineCollisionModel contactStiffness='50'/>"
        "<TriangleCollisionModel contactStiffness='50'/></Node>"
        "<Node name='Ball'>" IMPLICIT
        "<MechanicalObject name='dofs' position='0.2 0.5 0.2'/><UniformMass totalMass='1'/>"
        "<SphereCollisionModel radius='0.1' contactStiffness='60'/></Node>" FLOOR "</Node>";
    char file[64] = P_tmpdir "/divan-contact-XXXXXX.scn";
    const int descriptor = mkstemps(file, 4);
    assert_true(descriptor >= 0);
    close(descriptor);
    DvScene *straight = scene_from_text(text);
    steps(straight, 33);
    assert_non_null(response_in(straight, "/Sheet"));
    assert_non_null(response_in(straight, "/"));
    assert_int_equal(dv_scene_save(straight, file), DV_OK);
    DvScene *loaded;
    assert_int_equal(dv_scene_load(file, NULL, &loaded), DV_OK);
    assert_null(response_in(loaded, "/Sheet")); /* made anew by the next detection */
    steps(straight, 40);
    steps(loaded, 40);
    for (int body = 0; body < 2; body++) {
        const char *path = body ? "/Ball/dofs" : "/Sheet/dofs";
        const DvConstVec a = dv_state_read(scene_state(straight, path), DV_POSITION);
        const DvConstVec b = dv_state_read(scene_state(loaded, path), DV_POSITION);
        assert_memory_equal(a.at, b.at, (size_t)a.count * 3 * sizeof(double));
    }
    dv_scene_free(straight);
    dv_scene_free(loaded);
    remove(file);
}

/* Two bodies under one solver: the force on one is the opposite of that on the other. */
static void two_bodies_that_collide_keep_their_momentum(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node name='root' gravity='0 0 0' dt='0.01'>" PIPELINE IMPLICIT
        "<Node name='One'><MechanicalObject name='dofs' position='0 0 0  0.5 0 0  0 0 0.5' velocity='0.1 0.5 0  0.1 0.5 0  0.1 0.5 0'/>"
        "<MeshTopology triangles='0 1 2'/><UniformMass totalMass='3'/>"
        "<TriangleCollisionModel contactStiffness='30'/><LineCollisionModel contactStiffness='30'/></Node>"
        "<Node name='Two'><MechanicalObject name='dofs' position='0.2 0.4 0.2  1 0.4 0.2'/><MeshTopology edges='0 1'/>"
        "<UniformMass totalMass='1'/><PointCollisionModel contactStiffness='30'/><LineCollisionModel contactStiffness='30'/>"
        "</Node></Node>");
    bool touched = false;
    double fastest = 0;
    for (int step = 0; step < 200; step++) {
        steps(scene, 1);
        const DvConstVec a = dv_state_read(scene_state(scene, "/One/dofs"), DV_VELOCITY);
        const DvConstVec b = dv_state_read(scene_state(scene, "/Two/dofs"), DV_VELOCITY);
        for (int axis = 0; axis < 3; axis++) {
            double momentum = 0;
            for (int i = 0; i < 3; i++)
                momentum += a.at[3 * i + axis]; /* 1 kg each */
            for (int i = 0; i < 2; i++)
                momentum += 0.5 * b.at[3 * i + axis];
            assert_true(fabs(momentum - (axis == 0 ? 0.3 : axis == 1 ? 1.5 : 0)) < 1e-10);
        }
        fastest = fmax(fastest, b.at[1]);
        touched = touched || response_in(scene, "/") != NULL;
    }
    assert_true(touched && fastest > 0.05);
    dv_scene_free(scene);
}

/* When a pair has parted its response goes, and nothing of it stays in the graph. */
static void responses_come_and_go_with_their_pair(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node name='root' gravity='0 0 0' dt='0.01'>" PIPELINE
        "<Node name='Ball'><EulerExplicitSolver/><MechanicalObject name='dofs' position='0 0.5 0' velocity='0 -2 0'/>"
        "<UniformMass totalMass='1'/><PointCollisionModel name='points' contactStiffness='10'/></Node>" FLOOR
        "</Node>");
    size_t members = 0;
    const DvNode *ball = dv_object_as_node(scene_object(scene, "/Ball"));
    while (dv_node_member(ball, members))
        members++;
    int present = 0, changes = 0;
    bool was = false;
    for (int step = 0; step < 200; step++) {
        steps(scene, 1);
        DvObject *response = response_in(scene, "/Ball");
        present += response != NULL;
        changes += (response != NULL) != was;
        was = response != NULL;
        size_t now = 0;
        while (dv_node_member(ball, now))
            now++;
        assert_int_equal(now, members + (response != NULL));
    }
    assert_true(present > 5);
    assert_int_equal(changes, 2); /* it came and went */
    const DvConstVec v = dv_state_read(scene_state(scene, "/Ball/dofs"), DV_VELOCITY);
    assert_true(v.at[1] > 1.5); /* it was thrown back */
    assert_int_equal(dv_data_uint(dv_object_field(scene_object(scene, "/Ball/points"), "numberOfContacts")), 1);
    dv_scene_free(scene);
}

/* ---- The derivative ---- */

typedef struct Pair {
    const DvForceFieldOps *ops;
    void *self;
    DvStateRef state[2];
} Pair;

static void force_at(const Pair *p, double *const x[2], double *const f[2])
{
    const DvStep step = {.dt = 0.01, .position = DV_POSITION, .velocity = DV_VELOCITY};
    DvConstVec position[2], velocity[2];
    DvVec force[2];
    static double zeros[64];
    for (int s = 0; s < 2; s++) {
        const uint32_t count = dv_state_count(p->state[s]);
        position[s] = (DvConstVec){x[s], count, p->state[s].dof->coord};
        velocity[s] = (DvConstVec){zeros, count, p->state[s].dof->deriv};
        force[s] = (DvVec){f[s], count, p->state[s].dof->deriv};
        memset(f[s], 0, (size_t)count * p->state[s].dof->deriv * sizeof *f[s]);
    }
    p->ops->add_force(p->self, &step, position, velocity, force);
}

static void products_are_differences_of_forces(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node name='root' gravity='0 0 0' dt='0.01'>" PIPELINE "<Node name='Ball'>" IMPLICIT
        "<MechanicalObject name='dofs' template='Rigid3d'"
        " position='0.1 0.25 0.2 0.1 0.2 0.3 0.9273618495495703'/><UniformMass totalMass='2'/>"
        "<SphereCollisionModel radius='0.2' contactStiffness='100'/></Node>"
        "<Node name='Floor'><MeshTopology triangles='0 1 2'/><MechanicalObject name='dofs' position='-5 0 5  5 0.3 5  0 0 -5'/>"
        "<TriangleCollisionModel simulated='0' contactStiffness='20'/></Node></Node>");
    steps(scene, 1);
    DvObject *response = response_in(scene, "/Ball");
    assert_non_null(response);
    Pair pair = {.ops = dv_object_ops(response, DV_INTERACTION_FORCE_FIELD), .self = dv_object_self(response)};
    DvObject *objects[2];
    assert_int_equal(pair.ops->states(pair.self, objects), 2);
    double x[2][16] = {{0}}, at[2][16], f[4][16], d[2][16] = {{0}};
    for (int s = 0; s < 2; s++) {
        pair.state[s] = dv_state_ref(objects[s]);
        const DvConstVec now = dv_state_read(pair.state[s], DV_POSITION);
        memcpy(x[s], now.at, (size_t)now.count * now.dim * sizeof(double));
    }
    const int rigid = pair.state[0].dof->rotation ? 0 : 1;
    /* Translations and the motion of the floor's corners; turning also moves the lever, which products leave out. */
    for (int i = 0; i < 3; i++)
        d[rigid][i] = 0.3 * (i + 1);
    for (int i = 0; i < 9; i++)
        d[1 - rigid][i] = 0.1 * (i - 4);
    const double h = 1e-6;
    for (int side = 0; side < 2; side++) {
        memcpy(at, x, sizeof at);
        for (int s = 0; s < 2; s++)
            for (int i = 0; i < 9; i++)
                at[s][i] += (side ? -h : h) * (s == rigid && i > 2 ? 0 : d[s][i]);
        force_at(&pair, (double *[]){at[0], at[1]}, (double *[]){f[2 * side], f[2 * side + 1]});
    }
    double base[2][16], df[2][16] = {{0}};
    force_at(&pair, (double *[]){x[0], x[1]}, (double *[]){base[0], base[1]});
    DvConstVec dx[2];
    DvVec product[2];
    for (int s = 0; s < 2; s++) {
        const uint32_t count = dv_state_count(pair.state[s]), dim = pair.state[s].dof->deriv;
        dx[s] = (DvConstVec){d[s], count, dim};
        product[s] = (DvVec){df[s], count, dim};
    }
    const DvStep step = {.dt = 0.01, .position = DV_POSITION, .velocity = DV_VELOCITY};
    pair.ops->add_dforce(pair.self, &step, 1.0, 0.0, dx, product);
    double largest = 0;
    for (int s = 0; s < 2; s++)
        for (int i = 0; i < (s == rigid ? 3 : 9); i++) {
            const double difference = (f[s][i] - f[2 + s][i]) / (2 * h);
            largest = fmax(largest, fabs(difference));
            assert_true(fabs(df[s][i] - difference) < 1e-5 * (1 + fabs(difference)));
        }
    assert_true(largest > 100);
    /* The couple on the sphere is the lever times the force. */
    double sum = 0;
    for (int i = 0; i < 3; i++)
        sum += base[rigid][3 + i] * base[rigid][i];
    assert_true(fabs(sum) < 1e-9);
    dv_scene_free(scene);
}

/* The same trajectory with products and with an assembled matrix that is factored. */
static void a_direct_solver_gives_what_conjugate_gradients_give(void **state)
{
    (void)state;
    static const char *const solvers[] = {"<CGLinearSolver iterations='200' tolerance='1e-15' threshold='1e-30'/>",
                                          "<SparseLDLSolver/>"};
    double end[2][12];
    for (int k = 0; k < 2; k++) {
        char text[2048];
        snprintf(text, sizeof text,
                 "<Node name='root' gravity='0 -10 0' dt='0.01'>" PIPELINE "<Node name='Sheet'><EulerImplicitSolver/>%s"
                 "<MechanicalObject name='dofs' position='0 0.2 0  0.5 0.2 0  0 0.25 0.5  0.5 0.25 0.5'/>"
                 "<MeshTopology triangles='0 1 2  1 3 2'/><UniformMass totalMass='1'/>"
                 "<MeshSpringForceField stiffness='200' damping='1'/>"
                 "<PointCollisionModel contactStiffness='50'/><LineCollisionModel contactStiffness='50'/></Node>" FLOOR
                 "</Node>",
                 solvers[k]);
        DvScene *scene = scene_from_text(text);
        steps(scene, 60);
        memcpy(end[k], dv_state_read(scene_state(scene, "/Sheet/dofs"), DV_POSITION).at, sizeof end[k]);
        assert_non_null(response_in(scene, "/Sheet"));
        dv_scene_free(scene);
    }
    for (int i = 0; i < 12; i++)
        assert_true(fabs(end[0][i] - end[1][i]) < 1e-8);
}

/* ---- Mistakes ---- */

static void what_is_missing_or_wrong_is_said(void **state)
{
    (void)state;
    expect_load_error("<Node><DefaultAnimationLoop/><CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/>"
                      "<CollisionResponse response='PenalityContactForceField'/></Node>",
                      "no intersection method in node '/' or below; add a MinProximityIntersection");
    expect_load_error("<Node><DefaultAnimationLoop/>" PIPELINE "<PointCollisionModel/></Node>",
                      "no state in node '/' or above; add a MechanicalObject");
    expect_load_error("<Node><DefaultAnimationLoop/>" PIPELINE
                      "<MechanicalObject position='0 0 0'/><TriangleCollisionModel/></Node>",
                      "no topology in node '/' or above");
    expect_load_error("<Node><DefaultAnimationLoop/>" PIPELINE
                      "<MechanicalObject position='0 0 0'/><SphereCollisionModel radius='-1'/></Node>",
                      "radius: is -1 m; it must be 0 or more");
    expect_load_error("<Node><MinProximityIntersection alarmDistance='-0.1' contactDistance='0.1'/></Node>",
                      "alarmDistance: is -0.1 m; it must be 0 or more");
    expect_load_error("<Node><CollisionResponse response='PenaltyContactForceField'/></Node>",
                      "no response 'PenaltyContactForceField'; did you mean 'PenalityContactForceField'?");
    expect_load_error("<Node><CollisionResponse/></Node>", "no response to contacts is named");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(force_of_a_point_over_a_floor),
        cmocka_unit_test(a_ball_rests_where_the_spring_carries_its_weight),
        cmocka_unit_test(a_lasting_contact_allocates_nothing),
        cmocka_unit_test(a_saved_contact_goes_on_as_it_was),
        cmocka_unit_test(two_bodies_that_collide_keep_their_momentum),
        cmocka_unit_test(responses_come_and_go_with_their_pair),
        cmocka_unit_test(products_are_differences_of_forces),
        cmocka_unit_test(a_direct_solver_gives_what_conjugate_gradients_give),
        cmocka_unit_test(what_is_missing_or_wrong_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, stop_plugins);
}
