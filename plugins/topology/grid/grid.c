/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Elements of a block of points. One loop serves all directions: an axis pair spans the quads, an axis the edges.
 */
#include "grid.h"

static uint32_t point_at(const uint32_t n[3], uint32_t x, uint32_t y, uint32_t z)
{
    return x + n[0] * (y + n[1] * z);
}

void grid_hexahedra(const uint32_t n[3], DvIndexArray *hexahedra)
{
    for (uint32_t z = 0; z + 1 < n[2]; z++)
        for (uint32_t y = 0; y + 1 < n[1]; y++)
            for (uint32_t x = 0; x + 1 < n[0]; x++)
                for (uint32_t top = 0; top < 2; top++) {
                    dv_array_push(hexahedra, point_at(n, x, y, z + top));
                    dv_array_push(hexahedra, point_at(n, x + 1, y, z + top));
                    dv_array_push(hexahedra, point_at(n, x + 1, y + 1, z + top));
                    dv_array_push(hexahedra, point_at(n, x, y + 1, z + top));
                }
}

/* Quads spanned by axes a and b. */
static void add_quads(const uint32_t n[3], int a, int b, DvIndexArray *quads)
{
    const uint32_t stride[3] = {1, n[0], n[0] * n[1]};
    uint32_t last[3] = {n[0], n[1], n[2]}; /* one past the last first corner */
    last[a]--;
    last[b]--;
    for (uint32_t z = 0; z < last[2]; z++)
        for (uint32_t y = 0; y < last[1]; y++)
            for (uint32_t x = 0; x < last[0]; x++) {
                const uint32_t corner = point_at(n, x, y, z);
                dv_array_push(quads, corner);
                dv_array_push(quads, corner + stride[a]);
                dv_array_push(quads, corner + stride[a] + stride[b]);
                dv_array_push(quads, corner + stride[b]);
            }
}

void grid_quads(const uint32_t n[3], DvIndexArray *quads)
{
    add_quads(n, 0, 1, quads);
    add_quads(n, 0, 2, quads);
    add_quads(n, 1, 2, quads);
}

void grid_triangles(const uint32_t *quads, uint32_t count, DvIndexArray *triangles)
{
    static const uint8_t halves[6] = {0, 1, 2, 0, 2, 3};
    for (uint32_t quad = 0; quad < count; quad++)
        for (int i = 0; i < 6; i++)
            dv_array_push(triangles, quads[4 * (size_t)quad + halves[i]]);
}

void grid_edges(const uint32_t n[3], DvIndexArray *edges)
{
    const uint32_t stride[3] = {1, n[0], n[0] * n[1]};
    for (int axis = 0; axis < 3; axis++) {
        uint32_t last[3] = {n[0], n[1], n[2]};
        last[axis]--;
        for (uint32_t z = 0; z < last[2]; z++)
            for (uint32_t y = 0; y < last[1]; y++)
                for (uint32_t x = 0; x < last[0]; x++) {
                    dv_array_push(edges, point_at(n, x, y, z));
                    dv_array_push(edges, point_at(n, x, y, z) + stride[axis]);
                }
    }
}

void grid_texture_coordinates(const uint32_t n[3], double *uv)
{
    static const int planes[3][3] = {{0, 1, 2}, {0, 2, 1}, {1, 2, 0}}; /* u axis, v axis, normal */
    uint32_t at[3] = {0};
    for (uint32_t point = 0; at[2] < n[2]; point++) {
        for (int plane = 0; plane < 3; plane++) {
            const int u = planes[plane][0], v = planes[plane][1], normal = planes[plane][2];
            const bool first = at[normal] == 0, last = at[normal] + 1 == n[normal];
            if (n[u] < 2 || n[v] < 2 || !(first || last))
                continue;
            const double s = (double)at[u] / (n[u] - 1), t = (double)at[v] / (n[v] - 1);
            uv[2 * (size_t)point] = first ? s : 1 - s;
            uv[2 * (size_t)point + 1] = first ? t : 1 - t;
            break;
        }
        for (int axis = 0; axis < 3 && ++at[axis] == n[axis] && axis < 2; axis++)
            at[axis] = 0; /* on to the next row, the next layer */
    }
}
