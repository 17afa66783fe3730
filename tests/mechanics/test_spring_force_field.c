/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * SpringForceField: the conformance suite for each DOF type, and what its fields promise.
 */
#include "force_at.h"

#include <stdio.h>
#include <unistd.h>

#include <divan/contracts/topology.h>

#define CHAIN \
    "<MechanicalObject name='dofs' template='Vec3d' position='0 0 0  0.4 0.05 0.03  0.8 0 0.06  1.2 0.05 0  1.6 0.3 0.03'/>"
#define SPRINGS "0 1 150 0 0.38  1 2 170 0 0.38  4 2 190 0 0.5  3 4 210 0 0.38  0 3 80 0 1.5"

FORCE_FIELD_CONFORMANCE(springs_in_space, .internal = true, .objective = false,
                        .scene = "<Node>" CHAIN "<SpringForceField name='field' spring='" SPRINGS "'/></Node>")
FORCE_FIELD_CONFORMANCE(springs_on_a_line, .internal = true, .deformation = 0.02,
                        .scene = "<Node><MechanicalObject name='dofs' template='Vec1d' position='0 0.5 1.1 2'/>"
                                 "<SpringForceField name='field' spring='0 1 10 0 0.4 1 2 20 0 0.7 0 3 5 0 1'/></Node>")
FORCE_FIELD_CONFORMANCE(
    springs_in_the_plane, .internal = true,
    .scene = "<Node><MechanicalObject name='dofs' template='Vec2d' position='0 0 1 0 1 1 0 1.5'/>"
             "<SpringForceField name='field' spring='0 1 10 0 0.8 1 2 20 0 0.7 0 2 5 0 1 3 0 9 0 2'/></Node>")
FORCE_FIELD_CONFORMANCE(
    springs_in_six_dimensions, .internal = true,
    .scene = "<Node><MechanicalObject name='dofs' template='Vec6d' position='0 0 0 0 0 0  1 0 0 1 0 2  3 1 0 0 2 1'/>"
             "<SpringForceField name='field' spring='0 1 10 0 0.8 1 2 20 0 0.7'/></Node>")
FORCE_FIELD_CONFORMANCE(
    springs_between_bodies, .internal = true,
    .scene = "<Node><MechanicalObject name='dofs' template='Rigid3d' position='0 0 0 0 0 0 1  1 0 0 0 0 0.6 0.8 "
             "1 1 0 0 1 0 0'/><SpringForceField name='field' spring='0 1 10 0 0.8 1 2 20 0 0.7'/></Node>")
FORCE_FIELD_CONFORMANCE(springs_between_two_states, .internal = true,
                        .scene = "<Node><Node name='A'>" CHAIN "</Node><Node name='B'>"
                                 "<MechanicalObject name='dofs' template='Vec3d' position='0 1 0  1 1 0'/></Node>"
                                 "<SpringForceField name='field' object1='@A/dofs' object2='@B/dofs' "
                                 "spring='0 1 150 0 0.38  3 0 170 0 0.38 3 1 20 0 1'/></Node>")

/* More springs than one chunk: points gather. */
static void a_thousand_springs_are_a_force_field(void **state)
{
    (void)state;
    enum { SIDE = 24 };
    DvText text = {0};
    dv_text_add(&text, "<Node><MechanicalObject name='dofs' template='Vec2d' position='");
    for (int i = 0; i < SIDE * SIDE; i++)
        dv_text_add(&text, "%d %d ", i % SIDE, i / SIDE);
    dv_text_add(&text, "'/><SpringForceField name='field' spring='");
    for (int i = 0; i < SIDE * SIDE; i++) {
        if (i % SIDE + 1 < SIDE)
            dv_text_add(&text, "%d %d %d 0.5 0.8 ", i, i + 1, 10 + i % 7);
        if (i / SIDE + 1 < SIDE)
            dv_text_add(&text, "%d %d %d 0 1.1 ", i + SIDE, i, 20 + i % 5);
    }
    dv_text_add(&text, "'/></Node>");
    DvScene *scene = scene_from_text(text.at);
    static Forces one, two;
    forces_at_time(scene, 0.0, &one);
    dv_parallel_set_threads(2);
    forces_at_time(scene, 0.0, &two);
    dv_parallel_set_threads(1);
    assert_memory_equal(&one, &two, sizeof one);
    assert_close(one.at[0][0], 10 * (1 - 0.8), 1e-12); /* the corner: one spring along x ... */
    assert_close(one.at[0][1], 20 * (1 - 1.1), 1e-12); /* ... and one along y */
    dv_scene_free(scene);
    dv_text_free(&text);
}

static void a_stretched_and_damped_spring_has_the_force_of_the_closed_form(void **state)
{
    (void)state;
    static Forces f;
    forces_of("<Node><MechanicalObject name='dofs' template='Vec3d' position='0 0 0  3 4 0' velocity='0 0 0  1 2 5'/>"
              "<SpringForceField name='field' spring='0 1 10 2 1'/></Node>",
              &f);
    const double tension = 10 * (5 - 1) + 2 * (0.6 * 1 + 0.8 * 2);
    assert_close(f.at[0][0], 0.6 * tension, 1e-12);
    assert_close(f.at[0][1], 0.8 * tension, 1e-12);
    assert_close(f.at[0][2], 0.0, 0.0);
    assert_close(f.at[0][4], -0.8 * tension, 1e-12);
}

static void a_mass_on_a_spring_swings_with_the_period_of_the_closed_form(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text("<Node gravity='0 0 0' dt='0.0005'><DefaultAnimationLoop/><EulerExplicitSolver/>"
                                     "<MechanicalObject name='dofs' template='Vec1d' position='0 1.1'/>"
                                     "<UniformMass vertexMass='2'/><FixedProjectiveConstraint indices='0'/>"
                                     "<SpringForceField name='field' spring='0 1 50 0 1'/></Node>");
    const DvStateRef dofs = scene_state(scene, "/dofs");
    const double period = 2 * 3.14159265358979 * sqrt(2.0 / 50.0);
    int crossings = 0, steps = 0;
    double before = 0.1, last = 0.0;
    while (crossings < 4) {
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
        steps++;
        const double now = dv_state_read(dofs, DV_POSITION).at[1] - 1.0;
        if (before < 0.0 && now >= 0.0) {
            const double when = 0.0005 * (steps - now / (now - before));
            if (crossings++ > 0)
                assert_close(when - last, period, 1e-4 * period);
            last = when;
        }
        before = now;
    }
    dv_scene_free(scene);
}

static void a_slack_spring_that_resists_elongation_only_has_no_force(void **state)
{
    (void)state;
    static Forces slack, taut;
    forces_of(
        "<Node><MechanicalObject template='Vec1d' position='0 1'/><SpringForceField name='field' springsIndices1='0' "
        "springsIndices2='1' stiffness='10' damping='0' lengths='2' elongationOnly='1'/></Node>",
        &slack);
    forces_of(
        "<Node><MechanicalObject template='Vec1d' position='0 3'/><SpringForceField name='field' indices1='0' indices2='1' "
        "stiffness='10' damping='0' length='2' elongationOnly='1'/></Node>",
        &taut);
    assert_close(slack.at[0][0], 0.0, 0.0);
    assert_close(taut.at[0][0], 10.0, 1e-14);
}

static void springs_can_be_switched_off_one_by_one(void **state)
{
    (void)state;
    DvScene *scene =
        scene_from_text("<Node><MechanicalObject template='Vec1d' position='0 1 3'/><SpringForceField name='field' "
                        "indices1='0 1' indices2='1 2' stiffness='10' damping='0' enabled='1 0'/></Node>");
    static Forces f;
    forces_at_time(scene, 0.0, &f);
    assert_close(f.at[0][0], 10.0, 1e-14);
    assert_close(f.at[0][2], 0.0, 0.0);
    bool *enabled = dv_data_begin(dv_object_field(scene_object(scene, "/field"), "enabled"), 2);
    enabled[0] = false;
    enabled[1] = true;
    dv_data_end(dv_object_field(scene_object(scene, "/field"), "enabled"));
    forces_at_time(scene, 0.0, &f);
    assert_close(f.at[0][0], 0.0, 0.0);
    assert_close(f.at[0][2], -20.0, 1e-14);
    dv_scene_free(scene);
}

static void springs_given_by_points_have_rest_length_zero_and_repeat_the_last_value(void **state)
{
    (void)state;
    DvScene *scene =
        scene_from_text("<Node><MechanicalObject template='Vec1d' position='0 1 3'/><SpringForceField name='field' "
                        "indices1='0 1' indices2='1 2' stiffness='10' damping='0'/></Node>");
    static Forces f;
    forces_at_time(scene, 0.0, &f);
    assert_close(f.at[0][0], 10.0, 1e-14);
    assert_close(f.at[0][2], -20.0, 1e-14);
    size_t count;
    const double *stiffness = field_doubles(scene, "/field", "stiffness", &count);
    assert_int_equal(count, 2);
    assert_close(stiffness[1], 10.0, 0.0);
    /* A change of a list is taken up. */
    dv_data_set(dv_object_field(scene_object(scene, "/field"), "lengths"), (double[]){0.5, 1.5}, 2);
    forces_at_time(scene, 0.0, &f);
    assert_close(f.at[0][0], 5.0, 1e-14);
    assert_close(f.at[0][2], -5.0, 1e-14);
    dv_scene_free(scene);
}

/* K = -((k - s / d) u u^T + s / d I) for a spring of length d and tension s along u. */
static void springs_have_the_stiffness_of_the_last_force_and_changed_ones_none(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text("<Node><MechanicalObject template='Vec2d' position='0 0 3 4'/>"
                                     "<SpringForceField name='field' spring='0 1 10 0 1'/></Node>");
    DvObject *field = scene_object(scene, "/field");
    const DvForceFieldOps *ops = field_ops(field);
    const DvStep step = {.dt = 0.01, .position = DV_POSITION, .velocity = DV_VELOCITY};
    const double dx[4] = {0, 0, 1, 0};
    double df[4] = {0};
    static Forces f;
    forces_at_time(scene, 0.0, &f);
    assert_close(f.at[0][0], 24.0, 1e-13);
    ops->add_dforce(dv_object_self(field), &step, 1.0, 0.0, &(DvConstVec){dx, 2, 2}, &(DvVec){df, 2, 2});
    assert_close(df[2], -8.72, 1e-13); /* d = 5, s = 40 */
    assert_close(df[3], -0.96, 1e-13);
    assert_close(df[0], 8.72, 1e-13);
    dv_data_set(dv_object_field(field, "stiffness"), (double[]){20.0}, 1);
    (void)ops->structure(dv_object_self(field));
    memset(df, 0, sizeof df);
    ops->add_dforce(dv_object_self(field), &step, 1.0, 0.0, &(DvConstVec){dx, 2, 2}, &(DvVec){df, 2, 2});
    for (int i = 0; i < 4; i++)
        assert_close(df[i], 0.0, 0.0);
    dv_scene_free(scene);
}

static void springs_between_points_at_the_same_place_are_inert(void **state)
{
    (void)state;
    static Forces f;
    forces_of("<Node><MechanicalObject template='Vec3d' position='1 2 3  1 2 3'/>"
              "<SpringForceField name='field' spring='0 1 10 1 0.5'/></Node>",
              &f);
    for (int i = 0; i < 6; i++)
        assert_true(f.at[0][i] == 0.0);
}

static void a_spring_file_is_appended(void **state)
{
    (void)state;
    char path[] = P_tmpdir "/divan-springs-XXXXXX";
    const int handle = mkstemp(path);
    FILE *file = fdopen(handle, "w");
    fprintf(file, "Xsp 3.0\nnumm 2\nnums 1\n# a comment\ngrav 0 0 -9 0\nmass 1 s 0 0 0 0 0 0 1 0\n"
                  "mass 2 s 0 2 0 0 0 0 1 0\nlspg 1 1 2 8 4 -1\nvisc 0.1\n");
    fclose(file);
    char text[512];
    snprintf(
        text, sizeof text,
        "<Node><MechanicalObject template='Vec1d' position='0 3'/><SpringForceField name='field' spring='0 1 10 0 1' "
        "fileSprings='%s'/></Node>",
        path);
    DvScene *scene = scene_from_text(text);
    static Forces f;
    forces_at_time(scene, 0.0, &f);
    assert_close(f.at[0][0], 10 * (3 - 1) + 8.0 / 2 * (3 - 2), 1e-13);
    DvText printed = {0};
    dv_data_print(dv_object_field(scene_object(scene, "/field"), "spring"), &printed);
    assert_string_equal(printed.at, "0 1 10 0 1 0 1 4 2 2");
    dv_text_free(&printed);
    dv_scene_free(scene);
    file = fopen(path, "w");
    fprintf(file, "Xsp 3.0\nrope 1 2\n");
    fclose(file);
    expect_load_error(text, "unknown keyword");
    unlink(path);
}

/* A scene of 200 points on a line with the springs of a file, or NULL and what is said of it. */
static DvScene *springs_of_file(const char *text, const char *mistake)
{
    char path[] = P_tmpdir "/divan-springs-XXXXXX";
    FILE *file = fdopen(mkstemp(path), "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    fclose(file);
    DvText scene = {0};
    dv_text_add(
        &scene,
        "<Node><MechanicalObject template='Vec1d' size='200'/><SpringForceField name='field' fileSprings='%s'/></Node>",
        path);
    DvScene *loaded = NULL;
    if (mistake)
        expect_load_error(scene.at, mistake);
    else
        loaded = scene_from_text(scene.at);
    dv_text_free(&scene);
    unlink(path);
    return loaded;
}

static void lines_of_spring_files_are_read_or_named(void **state)
{
    (void)state;
    static const struct {
        const char *text, *springs, *mistake;
    } cases[] = {
        {"Xsp 3.0\n", "", NULL},
        {"# old\n\nXsp 4.0\nlspg 1 2 1 8 4 0.5 1 2 3\n", "1 0 8 4 0.5", NULL},
        {"Xsp 3.0\nmass 1 s 1 2 2 0 0 0 1 0\nmass 2 v 0 0 0\nlspg 7 1 2 6 3 -1\n", "0 1 2 1 3", NULL},
        {"Xsp 3.0\nnumm 9\nnums 9\ngrav 1\nvisc 2\nstep 3\nfrce 4\nlspg 1 200 1 5 6 7\nlspg 2 3 4 8 9 0\n",
         "199 0 5 6 7 2 3 8 9 0", NULL},
        {"", NULL, ":0: a spring file starts with 'Xsp 3.0' or 'Xsp 4.0'"},
        {"# nothing\n", NULL, ":1: a spring file starts with"},
        {"Xsp 2.0\n", NULL, ":1: a spring file starts with"},
        {"Xsp\n", NULL, ":1: a spring file starts with"},
        {"lspg 1 1 2 1 1 1\n", NULL, ":1: a spring file starts with"},
        {"Xsq 3.0\n", NULL, ":1: a spring file starts with"},
        {"Xsp 3.0\nmass\n", NULL, ":2: a mass is 'mass index s|v px py pz ...'"},
        {"Xsp 3.0\nmass 1\n", NULL, ":2: a mass is"},
        {"Xsp 3.0\nmass 1 s\n", NULL, ":2: a mass is"},
        {"Xsp 3.0\nmass 1 s 1\n", NULL, ":2: a mass is"},
        {"Xsp 3.0\nmass 1 s 1 2\n", NULL, ":2: a mass is"},
        {"Xsp 3.0\n\nlspg\n", NULL, ":3: a spring is 'lspg index m1 m2 ks kd rest'"},
        {"Xsp 3.0\nlspg 1\n", NULL, ":2: a spring is"},
        {"Xsp 3.0\nlspg 1 1\n", NULL, ":2: a spring is"},
        {"Xsp 3.0\nlspg 1 1 2\n", NULL, ":2: a spring is"},
        {"Xsp 3.0\nlspg 1 1 2 3\n", NULL, ":2: a spring is"},
        {"Xsp 3.0\nlspg 1 1 2 3 4\n", NULL, ":2: a spring is"},
        {"Xsp 3.0\nlspg 1 0 2 3 4 5\n", NULL, ":2: masses are counted from 1"},
        {"Xsp 3.0\nlspg 1 2 0 3 4 5\n", NULL, ":2: masses are counted from 1"},
        {"Xsp 3.0\nmass 1 s 0 0 0\nlspg 1 1 2 3 4 -1\n", NULL, ":3: a rest length of -1 needs both masses"},
        {"Xsp 3.0\nmass 1 s 0 0 0\nlspg 1 2 1 3 4 -1\n", NULL, ":3: a rest length of -1 needs both masses"},
        {"Xsp 3.0\nmass 1 s 1 2 3\nmass 2 s 1 2 3\nlspg 1 2 1 3 4 -1\n", NULL,
         ":4: the masses of a spring are at the same place"},
        {"Xsp 3.0\nlspg 1 1 201 3 4 5\n", NULL, "spring[0]: no point 200: the state has 200"},
        {"Xsp 3.0\nwire 1\n", NULL, ":2: unknown keyword; mass, lspg"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        DvScene *scene = springs_of_file(cases[i].text, cases[i].mistake);
        if (!scene)
            continue;
        DvText printed = {0};
        dv_data_print(dv_object_field(scene_object(scene, "/field"), "spring"), &printed);
        assert_string_equal(printed.at ? printed.at : "", cases[i].springs);
        dv_text_free(&printed);
        dv_scene_free(scene);
    }
    DvText line = {0};
    for (int length = 1022; length < 1026;
         length++) { /* one of 1023 letters is the first that is too long, with an end or without */
        dv_text_add(&line, "Xsp 3.0\n#%*s\n", length, "");
        DvScene *scene = springs_of_file(line.at, length > 1021 ? ":2: the line is too long" : NULL);
        dv_scene_free(scene);
        dv_text_free(&line);
    }
    dv_text_add(&line, "Xsp 3.0\n#%*s\nlspg 1 1 2 3 4 5\n", 1020, "");
    dv_scene_free(springs_of_file(line.at, NULL));
    dv_text_free(&line);
}

/* More of both than a file has room for at first: masses k^2 / 2 along a line, springs between neighbours. */
static void a_long_spring_file_is_read_whole(void **state)
{
    (void)state;
    enum { MASSES = 200 };
    DvText text = {0};
    dv_text_add(&text, "Xsp 4.0\n");
    for (int k = 0; k < MASSES; k++)
        dv_text_add(&text, "mass %d s %g 0 0\n", k + 1, 0.5 * k * k);
    for (int k = 1; k < MASSES; k++)
        dv_text_add(&text, "lspg %d %d %d %d 0 -1\n", k, k, k + 1, k);
    DvScene *scene = springs_of_file(text.at, NULL);
    dv_text_free(&text);
    DvData *springs = dv_object_field(scene_object(scene, "/field"), "spring");
    dv_data_print(springs, &text);
    const char *at = text.at;
    for (int k = 1; k < MASSES; k++) {
        double number[5];
        for (int c = 0; c < 5; c++)
            assert_true(dv_read_double(&at, &number[c]));
        const double length = k - 0.5; /* (k^2 - (k - 1)^2) / 2 */
        assert_true(number[0] == k - 1 && number[1] == k && number[3] == 0.0);
        assert_close(number[2], k / length, 1e-14);
        assert_close(number[4], length, 1e-12);
    }
    assert_true(at[strspn(at, " ")] == 0);
    dv_text_free(&text);
    dv_scene_free(scene);
}

static void flags_survive_printing(void **state)
{
    (void)state;
    DvScene *scene =
        scene_from_text("<Node><MechanicalObject template='Vec1d' position='0 1 3'/><SpringForceField name='field' "
                        "spring='0 1 10 0 1 elongationOnly disabled 1 2 0.1 0 2'/></Node>");
    DvText printed = {0};
    dv_data_print(dv_object_field(scene_object(scene, "/field"), "spring"), &printed);
    assert_string_equal(printed.at, "0 1 10 0 1 elongationOnly disabled 1 2 0.1 0 2");
    dv_text_free(&printed);
    dv_scene_free(scene);
}

static void rayleigh_stiffness_is_a_field(void **state)
{
    (void)state;
    DvScene *scene =
        scene_from_text("<Node><MechanicalObject template='Vec1d' position='0 1'/>"
                        "<SpringForceField name='field' rayleighStiffness='0.25' spring='0 1 1 0 1'/></Node>");
    assert_close(dv_data_double(dv_object_field(scene_object(scene, "/field"), "rayleighStiffness")), 0.25, 0.0);
    dv_scene_free(scene);
}

static void a_spring_to_a_missing_point_is_named(void **state)
{
    (void)state;
    expect_load_error(
        "<Node>\n<MechanicalObject template='Vec3d' position='0 0 0 1 0 0 2 0 0'/>\n"
        "<SpringForceField name='Springs' spring='0 1 1 1 1 0 9 1 1 1'/></Node>",
        "scene.scn:3:34: SpringForceField 'Springs': spring[1]: no point 9: the state has 3, counted from 0");
}

static void lists_of_different_length_are_named(void **state)
{
    (void)state;
    expect_load_error("<Node><MechanicalObject template='Vec1d' position='0 1 2'/>"
                      "<SpringForceField name='S' indices1='0 1' indices2='1'/></Node>",
                      "holds 1 points, springsIndices1 holds 2");
}

/* ---- Points that go and change their numbers ---- */

enum { BEADS = 12, TIES = 18 };

static uint32_t random_below(uint32_t *seed, uint32_t limit)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (uint32_t)(((uint64_t)*seed * limit) >> 32);
}

/* Bead number i of the start is at x = i. */
static DvVec3 bead(uint32_t i)
{
    return dv_vec3(i, 0.5 * sin(5.0 * i), cos(3.0 * i));
}

/* Springs between beads, of which some go, some at a time, and the others change places: those whose beads are there pull as they did. */
static void springs_follow_points_that_go_and_change_places(void **state)
{
    (void)state;
    uint32_t seed = 3;
    for (int round = 0; round < 30; round++) {
        DvText text = {0};
        uint32_t end[TIES][2];
        dv_text_add(&text, "<Node><PointSetTopologyContainer position='");
        for (uint32_t i = 0; i < BEADS; i++)
            dv_text_add(&text, "%.17g %.17g %.17g ", bead(i).x, bead(i).y, bead(i).z);
        dv_text_add(&text, "'/><PointSetTopologyModifier name='modifier'/><MechanicalObject name='dofs'/>"
                           "<SpringForceField name='field' spring='");
        for (uint32_t k = 0; k < TIES; k++) {
            end[k][0] = random_below(&seed, BEADS);
            end[k][1] = (end[k][0] + 1 + random_below(&seed, BEADS - 1)) % BEADS;
            dv_text_add(&text, "%u %u %u 0 0.25 ", end[k][0], end[k][1], 10 + k);
        }
        dv_text_add(&text, "'/></Node>");
        DvScene *scene = scene_from_text(text.at);
        dv_text_free(&text);
        DvObject *modifier = scene_object(scene, "/modifier");
        const DvTopologyModifierOps *ops = dv_object_ops(modifier, DV_TOPOLOGY_MODIFIER);
        const DvStateRef dofs = scene_state(scene, "/dofs");
        for (uint32_t count = BEADS; count > 3;) {
            uint32_t chosen[BEADS], order[BEADS];
            for (uint32_t i = 0; i < count; i++)
                order[i] = i;
            for (uint32_t i = count; i > 1; i--) {
                const uint32_t j = random_below(&seed, i), swapped = order[i - 1];
                order[i - 1] = order[j];
                order[j] = swapped;
            }
            const uint32_t gone = random_below(&seed, 4);
            memcpy(chosen, order, sizeof chosen);
            assert_int_equal(gone == 0 ? ops->renumber_points(dv_object_self(modifier), order)
                                       : ops->remove_points(dv_object_self(modifier), gone, chosen),
                             DV_OK);
            count -= gone;
            static Forces f;
            forces_at_time(scene, 0.0, &f);
            const DvConstVec x = dv_state_read(dofs, DV_POSITION);
            assert_int_equal(x.count, count);
            bool there[BEADS] = {false};
            for (uint32_t i = 0; i < count; i++)
                there[(uint32_t)x.at[3 * i]] = true;
            for (uint32_t i = 0; i < count; i++) {
                const uint32_t own = (uint32_t)x.at[3 * i];
                DvVec3 sum = dv_vec3_zero();
                for (uint32_t k = 0; k < TIES; k++) {
                    if ((end[k][0] != own && end[k][1] != own) || !there[end[k][0]] || !there[end[k][1]])
                        continue;
                    const DvVec3 along = dv_vec3_sub(bead(end[k][end[k][0] == own]), bead(own));
                    const double length = dv_vec3_norm(along);
                    sum = dv_vec3_madd(sum, (10.0 + k) * (length - 0.25) / length, along);
                }
                for (uint32_t c = 0; c < 3; c++)
                    assert_close(f.at[0][3 * i + c], c == 0 ? sum.x : c == 1 ? sum.y : sum.z, 1e-10);
            }
        }
        dv_scene_free(scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(springs_follow_points_that_go_and_change_places),
        cmocka_unit_test(springs_in_space),
        cmocka_unit_test(springs_on_a_line),
        cmocka_unit_test(springs_in_the_plane),
        cmocka_unit_test(springs_in_six_dimensions),
        cmocka_unit_test(springs_between_bodies),
        cmocka_unit_test(springs_between_two_states),
        cmocka_unit_test(a_thousand_springs_are_a_force_field),
        cmocka_unit_test(a_stretched_and_damped_spring_has_the_force_of_the_closed_form),
        cmocka_unit_test(a_mass_on_a_spring_swings_with_the_period_of_the_closed_form),
        cmocka_unit_test(a_slack_spring_that_resists_elongation_only_has_no_force),
        cmocka_unit_test(springs_can_be_switched_off_one_by_one),
        cmocka_unit_test(springs_given_by_points_have_rest_length_zero_and_repeat_the_last_value),
        cmocka_unit_test(springs_have_the_stiffness_of_the_last_force_and_changed_ones_none),
        cmocka_unit_test(springs_between_points_at_the_same_place_are_inert),
        cmocka_unit_test(a_spring_file_is_appended),
        cmocka_unit_test(lines_of_spring_files_are_read_or_named),
        cmocka_unit_test(a_long_spring_file_is_read_whole),
        cmocka_unit_test(flags_survive_printing),
        cmocka_unit_test(rayleigh_stiffness_is_a_field),
        cmocka_unit_test(a_spring_to_a_missing_point_is_named),
        cmocka_unit_test(lists_of_different_length_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, stop_plugins);
}
