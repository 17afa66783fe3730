/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "ground.h"

#include <math.h>
#include <string.h>

/* A floor is wider than what moves by this, and its highest point is below the middle of that. The ground is lower than the lowest point by
 * a part of the size of what moves, so that flat feet are not in it. */
static const double wider = 1.5, deeper = 0.004;

typedef struct ArrayBox {
    uint64_t id;
    bool used;
    double box[6];
} ArrayBox;

static void add_point(double box[6], const double at[3])
{
    for (int c = 0; c < 3; c++) {
        box[c] = fmin(box[c], at[c]);
        box[3 + c] = fmax(box[3 + c], at[c]);
    }
}

static void empty(double box[6])
{
    for (int c = 0; c < 3; c++) {
        box[c] = INFINITY;
        box[3 + c] = -INFINITY;
    }
}

static const double *box_of(Ground *self, const DvPictureArray *array)
{
    ArrayBox *known = self->boxes.at;
    for (uint32_t i = 0; i < self->boxes.count; i++)
        if (known[i].id == array->id) {
            known[i].used = true;
            return known[i].box;
        }
    ArrayBox *added = list_add(&self->boxes, sizeof *added);
    const float *at = array->at;
    added->id = array->id;
    added->used = true;
    empty(added->box);
    for (uint32_t i = 0; i < array->count; i++, at += 3)
        if (isfinite(at[0]) && isfinite(at[1]) && isfinite(at[2]))
            add_point(added->box, (const double[3]){(double)at[0], (double)at[1], (double)at[2]});
    return added->box;
}

static void sweep(Ground *self)
{
    ArrayBox *box = self->boxes.at;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < self->boxes.count; i++) {
        if (!box[i].used)
            continue;
        box[kept] = box[i];
        box[kept++].used = false;
    }
    self->boxes.count = kept;
}

/* As the axes of the view from above see it: height, then the two across. */
static void add_box(double whole[6], const DvVec3 axes[3], const DvPictureState *state, const double box[6])
{
    if (!(box[0] <= box[3]))
        return;
    for (int i = 0; i < 8; i++) {
        const float corner[3] = {(float)box[i & 1 ? 3 : 0], (float)box[i & 2 ? 4 : 1], (float)box[i & 4 ? 5 : 2]};
        const DvVec3 at = dv_picture_place(state, corner);
        add_point(whole,
                  (const double[3]){dv_vec3_dot(at, axes[0]), dv_vec3_dot(at, axes[1]), dv_vec3_dot(at, axes[2])});
    }
}

static void add_marks(double whole[6], const DvVec3 axes[3], const float marks[6])
{
    static const DvPictureState plain = {.transform = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}};
    double box[6];
    for (int i = 0; i < 6; i++)
        box[i] = (double)marks[i];
    add_box(whole, axes, &plain, box);
}

static double width(const double box[6])
{
    return fmax(box[4] - box[1], box[5] - box[2]);
}

static bool is_floor(const double still[6], const double moving[6])
{
    return width(still) > wider * width(moving) && still[3] < (moving[0] + moving[3]) / 2;
}

void ground_find(Ground *self, DvPicture *picture, const float still_marks[6])
{
    const DvVec3 up = dv_camera_up(picture->gravity);
    const DvVec3 side = fabs(up.x) < 0.9 ? dv_vec3(1, 0, 0) : dv_vec3(0, 1, 0);
    const DvVec3 across = dv_vec3_normalize(dv_vec3_cross(up, side));
    const DvVec3 axes[3] = {up, across, dv_vec3_cross(up, across)};
    double moving[6], all[6];
    bool has_floor = false;
    empty(moving);
    empty(all);
    for (uint32_t i = 0; i < picture->surface_count; i++)
        if (picture->surfaces[i].moves)
            add_box(moving, axes, &picture->states[picture->surfaces[i].state],
                    box_of(self, picture->surfaces[i].positions));
    if (picture->has_moving_marks)
        add_marks(moving, axes, picture->moving_marks);
    memcpy(all, moving, sizeof all);
    for (uint32_t i = 0; i < picture->surface_count; i++) {
        double still[6];
        empty(still);
        if (!picture->surfaces[i].moves)
            add_box(still, axes, &picture->states[picture->surfaces[i].state],
                    box_of(self, picture->surfaces[i].positions));
        has_floor = has_floor || is_floor(still, moving);
        all[0] = fmin(all[0], still[0]);
    }
    if (still_marks) {
        double still[6];
        empty(still);
        add_marks(still, axes, still_marks);
        has_floor = has_floor || is_floor(still, moving);
        all[0] = fmin(all[0], still[0]);
    }
    sweep(self);
    picture->has_ground = moving[0] <= moving[3] && width(moving) > 0 && !has_floor;
    if (!picture->has_ground)
        return;
    const double level = all[0] - deeper * fmax(width(moving), moving[3] - moving[0]);
    self->level = self->known ? fmin(self->level, level) : level;
    self->known = true;
    picture->ground = self->level;
}

void ground_free(Ground *self)
{
    list_free(&self->boxes);
}
