/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Cutting bodies of scenes: what is attached to the mesh follows, nothing of the body is lost, and what cannot be cut is told.
 */
#include "scene_text.h"
#include "topology_conformance.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include <divan/contracts/cutting.h>
#include <divan/log.h>
#include <divan/registry.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GRID   "<Node name='grid'><RegularGridTopology name='g' n='6 4 4' min='0 0 0' max='1 0.5 0.5'/></Node>"
#define SOLVER "<EulerImplicitSolver/><SparseLDLSolver template='CompressedRowSparseMatrixMat3x3d'/>"
#define MESH                                                                          \
    "<TetrahedronSetTopologyContainer name='mesh'/><TetrahedronSetTopologyModifier/>" \
    "<Hexa2TetraTopologicalMapping input='@/grid/g' output='@mesh' swapping='1'/>"    \
    "<MechanicalObject name='dofs' position='@/grid/g.position'/>"
#define BODY(...)                                                                                               \
    "<Node name='root' dt='0.01' gravity='0 0 0'><DefaultAnimationLoop/>" GRID "<Node name='body'>" SOLVER MESH \
    "<DiagonalMass name='mass' massDensity='1000'/>"                                                            \
    "<TetrahedralCorotationalFEMForceField name='fem' youngModulus='1e4' poissonRatio='0.3'/>" __VA_ARGS__      \
    "</Node></Node>"

/* Through the body a little askew, from y below it to `to`. */
static void blade_to(double to, double blade[12])
{
    const double way[12] = {0.43, -0.1, -0.1, 0.45, -0.1, 0.6, 0.47, to, -0.1, 0.49, to, 0.6};
    memcpy(blade, way, sizeof way);
}

static DvStatus cut(DvScene *scene, const char *mesh, const double *blade, uint32_t count, DvCut *result)
{
    const DvCuttingOps *ops = dv_service(DV_CUTTING);
    assert_non_null(ops);
    return ops->cut(scene_object(scene, mesh), &(DvBlade){blade, count, dv_blade_snap}, result);
}

static void steps(DvScene *scene, int count)
{
    for (int i = 0; i < count; i++)
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
}

/* Mass, momentum and first moment of mass. */
typedef struct Sums {
    double mass, momentum[3], moment[3];
} Sums;

static Sums sums_of(DvScene *scene)
{
    size_t count;
    const double *mass = dv_data_doubles(dv_object_field(scene_object(scene, "/body/mass"), "vertexMass"), &count);
    const DvStateRef state = scene_state(scene, "/body/dofs");
    const DvConstVec x = dv_state_read(state, DV_POSITION), v = dv_state_read(state, DV_VELOCITY);
    assert_int_equal(count, dv_state_count(state));
    Sums sums = {0};
    for (size_t i = 0; i < count; i++) {
        sums.mass += mass[i];
        for (size_t c = 0; c < 3; c++) {
            sums.momentum[c] += mass[i] * v.at[3 * i + c];
            sums.moment[c] += mass[i] * x.at[3 * i + c];
        }
    }
    return sums;
}

static double volume(DvScene *scene, DvVecId id)
{
    DvObject *mesh = scene_object(scene, "/body/mesh");
    const DvTopologyOps *ops = dv_object_ops(mesh, DV_TOPOLOGY);
    const DvElements tetrahedra = ops->elements(dv_object_self(mesh), DV_TETRAHEDRA);
    const double *x = dv_state_read(scene_state(scene, "/body/dofs"), id).at;
    double sum = 0.0;
    for (uint32_t e = 0; e < tetrahedra.count; e++) {
        const uint32_t *p = tetrahedra.at + 4 * (size_t)e;
        double m[3][3];
        for (size_t k = 0; k < 3; k++)
            for (size_t c = 0; c < 3; c++)
                m[k][c] = x[3 * (size_t)p[k + 1] + c] - x[3 * (size_t)p[0] + c];
        const double six = m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
                           m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
                           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
        assert_true(six > 0.0);
        sum += six / 6.0;
    }
    return sum;
}

/* A bent body in motion is cut: mass, momentum, its centre and its volume, at rest and now, stay. */
static void a_cut_loses_nothing(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(BODY("<ConstantForceField indices='5 11 17' forces='3 40 -7'/>"));
    steps(scene, 10);
    const Sums before = sums_of(scene);
    const double now = volume(scene, DV_POSITION), rest = volume(scene, DV_REST_POSITION);
    double blade[12];
    DvCut result;
    blade_to(0.7, blade);
    assert_int_equal(cut(scene, "/body/mesh", blade, 2, &result), DV_OK);
    assert_true(result.cut > 50 && result.pieces > result.cut && result.doubled > 20 && result.faces > 30);
    check_topology(scene_object(scene, "/body/mesh"), false);
    const Sums after = sums_of(scene);
    assert_true(fabs(after.mass - before.mass) < 1e-12 * before.mass);
    assert_true(fabs(before.mass - 250.0) < 1e-10);
    for (int c = 0; c < 3; c++) {
        assert_true(fabs(after.momentum[c] - before.momentum[c]) < 1e-12 * fabs(before.momentum[1]));
        assert_true(fabs(after.moment[c] - before.moment[c]) < 1e-12 * before.mass);
    }
    assert_true(fabs(volume(scene, DV_POSITION) - now) < 1e-12 * now);
    assert_true(fabs(volume(scene, DV_REST_POSITION) - rest) < 1e-12 * rest);
    steps(scene, 5);
    dv_scene_free(scene);
}

/* A body at rest has no forces, before and after. */
static void a_body_at_rest_stays_at_rest(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(BODY(""));
    double blade[12];
    blade_to(0.7, blade);
    steps(scene, 1);
    assert_int_equal(cut(scene, "/body/mesh", blade, 2, NULL), DV_OK);
    steps(scene, 5);
    const DvConstVec v = dv_state_read(scene_state(scene, "/body/dofs"), DV_VELOCITY);
    for (size_t i = 0; i < 3 * (size_t)v.count; i++)
        assert_true(fabs(v.at[i]) < 1e-12);
    dv_scene_free(scene);
}

/* The part with a force on it leaves the other, which does not move. */
static void what_is_cut_off_goes_its_way(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(BODY("<ConstantForceField indices='5 11 17' forces='100 0 0'/>"));
    double blade[12];
    blade_to(0.7, blade);
    assert_int_equal(cut(scene, "/body/mesh", blade, 2, NULL), DV_OK);
    steps(scene, 20);
    const DvConstVec x = dv_state_read(scene_state(scene, "/body/dofs"), DV_POSITION);
    const DvConstVec rest = dv_state_read(scene_state(scene, "/body/dofs"), DV_REST_POSITION);
    double moved = 0.0;
    for (size_t i = 0; i < x.count; i++) {
        if (rest.at[3 * i] < 0.35)
            assert_true(fabs(x.at[3 * i] - rest.at[3 * i]) < 1e-10);
        moved = fmax(moved, x.at[3 * i] - rest.at[3 * i]);
    }
    assert_true(moved > 0.01);
    /* 3 x 100 N on half of 250 kg, as far as the cut divides it, for 0.2 s */
    const Sums sums = sums_of(scene);
    assert_true(fabs(sums.momentum[0] - 3 * 100 * 0.2) < 1e-9);
    dv_scene_free(scene);
}

#define SHEET                                                                                              \
    "<Node name='root' dt='0.01'><DefaultAnimationLoop/><Node name='body'>"                                \
    "<MeshTopology name='plate' position='0 0 0  1 0 0  2 0 0  0 1 0  1 1 0  2 1 0  0 2 0  1 2 0  2 2 0' " \
    "triangles='0 1 4  0 4 3  1 2 5  1 5 4  3 4 7  3 7 6  4 5 8  4 8 7'/><Node name='cut'>"                \
    "<TriangleSetTopologyContainer name='mesh' src='@../plate'/><TriangleSetTopologyModifier/>"            \
    "<MechanicalObject name='dofs' src='@../plate'/></Node></Node></Node>"

/* An open cut of half the plate: two lips, one end. */
static void a_sheet_is_slit(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(SHEET);
    const double blade[12] = {1.4, -0.5, -1, 1.4, -0.5, 1, 1.4, 1.1, -1, 1.4, 1.1, 1};
    DvCut result;
    assert_int_equal(cut(scene, "/body/cut/mesh", blade, 2, &result), DV_OK);
    check_topology(scene_object(scene, "/body/cut/mesh"), false);
    /* It crosses the edges 1-2, 1-5 and 4-5, in that order: the first two points are doubled, the last is its end. */
    assert_int_equal(result.points, 5);
    assert_int_equal(result.doubled, 2);
    assert_int_equal(result.faces, 2);
    assert_int_equal(dv_state_count(scene_state(scene, "/body/cut/dofs")), 9 + 5);
    dv_scene_free(scene);
}

/* ---- A blade in a scene ---- */

#define CUTTER                                                                                       \
    "<BladeCutter name='cutter' blade='0.43 -0.1 -0.1  0.45 -0.1 0.6  0.44 0.2 -0.1  0.46 0.2 0.6  " \
    "0.46 0.35 -0.1  0.47 0.35 0.6  0.47 0.7 -0.1  0.49 0.7 0.6' times='0.02 0.04 0.06 0.08'/>"

static unsigned field(DvScene *scene, const char *name)
{
    return dv_data_uint(dv_object_field(scene_object(scene, "/body/cutter"), name));
}

static void a_blade_cuts_on_its_way(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(BODY("<ConstantForceField indices='5 11 17' forces='100 0 0'/>" CUTTER));
    unsigned faces = 0;
    const unsigned cuts_at[] = {5, 7, 9}; /* the first steps that begin at 0.04, 0.06 and 0.08 s */
    for (unsigned step = 1; step <= 10; step++) {
        steps(scene, 1);
        const unsigned open = field(scene, "openFaces");
        const bool cuts = step == cuts_at[0] || step == cuts_at[1] || step == cuts_at[2];
        assert_true(cuts ? open > faces : open == faces);
        faces = open;
    }
    assert_true(dv_data_double(dv_object_field(scene_object(scene, "/body/cutter"), "smallestAngle")) > 5.0);
    /* The last cut went through: what is left of it has no force on it. */
    steps(scene, 100);
    const Sums sums = sums_of(scene);
    assert_true(fabs(sums.momentum[0] - 3 * 100 * 1.1) < 1e-8);
    const DvConstVec x = dv_state_read(scene_state(scene, "/body/dofs"), DV_POSITION);
    double left = 1e9, right = -1e9;
    for (size_t i = 0; i < x.count; i++) {
        left = fmin(left, x.at[3 * i]);
        right = fmax(right, x.at[3 * i]);
    }
    assert_true(right - left > 1.5);
    dv_scene_free(scene);
}

static void a_saved_scene_goes_on_cutting(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(BODY("<ConstantForceField indices='5 11 17' forces='100 0 0'/>" CUTTER)), *again;
    steps(scene, 6);
    assert_int_equal(dv_scene_save(scene, "cutting_saved.scn"), DV_OK);
    assert_int_equal(dv_scene_load("cutting_saved.scn", NULL, &again), DV_OK);
    (void)remove("cutting_saved.scn");
    steps(scene, 10);
    steps(again, 10);
    const DvConstVec a = dv_state_read(scene_state(scene, "/body/dofs"), DV_POSITION),
                     b = dv_state_read(scene_state(again, "/body/dofs"), DV_POSITION);
    assert_int_equal(field(again, "openFaces"), field(scene, "openFaces"));
    assert_int_equal(a.count, b.count);
    assert_memory_equal(a.at, b.at, 3 * sizeof *a.at * a.count);
    dv_scene_free(again);
    dv_scene_free(scene);
}

/* ---- Mistakes ---- */

static char last_error[512];

static void keep_error(const DvMessage *message, void *context)
{
    (void)context;
    DvText text = {0};
    dv_message_print(message, &text);
    snprintf(last_error, sizeof last_error, "%s", text.at);
    dv_text_free(&text);
}

static void refused(DvScene *scene, const char *mesh, const double *blade, uint32_t count, double snap,
                    const char *part)
{
    const DvCuttingOps *ops = dv_service(DV_CUTTING);
    DvCut result = {.pieces = 7};
    last_error[0] = 0;
    dv_log_set_handler(keep_error, NULL);
    assert_int_equal(ops->cut(scene_object(scene, mesh), &(DvBlade){blade, count, snap}, &result), DV_ERROR_INVALID);
    dv_log_set_handler(NULL, NULL);
    assert_int_equal(result.pieces, 0);
    if (!strstr(last_error, part))
        fail_msg("\"%s\" does not say \"%s\"", last_error, part);
}

static void what_cannot_be_cut_is_told(void **state)
{
    (void)state;
    DvScene *scene =
        scene_from_text(BODY("<Node name='nowhere'><TriangleSetTopologyContainer name='mesh' triangles='0 1 2'/>"
                             "<MechanicalObject template='Rigid3d' position='0 0 0 0 0 0 1'/></Node>"));
    double blade[12];
    blade_to(0.7, blade);
    refused(scene, "/body/mesh", blade, 1, 0.2, "a blade that has been in 1 places cuts nothing: two are needed");
    refused(scene, "/body/mesh", blade, 2, 0.0, "the blade's snap is 0; it must be above 0 and at most 0.4");
    refused(scene, "/body/mesh", blade, 2, 0.41, "the blade's snap is 0.41");
    refused(scene, "/grid/g", blade, 2, 0.2,
            "only a TetrahedronSetTopologyContainer or a TriangleSetTopologyContainer");
    refused(scene, "/body/nowhere/mesh", blade, 2, 0.2, "has no positions of three coordinates to be cut at");
    blade[7] = NAN;
    refused(scene, "/body/mesh", blade, 2, 0.2, "place 1 of the blade is not finite");
    dv_scene_free(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cut_loses_nothing),          cmocka_unit_test(a_body_at_rest_stays_at_rest),
        cmocka_unit_test(what_is_cut_off_goes_its_way), cmocka_unit_test(a_sheet_is_slit),
        cmocka_unit_test(a_blade_cuts_on_its_way),      cmocka_unit_test(a_saved_scene_goes_on_cutting),
        cmocka_unit_test(what_cannot_be_cut_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, stop_plugins);
}
