/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Depths: near and far from what is visible, and how a depth buffer keeps what is between.
 *
 * Where clips and depths may run from 0 to 1 (OpenGL 4.5, ARB_clip_control) the buffer has floats and is reversed, 1 at near and 0 at
 * far: steps of floats are as fine near 0 as the perspective is coarse there, so that all depths are told apart to some 1e-7 of
 * themselves, wherever near is (Reed, Depth precision visualized, 2015). Elsewhere it has 24 bits, which are worth most where near is
 * as far away as can be.
 *
 * Nearest and farthest are those of the boxes around surfaces, primitives and texts, each clipped by what the camera sees (Sutherland and
 * Hodgman, Reentrant polygon clipping, 1974).
 */
#include "renderer.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include <divan/math/vec.h>

/* Boxes of arrays, by their numbers; of solids with their radii. */
struct ArrayBox {
    uint64_t id, used;
    float box[6];
};

static void add_point(float box[6], const float at[3], float radius)
{
    if (!isfinite(at[0]) || !isfinite(at[1]) || !isfinite(at[2]) || !isfinite(radius))
        return;
    for (int c = 0; c < 3; c++) {
        box[c] = fminf(box[c], at[c] - radius);
        box[3 + c] = fmaxf(box[3 + c], at[c] + radius);
    }
}

/* `is_solid`: DvBatchSolid, else elements begin with 3 floats. */
static void bound(const DvPictureArray *array, bool is_solid, bool has_ends, float box[6])
{
    static const float empty[6] = {FLT_MAX, FLT_MAX, FLT_MAX, -FLT_MAX, -FLT_MAX, -FLT_MAX};
    memcpy(box, empty, sizeof empty);
    const char *at = array->at;
    for (uint32_t i = 0; i < array->count; i++, at += array->bytes) {
        const DvBatchSolid *solid = (const void *)at;
        add_point(box, (const void *)at, is_solid ? solid->radius * (has_ends ? 2 : 1) : 0);
        if (has_ends)
            add_point(box, solid->to, 2 * solid->radius); /* heads of arrows are twice as wide */
    }
}

static const float *box_of(DvRenderer *self, const DvPictureArray *array, bool is_solid, bool has_ends)
{
    ArrayBox *known = self->boxes.at;
    const uint32_t count = self->boxes.count;
    for (uint32_t i = 0; i < count; i++) { /* mostly in the order of the picture before */
        ArrayBox *box = &known[(self->box_hint + i) % count];
        if (box->id != array->id)
            continue;
        self->box_hint = (self->box_hint + i + 1) % count;
        box->used = self->frame;
        return box->box;
    }
    ArrayBox *added = list_add(&self->boxes, sizeof *added);
    added->id = array->id;
    added->used = self->frame;
    bound(array, is_solid, has_ends, added->box);
    return added->box;
}

/* Corners of the box, moved as `state` says, are added to `whole`. */
static void add_box(float whole[6], const DvPictureState *state, const float box[6])
{
    const float *m = state->transform;
    if (!(box[0] <= box[3]))
        return;
    for (int i = 0; i < 8; i++) {
        const float x = box[i & 1 ? 3 : 0], y = box[i & 2 ? 4 : 1], z = box[i & 4 ? 5 : 2];
        const float at[3] = {m[0] * x + m[1] * y + m[2] * z + m[3], m[4] * x + m[5] * y + m[6] * z + m[7],
                             m[8] * x + m[9] * y + m[10] * z + m[11]};
        add_point(whole, at, 0);
    }
}

bool depth_moving_box(DvRenderer *self, float box[6])
{
    const DvPicture *picture = self->picture;
    for (int c = 0; c < 3; c++)
        box[c] = FLT_MAX, box[3 + c] = -FLT_MAX;
    for (uint32_t i = 0; i < picture->surface_count; i++)
        if (picture->surfaces[i].moves)
            add_box(box, &picture->states[picture->surfaces[i].state],
                    box_of(self, picture->surfaces[i].positions, false, false));
    if (picture->has_moving_marks)
        add_box(box, renderer_plain_state(), picture->moving_marks);
    return box[0] <= box[3];
}

static const float *box_of_batch(DvRenderer *self, const DvPictureBatch *batch)
{
    return box_of(self, batch->array, batch->kind >= DV_BATCH_SPHERES,
                  batch->kind == DV_BATCH_CYLINDERS || batch->kind == DV_BATCH_ARROWS);
}

bool depth_box_below(DvRenderer *self, const char *path, float box[6])
{
    const DvPicture *picture = self->picture;
    for (int c = 0; c < 3; c++)
        box[c] = FLT_MAX, box[3 + c] = -FLT_MAX;
    for (uint32_t i = 0; i < picture->surface_count; i++)
        if (dv_picture_is_below(picture->surfaces[i].path, path))
            add_box(box, &picture->states[picture->surfaces[i].state],
                    box_of(self, picture->surfaces[i].positions, false, false));
    for (uint32_t i = 0; i < picture->owner_count; i++) {
        const DvPictureBatch *batch = &picture->batches[picture->owners[i].batch];
        if (dv_picture_is_below(picture->owners[i].path, path))
            add_box(box, &picture->states[batch->state], box_of_batch(self, batch)); /* others in it only widen it */
    }
    return box[0] <= box[3];
}

static void sweep_boxes(DvRenderer *self)
{
    enum { FRAMES = 2 };
    ArrayBox *box = self->boxes.at;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < self->boxes.count; i++)
        if (self->frame - box[i].used < FRAMES)
            box[kept++] = box[i];
    self->boxes.count = kept;
    self->box_hint = 0;
}

/* What a camera sees */

enum { SIDES = 5, MOST_CORNERS = 4 + SIDES };

/* Kept is where normal.p + distance >= 0, in the camera's frame. */
typedef struct Side {
    DvVec3 normal;
    double distance;
} Side;
typedef struct Sight {
    Side sides[SIDES];
    float to_view[16];
    double nearest, farthest; /* m along the axis, of all that has been seen */
} Sight;

/* Somewhat wider than the picture: points and lines have a width. The last side is the plane of the eye. */
static void begin_sight(Sight *sight, const DvRenderer *self, const DvCamera *camera)
{
    const double width = self->view->width, height = self->view->height, wider = 1.05;
    double half[2];
    memset(sight, 0, sizeof *sight);
    memcpy(sight->to_view, self->view_matrix, sizeof sight->to_view);
    sight->nearest = INFINITY;
    if (camera->orthographic) {
        dv_camera_half_size(camera, width, height, half);
    } else {
        half[1] = tan(camera->field_of_view * DV_PI / 360);
        half[0] = half[1] * width / height;
    }
    for (int i = 0; i < 4; i++) {
        const double sign = i & 1 ? 1 : -1, size = wider * half[i / 2];
        sight->sides[i].normal = i / 2 ? dv_vec3(0, sign, 0) : dv_vec3(sign, 0, 0);
        if (camera->orthographic)
            sight->sides[i].distance = size;
        else
            sight->sides[i].normal.z = -size;
    }
    sight->sides[4].normal = dv_vec3(0, 0, -1);
}

static int clip_by(const Side *side, const DvVec3 *corners, int count, DvVec3 *kept)
{
    int found = 0;
    for (int i = 0; i < count; i++) {
        const DvVec3 a = corners[i], b = corners[(i + 1) % count];
        const double in_a = dv_vec3_dot(side->normal, a) + side->distance,
                     in_b = dv_vec3_dot(side->normal, b) + side->distance;
        if (in_a >= 0)
            kept[found++] = a;
        if ((in_a < 0) != (in_b < 0))
            kept[found++] = dv_vec3_add(a, dv_vec3_scale(dv_vec3_sub(b, a), in_a / (in_a - in_b)));
    }
    return found;
}

static void see_face(Sight *sight, const DvVec3 corners[4])
{
    DvVec3 lists[2][2 * MOST_CORNERS];
    int count = 4, now = 0;
    memcpy(lists[0], corners, 4 * sizeof *corners);
    for (int i = 0; i < SIDES && count > 0; i++, now = !now)
        count = clip_by(&sight->sides[i], lists[now], count, lists[!now]);
    for (int i = 0; i < count; i++) {
        sight->nearest = fmin(sight->nearest, fmax(-lists[now][i].z, 0));
        sight->farthest = fmax(sight->farthest, -lists[now][i].z);
    }
}

/* A box that is moved as `state` says. */
static void see_box(Sight *sight, const DvPictureState *state, const float box[6])
{
    /* Corners by bits: x, y, z. */
    static const int faces[6][4] = {{0, 1, 3, 2}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 3, 7, 6}, {0, 2, 6, 4}, {1, 3, 7, 5}};
    const float *m = state->transform;
    const float model[16] = {m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8], m[9], m[10], m[11], 0, 0, 0, 1};
    float whole[16];
    DvVec3 corners[8], face[4];
    double inside = -INFINITY; /* where the eye is, by all axes of the box */
    if (!(box[0] <= box[3]))
        return;
    matrix_multiply(sight->to_view, model, whole);
    for (int i = 0; i < 8; i++) {
        double at[3];
        for (int row = 0; row < 3; row++) {
            const float *r = whole + 4 * row;
            at[row] = (double)r[0] * box[i & 1 ? 3 : 0] + (double)r[1] * box[i & 2 ? 4 : 1] +
                      (double)r[2] * box[i & 4 ? 5 : 2] + (double)r[3];
        }
        corners[i] = dv_vec3(at[0], at[1], at[2]);
    }
    for (int f = 0; f < 6; f++) {
        for (int i = 0; i < 4; i++)
            face[i] = corners[faces[f][i]];
        see_face(sight, face);
    }
    for (int c = 0; c < 3; c++) {
        const double eye = -((double)whole[c] * whole[3] + (double)whole[4 + c] * whole[7] +
                             (double)whole[8 + c] * whole[11]); /* rotations only */
        inside = fmax(inside, fmax(box[c] - eye, eye - box[3 + c]));
    }
    if (inside <= 0)
        sight->nearest = 0;
}

static void see_picture(DvRenderer *self, Sight *sight)
{
    const DvPicture *picture = self->picture;
    for (uint32_t i = 0; i < picture->surface_count; i++) {
        const DvPictureSurface *surface = &picture->surfaces[i];
        float box[6];
        memcpy(box, box_of(self, surface->positions, false, false), sizeof box);
        for (int c = 0; surface->shows_normals && c < 3; c++)
            box[c] -= 1, box[3 + c] += 1;
        see_box(sight, &picture->states[surface->state], box);
    }
    for (uint32_t i = 0; i < picture->batch_count; i++) {
        const DvPictureBatch *batch = &picture->batches[i];
        see_box(sight, &picture->states[batch->state], box_of_batch(self, batch));
    }
    for (uint32_t i = 0; i < picture->text_count; i++) {
        const DvPictureText *text = &picture->texts[i];
        float box[6];
        for (int c = 0; c < 3; c++) {
            box[c] = text->at[c] - text->height;
            box[3 + c] = text->at[c] + text->height;
        }
        if (!text->on_screen)
            see_box(sight, &picture->states[text->state], box);
    }
    const Studio *studio = &self->studio;
    if (studio->grounded) {
        float box[6];
        for (int c = 0; c < 3; c++) {
            const float around = 2 * studio->radius * (fabsf(studio->across[c]) + fabsf(studio->along[c]));
            box[c] = studio->middle[c] - around;
            box[3 + c] = studio->middle[c] + around;
        }
        see_box(sight, renderer_plain_state(), box);
    }
}

/* Near is as far as is of use, but never beyond a part of the way to what is looked at, whatever lies behind that. */
static void fit_clip(DvRenderer *self, DvCamera *camera)
{
    Sight sight;
    begin_sight(&sight, self, camera);
    see_picture(self, &sight);
    if (!(sight.farthest > 0) || !isfinite(sight.farthest))
        return;
    const double looks = dv_vec3_distance(dv_vec3_load(camera->position), dv_vec3_load(camera->look_at));
    const double of_far = self->reversed ? 1e-6 : 1e-4, of_way = self->reversed ? 1e-3 : 1e-2,
                 of_nearest = self->reversed ? 0.01 : 0.5;
    double least = of_far * sight.farthest;
    if (looks > 0)
        least = fmin(least, of_way * looks);
    camera->near = fmax(of_nearest * sight.nearest, least);
    camera->far = fmax((self->reversed ? 2 : 1.05) * sight.farthest, 2 * camera->near);
}

/* From the camera's frame to the cube of OpenGL, or to depths from 1 at near to 0 at far. */
void depth_projection(DvRenderer *self)
{
    DvCamera camera = self->view->camera;
    double m[16];
    if (camera.fits_clip)
        fit_clip(self, &camera);
    sweep_boxes(self);
    dv_camera_projection(&camera, self->view->width, self->view->height, m);
    if (self->reversed) {
        const double near = camera.near, far = camera.far;
        m[10] = (camera.orthographic ? 1 : near) / (far - near);
        m[11] = (camera.orthographic ? far : near * far) / (far - near);
    }
    matrix_of_doubles(m, self->projection);
}

/* Floats tell a line from the face that it lies in, by rounding alone: faces are farther by a hundred thousandth of their distance. */
void depth_of_marks(DvRenderer *self, bool marks)
{
    if (!self->lifts || marks == self->marks)
        return;
    glDepthRange(0, marks ? 1 : 1 - 1e-5);
    self->marks = marks;
}

static bool has_lines(const DvPicture *picture)
{
    for (uint32_t i = 0; i < picture->batch_count; i++)
        if (picture->batches[i].kind == DV_BATCH_LINES || (picture->batches[i].draw_state & DV_DRAW_WIREFRAME))
            return true;
    return false;
}

/* The middle of a pixel lies beside the line that covers it, by up to a pixel: there a face that is seen obliquely may come before the
 * line. So faces are farther by their slope over a pixel, where there are lines; by the size of three pixels at most, so that front and back
 * keep their order where a body is seen edge on. */
void depth_of_faces(const DvRenderer *self)
{
    if (!self->shifts)
        return;
    const float *p = self->projection, way = self->reversed ? -1 : 1, z = self->reversed ? p[10] : -(p[10] + 1) / 2;
    const float pixel = 2 / (p[5] * (float)self->view->height); /* of the distance; of a parallel projection in m */
    /* Depths are near over the distance, of a parallel projection the distance over that from near to far. */
    const float parallel = self->reversed ? p[10] : -p[10] / 2, unit = p[15] == 0 ? z / (1 + z) : parallel;
    glPolygonOffsetClamp(way, 0, way * 3 * pixel * unit);
}

void depth_begin(DvRenderer *self)
{
    self->shifts =
        has_lines(self->picture) && (epoxy_gl_version() >= 46 || epoxy_has_gl_extension("GL_ARB_polygon_offset_clamp"));
    if (self->shifts)
        glEnable(GL_POLYGON_OFFSET_FILL);
    depth_of_faces(self);
    self->lifts = self->marks = self->reversed;
    if (self->reversed)
        glClipControl(GL_LOWER_LEFT, GL_ZERO_TO_ONE);
    depth_of_marks(self, false);
    glClearDepth(self->reversed ? 0 : 1);
    glDepthFunc(self->reversed ? GL_GEQUAL : GL_LEQUAL);
}

void depth_end(DvRenderer *self)
{
    glDisable(GL_POLYGON_OFFSET_FILL);
    depth_of_marks(self, true);
    self->lifts = self->shifts = false;
    if (self->reversed)
        glClipControl(GL_LOWER_LEFT, GL_NEGATIVE_ONE_TO_ONE);
    glClearDepth(1);
    glDepthFunc(GL_LEQUAL);
}

/* Of shaders: what a buffer has becomes z of the projection by a factor and a term; nothing is where it has been cleared. */
void depth_uniforms(const DvRenderer *self, GLint depths, GLint stored, const float projection[16])
{
    const float *p = projection;
    glUniform4f(depths, p[10], p[11], p[14], p[15]);
    if (self->reversed)
        glUniform3fv(stored, 1, (const GLfloat[3]){1, 0, 0});
    else
        glUniform3fv(stored, 1, (const GLfloat[3]){2, -1, 1});
}

bool depth_is_offered(void)
{
    return epoxy_gl_version() >= 45 || epoxy_has_gl_extension("GL_ARB_clip_control");
}
