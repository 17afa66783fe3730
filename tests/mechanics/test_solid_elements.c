/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Element x law: every element with every kinematics as a force field; patch tests; rotations; materials by name.
 */
#include "force_at.h"
#include "unit_meshes.h"

#include <divan/contracts/topology.h>
#include <divan/kit/material_law.h>
#include <divan/math/quat.h>

/* `field`: the element and its attributes but the template. */
static void write_scene(DvElementKind kind, uint32_t space, const char *class_name, const char *attributes,
                        DvText *text)
{
    Mesh mesh;
    make_mesh(kind, &mesh);
    dv_text_add(text, "<Node><MeshTopology position='");
    for (uint32_t i = 0; i < 3 * mesh.points; i++)
        dv_text_add(text, "%.17g ", mesh.x[i]);
    dv_text_add(
        text,
        "' %s='%s'/><MechanicalObject name='dofs' template='Vec%ud'/><%s name='field' template='Vec%ud,%s' %s/></Node>",
        lists[kind], mesh.elements.at, space, class_name, space, words[kind], attributes);
    dv_text_free(&mesh.elements);
}

/* ---- Conformance ---- */

#define EACH_KIND(kind, from) for (DvElementKind kind = (from); kind < DV_ELEMENT_KINDS; kind++)

static void conform(DvElementKind kind, uint32_t space, const char *class_name, const char *attributes,
                    ForceFieldConformance c)
{
    DvText text = {0};
    write_scene(kind, space, class_name, attributes, &text);
    c.scene = text.at;
    force_field_conformance(&c);
    dv_text_free(&text);
}

static void small_strains_are_a_force_field(void **state)
{
    (void)state;
    EACH_KIND(kind, DV_EDGES)
    for (uint32_t space = dimensions[kind]; space <= 3; space++)
        conform(kind, space, "LinearSmallStrainFEMForceField", "youngModulus='100' poissonRatio='0.3'",
                (ForceFieldConformance){.tangent = TANGENT_EXACT, .energy = ENERGY_EXACT});
}

/* Edges and surfaces have a stiffness across that no force at rest has; of edges the energy is exact all the same. */
static void corotational_strains_are_a_force_field(void **state)
{
    (void)state;
    const char *material = "youngModulus='100' poissonRatio='0.3'",
               *reason = "the derivative of the rotation is left out, by definition";
    EACH_KIND(kind, DV_TETRAHEDRA)
    conform(kind, 3, "CorotationalFEMForceField", material,
            (ForceFieldConformance){
                .objective = true, .tangent = TANGENT_AT_REST, .energy = ENERGY_AT_REST, .reason = reason});
    conform(DV_EDGES, 3, "CorotationalFEMForceField", material,
            (ForceFieldConformance){.tangent = TANGENT_LEFT_OUT, .energy = ENERGY_EXACT, .reason = reason});
}

static void finite_strains_of_every_material_are_a_force_field(void **state)
{
    (void)state;
    for (const DvMaterialLaw *const *law = dv_material_laws; *law; law++)
        EACH_KIND(kind, DV_TETRAHEDRA)
        {
            char attributes[200];
            const bool three = dv_material_law_parameters(*law) == 3;
            snprintf(attributes, sizeof attributes, "material='%s' parameters='%s' kinematics='%s'", (*law)->name,
                     three ? "40 0.7 90" : "40 90", (*law)->linear ? "small" : "finite");
            conform(kind, 3, "SolidFEMForceField", attributes,
                    (ForceFieldConformance){.deformation = 0.02,
                                            .objective = !(*law)->linear,
                                            .internal = !(*law)->linear,
                                            .tangent = TANGENT_EXACT,
                                            .energy = ENERGY_EXACT});
        }
}

static void finite_strains_in_the_plane_are_a_force_field(void **state)
{
    (void)state;
    for (DvElementKind kind = DV_TRIANGLES; kind <= DV_QUADS; kind++)
        conform(kind, 2, "SolidFEMForceField", "material='NeoHookean' parameters='40 90'",
                (ForceFieldConformance){.deformation = 0.03, .tangent = TANGENT_EXACT, .energy = ENERGY_EXACT});
}

/* ---- Patch tests ---- */

static const double young = 100.0, poisson = 0.3;

/* Stress of Hooke's law for the strain e of a body of so many dimensions. */
static void hooke(const double e[9], uint32_t space, double s[9])
{
    const double lambda = young * poisson / ((1.0 + poisson) * (1.0 - (space - 1.0) * poisson)),
                 mu = young / (2.0 * (1.0 + poisson)), trace = e[0] + e[4] + e[8];
    for (int i = 0; i < 9; i++)
        s[i] = mu * (e[i] + e[3 * (i % 3) + i / 3]) + (i % 4 == 0 ? lambda * trace : 0.0);
}

/* At x = F X: no force inside, and the work of the forces on any displacement B X is -V P : B. */
static void expect_stress(DvElementKind kind, uint32_t space, const char *class_name, const char *attributes,
                          const double f[9], const double p[9])
{
    DvText text = {0};
    Mesh mesh;
    static Forces forces;
    make_mesh(kind, &mesh);
    write_scene(kind, space, class_name, attributes, &text);
    DvScene *scene = scene_from_text(text.at);
    double *x = dv_state_write(scene_state(scene, "/dofs"), DV_POSITION, DV_READ_WRITE).at, work[9] = {0.0};
    for (uint32_t n = 0; n < mesh.points; n++)
        for (uint32_t i = 0; i < space; i++)
            x[space * n + i] =
                0.7 + f[3 * i] * mesh.x[3 * n] + f[3 * i + 1] * mesh.x[3 * n + 1] + f[3 * i + 2] * mesh.x[3 * n + 2];
    forces_at_time(scene, 0.0, &forces);
    for (uint32_t n = 0; n < mesh.points; n++)
        for (uint32_t i = 0; i < space; i++) {
            if (n == mesh.inner)
                assert_close(forces.at[0][space * n + i], 0.0, 1e-9);
            for (uint32_t j = 0; j < space; j++)
                work[3 * i + j] += forces.at[0][space * n + i] * mesh.x[3 * n + j];
        }
    for (uint32_t i = 0; i < space; i++)
        for (uint32_t j = 0; j < dimensions[kind]; j++)
            if (!(fabs(work[3 * i + j] + p[3 * i + j]) <= 1e-8 * young))
                fail_msg("%s of %s %s in %u dimensions: stress %u %u is %.12g, not %.12g", class_name, words[kind],
                         attributes, space, i, j, -work[3 * i + j], p[3 * i + j]);
    dv_scene_free(scene);
    dv_text_free(&text);
    dv_text_free(&mesh.elements);
}

/* A strain in the dimensions of the element. */
static void strain_of(DvElementKind kind, double size, double e[9])
{
    static const double spread[9] = {0.3, 0.1, -0.2, 0.1, -0.25, 0.15, -0.2, 0.15, 0.2};
    for (uint32_t i = 0; i < 9; i++)
        e[i] = i / 3 < dimensions[kind] && i % 3 < dimensions[kind] ? size * spread[i] : 0.0;
}

static void small_strains_pass_the_patch_test(void **state)
{
    (void)state;
    EACH_KIND(kind, DV_EDGES)
    for (uint32_t space = dimensions[kind]; space <= 3; space++) {
        double e[9], f[9], p[9];
        strain_of(kind, 0.4, e);
        for (int i = 0; i < 9; i++)
            f[i] = e[i] + (i % 4 == 0);
        hooke(e, space, p);
        expect_stress(kind, space, "LinearSmallStrainFEMForceField", "youngModulus='100' poissonRatio='0.3'", f, p);
    }
}

static DvMat3 turn(uint32_t space)
{
    return dv_quat_to_matrix(space == 3 ? dv_quat_normalize(dv_quat(0.3, -0.5, 0.4, 0.6))
                                        : dv_quat_normalize(dv_quat(0, 0, 0.7, 0.5)));
}

/* F = R (1 + e) with a symmetric e: P = R s(e), by every method that finds rotations of a body that is strained evenly and a little. */
static void corotational_strains_pass_the_patch_test(void **state)
{
    (void)state;
    EACH_KIND(kind, DV_EDGES)
    for (uint32_t space = dimensions[kind] < 2 ? 2 : dimensions[kind]; space <= 3; space++) {
        const DvMat3 r = turn(space);
        double e[9], s[9], f[9] = {0.0}, p[9] = {0.0};
        /* the polar factor of the moments is that of F where the moments of the rest shape are the same along all axes, or nothing is
             * strained: so only a stretch that is the same in all directions */
        strain_of(kind, 0.0, e);
        for (uint32_t i = 0; i < dimensions[kind]; i++)
            e[4 * i] = 0.05;
        hooke(e, space, s);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                for (int k = 0; k < 3; k++) {
                    f[3 * i + j] += r.m[i][k] * (e[3 * k + j] + (k == j));
                    p[3 * i + j] += r.m[i][k] * s[3 * k + j];
                }
        expect_stress(kind, space, "CorotationalFEMForceField", "youngModulus='100' poissonRatio='0.3'", f, p);
        expect_stress(kind, space, "CorotationalFEMForceField",
                      "youngModulus='100' poissonRatio='0.3' rotationMethod='stable_polar'", f, p);
        if (dimensions[kind] == space)
            expect_stress(kind, space, "CorotationalFEMForceField",
                          "youngModulus='100' poissonRatio='0.3' rotationMethod='polar'", f, p);
    }
}

static void finite_strains_pass_the_patch_test(void **state)
{
    (void)state;
    const double mu = 40.0, lambda = 90.0;
    EACH_KIND(kind, DV_TRIANGLES)
    {
        const uint32_t space = dimensions[kind];
        const DvMat3 r = turn(space);
        double e[9], p[9];
        DvMat3 u = dv_mat3_identity(), inverse;
        strain_of(kind, 0.8, e);
        for (int i = 0; i < 9; i++)
            u.m[i / 3][i % 3] += e[i];
        const DvMat3 f = dv_mat3_mul(r, u);
        double all[9];
        dv_mat3_store(f, all);
        const double log_j = log(dv_mat3_inverse(f, &inverse));
        for (int i = 0; i < 9; i++) /* mu (F - F^-T) + lambda ln J F^-T */
            p[i] = mu * f.m[i / 3][i % 3] + (lambda * log_j - mu) * inverse.m[i % 3][i / 3];
        expect_stress(kind, space, "SolidFEMForceField", "material='NeoHookean' parameters='40 90'", all, p);
    }
}

/* ---- Fields ---- */

static void what_does_not_fit_is_told(void **state)
{
    (void)state;
    const struct {
        DvElementKind kind;
        const char *class_name, *attributes, *message;
    } cases[] = {
        {DV_TETRAHEDRA, "SolidFEMForceField", "material='Wood'",
         "SolidFEMForceField 'field': material: there is no material 'Wood'; there are Hooke, StVenantKirchhoff, "
         "NeoHookean, StableNeoHookean, MooneyRivlin, VerondaWestman, ArrudaBoyce, and those of plugins that are not "
         "loaded"},
        {DV_TETRAHEDRA, "SolidFEMForceField", "material='MooneyRivlin' parameters='1 2'",
         "SolidFEMForceField 'field': parameters: holds 2 numbers, material MooneyRivlin has 3"},
        {DV_TRIANGLES, "SolidFEMForceField", "parameters='1 2'",
         "SolidFEMForceField 'field': elements of type triangle with finite strains need a state of 2 dimensions"},
        {DV_TETRAHEDRA, "CorotationalFEMForceField", "youngModulus='1' poissonRatio='0' rotationMethod='hexahedron'",
         "CorotationalFEMForceField 'field': rotationMethod: is for other elements than those of 'Vec3d,Tetrahedron'; "
         "use stable_polar"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        DvText text = {0};
        write_scene(cases[i].kind, 3, cases[i].class_name, cases[i].attributes, &text);
        expect_load_error(text.at, cases[i].message);
        dv_text_free(&text);
    }
}

/* The stiffness as the field has it, and as the product does. */
static void the_stiffness_of_elements_is_an_output(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node><MeshTopology position='0 0 0 2 0 0 0 3 0 0 0 1' tetrahedra='0 1 2 3'/><MechanicalObject/>"
        "<LinearSmallStrainFEMForceField name='field' template='Vec3,Tetrahedron' youngModulus='100' "
        "poissonRatio='0.25'/></Node>");
    size_t count;
    const double *k = field_doubles(scene, "/field", "elementStiffness", &count);
    assert_int_equal(count, 144);
    assert_close(k[3 * 12 + 3], 40.0 * 3.0 / 4.0, 1e-10); /* V (lambda + 2 mu) / 2^2, with lambda = mu = 40 and V = 1 */
    assert_close(k[4 * 12 + 4], 40.0 / 4.0, 1e-10);
    assert_close(k[3 * 12 + 7], 40.0 / 6.0, 1e-10); /* V lambda / (2 3) */
    dv_scene_free(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_strains_are_a_force_field),
        cmocka_unit_test(corotational_strains_are_a_force_field),
        cmocka_unit_test(finite_strains_of_every_material_are_a_force_field),
        cmocka_unit_test(finite_strains_in_the_plane_are_a_force_field),
        cmocka_unit_test(small_strains_pass_the_patch_test),
        cmocka_unit_test(corotational_strains_pass_the_patch_test),
        cmocka_unit_test(finite_strains_pass_the_patch_test),
        cmocka_unit_test(what_does_not_fit_is_told),
        cmocka_unit_test(the_stiffness_of_elements_is_an_output),
    };
    return cmocka_run_group_tests(tests, NULL, stop_plugins);
}
