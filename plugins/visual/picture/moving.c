/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "moving.h"

#include <math.h>

#include <divan/contracts/force_field.h>
#include <divan/contracts/mapping.h>
#include <divan/contracts/mass.h>
#include <divan/contracts/solver.h>
#include <divan/contracts/state.h>

/* A mass, or a state of its own on which forces act, as where solvers look for equilibrium. */
static bool is_moved(DvNode *node)
{
    if (dv_node_slot(node, DV_MASS))
        return true;
    bool has_forces = false;
    const DvObject *object;
    if (!dv_node_slot(node, DV_STATE))
        return false;
    for (size_t i = 0; (object = dv_node_member(node, i)); i++) {
        if (dv_object_ops(object, DV_MAPPING))
            return false;
        has_forces = has_forces || dv_object_ops(object, DV_FORCE_FIELD);
    }
    return has_forces;
}

void moving_list(List *nodes, DvNode *node)
{
    if (dv_node_context(node, DV_ODE_SOLVER) && is_moved(node))
        *(DvNode **)list_add(nodes, sizeof node) = node;
}

bool moving_box(const List *nodes, double box[6])
{
    DvNode *const *node = nodes->at;
    bool found = false;
    for (uint32_t i = 0; i < nodes->count; i++) {
        const double *of_node = dv_data_doubles(dv_object_field(dv_node_object(node[i]), "bbox"), NULL);
        bool good = true;
        for (int c = 0; c < 3; c++)
            good = good && isfinite(of_node[c]) && isfinite(of_node[3 + c]) && of_node[c] <= of_node[3 + c];
        for (int c = 0; good && c < 3; c++) {
            box[c] = found ? fmin(box[c], of_node[c]) : of_node[c];
            box[3 + c] = found ? fmax(box[3 + c], of_node[3 + c]) : of_node[3 + c];
        }
        found = found || good;
    }
    return found;
}
