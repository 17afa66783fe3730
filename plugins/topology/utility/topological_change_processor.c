/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * TopologicalChangeProcessor: changes a mesh at given times, at the beginning of a step.
 *
 * The changes are those of a file (change_script.h), or, with `useDataInputs`, the removal of what the lists of its fields
 * name. Of several times of a file that have come since the last step only the last one counts. Numbers that the mesh does
 * not have are left out with a warning; so are elements of points that neither the mesh nor its state has.
 *
 * Removals from a file go to the first modifier in the node of the topology or above; those of lists to that of their kind
 * of elements. Faces and edges that nothing uses any more go along, points too unless the modifier's `removeIsolated` says
 * no; points of edges stay.
 */
#include "change_script.h"
#include "container/modifier.h"
#include "incision.h"
#include "mapping/topological_mapping.h"
#include <divan/kit/mesh_file.h>
#include <divan/kit/mesh_types.h>

#include <divan/contracts/state.h>
#include <divan/kit/path_hint.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>

/* The kinds that a list can name, in the order of removal. */
static const DvElementKind listed[] = {DV_HEXAHEDRA, DV_TETRAHEDRA, DV_QUADS, DV_TRIANGLES, DV_EDGES, DV_POINTS};
enum { LISTS = sizeof listed / sizeof *listed };

typedef struct Processor {
    DvObject *object;
    DvData filename, interval, shift, loop, use_data_inputs, time_to_remove;
    DvData remove[DV_ELEMENT_KINDS];
    DvData of_start, snap_path, snap_border, draw;
    DvData moments_done, loop_time; /* where in the file: see advance() */
    DvLink topology;
    ChangeScript script;
    DvObject *mesh;
    DvObject *modifier[DV_ELEMENT_KINDS]; /* by the kind of its container's own elements */
    DvObject *first_modifier;
    double first_time_to_remove; /* for a reset */
} Processor;

/* ---- What is to be changed ---- */

static DvStatus find_modifiers(Processor *self)
{
    DvStatus status = DV_OK;
    DvObject *found[64];
    const size_t count = dv_node_find_all(dv_object_node(self->mesh), DV_TOPOLOGY_MODIFIER, DV_SEARCH_UP, found, 64);
    self->first_modifier = NULL;
    memset(self->modifier, 0, sizeof self->modifier);
    for (size_t i = 0; i < count && i < 64 && status == DV_OK; i++) {
        if (!is_modifier(found[i]) || self->modifier[modifier_kind(found[i])])
            continue;
        self->modifier[modifier_kind(found[i])] = found[i];
        if (!self->first_modifier)
            self->first_modifier = found[i];
        status = dv_object_require(self->object, found[i]);
    }
    return status;
}

/* Points serve any modifier. */
static DvObject *modifier_for(const Processor *self, DvElementKind kind)
{
    return kind == DV_POINTS && !self->modifier[kind] ? self->first_modifier : self->modifier[kind];
}

static const DvTopologyModifierOps *ops_of(const DvObject *modifier)
{
    return dv_object_ops(modifier, DV_TOPOLOGY_MODIFIER);
}

/* How many elements of a kind the mesh of a modifier has. */
static uint32_t count_of(const DvObject *modifier, DvElementKind kind)
{
    Topology *topology = modifier_topology(modifier);
    return kind == DV_POINTS ? topology->points : topology_elements(topology, kind).count;
}

static void remove_numbers(Processor *self, DvObject *modifier, DvElementKind kind, const DvIndexArray *numbers)
{
    const uint32_t have = count_of(modifier, kind);
    DvIndexArray kept = {0};
    for (uint32_t i = 0; i < numbers->count; i++)
        if (numbers->data[i] < have)
            dv_array_push(&kept, numbers->data[i]);
    if (kept.count < numbers->count)
        dv_warning(self->object, "%" PRIu32 " of %" PRIu32 " elements to remove are not there: the mesh has %" PRIu32,
                   numbers->count - kept.count, numbers->count, have);
    const DvStatus status = kept.count ? ops_of(modifier)->remove_elements(dv_object_self(modifier), kind, kept.count,
                                                                           kept.data, kind != DV_EDGES)
                                       : DV_OK;
    (void)status; /* the modifier has reported it */
    dv_array_free(&kept);
}

/* ---- Lists at times ---- */

static void remove_lists(Processor *self, double now)
{
    const double due = dv_data_double(&self->time_to_remove), interval = dv_data_double(&self->interval);
    if (due >= now)
        return;
    for (int i = 0; i < LISTS; i++) {
        const DvElementKind kind = listed[i];
        size_t count;
        const uint32_t *at = dv_data_uints(&self->remove[kind], &count);
        if (count == 0)
            continue;
        DvIndexArray numbers = {0};
        dv_array_append(&numbers, at, (uint32_t)count); /* the lists of a region change while elements go */
        if (modifier_for(self, kind))
            remove_numbers(self, modifier_for(self, kind), kind, &numbers);
        else
            dv_field_error(&self->remove[kind], -1, "there is no modifier of such elements in the node of '%s'",
                           dv_object_path(self->mesh));
        dv_array_free(&numbers);
    }
    dv_data_set_double(&self->time_to_remove, interval == 0 ? (double)UINT32_MAX : due + interval);
}

/* ---- A file ---- */

static const double *numbers_of(const Processor *self, const ScriptedChange *change)
{
    return self->script.numbers.data + change->first_number;
}

/* A number of a file as an index; what is none is beyond all. */
static uint32_t as_index(double number)
{
    return number >= 0 && number < UINT32_MAX && number == floor(number) ? (uint32_t)number : INVALID_INDEX;
}

static void remove_scripted(Processor *self, const ScriptedChange *change)
{
    const DvElementKind kind = modifier_topology(self->first_modifier)->own;
    DvIndexArray numbers = {0};
    for (uint32_t i = 0; i < change->count; i++)
        dv_array_push(&numbers, as_index(numbers_of(self, change)[i]));
    remove_numbers(self, self->first_modifier, kind, &numbers);
    dv_array_free(&numbers);
}

/* Points that elements may name: those of the mesh, and those of its state that it does not know yet. */
static uint32_t usable_points(const Topology *topology)
{
    const DvStateRef state = dv_state_ref(dv_node_context(dv_object_node(topology->object), DV_STATE));
    const uint32_t points = state.ops ? dv_state_count(state) : 0;
    return points > topology->points ? points : topology->points;
}

/* One ancestor for each of `count` elements, or points with `per` ancestors each. */
typedef struct Descent {
    DvElementChange change;
    DvIndexArray ancestors, start;
    DvRealArray weights;
} Descent;

static const DvElementChange *descent_change(Descent *descent, uint32_t count, uint32_t per)
{
    for (uint32_t i = 0; i <= count; i++)
        dv_array_push(&descent->start, i * per);
    descent->change = (DvElementChange){.ancestors = descent->ancestors.data,
                                        .ancestor_start = descent->start.data,
                                        .weights = descent->weights.count ? descent->weights.data : NULL};
    return &descent->change;
}

static void descent_free(Descent *descent)
{
    dv_array_free(&descent->ancestors);
    dv_array_free(&descent->start);
    dv_array_free(&descent->weights);
}

static void add_scripted(Processor *self, const ScriptedChange *change)
{
    const DvObject *modifier = self->first_modifier;
    Topology *topology = modifier_topology(modifier);
    const uint32_t nodes = dv_element_nodes(change->kind), points = usable_points(topology),
                   have = topology_elements(topology, change->kind).count;
    const double *numbers = numbers_of(self, change);
    DvIndexArray elements = {0};
    Descent descent = {0};
    uint32_t added = 0;
    for (uint32_t i = 0; i < change->count; i++) {
        bool good = true;
        for (uint32_t j = 0; j < nodes; j++)
            good = good && as_index(numbers[(size_t)i * nodes + j]) < points;
        const uint32_t ancestor = change->has_ancestors ? self->script.ancestors.data[change->first_ancestor + i] : 0;
        if (!good || (change->has_ancestors && ancestor >= have))
            continue;
        added++;
        for (uint32_t j = 0; j < nodes; j++)
            dv_array_push(&elements, as_index(numbers[(size_t)i * nodes + j]));
        if (change->has_ancestors)
            dv_array_push(&descent.ancestors, ancestor);
    }
    if (added < change->count)
        dv_warning(self->object,
                   "line %" PRIu32 " of '%s': %" PRIu32 " of %" PRIu32
                   " elements are not added: they name points or ancestors that are not there",
                   change->line, dv_data_string(&self->filename), change->count - added, change->count);
    const DvStatus status =
        added ? ops_of(modifier)->add_elements(dv_object_self(modifier), change->kind, added, elements.data,
                                               change->has_ancestors ? descent_change(&descent, added, 1) : NULL)
              : DV_OK;
    (void)status; /* the modifier has reported it */
    dv_array_free(&elements);
    descent_free(&descent);
}

static void add_points_in_triangles(Processor *self, const ScriptedChange *change)
{
    const DvObject *modifier = self->first_modifier;
    const ElementList triangles = topology_elements(modifier_topology(modifier), DV_TRIANGLES);
    const double *numbers = numbers_of(self, change);
    Descent descent = {0};
    uint32_t added = 0;
    for (uint32_t i = 0; i < change->count; i++, numbers += 3) {
        const uint32_t triangle = as_index(numbers[0]);
        if (triangle >= triangles.count) {
            dv_warning(self->object, "line %" PRIu32 " of '%s': there is no triangle %g of %" PRIu32, change->line,
                       dv_data_string(&self->filename), numbers[0], triangles.count);
            continue;
        }
        const double weights[3] = {numbers[1], numbers[2], 1 - numbers[1] - numbers[2]};
        added++;
        dv_array_append(&descent.ancestors, triangles.at + (size_t)triangle * 3, 3);
        dv_array_append(&descent.weights, weights, 3);
    }
    const DvStatus status =
        added ? ops_of(modifier)->add_points(dv_object_self(modifier), added, descent_change(&descent, added, 3))
              : DV_OK;
    (void)status; /* the modifier has reported it */
    descent_free(&descent);
}

/* With saveIndicesAtInit a path names places of the start, which the material takes along. */
static void incise_scripted(Processor *self, const ScriptedChange *change)
{
    const bool of_start = dv_data_bool(&self->of_start);
    const double *numbers = numbers_of(self, change);
    DV_ARRAY(DvCutPoint) path = {0};
    uint32_t opened;
    for (uint32_t i = 0; i < change->count; i++, numbers += 4)
        dv_array_push(&path, (DvCutPoint){{numbers[1], numbers[2], numbers[3]}, as_index(numbers[0])});
    const DvStatus status =
        incise_surface(modifier_topology(self->first_modifier)->object, of_start ? DV_RESET_POSITION : DV_POSITION,
                       path.data, path.count, of_start ? dv_data_double(&self->snap_path) : 0.1,
                       of_start ? dv_data_double(&self->snap_border) : 0.25, &opened);
    if (status == DV_OK && opened == 0)
        dv_warning(self->object, "line %" PRIu32 " of '%s': the path does not part the surface anywhere", change->line,
                   dv_data_string(&self->filename));
    dv_array_free(&path);
}

/* The edge between two points, or INVALID_INDEX. */
static uint32_t edge_between(Topology *topology, double a, double b)
{
    const uint32_t ends[2] = {as_index(a), as_index(b)};
    const ElementList edges = topology_elements(topology, DV_EDGES);
    uint32_t length;
    const uint32_t *row = row_of(topology_adjacency(topology, DV_POINTS, DV_EDGES), ends[0], &length);
    for (uint32_t i = 0; i < length && ends[0] != ends[1]; i++) {
        const uint32_t *edge = edges.at + 2 * (size_t)row[i];
        if (edge[0] == ends[1] || edge[1] == ends[1])
            return row[i];
    }
    return INVALID_INDEX;
}

static void swap_scripted(Processor *self, const ScriptedChange *change)
{
    Topology *topology = modifier_topology(self->first_modifier);
    const double *numbers = numbers_of(self, change);
    for (uint32_t i = 0; i < change->count; i++, numbers += 2) {
        const uint32_t edge = edge_between(topology, numbers[0], numbers[1]);
        DvStatus status = DV_OK;
        if (edge == INVALID_INDEX)
            dv_warning(self->object, "line %" PRIu32 " of '%s': there is no edge between points %g and %g",
                       change->line, dv_data_string(&self->filename), numbers[0], numbers[1]);
        else
            status = surface_cutting_ops.swap_edge(topology->object, edge);
        (void)status; /* it has been reported */
    }
}

static void act(Processor *self, const ScriptedMoment *moment)
{
    for (uint32_t i = 0; i < moment->count; i++) {
        const ScriptedChange *change = &self->script.changes.data[moment->first + i];
        if (change->action == CHANGE_REMOVE)
            remove_scripted(self, change);
        else if (change->action == CHANGE_ADD)
            add_scripted(self, change);
        else if (change->action == CHANGE_INCISE)
            incise_scripted(self, change);
        else if (change->action == CHANGE_SWAP)
            swap_scripted(self, change);
        else
            add_points_in_triangles(self, change);
    }
}

/* The last moment that has come since the last call, or NULL. At the end, with `loop`, the file starts again, all its times
 * later by that of its last moment. */
static const ScriptedMoment *advance(Processor *self, double now)
{
    const uint32_t count = self->script.moments.count;
    const ScriptedMoment *last = NULL, *moments = self->script.moments.data;
    uint32_t next = dv_data_uint(&self->moments_done);
    double later = dv_data_double(&self->loop_time);
    const bool loop = dv_data_bool(&self->loop) && moments[count - 1].time > 0;
    while (next < count) {
        const double time = moments[next].time + later;
        if (!(time < now || fabs(time - now) < DBL_EPSILON))
            break;
        last = &moments[next++];
        if (next == count && loop) {
            later = time;
            next = 0;
        }
    }
    dv_data_set_uint(&self->moments_done, next);
    dv_data_set_double(&self->loop_time, later);
    return last;
}

static void handle_event(DvObject *object, void *self_, DvEvent *event)
{
    Processor *self = self_;
    if (event->kind != DV_EVENT_ANIMATE_BEGIN)
        return;
    const double now = dv_node_time(dv_object_node(object));
    if (dv_data_bool(&self->use_data_inputs)) {
        remove_lists(self, now);
        return;
    }
    const ScriptedMoment *moment =
        self->script.moments.count ? advance(self, now + dv_data_double(&self->shift)) : NULL;
    if (moment)
        act(self, moment);
}

/* ---- Lifecycle ---- */

static void warn(void *self, const char *text)
{
    dv_field_warning(&((Processor *)self)->filename, -1, "%s", text);
}

static DvStatus read_script(Processor *self)
{
    const char *name = dv_data_string(&self->filename), *path = dv_data_file(&self->filename);
    char *bytes, reason[128];
    size_t size;
    change_script_free(&self->script);
    if (!name || !*name)
        return dv_error(self->object, DV_ERROR_MISSING,
                        "neither filename names a file of changes nor does useDataInputs ask for lists of its fields");
    if (!path) {
        dv_field_error(&self->filename, -1, "no file '%s' in the folder of the scene or in DIVAN_DATA_PATH%s", name,
                       dv_path_hint(name));
        return DV_ERROR_NOT_FOUND;
    }
    if (!dv_mesh_file_read(path, &bytes, &size, reason)) {
        dv_field_error(&self->filename, -1, "'%s': %s", name, reason);
        return DV_ERROR_IO;
    }
    DvMeshReport report = {.warn = warn, .context = self};
    const bool good = change_script_read(bytes, size, &self->script, &report);
    dv_free(bytes);
    return good ? DV_OK : dv_field_error(&self->filename, -1, "'%s': %s", name, report.error);
}

static DvStatus construct(DvObject *object, void *self_)
{
    Processor *self = self_;
    self->object = object;
    dv_data_set_bool(dv_object_field(object, "listening"), true);
    return DV_OK;
}

/* A list that a scene gives needs its modifier, whatever it holds by then. */
static DvStatus check_lists(Processor *self)
{
    for (int i = 0; i < LISTS; i++) {
        DvData *list = &self->remove[listed[i]];
        if ((dv_data_is_set(list) || dv_data_parent(list)) && !modifier_for(self, listed[i])) {
            dv_field_error(list, -1, "there is no modifier of such elements in the node of '%s'",
                           dv_object_path(self->mesh));
            return DV_ERROR_MISSING;
        }
    }
    return DV_OK;
}

static DvStatus init(DvObject *object, void *self_)
{
    Processor *self = self_;
    DvStatus status =
        dv_object_find_required(object, &self->topology, DV_TOPOLOGY, "a container with a modifier", &self->mesh);
    if (status == DV_OK)
        status = dv_object_require(object, self->mesh);
    if (status != DV_OK)
        return status;
    status = find_modifiers(self);
    if (status != DV_OK)
        return status;
    if (!self->first_modifier)
        return dv_error(object, DV_ERROR_MISSING, "there is no topology modifier in the node of '%s' or above",
                        dv_object_path(self->mesh));
    self->first_time_to_remove = dv_data_double(&self->time_to_remove);
    return dv_data_bool(&self->use_data_inputs) ? check_lists(self) : read_script(self);
}

static void reset(DvObject *object, void *self_)
{
    (void)object;
    Processor *self = self_;
    dv_data_set_uint(&self->moments_done, 0);
    dv_data_set_double(&self->loop_time, 0);
    dv_data_set_double(&self->time_to_remove, self->first_time_to_remove);
}

static void destroy(DvObject *object, void *self_)
{
    (void)object;
    change_script_free(&((Processor *)self_)->script);
}

#define REMOVE_FIELD(kind, name, what)                     \
    DV_FIELD(Processor, remove[kind], name, dv_type_uints, \
             .help = what " to remove at timeToRemove, with useDataInputs")

static const DvField fields[] = {
    DV_FIELD(Processor, filename, "filename", dv_type_file, .flags = DV_FIELD_AT_LOAD,
             .help = "file of times and changes"),
    DV_FIELD_HELD("listChanges", dv_mesh_type_index_lists, .help = "kept for old scenes: no effect"),
    DV_FIELD(Processor, interval, "interval", dv_type_double, .init = "0", .unit = "s", .range = &dv_range_not_negative,
             .help = "with useDataInputs: time between removals; 0: one alone"),
    DV_FIELD(Processor, shift, "shift", dv_type_double, .init = "0", .unit = "s",
             .help = "how much earlier than the file says its changes come"),
    DV_FIELD(Processor, loop, "loop", dv_type_bool, .init = "0", .help = "start again at the end of the file"),
    DV_FIELD(Processor, use_data_inputs, "useDataInputs", dv_type_bool, .init = "0",
             .help = "remove what the lists below name, and read no file"),
    DV_FIELD(Processor, time_to_remove, "timeToRemove", dv_type_double, .init = "0", .unit = "s",
             .help = "time of the next removal"),
    REMOVE_FIELD(DV_POINTS, "pointsToRemove", "points"),
    REMOVE_FIELD(DV_EDGES, "edgesToRemove", "edges"),
    REMOVE_FIELD(DV_TRIANGLES, "trianglesToRemove", "triangles"),
    REMOVE_FIELD(DV_QUADS, "quadsToRemove", "quads"),
    REMOVE_FIELD(DV_TETRAHEDRA, "tetrahedraToRemove", "tetrahedra"),
    REMOVE_FIELD(DV_HEXAHEDRA, "hexahedraToRemove", "hexahedra"),
    DV_FIELD(Processor, of_start, "saveIndicesAtInit", dv_type_bool, .init = "0",
             .help = "places of incisions are those at the start, which the surface takes along; else present ones"),
    DV_FIELD(Processor, snap_path, "epsilonSnapPath", dv_type_double, .init = "0.1", .range = &dv_range_share,
             .flags = DV_FIELD_LENIENT,
             .help = "with saveIndicesAtInit: how near, in parts of an edge, an incision goes through its end"),
    DV_FIELD(Processor, snap_border, "epsilonSnapBorder", dv_type_double, .init = "0.25", .range = &dv_range_share,
             .flags = DV_FIELD_LENIENT,
             .help =
                 "with saveIndicesAtInit: how near, in weights, an incision begins or ends at a corner or the border"),
    DV_FIELD(Processor, draw, "draw", dv_type_bool, .init = "0", .flags = DV_FIELD_DRAWING, .group = "Visualization",
             .help = "show the places of incisions"),
    DV_FIELD(Processor, moments_done, "momentsDone", dv_type_uint, .flags = DV_FIELD_STATE | DV_FIELD_HIDDEN,
             .help = "times of the file that have passed"),
    DV_FIELD(Processor, loop_time, "loopTime", dv_type_double, .flags = DV_FIELD_STATE | DV_FIELD_HIDDEN, .unit = "s",
             .help = "how much later than it says the file is read"),
    DV_LINK(Processor, topology, "topology", DV_TOPOLOGY, .help = "mesh to change; the node's own by default"),
    {0},
};

const DvClass dv_topological_change_processor = {
    .size = sizeof(DvClass),
    .name = "TopologicalChangeProcessor",
    .family = "topological changes",
    .module = "Sofa.Component.Topology.Utility",
    .help = "Adds and removes elements at given times.",
    .instance_size = sizeof(Processor),
    .fields = fields,
    .construct = construct,
    .init = init,
    .reset = reset,
    .handle_event = handle_event,
    .destroy = destroy,
};
