/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The recorder: a scene becomes a picture.
 *
 * What the scene has to show is listed once for each form of its graph (node revision): nodes in the order in which they are
 * visited, and of each the objects that offer something. A picture goes through the list; nothing is looked up. Styles, transforms,
 * planes and shaders of a node hold in it and below; a sibling never sees them.
 */
#include "recorder_parts.h"

#include <math.h>
#include <string.h>

#include <divan/memory.h>
#include <divan/scene.h>

#include "marks.h"
#include "moving.h"

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
        recorder_merge_flags(&level[i], level[i].parent == NO_LEVEL ? NULL : &level[level[i].parent], entries, options);
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
    recorder_merge_state(self, recording, level, parent, entries);
    const uint32_t whole = recorder_state_before(self, level, entries, 0);
    if (self->draws_bodies)
        recorder_draw_body(self, level, parent);
    for (uint32_t i = 0; i < level->count; i++) {
        Entry *entry = &entries[level->first + i];
        if (!dv_object_is_valid(entry->object))
            continue;
        if (entry->surface)
            recorder_add_surface(self, recording, level, entry, recorder_state_before(self, level, entries, i + 1));
        if (entry->drawable)
            recorder_draw_object(self, level, entry, whole);
        if (entry->element)
            recorder_add_elements(self, recording, entry, level);
        if (entry->axes)
            recorder_add_axes(self, level, entry);
        recorder_add_setting(self, recording, entry);
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
    recorder_keep_shaders(self, recording);
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
    identity_map(plain.transform);
    self->drawing.state = recorder_add_state(self, &plain);
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
    recorder_add_passes(self, recording);
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
    recorder_list_scene(self);
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
        recorder_forget_entry(&entry[i]);
    recorder_forget_levels(self);
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
