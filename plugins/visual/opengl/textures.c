/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "renderer.h"

#include <string.h>

#include <divan/log.h>
#include <divan/memory.h>

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
        if (t->cube || t->id != image->id || t->repeats != repeats || t->sharp != sharp || t->srgb != srgb ||
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

/* The rows of a side begin at its upper edge, those of other textures at the lower one. */
static void upload_side(DvRenderer *self, int side, const DvPictureImage *image, bool srgb)
{
    const size_t row = 4 * (size_t)image->width;
    uint8_t *pixels = dv_alloc(image->height, row);
    for (uint32_t y = 0; y < image->height; y++)
        memcpy(pixels + y * row, image->pixels + (image->height - 1 - y) * row, row);
    glTexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + (GLenum)side, 0, srgb ? GL_SRGB8_ALPHA8 : GL_RGBA8,
                 (GLsizei)image->width, (GLsizei)image->height, 0, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    self->stats.uploaded += image->height * row;
    dv_free(pixels);
}

static bool are_squares(const DvPictureUniform *uniform)
{
    bool good = true;
    for (int side = 0; side < 6; side++) {
        const DvPictureImage *image = uniform->sides[side];
        good = good && image && image->width == image->height && image->width == uniform->sides[0]->width;
    }
    return good;
}

static GLuint upload_cube(DvRenderer *self, const DvPictureUniform *uniform)
{
    GLuint name;
    const GLint magnify = uniform->sharp ? GL_NEAREST : GL_LINEAR;
    glGenTextures(1, &name);
    glBindTexture(GL_TEXTURE_CUBE_MAP, name);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    for (int side = 0; side < 6; side++)
        upload_side(self, side, uniform->sides[side], uniform->srgb);
    glTexParameteri(GL_TEXTURE_CUBE_MAP, GL_TEXTURE_MAG_FILTER, magnify);
    glTexParameteri(GL_TEXTURE_CUBE_MAP, GL_TEXTURE_MIN_FILTER, magnify);
    glTexParameteri(GL_TEXTURE_CUBE_MAP, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_CUBE_MAP, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_CUBE_MAP, GL_TEXTURE_WRAP_R, GL_CLAMP_TO_EDGE);
    return name;
}

GLuint texture_of_cube(DvRenderer *self, const DvPictureUniform *uniform)
{
    Texture *known = self->textures.at;
    uint64_t id = 0;
    for (int side = 0; side < 6; side++)
        id = 31 * id + (uniform->sides[side] ? uniform->sides[side]->id : 0);
    for (uint32_t i = 0; i < self->textures.count; i++)
        if (known[i].cube && known[i].id == id && known[i].sharp == uniform->sharp && known[i].srgb == uniform->srgb) {
            known[i].used = self->frame;
            return known[i].name;
        }
    Texture *added = list_add(&self->textures, sizeof *added);
    *added = (Texture){.id = id, .cube = true, .sharp = uniform->sharp, .srgb = uniform->srgb, .used = self->frame};
    if (are_squares(uniform))
        added->name = upload_cube(self, uniform);
    else
        dv_log(DV_LEVEL_WARNING, "%s: the sides of a cube must be squares of one size; the texture is black",
               uniform->owner);
    return added->name;
}
