/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * TriangularFEMForceField: the conformance suite, the patch test, principal stresses, given shapes, changes of the mesh.
 */
#include "force_at.h"
#include "mesh_edits.h"

/* A square of side 2 with a point inside, out of the middle. */
#define SHEET                                                                                                      \
    "<MeshTopology name='topo' position='0 0 0 2 0 0 2 2 0 0 2 0 0.9 1.2 0' triangles='0 1 4 1 2 4 2 3 4 3 0 4'/>" \
    "<MechanicalObject name='dofs' template='Vec3d'/>"
#define REASON "the derivatives of frame and shape functions are left out, by definition of the method"

FORCE_FIELD_CONFORMANCE(
    large_displacements, .objective = true, .tangent = TANGENT_AT_REST, .energy = ENERGY_NONE, .reason = REASON,
    .scene = "<Node><MeshTopology position='0 0 0  2 0 0.3  2 2 0  0 2 -0.2  0.9 1.2 0.4' triangles='0 1 4 1 2 4 2 3 4 "
             "3 0 4'/><MechanicalObject name='dofs' template='Vec3d'/><TriangularFEMForceField name='field' "
             "youngModulus='100' poissonRatio='0.3'/></Node>")
FORCE_FIELD_CONFORMANCE(small_displacements, .tangent = TANGENT_AT_REST, .energy = ENERGY_NONE, .reason = REASON,
                        .scene = "<Node>" SHEET "<TriangularFEMForceField name='field' youngModulus='100' "
                                 "poissonRatio='0.3' method='small'/></Node>")

static double *positions(DvScene *scene)
{
    return dv_state_write(scene_state(scene, "/dofs"), DV_POSITION, DV_READ_WRITE).at;
}

static void a_small_stretch_and_shear_have_the_stress_of_the_closed_form(void **state)
{
    (void)state;
    static const char *const methods[] = {"small", "large"};
    const double e = 1e-7, stress = 100 / (1 - 0.09) * e, mu = 100 / 2.6;
    for (int m = 0; m < 2; m++)
        for (int shear = 0; shear < 2; shear++) {
            DvText text = {0};
            dv_text_add(&text,
                        "<Node>" SHEET "<TriangularFEMForceField name='field' youngModulus='100' poissonRatio='0.3' "
                        "method='%s'/></Node>",
                        methods[m]);
            DvScene *scene = scene_from_text(text.at);
            double *x = positions(scene);
            for (int p = 0; p < 5; p++)
                x[3 * p] += e * x[3 * p + shear];
            static Forces f;
            forces_at_time(scene, 0.0, &f);
            if (shear)
                assert_close(f.at[0][6] + f.at[0][9], -2.0 * mu * e, 1e-5 * mu * e); /* upper side, of length 2 */
            else
                assert_close(f.at[0][3] + f.at[0][6], -2.0 * stress, 1e-5 * stress); /* right side */
            for (int c = 0; c < 3; c++)
                assert_close(f.at[0][12 + c], 0.0, 1e-12); /* patch test */
            dv_scene_free(scene);
            dv_text_free(&text);
        }
}

/* Uniform stretches e and -e / 2 along axes that are turned by 0.4. */
static void principal_stresses_are_those_of_the_closed_form(void **state)
{
    (void)state;
    DvScene *scene =
        scene_from_text("<Node>" SHEET "<TriangularFEMForceField name='field' youngModulus='100' poissonRatio='0.3' "
                        "computePrincipalStress='1' hosfordExponant='6' criteriaValue='0.00001'/></Node>");
    const double e[2] = {1e-7, -0.5e-7}, c = cos(0.4), s = sin(0.4);
    double *x = positions(scene);
    for (int p = 0; p < 5; p++) {
        const double along = c * x[3 * p] + s * x[3 * p + 1], across = -s * x[3 * p] + c * x[3 * p + 1];
        x[3 * p] += c * e[0] * along - s * e[1] * across;
        x[3 * p + 1] += s * e[0] * along + c * e[1] * across;
    }
    static Forces f;
    forces_at_time(scene, 0.0, &f);
    size_t count;
    const double *info = field_doubles(scene, "/field", "triangleInfo", &count);
    assert_int_equal(count, 4);
    const double first = 100 / 0.91 * (e[0] + 0.3 * e[1]), second = 100 / 0.91 * (e[1] + 0.3 * e[0]);
    const double equivalent = pow(0.5 * (pow(fabs(first), 6) + pow(fabs(second), 6) + pow(first - second, 6)), 1.0 / 6);
    for (size_t i = 0; i < count; i++) {
        assert_close(info[3 * i], first, 1e-5 * first);
        assert_close(info[3 * i + 1], second, 1e-5 * first);
        assert_close(info[3 * i + 2], equivalent - 0.00001, 1e-5 * first);
    }
    const double *at_point = field_doubles(scene, "/field", "vertexInfo", &count);
    assert_int_equal(count, 5);
    for (size_t i = 0; i < count; i++)
        assert_close(at_point[i], first, 1e-5 * first);
    dv_scene_free(scene);
}

/* A triangle whose given shape is twice as large pushes as one that was shrunk to half. */
static void given_shapes_are_without_stress(void **state)
{
    (void)state;
#define GIVEN " rotatedInitialElements='0 0 0 2 0 0 0 2 0' initialTransformation='1 0 0 0 1 0 0 0 1'"
    static const char *const rest[] = {"0 0 0 1 0 0 0 1 0", "0 0 0 2 0 0 0 2 0"};
    static const char *const given[] = {GIVEN, ""};
    static Forces f[2];
    for (int method = 0; method < 2; method++) {
        for (int i = 0; i < 2; i++) {
            DvText text = {0};
            dv_text_add(&text,
                        "<Node><TriangleSetTopologyContainer position='0 0 0 1 0 0 0 1 0' triangles='0 1 2'/>"
                        "<MechanicalObject name='dofs' template='Vec3d' position='0 0 0 1 0 0 0 1 0' "
                        "rest_position='%s'/><TriangularFEMForceField name='field' method='%s'%s/></Node>",
                        rest[i], method == 0 ? "small" : "large", given[i]);
            forces_of(text.at, &f[i]);
            dv_text_free(&text);
        }
        assert_true(f[0].at[0][3] > 1.0);
        for (int i = 0; i < 9; i++)
            assert_close(f[0].at[0][i], f[1].at[0][i], 1e-12);
    }
}

/* Of several triangles each has its own: given shapes are what rest positions of these shapes are. First edges lie along x. */
static void each_triangle_has_the_shape_that_is_given(void **state)
{
    (void)state;
    static const char shapes[] = "3 4 0 5 4 0 4 7 0  1 1 0 2 1 0 1.5 3 0  -1 2 0 0.5 2 0 0 3 0";
    static Forces f[2];
    for (int method = 0; method < 2; method++) {
        for (int given = 0; given < 2; given++) {
            DvText text = {0};
            dv_text_add(
                &text,
                "<Node><TriangleSetTopologyContainer position='0 0 0 1 0 0 0 1 0 2 0 0 3 0 0 2 1 0 4 0 0 5 0 0 4 1 0' "
                "triangles='0 1 2 3 4 5 6 7 8'/><MechanicalObject name='dofs' template='Vec3d' position='0 0 0 1 0.1 0 "
                "0.2 1 0 2 0 0 3 0.1 0 2 1.2 0 4 0 0 5.2 0.2 0 4 1 0' rest_position='%s'/><TriangularFEMForceField "
                "name='field' method='%s'",
                given ? "0 0 0 1 0 0 0 1 0 2 0 0 3 0 0 2 1 0 4 0 0 5 0 0 4 1 0" : shapes,
                method == 0 ? "small" : "large");
            if (given)
                dv_text_add(
                    &text,
                    " rotatedInitialElements='%s' initialTransformation='1 0 0 0 1 0 0 0 1  1 0 0 0 1 0 0 0 1  1 0 0 0 "
                    "1 0 0 0 1'",
                    shapes);
            dv_text_add(&text, "/></Node>");
            forces_of(text.at, &f[given]);
            dv_text_free(&text);
        }
        for (int i = 0; i < 27; i++)
            assert_close(f[1].at[0][i], f[0].at[0][i], 1e-11);
        for (int triangle = 0; triangle < 3; triangle++)
            assert_true(fabs(f[0].at[0][9 * triangle + 3]) > 1.0);
    }
}

static void membranes_follow_edits(void **state)
{
    (void)state;
    forces_follow_edits(DV_TRIANGLES, "<TriangularFEMForceField name='field' youngModulus='50' poissonRatio='0.3'/>",
                        60);
}

static void a_given_shape_stays_with_its_triangle(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node><TriangleSetTopologyContainer position='0 0 0 1 0 0 0 1 0 2 0 0 2 1 0' triangles='0 1 2 1 3 4'/>"
        "<TriangleSetTopologyModifier name='modifier'/><MechanicalObject name='dofs' template='Vec3d'/>"
        "<TriangularFEMForceField name='field' rotatedInitialElements='0 0 0 1 0 0 0 1 0 0 0 0 1 0 0 1 3 0' "
        "initialTransformation='1 0 0 0 1 0 0 0 1 1 0 0 0 1 0 0 0 1'/></Node>");
    DvObject *modifier = scene_object(scene, "/modifier");
    const DvTopologyModifierOps *ops = dv_object_ops(modifier, DV_TOPOLOGY_MODIFIER);
    static Forces f[2];
    forces_at_time(scene, 0.0, &f[0]);
    assert_true(f[0].at[0][10] != 0.0 && f[0].at[0][0] == 0.0);
    assert_int_equal(ops->remove_elements(dv_object_self(modifier), DV_TRIANGLES, 1, (const uint32_t[]){0}, false),
                     DV_OK);
    forces_at_time(scene, 0.0, &f[1]);
    for (int i = 0; i < 15; i++)
        assert_true(f[0].at[0][i] == f[1].at[0][i]);
    dv_scene_free(scene);
}

static void mistakes_are_named(void **state)
{
    (void)state;
    expect_load_error("<Node>" SHEET "<TriangularFEMForceField name='T' rotatedInitialElements='0 0 0' "
                      "initialTransformation='1 0 0 0 1 0 0 0 1'/></Node>",
                      "rotatedInitialElements: holds 1 points for 4 triangles; give three of each");
    expect_load_error("<Node><MeshTopology position='0 0 0 1 0 0 2 0 0' triangles='0 1 2'/><MechanicalObject "
                      "template='Vec3d'/><TriangularFEMForceField name='T'/></Node>",
                      "TriangularFEMForceField 'T': triangle 0 has no area at rest");
    expect_load_error("<Node><MechanicalObject template='Vec3d'/><TriangularFEMForceField name='T'/></Node>",
                      "no topology");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(large_displacements),
        cmocka_unit_test(small_displacements),
        cmocka_unit_test(a_small_stretch_and_shear_have_the_stress_of_the_closed_form),
        cmocka_unit_test(principal_stresses_are_those_of_the_closed_form),
        cmocka_unit_test(given_shapes_are_without_stress),
        cmocka_unit_test(each_triangle_has_the_shape_that_is_given),
        cmocka_unit_test(membranes_follow_edits),
        cmocka_unit_test(a_given_shape_stays_with_its_triangle),
        cmocka_unit_test(mistakes_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, stop_plugins);
}
