/* SPDX-License-Identifier: MIT
 *
 * HalfSpaceCollisionModel: all that is below a plane, through the point of the state it hangs on; and the routines of contact that
 * spheres and points need to rest on it. The kind is the plugin's own, nothing in Divan knows it.
 */
#include <divan/contracts/collision.h>
#include <divan/divan.h>
#include <divan/math/vec.h>

#include <math.h>
#include <string.h>

#define HALF_SPACES "org.example.half-spaces"
#define FAR_AWAY    1e30 /* m: half the size of the box */

typedef struct HalfSpaceCollisionModel {
    DvData normal, stiffness;
    DvStateRef state;
    DvVec3 up; /* unit; what `more` of the shape points to */
    DvShape shape;
    double lower[3], upper[3];
    DvShapeVersion version;
} HalfSpaceCollisionModel;

static const DvField fields[] = {
    DV_FIELD(HalfSpaceCollisionModel, normal, "normal", dv_type_vec3d, .init = "0 1 0", .help = "leads out of it"),
    DV_FIELD(HalfSpaceCollisionModel, stiffness, "contactStiffness", dv_type_double, .init = "10",
             .help = "of penalty contacts"),
    {0},
};

static DvStatus init(DvObject *object, void *self_)
{
    HalfSpaceCollisionModel *self = self_;
    const DvVec3 normal = dv_vec3_load(dv_data_doubles(&self->normal, NULL));
    if (!(dv_vec3_norm(normal) > 0.0))
        return dv_field_error(&self->normal, -1, "a normal has a length; 0 1 0, say");
    self->up = dv_vec3_normalize(normal);
    self->shape = (DvShape){.kind = HALF_SPACES, .corners = 1, .more = &self->up};
    return dv_state_require(object, NULL, &self->state);
}

static void cleanup(DvObject *object, void *self_)
{
    (void)object;
    HalfSpaceCollisionModel *self = self_;
    dv_state_release(&self->state);
    self->version = (DvShapeVersion){0};
}

static DvObject *state(void *self)
{
    return ((HalfSpaceCollisionModel *)self)->state.object;
}

static void traits(void *self, DvCollisionTraits *traits)
{
    *traits = (DvCollisionTraits){
        .active = true, .stiffness = dv_data_double(&((HalfSpaceCollisionModel *)self)->stiffness), .response = ""};
}

static DvStatus update(void *self_, DvShapeVersion *version)
{
    HalfSpaceCollisionModel *self = self_;
    const DvConstVec x = dv_state_read(self->state, DV_POSITION);
    self->shape.x = x.at;
    self->shape.stride = x.dim;
    self->shape.count = x.count > 0;
    for (int axis = 0; axis < 3; axis++) {
        self->lower[axis] = -FAR_AWAY;
        self->upper[axis] = FAR_AWAY;
    }
    if (self->version.boxes == 0)
        self->version = (DvShapeVersion){.structure = 1, .boxes = 1};
    *version = self->version;
    return DV_OK;
}

static const DvShape *shape(void *self)
{
    return &((HalfSpaceCollisionModel *)self)->shape;
}

static DvBoxes boxes(void *self_)
{
    const HalfSpaceCollisionModel *self = self_;
    return (DvBoxes){.lower = {&self->lower[0], &self->lower[1], &self->lower[2]},
                     .upper = {&self->upper[0], &self->upper[1], &self->upper[2]},
                     .count = self->shape.count};
}

static void attach(void *self, uint32_t element, const double point[3], DvAttachment *attachment)
{
    (void)self, (void)element, (void)point;
    *attachment = (DvAttachment){.count = 1, .weights = {1.0}}; /* as good as any other of the plane */
}

/* Points, or spheres by their centres. */
static void half_spaces_on_points(const DvContactQuery *query, const uint32_t (*pairs)[2], uint32_t count,
                                  DvContactSink *sink)
{
    const DvVec3 up = *(const DvVec3 *)query->a->more, origin = dv_vec3_load(query->a->x);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t point = pairs[i][1];
        const DvVec3 p = dv_vec3_load(query->b->x + (size_t)point * query->b->stride);
        const double height = dv_vec3_dot(up, dv_vec3_sub(p, origin));
        const double radius = query->b->radii ? query->b->radii[point] : 0.0;
        if (!(height - radius < query->alarm))
            continue;
        DvContact *contact = dv_contact_add(sink);
        *contact = (DvContact){.element = {0, point}, .id = point, .gap = height - radius - query->contact};
        dv_vec3_store(dv_vec3_madd(p, -height, up), contact->point[0]);
        dv_vec3_store(p, contact->point[1]);
        dv_vec3_store(up, contact->normal);
    }
}

static DvRoutineAnswer routine(const DvObject *method, const char *a, const char *b, DvContactRoutine *found)
{
    (void)method; /* the same by any method */
    if (strcmp(a, HALF_SPACES) != 0)
        return DV_ROUTINE_NONE;
    if (strcmp(b, DV_SHAPE_LINES) == 0 || strcmp(b, DV_SHAPE_TRIANGLES) == 0)
        return DV_ROUTINE_IGNORED; /* their points do */
    if (strcmp(b, DV_SHAPE_POINTS) != 0 && strcmp(b, DV_SHAPE_SPHERES) != 0)
        return DV_ROUTINE_NONE;
    *found = half_spaces_on_points;
    return DV_ROUTINE_FOUND;
}

static const DvCollisionModelOps ops = {.size = sizeof ops,
                                        .state = state,
                                        .traits = traits,
                                        .update = update,
                                        .shape = shape,
                                        .boxes = boxes,
                                        .attach = attach};

static const DvClass half_space = {
    .size = sizeof(DvClass),
    .name = "HalfSpaceCollisionModel",
    .variants = "Vec3d",
    .family = "collision models",
    .help = "All that is below a plane.",
    .instance_size = sizeof(HalfSpaceCollisionModel),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_COLLISION_MODEL, .ops = &ops}, {0}},
    .init = init,
    .cleanup = cleanup,
};

static const DvContactRoutinesOps routines = {.size = sizeof routines, .routine = routine};

DV_PLUGIN = {
    .size = sizeof(DvPlugin),
    .abi = DV_ABI_STAMP,
    .id = "example.half-space",
    .version = "1.0",
    .license = "MIT",
    .help = "A collision model made outside Divan's tree, with routines of contact of its own.",
    .offers = (const DvContract[]){{.id = DV_CONTACT_ROUTINES, .ops = &routines}, {0}},
    .classes = (const DvClass *const[]){&half_space, NULL},
};
