/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * One joint spring between two rigid bodies, as the field `spring` holds it.
 */
#ifndef DIVAN_MECHANICS_JOINT_SPRING_H
#define DIVAN_MECHANICS_JOINT_SPRING_H

#include <divan/divan.h>

typedef struct JointSpring {                   /* no padding: values are compared as bytes */
    uint32_t a, b;                             /* body of the first state, of the second */
    uint32_t free_axis[6];                     /* translations x y z, rotations x y z, in the axes of the first body */
    double soft_translation, hard_translation; /* N/m, of free and of locked axes */
    double soft_rotation, hard_rotation;       /* N m/rad */
    double bloc;                               /* N m/rad, beyond a limit */
    double damping;                            /* N s/m and N m s/rad */
    double limit[3][2];                        /* rad, of free rotations */
    double rest_translation[3], rest_rotation[4];
    uint32_t measured; /* rest values are those of the start, whatever was given */
    uint32_t reserved;
} JointSpring;

extern const DvType dv_type_joint_springs;

#endif
