/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Edge-, Triangle-, Quad- and SurfacePressureForceField: the conformance suite, their resultants, changes of the mesh.
 */
#include "force_at.h"
#include "mesh_edits.h"

#include <stdio.h>
#include <unistd.h>

/* A box of sides 2, 3 and 4, its surface as triangles with outward normals, or as quads. */
#define BOX "position='0 0 0 2 0 0 2 3 0 0 3 0 0 0 4 2 0 4 2 3 4 0 3 4'"
#define TRIANGLES                                                                      \
    "<MeshTopology name='topo' " BOX                                                   \
    " triangles='0 2 1 0 3 2 4 5 6 4 6 7 0 1 5 0 5 4 1 2 6 1 6 5 2 3 7 2 7 6 3 0 4 3 " \
    "4 7'/>"
#define QUADS      "<MeshTopology name='topo' " BOX " quads='0 3 2 1 4 5 6 7 0 1 5 4 1 2 6 5 2 3 7 6 3 0 4 7'/>"
#define DOFS       "<MechanicalObject name='dofs' template='Vec3d'/>"
#define NO_TANGENT "loads without a derivative, by definition"

FORCE_FIELD_CONFORMANCE(pressure_inside_a_closed_surface, .energy = ENERGY_NONE, .internal = true,
                        .reason = "the energy of a pressure is not offered",
                        .scene = "<Node>" TRIANGLES DOFS
                                 "<SurfacePressureForceField name='field' pressure='7'/></Node>")
FORCE_FIELD_CONFORMANCE(pressure_on_an_open_surface, .energy = ENERGY_NONE, .unsymmetric = true,
                        .reason = "the energy of a pressure is not offered",
                        .scene = "<Node>" TRIANGLES DOFS "<SurfacePressureForceField name='field' pressure='7' "
                                 "triangleIndices='0 3 4 4'/></Node>")
FORCE_FIELD_CONFORMANCE(
    pressure_on_bodies, .energy = ENERGY_NONE, .unsymmetric = true, .reason = "the energy of a pressure is not offered",
    .scene = "<Node><MeshTopology triangles='0 1 2 1 3 2'/><MechanicalObject name='dofs' "
             "template='Rigid3d' position='0 0 0 0 0 0 1  1 0 0 0 0 0 1  0 1 0 0 0 0 1  1 1 1 0 0 0 "
             "1'/><SurfacePressureForceField name='field' pressure='7'/></Node>")
FORCE_FIELD_CONFORMANCE(pressure_on_quads, .energy = ENERGY_NONE, .tangent = TANGENT_LEFT_OUT, .reason = NO_TANGENT,
                        .scene = "<Node>" QUADS DOFS "<SurfacePressureForceField name='field' pressure='7'/></Node>")
FORCE_FIELD_CONFORMANCE(triangle_pressure, .energy = ENERGY_NONE, .tangent = TANGENT_LEFT_OUT, .reason = NO_TANGENT,
                        .scene = "<Node>" TRIANGLES DOFS "<TrianglePressureForceField name='field' pressure='1 2 3' "
                                 "triangleList='1 4'/></Node>")
FORCE_FIELD_CONFORMANCE(quad_pressure, .energy = ENERGY_NONE, .tangent = TANGENT_LEFT_OUT, .reason = NO_TANGENT,
                        .scene = "<Node>" QUADS DOFS
                                 "<QuadPressureForceField name='field' pressure='1 2 3' quadList='1 4'/></Node>")
FORCE_FIELD_CONFORMANCE(edge_pressure, .energy = ENERGY_NONE, .tangent = TANGENT_LEFT_OUT, .reason = NO_TANGENT,
                        .scene = "<Node>" QUADS DOFS
                                 "<EdgePressureForceField name='field' pressure='1 2 3' edgeIndices='1 4'/></Node>")

static void expect_sum(const char *mesh, const char *field, double x, double y, double z)
{
    DvText text = {0};
    dv_text_add(&text, "<Node>%s" DOFS "<%s/></Node>", mesh, field);
    static Forces f;
    forces_of(text.at, &f);
    const double expected[3] = {x, y, z};
    for (int c = 0; c < 3; c++) {
        double sum = 0.0;
        for (int p = 0; p < 8; p++)
            sum += f.at[0][3 * p + c];
        assert_close(sum, expected[c], 1e-12);
    }
    dv_text_free(&text);
}

static void resultants_are_pressure_times_area(void **state)
{
    (void)state;
    expect_sum(TRIANGLES, "SurfacePressureForceField name='field' pressure='7'", 0, 0, 0);
    expect_sum(TRIANGLES, "SurfacePressureForceField name='field' pressure='7' triangleIndices='2 3'", 0, 0, 7 * 6);
    expect_sum(QUADS, "SurfacePressureForceField name='field' pressure='7' quadIndices='1'", 0, 0, 7 * 6);
    expect_sum(QUADS, "SurfacePressureForceField name='field' pressure='7' quadIndices='3 3'", 2 * 7 * 12, 0, 0);
    expect_sum(QUADS, "SurfacePressureForceField name='field' pressure='7' min='-1 -1 -1' max='1 4 5'", -7 * 12, 0, 0);
    expect_sum(TRIANGLES,
               "SurfacePressureForceField name='field' pressure='7' triangleIndices='2 3' mainDirection='0 3 -0.5'", 0,
               0, 0.5 * 7 * 6);
    expect_sum(TRIANGLES,
               "SurfacePressureForceField name='field' pressure='7' triangleIndices='2 3' "
               "volumeConservationMode='1' defaultVolume='48'", /* of the two triangles: 6 x 4 / 3 */
               0, 0, 7 * 6 * 48.0 / 8.0);
    expect_sum(QUADS,
               "SurfacePressureForceField name='field' pressure='7' quadIndices='1' volumeConservationMode='1' "
               "defaultVolume='48'",
               0, 0, 7 * 6 * 48.0 / 8.0);
    expect_sum(TRIANGLES, "TrianglePressureForceField name='field' pressure='1 2 3' triangleList='2'", 3, 6, 9);
    expect_sum(TRIANGLES, "TrianglePressureForceField name='field' pressure='1 2 3' triangleList='2 2 6'", 12, 24, 36);
    expect_sum(TRIANGLES,
               "TrianglePressureForceField name='field' useConstantForce='0' triangleList='2 3' "
               "cauchyStress='1 2 3 2 4 5 3 5 6'",
               6 * 3, 6 * 5, 6 * 6);
    expect_sum(QUADS, "QuadPressureForceField name='field' pressure='1 2 3' quadList='3'", 12, 24, 36);
    expect_sum(QUADS, "QuadPressureForceField name='field' pressure='1 2 3' normal='0 0 2' dmin='7' dmax='9'", 6, 12,
               18);
    /* along the diagonal the points are at 0 2 5 3 4 6 9 7: from 3.5 on there is the lid, from 6.5 on one edge */
    expect_sum(QUADS, "QuadPressureForceField name='field' pressure='1 2 3' normal='1 1 1' dmin='3.5' dmax='9.5'", 6,
               12, 18);
    expect_sum(QUADS, "EdgePressureForceField name='field' pressure='1 2 3' normal='1 1 1' dmin='6.5' dmax='9.5'", 2, 4,
               6);
    expect_sum(QUADS, "EdgePressureForceField name='field' pressure='1 2 3' edges='1 0 4 5'", 4, 8, 12);
    expect_sum(QUADS, "EdgePressureForceField name='field' pressure='1 2 3' normal='1 0 1' dmin='5.5' dmax='6.5'", 3, 6,
               9);
    expect_sum(QUADS, "EdgePressureForceField name='field' edges='0 1 1 2' p_intensity='5 7' binormal='0 0 2'", -7 * 3,
               5 * 2, 0); /* z x t: of (2 0 0) is y, of (0 3 0) is -x */
}

/* Without a binormal a border is pushed inwards, whatever the direction of the edge. */
static void borders_are_pushed_inwards(void **state)
{
    (void)state;
    static Forces f;
    static const char *const edges[] = {"0 1", "1 0"};
    for (int i = 0; i < 2; i++) {
        DvText text = {0};
        dv_text_add(
            &text,
            "<Node><TriangleSetTopologyContainer position='0 0 0 2 0 0 0 2 0' triangles='0 1 2' edges='%s 1 2 2 0'/>" DOFS
            "<EdgePressureForceField name='field' edgeIndices='0' p_intensity='3'/></Node>",
            edges[i]);
        forces_of(text.at, &f);
        assert_close(f.at[0][1], 3.0, 1e-15);
        assert_close(f.at[0][4], 3.0, 1e-15);
        assert_close(f.at[0][7], 0.0, 0.0);
        dv_text_free(&text);
    }
}

/* The triangles may be those of a mesh above the edges, past one that has none. */
static void inwards_is_where_a_mesh_above_has_triangles(void **state)
{
    (void)state;
#define POINTS "position='0 0 0 2 0 0 0 2 0'"
    static const char *const between[] = {"", "<MeshTopology/>"}, *const edges[] = {"0 1", "1 0"};
    static Forces f;
    for (int empty = 0; empty < 2; empty++)
        for (int side = 0; side < 2; side++) {
            DvText text = {0};
            dv_text_add(
                &text,
                "<Node><MechanicalObject name='dofs' template='Vec3d' " POINTS "/><Node name='a'><MeshTopology " POINTS
                " triangles='0 1 2'/><Node name='b'>%s<Node name='c'><EdgeSetTopologyContainer name='edges' " POINTS
                " edges='%s'/></Node></Node></Node>"
                "<EdgePressureForceField name='field' topology='@a/b/c/edges' edgeIndices='0' p_intensity='3'/></Node>",
                between[empty], edges[side]);
            forces_of(text.at, &f);
            for (int p = 0; p < 3; p++)
                assert_close(f.at[0][3 * p + 1], p < 2 ? 3.0 : 0.0, 1e-15);
            dv_text_free(&text);
        }
#undef POINTS
}

/* Each border of two triangles, whatever the order of their points and of its ends; an edge between them along its own left side. */
static void every_border_is_pushed_inwards(void **state)
{
    (void)state;
    static const char *const triangles[] = {"0 1 2 1 3 2", "1 2 0 3 2 1", "2 0 1 2 1 3", "0 2 1 2 3 1"};
    static const double at[4][2] = {{0, 0}, {3, 0}, {0, 4}, {3, 4}}, middle[2] = {1.5, 2};
    static const uint32_t edges[5][2] = {{0, 1}, {2, 0}, {1, 3}, {3, 2}, {1, 2}};
    static Forces f;
    for (int order = 0; order < 4; order++)
        for (int edge = 0; edge < 5; edge++)
            for (int side = 0; side < 2; side++) {
                const uint32_t a = edges[edge][side], b = edges[edge][1 - side];
                DvText text = {0};
                dv_text_add(
                    &text,
                    "<Node><TriangleSetTopologyContainer position='0 0 0 3 0 0 0 4 0 3 4 0' triangles='%s'/>" DOFS
                    "<EdgePressureForceField name='field' edges='%u %u' p_intensity='6'/></Node>",
                    triangles[order], a, b);
                forces_of(text.at, &f);
                dv_text_free(&text);
                const double along[2] = {at[b][0] - at[a][0], at[b][1] - at[a][1]};
                double force[2] = {-3 * along[1], 3 * along[0]}; /* half of 6 N/m on its length, to the left */
                const double inwards = force[0] * (middle[0] - at[a][0]) + force[1] * (middle[1] - at[a][1]);
                const bool known = edge < 4; /* of the one between, the mesh decides which way it runs */
                for (uint32_t p = 0; p < 4; p++)
                    for (uint32_t c = 0; c < 3; c++) {
                        const double value = f.at[0][3 * p + c];
                        const double expected =
                            (p == a || p == b) && c < 2 ? (inwards < 0.0 ? -force[c] : force[c]) : 0.0;
                        assert_close(known ? value : fabs(value), known ? expected : fabs(expected), 1e-14);
                    }
            }
}

static void pulses_rise_and_fall_between_their_bounds(void **state)
{
    (void)state;
    DvScene *scene =
        scene_from_text("<Node>" TRIANGLES DOFS "<SurfacePressureForceField name='field' pressure='0.5' "
                        "pulseMode='1' pressureLowerBound='0.1' pressureSpeed='20' triangleIndices='2 3'/></Node>");
    const double expected[] = {0.2, 0.4, 0.5, 0.3, 0.1, 0.3, 0.5}; /* dt is 0.01 */
    static Forces f;
    for (size_t i = 0; i < sizeof expected / sizeof *expected + 2; i++) {
        const size_t at = i % (sizeof expected / sizeof *expected); /* a reset begins anew */
        if (i > 0 && at == 0)
            dv_scene_reset(scene);
        forces_at_time(scene, 0.0, &f);
        double sum = 0.0;
        for (int p = 0; p < 8; p++)
            sum += f.at[0][3 * p + 2];
        assert_close(sum, 6.0 * expected[at], 1e-12);
    }
    dv_scene_free(scene);
}

/* The volume that is kept is the first one, of quads that are not flat as well: of each as two triangles, 0 1 2 and 0 2 3. A body
 * s times as large is pressed by a pressure 1 / s^3 times as large. */
static void the_first_volume_is_kept(void **state)
{
    (void)state;
    static const uint32_t quads[6][4] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4},
                                         {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};
    DvScene *scene = scene_from_text("<Node>" QUADS DOFS "<SurfacePressureForceField name='field' pressure='7' "
                                     "volumeConservationMode='1'/></Node>");
    DvVec x = dv_state_write(scene_state(scene, "/dofs"), DV_POSITION, DV_READ_WRITE);
    x.at[3 * 6 + 2] += 1.0;
    x.at[3 * 1] -= 0.5;
    double volume = 0.0;
    for (int q = 0; q < 6; q++)
        for (int half = 1; half < 3; half++) {
            const DvVec3 a = dv_vec3_load(x.at + 3 * quads[q][0]), b = dv_vec3_load(x.at + 3 * quads[q][half]),
                         c = dv_vec3_load(x.at + 3 * quads[q][half + 1]);
            volume += dv_vec3_dot(dv_vec3_cross(a, b), c) / 6.0;
        }
    static Forces f, larger;
    forces_at_time(scene, 0.0, &f);
    for (int i = 0; i < 24; i++)
        x.at[i] *= 2.0;
    forces_at_time(scene, 0.0, &larger);
    for (int i = 0; i < 24; i++)
        assert_close(larger.at[0][i], f.at[0][i] * 4.0 / 8.0, 1e-12);
    dv_data_set_double(dv_object_field(scene_object(scene, "/field"), "defaultVolume"), 3.0 * volume);
    forces_at_time(scene, 0.0, &larger);
    for (int i = 0; i < 24; i++)
        assert_close(larger.at[0][i], f.at[0][i] * 4.0 * 3.0 / 8.0, 1e-12);
    dv_scene_free(scene);
}

/* The box loses its lid of two triangles, a list keeps what it named; parts of a loaded triangle are loaded. */
static void loads_stay_with_their_elements(void **state)
{
    (void)state;
    static const char *const fields[] = {
        "<TrianglePressureForceField name='field' pressure='0 0 5' triangleList='1 2'/>",
        "<SurfacePressureForceField name='field' pressure='5' triangleIndices='1 2'/>"};
    for (int i = 0; i < 2; i++) {
        DvText text = {0};
        dv_text_add(
            &text,
            "<Node><TriangleSetTopologyContainer name='topo' position='0 0 0 1 0 0 0 1 0 1 1 0 2 0 0' triangles='0 1 "
            "2 1 3 2 1 4 3'/><TriangleSetTopologyModifier name='modifier'/>" DOFS "%s</Node>",
            fields[i]);
        DvScene *scene = scene_from_text(text.at);
        DvObject *modifier = scene_object(scene, "/modifier");
        const DvTopologyModifierOps *ops = dv_object_ops(modifier, DV_TOPOLOGY_MODIFIER);
        void *self = dv_object_self(modifier);
        static Forces f[2];
        forces_at_time(scene, 0.0, &f[0]);
        assert_close(f[0].at[0][2], 0.0, 0.0);
        assert_true(f[0].at[0][14] > 0.1);
        assert_int_equal(ops->remove_elements(self, DV_TRIANGLES, 1, (const uint32_t[]){0}, false), DV_OK);
        forces_at_time(scene, 0.0, &f[1]);
        for (int c = 0; c < 15; c++)
            assert_close(f[1].at[0][c], f[0].at[0][c], 1e-15);
        /* triangle 1 4 3 is number 0 now; it is split at its middle, each part with it as ancestor */
        const uint32_t ancestors[3] = {0, 0, 0}, start[4] = {0, 1, 2, 3}, from[3] = {1, 4, 3}, one[2] = {0, 3};
        const double weights[3] = {0.25, 0.25, 0.5};
        const DvElementChange point = {.ancestors = from, .weights = weights, .ancestor_start = one};
        assert_int_equal(ops->add_points(self, 1, &point), DV_OK);
        const DvElementChange parts = {.ancestors = ancestors, .ancestor_start = start};
        assert_int_equal(
            ops->add_elements(self, DV_TRIANGLES, 3, (const uint32_t[]){1, 4, 5, 4, 3, 5, 3, 1, 5}, &parts), DV_OK);
        assert_int_equal(ops->remove_elements(self, DV_TRIANGLES, 1, (const uint32_t[]){0}, false), DV_OK);
        forces_at_time(scene, 0.0, &f[1]);
        double sum = 0.0;
        for (int p = 0; p < 6; p++)
            sum += f[1].at[0][3 * p + 2];
        assert_close(sum, 5.0, 1e-14); /* two triangles of area 0.5 */
        assert_true(f[1].at[0][17] > 0.1);
        dv_scene_free(scene);
        dv_text_free(&text);
    }
}

static void pressures_follow_edits(void **state)
{
    (void)state;
    forces_follow_edits(DV_TRIANGLES, "<SurfacePressureForceField name='field' pressure='3'/>", 30);
    forces_follow_edits(DV_QUADS, "<SurfacePressureForceField name='field' pressure='3'/>", 30);
}

/* The list of a mesh grows with it; what is loaded is what was in it at the start. */
static void linked_pairs_are_those_of_the_start(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node><EdgeSetTopologyContainer name='topo' position='0 0 0 1 0 0 1 1 0 0 1 0' edges='0 1 1 2'/>"
        "<EdgeSetTopologyModifier name='modifier'/>" DOFS
        "<EdgePressureForceField name='field' pressure='0 0 1' edges='@topo.edges'/></Node>");
    DvObject *modifier = scene_object(scene, "/modifier");
    const DvTopologyModifierOps *ops = dv_object_ops(modifier, DV_TOPOLOGY_MODIFIER);
    void *self = dv_object_self(modifier);
    static Forces f;
    for (int i = 0; i < 3; i++) {
        forces_at_time(scene, 0.0, &f);
        double sum = 0.0;
        for (int p = 0; p < 4; p++)
            sum += f.at[0][3 * p + 2];
        assert_close(sum, i == 2 ? 1.0 : 2.0, 1e-15);
        if (i == 0)
            assert_int_equal(ops->add_elements(self, DV_EDGES, 1, (const uint32_t[]){2, 3}, NULL), DV_OK);
        else
            assert_int_equal(ops->remove_elements(self, DV_EDGES, 1, (const uint32_t[]){0}, false), DV_OK);
    }
    dv_scene_free(scene);
}

/* A sheet of quads or triangles whose loads are told apart. */
#define SHEET(kind, elements)                                                                                  \
    "<Node><" kind "SetTopologyContainer name='topo' position='0 0 0 1 0 0 0 1 0 1 1 0 2 0 0 2 2 0' " elements \
    "/><" kind "SetTopologyModifier name='modifier'/><MechanicalObject name='dofs' template='Vec3d' "          \
    "position='0 0 0 1 0 0 0 1 0 1 1 0 2 0 0 2 2 0' rest_position='0 0 0.5 1 0 0 0 1 0 1 1 0 2 0 0 2 2 0.25'/>"
#define OF_TRIANGLES SHEET("Triangle", "triangles='0 1 2  1 3 2  1 4 3  3 4 5'")

typedef struct Loaded {
    const char *scene;
    DvElementKind kind;
} Loaded;
static const Loaded loaded[] = {
    {OF_TRIANGLES "<TrianglePressureForceField name='field' pressure='1 2 5' triangleList='3 1 2'/></Node>",
     DV_TRIANGLES},
    {OF_TRIANGLES "<SurfacePressureForceField name='field' pressure='5' triangleIndices='1 1 3'/></Node>",
     DV_TRIANGLES},
    {OF_TRIANGLES "<EdgePressureForceField name='field' p_intensity='1 2 3 4' edgeIndices='7 0 3 2'/></Node>",
     DV_TRIANGLES},
    {SHEET("Quad",
           "quads='0 1 3 2  1 4 5 3'") "<QuadPressureForceField name='field' pressure='1 2 5' quadList='1 0'/></Node>",
     DV_QUADS},
    {SHEET("Quad",
           "quads='0 1 3 2  1 4 5 3'") "<SurfacePressureForceField name='field' pressure='5' quadIndices='1'/></Node>",
     DV_QUADS},
    {OF_TRIANGLES "<ConstantForceField name='field' indices='4 0 5 1' forces='1 2 3 4 5 6 7 8 9 10 11 12'/></Node>",
     DV_TRIANGLES},
    {OF_TRIANGLES "<ConstantForceField name='field' forces='1 2 3 4 5 6 7 8 9 10 11 12 1 2 3 4 5 6'/></Node>",
     DV_TRIANGLES},
    {OF_TRIANGLES "<ConstantForceField name='field' indices='4 0 5 1' totalForce='1 2 3'/></Node>", DV_TRIANGLES},
    {OF_TRIANGLES "<RestShapeSpringsForceField name='field' points='5 0 2' stiffness='100 10 1'/></Node>",
     DV_TRIANGLES},
    {OF_TRIANGLES "<RestShapeSpringsForceField name='field' stiffness='1 2 4 8 16 32'/></Node>", DV_TRIANGLES},
};

static void expect_same_forces(DvScene *scene, const Forces *expected, uint32_t points)
{
    static Forces now;
    forces_at_time(scene, 0.0, &now);
    assert_int_equal(dv_state_count(scene_state(scene, "/dofs")), points);
    assert_memory_equal(now.at[0], expected->at[0], 3 * points * sizeof(double));
}

/* Also when a force is asked for in between, or when nothing is left of what was loaded. */
static void a_reset_puts_back_what_was_loaded(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof loaded / sizeof *loaded; i++)
        for (uint32_t round = 0; round < 4; round++) {
            DvScene *scene = scene_from_text(loaded[i].scene);
            DvObject *modifier = scene_object(scene, "/modifier");
            const DvTopologyModifierOps *ops = dv_object_ops(modifier, DV_TOPOLOGY_MODIFIER);
            static Forces first, between;
            forces_at_time(scene, 0.0, &first);
            for (uint32_t left = loaded[i].kind == DV_QUADS ? 2 : 4; left > round / 2; left--) {
                assert_int_equal(
                    ops->remove_elements(dv_object_self(modifier), loaded[i].kind, 1, (const uint32_t[]){0}, true),
                    DV_OK);
                if (round % 2)
                    forces_at_time(scene, 0.0, &between);
            }
            dv_scene_reset(scene);
            expect_same_forces(scene, &first, 6);
            dv_scene_free(scene);
        }
}

static void a_saved_scene_keeps_what_was_loaded(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof loaded / sizeof *loaded; i++)
        for (int asked = 0; asked < 2; asked++) {
            DvScene *scene = scene_from_text(loaded[i].scene), *again = NULL;
            DvObject *modifier = scene_object(scene, "/modifier");
            const DvTopologyModifierOps *ops = dv_object_ops(modifier, DV_TOPOLOGY_MODIFIER);
            static Forces now;
            assert_int_equal(
                ops->remove_elements(dv_object_self(modifier), loaded[i].kind, 1, (const uint32_t[]){0}, true), DV_OK);
            if (asked)
                forces_at_time(scene, 0.0, &now);
            char file[] = P_tmpdir "/divan-load-XXXXXX.scn";
            const int handle = mkstemps(file, 4);
            assert_true(handle >= 0);
            close(handle);
            assert_int_equal(dv_scene_save(scene, file), DV_OK);
            assert_int_equal(dv_scene_load(file, NULL, &again), DV_OK);
            unlink(file);
            forces_at_time(scene, 0.0, &now);
            double sum = 0.0;
            for (int k = 0; k < 18; k++)
                sum += fabs(now.at[0][k]);
            if (!(sum > 0.1))
                fail_msg("case %zu has no force", i);
            expect_same_forces(again, &now, dv_state_count(scene_state(scene, "/dofs")));
            dv_scene_free(again);
            dv_scene_free(scene);
        }
}

/* What a file says of loaded elements is taken whole or not at all: what cannot be of this mesh leaves the lists of the fields. */
static void what_does_not_fit_the_mesh_is_not_taken_from_a_file(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        OF_TRIANGLES "<TrianglePressureForceField name='field' pressure='1 2 5' triangleList='2 1'/></Node>");
    const DvTopologyModifierOps *ops = dv_object_ops(scene_object(scene, "/modifier"), DV_TOPOLOGY_MODIFIER);
    assert_int_equal(ops->remove_elements(dv_object_self(scene_object(scene, "/modifier")), DV_TRIANGLES, 1,
                                          (const uint32_t[]){1}, false),
                     DV_OK);
    char file[] = P_tmpdir "/divan-load-XXXXXX.scn", text[8192] = {0};
    const int handle = mkstemps(file, 4);
    assert_true(handle >= 0);
    close(handle);
    assert_int_equal(dv_scene_save(scene, file), DV_OK);
    FILE *saved = fopen(file, "r");
    assert_non_null(saved);
    assert_true(fread(text, 1, sizeof text - 1, saved) > 0);
    fclose(saved);
    dv_scene_free(scene);
    static const char name[] = "loadedElements=\"";
    char *value = strstr(text, name);
    assert_non_null(value);
    value += sizeof name - 1;
    const char *rest = strchr(value, '"');
    assert_non_null(rest);
    /* of triangle 1 4 3, and of 3 4 5 that has taken the number of the one that has gone */
    const double listed = 0.5 + 0.5 * sqrt(4.125);
    const struct {
        const char *value;
        double area;
    } cases[] = {
        {"1 1 0 1 0.5", 0.5},
        {"2 1 0 1 0.5 0 1 2 0.75", 2.0},
        {"1 1 0 1 0.5 7", listed},
        {"1 1 0 1", listed},
        {"2 1 0 1 0.5", listed},
        {"0 1 0 1 0.5", listed},
        {"1 3 0 1 0.5", listed},
        {"2 0 0 1 0.5 0 1 1 0.5", listed},
        {"1 -1 0 1 0.5", listed},
        {"1 4294967295 0 1 0.5", listed},
        {"1 4294967297 0 1 0.5", listed},
        {"1 1 -1 1 0.5", listed},
        {"1 1 4294967295 1 0.5", listed},
        {"1 1 4294967296 1 0.5", listed},
    };
    static Forces f;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        saved = fopen(file, "w");
        assert_non_null(saved);
        assert_true(fprintf(saved, "%.*s%s%s", (int)(value - text), text, cases[i].value, rest) > 0);
        assert_int_equal(fclose(saved), 0);
        assert_int_equal(dv_scene_load(file, NULL, &scene), DV_OK);
        forces_at_time(scene, 0.0, &f);
        dv_scene_free(scene);
        double sum = 0.0;
        for (int k = 2; k < 18; k += 3)
            sum += f.at[0][k];
        if (!(fabs(sum - 5.0 * cases[i].area) < 1e-13))
            fail_msg("'%s' gives a force of %.17g instead of %.17g", cases[i].value, sum, 5.0 * cases[i].area);
    }
    unlink(file);
}

static void mistakes_are_named(void **state)
{
    (void)state;
    expect_load_error("<Node>" TRIANGLES DOFS "<TrianglePressureForceField name='P' triangleList='1 12'/></Node>",
                      "triangleList[1]: no triangle 12: the mesh has 12, counted from 0");
    expect_load_error("<Node>" QUADS DOFS "<EdgePressureForceField name='P' edges='0 1 0 6'/></Node>",
                      "edges[1]: the mesh has no edge between points 0 and 6");
    expect_load_error("<Node>" QUADS DOFS "<SurfacePressureForceField name='P' quadIndices='6'/></Node>",
                      "quadIndices[0]: no quad 6: the mesh has 6, counted from 0");
}

/* A triangle of 0.5 m^2, 3 kg, 6 Pa: 1 m/s^2, so z = h^2 n (n + 1) / 2. The region is left after 0.12 m; the load goes on. */
static void loads_stay_on_the_elements_of_the_start(void **state)
{
    (void)state;
#define MOVING_ROI(topology, elements, load)                                                                  \
    "<Node name='root' gravity='0 0 0' dt='0.1'><DefaultAnimationLoop/><Node name='M'><EulerImplicitSolver/>" \
    "<CGLinearSolver iterations='10' tolerance='1e-12' threshold='1e-12'/>" topology                          \
    "<MechanicalObject name='dofs'/>" elements                                                                \
    "<BoxROI name='roi' position='@dofs.position' box='-1 -1 -0.12 2 2 0.12' " load "</Node></Node>"
#define ROUND "position='0 0 0  1 0 0  0 1 0'"
    static const char *const scenes[] = {
        MOVING_ROI(
            "<TriangleSetTopologyContainer name='topo' " ROUND " triangles='0 1 2'/>", "<UniformMass totalMass='3'/>",
            "triangles='@topo.triangles'/><TrianglePressureForceField pressure='0 0 6' triangleList='@roi.triangleIndices'/>"),
        MOVING_ROI("<QuadSetTopologyContainer name='topo' position='0 0 0  1 0 0  1 1 0  0 1 0' quads='0 1 2 3'/>",
                   "<UniformMass totalMass='3'/>",
                   "quads='@topo.quads'/><QuadPressureForceField pressure='0 0 3' quadList='@roi.quadIndices'/>"),
        MOVING_ROI("<EdgeSetTopologyContainer name='topo' position='0 0 0  1 0 0' edges='0 1'/>",
                   "<UniformMass totalMass='3'/>",
                   "edges='@topo.edges'/><EdgePressureForceField pressure='0 0 3' edgeIndices='@roi.edgeIndices'/>"),
        MOVING_ROI("<EdgeSetTopologyContainer name='topo' position='0 0 0  1 0 0' edges='0 1'/>",
                   "<UniformMass totalMass='3'/>",
                   "edges='@topo.edges'/><EdgePressureForceField pressure='0 0 3' edges='@roi.edgesInROI'/>"),
    };
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        DvScene *scene = scene_from_text(scenes[i]);
        for (int n = 1; n <= 10; n++) {
            assert_int_equal(dv_scene_step(scene, 0), DV_OK);
            const DvConstVec x = dv_state_read(scene_state(scene, "/M/dofs"), DV_POSITION);
            for (uint32_t p = 0; p < x.count; p++)
                if (!(fabs(x.at[3 * (size_t)p + 2] - 0.01 * n * (n + 1) / 2) < 1e-9))
                    fail_msg("scene %zu, step %d: z %.17g", i, n, x.at[3 * (size_t)p + 2]);
        }
        dv_scene_free(scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pressure_inside_a_closed_surface),
        cmocka_unit_test(pressure_on_an_open_surface),
        cmocka_unit_test(pressure_on_bodies),
        cmocka_unit_test(pressure_on_quads),
        cmocka_unit_test(triangle_pressure),
        cmocka_unit_test(loads_stay_on_the_elements_of_the_start),
        cmocka_unit_test(quad_pressure),
        cmocka_unit_test(edge_pressure),
        cmocka_unit_test(resultants_are_pressure_times_area),
        cmocka_unit_test(borders_are_pushed_inwards),
        cmocka_unit_test(inwards_is_where_a_mesh_above_has_triangles),
        cmocka_unit_test(every_border_is_pushed_inwards),
        cmocka_unit_test(pulses_rise_and_fall_between_their_bounds),
        cmocka_unit_test(the_first_volume_is_kept),
        cmocka_unit_test(loads_stay_with_their_elements),
        cmocka_unit_test(pressures_follow_edits),
        cmocka_unit_test(linked_pairs_are_those_of_the_start),
        cmocka_unit_test(a_reset_puts_back_what_was_loaded),
        cmocka_unit_test(a_saved_scene_keeps_what_was_loaded),
        cmocka_unit_test(what_does_not_fit_the_mesh_is_not_taken_from_a_file),
        cmocka_unit_test(mistakes_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, stop_plugins);
}
