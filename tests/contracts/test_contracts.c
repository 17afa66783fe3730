/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Proofs that the contracts carry what comes next: product components (solvers, FEM, mappings, masses, constraints) run unmodified
 *   - on states whose vectors live in other memory, where nothing moves unless the other side asks;
 *   - while a component edits the graph inside every step;
 *   - on a mesh whose elements and points are removed, added and renumbered;
 *   - drawn by a recorder that knows no graphics library;
 *   - beside a thread of another rate that never waits for a step.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>
#include <divan/contracts/mechanical_operations.h>
#include <divan/contracts/topology.h>
#include <divan/divan.h>

#include "contracts_plugin.h"
#include "drawing.h"
#include "scene_text.h"

static DvScene *load(const char *text)
{
    DvScene *scene = NULL;
    assert_int_equal(dv_scene_load_text(text, strlen(text), "scene.scn", NULL, NULL, &scene), DV_OK);
    return scene;
}

static DvObject *object_at(const DvScene *scene, const char *link)
{
    DvObject *object = dv_node_resolve(dv_scene_root(scene), NULL, link, NULL);
    if (!object)
        fail_msg("no object %s", link);
    return object;
}

static void make_steps(DvScene *scene, int steps)
{
    for (int i = 0; i < steps; i++)
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
}

/* Largest difference of two states' positions and velocities, relative to the largest position. */
static double difference(DvScene *a, DvScene *b, const char *link)
{
    const DvStateRef s = dv_state_ref(object_at(a, link)), t = dv_state_ref(object_at(b, link));
    assert_int_equal(dv_state_count(s), dv_state_count(t));
    double largest = 0, size = 1e-300;
    for (int k = 0; k < 2; k++) {
        const DvConstVec x = dv_state_read(s, k ? DV_VELOCITY : DV_POSITION),
                         y = dv_state_read(t, k ? DV_VELOCITY : DV_POSITION);
        for (uint32_t i = 0; i < x.count * x.dim; i++) {
            assert_true(isfinite(x.at[i]) && isfinite(y.at[i]));
            largest = fmax(largest, fabs(x.at[i] - y.at[i]));
            size = fmax(size, fabs(x.at[i]));
        }
    }
    return largest / size;
}

/* A cube of eight points and six tetrahedra, hanging on one face, with two points mapped into it. */
#define CUBE                                                                                                  \
    "<TetrahedronSetTopologyContainer name='topo' position='0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 1 1 1 0 1 1'" \
    " tetrahedra='0 5 1 6 0 1 3 6 1 3 6 2 6 3 0 7 6 7 0 5 7 5 4 0'/>"
#define HANGING_CUBE(STATE, SOLVER, MAPPED)                                                                            \
    "<Node name='root' dt='0.01' gravity='0 -9.81 0'><DefaultAnimationLoop/><Node name='Body'>"                        \
    "<EulerImplicitSolver rayleighStiffness='0.02' rayleighMass='0.01'/>" SOLVER CUBE "<" STATE                        \
    " name='dofs' position='@topo.position'/><UniformMass totalMass='2'/>"                                             \
    "<FixedProjectiveConstraint indices='0 3 4 7'/><TetrahedronFEMForceField youngModulus='3000' poissonRatio='0.4'/>" \
    "<Node name='Child'><" MAPPED " name='mapped' position='0.5 0.5 0.5 0.9 0.3 0.2'/><BarycentricMapping/>"           \
    "<ConstantForceField indices='0 1' forces='0 3 1 2 0 0'/></Node></Node></Node>"
#define CG "<CGLinearSolver iterations='200' tolerance='1e-14' threshold='1e-20'/>"

static void product_components_run_unmodified_on_vectors_in_other_memory(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {HANGING_CUBE("MechanicalObject", CG, "MechanicalObject"),
         HANGING_CUBE("FakeDeviceObject", CG, "FakeDeviceObject")},
        {HANGING_CUBE("MechanicalObject", "<SparseLDLSolver/>", "MechanicalObject"),
         HANGING_CUBE("FakeDeviceObject", "<SparseLDLSolver/>", "MechanicalObject")},
        {HANGING_CUBE("MechanicalObject", "<SparseLDLSolver/>", "MechanicalObject"),
         HANGING_CUBE("MechanicalObject", "<SparseLDLSolver/>", "FakeDeviceObject")},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        DvScene *host = load(pairs[i][0]), *device = load(pairs[i][1]);
        make_steps(host, 20);
        make_steps(device, 20);
        assert_true(difference(host, device, "@/Body/dofs") < 1e-10);
        assert_true(difference(host, device, "@/Body/Child/mapped") < 1e-10);
        dv_scene_free(host);
        dv_scene_free(device);
    }
}

/* Forces of constraints are on the host: a geometric stiffness elsewhere would lack them, so that is an error of the step. */
static void constraint_forces_do_not_reach_a_geometric_stiffness_elsewhere(void **state)
{
    (void)state;
    for (int forces = 0; forces <= 1; forces++) {
        DvScene *scene = load(
            "<Node name='root' dt='0.01'><DefaultAnimationLoop/><Node name='Body'><EulerImplicitSolver/>" CG
            "<FakeDeviceObject name='dofs' position='0 0 0'/><UniformMass totalMass='1'/><Node name='Child'>"
            "<FakeDeviceObject name='mapped' position='0 0 0 1 1 1 2 2 2'/><DeviceShiftMapping name='map'/></Node></Node></Node>");
        const DvStateRef mapped =
            dv_state_ref(dv_node_resolve(dv_scene_root(scene), NULL, "@/Body/Child/mapped", NULL));
        make_steps(scene, 1);
        if (forces) {
            mapped.ops->clear(mapped.self, DV_LAMBDA);
            assert_int_equal(dv_scene_step(scene, 0), DV_ERROR_UNSUPPORTED);
            assert_non_null(strstr(dv_last_error(), "DeviceShiftMapping 'map': forces of constraints act on what it"));
        } else {
            make_steps(scene, 3);
        }
        dv_scene_free(scene);
    }
}

static void nothing_moves_unless_the_other_side_asks(void **state)
{
    (void)state;
    DvScene *scene = load(
        "<Node name='root' dt='0.1' gravity='0 0 0'><DefaultAnimationLoop/><EulerImplicitSolver/>"
        "<CGLinearSolver iterations='20' tolerance='1e-14' threshold='1e-20'/>"
        "<FakeDeviceObject name='dofs' position='1 2 3 4 5 6' velocity='0 1 0 0 0 0'/><DeviceWell stiffness='5'/></Node>");
    DvObject *object = object_at(scene, "@/dofs");
    const FakeDeviceOps *device = dv_object_ops(object, TEST_FAKE_DEVICE);
    make_steps(scene, 1);
    const uint64_t before = device->transfers(dv_object_self(object));
    make_steps(scene, 9);
    assert_int_equal(device->transfers(dv_object_self(object)), before);
    /* v' = (v - h k x) / (1 + h^2 k), x' = x + h v' */
    double x[6] = {1, 2, 3, 4, 5, 6}, v[6] = {0, 1, 0, 0, 0, 0};
    for (int step = 0; step < 10; step++)
        for (int i = 0; i < 6; i++) {
            v[i] = (v[i] - 0.1 * 5 * x[i]) / (1 + 0.01 * 5);
            x[i] += 0.1 * v[i];
        }
    const DvConstVec end = dv_state_read(dv_state_ref(object), DV_POSITION);
    for (int i = 0; i < 6; i++)
        assert_true(fabs(end.at[i] - x[i]) < 1e-12);
    assert_int_equal(device->transfers(dv_object_self(object)), before + 1);
    dv_state_read(dv_state_ref(object), DV_POSITION);
    assert_int_equal(device->transfers(dv_object_self(object)), before + 1); /* it is here already */
    dv_scene_free(scene);
}

/* What was said: the last message, and how many. */
static char said[1000];
static unsigned messages;

static void listen(const DvMessage *message, void *context)
{
    (void)context;
    DvText text = {0};
    dv_message_print(message, &text);
    snprintf(said, sizeof said, "%s", text.at);
    dv_text_free(&text);
    messages++;
}

/* The scene must not start, and one message must hold `part`. */
static void refuses(const char *text, const char *part)
{
    DvScene *scene = NULL;
    messages = 0;
    dv_log_set_handler(listen, NULL);
    const DvStatus status = dv_scene_load_text(text, strlen(text), "scene.scn", NULL, NULL, &scene);
    dv_log_set_handler(NULL, NULL);
    assert_int_not_equal(status, DV_OK);
    assert_null(scene);
    if (!strstr(said, part))
        fail_msg("'%s' does not hold '%s'", said, part);
    assert_int_equal(messages, 1);
}

static void a_component_of_a_device_and_a_state_of_the_host_are_refused(void **state)
{
    (void)state;
    refuses(
        "<Node name='root'><DefaultAnimationLoop/><EulerExplicitSolver/><MechanicalObject name='dofs' position='1 2 3'/>\n"
        "<DeviceWell name='well'/></Node>",
        "scene.scn:2: DeviceWell 'well': works on vectors on a device, and state '/dofs' (MechanicalObject) keeps its "
        "vectors on the host only; take a state or a component of the other kind");
}

static void a_solver_may_allocate_before_its_state_is_there(void **state)
{
    (void)state;
#define FALLING(BEFORE, AFTER)                                                                       \
    "<Node name='root' dt='0.125' gravity='0 -8 0'><DefaultAnimationLoop/><Node name='Body'>" BEFORE \
    "<MechanicalObject name='dofs' position='0 0 0 1 0 0'/><UniformMass vertexMass='1'/>" AFTER "</Node></Node>"
    static const char *const texts[] = {FALLING("<EagerSolver/>", ""), FALLING("", "<EagerSolver/>")};
    for (int i = 0; i < 2; i++) {
        DvScene *scene = load(texts[i]);
        make_steps(scene, 4);
        /* v = -g h n, y = -g h^2 n (n + 1) / 2 */
        const DvStateRef dofs = dv_state_ref(object_at(scene, "@/Body/dofs"));
        for (int point = 0; point < 2; point++) {
            assert_true(dv_state_read(dofs, DV_VELOCITY).at[3 * point + 1] == -4.0);
            assert_true(dv_state_read(dofs, DV_POSITION).at[3 * point + 1] == -1.25);
        }
        dv_scene_free(scene);
    }
}

static void vectors_of_a_solver_are_in_states_that_come_later(void **state)
{
    (void)state;
    DvScene *scene = load(FALLING("<EagerSolver/>", ""));
    make_steps(scene, 2);
    DvNode *body = dv_object_as_node(object_at(scene, "@/Body")), *child = dv_node_new(body, "late");
    assert_int_equal(dv_object_new(child, "MechanicalObject", NULL, "name", "dofs", "position", "5 0 0", NULL), DV_OK);
    assert_int_equal(dv_object_new(child, "UniformMass", NULL, "vertexMass", "2", NULL), DV_OK);
    make_steps(scene, 4);
    const DvStateRef dofs = dv_state_ref(object_at(scene, "@/Body/late/dofs"));
    assert_true(dv_state_read(dofs, DV_VELOCITY).at[1] == -4.0);
    assert_true(dv_state_read(dofs, DV_POSITION).at[1] == -1.25);
    dv_scene_free(scene);
}

static void a_mapping_that_computes_more_points_than_its_output_has_is_named(void **state)
{
    (void)state;
#define SHORT_SIGHTED(points)                                                                                \
    "<Node name='root'><DefaultAnimationLoop/><MechanicalObject name='dofs' position='1 2 3'/><UniformMass " \
    "totalMass='1'/><Node name='Child'><MechanicalObject name='mapped' position='" points                    \
    "'/>\n<ShortSightedMapping name='map'/><ConstantForceField indices='0' forces='1 0 0'/></Node></Node>"
    DvScene *scene = load(SHORT_SIGHTED("0 0 0 0 0 0 0 0 0"));
    const DvStateRef mapped = dv_state_ref(object_at(scene, "@/Child/mapped"));
    assert_true(dv_state_read(mapped, DV_POSITION).at[8] == 5.0);
    make_steps(scene, 1);
    /* Its output shrinks while it runs: the step fails, and nothing is written behind the end. */
    mapped.ops->resize(mapped.self, 2);
    messages = 0;
    dv_log_set_handler(listen, NULL);
    const DvStatus status = dv_scene_step(scene, 0);
    dv_log_set_handler(NULL, NULL);
    assert_int_equal(status, DV_ERROR_INVALID);
    assert_int_equal(messages, 1);
    assert_non_null(
        strstr(said, "ShortSightedMapping 'map': computes 3 points, but its output '/Child/mapped' has 2; "));
    dv_scene_free(scene);
    refuses(SHORT_SIGHTED("0 0 0 0 0 0"), "scene.scn:2: ShortSightedMapping 'map': computes 3 points, but its output "
                                          "'/Child/mapped' has 2");
}

#define TWO_BODIES(CONTACT, SPRING)                                                                                         \
    "<Node name='root' dt='0.01' gravity='0 -1 0'><DefaultAnimationLoop/><EulerImplicitSolver/>" CG                         \
    "<Node name='rigid'><MechanicalObject name='dofs' template='Rigid3d' position='0 0 0 0 0 0 1' velocity='0 0 0 0 0 1'/>" \
    "<UniformMass totalMass='2'/>" CONTACT "</Node>"                                                                        \
    "<Node name='particle'><MechanicalObject name='dofs' position='3 0 0'/><UniformMass totalMass='1'/></Node>" SPRING      \
    "%s</Node>"
#define TWO_BODIES_DIRECT(CONTACT, SPRING)                                                                                  \
    "<Node name='root' dt='0.01' gravity='0 -1 0'><DefaultAnimationLoop/><EulerImplicitSolver/><SparseLDLSolver/>"          \
    "<Node name='rigid'><MechanicalObject name='dofs' template='Rigid3d' position='0 0 0 0 0 0 1' velocity='0 0 0 0 0 1'/>" \
    "<UniformMass totalMass='2'/>" CONTACT "</Node>"                                                                        \
    "<Node name='particle'><MechanicalObject name='dofs' position='3 0 0'/><UniformMass totalMass='1'/></Node>" SPRING      \
    "%s</Node>"
#define STANDING_CONTACT \
    "<Node name='contact'><MechanicalObject name='touch' position='1 0.5 0'/><RigidMapping/></Node>"
#define STANDING_SPRING                                                                                     \
    "<SpringForceField object1='@/rigid/contact/touch' object2='@/particle/dofs' indices1='0' indices2='0'" \
    " stiffness='20' damping='0' lengths='1'/>"
#define SPAWNER \
    "<ContactSpawner name='spawner' listening='1' body='@/rigid' particle='@/particle' point='1 0.5 0' stiffness='20' length='1'/>"

static DvScene *load_bodies(const char *format, unsigned extra_nodes)
{
    char *text = calloc(strlen(format) + 140 * (size_t)extra_nodes + 1, 1),
         *extra = calloc(140 * (size_t)extra_nodes + 1, 1);
    for (unsigned i = 0; i < extra_nodes; i++)
        strcat(
            extra + strlen(extra),
            "<Node name='n'><MechanicalObject position='9 9 9'/><UniformMass totalMass='1'/><AskedField name='asked'/></Node>");
    sprintf(text, format, extra);
    DvScene *scene = load(text);
    free(text);
    free(extra);
    return scene;
}

static void a_graph_edited_inside_every_step_gives_the_trajectory_of_one_that_stands(void **state)
{
    (void)state;
    enum { STEPS = 60 };
    DvScene *standing = load_bodies(TWO_BODIES(STANDING_CONTACT, STANDING_SPRING), 0);
    DvScene *edited = load_bodies(TWO_BODIES("", SPAWNER), 0);
    SpawnCounters *counters =
        ((const SpawnerOps *)dv_object_ops(object_at(edited, "@/spawner"), TEST_SPAWNER))->counters;
    *counters = (SpawnCounters){0, 0};
    make_steps(standing, STEPS);
    make_steps(edited, STEPS);
    assert_true(difference(standing, edited, "@/rigid/dofs") < 1e-11);
    assert_true(difference(standing, edited, "@/particle/dofs") < 1e-11);
    assert_int_equal(counters->spawned, STEPS);
    assert_int_equal(counters->destroyed, STEPS - 1); /* what was removed is gone, the last contact stands */
    /* the spring does something */
    DvScene *none = load_bodies(TWO_BODIES("", ""), 0);
    make_steps(none, STEPS);
    assert_true(difference(standing, none, "@/particle/dofs") > 0.1);
    dv_scene_free(none);
    dv_scene_free(standing);
    dv_scene_free(edited);
    assert_int_equal(counters->destroyed, STEPS);
}

/* Nodes are planned, blocks allocated and components asked as often in a large scene as in a small one. */
static void the_cost_of_an_edit_does_not_grow_with_the_scene(void **state)
{
    (void)state;
    for (int direct = 0; direct < 2; direct++) {
        uint64_t planned[2], allocated[2];
        for (int large = 0; large < 2; large++) {
            DvScene *scene =
                load_bodies(direct ? TWO_BODIES_DIRECT("", SPAWNER) : TWO_BODIES("", SPAWNER), large ? 500 : 5);
            make_steps(scene, 12);
            const AskedOps *ops = dv_object_ops(object_at(scene, "@/n/asked"), TEST_ASKED);
            assert_true(ops->counters->states > 0 && ops->counters->couplings > 0);
            *ops->counters = (AskedCounters){0, 0, 0, 0};
            const uint64_t planned_before = dv_schedule_planned_nodes(scene), before = dv_allocation_count();
            make_steps(scene, 10);
            planned[large] = dv_schedule_planned_nodes(scene) - planned_before;
            allocated[large] = dv_allocation_count() - before;
            assert_int_equal(ops->counters->states, 0);
            assert_int_equal(ops->counters->couplings, 0);
            assert_int_equal(ops->counters->costs, 0);
            dv_scene_free(scene);
        }
        assert_true(planned[0] > 0);
        assert_int_equal(planned[0], planned[1]);
        if (!direct) /* an analysis of a direct solver is of the whole matrix */
            assert_int_equal(allocated[0], allocated[1]);
    }
}

/* Two points fall freely; what a force field says of a third one changes nothing. */
static void couplings_with_a_point_that_is_not_there_are_reported_and_left_out(void **state)
{
    (void)state;
    DvScene *scene =
        load("<Node gravity='0 -10 0' dt='0.1'><DefaultAnimationLoop/><EulerImplicitSolver/><SparseLDLSolver/>"
             "<MechanicalObject name='dofs' position='0 0 0  1 0 0'/><UniformMass totalMass='2'/>"
             "<AskedField name='asked'/></Node>");
    AskedCounters *asked = ((const AskedOps *)dv_object_ops(object_at(scene, "@/asked"), TEST_ASKED))->counters;
    asked->far_point = 2;
    messages = 0;
    dv_log_set_handler(listen, NULL);
    assert_int_equal(dv_scene_step(scene, 0), DV_ERROR_INVALID); /* what is told fails the step */
    make_steps(scene, 2);
    dv_log_set_handler(NULL, NULL);
    asked->far_point = 0;
    assert_int_equal(messages, 1);
    assert_non_null(
        strstr(said, "AskedField 'asked': it couples points that its state does not have; they are left out"));
    const DvConstVec v = dv_state_read(dv_state_ref(object_at(scene, "@/dofs")), DV_VELOCITY);
    for (uint32_t i = 0; i < 6; i++)
        assert_true(fabs(v.at[i] - (i % 3 == 1 ? -3.0 : 0.0)) < 1e-13);
    dv_scene_free(scene);
}

/* Numbers attached to elements */

static uint32_t random_state = 12345;

static uint32_t random_below(uint32_t n)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (uint32_t)(((uint64_t)random_state * n) >> 32);
}

static void expect_sums(DvScene *scene)
{
    DvObject *watcher = object_at(scene, "@/Body/watcher"), *topology = object_at(scene, "@/Body/topo");
    const WatcherOps *ops = dv_object_ops(watcher, TEST_WATCHER);
    const DvTopologyOps *mesh = dv_object_ops(topology, DV_TOPOLOGY);
    const DvElementData *points = ops->points(dv_object_self(watcher)),
                        *sums = ops->tetrahedra(dv_object_self(watcher));
    const DvElements tetrahedra = mesh->elements(dv_object_self(topology), DV_TETRAHEDRA);
    assert_int_equal(points->count, mesh->point_count(dv_object_self(topology)));
    assert_int_equal(sums->count, tetrahedra.count);
    for (uint32_t t = 0; t < tetrahedra.count; t++) {
        double sum = 0;
        for (int c = 0; c < 4; c++)
            sum += ((const double *)points->entries)[tetrahedra.at[4 * t + (uint32_t)c]];
        assert_true(((const double *)sums->entries)[t] == sum);
    }
}

#define CHANGING_BODY                                                                                                    \
    "<Node name='root' dt='0.01' gravity='0 -9.81 0'><DefaultAnimationLoop/><Node name='Body'><EulerImplicitSolver/>" CG \
        CUBE "<TetrahedronSetTopologyModifier name='modifier'/><TetrahedronSetGeometryAlgorithms/>"                      \
    "<MechanicalObject name='dofs'/><DiagonalMass massDensity='2'/><FixedProjectiveConstraint indices='0 3'/>"           \
    "<TetrahedralCorotationalFEMForceField youngModulus='3000' poissonRatio='0.4'/><ElementWatcher name='watcher'/>"     \
    "</Node></Node>"

static void attached_numbers_follow_random_edits_of_the_mesh(void **state)
{
    (void)state;
    DvScene *scene = load(CHANGING_BODY);
    DvObject *topology = object_at(scene, "@/Body/topo"), *modifier = object_at(scene, "@/Body/modifier");
    const DvTopologyOps *mesh = dv_object_ops(topology, DV_TOPOLOGY);
    const DvTopologyModifierOps *ops = dv_object_ops(modifier, DV_TOPOLOGY_MODIFIER);
    assert_non_null(ops);
    void *m = dv_object_self(modifier), *t = dv_object_self(topology);
    expect_sums(scene);
    for (int edit = 0; edit < 200; edit++) {
        const uint32_t points = mesh->point_count(t), tetrahedra = mesh->elements(t, DV_TETRAHEDRA).count;
        switch (random_below(4)) {
        case 0: /* a tetrahedron of four different points */
            if (points >= 4 && tetrahedra < 30) {
                uint32_t nodes[4], first = random_below(points);
                for (uint32_t c = 0; c < 4; c++)
                    nodes[c] = (first + c) % points;
                assert_int_equal(ops->add_elements(m, DV_TETRAHEDRA, 1, nodes, NULL), DV_OK);
            }
            break;
        case 1:
            if (tetrahedra > 2) {
                const uint32_t gone = random_below(tetrahedra);
                assert_int_equal(ops->remove_elements(m, DV_TETRAHEDRA, 1, &gone, false), DV_OK);
            }
            break;
        case 2: {
            uint32_t *order = calloc(points, sizeof *order);
            for (uint32_t i = 0; i < points; i++)
                order[i] = i;
            for (uint32_t i = points; i > 1; i--) {
                const uint32_t j = random_below(i), kept = order[i - 1];
                order[i - 1] = order[j];
                order[j] = kept;
            }
            assert_int_equal(ops->renumber_points(m, order), DV_OK);
            free(order);
            break;
        }
        default:
            if (points < 40)
                assert_int_equal(ops->add_points(m, 1, NULL), DV_OK);
        }
        expect_sums(scene);
    }
    dv_scene_free(scene);
}

static void append_numbers(char *text, const char *name, const double *x, size_t count)
{
    sprintf(text + strlen(text), " %s='", name);
    for (size_t i = 0; i < count; i++)
        sprintf(text + strlen(text), "%.17g ", x[i]);
    strcat(text, "'");
}

/* After removals and renumberings, forces and masses are those of a scene written with the mesh as it is now. */
static void a_running_body_that_loses_elements_is_the_body_of_what_is_left(void **state)
{
    (void)state;
    DvScene *scene = load(CHANGING_BODY);
    make_steps(scene, 5);
    DvObject *modifier = object_at(scene, "@/Body/modifier"), *topology = object_at(scene, "@/Body/topo");
    const DvTopologyModifierOps *ops = dv_object_ops(modifier, DV_TOPOLOGY_MODIFIER);
    const uint32_t gone[2] = {4, 1}, order[8] = {0, 5, 2, 3, 7, 1, 6, 4}; /* 0 and 3 are fixed and keep their numbers */
    assert_int_equal(ops->remove_elements(dv_object_self(modifier), DV_TETRAHEDRA, 2, gone, false), DV_OK);
    assert_int_equal(ops->renumber_points(dv_object_self(modifier), order), DV_OK);

    const DvStateRef dofs = dv_state_ref(object_at(scene, "@/Body/dofs"));
    const DvElements tetrahedra = ((const DvTopologyOps *)dv_object_ops(topology, DV_TOPOLOGY))
                                      ->elements(dv_object_self(topology), DV_TETRAHEDRA);
    assert_int_equal(tetrahedra.count, 4);
    char *text = calloc(1, 20000);
    strcpy(
        text,
        "<Node name='root' dt='0.01' gravity='0 -9.81 0'><DefaultAnimationLoop/><Node name='Body'><EulerImplicitSolver/>" CG
        "<TetrahedronSetTopologyContainer name='topo' tetrahedra='");
    for (uint32_t i = 0; i < 16; i++)
        sprintf(text + strlen(text), "%u ", tetrahedra.at[i]);
    strcat(text, "'");
    const DvConstVec x = dv_state_read(dofs, DV_POSITION), rest = dv_state_read(dofs, DV_REST_POSITION),
                     v = dv_state_read(dofs, DV_VELOCITY);
    append_numbers(text, "position", rest.at, 24);
    strcat(text, "/><MechanicalObject name='dofs'");
    append_numbers(text, "position", x.at, 24);
    append_numbers(text, "rest_position", rest.at, 24);
    append_numbers(text, "velocity", v.at, 24);
    strcat(text, "/><DiagonalMass massDensity='2'/><FixedProjectiveConstraint indices='0 3'/>"
                 "<TetrahedralCorotationalFEMForceField youngModulus='3000' poissonRatio='0.4'/></Node></Node>");
    DvScene *fresh = load(text);
    free(text);
    make_steps(scene, 5);
    make_steps(fresh, 5);
    assert_true(difference(scene, fresh, "@/Body/dofs") < 1e-9);
    dv_scene_free(scene);
    dv_scene_free(fresh);
}

/* Drawing */

typedef struct Drawing {
    uint32_t primitives[DRAWN_KINDS];
    double sum; /* of all coordinates */
} Drawing;

static void add_batch(void *context, const DrawnBatch *batch)
{
    Drawing *drawing = context;
    drawing->primitives[batch->kind] += batch->count;
    for (size_t i = 0; i < batch->numbers; i++)
        drawing->sum += batch->points[i];
}

static DvVisit draw_node(DvNode *node, void *context)
{
    DvObject *object;
    for (size_t i = 0; (object = dv_node_member(node, i)); i++)
        if (dv_object_ops(object, DV_DRAWABLE))
            record_drawing_of(context, object);
    return DV_VISIT_CONTINUE;
}

static Drawing draw(DvScene *scene, uint32_t shown)
{
    Drawing drawing = {0};
    DrawRecorder recorder = draw_recorder(shown, add_batch, &drawing);
    const DvVisitor visitor = {.top_down = draw_node};
    dv_visit(dv_scene_root(scene), &visitor, &recorder);
    return drawing;
}

static void a_recorder_counts_what_components_draw(void **state)
{
    (void)state;
    DvScene *scene =
        load("<Node name='root'><DefaultAnimationLoop/><MechanicalObject position='0 0 0 1 0 0 3 0 0' showObject='1'/>"
             "<SpringForceField spring='0 1 10 0 1 1 2 10 0 1'/></Node>");
    const Drawing all = draw(scene, 1u << DV_DISPLAY_BEHAVIOR_MODELS | 1u << DV_DISPLAY_FORCE_FIELDS |
                                        1u << DV_DISPLAY_INTERACTION_FORCE_FIELDS);
    assert_int_equal(all.primitives[DRAWN_POINTS], 3);
    assert_int_equal(all.primitives[DRAWN_LINES], 2);
    assert_true(fabs(all.sum - (4 + 1 + 4)) < 1e-12); /* the points; the ends of both springs */
    const Drawing none = draw(scene, 0);
    assert_int_equal(none.primitives[DRAWN_LINES], 0);
    dv_scene_free(scene);
}

static void a_thread_of_another_rate_pushes_without_waiting_for_the_step(void **state)
{
    (void)state;
    DvScene *scene = load("<Node name='root' dt='0.001' gravity='0 0 0'><DefaultAnimationLoop/><EulerExplicitSolver/>"
                          "<MechanicalObject name='dofs' position='1 0 0'/><UniformMass totalMass='1'/>"
                          "<FastDevice name='device' stiffness='40' listening='1'/></Node>");
    DvObject *device = object_at(scene, "@/device");
    const FastDeviceOps *ops = dv_object_ops(device, TEST_FAST_DEVICE);
    FastCounts counts = {0};
    double leftmost = 1;
    /* However long that takes on a busy machine. */
    while (counts.turns < 300 || counts.pushes <= 100 || leftmost >= -0.2) {
        make_steps(scene, 1);
        const struct timespec millisecond = {0, 1000000};
        nanosleep(&millisecond, NULL);
        leftmost = fmin(leftmost, dv_state_read(dv_state_ref(object_at(scene, "@/dofs")), DV_POSITION).at[0]);
        ops->counts(dv_object_self(device), &counts);
    }
    /* It was pulled through the origin by what had come whole. */
    assert_int_equal(counts.torn, 0);
    assert_int_equal(counts.full, 0);
    dv_scene_free(scene);
}

static int start(void **state)
{
    (void)state;
    const char *const plugins[] = {getenv("DIVAN_CONTRACTS_PLUGIN"), NULL};
    const DvStartOptions options = {.plugins = plugins};
    return dv_start(&options) == DV_OK ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(product_components_run_unmodified_on_vectors_in_other_memory),
        cmocka_unit_test(constraint_forces_do_not_reach_a_geometric_stiffness_elsewhere),
        cmocka_unit_test(nothing_moves_unless_the_other_side_asks),
        cmocka_unit_test(a_component_of_a_device_and_a_state_of_the_host_are_refused),
        cmocka_unit_test(a_solver_may_allocate_before_its_state_is_there),
        cmocka_unit_test(vectors_of_a_solver_are_in_states_that_come_later),
        cmocka_unit_test(a_mapping_that_computes_more_points_than_its_output_has_is_named),
        cmocka_unit_test(a_graph_edited_inside_every_step_gives_the_trajectory_of_one_that_stands),
        cmocka_unit_test(the_cost_of_an_edit_does_not_grow_with_the_scene),
        cmocka_unit_test(attached_numbers_follow_random_edits_of_the_mesh),
        cmocka_unit_test(couplings_with_a_point_that_is_not_there_are_reported_and_left_out),
        cmocka_unit_test(a_running_body_that_loses_elements_is_the_body_of_what_is_left),
        cmocka_unit_test(a_recorder_counts_what_components_draw),
        cmocka_unit_test(a_thread_of_another_rate_pushes_without_waiting_for_the_step),
    };
    return cmocka_run_group_tests(tests, start, stop_plugins);
}
