/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * MeshMatrixMass with `consistent`: the exact matrix of quads and hexahedra against the closed form of a box and against a rule of
 * integration of another order, its definiteness on distorted elements, meshes that change, a free block; and what is said of the
 * matrix that couples edges alone.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <divan/contracts/topology.h>
#include <divan/divan.h>
#include <divan/math/vec.h>

#include "mass_conformance.h"
#include "scene_text.h"

#define HEAD "<Node name='root' gravity='1 -9.81 2'>"
#define BOX(mass)                                                                                                   \
    HEAD "<RegularGridTopology name='grid' n='3 2 2' min='0 0 0' max='2 1 3'/><MechanicalObject name='dofs'/>" mass \
         "</Node>"
/* Two hexahedra with one face in common, all faces warped. */
#define WARPED_POSITION \
    "0 0 0  1.1 0.1 -0.1  1.3 1 0.1  -0.2 0.9 0  0.1 0 1.2  0.9 -0.1 1  1 1.2 0.8  0 1 1.1  2.2 0 0.2  2 1.3 -0.1  2.4 0.1 1  1.9 0.8 1.3"
#define WARPED(mass)                                                                                          \
    HEAD "<HexahedronSetTopologyContainer name='mesh' position='" WARPED_POSITION                             \
         "' hexahedra='0 1 2 3 4 5 6 7  1 8 9 2 5 10 11 6'/><HexahedronSetTopologyModifier name='modifier'/>" \
         "<MechanicalObject name='dofs'/>" mass "</Node>"
#define QUADS(template_, mass)                                                                                              \
    HEAD                                                                                                                    \
        "<QuadSetTopologyContainer name='mesh' position='0 0 0 2 0.2 0 2.2 1.5 0 0 2 0 1.8 4 0 -0.3 3.6 0' quads='0 1 2 3 " \
        "3 2 4 5'/><QuadSetTopologyModifier name='modifier'/><MechanicalObject name='dofs' template='" template_            \
        "'/>" mass "</Node>"
#define MASS(attributes) "<MeshMatrixMass name='mass' consistent='1' " attributes "/>"

MASS_CONFORMANCE(a_box, .scene = BOX(MASS("massDensity='2'")), .total = 12)
MASS_CONFORMANCE(a_lumped_box, .scene = BOX(MASS("massDensity='2' lumping='1'")), .total = 12)
MASS_CONFORMANCE(a_box_of_a_given_mass, .scene = BOX(MASS("totalMass='7'")), .total = 7)
MASS_CONFORMANCE(warped_hexahedra, .scene = WARPED(MASS("massDensity='2 3'")))
MASS_CONFORMANCE(lumped_warped_hexahedra, .scene = WARPED(MASS("massDensity='2 3' lumping='1'")))
MASS_CONFORMANCE(quads_in_space, .scene = QUADS("Vec3d", MASS("massDensity='2'")))
MASS_CONFORMANCE(quads_in_the_plane, .scene = QUADS("Vec2d", MASS("massDensity='2'")), .no_momentum = true)

typedef struct Matrix {
    uint32_t n;
    double *at;
} Matrix;

/* M of one component. */
static Matrix matrix_of(const DvScene *scene)
{
    DvObject *mass = scene_object(scene, "/mass");
    const DvMassOps *ops = dv_object_ops(mass, DV_MASS);
    const DvStateRef state = scene_state(scene, "/dofs");
    const uint32_t n = dv_state_count(state), dim = state.dof->deriv;
    Matrix m = {n, calloc((size_t)n * n, sizeof(double))};
    double *unit = calloc((size_t)n * dim, sizeof *unit), *column = calloc((size_t)n * dim, sizeof *column);
    for (uint32_t j = 0; j < n; j++) {
        memset(column, 0, (size_t)n * dim * sizeof *column);
        unit[j * dim] = 1.0;
        ops->add_mdx(dv_object_self(mass), 1.0, (DvConstVec){unit, n, dim}, (DvVec){column, n, dim});
        unit[j * dim] = 0.0;
        for (uint32_t i = 0; i < n; i++)
            m.at[i * n + j] = column[i * dim];
    }
    free(unit);
    free(column);
    return m;
}

/* Cholesky: whether all pivots are positive, and the matrix not near one that is not. */
static bool is_positive_definite(Matrix m)
{
    double largest = 0.0;
    for (uint32_t i = 0; i < m.n; i++)
        largest = fmax(largest, m.at[i * m.n + i]);
    for (uint32_t k = 0; k < m.n; k++) {
        const double pivot = m.at[k * m.n + k];
        if (!(pivot > 1e-9 * largest))
            return false;
        for (uint32_t i = k + 1; i < m.n; i++)
            for (uint32_t j = k + 1; j < m.n; j++)
                m.at[i * m.n + j] -= m.at[i * m.n + k] * m.at[k * m.n + j] / pivot;
    }
    return true;
}

/* Of a box the matrix is the product of those of three bars, [1/3 1/6; 1/6 1/3], times its mass. */
static void a_box_has_the_matrix_of_the_closed_form(void **state)
{
    (void)state;
    static const int corner[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                     {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    DvScene *scene = scene_from_text(
        HEAD
        "<HexahedronSetTopologyContainer position='0 0 0 2 0 0 2 3 0 0 3 0 0 0 4 2 0 4 2 3 4 0 3 4' hexahedra='0 1 2 3 4 5 6 "
        "7'/><MechanicalObject name='dofs'/>" MASS("massDensity='5'") "</Node>");
    Matrix m = matrix_of(scene);
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++) {
            double expected = 5.0 * 24.0;
            for (int axis = 0; axis < 3; axis++)
                expected *= corner[i][axis] == corner[j][axis] ? 1.0 / 3.0 : 1.0 / 6.0;
            assert_true(fabs(m.at[8 * i + j] - expected) < 1e-13 * 120.0);
        }
    free(m.at);
    dv_scene_free(scene);
}

static double of_corner(int corner, const double at[3])
{
    static const int end[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                  {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    double n = 1.0;
    for (int axis = 0; axis < 3; axis++)
        n *= end[corner][axis] ? at[axis] : 1.0 - at[axis];
    return n;
}

static DvVec3 place_in(const double *x, const uint32_t nodes[8], const double at[3])
{
    DvVec3 p = dv_vec3_zero();
    for (int i = 0; i < 8; i++)
        p = dv_vec3_madd(p, of_corner(i, at), dv_vec3_load(x + 3 * nodes[i]));
    return p;
}

/* Five points along each axis instead of three, and differences instead of derivatives: of a function that is linear along an axis
 * they are the same. */
static void warped_hexahedra_have_the_matrix_of_another_rule(void **state)
{
    (void)state;
    static const double place[5] = {-0.9061798459386640, -0.5384693101056831, 0.0, 0.5384693101056831,
                                    0.9061798459386640},
                        weight[5] = {0.2369268850561891, 0.4786286704993665, 0.5688888888888889, 0.4786286704993665,
                                     0.2369268850561891};
    static const uint32_t nodes[2][8] = {{0, 1, 2, 3, 4, 5, 6, 7}, {1, 8, 9, 2, 5, 10, 11, 6}};
    DvScene *scene = scene_from_text(WARPED(MASS("massDensity='2 3'")));
    const double *x = dv_state_read(scene_state(scene, "/dofs"), DV_POSITION).at;
    double expected[12][12] = {{0}}, total = 0.0;
    for (int e = 0; e < 2; e++)
        for (int point = 0; point < 125; point++) {
            const int k[3] = {point % 5, point / 5 % 5, point / 25};
            double at[3], w = (e == 0 ? 2.0 : 3.0) / 8.0;
            DvVec3 slope[3];
            for (int axis = 0; axis < 3; axis++) {
                at[axis] = 0.5 + 0.5 * place[k[axis]];
                w *= weight[k[axis]];
            }
            for (int axis = 0; axis < 3; axis++) {
                double from[3] = {at[0], at[1], at[2]}, to[3] = {at[0], at[1], at[2]};
                from[axis] = 0.0;
                to[axis] = 1.0;
                slope[axis] = dv_vec3_sub(place_in(x, nodes[e], to), place_in(x, nodes[e], from));
            }
            w *= dv_vec3_dot(dv_vec3_cross(slope[0], slope[1]), slope[2]);
            total += w;
            for (int i = 0; i < 8; i++)
                for (int j = 0; j < 8; j++)
                    expected[nodes[e][i]][nodes[e][j]] += w * of_corner(i, at) * of_corner(j, at);
        }
    Matrix m = matrix_of(scene);
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 12; j++)
            assert_true(fabs(m.at[12 * i + j] - expected[i][j]) < 1e-13 * total);
    assert_true(fabs(dv_data_double(dv_object_field(scene_object(scene, "/mass"), "totalMass")) - total) <
                1e-13 * total);
    free(m.at);
    dv_scene_free(scene);
}

/* Of a plane quad cut into two triangles along either diagonal: its area, and the integrals of x over it by Green's theorem, which are
 * what the rows of M times x sum up to. */
static void a_quad_has_its_area_and_its_centre(void **state)
{
    (void)state;
    static const double x[4][2] = {{0, 0}, {2, 0.2}, {2.2, 1.5}, {0, 2}};
    DvScene *scene =
        scene_from_text(HEAD "<QuadSetTopologyContainer position='0 0 0 2 0.2 0 2.2 1.5 0 0 2 0' quads='0 1 2 3'/>"
                             "<MechanicalObject name='dofs'/>" MASS("massDensity='3'") "</Node>");
    Matrix m = matrix_of(scene);
    double area = 0.0, moment[2] = {0, 0}, sum = 0.0, first[2] = {0, 0};
    for (int i = 0; i < 4; i++) {
        const double *a = x[i], *b = x[(i + 1) % 4], cross = a[0] * b[1] - a[1] * b[0];
        area += 0.5 * cross;
        for (int c = 0; c < 2; c++)
            moment[c] += (a[c] + b[c]) * cross / 6.0;
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            sum += m.at[4 * i + j];
            for (int c = 0; c < 2; c++)
                first[c] += m.at[4 * i + j] * x[j][c];
        }
    assert_true(fabs(sum - 3.0 * area) < 1e-13);
    assert_true(fabs(first[0] - 3.0 * moment[0]) < 1e-13 && fabs(first[1] - 3.0 * moment[1]) < 1e-13);
    free(m.at);
    dv_scene_free(scene);
}

static void the_matrix_is_positive_definite(void **state)
{
    (void)state;
    static const struct {
        const char *scene;
        bool definite;
    } cases[] = {
        {BOX(MASS("massDensity='2'")), true},
        {WARPED(MASS("massDensity='2'")), true},
        {QUADS("Vec3d", MASS("massDensity='2'")), true},
        {QUADS("Vec2d", MASS("massDensity='2'")), true},
        /* a hexahedron of which two corners are one point, one that is turned inside out, quads against the clock */
        {HEAD
         "<HexahedronSetTopologyContainer position='0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 1 1 1' hexahedra='0 1 2 3 4 5 6 6'/>"
         "<MechanicalObject name='dofs'/>" MASS("massDensity='2'") "</Node>",
         true},
        {HEAD
         "<HexahedronSetTopologyContainer position='0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 1 1 1 0 1 1' hexahedra='4 5 6 7 0 1 2 "
         "3'/><MechanicalObject name='dofs'/>" MASS("massDensity='2'") "</Node>",
         true},
        {HEAD "<QuadSetTopologyContainer position='0 0 0 1 0 0 1 1 0 0 1 0' quads='0 3 2 1'/>"
              "<MechanicalObject name='dofs' template='Vec2d'/>" MASS("massDensity='2'") "</Node>",
         true},
        /* along edges alone */
        {BOX("<MeshMatrixMass name='mass' massDensity='2'/>"), false},
        {QUADS("Vec3d", "<MeshMatrixMass name='mass' massDensity='2'/>"), false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        DvScene *scene = scene_from_text(cases[i].scene);
        Matrix m = matrix_of(scene);
        if (is_positive_definite(m) != cases[i].definite)
            fail_msg("case %zu", i);
        free(m.at);
        dv_scene_free(scene);
    }
}

static void collect(const DvMessage *message, void *context)
{
    if (message->level < DV_LEVEL_WARNING)
        return;
    dv_message_print(message, context);
    dv_text_add(context, "\n");
}

/* Of exactly the meshes whose matrix is not. */
static void a_matrix_that_is_not_definite_is_told(void **state)
{
    (void)state;
    static const struct {
        const char *scene, *part;
    } cases[] = {
        {BOX("<MeshMatrixMass name='mass' massDensity='2'/>"), "of -2.4 kg"}, /* 12 kg (8 / 20 - 24 / 40) */
        {QUADS("Vec3d", "<MeshMatrixMass name='mass' massDensity='2'/>"), "of 0 kg"},
        {WARPED(
             "<MeshMatrixMass name='mass' vertexMass='1 1 1 1 1 1 1 1 1 1 1 1' edgeMass='1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 "
             "1'/>"),
         "of -28 kg"}, /* 12 - 2 * 20 */
        {BOX("<MeshMatrixMass name='mass' massDensity='2' lumping='1'/>"), NULL},
        {BOX(MASS("massDensity='2'")), NULL},
        {HEAD "<TetrahedronSetTopologyContainer position='0 0 0 2 0 0 0 3 0 0 0 1 2 3 1' tetrahedra='0 1 2 3 1 2 3 4'/>"
              "<MechanicalObject name='dofs'/><MeshMatrixMass name='mass' massDensity='2'/></Node>",
         NULL},
        {HEAD "<TriangleSetTopologyContainer position='0 0 0 2 0 0 2 2 0 0 2 0' triangles='0 1 2 0 2 3'/>"
              "<MechanicalObject name='dofs'/><MeshMatrixMass name='mass' massDensity='2'/></Node>",
         NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        DvText said = {0};
        dv_log_set_handler(collect, &said);
        DvScene *scene = scene_from_text(cases[i].scene);
        dv_log_set_handler(NULL, NULL);
        if (cases[i].part ? !said.at || !strstr(said.at, cases[i].part) || !strstr(said.at, "not positive definite")
                          : said.at != NULL)
            fail_msg("case %zu: %s", i, said.at ? said.at : "nothing");
        dv_scene_free(scene);
        dv_text_free(&said);
    }
}

static double number(const DvScene *scene, const char *name)
{
    return dv_data_double(dv_object_field(scene_object(scene, "/mass"), name));
}

/* The fields show the diagonal and what lies along edges. */
static void the_fields_show_the_matrix(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(BOX(MASS("massDensity='2'")));
    size_t count;
    const double *point = dv_data_doubles(dv_object_field(scene_object(scene, "/mass"), "vertexMass"), &count);
    assert_int_equal(count, 12);
    assert_true(fabs(point[0] - 6.0 / 27.0) < 1e-14 && fabs(point[1] - 2 * 6.0 / 27.0) < 1e-14);
    DvObject *grid = scene_object(scene, "/grid");
    const DvTopologyOps *ops = dv_object_ops(grid, DV_TOPOLOGY);
    const DvElements edges = ops->elements(dv_object_self(grid), DV_EDGES);
    const double *edge = dv_data_doubles(dv_object_field(scene_object(scene, "/mass"), "edgeMass"), &count);
    assert_int_equal(count, edges.count);
    Matrix m = matrix_of(scene);
    for (uint32_t e = 0; e < edges.count; e++)
        assert_true(edge[e] == m.at[edges.at[2 * e] * m.n + edges.at[2 * e + 1]]);
    free(m.at);
    /* Other densities and sums are followed; a result that is written is made again. */
    assert_int_equal(dv_data_set_text(dv_object_field(scene_object(scene, "/mass"), "massDensity"), "4"), DV_OK);
    m = matrix_of(scene);
    assert_true(fabs(m.at[0] - 12.0 / 27.0) < 1e-14 && fabs(number(scene, "totalMass") - 24.0) < 1e-13);
    free(m.at);
    dv_data_set_double(dv_object_field(scene_object(scene, "/mass"), "totalMass"), 6.0);
    assert_int_equal(dv_data_set_text(dv_object_field(scene_object(scene, "/mass"), "vertexMass"), "9"), DV_OK);
    m = matrix_of(scene);
    assert_true(fabs(m.at[0] - 3.0 / 27.0) < 1e-14 && fabs(number(scene, "massDensity") - 1.0) < 1e-14);
    free(m.at);
    dv_scene_free(scene);
}

/* ---- Meshes that change */

static void remove_element(const DvScene *scene, DvElementKind kind, uint32_t element)
{
    DvObject *modifier = scene_object(scene, "/modifier");
    const DvTopologyModifierOps *ops = dv_object_ops(modifier, DV_TOPOLOGY_MODIFIER);
    assert_int_equal(ops->remove_elements(dv_object_self(modifier), kind, 1, &element, true), DV_OK);
}

static void add_element(const DvScene *scene, DvElementKind kind, const uint32_t *nodes)
{
    DvObject *modifier = scene_object(scene, "/modifier");
    const DvTopologyModifierOps *ops = dv_object_ops(modifier, DV_TOPOLOGY_MODIFIER);
    assert_int_equal(ops->add_elements(dv_object_self(modifier), kind, 1, nodes, NULL), DV_OK);
}

static void assert_same_matrix(const DvScene *scene, const char *expected_text)
{
    DvScene *expected_scene = scene_from_text(expected_text);
    Matrix m = matrix_of(scene), expected = matrix_of(expected_scene);
    assert_int_equal(m.n, expected.n);
    for (uint32_t i = 0; i < m.n * m.n; i++)
        assert_true(fabs(m.at[i] - expected.at[i]) < 1e-14);
    assert_true(fabs(number(scene, "totalMass") - number(expected_scene, "totalMass")) < 1e-13);
    free(m.at);
    free(expected.at);
    dv_scene_free(expected_scene);
}

/* Removed, the first hexahedron takes points 0, 3, 4 and 7 along: the last four points get their numbers, from the back. */
static void an_element_takes_its_matrix_with_it(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(WARPED(MASS("massDensity='2 3'")));
    const double with_both = number(scene, "totalMass");
    remove_element(scene, DV_HEXAHEDRA, 0);
    Matrix one = matrix_of(scene);
    assert_int_equal(one.n, 8);
    assert_true(is_positive_definite(one));
    const double second = number(scene, "totalMass");
    assert_true(second < with_both);
    size_t count;
    const double *density = dv_data_doubles(dv_object_field(scene_object(scene, "/mass"), "massDensity"), &count);
    assert_true(count == 1 && density[0] == 3.0);

    /* What is moved afterwards keeps the mass that it had. */
    double *x = dv_state_write(scene_state(scene, "/dofs"), DV_POSITION, DV_READ_WRITE).at;
    for (int i = 0; i < 24; i++)
        x[i] *= 2.0;
    DvObject *mesh = scene_object(scene, "/mesh");
    const DvTopologyOps *ops = dv_object_ops(mesh, DV_TOPOLOGY);
    uint32_t nodes[8];
    memcpy(nodes, ops->elements(dv_object_self(mesh), DV_HEXAHEDRA).at, sizeof nodes);
    add_element(scene, DV_HEXAHEDRA,
                nodes); /* another one in the same place, eight times as large, of the first one's density */
    Matrix two = matrix_of(scene);
    assert_true(fabs(number(scene, "totalMass") - 9.0 * second) < 1e-12);
    remove_element(scene, DV_HEXAHEDRA, 0); /* the small one: the large one takes its number */
    Matrix large = matrix_of(scene);
    assert_true(fabs(number(scene, "totalMass") - 8.0 * second) < 1e-12);
    Matrix once = {8, calloc(64, sizeof(double))};
    for (int i = 0; i < 64; i++)
        once.at[i] = two.at[i] - large.at[i] / 8.0;
    for (int i = 0; i < 64; i++)
        assert_true(fabs(large.at[i] - once.at[i]) < 1e-13);
    free(one.at), free(two.at), free(large.at), free(once.at);
    dv_scene_free(scene);
}

static void quads_follow_their_mesh(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(QUADS("Vec3d", MASS("totalMass='6'")));
    assert_true(fabs(number(scene, "totalMass") - 6.0) < 1e-14);
    const double density = number(scene, "massDensity");
    remove_element(scene, DV_QUADS, 1); /* with points 4 and 5 */
    char text[1024];
    (void)snprintf(
        text, sizeof text,
        HEAD "<QuadSetTopologyContainer position='0 0 0 2 0.2 0 2.2 1.5 0 0 2 0' quads='0 1 2 3'/>"
             "<MechanicalObject name='dofs'/><MeshMatrixMass name='mass' consistent='1' massDensity='%.17g'/></Node>",
        density);
    assert_same_matrix(scene, text);
    dv_scene_free(scene);
}

/* An edge that goes without its ends leaves the couplings of the others where they are, also of the matrix along edges. */
static void an_edge_goes_while_its_ends_stay(void **state)
{
    (void)state;
    static const char position[] = "position='0 0 0 2 0 0 0 3 0 0 0 1 2 3 1'";
    char text[512];
    (void)snprintf(text, sizeof text,
                   HEAD "<TetrahedronSetTopologyContainer name='mesh' %s tetrahedra='0 1 2 3 1 2 3 4 0 1 2 4'/>"
                        "<TetrahedronSetTopologyModifier name='modifier'/><MechanicalObject name='dofs'/>"
                        "<MeshMatrixMass name='mass' massDensity='2'/></Node>",
                   position);
    DvScene *scene = scene_from_text(text);
    remove_element(scene, DV_TETRAHEDRA, 0);
    (void)snprintf(text, sizeof text,
                   HEAD "<TetrahedronSetTopologyContainer name='mesh' %s tetrahedra='0 1 2 4 1 2 3 4'/>"
                        "<MechanicalObject name='dofs'/><MeshMatrixMass name='mass' massDensity='2'/></Node>",
                   position);
    assert_same_matrix(scene, text);
    dv_scene_free(scene);
}

/* ---- A free block */

#define FREE_BLOCK(ode, mass)                                                                      \
    "<Node name='root' gravity='0 0 0' dt='0.01'><DefaultAnimationLoop/>" ode "<SparseLDLSolver/>" \
    "<RegularGridTopology name='grid' n='3 3 4' max='0.2 0.3 0.4'/>"                               \
    "<MechanicalObject name='dofs'/>" mass                                                         \
    "<HexahedronFEMForceField method='small' youngModulus='1e4' poissonRatio='0.3'/>"              \
    "</Node>"
#define IMPLICIT "<EulerImplicitSolver rayleighStiffness='0' rayleighMass='0'/>"

static double *velocities(const DvScene *scene)
{
    return dv_state_write(scene_state(scene, "/dofs"), DV_VELOCITY, DV_READ_WRITE).at;
}

static double kinetic_energy(const DvScene *scene)
{
    DvObject *mass = scene_object(scene, "/mass");
    const DvMassOps *ops = dv_object_ops(mass, DV_MASS);
    return ops->kinetic_energy(dv_object_self(mass), dv_state_read(scene_state(scene, "/dofs"), DV_VELOCITY));
}

static void momentum(const DvScene *scene, double sum[6])
{
    DvObject *mass = scene_object(scene, "/mass");
    const DvMassOps *ops = dv_object_ops(mass, DV_MASS);
    const DvStateRef state = scene_state(scene, "/dofs");
    memset(sum, 0, 6 * sizeof *sum);
    ops->momentum(dv_object_self(mass), dv_state_read(state, DV_POSITION), dv_state_read(state, DV_VELOCITY), sum);
}

static void steps(DvScene *scene, int count)
{
    for (int i = 0; i < count; i++)
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
}

/* Implicit steps only lose energy where M is positive definite, and keep the momentum. Neighbours start against each other, which
 * is what runs away without. */
static void a_free_block_loses_energy_and_keeps_its_momentum(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(FREE_BLOCK(IMPLICIT, MASS("massDensity='1000'")));
    steps(scene, 20);
    for (int i = 0; i < 108; i++)
        assert_true(fabs(velocities(scene)[i]) < 1e-12); /* at rest it stays */
    for (int p = 0; p < 36; p++) {
        velocities(scene)[3 * p] = 0.1 * ((p % 3 + p / 3 % 3 + p / 9) % 2 ? 1 : -1) + 0.05;
        velocities(scene)[3 * p + 1] = 0.03 * sin(p);
    }
    double before[6], after[6], energy = kinetic_energy(scene);
    momentum(scene, before);
    const double first = energy;
    for (int i = 0; i < 100; i++) {
        steps(scene, 1);
        assert_true(kinetic_energy(scene) < 1.001 * first);
        energy = kinetic_energy(scene);
    }
    momentum(scene, after);
    for (int c = 0; c < 3; c++)
        assert_true(fabs(after[c] - before[c]) < 1e-10);
    /* what is left is the motion of the whole: p^2 / 2m at least, 24 kg */
    assert_true(energy > (after[0] * after[0] + after[1] * after[1]) / 48.0 - 1e-12);
    dv_scene_free(scene);
}

static double elastic_energy(const DvScene *scene)
{
    DvObject *field = scene_object(scene, "/HexahedronFEMForceField1");
    const DvForceFieldOps *ops = dv_object_ops(field, DV_FORCE_FIELD);
    const DvStep step = {.dt = 0.01, .position = DV_POSITION, .velocity = DV_VELOCITY};
    const DvConstVec x = dv_state_read(scene_state(scene, "/dofs"), DV_POSITION);
    return ops->energy(dv_object_self(field), &step, &x);
}

/* Symplectic steps: the energy of the oscillation stays where it is within the order of the step. */
static void a_free_block_oscillates_with_its_energy(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(FREE_BLOCK("<EulerExplicitSolver/>", MASS("massDensity='1000'")));
    for (int p = 0; p < 36; p++) {
        const int layer = p / 9;
        velocities(scene)[3 * p + 2] = 0.01 * (layer - 1.5); /* a stretch */
    }
    dv_data_set_double(dv_object_field(scene_object(scene, "/"), "dt"), 1e-3);
    const double start = kinetic_energy(scene);
    double least = INFINITY, most = 0.0, still = INFINITY;
    for (int i = 0; i < 2000; i++) {
        steps(scene, 1);
        const double kinetic = kinetic_energy(scene), sum = kinetic + elastic_energy(scene);
        least = fmin(least, sum);
        most = fmax(most, sum);
        still = fmin(still, kinetic);
    }
    assert_true(still < 0.1 * start); /* it did oscillate */
    assert_true(least > 0.95 * start && most < 1.05 * start);
    dv_scene_free(scene);
}

static void mistakes_are_named(void **state)
{
    (void)state;
    expect_load_error(BOX(MASS("vertexMass='1 1 1 1 1 1 1 1 1 1 1 1' edgeMass='1'")),
                      "MeshMatrixMass 'mass': consistent: the exact matrix follows from the elements");
    DvText said = {0};
    DvScene *scene = scene_from_text(BOX(MASS("massDensity='2'")));
    dv_data_set_bool(dv_object_field(scene_object(scene, "/mass"), "consistent"), false);
    dv_log_set_handler(collect, &said);
    (void)kinetic_energy(scene);
    (void)kinetic_energy(scene);
    dv_log_set_handler(NULL, NULL);
    assert_non_null(said.at);
    const char *first = strstr(said.at, "it cannot change while the scene runs and stays true");
    assert_non_null(first);
    assert_null(strstr(first + 1, "it cannot change"));
    dv_text_free(&said);
    dv_scene_free(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box),
        cmocka_unit_test(a_lumped_box),
        cmocka_unit_test(a_box_of_a_given_mass),
        cmocka_unit_test(warped_hexahedra),
        cmocka_unit_test(lumped_warped_hexahedra),
        cmocka_unit_test(quads_in_space),
        cmocka_unit_test(quads_in_the_plane),
        cmocka_unit_test(a_box_has_the_matrix_of_the_closed_form),
        cmocka_unit_test(warped_hexahedra_have_the_matrix_of_another_rule),
        cmocka_unit_test(a_quad_has_its_area_and_its_centre),
        cmocka_unit_test(the_matrix_is_positive_definite),
        cmocka_unit_test(a_matrix_that_is_not_definite_is_told),
        cmocka_unit_test(the_fields_show_the_matrix),
        cmocka_unit_test(an_element_takes_its_matrix_with_it),
        cmocka_unit_test(quads_follow_their_mesh),
        cmocka_unit_test(an_edge_goes_while_its_ends_stay),
        cmocka_unit_test(a_free_block_loses_energy_and_keeps_its_momentum),
        cmocka_unit_test(a_free_block_oscillates_with_its_energy),
        cmocka_unit_test(mistakes_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, stop_plugins);
}
