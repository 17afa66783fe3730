/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * TriangleFEMForceField: the conformance suite, the patch test, plane stress and strain, fields.
 */
#include "force_at.h"

#include <stdio.h>

#include <divan/math/quat.h>

/* A square of side 2 with a point inside, out of the middle. */
#define SHEET(z)                                                                                  \
    "<MeshTopology name='topo' position='0 0 " z " 2 0 " z " 2 2 " z " 0 2 " z " 0.9 1.2 " z "' " \
    "triangles='0 1 4 1 2 4 2 3 4 3 0 4'/><MechanicalObject name='dofs' template='Vec3d'/>"
#define FIELD(attributes) "<TriangleFEMForceField name='field' youngModulus='100' poissonRatio='0.3' " attributes "/>"
#define REASON            "the derivatives of frame and shape functions are left out, by definition of the method"

FORCE_FIELD_CONFORMANCE(
    large_displacements, .objective = true, .tangent = TANGENT_AT_REST, .energy = ENERGY_AT_REST, .reason = REASON,
    .scene = "<Node><MeshTopology position='0 0 0  2 0 0.3  2 2 0  0 2 -0.2  0.9 1.2 0.4' triangles='0 1 4 1 2 4 2 3 4 "
             "3 0 4'/><MechanicalObject name='dofs' template='Vec3d'/>" FIELD("thickness='0.1'") "</Node>")
FORCE_FIELD_CONFORMANCE(
    quads_are_cut_in_two, .objective = true, .tangent = TANGENT_AT_REST, .energy = ENERGY_AT_REST, .reason = REASON,
    .scene = "<Node><MeshTopology position='0 0 0  2 0 0  2 2 0  0 2 0  4 0 0  4 2 0.2' quads='0 1 2 3 1 4 5 2'/>"
             "<MechanicalObject name='dofs' template='Vec3d'/>" FIELD("planeStrain='1'") "</Node>")

#define BENT_SHEET                                                                                                \
    "<MeshTopology position='0 0 0  2 0 0.3  2 2 0  0 2 -0.2  0.9 1.2 0.4' triangles='0 1 4 1 2 4 2 3 4 3 0 4'/>" \
    "<MechanicalObject name='dofs' template='Vec3d'/>"
FORCE_FIELD_CONFORMANCE(the_rotation_of_the_deformation, .internal = true, .objective = true, .tangent = TANGENT_EXACT,
                        .energy = ENERGY_EXACT, .deformation = 0.3,
                        .scene = "<Node>" BENT_SHEET FIELD("method='exact' thickness='0.1'") "</Node>")
FORCE_FIELD_CONFORMANCE(
    the_rotation_of_the_deformation_in_plane_strain, .internal = true, .objective = true, .tangent = TANGENT_EXACT,
    .energy = ENERGY_EXACT,
    .scene = "<Node><MeshTopology position='0 0 0  2 0 0  2 2 0  0 2 0  4 0 0  4 2 0.2' quads='0 1 2 3 1 4 5 "
             "2'/><MechanicalObject name='dofs' template='Vec3d'/>" FIELD("method='exact' planeStrain='1'") "</Node>")
FORCE_FIELD_CONFORMANCE(small_displacements_of_triangles_that_lie_as_they_like, .internal = false,
                        .tangent = TANGENT_EXACT, .energy = ENERGY_EXACT,
                        .scene = "<Node>" BENT_SHEET FIELD("method='linear'") "</Node>")

static double *positions(DvScene *scene)
{
    return dv_state_write(scene_state(scene, "/dofs"), DV_POSITION, DV_READ_WRITE).at;
}

/* Forces on the four corners and the inner point of the sheet, stretched by e along x. */
static void stretched(const char *attributes, double e, Forces *f)
{
    DvText text = {0};
    dv_text_add(
        &text,
        "<Node>" SHEET("0") "<TriangleFEMForceField name='field' youngModulus='100' poissonRatio='0.3' %s/></Node>",
        attributes);
    DvScene *scene = scene_from_text(text.at);
    double *x = positions(scene);
    for (int p = 0; p < 5; p++)
        x[3 * p] *= 1.0 + e;
    forces_at_time(scene, 0.0, f);
    dv_scene_free(scene);
    dv_text_free(&text);
}

static void a_small_stretch_has_the_stress_of_the_closed_form(void **state)
{
    (void)state;
    const double e = 1e-7;
    const struct {
        const char *attributes;
        double stress;
    } cases[] = {
        {"", 100 / (1 - 0.09) * e},
        {"planeStrain='1'", 100 * 0.7 / (1.3 * 0.4) * e},
        {"thickness='0.25'", 0.25 * 100 / (1 - 0.09) * e},
        {"initialPoints='0 0 0 2 0 0 2 2 0 0 2 0 1 1 0'", 0.0},
    };
    static Forces f;
    for (int i = 0; i < 3; i++) {
        stretched(cases[i].attributes, e, &f);
        assert_close(f.at[0][3] + f.at[0][6], -2.0 * cases[i].stress, 1e-5 * cases[i].stress); /* side of length 2 */
        for (int c = 0; c < 3; c++)
            assert_close(f.at[0][12 + c], 0.0, 1e-12); /* patch test */
    }
    stretched(cases[3].attributes, 0.0, &f);
    assert_true(fabs(f.at[0][12]) > 0.1); /* another shape is without stress */
}

/* The formula of `small` takes the y of a triangle's first edge for 0: here that is true. */
static void a_small_shear_has_the_stress_of_the_closed_form(void **state)
{
    (void)state;
    const double g = 1e-7;
    DvScene *scene = scene_from_text(
        "<Node><MeshTopology position='0 0 0 2 0 0 2 2 0 0 2 0' triangles='0 1 2 2 3 0'/><MechanicalObject "
        "name='dofs' template='Vec3d'/>" FIELD("method='small'") "</Node>");
    double *x = positions(scene);
    for (int p = 0; p < 4; p++)
        x[3 * p] += g * x[3 * p + 1];
    static Forces f;
    forces_at_time(scene, 0.0, &f);
    const double mu = 100 / 2.6;
    assert_close(f.at[0][6] + f.at[0][9], -2.0 * mu * g, 1e-5 * mu * g); /* the upper side, of length 2 */
    assert_close(f.at[0][0] + f.at[0][3], 2.0 * mu * g, 1e-5 * mu * g);
    dv_scene_free(scene);
}

/* ---- Methods that do not look at the order of the points ---- */

/* Two of these rows are a sheet of 6 points in space; each triangle starts with another of its points, or runs the other way round. */
static const char *const orders[] = {"0 1 4 0 4 3 1 2 5 1 5 4", "1 4 0 3 0 4 5 1 2 4 1 5", "4 0 1 4 3 0 2 5 1 5 4 1",
                                     "1 0 4 4 0 3 2 1 5 5 1 4"};

static DvScene *sheet_of(const char *triangles, const char *method, const double x[18], double young)
{
    DvText text = {0};
    dv_text_add(&text, "<Node><MeshTopology position='");
    for (int i = 0; i < 18; i++)
        dv_text_add(&text, "%.17g ", x[i]);
    dv_text_add(&text,
                "' triangles='%s'/><MechanicalObject name='dofs' template='Vec3d'/><TriangleFEMForceField name='field' "
                "youngModulus='%.17g' poissonRatio='0.3' method='%s'/></Node>",
                triangles, young, method);
    DvScene *scene = scene_from_text(text.at);
    dv_text_free(&text);
    return scene;
}

static const double flat_sheet[18] = {0, 0, 0, 1.1, 0.1, 0, 2, -0.2, 0, 0.1, 1, 0, 0.9, 1.2, 0, 2.1, 0.9, 0};

/* Forces of the sheet, turned by q, scaled and stretched a lot. */
static void strained(const char *triangles, const char *method, DvQuat q, double scale, Forces *f)
{
    double x[18];
    for (int p = 0; p < 6; p++)
        dv_vec3_store(dv_vec3_scale(dv_quat_rotate(q, dv_vec3_load(flat_sheet + 3 * p)), scale), x + 3 * p);
    DvScene *scene = sheet_of(triangles, method, x, 100.0);
    double *now = positions(scene);
    for (int p = 0; p < 6; p++) {
        const double *at = flat_sheet + 3 * p;
        const DvVec3 moved = dv_vec3(1.4 * at[0] + 0.5 * at[1] + 0.1 * at[0] * at[1], 0.8 * at[1] - 0.3 * at[0],
                                     0.4 * at[0] * at[0] - 0.2 * at[1]);
        dv_vec3_store(dv_vec3_scale(dv_quat_rotate(q, moved), scale), now + 3 * p);
    }
    forces_at_time(scene, 0.0, f);
    dv_scene_free(scene);
}

static void the_order_of_the_points_does_not_matter(void **state)
{
    (void)state;
    static const char *const order_free[] = {"linear", "exact"};
    static Forces f, other;
    for (int m = 0; m < 2; m++) {
        strained(orders[0], order_free[m], dv_quat_identity(), 1.0, &f);
        for (int order = 1; order < 4; order++) {
            strained(orders[order], order_free[m], dv_quat_identity(), 1.0, &other);
            for (int i = 0; i < 18; i++)
                assert_close(other.at[0][i], f.at[0][i], 1e-11);
        }
    }
    /* Method large is defined by the first edge: that is what the others are for. */
    strained(orders[0], "large", dv_quat_identity(), 1.0, &f);
    strained(orders[1], "large", dv_quat_identity(), 1.0, &other);
    double difference = 0.0;
    for (int i = 0; i < 18; i++)
        difference = fmax(difference, fabs(other.at[0][i] - f.at[0][i]));
    assert_true(difference > 1.0);
}

static void forces_turn_with_the_mesh(void **state)
{
    (void)state;
    static const char *const turning[] = {"linear", "exact", "large"};
    const DvQuat q = dv_quat_from_axis_angle(dv_vec3(1, 2, 3), 2.5);
    static Forces f, turned;
    for (int m = 0; m < 3; m++) {
        strained(orders[0], turning[m], dv_quat_identity(), 1.0, &f);
        strained(orders[0], turning[m], q, 1.0, &turned);
        for (int p = 0; p < 6; p++) {
            double expected[3];
            dv_vec3_store(dv_quat_rotate(q, dv_vec3_load(f.at[0] + 3 * p)), expected);
            for (int c = 0; c < 3; c++)
                assert_close(turned.at[0][3 * p + c], expected[c], 1e-11);
        }
    }
}

/* A membrane of the same thickness that is a thousand million times smaller pulls with so much less: no unit of length is built in. */
static void forces_scale_with_the_mesh(void **state)
{
    (void)state;
    static const char *const all[] = {"large", "linear", "exact"};
    static Forces f, tiny;
    for (int m = 0; m < 3; m++) {
        strained(orders[0], all[m], dv_quat_identity(), 1.0, &f);
        strained(orders[0], all[m], dv_quat_identity(), 1e-9, &tiny);
        for (int i = 0; i < 18; i++)
            assert_close(tiny.at[0][i], 1e-9 * f.at[0][i], 1e-20);
    }
}

/* Stretched and sheared alike, wherever the sheet lies, the point inside feels nothing and the sides the stress of the closed form. */
static void small_strains_of_any_orientation_pass_the_patch_test(void **state)
{
    (void)state;
    static const char *const order_free[] = {"linear", "exact", "large"};
    const double e = 1e-7, g = 0.4e-7, stress = 100 / (1 - 0.09) * e, shear = 100 / 2.6 * g;
    const DvQuat q = dv_quat_from_axis_angle(dv_vec3(2, -1, 1), 1.1);
    static Forces f;
    for (int m = 0; m < 3; m++) {
        double x[18];
        static const double square[18] = {0, 0, 0, 2, 0, 0, 2, 2, 0, 0, 2, 0, 0.9, 1.2, 0, 1.5, 0.6, 0};
        for (int p = 0; p < 6; p++)
            dv_vec3_store(dv_quat_rotate(q, dv_vec3_load(square + 3 * p)), x + 3 * p);
        DvScene *scene = sheet_of("1 0 5 5 0 4 1 5 2 4 2 5 3 2 4 0 3 4", order_free[m], x, 100.0);
        double *now = positions(scene);
        for (int p = 0; p < 6; p++)
            dv_vec3_store(
                dv_quat_rotate(q, dv_vec3((1 + e) * square[3 * p] + g * square[3 * p + 1], square[3 * p + 1], 0.0)),
                now + 3 * p);
        forces_at_time(scene, 0.0, &f);
        for (int i = 12; i < 18; i++)
            assert_close(f.at[0][i], 0.0, 1e-12);
        const DvVec3 right =
            dv_quat_inverse_rotate(q, dv_vec3_add(dv_vec3_load(f.at[0] + 3), dv_vec3_load(f.at[0] + 6)));
        assert_close(right.x, -2.0 * stress, 1e-5 * stress);
        assert_close(right.y, -2.0 * shear, 1e-5 * stress);
        assert_close(right.z, 0.0, 1e-12);
        dv_scene_free(scene);
    }
}

/* Stretched by s along x and turned, far from rest: S = diag(s, 1), sigma_xx = E / (1 - n^2) (s - 1) on the area at rest. */
static void a_large_stretch_has_the_stress_of_the_closed_form(void **state)
{
    (void)state;
    const double s = 1.7;
    const DvQuat q = dv_quat_from_axis_angle(dv_vec3(0, 1, 3), 0.9);
    DvScene *scene = scene_from_text("<Node>" SHEET("0") FIELD("method='exact'") "</Node>");
    double *x = positions(scene);
    for (int p = 0; p < 5; p++)
        dv_vec3_store(dv_quat_rotate(q, dv_vec3(s * x[3 * p], x[3 * p + 1], 0.0)), x + 3 * p);
    static Forces f;
    forces_at_time(scene, 0.0, &f);
    const DvVec3 side = dv_quat_inverse_rotate(q, dv_vec3_add(dv_vec3_load(f.at[0] + 3), dv_vec3_load(f.at[0] + 6)));
    assert_close(side.x, -2.0 * 100 / 0.91 * (s - 1), 1e-11);
    assert_close(side.y, 0.0, 1e-11);
    assert_close(side.z, 0.0, 1e-11);
    dv_scene_free(scene);
}

/* Cook's membrane: a tapered panel (0 0, 48 44, 48 60, 0 44), held on the left, sheared by 1 on the right; E = 1, nu = 1/3, plane
 * stress. The middle of the right side rises by 23.96 (Cook, Improved two-dimensional finite element, J. Struct. Div. ASCE 100, 1974, and
 * the converged values since). Linear triangles converge to it from below, nearly with the square of their size. */
static double cook(int cells, const char *method)
{
    DvText position = {0}, triangles = {0}, held = {0}, pulled = {0}, forces = {0}, text = {0};
    const int row = cells + 1;
    for (int j = 0; j <= cells; j++)
        for (int i = 0; i <= cells; i++) {
            const double a = (double)i / cells, b = (double)j / cells, low = 44.0 * a, high = 44.0 + 16.0 * a;
            dv_text_add(&position, "%.17g %.17g 0 ", 48.0 * a, low + (high - low) * b);
        }
    for (int j = 0; j < cells; j++)
        for (int i = 0; i < cells; i++) {
            const int p = i + row * j;
            dv_text_add(&triangles, "%d %d %d %d %d %d ", p, p + 1, p + row + 1, p, p + row + 1, p + row);
        }
    for (int j = 0; j <= cells; j++) {
        dv_text_add(&held, "%d ", row * j);
        dv_text_add(&pulled, "%d ", row * j + cells);
        dv_text_add(&forces, "0 %.17g 0 ", (j == 0 || j == cells ? 0.5 : 1.0) / cells);
    }
    /* One step so long that the mass counts for nothing is the equilibrium. */
    dv_text_add(&text,
                "<Node dt='1e4' gravity='0 0 0'><DefaultAnimationLoop/><EulerImplicitSolver rayleighStiffness='0' "
                "rayleighMass='0'/><SparseLDLSolver/><MeshTopology position='%s' triangles='%s'/><MechanicalObject "
                "name='dofs' template='Vec3d'/><UniformMass totalMass='1e-3'/><FixedProjectiveConstraint indices='%s'/>"
                "<ConstantForceField indices='%s' forces='%s'/><TriangleFEMForceField youngModulus='1' "
                "poissonRatio='0.33333333333333333' method='%s'/></Node>",
                position.at, triangles.at, held.at, pulled.at, forces.at, method);
    DvScene *scene = scene_from_text(text.at);
    assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    const double *x = dv_state_read(scene_state(scene, "/dofs"), DV_POSITION).at;
    const double risen = x[3 * (row * (cells / 2) + cells) + 1] - 52.0;
    dv_text_free(&position), dv_text_free(&triangles), dv_text_free(&held), dv_text_free(&pulled);
    dv_text_free(&forces), dv_text_free(&text);
    dv_scene_free(scene);
    return risen;
}

static void cooks_membrane_rises_as_published(void **state)
{
    (void)state;
    const double published = 23.96, coarse = cook(32, "linear"), fine = cook(64, "linear");
    printf("%g %g %g\n", cook(16, "linear"), coarse, fine);
    (void)0;
    assert_true(coarse < fine && fine < published);
    assert_close(fine, published, 0.01 * published);
    assert_close(fine + (fine - coarse) / 3.0, published, 0.003 * published);
    assert_close(cook(32, "exact"), coarse, 1e-6); /* one step from rest: the same stiffness */
}

static void collect_warnings(const DvMessage *message, void *context)
{
    if (message->level < DV_LEVEL_WARNING)
        return;
    dv_message_print(message, context);
    dv_text_add(context, "\n");
}

/* What method small makes of a mesh that it is wrong for is said when the scene starts, and of no other. */
static void meshes_that_method_small_is_wrong_for_are_told(void **state)
{
    (void)state;
    static const struct {
        const char *mesh, *part;
    } cases[] = {
        {"position='0 0 0 1 0 0 1 1 0 0 1 0' triangles='0 1 2 2 3 0'", NULL},
        {"position='0 0 0 1 0 0 1 1 0 0 1 0' triangles='0 1 2 3 0 2'",
         "1 of 2 triangles are wrong, first of triangle 1"},
        {"position='0 0 0 1 0 0 1 1 0 0 1 0' triangles='1 2 0 2 3 0'",
         "1 of 2 triangles are wrong, first of triangle 0"},
        {"position='0 0 0 1 0 0 1 0 1 0 0 1' triangles='0 1 2 2 3 0'",
         "2 of 2 triangles are wrong, first of triangle 0"},
        {"position='0 0 0 1 0 1 0 1 0' triangles='0 1 2'", "1 of 1 triangles are wrong"},
        {"position='0 0 0.5 1e-3 0 0.5 1e-3 1e-3 0.5 0 1e-3 0.5' quads='0 1 2 3'", "1 of 2"}, /* 0 1 2 and 0 2 3 */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        DvText text = {0}, said = {0};
        dv_text_add(
            &text,
            "<Node><MeshTopology %s/><MechanicalObject template='Vec3d'/><TriangleFEMForceField method='small' youngModulus='1' poissonRatio='0.3'/>"
            "</Node>",
            cases[i].mesh);
        dv_log_set_handler(collect_warnings, &said);
        DvScene *scene = scene_from_text(text.at);
        dv_log_set_handler(NULL, NULL);
        if (cases[i].part ? !said.at || !strstr(said.at, cases[i].part) : said.at != NULL)
            fail_msg("%s: %s", cases[i].mesh, said.at ? said.at : "nothing");
        dv_text_free(&text);
        dv_text_free(&said);
        dv_scene_free(scene);
    }
}

static void a_sheet_turned_in_space_is_at_rest(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text("<Node>" SHEET("0.5") FIELD("") "</Node>");
    double *x = positions(scene);
    const DvQuat q = dv_quat_from_axis_angle(dv_vec3(1, 2, 3), 2.5);
    for (int p = 0; p < 5; p++)
        dv_vec3_store(dv_quat_rotate(q, dv_vec3_load(x + 3 * p)), x + 3 * p);
    static Forces f;
    forces_at_time(scene, 0.0, &f);
    for (int i = 0; i < 15; i++)
        assert_close(f.at[0][i], 0.0, 1e-12);
    dv_scene_free(scene);
}

static void a_triangle_that_collapses_has_no_force_and_no_nan(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node><MeshTopology position='0 0 0 1 0 0 0 1 0' triangles='0 1 2'/><MechanicalObject name='dofs' "
        "template='Vec3d'/>" FIELD("") "</Node>");
    positions(scene)[7] = 0.0;
    static Forces f;
    forces_at_time(scene, 0.0, &f);
    for (int i = 0; i < 9; i++)
        assert_true(f.at[0][i] == 0.0);
    dv_scene_free(scene);
}

static void collect(const DvMessage *message, void *context)
{
    dv_message_print(message, context);
}

/* Two triangles of which the second collapses: most methods see that in space, small by the edges along x and y, where an edge along y
 * is no loss of area but what its formula cannot do. */
static void the_triangle_that_collapsed_is_named_once(void **state)
{
    (void)state;
    static const struct {
        const char *method;
        double to[2];
        const char *part;
        double corner[2]; /* where the point is that both share */
    } cases[] = {{"large", {2.0, 2.0}, "triangle 1 has lost its area; ", {1.0, 1.0}},
                 {"exact", {2.0, 2.0}, "triangle 1 has lost its area; ", {1.0, 1.0}},
                 {"small", {2.0, 2.0}, NULL, {1.0, 1.0}},
                 {"small", {0.0, -1.0}, "triangle 1 has no force: method 'small' divides by", {1.0, 1.0}},
                 {"small", {0.0, 0.0}, "triangle 1 has lost its area in the x-y plane", {1.0, 1.0}},
                 {"small", {2.0, 0.0}, "triangle 1 has lost its area in the x-y plane", {1.0, 0.0}},
                 {"small", {2.0, -1.0}, "triangle 1 has no force: method 'small' divides by", {1.0, 0.0}},
                 {"small", {-2.0, 0.0}, NULL, {1.0, 1.0}},
                 {"linear", {2.0, 2.0}, NULL, {1.0, 1.0}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        DvText text = {0}, said = {0};
        dv_text_add(
            &text,
            "<Node><MeshTopology position='0 0 0 1 1 0 0 1 0 2 0 0' triangles='0 1 2 0 3 1'/>"
            "<MechanicalObject name='dofs' template='Vec3d'/><TriangleFEMForceField name='field' method='%s'/></Node>",
            cases[i].method);
        DvScene *scene = scene_from_text(text.at);
        static Forces f;
        dv_log_set_handler(collect, &said);
        forces_at_time(scene, 0.0, &f);
        assert_null(said.at);
        memcpy(positions(scene) + 9, cases[i].to, sizeof cases[i].to);
        memcpy(positions(scene) + 3, cases[i].corner, sizeof cases[i].corner);
        forces_at_time(scene, 0.0, &f);
        forces_at_time(scene, 0.0, &f);
        dv_log_set_handler(NULL, NULL);
        const char *first = said.at && cases[i].part ? strstr(said.at, cases[i].part) : NULL;
        if (cases[i].part ? !first || strstr(first + 1, "triangle 1 has") : said.at != NULL)
            fail_msg("%zu: %s", i, said.at ? said.at : "nothing");
        for (int c = 0; c < 12; c++)
            assert_true(isfinite(f.at[0][c]));
        dv_text_free(&text);
        dv_text_free(&said);
        dv_scene_free(scene);
    }
}

static void mistakes_are_named(void **state)
{
    (void)state;
    expect_load_error(
        "<Node><MeshTopology position='0 0 0 1 0 0 2 0 0' triangles='0 1 2'/><MechanicalObject template='Vec3d'/>"
        "<TriangleFEMForceField name='T'/></Node>",
        "TriangleFEMForceField 'T': triangle 0 has no area at rest");
    expect_load_error("<Node>" SHEET("0") "<TriangleFEMForceField name='T' initialPoints='0 0 0'/></Node>",
                      "initialPoints: holds 1 points, the state has 5");
    expect_load_error("<Node><MechanicalObject template='Vec3d'/><TriangleFEMForceField name='T'/></Node>",
                      "no topology");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(large_displacements),
        cmocka_unit_test(quads_are_cut_in_two),
        cmocka_unit_test(a_small_stretch_has_the_stress_of_the_closed_form),
        cmocka_unit_test(a_small_shear_has_the_stress_of_the_closed_form),
        cmocka_unit_test(the_rotation_of_the_deformation),
        cmocka_unit_test(the_rotation_of_the_deformation_in_plane_strain),
        cmocka_unit_test(small_displacements_of_triangles_that_lie_as_they_like),
        cmocka_unit_test(the_order_of_the_points_does_not_matter),
        cmocka_unit_test(forces_turn_with_the_mesh),
        cmocka_unit_test(forces_scale_with_the_mesh),
        cmocka_unit_test(small_strains_of_any_orientation_pass_the_patch_test),
        cmocka_unit_test(a_large_stretch_has_the_stress_of_the_closed_form),
        cmocka_unit_test(cooks_membrane_rises_as_published),
        cmocka_unit_test(meshes_that_method_small_is_wrong_for_are_told),
        cmocka_unit_test(a_sheet_turned_in_space_is_at_rest),
        cmocka_unit_test(a_triangle_that_collapses_has_no_force_and_no_nan),
        cmocka_unit_test(the_triangle_that_collapsed_is_named_once),
        cmocka_unit_test(mistakes_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, stop_plugins);
}
