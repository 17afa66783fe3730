/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * SphereLoader: centres and radii of spheres from a .sph file. Scale, rotation and translation (in this order) move
 * the centres; radii stay. Unlike those of mesh loaders these three options are taken over by `src`, so that a state
 * linked to this loader moves its points a second time; scenes count on it.
 */
#include "readers.h"
#include <divan/contracts/topology.h>
#include <divan/kit/mesh_file.h>
#include <divan/kit/path_hint.h>

typedef struct SphereLoader {
    DvObject *object;
    DvData filename, position, radii, scale, rotation, translation;
    SphereArray spheres; /* as the file has them */
} SphereLoader;

static void warn(void *loader, const char *text)
{
    dv_field_warning(&((SphereLoader *)loader)->filename, -1, "%s", text);
}

static DvStatus load(SphereLoader *loader)
{
    dv_array_clear(&loader->spheres);
    const char *name = dv_data_string(&loader->filename), *path = dv_data_file(&loader->filename);
    if (!path) {
        if (name && *name)
            dv_field_error(&loader->filename, -1, "no file '%s' in the folder of the scene or in DIVAN_DATA_PATH%s",
                           name, dv_path_hint(name));
        else
            dv_field_error(&loader->filename, -1, "no file is named");
        return name && *name ? DV_ERROR_NOT_FOUND : DV_ERROR_MISSING;
    }
    char *bytes, reason[128];
    size_t size;
    if (!dv_mesh_file_read(path, &bytes, &size, reason)) {
        dv_field_error(&loader->filename, -1, "'%s': %s", name, reason);
        return DV_ERROR_IO;
    }
    DvMeshReport report = {.warn = warn, .context = loader};
    const bool good = mesh_read_spheres(bytes, size, &loader->spheres, &report);
    dv_free(bytes);
    return good ? DV_OK : dv_field_error(&loader->filename, -1, "'%s': %s", name, report.error);
}

static DvStatus update(DvObject *object, void *self)
{
    (void)object;
    SphereLoader *loader = self;
    const uint32_t count = loader->spheres.count;
    DvMesh centres = {0};
    double matrix[16];
    dv_array_resize(&centres.position, count);
    double *radius = dv_data_begin_all(&loader->radii, count);
    for (uint32_t i = 0; i < count; i++) {
        memcpy(centres.position.data[i].at, loader->spheres.data[i].centre, sizeof centres.position.data[i].at);
        radius[i] = loader->spheres.data[i].radius;
    }
    dv_data_end(&loader->radii);
    dv_mesh_matrix(dv_data_doubles(&loader->translation, NULL), dv_data_doubles(&loader->rotation, NULL),
                   dv_data_doubles(&loader->scale, NULL), matrix);
    (void)dv_mesh_transform(&centres, matrix);
    dv_data_set(&loader->position, centres.position.data, count);
    dv_mesh_free(&centres);
    return DV_OK;
}

static DvStatus load_of_contract(void *self)
{
    SphereLoader *loader = self;
    const DvStatus status = load(loader);
    return status == DV_OK ? update(loader->object, loader) : status;
}

static DvStatus construct(DvObject *object, void *self)
{
    SphereLoader *loader = self;
    loader->object = object;
    return DV_OK;
}

static DvStatus parse(DvObject *object, void *self, const DvAttributes *attributes)
{
    (void)attributes;
    const DvStatus status = load(self);
    if (status != DV_OK)
        dv_object_set_state(object, DV_COMPONENT_INVALID);
    return status;
}

static void destroy(DvObject *object, void *self)
{
    (void)object;
    SphereLoader *loader = self;
    dv_array_free(&loader->spheres);
}

static void view_of_contract(void *self, DvMeshView *view)
{
    SphereLoader *loader = self;
    size_t points;
    *view = (DvMeshView){.positions = dv_data_doubles(&loader->position, &points),
                         .radii = dv_data_doubles(&loader->radii, NULL)};
    view->point_count = (uint32_t)points;
}

static const DvLoaderOps ops = {.size = sizeof ops, .load = load_of_contract, .view = view_of_contract};

static const DvField fields[] = {
    DV_FIELD(SphereLoader, filename, "filename", dv_type_file, .flags = DV_FIELD_NOT_LINKED | DV_FIELD_AT_LOAD,
             .help = "file to load"),
    DV_FIELD(SphereLoader, position, "position", dv_type_vec3s, .unit = "m",
             .flags = DV_FIELD_OUTPUT | DV_FIELD_READ_ONLY, .help = "centres",
             .aliases = (const char *const[]){"sphere_centers", NULL}),
    DV_FIELD(SphereLoader, radii, "listRadius", dv_type_doubles, .unit = "m",
             .flags = DV_FIELD_OUTPUT | DV_FIELD_READ_ONLY, .help = "radii"),
    DV_FIELD(SphereLoader, scale, "scale", dv_type_vec3d, .init = "1 1 1", .flags = DV_FIELD_INPUT,
             .help = "scales the centres, first", .aliases = (const char *const[]){"scale3d", NULL}),
    DV_FIELD(SphereLoader, rotation, "rotation", dv_type_vec3d, .init = "0 0 0", .unit = "degree",
             .flags = DV_FIELD_INPUT, .help = "turns the centres about x, then y, then z"),
    DV_FIELD(SphereLoader, translation, "translation", dv_type_vec3d, .init = "0 0 0", .unit = "m",
             .flags = DV_FIELD_INPUT, .help = "moves the centres, last"),
    {0},
};

const DvClass dv_sphere_loader = {
    .size = sizeof(DvClass),
    .name = "SphereLoader",
    .bases = (const char *const[]){"BaseLoader", NULL},
    .family = "loaders",
    .module = "Sofa.Component.IO.Mesh",
    .help = "Loads centres and radii of spheres.",
    .instance_size = sizeof(SphereLoader),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_LOADER, .ops = &ops}, {0}},
    .construct = construct,
    .parse = parse,
    .update = update,
    .destroy = destroy,
};
