/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * HexahedralFEMForceField: the conformance suite, cubes against HexahedronFEMForceField, the formula for other boxes, edits.
 */
#include "force_at.h"
#include "mesh_edits.h"

#define CUBES                                                                                                    \
    "<MeshTopology name='topo' position='0 0 0 1 0 0 2 0 0 0 1 0 1 1 0 2 1 0 0 0 1 1 0 1 2 0 1 0 1 1 1 1 1 2 1 " \
    "1' hexahedra='0 1 4 3 6 7 10 9  1 2 5 4 7 8 11 10'/><MechanicalObject name='dofs' template='Vec3d'/>"
#define REASON "the derivative of the frame is left out, by definition of the method"

FORCE_FIELD_CONFORMANCE(frames_by_edges, .objective = true, .tangent = TANGENT_AT_REST, .energy = ENERGY_AT_REST,
                        .reason = REASON,
                        .scene = "<Node>" CUBES "<HexahedralFEMForceField name='field' youngModulus='100' "
                                 "poissonRatio='0.3'/></Node>")
FORCE_FIELD_CONFORMANCE(frames_by_polar_decomposition, .objective = true, .tangent = TANGENT_AT_REST,
                        .energy = ENERGY_AT_REST, .reason = REASON,
                        .scene = "<Node>" CUBES "<HexahedralFEMForceField name='field' youngModulus='100' "
                                 "poissonRatio='0.3' method='polar'/></Node>")

static void forces_of_class(const char *class_name, const char *method, Forces *f)
{
    DvText text = {0};
    dv_text_add(&text, "<Node>" CUBES "<%s name='field' youngModulus='100' poissonRatio='0.3' method='%s'/></Node>",
                class_name, method);
    DvScene *scene = scene_from_text(text.at);
    double *x = dv_state_write(scene_state(scene, "/dofs"), DV_POSITION, DV_READ_WRITE).at;
    for (int i = 0; i < 36; i++)
        x[i] += 0.1 * sin(3.0 * i);
    forces_at_time(scene, 0.0, f);
    dv_scene_free(scene);
    dv_text_free(&text);
}

/* Of cubes the formula is the integral of HexahedronFEMForceField. */
static void cubes_have_the_integrated_stiffness(void **state)
{
    (void)state;
    static Forces f[2];
    static const char *const methods[] = {"large", "polar"};
    for (int m = 0; m < 2; m++) {
        forces_of_class("HexahedralFEMForceField", methods[m], &f[0]);
        forces_of_class("HexahedronFEMForceField", methods[m], &f[1]);
        for (int i = 0; i < 36; i++)
            assert_close(f[0].at[0][i], f[1].at[0][i], 1e-12);
        assert_true(fabs(f[0].at[0][4]) + fabs(f[0].at[0][7]) > 0.1);
    }
}

/* A box of 2 x 1 x 1 stretched along x: stress (lambda + 2 mu) e on its faces, as it should be; sheared, x displaced with y, the formula
 * has J_x^2 mu where J_y^2 mu belongs, a quarter of the force. */
static void other_boxes_follow_the_formula(void **state)
{
    (void)state;
    for (int shear = 0; shear < 2; shear++) {
        DvScene *scene = scene_from_text(
            "<Node><MeshTopology position='0 0 0 2 0 0 2 1 0 0 1 0 0 0 1 2 0 1 2 1 1 0 1 1' hexahedra='0 1 2 3 4 5 6 7'/>"
            "<MechanicalObject name='dofs' template='Vec3d'/><HexahedralFEMForceField name='field' youngModulus='100' "
            "poissonRatio='0.3'/></Node>");
        double *x = dv_state_write(scene_state(scene, "/dofs"), DV_POSITION, DV_READ_WRITE).at;
        const double e = 1e-7, lambda = 100 * 0.3 / (1.3 * 0.4), mu = 100 / 2.6;
        for (int p = 0; p < 8; p++)
            x[3 * p] += e * x[3 * p + shear];
        static Forces f;
        forces_at_time(scene, 0.0, &f);
        double face = 0.0; /* x of the face at x = 2, or at y = 1 */
        for (int p = 0; p < 8; p++)
            if (shear ? p == 2 || p == 3 || p == 6 || p == 7 : p == 1 || p == 2 || p == 5 || p == 6)
                face += f.at[0][3 * p];
        assert_close(face, shear ? -0.25 * 2.0 * mu * e : -(lambda + 2.0 * mu) * e, 1e-5 * mu * e);
        dv_scene_free(scene);
    }
}

/* Column `at` of K of one box from the origin, in its rest shape. */
static void column_of(const char *class_name, const double size[3], int at, double column[24])
{
    DvText text = {0};
    dv_text_add(&text, "<Node><MeshTopology position='");
    for (int p = 0; p < 8; p++)
        dv_text_add(&text, "%g %g %g ", (p + 1) / 2 % 2 * size[0], p / 2 % 2 * size[1], p < 4 ? 0.0 : size[2]);
    dv_text_add(&text,
                "' hexahedra='0 1 2 3 4 5 6 7'/><MechanicalObject name='dofs' template='Vec3d'/><%s name='field' "
                "youngModulus='100' poissonRatio='0.3'/></Node>",
                class_name);
    DvScene *scene = scene_from_text(text.at);
    DvObject *field = scene_object(scene, "/field");
    const DvStep step = {.dt = 0.01, .position = DV_POSITION, .velocity = DV_VELOCITY};
    static Forces f;
    forces_at_time(scene, 0.0, &f);
    double dx[24] = {0};
    dx[at] = 1.0;
    memset(column, 0, 24 * sizeof *column);
    field_ops(field)->add_dforce(dv_object_self(field), &step, 1.0, 0.0, &(DvConstVec){dx, 8, 3},
                                 &(DvVec){column, 8, 3});
    dv_scene_free(scene);
    dv_text_free(&text);
}

/* By the formula entries of components k and l are those of a cube of side 2, which are integrated, times V / 8 J_k J_l. */
static void boxes_of_three_lengths_are_scaled_cubes(void **state)
{
    (void)state;
    static const double sizes[][3] = {{2, 0.5, 1.5}, {0.25, 3, 1}, {1, 2, 7}}, cube[3] = {2, 2, 2};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int at = 0; at < 24; at++) {
            const double *size = sizes[s], volume = size[0] * size[1] * size[2];
            double box[24], whole[24];
            column_of("HexahedralFEMForceField", size, at, box);
            column_of("HexahedronFEMForceField", cube, at, whole);
            for (int i = 0; i < 24; i++)
                assert_close(box[i], whole[i] * volume / 8 * (2 / size[i % 3]) * (2 / size[at % 3]), 1e-10);
            assert_true(fabs(box[at]) > 1);
        }
}

static void boxes_follow_edits(void **state)
{
    (void)state;
    forces_follow_edits(DV_HEXAHEDRA, "<HexahedralFEMForceField name='field' youngModulus='50' poissonRatio='0.3'/>",
                        20);
}

static void mistakes_are_named(void **state)
{
    (void)state;
    expect_load_error(
        "<Node><MeshTopology/><MechanicalObject template='Vec3d'/><HexahedralFEMForceField name='H'/></Node>",
        "has no hexahedra");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_by_edges),
        cmocka_unit_test(frames_by_polar_decomposition),
        cmocka_unit_test(cubes_have_the_integrated_stiffness),
        cmocka_unit_test(other_boxes_follow_the_formula),
        cmocka_unit_test(boxes_of_three_lengths_are_scaled_cubes),
        cmocka_unit_test(boxes_follow_edits),
        cmocka_unit_test(mistakes_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, stop_plugins);
}
