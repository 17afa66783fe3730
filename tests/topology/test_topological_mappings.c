/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Topological mappings: after any sequence of changes of the input the output is that of a mesh loaded as it has become, and
 * the maps of numbers say where each element comes from.
 */
#include "edited_meshes.h"
#include "scene_text.h"
#include "topology_conformance.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include <divan/math/rigid.h>
#include <divan/memory.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How two outputs are compared: as they are stored, but for which corner stands first; or only by their points. */
typedef enum Compared { AS_CYCLES, AS_SETS } Compared;

static int ascending(const void *a, const void *b)
{
    const uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    return left < right ? -1 : left > right;
}

static uint32_t row_nodes;

static int by_rows(const void *a, const void *b)
{
    const uint32_t *left = a, *right = b;
    for (uint32_t i = 0; i < row_nodes; i++)
        if (left[i] != right[i])
            return left[i] < right[i] ? -1 : 1;
    return 0;
}

static uint32_t *canonical(DvElements elements, uint32_t nodes, Compared compared)
{
    uint32_t *rows = calloc((size_t)elements.count + 1, sizeof *rows * nodes);
    for (uint32_t e = 0; e < elements.count; e++) {
        uint32_t *row = rows + (size_t)e * nodes, first = 0;
        const uint32_t *from = elements.at + (size_t)e * nodes;
        for (uint32_t i = 1; i < nodes; i++)
            first = from[i] < from[first] ? i : first;
        for (uint32_t i = 0; i < nodes; i++)
            row[i] = from[(first + i) % nodes];
        if (compared == AS_SETS)
            qsort(row, nodes, sizeof *row, ascending);
    }
    row_nodes = nodes;
    qsort(rows, elements.count, nodes * sizeof *rows, by_rows);
    return rows;
}

static void expect_same(const Mesh *changed, const Mesh *fresh, DvElementKind kind, Compared compared)
{
    const DvElements a = changed->ops->elements(changed->self, kind), b = fresh->ops->elements(fresh->self, kind);
    const uint32_t nodes = dv_element_nodes(kind);
    assert_int_equal(a.count, b.count);
    uint32_t *rows_a = canonical(a, nodes, compared), *rows_b = canonical(b, nodes, compared);
    assert_memory_equal(rows_a, rows_b, sizeof *rows_a * nodes * a.count + (a.count == 0));
    free(rows_a);
    free(rows_b);
}

/* Each element comes from one that has its points, and is among the images of that one; no image is there twice. */
static void check_maps(const DvScene *scene, const char *path, DvElementKind kind, DvElementKind source_kind)
{
    DvObject *object = scene_object(scene, path);
    const DvTopologicalMappingOps *ops = dv_object_ops(object, DV_TOPOLOGICAL_MAPPING);
    void *self = dv_object_self(object);
    DvObject *in = ops->input(self), *out = ops->output(self);
    const DvTopologyOps *mesh = dv_object_ops(in, DV_TOPOLOGY);
    const DvElements from = mesh->elements(dv_object_self(in), source_kind),
                     to = mesh->elements(dv_object_self(out), kind);
    const uint32_t nodes = dv_element_nodes(kind), source_nodes = dv_element_nodes(source_kind);
    uint32_t total = 0;
    for (uint32_t e = 0; e < to.count; e++) {
        DvElementKind found_kind;
        uint32_t found;
        const uint32_t *images;
        assert_true(ops->source(self, kind, e, &found_kind, &found));
        assert_int_equal(found_kind, source_kind);
        assert_true(found < from.count);
        for (uint32_t i = 0; i < nodes; i++) {
            bool has = false;
            for (uint32_t j = 0; j < source_nodes; j++)
                has = has || from.at[(size_t)found * source_nodes + j] == to.at[(size_t)e * nodes + i];
            assert_true(has);
        }
        const uint32_t count = ops->images(self, source_kind, found, &images);
        bool among = false;
        for (uint32_t i = 0; i < count; i++)
            among = among || images[i] == e;
        assert_true(among);
    }
    for (uint32_t e = 0; e < from.count; e++) {
        const uint32_t *images;
        total += ops->images(self, source_kind, e, &images);
    }
    assert_int_equal(total, to.count);
    uint32_t none;
    DvElementKind no_kind;
    assert_false(ops->source(self, kind, to.count, &no_kind, &none));
}

/* One mapping of a chain. */
typedef struct Link {
    const char *path;         /* of the mapping */
    const char *output;       /* of its output */
    DvElementKind kind, from; /* of its elements, and of those they come from */
    Compared compared;
    bool varies; /* by which way later elements are cut: only the maps are checked */
} Link;

typedef struct Chain {
    DvElementKind start;
    const char *children;
    Link links[3];
} Chain;

static void follows(const Chain *chain, uint32_t edits)
{
    const Body *body = body_of(chain->start);
    uint32_t *elements = malloc(sizeof *elements * 24 * 100);
    const uint32_t count = start_elements(chain->start, 3, elements);
    DvScene *scene = build(body, elements, count, 0, chain->children);
    free(elements);
    const Mesh mesh = mesh_at(scene, "/m/c");
    DvObject *by = scene_object(scene, "/m/m");
    const DvTopologyModifierOps *modifier = dv_object_ops(by, DV_TOPOLOGY_MODIFIER);
    for (uint32_t i = 0; i < edits; i++) {
        edit(&mesh, body, modifier, dv_object_self(by));
        const DvElements now = mesh.ops->elements(mesh.self, body->kind);
        const uint32_t points = mesh.ops->point_count(mesh.self);
        DvScene *fresh = build(body, now.at, now.count, points, chain->children);
        for (const Link *link = chain->links; link < chain->links + 3 && link->path; link++) {
            const Mesh a = mesh_at(scene, link->output), b = mesh_at(fresh, link->output);
            if (!link->varies)
                expect_same(&a, &b, link->kind, link->compared);
            assert_int_equal(a.ops->point_count(a.self), points);
            check_topology(a.object, false);
            check_maps(scene, link->path, link->kind, link->from);
        }
        dv_scene_free(fresh);
    }
    dv_scene_free(scene);
}

#define SURFACE(kind, name, mapping)                                                                                 \
    "<Node name='" name "'><" kind "SetTopologyContainer name='c'/><" kind "SetTopologyModifier name='m'/><" mapping \
    " name='map' input='@../c' output='@c'/>"

static const Chain chains[] = {
    {DV_TETRAHEDRA,
     SURFACE("Triangle", "a", "Tetra2TriangleTopologicalMapping") "</Node>",
     {{"/m/a/map", "/m/a/c", DV_TRIANGLES, DV_TRIANGLES, AS_CYCLES, false}}},
    {DV_TETRAHEDRA,
     SURFACE("Triangle", "a", "Tetra2TriangleTopologicalMapping flipNormals='1'") "</Node>",
     {{"/m/a/map", "/m/a/c", DV_TRIANGLES, DV_TRIANGLES, AS_CYCLES, false}}},
    {DV_HEXAHEDRA,
     SURFACE("Quad", "a", "Hexa2QuadTopologicalMapping") "</Node>",
     {{"/m/a/map", "/m/a/c", DV_QUADS, DV_QUADS, AS_CYCLES, false}}},
    {DV_HEXAHEDRA,
     SURFACE("Quad", "a", "Hexa2QuadTopologicalMapping flipNormals='1'") "</Node>",
     {{"/m/a/map", "/m/a/c", DV_QUADS, DV_QUADS, AS_CYCLES, false}}},
    {DV_TRIANGLES,
     SURFACE("Edge", "a", "Triangle2EdgeTopologicalMapping") "</Node>",
     {{"/m/a/map", "/m/a/c", DV_EDGES, DV_EDGES, AS_SETS, false}}},
    {DV_QUADS,
     SURFACE("Triangle", "a", "Quad2TriangleTopologicalMapping") "</Node>",
     {{"/m/a/map", "/m/a/c", DV_TRIANGLES, DV_QUADS, AS_CYCLES, true}}},
    {DV_QUADS,
     SURFACE("Triangle", "a", "Quad2TriangleTopologicalMapping")
         SURFACE("Edge", "b", "Triangle2EdgeTopologicalMapping") "</Node></Node>",
     {{"/m/a/map", "/m/a/c", DV_TRIANGLES, DV_QUADS, AS_CYCLES, true},
      {"/m/a/b/map", "/m/a/b/c", DV_EDGES, DV_EDGES, AS_SETS, false}}},
    {DV_HEXAHEDRA,
     SURFACE("Tetrahedron", "a", "Hexa2TetraTopologicalMapping") "</Node>",
     {{"/m/a/map", "/m/a/c", DV_TETRAHEDRA, DV_HEXAHEDRA, AS_SETS, false}}},
    {DV_HEXAHEDRA,
     SURFACE("Tetrahedron", "a", "Hexa2TetraTopologicalMapping swapping='1'")
         SURFACE("Triangle", "b", "Tetra2TriangleTopologicalMapping") "</Node></Node>",
     {{"/m/a/map", "/m/a/c", DV_TETRAHEDRA, DV_HEXAHEDRA, AS_SETS, true},
      {"/m/a/b/map", "/m/a/b/c", DV_TRIANGLES, DV_TRIANGLES, AS_CYCLES, true}}},
    {DV_HEXAHEDRA,
     SURFACE("Quad", "a", "Hexa2QuadTopologicalMapping") SURFACE("Triangle", "b", "Quad2TriangleTopologicalMapping")
         SURFACE("Edge", "d", "Triangle2EdgeTopologicalMapping") "</Node></Node></Node>",
     {{"/m/a/map", "/m/a/c", DV_QUADS, DV_QUADS, AS_CYCLES, false},
      {"/m/a/b/map", "/m/a/b/c", DV_TRIANGLES, DV_QUADS, AS_CYCLES, true},
      {"/m/a/b/d/map", "/m/a/b/d/c", DV_EDGES, DV_EDGES, AS_SETS, false}}},
    {DV_HEXAHEDRA,
     "<Node name='a'><MeshTopology name='c'/><Hexa2PrismTopologicalMapping name='map'/></Node>",
     {{"/m/a/map", "/m/a/c", DV_PRISMS, DV_HEXAHEDRA, AS_SETS, false}}},
    {DV_TETRAHEDRA,
     SURFACE("Tetrahedron", "a", "IdentityTopologicalMapping")
         SURFACE("Triangle", "b", "Tetra2TriangleTopologicalMapping")
             SURFACE("Triangle", "d", "IdentityTopologicalMapping") "</Node></Node></Node>",
     {{"/m/a/map", "/m/a/c", DV_TETRAHEDRA, DV_TETRAHEDRA, AS_SETS, false},
      {"/m/a/b/map", "/m/a/b/c", DV_TRIANGLES, DV_TRIANGLES, AS_CYCLES, false},
      {"/m/a/b/d/map", "/m/a/b/d/c", DV_TRIANGLES, DV_TRIANGLES, AS_CYCLES, false}}},
};

static void outputs_are_those_of_the_mesh_as_it_has_become(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof chains / sizeof *chains; i++)
        for (uint64_t start = 1; start <= 3; start++) {
            seed = start * 88172645463325252u;
            follows(&chains[i], 40);
        }
}

/* Hexahedra that come later are cut like their neighbours: no inner triangle of the block has one tetrahedron alone. */
static void hexahedra_that_come_later_fit_their_neighbours(void **state)
{
    (void)state;
    uint32_t elements[8 * 27], block[8];
    (void)start_elements(DV_HEXAHEDRA, 3, elements);
    memcpy(block, elements, 8 * sizeof *block);
    DvScene *scene = build(body_of(DV_HEXAHEDRA), block, 1, 64,
                           SURFACE("Tetrahedron", "a", "Hexa2TetraTopologicalMapping swapping='1'") "</Node>");
    DvObject *by = scene_object(scene, "/m/m");
    const DvTopologyModifierOps *modifier = dv_object_ops(by, DV_TOPOLOGY_MODIFIER);
    for (uint32_t i = 1; i < 27; i++)
        assert_int_equal(modifier->add_elements(dv_object_self(by), DV_HEXAHEDRA, 1, elements + 8 * (size_t)i, NULL),
                         DV_OK);
    const Mesh tetrahedra = mesh_at(scene, "/m/a/c");
    const DvAdjacency around = tetrahedra.ops->adjacency(tetrahedra.self, DV_TRIANGLES, DV_TETRAHEDRA);
    uint32_t border = 0;
    for (uint32_t i = 0; i < around.count; i++)
        border += around.end[i] - around.begin[i] == 1;
    assert_int_equal(tetrahedra.ops->elements(tetrahedra.self, DV_TETRAHEDRA).count, 6 * 27);
    assert_int_equal(border, 2 * 6 * 9);
    dv_scene_free(scene);
}

/* What a scene gives an output goes: it holds what the mapping makes, and nothing else. */
static void an_output_holds_nothing_of_its_own(void **state)
{
    (void)state;
#define CUBE  "hexahedra='0 1 3 2 4 5 7 6'"
#define TETRA "tetrahedra='0 1 2 4  1 2 3 4'"
#define FLAT  "triangles='0 1 2  1 3 2'"
#define QUAD  "quads='0 1 3 2'"
    static const struct {
        const char *input, *family, *given, *mapping;
    } cases[] = {
        {CUBE, "Triangle", "triangles='1 2 9'", "CenterPointTopologicalMapping"},
        {CUBE, "Hexahedron", "hexahedra='7 6 5 4 3 2 1 9'", "CenterPointTopologicalMapping"},
        {CUBE, "Quad", "quads='1 2 9 4'", "Hexa2QuadTopologicalMapping"},
        {CUBE, "Tetrahedron", "tetrahedra='1 2 9 4'", "Hexa2TetraTopologicalMapping"},
        {TETRA, "Triangle", "triangles='1 2 9'", "Tetra2TriangleTopologicalMapping"},
        {TETRA, "Tetrahedron", "tetrahedra='1 2 9 4'", "SimpleTesselatedTetraTopologicalMapping"},
        {FLAT, "Edge", "edges='1 9'", "Triangle2EdgeTopologicalMapping"},
        {QUAD, "Triangle", "triangles='1 2 9'", "Quad2TriangleTopologicalMapping"},
        {TETRA, "Triangle", "triangles='1 2 9'",
         "Mesh2PointTopologicalMapping pointBaryCoords='0 0 0' copyTriangles='1'"},
        {TETRA, "Tetrahedron", "tetrahedra='1 2 9 4'", "Mesh2PointTopologicalMapping tetraBaryCoords='0.1 0.1 0.1'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        DvScene *scenes[2];
        for (int given = 0; given < 2; given++) {
            DvText text = {0};
            dv_text_add(
                &text,
                "<Node name='root'><DefaultAnimationLoop/><MeshTopology name='c' position='0 0 0 1 0 0 0 1 0 1 1 0 0 0 1 1 0 1 "
                "0 1 1 1 1 1' %s/><Node name='a'><%sSetTopologyContainer name='c' %s/><%sSetTopologyModifier/><%s "
                "input='@../c' output='@c'/></Node></Node>",
                cases[i].input, cases[i].family, given ? cases[i].given : "", cases[i].family, cases[i].mapping);
            scenes[given] = scene_from_text(text.at);
            dv_text_free(&text);
        }
        const Mesh without = mesh_at(scenes[0], "/a/c"), with = mesh_at(scenes[1], "/a/c");
        if (with.ops->point_count(with.self) != without.ops->point_count(without.self))
            fail_msg("%s %s: %u points, not %u", cases[i].mapping, cases[i].given, with.ops->point_count(with.self),
                     without.ops->point_count(without.self));
        for (DvElementKind kind = DV_EDGES; kind < DV_ELEMENT_KINDS; kind++) {
            const DvElements a = with.ops->elements(with.self, kind), b = without.ops->elements(without.self, kind);
            if (a.count != b.count)
                fail_msg("%s %s: %u elements of kind %d, not %u", cases[i].mapping, cases[i].given, a.count, (int)kind,
                         b.count);
            if (a.count)
                assert_memory_equal(a.at, b.at, (size_t)a.count * dv_element_nodes(kind) * sizeof *a.at);
        }
        check_topology(with.object, false);
        for (int k = 0; k < 2; k++)
            dv_scene_free(scenes[k]);
    }
}

static void a_point_for_each_hexahedron_comes_and_goes_with_it(void **state)
{
    (void)state;
    uint32_t elements[8 * 27];
    (void)start_elements(DV_HEXAHEDRA, 3, elements);
    DvScene *scene = build(body_of(DV_HEXAHEDRA), elements, 5, 64,
                           "<Node name='a'><PointSetTopologyContainer name='c'/><MechanicalObject name='x'/>"
                           "<CenterPointTopologicalMapping name='map' input='@../c' output='@c'/></Node>");
    DvObject *by = scene_object(scene, "/m/m"), *map = scene_object(scene, "/m/a/map");
    const DvTopologyModifierOps *modifier = dv_object_ops(by, DV_TOPOLOGY_MODIFIER);
    const DvTopologicalMappingOps *ops = dv_object_ops(map, DV_TOPOLOGICAL_MAPPING);
    const DvStateRef x = scene_state(scene, "/m/a/x");
    const Mesh points = mesh_at(scene, "/m/a/c");
    assert_int_equal(dv_state_count(x), 5);
    for (uint32_t i = 0; i < 5; i++) /* to be known again by their place */
        dv_state_write(x, DV_POSITION, DV_READ_WRITE).at[3 * (size_t)i] = i;
    assert_int_equal(modifier->remove_elements(dv_object_self(by), DV_HEXAHEDRA, 1, (const uint32_t[]){1}, true),
                     DV_OK);
    assert_int_equal(points.ops->point_count(points.self), 4);
    assert_int_equal(dv_state_count(x), 4);
    assert_true(dv_state_read(x, DV_POSITION).at[3] == 4); /* the last took its number, as the last hexahedron did */
    assert_int_equal(modifier->add_elements(dv_object_self(by), DV_HEXAHEDRA, 1, elements + 64, NULL), DV_OK);
    assert_int_equal(dv_state_count(x), 5);
    uint32_t corners[8];
    double weights[8], offset[3], sum = 0;
    assert_int_equal(ops->point(dv_object_self(map), 4, corners, weights, offset), 8);
    assert_memory_equal(corners, elements + 64, sizeof corners);
    for (int i = 0; i < 8; i++)
        sum += weights[i];
    assert_true(sum == 1.0);
    const uint32_t *images;
    DvElementKind kind;
    uint32_t source;
    assert_int_equal(ops->images(dv_object_self(map), DV_HEXAHEDRA, 3, &images), 1);
    assert_int_equal(images[0], 3);
    assert_true(ops->source(dv_object_self(map), DV_POINTS, 3, &kind, &source) && kind == DV_HEXAHEDRA && source == 3);
    assert_int_equal(ops->images(dv_object_self(map), DV_HEXAHEDRA, 5, &images), 0);
    dv_scene_free(scene);
}

/* Its maps are those of the mesh as it is. */
static void the_output_of_a_grid_may_be_changed_by_itself(void **state)
{
    (void)state;
    DvScene *scene =
        scene_from_text("<Node name='root'><DefaultAnimationLoop/><RegularGridTopology name='g' n='3 3 3'/>"
                        "<Node name='m'><TetrahedronSetTopologyContainer name='c'/>"
                        "<TetrahedronSetTopologyModifier name='m'/>"
                        "<Hexa2TetraTopologicalMapping name='map' input='@/g' output='@c'/></Node></Node>");
    DvObject *by = scene_object(scene, "/m/m");
    const DvTopologyModifierOps *modifier = dv_object_ops(by, DV_TOPOLOGY_MODIFIER);
    check_maps(scene, "/m/map", DV_TETRAHEDRA, DV_HEXAHEDRA);
    assert_int_equal(
        modifier->remove_elements(dv_object_self(by), DV_TETRAHEDRA, 3, (const uint32_t[]){1, 17, 30}, false), DV_OK);
    check_maps(scene, "/m/map", DV_TETRAHEDRA, DV_HEXAHEDRA);
    dv_scene_free(scene);
}

/* Quads of a grid are cut in turns along its columns; of one that has a single point along x, along its rows. */
static void quads_of_flat_grids_are_cut_in_turns(void **state)
{
    (void)state;
    static const struct {
        const char *n;
        uint32_t side; /* quads in a column, or row */
    } grids[] = {{"1 4 3", 3}, {"4 3 1", 3}, {"3 1 4", 2}};
    for (size_t g = 0; g < sizeof grids / sizeof *grids; g++) {
        DvText text = {0};
        dv_text_add(
            &text,
            "<Node name='root'><DefaultAnimationLoop/><RegularGridTopology name='g' n='%s' max='1 1 1'/><Node name='a'>"
            "<TriangleSetTopologyContainer name='c'/><TriangleSetTopologyModifier/>"
            "<Quad2TriangleTopologicalMapping input='@../g' output='@c'/></Node></Node>",
            grids[g].n);
        DvScene *scene = scene_from_text(text.at);
        dv_text_free(&text);
        const Mesh grid = mesh_at(scene, "/g"), cut = mesh_at(scene, "/a/c");
        const DvElements quads = grid.ops->elements(grid.self, DV_QUADS),
                         triangles = cut.ops->elements(cut.self, DV_TRIANGLES);
        assert_int_equal(quads.count, 6);
        assert_int_equal(triangles.count, 12);
        for (uint32_t i = 0; i < quads.count; i++) {
            const uint32_t *q = quads.at + 4 * (size_t)i, *t = triangles.at + 6 * (size_t)i;
            const bool turned = (i % grids[g].side + i / grids[g].side) % 2 == 1;
            const uint32_t expected[2][6] = {{q[1], q[2], q[0], q[3], q[0], q[2]},
                                             {q[0], q[1], q[3], q[2], q[3], q[1]}};
            assert_memory_equal(t, expected[turned], sizeof expected[turned]);
        }
        dv_scene_free(scene);
    }
}

static void a_border_may_start_empty_or_gain_nothing(void **state)
{
    (void)state;
    uint32_t elements[24 * 27];
    const uint32_t count = start_elements(DV_TETRAHEDRA, 2, elements), gone[] = {3, 9, 20, 21};
    DvScene *scene = build(
        body_of(DV_TETRAHEDRA), elements, count, 0,
        SURFACE("Triangle", "all", "Tetra2TriangleTopologicalMapping") "</Node>" SURFACE(
            "Triangle", "old",
            "Tetra2TriangleTopologicalMapping noNewTriangles='1'") "</Node>" SURFACE("Triangle", "new",
                                                                                     "Tetra2TriangleTopologicalMapping noInitialTriangles='1'") "</Node>");
    const Mesh all = mesh_at(scene, "/m/all/c"), old = mesh_at(scene, "/m/old/c"), new = mesh_at(scene, "/m/new/c");
    const uint32_t border = all.ops->elements(all.self, DV_TRIANGLES).count;
    assert_int_equal(border, 2 * 6 * 4);
    assert_int_equal(old.ops->elements(old.self, DV_TRIANGLES).count, border);
    assert_int_equal(new.ops->elements(new.self, DV_TRIANGLES).count, 0);
    DvObject *by = scene_object(scene, "/m/m");
    const DvTopologyModifierOps *modifier = dv_object_ops(by, DV_TOPOLOGY_MODIFIER);
    assert_int_equal(modifier->remove_elements(dv_object_self(by), DV_TETRAHEDRA, 4, gone, true), DV_OK);
    const uint32_t after = all.ops->elements(all.self, DV_TRIANGLES).count,
                   kept = old.ops->elements(old.self, DV_TRIANGLES).count;
    assert_true(kept < border);
    assert_int_equal(new.ops->elements(new.self, DV_TRIANGLES).count, after - kept); /* what came to light */
    dv_scene_free(scene);
}

static void what_hangs_on_an_output_follows_through_it(void **state)
{
    (void)state;
    uint32_t elements[24 * 27];
    const uint32_t count = start_elements(DV_TETRAHEDRA, 2, elements), gone[] = {0, 1, 2, 3, 4, 5};
    DvScene *scene = build(body_of(DV_TETRAHEDRA), elements, count, 0,
                           SURFACE("Triangle", "a", "Tetra2TriangleTopologicalMapping") "</Node>");
    DvObject *by = scene_object(scene, "/m/m");
    const DvTopologyModifierOps *modifier = dv_object_ops(by, DV_TOPOLOGY_MODIFIER);
    const Mesh surface = mesh_at(scene, "/m/a/c");
    const uint64_t before = surface.ops->revision(surface.self);
    /* one at a time, from a corner of the block: its seven points but one stay, the corner goes */
    assert_int_equal(modifier->remove_elements(dv_object_self(by), DV_TETRAHEDRA, 6, gone, true), DV_OK);
    assert_int_equal(surface.ops->point_count(surface.self), 26);
    assert_true(surface.ops->revision(surface.self) > before);
    dv_scene_free(scene);
}

static void wrong_mappings_are_named(void **state)
{
    (void)state;
    expect_load_error("<Node>\n<MeshTopology name='a' triangles='0 1 2'/><Node name='s'><EdgeSetTopologyContainer/>"
                      "<Triangle2EdgeTopologicalMapping/></Node></Node>",
                      "needs an EdgeSetTopologyModifier");
    expect_load_error("<Node>\n<MeshTopology name='a' quads='0 1 2 3'/><Node name='s'><TriangleSetTopologyContainer/>"
                      "<Quad2TriangleTopologicalMapping/></Node></Node>",
                      "needs a TriangleSetTopologyModifier");
    expect_load_error("<Node>\n<MeshTopology name='a' tetrahedra='0 1 2 3'/><Node name='s'><EdgeSetTopologyContainer/>"
                      "<Tetra2TriangleTopologicalMapping/></Node></Node>",
                      "holds no triangles");
    static const struct {
        const char *input, *output, *mapping, *reason;
    } wrong[] = {
        {"hexahedra='0 1 2 3 4 5 6 7'", "TriangleSet", "Hexa2Tetra", "'/s/b' holds no tetrahedra"},
        {"hexahedra='0 1 2 3 4 5 6 7'", "EdgeSet", "Hexa2Prism", "'/s/b' holds no "},
        {"quads='0 1 2 3'", "EdgeSet", "Quad2Triangle", "'/s/b' holds no triangles"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        DvText text = {0};
        dv_text_add(&text,
                    "<Node>\n<MeshTopology name='a' %s/><Node name='s'><%sTopologyContainer name='b'/>"
                    "<%sTopologicalMapping input='@/a' output='@b'/></Node></Node>",
                    wrong[i].input, wrong[i].output, wrong[i].mapping);
        expect_load_error(text.at, wrong[i].reason);
        dv_text_free(&text);
    }
    expect_load_error(
        "<Node>\n<MeshTopology name='a' triangles='0 1 2'/><Node name='s'>"
        "<TriangleSetTopologyContainer name='b' triangles='0 2 1'/><IdentityTopologicalMapping/></Node></Node>",
        "the elements of the output '/s/b' are others than those of the input '/a'");
    expect_load_error(
        "<Node>\n<TetrahedronSetTopologyContainer name='a' tetrahedra='0 1 2 3'/><TetrahedronSetTopologyModifier name='m'/>"
        "<Node name='s'><TriangleSetTopologyContainer/>"
        "<Tetra2TriangleTopologicalMapping name='map' modifier='@/m'/></Node></Node>",
        "modifier: '/m' does not change the output");
}

/* Each edge has its tube, and no other quad is there; circles stand in the frames as they are: (y, z) are the axes. */
static void check_tubes(const DvScene *scene, uint32_t n, bool flip, DvVec3 y, DvVec3 z)
{
    const Mesh lines = mesh_at(scene, "/m/c"), tube = mesh_at(scene, "/m/a/c");
    const DvElements edges = lines.ops->elements(lines.self, DV_EDGES), quads = tube.ops->elements(tube.self, DV_QUADS);
    const uint32_t points = lines.ops->point_count(lines.self);
    assert_int_equal(tube.ops->point_count(tube.self), n * points);
    uint32_t *expected = calloc((size_t)edges.count * n * 4 + 1, sizeof *expected);
    for (uint32_t e = 0; e < edges.count; e++)
        for (uint32_t j = 0; j < n; j++) {
            const uint32_t p = edges.at[2 * (size_t)e] * n, q = edges.at[2 * (size_t)e + 1] * n, k = (j + 1) % n;
            const uint32_t way[4] = {p + j, flip ? p + k : q + j, q + k, flip ? q + j : p + k};
            memcpy(expected + 4 * ((size_t)e * n + j), way, sizeof way);
        }
    const DvElements all = {expected, edges.count * n};
    assert_int_equal(quads.count, all.count);
    uint32_t *rows_a = canonical(quads, 4, AS_CYCLES), *rows_b = canonical(all, 4, AS_CYCLES);
    assert_memory_equal(rows_a, rows_b, sizeof *rows_a * 4 * all.count + (all.count == 0));
    free(rows_a), free(rows_b), free(expected);
    const DvConstVec frames = dv_state_read(scene_state(scene, "/m/x"), DV_POSITION),
                     at = dv_state_read(scene_state(scene, "/m/a/x"), DV_POSITION);
    assert_int_equal(frames.count, points);
    assert_int_equal(at.count, n * points);
    for (uint32_t i = 0; i < at.count; i++) {
        const double *frame = frames.at + 7 * (size_t)(i / n), angle = 6.283185307179586 * (i % n) / n;
        const DvMat3 r = dv_quat_to_matrix(dv_quat_load(frame + 3));
        const DvVec3 arm = dv_vec3_add(dv_vec3_scale(y, cos(angle)), dv_vec3_scale(z, sin(angle))),
                     want = dv_vec3_add(dv_vec3_load(frame), dv_mat3_mul_vec(r, arm)),
                     is = dv_vec3_load(at.at + 3 * (size_t)i);
        assert_true(dv_vec3_norm(dv_vec3_sub(is, want)) < 1e-12);
    }
}

/* Like check_maps, with the circles of points. */
static void check_tube_maps(const DvScene *scene, uint32_t n)
{
    const DvTopologicalMappingOps *ops = dv_object_ops(scene_object(scene, "/m/a/map"), DV_TOPOLOGICAL_MAPPING);
    void *self = dv_object_self(scene_object(scene, "/m/a/map"));
    const Mesh lines = mesh_at(scene, "/m/c"), tube = mesh_at(scene, "/m/a/c");
    const DvElements edges = lines.ops->elements(lines.self, DV_EDGES), quads = tube.ops->elements(tube.self, DV_QUADS);
    for (uint32_t e = 0; e < edges.count; e++) {
        const uint32_t *images;
        assert_int_equal(ops->images(self, DV_EDGES, e, &images), n);
        for (uint32_t j = 0; j < n; j++) {
            DvElementKind kind;
            uint32_t source;
            assert_true(ops->source(self, DV_QUADS, images[j], &kind, &source) && kind == DV_EDGES && source == e);
            for (uint32_t k = 0; k < 4; k++) {
                const uint32_t point = quads.at[4 * (size_t)images[j] + k] / n;
                assert_true(point == edges.at[2 * (size_t)e] || point == edges.at[2 * (size_t)e + 1]);
            }
        }
    }
}

static void edit_lines(const Mesh *lines, const DvTopologyModifierOps *modifier, void *by)
{
    const uint32_t edges = lines->ops->elements(lines->self, DV_EDGES).count,
                   points = lines->ops->point_count(lines->self), choice = random_below(10);
    if (choice < 4 && edges) {
        const uint32_t gone[2] = {random_below(edges), random_below(edges)};
        assert_int_equal(modifier->remove_elements(by, DV_EDGES, 2, gone, true), DV_OK);
    } else if (choice < 9 || points == 0) {
        const uint32_t ancestor[] = {random_below(points ? points : 1)}, start[] = {0, 1},
                       edge[] = {ancestor[0], points + (points == 0)};
        const DvElementChange from = {.count = 1, .ancestors = ancestor, .ancestor_start = start};
        assert_int_equal(modifier->add_points(by, points ? 1 : 2, points ? &from : NULL), DV_OK);
        assert_int_equal(modifier->add_elements(by, DV_EDGES, 1, edge, NULL), DV_OK);
    } else {
        uint32_t *order = malloc(sizeof *order * points);
        for (uint32_t i = 0; i < points; i++)
            order[i] = (i * 5 + 3) % points;
        if (points % 5)
            assert_int_equal(modifier->renumber_points(by, order), DV_OK);
        free(order);
    }
}

#define LINES                                                                                                  \
    "<Node><DefaultAnimationLoop/><Node name='m'><EdgeSetTopologyContainer name='c' "                          \
    "edges='0 1 1 2 1 3 3 4'/><EdgeSetTopologyModifier name='m'/><MechanicalObject name='x' "                  \
    "template='Rigid3d' position='0 0 0 0 0 0 1  1 0 0 0.5 0.5 0.5 0.5  2 0 0 0.6 0 0 0.8  1 1 0 0 0 0.6 0.8 " \
    " 1 2 3 -0.5 0.5 0.5 0.5'/><Node name='a'><QuadSetTopologyContainer name='c'/>"                            \
    "<QuadSetTopologyModifier name='m'/><MechanicalObject name='x'/><Edge2QuadTopologicalMapping name='map' "

static void tubes_follow_their_lines(void **state)
{
    (void)state;
    const DvVec3 y = dv_vec3(0, 0.5, 0), z = dv_vec3(0, 0, 0.5), ellipse = dv_vec3(0, 0, 2);
    for (uint64_t start = 1; start <= 4; start++) {
        const bool flip = start % 2, oval = start > 2;
        DvText text = {0};
        dv_text_add(&text, "%snbPointsOnEachCircle='5' radius='0.5' flipNormals='%d'%s/></Node></Node></Node>", LINES,
                    flip, oval ? " radiusFocal='2'" : "");
        DvScene *scene = scene_from_text(text.at);
        dv_text_free(&text);
        const Mesh lines = mesh_at(scene, "/m/c");
        DvObject *by = scene_object(scene, "/m/m");
        seed = start * 88172645463325252u;
        for (int i = 0; i < 200; i++) {
            check_tubes(scene, 5, flip, y, oval ? ellipse : z);
            check_tube_maps(scene, 5);
            check_topology(scene_object(scene, "/m/a/c"), false);
            edit_lines(&lines, dv_object_ops(by, DV_TOPOLOGY_MODIFIER), dv_object_self(by));
        }
        dv_scene_reset(scene);
        assert_int_equal(lines.ops->elements(lines.self, DV_EDGES).count, 4);
        check_tubes(scene, 5, flip, y, oval ? ellipse : z);
        check_tube_maps(scene, 5);
        dv_scene_free(scene);
    }
}

/* Where the tube has gone by itself is kept, and what is changed afterwards changes alike. */
static void a_saved_tube_goes_on_where_it_was(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(LINES "nbPointsOnEachCircle='5' radius='0.5'/></Node></Node></Node>"),
            *again = NULL;
    const Mesh lines = mesh_at(scene, "/m/c");
    DvObject *by = scene_object(scene, "/m/m");
    char file[] = P_tmpdir "/divan-tube-XXXXXX.scn";
    const int handle = mkstemps(file, 4);
    assert_true(handle >= 0);
    close(handle);
    seed = 88172645463325252u;
    for (int i = 0; i < 20; i++)
        edit_lines(&lines, dv_object_ops(by, DV_TOPOLOGY_MODIFIER), dv_object_self(by));
    dv_state_write(scene_state(scene, "/m/a/x"), DV_POSITION, DV_READ_WRITE).at[0] += 7;
    assert_int_equal(dv_scene_save(scene, file), DV_OK);
    assert_int_equal(dv_scene_load(file, NULL, &again), DV_OK);
    unlink(file);
    const Mesh lines_again = mesh_at(again, "/m/c");
    DvObject *by_again = scene_object(again, "/m/m");
    const uint64_t kept = seed;
    for (int i = 0; i < 30; i++) {
        const DvConstVec a = dv_state_read(scene_state(scene, "/m/a/x"), DV_POSITION),
                         b = dv_state_read(scene_state(again, "/m/a/x"), DV_POSITION);
        const Mesh one = mesh_at(scene, "/m/a/c"), other = mesh_at(again, "/m/a/c");
        assert_int_equal(a.count, b.count);
        assert_memory_equal(a.at, b.at, sizeof *a.at * 3 * a.count);
        expect_same(&one, &other, DV_QUADS, AS_CYCLES);
        check_tube_maps(again, 5);
        seed = kept + (uint64_t)i;
        edit_lines(&lines, dv_object_ops(by, DV_TOPOLOGY_MODIFIER), dv_object_self(by));
        seed = kept + (uint64_t)i;
        edit_lines(&lines_again, dv_object_ops(by_again, DV_TOPOLOGY_MODIFIER), dv_object_self(by_again));
    }
    dv_scene_free(scene);
    dv_scene_free(again);
}

/* The first thing that happens to a mesh that was loaded, before anybody asks what belongs to what. */
static void what_was_saved_may_lose_or_gain_elements_at_once(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(LINES "nbPointsOnEachCircle='5' radius='0.5'/></Node></Node></Node>");
    char file[] = P_tmpdir "/divan-tube-XXXXXX.scn";
    const int handle = mkstemps(file, 4);
    assert_true(handle >= 0);
    close(handle);
    const uint32_t first[] = {0, 2};
    DvObject *before = scene_object(scene, "/m/m");
    const DvTopologyModifierOps *modifier = dv_object_ops(before, DV_TOPOLOGY_MODIFIER);
    assert_int_equal(modifier->add_elements(dv_object_self(before), DV_EDGES, 1, first, NULL), DV_OK);
    assert_int_equal(dv_scene_save(scene, file), DV_OK);
    for (int gains = 0; gains < 2; gains++) {
        DvScene *again = NULL;
        assert_int_equal(dv_scene_load(file, NULL, &again), DV_OK);
        const Mesh loaded = mesh_at(again, "/m/c");
        DvObject *by = scene_object(again, "/m/m");
        const uint32_t last = loaded.ops->elements(loaded.self, DV_EDGES).count - 1, edge[] = {0, 4};
        if (gains)
            assert_int_equal(modifier->add_elements(dv_object_self(by), DV_EDGES, 1, edge, NULL), DV_OK);
        else
            assert_int_equal(modifier->remove_elements(dv_object_self(by), DV_EDGES, 1, &last, false), DV_OK);
        check_tubes(again, 5, false, dv_vec3(0, 0.5, 0), dv_vec3(0, 0, 0.5));
        check_tube_maps(again, 5);
        dv_scene_free(again);
    }
    unlink(file);
    dv_scene_free(scene);
}

static void edges_that_a_list_names_get_tubes(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        LINES "nbPointsOnEachCircle='3' radius='1' edgeList='3 0' flipNormals='1'/></Node></Node></Node>");
    const Mesh tube = mesh_at(scene, "/m/a/c");
    const DvElements quads = tube.ops->elements(tube.self, DV_QUADS);
    const uint32_t first[] = {9, 10, 13, 12}; /* of the edge from 3 to 4, the first corner where it was */
    assert_int_equal(quads.count, 6);
    assert_memory_equal(quads.at, first, sizeof first);
    dv_scene_free(scene);
}

static void wrong_tubes_are_named(void **state)
{
    (void)state;
    expect_load_error(LINES "radius='1'/></Node></Node></Node>", "nbPointsOnEachCircle: must be given");
    expect_load_error(LINES "nbPointsOnEachCircle='2' radius='1'/></Node></Node></Node>", "is 2; it must be 3 or more");
    expect_load_error(LINES "nbPointsOnEachCircle='4'/></Node></Node></Node>", "radius: it must be given");
    expect_load_error(LINES "nbPointsOnEachCircle='4' radius='1' edgeList='0 4'/></Node></Node></Node>",
                      "there is no edge 4");
    expect_load_error(LINES "nbPointsOnEachCircle='4' radius='1' edgeList='2 2'/></Node></Node></Node>",
                      "edge 2 is there twice");
    expect_load_error(LINES "nbPointsOnEachCircle='4' radiusFocal='1' focalAxis='0 0 0'/></Node></Node></Node>",
                      "focalAxis: it must not be zero");
    expect_load_error(LINES "nbPointsOnEachCircle='4' radius='1' toQuadContainer='@/m/c'/></Node></Node></Node>",
                      "'/m/c' is not the output '/m/a/c'");
    expect_load_error("<Node><MeshTopology edges='0 1'/><Node><QuadSetTopologyContainer/><QuadSetTopologyModifier/>"
                      "<Edge2QuadTopologicalMapping nbPointsOnEachCircle='4' radius='1'/></Node></Node>",
                      "needs a MechanicalObject of Rigid3d");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outputs_are_those_of_the_mesh_as_it_has_become),
        cmocka_unit_test(hexahedra_that_come_later_fit_their_neighbours),
        cmocka_unit_test(an_output_holds_nothing_of_its_own),
        cmocka_unit_test(a_point_for_each_hexahedron_comes_and_goes_with_it),
        cmocka_unit_test(the_output_of_a_grid_may_be_changed_by_itself),
        cmocka_unit_test(quads_of_flat_grids_are_cut_in_turns),
        cmocka_unit_test(a_border_may_start_empty_or_gain_nothing),
        cmocka_unit_test(what_hangs_on_an_output_follows_through_it),
        cmocka_unit_test(wrong_mappings_are_named),
        cmocka_unit_test(tubes_follow_their_lines),
        cmocka_unit_test(a_saved_tube_goes_on_where_it_was),
        cmocka_unit_test(what_was_saved_may_lose_or_gain_elements_at_once),
        cmocka_unit_test(edges_that_a_list_names_get_tubes),
        cmocka_unit_test(wrong_tubes_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, stop_plugins);
}
