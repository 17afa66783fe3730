/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a check of a scene asks of it before the first step (DvStepCheckOps.lint).
 */
#ifndef DIVAN_CHECK_H
#define DIVAN_CHECK_H

#include <divan/data.h>

DV_BEGIN_DECLS

/* Whether a field of another object follows this one, or has done so.     [main] */
DV_PUBLIC bool dv_data_was_followed(const DvData *field);

DV_END_DECLS
#endif
