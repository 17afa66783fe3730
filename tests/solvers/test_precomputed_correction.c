/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * PrecomputedConstraintCorrection: its matrix against motions under unit forces, its files, and what becomes of gravity.
 */
#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <divan/contracts/lagrangian_constraint.h>
#include <divan/divan.h>
#include <divan/embed.h>
#include <divan/log.h>

#include "scene_text.h"

static char folder[] = P_tmpdir "/divan-precomputed-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    DIR *files = opendir(folder);
    for (struct dirent *entry; files && (entry = readdir(files));) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        (void)unlink(path);
    }
    if (files)
        closedir(files);
    (void)rmdir(folder);
    return stop_plugins(state);
}

static void steps(DvScene *scene, int count)
{
    while (count-- > 0)
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
}

static DvText said;
static void keep(const DvMessage *message, void *context)
{
    (void)context;
    dv_message_print(message, &said);
    dv_text_add(&said, "\n");
}

/* The scene, `steps` steps of it, and what was said meanwhile, in `said`. */
static DvScene *listen(const char *text, int count)
{
    dv_text_free(&said);
    dv_text_add(&said, "%s", "");
    dv_log_set_handler(keep, NULL);
    DvScene *scene = scene_from_text(text);
    steps(scene, count);
    dv_log_set_handler(NULL, NULL);
    return scene;
}

static bool was_said(const char *part)
{
    return said.at && strstr(said.at, part);
}

static size_t read_numbers(const char *name, double *numbers, size_t most)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    if (!file)
        return 0;
    const size_t count = fread(numbers, sizeof *numbers, most, file);
    fclose(file);
    return count;
}

static void write_numbers(const char *name, const double *numbers, size_t count)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(numbers, sizeof *numbers, count, file), count);
    fclose(file);
}

/* ---- The matrix ---- */

/* Bodies by their solver, state and what is in their node; N scalars. */
typedef struct Body {
    const char *solvers, *inside;
    uint32_t unknowns, width;
} Body;

#define NET                                                                                                             \
    "<MechanicalObject name='dofs' position='0 0 0  1 0.1 0  0.2 0 1  1.1 0.2 0.9  0.5 0.8 0.5'/>"                      \
    "<UniformMass totalMass='2'/><MeshTopology position='@dofs.position' edges='0 1 0 2 1 3 2 3 0 3 0 4 1 4 2 4 3 4'/>" \
    "<MeshSpringForceField stiffness='800' damping='3'/>"
#define LDL "<SparseLDLSolver template='CompressedRowSparseMatrixMat3x3d'/>"
#define CG  "<CGLinearSolver iterations='12' tolerance='1e-3' threshold='1e-9'/>"

static const Body bodies[] = {
    {"<EulerImplicitSolver rayleighStiffness='0.05' rayleighMass='0.1'/>" LDL, NET, 15, 3},
    {"<EulerImplicitSolver rayleighStiffness='0.05'/>" CG, NET, 15, 3},
    {"<EulerImplicitSolver trapezoidalScheme='1' vdamping='4'/>" LDL, NET, 15, 3},
    {"<EulerImplicitSolver firstOrder='1'/>" LDL, NET, 15, 3},
    {"<EulerImplicitSolver/>" LDL, NET "<FixedProjectiveConstraint indices='0 3'/>", 15, 3},
    {"<EulerImplicitSolver/>" CG,
     "<MechanicalObject name='dofs' template='Vec1d' position='1 2 4'/><UniformMass totalMass='2'/>"
     "<RestShapeSpringsForceField stiffness='30 50 70'/>",
     3, 1},
    {"<EulerImplicitSolver/><SparseLDLSolver/>",
     "<MechanicalObject name='dofs' template='Rigid3d' position='0 0 0 0 0 0 1  1 2 0 0.5 0.5 0.5 0.5'/>"
     "<UniformMass vertexMass='2 1 [0.1 0 0 0 0.2 0 0 0 0.4]'/>"
     "<RestShapeSpringsForceField points='0 1' stiffness='300' angularStiffness='40'/>",
     12, 6},
    /* pushed by a force at rest, which is no answer to another */
    {"<EulerImplicitSolver rayleighStiffness='0.05'/>" LDL, NET "<ConstantForceField indices='1' forces='3 -4 5'/>", 15,
     3},
};

static void write_body(DvText *text, const Body *body, const char *solvers, const char *more)
{
    dv_text_add(
        text,
        "<Node name='root' gravity='0 0 0' dt='0.02'><DefaultAnimationLoop/><Node name='Body'>%s%s%s</Node></Node>",
        solvers, body->inside, more);
}

/* The velocities after a step of the body with something more in its node. */
static void velocities_after_a_step(const Body *body, const char *solvers, const char *more, double *velocities)
{
    DvText text = {0};
    write_body(&text, body, solvers, more);
    DvScene *scene = scene_from_text(text.at);
    dv_text_free(&text);
    steps(scene, 1);
    memcpy(velocities, dv_state_read(scene_state(scene, "/Body/dofs"), DV_VELOCITY).at,
           body->unknowns * sizeof *velocities);
    dv_scene_free(scene);
}

/* Column f: the velocity that a unit force on unknown f gives in a step from rest, times dt / dt. */
static void the_matrix_is_what_unit_forces_do(void **state)
{
    (void)state;
    for (size_t b = 0; b < sizeof bodies / sizeof *bodies; b++) {
        const Body *body = &bodies[b];
        const uint32_t n = body->unknowns;
        double c[225], v[15], without[15], largest = 0.0;
        char more[512], name[64];
        DvText text = {0};
        snprintf(more, sizeof more, "<PrecomputedConstraintCorrection fileDir='%s' recompute='1'/>", folder);
        write_body(&text, body, body->solvers, more);
        dv_scene_free(scene_from_text(text.at));
        dv_text_free(&text);
        snprintf(name, sizeof name, "Body-%u-0.02.comp", n);
        assert_int_equal(read_numbers(name, c, 225), n * n);
        for (uint32_t i = 0; i < n * n; i++)
            largest = fmax(largest, fabs(c[i]));
        /* The same scheme, with a linear solver that goes to the end. */
        const char *solvers = !strstr(body->solvers, "CGLinear") ? body->solvers
                              : b == 1                           ? "<EulerImplicitSolver rayleighStiffness='0.05'/>" LDL
                                                                 : "<EulerImplicitSolver/><SparseLDLSolver/>";
        velocities_after_a_step(body, solvers, "", without);
        for (uint32_t f = 0; f < n; f++) {
            DvText force = {0};
            dv_text_add(&force, "<ConstantForceField indices='%u' forces='", f / body->width);
            for (uint32_t k = 0; k < body->width; k++)
                dv_text_add(&force, "%d ", k == f % body->width);
            dv_text_add(&force, "'/>");
            velocities_after_a_step(body, solvers, force.at, v);
            dv_text_free(&force);
            for (uint32_t i = 0; i < n; i++)
                if (!(fabs(v[i] - without[i] - c[i * n + f]) < 1e-11 * largest))
                    fail_msg("body %zu: a force on %u moves %u by %.12g, not by %.12g", b, f, i, v[i] - without[i],
                             c[i * n + f]);
        }
    }
}

/* ---- Contacts ---- */

/* %s: what moves the body, in which %s is the folder. */
#define CONTACT_OF(gravity, dt, body_gravity)                                                                    \
    "<Node name='root' gravity='" gravity "' dt='" dt "'><FreeMotionAnimationLoop name='loop'/>"                 \
    "<BlockGaussSeidelConstraintSolver name='solver' tolerance='1e-13' maxIterations='5000'/>"                   \
    "<CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/>"                                               \
    "<LocalMinDistance alarmDistance='0.2' contactDistance='0.05' angleCone='0.02'/>"                            \
    "<CollisionResponse response='FrictionContactConstraint' responseParams='mu=0.2'/>"                          \
    "<Node name='Body'><EulerImplicitSolver rayleighStiffness='0.05'/>" LDL                                      \
    "<MechanicalObject name='dofs' position='0 0.1 0  1 0.12 0.1  0.2 0.09 1  1.1 0.1 0.9  0.5 0.8 0.5'/>"       \
    "<UniformMass totalMass='2'/><MeshTopology position='@dofs.position' "                                       \
    "edges='0 1 0 2 1 3 2 3 0 3 1 2 0 4 1 4 2 4 3 4'/><MeshSpringForceField stiffness='800' damping='3'/>"       \
    "%s<PointCollisionModel/></Node>"                                                                            \
    "<Node name='Floor'><MeshTopology triangles='0 2 1'/><MechanicalObject position='-9 0 -8  9 0 -8  0 0 15'/>" \
    "<TriangleCollisionModel simulated='0' moving='0'/></Node></Node>"
#define CONTACT CONTACT_OF("0 -9 0", "0.02", "")

static char *scene_with(const char *format, const char *correction)
{
    static char text[4096];
    char named[512];
    const char *at = strstr(correction, "%s");
    snprintf(named, sizeof named, "%.*s%s%s", at ? (int)(at - correction) : (int)strlen(correction), correction,
             at ? folder : "", at ? at + 2 : "");
    const int length = snprintf(text, sizeof text, format, named);
    assert_true(length > 0 && (size_t)length < sizeof text);
    return text;
}

static double difference(DvScene *a, DvScene *b)
{
    const DvConstVec x = dv_state_read(scene_state(a, "/Body/dofs"), DV_POSITION);
    const DvConstVec y = dv_state_read(scene_state(b, "/Body/dofs"), DV_POSITION);
    double most = 0.0;
    for (uint32_t i = 0; i < x.count * x.dim; i++)
        most = fmax(most, fabs(x.at[i] - y.at[i]));
    return most;
}

/* Springs at rest: at the first step the matrix of the body is still the one that was made. */
static void the_first_step_is_that_of_the_linear_solver(void **state)
{
    (void)state;
    static const char *const solve_velocity[] = {"name='loop'", "name='loop' solveVelocityConstraintFirst='1'"};
    for (int k = 0; k < 2; k++) {
        char format[4096];
        const char *at = strstr(CONTACT, solve_velocity[0]);
        snprintf(format, sizeof format, "%.*s%s%s", (int)(at - CONTACT), CONTACT, solve_velocity[k],
                 at + strlen(solve_velocity[0]));
        DvScene *a = scene_from_text(scene_with(format, "<LinearSolverConstraintCorrection/>"));
        DvScene *b = scene_from_text(scene_with(format, "<PrecomputedConstraintCorrection keepGravity='1'/>"));
        for (int i = 0; i < 25; i++) {
            steps(a, 1);
            steps(b, 1);
            assert_true(difference(a, b) < (i == 0 ? 1e-13 : 1e-3));
        }
        const double lowest = dv_state_read(scene_state(b, "/Body/dofs"), DV_POSITION).at[1];
        assert_true(fabs(lowest - 0.05) < 1e-3); /* it lies there, held by C */
        dv_scene_free(a);
        dv_scene_free(b);
    }
}

static void unbuilt_solvers_find_the_same(void **state)
{
    (void)state;
    char format[4096];
    const char *name = "BlockGaussSeidelConstraintSolver", *at = strstr(CONTACT, name);
    snprintf(format, sizeof format, "%.*sUnbuiltGaussSeidelConstraintSolver%s", (int)(at - CONTACT), CONTACT,
             at + strlen(name));
    DvScene *a = scene_from_text(scene_with(CONTACT, "<PrecomputedConstraintCorrection/>"));
    DvScene *b = scene_from_text(scene_with(format, "<PrecomputedConstraintCorrection/>"));
    steps(a, 20);
    steps(b, 20);
    assert_true(difference(a, b) < 1e-9);
    dv_scene_free(a);
    dv_scene_free(b);
}

/* Once for each point of a row: contacts of points have one. */
static void regularization_counts_the_points_of_a_row(void **state)
{
    (void)state;
    double diagonal[2];
    for (int k = 0; k < 2; k++) {
        DvScene *scene =
            scene_from_text(scene_with(CONTACT, k ? "<PrecomputedConstraintCorrection regularizationTerm='0.25'/>"
                                                  : "<PrecomputedConstraintCorrection/>"));
        steps(scene, 1);
        DvObject *solver = scene_object(scene, "/solver");
        const DvConstraintSolverOps *ops = dv_object_ops(solver, DV_CONSTRAINT_SOLVER);
        const DvConstraintProblem *problem = ops->take_problem(dv_object_self(solver));
        assert_true(problem->rows >= 12);
        diagonal[k] = problem->diagonal[0];
        ops->release_problem(problem);
        dv_scene_free(scene);
    }
    assert_true(fabs(diagonal[1] - diagonal[0] - 0.25) < 1e-15);
}

/* With another state in place of its own it starts anew: the body swings as one that has just been loaded. */
static void it_starts_anew_with_its_state(void **state)
{
    (void)state;
    const char *text = scene_with(
        CONTACT, "<PrecomputedConstraintCorrection keepGravity='1'/><FixedLagrangianConstraint indices='1'/>");
    DvScene *again = scene_from_text(text), *fresh = scene_from_text(text);
    DvNode *body = dv_object_as_node(scene_object(again, "/Body"));
    for (int i = 0; i < 2; i++) {
        steps(again, 2);
        dv_object_remove(scene_object(again, "/Body/dofs"));
        assert_int_equal(dv_object_new(body, "MechanicalObject", NULL, "name", "dofs", "position",
                                       "0 0.1 0  1 0.12 0.1  0.2 0.09 1  1.1 0.1 0.9  0.5 0.8 0.5", (char *)NULL),
                         DV_OK);
    }
    steps(again, 4); /* nothing touches the floor yet */
    steps(fresh, 4);
    const double *x = dv_state_read(scene_state(fresh, "/Body/dofs"), DV_POSITION).at;
    assert_true(fabs(x[4] - 0.12) < 1e-9 && x[1] < 0.09); /* point 1 is held, point 0 falls */
    assert_true(difference(again, fresh) < 1e-12);
    dv_scene_free(again);
    dv_scene_free(fresh);
}

/* ---- Files ---- */

static void what_was_kept_is_found_again(void **state)
{
    (void)state;
    DvScene *made = listen(scene_with(CONTACT, "<PrecomputedConstraintCorrection name='it' fileDir='%s' recompute='1' "
                                               "keepGravity='1'/>"),
                           30);
    assert_string_equal(said.at, "");
    DvScene *read = listen(scene_with(CONTACT, "<PrecomputedConstraintCorrection name='it' fileDir='%s'/>"), 30);
    assert_string_equal(said.at, "");
    DvScene *named =
        listen(scene_with(CONTACT, "<PrecomputedConstraintCorrection filePrefix='%s/Body-15-0.02.comp'/>"), 30);
    assert_string_equal(said.at, "");
    assert_true(difference(made, read) == 0.0 && difference(made, named) == 0.0);
    const char *used = dv_data_string(dv_object_field(scene_object(read, "/Body/it"), "usedFile"));
    assert_true(strstr(used, "/Body-15-0.02.comp") && strstr(used, folder) == used);
    dv_scene_free(made);
    dv_scene_free(read);
    dv_scene_free(named);
    /* Nothing but whole files is left. */
    DIR *files = opendir(folder);
    for (struct dirent *entry; (entry = readdir(files));)
        assert_null(strstr(entry->d_name, ".part"));
    closedir(files);
}

static void a_wrong_file_is_never_used_in_silence(void **state)
{
    (void)state;
    static double c[226];
    const char *by_name = "<PrecomputedConstraintCorrection fileCompliance='%s/given.comp'/>";
    dv_scene_free(
        scene_from_text(scene_with(CONTACT, "<PrecomputedConstraintCorrection fileDir='%s' recompute='1'/>")));
    assert_int_equal(read_numbers("Body-15-0.02.comp", c, 225), 225);
    write_numbers("given.comp", c, 224);
    expect_load_error(scene_with(CONTACT, by_name), "it has 1792 bytes, the compliance of 15 unknowns has 1800");
    write_numbers("given.comp", c, 226);
    expect_load_error(scene_with(CONTACT, by_name), "of another body");
    const double kept = c[17];
    c[17] = NAN;
    write_numbers("given.comp", c, 225);
    expect_load_error(scene_with(CONTACT, by_name), "row 1, column 2 is not finite");
    c[17] = kept;
    c[16] = -c[16];
    write_numbers("given.comp", c, 225);
    expect_load_error(scene_with(CONTACT, by_name), "a force on unknown 1 would move it backwards");
    c[16] = -c[16];
    for (int i = 0; i < 225; i++)
        c[i] *= 1.1;
    write_numbers("given.comp", c, 225);
    DvScene *stale = listen(scene_with(CONTACT, by_name), 3);
    assert_true(was_said("is not the compliance of this body as it is now"));
    dv_scene_free(stale);
    DvScene *absent =
        listen(scene_with(CONTACT, "<PrecomputedConstraintCorrection fileCompliance='%s/none.comp'/>"), 1);
    assert_true(was_said("there is no file") && was_said("made anew"));
    dv_scene_free(absent);
    DvScene *nowhere =
        listen(scene_with(CONTACT, "<PrecomputedConstraintCorrection fileDir='%s/no/such' recompute='1'/>"), 1);
    assert_true(was_said("cannot be written"));
    dv_scene_free(nowhere);
}

static void errors_say_what_is_missing(void **state)
{
    (void)state;
    expect_load_error("<Node name='root'><MechanicalObject template='Vec3d'/><PrecomputedConstraintCorrection/></Node>",
                      "there is no ODE solver");
    expect_load_error("<Node name='root'><EulerImplicitSolver/><SparseLDLSolver/><MechanicalObject template='Vec3d' "
                      "position=''/><PrecomputedConstraintCorrection/></Node>",
                      "no points");
    expect_load_error("<Node name='root'><EulerExplicitSolver/><MechanicalObject template='Vec3d' position='0 0 0'/>"
                      "<UniformMass totalMass='1'/><PrecomputedConstraintCorrection/></Node>",
                      "take an EulerImplicitSolver");
    DvScene *scene = listen(scene_with(CONTACT, "<PrecomputedConstraintCorrection rotations='1'/>"), 1);
    assert_true(was_said("rotations") && was_said("has no effect"));
    dv_log_set_handler(keep, NULL);
    assert_int_equal(dv_scene_step(scene, 0.02), DV_OK);
    assert_false(was_said("its compliance is that of steps"));
    assert_int_equal(dv_scene_step(scene, 0.01), DV_OK);
    dv_log_set_handler(NULL, NULL);
    assert_true(was_said("its compliance is that of steps of 0.02 s, and this one is of 0.01 s"));
    dv_scene_free(scene);
    /* Points that come and go: the matrix is of those that were there. */
    scene = scene_from_text(
        "<Node name='root' gravity='0 -9 0' dt='0.02'><FreeMotionAnimationLoop/><BlockGaussSeidelConstraintSolver "
        "tolerance='1e-9' maxIterations='99'/><CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/>"
        "<LocalMinDistance alarmDistance='0.2' contactDistance='0.05'/>"
        "<CollisionResponse response='FrictionContactConstraint'/><Node name='Body'><EulerImplicitSolver/>"
        "<CGLinearSolver iterations='9' tolerance='1e-15' threshold='1e-30'/><MechanicalObject name='dofs' "
        "position='0 0.04 0  1 0.04 0'/><UniformMass vertexMass='1'/><PrecomputedConstraintCorrection/>"
        "<PointCollisionModel/></Node><Node name='Floor'><MeshTopology triangles='0 2 1'/><MechanicalObject "
        "position='-9 0 -8  9 0 -8  0 0 15'/><TriangleCollisionModel simulated='0' moving='0'/></Node></Node>");
    const DvStateRef body = scene_state(scene, "/Body/dofs");
    steps(scene, 1);
    body.ops->resize(body.self, 3);
    dv_log_set_handler(keep, NULL);
    assert_int_not_equal(dv_scene_step(scene, 0), DV_OK);
    dv_log_set_handler(NULL, NULL);
    assert_true(was_said("the body has 9 unknowns now, its compliance was made of 6"));
    dv_scene_free(scene);
}

/* ---- Gravity ---- */

static double height_after(DvScene *scene, int count)
{
    steps(scene, count);
    return dv_state_read(scene_state(scene, "/Body/dofs"), DV_POSITION).at[1];
}

/* Free fall by backward Euler over k steps: -g dt^2 k (k + 1) / 2. */
static void making_it_takes_gravity_away_for_a_step(void **state)
{
    (void)state;
    const char *format = "<Node name='root' gravity='0 -10 0' dt='0.1'><FreeMotionAnimationLoop/>"
                         "<BlockGaussSeidelConstraintSolver tolerance='1e-9' maxIterations='9'/><Node name='Body'>"
                         "<EulerImplicitSolver/><SparseLDLSolver/><MechanicalObject name='dofs' position='0 0 0'/>"
                         "<UniformMass totalMass='1'/>%s</Node></Node>";
    char file[512];
    snprintf(file, sizeof file, "%s/fallen.scn", folder);
    DvScene *fallen = scene_from_text(scene_with(format, "<PrecomputedConstraintCorrection/>"));
    assert_true(height_after(fallen, 1) == 0.0);
    assert_int_equal(dv_scene_save(fallen, file), DV_OK);
    assert_true(fabs(height_after(fallen, 4) + 0.1 * (4 * 5) / 2) < 1e-12);
    DvScene *continued;
    assert_int_equal(dv_scene_load(file, NULL, &continued), DV_OK);
    assert_true(height_after(continued, 4) == height_after(fallen, 0));
    dv_scene_reset(fallen);
    assert_true(fabs(height_after(fallen, 4) + 0.1 * (4 * 5) / 2) < 1e-12);
    dv_scene_free(fallen);
    dv_scene_free(continued);
    DvScene *kept = scene_from_text(scene_with(format, "<PrecomputedConstraintCorrection keepGravity='1'/>"));
    assert_true(fabs(height_after(kept, 4) + 0.1 * (4 * 5) / 2) < 1e-12);
    dv_scene_free(kept);
}

static void making_it_at_the_root_takes_gravity_away_for_ever(void **state)
{
    (void)state;
    for (int keeps = 0; keeps < 2; keeps++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "<Node name='root' gravity='0 -10 0' dt='0.1'><FreeMotionAnimationLoop/>"
                 "<BlockGaussSeidelConstraintSolver tolerance='1e-9' maxIterations='9'/><EulerImplicitSolver/>"
                 "<SparseLDLSolver/><MechanicalObject name='dofs' position='0 0 0'/><UniformMass totalMass='1'/>"
                 "<PrecomputedConstraintCorrection keepGravity='%d'/></Node>",
                 keeps);
        DvScene *scene = scene_from_text(text);
        steps(scene, 4);
        const double *x = dv_state_read(scene_state(scene, "/dofs"), DV_POSITION).at;
        assert_true(x[0] == 0.0 && fabs(x[1] + (keeps ? 1.0 : 0.0)) < 1e-12 && x[2] == 0.0);
        dv_scene_free(scene);
    }
}

/* What is there at init stays as it was: positions, velocities, bounds of the linear solver. */
static void making_it_leaves_no_traces(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node name='root' gravity='0 -10 0' dt='0.1'><FreeMotionAnimationLoop/>"
        "<BlockGaussSeidelConstraintSolver tolerance='1e-9' maxIterations='9'/><Node name='Body'>"
        "<EulerImplicitSolver/><CGLinearSolver name='cg' iterations='12' tolerance='1e-3' threshold='1e-9'/>"
        "<MechanicalObject name='dofs' position='1 2 3  2 2 3' velocity='4 5 6  0 1 0'/><UniformMass totalMass='1'/>"
        "<MeshTopology position='@dofs.position' edges='0 1'/><MeshSpringForceField stiffness='5'/>"
        "<PrecomputedConstraintCorrection/><Node name='Sub'><MechanicalObject name='dofs'/><IdentityMapping/></Node>"
        "</Node></Node>");
    static const double x[] = {1, 2, 3, 2, 2, 3}, v[] = {4, 5, 6, 0, 1, 0};
    static const char *const paths[] = {"/Body/dofs", "/Body/Sub/dofs"};
    for (int k = 0; k < 2; k++) {
        assert_memory_equal(dv_state_read(scene_state(scene, paths[k]), DV_POSITION).at, x, sizeof x);
        assert_memory_equal(dv_state_read(scene_state(scene, paths[k]), DV_VELOCITY).at, v, sizeof v);
    }
    DvObject *cg = scene_object(scene, "/Body/cg");
    assert_int_equal(dv_data_uint(dv_object_field(cg, "iterations")), 12);
    assert_true(dv_data_double(dv_object_field(cg, "tolerance")) == 1e-3);
    assert_true(dv_data_double(dv_object_field(cg, "threshold")) == 1e-9);
    assert_true(dv_node_gravity(dv_object_as_node(scene_object(scene, "/Body")))[1] == -10.0);
    dv_scene_free(scene);
}

int main(void)
{
    if (dv_set_output_folder("/tmp") != DV_OK) /* where scenes write here */
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_matrix_is_what_unit_forces_do),
        cmocka_unit_test(the_first_step_is_that_of_the_linear_solver),
        cmocka_unit_test(unbuilt_solvers_find_the_same),
        cmocka_unit_test(regularization_counts_the_points_of_a_row),
        cmocka_unit_test(it_starts_anew_with_its_state),
        cmocka_unit_test(what_was_kept_is_found_again),
        cmocka_unit_test(a_wrong_file_is_never_used_in_silence),
        cmocka_unit_test(errors_say_what_is_missing),
        cmocka_unit_test(making_it_takes_gravity_away_for_a_step),
        cmocka_unit_test(making_it_at_the_root_takes_gravity_away_for_ever),
        cmocka_unit_test(making_it_leaves_no_traces),
    };
    const int failed = cmocka_run_group_tests(tests, make_folder, remove_folder);
    dv_text_free(&said);
    return failed;
}
