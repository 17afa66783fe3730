/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Surfaces as cells: against clipping of each triangle by the faces of each cell, and numbers of cells of boxes. Pieces of cells:
 * against sets of joined cells, found by passing the smallest number on.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "grid/ramification.h"
#include "grid/voxels.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CORNERS = 16 };

static double uniform(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005U + 1442695040888963407U;
    return (double)(*seed >> 11) / 9007199254740992.0;
}

/* Cuts a polygon at the plane x[axis] = limit; keeps what lies on the given side. */
static int cut(double (*corner)[3], int count, int axis, double limit, double side)
{
    double kept[MOST_CORNERS][3];
    int left = 0;
    for (int i = 0; i < count; i++) {
        const double *a = corner[i], *b = corner[(i + 1) % count];
        const double da = side * (limit - a[axis]), db = side * (limit - b[axis]);
        if (da >= 0)
            memcpy(kept[left++], a, sizeof kept[0]);
        if ((da > 0 && db < 0) || (da < 0 && db > 0)) {
            for (int c = 0; c < 3; c++)
                kept[left][c] = a[c] + (b[c] - a[c]) * da / (da - db);
            kept[left++][axis] = limit;
        }
    }
    memcpy(corner, kept, (size_t)left * sizeof kept[0]);
    return left;
}

static int part_inside(const VoxelSurface *surface, uint32_t triangle, const VoxelBox *box, const uint32_t cell[3],
                       double by)
{
    double corner[MOST_CORNERS][3];
    int count = 3;
    for (int i = 0; i < 3; i++)
        memcpy(corner[i], surface->positions + 3 * (size_t)surface->triangles[3 * triangle + (uint32_t)i],
               sizeof corner[0]);
    for (int axis = 0; axis < 3 && count > 0; axis++) {
        const double lower = box->min[axis] + cell[axis] * box->step[axis], upper = lower + box->step[axis];
        count = cut(corner, count, axis, upper + by, 1.0);
        if (count > 0)
            count = cut(corner, count, axis, lower - by, -1.0);
    }
    return count;
}

static void cells_that_a_triangle_meets_are_those_that_clipping_leaves_a_part_of_it_in(void **state)
{
    (void)state;
    const VoxelBox box = {{9, 7, 8}, {-1.0, 0.5, 2.0}, {0.3, 0.25, 0.4}};
    uint64_t seed = 20261122;
    uint8_t *voxels = malloc(voxel_count(&box));
    for (int trial = 0; trial < 200; trial++) {
        double at[9];
        const uint32_t corners[3] = {0, 1, 2};
        for (int i = 0; i < 9; i++)
            at[i] = box.min[i % 3] + (0.05 + 0.9 * uniform(&seed)) * box.step[i % 3] * (box.n[i % 3] - 1);
        const VoxelSurface surface = {at, 3, corners, 1};
        voxels_of_surface(&box, &surface, voxels);
        uint32_t cell[3];
        for (cell[2] = 0; cell[2] < box.n[2] - 1; cell[2]++)
            for (cell[1] = 0; cell[1] < box.n[1] - 1; cell[1]++)
                for (cell[0] = 0; cell[0] < box.n[0] - 1; cell[0]++) {
                    const uint8_t kind = voxels[voxel_index(&box, cell)];
                    if (part_inside(&surface, 0, &box, cell, -1e-6) > 0)
                        assert_int_equal(kind, VOXEL_BOUNDARY);
                    else if (part_inside(&surface, 0, &box, cell, 1e-6) == 0)
                        assert_int_equal(kind, VOXEL_OUTSIDE); /* one triangle encloses nothing */
                }
    }
    free(voxels);
}

/* The surface of a box of a whole number of cells of side 1, `in` from their faces. */
static void make_box(const double lower[3], const double upper[3], double at[24], uint32_t triangles[36])
{
    static const uint32_t faces[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                       2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    for (int i = 0; i < 8; i++)
        for (int axis = 0; axis < 3; axis++)
            at[3 * i + axis] = (i >> axis & 1) ? upper[axis] : lower[axis];
    memcpy(triangles, faces, sizeof faces);
}

static void a_closed_box_is_a_shell_around_its_inside(void **state)
{
    (void)state;
    const VoxelBox box = {{10, 9, 8}, {0, 0, 0}, {1, 1, 1}};
    double at[24];
    uint32_t triangles[36], count[3] = {0};
    make_box((const double[]){1.5, 1.5, 1.5}, (const double[]){7.5, 6.5, 5.5}, at, triangles);
    uint8_t voxels[9 * 8 * 7];
    voxels_of_surface(&box, &(VoxelSurface){at, 8, triangles, 12}, voxels);
    for (size_t i = 0; i < sizeof voxels; i++)
        count[voxels[i]]++;
    assert_int_equal(count[VOXEL_INSIDE], 5 * 4 * 3);
    assert_int_equal(count[VOXEL_BOUNDARY], 7 * 6 * 5 - 5 * 4 * 3);
    assert_int_equal(count[VOXEL_OUTSIDE], 9 * 8 * 7 - 7 * 6 * 5);
}

/* A face in the plane between two layers of cells touches both. */
static void touching_counts(void **state)
{
    (void)state;
    const VoxelBox box = {{5, 5, 5}, {0, 0, 0}, {1, 1, 1}};
    const double at[9] = {0.2, 0.2, 2, 3.6, 0.2, 2, 0.2, 3.6, 2};
    const uint32_t triangle[3] = {0, 1, 2};
    uint8_t voxels[64];
    voxels_of_surface(&box, &(VoxelSurface){at, 3, triangle, 1}, voxels);
    /* Vertices lie in layer 2 alone, so only that layer is searched; the whole triangle of its cells is marked. */
    const uint32_t expected_row[4] = {4, 3, 2, 1};
    for (uint32_t y = 0; y < 4; y++)
        for (uint32_t x = 0; x < 4; x++) {
            const uint32_t cell[3] = {x, y, 2};
            assert_int_equal(voxels[voxel_index(&box, cell)], x < expected_row[y] ? VOXEL_BOUNDARY : VOXEL_OUTSIDE);
        }
}

/* Nor does it hang on the last bit: the line x + y = 1 goes through corners of cells whose places are not to be had exactly. */
static void what_touches_does_so_to_rounding(void **state)
{
    (void)state;
    const VoxelBox box = {{9, 9, 2}, {-0.01, -0.01, -0.01}, {1.02 / 8, 1.02 / 8, 1.02 / 8}};
    const double at[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const uint32_t triangle[3] = {0, 1, 2};
    uint8_t voxels[64];
    voxels_of_surface(&box, &(VoxelSurface){at, 3, triangle, 1}, voxels);
    for (uint32_t y = 0; y < 8; y++)
        for (uint32_t x = 0; x < 8; x++)
            assert_int_equal(voxels[voxel_index(&box, (uint32_t[3]){x, y, 0})] == VOXEL_BOUNDARY, x + y <= 8);
}

/* Vertices outside the box mark nothing, but their triangle crosses it. */
static void what_reaches_beyond_the_box_is_cut_there(void **state)
{
    (void)state;
    const VoxelBox box = {{4, 4, 4}, {0, 0, 0}, {1, 1, 1}};
    const double at[9] = {-20, -20, 1.5, 40, -20, 1.5, -20, 40, 1.5};
    const uint32_t triangle[3] = {0, 1, 2};
    uint8_t voxels[27];
    voxels_of_surface(&box, &(VoxelSurface){at, 3, triangle, 1}, voxels);
    for (uint32_t i = 0; i < 27; i++)
        assert_int_equal(voxels[i], i / 9 == 1 ? VOXEL_BOUNDARY : VOXEL_OUTSIDE);
}

static void coarser_cells_hold_as_much(void **state)
{
    (void)state;
    const VoxelBox fine = {{9, 9, 9}, {0, 0, 0}, {1, 1, 1}}, coarse = {{5, 5, 5}, {0, 0, 0}, {2, 2, 2}};
    double at[24];
    uint32_t triangles[36];
    make_box((const double[]){1.5, 0.5, 0.5}, (const double[]){6.5, 6.5, 7.5}, at, triangles);
    uint8_t voxels[512], merged[64];
    float weights[512], merged_weights[64];
    voxels_of_surface(&fine, &(VoxelSurface){at, 8, triangles, 12}, voxels);
    for (int i = 0; i < 512; i++)
        weights[i] = voxels[i] == VOXEL_INSIDE ? 1.0F : voxels[i] == VOXEL_BOUNDARY ? 0.5F : 0.0F;
    voxels_coarsen(&fine, voxels, weights, &coarse, merged, merged_weights);
    double sum = 0, merged_sum = 0;
    for (int i = 0; i < 512; i++)
        sum += (double)weights[i];
    for (int i = 0; i < 64; i++)
        merged_sum += 8 * (double)merged_weights[i];
    assert_true(sum == merged_sum); /* eighths and halves: no rounding */
    /* fine cells 2..5 in x, 1..5 in y, 1..6 in z are inside: the coarse ones 1, 2 in x, 1, 2 in y and z are so with all their parts */
    for (uint32_t i = 0; i < 64; i++) {
        const uint32_t x = i % 4, y = i / 4 % 4, z = i / 16;
        const bool inside = (x == 1 || x == 2) && (y == 1 || y == 2) && (z == 1 || z == 2);
        assert_int_equal(merged[i] == VOXEL_INSIDE, inside);
        assert_int_equal(merged[i] == VOXEL_OUTSIDE, merged_weights[i] == 0.0F);
    }
}

/* All that eight cells can be. */
static void a_coarser_cell_is_what_all_its_eight_are(void **state)
{
    (void)state;
    const VoxelBox fine = {{3, 3, 3}, {0, 0, 0}, {1, 1, 1}}, coarse = {{2, 2, 2}, {0, 0, 0}, {2, 2, 2}};
    for (uint32_t which = 0; which < 6561; which++) {
        uint8_t voxels[8], merged = 9;
        float weights[8], weight = -1, sum = 0;
        uint32_t of_kind[3] = {0}, rest = which;
        for (uint32_t i = 0; i < 8; i++, rest /= 3) {
            voxels[i] = (uint8_t)(rest % 3);
            of_kind[rest % 3]++;
            sum += weights[i] = (float)((which * 7 + i * 5) % 9) / 8;
        }
        voxels_coarsen(&fine, voxels, weights, &coarse, &merged, &weight);
        assert_int_equal(merged, of_kind[VOXEL_OUTSIDE] == 8  ? VOXEL_OUTSIDE
                                 : of_kind[VOXEL_INSIDE] == 8 ? VOXEL_INSIDE
                                                              : VOXEL_BOUNDARY);
        assert_true(weight == sum / 8); /* eighths: no rounding */
    }
}

/* An edge joins the cells of each face that it goes through, prolonged by its length at its first end. */
static void an_edge_joins_the_cells_whose_faces_it_goes_through(void **state)
{
    (void)state;
    const VoxelBox box = {.n = {5, 4, 6}, .min = {-1, 0.5, 2}, .step = {0.5, 1, 0.25}};
    const size_t cells = voxel_count(&box);
    assert_int_equal(cells, 4 * 3 * 5);
    uint8_t voxels[60], joined[60];
    memset(voxels, VOXEL_BOUNDARY, sizeof voxels);
    uint64_t seed = 5;
    uint32_t crossings[3] = {0, 0, 0};
    for (int trial = 0; trial < 300; trial++) {
        double ends[6];
        for (int c = 0; c < 6; c++)
            ends[c] = box.min[c % 3] + uniform(&seed) * box.step[c % 3] * (box.n[c % 3] - 1);
        faces_joined(&box, voxels, ends, (const uint32_t[2]){0, 1}, 1, joined);
        for (uint32_t cell = 0; cell < cells; cell++) {
            const uint32_t at[3] = {cell % 4, cell / 4 % 3, cell / 12};
            for (int axis = 0; axis < 3; axis++) {
                const double level = box.min[axis] + at[axis] * box.step[axis];
                /* from 2 a - b to b */
                const double t = (level - (2.0 * ends[axis] - ends[axis + 3])) / (2.0 * (ends[axis + 3] - ends[axis]));
                bool through = t >= 0.0 && t <= 1.0;
                for (int other = 0; other < 3; other++) {
                    const double from = 2.0 * ends[other] - ends[other + 3], p = from + t * (ends[other + 3] - from);
                    const double place = (p - box.min[other]) / box.step[other] - at[other];
                    through = through && (other == axis || (place >= 0.0 && place <= 1.0));
                }
                crossings[axis] += through;
                assert_int_equal(joined[cell] >> axis & 1, through);
            }
        }
    }
    assert_true(crossings[0] > 100 && crossings[1] > 100 && crossings[2] > 100);

    /* Cells that the surface does not part are joined in any case. */
    voxels[0] = VOXEL_INSIDE;
    faces_joined(&box, voxels, NULL, NULL, 0, joined);
    for (uint32_t cell = 0; cell < cells; cell++)
        assert_int_equal(joined[cell], cell == 1 ? 1 : cell == 4 ? 2 : cell == 12 ? 4 : 0);
}

/* ---- Pieces, against sets of cells that are joined ---- */

enum { FINE = 8 * 12 * 4 };
static const VoxelBox levels[3] = {{.n = {9, 13, 5}, .min = {0, 0, 0}, .step = {1, 1, 1}},
                                   {.n = {5, 7, 3}, .min = {0, 0, 0}, .step = {2, 2, 2}},
                                   {.n = {3, 4, 2}, .min = {0, 0, 0}, .step = {4, 4, 4}}};

typedef struct
    Matter { /* cells of the finest level, and which are joined to their neighbours towards smaller coordinates */
    uint8_t kind[FINE], joined[FINE];
    float weight[FINE];
    uint32_t cells[FINE], count;
} Matter;

static uint32_t coordinate(const VoxelBox *box, uint32_t cell, int axis)
{
    const uint32_t nx = box->n[0] - 1, ny = box->n[1] - 1;
    return axis == 0 ? cell % nx : axis == 1 ? cell / nx % ny : cell / nx / ny;
}

/* The neighbour towards smaller coordinates that a cell is joined to, or FINE. */
static uint32_t joined_to(const Matter *matter, uint32_t cell, int axis)
{
    static const uint32_t strides[3] = {1, 8, 96};
    if (matter->kind[cell] == VOXEL_OUTSIDE || !(matter->joined[cell] >> axis & 1) ||
        coordinate(&levels[0], cell, axis) == 0 || matter->kind[cell - strides[axis]] == VOXEL_OUTSIDE)
        return FINE;
    return cell - strides[axis];
}

static Matter random_matter(uint64_t *seed, double filled, double inside, double joined)
{
    Matter matter = {.count = 0};
    for (uint32_t i = 0; i < FINE; i++) {
        matter.kind[i] = uniform(seed) >= filled  ? VOXEL_OUTSIDE
                         : uniform(seed) < inside ? VOXEL_INSIDE
                                                  : VOXEL_BOUNDARY;
        matter.weight[i] = (float)(1 + (int)(3.9 * uniform(seed))) / 4.0F;
        for (int axis = 0; axis < 3; axis++)
            matter.joined[i] |= (uint8_t)((uniform(seed) < joined) << axis);
        if (matter.kind[i] != VOXEL_OUTSIDE)
            matter.cells[matter.count++] = i;
    }
    return matter;
}

static uint32_t coarse_cell(uint32_t cell, int level)
{
    const uint32_t at[3] = {coordinate(&levels[0], cell, 0) >> level, coordinate(&levels[0], cell, 1) >> level,
                            coordinate(&levels[0], cell, 2) >> level};
    return voxel_index(&levels[level], at);
}

/* The smallest cell that each is joined to within a cell of a level. */
static void find_sets(const Matter *matter, int level, uint32_t set[FINE])
{
    for (uint32_t i = 0; i < FINE; i++)
        set[i] = i;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < FINE; i++)
            for (int axis = 0; axis < 3; axis++) {
                const uint32_t next = joined_to(matter, i, axis);
                if (next == FINE || coarse_cell(next, level) != coarse_cell(i, level) || set[i] == set[next])
                    continue;
                set[i] = set[next] = set[i] < set[next] ? set[i] : set[next];
                changed = true;
            }
    }
}

static bool is_neighbour(const Pieces *pieces, int axis, uint32_t piece, uint32_t other)
{
    uint32_t times = 0;
    for (uint32_t k = pieces->start[axis][piece]; k < pieces->start[axis][piece + 1]; k++)
        times += pieces->neighbour[axis].data[k] == other;
    assert_true(times <= 1);
    return times == 1;
}

/* piece_of: of each cell of the list */
static void check_pieces(const Matter *matter, int level, const Pieces *pieces, const uint32_t *piece_of)
{
    uint32_t set[FINE], number[FINE], count = 0, joints[3] = {0};
    find_sets(matter, level, set);
    for (uint32_t i = 0; i < FINE; i++)
        number[i] = UINT32_MAX;
    for (uint32_t i = 0; i < matter->count; i++) {
        const uint32_t cell = matter->cells[i];
        assert_true(piece_of[i] < pieces->count);
        assert_int_equal(pieces->cell[piece_of[i]], coarse_cell(cell, level));
        if (number[set[cell]] == UINT32_MAX) {
            number[set[cell]] = piece_of[i];
            count++;
        }
        assert_int_equal(number[set[cell]], piece_of[i]);
    }
    assert_int_equal(pieces->count, count); /* so each set has a piece of its own */
    bool *expected = calloc((size_t)3 * count * count, sizeof *expected);
    for (uint32_t i = 0; i < matter->count; i++)
        for (int axis = 0; axis < 3; axis++) {
            const uint32_t cell = matter->cells[i], next = joined_to(matter, cell, axis);
            if (next == FINE || coarse_cell(next, level) == coarse_cell(cell, level))
                continue;
            bool *pair = &expected[((size_t)axis * count + piece_of[i]) * count + number[set[next]]];
            joints[axis] += !*pair;
            *pair = true;
        }
    for (int axis = 0; axis < 3; axis++) {
        assert_int_equal(pieces->start[axis][0], 0);
        assert_int_equal(pieces->start[axis][count], joints[axis]);
        assert_int_equal(pieces->neighbour[axis].count, joints[axis]);
        for (uint32_t a = 0; a < count; a++)
            for (uint32_t b = 0; b < count; b++)
                assert_int_equal(is_neighbour(pieces, axis, a, b), expected[((size_t)axis * count + a) * count + b]);
    }
    free(expected);
}

/* Which of the eight parts of a coarser cell a piece lies in, x first. */
static uint32_t part_of(const Pieces *pieces, uint32_t piece)
{
    uint32_t part = 0;
    for (int axis = 0; axis < 3; axis++)
        part |= (coordinate(&pieces->box, pieces->cell[piece], axis) & 1U) << axis;
    return part;
}

/* A piece that is alone in its cell has an eighth of what its parts have; one of several an eighth of what its last part has. */
static void check_weights(const Pieces *fine, const Pieces *coarse, const uint32_t *parent)
{
    for (uint32_t piece = 0; piece < coarse->count; piece++) {
        double sum = 0, last = 0, beside = 0;
        uint32_t parts = 0, inside = 0, last_part = 0;
        for (uint32_t i = 0; i < fine->count; i++) {
            sum += parent[i] == piece ? (double)fine->weight[i] : 0;
            if (parent[i] == piece && part_of(fine, i) >= last_part) {
                last_part = part_of(fine, i);
                last = (double)fine->weight[i];
            }
            parts += parent[i] == piece;
            inside += parent[i] == piece && fine->kind[i] == VOXEL_INSIDE;
        }
        for (uint32_t other = 0; other < coarse->count; other++)
            beside += coarse->cell[other] == coarse->cell[piece];
        assert_true(fabs((double)coarse->weight[piece] - (beside == 1 ? sum : last) / 8) < 1e-6);
        assert_int_equal(coarse->kind[piece], beside == 1 && parts == 8 && inside == 8 ? VOXEL_INSIDE : VOXEL_BOUNDARY);
        for (int axis = 0; axis < 3 && piece > 0; axis++) { /* cells are in order, x first */
            const uint32_t before = coordinate(&coarse->box, coarse->cell[piece - 1], axis),
                           here = coordinate(&coarse->box, coarse->cell[piece], axis);
            assert_true(before <= here);
            if (before < here)
                break;
        }
    }
}

/* Two pieces share the points of the face across which they are joined, and points are shared in no other way. */
static void check_points(const Pieces *pieces)
{
    static const uint8_t corner[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                         {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    const uint32_t corners = 8 * pieces->count;
    uint32_t *points = malloc(corners * sizeof *points), *name = malloc(corners * sizeof *name), different = 0;
    const uint32_t count = pieces_number_points(pieces, points);
    for (uint32_t i = 0; i < corners; i++)
        name[i] = i;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t piece = 0; piece < pieces->count; piece++)
            for (int axis = 0; axis < 3; axis++)
                for (uint32_t k = pieces->start[axis][piece]; k < pieces->start[axis][piece + 1]; k++)
                    for (uint32_t i = 0; i < 64; i++) {
                        const uint8_t *own = corner[i / 8], *other = corner[i % 8];
                        uint32_t equal = 0;
                        for (int c = 0; c < 3; c++)
                            equal += c == axis ? own[c] == 0 && other[c] == 1 : own[c] == other[c];
                        uint32_t *a = &name[8 * piece + i / 8], *b = &name[8 * pieces->neighbour[axis].data[k] + i % 8];
                        if (equal < 3 || *a == *b)
                            continue;
                        *a = *b = *a < *b ? *a : *b;
                        changed = true;
                    }
    }
    bool *seen = calloc(count, sizeof *seen);
    for (uint32_t i = 0; i < corners; i++) {
        assert_true(points[i] < count);
        assert_int_equal(points[i], points[name[i]]);
        different += name[i] == i;
        seen[points[i]] = true;
    }
    for (uint32_t i = 0; i < count; i++)
        assert_true(seen[i]);
    assert_int_equal(different, count);
    free(points);
    free(name);
    free(seen);
}

static void pieces_are_sets_of_joined_cells(void **state)
{
    (void)state;
    uint64_t seed = 9;
    for (int trial = 0; trial < 12; trial++) {
        static const struct {
            double filled, inside, joined;
        } cases[] = {{0.6, 0.3, 0.7}, {0.4, 0.5, 1}, {0.98, 0.99, 0.99}, {1, 1, 0.9}};
        Matter matter = random_matter(&seed, cases[trial % 4].filled, cases[trial % 4].inside, cases[trial % 4].joined);
        uint32_t piece_of[FINE];
        Pieces pieces = pieces_of_cells(&levels[0], matter.kind, matter.weight, trial % 4 == 1 ? NULL : matter.joined,
                                        matter.cells, matter.count);
        for (uint32_t i = 0; i < matter.count; i++) {
            piece_of[i] = i;
            assert_int_equal(pieces.kind[i], matter.kind[matter.cells[i]]);
            assert_true(pieces.weight[i] == matter.weight[matter.cells[i]]);
        }
        check_pieces(&matter, 0, &pieces, piece_of);
        check_points(&pieces);
        for (int level = 1; level < 3; level++) {
            uint32_t parent[FINE];
            Pieces next = pieces_coarsen(&pieces, &levels[level], parent);
            for (uint32_t i = 0; i < matter.count; i++)
                piece_of[i] = parent[piece_of[i]];
            check_pieces(&matter, level, &next, piece_of);
            check_weights(&pieces, &next, parent);
            check_points(&next);
            pieces_free(&pieces);
            pieces = next;
        }
        pieces_free(&pieces);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_that_a_triangle_meets_are_those_that_clipping_leaves_a_part_of_it_in),
        cmocka_unit_test(a_closed_box_is_a_shell_around_its_inside),
        cmocka_unit_test(touching_counts),
        cmocka_unit_test(what_touches_does_so_to_rounding),
        cmocka_unit_test(what_reaches_beyond_the_box_is_cut_there),
        cmocka_unit_test(coarser_cells_hold_as_much),
        cmocka_unit_test(a_coarser_cell_is_what_all_its_eight_are),
        cmocka_unit_test(an_edge_joins_the_cells_whose_faces_it_goes_through),
        cmocka_unit_test(pieces_are_sets_of_joined_cells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
