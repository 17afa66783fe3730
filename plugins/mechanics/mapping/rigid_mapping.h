/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the files of RigidMapping share: its fields and life (rigid_mapping.c), its operations (rigid_mapping_operations.c).
 */
#ifndef DIVAN_MECHANICS_RIGID_MAPPING_H
#define DIVAN_MECHANICS_RIGID_MAPPING_H

#include <divan/contracts/operator.h>
#include <divan/kit/mapping.h>

#include <divan/element_data.h>
#include <divan/math/rigid.h>
#include <divan/memory.h>
#include <divan/parallel.h>

#include <string.h>

enum { STIFFNESS_NONE, STIFFNESS_EXACT, STIFFNESS_STABILIZED };

typedef struct RigidMapping {
    DvSingleMapping base;
    DvData initial_points;         /* coordinates of the output's type, local */
    DvData index;                  /* uint: the body of points without one of their own */
    DvData filename;               /* file of points */
    DvData use_x0;                 /* bool: the rest positions of the output are the local points */
    DvData index_from_end;         /* bool */
    DvData rigid_index_per_point;  /* uint[points], or ignored */
    DvData global_to_local_coords; /* bool */
    DvData geometric_stiffness;    /* STIFFNESS_* */
    uint32_t stiff;                /* as the operator says it */

    uint64_t versions[4]; /* of the fields that choose bodies, when they were chosen */
    uint32_t points;      /* points of the output that are mapped */
    uint32_t bodies_in;   /* points of the input then */
    bool ready;
    uint32_t *body;       /* [points] */
    uint32_t used;        /* bodies with points */
    uint32_t *used_body;  /* [used] ascending */
    uint32_t *used_start; /* [used + 1] */
    uint32_t *used_point; /* [points] ascending within a body */
    double *lever;        /* [points] x 3 (plane: 2), and one more to read */
    DvJacobian jacobian;
    uint64_t structure;   /* + 1 when bodies are chosen */
    DvElementData former; /* numbers of the output's points before a change of its mesh */
} RigidMapping;

static inline bool in_plane(const RigidMapping *self)
{
    return self->base.in.dof == &dv_rigid2d;
}

/* The local points, and how many; NULL when there are none. */
const double *rigid_mapping_local_points(RigidMapping *self, uint32_t *count);
/* Whether the bodies of the points are known; chooses them anew when a field or the number of points or bodies changed. */
bool rigid_mapping_is_current(RigidMapping *self, uint32_t points, uint32_t bodies);

extern const DvMappingOps rigid_mapping_ops;
extern const DvOperatorOps rigid_mapping_operator;

#endif
