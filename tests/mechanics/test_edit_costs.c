/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What follows an edit of a mesh does so in time with what was touched: the bytes that it asks of the heap, which whoever makes its lists
 * anew asks for in proportion to the mesh, are as many in a mesh of 64 cells as in one of 1,728, and few.
 */
#include "force_at.h"

#include "block_count.h"

#include <divan/contracts/collision.h>
#include <divan/contracts/mechanical_operations.h>
#include <divan/contracts/topology.h>
#include <divan/contracts/visual.h>

typedef struct Case {
    DvElementKind kind;
    const char *components;
} Case;

#define MASS "<UniformMass vertexMass='1'/>"
#define HUNG \
    "<Node><MechanicalObject position='@../mesh.position'/><BarycentricMapping/><UniformMass vertexMass='1'/></Node>"
#define MATERIAL " youngModulus='300' poissonRatio='0.3'"

static const Case cases[] = {
    {DV_TETRAHEDRA, MASS "<TetrahedronFEMForceField" MATERIAL "/>"},
    {DV_TETRAHEDRA, MASS "<TetrahedralCorotationalFEMForceField" MATERIAL "/>"},
    {DV_TETRAHEDRA, "<DiagonalMass massDensity='2'/>"},
    {DV_TETRAHEDRA, "<MeshMatrixMass massDensity='2' computeMassOnRest='1'/>"},
    {DV_HEXAHEDRA, "<MeshMatrixMass massDensity='2' computeMassOnRest='1' consistent='1'/>"},
    {DV_TRIANGLES, MASS "<TriangleFEMForceField" MATERIAL "/>"},
    {DV_TRIANGLES, MASS "<TriangleFEMForceField method='exact'" MATERIAL "/>"},
    {DV_TRIANGLES, MASS "<TriangularFEMForceField" MATERIAL "/>"},
    {DV_HEXAHEDRA, MASS "<HexahedronFEMForceField" MATERIAL "/>"},
    {DV_HEXAHEDRA, MASS "<HexahedronFEMForceField method='exact'" MATERIAL "/>"},
    {DV_HEXAHEDRA, MASS "<HexahedralFEMForceField" MATERIAL "/>"},
    {DV_HEXAHEDRA, "<DiagonalMass massDensity='2'/>"},
    {DV_TETRAHEDRA, MASS HUNG},
    {DV_HEXAHEDRA, MASS HUNG},
};

enum {
    CELLS_OF_SMALL = 4,
    CELLS_OF_LARGE = 12,
    EDITS = 12,
    MOST_BYTES = 4000 /* an edit; lists of the large mesh have 14,000 and more */
};

static void cell_text(DvText *text, DvElementKind kind, const uint32_t corner[8])
{
    uint32_t cut[6][4];
    dv_cut_hexahedron(corner, 0, true, cut);
    for (int i = 0; kind == DV_TETRAHEDRA && i < 24; i++)
        dv_text_add(text, "%u ", cut[i / 4][i % 4]);
    for (int i = 0; kind == DV_HEXAHEDRA && i < 8; i++)
        dv_text_add(text, "%u ", corner[i]);
    if (kind == DV_EDGES)
        dv_text_add(text, "%u %u %u %u ", corner[0], corner[1], corner[0], corner[3]);
    if (kind == DV_QUADS)
        dv_text_add(text, "%u %u %u %u ", corner[0], corner[1], corner[2], corner[3]);
    if (kind == DV_TRIANGLES)
        dv_text_add(text, "%u %u %u %u %u %u ", corner[0], corner[1], corner[2], corner[0], corner[2], corner[3]);
}

/* A box of cells whose corners are a little out of order; of triangles, sheets above each other. */
static DvScene *scene_of(const Case *what, uint32_t cells)
{
    static const char *const set[DV_ELEMENT_KINDS] = {[DV_EDGES] = "Edge",
                                                      [DV_TRIANGLES] = "Triangle",
                                                      [DV_QUADS] = "Quad",
                                                      [DV_TETRAHEDRA] = "Tetrahedron",
                                                      [DV_HEXAHEDRA] = "Hexahedron"};
    static const char *const list[DV_ELEMENT_KINDS] = {[DV_EDGES] = "edges",
                                                       [DV_TRIANGLES] = "triangles",
                                                       [DV_QUADS] = "quads",
                                                       [DV_TETRAHEDRA] = "tetrahedra",
                                                       [DV_HEXAHEDRA] = "hexahedra"};
    const uint32_t side = cells + 1, up = side * side;
    DvText text = {0};
    dv_text_add(&text, "<Node><%sSetTopologyContainer name='mesh' position='", set[what->kind]);
    for (uint32_t i = 0; i < side * side * side; i++) {
        const uint32_t column = i % side, row = i / side % side, layer = i / up;
        dv_text_add(&text, "%.17g %.17g %.17g ", column + 0.1 * sin(i), row + 0.1 * cos(i), layer + 0.1 * sin(2.0 * i));
    }
    dv_text_add(&text, "' %s='", list[what->kind]);
    for (uint32_t c = 0; c < cells * cells * cells; c++) {
        const uint32_t p = c % cells + side * (c / cells % cells + side * (c / cells / cells));
        cell_text(
            &text, what->kind,
            (uint32_t[8]){p, p + 1, p + side + 1, p + side, p + up, p + up + 1, p + up + side + 1, p + up + side});
    }
    dv_text_add(&text, "'/><%sSetTopologyModifier name='modifier'/><MechanicalObject name='dofs'/>%s</Node>",
                set[what->kind], what->components);
    DvScene *scene = scene_from_text(text.at);
    dv_text_free(&text);
    return scene;
}

/* An element goes, and comes again with what else is there at its points. */
static void replace_element(DvObject *mesh, DvObject *modifier, DvElementKind kind, uint32_t number)
{
    const DvTopologyOps *lists = dv_object_ops(mesh, DV_TOPOLOGY);
    const DvTopologyModifierOps *ops = dv_object_ops(modifier, DV_TOPOLOGY_MODIFIER);
    uint32_t element[8];
    const uint32_t nodes = dv_element_nodes(kind);
    memcpy(element, lists->elements(dv_object_self(mesh), kind).at + (size_t)number * nodes, nodes * sizeof *element);
    assert_int_equal(ops->remove_elements(dv_object_self(modifier), kind, 1, &number, false), DV_OK);
    assert_int_equal(ops->add_elements(dv_object_self(modifier), kind, 1, element, NULL), DV_OK);
}

/* Bytes for `EDITS` edits, after some that make room. */
static uint64_t bytes_of_edits(const Case *what, uint32_t cells)
{
    const DvMechanicalOperationsOps *ops = dv_service(DV_MECHANICAL_OPERATIONS);
    DvScene *scene = scene_of(what, cells);
    DvObject *mesh = scene_object(scene, "/mesh"), *modifier = scene_object(scene, "/modifier");
    DvMechanics *m = ops->open(dv_scene_root(scene));
    const DvStep step = {.dt = 0.01, .position = DV_POSITION, .velocity = DV_VELOCITY};
    uint64_t before = 0;
    for (uint32_t i = 0; i < 2 * EDITS; i++) {
        if (i == EDITS)
            before = byte_count();
        replace_element(mesh, modifier, what->kind, 5 + 3 * (i % EDITS));
        ops->propagate_position(m, &step, DV_POSITION);
        ops->compute_force(m, &step, DV_FORCE, DV_WALK_WHOLE);
        ops->add_mbk(m, &step, (DvFactors){1.0, 0.0, -0.1}, DV_DX, DV_FORCE, DV_WALK_WHOLE);
    }
    const uint64_t bytes = byte_count() - before;
    ops->close(m);
    dv_scene_free(scene);
    return bytes;
}

static void edits_ask_for_no_more_in_a_larger_mesh(void **state)
{
    (void)state;
    DvScene *first = scene_from_text("<Node/>"); /* starts the plugins */
    for (size_t i = 0; i < sizeof cases / sizeof *cases && BLOCK_COUNT_IS_OF_HEAP; i++) {
        const uint64_t small = bytes_of_edits(&cases[i], CELLS_OF_SMALL);
        const uint64_t large = bytes_of_edits(&cases[i], CELLS_OF_LARGE);
        if (large > small + 8 * EDITS || large > MOST_BYTES * EDITS)
            fail_msg("%s: %zu bytes for %d edits of a small mesh, %zu of a large one", cases[i].components,
                     (size_t)small, EDITS, (size_t)large);
    }
    dv_scene_free(first);
}

/* ---- Copies of lists that are kept all the while: what an edit writes in them */

static const Case followers[] = {
    {DV_TRIANGLES, "<TriangleCollisionModel/>"},
    {DV_QUADS, "<TriangleCollisionModel/>"},
    {DV_EDGES, "<LineCollisionModel/>"},
    {DV_EDGES, "<CapsuleCollisionModel/>"},
    {DV_TETRAHEDRA, "<TetrahedronCollisionModel/>"},
    {DV_TRIANGLES, "<OglModel/>"},
    {DV_QUADS, "<OglModel/>"},
};

enum { STAMP = 0x7000, MOST_WRITTEN = 100 /* elements an edit; the large mesh has 1,728 and more */ };

/* Elements whose corners are not all point 0, and marks that are not the stamp; then all are. */
static uint32_t written(const uint32_t *corner, uint32_t corners, const uint16_t *mark, uint32_t count)
{
    uint32_t others = 0;
    uint32_t *at = (uint32_t *)(uintptr_t)corner; /* of whom the test looks into */
    uint16_t *stamp = (uint16_t *)(uintptr_t)mark;
    for (uint32_t i = 0; i < count; i++) {
        bool other = mark && mark[i] != STAMP;
        for (uint32_t k = 0; k < corners; k++) {
            other = other || at[(size_t)i * corners + k] != 0;
            at[(size_t)i * corners + k] = 0;
        }
        if (mark)
            stamp[i] = STAMP;
        others += other;
    }
    return others;
}

static uint32_t written_since(DvObject *object)
{
    void *self = dv_object_self(object);
    const DvCollisionModelOps *collides = dv_object_ops(object, DV_COLLISION_MODEL);
    if (collides) {
        DvShapeVersion version;
        assert_int_equal(collides->update(self, &version), DV_OK);
        const DvShape *shape = collides->shape(self);
        return written(shape->vertices, shape->corners, shape->owns, shape->count);
    }
    DvSurfaceView view = {0};
    ((const DvVisualModelOps *)dv_object_ops(object, DV_VISUAL_MODEL))->update(self);
    assert_true(((const DvSurfaceOps *)dv_object_ops(object, DV_SURFACE))->view(self, &view));
    return written(view.triangles.at, 3, NULL, view.triangles.count) +
           written(view.quads.at, 4, NULL, view.quads.count);
}

static DvObject *last_object(DvScene *scene)
{
    DvObject *object, *last = NULL;
    for (size_t i = 0; (object = dv_node_member(dv_scene_root(scene), i)); i++)
        if (dv_object_ops(object, DV_COLLISION_MODEL) || dv_object_ops(object, DV_VISUAL_MODEL))
            last = object;
    return last;
}

static uint32_t written_by_edits(const Case *what, uint32_t cells)
{
    DvScene *scene = scene_of(what, cells);
    DvObject *mesh = scene_object(scene, "/mesh"), *modifier = scene_object(scene, "/modifier"),
             *follower = last_object(scene);
    const uint32_t all = written_since(follower);
    assert_true(all >= cells * cells * cells);
    assert_int_equal(written_since(follower), 0);
    uint32_t sum = 0;
    for (uint32_t i = 0; i < EDITS; i++) {
        replace_element(mesh, modifier, what->kind, 5 + 3 * i);
        sum += written_since(follower);
    }
    dv_scene_free(scene);
    return sum;
}

static void followers_write_what_was_touched(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof followers / sizeof *followers; i++) {
        const uint32_t small = written_by_edits(&followers[i], CELLS_OF_SMALL),
                       large = written_by_edits(&followers[i], CELLS_OF_LARGE);
        if (small == 0 || large > small + small / 2 || large > MOST_WRITTEN * EDITS)
            fail_msg("%s: %u elements written by %d edits of a small mesh, %u of a large one", followers[i].components,
                     small, EDITS, large);
    }
}

/* ---- Pairs that are kept for a matrix which nobody makes, as where a saved scene goes on with another solver */

#define HAD_A_MATRIX " name='keeper' pairsMade='1'"

static const Case keepers[] = {
    {DV_TETRAHEDRA, MASS "<TetrahedronFEMForceField" MATERIAL HAD_A_MATRIX "/>"},
    {DV_TRIANGLES, MASS "<TriangleFEMForceField" MATERIAL HAD_A_MATRIX "/>"},
    {DV_HEXAHEDRA, "<MeshMatrixMass massDensity='2' computeMassOnRest='1' consistent='1'" HAD_A_MATRIX "/>"},
};

static bool is_coupled(const DvElements *list, uint32_t nodes, uint32_t a, uint32_t b)
{
    for (uint32_t e = 0; e < list->count; e++) {
        uint32_t found = 0;
        for (uint32_t k = 0; k < nodes; k++) {
            const uint32_t point = list->at[(size_t)e * nodes + k];
            found |= (point == a ? 1u : 0u) | (point == b ? 2u : 0u);
        }
        if (found == 3)
            return true;
    }
    return false;
}

static bool is_kept(const uint32_t *pairs, size_t numbers, uint32_t a, uint32_t b)
{
    size_t i = 0;
    while (i < numbers && !(pairs[i] == (a < b ? a : b) && pairs[i + 1] == (a < b ? b : a)))
        i += 2;
    return i < numbers;
}

static void check_keeper(const Case *what)
{
    const DvMechanicalOperationsOps *ops = dv_service(DV_MECHANICAL_OPERATIONS);
    const uint32_t nodes = dv_element_nodes(what->kind);
    DvScene *scene = scene_of(what, 3);
    DvObject *mesh = scene_object(scene, "/mesh"), *modifier = scene_object(scene, "/modifier");
    const DvTopologyOps *lists = dv_object_ops(mesh, DV_TOPOLOGY);
    const DvTopologyModifierOps *edits = dv_object_ops(modifier, DV_TOPOLOGY_MODIFIER);
    DvData *pairs = dv_object_field(scene_object(scene, "/keeper"), "keptPairs");
    DvMechanics *m = ops->open(dv_scene_root(scene));
    const DvStep step = {.dt = 0.01, .position = DV_POSITION, .velocity = DV_VELOCITY};
    static const uint32_t first[6] = {0, 1, 2, 3, 4, 5};
    const uint32_t cell = what->kind == DV_TETRAHEDRA  ? 6
                          : what->kind == DV_TRIANGLES ? 2
                                                       : 1; /* the first: nothing else has all its pairs */
    uint32_t gone[6 * 4 + 8];
    memcpy(gone, lists->elements(dv_object_self(mesh), what->kind).at, (size_t)cell * nodes * sizeof *gone);
    size_t numbers, most = 0;
    for (uint32_t i = 0; i < 1500; i++) {
        if (i == 0)
            assert_int_equal(edits->remove_elements(dv_object_self(modifier), what->kind, cell, first, false), DV_OK);
        else
            replace_element(mesh, modifier, what->kind, i % 20);
        ops->compute_force(m, &step, DV_FORCE, DV_WALK_WHOLE);
        ops->add_mbk(m, &step, (DvFactors){1.0, 0.0, -0.1}, DV_DX, DV_FORCE, DV_WALK_WHOLE);
        (void)dv_data_uints(pairs, &numbers);
        most = numbers > most ? numbers : most;
    }
    assert_in_range(most, 500, 1300); /* each edit notes 6 numbers, 12 or 56 */
    const DvElements list = lists->elements(dv_object_self(mesh), what->kind);
    const uint32_t *kept = dv_data_uints(pairs, &numbers);
    uint32_t without = 0;
    for (uint32_t i = 0; i < cell * nodes; i++)
        for (uint32_t j = i / nodes * nodes; j < i; j++)
            if (!is_coupled(&list, nodes, gone[i], gone[j])) {
                without++;
                assert_true(is_kept(kept, numbers, gone[i], gone[j]));
            }
    assert_true(without > 0);
    ops->close(m);
    dv_scene_free(scene);
}

static void pairs_without_a_matrix_are_bounded(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof keepers / sizeof *keepers; i++)
        check_keeper(&keepers[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(edits_ask_for_no_more_in_a_larger_mesh),
                                       cmocka_unit_test(followers_write_what_was_touched),
                                       cmocka_unit_test(pairs_without_a_matrix_are_bounded)};
    return cmocka_run_group_tests(tests, NULL, stop_plugins);
}
