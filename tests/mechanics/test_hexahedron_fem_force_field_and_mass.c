/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * HexahedronFEMForceFieldAndMass: the conformance suites of masses and of force fields, the entries of its matrix, forces against those of
 * HexahedronFEMForceField and a weight, edits, and cells of a sparse grid.
 */
#include "force_at.h"
#include "mass_conformance.h"
#include "mesh_edits.h"

#include <divan/contracts/mass.h>

#define BOXES                                                                                                    \
    "<MeshTopology name='topo' position='0 0 0 1 0 0 2 0 0 0 3 0 1 3 0 2 3 0 0 0 2 1 0 2 2 0 2 0 3 2 1 3 2 2 3 " \
    "2' hexahedra='0 1 4 3 6 7 10 9  1 2 5 4 7 8 11 10'/><MechanicalObject name='dofs' template='Vec3d'/>"
#define BOTH(name, more) \
    "<HexahedronFEMForceFieldAndMass name='" name "' youngModulus='100' poissonRatio='0.3' density='2.5' " more "/>"
#define REASON "the derivative of the frame is left out, by definition of the method"

/* Gravity acts on two boxes of 6 m^3, which are without stiffness here. */
#define WEIGHT(more)                                                                                                  \
    "<Node gravity='1 -2 3'>" BOXES "<HexahedronFEMForceFieldAndMass name='mass' youngModulus='0' poissonRatio='0.3'" \
    " density='2.5' " more "/></Node>"
MASS_CONFORMANCE(a_mass, .scene = WEIGHT(""), .total = 30)
MASS_CONFORMANCE(a_lumped_mass, .scene = WEIGHT("lumpedMass='1'"), .total = 30)
FORCE_FIELD_CONFORMANCE(a_force_field, .objective = true, .tangent = TANGENT_AT_REST, .energy = ENERGY_AT_REST,
                        .reason = REASON, .scene = "<Node gravity='0 0 0'>" BOXES BOTH("field", "") "</Node>")

static double product_of(const DvScene *scene, const double *dx, double *res)
{
    DvObject *mass = scene_object(scene, "/both");
    const DvMassOps *ops = dv_object_ops(mass, DV_MASS);
    memset(res, 0, 36 * sizeof *res);
    ops->add_mdx(dv_object_self(mass), 1.0, (DvConstVec){dx, 12, 3}, (DvVec){res, 12, 3});
    double sum = 0.0;
    for (int i = 0; i < 36; i++)
        sum += res[i];
    return sum;
}

/* 8/27 of the mass of an element, 15 kg, between any two of its points, in each direction alone; lumped, all that at each point. */
static void entries_are_those_of_the_formula(void **state)
{
    (void)state;
    static const uint32_t elements[2][8] = {{0, 1, 4, 3, 6, 7, 10, 9}, {1, 2, 5, 4, 7, 8, 11, 10}};
    for (int lumped = 0; lumped < 2; lumped++) {
        DvScene *scene = scene_from_text(lumped ? "<Node>" BOXES BOTH("both", "lumpedMass='1'") "</Node>"
                                                : "<Node>" BOXES BOTH("both", "") "</Node>");
        for (uint32_t column = 0; column < 36; column++) {
            double dx[36] = {0}, res[36], expected[36] = {0};
            dx[column] = 1.0;
            (void)product_of(scene, dx, res);
            for (int e = 0; e < 2; e++)
                for (int i = 0; i < 8; i++)
                    for (int j = 0; j < 8; j++)
                        if (elements[e][j] == column / 3)
                            expected[3 * elements[e][lumped ? j : i] + column % 3] += 15.0 * 8.0 / 27.0;
            for (int i = 0; i < 36; i++)
                assert_close(res[i], expected[i], 1e-13);
        }
        dv_scene_free(scene);
    }
}

/* massMatrices holds them. */
static void matrices_are_shown(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text("<Node>" BOXES BOTH("both", "") "</Node>");
    DvData *field = dv_object_field(scene_object(scene, "/both"), "massMatrices");
    const double *at = dv_data_read(field);
    assert_int_equal(field->count, 2);
    for (int i = 0; i < 2 * 24 * 24; i++)
        assert_close(at[i], i / 24 % 3 == i % 3 ? 15.0 * 8.0 / 27.0 : 0.0, 1e-14);
    dv_scene_free(scene);
}

/* The force is that of HexahedronFEMForceField, and an eighth of each element's weight at each of its points. */
static void the_force_is_elastic_with_a_weight(void **state)
{
    (void)state;
    static Forces f[2];
    static const char *const component[] = {
        BOTH("field", ""), "<HexahedronFEMForceField name='field' youngModulus='100' poissonRatio='0.3'/>"};
    for (int k = 0; k < 2; k++) {
        DvText text = {0};
        dv_text_add(&text, "<Node gravity='0.5 -10 0.25'>" BOXES "%s</Node>", component[k]);
        DvScene *scene = scene_from_text(text.at);
        double *x = dv_state_write(scene_state(scene, "/dofs"), DV_POSITION, DV_READ_WRITE).at;
        for (int i = 0; i < 36; i++)
            x[i] += 0.1 * sin(3.0 * i);
        forces_at_time(scene, 0.0, &f[k]);
        dv_scene_free(scene);
        dv_text_free(&text);
    }
    static const double gravity[3] = {0.5, -10.0, 0.25};
    for (int i = 0; i < 36; i++)
        assert_close(f[0].at[0][i] - f[1].at[0][i], 15.0 / 8.0 * (i / 3 % 3 == 1 ? 2 : 1) * gravity[i % 3], 1e-12);
}

/* Cells of a sparse grid weigh what they are filled: those of the surface half. */
static void cells_weigh_what_they_are_filled(void **state)
{
    (void)state;
    double sum[2];
    for (int weighted = 0; weighted < 2; weighted++) {
        DvText text = {0};
        dv_text_add(
            &text,
            "<Node gravity='0 -10 0'><SparseGridTopology n='4 4 4' min='0 0 0' max='3 3 3' fillWeighted='%d' position='0.5 0.5 0.5 2.5 "
            "0.5 0.5 0.5 2.5 0.5 0.5 0.5 2.5' triangles='0 2 1 0 1 3 0 3 2 1 2 3'/><MechanicalObject name='dofs'/>" BOTH(
                "both", "") "</Node>",
            weighted);
        DvScene *scene = scene_from_text(text.at);
        DvObject *mass = scene_object(scene, "/both");
        const DvMassOps *ops = dv_object_ops(mass, DV_MASS);
        sum[weighted] = 0.0;
        for (uint32_t p = 0; p < dv_state_count(scene_state(scene, "/dofs")); p++)
            sum[weighted] += ops->point_mass(dv_object_self(mass), p);
        dv_scene_free(scene);
        dv_text_free(&text);
    }
    assert_true(sum[0] > 20.0);
    assert_close(sum[1], 0.5 * sum[0], 1e-12); /* the tetrahedron is too small for a cell inside */
}

static void it_follows_edits(void **state)
{
    (void)state;
    forces_follow_edits(DV_HEXAHEDRA, BOTH("field", ""), 30);
    forces_follow_edits(DV_HEXAHEDRA, BOTH("field", "method='polar'"), 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mass),
        cmocka_unit_test(a_lumped_mass),
        cmocka_unit_test(a_force_field),
        cmocka_unit_test(entries_are_those_of_the_formula),
        cmocka_unit_test(matrices_are_shown),
        cmocka_unit_test(the_force_is_elastic_with_a_weight),
        cmocka_unit_test(cells_weigh_what_they_are_filled),
        cmocka_unit_test(it_follows_edits),
    };
    return cmocka_run_group_tests(tests, NULL, stop_plugins);
}
