/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * VirtualCoupling by its laws: action and reaction, the drag of free motion, the growth of a sampled spring, energy that nobody has put in, a wall.
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

#include <divan/contracts/force_field.h>
#include <divan/contracts/haptic_device.h>
#include <divan/divan.h>
#include <divan/moment.h>
#include <divan/plugin.h>

#include "scene_text.h"

static char folder[] = P_tmpdir "/divan-coupling-XXXXXX";

static const char *in_folder(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void write_file(const char *name, const char *text)
{
    FILE *file = fopen(in_folder(name), "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* A device and, below it, a tool of 0.1 kg that an implicit solver moves; `more` beside the tool. */
static DvScene *load(double dt, const char *device, const char *coupling, const char *more)
{
    DvText text = {0};
    dv_text_add(
        &text,
        "<Node name='root' dt='%.17g' gravity='0 0 0'><DefaultAnimationLoop/>"
        "<SimulatedHapticDevice name='arm' resolution='0' friction='0' workspace='0 0 0 0 0 0' %s/>"
        "<Node name='tool'><EulerImplicitSolver rayleighStiffness='0' rayleighMass='0'/>"
        "<SparseLDLSolver template='CompressedRowSparseMatrixMat3x3d'/>"
        "<MechanicalObject name='state' template='Rigid3d'/><UniformMass vertexMass='0.1 1e-3 1 0 0 0 1 0 0 0 1'/>"
        "<VirtualCoupling name='coupling' %s/>%s</Node></Node>",
        dt, device, coupling, more);
    DvScene *scene = NULL;
    assert_int_equal(dv_scene_load_text(text.at, text.length, "scene.scn", folder, NULL, &scene), DV_OK);
    dv_text_free(&text);
    return scene;
}

static void steps(DvScene *scene, int count)
{
    for (int i = 0; i < count; i++)
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
}

static const DvHapticsOps *service(void)
{
    const DvHapticsOps *haptics = dv_service(DV_HAPTICS);
    assert_non_null(haptics);
    return haptics;
}

static DvHapticAbout about(DvScene *scene)
{
    DvHapticAbout about;
    assert_true(service()->about(scene, 0, &about));
    return about;
}

static DvData *output(DvScene *scene, const char *name)
{
    DvData *field = dv_object_field(scene_object(scene, "/tool/coupling"), name);
    assert_non_null(field);
    return field;
}

static double number(DvScene *scene, const char *name)
{
    return dv_data_double(output(scene, name));
}

/* Sums, by lines of the log: mean force against the motion along x over [from, to). */
typedef struct LogLine {
    double time, position[3], force[3];
} LogLine;
static size_t read_log(LogLine *lines, size_t capacity)
{
    FILE *file = fopen(in_folder("log.csv"), "r");
    assert_non_null(file);
    char text[1024];
    size_t count = 0;
    while (fgets(text, sizeof text, file)) {
        double n[16];
        char *at = strchr(text, ',');
        if (!at || strncmp(text, "device", 6) == 0)
            continue;
        for (int i = 0; i < 16; i++) {
            assert_int_equal(*at, ',');
            n[i] = strtod(at + 1, &at);
        }
        if (count < capacity)
            lines[count++] = (LogLine){n[1], {n[2], n[3], n[4]}, {n[10], n[11], n[12]}};
    }
    fclose(file);
    return count;
}

static FILE *log_file;

static void begin_log(DvScene *scene)
{
    log_file = fopen(in_folder("log.csv"), "w");
    assert_non_null(log_file);
    assert_int_equal(service()->set_log(scene, log_file), DV_OK);
}

static void end_log(DvScene *scene)
{
    assert_int_equal(service()->set_log(scene, NULL), DV_OK);
    fclose(log_file);
}

static void synchronous_forces_are_opposite_to_the_bit(void **state)
{
    (void)state;
    write_file("way.txt", "0 0 0 0\n0.2 0.02 0.013 -0.004 0.1 0.2 0.3 0.9\n0.5 -0.03 0 0.01\n");
    static const char *const devices[] = {"filename='way.txt'", "motion='hand' filename='way.txt' drivenAxes='6'",
                                          "filename='way.txt' maxForce='0.5'"};
    for (size_t d = 0; d < 3; d++) {
        DvScene *scene = load(0.003, devices[d],
                              "mode='synchronous' stiffness='400' toolOffset='0.01 0.02 0 0 0 0 1' rampTime='0.1'", "");
        DvObject *coupling = scene_object(scene, "/tool/coupling");
        const DvForceFieldOps *ops = dv_object_ops(coupling, DV_FORCE_FIELD);
        double most = 0;
        for (int i = 0; i < 160; i++) {
            steps(scene, 1);
            /* What the step has been given is what the tick of its begin has shown. */
            const DvStateRef tool = scene_state(scene, "/tool/state");
            const DvConstVec x = dv_state_read(tool, DV_POSITION), v = dv_state_read(tool, DV_VELOCITY);
            double f[6] = {0};
            const DvVec to = {f, 1, 6};
            const DvStep step = {.position = DV_POSITION, .velocity = DV_VELOCITY};
            ops->add_force(dv_object_self(coupling), &step, &x, &v, &to);
            const double *force = dv_data_doubles(output(scene, "force"), NULL);
            for (int c = 0; c < 3; c++)
                assert_true(f[c] + force[c] == 0);
            if (about(scene).force[0] != 0)
                for (int c = 0; c < 3; c++)
                    assert_true(about(scene).force[c] + f[c] == 0);
            assert_int_equal(about(scene).ticks, i + 1);
            most = fmax(most, fabs(force[0]));
        }
        assert_true(most > 0.1);
        dv_scene_free(scene);
    }
}

/* A state is seen from the end of its step to the end of the next, and follows from the pose of its begin: its age grows from T to 2 T - tick, so
 * the drag is K v (1.5 T - tick / 2) on the mean. */
static void free_motion_meets_the_drag_of_old_states(void **state)
{
    (void)state;
    static const double rates[] = {10, 30, 100, 500};
    static LogLine lines[6000];
    write_file("way.txt", "0 0 0 0\n10 0.5 0 0\n");
    for (int i = 0; i < 4; i++) {
        const double dt = 1 / rates[i], k = 200, v = 0.05, tick = rates[i] == 30 ? 1 / 900.0 : 1e-3;
        DvScene *scene = load(dt, "filename='way.txt' maxForce='0'",
                              "stiffness='200' damping='0' passivity='off' rampTime='0' stallTime='1'", "");
        DvHapticSchedule schedule = {.rate = 1 / tick};
        assert_int_equal(service()->set_schedule(scene, &schedule), DV_OK);
        /* The tool has no damping of its own but that of the implicit method: it comes to follow at v. */
        steps(scene, (int)(3 / dt));
        begin_log(scene);
        const int whole = (int)(1 / dt + 0.5);
        steps(scene, whole);
        end_log(scene);
        const size_t count = read_log(lines, 6000);
        double sum = 0;
        for (size_t l = 0; l < count; l++)
            sum -= lines[l].force[0];
        const double mean = sum / (double)count, law = k * v * (1.5 * dt - tick / 2);
        if (fabs(mean - law) > 0.002 * law)
            fail_msg("at %g Hz the drag is %g N instead of %g", rates[i], mean, law);
        if (rates[i] <= 30)
            assert_true(fabs(mean - 1.5 * k * v * dt) < 0.02 * 1.5 * k * v * dt);
        dv_scene_free(scene);
    }
}

static void cancelling_frees_free_motion(void **state)
{
    (void)state;
    static LogLine lines[2000];
    write_file("way.txt", "0 0 0 0\n10 0.5 0 0\n");
    DvScene *scene =
        load(0.01, "filename='way.txt' maxForce='0'", "stiffness='200' rampTime='0' cancelOutOfContact='1'", "");
    begin_log(scene);
    steps(scene, 100);
    end_log(scene);
    const size_t count = read_log(lines, 2000);
    assert_int_equal(count, 1000);
    for (size_t l = 0; l < count; l++)
        assert_true(lines[l].force[0] == 0 && lines[l].force[1] == 0);
    assert_false(dv_data_bool(output(scene, "contact")));
    dv_scene_free(scene);
}

/* The tool is held by a fixed point, the hand hangs on the sampled spring: m x'' = -K x with x of the last tick, and b x'. */
static double growth(double k, double b, double m, const char *passivity, double seconds, double *most)
{
    static LogLine lines[40000];
    char device[300], coupling[300];
    snprintf(device, sizeof device,
             "motion='hand' mass='%g' handStiffness='0' handDamping='%g' startVelocity='0.001 0 0' maxForce='0'", m, b);
    snprintf(coupling, sizeof coupling, "stiffness='%g' damping='0' rampTime='0' stallTime='1' passivity='%s'", k,
             passivity);
    DvScene *scene = load(0.01, device, coupling, "<FixedProjectiveConstraint indices='0'/>");
    begin_log(scene);
    steps(scene, (int)(seconds / 0.01));
    end_log(scene);
    dv_scene_free(scene);
    const size_t count = read_log(lines, 40000);
    /* Peaks of the way: the logarithm of the last against one of the first. */
    double first = 0, last = 0, first_time = 0, last_time = 0;
    *most = 0;
    for (size_t i = 1; i + 1 < count; i++) {
        const double x = fabs(lines[i].position[0]), y0 = fabs(lines[i - 1].position[0]),
                     y1 = fabs(lines[i + 1].position[0]);
        *most = fmax(*most, x);
        if (!(x >= y0 && x > y1))
            continue;
        const double bend = y0 - 2 * x + y1, peak = x - (y1 - y0) * (y1 - y0) / (8 * bend);
        if (first == 0)
            first = peak, first_time = lines[i].time;
        last = peak, last_time = lines[i].time;
    }
    return log(last / first) / (last_time - first_time);
}

static void a_sampled_spring_swings_up_as_it_must(void **state)
{
    (void)state;
    static const double springs[] = {50, 500, 2000}, dampers[] = {0, 0.1, 2}, masses[] = {0.05, 0.25, 1};
    double most;
    for (int k = 0; k < 3; k++)
        for (int b = 0; b < 3; b++)
            for (int m = 0; m < 3; m++) {
                if (sqrt(springs[k] / masses[m]) * 1e-3 >= 0.1 || dampers[b] * dampers[b] > springs[k] * masses[m])
                    continue;
                const double law = (springs[k] * 1e-3 / 2 - dampers[b]) / (2 * masses[m]);
                if (fabs(law) < 0.02 || fabs(law) > 20)
                    continue;
                const double time = fmin(3, fmax(0.6, 4 / fabs(law)));
                const double found = growth(springs[k], dampers[b], masses[m], "off", time, &most);
                if (fabs(found - law) > 0.05 * fabs(law))
                    fail_msg("K %g, b %g, m %g: %g instead of %g", springs[k], dampers[b], masses[m], found, law);
            }
    /* The controller stands against it. */
    assert_true(growth(2000, 0, 0.25, "off", 3, &most) > 1 && most > 10 * 0.001 / sqrt(2000 / 0.25));
    growth(2000, 0, 0.25, "control", 3, &most);
    assert_true(most < 1.1 * 0.001 / sqrt(2000 / 0.25));
}

/* What the hand has put in, from the log; the largest work of a tick. */
static double work_of_log(double *largest)
{
    static LogLine lines[40000];
    const size_t count = read_log(lines, 40000);
    double sum = 0;
    *largest = 0;
    for (size_t i = 1; i < count; i++) {
        double work = 0;
        for (int c = 0; c < 3; c++)
            work -= lines[i - 1].force[c] * (lines[i].position[c] - lines[i - 1].position[c]);
        sum += work;
        *largest = fmax(*largest, fabs(work));
    }
    return sum;
}

typedef struct Trial {
    double stiffness, mass, rate, latency, jitter, lost, limit;
    bool wall;
    bool goes_on;         /* after 0.8 s, in which it comes to rest, the hand is led away at 50 mm/s */
    double deficit, left; /* J: the most that there was until then, and at the end */
} Trial;

/* A hand on a spring that was struck, and a tool that is free or held. How much more came out than went in, at the begin of any step, in works of
 * a tick; 0 when limits were reached and the rest is told as deficit. `reach`: of the hand, for what it has by itself. */
static double out_of_nowhere(Trial *t, const char *passivity, double *reach)
{
    static LogLine lines[40000];
    char device[300], coupling[200];
    snprintf(
        device, sizeof device,
        "motion='hand' mass='%g' handStiffness='40' handDamping='0.2' startVelocity='0.1 0 0' maxForce='%g' filename='way.txt'",
        t->mass, t->limit);
    snprintf(coupling, sizeof coupling, "stiffness='%g' rampTime='0' stallTime='10' passivity='%s'%s", t->stiffness,
             passivity, t->wall ? " damping='0'" : "");
    write_file("way.txt", t->goes_on ? "0 0 0 0\n0.8 0 0 0\n1.8 0.05 0 0\n" : "0 0 0 0\n");
    DvScene *scene = load(1 / t->rate, device, coupling, t->wall ? "<FixedProjectiveConstraint indices='0'/>" : "");
    const DvHapticSchedule schedule = {.latency = t->latency, .jitter = t->jitter, .lost = t->lost, .seed = 5};
    assert_int_equal(service()->set_schedule(scene, &schedule), DV_OK);
    begin_log(scene);
    double alone = 0, with_deficit = 0;
    for (int i = 0; i < (int)((t->goes_on ? 1.4 : 0.8) * t->rate); i++) {
        steps(scene, 1);
        alone = fmin(alone, number(scene, "energyIn"));
        with_deficit = fmin(with_deficit, number(scene, "energyIn") + number(scene, "energyDeficit"));
        if (i <= (int)(0.8 * t->rate))
            t->deficit = fmax(t->deficit, number(scene, "energyDeficit"));
    }
    end_log(scene);
    t->left = number(scene, "energyDeficit");
    const bool limited = about(scene).clamped > 0;
    dv_scene_free(scene);
    double largest;
    (void)work_of_log(&largest);
    assert_true(with_deficit > -largest - 1e-12);
    const size_t count = read_log(lines, 40000);
    *reach = 0;
    for (size_t l = 0; l < count; l++)
        if (lines[l].time < 0.8)
            *reach = fmax(*reach, fabs(lines[l].position[0]));
    *reach /= 0.1 * sqrt(t->mass / 40);
    return limited ? 0 : -alone / (largest + 1e-12);
}

static void what_comes_out_has_been_put_in(void **state)
{
    (void)state;
    static const double springs[] = {10, 300, 1500, 5000}, masses[] = {0.05, 0.25, 1}, rates[] = {10, 30, 100, 500};
    int number = 0, freed = 0;
    double reach;
    for (int k = 0; k < 4; k++)
        for (int m = 0; m < 3; m++)
            for (int r = 0; r < 4; r++, number++) {
                Trial trial = {.stiffness = springs[k],
                               .mass = masses[m],
                               .rate = rates[r],
                               .latency = number % 3,
                               .jitter = number % 2 ? 0.7 : 0,
                               .lost = number % 4 == 1 ? 0.2 : 0,
                               .limit = number % 5 == 0 ? 0.5 : 0,
                               .wall = number % 7 == 3};
                const double out = out_of_nowhere(&trial, "control", &reach);
                if (out > 1 || reach > 1.5)
                    fail_msg(
                        "K %g, m %g, %g Hz, trial %d: %g works of a tick come from nowhere, the hand goes %g times "
                        "as far as it would",
                        springs[k], masses[m], rates[r], number, out, reach);
                (void)out_of_nowhere(&trial, "off", &reach);
                freed += reach > 1.5;
            }
    assert_true(freed > 0); /* the test can fail */
}

static double draw(uint64_t *seed)
{
    uint64_t z = *seed += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

/* Drawn from the whole range. What a limit left is paid back when the hand moves again. */
static void nothing_comes_from_nowhere_in_the_whole_range(void **state)
{
    (void)state;
    static const double rates[] = {10, 30, 100, 500};
    uint64_t seed = 1;
    double reach, most = 0;
    for (int i = 0; i < 80; i++) {
        Trial trial = {.stiffness = 10 * pow(500, draw(&seed)),
                       .mass = 0.05 * pow(20, draw(&seed)),
                       .rate = rates[i % 4],
                       .latency = 2 * draw(&seed),
                       .jitter = i % 3 ? 0.95 * draw(&seed) : 0,
                       .lost = i % 2 ? 0.2 * draw(&seed) : 0,
                       .limit = i % 5 < 2 ? 0.1 * pow(30, draw(&seed)) : 0,
                       .wall = i % 7 < 2,
                       .goes_on = true};
        const double out = out_of_nowhere(&trial, "control", &reach);
        most = fmax(most, trial.deficit);
        if (out > 1 || reach > 1 || (!trial.wall && trial.left > 0.02 * trial.deficit + 1e-6))
            fail_msg(
                "trial %d: K %g N/m, m %g kg, %g Hz, latency %g, jitter %g, lost %g, limit %g N: %g works of a tick from nowhere, the hand "
                "goes %g times as far as it would, of %g J that were lacking %g still are",
                i, trial.stiffness, trial.mass, trial.rate, trial.latency, trial.jitter, trial.lost, trial.limit, out,
                reach, trial.deficit, trial.left);
    }
    assert_true(most > 1e-4); /* there was something to be paid back */
}

static void a_force_comes_slowly_and_never_leaps(void **state)
{
    (void)state;
    static LogLine lines[4000];
    write_file("way.txt", "0 0.01 0 0\n");
    DvScene *scene = load(0.01, "filename='way.txt'", "stiffness='100' rampTime='0.2' passivity='off' damping='0'",
                          "<FixedProjectiveConstraint indices='0'/>");
    begin_log(scene);
    steps(scene, 50);
    end_log(scene);
    const size_t count = read_log(lines, 4000);
    for (size_t l = 0; l < count; l++)
        assert_true(fabs(lines[l].force[0] + fmin(1, lines[l].time / 0.2)) < 1e-9);
    /* Everything stops: gone within fadeTime; and comes back by the ramp. */
    service()->stop_forces(scene, true);
    begin_log(scene);
    steps(scene, 10);
    end_log(scene);
    size_t n = read_log(lines, 4000);
    for (size_t l = 0; l < n; l++)
        assert_true(fabs(lines[l].force[0] + fmax(0, 1 - (double)(l + 1) / 50)) < 1e-9);
    service()->stop_forces(scene, false);
    begin_log(scene);
    steps(scene, 30);
    end_log(scene);
    n = read_log(lines, 4000);
    for (size_t l = 0; l < n; l++)
        assert_true(fabs(lines[l].force[0] + fmin(1, (double)(l + 1) / 200)) < 1e-9);
    dv_scene_free(scene);
}

static void limits_keep_the_direction(void **state)
{
    (void)state;
    write_file("way.txt", "0 0 0 0\n0.5 0.03 0.04 0\n");
    DvScene *scene =
        load(0.01, "filename='way.txt'", "stiffness='200' rampTime='0' passivity='off' damping='0' maxForce='1.5'",
             "<FixedProjectiveConstraint indices='0'/>");
    steps(scene, 60);
    const double *f = dv_data_doubles(output(scene, "force"), NULL);
    assert_true(fabs(f[0] + 0.9) < 1e-12 && fabs(f[1] + 1.2) < 1e-12);
    assert_true(about(scene).clamped > 300);
    dv_scene_free(scene);
    scene = load(0.01, "filename='way.txt'",
                 "stiffness='200' rampTime='0' passivity='off' damping='0' maxForceRate='2' stallTime='1'",
                 "<FixedProjectiveConstraint indices='0'/>");
    steps(scene, 51);
    f = dv_data_doubles(output(scene, "force"), NULL);
    assert_true(fabs(hypot(f[0], f[1]) - 1) < 1e-9); /* half a second of 2 N/s */
    dv_scene_free(scene);
}

static void it_lets_go_and_takes_hold_again(void **state)
{
    (void)state;
    write_file("way.txt", "0 0 0 0\n0.2 0.03 0 0\n0.4 0.03 0 0\n0.6 0.005 0 0\n");
    DvScene *scene =
        load(0.01, "filename='way.txt'",
             "stiffness='50' rampTime='0.1' fadeTime='0.01' passivity='off' damping='0' breakDistance='0.02'",
             "<FixedProjectiveConstraint indices='0'/>");
    steps(scene, 10);
    assert_true(dv_data_bool(output(scene, "engaged")));
    steps(scene, 20);
    assert_false(dv_data_bool(output(scene, "engaged")));
    assert_true(about(scene).force[0] == 0);
    steps(scene, 50);
    assert_true(dv_data_bool(output(scene, "engaged")));
    assert_true(fabs(about(scene).force[0] + 0.25) < 1e-9);
    dv_scene_free(scene);
}

static void a_late_step_lets_the_force_fade(void **state)
{
    (void)state;
    write_file("way.txt", "0 0.01 0 0\n");
    DvScene *scene =
        load(0.01, "filename='way.txt'", "stiffness='100' rampTime='0' passivity='off' damping='0' stallTime='0.05'",
             "<FixedProjectiveConstraint indices='0'/>");
    const DvHapticSchedule late = {.latency = 20};
    assert_int_equal(service()->set_schedule(scene, &late), DV_OK);
    steps(scene, 4);
    assert_true(about(scene).force[0] != 0);
    steps(scene, 10);
    assert_true(about(scene).force[0] == 0);
    dv_scene_free(scene);
}

static void two_devices_never_share_a_force(void **state)
{
    (void)state;
    write_file("way.txt", "0 0.01 0 0\n");
    DvText text = {0};
    dv_text_add(&text, "<Node name='root' dt='0.01' gravity='0 0 0'><DefaultAnimationLoop/>");
    for (int i = 0; i < 2; i++)
        dv_text_add(
            &text,
            "<Node name='n%d'><SimulatedHapticDevice name='arm' resolution='0' filename='way.txt'/>"
            "<MechanicalObject name='state' template='Rigid3d'/><UniformMass totalMass='1'/><FixedProjectiveConstraint/>"
            "<VirtualCoupling name='coupling' rampTime='0' stiffness='%d' damping='0'/></Node>",
            i, 100 * (i + 1));
    dv_text_add(&text, "</Node>");
    DvScene *scene = NULL;
    assert_int_equal(dv_scene_load_text(text.at, text.length, "scene.scn", folder, NULL, &scene), DV_OK);
    dv_text_free(&text);
    steps(scene, 5);
    assert_int_equal(service()->count(scene), 2);
    DvHapticAbout a, b;
    assert_true(service()->about(scene, 0, &a) && service()->about(scene, 1, &b));
    assert_true(fabs(a.force[0] + 1) < 1e-12 && fabs(b.force[0] + 2) < 1e-12);
    dv_scene_free(scene);
}

/* What a run leads to, in bits: the tool and the way of the hand. */
static void run_on(DvScene *scene, int count, double out[14])
{
    steps(scene, count);
    memcpy(out, dv_state_read(scene_state(scene, "/tool/state"), DV_POSITION).at, 7 * sizeof *out);
    out[7] = about(scene).path;
    out[8] = about(scene).work;
    out[9] = number(scene, "energyIn");
    out[10] = number(scene, "energyRemoved");
    out[11] = about(scene).force[0];
    out[12] = (double)about(scene).ticks;
    out[13] = about(scene).time;
}

static void a_run_goes_on_and_begins_again_to_the_bit(void **state)
{
    (void)state;
    write_file("way.txt", "0 0 0 0\n0.3 0.03 0.01 0 0 0 0.6 0.8\n0.6 0 0 0.02\n");
    DvScene *scene = load(0.01, "motion='hand' filename='way.txt' drivenAxes='6'", "stiffness='300'", "");
    const DvHapticSchedule schedule = {.latency = 1.5, .jitter = 0.5, .lost = 0.1, .seed = 9};
    assert_int_equal(service()->set_schedule(scene, &schedule), DV_OK);
    DvMoment *moment = dv_moment_new(scene);
    double first[14], again[14];
    steps(scene, 23);
    assert_int_equal(dv_moment_take(moment), DV_OK);
    run_on(scene, 31, first);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(dv_moment_restore(moment), DV_OK);
        run_on(scene, 31, again);
        assert_memory_equal(first, again, sizeof first);
    }
    dv_moment_free(moment);
    dv_scene_reset(scene);
    run_on(scene, 54, again);
    assert_memory_equal(first, again, sizeof first);
    dv_scene_free(scene);
}

static void a_step_allocates_nothing(void **state)
{
    (void)state;
    DvScene *scene = load(0.01, "motion='hand'", "stiffness='300'", "");
    steps(scene, 5);
    const uint64_t before = dv_allocation_count();
    steps(scene, 20);
    assert_int_equal(dv_allocation_count(), before);
    dv_scene_free(scene);
}

static void what_is_wrong_is_said(void **state)
{
    (void)state;
    expect_load_error("<Node><DefaultAnimationLoop/><MechanicalObject template='Rigid3d'/><VirtualCoupling/></Node>",
                      "no haptic device");
    expect_load_error("<Node><DefaultAnimationLoop/><Node name='a'><SimulatedHapticDevice name='arm'/></Node>"
                      "<Node name='b'><MechanicalObject template='Rigid3d'/><VirtualCoupling/></Node></Node>",
                      "device=\"@/a/arm\"");
    expect_load_error("<Node><DefaultAnimationLoop/><SimulatedHapticDevice/><VirtualCoupling/></Node>",
                      "MechanicalObject");
    expect_load_error("<Node><DefaultAnimationLoop/><SimulatedHapticDevice/><MechanicalObject template='Rigid3d'/>"
                      "<VirtualCoupling stiffness='-1'/></Node>",
                      "0 or more");
    expect_load_error("<Node><DefaultAnimationLoop/><SimulatedHapticDevice/><MechanicalObject template='Rigid3d'/>"
                      "<VirtualCoupling index='3'/></Node>",
                      "no point 3");
    expect_load_error("<Node><DefaultAnimationLoop/><SimulatedHapticDevice/><MechanicalObject template='Rigid3d'/>"
                      "<VirtualCoupling name='a'/><VirtualCoupling name='b'/></Node>",
                      "one coupling");
    expect_load_error("<Node><DefaultAnimationLoop/><SimulatedHapticDevice/><MechanicalObject template='Vec1d'/>"
                      "<VirtualCoupling/></Node>",
                      "Vec1d");
}

static int begin(void **state)
{
    assert_non_null(mkdtemp(folder));
    return start_plugins(state);
}

static int end(void **state)
{
    (void)unlink(in_folder("way.txt"));
    (void)unlink(in_folder("log.csv"));
    (void)rmdir(folder);
    return stop_plugins(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(synchronous_forces_are_opposite_to_the_bit),
        cmocka_unit_test(free_motion_meets_the_drag_of_old_states),
        cmocka_unit_test(cancelling_frees_free_motion),
        cmocka_unit_test(a_sampled_spring_swings_up_as_it_must),
        cmocka_unit_test(what_comes_out_has_been_put_in),
        cmocka_unit_test(nothing_comes_from_nowhere_in_the_whole_range),
        cmocka_unit_test(a_force_comes_slowly_and_never_leaps),
        cmocka_unit_test(limits_keep_the_direction),
        cmocka_unit_test(it_lets_go_and_takes_hold_again),
        cmocka_unit_test(a_late_step_lets_the_force_fade),
        cmocka_unit_test(two_devices_never_share_a_force),
        cmocka_unit_test(a_run_goes_on_and_begins_again_to_the_bit),
        cmocka_unit_test(a_step_allocates_nothing),
        cmocka_unit_test(what_is_wrong_is_said),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
