/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What collision models have in common: their first fields, the state and the mesh they move with, their shape and the boxes of
 * their elements.
 *
 * CollisionModel is the first member of each model's struct, so that the functions here serve as its operations.
 */
#ifndef DIVAN_COLLISION_COLLISION_MODEL_H
#define DIVAN_COLLISION_COLLISION_MODEL_H

#include <divan/contracts/collision.h>
#include <divan/contracts/topology.h>
#include <divan/contracts/visual.h>
#include <divan/divan.h>
#include <divan/types/color.h>

typedef struct CollisionModel {
    DvData active, moving, simulated, self_collision, neighbours_apart, distance, stiffness, friction, response, color,
        group, contact_count;
    DvData still; /* boxes of one that never moves, with its normals: what a run goes on with */
    DvLink topology_link;
    DvStateRef state;       /* ops is NULL until init has succeeded */
    DvTopologyRef topology; /* ops NULL: it needs none */
    DvShape shape;
    double *bounds; /* [6][capacity]: lower x y z, upper x y z */
    uint32_t capacity;
    DvShapeVersion version;
    uint64_t mesh_revision; /* as of the last update, and the points of the state then */
    uint32_t points;
    double *still_normals; /* [3 shape.count] made with the boxes, or NULL */
    bool given;            /* the boxes are those of `still` */
} CollisionModel;

#define COLLISION_MODEL_FIELDS(Struct, base)                                                                           \
    DV_FIELD(Struct, base.active, "active", dv_type_bool, .init = "1", .help = "whether it takes part in collisions"), \
        DV_FIELD(Struct, base.moving, "moving", dv_type_bool, .init = "1",                                             \
                 .help = "false: it never moves, its boxes are computed once"),                                        \
        DV_FIELD(Struct, base.simulated, "simulated", dv_type_bool, .init = "1",                                       \
                 .help = "false: contacts do not move it; two such models do not collide"),                            \
        DV_FIELD(Struct, base.self_collision, "selfCollision", dv_type_bool, .init = "0",                              \
                 .help = "whether its elements may collide with each other"),                                          \
        DV_FIELD(                                                                                                      \
            Struct, base.neighbours_apart, "keepNeighboursApart", dv_type_bool, .init = "0",                           \
            .help = "elements do not collide with those of other models of their state that share a point with them"), \
        DV_FIELD(Struct, base.distance, "contactDistance", dv_type_double, .init = "0", .unit = "m",                   \
                 .aliases = (const char *const[]){"proximity", NULL}, .range = &dv_range_not_negative,                 \
                 .flags = DV_FIELD_LENIENT, .help = "thickness: how far the real surface is from the elements"),       \
        DV_FIELD(Struct, base.stiffness, "contactStiffness", dv_type_double, .init = "10",                             \
                 .range = &dv_range_not_negative, .flags = DV_FIELD_LENIENT,                                           \
                 .help = "of penalty contacts: the product of both models' over the contact distance is N/m"),         \
        DV_FIELD(Struct, base.friction, "contactFriction", dv_type_double, .init = "0",                                \
                 .range = &dv_range_not_negative, .flags = DV_FIELD_LENIENT,                                           \
                 .help = "damping of sticking penalty contacts, the sum of both models'"),                             \
        DV_FIELD_HELD("contactRestitution", dv_type_double, .init = "0", .range = &dv_range_share,                     \
                      .flags = DV_FIELD_LENIENT, .help = "kept for scenes that name it: no response reads it"),        \
        DV_FIELD(Struct, base.response, "contactResponse", dv_type_string,                                             \
                 .help = "class of the response to its contacts, instead of the contact manager's"),                   \
        DV_FIELD(Struct, base.color, "color", dv_type_color, .init = "1 0 0 1", .flags = DV_FIELD_DRAWING,             \
                 .help = "colour; when it is not set, it tells simulated, moving and active models apart"),            \
        DV_FIELD(Struct, base.group, "group", dv_type_ints, .flags = DV_FIELD_EMPTY_IS_DEFAULT,                        \
                 .help = "models that share a group do not collide"),                                                  \
        DV_FIELD(Struct, base.contact_count, "numberOfContacts", dv_type_uint, .init = "0",                            \
                 .flags = DV_FIELD_READ_ONLY, .help = "contacts of this model in the last step that had any"),         \
        DV_FIELD(Struct, base.still, "stillBoxes", dv_type_doubles, .flags = DV_FIELD_STATE | DV_FIELD_HIDDEN,         \
                 .help = "boxes of a model that never moves, which were computed once"),                               \
        DV_LINK_HELD("previous", NULL, .flags = DV_FIELD_READ_ONLY | DV_FIELD_HIDDEN,                                  \
                     .help = "kept for scenes that name it: trees of boxes belong to the narrow phase"),               \
        DV_LINK_HELD("next", NULL, .flags = DV_FIELD_READ_ONLY | DV_FIELD_HIDDEN,                                      \
                     .help = "kept for scenes that name it: trees of boxes belong to the narrow phase"),               \
        DV_LINK_HELD("collisionElementActiver", NULL, .flags = DV_FIELD_HIDDEN,                                        \
                     .help = "kept for scenes that name it: all elements are active")

#define COLLISION_MODEL_TOPOLOGY(Struct, base)                   \
    DV_LINK(Struct, base.topology_link, "topology", DV_TOPOLOGY, \
            .help = "mesh whose elements collide; the node's own by default")

/* DvClass.accepts: there is a state, of this DOF type. */
bool collision_model_accepts(DvNode *node, const char *variant, const DvAttributes *attributes, DvText *reason);

/* Finds the state; with `mesh` also the mesh, which must be there. */
DV_NODISCARD DvStatus collision_model_init(DvObject *object, CollisionModel *base, const char *kind, bool mesh);
void collision_model_cleanup(DvObject *object, void *self);

/* Room for `count` elements; their number becomes that of the shape, which takes up positions, distance and mesh. `changed`:
 * they are others than before. Whether the boxes are to be computed: they stay when nothing moves. */
DV_NODISCARD bool collision_model_begin(CollisionModel *base, uint32_t count, bool changed);
/* The end of an update: what others see of it; boxes that stay are kept for a run that goes on. */
void collision_model_end(CollisionModel *base, bool boxes, DvShapeVersion *version);
/* DvClass.restore: boxes of a model that never moves are those it had. */
DV_NODISCARD DvStatus collision_model_restore(DvObject *object, void *self);
/* Room for `count` elements at least in an array of the model that nothing else keeps; *capacity is in elements. */
double *collision_model_room(double *array, uint32_t *capacity, uint32_t count, uint32_t numbers);
/* A list that has an entry for each of `count` elements: what is missing takes `value`, for each of its numbers. */
void collision_model_complete(DvData *list, uint32_t count, double value);
/* Where a point of the world is in the frame of an element: of models with a frame each. */
void collision_model_attach_to_frame(void *self, uint32_t element, const double point[3], DvAttachment *attachment);
/* Boxes of elements with corners: those of the corners, wider by the distance and the radius. */
void collision_model_bound_corners(CollisionModel *base);
static inline void collision_model_set_box(CollisionModel *base, uint32_t element, const double lower[3],
                                           const double upper[3])
{
    for (uint32_t axis = 0; axis < 3; axis++) {
        base->bounds[(size_t)axis * base->capacity + element] = lower[axis];
        base->bounds[(size_t)(3 + axis) * base->capacity + element] = upper[axis];
    }
}

/* The position of corner `corner` of an element. */
static inline const double *shape_corner(const DvShape *s, uint32_t element, uint32_t corner)
{
    const uint32_t point = s->vertices ? s->vertices[(size_t)element * s->corners + corner] : element;
    return s->x + (size_t)point * s->stride;
}

/* The first model of `kind` in the object's node, or above it; NULL: none. */
const DvShape *collision_model_find_kind(const DvObject *object, const char *kind, DvObject **model);

/* The model of points of the object's node, or of one above: looked up again when the graph has changed. */
typedef struct PointsOfBody {
    const DvObject *model; /* to compare with; NULL: none */
    uint64_t graph;        /* revision of the root as of the look; 0: never */
} PointsOfBody;
void collision_model_find_points(const DvObject *object, PointsOfBody *points);

/* Whether `other` is of this model's own node, which collides with itself: neighbours are to be told apart. */
bool collision_model_meets_its_body(CollisionModel *base, const DvObject *other);
const DvShape *collision_model_shape_of(const DvObject *model);
/* What `other` says of the pair. */
bool collision_model_other_agrees(DvObject *object, uint32_t element, DvObject *other, uint32_t other_element);

/* Operations that all share. */
DvObject *collision_model_state(void *self);
void collision_model_traits(void *self, DvCollisionTraits *traits);
const DvShape *collision_model_shape(void *self);
DvBoxes collision_model_boxes(void *self);
void collision_model_set_contact_count(void *self, uint32_t count);

/* Whether the viewer shows it, and then its colour: as set, or by its flags. */
bool collision_model_is_drawn(CollisionModel *base, DvDraw *target, double color[4]);

#define COLLISION_MODEL_OPERATIONS                                                                         \
    .size = sizeof(DvCollisionModelOps), .state = collision_model_state, .traits = collision_model_traits, \
    .shape = collision_model_shape, .boxes = collision_model_boxes,                                        \
    .set_contact_count = collision_model_set_contact_count

#endif
