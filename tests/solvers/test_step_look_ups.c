/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a step finds, it has found before: once a scene runs, nobody compares words, hashes or asks the kernel for something by its name
 * or contract. This program has functions of its own in the place of those that do, which count and pass on.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scene_text.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <stdio.h>
#include <string.h>

static bool counting;
static unsigned look_ups;

static void count(void)
{
    enum { FRAMES = 8 };
    if (!counting)
        return;
    counting = false;
    if (look_ups++ == 0) { /* who it was helps whoever has to mend it */
        void *frames[FRAMES];
        backtrace_symbols_fd(frames, backtrace(frames, FRAMES), 1);
    }
    counting = true;
}

/* The function that stands behind ours. */
static void *behind(const char *name)
{
    const bool was_counting = counting;
    counting = false;
    void *function = dlsym(RTLD_NEXT, name);
    counting = was_counting;
    return function;
}

__attribute__((visibility("default"))) int strcmp(const char *a, const char *b)
{
    count();
    for (; *a && *a == *b; a++)
        b++;
    return (unsigned char)*a - (unsigned char)*b;
}

#define COUNTED(Result, name, parameters, arguments)               \
    __attribute__((visibility("default"))) Result name parameters; \
    __attribute__((visibility("default"))) Result name parameters  \
    {                                                              \
        static union {                                             \
            void *object;                                          \
            Result(*function) parameters;                          \
        } next;                                                    \
        count();                                                   \
        if (!next.object)                                          \
            next.object = behind(#name);                           \
        return next.function arguments;                            \
    }

COUNTED(int, strncmp, (const char *a, const char *b, size_t n), (a, b, n))
COUNTED(int, strcasecmp, (const char *a, const char *b), (a, b))
COUNTED(void *, g_hash_table_lookup, (void *table, const void *key), (table, key))
COUNTED(int, g_hash_table_contains, (void *table, const void *key), (table, key))
COUNTED(unsigned, g_str_hash, (const void *text), (text))
COUNTED(uint32_t, g_quark_from_string, (const char *text), (text))
COUNTED(const void *, dv_object_ops, (const DvObject *object, const char *contract), (object, contract))
COUNTED(DvData *, dv_object_field, (const DvObject *object, const char *name), (object, name))
COUNTED(const void *, dv_service, (const char *id), (id))
COUNTED(DvObject *, dv_node_slot, (const DvNode *node, const char *contract), (node, contract))
COUNTED(DvObject *, dv_node_find, (const DvNode *node, const char *contract, DvSearch search), (node, contract, search))
COUNTED(size_t, dv_node_find_all,
        (const DvNode *node, const char *contract, DvSearch search, DvObject **found, size_t capacity),
        (node, contract, search, found, capacity))

/* The first steps may find what the others use. */
static void expect_no_look_up(const char *body)
{
    enum { FIRST = 5, STEPS = 50 };
    char text[4096];
    (void)snprintf(text, sizeof text,
                   "<Node name='root' dt='0.01' gravity='0 -9.81 0'><DefaultAnimationLoop/>%s</Node>", body);
    DvScene *scene = scene_from_text(text);
    for (int i = 0; i < FIRST; i++)
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    look_ups = 0;
    counting = true;
    for (int i = 0; i < STEPS; i++)
        if (dv_scene_step(scene, 0) != DV_OK)
            break;
    counting = false;
    assert_int_equal(dv_scene_steps(scene), FIRST + STEPS);
    assert_int_equal(look_ups, 0);
    dv_scene_free(scene);
}

static void what_counts_is_called_by_the_plugins(void **state)
{
    (void)state;
    look_ups = 0;
    counting = true;
    DvScene *scene =
        scene_from_text("<Node name='root'><Node name='below'><MechanicalObject name='dofs'/></Node></Node>");
    counting = false;
    assert_true(look_ups > 20);
    dv_scene_free(scene);
}

static void an_explicit_step_looks_nothing_up(void **state)
{
    (void)state;
    expect_no_look_up(
        "<EulerExplicitSolver/><Node name='a'><MechanicalObject name='dofs' position='0 0 0 1 0 0 2 0 0'/>"
        "<UniformMass totalMass='1'/><FixedProjectiveConstraint indices='0'/>"
        "<SpringForceField spring='0 1 100 0.1 1 1 2 100 0.1 1'/></Node>"
        "<Node name='b'><MechanicalObject name='dofs' position='2 0 0'/><UniformMass totalMass='1'/></Node>"
        "<SpringForceField spring='1 0 10 0.1 1' object1='@a' object2='@b'/>");
}

static const char beam[] =
    "<RegularGridTopology n='3 3 5' min='0 0 0' max='2 2 8'/><MechanicalObject/><UniformMass totalMass='1'/>"
    "<BoxROI name='end' box='-1 -1 -1 3 3 0.5'/><FixedProjectiveConstraint indices='@end.indices'/>"
    "<HexahedronFEMForceField youngModulus='10000' poissonRatio='0.3'/>";

static void an_implicit_step_looks_nothing_up(void **state)
{
    (void)state;
    static const char *const solvers[] = {
        "<CGLinearSolver iterations='20' tolerance='1e-9' threshold='1e-9'/>",
        "<CGLinearSolver template='CompressedRowSparseMatrixMat3x3d' iterations='20' tolerance='1e-9' threshold='1e-9'/>",
        "<SparseLDLSolver template='CompressedRowSparseMatrixMat3x3d'/>"};
    for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++) {
        char body[2048];
        (void)snprintf(body, sizeof body, "<EulerImplicitSolver rayleighStiffness='0.1'/>%s%s", solvers[i], beam);
        expect_no_look_up(body);
    }
}

static void a_step_of_mapped_bodies_looks_nothing_up(void **state)
{
    (void)state;
    static const char *const kinds[] = {"None", "Exact", "Stabilized"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char body[2048];
        (void)snprintf(
            body, sizeof body,
            "<EulerImplicitSolver/><CGLinearSolver iterations='20' tolerance='1e-9' threshold='1e-9'/>"
            "<MechanicalObject template='Rigid3d' position='0 0 0 0 0 0 1'/><UniformMass totalMass='1'/>"
            "<Node name='points'><MechanicalObject name='dofs' position='1 0 0 0 1 0'/>"
            "<RigidMapping geometricStiffness='%s'/><RestShapeSpringsForceField stiffness='100' points='0'/></Node>",
            kinds[i]);
        expect_no_look_up(body);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_counts_is_called_by_the_plugins),
        cmocka_unit_test(an_explicit_step_looks_nothing_up),
        cmocka_unit_test(an_implicit_step_looks_nothing_up),
        cmocka_unit_test(a_step_of_mapped_bodies_looks_nothing_up),
    };
    return cmocka_run_group_tests_name("look-ups in a step", tests, NULL, NULL);
}
