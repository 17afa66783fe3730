/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * VisualModelOBJExporter: the surfaces of its node and below as a file of Wavefront's format, NAME.obj, with NAME.mtl for their
 * materials: every so many steps (NAME00001.obj and so on), when the run begins, and when it ends.
 *
 * Vertices are those that are drawn: a point on a seam of the texture is there once for each of its texture coordinates. Numbers have nine
 * significant digits, as many as a float needs to come back the same. `divan check` writes nothing.
 */
#include <string.h>
#include <sys/stat.h>

#include <divan/contracts/visual.h>
#include <divan/event.h>
#include <divan/memory.h>
#include <divan/output.h>
#include <divan/scene.h>

typedef struct VisualModelObjExporter {
    DvData filename, every, at_begin, at_end, enable;
    bool begun, told;
} VisualModelObjExporter;

/* A file in the making. */
typedef struct Export {
    DvText obj, mtl;
    uint32_t models, materials;
    size_t vertices; /* of the models before */
    size_t texcoords;
} Export;

static bool is_folder(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

/* Without its ending; dv_free. */
static char *stem_of(VisualModelObjExporter *self, uint64_t number, bool numbered)
{
    const char *given = dv_data_string(&self->filename), *name = dv_object_name(dv_object_of(self));
    DvText stem = {0};
    const size_t length = strlen(given);
    const bool ended = length > 4 && strcmp(given + length - 4, ".obj") == 0;
    if (is_folder(given))
        dv_text_add(&stem, "%s/%s", given, name);
    else
        dv_text_add(&stem, "%.*s", (int)(ended ? length - 4 : length), length ? given : name);
    if (!length)
        dv_text_add(&stem, "%s", stem.at ? "" : name);
    if (numbered)
        dv_text_add(&stem, "%05llu", (unsigned long long)number);
    char *copy = dv_strdup(stem.at);
    dv_text_free(&stem);
    return copy;
}

static void add_color(DvText *text, const char *key, const double *color)
{
    dv_text_add(text, "%s %.9g %.9g %.9g\n", key, color[0], color[1], color[2]);
}

static void add_material(Export *out, const DvMaterial *material)
{
    DvText *mtl = &out->mtl;
    dv_text_add(mtl, "newmtl mat%u\nillum 4\n", out->materials);
    add_color(mtl, "Ka", material->ambient);
    add_color(mtl, "Kd", material->diffuse);
    dv_text_add(mtl, "Tf 1.00 1.00 1.00\nNi 1.00\n");
    add_color(mtl, "Ks", material->specular);
    dv_text_add(mtl, "Ns %.9g\n", material->shininess);
    const double alpha = material->diffuse[3];
    if (alpha < 1)
        dv_text_add(mtl, "d %.9g\nTf %.9g %.9g %.9g\n", alpha, alpha, alpha, alpha);
    if (material->texture)
        dv_text_add(mtl, "map_Kd %s\n", material->texture);
    dv_text_add(mtl, "\n");
}

static void add_vectors(DvText *text, const char *key, const DvSurfaceArray *array, uint32_t components)
{
    const double *at = array->at;
    for (uint32_t i = 0; i < array->count; i++, at += components) {
        dv_text_add(text, "%s", key);
        for (uint32_t c = 0; c < components; c++)
            dv_text_add(text, " %.9g", at[c]);
        dv_text_add(text, "\n");
    }
}

static bool is_there(const uint32_t *corner, uint32_t corners, uint32_t vertices)
{
    for (uint32_t c = 0; c < corners; c++)
        if (corner[c] >= vertices)
            return false;
    return true;
}

/* Numbers count from 1 over all models; faces of vertices that are not there are left out. */
static void add_faces(Export *out, const DvSurfaceArray *faces, uint32_t corners, uint32_t first, uint32_t count,
                      const DvSurfaceView *view)
{
    for (uint32_t f = first; f < first + count && f < faces->count; f++) {
        const uint32_t *corner = (const uint32_t *)faces->at + (size_t)f * corners;
        if (!is_there(corner, corners, view->positions.count))
            continue;
        dv_text_add(&out->obj, "f");
        for (uint32_t c = 0; c < corners; c++) {
            const size_t at = corner[c] + (size_t)1, vertex = out->vertices + at;
            if (view->texcoords.at)
                dv_text_add(&out->obj, " %zu/%zu/%zu", vertex, out->texcoords + at, vertex);
            else
                dv_text_add(&out->obj, " %zu//%zu", vertex, vertex);
        }
        dv_text_add(&out->obj, "\n");
    }
}

/* The material of a face: that of the group it is in, else the model's own. */
static uint32_t material_of(const DvSurfaceView *view, uint32_t face, bool quad)
{
    for (uint32_t g = 0; g < view->group_count; g++) {
        const DvSurfaceGroup *group = &view->groups[g];
        const uint32_t first = quad ? group->first_quad : group->first_triangle;
        if (face >= first && face - first < (quad ? group->quads : group->triangles))
            return group->material < view->material_count ? group->material : 0;
    }
    return 0;
}

/* Runs of faces with one material. */
static void add_all_faces(Export *out, const DvSurfaceArray *faces, uint32_t corners, const DvSurfaceView *view,
                          uint32_t first_material)
{
    uint32_t begin = 0;
    while (begin < faces->count) {
        const uint32_t material = material_of(view, begin, corners == 4);
        uint32_t end = begin + 1;
        while (end < faces->count && material_of(view, end, corners == 4) == material)
            end++;
        dv_text_add(&out->obj, "usemtl mat%u\n", first_material + material);
        add_faces(out, faces, corners, begin, end - begin, view);
        begin = end;
    }
}

static void add_model(Export *out, const DvObject *object, const DvSurfaceView *view)
{
    static const DvMaterial grey = {.ambient = {0.2, 0.2, 0.2, 1}, .diffuse = {0.75, 0.75, 0.75, 1}};
    const uint32_t first = out->materials;
    DvSurfaceView shown = *view;
    if (shown.texcoords.count != shown.positions.count)
        shown.texcoords = (DvSurfaceArray){0};
    if (shown.normals.count != shown.positions.count)
        shown.normals = (DvSurfaceArray){0};
    dv_text_add(&out->obj, "g %u_%s\n", ++out->models, dv_object_name(object));
    for (uint32_t i = 0; i < shown.material_count || i == 0; i++, out->materials++)
        add_material(out, shown.material_count ? &shown.materials[i] : &grey);
    add_vectors(&out->obj, "v", &shown.positions, 3);
    for (uint32_t i = 0; !shown.normals.at && i < shown.positions.count; i++)
        dv_text_add(&out->obj, "vn 0 0 0\n"); /* faces are flat; numbers go on */
    add_vectors(&out->obj, "vn", &shown.normals, 3);
    add_vectors(&out->obj, "vt", &shown.texcoords, 2);
    add_faces(out, &shown.edges, 2, 0, shown.edges.count, &shown);
    add_all_faces(out, &shown.triangles, 3, &shown, first);
    add_all_faces(out, &shown.quads, 4, &shown, first);
    dv_text_add(&out->obj, "\n");
    out->vertices += shown.positions.count;
    out->texcoords += shown.texcoords.count;
}

static void add_models(Export *out, DvNode *node)
{
    const size_t count = dv_node_find_all(node, DV_SURFACE, DV_SEARCH_DOWN, NULL, 0);
    DvObject **models = dv_alloc(count + 1, sizeof *models);
    (void)dv_node_find_all(node, DV_SURFACE, DV_SEARCH_DOWN, models, count);
    for (size_t i = 0; i < count; i++) {
        const DvSurfaceOps *ops = dv_object_ops(models[i], DV_SURFACE);
        DvSurfaceView view = {0};
        if (dv_object_is_valid(models[i]) && ops->view(dv_object_self(models[i]), &view) && view.positions.at)
            add_model(out, models[i], &view);
    }
    dv_free(models);
}

/* False: it could not be written, which has been said, once. */
static bool write_file(VisualModelObjExporter *self, const char *stem, const char *ending, const DvText *text)
{
    DvText path = {0}, why = {0};
    dv_text_add(&path, "%s%s", stem, ending);
    DvScene *scene = dv_node_scene(dv_object_node(dv_object_of(self)));
    const char *bytes = text->at ? text->at : "";
    const bool good = dv_scene_output_folders(scene, path.at, &why) == DV_OK &&
                      dv_scene_output_write(scene, path.at, bytes, strlen(bytes), &why) == DV_OK;
    if (!good && !self->told)
        dv_scene_output_lost(&self->filename, path.at, &why);
    self->told = self->told || !good;
    dv_text_free(&path);
    dv_text_free(&why);
    return good;
}

static void export(VisualModelObjExporter *self, uint64_t number, bool numbered)
{
    DvNode *node = dv_object_node(dv_object_of(self));
    Export out = {0};
    char *stem = stem_of(self, number, numbered);
    const char *slash = strrchr(stem, '/');
    dv_text_add(&out.obj, "mtllib %s.mtl\n\n", slash ? slash + 1 : stem);
    add_models(&out, node);
    (void)(write_file(self, stem, ".mtl", &out.mtl) && write_file(self, stem, ".obj", &out.obj));
    dv_text_free(&out.obj);
    dv_text_free(&out.mtl);
    dv_free(stem);
}

/* Steps of the scene, in units of exportEveryNumberOfSteps. */
static void export_now(VisualModelObjExporter *self, uint64_t steps)
{
    const uint32_t every = dv_data_uint(&self->every);
    dv_scene_update_visual(dv_node_scene(dv_object_node(dv_object_of(self))));
    export(self, every ? (steps + every - 1) / every : 0, every > 0);
}

static void handle_event(DvObject *object, void *self_, DvEvent *event)
{
    VisualModelObjExporter *self = self_;
    const uint32_t every = dv_data_uint(&self->every);
    if (event->kind != DV_EVENT_ANIMATE_END || !dv_data_bool(&self->enable))
        return;
    if (dv_data_bool(&self->at_end)) /* when the scene goes it is too late */
        dv_scene_update_visual(dv_node_scene(dv_object_node(object)));
    if (!every)
        return;
    const uint64_t steps = dv_scene_steps(dv_node_scene(dv_object_node(object))) + 1; /* this one counts */
    if (steps % every == 0)
        export_now(self, steps);
}

/* The run begins: constraints and mappings hold. */
static void begin(DvObject *object, void *self_)
{
    VisualModelObjExporter *self = self_;
    (void)object;
    if (!self->begun && dv_data_bool(&self->enable) && dv_data_bool(&self->at_begin))
        export_now(self, 0);
    self->begun = true;
}

static void cleanup(DvObject *object, void *self_)
{
    VisualModelObjExporter *self = self_;
    if (self->begun && dv_data_bool(&self->enable) && dv_data_bool(&self->at_end))
        export_now(self, dv_scene_steps(dv_node_scene(dv_object_node(object))));
    self->begun = false;
}

static DvStatus construct(DvObject *object, void *self)
{
    (void)self;
    dv_data_set_bool(dv_object_field(object, "listening"), true);
    return DV_OK;
}

#define FIELD(member, name, type, ...) DV_FIELD(VisualModelObjExporter, member, name, type, __VA_ARGS__)
static const DvField fields[] = {
    FIELD(filename, "filename", dv_type_string,
          .help = "the files, with or without .obj, or a folder; the name of this object by default"),
    FIELD(every, "exportEveryNumberOfSteps", dv_type_uint, .init = "0", .unit = "steps",
          .help = "written after each so many steps, with a number in the name; 0: not in the run"),
    FIELD(at_begin, "exportAtBegin", dv_type_bool, .init = "0", .help = "written when the run begins"),
    FIELD(at_end, "exportAtEnd", dv_type_bool, .init = "0", .help = "written when the run ends"),
    FIELD(enable, "enable", dv_type_bool, .init = "1", .help = "whether it writes"),
    {0},
};

const DvClass dv_visual_model_obj_exporter = {
    .size = sizeof(DvClass),
    .name = "VisualModelOBJExporter",
    .bases = (const char *const[]){"BaseSimulationExporter", NULL},
    .family = "exporters",
    .module = "Sofa.Component.IO.Mesh",
    .help = "Writes the surfaces of its node and below to a Wavefront file.",
    .instance_size = sizeof(VisualModelObjExporter),
    .fields = fields,
    .construct = construct,
    .handle_event = handle_event,
    .store_reset_state = begin,
    .cleanup = cleanup,
};
