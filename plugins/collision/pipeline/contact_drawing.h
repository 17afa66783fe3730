/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Contacts as a picture has them: where bodies touch, which way, and by which forces.
 */
#ifndef DIVAN_COLLISION_CONTACT_DRAWING_H
#define DIVAN_COLLISION_CONTACT_DRAWING_H

#include <divan/contracts/collision.h>
#include <divan/contracts/visual.h>

/* The force on the second model of contact `index` of a pair, N. */
typedef void (*ContactForceOf)(void *self, uint32_t pair, uint32_t index, double force[3]);

/* Points of both bodies with a line between them, normals, and arrows for forces on the second body: of the normal part and of friction, in
 * another colour. `most`: N, the force that the longest arrow stands for; it grows with what is seen and is kept by the caller. */
void contacts_draw(const DvContactList *list, ContactForceOf force_of, void *self, double *most, DvDraw *draw);
/* How deep bodies lie in each other, m: of all contacts the largest; 0: nowhere. */
double contacts_penetration(const DvContactList *list);

#endif
