/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <divan/kit/element_stress.h>

#include "mesh_rest.h"

#include <string.h>

#include <divan/math/decompose.h>
#include <divan/parallel.h>

enum { NODES = 8, POINTS = 8, GRAIN = 256 };

typedef struct StressWork {
    const DvElementStressModel *model;
    const DvConstVec *x;
    DvConstVec rest;
    DvElementKind kind; /* of the field's own elements */
    uint32_t parts;     /* of these for each of the mesh */
    double (*stress)[6], (*strain)[6], *energy;
} StressWork;

static DvMat3 turned(DvMat3 r, DvMat3 a)
{
    return dv_mat3_mul_transposed(dv_mat3_mul(r, a), r);
}

static void add_components(double to[6], DvMat3 a, double factor)
{
    const double six[6] = {a.m[0][0], a.m[1][1], a.m[2][2], a.m[0][1], a.m[1][2], a.m[0][2]};
    for (int c = 0; c < 6; c++)
        to[c] += factor * six[c];
}

static DvMat3 law_stress(const DvMaterialLaw *law, const double *parameters, DvMat3 f, double *energy)
{
    DvMat3 p = {{{0.0}}};
    if (law == &dv_hooke_law) {
        const DvMat3 e = dv_mat3_sub(dv_mat3_symmetric_part(f), dv_mat3_identity());
        const double trace = e.m[0][0] + e.m[1][1] + e.m[2][2];
        *energy = 0.5 * parameters[0] * trace * trace;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                p.m[i][j] = 2.0 * parameters[1] * e.m[i][j] + (i == j ? parameters[0] * trace : 0.0);
                *energy += parameters[1] * e.m[i][j] * e.m[i][j];
            }
        return p;
    }
    DvReal8 all[DV_LAW_PARAMETERS], f8[3][3], p8[3][3], w8;
    for (int i = 0; i < DV_LAW_PARAMETERS; i++)
        all[i] = dv_real8(parameters[i]);
    for (int i = 0; i < 9; i++)
        f8[i / 3][i % 3] = dv_real8(f.m[i / 3][i % 3]);
    dv_material_law_stress(law, all, (const DvReal8(*)[3])f8, p8);
    dv_material_law_energy(law, all, (const DvReal8(*)[3])f8, &w8);
    for (int i = 0; i < 9; i++)
        p.m[i / 3][i % 3] = p8[i / 3][i % 3][0];
    *energy = w8[0];
    return p;
}

/* At a point of quadrature. */
typedef struct Place {
    DvMat3 f;
    DvVec3 normal; /* of surfaces, at rest */
    double measure;
} Place;

static DvVec3 normal_of(DvMat3 j)
{
    const DvVec3 n = dv_vec3_cross(dv_mat3_column(j, 0), dv_mat3_column(j, 1));
    return dv_vec3_scale(n, 1.0 / fmax(dv_vec3_norm(n), DBL_MIN));
}

static DvMat3 add_place(DvMat3 j, const double *at, uint32_t dim, const double slope[3])
{
    for (uint32_t i = 0; i < dim && i < 3; i++)
        for (int c = 0; c < 3; c++)
            j.m[i][c] += at[i] * slope[c];
    return j;
}

static Place place_of(const StressWork *work, uint32_t element, const DvQuadrature *rule, uint32_t q)
{
    const DvElementBlocks *mesh = work->model->field->blocks;
    const bool flat = dv_shape_dimensions(work->kind) == 2;
    double at[3], slope[3];
    const double weight = dv_quadrature_point(work->kind, rule, q, at);
    DvMat3 before = {{{0.0}}}, now = before, inverse;
    for (uint32_t n = 0; n < mesh->nodes; n++) {
        const size_t point = dv_element_blocks_point(mesh, element, n);
        (void)dv_shape_function(work->kind, 1, n, at, slope);
        before = add_place(before, work->rest.at + point * work->rest.dim, work->rest.dim, slope);
        now = add_place(now, work->x->at + point * work->x->dim, work->x->dim, slope);
    }
    Place place = {.normal = dv_vec3(0, 0, 0)};
    if (flat) {
        place.normal = normal_of(before);
        const bool turns = work->model->kinematics != DV_SMALL_STRAIN && work->x->dim > 2;
        before = dv_mat3_with_column(before, 2, place.normal);
        now = dv_mat3_with_column(now, 2, turns ? normal_of(now) : place.normal);
    }
    if (dv_mat3_inverse(before, &inverse) == 0.0) /* no size at rest: no strain */
        return (Place){.f = dv_mat3_identity()};
    place.f = dv_mat3_mul(now, inverse);
    place.measure = weight * fabs(dv_mat3_det(before));
    return place;
}

/* Adds stress and strain of a point, times `share`, and its energy. */
static void add_point(const StressWork *work, const Place *place, DvMat3 r, const double *parameters, double share,
                      uint32_t to)
{
    const DvElementStressModel *model = work->model;
    DvMat3 stress, strain;
    DvVec3 normal = place->normal;
    double energy;
    if (model->kinematics == DV_FINITE_STRAIN) {
        const DvMat3 p = law_stress(model->law, parameters, place->f, &energy), t = dv_mat3_transpose(place->f);
        stress = dv_mat3_scale(dv_mat3_mul(p, t), 1.0 / dv_mat3_det(place->f));
        strain = dv_mat3_scale(dv_mat3_sub(dv_mat3_mul(t, place->f), dv_mat3_identity()), 0.5);
    } else {
        const DvMat3 u = dv_mat3_symmetric_part(dv_mat3_transposed_mul(r, place->f));
        stress = turned(r, law_stress(model->law, parameters, u, &energy));
        strain = turned(r, dv_mat3_sub(u, dv_mat3_identity()));
        normal = dv_mat3_mul_vec(r, normal);
    }
    if (model->plane_stress) {
        const double across = dv_vec3_dot(normal, dv_mat3_mul_vec(stress, normal));
        stress = dv_mat3_sub(stress, dv_mat3_outer(dv_vec3_scale(normal, across), normal));
    }
    if (work->stress)
        add_components(work->stress[to], stress, share);
    if (work->strain)
        add_components(work->strain[to], strain, share);
    if (work->energy)
        work->energy[to] += energy * place->measure * model->thickness;
}

static void compute_chunk(void *context, uint32_t begin, uint32_t end)
{
    const StressWork *work = context;
    const DvQuadrature rule = dv_quadrature(work->kind, 1);
    const double share = 1.0 / ((double)rule.count * work->parts);
    for (uint32_t e = begin * work->parts; e < end * work->parts; e++) {
        Place place[POINTS];
        DvMat3 mean = {{{0.0}}}, r = dv_mat3_identity();
        double parameters[DV_LAW_PARAMETERS] = {0.0};
        for (uint32_t q = 0; q < rule.count; q++) {
            place[q] = place_of(work, e, &rule, q);
            mean = dv_mat3_add(mean, dv_mat3_scale(place[q].f, 1.0 / rule.count));
        }
        if (work->model->kinematics == DV_COROTATIONAL)
            r = dv_polar_stable(mean);
        work->model->parameters(work->model->context, e, parameters);
        for (uint32_t q = 0; q < rule.count; q++)
            add_point(work, &place[q], r, parameters, share, e / work->parts);
    }
}

DvElementKind dv_element_stress_kind(const DvElementStressModel *model)
{
    return dv_mesh_force_field_source(model->field);
}

bool dv_element_stress_compute(const DvElementStressModel *model, const DvConstVec *x, uint32_t count,
                               double (*stress)[6], double (*strain)[6], double *energy)
{
    DvMeshForceField *field = model->field;
    StressWork work = {.model = model,
                       .x = x,
                       .kind = field->kind->elements,
                       .parts = field->is_cut ? field->kind->parts : 1,
                       .stress = stress,
                       .strain = strain,
                       .energy = energy};
    if (dv_mesh_force_field_follow(field, x->count) != DV_OK || field->blocks->points != x->count ||
        field->blocks->elements != (uint64_t)count * work.parts || dv_mesh_rest(field, &work.rest) != DV_OK)
        return false;
    if (stress && count)
        memset(stress, 0, count * sizeof *stress);
    if (strain && count)
        memset(strain, 0, count * sizeof *strain);
    if (energy && count)
        memset(energy, 0, count * sizeof *energy);
    dv_parallel_for(count, GRAIN, compute_chunk, &work);
    return true;
}
