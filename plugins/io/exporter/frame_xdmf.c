/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Series as XDMF: NAME.xdmf says what lies where in files of HDF5, one a frame, NAME/NAME_STEP.h5, and one for the elements of a part from one
 * change to the next, NAME/PART_meshN.h5. The list is written anew after each frame.
 */
#include "frame.h"

#include <inttypes.h>
#include <string.h>

#include <divan/contracts/array_file.h>
#include <divan/memory.h>
#include <divan/plugin.h>

static const char head[] = "<?xml version=\"1.0\"?>\n<Xdmf Version=\"3.0\">\n  <Domain>\n    <Grid Name=\"series\" "
                           "GridType=\"Collection\" CollectionType=\"Temporal\">\n",
                  tail[] = "    </Grid>\n  </Domain>\n</Xdmf>\n";

/* Numbers of XDMF, and names of lists of one kind. */
static const uint8_t numbers[DV_ELEMENT_KINDS] = {1, 2, 4, 5, 6, 9, 8, 7};
static const char *const kinds[DV_ELEMENT_KINDS] = {"Polyvertex",  "Polyline",   "Triangle", "Quadrilateral",
                                                    "Tetrahedron", "Hexahedron", "Wedge",    "Pyramid"};

/* ---- Elements ---- */

/* The only kind that there are elements of; DV_ELEMENT_KINDS: there are several, or none. */
static DvElementKind only_kind(const FrameCells *cells)
{
    DvElementKind found = DV_ELEMENT_KINDS;
    uint32_t several = 0;
    for (uint32_t k = 0; k < DV_ELEMENT_KINDS; k++)
        if (cells->elements[k].count) {
            found = (DvElementKind)k;
            several++;
        }
    return several == 1 ? found : DV_ELEMENT_KINDS;
}

static size_t mixed_size(const FrameCells *cells, uint32_t *count)
{
    size_t size = 0;
    *count = 0;
    for (uint32_t k = 0; k < DV_ELEMENT_KINDS; k++) {
        size += (size_t)cells->elements[k].count * (dv_element_nodes((DvElementKind)k) + (k <= DV_EDGES ? 2 : 1));
        *count += cells->elements[k].count;
    }
    return size;
}

/* Each element as its number of XDMF, of points and lines how many corners, and its corners. */
static uint32_t *mixed_list(const FrameCells *cells, size_t size)
{
    uint32_t *list = dv_alloc(size, sizeof *list), *to = list;
    for (uint32_t o = 0; o < DV_ELEMENT_KINDS; o++) {
        const DvElementKind kind = export_order[o];
        const uint32_t nodes = dv_element_nodes(kind);
        for (size_t e = 0; e < cells->elements[kind].count; e++) {
            *to++ = numbers[kind];
            if (kind <= DV_EDGES)
                *to++ = nodes;
            memcpy(to, cells->elements[kind].at + e * nodes, nodes * sizeof *to);
            to += nodes;
        }
    }
    return list;
}

static void path_of_elements(const FrameFiles *files, const FramePart *part, DvText *path)
{
    dv_text_add(path, "%s/%s_mesh%" PRIu32 ".h5", files->folder.at, part->file, part->cells->number);
}

static bool write_arrays(FrameFiles *files, const char *path, const DvFileArray *arrays, uint32_t count, DvText *why)
{
    const DvArrayFileOps *ops = dv_service(DV_ARRAY_FILE);
    DvText reason = {0};
    files->bytes.length = 0;
    const bool good = ops->encode(arrays, count, files->encoding == VTK_PACKED, &files->bytes, &reason);
    if (!good)
        dv_text_add(why, "%s: %s", path, reason.at);
    dv_text_free(&reason);
    return good && frame_write_bytes(files, path, &files->bytes, why);
}

static bool write_elements(FrameFiles *files, const FramePart *part, DvText *why)
{
    FrameCells *cells = part->cells;
    const DvElementKind kind = only_kind(cells);
    if (cells->written)
        return true;
    DvFileArray array = {.name = "elements", .scalar = DV_SCALAR_INT};
    uint32_t count, *list = NULL;
    if (kind != DV_ELEMENT_KINDS) {
        array.rows = cells->elements[kind].count;
        array.columns = dv_element_nodes(kind);
        array.at = cells->elements[kind].at;
    } else {
        array.rows = mixed_size(cells, &count);
        array.columns = 1;
        array.at = list = mixed_list(cells, array.rows);
    }
    DvText path = {0};
    path_of_elements(files, part, &path);
    cells->written = write_arrays(files, path.at, &array, 1, why);
    dv_text_free(&path);
    dv_free(list);
    return cells->written;
}

/* ---- Numbers of a frame ---- */

void xdmf_path_of_frame(const FrameFiles *files, const Frame *frame, DvText *path)
{
    dv_text_add(path, "%s/%s_%06" PRIu64 ".h5", files->folder.at, files->name.at, frame->step);
}

/* "2.velocity": of the third part. */
static const char *name_of_array(uint32_t part, const char *name)
{
    DvText text = {0};
    dv_text_add(&text, "%" PRIu32 ".%s", part, name);
    const char *result = dv_intern(text.at);
    dv_text_free(&text);
    return result;
}

static bool write_numbers(FrameFiles *files, const Frame *frame, DvText *why)
{
    uint32_t count = 0;
    for (uint32_t p = 0; p < frame->parts; p++)
        count += frame->part[p].arrays;
    DvFileArray *arrays = dv_alloc(count, sizeof *arrays);
    count = 0;
    for (uint32_t p = 0; p < frame->parts; p++)
        for (uint32_t a = 0; a < frame->part[p].arrays; a++) {
            const FrameArray *from = &frame->part[p].array[a];
            arrays[count++] =
                (DvFileArray){name_of_array(p, from->name), DV_SCALAR_DOUBLE, from->tuples, from->components, from->at};
        }
    DvText path = {0};
    xdmf_path_of_frame(files, frame, &path);
    const bool good = write_arrays(files, path.at, arrays, count, why);
    dv_text_free(&path);
    dv_free(arrays);
    return good;
}

/* ---- The list ---- */

static void add_place(FrameFiles *files, const char *path, const char *array)
{
    vtk_add_name(&files->index, path + (files->folder.length - files->name.length));
    dv_text_add(&files->index, ":/");
    vtk_add_name(&files->index, array);
    dv_text_add(&files->index, "</DataItem>\n");
}

static void add_elements(FrameFiles *files, const FramePart *part)
{
    const DvElementKind kind = only_kind(part->cells);
    DvText path = {0}, *out = &files->index;
    uint32_t count;
    path_of_elements(files, part, &path);
    const size_t size = mixed_size(part->cells, &count);
    if (kind == DV_ELEMENT_KINDS) {
        dv_text_add(out, "          <Topology TopologyType=\"Mixed\" NumberOfElements=\"%" PRIu32 "\">\n", count);
        dv_text_add(out, "            <DataItem Dimensions=\"%zu\"", size);
    } else {
        const uint32_t nodes = dv_element_nodes(kind);
        dv_text_add(out, "          <Topology TopologyType=\"%s\" NumberOfElements=\"%" PRIu32 "\"", kinds[kind],
                    count);
        if (kind <= DV_EDGES)
            dv_text_add(out, " NodesPerElement=\"%" PRIu32 "\"", nodes);
        dv_text_add(out, ">\n            <DataItem Dimensions=\"%" PRIu32 " %" PRIu32 "\"", count, nodes);
    }
    dv_text_add(out, " NumberType=\"Int\" Precision=\"4\" Format=\"HDF\">");
    add_place(files, path.at, "elements");
    dv_text_add(out, "          </Topology>\n");
    dv_text_free(&path);
}

static void add_numbers(FrameFiles *files, const FrameArray *array, const char *path, uint32_t part)
{
    dv_text_add(&files->index, "            <DataItem Dimensions=\"%zu", array->tuples);
    if (array->components > 1)
        dv_text_add(&files->index, " %" PRIu32, array->components);
    dv_text_add(&files->index, "\" NumberType=\"Float\" Precision=\"8\" Format=\"HDF\">");
    add_place(files, path, name_of_array(part, array->name));
}

static void add_part(FrameFiles *files, const FramePart *part, const char *path, uint32_t number)
{
    DvText *out = &files->index;
    dv_text_add(out, "        <Grid Name=\"");
    vtk_add_name(out, part->name);
    dv_text_add(out, "\" GridType=\"Uniform\">\n");
    add_elements(files, part);
    dv_text_add(out, "          <Geometry GeometryType=\"XYZ\">\n");
    add_numbers(files, &part->array[0], path, number);
    dv_text_add(out, "          </Geometry>\n");
    for (uint32_t a = 1; a < part->arrays; a++) {
        const FrameArray *array = &part->array[a];
        dv_text_add(out, "          <Attribute Name=\"");
        vtk_add_name(out, array->name);
        dv_text_add(out, "\" AttributeType=\"%s\" Center=\"%s\">\n",
                    array->components == 1   ? "Scalar"
                    : array->components == 3 ? "Vector"
                                             : "Tensor6",
                    array->of_cells ? "Cell" : "Node");
        add_numbers(files, array, path, number);
        dv_text_add(out, "          </Attribute>\n");
    }
    dv_text_add(out, "        </Grid>\n");
}

static void add_frame(FrameFiles *files, const Frame *frame)
{
    DvText path = {0}, *out = &files->index;
    xdmf_path_of_frame(files, frame, &path);
    dv_text_add(out, "      <Grid Name=\"step %" PRIu64 "\" GridType=\"Collection\" CollectionType=\"Spatial\">\n",
                frame->step);
    dv_text_add(out, "        <Time Value=\"");
    dv_text_add_double(out, frame->time);
    dv_text_add(out, "\"/>\n");
    for (uint32_t p = 0; p < frame->parts; p++)
        add_part(files, &frame->part[p], path.at, p);
    dv_text_add(out, "      </Grid>\n");
    dv_text_free(&path);
}

bool write_xdmf(FrameFiles *files, const Frame *frame, DvText *why)
{
    bool good = true;
    for (uint32_t p = 0; p < frame->parts && good; p++)
        good = write_elements(files, &frame->part[p], why);
    if (!good || !write_numbers(files, frame, why))
        return false;
    add_frame(files, frame);
    files->bytes.length = 0;
    dv_text_add(&files->bytes, "%s", head);
    dv_text_add_bytes(&files->bytes, files->index.at, files->index.length);
    dv_text_add(&files->bytes, "%s", tail);
    return frame_write_bytes(files, files->file, &files->bytes, why);
}
