/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DIVAN_TOPOLOGY_CUTTING_H
#define DIVAN_TOPOLOGY_CUTTING_H

#include <divan/contracts/cutting.h>

extern const DvCuttingOps cutting_ops;

#endif
