/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a picture shows below the mouse. A picture never changes, so the window looks by itself and never waits for a step.
 */
#ifndef DIVAN_VIEW_SEEN_H
#define DIVAN_VIEW_SEEN_H

#include <divan/contracts/picture.h>

#include "pick.h"

typedef struct Seen {
    const char *
        path; /* of the visual model, as long as the picture; NULL: it is a primitive, of which nobody says whose it is */
    double depth; /* m along the ray */
    double at[3]; /* m */
} Seen;

/* The nearest triangle, quad, sphere, cylinder or arrow on the ray that no plane of the scene cuts away; false: there is none. */
bool seen_on_ray(const DvPicture *picture, const Ray *ray, Seen *seen);

#endif
