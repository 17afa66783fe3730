/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * TriangularBendingSprings, QuadularBendingSprings and QuadBendingSprings: the conformance suite, which springs they make, the energy
 * of a bent sheet, changes of the mesh.
 */
#include "force_at.h"
#include "mesh_edits.h"

#include <stdio.h>

#define TRIANGLES                                                                                             \
    "<MeshTopology name='topo' position='0 0 0  2 0 0.1  2 2 0  0 2 -0.2  4 1 0.3' triangles='0 1 2 0 2 3 1 " \
    "4 2'/><MechanicalObject name='dofs' template='Vec3d'/>"
#define QUADS                                                                                                           \
    "<MeshTopology name='topo' position='0 0 0  1 0 0.1  1 1 0  0 1 0  2 0 0  2.1 1 0.3  1 2 0  0 2 0.2' quads='0 1 2 " \
    "3  1 4 5 2  3 2 6 7'/><MechanicalObject name='dofs' template='Vec3d'/>"

FORCE_FIELD_CONFORMANCE(triangular_bending_springs, .internal = true, .objective = true,
                        .scene = "<Node>" TRIANGLES
                                 "<TriangularBendingSprings name='field' stiffness='30' damping='0'/></Node>")
FORCE_FIELD_CONFORMANCE(quadular_bending_springs, .internal = true, .objective = true,
                        .scene = "<Node>" QUADS
                                 "<QuadularBendingSprings name='field' stiffness='30' damping='0'/></Node>")
FORCE_FIELD_CONFORMANCE(quad_bending_springs, .internal = true, .objective = true,
                        .scene = "<Node>" QUADS "<QuadBendingSprings name='field' stiffness='30' damping='0'/></Node>")

typedef struct Listed { /* as the field prints them */
    unsigned a, b;
    double stiffness, damping, length;
} Listed;

static int springs_of(const char *text, const char *field, Listed *out)
{
    DvScene *scene = scene_from_text(text);
    DvText printed = {0};
    dv_data_print(dv_object_field(scene_object(scene, "/field"), field), &printed);
    int count = 0, used = 0;
    for (const char *at = printed.at; at; at += used, count++) {
        if (sscanf(at, "%u %u %lf %lf %lf%n", &out[count].a, &out[count].b, &out[count].stiffness, &out[count].damping,
                   &out[count].length, &used) != 5)
            break;
        if (strncmp(at + used, " disabled", 9) == 0)
            used += 9;
    }
    dv_text_free(&printed);
    dv_scene_free(scene);
    return count;
}

static int count_between(const Listed *list, int count, unsigned a, unsigned b, double length)
{
    int found = 0;
    for (int i = 0; i < count; i++)
        if ((list[i].a == a && list[i].b == b) || (list[i].a == b && list[i].b == a)) {
            assert_close(list[i].length, length, 1e-15);
            found += list[i].stiffness > 0.0;
        }
    return found;
}

static void an_edge_of_two_triangles_has_a_spring_between_the_points_opposite_to_it(void **state)
{
    (void)state;
    Listed list[20];
    const int count =
        springs_of("<Node>" TRIANGLES "<TriangularBendingSprings name='field'/></Node>", "edgeInfo", list);
    assert_int_equal(count, 7);                                                 /* edges */
    assert_int_equal(count_between(list, count, 1, 3, sqrt(4 + 4 + 0.09)), 1);  /* across 0 2 */
    assert_int_equal(count_between(list, count, 0, 4, sqrt(16 + 1 + 0.09)), 1); /* across 1 2 */
    int active = 0;
    for (int i = 0; i < count; i++)
        active += list[i].stiffness == 1e5 && list[i].damping == 1.0;
    assert_int_equal(active, 2);
}

static void keep_warning(const DvMessage *message, void *context)
{
    DvText *text = context;
    if (message->level >= DV_LEVEL_WARNING)
        dv_message_print(message, text);
}

/* A mesh may have points that the state has not: there are no springs to these, which is said. */
static void no_spring_leads_to_a_point_that_is_not_there(void **state)
{
    (void)state;
    static const char *const triangles[] = {"0 1 2 1 3 2", "1 3 2 0 1 2", "3 1 2 1 0 2"};
    static const char *const names[] = {"triangle 1 names point 3, the state '/dofs' has 3 points", "triangle 0 names",
                                        "triangle 0 names"};
    for (int order = 0; order < 3; order++)
        for (int points = 3; points <= 4; points++) {
            DvText text = {0};
            dv_text_add(
                &text,
                "<Node><MeshTopology name='topo' position='0 0 0 1 0 0 0 1 0 1 1 0' triangles='%s'/><MechanicalObject "
                "name='dofs' position='0 0 0 1 0 0 0 1 0%s'/><TriangularBendingSprings name='field'/></Node>",
                triangles[order], points == 4 ? " 1 1 0" : "");
            Listed list[20];
            DvText warnings = {0};
            dv_log_set_handler(keep_warning, &warnings);
            const int count = springs_of(text.at, "edgeInfo", list);
            dv_log_set_handler(NULL, NULL);
            if (points == 3)
                assert_non_null(strstr(warnings.at, names[order]));
            else
                assert_null(warnings.at);
            dv_text_free(&warnings);
            assert_int_equal(count, 5);
            int active = 0;
            for (int i = 0; i < count; i++)
                active += list[i].stiffness > 0.0;
            assert_int_equal(active, points - 3);
            dv_text_free(&text);
        }
}

static void an_edge_of_two_quads_has_springs_along_the_sides_that_end_at_it(void **state)
{
    (void)state;
    static const char *const classes[][2] = {{"QuadularBendingSprings", "edgeInfo"}, {"QuadBendingSprings", "spring"}};
    for (size_t i = 0; i < 2; i++) {
        DvText text = {0};
        dv_text_add(&text, "<Node>" QUADS "<%s name='field' stiffness='7'/></Node>", classes[i][0]);
        Listed list[40];
        const int count = springs_of(text.at, classes[i][1], list);
        assert_int_equal(count, i == 0 ? 20 : 4); /* two for each of ten edges; those there are */
        assert_int_equal(count_between(list, count, 0, 4, 2.0), 1);
        assert_int_equal(count_between(list, count, 3, 5, sqrt(2.1 * 2.1 + 0.09)), 1);
        assert_int_equal(count_between(list, count, 0, 7, sqrt(4 + 0.04)), 1);
        assert_int_equal(count_between(list, count, 1, 6, sqrt(4 + 0.01)), 1);
        dv_text_free(&text);
    }
}

/* Two unit right triangles folded by an angle about their common edge of length sqrt 2: the points opposite to it are sqrt(2)
 * cos(angle / 2) apart instead of sqrt 2. */
/* The edge of the two smallest numbers alone is common. */
static void the_first_edge_of_all_has_its_springs(void **state)
{
    (void)state;
    Listed list[4];
    const int count =
        springs_of("<Node><MeshTopology name='topo' position='0 0 0  1 0 0  1 1 0  0 1 0  0 -2 0  1 -2 0' "
                   "quads='0 1 2 3  1 0 4 5'/><MechanicalObject name='dofs' template='Vec3d'/>"
                   "<QuadBendingSprings name='field' stiffness='7'/></Node>",
                   "spring", list);
    assert_int_equal(count, 2);
    assert_int_equal(count_between(list, count, 3, 4, 3.0), 1);
    assert_int_equal(count_between(list, count, 2, 5, 3.0), 1);
}

static void a_fold_has_the_energy_of_the_closed_form(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node><MeshTopology position='0 0 0 1 0 0 1 1 0 0 1 0' triangles='0 1 2 0 2 3'/><MechanicalObject name='dofs' "
        "template='Vec3d'/><TriangularBendingSprings name='field' stiffness='50'/></Node>");
    double *x = dv_state_write(scene_state(scene, "/dofs"), DV_POSITION, DV_READ_WRITE).at;
    const double angle = 0.8, half = sqrt(0.5); /* both tips turn by half of it about the diagonal */
    for (int p = 1; p <= 3; p += 2) {
        const double side = p == 1 ? 1.0 : -1.0;
        x[3 * p] = 0.5 + side * 0.5 * cos(angle / 2);
        x[3 * p + 1] = 0.5 - side * 0.5 * cos(angle / 2);
        x[3 * p + 2] = half * sin(angle / 2);
    }
    DvObject *field = scene_object(scene, "/field");
    const DvStep step = {.dt = 0.01, .position = DV_POSITION, .velocity = DV_VELOCITY};
    const DvConstVec at = dv_state_read(scene_state(scene, "/dofs"), DV_POSITION);
    const double stretch = sqrt(2.0) * (1.0 - cos(angle / 2));
    assert_close(field_ops(field)->energy(dv_object_self(field), &step, &at), 25.0 * stretch * stretch, 1e-13);
    static Forces f;
    forces_at_time(scene, 0.0, &f);
    assert_close(hypot(f.at[0][3], f.at[0][4]), 50.0 * stretch, 1e-12); /* pushes the tips apart */
    assert_true(f.at[0][3] > 0.0 && f.at[0][9] < 0.0);
    dv_scene_free(scene);
}

/* The threshold is 1e-4, where other springs have 1e-9. */
static void a_spring_of_no_length_has_no_force(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node><MeshTopology position='0 0 0 1 0 0 1 1 0 0 1 0' triangles='0 1 2 0 2 3'/><MechanicalObject name='dofs' "
        "template='Vec3d'/><TriangularBendingSprings name='field' stiffness='50'/></Node>");
    double *x = dv_state_write(scene_state(scene, "/dofs"), DV_POSITION, DV_READ_WRITE).at;
    for (size_t c = 0; c < 3; c++)
        x[9 + c] = x[3 + c];
    static Forces f;
    for (int i = 0; i < 2; i++) {
        x[9] = x[3] + (i == 0 ? 0.9e-4 : 1.1e-4);
        forces_at_time(scene, 0.0, &f);
        assert_close(f.at[0][9], i == 0 ? 0.0 : 50.0 * (sqrt(2.0) - 1.1e-4), 1e-9);
    }
    dv_scene_free(scene);
}

static void values_that_change_are_taken_up(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text("<Node>" TRIANGLES
                                     "<TriangularBendingSprings name='field' stiffness='50' damping='0'/></Node>");
    dv_state_write(scene_state(scene, "/dofs"), DV_POSITION, DV_READ_WRITE).at[3] += 0.1;
    static Forces f[2];
    forces_at_time(scene, 0.0, &f[0]);
    dv_data_set_double(dv_object_field(scene_object(scene, "/field"), "stiffness"), 100.0);
    forces_at_time(scene, 0.0, &f[1]);
    for (int i = 0; i < 15; i++)
        assert_true(f[1].at[0][i] == 2.0 * f[0].at[0][i]);
    assert_true(f[0].at[0][3] != 0.0);
    dv_scene_free(scene);
}

/* On a sheet, where an edge has two elements at most, the way to a mesh does not matter: both rules give the springs of a mesh loaded
 * like that. */
static void springs_follow_edits_of_triangles(void **state)
{
    (void)state;
    forces_follow_edits(DV_TRIANGLES, "<TriangularBendingSprings name='field' stiffness='50' damping='0.3'/>", 60);
    forces_follow_edits(
        DV_TRIANGLES, "<TriangularBendingSprings name='field' stiffness='50' damping='0.3' consistentEdges='1'/>", 60);
}

static void springs_follow_edits_of_quads(void **state)
{
    (void)state;
    forces_follow_edits(DV_QUADS, "<QuadularBendingSprings name='field' stiffness='50' damping='0.3'/>", 40);
    forces_follow_edits(DV_QUADS,
                        "<QuadularBendingSprings name='field' stiffness='50' damping='0.3' consistentEdges='1'/>", 40);
}

/* Triangles around the edge 0 1, with the points 2, 3, ... opposite to it. */
typedef struct Wings {
    const char *triangles;
    uint32_t gone_count, gone[2];
    bool comes;     /* the triangle 1 0 5 */
    int springs[2]; /* by the elements before, and of a mesh loaded like that */
} Wings;

static const char wing_scene[] =
    "<Node><TriangleSetTopologyContainer name='topo' position='0 0 0  1 0 0  0 1 0  0 -1 0  0 0 1  0 0 -1' triangles='%s'/>"
    "<TriangleSetTopologyModifier name='modifier'/><MechanicalObject name='dofs' template='Vec3d'/>"
    "<TriangularBendingSprings name='field' stiffness='50' consistentEdges='%d'/></Node>";

static int active_springs(DvScene *scene)
{
    static Forces f;
    forces_at_time(scene, 0.0, &f);
    DvText printed = {0};
    dv_data_print(dv_object_field(scene_object(scene, "/field"), "edgeInfo"), &printed);
    int active = 0, used = 0;
    Listed one;
    for (const char *at = printed.at; at; at += used) {
        if (sscanf(at, "%u %u %lf %lf %lf%n", &one.a, &one.b, &one.stiffness, &one.damping, &one.length, &used) != 5)
            break;
        active += one.stiffness > 0.0;
        if (strncmp(at + used, " disabled", 9) == 0)
            used += 9;
    }
    dv_text_free(&printed);
    return active;
}

static void without_consistent_edges_what_was_there_before_an_edit_decides(void **state)
{
    (void)state;
    static const Wings cases[] = {
        {.triangles = "0 1 2 0 1 3 0 1 4 0 1 5", .gone_count = 2, .gone = {0, 1}, .springs = {0, 1}},
        {.triangles = "0 1 2 0 1 3 0 1 4", .gone_count = 1, .gone = {1}, .springs = {1, 1}},
        {.triangles = "0 1 2 0 1 3", .gone_count = 1, .gone = {1}, .springs = {0, 0}},
        {.triangles = "0 1 2", .comes = true, .springs = {0, 1}},
        {.triangles = "0 1 2 0 1 3", .comes = true, .springs = {1, 0}},
        {.triangles = "0 1 2 0 1 3", .gone_count = 1, .gone = {1}, .comes = true, .springs = {1, 1}},
    };
    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        const Wings *wings = &cases[i / 2];
        DvText text = {0};
        dv_text_add(&text, wing_scene, wings->triangles, (int)(i % 2));
        DvScene *scene = scene_from_text(text.at);
        DvObject *modifier = scene_object(scene, "/modifier");
        const DvTopologyModifierOps *ops = dv_object_ops(modifier, DV_TOPOLOGY_MODIFIER);
        void *self = dv_object_self(modifier);
        if (wings->gone_count > 0)
            assert_int_equal(ops->remove_elements(self, DV_TRIANGLES, wings->gone_count, wings->gone, false), DV_OK);
        if (wings->comes)
            assert_int_equal(ops->add_elements(self, DV_TRIANGLES, 1, (const uint32_t[]){1, 0, 5}, NULL), DV_OK);
        for (int asked = 0; asked < 2; asked++) { /* saved before a force is asked for, and afterwards */
            DvScene *again = NULL;
            assert_int_equal(dv_scene_save(scene, "saved_springs.scn"), DV_OK);
            assert_int_equal(dv_scene_load("saved_springs.scn", NULL, &again), DV_OK);
            (void)remove("saved_springs.scn");
            assert_int_equal(active_springs(again), wings->springs[i % 2]);
            dv_scene_free(again);
            assert_int_equal(active_springs(scene), wings->springs[i % 2]);
        }
        dv_scene_free(scene);
        dv_text_free(&text);
    }
}

static void mistakes_are_named(void **state)
{
    (void)state;
    expect_load_error("<Node><MechanicalObject template='Vec3d'/><TriangularBendingSprings name='T'/></Node>",
                      "no topology");
    expect_load_error("<Node><MeshTopology quads='0 1 2 3 1 4 9 2'/><MechanicalObject template='Vec3d' position='0 0 0 "
                      "1 0 0 1 1 0 0 1 0 2 0 0 2 1 0'/><QuadBendingSprings name='Q'/></Node>",
                      "the topology has point 9, the state has 6 points");
}

/* A vector of another number of points, which a solver may still have when the state has changed, gives nothing. */
static void products_with_vectors_of_other_points_are_nothing(void **state)
{
    (void)state;
    static const char *const scenes[] = {
        "<Node>" TRIANGLES "<TriangularBendingSprings name='field' stiffness='30' damping='0'/></Node>",
        "<Node>" QUADS "<QuadularBendingSprings name='field' stiffness='30' damping='0'/></Node>",
    };
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        DvScene *scene = scene_from_text(scenes[i]);
        DvObject *field = scene_object(scene, "/field");
        const DvForceFieldOps *ops = field_ops(field);
        static Forces f;
        forces_at_time(scene, 0.0, &f);
        const uint32_t points = dv_state_count(scene_state(scene, "/dofs"));
        double dx[64], df[64];
        for (int k = 0; k < 64; k++)
            dx[k] = sin(k);
        for (int less = 0; less < 3; less++) {
            const uint32_t count = less < 2 ? points - (uint32_t)less : points + 1;
            const DvConstVec in = {.at = dx, .count = count, .dim = 3};
            const DvVec out = {.at = df, .count = count, .dim = 3};
            const DvStep step = {.dt = 0.01, .position = DV_POSITION, .velocity = DV_VELOCITY};
            double sum = 0.0;
            memset(df, 0, sizeof df);
            ops->add_dforce(dv_object_self(field), &step, 1.0, 0.0, &in, &out);
            for (int k = 0; k < 64; k++)
                sum += fabs(df[k]);
            if (less == 0 ? sum <= 1.0 : sum != 0.0)
                fail_msg("scene %zu, %u points: %g", i, count, sum);
        }
        dv_scene_free(scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_with_vectors_of_other_points_are_nothing),
        cmocka_unit_test(triangular_bending_springs),
        cmocka_unit_test(quadular_bending_springs),
        cmocka_unit_test(quad_bending_springs),
        cmocka_unit_test(an_edge_of_two_triangles_has_a_spring_between_the_points_opposite_to_it),
        cmocka_unit_test(no_spring_leads_to_a_point_that_is_not_there),
        cmocka_unit_test(an_edge_of_two_quads_has_springs_along_the_sides_that_end_at_it),
        cmocka_unit_test(the_first_edge_of_all_has_its_springs),
        cmocka_unit_test(a_fold_has_the_energy_of_the_closed_form),
        cmocka_unit_test(a_spring_of_no_length_has_no_force),
        cmocka_unit_test(values_that_change_are_taken_up),
        cmocka_unit_test(springs_follow_edits_of_triangles),
        cmocka_unit_test(springs_follow_edits_of_quads),
        cmocka_unit_test(without_consistent_edges_what_was_there_before_an_edit_decides),
        cmocka_unit_test(mistakes_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, stop_plugins);
}
