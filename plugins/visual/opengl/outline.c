/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A line around what is selected: its depths are drawn once more without all else, and each pixel within reach of one of them takes
 * the colour of the line. The distance is found row by row, then column by column, in the rectangle that the box of it covers.
 */
#include "renderer.h"

#include <math.h>

enum { REACH = 4 }; /* pixels around something that the line may take */

static GLuint make_program(const char *fragment, DvText *why)
{
    const ProgramText text = {.stages = {shader_screen_vertex, fragment}, .head = ""};
    int failed;
    return program_compile(&text, why, &failed);
}

bool outline_make(Outline *self, DvText *why)
{
    self->across = make_program(shader_across_fragment, why);
    self->line = make_program(shader_line_fragment, why);
    self->across_box = glGetUniformLocation(self->across, "dv_box");
    self->across_empty = glGetUniformLocation(self->across, "dv_empty");
    self->line_box = glGetUniformLocation(self->line, "dv_box");
    self->line_color = glGetUniformLocation(self->line, "dv_color");
    return self->across && self->line;
}

static void free_targets(Outline *self)
{
    glDeleteFramebuffers(1, &self->mask);
    glDeleteFramebuffers(1, &self->spread);
    glDeleteTextures(1, &self->mask_depths);
    glDeleteTextures(1, &self->spread_texture);
    self->width = self->height = 0;
}

void outline_free(Outline *self)
{
    free_targets(self);
    glDeleteProgram(self->across);
    glDeleteProgram(self->line);
}

static GLuint target(GLenum attachment, GLenum inner, GLenum format, GLenum type, const Outline *self, GLuint *texture)
{
    GLuint name;
    glGenTextures(1, texture);
    glBindTexture(GL_TEXTURE_2D, *texture);
    glTexImage2D(GL_TEXTURE_2D, 0, (GLint)inner, (GLsizei)self->width, (GLsizei)self->height, 0, format, type, NULL);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glGenFramebuffers(1, &name);
    glBindFramebuffer(GL_FRAMEBUFFER, name);
    glFramebufferTexture2D(GL_FRAMEBUFFER, attachment, GL_TEXTURE_2D, *texture, 0);
    return name;
}

static bool is_complete(void)
{
    return glGetError() == GL_NO_ERROR && glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
}

/* False: there is no memory; the picture is worth having without the line. */
static bool fit_targets(Outline *self, const Targets *t)
{
    if (self->width == t->width && self->height == t->height && self->reversed == t->reversed)
        return true;
    while (glGetError() != GL_NO_ERROR) {
    }
    free_targets(self);
    self->width = t->width;
    self->height = t->height;
    self->reversed = t->reversed;
    glActiveTexture(GL_TEXTURE0);
    self->mask = target(GL_DEPTH_ATTACHMENT, t->reversed ? GL_DEPTH_COMPONENT32F : GL_DEPTH_COMPONENT24,
                        GL_DEPTH_COMPONENT, GL_FLOAT, self, &self->mask_depths);
    glDrawBuffer(GL_NONE);
    glReadBuffer(GL_NONE);
    bool good = is_complete();
    self->spread = target(GL_COLOR_ATTACHMENT0, GL_R8, GL_RED, GL_UNSIGNED_BYTE, self, &self->spread_texture);
    good = is_complete() && good;
    if (!good)
        free_targets(self);
    return good;
}

/* What the box covers of the picture, pixels from the lower left corner. */
typedef struct Covered {
    double least[2], most[2];
} Covered;

/* Half the size of points, or the width of lines, whichever is most: their box knows nothing of it. */
static double half_of_marks(const DvRenderer *self)
{
    const DvPicture *picture = self->picture;
    double most = 0;
    for (uint32_t i = 0; i < picture->surface_count; i++) {
        const DvPictureSurface *surface = &picture->surfaces[i];
        if (dv_picture_is_below(surface->path, self->view->outline))
            most = fmax(most, fmax(surface->style.point_size, surface->style.line_width));
    }
    for (uint32_t i = 0; i < picture->owner_count; i++)
        if (dv_picture_is_below(picture->owners[i].path, self->view->outline))
            most = fmax(most, (double)picture->batches[picture->owners[i].batch].pixels);
    return ceil(most / 2);
}

static Covered cover(const DvRenderer *self, const float box[6])
{
    const double size[2] = {self->view->width, self->view->height};
    Covered covered = {{INFINITY, INFINITY}, {-INFINITY, -INFINITY}};
    float whole[16];
    matrix_multiply(self->projection, self->view_matrix, whole);
    for (int corner = 0; corner < 8; corner++) {
        const float at[4] = {box[corner & 1 ? 3 : 0], box[corner & 2 ? 4 : 1], box[corner & 4 ? 5 : 2], 1};
        double to[4] = {0, 0, 0, 0};
        for (int i = 0; i < 16; i++)
            to[i / 4] += (double)whole[i] * (double)at[i % 4];
        if (!(to[3] > 0)) /* behind the eye: it may be seen anywhere */
            return (Covered){{0, 0}, {size[0], size[1]}};
        for (int c = 0; c < 2; c++) {
            covered.least[c] = fmin(covered.least[c], (to[c] / to[3] + 1) / 2 * size[c]);
            covered.most[c] = fmax(covered.most[c], (to[c] / to[3] + 1) / 2 * size[c]);
        }
    }
    const double marks = half_of_marks(self);
    for (int c = 0; c < 2; c++) {
        covered.least[c] -= marks;
        covered.most[c] += marks;
    }
    return covered;
}

/* What is drawn is only drawn there, and `margin` pixels around. False: that is beside the picture. */
static bool restrict_to(const DvRenderer *self, const Covered *covered, int margin)
{
    const double size[2] = {self->view->width, self->view->height};
    int from[2], extent[2];
    for (int c = 0; c < 2; c++) {
        from[c] = (int)floor(fmin(fmax(covered->least[c] - margin, 0), size[c]));
        extent[c] = (int)ceil(fmin(fmax(covered->most[c] + margin, 0), size[c])) - from[c];
    }
    glScissor(from[0], from[1], extent[0], extent[1]);
    return extent[0] > 0 && extent[1] > 0;
}

static void draw_mask(DvRenderer *self)
{
    glBindFramebuffer(GL_FRAMEBUFFER, self->outline.mask);
    glEnable(GL_DEPTH_TEST);
    glDepthMask(GL_TRUE);
    glClear(GL_DEPTH_BUFFER_BIT);
    renderer_look(self, self->view_matrix, self->projection);
    surfaces_draw_below(self, self->view->outline);
    batches_draw_below(self, self->view->outline);
    glDisable(GL_DEPTH_TEST);
}

/* Each step reads what the step before it has drawn up to REACH pixels away. */
static void draw_line(DvRenderer *self, const Covered *covered)
{
    static const float all[4] = {-1, -1, 1, 1}, color[4] = {1, 0.58f, 0.1f, 1};
    const Outline *outline = &self->outline;
    glActiveTexture(GL_TEXTURE0);
    glBindVertexArray(self->empty_array);
    glBindFramebuffer(GL_FRAMEBUFFER, outline->spread);
    glUseProgram(outline->across);
    glUniform4fv(outline->across_box, 1, all);
    glUniform1f(outline->across_empty, self->reversed ? 0 : 1);
    glBindTexture(GL_TEXTURE_2D, outline->mask_depths);
    (void)restrict_to(self, covered, 2 * REACH);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    glBindFramebuffer(GL_FRAMEBUFFER, self->targets.picture);
    glUseProgram(outline->line);
    glUniform4fv(outline->line_box, 1, all);
    glUniform4fv(outline->line_color, 1, color);
    glBindTexture(GL_TEXTURE_2D, outline->spread_texture);
    glEnable(GL_BLEND);
    glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    (void)restrict_to(self, covered, REACH);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    glDisable(GL_BLEND);
    self->stats.calls += 2;
}

void outline_draw(DvRenderer *self)
{
    float box[6];
    if (!depth_box_below(self, self->view->outline, box) || !fit_targets(&self->outline, &self->targets))
        return;
    const Covered covered = cover(self, box);
    glViewport(0, 0, (GLsizei)self->view->width, (GLsizei)self->view->height);
    glDisable(GL_FRAMEBUFFER_SRGB); /* the line has a colour of the screen */
    glEnable(GL_SCISSOR_TEST);
    if (restrict_to(self, &covered, 3 * REACH)) {
        draw_mask(self);
        renderer_end_clips(self);
        draw_line(self, &covered);
    }
    glDisable(GL_SCISSOR_TEST);
    if (self->picture->linear_colors)
        glEnable(GL_FRAMEBUFFER_SRGB);
}
