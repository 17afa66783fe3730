/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Files of captured motion, BVH: a skeleton of joints, and frame by frame a number for each channel of each joint.
 */
#ifndef DIVAN_MECHANICS_BVH_FILE_H
#define DIVAN_MECHANICS_BVH_FILE_H

#include <divan/data.h>

typedef struct BvhChannel {
    uint32_t axis; /* 0 x, 1 y, 2 z */
    bool turns;    /* degrees; else it shifts */
} BvhChannel;

typedef struct BvhJoint {
    char *name;
    uint32_t parent;     /* UINT32_MAX: the root */
    double offset[3];    /* from the parent */
    uint32_t first, end; /* of its channels */
} BvhJoint;

typedef struct BvhFile {
    BvhJoint *joints; /* in the order of the file: parents come first */
    BvhChannel *channels;
    double *values; /* frames x channels */
    uint32_t joint_count, channel_count, frame_count;
    double frame_seconds;
} BvhFile;

/* What the file of a field holds; an error has been reported otherwise. bvh_free in any case. */
DV_NODISCARD DvStatus bvh_read(DvData *field, BvhFile *file);
void bvh_free(BvhFile *file);

#endif
