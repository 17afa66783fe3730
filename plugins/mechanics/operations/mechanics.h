/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * DvMechanics: the states, force fields, masses, mappings and constraints in and below a node, as flat arrays.
 *
 * The arrays are put together from a kernel schedule whenever the graph has changed, and hold the functions, objects, states
 * and fields that an operation needs, so that none looks anything up. Objects in them are kept alive; one that has left the
 * graph in the middle of an operation is skipped from then on.
 *
 *   states     in graph order, then those outside the node that components inside refer to
 *   fields     force fields and masses in the order of the document, interaction force fields of a node after its others
 *   masses     those that hold the mass slot of their node
 *   mappings   sorted so that what computes a state comes before what reads it; otherwise in graph order
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
#include <divan/contracts/projective_constraint.h>

/* Vectors that this plugin keeps for itself in every state; dynamic ids below FIRST_PRIVATE_VEC are for solvers. */
enum {
    FIRST_PRIVATE_VEC = 90,
    VEC_SINK = 91,          /* derivatives: what acts on an external state */
    VEC_ZERO = 93,          /* derivatives: the displacement of an external state */
    VEC_GOOD_POSITION = 94, /* of the last step that was finite */
    VEC_GOOD_VELOCITY = 95
};

typedef enum StateKind { STATE_INDEPENDENT, STATE_MAPPED, STATE_EXTERNAL } StateKind;

/* Which vectors the present operation reads as x and v (or dx) and writes, by kind of state. */
typedef struct Roles {
    DvVecId x[3], v[3], f[3]; /* [StateKind]; DV_NO_VEC: not needed */
} Roles;

typedef struct StateItem {
    DvStateRef ref;
    StateKind kind;
    bool below_stop;    /* the visitor walk does not come here */
    bool loaded;        /* a force field or mass acts on it, or on what is mapped from it */
    bool force_is_zero; /* mapped: nothing has been written to its force since it was cleared */
    bool has_external;  /* externalForce exists, as of the last compute_force */
    size_t offset;      /* independent: of its first scalar among all unknowns, as of the last count */
    /* Its vectors in the present operation, fetched when first needed. */
    uint64_t epoch;
    DvSpace space;
    DvConstVec x, v;
    DvVec f;
} StateItem;

typedef struct FieldItem {
    const DvForceFieldOps *ops;
    const DvMassOps *mass; /* NULL: a force field only */
    void *self;
    DvObject *object;
    DvData *rayleigh_stiffness, *rayleigh_mass; /* or NULL */
    uint32_t states[2];                         /* into states */
    uint32_t state_count;
    bool below_stop, interaction;
} FieldItem;

typedef struct MassItem {
    const DvMassOps *ops;
    void *self;
    DvObject *object;
    uint32_t state;
    bool below_stop;
} MassItem;

typedef struct MappingItem {
    const DvMappingOps *ops;
    void *self;
    DvObject *object;
    uint32_t first_link; /* inputs, then outputs, in links */
    uint32_t inputs, outputs;
    bool in_slot;     /* the visitor walk knows one mapping per node */
    bool below_stop;  /* it, or one above, does not map forces */
    bool maps_forces; /* as of the compilation */
    bool loaded;      /* one of its outputs is */
    bool refused;     /* it computes more points than an output has; reported */
    bool tells;       /* has output_points: it is asked before each call */
    uint64_t checked; /* sum of the outputs' points when J was last asked for its rows, + 1; 0: never */
} MappingItem;

typedef struct ConstraintItem {
    const DvProjectiveConstraintOps *ops;
    void *self;
    DvObject *object;
    uint32_t states[2];
    uint32_t state_count;
    bool below_stop;
} ConstraintItem;

typedef struct Assembly Assembly;           /* assembly.c */
typedef struct RowProjection RowProjection; /* row_projection.c */

/* What the mechanics of a scene share. */
typedef struct SceneMechanics {
    DvMechanics *open;    /* all, newest first */
    DvMechanics *watched; /* that of the step check; or NULL */
    uint64_t structures;  /* numbers of matrix structures given so far */
    DvStatus fault;       /* of a component that cannot take part, reported; the next check of a step fails with it */
} SceneMechanics;

SceneMechanics *mechanics_of_scene(const DvNode *node);

struct DvMechanics {
    DvNode *node;
    SceneMechanics *scene;
    uint64_t revision;      /* of the node at the compilation; 0: never compiled */
    uint64_t root_revision; /* of the root, looked at when there are external states */
    bool has_external_states;
    unsigned depth; /* operations in progress: no compilation then */

    StateItem *states;
    FieldItem *fields;
    MassItem *masses;
    MappingItem *mappings;
    ConstraintItem *constraints;
    uint32_t *links;       /* states of mappings */
    uint32_t *independent; /* into states */
    uint32_t *bottom_up;   /* constraints, node by node from the last */
    uint32_t state_count, field_count, mass_count, mapping_count, constraint_count, link_count, independent_count;
    DvObject **objects; /* kept alive */
    uint32_t object_count;

    DvConstVec *given, *given_more; /* arguments of a mapping, as many as the largest has links */
    DvVec *wanted;

    Roles roles;
    uint64_t epoch;          /* of the present operation */
    bool external_on_mapped; /* the last compute_force met an externalForce on a mapped state */
    uint8_t allocated[DV_MAX_VEC];
    Assembly *assembly;            /* that of the arrays as they are; NULL: none yet */
    RowProjection *row_projection; /* NULL: no rows yet */
    Assembly *lent;    /* whose matrix the last assembly gave: kept until the next one, whatever happens to the graph */
    DvMechanics *next; /* of the scene */
};

/* Brings the arrays up to date with the graph. */
void mechanics_compile(DvMechanics *m);
void mechanics_forget(DvMechanics *m); /* frees what mechanics_compile made */

static inline void mechanics_refresh(DvMechanics *m)
{
    if (m->depth == 0 && (dv_node_revision(m->node) != m->revision ||
                          (m->has_external_states && dv_node_revision(dv_node_root(m->node)) != m->root_revision)))
        mechanics_compile(m);
}

/* Whether an object of the arrays is still in the graph. */
static inline bool mechanics_alive(const DvObject *object)
{
    return dv_object_node(object) != NULL;
}

/* The states of a mapping: indices into states. */
static inline const uint32_t *mapping_inputs_of(const DvMechanics *m, const MappingItem *mapping)
{
    return m->links + mapping->first_link;
}

static inline const uint32_t *mapping_outputs_of(const DvMechanics *m, const MappingItem *mapping)
{
    return m->links + mapping->first_link + mapping->inputs;
}

/* The vectors of a state for the present operation; false when it has none in this space. */
bool mechanics_fetch(DvMechanics *m, StateItem *state, DvSpace space);

/* Scalars of all independent states; sets their offsets. */
size_t mechanics_count_unknowns(DvMechanics *m);

void assembly_free(Assembly *assembly);
const DvBlockMatrix *assembly_run(DvMechanics *m, const DvStep *step, DvFactors factors, uint32_t parts);
bool assembly_is_preferred(DvMechanics *m, uint32_t products);

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
