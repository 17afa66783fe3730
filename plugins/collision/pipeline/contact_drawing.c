/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contact_drawing.h"

#include <math.h>
#include <string.h>

#include <divan/math/vec.h>
#include <divan/memory.h>
#include <divan/type.h>

/* Colours that people with any kind of colour vision tell apart. */
static const double color_of_lines[4] = {1.0, 0.0, 1.0, 1.0}, color_of_points[4] = {0.1, 0.1, 0.1, 1},
                    color_of_normals[4] = {0.35, 0.35, 0.35, 1}, color_of_forces[4] = {0, 0.447, 0.698, 1},
                    color_of_friction[4] = {0.835, 0.369, 0, 1};

/* Of the size of contacts: lengths of the longest arrow and of normals, radius of an arrow; and what part of the largest force is worth an
 * arrow. */
static const double longest = 1, normal_length = 0.15, thickness = 0.02, least_part = 1e-3;
static const double dot_pixels = 6, line_pixels = 2, normal_pixels = 1.5, letter_pixels = 15;

typedef struct Arrows {
    double *at, *radii;
    uint32_t count;
} Arrows;

static double size_of(const DvCollisionBody *body)
{
    return dv_vec3_distance(dv_vec3_load(body->lower), dv_vec3_load(body->upper));
}

/* 1, 2 or 5 times a power of ten, at most this, so that it stays while bodies change a bit. */
static double round_down(double size)
{
    const double power = pow(10, floor(log10(size)));
    const double digit = size / power;
    return power * (digit >= 5 ? 5 : digit >= 2 ? 2 : 1);
}

/* Of all pairs the largest: twice the smaller body, if the other one is no smaller than that; floors are as large as they like. */
static double size_of_contacts(const DvContactList *list)
{
    double size = 0;
    for (uint32_t pair = 0; pair < list->pair_count; pair++) {
        const double a = size_of(&list->bodies[list->pairs[pair].body[0]]),
                     b = size_of(&list->bodies[list->pairs[pair].body[1]]);
        const double here = fmin(a, b) > 0 ? fmin(2 * fmin(a, b), fmax(a, b)) : 0.2 * fmax(a, b);
        if (isfinite(here))
            size = fmax(size, here);
    }
    return size > 0 ? round_down(size) : 0;
}

static void add_arrow(Arrows *arrows, DvVec3 from, DvVec3 along, double radius)
{
    dv_vec3_store(from, arrows->at + 6 * (size_t)arrows->count);
    dv_vec3_store(dv_vec3_add(from, along), arrows->at + 6 * (size_t)arrows->count + 3);
    arrows->radii[arrows->count++] = radius;
}

/* 1, 2 or 5 times a power of ten, at least this. */
static double round_up(double force)
{
    const double power = pow(10, floor(log10(force)));
    const double digit = force / power;
    return power * (digit <= 1 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10);
}

static double largest_force(const DvContactList *list, ContactForceOf force_of, void *self)
{
    double most = 0;
    for (uint32_t pair = 0; pair < list->pair_count; pair++)
        for (uint32_t i = 0; i < list->pairs[pair].count; i++) {
            double force[3] = {0, 0, 0};
            force_of(self, pair, i, force);
            const double size = dv_vec3_norm(dv_vec3_load(force));
            most = isfinite(size) ? fmax(most, size) : most;
        }
    return most;
}

static void draw_legend(DvDraw *draw, double length, double most, double largest, double sum)
{
    DvText text = {0};
    dv_text_add(
        &text,
        "contact forces: an arrow of %.2g m is %g N (blue: normal, orange: friction)\nlargest %.3g N, sum %.3g N",
        length, most, largest, sum);
    const DvScreenText line = {.corner = DV_BOTTOM_LEFT,
                               .x = 12,
                               .y = 12,
                               .height = letter_pixels,
                               .color = {0.1, 0.1, 0.1, 1},
                               .text = text.at};
    draw->ops->screen_texts(draw, &line, 1);
    dv_text_free(&text);
}

static void draw_forces(const DvContactList *list, ContactForceOf force_of, void *self, double *most, double size,
                        size_t count, DvDraw *draw)
{
    const double largest = largest_force(list, force_of, self), length = longest * size;
    if (!(largest > 0) || !(size > 0))
        return;
    if (largest > *most)
        *most = round_up(largest);
    Arrows normal = {dv_alloc(count, 6 * sizeof(double)), dv_alloc(count, sizeof(double)), 0},
           friction = {dv_alloc(count, 6 * sizeof(double)), dv_alloc(count, sizeof(double)), 0};
    DvVec3 sum = dv_vec3(0, 0, 0);
    for (uint32_t pair = 0; pair < list->pair_count; pair++)
        for (uint32_t i = 0; i < list->pairs[pair].count; i++) {
            const DvContact *contact = &list->pairs[pair].contacts[i];
            double force[3] = {0, 0, 0};
            force_of(self, pair, i, force);
            const DvVec3 f = dv_vec3_load(force), n = dv_vec3_load(contact->normal),
                         at = dv_vec3_load(contact->point[1]);
            const DvVec3 along = dv_vec3_scale(n, dv_vec3_dot(f, n)), across = dv_vec3_sub(f, along);
            sum = dv_vec3_add(sum, f);
            if (dv_vec3_norm(along) > least_part * largest)
                add_arrow(&normal, at, dv_vec3_scale(along, length / *most), thickness * size);
            if (dv_vec3_norm(across) > least_part * largest)
                add_arrow(&friction, at, dv_vec3_scale(across, length / *most), thickness * size);
        }
    if (normal.count)
        draw->ops->arrows(draw, normal.at, normal.radii, normal.count, color_of_forces);
    if (friction.count)
        draw->ops->arrows(draw, friction.at, friction.radii, friction.count, color_of_friction);
    draw_legend(draw, length, *most, largest, dv_vec3_norm(sum));
    dv_free(normal.at);
    dv_free(normal.radii);
    dv_free(friction.at);
    dv_free(friction.radii);
}

void contacts_draw(const DvContactList *list, ContactForceOf force_of, void *self, double *most, DvDraw *draw)
{
    size_t count = 0;
    for (uint32_t pair = 0; pair < list->pair_count; pair++)
        count += list->pairs[pair].count;
    if (count == 0)
        return;
    const double size = size_of_contacts(list);
    double *ends = dv_alloc(count, 6 * sizeof *ends), *to = ends;
    double *normals = dv_alloc(count, 6 * sizeof *normals), *next = normals;
    for (uint32_t pair = 0; pair < list->pair_count; pair++)
        for (uint32_t i = 0; i < list->pairs[pair].count; i++, to += 6, next += 6) {
            const DvContact *contact = &list->pairs[pair].contacts[i];
            memcpy(to, contact->point, 6 * sizeof *to);
            const DvVec3 at = dv_vec3_load(contact->point[1]);
            dv_vec3_store(at, next);
            dv_vec3_store(dv_vec3_madd(at, normal_length * size, dv_vec3_load(contact->normal)), next + 3);
        }
    draw->ops->state(draw, DV_DRAW_UNLIT | DV_DRAW_ON_TOP);
    draw->ops->lines(draw, ends, (uint32_t)count, line_pixels, color_of_lines);
    draw->ops->lines(draw, normals, (uint32_t)count, normal_pixels, color_of_normals);
    draw->ops->points(draw, ends, 2 * (uint32_t)count, dot_pixels, color_of_points);
    draw_forces(list, force_of, self, most, size, count, draw);
    draw->ops->state(draw, 0);
    dv_free(ends);
    dv_free(normals);
}

double contacts_penetration(const DvContactList *list)
{
    double deepest = 0;
    for (uint32_t pair = 0; pair < list->pair_count; pair++)
        for (uint32_t i = 0; i < list->pairs[pair].count; i++)
            deepest = fmax(deepest, -list->pairs[pair].contacts[i].gap);
    return deepest;
}
