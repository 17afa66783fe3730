/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * CarvingManager: a tool removes the elements that it touches, at the end of each step while it is active.
 *
 * The tool is a collision model, the one with the tag CarvingTool by default; the surfaces are the collision models with the tag
 * CarvingSurface and the one at `surfaceModelPath`. Contacts are those that the narrow phase has found in this step, with gaps
 * (distances less that at which contact begins) below `carvingDistance`. A triangle of a surface stands for itself, for a quad's
 * half, or for the first tetrahedron or hexahedron around it; points stand for all triangles around them; surfaces that
 * topological mappings have filled pass the removal on to the mesh they come from. All contacts of a step are looked up
 * before anything is removed.
 *
 * Where nobody detects contacts, because the tool is a mere state, its points are compared with the meshes of the same tags: those
 * elements go that are nearer than carvingDistance. Every element is looked at for every point of the tool.
 */
#include "source_elements.h"

#include <divan/contracts/collision.h>
#include <divan/math/vec.h>
#include <float.h>
#include <math.h>
#include <stdio.h>

enum { MOST_SURFACES = 64 };

typedef struct CarvingManager {
    DvData surface_path, distance, active, key, key_switch;
    DvLink tool_link, narrow_phase;
    DvObject *tool, *pipeline;
    DvObject *surfaces[MOST_SURFACES];
    size_t surface_count;
} CarvingManager;

/* What is to go, gathered before the first removal changes any number. */
typedef struct Removal {
    Topology *topology;
    DvIndexArray elements;
} Removal;
typedef struct Removals {
    Removal at[MOST_SURFACES];
    uint32_t count;
} Removals;

static void gather(Removals *removals, Topology *surface, DvElementKind kind, DvIndexArray *elements)
{
    Topology *topology = source_elements(surface, &kind, elements);
    Removal *removal = removals->at;
    while (removal < removals->at + removals->count && removal->topology != topology)
        removal++;
    if (removal == removals->at + MOST_SURFACES)
        return;
    if (removal == removals->at + removals->count) {
        *removal = (Removal){.topology = topology};
        removals->count++;
    }
    dv_array_append(&removal->elements, elements->data, elements->count);
}

static void carry_out(const DvObject *object, Removals *removals)
{
    uint32_t asked = 0, removed = 0;
    for (uint32_t i = 0; i < removals->count; i++) {
        asked += removals->at[i].elements.count;
        if (removals->at[i].elements.count)
            removed += remove_source_elements(object, removals->at[i].topology, &removals->at[i].elements);
        dv_array_free(&removals->at[i].elements);
    }
    if (asked && !removed)
        dv_warning(object, "the tool touches a surface, and nothing could be removed");
}

/* ---- By contacts ---- */

/* The elements of the mesh that one of a collision model stands for. */
static void push_mesh_elements(const DvShape *shape, Topology *mesh, uint32_t element, DvElementKind *kind,
                               DvIndexArray *elements)
{
    if (strcmp(shape->kind, DV_SHAPE_TRIANGLES) == 0) {
        const uint32_t triangles = topology_elements(mesh, DV_TRIANGLES).count;
        *kind = element < triangles ? DV_TRIANGLES : DV_QUADS;
        dv_array_push(elements, element < triangles ? element : (element - triangles) / 2);
    } else if (strcmp(shape->kind, DV_SHAPE_LINES) == 0) {
        *kind = DV_EDGES;
        dv_array_push(elements, element);
    } else if (strcmp(shape->kind, DV_SHAPE_TETRAHEDRA) == 0) {
        *kind = DV_TETRAHEDRA;
        dv_array_push(elements, element);
    } else { /* points and spheres: of a mesh of points itself, else the faces around it */
        *kind = mesh->own == DV_POINTS && mesh->dynamic       ? DV_POINTS
                : topology_elements(mesh, DV_TRIANGLES).count ? DV_TRIANGLES
                : topology_elements(mesh, DV_QUADS).count     ? DV_QUADS
                                                              : DV_EDGES;
        if (*kind == DV_POINTS) {
            dv_array_push(elements, element);
            return;
        }
        const DvAdjacency around = topology_ops.adjacency(mesh, DV_POINTS, *kind);
        if (element < around.count)
            dv_array_append(elements, around.items + around.begin[element],
                            around.end[element] - around.begin[element]);
    }
}

static bool is_surface(const CarvingManager *self, const DvObject *object)
{
    for (size_t i = 0; i < self->surface_count; i++)
        if (self->surfaces[i] == object)
            return true;
    return false;
}

static void gather_contacts(CarvingManager *self, const DvContactList *list, const DvContactPair *pair,
                            Removals *removals)
{
    const DvCollisionBody *bodies = list->bodies;
    const double distance = dv_data_double(&self->distance);
    for (uint32_t side = 0; side < 2; side++) {
        const DvCollisionBody *body = &bodies[pair->body[side]];
        const DvShape *shape = body->shape;
        Topology *mesh = shape && shape->topology == &topology_ops ? shape->topology_self : NULL;
        if (bodies[pair->body[1 - side]].object != self->tool || !is_surface(self, body->object) || !mesh)
            continue;
        for (uint32_t i = 0; i < pair->count; i++) {
            DvIndexArray elements = {0};
            DvElementKind kind = DV_TRIANGLES;
            if (pair->contacts[i].gap < distance) {
                push_mesh_elements(shape, mesh, pair->contacts[i].element[side], &kind, &elements);
                gather(removals, mesh, kind, &elements);
            }
            dv_array_free(&elements);
        }
    }
}

static void carve_contacts(DvObject *object, CarvingManager *self)
{
    const DvCollisionPipelineOps *ops = dv_object_ops(self->pipeline, DV_COLLISION_PIPELINE);
    const DvContactList *list = ops->contacts(dv_object_self(self->pipeline));
    const DvObject *phase = dv_link_object(&self->narrow_phase);
    Removals removals = {.count = 0};
    for (uint32_t i = 0; list && (!phase || phase == list->narrow_phase) && i < list->pair_count; i++)
        gather_contacts(self, list, &list->pairs[i], &removals);
    carry_out(object, &removals);
}

/* ---- By distance ---- */

/* The nearest of the points of a segment. */
static DvVec3 nearest_on_segment(DvVec3 p, DvVec3 a, DvVec3 b)
{
    const DvVec3 ab = dv_vec3_sub(b, a);
    const double length = dv_vec3_dot(ab, ab), along = dv_vec3_dot(dv_vec3_sub(p, a), ab);
    const double t = length > 0 ? fmin(fmax(along / length, 0.0), 1.0) : 0.0;
    return dv_vec3_add(a, dv_vec3_scale(ab, t));
}

static double distance_to_segment(DvVec3 p, DvVec3 a, DvVec3 b)
{
    return dv_vec3_norm(dv_vec3_sub(p, nearest_on_segment(p, a, b)));
}

/* To the plane where the foot of the perpendicular is inside, else to the nearest edge. */
static double distance_to_triangle(DvVec3 p, const DvVec3 at[3])
{
    const DvVec3 normal = dv_vec3_cross(dv_vec3_sub(at[1], at[0]), dv_vec3_sub(at[2], at[0]));
    const double area = dv_vec3_norm(normal);
    bool inside = area > 0;
    double nearest = DBL_MAX;
    for (int i = 0; i < 3; i++) {
        const DvVec3 a = at[i], b = at[(i + 1) % 3];
        inside = inside && dv_vec3_dot(normal, dv_vec3_cross(dv_vec3_sub(b, a), dv_vec3_sub(p, a))) >= 0;
        nearest = fmin(nearest, distance_to_segment(p, a, b));
    }
    return inside ? fabs(dv_vec3_dot(normal, dv_vec3_sub(p, at[0]))) / area : nearest;
}

static DvVec3 point_at(DvConstVec x, uint32_t point)
{
    return dv_vec3_load(x.at + (size_t)point * x.dim);
}

static double distance_to_element(DvVec3 p, const uint32_t *element, uint32_t nodes, DvConstVec x)
{
    DvVec3 at[4] = {dv_vec3(0, 0, 0), dv_vec3(0, 0, 0), dv_vec3(0, 0, 0), dv_vec3(0, 0, 0)};
    for (uint32_t i = 0; i < nodes; i++)
        at[i] = point_at(x, element[i]);
    if (nodes == 2)
        return distance_to_segment(p, at[0], at[1]);
    const DvVec3 other[3] = {at[0], at[2], at[nodes - 1]};
    const double first = distance_to_triangle(p, at);
    return nodes == 3 ? first : fmin(first, distance_to_triangle(p, other));
}

static void gather_near(CarvingManager *self, Topology *mesh, DvConstVec tool, Removals *removals)
{
    const DvStateRef state = dv_state_ref(dv_node_context(dv_object_node(mesh->object), DV_STATE));
    if (!state.ops || state.dof->spatial != 3)
        return;
    const DvConstVec x = dv_state_read(state, DV_POSITION);
    const double distance = dv_data_double(&self->distance);
    DvElementKind kind = topology_elements(mesh, DV_TRIANGLES).count ? DV_TRIANGLES
                         : topology_elements(mesh, DV_QUADS).count   ? DV_QUADS
                                                                     : DV_EDGES;
    const ElementList all = topology_elements(mesh, kind);
    DvIndexArray elements = {0};
    for (uint32_t e = 0; e < all.count; e++) {
        const uint32_t *element = all.at + (size_t)e * all.nodes;
        bool there = true, near = false;
        for (uint32_t i = 0; i < all.nodes; i++)
            there = there && element[i] < x.count;
        for (uint32_t i = 0; there && i < tool.count && !near; i++)
            near = distance_to_element(point_at(tool, i), element, all.nodes, x) < distance;
        if (near)
            dv_array_push(&elements, e);
    }
    gather(removals, mesh, kind, &elements);
    dv_array_free(&elements);
}

static void carve_near(DvObject *object, CarvingManager *self)
{
    const DvConstVec tool = dv_state_read(dv_state_ref(self->tool), DV_POSITION);
    Removals removals = {.count = 0};
    for (size_t i = 0; i < self->surface_count; i++)
        gather_near(self, topology_of(self->surfaces[i]), tool, &removals);
    carry_out(object, &removals);
}

/* ---- Events ---- */

static bool is_key(DvData *field, int key)
{
    const char *text = dv_data_string(field);
    return text && text[0] && (unsigned char)text[0] == key;
}

static void handle_event(DvObject *object, void *self_, DvEvent *event)
{
    CarvingManager *self = self_;
    if (event->kind == DV_EVENT_KEY_PRESSED && is_key(&self->key, event->key))
        dv_data_set_bool(&self->active, true);
    else if (event->kind == DV_EVENT_KEY_RELEASED && is_key(&self->key, event->key))
        dv_data_set_bool(&self->active, false);
    else if (event->kind == DV_EVENT_KEY_PRESSED && is_key(&self->key_switch, event->key))
        dv_data_set_bool(&self->active, !dv_data_bool(&self->active));
    if (event->kind != DV_EVENT_ANIMATE_END || !dv_data_bool(&self->active))
        return;
    if (self->pipeline)
        carve_contacts(object, self);
    else
        carve_near(object, self);
}

/* ---- Lifecycle ---- */

/* The first thing of a contract with a tag, anywhere in the scene. */
static size_t find_tagged(const DvNode *node, const char *contract, const char *tag, DvObject **found, size_t capacity)
{
    const size_t all = dv_node_find_all(node, contract, DV_SEARCH_ROOT, NULL, 0);
    DvObject **objects = dv_alloc(all, sizeof *objects);
    char *words[] = {(char *)(uintptr_t)tag};
    size_t count = 0;
    (void)dv_node_find_all(node, contract, DV_SEARCH_ROOT, objects, all);
    for (size_t i = 0; i < all && count < capacity; i++)
        if (dv_object_has_tags(objects[i], (DvTags){words, 1}))
            found[count++] = objects[i];
    dv_free(objects);
    return count;
}

static DvStatus find_tool(DvObject *object, CarvingManager *self)
{
    const DvNode *node = dv_object_node(object);
    self->tool = dv_link_object(&self->tool_link);
    if (!self->tool && !find_tagged(node, DV_COLLISION_MODEL, "CarvingTool", &self->tool, 1))
        (void)find_tagged(node, DV_STATE, "CarvingTool", &self->tool, 1);
    if (!self->tool)
        return dv_error(object, DV_ERROR_MISSING,
                        "no tool: name a collision model or a state by toolModel, or give one the tag CarvingTool");
    if (!dv_object_ops(self->tool, DV_COLLISION_MODEL)) {
        const DvStateRef state = dv_state_ref(self->tool);
        if (!state.ops || state.dof->spatial != 3)
            return dv_field_error(&self->tool_link.data, -1,
                                  "'%s' is neither a collision model nor a state of points in space",
                                  dv_object_path(self->tool));
    }
    return dv_object_require(object, self->tool);
}

static DvStatus find_surfaces(DvObject *object, CarvingManager *self)
{
    const char *contract = self->pipeline ? DV_COLLISION_MODEL : DV_TOPOLOGY,
               *path = dv_data_string(&self->surface_path);
    const DvNode *node = dv_object_node(object);
    self->surface_count = find_tagged(node, contract, "CarvingSurface", self->surfaces, MOST_SURFACES - 1);
    if (path && *path) {
        char link[1024];
        snprintf(link, sizeof link, "%s%s", path[0] == '@' ? "" : "@", path);
        DvObject *named = dv_node_resolve(node, object, link, contract);
        if (!named)
            return dv_field_error(&self->surface_path, -1, "there is no %s at '%s'",
                                  self->pipeline ? "collision model" : "mesh", path);
        if (!is_surface(self, named))
            self->surfaces[self->surface_count++] = named;
    }
    if (self->surface_count == 0)
        return dv_error(object, DV_ERROR_MISSING,
                        "no surface: give a %s the tag CarvingSurface, or name one by surfaceModelPath",
                        self->pipeline ? "collision model" : "mesh");
    DvStatus status = DV_OK;
    for (size_t i = 0; i < self->surface_count && status == DV_OK; i++)
        status = dv_object_require(object, self->surfaces[i]);
    return status;
}

static DvStatus find_pipeline(DvObject *object, CarvingManager *self)
{
    self->pipeline = NULL;
    if (!dv_object_ops(self->tool, DV_COLLISION_MODEL))
        return DV_OK;
    self->pipeline = dv_node_find(dv_object_node(object), DV_COLLISION_PIPELINE, DV_SEARCH_ROOT);
    if (!self->pipeline)
        return dv_error(object, DV_ERROR_MISSING,
                        "the tool is a collision model, and no CollisionPipeline finds contacts");
    return dv_object_require(object, self->pipeline);
}

/* After everything else: what has tags may stand anywhere. */
static DvStatus bwd_init(DvObject *object, void *self_)
{
    CarvingManager *self = self_;
    DvStatus status = find_tool(object, self);
    if (status == DV_OK)
        status = find_pipeline(object, self);
    return status == DV_OK ? find_surfaces(object, self) : status;
}

static DvStatus construct(DvObject *object, void *self)
{
    (void)self;
    dv_data_set_bool(dv_object_field(object, "listening"), true);
    return DV_OK;
}

static const DvField fields[] = {
    DV_FIELD(CarvingManager, surface_path, "surfaceModelPath", dv_type_string, .flags = DV_FIELD_AT_LOAD,
             .help = "path of a surface to carve, beside those with the tag CarvingSurface"),
    DV_FIELD(CarvingManager, distance, "carvingDistance", dv_type_double, .init = "0", .unit = "m",
             .help = "elements go whose gap to the tool is less; with a state as the tool: whose distance is"),
    DV_FIELD(CarvingManager, active, "active", dv_type_bool, .init = "0", .help = "whether it carves"),
    DV_FIELD(CarvingManager, key, "key", dv_type_string, .init = "1", .help = "active while this key is held"),
    DV_FIELD(CarvingManager, key_switch, "keySwitch", dv_type_string, .init = "4",
             .help = "this key turns it on and off"),
    DV_LINK(CarvingManager, tool_link, "toolModel", NULL,
            .help = "collision model, or state, that carves (default: the one with the tag CarvingTool)"),
    DV_LINK(CarvingManager, narrow_phase, "narrowPhaseDetection", DV_NARROW_PHASE,
            .help = "whose contacts count (default: any)"),
    {0},
};

const DvClass dv_carving_manager = {
    .size = sizeof(DvClass),
    .name = "CarvingManager",
    .family = "topological changes",
    .module = "SofaCarving",
    .help = "Removes the elements that a tool touches.",
    .instance_size = sizeof(CarvingManager),
    .fields = fields,
    .construct = construct,
    .bwd_init = bwd_init,
    .handle_event = handle_event,
};
