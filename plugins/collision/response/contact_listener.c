/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * ContactListener: the contacts of one model, or of two with each other, as fields that others can link to.
 *
 * They are those of the last detection by the pipeline of its node or above, in the order in which they were found; each is told from
 * the side of the listener's first model, whichever way the pair was found.
 */
#include <divan/contracts/collision.h>
#include <divan/divan.h>

typedef struct ContactListener {
    DvLink model[2]; /* the second may be missing: then with any other */
    DvData count, elements, points, other_points, normals, distances;
} ContactListener;

#define OUTPUT(member, name, type, ...) \
    DV_FIELD(ContactListener, member, name, type, .flags = DV_FIELD_READ_ONLY, __VA_ARGS__)
static const DvField fields[] = {
    DV_LINK(ContactListener, model[0], "collisionModel1", DV_COLLISION_MODEL, .help = "whose contacts are listed"),
    DV_LINK(ContactListener, model[1], "collisionModel2", DV_COLLISION_MODEL, .help = "only those with this model"),
    OUTPUT(count, "numberOfContacts", dv_type_uint, .init = "0", .help = "contacts of the last detection"),
    OUTPUT(elements, "elements", dv_type_vec2is,
           .help = "for each, the element of the first model and that of the other"),
    OUTPUT(points, "points1", dv_type_vec3s, .unit = "m", .help = "for each, the point on the first model"),
    OUTPUT(other_points, "points2", dv_type_vec3s, .unit = "m", .help = "for each, the point on the other"),
    OUTPUT(normals, "normals", dv_type_vec3s, .help = "for each, the direction from the first model to the other"),
    OUTPUT(distances, "distances", dv_type_doubles, .unit = "m",
           .help = "for each, the distance less that at which contact begins"),
    {0},
};

static DvStatus construct(DvObject *object, void *self)
{
    (void)self;
    dv_data_set_bool(dv_object_field(object, "listening"), true);
    return DV_OK;
}

static DvStatus init(DvObject *object, void *self_)
{
    ContactListener *self = self_;
    bool any = false;
    for (int i = 0; i < 2; i++) {
        DvObject *model = dv_link_object(&self->model[i]);
        if (!model)
            continue;
        any = true;
        const DvStatus status = dv_object_require(object, model);
        if (status != DV_OK)
            return status;
    }
    return any ? DV_OK : dv_error(object, DV_ERROR_MISSING, "no model is named; link collisionModel1 to one");
}

/* The side of a pair that is the first model's; -1: the pair is of other models. */
static int side_of(const DvContactList *list, const DvContactPair *pair, const DvObject *first, const DvObject *second)
{
    for (int side = 0; side < 2; side++) {
        const DvObject *here = list->bodies[pair->body[side]].object,
                       *there = list->bodies[pair->body[1 - side]].object;
        if (here == first && (!second || there == second))
            return side;
    }
    return -1;
}

static void store(ContactListener *self, const DvContactList *list, const DvObject *first, const DvObject *second)
{
    uint32_t count = 0;
    for (uint32_t p = 0; p < list->pair_count; p++)
        count += side_of(list, &list->pairs[p], first, second) >= 0 ? list->pairs[p].count : 0;
    dv_data_set_uint(&self->count, count);
    int32_t *elements = dv_data_begin_all(&self->elements, count);
    double *points = dv_data_begin_all(&self->points, count),
           *other_points = dv_data_begin_all(&self->other_points, count);
    double *normals = dv_data_begin_all(&self->normals, count), *distances = dv_data_begin_all(&self->distances, count);
    for (uint32_t p = 0; p < list->pair_count; p++) {
        const DvContactPair *pair = &list->pairs[p];
        const int side = side_of(list, pair, first, second);
        for (uint32_t i = 0; side >= 0 && i < pair->count; i++) {
            const DvContact *contact = &pair->contacts[i];
            *elements++ = (int32_t)contact->element[side];
            *elements++ = (int32_t)contact->element[1 - side];
            for (int axis = 0; axis < 3; axis++) {
                *points++ = contact->point[side][axis];
                *other_points++ = contact->point[1 - side][axis];
                *normals++ = side == 0 ? contact->normal[axis] : -contact->normal[axis];
            }
            *distances++ = contact->gap;
        }
    }
    DvData *written[] = {&self->elements, &self->points, &self->other_points, &self->normals, &self->distances};
    for (size_t i = 0; i < sizeof written / sizeof *written; i++)
        dv_data_end(written[i]);
}

static void handle_event(DvObject *object, void *self_, DvEvent *event)
{
    ContactListener *self = self_;
    if (event->kind != DV_EVENT_COLLISION_END || !dv_object_is_valid(object))
        return;
    DvObject *pipeline = dv_node_find(dv_object_node(object), DV_COLLISION_PIPELINE, DV_SEARCH_UP);
    DvObject *first = dv_link_object(&self->model[0]), *second = dv_link_object(&self->model[1]);
    const DvContactList none = {0};
    const DvCollisionPipelineOps *ops = pipeline ? dv_object_ops(pipeline, DV_COLLISION_PIPELINE) : NULL;
    store(self, ops ? ops->contacts(dv_object_self(pipeline)) : &none, first ? first : second, first ? second : NULL);
}

const DvClass dv_contact_listener = {
    .size = sizeof(DvClass),
    .name = "ContactListener",
    .family = "contact response",
    .module = "Sofa.Component.Collision.Response.Contact",
    .help = "The contacts of a model, or of two with each other, as fields.",
    .instance_size = sizeof(ContactListener),
    .fields = fields,
    .construct = construct,
    .init = init,
    .handle_event = handle_event,
};
