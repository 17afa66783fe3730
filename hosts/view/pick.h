/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a ray from the camera meets. All of it belongs to the simulation thread.
 *
 * A ray meets the nearest element of the collision models that are simulated (triangles, spheres, tetrahedra); where there is none, the
 * particle nearest to the ray.
 */
#ifndef DIVAN_VIEW_PICK_H
#define DIVAN_VIEW_PICK_H

#include <glib.h>

#include <divan/contracts/state.h>
#include <divan/contracts/topology.h>
#include <divan/divan.h>

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

/* Collision models, elements of meshes; where neither is on the ray, a particle as near to it as `slope` times its depth. NULL: nothing. */
DvObject *pick_state(DvScene *scene, const Ray *ray, double slope);
bool pick(DvScene *scene, const Ray *ray, Hit *hit);
/* The mesh of a state that has no collision model, and the first element of it on the ray, a volume where it has any. NULL: none. */
DvObject *pick_element(DvObject *state, const Ray *ray, DvElementKind *kind, uint32_t *element);
/* [any] From both sides. `depth`: m along the ray. */
bool pick_meets_triangle(const Ray *ray, const double *a, const double *b, const double *c, double *depth);
bool pick_meets_sphere(const Ray *ray, const double *centre, double radius, double *depth);
void pick_point(const Ray *ray, double depth, double at[3]);
bool pick_is_kind(DvStateRef state, const char *name);   /* "Vec3d" */
GPtrArray *pick_all(DvNode *root, const char *contract); /* DvObject, to be freed with its array */

#endif
