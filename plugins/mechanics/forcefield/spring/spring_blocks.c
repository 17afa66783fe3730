/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Damped linear springs in blocks of eight: forces, stiffness, matrix. The equations are in the header.
 */
#include "forcefield/spring/spring_blocks.h"

#include "costs.h"

#include <math.h>
#include <string.h>

enum {
    DV_BLOCKS_PER_CHUNK = 64, /* of eight springs */
    DV_POINTS_PER_CHUNK = 512,
    FEW = 3,            /* springs, which are quicker one by one */
    MOST_ROWS = 4096,   /* of points, so that rows stay in the cache */
    PARALLEL_FROM = 512 /* springs, below which points need no lists of their springs */
};

/* After springs have other points. */
static void spring_blocks_forget_points(SpringBlocks *set)
{
    for (int side = 0; side < 2; side++) {
        dv_free(set->start[side]);
        dv_free(set->entry[side]);
        set->start[side] = set->entry[side] = NULL;
    }
}

void spring_blocks_free(SpringBlocks *set)
{
    spring_blocks_forget_points(set);
    dv_free(set->block);
    dv_free(set->tangent);
    dv_free(set->value);
    set->block = NULL;
    set->tangent = set->value = NULL;
    set->count = set->blocks = set->capacity = 0;
}

void spring_blocks_start(SpringBlocks *set, const DvDofType *dof, bool one, double shortest)
{
    spring_blocks_free(set);
    set->dof = dof;
    set->spatial = dof->rotation ? 3 : dof->deriv;
    set->one = one;
    set->shortest = shortest;
}

static void grow(SpringBlocks *set, uint32_t blocks)
{
    const size_t had = set->capacity, have = blocks > 2 * had ? blocks : 2 * had;
    const size_t tangents = set->spatial + 2, values = set->spatial;
    set->block = dv_realloc(set->block, had * sizeof *set->block, have * sizeof *set->block);
    set->tangent =
        dv_realloc(set->tangent, had * tangents * sizeof *set->tangent, have * tangents * sizeof *set->tangent);
    set->value = dv_realloc(set->value, had * values * sizeof *set->value, have * values * sizeof *set->value);
    set->capacity = (uint32_t)have;
}

/* New lanes have neither force nor stiffness: between a point and itself, and switched off. */
static void clear_lane(SpringBlocks *set, uint32_t i)
{
    SpringBlock *block = &set->block[i / DV_LANES];
    const uint32_t lane = i % DV_LANES;
    DvReal8 *tangent = set->tangent + (size_t)(i / DV_LANES) * (set->spatial + 2);
    block->a[lane] = block->b[lane] = 0;
    block->stiffness[lane] = block->damping[lane] = block->rest_length[lane] = 0.0;
    block->enabled[lane] = block->elongation_only[lane] = 0;
    for (uint32_t c = 0; c < set->spatial + 2; c++)
        tangent[c][lane] = 0.0;
}

void spring_blocks_resize(SpringBlocks *set, uint32_t count, const uint32_t points[2])
{
    const uint32_t blocks = (count + DV_LANES - 1) / DV_LANES;
    if (blocks > set->capacity)
        grow(set, blocks);
    for (uint32_t i = count < set->count ? count : set->count; i < blocks * DV_LANES; i++)
        clear_lane(set, i);
    set->count = count;
    set->blocks = blocks;
    set->points[0] = points[0];
    set->points[1] = points[1];
    spring_blocks_forget_points(set);
}

void spring_blocks_set(SpringBlocks *set, uint32_t i, const LinearSpring *s)
{
    SpringBlock *block = &set->block[i / DV_LANES];
    const uint32_t lane = i % DV_LANES;
    clear_lane(set, i);
    block->a[lane] = s->a;
    block->b[lane] = s->b;
    block->stiffness[lane] = s->stiffness;
    block->damping[lane] = s->damping;
    block->rest_length[lane] = s->rest_length;
    block->enabled[lane] = s->enabled ? -1 : 0;
    block->elongation_only[lane] = s->elongation_only ? -1 : 0;
}

LinearSpring spring_blocks_get(const SpringBlocks *set, uint32_t i)
{
    const SpringBlock *block = &set->block[i / DV_LANES];
    const uint32_t lane = i % DV_LANES;
    return (LinearSpring){block->a[lane],           block->b[lane],           block->stiffness[lane],
                          block->damping[lane],     block->rest_length[lane], block->elongation_only[lane] != 0,
                          block->enabled[lane] != 0};
}

void spring_blocks_copy(SpringBlocks *set, uint32_t to, uint32_t from)
{
    const LinearSpring spring = spring_blocks_get(set, from);
    spring_blocks_set(set, to, &spring);
}

/* Which springs touch each point. */
static void find_springs_of_points(SpringBlocks *set)
{
    const bool one = set->one;
    for (uint32_t state = 0; state < (one ? 1 : 2); state++) {
        const uint32_t points = set->points[state];
        uint32_t *start = dv_alloc((size_t)points + 1, sizeof *start), *next = dv_alloc(points, sizeof *next);
        uint32_t *entry = dv_alloc(2 * (size_t)set->count, sizeof *entry);
        for (int pass = 0; pass < 2; pass++) {
            for (uint32_t i = 0; i < set->count; i++)
                for (uint32_t side = one ? 0 : state; side < (one ? 2 : state + 1); side++) {
                    const SpringBlock *block = &set->block[i / DV_LANES];
                    const uint32_t p = side == 0 ? block->a[i % DV_LANES] : block->b[i % DV_LANES];
                    if (pass == 0)
                        start[p + 1]++;
                    else
                        entry[next[p]++] = i << 1 | side;
                }
            for (uint32_t p = 0; pass == 0 && p < points; p++) {
                start[p + 1] += start[p];
                next[p] = start[p];
            }
        }
        dv_free(next);
        set->start[state] = start;
        set->entry[state] = entry;
    }
}

typedef struct SpringWork {
    SpringBlocks *set;
    const double *x[2], *v[2]; /* v: velocities, or displacements of a product */
    double *f[2];
    double k;
    uint32_t state;           /* of the points that gather */
    const DvMatrixView *view; /* of an assembly */
} SpringWork;

/* d[c] = component c of b - a, lane by lane. */
DV_SIMD_INLINE void gather_difference(const SpringBlock *block, const double *const at[2], uint32_t stride, int spatial,
                                      DvReal8 *d)
{
    const double *a[DV_LANES], *b[DV_LANES];
    DV_EACH (lane, DV_LANES) {
        a[lane] = at[0] + (size_t)block->a[lane] * stride;
        b[lane] = at[1] + (size_t)block->b[lane] * stride;
    }
    DV_EACH (c, spatial) {
        const DvReal8 pa = {a[0][c], a[1][c], a[2][c], a[3][c], a[4][c], a[5][c], a[6][c], a[7][c]};
        const DvReal8 pb = {b[0][c], b[1][c], b[2][c], b[3][c], b[4][c], b[5][c], b[6][c], b[7][c]};
        d[c] = pb - pa;
    }
}

/* Forces of the springs of a block, from their differences u and dv: to value, and their slopes to tangent. */
DV_SIMD_INLINE void force_of_lanes(const SpringBlocks *set, const SpringBlock *block, int spatial, DvReal8 *u,
                                   const DvReal8 *dv, DvReal8 *tangent, DvReal8 *value)
{
    DvReal8 speed = {0};
    const DvReal8 d = dv_real8_sqrt(springs_square8(u, spatial));
    const DvMask8 active = block->enabled & (d > set->shortest) & (~block->elongation_only | (d > block->rest_length));
    const DvReal8 length = dv_real8_select(active, d, dv_real8(1.0));
    DV_EACH (c, spatial) {
        u[c] /= length;
        speed += u[c] * dv[c];
    }
    const DvReal8 none = {0}, s = block->stiffness * (d - block->rest_length) + block->damping * speed,
                  slope = s / length;
    const DvReal8 tension = dv_real8_select(active, s, none);
    DV_EACH (c, spatial) {
        tangent[c] = u[c];
        value[c] = tension * u[c];
    }
    tangent[spatial] = dv_real8_select(active, block->stiffness - slope, none);
    tangent[spatial + 1] = dv_real8_select(active, slope, none);
}

DV_SIMD_INLINE void dforce_of_lanes(const DvReal8 *tangent, int spatial, double k, const DvReal8 *d, DvReal8 *value)
{
    DvReal8 along = {0};
    DV_EACH (c, spatial)
        along += tangent[c] * d[c];
    const DvReal8 axial = k * (tangent[spatial] * along), all = k * tangent[spatial + 1];
    DV_EACH (c, spatial)
        value[c] = axial * tangent[c] + all * d[c];
}

/* One body for every DOF type: callers pass constants, the compiler unrolls. */
DV_SIMD_INLINE void force_body(SpringWork *work, uint32_t begin, uint32_t end, int spatial, uint32_t coord,
                               uint32_t deriv)
{
    SpringBlocks *set = work->set;
    for (uint32_t i = begin; i < end; i++) {
        const SpringBlock *block = &set->block[i];
        DvReal8 u[6] = {{0}}, dv[6] = {{0}};
        gather_difference(block, work->x, coord, spatial, u);
        gather_difference(block, work->v, deriv, spatial, dv);
        force_of_lanes(set, block, spatial, u, dv, set->tangent + (size_t)i * (uint32_t)(spatial + 2),
                       set->value + (size_t)i * (uint32_t)spatial);
    }
}

DV_SIMD_INLINE void dforce_body(SpringWork *work, uint32_t begin, uint32_t end, int spatial, uint32_t coord,
                                uint32_t deriv)
{
    (void)coord;
    SpringBlocks *set = work->set;
    for (uint32_t i = begin; i < end; i++) {
        DvReal8 d[6] = {{0}};
        gather_difference(&set->block[i], work->v, deriv, spatial, d);
        dforce_of_lanes(set->tangent + (size_t)i * (uint32_t)(spatial + 2), spatial, work->k, d,
                        set->value + (size_t)i * (uint32_t)spatial);
    }
}

/* ---- Springs between points in space, on one thread: points as rows of four numbers, of which one load brings all ---- */

typedef struct SpringRows {
    DvReal4 *x[2], *v[2], *f[2]; /* of the states; the fourth number of a row means nothing */
} SpringRows;

DV_SIMD_INLINE void load_rows(const double *at, uint32_t points, DvReal4 *row)
{
    for (uint32_t p = 0; p + 1 < points; p++)
        row[p] = DV_REAL4(at + 3 * (size_t)p);
    const double *last = at + 3 * (size_t)(points - 1); /* behind it there is nothing to read */
    row[points - 1] = (DvReal4){last[0], last[1], last[2], 0.0};
}

DV_SIMD_INLINE void store_rows(const DvReal4 *row, uint32_t points, double *at)
{
    for (uint32_t p = 0; p < points; p++)
        DV_EACH (c, 3)
            at[3 * (size_t)p + (uint32_t)c] = row[p][c];
}

/* d[c] = component c of b - a, lane by lane. */
DV_SIMD_INLINE void difference_of_rows(const SpringBlock *block, DvReal4 *const row[2], DvReal8 d[3])
{
    static const uint32_t each[DV_LANES] = {0, 1, 2, 3, 4, 5, 6, 7};
    DvReal4 lane[DV_LANES];
    DV_EACH (i, DV_LANES)
        lane[i] = row[1][block->b[i]] - row[0][block->a[i]];
    dv_real8_gather_rows(lane, each, d);
}

/* f_a += value, f_b -= value: spring after spring. */
DV_SIMD_INLINE void add_to_rows(const SpringBlock *block, uint32_t springs, const DvReal8 value[3], DvReal4 *const f[2])
{
    const DvReal8 none = {0};
    DvReal4 lane[DV_LANES];
    dv_real8_scatter_rows(lane, 1, value, &none);
    for (uint32_t i = 0; i < springs; i++) {
        f[0][block->a[i]] += lane[i];
        f[1][block->b[i]] -= lane[i];
    }
}

static uint32_t springs_of_block(const SpringBlocks *set, uint32_t block)
{
    const uint32_t left = set->count - block * DV_LANES;
    return left < DV_LANES ? left : DV_LANES;
}

DV_SIMD_CLONES static void force_by_rows(SpringWork *work, const SpringRows *rows)
{
    const SpringBlocks *set = work->set;
    for (int state = 0; state < (set->one ? 1 : 2); state++) {
        load_rows(work->x[state], set->points[state], rows->x[state]);
        load_rows(work->v[state], set->points[state], rows->v[state]);
        load_rows(work->f[state], set->points[state], rows->f[state]);
    }
    for (uint32_t i = 0; i < set->blocks; i++) {
        const SpringBlock *block = &set->block[i];
        DvReal8 u[3], dv[3], value[3];
        difference_of_rows(block, rows->x, u);
        difference_of_rows(block, rows->v, dv);
        force_of_lanes(set, block, 3, u, dv, set->tangent + (size_t)i * 5, value);
        add_to_rows(block, springs_of_block(set, i), value, rows->f);
    }
    for (int state = 0; state < (set->one ? 1 : 2); state++)
        store_rows(rows->f[state], set->points[state], work->f[state]);
}

DV_SIMD_CLONES static void dforce_by_rows(SpringWork *work, const SpringRows *rows)
{
    const SpringBlocks *set = work->set;
    for (int state = 0; state < (set->one ? 1 : 2); state++) {
        load_rows(work->v[state], set->points[state], rows->v[state]);
        load_rows(work->f[state], set->points[state], rows->f[state]);
    }
    for (uint32_t i = 0; i < set->blocks; i++) {
        DvReal8 d[3], value[3];
        difference_of_rows(&set->block[i], rows->v, d);
        dforce_of_lanes(set->tangent + (size_t)i * 5, 3, work->k, d, value);
        add_to_rows(&set->block[i], springs_of_block(set, i), value, rows->f);
    }
    for (int state = 0; state < (set->one ? 1 : 2); state++)
        store_rows(rows->f[state], set->points[state], work->f[state]);
}

/* Rows pay where most points have springs, and no other thread could help. */
static bool takes_rows(const SpringBlocks *set)
{
    const uint32_t points = set->points[0] + (set->one ? 0 : set->points[1]);
    return set->dof == &dv_vec3d && set->points[0] > 0 && set->points[1] > 0 && points <= MOST_ROWS &&
           points <= 2 * set->count && (set->count < PARALLEL_FROM || dv_parallel_threads() == 1);
}

/* Scratch: the caller sets the mark. */
static SpringRows make_rows(const SpringBlocks *set, bool with_x)
{
    SpringRows rows = {{NULL, NULL}, {NULL, NULL}, {NULL, NULL}};
    for (int state = 0; state < 2; state++) {
        const bool same = state == 1 && set->one;
        const uint32_t points = set->points[state];
        rows.v[state] = same ? rows.v[0] : dv_step_alloc(points, sizeof(DvReal4));
        rows.f[state] = same ? rows.f[0] : dv_step_alloc(points, sizeof(DvReal4));
        if (with_x)
            rows.x[state] = same ? rows.x[0] : dv_step_alloc(points, sizeof(DvReal4));
    }
    return rows;
}

/* The same for each spring alone, with the sums: of a few, most lanes of a block would be empty. The operations are those of the lanes,
 * in their order, and so are the bits. */
DV_SIMD_INLINE void force_alone_body(SpringWork *work, uint32_t begin, uint32_t end, int spatial, uint32_t coord,
                                     uint32_t deriv)
{
    SpringBlocks *set = work->set;
    for (uint32_t i = begin; i < end; i++) {
        const SpringBlock *block = &set->block[i / DV_LANES];
        const uint32_t lane = i % DV_LANES, a = block->a[lane], b = block->b[lane];
        const double *xa = work->x[0] + (size_t)a * coord, *xb = work->x[1] + (size_t)b * coord;
        const double *va = work->v[0] + (size_t)a * deriv, *vb = work->v[1] + (size_t)b * deriv;
        double *fa = work->f[0] + (size_t)a * deriv, *fb = work->f[1] + (size_t)b * deriv;
        DvReal8 *tangent = set->tangent + (size_t)(i / DV_LANES) * (uint32_t)(spatial + 2);
        const double d = springs_length(xa, xb, (uint32_t)spatial), rest_length = block->rest_length[lane];
        const bool active =
            block->enabled[lane] && d > set->shortest && (!block->elongation_only[lane] || d > rest_length);
        const double length = active ? d : 1.0;
        double u[6], speed = 0.0;
        DV_EACH (c, spatial) {
            u[c] = (xb[c] - xa[c]) / length;
            speed += u[c] * (vb[c] - va[c]);
        }
        const double s = block->stiffness[lane] * (d - rest_length) + block->damping[lane] * speed, slope = s / length;
        const double tension = active ? s : 0.0;
        DV_EACH (c, spatial) {
            const double value = tension * u[c];
            tangent[c][lane] = u[c];
            fa[c] += value;
            fb[c] -= value;
        }
        tangent[spatial][lane] = active ? block->stiffness[lane] - slope : 0.0;
        tangent[spatial + 1][lane] = active ? slope : 0.0;
    }
}

DV_SIMD_INLINE void dforce_alone_body(SpringWork *work, uint32_t begin, uint32_t end, int spatial, uint32_t coord,
                                      uint32_t deriv)
{
    (void)coord;
    SpringBlocks *set = work->set;
    for (uint32_t i = begin; i < end; i++) {
        const SpringBlock *block = &set->block[i / DV_LANES];
        const uint32_t lane = i % DV_LANES;
        const size_t at_a = (size_t)block->a[lane] * deriv, at_b = (size_t)block->b[lane] * deriv;
        const double *a = work->v[0] + at_a, *b = work->v[1] + at_b;
        double *fa = work->f[0] + at_a, *fb = work->f[1] + at_b;
        const DvReal8 *tangent = set->tangent + (size_t)(i / DV_LANES) * (uint32_t)(spatial + 2);
        double d[6], along = 0.0;
        DV_EACH (c, spatial) {
            d[c] = b[c] - a[c];
            along += tangent[c][lane] * d[c];
        }
        const double axial = work->k * (tangent[spatial][lane] * along), all = work->k * tangent[spatial + 1][lane];
        DV_EACH (c, spatial) {
            const double value = axial * tangent[c][lane] + all * d[c];
            fa[c] += value;
            fb[c] -= value;
        }
    }
}

/* f_a += value, f_b -= value: spring after spring. */
DV_SIMD_INLINE void scatter_body(SpringWork *work, uint32_t begin, uint32_t end, int spatial, uint32_t coord,
                                 uint32_t deriv)
{
    (void)coord;
    const SpringBlocks *set = work->set;
    for (uint32_t i = begin; i < end; i++) {
        const SpringBlock *block = &set->block[i / DV_LANES];
        const double *value = (const double *)(set->value + (size_t)(i / DV_LANES) * (uint32_t)spatial) + i % DV_LANES;
        double *a = work->f[0] + (size_t)block->a[i % DV_LANES] * deriv,
               *b = work->f[1] + (size_t)block->b[i % DV_LANES] * deriv;
        DV_EACH (c, spatial) {
            a[c] += value[DV_LANES * c];
            b[c] -= value[DV_LANES * c];
        }
    }
}

/* The same sums, point after point. */
DV_SIMD_INLINE void gather_body(SpringWork *work, uint32_t begin, uint32_t end, int spatial, uint32_t coord,
                                uint32_t deriv)
{
    (void)coord;
    const SpringBlocks *set = work->set;
    const uint32_t *start = set->start[work->state], *entry = set->entry[work->state];
    for (uint32_t p = begin; p < end; p++) {
        double *f = work->f[work->state] + (size_t)p * deriv;
        for (uint32_t e = start[p]; e < start[p + 1]; e++) {
            const uint32_t i = entry[e] >> 1;
            const double *value =
                (const double *)(set->value + (size_t)(i / DV_LANES) * (uint32_t)spatial) + i % DV_LANES;
            const double sign = entry[e] & 1 ? -1.0 : 1.0;
            DV_EACH (c, spatial)
                f[c] += sign * value[DV_LANES * c];
        }
    }
}

/* axial u u^T + all I, symmetric to the last bit. */
DV_SIMD_INLINE void assemble_body(SpringWork *work, uint32_t begin, uint32_t end, int spatial, uint32_t coord,
                                  uint32_t deriv)
{
    (void)coord;
    const SpringBlocks *set = work->set;
    const DvMatrixView *view = work->view;
    const double k = work->k;
    const bool direct = view->direct && view->block == deriv;
    double u[6], dense[36] = {0.0};
    for (uint32_t i = begin; i < end; i++) {
        const DvReal8 *tangent = set->tangent + (size_t)(i / DV_LANES) * (uint32_t)(spatial + 2);
        const uint32_t lane = i % DV_LANES;
        const double axial = k * tangent[spatial][lane], all = k * tangent[spatial + 1][lane];
        DV_EACH (c, spatial)
            u[c] = tangent[c][lane];
        DV_EACH (r, spatial)
            DV_EACH (c, spatial)
                dense[(uint32_t)r * deriv + (uint32_t)c] = axial * (u[r] * u[c]) + (r == c ? all : 0.0);
        for (uint32_t pair = 0; pair < 4; pair++) {
            const double sign = pair == 0 || pair == 3 ? -1.0 : 1.0;
            if (direct) {
                double *at = view->values + (size_t)view->slot[4 * i + pair] * (deriv * deriv);
                DV_EACH (r, spatial)
                    DV_EACH (c, spatial)
                        at[(uint32_t)r * deriv + (uint32_t)c] += sign * dense[(uint32_t)r * deriv + (uint32_t)c];
            } else {
                dv_view_add(view, 4 * i + pair, dense, sign);
            }
        }
    }
}

/* The same where blocks are those of points in space: eight of their nine numbers are one vector. */
DV_SIMD_CLONES static void assemble_in_space(const SpringBlocks *set, double k, const DvMatrixView *view)
{
    for (uint32_t i = 0; i < set->count; i++) {
        const DvReal8 *tangent = set->tangent + (size_t)(i / DV_LANES) * 5;
        const uint32_t lane = i % DV_LANES, *slot = view->slot + 4 * (size_t)i;
        const double axial = k * tangent[3][lane], all = k * tangent[4][lane];
        const DvReal4 u = {tangent[0][lane], tangent[1][lane], tangent[2][lane], 0.0};
        const DvReal8 diagonal = {all, 0.0, 0.0, 0.0, all, 0.0, 0.0, 0.0};
        const DvReal8 dense =
            axial * (DV_SHUFFLE(u, u, 0, 0, 0, 1, 1, 1, 2, 2) * DV_SHUFFLE(u, u, 0, 1, 2, 0, 1, 2, 0, 1)) + diagonal;
        const double corner = axial * (u[2] * u[2]) + all;
        DV_EACH (pair, 4) {
            double *at = view->values + 9 * (size_t)slot[pair];
            const bool minus = pair == 0 || pair == 3;
            DV_REAL8_SET(at) = minus ? DV_REAL8(at) - dense : DV_REAL8(at) + dense;
            at[8] = minus ? at[8] - corner : at[8] + corner;
        }
    }
}

/* In the plane a block is one vector. */
DV_SIMD_CLONES static void assemble_in_plane(const SpringBlocks *set, double k, const DvMatrixView *view)
{
    for (uint32_t i = 0; i < set->count; i++) {
        const DvReal8 *tangent = set->tangent + (size_t)(i / DV_LANES) * 4;
        const uint32_t lane = i % DV_LANES, *slot = view->slot + 4 * (size_t)i;
        const double axial = k * tangent[2][lane], all = k * tangent[3][lane];
        const double x = tangent[0][lane], y = tangent[1][lane];
        const DvReal4 rows = {x, x, y, y}, columns = {x, y, x, y}, diagonal = {all, 0.0, 0.0, all};
        const DvReal4 dense = axial * (rows * columns) + diagonal;
        DV_EACH (pair, 4) {
            double *at = view->values + 4 * (size_t)slot[pair];
            *(DvReal4At *)at = pair == 0 || pair == 3 ? DV_REAL4(at) - dense : DV_REAL4(at) + dense;
        }
    }
}

/* Calls a body with the numbers of the DOF type as constants, so that its loops over components are written out. */
typedef void SpringBody(SpringWork *work, uint32_t begin, uint32_t end, int spatial, uint32_t coord, uint32_t deriv);
DV_SIMD_INLINE void with_dof_type(SpringBody *body, void *context, uint32_t begin, uint32_t end)
{
    SpringWork *work = context;
    const DvDofType *dof = work->set->dof;
    if (dof == &dv_vec3d)
        body(work, begin, end, 3, 3, 3);
    else if (dof == &dv_rigid3d)
        body(work, begin, end, 3, 7, 6);
    else if (dof == &dv_vec1d)
        body(work, begin, end, 1, 1, 1);
    else if (dof == &dv_vec2d)
        body(work, begin, end, 2, 2, 2);
    else
        body(work, begin, end, 6, 6, 6);
}

DV_SIMD_CLONES static void force(void *work, uint32_t begin, uint32_t end)
{
    with_dof_type(force_body, work, begin, end);
}

DV_SIMD_CLONES static void dforce(void *work, uint32_t begin, uint32_t end)
{
    with_dof_type(dforce_body, work, begin, end);
}

DV_SIMD_CLONES static void force_alone(SpringWork *work)
{
    with_dof_type(force_alone_body, work, 0, work->set->count);
}

static void dforce_alone(SpringWork *work)
{
    with_dof_type(dforce_alone_body, work, 0, work->set->count);
}

static void gather(void *work, uint32_t begin, uint32_t end)
{
    with_dof_type(gather_body, work, begin, end);
}

static void scatter(void *work, uint32_t begin, uint32_t end)
{
    with_dof_type(scatter_body, work, begin, end);
}

static void assemble_springs(void *work, uint32_t begin, uint32_t end)
{
    with_dof_type(assemble_body, work, begin, end);
}

static void add_values(SpringWork *work)
{
    SpringBlocks *set = work->set;
    if (set->count < PARALLEL_FROM || dv_parallel_threads() == 1) {
        scatter(work, 0, set->count);
        return;
    }
    if (!set->start[0])
        find_springs_of_points(set);
    const uint32_t states = set->one ? 1 : 2;
    for (work->state = 0; work->state < states; work->state++)
        dv_parallel_for(set->points[work->state], DV_POINTS_PER_CHUNK, gather, work);
}

void spring_blocks_force(SpringBlocks *set, const DvConstVec *x, const DvConstVec *v, const DvVec *f)
{
    const uint32_t other = set->one ? 0 : 1;
    SpringWork work = {
        .set = set, .x = {x[0].at, x[other].at}, .v = {v[0].at, v[other].at}, .f = {f[0].at, f[other].at}};
    if (set->count > FEW && takes_rows(set)) {
        const DvStepMark mark = dv_step_mark();
        const SpringRows rows = make_rows(set, true);
        force_by_rows(&work, &rows);
        dv_step_release(mark);
        return;
    }
    if (set->count <= FEW) {
        force_alone(&work);
        return;
    }
    if (set->blocks == 1)
        force(&work, 0, 1);
    else
        dv_parallel_for(set->blocks, DV_BLOCKS_PER_CHUNK, force, &work);
    add_values(&work);
}

void spring_blocks_dforce(SpringBlocks *set, double k, const DvConstVec *dx, const DvVec *df)
{
    const uint32_t other = set->one ? 0 : 1;
    SpringWork work = {.set = set, .v = {dx[0].at, dx[other].at}, .f = {df[0].at, df[other].at}, .k = k};
    if (set->count > FEW && takes_rows(set)) {
        const DvStepMark mark = dv_step_mark();
        const SpringRows rows = make_rows(set, false);
        dforce_by_rows(&work, &rows);
        dv_step_release(mark);
        return;
    }
    if (set->count <= FEW) {
        dforce_alone(&work);
        return;
    }
    if (set->blocks == 1)
        dforce(&work, 0, 1);
    else
        dv_parallel_for(set->blocks, DV_BLOCKS_PER_CHUNK, dforce, &work);
    add_values(&work);
}

/* Spring i: couplings 4 i (first, first), + 1 (first, second), + 2 (second, first), + 3 (second, second). */
void spring_blocks_reserve(const SpringBlocks *set, DvPattern *pattern)
{
    const uint32_t other = set->one ? 0 : 1;
    for (uint32_t i = 0; i < set->count; i++) {
        const uint32_t a = set->block[i / DV_LANES].a[i % DV_LANES], b = set->block[i / DV_LANES].b[i % DV_LANES];
        pattern->ops->add(pattern, 0, a, 0, a);
        pattern->ops->add(pattern, 0, a, other, b);
        pattern->ops->add(pattern, other, b, 0, a);
        pattern->ops->add(pattern, other, b, other, b);
    }
}

/* In order of the springs: several may share a slot. */
void spring_blocks_assemble(SpringBlocks *set, double k, const DvMatrixView *view)
{
    SpringWork work = {.set = set, .k = k, .view = view};
    if (set->dof == &dv_vec3d && view->direct && view->block == 3)
        assemble_in_space(set, k, view);
    else if (set->dof == &dv_vec2d && view->direct && view->block == 2)
        assemble_in_plane(set, k, view);
    else if (set->count > 0)
        assemble_springs(&work, 0, set->count);
}

double spring_blocks_energy(const SpringBlocks *set, const DvConstVec *x)
{
    const uint32_t coord = set->dof->coord, other = set->one ? 0 : 1;
    double sum = 0.0;
    for (uint32_t i = 0; i < set->count; i++) {
        const SpringBlock *block = &set->block[i / DV_LANES];
        const uint32_t lane = i % DV_LANES;
        const double *a = x[0].at + (size_t)block->a[lane] * coord, *b = x[other].at + (size_t)block->b[lane] * coord;
        const double stretch = springs_length(a, b, set->spatial) - block->rest_length[lane];
        if (block->enabled[lane] && (!block->elongation_only[lane] || stretch > 0.0))
            sum += 0.5 * block->stiffness[lane] * stretch * stretch;
    }
    return sum;
}

double spring_blocks_bound(const SpringBlocks *set)
{
    double largest = 0.0;
    for (uint32_t i = 0; i < set->count; i++)
        largest = fmax(largest, set->block[i / DV_LANES].stiffness[i % DV_LANES]);
    return sqrt(2.0 * largest);
}

void spring_blocks_cost(const SpringBlocks *set, double *product, double *assembly)
{
    *product = cost_spring_product * set->count;
    *assembly = cost_spring_assembly * set->count;
}

void spring_blocks_draw(const SpringBlocks *set, DvDraw *draw, const DvConstVec *x)
{
    static const double color[4] = {1.0, 0.5, 0.0, 1.0};
    const uint32_t spatial = set->spatial < 3 ? set->spatial : 3, other = set->one ? 0 : 1;
    double *ends = dv_alloc(set->count, 6 * sizeof *ends);
    uint32_t drawn = 0;
    for (uint32_t i = 0; i < set->count; i++) {
        const SpringBlock *block = &set->block[i / DV_LANES];
        const uint32_t a = block->a[i % DV_LANES], b = block->b[i % DV_LANES];
        if (set->one && a == b) /* a place for a spring, where there is none */
            continue;
        double *end = ends + 6 * (size_t)drawn++;
        for (uint32_t c = 0; c < spatial; c++) {
            end[c] = x[0].at[(size_t)a * x[0].dim + c];
            end[3 + c] = x[other].at[(size_t)b * x[other].dim + c];
        }
    }
    if (drawn)
        draw->ops->lines(draw, ends, drawn, 1.0, color);
    dv_free(ends);
}
