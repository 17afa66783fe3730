/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What forces between contacts do in products, as the operator "stiff rows": along each direction in which a contact is stiff, how fast its second
 * point moves against the first one. A response keeps ContactRows, names its rows anew when asked, and describes them.
 */
#ifndef DIVAN_COLLISION_CONTACT_ROWS_H
#define DIVAN_COLLISION_CONTACT_ROWS_H

#include "response/contact_forces.h"

#include <divan/contracts/operator.h>

typedef struct ContactRows {
    double *stiffness; /* [rows] N/m */
    uint32_t rows, room;
    struct SideOfRows {
        uint32_t *begin, *point; /* [rows + 1], [entries] */
        double *value;           /* [entries][derivatives of a point] */
        uint32_t entries, room;
    } side[2];
    uint32_t points; /* of the second state */
} ContactRows;

void contact_rows_begin(ContactRows *rows);
void contact_rows_add(ContactRows *rows, const ContactForces *forces, uint32_t contact, DvVec3 direction,
                      double stiffness);
/* Of one side (0 or 1), or of both (2). They stay the response's. */
void contact_rows_describe(ContactRows *rows, ContactForces *forces, uint32_t side, DvOperator *out);
/* Of the operator, which is another one with each force and each structure. `forces`: a response, whose base comes first. */
uint64_t contact_rows_version(void *forces);
void contact_rows_free(ContactRows *rows);

#endif
