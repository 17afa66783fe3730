/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * TetrahedronFEMForceField and TetrahedralCorotationalFEMForceField: the conformance suite for each method, the patch test, and
 * what their fields promise.
 */
#include "force_at.h"

#include <divan/contracts/topology.h>
#include <divan/math/decompose.h>
#include <divan/math/quat.h>

#include <stdio.h>

/* A cube with a point inside, out of the middle: twelve tetrahedra around it. */
#define CUBE_POSITION "0 0 0  1 0 0  1 1 0  0 1 0  0 0 1  1 0 1  1 1 1  0 1 1  0.45 0.55 0.6"
#define CUBE                                                               \
    "<MeshTopology name='topo' position='" CUBE_POSITION                   \
    "' tetrahedra='0 2 1 8  0 3 2 8  4 5 6 8  4 6 7 8  0 1 5 8  0 5 4 8  " \
    "2 3 7 8  2 7 6 8  1 2 6 8  1 6 5 8  0 4 7 8  0 7 3 8'/><MechanicalObject name='dofs' template='Vec3d'/>"

#define REASON "the derivative of the element's frame is left out, as is usual for corotational elements"
#define COROTATED(test, class, method)                                                                               \
    FORCE_FIELD_CONFORMANCE(test, .internal = false, .objective = true, .tangent = TANGENT_AT_REST,                  \
                            .energy = ENERGY_AT_REST, .reason = REASON,                                              \
                            .scene = "<Node>" CUBE                                                                   \
                                     "<" class " name='field' youngModulus='100' poissonRatio='0.3' method='" method \
                                               "'/></Node>")

FORCE_FIELD_CONFORMANCE(small_displacements, .internal = false,
                        .scene = "<Node>" CUBE
                                 "<TetrahedronFEMForceField name='field' youngModulus='100' poissonRatio='0.3' "
                                 "method='small'/></Node>")
FORCE_FIELD_CONFORMANCE(small_displacements_of_the_other_class, .internal = false,
                        .scene = "<Node>" CUBE "<TetrahedralCorotationalFEMForceField name='field' youngModulus='100' "
                                 "poissonRatio='0.3' method='small'/></Node>")
COROTATED(large_displacements, "TetrahedronFEMForceField", "large")
COROTATED(polar_decomposition, "TetrahedronFEMForceField", "polar")
COROTATED(stable_decomposition, "TetrahedronFEMForceField", "svd")
COROTATED(large_displacements_of_the_other_class, "TetrahedralCorotationalFEMForceField", "large")
COROTATED(polar_decomposition_of_the_other_class, "TetrahedralCorotationalFEMForceField", "polar")
#define EXACT(test, class, young, deformed)                                                       \
    FORCE_FIELD_CONFORMANCE(test, .internal = true, .objective = true, .tangent = TANGENT_EXACT,  \
                            .energy = ENERGY_EXACT, .deformation = deformed,                      \
                            .scene = "<Node>" CUBE "<" class " name='field' youngModulus='" young \
                                                             "' poissonRatio='0.3' method='exact'/></Node>")
EXACT(the_rotation_of_the_deformation, "TetrahedronFEMForceField", "100", 0.1)
EXACT(the_rotation_of_large_deformations, "TetrahedronFEMForceField", "100", 0.25)
EXACT(the_rotation_of_the_deformation_of_the_other_class, "TetrahedralCorotationalFEMForceField", "100 50 20 10", 0.1)
FORCE_FIELD_CONFORMANCE(materials_of_each_element, .internal = false,
                        .scene = "<Node>" CUBE
                                 "<TetrahedronFEMForceField name='field' youngModulus='100 50 20 10' poissonRatio='0.3 "
                                 "0.2 0 0.4' method='small'/></Node>")
FORCE_FIELD_CONFORMANCE(current_gradients_of_normal_strains, .objective = true, .tangent = TANGENT_AT_REST,
                        .energy = ENERGY_AT_REST, .reason = REASON " and that of the gradients too",
                        .scene = "<Node>" CUBE
                                 "<TetrahedronFEMForceField name='field' youngModulus='100' poissonRatio='0.3' "
                                 "updateStiffnessMatrix='1'/></Node>")
FORCE_FIELD_CONFORMANCE(current_gradients_of_all_strains, .objective = true, .tangent = TANGENT_AT_REST,
                        .energy = ENERGY_AT_REST, .reason = REASON " and that of the gradients too",
                        .scene = "<Node>" CUBE "<TetrahedralCorotationalFEMForceField name='field' youngModulus='100' "
                                 "poissonRatio='0.3' updateStiffnessMatrix='1'/></Node>")

/* Eight boxes cut into six each, which are taken together; those of ROW one beside the other. */
#define GRID(n)                                                                                              \
    "<RegularGridTopology name='grid' n='" n "' min='0 0 0' max='2 2.2 1.8'/><MechanicalObject name='dofs' " \
    "template='Vec3d'/><TetrahedronSetTopologyContainer name='mesh'/><TetrahedronSetTopologyModifier "       \
    "name='modifier'/><Hexa2TetraTopologicalMapping input='@grid' output='@mesh'/>"
#define CELLS GRID("3 3 3")
#define ROW   GRID("9 2 2")
#define CUT(test, grid)                                                                                       \
    FORCE_FIELD_CONFORMANCE(test, .internal = false, .objective = true, .tangent = TANGENT_AT_REST,           \
                            .energy = ENERGY_AT_REST, .reason = REASON,                                       \
                            .scene = "<Node>" grid "<TetrahedronFEMForceField name='field' topology='@mesh' " \
                                     "youngModulus='100' poissonRatio='0.3' method='large'/></Node>")
CUT(boxes_that_are_cut, CELLS)
CUT(boxes_in_a_row_that_are_cut, ROW)
CUT(boxes_in_several_rows_that_are_cut, GRID("18 3 2"))
FORCE_FIELD_CONFORMANCE(boxes_of_several_materials, .internal = false,
                        .scene = "<Node>" CELLS "<TetrahedronFEMForceField name='field' topology='@mesh' "
                                 "youngModulus='100 50 20 10' poissonRatio='0.3 0.2 0 0.4' method='small'/></Node>")
FORCE_FIELD_CONFORMANCE(boxes_in_a_row_of_several_materials, .internal = false,
                        .scene = "<Node>" ROW "<TetrahedronFEMForceField name='field' topology='@mesh' "
                                 "youngModulus='100 50 20 10' poissonRatio='0.3' method='small'/></Node>")
FORCE_FIELD_CONFORMANCE(the_rotation_of_boxes_in_a_row, .internal = true, .objective = true, .tangent = TANGENT_EXACT,
                        .energy = ENERGY_EXACT, .deformation = 0.02,
                        .scene = "<Node>" ROW "<TetrahedronFEMForceField name='field' topology='@mesh' "
                                 "youngModulus='100' poissonRatio='0.3' method='exact'/></Node>")

static const char *const classes[] = {"TetrahedronFEMForceField", "TetrahedralCorotationalFEMForceField"};

/* A scene with one of the classes and further attributes. */
static DvScene *cube(const char *class, const char *fields)
{
    DvText text = {0};
    dv_text_add(&text, "<Node>" CUBE "<%s name='field' youngModulus='100' poissonRatio='0.3' %s/></Node>", class,
                fields);
    DvScene *scene = scene_from_text(text.at);
    dv_text_free(&text);
    return scene;
}

static double *positions(DvScene *scene)
{
    return dv_state_write(scene_state(scene, "/dofs"), DV_POSITION, DV_READ_WRITE).at;
}

static void a_linear_displacement_leaves_inner_points_without_force(void **state)
{
    (void)state;
    static const double gradient[9] = {0.10, 0.03, -0.02, 0.01, -0.07, 0.04, 0.05, 0.02, 0.06};
    for (int class = 0; class < 2; class ++) {
        DvScene *scene = cube(classes[class], "method='small'");
        double *x = positions(scene);
        for (int p = 0; p < 9; p++) {
            const DvVec3 rest = dv_vec3_load(x + 3 * p);
            dv_vec3_accumulate(dv_mat3_mul_vec(dv_mat3_load(gradient), rest), x + 3 * p);
        }
        static Forces f;
        forces_at_time(scene, 0.0, &f);
        double outer = 0.0;
        for (int i = 0; i < 24; i++)
            outer = fmax(outer, fabs(f.at[0][i]));
        assert_true(outer > 1.0);
        for (int c = 0; c < 3; c++)
            assert_close(f.at[0][24 + c], 0.0, 1e-10);
        /* The faces carry the stress of the closed form: the four points of the face x = 1 together feel -sigma e_x. */
        const double lambda = 100 * 0.3 / (1.3 * 0.4), mu = 100 / 2.6, trace = 0.10 - 0.07 + 0.06;
        double sum[3] = {0, 0, 0};
        static const int face[4] = {1, 2, 5, 6};
        for (int k = 0; k < 4; k++)
            for (int c = 0; c < 3; c++)
                sum[c] += f.at[0][3 * face[k] + c];
        assert_close(sum[0], -(lambda * trace + 2 * mu * 0.10), 1e-10);
        dv_scene_free(scene);
    }
}

static void the_sum_of_all_forces_vanishes(void **state)
{
    (void)state;
    static const char *const methods[] = {"small", "large", "polar", "svd"};
    for (int class = 0; class < 2; class ++)
        for (int method = 0; method < (class == 0 ? 4 : 3); method++) {
            char fields[32];
            snprintf(fields, sizeof fields, "method='%s'", methods[method]);
            DvScene *scene = cube(classes[class], fields);
            double *x = positions(scene), sum[3] = {0, 0, 0}, size = 0.0;
            for (int i = 0; i < 27; i++)
                x[i] += 0.05 * sin(3.0 * i);
            static Forces f;
            forces_at_time(scene, 0.0, &f);
            for (int i = 0; i < 27; i++) {
                sum[i % 3] += f.at[0][i];
                size = fmax(size, fabs(f.at[0][i]));
            }
            for (int c = 0; c < 3; c++)
                assert_close(sum[c], 0.0, 1e-13 * size);
            dv_scene_free(scene);
        }
}

/* ---- Method exact ---- */

static const char *const orders[] = {
    "0 2 1 8  0 3 2 8  4 5 6 8  4 6 7 8  0 1 5 8  0 5 4 8  2 3 7 8  2 7 6 8  1 2 6 8  1 6 5 8  0 4 7 8  0 7 3 8",
    "8 0 1 2  3 2 8 0  8 6 5 4  7 8 4 6  5 8 1 0  4 0 5 8  8 2 7 3  6 2 8 7  8 1 6 2  1 6 5 8  7 0 4 8  3 8 7 0"};

/* Forces of the cube with its tetrahedra written in one of the orders, far from rest, turned by q. */
static void strained(const char *class, const char *method, const char *order, DvQuat q, Forces *f)
{
    DvText text = {0};
    dv_text_add(&text,
                "<Node><MeshTopology position='" CUBE_POSITION "' tetrahedra='%s'/><MechanicalObject name='dofs' "
                "template='Vec3d'/><%s name='field' youngModulus='100' poissonRatio='0.3' method='%s'/></Node>",
                order, class, method);
    DvScene *scene = scene_from_text(text.at);
    double *x = positions(scene);
    for (int p = 0; p < 9; p++) {
        const DvVec3 at = dv_vec3_load(x + 3 * p);
        const DvVec3 moved =
            dv_vec3(1.3 * at.x + 0.4 * at.y * at.y, at.y - 0.3 * at.x + 0.2 * at.z, 0.8 * at.z + 0.2 * at.x * at.y);
        dv_vec3_store(dv_quat_rotate(q, moved), x + 3 * p);
    }
    forces_at_time(scene, 0.0, f);
    dv_text_free(&text);
    dv_scene_free(scene);
}

static void the_order_of_the_points_does_not_matter(void **state)
{
    (void)state;
    static Forces f, other;
    const DvQuat q = dv_quat_from_axis_angle(dv_vec3(1, 2, -1), 1.9);
    for (int class = 0; class < 2; class ++) {
        strained(classes[class], "exact", orders[0], dv_quat_identity(), &f);
        strained(classes[class], "exact", orders[1], dv_quat_identity(), &other);
        for (int i = 0; i < 27; i++)
            assert_close(other.at[0][i], f.at[0][i], 1e-12);
        strained(classes[class], "exact", orders[1], q, &other);
        for (int p = 0; p < 9; p++) {
            double expected[3];
            dv_vec3_store(dv_quat_rotate(q, dv_vec3_load(f.at[0] + 3 * p)), expected);
            for (int c = 0; c < 3; c++)
                assert_close(other.at[0][3 * p + c], expected[c], 1e-12);
        }
        /* which is what it is for: with the others it does */
        strained(classes[class], "polar", orders[0], dv_quat_identity(), &f);
        strained(classes[class], "polar", orders[1], dv_quat_identity(), &other);
        double difference = 0.0;
        for (int i = 0; i < 27; i++)
            difference = fmax(difference, fabs(other.at[0][i] - f.at[0][i]));
        assert_true(difference > 0.5);
    }
}

/* Stretched by s along one axis and turned: S = diag(s, 1, 1), sigma_xx = (lambda + 2 mu) (s - 1) on the area at rest. */
static void a_large_stretch_has_the_stress_of_the_closed_form(void **state)
{
    (void)state;
    const double lambda = 100 * 0.3 / (1.3 * 0.4), mu = 100 / 2.6, s = 0.4;
    const DvQuat q = dv_quat_from_axis_angle(dv_vec3(3, 1, 2), 2.2);
    for (int class = 0; class < 2; class ++) {
        DvScene *scene = cube(classes[class], "method='exact'");
        double *x = positions(scene);
        for (int p = 0; p < 9; p++)
            dv_vec3_store(dv_quat_rotate(q, dv_vec3(s * x[3 * p], x[3 * p + 1], x[3 * p + 2])), x + 3 * p);
        static Forces f;
        forces_at_time(scene, 0.0, &f);
        static const int face[4] = {1, 2, 5, 6};
        DvVec3 sum = dv_vec3_zero();
        for (int k = 0; k < 4; k++)
            sum = dv_vec3_add(sum, dv_vec3_load(f.at[0] + 3 * face[k]));
        sum = dv_quat_inverse_rotate(q, sum);
        assert_close(sum.x, -(lambda + 2 * mu) * (s - 1), 1e-11);
        assert_close(sum.y, 0.0, 1e-11);
        assert_close(sum.z, 0.0, 1e-11);
        dv_scene_free(scene);
    }
}

/* Pushed through itself, an element is pressed back: its energy has its least value at rest, and the force is still its gradient. */
static void an_inverted_element_turns_back(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node dt='1e-3' gravity='0 0 0'><DefaultAnimationLoop/><EulerExplicitSolver/><MeshTopology position='0 0 0 1 0 0 0 1 0 0.3 "
        "0.3 1' tetrahedra='0 1 2 3'/><MechanicalObject name='dofs' template='Vec3d'/><UniformMass totalMass='1'/>"
        "<FixedProjectiveConstraint indices='0 1 2'/><TetrahedronFEMForceField name='field' youngModulus='100' "
        "poissonRatio='0.3' method='exact'/></Node>");
    positions(scene)[11] = -0.4;
    static Forces f;
    forces_at_time(scene, 0.0, &f);
    assert_true(f.at[0][11] > 1.0);
    const DvForceFieldOps *ops = field_ops(scene_object(scene, "/field"));
    const DvStep step = {.dt = 1e-3, .position = DV_POSITION, .velocity = DV_VELOCITY};
    double e[2];
    for (int side = 0; side < 2; side++) {
        positions(scene)[11] = -0.4 + (side ? 1e-6 : -1e-6);
        const DvConstVec x = dv_state_read(scene_state(scene, "/dofs"), DV_POSITION);
        e[side] = ops->energy(dv_object_self(scene_object(scene, "/field")), &step, &x);
    }
    assert_close(f.at[0][11], -(e[1] - e[0]) / 2e-6, 1e-6);
    for (int i = 0; i < 2000 && positions(scene)[11] < 0.5; i++)
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    assert_true(positions(scene)[11] >= 0.5);
    dv_scene_free(scene);
}

/* A cube of soft tetrahedra, thrown with a spin that stretches it much, free in space. Symplectic steps keep the angular momentum of forces
 * without a torque to rounding, and energies within the order of the step. Returns how far each drifts, in proportion. */
static void spin_freely(const char *class, const char *method, double dt, int steps, double *momentum_drift,
                        double *energy_drift)
{
    DvText text = {0};
    dv_text_add(
        &text,
        "<Node dt='%g' gravity='0 0 0'><DefaultAnimationLoop/><EulerExplicitSolver/>" CUBE
        "<UniformMass name='mass' totalMass='9'/><%s name='field' youngModulus='300' poissonRatio='0.3' method='%s'/>"
        "</Node>",
        dt, class, method);
    DvScene *scene = scene_from_text(text.at);
    dv_text_free(&text);
    const DvStateRef state = scene_state(scene, "/dofs");
    double *v = dv_state_write(state, DV_VELOCITY, DV_READ_WRITE).at, first[3] = {0}, start = 0.0;
    for (int p = 0; p < 9; p++) {
        const DvVec3 x = dv_vec3_load(positions(scene) + 3 * p);
        const DvVec3 at = dv_vec3_sub(x, dv_vec3(0.5, 0.5, 0.5));
        dv_vec3_store(dv_vec3_add(dv_vec3_cross(dv_vec3(1, 2, 5), at), dv_vec3(2 * at.x * at.y, at.z, -2 * at.x)),
                      v + 3 * p);
    }
    const DvForceFieldOps *ops = field_ops(scene_object(scene, "/field"));
    const DvStep step = {.dt = dt, .position = DV_POSITION, .velocity = DV_VELOCITY};
    *momentum_drift = *energy_drift = 0.0;
    for (int i = 0; i <= steps; i++) {
        const DvConstVec x = dv_state_read(state, DV_POSITION), now = dv_state_read(state, DV_VELOCITY);
        double energy = ops->energy(dv_object_self(scene_object(scene, "/field")), &step, &x), l[3] = {0};
        for (int p = 0; p < 9; p++) {
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
    for (int class = 0; class < 2; class ++) {
        double momentum, energy, half, coarse;
        spin_freely(classes[class], "exact", 1e-3, 1000, &momentum, &coarse);
        assert_true(momentum < 1e-12);
        spin_freely(classes[class], "exact", 5e-4, 2000, &momentum, &energy);
        assert_true(momentum < 1e-12);
        assert_true(coarse < 0.02 && energy < 0.6 * coarse); /* of first order */
        spin_freely(classes[class], "polar", 1e-3, 1000, &half, &energy);
        assert_true(half > 0.01);
    }
}

static void at_rest_there_is_no_force_to_the_last_bit(void **state)
{
    (void)state;
    static const char *const methods[] = {"method='small'", "method='large'", "method='polar'", "method='svd'"};
    for (int method = 0; method < 4; method++) {
        DvScene *scene = cube("TetrahedronFEMForceField", methods[method]);
        static Forces f;
        forces_at_time(scene, 0.0, &f);
        for (int i = 0; i < 27; i++)
            assert_true(f.at[0][i] == 0.0);
        dv_scene_free(scene);
    }
}

/* An independent way to the same numbers: J K J^T D of one element, written out with the strain-displacement matrix. */
static void one_element_has_the_force_of_its_textbook_matrices(void **state)
{
    (void)state;
    const DvVec3 rest[4] = {{0.1, 0.2, -0.1}, {1.3, 0.1, 0.2}, {0.2, 1.5, 0.1}, {0.3, 0.4, 1.7}};
    const DvVec3 now[4] = {{0.0, 0.1, 0.0}, {1.2, 0.5, 0.1}, {-0.3, 1.4, 0.3}, {0.2, 0.1, 1.9}};
    const double young = 250.0, poisson = 0.35;
    DvText text = {0};
    dv_text_add(&text, "<Node><MeshTopology position='");
    for (int n = 0; n < 4; n++)
        dv_text_add(&text, "%.17g %.17g %.17g ", rest[n].x, rest[n].y, rest[n].z);
    dv_text_add(&text,
                "' tetrahedra='0 1 2 3'/><MechanicalObject name='dofs' template='Vec3d'/>"
                "<TetrahedronFEMForceField name='field' method='large' youngModulus='%g' poissonRatio='%g'/></Node>",
                young, poisson);
    DvScene *scene = scene_from_text(text.at);
    double *x = positions(scene);
    for (int n = 0; n < 4; n++)
        dv_vec3_store(now[n], x + 3 * n);
    static Forces f;
    forces_at_time(scene, 0.0, &f);

    const DvMat3 r0 = dv_frame_of_triangle(rest[0], rest[1], rest[2]), r = dv_frame_of_triangle(now[0], now[1], now[2]);
    double m[4][4], inverse[4][4] = {{0}}, d[12], strain[6] = {0}, stress[6], force[12] = {0};
    for (int n = 0; n < 4; n++) {
        const DvVec3 local = dv_mat3_mul_vec(r0, dv_vec3_sub(rest[n], rest[0]));
        const DvVec3 moved = dv_mat3_mul_vec(r, dv_vec3_sub(now[n], now[0]));
        m[n][0] = 1.0, m[n][1] = local.x, m[n][2] = local.y, m[n][3] = local.z;
        d[3 * n] = local.x - moved.x, d[3 * n + 1] = local.y - moved.y, d[3 * n + 2] = local.z - moved.z;
        inverse[n][n] = 1.0;
    }
    for (int c = 0; c < 4; c++) { /* Gauss-Jordan: columns of the inverse are the shape functions */
        int pivot = c;
        for (int k = c + 1; k < 4; k++)
            if (fabs(m[k][c]) > fabs(m[pivot][c]))
                pivot = k;
        for (int k = 0; k < 4; k++) {
            double kept = m[c][k];
            m[c][k] = m[pivot][k], m[pivot][k] = kept;
            kept = inverse[c][k];
            inverse[c][k] = inverse[pivot][k], inverse[pivot][k] = kept;
        }
        for (int row = 0; row < 4; row++) {
            const double factor = row == c ? 1.0 - 1.0 / m[c][c] : m[row][c] / m[c][c];
            for (int k = 0; k < 4; k++) {
                const double a = m[c][k], b = inverse[c][k];
                if (row == c)
                    continue;
                m[row][k] -= factor * a;
                inverse[row][k] -= factor * b;
            }
        }
        const double scale = m[c][c];
        for (int k = 0; k < 4; k++)
            m[c][k] /= scale, inverse[c][k] /= scale;
    }
    const double volume = fabs(dv_tetrahedron_volume(rest[0], rest[1], rest[2], rest[3]));
    const double c = young / ((1 + poisson) * (1 - 2 * poisson));
    for (int n = 0; n < 4; n++) {
        const double *g[3] = {&inverse[1][n], &inverse[2][n], &inverse[3][n]};
        for (int axis = 0; axis < 3; axis++) {
            strain[axis] += *g[axis] * d[3 * n + axis];
            const int next = (axis + 1) % 3;
            strain[3 + axis] += *g[next] * d[3 * n + axis] + *g[axis] * d[3 * n + next];
        }
    }
    for (int axis = 0; axis < 3; axis++) {
        stress[axis] = c * ((1 - poisson) * strain[axis] + poisson * (strain[(axis + 1) % 3] + strain[(axis + 2) % 3]));
        stress[3 + axis] = c * (0.5 - poisson) * strain[3 + axis];
    }
    for (int n = 0; n < 4; n++) {
        const double g[3] = {inverse[1][n], inverse[2][n], inverse[3][n]};
        force[3 * n] = volume * (stress[0] * g[0] + stress[3] * g[1] + stress[5] * g[2]);
        force[3 * n + 1] = volume * (stress[3] * g[0] + stress[1] * g[1] + stress[4] * g[2]);
        force[3 * n + 2] = volume * (stress[5] * g[0] + stress[4] * g[1] + stress[2] * g[2]);
        dv_vec3_store(dv_mat3_transposed_mul_vec(r, dv_vec3_load(force + 3 * n)), force + 3 * n);
    }
    for (int i = 0; i < 12; i++)
        assert_close(f.at[0][i], force[i], 1e-10);
    dv_scene_free(scene);
    dv_text_free(&text);
}

static double force_size(DvScene *scene)
{
    static Forces f;
    double sum = 0.0;
    forces_at_time(scene, 0.0, &f);
    for (int i = 0; i < 27; i++)
        sum += f.at[0][i] * f.at[0][i];
    return sqrt(sum);
}

static void push(DvScene *scene, double size)
{
    double *x = positions(scene);
    for (int i = 0; i < 27; i++)
        x[i] += size * sin(5.0 * i);
}

enum { MOST_NUMBERS = 3 * 36 }; /* of a vector */

/* What is asked of a field after its last force. */
typedef struct Asked {
    Forces product, row_sums;
    double energy;
} Asked;

typedef struct PointPairs {
    DvPattern base;
    uint32_t count, at[4000][2];
} PointPairs;

static void note_pair(DvPattern *pattern, uint32_t a, uint32_t row, uint32_t b, uint32_t column)
{
    PointPairs *pairs = (PointPairs *)pattern;
    assert_true(a == 0 && b == 0 && pairs->count < 4000);
    pairs->at[pairs->count][0] = row;
    pairs->at[pairs->count++][1] = column;
}

typedef struct RowSums {
    const PointPairs *pairs;
    double *at;
} RowSums;

static void add_row_sums(const DvMatrixView *view, uint32_t coupling, const double *dense, double factor)
{
    const RowSums *sums = view->indirect;
    for (uint32_t i = 0; i < 9; i++) /* columns weighted, so that rigid motions do not hide anything */
        sums->at[3 * sums->pairs->at[coupling][0] + i / 3] +=
            factor * dense[i] * (1 + i % 3 + sums->pairs->at[coupling][1] % 7);
}

typedef enum Question { PRODUCT, MATRIX, ENERGY, QUESTIONS } Question;

/* All three, `first` first. */
static void ask(DvScene *scene, Question first, Asked *out)
{
    static PointPairs pairs;
    static const DvPatternOps pattern_ops = {.size = sizeof pattern_ops, .add = note_pair};
    DvObject *field = scene_object(scene, "/field");
    void *self = dv_object_self(field);
    const DvForceFieldOps *ops = field_ops(field);
    const DvConstVec x = dv_state_read(scene_state(scene, "/dofs"), DV_POSITION);
    const DvStep step = {.dt = 0.01, .position = DV_POSITION, .velocity = DV_VELOCITY};
    double vector[MOST_NUMBERS];
    assert_true(3 * x.count <= MOST_NUMBERS);
    const DvConstVec in = {vector, x.count, 3};
    const DvVec df = {out->product.at[0], x.count, 3};
    memset(out, 0, sizeof *out);
    for (int k = 0; k < QUESTIONS; k++) {
        const Question question = (first + (Question)k) % QUESTIONS;
        for (uint32_t i = 0; i < 3 * x.count; i++) /* energies of elsewhere leave no trace */
            vector[i] = sin(3.0 * i) + (question == ENERGY ? x.at[i] : 0.0);
        if (question == PRODUCT) {
            ops->add_dforce(self, &step, 0.7, 0.0, &in, &df);
        } else if (question == MATRIX) {
            pairs = (PointPairs){.base = {&pattern_ops}};
            ops->reserve(self, &pairs.base);
            RowSums sums = {&pairs, out->row_sums.at[0]};
            const DvMatrixView view = {.block = 3, .indirect = &sums, .add = add_row_sums};
            ops->assemble(self, &step, 0.7, 0.0, &view);
        } else {
            out->energy = ops->energy(self, &step, &in);
        }
    }
}

/* One force at the positions of `scene`, and before it `others` elsewhere. */
static void forces_before(DvScene *scene, int others)
{
    static Forces f;
    double *x = positions(scene);
    const uint32_t count = 3 * dv_state_count(scene_state(scene, "/dofs"));
    double here[MOST_NUMBERS];
    assert_true(count <= MOST_NUMBERS);
    memcpy(here, x, count * sizeof *x);
    for (int k = 0; k < others; k++) {
        for (uint32_t i = 0; i < count; i++)
            x[i] = here[i] + 0.03 * sin(i + 2.0 * k);
        forces_at_time(scene, 0.0, &f);
    }
    memcpy(x, here, count * sizeof *x);
    forces_at_time(scene, 0.0, &f);
}

/* A force that nobody has asked anything of since long keeps less: what is asked then is the same, to the last bit, also where a
 * material has changed, an element has gone or stresses elsewhere have been computed since. */
static void what_is_asked_after_many_forces_is_that_of_the_last_one(void **state)
{
    (void)state;
    static const char *const options[] = {"method='small'", "method='large'",
                                          "method='polar'", "method='svd'",
                                          "method='exact'", "method='large' updateStiffnessMatrix='1'"};
    static const char *const followed[] = {"updateStiffness='1' computeVonMisesStress='2'",
                                           "computeVonMisesStress='1'"};
    enum { NOTHING, MATERIAL, STRESS, REMOVAL, QUESTION, CHANGES };
    static Asked asked[2], once;
    for (int class = 0; class < 2; class ++)
        for (size_t option = 0; option < 2 * (sizeof options / sizeof *options); option++)
            for (int change = NOTHING; change < CHANGES; change++)
                for (Question first = PRODUCT; first < QUESTIONS; first++) {
                    if (class == 1 && strcmp(options[option / 2], "method='svd'") == 0)
                        continue; /* which it has not */
                    DvText text = {0};
                    dv_text_add(
                        &text,
                        "<Node><DefaultAnimationLoop/>%s"
                        "<%s name='field' topology='@mesh' youngModulus='100' poissonRatio='0.3' %s %s/></Node>",
                        option % 2 ? ROW : CELLS, classes[class], followed[class], options[option / 2]);
                    for (int many = 0; many < 2; many++) {
                        DvScene *scene = scene_from_text(text.at);
                        DvObject *field = scene_object(scene, "/field"), *modifier = scene_object(scene, "/modifier");
                        push(scene, 0.05);
                        forces_before(scene, many ? 20 : 0);
                        if (change == MATERIAL) { /* there is no solver: a step computes no force */
                            const double young = 40.0;
                            dv_data_set(dv_object_field(field, "youngModulus"), &young, 1);
                            assert_int_equal(dv_scene_step(scene, 0), DV_OK);
                        } else if (change == STRESS) {
                            push(scene, 0.02);
                            assert_int_equal(dv_scene_step(scene, 0), DV_OK);
                            push(scene, -0.02);
                        } else if (change == REMOVAL) {
                            const uint32_t gone = 5;
                            const DvTopologyModifierOps *ops = dv_object_ops(modifier, DV_TOPOLOGY_MODIFIER);
                            assert_int_equal(
                                ops->remove_elements(dv_object_self(modifier), DV_TETRAHEDRA, 1, &gone, false), DV_OK);
                            forces_before(scene, 0);
                        } else if (change == QUESTION) {
                            ask(scene, first, &once);
                            forces_before(scene, many ? 20 : 0);
                        }
                        ask(scene, first, &asked[many]);
                        dv_scene_free(scene);
                    }
                    assert_memory_equal(&asked[1], &asked[0], sizeof *asked);
                    assert_true(asked[0].energy > 0.0 && asked[0].product.at[0][4] != 0.0);
                    dv_text_free(&text);
                }
}

static void factors_of_stiffness_are_spread_over_the_elements(void **state)
{
    (void)state;
    for (int class = 0; class < 2; class ++) {
        DvScene *plain = cube(classes[class], "method='small'"),
                *twice = cube(classes[class], "method='small' localStiffnessFactor='2'"),
                *halves = cube(classes[class], "method='small' localStiffnessFactor='2 0'");
        push(plain, 0.05), push(twice, 0.05), push(halves, 0.05);
        assert_close(force_size(twice), 2.0 * force_size(plain), 1e-10);
        static Forces first;
        forces_at_time(halves, 0.0, &first);
        /* The last six elements have no stiffness: the cube's edge 1-2-6-5 belongs to the others and to them. */
        assert_true(fabs(force_size(halves) - force_size(twice)) > 1.0);
        dv_scene_free(plain), dv_scene_free(twice), dv_scene_free(halves);
    }
}

static void computing_a_global_matrix_changes_nothing(void **state)
{
    (void)state;
    DvScene *plain = cube("TetrahedronFEMForceField", ""),
            *global = cube("TetrahedronFEMForceField", "computeGlobalMatrix='1'"),
            *alias = cube("TetrahedronFEMForceField", "assembling='1'");
    push(plain, 0.05), push(global, 0.05), push(alias, 0.05);
    assert_true(force_size(plain) == force_size(global) && force_size(alias) == force_size(plain));
    dv_scene_free(plain), dv_scene_free(global), dv_scene_free(alias);
}

static void gradients_can_follow_the_current_shape(void **state)
{
    (void)state;
    for (int class = 0; class < 2; class ++) {
        DvScene *rest = cube(classes[class], ""), *current = cube(classes[class], "updateStiffnessMatrix='1'");
        push(rest, 0.1), push(current, 0.1);
        assert_true(fabs(force_size(rest) - force_size(current)) > 1e-3 * force_size(rest));
        dv_scene_free(rest), dv_scene_free(current);
    }
}

/* The strain of the textbook law, for a cube stretched along x by e: all elements flow alike. */
static void strain_beyond_the_yield_becomes_plastic(void **state)
{
    (void)state;
    DvScene *elastic = cube("TetrahedronFEMForceField", "method='small'"),
            *plastic = cube("TetrahedronFEMForceField",
                            "method='small' plasticMaxThreshold='0.02' plasticYieldThreshold='0.001' "
                            "plasticCreep='0.5'"),
            *stiff = cube("TetrahedronFEMForceField",
                          "method='small' plasticMaxThreshold='0.02' plasticYieldThreshold='1000'");
    for (int p = 0; p < 9; p++) {
        positions(elastic)[3 * p] *= 1.01;
        positions(plastic)[3 * p] *= 1.01;
        positions(stiff)[3 * p] *= 1.01;
    }
    const double full = force_size(elastic);
    assert_close(force_size(stiff), full, 1e-12 * full);
    /* s = 6 V e_xx: half becomes plastic at first, then half of what is left, up to the limit. */
    assert_close(force_size(plastic), 0.5 * full, 1e-10 * full);
    const double *p;
    size_t count;
    for (int i = 0; i < 40; i++)
        (void)force_size(plastic);
    p = field_doubles(plastic, "/field", "plasticStrain", &count);
    assert_int_equal(count, 12 * 6);
    for (size_t e = 0; e < 12; e++) {
        double norm = 0.0;
        for (int c = 0; c < 6; c++)
            norm += p[6 * e + (size_t)c] * p[6 * e + (size_t)c];
        assert_true(sqrt(norm) <= 0.02 * (1 + 1e-12));
    }
    dv_scene_reset(plastic);
    field_doubles(plastic, "/field", "plasticStrain", &count);
    assert_int_equal(count, 0);
    dv_scene_free(elastic), dv_scene_free(plastic), dv_scene_free(stiff);
}

static void von_mises_stress_is_that_of_simple_stretch_and_shear(void **state)
{
    (void)state;
    const double mu = 100 / 2.6;
    size_t count;
    /* u = e x along x: sigma_xx - sigma_yy = 2 mu e (to first order in e for the Green strain) */
    DvScene *scene =
        scene_from_text("<Node dt='0.01' gravity='0 0 0'><DefaultAnimationLoop/>" CUBE
                        "<TetrahedronFEMForceField name='field' youngModulus='100' poissonRatio='0.3' method='large' "
                        "computeVonMisesStress='1' showStressAlpha='0.5'/></Node>");
    for (int p = 0; p < 9; p++)
        positions(scene)[3 * p] *= 1.001;
    assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    const double *element = field_doubles(scene, "/field", "vonMisesPerElement", &count);
    assert_int_equal(count, 12);
    const double *node = field_doubles(scene, "/field", "vonMisesPerNode", &count);
    assert_int_equal(count, 9);
    for (int i = 0; i < 9; i++)
        assert_close(node[i], 2 * mu * 0.001, 2e-3 * mu * 0.001);
    assert_true(element[3] > 0.0);
    const double *color = field_doubles(scene, "/field", "vonMisesStressColors", &count);
    assert_int_equal(count, 9);
    assert_close(color[3], 0.5, 0.0);
    dv_scene_free(scene);

    scene =
        scene_from_text("<Node dt='0.01' gravity='0 0 0'><DefaultAnimationLoop/>" CUBE
                        "<TetrahedronFEMForceField name='field' youngModulus='100' poissonRatio='0.3' method='small' "
                        "computeVonMisesStress='2'/></Node>");
    for (int p = 0; p < 9; p++)
        positions(scene)[3 * p] += 1e-4 * positions(scene)[3 * p + 1]; /* shear of 1e-4: sqrt(3) mu 1e-4 */
    assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    element = field_doubles(scene, "/field", "vonMisesPerElement", &count);
    for (int i = 0; i < 12; i++)
        assert_close(element[i], sqrt(3.0) * mu * 1e-4, 1e-3 * mu * 1e-4);
    dv_scene_free(scene);

    scene = cube("TetrahedralCorotationalFEMForceField", "computeVonMisesStress='1' method='polar'");
    for (int p = 0; p < 9; p++)
        positions(scene)[3 * p] *= 1.001;
    (void)force_size(scene);
    element = field_doubles(scene, "/field", "vonMisesPerElement", &count);
    assert_int_equal(count, 12);
    assert_close(element[0], 2 * mu * 0.001, 2e-3 * mu * 0.001);
    assert_int_equal((field_doubles(scene, "/field", "vonMisesPerNode", &count), count), 9);
    dv_scene_free(scene);
}

/* Of the stress 2 mu e, with any pressure. */
static double von_mises_of(const double e[3][3], double mu)
{
    const double xy = e[0][0] - e[1][1], yz = e[1][1] - e[2][2], zx = e[2][2] - e[0][0];
    return 2 * mu *
           sqrt(0.5 * (xy * xy + yz * yz + zx * zx) + 3 * (e[0][1] * e[0][1] + e[1][2] * e[1][2] + e[2][0] * e[2][0]));
}

/* A tetrahedron on the axes under a turn R of any deformation D, x = R D X. With Green's strain that of D^T D, whatever the frames; else
 * the symmetric part of D - I: D has no lower part where the frame lies in the first edges, and is symmetric for the frame of the polar
 * decomposition. */
static void von_mises_stress_of_large_deformations_is_that_of_their_strain(void **state)
{
    (void)state;
    static const struct {
        const char *class_name, *fields;
        bool green, polar;
    } cases[] = {
        {"TetrahedronFEMForceField", "method='small' computeVonMisesStress='2'", true, false},
        {"TetrahedronFEMForceField", "method='large' computeVonMisesStress='1'", false, false},
        {"TetrahedronFEMForceField", "method='large' computeVonMisesStress='2'", true, false},
        {"TetrahedronFEMForceField", "method='polar' computeVonMisesStress='1'", false, true},
        {"TetrahedronFEMForceField", "method='polar' computeVonMisesStress='2'", true, true},
        {"TetrahedronFEMForceField", "method='svd' computeVonMisesStress='1'", false, true},
        {"TetrahedronFEMForceField", "method='svd' computeVonMisesStress='2'", true, true},
        {"TetrahedronFEMForceField", "method='exact' computeVonMisesStress='1'", false, true},
        {"TetrahedronFEMForceField", "method='exact' computeVonMisesStress='2'", true, true},
        {"TetrahedralCorotationalFEMForceField", "method='large' computeVonMisesStress='1'", false, false},
        {"TetrahedralCorotationalFEMForceField", "method='exact' computeVonMisesStress='1'", false, true},
        {"TetrahedralCorotationalFEMForceField", "method='polar' computeVonMisesStress='1'", false, true},
    };
    const double mu = 100 / 2.6, uneven[3] = {2, 0.5, 1.5}, even[3] = {1.5, 1.5, 1.5};
    const double upper[3][3] = {{1.3, 0.4, -0.3}, {0, 0.8, 0.25}, {0, 0, 1.6}};
    const double symmetric[3][3] = {{1.3, 0.2, -0.15}, {0.2, 0.8, 0.3}, {-0.15, 0.3, 1.6}};
    const DvMat3 turn = dv_quat_to_matrix(dv_quat_normalize(dv_quat(0.3, -0.5, 0.2, 0.7)));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double(*d)[3] = cases[i].polar ? symmetric : upper;
        const double *size =
            cases[i].polar && !strstr(cases[i].fields, "exact") ? even : uneven; /* frames of the edges */
        DvText text = {0};
        dv_text_add(
            &text,
            "<Node dt='0.01' gravity='0 0 0'><DefaultAnimationLoop/><MeshTopology position='0 0 0  %g 0 0  0 %g 0  "
            "0 0 %g' tetrahedra='0 1 2 3'/><MechanicalObject name='dofs'/><%s name='field' youngModulus='100' "
            "poissonRatio='0.3' %s/></Node>",
            size[0], size[1], size[2], cases[i].class_name, cases[i].fields);
        DvScene *scene = scene_from_text(text.at);
        double strain[3][3];
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++) {
                strain[a][b] = 0.5 * (d[a][b] + d[b][a]) - (a == b);
                if (cases[i].green)
                    strain[a][b] = 0.5 * (d[0][a] * d[0][b] + d[1][a] * d[1][b] + d[2][a] * d[2][b] - (a == b));
            }
        for (int k = 0; k < 3; k++) {
            const DvVec3 edge = dv_vec3_scale(dv_vec3(d[0][k], d[1][k], d[2][k]), size[k]);
            dv_vec3_store(dv_mat3_mul_vec(turn, edge), positions(scene) + 3 + 3 * k);
        }
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
        (void)force_size(scene);
        size_t count;
        const double *element = field_doubles(scene, "/field", "vonMisesPerElement", &count);
        const double expected = von_mises_of((const double(*)[3])strain, mu);
        assert_int_equal(count, 1);
        if (fabs(element[0] - expected) > 1e-9 * expected)
            print_error("%s %s\n", cases[i].class_name, cases[i].fields);
        assert_close(element[0], expected, 1e-9 * expected);
        dv_scene_free(scene);
        dv_text_free(&text);
    }
}

/* Of two bodies that move alike the stresses of one are read after each step, those of the other one once, in the end: they are the same,
 * and were computed once. */
static void stresses_are_computed_for_who_reads_them(void **state)
{
    (void)state;
    static const char *const names[] = {"TetrahedronFEMForceField", "TetrahedralCorotationalFEMForceField"};
    for (int k = 0; k < 2; k++) {
        DvText text = {0};
        dv_text_add(&text,
                    "<Node dt='0.01' gravity='0 -9 0'><DefaultAnimationLoop/><EulerImplicitSolver/><CGLinearSolver "
                    "iterations='25' tolerance='1e-9' threshold='1e-12'/>" CUBE "<UniformMass totalMass='1'/>"
                    "<FixedProjectiveConstraint indices='0'/><%s name='field' youngModulus='100' poissonRatio='0.3' "
                    "method='large' computeVonMisesStress='1'/></Node>",
                    names[k]);
        DvScene *read = scene_from_text(text.at), *unread = scene_from_text(text.at);
        DvData *field = dv_object_field(scene_object(unread, "/field"), "vonMisesPerElement");
        const uint64_t before = field->version;
        size_t count;
        const double *element = NULL;
        for (int i = 0; i < 5; i++) {
            assert_int_equal(dv_scene_step(read, 0), DV_OK);
            assert_int_equal(dv_scene_step(unread, 0), DV_OK);
            element = field_doubles(read, "/field", "vonMisesPerElement", &count);
        }
        assert_int_equal(count, 12);
        assert_int_equal(field->version, before);
        assert_true(element[0] > 0.0);
        assert_memory_equal(field_doubles(unread, "/field", "vonMisesPerElement", &count), element,
                            12 * sizeof *element);
        assert_int_equal(field->version, before + 1);
        dv_scene_free(read);
        dv_scene_free(unread);
        dv_text_free(&text);
    }
}

static void a_changed_material_is_taken_up_at_the_next_step(void **state)
{
    (void)state;
    for (int updates = 0; updates < 2; updates++) {
        DvText text = {0};
        dv_text_add(
            &text,
            "<Node dt='0.01' gravity='0 0 0'><DefaultAnimationLoop/>" CUBE
            "<TetrahedronFEMForceField name='field' youngModulus='100' poissonRatio='0.3' updateStiffness='%d'/></Node>",
            updates);
        DvScene *scene = scene_from_text(text.at);
        push(scene, 0.05);
        const double before = force_size(scene), young = 300.0;
        dv_data_set(dv_object_field(scene_object(scene, "/field"), "youngModulus"), &young, 1);
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
        assert_close(force_size(scene), updates ? 3.0 * before : before, 1e-10 * before);
        dv_scene_free(scene);
        dv_text_free(&text);
    }
}

/* Stiffness is proportional to Young's modulus, also where no force is computed in between. */
static void products_follow_a_changed_material(void **state)
{
    (void)state;
    static const char *const methods[] = {"small", "large", "polar", "exact"};
    static Asked before, after;
    for (size_t m = 0; m < 2 * (sizeof methods / sizeof *methods); m++) {
        DvText text = {0};
        dv_text_add(&text,
                    "<Node><DefaultAnimationLoop/>%s"
                    "<TetrahedronFEMForceField name='field' topology='@mesh' youngModulus='100' poissonRatio='0.3' "
                    "method='%s' updateStiffness='1'/></Node>",
                    m % 2 ? ROW : CELLS, methods[m / 2]);
        DvScene *scene = scene_from_text(text.at);
        const double young = 300.0;
        push(scene, 0.05);
        forces_before(scene, 0);
        ask(scene, PRODUCT, &before);
        dv_data_set(dv_object_field(scene_object(scene, "/field"), "youngModulus"), &young, 1);
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
        ask(scene, PRODUCT, &after);
        for (uint32_t i = 0; i < 3 * dv_state_count(scene_state(scene, "/dofs")); i++) {
            assert_close(after.product.at[0][i], 3.0 * before.product.at[0][i], 1e-9);
            assert_close(after.row_sums.at[0][i], 3.0 * before.row_sums.at[0][i], 1e-9);
        }
        assert_true(fabs(before.product.at[0][0]) > 1.0);
        dv_scene_free(scene);
        dv_text_free(&text);
    }
}

/* The last element of a row goes and comes again: gradients that nothing has touched are those of before. */
static void a_row_that_is_whole_again_has_its_products(void **state)
{
    (void)state;
    static Asked before, between, after;
    DvScene *scene = scene_from_text("<Node><DefaultAnimationLoop/>" ROW
                                     "<TetrahedronFEMForceField name='field' topology='@mesh' youngModulus='100' "
                                     "poissonRatio='0.3' method='small'/></Node>");
    DvObject *modifier = scene_object(scene, "/modifier");
    const DvTopologyModifierOps *ops = dv_object_ops(modifier, DV_TOPOLOGY_MODIFIER);
    const uint32_t last = 47;
    DvObject *mesh = scene_object(scene, "/mesh");
    const DvTopologyOps *topology = dv_object_ops(mesh, DV_TOPOLOGY);
    uint32_t element[4];
    memcpy(element, topology->elements(dv_object_self(mesh), DV_TETRAHEDRA).at + 4 * (size_t)last, sizeof element);
    push(scene, 0.05);
    forces_before(scene, 0);
    ask(scene, PRODUCT, &before);
    assert_int_equal(ops->remove_elements(dv_object_self(modifier), DV_TETRAHEDRA, 1, &last, false), DV_OK);
    forces_before(scene, 0);
    ask(scene, PRODUCT, &between);
    assert_int_equal(ops->add_elements(dv_object_self(modifier), DV_TETRAHEDRA, 1, element, NULL), DV_OK);
    forces_before(scene, 0);
    ask(scene, PRODUCT, &after);
    double change = 0.0;
    for (uint32_t i = 0; i < MOST_NUMBERS; i++) {
        assert_close(after.product.at[0][i], before.product.at[0][i], 1e-12);
        assert_close(after.row_sums.at[0][i], before.row_sums.at[0][i], 1e-12);
        change = fmax(change, fabs(between.product.at[0][i] - before.product.at[0][i]));
    }
    assert_true(change > 1.0);
    dv_scene_free(scene);
}

static void hexahedra_are_cut_into_six_each_that_fit(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node><RegularGridTopology n='4 3 3' min='0 0 0' max='3 2 2'/><MechanicalObject name='dofs' "
        "template='Vec3d'/><TetrahedronFEMForceField name='field' youngModulus='100' poissonRatio='0.3' "
        "method='small' computeVonMisesStress='2'/></Node>");
    size_t count;
    field_doubles(scene, "/field", "vonMisesPerElement", &count);
    assert_int_equal(count, 12 * 6);
    assert_int_equal((field_doubles(scene, "/field", "initialPoints", &count), count), 36);
    /* Faces fit: a linear displacement leaves inner points without force. */
    double *x = positions(scene);
    for (int p = 0; p < 36; p++)
        x[3 * p] += 0.1 * x[3 * p + 1] + 0.02 * x[3 * p + 2];
    static Forces f;
    forces_at_time(scene, 0.0, &f);
    for (int p = 0; p < 36; p++) {
        const int i = p % 4, j = p / 4 % 3, k = p / 12;
        for (int c = 0; c < 3 && i > 0 && i < 3 && j == 1 && k == 1; c++)
            assert_close(f.at[0][3 * p + c], 0.0, 1e-12);
    }
    dv_scene_free(scene);
}

static void inverted_elements_recover_with_the_stable_decomposition(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node><MeshTopology position='0 0 0 1 0 0 0 1 0 0 0 1' tetrahedra='0 1 2 3'/><MechanicalObject "
        "name='dofs' template='Vec3d'/><TetrahedronFEMForceField name='field' youngModulus='100' "
        "poissonRatio='0.3' method='svd'/></Node>");
    positions(scene)[11] = -0.5;
    static Forces f;
    forces_at_time(scene, 0.0, &f);
    assert_true(f.at[0][11] > 1.0); /* back up through the face */
    DvObject *field = scene_object(scene, "/field");
    expect_inverted(field, "inverted element (element 0 of ");
    positions(scene)[11] = 0.5;
    expect_inverted(field, NULL);
    dv_scene_free(scene);
}

static void frames_at_rest_can_be_read(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node><MeshTopology position='0 0 0 0 1 0 0 0 1 1 0 0' tetrahedra='0 1 2 3'/><MechanicalObject "
        "template='Vec3d'/><TetrahedralCorotationalFEMForceField name='field' youngModulus='1' "
        "poissonRatio='0'/></Node>");
    size_t count;
    const double *info = field_doubles(scene, "/field", "tetrahedronInfo", &count);
    assert_int_equal(count, 1);
    static const double expected[9] = {0, 0, 1, 1, 0, 0, 0, 1, 0}; /* x is the world's y, y the world's z */
    for (int i = 0; i < 9; i++)
        assert_close(info[i], expected[i], 1e-15);
    dv_scene_free(scene);
}

/* In proportion to its edges, in any unit of length. */
static void a_flat_tetrahedron_is_flat_in_any_unit(void **state)
{
    (void)state;
    for (int unit = -6; unit <= 6; unit += 3)
        for (int flat = 0; flat < 2; flat++) {
            const double size = pow(10.0, unit),
                         height = flat ? 1e-15 : 1e-11; /* six volumes over the cube of an edge */
            DvText text = {0};
            dv_text_add(&text,
                        "<Node><MeshTopology position='0 0 0 %.17g 0 0 0 %.17g 0 0 0 %.17g' tetrahedra='0 1 2 3'/>"
                        "<MechanicalObject template='Vec3d'/><TetrahedronFEMForceField name='F' youngModulus='1' "
                        "poissonRatio='0'/></Node>",
                        size, size, size * height);
            if (flat)
                expect_load_error(text.at, "tetrahedron 0 has no volume at rest");
            else
                dv_scene_free(scene_from_text(text.at));
            dv_text_free(&text);
        }
}

static void mistakes_are_named(void **state)
{
    (void)state;
    expect_load_error("<Node><MeshTopology position='0 0 0 1 0 0 0 1 0 1 1 0' tetrahedra='0 1 2 3'/><MechanicalObject "
                      "template='Vec3d'/><TetrahedronFEMForceField name='F' youngModulus='1' poissonRatio='0'/></Node>",
                      "TetrahedronFEMForceField 'F': tetrahedron 0 has no volume at rest");
    expect_load_error("<Node><MeshTopology position='0 0 0 1 0 0' lines='0 1'/><MechanicalObject template='Vec3d'/>"
                      "<TetrahedronFEMForceField name='F' youngModulus='1' poissonRatio='0'/></Node>",
                      "has neither tetrahedra nor hexahedra");
    expect_load_error("<Node><MechanicalObject template='Vec3d'/><TetrahedronFEMForceField name='F'/></Node>",
                      "TetrahedronFEMForceField 'F': no topology in node '/' or above");
    expect_load_error("<Node>" CUBE "<TetrahedronFEMForceField name='F' computeVonMisesStress='3'/></Node>",
                      "3 is none of 0, 1, 2");
    expect_load_error("<Node>" CUBE
                      "<TetrahedronFEMForceField name='F' method='exact' plasticMaxThreshold='1'/></Node>",
                      "plasticMaxThreshold: method 'exact' is elastic");
    for (int class = 0; class < 2; class ++) {
        DvText text = {0};
        dv_text_add(&text, "<Node>" CUBE "<%s name='F' method='exact' updateStiffnessMatrix='1'/></Node>",
                    classes[class]);
        expect_load_error(text.at, "updateStiffnessMatrix: method 'exact' has the gradients of the rest shape");
        dv_text_free(&text);
    }
    expect_load_error("<Node>" CUBE
                      "<TetrahedronFEMForceField name='F' method='small' computeVonMisesStress='1'/></Node>",
                      "1 needs frames that rotate");
    expect_load_error(
        "<Node><MeshTopology position='0 0 0 1 0 0 0 1 0 0 0 1' tetrahedra='0 1 2 9'/><MechanicalObject "
        "template='Vec3d' position='0 0 0 1 0 0 0 1 0 0 0 1'/><TetrahedralCorotationalFEMForceField name='F'/></Node>",
        "no point 9: the topology has");
}

static void impossible_materials_are_replaced(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node>" CUBE "<TetrahedronFEMForceField name='field' youngModulus='-3' poissonRatio='0.5'/></Node>");
    assert_close(field_doubles(scene, "/field", "youngModulus", NULL)[0], 5000.0, 0.0);
    assert_close(field_doubles(scene, "/field", "poissonRatio", NULL)[0], 0.45, 0.0);
    dv_scene_free(scene);
}

/* Under a strain e0 that is held the elastic strain is e0 exp(-r t) at time t, whatever the step; a part of each evaluation is not. */
static void plastic_flow_has_a_rate(void **state)
{
    (void)state;
    static const double dt[] = {0.02, 0.01, 0.0025};
    for (size_t i = 0; i < sizeof dt / sizeof *dt; i++) {
        char text[1024];
        snprintf(
            text, sizeof text,
            "<Node name='root' gravity='0 0 0' dt='%g'><DefaultAnimationLoop/><EulerImplicitSolver/><CGLinearSolver "
            "iterations='9' tolerance='1e-9' threshold='1e-15'/><MeshTopology position='0 0 0 1 0 0 0 1 0 0 0 1' "
            "tetrahedra='0 1 2 3'/><MechanicalObject name='dofs' rest_position='0 0 0 1 0 0 0 1 0 0 0 1' position='0 0 0 "
            "1.25 0 0 0 1 0 0 0 1'/><UniformMass totalMass='1'/><TetrahedronFEMForceField name='field' method='small' "
            "youngModulus='9' poissonRatio='0.25' plasticMaxThreshold='9' plasticYieldThreshold='1e-9' "
            "plasticCreepRate='3'/><FixedProjectiveConstraint indices='0 1 2 3'/></Node>",
            dt[i]);
        DvScene *scene = scene_from_text(text);
        const long steps = lround(0.4 / dt[i]) + 1; /* the force of the last one is that at 0.4 s */
        for (long n = 0; n < steps; n++)
            assert_int_equal(dv_scene_step(scene, 0.0), DV_OK);
        const double *plastic = dv_data_doubles(dv_object_field(scene_object(scene, "/field"), "plasticStrain"), NULL);
        assert_true(fabs(fabs(plastic[0]) - 0.25 * (1.0 - exp(-3.0 * 0.4))) < 1e-9); /* 6 V = 1 */
        for (int c = 1; c < 6; c++)
            assert_true(fabs(plastic[c]) < 1e-12);
        dv_scene_free(scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_displacements),
        cmocka_unit_test(small_displacements_of_the_other_class),
        cmocka_unit_test(large_displacements),
        cmocka_unit_test(polar_decomposition),
        cmocka_unit_test(stable_decomposition),
        cmocka_unit_test(large_displacements_of_the_other_class),
        cmocka_unit_test(polar_decomposition_of_the_other_class),
        cmocka_unit_test(materials_of_each_element),
        cmocka_unit_test(boxes_that_are_cut),
        cmocka_unit_test(boxes_in_a_row_that_are_cut),
        cmocka_unit_test(boxes_in_several_rows_that_are_cut),
        cmocka_unit_test(boxes_in_a_row_of_several_materials),
        cmocka_unit_test(the_rotation_of_boxes_in_a_row),
        cmocka_unit_test(a_row_that_is_whole_again_has_its_products),
        cmocka_unit_test(boxes_of_several_materials),
        cmocka_unit_test(current_gradients_of_normal_strains),
        cmocka_unit_test(current_gradients_of_all_strains),
        cmocka_unit_test(a_linear_displacement_leaves_inner_points_without_force),
        cmocka_unit_test(the_sum_of_all_forces_vanishes),
        cmocka_unit_test(the_rotation_of_the_deformation),
        cmocka_unit_test(the_rotation_of_large_deformations),
        cmocka_unit_test(the_rotation_of_the_deformation_of_the_other_class),
        cmocka_unit_test(the_order_of_the_points_does_not_matter),
        cmocka_unit_test(a_large_stretch_has_the_stress_of_the_closed_form),
        cmocka_unit_test(an_inverted_element_turns_back),
        cmocka_unit_test(a_free_body_keeps_its_momentum_and_energy),
        cmocka_unit_test(at_rest_there_is_no_force_to_the_last_bit),
        cmocka_unit_test(one_element_has_the_force_of_its_textbook_matrices),
        cmocka_unit_test(what_is_asked_after_many_forces_is_that_of_the_last_one),
        cmocka_unit_test(factors_of_stiffness_are_spread_over_the_elements),
        cmocka_unit_test(computing_a_global_matrix_changes_nothing),
        cmocka_unit_test(gradients_can_follow_the_current_shape),
        cmocka_unit_test(strain_beyond_the_yield_becomes_plastic),
        cmocka_unit_test(von_mises_stress_is_that_of_simple_stretch_and_shear),
        cmocka_unit_test(von_mises_stress_of_large_deformations_is_that_of_their_strain),
        cmocka_unit_test(stresses_are_computed_for_who_reads_them),
        cmocka_unit_test(a_changed_material_is_taken_up_at_the_next_step),
        cmocka_unit_test(products_follow_a_changed_material),
        cmocka_unit_test(hexahedra_are_cut_into_six_each_that_fit),
        cmocka_unit_test(inverted_elements_recover_with_the_stable_decomposition),
        cmocka_unit_test(frames_at_rest_can_be_read),
        cmocka_unit_test(a_flat_tetrahedron_is_flat_in_any_unit),
        cmocka_unit_test(plastic_flow_has_a_rate),
        cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(impossible_materials_are_replaced),
    };
    return cmocka_run_group_tests(tests, NULL, stop_plugins);
}
