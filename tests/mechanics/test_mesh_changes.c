/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * After any edits of a mesh, whatever hangs on it is what it would be on a mesh that is loaded like that: forces, products, masses,
 * assembled matrices, collision bounds and visual surfaces, to 1e-12. Each class that hangs on a mesh has its line in `cases`.
 *
 * Not among them, since what they hold depends on what was before:
 * - BarycentricMapping: weights depend on when points were located; tested below by what holds in any case;
 * - bending springs: an edge keeps the springs that it had (tests/mechanics/test_bending_springs.c, also with consistentEdges);
 * - EdgePressureForceField, TrianglePressureForceField: chosen elements are those of the start, and their heirs
 *   (tests/mechanics/test_pressures.c);
 * - Quad2TriangleTopologicalMapping, and Hexa2TetraTopologicalMapping with `swapping`: which way an element is cut follows from its
 *   number, or its neighbours, when it came (tests/topology/test_topological_mappings.c);
 * - SubsetTopologicalMapping, CenterPointTopologicalMapping, Edge2QuadTopologicalMapping: what the scene gave at the start decides, or no
 *   mapping moves their points (tests/topology/test_subset_topological_mapping.c, test_topological_mappings.c);
 * - springs between listed points, constraints and lists of points: they name points, whose numbers they follow
 *   (expect_same_run below; tests/mechanics/test_moving_constraints.c).
 */
#include "force_at.h"

#include <stdio.h>
#include <unistd.h>

#include <divan/contracts/collision.h>
#include <divan/contracts/mechanical_operations.h>
#include <divan/contracts/topology.h>
#include <divan/contracts/visual.h>
#include <divan/element_data.h>
#include <divan/scene.h>

#include "open_writes.h"
#include "share.h"

typedef struct Case {
    DvElementKind kind;
    const char *components;
} Case;

/* A mesh made from the one that changes, and a state of its own or none. */
#define BELOW_IT(family, mapping, input, fields, state)                                        \
    "<" family "SetTopologyContainer name='output'/><" family "SetTopologyModifier/><" mapping \
    "TopologicalMapping name='map' input='@" input "' output='@output' " fields "/>" state
#define BELOW(family, mapping, fields, state) \
    "<UniformMass vertexMass='0.3'/><Node name='below'>" BELOW_IT(family, mapping, "../mesh", fields, state)
#define MEMBER(text) "<" text "/>"
#define OWN(mapping) "<MechanicalObject name='dofs'/><" mapping "/>"
#define PLACES       "pointBaryCoords='0 0 0' edgeBaryCoords='0.5 0 0' triangleBaryCoords='0.2 0.3 0'"

static const Case cases[] = {
    {DV_TETRAHEDRA, "<UniformMass vertexMass='0.3'/>"},
    {DV_TETRAHEDRA, "<DiagonalMass massDensity='2.5'/>"},
    {DV_TETRAHEDRA,
     "<DiagonalMass massDensity='2.5'/><TetrahedronFEMForceField method='small' youngModulus='300' poissonRatio='0.3'/>"},
    {DV_TETRAHEDRA, "<TetrahedronFEMForceField method='large' youngModulus='300' poissonRatio='0.3'/>"},
    {DV_TETRAHEDRA, "<TetrahedronFEMForceField method='polar' youngModulus='300' poissonRatio='0.3'/>"},
    {DV_TETRAHEDRA, "<TetrahedronFEMForceField method='svd' youngModulus='300' poissonRatio='0.3'/>"},
    {DV_TETRAHEDRA,
     "<TetrahedronFEMForceField method='large' updateStiffnessMatrix='1' youngModulus='300' poissonRatio='0.3'/>"},
    {DV_TETRAHEDRA,
     "<DiagonalMass massDensity='2.5'/><TetrahedralCorotationalFEMForceField method='polar' youngModulus='300' poissonRatio='0.3'/>"},
    {DV_TRIANGLES, "<DiagonalMass massDensity='2.5'/>"},
    {DV_TRIANGLES, "<DiagonalMass massDensity='2.5'/><TriangleFEMForceField youngModulus='300' poissonRatio='0.3'/>"},
    {DV_TRIANGLES,
     "<UniformMass vertexMass='0.3'/><TriangleFEMForceField method='linear' youngModulus='300' poissonRatio='0.3'/>"},
    {DV_TRIANGLES,
     "<UniformMass vertexMass='0.3'/><TriangleFEMForceField method='exact' youngModulus='300' poissonRatio='0.3'/>"},
    {DV_QUADS, "<UniformMass vertexMass='0.3'/><TriangleFEMForceField youngModulus='300' poissonRatio='0.3'/>"},
    {DV_TRIANGLES,
     "<UniformMass vertexMass='0.3'/><TriangleCollisionModel/><LineCollisionModel/><PointCollisionModel/><OglModel/>"},
    {DV_QUADS, "<DiagonalMass massDensity='2.5'/><TriangleCollisionModel/><LineCollisionModel/><OglModel/>"},
    {DV_HEXAHEDRA, "<DiagonalMass massDensity='2.5'/><HexahedronFEMForceField youngModulus='300' poissonRatio='0.3'/>"},
    {DV_HEXAHEDRA,
     "<UniformMass vertexMass='0.3'/><HexahedronFEMForceField method='polar' youngModulus='300' poissonRatio='0.3'/>"},
    {DV_HEXAHEDRA,
     "<UniformMass vertexMass='0.3'/><HexahedronFEMForceField method='small' youngModulus='300' poissonRatio='0.3'/>"},
    {DV_HEXAHEDRA,
     "<UniformMass vertexMass='0.3'/><HexahedronFEMForceField method='exact' youngModulus='300' poissonRatio='0.3'/>"},
    {DV_HEXAHEDRA,
     "<UniformMass vertexMass='0.3'/><HexahedronFEMForceField updateStiffnessMatrix='1' youngModulus='300' "
     "poissonRatio='0.3'/>"},
    {DV_TETRAHEDRA, "<MeshMatrixMass computeMassOnRest='1' massDensity='2.5'/>"},
    {DV_TETRAHEDRA, "<MeshMatrixMass computeMassOnRest='1' massDensity='2.5' lumping='1'/>"},
    {DV_TRIANGLES, "<MeshMatrixMass computeMassOnRest='1' massDensity='2.5'/>"},
    {DV_QUADS, "<MeshMatrixMass computeMassOnRest='1' massDensity='2.5'/>"},
    {DV_HEXAHEDRA, "<MeshMatrixMass computeMassOnRest='1' massDensity='2.5'/>"},
    {DV_HEXAHEDRA, "<HexahedronFEMForceFieldAndMass density='2.5' youngModulus='300' poissonRatio='0.3'/>"},
    {DV_HEXAHEDRA,
     "<HexahedronFEMForceFieldAndMass density='2.5' lumpedMass='1' youngModulus='300' poissonRatio='0.3'/>"},
    {DV_EDGES, "<DiagonalMass massDensity='2.5'/>"},
    {DV_EDGES, "<DiagonalMass massDensity='2.5'/><LineCollisionModel/>"},
    {DV_TETRAHEDRA,
     "<UniformMass vertexMass='0.3'/><TetrahedronFEMForceField method='exact' youngModulus='300' poissonRatio='0.3'/>"
     "<TetrahedronCollisionModel/><PointCollisionModel computeNormals='1'/><SphereCollisionModel radius='0.1'/>"},
    {DV_TETRAHEDRA,
     "<DiagonalMass massDensity='2.5'/><TriangleCollisionModel/><LineCollisionModel/><VisualModelImpl/>"},
    {DV_TRIANGLES, "<UniformMass vertexMass='0.3'/><TriangularFEMForceField youngModulus='300' poissonRatio='0.3'/>"},
    {DV_TRIANGLES,
     "<UniformMass vertexMass='0.3'/><TriangularFEMForceField method='small' youngModulus='300' poissonRatio='0.3'/>"},
    {DV_TRIANGLES, "<UniformMass vertexMass='0.3'/><SurfacePressureForceField pressure='3'/>"},
    {DV_QUADS,
     "<UniformMass vertexMass='0.3'/><QuadPressureForceField pressure='0 1 2' normal='0 0 1' dmin='-9' dmax='9'/>"},
    {DV_HEXAHEDRA,
     "<UniformMass vertexMass='0.3'/><HexahedralFEMForceField youngModulus='300' poissonRatio='0.3'/><OglModel/>"},
    {DV_HEXAHEDRA, "<MeshMatrixMass computeMassOnRest='1' massDensity='2.5' consistent='1'/>"},
    {DV_HEXAHEDRA, "<MeshMatrixMass computeMassOnRest='1' massDensity='2.5' consistent='1' lumping='1'/>"},
    {DV_QUADS, "<MeshMatrixMass computeMassOnRest='1' massDensity='2.5' consistent='1'/>"},
    {DV_TETRAHEDRA,
     "<UniformMass vertexMass='0.3'/><Node name='surface'><TriangleSetTopologyContainer name='triangles'/>"
     "<TriangleSetTopologyModifier/><Tetra2TriangleTopologicalMapping input='@../mesh' output='@triangles'/>"
     "<MechanicalObject name='dofs'/><IdentityMapping/><TriangleCollisionModel/><LineCollisionModel/>"
     "<PointCollisionModel/></Node><Node name='visual'>"
     "<OglModel topology='@../surface/triangles'/><IdentityMapping/></Node>"},
    {DV_HEXAHEDRA, BELOW("Tetrahedron", "Hexa2Tetra", "", "") MEMBER(
                       "TetrahedronFEMForceField method='large' youngModulus='300' poissonRatio='0.3'") "</Node>"},
    {DV_HEXAHEDRA,
     BELOW("Quad", "Hexa2Quad", "", "") MEMBER("MeshMatrixMass computeMassOnRest='1' massDensity='0.7' consistent='1'")
         MEMBER("LineCollisionModel") "</Node>"},
    {DV_HEXAHEDRA,
     "<UniformMass vertexMass='0.3'/><Node name='below'><MeshTopology name='output'/><Hexa2PrismTopologicalMapping "
     "input='@../mesh' output='@output'/>" MEMBER("LineCollisionModel") "</Node>"},
    {DV_TRIANGLES, BELOW("Edge", "Triangle2Edge", "", "") MEMBER("DiagonalMass massDensity='0.7'")
                       MEMBER("LineCollisionModel") "</Node>"},
    {DV_TETRAHEDRA,
     BELOW("Tetrahedron", "Identity", "", "") MEMBER("MeshMatrixMass computeMassOnRest='1' massDensity='2'")
         MEMBER("TetrahedronFEMForceField method='polar' youngModulus='300' poissonRatio='0.3'") "</Node>"},
    {DV_TETRAHEDRA,
     BELOW("Tetrahedron", "Identity", "", "") "<Node name='border'>" BELOW_IT("Triangle", "Tetra2Triangle", "../output",
                                                                              "", "")
         MEMBER("SurfacePressureForceField pressure='3'") MEMBER("TriangleCollisionModel") "</Node></Node>"},
    {DV_TETRAHEDRA, BELOW("Tetrahedron", "SimpleTesselatedTetra", "", OWN("SimpleTesselatedTetraMechanicalMapping"))
                        MEMBER("UniformMass vertexMass='0.1'")
                            MEMBER("TetrahedronFEMForceField method='large' youngModulus='300' poissonRatio='0.3'")
                                MEMBER("PointCollisionModel") "</Node>"},
    {DV_TETRAHEDRA, BELOW("Point", "Mesh2Point", PLACES " tetraBaryCoords='0.1 0.2 0.3  0.6 0.2 0.1'",
                          OWN("Mesh2PointMechanicalMapping")) MEMBER("UniformMass vertexMass='0.1'")
                        MEMBER("PointCollisionModel") "</Node>"},
    {DV_HEXAHEDRA,
     BELOW("Point", "Mesh2Point", PLACES " quadBaryCoords='0.3 0.4 0' hexaBaryCoords='0.1 0.2 0.3  0.6 0.2 0.1'",
           OWN("Mesh2PointMechanicalMapping")) MEMBER("UniformMass vertexMass='0.1'")
         MEMBER("PointCollisionModel") "</Node>"},
};

enum { SIDE = 4, EDITS = 60 }; /* points along a side; how many edits */

static uint32_t next_random(uint64_t *seed, uint32_t limit)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 33) % limit;
}

static const char *family_of(DvElementKind kind)
{
    static const char *const names[DV_ELEMENT_KINDS] = {"Point", "Edge",        "Triangle",
                                                        "Quad",  "Tetrahedron", "Hexahedron"};
    return names[kind];
}

static const char *list_of(DvElementKind kind)
{
    static const char *const names[DV_ELEMENT_KINDS] = {"position", "edges",      "triangles",
                                                        "quads",    "tetrahedra", "hexahedra"};
    return names[kind];
}

/* ---- Scenes */

/* The elements of one cell of a grid, at point p. */
static void cell_text(DvText *text, DvElementKind kind, uint32_t p)
{
    const uint32_t y = SIDE, z = SIDE * SIDE;
    const uint32_t corner[8] = {p, p + 1, p + y + 1, p + y, p + z, p + z + 1, p + z + y + 1, p + z + y};
    uint32_t cut[6][4];
    dv_cut_hexahedron(corner, 0, true, cut);
    if (kind == DV_TETRAHEDRA)
        for (int i = 0; i < 24; i++)
            dv_text_add(text, "%u ", cut[i / 4][i % 4]);
    if (kind == DV_HEXAHEDRA)
        for (int i = 0; i < 8; i++)
            dv_text_add(text, "%u ", corner[i]);
    if (kind == DV_QUADS)
        dv_text_add(text, "%u %u %u %u ", corner[0], corner[1], corner[2], corner[3]);
    if (kind == DV_TRIANGLES)
        dv_text_add(text, "%u %u %u %u %u %u ", corner[0], corner[1], corner[2], corner[0], corner[2], corner[3]);
    if (kind == DV_EDGES)
        dv_text_add(text, "%u %u %u %u ", corner[0], corner[1], corner[0], corner[3]);
}

static void positions_text(DvText *text, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t layer = i / SIDE / SIDE;
        const double x = i % SIDE, y = i / SIDE % SIDE, z = layer;
        dv_text_add(text, "%.17g %.17g %.17g ", x + 0.1 * sin(3 * y + z), y + 0.1 * sin(2 * z + x),
                    z + 0.1 * sin(5 * x + y));
    }
}

/* A box, or its lowest layer, whose points are a little out of order. */
static void grid_text(DvText *text, DvElementKind kind)
{
    const bool solid = kind >= DV_TETRAHEDRA;
    dv_text_add(text, "position='");
    positions_text(text, solid ? SIDE * SIDE * SIDE : SIDE * SIDE);
    dv_text_add(text, "' %s='", list_of(kind));
    for (uint32_t i = 0; i < (SIDE - 1) * (SIDE - 1) * (solid ? SIDE - 1 : 1); i++)
        cell_text(text, kind,
                  i % (SIDE - 1) + SIDE * (i / (SIDE - 1) % (SIDE - 1)) +
                      SIDE * SIDE * (i / ((SIDE - 1) * (SIDE - 1))));
    dv_text_add(text, "'");
}

/* The lists from `first` on and rest positions that a scene has now. */
static void present_text(DvText *text, const DvScene *scene, DvElementKind first, DvElementKind own)
{
    DvObject *mesh = scene_object(scene, "/mesh");
    const DvTopologyOps *ops = dv_object_ops(mesh, DV_TOPOLOGY);
    const DvConstVec rest = dv_state_read(scene_state(scene, "/dofs"), DV_REST_POSITION);
    dv_text_add(text, "position='");
    for (uint32_t i = 0; i < 3 * rest.count; i++)
        dv_text_add(text, "%.17g ", rest.at[i]);
    dv_text_add(text, "'");
    for (DvElementKind kind = first; kind <= own; kind++) {
        const DvElements list = ops->elements(dv_object_self(mesh), kind);
        if (list.count == 0)
            continue;
        dv_text_add(text, " %s='", list_of(kind));
        for (uint32_t i = 0; i < list.count * dv_element_nodes(kind); i++)
            dv_text_add(text, "%u ", list.at[i]);
        dv_text_add(text, "'");
    }
}

static DvScene *scene_on(const Case *what, const char *mesh)
{
    DvText text = {0};
    dv_text_add(
        &text,
        "<Node name='root' gravity='0 -9.81 0.5'><%sSetTopologyContainer name='mesh' %s/><%sSetTopologyModifier "
        "name='modifier'/><MechanicalObject name='dofs'/>%s</Node>",
        family_of(what->kind), mesh, family_of(what->kind), what->components);
    DvScene *scene = scene_from_text(text.at);
    dv_text_free(&text);
    return scene;
}

static DvScene *scene_on_grid(const Case *what)
{
    DvText text = {0};
    grid_text(&text, what->kind);
    DvScene *scene = scene_on(what, text.at);
    dv_text_free(&text);
    return scene;
}

static DvScene *scene_loaded_anew(const Case *what, const DvScene *edited)
{
    /* Of a list, faces of a border look as it says; of none, outward, as those do that come to light. */
    const bool border = strstr(what->components, "Hexa2Quad") || strstr(what->components, "Tetra2Triangle");
    DvText text = {0};
    present_text(&text, edited, border ? what->kind : DV_EDGES, what->kind);
    DvScene *scene = scene_on(what, text.at);
    dv_text_free(&text);
    return scene;
}

/* ---- Edits */

typedef struct Editor {
    const DvTopologyOps *mesh;
    const DvTopologyModifierOps *modifier;
    void *mesh_self, *modifier_self;
    DvElementKind kind;
    uint64_t seed;
} Editor;

static Editor editor_of(const DvScene *scene, DvElementKind kind)
{
    DvObject *mesh = scene_object(scene, "/mesh"), *modifier = scene_object(scene, "/modifier");
    return (Editor){dv_object_ops(mesh, DV_TOPOLOGY),
                    dv_object_ops(modifier, DV_TOPOLOGY_MODIFIER),
                    dv_object_self(mesh),
                    dv_object_self(modifier),
                    kind,
                    99};
}

static void remove_some(Editor *e)
{
    uint32_t numbers[3];
    const uint32_t count = e->mesh->elements(e->mesh_self, e->kind).count;
    const uint32_t removed = 1 + next_random(&e->seed, 3);
    for (uint32_t i = 0; i < removed; i++)
        numbers[i] = next_random(&e->seed, count);
    assert_int_equal(e->modifier->remove_elements(e->modifier_self, e->kind, removed, numbers, true), DV_OK);
}

/* A neighbour: the first point of an element is reflected across the middle of the others. */
static void add_neighbour(Editor *e)
{
    const DvElements list = e->mesh->elements(e->mesh_self, e->kind);
    const uint32_t nodes = dv_element_nodes(e->kind), points = e->mesh->point_count(e->mesh_self);
    uint32_t element[8], start[2] = {0, nodes};
    double weights[8] = {-1.0};
    memcpy(element, list.at + (size_t)next_random(&e->seed, list.count) * nodes, nodes * sizeof *element);
    for (uint32_t i = 1; i < nodes; i++)
        weights[i] = 2.0 / (nodes - 1);
    const DvElementChange middle = {.ancestors = element, .weights = weights, .ancestor_start = start};
    assert_int_equal(e->modifier->add_points(e->modifier_self, 1, &middle), DV_OK);
    element[0] = points;
    if (e->kind == DV_TETRAHEDRA || e->kind == DV_TRIANGLES) {
        const uint32_t swap = element[1];
        element[1] = element[2], element[2] = swap;
    }
    assert_int_equal(e->modifier->add_elements(e->modifier_self, e->kind, 1, element, NULL), DV_OK);
}

static void renumber(Editor *e)
{
    const uint32_t points = e->mesh->point_count(e->mesh_self);
    uint32_t *order = malloc(points * sizeof *order);
    for (uint32_t i = 0; i < points; i++)
        order[i] = (i + 7) % points;
    assert_int_equal(e->modifier->renumber_points(e->modifier_self, order), DV_OK);
    free(order);
}

static void edit(Editor *e)
{
    const uint32_t choice = next_random(&e->seed, 20), count = e->mesh->elements(e->mesh_self, e->kind).count;
    const bool simple = e->kind == DV_TETRAHEDRA || e->kind == DV_TRIANGLES || e->kind == DV_EDGES;
    if (choice == 0)
        renumber(e);
    else if (simple && (choice < 8 || count < 6))
        add_neighbour(e);
    else if (count > 4)
        remove_some(e);
}

/* ---- What is compared */

typedef struct Values {
    double *at;
    size_t count, capacity;
} Values;

static double *room(Values *values, size_t count)
{
    if (values->count + count > values->capacity) {
        values->capacity = 2 * values->capacity + count;
        values->at = realloc(values->at, values->capacity * sizeof *values->at);
    }
    double *at = values->at + values->count;
    memset(at, 0, count * sizeof *at);
    values->count += count;
    return at;
}

static void multiply(const DvBlockMatrix *a, const double *x, double *y)
{
    for (uint32_t row = 0; row < a->rows; row++)
        for (uint32_t s = a->row_start[row]; s < a->row_start[row + 1]; s++)
            for (uint32_t i = 0; i < a->block * a->block; i++)
                y[row * a->block + i / a->block] +=
                    a->values[(size_t)s * a->block * a->block + i] * x[a->columns[s] * a->block + i % a->block];
}

static double pattern(const double *rest, uint32_t c)
{
    return sin(3.0 * rest[0] + 2.0 * rest[1] + 5.0 * rest[2] + 0.7 * c);
}

/* Force, product and product with the matrix at a deformation that follows from the rest positions. */
static void add_mechanics(DvScene *scene, DvMechanics *m, Values *values)
{
    const DvMechanicalOperationsOps *ops = dv_service(DV_MECHANICAL_OPERATIONS);
    const DvStep step = {.dt = 0.01, .position = DV_POSITION, .velocity = DV_VELOCITY};
    const DvFactors factors = {1.3, -0.02, -0.7};
    const DvStateRef dofs = scene_state(scene, "/dofs");
    double *x = dv_state_write(dofs, DV_POSITION, DV_READ_WRITE).at;
    const double *rest = dv_state_read(dofs, DV_REST_POSITION).at;
    const size_t n = ops->unknowns(m);
    assert_int_equal(n, 3 * (size_t)dv_state_count(dofs));
    double *dx = malloc((n + 1) * sizeof *dx);
    for (uint32_t i = 0; i < n; i++) {
        x[i] = rest[i] + 0.03 * pattern(rest + i / 3 * 3, i % 3);
        dx[i] = pattern(rest + i / 3 * 3, i % 3 + 5);
    }
    const DvVecId d = ops->allocate(m, DV_DERIVS), r = ops->allocate(m, DV_DERIVS);
    ops->propagate_position(m, &step, DV_POSITION);
    ops->compute_force(m, &step, DV_FORCE, DV_WALK_WHOLE);
    ops->gather(m, room(values, n), DV_FORCE);
    ops->scatter(m, d, dx);
    ops->add_mbk(m, &step, factors, r, d, DV_WALK_WHOLE);
    ops->gather(m, room(values, n), r);
    multiply(ops->assemble(m, &step, factors, 0), dx, room(values, n));
    *room(values, 1) = ops->kinetic_energy(m);
    *room(values, 1) = ops->potential_energy(m);
    ops->release(m, d);
    ops->release(m, r);
    free(dx);
}

static int ascending_boxes(const void *a, const void *b)
{
    const double *left = a, *right = b;
    for (int k = 0; k < 6; k++)
        if (left[k] != right[k])
            return left[k] < right[k] ? -1 : 1;
    return 0;
}

static void add_boxes(const DvCollisionModelOps *ops, DvObject *model, bool ordered, Values *values)
{
    const DvBoxes boxes = ops->boxes(dv_object_self(model));
    double *at = room(values, 6 * (size_t)boxes.count);
    for (uint32_t i = 0; i < boxes.count; i++)
        for (uint32_t axis = 0; axis < 3; axis++) {
            at[6 * (size_t)i + axis] = boxes.lower[axis][i];
            at[6 * (size_t)i + 3 + axis] = boxes.upper[axis][i];
        }
    if (!ordered && boxes.count)
        qsort(at, boxes.count, 6 * sizeof *at, ascending_boxes);
}

static void add_collision(DvNode *node, bool ordered, Values *values)
{
    DvObject *object;
    for (size_t i = 0; (object = dv_node_member(node, i)); i++) {
        const DvCollisionModelOps *ops = dv_object_ops(object, DV_COLLISION_MODEL);
        DvShapeVersion version;
        if (!ops)
            continue;
        assert_int_equal(ops->update(dv_object_self(object), &version), DV_OK);
        add_boxes(ops, object, ordered, values);
        const DvShape *shape = ops->shape(dv_object_self(object));
        for (uint32_t k = 0; ordered && shape->owns && k < shape->count; k++)
            *room(values, 1) = shape->owns[k];
    }
}

/* Faces by their corners; of a border, whose faces have an order of their own and look
 * outward or inward: how many there are at each point. */
static void add_faces(DvObject *surface, const char *field, uint32_t corners, bool ordered, Values *values)
{
    size_t faces, points;
    const uint32_t *corner = dv_data_uints(dv_object_field(surface, field), &faces);
    (void)dv_data_doubles(dv_object_field(surface, "position"), &points);
    double *at = room(values, ordered ? corners * faces : points);
    for (size_t k = 0; k < corners * faces; k++) {
        assert_true(corner[k] < points);
        at[ordered ? k : corner[k]] += ordered ? corner[k] : 1;
    }
}

static void add_visual(DvNode *node, bool ordered, Values *values)
{
    DvObject *object;
    for (size_t i = 0; (object = dv_node_member(node, i)); i++) {
        const DvVisualModelOps *ops = dv_object_ops(object, DV_VISUAL_MODEL);
        size_t count;
        if (!ops)
            continue;
        ops->update(dv_object_self(object));
        add_faces(object, "triangles", 3, ordered, values);
        add_faces(object, "quads", 4, ordered, values);
        const double *at = dv_data_doubles(dv_object_field(object, "position"), &count);
        if (!ordered && count > 0) /* of a surface that a mapping moves */
            memcpy(room(values, 3 * count), at, 3 * count * sizeof *at);
    }
}

static void evaluate(DvScene *scene, DvMechanics *m, Values *values)
{
    values->count = 0;
    add_mechanics(scene, m, values);
    DvNode *root = dv_scene_root(scene), *child;
    dv_scene_update_visual(scene);
    add_collision(root, true, values);
    add_visual(root, true, values);
    for (size_t i = 0; (child = dv_node_child(root, i)); i++) {
        add_collision(child, false, values);
        add_visual(child, false, values);
    }
}

static void compare(const Case *what, uint32_t edits, const Values *edited, const Values *anew)
{
    double size = 1e-3;
    assert_int_equal(edited->count, anew->count);
    for (size_t i = 0; i < anew->count; i++)
        size = fmax(size, fabs(anew->at[i]));
    for (size_t i = 0; i < anew->count; i++)
        if (!(fabs(edited->at[i] - anew->at[i]) <= 1e-12 * size))
            fail_msg("%s after %u edits: number %zu is %.17g, loaded anew %.17g", what->components, edits, i,
                     edited->at[i], anew->at[i]);
}

static void check_case(const Case *what)
{
    const DvMechanicalOperationsOps *ops = dv_service(DV_MECHANICAL_OPERATIONS);
    DvScene *scene = scene_on_grid(what);
    DvMechanics *m = ops->open(dv_scene_root(scene));
    Editor editor = editor_of(scene, what->kind);
    Values edited = {0}, anew = {0};
    evaluate(scene, m, &edited);
    for (uint32_t i = 1; i <= EDITS; i++) {
        edit(&editor);
        if (i % 3 != 0) /* some edits come together */
            continue;
        evaluate(scene, m, &edited);
        DvScene *fresh = scene_loaded_anew(what, scene);
        DvMechanics *of_fresh = ops->open(dv_scene_root(fresh));
        evaluate(fresh, of_fresh, &anew);
        compare(what, i, &edited, &anew);
        DvText unheard = {0};
        if (open_writes_take(&unheard))
            fail_msg("%s after %u edits: %s were written, which nobody was told", what->components, i, unheard.at);
        ops->close(of_fresh);
        dv_scene_free(fresh);
    }
    ops->close(m);
    dv_scene_free(scene);
    free(edited.at);
    free(anew.at);
}

static void edited_meshes_are_those_loaded_anew(void **state)
{
    (void)state;
    DvScene *first = scene_from_text("<Node/>"); /* starts the plugins */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_case(&cases[i]);
    dv_scene_free(first);
}

/* Pairs of points that no element couples any more, as a saved scene needs them: with those of the elements they are all of the matrix. */
static void pairs_without_elements_are_kept_for_saved_scenes(void **state)
{
    (void)state;
    static const Case whats[] = {
        {DV_TETRAHEDRA,
         "<UniformMass vertexMass='0.3'/><TetrahedronFEMForceField name='fem' youngModulus='300' poissonRatio='0.3'/>"},
        {DV_HEXAHEDRA,
         "<UniformMass vertexMass='0.3'/><HexahedronFEMForceField name='fem' youngModulus='300' poissonRatio='0.3'/>"},
        {DV_TRIANGLES,
         "<UniformMass vertexMass='0.3'/><TriangleFEMForceField name='fem' youngModulus='300' poissonRatio='0.3'/>"},
    };
    enum {
        POINTS = SIDE * SIDE * SIDE,
        WAYS = 12
    }; /* ways to go through a mesh: the first to the end, the others as far as a few pairs */
    for (size_t c = 0; c < WAYS * sizeof whats / sizeof *whats; c++) {
        const Case *what = &whats[c / WAYS];
        const uint32_t most = c % WAYS ? 24 : UINT32_MAX;
        DvScene *scene = scene_on_grid(what);
        const DvMechanicalOperationsOps *ops = dv_service(DV_MECHANICAL_OPERATIONS);
        DvMechanics *m = ops->open(dv_scene_root(scene));
        Editor e = editor_of(scene, what->kind);
        const DvStep step = {.dt = 0.01, .position = DV_POSITION, .velocity = DV_VELOCITY};
        const uint32_t nodes = dv_element_nodes(what->kind);
        bool any = false;
        size_t numbers = 0;
        e.seed += c;
        for (int round = 0; numbers <= most && e.mesh->elements(e.mesh_self, e.kind).count > 4; round++) {
            static bool coupled[POINTS][POINTS];
            memset(coupled, 0, sizeof coupled);
            ops->compute_force(m, &step, DV_FORCE, DV_WALK_WHOLE);
            const DvBlockMatrix *a = ops->assemble(m, &step, (DvFactors){1.3, -0.02, -0.7}, 0);
            const DvElements list = e.mesh->elements(e.mesh_self, e.kind);
            for (uint32_t i = 0; i < list.count; i++)
                for (uint32_t k = 0; k < nodes * nodes; k++)
                    coupled[list.at[i * nodes + k / nodes]][list.at[i * nodes + k % nodes]] = true;
            const uint32_t *pair = dv_data_uints(dv_object_field(scene_object(scene, "/fem"), "keptPairs"), &numbers);
            for (size_t i = 0; i + 1 < numbers; i += 2) {
                assert_false(coupled[pair[i]][pair[i + 1]]);
                coupled[pair[i]][pair[i + 1]] = coupled[pair[i + 1]][pair[i]] = true;
                any = true;
            }
            for (uint32_t row = 0; row < a->rows; row++) {
                coupled[row][row] = false;
                for (uint32_t s = a->row_start[row]; s < a->row_start[row + 1]; s++) {
                    if (a->columns[s] != row && !coupled[row][a->columns[s]])
                        fail_msg("%s, edit %d: %u and %u are in the matrix, and not in keptPairs", what->components,
                                 round, row, a->columns[s]);
                    coupled[row][a->columns[s]] = false;
                }
                for (uint32_t column = 0; column < a->rows; column++)
                    assert_false(coupled[row][column]);
            }
            const uint32_t gone = next_random(&e.seed, list.count);
            assert_int_equal(e.modifier->remove_elements(e.modifier_self, e.kind, 1, &gone, false), DV_OK);
        }
        assert_true(any);
        ops->close(m);
        dv_scene_free(scene);
    }
}

/* ---- What has left */

/* What names points or elements, and what hangs on two meshes. */
#define LOADS "<UniformMass name='mass' vertexMass='0.3'/><ConstantForceField indices='0 3' forces='1 2 3'/>"
static const Case hanging[] = {
    {DV_TETRAHEDRA,
     LOADS "<FixedProjectiveConstraint indices='0 1'/><FixedPlaneProjectiveConstraint direction='0 1 0' indices='2 3'/>"
           "<PlaneProjectiveConstraint normal='0 1 0' indices='4 5'/>"
           "<AffineMovementProjectiveConstraint indices='6 7' meshIndices='6 7' beginConstraintTime='0' "
           "endConstraintTime='1'/>"
           "<LinearMovementProjectiveConstraint indices='8' keyTimes='0 1' movements='0 0 0  1 0 0'/>"},
    {DV_TETRAHEDRA,
     LOADS "<RestShapeSpringsForceField points='0 3' stiffness='10 20'/><SpringForceField spring='0 9 10 0 1'/>"
           "<MeshSpringForceField stiffness='10'/><UniformMass name='others' vertexMass='2' indices='1 2'/>"
           "<PlaneForceField normal='0 1 0' stiffness='10'/>"},
    {DV_TRIANGLES,
     LOADS "<EdgePressureForceField edgeIndices='0 1' pressure='1 2 3'/><TrianglePressureForceField triangleList='0 2' "
           "pressure='1 2 3'/><SurfacePressureForceField pressure='2'/><TriangularBendingSprings stiffness='10'/>"},
    {DV_QUADS, LOADS "<QuadPressureForceField quadList='0 2' pressure='1 2 3'/><QuadBendingSprings stiffness='10'/>"
                     "<QuadularBendingSprings stiffness='10'/>"},
    {DV_TETRAHEDRA, LOADS
     "<Node name='hung'><MechanicalObject name='dofs' position='0.5 0.5 0.5  1.5 1 1'/><BarycentricMapping/>"
     "<UniformMass vertexMass='0.1'/></Node><Node name='some'><MechanicalObject name='dofs'/><SubsetMapping indices='0 7 9'/>"
     "<UniformMass vertexMass='0.1'/></Node><Node name='lengths'><EdgeSetTopologyContainer name='pairs' position='0 0 0 1 0 0 0 1 0' "
     "edges='0 1 1 2'/><EdgeSetTopologyModifier/><MechanicalObject name='dofs' template='Vec1d'/><DistanceMapping/></Node>"},
};

static DvObject *object_number(DvNode *node, size_t *number)
{
    DvObject *object, *found = NULL;
    for (size_t i = 0; (object = dv_node_member(node, i)); i++)
        if ((*number)-- == 0)
            return object;
    DvNode *child;
    for (size_t i = 0; !found && (child = dv_node_child(node, i)); i++)
        found = object_number(child, number);
    return found;
}

static void hear_nothing(const DvMessage *message, void *context)
{
    (void)message, (void)context;
}

/* False: there is no such object. */
static bool edit_without(const Case *what, size_t number, size_t *steps)
{
    DvText text = {0};
    dv_text_add(&text, "<DefaultAnimationLoop/><EulerImplicitSolver/><CGLinearSolver iterations='5'/>%s",
                what->components);
    const Case solved = {what->kind, text.at};
    DvScene *scene = scene_on_grid(&solved);
    DvObject *object = object_number(dv_scene_root(scene), &number);
    if (object) {
        Editor editor = editor_of(scene, what->kind);
        const bool edited = object != scene_object(scene, "/mesh") && object != scene_object(scene, "/modifier");
        dv_log_set_handler(hear_nothing, NULL); /* what needs it says so, and steps may fail */
        *steps += dv_scene_step(scene, 0) == DV_OK;
        dv_object_remove(object);
        for (int i = 0; i < 8; i++) {
            if (edited)
                edit(&editor);
            *steps += dv_scene_step(scene, 0) == DV_OK;
        }
        dv_scene_reset(scene);
        *steps += dv_scene_step(scene, 0) == DV_OK;
        dv_log_set_handler(NULL, NULL);
    }
    dv_scene_free(scene);
    dv_text_free(&text);
    return object != NULL;
}

/* Memory of what has left is another's: whatever still calls it there ends the program, or is seen by a sanitizer. */
static void what_has_left_hears_of_no_edit(void **state)
{
    (void)state;
    DvScene *first = scene_from_text("<Node/>");
    size_t left = 0, steps = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t number = 0; edit_without(&cases[i], number, &steps); number++)
            left++;
    for (size_t i = 0; i < sizeof hanging / sizeof *hanging; i++)
        for (size_t number = 0; edit_without(&hanging[i], number, &steps); number++)
            left++;
    assert_true(left > 300 && steps > 5 * left); /* most go on */
    dv_scene_free(first);
}

/* ---- Matrices */

/* Elements that go, and come again, leave the pattern of the matrix as it is. */
static void matrices_keep_their_pattern_when_elements_go(void **state)
{
    (void)state;
    const Case what = {
        DV_TETRAHEDRA,
        "<MeshMatrixMass computeMassOnRest='1' massDensity='2'/><TetrahedronFEMForceField youngModulus='300' poissonRatio='0.3'/>"};
    DvScene *scene = scene_on_grid(&what);
    const DvMechanicalOperationsOps *ops = dv_service(DV_MECHANICAL_OPERATIONS);
    DvMechanics *m = ops->open(dv_scene_root(scene));
    Editor e = editor_of(scene, what.kind);
    const DvStep step = {.dt = 0.01, .position = DV_POSITION, .velocity = DV_VELOCITY};
    const DvFactors factors = {1.3, -0.02, -0.7};
    ops->compute_force(m, &step, DV_FORCE, DV_WALK_WHOLE);
    const uint64_t structure = ops->assemble(m, &step, factors, 0)->structure;
    uint32_t element[4];
    for (uint32_t gone = 80; gone < 100; gone++) {
        memcpy(element, e.mesh->elements(e.mesh_self, DV_TETRAHEDRA).at + (size_t)gone * 4, sizeof element);
        assert_int_equal(e.modifier->remove_elements(e.modifier_self, DV_TETRAHEDRA, 1, &gone, true), DV_OK);
        ops->compute_force(m, &step, DV_FORCE, DV_WALK_WHOLE);
        assert_int_equal(ops->assemble(m, &step, factors, 0)->structure, structure);
        assert_int_equal(e.modifier->add_elements(e.modifier_self, DV_TETRAHEDRA, 1, element, NULL), DV_OK);
        ops->compute_force(m, &step, DV_FORCE, DV_WALK_WHOLE);
        assert_int_equal(ops->assemble(m, &step, factors, 0)->structure, structure);
    }
    const uint32_t points = e.mesh->point_count(e.mesh_self), nodes[4] = {0, 1, 2, points};
    assert_int_equal(points, SIDE * SIDE * SIDE);
    const uint32_t start[2] = {0, 1}, ancestor = 0;
    const DvElementChange above = {.ancestors = &ancestor, .ancestor_start = start};
    assert_int_equal(e.modifier->add_points(e.modifier_self, 1, &above), DV_OK);
    dv_state_write(scene_state(scene, "/dofs"), DV_REST_POSITION, DV_READ_WRITE).at[3 * points + 2] = -1.0;
    assert_int_equal(e.modifier->add_elements(e.modifier_self, DV_TETRAHEDRA, 1, nodes, NULL), DV_OK);
    ops->compute_force(m, &step, DV_FORCE, DV_WALK_WHOLE);
    const DvBlockMatrix *larger = ops->assemble(m, &step, factors, 0);
    assert_true(larger->structure != structure && larger->rows == points + 1);
    ops->close(m);
    dv_scene_free(scene);
}

/* A body that comes between two others stands between them, is turned as far in proportion, and goes at their mean. */
static void a_body_between_two_others_is_between_them(void **state)
{
    (void)state;
    const double half = 0.5 * 0.8; /* a turn by 0.8 about z */
    DvText text = {0};
    dv_text_add(
        &text,
        "<Node><EdgeSetTopologyContainer name='c' position='0 0 0 2 0 0' edges='0 1'/><EdgeSetTopologyModifier name='m'/>"
        "<MechanicalObject name='dofs' template='Rigid3d' position='1 0 0 0 0 0 1  3 4 0 0 0 %.17g %.17g' "
        "velocity='1 2 3 4 5 6  3 2 1 0 -1 -2'/></Node>",
        sin(half), cos(half));
    DvScene *scene = scene_from_text(text.at);
    DvObject *object = scene_object(scene, "/m");
    const DvTopologyModifierOps *modifier = dv_object_ops(object, DV_TOPOLOGY_MODIFIER);
    const uint32_t ancestors[2] = {0, 1}, start[2] = {0, 2};
    const double weights[2] = {0.25, 0.75};
    const DvElementChange between = {.ancestors = ancestors, .weights = weights, .ancestor_start = start};
    assert_int_equal(modifier->add_points(dv_object_self(object), 1, &between), DV_OK);
    const DvStateRef dofs = scene_state(scene, "/dofs");
    assert_int_equal(dv_state_count(dofs), 3);
    const double *x = dv_state_read(dofs, DV_POSITION).at + 14, *v = dv_state_read(dofs, DV_VELOCITY).at + 12;
    const double place[7] = {2.5, 3, 0, 0, 0, sin(0.75 * half), cos(0.75 * half)};
    const double motion[6] = {2.5, 2, 1.5, 1, 0.5, 0};
    for (int c = 0; c < 7; c++)
        assert_true(fabs(x[c] - place[c]) < 1e-12);
    for (int c = 0; c < 6; c++)
        assert_true(fabs(v[c] - motion[c]) < 1e-14);
    dv_scene_free(scene);
    dv_text_free(&text);
}

/* ---- Elements in pieces */

/* %s: a value for each element. */
typedef struct Divided {
    DvElementKind kind;
    const char *components;
} Divided;

static const Divided divided[] = {
    {DV_HEXAHEDRA, "<UniformMass vertexMass='0.3'/><HexahedronFEMForceField youngModulus='%s' poissonRatio='0.3'/>"},
    {DV_HEXAHEDRA,
     "<UniformMass vertexMass='0.3'/><HexahedronFEMForceField method='exact' youngModulus='%s' poissonRatio='0.3'/>"},
    {DV_HEXAHEDRA, "<UniformMass vertexMass='0.3'/><HexahedralFEMForceField youngModulus='%s' poissonRatio='0.3'/>"},
    {DV_HEXAHEDRA, "<HexahedronFEMForceFieldAndMass density='3' youngModulus='%s' poissonRatio='0.3'/>"},
    {DV_HEXAHEDRA, "<DiagonalMass massDensity='%s'/>"},
    {DV_HEXAHEDRA, "<MeshMatrixMass computeMassOnRest='1' massDensity='%s'/>"},
    {DV_HEXAHEDRA, "<MeshMatrixMass computeMassOnRest='1' massDensity='%s' consistent='1'/>"},
    {DV_QUADS, "<UniformMass vertexMass='0.3'/><TriangleFEMForceField youngModulus='%s' poissonRatio='0.3'/>"},
    {DV_QUADS, "<DiagonalMass massDensity='%s'/>"},
    {DV_QUADS, "<MeshMatrixMass computeMassOnRest='1' massDensity='%s' consistent='1'/>"},
};

/* The components with these values; of the triangles of a quad its value twice. */
static char *with_values(const Divided *what, const double *value, uint32_t count)
{
    const char *place = strstr(what->components, "%s");
    const bool twice = strstr(what->components, "TriangleFEM") != NULL;
    DvText text = {0};
    dv_text_add(&text, "%.*s", (int)(place - what->components), what->components);
    for (uint32_t i = 0; i < count * (twice ? 2 : 1); i++)
        dv_text_add(&text, "%.17g ", value[twice ? i / 2 : i]);
    dv_text_add(&text, "%s", place + 2);
    return text.at;
}

/* A point in the element, at `at` (0, 1 or 2 halves) along its axes, from its corners in the order of a topology. */
static uint32_t inner_point(Editor *e, const uint32_t *corner, const uint32_t at[3], uint32_t *known)
{
    static const uint8_t axes[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                       {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    uint32_t *place = &known[at[0] + 3 * at[1] + 9 * at[2]], from[8], start[2] = {0, 0};
    double weights[8];
    if (*place != UINT32_MAX)
        return *place;
    const bool solid = e->kind == DV_HEXAHEDRA;
    for (uint32_t n = 0; n < (solid ? 8 : 4); n++) {
        double weight = 1.0;
        for (int k = 0; k < (solid ? 3 : 2); k++)
            weight *= axes[n][k] ? 0.5 * at[k] : 1.0 - 0.5 * at[k];
        if (weight > 0.0) {
            from[start[1]] = corner[n];
            weights[start[1]++] = weight;
        }
    }
    if (start[1] == 1)
        return *place = from[0];
    const DvElementChange mixed = {.ancestors = from, .weights = weights, .ancestor_start = start};
    *place = e->mesh->point_count(e->mesh_self);
    assert_int_equal(e->modifier->add_points(e->modifier_self, 1, &mixed), DV_OK);
    return *place;
}

/* One element becomes eight, or four, with its value, on points of their own. Returns how many there are. */
static uint32_t divide(Editor *e, uint32_t element, double *value, uint32_t count)
{
    static const uint8_t axes[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                       {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    const uint32_t nodes = dv_element_nodes(e->kind);
    uint32_t corner[8], piece[64], known[27], parents[8], start[9];
    memcpy(corner, e->mesh->elements(e->mesh_self, e->kind).at + (size_t)element * nodes, nodes * sizeof *corner);
    memset(known, 0xff, sizeof known);
    for (uint32_t k = 0; k < nodes; k++) {
        for (uint32_t n = 0; n < nodes; n++)
            piece[k * nodes + n] =
                inner_point(e, corner,
                            (uint32_t[3]){(uint32_t)axes[k][0] + axes[n][0], (uint32_t)axes[k][1] + axes[n][1],
                                          (uint32_t)axes[k][2] + axes[n][2]},
                            known);
        parents[k] = element;
        start[k] = k;
        value[count + k] = value[element];
    }
    start[nodes] = nodes;
    const DvElementChange descent = {.ancestors = parents, .ancestor_start = start};
    assert_int_equal(e->modifier->add_elements(e->modifier_self, e->kind, nodes, piece, &descent), DV_OK);
    assert_int_equal(e->modifier->remove_elements(e->modifier_self, e->kind, 1, &element, true), DV_OK);
    value[element] = value[count + nodes - 1];
    return count + nodes - 1;
}

/* Pieces, pieces of pieces, and what is left when some of them go, have what they were made from. */
static void pieces_are_what_they_were_made_from(void **state)
{
    (void)state;
    enum { ROUNDS = 12, MOST = 27 + 8 * ROUNDS };
    DvScene *first = scene_from_text("<Node/>");
    const DvMechanicalOperationsOps *ops = dv_service(DV_MECHANICAL_OPERATIONS);
    for (size_t i = 0; i < sizeof divided / sizeof *divided; i++) {
        double value[MOST];
        uint32_t count = divided[i].kind == DV_HEXAHEDRA ? 27 : 9;
        for (uint32_t k = 0; k < count; k++)
            value[k] = 100.0 + 7.0 * k;
        char *text = with_values(&divided[i], value, count);
        DvScene *scene = scene_on_grid(&(Case){divided[i].kind, text});
        dv_free(text);
        DvMechanics *m = ops->open(dv_scene_root(scene));
        Editor e = editor_of(scene, divided[i].kind);
        Values edited = {0}, anew = {0};
        evaluate(scene, m, &edited);
        for (uint32_t round = 0; round < ROUNDS; round++) {
            count = divide(&e, next_random(&e.seed, count), value, count);
            if (round % 3 == 2) {
                const uint32_t gone = next_random(&e.seed, count);
                assert_int_equal(e.modifier->remove_elements(e.modifier_self, e.kind, 1, &gone, true), DV_OK);
                value[gone] = value[--count];
            }
            evaluate(scene, m, &edited);
            text = with_values(&divided[i], value, count);
            const Case now = {divided[i].kind, text};
            DvScene *fresh = scene_loaded_anew(&now, scene);
            DvMechanics *of_fresh = ops->open(dv_scene_root(fresh));
            evaluate(fresh, of_fresh, &anew);
            compare(&now, round, &edited, &anew);
            ops->close(of_fresh);
            dv_scene_free(fresh);
            dv_free(text);
        }
        ops->close(m);
        dv_scene_free(scene);
        free(edited.at);
        free(anew.at);
    }
    dv_scene_free(first);
}

/* ---- Springs */

/* As dv_type_linear_springs keeps them. */
typedef struct Spring {
    uint32_t a, b;
    double numbers[3];
    uint32_t elongation_only, enabled;
} Spring;

static bool has_edge(const DvElements *edges, uint32_t a, uint32_t b)
{
    for (uint32_t e = 0; e < edges->count; e++)
        if ((edges->at[2 * e] == a && edges->at[2 * e + 1] == b) ||
            (edges->at[2 * e] == b && edges->at[2 * e + 1] == a))
            return true;
    return false;
}

/* Springs of edges stay, in their order, on the points that they were on, as long as their edge is there. */
static void springs_go_with_their_edges(void **state)
{
    (void)state;
    enum { MOST = 400 };
    const Case what = {DV_TETRAHEDRA, "<MeshSpringForceField name='springs' linesStiffness='10'/>"};
    DvScene *scene = scene_on_grid(&what);
    Editor e = editor_of(scene, what.kind);
    DvElementData labels = {.kind = DV_POINTS, .entry_size = sizeof(uint32_t)};
    assert_int_equal(dv_element_data_attach(&labels, scene_object(scene, "/mesh")), DV_OK);
    for (uint32_t i = 0; i < labels.count; i++)
        ((uint32_t *)labels.entries)[i] = i + 1; /* new points have 0 */
    DvData *field = dv_object_field(scene_object(scene, "/springs"), "spring");
    uint32_t expected[MOST][2], count = (uint32_t)(dv_data_read(field), field->count);
    assert_in_range(count, 100, MOST);
    for (uint32_t i = 0; i < count; i++) {
        const Spring *spring = (const Spring *)field->value + i;
        expected[i][0] = spring->a + 1;
        expected[i][1] = spring->b + 1;
    }
    for (uint32_t edits = 0; edits < EDITS && count > 20; edits++) {
        edit(&e);
        const DvElements edges = e.mesh->elements(e.mesh_self, DV_EDGES);
        const Spring *now = dv_data_read(field);
        const uint32_t *label = labels.entries;
        uint32_t kept = 0;
        for (uint32_t i = 0; i < count; i++) {
            uint32_t place[2] = {UINT32_MAX, UINT32_MAX};
            for (uint32_t p = 0; p < labels.count; p++)
                for (int k = 0; k < 2; k++)
                    place[k] = label[p] == expected[i][k] ? p : place[k];
            if (place[0] == UINT32_MAX || place[1] == UINT32_MAX || !has_edge(&edges, place[0], place[1]))
                continue;
            assert_true(kept < field->count);
            assert_true(now[kept].a == place[0] && now[kept].b == place[1]);
            memcpy(expected[kept++], expected[i], sizeof expected[i]);
        }
        assert_int_equal(field->count, kept);
        count = kept;
    }
    dv_element_data_detach(&labels);
    dv_scene_free(scene);
}

/* ---- Mapped points */

/* Forces on mapped points arrive at what these hang on, in the order of the rows: the same bits as from the rows. */
static void check_transpose(const DvScene *scene, DvMechanics *m, const DvStep *step)
{
    const DvMechanicalOperationsOps *ops = dv_service(DV_MECHANICAL_OPERATIONS);
    const DvStateRef in = scene_state(scene, "/dofs"), out = scene_state(scene, "/hung/dofs");
    ops->compute_force(m, step, DV_FORCE, DV_WALK_WHOLE);
    const DvConstVec up = dv_state_read(in, DV_FORCE), down = dv_state_read(out, DV_FORCE);
    DvObject *map = scene_object(scene, "/hung/map");
    const uint32_t *node = dv_data_uints(dv_object_field(map, "rowNodes"), NULL);
    const double *weight = dv_data_doubles(dv_object_field(map, "rowWeights"), NULL);
    double *expected = test_calloc((size_t)up.count * 3, sizeof *expected);
    for (uint32_t row = 0; row < down.count; row++)
        for (uint32_t e = 4 * row; e < 4 * row + 4; e++)
            for (uint32_t c = 0; c < 3; c++)
                expected[3 * node[e] + c] += down.at[3 * row + c] * weight[e];
    assert_memory_equal(up.at, expected, (size_t)up.count * 3 * sizeof *expected);
    test_free(expected);
}

/* Points that hang on a mesh stay where they are when elements go, and their weights are those of one element that is there. */
static void mapped_points_stay_where_they_are(void **state)
{
    (void)state;
    DvText text = {0};
    dv_text_add(&text, "<Node name='hung'><MechanicalObject name='dofs' position='");
    for (uint32_t i = 0; i < 40; i++)
        dv_text_add(&text, "%.17g %.17g %.17g ", 0.1 + 0.07 * i, 1.5 + sin(i), 1.5 + cos(3.0 * i));
    dv_text_add(&text, "'/><BarycentricMapping name='map'/><ConstantForceField totalForce='1 2 3' indices='");
    for (uint32_t i = 0; i < 40; i++)
        dv_text_add(&text, "%u ", i); /* all there are: without a list, all of the mesh */
    dv_text_add(&text, "'/></Node>");
    const Case what = {DV_TETRAHEDRA, text.at};
    DvScene *scene = scene_on_grid(&what);
    const DvMechanicalOperationsOps *ops = dv_service(DV_MECHANICAL_OPERATIONS);
    DvMechanics *m = ops->open(dv_scene_root(scene));
    Editor e = editor_of(scene, what.kind);
    const DvStep step = {.dt = 0.01, .position = DV_POSITION, .velocity = DV_VELOCITY};
    const DvStateRef hung = scene_state(scene, "/hung/dofs");
    double before[120];
    ops->propagate_position(m, &step, DV_POSITION);
    memcpy(before, dv_state_read(hung, DV_POSITION).at, sizeof before);
    DvObject *map = scene_object(scene, "/hung/map");
    for (uint32_t i = 0; i < EDITS; i++) {
        edit(&e);
        ops->propagate_position(m, &step, DV_POSITION);
        const double *now = dv_state_read(hung, DV_POSITION).at;
        for (int k = 0; k < 120; k++)
            assert_close(now[k], before[k], 1e-12);
        check_transpose(scene, m, &step);
        const uint32_t *node = dv_data_uints(dv_object_field(map, "rowNodes"), NULL);
        const DvElements list = e.mesh->elements(e.mesh_self, DV_TETRAHEDRA);
        for (uint32_t row = 0; row < 40; row++) {
            bool found = false;
            for (uint32_t t = 0; t < list.count && !found; t++)
                found = memcmp(list.at + 4 * (size_t)t, node + 4 * (size_t)row, 4 * sizeof *node) == 0;
            assert_true(found);
        }
    }
    ops->close(m);
    dv_scene_free(scene);
    dv_text_free(&text);
}

/* Points come to what is mapped, between others, and go, while elements of the mesh go: all stay where they are. Those that were there hang
 * as they did, wherever they have been put meanwhile. */
static void mapped_points_come_and_go(void **state)
{
    (void)state;
    enum { MOST = 200 };
    DvText text = {0};
    dv_text_add(&text, "<Node name='hung'><PointSetTopologyContainer name='points' position='");
    for (uint32_t i = 0; i < 40; i++)
        dv_text_add(&text, "%.17g %.17g %.17g ", 0.1 + 0.07 * i, 1.5 + sin(i), 1.5 + cos(3.0 * i));
    dv_text_add(&text,
                "'/><PointSetTopologyModifier name='modifier'/><MechanicalObject name='dofs'/><BarycentricMapping "
                "name='map'/><ConstantForceField totalForce='1 2 3'/></Node>");
    const Case what = {DV_TETRAHEDRA, text.at};
    DvScene *scene = scene_on_grid(&what);
    const DvMechanicalOperationsOps *ops = dv_service(DV_MECHANICAL_OPERATIONS);
    DvMechanics *m = ops->open(dv_scene_root(scene));
    Editor e = editor_of(scene, what.kind);
    DvObject *modifier = scene_object(scene, "/hung/modifier");
    const DvTopologyModifierOps *points = dv_object_ops(modifier, DV_TOPOLOGY_MODIFIER);
    const DvStep step = {.dt = 0.01, .position = DV_POSITION, .velocity = DV_VELOCITY};
    const DvStateRef hung = scene_state(scene, "/hung/dofs");
    double place[MOST][3];
    uint32_t count = 40;
    ops->propagate_position(m, &step, DV_POSITION);
    memcpy(place, dv_state_read(hung, DV_POSITION).at, (size_t)count * sizeof *place);
    for (uint32_t i = 0; i < EDITS; i++) {
        if (i % 2 == 0) {
            const uint32_t from[2] = {next_random(&e.seed, count), next_random(&e.seed, count)}, start[2] = {0, 2};
            const DvElementChange descent = {.ancestors = from, .ancestor_start = start};
            assert_int_equal(points->add_points(dv_object_self(modifier), 1, &descent), DV_OK);
            for (int c = 0; c < 3; c++)
                place[count][c] = 0.5 * place[from[0]][c] + 0.5 * place[from[1]][c];
            count++;
        }
        if (i % 5 == 4) {
            const uint32_t gone = next_random(&e.seed, count);
            ops->propagate_position(m, &step, DV_POSITION);
            assert_int_equal(points->remove_points(dv_object_self(modifier), 1, &gone), DV_OK);
            memcpy(place[gone], place[--count], sizeof *place);
        }
        if (i % 3 > 0)
            edit(&e);
        const DvVec out = dv_state_write(hung, DV_POSITION, DV_READ_WRITE);
        assert_int_equal(out.count, count);
        out.at[0] += 0.3; /* of a point that has been there all the time, unless it went */
        ops->propagate_position(m, &step, DV_POSITION);
        const double *now = dv_state_read(hung, DV_POSITION).at;
        for (uint32_t k = 0; k < 3 * count; k++)
            assert_close(now[k], place[k / 3][k % 3], 1e-11);
        check_transpose(scene, m, &step);
    }
    assert_true(count > 50);
    ops->close(m);
    dv_scene_free(scene);
    dv_text_free(&text);
}

/* A border of points of its own hangs on the mesh that it is the border of, in the corners of elements. */
static void points_of_a_border_hang_on_its_mesh(void **state)
{
    (void)state;
    DvText text = {0};
    dv_text_add(&text,
                "<Node name='border'><TriangleSetTopologyContainer name='triangles'/><TriangleSetTopologyModifier/>"
                "<Tetra2TriangleTopologicalMapping input='@../mesh' output='@triangles'/><MechanicalObject "
                "name='dofs' position='");
    positions_text(&text, SIDE * SIDE * SIDE);
    dv_text_add(&text, "'/><BarycentricMapping name='map'/></Node>");
    const Case what = {DV_TETRAHEDRA, text.at};
    DvScene *scene = scene_on_grid(&what);
    const DvMechanicalOperationsOps *ops = dv_service(DV_MECHANICAL_OPERATIONS);
    DvMechanics *m = ops->open(dv_scene_root(scene));
    Editor e = editor_of(scene, what.kind);
    const DvStep step = {.dt = 0.01, .position = DV_POSITION, .velocity = DV_VELOCITY};
    double first[3 * SIDE * SIDE * SIDE];
    ops->propagate_position(m, &step, DV_POSITION);
    memcpy(first, dv_state_read(scene_state(scene, "/border/dofs"), DV_POSITION).at, sizeof first);
    for (uint32_t i = 0; i < 2 * EDITS; i++) {
        if (i % 3 == 2)
            remove_some(&e);
        else
            edit(&e);
        ops->propagate_position(m, &step, DV_POSITION);
        const DvConstVec hung = dv_state_read(scene_state(scene, "/border/dofs"), DV_POSITION);
        assert_int_equal(hung.count, SIDE * SIDE * SIDE);
        for (uint32_t k = 0; k < 3 * hung.count; k++)
            assert_close(hung.at[k], first[k], 1e-11);
    }
    ops->close(m);
    dv_scene_free(scene);
    dv_text_free(&text);
}

/* ---- Reset, and saved scenes */

/* Materials of their own, plasticity, a mass by its sum, fixed points and springs. */
#define WHOLE(solver, mass)                                                                                     \
    {                                                                                                           \
        DV_TETRAHEDRA,                                                                                          \
            "<EulerImplicitSolver/>" solver mass "<FixedProjectiveConstraint name='fixed' indices='0 5 60 3'/>" \
            "<TetrahedronFEMForceField name='fem' youngModulus='300 400 500' poissonRatio='0.3' "               \
            "plasticMaxThreshold='0.3' plasticYieldThreshold='0.01'/><MeshSpringForceField stiffness='10'/>"    \
    }
/* No component but the mass names what the matrix couples. */
#define ALONE(solver, mass)                                                                                     \
    {                                                                                                           \
        DV_TETRAHEDRA,                                                                                          \
            "<EulerImplicitSolver/>" solver mass "<FixedProjectiveConstraint name='fixed' indices='0 5 60 3'/>" \
            "<RestShapeSpringsForceField stiffness='20'/>"                                                      \
    }
#define BLOCK(solver, mass)                                                                                     \
    {                                                                                                           \
        DV_HEXAHEDRA,                                                                                           \
            "<EulerImplicitSolver/>" solver mass "<FixedProjectiveConstraint name='fixed' indices='0 5 60 3'/>" \
            "<RestShapeSpringsForceField stiffness='20'/>"                                                      \
    }
#define CG     "<CGLinearSolver iterations='30' tolerance='1e-12' threshold='1e-20'/>"
#define DIRECT "<SparseLDLSolver/>"
/* A material of its own for each tetrahedron of the box, or factor, by these fields. */
#define VARIED(class, fields)                                                                                 \
    {                                                                                                         \
        DV_TETRAHEDRA, "<EulerImplicitSolver/>" CG "<DiagonalMass totalMass='3'/><FixedProjectiveConstraint " \
                       "name='fixed' indices='0 5 60 3'/><" class " name='fem' " fields "/>"                  \
    }
#define TIMES_9(n)  #n "1 " #n "2 " #n "3 " #n "4 " #n "5 " #n "6 " #n "7 " #n "8 " #n "9 "
#define TIMES_54(n) TIMES_9(n) TIMES_9(n) TIMES_9(n) TIMES_9(n) TIMES_9(n) TIMES_9(n)
#define EACH(n)     "'" TIMES_54(n) TIMES_54(n) TIMES_54(n) "'"
static const Case wholes[] = {
    VARIED("TetrahedronFEMForceField", "youngModulus=" EACH(3) " poissonRatio='0.3'"),
    VARIED("TetrahedronFEMForceField", "youngModulus='40' poissonRatio=" EACH(0.3)),
    VARIED("TetrahedronFEMForceField", "youngModulus='40' poissonRatio='0.3' localStiffnessFactor=" EACH(1.)),
    VARIED("TetrahedralCorotationalFEMForceField",
           "youngModulus=" EACH(3) " poissonRatio=" EACH(0.3) " localStiffnessFactor=" EACH(1.)),
    WHOLE(CG, "<DiagonalMass totalMass='3'/>"),
    WHOLE(CG, "<MeshMatrixMass totalMass='3'/>"),
    WHOLE(CG, "<MeshMatrixMass massDensity='0.4' lumping='1' computeMassOnRest='1'/>"),
    WHOLE(DIRECT, "<DiagonalMass totalMass='3'/>"),
    WHOLE(DIRECT, "<MeshMatrixMass totalMass='3'/>"),
    ALONE(CG, "<MeshMatrixMass totalMass='3'/>"),
    ALONE(DIRECT, "<MeshMatrixMass totalMass='3'/>"),
    BLOCK(CG, "<MeshMatrixMass totalMass='3' computeMassOnRest='1' consistent='1'/>"),
    BLOCK(DIRECT, "<MeshMatrixMass massDensity='0.3' computeMassOnRest='1' consistent='1'/>"),
};
enum { WHOLES = sizeof wholes / sizeof *wholes };

static void run(DvScene *scene, Editor *editor, uint32_t edits, int steps)
{
    for (uint32_t i = 0; i < edits; i++)
        edit(editor);
    for (int i = 0; i < steps; i++)
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
}

static void expect_same_run(DvScene *a, DvScene *b)
{
    static const DvVecId vectors[] = {DV_POSITION, DV_VELOCITY, DV_REST_POSITION};
    for (int v = 0; v < 3; v++) {
        const DvConstVec left = dv_state_read(scene_state(a, "/dofs"), vectors[v]);
        const DvConstVec right = dv_state_read(scene_state(b, "/dofs"), vectors[v]);
        assert_int_equal(left.count, right.count);
        for (uint32_t i = 0; i < 3 * left.count; i++)
            if (left.at[i] != right.at[i])
                fail_msg("vector %u, number %u: %.17g and %.17g", vectors[v], i, left.at[i], right.at[i]);
    }
    assert_true(dv_data_equal(dv_object_field(scene_object(a, "/fixed"), "indices"),
                              dv_object_field(scene_object(b, "/fixed"), "indices")));
}

static DvScene *saved_and_loaded(DvScene *scene)
{
    DvScene *again;
    char name[] = P_tmpdir "/divan-mesh-changes-XXXXXX.scn";
    const int file = mkstemps(name, 4);
    assert_true(file >= 0);
    assert_int_equal(dv_scene_save(scene, name), DV_OK);
    assert_int_equal(dv_scene_load(name, NULL, &again), DV_OK);
    (void)close(file);
    (void)remove(name);
    expect_same_run(scene, again);
    return again;
}

/* Cells go, with the edges that they share and no point; the matrix keeps their places. */
static void remove_cells(const Editor *editor, DvElementKind kind, const uint32_t *cells, uint32_t count)
{
    uint32_t gone[30];
    const uint32_t of_cell = kind == DV_HEXAHEDRA ? 1 : 6;
    for (uint32_t i = 0; i < count * of_cell; i++)
        gone[i] = cells[i / of_cell] * of_cell + i % of_cell;
    assert_int_equal(editor->modifier->remove_elements(editor->modifier_self, kind, count * of_cell, gone, true),
                     DV_OK);
    assert_int_equal(editor->mesh->point_count(editor->mesh_self), SIDE * SIDE * SIDE);
}

/* Edits, then some steps or none, then it is saved. Without `points` they leave all points where they are. */
static void check_saved(const Case *whole, bool points, int steps)
{
    DvScene *scene = scene_on_grid(whole);
    Editor editor = editor_of(scene, whole->kind);
    run(scene, &editor, 0, 2);
    if (points) {
        run(scene, &editor, 9, steps);
    } else {
        remove_cells(&editor, whole->kind, (const uint32_t[]){12, 13, 14, 10, 16}, 5);
        run(scene, &editor, 0, steps);
    }
    DvScene *again = saved_and_loaded(scene);
    Editor other = editor_of(again, whole->kind);
    other.seed = editor.seed;
    run(scene, &editor, 0, 3);
    run(again, &other, 0, 3);
    expect_same_run(scene, again);
    run(scene, &editor, 12, 4);
    run(again, &other, 12, 4);
    expect_same_run(scene, again);
    dv_scene_free(again);
    dv_scene_free(scene);
}

static void a_saved_scene_goes_on_with_the_same_bits(void **state)
{
    (void)state;
    for (size_t i = 0; i < WHOLES; i++)
        for (int k = 0; k < 4; k++)
            check_saved(&wholes[i], k < 2, k % 2 ? 3 : 0);
}

/* An edit before the loaded scene has made a step: pairs that it takes from the elements keep their places as in the scene that went on. */
static void check_saved_and_edited(const Case *whole, bool before, bool points)
{
    DvScene *scene = scene_on_grid(whole);
    Editor editor = editor_of(scene, whole->kind);
    run(scene, &editor, 0, 2);
    if (before) {
        remove_cells(&editor, whole->kind, (const uint32_t[]){12, 13}, 2);
        run(scene, &editor, 0, 1);
    }
    DvScene *again = saved_and_loaded(scene);
    Editor other = editor_of(again, whole->kind);
    other.seed = editor.seed;
    for (int i = 0; i < 2; i++) {
        Editor *one = i == 0 ? &editor : &other;
        if (points)
            edit(one);
        else
            remove_cells(one, whole->kind, (const uint32_t[]){14, 10, 16}, 3);
    }
    run(scene, &editor, 0, 3);
    run(again, &other, 0, 3);
    expect_same_run(scene, again);
    dv_scene_free(again);
    dv_scene_free(scene);
}

static void a_scene_that_is_edited_as_soon_as_it_is_loaded_goes_on_with_the_same_bits(void **state)
{
    (void)state;
    for (size_t i = 0; i < WHOLES; i++)
        for (int k = 0; k < 4; k++)
            check_saved_and_edited(&wholes[i], k % 2, k / 2);
}

static void check_reset(const Case *whole)
{
    DvScene *scene = scene_on_grid(whole), *fresh = scene_on_grid(whole);
    Editor editor = editor_of(scene, whole->kind), other = editor_of(fresh, whole->kind);
    run(scene, &editor, 0, 2);
    run(scene, &editor, 15, 3);
    dv_scene_reset(scene);
    editor.seed = other.seed;
    run(scene, &editor, 0, 3);
    run(fresh, &other, 0, 3);
    expect_same_run(scene, fresh);
    run(scene, &editor, 10, 3);
    run(fresh, &other, 10, 3);
    expect_same_run(scene, fresh);
    dv_scene_free(fresh);
    dv_scene_free(scene);
}

static void a_reset_scene_runs_as_at_first(void **state)
{
    (void)state;
    for (size_t i = 0; i < WHOLES; i++)
        check_reset(&wholes[i]);
}

/* ---- Ends */

/* All elements go, and some come again. */
static void the_last_element_may_go(void **state)
{
    (void)state;
    DvScene *first = scene_from_text("<Node/>");
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        DvScene *scene = scene_on_grid(&cases[c]);
        const DvMechanicalOperationsOps *ops = dv_service(DV_MECHANICAL_OPERATIONS);
        DvMechanics *m = ops->open(dv_scene_root(scene));
        Editor e = editor_of(scene, cases[c].kind);
        Values values = {0};
        evaluate(scene, m, &values);
        for (uint32_t count; (count = e.mesh->elements(e.mesh_self, e.kind).count) > 0;) {
            const uint32_t twice[2] = {count - 1, count - 1}; /* counts once */
            assert_int_equal(e.modifier->remove_elements(e.modifier_self, e.kind, 2, twice, true), DV_OK);
            assert_int_equal(e.mesh->elements(e.mesh_self, e.kind).count, count - 1);
            if (count < 4)
                evaluate(scene, m, &values);
        }
        assert_int_equal(e.mesh->point_count(e.mesh_self),
                         e.kind == DV_EDGES ? 1 : 0); /* one had no edge from the start */
        const uint32_t none = 0;
        assert_int_equal(e.modifier->remove_elements(e.modifier_self, e.kind, 1, &none, true), DV_ERROR_INVALID);
        evaluate(scene, m, &values);
        for (size_t i = 0; i < values.count; i++)
            assert_close(values.at[i], 0.0, 1e-12);
        free(values.at);
        ops->close(m);
        dv_scene_free(scene);
    }
    dv_scene_free(first);
}

/* A body that begins without elements and gets them is the one that has them from the start. */
static void a_mesh_may_begin_without_elements(void **state)
{
    (void)state;
    static const char body[] =
        "<Node name='root' dt='0.01' gravity='0 0 0'><DefaultAnimationLoop/><EulerImplicitSolver/>"
        "<SparseLDLSolver template='CompressedRowSparseMatrixMat3x3d'/>"
        "<TetrahedronSetTopologyContainer name='mesh' %s/><TetrahedronSetTopologyModifier name='modifier'/>"
        "<MechanicalObject name='dofs' position='0 0 0 1 0 0 0 1 0 0 0 1 1 1 1'/><UniformMass vertexMass='1'/>"
        "<FixedProjectiveConstraint name='fixed' indices='0'/><TetrahedralCorotationalFEMForceField youngModulus='1000' poissonRatio='0.3'/></Node>";
    static const uint32_t tetrahedra[8] = {0, 1, 2, 3, 4, 2, 1, 3};
    char text[1024];
    snprintf(text, sizeof text, body, "");
    DvScene *grown = scene_from_text(text);
    snprintf(text, sizeof text, body, "tetrahedra='0 1 2 3  4 2 1 3'");
    DvScene *whole = scene_from_text(text);
    DvScene *const scenes[2] = {grown, whole};
    assert_int_equal(dv_scene_step(grown, 0), DV_OK); /* without elements; nothing moves in either */
    assert_int_equal(dv_scene_step(whole, 0), DV_OK);
    for (int i = 0; i < 2; i++) {
        const double gravity[3] = {0, -10, 0};
        dv_data_set(dv_object_field(dv_object_of(dv_scene_root(scenes[i])), "gravity"), gravity, 1);
    }
    DvObject *modifier = scene_object(grown, "/modifier");
    const DvTopologyModifierOps *ops = dv_object_ops(modifier, DV_TOPOLOGY_MODIFIER);
    assert_int_equal(ops->add_elements(dv_object_self(modifier), DV_TETRAHEDRA, 2, tetrahedra, NULL), DV_OK);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(dv_scene_step(grown, 0), DV_OK);
        assert_int_equal(dv_scene_step(whole, 0), DV_OK);
        expect_same_run(grown, whole);
    }
    dv_scene_free(whole);
    dv_scene_free(grown);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_body_between_two_others_is_between_them),
        cmocka_unit_test(edited_meshes_are_those_loaded_anew),
        cmocka_unit_test(pairs_without_elements_are_kept_for_saved_scenes),
        cmocka_unit_test(what_has_left_hears_of_no_edit),
        cmocka_unit_test(matrices_keep_their_pattern_when_elements_go),
        cmocka_unit_test(pieces_are_what_they_were_made_from),
        cmocka_unit_test(springs_go_with_their_edges),
        cmocka_unit_test(mapped_points_stay_where_they_are),
        cmocka_unit_test(mapped_points_come_and_go),
        cmocka_unit_test(points_of_a_border_hang_on_its_mesh),
        cmocka_unit_test(a_saved_scene_goes_on_with_the_same_bits),
        cmocka_unit_test(a_scene_that_is_edited_as_soon_as_it_is_loaded_goes_on_with_the_same_bits),
        cmocka_unit_test(a_reset_scene_runs_as_at_first),
        cmocka_unit_test(the_last_element_may_go),
        cmocka_unit_test(a_mesh_may_begin_without_elements),
    };
    return share_run_group_tests(tests, NULL, stop_plugins);
}
