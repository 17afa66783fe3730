/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The costs of costs.def as constants, cost_spring_product and so on.
 */
#ifndef DIVAN_MECHANICS_COSTS_H
#define DIVAN_MECHANICS_COSTS_H

#define COST(name, value, text) static const double cost_##name = (value);
#include "costs.def"
#undef COST

#endif
