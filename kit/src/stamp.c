/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The kernel opens the kit that was built with it, and no other.
 */
#include <divan/plugin.h>

extern DV_PUBLIC const uint64_t dv_kit_stamp;
const uint64_t dv_kit_stamp = DV_ABI_STAMP;
