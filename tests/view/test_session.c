/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The simulation thread without a window: what is done to a scene comes out, can be recorded and done again to the same bits; mistakes
 * come back as messages; nothing waits for a step.
 */
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <divan/contracts/topology.h>
#include <divan/divan.h>
#include <glib/gstdio.h>

#include "../../hosts/states.h"
#include "hand.h"
#include "recording.h"
#include "session.h"
#include "share.h"

static char *folder; /* of this run */
static Logbook *book;
static Session *session;

/* Two springs of particles, one fixed end, and a rigid body: small, and it moves. */
static const char string_scene[] =
    "<Node name='root' gravity='0 -10 0' dt='0.01'><DefaultAnimationLoop/>"
    "<Node name='String'><EulerImplicitSolver/><CGLinearSolver name='solver' iterations='50' tolerance='1e-12' threshold='1e-20'/>"
    "<MechanicalObject name='dofs' position='0 0 0  1 0 0  2 0 0'/><UniformMass totalMass='3'/>"
    "<SpringForceField name='springs' spring='0 1 500 1 1  1 2 500 1 1'/><FixedProjectiveConstraint indices='0'/></Node>"
    "<Node name='Body'><EulerImplicitSolver/><CGLinearSolver iterations='50' tolerance='1e-12' threshold='1e-20'/>"
    "<MechanicalObject name='frame' template='Rigid3d' position='0 0 5 0 0 0 1'/><UniformMass totalMass='2'/></Node></Node>";

/* A block from x = 0 to 1, pulled at two corners, with its border to be met by rays. */
#define BLOCK(volume, border)                                                                                        \
    "<Node name='root' gravity='0 0 0' dt='0.01'><DefaultAnimationLoop/><CollisionPipeline/><BruteForceBroadPhase/>" \
    "<BVHNarrowPhase/><MinProximityIntersection alarmDistance='0.02' contactDistance='0.01'/>"                       \
    "<CollisionResponse response='PenalityContactForceField'/>"                                                      \
    "<RegularGridTopology name='grid' n='6 4 4' min='0 0 0' max='1 0.5 0.5'/><Node name='Block'>"                    \
    "<EulerImplicitSolver/><CGLinearSolver iterations='100' tolerance='1e-12' threshold='1e-20'/>"                   \
    "<TetrahedronSetTopologyContainer name='mesh'/>" volume                                                          \
    "<Hexa2TetraTopologicalMapping input='@/grid' output='@mesh' swapping='1'/>"                                     \
    "<MechanicalObject name='dofs' position='@/grid.position'/><DiagonalMass massDensity='1000'/>"                   \
    "<TetrahedralCorotationalFEMForceField youngModulus='1e4' poissonRatio='0.3'/>"                                  \
    "<ConstantForceField indices='0 95' forces='-20 0 0  20 0 0'/><Node name='Border'>"                              \
    "<TriangleSetTopologyContainer name='border'/>" border                                                           \
    "<Tetra2TriangleTopologicalMapping input='@../mesh' output='@border'/><TriangleCollisionModel name='skin'/></Node></Node></Node>"

static const char block_scene[] = BLOCK("<TetrahedronSetTopologyModifier/>", "<TriangleSetTopologyModifier/>"),
                  unchanging_scene[] = BLOCK("", "");

static char *in_folder(const char *name)
{
    return g_build_filename(folder, name, NULL);
}

static char *put(const char *name, const char *text)
{
    char *file = in_folder(name);
    assert_true(g_file_set_contents(file, text, -1, NULL));
    return file;
}

static char *get(const char *file)
{
    char *text = NULL;
    assert_true(g_file_get_contents(file, &text, NULL, NULL));
    return text;
}

static void post(MessageKind kind, const char *path, const char *text, double number)
{
    session_post(session, &(Message){.kind = kind, .path = path, .text = text, .numbers = {number}});
}

static void post_ray(MessageKind kind, GrabMode mode, const double origin[3], const double direction[3],
                     double stiffness)
{
    Message message = {.kind = kind};
    double *at = message.numbers;
    if (kind == MESSAGE_GRAB)
        *at++ = mode;
    memcpy(at, origin, 3 * sizeof *at);
    memcpy(at + 3, direction, 3 * sizeof *at);
    message.numbers[7] = stiffness;
    session_post(session, &message);
}

static bool was_said(const char *words)
{
    GPtrArray *entries = g_ptr_array_new();
    bool found = false;
    logbook_read(book, 0, entries);
    for (guint i = 0; i < entries->len; i++)
        found = found || strstr(((const LogEntry *)g_ptr_array_index(entries, i))->text, words);
    g_ptr_array_unref(entries);
    return found;
}

static bool is_of_scene(const char *words)
{
    GPtrArray *entries = g_ptr_array_new();
    const LogEntry *found = NULL;
    logbook_read(book, 0, entries);
    for (guint i = 0; i < entries->len && !found; i++)
        if (strstr(((const LogEntry *)g_ptr_array_index(entries, i))->text, words))
            found = g_ptr_array_index(entries, i);
    g_ptr_array_unref(entries);
    if (!found)
        fail_msg("'%s' is not said", words);
    return found->of_scene;
}

/* Steps, one message each, so that their number is known. */
static Snapshot *make_steps(unsigned count)
{
    Snapshot *before = session_settle(session);
    const uint64_t wanted = before->steps + count;
    assert_true(before->has_scene);
    snapshot_unref(before);
    for (unsigned i = 0; i < count; i++)
        post(MESSAGE_STEP, NULL, NULL, 0);
    for (;;) {
        Snapshot *snapshot = session_settle(session);
        if (snapshot->steps >= wanted || snapshot->failed) {
            assert_true(snapshot->steps == wanted || snapshot->failed);
            if (snapshot->hash)
                return snapshot;
        }
        snapshot_unref(snapshot);
        g_usleep(500);
    }
}

static const FieldView *field_of(const Snapshot *snapshot, const char *name)
{
    assert_non_null(snapshot->object);
    for (guint i = 0; i < snapshot->object->fields->len; i++) {
        const FieldView *field = &g_array_index(snapshot->object->fields, FieldView, i);
        if (strcmp(field->name, name) == 0)
            return field;
    }
    fail_msg("no field %s", name);
    return NULL;
}

static void open_text(const char *text)
{
    char *file = put("scene.scn", text);
    post(MESSAGE_OPEN, NULL, file, 0);
    snapshot_unref(session_settle(session));
    g_free(file);
}

static int begin_session(void **state)
{
    (void)state;
    book = logbook_new(false);
    dv_log_set_handler(logbook_take, book);
    session = session_new(book);
    return 0;
}

static int end_session(void **state)
{
    (void)state;
    session_free(session);
    dv_log_set_handler(NULL, NULL);
    logbook_free(book);
    return 0;
}

static uint64_t plain_hash(const char *file, unsigned steps)
{
    DvScene *scene = NULL;
    assert_int_equal(dv_scene_load(file, NULL, &scene), DV_OK);
    while (steps--)
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    GPtrArray *states = host_states(scene);
    const uint64_t hash = host_hash(states);
    g_ptr_array_unref(states);
    dv_scene_free(scene);
    return hash;
}

static void a_run_that_nobody_touches_has_the_bits_of_a_plain_run(void **state)
{
    (void)state;
    char *file = g_build_filename(g_getenv("DIVAN_TEST_SOURCE_ROOT"), "scenes", "pendulum.scn", NULL);
    post(MESSAGE_OPEN, NULL, file, 0);
    post(MESSAGE_SELECT, "/", NULL, 0);
    post(MESSAGE_PHASES, NULL, NULL, 1);
    Snapshot *snapshot = make_steps(40);
    assert_true(snapshot->has_scene);
    assert_true(snapshot->hash == plain_hash(file, 40));
    snapshot_unref(snapshot);
    g_free(file);
}

static void the_tree_has_every_object_with_its_family(void **state)
{
    (void)state;
    open_text(string_scene);
    Snapshot *snapshot = session_settle(session);
    const TreeItem *springs = tree_find(snapshot->tree, "/String/springs"), *root = tree_find(snapshot->tree, "/");
    assert_non_null(springs);
    assert_string_equal(springs->type, "SpringForceField");
    assert_string_equal(springs->family, "force fields");
    assert_string_equal(springs->path, "/String/springs");
    assert_string_equal(springs->plain, "/String/springs");
    assert_string_equal(springs->name, "springs");
    assert_string_equal(root->path, "/");
    assert_int_equal(springs->depth, 2);
    for (guint i = 0; i < snapshot->tree->items->len; i++) {
        const TreeItem *item = &g_array_index(snapshot->tree->items, TreeItem, i);
        assert_int_equal(item->is_node, strcmp(item->type, "Node") == 0);
        assert_true(item->is_active && item->is_valid);
        assert_ptr_equal(tree_find(snapshot->tree, item->path), item); /* no two have one path */
    }
    assert_int_equal(root->end, snapshot->tree->items->len);
    snapshot_unref(snapshot);
}

/* A ray names the body that it meets; of points those alone that are near to it. */
static void a_ray_names_the_body_that_it_meets(void **state)
{
    (void)state;
    open_text(string_scene);
    static const double heights[] = {0.04, 0.06};
    for (int i = 0; i < 2; i++) {
        session_post(session, &(Message){.kind = MESSAGE_PICK, .numbers = {2, heights[i], 5, 0, 0, -1, 0.01}});
        Snapshot *snapshot = session_settle(session);
        assert_int_equal(snapshot->steps, 0);
        if (i == 0)
            assert_string_equal(snapshot->pick.path, "/String/dofs");
        else
            assert_null(snapshot->pick.path);
        snapshot_unref(snapshot);
    }
}

static void fields_come_from_the_tables(void **state)
{
    (void)state;
    open_text(string_scene);
    post(MESSAGE_SELECT, "/String/dofs", NULL, 0);
    Snapshot *snapshot = session_settle(session);
    const FieldView *position = field_of(snapshot, "position");
    assert_int_equal(position->rows, 3);
    assert_int_equal(position->components, 3);
    assert_true(position->numbers[6] == 2.0);
    assert_string_equal(position->unit, "m");
    snapshot_unref(snapshot);
    post(MESSAGE_SELECT, "/String/springs", NULL, 0);
    snapshot = session_settle(session);
    assert_non_null(field_of(snapshot, "spring")->text);
    assert_non_null(field_of(snapshot, "spring")->help);
    snapshot_unref(snapshot);
}

static void an_edit_is_applied_and_a_bad_one_changes_nothing(void **state)
{
    (void)state;
    open_text(string_scene);
    post(MESSAGE_SELECT, "/String/solver", NULL, 0);
    post(MESSAGE_EDIT, "/String/solver.iterations", "60", 0);
    Snapshot *snapshot = session_settle(session);
    assert_null(snapshot->edit.error);
    assert_string_equal(field_of(snapshot, "iterations")->text, "60");
    snapshot_unref(snapshot);

    const char *const bad[] = {"many", "0"};
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
        post(MESSAGE_EDIT, "/String/solver.iterations", bad[i], 0);
        snapshot = session_settle(session);
        assert_non_null(snapshot->edit.error);
        if (!g_str_has_prefix(snapshot->edit.error, "refused: iterations: ")) /* the panel says of what */
            fail_msg("'%s' does not begin with the field", snapshot->edit.error);
        assert_string_equal(field_of(snapshot, "iterations")->text, "60");
        snapshot_unref(snapshot);
    }
    post(MESSAGE_EDIT, "/String/solver.no_such_field", "1", 0);
    snapshot = session_settle(session);
    assert_non_null(snapshot->edit.error);
    snapshot_unref(snapshot);
    post(MESSAGE_RELOAD, NULL, NULL, 0); /* takes back what was said of the scene before */
    snapshot = session_settle(session);
    assert_null(snapshot->edit.error);
    snapshot_unref(snapshot);
}

static gpointer warn_of_something_else(gpointer stops)
{
    do
        dv_log(DV_LEVEL_WARNING, "something else");
    while (!g_atomic_int_get((gint *)stops));
    return NULL;
}

/* What another thread says while a field is edited is not about it, not even when the log is full of that. */
static void warnings_of_other_threads_refuse_no_edit(void **state)
{
    (void)state;
    enum { MOST = 20000 };
    gint stops = 0;
    open_text(string_scene);
    post(MESSAGE_SELECT, "/String/solver", NULL, 0);
    GThread *thread = g_thread_new("other", warn_of_something_else, &stops);
    for (int i = 0; i < 100 || logbook_count(book) <= MOST; i++) {
        post(MESSAGE_EDIT, "/String/solver.iterations", i % 2 ? "61" : "62", 0);
        Snapshot *snapshot = session_settle(session);
        const bool refused = snapshot->edit.error != NULL;
        snapshot_unref(snapshot);
        if (refused)
            break;
    }
    Snapshot *snapshot = session_settle(session);
    assert_null(snapshot->edit.error);
    snapshot_unref(snapshot);
    post(MESSAGE_EDIT, "/String/solver.iterations", "many", 0);
    snapshot = session_settle(session);
    g_atomic_int_set(&stops, 1);
    g_thread_join(thread);
    assert_non_null(snapshot->edit.error);
    assert_non_null(strstr(snapshot->edit.error, "iterations: "));
    snapshot_unref(snapshot);
}

static void a_field_that_is_read_at_load_says_so(void **state)
{
    (void)state;
    open_text(string_scene);
    post(MESSAGE_SELECT, "/String/springs", NULL, 0);
    post(MESSAGE_EDIT, "/String/springs.fileSprings", "other.xs3", 0);
    Snapshot *snapshot = session_settle(session);
    assert_non_null(snapshot->edit.error);
    assert_non_null(strstr(snapshot->edit.error, "it is read when the scene is loaded; change it in the file"));
    assert_string_equal(field_of(snapshot, "fileSprings")->text, "");
    snapshot_unref(snapshot);
}

/* A component that says so and takes another value has not taken what was typed: the field is as it was before. */
static void a_value_that_is_replaced_is_refused(void **state)
{
    (void)state;
    char *file = g_build_filename(g_getenv("DIVAN_TEST_SOURCE_ROOT"), "scenes", "beam.scn", NULL);
    post(MESSAGE_OPEN, NULL, file, 0);
    post(MESSAGE_SELECT, "/Beam/elasticity", NULL, 0);
    Snapshot *snapshot = session_settle(session);
    char *before = g_strdup(field_of(snapshot, "youngModulus")->text);
    snapshot_unref(snapshot);
    post(MESSAGE_EDIT, "/Beam/elasticity.youngModulus", "-5", 0);
    snapshot = session_settle(session);
    assert_non_null(snapshot->edit.error);
    assert_non_null(strstr(snapshot->edit.error, "refused: youngModulus[0]: -5 is not zero or more"));
    assert_true(was_said("/Beam/elasticity.youngModulus stays as it was"));
    assert_string_equal(field_of(snapshot, "youngModulus")->text, before);
    snapshot_unref(snapshot);
    g_free(before);
    g_free(file);
}

/* Of numbers that a field should be between, where both ends do not belong to them, an end is told and what lies between is not. */
static void an_end_of_an_open_range_is_told(void **state)
{
    (void)state;
    static const struct {
        const char *degrees;
        bool is_told;
    } cases[] = {{"60", false}, {"180", true}, {"0", true}, {"179", false}, {"200", true}, {"-1", true}};
    open_text("<Node name='root' dt='0.01'><DefaultAnimationLoop/><Camera name='camera'/></Node>");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const size_t said = logbook_count(book);
        post(MESSAGE_EDIT, "/camera.fieldOfView", cases[i].degrees, 0);
        Snapshot *snapshot = session_settle(session);
        assert_int_equal(logbook_count(book) > said, cases[i].is_told);
        snapshot_unref(snapshot);
    }
}

static void one_number_of_a_list_is_edited(void **state)
{
    (void)state;
    open_text(string_scene);
    post(MESSAGE_SELECT, "/String/dofs", NULL, 0);
    session_post(session, &(Message){.kind = MESSAGE_ELEMENT, .path = "/String/dofs.position", .numbers = {4, 0.5}});
    Snapshot *snapshot = session_settle(session);
    assert_null(snapshot->edit.error);
    assert_true(field_of(snapshot, "position")->numbers[4] == 0.5);
    assert_true(field_of(snapshot, "position")->numbers[3] == 1.0);
    snapshot_unref(snapshot);
    session_post(session, &(Message){.kind = MESSAGE_ELEMENT, .path = "/String/dofs.position", .numbers = {9, 0.5}});
    snapshot = session_settle(session);
    assert_non_null(snapshot->edit.error);
    snapshot_unref(snapshot);
}

static void the_time_step_is_a_field_of_the_root(void **state)
{
    (void)state;
    open_text(string_scene);
    post(MESSAGE_EDIT, "/.dt", "0.002", 0);
    Snapshot *snapshot = make_steps(5);
    assert_true(fabs(snapshot->time - 0.01) < 1e-15);
    snapshot_unref(snapshot);
    post(MESSAGE_EDIT, "/.dt", "-1", 0);
    snapshot = session_settle(session);
    assert_non_null(snapshot->edit.error);
    assert_true(snapshot->dt == 0.002);
    snapshot_unref(snapshot);
}

/* In equilibrium a spring to the mouse holds the weight: k (target - place) = m g for a free body of one point. */
static void a_pull_is_a_spring_of_its_stiffness(void **state)
{
    (void)state;
    open_text(
        "<Node name='root' gravity='0 -10 0' dt='0.02'><DefaultAnimationLoop/><Node name='Ball'>"
        "<EulerImplicitSolver rayleighMass='5'/><CGLinearSolver iterations='50' tolerance='1e-12' threshold='1e-20'/>"
        "<MechanicalObject name='dofs' position='1 2 3'/><UniformMass totalMass='2'/></Node></Node>");
    post_ray(MESSAGE_GRAB, GRAB_SPRING, (double[]){1, 2, 10}, (double[]){0, 0, -1}, 200);
    Snapshot *snapshot = session_settle(session);
    assert_true(snapshot->grab.active);
    assert_true(fabs(snapshot->grab.from[2] - 3) < 1e-12);
    snapshot_unref(snapshot);
    post_ray(MESSAGE_DRAG, 0, (double[]){1.5, 2, 10}, (double[]){0, 0, -1}, 0);
    snapshot = make_steps(600);
    const double expected[3] = {1.5, 2 - 2 * 10.0 / 200, 3};
    for (int c = 0; c < 3; c++)
        assert_true(fabs(snapshot->grab.from[c] - expected[c]) < 1e-6);
    assert_true(fabs(snapshot->grab.force - 20) < 1e-4);
    snapshot_unref(snapshot);
    post(MESSAGE_RELEASE, NULL, NULL, 0);
    snapshot = session_settle(session);
    assert_false(snapshot->grab.active);
    assert_null(tree_find(snapshot->tree, "/Mouse"));
    snapshot_unref(snapshot);
}

static void a_fixed_point_stays_until_the_reset(void **state)
{
    (void)state;
    open_text(
        "<Node name='root' gravity='0 -10 0' dt='0.02'><DefaultAnimationLoop/><Node name='Ball'>"
        "<EulerImplicitSolver rayleighMass='5'/><CGLinearSolver iterations='50' tolerance='1e-12' threshold='1e-20'/>"
        "<MechanicalObject name='frame' template='Rigid3d' position='1 2 3 0 0 0 1'/><UniformMass totalMass='2'/></Node></Node>");
    post_ray(MESSAGE_GRAB, GRAB_FIX, (double[]){1, 2, 10}, (double[]){0, 0, -1}, 0);
    post(MESSAGE_SELECT, "/Ball/frame", NULL, 0);
    Snapshot *snapshot = make_steps(600);
    assert_true(fabs(field_of(snapshot, "position")->numbers[1] - (2 - 20.0 / 10000)) < 1e-6);
    snapshot_unref(snapshot);
    post(MESSAGE_RESET, NULL, NULL, 0);
    snapshot = make_steps(10);
    assert_null(tree_find(snapshot->tree, "/Fixation"));
    assert_true(field_of(snapshot, "position")->numbers[1] < 1.95); /* it falls again */
    snapshot_unref(snapshot);
}

/* A constraint takes the place that was met to where the hand is, against weight and springs. */
static void a_pull_by_a_constraint_has_the_place_where_the_hand_is(void **state)
{
    (void)state;
    open_text("<Node name='root' gravity='0 -10 0' dt='0.01'><FreeMotionAnimationLoop/>"
              "<BlockGaussSeidelConstraintSolver maxIterations='1000' tolerance='1e-12'/><Node name='String'>"
              "<EulerImplicitSolver/><SparseLDLSolver template='CompressedRowSparseMatrixMat3x3d'/>"
              "<MechanicalObject position='0 0 0  1 0 0  2 0 0'/><UniformMass totalMass='3'/>"
              "<SpringForceField spring='0 1 500 1 1  1 2 500 1 1'/><FixedProjectiveConstraint indices='0'/>"
              "<LinearSolverConstraintCorrection/></Node></Node>");
    post_ray(MESSAGE_GRAB, GRAB_CONSTRAINT, (double[]){2, 0, 10}, (double[]){0, 0, -1}, 1);
    Snapshot *snapshot = make_steps(1);
    assert_true(snapshot->grab.active);
    snapshot_unref(snapshot);
    for (int i = 1; i <= 10; i++) {
        const double to[3] = {2 + 0.02 * i, 0.05 * i, 0};
        post_ray(MESSAGE_DRAG, 0, (double[]){to[0], to[1], 10}, (double[]){0, 0, -1}, 0);
        snapshot = make_steps(1);
        assert_false(snapshot->failed);
        for (int c = 0; c < 3; c++)
            assert_true(fabs(snapshot->grab.from[c] - to[c]) < 1e-9);
        snapshot_unref(snapshot);
    }
    post(MESSAGE_RELEASE, NULL, NULL, 0);
    snapshot = make_steps(5);
    assert_false(snapshot->grab.active || snapshot->failed);
    assert_null(tree_find(snapshot->tree, "/Mouse"));
    snapshot_unref(snapshot);
}

/* Held off its centre it turns, until it hangs below the hand. */
static void a_constraint_holds_a_rigid_body(void **state)
{
    (void)state;
    open_text(
        "<Node name='root' gravity='0 -10 0' dt='0.01'><FreeMotionAnimationLoop/>"
        "<BlockGaussSeidelConstraintSolver maxIterations='1000' tolerance='1e-12'/><CollisionPipeline/>"
        "<BruteForceBroadPhase/><BVHNarrowPhase/>"
        "<MinProximityIntersection alarmDistance='0.2' contactDistance='0.1'/>"
        "<CollisionResponse response='FrictionContactConstraint'/><Node name='Ball'>"
        "<EulerImplicitSolver rayleighMass='5'/><CGLinearSolver iterations='50' tolerance='1e-12' threshold='1e-20'/>"
        "<MechanicalObject name='frame' template='Rigid3d' position='1 2 3 0 0 0 1'/><UniformMass totalMass='2'/>"
        "<UncoupledConstraintCorrection/><SphereCollisionModel radius='0.5'/></Node></Node>");
    post_ray(MESSAGE_GRAB, GRAB_CONSTRAINT, (double[]){1.3, 2, 10}, (double[]){0, 0, -1}, 1);
    post(MESSAGE_SELECT, "/Ball/frame", NULL, 0);
    Snapshot *snapshot = make_steps(1500);
    const double *at = field_of(snapshot, "position")->numbers;
    const double held[3] = {1.3, 2, 3.4};
    assert_true(snapshot->grab.active);
    for (int c = 0; c < 3; c++) {
        assert_true(fabs(snapshot->grab.from[c] - held[c]) < 1e-9);
        assert_true(fabs(at[c] - held[c] + (c == 1 ? 0.5 : 0)) < 1e-3);
    }
    snapshot_unref(snapshot);
}

static void what_cannot_be_done_says_what_to_add(void **state)
{
    (void)state;
    static const struct {
        const char *scene;
        GrabMode mode;
        double x, y;
        const char *says;
    } wrong[] = {
        {string_scene, GRAB_CONSTRAINT, 1.9, 0, "add a FreeMotionAnimationLoop and a BlockGaussSeidelConstraintSolver"},
        {string_scene, GRAB_REMOVE, 1.9, 0,
         "'dofs': its elements cannot be removed: that takes a mesh with a modifier"},
        {unchanging_scene, GRAB_REMOVE, 0.5, 0.3,
         "'skin': its elements cannot be removed: that takes a mesh with a modifier"},
        {string_scene, GRAB_CUT, 1.9, 0, "its mesh has no modifier (TetrahedronSetTopologyModifier...)"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(wrong); i++) {
        open_text(wrong[i].scene);
        post_ray(MESSAGE_GRAB, wrong[i].mode, (double[]){wrong[i].x, wrong[i].y, 10}, (double[]){0, 0, -1}, 1);
        Snapshot *snapshot = make_steps(2);
        assert_false(snapshot->grab.active || snapshot->failed);
        assert_null(tree_find(snapshot->tree, "/Mouse"));
        if (!was_said(wrong[i].says))
            fail_msg("it is not said that '%s'", wrong[i].says);
        snapshot_unref(snapshot);
    }
}

/* What the mouse did, an edit, a reset: recorded, replayed in a session of its own. */
static void do_things(void)
{
    snapshot_unref(make_steps(7));
    post(MESSAGE_EDIT, "/String/springs.rayleighStiffness", "0.01", 0);
    post_ray(MESSAGE_GRAB, GRAB_SPRING, (double[]){1.9, 0, 10}, (double[]){0, 0, -1}, 100);
    snapshot_unref(make_steps(3));
    for (int i = 0; i < 5; i++) {
        post_ray(MESSAGE_DRAG, 0, (double[]){1.9 + 0.1 * i, 0.05 * i, 10}, (double[]){0, 0, -1}, 0);
        snapshot_unref(make_steps(2));
    }
    post(MESSAGE_RELEASE, NULL, NULL, 0);
    post(MESSAGE_EDIT, "/String/springs.rayleighStiffness", "nonsense", 0);
    snapshot_unref(make_steps(4));
    post(MESSAGE_RESET, NULL, NULL, 0);
    snapshot_unref(make_steps(6));
    post(MESSAGE_EDIT, "/.gravity", "0 -3 0", 0);
    snapshot_unref(make_steps(6));
}

static Snapshot *wait_for_replay(void)
{
    for (;;) {
        Snapshot *snapshot = session_snapshot(session);
        if (!snapshot->replay_steps && !snapshot->animates && snapshot->hash)
            return snapshot;
        snapshot_unref(snapshot);
        g_usleep(500);
    }
}

static void a_recording_gives_the_same_bits_again(void **state)
{
    char *file = in_folder("work.session");
    open_text(string_scene);
    snapshot_unref(make_steps(2)); /* what was done before recording began belongs to it too */
    post(MESSAGE_EDIT, "/String/springs.rayleighStiffness", "0.02", 0);
    post(MESSAGE_RECORD, NULL, file, 0);
    do_things();
    Snapshot *snapshot = session_settle(session);
    assert_false(was_said("cannot record"));
    const uint64_t hash = snapshot->hash;
    snapshot_unref(snapshot);
    post(MESSAGE_RECORD_END, NULL, NULL, 0);
    snapshot_unref(session_settle(session));
    end_session(state);

    begin_session(state);
    post(MESSAGE_PACE, NULL, NULL, 0);
    post(MESSAGE_REPLAY, NULL, file, 0);
    snapshot_unref(session_settle(session));
    snapshot = wait_for_replay();
    assert_true(was_said("the same bits as recorded"));
    assert_true(snapshot->hash == hash);
    assert_int_equal(snapshot->steps, 2 + 7 + 3 + 10 + 4 + 6 + 6);
    snapshot_unref(snapshot);

    /* What came before, then one number more in it, and the bits are others. */
    char *text = get(file), **parts = g_strsplit(text, "\"0.01\"", 2), *other = g_strjoinv("\"0.011\"", parts);
    assert_non_null(strstr(text, "\n2 edit \"/String/springs.rayleighStiffness\" \"0.02\"\n"));
    assert_true(g_file_set_contents(file, other, -1, NULL));
    post(MESSAGE_REPLAY, NULL, file, 0);
    snapshot_unref(session_settle(session));
    snapshot_unref(wait_for_replay());
    assert_true(was_said("but the states are others"));
    g_strfreev(parts);
    g_free(other);
    g_free(text);
    g_free(file);
}

static void recordings_that_are_none_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"", "it has no end"},
        {"<Node/>", "this is no recording"},
        {"divan-session 1\nscene /tmp/x\n", "expected scene"},
        {"divan-session 1\nscene \"/no/such.scn\"\nstart 12\n0 end 12\n", "cannot be loaded"},
        {"divan-session 1\nscene \"a\"\nstart 12\n5 jump 3\n", ":4: this is no change of a scene"},
        {"divan-session 1\nscene \"a\"\nstart 12\n5 reset\n4 reset\n", ":5: its step is before"},
        {"divan-session 1\nscene \"a\"\nstart 12\n5 drag 1 2\n", ":4: this is no change of a scene"},
        {"divan-session 1\nscene \"a\"\nstart 12\n5 edit \"/a.b\n", ":4: this is no change of a scene"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
        char *file = put("bad.session", bad[i].text);
        post(MESSAGE_REPLAY, NULL, file, 0);
        snapshot_unref(session_settle(session));
        if (!was_said(bad[i].says))
            fail_msg("it is not said that '%s'", bad[i].says);
        g_free(file);
    }
}

static void a_full_disk_ends_a_recording_with_a_message(void **state)
{
    (void)state;
    if (access("/dev/full", W_OK) != 0)
        skip();
    open_text(string_scene);
    post(MESSAGE_RECORD, NULL, "/dev/full", 0);
    post(MESSAGE_EDIT, "/.gravity", "0 -3 0", 0);
    Snapshot *snapshot = make_steps(3);
    assert_true(was_said("No space left on device"));
    assert_false(snapshot->failed);
    assert_string_equal(snapshot->recording, "/dev/full");
    snapshot_unref(snapshot);
    post(MESSAGE_RECORD_END, NULL, NULL, 0);
    snapshot = session_settle(session);
    assert_null(snapshot->recording);
    snapshot_unref(snapshot);
}

static void a_recording_that_cannot_begin_is_said(void **state)
{
    (void)state;
    open_text(string_scene);
    post(MESSAGE_RECORD, NULL, "/no/such/folder/work.session", 0);
    Snapshot *snapshot = session_settle(session);
    assert_null(snapshot->recording);
    assert_true(was_said("cannot record: /no/such/folder/work.session: "));
    snapshot_unref(snapshot);
}

static void a_scene_with_errors_opens_with_its_problems(void **state)
{
    (void)state;
    open_text(
        "<Node name='root' dt='0.01'><DefaultAnimationLoop/><EulerExplicitSolver/><MechanicalObject name='dofs' positio='1 2 3'/>"
        "<NoSuchForceField name='what'/><UniformMass name='mass' totalMass='-3'/></Node>");
    Snapshot *snapshot = session_settle(session);
    assert_true(snapshot->has_scene);
    assert_non_null(tree_find(snapshot->tree, "/dofs"));
    assert_true(was_said("NoSuchForceField"));
    assert_true(was_said("totalMass"));
    assert_true(was_said("the scene has errors"));
    /* What is tried later and refused, or cannot be written, is no error of the scene. */
    post(MESSAGE_EDIT, "/mass.totalMass", "-5", 0);
    post(MESSAGE_SAVE, NULL, "/no/such/folder/x.scn", 0);
    post_ray(MESSAGE_GRAB, GRAB_CUT, (double[]){0, 0, 10}, (double[]){0, 0, -1}, 1);
    snapshot_unref(session_settle(session));
    static const struct {
        const char *words;
        bool of_scene;
    } said[] = {{"NoSuchForceField", true},
                {"is -3 kg", true},
                {"is -5 kg", false},
                {"x.scn: the scene cannot be written", false},
                {"cannot be cut", false}};
    for (size_t i = 0; i < G_N_ELEMENTS(said); i++)
        assert_int_equal(is_of_scene(said[i].words), said[i].of_scene);
    /* What is said of an object that is there leads to it. */
    static const char *const leads[][2] = {{"no field 'positio'", "/dofs"}, {"totalMass", "/mass"}};
    GPtrArray *entries = g_ptr_array_new();
    logbook_read(book, 0, entries);
    for (size_t i = 0; i < G_N_ELEMENTS(leads); i++)
        for (guint k = 0; k < entries->len; k++) {
            const LogEntry *entry = g_ptr_array_index(entries, k);
            if (strstr(entry->text, leads[i][0]))
                assert_string_equal(entry->path ? entry->path : "nowhere", leads[i][1]);
        }
    g_ptr_array_unref(entries);
    snapshot_unref(snapshot);
    open_text("<Node><broken");
    snapshot = session_settle(session);
    assert_false(snapshot->has_scene);
    snapshot_unref(snapshot);
}

static void a_slow_step_blocks_no_message(void **state)
{
    (void)state;
    GString *text =
        g_string_new("<Node name='root' dt='0.01'><DefaultAnimationLoop/><Node name='Grid'><EulerImplicitSolver/>"
                     "<CGLinearSolver iterations='300' tolerance='0' threshold='0'/>"
                     "<RegularGridTopology n='18 18 18' min='0 0 0' max='1 1 1'/><MechanicalObject/>"
                     "<UniformMass totalMass='1'/><MeshSpringForceField stiffness='100'/></Node></Node>");
    open_text(text->str);
    g_string_free(text, TRUE);
    post(MESSAGE_ANIMATE, NULL, NULL, 1);
    snapshot_unref(session_settle(session));
    /* While it is in a step, posting and looking return at once: many of both take less than that one step. */
    unsigned rounds = 0;
    Snapshot *first = session_snapshot(session);
    const uint64_t steps = first->steps;
    snapshot_unref(first);
    for (bool waits = true; waits; rounds++) {
        if (rounds < 1000)
            post(MESSAGE_SELECT, "/Grid", NULL, 0);
        Snapshot *snapshot = session_snapshot(session);
        waits = snapshot->steps == steps;
        snapshot_unref(snapshot);
    }
    assert_true(rounds > 100);
    post(MESSAGE_ANIMATE, NULL, NULL, 0);
    snapshot_unref(session_settle(session));
}

/* All numbers of the surfaces of a picture. */
static GByteArray *drawn(const DvPicture *picture)
{
    GByteArray *bytes = g_byte_array_new();
    for (uint32_t i = 0; i < picture->surface_count; i++) {
        const DvPictureSurface *surface = &picture->surfaces[i];
        const DvPictureArray *const arrays[] = {surface->positions, surface->normals, surface->triangles};
        for (size_t k = 0; k < G_N_ELEMENTS(arrays); k++)
            if (arrays[k])
                g_byte_array_append(bytes, arrays[k]->at, arrays[k]->count * arrays[k]->bytes);
    }
    return bytes;
}

/* The window reads a picture while the next steps are made, and may keep it for long. */
static void a_published_picture_stays_as_it_is(void **state)
{
    (void)state;
    open_text("<Node name='root' gravity='0 -10 0' dt='0.01'><DefaultAnimationLoop/><Node name='Sheet'>"
              "<EulerImplicitSolver/><CGLinearSolver iterations='50' tolerance='1e-12' threshold='1e-20'/>"
              "<MechanicalObject name='dofs' position='0 0 0  1 0 0  0 1 0'/><UniformMass totalMass='3'/>"
              "<Node name='View'><OglModel name='model' position='0 0 0  1 0 0  0 1 0' triangles='0 1 2'/>"
              "<IdentityMapping input='@../dofs' output='@model'/></Node></Node></Node>");
    post(MESSAGE_PACE, NULL, NULL, 0);
    Snapshot *first = session_settle(session);
    assert_non_null(first->picture);
    GByteArray *before = drawn(first->picture);
    assert_true(before->len >= 9 * sizeof(float) + 3 * sizeof(uint32_t));
    post(MESSAGE_ANIMATE, NULL, NULL, 1);
    unsigned others = 0;
    for (uint64_t steps = 0; others < 5;) {
        Snapshot *snapshot = session_snapshot(session);
        GByteArray *now = drawn(snapshot->picture), *kept = drawn(first->picture);
        assert_memory_equal(kept->data, before->data, before->len);
        if (snapshot->steps > steps) {
            assert_memory_not_equal(now->data, before->data, before->len); /* it falls */
            others++;
            steps = snapshot->steps;
        }
        g_byte_array_unref(now);
        g_byte_array_unref(kept);
        snapshot_unref(snapshot);
    }
    post(MESSAGE_ANIMATE, NULL, NULL, 0);
    snapshot_unref(session_settle(session));
    post(MESSAGE_CLOSE, NULL, NULL, 0);
    snapshot_unref(session_settle(session));
    GByteArray *kept = drawn(first->picture); /* also when its scene has gone */
    assert_memory_equal(kept->data, before->data, before->len);
    g_byte_array_unref(kept);
    g_byte_array_unref(before);
    snapshot_unref(first);
}

static void a_scene_that_shows_nothing_shows_its_bodies_and_says_so(void **state)
{
    (void)state;
    open_text(
        "<Node name='root' gravity='0 0 0' dt='0.01'><DefaultAnimationLoop/><EulerExplicitSolver/>"
        "<MeshTopology position='0 0 0  1 0 0  0 1 0' triangles='0 1 2'/><MechanicalObject/><UniformMass totalMass='3'/></Node>");
    Snapshot *snapshot = session_settle(session);
    assert_true(snapshot->picture->shows_bodies && snapshot->picture->batch_count > 0);
    assert_true(was_said("the scene shows nothing by itself"));
    snapshot_unref(snapshot);
    Message flags = {.kind = MESSAGE_FLAGS}; /* who chooses sees what he has chosen */
    flags.numbers[DV_DISPLAY_COLLISION_MODELS] = 1;
    session_post(session, &flags);
    snapshot = session_settle(session);
    assert_false(snapshot->picture->shows_bodies);
    assert_int_equal(snapshot->picture->batch_count, 0);
    snapshot_unref(snapshot);
    flags.numbers[DV_DISPLAY_COLLISION_MODELS] = 0;
    session_post(session, &flags);
    snapshot_unref(session_settle(session));
}

static void plots_follow_fields_and_are_exported(void **state)
{
    (void)state;
    char *file = in_folder("plots.csv");
    open_text(
        "<Node name='root' gravity='0 0 0' dt='0.5'><DefaultAnimationLoop/><EulerExplicitSolver/>"
        "<MechanicalObject name='dofs' position='0 0 0  1 2 3' velocity='0 0 0  2 0 -1'/><UniformMass totalMass='1'/></Node>");
    post(MESSAGE_PLOT, "/dofs.position", NULL, 1);
    snapshot_unref(make_steps(3));
    post(MESSAGE_EXPORT, NULL, file, 0);
    Snapshot *snapshot = session_settle(session);
    assert_int_equal(snapshot->plots->len, 1);
    const PlotView *plot = g_ptr_array_index(snapshot->plots, 0);
    assert_int_equal(plot->curves, 3);
    assert_int_equal(plot->count, 4); /* as it was, and three steps */
    assert_true(plot->values[0][3] == 4.0f && plot->values[2][3] == 1.5f && plot->times[3] == 1.5f);
    char *text = get(file);
    assert_string_equal(text, "time,\"/dofs.position[1].0\",\"/dofs.position[1].1\",\"/dofs.position[1].2\"\n"
                              "0,1,2,3\n0.5,2,2,2.5\n1,3,2,2\n1.5,4,2,1.5\n");
    snapshot_unref(snapshot);
    post(MESSAGE_PLOT, "/dofs.name", NULL, 0);
    snapshot_unref(session_settle(session));
    assert_true(was_said("no numbers that could be plotted"));
    g_free(text);
    g_free(file);
}

/* While nothing moves there is one sample of a time, however many plots are added; the last one of all has what there is now. */
static void a_plot_that_is_added_while_paused_adds_no_sample_to_the_others(void **state)
{
    (void)state;
    open_text(
        "<Node name='root' gravity='0 0 0' dt='0.5'><DefaultAnimationLoop/><EulerExplicitSolver/>"
        "<MechanicalObject name='dofs' position='1 2 3' velocity='2 0 -1'/><UniformMass name='mass' totalMass='1'/></Node>");
    post(MESSAGE_PLOT, "/dofs.position", NULL, 0);
    post(MESSAGE_PLOT, "/dofs.velocity", NULL, 0);
    snapshot_unref(make_steps(2));
    post(MESSAGE_EDIT, "/mass.totalMass", "3", 0);
    post(MESSAGE_PLOT, "/mass.totalMass", NULL, 0);
    post(MESSAGE_EDIT, "/mass.totalMass", "4", 0);
    post(MESSAGE_PLOT, "/mass.totalMass", NULL, 0);
    Snapshot *snapshot = session_settle(session);
    assert_int_equal(snapshot->plots->len, 3);
    for (guint i = 0; i < 3; i++) {
        const PlotView *plot = g_ptr_array_index(snapshot->plots, i);
        assert_int_equal(plot->count, 3);
        for (uint32_t k = 0; k < 3; k++)
            assert_true(plot->times[k] == 0.5f * (float)k);
    }
    const PlotView *place = g_ptr_array_index(snapshot->plots, 0), *mass = g_ptr_array_index(snapshot->plots, 2);
    assert_true(place->values[0][0] == 1 && place->values[0][2] == 3);
    assert_true(isnan(mass->values[0][1]) && mass->values[0][2] == 4);
    snapshot_unref(snapshot);
}

/* The last element of a list, whose field has other numbers once the file was changed and is read again. */
static void a_plot_has_no_numbers_that_are_not_there(void **state)
{
    (void)state;
    char *file = in_folder("plots.csv");
    open_text("<Node name='root' gravity='0 0 0' dt='0.5'><DefaultAnimationLoop/><EulerExplicitSolver/>"
              "<MechanicalObject name='dofs' position='0 0 0  1 2 3'/><UniformMass totalMass='1'/></Node>");
    post(MESSAGE_PLOT, "/dofs.position", NULL, 1);
    post(MESSAGE_PLOT, "/dofs.position", NULL, 2);
    snapshot_unref(make_steps(1));
    post(MESSAGE_EXPORT, NULL, file, 0);
    Snapshot *snapshot = session_settle(session);
    const PlotView *last = g_ptr_array_index(snapshot->plots, 0), *behind = g_ptr_array_index(snapshot->plots, 1);
    for (uint32_t c = 0; c < 3; c++)
        assert_true(last->values[c][1] == (float)(1 + c) && isnan(behind->values[c][1]));
    char *text = get(file);
    assert_non_null(strstr(text, "\n0.5,1,2,3,,,\n"));
    g_free(text);
    snapshot_unref(snapshot);

    char *scene =
        put("scene.scn", "<Node name='root' gravity='0 0 0' dt='0.5'><DefaultAnimationLoop/><EulerExplicitSolver/>"
                         "<MechanicalObject name='dofs' template='Vec2d' position='0 0  4 5  6 7'/>"
                         "<UniformMass totalMass='1'/></Node>");
    post(MESSAGE_RELOAD, NULL, NULL, 0);
    snapshot_unref(make_steps(1));
    post(MESSAGE_EXPORT, NULL, file, 0);
    snapshot_unref(session_settle(session));
    text = get(file);
    assert_non_null(strstr(text, "\n0,4,5,,6,7,\n0.5,4,5,,6,7,\n"));
    g_free(text);
    g_free(scene);
    g_free(file);
}

/* What a message may not replace if it says so, and what none may. */
static void files_that_are_there_stay(void **state)
{
    (void)state;
    static const MessageKind kinds[] = {MESSAGE_SAVE, MESSAGE_EXPORT, MESSAGE_RECORD};
    char *part = put("part.xml", "<Node name='part'><MechanicalObject name='dofs' position='0 0 0'/></Node>");
    char *mesh = put("tri.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    char *hard = in_folder("hard.scn"), *soft = in_folder("soft.scn"), *old = put("old.scn", "old");
    open_text("<Node name='root' dt='0.5'><DefaultAnimationLoop/><EulerExplicitSolver/><include href='part.xml'/>"
              "<MeshOBJLoader name='mesh' filename='tri.obj'/></Node>");
    char *scene = in_folder("scene.scn"), *text = get(scene);
    assert_int_equal(link(part, hard), 0);
    assert_int_equal(symlink(mesh, soft), 0);
    const char *const never[] = {part, mesh, hard, soft};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        for (size_t i = 0; i < sizeof never / sizeof *never; i++) {
            char *before = get(never[i]);
            post(kinds[k], NULL, never[i], 0);
            snapshot_unref(session_settle(session));
            assert_true(was_said("is a file that the open scene is made from"));
            char *after = get(never[i]);
            assert_string_equal(before, after);
            g_free(before);
            g_free(after);
        }
        post(kinds[k], NULL, old, 1);
        post(kinds[k], NULL, scene, kinds[k] == MESSAGE_SAVE);
        snapshot_unref(session_settle(session));
        assert_true(was_said("exists already and stays as it is"));
        char *after = get(old), *same = get(scene);
        assert_string_equal(after, "old");
        assert_string_equal(same, text);
        g_free(after);
        g_free(same);
    }
    post(MESSAGE_SAVE, NULL, old, 0);
    snapshot_unref(session_settle(session));
    char *after = get(old);
    assert_non_null(strstr(after, "<Node"));
    post(MESSAGE_SAVE, NULL, scene, 0);
    Snapshot *snapshot = session_settle(session);
    char *saved = get(scene);
    assert_non_null(strstr(saved, "<Node"));
    assert_string_not_equal(saved, text);
    assert_string_equal(g_ptr_array_index(snapshot->reads, 0), scene);
    snapshot_unref(snapshot);
    char *const files[] = {part, mesh, hard, soft, old, scene, text, after, saved};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        g_free(files[i]);
}

static void a_saved_scene_opens_with_the_same_states(void **state)
{
    (void)state;
    char *file = in_folder("saved.scn");
    open_text(string_scene);
    snapshot_unref(make_steps(9));
    post_ray(MESSAGE_GRAB, GRAB_SPRING, (double[]){1.9, 0, 10}, (double[]){0, 0, -1}, 100);
    post(MESSAGE_SAVE, NULL, file, 0);
    Snapshot *snapshot = session_settle(session);
    const uint64_t hash = snapshot->hash;
    assert_false(snapshot->grab.active);
    snapshot_unref(snapshot);
    post(MESSAGE_OPEN, NULL, file, 0);
    snapshot = session_settle(session);
    assert_true(snapshot->hash == hash);
    assert_null(tree_find(snapshot->tree, "/Mouse"));
    snapshot_unref(snapshot);
    g_free(file);
}

static void removing_and_switching_off_are_changes(void **state)
{
    (void)state;
    open_text(string_scene);
    post(MESSAGE_ACTIVATE, "/Body", NULL, 0);
    post(MESSAGE_DELETE, "/String/springs", NULL, 0);
    post(MESSAGE_DELETE, "/", NULL, 0);
    Snapshot *snapshot = make_steps(2);
    assert_null(tree_find(snapshot->tree, "/String/springs"));
    assert_false(tree_find(snapshot->tree, "/Body")->is_active);
    assert_true(was_said("the root cannot be removed"));
    snapshot_unref(snapshot);
}

/* Of each change in turn: what was there is there again, with the bits of that time, and steps go on as they would have gone. */
static void what_is_undone_has_not_been(void **state)
{
    (void)state;
    static const struct {
        MessageKind kind;
        const char *path, *text;
    } changes[] = {
        {MESSAGE_DELETE, "/String/springs", NULL}, {MESSAGE_DELETE, "/String/dofs", NULL},
        {MESSAGE_DELETE, "/String", NULL},         {MESSAGE_ACTIVATE, "/String", NULL},
        {MESSAGE_EDIT, "/.gravity", "0 3 0"},      {MESSAGE_RESET, NULL, NULL},
    };
    open_text(string_scene);
    Snapshot *snapshot = make_steps(5);
    const uint64_t before = snapshot->hash;
    snapshot_unref(snapshot);
    snapshot = make_steps(5);
    const uint64_t after = snapshot->hash;
    snapshot_unref(snapshot);
    for (size_t i = 0; i < G_N_ELEMENTS(changes); i++) {
        open_text(string_scene);
        snapshot_unref(make_steps(5));
        for (int again = 0; again < 2; again++) {
            post(changes[i].kind, changes[i].path, changes[i].text, 0);
            snapshot = make_steps(3);
            assert_true(snapshot->hash != before);
            snapshot_unref(snapshot);
            post(MESSAGE_UNDO, NULL, NULL, 0);
            snapshot = session_settle(session);
            assert_true(snapshot->hash == before);
            assert_non_null(tree_find(snapshot->tree, "/String/springs"));
            assert_true(tree_find(snapshot->tree, "/String")->is_active);
            snapshot_unref(snapshot);
        }
        snapshot = make_steps(5);
        assert_true(snapshot->hash == after);
        snapshot_unref(snapshot);
    }
    assert_true(was_said("undone: delete"));
    post(MESSAGE_DELETE, "/", NULL, 0); /* refused: there is no change to undo */
    post(MESSAGE_UNDO, NULL, NULL, 0);
    snapshot_unref(session_settle(session));
    assert_true(was_said("there is nothing to undo"));
}

/* What a picture shows is told apart by more than its name: so the outline is around what is selected, and nothing else. */
static void two_of_a_name_are_told_apart_in_the_picture(void **state)
{
    (void)state;
    open_text("<Node name='root'><DefaultAnimationLoop/>"
              "<Node name='A'><OglModel name='model' position='0 0 0  1 0 0  0 1 0' triangles='0 1 2'/></Node>"
              "<Node name='A'><OglModel name='model' position='0 0 1  1 0 1  0 1 1' triangles='0 1 2'/></Node></Node>");
    Snapshot *snapshot = session_settle(session);
    assert_int_equal(snapshot->picture->surface_count, 2);
    for (uint32_t i = 0; i < 2; i++)
        assert_string_equal(tree_find(snapshot->tree, snapshot->picture->surfaces[i].path)->path,
                            i ? "/A[2]/model" : "/A/model");
    snapshot_unref(snapshot);
}

/* Until so many steps are made, looks at what is said of their pace: however fast it goes, the figures fit each other. */
static void watch_pace(uint64_t steps)
{
    for (bool runs = true; runs;) {
        Snapshot *snapshot = session_snapshot(session);
        runs = snapshot->steps < steps;
        if (snapshot->animates && snapshot->steps_a_second > 0) {
            assert_true(snapshot->step_seconds > 0);
            assert_true(snapshot->step_seconds * snapshot->steps_a_second <= 1 + 1e-9);
            assert_true(fabs(snapshot->real_time_factor - 0.01 * snapshot->steps_a_second) <=
                        1e-9 * snapshot->real_time_factor);
        }
        snapshot_unref(snapshot);
        g_usleep(500);
    }
}

static void the_pace_is_that_of_the_clock_or_none(void **state)
{
    (void)state;
    open_text(string_scene);
    post(MESSAGE_PACE, NULL, NULL, 0);
    post(MESSAGE_ANIMATE, NULL, NULL, 1);
    snapshot_unref(session_settle(session));
    watch_pace(200);
    post(MESSAGE_ANIMATE, NULL, NULL, 0);
    post(MESSAGE_PACE, NULL, NULL, 1);
    Snapshot *snapshot = session_settle(session);
    assert_false(snapshot->animates);
    assert_true(snapshot->step_seconds > 0 && snapshot->real_time && snapshot->hash);
    assert_true(snapshot->steps_a_second == 0 && snapshot->real_time_factor == 0);
    /* Steps of 0.01 s: the first at once, the twentieth after 0.19 s, or later. */
    const uint64_t made = snapshot->steps;
    const gint64 begin = g_get_monotonic_time();
    snapshot_unref(snapshot);
    post(MESSAGE_ANIMATE, NULL, NULL, 1);
    watch_pace(made + 20);
    assert_true(g_get_monotonic_time() - begin >= 189000);
    post(MESSAGE_ANIMATE, NULL, NULL, 0);
    snapshot_unref(session_settle(session));
}

/* Views become places of the scene's camera, which then passes them: it starts at the first, a camera's way through two takes its time. */
static void a_camera_passes_the_views_that_were_added(void **state)
{
    (void)state;
    static const double views[2][7] = {{0, 0, 10, 0, 0, 0, 1}, {4, 2, 10, 0, 0.6, 0, 0.8}};
    char *file = in_folder("work.session");
    open_text(
        "<Node name='root' dt='0.5'><DefaultAnimationLoop/>"
        "<RecordedCamera name='tour' position='1 1 1' orientation='0 0 0 1' endTime='4'/><MechanicalObject position='0 0 0'/></Node>");
    post(MESSAGE_RECORD, NULL, file, 0);
    post(MESSAGE_NAVIGATE, NULL, NULL, 0);
    post(MESSAGE_SELECT, "/tour", NULL, 0);
    Snapshot *snapshot = session_settle(session);
    assert_true(was_said("cameraPositions: give the places that it passes"));
    assert_string_equal(field_of(snapshot, "navigationMode")->text, "false");
    snapshot_unref(snapshot);
    for (int i = 0; i < 2; i++) {
        Message message = {.kind = MESSAGE_VIEWPOINT};
        memcpy(message.numbers, views[i], sizeof views[i]);
        session_post(session, &message);
    }
    post(MESSAGE_NAVIGATE, NULL, NULL, 0);
    snapshot = session_settle(session);
    assert_string_equal(field_of(snapshot, "cameraPositions")->text, "0 0 10 4 2 10");
    assert_string_equal(field_of(snapshot, "cameraOrientations")->text, "0 0 0 1 0 0.6 0 0.8");
    assert_string_equal(field_of(snapshot, "navigationMode")->text, "true");
    snapshot_unref(snapshot);
    snapshot = make_steps(3); /* the last began after 1 s of the 4 */
    if (snapshot->picture) {
        assert_int_equal(snapshot->picture->camera_count, 1);
        const double *at = snapshot->picture->cameras[0].camera.position;
        assert_true(fabs(at[0] - 1) < 1e-9 && fabs(at[1] - 0.5) < 1e-9 && fabs(at[2] - 10) < 1e-9);
    }
    snapshot_unref(snapshot);
    post(MESSAGE_NAVIGATE, NULL, NULL, 0);
    snapshot = session_settle(session);
    assert_string_equal(field_of(snapshot, "navigationMode")->text, "false");
    snapshot_unref(snapshot);
    post(MESSAGE_RECORD_END, NULL, NULL, 0);
    snapshot_unref(session_settle(session));
    char *text = get(file);
    assert_non_null(strstr(text, "\n0 viewpoint 4 2 10 0 0.6 0 0.8\n0 navigate\n"));
    g_free(text);
    g_free(file);
    open_text(string_scene);
    post(MESSAGE_NAVIGATE, NULL, NULL, 0);
    snapshot_unref(session_settle(session));
    assert_true(was_said("the scene has no camera that follows a path; add a RecordedCamera"));
}

/* What the scene says of its viewer is in each snapshot, also after a change; of two settings for one button the last one counts. */
static void the_scene_says_how_a_viewer_begins(void **state)
{
    (void)state;
    open_text(
        "<Node name='root' dt='0.01'><DefaultAnimationLoop/><VisualStyle displayFlags='hideAll'/>"
        "<ViewerSetting name='look' resolution='640 360' fullscreen='1' cameraMode='Orthographic' "
        "objectPickingMethod='Selection buffer' showSelectedObjectBoundingBox='0' showSelectedObjectIndices='0' "
        "showSelectedVisualScaling='0.05'/><ConstraintAttachButtonSetting button='Left'/>"
        "<AttachBodyButtonSetting button='Middle' stiffness='7' arrowSize='0.1' showFactorSize='3'/>"
        "<AttachBodyButtonSetting button='Right' stiffness='5'/><FixPickedParticleButtonSetting button='Right' stiffness='9'/>"
        "<StatsSetting logTime='1' dumpState='1'/><SofaDefaultPathSetting gnuplotPath='/x'/>"
        "<MechanicalObject name='dofs' position='0 0 0  1 0 0'/></Node>");
    post(MESSAGE_SELECT, "/dofs", NULL, 0);
    Snapshot *snapshot = session_settle(session);
    const SceneSettings *settings = &snapshot->settings;
    assert_int_equal(settings->look.width, 640);
    assert_int_equal(settings->look.height, 360);
    assert_true(settings->look.fullscreen && settings->look.orthographic);
    assert_true(settings->look.marks_node_box && !settings->look.marks_box && settings->look.marks_positions);
    assert_true(settings->look.marks_surfaces && settings->look.marks_volumes && !settings->look.marks_indices);
    assert_true(settings->look.mark_size == 0.05);
    static const DvMouseAction actions[3] = {
        [DV_MOUSE_LEFT] = DV_MOUSE_CONSTRAIN, [DV_MOUSE_MIDDLE] = DV_MOUSE_PULL, [DV_MOUSE_RIGHT] = DV_MOUSE_FIX};
    for (int i = 0; i < 3; i++) {
        assert_true(settings->binds[i]);
        assert_int_equal(settings->bindings[i].action, actions[i]);
    }
    assert_true(settings->bindings[DV_MOUSE_MIDDLE].stiffness == 7 &&
                settings->bindings[DV_MOUSE_RIGHT].stiffness == 9);
    assert_true(settings->bindings[DV_MOUSE_MIDDLE].arrow_size == 0.1 &&
                settings->bindings[DV_MOUSE_MIDDLE].arrow_scale == 3);
    assert_true(was_said("things are picked by a ray in any case"));
    assert_true(was_said("`divan run --dump FILE` writes states") && was_said("`divan bench` times the steps"));
    /* The picture has the marks of what is selected, the two points, over the points of a scene that shows nothing else. */
    assert_int_equal(snapshot->picture->batch_count, 2);
    assert_int_equal(snapshot->picture->batches[1].kind, DV_BATCH_POINTS);
    assert_true(snapshot->picture->batches[1].draw_state & DV_DRAW_ON_TOP);
    assert_int_equal(snapshot->picture->batches[1].array->count, 2);
    snapshot_unref(snapshot);
    post(MESSAGE_EDIT, "/look.showSelectedObjectIndices", "1", 0);
    post(MESSAGE_EDIT, "/look.showSelectedObjectPositions", "0", 0);
    snapshot = session_settle(session);
    assert_int_equal(snapshot->picture->batch_count, 1);
    assert_int_equal(snapshot->picture->text_count, 2);
    snapshot_unref(snapshot);
    post(MESSAGE_SELECT, "", NULL, 0);
    snapshot = session_settle(session);
    assert_int_equal(snapshot->picture->text_count, 0);
    assert_null(snapshot->object);
    snapshot_unref(snapshot);
    open_text(string_scene); /* which says nothing */
    snapshot = session_settle(session);
    static const SceneSettings nothing;
    assert_memory_equal(&snapshot->settings, &nothing, sizeof nothing);
    snapshot_unref(snapshot);
}

/* A second recording ends the first one, which is whole then; each has all from the opening on. */
static void a_recording_ends_where_another_begins(void **state)
{
    (void)state;
    char *first = in_folder("work.session"), *second = in_folder("bad.session");
    open_text(string_scene);
    post(MESSAGE_RECORD, NULL, first, 0);
    post(MESSAGE_EDIT, "/.gravity", "0 -3 0", 0);
    snapshot_unref(make_steps(2));
    post(MESSAGE_RECORD, NULL, second, 0);
    Snapshot *snapshot = session_settle(session);
    assert_string_equal(snapshot->recording, second);
    snapshot_unref(snapshot);
    snapshot_unref(make_steps(1));
    post(MESSAGE_RESET, NULL, NULL, 0);
    post(MESSAGE_RECORD_END, NULL, NULL, 0);
    snapshot = session_settle(session);
    assert_null(snapshot->recording);
    snapshot_unref(snapshot);
    char *one = get(first), *two = get(second);
    assert_non_null(strstr(one, "\n0 edit \"/.gravity\" \"0 -3 0\"\n2 end "));
    assert_non_null(strstr(two, "\n0 edit \"/.gravity\" \"0 -3 0\"\n3 reset\n3 end "));
    g_free(one);
    g_free(two);
    g_free(first);
    g_free(second);
}

static void many_scenes_come_and_go(void **state)
{
    (void)state;
    char *file = put("scene.scn", string_scene);
    for (int i = 0; i < 100; i++) {
        post(i % 3 == 2 ? MESSAGE_RELOAD : MESSAGE_OPEN, NULL, file, 0);
        post(MESSAGE_SELECT, "/String/dofs", NULL, 0);
        post(MESSAGE_PLOT, "/String/dofs.position", NULL, 1);
        post_ray(MESSAGE_GRAB, i % 2 ? GRAB_SPRING : GRAB_FIX, (double[]){1.9, 0, 10}, (double[]){0, 0, -1}, 100);
        snapshot_unref(make_steps(2));
        if (i % 3 == 0)
            post(MESSAGE_CLOSE, NULL, NULL, 0);
    }
    snapshot_unref(session_settle(session));
    g_free(file);
}

/* Rays */

static void a_ray_meets_the_nearest_triangle(void **state)
{
    (void)state;
    DvScene *scene = NULL;
    static const char text[] =
        "<Node><DefaultAnimationLoop/><CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/><MinProximityIntersection alarmDistance='0.2' contactDistance='0.1'/><CollisionResponse response='PenalityContactForceField'/>"
        "<Node name='Sheet'><EulerImplicitSolver/><CGLinearSolver iterations='9' tolerance='1e-9' threshold='1e-9'/><MeshTopology position='0 0 0  4 0 0  0 4 0  0 0 -2  4 0 -2  0 4 -2' triangles='0 1 2  3 4 5'/>"
        "<MechanicalObject name='dofs'/><UniformMass totalMass='1'/><TriangleCollisionModel name='model'/></Node></Node>";
    assert_int_equal(dv_scene_load_text(text, strlen(text), "text", NULL, NULL, &scene), DV_OK);
    const Ray down = {{1, 1, 5}, {0, 0, -1}};
    Hit hit = {0};
    assert_true(pick(scene, &down, &hit));
    assert_non_null(hit.model);
    assert_int_equal(hit.element, 0);
    assert_true(fabs(hit.depth - 5) < 1e-12);
    double sum = 0, at[3] = {0};
    const DvConstVec x = dv_state_read(dv_state_ref(hit.state), DV_POSITION);
    for (uint32_t i = 0; i < hit.count; i++) {
        sum += hit.weights[i];
        for (int c = 0; c < 3; c++)
            at[c] += hit.weights[i] * x.at[3 * hit.points[i] + (uint32_t)c];
    }
    assert_true(fabs(sum - 1) < 1e-12 && fabs(at[0] - 1) < 1e-12 && fabs(at[1] - 1) < 1e-12);
    assert_true(pick(scene, &(Ray){{1, 1, -5}, {0, 0, 1}}, &hit));
    assert_int_equal(hit.element, 1);
    assert_true(pick(scene, &(Ray){{3.9, 3.9, 5}, {0, 0, -1}}, &hit)); /* past both: the nearest particle */
    assert_null(hit.model);
    dv_scene_free(scene);
}

/* Elements */

static DvScene *block_of(const char *text, DvTopologyRef *mesh)
{
    DvScene *scene = NULL;
    assert_int_equal(dv_scene_load_text(text, strlen(text), "text", NULL, NULL, &scene), DV_OK);
    mesh->object = dv_node_resolve(dv_scene_root(scene), NULL, "@/Block/mesh", NULL);
    mesh->ops = dv_object_ops(mesh->object, DV_TOPOLOGY);
    mesh->self = dv_object_self(mesh->object);
    return scene;
}

static DvScene *block_new(DvTopologyRef *mesh)
{
    return block_of(block_scene, mesh);
}

static uint32_t root_of(uint32_t *parents, uint32_t point)
{
    while (parents[point] != point)
        point = parents[point] = parents[parents[point]];
    return point;
}

/* How many bodies the tetrahedra make that hang together by their points. */
static unsigned pieces_of(const DvTopologyRef *mesh)
{
    const DvElements all = dv_topology_elements(mesh, DV_TETRAHEDRA);
    const uint32_t points = mesh->ops->point_count(mesh->self);
    uint32_t *parents = g_new(uint32_t, points);
    unsigned pieces = points;
    for (uint32_t p = 0; p < points; p++)
        parents[p] = p;
    for (size_t i = 0; i < 4 * (size_t)all.count; i++) {
        const uint32_t a = root_of(parents, all.at[i]), b = root_of(parents, all.at[i / 4 * 4]);
        pieces -= a != b;
        parents[a] = b;
    }
    g_free(parents);
    return pieces;
}

/* A triangle of the border is what is met; the tetrahedron behind it goes. */
static void a_hand_removes_the_element_that_it_points_at(void **state)
{
    (void)state;
    static const double origin[3] = {0.52, 0.27, 3};
    DvTopologyRef mesh = {0};
    DvScene *scene = block_new(&mesh);
    Hand *hand = hand_new();
    const Ray down = {{origin[0], origin[1], origin[2]}, {0, 0, -1}};
    Hit before, after;
    const uint32_t count = dv_topology_elements(&mesh, DV_TETRAHEDRA).count;
    const uint64_t revision = mesh.ops->revision(mesh.self);
    assert_true(pick(scene, &down, &before));
    assert_true(fabs(before.depth - 2.5) < 1e-12);
    assert_true(hand_grab(hand, scene, GRAB_REMOVE, &down, 1));
    assert_int_equal(dv_topology_elements(&mesh, DV_TETRAHEDRA).count, count - 1);
    assert_true(mesh.ops->revision(mesh.self) > revision);
    assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    assert_true(pick(scene, &down, &after));
    assert_true(after.depth > before.depth + 0.01); /* there is a hole */
    hand_free(hand);
    dv_scene_free(scene);
}

/* Without a collision model the nearest element of the mesh on the ray goes. Of two tetrahedra one behind the other: the front one. */
static void an_element_goes_without_a_collision_model(void **state)
{
    (void)state;
    static const struct {
        double z;
        bool up;
        double stays; /* the height of the other one */
    } rays[] = {{9, false, 0}, {-9, true, 3}};
    for (size_t i = 0; i < G_N_ELEMENTS(rays); i++) {
        static const char text[] =
            "<Node><DefaultAnimationLoop/><Node name='Block'><EulerImplicitSolver/><CGLinearSolver/>"
            "<MechanicalObject name='dofs' position='0 0 0  2 0 0  0 2 0  0 0 1   0 0 3  2 0 3  0 2 3  0 0 4'/>"
            "<TetrahedronSetTopologyContainer name='mesh' tetrahedra='0 1 2 3  4 5 6 7'/><TetrahedronSetTopologyModifier/>"
            "<UniformMass totalMass='1'/></Node></Node>";
        DvTopologyRef mesh = {0};
        DvScene *scene = block_of(text, &mesh);
        const DvStateRef dofs = dv_state_ref(dv_node_resolve(dv_scene_root(scene), NULL, "@/Block/dofs", NULL));
        Hand *hand = hand_new();
        const Ray ray = {{0.3, 0.3, rays[i].z}, {0, 0, rays[i].up ? 1 : -1}}, past = {{1.9, 1.9, 9}, {0, 0, -1}};
        assert_false(hand_grab(hand, scene, GRAB_REMOVE, &past, 1));
        assert_int_equal(dv_topology_elements(&mesh, DV_TETRAHEDRA).count, 2);
        assert_true(hand_grab(hand, scene, GRAB_REMOVE, &ray, 1));
        const DvElements left = dv_topology_elements(&mesh, DV_TETRAHEDRA);
        assert_int_equal(left.count, 1);
        assert_true(dv_state_read(dofs, DV_POSITION).at[3 * (size_t)left.at[0] + 2] == rays[i].stays);
        hand_free(hand);
        dv_scene_free(scene);
    }
}

static void expect_same_array(const DvPictureArray *a, const DvPictureArray *b)
{
    assert_int_equal(a != NULL, b != NULL);
    if (!a)
        return;
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->bytes, b->bytes);
    assert_memory_equal(a->at, b->at, (size_t)a->count * a->bytes);
}

/* Everything that there is to show, of a mesh that has changed since the last step: what the saved scene shows, whose components have seen
 * no other mesh. */
static void a_picture_is_that_of_the_mesh_as_it_is_now(void **state)
{
    (void)state;
    char *file = in_folder("saved.scn");
    Message flags = {.kind = MESSAGE_FLAGS};
    for (int i = 0; i < DV_DISPLAY_FLAGS; i++)
        flags.numbers[i] = i != DV_DISPLAY_WIREFRAME;
    session_post(session, &flags);
    open_text(
        "<Node name='root' gravity='0 0 0' dt='0.01'><DefaultAnimationLoop/><CollisionPipeline/><BruteForceBroadPhase/>"
        "<BVHNarrowPhase/><MinProximityIntersection alarmDistance='0.02' contactDistance='0.01'/>"
        "<CollisionResponse response='PenalityContactForceField'/>"
        "<RegularGridTopology name='grid' n='6 4 4' min='0 0 0' max='1 0.5 0.5'/><Node name='Block'>"
        "<EulerImplicitSolver/><CGLinearSolver iterations='100' tolerance='1e-12' threshold='1e-20'/>"
        "<TetrahedronSetTopologyContainer name='mesh'/><TetrahedronSetTopologyModifier/>"
        "<TetrahedronSetGeometryAlgorithms drawTetrahedra='1' drawEdges='1' drawTriangles='1'/>"
        "<Hexa2TetraTopologicalMapping input='@/grid' output='@mesh' swapping='1'/>"
        "<MechanicalObject name='dofs' position='@/grid.position' showObject='1' showVectors='1'/>"
        "<DiagonalMass massDensity='1000' showGravityCenter='1'/>"
        "<TetrahedronFEMForceField youngModulus='1e4' poissonRatio='0.3'/><MeshSpringForceField linesStiffness='1'/>"
        "<ConstantForceField indices='0 95' forces='-20 0 0  20 0 0' showArrowSize='0.01'/>"
        "<FixedProjectiveConstraint indices='0 1 2 3 4 5 20 90'/><Node name='Border'>"
        "<TriangleSetTopologyContainer name='border'/><TriangleSetTopologyModifier/>"
        "<TriangleSetGeometryAlgorithms drawTriangles='1' drawNormals='1' drawNormalLength='0.1'/>"
        "<Tetra2TriangleTopologicalMapping input='@../mesh' output='@border'/>"
        "<TrianglePressureForceField pressure='0 0 1'/><TriangularBendingSprings stiffness='1'/>"
        "<TriangleCollisionModel/><LineCollisionModel/><PointCollisionModel/><OglModel name='skin'/>"
        "<IdentityMapping input='@../dofs' output='@skin'/></Node></Node></Node>");
    snapshot_unref(session_settle(session));
    for (int i = 0; i < 8; i++) /* near a corner, whose points go with the last element around them */
        post_ray(MESSAGE_GRAB, GRAB_REMOVE, (double[]){0.02 + 0.03 * (i % 2), 0.03 + 0.02 * (i / 2 % 2), 3},
                 (double[]){0, 0, -1}, 1);
    Snapshot *now = session_settle(session);
    post(MESSAGE_SAVE, NULL, file, 0);
    post(MESSAGE_OPEN, NULL, file, 0);
    Snapshot *saved = session_settle(session);
    const DvPicture *a = now->picture, *b = saved->picture;
    assert_true(now->hash == saved->hash);
    assert_non_null(a);
    assert_true(a->batch_count >= 4 && a->surface_count == 1);
    assert_int_equal(a->batch_count, b->batch_count);
    assert_int_equal(a->surface_count, b->surface_count);
    for (uint32_t i = 0; i < a->batch_count; i++) {
        assert_int_equal(a->batches[i].kind, b->batches[i].kind);
        expect_same_array(a->batches[i].array, b->batches[i].array);
    }
    snapshot_unref(now);
    snapshot_unref(saved);
    g_free(file);
}

/* From beside the block through to its other side, as the mouse does it. */
static void post_cut(void)
{
    post_ray(MESSAGE_GRAB, GRAB_CUT, (double[]){0.43, -0.2, 3}, (double[]){0, 0, -1}, 1);
    for (int i = 1; i <= 4; i++)
        post_ray(MESSAGE_DRAG, 0, (double[]){0.43 + 0.01 * i, -0.2 + 0.23 * i, 3}, (double[]){0, 0, -1}, 0);
    post(MESSAGE_RELEASE, NULL, NULL, 0);
}

static void a_hand_cuts_a_body_into_two(void **state)
{
    (void)state;
    DvTopologyRef mesh = {0};
    DvScene *scene = block_new(&mesh);
    Hand *hand = hand_new();
    const uint32_t count = dv_topology_elements(&mesh, DV_TETRAHEDRA).count;
    assert_int_equal(pieces_of(&mesh), 1);
    assert_true(hand_grab(hand, scene, GRAB_CUT, &(Ray){{0.43, -0.2, 3}, {0, 0, -1}}, 1));
    hand_drag(hand, scene, &(Ray){{0.45, 0.3, 3}, {0, 0, -1}});
    hand_drag(hand, scene, &(Ray){{0.46, 0.7, 3}, {0, 0, -1}});
    assert_int_equal(dv_topology_elements(&mesh, DV_TETRAHEDRA).count, count); /* it is cut when the hand lets go */
    hand_release(hand, scene);
    assert_int_equal(pieces_of(&mesh), 2);
    assert_true(dv_topology_elements(&mesh, DV_TETRAHEDRA).count > count);
    for (int i = 0; i < 5; i++)
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    hand_free(hand);
    dv_scene_free(scene);
}

/* A spike away from the eye, whose farthest point is the first or the last of its points: the blade reaches behind it. */
static void a_cut_goes_through_to_the_farthest_point(void **state)
{
    (void)state;
    static const char *const points[2] = {"0.6 0.2 -8  0 0 0  1 0 0  0 1 0", "0 0 0  0 1 0  1 0 0  0.6 0.2 -8"};
    for (int i = 0; i < 2; i++) {
        DvScene *scene = NULL;
        Hand *hand = hand_new();
        char *text = g_strdup_printf(
            "<Node name='root' gravity='0 0 0' dt='0.01'><DefaultAnimationLoop/><Node name='Block'>"
            "<EulerImplicitSolver/><CGLinearSolver iterations='100' tolerance='1e-12' threshold='1e-20'/>"
            "<TetrahedronSetTopologyContainer name='mesh' position='%s' tetrahedra='0 1 2 3'/>"
            "<TetrahedronSetTopologyModifier/><MechanicalObject name='dofs'/><DiagonalMass massDensity='1000'/></Node></Node>",
            points[i]);
        assert_int_equal(dv_scene_load_text(text, strlen(text), "text", NULL, NULL, &scene), DV_OK);
        DvTopologyRef mesh = {.object = dv_node_resolve(dv_scene_root(scene), NULL, "@/Block/mesh", NULL)};
        mesh.ops = dv_object_ops(mesh.object, DV_TOPOLOGY);
        mesh.self = dv_object_self(mesh.object);
        assert_true(hand_grab(hand, scene, GRAB_CUT, &(Ray){{0.3, -0.2, 1}, {0, 0, -1}}, 1));
        hand_drag(hand, scene, &(Ray){{0.32, 0.3, 1}, {0, 0, -1}});
        hand_drag(hand, scene, &(Ray){{0.34, 0.9, 1}, {0, 0, -1}});
        hand_release(hand, scene);
        assert_int_equal(pieces_of(&mesh), 2);
        hand_free(hand);
        dv_scene_free(scene);
        g_free(text);
    }
}

static void a_cut_is_recorded_and_replayed(void **state)
{
    char *file = in_folder("work.session");
    open_text(block_scene);
    post(MESSAGE_RECORD, NULL, file, 0);
    snapshot_unref(make_steps(2));
    post_ray(MESSAGE_GRAB, GRAB_CUT, (double[]){0.43, -0.2, 3}, (double[]){0, 0, -1}, 1);
    Snapshot *snapshot = session_settle(session);
    assert_true(snapshot->grab.active);
    assert_string_equal(snapshot->grab.what, "/Block/mesh");
    snapshot_unref(snapshot);
    post_cut();
    post_ray(MESSAGE_GRAB, GRAB_REMOVE, (double[]){0.9, 0.27, 3}, (double[]){0, 0, -1}, 1);
    snapshot_unref(make_steps(10));
    post(MESSAGE_SELECT, "/Block/mesh", NULL, 0);
    snapshot = session_settle(session);
    const size_t count = field_of(snapshot, "tetrahedra")->count;
    const uint64_t hash = snapshot->hash;
    assert_true(was_said("elements cut into"));
    snapshot_unref(snapshot);
    post(MESSAGE_RECORD_END, NULL, NULL, 0);
    snapshot_unref(session_settle(session));
    end_session(state);

    begin_session(state);
    post(MESSAGE_PACE, NULL, NULL, 0);
    post(MESSAGE_REPLAY, NULL, file, 0);
    snapshot_unref(session_settle(session));
    snapshot_unref(wait_for_replay());
    assert_true(was_said("the same bits as recorded"));
    post(MESSAGE_SELECT, "/Block/mesh", NULL, 0);
    snapshot = session_settle(session);
    assert_true(snapshot->hash == hash);
    assert_int_equal(field_of(snapshot, "tetrahedra")->count, count);
    snapshot_unref(snapshot);
    g_free(file);
}

static int start(void **state)
{
    (void)state;
    folder = g_dir_make_tmp("divan-view-XXXXXX", NULL);
    return folder && dv_start(NULL) == DV_OK ? 0 : -1;
}

static int stop(void **state)
{
    (void)state;
    static const char *const names[] = {"scene.scn", "work.session", "bad.session", "plots.csv", "saved.scn"};
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        char *file = in_folder(names[i]);
        (void)g_remove(file);
        g_free(file);
    }
    const int result = g_rmdir(folder);
    g_free(folder);
    dv_stop();
    return result;
}

#define SESSION_TEST(test) cmocka_unit_test_setup_teardown(test, begin_session, end_session)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SESSION_TEST(a_run_that_nobody_touches_has_the_bits_of_a_plain_run),
        SESSION_TEST(the_tree_has_every_object_with_its_family),
        SESSION_TEST(a_ray_names_the_body_that_it_meets),
        SESSION_TEST(fields_come_from_the_tables),
        SESSION_TEST(an_edit_is_applied_and_a_bad_one_changes_nothing),
        SESSION_TEST(warnings_of_other_threads_refuse_no_edit),
        SESSION_TEST(a_field_that_is_read_at_load_says_so),
        SESSION_TEST(a_value_that_is_replaced_is_refused),
        SESSION_TEST(an_end_of_an_open_range_is_told),
        SESSION_TEST(one_number_of_a_list_is_edited),
        SESSION_TEST(the_time_step_is_a_field_of_the_root),
        SESSION_TEST(a_pull_is_a_spring_of_its_stiffness),
        SESSION_TEST(a_fixed_point_stays_until_the_reset),
        SESSION_TEST(a_pull_by_a_constraint_has_the_place_where_the_hand_is),
        SESSION_TEST(a_constraint_holds_a_rigid_body),
        SESSION_TEST(what_cannot_be_done_says_what_to_add),
        SESSION_TEST(a_recording_gives_the_same_bits_again),
        SESSION_TEST(recordings_that_are_none_are_refused),
        SESSION_TEST(a_full_disk_ends_a_recording_with_a_message),
        SESSION_TEST(a_recording_that_cannot_begin_is_said),
        SESSION_TEST(a_scene_with_errors_opens_with_its_problems),
        SESSION_TEST(a_slow_step_blocks_no_message),
        SESSION_TEST(a_published_picture_stays_as_it_is),
        SESSION_TEST(a_scene_that_shows_nothing_shows_its_bodies_and_says_so),
        SESSION_TEST(plots_follow_fields_and_are_exported),
        SESSION_TEST(a_plot_that_is_added_while_paused_adds_no_sample_to_the_others),
        SESSION_TEST(a_plot_has_no_numbers_that_are_not_there),
        SESSION_TEST(files_that_are_there_stay),
        SESSION_TEST(a_saved_scene_opens_with_the_same_states),
        SESSION_TEST(removing_and_switching_off_are_changes),
        SESSION_TEST(what_is_undone_has_not_been),
        SESSION_TEST(two_of_a_name_are_told_apart_in_the_picture),
        SESSION_TEST(the_pace_is_that_of_the_clock_or_none),
        SESSION_TEST(a_camera_passes_the_views_that_were_added),
        SESSION_TEST(the_scene_says_how_a_viewer_begins),
        SESSION_TEST(a_recording_ends_where_another_begins),
        SESSION_TEST(many_scenes_come_and_go),
        SESSION_TEST(a_cut_is_recorded_and_replayed),
        SESSION_TEST(a_picture_is_that_of_the_mesh_as_it_is_now),
        cmocka_unit_test(a_ray_meets_the_nearest_triangle),
        cmocka_unit_test(a_hand_removes_the_element_that_it_points_at),
        cmocka_unit_test(an_element_goes_without_a_collision_model),
        cmocka_unit_test(a_hand_cuts_a_body_into_two),
        cmocka_unit_test(a_cut_goes_through_to_the_farthest_point),
    };
    return share_run_group_tests(tests, start, stop);
}
