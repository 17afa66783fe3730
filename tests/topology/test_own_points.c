/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Mesh2PointTopologicalMapping and SimpleTesselatedTetraTopologicalMapping with their mappings of states: whatever becomes of the
 * input, each point of the output stands where it does in a mesh loaded as it has become, and each element has its images.
 */
#include "edited_meshes.h"
#include "topology_conformance.h"

#include <divan/contracts/mapping.h>
#include <divan/contracts/state.h>
#include <divan/math/vec.h>
#include <divan/memory.h>
#include <divan/scene.h>

#include <math.h>
#include <stdio.h>
#include <unistd.h>

static DvVec3 point_at(const DvScene *scene, const char *path, uint32_t point)
{
    const DvConstVec x = dv_state_read(scene_state(scene, path), DV_POSITION);
    assert_true(point < x.count);
    return dv_vec3_load(x.at + 3 * (size_t)point);
}

/* A block or sheet of 2 cells along each axis, its state, and what hangs below. */
static DvScene *block(DvElementKind kind, const char *children)
{
    uint32_t elements[4 * 6 * 8];
    const uint32_t count = start_elements(kind, 2, elements),
                   points = kind == DV_TETRAHEDRA || kind == DV_HEXAHEDRA ? 27 : 9;
    DvText text = {0};
    dv_text_add(&text, "<MechanicalObject name='x' position='");
    for (uint32_t i = 0; i < points; i++)
        dv_text_add(&text, "%u %u %u ", i % 3, i / 3 % 3, i / 9);
    dv_text_add(&text, "'/>%s", children);
    DvScene *scene = build(body_of(kind), elements, count, 0, text.at);
    dv_text_free(&text);
    return scene;
}

/* Points without a place yet get one, so that no two stand together. */
static void scatter(const DvScene *scene, uint32_t *placed)
{
    const DvVec x = dv_state_write(scene_state(scene, "/m/x"), DV_POSITION, DV_READ_WRITE);
    for (uint32_t i = 0; i < x.count; i++)
        if (x.at[3 * i] == 0 && x.at[3 * i + 1] == 0 && x.at[3 * i + 2] == 0)
            for (uint32_t c = 0; c < 3; c++)
                x.at[3 * i + c] = 1.0 + 0.001 * random_below(5000);
    *placed = x.count;
}

static void apply(const DvScene *scene, const char *path)
{
    DvObject *map = scene_object(scene, path);
    const DvMappingOps *ops = dv_object_ops(map, DV_MAPPING);
    const DvConstVec in = dv_state_read(scene_state(scene, "/m/x"), DV_POSITION);
    const DvVec out = dv_state_write(scene_state(scene, "/m/a/x"), DV_POSITION, DV_READ_WRITE);
    ops->apply(dv_object_self(map), &(const DvStep){.dt = 0.01}, &in, &out);
}

static double volume(const DvScene *scene, const char *state, const uint32_t *t)
{
    const DvVec3 p = point_at(scene, state, t[0]);
    const DvVec3 a = dv_vec3_sub(point_at(scene, state, t[1]), p), b = dv_vec3_sub(point_at(scene, state, t[2]), p),
                 c = dv_vec3_sub(point_at(scene, state, t[3]), p);
    return dv_vec3_dot(dv_vec3_cross(a, b), c) / 6;
}

/* ---- Eight of one ---- */

#define DIVIDED                                                                                                    \
    "<Node name='a'><TetrahedronSetTopologyContainer name='c'/>"                                                   \
    "<TetrahedronSetTopologyModifier name='m'/><SimpleTesselatedTetraTopologicalMapping name='map' input='@../c' " \
    "output='@c'/><MechanicalObject name='x'/><SimpleTesselatedTetraMechanicalMapping name='follow'/></Node>"

static DvScene *divided_block(void)
{
    return block(DV_TETRAHEDRA, DIVIDED);
}

static const uint32_t *map_field(const DvScene *scene, const char *name, size_t *count)
{
    return dv_data_uints(dv_object_field(scene_object(scene, "/m/a/map"), name), count);
}

/* Images of all that is there, where they should be; `whole`: nothing is missing and nothing else is there. */
static void check_division(const DvScene *scene, bool whole)
{
    const Mesh from = mesh_at(scene, "/m/c"), to = mesh_at(scene, "/m/a/c");
    const DvElements edges = from.ops->elements(from.self, DV_EDGES),
                     wholes = from.ops->elements(from.self, DV_TETRAHEDRA),
                     pieces = to.ops->elements(to.self, DV_TETRAHEDRA);
    const uint32_t points = from.ops->point_count(from.self), own = to.ops->point_count(to.self);
    size_t count, of_points, of_edges, of_tetrahedra;
    const int32_t *source = dv_data_ints(dv_object_field(scene_object(scene, "/m/a/map"), "pointSource"), &count);
    const uint32_t *at_point = map_field(scene, "pointMappedFromPoint", &of_points),
                   *at_edge = map_field(scene, "pointMappedFromEdge", &of_edges);
    assert_int_equal(count, own);
    assert_int_equal(of_points, points);
    assert_int_equal(of_edges, edges.count);
    assert_int_equal(dv_state_count(scene_state(scene, "/m/a/x")), own);
    if (whole) {
        assert_int_equal(own, points + edges.count);
        assert_int_equal(pieces.count, 8 * wholes.count);
        /* That they fit: a face is divided into four by three edges, and there are eight faces and an edge inside of each. */
        const uint32_t faces = from.ops->elements(from.self, DV_TRIANGLES).count;
        assert_int_equal(to.ops->elements(to.self, DV_TRIANGLES).count, 4 * faces + 8 * wholes.count);
        assert_int_equal(to.ops->elements(to.self, DV_EDGES).count, 2 * edges.count + 3 * faces + wholes.count);
    }
    apply(scene, "/m/a/follow");
    for (uint32_t i = 0; i < own; i++) {
        const uint32_t e = source[i] < 0 ? (uint32_t)(-source[i] - 1) : (uint32_t)source[i] - 1;
        assert_true(source[i] != 0 && e < (source[i] < 0 ? edges.count : points));
        assert_int_equal((source[i] < 0 ? at_edge : at_point)[e], i);
        const DvVec3 a = point_at(scene, "/m/x", source[i] < 0 ? edges.at[2 * (size_t)e] : e),
                     b = source[i] < 0 ? point_at(scene, "/m/x", edges.at[2 * (size_t)e + 1]) : a;
        const DvVec3 d = dv_vec3_sub(point_at(scene, "/m/a/x", i), dv_vec3_scale(dv_vec3_add(a, b), 0.5));
        assert_true(dv_vec3_norm(d) < 1e-14 * 10);
    }
    const uint32_t *source_of = map_field(scene, "tetraSource", &count),
                   *images = map_field(scene, "tetrahedraMappedFromTetra", &of_tetrahedra);
    assert_int_equal(count, pieces.count);
    assert_int_equal(of_tetrahedra, wholes.count);
    uint32_t there = 0;
    for (uint32_t e = 0; e < wholes.count; e++) {
        const double part = volume(scene, "/m/x", wholes.at + 4 * (size_t)e) / 8;
        for (uint32_t i = 0; i < 8; i++) {
            const uint32_t piece = images[8 * (size_t)e + i];
            if (piece == UINT32_MAX)
                continue;
            assert_true(piece < pieces.count && source_of[piece] == e);
            assert_true(fabs(volume(scene, "/m/a/x", pieces.at + 4 * (size_t)piece) - part) < 1e-12 * (1 + fabs(part)));
            there++;
        }
        assert_true(images[8 * (size_t)e] != UINT32_MAX); /* what has no image has gone */
    }
    assert_int_equal(there, pieces.count);
    check_topology(to.object, false);
}

static void tetrahedra_come_and_go_with_their_eight(void **state)
{
    (void)state;
    for (uint64_t start = 1; start <= 3; start++) {
        DvScene *scene = divided_block();
        const Mesh mesh = mesh_at(scene, "/m/c");
        DvObject *by = scene_object(scene, "/m/m");
        uint32_t placed = 0;
        seed = start * 88172645463325252u;
        for (int i = 0; i < 60; i++) {
            scatter(scene, &placed);
            check_division(scene, true);
            edit(&mesh, body_of(DV_TETRAHEDRA), dv_object_ops(by, DV_TOPOLOGY_MODIFIER), dv_object_self(by));
        }
        dv_scene_free(scene);
    }
}

/* Positions of new points at rest too, and those of the start are the mesh's. */
static void new_points_stand_in_the_middle(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node name='root'><DefaultAnimationLoop/><Node name='m'><TetrahedronSetTopologyContainer name='c' "
        "position='0 0 0  2 0 0  0 2 0  0 0 2  2 2 2' tetrahedra='0 1 2 3'/><TetrahedronSetTopologyModifier name='m'/><MechanicalObject name='x'/>" DIVIDED
        "</Node></Node>");
    const Mesh to = mesh_at(scene, "/m/a/c");
    const double *at = to.ops->positions(to.self);
    static const double middles[] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 0, 1, 0, 1, 0, 1, 1};
    assert_int_equal(to.ops->point_count(to.self), 11);
    assert_memory_equal(at + 15, middles, sizeof middles);
    const DvConstVec x = dv_state_read(scene_state(scene, "/m/a/x"), DV_POSITION);
    assert_memory_equal(x.at, at, 33 * sizeof *at);
    const DvStateRef moved = scene_state(scene, "/m/x"), out = scene_state(scene, "/m/a/x");
    dv_state_write(moved, DV_POSITION, DV_READ_WRITE).at[12] = 8;
    DvObject *by = scene_object(scene, "/m/m");
    const DvTopologyModifierOps *modifier = dv_object_ops(by, DV_TOPOLOGY_MODIFIER);
    assert_int_equal(modifier->add_elements(dv_object_self(by), DV_TETRAHEDRA, 1, (const uint32_t[]){1, 2, 3, 4}, NULL),
                     DV_OK);
    assert_int_equal(dv_state_count(out), 14);                /* edges (1,4), (2,4), (3,4) */
    assert_true(dv_state_read(out, DV_POSITION).at[33] >= 4); /* where they are, before a step */
    check_division(scene, true);
    const Mesh from = mesh_at(scene, "/m/c");
    const DvElements edges = from.ops->elements(from.self, DV_EDGES);
    size_t count;
    const uint32_t *middle = map_field(scene, "pointMappedFromEdge", &count);
    const DvConstVec rest = dv_state_read(moved, DV_REST_POSITION), own = dv_state_read(out, DV_REST_POSITION);
    for (uint32_t e = 0; e < edges.count; e++)
        for (uint32_t c = 0; c < 3; c++)
            assert_true(own.at[3 * middle[e] + c] ==
                        0.5 * (rest.at[3 * edges.at[2 * e] + c] + rest.at[3 * edges.at[2 * e + 1] + c]));
    dv_scene_free(scene);
}

/* One goes with the last of its eight, and with what only it had. */
static void a_tetrahedron_goes_with_its_last_piece(void **state)
{
    (void)state;
    DvScene *scene = divided_block();
    const Mesh from = mesh_at(scene, "/m/c"), to = mesh_at(scene, "/m/a/c");
    DvObject *by = scene_object(scene, "/m/a/m");
    const DvTopologyModifierOps *modifier = dv_object_ops(by, DV_TOPOLOGY_MODIFIER);
    uint32_t placed = 0;
    seed = 88172645463325252u;
    scatter(scene, &placed);
    const uint32_t before = from.ops->elements(from.self, DV_TETRAHEDRA).count;
    for (uint32_t left = 8; left > 0; left--) {
        const uint32_t *images;
        size_t count;
        assert_int_equal(from.ops->elements(from.self, DV_TETRAHEDRA).count, before);
        images = map_field(scene, "tetrahedraMappedFromTetra", &count);
        const uint32_t first = images[8 * 5];
        assert_int_equal(modifier->remove_elements(dv_object_self(by), DV_TETRAHEDRA, 1, &first, true), DV_OK);
    }
    assert_int_equal(from.ops->elements(from.self, DV_TETRAHEDRA).count, before - 1);
    check_division(scene, true);
    /* and any number at once, until nothing is left */
    while (to.ops->elements(to.self, DV_TETRAHEDRA).count) {
        uint32_t numbers[20];
        for (uint32_t i = 0; i < 20; i++)
            numbers[i] = random_below(to.ops->elements(to.self, DV_TETRAHEDRA).count);
        assert_int_equal(modifier->remove_elements(dv_object_self(by), DV_TETRAHEDRA, 20, numbers, true), DV_OK);
        check_division(scene, false);
    }
    assert_int_equal(from.ops->elements(from.self, DV_TETRAHEDRA).count, 0);
    assert_int_equal(from.ops->point_count(from.self), 0);
    dv_scene_free(scene);
}

/* A new tetrahedron on points whose images have gone makes them anew. */
static void images_that_have_gone_come_again(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node name='root'><DefaultAnimationLoop/><Node name='m'><TetrahedronSetTopologyContainer name='c' "
        "position='0 0 0  2 0 0  0 2 0  0 0 2  2 2 2' tetrahedra='0 1 2 3'/><TetrahedronSetTopologyModifier name='m'/><MechanicalObject name='x'/>" DIVIDED
        "</Node></Node>");
    DvObject *by = scene_object(scene, "/m/m"), *below = scene_object(scene, "/m/a/m");
    const DvTopologyModifierOps *modifier = dv_object_ops(by, DV_TOPOLOGY_MODIFIER);
    const Mesh to = mesh_at(scene, "/m/a/c");
    const uint32_t corner = 1; /* the piece at point 1, which goes with it */
    assert_int_equal(modifier->remove_elements(dv_object_self(below), DV_TETRAHEDRA, 1, &corner, true), DV_OK);
    assert_int_equal(to.ops->point_count(to.self), 10);
    assert_int_equal(modifier->add_elements(dv_object_self(by), DV_TETRAHEDRA, 1, (const uint32_t[]){1, 2, 3, 4}, NULL),
                     DV_OK);
    assert_int_equal(to.ops->point_count(to.self), 14);
    check_division(scene, false);
    dv_scene_free(scene);
}

/* ---- Reset, and saving ---- */

typedef struct Kept {
    uint32_t points, pieces;
    uint32_t *list;
    double *x;
} Kept;

static Kept keep(const DvScene *scene)
{
    const Mesh to = mesh_at(scene, "/m/a/c");
    const DvElements all = to.ops->elements(to.self, DV_TETRAHEDRA);
    const DvConstVec x = dv_state_read(scene_state(scene, "/m/a/x"), DV_POSITION);
    Kept kept = {x.count, all.count, calloc(1, 16 * (size_t)all.count + 1), calloc(1, 24 * (size_t)x.count + 1)};
    memcpy(kept.list, all.at, 16 * (size_t)all.count);
    memcpy(kept.x, x.at, 24 * (size_t)x.count);
    return kept;
}

static void expect_kept(const DvScene *scene, Kept kept)
{
    Kept now = keep(scene);
    assert_int_equal(now.points, kept.points);
    assert_int_equal(now.pieces, kept.pieces);
    assert_memory_equal(now.list, kept.list, 16 * (size_t)kept.pieces + (kept.pieces == 0));
    assert_memory_equal(now.x, kept.x, 24 * (size_t)kept.points + (kept.points == 0));
    free(now.list), free(now.x);
}

static void a_reset_goes_back_to_the_first_division(void **state)
{
    (void)state;
    DvScene *scene = divided_block();
    const Mesh mesh = mesh_at(scene, "/m/c");
    DvObject *by = scene_object(scene, "/m/m");
    const Kept first = keep(scene);
    uint32_t placed = 0;
    seed = 88172645463325252u;
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 20; i++)
            edit(&mesh, body_of(DV_TETRAHEDRA), dv_object_ops(by, DV_TOPOLOGY_MODIFIER), dv_object_self(by));
        dv_scene_reset(scene);
        expect_kept(scene, first);
        scatter(scene, &placed);
        check_division(scene, true);
        dv_scene_reset(scene);
    }
    free(first.list), free(first.x);
    dv_scene_free(scene);
}

static DvScene *saved_and_loaded(DvScene *scene)
{
    DvScene *again = NULL;
    char file[] = P_tmpdir "/divan-points-XXXXXX.scn";
    const int handle = mkstemps(file, 4);
    assert_true(handle >= 0);
    close(handle);
    assert_int_equal(dv_scene_save(scene, file), DV_OK);
    assert_int_equal(dv_scene_load(file, NULL, &again), DV_OK);
    unlink(file);
    return again;
}

/* What is changed after it was loaded changes alike. */
static void a_saved_division_goes_on_where_it_was(void **state)
{
    (void)state;
    DvScene *scene = divided_block();
    seed = 88172645463325252u;
    uint32_t placed = 0;
    const Mesh mesh = mesh_at(scene, "/m/c");
    DvObject *by = scene_object(scene, "/m/m");
    for (int i = 0; i < 20; i++)
        edit(&mesh, body_of(DV_TETRAHEDRA), dv_object_ops(by, DV_TOPOLOGY_MODIFIER), dv_object_self(by));
    scatter(scene, &placed);
    check_division(scene, true);
    DvScene *again = saved_and_loaded(scene);
    const Mesh mesh_again = mesh_at(again, "/m/c");
    DvObject *by_again = scene_object(again, "/m/m");
    const uint64_t before = seed;
    for (uint64_t i = 0; i < 30; i++) {
        const Kept kept = keep(scene);
        expect_kept(again, kept);
        free(kept.list), free(kept.x);
        seed = before + i;
        edit(&mesh, body_of(DV_TETRAHEDRA), dv_object_ops(by, DV_TOPOLOGY_MODIFIER), dv_object_self(by));
        scatter(scene, &placed);
        check_division(scene, true);
        seed = before + i;
        edit(&mesh_again, body_of(DV_TETRAHEDRA), dv_object_ops(by_again, DV_TOPOLOGY_MODIFIER),
             dv_object_self(by_again));
        scatter(again, &placed);
        check_division(again, true);
    }
    dv_scene_free(scene);
    dv_scene_free(again);
}

/* ---- Points on elements ---- */

#define PLACES                                                                                       \
    "pointBaryCoords='0 0 0  0.25 0.5 -1' edgeBaryCoords='0.25 0 0' triangleBaryCoords='0.2 0.3 0' " \
    "quadBaryCoords='0.25 0.75 0  0.5 0.5 0' tetraBaryCoords='0.1 0.2 0.3' hexaBaryCoords='0.25 0.5 0.125'"
#define POINTS(container, more)                                         \
    "<Node name='a'><" container "SetTopologyContainer name='c'/>" more \
    "<Mesh2PointTopologicalMapping name='map' input='@../c' output='@c' " PLACES

/* Weights as in the documentation of the class; `order`: which corner. */
static DvVec3 expected_place(const DvScene *scene, DvElementKind kind, const uint32_t *nodes, uint32_t entry)
{
    static const double w_edge[] = {0.75, 0.25}, w_triangle[] = {0.5, 0.2, 0.3}, w_tetrahedron[] = {0.4, 0.1, 0.2, 0.3};
    static const double w_quads[2][4] = {{0.1875, 0.0625, 0.5625, 0.1875}, {0.25, 0.25, 0.25, 0.25}};
    static const double w_hexahedron[] = {0.328125, 0.109375, 0.109375, 0.328125,
                                          0.046875, 0.015625, 0.015625, 0.046875};
    static const double one[] = {1};
    const double *w = kind == DV_POINTS       ? one
                      : kind == DV_EDGES      ? w_edge
                      : kind == DV_TRIANGLES  ? w_triangle
                      : kind == DV_QUADS      ? w_quads[entry]
                      : kind == DV_TETRAHEDRA ? w_tetrahedron
                                              : w_hexahedron;
    DvVec3 sum = kind == DV_POINTS && entry == 1 ? dv_vec3(0.25, 0.5, -1) : dv_vec3(0, 0, 0);
    for (uint32_t i = 0; i < dv_element_nodes(kind); i++)
        sum = dv_vec3_madd(sum, w[i], point_at(scene, "/m/x", nodes[i]));
    return sum;
}

static void check_places(const DvScene *scene, DvElementKind copied)
{
    const Mesh from = mesh_at(scene, "/m/c"), to = mesh_at(scene, "/m/a/c");
    DvObject *map = scene_object(scene, "/m/a/map");
    const DvTopologicalMappingOps *ops = dv_object_ops(map, DV_TOPOLOGICAL_MAPPING);
    static const uint32_t entries[DV_ELEMENT_KINDS] = {2, 1, 1, 2, 1, 1};
    uint32_t total = 0;
    apply(scene, "/m/a/follow");
    for (DvElementKind kind = DV_POINTS; kind <= DV_HEXAHEDRA; kind++) {
        const DvElements all = kind == DV_POINTS ? (DvElements){NULL, from.ops->point_count(from.self)}
                                                 : from.ops->elements(from.self, kind);
        for (uint32_t e = 0; e < all.count; e++) {
            const uint32_t *images, *nodes = kind == DV_POINTS ? &e : all.at + (size_t)e * dv_element_nodes(kind);
            uint32_t image[2] = {UINT32_MAX, UINT32_MAX};
            assert_int_equal(ops->images(dv_object_self(map), kind, e, &images), entries[kind]);
            memcpy(image, images, entries[kind] * sizeof *images);
            for (uint32_t entry = 0; entry < entries[kind]; entry++, total++) {
                DvElementKind source_kind;
                uint32_t source;
                assert_true(ops->source(dv_object_self(map), DV_POINTS, image[entry], &source_kind, &source));
                assert_true(source_kind == kind && source == e);
                const DvVec3 d =
                    dv_vec3_sub(point_at(scene, "/m/a/x", image[entry]), expected_place(scene, kind, nodes, entry));
                assert_true(dv_vec3_norm(d) < 1e-13);
            }
        }
    }
    assert_int_equal(to.ops->point_count(to.self), total);
    const DvElements in = from.ops->elements(from.self, copied), out = to.ops->elements(to.self, copied);
    const uint32_t nodes = dv_element_nodes(copied);
    assert_int_equal(out.count, copied == DV_POINTS ? 0 : in.count);
    for (uint32_t e = 0; e < out.count; e++) {
        const uint32_t *images;
        assert_int_equal(ops->images(dv_object_self(map), DV_POINTS, in.at[(size_t)e * nodes], &images), 2);
        DvElementKind kind;
        uint32_t source, corner;
        assert_true(ops->source(dv_object_self(map), copied, e, &kind, &source) && kind == copied);
        for (uint32_t i = 0; i < nodes; i++) {
            assert_true(ops->source(dv_object_self(map), DV_POINTS, out.at[(size_t)e * nodes + i], &kind, &corner));
            assert_true(kind == DV_POINTS && corner == in.at[(size_t)source * nodes + i]);
        }
    }
    if (copied != DV_POINTS)
        check_topology(to.object, false);
}

static void follow_places(DvElementKind kind, const char *children, DvElementKind copied)
{
    DvScene *scene = block(kind, children);
    const Mesh mesh = mesh_at(scene, "/m/c");
    DvObject *by = scene_object(scene, "/m/m");
    uint32_t placed = 0;
    seed = 88172645463325252u;
    for (int i = 0; i < 40; i++) {
        scatter(scene, &placed);
        check_places(scene, copied);
        edit(&mesh, body_of(kind), dv_object_ops(by, DV_TOPOLOGY_MODIFIER), dv_object_self(by));
    }
    DvScene *again = saved_and_loaded(scene);
    scatter(again, &placed);
    check_places(again, copied);
    dv_scene_free(again);
    dv_scene_reset(scene);
    scatter(scene, &placed);
    check_places(scene, copied);
    dv_scene_free(scene);
}

#define FOLLOW "/><MechanicalObject name='x'/><Mesh2PointMechanicalMapping name='follow'/></Node>"
static void points_on_elements_come_and_go_with_them(void **state)
{
    (void)state;
    follow_places(DV_TETRAHEDRA, POINTS("Point", "<PointSetTopologyModifier name='m'/>") FOLLOW, DV_POINTS);
    follow_places(DV_HEXAHEDRA, POINTS("Point", "") FOLLOW, DV_POINTS);
    follow_places(DV_TRIANGLES, POINTS("Edge", "<EdgeSetTopologyModifier name='m'/>") "copyEdges='1'" FOLLOW, DV_EDGES);
    follow_places(DV_TETRAHEDRA, POINTS("Tetrahedron", "") "copyEdges='1' copyTriangles='1' copyTetrahedra='1'" FOLLOW,
                  DV_TETRAHEDRA);
    follow_places(DV_TETRAHEDRA, POINTS("Triangle", "") "copyTriangles='1'" FOLLOW, DV_TRIANGLES);
}

/* Points, then those of edges...; each element's together. */
static void points_stand_in_the_order_of_kinds(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node name='root'><MeshTopology name='c' position='0 0 0  4 0 0  4 4 0  0 4 0' points='0 0 0  4 0 0  4 4 0  0 4 0' quads='0 1 2 3'/>"
        "<Node name='a'><PointSetTopologyContainer name='c'/><Mesh2PointTopologicalMapping pointBaryCoords='0 0 1' "
        "edgeBaryCoords='0.25 0 0  1 0 0' quadBaryCoords='0.25 1 0'/><MechanicalObject name='x'/></Node></Node>");
    const DvConstVec x = dv_state_read(scene_state(scene, "/a/x"), DV_POSITION);
    assert_int_equal(x.count, 4 + 8 + 1);
    static const double corners[] = {0, 0, 1, 4, 0, 1, 4, 4, 1, 0, 4, 1};
    assert_memory_equal(x.at, corners, sizeof corners);
    const Mesh from = mesh_at(scene, "/c");
    const DvElements edges = from.ops->elements(from.self, DV_EDGES);
    for (uint32_t e = 0; e < 4; e++)
        for (uint32_t c = 0; c < 3; c++) {
            const double a = corners[3 * edges.at[2 * e] + c] - (c == 2),
                         b = corners[3 * edges.at[2 * e + 1] + c] - (c == 2);
            assert_true(fabs(x.at[3 * (4 + 2 * e) + c] - (0.75 * a + 0.25 * b)) < 1e-15);
            assert_true(fabs(x.at[3 * (5 + 2 * e) + c] - b) < 1e-15);
        }
    /* P2 (1 - x) y + P3 x y: points by rows */
    assert_true(fabs(x.at[36] - 3) < 1e-15 && fabs(x.at[37] - 4) < 1e-15);
    dv_scene_free(scene);
}

/* The list of a saved scene, two numbers for each point: kind + 16 times the place, and element. What is missing, or names what is not
 * there, makes points that stand for nothing; the others are as they were, there and back. */
static void sources_of_a_saved_scene_may_be_anything(void **state)
{
    (void)state;
    enum { POINTS = 9 };
    static const uint32_t good[POINTS][2] = {{0, 0}, {0, 1}, {0, 2}, {0, 3}, {0, 4}, {4, 0}, {20, 0}, {4, 1}, {20, 1}};
    static const uint32_t bad[][2] = {{4, 2}, {36, 0}, {16, 0}, {0, 5}, {1, 0}, {9, 0},          {15, 0},
                                      {2, 0}, {5, 0},  {6, 0},  {7, 0}, {8, 0}, {4, UINT32_MAX}, {UINT32_MAX, 0}};
    enum { BAD = sizeof bad / sizeof *bad };
    /* numbers that are there, then one bad row at each point in turn */
    for (uint32_t trial = 0; trial < 2 * POINTS + 1 + POINTS * BAD; trial++) {
        const uint32_t numbers = trial <= 2 * POINTS ? trial : 2 * POINTS;
        const uint32_t wrong = trial <= 2 * POINTS ? UINT32_MAX : (trial - 2 * POINTS - 1) / BAD;
        DvText text = {0};
        dv_text_add(
            &text,
            "<Node name='root'><DefaultAnimationLoop/><Node name='m'><TetrahedronSetTopologyContainer name='c' position='0 0 0  "
            "2 0 0  0 2 0  0 0 2  2 2 2' tetrahedra='0 1 2 3  1 2 3 4'/><TetrahedronSetTopologyModifier name='m'/>"
            "<MechanicalObject name='x'/><Node name='a'><PointSetTopologyContainer name='c'/><PointSetTopologyModifier/>"
            "<Mesh2PointTopologicalMapping name='map' input='@../c' output='@c' pointBaryCoords='0 0 0' "
            "tetraBaryCoords='0.1 0.2 0.3  0.2 0.2 0.2'><State sourcesOfPoints='");
        for (uint32_t i = 0; i < numbers; i++)
            dv_text_add(&text, "%u ", i / 2 == wrong ? bad[trial % BAD][i % 2] : good[i / 2][i % 2]);
        dv_text_add(&text, "'/></Mesh2PointTopologicalMapping></Node></Node></Node>");
        DvScene *scene = scene_from_text(text.at);
        DvObject *map = scene_object(scene, "/m/a/map");
        const DvTopologicalMappingOps *ops = dv_object_ops(map, DV_TOPOLOGICAL_MAPPING);
        assert_int_equal(mesh_at(scene, "/m/a/c").ops->point_count(mesh_at(scene, "/m/a/c").self), POINTS);
        uint32_t expected[DV_ELEMENT_KINDS][5][2];
        memset(expected, 0xff, sizeof expected);
        for (uint32_t point = 0; point < POINTS; point++) {
            const bool known = 2 * point + 1 < numbers && point != wrong;
            const uint32_t kind = good[point][0] % 16, place = good[point][0] / 16;
            DvElementKind of = DV_QUADS;
            uint32_t element = 77;
            if (ops->source(dv_object_self(map), DV_POINTS, point, &of, &element) != known)
                fail_msg("point %u of %u numbers, %u wrong", point, numbers, wrong);
            if (!known)
                continue;
            assert_true(of == (DvElementKind)kind && element == good[point][1]);
            expected[kind][element][place] = point;
        }
        for (uint32_t beyond = POINTS; beyond < POINTS + 3; beyond++)
            assert_false(
                ops->source(dv_object_self(map), DV_POINTS, beyond, &(DvElementKind){DV_POINTS}, &(uint32_t){0}));
        for (uint32_t i = 0; i < 5 + 2; i++) {
            const DvElementKind kind = i < 5 ? DV_POINTS : DV_TETRAHEDRA;
            const uint32_t *images, element = i < 5 ? i : i - 5;
            const uint32_t count = ops->images(dv_object_self(map), kind, element, &images);
            uint32_t found = 0;
            for (uint32_t place = 0; place < 2; place++)
                if (expected[kind][element][place] != UINT32_MAX) {
                    assert_true(found < count);
                    assert_int_equal(images[found++], expected[kind][element][place]);
                }
            assert_int_equal(found, count);
        }
        dv_scene_free(scene);
        dv_text_free(&text);
    }
}

static void wrong_mappings_of_points_are_named(void **state)
{
    (void)state;
#define TETRAHEDRON \
    "<Node>\n<TetrahedronSetTopologyContainer name='t' tetrahedra='0 1 2 3'/><MechanicalObject name='x'/><Node name='a'>"
    expect_load_error(
        TETRAHEDRON
        "<TetrahedronSetTopologyContainer/><Mesh2PointTopologicalMapping copyTetrahedra='1'/></Node></Node>",
        "copyTetrahedra: copies need the points: give pointBaryCoords an entry, as 0 0 0");
    expect_load_error(TETRAHEDRON
                      "<PointSetTopologyContainer name='p'/><Mesh2PointTopologicalMapping pointBaryCoords='0 0 0' "
                      "copyTriangles='1'/></Node></Node>",
                      "copyTriangles: the output '/a/p' must be a TriangleSetTopologyContainer");
    expect_load_error(TETRAHEDRON
                      "<MeshTopology/><MechanicalObject name='y'/><Mesh2PointMechanicalMapping/></Node></Node>",
                      "a Mesh2PointTopologicalMapping must stand before it, that fills the mesh in the node of '/a/y'");
    expect_load_error(TETRAHEDRON
                      "<PointSetTopologyContainer/><Mesh2PointTopologicalMapping pointBaryCoords='0 0 0'/>"
                      "<MechanicalObject name='y'/><Mesh2PointMechanicalMapping outputTopology='@../t'/></Node></Node>",
                      "outputTopology: '/t' is not that of the topological mapping");
    expect_load_error(
        TETRAHEDRON "<TriangleSetTopologyContainer name='p'/><SimpleTesselatedTetraTopologicalMapping/></Node></Node>",
        "output: '/a/p' holds no tetrahedra");
    expect_load_error(
        TETRAHEDRON
        "<TetrahedronSetTopologyContainer/><MechanicalObject name='y'/><SimpleTesselatedTetraMechanicalMapping/>"
        "</Node></Node>",
        "a SimpleTesselatedTetraTopologicalMapping must stand before it");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tetrahedra_come_and_go_with_their_eight),
        cmocka_unit_test(new_points_stand_in_the_middle),
        cmocka_unit_test(a_tetrahedron_goes_with_its_last_piece),
        cmocka_unit_test(images_that_have_gone_come_again),
        cmocka_unit_test(a_reset_goes_back_to_the_first_division),
        cmocka_unit_test(a_saved_division_goes_on_where_it_was),
        cmocka_unit_test(points_on_elements_come_and_go_with_them),
        cmocka_unit_test(points_stand_in_the_order_of_kinds),
        cmocka_unit_test(sources_of_a_saved_scene_may_be_anything),
        cmocka_unit_test(wrong_mappings_of_points_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, stop_plugins);
}
