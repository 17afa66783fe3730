/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * MeshSpringForceField and RegularGridSpringForceField: the conformance suite, which springs they make, and their fields.
 */
#include "force_at.h"

#define TETRAHEDRON                                                                                          \
    "<MeshTopology name='topo' position='0 0 0  2 0 0  0 3 0  0 0 4  2 3 4' tetrahedra='0 1 2 3  1 2 3 4'/>" \
    "<MechanicalObject name='dofs' template='Vec3d'/>"
#define GRID \
    "<RegularGridTopology name='grid' n='3 2 2' min='0 0 0' max='2 2 3'/><MechanicalObject name='dofs' template='Vec3d'/>"

FORCE_FIELD_CONFORMANCE(
    mesh_springs_are_a_force_field, .internal = true, .objective = true,
    .scene = "<Node>" TETRAHEDRON
             "<MeshSpringForceField name='field' tetrahedraStiffness='30' tetrahedraDamping='0.2'/></Node>")
FORCE_FIELD_CONFORMANCE(grid_springs_are_a_force_field, .internal = true, .objective = true,
                        .scene = "<Node>" GRID
                                 "<RegularGridSpringForceField name='field' stiffness='30' damping='0'/></Node>")

static size_t spring_count(const char *text)
{
    DvScene *scene = scene_from_text(text);
    DvData *springs = dv_object_field(scene_object(scene, "/field"), "spring");
    (void)dv_data_read(springs);
    const size_t count = springs->count;
    dv_scene_free(scene);
    return count;
}

static void each_family_gives_a_spring_to_every_pair_once(void **state)
{
    (void)state;
    assert_int_equal(
        spring_count("<Node>" TETRAHEDRON "<MeshSpringForceField name='field' tetrasStiffness='1'/></Node>"), 9);
    assert_int_equal(spring_count("<Node>" GRID "<MeshSpringForceField name='field' cubesStiffness='1'/></Node>"),
                     28 + 28 - 6);
    assert_int_equal(spring_count("<Node>" GRID "<MeshSpringForceField name='field' cubesDamping='1'/></Node>"), 50);
    assert_int_equal(spring_count("<Node>" GRID "<MeshSpringForceField name='field' stiffness='1'/></Node>"), 50);
    const char *flat =
        "<Node><MeshTopology position='0 0 0 1 0 0 1 1 0 0 1 0 2 0 0' quads='0 1 2 3' triangles='1 4 2' lines='0 1'/>"
        "<MechanicalObject template='Vec3d'/><MeshSpringForceField name='field' %s/></Node>";
    const struct {
        const char *fields;
        size_t count;
    } cases[] = {{"quadsStiffness='1'", 6},
                 {"quadsDamping='1'", 6},
                 {"trianglesStiffness='1'", 3},
                 {"trianglesDamping='1'", 3},
                 {"trianglesStiffness='1' quadsStiffness='2'", 8}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        DvText text = {0};
        const char *gap = strstr(flat, "%s");
        dv_text_add(&text, "%.*s%s%s", (int)(gap - flat), flat, cases[i].fields, gap + 2);
        assert_int_equal(spring_count(text.at), cases[i].count);
        dv_text_free(&text);
    }
}

static void stiffness_and_damping_are_divided_by_the_rest_length(void **state)
{
    (void)state;
    DvScene *scene =
        scene_from_text("<Node><MeshTopology position='0 0 0  0 4 0' lines='0 1'/><MechanicalObject template='Vec3d'/>"
                        "<MeshSpringForceField name='field' linesStiffness='8' linesDamping='2'/></Node>");
    DvText printed = {0};
    dv_data_print(dv_object_field(scene_object(scene, "/field"), "spring"), &printed);
    assert_string_equal(printed.at, "0 1 2 0.5 4");
    dv_text_free(&printed);
    dv_scene_free(scene);
}

static void springs_without_compression_are_slack_when_pushed(void **state)
{
    (void)state;
    static Forces f;
    forces_of(
        "<Node><MeshTopology position='0 0 0  0 4 0' lines='0 1'/><MechanicalObject template='Vec3d' position='0 0 0 0 3 0' "
        "rest_position='0 0 0 0 4 0'/><MeshSpringForceField name='field' linesStiffness='8' noCompression='1'/></Node>",
        &f);
    assert_close(f.at[0][1], 0.0, 0.0);
    forces_of(
        "<Node><MeshTopology position='0 0 0  0 4 0' lines='0 1'/><MechanicalObject template='Vec3d' position='0 0 0 0 3 0' "
        "rest_position='0 0 0 0 4 0'/><MeshSpringForceField name='field' linesStiffness='8'/></Node>",
        &f);
    assert_close(f.at[0][1], 2.0 * (3 - 4), 1e-14);
}

/* The last bit of a length decides whether a spring at rest pulls: it is rounded as fma(z, z, fma(x, x, y^2)), at rest and later. */
static void lengths_are_rounded_like_those_of_the_reference(void **state)
{
    (void)state;
    static const struct {
        const char *dof_type;
        int spatial;
    } cases[] = {{"Vec1d", 1}, {"Vec2d", 2}, {"Vec3d", 3}};
    enum { POINTS = 400 };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int spatial = cases[i].spatial;
        double x[POINTS][3] = {{0}};
        uint32_t random = 1;
        DvText text = {0}, lines = {0};
        dv_text_add(&text, "<Node><MechanicalObject name='dofs' template='%s' position='", cases[i].dof_type);
        for (int p = 0; p < POINTS; p++) {
            for (int c = 0; c < spatial; c++) {
                random = random * 1664525u + 1013904223u;
                x[p][c] = (double)(random >> 8) / 16777216.0 / 3.0;
                dv_text_add(&text, "%.17g ", x[p][c]);
            }
            if (p > 0)
                dv_text_add(&lines, "%d %d ", p - 1, p);
        }
        dv_text_add(&text,
                    "'/><MeshTopology lines='%s'/>"
                    "<MeshSpringForceField name='field' linesStiffness='1e6' noCompression='%d'/></Node>",
                    lines.at, spatial % 2);
        DvScene *scene = scene_from_text(text.at);
        static Forces f;
        forces_at_time(scene, 0.0, &f);
        const double *length = dv_data_doubles(dv_object_field(scene_object(scene, "/field"), "lengths"), NULL);
        int fused = 0;
        for (int p = 0; p < POINTS; p++) {
            for (int c = 0; c < spatial; c++)
                assert_true(f.at[0][spatial * p + c] == 0.0);
            if (p == 0)
                continue;
            const double dx = x[p][0] - x[p - 1][0], dy = x[p][1] - x[p - 1][1], dz = x[p][2] - x[p - 1][2];
            assert_true(length[p - 1] == sqrt(fma(dz, dz, fma(dx, dx, dy * dy))));
            fused += length[p - 1] != sqrt(dx * dx + dy * dy + dz * dz);
        }
        assert_true(spatial == 1 ? fused == 0 : fused > 5);
        dv_scene_free(scene);
        dv_text_free(&text);
        dv_text_free(&lines);
    }
}

static void points_outside_the_local_range_have_no_springs(void **state)
{
    (void)state;
    assert_int_equal(spring_count("<Node>" TETRAHEDRON
                                  "<MeshSpringForceField name='field' tetrasStiffness='1' localRange='1 -1'/></Node>"),
                     6);
    assert_int_equal(spring_count("<Node>" TETRAHEDRON
                                  "<MeshSpringForceField name='field' tetrasStiffness='1' localRange='-1 2'/></Node>"),
                     8);
}

static void a_grid_has_lines_and_diagonals_with_lengths_of_its_steps(void **state)
{
    (void)state;
    static Forces f;
    static const char *const cases[] = {
        "quadsStiffness='0' quadsDamping='0' cubesStiffness='0' cubesDamping='0' linesStiffness='10'",
        "linesStiffness='0' linesDamping='0' cubesStiffness='0' cubesDamping='0' quadsStiffness='10'",
        "linesStiffness='0' linesDamping='0' quadsStiffness='0' quadsDamping='0' cubesStiffness='10'",
    };
    const double step[3] = {1, 2, 3}, moved = -0.5;
    for (int family = 0; family < 3; family++) {
        DvText text = {0};
        dv_text_add(&text,
                    "<Node><RegularGridTopology n='2 2 2' min='0 0 0' max='1 2 3'/><MechanicalObject name='dofs' "
                    "template='Vec3d'/><RegularGridSpringForceField name='field' %s/></Node>",
                    cases[family]);
        DvScene *scene = scene_from_text(text.at);
        double *x = dv_state_write(scene_state(scene, "/dofs"), DV_POSITION, DV_READ_WRITE).at;
        for (int p = 0; p < 8; p++) { /* each corner is moved alone; point p has bit c of p steps along c */
            x[3 * p] += moved;
            forces_at_time(scene, 0.0, &f);
            x[3 * p] -= moved;
            double expected[3] = {0, 0, 0};
            for (int other = 1; other < 8; other++) {
                const int axes = (other & 1) + (other >> 1 & 1) + (other >> 2 & 1);
                if (axes != family + 1)
                    continue;
                double d[3], rest = 0, now = 0;
                for (int c = 0; c < 3; c++) {
                    d[c] = other >> c & 1 ? (p >> c & 1 ? -step[c] : step[c]) : 0.0;
                    rest += d[c] * d[c];
                    d[c] -= c == 0 ? moved : 0.0;
                    now += d[c] * d[c];
                }
                for (int c = 0; c < 3; c++)
                    expected[c] += 10 / sqrt(rest) * (sqrt(now) - sqrt(rest)) * d[c] / sqrt(now);
            }
            for (int c = 0; c < 3; c++)
                assert_close(f.at[0][3 * p + c], expected[c], 1e-13);
            assert_true(fabs(expected[0]) > 0.02);
        }
        dv_scene_free(scene);
        dv_text_free(&text);
    }
}

static void the_damping_of_each_family_acts(void **state)
{
    (void)state;
    for (int family = 0; family < 3; family++) {
        DvText text = {0};
        dv_text_add(
            &text,
            "<Node><RegularGridTopology n='2 2 2' min='0 0 0' max='1 1 1'/><MechanicalObject name='dofs' "
            "template='Vec3d'/>"
            "<RegularGridSpringForceField name='field' linesDamping='%d' quadsDamping='%d' cubesDamping='%d'/></Node>",
            family == 0 ? 3 : 0, family == 1 ? 3 : 0, family == 2 ? 3 : 0);
        static Forces f;
        DvScene *scene = scene_from_text(text.at);
        dv_state_write(scene_state(scene, "/dofs"), DV_VELOCITY, DV_READ_WRITE).at[0] = 1.0;
        forces_at_time(scene, 0.0, &f);
        dv_scene_free(scene);
        /* c v.u u_x / length over the springs of a corner: one line along x, two face diagonals, one space diagonal */
        const double springs[] = {1.0, 2.0, 1.0}, square = family + 1.0;
        assert_close(f.at[0][0], -3.0 * springs[family] / (square * sqrt(square)), 1e-13);
        dv_text_free(&text);
    }
}

static void a_grid_without_springs_of_a_grid_keeps_explicit_ones(void **state)
{
    (void)state;
    static Forces f;
    forces_of("<Node><MechanicalObject template='Vec3d' position='0 0 0 2 0 0'/>"
              "<RegularGridSpringForceField name='field' spring='0 1 10 0 1'/></Node>",
              &f);
    assert_close(f.at[0][0], 10.0, 1e-14);
}

static void a_mesh_without_topology_is_an_error(void **state)
{
    (void)state;
    expect_load_error(
        "<Node><MechanicalObject template='Vec3d' position='0 0 0'/><MeshSpringForceField stiffness='1'/></Node>",
        "no topology in node");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mesh_springs_are_a_force_field),
        cmocka_unit_test(grid_springs_are_a_force_field),
        cmocka_unit_test(each_family_gives_a_spring_to_every_pair_once),
        cmocka_unit_test(stiffness_and_damping_are_divided_by_the_rest_length),
        cmocka_unit_test(springs_without_compression_are_slack_when_pushed),
        cmocka_unit_test(lengths_are_rounded_like_those_of_the_reference),
        cmocka_unit_test(points_outside_the_local_range_have_no_springs),
        cmocka_unit_test(a_grid_has_lines_and_diagonals_with_lengths_of_its_steps),
        cmocka_unit_test(the_damping_of_each_family_acts),
        cmocka_unit_test(a_grid_without_springs_of_a_grid_keeps_explicit_ones),
        cmocka_unit_test(a_mesh_without_topology_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, stop_plugins);
}
