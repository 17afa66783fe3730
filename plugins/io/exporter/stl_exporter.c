/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * STLExporter: triangles and quads (each as two triangles) as a file of STL, binary or text. Lists that are not given are those of
 * the topology of the node. As in old scenes, quads are written where there are no triangles.
 */
#include "export_mesh.h"

#include <divan/kit/exporter.h>

typedef struct StlExporter {
    DvExporter base;
    DvData binary, position, triangle, quad;
    MeshSource source;
    bool told;
} StlExporter;

static DvElements list_of(DvData *data)
{
    size_t count;
    const uint32_t *at = dv_data_uints(data, &count);
    return (DvElements){at, (uint32_t)count};
}

/* Coordinates that single precision cannot hold: a binary file would say infinity. */
static bool fits(StlExporter *self, const ExportMesh *mesh)
{
    const uint32_t beyond = count_beyond_single(mesh->points, 3 * (size_t)mesh->point_count);
    if (beyond && !self->source.told)
        dv_warning(dv_object_of(self),
                   "%u coordinates are greater than single precision can hold (3.4e38), so nothing is written; "
                   "binaryformat=\"0\" writes them as text",
                   beyond);
    self->source.told = self->source.told || beyond;
    return beyond == 0;
}

static void write_surface(void *self_, const DvExport *which)
{
    StlExporter *self = self_;
    ExportMesh mesh = {0};
    const DvElements triangles = list_of(&self->triangle), quads = list_of(&self->quad);
    const bool given = triangles.count || quads.count;
    const bool wanted[DV_ELEMENT_KINDS] = {[DV_TRIANGLES] = !given, [DV_QUADS] = !given};
    mesh_source_gather(&self->source, &self->position, wanted, &mesh);
    if (given) {
        mesh.elements[DV_TRIANGLES] = triangles;
        mesh.elements[DV_QUADS] = quads;
        const uint32_t lost = export_mesh_check(&mesh);
        if (lost && !self->source.told)
            dv_warning(dv_object_of(self),
                       "%u faces are left out of the file: they name points beyond the %u that are there", lost,
                       mesh.point_count);
        self->source.told = self->source.told || lost;
    }
    if (mesh.elements[DV_TRIANGLES].count && mesh.elements[DV_QUADS].count) {
        if (!self->told)
            dv_warning(
                dv_object_of(self),
                "%u quads are not written, since there are triangles; cut them into triangles, or give `quad` alone",
                mesh.elements[DV_QUADS].count);
        self->told = true;
        mesh.elements[DV_QUADS].count = 0;
    }
    const bool binary = dv_data_bool(&self->binary);
    if (!binary || fits(self, &mesh)) {
        DvText path = {0}, text = {0};
        dv_exporter_stem(&self->base, which, &path);
        dv_text_add(&path, ".stl");
        write_stl(&mesh, binary, &text);
        (void)dv_exporter_write(&self->base, path.at, text.at, text.length);
        dv_text_free(&path);
        dv_text_free(&text);
    }
    export_mesh_free(&mesh);
}

static DvStatus construct(DvObject *object, void *self)
{
    return dv_exporter_construct(object, self, write_surface);
}

static DvStatus init(DvObject *object, void *self_)
{
    StlExporter *self = self_;
    const bool given = list_of(&self->triangle).count || list_of(&self->quad).count;
    return mesh_source_find(&self->source, object, NULL, NULL,
                            given ? NULL : "a topology of triangles or quads, or `triangle`");
}

static void cleanup(DvObject *object, void *self_)
{
    dv_exporter_cleanup(object, self_);
    mesh_source_release(&((StlExporter *)self_)->source);
}

#define FIELD(member, name, type, ...) DV_FIELD(StlExporter, member, name, type, __VA_ARGS__)
static const DvField fields[] = {
    DV_EXPORTER_FIELDS(StlExporter, base.),
    FIELD(binary, "binaryformat", dv_type_bool, .init = "1", .help = "binary, of single precision; otherwise text"),
    FIELD(position, "position", dv_type_vec3s, .unit = "m", .flags = DV_FIELD_EMPTY_IS_DEFAULT,
          .help = "of the points; none: those of the state, else of the topology"),
    FIELD(triangle, "triangle", dv_type_triangles, .flags = DV_FIELD_EMPTY_IS_DEFAULT,
          .help = "triangles; with no quads either: those of the topology"),
    FIELD(quad, "quad", dv_type_quads, .flags = DV_FIELD_EMPTY_IS_DEFAULT,
          .help = "quads, written where there are no triangles, as two triangles each; none: those of the topology"),
    {0},
};

const DvClass dv_stl_exporter = {
    .size = sizeof(DvClass),
    .name = "STLExporter",
    DV_EXPORTER_CLASS,
    .help = "Writes a surface to a file of STL.",
    .instance_size = sizeof(StlExporter),
    .fields = fields,
    .construct = construct,
    .init = init,
    .cleanup = cleanup,
};
