/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What single objects put into a picture: surfaces, drawings, lights, cameras, legends.
 */
#include "recorder_parts.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Objects */

static void color_of_body(const Level *level, double color[4])
{
    static const double still[4] = {0.75, 0.75, 0.75, 1};
    if (level->body < 0)
        memcpy(color, still, sizeof still);
    else
        dv_palette((uint32_t)level->body, color);
}

void recorder_add_surface(DvRecorder *self, Recording *recording, const Level *level, Entry *entry, uint32_t state)
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
    surface->path = recording_text(recording, recorder_path_of(&entry->path, entry->object));
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

void recorder_draw_object(DvRecorder *self, const Level *level, Entry *entry, uint32_t state)
{
    self->drawing.state = state;
    self->drawing.draw_state = 0;
    self->drawing.draw.shown = 0;
    self->drawing.moves = level->body >= 0;
    self->drawing.wires = level->has_surface && entry->collides;
    self->drawing.owner = recorder_path_of(&entry->path, entry->object);
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

void recorder_draw_body(DvRecorder *self, Level *level, const Level *parent)
{
    level->skinned = false;
    level->covered = parent && parent->covered;
    if (level->covered)
        return;
    self->drawing.state = level->state;
    self->drawing.draw_state = 0;
    self->drawing.moves = level->body >= 0;
    self->drawing.owner = recorder_path_of(&level->path, dv_node_object(level->node));
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

void recorder_add_axes(DvRecorder *self, const Level *level, const Entry *entry)
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
    const Entry *shader = post.shader ? recorder_find_entry(&self->entries, post.shader, 0) : NULL;
    if (!shader || shader->shader_index < 0)
        return;
    DvPicturePost *added = list_add(&self->posts, sizeof *added);
    *added = (DvPicturePost){post.near, post.far, (uint32_t)shader->shader_index,
                             recording_text(recording, dv_object_path(entry->object))};
}

void recorder_add_setting(DvRecorder *self, Recording *recording, const Entry *entry)
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
