/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Contacts that stick: what they owe as constraints, which of them count, and when they hold on. Without a constraint solver they are
 * found and not solved for, so that bodies move as they like; with one they hold.
 */
#include <malloc.h>
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
#include <divan/contracts/lagrangian_constraint.h>
#include <divan/contracts/topology.h>
#include <divan/divan.h>
#include <divan/memory.h>

#include "lagrangian_constraint_conformance.h"
#include "scene_text.h"

#define PIPELINE(parameters)                                                                              \
    "<DefaultAnimationLoop/><CollisionPipeline name='pipeline'/><BruteForceBroadPhase/><BVHNarrowPhase/>" \
    "<MinProximityIntersection alarmDistance='0.3' contactDistance='0.1'/>"                               \
    "<CollisionResponse response='StickContactConstraint' responseParams='" parameters "'/>"
#define FLOOR                                                                                                              \
    "<Node name='Floor'><MeshTopology triangles='0 1 2'/><MechanicalObject name='dofs' position='-5 0 5  5 0 5  0 0 -5'/>" \
    "<TriangleCollisionModel name='floor' simulated='0' moving='0'/></Node>"
#define BALL(position)                                                                                \
    "<Node name='Ball'><EulerExplicitSolver/><MechanicalObject name='dofs' position='" position "'/>" \
    "<UniformMass totalMass='1'/><PointCollisionModel name='points'/></Node>"
#define SCENE(parameters, bodies) \
    "<Node name='root' gravity='0 0 0' dt='0.01'>" PIPELINE(parameters) bodies FLOOR "</Node>"

LAGRANGIAN_CONSTRAINT_CONFORMANCE(points_that_stick_are_a_constraint,
                                  .scene = SCENE("", BALL("0 0.04 0  0.5 0.2 0.1  1 9 1")),
                                  .path = "/Ball/floor-points", .steps = 1)
LAGRANGIAN_CONSTRAINT_CONFORMANCE(
    bodies_that_stick_are_a_constraint,
    .scene = SCENE("", "<Node name='Ball'><EulerExplicitSolver/><MechanicalObject name='dofs' template='Rigid3d' "
                       "position='0 0.25 0 0.6 0 0 0.8  1 0.2 1 0 0 0 1'/><UniformMass totalMass='1'/>"
                       "<SphereCollisionModel name='points' radius='0.2'/></Node>"),
    .path = "/Ball/floor-points", .steps = 1, .not_affine = "levers turn with the body")

static void steps(DvScene *scene, int count)
{
    while (count-- > 0)
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
}

static DvObject *stick_of(DvScene *scene)
{
    DvObject *object;
    const DvNode *ball = dv_object_as_node(scene_object(scene, "/Ball"));
    for (size_t i = 0; (object = dv_node_member(ball, i)); i++)
        if (dv_object_ops(object, DV_CONTACT_RESPONSE))
            return object;
    return NULL;
}

static void no_more(DvRowEntries *entries)
{
    fail_msg("more than %zu entries", entries->capacity);
}

static void no_more_blocks(DvConstraintRows *rows)
{
    fail_msg("more than %u blocks", rows->block_capacity);
}

static DvConstraintBlock first_block; /* of what was written last */

/* Its violation now; the number of rows. */
static uint32_t violation_now(DvScene *scene, double *d)
{
    DvObject *object = stick_of(scene);
    assert_non_null(object);
    const DvLagrangianConstraintOps *ops = dv_object_ops(object, DV_LAGRANGIAN_CONSTRAINT);
    void *self = dv_object_self(object);
    uint32_t row[2][64], point[2][64];
    double values[2][64 * 6];
    DvConstraintBlock blocks[16] = {{0}};
    DvObject *states[2];
    assert_int_equal(ops->states(self, states, 2), 2);
    DvRowEntries entries[2];
    DvConstraintRows rows = {.blocks = blocks, .block_capacity = 16, .grow = no_more_blocks};
    for (int s = 0; s < 2; s++) {
        entries[s] = (DvRowEntries){.row = row[s],
                                    .point = point[s],
                                    .values = values[s],
                                    .capacity = 64,
                                    .width = dv_state_ref(states[s]).dof->deriv,
                                    .grow = no_more};
        rows.of_state[s] = &entries[s];
    }
    const DvStep step = {.time = 0.0, .dt = 0.01, .position = DV_POSITION, .velocity = DV_VELOCITY};
    assert_int_equal(ops->build(self, &step, &rows), DV_OK);
    assert_int_equal(ops->violation(self, &step, DV_CONSTRAIN_POSITION, d), DV_OK);
    first_block = blocks[0];
    return rows.next;
}

static void move_ball(DvScene *scene, double x, double y, double z)
{
    const DvVec at = dv_state_write(scene_state(scene, "/Ball/dofs"), DV_POSITION, DV_READ_WRITE);
    at.at[0] += x;
    at.at[1] += y;
    at.at[2] += z;
}

static void what_touches_stays_as_far_apart_as_it_was(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(SCENE("", BALL("0.3 0.2 0")));
    steps(scene, 1);
    double d[3];
    assert_int_equal(violation_now(scene, d), 3);
    assert_true(d[0] == 0.0 && d[1] == 0.0 && d[2] == 0.0);
    move_ball(scene, 0.01, 0.02, -0.03); /* the floor is the first */
    assert_int_equal(violation_now(scene, d), 3);
    assert_true(fabs(d[0] - 0.01) < 1e-15 && fabs(d[1] - 0.02) < 1e-15 && fabs(d[2] + 0.03) < 1e-15);
    steps(scene, 1); /* found anew: where it is now counts */
    assert_int_equal(violation_now(scene, d), 3);
    assert_true(fabs(d[0]) + fabs(d[1]) + fabs(d[2]) < 1e-15);
    DvObject *object = stick_of(scene);
    const DvLagrangianConstraintOps *ops = dv_object_ops(object, DV_LAGRANGIAN_CONSTRAINT);
    ops->store(dv_object_self(object), &(DvStep){.dt = 0.5}, (double[]){1, -2, 3}, 3);
    assert_int_equal(violation_now(scene, d), 3);
    assert_true(first_block.has_start && first_block.start[0] == 1 && first_block.start[1] == -2);
    double force[3];
    const DvContactResponseOps *response = dv_object_ops(object, DV_CONTACT_RESPONSE);
    response->force(dv_object_self(object), 0, force);
    assert_true(force[0] == 2.0 && force[1] == -4.0 && force[2] == 6.0);
    response->force(dv_object_self(object), 1, force);
    assert_true(force[0] == 0.0 && force[1] == 0.0 && force[2] == 0.0);
    dv_scene_free(scene);
}

static void it_holds_on_where_nothing_is_found_any_more(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(SCENE("", BALL("0.3 0.2 0")));
    steps(scene, 1);
    move_ball(scene, 0, 1, 0);
    steps(scene, 3);
    double d[3];
    assert_int_equal(violation_now(scene, d), 3);
    assert_true(fabs(d[1] - 1.0) < 1e-15);
    dv_scene_free(scene);

    scene = scene_from_text(SCENE("keepAlive=0", BALL("0.3 0.2 0")));
    steps(scene, 1);
    assert_non_null(stick_of(scene));
    move_ball(scene, 0, 1, 0);
    steps(scene, 1);
    assert_null(stick_of(scene));
    dv_scene_free(scene);
}

static void of_contacts_at_one_place_the_first_counts(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(SCENE("", BALL("0.3 0.2 0  0.30003 0.2 0  0.3002 0.2 0")));
    steps(scene, 1);
    double d[9];
    assert_int_equal(violation_now(scene, d), 6); /* 0.03 mm apart on both sides is one place, 0.2 mm is not */
    dv_scene_free(scene);
}

/* Of two points the one that sticks goes; with a new one there are as many as before. */
static void it_lets_go_when_the_mesh_changes(void **state)
{
    (void)state;
    for (int as_many = 0; as_many < 2; as_many++) {
        DvScene *scene = scene_from_text(SCENE(
            "", "<Node name='Ball'><EulerExplicitSolver/><PointSetTopologyContainer position='0.3 0.2 0  2 9 2'/>"
                "<PointSetTopologyModifier name='modifier'/><MechanicalObject name='dofs'/><UniformMass totalMass='1'/>"
                "<PointCollisionModel name='points'/></Node>"));
        steps(scene, 1);
        double d[3];
        assert_int_equal(violation_now(scene, d), 3);
        DvObject *modifier = scene_object(scene, "/Ball/modifier");
        const DvTopologyModifierOps *ops = dv_object_ops(modifier, DV_TOPOLOGY_MODIFIER);
        const uint32_t first = 0;
        assert_int_equal(ops->remove_points(dv_object_self(modifier), 1, &first), DV_OK);
        if (as_many) {
            assert_int_equal(ops->add_points(dv_object_self(modifier), 1, NULL), DV_OK);
            move_ball(scene, 0, 9, 0); /* the last has taken the first's number, the new one is far too */
            dv_state_write(scene_state(scene, "/Ball/dofs"), DV_POSITION, DV_READ_WRITE).at[4] = 9.0;
            steps(scene, 1);
        }
        assert_int_equal(violation_now(scene, d), 0);
        dv_scene_free(scene);
    }
    DvScene *scene = scene_from_text(SCENE("", BALL("0.3 0.2 0  2 9 2")));
    steps(scene, 1);
    const DvStateRef ball = scene_state(scene, "/Ball/dofs");
    ball.ops->resize(ball.self, 1);
    double d[3];
    assert_int_equal(violation_now(scene, d), 0);
    dv_scene_free(scene);
}

/* ---- With a constraint solver ---- */

#define SOLVED_PIPELINE                                                                                    \
    "<FreeMotionAnimationLoop/><BlockGaussSeidelConstraintSolver tolerance='1e-13' maxIterations='1000'/>" \
    "<CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/>"                                         \
    "<MinProximityIntersection name='method' alarmDistance='0.3' contactDistance='0.1'/>"                  \
    "<CollisionResponse response='StickContactConstraint'/>"
#define SWINGING                                                                                               \
    "<Node name='Ball'><EulerImplicitSolver/><SparseLDLSolver template='CompressedRowSparseMatrixMat3x3d'/>"   \
    "<MechanicalObject name='dofs' position='0.3 0.5 0  0.3 1.5 0' velocity='1 -2 0  1 -2 0.5'/>"              \
    "<UniformMass vertexMass='2'/><SpringForceField spring='0 1 100 1 1'/><LinearSolverConstraintCorrection/>" \
    "<PointCollisionModel name='points'/></Node>"

/* Two points on a spring: one comes near the floor and stays there for ever, the other goes on swinging. */
static void what_comes_near_stays(void **state)
{
    (void)state;
    DvScene *scene =
        scene_from_text("<Node name='root' gravity='0 -10 0' dt='0.01'>" SOLVED_PIPELINE SWINGING FLOOR "</Node>");
    double held[3] = {0};
    bool holds = false;
    for (int step = 0; step < 200; step++) {
        const bool held_before = stick_of(scene) != NULL;
        steps(scene, 1);
        const double *x = dv_state_read(scene_state(scene, "/Ball/dofs"), DV_POSITION).at;
        if (held_before && holds)
            for (int axis = 0; axis < 3; axis++)
                assert_true(fabs(x[axis] - held[axis]) < 1e-11);
        memcpy(held, x, sizeof held);
        holds = stick_of(scene) != NULL;
    }
    assert_true(holds && held[1] > 0.2 && held[1] < 0.3); /* within the alarm distance, by less than a step's way */
    dv_scene_free(scene);
}

/* What holds on although it is found no more is part of a run that is saved. */
static void save_and_go_on(const char *text)
{
    DvScene *scene = scene_from_text(text);
    steps(scene, 60);
    assert_non_null(stick_of(scene));
    DvObject *method = scene_object(scene, "/method");
    dv_data_set_double(dv_object_field(method, "contactDistance"), 0.001);
    dv_data_set_double(dv_object_field(method, "alarmDistance"), 0.002);
    steps(scene, 5);
    assert_non_null(stick_of(scene));
    char file[64] = P_tmpdir "/divan-stick-XXXXXX.scn";
    const int descriptor = mkstemps(file, 4);
    assert_true(descriptor >= 0);
    close(descriptor);
    assert_int_equal(dv_scene_save(scene, file), DV_OK);
    DvScene *loaded;
    assert_int_equal(dv_scene_load(file, NULL, &loaded), DV_OK);
    remove(file);
    steps(scene, 20);
    steps(loaded, 20);
    const DvConstVec a = dv_state_read(scene_state(scene, "/Ball/dofs"), DV_POSITION);
    const DvConstVec b = dv_state_read(scene_state(loaded, "/Ball/dofs"), DV_POSITION);
    assert_memory_equal(a.at, b.at, (size_t)a.count * a.dim * sizeof *a.at);
    const uint64_t before = dv_allocation_count();
    steps(scene, 20);
    assert_int_equal(dv_allocation_count(), before);
    dv_scene_free(loaded);
    dv_scene_free(scene);
}

static void a_saved_contact_holds_on(void **state)
{
    (void)state;
    save_and_go_on("<Node name='root' gravity='0 -10 0' dt='0.01'>" SOLVED_PIPELINE SWINGING FLOOR "</Node>");
    /* a body that turns about its point of contact */
    save_and_go_on(
        "<Node name='root' gravity='3 -10 0' dt='0.01'>" SOLVED_PIPELINE
        "<Node name='Ball'><EulerImplicitSolver/><SparseLDLSolver template='CompressedRowSparseMatrixMat3x3d'/>"
        "<MechanicalObject name='dofs' template='Rigid3d' position='0.3 0.4 0 0 0 0 1' velocity='0 -1 0 0 0 1'/>"
        "<UniformMass vertexMass='2 1 [0.02 0 0 0 0.02 0 0 0 0.02]'/><LinearSolverConstraintCorrection/>"
        "<SphereCollisionModel name='points' radius='0.1'/></Node>" FLOOR "</Node>");
}

/* Bytes of the heap in use, but what the allocator keeps. */
static size_t bytes_in_use(void)
{
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

/* Each of the two states is as large as a few megabytes: one that a contact did not give back stays. */
static void both_states_are_given_back(void **state)
{
    (void)state;
    enum { SCENES = 6, MUCH = 1 << 20 };
    for (int large = 0; large < 2; large++) {
        static const char text[] = "<Node name='root' gravity='0 0 0' dt='0.01'>" PIPELINE(
            "") "<Node name='Ball'><EulerExplicitSolver/>"
                "<MechanicalObject name='dofs' position='0 0.04 0'/><UniformMass totalMass='1'/>"
                "<PointCollisionModel name='points'/></Node><Node name='Floor'><MeshTopology triangles='0 1 2'/>"
                "<MechanicalObject name='dofs' position='-5 0 5  5 0 5  0 0 -5' /><TriangleCollisionModel name='floor' "
                "simulated='0' moving='0'/></Node></Node>";
        size_t first = 0;
        for (int i = 0; i < SCENES; i++) {
            DvScene *scene = scene_from_text(text);
            steps(scene, 2);
            assert_non_null(stick_of(scene));
            /* What the fields hold is freed with the object: one that is not, is seen. */
            DvObject *held = scene_object(scene, large ? "/Floor/dofs" : "/Ball/dofs");
            const DvField field = {.name = "ballast", .type = &dv_type_doubles};
            DvData *ballast = dv_object_add_field(held, &field);
            assert_non_null(ballast);
            memset(dv_data_begin_all(ballast, MUCH), 0, MUCH * sizeof(double));
            dv_data_end(ballast);
            dv_scene_free(scene);
            if (i == 0)
                first = bytes_in_use();
        }
        const size_t last = bytes_in_use();
        if (last > first + MUCH * sizeof(double))
            fail_msg("%zu bytes more are in use after %d scenes", last - first, SCENES - 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_states_are_given_back),
        cmocka_unit_test(points_that_stick_are_a_constraint),
        cmocka_unit_test(bodies_that_stick_are_a_constraint),
        cmocka_unit_test(what_touches_stays_as_far_apart_as_it_was),
        cmocka_unit_test(it_holds_on_where_nothing_is_found_any_more),
        cmocka_unit_test(of_contacts_at_one_place_the_first_counts),
        cmocka_unit_test(it_lets_go_when_the_mesh_changes),
        cmocka_unit_test(what_comes_near_stays),
        cmocka_unit_test(a_saved_contact_holds_on),
    };
    return cmocka_run_group_tests(tests, NULL, stop_plugins);
}
