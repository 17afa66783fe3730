/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What engines compute after initialisation and after some steps, against the outputs of the reference: engines/<class>.scn and .outputs.
 *
 *   STEP <k> <time>
 *   DATA <path>.<field> <number of values> <values>
 */
#include "scene_text.h"

#include <divan/divan.h>
#include <divan/math/quat.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static FILE *open_file(const char *name, const char *suffix)
{
    char path[512];
    (void)snprintf(path, sizeof path, "%s/tests/topology/engines/%s%s", getenv("DIVAN_TEST_SOURCE_ROOT"), name, suffix);
    FILE *file = fopen(path, "r");
    if (!file)
        fail_msg("%s is not there", path);
    return file;
}

static DvScene *load(const char *name)
{
    static char text[1 << 16];
    FILE *file = open_file(name, ".scn");
    const size_t length = fread(text, 1, sizeof text - 1, file);
    text[length] = '\0';
    (void)fclose(file);
    return scene_from_text(text);
}

static double number_at(const DvData *data, size_t i)
{
    switch (data->type->scalar) {
    case DV_SCALAR_UINT:
        return ((const uint32_t *)data->value)[i];
    case DV_SCALAR_INT:
        return ((const int32_t *)data->value)[i];
    case DV_SCALAR_DOUBLE:
        return ((const double *)data->value)[i];
    case DV_SCALAR_OPAQUE: /* lists of lists: lengths and entries */
        return data->type->element_size == sizeof(double) ? ((const double *)data->value)[i]
                                                          : ((const int32_t *)data->value)[i];
    default:
        fail_msg("%s holds no numbers", data->field->name);
    }
    return NAN;
}

/* "/Engines/one.indices 3 0 1 2" */
static void expect_data(const DvScene *scene, char *line)
{
    char *rest = line;
    char *path = strtok_r(rest, " ", &rest), *field = strrchr(path, '.');
    *field++ = '\0';
    DvData *data = dv_object_field(scene_object(scene, path), field);
    if (!data)
        fail_msg("%s has no %s", path, field);
    (void)dv_data_read(data);
    const size_t count = strtoul(rest, &rest, 10), there = data->count * data->type->components;
    if (count != there)
        fail_msg("%s.%s has %zu numbers, not %zu", path, field, there, count);
    for (size_t i = 0; i < count; i++) {
        const double expected = strtod(rest, &rest), found = number_at(data, i);
        if (!(fabs(found - expected) <= 1e-9 * fabs(expected) + 1e-12))
            fail_msg("%s.%s[%zu] is %.17g, not %.17g", path, field, i, found, expected);
    }
}

static void outputs_are_those_of_the_reference(void **state)
{
    static char line[1 << 16];
    DvScene *scene = load(*state);
    FILE *file = open_file(*state, ".outputs");
    unsigned checked = 0;
    while (fgets(line, sizeof line, file))
        if (strncmp(line, "STEP ", 5) == 0) {
            while (dv_scene_steps(scene) < strtoul(line + 5, NULL, 10))
                assert_int_equal(dv_scene_step(scene, 0), DV_OK);
        } else if (strncmp(line, "DATA ", 5) == 0) {
            expect_data(scene, line + 5);
            checked++;
        }
    assert_true(checked > 2);
    (void)fclose(file);
    dv_scene_free(scene);
}

static void differences_are_of_as_many_vectors(void **state)
{
    (void)state;
    expect_load_error("<Node name='root'><DifferenceEngine name='d' input='1 2 3  4 5 6' substractor='1 2 3'/>"
                      "<MechanicalObject position='@d.output'/></Node>",
                      "DifferenceEngine 'd': substractor: 1 vectors to subtract from 2: give as many");
}

static void expect_text(const DvScene *scene, const char *path, const char *field, const char *expected)
{
    DvText text = {0};
    dv_data_print(dv_object_field(scene_object(scene, path), field), &text);
    assert_string_equal(text.at ? text.at : "", expected);
    dv_text_free(&text);
}

/* As they are written, and as they are printed. */
static void lists_of_lists_may_lack_the_outer_brackets(void **state)
{
    (void)state;
    static const char *const lists[][2] = {
        {"[1,2] [3] []", "[[1, 2], [3], []]"},
        {"[[1,2] [3] []]", "[[1, 2], [3], []]"},
        {"[1 2],[3]", "[[1, 2], [3]]"},
        {"[ [ 1 2 ] ]", "[[1, 2]]"},
        {"[] [1]", "[[], [1]]"},
        {"[] []", "[[], []]"},
        {"[]", "[]"},
        {" [ ] ", "[]"},
        {"[[]]", "[[]]"},
        {"", "[]"},
        {"[4294967295]", "[[4294967295]]"},
        {"[1", "[[1]]"},
    };
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        char text[256];
        (void)snprintf(text, sizeof text, "<Node name='root'><SelectLabelROI name='it' labels='%s'/></Node>",
                       lists[i][0]);
        DvScene *scene = scene_from_text(text);
        expect_text(scene, "/it", "labels", lists[i][1]);
        dv_scene_free(scene);
    }
    DvScene *scene =
        scene_from_text("<Node name='root'><SelectLabelROI name='it' template='i' labels='[-1] [2]'/></Node>");
    expect_text(scene, "/it", "labels", "[[-1], [2]]");
    dv_scene_free(scene);
}

static void one_list_of_lists_goes_into_another(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text("<Node name='root'><MergeROIs name='m' nbROIs='3' indices1='3 1' indices3='2'/>"
                                     "<SelectLabelROI name='it' template='i' labels='@m.roiIndices' selectLabels='2'/>"
                                     "</Node>");
    expect_text(scene, "/m", "roiIndices", "[[3, 1], [], [2]]");
    expect_text(scene, "/it", "indices", "2");
    dv_scene_free(scene);
}

static void meshes_are_merged_one_behind_the_other(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node name='root'><MergeMeshes name='it' nbMeshes='3' position1='0 0 0 1 0 0 0 1 0' "
        "triangles1='0 1 2' position3='5 0 0 6 0 0 5 1 0 9 9 9' triangles3='0 1 2 2 1 3' edges3='0 3'/></Node>");
    expect_text(scene, "/it", "position", "0 0 0 1 0 0 0 1 0 5 0 0 6 0 0 5 1 0 9 9 9");
    expect_text(scene, "/it", "triangles", "0 1 2 3 4 5 5 4 6");
    expect_text(scene, "/it", "edges", "3 6");
    expect_text(scene, "/it", "npoints", "7");
    dv_scene_free(scene);
}

/* q = qz qy qx, up to its sign, for turns all around. */
static void euler_angles_make_the_orientation_again(void **state)
{
    (void)state;
    for (int i = 0; i < 64; i++) {
        const DvQuat q = dv_quat_from_euler(dv_vec3(0.7 * i, 0.3 * i, 1.1 * i));
        char text[512];
        (void)snprintf(text, sizeof text,
                       "<Node name='root'><RigidToQuatEngine name='it' rigids='1 2 3 %.17g %.17g %.17g %.17g'/></Node>",
                       q.x, q.y, q.z, q.w);
        DvScene *scene = scene_from_text(text);
        const double *angles = dv_data_doubles(dv_object_field(scene_object(scene, "/it"), "orientationsEuler"), NULL);
        const DvQuat again = dv_quat_from_euler(dv_vec3_load(angles));
        assert_true(fabs(fabs(dv_quat_dot(q, again)) - 1) < 1e-12);
        dv_scene_free(scene);
    }
}

/* From 10 at the lower end to 30 at the upper, and 20 in the middle, where there is a corner. */
static void values_lie_between_the_bounds_of_the_positions(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node name='root'><ValuesFromPositions name='it' template='Rigid3d' ownBounds='1' direction='0 2 0' "
        "inputValues='10 20 40' position='5 1 0 0 0 0 1  0 2 0 0 0 0 1  0 3 7 0 0 0 1  0 2.5 0 0 0 0 1' "
        "edges='0 2  1 2'/></Node>");
    expect_text(scene, "/it", "values", "10 20 40 30");
    expect_text(scene, "/it", "edgeValues", "20 30");
    dv_scene_free(scene);
}

static void expect_output(const char *attributes, const char *expected)
{
    char text[512];
    (void)snprintf(text, sizeof text, "<Node name='root'><MathOp name='it' %s/></Node>", attributes);
    DvScene *scene = scene_from_text(text);
    expect_text(scene, "/it", "output", expected);
    dv_scene_free(scene);
}

static void formulas_are_of_the_lists_that_they_name(void **state)
{
    (void)state;
    expect_output("formula='sqrt(a*a + b*b)' a='3 5 8' b='4 12 15'", "5 13 17");
    expect_output("formula='if(height > 1, height, -1)' height='0 2 3'", "-1 2 3");
    expect_output("formula='input2 - 2 * input1' input1='1 2' input2='5 6'", "3 2");
    expect_output("template='vector&lt;Vec3d>' formula='2 * a + b' a='1 2 3  4 5 6' b='1 1 1  0 0 0'", "3 5 7 8 10 12");
    expect_output("template='vector&lt;i>' formula='a / 2' a='3 -3 9'", "2 -2 5"); /* to the nearest */
    expect_output("template='vector&lt;bool>' formula='a and not_b = 0' a='1 1 0' not_b='0 1 0'", "1 0 0");
    DvScene *scene = scene_from_text("<Node name='root'><MathOp name='first' formula='a + 1' a='1 2'/>"
                                     "<MathOp name='it' formula='a * b' a='@first.output' b='@first.a'/></Node>");
    expect_text(scene, "/it", "output", "2 6");
    assert_int_equal(dv_data_set_text(dv_object_field(scene_object(scene, "/first"), "a"), "3 4"), DV_OK);
    expect_text(scene, "/it", "output", "12 20");
    dv_scene_free(scene);
}

static void operations_are_of_each_component(void **state)
{
    (void)state;
    expect_output("template='vector&lt;Vec2d>' op='*' input1='1 2 3 4' input2='5 6 7 8'", "5 12 21 32");
    expect_output("template='vector&lt;RigidDeriv2d>' op='-' input1='1 2 3' input2='3 2 1'", "-2 0 2");
    expect_output("template='vector&lt;i>' op='/' input1='7 -7 6' input2='2 2 3'", "3 -3 2");
    expect_output("template='vector&lt;bool>' op='!^' negatedOps='1' input1='0 1 1' input2='0 0 1'", "1 0 1");
    expect_output("template='vector&lt;bool>' nbInputs='1' input1='0 1'", "1 0");
    /* a quarter about z, then one about x */
    expect_output("template='vector&lt;RigidCoord3d>' input1='1 2 3 0 0 0.6 0.8' input2='1 1 1 0.6 0 0 0.8'",
                  "2 3 4 0.48 -0.36 0.48 0.6400000000000001");
    expect_output("nbInputs='0'", "");
}

static void what_is_no_formula_is_an_error(void **state)
{
    (void)state;
    expect_load_error("<Node name='root'><MathOp name='m' formula='sqrt(a*a' a='1'/></Node>",
                      "formula: character 9 of 'sqrt(a*a': expected ')' at the end; a formula is like");
    expect_load_error("<Node name='root'><MathOp name='m' formula='2 * name'/></Node>",
                      "'name' is a field of its own; take another name");
    expect_load_error("<Node name='root'><MathOp name='m' formula='2 + 3'/></Node>", "is of no list; name one");
    expect_load_error("<Node name='root'><MathOp name='m' template='vector&lt;RigidCoord3d>' formula='a + b'/></Node>",
                      "a formula has no meaning for orientations");
}

int main(void)
{
    static char *const names[] = {"SphereROI",
                                  "NormEngine",
                                  "SumEngine",
                                  "DifferenceEngine",
                                  "SmoothMeshEngine",
                                  "DilateEngine",
                                  "MeshSampler",
                                  "MeshSplittingEngine",
                                  "GenerateSphere",
                                  "MeshClosingEngine",
                                  "NearestPointROI",
                                  "TransformEngine",
                                  "ComplementaryROI",
                                  "SelectLabelROI",
                                  "SelectConnectedLabelsROI",
                                  "ValuesFromPositions",
                                  "MapIndices",
                                  "ROIValueMapper",
                                  "QuatToRigidEngine",
                                  "RigidToQuatEngine",
                                  "ProjectiveTransformEngine",
                                  "MeshBarycentricMapperEngine",
                                  "GenerateCylinder"};
    enum { NAMES = sizeof names / sizeof *names };
    const struct CMUnitTest more[] = {
        cmocka_unit_test(differences_are_of_as_many_vectors),
        cmocka_unit_test(lists_of_lists_may_lack_the_outer_brackets),
        cmocka_unit_test(one_list_of_lists_goes_into_another),
        cmocka_unit_test(meshes_are_merged_one_behind_the_other),
        cmocka_unit_test(euler_angles_make_the_orientation_again),
        cmocka_unit_test(formulas_are_of_the_lists_that_they_name),
        cmocka_unit_test(operations_are_of_each_component),
        cmocka_unit_test(what_is_no_formula_is_an_error),
        cmocka_unit_test(values_lie_between_the_bounds_of_the_positions),
    };
    enum { MORE = sizeof more / sizeof *more };
    struct CMUnitTest tests[NAMES + MORE];
    for (int i = 0; i < NAMES; i++)
        tests[i] = (struct CMUnitTest){names[i], outputs_are_those_of_the_reference, NULL, NULL, names[i]};
    for (int i = 0; i < MORE; i++)
        tests[NAMES + i] = more[i];
    return cmocka_run_group_tests(tests, NULL, stop_plugins);
}
