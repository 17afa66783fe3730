/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The virtual coupling and constraints side by side, in virtual time, with 10 to 500 steps a second: the stiffness of a wall that a hand feels, the drag of
 * free motion, the pull of a wall that is left, the delay of the first force, the error of the force on a liver. With DIVAN_WRITE_TABLE=FILE it writes
 * the table of docs/haptics.md.
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

#include <divan/contracts/haptic_device.h>
#include <divan/divan.h>
#include <divan/plugin.h>

#include "folder.h"
#include "scene_text.h"
#include "share.h"

enum { RATES = 4, MOST_LINES = 8000 };
static const double rates[RATES] = {10, 30, 100, 500};
static const double tick = 1e-3, surface = 0.001; /* s; m: where contacts hold */

typedef enum Technique { COUPLING, CANCELLED, LIGHT, CONSTRAINTS, TECHNIQUES } Technique;
static const char *const names[TECHNIQUES] = {"coupling, 400 N/m", "the same, `cancelOutOfContact`",
                                              "coupling, drag 1 N s/m", "constraints"};

static double stiffness_of(Technique technique, double rate)
{
    return technique == LIGHT ? 1 / (1.5 / rate) : technique == CONSTRAINTS ? 2000 : 400;
}

typedef struct Line {
    double time, at[3], force[3];
} Line;
typedef struct Run {
    size_t count;
    Line line[MOST_LINES];
} Run;

static const DvHapticsOps *service(void)
{
    const DvHapticsOps *haptics = dv_service(DV_HAPTICS);
    assert_non_null(haptics);
    return haptics;
}

static void read_lines(FILE *log, Run *run)
{
    char text[1024];
    rewind(log);
    run->count = 0;
    while (fgets(text, sizeof text, log)) {
        char *at = strchr(text, ',');
        double n[16];
        if (!at || strncmp(text, "device", 6) == 0)
            continue;
        for (int i = 0; i < 16; i++)
            n[i] = strtod(at + 1, &at);
        assert_true(run->count < MOST_LINES);
        run->line[run->count++] = (Line){n[1], {n[2], n[3], n[4]}, {n[10], n[11], n[12]}};
    }
}

/* All ticks of so many seconds. The scene goes. */
static void make_run(DvScene *scene, double rate, double seconds, Run *run)
{
    FILE *log = tmpfile();
    assert_non_null(log);
    const DvHapticSchedule schedule = {.rate = 1 / tick, .sweeps = 1000};
    assert_int_equal(service()->set_schedule(scene, &schedule), DV_OK);
    assert_int_equal(service()->set_log(scene, log), DV_OK);
    for (int i = 0; i < (int)(seconds * rate + 0.5); i++)
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    assert_int_equal(service()->set_log(scene, NULL), DV_OK);
    dv_scene_free(scene);
    read_lines(log, run);
    fclose(log);
}

static void add_user(DvText *text, Technique technique, double stiffness, const char *more)
{
    if (technique == CONSTRAINTS)
        dv_text_add(text,
                    "<RestShapeSpringsForceField stiffness='%.17g' angularStiffness='1' external_rest_shape='@/hand'/>"
                    "<LCPForceFeedback activate='1' physicalForce='1' rampTime='0' stallTime='10' %s/>",
                    stiffness, more);
    else
        dv_text_add(
            text,
            "<VirtualCoupling stiffness='%.17g' angularStiffness='1' damping='0' angularDamping='0' rampTime='0' stallTime='10' "
            "cancelOutOfContact='%d' %s/>",
            stiffness, technique == CANCELLED, more);
}

/* A tool of a point above a wall without friction, or without a wall. */
static DvScene *load(Technique technique, double rate, const char *device, const char *user, bool wall)
{
    DvText text = {0};
    dv_text_add(
        &text,
        "<Node name='root' dt='%.17g' gravity='0 0 0'><FreeMotionAnimationLoop/>"
        "<BlockGaussSeidelConstraintSolver tolerance='1e-10' maxIterations='1000'/>"
        "<CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/>"
        "<LocalMinDistance alarmDistance='0.02' contactDistance='%.17g'/>"
        "<CollisionResponse response='FrictionContactConstraint' responseParams='mu=0'/>"
        "<SimulatedHapticDevice name='arm' resolution='0' friction='0' maxForce='0' workspace='0 0 0 0 0 0' filename='way.txt' %s/>"
        "<MechanicalObject name='hand' template='Rigid3d' position='@arm.positionDevice'/>"
        "<Node name='tool'><EulerImplicitSolver rayleighStiffness='0' rayleighMass='0'/>"
        "<SparseLDLSolver template='CompressedRowSparseMatrixMat3x3d'/>"
        "<MechanicalObject name='state' template='Rigid3d' position='0 0 0.01 0 0 0 1'/>"
        "<UniformMass vertexMass='0.1 1e-3 1e-3 0 0 0 1e-3 0 0 0 1e-3'/><LinearSolverConstraintCorrection/>",
        1 / rate, surface, device);
    add_user(&text, technique, stiffness_of(technique, rate), user);
    dv_text_add(&text,
                "<Node><MechanicalObject position='0 0 0'/><PointCollisionModel/><RigidMapping/></Node></Node>"
                "<Node name='wall'><MeshTopology position='-1 -1 %1$g 1 -1 %1$g 0 2 %1$g' triangles='0 1 2'/>"
                "<MechanicalObject/><TriangleCollisionModel moving='0' simulated='0'/></Node></Node>",
                wall ? 0.0 : -1.0);
    DvScene *scene = NULL;
    assert_int_equal(dv_scene_load_text(text.at, text.length, "scene.scn", folder, NULL, &scene), DV_OK);
    dv_text_free(&text);
    return scene;
}

/* ---- What is measured ---- */

/* A hand of a spring of 150 N/m that wants to be 4 mm behind the wall: the force on it over how far it comes. */
static double stiffness_felt(Technique technique, double rate, Run *run)
{
    write_file("way.txt", "0 0 0 0.01\n0.5 0 0 -0.003\n");
    make_run(load(technique, rate, "motion='hand' handStiffness='150'", "", true), rate, 3, run);
    double force = 0, depth = 0;
    for (size_t i = run->count / 2; i < run->count; i++) {
        force += run->line[i].force[2];
        depth += surface - run->line[i].at[2];
    }
    return force / depth;
}

/* Mean force against a motion of 50 mm/s over its speed, once the tool follows. */
static double drag(Technique technique, double rate, Run *run)
{
    write_file("way.txt", "0 0 0 0.05\n4 0.2 0 0.05\n");
    make_run(load(technique, rate, "", "passivity='off'", true), rate, 4, run);
    double force = 0, count = 0;
    for (size_t i = 0; i < run->count; i++)
        if (run->line[i].time >= 3 - tick / 2) {
            force -= run->line[i].force[0];
            count++;
        }
    return force / count / 0.05;
}

/* The strongest pull towards the wall that is left at 50 mm/s, N, and for how long there is more than a twentieth of it, s. */
static double pull(Technique technique, double rate, Run *run, double *lasts)
{
    write_file("way.txt", "0 0 0 0.003\n0.5 0 0 -0.001\n1.5 0 0 -0.001\n2 0 0 0.024\n3 0 0 0.024\n");
    make_run(load(technique, rate, "", "passivity='off'", true), rate, 3, run);
    double most = 0, left = 0, last = 0;
    for (size_t i = 0; i < run->count; i++)
        if (run->line[i].time > 1.5 && run->line[i].at[2] > surface + 1e-9) {
            left = left > 0 ? left : run->line[i].time;
            most = fmax(most, -run->line[i].force[2]);
        }
    for (size_t i = 0; i < run->count; i++)
        if (left > 0 && run->line[i].time >= left && -run->line[i].force[2] > 0.05 * most)
            last = run->line[i].time;
    *lasts = most > 0 ? last - left + tick : 0;
    return most;
}

/* From the first tick behind the surface to the first whose force is another than without a wall, s. */
static double delay(Technique technique, double rate, Run *with, Run *without)
{
    write_file("way.txt", "0 0 0 0.01\n1 0 0 -0.01\n");
    make_run(load(technique, rate, "", "passivity='off'", true), rate, 1, with);
    make_run(load(technique, rate, "", "passivity='off'", false), rate, 1, without);
    assert_int_equal(with->count, without->count);
    double begin = -1;
    for (size_t i = 0; i < with->count; i++) {
        if (begin < 0 && with->line[i].at[2] < surface - 1e-9)
            begin = with->line[i].time;
        if (begin >= 0 && fabs(with->line[i].force[2] - without->line[i].force[2]) > 1e-9)
            return with->line[i].time - begin;
    }
    return INFINITY;
}

typedef struct Figures {
    double stiffness, drag, pull, lasts, delay;
} Figures;
static Figures found[TECHNIQUES][RATES];

static int measure(void)
{
    static Run run, other;
    for (int t = 0; t < TECHNIQUES; t++)
        for (int r = 0; r < RATES; r++) {
            Figures *f = &found[t][r];
            f->stiffness = stiffness_felt((Technique)t, rates[r], &run);
            f->drag = drag((Technique)t, rates[r], &run);
            f->pull = pull((Technique)t, rates[r], &run, &f->lasts);
            f->delay = delay((Technique)t, rates[r], &run, &other);
        }
    return 0;
}

/* ---- What must be so ---- */

/* 1.5 K v T without what a tick is shorter than no time: K v (1.5 T - tick / 2). */
static void the_drag_is_that_of_old_states(void **state)
{
    (void)state;
    for (int r = 0; r < RATES; r++) {
        const double step = 1 / rates[r];
        static const Technique dragging[] = {COUPLING, LIGHT};
        for (int i = 0; i < 2; i++) {
            const double k = stiffness_of(dragging[i], rates[r]), law = k * (1.5 * step - tick / 2);
            const double is = found[dragging[i]][r].drag;
            if (fabs(is - law) > 0.02 * law)
                fail_msg("%s at %g Hz: a drag of %g N s/m instead of %g", names[dragging[i]], rates[r], is, law);
            if (rates[r] <= 30)
                assert_true(fabs(is - 1.5 * k * step) < 0.02 * 1.5 * k * step);
        }
        assert_true(found[CANCELLED][r].drag == 0);
        assert_true(found[CONSTRAINTS][r].drag == 0);
    }
}

static void constraints_never_pull_and_answer_at_once(void **state)
{
    (void)state;
    for (int r = 0; r < RATES; r++) {
        assert_true(found[CONSTRAINTS][r].pull == 0);
        assert_true(found[CONSTRAINTS][r].delay == 0);
        /* What is cancelled sticks to the wall until a step says that it is free, which is seen two steps later at most, and fades in 5 ms. */
        const Figures *cancelled = &found[CANCELLED][r];
        if (!(cancelled->pull > 0 && cancelled->lasts > 0 && cancelled->lasts <= 2 / rates[r] + 0.006))
            fail_msg("at %g Hz it sticks for %g s, with %g N", rates[r], cancelled->lasts, cancelled->pull);
    }
}

/* The drag of a spring is in proportion to it, so that little drag is a soft wall. */
static void constraints_show_a_harder_wall(void **state)
{
    (void)state;
    for (int r = 0; r < RATES; r++) {
        const double k = stiffness_of(LIGHT, rates[r]), hard = found[CONSTRAINTS][r].stiffness;
        assert_true(fabs(found[LIGHT][r].stiffness - k) < 0.05 * k);
        assert_true(fabs(found[COUPLING][r].stiffness - 400) < 0.05 * 400);
        /* A step moves the tool by what its spring and its mass let it: 1 / (K + m / T^2). */
        const double law = 2000 + 0.1 * rates[r] * rates[r];
        if (fabs(hard - law) > 0.05 * law)
            fail_msg("at %g Hz constraints show %g N/m instead of %g", rates[r], hard, law);
        if (rates[r] == 30 && !(hard > 10 * found[LIGHT][r].stiffness))
            fail_msg("constraints show %g N/m, a coupling of the same drag %g", hard, found[LIGHT][r].stiffness);
    }
}

/* ---- The liver ---- */

/* The liver of scenes/haptics with the probe on a way, by one of the techniques. */
static DvScene *load_liver(Technique technique, double rate, double stiffness)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/scenes/haptics/liver_probe.scn", getenv("DIVAN_TEST_SOURCE_ROOT"));
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    DvText text = {0}, user = {0};
    char line[4096];
    add_user(&user, technique, stiffness, "maxForce='0'");
    while (fgets(line, sizeof line, file))
        if (strstr(line, "<Node name=\"root\""))
            dv_text_add(&text, "<Node name=\"root\" gravity=\"0 -9.81 0\" dt=\"%.17g\">", 1 / rate);
        else if (strstr(line, "<SimulatedHapticDevice"))
            dv_text_add(
                &text,
                "<SimulatedHapticDevice name='arm' resolution='0' filename='%s' positionBase='-0.02 0 0.09' scale='2' workspace='0 0 0 0 0 0' maxForce='0'/>"
                "<MechanicalObject name='hand' template='Rigid3d' position='@arm.positionDevice'/>",
                in_folder("way.txt"));
        else if (strstr(line, "<VirtualCoupling"))
            dv_text_add(&text, "%s", user.at);
        else if (technique == CONSTRAINTS && strstr(line, "vertexMass=\"0.1"))
            dv_text_add(
                &text,
                "<UniformMass vertexMass='0.001 1 [1e-4 0 0, 0 1e-4 0, 0 0 1e-4]'/>"); /* its mass over T^2 beside its spring is what constraints show too much */
        else if (technique == CONSTRAINTS && strstr(line, "name=\"carries\""))
            dv_text_add(&text, "<ConstantForceField indices='0' forces='0 0.00981 0 0 0 0'/>");
        else
            dv_text_add(&text, "%s", line);
    fclose(file);
    DvScene *scene = NULL;
    snprintf(path, sizeof path, "%s/scenes/haptics", getenv("DIVAN_TEST_SOURCE_ROOT"));
    assert_int_equal(dv_scene_load_text(text.at, text.length, "liver.scn", path, NULL, &scene), DV_OK);
    dv_text_free(&text);
    dv_text_free(&user);
    return scene;
}

/* While the probe is in the liver: of the force in each tick against that beside many steps a second; root of the mean square, as a share. */
static double liver_error(Technique technique, double rate, const Run *exact)
{
    static Run run;
    make_run(load_liver(technique, rate, technique == CONSTRAINTS ? 20000 : 400), rate, 0.6, &run);
    double error = 0, size = 0;
    for (size_t i = 0; i < run.count && i < exact->count; i++)
        for (int c = 0; run.line[i].time > 0.3 && c < 3; c++) {
            error += pow(run.line[i].force[c] - exact->line[i].force[c], 2);
            size += pow(exact->line[i].force[c], 2);
        }
    return sqrt(error / size);
}

static double liver[TECHNIQUES][RATES];

/* Against the same technique beside a thousand steps a second, which is nearer with each step more. At most so far off, in shares: a fifth above what is in
 * the table. In short runs two hundred stand for the thousand, from which 100 are as much nearer as an error in proportion to a step says. */
static void the_force_on_a_liver_is_near_that_of_many_steps(void **state)
{
    (void)state;
    static Run exact[2];
    const bool writes = getenv("DIVAN_WRITE_TABLE") != NULL, full = writes || share_is_long();
    const int tried = full ? RATES : RATES - 1;
    const double many = full ? 1000 : 200;
    static const double most[TECHNIQUES][RATES] = {[COUPLING] = {2.4, 0.59, 0.16, 0.018},
                                                   [CANCELLED] = {1.2, 0.59, 0.16, 0.018},
                                                   [CONSTRAINTS] = {0.66, 0.8, 0.45, 0.16}};
    write_file("way.txt", "0 0 0 0.015\n0.3 0 0 -0.005\n0.6 0.003 0 -0.008\n0.9 0 0 0.015\n");
    for (int i = 0; i < 2; i++)
        make_run(load_liver(i == 0 ? COUPLING : CONSTRAINTS, many, i == 0 ? 400 : 20000), many, 0.6, &exact[i]);
    for (int t = 0; t < TECHNIQUES; t++)
        for (int r = 0; r < tried && (t == COUPLING || t == CONSTRAINTS || (t == CANCELLED && writes)); r++) {
            const double limit = most[t][r] * (1 / rates[r] - 1 / many) / (1 / rates[r] - 1e-3);
            liver[t][r] = liver_error((Technique)t, rates[r], &exact[t == CONSTRAINTS]);
            if (!(liver[t][r] > 0 && liver[t][r] < limit))
                fail_msg("%s at %g Hz: the force on the liver is off by %g", names[t], rates[r], liver[t][r]);
            if (r > 1)
                assert_true(liver[t][r] < liver[t][r - 1]);
        }
}

static void write_table(FILE *file);
static void the_table_can_be_written(void **state)
{
    (void)state;
    const char *name = getenv("DIVAN_WRITE_TABLE");
    if (!name)
        skip();
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    write_table(file);
    fclose(file);
}

/* ---- The table ---- */

static void write_table(FILE *file)
{
    fputs(
        "| steps a second | technique | stiffness felt, N/m | drag, N s/m | pull of a wall that is left, N | for, ms | first force after, ms | error on the liver, % |\n"
        "|---|---|---|---|---|---|---|---|\n",
        file);
    for (int r = 0; r < RATES; r++)
        for (int t = 0; t < TECHNIQUES; t++) {
            const Figures *f = &found[t][r];
            char lasts[32];
            snprintf(lasts, sizeof lasts, t == COUPLING || t == LIGHT ? "as it moves" : "%.3g", 1e3 * f->lasts);
            fprintf(file, "| %g | %s | %.3g | %.3g | %.2g | %s | %.3g | ", rates[r], names[t], f->stiffness, f->drag,
                    fabs(f->pull), lasts, 1e3 * f->delay);
            if (t != LIGHT)
                fprintf(file, "%.2g |\n", 100 * liver[t][r]);
            else
                fputs("- |\n", file);
            fflush(file);
        }
}

static int begin_with_figures(void **state)
{
    const int status = begin(state);
    return status == 0 ? measure() : status;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_drag_is_that_of_old_states),
        cmocka_unit_test(constraints_never_pull_and_answer_at_once),
        cmocka_unit_test(constraints_show_a_harder_wall),
        cmocka_unit_test(the_force_on_a_liver_is_near_that_of_many_steps),
        cmocka_unit_test(the_table_can_be_written),
    };
    return share_run_group_tests(tests, begin_with_figures, end);
}
