/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * VoxelGridLoader: a picture in three dimensions without a head of its own (.raw), a byte a voxel, x fastest. A voxel counts if dataValue
 * has its value; where dataValue is empty, if bgValue has it not. With generateHexa each is a hexahedron of a grid, of which the nodes that
 * are used remain, numbered x fastest; else a point at its lowest corner. Of the picture the part ROI is taken, its limits included.
 */
#include <divan/contracts/topology.h>
#include <divan/kit/mesh.h>
#include <divan/kit/mesh_file.h>
#include <divan/kit/path_hint.h>

#include <inttypes.h>

typedef struct VoxelLoader {
    DvObject *object;
    DvData filename, position, hexahedra, size, resolution, region, head, numbers, background, data, hexa;
    unsigned char *voxel; /* [nx ny nz] */
    uint32_t n[3];
} VoxelLoader;

/* A table of which values count. */
static void choose(VoxelLoader *self, bool counts[256])
{
    size_t chosen, left;
    const int32_t *data = dv_data_ints(&self->data, &chosen), *background = dv_data_ints(&self->background, &left);
    for (int value = 0; value < 256; value++)
        counts[value] = chosen == 0;
    for (size_t i = 0; i < chosen; i++)
        if (data[i] >= 0 && data[i] < 256)
            counts[data[i]] = true;
    for (size_t i = 0; chosen == 0 && i < left; i++)
        if (background[i] >= 0 && background[i] < 256)
            counts[background[i]] = false;
}

/* First and last of each axis; false when nothing is left. */
static bool find_region(VoxelLoader *self, uint32_t from[3], uint32_t to[3])
{
    size_t count;
    const int32_t *region = dv_data_ints(&self->region, &count);
    for (int axis = 0; axis < 3; axis++) {
        const int32_t low = count > 2 ? region[axis] : 0, high = count > 5 ? region[3 + axis] : INT32_MAX;
        from[axis] = low > 0 ? (uint32_t)low : 0;
        to[axis] = high < 0 ? 0 : (uint32_t)high;
        if (self->n[axis] == 0 || high < 0 || from[axis] >= self->n[axis])
            return false;
        if (to[axis] >= self->n[axis])
            to[axis] = self->n[axis] - 1;
        if (to[axis] < from[axis])
            return false;
    }
    return true;
}

static void list_voxels(VoxelLoader *self, DvIndexArray *cells)
{
    bool counts[256];
    uint32_t from[3], to[3];
    choose(self, counts);
    if (!self->voxel || !find_region(self, from, to))
        return;
    for (uint32_t k = from[2]; k <= to[2]; k++)
        for (uint32_t j = from[1]; j <= to[1]; j++)
            for (uint32_t i = from[0]; i <= to[0]; i++) {
                const uint32_t cell = (k * self->n[1] + j) * self->n[0] + i;
                if (counts[self->voxel[cell]])
                    dv_array_push(cells, cell);
            }
}

static DvPoint3 place(const double size[3], uint32_t i, uint32_t j, uint32_t k)
{
    return (DvPoint3){{i * size[0], j * size[1], k * size[2]}};
}

static void give_points(VoxelLoader *self, const DvIndexArray *cells)
{
    const double *size = dv_data_doubles(&self->size, NULL);
    DvPoint3 *point = dv_data_begin_all(&self->position, cells->count);
    for (uint32_t c = 0; c < cells->count; c++) {
        const uint32_t cell = cells->data[c], row = cell / self->n[0];
        point[c] = place(size, cell % self->n[0], row % self->n[1], row / self->n[1]);
    }
    dv_data_end(&self->position);
    (void)dv_data_begin_all(&self->hexahedra, 0);
    dv_data_end(&self->hexahedra);
}

static void give_hexahedra(VoxelLoader *self, const DvIndexArray *cells)
{
    static const uint32_t corner[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                          {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    const double *size = dv_data_doubles(&self->size, NULL);
    const size_t nx = (size_t)self->n[0] + 1, ny = (size_t)self->n[1] + 1, nz = (size_t)self->n[2] + 1;
    uint32_t *number = dv_alloc(nx * ny * nz, sizeof *number), points = 0;
    size_t *node = dv_alloc((size_t)cells->count * 8, sizeof *node);
    for (uint32_t c = 0; c < cells->count; c++) {
        const uint32_t cell = cells->data[c], row = cell / self->n[0];
        const uint32_t at[3] = {cell % self->n[0], row % self->n[1], row / self->n[1]};
        for (int k = 0; k < 8; k++) {
            node[8 * (size_t)c + (size_t)k] =
                ((at[2] + corner[k][2]) * ny + at[1] + corner[k][1]) * nx + at[0] + corner[k][0];
            number[node[8 * (size_t)c + (size_t)k]] = 1;
        }
    }
    for (size_t i = 0; i < nx * ny * nz; i++)
        points += number[i];
    DvPoint3 *point = dv_data_begin_all(&self->position, points);
    points = 0;
    for (size_t i = 0; i < nx * ny * nz; i++)
        if (number[i]) {
            point[points] = place(size, (uint32_t)(i % nx), (uint32_t)(i / nx % ny), (uint32_t)(i / nx / ny));
            number[i] = points++;
        }
    dv_data_end(&self->position);
    uint32_t *hexahedron = dv_data_begin_all(&self->hexahedra, cells->count);
    for (size_t i = 0; i < 8 * (size_t)cells->count; i++)
        hexahedron[i] = number[node[i]];
    dv_data_end(&self->hexahedra);
    dv_free(node);
    dv_free(number);
}

static DvStatus update(DvObject *object, void *self_)
{
    VoxelLoader *self = self_;
    DvIndexArray cells = {0};
    list_voxels(self, &cells);
    const double nodes = ((double)self->n[0] + 1) * ((double)self->n[1] + 1) * ((double)self->n[2] + 1);
    DvStatus status = dv_memory_ask(object, 300.0 * cells.count + 4.0 * nodes, "the fields of %u voxels", cells.count);
    if (status == DV_OK) {
        if (dv_data_bool(&self->hexa))
            give_hexahedra(self, &cells);
        else
            give_points(self, &cells);
        dv_data_set(&self->numbers, cells.data, cells.count);
    }
    dv_array_free(&cells);
    return status;
}

/* The voxels behind the head. */
static DvStatus take_voxels(VoxelLoader *self, const char *bytes, size_t size)
{
    const int32_t *n = dv_data_ints(&self->resolution, NULL);
    const uint32_t head = dv_data_uint(&self->head);
    uint64_t voxels = 1;
    memset(self->n, 0, sizeof self->n);
    if (n[0] == 0 && n[1] == 0 && n[2] == 0) {
        dv_field_warning(&self->resolution, -1, "no voxel is read: give how many there are along each axis");
        return DV_OK;
    }
    for (int axis = 0; axis < 3; axis++) {
        if (n[axis] < 1)
            return dv_field_error(&self->resolution, -1, "%" PRId32 " voxels along axis %d; give three numbers above 0",
                                  n[axis], axis);
        self->n[axis] = (uint32_t)n[axis];
        voxels = voxels > INT32_MAX ? voxels : voxels * self->n[axis];
    }
    if (voxels > INT32_MAX || head + voxels > size)
        return dv_field_error(&self->resolution, -1,
                              "'%s' has %zu bytes, fewer than %" PRId32 " x %" PRId32 " x %" PRId32
                              " voxels behind a head of %" PRIu32,
                              dv_data_string(&self->filename), size, n[0], n[1], n[2], head);
    self->voxel = dv_alloc((size_t)voxels, 1);
    memcpy(self->voxel, bytes + head, (size_t)voxels);
    return DV_OK;
}

static DvStatus load(VoxelLoader *self)
{
    dv_free(self->voxel);
    self->voxel = NULL;
    const char *name = dv_data_string(&self->filename), *path = dv_data_file(&self->filename);
    if (!name || !*name) {
        (void)dv_field_error(&self->filename, -1, "no file is named");
        return DV_ERROR_MISSING;
    }
    if (!path) {
        (void)dv_field_error(&self->filename, -1, "no file '%s' in the folder of the scene or in DIVAN_DATA_PATH%s",
                             name, dv_path_hint(name));
        return DV_ERROR_NOT_FOUND;
    }
    size_t regions;
    (void)dv_data_ints(&self->region, &regions);
    if (regions != 6)
        return dv_field_error(&self->region, -1, "%zu numbers, not the six of two corners", regions);
    char *bytes, reason[128];
    size_t size;
    if (!dv_mesh_file_read(path, &bytes, &size, reason)) {
        (void)dv_field_error(&self->filename, -1, "'%s': %s", name, reason);
        return DV_ERROR_IO;
    }
    const DvStatus status = take_voxels(self, bytes, size);
    dv_free(bytes);
    return status;
}

static DvStatus load_of_contract(void *self_)
{
    VoxelLoader *self = self_;
    const DvStatus status = load(self);
    return status == DV_OK ? update(self->object, self) : status;
}

static void view_of_contract(void *self_, DvMeshView *view)
{
    VoxelLoader *self = self_;
    size_t points, hexahedra;
    *view = (DvMeshView){.positions = dv_data_doubles(&self->position, &points)};
    view->point_count = (uint32_t)points;
    const uint32_t *at = dv_data_uints(&self->hexahedra, &hexahedra);
    view->elements[DV_HEXAHEDRA] = (DvElements){at, (uint32_t)hexahedra};
}

static const DvLoaderOps ops = {.size = sizeof ops, .load = load_of_contract, .view = view_of_contract};

static DvStatus construct(DvObject *object, void *self_)
{
    ((VoxelLoader *)self_)->object = object;
    return DV_OK;
}

static DvStatus parse(DvObject *object, void *self_, const DvAttributes *attributes)
{
    (void)attributes;
    const DvStatus status = load(self_);
    if (status != DV_OK)
        dv_object_set_state(object, DV_COMPONENT_INVALID);
    return status;
}

static void destroy(DvObject *object, void *self_)
{
    (void)object;
    dv_free(((VoxelLoader *)self_)->voxel);
}

#define OUT(member, name, type, text) \
    DV_FIELD(VoxelLoader, member, name, type, .flags = DV_FIELD_OUTPUT | DV_FIELD_READ_ONLY, .help = text)
#define OPTION(member, name, type, ...) \
    DV_FIELD(VoxelLoader, member, name, type, .flags = DV_FIELD_INPUT | DV_FIELD_NOT_LINKED, __VA_ARGS__)
static const DvField fields[] = {
    DV_FIELD(VoxelLoader, filename, "filename", dv_type_file, .flags = DV_FIELD_NOT_LINKED | DV_FIELD_AT_LOAD,
             .help = "file to load"),
    OUT(position, "position", dv_type_vec3s, "nodes of the hexahedra, or lowest corners of the voxels"),
    OUT(hexahedra, "hexahedra", dv_type_hexahedra, "a hexahedron for each voxel that counts"),
    OPTION(size, "voxelSize", dv_type_vec3d, .init = "1 1 1", .unit = "m", .help = "lengths of a voxel"),
    DV_FIELD(VoxelLoader, resolution, "resolution", dv_type_vec3i, .init = "0 0 0",
             .flags = DV_FIELD_AT_LOAD | DV_FIELD_NOT_LINKED, .help = "how many voxels there are along each axis"),
    OPTION(region, "ROI", dv_type_ints, .init = "0 0 0 65535 65535 65535",
           .help = "first and last voxel along each axis that are looked at: three numbers, then three"),
    DV_FIELD(VoxelLoader, head, "header", dv_type_uint, .init = "0", .flags = DV_FIELD_AT_LOAD | DV_FIELD_NOT_LINKED,
             .help = "bytes before the first voxel"),
    DV_FIELD_HELD("segmentationHeader", dv_type_uint, .init = "0", .help = "kept for old scenes: no effect"),
    OUT(numbers, "idxInRegularGrid", dv_type_uints, "number of each voxel that counts, in the whole picture"),
    OPTION(background, "bgValue", dv_type_ints, .help = "values that do not count, where dataValue is empty"),
    OPTION(data, "dataValue", dv_type_ints, .help = "values that count"),
    OPTION(hexa, "generateHexa", dv_type_bool, .init = "1", .help = "make hexahedra, else points"),
    {0},
};

const DvClass dv_voxel_grid_loader = {
    .size = sizeof(DvClass),
    .name = "VoxelGridLoader",
    .bases = (const char *const[]){"VoxelLoader", "BaseLoader", NULL},
    .family = "loaders",
    .module = "Sofa.Component.IO.Mesh",
    .help = "Loads the voxels of a raw picture in three dimensions as hexahedra or points.",
    .instance_size = sizeof(VoxelLoader),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_LOADER, .ops = &ops}, {0}},
    .construct = construct,
    .parse = parse,
    .update = update,
    .destroy = destroy,
};
