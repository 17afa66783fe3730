/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What every haptic device owes (divan.haptic-device/1): facts that make sense, poses that are poses, starts and stops without number, no allocation
 * between them, and the same bits twice where it says so.
 */
#ifndef DIVAN_TESTS_HAPTIC_DEVICE_CONFORMANCE_H
#define DIVAN_TESTS_HAPTIC_DEVICE_CONFORMANCE_H

#include <divan/contracts/haptic_device.h>

/* Of a device of a scene that has been initialised and makes no steps meanwhile; it is stopped afterwards. A device that calls must call within
 * two seconds. */
void haptic_device_conforms(DvObject *device);

#endif
