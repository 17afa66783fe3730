/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What collision models have in common; see the header.
 */
#include "collision_model.h"

#include <string.h>

#include <divan/math/rigid.h>
#include <divan/math/simd.h>
#include <divan/memory.h>

/* That it holds points of the right type was seen when the object was made (collision_model_accepts), but it may be another now. */
static DvStatus find_state(DvObject *object, CollisionModel *base)
{
    const DvStatus status = dv_state_require(object, NULL, &base->state);
    if (status != DV_OK || strcmp(base->state.dof->name, dv_object_variant(object)) == 0)
        return status;
    return dv_error(object, DV_ERROR_INVALID, "made for %s, but state '%s' holds %s", dv_object_variant(object),
                    dv_object_path(base->state.object), base->state.dof->name);
}

bool collision_model_accepts(DvNode *node, const char *variant, const DvAttributes *attributes, DvText *reason)
{
    (void)attributes;
    const DvObject *state = dv_node_context(node, DV_STATE);
    if (!state)
        dv_text_add(reason, "no state in node '%s' or above; add a MechanicalObject", dv_node_path(node));
    else if (strcmp(dv_object_variant(state), variant) != 0)
        dv_text_add(reason, "state '%s' holds %s, not %s", dv_object_path(state), dv_object_variant(state), variant);
    else
        return true;
    return false;
}

void collision_model_cleanup(DvObject *object, void *self)
{
    (void)object;
    CollisionModel *base = self;
    dv_state_release(&base->state);
    dv_topology_release(&base->topology);
    dv_free(base->bounds);
    base->bounds = NULL;
    base->capacity = 0;
    base->version.boxes = 0;
}

DvStatus collision_model_init(DvObject *object, CollisionModel *base, const char *kind, bool mesh)
{
    collision_model_cleanup(object, base);
    base->shape = (DvShape){.kind = kind, .corners = 1};
    DvStatus status = DV_OK;
    if (mesh)
        status = dv_topology_require(object, &base->topology_link, "a mesh", &base->topology);
    if (status == DV_OK)
        status = find_state(object, base);
    if (status != DV_OK)
        collision_model_cleanup(object, base);
    return status;
}

/* A mesh of more points says nothing of what is around those of the state. */
static bool mesh_fits(const CollisionModel *base, uint32_t points)
{
    return base->topology.ops && base->topology.ops->point_count(base->topology.self) <= points;
}

static uint64_t mesh_revision(const CollisionModel *base)
{
    return base->topology.ops ? base->topology.ops->revision(base->topology.self) : 0;
}

/* Of an element: its box, and its normal where there are normals. */
static size_t still_numbers(const CollisionModel *base)
{
    return base->still_normals ? 9 : 6;
}

/* The boxes that a run had which goes on; false: there are none of these elements. */
static bool take_still(CollisionModel *base)
{
    size_t numbers;
    const double *still = dv_data_doubles(&base->still, &numbers);
    const size_t count = base->shape.count;
    const bool fits = base->given && count > 0 && numbers == still_numbers(base) * count;
    base->given = false;
    if (!fits)
        return false;
    for (size_t row = 0; row < 6; row++)
        memcpy(base->bounds + row * base->capacity, still + row * count, count * sizeof *still);
    if (base->still_normals)
        memcpy(base->still_normals, still + 6 * count, 3 * count * sizeof *still);
    return true;
}

static void keep_still(CollisionModel *base, bool moving)
{
    const size_t count = moving ? 0 : base->shape.count;
    double *still = dv_data_begin_all(&base->still, still_numbers(base) * count);
    for (size_t row = 0; count > 0 && row < 6; row++)
        memcpy(still + row * count, base->bounds + row * base->capacity, count * sizeof *still);
    if (base->still_normals && count > 0)
        memcpy(still + 6 * count, base->still_normals, 3 * count * sizeof *still);
    dv_data_end(&base->still);
}

void collision_model_end(CollisionModel *base, bool boxes, DvShapeVersion *version)
{
    const bool moving = dv_data_bool(&base->moving);
    size_t kept;
    (void)dv_data_doubles(&base->still, &kept);
    if (moving ? kept > 0 : boxes || kept != still_numbers(base) * base->shape.count)
        keep_still(base, moving);
    *version = base->version;
}

DvStatus collision_model_restore(DvObject *object, void *self)
{
    (void)object;
    CollisionModel *base = self;
    size_t kept;
    (void)dv_data_doubles(&base->still, &kept);
    if (dv_data_bool(&base->moving))
        return DV_OK;
    base->given = kept > 0;
    if (kept == 0)
        base->version.boxes = 0; /* it goes back to before the first look for contacts */
    return DV_OK;
}

bool collision_model_begin(CollisionModel *base, uint32_t count, bool changed)
{
    const bool first = base->version.boxes == 0;
    if (count > base->capacity) {
        const uint32_t capacity = count + count / 4 + 16;
        dv_free(base->bounds);
        base->bounds = dv_alloc(6 * (size_t)capacity, sizeof *base->bounds);
        base->capacity = capacity;
    }
    const DvConstVec x = dv_state_read(base->state, DV_POSITION);
    base->shape.count = count;
    base->shape.x = x.at;
    base->shape.stride = x.dim;
    base->shape.distance = dv_data_double(&base->distance);
    base->shape.topology = mesh_fits(base, x.count) ? base->topology.ops : NULL;
    base->shape.topology_self = base->topology.self;
    base->mesh_revision = mesh_revision(base);
    base->points = x.count;
    const bool given = base->given && !dv_data_bool(&base->moving) && take_still(base);
    if (first || changed || given)
        base->version.structure++;
    else if (!dv_data_bool(&base->moving))
        return false;
    base->version.boxes++;
    return !given;
}

double *collision_model_room(double *array, uint32_t *capacity, uint32_t count, uint32_t numbers)
{
    if (count <= *capacity)
        return array;
    dv_free(array);
    *capacity = count + count / 4 + 16;
    return dv_alloc((size_t)*capacity * numbers, sizeof *array);
}

void collision_model_complete(DvData *list, uint32_t count, double value)
{
    size_t given;
    dv_data_doubles(list, &given);
    if (given >= count)
        return;
    const size_t numbers = list->type->components;
    double *entries = dv_data_begin(list, count);
    for (size_t i = given * numbers; i < count * numbers; i++)
        entries[i] = value;
    dv_data_end(list);
}

void collision_model_attach_to_frame(void *self, uint32_t element, const double point[3], DvAttachment *attachment)
{
    const CollisionModel *base = self;
    const DvConstVec x = dv_state_read(base->state, DV_POSITION);
    *attachment = (DvAttachment){.count = 1, .points = {element}, .weights = {1.0}};
    const DvRigid3 frame = dv_rigid3_load(x.at + (size_t)element * x.dim);
    dv_vec3_store(dv_rigid3_to_local(frame, dv_vec3_load(point)), attachment->lever);
}

/* `corners` and `stride` are those of the shape, constants where they can be. */
DV_SIMD_INLINE void bound_elements(CollisionModel *base, uint32_t corners, uint32_t stride)
{
    const DvShape *s = &base->shape;
    const size_t row = base->capacity;
    double *bounds = base->bounds;
    for (uint32_t i = 0; i < s->count; i++) {
        const double margin = s->distance + (s->radii ? s->radii[i] : 0.0);
        const uint32_t *vertices = s->vertices ? s->vertices + (size_t)i * corners : &i;
        const double *first = s->x + (size_t)vertices[0] * stride;
        DV_EACH (axis, 3) {
            double lower = first[axis], upper = lower;
            for (uint32_t corner = 1; corner < corners; corner++) {
                const double at = s->x[(size_t)vertices[corner] * stride + (size_t)axis];
                lower = at < lower ? at : lower;
                upper = at > upper ? at : upper;
            }
            bounds[(size_t)axis * row + i] = lower - margin;
            bounds[(size_t)(3 + axis) * row + i] = upper + margin;
        }
    }
}

void collision_model_bound_corners(CollisionModel *base)
{
    const uint32_t corners = base->shape.corners, stride = base->shape.stride;
    if (corners == 1)
        bound_elements(base, 1, stride);
    else if (corners == 2)
        bound_elements(base, 2, stride);
    else if (corners == 3 && stride == 3)
        bound_elements(base, 3, 3);
    else if (corners == 3)
        bound_elements(base, 3, stride);
    else
        bound_elements(base, corners, stride);
}

static DvObject *kind_in(const DvNode *node, const char *kind)
{
    DvObject *object;
    for (size_t i = 0; (object = dv_node_member(node, i)); i++) {
        const DvCollisionModelOps *ops = dv_object_ops(object, DV_COLLISION_MODEL);
        const DvShape *shape = ops && ops->state(dv_object_self(object)) ? ops->shape(dv_object_self(object)) : NULL;
        if (shape && strcmp(shape->kind, kind) == 0)
            return object;
    }
    return NULL;
}

const DvShape *collision_model_find_kind(const DvObject *object, const char *kind, DvObject **model)
{
    for (const DvNode *node = dv_object_node(object); node; node = dv_node_parent(node, 0)) {
        DvObject *found = kind_in(node, kind);
        if (!found)
            continue;
        if (model)
            *model = found;
        return ((const DvCollisionModelOps *)dv_object_ops(found, DV_COLLISION_MODEL))->shape(dv_object_self(found));
    }
    if (model)
        *model = NULL;
    return NULL;
}

void collision_model_find_points(const DvObject *object, PointsOfBody *points)
{
    const uint64_t graph = dv_node_revision(dv_node_root(dv_object_node(object)));
    if (points->graph == graph)
        return;
    DvObject *found;
    (void)collision_model_find_kind(object, DV_SHAPE_POINTS, &found);
    *points = (PointsOfBody){found, graph};
}

bool collision_model_meets_its_body(CollisionModel *base, const DvObject *other)
{
    return dv_data_bool(&base->self_collision) && dv_object_node(other) == dv_object_node(dv_object_of(base));
}

const DvShape *collision_model_shape_of(const DvObject *model)
{
    return ((const DvCollisionModelOps *)dv_object_ops(model, DV_COLLISION_MODEL))->shape(dv_object_self(model));
}

bool collision_model_other_agrees(DvObject *object, uint32_t element, DvObject *other, uint32_t other_element)
{
    const DvCollisionModelOps *ops = dv_object_ops(other, DV_COLLISION_MODEL);
    return !ops->can_collide || ops->can_collide(dv_object_self(other), other_element, object, element);
}

DvObject *collision_model_state(void *self)
{
    return ((CollisionModel *)self)->state.object;
}

void collision_model_traits(void *self, DvCollisionTraits *traits)
{
    CollisionModel *base = self;
    traits->active = dv_data_bool(&base->active);
    traits->moving = dv_data_bool(&base->moving);
    traits->simulated = dv_data_bool(&base->simulated);
    traits->self_collision = dv_data_bool(&base->self_collision);
    traits->neighbours_apart = dv_data_bool(&base->neighbours_apart);
    traits->distance = dv_data_double(&base->distance);
    traits->stiffness = dv_data_double(&base->stiffness);
    traits->friction = dv_data_double(&base->friction);
    traits->response = dv_data_string(&base->response);
    traits->groups = dv_data_ints(&base->group, &traits->group_count);
}

const DvShape *collision_model_shape(void *self)
{
    return &((CollisionModel *)self)->shape;
}

DvBoxes collision_model_boxes(void *self)
{
    const CollisionModel *base = self;
    DvBoxes boxes = {.count = base->shape.count};
    for (size_t axis = 0; axis < 3; axis++) {
        boxes.lower[axis] = base->bounds + axis * base->capacity;
        boxes.upper[axis] = base->bounds + (3 + axis) * base->capacity;
    }
    return boxes;
}

void collision_model_set_contact_count(void *self, uint32_t count)
{
    CollisionModel *base = self;
    if (dv_data_uint(&base->contact_count) != count)
        dv_data_set_uint(&base->contact_count, count);
}

/* As set, or that of its body, or by its flags where nobody knows that. */
static void read_color(CollisionModel *base, const DvDraw *target, double color[4])
{
    static const double by_flags[8][3] = {/* simulated, moving, active */
                                          {0.25, 0.25, 0.25}, {0.5, 0.5, 0.5}, {0, 0.5, 0.25}, {0, 1, 0.5},
                                          {0.5, 0, 0},        {1, 0, 0},       {0.5, 0.25, 0}, {1, 0.5, 0}};
    color[3] = 1.0;
    if (dv_data_is_set(&base->color)) {
        memcpy(color, dv_data_doubles(&base->color, NULL), 4 * sizeof *color);
        return;
    }
    if (target->body[3] > 0) {
        memcpy(color, target->body, 4 * sizeof *color);
        return;
    }
    const int flags =
        dv_data_bool(&base->simulated) * 4 + dv_data_bool(&base->moving) * 2 + dv_data_bool(&base->active);
    memcpy(color, by_flags[flags], sizeof by_flags[flags]);
}

bool collision_model_is_drawn(CollisionModel *base, DvDraw *target, double color[4])
{
    if (!dv_draw_shows(target, DV_DISPLAY_COLLISION_MODELS) || !base->state.ops)
        return false;
    /* Nobody has looked for contacts yet, as in a scene that was just opened, or since the mesh has changed. */
    if (base->shape.count == 0 || base->mesh_revision != mesh_revision(base) ||
        base->points != dv_state_count(base->state)) {
        DvObject *object = dv_object_of(base);
        const DvCollisionModelOps *ops = dv_object_ops(object, DV_COLLISION_MODEL);
        DvShapeVersion version;
        if (ops->update(base, &version) != DV_OK)
            return false;
    }
    read_color(base, target, color);
    return true;
}
