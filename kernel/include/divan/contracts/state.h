/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * States: the degrees of freedom of a body, and the vectors over them that solvers work with.
 *
 * A state of `count` points owns vectors named by DvVecId: of coordinates (count x dof->coord doubles) or of
 * derivatives (count x dof->deriv doubles), contiguous and 64-byte aligned. Linear operations are type-blind; only
 * those that add a derivative to a coordinate know rotations. Vectors may live elsewhere (a GPU): whoever wants one
 * says in which space, and data move only when the other side asks. Components on the host never notice.
 *
 * Threads: all [step], one thread at a time per state. A pointer holds until the next resize, release or request for
 * the other space.
 */
#ifndef DIVAN_CONTRACTS_STATE_H
#define DIVAN_CONTRACTS_STATE_H

#include <divan/contracts/block_matrix.h>
#include <divan/dof_type.h>
#include <divan/node.h>

#include <string.h>

DV_BEGIN_DECLS

#define DV_STATE "divan.state/1"

typedef uint32_t DvVecId;
enum {
    DV_NO_VEC = 0,
    /* coordinates */
    DV_POSITION = 1,
    DV_REST_POSITION,
    DV_RESET_POSITION,
    DV_FREE_POSITION,
    /* derivatives */
    DV_VELOCITY = 8,
    DV_RESET_VELOCITY,
    DV_FREE_VELOCITY,
    DV_FORCE,
    DV_EXTERNAL_FORCE,      /* size 0 unless somebody wrote it in this step */
    DV_DX,                  /* displacement, or whatever a solver iterates on */
    DV_DFORCE,              /* what add_dforce adds to */
    DV_LAMBDA,              /* forces of Lagrangian constraints in the last step, of mapped states */
    DV_FIRST_FREE_VEC = 16, /* dynamic ids: even: coordinates, odd: derivatives */
    DV_MAX_VEC = 134
};
typedef enum DvVecKind { DV_COORDS, DV_DERIVS } DvVecKind;
static inline DvVecKind dv_vec_kind(DvVecId id)
{
    return id < DV_VELOCITY || (id >= DV_FIRST_FREE_VEC && id % 2 == 0) ? DV_COORDS : DV_DERIVS;
}

/* Memory that vectors live in, by number: the host, then the devices in the order in which plugins offer them
 * (contracts/vector_space.h). On a device an `at` is an address that the host never follows. */
typedef uint32_t DvSpace;
enum { DV_HOST = 0, DV_DEVICE = 1, DV_MOST_SPACES = 32 };
enum { DV_IN_HOST = 1u << DV_HOST, DV_IN_DEVICE = 1u << DV_DEVICE };
typedef enum DvPrecision { DV_DOUBLE, DV_FLOAT } DvPrecision;
/* A device as one scene uses it (contracts/vector_space.h): what it begins with. */
typedef struct DvVectorSpace {
    const struct DvVectorSpaceOps *ops;
    DvSpace number;
} DvVectorSpace;
/* Where an object keeps its vectors, and how; on the host they are doubles, whatever the precision elsewhere. */
typedef struct DvStorage {
    DvVectorSpace *space; /* NULL: on the host */
    DvPrecision precision;
} DvStorage;
typedef enum DvAccess {
    DV_READ_WRITE,
    DV_OVERWRITE /* old values are not needed */
} DvAccess;

/* A vector as components see it. `dim` is doubles per point: the DOF type's coord or deriv. */
typedef struct DvConstVec {
    const double *at;
    uint32_t count, dim;
} DvConstVec;
typedef struct DvVec {
    double *at;
    uint32_t count, dim;
} DvVec;
static inline DvConstVec dv_const(DvVec v)
{
    DvConstVec c = {v.at, v.count, v.dim};
    return c;
}

typedef struct DvStateOps {
    uint32_t size;
    uint32_t spaces; /* sum of DV_IN_*: where it gives its vectors. Components that want another are refused by name */
    const DvDofType *(*dof_type)(const void *self);
    uint32_t (*count)(const void *self);
    void (*resize)(void *self,
                   uint32_t count); /* all vectors that exist; new points: default coordinate, zero derivative */
    /* In one of its spaces. NULL: the vector does not exist. Writing makes it exist (zero, or default coordinates). */
    const double *(*read)(void *self, DvVecId id, DvSpace space);
    double *(*write)(void *self, DvVecId id, DvSpace space, DvAccess access);
    bool (*has)(const void *self, DvVecId id);
    void (*release)(void *self,
                    DvVecId id); /* a dynamic vector is not needed any more; its memory may be kept for the next one */

    /* Vector arithmetic, wherever the vectors live. Absent operands are DV_NO_VEC; r may be a or b. */
    void (*clear)(void *self, DvVecId r); /* r = 0, coordinates: the default one */
    void (*combine)(void *self, DvVecId r, DvVecId a, DvVecId b,
                    double k);                       /* r = a + k b; a coordinate plus derivatives integrates */
    double (*dot)(void *self, DvVecId a, DvVecId b); /* sum over all components, in a fixed order */
    /* First point whose coordinates or derivatives are not finite, or UINT32_MAX. */
    uint32_t (*first_not_finite)(void *self, DvVecId a);
    /* Optional (absent: on the host, in doubles): where this object keeps its vectors. It gives them there and on the host.     [any] */
    DvStorage (*storage)(const void *self);
} DvStateOps;

/* A state with its functions at hand: what components keep. */
typedef struct DvStateRef {
    const DvStateOps *ops;
    void *self;
    DvObject *object;
    const DvDofType *dof;
} DvStateRef;
static inline DvStateRef dv_state_ref(DvObject *object)
{
    DvStateRef s = {NULL, NULL, NULL, NULL};
    const DvStateOps *ops = object ? (const DvStateOps *)dv_object_ops(object, DV_STATE) : NULL;
    if (ops) {
        s.ops = ops;
        s.self = dv_object_self(object);
        s.object = object;
        s.dof = ops->dof_type(s.self);
    }
    return s;
}
static inline DvStorage dv_state_storage(DvStateRef s)
{
    DvStorage on_host = {NULL, DV_DOUBLE};
    return s.ops->storage ? s.ops->storage(s.self) : on_host;
}
static inline bool dv_state_serves(DvStateRef s, DvSpace space)
{
    const DvVectorSpace *own = dv_state_storage(s).space;
    return (s.ops->spaces >> space & 1) != 0 || (own && own->number == space);
}

/* Lets go of a state that is held: back to zeros; zeros stay.     [step] */
static inline void dv_state_release(DvStateRef *state)
{
    DvStateRef none = {NULL, NULL, NULL, NULL};
    if (state->object)
        dv_object_unref(state->object);
    *state = none;
}
/* The state a component acts on, as dv_object_find finds it, required (dv_object_require) and held until
 * dv_state_release. What *state held before is let go; start with zeros. An error is reported and leaves zeros: there is
 * none, or its DOF type is not the variant of `object` though that follows from the link.     [main] */
DV_NODISCARD static inline DvStatus dv_state_require(DvObject *object, const DvLink *link, DvStateRef *state)
{
    DvStateRef none = {NULL, NULL, NULL, NULL};
    const DvClass *cls = dv_object_class(object);
    DvObject *found = NULL;
    dv_state_release(state);
    DvStatus status = dv_object_find_required(object, link, DV_STATE, "a MechanicalObject", &found);
    if (status == DV_OK)
        status = dv_object_require(object, found);
    if (status != DV_OK)
        return status;
    *state = dv_state_ref(found);
    for (const DvVariantSource *source = cls->sources; link && source && source->attribute; source++)
        if (cls->variant_rule == DV_VARIANT_OF_ALL && strcmp(source->attribute, link->data.field->name) == 0 &&
            state->dof != dv_dof_type(dv_object_variant(object))) {
            const DvStateRef wrong = *state;
            *state = none;
            return dv_error(object, DV_ERROR_INVALID, "made for %s, but state '%s' holds %s", dv_object_variant(object),
                            dv_object_path(found), wrong.dof->name);
        }
    dv_object_ref(found);
    return DV_OK;
}

static inline uint32_t dv_state_count(DvStateRef s)
{
    return s.ops->count(s.self);
}
static inline DvConstVec dv_state_read(DvStateRef s, DvVecId id)
{
    DvConstVec v = {s.ops->read(s.self, id, DV_HOST), s.ops->count(s.self),
                    dv_vec_kind(id) == DV_COORDS ? s.dof->coord : s.dof->deriv};
    return v;
}
static inline DvVec dv_state_write(DvStateRef s, DvVecId id, DvAccess access)
{
    DvVec v = {s.ops->write(s.self, id, DV_HOST, access), s.ops->count(s.self),
               dv_vec_kind(id) == DV_COORDS ? s.dof->coord : s.dof->deriv};
    return v;
}

/* What a step passes to the components it calls. */
typedef struct DvStep {
    double time, dt;            /* s; the time at the beginning of the step */
    DvVecId position, velocity; /* the vectors that count as x and v in this operation */
    DvMatrixKind kind;          /* of products and matrices, see DvSymmetry */
} DvStep;

DV_END_DECLS
#endif
