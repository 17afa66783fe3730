/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Pictures in steps, as a scene asks for them: each pass has targets of its own, in which it draws some of the surfaces, or pictures of
 * passes before it by a shader over the whole. Where nothing is they let through what is behind, but for those that are to be seen.
 */
#include "renderer.h"

enum { MOST_INPUTS = SHADOW_UNIT }; /* units below that of shadows */

static uint32_t scaled(uint32_t size, float scale)
{
    const float wanted = (float)size * scale;
    return wanted < 1 ? 1 : wanted > DV_RENDER_SIZE_MOST ? DV_RENDER_SIZE_MOST : (uint32_t)wanted;
}

static void give_inputs(DvRenderer *self, const DvPicturePass *pass, const Program *program)
{
    const Targets *all = self->pass_targets.at;
    for (uint32_t i = 0; i < pass->input_count && i < MOST_INPUTS; i++) {
        const DvPicturePass *input = &self->picture->passes[pass->inputs[i]];
        glActiveTexture(GL_TEXTURE0 + i);
        glBindTexture(GL_TEXTURE_2D, all[pass->inputs[i]].picture_texture);
        glUniform1i(glGetUniformLocation(program->name, input->name), (GLint)i);
    }
    glActiveTexture(GL_TEXTURE0);
}

static void draw_whole(DvRenderer *self, const DvPicturePass *pass)
{
    const Targets *t = &self->targets;
    glBindFramebuffer(GL_FRAMEBUFFER, targets_drawing(t));
    glViewport(0, 0, (GLsizei)t->width, (GLsizei)t->height);
    renderer_draw_background(self);
    if (t->drawing)
        targets_copy(t, t->drawing, t->picture, GL_COLOR_ATTACHMENT0);
    const Program *program = scene_shader_use(self, (int32_t)pass->shader, PASS_POST);
    if (!program)
        return;
    scene_shader_bind(self, (int32_t)pass->shader, program, NULL, 0);
    give_inputs(self, pass, program);
    glUniform2f(glGetUniformLocation(program->name, "pixelSize"), 1 / (float)t->width, 1 / (float)t->height);
    glBindFramebuffer(GL_FRAMEBUFFER, t->picture);
    glDisable(GL_DEPTH_TEST);
    glEnable(GL_BLEND);
    glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    post_draw_square(self);
    glDisable(GL_BLEND);
}

static DvStatus draw_pass(DvRenderer *self, uint32_t index, bool is_seen, DvText *why)
{
    static const DvBackground nothing = {.color = {0, 0, 0, 1}, .top = {0, 0, 0, 1}};
    const DvPicturePass *pass = &self->picture->passes[index];
    const DvRenderView *view = self->view;
    DvRenderView own = *view;
    own.width = scaled(view->width, pass->scale);
    own.height = scaled(view->height, pass->scale);
    if (!is_seen) {
        own.transparent_background = true;
        own.background = &nothing;
    }
    const Targets whole = self->targets;
    self->targets = ((Targets *)self->pass_targets.at)[index];
    DvStatus status =
        targets_fit(&self->targets, &own, self->samples, self->picture->linear_colors, self->reversed, why);
    self->view = &own;
    self->pass = pass;
    if (status == DV_OK && pass->draws)
        status = renderer_draw_scene(self, why);
    else if (status == DV_OK)
        draw_whole(self, pass);
    self->pass = NULL;
    self->view = view;
    ((Targets *)self->pass_targets.at)[index] = self->targets;
    self->targets = whole;
    return status;
}

DvStatus passes_draw(DvRenderer *self, DvText *why)
{
    const DvPicture *picture = self->picture;
    uint32_t seen = picture->pass_count - 1;
    for (uint32_t i = 0; i < picture->pass_count; i++)
        seen = picture->passes[i].to_screen ? i : seen;
    while (self->pass_targets.count < picture->pass_count)
        (void)list_add(&self->pass_targets, sizeof(Targets));
    DvStatus status = DV_OK;
    for (uint32_t i = 0; status == DV_OK && i < picture->pass_count; i++)
        status = draw_pass(self, i, i == seen, why);
    if (status != DV_OK)
        return status;
    const Targets *from = (const Targets *)self->pass_targets.at + seen, *to = &self->targets;
    glBindFramebuffer(GL_READ_FRAMEBUFFER, from->picture);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, to->picture);
    glReadBuffer(GL_COLOR_ATTACHMENT0);
    glDrawBuffer(GL_COLOR_ATTACHMENT0);
    glBlitFramebuffer(0, 0, (GLint)from->width, (GLint)from->height, 0, 0, (GLint)to->width, (GLint)to->height,
                      GL_COLOR_BUFFER_BIT, GL_LINEAR);
    glViewport(0, 0, (GLsizei)to->width, (GLsizei)to->height);
    return DV_OK;
}

void passes_free(DvRenderer *self)
{
    Targets *all = self->pass_targets.at;
    for (uint32_t i = 0; i < self->pass_targets.count; i++)
        targets_free(&all[i]);
    list_free(&self->pass_targets);
}
