/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * MeshExporter: the mesh of its node in files of other programs: VTK, Gmsh, Wavefront, Netgen, Tetgen, or all of them.
 *
 * In the name of the file %p stands for the number of points, %E of elements that are written, %e of those of the highest dimension, %n of
 * steps made, %% for %.
 */
#include "export_mesh.h"

#include <inttypes.h>
#include <string.h>

#include <divan/kit/exporter.h>
#include <divan/scene.h>

typedef struct MeshExporter {
    DvExporter base;
    DvData format, position, precision;
    DvData wanted[DV_ELEMENT_KINDS];
    MeshSource source;
    bool told; /* of quads */
} MeshExporter;

enum { ALL, VTK_XML, VTK, NETGEN, TETGEN, GMSH, OBJ };
static const char *const formats[] = {"ALL", "vtkxml", "vtk", "netgen", "tetgen", "gmsh", "obj", NULL};
static const char *const precisions[] = {"float", "double", NULL};

static uint64_t highest(const ExportMesh *mesh)
{
    const DvElements *all = mesh->elements;
    const uint64_t solids = (uint64_t)all[DV_TETRAHEDRA].count + all[DV_HEXAHEDRA].count + all[DV_PRISMS].count +
                            all[DV_PYRAMIDS].count,
                   faces = (uint64_t)all[DV_TRIANGLES].count + all[DV_QUADS].count;
    return solids ? solids : faces ? faces : all[DV_EDGES].count;
}

/* The stem with its marks filled in. */
static void fill_marks(MeshExporter *self, const ExportMesh *mesh, const char *stem, DvText *name)
{
    for (const char *c = stem; *c; c++) {
        if (*c != '%') {
            dv_text_add_bytes(name, c, 1);
            continue;
        }
        switch (*++c) {
        case 'p':
            dv_text_add(name, "%" PRIu32, mesh->point_count);
            break;
        case 'E':
            dv_text_add(name, "%" PRIu32, export_mesh_cells(mesh));
            break;
        case 'e':
            dv_text_add(name, "%" PRIu64, highest(mesh));
            break;
        case 'n':
            dv_text_add(name, "%" PRIu64, dv_scene_steps(dv_node_scene(dv_object_node(dv_object_of(self)))));
            break;
        default:
            dv_text_add_bytes(name, "%", 1);
            if (*c != '%')
                c--;
        }
    }
}

static void write_file(MeshExporter *self, const char *stem, const char *ending, DvText *text)
{
    DvText path = {0};
    dv_text_add(&path, "%s%s", stem, ending);
    (void)dv_exporter_write(&self->base, path.at, text->at, text->length);
    dv_text_free(&path);
    dv_text_free(text);
}

/* Wavefront's file of old scenes has quads only where there are no triangles. */
static ExportMesh without_quads(MeshExporter *self, const ExportMesh *mesh)
{
    ExportMesh faces = *mesh;
    const uint32_t quads = faces.elements[DV_QUADS].count;
    if (!quads || !faces.elements[DV_TRIANGLES].count)
        return faces;
    if (!self->told)
        dv_warning(
            dv_object_of(self),
            "%" PRIu32
            " quads are not written to the file of Wavefront, since there are triangles; with triangles=\"0\" they are",
            quads);
    self->told = true;
    faces.elements[DV_QUADS].count = 0;
    return faces;
}

/* Each in turn; what could not be written has been reported. */
static void write_formats(MeshExporter *self, const ExportMesh *mesh, const char *stem)
{
    const int format = dv_data_choice(&self->format);
    const VtkText style = {.title = "SOFA Exported Mesh file",
                           .blank = "",
                           .indent = "          ",
                           .declaration = "<?xml version=\"1.0\"?>\n",
                           .real = precisions[dv_data_choice(&self->precision)]};
    DvText text = {0};
    if (format == ALL || format == VTK_XML) {
        write_vtk_xml(mesh, &style, &text);
        write_file(self, stem, ".vtu", &text);
    }
    if (format == ALL || format == VTK) {
        write_vtk_legacy(mesh, &style, &text);
        write_file(self, stem, ".vtk", &text);
    }
    if (format == ALL || format == NETGEN) {
        write_netgen(mesh, &text);
        write_file(self, stem, ".mesh", &text);
    }
    if (format == ALL || format == TETGEN) {
        write_tetgen_nodes(mesh, &text);
        write_file(self, stem, ".node", &text);
        write_tetgen_elements(mesh, &text);
        write_file(self, stem, ".ele", &text);
        write_tetgen_faces(mesh, &text);
        write_file(self, stem, ".face", &text);
    }
    if (format == ALL || format == GMSH) {
        write_gmsh(mesh, &text);
        write_file(self, stem, ".gmsh", &text);
    }
    if (format == ALL || format == OBJ) {
        const ExportMesh faces = without_quads(self, mesh);
        write_obj(&faces, &text);
        write_file(self, stem, ".obj", &text);
    }
}

static void write_mesh(void *self_, const DvExport *which)
{
    MeshExporter *self = self_;
    const char *given = dv_data_string(&self->base.filename), *slash = given ? strrchr(given, '/') : NULL;
    const char *name = slash ? slash + 1 : given;
    ExportMesh mesh = {.name = name && *name ? name : dv_object_name(dv_object_of(self))};
    DvText stem = {0}, filled = {0};
    mesh_source_gather_wanted(&self->source, &self->position, self->wanted, &mesh);
    dv_exporter_stem(&self->base, which, &stem);
    fill_marks(self, &mesh, stem.at, &filled);
    write_formats(self, &mesh, filled.at);
    dv_text_free(&stem);
    dv_text_free(&filled);
    export_mesh_free(&mesh);
}

static DvStatus construct(DvObject *object, void *self)
{
    return dv_exporter_construct(object, self, write_mesh);
}

static DvStatus init(DvObject *object, void *self_)
{
    MeshExporter *self = self_;
    return mesh_source_find(&self->source, object, NULL, NULL, "a topology");
}

static void cleanup(DvObject *object, void *self_)
{
    dv_exporter_cleanup(object, self_);
    mesh_source_release(&((MeshExporter *)self_)->source);
}

#define FIELD(member, name, type, ...) DV_FIELD(MeshExporter, member, name, type, __VA_ARGS__)
static const DvField fields[] = {
    DV_EXPORTER_FIELDS(MeshExporter, base.),
    FIELD(format, "format", dv_type_choice, .choices = formats, .init = "ALL",
          .help = "of the files: their endings follow"),
    FIELD(position, "position", dv_type_vec3s, .unit = "m", .flags = DV_FIELD_EMPTY_IS_DEFAULT,
          .help = "of the points; none: those of the state, else of the topology"),
    EXPORT_WANTED_FIELDS(MeshExporter, "1"),
    FIELD(precision, "precision", dv_type_choice, .choices = precisions, .init = "float",
          .help = "of positions in files of VTK; others have all digits"),
    {0},
};

const DvClass dv_mesh_exporter = {
    .size = sizeof(DvClass),
    .name = "MeshExporter",
    DV_EXPORTER_CLASS,
    .help = "Writes the mesh of its node to files of VTK, Gmsh, Wavefront, Netgen or Tetgen.",
    .instance_size = sizeof(MeshExporter),
    .fields = fields,
    .construct = construct,
    .init = init,
    .cleanup = cleanup,
};
