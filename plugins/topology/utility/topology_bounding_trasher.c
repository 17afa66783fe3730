/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * TopologyBoundingTrasher: at the end of each step removes the elements whose middle, the mean of their points, lies outside a
 * box. Elements are those of the mesh's own kind.
 */
#include "source_elements.h"

#include <divan/contracts/drawing.h>
#include <divan/contracts/state.h>

typedef struct BoundingTrasher {
    DvData position, box, draw_box;
    DvLink topology;
    DvObject *mesh;
} BoundingTrasher;

static bool is_outside(const uint32_t *element, uint32_t nodes, const double *position, size_t points,
                       const double *box)
{
    for (int axis = 0; axis < 3; axis++) {
        double mean = 0;
        for (uint32_t i = 0; i < nodes; i++) {
            if (element[i] >= points)
                return false;
            mean += position[(size_t)element[i] * 3 + (size_t)axis];
        }
        mean /= nodes;
        if (mean < box[axis] || mean > box[axis + 3])
            return true;
    }
    return false;
}

static void handle_event(DvObject *object, void *self_, DvEvent *event)
{
    BoundingTrasher *self = self_;
    if (event->kind != DV_EVENT_ANIMATE_END)
        return;
    size_t points;
    const double *position = dv_data_doubles(&self->position, &points), *box = dv_data_doubles(&self->box, NULL);
    Topology *mesh = topology_of(self->mesh);
    const ElementList all = topology_elements(mesh, mesh->own);
    DvIndexArray gone = {0};
    for (uint32_t i = 0; i < all.count; i++)
        if (is_outside(all.at + (size_t)i * all.nodes, all.nodes, position, points, box))
            dv_array_push(&gone, i);
    if (gone.count)
        (void)remove_source_elements(object, mesh, &gone);
    dv_array_free(&gone);
}

static DvStatus init(DvObject *object, void *self_)
{
    BoundingTrasher *self = self_;
    DvStatus status =
        dv_object_find_required(object, &self->topology, DV_TOPOLOGY, "a container with a modifier", &self->mesh);
    if (status == DV_OK)
        status = dv_object_require(object, self->mesh);
    if (status != DV_OK)
        return status;
    const Topology *mesh = topology_of(self->mesh);
    if (!mesh || !mesh->dynamic || mesh->own == DV_POINTS)
        return dv_error(object, DV_ERROR_INVALID, "'%s' is no container whose elements can be removed",
                        dv_object_path(self->mesh));
    double *box = dv_data_begin(&self->box, 1);
    for (int axis = 0; axis < 3; axis++)
        if (box[axis] > box[axis + 3]) {
            const double swap = box[axis];
            box[axis] = box[axis + 3];
            box[axis + 3] = swap;
        }
    dv_data_end(&self->box);
    if (dv_data_is_set(&self->position) || dv_data_parent(&self->position))
        return DV_OK;
    DvObject *state = dv_node_context(dv_object_node(object), DV_STATE);
    DvData *positions = state ? dv_object_field(state, "position") : NULL;
    if (!positions)
        return dv_error(object, DV_ERROR_MISSING,
                        "no positions: give 'position', or put a MechanicalObject into the node");
    return dv_data_link(&self->position, positions);
}

static DvStatus construct(DvObject *object, void *self)
{
    (void)self;
    dv_data_set_bool(dv_object_field(object, "listening"), true);
    return DV_OK;
}

static const DvField fields[] = {
    DV_FIELD(BoundingTrasher, position, "position", dv_type_vec3s, .unit = "m", .flags = DV_FIELD_EMPTY_IS_DEFAULT,
             .help = "where the points are; those of the node's state by default"),
    DV_FIELD(BoundingTrasher, box, "box", dv_type_box, .init = "-1000 -1000 -1000 1000 1000 1000", .unit = "m",
             .help = "elements with their middle outside it are removed"),
    DV_FIELD(BoundingTrasher, draw_box, "drawBox", dv_type_bool, .init = "0", .flags = DV_FIELD_DRAWING,
             .group = "Visualization", .help = "show the box"),
    DV_LINK(BoundingTrasher, topology, "topology", DV_TOPOLOGY, .help = "mesh to change; the node's own by default"),
    {0},
};

static void draw(void *self_, DvDraw *draw)
{
    static const double color[4] = {1.0, 1.0, 0.0, 1.0};
    BoundingTrasher *self = self_;
    if (dv_data_bool(&self->draw_box) && dv_draw_shows(draw, DV_DISPLAY_BEHAVIOR_MODELS))
        dv_draw_boxes(draw, dv_data_doubles(&self->box, NULL), 1, 1.0, color);
}

static const DvDrawableOps drawable = {.size = sizeof drawable, .draw = draw};

const DvClass dv_topology_bounding_trasher = {
    .size = sizeof(DvClass),
    .name = "TopologyBoundingTrasher",
    .variants = "Vec3d",
    .family = "topological changes",
    .module = "Sofa.Component.Topology.Utility",
    .help = "Removes elements that leave a box.",
    .instance_size = sizeof(BoundingTrasher),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_DRAWABLE, .ops = &drawable}, {0}},
    .construct = construct,
    .init = init,
    .handle_event = handle_event,
};
