/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a picture shows below the mouse. A picture never changes, so the window looks by itself and never waits for a step.
 */
#ifndef DIVAN_VIEW_SEEN_H
#define DIVAN_VIEW_SEEN_H

#include <divan/contracts/picture.h>

#include "pick.h"

typedef struct Seen {
    const char *path; /* of the object or node that it belongs to, as long as the picture; NULL: nobody says */
    double depth;     /* m along the ray */
    double at[3];     /* m */
} Seen;

/* How near the ray has to come to a line or a point: m at its beginning, and so much more with each m along it. */
typedef struct Reach {
    double begin, slope;
} Reach;

/* The nearest triangle, quad, sphere, cylinder or arrow on the ray, or line or point within reach of it, that no plane of the scene cuts
 * away and that is not drawn over all else; false: there is none. */
bool seen_on_ray(const DvPicture *picture, const Ray *ray, Reach reach, Seen *seen);
/* Whether it shows something of the object, or of what is below the node, of this path. */
bool seen_has(const DvPicture *picture, const char *path);

#endif
