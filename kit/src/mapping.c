/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The common part of mappings from one state to one state; see divan/kit/mapping.h.
 */
#include <divan/kit/mapping.h>

#include <divan/contracts/drawing.h>
#include <divan/memory.h>

#include <divan/contracts/topology.h>
#include <divan/contracts/visual.h>

#include <string.h>

/* The kernel takes the variant from these: it refuses states of other types, and input and output that are the same state. */
const DvVariantSource dv_single_mapping_sources[] = {
    {.attribute = "input", .path = "@../", .contract = DV_STATE},
    {.attribute = "output", .path = "@./", .contract = DV_STATE},
    {0},
};

DvStatus dv_mapping_parse(DvObject *object, void *self, const DvAttributes *attributes)
{
    (void)object;
    DvSingleMapping *base = self;
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

DvStatus dv_single_mapping_init(DvObject *object, DvSingleMapping *base)
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

void dv_single_mapping_release(DvSingleMapping *base)
{
    dv_state_release(&base->in);
    dv_state_release(&base->out);
}

/* A vector of the output from those of all inputs, where these have it. */
/* What has the numbers that it should have is not written: a saved scene would hold it as changed. */
static bool is_mapped_already(DvSingleMapping *base, const DvStep *step, DvVecId id, const DvConstVec *in,
                              void (*map)(void *self, const DvStep *step, const DvConstVec *in, const DvVec *out))
{
    const DvConstVec now = base->out.ops->has(base->out.self, id) ? dv_state_read(base->out, id) : (DvConstVec){0};
    const size_t numbers = (size_t)now.count * now.dim;
    if (!now.at || numbers == 0)
        return false;
    double *copy = dv_alloc(numbers, sizeof *copy);
    memcpy(copy, now.at, numbers * sizeof *copy);
    map(base, step, in, &(const DvVec){.at = copy, .count = now.count, .dim = now.dim});
    const bool same = memcmp(copy, now.at, numbers * sizeof *copy) == 0;
    dv_free(copy);
    return same;
}

static void apply_to(DvSingleMapping *base, const DvMappingOps *ops, DvVecId id,
                     void (*map)(void *self, const DvStep *step, const DvConstVec *in, const DvVec *out))
{
    const DvNode *node = dv_object_node(dv_object_of(base));
    const DvStep step = {
        .time = dv_node_time(node), .dt = dv_node_dt(node), .position = DV_POSITION, .velocity = DV_VELOCITY};
    const uint32_t count = ops->inputs(base, NULL, 0);
    DvObject **states = dv_alloc(count, sizeof(DvObject *));
    DvConstVec *in = dv_alloc(count, sizeof *in);
    bool all = ops->inputs(base, states, count) > 0;
    for (uint32_t i = 0; i < count && all; i++) {
        const DvStateRef state = dv_state_ref(states[i]);
        all = id != DV_REST_POSITION || state.ops->has(state.self, id);
        if (all)
            in[i] = dv_state_read(state, id);
        all = all && in[i].at;
    }
    if (all && id == DV_REST_POSITION && is_mapped_already(base, &step, id, in, map))
        all = false;
    if (all && (id != DV_VELOCITY || base->out.ops->has(base->out.self, id))) {
        const DvVec out = dv_state_write(base->out, id, DV_READ_WRITE);
        if (out.at)
            map(base, &step, in, &out);
    }
    dv_free(in);
    dv_free(states);
}

void dv_mapping_apply_all(DvSingleMapping *base, const DvMappingOps *ops)
{
    /* Rest positions first: J is then that of the positions. */
    if (dv_data_bool(&base->apply_rest_position))
        apply_to(base, ops, DV_REST_POSITION, ops->apply);
    apply_to(base, ops, DV_POSITION, ops->apply);
    apply_to(base, ops, DV_VELOCITY, ops->apply_j);
}

DvObject *dv_mapping_topology_of(DvStateRef state)
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

void dv_jacobian_free(DvJacobian *j)
{
    dv_free((void *)j->row_start);
    dv_free((void *)j->columns);
    dv_free((void *)j->values);
    *j = (DvJacobian){0};
}

DvJacobianArrays dv_jacobian_new(DvJacobian *j, uint32_t rows, uint32_t columns, uint32_t entries, uint32_t area)
{
    dv_jacobian_free(j);
    const DvJacobianArrays arrays = {dv_alloc((size_t)rows + 1, sizeof *arrays.row_start),
                                     dv_alloc(entries, sizeof *arrays.columns),
                                     dv_alloc((size_t)entries * area, sizeof *arrays.values)};
    *j = (DvJacobian){.rows = rows,
                      .columns_count = columns,
                      .row_start = arrays.row_start,
                      .columns = arrays.columns,
                      .values = arrays.values};
    return arrays;
}

void dv_jacobian_set_copies(DvJacobian *j, uint32_t rows, uint32_t columns, const uint32_t *point, size_t count,
                            uint32_t deriv_out, uint32_t deriv_in)
{
    const uint32_t area = deriv_out * deriv_in, common = deriv_out < deriv_in ? deriv_out : deriv_in;
    const uint64_t structure = j->structure + 1;
    const DvJacobianArrays to = dv_jacobian_new(j, rows, columns, rows, area);
    uint32_t entries = 0;
    for (uint32_t i = 0; i < rows; i++) {
        const uint32_t from = i >= count ? UINT32_MAX : point ? point[i] : i;
        if (from < columns) {
            for (uint32_t k = 0; k < common; k++)
                to.values[(size_t)entries * area + (size_t)k * deriv_in + k] = 1.0;
            to.columns[entries++] = from;
        }
        to.row_start[i + 1] = entries;
    }
    j->structure = j->version = structure;
}

uint32_t dv_single_mapping_inputs(void *self, DvObject **states, uint32_t capacity)
{
    const DvSingleMapping *base = self;
    if (base->in.object && capacity > 0)
        states[0] = base->in.object;
    return base->in.object ? 1 : 0;
}

uint32_t dv_single_mapping_outputs(void *self, DvObject **states, uint32_t capacity)
{
    const DvSingleMapping *base = self;
    if (base->out.object && capacity > 0)
        states[0] = base->out.object;
    return base->out.object ? 1 : 0;
}

uint32_t dv_single_mapping_output_points(void *self, uint32_t output)
{
    (void)output;
    return dv_state_count(((const DvSingleMapping *)self)->out);
}

bool dv_single_mapping_maps_forces(void *self)
{
    return dv_data_bool(&((DvSingleMapping *)self)->map_forces);
}

bool dv_single_mapping_maps_constraints(void *self)
{
    return dv_data_bool(&((DvSingleMapping *)self)->map_constraints);
}

bool dv_single_mapping_is_mechanical(void *self)
{
    DvSingleMapping *base = self;
    return dv_data_bool(&base->map_forces) || dv_data_bool(&base->map_constraints) || dv_data_bool(&base->map_masses);
}

bool dv_mapping_yes(void *self)
{
    (void)self;
    return true;
}

bool dv_mapping_no(void *self)
{
    (void)self;
    return false;
}

/* ---- Drawing ---- */

const double dv_mapping_color[4] = {1.0, 1.0, 0.0, 1.0};

double *dv_single_mapping_points_to_draw(DvSingleMapping *base, const DvDraw *draw)
{
    const DvDisplayFlag flag =
        dv_single_mapping_is_mechanical(base) ? DV_DISPLAY_MECHANICAL_MAPPINGS : DV_DISPLAY_MAPPINGS;
    if (!dv_draw_shows(draw, flag) || !base->in.ops || !base->out.ops)
        return NULL;
    return dv_points_in_space(dv_state_read(base->out, DV_POSITION), base->out.dof->spatial);
}

static void draw(void *self, DvDraw *draw)
{
    DvSingleMapping *base = self;
    double *points = dv_single_mapping_points_to_draw(base, draw);
    if (points)
        draw->ops->points(draw, points, dv_state_count(base->out), 7.0, dv_mapping_color);
    dv_free(points);
}

const DvDrawableOps dv_single_mapping_drawable = {.size = sizeof(DvDrawableOps), .draw = draw};
