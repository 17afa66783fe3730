/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Random edits of a mesh, for tests of what follows it.
 */
#ifndef DIVAN_TEST_EDITED_MESHES_H
#define DIVAN_TEST_EDITED_MESHES_H

#include "scene_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <divan/contracts/topology.h>
#include <stdlib.h>
#include <string.h>

static uint64_t seed;

static inline uint32_t random_below(uint32_t n)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)((seed >> 24) % n);
}

typedef struct Mesh {
    DvObject *object;
    const DvTopologyOps *ops;
    void *self;
} Mesh;

static inline Mesh mesh_at(const DvScene *scene, const char *path)
{
    Mesh mesh = {.object = scene_object(scene, path)};
    mesh.ops = dv_object_ops(mesh.object, DV_TOPOLOGY);
    mesh.self = dv_object_self(mesh.object);
    return mesh;
}

/* Faces of bodies, outward, as the documentation of the elements has them. */
static const uint8_t faces_of_tetrahedron[] = {1, 2, 3, 0, 3, 2, 1, 3, 0, 0, 2, 1};
static const uint8_t faces_of_hexahedron[] = {0, 3, 2, 1, 4, 5, 6, 7, 0, 1, 5, 4, 1, 2, 6, 5, 2, 3, 7, 6, 3, 0, 4, 7};
static const uint8_t edges_of_triangle[] = {1, 2, 2, 0, 0, 1};
static const uint8_t edges_of_quad[] = {0, 1, 1, 2, 2, 3, 3, 0};

typedef struct Body {
    DvElementKind kind, face_kind;
    const char *name, *field;
    uint32_t faces, face_nodes;
    const uint8_t *corners;
} Body;

static const Body bodies[] = {
    {DV_TETRAHEDRA, DV_TRIANGLES, "Tetrahedron", "tetrahedra", 4, 3, faces_of_tetrahedron},
    {DV_HEXAHEDRA, DV_QUADS, "Hexahedron", "hexahedra", 6, 4, faces_of_hexahedron},
    {DV_TRIANGLES, DV_EDGES, "Triangle", "triangles", 3, 2, edges_of_triangle},
    {DV_QUADS, DV_EDGES, "Quad", "quads", 4, 2, edges_of_quad},
};

static inline const Body *body_of(DvElementKind kind)
{
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++)
        if (bodies[i].kind == kind)
            return &bodies[i];
    fail();
    return NULL;
}

/* A scene of one container /m/c with its modifier /m/m, and what hangs below it. */
static inline DvScene *build(const Body *body, const uint32_t *elements, uint32_t count, uint32_t points,
                             const char *children)
{
    DvText text = {0};
    dv_text_add(
        &text,
        "<Node name='root'><DefaultAnimationLoop/><Node name='m'><%sSetTopologyContainer name='c' nbPoints='%u' %s='",
        body->name, points, body->field);
    for (uint32_t i = 0; i < count * dv_element_nodes(body->kind); i++)
        dv_text_add(&text, "%u ", elements[i]);
    dv_text_add(&text, "'/><%sSetTopologyModifier name='m'/>%s</Node></Node>", body->name, children);
    DvScene *scene = scene_from_text(text.at);
    dv_text_free(&text);
    return scene;
}

/* Cells of a block of n x n x n, as hexahedra; with tetrahedra, each in six; of a sheet, quads or triangles. */
static inline uint32_t start_elements(DvElementKind kind, uint32_t n, uint32_t *elements)
{
    const uint32_t side = n + 1, layers = kind == DV_HEXAHEDRA || kind == DV_TETRAHEDRA ? n : 1;
    uint32_t count = 0;
    for (uint32_t z = 0; z < layers; z++)
        for (uint32_t y = 0; y < n; y++)
            for (uint32_t x = 0; x < n; x++) {
                const uint32_t p = x + side * (y + side * z), q = p + side * side;
                const uint32_t h[8] = {p, p + 1, p + side + 1, p + side, q, q + 1, q + side + 1, q + side};
                uint32_t cut[6][4];
                dv_cut_hexahedron(h, dv_grid_mirrors(count, n, n), true, cut);
                if (kind == DV_TETRAHEDRA)
                    memcpy(elements + 24 * (size_t)count++, cut, sizeof cut);
                else if (kind == DV_TRIANGLES)
                    memcpy(elements + 6 * (size_t)count++, (uint32_t[]){h[0], h[1], h[2], h[0], h[2], h[3]}, 24);
                else
                    memcpy(elements + dv_element_nodes(kind) * (size_t)count++, h, dv_element_nodes(kind) * sizeof *h);
            }
    return kind == DV_TETRAHEDRA ? 6 * count : kind == DV_TRIANGLES ? 2 * count : count;
}

static inline uint32_t faces_equal(const Mesh *mesh, const Body *body, const uint32_t *face)
{
    const DvElements all = mesh->ops->elements(mesh->self, body->kind);
    const uint32_t nodes = dv_element_nodes(body->kind);
    uint32_t count = 0;
    for (uint32_t e = 0; e < all.count; e++) {
        uint32_t common = 0;
        for (uint32_t i = 0; i < nodes; i++)
            for (uint32_t j = 0; j < body->face_nodes; j++)
                common += all.at[(size_t)e * nodes + i] == face[j];
        count += common == body->face_nodes;
    }
    return count;
}

/* A new element on a face of the border, with new points. */
static inline void grow(const Mesh *mesh, const Body *body, const DvTopologyModifierOps *modifier, void *by)
{
    const DvElements all = mesh->ops->elements(mesh->self, body->kind);
    const uint32_t nodes = dv_element_nodes(body->kind), points = mesh->ops->point_count(mesh->self);
    if (all.count == 0) {
        const uint32_t alone[8] = {points,     points + 1, points + 2, points + 3,
                                   points + 4, points + 5, points + 6, points + 7};
        assert_int_equal(modifier->add_points(by, nodes, NULL), DV_OK);
        assert_int_equal(modifier->add_elements(by, body->kind, 1, alone, NULL), DV_OK);
        return;
    }
    for (int attempt = 0; attempt < 50; attempt++) {
        const uint32_t *element = all.at + (size_t)random_below(all.count) * nodes;
        const uint8_t *corner = body->corners + random_below(body->faces) * body->face_nodes;
        uint32_t f[4];
        for (uint32_t i = 0; i < body->face_nodes; i++)
            f[i] = element[corner[i]];
        if (faces_equal(mesh, body, f) != 1)
            continue;
        const uint32_t p = points;
        const uint32_t tetrahedron[] = {p, f[0], f[2], f[1]}, triangle[] = {f[1], f[0], p},
                       quad[] = {f[1], f[0], p, p + 1}, hexahedron[] = {f[0], f[1], f[2], f[3], p, p + 1, p + 2, p + 3};
        const uint32_t *element_of[DV_ELEMENT_KINDS] = {
            [DV_TETRAHEDRA] = tetrahedron, [DV_TRIANGLES] = triangle, [DV_QUADS] = quad, [DV_HEXAHEDRA] = hexahedron};
        assert_int_equal(modifier->add_points(by, nodes - body->face_nodes, NULL), DV_OK);
        assert_int_equal(modifier->add_elements(by, body->kind, 1, element_of[body->kind], NULL), DV_OK);
        return;
    }
}

static inline void edit(const Mesh *mesh, const Body *body, const DvTopologyModifierOps *modifier, void *by)
{
    const uint32_t count = mesh->ops->elements(mesh->self, body->kind).count;
    const uint32_t points = mesh->ops->point_count(mesh->self), choice = random_below(10);
    if (choice < 5 && count) {
        uint32_t numbers[4];
        const uint32_t gone = 1 + random_below(4);
        for (uint32_t i = 0; i < gone; i++)
            numbers[i] = random_below(count);
        assert_int_equal(modifier->remove_elements(by, body->kind, gone, numbers, true), DV_OK);
    } else if (choice < 9) {
        grow(mesh, body, modifier, by);
    } else {
        uint32_t *order = malloc(sizeof *order * (points + 1));
        for (uint32_t i = 0; i < points; i++)
            order[i] = i;
        for (uint32_t i = points; i > 1; i--) {
            const uint32_t j = random_below(i), kept = order[i - 1];
            order[i - 1] = order[j];
            order[j] = kept;
        }
        assert_int_equal(modifier->renumber_points(by, order), DV_OK);
        free(order);
    }
}

#endif
