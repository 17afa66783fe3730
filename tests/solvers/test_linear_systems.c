/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Linear systems by other names, and several at once: which one a solver has, and what is seen of the others.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scene_text.h"

#include <divan/contracts/solver.h>
#include <divan/memory.h>
#include <divan/scene.h>

#include <stdio.h>
#include <string.h>

/* Two points that a spring couples, the first one held, and one with its mass alone. */
#define SCENE(solver)                                                                                             \
    "<Node name='root' dt='0.01' gravity='0 -10 0'><DefaultAnimationLoop/><EulerImplicitSolver/>" solver          \
    "<MechanicalObject name='dofs' template='Vec3d' position='0 0 0  1 2 3  0 5 0'/><UniformMass totalMass='3'/>" \
    "<FixedProjectiveConstraint indices='0'/><SpringForceField spring='0 1 100 1 1'/></Node>"

static uint64_t hash_after(const char *text, int steps)
{
    DvScene *scene = scene_from_text(text);
    for (int i = 0; i < steps; i++)
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    const DvConstVec x = dv_state_read(scene_state(scene, "/dofs"), DV_POSITION);
    uint64_t hash = 1469598103934665603u;
    for (size_t i = 0; i < (size_t)x.count * x.dim * sizeof(double); i++)
        hash = (hash ^ ((const unsigned char *)x.at)[i]) * 1099511628211u;
    dv_scene_free(scene);
    return hash;
}

/* Systems by other names hold the same matrix, whatever their solver is called. */
static void systems_by_other_names_hold_the_same_matrix(void **state)
{
    (void)state;
    const uint64_t expected = hash_after(SCENE("<SparseLDLSolver/>"), 5);
    static const char *const others[] = {
        SCENE("<ConstantSparsityPatternSystem/><SparseLDLSolver/>"),
        SCENE("<PrecomputedMatrixSystem/><SparseLDLSolver/>"),
        SCENE(
            "<MatrixProjectionMethod areJacobiansConstant='1'/><ConstantSparsityProjectionMethod/><SparseLDLSolver/>"),
        SCENE("<EigenSimplicialLDLT/>"),
        SCENE("<EigenSimplicialLDLT template='CompressedRowSparseMatrix'/>"),
        SCENE("<EigenSimplicialLLT template='CompressedRowSparseMatrixMat3x3'/>"),
        SCENE("<MatrixLinearSystem name='a'/><CompositeLinearSystem name='c' template='CompressedRowSparseMatrix'"
              " linearSystems='@a'/><SparseLDLSolver linearSystem='@c'/>"),
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_true(hash_after(others[i], 5) == expected);
}

static DvObject *system_of(const DvScene *scene, const char *solver)
{
    return dv_link_object((const DvLink *)dv_object_field(scene_object(scene, solver), "linearSystem"));
}

/* Any system that assembles for the solver's template is taken, of another template none. */
static void a_solver_takes_a_system_of_its_template(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(SCENE("<ConstantSparsityPatternSystem name='a'/><SparseLDLSolver name='s'/>"));
    assert_ptr_equal(system_of(scene, "/s"), scene_object(scene, "/a"));
    dv_scene_free(scene);
    scene = scene_from_text(SCENE("<ConstantSparsityPatternSystem name='a'/><EigenSimplicialLLT name='s'/>"));
    assert_ptr_not_equal(system_of(scene, "/s"), scene_object(scene, "/a"));
    assert_string_equal(dv_object_variant(system_of(scene, "/s")), "CompressedRowSparseMatrixMat3x3d");
    dv_scene_free(scene);
    scene = scene_from_text(SCENE("<MatrixLinearSystem name='a' template='CompressedRowSparseMatrix'/>"
                                  "<CGLinearSolver name='s' iterations='5' tolerance='1e-9' threshold='1e-20'/>"));
    assert_ptr_not_equal(system_of(scene, "/s"), scene_object(scene, "/a"));
    dv_scene_free(scene);
}

static bool is_dark(const DvScene *scene, const char *image, size_t row, size_t column)
{
    const char *bitmap = dv_data_string(dv_object_field(scene_object(scene, image), "bitmap"));
    unsigned side = 0, height = 0;
    int start = 0;
    assert_int_equal(sscanf(bitmap, "P1 %u %u\n%n", &side, &height, &start), 2);
    assert_int_equal(side, 9);
    return bitmap[(size_t)start + 2 * (row * side + column)] == '1';
}

/* The solver's matrix is constrained; the stiffness beside it is as it was assembled, and the mass is diagonal. */
static void a_composite_shows_what_its_systems_leave(void **state)
{
    (void)state;
#define PARTS                                                                        \
    "<MatrixLinearSystem name='a'/>"                                                 \
    "<MatrixLinearSystem name='k' assembleMass='0' applyProjectiveConstraints='0'/>" \
    "<MatrixLinearSystem name='m' assembleStiffness='0' applyProjectiveConstraints='0'/>"
#define IMAGES                                                                                                     \
    "<GlobalSystemMatrixImage name='ia' linearSystem='@a'/><GlobalSystemMatrixImage name='ik' linearSystem='@k'/>" \
    "<GlobalSystemMatrixImage name='im' linearSystem='@m'/>"
#define COMPOSITE                                                                                    \
    "<CompositeLinearSystem name='c' template='CompressedRowSparseMatrix' linearSystems='@m @k @a' " \
    "solverLinearSystem='@a'/>"
    DvScene *scene = scene_from_text(SCENE(PARTS COMPOSITE IMAGES "<SparseLDLSolver name='s' linearSystem='@c'/>"));
    for (int i = 0; i < 2; i++)
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    assert_true(is_dark(scene, "/ik", 0, 3) && is_dark(scene, "/ik", 3, 0) && is_dark(scene, "/ik", 0, 1));
    assert_true(!is_dark(scene, "/ia", 0, 3) && is_dark(scene, "/ia", 3, 4) && is_dark(scene, "/ia", 0, 0));
    assert_true(!is_dark(scene, "/im", 0, 3) && !is_dark(scene, "/im", 3, 4) && is_dark(scene, "/im", 0, 0));
    const uint32_t *size = dv_data_uints(dv_object_field(scene_object(scene, "/c"), "matrixSize"), NULL);
    assert_true(size[0] == 9 && size[1] == 9);
    dv_scene_free(scene);
    assert_true(hash_after(SCENE(PARTS COMPOSITE IMAGES "<SparseLDLSolver linearSystem='@c'/>"), 5) ==
                hash_after(SCENE("<SparseLDLSolver/>"), 5));
}

/* Without an image nobody assembles what nobody sees; conjugate gradients do without all of it. */
static void a_composite_assembles_what_is_seen(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        SCENE(PARTS COMPOSITE "<CGLinearSolver template='CompressedRowSparseMatrix' iterations='20' tolerance='1e-12' "
                              "threshold='1e-30' linearSystem='@c'/>"));
    for (int i = 0; i < 2; i++)
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    for (const char *const *name = (const char *const[]){"/a", "/k", "/m", "/c", NULL}; *name; name++) {
        const uint32_t *size = dv_data_uints(dv_object_field(scene_object(scene, *name), "matrixSize"), NULL);
        assert_true(size[0] == 9 && size[1] == 9);
    }
    dv_scene_free(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(systems_by_other_names_hold_the_same_matrix),
        cmocka_unit_test(a_solver_takes_a_system_of_its_template),
        cmocka_unit_test(a_composite_shows_what_its_systems_leave),
        cmocka_unit_test(a_composite_assembles_what_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
