/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * DvMechanics: the states, force fields, masses, mappings and constraints in and below a node, as flat arrays.
 *
 * The arrays hold the functions, objects, states and fields that an operation needs, so that none looks anything up. They follow
 * edits of the graph by difference: an item keeps its slot as long as its object takes part, and lists have the slots in the order
 * that counts. So what an edit does not touch stays as it is, and the arrays are those of a compilation from nothing but for
 * the numbers of the slots. Objects in them are kept alive; one that has left the graph in the middle of an operation is skipped from
 * then on.
 *
 *   states      in graph order, then those outside the node that components inside refer to
 *   fields      force fields and masses in the order of the document, interaction force fields of a node after its others
 *   masses      those fields that are masses; several of one state add up
 *   mappings    sorted so that what computes a state comes before what reads it; otherwise in graph order
 *   constraints in graph order
 *
 * A state is independent when no mapping computes it, mapped when one does, external when it is not below the node (or not
 * the state of its node): an external state counts as fixed, what acts on it is dropped.
 */
#ifndef DIVAN_MECHANICS_MECHANICS_H
#define DIVAN_MECHANICS_MECHANICS_H

#include <divan/contracts/force_field.h>
#include <divan/contracts/mapping.h>
#include <divan/contracts/mass.h>
#include <divan/contracts/mechanical_operations.h>
#include <divan/contracts/operator.h>
#include <divan/contracts/projective_constraint.h>
#include <divan/visitor.h>

#include "state/mechanical_object.h"
#include <divan/kit/coupled_pairs.h>
#include <divan/kit/product_at_points.h>
#include <divan/kit/touched_points.h>

/* Vectors that this plugin gives out by itself; dynamic ids below FIRST_SCRATCH_VEC are for solvers, who allocate them. */
enum {
    FIRST_SCRATCH_VEC = 62, /* coordinates and derivatives in turn, DV_SCRATCH_COUNT of each */
    FIRST_PRIVATE_VEC = FIRST_SCRATCH_VEC + 2 * DV_SCRATCH_COUNT,
    VEC_EVEN_POSITION =
        126, /* of the last step that was good, or of the one that is being looked at: they take turns */
    VEC_EVEN_VELOCITY = 127,
    VEC_SINK = 129, /* derivatives: what acts on an external state */
    VEC_ZERO = 131, /* derivatives: the displacement of an external state */
    VEC_ODD_POSITION = 132,
    VEC_ODD_VELOCITY = 133
};

_Static_assert((int)FIRST_PRIVATE_VEC <= (int)VEC_EVEN_POSITION, "solvers do not get the vectors of the step check");

typedef enum StateKind { STATE_INDEPENDENT, STATE_MAPPED, STATE_EXTERNAL, STATE_NEW } StateKind;

/* Which vectors the present operation reads as x and v (or dx) and writes, by kind of state. */
typedef struct Roles {
    DvVecId x[3], v[3], f[3]; /* [StateKind]; DV_NO_VEC: not needed */
} Roles;

/* Place in the graph: of the node (DvCall.order), and of the object among those of its node. */
typedef struct Key {
    uint64_t order;
    uint32_t rank;
} Key;

/* What the step check knows of a vector of a state: see step_check.c. */
enum { WATCH_KEPT = 1u << 0, WATCH_ODD = 1u << 1 }; /* there is a copy; the last one is in the vector of odd turns */
typedef struct Watch {
    uint64_t version; /* of the vector when it was found good last, whatever the limit; 0: not known */
    uint64_t judged;  /* likewise when it was good by... */
    double limit;     /* ...this limit alone */
    uint64_t turn;    /* the check that looked at it last */
    uint8_t copies;   /* WATCH_KEPT and WATCH_ODD: of it as it was then... */
    uint8_t before;   /* ...and before that check */
} Watch;

/* Slots in order. */
typedef struct List {
    uint32_t *at;
    uint32_t count, capacity;
} List;

typedef struct StateItem {
    Key key; /* order UINT64_MAX: it is not below the node */
    uint64_t id;
    DvStateRef ref;
    StateKind kind;
    bool below_stop;    /* the visitor walk does not come here */
    bool of_its_node;   /* holds the slot of a node below */
    bool leaves;        /* its object has left the walk, in the present compilation */
    bool force_is_zero; /* mapped: nothing has been written to its force since it was cleared */
    DvVecId lacking;    /* the vector that it was last reported not to have; DV_NO_VEC: none */
    bool has_external;  /* externalForce exists, as of the last compute_force */
    uint32_t users;     /* states of fields, mappings and constraints that it is */
    uint32_t loads;     /* fields that act on it, and loaded mappings that read it */
    uint32_t masses;    /* fields that are masses of it */
    uint32_t readers;   /* mappings that read it */
    uint32_t producers; /* mappings that compute it... */
    uint32_t producer;  /* ...and the slot of the last one */
    size_t offset;      /* independent: of its first scalar among all unknowns, as of the last count */
    size_t pulled;  /* + 1: where in DvMechanics.pulled its forces of constraints begin; 0: they are its own alone */
    Watch watch[2]; /* of its position, of its velocity */
    /* Its vectors in the present operation, fetched when first needed. */
    uint64_t epoch;
    DvSpace space;
    DvConstVec x, v;
    DvVec f;
} StateItem;

/* How a component acts on states that a device keeps, for all mechanics of the scene: see twins.c. */
typedef struct TwinItem {
    struct TwinItem *next; /* of the scene */
    const DvObject *object;
    uint32_t users;
    DvVectorSpace *space; /* of all its states, or of `side`; NULL: some are on the host, or elsewhere */
    uint32_t side;        /* the state that it is made for: 0, or... */
    bool alone; /* ...one of two, the other of which is on the host: products act there where that one rests */
    DvVectorSpace *counted;   /* of one of them... */
    const DvObject *travels;  /* ...this state */
    uint64_t put, got, waits; /* for it */
    DvPrecision precision;
    const DvOperatorOps *ops;           /* of the component; or NULL */
    const DvOperatorOfSideOps *of_side; /* likewise */
    DvTwin *twin;                       /* NULL: it has none */
    uint64_t version;                   /* of the operator, as the twin has it */
    uint32_t points[2];                 /* of its states */
    bool asked;                         /* whether there is a twin */
    bool told;                          /* that it acts on the host, and why */
    bool behind;  /* the twin has computed forces, or positions, that the component knows nothing of */
    bool applied; /* of a mapping: the twin knows positions */
} TwinItem;

typedef struct FieldItem {
    Key key;
    uint64_t id;
    const DvForceFieldOps *ops;
    const DvMassOps *mass;          /* NULL: a force field only */
    const DvCoupledPairsOps *pairs; /* or NULL */
    void *self;
    DvObject *object;
    DvData *rayleigh_stiffness, *rayleigh_mass; /* or NULL */
    uint32_t states[2];                         /* slots */
    uint32_t state_count;
    bool below_stop, interaction;
    bool nameless;                     /* something of it that acts in a product cannot be assembled */
    TwinItem *twin;                    /* or NULL: all its states are on the host */
    const DvTouchedPointsOps *touched; /* or NULL */
} FieldItem;

typedef struct MappingItem {
    Key key;
    uint64_t id;
    const DvMappingOps *ops;
    const DvProductAtPointsOps *at_points; /* or NULL */
    void *self;
    DvObject *object;
    uint32_t *links; /* slots of the inputs, then of the outputs */
    uint32_t link_capacity;
    uint32_t inputs, outputs;
    uint32_t loads;      /* outputs that are loaded */
    bool in_slot;        /* the visitor walk knows one mapping per node */
    bool below_stop;     /* it, or one above, does not map forces */
    bool maps_forces;    /* as of the compilation */
    bool constrained;    /* at the last compute_force: constraints act on what it computes, or above which it is */
    bool below_stiff;    /* as of then: one above it has a geometric stiffness */
    bool refused;        /* it computes more points than an output has; reported */
    bool told_elsewhere; /* that forces of constraints do not reach it */
    bool tells;          /* has output_points: it is asked before each call */
    TwinItem *twin;      /* or NULL: all its states are on the host */
    uint64_t checked;    /* sum of the outputs' points when J was last asked for its rows, + 1; 0: never */
} MappingItem;

typedef struct ConstraintItem {
    Key key;
    uint64_t id;
    const DvProjectiveConstraintOps *ops;
    void *self;
    DvObject *object;
    uint32_t states[2];
    uint32_t state_count;
    bool below_stop;
    TwinItem *twin;  /* of the operator that tells about velocities; what is fixed, the constraint says itself */
    DvAddress fixed; /* [fixed_count] scalars there */
    uint32_t fixed_count, fixed_room;
    uint64_t fixed_structure; /* + 1: of the list; 0: never made */
} ConstraintItem;

/* Items of a kind by slot. */
typedef struct Slots {
    uint32_t count, capacity; /* slots that have been taken into use; room */
    List free;
} Slots;

typedef struct Assembly Assembly;           /* assembly.c */
typedef struct RowProjection RowProjection; /* row_projection.c */

/* What the mechanics of a scene share. */
typedef struct SceneMechanics {
    DvMechanics *open;    /* all, newest first */
    DvMechanics *watched; /* that of the step check; or NULL */
    TwinItem *twins;
    uint64_t structures; /* numbers of matrix structures given so far */
    uint64_t turn;       /* checks of a step so far */
    bool inertia_said;   /* of bodies with the default one */
    DvStatus fault;      /* of a component that cannot take part, reported; the next check of a step fails with it */
    struct Growth {      /* what motions are measured by: see step_check.c */
        bool known;
        double factor;                        /* growthLimit */
        double size, speed, gravity, started; /* m, m/s, m/s^2, s */
    } growth;
    struct HostCopy {   /* of what devices keep: see step_check_devices.c */
        uint64_t every; /* steps; 0: at the start alone */
        double time;    /* of the last one */
        bool is_due;
    } host_copy;
} SceneMechanics;

SceneMechanics *mechanics_of_scene(const DvNode *node);

struct DvMechanics {
    DvNode *node;
    SceneMechanics *scene;
    const uint64_t *graph;  /* revision of the node as it is */
    uint64_t revision;      /* of the node at the compilation; 0: never compiled */
    uint64_t root_revision; /* of the root, looked at when there are states outside the node */
    unsigned depth;         /* operations in progress: no compilation then */
    DvSchedule *schedule;
    uint64_t seen;     /* of its changes */
    uint64_t last_id;  /* of an item; none comes twice */
    uint64_t version;  /* + 1 with each change of what is here */
    uint64_t placed;   /* + 1 with each change of the states and of their kinds; 0: never compiled */
    uint32_t nameless; /* fields that are */
    uint64_t judged;   /* version at which `nameable` was found: see assembly_costs.c */
    bool nameable;
    bool regular; /* each state is computed by one mapping at most, and the mappings are in graph order */

    StateItem *states;
    FieldItem *fields;
    MappingItem *mappings;
    ConstraintItem *constraints;
    Slots state_slots, field_slots, mapping_slots, constraint_slots;
    List state_list, field_list, mass_list, mapping_list, constraint_list; /* masses: slots of fields */
    List independent;                                                      /* states */
    List bottom_up;                                                        /* constraints, node by node from the last */
    List leaving;       /* while following an edit: states whose object has left */
    uint32_t outside;   /* states that are not below the node */
    uint32_t elsewhere; /* states that a device keeps */
    struct Index {      /* objects to slots of states: open addressing, for look-ups only (its order never shows) */
        DvObject **keys;
        uint32_t *values;
        uint32_t mask, count;
    } index;
    DvCall *waits;    /* components that act on no state yet */
    uint64_t *orders; /* while following an edit: nodes that changed */
    uint32_t wait_count, wait_capacity, order_capacity;

    DvConstVec *given, *given_more; /* arguments of a mapping, as many as the largest has links */
    DvVec *wanted;
    uint32_t link_capacity;

    Roles roles;
    uint64_t epoch;       /* of the present operation */
    bool any_constrained; /* some mapping is, see MappingItem */
    double *pulled; /* forces of constraints on mapped states below which constraints act, at the last compute_force */
    size_t pulled_size;
    bool external_on_mapped; /* the last compute_force met an externalForce on a mapped state */
    uint8_t allocated[DV_MAX_VEC];
    uint32_t scratch[2];           /* by kind: bit k: scratch vector k has been asked for */
    Assembly *assembly;            /* that of the arrays as they are; NULL: none yet */
    RowProjection *row_projection; /* NULL: no rows yet */
    double *mass_blocks;           /* scratch of states with several masses: see acceleration_of_several */
    size_t mass_blocks_size;
    Assembly *lent;    /* whose matrix the last assembly gave: kept until the next one, whatever happens to the graph */
    DvMechanics *next; /* of the scene */
};

void list_insert(List *list, uint32_t place, uint32_t slot);
void list_add(List *list, uint32_t slot);
void list_remove_at(List *list, uint32_t place);

/* Brings the arrays up to date with the graph. */
void mechanics_compile(DvMechanics *m);
void mechanics_forget(DvMechanics *m); /* frees what mechanics_compile made */

static inline bool mechanics_follows_graph(const DvMechanics *m)
{
    return *m->graph == m->revision && (!m->outside || dv_node_revision(dv_node_root(m->node)) == m->root_revision);
}

static inline void mechanics_update(DvMechanics *m)
{
    if (!mechanics_follows_graph(m) && m->depth == 0)
        mechanics_compile(m);
}

/* Whether a component of the arrays is still in the graph: it is, unless there was an edit since they were compiled. */
static inline bool mechanics_alive(const DvMechanics *m, const DvObject *object)
{
    return *m->graph == m->revision || dv_object_node(object) != NULL;
}

/* Items in the order of their lists. */
static inline StateItem *state_at(const DvMechanics *m, uint32_t i)
{
    return &m->states[m->state_list.at[i]];
}

static inline StateItem *independent_at(const DvMechanics *m, uint32_t i)
{
    return &m->states[m->independent.at[i]];
}

static inline FieldItem *field_at(const DvMechanics *m, uint32_t i)
{
    return &m->fields[m->field_list.at[i]];
}

static inline FieldItem *mass_at(const DvMechanics *m, uint32_t i)
{
    return &m->fields[m->mass_list.at[i]];
}

static inline MappingItem *mapping_at(const DvMechanics *m, uint32_t i)
{
    return &m->mappings[m->mapping_list.at[i]];
}

static inline ConstraintItem *constraint_at(const DvMechanics *m, uint32_t i)
{
    return &m->constraints[m->constraint_list.at[i]];
}

/* The states of a mapping: slots. */
static inline const uint32_t *mapping_inputs_of(const MappingItem *mapping)
{
    return mapping->links;
}

static inline const uint32_t *mapping_outputs_of(const MappingItem *mapping)
{
    return mapping->links + mapping->inputs;
}

/* The slot of a state, or UINT32_MAX. */
uint32_t mechanics_find_state(const DvMechanics *m, const DvObject *object);

/* The vectors of a state for the present operation of `asker`; false when one is not there, which has been reported. */
bool mechanics_fetch_now(DvMechanics *m, StateItem *state, const DvObject *asker, DvSpace space);
static inline bool mechanics_fetch(DvMechanics *m, StateItem *state, const DvObject *asker, DvSpace space)
{
    return (state->epoch == m->epoch && state->space == space) || mechanics_fetch_now(m, state, asker, space);
}

/* False: a vector that a state of some points should have and has not is told once, with what to do, and the next check of a step
 * fails, since what needs it was left out. */
bool mechanics_lacks(DvMechanics *m, StateItem *state, const DvObject *asker, DvVecId id);

/* Scalars of all independent states; sets their offsets. */
size_t mechanics_count_unknowns(DvMechanics *m);

void assembly_free(Assembly *assembly);
/* Warns of rigid bodies that can turn with the default inertia; how many masses that concerns.     [main] */
size_t default_inertia_lint(const DvMechanics *m);

const DvBlockMatrix *assembly_run(DvMechanics *m, const DvStep *step, DvFactors factors, uint32_t parts);
bool assembly_is_preferred(DvMechanics *m, uint32_t products);
/* Whether what couples points is known, as it is once somebody has asked whether a matrix is preferred, and until something changes. */
bool assembly_knows_points(const DvMechanics *m);
/* Then: the points of the output of a mapping with `at_points` that components couple, ascending. */
const uint32_t *assembly_points(const DvMechanics *m, uint32_t state, uint32_t *count);

/* Forces of constraints on a state in the step before, those on states below it included; NULL: none.     [step] */
const double *mechanics_constraint_force_on(const DvMechanics *m, const StateItem *state);

/* What acts on an output of a mapping, for its geometric stiffness: forces of fields, and of constraints in the step before. Scratch
 * of the caller where there are both; `at` is NULL when the state has no forces.     [step] */
DvConstVec mechanics_force_on(const DvMechanics *m, const StateItem *state, DvSpace space);

/* Effective factors of a component with Rayleigh damping of its own. */
static inline double field_stiffness_factor(const FieldItem *field, DvFactors factors)
{
    return field->rayleigh_stiffness ? factors.k + factors.b * dv_data_double(field->rayleigh_stiffness) : factors.k;
}

static inline double field_mass_factor(const FieldItem *field, DvFactors factors)
{
    return field->rayleigh_mass ? factors.m - factors.b * dv_data_double(field->rayleigh_mass) : factors.m;
}

#endif
