/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A mesh that grows from one body to many times that: forces and products are those of a mesh that is loaded as large, at each size on
 * the way. What was kept of the elements and points that are there survives each time that there is no more room for it.
 */
#include "mesh_edits.h"

#include <divan/contracts/mass.h>

typedef struct Growth {
    DvElementKind kind;
    uint32_t points, elements;
    uint32_t node[16];
    double at[24];
    const char *component;
} Growth;

enum { COPIES = 60, MOST_NODES = 8 };

/* Another body, moved by `far` times the first edge of the first one. */
static void grow(const EditedMesh *mesh, const Growth *growth, uint32_t copy, double far)
{
    DvObject *modifier = scene_object(mesh->scene, "/modifier");
    const DvTopologyModifierOps *ops = dv_object_ops(modifier, DV_TOPOLOGY_MODIFIER);
    uint32_t ancestors[3 * MOST_NODES], start[MOST_NODES + 1] = {0}, node[16];
    double weights[3 * MOST_NODES];
    for (uint32_t p = 0; p < growth->points; p++) {
        const uint32_t of[3] = {p, 1, 0};
        const double weight[3] = {1.0, far, -far};
        memcpy(ancestors + 3 * p, of, sizeof of);
        memcpy(weights + 3 * p, weight, sizeof weight);
        start[p + 1] = 3 * (p + 1);
    }
    const DvElementChange points = {.ancestors = ancestors, .weights = weights, .ancestor_start = start};
    assert_int_equal(ops->add_points(dv_object_self(modifier), growth->points, &points), DV_OK);
    for (uint32_t i = 0; i < growth->elements * dv_element_nodes(growth->kind); i++)
        node[i] = copy * growth->points + growth->node[i];
    assert_int_equal(ops->add_elements(dv_object_self(modifier), growth->kind, growth->elements, node, NULL), DV_OK);
}

static void forces_follow_growth(void **state)
{
    const Growth *growth = *state;
    EditedMesh mesh = {.kind = growth->kind, .component = growth->component, .random = 3};
    double x[24], v[24];
    for (uint32_t i = 0; i < 3 * growth->points; i++) {
        x[i] = growth->at[i] + 0.05 * sin(3.0 * i + 1.0);
        v[i] = cos(5.0 * i);
    }
    mesh.scene = scene_of_mesh(&mesh, growth->node, growth->elements, x, growth->at, v, growth->points);
    for (uint32_t copy = 1; copy < COPIES; copy++) {
        if (copy % 8 == 1 || copy % 8 == 4)
            expect_as_loaded(&mesh, 1e-10);
        grow(&mesh, growth, copy, 0.25 * copy);
    }
    expect_as_loaded(&mesh, 1e-10);
    dv_scene_free(mesh.scene);
}

/* M d, with d = sin(i), and the mass of each point. */
static void mass_product(DvScene *scene, double *product, double *point, uint32_t points)
{
    static double d[3000];
    DvObject *mass = scene_object(scene, "/field");
    for (uint32_t i = 0; i < 3 * points; i++) {
        d[i] = sin(i);
        product[i] = 0.0;
    }
    const DvMassOps *ops = dv_object_ops(mass, DV_MASS);
    ops->add_mdx(dv_object_self(mass), 1.0, (DvConstVec){d, points, 3}, (DvVec){product, points, 3});
    for (uint32_t p = 0; p < points; p++)
        point[p] = ops->point_mass(dv_object_self(mass), p);
}

static void masses_follow_growth(void **state)
{
    const Growth *growth = *state;
    EditedMesh mesh = {.kind = growth->kind, .component = growth->component, .random = 3};
    static const double still[24] = {0};
    mesh.scene = scene_of_mesh(&mesh, growth->node, growth->elements, growth->at, growth->at, still, growth->points);
    for (uint32_t copy = 1; copy < COPIES; copy++) {
        grow(&mesh, growth, copy, 0.25 * copy);
        if (copy % 8 != 3 && copy % 8 != 4 && copy != COPIES - 1)
            continue;
        static double product[2][3000], point[2][1000];
        const DvStateRef dofs = scene_state(mesh.scene, "/dofs");
        const DvConstVec x = dv_state_read(dofs, DV_POSITION);
        const DvElements elements = edited_elements(&mesh);
        DvScene *fresh =
            scene_of_mesh(&mesh, elements.at, elements.count, x.at, x.at, dv_state_read(dofs, DV_VELOCITY).at, x.count);
        mass_product(mesh.scene, product[0], point[0], x.count);
        mass_product(fresh, product[1], point[1], x.count);
        dv_scene_free(fresh);
        double largest = 0.0;
        for (uint32_t i = 0; i < 3 * x.count; i++)
            largest = fmax(largest, fabs(product[1][i]));
        for (uint32_t i = 0; i < 3 * x.count; i++)
            assert_close(product[0][i], product[1][i], 1e-10 * largest);
        for (uint32_t p = 0; p < x.count; p++)
            assert_close(point[0][p], point[1][p], 1e-10 * point[1][p]);
    }
    dv_scene_free(mesh.scene);
}

#define TRIANGLES                                    \
    DV_TRIANGLES, 4, 2, {0, 1, 2, 2, 1, 3},          \
    {                                                \
        0, 0, 0, 1, 0, 0, 0.2, 0.9, 0.1, 1.1, 1, 0.2 \
    }
#define QUADS                                                                \
    DV_QUADS, 6, 2, {0, 1, 2, 3, 1, 4, 5, 2},                                \
    {                                                                        \
        0, 0, 0, 1, 0.1, 0, 1.1, 1, 0.2, 0, 0.9, 0.1, 2, 0, 0.3, 2.2, 1.1, 0 \
    }
#define TETRAHEDRA                                                    \
    DV_TETRAHEDRA, 5, 2, {0, 1, 2, 3, 4, 2, 1, 3},                    \
    {                                                                 \
        0, 0, 0, 1, 0.1, 0, 0.2, 1.1, 0.1, 0.1, 0.2, 0.9, 1.1, 1, 1.2 \
    }
#define HEXAHEDRA                                                                                       \
    DV_HEXAHEDRA, 8, 1, {0, 1, 2, 3, 4, 5, 6, 7},                                                       \
    {                                                                                                   \
        0, 0, 0, 1, 0.1, 0, 1.1, 1, 0.1, 0.1, 0.9, 0, 0, 0.1, 1.2, 1.1, 0, 1, 1, 1.2, 1.1, -0.1, 1, 0.9 \
    }
#define MATERIAL " name='field' youngModulus='50' poissonRatio='0.3'"

static const Growth cases[] = {
    {TRIANGLES, "<TriangleFEMForceField" MATERIAL "/>"},
    {TRIANGLES, "<TriangleFEMForceField method='exact'" MATERIAL "/>"},
    {TRIANGLES, "<TriangularFEMForceField" MATERIAL "/>"},
    {TRIANGLES, "<TriangularBendingSprings name='field' stiffness='30' damping='2'/>"},
    {TRIANGLES, "<SurfacePressureForceField name='field' pressure='3'/>"},
    {QUADS, "<QuadularBendingSprings name='field' stiffness='30' damping='2'/>"},
    {QUADS, "<SurfacePressureForceField name='field' pressure='3'/>"},
    {TETRAHEDRA, "<TetrahedronFEMForceField" MATERIAL "/>"},
    {TETRAHEDRA, "<TetrahedronFEMForceField method='polar'" MATERIAL "/>"},
    {TETRAHEDRA, "<TetrahedronFEMForceField method='svd'" MATERIAL "/>"},
    {TETRAHEDRA, "<TetrahedronFEMForceField method='exact'" MATERIAL "/>"},
    {TETRAHEDRA, "<TetrahedralCorotationalFEMForceField updateStiffnessMatrix='1'" MATERIAL "/>"},
    {HEXAHEDRA, "<HexahedronFEMForceField" MATERIAL "/>"},
    {HEXAHEDRA, "<HexahedronFEMForceField method='exact'" MATERIAL "/>"},
    {HEXAHEDRA, "<HexahedralFEMForceField method='polar'" MATERIAL "/>"},
    {HEXAHEDRA, "<HexahedronFEMForceFieldAndMass density='3'" MATERIAL "/>"},
};

static const Growth masses[] = {
    {TRIANGLES, "<DiagonalMass name='field' massDensity='3'/>"},
    {QUADS, "<DiagonalMass name='field' massDensity='3'/>"},
    {TETRAHEDRA, "<DiagonalMass name='field' massDensity='3'/>"},
    {HEXAHEDRA, "<DiagonalMass name='field' massDensity='3'/>"},
    {TRIANGLES, "<MeshMatrixMass name='field' massDensity='3'/>"},
    {QUADS, "<MeshMatrixMass name='field' massDensity='3' consistent='1'/>"},
    {TETRAHEDRA, "<MeshMatrixMass name='field' massDensity='3'/>"},
    {TETRAHEDRA, "<MeshMatrixMass name='field' massDensity='3' lumping='1'/>"},
    {HEXAHEDRA, "<MeshMatrixMass name='field' massDensity='3' consistent='1'/>"},
};

int main(void)
{
    enum { CASES = sizeof cases / sizeof *cases, MASSES = sizeof masses / sizeof *masses };
    struct CMUnitTest tests[CASES + MASSES];
    for (size_t i = 0; i < CASES; i++)
        tests[i] =
            (struct CMUnitTest){cases[i].component, forces_follow_growth, NULL, NULL, (void *)(uintptr_t)&cases[i]};
    for (size_t i = 0; i < MASSES; i++)
        tests[CASES + i] =
            (struct CMUnitTest){masses[i].component, masses_follow_growth, NULL, NULL, (void *)(uintptr_t)&masses[i]};
    return cmocka_run_group_tests(tests, NULL, stop_plugins);
}
