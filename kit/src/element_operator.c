/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <divan/kit/element_operator.h>

#include <divan/kit/quadrature.h>
#include <divan/memory.h>

#include <math.h>

void dv_element_operator_free(DvElementOperator *op)
{
    dv_free(op->element);
    dv_free(op->rest);
    dv_free(op->map);
    dv_free(op->material);
    dv_free(op->slope);
    *op = (DvElementOperator){0};
}

static void *make_room(void *array, size_t *room, size_t count, size_t size)
{
    if (array && *room >= count)
        return array;
    dv_free(array);
    *room = count;
    return dv_alloc(count ? count : 1, size);
}

void dv_element_operator_begin(DvElementOperator *op, DvElementKind kind, DvElementFrame frame, uint32_t elements)
{
    const DvQuadrature rule = dv_quadrature(kind, 1);
    const size_t nodes = dv_element_nodes(kind), points = rule.count, count = elements;
    op->nodes = (uint32_t)nodes;
    op->points = rule.count;
    op->elements = elements;
    op->frame = frame;
    op->element = make_room(op->element, &op->element_room, count * nodes, sizeof *op->element);
    op->rest = make_room(op->rest, &op->rest_room, count * nodes * 3, sizeof *op->rest);
    op->map = make_room(op->map, &op->map_room, count * points * 9, sizeof *op->map);
    op->material = make_room(op->material, &op->material_room, count * points * 2, sizeof *op->material);
    op->slope = make_room(op->slope, &op->slope_room, nodes * points * 3, sizeof *op->slope);
    for (uint32_t q = 0; q < rule.count; q++) {
        double at[3];
        (void)dv_quadrature_point(kind, &rule, q, at);
        for (uint32_t n = 0; n < nodes; n++)
            (void)dv_shape_function(kind, 1, n, at, op->slope + (q * nodes + n) * 3);
    }
}

/* To rounding. */
static bool alike(const double *a, const double *b, uint32_t count)
{
    double largest = 0.0, apart = 0.0;
    for (uint32_t i = 0; i < count; i++) {
        largest = fmax(largest, fabs(a[i]));
        apart = fmax(apart, fabs(a[i] - b[i]));
    }
    return apart <= 1e-14 * largest;
}

static bool alike_at_all_points(const DvElementOperator *op)
{
    const uint32_t points = op->points;
    for (size_t e = 0; e < op->elements; e++)
        for (uint32_t q = 1; q < points; q++) {
            const double *map = op->map + e * points * 9, *material = op->material + e * points * 2;
            if (!alike(map, map + (size_t)q * 9, 9) || !alike(material, material + q, 1) ||
                !alike(material + points, material + points + q, 1))
                return false;
        }
    return true;
}

static void keep_first_points(DvElementOperator *op)
{
    for (size_t e = 0; e < op->elements; e++) {
        for (size_t i = 0; i < 9; i++)
            op->map[e * 9 + i] = op->map[e * op->points * 9 + i];
        for (size_t i = 0; i < 2; i++)
            op->material[e * 2 + i] = op->material[e * op->points * 2 + i * op->points];
    }
}

void dv_element_operator_see_from_middle(DvElementOperator *op, uint32_t element)
{
    for (size_t c = 0; c < 3; c++) {
        double *at = op->rest + (size_t)element * op->nodes * 3 + c, middle = 0.0;
        for (size_t n = 0; n < op->nodes; n++)
            middle += at[3 * n];
        middle /= op->nodes;
        for (size_t n = 0; n < op->nodes; n++)
            at[3 * n] -= middle;
    }
}

void dv_element_operator_describe(DvElementOperator *op, uint64_t version, DvOperator *out)
{
    const bool one = alike_at_all_points(op);
    const uint32_t maps = one ? 1 : op->points;
    if (one)
        keep_first_points(op);
    out->name = "linear elements";
    dv_operator_add_indices(out, "element", op->element, op->elements, op->nodes, version);
    dv_operator_add_numbers(out, "rest", op->rest, op->elements, 3 * op->nodes, version);
    dv_operator_add_numbers(out, "map", op->map, op->elements, 9 * maps, version);
    dv_operator_add_numbers(out, "material", op->material, op->elements, 2 * maps, version);
    dv_operator_add_numbers(out, "slope", op->slope, op->points, 3 * op->nodes, version);
    dv_operator_add_indices(out, "frame", &op->frame, 1, 1, version);
}
