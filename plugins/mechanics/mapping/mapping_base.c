/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The common part of mappings from one state to one state; see mapping_base.h.
 */
#include "mapping_base.h"

#include <divan/contracts/drawing.h>
#include <divan/memory.h>

#include <divan/contracts/topology.h>
#include <divan/contracts/visual.h>

#include <string.h>

/* The kernel takes the variant from these: it refuses states of other types, and input and output that are the same state. */
const DvVariantSource mapping_variant_sources[] = {
    {.attribute = "input", .path = "@../", .contract = DV_STATE},
    {.attribute = "output", .path = "@./", .contract = DV_STATE},
    {0},
};

DvStatus mapping_parse(DvObject *object, void *self, const DvAttributes *attributes)
{
    (void)object;
    MappingBase *base = self;
    const char *text = dv_attribute(attributes, "isMechanical");
    if (!text)
        return DV_OK;
    DvStatus status = dv_data_set_text(&base->map_forces, text);
    if (status == DV_OK)
        status = dv_data_set_text(&base->map_constraints, text);
    if (status == DV_OK)
        status = dv_data_set_text(&base->map_masses, text);
    return status;
}

DvStatus mapping_resolve(DvObject *object, MappingBase *base)
{
    DvStatus status = dv_state_require(object, &base->input_link, &base->in);
    if (status == DV_OK)
        status = dv_state_require(object, &base->output_link, &base->out);
    if (status != DV_OK)
        return status;
    if (dv_object_ops(base->out.object, DV_VISUAL_MODEL)) {
        DvData *flags[] = {&base->map_forces, &base->map_constraints, &base->map_masses};
        for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
            if (dv_data_bool(flags[i]))
                dv_data_set_bool(flags[i], false);
    }
    return DV_OK;
}

void mapping_release(MappingBase *base)
{
    dv_state_release(&base->in);
    dv_state_release(&base->out);
}

void mapping_apply_all(MappingBase *base, const DvMappingOps *ops)
{
    const DvNode *node = dv_object_node(dv_object_of(base));
    const DvStep step = {
        .time = dv_node_time(node), .dt = dv_node_dt(node), .position = DV_POSITION, .velocity = DV_VELOCITY};
    DvConstVec in;
    DvVec out;
    /* Rest positions first: J is then that of the positions. */
    if (dv_data_bool(&base->apply_rest_position) && base->in.ops->has(base->in.self, DV_REST_POSITION)) {
        in = dv_state_read(base->in, DV_REST_POSITION);
        out = dv_state_write(base->out, DV_REST_POSITION, DV_READ_WRITE);
        ops->apply(base, &step, &in, &out);
    }
    in = dv_state_read(base->in, DV_POSITION);
    out = dv_state_write(base->out, DV_POSITION, DV_READ_WRITE);
    if (in.at && out.at)
        ops->apply(base, &step, &in, &out);
    in = dv_state_read(base->in, DV_VELOCITY);
    if (!in.at || !base->out.ops->has(base->out.self, DV_VELOCITY))
        return;
    out = dv_state_write(base->out, DV_VELOCITY, DV_READ_WRITE);
    ops->apply_j(base, &step, &in, &out);
}

DvObject *mapping_topology_of(DvStateRef state)
{
    for (DvNode *node = dv_object_node(state.object); node; node = dv_node_parent(node, 0)) {
        DvObject *topology = dv_node_slot(node, DV_TOPOLOGY), *mapping = dv_node_slot(node, DV_MAPPING);
        if (topology)
            return topology;
        if (mapping &&
            !((const DvMappingOps *)dv_object_ops(mapping, DV_MAPPING))->keeps_topology(dv_object_self(mapping)))
            return NULL;
    }
    return NULL;
}

void mapping_free_jacobian(DvJacobian *j)
{
    dv_free((void *)j->row_start);
    dv_free((void *)j->columns);
    dv_free((void *)j->values);
    *j = (DvJacobian){0};
}

JacobianArrays mapping_new_jacobian(DvJacobian *j, uint32_t rows, uint32_t columns, uint32_t entries, uint32_t area)
{
    mapping_free_jacobian(j);
    const JacobianArrays arrays = {dv_alloc((size_t)rows + 1, sizeof *arrays.row_start),
                                   dv_alloc(entries, sizeof *arrays.columns),
                                   dv_alloc((size_t)entries * area, sizeof *arrays.values)};
    *j = (DvJacobian){.rows = rows,
                      .columns_count = columns,
                      .row_start = arrays.row_start,
                      .columns = arrays.columns,
                      .values = arrays.values};
    return arrays;
}

uint32_t mapping_inputs(void *self, DvObject **states, uint32_t capacity)
{
    const MappingBase *base = self;
    if (base->in.object && capacity > 0)
        states[0] = base->in.object;
    return base->in.object ? 1 : 0;
}

uint32_t mapping_outputs(void *self, DvObject **states, uint32_t capacity)
{
    const MappingBase *base = self;
    if (base->out.object && capacity > 0)
        states[0] = base->out.object;
    return base->out.object ? 1 : 0;
}

uint32_t mapping_output_points(void *self, uint32_t output)
{
    (void)output;
    return dv_state_count(((const MappingBase *)self)->out);
}

bool mapping_maps_forces(void *self)
{
    return dv_data_bool(&((MappingBase *)self)->map_forces);
}

bool mapping_maps_constraints(void *self)
{
    return dv_data_bool(&((MappingBase *)self)->map_constraints);
}

bool mapping_is_mechanical(void *self)
{
    MappingBase *base = self;
    return dv_data_bool(&base->map_forces) || dv_data_bool(&base->map_constraints) || dv_data_bool(&base->map_masses);
}

bool mapping_yes(void *self)
{
    (void)self;
    return true;
}

bool mapping_no(void *self)
{
    (void)self;
    return false;
}

/* ---- Drawing ---- */

const double mapping_color[4] = {1.0, 1.0, 0.0, 1.0};

double *mapping_points_to_draw(MappingBase *base, const DvDraw *draw)
{
    const DvDisplayFlag flag = mapping_is_mechanical(base) ? DV_DISPLAY_MECHANICAL_MAPPINGS : DV_DISPLAY_MAPPINGS;
    if (!dv_draw_shows(draw, flag) || !base->in.ops || !base->out.ops)
        return NULL;
    return dv_points_in_space(dv_state_read(base->out, DV_POSITION), base->out.dof->spatial);
}

static void draw(void *self, DvDraw *draw)
{
    MappingBase *base = self;
    double *points = mapping_points_to_draw(base, draw);
    if (points)
        draw->ops->points(draw, points, dv_state_count(base->out), 7.0, mapping_color);
    dv_free(points);
}

const DvDrawableOps mapping_drawable = {.size = sizeof(DvDrawableOps), .draw = draw};
