/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * MeshTetraStuffing: tetrahedra inside a closed surface, by isosurface stuffing (see stuffing.h). It computes at init and reinit, or when
 * somebody reads before; what its inputs do later makes no other mesh.
 */
#include <math.h>

#include "stuffing.h"

typedef struct TetraStuffing {
    DvEngine engine;
    DvData box, size, points, triangles, quads, out_points, out_tetrahedra, alpha_long, alpha_short, snap, split,
        well_shaped;
    bool made;
} TetraStuffing;

/* The box: as given, or around the points and 1 % wider on each side. */
static void find_box(TetraStuffing *self, const double *x, size_t count, double *least, double *most)
{
    const double *given = dv_data_doubles(&self->box, NULL);
    for (int k = 0; k < 3; k++) {
        least[k] = given[k];
        most[k] = given[3 + k];
    }
    if (given[0] < given[3])
        return;
    for (size_t i = 0; i < 3 * count; i++) {
        least[i % 3] = i < 3 || x[i] < least[i % 3] ? x[i] : least[i % 3];
        most[i % 3] = i < 3 || x[i] > most[i % 3] ? x[i] : most[i % 3];
    }
    for (int k = 0; k < 3; k++) {
        const double margin = (most[k] - least[k]) * 0.01;
        least[k] -= margin;
        most[k] += margin;
    }
}

static DvStatus make_lattice(DvObject *object, TetraStuffing *self, Stuffing *s, size_t points)
{
    double least[3], most[3], largest = 0.0, count = 2.0;
    int32_t first[3];
    find_box(self, s->surface, points, least, most);
    for (int k = 0; k < 3; k++)
        largest = fmax(largest, most[k] - least[k]);
    const double size = dv_data_double(&self->size), h = size < 0.0 ? largest / -size : size;
    if (!(h > 0.0) || !(largest / h < 1e6))
        return dv_field_error(&self->size, -1,
                              "cells of size %g in a box of size %g: give a size above 0, or minus a number of cells",
                              h, largest);
    for (int k = 0; k < 3; k++) {
        const double center = 0.5 * (least[k] + most[k]);
        first[k] = -((int32_t)((center - least[k]) / h) + 2);
        s->size[0][k] = (uint32_t)((int32_t)((most[k] - center) / h) + 2 - first[k] + 1);
        s->size[1][k] = s->size[0][k] + 1;
        s->corner[k] = center;
        count *= s->size[1][k];
    }
    const DvStatus status = dv_memory_ask(object, count * 240.0, "a lattice of %.0f points", count);
    if (status != DV_OK || count > UINT32_MAX / 16.0)
        return status != DV_OK ? status
                               : dv_field_error(&self->size, -1, "a lattice of %.0f points is too large", count);
    s->spacing = h;
    s->first = s->size[0][0] * s->size[0][1] * s->size[0][2];
    s->count = s->first + s->size[1][0] * s->size[1][1] * s->size[1][2];
    dv_array_resize(&s->x, 3 * s->count);
    double *to = s->x.data;
    for (int grid = 0; grid < 2; grid++)
        for (uint32_t i = 0; i < (grid ? s->count - s->first : s->first); i++, to += 3) {
            const uint32_t *n = s->size[grid], at[3] = {i % n[0], i / n[0] % n[1], i / n[0] / n[1]};
            for (int k = 0; k < 3; k++)
                to[k] = s->corner[k] + ((double)first[k] + at[k]) * h - (grid ? 0.5 * h : 0.0);
        }
    s->inside = dv_alloc(s->count, sizeof *s->inside);
    s->distance = dv_alloc((size_t)s->count * EDGES, sizeof *s->distance);
    s->cut = dv_alloc((size_t)s->count * EDGES, sizeof *s->cut);
    return DV_OK;
}

/* Six times the volume that the faces enclose, seen from outside. */
static double enclosed(const Stuffing *s)
{
    double sum = 0.0;
    const DvVec3 origin = mesh_point(s->surface, s->faces.data[0]);
    for (uint32_t f = 0; f < s->faces.count; f += 3) {
        const uint32_t *n = s->faces.data + f;
        const DvVec3 a = mesh_point(s->surface, n[0]);
        sum += dv_vec3_dot(mesh_area_normal(a, mesh_point(s->surface, n[1]), mesh_point(s->surface, n[2])),
                           dv_vec3_sub(a, origin));
    }
    return sum;
}

/* The points that tetrahedra use, in their order. */
static void give(TetraStuffing *self, const Stuffing *s)
{
    const uint32_t points = s->x.count / 3;
    uint32_t *number = dv_alloc(points, sizeof *number), used = 0;
    for (uint32_t i = 0; i < s->tetrahedra.count; i++)
        number[s->tetrahedra.data[i]] = 1;
    for (uint32_t i = 0; i < points; i++)
        used += number[i];
    double *x = dv_data_begin_all(&self->out_points, used);
    used = 0;
    for (uint32_t i = 0; i < points; i++)
        if (number[i]) {
            memcpy(x + 3 * (size_t)used, s->x.data + 3 * (size_t)i, 3 * sizeof *x);
            number[i] = used++;
        }
    dv_data_end(&self->out_points);
    uint32_t *to = dv_data_begin_all(&self->out_tetrahedra, s->tetrahedra.count / 4);
    for (uint32_t i = 0; i < s->tetrahedra.count; i++)
        to[i] = number[s->tetrahedra.data[i]];
    dv_data_end(&self->out_tetrahedra);
    dv_free(number);
}

static DvStatus stuff(DvObject *object, TetraStuffing *self, Stuffing *s)
{
    size_t points;
    DvElements triangles, quads;
    s->surface = dv_data_doubles(&self->points, &points);
    DvStatus status = mesh_first(mesh_input(&self->triangles, DV_TRIANGLES, points, &triangles),
                                 mesh_input(&self->quads, DV_QUADS, points, &quads));
    mesh_triangles_of(triangles, quads, &s->faces);
    if (status == DV_OK && s->faces.count == 0)
        status =
            dv_error(object, DV_ERROR_MISSING, "no surface to fill: give inputPoints and inputTriangles or inputQuads");
    if (status == DV_OK)
        status = make_lattice(object, self, s, points);
    if (status != DV_OK)
        return status;
    s->alpha[0] = dv_data_double(&self->alpha_long);
    s->alpha[1] = dv_data_double(&self->alpha_short);
    const bool split = dv_data_bool(&self->split);
    s->well_shaped = dv_data_bool(&self->well_shaped);
    stuffing_measure(s);
    if (dv_data_bool(&self->snap))
        stuffing_snap(s);
    if (split)
        stuffing_cut(s);
    stuffing_fill(s, split);
    return DV_OK;
}

static DvStatus update(DvObject *object, void *self_)
{
    TetraStuffing *self = self_;
    if (self->made && !self->engine.forced)
        return DV_OK;
    Stuffing s = {0};
    const DvStatus status = stuff(object, self, &s);
    give(self, &s);
    if (status == DV_OK && enclosed(&s) < 0.0)
        dv_warning(object,
                   "the surface is inside out: its triangles look inwards, so that what is outside of it is filled; "
                   "turn them, as flipNormals of a loader does");
    if (!s.well_shaped && (s.near || s.flat))
        dv_warning(object,
                   "slivers at the surface, as old scenes have them: %" PRIu32
                   " points outside are too near to it and stay, %" PRIu32 " of %" PRIu32
                   " tetrahedra have all four points on it; set wellShaped",
                   s.near, s.flat, s.tetrahedra.count / 4);
    if (s.strange)
        dv_warning(object,
                   "%" PRIu32
                   " tetrahedra at the surface cannot be cut well: give snapPoints and wellShaped, or another size",
                   s.strange);
    else if (status == DV_OK && s.tetrahedra.count == 0)
        dv_warning(
            object,
            "there is nothing inside of the surface: it must be closed, its triangles look outwards, and be larger than "
            "the cells");
    self->made = true;
    dv_array_free(&s.faces);
    dv_array_free(&s.x);
    dv_array_free(&s.tetrahedra);
    dv_free(s.inside);
    dv_free(s.distance);
    dv_free(s.cut);
    return status;
}

#define ALIASES(...)                 \
    .aliases = (const char *const[]) \
    {                                \
        __VA_ARGS__, NULL            \
    }
static const DvField fields[] = {
    DV_ENGINE_INPUT(TetraStuffing, box, "vbbox", dv_type_box, "box to fill (default: around the points, 1 % wider)",
                    .init = "0 0 0 0 0 0", .unit = "m"),
    DV_ENGINE_INPUT(TetraStuffing, size, "size", dv_type_double, "size of cells; below 0: cells along the largest side",
                    .init = "-8"),
    DV_ENGINE_INPUT(TetraStuffing, points, "inputPoints", dv_type_vec3s, "points of the surface", .unit = "m"),
    DV_ENGINE_INPUT(TetraStuffing, triangles, "inputTriangles", dv_type_triangles, "its triangles, seen from outside"),
    DV_ENGINE_INPUT(TetraStuffing, quads, "inputQuads", dv_type_quads, "its quads"),
    DV_ENGINE_OUTPUT(TetraStuffing, out_points, "outputPoints", dv_type_vec3s, "points of the tetrahedra", .unit = "m"),
    DV_ENGINE_OUTPUT(TetraStuffing, out_tetrahedra, "outputTetrahedra", dv_type_tetrahedra, "tetrahedra",
                     ALIASES("outputTetras")),
    DV_ENGINE_INPUT(TetraStuffing, alpha_long, "alphaLong", dv_type_double,
                    "part of a long edge that is too short to be cut off", .init = "0.24999", .range = &dv_range_share),
    DV_ENGINE_INPUT(TetraStuffing, alpha_short, "alphaShort", dv_type_double, "the same of a short edge",
                    .init = "0.42978", .range = &dv_range_share),
    DV_ENGINE_INPUT(TetraStuffing, snap, "snapPoints", dv_type_bool, "move points near the surface onto it"),
    DV_ENGINE_INPUT(TetraStuffing, split, "splitTetrahedra", dv_type_bool, "cut tetrahedra along the surface",
                    ALIASES("splitTetras")),
    DV_ENGINE_INPUT(
        TetraStuffing, well_shaped, "wellShaped", dv_type_bool,
        "snap points on both sides of the surface, and leave out tetrahedra with all four points on it: with snapPoints "
        "and splitTetrahedra no angle is below 10 degrees (0: as in old scenes, with slivers)"),
    MESH_SHOWN("draw", "0"),
    {0},
};

const DvClass dv_mesh_tetra_stuffing = {
    .size = sizeof(DvClass),
    .name = "MeshTetraStuffing",
    .module = "Sofa.Component.Engine.Generate",
    .help = "Fills a closed surface with tetrahedra of good shape.",
    .instance_size = sizeof(TetraStuffing),
    .fields = fields,
    .family = "engines",
    .construct = dv_engine_construct,
    .bwd_init = dv_engine_run,
    .reinit = dv_engine_run,
    .update = update,
};
