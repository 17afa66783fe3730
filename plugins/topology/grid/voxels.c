/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A surface as cells of a regular grid: a triangle marks the cells it meets by the separating axes of a triangle and a box
 * (Akenine-Moeller, Fast 3D triangle-box overlap testing, 2001), in the coordinates of the cell rounded to floats: touching counts,
 * and what touches must not hang on the last bit of a double.
 */
#include "voxels.h"

#include <divan/math/vec.h>
#include <divan/memory.h>

#include <string.h>

size_t voxel_count(const VoxelBox *box)
{
    return (size_t)(box->n[0] - 1) * (box->n[1] - 1) * (box->n[2] - 1);
}

uint32_t voxel_index(const VoxelBox *box, const uint32_t cell[3])
{
    return cell[0] + (box->n[0] - 1) * (cell[1] + (box->n[1] - 1) * cell[2]);
}

bool voxel_at(const VoxelBox *box, const double point[3], uint32_t cell[3], double fraction[3])
{
    bool inside = true;
    for (int axis = 0; axis < 3; axis++) {
        const double step = box->step[axis], x = (point[axis] - box->min[axis]) * step / (step * step);
        const double last = box->n[axis] - 2.0, at = fmin(fmax(floor(x), 0.0), last);
        inside = inside && floor(x) >= 0.0 && floor(x) <= last;
        cell[axis] = (uint32_t)at;
        fraction[axis] = x - at;
    }
    return inside;
}

/* Whether the projections of the triangle and of the cube of side 1 around the origin are apart. */
static bool apart(const DvVec3 corner[3], DvVec3 axis)
{
    const double a = dv_vec3_dot(corner[0], axis), b = dv_vec3_dot(corner[1], axis), c = dv_vec3_dot(corner[2], axis);
    const double reach = 0.5 * (fabs(axis.x) + fabs(axis.y) + fabs(axis.z));
    return fmin(fmin(a, b), c) > reach || fmax(fmax(a, b), c) < -reach;
}

/* The triangle in the coordinates of a cell: its centre is 0, its sides are 1. */
static bool meets_unit_cube(const DvVec3 corner[3])
{
    static const DvVec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const DvVec3 edge[3] = {dv_vec3_sub(corner[1], corner[0]), dv_vec3_sub(corner[2], corner[1]),
                            dv_vec3_sub(corner[0], corner[2])};
    for (int axis = 0; axis < 3; axis++) {
        if (apart(corner, axes[axis]))
            return false;
        for (int e = 0; e < 3; e++)
            if (apart(corner, dv_vec3_cross(axes[axis], edge[e])))
                return false;
    }
    return !apart(corner, dv_vec3_cross(edge[0], edge[1]));
}

/* To float and back. By way of memory: compilers that take several numbers at once were seen to leave both conversions out. */
static double rounded(double x)
{
    volatile float nearest = (float)x;
    return nearest;
}

static bool triangle_meets_cell(const VoxelBox *box, const DvVec3 corner[3], const uint32_t cell[3])
{
    double centre[3];
    for (int axis = 0; axis < 3; axis++) {
        const double lower = fma(box->step[axis], cell[axis], box->min[axis]);
        const double upper = fma(box->step[axis], cell[axis] + 1.0, box->min[axis]);
        centre[axis] = (lower + upper) * 0.5;
    }
    DvVec3 local[3];
    for (int i = 0; i < 3; i++)
        local[i] = dv_vec3(rounded((corner[i].x - centre[0]) / box->step[0]),
                           rounded((corner[i].y - centre[1]) / box->step[1]),
                           rounded((corner[i].z - centre[2]) / box->step[2]));
    return meets_unit_cube(local);
}

static void mark_triangle(const VoxelBox *box, const VoxelSurface *surface, const uint32_t *triangle,
                          const uint32_t (*cell_of)[3], uint8_t *voxels)
{
    uint32_t first[3], last[3], cell[3];
    DvVec3 corner[3];
    for (int i = 0; i < 3; i++)
        corner[i] = dv_vec3_load(surface->positions + 3 * (size_t)triangle[i]);
    for (int axis = 0; axis < 3; axis++) {
        first[axis] = last[axis] = cell_of[triangle[0]][axis];
        for (int i = 1; i < 3; i++) {
            const uint32_t at = cell_of[triangle[i]][axis];
            first[axis] = at < first[axis] ? at : first[axis];
            last[axis] = at > last[axis] ? at : last[axis];
        }
    }
    for (cell[2] = first[2]; cell[2] <= last[2]; cell[2]++)
        for (cell[1] = first[1]; cell[1] <= last[1]; cell[1]++)
            for (cell[0] = first[0]; cell[0] <= last[0]; cell[0]++) {
                uint8_t *voxel = &voxels[voxel_index(box, cell)];
                if (*voxel != VOXEL_BOUNDARY && triangle_meets_cell(box, corner, cell))
                    *voxel = VOXEL_BOUNDARY;
            }
}

/* Spreads OUTSIDE from the border of the box. */
static void flood(const VoxelBox *box, uint8_t *voxels)
{
    const uint32_t size[3] = {box->n[0] - 1, box->n[1] - 1, box->n[2] - 1};
    const uint32_t stride[3] = {1, size[0], size[0] * size[1]};
    const size_t count = voxel_count(box);
    uint32_t *stack = dv_alloc(count, sizeof *stack);
    size_t height = 0;
    uint32_t cell[3];
    for (cell[2] = 0; cell[2] < size[2]; cell[2]++)
        for (cell[1] = 0; cell[1] < size[1]; cell[1]++)
            for (cell[0] = 0; cell[0] < size[0]; cell[0]++) {
                bool border = false;
                for (int axis = 0; axis < 3; axis++)
                    border = border || cell[axis] == 0 || cell[axis] + 1 == size[axis];
                const uint32_t index = voxel_index(box, cell);
                if (border && voxels[index] == VOXEL_INSIDE) {
                    voxels[index] = VOXEL_OUTSIDE;
                    stack[height++] = index;
                }
            }
    while (height > 0) {
        const uint32_t index = stack[--height];
        for (int axis = 0; axis < 3; axis++) {
            const uint32_t at = index / stride[axis] % size[axis];
            const uint32_t neighbour[2] = {index - stride[axis], index + stride[axis]};
            const bool exists[2] = {at > 0, at + 1 < size[axis]};
            for (int side = 0; side < 2; side++)
                if (exists[side] && voxels[neighbour[side]] == VOXEL_INSIDE) {
                    voxels[neighbour[side]] = VOXEL_OUTSIDE;
                    stack[height++] = neighbour[side];
                }
        }
    }
    dv_free(stack);
}

void voxels_of_surface(const VoxelBox *box, const VoxelSurface *surface, uint8_t *voxels)
{
    uint32_t(*cell_of)[3] = dv_alloc(surface->point_count, sizeof *cell_of);
    memset(voxels, VOXEL_INSIDE, voxel_count(box));
    for (uint32_t i = 0; i < surface->point_count; i++) {
        double fraction[3];
        if (voxel_at(box, surface->positions + 3 * (size_t)i, cell_of[i], fraction))
            voxels[voxel_index(box, cell_of[i])] = VOXEL_BOUNDARY;
    }
    for (uint32_t i = 0; i < surface->triangle_count; i++)
        mark_triangle(box, surface, surface->triangles + 3 * (size_t)i, cell_of, voxels);
    dv_free(cell_of);
    flood(box, voxels);
}

void voxels_coarsen(const VoxelBox *fine, const uint8_t *fine_voxels, const float *fine_weights, const VoxelBox *coarse,
                    uint8_t *voxels, float *weights)
{
    uint32_t cell[3];
    for (cell[2] = 0; cell[2] + 1 < coarse->n[2]; cell[2]++)
        for (cell[1] = 0; cell[1] + 1 < coarse->n[1]; cell[1]++)
            for (cell[0] = 0; cell[0] + 1 < coarse->n[0]; cell[0]++) {
                uint32_t kinds[3] = {0};
                float sum = 0.0F;
                for (uint32_t child = 0; child < 8; child++) {
                    const uint32_t at[3] = {2 * cell[0] + (child & 1U), 2 * cell[1] + (child >> 1 & 1U),
                                            2 * cell[2] + (child >> 2)};
                    const uint32_t index = voxel_index(fine, at);
                    kinds[fine_voxels[index]]++;
                    sum += fine_weights[index];
                }
                const uint32_t index = voxel_index(coarse, cell);
                voxels[index] = kinds[VOXEL_INSIDE] == 8    ? VOXEL_INSIDE
                                : kinds[VOXEL_OUTSIDE] == 8 ? VOXEL_OUTSIDE
                                                            : VOXEL_BOUNDARY;
                weights[index] = sum / 8.0F;
            }
}
