/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The operator "springs" (divan/contracts/operator.h) of SpringBlocks.
 */
#ifndef DIVAN_MECHANICS_SPRING_OPERATOR_H
#define DIVAN_MECHANICS_SPRING_OPERATOR_H

#include "forcefield/spring/spring_blocks.h"

#include <divan/contracts/operator.h>

typedef struct SpringOperator {
    uint32_t *pair, *flags;
    double *numbers, shortest; /* stiffness, damping, length */
    uint32_t room, second;     /* second: points of the second state */
} SpringOperator;

/* between: two states.     dof: of both; shortest: length at which none acts */
void spring_operator_describe(SpringOperator *self, const SpringBlocks *set, const DvDofType *dof, bool between,
                              double shortest, uint64_t version, DvOperator *out);
void spring_operator_free(SpringOperator *self);

#endif
