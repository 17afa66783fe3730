/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Symmetric matrices by half: see the header.
 */
#include <divan/kit/symmetric_product.h>
#include <divan/memory.h>

enum { MOST_ROWS = 2048 }; /* a matrix of a few megabytes */

/* An array of at least `count`, what it held is lost. */
static void *enlarge(void *array, size_t *room, size_t count, size_t size)
{
    if (count <= *room)
        return array;
    *room = count + count / 4;
    dv_free(array);
    return dv_alloc(*room, size);
}

static void make_room(DvSymmetricMatrix *s, uint32_t rows, uint32_t upper)
{
    if (rows >= s->row_room) {
        dv_free(s->start);
        dv_free(s->y);
        s->row_room = rows + rows / 4 + 1;
        s->start = dv_alloc(s->row_room, sizeof *s->start);
        s->y = dv_alloc(s->row_room, sizeof *s->y);
    }
    if (upper > s->upper_room) {
        dv_free(s->column);
        dv_free(s->slot);
        s->upper_room = upper + upper / 4;
        s->column = dv_alloc(s->upper_room, sizeof *s->column);
        s->slot = dv_alloc(s->upper_room, sizeof *s->slot);
    }
    s->diagonal = enlarge(s->diagonal, &s->diagonal_room, (size_t)rows * s->vectors, sizeof *s->diagonal);
    s->block = enlarge(s->block, &s->block_room, (size_t)upper * s->vectors, sizeof *s->block);
}

static void take_structure(DvSymmetricMatrix *s, const DvBlockMatrix *a)
{
    s->vectors = a->block == 3 ? 3 : 1;
    make_room(s, a->rows, (a->row_start[a->rows] - a->rows) / 2);
    s->rows = a->rows;
    s->upper = 0;
    for (uint32_t row = 0; row < a->rows; row++) {
        s->start[row] = s->upper;
        for (uint32_t e = a->diagonal[row] + 1; e < a->row_start[row + 1]; e++) {
            s->column[s->upper] = a->columns[e];
            s->slot[s->upper++] = e;
        }
    }
    s->start[a->rows] = s->upper;
    s->structure = a->structure;
}

DV_SIMD_INLINE void take_block_3(const double *from, DvReal4 *to)
{
    const DvReal4 none = {0}, last = {from[6], from[7], from[8], 0.0};
    to[0] = DV_SHUFFLE(DV_REAL4(from), none, 0, 1, 2, 4);
    to[1] = DV_SHUFFLE(DV_REAL4(from + 3), none, 0, 1, 2, 4);
    to[2] = last;
}

/* False: a block is not the mirror image of the one across the diagonal. */
DV_SIMD_CLONES static bool take_values_3(DvSymmetricMatrix *s, const DvBlockMatrix *a)
{
    DvMask8 differs = {0};
    bool corners = true;
    for (uint32_t row = 0; row < s->rows; row++)
        take_block_3(a->values + 9 * (size_t)a->diagonal[row], s->diagonal + 3 * (size_t)row);
    for (uint32_t k = 0; k < s->upper; k++) {
        const double *block = a->values + 9 * (size_t)s->slot[k],
                     *mirrored = a->values + 9 * (size_t)a->transposed[s->slot[k]];
        const DvReal8 at = DV_REAL8(block);
        take_block_3(block, s->block + 3 * (size_t)k);
        differs |= DV_SHUFFLE(at, at, 0, 3, 6, 1, 4, 7, 2, 5) != DV_REAL8(mirrored);
        corners &= block[8] == mirrored[8];
    }
    return corners && !dv_mask8_any(differs);
}

DV_SIMD_CLONES static bool take_values_2(DvSymmetricMatrix *s, const DvBlockMatrix *a)
{
    DvMask4 differs = {0};
    for (uint32_t row = 0; row < s->rows; row++)
        s->diagonal[row] = DV_REAL4(a->values + 4 * (size_t)a->diagonal[row]);
    for (uint32_t k = 0; k < s->upper; k++) {
        const DvReal4 at = DV_REAL4(a->values + 4 * (size_t)s->slot[k]);
        s->block[k] = at;
        differs |= DV_SHUFFLE(at, at, 0, 2, 1, 3) != DV_REAL4(a->values + 4 * (size_t)a->transposed[s->slot[k]]);
    }
    return !dv_mask4_any(differs);
}

bool dv_symmetric_set(DvSymmetricMatrix *s, const DvBlockMatrix *a)
{
    if ((a->block != 3 && a->block != 2) || a->rows > MOST_ROWS)
        return false;
    const bool known = s->structure == a->structure && s->structure != 0;
    if (known && s->version == a->version)
        return s->is_set;
    if (!known)
        take_structure(s, a);
    s->version = a->version;
    s->is_set = a->block == 3 ? take_values_3(s, a) : take_values_2(s, a);
    return s->is_set;
}

/* Of each vector the sum of its first three numbers; the fourth number of all is free. */
DV_SIMD_INLINE void add_up(const DvReal4 sum[3], DvReal4 *to)
{
    const DvReal4 even = DV_SHUFFLE(sum[0], sum[1], 0, 4, 2, 6), odd = DV_SHUFFLE(sum[0], sum[1], 1, 5, 3, 7),
                  last_odd = DV_SHUFFLE(sum[2], sum[2], 1, 1, 3, 3);
    *to += (DV_SHUFFLE(even, sum[2], 0, 1, 4, 5) + DV_SHUFFLE(odd, last_odd, 0, 1, 4, 5)) +
           DV_SHUFFLE(even, sum[2], 2, 3, 6, 7);
}

/* Of x rows of four numbers are read where they are: the last one belongs to the next row, and what comes of it to nobody. */
DV_SIMD_CLONES static double multiply_3(DvSymmetricMatrix *s, const double *x, double *y)
{
    const uint32_t rows = s->rows, *column = s->column;
    DvReal4 *const y4 = s->y;
    DvReal4 dots = {0};
    const DvReal4 *block = s->block, *diagonal = s->diagonal;
    uint32_t k = 0;
    for (uint32_t row = 0; row < rows; row++, diagonal += 3) {
        const DvReal4 here = DV_REAL4(x + 3 * (size_t)row);
        const double x0 = here[0], x1 = here[1], x2 = here[2];
        DvReal4 sum[3] = {diagonal[0] * here, diagonal[1] * here, diagonal[2] * here};
        for (const uint32_t end = s->start[row + 1]; k < end; k++, block += 3) {
            const DvReal4 a0 = block[0], a1 = block[1], a2 = block[2], there = DV_REAL4(x + 3 * (size_t)column[k]);
            sum[0] += a0 * there;
            sum[1] += a1 * there;
            sum[2] += a2 * there;
            y4[column[k]] += (a0 * x0 + a1 * x1) + a2 * x2;
        }
        DvReal4 whole = y4[row];
        y4[row] = (DvReal4){0};
        add_up(sum, &whole);
        dots += here * whole;
        *(DvReal4At *)(y + 3 * (size_t)row) = whole; /* the next row follows */
    }
    return (dots[0] + dots[1]) + dots[2];
}

DV_SIMD_INLINE DvReal4 twice(const double xy[2])
{
    return (DvReal4){xy[0], xy[1], xy[0], xy[1]};
}

/* Points are (x y x y): one product gives both rows of a block, and of y two parts of each number, which meet in the end. */
DV_SIMD_CLONES static double multiply_2(DvSymmetricMatrix *s, const double *x, double *y)
{
    const uint32_t rows = s->rows, *column = s->column;
    DvReal4 *const y4 = s->y;
    double dot = 0.0;
    uint32_t k = 0;
    for (uint32_t row = 0; row < rows; row++) {
        const DvReal4 here = twice(x + 2 * (size_t)row), turned = DV_SHUFFLE(here, here, 0, 0, 1, 1);
        DvReal4 sum = s->diagonal[row] * here;
        for (const uint32_t end = s->start[row + 1]; k < end; k++) {
            sum += s->block[k] * twice(x + 2 * (size_t)column[k]);
            y4[column[k]] += s->block[k] * turned;
        }
        double *yr = y + 2 * (size_t)row;
        yr[0] = (y4[row][0] + y4[row][2]) + (sum[0] + sum[1]);
        yr[1] = (y4[row][1] + y4[row][3]) + (sum[2] + sum[3]);
        y4[row] = (DvReal4){0};
        dot += here[0] * yr[0] + here[1] * yr[1];
    }
    return dot;
}

double dv_symmetric_product(DvSymmetricMatrix *s, const double *x, double *y)
{
    return s->vectors == 3 ? multiply_3(s, x, y) : multiply_2(s, x, y);
}

void dv_symmetric_free(DvSymmetricMatrix *s)
{
    dv_free(s->start);
    dv_free(s->column);
    dv_free(s->slot);
    dv_free(s->diagonal);
    dv_free(s->block);
    dv_free(s->y);
    *s = (DvSymmetricMatrix){0};
}
