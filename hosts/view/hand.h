/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The user's hand in the scene: what a ray from the camera meets, and what is done there. All of it belongs to the simulation thread.
 *
 * A ray meets the nearest element of the collision models that are simulated (triangles, spheres, tetrahedra); where there is none, the particle
 * nearest to the ray. What is held is held by components of the scene itself (a target that does not move by itself, springs to
 * it, or a constraint), which are transient: they are not saved.
 */
#ifndef DIVAN_VIEW_HAND_H
#define DIVAN_VIEW_HAND_H

#include "message.h"
#include "snapshot.h"

typedef struct Ray {
    double origin[3], direction[3]; /* m; of length 1 */
} Ray;

/* A point of a state, or a weighted mean of some. */
typedef struct Hit {
    DvObject *state;
    DvObject *model;  /* that it was found by; NULL: by the particles */
    uint32_t element; /* of the model */
    uint32_t count, points[8];
    double weights[8];
    double lever[3]; /* m, in the frame of a rigid point */
    double at[3];    /* m */
    double depth;    /* m along the ray */
} Hit;

bool hand_find(DvScene *scene, const Ray *ray, Hit *hit);

typedef struct Hand Hand;

Hand *hand_new(void);
void hand_free(Hand *hand); /* of a scene that has gone, or holds nothing */
/* False: nothing is there, or it cannot be done; that has been reported. */
bool hand_grab(Hand *hand, DvScene *scene, GrabMode mode, const Ray *ray, double stiffness);
void hand_drag(Hand *hand, DvScene *scene, const Ray *ray);
void hand_release(Hand *hand, DvScene *scene);
void hand_reset(Hand *hand, DvScene *scene); /* lets go, and takes away what was fixed */
void hand_forget(Hand *hand);                /* the scene goes */
void hand_view(const Hand *hand, GrabView *view);

#endif
