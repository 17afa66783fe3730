/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A library that a plugin needs: its start function.
 */
#include <divan/base.h>

extern DV_PUBLIC DvStatus elsewhere(void);

DvStatus elsewhere(void)
{
    return DV_OK;
}
