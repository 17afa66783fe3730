/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Stiffness that differs from its transpose: what reaches whom, and that steps of symmetric solvers stay stable. Known answers: a bar of
 * Poisson ratio 0 under a pressure p at its tip is longer by L p / E, whatever the step and the solver; and where a load stands
 * still, so does everything in a scene that treats it as explicit from the start.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <divan/contracts/mechanical_operations.h>
#include <divan/plugin.h>

#include "scene_text.h"
#include "share.h"

#define CG "<CGLinearSolver iterations='200' tolerance='1e-12' threshold='1e-20'/>"
#define MAT3 \
    "<CGLinearSolver template='CompressedRowSparseMatrixMat3x3d' iterations='200' tolerance='1e-12' threshold='1e-20'/>"
#define LDL "<SparseLDLSolver template='CompressedRowSparseMatrixd'/>"
#define PCG                                                                                        \
    "<PCGLinearSolver iterations='200' tolerance='1e-12' preconditioner='@ldl'/><SparseLDLSolver " \
    "name='ldl' template='CompressedRowSparseMatrixd'/>"

static const char *const solvers[] = {LDL, CG, MAT3, PCG};

/* A bar of 0.1 x 0.02 x 0.02 m, held at x = 0. */
static void add_bar(DvText *text, const char *solver, const char *patch, const char *pressure)
{
    dv_text_add(text,
                "<Node name='bar'><EulerImplicitSolver rayleighStiffness='0.1' rayleighMass='1'/>%s"
                "<RegularGridTopology name='g' n='6 2 2' min='0 0 0' max='0.1 0.02 0.02'/><MechanicalObject name='s'/>"
                "<UniformMass totalMass='0.04'/><HexahedronFEMForceField youngModulus='1e6' poissonRatio='0'/>"
                "<FixedProjectiveConstraint indices='0 6 12 18'/><Node name='patch'>"
                "<MeshTopology triangles='%s' position='@../g.position'/><MechanicalObject/>"
                "<SurfacePressureForceField name='load' pressure='%s'/><IdentityMapping/></Node></Node>",
                solver, patch, pressure);
}

static DvScene *bar(const char *solver, double dt, const char *patch, const char *pressure)
{
    DvText text = {0};
    dv_text_add(&text, "<Node name='root' gravity='0 0 0' dt='%g'><DefaultAnimationLoop/>", dt);
    add_bar(&text, solver, patch, pressure);
    dv_text_add(&text, "</Node>");
    DvScene *scene = scene_from_text(text.at);
    dv_text_free(&text);
    return scene;
}

static void run(DvScene *scene, double seconds, double dt)
{
    for (long i = lround(seconds / dt); i > 0; i--)
        assert_int_equal(dv_scene_step(scene, 0.0), DV_OK);
}

static const double *positions(const DvScene *scene)
{
    return dv_state_read(scene_state(scene, "/bar/s"), DV_POSITION).at;
}

#define TIP  "5 11 23  5 23 17"
#define SIDE "6 7 19  7 20 19  7 8 20  8 21 20  8 9 21  9 22 21  9 10 22  10 23 22"

static void expect_longer(const double *x, double by)
{
    static const uint32_t tip[4] = {5, 11, 17, 23};
    double mean[3] = {0, 0, 0};
    for (int i = 0; i < 4; i++) {
        for (int c = 0; c < 3; c++)
            mean[c] += 0.25 * x[3 * tip[i] + (uint32_t)c];
        assert_true(fabs(x[3 * tip[i]] - 0.1 - by) < 3e-4);
    }
    assert_true(fabs(mean[0] - 0.1 - by) < 1e-5);
    assert_true(fabs(mean[1] - 0.01) < 1e-6 && fabs(mean[2] - 0.01) < 1e-6);
}

static void a_pulled_bar_is_longer_by_the_law_of_hooke(void **state)
{
    (void)state;
    static const double dt[] = {0.0005, 0.001, 0.01, 0.02};
    for (size_t s = 0; s < sizeof solvers / sizeof *solvers; s++)
        for (size_t i = 0; i < sizeof dt / sizeof *dt; i++) {
            DvScene *scene = bar(solvers[s], dt[i], TIP, "20000");
            run(scene, 2.0, dt[i]);
            expect_longer(positions(scene), 0.1 * 20000 / 1e6);
            if (dt[i] >= 0.01)
                run(scene, 18.0, dt[i]);
            expect_longer(positions(scene), 0.1 * 20000 / 1e6);
            dv_scene_free(scene);
        }
}

static void a_step_of_a_tenth_of_a_millisecond_is_stable(void **state)
{
    (void)state;
    DvScene *scene = bar(LDL, 1e-4, TIP, "20000");
    run(scene, 2.0, 1e-4);
    expect_longer(positions(scene), 0.1 * 20000 / 1e6);
    dv_scene_free(scene);
}

/* Where it comes to rest nothing hangs on the matrix: as with a load that was explicit from the start. */
static void a_bent_bar_comes_to_rest_where_an_explicit_load_brings_it(void **state)
{
    (void)state;
    static const char *const pressures[] = {"2000", "-2000", "5000"};
    for (size_t p = 0; p < 3; p++)
        for (size_t s = 0; s < sizeof solvers / sizeof *solvers; s++) {
            double *x[2];
            for (int given = 0; given < 2; given++) {
                DvScene *scene = bar(solvers[s], given ? 0.01 : 0.005, SIDE, pressures[p]);
                dv_data_set_bool(dv_object_field(scene_object(scene, "/bar/patch/load"), "useTangentStiffness"), given);
                run(scene, 6.0, given ? 0.01 : 0.005);
                x[given] = calloc(72, sizeof **x);
                memcpy(x[given], positions(scene), 72 * sizeof **x);
                dv_scene_free(scene);
            }
            for (int i = 0; i < 72; i++)
                assert_true(fabs(x[0][i] - x[1][i]) < 1e-6);
            free(x[0]), free(x[1]);
        }
}

/* ---- Which matrix who gets ---- */

/* The largest entry of A, and of A - A^T. */
static void measure(const DvBlockMatrix *a, double *size, double *difference)
{
    const uint32_t b = a->block;
    *size = *difference = 0.0;
    for (uint32_t e = 0; e < a->row_start[a->rows]; e++)
        for (uint32_t i = 0; i < b; i++)
            for (uint32_t j = 0; j < b; j++) {
                const double here = a->values[((size_t)e * b + i) * b + j],
                             there = a->values[((size_t)a->transposed[e] * b + j) * b + i];
                *size = fmax(*size, fabs(here));
                *difference = fmax(*difference, fabs(here - there));
            }
}

typedef struct Asked {
    const char *scene;
    bool differs[3]; /* by DvMatrixKind */
    uint32_t listed;
} Asked;

#define MESH(elements)                                                                                   \
    "<Node><EulerImplicitSolver/>" LDL "<MeshTopology position='0 0 0 1 0 0 0 1 0 0 0 1' " elements "/>" \
    "<MechanicalObject/><UniformMass totalMass='1'/>"
#define PYRAMID                                                                                                      \
    "<Node><EulerImplicitSolver/>" LDL "<MeshTopology position='0 0 0 1 0 0 1 1 0 0 1 0 0.5 0.5 1' quads='0 3 2 1' " \
    "triangles='0 1 4 1 2 4 2 3 4 3 0 4'/><MechanicalObject/><UniformMass totalMass='1'/>"
#define PRESSURE "<SurfacePressureForceField pressure='7'/>"
#define BODY(kind)                                                                                                     \
    "<Node><EulerImplicitSolver/>" LDL "<MechanicalObject template='Rigid3d' position='0 0 0 0 0 0 1'/>"               \
    "<UniformMass vertexMass='1 1 [1 0 0, 0 1 0, 0 0 1]'/><Node><MechanicalObject template='Vec3d' position='1 2 3'/>" \
    "<RigidMapping geometricStiffness='" kind "'/><ConstantForceField forces='3 -1 2'/></Node></Node>"

static const Asked asked[] = {
    {MESH("triangles='0 2 1 0 1 3 0 3 2 1 2 3'") PRESSURE "</Node>", {false, false, false}, 0},
    {MESH("triangles='0 2 1 0 1 3 0 3 2'") PRESSURE "</Node>", {false, false, true}, 1},
    {MESH("triangles='0 2 1 0 1 3 0 3 2 1 3 2'") PRESSURE "</Node>", {false, false, true}, 1}, /* one looks inwards */
    {MESH("triangles='0 2 1 0 1 3 0 3 2'") "<SurfacePressureForceField pressure='7' useTangentStiffness='0'/></Node>",
     {false, false, false},
     0},
    {MESH("triangles='0 2 1 0 1 3 0 3 2 1 2 3'") "<SurfacePressureForceField pressure='7' triangleIndices='0 1 2 3 "
                                                 "3'/></Node>",
     {false, false, true},
     1},
    {PYRAMID PRESSURE "</Node>", {false, true, true}, 1}, /* closed by a quad, which has no stiffness */
    {PYRAMID "<SurfacePressureForceField pressure='7' triangleIndices='0 1 2'/></Node>", {false, false, true}, 1},
    {BODY("None"), {false, false, false}, 0},
    {BODY("Exact"), {false, true, true}, 1},
    {BODY("Stabilized"), {false, false, false}, 0},
};

static void symmetric_solvers_get_symmetric_matrices(void **state)
{
    (void)state;
    const DvMechanicalOperationsOps *ops = dv_service(DV_MECHANICAL_OPERATIONS);
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        DvScene *scene = scene_from_text(asked[i].scene);
        DvMechanics *m = ops->open(dv_scene_root(scene));
        assert_int_equal(ops->unsymmetric(m, NULL, 0), asked[i].listed); /* known before the first force */
        for (int round = 0; round < 2; round++)
            for (int kind = 0; kind < 3; kind++) {
                const DvStep step = {
                    .dt = 0.01, .position = DV_POSITION, .velocity = DV_VELOCITY, .kind = (DvMatrixKind)kind};
                ops->compute_force(m, &step, DV_FORCE, DV_WALK_WHOLE);
                double size, difference;
                measure(ops->assemble(m, &step, (DvFactors){.m = 1e-3, .k = 1.0}, DV_ASSEMBLE_CONSTRAINED), &size,
                        &difference);
                assert_int_equal(difference > 1e-6 * size, asked[i].differs[kind]);
            }
        assert_int_equal(ops->unsymmetric(m, NULL, 0), asked[i].listed);
        ops->close(m);
        dv_scene_free(scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pulled_bar_is_longer_by_the_law_of_hooke),
        cmocka_unit_test(a_step_of_a_tenth_of_a_millisecond_is_stable),
        cmocka_unit_test(a_bent_bar_comes_to_rest_where_an_explicit_load_brings_it),
        cmocka_unit_test(symmetric_solvers_get_symmetric_matrices),
    };
    return share_run_group_tests(tests, start_plugins, stop_plugins);
}
