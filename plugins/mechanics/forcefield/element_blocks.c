/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Elements in blocks of eight: lists of which element touches which point and pair, and the sum over them.
 */
#include "forcefield/element_blocks.h"

#include <string.h>

void element_blocks_free(ElementBlocks *mesh)
{
    dv_free(mesh->node);
    dv_free(mesh->point);
    dv_free(mesh->force);
    dv_free(mesh->start);
    dv_free(mesh->entry);
    dv_free(mesh->pair);
    dv_free(mesh->pair_start);
    dv_free(mesh->pair_entry);
    memset(mesh, 0, sizeof *mesh);
}

static DvStatus no_point(const DvObject *object, const char *kind, uint32_t element, uint32_t point, uint32_t points,
                         const uint32_t *list, size_t count)
{
    DvText text = {0};
    dv_text_add_missing(&text, "point", point, "the state", points, list, count);
    const DvStatus status = dv_error(object, DV_ERROR_INVALID, "%s %u: %s", kind, element, text.at);
    dv_text_free(&text);
    return status;
}

DvStatus element_blocks_build(ElementBlocks *mesh, const DvObject *object, const char *kind, uint32_t points,
                              uint32_t nodes, uint32_t elements, const uint32_t *list)
{
    element_blocks_free(mesh);
    for (uint32_t i = 0; i < elements; i++)
        for (uint32_t n = 0; n < nodes; n++)
            if (list[i * (size_t)nodes + n] >= points)
                return no_point(object, kind, i, list[i * (size_t)nodes + n], points, list, elements * (size_t)nodes);

    mesh->nodes = nodes;
    mesh->elements = elements;
    mesh->blocks = (elements + DV_LANES - 1) / DV_LANES;
    mesh->points = points;
    const size_t lanes = (size_t)mesh->blocks * DV_LANES;
    mesh->node = dv_alloc(lanes * nodes, sizeof *mesh->node);
    mesh->point = dv_alloc(points, sizeof *mesh->point);
    mesh->force = dv_alloc(lanes * nodes, sizeof *mesh->force);
    mesh->start = dv_alloc((size_t)points + 1, sizeof *mesh->start);
    mesh->entry = dv_alloc((size_t)elements * nodes, sizeof *mesh->entry);
    for (size_t lane = 0; lane < lanes; lane++) {
        const size_t element = lane < elements ? lane : elements - 1;
        for (uint32_t n = 0; n < nodes; n++)
            mesh->node[(lane / DV_LANES * nodes + n) * DV_LANES + lane % DV_LANES] = list[element * nodes + n];
    }
    for (size_t i = 0; i < (size_t)elements * nodes; i++)
        mesh->start[list[i] + 1]++;
    for (uint32_t p = 0; p < points; p++)
        mesh->start[p + 1] += mesh->start[p];
    uint32_t *next = dv_alloc(points, sizeof *next);
    memcpy(next, mesh->start, points * sizeof *next);
    for (uint32_t i = 0; i < elements * nodes; i++)
        mesh->entry[next[list[i]]++] = i;
    dv_free(next);
    return DV_OK;
}

void element_blocks_mean(const ElementBlocks *mesh, const double *value, double *at_point)
{
    for (uint32_t p = 0; p < mesh->points; p++) {
        const uint32_t begin = mesh->start[p], end = mesh->start[p + 1];
        double sum = 0.0;
        for (uint32_t e = begin; e < end; e++)
            sum += value[mesh->entry[e] / mesh->nodes];
        at_point[p] = end > begin ? sum / (end - begin) : 0.0;
    }
}

typedef struct PointLoad {
    DvReal4 *point;
    const double *x;
} PointLoad;

DV_SIMD_CLONES static void load_chunk(void *context, uint32_t begin, uint32_t end)
{
    const PointLoad *work = context;
    for (uint32_t p = begin; p < end; p++) {
        const double *x = work->x + 3 * (size_t)p;
        const DvReal4 row = {x[0], x[1], x[2], 0.0};
        work->point[p] = row;
    }
}

void element_blocks_load(ElementBlocks *mesh, const double *x)
{
    dv_parallel_for(mesh->points, POINTS_PER_CHUNK, load_chunk, &(PointLoad){mesh->point, x});
}

typedef struct Accumulation {
    const ElementBlocks *mesh;
    double *f;
} Accumulation;

DV_SIMD_CLONES static void accumulate_chunk(void *context, uint32_t begin, uint32_t end)
{
    const Accumulation *work = context;
    const DvReal4 *force = work->mesh->force;
    const uint32_t *start = work->mesh->start, *entry = work->mesh->entry;
    for (uint32_t p = begin; p < end; p++) {
        double *f = work->f + 3 * (size_t)p;
        DvReal4 sum = {f[0], f[1], f[2], 0.0};
        for (uint32_t e = start[p]; e < start[p + 1]; e++)
            sum += force[entry[e]];
        f[0] = sum[0];
        f[1] = sum[1];
        f[2] = sum[2];
    }
}

void element_blocks_accumulate(const ElementBlocks *mesh, const DvVec *f)
{
    dv_parallel_for(mesh->points, POINTS_PER_CHUNK, accumulate_chunk, &(Accumulation){mesh, f->at});
}

/* The pairs of the elements around each point, sorted by the second point; a stable order keeps elements ascending. */
void element_blocks_find_pairs(ElementBlocks *mesh)
{
    if (mesh->pair || mesh->elements == 0)
        return;
    const uint32_t nodes = mesh->nodes, points = mesh->points;
    const size_t most = (size_t)mesh->elements * nodes * (nodes - 1) / 2;
    mesh->pair = dv_alloc(most, 2 * sizeof *mesh->pair);
    mesh->pair_start = dv_alloc(most + 1, sizeof *mesh->pair_start);
    mesh->pair_entry = dv_alloc(most, sizeof *mesh->pair_entry);
    uint32_t *pair_of =
        dv_alloc(points, sizeof *pair_of); /* of the second point, + 1, while one first point is handled */
    uint32_t *seconds = dv_alloc(points, sizeof *seconds), *counts = dv_alloc(points, sizeof *counts);
    uint32_t entries = 0;
    for (uint32_t p = 0; p < points; p++) {
        uint32_t found = 0;
        for (uint32_t e = mesh->start[p]; e < mesh->start[p + 1]; e++) {
            const uint32_t element = mesh->entry[e] / nodes;
            for (uint32_t m = 0; m < nodes; m++) {
                const uint32_t q = element_blocks_point(mesh, element, m);
                if (q <= p)
                    continue;
                if (counts[q]++ == 0) {
                    uint32_t at = found++; /* insertion keeps `seconds` sorted: few neighbours */
                    for (; at > 0 && seconds[at - 1] > q; at--)
                        seconds[at] = seconds[at - 1];
                    seconds[at] = q;
                }
            }
        }
        for (uint32_t k = 0; k < found; k++) {
            const uint32_t q = seconds[k], number = mesh->pairs++;
            mesh->pair[2 * (size_t)number] = p;
            mesh->pair[2 * (size_t)number + 1] = q;
            mesh->pair_start[number] = entries;
            pair_of[q] = entries;
            entries += counts[q];
            counts[q] = 0;
        }
        for (uint32_t e = mesh->start[p]; e < mesh->start[p + 1]; e++) {
            const uint32_t element = mesh->entry[e] / nodes, n = mesh->entry[e] % nodes;
            for (uint32_t m = 0; m < nodes; m++) {
                const uint32_t q = element_blocks_point(mesh, element, m);
                if (q > p)
                    mesh->pair_entry[pair_of[q]++] = element << 6 | n << 3 | m;
            }
        }
    }
    mesh->pair_start[mesh->pairs] = entries;
    dv_free(pair_of);
    dv_free(seconds);
    dv_free(counts);
}

void element_blocks_reserve(ElementBlocks *mesh, DvPattern *pattern)
{
    element_blocks_find_pairs(mesh);
    for (uint32_t p = 0; p < mesh->points; p++)
        dv_pattern_add(pattern, p, p);
    for (uint32_t k = 0; k < mesh->pairs; k++) {
        const uint32_t a = mesh->pair[2 * (size_t)k], b = mesh->pair[2 * (size_t)k + 1];
        dv_pattern_add(pattern, a, b);
        dv_pattern_add(pattern, b, a);
    }
}

void element_blocks_draw(const ElementBlocks *mesh, DvDraw *draw, const double *position, const uint8_t (*faces)[3],
                         uint32_t count, double gap, const double (*color)[4], uint32_t colors)
{
    const uint32_t per_color = count / colors;
    double *corner = dv_alloc((size_t)mesh->elements * per_color, 9 * sizeof *corner);
    for (uint32_t c = 0; c < colors; c++) {
        double *at = corner;
        for (uint32_t i = 0; i < mesh->elements; i++) {
            double middle[3] = {0.0, 0.0, 0.0};
            for (uint32_t n = 0; n < mesh->nodes; n++)
                for (uint32_t axis = 0; axis < 3; axis++)
                    middle[axis] += position[3 * (size_t)element_blocks_point(mesh, i, n) + axis] / mesh->nodes;
            for (uint32_t k = c * per_color; k < (c + 1) * per_color; k++)
                for (uint32_t n = 0; n < 3; n++) {
                    const double *p = position + 3 * (size_t)element_blocks_point(mesh, i, faces[k][n]);
                    for (uint32_t axis = 0; axis < 3; axis++)
                        *at++ = p[axis] + gap * (middle[axis] - p[axis]);
                }
        }
        draw->ops->triangles(draw, corner, mesh->elements * per_color, color[c]);
    }
    dv_free(corner);
}
