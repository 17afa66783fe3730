/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * FEMMass and NodalMassDensity: the conformance suite for each kind of element, mass, first and second moments of bodies whose density is
 * linear against their integrals, matrices of one element against closed forms, and meshes that change.
 */
#include "force_at.h"
#include "mass_conformance.h"
#include "unit_meshes.h"

#include <stdio.h>

#include <divan/contracts/mass.h>
#include <divan/contracts/topology.h>

#define EACH_KIND(kind, from) for (DvElementKind kind = (from); kind < DV_ELEMENT_KINDS; kind++)

static const double slope[3] = {0.5, 0.25, 0.75}; /* of the density, which is 1 at the origin */

static double density_at(const double x[3], uint32_t dimensions_)
{
    double rho = 1.0;
    for (uint32_t c = 0; c < dimensions_; c++)
        rho += slope[c] * x[c];
    return rho;
}

static void write_mass(DvElementKind kind, uint32_t space, const char *attributes, DvText *text)
{
    Mesh mesh;
    make_mesh(kind, &mesh);
    dv_text_add(text, "<Node name='root' gravity='1 -9.81 2'><MeshTopology name='mesh' position='");
    for (uint32_t i = 0; i < 3 * mesh.points; i++)
        dv_text_add(text, "%.17g ", mesh.x[i]);
    dv_text_add(text, "' %s='%s'/><MechanicalObject name='dofs' template='Vec%ud'/><NodalMassDensity property='",
                lists[kind], mesh.elements.at, space);
    for (uint32_t i = 0; i < mesh.points; i++)
        dv_text_add(text, "%.17g ", density_at(mesh.x + 3 * (size_t)i, dimensions[kind]));
    dv_text_add(text, "'/><FEMMass name='mass' template='Vec%ud,%s' %s/></Node>", space, words[kind], attributes);
    dv_text_free(&mesh.elements);
}

static double mass_of_unit(uint32_t dimensions_)
{
    double mass = 1.0;
    for (uint32_t c = 0; c < dimensions_; c++)
        mass += 0.5 * slope[c];
    return mass;
}

/* Every variant: edges on a line, in the plane and in space, triangles and quads in the plane and in space, solids. */
static void every_element_has_a_mass(void **state)
{
    (void)state;
    EACH_KIND(kind, DV_EDGES)
    for (uint32_t space = dimensions[kind]; space <= 3; space++)
        for (int consistent = 0; consistent < 2; consistent++) {
            DvText text = {0};
            write_mass(kind, space, consistent ? "consistent='1'" : "", &text);
            mass_conformance(&(MassConformance){.scene = text.at,
                                                .total = consistent ? mass_of_unit(dimensions[kind]) : 0.0,
                                                .no_momentum = space < 3});
            dv_text_free(&text);
        }
}

/* ---- Integrals ---- */

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

/* Integral of rho f g, of functions that are coordinates (0 1 2) or one (-1). */
static double moment(Matrix m, const double *x, uint32_t dim, int f, int g)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < m.n; i++)
        for (uint32_t j = 0; j < m.n; j++)
            sum +=
                (f < 0 ? 1.0 : x[i * dim + (uint32_t)f]) * m.at[i * m.n + j] * (g < 0 ? 1.0 : x[j * dim + (uint32_t)g]);
    return sum;
}

/* The same over the unit line, square or cube: product of integrals of powers. */
static double moment_of_unit(uint32_t dimensions_, int f, int g)
{
    double sum = 0.0;
    for (int term = -1; term < (int)dimensions_; term++) {
        double part = term < 0 ? 1.0 : slope[term];
        for (int c = 0; c < (int)dimensions_; c++)
            part /= 1.0 + (f == c) + (g == c) + (term == c);
        sum += part;
    }
    return sum;
}

static void mass_centre_and_inertia_are_those_of_the_body(void **state)
{
    (void)state;
    EACH_KIND(kind, DV_EDGES)
    for (uint32_t space = dimensions[kind]; space <= 3; space++) {
        DvText text = {0};
        write_mass(kind, space, "consistent='1'", &text);
        DvScene *scene = scene_from_text(text.at);
        const double *x = dv_state_read(scene_state(scene, "/dofs"), DV_POSITION).at;
        Matrix m = matrix_of(scene);
        for (int f = -1; f < (int)dimensions[kind]; f++)
            for (int g = -1; g <= f; g++)
                assert_close(moment(m, x, space, f, g), moment_of_unit(dimensions[kind], f, g), 2e-12);
        free(m.at);
        dv_text_free(&text);
        dv_scene_free(scene);
    }
}

/* By the few points: mass and centre where the density is the same everywhere, since the rules are exact for linear functions there. */
static void the_few_points_give_mass_and_centre_of_a_uniform_body(void **state)
{
    (void)state;
    EACH_KIND(kind, DV_EDGES)
    {
        DvText text = {0};
        write_mass(kind, 3, "", &text);
        DvScene *scene = scene_from_text(text.at);
        assert_int_equal(dv_data_set_text(dv_object_field(scene_object(scene, "/NodalMassDensity1"), "property"), "3"),
                         DV_OK);
        const double *x = dv_state_read(scene_state(scene, "/dofs"), DV_POSITION).at;
        Matrix m = matrix_of(scene);
        /* Of skew quads the first moment is of degree three, which is beyond their three points; eight points are enough. */
        assert_close(moment(m, x, 3, -1, -1), 3.0, 1e-10);
        for (int f = 0; kind != DV_QUADS && f < (int)dimensions[kind]; f++)
            assert_close(moment(m, x, 3, f, -1), 1.5, 1e-10);
        free(m.at);
        dv_text_free(&text);
        dv_scene_free(scene);
    }
}

/* ---- One element ---- */

#define ONE(container, position, elements, variant, more)                                                          \
    "<Node name='root' gravity='0 0 0'><" container "SetTopologyContainer name='mesh' position='" position         \
    "' " elements "/><" container "SetTopologyModifier name='modifier'/><MechanicalObject name='dofs'/>"           \
    "<NodalMassDensity name='density' property='2 4 6 8'/><FEMMass name='mass' template='Vec3d," variant "' " more \
    "/></Node>"

/* One point: every entry is rho V / n^2, with the mean of the densities. */
static void one_point_gives_every_entry_alike(void **state)
{
    (void)state;
    static const struct {
        const char *scene;
        double entry;
    } of[] = {
        {ONE("Edge", "0 0 0 3 0 4", "edges='0 1'", "Edge", ""), 3.0 * 5.0 / 4.0},
        {ONE("Triangle", "0 0 0 2 0 0 0 0 3", "triangles='0 1 2'", "Triangle", ""), 4.0 * 3.0 / 9.0},
        {ONE("Tetrahedron", "0 0 0 2 0 0 0 3 0 0 0 4", "tetrahedra='0 1 2 3'", "Tetrahedron", ""), 5.0 * 4.0 / 16.0},
    };
    for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
        DvScene *scene = scene_from_text(of[k].scene);
        Matrix m = matrix_of(scene);
        for (uint32_t i = 0; i < m.n * m.n; i++)
            assert_close(m.at[i], of[k].entry, 1e-14);
        free(m.at);
        dv_scene_free(scene);
    }
}

/* Of a box the matrix is the product of those of three bars, [1/3 1/6; 1/6 1/3], times its mass: eight points are enough. */
static void a_box_has_the_matrix_of_the_closed_form(void **state)
{
    (void)state;
    static const int corner[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                     {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    DvScene *scene = scene_from_text(ONE("Hexahedron", "0 0 0 2 0 0 2 3 0 0 3 0 0 0 4 2 0 4 2 3 4 0 3 4",
                                         "hexahedra='0 1 2 3 4 5 6 7'", "Hexahedron", ""));
    assert_int_equal(dv_data_set_text(dv_object_field(scene_object(scene, "/density"), "property"), "5"), DV_OK);
    for (int consistent = 0; consistent < 2; consistent++) {
        dv_data_set_bool(dv_object_field(scene_object(scene, "/mass"), "consistent"), consistent);
        Matrix m = matrix_of(scene);
        for (int i = 0; i < 8; i++)
            for (int j = 0; j < 8; j++) {
                double expected = 5.0 * 24.0;
                for (int axis = 0; axis < 3; axis++)
                    expected *= corner[i][axis] == corner[j][axis] ? 1.0 / 3.0 : 1.0 / 6.0;
                assert_close(m.at[8 * i + j], expected, consistent ? 1e-13 * 120.0 : 1e-11 * 120.0);
            }
        free(m.at);
    }
    dv_scene_free(scene);
}

/* Exact, of a tetrahedron with the same density everywhere: rho V / 20, twice that on the diagonal. */
static void an_exact_tetrahedron_has_the_matrix_of_the_closed_form(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        ONE("Tetrahedron", "0 0 0 2 0 0 0 3 0 0 0 4", "tetrahedra='0 1 2 3'", "Tetrahedron", "consistent='1'"));
    assert_int_equal(dv_data_set_text(dv_object_field(scene_object(scene, "/density"), "property"), "5"), DV_OK);
    Matrix m = matrix_of(scene);
    for (uint32_t i = 0; i < 16; i++)
        assert_close(m.at[i], i % 5 == 0 ? 2.0 : 1.0, 1e-14);
    free(m.at);
    dv_scene_free(scene);
}

/* ---- Meshes that change ---- */

#define TWO \
    ONE("Tetrahedron", "0 0 0 2 0 0 0 3 0 0 0 4 2 3 4", "tetrahedra='0 1 2 3 1 2 3 4'", "Tetrahedron", "consistent='1'")

/* What the scene would be if it were loaded as it is now, with the densities of now. */
static void assert_fresh(const DvScene *scene)
{
    DvText text = {0};
    DvObject *mesh = scene_object(scene, "/mesh");
    const DvTopologyOps *ops = dv_object_ops(mesh, DV_TOPOLOGY);
    const DvElements list = ops->elements(dv_object_self(mesh), DV_TETRAHEDRA);
    const DvConstVec x = dv_state_read(scene_state(scene, "/dofs"), DV_REST_POSITION);
    size_t count;
    const double *density = dv_data_doubles(dv_object_field(scene_object(scene, "/mass"), "pointDensities"), &count);
    assert_int_equal(count, x.count);
    dv_text_add(&text, "<Node name='root' gravity='0 0 0'><TetrahedronSetTopologyContainer position='");
    for (uint32_t i = 0; i < 3 * x.count; i++)
        dv_text_add(&text, "%.17g ", x.at[i]);
    dv_text_add(&text, "' tetrahedra='");
    for (uint32_t i = 0; i < 4 * list.count; i++)
        dv_text_add(&text, "%u ", list.at[i]);
    dv_text_add(&text, "'/><MechanicalObject name='dofs'/><NodalMassDensity property='");
    for (size_t i = 0; i < count; i++)
        dv_text_add(&text, "%.17g ", density[i]);
    dv_text_add(&text, "'/><FEMMass name='mass' template='Vec3d,Tetrahedron' consistent='1'/></Node>");
    DvScene *fresh = scene_from_text(text.at);
    Matrix m = matrix_of(scene), expected = matrix_of(fresh);
    assert_int_equal(m.n, expected.n);
    for (uint32_t i = 0; i < m.n * m.n; i++)
        assert_close(m.at[i], expected.at[i], 1e-14);
    free(m.at);
    free(expected.at);
    dv_text_free(&text);
    dv_scene_free(fresh);
}

/* A new point on the edge 1 2 of both elements, its density between theirs. */
static void split_both(const DvScene *scene)
{
    DvObject *modifier = scene_object(scene, "/modifier");
    const DvTopologyModifierOps *ops = dv_object_ops(modifier, DV_TOPOLOGY_MODIFIER);
    static const uint32_t ends[2] = {1, 2}, of_point[2] = {0, 2}, parents[4] = {0, 0, 1, 1}, first[5] = {0, 1, 2, 3, 4},
                          pieces[16] = {0, 1, 5, 3, 0, 5, 2, 3, 1, 5, 3, 4, 5, 2, 3, 4}, old[2] = {0, 1};
    static const double weights[2] = {0.25, 0.75};
    const DvElementChange middle = {.ancestors = ends, .weights = weights, .ancestor_start = of_point};
    const DvElementChange descent = {.ancestors = parents, .ancestor_start = first};
    void *self = dv_object_self(modifier);
    assert_int_equal(ops->add_points(self, 1, &middle), DV_OK);
    assert_int_equal(ops->add_elements(self, DV_TETRAHEDRA, 4, pieces, &descent), DV_OK);
    assert_int_equal(ops->remove_elements(self, DV_TETRAHEDRA, 2, old, true), DV_OK);
}

static void a_mesh_that_changes_has_the_mass_of_a_fresh_one(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(TWO);
    Matrix before = matrix_of(scene);
    const double *x = dv_state_read(scene_state(scene, "/dofs"), DV_REST_POSITION).at;
    double first[4];
    for (int f = -1; f < 3; f++)
        first[f + 1] = moment(before, x, 3, f, -1);
    split_both(scene);
    assert_fresh(scene);
    Matrix split = matrix_of(scene);
    x = dv_state_read(scene_state(scene, "/dofs"), DV_REST_POSITION).at;
    for (int f = -1; f < 3; f++) /* a density that is linear in an element is so in its parts */
        assert_close(moment(split, x, 3, f, -1), first[f + 1], 1e-11);
    free(split.at);
    DvObject *modifier = scene_object(scene, "/modifier");
    const DvTopologyModifierOps *ops = dv_object_ops(modifier, DV_TOPOLOGY_MODIFIER);
    assert_int_equal(ops->remove_elements(dv_object_self(modifier), DV_TETRAHEDRA, 1, &(uint32_t){0}, true), DV_OK);
    assert_fresh(scene);
    dv_scene_reset(scene);
    Matrix again = matrix_of(scene);
    assert_int_equal(again.n, before.n);
    assert_memory_equal(again.at, before.at, 25 * sizeof(double));
    free(before.at);
    free(again.at);
    dv_scene_free(scene);
}

/* ---- Mistakes ---- */

static void mistakes_are_named(void **state)
{
    (void)state;
    expect_load_error("<Node><MeshTopology position='0 0 0 1 0 0' edges='0 1'/><MechanicalObject/>"
                      "<FEMMass template='Vec3d,Edge'/></Node>",
                      "a NodalMassDensity with the density at the points");
    expect_load_error("<Node><MeshTopology position='0 0 0 1 0 0' edges='0 1'/><MechanicalObject/><NodalMassDensity/>"
                      "<FEMMass template='Vec3d,Prism'/></Node>",
                      "has no prisms to carry the mass");
    expect_load_error("<Node><MeshTopology position='0 0 0 1 0 0' edges='0 1'/><MechanicalObject/>"
                      "<NodalMassDensity property='0 0'/><FEMMass template='Vec3d,Edge'/></Node>",
                      "all densities are 0");
    expect_load_error("<Node><MeshTopology position='0 0 0 1 0 0' edges='0 1'/><MechanicalObject/>"
                      "<NodalMassDensity property='1 -2'/><FEMMass template='Vec3d,Edge'/></Node>",
                      "property");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_element_has_a_mass),
        cmocka_unit_test(mass_centre_and_inertia_are_those_of_the_body),
        cmocka_unit_test(the_few_points_give_mass_and_centre_of_a_uniform_body),
        cmocka_unit_test(one_point_gives_every_entry_alike),
        cmocka_unit_test(a_box_has_the_matrix_of_the_closed_form),
        cmocka_unit_test(an_exact_tetrahedron_has_the_matrix_of_the_closed_form),
        cmocka_unit_test(a_mesh_that_changes_has_the_mass_of_a_fresh_one),
        cmocka_unit_test(mistakes_are_named),
    };
    return cmocka_run_group_tests(tests, start_plugins, stop_plugins);
}
