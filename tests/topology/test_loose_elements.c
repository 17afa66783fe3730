/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Edges and faces that are left when the elements they were of have gone, and then lose points: they keep the number of a point that has
 * gone, whoever has that number later, and follow those of their points that are still there. Against a model that is edited by the
 * simplest code, through thousands of edits, with the scene saved and loaded anew again and again.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <divan/contracts/topology.h>
#include <divan/divan.h>

#include "scene_text.h"

enum { MOST_ROWS = 600, MOST_NODES = 8, ROUNDS = 12 };

typedef struct Lower { /* a list of the container that is not its own */
    uint32_t count, nodes;
    uint32_t at[MOST_ROWS][MOST_NODES];
    bool gone[MOST_ROWS][MOST_NODES];
} Lower;

typedef struct Body {
    DvElementKind own;
    DvScene *scene;
    DvObject *mesh;
    const DvTopologyOps *ops;
    void *self;
    const DvTopologyModifierOps *edit;
    void *modifier;
    Lower lower[DV_ELEMENT_KINDS];
    uint64_t seed;
} Body;

static uint32_t random_below(Body *body, uint32_t count)
{
    body->seed = body->seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(body->seed >> 33) % count;
}

static DvElements list_of(const Body *body, DvElementKind kind)
{
    return body->ops->elements(body->self, kind);
}

static void find(Body *body)
{
    DvObject *modifier = scene_object(body->scene, "/m");
    body->mesh = scene_object(body->scene, "/c");
    body->ops = dv_object_ops(body->mesh, DV_TOPOLOGY);
    body->self = dv_object_self(body->mesh);
    body->edit = dv_object_ops(modifier, DV_TOPOLOGY_MODIFIER);
    body->modifier = dv_object_self(modifier);
}

/* Cells of a grid with 3 or 4 points a side, each cut along its diagonal by going from one corner to the other, an axis at a time. */
static void add_elements(DvText *text, DvElementKind own)
{
    const uint32_t axes = own == DV_TRIANGLES || own == DV_QUADS ? 2 : 3, side = axes == 2 ? 4 : 3;
    const uint32_t step[3] = {1, side, side * side};
    for (uint32_t cell = 0; cell < (axes == 2 ? 9 : 8); cell++) {
        const uint32_t each = side - 1,
                       first = cell % each + cell / each % each * step[1] + cell / each / each * step[2];
        if (own == DV_QUADS || own == DV_HEXAHEDRA)
            for (uint32_t k = 0; k < (axes == 2 ? 4 : 8); k++)
                dv_text_add(text, "%u ", first + (k % 4 == 1 || k % 4 == 2) + (k % 4 > 1) * step[1] + k / 4 * step[2]);
        for (uint32_t a = 0; a < axes && (own == DV_TRIANGLES || own == DV_TETRAHEDRA); a++)
            for (uint32_t b = 0; b < axes; b++) {
                if (a == b)
                    continue;
                dv_text_add(text, "%u %u %u ", first, first + step[a], first + step[a] + step[b]);
                if (axes == 3)
                    dv_text_add(text, "%u ", first + 1 + step[1] + step[2]);
            }
    }
}

static Body body_of(DvElementKind own)
{
    static const char *const families[] = {[DV_TRIANGLES] = "Triangle",
                                           [DV_QUADS] = "Quad",
                                           [DV_TETRAHEDRA] = "Tetrahedron",
                                           [DV_HEXAHEDRA] = "Hexahedron"};
    static const char *const lists[] = {[DV_TRIANGLES] = "triangles",
                                        [DV_QUADS] = "quads",
                                        [DV_TETRAHEDRA] = "tetrahedra",
                                        [DV_HEXAHEDRA] = "hexahedra"};
    DvText text = {0};
    dv_text_add(&text, "<Node name='root'><DefaultAnimationLoop/><%sSetTopologyContainer name='c' %s='", families[own],
                lists[own]);
    add_elements(&text, own);
    dv_text_add(&text, "'/><%sSetTopologyModifier name='m'/></Node>", families[own]);
    Body body = {.own = own, .scene = scene_from_text(text.at), .seed = 5 + own};
    find(&body);
    for (DvElementKind kind = DV_EDGES; kind < own; kind++) {
        const DvElements list = list_of(&body, kind);
        Lower *lower = &body.lower[kind];
        lower->count = list.count;
        lower->nodes = dv_element_nodes(kind);
        assert_in_range(list.count, 0, MOST_ROWS);
        for (uint32_t i = 0; i < list.count; i++)
            memcpy(lower->at[i], list.at + (size_t)i * lower->nodes, lower->nodes * sizeof *list.at);
    }
    dv_text_free(&text);
    return body;
}

static void check(const Body *body)
{
    for (DvElementKind kind = DV_EDGES; kind < body->own; kind++) {
        const Lower *lower = &body->lower[kind];
        const DvElements list = list_of(body, kind);
        assert_int_equal(list.count, lower->count);
        for (uint32_t i = 0; i < list.count; i++)
            assert_memory_equal(list.at + (size_t)i * lower->nodes, lower->at[i], lower->nodes * sizeof *list.at);
        /* who is around a point: those of which it is a corner that is still there */
        const DvAdjacency around = body->ops->adjacency(body->self, DV_POINTS, kind);
        uint32_t expected = 0, found = 0;
        for (uint32_t i = 0; i < lower->count; i++) {
            bool whole = true;
            for (uint32_t j = 0; j < lower->nodes; j++)
                whole = whole && !lower->gone[i][j];
            expected += whole ? lower->nodes : 0;
        }
        for (uint32_t p = 0; p < around.count; p++)
            found += around.end[p] - around.begin[p];
        assert_int_equal(found, expected);
    }
}

static void point_goes(Body *body, uint32_t gone, uint32_t last)
{
    for (DvElementKind kind = DV_EDGES; kind < body->own; kind++)
        for (uint32_t i = 0; i < body->lower[kind].count; i++)
            for (uint32_t j = 0; j < body->lower[kind].nodes; j++) {
                uint32_t *at = &body->lower[kind].at[i][j];
                bool *lost = &body->lower[kind].gone[i][j];
                if (*lost)
                    continue;
                *lost = *at == gone;
                if (*at == last && !*lost)
                    *at = gone;
            }
}

static bool is_used(const Body *body, uint32_t point)
{
    const DvElements own = list_of(body, body->own);
    for (size_t i = 0; i < (size_t)own.count * dv_element_nodes(body->own); i++)
        if (own.at[i] == point)
            return true;
    return false;
}

/* Up to three points that no element has any more go at once. */
static void remove_points(Body *body)
{
    const uint32_t points = body->ops->point_count(body->self), most = 1 + random_below(body, 3);
    uint32_t gone[3], count = 0;
    for (uint32_t tries = 0; tries < 3 * points && count < most && points > 0; tries++) {
        const uint32_t point = random_below(body, points);
        bool there = false;
        for (uint32_t i = 0; i < count; i++)
            there = there || gone[i] == point;
        if (!there && !is_used(body, point))
            gone[count++] = point;
    }
    assert_int_equal(body->edit->remove_points(body->modifier, count, gone), DV_OK);
    for (uint32_t i = 0; i < count; i++) { /* the highest first */
        uint32_t highest = i;
        for (uint32_t k = i; k < count; k++)
            highest = gone[k] > gone[highest] ? k : highest;
        const uint32_t point = gone[highest];
        gone[highest] = gone[i];
        point_goes(body, point, points - 1 - i);
    }
}

static void renumber_points(Body *body)
{
    const uint32_t points = body->ops->point_count(body->self);
    uint32_t order[64], now[64];
    assert_in_range(points, 0, 64);
    for (uint32_t i = 0; i < points; i++)
        order[i] = i;
    for (uint32_t i = points; i > 1; i--) {
        const uint32_t k = random_below(body, i), kept = order[i - 1];
        order[i - 1] = order[k];
        order[k] = kept;
    }
    for (uint32_t i = 0; i < points; i++)
        now[order[i]] = i;
    assert_int_equal(body->edit->renumber_points(body->modifier, order), DV_OK);
    for (DvElementKind kind = DV_EDGES; kind < body->own; kind++)
        for (uint32_t i = 0; i < body->lower[kind].count; i++)
            for (uint32_t j = 0; j < body->lower[kind].nodes; j++)
                if (!body->lower[kind].gone[i][j])
                    body->lower[kind].at[i][j] = now[body->lower[kind].at[i][j]];
}

static void save_and_load(Body *body)
{
    char name[] = P_tmpdir "/divan-loose-XXXXXX.scn";
    const int file = mkstemps(name, 4);
    assert_true(file >= 0);
    (void)close(file);
    assert_int_equal(dv_scene_save(body->scene, name), DV_OK);
    dv_scene_free(body->scene);
    assert_int_equal(dv_scene_load(name, NULL, &body->scene), DV_OK);
    assert_int_equal(remove(name), 0);
    find(body);
}

static void elements_without_their_owners_keep_what_they_have(void **state)
{
    (void)state;
    for (uint32_t round = 0; round < 4 * ROUNDS; round++) {
        static const DvElementKind kinds[] = {DV_TRIANGLES, DV_QUADS, DV_TETRAHEDRA, DV_HEXAHEDRA};
        Body body = body_of(kinds[round % 4]);
        body.seed += 7919 * round;
        check(&body);
        while (body.ops->point_count(body.self) > 0) {
            const uint32_t own = list_of(&body, body.own).count, what = random_below(&body, 10);
            if (what < 4 && own > 0)
                assert_int_equal(body.edit->remove_elements(body.modifier, body.own, 1,
                                                            (const uint32_t[]){random_below(&body, own)}, false),
                                 DV_OK);
            else if (what < 7)
                remove_points(&body);
            else if (what < 8)
                renumber_points(&body);
            else if (what < 9 && random_below(&body, 4) == 0)
                save_and_load(&body);
            check(&body);
        }
        dv_scene_free(body.scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(elements_without_their_owners_keep_what_they_have)};
    return cmocka_run_group_tests(tests, NULL, stop_plugins);
}
