/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What is measured of linear corotational tetrahedra: energy, stress, inverted elements, a bound of the stiffness.
 */
#include "forcefield/fem/tetrahedron_frames.h"

typedef struct EnergyWork {
    TetrahedronBlocks *t;
    const TetrahedronPlasticity *plasticity;
} EnergyWork;

DV_SIMD_INLINE void add_energy(const EnergyWork *work, uint32_t block, const DvReal8 edge[3][3],
                               const DvReal8 frame[3][3], double *energy)
{
    const TetrahedronBlocks *t = work->t;
    const TetrahedronRest *rest = &t->rest[block];
    DvReal8 d[3][3], s[6], sigma[6], density = {0};
    DV_EACH (k, 3) {
        dv_real8_mul(frame, edge[k], d[k]);
        dv_real8_sub(rest->edge[k], d[k], d[k]);
    }
    strain_of((ConstMat8)d, rest->gradient, rest->gradient, s);
    for (uint32_t lane = 0; work->plasticity && lane < DV_LANES && block * DV_LANES + lane < t->mesh.elements; lane++)
        for (uint32_t c = 0; c < 6; c++)
            s[c][lane] -= work->plasticity->strain[6 * (size_t)(block * DV_LANES + lane) + c];
    stress_of(&rest->lambda, &rest->mu, s, sigma);
    DV_EACH (c, 6)
        density += s[c] * sigma[c];
    DV_EACH (lane, DV_LANES)
        *energy += 0.5 * density[lane];
}

DV_SIMD_CLONES static double energy_chunk(void *context, uint32_t begin, uint32_t end)
{
    const EnergyWork *work = context;
    const TetrahedronBlocks *t = work->t;
    double energy = 0.0;
    for (uint32_t first = begin; first < end; first += FRAMES_AT_ONCE) {
        DvReal8 edge[FRAMES_AT_ONCE][3][3], frame[FRAMES_AT_ONCE][3][3];
        const uint32_t count = frames_until(first, end);
        for (uint32_t b = 0; b < count; b++)
            gather_edges(&t->mesh, first + b, false, edge[b]);
        current_frames(t, t->method, first, count, (Frames8)edge, frame);
        for (uint32_t b = 0; b < count; b++)
            add_energy(work, first + b, (ConstMat8)edge[b], (ConstMat8)frame[b], &energy);
    }
    return energy;
}

double tetrahedron_blocks_energy(TetrahedronBlocks *t, const TetrahedronPlasticity *plasticity, const DvConstVec *x)
{
    EnergyWork work = {t, plasticity};
    tetrahedron_blocks_keep(t);
    dv_element_blocks_load(&t->mesh, x->at);
    return dv_parallel_sum(t->mesh.blocks, DV_BLOCKS_PER_CHUNK, energy_chunk, &work);
}

typedef struct StressWork {
    const TetrahedronBlocks *t;
    TetrahedronMethod frame;
    TetrahedronStrain strain;
    double *out;
} StressWork;

/* Displacements of the ends: in the element's frame, or in world axes. */
DV_SIMD_INLINE void local_displacements(const TetrahedronBlocks *t, uint32_t block, const DvReal8 edge[3][3],
                                        const DvReal8 frame[3][3], DvReal8 u[3][3])
{
    DV_EACH (k, 3) {
        dv_real8_mul(frame, edge[k], u[k]);
        dv_real8_sub(u[k], t->rest[block].edge[k], u[k]);
    }
}

DV_SIMD_INLINE void world_displacements(const TetrahedronBlocks *t, uint32_t block, const DvReal8 edge[3][3],
                                        DvReal8 u[3][3])
{
    DV_EACH (k, 3) {
        DvReal8 initial[3];
        dv_real8_transposed_mul((ConstMat8)t->frame[block], t->rest[block].edge[k], initial);
        dv_real8_sub(edge[k], initial, u[k]);
    }
}

DV_SIMD_INLINE void stress_of_block(const StressWork *work, uint32_t block, const DvReal8 u[3][3])
{
    const TetrahedronBlocks *t = work->t;
    const TetrahedronRest *rest = &t->rest[block];
    const DvReal8 six_volumes = dv_real8_dot(rest->edge[0], rest->gradient[0]);
    DvReal8 slope[3][3] = {{{0}}}, strain[3][3];
    DV_EACH (k, 3) {
        DvReal8 gradient[3] = {rest->gradient[k][0], rest->gradient[k][1], rest->gradient[k][2]};
        if (work->strain == STRAIN_GREEN)
            dv_real8_transposed_mul((ConstMat8)t->frame[block], rest->gradient[k], gradient);
        DV_EACH (i, 3)
            DV_EACH (j, 3)
                slope[i][j] += u[k][i] * (gradient[j] / six_volumes);
    }
    DV_EACH (i, 3)
        DV_EACH (j, 3) {
            strain[i][j] = slope[i][j] + slope[j][i];
            if (work->strain == STRAIN_GREEN)
                strain[i][j] += slope[0][i] * slope[0][j] + slope[1][i] * slope[1][j] + slope[2][i] * slope[2][j];
            strain[i][j] *= 0.5;
        }
    const DvReal8 scale = 36.0 * rest->volume, two_mu = 2.0 * rest->mu * scale;
    const DvReal8 pressure = rest->lambda * scale * (strain[0][0] + strain[1][1] + strain[2][2]);
    DvReal8 s[6];
    DV_EACH (c, 3) {
        s[c] = pressure + two_mu * strain[c][c];
        s[3 + c] = two_mu * strain[c][(c + 1) % 3];
    }
    const DvReal8 mises =
        dv_real8_sqrt(dv_real8_max(s[0] * s[0] + s[1] * s[1] + s[2] * s[2] - s[0] * s[1] - s[1] * s[2] - s[2] * s[0] +
                                       3.0 * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5]),
                                   dv_real8(0.0)));
    for (uint32_t lane = 0; lane < DV_LANES && block * DV_LANES + lane < t->mesh.elements; lane++)
        work->out[block * DV_LANES + lane] = mises[lane] < 1e-10 ? 0.0 : mises[lane];
}

DV_SIMD_INLINE void stress_at(void *context, uint32_t begin, uint32_t end, bool narrow)
{
    const StressWork *work = context;
    const TetrahedronBlocks *t = work->t;
    for (uint32_t first = begin; first < end; first += FRAMES_AT_ONCE) {
        DvReal8 edge[FRAMES_AT_ONCE][3][3], frame[FRAMES_AT_ONCE][3][3], u[3][3];
        const uint32_t count = frames_until(first, end);
        for (uint32_t b = 0; b < count; b++)
            gather_edges(&t->mesh, first + b, narrow, edge[b]);
        if (work->strain == STRAIN_LOCAL)
            current_frames(t, work->frame, first, count, (Frames8)edge, frame);
        for (uint32_t b = 0; b < count; b++) {
            if (work->strain == STRAIN_LOCAL)
                local_displacements(t, first + b, (ConstMat8)edge[b], (ConstMat8)frame[b], u);
            else
                world_displacements(t, first + b, (ConstMat8)edge[b], u);
            stress_of_block(work, first + b, (ConstMat8)u);
        }
    }
}

DV_SIMD_LEVELS(stress_chunk, stress_at, (void *context, uint32_t begin, uint32_t end), context, begin, end)

void tetrahedron_blocks_von_mises(TetrahedronBlocks *t, TetrahedronMethod frame, TetrahedronStrain strain,
                                  const DvConstVec *x, double *out)
{
    StressWork work = {t, frame, strain, out};
    tetrahedron_blocks_keep(t);
    dv_element_blocks_load(&t->mesh, x->at);
    dv_parallel_for(t->mesh.blocks, DV_BLOCKS_PER_CHUNK, stress_chunk, &work);
}

/* First element whose orientation is not that of its rest shape, or UINT32_MAX. */
uint32_t tetrahedron_blocks_inverted(const TetrahedronBlocks *t, const DvConstVec *x)
{
    for (uint32_t i = 0; x->at && x->count == t->mesh.points && i < t->mesh.elements; i++) {
        DvVec3 p[4];
        for (uint32_t n = 0; n < 4; n++)
            p[n] = dv_vec3_load(x->at + 3 * (size_t)dv_element_blocks_point(&t->mesh, i, n));
        const TetrahedronRest *rest = &t->rest[i / DV_LANES];
        const DvMat3 edges = get_lane(rest->edge, i % DV_LANES),
                     frame = get_lane((ConstMat8)t->frame[i / DV_LANES], i % DV_LANES);
        const double before = dv_mat3_det(edges) * dv_mat3_det(frame); /* a frame may be a reflection */
        if (!(dv_tetrahedron_volume(p[0], p[1], p[2], p[3]) * before > 0.0))
            return i;
    }
    return UINT32_MAX;
}

/* sqrt of the largest trace of an element stiffness. */
double tetrahedron_blocks_bound(const TetrahedronBlocks *t)
{
    double largest = 0.0;
    for (uint32_t block = 0; block < t->mesh.blocks; block++) {
        const TetrahedronRest *rest = &t->rest[block];
        for (uint32_t lane = 0; lane < DV_LANES; lane++) {
            double a[3] = {0.0}, squares = 0.0;
            DV_EACH (k, 3)
                DV_EACH (c, 3) {
                    const double g = rest->gradient[k][c][lane];
                    a[c] += g;
                    squares += g * g;
                }
            squares += a[0] * a[0] + a[1] * a[1] + a[2] * a[2];
            largest = fmax(largest, (rest->lambda[lane] + 4.0 * rest->mu[lane]) * squares);
        }
    }
    return sqrt(largest);
}
