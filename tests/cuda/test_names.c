/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Scenes made for a GPU: every class with every template of theirs loads, without a device and on the emulated one, and is saved as it was
 * written. Classes that are not here at all are told of as unknown.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <divan/divan.h>

#include "scene_text.h"

/* Where a class is tried: beside a state of the first part of its template, or below one, with a state of the second part. */
typedef enum Place { ALONE, BESIDE, BELOW, BETWEEN } Place;

typedef struct Row {
    const char *name, *templates; /* words, between blanks; parts of a word between commas */
    Place place;
    const char *attributes, *before; /* before: what else the scene needs */
} Row;

#define VEC3      "CudaVec3f CudaVec3f1 CudaVec3d CudaVec3d1"
#define FLOATS_3  "CudaVec3f CudaVec3d"
#define RIGID3    "CudaRigid3f CudaRigid3d"
#define VEC6      "CudaVec6f CudaVec6d"
#define SEVEN(W)  W ",Edge " W ",Triangle " W ",Quad " W ",Tetrahedron " W ",Hexahedron " W ",Prism " W ",Pyramid"
#define ELEMENTS  SEVEN("CudaVec3f") " " SEVEN("CudaVec3d")
#define PAIRS_3   "CudaVec3f,CudaVec3f CudaVec3f,CudaVec3f1 CudaVec3f1,CudaVec3f CudaVec3f1,CudaVec3f1"
#define WITH_HOST "CudaVec3f,Vec3d Vec3d,CudaVec3f CudaVec3f1,Vec3d Vec3d,CudaVec3f1"

static const Row rows[] = {
#include "names.h"
};

static const char *const absent[] = {"TriangularFEMForceFieldOptim",
                                     "StandardTetrahedralFEMForceField",
                                     "TetrahedralTensorMassForceField",
                                     "SphereForceField",
                                     "EllipsoidForceField",
                                     "LinearForceField",
                                     "FixedTranslationProjectiveConstraint",
                                     "LinearVelocityProjectiveConstraint",
                                     "BeamLinearMapping",
                                     "CudaTetrahedronTLEDForceField",
                                     "CudaHexahedronTLEDForceField"};

#define MESH                                                                                                    \
    "<MeshTopology name='mesh' position='0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 1 1 1 0 1 1' edges='0 1 1 2' "     \
    "triangles='0 1 2 0 2 3' quads='0 1 2 3 0 1 5 4' tetrahedra='0 1 2 5 0 2 3 7' hexahedra='0 1 2 3 4 5 6 7' " \
    "prisms='0 1 2 4 5 6' pyramids='0 1 2 3 6'/>"

/* A state of a kind, of eight points. */
static int print_state(char *to, size_t room, const char *word)
{
    return snprintf(to, room, "<MechanicalObject name='dofs' template='%s' %s/>", word,
                    strstr(word, "Vec3") ? "position='@mesh.position'" : "size='8'");
}

/* Of all rows, before a test fails. */
static int faults;

static void try_word(const Row *row, const char *word)
{
    char text[4096], first[64], second[64], in[256], out[256];
    const char *comma = strchr(word, ',');
    (void)snprintf(first, sizeof first, "%.*s", comma ? (int)(comma - word) : 63, word);
    (void)snprintf(second, sizeof second, "%s", comma ? comma + 1 : word);
    (void)print_state(in, sizeof in, first);
    (void)print_state(out, sizeof out, row->place == BELOW ? second : first);
    const bool below = row->place == BELOW, between = row->place == BETWEEN;
    const int length = snprintf(
        text, sizeof text,
        "<Node name='root' gravity='0 -9 0'><RequiredPlugin name='SofaCUDA'/><DefaultAnimationLoop/><Node name='Body'>"
        "<EulerImplicitSolver/><CGLinearSolver iterations='5' tolerance='1e-9' threshold='1e-9'/>" MESH
        "%s%s%s%s%s%s<%s name='tried' template='%s' %s/>%s</Node></Node>",
        row->place == ALONE ? "" : in, row->before ? row->before : "", below || between ? "<Node name='Below'>" : "",
        below ? MESH : "", below || between ? out : "", between ? "</Node>" : "", row->name, word,
        row->attributes ? row->attributes : "", below ? "</Node>" : "");
    assert_true(length > 0 && (size_t)length < sizeof text);
    DvScene *scene;
    const bool loads = dv_scene_load_text(text, strlen(text), "scene.scn", NULL, NULL, &scene) == DV_OK;
    if (!loads || dv_scene_step(scene, 0.001) != DV_OK) {
        fprintf(stderr, "%s %s: does not %s\n", row->name, word, loads ? "step" : "load");
        faults++;
    }
    if (loads)
        dv_scene_free(scene);
}

static void try_all(const char *device)
{
    if (device)
        assert_int_equal(setenv("DIVAN_DEVICE", device, 1), 0);
    else
        assert_int_equal(unsetenv("DIVAN_DEVICE"), 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char words[1024];
        assert_true((size_t)snprintf(words, sizeof words, "%s", rows[i].templates) < sizeof words);
        char *rest = NULL;
        for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
            try_word(&rows[i], word);
    }
    assert_int_equal(faults, 0);
}

static void test_without_a_device(void **state)
{
    (void)state;
    try_all(NULL);
}

static void test_on_the_emulated_device(void **state)
{
    (void)state;
    try_all("emulated");
}

static void test_what_is_not_here_is_said(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof absent / sizeof *absent; i++) {
        char text[512];
        (void)snprintf(
            text, sizeof text,
            "<Node><DefaultAnimationLoop/><MechanicalObject template='CudaVec3f'/><%s template='CudaVec3f'/></Node>",
            absent[i]);
        expect_load_error(text, absent[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_without_a_device),
        cmocka_unit_test(test_on_the_emulated_device),
        cmocka_unit_test(test_what_is_not_here_is_said),
    };
    return cmocka_run_group_tests(tests, start_plugins, stop_plugins);
}
