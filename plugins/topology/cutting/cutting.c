/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The service divan.cutting/1: a plan, carried out by the functions that change containers.
 */
#include "cutting.h"

#include "container/modifier.h"
#include "cut_plan.h"

#include <divan/contracts/state.h>

#include <math.h>

/* ---- What may be cut ---- */

static DvStatus check_blade(DvObject *topology, const DvBlade *blade)
{
    if (blade->count < 2)
        return dv_error(topology, DV_ERROR_INVALID, "a blade that has been in %u places cuts nothing: two are needed",
                        blade->count);
    for (size_t i = 0; i < 6 * (size_t)blade->count; i++)
        if (!isfinite(blade->sections[i]))
            return dv_error(topology, DV_ERROR_INVALID, "place %zu of the blade is not finite", i / 6);
    if (!(blade->snap > 0.0 && blade->snap <= 0.4))
        return dv_error(topology, DV_ERROR_INVALID, "the blade's snap is %g; it must be above 0 and at most 0.4",
                        blade->snap);
    return DV_OK;
}

/* Where the points of a topology are: those of the state above it, or its own; NULL: nowhere. */
static const double *positions_of(const Topology *topology)
{
    const DvStateRef state = dv_state_ref(dv_node_context(dv_object_node(topology->object), DV_STATE));
    if (state.ops && state.dof->coord == 3 && dv_state_count(state) == topology->points)
        return dv_state_read(state, DV_POSITION).at;
    return state.ops ? NULL : topology_ops.positions((void *)topology);
}

static DvStatus mesh_to_cut(Topology *topology, CutMesh *mesh)
{
    const DvElementKind kind = topology->own;
    if (!topology->dynamic || (kind != DV_TETRAHEDRA && kind != DV_TRIANGLES))
        return dv_error(topology->object, DV_ERROR_INVALID,
                        "only a TetrahedronSetTopologyContainer or a TriangleSetTopologyContainer can be cut");
    const ElementList elements = topology_elements(topology, kind);
    mesh->positions = positions_of(topology);
    mesh->points = topology->points;
    mesh->elements = elements.at;
    mesh->count = elements.count;
    mesh->corners = dv_element_nodes(kind);
    if (!mesh->positions && mesh->points)
        return dv_error(topology->object, DV_ERROR_INVALID,
                        "has no positions of three coordinates to be cut at: neither of a state above it nor its own");
    mesh->around = topology_ops.adjacency(topology, DV_POINTS, kind);
    return DV_OK;
}

/* ---- Carrying out ---- */

/* A new point comes from the two that it lies between; the second of two in one place from the first. */
static DvStatus add_points(Topology *topology, const CutPlan *plan)
{
    const uint32_t count = plan->points.count;
    uint32_t *ancestors = dv_alloc(2 * (size_t)count, sizeof *ancestors),
             *start = dv_alloc((size_t)count + 1, sizeof *start), used = 0;
    double *weights = dv_alloc(2 * (size_t)count, sizeof *weights);
    for (uint32_t i = 0; i < count; i++) {
        const CutPoint *point = &plan->points.data[i];
        start[i] = used;
        ancestors[used] = point->from[0];
        weights[used++] = 1.0 - point->where;
        if (point->where == 0.0)
            continue;
        ancestors[used] = point->from[1];
        weights[used++] = point->where;
    }
    start[count] = used;
    const DvElementChange descent = {.ancestors = ancestors, .weights = weights, .ancestor_start = start};
    const DvStatus status = topology_add_points(topology, count, &descent, false);
    dv_free(ancestors);
    dv_free(start);
    dv_free(weights);
    return status;
}

static DvStatus add_pieces(Topology *topology, const CutPlan *plan)
{
    const uint32_t count = plan->parents.count;
    uint32_t *start = dv_alloc((size_t)count + 1, sizeof *start);
    for (uint32_t i = 0; i <= count; i++)
        start[i] = i;
    const DvElementChange descent = {.ancestors = plan->parents.data, .ancestor_start = start};
    const DvStatus status = topology_add_elements(topology, topology->own, count, plan->elements.data, &descent);
    dv_free(start);
    return status;
}

static DvStatus carry_out(Topology *topology, const CutPlan *plan)
{
    DvStatus status = plan->points.count ? add_points(topology, plan) : DV_OK;
    if (status == DV_OK && plan->parents.count)
        status = add_pieces(topology, plan);
    if (status == DV_OK && plan->replaced.count)
        status = topology_remove_elements(topology, topology->own, plan->replaced.count, plan->replaced.data,
                                          (Cascade){.elements = true});
    return status;
}

static DvStatus cut(DvObject *object, const DvBlade *blade, DvCut *result)
{
    if (result)
        *result = (DvCut){0};
    Topology *topology = topology_of(object);
    if (!topology)
        return dv_error(object, DV_ERROR_INVALID, "is no topology that can be cut");
    CutMesh mesh = {0};
    DvStatus status = check_blade(object, blade);
    if (status == DV_OK)
        status = mesh_to_cut(topology, &mesh);
    if (status != DV_OK)
        return status;
    BladeSurface surface = blade_surface(blade);
    CutPlan plan = cut_plan(&mesh, &surface, blade->snap);
    if (result)
        *result = (DvCut){.cut = plan.replaced.count,
                          .pieces = plan.parents.count,
                          .points = plan.points.count,
                          .doubled = plan.doubled,
                          .faces = plan.faces,
                          .smallest_angle = cut_plan_smallest_angle(&plan, &mesh)};
    status = carry_out(topology, &plan);
    cut_plan_free(&plan);
    blade_surface_free(&surface);
    return status;
}

const DvCuttingOps cutting_ops = {.size = sizeof(DvCuttingOps), .cut = cut};
