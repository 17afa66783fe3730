/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Shadow maps (Williams, Casting curved shadows on curved surfaces, 1978): for each light that casts shadows a layer of depths seen
 * from it. A spot sees through its cone, a directional light along parallel lines through a cube around the bounds of the scene. Where
 * a depth is looked up, 9 places are asked, and 49 for soft shadows (Reeves, Salesin and Cook, 1987).
 */
#include "renderer.h"

#include <math.h>
#include <string.h>

enum { DEFAULT_SIZE = 1024, LARGEST_SIZE = 4096 };

static bool casts(const DvRenderer *self, const DvLight *light)
{
    const DvLighting *lighting = &self->picture->lighting;
    return self->picture->has_lighting && lighting->shadows && light->casts_shadows && !self->view->without_shadows &&
           light->kind != DV_LIGHT_POSITIONAL;
}

static void fit(DvRenderer *self, uint32_t size, uint32_t layers)
{
    Shadows *shadows = &self->shadows;
    if (shadows->texture && shadows->size == size && shadows->layers == layers)
        return;
    shadows_free(shadows);
    glGenTextures(1, &shadows->texture);
    glActiveTexture(GL_TEXTURE0 + SHADOW_UNIT);
    glBindTexture(GL_TEXTURE_2D_ARRAY, shadows->texture);
    glTexImage3D(GL_TEXTURE_2D_ARRAY, 0, GL_DEPTH_COMPONENT24, (GLsizei)size, (GLsizei)size, (GLsizei)layers, 0,
                 GL_DEPTH_COMPONENT, GL_UNSIGNED_INT, NULL);
    glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
    glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_COMPARE_FUNC, GL_LEQUAL);
    glGenFramebuffers(1, &shadows->framebuffer);
    shadows->size = size;
    shadows->layers = layers;
}

/* The bounds of the scene as seen from a light: centre and half diagonal. */
static void bounds(const DvRenderer *self, DvVec3 *centre, double *radius)
{
    double box[6];
    dv_camera_sound_box(self->picture->has_box ? self->picture->box : NULL, box);
    *centre = dv_vec3_scale(dv_vec3_add(dv_vec3_load(box), dv_vec3_load(box + 3)), 0.5);
    *radius = dv_vec3_distance(dv_vec3_load(box), *centre);
}

/* Nearest and farthest depth of the bounds along the way a spot shines, with a margin. */
static void spot_depths(const DvRenderer *self, const DvLight *light, DvVec3 way, double *near, double *far)
{
    DvVec3 centre;
    double radius;
    bounds(self, &centre, &radius);
    const double depth = dv_vec3_dot(dv_vec3_sub(centre, dv_vec3_load(light->position)), way);
    *far = light->shadow_far > 0 ? light->shadow_far : fmax(1.2 * (depth + radius), 1e-6);
    *near = light->shadow_near > 0 ? light->shadow_near : 0.8 * (depth - radius);
    *near = fmax(*near, *far / 100);
}

static void light_matrices(const DvRenderer *self, const DvLight *light, float view[16], float projection[16],
                           double *extent)
{
    DvCamera camera = {.field_of_view = fmin(2 * light->cutoff, 170)};
    DvVec3 centre;
    double radius, v[16], p[16];
    bounds(self, &centre, &radius);
    const DvVec3 way = dv_vec3_normalize(dv_vec3_load(light->direction));
    const DvVec3 up = fabs(way.y) < 0.9 ? dv_vec3(0, 1, 0) : dv_vec3(1, 0, 0);
    if (light->kind == DV_LIGHT_SPOT) {
        const DvVec3 at = dv_vec3_load(light->position);
        dv_camera_look(&camera, at, dv_vec3_add(at, way), up);
        spot_depths(self, light, way, &camera.near, &camera.far);
        *extent = 2 * tan(camera.field_of_view * DV_PI / 360) * dv_vec3_distance(at, centre);
    } else { /* towards the light */
        const double distance = 2 * radius;
        camera.orthographic = true;
        camera.field_of_view = 2 * atan2(radius, distance) * 180 / DV_PI;
        dv_camera_look(&camera, dv_vec3_add(centre, dv_vec3_scale(way, distance)), centre, up);
        camera.near = light->shadow_near > 0 ? light->shadow_near : distance - radius;
        camera.far = light->shadow_far > 0 ? light->shadow_far : distance + radius;
        *extent = 2 * radius;
    }
    dv_camera_view(&camera, v);
    dv_camera_projection(&camera, 1, 1, p);
    matrix_of_doubles(v, view);
    matrix_of_doubles(p, projection);
}

static void draw_layer(DvRenderer *self, uint32_t light, int32_t layer)
{
    /* From the cube of side 2 to the map: 0 to 1. */
    static const float half[16] = {0.5f, 0, 0, 0.5f, 0, 0.5f, 0, 0.5f, 0, 0, 0.5f, 0.5f, 0, 0, 0, 1};
    Shadows *shadows = &self->shadows;
    float view[16], projection[16], whole[16];
    double extent;
    light_matrices(self, &self->lights[light], view, projection, &extent);
    matrix_multiply(projection, view, whole);
    matrix_multiply(half, whole, shadows->matrices[light]);
    shadows->texel[light] = (float)(extent / shadows->size);
    glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, shadows->texture, 0, layer);
    glClear(GL_DEPTH_BUFFER_BIT);
    renderer_look(self, view, projection);
    glEnable(GL_POLYGON_OFFSET_FILL); /* farther by the slope over some texels */
    glPolygonOffset(self->lights[light].soft_shadows || self->picture->lighting.soft_shadows ? 4 : 2, 4);
    surfaces_draw(self, PASS_SHADOW, false, false);
    batches_draw(self, PASS_SHADOW, false);
    glDisable(GL_POLYGON_OFFSET_FILL);
}

void shadows_draw(DvRenderer *self)
{
    Shadows *shadows = &self->shadows;
    uint32_t layers = 0, size = 0;
    for (uint32_t i = 0; i < self->light_count; i++) {
        const DvLight *light = &self->lights[i];
        shadows->layer_of[i] = casts(self, light) ? (int32_t)layers++ : -1;
        if (shadows->layer_of[i] >= 0 && light->shadow_size > size)
            size = light->shadow_size;
    }
    if (!layers)
        return;
    self->features |= WITH_SHADOWS;
    size = size == 0 ? DEFAULT_SIZE : size > LARGEST_SIZE ? LARGEST_SIZE : size;
    fit(self, size, layers);
    glBindFramebuffer(GL_FRAMEBUFFER, shadows->framebuffer);
    glDrawBuffer(GL_NONE);
    glReadBuffer(GL_NONE);
    glViewport(0, 0, (GLsizei)size, (GLsizei)size);
    glEnable(GL_DEPTH_TEST);
    for (uint32_t i = 0; i < self->light_count; i++)
        if (shadows->layer_of[i] >= 0)
            draw_layer(self, i, shadows->layer_of[i]);
}

void shadows_free(Shadows *shadows)
{
    glDeleteFramebuffers(1, &shadows->framebuffer);
    glDeleteTextures(1, &shadows->texture);
    shadows->framebuffer = shadows->texture = 0;
}
