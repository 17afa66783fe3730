/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the files of MechanicalObject share:
 *
 *   mechanical_object.c                  fields and life cycle
 *   mechanical_object_vectors.c          its vectors by number, in fields and in arrays of its own; arithmetic on them
 *   mechanical_object_elsewhere.c        those that a device keeps
 *   mechanical_object_topology.c         points that come, go and are renumbered with a topology
 *   mechanical_object_transformation.c   scale, rotation, translation of the points at the start
 *   mechanical_object_drawing.c          what of it is shown
 */
#ifndef DIVAN_MECHANICS_MECHANICAL_OBJECT_H
#define DIVAN_MECHANICS_MECHANICAL_OBJECT_H

#include <divan/contracts/state.h>
#include <divan/contracts/visual.h>
#include <divan/element_data.h>
#include <divan/state_vectors.h>

/* What `size` and `reserve` may ask for: a slip must not take all memory. */
enum { MECHANICAL_OBJECT_MOST_POINTS = 20000000 };

typedef struct MechanicalObject {
    DvData position, rest_position, reset_position, free_position;    /* coordinates */
    DvData velocity, reset_velocity, free_velocity, constraint_force; /* derivatives */
    DvData force, external_force, derivative;
    DvData rest_scale, use_topology;
    DvData translation, rotation, scale, translation2, rotation2;
    DvData size, reserve;
    DvData show_object, show_object_scale, show_indices, show_indices_scale, show_vectors, show_vectors_scale;
    DvData draw_mode, show_color;
    DvLink topology_link;

    const DvDofType *dof;
    uint32_t count;   /* points */
    uint32_t emptied; /* bit k: vector k in a field had points before all went */
    /* Of each field, before init: its entries as a scene gave them, + 1 (0: not looked at), and as they were made. */
    size_t given[DV_FIRST_FREE_VEC], made[DV_FIRST_FREE_VEC];
    bool initialised;                 /* before that, the fields decide how many points there are */
    DvData *of_id[DV_FIRST_FREE_VEC]; /* the field of a vector, or NULL */
    /* Likewise of those that may be taken as they are: none before init, none of a state without points, no externalForce. */
    DvData *at_hand[DV_FIRST_FREE_VEC];
    DvStateVectors own;           /* the others */
    double *first_external_force; /* [first_external_count] derivs, at the start; NULL: none */
    size_t first_external_count;
    uint64_t external_force_released; /* version of externalForce when it was last cleared; 0: never */
    DvElementData points;             /* attached to a topology that may change; entries are not used */
    double *first_rest, *first_position, *first_velocity; /* [first_count] likewise: what a reset puts back; or NULL */
    uint32_t first_count;
    struct Elsewhere *elsewhere; /* NULL: on the host */
    DvData links_changed;        /* follows what vectors were linked to */
    DvData written_elsewhere;    /* the fields follow from it that vectors elsewhere are kept in */
} MechanicalObject;

/* Numbers of a point, and of all points, in a vector. */
static inline uint32_t mechanical_object_dim_of(const MechanicalObject *self, DvVecId id)
{
    return dv_vec_kind(id) == DV_COORDS ? self->dof->coord : self->dof->deriv;
}

static inline size_t mechanical_object_length_of(const MechanicalObject *self, DvVecId id)
{
    return (size_t)self->count * mechanical_object_dim_of(self, id);
}

/* mechanical_object_vectors.c */
extern const DvStateOps mechanical_object_state_ops;
void mechanical_object_find_vectors(
    MechanicalObject *self); /* the fields that hold vectors; those that always exist get a point */
void mechanical_object_begin(MechanicalObject *self);         /* from now on the number of points is known */
void mechanical_object_agree_on_size(MechanicalObject *self); /* all get the length of the longest */
/* How many entries the vector of a field had before that. */
size_t mechanical_object_given(const MechanicalObject *self, DvVecId id);
/* Whether the points may come from a mesh: no positions are given, and what else is given does not consist of zeros alone, by which
 * old scenes say how many points there are, at the origin. */
bool mechanical_object_asks_for_points(MechanicalObject *self);
/* Says which fields had another number, and what became of them. `spread`: one velocity went to all points. */
void mechanical_object_check_lengths(MechanicalObject *self, bool spread);
/* Warns of lists of values, not all of them zero, that `size` is about to fill with zeros. */
void mechanical_object_check_size(MechanicalObject *self, uint32_t size);
/* Those of the table above. */
bool mechanical_object_has(const void *self, DvVecId id);
const double *mechanical_object_read(void *self, DvVecId id, DvSpace space);
double *mechanical_object_write(void *self, DvVecId id, DvSpace space, DvAccess access);
void mechanical_object_resize(void *self, uint32_t count);
void mechanical_object_clear(void *self, DvVecId r);
void mechanical_object_combine(void *self, DvVecId r, DvVecId a, DvVecId b, double k);
/* Of vectors that are not as a step left them. */
const double *mechanical_object_read_anyhow(MechanicalObject *self, DvVecId id, DvSpace space);
double *mechanical_object_write_anyhow(MechanicalObject *self, DvVecId id, DvSpace space, DvAccess access);

/* A vector that a step finds as it left it: there, of the right length, and no older than what it follows. Else NULL, also for
 * vectors that need a closer look. */
static inline const double *mechanical_object_ready(const MechanicalObject *self, DvVecId id, DvSpace space)
{
    if (space != DV_HOST)
        return NULL;
    if (id >= DV_FIRST_FREE_VEC)
        return id < DV_MAX_VEC && self->own.of[id].exists && self->initialised ? self->own.of[id].at : NULL;
    const DvData *data = self->at_hand[id];
    return data && data->count == self->count && !(data->flags & DV_DATA_DIRTY) ? (const double *)data->value : NULL;
}

static inline const double *mechanical_object_give(MechanicalObject *self, DvVecId id, DvSpace space)
{
    const double *at = mechanical_object_ready(self, id, space);
    return at ? at : mechanical_object_read_anyhow(self, id, space);
}

static inline double *mechanical_object_lend(MechanicalObject *self, DvVecId id, DvSpace space, DvAccess access)
{
    const double *at = mechanical_object_ready(self, id, space);
    if (!at)
        return mechanical_object_write_anyhow(self, id, space, access);
    return id >= DV_FIRST_FREE_VEC ? (double *)(uintptr_t)at : (double *)dv_data_rewrite(self->of_id[id]);
}

/* The functions of a state as the operations of a step call them, over and over: of a MechanicalObject, which nearly all are, without
 * a look at its table. */
static inline const double *state_read(DvStateRef s, DvVecId id, DvSpace space)
{
    return s.ops == &mechanical_object_state_ops ? mechanical_object_give((MechanicalObject *)s.self, id, space)
                                                 : s.ops->read(s.self, id, space);
}

static inline double *state_write(DvStateRef s, DvVecId id, DvSpace space, DvAccess access)
{
    return s.ops == &mechanical_object_state_ops ? mechanical_object_lend((MechanicalObject *)s.self, id, space, access)
                                                 : s.ops->write(s.self, id, space, access);
}

static inline uint32_t state_count(DvStateRef s)
{
    const MechanicalObject *own = s.ops == &mechanical_object_state_ops ? (const MechanicalObject *)s.self : NULL;
    return own && own->initialised ? own->count : s.ops->count(s.self);
}

/* Written since it was last released. */
static inline bool mechanical_object_has_external_force(MechanicalObject *self)
{
    return self->external_force.count != 0 && dv_data_version(&self->external_force) != self->external_force_released;
}

static inline bool state_has(DvStateRef s, DvVecId id)
{
    if (s.ops != &mechanical_object_state_ops)
        return s.ops->has(s.self, id);
    MechanicalObject *own = (MechanicalObject *)s.self;
    if (id == DV_EXTERNAL_FORCE)
        return mechanical_object_has_external_force(own);
    return mechanical_object_ready(own, id, DV_HOST) || mechanical_object_has(own, id);
}

static inline void state_combine(DvStateRef s, DvVecId r, DvVecId a, DvVecId b, double k)
{
    if (s.ops == &mechanical_object_state_ops)
        mechanical_object_combine(s.self, r, a, b, k);
    else
        s.ops->combine(s.self, r, a, b, k);
}

static inline void state_clear(DvStateRef s, DvVecId id)
{
    if (s.ops == &mechanical_object_state_ops)
        mechanical_object_clear(s.self, id);
    else
        s.ops->clear(s.self, id);
}

/* mechanical_object_topology.c: from now on the points are those of a topology that may change. */
DV_NODISCARD DvStatus mechanical_object_follow(MechanicalObject *self, DvObject *topology);
/* What a reset of that topology puts back is what there is now. */
void mechanical_object_keep_first(MechanicalObject *self);
void mechanical_object_forget_first(MechanicalObject *self);

/* mechanical_object_transformation.c: of the positions; angles about x, then y, then z. */
void mechanical_object_scale(MechanicalObject *self, const double *factors);
void mechanical_object_rotate(MechanicalObject *self, const double *degrees);
void mechanical_object_translate(MechanicalObject *self, const double *by);

/* mechanical_object_drawing.c */
extern const DvDrawableOps mechanical_object_drawable_ops;

#endif
