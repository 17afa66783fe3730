/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Collision: which elements of which models are near each other, and what answers.
 *
 *   pipeline            one per node, called by animation loops: reset, detect, respond
 *     collision models  elements with a shape and a box each: points, lines, triangles, spheres...
 *     broad phase       pairs of models whose boxes meet
 *     narrow phase      pairs of elements whose boxes meet, in a stated order
 *     method            distances of pairs of elements; by pair of kinds, in batches
 *     contact manager   a response for each pair of models that has contacts
 *     contact response  forces or constraints, made by name
 *
 * A new kind of model brings a shape of its own (`DvShape.more`) and routines for the pairs it takes part in, offered by its
 * plugin as the service DV_CONTACT_ROUTINES; nothing else has to know.
 *
 * Threads: all [step].
 */
#ifndef DIVAN_CONTRACTS_COLLISION_H
#define DIVAN_CONTRACTS_COLLISION_H

#include <divan/contracts/state.h>
#include <divan/contracts/topology.h>

DV_BEGIN_DECLS

/* ---- Models ---- */

/* Kinds that this header describes; others are free to choose a name, best with a reversed domain in front. */
#define DV_SHAPE_POINTS        "points"
#define DV_SHAPE_LINES         "lines"
#define DV_SHAPE_TRIANGLES     "triangles"
#define DV_SHAPE_SPHERES       "spheres"       /* one per point of a state of positions */
#define DV_SHAPE_RIGID_SPHERES "rigid spheres" /* one per frame of a state of frames */
#define DV_SHAPE_TETRAHEDRA    "tetrahedra"
#define DV_SHAPE_BOXES         "boxes"    /* one per frame, along its axes; more: DvSolids */
#define DV_SHAPE_CAPSULES      "capsules" /* lines with radii, between points of a state; more: DvSolids */
/* one per frame: x and vertices are those of the ends, in the world; more: DvSolids */
#define DV_SHAPE_RIGID_CAPSULES "rigid capsules"
#define DV_SHAPE_RAYS           "rays" /* one per point: x and vertices are those of both ends */

/* Of boxes and capsules (`more`). Arrays belong to the model, as the shape does. */
typedef struct DvSolids {
    const double *velocities; /* [count x 3] m/s, of their middles */
    const double *axes;       /* [count x 9] of boxes: three unit vectors each, one after the other; NULL of capsules */
    const double *half_sizes; /* [count x 3] m, of boxes along these; NULL of capsules */
} DvSolids;

/* Of triangles: which of their corners and edges they answer for, so that what several share is tested once. */
enum {
    DV_OWNS_CORNER_0 = 1u << 0,
    DV_OWNS_CORNER_1 = 1u << 1,
    DV_OWNS_CORNER_2 = 1u << 2,
    DV_OWNS_EDGE_0 = 1u << 3, /* opposite to corner 0 */
    DV_OWNS_EDGE_1 = 1u << 4,
    DV_OWNS_EDGE_2 = 1u << 5,
    DV_ON_BORDER_0 = 1u << 6, /* edge 0 has one triangle */
    DV_ON_BORDER_1 = 1u << 7,
    DV_ON_BORDER_2 = 1u << 8
};

/* The elements of a model, as routines read them. Belongs to the model; valid until its next update. */
typedef struct DvShape {
    const char *kind;
    uint32_t count;                /* elements */
    uint32_t corners;              /* points per element */
    const uint32_t *vertices;      /* [count x corners] points of the state; NULL: element i is point i */
    const double *x;               /* [points of the state x stride] m; the first three of each are its position */
    uint32_t stride;               /* 3, or 7 of frames */
    const double *radii;           /* [count] m; or NULL */
    const double *normals;         /* [count x 3] unit or zero; or NULL */
    const uint16_t *owns;          /* [count] sum of DV_OWNS_*, DV_ON_*; or NULL */
    double distance;               /* m, of the real surface from the elements */
    bool both_sides;               /* surfaces: both sides are outside */
    const DvTopologyOps *topology; /* of the mesh; NULL: none */
    void *topology_self;
    const struct DvShape *lines; /* of a model of points: the lines of its node or of one above; or NULL */
    const void *more;            /* of kinds that are not described here */
} DvShape;

/* Boxes of the elements, the model's distance included: lower[axis][element], m. */
typedef struct DvBoxes {
    const double *lower[3], *upper[3];
    uint32_t count;
} DvBoxes;

/* What a model says of itself in a step. */
typedef struct DvCollisionTraits {
    bool active;         /* takes part */
    bool moving;         /* false: its boxes are those of the first step */
    bool simulated;      /* has degrees of freedom that contacts move */
    bool self_collision; /* its own elements, and those of other models of its node, may collide */
    bool
        neighbours_apart; /* but not with those of the same state that share a point with them; one of both models says so */
    double distance;      /* m */
    double stiffness, friction;
    const char *response;  /* name of a response, of its own; "": that of the manager */
    const int32_t *groups; /* models with a group in common do not collide; none: collides with all */
    size_t group_count;
} DvCollisionTraits;

/* A point of an element as a combination of points of the model's state. */
typedef struct DvAttachment {
    uint32_t count; /* points */
    uint32_t points[8];
    double weights[8]; /* of the points' positions; sum 1 */
    double lever[3];   /* of a frame: the point in its axes, m */
    double radius; /* m, to be added to the distance at which contact begins: the surface is that far from the point */
} DvAttachment;

/* Numbers that tell what changed since they were seen last. */
typedef struct DvShapeVersion {
    uint64_t structure; /* another number: other elements */
    uint64_t boxes;     /* + 1 with each update that computed the boxes */
} DvShapeVersion;

#define DV_COLLISION_MODEL "divan.collision-model/1"
typedef struct DvCollisionModelOps {
    uint32_t size;
    DvObject *(*state)(void *self); /* the state its elements move with; NULL: invalid, takes no part */
    void (*traits)(void *self, DvCollisionTraits *traits);
    /* Shape and boxes of the present positions; the boxes of a model that does not move stay. */
    DvStatus (*update)(void *self, DvShapeVersion *version);
    const DvShape *(*shape)(void *self);
    DvBoxes (*boxes)(void *self);
    /* Optional (absent: true). Whether two elements of models of one node may collide; asked when `element` is of this
     * model.     [worker]: what it needs has been made by update */
    bool (*can_collide)(void *self, uint32_t element, DvObject *other, uint32_t other_element);
    /* The point nearest to `point` (m, world) that moves with the element. */
    void (*attach)(void *self, uint32_t element, const double point[3], DvAttachment *attachment);
    void (*set_contact_count)(void *self, uint32_t count); /* optional: shown to users */
} DvCollisionModelOps;

/* A model as the phases see it. The list is that of the pipeline; its order does not change while it runs. */
typedef struct DvCollisionBody {
    DvObject *object;
    const DvCollisionModelOps *ops;
    void *self;
    DvNode *node;
    DvCollisionTraits traits;
    const DvShape *shape;
    DvBoxes boxes;
    double lower[3], upper[3]; /* m, of all its elements */
    bool present;              /* active and not empty */
    DvShapeVersion version;
} DvCollisionBody;

/* ---- Contacts ---- */

/* Two elements that are near each other. */
typedef struct DvContact {
    uint32_t element[2];
    int64_t id;         /* contacts of a pair of models with the same id stand for the same place */
    double point[2][3]; /* m, on either element */
    double normal[3];   /* unit, from the first to the second */
    double gap;         /* m, less than the distance at which contact begins */
} DvContact;

/* All contacts of one pair of models, in the order of discovery. */
typedef struct DvContactPair {
    uint32_t body[2]; /* into the pipeline's bodies */
    const DvContact *contacts;
    uint32_t count;
} DvContactPair;

/* What a detection found. Belongs to the pipeline, does not change until its next detection. */
typedef struct DvContactList {
    const DvCollisionBody *bodies;
    uint32_t body_count;
    const DvContactPair *pairs;
    uint32_t pair_count;
    double distance; /* m: the method's, at which contact begins, without those of the models */
    DvObject *narrow_phase;
} DvContactList;

/* ---- Methods ---- */

/* Where a routine puts what it finds. */
typedef struct DvContactSink DvContactSink;
struct DvContactSink {
    DvContact *contacts;
    uint32_t count, capacity;
    void (*grow)(DvContactSink *sink);
    uint32_t behind;      /* places nearer than contact begins that are none, since a surface shows its back there */
    uint32_t by_rounding; /* places nearer than contacts are listed from, that the last digits alone leave out */
};
static inline DvContact *dv_contact_add(DvContactSink *sink)
{
    if (sink->count == sink->capacity)
        sink->grow(sink);
    return &sink->contacts[sink->count++];
}

typedef struct DvContactQuery {
    const DvShape *a, *b;
    double alarm,
        contact; /* m: contacts are listed below the first, begin at the second; the models' distances included,
                              not the radii */
    bool same_model;
    const void *method; /* of the method that asks: its parameters */
} DvContactQuery;

/* Tests pairs of elements (a, b) in order and adds what is near.     [worker]: pairs of models are tested at once */
typedef void (*DvContactRoutine)(const DvContactQuery *query, const uint32_t (*pairs)[2], uint32_t count,
                                 DvContactSink *sink);

typedef enum DvRoutineAnswer {
    DV_ROUTINE_NONE,    /* the method does not know this pair of kinds in this order */
    DV_ROUTINE_IGNORED, /* it knows it and finds nothing, by definition */
    DV_ROUTINE_FOUND
} DvRoutineAnswer;

#define DV_INTERSECTION_METHOD "divan.intersection-method/1"
typedef struct DvIntersectionMethodOps {
    uint32_t size;
    void (*begin)(void *self);              /* optional: a detection begins */
    double (*alarm_distance)(void *self);   /* m; 0 of methods of intersection */
    double (*contact_distance)(void *self); /* m */
    /* How far apart boxes may be that count as touching, m; of models with these distances, which the boxes include. */
    double (*box_tolerance)(void *self, double distance_a, double distance_b);
    /* Optional. Before its routines see a shape in a detection: makes what they would make when they first need it. */
    void (*prepare)(void *self, const DvShape *shape);
    /* The routine for elements of kind `a` against those of kind `b`, in this order. */
    DvRoutineAnswer (*routine)(void *self, const char *a, const char *b, DvContactRoutine *routine);
} DvIntersectionMethodOps;

/* Routines of further kinds: a service that any plugin may offer. */
#define DV_CONTACT_ROUTINES "divan.contact-routines/1"
typedef struct DvContactRoutinesOps {
    uint32_t size;
    /* For a method whose class is, or is based on, `method`. */
    DvRoutineAnswer (*routine)(const DvObject *method, const char *a, const char *b, DvContactRoutine *routine);
} DvContactRoutinesOps;

/* ---- Phases ---- */

typedef struct DvBodyPair {
    uint32_t body[2];
} DvBodyPair;

#define DV_BROAD_PHASE "divan.broad-phase/1"
typedef struct DvBroadPhaseOps {
    uint32_t size;
    /* The pairs of bodies that may have contacts, into *pairs (belongs to the phase, valid until the next call); their
     * number. */
    uint32_t (*find)(void *self, const DvCollisionBody *bodies, uint32_t count, DvObject *method, DvBodyPair **pairs);
} DvBroadPhaseOps;

#define DV_NARROW_PHASE "divan.narrow-phase/1"
typedef struct DvNarrowPhaseOps {
    uint32_t size;
    /* The contacts of these pairs of bodies, into *contacts (belongs to the phase, valid until the next call); the number of
     * pairs that have any. `depth`: levels of trees. */
    uint32_t (*collide)(void *self, const DvCollisionBody *bodies, uint32_t count, const DvBodyPair *pairs,
                        uint32_t pair_count, DvObject *method, uint32_t depth, const DvContactPair **contacts);
    /* Optional: the contact manager asks for the contacts of a pair; matters where the order of pairs follows from
     * comparisons. */
    void (*look_up)(void *self, uint32_t first, uint32_t second);
    void (*forget)(void *self); /* optional: the scene is reset, what it remembers of earlier steps goes */
} DvNarrowPhaseOps;

/* ---- Answers ---- */

/* A component that answers the contacts of one pair of models. Made by the contact manager, by class name. */
#define DV_CONTACT_RESPONSE "divan.contact-response/1"
typedef struct DvContactResponseOps {
    uint32_t size;
    /* Once, after init: the states of the models it stands between, which may be the same. */
    DvStatus (*set_states)(void *self, DvObject *first, DvObject *second);
    /* The contacts of this step; count 0: none any more (asked only when keeps_alive). */
    DvStatus (*set_contacts)(void *self, const DvContactList *list, const DvContactPair *pair);
    bool (*keeps_alive)(void *self); /* optional (absent: no): stays when its contacts have gone */
    /* Optional: the force that contact `index` of the pair put on the second model at the last step, N; the first feels the
     * opposite. */
    void (*force)(void *self, uint32_t index, double force[3]);
    /* Optional: how many such responses have been made before it, and its place among those of this step. */
    void (*set_place)(void *self, uint32_t number, uint32_t rank);
    /* Optional, both or none: the numbers that the next step begins with, lent until the next call; and taking them when a saved
     * run goes on, before its contacts are set; false: these are none of its own. */
    const double *(*memory)(void *self, size_t *count);
    bool (*recall)(void *self, const double *numbers, size_t count);
} DvContactResponseOps;

#define DV_CONTACT_MANAGER "divan.contact-manager/1"
typedef struct DvContactManagerOps {
    uint32_t size;
    /* Makes, keeps and drops responses; those between two simulated models go into `node`. */
    DvStatus (*respond)(void *self, const DvContactList *list, DvNode *node);
    void (*forget)(void *self); /* drops all responses */
    /* As in DvContactResponseOps; zero where nothing answers. */
    void (*force)(void *self, const DvContactPair *pair, uint32_t index, double force[3]);
    /* Optional: the class that answers contacts of these bodies, of which object, self, node and traits are there; NULL: none does.     [main] */
    const DvClass *(*response_class)(void *self, const DvCollisionBody *a, const DvCollisionBody *b);
} DvContactManagerOps;

#define DV_COLLISION_PIPELINE "divan.collision-pipeline/1"
typedef struct DvCollisionPipelineOps {
    uint32_t size;
    DvStatus (*detect)(void *self);
    DvStatus (*respond)(void *self);                                           /* to what the last detection found */
    const DvContactList *(*contacts)(void *self);                              /* of the last detection */
    void (*force)(void *self, uint32_t pair, uint32_t index, double force[3]); /* N, on the second model of the pair */
    /* Optional: the classes that would answer contacts of the models that are there, whether or not they will touch, each once; at
     * most `capacity`. Returns how many. Once the scene has been initialised.     [main] */
    uint32_t (*responses)(void *self, const DvClass **classes, uint32_t capacity);
} DvCollisionPipelineOps;

DV_END_DECLS
#endif
