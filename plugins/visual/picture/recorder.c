/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The recorder: a scene becomes a picture.
 *
 * What the scene has to show is listed once for each form of its graph (node revision): nodes in the order in which they are
 * visited, and of each the objects that offer something. A picture goes through the list; nothing is looked up. Styles, transforms,
 * planes and shaders of a node hold in it and below; a sibling never sees them.
 *
 * Listed objects are kept alive until the next list, so that an object is known again by its address.
 */
#include "recorder.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <divan/contracts/collision.h>
#include <divan/contracts/drawing.h>
#include <divan/contracts/force_field.h>
#include <divan/math/quat.h>
#include <divan/memory.h>
#include <divan/scene.h>

#include "bodies.h"
#include "drawing.h"
#include "ground.h"
#include "marks.h"
#include "moving.h"
#include "recorded_surface.h"
#include "setting/display_flags.h"

enum { MOST_ELEMENTS = 4 }; /* that a shader is given by one object */

/* What an object can be asked; NULL: not that. */
typedef struct Entry {
    DvObject *object;
    void *self;
    const DvSurfaceOps *surface;
    const DvDrawableOps *drawable;
    const DvVisualStyleOps *style;
    const DvVisualTransformOps *transform;
    const DvClipPlaneOps *clip;
    const DvShaderOps *shader;
    const DvShaderElementOps *element;
    const DvLightOps *light;
    const DvLightingOps *lighting;
    const DvCameraOps *camera;
    const DvBackgroundOps *background;
    const DvLegendOps *legend;
    const DvTransparencyOps *transparency;
    const DvSceneAxesOps *axes;
    const DvViewportOps *viewport;
    const DvPostProcessOps *post;
    const DvRenderPassOps *pass;
    RecordedSurface *recorded;               /* of a surface */
    RecordedArray attributes[MOST_ELEMENTS]; /* of elements */
    RecordedImage image;                     /* of an element whose picture is numbers */
    int32_t shader_index;                    /* of the present picture; -1: it is not in it */
    RecordedArray sources[DV_SHADER_STAGES];
    bool told;     /* that it has no effect */
    bool collides; /* it is a collision model */
} Entry;

typedef struct Level {
    DvNode *node;
    uint32_t parent;                     /* index; NO_LEVEL: the root */
    uint32_t first, count;               /* entries */
    signed char flags[DV_DISPLAY_FLAGS]; /* of the present picture */
    uint32_t state;                      /* likewise: index in states */
    uint32_t first_shader, shaders;      /* likewise: of the nearest node at or above that has some */
    int32_t body;                        /* number of the body that moves and that it belongs to; -1: none */
    bool has_surface;                    /* of the present picture: some surface of the body is shown */
    bool skinned, covered;               /* of a picture of bodies: it has a skin; it, or one above */
} Level;
enum { NO_LEVEL = UINT32_MAX };

typedef struct ShaderPart {
    uint32_t shader;
    DvPictureUniform uniform;
} ShaderPart;

struct DvRecorder {
    DvScene *scene;
    uint64_t revision;
    bool listed, told_of_lights;
    DvObject *marked; /* in the next picture; NULL: nothing */
    DvViewerLook marks;
    List levels, entries, moving; /* DvNode *: what moves */
    List surfaced;                /* bytes: of nobody, then of each body: some surface is shown */
    uint32_t bodies;              /* that move */
    Images images;
    Drawing drawing;
    Bodies skins;
    bool probed, nothing_else; /* is shown by this list: pictures that may are of bodies */
    bool draws_bodies;         /* the present picture is */
    Ground ground;
    List states, surfaces, legends, cameras, shaders, parts, lights, axes, viewports, posts, passes, pass_entries,
        drawn; /* of the present picture; drawn: DvObject * of each surface */
};

/* Listing */

static Entry *find_entry(List *entries, const DvObject *object, uint32_t hint)
{
    Entry *entry = entries->at;
    for (uint32_t i = 0; i < entries->count; i++) {
        Entry *candidate = &entry[(hint + i) % entries->count];
        if (candidate->object == object)
            return candidate;
    }
    return NULL;
}

static void forget_entry(Entry *entry)
{
    if (entry->recorded)
        recorded_surface_free(entry->recorded);
    dv_free(entry->recorded);
    for (int stage = 0; stage < DV_SHADER_STAGES; stage++)
        shared_array_release(entry->sources[stage].shared);
    shared_image_release(entry->image.shared);
    for (int i = 0; i < MOST_ELEMENTS; i++)
        recorded_array_free(&entry->attributes[i]);
    dv_object_unref(entry->object);
}

static void list_object(DvRecorder *self, List *old, DvObject *object)
{
    const Entry entry = {
        .object = object,
        .self = dv_object_self(object),
        .surface = dv_object_ops(object, DV_SURFACE),
        .drawable = dv_object_ops(object, DV_DRAWABLE),
        .style = dv_object_ops(object, DV_VISUAL_STYLE),
        .transform = dv_object_ops(object, DV_VISUAL_TRANSFORM),
        .clip = dv_object_ops(object, DV_CLIP_PLANE),
        .shader = dv_object_ops(object, DV_SHADER),
        .element = dv_object_ops(object, DV_SHADER_ELEMENT),
        .light = dv_object_ops(object, DV_LIGHT),
        .lighting = dv_object_ops(object, DV_LIGHTING),
        .camera = dv_object_ops(object, DV_CAMERA),
        .background = dv_object_ops(object, DV_BACKGROUND),
        .legend = dv_object_ops(object, DV_LEGEND),
        .transparency = dv_object_ops(object, DV_TRANSPARENCY),
        .axes = dv_object_ops(object, DV_SCENE_AXES),
        .viewport = dv_object_ops(object, DV_VIEWPORT),
        .post = dv_object_ops(object, DV_POST_PROCESS),
        .pass = dv_object_ops(object, DV_RENDER_PASS),
        .collides = dv_object_ops(object, DV_COLLISION_MODEL) != NULL,
    };
    const bool shows = entry.surface || entry.drawable || entry.style || entry.transform || entry.clip ||
                       entry.shader || entry.element || entry.light || entry.lighting || entry.camera ||
                       entry.background || entry.legend || entry.transparency || entry.axes || entry.viewport ||
                       entry.post || entry.pass;
    if (!shows)
        return;
    Entry *added = list_add(&self->entries, sizeof *added);
    *added = entry;
    Entry *before = find_entry(old, object, self->entries.count - 1);
    if (before) { /* what was recorded of it goes on */
        added->recorded = before->recorded;
        memcpy(added->sources, before->sources, sizeof added->sources);
        added->image = before->image;
        added->told = before->told;
        memcpy(added->attributes, before->attributes, sizeof added->attributes);
        before->object = NULL;
    } else {
        dv_object_ref(object);
        if (entry.surface)
            added->recorded = dv_alloc(1, sizeof *added->recorded);
    }
}

static void list_node(DvRecorder *self, List *old, DvNode *node, uint32_t parent)
{
    if (!dv_node_is_active(node))
        return;
    const uint32_t index = self->levels.count;
    Level *level = list_add(&self->levels, sizeof *level);
    level->node = node;
    level->parent = parent;
    level->first = self->entries.count;
    const uint32_t moving = self->moving.count;
    moving_list(&self->moving, node);
    level->body = parent == NO_LEVEL ? -1 : ((Level *)self->levels.at)[parent].body;
    if (level->body < 0 && self->moving.count > moving)
        level->body = (int32_t)self->bodies++;
    DvObject *object;
    for (size_t i = 0; (object = dv_node_member(node, i)); i++)
        list_object(self, old, object);
    ((Level *)self->levels.at)[index].count = self->entries.count - ((Level *)self->levels.at)[index].first;
    DvNode *child;
    for (size_t i = 0; (child = dv_node_child(node, i)); i++)
        if (dv_node_parent(child, 0) == node) /* of several parents the first shows it */
            list_node(self, old, child, index);
}

static void list_scene(DvRecorder *self)
{
    DvNode *root = dv_scene_root(self->scene);
    if (self->listed && self->revision == dv_node_revision(root))
        return;
    List old = self->entries;
    self->entries = (List){0};
    list_free(&self->surfaced);
    bodies_free(&self->skins);
    self->probed = self->nothing_else = false;
    self->levels.count = self->moving.count = self->bodies = 0;
    list_node(self, &old, root, NO_LEVEL);
    Entry *entry = old.at;
    for (uint32_t i = 0; i < old.count; i++)
        if (entry[i].object)
            forget_entry(&entry[i]);
    list_free(&old);
    self->revision = dv_node_revision(root);
    self->listed = true;
}

/* States */

static void identity(float m[12])
{
    memset(m, 0, 12 * sizeof *m);
    m[0] = m[5] = m[10] = 1;
}

/* state.transform = state.transform x rigid */
static void move_state(DvPictureState *state, const double rigid[7])
{
    const DvMat3 r = dv_quat_to_matrix(dv_quat_normalize(dv_quat_load(rigid + 3)));
    float product[12];
    for (int row = 0; row < 3; row++) {
        const float *m = state->transform + 4 * row;
        for (int column = 0; column < 3; column++)
            product[4 * row + column] = (float)(m[0] * r.m[0][column] + m[1] * r.m[1][column] + m[2] * r.m[2][column]);
        product[4 * row + 3] = (float)(m[0] * rigid[0] + m[1] * rigid[1] + m[2] * rigid[2] + m[3]);
    }
    memcpy(state->transform, product, sizeof product);
    state->moved = true;
}

static void clip_state(DvPictureState *state, const DvClipPlane *plane, Entry *entry)
{
    const DvVec3 normal = dv_vec3_load(plane->normal);
    if (!(dv_vec3_norm(normal) > 0))
        return;
    if (state->clip_count == DV_PICTURE_CLIPS) {
        if (!entry->told)
            dv_remark(entry->object, "more than %d clipping planes in and above its node: this one has no effect",
                      DV_PICTURE_CLIPS);
        entry->told = true;
        return;
    }
    const DvVec3 kept = dv_vec3_neg(dv_vec3_normalize(normal));
    float *clip = state->clips[state->clip_count++];
    clip[0] = (float)kept.x, clip[1] = (float)kept.y, clip[2] = (float)kept.z;
    clip[3] = (float)-dv_vec3_dot(kept, dv_vec3_load(plane->position));
}

/* Index of an equal state, or of a new one. Equal ones follow each other in most scenes. */
static uint32_t add_state(DvRecorder *self, const DvPictureState *state)
{
    const DvPictureState *known = self->states.at;
    for (uint32_t i = self->states.count; i-- > 0;)
        if (memcmp(&known[i], state, sizeof *state) == 0)
            return i;
    *(DvPictureState *)list_add(&self->states, sizeof *state) = *state;
    return self->states.count - 1;
}

/* Shaders */

/* The text of a file as an array of bytes that ends with a zero. */
static SharedArray *read_source(const char *path, const DvObject *object)
{
    enum { MOST_BYTES = 1 << 20 };
    FILE *file = fopen(path, "rb");
    SharedArray *text = NULL;
    if (file) {
        char *bytes = dv_alloc(MOST_BYTES + 1, 1);
        const size_t count = fread(bytes, 1, MOST_BYTES, file);
        if (!ferror(file)) {
            text = shared_array_new(count + 1, 1);
            memcpy(shared_array_data(text), bytes, count);
        }
        dv_free(bytes);
        (void)fclose(file);
    }
    if (!text)
        dv_remark(object, "the shader '%s' cannot be read; one of Divan's own takes its place", path);
    return text;
}

/* The text of a stage, read when the version is another. */
static void take_source(Recording *recording, Entry *entry, DvPictureShader *shader, int stage, const char *file,
                        uint64_t version)
{
    RecordedArray *source = &entry->sources[stage];
    if (!source->known || source->version != version) {
        shared_array_release(source->shared);
        *source = (RecordedArray){.known = true, .version = version};
        if (file)
            source->shared = read_source(file, entry->object);
    }
    const DvPictureArray *text = recording_use(recording, source->shared);
    shader->sources[stage] = text ? text->at : NULL;
    shader->key = shader->key * 31 + (text ? text->id : 1);
}

static void add_shader(DvRecorder *self, Recording *recording, Entry *entry, DvPictureState *state)
{
    DvShaderView view = {0};
    if (!entry->shader->get(entry->self, &view))
        return;
    DvPictureShader *shader = list_add(&self->shaders, sizeof *shader);
    entry->shader_index = (int32_t)self->shaders.count - 1;
    if (!view.passive)
        state->shader = entry->shader_index;
    shader->owner = recording_text(recording, dv_object_path(entry->object));
    for (int stage = 0; stage < DV_SHADER_STAGES; stage++) {
        take_source(recording, entry, shader, stage, view.files[stage], view.version);
        shader->names[stage] = recording_text(recording, view.names[stage]);
    }
    shader->version = view.version;
    shader->outer_level = (float)view.outer_level;
    shader->inner_level = (float)view.inner_level;
}

/* Of a file, the files of a cube, or the numbers. */
static void take_texture(DvRecorder *self, Recording *recording, Entry *entry, const DvShaderElement *element,
                         DvPictureUniform *uniform)
{
    if (element->numbers)
        uniform->image = recording_use_image(recording, recorded_image(&entry->image, element));
    else
        uniform->image = recording_use_image(recording, images_find(&self->images, element->text, entry->object));
    for (int side = 0; side < 6; side++)
        uniform->sides[side] =
            recording_use_image(recording, images_find(&self->images, element->sides[side], entry->object));
}

static void add_element(DvRecorder *self, Recording *recording, Entry *entry, const Level *level, uint32_t index,
                        DvShaderElement element)
{
    if (!element.name)
        return;
    DvPictureUniform made, *uniform = &made;
    made = (DvPictureUniform){.kind = element.kind,
                              .name = recording_text(recording, element.name),
                              .owner = recording_text(recording, dv_object_path(entry->object)),
                              .count = element.count,
                              .rows = element.rows ? element.rows : 1,
                              .columns = element.columns ? element.columns : 1,
                              .unit = element.unit,
                              .repeats = element.repeats,
                              .sharp = element.sharp,
                              .srgb = element.srgb,
                              .without_mipmaps = element.without_mipmaps};
    const size_t numbers = (size_t)uniform->count * uniform->rows * uniform->columns;
    if (element.kind == DV_SHADER_ATTRIBUTE) {
        uniform->array = recorded_floats(&entry->attributes[index], recording, element.numbers, uniform->count,
                                         uniform->rows, element.version);
    } else if (element.kind == DV_SHADER_TEXTURE) {
        take_texture(self, recording, entry, &element, uniform);
    } else if (element.kind == DV_SHADER_MACRO) {
        uniform->text = recording_text(recording, element.text ? element.text : "");
    } else {
        float *to = recording_alloc(recording, numbers, sizeof *to);
        for (size_t i = 0; element.numbers && i < numbers; i++)
            to[i] = (float)element.numbers[i];
        uniform->numbers = to;
    }
    for (uint32_t i = 0; i < level->shaders; i++)
        *(ShaderPart *)list_add(&self->parts, sizeof(ShaderPart)) = (ShaderPart){level->first_shader + i, made};
}

static void add_elements(DvRecorder *self, Recording *recording, Entry *entry, const Level *level)
{
    const DvShaderElementOps *ops = entry->element;
    DvShaderElement element = {0};
    if (level->shaders == 0)
        return;
    if (ops->get(entry->self, &element))
        add_element(self, recording, entry, level, 0, element);
    for (uint32_t i = 1; ops->more && i < MOST_ELEMENTS; i++) {
        element = (DvShaderElement){0};
        if (!ops->more(entry->self, i, &element))
            break;
        add_element(self, recording, entry, level, i, element);
    }
}

static void keep_shaders(DvRecorder *self, Recording *recording)
{
    DvPicture *picture = &recording->picture;
    DvPictureShader *shader = recording_keep(recording, &self->shaders, sizeof *shader);
    const ShaderPart *part = self->parts.at;
    for (uint32_t i = 0; i < self->shaders.count; i++) {
        DvPictureUniform *uniform = recording_alloc(recording, self->parts.count, sizeof *uniform);
        shader[i].uniforms = uniform;
        for (uint32_t p = 0; p < self->parts.count; p++)
            if (part[p].shader == i)
                uniform[shader[i].uniform_count++] = part[p].uniform;
    }
    picture->shaders = shader;
    picture->shader_count = self->shaders.count;
}

/* What holds in a node: that of its parent, changed by its own objects. */

static void merge_flags(Level *level, const Level *parent, const Entry *entries, const DvRecordOptions *options)
{
    memset(level->flags, 0, sizeof level->flags);
    if (parent)
        memcpy(level->flags, parent->flags, sizeof level->flags);
    else
        level->flags[DV_DISPLAY_VISUAL_MODELS] = 1; /* unless a word hides them */
    for (uint32_t i = 0; i < level->count; i++) {
        const Entry *entry = &entries[level->first + i];
        if (entry->style)
            entry->style->merge(entry->self, level->flags);
    }
    for (int flag = 0; options && flag < DV_DISPLAY_FLAGS; flag++)
        if (options->flags[flag])
            level->flags[flag] = options->flags[flag];
}

static void merge_state(DvRecorder *self, Recording *recording, Level *level, const Level *parent, Entry *entries)
{
    DvPictureState state;
    memset(&state, 0, sizeof state); /* padding too: states are compared by bytes */
    if (parent) {
        memcpy(&state, (DvPictureState *)self->states.at + parent->state, sizeof state);
    } else {
        identity(state.transform);
        state.shader = -1;
    }
    level->first_shader = self->shaders.count;
    for (uint32_t i = 0; i < level->count; i++) {
        Entry *entry = &entries[level->first + i];
        DvClipPlane plane = {0};
        double rigid[7];
        entry->shader_index = -1;
        if (!dv_object_is_valid(entry->object))
            continue;
        if (entry->clip && entry->clip->get(entry->self, &plane))
            clip_state(&state, &plane, entry);
        if (entry->transform && entry->transform->get(entry->self, rigid))
            move_state(&state, rigid);
        if (entry->shader)
            add_shader(self, recording, entry, &state);
    }
    level->shaders = self->shaders.count - level->first_shader;
    if (level->shaders == 0 && parent) {
        level->first_shader = parent->first_shader;
        level->shaders = parent->shaders;
    }
    level->state = add_state(self, &state);
}

/* With the transforms that hold for the visual models before them in the node: those that come after entry `index`. */
static uint32_t state_before(DvRecorder *self, const Level *level, const Entry *entries, uint32_t index)
{
    DvPictureState state;
    bool moved = false;
    memcpy(&state, (DvPictureState *)self->states.at + level->state, sizeof state);
    for (uint32_t i = index; i < level->count; i++) {
        const Entry *entry = &entries[level->first + i];
        double rigid[7];
        if (!entry->transform || !dv_object_is_valid(entry->object) || entry->transform->get(entry->self, rigid))
            continue;
        move_state(&state, rigid);
        moved = true;
    }
    return moved ? add_state(self, &state) : level->state;
}

/* Objects */

static void color_of_body(const Level *level, double color[4])
{
    static const double still[4] = {0.75, 0.75, 0.75, 1};
    if (level->body < 0)
        memcpy(color, still, sizeof still);
    else
        dv_palette((uint32_t)level->body, color);
}

static void add_surface(DvRecorder *self, Recording *recording, const Level *level, Entry *entry, uint32_t state)
{
    DvSurfaceView view = {0};
    if (level->flags[DV_DISPLAY_VISUAL_MODELS] != 1 || !entry->surface->view(entry->self, &view) ||
        !view.positions.at || !view.positions.count)
        return;
    DvPictureSurface *surface = list_add(&self->surfaces, sizeof *surface);
    const bool is_own = ((DvPictureState *)self->states.at)[state].shader < 0;
    double color[4];
    color_of_body(level, color);
    recorded_surface_take(entry->recorded, recording, &self->images, entry->object, &view, color, is_own, surface);
    surface->moves = level->body >= 0;
    surface->path = recording_text(recording, dv_object_path(entry->object));
    surface->state = state;
    surface->wireframe = level->flags[DV_DISPLAY_WIREFRAME] == 1;
    surface->shows_normals = level->flags[DV_DISPLAY_NORMALS] == 1;
    *(const DvObject **)list_add(&self->drawn, sizeof(DvObject *)) = entry->object;
}

/* In a picture of bodies: elements of a mesh with a skin are not drawn once more, neither by force fields nor by collision models; those of
 * other meshes on a body with a skin are drawn by their edges. */
static void choose_faces(DvRecorder *self, const Level *level, const Entry *entry)
{
    const bool collides = dv_object_ops(entry->object, DV_COLLISION_MODEL) != NULL;
    if (!self->draws_bodies || !level->covered)
        return;
    if (dv_object_ops(entry->object, DV_FORCE_FIELD) || (collides && level->skinned)) {
        self->drawing.draw.ops = &drawing_ops_without_faces;
    } else if (collides) {
        self->drawing.draw_state = DV_DRAW_WIREFRAME;
    }
}

static void draw_object(DvRecorder *self, const Level *level, const Entry *entry, uint32_t state)
{
    self->drawing.state = state;
    self->drawing.draw_state = 0;
    self->drawing.draw.shown = 0;
    self->drawing.moves = level->body >= 0;
    self->drawing.wires = level->has_surface && entry->collides;
    self->drawing.owner = dv_object_path(entry->object);
    color_of_body(level, self->drawing.draw.body);
    for (uint32_t flag = 0; flag < DV_DISPLAY_FLAGS; flag++)
        self->drawing.draw.shown |= level->flags[flag] == 1 ? 1u << flag : 0u;
    choose_faces(self, level, entry);
    entry->drawable->draw(entry->self, &self->drawing.draw);
    self->drawing.draw.ops = &drawing_ops;
}

static double size_of_scene(const DvRecorder *self)
{
    const double *box = dv_data_doubles(dv_object_field(dv_node_object(dv_scene_root(self->scene)), "bbox"), NULL);
    const double size = dv_vec3_distance(dv_vec3_load(box), dv_vec3_load(box + 3));
    return isfinite(size) && size > 0 ? size : 1;
}

/* What hangs on a body with a skin is within it. */
static void draw_body(DvRecorder *self, Level *level, const Level *parent)
{
    level->skinned = false;
    level->covered = parent && parent->covered;
    if (level->covered)
        return;
    self->drawing.state = level->state;
    self->drawing.draw_state = 0;
    self->drawing.moves = level->body >= 0;
    self->drawing.owner = dv_node_path(level->node);
    color_of_body(level, self->drawing.draw.body);
    level->skinned = level->covered = bodies_draw(&self->skins, &self->drawing.draw, level->node, size_of_scene(self));
}

static void add_light(DvRecorder *self, const Entry *entry)
{
    if (self->lights.count == DV_PICTURE_LIGHTS) {
        if (!self->told_of_lights)
            dv_remark(entry->object, "of more than %d lights the first %d count; this one and those after it do not",
                      DV_PICTURE_LIGHTS, DV_PICTURE_LIGHTS);
        self->told_of_lights = true;
        return;
    }
    entry->light->get(entry->self, list_add(&self->lights, sizeof(DvLight)));
}

static void add_camera(DvRecorder *self, Recording *recording, const Entry *entry)
{
    DvCamera camera = {0};
    if (!entry->camera->get(entry->self, &camera))
        return;
    DvPictureCamera *added = list_add(&self->cameras, sizeof *added);
    added->camera = camera;
    added->name = recording_text(recording, dv_object_name(entry->object));
    added->path = recording_text(recording, dv_object_path(entry->object));
}

static void add_legend(DvRecorder *self, Recording *recording, const Entry *entry)
{
    DvLegend legend = {0};
    if (!entry->legend->get(entry->self, &legend) || !legend.count)
        return;
    uint8_t *colors = recording_alloc(recording, legend.count, 4);
    for (uint32_t i = 0; i < legend.count; i++)
        color_bytes(legend.colors + 4 * (size_t)i, colors + 4 * (size_t)i);
    DvPictureLegend *added = list_add(&self->legends, sizeof *added);
    *added = (DvPictureLegend){.colors = colors,
                               .count = legend.count,
                               .least = legend.least,
                               .most = legend.most,
                               .title = recording_text(recording, legend.title ? legend.title : ""),
                               .x = (float)legend.x,
                               .y = (float)legend.y,
                               .height = (float)legend.height};
}

static void add_axes(DvRecorder *self, const Level *level, const Entry *entry)
{
    DvSceneAxes axes = {0};
    if (level->flags[DV_DISPLAY_VISUAL_MODELS] == 1 && entry->axes->get(entry->self, &axes))
        *(DvSceneAxes *)list_add(&self->axes, sizeof axes) = axes;
}

static void add_viewport(DvRecorder *self, Recording *recording, const Entry *entry)
{
    DvViewport viewport = {0};
    if (!entry->viewport->get(entry->self, &viewport))
        return;
    viewport.path = recording_text(recording, dv_object_path(entry->object));
    *(DvViewport *)list_add(&self->viewports, sizeof viewport) = viewport;
}

/* Its shader is in the same node, so it is known by now. */
static void add_post(DvRecorder *self, Recording *recording, const Entry *entry)
{
    DvPostProcess post = {0};
    if (!entry->post->get(entry->self, &post))
        return;
    recording->picture.linear_colors = recording->picture.linear_colors || post.linear_colors;
    const Entry *shader = post.shader ? find_entry(&self->entries, post.shader, 0) : NULL;
    if (!shader || shader->shader_index < 0)
        return;
    DvPicturePost *added = list_add(&self->posts, sizeof *added);
    *added = (DvPicturePost){post.near, post.far, (uint32_t)shader->shader_index,
                             recording_text(recording, dv_object_path(entry->object))};
}

/* Passes */

static bool has_all(DvTags tags, DvTags wanted)
{
    for (size_t w = 0; w < wanted.count; w++) {
        bool found = false;
        for (size_t i = 0; i < tags.count; i++)
            found = found || strcmp(tags.words[i], wanted.words[w]) == 0;
        if (!found)
            return false;
    }
    return true;
}

/* Another when the file is another (Fowler, Noll and Vo, FNV-1a). */
static uint64_t version_of_file(const char *file)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (; *file; file++)
        hash = (hash ^ (unsigned char)*file) * 0x100000001b3u;
    return hash;
}

/* Index of the shader of a pass over the whole: that which it names, or one of its file; -1: it has none. */
static int32_t shader_of_pass(DvRecorder *self, Recording *recording, Entry *entry, const DvRenderPass *pass)
{
    const Entry *named = pass->shader ? find_entry(&self->entries, pass->shader, 0) : NULL;
    if (named && named->shader)
        return named->shader_index;
    if (!pass->fragment_file)
        return -1;
    DvPictureShader *shader = list_add(&self->shaders, sizeof *shader);
    shader->owner = recording_text(recording, dv_object_path(entry->object));
    shader->version = version_of_file(pass->fragment_file);
    take_source(recording, entry, shader, DV_SHADER_FRAGMENT, pass->fragment_file, shader->version);
    shader->names[DV_SHADER_FRAGMENT] = recording_text(recording, pass->fragment_file);
    return (int32_t)self->shaders.count - 1;
}

static const uint8_t *surfaces_of_pass(DvRecorder *self, Recording *recording, const DvRenderPass *pass)
{
    DvObject *const *object = self->drawn.at;
    uint8_t *draws = recording_alloc(recording, self->drawn.count + 1, 1);
    for (uint32_t i = 0; i < self->drawn.count; i++)
        draws[i] = dv_object_has_tags(object[i], pass->models);
    return draws;
}

/* The passes before it that have all its tags of inputs: of one over the whole those of its output count. */
static void take_inputs(DvRecorder *self, Recording *recording, const DvRenderPass *pass, DvPicturePass *made)
{
    Entry *const *entry = self->pass_entries.at;
    const uint32_t count = self->passes.count - 1; /* without itself */
    uint32_t *inputs = recording_alloc(recording, count + 1, sizeof *inputs);
    for (uint32_t i = 0; i < count; i++) {
        DvRenderPass earlier = {0};
        if (entry[i]->pass->get(entry[i]->self, &earlier) &&
            has_all(((DvPicturePass *)self->passes.at)[i].draws ? earlier.models : earlier.output, pass->inputs))
            inputs[made->input_count++] = i;
    }
    made->inputs = inputs;
}

static void add_pass(DvRecorder *self, Recording *recording, Entry *entry)
{
    DvRenderPass pass = {0};
    if (!dv_object_is_valid(entry->object) || !entry->pass->get(entry->self, &pass))
        return;
    const bool whole = pass.fragment_file || pass.shader;
    const int32_t shader = whole ? shader_of_pass(self, recording, entry, &pass) : 0;
    if (shader < 0)
        return;
    DvPicturePass *made = list_add(&self->passes, sizeof *made);
    *(Entry **)list_add(&self->pass_entries, sizeof entry) = entry;
    made->name = recording_text(recording, pass.name);
    made->scale = (float)pass.scale;
    made->to_screen = pass.to_screen;
    made->shader = (uint32_t)shader;
    if (whole) {
        take_inputs(self, recording, &pass, made);
    } else {
        made->draws = surfaces_of_pass(self, recording, &pass);
        made->draws_batches = pass.models.count == 0;
    }
}

/* Once all surfaces and shaders are known. */
static void add_passes(DvRecorder *self, Recording *recording)
{
    const Level *root = self->levels.at;
    Entry *entry = self->entries.at;
    if (!self->levels.count || root->flags[DV_DISPLAY_ADVANCED_RENDERING] != 1)
        return;
    for (uint32_t i = 0; i < self->entries.count; i++)
        if (entry[i].pass)
            add_pass(self, recording, &entry[i]);
}

static void add_setting(DvRecorder *self, Recording *recording, const Entry *entry)
{
    DvPicture *picture = &recording->picture;
    if (entry->light)
        add_light(self, entry);
    if (entry->camera)
        add_camera(self, recording, entry);
    if (entry->legend)
        add_legend(self, recording, entry);
    if (entry->viewport)
        add_viewport(self, recording, entry);
    if (entry->post)
        add_post(self, recording, entry);
    if (entry->lighting && !picture->has_lighting) {
        entry->lighting->get(entry->self, &picture->lighting);
        picture->has_lighting = true;
    }
    if (entry->background) {
        entry->background->get(entry->self, &picture->background);
        picture->background_image =
            recording_use_image(recording, images_find(&self->images, picture->background.image, entry->object));
        picture->background.image = NULL;
        picture->has_background = true;
    }
    if (entry->transparency)
        picture->depth_scale = entry->transparency->depth_scale(entry->self);
}

/* Flags of all levels; which levels belong to a body of which some surface is shown, or, if to none, whether there is one that does not
 * move. */
static void find_surfaces(DvRecorder *self, const DvRecordOptions *options)
{
    Level *level = self->levels.at;
    const Entry *entries = self->entries.at;
    self->surfaced.count = 0;
    for (uint32_t i = 0; i <= self->bodies; i++)
        list_add(&self->surfaced, 1);
    uint8_t *surfaced = self->surfaced.at;
    for (uint32_t i = 0; i < self->levels.count; i++) {
        merge_flags(&level[i], level[i].parent == NO_LEVEL ? NULL : &level[level[i].parent], entries, options);
        for (uint32_t k = 0; k < level[i].count && level[i].flags[DV_DISPLAY_VISUAL_MODELS] == 1; k++) {
            DvSurfaceView view = {0};
            const Entry *entry = &entries[level[i].first + k];
            if (entry->surface && dv_object_is_valid(entry->object) && entry->surface->view(entry->self, &view) &&
                view.positions.count > 0)
                surfaced[level[i].body + 1] = 1;
        }
    }
    for (uint32_t i = 0; i < self->levels.count; i++)
        level[i].has_surface = surfaced[level[i].body + 1] != 0;
}

static void record_level(DvRecorder *self, Recording *recording, Level *level)
{
    Entry *entries = self->entries.at;
    const Level *parent = level->parent == NO_LEVEL ? NULL : (Level *)self->levels.at + level->parent;
    merge_state(self, recording, level, parent, entries);
    const uint32_t whole = state_before(self, level, entries, 0);
    if (self->draws_bodies)
        draw_body(self, level, parent);
    for (uint32_t i = 0; i < level->count; i++) {
        Entry *entry = &entries[level->first + i];
        if (!dv_object_is_valid(entry->object))
            continue;
        if (entry->surface)
            add_surface(self, recording, level, entry, state_before(self, level, entries, i + 1));
        if (entry->drawable)
            draw_object(self, level, entry, whole);
        if (entry->element)
            add_elements(self, recording, entry, level);
        if (entry->axes)
            add_axes(self, level, entry);
        add_setting(self, recording, entry);
    }
}

static void keep_lists(DvRecorder *self, Recording *recording)
{
    DvPicture *picture = &recording->picture;
#define KEEP(list, member, total, Type)                                     \
    picture->member = recording_keep(recording, &self->list, sizeof(Type)); \
    picture->total = self->list.count
    KEEP(states, states, state_count, DvPictureState);
    KEEP(surfaces, surfaces, surface_count, DvPictureSurface);
    KEEP(legends, legends, legend_count, DvPictureLegend);
    KEEP(cameras, cameras, camera_count, DvPictureCamera);
    KEEP(axes, axes, axes_count, DvSceneAxes);
    KEEP(viewports, viewports, viewport_count, DvViewport);
    KEEP(posts, posts, post_count, DvPicturePost);
    KEEP(passes, passes, pass_count, DvPicturePass);
#undef KEEP
    if (picture->has_lighting) {
        picture->lights = recording_keep(recording, &self->lights, sizeof(DvLight));
        picture->light_count = self->lights.count;
    }
    keep_shaders(self, recording);
}

static void take_context(DvRecorder *self, DvPicture *picture)
{
    DvNode *root = dv_scene_root(self->scene);
    const double *box = dv_data_doubles(dv_object_field(dv_node_object(root), "bbox"), NULL);
    picture->time = dv_node_time(root);
    picture->step = dv_scene_steps(self->scene);
    memcpy(picture->gravity, dv_node_gravity(root), sizeof picture->gravity);
    picture->has_box = true;
    for (int i = 0; i < 3; i++)
        picture->has_box = picture->has_box && isfinite(box[i]) && isfinite(box[3 + i]) && box[i] <= box[3 + i];
    if (picture->has_box)
        memcpy(picture->box, box, sizeof picture->box);
    picture->has_moving_box = moving_box(&self->moving, picture->moving_box);
}

static void mark(DvRecorder *self, DvObject *object, const DvViewerLook *look)
{
    self->marked = object;
    self->marks = *look;
}

/* In the world, whatever transforms and planes there are above the object. */
static void draw_marks(DvRecorder *self)
{
    if (!self->marked)
        return;
    const double *box = dv_data_doubles(dv_object_field(dv_node_object(dv_scene_root(self->scene)), "bbox"), NULL);
    const double size = dv_vec3_distance(dv_vec3_load(box), dv_vec3_load(box + 3));
    DvPictureState plain;
    memset(&plain, 0, sizeof plain); /* padding too: states are compared by bytes */
    plain.shader = -1;
    identity(plain.transform);
    self->drawing.state = add_state(self, &plain);
    self->drawing.moves = self->drawing.wires = false;
    self->drawing.owner = NULL;
    marks_draw(&self->drawing.draw, self->marked, &self->marks, isfinite(size) ? size : 1);
    self->drawing.draw_state = 0;
    self->marked = NULL;
}

static DvPicture *make(DvRecorder *self, const DvRecordOptions *options)
{
    Recording *recording = recording_new();
    const DvStepMark mark = dv_step_mark(); /* drawables may take scratch */
    List *const lists[] = {&self->states, &self->surfaces, &self->legends,     &self->cameras,   &self->shaders,
                           &self->parts,  &self->lights,   &self->axes,        &self->viewports, &self->posts,
                           &self->passes, &self->drawn,    &self->pass_entries};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        lists[i]->count = 0;
    drawing_begin(&self->drawing, recording);
    memcpy(self->drawing.draw.view, options->view, sizeof options->view);
    find_surfaces(self, options);
    for (uint32_t i = 0; i < self->levels.count; i++)
        record_level(self, recording, (Level *)self->levels.at + i);
    draw_marks(self);
    drawing_end(&self->drawing);
    add_passes(self, recording);
    keep_lists(self, recording);
    take_context(self, &recording->picture);
    ground_find(&self->ground, &recording->picture, self->drawing.has_still ? self->drawing.still : NULL);
    dv_step_release(mark);
    return &recording->picture;
}

static bool shows_nothing(const DvPicture *picture)
{
    return picture->surface_count + picture->batch_count + picture->text_count == 0;
}

static DvPicture *picture_of_bodies(DvRecorder *self, const DvRecordOptions *options)
{
    static const DvDisplayFlag shown[] = {DV_DISPLAY_BEHAVIOR_MODELS, DV_DISPLAY_FORCE_FIELDS,
                                          DV_DISPLAY_INTERACTION_FORCE_FIELDS, DV_DISPLAY_COLLISION_MODELS};
    DvRecordOptions bodies = *options;
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        bodies.flags[shown[i]] = 1;
    self->draws_bodies = true;
    DvPicture *picture = make(self, &bodies);
    self->draws_bodies = false;
    picture->shows_bodies = true;
    return picture;
}

static DvPicture *record(DvRecorder *self, const DvRecordOptions *options)
{
    static const DvRecordOptions plain;
    options = options ? options : &plain;
    bool may = options->bodies;
    for (int flag = 0; flag < DV_DISPLAY_FLAGS; flag++)
        may = may && options->flags[flag] == 0;
    dv_scene_update_visual(self->scene);
    list_scene(self);
    if (may && !self->probed) {
        DvObject *marked = self->marked;
        self->marked = NULL; /* marks are nothing of the scene's own */
        DvPicture *picture = make(self, options);
        self->marked = marked;
        self->probed = true;
        self->nothing_else = shows_nothing(picture);
        if (!self->nothing_else && !marked)
            return picture;
        recording_release((Recording *)picture);
    }
    return may && self->nothing_else ? picture_of_bodies(self, options) : make(self, options);
}

static DvRecorder *create(DvScene *scene)
{
    DvRecorder *self = dv_alloc(1, sizeof *self);
    self->scene = scene;
    return self;
}

static void destroy(DvRecorder *self)
{
    if (!self)
        return;
    Entry *entry = self->entries.at;
    for (uint32_t i = 0; i < self->entries.count; i++)
        forget_entry(&entry[i]);
    List *const lists[] = {&self->moving,   &self->surfaced,    &self->levels,    &self->entries, &self->states,
                           &self->surfaces, &self->legends,     &self->cameras,   &self->shaders, &self->parts,
                           &self->lights,   &self->axes,        &self->viewports, &self->posts,   &self->passes,
                           &self->drawn,    &self->pass_entries};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        list_free(lists[i]);
    bodies_free(&self->skins);
    images_free(&self->images);
    drawing_free(&self->drawing);
    ground_free(&self->ground);
    dv_free(self);
}

static DvPicture *ref(DvPicture *picture)
{
    atomic_fetch_add(&((Recording *)picture)->users, 1);
    return picture;
}

static void unref(DvPicture *picture)
{
    recording_release((Recording *)picture);
}

const DvPictureRecorderOps picture_recorder_ops = {.size = sizeof(DvPictureRecorderOps),
                                                   .create = create,
                                                   .record = record,
                                                   .destroy = destroy,
                                                   .ref = ref,
                                                   .unref = unref,
                                                   .mark = mark,
                                                   .read_flags = display_flags_read};
