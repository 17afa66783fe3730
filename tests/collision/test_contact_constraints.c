/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Contacts by Lagrange multipliers: closed forms of bodies that slide, fall, rest and are pressed; conservation of momentum; the
 * laws of each contact in each step; and runs that go on after a save, a reset, or on other numbers of threads.
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
#include <divan/contracts/mechanical_operations.h>
#include <divan/divan.h>

#include "complementarity.h"
#include "dense_problem.h"
#include "scene_text.h"
#include "share.h"

#define DETECTION(friction)                                                        \
    "<CollisionPipeline name='pipeline'/><BruteForceBroadPhase/><BVHNarrowPhase/>" \
    "<LocalMinDistance alarmDistance='0.05' contactDistance='0.01'/>"              \
    "<CollisionResponse name='manager' response='FrictionContactConstraint' responseParams='mu=" friction "'/>"
#define SOLID_DETECTION(friction)                                                     \
    "<CollisionPipeline name='pipeline'/><BruteForceBroadPhase/><BVHNarrowPhase/>"    \
    "<LocalMinDistance alarmDistance='0.05' contactDistance='0.01' boxManifold='1'/>" \
    "<CollisionResponse name='manager' response='FrictionContactConstraint' responseParams='mu=" friction "'/>"
#define FLOOR                                                         \
    "<Node name='Floor'><MeshTopology triangles='0 1 2'/>"            \
    "<MechanicalObject position='-500 0 500  500 0 500  0 0 -1000'/>" \
    "<TriangleCollisionModel name='model' simulated='0' moving='0'/></Node>"
#define SOLVER(name, most) "<" name " name='solver' " most "='2000' tolerance='1e-10'/>"
#define CORNERS                                                                                              \
    "<Node name='Corners'><MechanicalObject position='-0.05 -0.05 -0.05  0.05 -0.05 -0.05  0.05 -0.05 0.05 " \
    " -0.05 -0.05 0.05'/><RigidMapping/><PointCollisionModel name='model'/></Node>"
#define BLOCK_MASS "<UniformMass name='mass' vertexMass='2 1 [0.0033 0 0, 0 0.0033 0, 0 0 0.0033]'/>"

static void steps(DvScene *scene, int count)
{
    while (count-- > 0)
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
}

static const DvContactList *contacts_of(const DvScene *scene, const DvCollisionPipelineOps **ops, void **self)
{
    DvObject *pipeline = scene_object(scene, "/pipeline");
    *ops = dv_object_ops(pipeline, DV_COLLISION_PIPELINE);
    *self = dv_object_self(pipeline);
    return (*ops)->contacts(*self);
}

/* The problem of the last step, to be released. */
static const DvConstraintProblem *problem_of(const DvScene *scene, const DvConstraintSolverOps **ops)
{
    DvObject *solver = scene_object(scene, "/solver");
    *ops = dv_object_ops(solver, DV_CONSTRAINT_SOLVER);
    const DvConstraintProblem *problem = (*ops)->take_problem(dv_object_self(solver));
    assert_non_null(problem);
    return problem;
}

/* What is said of steps that are not solved, by intention, and of the quads of a grid, whose normals point anywhere: nothing else may be
 * said. */
static void expect_unsolved(const DvMessage *message, void *context)
{
    (void)context;
    const bool of_grid = message->path && strncmp(message->path, "/Soft/", strlen("/Soft/")) == 0 &&
                         strstr(message->text, "shows its back");
    if (message->level < DV_LEVEL_WARNING || strstr(message->text, "are not solved") || of_grid)
        return;
    DvText text = {0};
    dv_message_print(message, &text);
    print_error("%s\n", text.at);
    dv_text_free(&text);
    abort();
}

static int allow_unsolved(void **state)
{
    (void)state;
    dv_log_set_handler(expect_unsolved, NULL);
    return 0;
}

static int say_all(void **state)
{
    (void)state;
    dv_log_set_handler(NULL, NULL);
    return 0;
}

/* ---- Sliding ---- */

/* What solves, and what answers. Without W only corrections that know the matrix of the free motion are right. */
static const struct {
    const char *loop, *solver, *correction;
} ways[] = {
    {"", SOLVER("BlockGaussSeidelConstraintSolver", "maxIterations"), "Uncoupled"},
    {"", SOLVER("BlockGaussSeidelConstraintSolver", "maxIterations"), "LinearSolver"},
    {"", SOLVER("BlockGaussSeidelConstraintSolver", "maxIterations"), "Generic"},
    {"", SOLVER("NNCGConstraintSolver", "maxIterations"), "Uncoupled"},
    {"", SOLVER("UnbuiltGaussSeidelConstraintSolver", "maxIterations"), "LinearSolver"},
    {"", SOLVER("LCPConstraintSolver mu='0.25'", "maxIt"), "Uncoupled"},
    {"", SOLVER("LCPConstraintSolver mu='0.25' build_lcp='0'", "maxIt"), "LinearSolver"},
    {" solveVelocityConstraintFirst='1'", SOLVER("BlockGaussSeidelConstraintSolver", "maxIterations"), "Uncoupled"},
    {" solveVelocityConstraintFirst='1'", SOLVER("NNCGConstraintSolver", "maxIterations"), "LinearSolver"},
};
enum { WAYS = sizeof ways / sizeof *ways };

/* A block of 10 cm on a plane that is inclined by `slope` in radians; the plane is level and gravity inclined. Friction 0.25. */
static DvScene *block_on_incline(size_t way, double slope)
{
    char text[4096];
    snprintf(
        text, sizeof text,
        "<Node name='root' gravity='%.17g %.17g 0' dt='0.01'><FreeMotionAnimationLoop%s/>%s" DETECTION(
            "0.25") "<Node name='Block'><EulerImplicitSolver/><SparseLDLSolver template='CompressedRowSparseMatrixd'/>"
                    "<MechanicalObject name='dofs' template='Rigid3d' position='0 0.06 0 0 0 0 1'/>" BLOCK_MASS
                    "<%sConstraintCorrection/>" CORNERS "</Node>" FLOOR "</Node>",
        10 * sin(slope), -10 * cos(slope), ways[way].loop, ways[way].solver, ways[way].correction);
    return scene_from_text(text);
}

static void a_block_on_an_incline_sticks_below_the_angle_of_friction(void **state)
{
    (void)state;
    for (size_t way = 0; way < WAYS; way++) {
        DvScene *scene = block_on_incline(way, atan(0.24));
        steps(scene, 300);
        const double *x = dv_state_read(scene_state(scene, "/Block/dofs"), DV_POSITION).at;
        if (!(fabs(x[0]) < 1e-6 && fabs(x[1] - 0.06) < 1e-7 && fabs(x[2]) < 1e-6))
            fail_msg("way %zu: the block went to %g %g %g", way, x[0], x[1], x[2]);
        dv_scene_free(scene);
    }
}

static void above_it_slides_as_gravity_less_friction_says(void **state)
{
    (void)state;
    static const double slopes[] = {0.26, 0.5, 0.8};
    for (size_t way = 0; way < WAYS; way++)
        for (int k = 0; k < 3; k++) {
            const double slope = atan(slopes[k]), a = 10 * (sin(slope) - 0.25 * cos(slope));
            DvScene *scene = block_on_incline(way, slope);
            steps(scene, 200);
            const DvStateRef block = scene_state(scene, "/Block/dofs");
            const double *x = dv_state_read(block, DV_POSITION).at, *v = dv_state_read(block, DV_VELOCITY).at;
            /* v = a t, x = a t (t + dt) / 2 of the implicit method; to 1 per cent of the force of friction */
            const double error = fmax(fabs(v[0] - a * 2.0) / 2.0, fabs(x[0] - a * 2.0 * 2.01 / 2) / 2.01);
            if (!(error < 0.01 * 10 * 0.25 * cos(slope)) || !(fabs(x[1] - 0.06) < 1e-6))
                fail_msg("way %zu, slope %g: v %g instead of %g, x %g, height %.9g", way, slopes[k], v[0], 2 * a, x[0],
                         x[1]);
            dv_scene_free(scene);
        }
}

/* A point that arrives in the middle of a step slides until then and sticks from then on: friction knows the time of contact. */
static void friction_begins_when_bodies_touch(void **state)
{
    (void)state;
    for (int tenths = 1; tenths < 10; tenths++) {
        char text[2048];
        snprintf(
            text, sizeof text,
            "<Node name='root' gravity='0 0 0' dt='0.01'><FreeMotionAnimationLoop/>" SOLVER(
                "BlockGaussSeidelConstraintSolver", "maxIterations")
                DETECTION(
                    "50") "<Node name='Point'><EulerImplicitSolver/><SparseLDLSolver template='CompressedRowSparseMatrixd'/>"
                          "<MechanicalObject name='dofs' position='0 %.17g 0' velocity='3 -2 1'/><UniformMass totalMass='2'/>"
                          "<UncoupledConstraintCorrection defaultCompliance='0.5'/><PointCollisionModel/></Node>" FLOOR
                          "</Node>",
            0.01 + 0.002 * tenths);
        DvScene *scene = scene_from_text(text);
        steps(scene, 1); /* 0.02 m down, 0.03 and 0.01 m along */
        const double *x = dv_state_read(scene_state(scene, "/Point/dofs"), DV_POSITION).at;
        assert_true(fabs(x[0] - 0.003 * tenths) < 1e-9 && fabs(x[2] - 0.001 * tenths) < 1e-9);
        assert_true(fabs(x[1] - 0.01) < 1e-9);
        dv_scene_free(scene);
    }
}

/* By steps of the augmented Lagrangian, from below the mass over the time step: the block stands, carried by its weight's opposite. */
static void augmented_contacts_carry_the_weight(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text("<Node name='root' gravity='1 -10 0' dt='0.01'><FreeMotionAnimationLoop/>" SOLVER(
        "BlockGaussSeidelConstraintSolver",
        "maxIterations") "<CollisionPipeline name='pipeline'/><BruteForceBroadPhase/>"
                         "<BVHNarrowPhase/><LocalMinDistance alarmDistance='0.05' contactDistance='0.01'/>"
                         "<CollisionResponse response='AugmentedLagrangianResponseConstraint' responseParams='mu=0.3&amp;epsilon=40'/>"
                         "<Node name='Block'><EulerImplicitSolver/><SparseLDLSolver template='CompressedRowSparseMatrixd'/>"
                         "<MechanicalObject name='dofs' template='Rigid3d' position='0 0.06 0 0 0 0 1'/>" BLOCK_MASS
                         "<UncoupledConstraintCorrection/>" CORNERS "</Node>" FLOOR "</Node>");
    steps(scene, 50);
    const double *x = dv_state_read(scene_state(scene, "/Block/dofs"), DV_POSITION).at;
    assert_true(fabs(x[0]) < 1e-6 && fabs(x[1] - 0.06) < 1e-6);
    const DvCollisionPipelineOps *ops;
    void *self;
    const DvContactList *list = contacts_of(scene, &ops, &self);
    double sum[3] = {0};
    for (uint32_t i = 0; i < list->pairs[0].count; i++) {
        double force[3];
        ops->force(self, 0, i, force);
        for (int axis = 0; axis < 3; axis++)
            sum[axis] += force[axis];
    }
    const double sign = strstr(dv_object_path(list->bodies[list->pairs[0].body[1]].object), "Block") ? 1 : -1;
    assert_true(fabs(sign * sum[0] + 2) < 1e-3 && fabs(sign * sum[1] - 20) < 1e-3);
    dv_scene_free(scene);
}

/* ---- Falling and resting ---- */

static void a_sphere_falls_freely_and_stops_on_the_plane(void **state)
{
    (void)state;
    for (size_t way = 0; way < WAYS; way++) {
        char text[4096];
        snprintf(
            text, sizeof text,
            "<Node name='root' gravity='0 -10 0' dt='0.01'><FreeMotionAnimationLoop%s/>%s" DETECTION(
                "0.25") "<Node name='Ball'><EulerImplicitSolver/><SparseLDLSolver template='CompressedRowSparseMatrixd'/>"
                        "<MechanicalObject name='dofs' position='0 1 0'/><UniformMass totalMass='3'/>"
                        "<%sConstraintCorrection%s/><SphereCollisionModel radius='0.2'/></Node>" FLOOR "</Node>",
            ways[way].loop, ways[way].solver, ways[way].correction,
            strcmp(ways[way].correction, "Uncoupled") == 0 ? " defaultCompliance='0.3333'" : "");
        DvScene *scene = scene_from_text(text);
        const DvStateRef ball = scene_state(scene, "/Ball/dofs");
        const double rest = 0.2 + 0.01;
        double v = 0, y = 1;
        bool landed = false;
        for (int step = 0; step < 100; step++) {
            steps(scene, 1);
            v -= 10 * 0.01;
            y += 0.01 * v;
            landed = landed || y < rest;
            const double at = dv_state_read(ball, DV_POSITION).at[1], speed = dv_state_read(ball, DV_VELOCITY).at[1];
            const double expected = landed ? rest : y;
            if (!(fabs(at - expected) < 1e-7))
                fail_msg("way %zu, step %d: at %.12g instead of %.12g", way, step, at, expected);
            if (!landed)
                assert_true(fabs(speed - v) < 1e-12);
        }
        assert_true(landed);
        assert_true(fabs(dv_state_read(ball, DV_VELOCITY).at[1]) < 1e-6); /* no bounce */
        dv_scene_free(scene);
    }
}

/* A box with its corners and faces, and a cover. `half`: m */
static void add_box(DvText *text, int number, double half, double height, double angle, double mass)
{
    DvText corners = {0};
    for (int i = 0; i < 8; i++)
        dv_text_add(&corners, "%.17g %.17g %.17g ", i & 1 ? half : -half, i & 4 ? 0.1 : -0.1, i & 2 ? half : -half);
    const double inertia = (4 * half * half + 0.04) / 12, turn = 4 * half * half / 6;
    dv_text_add(text,
                "<Node name='Box%d'><EulerImplicitSolver/><SparseLDLSolver template='CompressedRowSparseMatrixd'/>"
                "<MechanicalObject name='dofs' template='Rigid3d' position='0 %.17g 0 0 %.17g 0 %.17g'/>"
                "<UniformMass vertexMass='%.17g 1 [%.17g 0 0, 0 %.17g 0, 0 0 %.17g]'/><UncoupledConstraintCorrection/>"
                "<Node name='Surface'><MeshTopology position='%s' triangles='0 1 3 0 3 2 4 6 7 4 7 5'/>"
                "<MechanicalObject position='%s'/><RigidMapping/><PointCollisionModel/><TriangleCollisionModel/></Node>"
                "</Node>",
                number, height, sin(angle / 2), cos(angle / 2), mass, inertia, turn, inertia, corners.at, corners.at);
    dv_text_free(&corners);
}

#define SOLID_FLOOR                                                                         \
    "<Node name='Floor'><MechanicalObject template='Rigid3d' position='0 -0.5 0 0 0 0 1'/>" \
    "<OBBCollisionModel extents='5 0.5 5' simulated='0'/></Node>"

/* Of triangles, whose edges and corners are below the boxes. */
#define MESH_FLOOR                                                                                                  \
    "<Node name='Floor'><RegularGridTopology name='grid' n='14 1 14' min='-1 0 -1' max='1.1 0 1'/>"                 \
    "<Node name='Triangles'><TriangleSetTopologyContainer name='mesh'/><TriangleSetTopologyModifier/>"              \
    "<Quad2TriangleTopologicalMapping input='@..' output='@mesh'/><MechanicalObject position='@../grid.position'/>" \
    "<TriangleCollisionModel simulated='0' moving='0'/></Node></Node>"

/* The same as a model of its own. */
static void add_solid_box(DvText *text, int number, double half, double height, double angle, double mass)
{
    const double inertia = (4 * half * half + 0.04) / 12, turn = 4 * half * half / 6;
    dv_text_add(text,
                "<Node name='Box%d'><EulerImplicitSolver/><SparseLDLSolver template='CompressedRowSparseMatrixd'/>"
                "<MechanicalObject name='dofs' template='Rigid3d' position='0 %.17g 0 0 %.17g 0 %.17g'/>"
                "<UniformMass vertexMass='%.17g 1 [%.17g 0 0, 0 %.17g 0, 0 0 %.17g]'/><UncoupledConstraintCorrection/>"
                "<OBBCollisionModel extents='%.17g 0.1 %.17g'/></Node>",
                number, height, sin(angle / 2), cos(angle / 2), mass, inertia, turn, inertia, half, half);
}

/* Kinetic energy and that of the weight, J. */
static double energy_of(const DvMechanicalOperationsOps *ops, DvMechanics *m)
{
    return ops->kinetic_energy(m) + ops->potential_energy(m);
}

/* Up to five boxes with this side as a share of that of the one below, turned by this angle against it, stay where they are.
 * `solid_floor`: what boxes stand on that are models of their own; NULL: they are surfaces. */
static void check_stack(const char *solver, const char *solid_floor, int count, double share, double angle,
                        int step_count)
{
    enum { BOXES = 5 };
    const int hundreds_of_steps = share_count(step_count / (share_is_long() ? 100 : 1000));
    const double limit = share_is_long() ? 1e-4 : 1e-5; /* what creeps is as much less in a tenth of the time */
    DvText text = {0};
    dv_text_add(&text, "<Node name='root' gravity='0 -9.81 0' dt='0.01'><FreeMotionAnimationLoop/>%s%s", solver,
                solid_floor ? SOLID_DETECTION("0.6") : DETECTION("0.6"));
    double start[BOXES][7];
    for (int i = 0; i < count; i++)
        (solid_floor ? add_solid_box : add_box)(&text, i, 0.1 * pow(share, i), 0.11 + 0.21 * i, angle * i,
                                                pow(share, 2 * i));
    dv_text_add(&text, "%s</Node>", solid_floor ? solid_floor : FLOOR);
    DvScene *scene = scene_from_text(text.at);
    dv_text_free(&text);
    DvStateRef boxes[BOXES];
    for (int i = 0; i < count; i++) {
        char path[32];
        snprintf(path, sizeof path, "/Box%d/dofs", i);
        boxes[i] = scene_state(scene, path);
        memcpy(start[i], dv_state_read(boxes[i], DV_POSITION).at, sizeof start[i]);
    }
    const DvMechanicalOperationsOps *ops = dv_service(DV_MECHANICAL_OPERATIONS);
    DvMechanics *m = ops->open(dv_scene_root(scene));
    const double energy = energy_of(ops, m);
    for (int hundreds = 0; hundreds < hundreds_of_steps; hundreds++) {
        steps(scene, 100);
        if (!(energy_of(ops, m) < energy + 1e-6))
            fail_msg("step %d: the energy has grown by %g J", 100 * (hundreds + 1), energy_of(ops, m) - energy);
        for (int i = 0; i < count; i++) {
            const double *x = dv_state_read(boxes[i], DV_POSITION).at, half = 0.1 * pow(share, i);
            for (int c = 0; c < 7; c++)
                if (!(fabs(x[c] - start[i][c]) < limit * (c < 3 ? 2 * half : 1)))
                    fail_msg("step %d: coordinate %d of box %d has moved by %g", 100 * (hundreds + 1), c, i,
                             x[c] - start[i][c]);
        }
    }
    ops->close(m);
    dv_scene_free(scene);
}

static void a_stack_of_boxes_stays_and_gains_no_energy(void **state)
{
    (void)state;
    check_stack("<LCPConstraintSolver mu='0.6' maxIt='1000' tolerance='1e-9'/>", NULL, 5, 0.85, 0.12, 10000);
}

/* Corners on corners and edges along edges. */
static void a_stack_of_equal_boxes_stays_and_gains_no_energy(void **state)
{
    (void)state;
    check_stack("<LCPConstraintSolver mu='0.6' maxIt='1000' tolerance='1e-9'/>", NULL, 5, 1.0, 0.0, 2000);
    check_stack("<BlockGaussSeidelConstraintSolver initial_guess='1' maxIterations='1000' tolerance='1e-9'/>", NULL, 5,
                1.0, 0.0, 2000);
}

/* Boxes as models of their own, on the corners of what they have in common. */
static void a_stack_of_solid_boxes_stays_and_gains_no_energy(void **state)
{
    (void)state;
    check_stack("<LCPConstraintSolver mu='0.6' maxIt='1000' tolerance='1e-9'/>", SOLID_FLOOR, 5, 0.85, 0.12, 10000);
    check_stack("<BlockGaussSeidelConstraintSolver initial_guess='1' maxIterations='1000' tolerance='1e-9'/>",
                SOLID_FLOOR, 5, 1.0, 0.0, 2000);
}

/* The same on a floor of triangles: of one that is larger than the boxes, and of many. */
static void a_stack_of_solid_boxes_stays_on_triangles(void **state)
{
    (void)state;
    static const char solver[] = "<LCPConstraintSolver mu='0.6' maxIt='1000' tolerance='1e-9'/>";
    check_stack(solver, FLOOR, 2, 0.85, 0.12, 2000);
    check_stack(solver, MESH_FLOOR, 1, 0.85, 0.12, 2000);
}

/* ---- Forces ---- */

static const char pressed_tool[] = "<Node name='root' gravity='0 0 0' dt='0.01'><FreeMotionAnimationLoop/>" SOLVER(
    "BlockGaussSeidelConstraintSolver", "maxIterations")
    DETECTION(
        "0.25") "<Node name='Tool'><EulerImplicitSolver/><SparseLDLSolver template='CompressedRowSparseMatrixd'/>"
                "<MechanicalObject name='dofs' template='Rigid3d' position='0 0.06 0 0 0 0 1'/>" BLOCK_MASS
                "<UncoupledConstraintCorrection/><ConstantForceField indices='0' forces='1 -7 -0.5 0 0 0'/>" CORNERS
                "</Node>" FLOOR "</Node>";

/* 7 N down and 1.1 N along the plane, which is less than friction holds: the plane answers with the same, by the contact's own
 * function, by the pipeline's, and in the table of `divan run`. */
static void a_pressed_tool_feels_the_force_that_presses_it(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(pressed_tool);
    steps(scene, 50);
    const DvCollisionPipelineOps *ops;
    void *self;
    const DvContactList *list = contacts_of(scene, &ops, &self);
    double sum[3] = {0};
    assert_int_equal(list->pair_count, 1);
    assert_int_equal(list->pairs[0].count, 4);
    DvObject *response = NULL, *object;
    const DvNode *tool = dv_object_as_node(scene_object(scene, "/Tool/Corners"));
    for (size_t i = 0; (object = dv_node_member(tool, i)); i++)
        if (dv_object_ops(object, DV_CONTACT_RESPONSE))
            response = object;
    assert_non_null(response);
    const bool tool_is_second = strstr(dv_object_path(list->bodies[list->pairs[0].body[1]].object), "Tool") != NULL;
    for (uint32_t i = 0; i < 4; i++) {
        double force[3], own[3];
        ops->force(self, 0, i, force);
        ((const DvContactResponseOps *)dv_object_ops(response, DV_CONTACT_RESPONSE))
            ->force(dv_object_self(response), i, own);
        assert_memory_equal(force, own, sizeof own);
        for (int axis = 0; axis < 3; axis++)
            sum[axis] += tool_is_second ? force[axis] : -force[axis];
    }
    assert_true(fabs(sum[0] + 1) < 1e-4 && fabs(sum[1] - 7) < 1e-4 && fabs(sum[2] - 0.5) < 1e-4);
    dv_scene_free(scene);

    const char *host = getenv("DIVAN_HOST");
    if (!host)
        return;
    char file[64] = P_tmpdir "/divan-contact-XXXXXX.scn", command[4096], line[1024];
    const int descriptor = mkstemps(file, 4);
    assert_true(descriptor >= 0);
    assert_true(write(descriptor, pressed_tool, strlen(pressed_tool)) == (ssize_t)strlen(pressed_tool));
    close(descriptor);
    snprintf(command, sizeof command, "'%s' run '%s' -n 50 --quiet --contacts /dev/stdout", host, file);
    FILE *table = popen(command, "r");
    assert_non_null(table);
    double normal = 0, tangential[3] = {0};
    unsigned rows = 0;
    while (fgets(line, sizeof line, table)) {
        if (strncmp(line, "50,", 3) != 0)
            continue;
        rows++;
        /* step,model1,model2,element1,element2,x1,y1,z1,x2,y2,z2,nx,ny,nz,gap,normal_force,fx,fy,fz */
        const char *at = line;
        for (int column = 0; column < 15; column++)
            at = strchr(at, ',') + 1;
        double numbers[4];
        assert_int_equal(sscanf(at, "%lf,%lf,%lf,%lf", &numbers[0], &numbers[1], &numbers[2], &numbers[3]), 4);
        normal += numbers[0];
        for (int axis = 0; axis < 3; axis++)
            tangential[axis] += numbers[1 + axis];
    }
    assert_int_equal(pclose(table), 0);
    remove(file);
    assert_int_equal(rows, 4);
    assert_true(fabs(normal - 7) < 1e-4);
    assert_true(fabs(fabs(tangential[0]) - 1) < 1e-4 && fabs(fabs(tangential[2]) - 0.5) < 1e-4);
}

/* Friction of both surfaces by `frictionRule`: slopes just below and just above what it comes to. */
static void friction_can_be_that_of_the_surfaces(void **state)
{
    (void)state;
    static const struct {
        const char *rule;
        double mu;
    } rules[] = {{"response", 0.7}, {"product", 0.08}, {"mean", 0.3}, {"min", 0.2}, {"max", 0.4}};
    for (size_t k = 0; k < sizeof rules / sizeof *rules; k++)
        for (int above = 0; above < 2; above++) {
            const double slope = atan(rules[k].mu + (above ? 0.02 : -0.02));
            char text[4096];
            snprintf(
                text, sizeof text,
                "<Node name='root' gravity='%.17g %.17g 0' dt='0.01'><FreeMotionAnimationLoop/>" SOLVER(
                    "BlockGaussSeidelConstraintSolver", "maxIterations")
                    DETECTION(
                        "0.7&amp;frictionRule=%s") "<Node name='Block'><EulerImplicitSolver/><SparseLDLSolver template='CompressedRowSparseMatrixd'/>"
                                                   "<MechanicalObject name='dofs' template='Rigid3d' position='0 0.06 0 0 0 0 1'/>" BLOCK_MASS
                                                   "<UncoupledConstraintCorrection/><Node><MechanicalObject position='-0.05 -0.05 -0.05  0.05 -0.05 -0.05 "
                                                   " 0.05 -0.05 0.05 -0.05 -0.05 0.05'/><RigidMapping/><PointCollisionModel contactFriction='0.4'/></Node>"
                                                   "</Node><Node><MeshTopology triangles='0 1 2'/>"
                                                   "<MechanicalObject position='-500 0 500  500 0 500  0 0 -1000'/>"
                                                   "<TriangleCollisionModel simulated='0' contactFriction='0.2'/></Node></Node>",
                10 * sin(slope), -10 * cos(slope), rules[k].rule);
            DvScene *scene = scene_from_text(text);
            steps(scene, 100);
            const double expected = above ? 10 * (sin(slope) - rules[k].mu * cos(slope)) : 0.0;
            const double v = dv_state_read(scene_state(scene, "/Block/dofs"), DV_VELOCITY).at[0];
            if (!(fabs(v - expected) < 0.01))
                fail_msg("%s: v %g instead of %g", rules[k].rule, v, expected);
            dv_scene_free(scene);
        }
}

/* ---- Many contacts ---- */

/* A soft block, a rigid one, and two balls that fall on each other and on a floor. */
static const char heap_of_bodies[] =
    "<Node name='Soft'><EulerImplicitSolver rayleighStiffness='0.05'/><SparseLDLSolver/>"
    "<RegularGridTopology name='grid' n='4 3 4' min='-0.15 0.02 -0.15' max='0.15 0.22 0.15'/>"
    "<MechanicalObject name='dofs' velocity='0.3 0 0.1'/><UniformMass totalMass='4'/>"
    "<HexahedronFEMForceField youngModulus='2e4' poissonRatio='0.3' method='large'/><LinearSolverConstraintCorrection/>"
    "<TriangleCollisionModel/><PointCollisionModel/></Node>"
    "<Node name='Block'><EulerImplicitSolver/><SparseLDLSolver template='CompressedRowSparseMatrixd'/>"
    "<MechanicalObject name='dofs' template='Rigid3d' position='0.02 0.31 0.03 0 0.1 0 0.99498743710662'"
    " velocity='0 -1 0 0.5 1 0.2'/>" BLOCK_MASS "<%sConstraintCorrection/>" CORNERS "</Node>"
    "<Node name='Ball'><EulerImplicitSolver/><SparseLDLSolver template='CompressedRowSparseMatrixd'/>"
    "<MechanicalObject name='dofs' position='0.09 0.4 0.08  -0.1 0.45 -0.1' velocity='0 -1 0 0 -1 0'/>"
    "<UniformMass totalMass='1'/><%sConstraintCorrection%s/><SphereCollisionModel radius='0.05'/></Node>";

static DvScene *heap(const char *loop, const char *solver, const char *gravity, const char *floor)
{
    /* Without W each point by itself would give way. */
    const bool built = !strstr(solver, "Unbuilt") && !strstr(solver, "build_lcp='0'");
    const char *correction = built ? "Uncoupled" : "LinearSolver";
    DvText text = {0};
    dv_text_add(&text, "<Node name='root' gravity='%s' dt='0.01'><FreeMotionAnimationLoop%s/>%s" DETECTION("0.3"),
                gravity, loop, solver);
    dv_text_add(&text, heap_of_bodies, correction, correction, built ? " defaultCompliance='2'" : "");
    dv_text_add(&text, "%s</Node>", floor);
    DvScene *scene = scene_from_text(text.at);
    dv_text_free(&text);
    return scene;
}

/* Without weight and floor no force comes from outside. */
static void contacts_keep_the_momentum(void **state)
{
    (void)state;
    static const char *const solvers[] = {
        SOLVER("BlockGaussSeidelConstraintSolver", "maxIterations"), SOLVER("NNCGConstraintSolver", "maxIterations"),
        SOLVER("LCPConstraintSolver", "maxIt"),
        "<UnbuiltGaussSeidelConstraintSolver name='solver' maxIterations='3' tolerance='1'/>"};
    for (size_t k = 0; k < 4; k++)
        for (int velocity_first = 0; velocity_first < 2; velocity_first++) {
            if (velocity_first && k == 2)
                continue; /* it knows positions only */
            DvScene *scene = heap(velocity_first ? " solveVelocityConstraintFirst='1'" : "", solvers[k], "0 0 0", "");
            const DvMechanicalOperationsOps *ops = dv_service(DV_MECHANICAL_OPERATIONS);
            DvMechanics *m = ops->open(dv_scene_root(scene));
            double before[6], after[6];
            uint32_t most = 0;
            ops->momentum(m, before);
            for (int step = 0; step < 100; step++) {
                steps(scene, 1);
                ops->momentum(m, after);
                for (int axis = 0; axis < 3; axis++)
                    if (!(fabs(after[axis] - before[axis]) < 1e-10))
                        fail_msg("solver %zu, step %d: momentum %d was %.15g, is %.15g", k, step, axis, before[axis],
                                 after[axis]);
                const DvCollisionPipelineOps *pipeline;
                void *self;
                const DvContactList *list = contacts_of(scene, &pipeline, &self);
                for (uint32_t i = 0; i < list->pair_count; i++)
                    most = list->pairs[i].count > most ? list->pairs[i].count : most;
            }
            assert_true(most > 3 && fabs(before[1]) > 2);
            ops->close(m);
            dv_scene_free(scene);
        }
}

/* In each step each contact is open or pushes, within the cone, against the slip; to the tolerance. */
static void each_contact_fulfils_its_laws_in_each_step(void **state)
{
    (void)state;
    static const struct {
        const char *loop, *solver;
        double mu;
    } cases[] = {
        {"", "<BlockGaussSeidelConstraintSolver name='solver' maxIterations='20000' tolerance='1e-9'/>", 0.3},
        {"", "<NNCGConstraintSolver name='solver' maxIterations='20000' tolerance='1e-9'/>", 0.3},
        {"", "<LCPConstraintSolver name='solver' mu='0.45' maxIt='20000' tolerance='1e-9'/>", 0.45},
        {" solveVelocityConstraintFirst='1'",
         "<BlockGaussSeidelConstraintSolver name='solver' maxIterations='20000' tolerance='1e-7'/>", 0.3},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        DvScene *scene = heap(cases[k].loop, cases[k].solver, "0 -9.81 0", FLOOR);
        unsigned pushing = 0, slipping = 0, open = 0;
        for (int step = 0; step < 60; step++) {
            steps(scene, 1);
            const DvConstraintSolverOps *ops;
            const DvConstraintProblem *problem = problem_of(scene, &ops);
            double *w = dense_problem_matrix(problem), *d = dv_alloc(problem->rows, sizeof *d);
            dense_problem_violation(problem, w, problem->lambda, d);
            for (uint32_t b = 0; b < problem->block_count; b++) {
                const uint32_t row = problem->blocks[b].first;
                const double *f = problem->lambda + row;
                const double error = coulomb_error(cases[k].mu, w[row * problem->rows + row], d + row, f);
                if (!(error < 1e-6 * (k == 3 ? 100 : 1)))
                    fail_msg("case %zu, step %d, contact %u of %u: off by %g", k, step, b, problem->block_count, error);
                open += f[0] == 0.0;
                pushing += f[0] > 0.0;
                slipping += f[0] > 0.0 && hypot(d[row + 1], d[row + 2]) > 1e-6;
            }
            dv_free(w);
            dv_free(d);
            ops->release_problem(problem);
        }
        assert_true(open > 100 && pushing > 100 && slipping > 20);
        assert_int_equal(dv_data_int(dv_object_field(scene_object(scene, "/solver"), "unconvergedSteps")), 0);
        dv_scene_free(scene);
    }
}

/* ---- Bits ---- */

static const struct {
    const char *loop, *solver;
} solvers[] = {
    {"", SOLVER("BlockGaussSeidelConstraintSolver", "maxIterations")},
    {"", "<LCPConstraintSolver name='solver' maxIt='50' tolerance='1e-6'/>"}, /* hangs on where it starts */
    {"", "<LCPConstraintSolver name='solver' maxIt='50' tolerance='1e-6' build_lcp='0'/>"},
    {"", "<NNCGConstraintSolver name='solver' maxIterations='40' tolerance='1e-6'/>"},
    {"", "<UnbuiltGaussSeidelConstraintSolver name='solver' maxIterations='40' tolerance='1e-6'/>"},
    {" solveVelocityConstraintFirst='1'", SOLVER("BlockGaussSeidelConstraintSolver", "maxIterations")},
};
enum { SOLVERS = sizeof solvers / sizeof *solvers, STEPS = 60 };

static const char *const bodies[] = {"/Soft/dofs", "/Block/dofs", "/Ball/dofs"};

typedef struct Bits {
    double numbers[4000];
    size_t count;
} Bits;

static void add_bits(Bits *bits, const DvScene *scene)
{
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++)
        for (int vector = 0; vector < 2; vector++) {
            const DvConstVec v = dv_state_read(scene_state(scene, bodies[i]), vector ? DV_VELOCITY : DV_POSITION);
            assert_true(bits->count + (size_t)v.count * v.dim <= 4000);
            memcpy(bits->numbers + bits->count, v.at, (size_t)v.count * v.dim * sizeof *v.at);
            bits->count += (size_t)v.count * v.dim;
        }
}

static void expect_same(const Bits *a, const Bits *b, const char *what, size_t solver)
{
    if (a->count != b->count || memcmp(a->numbers, b->numbers, a->count * sizeof *a->numbers) != 0)
        fail_msg("solver %zu: %s", solver, what);
}

static uint32_t pairs_of(const DvScene *scene)
{
    const DvCollisionPipelineOps *ops;
    void *self;
    return contacts_of(scene, &ops, &self)->pair_count;
}

/* Saved in mid-contact, loaded and run on; saved once more from there. */
static void a_saved_run_goes_on_with_the_same_bits(void **state)
{
    (void)state;
    char file[64] = P_tmpdir "/divan-contact-XXXXXX.scn";
    const int descriptor = mkstemps(file, 4);
    assert_true(descriptor >= 0);
    close(descriptor);
    for (size_t k = 0; k < SOLVERS; k++)
        for (int at = 5; at <= 35; at += 15) {
            DvScene *scene = heap(solvers[k].loop, solvers[k].solver, "0 -9.81 0", FLOOR);
            steps(scene, at);
            if (at > 5)
                assert_true(pairs_of(scene) > 0);
            assert_int_equal(dv_scene_save(scene, file), DV_OK);
            Bits straight = {0}, again = {0};
            steps(scene, STEPS - at);
            add_bits(&straight, scene);
            dv_scene_free(scene);
            DvScene *loaded;
            assert_int_equal(dv_scene_load(file, NULL, &loaded), DV_OK);
            steps(loaded, 1);
            assert_int_equal(dv_scene_save(loaded, file), DV_OK);
            dv_scene_free(loaded);
            assert_int_equal(dv_scene_load(file, NULL, &loaded), DV_OK);
            steps(loaded, STEPS - at - 1);
            add_bits(&again, loaded);
            expect_same(&straight, &again, "the run that was loaded ended otherwise", k);
            dv_scene_free(loaded);
        }
    remove(file);
}

static void a_reset_gives_the_first_run_again(void **state)
{
    (void)state;
    for (size_t k = 0; k < SOLVERS; k++) {
        DvScene *scene = heap(solvers[k].loop, solvers[k].solver, "0 -9.81 0", FLOOR);
        Bits runs[3] = {0};
        for (int run = 0; run < 3; run++) {
            for (int step = 0; step < 3; step++) {
                steps(scene, STEPS / 3);
                add_bits(&runs[run], scene);
            }
            dv_scene_reset(scene);
        }
        expect_same(&runs[0], &runs[1], "after a reset it ended otherwise", k);
        expect_same(&runs[0], &runs[2], "after a second reset it ended otherwise", k);
        dv_scene_free(scene);
    }
}

/* The first contact of a run begins its second step with a force: of a run after a reset too. */
static void a_reset_starts_the_first_contact_as_at_first(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node name='root' gravity='1 -10 0' dt='0.01'><FreeMotionAnimationLoop/>"
        "<LCPConstraintSolver name='solver' maxIt='1' mu='0.3' tolerance='1e-9'/>" DETECTION(
            "0.3") "<Node name='Tool'><EulerImplicitSolver/><SparseLDLSolver template='CompressedRowSparseMatrixd'/>"
                   "<MechanicalObject name='dofs' template='Rigid3d' position='0 0.06 0 0 0 0 1'/>" BLOCK_MASS
                   "<UncoupledConstraintCorrection/>" CORNERS "</Node>" FLOOR "</Node>");
    double first[7];
    for (int run = 0; run < 2; run++) {
        steps(scene, 3);
        const double *x = dv_state_read(scene_state(scene, "/Tool/dofs"), DV_POSITION).at;
        if (run == 0)
            memcpy(first, x, sizeof first);
        else
            assert_memory_equal(x, first, sizeof first);
        dv_scene_reset(scene);
    }
    dv_scene_free(scene);
}

static void threads_change_no_bit(void **state)
{
    (void)state;
    dv_parallel_set_grain_divisor(8);
    for (size_t k = 0; k < SOLVERS; k++) {
        Bits runs[3] = {0};
        for (int run = 0; run < 3; run++) {
            dv_parallel_set_threads(run == 0 ? 1 : run == 1 ? 2 : 8);
            DvScene *scene = heap(solvers[k].loop, solvers[k].solver, "0 -9.81 0", FLOOR);
            steps(scene, STEPS);
            add_bits(&runs[run], scene);
            dv_scene_free(scene);
        }
        expect_same(&runs[0], &runs[1], "2 threads end otherwise than 1", k);
        expect_same(&runs[0], &runs[2], "8 threads end otherwise than 1", k);
    }
    dv_parallel_set_threads(1);
    dv_parallel_set_grain_divisor(1);
}

/* While the same pairs touch, a step takes nothing from the heap. */
static void lasting_contacts_allocate_nothing(void **state)
{
    (void)state;
    for (size_t k = 0; k < SOLVERS; k++) {
        DvScene *scene = heap(solvers[k].loop, solvers[k].solver, "0 -9.81 0", FLOOR);
        steps(scene, STEPS);
        unsigned unchanged = 0;
        for (int step = 0; step < 100; step++) {
            const uint32_t pairs = pairs_of(scene);
            const uint64_t before = dv_allocation_count();
            steps(scene, 1);
            if (pairs_of(scene) != pairs)
                continue;
            unchanged++;
            if (dv_allocation_count() != before && step > 20)
                fail_msg("solver %zu, step %d: %d allocations", k, step, (int)(dv_allocation_count() - before));
        }
        assert_true(unchanged > 50);
        dv_scene_free(scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_on_an_incline_sticks_below_the_angle_of_friction),
        cmocka_unit_test(above_it_slides_as_gravity_less_friction_says),
        cmocka_unit_test(friction_begins_when_bodies_touch),
        cmocka_unit_test(augmented_contacts_carry_the_weight),
        cmocka_unit_test(a_sphere_falls_freely_and_stops_on_the_plane),
        cmocka_unit_test_setup_teardown(a_stack_of_boxes_stays_and_gains_no_energy, allow_unsolved, say_all),
        cmocka_unit_test_setup_teardown(a_stack_of_equal_boxes_stays_and_gains_no_energy, allow_unsolved, say_all),
        cmocka_unit_test_setup_teardown(a_stack_of_solid_boxes_stays_and_gains_no_energy, allow_unsolved, say_all),
        cmocka_unit_test_setup_teardown(a_stack_of_solid_boxes_stays_on_triangles, allow_unsolved, say_all),
        cmocka_unit_test(a_pressed_tool_feels_the_force_that_presses_it),
        cmocka_unit_test(friction_can_be_that_of_the_surfaces),
        cmocka_unit_test_setup_teardown(contacts_keep_the_momentum, allow_unsolved, say_all),
        cmocka_unit_test(each_contact_fulfils_its_laws_in_each_step),
        cmocka_unit_test_setup_teardown(a_saved_run_goes_on_with_the_same_bits, allow_unsolved, say_all),
        cmocka_unit_test_setup_teardown(a_reset_gives_the_first_run_again, allow_unsolved, say_all),
        cmocka_unit_test_setup_teardown(a_reset_starts_the_first_contact_as_at_first, allow_unsolved, say_all),
        cmocka_unit_test_setup_teardown(threads_change_no_bit, allow_unsolved, say_all),
        cmocka_unit_test_setup_teardown(lasting_contacts_allocate_nothing, allow_unsolved, say_all),
    };
    return share_run_group_tests(tests, NULL, stop_plugins);
}
