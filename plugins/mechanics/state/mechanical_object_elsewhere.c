/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "mechanical_object_elsewhere.h"

#include <divan/memory.h>
#include <divan/plugin.h>

#include <string.h>

typedef struct ElsewhereVector {
    DvAddress at;
    size_t room;      /* bytes there */
    uint64_t version; /* of the field when both copies were the same last */
    uint64_t writes;
    bool exists;      /* of those in no field */
    bool there, home; /* which copies are up to date */
} ElsewhereVector;

typedef struct Elsewhere {
    DvVectorSpace *space;
    DvPrecision precision;
    bool refused;                      /* there was no memory, which has been reported */
    bool follows;                      /* it is taking over what vectors are linked to */
    DvData *parent[DV_FIRST_FREE_VEC]; /* that a vector was linked to, its owner held; and the version that it has */
    uint64_t parent_version[DV_FIRST_FREE_VEC];
    ElsewhereVector of[DV_MAX_VEC];
    DvStateVectors at_home; /* of those in no field */
    struct Partial {        /* of a few points: of vectors by number, and what is added to forces */
        double *at;
        size_t size;
    } partial[DV_MAX_VEC], added;
    /* [points] position and velocity as of elsewhere_keep, or NULL: the copy, and the one that is being made, while the device may be lost. */
    struct HostCopyOfState {
        double *at[2];
        uint32_t points;
    } kept, coming;
} Elsewhere;

static inline const DvVectorSpaceOps *ops_of(const MechanicalObject *self)
{
    return self->elsewhere->space->ops;
}

static inline DvData *field_of(const MechanicalObject *self, DvVecId id)
{
    return id < DV_FIRST_FREE_VEC ? self->of_id[id] : NULL;
}

static size_t bytes_of(const MechanicalObject *self, DvVecId id)
{
    return dv_space_bytes(self->elsewhere->precision, mechanical_object_length_of(self, id));
}

/* The service that keeps vectors of a word, its number, and how; or NULL. */
static const DvVectorSpaceOps *keeper_of(const char *word, DvSpace *number, DvPrecision *precision)
{
    const void *services[DV_MOST_SPACES];
    const size_t count = dv_services(DV_VECTOR_SPACE, services, DV_MOST_SPACES - 1);
    for (size_t i = 0; i < count && i < DV_MOST_SPACES - 1; i++) {
        const DvVectorSpaceOps *ops = services[i];
        *number = (DvSpace)i + 1;
        if (ops->keeps(word, precision))
            return ops;
    }
    return NULL;
}

/* Coordinates are no vectors: they begin with another value than zero, and are moved by derivatives of another kind. */
static bool is_turning(const DvDofType *dof)
{
    return dof == &dv_rigid3d;
}

void elsewhere_begin(MechanicalObject *self, const char *word)
{
    DvSpace number;
    DvPrecision precision;
    const DvVectorSpaceOps *ops = word ? keeper_of(word, &number, &precision) : NULL;
    if (!ops || (is_turning(self->dof) && !(ops->size > offsetof(DvVectorSpaceOps, integrate) && ops->integrate)))
        return;
    const DvObject *object = dv_object_of(self);
    DvText why = {0};
    DvVectorSpace *space = ops->open(dv_node_scene(dv_object_node(object)), number, &why);
    if (!space) {
        dv_warning(object, "template '%s': %s; it is kept on the host, in double precision", word,
                   why.at ? why.at : "there is no device");
    } else {
        self->elsewhere = dv_alloc(1, sizeof *self->elsewhere);
        self->elsewhere->space = space;
        self->elsewhere->precision = precision;
    }
    dv_text_free(&why);
}

void elsewhere_end(MechanicalObject *self)
{
    if (!self->elsewhere)
        return;
    for (DvVecId id = 0; id < DV_MAX_VEC; id++)
        if (self->elsewhere->of[id].at)
            ops_of(self)->give(self->elsewhere->space, self->elsewhere->of[id].at);
    for (DvVecId id = 0; id < DV_FIRST_FREE_VEC; id++)
        if (self->elsewhere->parent[id])
            dv_object_unref(self->elsewhere->parent[id]->owner);
    ops_of(self)->close(self->elsewhere->space);
    dv_state_vectors_free(&self->elsewhere->at_home);
    for (DvVecId id = 0; id < DV_MAX_VEC; id++)
        dv_free(self->elsewhere->partial[id].at);
    dv_free(self->elsewhere->added.at);
    for (int k = 0; k < 2; k++) {
        dv_free(self->elsewhere->kept.at[k]);
        dv_free(self->elsewhere->coming.at[k]);
    }
    dv_free(self->elsewhere);
    self->elsewhere = NULL;
}

/* A field that follows a device follows no other field: what it was linked to is asked from then on when it has changed. */
static void keep_link(MechanicalObject *self, DvVecId id)
{
    Elsewhere *elsewhere = self->elsewhere;
    DvData *parent = dv_data_parent(self->of_id[id]);
    if (!parent)
        return;
    if (elsewhere->parent[id])
        dv_object_unref(elsewhere->parent[id]->owner);
    elsewhere->parent[id] = parent;
    elsewhere->parent_version[id] = dv_data_version(parent);
    (void)dv_object_ref(parent->owner);
    (void)dv_data_link(self->of_id[id], NULL);
    (void)dv_data_depend(&self->links_changed, parent);
    (void)dv_data_read(&self->links_changed);
}

/* Takes over what has changed there. */
static __attribute__((noinline)) void take_links(MechanicalObject *self)
{
    Elsewhere *elsewhere = self->elsewhere;
    if (elsewhere->follows)
        return;
    elsewhere->follows = true;
    for (DvVecId id = 0; id < DV_FIRST_FREE_VEC; id++) {
        DvData *parent = elsewhere->parent[id], *data = self->of_id[id];
        if (!parent || dv_data_version(parent) == elsewhere->parent_version[id])
            continue;
        elsewhere->parent_version[id] = parent->version;
        (void)dv_data_link(data, parent);
        (void)dv_data_read(data);
        (void)dv_data_link(data, NULL);
        (void)dv_data_depend(data, &self->written_elsewhere);
        (void)dv_data_read(data);
    }
    (void)dv_data_read(&self->links_changed);
    elsewhere->follows = false;
}

void elsewhere_ready(MechanicalObject *self)
{
    if (!self->elsewhere)
        return;
    for (DvVecId id = 0; id < DV_FIRST_FREE_VEC; id++) {
        DvData *data = self->of_id[id];
        if (!data || id == DV_EXTERNAL_FORCE)
            continue;
        (void)dv_data_read(data);
        keep_link(self, id);
        (void)dv_data_depend(data, &self->written_elsewhere);
        (void)dv_data_read(data); /* it is up to date */
    }
}

/* ---- Which copy counts ---- */

/* Somebody wrote the field since. */
static inline void notice_writes(const DvData *data, ElsewhereVector *vector)
{
    if (data && vector->there && data->version != vector->version) {
        vector->there = false;
        vector->home = true;
        vector->writes++;
    }
}

static double *home_of(MechanicalObject *self, DvVecId id)
{
    DvData *data = field_of(self, id);
    if (!data)
        return dv_state_vectors_write(&self->elsewhere->at_home, self->dof, id, self->count, self->count);
    double *at = dv_data_begin_all(data, self->count);
    return at;
}

static bool is_lost(const MechanicalObject *self)
{
    return dv_space_fault(self->elsewhere->space) == DV_ERROR_IO;
}

static void fetch(MechanicalObject *self, DvVecId id)
{
    ElsewhereVector *vector = &self->elsewhere->of[id];
    DvData *data = field_of(self, id);
    notice_writes(data, vector);
    if (data && data->flags & DV_DATA_DIRTY && (vector->home || !vector->there)) { /* others are stale, it is not */
        dv_data_end(data);
        vector->version = vector->there ? data->version : vector->version;
    }
    if (!vector->there || vector->home)
        return;
    const double *before = data && data->count == self->count ? data->value : NULL;
    double *at = home_of(self, id);
    if (before && before != at && self->count) /* others had it too; a device may leave it as it is */
        memcpy(at, before, mechanical_object_length_of(self, id) * sizeof *at);
    if (self->count && !is_lost(self))
        ops_of(self)->get_numbers(self->elsewhere->space, at, vector->at, self->elsewhere->precision,
                                  mechanical_object_length_of(self, id));
    if (data) {
        dv_data_end(data);
        vector->version = data->version;
    }
    vector->home = true;
}

/* Memory there, of any content. */
static bool make_room(MechanicalObject *self, DvVecId id)
{
    Elsewhere *elsewhere = self->elsewhere;
    ElsewhereVector *vector = &elsewhere->of[id];
    const size_t bytes = bytes_of(self, id);
    if (vector->at && vector->room >= bytes)
        return true;
    if (vector->at)
        ops_of(self)->give(elsewhere->space, vector->at);
    vector->room = bytes ? bytes : 1;
    vector->at = ops_of(self)->take(elsewhere->space, vector->room);
    if (!vector->at && !elsewhere->refused && dv_space_fault(elsewhere->space) == DV_OK) /* else it has been said */
        (void)dv_error(dv_object_of(self), DV_ERROR_LIMIT,
                       "the device has no memory for a vector of %u points (%zu bytes); take fewer points, floats "
                       "(CudaVec3f), or --no-gpu",
                       self->count, bytes);
    elsewhere->refused = elsewhere->refused || !vector->at;
    return vector->at != 0;
}

/* The copy there is up to date, or any when it is overwritten. NULL: there is no memory. */
static bool send(MechanicalObject *self, DvVecId id, DvAccess access)
{
    ElsewhereVector *vector = &self->elsewhere->of[id];
    DvData *data = field_of(self, id);
    notice_writes(data, vector);
    if (vector->there)
        return true;
    if (!make_room(self, id))
        return false;
    if (access != DV_OVERWRITE && self->count) {
        if (data)
            fetch(self, id);
        const double *at = data ? data->value : dv_state_vectors_read(&self->elsewhere->at_home, id);
        if (at)
            ops_of(self)->put_numbers(self->elsewhere->space, vector->at, self->elsewhere->precision, at,
                                      mechanical_object_length_of(self, id));
        else
            ops_of(self)->fill(self->elsewhere->space, vector->at, self->elsewhere->precision,
                               mechanical_object_length_of(self, id), 0.0);
    }
    vector->there = true;
    vector->version = data ? data->version : 0;
    return true;
}

static void mark_written_there(MechanicalObject *self, DvVecId id)
{
    ElsewhereVector *vector = &self->elsewhere->of[id];
    DvData *data = field_of(self, id);
    vector->writes++;
    if (vector->home && data) {
        dv_data_touch(data);                                  /* it is another one, for who saves what has changed... */
        (void)dv_data_depend(data, &self->written_elsewhere); /* ...and is dirty, alone, until somebody reads it */
        vector->version = data->version;
    }
    vector->home = false;
}

DvStatus elsewhere_update(DvObject *object, void *self_)
{
    (void)object;
    MechanicalObject *self = self_;
    if (self->elsewhere && self->links_changed.flags & DV_DATA_DIRTY)
        take_links(self);
    for (DvVecId id = 0; self->elsewhere && id < DV_FIRST_FREE_VEC; id++)
        if (self->of_id[id])
            fetch(self, id);
    return DV_OK;
}

uint64_t elsewhere_version(MechanicalObject *self, DvVecId id)
{
    if (self->links_changed.flags & DV_DATA_DIRTY)
        take_links(self);
    notice_writes(field_of(self, id), &self->elsewhere->of[id]);
    const DvData *data = field_of(self, id);
    return 1 + self->elsewhere->of[id].writes + (data && !self->elsewhere->of[id].there ? data->version : 0);
}

/* ---- DvStateOps ---- */

DvStorage elsewhere_storage(const MechanicalObject *self)
{
    return (DvStorage){self->elsewhere->space, self->elsewhere->precision};
}

bool elsewhere_has(MechanicalObject *self, DvVecId id)
{
    return id < DV_MAX_VEC && self->elsewhere->of[id].exists;
}

/* Makes one that does not exist: default coordinates or zeros. */
static void make(MechanicalObject *self, DvVecId id)
{
    ElsewhereVector *vector = &self->elsewhere->of[id];
    DvData *data = field_of(self, id);
    if (data && data->count != self->count) {
        (void)dv_data_begin(data, self->count);
        dv_data_end(data);
    }
    if (data) {
        vector->home = vector->home || !vector->there;
        return;
    }
    if (vector->exists)
        return;
    vector->exists = true;
    vector->home = is_turning(self->dof) && dv_vec_kind(id) == DV_COORDS;
    vector->there = false;
    if (vector->home) {
        (void)home_of(self, id); /* default coordinates */
        return;
    }
    vector->there = make_room(self, id);
    if (vector->there)
        ops_of(self)->fill(self->elsewhere->space, vector->at, self->elsewhere->precision,
                           mechanical_object_length_of(self, id), 0.0);
}

const double *elsewhere_read(MechanicalObject *self, DvVecId id, DvSpace space)
{
    static const double no_points[8] __attribute__((aligned(64)));
    if (self->links_changed.flags & DV_DATA_DIRTY)
        take_links(self);
    make(self, id);
    if (self->count == 0)
        return no_points;
    if (space == self->elsewhere->space->number)
        return send(self, id, DV_READ_WRITE) ? dv_address_as_vector(self->elsewhere->of[id].at) : NULL;
    if (space != DV_HOST)
        return NULL;
    fetch(self, id);
    DvData *data = field_of(self, id);
    return data ? data->value : dv_state_vectors_read(&self->elsewhere->at_home, id);
}

double *elsewhere_write(MechanicalObject *self, DvVecId id, DvSpace space, DvAccess access)
{
    ElsewhereVector *vector = &self->elsewhere->of[id];
    if (self->links_changed.flags & DV_DATA_DIRTY)
        take_links(self);
    make(self, id);
    if (space == self->elsewhere->space->number) {
        if (!send(self, id, access))
            return NULL;
        mark_written_there(self, id);
        return dv_address_as_vector(vector->at);
    }
    if (space != DV_HOST)
        return NULL;
    if (access != DV_OVERWRITE)
        fetch(self, id);
    DvData *data = field_of(self, id);
    double *at;
    if (data) {
        at = access == DV_OVERWRITE ? dv_data_begin_all(data, self->count) : dv_data_begin(data, self->count);
        dv_data_end(data);
    } else {
        at = home_of(self, id);
    }
    vector->there = false;
    vector->home = true;
    vector->writes++;
    return at;
}

void elsewhere_release(MechanicalObject *self, DvVecId id)
{
    if (id < DV_FIRST_FREE_VEC || id >= DV_MAX_VEC)
        return;
    self->elsewhere->of[id].exists = self->elsewhere->of[id].there = self->elsewhere->of[id].home = false;
    dv_state_vectors_release(&self->elsewhere->at_home, id);
}

static DvAddress address_to_read(MechanicalObject *self, DvVecId id)
{
    return id == DV_NO_VEC ? 0 : dv_vector_as_address(elsewhere_read(self, id, self->elsewhere->space->number));
}

void elsewhere_clear(MechanicalObject *self, DvVecId r)
{
    (void)elsewhere_combine(self, r, DV_NO_VEC, DV_NO_VEC, 0.0);
}

/* Of points that turn: whether it is done by another way than by numbers. */
static bool combine_turning(MechanicalObject *self, DvVecId r, DvVecId a, DvVecId b, double k)
{
    const DvSpace there = self->elsewhere->space->number;
    const DvVecKind kind = dv_vec_kind(r);
    const bool moves = a != DV_NO_VEC && b != DV_NO_VEC && dv_vec_kind(a) == DV_COORDS;
    if (a == DV_NO_VEC && b == DV_NO_VEC && kind == DV_COORDS && is_turning(self->dof)) {
        dv_state_vectors_blank(self->dof, r, elsewhere_write(self, r, DV_HOST, DV_OVERWRITE), 0, self->count);
    } else if (moves && kind == DV_DERIVS && dv_vec_kind(b) == DV_COORDS && k == -1.0) {
        const double *at = elsewhere_read(self, a, DV_HOST), *from = elsewhere_read(self, b, DV_HOST);
        dv_dof_difference(self->dof, self->count, elsewhere_write(self, r, DV_HOST, DV_OVERWRITE), at, from);
    } else if (moves && kind == DV_COORDS && dv_vec_kind(b) == DV_DERIVS && is_turning(self->dof)) {
        const DvAddress from = address_to_read(self, a), by = address_to_read(self, b);
        double *to = elsewhere_write(self, r, there, r == a ? DV_READ_WRITE : DV_OVERWRITE);
        if (from && by && to && self->count)
            ops_of(self)->integrate(self->elsewhere->space, dv_vector_as_address(to), from, by,
                                    self->elsewhere->precision, self->count, k);
    } else {
        return false;
    }
    return true;
}

/* Whether the operands of points that turn are of the kind of the result, which is all that numbers can do. */
static bool is_of_one_kind(const MechanicalObject *self, DvVecId r, DvVecId a, DvVecId b, double k)
{
    const bool same =
        (a == DV_NO_VEC || dv_vec_kind(a) == dv_vec_kind(r)) && (b == DV_NO_VEC || dv_vec_kind(b) == dv_vec_kind(r));
    const bool copies = b == DV_NO_VEC || (a == DV_NO_VEC && k == 1.0);
    return !is_turning(self->dof) || (same && (dv_vec_kind(r) == DV_DERIVS || copies));
}

bool elsewhere_combine(MechanicalObject *self, DvVecId r, DvVecId a, DvVecId b, double k)
{
    const Elsewhere *elsewhere = self->elsewhere;
    if (self->dof->rotation && combine_turning(self, r, a, b, k))
        return true;
    if (!is_of_one_kind(self, r, a, b, k))
        return false;
    const DvAccess access = r == a || r == b ? DV_READ_WRITE : DV_OVERWRITE;
    const DvAddress from = address_to_read(self, a), with = address_to_read(self, b);
    const DvAddress to = dv_vector_as_address(elsewhere_write(self, r, elsewhere->space->number, access));
    const size_t n = mechanical_object_length_of(self, r);
    if (to == 0 || n == 0)
        return true;
    if (from == 0 && with == 0)
        ops_of(self)->fill(elsewhere->space, to, elsewhere->precision, n, 0.0);
    else
        ops_of(self)->combine(elsewhere->space, to, from, with, elsewhere->precision, n, k);
    return true;
}

double elsewhere_dot(MechanicalObject *self, DvVecId a, DvVecId b)
{
    const Elsewhere *elsewhere = self->elsewhere;
    const DvAddress x = address_to_read(self, a), y = a == b ? x : address_to_read(self, b);
    double sum = 0.0;
    if (x == 0 || y == 0 || self->count == 0)
        return sum;
    ops_of(self)->dot(elsewhere->space, DV_SLOT_SUM, false, x, y, elsewhere->precision,
                      mechanical_object_length_of(self, a));
    ops_of(self)->get_slots(elsewhere->space, DV_SLOT_SUM, &sum, 1);
    return sum;
}

void elsewhere_come_home(MechanicalObject *self)
{
    for (DvVecId id = 1; id < DV_MAX_VEC; id++) {
        ElsewhereVector *vector = &self->elsewhere->of[id];
        fetch(self, id);
        if (field_of(self, id) || vector->exists)
            vector->home = true;
        vector->there = false;
    }
}

void elsewhere_resize(MechanicalObject *self, uint32_t old, uint32_t count)
{
    dv_state_vectors_resize(&self->elsewhere->at_home, self->dof, old, count, count);
}

/* ---- A few points ---- */

static double *partial_of(const MechanicalObject *self, DvVecId id, struct Partial *partial)
{
    const size_t n = mechanical_object_length_of(self, id);
    if (partial->size < n) {
        dv_free(partial->at);
        partial->at = dv_alloc(n, sizeof(double));
        partial->size = n;
    }
    return partial->at;
}

const double *elsewhere_read_points(MechanicalObject *self, DvVecId id, const uint32_t *points, uint32_t count)
{
    Elsewhere *elsewhere = self->elsewhere;
    const ElsewhereVector *vector = &elsewhere->of[id];
    if (self->links_changed.flags & DV_DATA_DIRTY)
        take_links(self);
    make(self, id);
    notice_writes(field_of(self, id), &elsewhere->of[id]);
    if (!vector->there || vector->home || self->count == 0)
        return elsewhere_read(self, id, DV_HOST);
    double *at = partial_of(self, id, &elsewhere->partial[id]);
    ops_of(self)->get_points(elsewhere->space, at, vector->at, elsewhere->precision, mechanical_object_dim_of(self, id),
                             points, count);
    return at;
}

double *elsewhere_begin_points(MechanicalObject *self, DvVecId id, const uint32_t *points, uint32_t count)
{
    const uint32_t dim = mechanical_object_dim_of(self, id);
    double *at = partial_of(self, id, &self->elsewhere->added);
    for (uint32_t i = 0; i < count; i++)
        memset(at + (size_t)points[i] * dim, 0, dim * sizeof *at);
    return at;
}

void elsewhere_end_points(MechanicalObject *self, DvVecId id, const uint32_t *points, uint32_t count)
{
    const DvVectorSpaceOps *ops = ops_of(self);
    const uint32_t dim = mechanical_object_dim_of(self, id);
    const bool adds = ops->size > offsetof(DvVectorSpaceOps, add_points) && ops->add_points;
    const double *from = self->elsewhere->added.at;
    make(self, id);
    notice_writes(field_of(self, id), &self->elsewhere->of[id]);
    if (count == 0)
        return;
    if (adds && self->elsewhere->of[id].there) {
        const double *to = elsewhere_write(self, id, self->elsewhere->space->number, DV_READ_WRITE);
        ops->add_points(self->elsewhere->space, dv_vector_as_address(to), self->elsewhere->precision, from, dim, points,
                        count);
        return;
    }
    double *to = elsewhere_write(self, id, DV_HOST, DV_READ_WRITE);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t c = 0; c < dim; c++)
            to[(size_t)points[i] * dim + c] += from[(size_t)points[i] * dim + c];
}

/* ---- Copies of last resort ---- */

static const DvVecId kept_ids[2] = {DV_POSITION, DV_VELOCITY};

void elsewhere_keep(MechanicalObject *self)
{
    Elsewhere *elsewhere = self->elsewhere;
    struct HostCopyOfState *copy = &elsewhere->coming;
    for (int k = 0; k < 2; k++) {
        const DvVecId id = kept_ids[k];
        const ElsewhereVector *vector = &elsewhere->of[id];
        const size_t n = mechanical_object_length_of(self, id), dim = mechanical_object_dim_of(self, id);
        if (copy->points != self->count || !copy->at[k])
            copy->at[k] = dv_realloc(copy->at[k], copy->at[k] ? copy->points * dim * sizeof(double) : 0,
                                     (n ? n : 1) * sizeof(double));
        notice_writes(field_of(self, id), &elsewhere->of[id]);
        if (vector->there && !vector->home)
            ops_of(self)->get_numbers(elsewhere->space, copy->at[k], vector->at, elsewhere->precision, n);
        else if (n)
            memcpy(copy->at[k], elsewhere_read(self, id, DV_HOST), n * sizeof(double));
    }
    copy->points = self->count;
}

void elsewhere_take_copy(MechanicalObject *self)
{
    Elsewhere *elsewhere = self->elsewhere;
    const struct HostCopyOfState old = elsewhere->kept;
    elsewhere->kept = elsewhere->coming;
    elsewhere->coming = old;
}

bool elsewhere_is_kept(const MechanicalObject *self)
{
    return self->elsewhere->kept.at[0] && self->elsewhere->kept.points == self->count;
}

bool elsewhere_holds(const MechanicalObject *self, DvVecId id)
{
    const ElsewhereVector *vector = &self->elsewhere->of[id];
    return vector->exists && (vector->home || (vector->there && !is_lost(self)));
}

void elsewhere_leave(MechanicalObject *self, bool as_kept)
{
    Elsewhere *elsewhere = self->elsewhere;
    for (DvVecId id = 0; id < DV_MAX_VEC; id++)
        if (field_of(self, id) || elsewhere->of[id].exists)
            fetch(self, id);
    for (int k = 0; k < 2 && as_kept && elsewhere_is_kept(self); k++) {
        double *at = dv_data_begin_all(self->of_id[kept_ids[k]], self->count);
        if (self->count)
            memcpy(at, elsewhere->kept.at[k], mechanical_object_length_of(self, kept_ids[k]) * sizeof *at);
        dv_data_end(self->of_id[kept_ids[k]]);
    }
    dv_state_vectors_free(&self->own);
    self->own = elsewhere->at_home;
    elsewhere->at_home = (DvStateVectors){0};
    elsewhere_end(self);
    mechanical_object_begin(self);
}
