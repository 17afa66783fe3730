/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "renderer.h"

#include <math.h>
#include <string.h>

#include <divan/memory.h>

enum { DEFAULT_SAMPLES = 4, LEAST_GL = 33 };

/* The light of scenes that have none: with the camera, to the left and above by a part of the distance to what is looked at, so that a
 * scene of any size is lit alike. Ambient light is that of the light and what is everywhere. */
static const DvLight own_light = {
    .kind = DV_LIGHT_POSITIONAL, .color = {1, 1, 1, 1}, .position = {-0.35, 0.25, 0}, .with_camera = true};
static const float own_ambient = 0.7f, own_diffuse = 0.9f;

void matrix_multiply(const float a[16], const float b[16], float product[16])
{
    for (int row = 0; row < 4; row++)
        for (int column = 0; column < 4; column++) {
            float sum = 0;
            for (int i = 0; i < 4; i++)
                sum += a[4 * row + i] * b[4 * i + column];
            product[4 * row + column] = sum;
        }
}

void matrix_of_doubles(const double from[16], float to[16])
{
    for (int i = 0; i < 16; i++)
        to[i] = (float)from[i];
}

const DvPictureState *renderer_plain_state(void)
{
    static const DvPictureState plain = {.transform = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}, .shader = -1};
    return &plain;
}

/* Start and end */

static DvStatus check_version(DvRenderer *self, DvText *why)
{
    const int version = epoxy_gl_version();
    const char *device = (const char *)glGetString(GL_RENDERER), *text = (const char *)glGetString(GL_VERSION);
    self->device = dv_strdup(device ? device : "?");
    self->version = dv_strdup(text ? text : "?");
    if (epoxy_is_desktop_gl() && version >= LEAST_GL)
        return DV_OK;
    dv_text_add(
        why,
        "%s has OpenGL %d.%d; 3.3 is needed: a newer driver, or Mesa's software renderer (LIBGL_ALWAYS_SOFTWARE=1)",
        self->device, version / 10, version % 10);
    return DV_ERROR_UNSUPPORTED;
}

static GLuint one_pixel(uint8_t shade)
{
    const uint8_t pixel[4] = {shade, shade, shade, 255};
    GLuint name;
    glGenTextures(1, &name);
    glBindTexture(GL_TEXTURE_2D, name);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 1, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    return name;
}

static void ask_limits(DvRenderer *self, const DvRendererOptions *options)
{
    GLint most = 1;
    GLfloat range[2] = {1, 1};
    const uint32_t wanted = options && options->samples ? options->samples : DEFAULT_SAMPLES;
    self->has_tessellation = epoxy_gl_version() >= 40 || epoxy_has_gl_extension("GL_ARB_tessellation_shader");
    glGetIntegerv(GL_MAX_SAMPLES, &most);
    self->smooths = options && options->smooths;
    self->samples = (GLint)wanted > most ? most : (GLsizei)wanted;
    self->reversed = depth_is_offered();
    glGetFloatv(GL_ALIASED_LINE_WIDTH_RANGE, range);
    self->widest_line = range[1];
    glGetFloatv(GL_POINT_SIZE_RANGE, range);
    self->largest_point = range[1];
}

static void destroy(DvRenderer *self)
{
    DvText none = {0};
    if (!self)
        return;
    if (self->version && context_use(self->context, &none) == DV_OK) {
        program_free_all(self);
        scene_shaders_free(self);
        surfaces_sweep(self, true);
        batches_sweep(self, true);
        const Texture *texture = self->textures.at;
        for (uint32_t i = 0; i < self->textures.count; i++)
            glDeleteTextures(1, &texture[i].name);
        glDeleteTextures(1, &self->grey);
        glDeleteVertexArrays(1, &self->empty_array);
        glDeleteVertexArrays(1, &self->text_array);
        glDeleteBuffers(1, &self->text_buffer);
        shadows_free(&self->shadows);
        studio_free(&self->studio);
        outline_free(&self->outline);
        post_free(self);
        targets_free(&self->targets);
        targets_free(&self->second_targets);
        passes_free(self);
        font_free(&self->font);
    }
    dv_text_free(&none);
    context_destroy(self->context);
    list_free(&self->textures);
    list_free(&self->surfaces);
    list_free(&self->batches);
    list_free(&self->boxes);
    smooth_free(&self->smoothing);
    dv_free(self->device);
    dv_free(self->version);
    dv_free(self);
}

static DvStatus create(const DvRendererOptions *options, DvRenderer **renderer, DvText *why)
{
    DvRenderer *self = dv_alloc(1, sizeof *self);
    DvStatus status = options && options->current_context ? DV_OK : context_create(&self->context, why);
    *renderer = NULL;
    if (status == DV_OK)
        status = check_version(self, why);
    if (status == DV_OK && !program_make_all(self, why))
        status = DV_ERROR_UNSUPPORTED;
    if (status != DV_OK) {
        destroy(self);
        return status;
    }
    ask_limits(self, options);
    self->grey = one_pixel(128);
    glGenVertexArrays(1, &self->empty_array);
    batches_start(self);
    *renderer = self;
    return DV_OK;
}

/* Uniforms */

void renderer_look(DvRenderer *self, const float view[16], const float projection[16])
{
    self->look++;
    memcpy(self->look_view, view, sizeof self->look_view);
    memcpy(self->look_projection, projection, sizeof self->look_projection);
}

static void set_look(DvRenderer *self, const Program *program)
{
    const Uniforms *at = &program->at;
    GLfloat color[MOST_LIGHTS][3], position[MOST_LIGHTS][4], direction[MOST_LIGHTS][4], factors[MOST_LIGHTS][4];
    GLfloat shadow[MOST_LIGHTS][4];
    glUniformMatrix4fv(at->view, 1, GL_TRUE, self->look_view);
    glUniformMatrix4fv(at->projection, 1, GL_TRUE, self->look_projection);
    glUniform3fv(at->eye, 1, self->eye);
    glUniform1i(at->orthographic, self->view->camera.orthographic);
    glUniform1i(at->texture, OWN_TEXTURE_UNIT);
    glUniform1i(at->shadow_map, SHADOW_UNIT);
    glUniform3fv(at->scene_ambient, 1, self->scene_ambient);
    glUniform1f(at->depth_scale, (float)self->depth_scale);
    depth_uniforms(self, at->depths, at->stored, self->look_projection);
    const double *fog = self->view->fog_color;
    glUniform4f(at->fog, (float)fog[0], (float)fog[1], (float)fog[2], (float)self->view->fog);
    studio_uniforms(self, program);
    for (uint32_t i = 0; i < self->light_count; i++) {
        const DvLight *light = &self->lights[i];
        const bool directional = light->kind == DV_LIGHT_DIRECTIONAL, spot = light->kind == DV_LIGHT_SPOT;
        const DvVec3 way = dv_vec3_normalize(dv_vec3_load(light->direction));
        const double *place = directional ? (const double[3]){way.x, way.y, way.z} : light->position;
        for (int c = 0; c < 3; c++) {
            color[i][c] = (float)light->color[c];
            position[i][c] = (float)place[c];
        }
        position[i][3] = directional ? 0 : 1;
        direction[i][0] = (float)way.x, direction[i][1] = (float)way.y, direction[i][2] = (float)way.z;
        direction[i][3] = spot ? (float)cos(light->cutoff * DV_PI / 180) : -1;
        factors[i][0] = self->light_ambient[i], factors[i][1] = self->light_diffuse[i];
        factors[i][2] = (float)light->attenuation, factors[i][3] = (float)light->exponent;
        shadow[i][0] = (float)self->shadows.layer_of[i];
        shadow[i][1] = (float)light->shadow_strength;
        shadow[i][2] = light->soft_shadows || self->picture->lighting.soft_shadows ? 4 : 1;
        shadow[i][3] = self->shadows.size ? 1 / (float)self->shadows.size : 0;
    }
    const GLsizei count = (GLsizei)self->light_count;
    glUniform1i(at->light_count, count);
    glUniform3fv(at->light_color, count, color[0]);
    glUniform4fv(at->light_position, count, position[0]);
    glUniform4fv(at->light_direction, count, direction[0]);
    glUniform4fv(at->light_factors, count, factors[0]);
    glUniform4fv(at->light_shadow, count, shadow[0]);
    glUniform1fv(at->light_extent, count, self->shadows.texel);
    glUniformMatrix4fv(at->light_matrix, count, GL_TRUE, self->shadows.matrices[0]);
}

void renderer_use(DvRenderer *self, Program *program)
{
    glUseProgram(program->name);
    if (program->looked == self->look)
        return;
    program->looked = self->look;
    set_look(self, program);
}

static int set_clips(const DvRenderer *self, const Uniforms *at, const DvPictureState *state)
{
    GLfloat planes[DV_PICTURE_CLIPS][4];
    int count = 0;
    if (self->view->clips) {
        const DvVec3 kept = dv_vec3_neg(dv_vec3_normalize(dv_vec3_load(self->view->clip.normal)));
        const double distance = -dv_vec3_dot(kept, dv_vec3_load(self->view->clip.position));
        const GLfloat plane[4] = {(float)kept.x, (float)kept.y, (float)kept.z, (float)distance};
        memcpy(planes[count++], plane, sizeof plane);
    }
    for (uint32_t i = 0; i < state->clip_count && count < DV_PICTURE_CLIPS; i++)
        memcpy(planes[count++], state->clips[i], sizeof planes[0]);
    glUniform1i(at->clip_count, count);
    if (count)
        glUniform4fv(at->clips, count, planes[0]);
    return count;
}

void renderer_set_state(DvRenderer *self, const Program *program, const DvPictureState *state)
{
    const float *m = state->transform;
    const float model[16] = {m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8], m[9], m[10], m[11], 0, 0, 0, 1};
    const float normal[9] = {m[0], m[1], m[2], m[4], m[5], m[6], m[8], m[9], m[10]}; /* rotations only */
    glUniformMatrix4fv(program->at.model, 1, GL_TRUE, model);
    glUniformMatrix3fv(program->at.normal_matrix, 1, GL_TRUE, normal);
    const int clips = set_clips(self, &program->at, state);
    for (int i = 0; i < DV_PICTURE_CLIPS; i++) {
        if (i < clips && i >= self->clips_enabled)
            glEnable(GL_CLIP_DISTANCE0 + (GLenum)i);
        else if (i >= clips && i < self->clips_enabled)
            glDisable(GL_CLIP_DISTANCE0 + (GLenum)i);
    }
    self->clips_enabled = clips;
}

void renderer_end_clips(DvRenderer *self)
{
    for (int i = 0; i < self->clips_enabled; i++)
        glDisable(GL_CLIP_DISTANCE0 + (GLenum)i);
    self->clips_enabled = 0;
}

uint32_t renderer_features(const DvRenderer *self, const DvPictureState *state)
{
    return WITH_LIGHT | self->features | (self->view->clips || state->clip_count ? WITH_CLIPS : 0);
}

/* A picture */

static void place_lights(DvRenderer *self)
{
    const DvPicture *picture = self->picture;
    const DvQuat q = dv_quat_load(self->view->camera.orientation);
    const DvVec3 eye = dv_vec3_load(self->view->camera.position);
    const double distance = dv_vec3_distance(eye, dv_vec3_load(self->view->camera.look_at));
    const DvLight *from = picture->has_lighting ? picture->lights : &own_light;
    self->light_count = picture->has_lighting ? picture->light_count : 1;
    for (uint32_t i = 0; i < self->light_count; i++) {
        DvLight *light = &self->lights[i];
        *light = from[i];
        self->shadows.layer_of[i] = -1;
        self->light_ambient[i] = picture->has_lighting ? 1 : own_ambient;
        self->light_diffuse[i] = picture->has_lighting ? 1 : own_diffuse;
        if (!light->with_camera)
            continue;
        for (int c = 0; c < 3 && !picture->has_lighting; c++)
            light->position[c] *= distance;
        dv_vec3_store(dv_vec3_add(eye, dv_quat_rotate(q, dv_vec3_load(light->position))), light->position);
        dv_vec3_store(dv_quat_rotate(q, dv_vec3_load(light->direction)), light->direction);
    }
    for (int c = 0; c < 3; c++)
        self->scene_ambient[c] = picture->has_lighting ? (float)picture->lighting.ambient[c] : 0;
}

static void prepare(DvRenderer *self, const DvPicture *picture, const DvRenderView *view)
{
    double m[16];
    self->picture = picture;
    self->view = view;
    self->frame++;
    dv_camera_view(&view->camera, m);
    matrix_of_doubles(m, self->view_matrix);
    studio_place(self);
    depth_projection(self);
    for (int i = 0; i < 3; i++)
        self->eye[i] = (float)view->camera.position[i];
    /* Weights fall over the depth of the scene, whatever its size. */
    const double depth = dv_vec3_distance(dv_vec3_load(view->camera.position), dv_vec3_load(view->camera.look_at));
    self->depth_scale = picture->depth_scale > 0 ? picture->depth_scale : 10 / (depth > 0 ? depth : 1);
    place_lights(self);
    self->features = view->fog > 0 ? WITH_FOG : 0;
    if (self->studio.holds) {
        self->features |= WITH_STUDIO;
        return;
    }
    self->features |= self->light_count == 1 ? 0 : WITH_MANY_LIGHTS;
    for (uint32_t i = 0; i < self->light_count; i++)
        if (self->lights[i].kind == DV_LIGHT_SPOT || self->lights[i].attenuation > 0)
            self->features |= WITH_FADING;
}

/* What is behind the scene, and how it looks. */
static Behind behind_of(const DvRenderer *self)
{
    static const DvBackground plain = {.color = {0.78, 0.80, 0.83, 1}, .top = {1, 1, 1, 1}};
    const DvBackground *background = self->view->background          ? self->view->background
                                     : self->picture->has_background ? &self->picture->background
                                                                     : &plain;
    const DvPictureImage *image = self->view->background ? NULL : self->picture->background_image;
    Behind behind;
    memset(&behind, 0, sizeof behind); /* padding too: they are compared by bytes */
    for (int i = 0; i < 3; i++) {
        behind.bottom[i] = (float)background->color[i];
        behind.top[i] = (float)background->top[i];
    }
    behind.bottom[3] = behind.top[3] = 1;
    behind.image = image ? image->id : 0;
    return behind;
}

static void paint_behind(DvRenderer *self, const Behind *behind)
{
    const ScreenProgram *program = behind->image ? &self->background_image : &self->background;
    const float whole[4] = {-1, -1, 1, 1};
    glUseProgram(program->name);
    glUniform4fv(program->box, 1, whole);
    glUniform4fv(program->bottom, 1, behind->bottom);
    glUniform4fv(program->top, 1, behind->top);
    glUniform1i(program->textured, behind->image != 0);
    glUniform1i(program->texture, 0);
    glActiveTexture(GL_TEXTURE0);
    if (behind->image)
        glBindTexture(GL_TEXTURE_2D, texture_of(self, self->picture->background_image, false, false, false, false));
    glDisable(GL_DEPTH_TEST);
    glBindVertexArray(self->empty_array);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    glEnable(GL_DEPTH_TEST);
}

/* A background of several colours is painted once and copied from then on, which costs a processor a fifth. */
void renderer_draw_background(DvRenderer *self)
{
    Targets *t = &self->targets;
    const Behind behind = behind_of(self);
    const bool plain = !behind.image && memcmp(behind.bottom, behind.top, sizeof behind.top) == 0;
    glClearColor(behind.bottom[0], behind.bottom[1], behind.bottom[2], self->view->transparent_background ? 0 : 1);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    if (self->view->transparent_background || plain)
        return;
    const bool kept = !t->drawing && targets_fit_behind(t);
    if (!kept) {
        glBindFramebuffer(GL_FRAMEBUFFER, targets_drawing(t));
        paint_behind(self, &behind);
        return;
    }
    if (memcmp(&behind, &t->behind_is, sizeof behind) != 0) {
        glBindFramebuffer(GL_FRAMEBUFFER, t->behind);
        paint_behind(self, &behind);
        t->behind_is = behind;
    }
    targets_copy(t, t->behind, t->picture, GL_COLOR_ATTACHMENT0);
    glBindFramebuffer(GL_FRAMEBUFFER, t->picture);
}

static void draw_opaque(DvRenderer *self)
{
    glBindFramebuffer(GL_FRAMEBUFFER, targets_drawing(&self->targets));
    glViewport(0, 0, (GLsizei)self->view->width, (GLsizei)self->view->height);
    glDepthMask(GL_TRUE);
    glEnable(GL_DEPTH_TEST);
    renderer_draw_background(self);
    renderer_look(self, self->view_matrix, self->projection);
    surfaces_draw(self, PASS_OPAQUE, false, false);
    batches_draw(self, PASS_OPAQUE, false);
    studio_draw_ground(self);
    surfaces_draw(self, PASS_OPAQUE, false, true); /* those with a blending of their own, in order */
}

static void compose(DvRenderer *self)
{
    const Targets *t = &self->targets;
    const float whole[4] = {-1, -1, 1, 1};
    targets_copy(t, t->mixing, t->mixed, GL_COLOR_ATTACHMENT0);
    targets_copy(t, t->mixing, t->mixed, GL_COLOR_ATTACHMENT1);
    glBindFramebuffer(GL_FRAMEBUFFER, t->picture);
    glDisable(GL_DEPTH_TEST);
    glEnable(GL_BLEND);
    glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    glUseProgram(self->compose.name);
    glUniform4fv(self->compose.box, 1, whole);
    glUniform1i(self->compose.sum, 0);
    glUniform1i(self->compose.weights, 1);
    glActiveTexture(GL_TEXTURE1);
    glBindTexture(GL_TEXTURE_2D, t->mixed_weight);
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, t->mixed_color);
    glBindVertexArray(self->empty_array);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    glDisable(GL_BLEND);
}

static DvStatus draw_translucent(DvRenderer *self, DvText *why)
{
    static const GLenum both[] = {GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1};
    static const GLfloat nothing[4] = {0, 0, 0, 1}, zero[4] = {0, 0, 0, 0};
    const DvStatus status = targets_fit_mixing(&self->targets, why);
    if (status != DV_OK)
        return status;
    glBindFramebuffer(GL_FRAMEBUFFER, self->targets.mixing);
    glDrawBuffers(2, both);
    glClearBufferfv(GL_COLOR, 0, nothing);
    glClearBufferfv(GL_COLOR, 1, zero);
    glEnable(GL_DEPTH_TEST);
    glDepthMask(GL_FALSE);
    glEnable(GL_BLEND);
    glBlendFuncSeparate(GL_ONE, GL_ONE, GL_ZERO, GL_ONE_MINUS_SRC_ALPHA);
    batches_draw(self, PASS_TRANSLUCENT, false);
    surfaces_draw(self, PASS_TRANSLUCENT, false, false); /* ends blending */
    compose(self);
    return DV_OK;
}

DvStatus renderer_draw_scene(DvRenderer *self, DvText *why)
{
    draw_opaque(self);
    if (self->targets.drawing)
        targets_copy(&self->targets, self->targets.drawing, self->targets.picture, GL_COLOR_ATTACHMENT0);
    return surfaces_translucent(self) || batches_translucent(self) ? draw_translucent(self, why) : DV_OK;
}

static void draw_on_top(DvRenderer *self)
{
    glBindFramebuffer(GL_FRAMEBUFFER, self->targets.picture);
    glDisable(GL_DEPTH_TEST);
    glEnable(GL_BLEND);
    glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    batches_draw(self, PASS_OPAQUE, true);
    glDisable(GL_BLEND);
    surfaces_draw(self, PASS_OPAQUE, true, false);
    renderer_end_clips(self);
    glDisable(GL_FRAMEBUFFER_SRGB); /* texts and legends have colours of a screen */
    overlay_draw(self);
}

/* Textures that no picture has had for a while go. */
static void sweep(DvRenderer *self)
{
    enum { FRAMES = 60 };
    Texture *texture = self->textures.at;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < self->textures.count; i++)
        if (self->frame - texture[i].used < FRAMES)
            texture[kept++] = texture[i];
        else
            glDeleteTextures(1, &texture[i].name);
    self->textures.count = kept;
    surfaces_sweep(self, false);
    batches_sweep(self, false);
}

static DvStatus check_size(const DvRenderView *view, DvText *why)
{
    GLint most = 0;
    glGetIntegerv(GL_MAX_RENDERBUFFER_SIZE, &most);
    if (most > DV_RENDER_SIZE_MOST)
        most = DV_RENDER_SIZE_MOST;
    if (view->width >= 1 && view->height >= 1 && view->width <= (uint32_t)most && view->height <= (uint32_t)most)
        return DV_OK;
    dv_text_add(why, "a picture of %u x %u pixels: each side must have 1 to %d", view->width, view->height, (int)most);
    return DV_ERROR_LIMIT;
}

/* The scene as one camera sees it. */
static DvStatus draw_view(DvRenderer *self, const DvPicture *picture, const DvRenderView *view, DvText *why)
{
    DvStatus status = targets_fit(&self->targets, view, self->samples, picture->linear_colors, self->reversed, why);
    if (status != DV_OK)
        return status;
    prepare(self, picture, view);
    glDisable(GL_SCISSOR_TEST);
    glDisable(GL_STENCIL_TEST);
    glDisable(GL_BLEND);
    glDisable(GL_CULL_FACE);
    shadows_draw(self);
    studio_draw_shadow(self);
    glActiveTexture(GL_TEXTURE0 + SHADOW_UNIT);
    glBindTexture(GL_TEXTURE_2D_ARRAY, self->shadows.texture);
    depth_begin(self);
    if (picture->linear_colors)
        glEnable(GL_FRAMEBUFFER_SRGB);
    if (picture->pass_count && !self->is_second) {
        status = passes_draw(self, why);
    } else {
        status = renderer_draw_scene(self, why);
        if (status == DV_OK)
            status = post_draw(self, why);
    }
    if (status == DV_OK)
        smooth_draw(self);
    if (status == DV_OK && view->outline && !self->is_second)
        outline_draw(self);
    draw_on_top(self);
    depth_end(self);
    self->picture = NULL;
    self->view = NULL;
    return status;
}

/* What the camera of a viewport looks at: the point ahead of it that is nearest to the middle of the scene. */
static DvCamera viewport_camera(const DvViewport *viewport, const DvPicture *picture)
{
    DvCamera camera = viewport->camera;
    const DvVec3 from = dv_vec3_load(camera.position),
                 ahead = dv_quat_rotate(dv_quat_load(camera.orientation), dv_vec3(0, 0, -1));
    const DvVec3 middle = dv_vec3_scale(dv_vec3_add(dv_vec3_load(picture->box), dv_vec3_load(picture->box + 3)), 0.5);
    const double depth = dv_vec3_dot(dv_vec3_sub(middle, from), ahead);
    dv_vec3_store(dv_vec3_add(from, dv_vec3_scale(ahead, depth > 0 ? depth : 1)), camera.look_at);
    dv_camera_prepare(&camera, picture->has_box ? picture->box : NULL, picture->gravity);
    return camera;
}

/* In its rectangle of the picture, which may lie in part outside. */
static DvStatus draw_viewport(DvRenderer *self, const DvPicture *picture, const DvRenderView *view,
                              const DvViewport *viewport, DvText *why)
{
    DvRenderView second = *view;
    second.width = viewport->width;
    second.height = viewport->height;
    second.camera = viewport->swapped ? view->camera : viewport_camera(viewport, picture);
    DvText size = {0};
    DvStatus status = check_size(&second, &size);
    if (status != DV_OK) {
        dv_text_add(why, "%s: screenSize: %s", viewport->path, size.at);
        dv_text_free(&size);
        return status;
    }
    const Targets whole = self->targets;
    self->targets = self->second_targets;
    self->is_second = true;
    status = draw_view(self, picture, &second, why);
    self->is_second = false;
    self->second_targets = self->targets;
    self->targets = whole;
    if (status != DV_OK)
        return status;
    const GLint x = viewport->x < 0 ? (GLint)view->width + viewport->x : viewport->x;
    const GLint y = viewport->y < 0 ? (GLint)view->height + viewport->y : viewport->y;
    const GLint w = (GLint)second.width, h = (GLint)second.height;
    glBindFramebuffer(GL_READ_FRAMEBUFFER, self->second_targets.picture);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, whole.picture);
    glBlitFramebuffer(0, 0, w, h, x, y, x + w, y + h, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    return DV_OK;
}

/* Over the whole: what the view shows, or a viewport that has taken its place. */
static DvStatus draw_whole(DvRenderer *self, const DvPicture *picture, const DvRenderView *view, DvText *why)
{
    DvRenderView whole = *view;
    for (uint32_t i = 0; i < picture->viewport_count; i++)
        if (picture->viewports[i].swapped)
            whole.camera = viewport_camera(&picture->viewports[i], picture);
    return draw_view(self, picture, &whole, why);
}

static DvStatus draw(DvRenderer *self, const DvPicture *picture, const DvRenderView *view, DvText *why)
{
    DvStatus status = context_use(self->context, why);
    if (status == DV_OK)
        status = check_size(view, why);
    if (status != DV_OK)
        return status;
    self->stats = (DvRenderStats){.device = self->device, .version = self->version, .samples = (uint32_t)self->samples};
    status = draw_whole(self, picture, view, why);
    for (uint32_t i = 0; status == DV_OK && i < picture->viewport_count; i++)
        status = draw_viewport(self, picture, view, &picture->viewports[i], why);
    if (!self->targets.picture)
        return status; /* there was no memory for it */
    sweep(self);
    if (!self->context) {
        const GLint w = (GLint)view->width, h = (GLint)view->height;
        glBindFramebuffer(GL_READ_FRAMEBUFFER, self->targets.picture);
        glBindFramebuffer(GL_DRAW_FRAMEBUFFER, view->framebuffer);
        glBlitFramebuffer(0, 0, w, h, 0, 0, w, h, GL_COLOR_BUFFER_BIT, GL_NEAREST);
        glBindFramebuffer(GL_FRAMEBUFFER, view->framebuffer);
    }
    glBindVertexArray(0);
    glUseProgram(0);
    return status;
}

static DvStatus read_pixels(DvRenderer *self, uint8_t *pixels, DvText *why)
{
    const uint32_t width = self->targets.width, height = self->targets.height;
    const size_t row = 4 * (size_t)width;
    const DvStatus status = context_use(self->context, why);
    if (status != DV_OK)
        return status;
    if (!width) {
        dv_text_add(why, "nothing has been drawn yet");
        return DV_ERROR_INVALID;
    }
    glBindFramebuffer(GL_READ_FRAMEBUFFER, self->targets.picture);
    glReadBuffer(GL_COLOR_ATTACHMENT0);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, (GLsizei)width, (GLsizei)height, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    uint8_t *spare = dv_alloc(row, 1);
    for (uint32_t y = 0; y < height / 2; y++) {
        uint8_t *upper = pixels + y * row, *lower = pixels + (height - 1 - y) * row;
        memcpy(spare, upper, row);
        memcpy(upper, lower, row);
        memcpy(lower, spare, row);
    }
    dv_free(spare);
    return DV_OK;
}

static void stats(const DvRenderer *self, DvRenderStats *out)
{
    *out = self->stats;
    out->device = self->device;
    out->version = self->version;
    out->samples = (uint32_t)self->samples;
}

const DvRendererOps renderer_ops = {.size = sizeof(DvRendererOps),
                                    .create = create,
                                    .draw = draw,
                                    .read = read_pixels,
                                    .stats = stats,
                                    .destroy = destroy,
                                    .begin_context = context_create,
                                    .end_context = context_destroy};
