/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "renderer.h"

#include <string.h>

static GLuint renderbuffer(GLenum format, const Targets *t)
{
    GLuint name;
    glGenRenderbuffers(1, &name);
    glBindRenderbuffer(GL_RENDERBUFFER, name);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, t->samples > 1 ? t->samples : 0, format, (GLsizei)t->width,
                                     (GLsizei)t->height);
    return name;
}

static GLuint texture(GLenum inner, GLenum format, GLenum type, const Targets *t)
{
    GLuint name;
    glGenTextures(1, &name);
    glBindTexture(GL_TEXTURE_2D, name);
    glTexImage2D(GL_TEXTURE_2D, 0, (GLint)inner, (GLsizei)t->width, (GLsizei)t->height, 0, format, type, NULL);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    return name;
}

static GLuint framebuffer(void)
{
    GLuint name;
    glGenFramebuffers(1, &name);
    glBindFramebuffer(GL_FRAMEBUFFER, name);
    return name;
}

/* Colours of the picture. */
static GLenum color_format(const Targets *t)
{
    return t->linear ? GL_SRGB8_ALPHA8 : GL_RGBA8;
}

static GLenum depth_format(const Targets *t)
{
    return t->reversed ? GL_DEPTH_COMPONENT32F : GL_DEPTH_COMPONENT24;
}

static bool is_complete(void)
{
    return glGetError() == GL_NO_ERROR && glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
}

static DvStatus no_memory(Targets *targets, DvText *why)
{
    dv_text_add(
        why,
        "the graphics card has no memory for a picture of %u x %u pixels with %d samples each; ask for a smaller one",
        targets->width, targets->height, (int)targets->samples);
    targets_free(targets);
    return DV_ERROR_LIMIT;
}

static void free_mixing(Targets *t)
{
    glDeleteFramebuffers(1, &t->mixing);
    glDeleteFramebuffers(1, &t->mixed);
    glDeleteRenderbuffers(1, &t->mixing_color);
    glDeleteRenderbuffers(1, &t->mixing_weight);
    glDeleteTextures(1, &t->mixed_color);
    glDeleteTextures(1, &t->mixed_weight);
}

static void free_behind(Targets *t)
{
    glDeleteFramebuffers(1, &t->behind);
    glDeleteTextures(1, &t->behind_texture);
    t->behind = t->behind_texture = 0;
}

static void free_post(Targets *t)
{
    glDeleteFramebuffers(1, &t->post);
    glDeleteFramebuffers(1, &t->depths);
    glDeleteTextures(1, &t->post_color);
    glDeleteTextures(1, &t->post_depth);
    glDeleteTextures(1, &t->depths_texture);
}

void targets_free(Targets *t)
{
    free_mixing(t);
    free_behind(t);
    free_post(t);
    glDeleteFramebuffers(1, &t->drawing);
    glDeleteFramebuffers(1, &t->picture);
    glDeleteRenderbuffers(1, &t->color);
    glDeleteRenderbuffers(1, &t->depth);
    glDeleteRenderbuffers(1, &t->picture_depth);
    glDeleteTextures(1, &t->picture_texture);
    *t = (Targets){0};
}

DvStatus targets_fit(Targets *t, const DvRenderView *view, GLsizei samples, bool linear, bool reversed, DvText *why)
{
    if (t->width == view->width && t->height == view->height && t->samples == samples && t->linear == linear &&
        t->reversed == reversed)
        return DV_OK;
    while (glGetError() != GL_NO_ERROR) {
    }
    targets_free(t);
    t->width = view->width;
    t->height = view->height;
    t->samples = samples;
    t->linear = linear;
    t->reversed = reversed;
    t->picture = framebuffer();
    t->picture_texture = texture(color_format(t), GL_RGBA, GL_UNSIGNED_BYTE, t);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, t->picture_texture, 0);
    bool good = is_complete();
    if (good && samples > 1) {
        t->drawing = framebuffer();
        t->color = renderbuffer(color_format(t), t);
        glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, t->color);
    }
    if (good) {
        t->depth = renderbuffer(depth_format(t), t);
        glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, t->depth);
        good = is_complete();
    }
    return good ? DV_OK : no_memory(t, why);
}

DvStatus targets_fit_mixing(Targets *t, DvText *why)
{
    static const GLenum both[] = {GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1};
    if (t->mixing)
        return DV_OK;
    while (glGetError() != GL_NO_ERROR) {
    }
    t->mixed = framebuffer();
    t->mixed_color = texture(GL_RGBA16F, GL_RGBA, GL_HALF_FLOAT, t);
    t->mixed_weight = texture(GL_R16F, GL_RED, GL_HALF_FLOAT, t);
    glFramebufferTexture2D(GL_FRAMEBUFFER, both[0], GL_TEXTURE_2D, t->mixed_color, 0);
    glFramebufferTexture2D(GL_FRAMEBUFFER, both[1], GL_TEXTURE_2D, t->mixed_weight, 0);
    glDrawBuffers(2, both);
    bool good = is_complete();
    t->mixing = framebuffer();
    t->mixing_color = renderbuffer(GL_RGBA16F, t);
    t->mixing_weight = renderbuffer(GL_R16F, t);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, both[0], GL_RENDERBUFFER, t->mixing_color);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, both[1], GL_RENDERBUFFER, t->mixing_weight);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, t->depth);
    glDrawBuffers(2, both);
    good = is_complete() && good;
    return good ? DV_OK : no_memory(t, why);
}

bool targets_fit_behind(Targets *t)
{
    if (t->behind)
        return true;
    while (glGetError() != GL_NO_ERROR) {
    }
    t->behind = framebuffer();
    t->behind_texture = texture(color_format(t), GL_RGBA, GL_UNSIGNED_BYTE, t);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, t->behind_texture, 0);
    const bool good = is_complete();
    if (!good)
        free_behind(t);
    return good;
}

DvStatus targets_fit_post(Targets *t, DvText *why)
{
    if (t->post)
        return DV_OK;
    while (glGetError() != GL_NO_ERROR) {
    }
    t->post = framebuffer();
    t->post_color = texture(color_format(t), GL_RGBA, GL_UNSIGNED_BYTE, t);
    t->post_depth = texture(depth_format(t), GL_DEPTH_COMPONENT, GL_FLOAT, t);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, t->post_color, 0);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, t->post_depth, 0);
    bool good = is_complete();
    t->depths = framebuffer();
    t->depths_texture = texture(GL_R32F, GL_RED, GL_FLOAT, t);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, t->depths_texture, 0);
    good = is_complete() && good;
    return good ? DV_OK : no_memory(t, why);
}

void targets_copy(const Targets *t, GLuint from, GLuint to, GLenum attachment)
{
    glBindFramebuffer(GL_READ_FRAMEBUFFER, from);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, to);
    glReadBuffer(attachment);
    glDrawBuffer(attachment);
    glBlitFramebuffer(0, 0, (GLint)t->width, (GLint)t->height, 0, 0, (GLint)t->width, (GLint)t->height,
                      GL_COLOR_BUFFER_BIT, GL_NEAREST);
}

GLuint targets_drawing(const Targets *t)
{
    return t->drawing ? t->drawing : t->picture;
}
