/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A plugin of classes that use what contracts/visual.h allows and no class of Divan does: surfaces without materials or with groups of
 * materials that are not there, arrays that do not fit, legends of one colour, more elements of a shader than are taken, lights of
 * all kinds with the camera. Each class has a `kind`: which of its forms an object has.
 */
#include <stdint.h>

#include <divan/contracts/visual.h>
#include <divan/plugin.h>

typedef struct Foreign {
    DvData kind;
} Foreign;

static uint32_t kind_of(void *self)
{
    return dv_data_uint(&((Foreign *)self)->kind);
}

static const DvField fields[] = {
    DV_FIELD(Foreign, kind, "kind", dv_type_uint, .init = "0", .help = "which form it has"),
    {0},
};

/* Surfaces: a square of two triangles or a quad, and an edge. */

enum { BARE, MISFITS, STRANGE_GROUPS, OTHER_CORNERS, HIDDEN, EMPTY, ALL_COLORS };

static const double square[4][3] = {{-0.5, -0.5, 0}, {0.5, -0.5, 0}, {0.5, 0.5, 0}, {-0.5, 0.5, 0.25}};
static const double normals[4][3] = {{0, 0, 1}, {0.6, 0, 0.8}, {0, 0.6, 0.8}, {0, 0, 1}};
static const double texcoords[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
static const double colors[4][4] = {{1, 0, 0, 1}, {0, 1, 0, 0.5}, {0, 0, 1, 2}, {-1, 0.5, 0.25, 1}};
static const uint32_t triangles[2][3] = {{0, 1, 2}, {0, 2, 3}}, quads[1][4] = {{0, 1, 2, 3}},
                      edges[2][2] = {{0, 2}, {1, 3}};
static const uint32_t other_triangles[3][3] = {{0, 1, 4}, {0, 1, 2}, {7, 2, 3}},
                      other_quads[2][4] = {{0, 1, 2, 4}, {3, 2, 1, 0}}, other_edges[2][2] = {{4, 0}, {1, 2}};
static const DvMaterial materials[2] = {
    {.ambient = {0.1, 0.2, 0.3, 1},
     .diffuse = {0.4, 0.5, 0.6, 1},
     .specular = {0.7, 0.8, 0.9, 1},
     .emissive = {0.05, 0.15, 0.25, 1},
     .shininess = 7},
    {.ambient = {0.3, 0.1, 0.2, 1},
     .diffuse = {0.9, 0.2, 0.1, 0.5},
     .specular = {0, 0, 0, 1},
     .emissive = {0, 0, 0, 1}},
};
static const DvSurfaceGroup groups[3] = {
    {.first_triangle = 1, .triangles = 9, .first_edge = 1, .edges = 1, .material = 1},
    {.first_triangle = 0, .triangles = 1, .first_quad = 0, .quads = 1, .material = 5},
    {.first_triangle = 8, .triangles = 1, .first_quad = 3, .quads = 2, .first_edge = 6, .edges = 1, .material = 1},
};

static bool view(void *self, DvSurfaceView *view)
{
    const uint32_t kind = kind_of(self);
    view->positions = (DvSurfaceArray){square, kind == EMPTY ? 0 : 4, 1};
    view->triangles = (DvSurfaceArray){triangles, 2, 1};
    view->quads = (DvSurfaceArray){quads, kind == STRANGE_GROUPS, 1};
    view->edges = (DvSurfaceArray){edges, 2, 1};
    if (kind == MISFITS) {
        view->normals = (DvSurfaceArray){normals, 3, 1};
        view->texcoords = (DvSurfaceArray){texcoords, 2, 1};
        view->colors = (DvSurfaceArray){colors, 3, 1};
    }
    if (kind == ALL_COLORS) {
        view->normals = (DvSurfaceArray){normals, 4, 1};
        view->texcoords = (DvSurfaceArray){texcoords, 4, 1};
        view->colors = (DvSurfaceArray){colors, 4, 1};
    }
    if (kind == STRANGE_GROUPS) {
        view->materials = materials;
        view->material_count = 2;
        view->groups = groups;
        view->group_count = 3;
        view->materials_version = 1;
    }
    if (kind == OTHER_CORNERS) {
        view->triangles = (DvSurfaceArray){other_triangles, 3, 2};
        view->quads = (DvSurfaceArray){other_quads, 2, 2};
        view->edges = (DvSurfaceArray){other_edges, 2, 2};
    }
    return kind != HIDDEN;
}

static void update(void *self)
{
    (void)self;
}

static const DvSurfaceOps surface_ops = {.size = sizeof(DvSurfaceOps), .view = view};
static const DvVisualModelOps model_ops = {.size = sizeof(DvVisualModelOps), .update = update};

/* Lights: with the camera, of any length of direction. */

static void get_light(void *self, DvLight *light)
{
    *light = (DvLight){.kind = (DvLightKind)(kind_of(self) % 3),
                       .color = {0.25, 0.5, 0.125, 1},
                       .position = {1, 2, -3},
                       .direction = {0, 3, 4},
                       .attenuation = 0.25,
                       .cutoff = 40,
                       .exponent = 2,
                       .with_camera = kind_of(self) >= 3};
}

static const DvLightOps light_ops = {.size = sizeof(DvLightOps), .get = get_light};

/* Legends: of one colour without a title or a height of letters; of none; of two. */

static bool get_legend(void *self, DvLegend *legend)
{
    *legend = (DvLegend){.colors = colors[0], .count = 1, .least = -1234567, .most = 0.000123456, .x = 7, .y = 9};
    if (kind_of(self) == 1)
        legend->count = 0;
    if (kind_of(self) == 2)
        *legend = (DvLegend){.colors = colors[1], .count = 2, .title = "two\nlines", .x = 70, .y = 3, .height = 8};
    return true;
}

static const DvLegendOps legend_ops = {.size = sizeof(DvLegendOps), .get = get_legend};

/* Elements of shaders: six of one object, of which four are taken; one without a name; numbers that are absent. */

static const char *const names[6] = {"first", "second", "third", "fourth", "fifth", "sixth"};

static bool get_element(void *self, DvShaderElement *element)
{
    static const double numbers[6] = {1, 2, 3, 4, 5, 6};
    *element = (DvShaderElement){
        .kind = DV_SHADER_FLOATS, .name = names[0], .numbers = numbers, .count = 2, .rows = 3, .version = 1};
    if (kind_of(self) == 1)
        element->name = NULL;
    if (kind_of(self) == 2)
        element->numbers = NULL;
    if (kind_of(self) == 3)
        *element = (DvShaderElement){
            .kind = DV_SHADER_TEXTURE, .name = "grey", .rows = 2, .columns = 2, .count = 3, .unit = 3};
    return kind_of(self) != 4;
}

static bool more_elements(void *self, uint32_t index, DvShaderElement *element)
{
    *element = (DvShaderElement){.kind = DV_SHADER_MACRO, .name = names[index % 6], .text = index % 2 ? NULL : "1"};
    return kind_of(self) == 0;
}

static const DvShaderElementOps element_ops = {
    .size = sizeof(DvShaderElementOps), .get = get_element, .more = more_elements};

/* Planes and transforms: without a direction; longer than 1; for the node and below, or for what stands before it. */

static bool get_plane(void *self, DvClipPlane *plane)
{
    *plane = (DvClipPlane){.position = {0.25, 0.5, 1},
                           .normal = {0, kind_of(self) == 0 ? 0 : 3, kind_of(self) == 0 ? 0 : 4}};
    return kind_of(self) != 2;
}

static bool get_transform(void *self, double rigid[7])
{
    const double moved[7] = {1, 2, 3, 0, 0, 2, 2}; /* not of length 1 */
    for (int i = 0; i < 7; i++)
        rigid[i] = moved[i];
    return kind_of(self) == 0;
}

static const DvClipPlaneOps plane_ops = {.size = sizeof(DvClipPlaneOps), .get = get_plane};
static const DvVisualTransformOps transform_ops = {.size = sizeof(DvVisualTransformOps), .get = get_transform};

/* Drawings: every call of DvDrawOps, in each state. */

static void draw(void *self, DvDraw *draw)
{
    static const double radii[2] = {0.125, 0.25}, rigids[2][7] = {{0, 0, 0, 0, 0, 0, 1}, {1, 1, 1, 0, 0, 0.6, 0.8}};
    static const char *const words[2] = {"one", "two\nlines"};
    static const DvScreenText texts[2] = {{DV_TOP_RIGHT, 3, 4, 11, {1, 0, 0, 1}, "corner"},
                                          {DV_BOTTOM_LEFT, 5, 6, 13, {0, 1, 0, 0.5}, "two\nlines"}};
    const DvDrawOps *ops = draw->ops;
    const double *at = square[0], *color = colors[1], *all = colors[0];
    ops->state(draw, kind_of(self));
    ops->points(draw, at, 2, 3, color);
    ops->lines(draw, at, 2, 2, color);
    ops->triangles(draw, at, 1, color);
    ops->spheres(draw, at, radii, 2, color);
    ops->frames(draw, rigids[0], 2, 0.5);
    ops->text(draw, at, "word", 0.25, color);
    ops->arrows(draw, at, radii, 2, color);
    ops->cylinders(draw, at, radii, 2, color);
    ops->colored_points(draw, at, 4, 5, all);
    ops->colored_lines(draw, at, 2, 1, all, DV_COLORS_OF_CORNERS);
    ops->colored_lines(draw, at, 2, 1, all, DV_COLORS_OF_ELEMENTS);
    ops->colored_triangles(draw, at, 1, all, DV_COLORS_OF_CORNERS);
    ops->colored_triangles(draw, at, 1, all, DV_COLORS_OF_ELEMENTS);
    ops->texts(draw, at, words, 2, 0.5, color);
    ops->screen_texts(draw, texts, 2);
    ops->splats(draw, at, 2, 0.25, all);
    ops->points(draw, at, 0, 3, color); /* none */
    ops->screen_texts(draw, texts, 0);
}

static const DvDrawableOps drawable_ops = {.size = sizeof(DvDrawableOps), .draw = draw};

/* Views: outside of the picture on either side, in the place of the first, with a camera that is parallel. */

static bool get_viewport(void *self, DvViewport *viewport)
{
    *viewport = (DvViewport){
        .x = kind_of(self) ? -20 : 140,
        .y = kind_of(self) ? 100 : -130,
        .width = 40,
        .height = 50,
        .camera = {.position = {3, 2, 5}, .orientation = {0, 0, 0, 1}, .field_of_view = 50, .fits_clip = true},
        .swapped = kind_of(self) == 1,
        .shows_camera = kind_of(self) == 2};
    return kind_of(self) != 3;
}

static const DvViewportOps viewport_ops = {.size = sizeof(DvViewportOps), .get = get_viewport};

#define FOREIGN(class_, name_, ...)                                  \
    static const DvClass class_ = {.size = sizeof(DvClass),          \
                                   .name = name_,                    \
                                   .help = "Of a plugin outside.",   \
                                   .instance_size = sizeof(Foreign), \
                                   .fields = fields,                 \
                                   .contracts = (const DvContract[]){__VA_ARGS__, {0}}}
FOREIGN(foreign_surface, "ForeignSurface", {.id = DV_VISUAL_MODEL, .ops = &model_ops},
        {.id = DV_SURFACE, .ops = &surface_ops});
FOREIGN(foreign_light, "ForeignLight", {.id = DV_LIGHT, .ops = &light_ops});
FOREIGN(foreign_legend, "ForeignLegend", {.id = DV_LEGEND, .ops = &legend_ops});
FOREIGN(foreign_element, "ForeignElement", {.id = DV_SHADER_ELEMENT, .ops = &element_ops});
FOREIGN(foreign_plane, "ForeignPlane", {.id = DV_CLIP_PLANE, .ops = &plane_ops});
FOREIGN(foreign_transform, "ForeignTransform", {.id = DV_VISUAL_TRANSFORM, .ops = &transform_ops});
FOREIGN(foreign_drawing, "ForeignDrawing", {.id = DV_DRAWABLE, .ops = &drawable_ops});
FOREIGN(foreign_viewport, "ForeignViewport", {.id = DV_VIEWPORT, .ops = &viewport_ops});

DV_PLUGIN = {
    .size = sizeof(DvPlugin),
    .abi = DV_ABI_STAMP,
    .id = "test.foreign",
    .version = "1",
    .license = "LGPL-2.1-or-later",
    .help = "What the contracts of visual models allow.",
    .classes = (const DvClass *const[]){&foreign_surface, &foreign_light, &foreign_legend, &foreign_element,
                                        &foreign_plane, &foreign_transform, &foreign_drawing, &foreign_viewport, NULL},
};
