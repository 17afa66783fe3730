/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * HexahedronFEMForceField: the conformance suite for each method, the patch test, its stiffness against other ways to it, fields.
 */
#include "force_at.h"

#include <stdio.h>

#include <divan/math/mat.h>
#include <divan/math/quat.h>

/* Two by two by two hexahedra, their inner point and some others out of place. */
#define POSITION                                                                                                             \
    "0 0 0  1 0 0  2 0 0  0 1 0  1 1.1 0  2 1 0  0 2 0  1 2 0  2 2 0  0 0 1  1 0 1.1  2 0 1  0 1 0.9  1.15 0.9 1.2  2 1 1  " \
    "0 2 1  1 2 1  2 2 1  0 0 2  1 0 2  2 0 2  0 1 2  1 1.1 2  2 1 2  0 2 2  1 2 2  2 2 2"
#define HEXAHEDRA                                                                                                 \
    "0 1 4 3 9 10 13 12  1 2 5 4 10 11 14 13  3 4 7 6 12 13 16 15  4 5 8 7 13 14 17 16  9 10 13 12 18 19 22 21  " \
    "10 11 14 13 19 20 23 22  12 13 16 15 21 22 25 24  13 14 17 16 22 23 26 25"
#define BLOCK                                                                 \
    "<MeshTopology name='topo' position='" POSITION "' hexahedra='" HEXAHEDRA \
    "'/><MechanicalObject name='dofs' template='Vec3d'/>"
#define FIELD(attributes) "<HexahedronFEMForceField name='field' youngModulus='100' poissonRatio='0.3' " attributes "/>"
#define REASON            "the derivative of the element's frame is left out, as is usual for corotational elements"

FORCE_FIELD_CONFORMANCE(small_displacements, .scene = "<Node>" BLOCK FIELD("method='small'") "</Node>")
FORCE_FIELD_CONFORMANCE(large_displacements, .objective = true, .tangent = TANGENT_AT_REST, .energy = ENERGY_AT_REST,
                        .reason = REASON, .scene = "<Node>" BLOCK FIELD("method='large'") "</Node>")
FORCE_FIELD_CONFORMANCE(polar_decomposition, .objective = true, .tangent = TANGENT_AT_REST, .energy = ENERGY_AT_REST,
                        .reason = REASON, .scene = "<Node>" BLOCK FIELD("method='polar'") "</Node>")
FORCE_FIELD_CONFORMANCE(stiffness_of_the_current_shape, .objective = true, .tangent = TANGENT_AT_REST,
                        .energy = ENERGY_AT_REST, .reason = REASON,
                        .scene = "<Node>" BLOCK FIELD("updateStiffnessMatrix='1'") "</Node>")
#define EXACT(test, deformed)                                                                    \
    FORCE_FIELD_CONFORMANCE(test, .internal = true, .objective = true, .tangent = TANGENT_EXACT, \
                            .energy = ENERGY_EXACT, .deformation = deformed,                     \
                            .scene = "<Node>" BLOCK FIELD("method='exact'") "</Node>")
EXACT(the_rotation_of_the_deformation, 0.1)
EXACT(the_rotation_of_large_deformations, 0.3)
FORCE_FIELD_CONFORMANCE(
    the_rotation_of_boxes, .internal = true, .objective = true, .tangent = TANGENT_EXACT, .energy = ENERGY_EXACT,
    .scene = "<Node><RegularGridTopology n='3 3 4' min='0 0 0' max='1 1 1.5'/><MechanicalObject template='Vec3d'/>"
             "<HexahedronFEMForceField name='field' youngModulus='100 50' poissonRatio='0.3' method='exact'/></Node>")
FORCE_FIELD_CONFORMANCE(
    a_regular_grid, .objective = true, .tangent = TANGENT_AT_REST, .energy = ENERGY_AT_REST, .reason = REASON,
    .scene = "<Node><RegularGridTopology n='3 3 4' min='0 0 0' max='1 1 1.5'/><MechanicalObject template='Vec3d'/>"
             "<HexahedronFEMForceField name='field' youngModulus='100 50' poissonRatio='0.3'/></Node>")

static double *positions(DvScene *scene)
{
    return dv_state_write(scene_state(scene, "/dofs"), DV_POSITION, DV_READ_WRITE).at;
}

static void a_linear_displacement_leaves_inner_points_without_force(void **state)
{
    (void)state;
    static const double gradient[9] = {0.10, 0.03, -0.02, 0.01, -0.07, 0.04, 0.05, 0.02, 0.06};
    DvScene *scene = scene_from_text("<Node>" BLOCK FIELD("method='small'") "</Node>");
    double *x = positions(scene);
    for (int p = 0; p < 27; p++)
        dv_vec3_accumulate(dv_mat3_mul_vec(dv_mat3_load(gradient), dv_vec3_load(x + 3 * p)), x + 3 * p);
    static Forces f;
    forces_at_time(scene, 0.0, &f);
    for (int c = 0; c < 3; c++)
        assert_close(f.at[0][3 * 13 + c], 0.0, 1e-10);
    /* The face x = 2 of area 4 carries sigma_xx of the closed form. */
    const double lambda = 100 * 0.3 / (1.3 * 0.4), mu = 100 / 2.6, trace = 0.10 - 0.07 + 0.06;
    double sum = 0.0;
    for (int p = 2; p < 27; p += 3)
        sum += f.at[0][3 * p];
    assert_close(sum, -4.0 * (lambda * trace + 2 * mu * 0.10), 1e-9);
    dv_scene_free(scene);
}

/* ---- Method exact ---- */

/* The two elements, each from another corner: turned by a third about a diagonal, and by a quarter about z. */
static const char *const orders[] = {"0 1 3 2 4 5 7 6  1 8 9 3 5 10 11 7", "0 4 5 1 2 6 7 3  8 9 3 1 10 11 7 5"};

/* Forces of two elements written in one of the orders, far from rest, z times `mirror`, turned by q. */
static void strained(const char *method, const char *order, double mirror, DvQuat q, Forces *f)
{
    DvText text = {0};
    dv_text_add(
        &text,
        "<Node><MeshTopology position='0 0 0  1 0 0  0.2 1 0  1 1.3 0.1  0 0 1  1 0.1 1  0 1 1.1  1 1 1  2 0 0  2 1 0.2  "
        "2.2 0 1  2 1 1' hexahedra='%s'/><MechanicalObject name='dofs' template='Vec3d'/>"
        "<HexahedronFEMForceField name='field' youngModulus='100' poissonRatio='0.3' method='%s'/></Node>",
        order, method);
    DvScene *scene = scene_from_text(text.at);
    double *x = positions(scene);
    for (int p = 0; p < 12; p++) {
        const DvVec3 at = dv_vec3_load(x + 3 * p);
        const DvVec3 moved = dv_vec3(1.3 * at.x + 0.4 * at.y * at.y, at.y - 0.3 * at.x + 0.2 * at.z,
                                     mirror * (0.8 * at.z + 0.2 * at.x * at.y));
        dv_vec3_store(dv_quat_rotate(q, moved), x + 3 * p);
    }
    forces_at_time(scene, 0.0, f);
    dv_text_free(&text);
    dv_scene_free(scene);
}

/* Forces of an odd hexahedron of `size` metres, strained in proportion. */
static void strained_at(double size, const char *method, Forces *f)
{
    static const double at[24] = {0, 0, 0, 1, 0,   0,   1.1, 1.2, 0,   0,   1, 0.1,
                                  0, 0, 1, 1, 0.1, 1.3, 1,   1,   1.1, 0.1, 1, 0.9};
    DvText text = {0};
    dv_text_add(&text, "<Node><MeshTopology position='");
    for (int i = 0; i < 24; i++)
        dv_text_add(&text, "%.17g ", size * at[i]);
    dv_text_add(&text,
                "' hexahedra='0 1 2 3 4 5 6 7'/><MechanicalObject name='dofs' template='Vec3d'/>"
                "<HexahedronFEMForceField name='field' youngModulus='100' poissonRatio='0.3' method='%s'/></Node>",
                method);
    DvScene *scene = scene_from_text(text.at);
    double *x = positions(scene);
    for (int p = 0; p < 8; p++)
        x[3 * p] += 0.25 * x[3 * p + 1] + 0.125 * x[3 * p];
    forces_at_time(scene, 0.0, f);
    dv_text_free(&text);
    dv_scene_free(scene);
}

/* Stress has no length in it: forces go with the square of the size, for cells as for organs. */
static void a_body_of_a_micrometre_is_computed_like_one_of_a_metre(void **state)
{
    (void)state;
    static const char *const methods[] = {"small", "large", "polar", "exact"};
    const double size = ldexp(1.0, -20);
    for (int method = 0; method < 4; method++) {
        static Forces metre, micrometre;
        strained_at(1.0, methods[method], &metre);
        strained_at(size, methods[method], &micrometre);
        assert_true(fabs(metre.at[0][0]) > 1.0);
        for (int i = 0; i < 24; i++)
            assert_close(micrometre.at[0][i] / (size * size), metre.at[0][i], 1e-11);
    }
}

static void the_order_of_the_points_does_not_matter(void **state)
{
    (void)state;
    static Forces f, other;
    const DvQuat q = dv_quat_from_axis_angle(dv_vec3(1, 2, -1), 1.9);
    for (int inside_out = 0; inside_out < 2; inside_out++) {
        const double mirror = inside_out ? -1.0 : 1.0;
        strained("exact", orders[0], mirror, dv_quat_identity(), &f);
        strained("exact", orders[1], mirror, dv_quat_identity(), &other);
        for (int i = 0; i < 36; i++)
            assert_close(other.at[0][i], f.at[0][i], 1e-11);
        strained("exact", orders[1], mirror, q, &other);
        for (int p = 0; p < 12; p++) {
            double expected[3];
            dv_vec3_store(dv_quat_rotate(q, dv_vec3_load(f.at[0] + 3 * p)), expected);
            for (int c = 0; c < 3; c++)
                assert_close(other.at[0][3 * p + c], expected[c], 1e-11);
        }
        if (inside_out) { /* it is not at rest in its mirror image */
            double size = 0.0;
            for (int i = 0; i < 36; i++)
                size = fmax(size, fabs(f.at[0][i]));
            assert_true(size > 10.0 && isfinite(size));
        }
    }
    /* which is what it is for: with the others it does */
    strained("large", orders[0], 1.0, dv_quat_identity(), &f);
    strained("large", orders[1], 1.0, dv_quat_identity(), &other);
    double difference = 0.0;
    for (int i = 0; i < 36; i++)
        difference = fmax(difference, fabs(other.at[0][i] - f.at[0][i]));
    assert_true(difference > 0.5);
}

/* Stretched by s along one axis and turned: S = diag(s, 1, 1), sigma_xx = (lambda + 2 mu) (s - 1) on the area at rest. */
static void a_large_stretch_has_the_stress_of_the_closed_form(void **state)
{
    (void)state;
    static const char *const classes[] = {"HexahedronFEMForceField", "HexahedralFEMForceField"};
    const double lambda = 100 * 0.3 / (1.3 * 0.4), mu = 100 / 2.6, s = 0.4;
    const DvQuat q = dv_quat_from_axis_angle(dv_vec3(3, 1, 2), 2.2);
    for (int k = 0; k < 2; k++) {
        DvText text = {0};
        dv_text_add(
            &text,
            "<Node><RegularGridTopology n='3 3 3' min='0 0 0' max='2 2 2'/><MechanicalObject name='dofs' template='Vec3d'/>"
            "<%s name='field' youngModulus='100' poissonRatio='0.3' method='exact'/></Node>",
            classes[k]);
        DvScene *scene = scene_from_text(text.at);
        dv_text_free(&text);
        double *x = positions(scene);
        for (int p = 0; p < 27; p++)
            dv_vec3_store(dv_quat_rotate(q, dv_vec3(s * x[3 * p], x[3 * p + 1], x[3 * p + 2])), x + 3 * p);
        static Forces f;
        forces_at_time(scene, 0.0, &f);
        DvVec3 sum = dv_vec3_zero();
        for (int p = 2; p < 27; p += 3)
            sum = dv_vec3_add(sum, dv_vec3_load(f.at[0] + 3 * p));
        sum = dv_quat_inverse_rotate(q, sum);
        assert_close(sum.x, -4.0 * (lambda + 2 * mu) * (s - 1), 1e-10);
        assert_close(sum.y, 0.0, 1e-10);
        assert_close(sum.z, 0.0, 1e-10);
        dv_scene_free(scene);
    }
}

/* A block of soft hexahedra, thrown with a spin that stretches it much, free in space. Symplectic steps keep the angular momentum of forces
 * without a torque to rounding, and energies within the order of the step. Returns how far each drifts, in proportion. */
static void spin_freely(const char *method, double dt, int steps, double *momentum_drift, double *energy_drift)
{
    DvText text = {0};
    dv_text_add(&text,
                "<Node dt='%g' gravity='0 0 0'><DefaultAnimationLoop/><EulerExplicitSolver/>" BLOCK
                "<UniformMass name='mass' totalMass='27'/><HexahedronFEMForceField name='field' youngModulus='300' "
                "poissonRatio='0.3' method='%s'/></Node>",
                dt, method);
    DvScene *scene = scene_from_text(text.at);
    dv_text_free(&text);
    const DvStateRef dofs = scene_state(scene, "/dofs");
    double *v = dv_state_write(dofs, DV_VELOCITY, DV_READ_WRITE).at, first[3] = {0}, start = 0.0;
    for (int p = 0; p < 27; p++) {
        const DvVec3 at = dv_vec3_sub(dv_vec3_load(positions(scene) + 3 * p), dv_vec3(1, 1, 1));
        dv_vec3_store(dv_vec3_add(dv_vec3_cross(dv_vec3(1, 2, 5), at), dv_vec3(2 * at.x * at.y, at.z, -2 * at.x)),
                      v + 3 * p);
    }
    const DvForceFieldOps *ops = field_ops(scene_object(scene, "/field"));
    const DvStep step = {.dt = dt, .position = DV_POSITION, .velocity = DV_VELOCITY};
    *momentum_drift = *energy_drift = 0.0;
    for (int i = 0; i <= steps; i++) {
        const DvConstVec x = dv_state_read(dofs, DV_POSITION), now = dv_state_read(dofs, DV_VELOCITY);
        double energy = ops->energy(dv_object_self(scene_object(scene, "/field")), &step, &x), l[3] = {0};
        for (int p = 0; p < 27; p++) {
            const DvVec3 velocity = dv_vec3_load(now.at + 3 * p);
            energy += 0.5 * dv_vec3_norm_squared(velocity);
            dv_vec3_accumulate(dv_vec3_cross(dv_vec3_load(x.at + 3 * p), velocity), l);
        }
        if (i == 0) {
            memcpy(first, l, sizeof l);
            start = energy;
        }
        const DvVec3 change = dv_vec3_sub(dv_vec3_load(l), dv_vec3_load(first));
        *momentum_drift = fmax(*momentum_drift, dv_vec3_norm(change) / dv_vec3_norm(dv_vec3_load(first)));
        *energy_drift = fmax(*energy_drift, fabs(energy - start) / start);
        if (i < steps)
            assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    }
    dv_scene_free(scene);
}

static void a_free_body_keeps_its_momentum_and_energy(void **state)
{
    (void)state;
    double momentum, energy, coarse;
    spin_freely("exact", 1e-3, 500, &momentum, &coarse);
    assert_true(momentum < 1e-12);
    spin_freely("exact", 5e-4, 1000, &momentum, &energy);
    assert_true(momentum < 1e-12);
    assert_true(coarse < 0.02 && energy < 0.6 * coarse); /* of first order */
    spin_freely("large", 1e-3, 500, &momentum, &energy);
    assert_true(momentum > 0.01);
}

static void at_rest_there_is_no_force_to_the_last_bit(void **state)
{
    (void)state;
    static const char *const methods[] = {"small", "large", "polar", "exact"};
    for (int method = 0; method < 4; method++) {
        DvText text = {0};
        dv_text_add(&text,
                    "<Node>" BLOCK
                    "<HexahedronFEMForceField name='field' youngModulus='1e6' poissonRatio='0.3' method='%s'/></Node>",
                    methods[method]);
        static Forces f;
        forces_of(text.at, &f);
        for (int i = 0; i < 81; i++)
            assert_true(f.at[0][i] == 0.0);
        dv_text_free(&text);
    }
}

static void a_bar_pulled_lengthwise_is_as_stiff_as_its_section(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node><RegularGridTopology n='6 3 3' min='0 0 0' max='10 1 1'/><MechanicalObject name='dofs' "
        "template='Vec3d'/><HexahedronFEMForceField name='field' youngModulus='100' poissonRatio='0'/></Node>");
    double *x = positions(scene), sum = 0.0;
    for (int p = 0; p < 54; p++)
        x[3 * p] *= 1.02;
    static Forces f;
    forces_at_time(scene, 0.0, &f);
    for (int p = 5; p < 54; p += 6)
        sum += f.at[0][3 * p];
    assert_close(sum, -100 * 0.02, 1e-11); /* E A e */
    dv_scene_free(scene);
}

static void matrices_can_be_read_and_are_symmetric_with_six_rigid_motions(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text("<Node>" BLOCK FIELD("method='small'") "</Node>");
    size_t count;
    const double(*k)[24][24] = (const double(*)[24][24])field_doubles(scene, "/field", "stiffnessMatrices", &count);
    assert_int_equal(count, 8);
    static const int nodes[8] = {0, 1, 4, 3, 9, 10, 13, 12};
    const double *x = positions(scene);
    double most = 0.0;
    for (int r = 0; r < 24; r++)
        for (int c = 0; c < 24; c++) {
            assert_close(k[0][r][c], k[0][c][r], 1e-12);
            most = fmax(most, fabs(k[0][r][c]));
        }
    assert_true(most > 1.0);
    for (int motion = 0; motion < 6; motion++)
        for (int r = 0; r < 24; r++) {
            double force = 0.0;
            for (int n = 0; n < 8; n++) {
                const DvVec3 axis = dv_vec3(motion % 3 == 0, motion % 3 == 1, motion % 3 == 2);
                const DvVec3 u = motion < 3 ? axis : dv_vec3_cross(axis, dv_vec3_load(x + 3 * nodes[n]));
                force += k[0][r][3 * n] * u.x + k[0][r][3 * n + 1] * u.y + k[0][r][3 * n + 2] * u.z;
            }
            assert_close(force, 0.0, 1e-11 * most);
        }
    assert_int_equal((field_doubles(scene, "/field", "initialPoints", &count), count), 27);
    dv_scene_free(scene);
}

/* A grid shares one stiffness; the same mesh with every point moved by a different 1e-9 m has one for each element. */
static void shared_stiffnesses_are_those_of_the_elements(void **state)
{
    (void)state;
    const char *fields = "<HexahedronFEMForceField name='field' youngModulus='100' poissonRatio='0.3'/>";
    DvText grid = {0}, mesh = {0};
    dv_text_add(
        &grid,
        "<Node><RegularGridTopology n='5 5 5' min='0 0 0' max='1 1 2'/><MechanicalObject name='dofs' template='Vec3d'/>%s"
        "</Node>",
        fields);
    dv_text_add(&mesh, "<Node><MeshTopology position='");
    for (int p = 0; p < 125; p++) {
        const int row = p / 5 % 5, layer = p / 25;
        dv_text_add(&mesh, "%.17g %.17g %.17g ", p % 5 * 0.25 + 1e-9 * sin(p), row * 0.25 + 1e-9 * cos(p), layer * 0.5);
    }
    dv_text_add(&mesh, "' hexahedra='");
    for (int e = 0; e < 64; e++) {
        const int a = e % 4 + 5 * (e / 4 % 4) + 25 * (e / 16);
        dv_text_add(&mesh, "%d %d %d %d %d %d %d %d ", a, a + 1, a + 6, a + 5, a + 25, a + 26, a + 31, a + 30);
    }
    dv_text_add(&mesh, "'/><MechanicalObject name='dofs' template='Vec3d'/>%s</Node>", fields);
    DvScene *scenes[2] = {scene_from_text(grid.at), scene_from_text(mesh.at)};
    static Forces f[2];
    for (int s = 0; s < 2; s++) {
        double *x = positions(scenes[s]);
        for (int i = 0; i < 375; i++)
            x[i] += 0.02 * sin(7.0 * i);
        forces_at_time(scenes[s], 0.0, &f[s]);
        dv_scene_free(scenes[s]);
    }
    for (int i = 0; i < 375; i++)
        assert_close(f[0].at[0][i], f[1].at[0][i], 1e-6);
    assert_true(fabs(f[0].at[0][0]) > 1e-2);
    dv_text_free(&grid);
    dv_text_free(&mesh);
}

static void the_stiffness_can_follow_the_current_shape(void **state)
{
    (void)state;
    static Forces f[2];
    for (int updates = 0; updates < 2; updates++) {
        DvText text = {0};
        dv_text_add(&text,
                    "<Node>" BLOCK "<HexahedronFEMForceField name='field' youngModulus='100' poissonRatio='0.3' "
                    "updateStiffnessMatrix='%d'/></Node>",
                    updates);
        DvScene *scene = scene_from_text(text.at);
        double *x = positions(scene);
        for (int i = 0; i < 81; i++)
            x[i] += 0.1 * sin(7.0 * i);
        forces_at_time(scene, 0.0, &f[updates]);
        dv_scene_free(scene);
        dv_text_free(&text);
    }
    assert_true(fabs(f[0].at[0][0] - f[1].at[0][0]) > 1e-3);
}

static void inverted_elements_are_found(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text("<Node>" BLOCK FIELD("") "</Node>");
    DvObject *field = scene_object(scene, "/field");
    expect_inverted(field, NULL);
    double *at = positions(scene);
    for (int p = 18; p < 27; p++) /* the top layer below the others */
        at[3 * p + 2] = -3.0;
    expect_inverted(field, "inverted element (element 4 of ");
    dv_scene_free(scene);
}

/* All points in one place, as in scenes whose state got no positions: the body falls freely. */
static void elements_without_size_have_no_forces(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node gravity='0 -10 0' dt='0.1'><EulerExplicitSolver/><MeshTopology hexahedra='0 1 2 3 4 5 6 7' "
        "position='0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 1 1 1 0 1 1'/><MechanicalObject name='dofs' "
        "position='0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0'/><UniformMass totalMass='1'/>"
        "<HexahedronFEMForceField youngModulus='3000' poissonRatio='0.3'/></Node>");
    assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    const DvConstVec x = dv_state_read(scene_state(scene, "/dofs"), DV_POSITION);
    for (uint32_t i = 0; i < x.count; i++)
        assert_true(fabs(x.at[3 * i + 1] + 0.1) < 1e-14 && x.at[3 * i] == 0.0);
    dv_scene_free(scene);
}

static void mistakes_are_named(void **state)
{
    (void)state;
    expect_load_error("<Node>" BLOCK FIELD("method='exact' updateStiffnessMatrix='1'") "</Node>",
                      "updateStiffnessMatrix: method 'exact' has the stiffness of the rest shape");
    expect_load_error("<Node><MechanicalObject template='Vec3d'/><HexahedronFEMForceField name='H'/></Node>",
                      "HexahedronFEMForceField 'H': no topology in node '/' or above");
    expect_load_error("<Node><MeshTopology name='m' position='0 0 0'/><MechanicalObject template='Vec3d'/>"
                      "<HexahedronFEMForceField name='H'/></Node>",
                      "has no hexahedra");
    expect_load_error(
        "<Node><MeshTopology position='0 0 0 1 0 0 1 1 0 0 1 0 0 0 0 1 0 0 1 1 0 0 1 0' hexahedra='0 1 2 3 4 5 6 7'/>"
        "<MechanicalObject template='Vec3d'/><HexahedronFEMForceField name='H'/></Node>",
        "hexahedron 0 has no volume at rest");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_displacements),
        cmocka_unit_test(large_displacements),
        cmocka_unit_test(polar_decomposition),
        cmocka_unit_test(stiffness_of_the_current_shape),
        cmocka_unit_test(the_rotation_of_the_deformation),
        cmocka_unit_test(the_rotation_of_large_deformations),
        cmocka_unit_test(the_rotation_of_boxes),
        cmocka_unit_test(a_regular_grid),
        cmocka_unit_test(a_linear_displacement_leaves_inner_points_without_force),
        cmocka_unit_test(a_body_of_a_micrometre_is_computed_like_one_of_a_metre),
        cmocka_unit_test(the_order_of_the_points_does_not_matter),
        cmocka_unit_test(a_large_stretch_has_the_stress_of_the_closed_form),
        cmocka_unit_test(a_free_body_keeps_its_momentum_and_energy),
        cmocka_unit_test(at_rest_there_is_no_force_to_the_last_bit),
        cmocka_unit_test(a_bar_pulled_lengthwise_is_as_stiff_as_its_section),
        cmocka_unit_test(matrices_can_be_read_and_are_symmetric_with_six_rigid_motions),
        cmocka_unit_test(shared_stiffnesses_are_those_of_the_elements),
        cmocka_unit_test(the_stiffness_can_follow_the_current_shape),
        cmocka_unit_test(inverted_elements_are_found),
        cmocka_unit_test(elements_without_size_have_no_forces),
        cmocka_unit_test(mistakes_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, stop_plugins);
}
