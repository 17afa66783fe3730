/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Devices that stand for those of old drivers: an object of a class with divan.haptic-device/1, in a scene of its own that makes no steps, so that
 * nobody but the driver's port runs it.
 */
#ifndef DV_HAPTICS_STAND_IN_H
#define DV_HAPTICS_STAND_IN_H

#include <divan/divan.h>

/* Of a field that names a class and fields of it: a scene with the device in its root, the caller's; NULL, and DV_OK: the driver's own simulated
 * arm. An error has been reported. */
DV_NODISCARD DvStatus stand_in_make(DvData *field, DvScene **scene);
/* DvHapticsOps.use_devices */
DvStatus stand_in_use_devices(DvScene *scene, const char *const *names, size_t count);

#endif
