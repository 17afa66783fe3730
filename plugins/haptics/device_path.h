/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Where a simulated device is led: a text file of places over time, or the log of ticks of an earlier run.
 *
 *   path    lines `time x y z`, then `qx qy qz qw` if it turns, then the sum of the buttons; # begins a comment; times ascend. Between
 *           them it goes straight, before and after them it stays
 *   log     what --haptics-log has written: the lines of one device
 */
#ifndef DV_HAPTICS_DEVICE_PATH_H
#define DV_HAPTICS_DEVICE_PATH_H

#include <divan/divan.h>
#include <divan/math/quat.h>

typedef struct PathPlace {
    double time, position[3], orientation[4];
    double turn[3]; /* the rotation vector, chosen near that of the place before */
    uint32_t buttons;
} PathPlace;

typedef struct DevicePath {
    PathPlace *places;
    uint32_t count, capacity;
} DevicePath;

/* Of a dv_type_file field that names one. `device`: whose lines of a log; NULL: a path. An error has been reported. */
DV_NODISCARD DvStatus device_path_read(DvData *field, const char *device, DevicePath *path);
void device_path_free(DevicePath *path);

/* The last place at or before `time`; of an empty path, and before the first, the first or none (UINT32_MAX). */
uint32_t device_path_find(const DevicePath *path, double time);

#endif
