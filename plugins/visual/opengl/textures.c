/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "renderer.h"

static GLuint upload(DvRenderer *self, const DvPictureImage *image, const Texture *how)
{
    GLuint name;
    const GLint wrap = how->repeats ? GL_REPEAT : GL_CLAMP_TO_EDGE, magnify = how->sharp ? GL_NEAREST : GL_LINEAR;
    const GLint shrink = how->mipmaps ? (how->sharp ? GL_NEAREST_MIPMAP_NEAREST : GL_LINEAR_MIPMAP_LINEAR) : magnify;
    glGenTextures(1, &name);
    glBindTexture(GL_TEXTURE_2D, name);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTexImage2D(GL_TEXTURE_2D, 0, how->srgb ? GL_SRGB8_ALPHA8 : GL_RGBA8, (GLsizei)image->width,
                 (GLsizei)image->height, 0, GL_RGBA, GL_UNSIGNED_BYTE, image->pixels);
    self->stats.uploaded += (uint64_t)image->width * image->height * 4;
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, wrap);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, wrap);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, magnify);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, shrink);
    if (how->mipmaps)
        glGenerateMipmap(GL_TEXTURE_2D);
    return name;
}

GLuint texture_of(DvRenderer *self, const DvPictureImage *image, bool repeats, bool sharp, bool srgb, bool mipmaps)
{
    Texture *known = self->textures.at;
    for (uint32_t i = 0; i < self->textures.count; i++) {
        Texture *t = &known[i];
        if (t->id != image->id || t->repeats != repeats || t->sharp != sharp || t->srgb != srgb ||
            t->mipmaps != mipmaps)
            continue;
        t->used = self->frame;
        return t->name;
    }
    Texture *added = list_add(&self->textures, sizeof *added);
    *added = (Texture){.id = image->id, .repeats = repeats, .sharp = sharp, .srgb = srgb, .mipmaps = mipmaps};
    added->used = self->frame;
    added->name = upload(self, image, added);
    return added->name;
}
