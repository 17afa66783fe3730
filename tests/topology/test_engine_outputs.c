/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What engines compute after initialisation and after some steps, against the outputs of the reference: engines/<class>.scn and .outputs.
 *
 *   STEP <k> <time>
 *   DATA <path>.<field> <number of values> <values>
 */
#include "scene_text.h"

#include <divan/divan.h>

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
    expect_load_error("<Node name='root'><DifferenceEngine name='d' input='1 2 3  4 5 6' substractor='1 2 3'/></Node>",
                      "DifferenceEngine 'd': substractor: 1 vectors to subtract from 2: give as many");
}

int main(void)
{
    static char *const names[] = {"SphereROI",        "NormEngine",        "SumEngine",       "DifferenceEngine",
                                  "SmoothMeshEngine", "DilateEngine",      "MeshSampler",     "MeshSplittingEngine",
                                  "GenerateSphere",   "MeshClosingEngine", "NearestPointROI", "TransformEngine"};
    enum { NAMES = sizeof names / sizeof *names };
    struct CMUnitTest tests[NAMES + 1];
    for (int i = 0; i < NAMES; i++)
        tests[i] = (struct CMUnitTest){names[i], outputs_are_those_of_the_reference, NULL, NULL, names[i]};
    tests[NAMES] = (struct CMUnitTest)cmocka_unit_test(differences_are_of_as_many_vectors);
    return cmocka_run_group_tests(tests, NULL, stop_plugins);
}
