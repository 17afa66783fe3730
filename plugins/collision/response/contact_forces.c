/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What responses share that are forces between the contacts of two models; see contact_forces.h.
 */
#include "response/contact_forces.h"

#include <divan/divan.h>
#include <divan/kit/ascending.h>
#include <divan/memory.h>

/* ---- Life ---- */

static void release(ContactForces *self)
{
    for (int side = 0; side < 2; side++) {
        dv_state_release(&self->state[side]);
        mesh_memory_release(&self->mesh[side]);
    }
}

static void take_states(ContactForces *self, DvObject *first, DvObject *second)
{
    DvObject *states[2] = {dv_object_ref(first), dv_object_ref(second)};
    release(self);
    for (int side = 0; side < 2; side++) {
        self->state[side] = dv_state_ref(states[side]);
        mesh_memory_hold(&self->mesh[side], states[side]);
    }
}

DvStatus contact_forces_set_states(void *self_, DvObject *first, DvObject *second)
{
    ContactForces *self = self_;
    dv_link_set(&self->object1, first);
    dv_link_set(&self->object2, second);
    take_states(self, first, second);
    return DV_OK;
}

DvStatus contact_forces_init(DvObject *object, void *self_)
{
    ContactForces *self = self_;
    (void)object;
    DvObject *first = dv_link_object(&self->object1), *second = dv_link_object(&self->object2);
    if (first && second)
        take_states(self, first, second);
    return DV_OK;
}

void contact_forces_cleanup(DvObject *object, void *self_)
{
    (void)object;
    ContactForces *self = self_;
    release(self);
    dv_free(self->ends);
    dv_free(self->listed);
    dv_free(self->kept);
    for (int side = 0; side < 2; side++) {
        dv_free(self->touched[side]);
        self->touched[side] = NULL;
        self->touched_count[side] = self->touched_room[side] = 0;
    }
    self->touched_of = 0;
    self->ends = NULL;
    self->listed = self->kept = NULL;
    id_map_free(&self->ids);
    self->count = self->capacity = 0;
}

/* ---- Which contacts count ---- */

static void make_room(ContactForces *self, uint32_t listed)
{
    if (listed <= self->capacity)
        return;
    dv_free(self->ends);
    dv_free(self->listed);
    dv_free(self->kept);
    self->capacity = 2 * listed + 16;
    self->ends = dv_alloc(self->capacity, sizeof *self->ends);
    self->listed = dv_alloc(self->capacity, sizeof *self->listed);
    self->kept = dv_alloc(self->capacity, sizeof *self->kept);
}

/* Of contacts with one id the nearest, of equally near ones the first. */
static void choose(ContactForces *self, const DvContactPair *pair)
{
    id_map_restart(&self->ids, pair->count);
    for (uint32_t i = 0; i < pair->count; i++) {
        IdPlace *place = id_map_find(&self->ids, pair->contacts[i].id);
        self->kept[i] = 1;
        if (place->index > 0 && !(pair->contacts[i].gap < pair->contacts[place->index - 1].gap)) {
            self->kept[i] = 0;
            continue;
        }
        if (place->index > 0)
            self->kept[place->index - 1] = 0;
        *place = (IdPlace){pair->contacts[i].id, i + 1};
    }
}

static bool same_points(const DvAttachment *a, const DvAttachment *b)
{
    return a->count == b->count && memcmp(a->points, b->points, a->count * sizeof *a->points) == 0;
}

void contact_forces_take(ContactForces *self, const DvContactList *list, const DvContactPair *pair)
{
    make_room(self, pair->count);
    const uint32_t before = self->count;
    bool changed = false;
    self->count = 0;
    for (int side = 0; side < 2; side++)
        mesh_memory_note(&self->mesh[side], self->state[side]);
    if (pair->count > 0)
        choose(self, pair);
    for (uint32_t i = 0; i < pair->count; i++) {
        if (!self->kept[i])
            continue;
        const DvContact *found = &pair->contacts[i];
        ContactEnds *ends = &self->ends[self->count];
        self->listed[self->count++] = i;
        for (int side = 0; side < 2; side++) {
            const DvCollisionBody *body = &list->bodies[pair->body[side]];
            DvAttachment attachment;
            body->ops->attach(body->self, found->element[side], found->point[side], &attachment);
            changed = changed || self->count > before || !same_points(&attachment, &ends->side[side]);
            ends->side[side] = attachment;
        }
        self->kept[i] = self->count;
    }
    if (changed || self->count != before)
        self->structure++;
}

void contact_forces_heed_edits(ContactForces *self)
{
    if (self->count == 0 ||
        (mesh_memory_holds(&self->mesh[0], self->state[0]) && mesh_memory_holds(&self->mesh[1], self->state[1])))
        return;
    self->count = 0;
    self->structure++;
}

uint32_t contact_forces_find(const ContactForces *self, uint32_t listed)
{
    const uint32_t place = listed < self->capacity ? self->kept[listed] : 0;
    return place > 0 && place <= self->count ? place - 1 : UINT32_MAX;
}

/* ---- Ends as numbers ---- */

void contact_forces_write_ends(const ContactForces *self, uint32_t i, double numbers[NUMBERS_OF_ENDS])
{
    for (uint32_t side = 0; side < 2; side++)
        attachment_write(&self->ends[i].side[side], numbers + side * ATTACHMENT_NUMBERS);
}

bool contact_forces_read_ends(ContactForces *self, uint32_t i, uint32_t count, const double numbers[NUMBERS_OF_ENDS])
{
    if (i == 0) {
        make_room(self, count);
        for (int side = 0; side < 2; side++)
            mesh_memory_note(&self->mesh[side], self->state[side]);
        self->count = count;
        self->structure++;
    }
    ContactEnds *ends = &self->ends[i];
    memset(ends, 0, sizeof *ends);
    for (uint32_t side = 0; side < 2; side++)
        if (!attachment_read(&ends->side[side], dv_state_count(self->state[side]), numbers + side * ATTACHMENT_NUMBERS))
            return false;
    return true;
}

/* ---- Drawing: a line between the points of each contact ---- */

static void draw(void *self_, DvDraw *draw)
{
    static const double color[4] = {1.0, 0.0, 0.0, 1.0};
    const ContactForces *self = self_;
    if (!dv_draw_shows(draw, DV_DISPLAY_INTERACTION_FORCE_FIELDS) || self->count == 0 || !self->state[0].ops)
        return;
    const DvConstVec x[2] = {dv_state_read(self->state[0], DV_POSITION), dv_state_read(self->state[1], DV_POSITION)};
    double *at = dv_alloc(self->count, 6 * sizeof *at);
    for (uint32_t i = 0; i < self->count; i++)
        for (size_t side = 0; side < 2; side++) {
            const DvAttachment *end = &self->ends[i].side[side];
            const DvVec3 lever = attachment_lever(end, x[side].at, x[side].dim);
            dv_vec3_store(attachment_position(end, x[side].at, x[side].dim, lever), at + 6 * (size_t)i + 3 * side);
        }
    draw->ops->lines(draw, at, self->count, 1.0, color);
    dv_free(at);
}

const DvDrawableOps contact_forces_drawable = {.size = sizeof(DvDrawableOps), .draw = draw};

/* ---- Members of DvForceFieldOps ---- */

uint32_t contact_forces_states(void *self_, DvObject *objects[2])
{
    ContactForces *self = self_;
    if (!self->state[0].ops || !self->state[1].ops)
        return 0;
    objects[0] = self->state[0].object;
    objects[1] = self->state[1].object;
    return 2;
}

void contact_forces_reserve(void *self_, DvPattern *pattern)
{
    const ContactForces *self = self_;
    for (uint32_t i = 0; i < self->count; i++) {
        const DvAttachment *side = self->ends[i].side;
        for (uint32_t a = 0; a < 2; a++)
            for (uint32_t r = 0; r < side[a].count; r++)
                for (uint32_t b = 0; b < 2; b++)
                    for (uint32_t s = 0; s < side[b].count; s++)
                        pattern->ops->add(pattern, a, side[a].points[r], b, side[b].points[s]);
    }
}

/* d^T J of one point: w d, then of a frame lever x d. */
static void row_of(const ContactEnds *ends, uint32_t side, uint32_t point, uint32_t dim, DvVec3 direction,
                   double row[6])
{
    dv_vec3_store(dv_vec3_scale(direction, ends->side[side].weights[point]), row);
    if (dim > 3)
        dv_vec3_store(dv_vec3_cross(ends->lever[side], direction), row + 3);
}

uint32_t contact_forces_assemble(const ContactForces *self, uint32_t i, uint32_t coupling, DvVec3 direction,
                                 double stiffness, const DvMatrixView *view)
{
    const uint32_t dim[2] = {self->state[0].dof->deriv, self->state[1].dof->deriv};
    const ContactEnds *ends = &self->ends[i];
    const uint32_t points = ends->side[0].count + ends->side[1].count;
    if (stiffness == 0.0)
        return coupling + points * points;
    for (uint32_t a = 0; a < 2; a++)
        for (uint32_t r = 0; r < ends->side[a].count; r++)
            for (uint32_t b = 0; b < 2; b++)
                for (uint32_t s = 0; s < ends->side[b].count; s++, coupling++) {
                    double left[6], right[6], dense[36];
                    row_of(ends, a, r, dim[a], direction, left);
                    row_of(ends, b, s, dim[b], direction, right);
                    for (uint32_t m = 0; m < dim[a]; m++)
                        for (uint32_t n = 0; n < dim[b]; n++)
                            dense[m * dim[b] + n] = left[m] * right[n];
                    dv_view_add(view, coupling, dense, a == b ? stiffness : -stiffness);
                }
    return coupling;
}

uint64_t contact_forces_structure(void *self_)
{
    ContactForces *self = self_;
    contact_forces_heed_edits(self);
    return self->structure;
}

/* Products cost little, a matrix a new structure whenever contacts change. */
void contact_forces_cost(void *self_, double *product, double *assembly)
{
    const ContactForces *self = self_;
    *product = 20.0 * self->count;
    *assembly = 1e5 + 1000.0 * self->count;
}

/* ---- Points that are touched ---- */

static void list_touched(ContactForces *self, int side)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < self->count; i++)
        count += contact_touches(self, i, side);
    if (count > self->touched_room[side]) {
        dv_free(self->touched[side]);
        self->touched_room[side] = 2 * count;
        self->touched[side] = dv_alloc(self->touched_room[side], sizeof(uint32_t));
    }
    uint32_t *points = self->touched[side], end = 0;
    for (uint32_t i = 0; i < self->count; i++)
        for (uint32_t k = 0; k < contact_touches(self, i, side); k++)
            points[end++] = self->ends[i].side[side].points[k];
    self->touched_count[side] = dv_ascending_sort(points, end);
}

static const uint32_t *touched_points(void *self_, uint32_t state, uint32_t *count)
{
    static const uint32_t none[1];
    ContactForces *self = self_;
    contact_forces_heed_edits(self);
    if (self->touched_of != self->structure + 1) {
        list_touched(self, 0);
        list_touched(self, 1);
        self->touched_of = self->structure + 1;
    }
    *count = self->touched_count[state];
    return *count ? self->touched[state] : none;
}

const DvTouchedPointsOps contact_forces_points = {.size = sizeof(DvTouchedPointsOps), .points = touched_points};
