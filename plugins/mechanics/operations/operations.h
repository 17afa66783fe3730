/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The services that the operations folder offers through the plugin's descriptor.
 */
#ifndef DIVAN_MECHANICS_OPERATIONS_H
#define DIVAN_MECHANICS_OPERATIONS_H

#include <divan/contracts/mechanical_operations.h>
#include <divan/scene.h>

extern const DvMechanicalOperationsOps dv_mechanical_operations;
extern const DvStepCheckOps dv_step_check;

#endif
