/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a ray from the camera meets.
 *
 *   ray and triangle   Moeller and Trumbore, Fast minimum storage ray/triangle intersection, 1997; from both sides
 */
#include "pick.h"
#include "states.h"

#include <math.h>
#include <string.h>

#include <divan/contracts/collision.h>
#include <divan/contracts/solver.h>
#include <divan/math/vec.h>

bool pick_meets_triangle(const Ray *ray, const double *a, const double *b, const double *c, double *depth)
{
    const DvVec3 origin = dv_vec3_load(ray->origin), along = dv_vec3_load(ray->direction), p = dv_vec3_load(a);
    const DvVec3 e1 = dv_vec3_sub(dv_vec3_load(b), p), e2 = dv_vec3_sub(dv_vec3_load(c), p);
    const DvVec3 h = dv_vec3_cross(along, e2);
    const double volume = dv_vec3_dot(e1, h);
    if (volume == 0)
        return false;
    const DvVec3 s = dv_vec3_sub(origin, p), q = dv_vec3_cross(s, e1);
    const double u = dv_vec3_dot(s, h) / volume, v = dv_vec3_dot(along, q) / volume;
    *depth = dv_vec3_dot(e2, q) / volume;
    return u >= 0 && v >= 0 && u + v <= 1 && *depth >= 0;
}

bool pick_meets_sphere(const Ray *ray, const double *centre, double radius, double *depth)
{
    const DvVec3 to = dv_vec3_sub(dv_vec3_load(centre), dv_vec3_load(ray->origin));
    const double along = dv_vec3_dot(to, dv_vec3_load(ray->direction));
    const double inside = radius * radius - (dv_vec3_dot(to, to) - along * along);
    if (inside < 0)
        return false;
    *depth = along - sqrt(inside);
    return *depth >= 0;
}

static const double *corner(const DvShape *shape, uint32_t element, uint32_t k)
{
    const size_t place = (size_t)element * shape->corners + k;
    return shape->x + (size_t)(shape->vertices ? shape->vertices[place] : element) * shape->stride;
}

static bool meet_element(const DvShape *shape, uint32_t element, const Ray *ray, double *depth)
{
    if (strcmp(shape->kind, DV_SHAPE_SPHERES) == 0 || strcmp(shape->kind, DV_SHAPE_RIGID_SPHERES) == 0)
        return pick_meets_sphere(ray, corner(shape, element, 0), shape->radii ? shape->radii[element] : 0, depth);
    static const uint32_t faces[4][3] = {{0, 1, 2}, {0, 1, 3}, {0, 2, 3}, {1, 2, 3}};
    const bool solid = strcmp(shape->kind, DV_SHAPE_TETRAHEDRA) == 0;
    if (!solid && strcmp(shape->kind, DV_SHAPE_TRIANGLES) != 0)
        return false;
    *depth = INFINITY;
    for (int f = 0; f < (solid ? 4 : 1); f++) {
        double there;
        if (pick_meets_triangle(ray, corner(shape, element, faces[f][0]), corner(shape, element, faces[f][1]),
                                corner(shape, element, faces[f][2]), &there))
            *depth = fmin(*depth, there);
    }
    return *depth < INFINITY;
}

void pick_point(const Ray *ray, double depth, double at[3])
{
    for (int c = 0; c < 3; c++)
        at[c] = ray->origin[c] + depth * ray->direction[c];
}

static void meet_model(DvObject *object, const Ray *ray, Hit *hit)
{
    const DvCollisionModelOps *ops = dv_object_ops(object, DV_COLLISION_MODEL);
    void *self = dv_object_self(object);
    DvObject *state = dv_object_is_valid(object) ? ops->state(self) : NULL;
    DvCollisionTraits traits = {0};
    DvShapeVersion version;
    if (!state)
        return;
    ops->traits(self, &traits);
    if (!traits.active || !traits.simulated || ops->update(self, &version) != DV_OK)
        return;
    const DvShape *shape = ops->shape(self);
    for (uint32_t e = 0; shape && e < shape->count; e++) {
        double depth;
        if (!meet_element(shape, e, ray, &depth) || (hit->state && depth >= hit->depth))
            continue;
        *hit = (Hit){.state = state, .model = object, .element = e, .depth = depth};
    }
}

/* The points of the element that move with the place. */
static void attach(Hit *hit, const Ray *ray)
{
    const DvCollisionModelOps *ops = dv_object_ops(hit->model, DV_COLLISION_MODEL);
    DvAttachment attachment = {0};
    pick_point(ray, hit->depth, hit->at);
    ops->attach(dv_object_self(hit->model), hit->element, hit->at, &attachment);
    hit->count = attachment.count;
    memcpy(hit->points, attachment.points, sizeof hit->points);
    memcpy(hit->weights, attachment.weights, sizeof hit->weights);
    memcpy(hit->lever, attachment.lever, sizeof hit->lever);
}

bool pick_is_kind(DvStateRef state, const char *name)
{
    return strcmp(state.dof->name, name) == 0;
}

/* Whether a solver moves it, and it has places in space. */
static bool has_particles(DvObject *object)
{
    static char *words[] = {"!NoPicking"};
    const DvStateRef state = dv_state_ref(object);
    return (pick_is_kind(state, "Vec3d") || pick_is_kind(state, "Rigid3d")) && dv_object_is_valid(object) &&
           dv_object_has_tags(object, (DvTags){words, 1}) && dv_node_context(dv_object_node(object), DV_ODE_SOLVER);
}

static void meet_particles(DvObject *object, const Ray *ray, Hit *hit, double *nearest)
{
    const DvConstVec x = dv_state_read(dv_state_ref(object), DV_POSITION);
    for (uint32_t i = 0; i < x.count; i++) {
        const double *at = x.at + (size_t)i * x.dim;
        const DvVec3 to = dv_vec3_sub(dv_vec3_load(at), dv_vec3_load(ray->origin));
        const double depth = dv_vec3_dot(to, dv_vec3_load(ray->direction));
        const double distance = fmax(dv_vec3_dot(to, to) - depth * depth, 0);
        if (depth < 0 || (hit->state && (distance > *nearest || (distance == *nearest && depth >= hit->depth))))
            continue;
        *nearest = distance;
        *hit = (Hit){.state = object, .count = 1, .points = {i}, .weights = {1}, .depth = depth};
        memcpy(hit->at, at, sizeof hit->at);
    }
}

GPtrArray *pick_all(DvNode *root, const char *contract)
{
    GPtrArray *objects = g_ptr_array_new();
    const size_t count = dv_node_find_all(root, contract, DV_SEARCH_DOWN, NULL, 0);
    g_ptr_array_set_size(objects, (int)count);
    (void)dv_node_find_all(root, contract, DV_SEARCH_DOWN, (DvObject **)objects->pdata, count);
    return objects;
}

bool pick(DvScene *scene, const Ray *ray, Hit *hit)
{
    *hit = (Hit){0};
    GPtrArray *models = pick_all(dv_scene_root(scene), DV_COLLISION_MODEL);
    for (guint i = 0; i < models->len; i++)
        meet_model(g_ptr_array_index(models, i), ray, hit);
    g_ptr_array_unref(models);
    if (hit->state) {
        attach(hit, ray);
        return true;
    }
    double nearest = INFINITY;
    GPtrArray *states = host_states(scene);
    for (guint i = 0; i < states->len; i++)
        if (has_particles(g_ptr_array_index(states, i)))
            meet_particles(g_ptr_array_index(states, i), ray, hit, &nearest);
    g_ptr_array_unref(states);
    return hit->state != NULL;
}

/* The mesh of a state without a collision model */

/* Faces of elements as triangles, those of volumes all around. */
static const uint32_t of_triangle[][3] = {{0, 1, 2}}, of_quad[][3] = {{0, 1, 2}, {0, 2, 3}},
                      of_tetrahedron[][3] = {{0, 1, 2}, {0, 1, 3}, {0, 2, 3}, {1, 2, 3}},
                      of_hexahedron[][3] = {{0, 1, 2}, {0, 2, 3}, {4, 5, 6}, {4, 6, 7}, {0, 1, 5}, {0, 5, 4},
                                            {1, 2, 6}, {1, 6, 5}, {2, 3, 7}, {2, 7, 6}, {3, 0, 4}, {3, 4, 7}};

typedef struct MeshFaces {
    DvElementKind kind;
    uint32_t count;
    const uint32_t (*corners)[3];
} MeshFaces;

/* Volumes first: faces of theirs are none of their own. */
static const MeshFaces mesh_faces[] = {{DV_TETRAHEDRA, G_N_ELEMENTS(of_tetrahedron), of_tetrahedron},
                                       {DV_HEXAHEDRA, G_N_ELEMENTS(of_hexahedron), of_hexahedron},
                                       {DV_TRIANGLES, G_N_ELEMENTS(of_triangle), of_triangle},
                                       {DV_QUADS, G_N_ELEMENTS(of_quad), of_quad}};

static double depth_of_element(const MeshFaces *faces, const uint32_t *nodes, DvConstVec x, const Ray *ray)
{
    double least = INFINITY;
    for (uint32_t f = 0; f < faces->count; f++) {
        const double *at[3];
        double depth;
        for (int k = 0; k < 3; k++) {
            const uint32_t point = nodes[faces->corners[f][k]];
            if (point >= x.count)
                return INFINITY;
            at[k] = x.at + (size_t)point * x.dim;
        }
        if (pick_meets_triangle(ray, at[0], at[1], at[2], &depth))
            least = fmin(least, depth);
    }
    return least;
}

static DvObject *element_on_ray(DvObject *state, const Ray *ray, DvElementKind *kind, uint32_t *element,
                                double *depth_of_it)
{
    DvObject *topology = dv_node_context(dv_object_node(state), DV_TOPOLOGY);
    const DvTopologyOps *ops = topology ? dv_object_ops(topology, DV_TOPOLOGY) : NULL;
    const DvConstVec x = dv_state_read(dv_state_ref(state), DV_POSITION);
    double nearest = INFINITY;
    for (size_t i = 0; ops && x.dim == 3 && nearest == INFINITY && i < G_N_ELEMENTS(mesh_faces); i++) {
        const DvElements elements = ops->elements(dv_object_self(topology), mesh_faces[i].kind);
        for (uint32_t e = 0; e < elements.count; e++) {
            const double depth = depth_of_element(
                &mesh_faces[i], elements.at + (size_t)e * dv_element_nodes(mesh_faces[i].kind), x, ray);
            if (depth >= nearest)
                continue;
            nearest = depth;
            *kind = mesh_faces[i].kind;
            *element = e;
        }
    }
    *depth_of_it = nearest;
    return nearest < INFINITY ? topology : NULL;
}

DvObject *pick_element(DvObject *state, const Ray *ray, DvElementKind *kind, uint32_t *element)
{
    double depth;
    return element_on_ray(state, ray, kind, element, &depth);
}

DvObject *pick_state(DvScene *scene, const Ray *ray, double slope)
{
    Hit hit = {0};
    DvObject *found = NULL;
    double nearest = INFINITY;
    if (!pick(scene, ray, &hit))
        return NULL;
    if (hit.model) {
        found = hit.state;
        nearest = hit.depth;
    }
    GPtrArray *states = host_states(scene);
    for (guint i = 0; i < states->len; i++) {
        DvObject *state = g_ptr_array_index(states, i);
        DvElementKind kind;
        uint32_t element;
        double depth;
        if (!has_particles(state) || !element_on_ray(state, ray, &kind, &element, &depth) || depth >= nearest)
            continue;
        found = state;
        nearest = depth;
    }
    g_ptr_array_unref(states);
    if (found || hit.model)
        return found;
    double on_ray[3];
    pick_point(ray, hit.depth, on_ray);
    const double apart = dv_vec3_distance(dv_vec3_load(on_ray), dv_vec3_load(hit.at));
    return apart <= slope * hit.depth ? hit.state : NULL;
}
