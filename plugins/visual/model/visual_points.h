/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The points of a visual model: a state of type Vec3d that can only be reached by path, so mappings may write its positions while no
 * component takes it for the state of its node. Positions and rest positions are fields; other vectors exist once asked for.
 */
#ifndef DIVAN_VISUAL_POINTS_H
#define DIVAN_VISUAL_POINTS_H

#include <divan/contracts/state.h>
#include <divan/contracts/visual.h>
#include <divan/state_vectors.h>

#define VISUAL_POINTS_MEMBERS                                          \
    DvData position, rest_position;                                    \
    DvStateVectors own; /* what no field holds */                      \
    uint32_t own_count; /* points those are made for */                \
    uint64_t boxed;     /* version of position + 1 that `box` is of */ \
    double box[6]

typedef struct VisualPoints {
    VISUAL_POINTS_MEMBERS;
} VisualPoints;

extern const DvStateOps visual_points_state_ops; /* self: a struct that begins with the VisualPoints */

void visual_points_bounding_box(VisualPoints *points, double *box);
void visual_points_free(VisualPoints *points);

/* Whether a visual model with this field `enable` is to be drawn. */
static inline bool visual_is_shown(DvData *enable, const DvDraw *draw)
{
    return dv_draw_shows(draw, DV_DISPLAY_VISUAL_MODELS) && dv_data_bool(enable);
}

#define VISUAL_ENABLE_FIELD(Struct, member)                                                  \
    DV_FIELD(Struct, member, "enable", dv_type_bool, .init = "1", .flags = DV_FIELD_DRAWING, \
             .help = "whether it is shown")

#endif
