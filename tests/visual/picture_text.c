/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "picture_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void number(DvText *text, double x)
{
    dv_text_add(text, " %.5g", fabs(x) < 1e-9 ? 0.0 : x);
}

static void floats(DvText *text, const char *name, const float *at, size_t count)
{
    dv_text_add(text, " %s", name);
    for (size_t i = 0; i < count; i++)
        number(text, at[i]);
}

static void doubles(DvText *text, const char *name, const double *at, size_t count)
{
    dv_text_add(text, " %s", name);
    for (size_t i = 0; i < count; i++)
        number(text, at[i]);
}

static void word(DvText *text, const char *name, const char *value)
{
    if (value)
        dv_text_add(text, " %s '%s'", name, value);
}

/* The last part of a file's path. */
static void file(DvText *text, const char *name, const char *path)
{
    word(text, name, path && strrchr(path, '/') ? strrchr(path, '/') + 1 : path);
}

static uint32_t sum_of(const uint8_t *bytes, size_t count)
{
    uint32_t sum = 2166136261u;
    for (size_t i = 0; i < count; i++)
        sum = (sum ^ bytes[i]) * 16777619u;
    return sum;
}

/* An element a line. */
static void array(DvText *text, const char *name, const DvPictureArray *of, char kind)
{
    const size_t each = of ? of->bytes / (kind == 'b' ? 1 : 4) : 0;
    if (!of)
        return;
    dv_text_add(text, "    %u %s\n", of->count, name);
    for (size_t i = 0; i < of->count; i++) {
        dv_text_add(text, "     ");
        for (size_t c = 0; c < each; c++) {
            const size_t k = i * each + c;
            if (kind == 'f')
                number(text, ((const float *)of->at)[k]);
            else
                dv_text_add(text, " %u", kind == 'b' ? ((const uint8_t *)of->at)[k] : ((const uint32_t *)of->at)[k]);
        }
        dv_text_add(text, "\n");
    }
}

static void image(DvText *text, const char *name, const DvPictureImage *of)
{
    if (of)
        dv_text_add(text, " %s %u x %u%s %08x", name, of->width, of->height, of->opaque ? " opaque" : "",
                    sum_of(of->pixels, 4 * (size_t)of->width * of->height));
}

static void print_states(const DvPicture *picture, DvText *text)
{
    for (uint32_t i = 0; i < picture->state_count; i++) {
        const DvPictureState *state = &picture->states[i];
        dv_text_add(text, "state %u shader %d%s", i, state->shader, state->moved ? " moved" : "");
        floats(text, "by", state->transform, 12);
        for (uint32_t c = 0; c < state->clip_count; c++)
            floats(text, "clip", state->clips[c], 4);
        dv_text_add(text, "\n");
    }
}

static void print_style(const DvSurfaceStyle *style, DvText *text)
{
    const struct {
        bool on;
        const char *says;
    } parts[] = {{style->as_points, "points"},
                 {style->unlit, "unlit"},
                 {style->on_top, "on-top"},
                 {style->casts_no_shadow, "no-shadow"},
                 {style->repeats_no_texture, "no-repeat"},
                 {style->srgb_textures, "srgb"},
                 {style->blends, "blends"},
                 {style->adds, "adds"},
                 {style->hides_when_blended, "hides"},
                 {style->blends_not, "blends-not"}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].on)
            dv_text_add(text, " %s", parts[i].says);
    dv_text_add(text, " blend %d %d %d cull %d line %g point %g", (int)style->equation, (int)style->source,
                (int)style->target, (int)style->cull, style->line_width, style->point_size);
}

static void print_surface(const DvPictureSurface *surface, DvText *text)
{
    dv_text_add(text, "surface %s state %u%s%s%s", surface->path, surface->state,
                surface->translucent ? " translucent" : "", surface->wireframe ? " wireframe" : "",
                surface->shows_normals ? " normals" : "");
    print_style(&surface->style, text);
    dv_text_add(text, "\n");
    array(text, "positions", surface->positions, 'f');
    array(text, "normals", surface->normals, 'f');
    array(text, "texcoords", surface->texcoords, 'f');
    array(text, "colors", surface->colors, 'b');
    array(text, "triangles", surface->triangles, 'u');
    array(text, "quads", surface->quads, 'u');
    array(text, "edges", surface->edges, 'u');
    for (uint32_t i = 0; i < surface->material_count; i++) {
        const DvPictureMaterial *m = &surface->materials[i];
        dv_text_add(text, "    material");
        floats(text, "ambient", m->ambient, 4);
        floats(text, "diffuse", m->diffuse, 4);
        floats(text, "specular", m->specular, 4);
        floats(text, "emissive", m->emissive, 4);
        floats(text, "shininess", &m->shininess, 1);
        image(text, "texture", m->texture);
        dv_text_add(text, "\n");
    }
    for (uint32_t i = 0; i < surface->group_count; i++) {
        const DvSurfaceGroup *g = &surface->groups[i];
        dv_text_add(text, "    group triangles %u %u quads %u %u edges %u %u material %u\n", g->first_triangle,
                    g->triangles, g->first_quad, g->quads, g->first_edge, g->edges, g->material);
    }
}

static void print_batch(const DvPictureBatch *batch, DvText *text)
{
    static const char *const kinds[] = {"points", "lines", "triangles", "spheres", "cylinders", "arrows", "splats"};
    const bool solid = batch->kind >= DV_BATCH_SPHERES;
    dv_text_add(text, "batch %u %s state %u drawn %u size %g%s\n", batch->array->count, kinds[batch->kind],
                batch->state, batch->draw_state, batch->pixels, batch->translucent ? " translucent" : "");
    for (uint32_t i = 0; i < batch->array->count; i++) {
        const uint8_t *color;
        if (solid) {
            const DvBatchSolid *s = (const DvBatchSolid *)batch->array->at + i;
            floats(text, "    from", s->from, 3);
            floats(text, "to", s->to, 3);
            floats(text, "radius", &s->radius, 1);
            color = s->color;
        } else {
            const DvBatchVertex *v = (const DvBatchVertex *)batch->array->at + i;
            floats(text, "    at", v->at, 3);
            color = v->color;
        }
        dv_text_add(text, " #%02x%02x%02x%02x\n", color[0], color[1], color[2], color[3]);
    }
}

static void print_camera(const DvCamera *c, DvText *text)
{
    doubles(text, "at", c->position, 3);
    doubles(text, "turned", c->orientation, 4);
    doubles(text, "looks at", c->look_at, 3);
    dv_text_add(text, " angle %g near %g far %g%s%s%s", c->field_of_view, c->near, c->far,
                c->orthographic ? " orthographic" : "", c->fits_clip ? " fits" : "", c->by_bounds ? " by bounds" : "");
}

static void print_uniform(const DvPictureUniform *u, DvText *text)
{
    dv_text_add(text, "    element %d %s of %s: %u of %u x %u unit %u%s%s%s%s", (int)u->kind, u->name, u->owner,
                u->count, u->rows, u->columns, u->unit, u->repeats ? " repeats" : "", u->sharp ? " sharp" : "",
                u->srgb ? " srgb" : "", u->without_mipmaps ? " without mipmaps" : "");
    word(text, "text", u->text);
    if (u->numbers)
        floats(text, "numbers", u->numbers, (size_t)u->count * u->rows * u->columns);
    image(text, "image", u->image);
    for (int side = 0; side < 6; side++)
        image(text, "side", u->sides[side]);
    dv_text_add(text, "\n");
    array(text, "of vertices", u->array, 'f');
}

static void print_shader(const DvPictureShader *shader, DvText *text)
{
    dv_text_add(text, "shader %s levels %g %g", shader->owner, shader->outer_level, shader->inner_level);
    for (int stage = 0; stage < DV_SHADER_STAGES; stage++) {
        if (shader->names[stage] || shader->sources[stage])
            dv_text_add(text, " stage %d", stage);
        file(text, "named", shader->names[stage]);
        if (shader->sources[stage])
            dv_text_add(text, " of %zu letters", strlen(shader->sources[stage]));
    }
    dv_text_add(text, "\n");
    for (uint32_t i = 0; i < shader->uniform_count; i++)
        print_uniform(&shader->uniforms[i], text);
}

static void print_light(const DvLight *l, DvText *text)
{
    dv_text_add(text, "light %d", (int)l->kind);
    doubles(text, "color", l->color, 4);
    doubles(text, "at", l->position, 3);
    doubles(text, "towards", l->direction, 3);
    dv_text_add(text, " fades %g cone %g %g%s%s%s%s strength %g map %u %g %g soft %g %g\n", l->attenuation, l->cutoff,
                l->exponent, l->with_camera ? " with camera" : "", l->shows_source ? " shown" : "",
                l->casts_shadows ? " shadows" : "", l->soft_shadows ? " soft" : "", l->shadow_strength, l->shadow_size,
                l->shadow_near, l->shadow_far, l->light_bleeding, l->least_variance);
}

static void print_texts(const DvPicture *picture, DvText *text)
{
    for (uint32_t i = 0; i < picture->text_count; i++) {
        const DvPictureText *t = &picture->texts[i];
        dv_text_add(text, "text '%s' state %u", t->text, t->state);
        floats(text, "height", &t->height, 1);
        floats(text, "color", t->color, 4);
        if (t->on_screen)
            dv_text_add(text, " corner %d %g %g", (int)t->corner, t->x, t->y);
        else
            floats(text, "at", t->at, 3);
        dv_text_add(text, "\n");
    }
    for (uint32_t i = 0; i < picture->legend_count; i++) {
        const DvPictureLegend *l = &picture->legends[i];
        dv_text_add(text, "legend '%s' %g to %g at %g %g height %g, %u colours %08x\n", l->title, l->least, l->most,
                    l->x, l->y, l->height, l->count, sum_of(l->colors, 4 * (size_t)l->count));
    }
}

static void print_steps(const DvPicture *picture, DvText *text)
{
    for (uint32_t i = 0; i < picture->post_count; i++)
        dv_text_add(text, "post %s %g %g shader %u\n", picture->posts[i].path, picture->posts[i].near,
                    picture->posts[i].far, picture->posts[i].shader);
    for (uint32_t i = 0; i < picture->pass_count; i++) {
        const DvPicturePass *pass = &picture->passes[i];
        dv_text_add(text, "pass '%s' scale %g%s%s", pass->name, pass->scale, pass->to_screen ? " to screen" : "",
                    pass->draws_batches ? " batches" : "");
        for (uint32_t s = 0; pass->draws && s < picture->surface_count; s++)
            dv_text_add(text, s ? " %u" : " draws %u", pass->draws[s]);
        for (uint32_t k = 0; k < pass->input_count; k++)
            dv_text_add(text, " takes %u", pass->inputs[k]);
        dv_text_add(text, pass->draws ? "\n" : " shader %u\n", pass->shader);
    }
}

static void print_settings(const DvPicture *picture, DvText *text)
{
    dv_text_add(text, "time %g step %llu", picture->time, (unsigned long long)picture->step);
    doubles(text, "gravity", picture->gravity, 3);
    if (picture->has_box)
        doubles(text, "bounds", picture->box, 6);
    dv_text_add(text, " depth scale %g%s\n", picture->depth_scale, picture->linear_colors ? " linear" : "");
    if (picture->has_lighting) {
        dv_text_add(text, "lighting%s%s", picture->lighting.shadows ? " shadows" : "",
                    picture->lighting.soft_shadows ? " soft" : "");
        doubles(text, "ambient", picture->lighting.ambient, 4);
        dv_text_add(text, "\n");
    }
    if (picture->has_background) {
        dv_text_add(text, "background");
        doubles(text, "color", picture->background.color, 4);
        doubles(text, "top", picture->background.top, 4);
        image(text, "image", picture->background_image);
        dv_text_add(text, "\n");
    }
    for (uint32_t i = 0; i < picture->axes_count; i++)
        dv_text_add(text, "axes corner %d style %d size %g\n", (int)picture->axes[i].corner,
                    (int)picture->axes[i].style, picture->axes[i].size);
}

void picture_print(const DvPicture *picture, DvText *text)
{
    print_settings(picture, text);
    print_states(picture, text);
    for (uint32_t i = 0; i < picture->surface_count; i++)
        print_surface(&picture->surfaces[i], text);
    for (uint32_t i = 0; i < picture->batch_count; i++)
        print_batch(&picture->batches[i], text);
    print_texts(picture, text);
    for (uint32_t i = 0; i < picture->camera_count; i++) {
        dv_text_add(text, "camera %s '%s'", picture->cameras[i].path, picture->cameras[i].name);
        print_camera(&picture->cameras[i].camera, text);
        dv_text_add(text, "\n");
    }
    for (uint32_t i = 0; i < picture->light_count; i++)
        print_light(&picture->lights[i], text);
    for (uint32_t i = 0; i < picture->shader_count; i++)
        print_shader(&picture->shaders[i], text);
    for (uint32_t i = 0; i < picture->viewport_count; i++) {
        const DvViewport *v = &picture->viewports[i];
        dv_text_add(text, "viewport %s %d %d %u x %u%s%s", v->path, v->x, v->y, v->width, v->height,
                    v->swapped ? " swapped" : "", v->shows_camera ? " shown" : "");
        print_camera(&v->camera, text);
        dv_text_add(text, "\n");
    }
    print_steps(picture, text);
}
