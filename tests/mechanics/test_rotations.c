/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * DV_ROTATIONS, the suite for every class that offers it: nothing turns at rest, a body that is turned turns everywhere as it, by a
 * deformation rotations stay rotations, and what turns on one side of a joint turns there alone.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scene_text.h"

#include <divan/contracts/rotations.h>
#include <divan/math/quat.h>
#include <divan/memory.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { POINTS = 27 };

typedef struct RotationsConformance {
    const char *mesh;  /* of 27 points, 3 a side, one apart, or fewer */
    const char *field; /* named "field" */
    const char *state; /* type of its state; NULL: Vec3d */
    bool stands;       /* its forces do not follow rotations */
} RotationsConformance;

static const char grid[] = "<RegularGridTopology n='3 3 3' min='0 0 0' max='2 2 2'/>";

/* The identity, or a turn of all. */
static void check_all(const double (*r)[9], const double expected[9], uint32_t count)
{
    for (uint32_t p = 0; p < count; p++)
        for (int i = 0; i < 9; i++)
            if (!(fabs(r[p][i] - expected[i]) < 1e-12))
                fail_msg("point %u, entry %d: %g instead of %g", p, i, r[p][i], expected[i]);
}

static void check_orthonormal(const double r[9])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            assert_true(fabs(r[3 * i] * r[3 * j] + r[3 * i + 1] * r[3 * j + 1] + r[3 * i + 2] * r[3 * j + 2] -
                             (i == j)) < 1e-12);
    assert_true(r[0] * (r[4] * r[8] - r[5] * r[7]) - r[1] * (r[3] * r[8] - r[5] * r[6]) +
                    r[2] * (r[3] * r[7] - r[4] * r[6]) >
                0.0);
}

static void turn_all(const double r[9], uint32_t dim, const double *from, double *to, uint32_t count)
{
    for (uint32_t p = 0; p < count; p++)
        for (uint32_t i = 0; i < dim; i++) {
            to[p * dim + i] = 0.25;
            for (uint32_t j = 0; j < dim; j++)
                to[p * dim + i] += r[3 * i + j] * from[p * dim + j];
        }
}

static void rotations_conformance(const RotationsConformance *c)
{
    char text[2048];
    snprintf(text, sizeof text,
             "<Node name='root'><Node name='Body'>%s<MechanicalObject name='dofs' template='%s'/>%s</Node></Node>",
             c->mesh, c->state ? c->state : "Vec3d", c->field);
    DvScene *scene = scene_from_text(text);
    DvObject *object = scene_object(scene, "/Body/field");
    const DvRotationsOps *ops = dv_object_ops(object, DV_ROTATIONS);
    assert_non_null(ops);
    void *self = dv_object_self(object);
    assert_ptr_equal(ops->state(self), scene_object(scene, "/Body/dofs"));
    const DvConstVec rest = dv_state_read(scene_state(scene, "/Body/dofs"), DV_REST_POSITION);
    assert_true(rest.count > 0 && rest.count <= POINTS);
    double r[POINTS][9], x[POINTS * 3], q[9];
    static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    ops->rotations(self, &rest, r[0]);
    check_all((const double(*)[9])r, identity, rest.count);

    const DvVec3 axis = rest.dim == 3 ? dv_vec3(0.6, -0.64, 0.48) : dv_vec3(0, 0, 1);
    const DvMat3 turn = dv_quat_to_matrix(dv_quat_from_axis_angle(axis, 2.1));
    memcpy(q, turn.m, sizeof q);
    turn_all(q, rest.dim, rest.at, x, rest.count);
    const DvConstVec turned = {.at = x, .count = rest.count, .dim = rest.dim};
    ops->rotations(self, &turned, r[0]);
    check_all((const double(*)[9])r, c->stands ? identity : q, rest.count);

    for (uint32_t i = 0; i < rest.count * rest.dim; i++)
        x[i] += 0.3 * sin(7.0 * i);
    ops->rotations(self, &turned, r[0]);
    double again[POINTS][9];
    ops->rotations(self, &turned, again[0]);
    assert_memory_equal(r, again, rest.count * sizeof *r);
    for (uint32_t p = 0; p < rest.count; p++)
        check_orthonormal(r[p]);
    dv_scene_free(scene);
}

#define ROTATIONS_CONFORMANCE(test, ...)                             \
    static void test(void **state)                                   \
    {                                                                \
        (void)state;                                                 \
        rotations_conformance(&(RotationsConformance){__VA_ARGS__}); \
    }

ROTATIONS_CONFORMANCE(of_tetrahedra, .mesh = grid, .field = "<TetrahedronFEMForceField name='field'/>")
ROTATIONS_CONFORMANCE(of_polar_tetrahedra, .mesh = grid,
                      .field = "<TetrahedronFEMForceField name='field' method='polar'/>")
ROTATIONS_CONFORMANCE(of_small_tetrahedra, .mesh = grid,
                      .field = "<TetrahedronFEMForceField name='field' method='small'/>", .stands = true)
ROTATIONS_CONFORMANCE(of_corotational_tetrahedra,
                      .mesh = "<TetrahedronSetTopologyContainer position='0 0 0  1 0 0  0 1 0  0 0 1  1 1 1' "
                              "tetrahedra='0 1 2 3  1 2 3 4'/>",
                      .field = "<TetrahedralCorotationalFEMForceField name='field'/>")
ROTATIONS_CONFORMANCE(of_hexahedra, .mesh = grid, .field = "<HexahedronFEMForceField name='field'/>")
ROTATIONS_CONFORMANCE(of_exact_hexahedra, .mesh = grid,
                      .field = "<HexahedronFEMForceField name='field' method='exact'/>")
ROTATIONS_CONFORMANCE(of_small_hexahedra, .mesh = grid,
                      .field = "<HexahedronFEMForceField name='field' method='small'/>", .stands = true)
ROTATIONS_CONFORMANCE(of_heavy_hexahedra, .mesh = grid,
                      .field = "<HexahedronFEMForceFieldAndMass name='field' massDensity='1'/>")
ROTATIONS_CONFORMANCE(of_closed_hexahedra, .mesh = grid, .field = "<HexahedralFEMForceField name='field'/>")
ROTATIONS_CONFORMANCE(of_solid_hexahedra, .mesh = grid,
                      .field = "<CorotationalFEMForceField name='field' template='Vec3d,Hexahedron'/>")
ROTATIONS_CONFORMANCE(of_solid_triangles,
                      .mesh = "<MeshTopology position='0 0 0  1 0 0  0 1 0  1 1 0.5' triangles='0 1 2  1 3 2'/>",
                      .field = "<CorotationalFEMForceField name='field' template='Vec3d,Triangle'/>")
ROTATIONS_CONFORMANCE(of_solids_in_the_plane,
                      .mesh = "<MeshTopology position='0 0 0  1 0 0  0 1 0  1 1 0' triangles='0 1 2  1 3 2'/>",
                      .field = "<CorotationalFEMForceField name='field' template='Vec2d,Triangle'/>", .state = "Vec2d")
ROTATIONS_CONFORMANCE(
    of_solids_that_stand, .mesh = grid,
    .field = "<CorotationalFEMForceField name='field' template='Vec3d,Hexahedron' rotationMethod='identity'/>",
    .stands = true)
ROTATIONS_CONFORMANCE(of_small_strains, .mesh = grid,
                      .field = "<LinearSmallStrainFEMForceField name='field' template='Vec3d,Hexahedron'/>",
                      .stands = true)
ROTATIONS_CONFORMANCE(of_finite_strains, .mesh = grid,
                      .field = "<SolidFEMForceField name='field' template='Vec3d,Hexahedron'/>")

/* Two elements apart and a point without any: each has its own. */
static void parts_turn_by_themselves(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node name='root'><Node name='Body'><TetrahedronSetTopologyContainer position='0 0 0  1 0 0  0 1 0  0 0 1  "
        "5 0 0  6 0 0  5 1 0  5 0 1  9 9 9' tetrahedra='0 1 2 3  4 5 6 7'/><MechanicalObject name='dofs'/>"
        "<TetrahedronFEMForceField name='field'/></Node></Node>");
    DvObject *object = scene_object(scene, "/Body/field");
    const DvRotationsOps *ops = dv_object_ops(object, DV_ROTATIONS);
    const double x[9][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, /* the second about z by a quarter */
                            {5, 0, 0}, {5, 1, 0}, {4, 0, 0}, {5, 0, 1}, {0, 9, 9}};
    static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, quarter[9] = {0, -1, 0, 1, 0, 0, 0, 0, 1};
    double r[9][9];
    ops->rotations(dv_object_self(object), &(DvConstVec){.at = x[0], .count = 9, .dim = 3}, r[0]);
    check_all((const double(*)[9])r, identity, 4);
    check_all((const double(*)[9])r + 4, quarter, 4);
    check_all((const double(*)[9])r + 8, identity, 1);
    dv_scene_free(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_tetrahedra),        cmocka_unit_test(of_polar_tetrahedra),
        cmocka_unit_test(of_small_tetrahedra),  cmocka_unit_test(of_corotational_tetrahedra),
        cmocka_unit_test(of_hexahedra),         cmocka_unit_test(of_exact_hexahedra),
        cmocka_unit_test(of_small_hexahedra),   cmocka_unit_test(of_heavy_hexahedra),
        cmocka_unit_test(of_closed_hexahedra),  cmocka_unit_test(of_solid_hexahedra),
        cmocka_unit_test(of_solid_triangles),   cmocka_unit_test(of_solids_in_the_plane),
        cmocka_unit_test(of_solids_that_stand), cmocka_unit_test(of_small_strains),
        cmocka_unit_test(of_finite_strains),    cmocka_unit_test(parts_turn_by_themselves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
