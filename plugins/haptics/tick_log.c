/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tick_log.h"

void tick_log_head(FILE *log)
{
    fputs("device,tick,time,x,y,z,qx,qy,qz,qw,buttons,fx,fy,fz,tx,ty,tz\n", log);
}

void tick_log_add(FILE *log, const DvObject *device, const DvHapticAbout *about, const DvHapticPose *pose)
{
    const double *const rows[] = {pose->position, pose->orientation, about->force, about->torque};
    static const int counts[] = {3, 4, 3, 3};
    fprintf(log, "%s,%llu,%.17g", dv_object_name(device), (unsigned long long)(about->ticks - 1), about->time);
    for (int r = 0; r < 4; r++) {
        for (int c = 0; c < counts[r]; c++)
            fprintf(log, ",%.17g", rows[r][c]);
        if (r == 1)
            fprintf(log, ",%u", pose->buttons);
    }
    fputc('\n', log);
}
