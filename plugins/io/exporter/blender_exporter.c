/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * BlenderExporter: positions and velocities of the state of its node as a point cache, NAME_00.bphys, in single precision, points from the
 * last to the first: the letters BPHYSICS, three whole numbers (kind of simulation, number of points, kind of data: 6, of hair 22),
 * then the points. Hair begins with a second file, NAME without ending; every nbPtsByHair points one more point stands at unit distance
 * before the root.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "export_mesh.h"

#include <divan/kit/exporter.h>

typedef struct BlenderExporter {
    DvExporter base;
    DvData type, points_by_hair;
    DvLink mstate;
    DvStateRef state;
    bool told; /* of numbers that are too large */
} BlenderExporter;

enum { SOFT, PARTICLES, CLOTH, HAIR, TYPES };

static void add_words(DvText *out, uint32_t a, uint32_t b, uint32_t c)
{
    const uint32_t words[3] = {a, b, c};
    dv_text_add_bytes(out, "BPHYSICS", 8);
    dv_text_add_bytes(out, (const char *)words, sizeof words);
}

static void add_vector(DvText *out, const double *vector, uint32_t spatial)
{
    float single[3] = {0};
    for (uint32_t c = 0; c < spatial && vector; c++)
        single[c] = (float)vector[c];
    dv_text_add_bytes(out, (const char *)single, sizeof single);
}

/* One unit from x towards the next point; where there is none, or it is in the same place, x. */
static void root_of(double root[3], const double *x, const double *next, uint32_t spatial)
{
    double length = 0;
    for (uint32_t c = 0; c < spatial && next; c++)
        length += (next[c] - x[c]) * (next[c] - x[c]);
    length = sqrt(length);
    for (uint32_t c = 0; c < spatial; c++)
        root[c] = x[c] + (length > 0 ? (next[c] - x[c]) / length : 0);
}

static void add_points(BlenderExporter *self, int32_t type, uint32_t by_hair, DvText *out)
{
    const DvConstVec x = dv_state_read(self->state, DV_POSITION), v = dv_state_read(self->state, DV_VELOCITY),
                     rest = dv_state_read(self->state, DV_REST_POSITION);
    const uint32_t n = x.count, spatial = self->state.dof->spatial;
    add_words(out, type == HAIR ? CLOTH : (uint32_t)type, type == HAIR ? n + n / by_hair : n, type == HAIR ? 22 : 6);
    for (size_t k = n; k-- > 0;) {
        const double *at = x.at + k * x.dim;
        if (type == HAIR && k % by_hair == 0) {
            double root[3] = {0};
            root_of(root, at, k + 1 < n ? at + x.dim : NULL, spatial);
            add_vector(out, root, spatial);
            add_vector(out, NULL, 0);
            add_vector(out, root, spatial);
        }
        add_vector(out, at, spatial);
        add_vector(out, v.at ? v.at + k * v.dim : NULL, spatial);
        if (type == HAIR)
            add_vector(out, rest.at ? rest.at + k * rest.dim : at, spatial);
    }
}

/* Numbers that a cache, of single precision, cannot hold. */
static uint32_t count_beyond(BlenderExporter *self)
{
    uint32_t beyond = 0;
    const DvVecId vectors[3] = {DV_POSITION, DV_VELOCITY, DV_REST_POSITION};
    for (int v = 0; v < 3; v++) {
        const DvConstVec at = dv_state_read(self->state, vectors[v]);
        beyond += at.at ? count_beyond_single(at.at, (size_t)at.count * at.dim) : 0;
    }
    if (beyond && !self->told)
        dv_warning(dv_object_of(self),
                   "%" PRIu32 " coordinates are greater than single precision can hold (3.4e38), so nothing is written",
                   beyond);
    self->told = self->told || beyond;
    return beyond;
}

static void write_cache(void *self_, const DvExport *which)
{
    BlenderExporter *self = self_;
    if (count_beyond(self))
        return;
    const int32_t type = dv_data_int(&self->type);
    DvText path = {0}, bytes = {0};
    dv_exporter_stem(&self->base, which, &path);
    if (type == HAIR && which->first) {
        const float hair[3] = {0, 100, 100};
        add_words(&bytes, 1, 1, 64);
        dv_text_add_bytes(&bytes, (const char *)hair, sizeof hair);
        (void)dv_exporter_write(&self->base, path.at, bytes.at, bytes.length);
        dv_text_free(&bytes);
    }
    dv_text_add(&path, "_00.bphys");
    add_points(self, type, (uint32_t)dv_data_int(&self->points_by_hair), &bytes);
    (void)dv_exporter_write(&self->base, path.at, bytes.at, bytes.length);
    dv_text_free(&path);
    dv_text_free(&bytes);
}

static DvStatus construct(DvObject *object, void *self)
{
    return dv_exporter_construct(object, self, write_cache);
}

static DvStatus init(DvObject *object, void *self_)
{
    BlenderExporter *self = self_;
    return dv_state_require(object, &self->mstate, &self->state);
}

static void cleanup(DvObject *object, void *self_)
{
    dv_exporter_cleanup(object, self_);
    dv_state_release(&((BlenderExporter *)self_)->state);
}

static const DvRange types = {0, TYPES - 1, false, false};

#define FIELD(member, name, type, ...) DV_FIELD(BlenderExporter, member, name, type, __VA_ARGS__)
#define UNUSED                         "does nothing: filename and exportEveryNumberOfSteps say where and when"
static const DvField fields[] = {
    DV_EXPORTER_FIELDS(BlenderExporter, base.),
    FIELD(type, "simulationType", dv_type_int, .init = "0", .range = &types,
          .help = "0 soft body, 1 particles, 2 cloth, 3 hair"),
    FIELD(points_by_hair, "nbPtsByHair", dv_type_int, .init = "20", .range = &dv_range_count,
          .help = "points of each hair"),
    DV_LINK(BlenderExporter, mstate, "mstate", DV_STATE, .help = "the state; the one of the node by default"),
    DV_FIELD_HELD("path", dv_type_string, .help = UNUSED),
    DV_FIELD_HELD("baseName", dv_type_string, .help = UNUSED),
    DV_FIELD_HELD("step", dv_type_int, .init = "2", .help = UNUSED),
    {0},
};

const DvClass dv_blender_exporter = {
    .size = sizeof(DvClass),
    .name = "BlenderExporter",
    .variants = "Vec3d Rigid3d",
    .default_variant = "Vec3d",
    .variant_rule = DV_VARIANT_OF_ALL,
    .sources = (const DvVariantSource[]){{.attribute = "mstate", .path = "", .contract = DV_STATE}, {0}},
    DV_EXPORTER_CLASS,
    .help = "Writes positions and velocities to point caches of Blender.",
    .instance_size = sizeof(BlenderExporter),
    .fields = fields,
    .construct = construct,
    .init = init,
    .cleanup = cleanup,
};
