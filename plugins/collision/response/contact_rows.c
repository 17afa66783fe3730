/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "response/contact_rows.h"

#include <divan/memory.h>

void contact_rows_begin(ContactRows *rows)
{
    rows->rows = 0;
    rows->side[0].entries = rows->side[1].entries = 0;
}

static void make_room_for_row(ContactRows *rows)
{
    if (rows->rows < rows->room)
        return;
    const uint32_t room = rows->room, more = 2 * room + 16;
    rows->stiffness = dv_realloc(rows->stiffness, room * sizeof(double), more * sizeof(double));
    for (int k = 0; k < 2; k++)
        rows->side[k].begin =
            dv_realloc(rows->side[k].begin, room ? (room + 1) * sizeof(uint32_t) : 0, (more + 1) * sizeof(uint32_t));
    rows->room = more;
}

static void make_room_for_entries(struct SideOfRows *side, uint32_t count)
{
    enum { MOST_DIM = 6 };
    if (side->entries + count <= side->room)
        return;
    const uint32_t room = side->room, more = 2 * (side->entries + count) + 16;
    side->point = dv_realloc(side->point, room * sizeof(uint32_t), more * sizeof(uint32_t));
    side->value =
        dv_realloc(side->value, (size_t)room * MOST_DIM * sizeof(double), (size_t)more * MOST_DIM * sizeof(double));
    side->room = more;
}

void contact_rows_add(ContactRows *rows, const ContactForces *forces, uint32_t contact, DvVec3 direction,
                      double stiffness)
{
    make_room_for_row(rows);
    rows->stiffness[rows->rows] = stiffness;
    for (int k = 0; k < 2; k++) {
        struct SideOfRows *side = &rows->side[k];
        const DvAttachment *at = &forces->ends[contact].side[k];
        const uint32_t dim = forces->state[k].dof->deriv, count = contact_touches(forces, contact, k);
        const DvVec3 along = k ? direction : dv_vec3_neg(direction);
        make_room_for_entries(side, count);
        side->begin[rows->rows] = side->entries;
        for (uint32_t i = 0; i < count; i++) {
            double *value = side->value + (size_t)side->entries * dim;
            side->point[side->entries++] = at->points[i];
            dv_vec3_store(dv_vec3_scale(along, i < at->count ? at->weights[i] : 0.0), value);
            if (dim > 3) /* the rotation of the first frame */
                dv_vec3_store(i == 0 ? dv_vec3_cross(forces->ends[contact].lever[k], along) : dv_vec3_zero(),
                              value + 3);
        }
    }
    rows->rows++;
}

uint64_t contact_rows_version(void *forces)
{
    ContactForces *self = forces;
    contact_forces_heed_edits(self);
    return 1 + self->forces + self->structure;
}

void contact_rows_describe(ContactRows *rows, ContactForces *forces, uint32_t side, DvOperator *out)
{
    static const char *const names[2][3] = {{"begin", "point", "value"}, {"begin 2", "point 2", "value 2"}};
    const uint32_t first = side == 2 ? 0 : side, sides = side == 2 ? 2 : 1;
    const uint64_t version = contact_rows_version(forces);
    make_room_for_row(rows);
    out->name = "stiff rows";
    dv_operator_add_numbers(out, "stiffness", rows->stiffness, rows->rows, 1, version);
    for (uint32_t k = 0; k < sides; k++) {
        struct SideOfRows *of = &rows->side[first + k];
        const uint32_t dim = forces->state[first + k].dof->deriv;
        of->begin[rows->rows] = of->entries;
        dv_operator_add_indices(out, names[k][0], of->begin, (size_t)rows->rows + 1, 1, version);
        dv_operator_add_indices(out, names[k][1], of->point, of->entries, 1, version);
        dv_operator_add_numbers(out, names[k][2], of->value, of->entries, dim, version);
    }
    rows->points = dv_state_count(forces->state[1]);
    if (side == 2)
        dv_operator_add_indices(out, "second", &rows->points, 1, 1, version);
}

void contact_rows_free(ContactRows *rows)
{
    dv_free(rows->stiffness);
    for (int k = 0; k < 2; k++) {
        dv_free(rows->side[k].begin);
        dv_free(rows->side[k].point);
        dv_free(rows->side[k].value);
    }
    *rows = (ContactRows){0};
}
