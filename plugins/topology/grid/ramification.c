/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Pieces of cells; see ramification.h.
 */
#include "ramification.h"

#include <divan/math/vec.h>

static const uint32_t NO_PIECE = UINT32_MAX;

static uint32_t cells_along(const VoxelBox *box, int axis)
{
    return box->n[axis] - 1;
}

static uint32_t stride(const VoxelBox *box, int axis)
{
    return axis == 0 ? 1 : axis == 1 ? cells_along(box, 0) : cells_along(box, 0) * cells_along(box, 1);
}

static uint32_t place_along(const VoxelBox *box, uint32_t cell, int axis)
{
    return cell / stride(box, axis) % cells_along(box, axis);
}

static DvVec3 node_at(const VoxelBox *box, const uint32_t at[3])
{
    return dv_vec3(fma(box->step[0], at[0], box->min[0]), fma(box->step[1], at[1], box->min[1]),
                   fma(box->step[2], at[2], box->min[2]));
}

/* ---- Which faces the surface goes through ---- */

/* Borders count. */
static bool segment_meets_triangle(DvVec3 from, DvVec3 to, DvVec3 a, DvVec3 b, DvVec3 c)
{
    const DvVec3 along = dv_vec3_sub(to, from), normal = dv_vec3_cross(dv_vec3_sub(b, a), dv_vec3_sub(c, a));
    const double length = dv_vec3_norm(along), across = dv_vec3_dot(along, normal);
    if (!(length > 0.0) || fabs(across / length) <= 1e-10)
        return false;
    const double t = dv_vec3_dot(dv_vec3_sub(a, from), normal) / across;
    if (t < 0.0 || t > 1.0)
        return false;
    const DvVec3 p = dv_vec3_sub(dv_vec3_madd(from, t, along), a), u = dv_vec3_sub(b, a), v = dv_vec3_sub(c, a);
    const double square = dv_vec3_dot(normal, normal), s = dv_vec3_dot(dv_vec3_cross(p, v), normal) / square,
                 r = dv_vec3_dot(dv_vec3_cross(u, p), normal) / square;
    return s >= 0.0 && r >= 0.0 && s + r <= 1.0;
}

/* The face of a cell towards smaller coordinates along an axis. */
static bool segment_meets_face(const VoxelBox *box, const uint32_t cell[3], int axis, DvVec3 from, DvVec3 to)
{
    static const uint8_t corners[3][4][3] = {{{0, 0, 0}, {0, 0, 1}, {0, 1, 1}, {0, 1, 0}},
                                             {{0, 0, 0}, {1, 0, 0}, {1, 0, 1}, {0, 0, 1}},
                                             {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}}};
    DvVec3 p[4];
    for (int i = 0; i < 4; i++) {
        const uint8_t *corner = corners[axis][i];
        p[i] = node_at(box, (const uint32_t[3]){cell[0] + corner[0], cell[1] + corner[1], cell[2] + corner[2]});
    }
    return segment_meets_triangle(from, to, p[0], p[1], p[2]) || segment_meets_triangle(from, to, p[0], p[2], p[3]);
}

static void join_along(const VoxelBox *box, DvVec3 from, DvVec3 to, uint8_t *joined)
{
    uint32_t first[3], last[3], cell[3];
    const double ends[2][3] = {{from.x, from.y, from.z}, {to.x, to.y, to.z}};
    double fraction[3];
    for (int axis = 0; axis < 3;
         axis++) { /* a face belongs to the cell behind it: one more for what rounding may take away */
        const double low = fmin(ends[0][axis], ends[1][axis]), high = fmax(ends[0][axis], ends[1][axis]);
        uint32_t at[3];
        (void)voxel_at(box, (const double[3]){low, low, low}, at, fraction);
        first[axis] = at[axis] > 0 ? at[axis] - 1 : 0;
        (void)voxel_at(box, (const double[3]){high, high, high}, at, fraction);
        last[axis] = at[axis] + 1 < cells_along(box, axis) ? at[axis] + 1 : at[axis];
    }
    for (cell[2] = first[2]; cell[2] <= last[2]; cell[2]++)
        for (cell[1] = first[1]; cell[1] <= last[1]; cell[1]++)
            for (cell[0] = first[0]; cell[0] <= last[0]; cell[0]++)
                for (int axis = 0; axis < 3; axis++) {
                    uint8_t *faces = &joined[voxel_index(box, cell)];
                    if (!(*faces & 1U << axis) && segment_meets_face(box, cell, axis, from, to))
                        *faces |= (uint8_t)(1U << axis);
                }
}

void faces_joined(const VoxelBox *box, const uint8_t *voxels, const double *positions, const uint32_t *edges,
                  uint32_t edge_count, uint8_t *joined)
{
    memset(joined, 0, voxel_count(box));
    for (uint32_t i = 0; i < edge_count; i++) {
        const DvVec3 a = dv_vec3_load(positions + 3 * (size_t)edges[2 * (size_t)i]),
                     b = dv_vec3_load(positions + 3 * (size_t)edges[2 * (size_t)i + 1]);
        join_along(box, dv_vec3_sub(dv_vec3_scale(a, 2.0), b), b, joined);
    }
    for (uint32_t cell = 0; cell < voxel_count(box); cell++)
        for (int axis = 0; axis < 3; axis++)
            if (place_along(box, cell, axis) > 0 &&
                (voxels[cell] != VOXEL_BOUNDARY || voxels[cell - stride(box, axis)] != VOXEL_BOUNDARY))
                joined[cell] |= (uint8_t)(1U << axis);
}

/* ---- Pieces ---- */

static Pieces pieces_new(const VoxelBox *box, uint32_t count)
{
    Pieces pieces = {.box = *box,
                     .count = count,
                     .cell = dv_alloc(count, sizeof(uint32_t)),
                     .kind = dv_alloc(count, sizeof(uint8_t)),
                     .weight = dv_alloc(count, sizeof(float))};
    for (int axis = 0; axis < 3; axis++)
        pieces.start[axis] = dv_alloc((size_t)count + 1, sizeof(uint32_t));
    return pieces;
}

void pieces_free(Pieces *pieces)
{
    dv_free(pieces->cell);
    dv_free(pieces->kind);
    dv_free(pieces->weight);
    for (int axis = 0; axis < 3; axis++) {
        dv_free(pieces->start[axis]);
        dv_array_free(&pieces->neighbour[axis]);
    }
    *pieces = (Pieces){0};
}

Pieces pieces_of_cells(const VoxelBox *box, const uint8_t *voxels, const float *weights, const uint8_t *joined,
                       const uint32_t *cells, uint32_t count)
{
    Pieces pieces = pieces_new(box, count);
    uint32_t *piece = dv_alloc(voxel_count(box), sizeof *piece);
    for (size_t i = 0; i < voxel_count(box); i++)
        piece[i] = NO_PIECE;
    for (uint32_t i = 0; i < count; i++)
        piece[cells[i]] = i;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t cell = pieces.cell[i] = cells[i];
        pieces.kind[i] = voxels[cell];
        pieces.weight[i] = weights[cell];
        for (int axis = 0; axis < 3; axis++) {
            const uint32_t next = place_along(box, cell, axis) > 0 ? piece[cell - stride(box, axis)] : NO_PIECE;
            if (next != NO_PIECE && (!joined || joined[cell] & 1U << axis))
                dv_array_push(&pieces.neighbour[axis], next);
            pieces.start[axis][i + 1] = pieces.neighbour[axis].count;
        }
    }
    dv_free(piece);
    return pieces;
}

/* The pieces of each cell, in their order: rows of `list`, which start at `start`.     start: [cells + 1] */
static void list_by_cell(const Pieces *pieces, uint32_t *start, uint32_t *list)
{
    const size_t cells = voxel_count(&pieces->box);
    for (uint32_t i = 0; i < pieces->count; i++)
        start[pieces->cell[i] + 1]++;
    for (size_t cell = 0; cell < cells; cell++)
        start[cell + 1] += start[cell];
    for (uint32_t i = 0; i < pieces->count; i++)
        list[start[pieces->cell[i]]++] = i;
    for (size_t cell = cells; cell > 0; cell--)
        start[cell] = start[cell - 1];
    start[0] = 0;
}

static uint32_t root_of(uint32_t *root, uint32_t piece)
{
    while (root[piece] != piece)
        piece = root[piece] = root[root[piece]];
    return piece;
}

/* Within one coarse cell: the pieces of its parts, and what joins them. */
typedef struct Grouping {
    const Pieces *fine;
    uint32_t *root;       /* [fine] NO_PIECE: in none of the parts */
    DvIndexArray members; /* in the order of the parts */
} Grouping;

static void group(Grouping *g)
{
    for (uint32_t i = 0; i < g->members.count; i++)
        g->root[g->members.data[i]] = g->members.data[i];
    for (uint32_t i = 0; i < g->members.count; i++)
        for (int axis = 0; axis < 3; axis++) {
            const uint32_t member = g->members.data[i];
            for (uint32_t k = g->fine->start[axis][member]; k < g->fine->start[axis][member + 1]; k++) {
                const uint32_t next = g->fine->neighbour[axis].data[k];
                if (g->root[next] != NO_PIECE)
                    g->root[root_of(g->root, next)] = root_of(g->root, member);
            }
        }
}

typedef struct Growing { /* pieces of the coarse level so far */
    DvIndexArray cell, kind;
    DvRealArray weight;
} Growing;

/* A piece for each group, in the order of their first members. One that is alone in its cell weighs what is in it; of several, each
 * weighs what its last member does, as old scenes have it. */
static void add_groups(Grouping *g, uint32_t cell, Growing *to, uint32_t *parent)
{
    const uint32_t first = to->cell.count;
    uint32_t inside = 0;
    for (uint32_t i = 0; i < g->members.count; i++) {
        const uint32_t member = g->members.data[i];
        inside += g->fine->kind[member] == VOXEL_INSIDE;
        parent[member] = NO_PIECE;
    }
    for (uint32_t i = 0; i < g->members.count; i++) {
        const uint32_t member = g->members.data[i], root = root_of(g->root, member);
        for (uint32_t k = 0; k < i && parent[member] == NO_PIECE; k++)
            if (root_of(g->root, g->members.data[k]) == root)
                parent[member] = parent[g->members.data[k]];
        if (parent[member] == NO_PIECE) {
            parent[member] = to->cell.count;
            dv_array_push(&to->cell, cell);
            dv_array_push(&to->kind, VOXEL_BOUNDARY);
            dv_array_push(&to->weight, 0.0);
        }
        to->weight.data[parent[member]] += (double)g->fine->weight[member];
    }
    for (uint32_t i = 0; i < g->members.count && to->cell.count > first + 1; i++)
        to->weight.data[parent[g->members.data[i]]] = (double)g->fine->weight[g->members.data[i]];
    if (to->cell.count == first + 1 && inside == 8 && g->members.count == 8)
        to->kind.data[first] = VOXEL_INSIDE;
    for (uint32_t i = 0; i < g->members.count; i++)
        g->root[g->members.data[i]] = NO_PIECE;
}

static void push_new(DvIndexArray *list, uint32_t from, uint32_t piece)
{
    for (uint32_t i = from; i < list->count; i++)
        if (list->data[i] == piece)
            return;
    dv_array_push(list, piece);
}

/* Pieces in other cells that members are joined to.     members: of each piece, rows from `start` on */
static void inherit_neighbours(Pieces *coarse, const Pieces *fine, const uint32_t *parent, const uint32_t *start,
                               const uint32_t *members)
{
    for (int axis = 0; axis < 3; axis++)
        for (uint32_t piece = 0; piece < coarse->count; piece++) {
            const uint32_t from = coarse->neighbour[axis].count;
            for (uint32_t i = start[piece]; i < start[piece + 1]; i++)
                for (uint32_t k = fine->start[axis][members[i]]; k < fine->start[axis][members[i] + 1]; k++) {
                    const uint32_t next = parent[fine->neighbour[axis].data[k]];
                    if (coarse->cell[next] != coarse->cell[piece])
                        push_new(&coarse->neighbour[axis], from, next);
                }
            coarse->start[axis][piece + 1] = coarse->neighbour[axis].count;
        }
}

static Pieces take_growing(const VoxelBox *box, Growing *from)
{
    Pieces pieces = pieces_new(box, from->cell.count);
    for (uint32_t i = 0; i < pieces.count; i++) {
        pieces.cell[i] = from->cell.data[i];
        pieces.kind[i] = (uint8_t)from->kind.data[i];
        pieces.weight[i] = (float)(from->weight.data[i] / 8.0);
    }
    dv_array_free(&from->cell);
    dv_array_free(&from->kind);
    dv_array_free(&from->weight);
    return pieces;
}

Pieces pieces_coarsen(const Pieces *fine, const VoxelBox *coarse, uint32_t *parent)
{
    uint32_t *start = dv_alloc(voxel_count(&fine->box) + 1, sizeof *start), *list = dv_alloc(fine->count, sizeof *list);
    Grouping g = {.fine = fine, .root = dv_alloc(fine->count, sizeof *g.root)};
    Growing growing = {0};
    DvIndexArray member_start = {0}, members = {0};
    uint32_t cell[3];
    list_by_cell(fine, start, list);
    for (uint32_t i = 0; i < fine->count; i++)
        g.root[i] = NO_PIECE;
    for (cell[0] = 0; cell[0] < cells_along(coarse, 0); cell[0]++)
        for (cell[1] = 0; cell[1] < cells_along(coarse, 1); cell[1]++)
            for (cell[2] = 0; cell[2] < cells_along(coarse, 2); cell[2]++) {
                dv_array_clear(&g.members);
                for (uint32_t part = 0; part < 8; part++) {
                    const uint32_t at[3] = {2 * cell[0] + (part & 1U), 2 * cell[1] + (part >> 1 & 1U),
                                            2 * cell[2] + (part >> 2)};
                    const uint32_t index = voxel_index(&fine->box, at);
                    dv_array_append(&g.members, list + start[index], start[index + 1] - start[index]);
                }
                group(&g);
                const uint32_t first = growing.cell.count;
                add_groups(&g, voxel_index(coarse, cell), &growing, parent);
                for (uint32_t piece = first; piece < growing.cell.count; piece++) {
                    dv_array_push(&member_start, members.count);
                    for (uint32_t i = 0; i < g.members.count; i++)
                        if (parent[g.members.data[i]] == piece)
                            dv_array_push(&members, g.members.data[i]);
                }
            }
    dv_array_push(&member_start, members.count);
    Pieces pieces = take_growing(coarse, &growing);
    inherit_neighbours(&pieces, fine, parent, member_start.data, members.data);
    dv_free(start);
    dv_free(list);
    dv_free(g.root);
    dv_array_free(&g.members);
    dv_array_free(&member_start);
    dv_array_free(&members);
    return pieces;
}

/* ---- Points ---- */

uint32_t pieces_number_points(const Pieces *pieces, uint32_t *points)
{
    /* z, y, x: the corners of a piece and those of its neighbour that they are */
    static const struct {
        int axis;
        uint8_t own[4], other[4];
    } faces[3] = {{2, {0, 1, 2, 3}, {4, 5, 6, 7}}, {1, {0, 4, 5, 1}, {3, 7, 6, 2}}, {0, {0, 4, 7, 3}, {1, 5, 6, 2}}};
    const uint32_t corners = 8 * pieces->count;
    uint32_t *number = dv_alloc(corners, sizeof *number), count = 0;
    for (uint32_t i = 0; i < corners; i++)
        points[i] = i;
    for (uint32_t piece = 0; piece < pieces->count; piece++)
        for (int f = 0; f < 3; f++)
            for (uint32_t k = pieces->start[faces[f].axis][piece]; k < pieces->start[faces[f].axis][piece + 1]; k++)
                for (int i = 0; i < 4; i++) { /* the neighbour's name stays */
                    const uint32_t own = 8 * piece + faces[f].own[i],
                                   other = 8 * pieces->neighbour[faces[f].axis].data[k] + faces[f].other[i];
                    points[root_of(points, own)] = root_of(points, other);
                }
    for (uint32_t i = 0; i < corners; i++)
        if (points[i] == i)
            number[i] = count++;
    for (uint32_t i = 0; i < corners; i++)
        points[i] = root_of(points, i);
    for (uint32_t i = 0; i < corners; i++)
        points[i] = number[points[i]];
    dv_free(number);
    return count;
}
