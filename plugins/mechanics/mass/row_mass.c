/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "row_mass.h"

#include <divan/parallel.h>

static uint32_t shorter(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

void row_mass_add_gravity(const RowMass *m, const double gravity[6], const DvVec *f)
{
    const uint32_t n = shorter(m->count, f->count), dim = f->dim;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t c = 0; c < dim; c++)
            f->at[(size_t)i * dim + c] += gravity[c] * m->weight[i] * m->heavy;
}

typedef struct Product {
    const RowMass *mass;
    double point_factor, edge_factor;
    const double *dx;
    double *res;
    uint32_t dim;
} Product;

static inline void gather(const Product *p, uint32_t begin, uint32_t end, uint32_t dim)
{
    const HalfEdges *half = p->mass->half;
    for (uint32_t i = begin; i < end; i++) {
        const double own = p->mass->point[i] * p->point_factor;
        double *res = p->res + (size_t)i * dim;
        for (uint32_t c = 0; c < dim; c++)
            res[c] += p->dx[(size_t)i * dim + c] * own;
        if (!p->mass->edge)
            continue;
        for (uint32_t h = half->begin[i]; h < half->end[i]; h++) {
            const double mass = p->mass->edge[half->at[h].edge] * p->edge_factor;
            const double *dx = p->dx + (size_t)half->at[h].other * dim;
            for (uint32_t c = 0; c < dim; c++)
                res[c] += dx[c] * mass;
        }
    }
}

static void gather_range(void *context, uint32_t begin, uint32_t end)
{
    const Product *p = context;
    if (p->dim == 3)
        gather(p, begin, end, 3);
    else
        gather(p, begin, end, p->dim);
}

void row_mass_add_product(const RowMass *m, double factor, DvConstVec dx, DvVec res)
{
    if (res.count < m->count)
        return;
    Product product = {
        .mass = m, .point_factor = factor * m->own, .edge_factor = factor, .dx = dx.at, .res = res.at, .dim = res.dim};
    dv_parallel_for(m->count, 1024, gather_range, &product);
}

void row_mass_divide(const RowMass *m, DvConstVec f, DvVec a)
{
    for (uint32_t i = 0; i < shorter(m->count, a.count); i++)
        for (uint32_t c = 0; c < a.dim; c++)
            a.at[(size_t)i * a.dim + c] = f.at[(size_t)i * f.dim + c] / (m->point[i] * m->own);
}

double row_mass_kinetic_energy(const RowMass *m, DvConstVec v)
{
    const HalfEdges *half = m->half;
    const uint32_t points = shorter(m->count, v.count);
    double twice = 0.0;
    for (uint32_t i = 0; i < points; i++) {
        const double *at = v.at + (size_t)i * v.dim;
        for (uint32_t c = 0; c < v.dim; c++)
            twice += at[c] * at[c] * m->point[i] * m->own;
    }
    for (uint32_t i = 0; m->edge && i < points; i++)
        for (uint32_t h = half->begin[i]; h < half->end[i]; h++)
            for (uint32_t c = 0; half->at[h].other < v.count && c < v.dim; c++)
                twice += v.at[(size_t)i * v.dim + c] * v.at[(size_t)half->at[h].other * v.dim + c] *
                         m->edge[half->at[h].edge];
    return 0.5 * twice;
}

double row_mass_potential_energy(const RowMass *m, const double gravity[6], const DvConstVec *x)
{
    double energy = 0.0;
    for (uint32_t i = 0; i < shorter(m->count, x->count); i++)
        for (uint32_t c = 0; c < x->dim; c++)
            energy -= x->at[(size_t)i * x->dim + c] * m->heavy * m->weight[i] * gravity[c];
    return energy;
}

void row_mass_add_momentum(const RowMass *m, const DvDofType *dof, DvConstVec x, DvConstVec v, double sum[6])
{
    const HalfEdges *half = m->half;
    for (uint32_t i = 0; i < shorter(m->count, x.count); i++) {
        const DvBodyMass body = {.mass = m->point[i] * m->own};
        dv_body_mass_add_momentum(dof, &body, x.at + (size_t)i * x.dim, v.at + (size_t)i * v.dim, sum);
        for (uint32_t h = half->begin[i]; m->edge && h < half->end[i]; h++) {
            const DvBodyMass shared = {.mass = m->edge[half->at[h].edge]};
            if (half->at[h].other < x.count)
                dv_body_mass_add_momentum(dof, &shared, x.at + (size_t)i * x.dim,
                                          v.at + (size_t)half->at[h].other * v.dim, sum);
        }
    }
}

/* Where couplings are blocks of n x n, it is their diagonal alone that has a mass; 0: they are not. */
static inline __attribute__((always_inline)) void add_mass(const DvMatrixView *view, uint32_t coupling,
                                                           const double *dense, const double *unit, double mass,
                                                           uint32_t n)
{
    if (n == 0) {
        dv_view_add(view, coupling, dense, mass);
        return;
    }
    double *block = view->values + (size_t)view->slot[coupling] * n * n;
    for (uint32_t c = 0; c < n; c++)
        block[c * (n + 1)] += mass * unit[c];
}

static inline __attribute__((always_inline)) void add_masses(const RowMass *m, const DvDofType *dof, double factor,
                                                             const DvMatrixView *view, uint32_t n)
{
    const HalfEdges *half = m->half;
    double dense[36], unit[6];
    dv_body_mass_matrix(dof, &(DvBodyMass){.mass = 1.0}, dense);
    for (uint32_t c = 0; c < n; c++)
        unit[c] = dense[c * (n + 1)];
    for (uint32_t i = 0; i < m->count; i++) {
        const double own = factor * m->point[i] * m->own;
        add_mass(view, half_edges_own(half, i), dense, unit, own, n);
        const uint32_t begin = half->begin[i], end = m->edge ? half->end[i] : begin;
        for (uint32_t h = begin; h < end; h++)
            add_mass(view, half->coupling[h], dense, unit, factor * m->edge[half->at[h].edge], n);
    }
}

void row_mass_assemble(const RowMass *m, const DvDofType *dof, double factor, const DvMatrixView *view)
{
    if (view->direct && view->block == 3)
        add_masses(m, dof, factor, view, 3);
    else
        add_masses(m, dof, factor, view, view->direct ? view->block : 0);
}
