/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * VTKExporter: the mesh of its node with fields of components over its points and cells, as files of VTK: XML, NAME0.vtu, NAME1.vtu and so on,
 * or legacy, NAME_0.vtu; with `overwrite` always NAME.vtu. The keys e and E write too.
 */
#include "export_mesh.h"

#include <inttypes.h>
#include <string.h>

#include <divan/kit/exporter.h>

typedef struct VtkExporter {
    DvExporter base;
    DvData xml, position, of_points, of_cells, overwrite, written, precision;
    DvData wanted[DV_ELEMENT_KINDS];
    DvLink mstate, topology;
    MeshSource source;
} VtkExporter;

static const char *const precisions[] = {"float", "double", NULL};

/* A field that `text`, `[label=]object.field`, names, or NULL; *name: what the file calls it. */
static DvData *find_field(VtkExporter *self, const char *text, DvText *name)
{
    const char *equal = strchr(text, '='), *path = equal ? equal + 1 : text, *dot = strrchr(path, '.');
    const DvNode *node = dv_object_node(dv_object_of(self));
    if (*path == '@')
        path++;
    if (!dot)
        return NULL;
    DvText at = {0};
    dv_text_add(&at, "@%.*s", (int)(dot - path), path);
    DvObject *object = NULL;
    for (size_t i = 0; dv_node_member(node, i) && !object; i++) {
        DvObject *member = dv_node_member(node, i);
        if (strcmp(dv_object_name(member), at.at + 1) == 0)
            object = member;
    }
    if (!object)
        object = dv_node_resolve(node, dv_object_of(self), at.at, NULL);
    dv_text_free(&at);
    if (equal)
        dv_text_add(name, "%.*s", (int)(equal - text), text);
    else
        dv_text_add(name, "%s", dot + 1);
    for (char *c = name->at; c && *c; c++)
        if (*c <= ' ')
            *c = '_';
    return object ? dv_object_field(object, dot + 1) : NULL;
}

static bool is_number(const DvData *data)
{
    return data->type->scalar < DV_SCALAR_STRING;
}

/* Each that can be written; names of the arrays are in `names`. */
static uint32_t take_arrays(VtkExporter *self, DvData *list, size_t tuples, ExportArray *arrays, DvText *names)
{
    size_t count;
    char *const *texts = dv_data_strings(list, &count);
    uint32_t taken = 0;
    for (size_t i = 0; i < count; i++) {
        DvText *name = &names[taken];
        DvData *data = find_field(self, texts[i], name);
        const void *at = data && is_number(data) ? dv_data_read(data) : NULL;
        if (at && data->count == tuples) {
            arrays[taken++] = (ExportArray){name->at, data->type->scalar, data->type->components, tuples, at};
            continue;
        }
        dv_text_free(name);
        if (at && !self->base.told)
            dv_field_warning(list, (int64_t)i, "'%s' is left out of the file: it has %zu entries, and there are %zu",
                             texts[i], data->count, tuples);
        self->base.told = self->base.told || at;
    }
    return taken;
}

static void file_name(VtkExporter *self, DvText *path)
{
    static const DvExport plain = {0};
    const uint32_t written = dv_data_uint(&self->written);
    dv_exporter_stem(&self->base, &plain, path);
    if (path->length > 4 && strcmp(path->at + path->length - 4, ".vtu") == 0)
        path->at[path->length -= 4] = '\0';
    if (!dv_data_bool(&self->overwrite))
        dv_text_add(path, dv_data_bool(&self->xml) ? "%" PRIu32 : "_%" PRIu32, written);
    dv_text_add(path, ".vtu");
    dv_data_set_uint(&self->written, written + 1);
}

static void write_mesh(void *self_, const DvExport *which)
{
    VtkExporter *self = self_;
    (void)which;
    ExportMesh mesh = {0};
    size_t points, cells;
    mesh_source_gather_wanted(&self->source, &self->position, self->wanted, &mesh);
    (void)dv_data_strings(&self->of_points, &points);
    (void)dv_data_strings(&self->of_cells, &cells);
    ExportArray *arrays = dv_alloc(points + cells + 1, sizeof *arrays);
    DvText *names = dv_alloc(points + cells + 1, sizeof *names), path = {0}, text = {0};
    VtkText style = {.title = "Exported VTK file",
                     .blank = "\n",
                     .indent = "\t",
                     .declaration = "",
                     .real = precisions[dv_data_choice(&self->precision)],
                     .of_points = arrays,
                     .of_cells = arrays + points};
    style.of_points_count = take_arrays(self, &self->of_points, mesh.point_count, arrays, names);
    style.of_cells_count =
        take_arrays(self, &self->of_cells, export_mesh_cells(&mesh), arrays + points, names + points);
    (dv_data_bool(&self->xml) ? write_vtk_xml : write_vtk_legacy)(&mesh, &style, &text);
    file_name(self, &path);
    (void)dv_exporter_write(&self->base, path.at, text.at, text.length);
    for (size_t i = 0; i < points + cells; i++)
        dv_text_free(&names[i]);
    dv_free(names);
    dv_free(arrays);
    dv_text_free(&path);
    dv_text_free(&text);
    export_mesh_free(&mesh);
}

static void check_list(VtkExporter *self, DvData *list)
{
    size_t count;
    char *const *texts = dv_data_strings(list, &count);
    for (size_t i = 0; i < count; i++) {
        DvText name = {0};
        const DvData *data = find_field(self, texts[i], &name);
        if (!data || !is_number(data))
            dv_field_warning(
                list, (int64_t)i,
                "'%s' is left out of the file: %s; right is `object.field` or `name=object.field`, with an object of this node",
                texts[i], data ? "it holds no numbers" : "there is no such field");
        dv_text_free(&name);
    }
}

static DvStatus construct(DvObject *object, void *self)
{
    return dv_exporter_construct(object, self, write_mesh);
}

static DvStatus init(DvObject *object, void *self_)
{
    VtkExporter *self = self_;
    return mesh_source_find(&self->source, object, &self->mstate, &self->topology, "a topology");
}

/* All objects are there, with the fields that loaders add. */
static DvStatus bwd_init(DvObject *object, void *self)
{
    (void)object;
    check_list(self, &((VtkExporter *)self)->of_points);
    check_list(self, &((VtkExporter *)self)->of_cells);
    return DV_OK;
}

static void handle_event(DvObject *object, void *self_, DvEvent *event)
{
    VtkExporter *self = self_;
    static const DvExport plain = {0};
    if (event->kind == DV_EVENT_KEY_PRESSED && (event->key == 'e' || event->key == 'E') &&
        dv_data_bool(&self->base.enable))
        write_mesh(self, &plain);
    dv_exporter_handle_event(object, self, event);
}

static void reset(DvObject *object, void *self)
{
    dv_exporter_reset(object, self);
    dv_data_set_uint(&((VtkExporter *)self)->written, 0);
}

static void cleanup(DvObject *object, void *self_)
{
    dv_exporter_cleanup(object, self_);
    mesh_source_release(&((VtkExporter *)self_)->source);
}

#define FIELD(member, name, type, ...) DV_FIELD(VtkExporter, member, name, type, __VA_ARGS__)
static const DvField fields[] = {
    DV_EXPORTER_FIELDS(VtkExporter, base.),
    FIELD(xml, "XMLformat", dv_type_bool, .init = "1", .help = "the format with tags; otherwise the legacy one"),
    FIELD(position, "position", dv_type_vec3s, .unit = "m", .flags = DV_FIELD_EMPTY_IS_DEFAULT,
          .help = "of the points; none: those of the state, else of the topology"),
    EXPORT_WANTED_FIELDS(VtkExporter, "0"),
    FIELD(of_points, "pointsDataFields", dv_type_strings,
          .help = "fields with a value for each point, as object.field or name=object.field"),
    FIELD(of_cells, "cellsDataFields", dv_type_strings, .help = "the same for each cell"),
    FIELD(overwrite, "overwrite", dv_type_bool, .init = "0", .help = "one file, written over and over"),
    FIELD(precision, "precision", dv_type_choice, .choices = precisions, .init = "float", .help = "of positions"),
    FIELD(written, "filesWritten", dv_type_uint, .init = "0", .flags = DV_FIELD_STATE,
          .help = "the number of the next file"),
    DV_LINK(VtkExporter, mstate, "mstate", DV_STATE,
            .help = "where positions come from; the state of the node by default"),
    DV_LINK(VtkExporter, topology, "topology", DV_TOPOLOGY, .help = "the mesh; the topology of the node by default"),
    {0},
};

const DvClass dv_vtk_exporter = {
    .size = sizeof(DvClass),
    .name = "VTKExporter",
    .bases = (const char *const[]){"BaseSimulationExporter", NULL},
    .family = "exporters",
    .module = "Sofa.Component.IO.Mesh",
    .help = "Writes the mesh of its node, with fields of components, to files of VTK.",
    .instance_size = sizeof(VtkExporter),
    .fields = fields,
    .construct = construct,
    .init = init,
    .bwd_init = bwd_init,
    .store_reset_state = dv_exporter_begin,
    .handle_event = handle_event,
    .reset = reset,
    .cleanup = cleanup,
};
