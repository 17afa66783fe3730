/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * BeamFEMForceField: the conformance suite, closed forms of beams, some edges of a mesh, edits of it, and wrong scenes.
 */
#include "mesh_edits.h"

#include <divan/contracts/topology.h>
#include <divan/math/quat.h>
#include <divan/parallel.h>

#define STRAIGHT "0 0 0 0 0 0 1  1 0 0 0 0 0 1  2 0 0 0 0 0 1  2.5 0 0 0 0 0 1"
/* Frames that point to the next one along an edge of length 5, 0.6 0.8 in the plane. */
#define INCLINED    "0 0 0 0 0 0.44721359549995793 0.89442719099991586  3 4 0 0 0 0.44721359549995793 0.89442719099991586"
#define MESH(edges) "<MeshTopology name='topo' edges='" edges "'/>"
#define BEAMS       "<BeamFEMForceField name='field' youngModulus='1e4' poissonRatio='0.3' radius='0.1' radiusInner='0.05' "
#define REASON      "the axes are those of the first frame, whose turning has no term: that of a bent beam is small"

FORCE_FIELD_CONFORMANCE(
    beams_are_a_force_field, .tangent = TANGENT_AT_REST, .energy = ENERGY_AT_REST, .reason = REASON, .objective = true,
    .scene = "<Node>" MESH("0 1 1 2 2 3") "<MechanicalObject name='dofs' template='Rigid3d' position='" STRAIGHT
                                          "'/>" BEAMS "/></Node>")
FORCE_FIELD_CONFORMANCE(
    beams_between_any_frames_are_a_force_field, .tangent = TANGENT_AT_REST, .energy = ENERGY_AT_REST, .reason = REASON,
    .objective = true,
    .scene = "<Node>" MESH(
        "0 1 1 2 1 3 3 0") "<MechanicalObject name='dofs' template='Rigid3d' position='0 0 0 0 0 0.6 0.8  1 0.2 0 0.6 "
                           "0 0 0.8  2 0 1 0 0 0 1  2.5 1 0 0 0 0 1'/>" BEAMS
                           "consistentFrames='1' listSegment='0 2 3 3'/></Node>")

enum { BEAMS_OF_CANTILEVER = 4 };

/* A cantilever along x, bent as the beam of Euler and Bernoulli is by a force p and a torque m at its end, along and about the axes y or z,
 * twisted by a torque t and pulled by n: the forces at its end, and none between. */
static void a_cantilever_in_its_closed_form_is_loaded_at_its_end_alone(void **state)
{
    (void)state;
    const double length = 2.0, radius = 0.1, inner = 0.05, young = 1e4, poisson = 0.3;
    const double area = DV_PI * (radius * radius - inner * inner), i = DV_PI / 4 * (pow(radius, 4) - pow(inner, 4));
    const double shear = young / (2 * (1 + poisson)), p = 3e-8, m = 2e-8, t = 5e-8, n = 1e-7;
    for (int axis = 1; axis < 3; axis++) {
        DvText text = {0};
        dv_text_add(
            &text, "<Node>" MESH("0 1 1 2 2 3 3 4") "<MechanicalObject name='dofs' template='Rigid3d' rest_position='");
        for (int k = 0; k <= BEAMS_OF_CANTILEVER; k++)
            dv_text_add(&text, "%.17g 0 0 0 0 0 1 ", length * k / BEAMS_OF_CANTILEVER);
        dv_text_add(&text, "' position='");
        for (int k = 0; k <= BEAMS_OF_CANTILEVER; k++) {
            const double x = length * k / BEAMS_OF_CANTILEVER;
            const double deflection = (p * x * x * (3 * length - x) / 6 + m * x * x / 2) / (young * i),
                         slope = (p * x * (2 * length - x) / 2 + m * x) / (young * i), twist = t * x / (shear * 2 * i);
            const DvQuat q = dv_quat_from_increment(axis == 1 ? dv_vec3(twist, 0, slope) : dv_vec3(twist, -slope, 0));
            dv_text_add(&text, "%.17g %.17g %.17g %.17g %.17g %.17g %.17g ", x + n * x / (young * area),
                        axis == 1 ? deflection : 0, axis == 2 ? deflection : 0, q.x, q.y, q.z, q.w);
        }
        dv_text_add(&text, "'/>" BEAMS "/></Node>");
        static Forces f;
        forces_of(text.at, &f);
        dv_text_free(&text);
        for (int k = 1; k < BEAMS_OF_CANTILEVER; k++)
            for (int c = 0; c < 6; c++)
                assert_close(f.at[0][6 * k + c], 0.0, 1e-11);
        const double *end = f.at[0] + 6 * BEAMS_OF_CANTILEVER; /* of the beam on the frame: against the load */
        const double expected[6] = {-n, axis == 1 ? -p : 0, axis == 2 ? -p : 0,
                                    -t, axis == 2 ? m : 0,  axis == 1 ? -m : 0};
        for (int c = 0; c < 6; c++)
            assert_close(end[c], expected[c], 1e-11);
        const double *wall = f.at[0];
        const double held[6] = {n,
                                axis == 1 ? p : 0,
                                axis == 2 ? p : 0,
                                t,
                                axis == 2 ? -m - p * length : 0,
                                axis == 1 ? m + p * length : 0};
        for (int c = 0; c < 6; c++)
            assert_close(wall[c], held[c], 1e-11);
    }
}

/* A ring: each frame turned by the same angle, as a torque at the end alone winds a beam. The beams give that torque, whatever the angle. */
static void a_torque_at_the_end_bends_all_beams_alike(void **state)
{
    (void)state;
    enum { N = 6 };
    const double young = 1e4, i = DV_PI / 4 * (1e-4 - 0.05 * 0.05 * 0.05 * 0.05), angle = 2 * DV_PI / N;
    DvText text = {0};
    dv_text_add(
        &text,
        "<Node>" MESH("0 1 1 2 2 3 3 4 4 5 5 6") "<MechanicalObject name='dofs' template='Rigid3d' rest_position='");
    for (int k = 0; k <= N; k++)
        dv_text_add(&text, "%d 0 0 0 0 0 1 ", k);
    dv_text_add(&text, "' position='");
    double x = 0, y = 0;
    for (int k = 0; k <= N; k++) {
        /* where a beam's force vanishes: u = angle / 2 across, in the axes of the frame before */
        dv_text_add(&text, "%.17g %.17g 0 0 0 %.17g %.17g ", x, y, sin(k * angle / 2), cos(k * angle / 2));
        if (k < N) {
            x += cos(k * angle) - angle / 2 * sin(k * angle);
            y += sin(k * angle) + angle / 2 * cos(k * angle);
        }
    }
    dv_text_add(&text, "'/>" BEAMS "/></Node>");
    static Forces f;
    forces_of(text.at, &f);
    for (int c = 0; c < 6 * N + 6; c++)
        assert_close(f.at[0][c], c == 5 ? young * i * angle : c == 6 * N + 5 ? -young * i * angle : 0.0, 1e-12);
    assert_close(x, 0.0, 1e-12);
    assert_close(y, 0.0, 1e-12);
    dv_text_free(&text);
}

static void numbers_are_one_for_all_or_one_for_each_beam(void **state)
{
    (void)state;
    static Forces f[2];
#define STRETCHED                                                                                                 \
    "<MechanicalObject name='dofs' template='Rigid3d' rest_position='0 0 0 0 0 0 1 1 0 0 0 0 0 1 3 0 0 0 0 0 1' " \
    "position='0 0 0 0 0 0 1 1.1 0 0 0 0 0 1 3.1 0 0 0.1 0 0 0.99498743710661997'/>"
    forces_of("<Node>" MESH("0 1 1 2") STRETCHED
              "<BeamFEMForceField name='field' youngModulus='100 300' poissonRatio='0.2 0.4' "
              "radius='0.2'/></Node>",
              &f[0]);
    const double area = DV_PI * 0.04, i = DV_PI / 4 * 0.0016, twist = 2 * asin(0.1);
    assert_close(f[0].at[0][6], -0.1 * 100 * area / 1, 1e-12);
    assert_close(f[0].at[0][12], 0.0, 1e-12);
    assert_close(f[0].at[0][15], -twist * 300 / 2.8 * 2 * i / 2, 1e-12);
    /* Named twice, a beam counts twice; not named, not at all. */
    forces_of("<Node>" MESH("0 1 1 2") STRETCHED
              "<BeamFEMForceField name='field' youngModulus='100 300' poissonRatio='0.2 0.4' "
              "radius='0.2' listSegment='1 1'/></Node>",
              &f[1]);
    assert_close(f[1].at[0][6], 0.0, 1e-14);
    assert_close(f[1].at[0][15], 2 * f[0].at[0][15], 1e-12);
}

/* An edge in the plane: its frame points along it, or the field takes the edge as axis. */
static void the_axis_is_x_of_the_first_frame_or_the_edge(void **state)
{
    (void)state;
    static Forces f[2];
    forces_of(
        "<Node>" MESH(
            "0 1") "<MechanicalObject name='dofs' template='Rigid3d' rest_position='" INCLINED
                   "' position='0 0 0 0 0 0.44721359549995793 0.89442719099991586  3.3 4.1 0.2 0.6 0 0 0.8'/>" BEAMS
                   "/></Node>",
        &f[0]);
    /* The same with frames that are not turned at rest. */
    const DvQuat back = dv_quat(0, 0, -0.44721359549995793, 0.89442719099991586),
                 end = dv_quat_mul(dv_quat(0.6, 0, 0, 0.8), back);
    DvText text = {0};
    dv_text_add(
        &text,
        "<Node>" MESH(
            "0 1") "<MechanicalObject name='dofs' template='Rigid3d' rest_position='0 0 0 0 0 0 1  3 4 0 0 0 0 1' "
                   "position='0 0 0 0 0 0 1  3.3 4.1 0.2 %.17g %.17g %.17g %.17g'/>" BEAMS
                   "consistentFrames='1'/></Node>",
        end.x, end.y, end.z, end.w);
    forces_of(text.at, &f[1]);
    dv_text_free(&text);
    for (int c = 0; c < 12; c++)
        assert_close(f[1].at[0][c], f[0].at[0][c], 1e-11 * 100);
    assert_true(fabs(f[0].at[0][0]) > 1.0);
}

/* Scenes give quaternions with few digits. */
static void there_is_no_force_at_rest_where_quaternions_are_not_quite_of_length_one(void **state)
{
    (void)state;
    static Forces f;
    forces_of("<Node>" MESH("0 1") "<MechanicalObject name='dofs' template='Rigid3d' position='0 0 0 0 0 -0.7071 "
                                   "0.7071  0 -1 0 0 0 -0.7071 0.7071'/>" BEAMS "/></Node>",
              &f);
    for (int c = 0; c < 12; c++)
        assert_close(f.at[0][c], 0.0, 1e-12);
}

static void beams_follow_edits(void **state)
{
    (void)state;
    forces_on_frames_follow_edits(DV_EDGES, BEAMS "/>", 40);
    forces_on_frames_follow_edits(DV_EDGES, BEAMS "consistentFrames='1'/>", 20);
}

#define CHAIN(list)                                                                                                          \
    "<Node><EdgeSetTopologyContainer name='mesh' position='0 0 0 1 0 0 2 0 0 3 0 0' edges='0 1 1 2 2 3'/>"                   \
    "<EdgeSetTopologyModifier name='modifier'/><MechanicalObject name='dofs' template='Rigid3d' position='0 0 0 0 0 0 1 "    \
    "1.1 0 0 0 0 0 1 2.2 0 0 0 0 0 1 3.3 0 0 0 0 0 1' rest_position='0 0 0 0 0 0 1 1 0 0 0 0 0 1 2 0 0 0 0 0 1 3 0 0 0 0 0 " \
    "1'/><BeamFEMForceField name='field' youngModulus='100 200 300' poissonRatio='0.2' radius='0.2' listSegment='" list      \
    "'/></Node>"

/* The list says which at the start; then beams are on their edges, whatever number these have, and on what an edge is split into. */
static void some_edges_stay_beams_when_the_mesh_changes(void **state)
{
    (void)state;
    static Forces f;
    const double unit = 0.1 * 100 * DV_PI * 0.04;
    DvScene *scene = scene_from_text(CHAIN("2"));
    DvObject *modifier = scene_object(scene, "/modifier");
    const DvTopologyModifierOps *ops = dv_object_ops(modifier, DV_TOPOLOGY_MODIFIER);
    void *self = dv_object_self(modifier);
    forces_at_time(scene, 0.0, &f);
    assert_close(f.at[0][0], 0.0, 0.0);
    assert_close(f.at[0][12], 3 * unit, 1e-12);
    assert_close(f.at[0][18], -3 * unit, 1e-12);
    assert_int_equal(ops->remove_elements(self, DV_EDGES, 1, (const uint32_t[]){0}, false),
                     DV_OK); /* edge 2 is 0 now */
    forces_at_time(scene, 0.0, &f);
    assert_close(f.at[0][6], 0.0, 0.0);
    assert_close(f.at[0][12], 3 * unit, 1e-12);
    /* One that has no ancestor is no beam; two that have the edge as theirs are. */
    assert_int_equal(ops->add_elements(self, DV_EDGES, 1, (const uint32_t[]){0, 2}, NULL), DV_OK);
    const DvElementChange parts = {.ancestors = (const uint32_t[]){0, 0},
                                   .ancestor_start = (const uint32_t[]){0, 1, 2}};
    assert_int_equal(ops->add_elements(self, DV_EDGES, 2, (const uint32_t[]){0, 1, 1, 2}, &parts), DV_OK);
    forces_at_time(scene, 0.0, &f);
    assert_close(f.at[0][0], 3 * unit, 1e-12);
    assert_close(f.at[0][6], 0.0, 1e-12);
    assert_close(f.at[0][12], 0.0, 1e-12);
    assert_close(f.at[0][18], -3 * unit, 1e-12);
    /* A list that is written chooses by the numbers of now. */
    DvObject *field = scene_object(scene, "/field");
    assert_int_equal(dv_data_set_text(dv_object_field(field, "listSegment"), "1"), DV_OK); /* points 1 and 2 */
    assert_int_equal(dv_object_reinit(field), DV_OK);
    forces_at_time(scene, 0.0, &f);
    assert_close(f.at[0][0], 0.0, 0.0);
    assert_true(f.at[0][6] > 0.0);
    assert_close(f.at[0][18], 0.0, 0.0);
    dv_scene_free(scene);
}

static void a_list_that_names_no_edge_is_left_out(void **state)
{
    (void)state;
    static Forces f[2];
    forces_of(CHAIN("1 7"), &f[0]);
    forces_of(CHAIN(""), &f[1]);
    for (int c = 0; c < 24; c++)
        assert_close(f[0].at[0][c], f[1].at[0][c], 0.0);
    assert_true(f[0].at[0][0] > 0.0);
}

/* A long chain, which is computed in chunks, and the same beams as single scenes of one. */
static void many_beams_are_what_each_is_alone_with_any_number_of_threads(void **state)
{
    (void)state;
    enum { N = 450 };
    static Forces f[2], alone;
    double sum[6 * (N + 1)] = {0.0};
    DvText text = {0}, rest = {0}, edges = {0};
    double frame[N + 1][7];
    for (int k = 0; k <= N; k++) {
        const DvQuat q = dv_quat_from_increment(dv_vec3(0.3 * sin(k), 0.2 * cos(2 * k), 0.2 * sin(3 * k)));
        const double at[7] = {k + 0.1 * sin(5 * k), 0.1 * cos(k), 0.1 * sin(2 * k), q.x, q.y, q.z, q.w};
        memcpy(frame[k], at, sizeof at);
        for (int c = 0; c < 7; c++)
            dv_text_add(&text, "%.17g ", at[c]);
        dv_text_add(&rest, "%d 0 0 0 0 0 1 ", k);
        if (k < N)
            dv_text_add(&edges, "%d %d ", k, k + 1);
    }
    for (int threads = 1; threads <= 3; threads += 2) {
        DvText scene = {0};
        dv_parallel_set_threads((unsigned)threads);
        dv_text_add(&scene,
                    "<Node><MeshTopology edges='%s'/><MechanicalObject name='dofs' template='Rigid3d' position='%s' "
                    "rest_position='%s'/>" BEAMS "/></Node>",
                    edges.at, text.at, rest.at);
        forces_of(scene.at, &f[threads / 2]);
        dv_text_free(&scene);
    }
    dv_parallel_set_threads(1);
    assert_memory_equal(&f[0], &f[1], sizeof f[0]);
    for (int k = 0; k < N; k++) {
        DvText scene = {0};
        dv_text_add(&scene, "<Node>" MESH("0 1") "<MechanicalObject name='dofs' template='Rigid3d' position='");
        for (int c = 0; c < 14; c++)
            dv_text_add(&scene, "%.17g ", frame[k + c / 7][c % 7]);
        dv_text_add(&scene, "' rest_position='%d 0 0 0 0 0 1 %d 0 0 0 0 0 1'/>" BEAMS "/></Node>", k, k + 1);
        forces_of(scene.at, &alone);
        for (int c = 0; c < 12; c++)
            sum[6 * k + c] += alone.at[0][c];
        dv_text_free(&scene);
    }
    for (int c = 0; c < 6 * (N + 1); c++)
        assert_close(f[0].at[0][c], sum[c], 0.0);
    dv_text_free(&text);
    dv_text_free(&rest);
    dv_text_free(&edges);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(beams_are_a_force_field),
        cmocka_unit_test(beams_between_any_frames_are_a_force_field),
        cmocka_unit_test(a_cantilever_in_its_closed_form_is_loaded_at_its_end_alone),
        cmocka_unit_test(a_torque_at_the_end_bends_all_beams_alike),
        cmocka_unit_test(numbers_are_one_for_all_or_one_for_each_beam),
        cmocka_unit_test(the_axis_is_x_of_the_first_frame_or_the_edge),
        cmocka_unit_test(there_is_no_force_at_rest_where_quaternions_are_not_quite_of_length_one),
        cmocka_unit_test(beams_follow_edits),
        cmocka_unit_test(some_edges_stay_beams_when_the_mesh_changes),
        cmocka_unit_test(a_list_that_names_no_edge_is_left_out),
        cmocka_unit_test(many_beams_are_what_each_is_alone_with_any_number_of_threads),
    };
    return cmocka_run_group_tests(tests, start_plugins, stop_plugins);
}
