/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Pulling, fixing, removing and cutting.
 *
 *   spring             points i of the element, with weights w_i of the place that was met, are each pulled by a spring of stiffness k w_i to
 *                      the target plus their own offset: together k (target - place), since the weighted offsets have no sum
 *   rigid bodies       the place is a point of its own, fixed to the body by a RigidMapping
 *   cut                the blade is the ray, from in front of the scene to behind it; its path is that of the mouse
 */
#include "hand.h"
#include "pick.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <divan/contracts/collision.h>
#include <divan/contracts/cutting.h>
#include <divan/contracts/lagrangian_constraint.h>
#include <divan/contracts/solver.h>
#include <divan/contracts/visual.h>
#include <divan/math/quat.h>
#include <divan/math/vec.h>
#include <divan/plugin.h>

#define TARGET_NODE   "Mouse"
#define FIXATION_NODE "Fixation"

static const double fix_stiffness = 10000; /* N/m, all springs of a fixation together */

/* What is held */

struct Hand {
    GrabMode mode;
    bool active;
    double depth, stiffness;
    double wanted[3];   /* m: where the mouse wants the place */
    DvNode *node;       /* of the target */
    DvObject *target;   /* a state */
    DvNode *point_node; /* of a point of a rigid body; or NULL */
    DvObject *bond;     /* spring or constraint */
    DvStateRef held;    /* the state that is pulled */
    uint32_t count, points[8];
    double weights[8], offsets[8][3];
    GPtrArray *fixations; /* DvObject: nodes and springs that stay */
    GArray *blade;        /* double: sections of a cut */
    DvObject *cut;        /* the topology */
    char *what;
};

Hand *hand_new(void)
{
    Hand *hand = g_new0(Hand, 1);
    hand->fixations = g_ptr_array_new();
    hand->blade = g_array_new(FALSE, FALSE, sizeof(double));
    return hand;
}

void hand_free(Hand *hand)
{
    hand_forget(hand);
    g_ptr_array_unref(hand->fixations);
    g_array_free(hand->blade, TRUE);
    g_free(hand);
}

static void let_go(Hand *hand)
{
    hand->active = false;
    hand->node = hand->point_node = NULL;
    hand->target = hand->bond = hand->cut = NULL;
    hand->held = (DvStateRef){0};
    g_array_set_size(hand->blade, 0);
    g_clear_pointer(&hand->what, g_free);
}

void hand_forget(Hand *hand)
{
    let_go(hand);
    g_ptr_array_set_size(hand->fixations, 0);
}

static void remove_object(DvObject *object)
{
    DvNode *node = dv_object_as_node(object);
    if (node)
        dv_node_remove(node);
    else
        dv_object_remove(object);
}

static void place_of_point(const Hand *hand, double at[3])
{
    const DvConstVec x = dv_state_read(hand->held, DV_POSITION);
    memset(at, 0, 3 * sizeof *at);
    for (uint32_t i = 0; i < hand->count; i++)
        for (int c = 0; hand->points[i] < x.count && c < 3; c++)
            at[c] += hand->weights[i] * x.at[(size_t)hand->points[i] * x.dim + (size_t)c];
}

static char *link_to(const DvObject *object)
{
    DvText path = {0};
    dv_object_link_path(object, &path);
    char *link = g_strdup(path.at);
    dv_text_free(&path);
    return link;
}

static void add_vec3(GString *text, const double *at)
{
    for (int c = 0; c < 3; c++) {
        DvText number = {0};
        dv_text_add_double(&number, at[c]);
        g_string_append_printf(text, "%s ", number.at);
        dv_text_free(&number);
    }
}

/* The target: as many points as are held, of a node of its own whose solver, if there is one above, cannot move it. */
static DvStatus make_target(Hand *hand, DvScene *scene, const char *name, const double at[3], DvNode **node,
                            DvObject **target)
{
    GString *positions = g_string_new(NULL);
    for (uint32_t i = 0; i < hand->count; i++) {
        const double place[3] = {at[0] + hand->offsets[i][0], at[1] + hand->offsets[i][1], at[2] + hand->offsets[i][2]};
        add_vec3(positions, place);
    }
    *node = dv_node_new(dv_scene_root(scene), name);
    DvStatus status = *node ? DV_OK : DV_ERROR_BUSY;
    if (status == DV_OK) {
        dv_object_set_transient(dv_node_object(*node), true);
        status = dv_object_new(*node, "MechanicalObject", target, "name", "target", "template", "Vec3d", "position",
                               positions->str, "tags", "NoPicking", NULL);
    }
    if (status == DV_OK)
        status = dv_object_new(*node, "UniformMass", NULL, "totalMass", "1", NULL);
    if (status == DV_OK)
        status = dv_object_new(*node, "FixedProjectiveConstraint", NULL, "fixAll", "1", NULL);
    g_string_free(positions, TRUE);
    return status;
}

/* Springs from the points that are held to those of the target. */
static DvStatus make_springs(const Hand *hand, DvObject *target, double stiffness, DvObject **springs)
{
    GString *points = g_string_new(NULL), *external = g_string_new(NULL), *strength = g_string_new(NULL);
    for (uint32_t i = 0; i < hand->count; i++) {
        DvText number = {0};
        dv_text_add_double(&number, stiffness * hand->weights[i]);
        g_string_append_printf(points, "%u ", hand->points[i]);
        g_string_append_printf(external, "%u ", i);
        g_string_append_printf(strength, "%s ", number.at);
        dv_text_free(&number);
    }
    char *state = link_to(hand->held.object), *other = link_to(target);
    const DvStatus status =
        dv_object_new(dv_object_node(hand->held.object), "RestShapeSpringsForceField", springs, "name", "mouse",
                      "mstate", state, "points", points->str, "external_points", external->str, "external_rest_shape",
                      other, "stiffness", strength->str, NULL);
    if (status == DV_OK)
        dv_object_set_transient(*springs, true);
    g_free(state);
    g_free(other);
    g_string_free(points, TRUE);
    g_string_free(external, TRUE);
    g_string_free(strength, TRUE);
    return status;
}

/* The points that are held all stay with those of the target, which no constraint correction moves. */
static DvStatus make_constraint(const Hand *hand, DvScene *scene, DvObject **constraint)
{
    GString *points = g_string_new(NULL), *external = g_string_new(NULL);
    for (uint32_t i = 0; i < hand->count; i++) {
        g_string_append_printf(points, "%u ", hand->points[i]);
        g_string_append_printf(external, "%u ", i);
    }
    char *state = link_to(hand->held.object), *other = link_to(hand->target);
    DvStatus status = DV_OK;
    const DvObject *solver = dv_node_find(dv_scene_root(scene), DV_CONSTRAINT_SOLVER, DV_SEARCH_DOWN);
    if (solver &&
        !(dv_constraint_solver_laws(dv_object_ops(solver, DV_CONSTRAINT_SOLVER)) & dv_law_bit(DV_LAW_BILATERAL)))
        status = dv_error(
            hand->held.object, DV_ERROR_UNSUPPORTED,
            "cannot be pulled by a constraint: %s '%s' does not solve for equalities; pull by a spring, or take "
            "a BlockGaussSeidelConstraintSolver",
            dv_object_class(solver)->name, dv_object_name(solver));
    if (!solver)
        status = dv_error(hand->held.object, DV_ERROR_MISSING,
                          "cannot be pulled by a constraint: the scene has no constraint solver; pull by a spring, or "
                          "add a FreeMotionAnimationLoop and a BlockGaussSeidelConstraintSolver");
    if (status == DV_OK)
        status = dv_object_new(hand->node, "BilateralLagrangianConstraint", constraint, "object1", state, "object2",
                               other, "first_point", points->str, "second_point", external->str, NULL);
    g_free(state);
    g_free(other);
    g_string_free(points, TRUE);
    g_string_free(external, TRUE);
    return status;
}

/* Of a rigid body: a point of its own at the place that was met. */
static DvStatus hold_rigid(Hand *hand, const Hit *hit)
{
    DvObject *point = NULL, *mapping = NULL;
    GString *lever = g_string_new(NULL), *body = g_string_new(NULL);
    add_vec3(lever, hit->lever);
    g_string_append_printf(body, "%u", hit->points[0]);
    char *input = link_to(hit->state);
    hand->point_node = dv_node_new(dv_object_node(hit->state), TARGET_NODE);
    DvStatus status = hand->point_node ? DV_OK : DV_ERROR_BUSY;
    if (status == DV_OK) {
        dv_object_set_transient(dv_node_object(hand->point_node), true);
        status = dv_object_new(hand->point_node, "MechanicalObject", &point, "name", "point", "template", "Vec3d",
                               "position", lever->str, "tags", "NoPicking", NULL);
    }
    if (status == DV_OK)
        status = dv_object_new(hand->point_node, "RigidMapping", &mapping, "input", input, "index", body->str, NULL);
    if (status == DV_OK) {
        hand->held = dv_state_ref(point);
        hand->count = 1;
        hand->points[0] = 0;
        hand->weights[0] = 1;
    }
    g_free(input);
    g_string_free(lever, TRUE);
    g_string_free(body, TRUE);
    return status;
}

static DvStatus hold(Hand *hand, const Hit *hit)
{
    hand->held = dv_state_ref(hit->state);
    hand->count = hit->count;
    memcpy(hand->points, hit->points, sizeof hand->points);
    memcpy(hand->weights, hit->weights, sizeof hand->weights);
    memset(hand->offsets, 0, sizeof hand->offsets);
    hand->what = g_strdup_printf("%s, point %u", dv_object_path(hit->state), hit->points[0]);
    if (pick_is_kind(hand->held, "Rigid3d"))
        return hold_rigid(hand, hit);
    if (!pick_is_kind(hand->held, "Vec3d"))
        return dv_error(hit->state, DV_ERROR_UNSUPPORTED, "points of %s cannot be held by the mouse",
                        hand->held.dof->name);
    double at[3];
    place_of_point(hand, at);
    const DvConstVec x = dv_state_read(hand->held, DV_POSITION);
    for (uint32_t i = 0; i < hand->count; i++)
        for (int c = 0; c < 3; c++)
            hand->offsets[i][c] = x.at[(size_t)hand->points[i] * x.dim + (size_t)c] - at[c];
    return DV_OK;
}

static DvStatus pull(Hand *hand, DvScene *scene, const Hit *hit)
{
    DvStatus status = hold(hand, hit);
    if (status == DV_OK)
        status = make_target(hand, scene, TARGET_NODE, hit->at, &hand->node, &hand->target);
    if (status != DV_OK)
        return status;
    return hand->mode == GRAB_CONSTRAINT ? make_constraint(hand, scene, &hand->bond)
                                         : make_springs(hand, hand->target, hand->stiffness, &hand->bond);
}

/* What stays until the scene is reset. */
static DvStatus fix(Hand *hand, DvScene *scene, const Hit *hit)
{
    DvNode *node = NULL;
    DvObject *target = NULL, *springs = NULL;
    double at[3];
    DvStatus status = hold(hand, hit);
    if (hand->point_node)
        g_ptr_array_add(hand->fixations, dv_node_object(hand->point_node));
    place_of_point(hand, at);
    if (status == DV_OK)
        status = make_target(hand, scene, FIXATION_NODE, at, &node, &target);
    if (node)
        g_ptr_array_add(hand->fixations, dv_node_object(node));
    if (status == DV_OK)
        status = make_springs(hand, target, fix_stiffness, &springs);
    if (springs && !hand->point_node) /* else it goes with the node */
        g_ptr_array_add(hand->fixations, springs);
    let_go(hand);
    return status;
}

/* Elements */

/* What a face of a volume is the face of. */
static void go_behind(DvObject *topology, DvElementKind *kind, uint32_t *element)
{
    const DvElementKind above = *kind == DV_TRIANGLES ? DV_TETRAHEDRA : DV_HEXAHEDRA;
    if (*kind != DV_TRIANGLES && *kind != DV_QUADS)
        return;
    const DvTopologyOps *ops = dv_object_ops(topology, DV_TOPOLOGY);
    const DvAdjacency around = ops->adjacency(dv_object_self(topology), *kind, above);
    if (*element >= around.count || around.begin[*element] == around.end[*element])
        return;
    *kind = above;
    *element = around.items[around.begin[*element]];
}

/* The topology of what was met, and the element there: collision models number triangles first, then the halves of quads. */
static DvObject *met_topology(const Hit *hit, DvElementKind *kind, uint32_t *element)
{
    DvObject *topology = hit->model ? dv_node_context(dv_object_node(hit->model), DV_TOPOLOGY) : NULL;
    const DvTopologyOps *ops = topology ? dv_object_ops(topology, DV_TOPOLOGY) : NULL;
    const uint32_t triangles = ops ? ops->elements(dv_object_self(topology), DV_TRIANGLES).count : 0;
    if (ops && *kind == DV_TRIANGLES && *element >= triangles) {
        *kind = DV_QUADS;
        *element = (*element - triangles) / 2;
    }
    if (topology)
        go_behind(topology, kind, element);
    return topology;
}

/* As deep as mappings of topologies lead: a triangle of the border of a volume is a face of it, and stands for the tetrahedron there. */
static DvObject *source_of(DvScene *scene, const Hit *hit, DvElementKind *kind, uint32_t *element)
{
    DvObject *topology = met_topology(hit, kind, element);
    GPtrArray *mappings = pick_all(dv_scene_root(scene), DV_TOPOLOGICAL_MAPPING);
    for (guint round = 0, i = 0; topology && round < mappings->len && i < mappings->len;) {
        DvObject *mapping = g_ptr_array_index(mappings, i++);
        const DvTopologicalMappingOps *ops = dv_object_ops(mapping, DV_TOPOLOGICAL_MAPPING);
        void *self = dv_object_self(mapping);
        DvElementKind above;
        uint32_t number;
        DvNode *node =
            dv_object_is_valid(mapping) && ops->output(self) == topology ? dv_object_node(ops->input(self)) : NULL;
        if (!node || !dv_node_find(node, DV_TOPOLOGY_MODIFIER, DV_SEARCH_LOCAL) ||
            !ops->source(self, *kind, *element, &above, &number))
            continue;
        topology = ops->input(self);
        *kind = above, *element = number;
        go_behind(topology, kind, element);
        round++, i = 0;
    }
    g_ptr_array_unref(mappings);
    return topology;
}

static DvElementKind kind_of(const Hit *hit)
{
    const DvCollisionModelOps *ops = hit->model ? dv_object_ops(hit->model, DV_COLLISION_MODEL) : NULL;
    const DvShape *shape = ops ? ops->shape(dv_object_self(hit->model)) : NULL;
    if (!shape || strcmp(shape->kind, DV_SHAPE_TRIANGLES) == 0)
        return DV_TRIANGLES;
    return strcmp(shape->kind, DV_SHAPE_TETRAHEDRA) == 0 ? DV_TETRAHEDRA : DV_POINTS;
}

static DvStatus remove_element(DvScene *scene, const Hit *hit, const Ray *ray)
{
    DvElementKind kind = kind_of(hit);
    uint32_t element = hit->element;
    DvObject *topology =
        hit->model ? source_of(scene, hit, &kind, &element) : pick_element(hit->state, ray, &kind, &element);
    DvObject *changes = topology ? dv_node_find(dv_object_node(topology), DV_TOPOLOGY_MODIFIER, DV_SEARCH_LOCAL) : NULL;
    const DvTopologyModifierOps *ops = changes ? dv_object_ops(changes, DV_TOPOLOGY_MODIFIER) : NULL;
    if (!topology && !hit->model && dv_node_context(dv_object_node(hit->state), DV_TOPOLOGY))
        return dv_error(hit->state, DV_ERROR_NOT_FOUND, "no element of its mesh is there to be removed");
    if (!ops || kind == DV_POINTS)
        return dv_error(hit->model ? hit->model : hit->state, DV_ERROR_MISSING,
                        "its elements cannot be removed: that takes a mesh with a modifier "
                        "(TetrahedronSetTopologyModifier...)");
    return ops->remove_elements(dv_object_self(changes), kind, 1, &element, true);
}

static DvStatus begin_cut(Hand *hand, DvScene *scene, const Hit *hit)
{
    DvElementKind kind = kind_of(hit);
    uint32_t element = hit->element;
    hand->cut =
        hit->model ? source_of(scene, hit, &kind, &element) : dv_node_context(dv_object_node(hit->state), DV_TOPOLOGY);
    if (!dv_service(DV_CUTTING))
        return dv_error(hit->state, DV_ERROR_MISSING, "cannot be cut: no plugin cuts; divan.topology does");
    if (!hand->cut || !dv_node_find(dv_object_node(hand->cut), DV_TOPOLOGY_MODIFIER, DV_SEARCH_LOCAL))
        return dv_error(hit->state, DV_ERROR_MISSING,
                        "cannot be cut: its mesh has no modifier (TetrahedronSetTopologyModifier...)");
    hand->what = g_strdup(dv_object_path(hand->cut));
    return DV_OK;
}

/* Where the points to be cut are: of the state above the mesh, or else its own. */
static const double *points_to_cut(const Hand *hand, uint32_t *count)
{
    const DvTopologyOps *ops = dv_object_ops(hand->cut, DV_TOPOLOGY);
    const DvStateRef state = dv_state_ref(dv_node_context(dv_object_node(hand->cut), DV_STATE));
    *count = ops->point_count(dv_object_self(hand->cut));
    if (!state.ops)
        return ops->positions(dv_object_self(hand->cut));
    const DvConstVec x = dv_state_read(state, DV_POSITION);
    *count = x.dim == 3 ? x.count : 0;
    return x.at;
}

/* The ray as an edge of a blade, to behind all that is to be cut. What is published of the scene, as its bounds, is of no use here: when
 * that is brought up to date depends on the clock. */
static void add_section(Hand *hand, const Ray *ray)
{
    uint32_t count = 0;
    const double *x = points_to_cut(hand, &count);
    const DvVec3 origin = dv_vec3_load(ray->origin), direction = dv_vec3_load(ray->direction);
    double most = hand->depth;
    for (uint32_t i = 0; x && i < count; i++)
        most = fmax(most, dv_vec3_dot(dv_vec3_sub(dv_vec3_load(x + 3 * (size_t)i), origin), direction));
    double ends[6];
    pick_point(ray, 0, ends);
    pick_point(ray, 1.1 * most, ends + 3);
    g_array_append_vals(hand->blade, ends, 6);
}

static void end_cut(const Hand *hand)
{
    const DvCuttingOps *cutting = dv_service(DV_CUTTING);
    const DvBlade blade = {(const double *)(void *)hand->blade->data, hand->blade->len / 6, dv_blade_snap};
    DvCut cut = {0};
    if (blade.count >= 2 && dv_object_node(hand->cut) && cutting->cut(hand->cut, &blade, &cut) == DV_OK)
        dv_log(DV_LEVEL_INFO, "%u elements cut into %u, %u new points", cut.cut, cut.pieces, cut.points);
}

/* Hands */

bool hand_grab(Hand *hand, DvScene *scene, GrabMode mode, const Ray *ray, double stiffness)
{
    Hit hit;
    hand_release(hand, scene);
    if (!pick(scene, ray, &hit))
        return false;
    hand->mode = mode;
    hand->depth = hit.depth;
    hand->stiffness = stiffness;
    memcpy(hand->wanted, hit.at, sizeof hit.at);
    DvStatus status = DV_ERROR_INVALID;
    switch (mode) {
    case GRAB_SPRING:
    case GRAB_CONSTRAINT:
        status = pull(hand, scene, &hit);
        break;
    case GRAB_FIX:
        return fix(hand, scene, &hit) == DV_OK;
    case GRAB_REMOVE:
        return remove_element(scene, &hit, ray) == DV_OK;
    case GRAB_CUT:
        status = begin_cut(hand, scene, &hit);
        if (status == DV_OK)
            add_section(hand, ray);
        break;
    case GRAB_MODES:
        break;
    }
    hand->active = true;
    if (status != DV_OK)
        hand_release(hand, scene);
    return status == DV_OK;
}

void hand_drag(Hand *hand, DvScene *scene, const Ray *ray)
{
    if (!hand->active)
        return;
    pick_point(ray, hand->depth, hand->wanted);
    if (hand->mode == GRAB_CUT) {
        add_section(hand, ray);
        return;
    }
    double positions[8 * 3];
    for (uint32_t i = 0; i < hand->count; i++)
        for (int c = 0; c < 3; c++)
            positions[3 * i + (uint32_t)c] = hand->wanted[c] + hand->offsets[i][c];
    if (dv_state_set(hand->target, DV_POSITION, positions, 3 * (size_t)hand->count) != DV_OK)
        hand_release(hand, scene);
}

void hand_release(Hand *hand, DvScene *scene)
{
    (void)scene;
    if (hand->active && hand->mode == GRAB_CUT && hand->cut)
        end_cut(hand);
    if (hand->bond)
        remove_object(hand->bond);
    if (hand->node)
        dv_node_remove(hand->node);
    if (hand->point_node)
        dv_node_remove(hand->point_node);
    let_go(hand);
}

void hand_reset(Hand *hand, DvScene *scene)
{
    hand_release(hand, scene);
    for (guint i = hand->fixations->len; i-- > 0;)
        remove_object(g_ptr_array_index(hand->fixations, i));
    g_ptr_array_set_size(hand->fixations, 0);
}

void hand_view(const Hand *hand, GrabView *view)
{
    *view = (GrabView){.active = hand->active};
    if (!hand->active)
        return;
    view->what = g_strdup(hand->what);
    memcpy(view->to, hand->wanted, sizeof view->to);
    memcpy(view->from, hand->wanted, sizeof view->from);
    if (hand->mode == GRAB_CUT)
        return;
    place_of_point(hand, view->from);
    view->force = hand->mode == GRAB_SPRING
                      ? hand->stiffness * dv_vec3_distance(dv_vec3_load(view->from), dv_vec3_load(view->to))
                      : 0;
}
