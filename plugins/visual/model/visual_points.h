/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The points of a visual model: a state of type Vec3d that can only be reached by path, so mappings may write its positions while no
 * component takes it for the state of its node. Positions and rest positions are fields; other vectors exist once asked for.
 */
#ifndef DIVAN_VISUAL_POINTS_H
#define DIVAN_VISUAL_POINTS_H

#include <divan/contracts/state.h>
#include <divan/contracts/topology.h>
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

/* Whether the triangles of a mesh are the halves of its quads, in their order, as those of grids are: what draws both draws them twice. */
static inline bool visual_triangles_are_halves(DvElements triangles, DvElements quads)
{
    bool halves = quads.count > 0 && triangles.count == 2 * quads.count;
    for (size_t i = 0; halves && i < 3 * (size_t)triangles.count; i++) {
        const uint32_t *quad = quads.at + 4 * (i / 6);
        halves = triangles.at[i] == quad[0] || triangles.at[i] == quad[1] || triangles.at[i] == quad[2] ||
                 triangles.at[i] == quad[3];
    }
    return halves;
}

#define VISUAL_ENABLE_FIELD(Struct, member)                                                  \
    DV_FIELD(Struct, member, "enable", dv_type_bool, .init = "1", .flags = DV_FIELD_DRAWING, \
             .help = "whether it is shown")

#endif
