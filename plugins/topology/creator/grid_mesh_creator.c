/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * GridMeshCreator: the unit square as a grid of quads or triangles, with the fields of a loader.
 *
 * Point (x, y) of nx by ny has the number x + nx y. A cell with the corners a, b, c, d around it, from its lower left one on, is by
 * trianglePattern
 *   0  the quad a b c d
 *   1  a b c and a c d where x + y is even, else a b d and b c d
 *   2  a b c and a c d
 *   3  a b d and b c d
 * Edges keep the direction in which the first of their elements has them, and stand in the order of their ends.
 */
#include <divan/kit/mesh_loader.h>

#include <stdlib.h>

enum { PATTERN_QUADS, PATTERN_ALTERNATE, PATTERN_UP, PATTERN_DOWN, PATTERNS };

typedef struct GridMeshCreator {
    DvMeshLoader base; /* first */
    DvData resolution, pattern;
} GridMeshCreator;

/* ---- Edges ---- */

typedef struct Side {
    uint32_t low, high, place; /* in the order in which elements give them */
    bool turned;               /* given from high to low */
} Side;
typedef DV_ARRAY(Side) Sides;

static void add_side(Sides *sides, uint32_t a, uint32_t b)
{
    const Side side = {a < b ? a : b, a < b ? b : a, sides->count, a > b};
    dv_array_push(sides, side);
}

static int by_ends(const void *a_, const void *b_)
{
    const Side *a = a_, *b = b_;
    if (a->low != b->low)
        return a->low < b->low ? -1 : 1;
    if (a->high != b->high)
        return a->high < b->high ? -1 : 1;
    return a->place < b->place ? -1 : 1;
}

static int by_first(const void *a_, const void *b_)
{
    const DvEdge *a = a_, *b = b_;
    if (a->at[0] != b->at[0])
        return a->at[0] < b->at[0] ? -1 : 1;
    return a->at[1] < b->at[1] ? -1 : a->at[1] > b->at[1];
}

static void take_edges(DvMesh *mesh, Sides *sides)
{
    qsort(sides->data, sides->count, sizeof *sides->data, by_ends);
    for (uint32_t i = 0; i < sides->count; i++) {
        const Side *side = &sides->data[i];
        if (i > 0 && side[-1].low == side->low && side[-1].high == side->high)
            continue;
        const DvEdge edge = {{side->turned ? side->high : side->low, side->turned ? side->low : side->high}};
        dv_array_push(&mesh->edge, edge);
    }
    qsort(mesh->edge.data, mesh->edge.count, sizeof *mesh->edge.data, by_first);
}

/* ---- Faces ---- */

static void add_face(DvMesh *mesh, Sides *sides, const uint32_t *corner, uint32_t corners)
{
    for (uint32_t i = 0; i < corners; i++)
        add_side(sides, corner[i], corner[(i + 1) % corners]);
    if (corners == 3)
        dv_array_push(&mesh->triangle, ((DvTriangle){{corner[0], corner[1], corner[2]}}));
    else
        dv_array_push(&mesh->quad, ((DvQuad){{corner[0], corner[1], corner[2], corner[3]}}));
}

static void add_cell(DvMesh *mesh, Sides *sides, int pattern, uint32_t nx, uint32_t x, uint32_t y)
{
    const uint32_t a = x + nx * y, b = a + 1, c = a + nx + 1, d = a + nx;
    if (pattern == PATTERN_QUADS) {
        add_face(mesh, sides, (const uint32_t[]){a, b, c, d}, 4);
    } else if (pattern == PATTERN_UP || (pattern == PATTERN_ALTERNATE && (x + y) % 2 == 0)) {
        add_face(mesh, sides, (const uint32_t[]){a, b, c}, 3);
        add_face(mesh, sides, (const uint32_t[]){a, c, d}, 3);
    } else {
        add_face(mesh, sides, (const uint32_t[]){a, b, d}, 3);
        add_face(mesh, sides, (const uint32_t[]){b, c, d}, 3);
    }
}

static DvStatus create(DvMeshLoader *base)
{
    GridMeshCreator *self = (GridMeshCreator *)base;
    const int32_t *n = dv_data_ints(&self->resolution, NULL), pattern = dv_data_int(&self->pattern);
    if (n[0] < 2 || n[1] < 2)
        return dv_field_error(&self->resolution, -1, "is %d %d; a grid has at least 2 points along each side", n[0],
                              n[1]);
    if (pattern < 0 || pattern >= PATTERNS)
        return dv_field_error(&self->pattern, -1,
                              "is %d; it is 0 (quads), 1 (triangles, diagonals by turns), 2 or 3 (all diagonals alike)",
                              pattern);
    const double points = (double)n[0] * n[1];
    if (points > INT32_MAX)
        return dv_field_error(&self->resolution, -1, "is %d %d: %.0f points are more than can be numbered", n[0], n[1],
                              points);
    const DvStatus status = dv_memory_ask(
        base->object,
        points * (sizeof(DvPoint3) + 2.0 * (sizeof(DvTriangle) + 3.0 * sizeof(Side)) + 3.0 * sizeof(DvEdge)),
        "a grid of %d by %d points", n[0], n[1]);
    if (status != DV_OK)
        return status;
    const uint32_t nx = (uint32_t)n[0], ny = (uint32_t)n[1];
    Sides sides = {0};
    for (uint32_t y = 0; y < ny; y++)
        for (uint32_t x = 0; x < nx; x++)
            dv_array_push(&base->mesh.position, ((DvPoint3){{x / (nx - 1.0), y / (ny - 1.0), 0.0}}));
    for (uint32_t y = 0; y + 1 < ny; y++)
        for (uint32_t x = 0; x + 1 < nx; x++)
            add_cell(&base->mesh, &sides, pattern, nx, x, y);
    take_edges(&base->mesh, &sides);
    dv_array_free(&sides);
    return DV_OK;
}

/* ---- Class ---- */

static DvStatus construct(DvObject *object, void *self_)
{
    GridMeshCreator *self = self_;
    self->base.create = create;
    self->base.made_from[0] = &self->resolution;
    self->base.made_from[1] = &self->pattern;
    return dv_mesh_loader_construct(object, self);
}

static const DvField fields[] = {
    DV_MESH_LOADER_FIELDS(GridMeshCreator, base.),
    DV_FIELD(GridMeshCreator, resolution, "resolution", dv_type_vec2i, .init = "2 2",
             .flags = DV_FIELD_INPUT | DV_FIELD_NOT_LINKED, .help = "points along each side, at least 2"),
    DV_FIELD(GridMeshCreator, pattern, "trianglePattern", dv_type_int, .init = "2",
             .flags = DV_FIELD_INPUT | DV_FIELD_NOT_LINKED,
             .help = "0: quads; triangles: 1 diagonals by turns, 2 from lower left, 3 from lower right"),
    {0},
};

const DvClass dv_grid_mesh_creator = {
    DV_MESH_LOADER_CLASS,
    .name = "GridMeshCreator",
    .module = "Sofa.Component.IO.Mesh",
    .help = "Makes a grid of triangles or quads over the unit square.",
    .instance_size = sizeof(GridMeshCreator),
    .fields = fields,
    .construct = construct,
    .parse = dv_mesh_loader_parse,
};
