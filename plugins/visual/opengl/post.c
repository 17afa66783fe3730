/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The picture, drawn once more over the whole by shaders of the scene: they are given a copy of it, and its depths.
 */
#include "renderer.h"

static void make_square(DvRenderer *self)
{
    static const GLfloat corners[4][5] = {{-1, -1, 0, 0, 0}, {1, -1, 0, 1, 0}, {-1, 1, 0, 0, 1}, {1, 1, 0, 1, 1}};
    if (self->square_array)
        return;
    glGenVertexArrays(1, &self->square_array);
    glGenBuffers(1, &self->square_buffer);
    glBindVertexArray(self->square_array);
    glBindBuffer(GL_ARRAY_BUFFER, self->square_buffer);
    glBufferData(GL_ARRAY_BUFFER, sizeof corners, corners, GL_STATIC_DRAW);
    glEnableVertexAttribArray(AT_POSITION);
    glEnableVertexAttribArray(AT_TEXCOORD);
    glVertexAttribPointer(AT_POSITION, 3, GL_FLOAT, GL_FALSE, sizeof corners[0], NULL);
    glVertexAttribPointer(AT_TEXCOORD, 2, GL_FLOAT, GL_FALSE, sizeof corners[0], (const void *)(3 * sizeof(float)));
}

static void bind(GLenum unit, GLuint texture)
{
    glActiveTexture(GL_TEXTURE0 + unit);
    glBindTexture(GL_TEXTURE_2D, texture);
    glActiveTexture(GL_TEXTURE0);
}

static void copy_depths(const Targets *t)
{
    const GLint w = (GLint)t->width, h = (GLint)t->height;
    glBindFramebuffer(GL_READ_FRAMEBUFFER, targets_drawing(t));
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, t->post);
    glBlitFramebuffer(0, 0, w, h, 0, 0, w, h, GL_DEPTH_BUFFER_BIT, GL_NEAREST);
}

/* Depths by the planes of a post-process instead of those of the camera. */
static void draw_depths(DvRenderer *self, const DvPicturePost *post)
{
    static const float whole[4] = {-1, -1, 1, 1};
    glBindFramebuffer(GL_FRAMEBUFFER, self->targets.depths);
    glUseProgram(self->depths.name);
    glUniform4fv(self->depths.box, 1, whole);
    glUniform1i(self->depths.texture, 0);
    depth_uniforms(self, self->depths.depths, self->depths.stored, self->projection);
    glUniform2f(self->depths.range, (float)post->near, (float)post->far);
    bind(0, self->targets.post_depth);
    glBindVertexArray(self->empty_array);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

void post_draw_square(DvRenderer *self)
{
    make_square(self);
    glBindVertexArray(self->square_array);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    self->stats.calls++;
}

static void draw_once_more(DvRenderer *self, const DvPicturePost *post)
{
    const Targets *t = &self->targets;
    const int32_t shader = (int32_t)post->shader;
    targets_copy(t, t->picture, t->post, GL_COLOR_ATTACHMENT0);
    draw_depths(self, post);
    const Program *program = scene_shader_use(self, shader, PASS_POST);
    if (!program)
        return;
    scene_shader_bind(self, shader, program, NULL, 0);
    glUniform1i(glGetUniformLocation(program->name, "colorTexture"), 0);
    glUniform1i(glGetUniformLocation(program->name, "depthTexture"), 1);
    glUniform2f(glGetUniformLocation(program->name, "pixelSize"), 1 / (float)t->width, 1 / (float)t->height);
    bind(0, t->post_color);
    bind(1, t->depths_texture);
    glBindFramebuffer(GL_FRAMEBUFFER, t->picture);
    post_draw_square(self);
}

DvStatus post_draw(DvRenderer *self, DvText *why)
{
    const DvPicture *picture = self->picture;
    if (!picture->post_count)
        return DV_OK;
    const DvStatus status = targets_fit_post(&self->targets, why);
    if (status != DV_OK)
        return status;
    copy_depths(&self->targets);
    glDisable(GL_DEPTH_TEST);
    glDepthMask(GL_FALSE);
    for (uint32_t i = 0; i < picture->post_count; i++)
        draw_once_more(self, &picture->posts[i]);
    glDepthMask(GL_TRUE);
    return DV_OK;
}

void post_free(DvRenderer *self)
{
    glDeleteVertexArrays(1, &self->square_array);
    glDeleteBuffers(1, &self->square_buffer);
}
