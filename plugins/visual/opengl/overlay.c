/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What lies on top of a picture: texts in the scene and on the screen, bars of colour maps, axes of the scene and the viewer, bounds.
 * Letters, bars and lines are quads of one list, drawn in two calls: those in the scene, and those on the screen in pixels.
 */
#include "renderer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <divan/math/vec.h>
#include <divan/memory.h>

enum { SCENE_LETTER_PIXELS = 48, BAR_WIDTH = 10, BAR_HEIGHT = 100, LEAST_PIXELS = 4, MOST_PIXELS = 128 };

typedef struct Quad {
    struct {
        float at[3], uv[2];
        uint8_t color[4];
    } corner[6];
} Quad;

/* A quad by three corners: `at`, and one along each side. u NULL: no letter, all covered. */
static void add_quad(List *quads, const float at[3], const float right[3], const float up[3], const float *u,
                     const uint8_t below[4], const uint8_t above[4])
{
    static const int order[6] = {0, 1, 3, 0, 3, 2};
    Quad *quad = list_add(quads, sizeof *quad);
    for (int i = 0; i < 6; i++) {
        const int x = order[i] & 1, y = order[i] >> 1;
        for (int c = 0; c < 3; c++)
            quad->corner[i].at[c] = at[c] + (float)x * right[c] + (float)y * up[c];
        quad->corner[i].uv[0] = u ? u[x ? 2 : 0] : -1;
        quad->corner[i].uv[1] = u ? u[y ? 1 : 3] : -1;
        memcpy(quad->corner[i].color, y ? above : below, 4);
    }
}

static uint32_t lines_of(const char *text)
{
    uint32_t lines = 1;
    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

/* Width of the longest line in pixels of the letters. */
static float width_of(DvRenderer *self, const char *text, uint32_t pixels)
{
    float longest = 0, width = 0;
    for (uint32_t code; (code = font_next_code(&text)) != 0;) {
        const Letter *letter = code == '\n' ? NULL : font_letter(&self->font, code, pixels);
        width = code == '\n' ? 0 : width + (letter ? letter->advance : 0);
        longest = width > longest ? width : longest;
    }
    return longest;
}

/* The first line begins at `origin`, its lower left corner; right and up are of one pixel of the letters. */
static void add_text(DvRenderer *self, List *quads, const char *text, uint32_t pixels, const float origin[3],
                     const float right[3], const float up[3], const uint8_t color[4])
{
    float along = 0, high = 0;
    for (uint32_t code; (code = font_next_code(&text)) != 0;) {
        if (code == '\n') {
            along = 0;
            high -= 1.2f * (float)pixels;
            continue;
        }
        const Letter *letter = font_letter(&self->font, code, pixels);
        if (!letter)
            continue;
        float at[3], wide[3], tall[3];
        for (int c = 0; c < 3; c++) {
            at[c] = origin[c] + right[c] * (along + (float)letter->left) +
                    up[c] * (high + (float)(letter->top - letter->height));
            wide[c] = right[c] * (float)letter->width;
            tall[c] = up[c] * (float)letter->height;
        }
        if (letter->width)
            add_quad(quads, at, wide, tall, letter->u, color, color);
        along += letter->advance;
    }
}

static void bytes_of(const float color[4], uint8_t bytes[4])
{
    for (int i = 0; i < 4; i++)
        bytes[i] = (uint8_t)(fminf(fmaxf(color[i], 0), 1) * 255 + 0.5f);
}

static uint32_t pixels_of(float height)
{
    return height < LEAST_PIXELS ? LEAST_PIXELS : height > MOST_PIXELS ? MOST_PIXELS : (uint32_t)(height + 0.5f);
}

/* Pixels from the upper left corner; y of what is drawn counts from below. */
static void add_screen_text(DvRenderer *self, List *quads, const char *text, float height, float x, float y,
                            const uint8_t color[4])
{
    const uint32_t pixels = pixels_of(height);
    const float right[3] = {1, 0, 0}, up[3] = {0, 1, 0};
    const float origin[3] = {floorf(x + 0.5f), (float)self->view->height - floorf(y + 0.5f) - (float)pixels * 0.8f, 0};
    add_text(self, quads, text, pixels, origin, right, up, color);
}

/* The text with its lines broken at blanks where they are wider than `room`; dv_free. A word that is wider stays whole. */
static char *break_lines(DvRenderer *self, const char *text, uint32_t pixels, float room)
{
    char *broken = dv_strdup(text), *blank = NULL;
    float width = 0, since = 0; /* of the line, and of it up to the end of the last blank */
    for (const char *at = broken, *here = at; at; here = at) {
        const uint32_t code = font_next_code(&at);
        if (code == 0)
            break;
        const Letter *letter = code == '\n' ? NULL : font_letter(&self->font, code, pixels);
        width = code == '\n' ? 0 : width + (letter ? letter->advance : 0);
        if (code == '\n' || code == ' ') {
            blank = code == ' ' ? broken + (here - broken) : NULL;
            since = width;
        } else if (width > room && blank) {
            *blank = '\n';
            blank = NULL;
            width -= since;
        }
    }
    return broken;
}

static void place_on_screen(DvRenderer *self, List *quads, const DvPictureText *text)
{
    enum { MARGIN = 8 }; /* pixels, at the other side */
    const uint32_t pixels = pixels_of(text->height);
    char *words = break_lines(self, text->text, pixels, (float)self->view->width - text->x - fminf(text->x, MARGIN));
    const float width = width_of(self, words, pixels);
    const float height = (float)pixels * (1 + 1.2f * (float)(lines_of(words) - 1));
    const bool right = text->corner == DV_TOP_RIGHT || text->corner == DV_BOTTOM_RIGHT;
    const bool bottom = text->corner == DV_BOTTOM_LEFT || text->corner == DV_BOTTOM_RIGHT;
    uint8_t color[4];
    bytes_of(text->color, color);
    add_screen_text(self, quads, words, text->height, right ? (float)self->view->width - text->x - width : text->x,
                    bottom ? (float)self->view->height - text->y - height : text->y, color);
    dv_free(words);
}

/* In the scene: it faces the camera. */
static void place_in_scene(DvRenderer *self, List *quads, const DvPictureText *text)
{
    const float *v = self->view_matrix, scale = text->height / SCENE_LETTER_PIXELS;
    const float right[3] = {scale * v[0], scale * v[1], scale * v[2]},
                up[3] = {scale * v[4], scale * v[5], scale * v[6]};
    const float *m = self->picture->states[text->state].transform;
    float at[3];
    uint8_t color[4];
    for (int i = 0; i < 3; i++)
        at[i] = m[4 * i] * text->at[0] + m[4 * i + 1] * text->at[1] + m[4 * i + 2] * text->at[2] + m[4 * i + 3];
    bytes_of(text->color, color);
    add_text(self, quads, text->text, SCENE_LETTER_PIXELS, at, right, up, color);
}

/* Black on a bright background, white on a dark one (luminance of Rec. 709). */
static void contrast(const DvRenderer *self, uint8_t color[4])
{
    const double white[4] = {1, 1, 1, 1};
    const double *back = self->view->background          ? self->view->background->color
                         : self->picture->has_background ? self->picture->background.color
                                                         : white;
    const bool bright = 0.212 * back[0] + 0.715 * back[1] + 0.072 * back[2] > 0.5;
    memset(color, bright ? 0 : 255, 3);
    color[3] = 255;
}

static void add_legend(DvRenderer *self, List *quads, const DvPictureLegend *legend)
{
    char text[48];
    uint8_t ink[4];
    const float height = legend->height > 0 ? legend->height : 11, title = *legend->title ? 2 * height : 0;
    const float left = legend->x, top = legend->y + title;
    contrast(self, ink);
    for (uint32_t i = 0; i + 1 < legend->count || i == 0; i++) {
        const uint32_t steps = legend->count > 1 ? legend->count - 1 : 1;
        const float step = (float)BAR_HEIGHT / (float)steps;
        const float at[3] = {left, (float)self->view->height - top - BAR_HEIGHT + (float)i * step, 0};
        const float right[3] = {BAR_WIDTH, 0, 0}, up[3] = {0, step, 0};
        const uint8_t *next = legend->colors + 4 * (size_t)(i + 1 < legend->count ? i + 1 : i);
        add_quad(quads, at, right, up, NULL, legend->colors + 4 * (size_t)i, next);
    }
    if (!self->font.present)
        return;
    if (*legend->title)
        add_screen_text(self, quads, legend->title, height, left, top - title, ink);
    snprintf(text, sizeof text, "%.4g", legend->most);
    add_screen_text(self, quads, text, height, left + BAR_WIDTH + 4, top - height / 2, ink);
    snprintf(text, sizeof text, "%.4g", legend->least);
    add_screen_text(self, quads, text, height, left + BAR_WIDTH + 4, top + BAR_HEIGHT - height / 2, ink);
}

/* A line of the screen as a quad of some pixels. */
static void add_stroke(List *quads, const float from[2], const float to[2], float width, const uint8_t color[4])
{
    const float dx = to[0] - from[0], dy = to[1] - from[1], length = hypotf(dx, dy);
    if (!(length > 0))
        return;
    const float nx = -dy / length * width, ny = dx / length * width;
    const float at[3] = {from[0] - nx / 2, from[1] - ny / 2, 0}, right[3] = {dx, dy, 0}, up[3] = {nx, ny, 0};
    add_quad(quads, at, right, up, NULL, color, color);
}

static void add_axes(DvRenderer *self, List *quads)
{
    enum { LENGTH = 34, MARGIN = 44 };
    static const char *const names[] = {"x", "y", "z"};
    const float centre[2] = {MARGIN, MARGIN};
    for (int axis = 0; axis < 3; axis++) {
        const float *v = self->view_matrix;
        uint8_t color[4] = {axis == 0 ? 220 : 30, axis == 1 ? 170 : 30, axis == 2 ? 230 : 30, 255};
        const float end[2] = {centre[0] + LENGTH * v[axis], centre[1] + LENGTH * v[4 + axis]};
        add_stroke(quads, centre, end, 2, color);
        if (self->font.present)
            add_screen_text(self, quads, names[axis], 12, end[0] + 2, (float)self->view->height - end[1] - 6, color);
    }
}

/* Axes of the scene: solids of one colour each, seen from AXES_AWAY with an angle of 60 degrees, in a square of the screen. What lies
 * nearer is drawn later; within a part the order changes nothing. */

enum { AXES_AWAY = 3, AXES_FACETS = 16 };

typedef struct AxesPart {
    float from[3], to[3];     /* m, in the world's directions: the middles of both ends */
    float radius, end_radius; /* of both */
    bool box;                 /* sides of a square instead of a circle */
    uint8_t color[4];
    float away; /* of its middle from the eye */
} AxesPart;

typedef struct AxesSquare {
    const float *view; /* matrix by rows */
    float left, below, size;
} AxesSquare;

static void axes_pixel(const AxesSquare *square, const float at[3], float pixel[3])
{
    const float *v = square->view, half = (float)tan(DV_PI / 6);
    const float depth = AXES_AWAY - (v[8] * at[0] + v[9] * at[1] + v[10] * at[2]);
    for (int c = 0; c < 2; c++) {
        const float along = v[4 * c] * at[0] + v[4 * c + 1] * at[1] + v[4 * c + 2] * at[2];
        pixel[c] = (c ? square->below : square->left) + (along / (depth * half) + 1) / 2 * square->size;
    }
    pixel[2] = 0;
}

static void add_face(List *quads, const float corners[4][3], const uint8_t color[4])
{
    static const int order[6] = {0, 1, 2, 0, 2, 3};
    Quad *quad = list_add(quads, sizeof *quad);
    for (int i = 0; i < 6; i++) {
        memcpy(quad->corner[i].at, corners[order[i]], sizeof quad->corner[i].at);
        quad->corner[i].uv[0] = quad->corner[i].uv[1] = -1;
        memcpy(quad->corner[i].color, color, 4);
    }
}

/* A point of the rim around `middle`; the axis leads along a direction of the world. */
static void rim(const AxesPart *part, const float middle[3], float radius, int facet, float at[3])
{
    const int facets = part->box ? 4 : AXES_FACETS;
    const int axis = part->from[0] != part->to[0] ? 0 : part->from[1] != part->to[1] ? 1 : 2;
    const double angle = 2 * DV_PI * (facet + 0.5) / facets, reach = part->box ? radius * sqrt(2) : radius;
    memcpy(at, middle, 3 * sizeof *at);
    at[(axis + 1) % 3] += (float)(reach * cos(angle));
    at[(axis + 2) % 3] += (float)(reach * sin(angle));
}

static void add_part(List *quads, const AxesSquare *square, const AxesPart *part)
{
    const int facets = part->box ? 4 : AXES_FACETS;
    float middle[2][3];
    axes_pixel(square, part->from, middle[0]);
    axes_pixel(square, part->to, middle[1]);
    for (int i = 0; i < facets; i++) {
        float side[4][3];
        for (int k = 0; k < 4; k++) {
            const bool end = k == 2 || k == 3;
            float at[3];
            rim(part, end ? part->to : part->from, end ? part->end_radius : part->radius, i + (k == 1 || k == 2), at);
            axes_pixel(square, at, side[k]);
        }
        add_face(quads, side, part->color);
        for (int end = 0; end < 2; end++) {
            float cap[4][3];
            memcpy(cap[0], middle[end], sizeof cap[0]);
            memcpy(cap[1], side[end ? 3 : 0], sizeof cap[1]);
            memcpy(cap[2], side[end ? 2 : 1], sizeof cap[2]);
            memcpy(cap[3], middle[end], sizeof cap[3]);
            add_face(quads, cap, part->color);
        }
    }
}

static const uint8_t axes_colors[3][4] = {{255, 0, 0, 255}, {0, 255, 0, 255}, {0, 0, 255, 255}};
static const uint8_t axes_grey[4] = {128, 128, 128, 255};

/* From `from` to `to` along an axis of the world. */
static void put_part(AxesPart **next, int axis, float from, float to, float radius, float end_radius,
                     const uint8_t color[4])
{
    AxesPart *part = (*next)++;
    *part = (AxesPart){.radius = radius, .end_radius = end_radius};
    part->from[axis] = from;
    part->to[axis] = to;
    memcpy(part->color, color, 4);
}

enum { AXES_PARTS = 7 };

static uint32_t parts_of_axes(DvAxesStyle style, AxesPart parts[AXES_PARTS])
{
    AxesPart *next = parts;
    for (int axis = 0; axis < 3; axis++) {
        const uint8_t *color = axes_colors[axis];
        if (style == DV_AXES_CYLINDERS) {
            put_part(&next, axis, 0, 1, 0.05f, 0.05f, color);
        } else if (style == DV_AXES_ARROWS) {
            put_part(&next, axis, 0, 0.8f, 0.05f, 0.05f, color);
            put_part(&next, axis, 0.8f, 1, 0.125f, 0, color);
        } else {
            put_part(&next, axis, 1, 0.25f, 0.25f, 0, color); /* their tips at the cube */
            put_part(&next, axis, -1, -0.25f, 0.25f, 0, axes_grey);
        }
    }
    if (style == DV_AXES_CUBE) {
        put_part(&next, 2, -0.25f, 0.25f, 0.25f, 0.25f, axes_grey);
        next[-1].box = true;
    }
    return (uint32_t)(next - parts);
}

static int farther_first(const void *a_, const void *b_)
{
    const AxesPart *a = a_, *b = b_;
    return (a->away < b->away) - (a->away > b->away);
}

/* Of the scene, in a corner. */
static void add_scene_axes(DvRenderer *self, List *quads, const DvSceneAxes *axes)
{
    const float *v = self->view_matrix, size = (float)axes->size;
    const bool right = axes->corner == DV_TOP_RIGHT || axes->corner == DV_BOTTOM_RIGHT;
    const bool top = axes->corner == DV_TOP_LEFT || axes->corner == DV_TOP_RIGHT;
    const AxesSquare square = {v, right ? (float)self->view->width - size : 0,
                               top ? (float)self->view->height - size : 0, size};
    AxesPart parts[AXES_PARTS];
    const uint32_t count = parts_of_axes(axes->style, parts);
    for (uint32_t i = 0; i < count; i++) {
        float middle[3];
        for (int c = 0; c < 3; c++)
            middle[c] = (parts[i].from[c] + parts[i].to[c]) / 2;
        parts[i].away = AXES_AWAY - (v[8] * middle[0] + v[9] * middle[1] + v[10] * middle[2]);
    }
    qsort(parts, count, sizeof *parts, farther_first);
    for (uint32_t i = 0; i < count; i++)
        add_part(quads, &square, &parts[i]);
}

static bool project(const DvRenderer *self, const double at[3], float pixel[2])
{
    float whole[16], to[4];
    matrix_multiply(self->projection, self->view_matrix, whole);
    for (int i = 0; i < 4; i++)
        to[i] = whole[4 * i] * (float)at[0] + whole[4 * i + 1] * (float)at[1] + whole[4 * i + 2] * (float)at[2] +
                whole[4 * i + 3];
    if (!(to[3] > 0))
        return false;
    pixel[0] = (to[0] / to[3] + 1) / 2 * (float)self->view->width;
    pixel[1] = (to[1] / to[3] + 1) / 2 * (float)self->view->height;
    return true;
}

static void add_box(DvRenderer *self, List *quads)
{
    static const uint8_t yellow[4] = {230, 180, 20, 255};
    const double *box = self->picture->box;
    for (int corner = 0; self->picture->has_box && corner < 8; corner++)
        for (int axis = 0; axis < 3; axis++) {
            const int other = corner | 1 << axis;
            float from[2], to[2];
            double a[3], b[3];
            for (int i = 0; i < 3; i++) {
                a[i] = box[corner >> i & 1 ? 3 + i : i];
                b[i] = box[other >> i & 1 ? 3 + i : i];
            }
            if (other != corner && project(self, a, from) && project(self, b, to))
                add_stroke(quads, from, to, 1.5f, yellow);
        }
}

static void draw_quads(DvRenderer *self, const List *quads, const float view[16], const float projection[16])
{
    if (!quads->count)
        return;
    const size_t bytes = quads->count * sizeof(Quad);
    const GLsizei stride = sizeof(Quad) / 6;
    if (!self->text_array) {
        glGenVertexArrays(1, &self->text_array);
        glGenBuffers(1, &self->text_buffer);
    }
    glBindVertexArray(self->text_array);
    glBindBuffer(GL_ARRAY_BUFFER, self->text_buffer);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)bytes, quads->at, GL_STREAM_DRAW);
    self->stats.uploaded += bytes;
    glEnableVertexAttribArray(AT_POSITION);
    glEnableVertexAttribArray(AT_TEXCOORD);
    glEnableVertexAttribArray(AT_COLOR);
    glVertexAttribPointer(AT_POSITION, 3, GL_FLOAT, GL_FALSE, stride, NULL);
    glVertexAttribPointer(AT_TEXCOORD, 2, GL_FLOAT, GL_FALSE, stride, (const void *)(3 * sizeof(float)));
    glVertexAttribPointer(AT_COLOR, 4, GL_UNSIGNED_BYTE, GL_TRUE, stride, (const void *)(5 * sizeof(float)));
    glUseProgram(self->letters.name);
    glUniformMatrix4fv(self->letters.view, 1, GL_TRUE, view);
    glUniformMatrix4fv(self->letters.projection, 1, GL_TRUE, projection);
    glUniform1i(self->letters.texture, 0);
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, self->font.atlas);
    glEnable(GL_BLEND);
    glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    glDrawArrays(GL_TRIANGLES, 0, (GLsizei)(6 * quads->count));
    glDisable(GL_BLEND);
    self->stats.calls++;
}

/* What the screen shows once, whatever the number of views. */
static void add_screen(DvRenderer *self, List *quads, bool letters)
{
    const DvPicture *picture = self->picture;
    for (uint32_t i = 0; letters && !self->view->without_texts && i < picture->text_count; i++)
        if (picture->texts[i].on_screen)
            place_on_screen(self, quads, &picture->texts[i]);
    for (uint32_t i = 0; !self->view->without_texts && i < picture->legend_count; i++)
        add_legend(self, quads, &picture->legends[i]);
    for (uint32_t i = 0; i < picture->axes_count; i++)
        add_scene_axes(self, quads, &picture->axes[i]);
    if (self->view->shows_axes)
        add_axes(self, quads);
}

void overlay_draw(DvRenderer *self)
{
    const DvPicture *picture = self->picture;
    List scene = {0}, screen = {0};
    const float pixels[16] = {
        2 / (float)self->view->width, 0, 0, -1, 0, 2 / (float)self->view->height, 0, -1, 0, 0, 1, 0, 0, 0, 0, 1};
    static const float identity[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    const bool letters =
        (picture->text_count || picture->legend_count || self->view->shows_axes) && font_open(&self->font);
    if (letters)
        font_begin_frame(&self->font);
    for (uint32_t i = 0; letters && !self->view->without_texts && i < picture->text_count; i++)
        if (!picture->texts[i].on_screen)
            place_in_scene(self, &scene, &picture->texts[i]);
    if (!self->is_second)
        add_screen(self, &screen, letters);
    if (self->view->shows_box)
        add_box(self, &screen);
    glDisable(GL_DEPTH_TEST);
    draw_quads(self, &scene, self->view_matrix, self->projection);
    draw_quads(self, &screen, identity, pixels);
    list_free(&scene);
    list_free(&screen);
}
