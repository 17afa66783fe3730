/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Files of frames: series of VTK, and one mesh a file in the formats that exporters write.
 */
#include "frame.h"

#include <inttypes.h>
#include <string.h>

#include <divan/contracts/array_file.h>
#include <divan/memory.h>
#include <divan/plugin.h>

bool frame_write_bytes(const FrameFiles *files, const char *path, const DvText *bytes, DvText *why)
{
    DvText reason = {0};
    const DvSceneExportOptions *options = &files->options;
    const bool good = options->write(options->context, path, bytes->at ? bytes->at : "", bytes->length, &reason);
    if (!good)
        dv_text_add(why, "%s: %s", path, reason.at ? reason.at : "cannot be written");
    dv_text_free(&reason);
    return good;
}

/* ---- VTK ---- */

static void path_of_part(const FrameFiles *files, const Frame *frame, const FramePart *part, DvText *path)
{
    dv_text_add(path, "%s/%s_%06" PRIu64 ".%s", files->folder.at, part->file, frame->step,
                part->cells->is_surface ? "vtp" : "vtu");
}

static void encode_part(FrameFiles *files, const FramePart *part, DvText *bytes)
{
    const ExportMesh mesh = frame_mesh(part, part->cells->elements);
    ExportArray *arrays = dv_alloc(2 * (size_t)part->arrays, sizeof *arrays), *of_cells = arrays + part->arrays;
    VtkText style = {.indent = "",
                     .declaration = "<?xml version=\"1.0\"?>\n",
                     .real = "double",
                     .of_points = arrays,
                     .of_cells = of_cells,
                     .encoding = files->encoding,
                     .cells = &part->cells->vtk};
    for (uint32_t a = 1; a < part->arrays; a++) {
        const FrameArray *array = &part->array[a];
        const ExportArray out = {array->name, DV_SCALAR_DOUBLE, array->components, array->tuples, array->at};
        if (array->of_cells)
            of_cells[style.of_cells_count++] = out;
        else
            arrays[style.of_points_count++] = out;
    }
    write_vtk_xml(&mesh, &style, bytes);
    dv_free(arrays);
}

static void add_to_index(FrameFiles *files, const Frame *frame, const FramePart *part, uint32_t number)
{
    dv_text_add(&files->index, "    <DataSet timestep=\"");
    dv_text_add_double(&files->index, frame->time);
    dv_text_add(&files->index, "\" group=\"\" part=\"%" PRIu32 "\" name=\"", number);
    vtk_add_name(&files->index, part->name);
    dv_text_add(&files->index, "\" file=\"");
    DvText path = {0};
    path_of_part(files, frame, part, &path);
    vtk_add_name(&files->index, path.at + (files->folder.length - files->name.length));
    dv_text_add(&files->index, "\"/>\n");
    dv_text_free(&path);
}

static bool write_pvd(FrameFiles *files, const Frame *frame, DvText *why)
{
    static const char head[] = "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" "
                               "byte_order=\"LittleEndian\">\n  <Collection>\n",
                      tail[] = "  </Collection>\n</VTKFile>\n";
    bool good = true;
    for (uint32_t p = 0; p < frame->parts && good; p++) {
        DvText path = {0};
        files->bytes.length = 0;
        path_of_part(files, frame, &frame->part[p], &path);
        encode_part(files, &frame->part[p], &files->bytes);
        good = frame_write_bytes(files, path.at, &files->bytes, why);
        dv_text_free(&path);
    }
    if (!good)
        return false;
    for (uint32_t p = 0; p < frame->parts; p++)
        add_to_index(files, frame, &frame->part[p], p);
    files->bytes.length = 0;
    dv_text_add(&files->bytes, "%s", head);
    dv_text_add_bytes(&files->bytes, files->index.at ? files->index.at : "", files->index.length);
    dv_text_add(&files->bytes, "%s", tail);
    return frame_write_bytes(files, files->file, &files->bytes, why);
}

/* ---- One mesh ---- */

static void path_of_mesh(const FrameFiles *files, const Frame *frame, DvText *path)
{
    if (files->options.numbered)
        dv_text_add(path, "%s_%06" PRIu64 "%s", files->stem.at, frame->step, files->file + files->stem.length);
    else
        dv_text_add(path, "%s", files->file);
}

/* All parts as one mesh, or the faces outside; to be ended by export_mesh_free. */
static ExportMesh join_parts(const Frame *frame, bool border)
{
    ExportMesh all = {.name = frame->parts ? frame->part[0].name : ""};
    size_t counts[DV_ELEMENT_KINDS] = {0};
    for (uint32_t p = 0; p < frame->parts; p++) {
        all.point_count += frame->part[p].points;
        for (uint32_t k = DV_EDGES; k < DV_ELEMENT_KINDS; k++)
            counts[k] += (border ? frame->part[p].cells->border : frame->part[p].cells->elements)[k].count;
    }
    all.points = all.own = dv_alloc((size_t)all.point_count * 3, sizeof(double));
    for (uint32_t k = DV_EDGES; k < DV_ELEMENT_KINDS; k++)
        all.kept[k] = dv_alloc(counts[k] * dv_element_nodes((DvElementKind)k), sizeof(uint32_t));
    uint32_t base = 0;
    for (uint32_t p = 0; p < frame->parts; p++) {
        const FramePart *part = &frame->part[p];
        if (part->points)
            memcpy(all.own + 3 * (size_t)base, part->array[0].at, (size_t)part->points * 3 * sizeof(double));
        for (uint32_t k = DV_EDGES; k < DV_ELEMENT_KINDS; k++) {
            const DvElements from = (border ? part->cells->border : part->cells->elements)[k];
            const uint32_t nodes = dv_element_nodes((DvElementKind)k);
            for (size_t i = 0; i < (size_t)from.count * nodes; i++)
                all.kept[k][(size_t)all.elements[k].count * nodes + i] = from.at[i] + base;
            all.elements[k] = (DvElements){all.kept[k], all.elements[k].count + from.count};
        }
        base += part->points;
    }
    return all;
}

static void find_borders(const Frame *frame)
{
    for (uint32_t p = 0; p < frame->parts; p++)
        frame_cells_find_border(frame->part[p].cells);
}

static bool write_one_mesh(FrameFiles *files, const Frame *frame, DvText *why)
{
    DvText path = {0};
    path_of_mesh(files, frame, &path);
    const bool good = frame_write_bytes(files, path.at, &files->bytes, why);
    dv_text_free(&path);
    return good;
}

static bool write_joined(FrameFiles *files, const Frame *frame, bool border,
                         void (*write)(const ExportMesh *mesh, DvText *out), DvText *why)
{
    if (border)
        find_borders(frame);
    ExportMesh all = join_parts(frame, border);
    files->bytes.length = 0;
    write(&all, &files->bytes);
    export_mesh_free(&all);
    return write_one_mesh(files, frame, why);
}

static bool write_obj_file(FrameFiles *files, const Frame *frame, DvText *why)
{
    uint32_t base = 0;
    files->bytes.length = 0;
    find_borders(frame);
    for (uint32_t p = 0; p < frame->parts; p++) {
        ExportMesh mesh = frame_mesh(&frame->part[p], frame->part[p].cells->border);
        mesh.first_point = base;
        write_obj(&mesh, &files->bytes);
        base += mesh.point_count;
    }
    return write_one_mesh(files, frame, why);
}

static void write_binary_stl(const ExportMesh *mesh, DvText *out)
{
    write_stl(mesh, true, out);
}

static bool write_stl_file(FrameFiles *files, const Frame *frame, DvText *why)
{
    uint32_t beyond = 0;
    for (uint32_t p = 0; p < frame->parts; p++)
        beyond += count_beyond_single(frame->part[p].array[0].at, 3 * (size_t)frame->part[p].points);
    if (beyond == 0)
        return write_joined(files, frame, true, write_binary_stl, why);
    dv_text_add(why,
                "%s: %" PRIu32
                " coordinates are greater than single precision can hold (3.4e38), which is all that a file "
                "of STL has; choose another ending, such as .ply",
                files->file, beyond);
    return false;
}

static bool write_ply_file(FrameFiles *files, const Frame *frame, DvText *why)
{
    return write_joined(files, frame, true, write_ply, why);
}

static bool write_msh_file(FrameFiles *files, const Frame *frame, DvText *why)
{
    return write_joined(files, frame, false, write_gmsh, why);
}

/* ---- Formats ---- */

const FrameFormat frame_formats[] = {
    {".pvd", true, false, write_pvd},
    {".xdmf", true, true, write_xdmf},
    {".obj", false, false, write_obj_file},
    {".stl", false, false, write_stl_file},
    {".ply", false, false, write_ply_file},
    {".msh", false, false, write_msh_file},
    {0},
};

bool frame_format_is_there(const FrameFormat *format)
{
    return !format->arrays || dv_service(DV_ARRAY_FILE);
}

static bool ends_with(const char *text, const char *ending)
{
    const size_t length = strlen(text), end = strlen(ending);
    return length > end && strcmp(text + length - end, ending) == 0 && text[length - end - 1] != '/';
}

const FrameFormat *frame_format_of(const char *file)
{
    const FrameFormat *format = frame_formats;
    while (format->ending && !ends_with(file, format->ending))
        format++;
    return format->ending ? format : NULL;
}

bool frame_files_begin(FrameFiles *files, const DvSceneExportOptions *options, DvText *why)
{
    const FrameFormat *format = frame_format_of(options->file);
    const char *slash = strrchr(options->file, '/'), *name = slash ? slash + 1 : options->file;
    files->options = *options;
    files->file = options->file;
    files->encoding = options->compressed ? VTK_PACKED : VTK_RAW;
    files->write = format->write;
    dv_text_add_bytes(&files->stem, options->file, strlen(options->file) - strlen(format->ending));
    dv_text_add_bytes(&files->name, name, strlen(name) - strlen(format->ending));
    dv_text_add(&files->folder, "%s", files->stem.at);
    DvText reason = {0};
    const bool good = !format->series || options->make_folder(options->context, files->folder.at, &reason);
    if (!good)
        dv_text_add(why, "%s, the folder of its frames: %s", files->folder.at, reason.at);
    dv_text_free(&reason);
    return good;
}

bool frame_files_each(FrameFiles *files, const Frame *frame, bool (*visit)(void *context, const char *path),
                      void *context)
{
    DvText path = {0};
    bool good = true;
    if (files->write == write_xdmf)
        xdmf_path_of_frame(files, frame, &path);
    else if (files->write != write_pvd)
        path_of_mesh(files, frame, &path);
    if (path.length)
        good = visit(context, path.at);
    for (uint32_t p = 0; p < frame->parts && good && files->write == write_pvd; p++) {
        path.length = 0;
        path_of_part(files, frame, &frame->part[p], &path);
        good = visit(context, path.at);
    }
    dv_text_free(&path);
    return good;
}

void frame_files_free(FrameFiles *files)
{
    DvText *const texts[] = {&files->stem, &files->folder, &files->name, &files->index, &files->bytes};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        dv_text_free(texts[i]);
}
