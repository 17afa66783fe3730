/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * UniformMass, DiagonalMass and MeshMatrixMass: the conformance suite for each kind of points and elements, totals against
 * closed forms, priorities of the fields, files, and changes of the topology.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <divan/contracts/topology.h>

#include "mass_conformance.h"
#include "scene_text.h"

#define WITH_STATE(template_, position, mass)                                                                          \
    "<Node name='root' gravity='1 -9.81 2'><MechanicalObject name='dofs' template='" template_ "' position='" position \
    "'/>" mass "</Node>"
#define BODIES       "1 2 3 0 0 0 1   0 1 0 0.5 0.5 0.5 0.5   2 0 0 0 0.6 0 0.8"
#define FULL_INERTIA "2 1 [0.4 0.1 0, 0.1 0.5 0.05, 0 0.05 0.6]"

MASS_CONFORMANCE(a_uniform_mass_of_points,
                 .scene = WITH_STATE("Vec3d", "0 0 0 1 0 0 0 2 0", "<UniformMass name='mass' totalMass='6'/>"),
                 .total = 6)
MASS_CONFORMANCE(a_uniform_mass_of_some_points,
                 .scene = WITH_STATE("Vec3d", "0 0 0 1 0 0 0 2 0",
                                     "<UniformMass name='mass' vertexMass='2' indices='2 0'/>"),
                 .total = 4)
MASS_CONFORMANCE(a_uniform_mass_on_a_line,
                 .scene = WITH_STATE("Vec1d", "0 1 3", "<UniformMass name='mass' vertexMass='2'/>"), .total = 6,
                 .no_momentum = true)
MASS_CONFORMANCE(a_uniform_mass_in_the_plane,
                 .scene = WITH_STATE("Vec2d", "0 1 3 2", "<UniformMass name='mass' vertexMass='2'/>"), .total = 4,
                 .no_momentum = true)
MASS_CONFORMANCE(a_uniform_mass_of_six_components,
                 .scene = WITH_STATE("Vec6d", "0 1 3 2 1 1 1 2 3 4 5 6", "<UniformMass name='mass' vertexMass='2'/>"),
                 .total = 4)
MASS_CONFORMANCE(a_uniform_mass_of_bodies,
                 .scene = WITH_STATE("Rigid3d", BODIES, "<UniformMass name='mass' vertexMass='" FULL_INERTIA "'/>"),
                 .total = 6)
MASS_CONFORMANCE(a_uniform_mass_of_bodies_in_the_plane,
                 .scene = WITH_STATE("Rigid2d", "0 1 0.3 2 1 1", "<UniformMass name='mass' vertexMass='2 1 0.3'/>"),
                 .total = 4, .no_momentum = true)
MASS_CONFORMANCE(a_diagonal_mass_of_bodies,
                 .scene = WITH_STATE("Rigid3d", BODIES,
                                     "<DiagonalMass name='mass' vertexMass='" FULL_INERTIA " 3 1 1 0 0 0 1 0 0 0 1'/>"),
                 .total = 8)

#define CUBE(mass)                                                                                               \
    "<Node name='root' gravity='1 -9.81 2'><RegularGridTopology name='grid' n='3 2 2' min='0 0 0' max='2 1 3'/>" \
    "<MechanicalObject name='dofs'/>" mass "</Node>"
#define TETRAHEDRA(mass)                                                                                                           \
    "<Node name='root' gravity='1 -9.81 2'><TetrahedronSetTopologyContainer name='mesh' position='0 0 0 2 0 0 0 3 0 0 0 1 2 3 1' " \
    "tetrahedra='0 1 2 3 1 2 3 4'/><TetrahedronSetTopologyModifier name='modifier'/><MechanicalObject name='dofs'/>" mass          \
    "</Node>"
#define TRIANGLES(template_, mass)                                                                                        \
    "<Node name='root' gravity='1 -9.81 2'><TriangleSetTopologyContainer name='mesh' position='0 0 0 2 0 0 2 2 0 0 2 0' " \
    "triangles='0 1 2 0 2 3'/><MechanicalObject name='dofs' template='" template_ "'/>" mass "</Node>"
#define EDGES(mass)                                                                                                              \
    "<Node name='root' gravity='1 -9.81 2'><EdgeSetTopologyContainer name='mesh' position='0 0 0 2 0 0 2 3 0' edges='0 1 1 2'/>" \
    "<MechanicalObject name='dofs'/>" mass "</Node>"

/* Volume 6; of the tetrahedra: 1 and |det(e1 e2 e3)| / 6 with e from point 1: (-2 3 0) (-2 0 1) (0 3 1): 12/6 = 2 */
MASS_CONFORMANCE(a_diagonal_mass_of_hexahedra, .scene = CUBE("<DiagonalMass name='mass' massDensity='2'/>"),
                 .total = 12)
MASS_CONFORMANCE(a_diagonal_mass_of_tetrahedra, .scene = TETRAHEDRA("<DiagonalMass name='mass' massDensity='2'/>"),
                 .total = 6)
MASS_CONFORMANCE(a_diagonal_mass_of_triangles,
                 .scene = TRIANGLES("Vec3d", "<DiagonalMass name='mass' massDensity='2'/>"), .total = 8)
MASS_CONFORMANCE(a_diagonal_mass_of_triangles_in_the_plane,
                 .scene = TRIANGLES("Vec2d", "<DiagonalMass name='mass' massDensity='2'/>"), .total = 8,
                 .no_momentum = true)
MASS_CONFORMANCE(a_diagonal_mass_of_edges, .scene = EDGES("<DiagonalMass name='mass' massDensity='2'/>"), .total = 10)
MASS_CONFORMANCE(a_matrix_mass_of_hexahedra, .scene = CUBE("<MeshMatrixMass name='mass' massDensity='2'/>"),
                 .total = 12)
MASS_CONFORMANCE(a_matrix_mass_of_tetrahedra, .scene = TETRAHEDRA("<MeshMatrixMass name='mass' massDensity='2'/>"),
                 .total = 6)
MASS_CONFORMANCE(a_matrix_mass_of_triangles,
                 .scene = TRIANGLES("Vec3d", "<MeshMatrixMass name='mass' massDensity='2'/>"), .total = 8)
MASS_CONFORMANCE(a_lumped_matrix_mass, .scene = CUBE("<MeshMatrixMass name='mass' totalMass='7' lumping='1'/>"),
                 .total = 7)

#define QUADS(template_, mass)                                                                                                    \
    "<Node name='root' gravity='1 -9.81 2'><QuadSetTopologyContainer name='mesh' position='0 0 0 2 0 0 2 2 0 0 2 0 2 4 0 0 4 0' " \
    "quads='0 1 2 3 3 2 4 5'/><MechanicalObject name='dofs' template='" template_ "'/>" mass "</Node>"
MASS_CONFORMANCE(a_diagonal_mass_of_quads, .scene = QUADS("Vec3d", "<DiagonalMass name='mass' massDensity='2'/>"),
                 .total = 16)
MASS_CONFORMANCE(a_matrix_mass_of_quads, .scene = QUADS("Vec3d", "<MeshMatrixMass name='mass' massDensity='2'/>"),
                 .total = 16)
MASS_CONFORMANCE(a_lumped_matrix_mass_of_quads,
                 .scene = QUADS("Vec3d", "<MeshMatrixMass name='mass' massDensity='2' lumping='1'/>"), .total = 16)
MASS_CONFORMANCE(a_lumped_matrix_mass_of_hexahedra,
                 .scene = CUBE("<MeshMatrixMass name='mass' massDensity='2' lumping='1'/>"), .total = 12)
MASS_CONFORMANCE(a_lumped_matrix_mass_of_tetrahedra,
                 .scene = TETRAHEDRA("<MeshMatrixMass name='mass' massDensity='2' lumping='1'/>"), .total = 6)
MASS_CONFORMANCE(a_lumped_matrix_mass_of_triangles,
                 .scene = TRIANGLES("Vec3d", "<MeshMatrixMass name='mass' massDensity='2' lumping='1'/>"), .total = 8)

/* Elements of a grid are there from the end of parsing on: the components that use them may be written before it. */
#define BEFORE_THE_GRID(mass)                                                    \
    "<Node name='root' gravity='1 -9.81 2'><MechanicalObject name='dofs'/>" mass \
    "<RegularGridTopology name='grid' n='3 2 2' min='0 0 0' max='2 1 3'/></Node>"
MASS_CONFORMANCE(a_matrix_mass_before_its_grid,
                 .scene = BEFORE_THE_GRID("<MeshMatrixMass name='mass' massDensity='2'/>"), .total = 12)
MASS_CONFORMANCE(a_diagonal_mass_before_its_grid,
                 .scene = BEFORE_THE_GRID("<DiagonalMass name='mass' massDensity='2'/>"), .total = 12)

static double *field_values(DvScene *scene, const char *path, const char *name, size_t count)
{
    size_t n;
    const double *values = dv_data_doubles(dv_object_field(scene_object(scene, path), name), &n);
    assert_int_equal(n, count);
    return (double *)(uintptr_t)values;
}

static double number(DvScene *scene, const char *name)
{
    return dv_data_double(dv_object_field(scene_object(scene, "/mass"), name));
}

/* A field of the mass of density 1 on a mesh. */
static double mass_with(const char *mesh, const char *mass, const char *field)
{
    char text[1024];
    (void)snprintf(text, sizeof text,
                   "<Node name='root'><%s/><MechanicalObject name='dofs'/><%s name='mass' massDensity='1'/></Node>",
                   mesh, mass);
    DvScene *scene = scene_from_text(text);
    const double value = number(scene, field);
    dv_scene_free(scene);
    return value;
}

/* Faces that are not plane: which diagonal cuts them is seen in the measure. */
static void quads_and_hexahedra_are_cut_where_they_are_said_to_be(void **state)
{
    (void)state;
    static const char *const masses[] = {"DiagonalMass", "MeshMatrixMass"};
    for (size_t m = 0; m < 2; m++) {
        /* Of the unit square point 2 is raised by 1. Cut from 0 to 2, the halves are |(1 0 0) x (1 1 1)| / 2 = sqrt(2) / 2 each; from
         * 1 to 3 they would be 1/2 and sqrt(3) / 2. */
        assert_true(fabs(mass_with("QuadSetTopologyContainer position='0 0 0 1 0 0 1 1 1 0 1 0' quads='0 1 2 3'",
                                   masses[m], "totalMass") -
                         sqrt(2.0)) < 1e-14);
        /* Of the unit cube a corner beside the diagonal of a face moves out by 0.6: a tetrahedron of base 1/2 comes on top. On the
         * diagonal it would be two of them. Diagonals: 1-3 below, 5-7 above, 0-5 and 3-6 across y, 0-7 and 1-6 across x. */
        static const char *const cubes[] = {
            "0 0 0 1 0 0 1 1 -0.6 0 1 0 0 0 1 1 0 1 1 1 1 0 1 1", "0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 1 1 1.6 0 1 1",
            "0 0 0 1 -0.6 0 1 1 0 0 1 0 0 0 1 1 0 1 1 1 1 0 1 1", "0 0 0 1 0 0 1 1.6 0 0 1 0 0 0 1 1 0 1 1 1 1 0 1 1",
            "0 0 0 1 0 0 1 1 0 -0.6 1 0 0 0 1 1 0 1 1 1 1 0 1 1", "0 0 0 1 0 0 1.6 1 0 0 1 0 0 0 1 1 0 1 1 1 1 0 1 1"};
        for (size_t i = 0; i < sizeof cubes / sizeof *cubes; i++) {
            char mesh[512];
            (void)snprintf(mesh, sizeof mesh,
                           "HexahedronSetTopologyContainer position='%s' hexahedra='0 1 2 3 4 5 6 7'", cubes[i]);
            assert_true(fabs(mass_with(mesh, masses[m], "totalMass") - (1.0 + 0.6 / 6.0)) < 1e-14);
        }
    }
}

/* A lumped mass of one element is shared by its corners alike: L times the diagonal of the consistent one. */
static void lumping_shares_an_element_alike(void **state)
{
    (void)state;
    static const struct {
        const char *mesh;
        double share; /* of a mass of density 1 */
    } cases[] = {
        {"<TriangleSetTopologyContainer position='0 0 0 2 0 0 0 3 0' triangles='0 1 2'/>", 3.0 / 3.0},
        {"<QuadSetTopologyContainer position='0 0 0 2 0 0 2 3 0 0 3 0' quads='0 1 2 3'/>", 6.0 / 4.0},
        {"<TetrahedronSetTopologyContainer position='0 0 0 2 0 0 0 3 0 0 0 4' tetrahedra='0 1 2 3'/>", 4.0 / 4.0},
        {"<HexahedronSetTopologyContainer position='0 0 0 2 0 0 2 3 0 0 3 0 0 0 4 2 0 4 2 3 4 0 3 4' "
         "hexahedra='0 1 2 3 4 5 6 7'/>",
         24.0 / 8.0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1024];
        (void)snprintf(text, sizeof text,
                       "<Node name='root'>%s<MechanicalObject name='dofs'/>"
                       "<MeshMatrixMass name='mass' massDensity='1' lumping='1'/></Node>",
                       cases[i].mesh);
        DvScene *scene = scene_from_text(text);
        DvObject *object = scene_object(scene, "/mass");
        const DvMassOps *ops = dv_object_ops(object, DV_MASS);
        for (uint32_t point = 0; point < dv_state_count(scene_state(scene, "/dofs")); point++)
            assert_true(fabs(ops->point_mass(dv_object_self(object), point) - cases[i].share) < 1e-14);
        dv_scene_free(scene);
    }
}

static double mass_of_point(DvScene *scene, uint32_t point)
{
    DvObject *object = scene_object(scene, "/mass");
    return ((const DvMassOps *)dv_object_ops(object, DV_MASS))->point_mass(dv_object_self(object), point);
}

static void the_mass_of_a_point_follows_from_the_sum_and_back(void **state)
{
    (void)state;
    DvScene *scene =
        scene_from_text(WITH_STATE("Vec3d", "0 0 0 1 0 0 0 2 0", "<UniformMass name='mass' totalMass='6'/>"));
    DvObject *mass = scene_object(scene, "/mass");
    assert_true(field_values(scene, "/mass", "vertexMass", 1)[0] == 2.0);
    dv_data_set_double(dv_object_field(mass, "totalMass"), 9.0);
    assert_true(mass_of_point(scene, 1) == 3.0);
    assert_true(field_values(scene, "/mass", "vertexMass", 1)[0] == 3.0);
    dv_scene_free(scene);
    scene = scene_from_text(WITH_STATE("Vec3d", "0 0 0 1 0 0 0 2 0", "<UniformMass name='mass' vertexMass='2'/>"));
    assert_true(number(scene, "totalMass") == 6.0);
    assert_int_equal(dv_data_set_text(dv_object_field(scene_object(scene, "/mass"), "vertexMass"), "5"), DV_OK);
    assert_true(mass_of_point(scene, 0) == 5.0);
    assert_true(number(scene, "totalMass") == 15.0);
    dv_scene_free(scene);
}

static void the_sum_counts_when_both_are_given(void **state)
{
    (void)state;
    DvScene *scene =
        scene_from_text(WITH_STATE("Vec3d", "0 0 0 1 0 0", "<UniformMass name='mass' vertexMass='7' totalMass='6'/>"));
    assert_true(mass_of_point(scene, 0) == 3.0);
    dv_scene_free(scene);
}

static void a_range_names_the_points(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(WITH_STATE("Vec3d", "0 0 0 1 0 0 0 2 0 1 1 1 2 2 2",
                                                "<UniformMass name='mass' vertexMass='2' localRange='1 2'/>"));
    assert_true(mass_of_point(scene, 0) == 0.0 && mass_of_point(scene, 1) == 2.0 && mass_of_point(scene, 2) == 2.0);
    assert_true(mass_of_point(scene, 3) == 0.0);
    assert_true(number(scene, "totalMass") == 4.0);
    dv_scene_free(scene);
}

static void old_names_of_the_mass_are_understood(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(WITH_STATE("Vec3d", "0 0 0 1 0 0", "<UniformMass name='mass' totalmass='6'/>"));
    assert_true(mass_of_point(scene, 0) == 3.0);
    dv_scene_free(scene);
    scene = scene_from_text(WITH_STATE("Rigid3d", BODIES, "<UniformMass name='mass' mass='3 1 [1 0 0,0 2 0,0 0 3]'/>"));
    const double *numbers = field_values(scene, "/mass", "vertexMass", 11);
    assert_true(numbers[0] == 3.0 && numbers[2] == 1.0 && numbers[6] == 2.0 && numbers[10] == 3.0);
    dv_scene_free(scene);
}

static const char *write_file(const char *name, const char *text)
{
    static char path[128];
    (void)snprintf(path, sizeof path, P_tmpdir "/divan-%ld-%s", (long)getpid(), name);
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    assert_true(fputs(text, out) >= 0);
    assert_int_equal(fclose(out), 0);
    return path;
}

static void a_rigid_file_gives_mass_and_inertia(void **state)
{
    (void)state;
    const char *path =
        write_file("a.rigid", "Xsp 3.0\nvertexMass 5\nvolm 8.7\n# a remark\ninrt 1 0 0 0 2 0 0 0 3\ncenter 0.1 0 0\n");
    char text[512];
    (void)snprintf(text, sizeof text,
                   "<Node name='root'><MechanicalObject name='dofs' template='Rigid3d' position='" BODIES
                   "'/><UniformMass name='mass' filename='%s' totalMass='99'/></Node>",
                   path);
    DvScene *scene = scene_from_text(text);
    const double *numbers = field_values(scene, "/mass", "vertexMass", 11);
    assert_true(numbers[0] == 5.0 && numbers[2] == 1.0 && numbers[6] == 2.0 && numbers[10] == 3.0);
    assert_true(number(scene, "totalMass") == 15.0);
    dv_scene_free(scene);
    assert_int_equal(unlink(path), 0);
}

static void an_xsp_file_gives_the_masses_of_points(void **state)
{
    (void)state;
    const char *path = write_file(
        "a.xs3", "Xsp 3.0\nnumm 2\nnums 0\ngrav 0 0 0\nmass 1 s 0 0 0 0 0 0 0.5 0\nmass 2 s 1 0 0 0 0 0 0.25 0\n");
    char text[512];
    (void)snprintf(
        text, sizeof text,
        "<Node name='root'><MechanicalObject name='dofs' position='0 0 0 1 0 0'/><DiagonalMass name='mass' fileMass='%s'/></Node>",
        path);
    DvScene *scene = scene_from_text(text);
    assert_true(mass_of_point(scene, 0) == 0.5 && mass_of_point(scene, 1) == 0.25);
    assert_true(number(scene, "totalMass") == 0.75);
    dv_scene_free(scene);
    assert_int_equal(unlink(path), 0);
}

static void a_diagonal_mass_fills_in_what_was_not_given(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(TETRAHEDRA("<DiagonalMass name='mass' totalMass='6'/>"));
    assert_true(fabs(number(scene, "massDensity") - 2.0) < 1e-14);
    dv_scene_free(scene);
    scene = scene_from_text(
        TETRAHEDRA("<DiagonalMass name='mass' massDensity='2' vertexMass='1'/>")); /* the density counts */
    assert_true(fabs(number(scene, "totalMass") - 6.0) < 1e-14);
    dv_scene_free(scene);
    scene = scene_from_text(TETRAHEDRA("<DiagonalMass name='mass' vertexMass='1 2'/>")); /* the last value goes on */
    assert_true(number(scene, "totalMass") == 9.0);
    assert_true(mass_of_point(scene, 4) == 2.0);
    assert_true(fabs(number(scene, "massDensity") - 3.0) < 1e-14);
    dv_scene_free(scene);
    scene = scene_from_text(TETRAHEDRA("<DiagonalMass name='mass'/>")); /* one kilogramme */
    assert_true(fabs(mass_of_point(scene, 0) - 1.0 / 12.0) < 1e-15);
    dv_scene_free(scene);
}

static void measures_are_those_of_the_rest_positions_unless_told(void **state)
{
    (void)state;
    static const char text[] =
        "<Node name='root'><EdgeSetTopologyContainer name='mesh' position='0 0 0 1 0 0' edges='0 1'/>"
        "<MechanicalObject name='dofs' position='0 0 0 5 0 0' rest_position='0 0 0 3 0 0'/><DiagonalMass name='mass' massDensity='2'%s/></Node>";
    char with[512];
    (void)snprintf(with, sizeof with, text, "");
    DvScene *scene = scene_from_text(with);
    assert_true(number(scene, "totalMass") == 6.0);
    dv_scene_free(scene);
    (void)snprintf(with, sizeof with, text, " computeMassOnRest='0'");
    scene = scene_from_text(with);
    assert_true(number(scene, "totalMass") == 10.0);
    dv_scene_free(scene);
}

static void densities_may_differ_from_element_to_element(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(TETRAHEDRA("<MeshMatrixMass name='mass' massDensity='1 10'/>"));
    assert_true(fabs(number(scene, "totalMass") - 21.0) < 1e-13);
    dv_scene_free(scene);
}

static void masses_of_points_and_edges_may_be_given(void **state)
{
    (void)state;
    DvScene *scene =
        scene_from_text(TRIANGLES("Vec3d", "<MeshMatrixMass name='mass' vertexMass='1 2 3 4' edgeMass='1 1 1 1 1'/>"));
    assert_true(number(scene, "totalMass") == 20.0);
    dv_scene_free(scene);
    scene = scene_from_text(TRIANGLES("Vec3d", "<MeshMatrixMass name='mass' vertexMass='1 2 3 4' lumping='1'/>"));
    assert_true(mass_of_point(scene, 3) == 8.0);
    dv_scene_free(scene);
    scene = scene_from_text(
        TRIANGLES("Vec3d", "<MeshMatrixMass name='mass' vertexMass='1 2 3 4'/>")); /* edges are missing */
    assert_true(fabs(number(scene, "totalMass") - 1.0) < 1e-15);
    dv_scene_free(scene);
}

static void the_sum_of_a_matrix_mass_is_kept_when_asked(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(TETRAHEDRA("<MeshMatrixMass name='mass' massDensity='2' printMass='1'/>"));
    assert_true(fabs(field_values(scene, "/mass", "graph", 1)[0] - 6.0) < 1e-14);
    dv_scene_free(scene);
}

static void collect(const DvMessage *message, void *context)
{
    if (message->level >= DV_LEVEL_WARNING) {
        dv_message_print(message, context);
        dv_text_add(context, "\n");
    }
}

/* Numbers that do not fit the mesh are told, and the total mass of 1 kg is used. */
static void numbers_of_the_wrong_count_are_told(void **state)
{
    (void)state;
    static const struct {
        const char *fields, *part; /* NULL: they are right */
        double total;
    } cases[] = {
        {"massDensity='2 3 4'", "3 densities for 2 elements", 1.0},
        {"massDensity='2 3 4'", "give one for all, or one for each; totalMass is used", 1.0},
        {"massDensity='2 3'", NULL, 2.0 * 1.0 + 3.0 * 2.0},
        {"vertexMass='1 2 3 4' lumping='1'", "4 masses of points and 0 of edges, but the mesh has 5 points and 9 edges",
         1.0},
        {"vertexMass='1 2 3 4 5' lumping='1'", NULL, 2.5 * 15.0},
        {"vertexMass='1 2 3 4 5' edgeMass='1 1 1 1 1 1 1 1'", "5 masses of points and 8 of edges", 1.0},
        {"vertexMass='1 2 3 4 5' edgeMass='1 1 1 1 1 1 1 1 2'", NULL, 15.0 + 2.0 * 10.0},
        {"totalMass='3' massDensity='7'", "totalMass is used", 3.0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        DvText text = {0}, said = {0};
        dv_text_add(&text, "%.*s<MeshMatrixMass name='mass' %s/></Node>",
                    (int)(strlen(TETRAHEDRA("")) - strlen("</Node>")), TETRAHEDRA(""), cases[i].fields);
        dv_log_set_handler(collect, &said);
        DvScene *scene = scene_from_text(text.at);
        dv_log_set_handler(NULL, NULL);
        if (cases[i].part ? !said.at || !strstr(said.at, cases[i].part) : said.at != NULL)
            fail_msg("%s: expected %s, got %s", cases[i].fields, cases[i].part ? cases[i].part : "nothing",
                     said.at ? said.at : "nothing");
        if (fabs(number(scene, "totalMass") - cases[i].total) > 1e-13)
            fail_msg("%s: %.17g instead of %g kg", cases[i].fields, number(scene, "totalMass"), cases[i].total);
        dv_scene_free(scene);
        dv_text_free(&text);
        dv_text_free(&said);
    }
}

/* ---- Changes of the topology ---- */

static double sum_of_points(DvScene *scene)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < dv_state_count(scene_state(scene, "/dofs")); i++)
        sum += mass_of_point(scene, i);
    return sum;
}

static void remove_first_tetrahedron(DvScene *scene)
{
    DvObject *modifier = scene_object(scene, "/modifier");
    const DvTopologyModifierOps *ops = dv_object_ops(modifier, DV_TOPOLOGY_MODIFIER);
    assert_non_null(ops);
    const uint32_t first = 0;
    assert_int_equal(ops->remove_elements(dv_object_self(modifier), DV_TETRAHEDRA, 1, &first, true), DV_OK);
}

static void add_a_tetrahedron(DvScene *scene)
{
    DvObject *modifier = scene_object(scene, "/modifier");
    const DvTopologyModifierOps *ops = dv_object_ops(modifier, DV_TOPOLOGY_MODIFIER);
    const uint32_t nodes[4] = {0, 1, 2, 3};
    assert_int_equal(ops->add_elements(dv_object_self(modifier), DV_TETRAHEDRA, 1, nodes, NULL), DV_OK);
}

static void an_element_takes_its_mass_with_it(void **state)
{
    (void)state;
    static const char *const masses[] = {
        "<DiagonalMass name='mass' massDensity='2'/>", "<DiagonalMass name='mass' totalMass='6'/>",
        "<MeshMatrixMass name='mass' massDensity='2'/>", "<MeshMatrixMass name='mass' totalMass='6' lumping='1'/>"};
    for (size_t i = 0; i < sizeof masses / sizeof *masses; i++) {
        char text[1024];
        (void)snprintf(text, sizeof text, "%.*s%s</Node>", (int)(strlen(TETRAHEDRA("")) - strlen("</Node>")),
                       TETRAHEDRA(""), masses[i]);
        DvScene *scene = scene_from_text(text);
        assert_true(fabs(sum_of_points(scene) - 6.0) < 1e-13);
        remove_first_tetrahedron(scene); /* volume 1, with point 0, which is its own */
        assert_int_equal(dv_state_count(scene_state(scene, "/dofs")), 4);
        assert_true(fabs(sum_of_points(scene) - 4.0) < 1e-13);
        assert_true(fabs(number(scene, "totalMass") - 4.0) < 1e-13);
        add_a_tetrahedron(scene); /* the same as the one that is left */
        assert_true(fabs(sum_of_points(scene) - 8.0) < 1e-13);
        dv_scene_free(scene);
    }
}

static void a_uniform_mass_follows_the_points(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(TETRAHEDRA("<UniformMass name='mass' totalMass='10'/>"));
    remove_first_tetrahedron(scene);
    assert_true(fabs(number(scene, "totalMass") - 8.0) < 1e-13);
    assert_true(mass_of_point(scene, 3) == 2.0);
    dv_scene_free(scene);
    scene = scene_from_text(TETRAHEDRA("<UniformMass name='mass' totalMass='10' preserveTotalMass='1'/>"));
    remove_first_tetrahedron(scene);
    assert_true(mass_of_point(scene, 3) == 2.5);
    dv_scene_free(scene);
    scene = scene_from_text(
        TETRAHEDRA("<UniformMass name='mass' vertexMass='1' indices='4'/>")); /* point 4 becomes point 0 */
    remove_first_tetrahedron(scene);
    assert_true(mass_of_point(scene, 0) == 1.0 && sum_of_points(scene) == 1.0);
    dv_scene_free(scene);
}

/* ---- Mistakes ---- */

static void mistakes_are_named(void **state)
{
    (void)state;
    expect_load_error("<Node name='root'>\n<MechanicalObject/>\n<UniformMass name='m'/></Node>",
                      "scene.scn:3: UniformMass 'm': no mass is given: set totalMass or vertexMass");
    expect_load_error("<Node name='root'><MechanicalObject/>\n<UniformMass name='m' totalMass='-2'/></Node>",
                      "scene.scn:2:23: UniformMass 'm': totalMass: is -2 kg; it must be above 0");
    expect_load_error(
        "<Node name='root'><MechanicalObject/>\n<DiagonalMass name='m' totalMass='2'/></Node>",
        "scene.scn:2: DiagonalMass 'm': no topology in node '/' or above; add a topology container of the elements");
    expect_load_error(
        "<Node name='root'><MechanicalObject template='Rigid3d'/>\n<DiagonalMass name='m' totalMass='2'/></Node>",
        "scene.scn:2: DiagonalMass 'm': the masses of rigid bodies do not follow from elements: set vertexMass");
    expect_load_error(
        "<Node name='root'><TetrahedronSetTopologyContainer name='t' position='0 0 0'/><MechanicalObject/>\n"
        "<MeshMatrixMass name='m' totalMass='2'/></Node>",
        "scene.scn:2: MeshMatrixMass 'm': topology 't' is empty");
}

/* Edges a b c: inertia m (b^2 + c^2) / 12 about the first axis; in the plane m (a^2 + b^2) / 12. An inertia that is given wins. */
static void a_box_turns_by_its_edges(void **state)
{
    (void)state;
    static const struct {
        const char *dof, *position, *mass;
        uint32_t dim;
        double expected[3]; /* of the angular part */
    } boxes[] = {
        {"Rigid3d",
         "0 0 0 0 0 0 1",
         "UniformMass totalMass='3' extents='1 2 4'",
         6,
         {3 * 20 / 12., 3 * 17 / 12., 3 * 5 / 12.}},
        {"Rigid3d",
         "0 0 0 0 0 0 1",
         "UniformMass vertexMass='3' extents='1 2 4'",
         6,
         {3 * 20 / 12., 3 * 17 / 12., 3 * 5 / 12.}},
        {"Rigid3d",
         "0 0 0 0 0 0 1",
         "DiagonalMass vertexMass='3 1' extents='1 2 0'",
         6,
         {3 * 4 / 12., 3 * 1 / 12., 3 * 5 / 12.}},
        {"Rigid3d",
         "0 0 0 0 0 0 1",
         "UniformMass vertexMass='3 1 [1 0 0, 0 1 0, 0 0 2]' extents='1 2 4'",
         6,
         {3, 3, 6}},
        {"Rigid3d", "0 0 0 0 0 0 1", "UniformMass totalMass='3'", 6, {3, 3, 3}},
        {"Rigid2d", "0 0 0", "UniformMass totalMass='3' extents='1 2 0'", 3, {3 * 5 / 12.}},
        {"Rigid2d", "0 0 0", "DiagonalMass vertexMass='3' extents='1 2 0'", 3, {3 * 5 / 12.}},
    };
    for (size_t i = 0; i < sizeof boxes / sizeof *boxes; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "<Node><MechanicalObject name='dofs' template='%s' position='%s'/><%s name='mass'/></Node>",
                 boxes[i].dof, boxes[i].position, boxes[i].mass);
        DvScene *scene = scene_from_text(text);
        DvObject *mass = scene_object(scene, "/mass");
        const DvMassOps *ops = dv_object_ops(mass, DV_MASS);
        const uint32_t dim = boxes[i].dim, first = dim == 6 ? 3 : 2;
        for (uint32_t c = first; c < dim; c++) {
            double unit[6] = {0}, product[6] = {0};
            unit[c] = 1.0;
            ops->add_mdx(dv_object_self(mass), 1.0, (DvConstVec){unit, 1, dim}, (DvVec){product, 1, dim});
            assert_true(fabs(product[c] - boxes[i].expected[c - first]) < 1e-14);
        }
        dv_scene_free(scene);
    }
}

/* A torque of 0.01 N m turns a cube of 1 kg and 5 cm to 24 rad/s in a second. */
static void a_cube_of_five_centimetres_spins_up(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node name='root' gravity='0 0 0' dt='0.01'><DefaultAnimationLoop/><EulerImplicitSolver/><SparseLDLSolver "
        "template='CompressedRowSparseMatrixd'/><MechanicalObject name='dofs' template='Rigid3d' position='0 0 0 0 0 0 1'/>"
        "<UniformMass totalMass='1' extents='0.05 0.05 0.05'/><ConstantForceField forces='0 0 0 0 0 0.01'/></Node>");
    for (int i = 0; i < 100; i++)
        assert_int_equal(dv_scene_step(scene, 0.0), DV_OK);
    assert_true(fabs(dv_state_read(scene_state(scene, "/dofs"), DV_VELOCITY).at[5] - 24.0) < 1e-9);
    dv_scene_free(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_uniform_mass_of_points),
        cmocka_unit_test(a_uniform_mass_of_some_points),
        cmocka_unit_test(a_uniform_mass_on_a_line),
        cmocka_unit_test(a_uniform_mass_in_the_plane),
        cmocka_unit_test(a_uniform_mass_of_six_components),
        cmocka_unit_test(a_uniform_mass_of_bodies),
        cmocka_unit_test(a_uniform_mass_of_bodies_in_the_plane),
        cmocka_unit_test(a_diagonal_mass_of_bodies),
        cmocka_unit_test(a_diagonal_mass_of_hexahedra),
        cmocka_unit_test(a_diagonal_mass_of_tetrahedra),
        cmocka_unit_test(a_diagonal_mass_of_triangles),
        cmocka_unit_test(a_diagonal_mass_of_triangles_in_the_plane),
        cmocka_unit_test(a_diagonal_mass_of_edges),
        cmocka_unit_test(a_matrix_mass_of_hexahedra),
        cmocka_unit_test(a_matrix_mass_of_tetrahedra),
        cmocka_unit_test(a_matrix_mass_of_triangles),
        cmocka_unit_test(a_lumped_matrix_mass),
        cmocka_unit_test(a_matrix_mass_before_its_grid),
        cmocka_unit_test(a_diagonal_mass_before_its_grid),
        cmocka_unit_test(a_diagonal_mass_of_quads),
        cmocka_unit_test(a_matrix_mass_of_quads),
        cmocka_unit_test(a_lumped_matrix_mass_of_quads),
        cmocka_unit_test(a_lumped_matrix_mass_of_hexahedra),
        cmocka_unit_test(a_lumped_matrix_mass_of_tetrahedra),
        cmocka_unit_test(a_lumped_matrix_mass_of_triangles),
        cmocka_unit_test(quads_and_hexahedra_are_cut_where_they_are_said_to_be),
        cmocka_unit_test(lumping_shares_an_element_alike),
        cmocka_unit_test(the_mass_of_a_point_follows_from_the_sum_and_back),
        cmocka_unit_test(the_sum_counts_when_both_are_given),
        cmocka_unit_test(a_range_names_the_points),
        cmocka_unit_test(old_names_of_the_mass_are_understood),
        cmocka_unit_test(a_rigid_file_gives_mass_and_inertia),
        cmocka_unit_test(an_xsp_file_gives_the_masses_of_points),
        cmocka_unit_test(a_diagonal_mass_fills_in_what_was_not_given),
        cmocka_unit_test(measures_are_those_of_the_rest_positions_unless_told),
        cmocka_unit_test(densities_may_differ_from_element_to_element),
        cmocka_unit_test(masses_of_points_and_edges_may_be_given),
        cmocka_unit_test(the_sum_of_a_matrix_mass_is_kept_when_asked),
        cmocka_unit_test(numbers_of_the_wrong_count_are_told),
        cmocka_unit_test(an_element_takes_its_mass_with_it),
        cmocka_unit_test(a_uniform_mass_follows_the_points),
        cmocka_unit_test(a_box_turns_by_its_edges),
        cmocka_unit_test(a_cube_of_five_centimetres_spins_up),
        cmocka_unit_test(mistakes_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, stop_plugins);
}
