/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Natural frequencies and shapes of what lies below a node, about the state it is in: K v = value M v, without damping. A service;
 * dv_service(DV_NATURAL_MODES) is NULL where no plugin has one.
 *
 * K is the stiffness of all force fields and mappings at the present positions, its symmetric part where it has another; projective constraints
 * hold. Contacts and Lagrangian constraints take no part. No step is made.
 */
#ifndef DIVAN_CONTRACTS_MODES_H
#define DIVAN_CONTRACTS_MODES_H

#include <divan/node.h>

DV_BEGIN_DECLS

#define DV_NATURAL_MODES "divan.natural-modes/1"

typedef struct DvModes DvModes;

typedef struct DvModesOps {
    uint32_t size;
    /* The `count` slowest modes, count > 0; NULL after an error, which has been reported. To be freed before the scene.     [main] */
    DvModes *(*find)(DvNode *node, uint32_t count);
    void (*free)(DvModes *modes); /* NULL is allowed; the state is as it was before `find` */
    /* Ascending, s^-2: squares of angular frequencies [count]. Exactly 0: nothing holds the body in this mode. Negative: the state is no
     * stable equilibrium, and leaves it by the root of that as a rate. */
    const double *(*values)(const DvModes *modes);
    size_t (*unknowns)(const DvModes *modes); /* of all, those that are held too */
    /* The state is displaced by `amplitude` times mode `mode`, with the shape itself as velocity, mapped states too. Of a shape v,
     * v^T M v = 1.     [main] */
    void (*show)(DvModes *modes, uint32_t mode, double amplitude);
} DvModesOps;

DV_END_DECLS
#endif
