/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Random bodies of all kinds that collide: boxes, capsules and spheres on frames; on points all that hangs on a mesh, rays too.
 */
#ifndef DIVAN_TESTS_SOLID_BODIES_H
#define DIVAN_TESTS_SOLID_BODIES_H

#include "detect.h"

#include <divan/math/rigid.h>

static inline DvVec3 random_vector(double size)
{
    const double x = random_between(-size, size), y = random_between(-size, size);
    return dv_vec3(x, y, random_between(-size, size));
}

static inline DvQuat random_rotation(void)
{
    const double x = random_between(-1, 1), y = random_between(-1, 1), z = random_between(-1, 1);
    return dv_quat_normalize(dv_quat(x, y, z, random_between(-1, 1)));
}

static inline void add_frames(DvText *text, const DvRigid3 *frames, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        dv_text_add(text, "%.17g %.17g %.17g %.17g %.17g %.17g %.17g ", frames[i].center.x, frames[i].center.y,
                    frames[i].center.z, frames[i].orientation.x, frames[i].orientation.y, frames[i].orientation.z,
                    frames[i].orientation.w);
}

static inline void add_points(DvText *text, const DvVec3 *points, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        dv_text_add(text, "%.17g %.17g %.17g ", points[i].x, points[i].y, points[i].z);
}

static inline void add_head(DvText *text, const char *method)
{
    dv_text_add(text,
                "<Node name='root' gravity='0 0 0'><DefaultAnimationLoop/><CollisionPipeline name='pipeline'/>"
                "<BruteForceBroadPhase/><BVHNarrowPhase/><%s name='method'/>"
                "<CollisionResponse response='PenalityContactForceField'/>",
                method);
}

static uint32_t scale = 1;
#define FRAMES (14 * scale)
#define POINTS (24 * scale)
enum { LARGEST = 8 };

/* Frames with boxes, capsules and spheres, some without size; points with everything that hangs on a mesh. */
static inline void add_rigid_body(DvText *text, const char *name, bool degenerate)
{
    DvRigid3 frames[14 * LARGEST];
    for (uint32_t i = 0; i < FRAMES; i++)
        frames[i] = dv_rigid3(random_vector(1), random_rotation());
    dv_text_add(text, "<Node name='%s'><MechanicalObject template='Rigid3d' position='", name);
    add_frames(text, frames, FRAMES);
    dv_text_add(text, "' velocity='");
    for (uint32_t i = 0; i < FRAMES; i++) {
        const DvVec3 v = random_vector(1);
        dv_text_add(text, "%g %g %g 0 0 0 ", v.x, v.y, v.z);
    }
    dv_text_add(text, "'/><OBBCollisionModel contactDistance='0.01' extents='");
    for (uint32_t i = 0; i < FRAMES; i++) {
        const bool flat = degenerate && i % 3 == 0;
        const double x = random_between(0.05, 0.4), y = random_between(0.05, 0.4);
        dv_text_add(text, "%g %g %g ", flat ? 0.0 : x, degenerate && i == 6 ? 0.0 : y, random_between(0.05, 0.4));
    }
    dv_text_add(text,
                "'/><CapsuleCollisionModel radii='%s' heights='0.3 0.7 %s' defaultRadius='0.1' defaultHeight='0.4'/>"
                "<SphereCollisionModel radius='0.15' listRadius='0.1 %s'/></Node>",
                degenerate ? "0 0.2" : "0.15", degenerate ? "0 0" : "0.1", degenerate ? "0" : "0.2");
}

static inline void add_soft_body(DvText *text, const char *name, bool degenerate)
{
    DvVec3 points[24 * LARGEST];
    const DvVec3 origin = random_vector(0.5);
    for (uint32_t i = 0; i < POINTS; i++)
        points[i] = dv_vec3_add(origin, random_vector(0.7));
    if (degenerate)
        points[5] = points[4] = points[3];
    dv_text_add(text, "<Node name='%s'><MeshTopology name='mesh' tetrahedra='", name);
    for (uint32_t i = 0; i < 12 * scale; i++)
        for (int k = 0; k < 4; k++)
            dv_text_add(text, "%u ", degenerate && i == 5 ? (uint32_t)(k / 2) : random_below(POINTS));
    dv_text_add(text, "%s' triangles='", degenerate ? "2 3 4 5" : "");
    for (uint32_t i = 0; i < 12 * scale; i++)
        dv_text_add(text, "%u %u %u ", random_below(POINTS), random_below(POINTS), random_below(POINTS));
    dv_text_add(text, "%s' ", degenerate ? "3 4 5" : "");
    if (strcmp(name, "Four") != 0) { /* of that body those of the others, so that neighbours are known */
        dv_text_add(text, "edges='");
        for (uint32_t i = 0; i < 10 * scale; i++)
            dv_text_add(text, "%u %u ", random_below(POINTS), random_below(POINTS));
        dv_text_add(text, "%s'", degenerate ? "3 4" : "");
    }
    dv_text_add(text, "/><MechanicalObject position='");
    add_points(text, points, POINTS);
    dv_text_add(text,
                "'/><TetrahedronCollisionModel contactDistance='0.005'/><TriangleCollisionModel/><LineCollisionModel/>"
                "<PointCollisionModel computeNormals='1'/><CapsuleCollisionModel listCapsuleRadii='0.1 %s'"
                " defaultRadius='0.07'/><SphereCollisionModel radius='0.05'/>"
                "<RayCollisionModel defaultLength='2' directions='1 0 0  %s  0 1 1'/></Node>",
                degenerate ? "0" : "0.2", degenerate ? "0 0 0" : "-1 2 0");
}

static inline DvScene *load_bodies(const char *method, bool degenerate)
{
    DvText text = {0};
    add_head(&text, method);
    add_rigid_body(&text, "One", degenerate);
    add_rigid_body(&text, "Two", degenerate);
    add_soft_body(&text, "Three", degenerate);
    add_soft_body(&text, "Four", degenerate);
    dv_text_add(&text, "</Node>");
    DvScene *scene = scene_from_text(text.at);
    dv_text_free(&text);
    return scene;
}

#endif
