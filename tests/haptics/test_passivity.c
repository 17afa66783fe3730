/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * VirtualCoupling gives back no more than it took: the growth of a sampled spring, energy that nobody has put in, the steps of an encoder.
 */
#include "coupling_scene.h"
#include "share.h"

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
    double stiffness, mass, rate, latency, jitter, lost, limit, resolution;
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
    dv_data_set_double(dv_object_field(scene_object(scene, "/arm"), "resolution"), t->resolution);
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
                if (freed == 0 || share_is_long()) { /* the test can fail */
                    (void)out_of_nowhere(&trial, "off", &reach);
                    freed += reach > 1.5;
                }
            }
    assert_true(freed > 0);
}

static double draw(uint64_t *seed)
{
    uint64_t z = *seed += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

/* Drawn from the whole range. */
static Trial drawn(int i, uint64_t *seed)
{
    static const double rates[] = {10, 30, 100, 500};
    return (Trial){.stiffness = 10 * pow(500, draw(seed)),
                   .mass = 0.05 * pow(20, draw(seed)),
                   .rate = rates[i % 4],
                   .latency = 2 * draw(seed),
                   .jitter = i % 3 ? 0.95 * draw(seed) : 0,
                   .lost = i % 2 ? 0.2 * draw(seed) : 0,
                   .limit = i % 5 < 2 ? 0.1 * pow(30, draw(seed)) : 0,
                   .wall = i % 7 < 2,
                   .goes_on = true};
}

/* What a limit left is paid back when the hand moves again. */
static void nothing_comes_from_nowhere_in_the_whole_range(void **state)
{
    (void)state;
    uint64_t seed = 1;
    double reach, most = 0;
    for (int i = 0; i < (share_is_long() ? 80 : 40); i++) {
        Trial trial = drawn(i, &seed);
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

/* The same with places told in steps of 0.055 mm: the work of steps is no work of the hand, but the hand stays as bounded. */
static void nor_does_it_with_an_encoder(void **state)
{
    (void)state;
    uint64_t seed = 1;
    double reach;
    for (int i = 0; i < 80; i++) {
        Trial trial = drawn(i, &seed);
        trial.resolution = 5.5e-5;
        if (!share_has((size_t)i) || (i % 2 == 1 && !share_is_long()))
            continue;
        const double out = out_of_nowhere(&trial, "control", &reach);
        if (out > 1 || reach > 1)
            fail_msg("trial %d: K %g N/m, m %g kg, %g Hz: %g works of a tick, the hand goes %g times as far", i,
                     trial.stiffness, trial.mass, trial.rate, out, reach);
    }
}

/* Free motion of a hand at `speed` on a device that tells places in steps of `resolution`: the farthest that the force of a tick is from that of the spring
 * alone, and the energy that was taken away. */
static double chatter(double speed, double resolution, const char *coupling, double *removed)
{
    static LogLine lines[2][4000];
    static const char *const passivities[2] = {"control", "off"};
    size_t count[2];
    for (int p = 0; p < 2; p++) {
        char device[200], way[200], set[300];
        snprintf(way, sizeof way, "0 0 0 0\n0.3 %.17g 0 0\n1 %.17g 0 0\n", 0.3 * speed, speed);
        write_file("way.txt", way);
        snprintf(device, sizeof device, "filename='way.txt' maxForce='0'");
        snprintf(set, sizeof set, "rampTime='0' stallTime='1' passivity='%s' %s", passivities[p], coupling);
        DvScene *scene = load(0.01, device, set, "");
        DvData *field = dv_object_field(scene_object(scene, "/arm"), "resolution");
        dv_data_set_double(field, resolution);
        begin_log(scene);
        steps(scene, 100);
        end_log(scene);
        if (p == 0)
            *removed = number(scene, "energyRemoved");
        dv_scene_free(scene);
        count[p] = read_log(lines[p], 4000);
    }
    assert_int_equal(count[0], count[1]);
    double most = 0;
    for (size_t l = 0; l < count[0]; l++)
        if (lines[0][l].time > 0.2)
            most = fmax(most, fabs(lines[0][l].force[0] - lines[1][l].force[0]));
    return most;
}

/* The mean over n ticks sees a step too many, and pays by a damper of m / 2 T over n; or pays what n ticks may lack: of a sampled spring, and of a damper
 * whose speed is off by a step in the mean. */
static double most_chatter(double v, double q, double k, double c)
{
    const double tick = 1e-3, damper = 0.5 * 0.05 / tick, n = fmin(8, fmax(1, floor(4 * q / (v * tick))));
    return fmin(damper * (v + q / n / tick) / n, n * (c * fmax(v / 4, q / 8 / tick) + k * tick * v / 2));
}

/* Each step of an encoder looks like a leap: once they made 1.4 N. */
static void steps_of_an_encoder_make_no_chatter(void **state)
{
    (void)state;
    static const double speeds[] = {0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3}, steps_of[] = {1e-5, 5.5e-5, 2e-4};
    static const char *const modes[] = {"", "extrapolate='velocity'", "mode='synchronous'"};
    double removed, nearest = 0;
    for (int i = 0; i < 8 * 3 * 3 * 4; i++) {
        const double v = speeds[i % 8], q = steps_of[i / 8 % 3], k = i / 72 % 2 ? 2700 : 300, c = i / 144 ? 9 : 1;
        char set[200];
        snprintf(set, sizeof set, "stiffness='%g' damping='%g' %s", k, c, modes[i / 24 % 3]);
        if (!share_has((size_t)i) || (i % 2 == 1 && !share_is_long()))
            continue;
        const double most = chatter(v, q, set, &removed), law = most_chatter(v, q, k, c);
        nearest = fmax(nearest, most / law);
        if (most > 1.001 * law)
            fail_msg("%g m/s, steps of %g m, %s: a chatter of %g N, not below %g", v, q, set, most, law);
    }
    assert_true(nearest > 0.8 || getenv("DIVAN_TEST_SHARE"));
    for (int i = 0; i < 5; i++) { /* what a damper that is not given makes */
        const double v = speeds[i];
        assert_true(chatter(v, 5.5e-5, "stiffness='1000'", &removed) < 0.1);
        /* A spring alone makes nothing: by what is sure it gets what it stores. */
        if (v > 0.004)
            assert_true(chatter(v, 5.5e-5, "stiffness='300' damping='0'", &removed) < 1e-12);
        assert_true(chatter(v, 5.5e-5, "stiffness='300' cancelOutOfContact='1'", &removed) == 0 && removed == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sampled_spring_swings_up_as_it_must),
        cmocka_unit_test(what_comes_out_has_been_put_in),
        cmocka_unit_test(nothing_comes_from_nowhere_in_the_whole_range),
        cmocka_unit_test(nor_does_it_with_an_encoder),
        cmocka_unit_test(steps_of_an_encoder_make_no_chatter),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
