/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Distances by heat (K. Crane, C. Weischedel, M. Wardetzky, Geodesics in Heat, 2013), on linear simplices of any dimension:
 *
 *   (M + t L) u = 1 at the goals      t: the mean edge length, squared
 *   X = - grad u / |grad u|           in each element
 *   L d = div X                       d = 0 at the goals
 *
 * Systems are solved by conjugate gradients with the diagonal as preconditioner, element by element.
 */
#include "heat_method.h"

#include <math.h>

/* Gradients of the shape functions and the size of one element; no extent: zeros. */
static double measure(const double *x, const uint32_t *at, uint32_t corners, DvVec3 *gradient)
{
    const DvVec3 a = mesh_point(x, at[0]), ab = dv_vec3_sub(mesh_point(x, at[1]), a);
    DvVec3 rows[3] = {dv_vec3_zero(), dv_vec3_zero(), dv_vec3_zero()};
    double size = 0.0;
    if (corners == 2) {
        const double square = dv_vec3_norm_squared(ab);
        size = sqrt(square);
        rows[0] = dv_vec3_scale(ab, 1.0 / square);
    } else {
        const DvVec3 ac = dv_vec3_sub(mesh_point(x, at[2]), a), normal = dv_vec3_cross(ab, ac);
        if (corners == 3) {
            const double square = dv_vec3_norm_squared(normal);
            size = 0.5 * sqrt(square);
            rows[0] = dv_vec3_scale(dv_vec3_cross(ac, normal), 1.0 / square);
            rows[1] = dv_vec3_scale(dv_vec3_cross(normal, ab), 1.0 / square);
        } else {
            const DvVec3 ad = dv_vec3_sub(mesh_point(x, at[3]), a);
            const double six = dv_vec3_dot(normal, ad);
            size = fabs(six) / 6.0;
            rows[0] = dv_vec3_scale(dv_vec3_cross(ac, ad), 1.0 / six);
            rows[1] = dv_vec3_scale(dv_vec3_cross(ad, ab), 1.0 / six);
            rows[2] = dv_vec3_scale(normal, 1.0 / six);
        }
    }
    DvVec3 sum = dv_vec3_zero();
    for (uint32_t k = 1; k < corners; k++) {
        gradient[k] = rows[k - 1];
        sum = dv_vec3_add(sum, rows[k - 1]);
    }
    gradient[0] = dv_vec3_neg(sum);
    double all = size;
    for (uint32_t k = 0; k < corners; k++)
        all += dv_vec3_norm_squared(gradient[k]);
    if (size > 0.0 && isfinite(all))
        return size;
    for (uint32_t k = 0; k < corners; k++)
        gradient[k] = dv_vec3_zero();
    return 0.0;
}

Simplices simplices_new(const double *x, uint32_t points, const uint32_t *at, uint32_t count, uint32_t corners)
{
    Simplices s = {.x = x, .points = points, .corners = corners, .count = count, .at = at};
    s.gradient = dv_alloc((size_t)count * corners, sizeof *s.gradient);
    s.size = dv_alloc(count, sizeof *s.size);
    s.mass = dv_alloc(points, sizeof *s.mass);
    double whole = 0.0;
    for (uint32_t e = 0; e < count; e++) {
        const uint32_t *p = at + (size_t)e * corners;
        s.size[e] = measure(x, p, corners, s.gradient + (size_t)e * corners);
        for (uint32_t k = 0; k < corners; k++)
            s.mass[p[k]] += s.size[e] / corners;
        whole += s.size[e];
    }
    for (uint32_t i = 0; i < points; i++)
        s.mass[i] = fmax(s.mass[i], 1e-12 * (whole > 0.0 ? whole / points : 1.0));
    return s;
}

void simplices_free(Simplices *s)
{
    dv_free(s->gradient);
    dv_free(s->size);
    dv_free(s->mass);
}

static DvVec3 gradient_of(const Simplices *s, uint32_t e, const double *u)
{
    const uint32_t *p = s->at + (size_t)e * s->corners;
    DvVec3 sum = dv_vec3_zero();
    for (uint32_t k = 0; k < s->corners; k++)
        sum = dv_vec3_madd(sum, u[p[k]], s->gradient[(size_t)e * s->corners + k]);
    return sum;
}

/* to += size grad N_i . v of an element */
static void add_divergence(const Simplices *s, uint32_t e, DvVec3 v, double *to)
{
    const uint32_t *p = s->at + (size_t)e * s->corners;
    for (uint32_t k = 0; k < s->corners; k++)
        to[p[k]] += s->size[e] * dv_vec3_dot(s->gradient[(size_t)e * s->corners + k], v);
}

/* (m M + l L) x = b, but for points that are held, which stay. */
typedef struct System {
    const Simplices *s;
    double m, l;
    const bool *held; /* NULL: none */
} System;

static void multiply(const System *system, const double *x, double *to)
{
    const Simplices *s = system->s;
    for (uint32_t i = 0; i < s->points; i++)
        to[i] = system->m * s->mass[i] * x[i];
    for (uint32_t e = 0; e < s->count; e++)
        add_divergence(s, e, dv_vec3_scale(gradient_of(s, e, x), system->l), to);
    for (uint32_t i = 0; i < s->points && system->held; i++)
        if (system->held[i])
            to[i] = 0.0;
}

static void invert_diagonal(const System *system, double *inverse)
{
    const Simplices *s = system->s;
    for (uint32_t i = 0; i < s->points; i++)
        inverse[i] = system->m * s->mass[i];
    for (uint32_t e = 0; e < s->count; e++)
        for (uint32_t k = 0; k < s->corners; k++)
            inverse[s->at[(size_t)e * s->corners + k]] +=
                system->l * s->size[e] * dv_vec3_norm_squared(s->gradient[(size_t)e * s->corners + k]);
    for (uint32_t i = 0; i < s->points; i++)
        inverse[i] = inverse[i] > 0.0 ? 1.0 / inverse[i] : 0.0;
}

static double dot(const double *a, const double *b, uint32_t count)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

/* From x on; b is overwritten. False: the residual did not fall to 1e-12 of the first. */
static bool solve(const System *system, double *x, double *b)
{
    const uint32_t n = system->s->points;
    double *inverse = dv_alloc(n, sizeof *inverse), *p = dv_alloc(n, sizeof *p), *q = dv_alloc(n, sizeof *q);
    invert_diagonal(system, inverse);
    multiply(system, x, q);
    double *r = b;
    for (uint32_t i = 0; i < n; i++) {
        r[i] = system->held && system->held[i] ? 0.0 : r[i] - q[i];
        q[i] = inverse[i] * r[i];
    }
    double rho = dot(r, q, n), last = 0.0;
    const double wanted = 1e-24 * rho;
    const uint64_t most = 10 * (uint64_t)n + 100;
    for (uint64_t k = 0; k < most && rho > wanted; k++) {
        for (uint32_t i = 0; i < n; i++)
            p[i] = inverse[i] * r[i] + (k ? rho / last : 0.0) * p[i];
        multiply(system, p, q);
        const double curvature = dot(p, q, n);
        if (!(curvature > 0.0))
            break;
        const double way = rho / curvature;
        last = rho;
        rho = 0.0;
        for (uint32_t i = 0; i < n; i++) {
            x[i] += way * p[i];
            r[i] -= way * q[i];
            rho += r[i] * inverse[i] * r[i];
        }
    }
    dv_free(inverse);
    dv_free(p);
    dv_free(q);
    return rho <= fmax(wanted, 1e8 * wanted);
}

static double mean_edge(const Simplices *s)
{
    double sum = 0.0;
    uint64_t edges = 0;
    for (uint32_t e = 0; e < s->count; e++)
        for (uint32_t j = 0; j < s->corners; j++)
            for (uint32_t k = j + 1; k < s->corners; k++, edges++)
                sum += dv_vec3_distance(mesh_point(s->x, s->at[(size_t)e * s->corners + j]),
                                        mesh_point(s->x, s->at[(size_t)e * s->corners + k]));
    return edges ? sum / (double)edges : 0.0;
}

bool heat_distances(const Simplices *s, const uint32_t *goals, uint32_t goal_count, const uint32_t *nearest,
                    double *distance)
{
    const uint32_t n = s->points;
    const double length = mean_edge(s);
    double *u = dv_alloc(n, sizeof *u), *b = dv_alloc(n, sizeof *b);
    for (uint32_t k = 0; k < goal_count; k++)
        b[goals[k]] = s->mass[goals[k]];
    bool good = solve(&(System){.s = s, .m = 1.0, .l = length * length}, u, b);
    memset(b, 0, n * sizeof *b);
    for (uint32_t e = 0; e < s->count; e++)
        add_divergence(s, e, dv_vec3_neg(dv_vec3_normalize(gradient_of(s, e, u))), b);
    memset(distance, 0, n * sizeof *distance);
    good = solve(&(System){.s = s, .l = 1.0}, distance, b) && good;
    memcpy(u, distance, n * sizeof *u);
    for (uint32_t i = 0; i < n; i++)
        distance[i] = nearest[i] == UINT32_MAX ? INFINITY : fmax(0.0, u[i] - u[goals[nearest[i]]]);
    dv_free(u);
    dv_free(b);
    return good;
}

bool harmonic_map(const Simplices *s, const uint32_t *goals, uint32_t goal_count, uint32_t goal, double most,
                  double *map)
{
    const uint32_t n = s->points;
    bool *held = dv_alloc(n, sizeof *held);
    double *b = dv_alloc(n, sizeof *b);
    memset(map, 0, n * sizeof *map);
    for (uint32_t k = 0; k < goal_count; k++)
        held[goals[k]] = true;
    map[goals[goal]] = most;
    const bool good = solve(&(System){.s = s, .l = 1.0, .held = held}, map, b);
    dv_free(held);
    dv_free(b);
    return good;
}
