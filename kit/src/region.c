/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Selecting points and elements in regions of interest.
 */
#include <divan/given.h>
#include <divan/kit/array.h>
#include <divan/kit/region.h>

#include <inttypes.h>

static const char *const list_of[DV_ELEMENT_KINDS] = {[DV_EDGES] = "edges",
                                                      [DV_TRIANGLES] = "triangles",
                                                      [DV_QUADS] = "quads",
                                                      [DV_TETRAHEDRA] = "tetrahedra",
                                                      [DV_HEXAHEDRA] = "hexahedra"};

/* A field that the class does not offer counts as true. */
static bool is_on(DvData *data)
{
    return !data->field || dv_data_bool(data);
}

static bool is_shown(DvData *data)
{
    return data->field && dv_data_bool(data);
}

/* An output that the class does not offer is not written. */
static void *begin(DvData *data, size_t count)
{
    return data->field ? dv_data_begin_all(data, count) : NULL;
}

static void end(DvData *data)
{
    if (data->field)
        dv_data_end(data);
}

/* Splits the items 0 .. count - 1 by `inside`: numbers and rows of both sides into the outputs. */
static void split(uint32_t count, const bool *inside, const void *rows, size_t row_bytes, DvData *in_indices,
                  DvData *in_rows, DvData *out_indices, DvData *out_rows)
{
    uint32_t selected = 0;
    for (uint32_t i = 0; i < count; i++)
        selected += inside[i];
    uint32_t *in_index = begin(in_indices, selected), *out_index = begin(out_indices, count - selected);
    char *in_row = begin(in_rows, selected), *out_row = begin(out_rows, count - selected);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t **index = inside[i] ? &in_index : &out_index;
        char **row = inside[i] ? &in_row : &out_row;
        if (*index)
            *(*index)++ = i;
        if (*row) {
            memcpy(*row, (const char *)rows + i * row_bytes, row_bytes);
            *row += row_bytes;
        }
    }
    end(in_indices);
    end(in_rows);
    end(out_indices);
    end(out_rows);
}

static void split_points(DvRegion *region, DvRegionPoints points, const bool *inside)
{
    split(points.count, inside, points.at, points.stride * sizeof *points.at, &region->indices, &region->points_in,
          &region->indices_out, &region->points_out);
    if (region->point_count.field)
        dv_data_set_uint(&region->point_count, (uint32_t)region->indices.count);
}

static void split_elements(DvRegion *region, DvElementKind kind, DvElements elements, const bool *inside)
{
    split(elements.count, inside, elements.at, dv_element_nodes(kind) * sizeof *elements.at,
          &region->element_indices[kind], &region->elements_in[kind], &region->element_out_indices[kind],
          &region->elements_out[kind]);
}

static void *zeros_of_step(size_t count, size_t size)
{
    return memset(dv_step_alloc(count + 1, size), 0, (count + 1) * size);
}

/* The rule of elements: by their points, or by their middles. Those that a removed point has left behind are not inside. */
static void judge_elements(DvRegion *region, DvElementKind kind, DvElements elements, DvRegionPoints points,
                           const bool *point_inside, bool *inside)
{
    const uint32_t nodes = dv_element_nodes(kind), spatial = points.spatial;
    const bool strict = is_on(&region->strict);
    const DvStepMark mark = dv_step_mark();
    double *middles = strict ? NULL : zeros_of_step((size_t)elements.count * spatial, sizeof *middles);
    if (!strict) {
        for (size_t i = 0; i < (size_t)elements.count * nodes; i++)
            for (uint32_t axis = 0; axis < spatial && elements.at[i] < points.count; axis++)
                middles[i / nodes * spatial + axis] += points.at[(size_t)elements.at[i] * points.stride + axis];
        for (size_t i = 0; i < (size_t)elements.count * spatial; i++)
            middles[i] /= nodes;
        (void)region->ops->select(region, (DvRegionPoints){middles, elements.count, spatial, spatial}, inside);
    }
    for (uint32_t i = 0; i < elements.count; i++) {
        const uint32_t *element = elements.at + (size_t)i * nodes;
        bool there = true, all = true;
        for (uint32_t j = 0; j < nodes; j++) {
            there = there && element[j] < points.count;
            all = there && all && point_inside[element[j]];
        }
        inside[i] = strict ? all : there && inside[i];
    }
    dv_step_release(mark);
}

static DvStatus select_elements(DvRegion *region, DvElementKind kind, DvRegionPoints points, const bool *point_inside)
{
    size_t count;
    const uint32_t *at = dv_data_uints(&region->elements[kind], &count), nodes = dv_element_nodes(kind);
    const DvElements elements = {.at = at, .count = (uint32_t)count};
    for (size_t i = 0; i < count * nodes; i++)
        if (at[i] >= points.count && dv_engine_starting(&region->engine)) {
            split_elements(region, kind, (DvElements){0}, NULL);
            return dv_field_error(&region->elements[kind], (int64_t)(i / nodes),
                                  "point %" PRIu32 " of %" PRIu32 " positions", at[i], points.count);
        }
    const DvStepMark mark = dv_step_mark();
    bool *inside = zeros_of_step(count, sizeof *inside);
    judge_elements(region, kind, elements, points, point_inside, inside);
    if (region->ops->select_elements)
        region->ops->select_elements(region, kind, elements, points, point_inside, inside);
    dv_region_group_keep_elements(&region->group, kind, elements, inside);
    split_elements(region, kind, elements, inside);
    dv_step_release(mark);
    return DV_OK;
}

DvStatus dv_region_update(DvObject *object, void *self)
{
    DvRegion *region = self;
    if (!dv_engine_runs(object, &region->engine) ||
        (region->selected && !region->engine.forced && !is_on(&region->do_update)))
        return DV_OK;
    const bool first = !region->selected;
    region->selected = true;
    size_t count;
    const double *position = dv_data_doubles(&region->position, &count);
    const DvDofType *dof = region->engine.dof;
    DvRegionPoints points = {position, (uint32_t)count, dof->coord, dof->spatial};
    const DvStepMark mark = dv_step_mark();
    bool *inside = zeros_of_step(count, sizeof *inside);
    region->makes_sense = count == 0 || region->ops->select(region, points, inside);
    if (!region->makes_sense)
        points.count = 0;
    dv_region_group_keep(&region->group, points.count, inside);
    split_points(region, points, inside);
    DvStatus status = DV_OK;
    for (DvElementKind kind = DV_EDGES; kind <= DV_HEXAHEDRA; kind++) {
        if (points.count == 0 || !region->elements[kind].field || !is_on(&region->compute[kind])) {
            split_elements(region, kind, (DvElements){0}, NULL);
            continue;
        }
        const DvStatus one = select_elements(region, kind, points, inside);
        status = status == DV_OK ? one : status;
    }
    dv_step_release(mark);
    if (count == 0)
        dv_field_warning(&region->position, -1, "there are no positions to select from");
    else if (first && status == DV_OK && region->makes_sense && region->indices.count == 0)
        dv_warning(object, "the region selects none of the %zu points", count);
    return status;
}

/* Where the positions come from when the scene does not say. */
static DvData *find_positions(DvNode *node)
{
    DvObject *state = dv_node_slot(node, DV_STATE);
    if (state)
        return dv_object_field(state, "rest_position");
    DvObject *loader = dv_node_find(node, DV_LOADER, DV_SEARCH_LOCAL);
    if (loader && dv_object_field(loader, "position"))
        return dv_object_field(loader, "position");
    state = dv_node_context(node, DV_STATE);
    return state ? dv_object_field(state, "rest_position") : NULL;
}

typedef DV_ARRAY(DvData *) Fields;

static void add_source(Fields *fields, DvData *source)
{
    for (uint32_t i = 0; i < fields->count; i++)
        if (fields->data[i] == source)
            return;
    dv_array_push(fields, source);
}

/* Whether a field is computed, directly or through others, from `source`: by links, and outputs from the inputs of their object. */
static bool comes_from(DvData *data, const DvData *source)
{
    enum { MOST = 1000 };
    Fields fields = {0};
    bool found = false;
    add_source(&fields, data);
    for (uint32_t i = 0; i < fields.count && i < MOST && !found; i++) {
        const DvData *at = fields.data[i];
        found = at == source;
        if (dv_data_parent(at))
            add_source(&fields, dv_data_parent(at));
        else if (at->field->flags & DV_FIELD_OUTPUT)
            for (size_t k = 0; k < dv_object_field_count(at->owner); k++) {
                DvData *input = dv_object_field_at(at->owner, k);
                if (input->field->flags & DV_FIELD_INPUT)
                    add_source(&fields, input);
            }
    }
    dv_array_free(&fields);
    return found;
}

/* The list of the topology in the node that stands for elements which the scene does not give, or NULL. */
static DvData *list_of_topology(const DvRegion *region, DvObject *topology, int kind)
{
    const DvData *elements = &region->elements[kind];
    const bool wanted =
        topology && elements->field && !dv_data_is_given(elements) && is_on((DvData *)&region->compute[kind]);
    return wanted ? dv_object_field(topology, list_of[kind]) : NULL;
}

static DvStatus link_inputs(DvObject *object, DvRegion *region)
{
    DvNode *node = dv_object_node(object);
    DvStatus status = DV_OK;
    if (!dv_data_is_given(&region->position)) {
        DvData *positions = find_positions(node);
        if (!positions)
            return dv_error(
                object, DV_ERROR_MISSING,
                "no positions to select from: give 'position', or put a state or a mesh loader into the node");
        status = dv_data_link(&region->position, positions);
    }
    DvObject *topology = dv_node_find(node, DV_TOPOLOGY, DV_SEARCH_LOCAL);
    for (int kind = DV_EDGES; kind <= DV_HEXAHEDRA && status == DV_OK; kind++) {
        DvData *list = list_of_topology(region, topology, kind);
        if (list && !comes_from(list, &region->elements[kind]))
            status = dv_data_link(&region->elements[kind], list);
    }
    return status;
}

DvStatus dv_region_construct(DvObject *object, void *self)
{
    DvRegion *region = self;
    region->ops = dv_object_ops(object, DV_DRAWABLE);
    return dv_engine_construct(object, self);
}

DvStatus dv_region_reinit(DvObject *object, void *self)
{
    const DvRegion *region = self;
    const DvStatus status = region->ops->prepare ? region->ops->prepare(object, self) : DV_OK;
    return status == DV_OK ? dv_engine_run(object, self) : status;
}

DvStatus dv_region_init(DvObject *object, void *self)
{
    DvRegion *region = self;
    region->selected = region->engine.started = false;
    DvStatus status = link_inputs(object, region);
    if (status == DV_OK)
        status = dv_region_group_find(object, &region->group);
    if (status == DV_OK && dv_object_is_a(object, "BaseROI"))
        return dv_region_reinit(object, self);
    if (status == DV_OK && region->ops->prepare)
        status = region->ops->prepare(object, self);
    return status == DV_OK ? dv_engine_start(object, self) : status;
}

/* Lists that come from the region itself cannot be followed: it takes them as they are at the start. */
DvStatus dv_region_end_init(DvObject *object, void *self)
{
    DvRegion *region = self;
    DvObject *topology = dv_node_find(dv_object_node(object), DV_TOPOLOGY, DV_SEARCH_LOCAL);
    for (int kind = DV_EDGES; kind <= DV_HEXAHEDRA; kind++) {
        DvData *list = dv_data_is_set(&region->elements[kind]) ? NULL : list_of_topology(region, topology, kind);
        const void *at = list ? dv_data_read(list) : NULL;
        if (list && list->count && list->type == region->elements[kind].type)
            dv_data_set(&region->elements[kind], at, list->count);
    }
    return DV_OK;
}

void dv_region_bounding_box(DvObject *object, void *self, double *bounds)
{
    (void)object;
    DvRegion *region = self;
    if (!region->ops->bounds || !is_shown(&region->draw_region))
        return;
    (void)dv_data_read(&region->indices);
    if (region->makes_sense)
        region->ops->bounds(self, bounds);
}

static const double region_color[1][4] = {{1.0, 0.4, 0.4, 1.0}};

static void draw_selected(DvRegion *region, DvDraw *draw)
{
    const DvDofType *dof = region->engine.dof;
    size_t points, selected;
    const double *at = dv_data_doubles(&region->position, &points);
    double *space =
        dv_points_in_space((DvConstVec){.at = at, .count = (uint32_t)points, .dim = dof->coord}, dof->spatial);
    const DvElementStyle style = {
        .colors = region_color, .color_count = 1, .pixels = dv_data_double(&region->draw_size)};
    for (int kind = DV_POINTS; kind <= DV_HEXAHEDRA; kind++) {
        if (!is_shown(kind == DV_POINTS ? &region->draw_points : &region->draw_elements[kind]))
            continue;
        const uint32_t *list =
            dv_data_uints(kind == DV_POINTS ? &region->indices : &region->elements_in[kind], &selected);
        dv_draw_elements(draw, (DvElementKind)kind, (DvElements){.at = list, .count = (uint32_t)selected}, space,
                         (uint32_t)points, &style);
    }
    dv_free(space);
}

void dv_region_draw(void *self, DvDraw *draw)
{
    DvRegion *region = self;
    if (!region->engine.ready || !dv_draw_shows(draw, DV_DISPLAY_BEHAVIOR_MODELS))
        return;
    (void)dv_data_read(&region->indices);
    if (region->ops->draw && region->makes_sense && is_shown(&region->draw_region))
        region->ops->draw(self, draw, dv_data_double(&region->draw_size), region_color[0]);
    draw_selected(region, draw);
}
