/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What bodies touch goes while they touch it: a ball lies on a block of tetrahedra whose upper layer is removed. It falls freely from then
 * on, by every response and loop, until it lies on the layer below; and so does a run that is saved in between, or reset.
 */
#include "detect.h"
#include "share.h"

#include <unistd.h>

#include <divan/contracts/mechanical_operations.h>
#include <divan/contracts/topology.h>

#define DT      0.005
#define DAMPING 0.5 /* 1/s */
#define GRAVITY 10.0
#define HEIGHT  0.2 /* m, of two layers */
#define DEFAULT "<DefaultAnimationLoop/>"
#define SOLVED                                                                                     \
    "<FreeMotionAnimationLoop/><BlockGaussSeidelConstraintSolver name='solver' tolerance='1e-10' " \
    "maxIterations='2000'/>"

#define SOLVER                                                           \
    "<EulerImplicitSolver rayleighStiffness='0.05' rayleighMass='0.5'/>" \
    "<SparseLDLSolver template='CompressedRowSparseMatrixMat3x3d'/>"
#define CORRECTED    SOLVER "<LinearSolverConstraintCorrection/>"
#define FRICTION(mu) "response='FrictionContactConstraint' responseParams='mu=" mu "'"
#define PENALTY      "response='PenalityContactForceField'"

/* `common`: of the node above both bodies; `own`: of each of them. */
static const struct {
    const char *loop, *response, *common, *own;
    enum { CARRIES, CARRIES_LATE, CREEPS } how; /* late: contacts of the step before, in the free motion */
} ways[] = {
    {DEFAULT, PENALTY, SOLVER, "", CARRIES},
    {SOLVED, PENALTY, SOLVER "<GenericConstraintCorrection/>", "", CARRIES_LATE},
    {DEFAULT, "response='StickContactForceField'", SOLVER, "", CREEPS},
    {SOLVED, FRICTION("0.4"), "", CORRECTED, CARRIES},
    {SOLVED, FRICTION("0"), "", CORRECTED, CARRIES},
    {SOLVED, "response='StickContactConstraint'", "", CORRECTED, CARRIES},
    {"<FreeMotionAnimationLoop/><LCPConstraintSolver name='solver' mu='0.4' tolerance='1e-10' maxIt='2000'/>",
     FRICTION("0.4"), "", CORRECTED, CARRIES},
};
enum { WAYS = sizeof ways / sizeof *ways };

static DvScene *load(size_t way)
{
    DvText text = {0};
    dv_text_add(
        &text,
        "<Node name='root' gravity='0 0 %g' dt='%g'>%s%s<CollisionPipeline name='pipeline'/><BruteForceBroadPhase/>"
        "<BVHNarrowPhase/><MinProximityIntersection name='method' alarmDistance='0.01' contactDistance='0.004'/>"
        "<CollisionResponse name='manager' %s/>"
        "<RegularGridTopology name='grid' n='4 4 3' min='-0.15 -0.15 0' max='0.15 0.15 %g' computeEdgeList='0' "
        "computeTriangleList='0' computeQuadList='0'/>"
        "<Node name='Block'>"
        "<MechanicalObject name='dofs' position='@/grid.position'/><TetrahedronSetTopologyContainer name='volume'/>%s"
        "<TetrahedronSetTopologyModifier name='modifier'/>"
        "<Hexa2TetraTopologicalMapping input='@/grid' output='@volume'/><DiagonalMass massDensity='500'/>"
        "<TetrahedralCorotationalFEMForceField youngModulus='200000' poissonRatio='0.3' method='large'/>"
        "<FixedProjectiveConstraint indices='0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15'/>"
        "<Node name='Surface'><TriangleSetTopologyContainer name='surface'/><TriangleSetTopologyModifier/>"
        "<Tetra2TriangleTopologicalMapping input='@../volume' output='@surface'/>"
        "<TriangleCollisionModel contactStiffness='20'/><LineCollisionModel contactStiffness='20'/>"
        "<PointCollisionModel contactStiffness='20'/></Node></Node>"
        "<Node name='Ball'>"
        "<MechanicalObject name='dofs' position='0.013 0.021 %g'/>%s<UniformMass totalMass='0.5'/>"
        "<SphereCollisionModel radius='0.04' contactStiffness='20'/></Node></Node>",
        -GRAVITY, DT, ways[way].loop, ways[way].common, ways[way].response, HEIGHT, ways[way].own,
        HEIGHT + 0.04 + 0.006, ways[way].own);
    DvScene *scene = scene_from_text(text.at);
    dv_text_free(&text);
    return scene;
}

static void steps(DvScene *scene, int count)
{
    while (count-- > 0)
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
}

static double ball(const DvScene *scene, DvVecId id)
{
    return dv_state_read(scene_state(scene, "/Ball/dofs"), id).at[2];
}

/* `whole`: all of it; else the cell in its middle, all of whose points others have too. */
static void remove_from_upper_layer(const DvScene *scene, bool whole)
{
    DvObject *container = scene_object(scene, "/Block/volume"), *modifier = scene_object(scene, "/Block/modifier");
    const DvTopologyOps *mesh = dv_object_ops(container, DV_TOPOLOGY);
    const DvTopologyModifierOps *ops = dv_object_ops(modifier, DV_TOPOLOGY_MODIFIER);
    const DvElements all = mesh->elements(dv_object_self(container), DV_TETRAHEDRA);
    const double *x = dv_state_read(scene_state(scene, "/Block/dofs"), DV_POSITION).at;
    uint32_t *above = malloc((all.count + 1) * sizeof *above), count = 0;
    for (uint32_t t = 0; t < all.count; t++) {
        DvVec3 middle = dv_vec3_zero();
        for (int k = 0; k < 4; k++)
            middle = dv_vec3_madd(middle, 0.25, dv_vec3_load(x + 3 * (size_t)all.at[4 * t + (uint32_t)k]));
        if (middle.z > HEIGHT / 2 && (whole || (fabs(middle.x) < 0.05 && fabs(middle.y) < 0.05)))
            above[count++] = t;
    }
    assert_true(count > (whole ? 20 : 4) && count < all.count);
    const uint32_t points = dv_state_count(scene_state(scene, "/Block/dofs"));
    assert_int_equal(ops->remove_elements(dv_object_self(modifier), DV_TETRAHEDRA, count, above, true), DV_OK);
    assert_true((dv_state_count(scene_state(scene, "/Block/dofs")) < points) == whole);
    free(above);
}

static void remove_upper_layer(const DvScene *scene)
{
    remove_from_upper_layer(scene, true);
}

static uint32_t contacts(const DvScene *scene, double force[3])
{
    DvObject *pipeline = scene_object(scene, "/pipeline");
    const DvCollisionPipelineOps *ops = dv_object_ops(pipeline, DV_COLLISION_PIPELINE);
    const DvContactList *list = ops->contacts(dv_object_self(pipeline));
    uint32_t count = 0;
    memset(force, 0, 3 * sizeof *force);
    for (uint32_t p = 0; p < list->pair_count; p++)
        for (uint32_t i = 0; i < list->pairs[p].count; i++, count++) {
            double one[3];
            ops->force(dv_object_self(pipeline), p, i, one);
            const bool second = strstr(dv_object_path(list->bodies[list->pairs[p].body[1]].object), "Ball") != NULL;
            for (int axis = 0; axis < 3; axis++)
                force[axis] += second ? one[axis] : -one[axis];
        }
    return count;
}

static void what_lay_on_it_falls(void **state)
{
    (void)state;
    for (size_t way = 0; way < WAYS; way++) {
        DvScene *scene = load(way);
        double force[3];
        steps(scene, ways[way].how == CREEPS ? 20 : 150);
        assert_true(contacts(scene, force) > 0);
        if (ways[way].how == CARRIES && !(fabs(force[2] - 0.5 * GRAVITY) < 0.01 * 0.5 * GRAVITY))
            fail_msg("way %zu: %g N carry the ball", way, force[2]);
        const double z = ball(scene, DV_POSITION), v = ball(scene, DV_VELOCITY);
        assert_true(ways[way].how == CREEPS || fabs(v) < 1e-3);
        double speed = v, height = z;
        remove_upper_layer(scene);
        for (int step = 1; step <= 10; step++) {
            steps(scene, 1);
            speed = (speed - GRAVITY * DT) / (1.0 + DAMPING * DT); /* the implicit step of a free point */
            height += DT * speed;
            assert_int_equal(contacts(scene, force), 0);
            if (!(fabs(ball(scene, DV_VELOCITY) - speed) < 1e-9) || !(fabs(ball(scene, DV_POSITION) - height) < 1e-9))
                fail_msg("way %zu, %d steps after: the ball is at %.12g instead of %.12g with %.12g", way, step,
                         ball(scene, DV_POSITION), height, ball(scene, DV_VELOCITY));
        }
        if (ways[way].how == CREEPS) {
            dv_scene_free(scene);
            continue;
        }
        steps(scene, 250);
        assert_true(contacts(scene, force) > 0);
        assert_true(ways[way].how == CARRIES_LATE || fabs(force[2] - 0.5 * GRAVITY) < 0.02 * 0.5 * GRAVITY);
        assert_true(fabs(ball(scene, DV_POSITION) - (z - HEIGHT / 2)) < 0.01);
        dv_scene_free(scene);
    }
}

/* Between what finds contacts and what uses them: forces, products and the matrix know nothing of them then. */
static void contacts_found_before_an_edit_do_not_act(void **state)
{
    (void)state;
    for (size_t way = 0; way < WAYS; way++) {
        if (!ways[way].common[0])
            continue;
        DvScene *scene = load(way);
        steps(scene, 100);
        DvObject *pipeline = scene_object(scene, "/pipeline");
        const DvCollisionPipelineOps *ops = dv_object_ops(pipeline, DV_COLLISION_PIPELINE);
        assert_int_equal(ops->detect(dv_object_self(pipeline)), DV_OK);
        assert_int_equal(ops->respond(dv_object_self(pipeline)), DV_OK);
        remove_upper_layer(scene);
        const DvMechanicalOperationsOps *operations = dv_service(DV_MECHANICAL_OPERATIONS);
        DvMechanics *m = operations->open(dv_object_as_node(scene_object(scene, "/Ball")));
        const DvStep step = {.dt = DT, .position = DV_POSITION, .velocity = DV_VELOCITY};
        operations->compute_force(m, &step, DV_FORCE, DV_WALK_WHOLE);
        double f[3];
        operations->gather(m, f, DV_FORCE);
        assert_true(f[0] == 0.0 && f[1] == 0.0 && fabs(f[2] + 0.5 * GRAVITY) < 1e-12);
        assert_true(isfinite(operations->potential_energy(m)));
        operations->close(m);
        dv_scene_free(scene);
    }
}

static void copy_positions(const DvScene *scene, double *at, size_t room)
{
    const DvConstVec x = dv_state_read(scene_state(scene, "/Block/dofs"), DV_POSITION);
    assert_true((size_t)x.count * 3 + 3 <= room);
    memcpy(at, x.at, (size_t)x.count * 3 * sizeof *at);
    memcpy(at + (size_t)x.count * 3, dv_state_read(scene_state(scene, "/Ball/dofs"), DV_POSITION).at, 3 * sizeof *at);
}

static void a_saved_run_and_a_reset_do_the_same(void **state)
{
    (void)state;
    for (size_t number = 0; number < 2 * WAYS; number++) {
        const size_t way = number / 2;
        const bool whole = number % 2 == 0;
        enum { ROOM = 256 };
        double first[ROOM] = {0}, second[ROOM] = {0}, again[ROOM] = {0};
        DvScene *scene = load(way), *loaded;
        steps(scene, 60);
        remove_from_upper_layer(scene, whole);
        char file[64] = P_tmpdir "/divan-edit-XXXXXX.scn";
        const int descriptor = mkstemps(file, 4);
        assert_true(descriptor >= 0);
        close(descriptor);
        assert_int_equal(dv_scene_save(scene, file), DV_OK);
        assert_int_equal(dv_scene_load(file, NULL, &loaded), DV_OK);
        remove(file);
        steps(scene, 60);
        steps(loaded, 60);
        copy_positions(scene, first, ROOM);
        copy_positions(loaded, second, ROOM);
        for (int i = 0; i < ROOM; i++) /* rounding aside where points lose some of their elements */
            if (whole ? first[i] != second[i] : !(fabs(first[i] - second[i]) < 1e-9))
                fail_msg("way %zu: a run that was saved goes another way: %d is %.17g instead of %.17g", way, i,
                         second[i], first[i]);
        dv_scene_reset(scene);
        steps(scene, 60);
        remove_from_upper_layer(scene, whole);
        steps(scene, 60);
        copy_positions(scene, again, ROOM);
        if (memcmp(first, again, sizeof first) != 0)
            fail_msg("way %zu: after a reset it goes another way", way);
        dv_scene_free(loaded);
        dv_scene_free(scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_lay_on_it_falls),
        cmocka_unit_test(contacts_found_before_an_edit_do_not_act),
        cmocka_unit_test(a_saved_run_and_a_reset_do_the_same),
    };
    return share_run_group_tests(tests, NULL, stop_plugins);
}
