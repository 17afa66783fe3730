/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The log of ticks: a line for each, with all digits, so that it can be read again to the same bits.
 *
 *   device,tick,time,x,y,z,qx,qy,qz,qw,buttons,fx,fy,fz,tx,ty,tz
 *
 * in the axes and units of the device; the force is what it is to show from this tick on.
 */
#ifndef DV_HAPTICS_TICK_LOG_H
#define DV_HAPTICS_TICK_LOG_H

#include <divan/contracts/haptic_device.h>

void tick_log_head(FILE *log);
void tick_log_add(FILE *log, const DvObject *device, const DvHapticAbout *about, const DvHapticPose *pose);

#endif
