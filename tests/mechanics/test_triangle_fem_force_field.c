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
    large_displacements, .objective = true, .tangent = TANGENT_AT_REST, .energy = ENERGY_NONE, .reason = REASON,
    .scene = "<Node><MeshTopology position='0 0 0  2 0 0.3  2 2 0  0 2 -0.2  0.9 1.2 0.4' triangles='0 1 4 1 2 4 2 3 4 "
             "3 0 4'/><MechanicalObject name='dofs' template='Vec3d'/>" FIELD("thickness='0.1'") "</Node>")
FORCE_FIELD_CONFORMANCE(
    quads_are_cut_in_two, .objective = true, .tangent = TANGENT_AT_REST, .energy = ENERGY_NONE, .reason = REASON,
    .scene = "<Node><MeshTopology position='0 0 0  2 0 0  2 2 0  0 2 0  4 0 0  4 2 0.2' quads='0 1 2 3 1 4 5 2'/>"
             "<MechanicalObject name='dofs' template='Vec3d'/>" FIELD("planeStrain='1'") "</Node>")

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

/* Two triangles of which the second collapses: method large sees that in space, small by the edges along x and y. */
static void the_triangle_that_collapsed_is_named_once(void **state)
{
    (void)state;
    static const struct {
        const char *method;
        double to[2];
    } cases[] = {{"method='large'", {2.0, 2.0}}, {"method='small'", {0.0, -1.0}}};
    for (size_t i = 0; i < 2; i++) {
        DvText text = {0}, said = {0};
        dv_text_add(&text,
                    "<Node><MeshTopology position='0 0 0 1 1 0 0 1 0 2 0 0' triangles='0 1 2 0 3 1'/>"
                    "<MechanicalObject name='dofs' template='Vec3d'/><TriangleFEMForceField name='field' %s/></Node>",
                    cases[i].method);
        DvScene *scene = scene_from_text(text.at);
        static Forces f;
        dv_log_set_handler(collect, &said);
        forces_at_time(scene, 0.0, &f);
        assert_null(said.at);
        memcpy(positions(scene) + 9, cases[i].to, sizeof cases[i].to);
        forces_at_time(scene, 0.0, &f);
        forces_at_time(scene, 0.0, &f);
        dv_log_set_handler(NULL, NULL);
        assert_non_null(said.at);
        const char *first = strstr(said.at, "triangle 1 has lost its area");
        assert_non_null(first);
        assert_null(strstr(first + 1, "triangle 1 has lost"));
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
        cmocka_unit_test(a_sheet_turned_in_space_is_at_rest),
        cmocka_unit_test(a_triangle_that_collapses_has_no_force_and_no_nan),
        cmocka_unit_test(the_triangle_that_collapsed_is_named_once),
        cmocka_unit_test(mistakes_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, stop_plugins);
}
