/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Letters: DejaVu Sans, drawn by FreeType in the size in which they are shown and kept in one texture. When that is full it begins
 * anew. DIVAN_FONT names another file; without any, texts are not shown, and one line says so.
 */
#include "renderer.h"

#include <ft2build.h>
#include <stdlib.h>

#include FT_FREETYPE_H

#include <divan/log.h>

static const char *const places[] = {
    "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf",
    "/usr/share/fonts/dejavu-sans-fonts/DejaVuSans.ttf",
    "/usr/share/fonts/TTF/DejaVuSans.ttf",
    "/usr/share/fonts/dejavu/DejaVuSans.ttf",
};

bool font_open(Font *font)
{
    FT_Library library = NULL;
    FT_Face face = NULL;
    if (font->opened)
        return font->present;
    font->opened = true;
    if (FT_Init_FreeType(&library) != 0)
        return false;
    const char *named = getenv("DIVAN_FONT");
    bool found = named && FT_New_Face(library, named, 0, &face) == 0;
    if (named && !found)
        dv_log(DV_LEVEL_WARNING,
               "DIVAN_FONT names '%s', which is no font that can be read: texts are in DejaVu Sans, where it is",
               named);
    for (size_t i = 0; !found && i < sizeof places / sizeof *places; i++)
        found = FT_New_Face(library, places[i], 0, &face) == 0;
    font->library = library;
    font->face = face;
    font->present = found;
    if (!found)
        dv_log(DV_LEVEL_WARNING, "texts are not shown: no font; on Debian: apt-get install fonts-dejavu-core, or let "
                                 "DIVAN_FONT name a font file");
    return found;
}

static void clear_atlas(Font *font)
{
    static const uint8_t black[ATLAS_SIDE * ATLAS_SIDE];
    if (!font->atlas)
        glGenTextures(1, &font->atlas);
    glBindTexture(GL_TEXTURE_2D, font->atlas);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_R8, ATLAS_SIDE, ATLAS_SIDE, 0, GL_RED, GL_UNSIGNED_BYTE, black);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    font->letters.count = 0;
    font->x = font->y = 1;
    font->row = 0;
}

/* A place for a bitmap, with a pixel of black around it; false when the atlas is full. */
static bool find_place(Font *font, uint32_t width, uint32_t height)
{
    if (font->x + width + 1 > ATLAS_SIDE) {
        font->x = 1;
        font->y += font->row + 1;
        font->row = 0;
    }
    if (font->y + height + 1 > ATLAS_SIDE)
        return false;
    font->row = height > font->row ? height : font->row;
    return true;
}

const Letter *font_letter(Font *font, uint32_t code, uint32_t pixels)
{
    const Letter *known = font->letters.at;
    for (uint32_t i = 0; i < font->letters.count; i++)
        if (known[i].code == code && known[i].pixels == pixels)
            return &known[i];
    FT_Face face = font->face;
    if (!font->atlas)
        clear_atlas(font);
    if (FT_Set_Pixel_Sizes(face, 0, pixels) != 0 || FT_Load_Char(face, code, FT_LOAD_RENDER) != 0)
        return NULL;
    const FT_Bitmap *bitmap = &face->glyph->bitmap;
    if (!find_place(font, bitmap->width, bitmap->rows))
        return NULL;
    glBindTexture(GL_TEXTURE_2D, font->atlas);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTexSubImage2D(GL_TEXTURE_2D, 0, (GLint)font->x, (GLint)font->y, (GLsizei)bitmap->width, (GLsizei)bitmap->rows,
                    GL_RED, GL_UNSIGNED_BYTE, bitmap->buffer);
    Letter *letter = list_add(&font->letters, sizeof *letter);
    *letter =
        (Letter){.code = code,
                 .pixels = pixels,
                 .left = face->glyph->bitmap_left,
                 .top = face->glyph->bitmap_top,
                 .width = (int)bitmap->width,
                 .height = (int)bitmap->rows,
                 .advance = (float)face->glyph->advance.x / 64,
                 .u = {(float)font->x / ATLAS_SIDE, (float)font->y / ATLAS_SIDE,
                       (float)(font->x + bitmap->width) / ATLAS_SIDE, (float)(font->y + bitmap->rows) / ATLAS_SIDE}};
    font->x += bitmap->width + 1;
    return letter;
}

void font_begin_frame(Font *font)
{
    if (font->atlas && font->y > ATLAS_SIDE * 3 / 4)
        clear_atlas(font);
}

void font_free(Font *font)
{
    if (font->face)
        FT_Done_Face(font->face);
    if (font->library)
        FT_Done_FreeType(font->library);
    glDeleteTextures(1, &font->atlas);
    list_free(&font->letters);
}

uint32_t font_next_code(const char **text)
{
    const unsigned char *at = (const unsigned char *)*text;
    if (!*at)
        return 0;
    const int more = *at < 0x80 ? 0 : *at < 0xe0 ? 1 : *at < 0xf0 ? 2 : 3;
    uint32_t code = more == 0 ? *at : *at & (0x3fu >> more);
    int i = 1;
    for (; i <= more && (at[i] & 0xc0) == 0x80; i++)
        code = code << 6 | (at[i] & 0x3fu);
    *text += i;
    return i > more ? code : 0xfffd;
}
