/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * SparseGridMultipleTopology: a sparse grid that several surfaces fill, each with a stiffness of its own.
 *
 * The surfaces are compared with one grid around them all, in the order of their files. A cell inside of one takes its coefficient. A
 * cell that one meets, and none before encloses, takes the mean of what it had and this coefficient (with `fillWeighted`; else it counts
 * as inside), or the coefficient alone (`erasePreviousCoef`). So what lies within another surface has to come after it.
 */
#include "sparse_grid.h"

typedef struct SparseGridMultiple {
    SparseGrid grid;
    DvData files, file, stiffness, ramifies, erases;
    DvIndexArray first_point, first_triangle; /* of each surface, and the end */
} SparseGridMultiple;

static DvStatus add_file(SparseGridMultiple *self, size_t which, const char *name, Surface *surface)
{
    DvMesh mesh = {0};
    dv_data_set_string(&self->file, name); /* looked up as any file that a scene names */
    const DvStatus status =
        topology_read_mesh(&self->grid.topology, &self->files, (int64_t)which, name, dv_data_file(&self->file), &mesh);
    if (status == DV_OK)
        surface_add_mesh(surface, &mesh);
    dv_array_push(&self->first_point, surface->positions.count / 3);
    dv_array_push(&self->first_triangle, surface->triangles.count / 3);
    dv_mesh_free(&mesh);
    dv_data_set_string(&self->file, "");
    return status;
}

static DvStatus find_surface(SparseGrid *grid, Surface *surface)
{
    SparseGridMultiple *self = (SparseGridMultiple *)grid;
    size_t files, coefficients;
    char *const *name = dv_data_strings(&self->files, &files);
    (void)dv_data_doubles(&self->stiffness, &coefficients);
    if (files == 0)
        return dv_field_error(&self->files, -1, "it names no surface to fill");
    if (coefficients < files)
        dv_field_warning(&self->stiffness, -1, "%zu for %zu surfaces: 1 for those that are missing", coefficients,
                         files);
    DvStatus status = DV_OK;
    dv_array_clear(&self->first_point);
    dv_array_clear(&self->first_triangle);
    dv_array_push(&self->first_point, 0);
    dv_array_push(&self->first_triangle, 0);
    for (size_t i = 0; i < files && status == DV_OK; i++)
        status = add_file(self, i, name[i], surface);
    return status;
}

static void fill_one(SparseGridMultiple *self, Level *level, const uint8_t *voxels, float coefficient)
{
    const bool weighted = dv_data_bool(&self->grid.fill_weighted), erases = dv_data_bool(&self->erases);
    for (size_t i = 0, cells = voxel_count(&level->box); i < cells; i++) {
        if (voxels[i] == VOXEL_OUTSIDE)
            continue;
        if (voxels[i] == VOXEL_INSIDE || !weighted) {
            level->voxels[i] = VOXEL_INSIDE;
            level->weights[i] = coefficient;
        } else {
            if (level->voxels[i] != VOXEL_INSIDE)
                level->voxels[i] = VOXEL_BOUNDARY;
            level->weights[i] = erases ? coefficient : (level->weights[i] + coefficient) * 0.5F;
        }
    }
}

static void fill(SparseGrid *grid, const Surface *surface, Level *level)
{
    SparseGridMultiple *self = (SparseGridMultiple *)grid;
    const size_t cells = voxel_count(&level->box);
    uint8_t *voxels = dv_alloc(cells, 1);
    size_t coefficients;
    const double *coefficient = dv_data_doubles(&self->stiffness, &coefficients);
    memset(level->voxels, VOXEL_OUTSIDE, cells);
    for (uint32_t i = 0; i + 1 < self->first_point.count; i++) {
        const uint32_t point = self->first_point.data[i], first = self->first_triangle.data[i],
                       triangles = self->first_triangle.data[i + 1] - first;
        DvIndexArray own = {0};
        for (uint32_t k = 0; k < 3 * triangles; k++)
            dv_array_push(&own, surface->triangles.data[3 * (size_t)first + k] - point);
        voxels_of_surface(&level->box,
                          &(VoxelSurface){surface->positions.data + 3 * (size_t)point,
                                          self->first_point.data[i + 1] - point, own.data, triangles},
                          voxels);
        fill_one(self, level, voxels, i < coefficients ? (float)coefficient[i] : 1.0F);
        dv_array_free(&own);
    }
    dv_free(voxels);
}

static bool is_ramified(SparseGrid *grid)
{
    return dv_data_bool(&((SparseGridMultiple *)grid)->ramifies);
}

static const SparseGridRule rule = {.find_surface = find_surface, .fill = fill, .is_ramified = is_ramified};

static DvStatus init(DvObject *object, void *self)
{
    (void)object;
    SparseGrid *grid = self;
    grid->rule = &rule;
    return sparse_grid_start(grid);
}

static void destroy(DvObject *object, void *self_)
{
    SparseGridMultiple *self = self_;
    dv_array_free(&self->first_point);
    dv_array_free(&self->first_triangle);
    sparse_grid_destroy(object, self);
}

static const DvField fields[] = {
    SPARSE_GRID_FIELDS(SparseGridMultiple, grid.),
    FINEST_CONNECTIVITY_FIELD(SparseGridMultiple, grid.),
    DV_FIELD(SparseGridMultiple, files, "fileTopologies", dv_type_strings, .flags = DV_FIELD_AT_LOAD,
             .help = "surfaces that are filled: mesh files (.obj, .msh); what lies within another comes after it"),
    DV_FIELD(SparseGridMultiple, file, "currentFile", dv_type_file, .flags = DV_FIELD_NOT_LINKED | DV_FIELD_HIDDEN,
             .help = "the file that is read; empty otherwise"),
    DV_FIELD(SparseGridMultiple, stiffness, "stiffnessCoefs", dv_type_doubles, .range = &dv_range_not_negative,
             .flags = DV_FIELD_AT_LOAD,
             .help = "what the stiffness is multiplied by in each surface; 1 where it is missing"),
    DV_FIELD_HELD("massCoefs", dv_type_doubles,
                  .help = "kept for old scenes: masses are those of the mass in the node"),
    DV_FIELD(SparseGridMultiple, ramifies, "computeRamifications", dv_type_bool, .init = "1", .flags = DV_FIELD_AT_LOAD,
             .help = "a cell is there once for each separate piece of matter in it"),
    DV_FIELD(SparseGridMultiple, erases, "erasePreviousCoef", dv_type_bool, .init = "0", .flags = DV_FIELD_AT_LOAD,
             .help = "a surface that meets a cell leaves nothing of the coefficients before"),
    {0},
};

const DvClass dv_sparse_grid_multiple_topology = {
    .size = sizeof(DvClass),
    .name = "SparseGridMultipleTopology",
    .bases = (const char *const[]){"SparseGridRamificationTopology", "SparseGridTopology", "MeshTopology",
                                   "BaseMeshTopology", NULL},
    SPARSE_GRID_CLASS,
    .destroy = destroy,
    .help = "The cells of a regular grid that several surfaces fill, with a stiffness each.",
    .instance_size = sizeof(SparseGridMultiple),
    .fields = fields,
    .init = init,
};
