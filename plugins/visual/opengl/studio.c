/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The light of scenes that have none, as in a studio: a key from above and the side, a fill from the other side, a rim from behind, all
 * from afar. They turn about the vertical with the camera, so that no side of the scene is dark. Below what moves there is a faint
 * ground with the shadow of the key: a picture of what is between the light and the ground, in the plane of the ground, softened.
 */
#include "renderer.h"

#include <math.h>
#include <string.h>

enum { MAP_SIDE = 128, PLACES = 3 };

static void store(DvVec3 v, float to[3])
{
    to[0] = (float)v.x, to[1] = (float)v.y, to[2] = (float)v.z;
}

static DvVec3 load(const float from[3])
{
    return dv_vec3((double)from[0], (double)from[1], (double)from[2]);
}

/* Programs and maps */

static GLuint make_program(const char *vertex, const char *fragment, DvText *why)
{
    const ProgramText text = {.stages = {vertex, fragment}, .head = ""};
    int failed;
    return program_compile(&text, why, &failed);
}

bool studio_make(Studio *self, DvText *why)
{
    self->ground = make_program(shader_ground_vertex, shader_ground_fragment, why);
    self->soften = make_program(shader_screen_vertex, shader_soften_fragment, why);
    self->ground_view = glGetUniformLocation(self->ground, "dv_view");
    self->ground_projection = glGetUniformLocation(self->ground, "dv_projection");
    self->ground_middle = glGetUniformLocation(self->ground, "dv_middle");
    self->ground_across = glGetUniformLocation(self->ground, "dv_across");
    self->ground_along = glGetUniformLocation(self->ground, "dv_along");
    self->soften_box = glGetUniformLocation(self->soften, "dv_box");
    self->soften_step = glGetUniformLocation(self->soften, "dv_step");
    self->soften_raw = glGetUniformLocation(self->soften, "dv_raw");
    return self->ground && self->soften;
}

static GLuint map(GLenum inner, GLenum format, GLenum type)
{
    GLuint name;
    glGenTextures(1, &name);
    glBindTexture(GL_TEXTURE_2D, name);
    glTexImage2D(GL_TEXTURE_2D, 0, (GLint)inner, MAP_SIDE, MAP_SIDE, 0, format, type, NULL);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, format == GL_RED ? GL_LINEAR : GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, format == GL_RED ? GL_LINEAR : GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_BORDER);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_BORDER);
    return name;
}

static void make_maps(Studio *self)
{
    if (self->depth_map)
        return;
    glActiveTexture(GL_TEXTURE0);
    self->depth_map = map(GL_DEPTH_COMPONENT24, GL_DEPTH_COMPONENT, GL_UNSIGNED_INT);
    glGenFramebuffers(1, &self->depth_framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, self->depth_framebuffer);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, self->depth_map, 0);
    glDrawBuffer(GL_NONE);
    glReadBuffer(GL_NONE);
    glGenFramebuffers(2, self->framebuffers);
    for (int i = 0; i < 2; i++) {
        self->maps[i] = map(GL_R8, GL_RED, GL_UNSIGNED_BYTE);
        glBindFramebuffer(GL_FRAMEBUFFER, self->framebuffers[i]);
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, self->maps[i], 0);
    }
}

void studio_free(Studio *self)
{
    glDeleteProgram(self->ground);
    glDeleteProgram(self->soften);
    glDeleteFramebuffers(1, &self->depth_framebuffer);
    glDeleteFramebuffers(2, self->framebuffers);
    glDeleteTextures(1, &self->depth_map);
    glDeleteTextures(2, self->maps);
}

/* Light */

static void place_light(float to[PLACES], DvVec3 up, DvVec3 right, DvVec3 front, const double by[PLACES])
{
    const DvVec3 way = dv_vec3_madd(dv_vec3_madd(dv_vec3_scale(up, by[0]), by[1], right), by[2], front);
    store(dv_vec3_normalize(way), to);
}

/* The plane of the ground around the shadow of all that moves. */
static void place_ground(DvRenderer *self)
{
    Studio *studio = &self->studio;
    const DvPicture *picture = self->picture;
    const DvVec3 up = load(studio->up), key = load(studio->key), across = load(studio->across),
                 along = load(studio->along);
    float box[6];
    double least[2] = {INFINITY, INFINITY}, most[2] = {-INFINITY, -INFINITY};
    const bool above = dv_vec3_dot(dv_vec3_load(self->view->camera.position), up) > picture->ground;
    studio->grounded = studio->holds && picture->has_ground && above && !self->is_second && !picture->pass_count &&
                       !self->view->without_shadows && !self->view->transparent_background &&
                       depth_moving_box(self, box);
    for (int i = 0; studio->grounded && i < 8; i++) {
        const float corner[3] = {box[i & 1 ? 3 : 0], box[i & 2 ? 4 : 1], box[i & 4 ? 5 : 2]};
        const double height = dv_vec3_dot(load(corner), up) - picture->ground;
        const DvVec3 foot = dv_vec3_madd(load(corner), -height / dv_vec3_dot(key, up), key);
        const double place[2] = {dv_vec3_dot(foot, across), dv_vec3_dot(foot, along)};
        const double below[2] = {dv_vec3_dot(load(corner), across), dv_vec3_dot(load(corner), along)};
        for (int axis = 0; axis < 2; axis++) {
            least[axis] = fmin(least[axis], fmin(place[axis], below[axis]));
            most[axis] = fmax(most[axis], fmax(place[axis], below[axis]));
        }
    }
    const double radius = 0.6 * fmax(most[0] - least[0], most[1] - least[1]);
    studio->grounded = studio->grounded && radius > 0 && isfinite(radius);
    if (!studio->grounded)
        return;
    studio->radius = (float)radius;
    const DvVec3 middle =
        dv_vec3_madd(dv_vec3_scale(across, (least[0] + most[0]) / 2), (least[1] + most[1]) / 2, along);
    store(dv_vec3_madd(middle, picture->ground, up), studio->middle);
}

void studio_place(DvRenderer *self)
{
    static const double key[PLACES] = {0.8, -0.45, 0.55}, fill[PLACES] = {0.25, 0.8, 0.5},
                        rim[PLACES] = {0.5, 0.3, -0.9};
    Studio *studio = &self->studio;
    const DvVec3 up = dv_camera_up(self->picture->gravity);
    const DvQuat q = dv_quat_load(self->view->camera.orientation);
    DvVec3 right = dv_quat_rotate(q, dv_vec3(1, 0, 0));
    right = dv_vec3_madd(right, -dv_vec3_dot(right, up), up);
    if (!(dv_vec3_norm(right) > 0.1)) /* it lies on its side */
        right = dv_vec3_cross(up, dv_quat_rotate(q, dv_vec3(0, 0, 1)));
    if (!(dv_vec3_norm(right) > 0.1))
        right = dv_vec3_cross(up, dv_quat_rotate(q, dv_vec3(0, 1, 0)));
    right = dv_vec3_normalize(right);
    const DvVec3 front = dv_vec3_cross(right, up);
    studio->holds = !self->picture->has_lighting && !self->picture->linear_colors;
    place_light(studio->key, up, right, front, key);
    place_light(studio->fill, up, right, front, fill);
    place_light(studio->rim, up, right, front, rim);
    store(dv_vec3_normalize(dv_vec3_add(load(studio->key), dv_quat_rotate(q, dv_vec3(0, 0, 1)))), studio->half_way);
    store(up, studio->up);
    store(right, studio->across);
    store(front, studio->along);
    place_ground(self);
}

void studio_uniforms(const DvRenderer *self, const Program *program)
{
    glUniform3fv(program->at.key, 1, self->studio.key);
    glUniform3fv(program->at.fill, 1, self->studio.fill);
    glUniform3fv(program->at.rim, 1, self->studio.rim);
    glUniform3fv(program->at.half_way, 1, self->studio.half_way);
}

/* IEC 61966-2-1; beyond 1 it goes on as a line. */
static float linear_of(float c)
{
    return c >= 1 ? c : c <= 0.04045f ? c / 12.92f : powf((c + 0.055f) / 1.055f, 2.4f);
}

void studio_color(const float color[4], float linear[4])
{
    for (int c = 0; c < 3; c++)
        linear[c] = linear_of(color[c]);
    linear[3] = color[3];
}

/* A fifth of the light, of materials whose ambient colour is a fifth of the diffuse one. */
void studio_ambient(const float color[4], float linear[4])
{
    for (int c = 0; c < 3; c++)
        linear[c] = 0.2f * linear_of(5 * color[c]);
    linear[3] = color[3];
}

/* The shadow */

static void soften(Studio *self, GLuint from, int to, bool raw)
{
    static const float whole[4] = {-1, -1, 1, 1};
    glBindFramebuffer(GL_FRAMEBUFFER, self->framebuffers[to]);
    glBindTexture(GL_TEXTURE_2D, from);
    glUniform4fv(self->soften_box, 1, whole);
    glUniform2i(self->soften_step, raw ? 1 : 0, raw ? 0 : 1);
    glUniform1i(self->soften_raw, raw);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

/* From the world to the map: each point goes along the light to the ground. */
static void map_projection(const DvRenderer *self, float m[16])
{
    const Studio *studio = &self->studio;
    const DvVec3 up = load(studio->up), key = load(studio->key), middle = load(studio->middle);
    const DvVec3 axes[2] = {load(studio->across), load(studio->along)};
    const double ground = self->picture->ground, scale = 1 / (double)studio->radius;
    memset(m, 0, 16 * sizeof *m);
    for (int row = 0; row < 2; row++) {
        const double slant = dv_vec3_dot(axes[row], key) / dv_vec3_dot(up, key);
        const DvVec3 by = dv_vec3_scale(dv_vec3_madd(axes[row], -slant, up), scale);
        store(by, m + 4 * row);
        m[4 * row + 3] = (float)(scale * (slant * ground - dv_vec3_dot(middle, axes[row])));
    }
    m[15] = 1; /* depths do not count: what is there is */
}

void studio_draw_shadow(DvRenderer *self)
{
    static const float identity[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    Studio *studio = &self->studio;
    float projection[16];
    if (!studio->grounded)
        return;
    make_maps(studio);
    map_projection(self, projection);
    glBindFramebuffer(GL_FRAMEBUFFER, studio->depth_framebuffer);
    glViewport(0, 0, MAP_SIDE, MAP_SIDE);
    glEnable(GL_DEPTH_TEST);
    glDepthMask(GL_TRUE);
    glClear(GL_DEPTH_BUFFER_BIT);
    renderer_look(self, identity, projection);
    surfaces_draw(self, PASS_SHADOW, false, false);
    batches_draw(self, PASS_SHADOW, false);
    glDisable(GL_DEPTH_TEST);
    glUseProgram(studio->soften);
    glActiveTexture(GL_TEXTURE0);
    glBindVertexArray(self->empty_array);
    soften(studio, studio->depth_map, 0, true);
    soften(studio, studio->maps[0], 1, false);
}

void studio_draw_ground(DvRenderer *self)
{
    const Studio *studio = &self->studio;
    float across[3], along[3];
    if (!studio->grounded || self->pass)
        return;
    for (int c = 0; c < 3; c++) {
        across[c] = studio->radius * studio->across[c];
        along[c] = studio->radius * studio->along[c];
    }
    glUseProgram(studio->ground);
    glUniformMatrix4fv(studio->ground_view, 1, GL_TRUE, self->view_matrix);
    glUniformMatrix4fv(studio->ground_projection, 1, GL_TRUE, self->projection);
    glUniform3fv(studio->ground_middle, 1, studio->middle);
    glUniform3fv(studio->ground_across, 1, across);
    glUniform3fv(studio->ground_along, 1, along);
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, studio->maps[1]);
    glEnable(GL_BLEND);
    glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ZERO, GL_ONE);
    glDepthMask(GL_FALSE);
    glBindVertexArray(self->empty_array);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    glDepthMask(GL_TRUE);
    glDisable(GL_BLEND);
    self->stats.calls++;
}
