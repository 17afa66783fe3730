/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Mechanics that follow edits of the graph are those compiled from nothing, bit for bit; what an edit does not touch is not asked
 * again; and edits that repeat allocate nothing.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <divan/contracts/mechanical_operations.h>
#include <divan/contracts/solver.h>
#include <divan/memory.h>
#include <divan/plugin.h>

#include "block_count.h"
#include "bodies.h"
#include "scene_text.h"
#include "share.h"

static const DvStep step = {.time = 0.0, .dt = 0.01, .position = DV_POSITION, .velocity = DV_VELOCITY};

static uint32_t random_state;

static uint32_t random_below(uint32_t n)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (uint32_t)(((uint64_t)random_state * n) >> 32);
}

static double random_number(void)
{
    return (double)random_below(2000001) / 1000000.0 - 1.0;
}

static DvObject *make(DvNode *node, const char *class_name, const char *name, const char *value)
{
    DvObject *object = NULL;
    (void)!dv_object_new(node, class_name, &object, name, value, NULL);
    return object;
}

/* ---- The same as fresh ---- */

typedef struct Results {
    size_t unknowns;
    double *force, *product, dot;
    bool prefers[4];
} Results;

static const DvFactors factors = {.m = 1.25, .b = -0.01, .k = -0.0001};

static Results results_of(const DvMechanicalOperationsOps *ops, DvMechanics *m)
{
    Results r = {.unknowns = ops->unknowns(m)};
    r.force = calloc(r.unknowns + 1, sizeof(double));
    r.product = calloc(r.unknowns + 1, sizeof(double));
    const DvVecId d = ops->allocate(m, DV_DERIVS), q = ops->allocate(m, DV_DERIVS);
    ops->propagate_position(m, &step, DV_POSITION);
    ops->propagate_velocity(m, &step, DV_VELOCITY);
    ops->compute_force(m, &step, DV_FORCE, DV_WALK_WHOLE);
    ops->gather(m, r.force, DV_FORCE);
    ops->scatter(m, d, r.force);
    ops->project_response(m, &step, d, DV_WALK_VISITOR);
    ops->clear(m, q);
    ops->add_mbk(m, &step, factors, q, d, DV_WALK_VISITOR);
    ops->project_response(m, &step, q, DV_WALK_VISITOR);
    ops->gather(m, r.product, q);
    r.dot = ops->dot(m, d, q);
    static const uint32_t products[] = {1, 5, 25, 200};
    for (size_t i = 0; i < 4; i++)
        r.prefers[i] = ops->prefers_assembled(m, products[i]);
    ops->release(m, d);
    ops->release(m, q);
    return r;
}

static void same_numbers(const void *a, const void *b, size_t bytes)
{
    assert_memory_equal(a, b, bytes + (bytes == 0));
}

static void same_matrices(const DvBlockMatrix *a, const DvBlockMatrix *b)
{
    assert_int_equal(a->rows, b->rows);
    assert_int_equal(a->block, b->block);
    same_numbers(a->row_start, b->row_start, (a->rows + 1) * sizeof *a->row_start);
    const size_t entries = a->row_start[a->rows];
    if (entries == 0)
        return;
    same_numbers(a->columns, b->columns, entries * sizeof *a->columns);
    same_numbers(a->diagonal, b->diagonal, a->rows * sizeof *a->diagonal);
    same_numbers(a->transposed, b->transposed, entries * sizeof *a->transposed);
    same_numbers(a->values, b->values, entries * a->block * a->block * sizeof *a->values);
}

static void expect_fresh(DvScene *scene, const DvMechanicalOperationsOps *ops, DvMechanics *followed)
{
    DvMechanics *fresh = ops->open(dv_scene_root(scene));
    Results a = results_of(ops, followed), b = results_of(ops, fresh);
    assert_int_equal(a.unknowns, b.unknowns);
    same_numbers(a.force, b.force, a.unknowns * sizeof(double));
    same_numbers(a.product, b.product, a.unknowns * sizeof(double));
    same_numbers(&a.dot, &b.dot, sizeof a.dot);
    assert_int_equal(ops->mass_kind(followed), ops->mass_kind(fresh));
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(a.prefers[i], b.prefers[i]);
    same_matrices(ops->assemble(followed, &step, factors, DV_ASSEMBLE_CONSTRAINED),
                  ops->assemble(fresh, &step, factors, DV_ASSEMBLE_CONSTRAINED));
    ops->close(fresh);
    free(a.force);
    free(a.product);
    free(b.force);
    free(b.product);
}

enum { BODIES = 10, SPRINGS = 16 };

typedef struct Playground {
    DvScene *scene;
    DvNode *root, *bodies[BODIES], *contacts[BODIES], *deeper[BODIES], *groups[2];
    DvObject *springs[SPRINGS], *kept[SPRINGS];
} Playground;

static DvNode *add_body(Playground *p, uint32_t which)
{
    char name[20], at[120];
    snprintf(name, sizeof name, "b%u", which);
    DvNode *node = dv_node_new(p->groups[which % 2], name);
    if (which % 3 == 0) {
        snprintf(at, sizeof at, "%g %g %g 0 0 0 1", random_number(), random_number(), random_number());
        assert_int_equal(
            dv_object_new(node, "MechanicalObject", NULL, "template", "Rigid3d", "name", "dofs", "position", at, NULL),
            DV_OK);
    } else {
        snprintf(at, sizeof at, "%g %g %g %g 1 %g", random_number(), random_number(), random_number(), random_number(),
                 random_number());
        assert_int_equal(
            dv_object_new(node, "MechanicalObject", NULL, "template", "Vec3d", "name", "dofs", "position", at, NULL),
            DV_OK);
        if (which % 2)
            make(node, "SpringForceField", "spring", "0 1 30 0.5 1");
    }
    make(node, "UniformMass", "totalMass", which % 2 ? "2" : "3.5");
    if (which % 4 == 1)
        make(node, "FixedProjectiveConstraint", "indices", "0");
    return node;
}

/* Points on a rigid body, with points on those below them. */
static void add_contact(Playground *p, uint32_t which)
{
    DvNode *node = p->contacts[which] = dv_node_new(p->bodies[which], "contact");
    assert_int_equal(dv_object_new(node, "MechanicalObject", NULL, "template", "Vec3d", "name", "touch", "position",
                                   "1 0 0 0 1 0.5", NULL),
                     DV_OK);
    make(node, "RigidMapping", "name", "mapping");
    if (random_below(2)) {
        p->deeper[which] = dv_node_new(node, "deeper");
        assert_int_equal(
            dv_object_new(p->deeper[which], "MechanicalObject", NULL, "template", "Vec3d", "name", "copy", NULL),
            DV_OK);
        make(p->deeper[which], "IdentityMapping", "name", "mapping");
    }
}

/* The path of a state somewhere: of points with three coordinates. */
static bool some_state(const Playground *p, char *path)
{
    const uint32_t which = random_below(BODIES);
    if (!p->bodies[which])
        return false;
    if (which % 3)
        sprintf(path, "@%s/dofs", dv_node_path(p->bodies[which]));
    else if (p->contacts[which])
        sprintf(path, p->deeper[which] && random_below(2) ? "@%s/deeper/copy" : "@%s/touch",
                dv_node_path(p->contacts[which]));
    else
        return false;
    return true;
}

static void remove_contact(Playground *p, uint32_t which)
{
    if (p->contacts[which])
        dv_node_remove(p->contacts[which]);
    p->contacts[which] = p->deeper[which] = NULL;
}

/* A detached one has left the graph's reference with us. */
static void end_spring(DvObject *spring)
{
    if (dv_object_node(spring))
        dv_object_remove(spring);
    else
        dv_object_unref(spring);
    dv_object_unref(spring);
}

static void edit(Playground *p)
{
    const uint32_t which = random_below(BODIES), spring = random_below(SPRINGS);
    char first[100], second[100], stiffness[20];
    DvObject *object;
    switch (random_below(13)) {
    case 0:
    case 1:
        if (!p->bodies[which])
            p->bodies[which] = add_body(p, which);
        break;
    case 2:
        if (p->bodies[which] && random_below(3) == 0) {
            remove_contact(p, which);
            dv_node_remove(p->bodies[which]);
            p->bodies[which] = NULL;
        }
        break;
    case 3:
    case 4:
        if (p->bodies[which] && which % 3 == 0 && !p->contacts[which])
            add_contact(p, which);
        break;
    case 5:
        remove_contact(p, which); /* springs to it may hang in the air */
        break;
    case 6:
    case 7:
    case 8:
        if (!p->springs[spring] && some_state(p, first) && some_state(p, second)) {
            snprintf(stiffness, sizeof stiffness, "%u", 1 + random_below(100));
            (void)!dv_object_new(p->groups[random_below(2)], "SpringForceField", &p->springs[spring], "object1", first,
                                 "object2", second, "indices1", "0", "indices2", "1", "stiffness", stiffness, "damping",
                                 "0.5", "lengths", "0.3", NULL);
            if (p->springs[spring])
                dv_object_ref(p->springs[spring]);
        }
        break;
    case 9:
        if (p->springs[spring])
            end_spring(p->springs[spring]);
        p->springs[spring] = NULL;
        break;
    case 10: /* out and in again, perhaps elsewhere, perhaps later */
        if (p->springs[spring] && dv_object_node(p->springs[spring]))
            assert_int_equal(dv_object_detach(p->springs[spring]), DV_OK);
        else if (p->springs[spring])
            assert_int_equal(dv_object_attach(p->springs[spring], p->groups[random_below(2)]), DV_OK);
        break;
    case 11:
        object = p->bodies[which] ? dv_node_member(p->bodies[which], 1 + random_below(3)) : NULL;
        if (object && dv_object_detach(object) == DV_OK)
            assert_int_equal(dv_object_attach(object, p->bodies[which]), DV_OK);
        break;
    default:
        if (p->bodies[which])
            dv_node_set_active(p->bodies[which], !dv_node_is_active(p->bodies[which]));
        if (random_below(2))
            dv_node_remove(dv_node_new(p->root, "empty"));
    }
}

static void ignore(const DvMessage *message, void *context)
{
    (void)message;
    (void)context;
}

static void mechanics_that_followed_any_edits_are_those_compiled_now(void **state)
{
    (void)state;
    dv_log_set_handler(ignore, NULL); /* springs that lose an end say so */
    for (uint32_t seed = 1; seed <= 16; seed++) {
        random_state = seed;
        Playground p = {
            .scene = scene_from_text("<Node name='root' gravity='0 -1 0'><Node name='g0'/><Node name='g1'/></Node>")};
        p.root = dv_scene_root(p.scene);
        p.groups[0] = dv_node_child(p.root, 0);
        p.groups[1] = dv_node_child(p.root, 1);
        const DvMechanicalOperationsOps *ops = dv_service(DV_MECHANICAL_OPERATIONS);
        DvMechanics *m = ops->open(p.root);
        for (int i = 0; i < 500; i++) {
            edit(&p);
            if (random_below(3)) /* several edits at once, too */
                expect_fresh(p.scene, ops, m);
        }
        ops->close(m);
        for (int i = 0; i < SPRINGS; i++)
            if (p.springs[i])
                end_spring(p.springs[i]);
        dv_scene_free(p.scene);
    }
    dv_log_set_handler(NULL, NULL);
}

/* Sums run in the order of the document, not in that of the edits. */
static void what_comes_late_counts_where_it_stands(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node name='root' gravity='0 -1 0'><Node name='first'/><Node name='rigid'>"
        "<MechanicalObject name='dofs' template='Rigid3d' position='0.3 0.1 0.7 0.1 0.2 0.3 0.9'/>"
        "<UniformMass totalMass='2.1'/><Node name='contact'><MechanicalObject name='touch' position='1 0.1 0.2 0.3 1 0.5'/>"
        "<RigidMapping/><Node name='deeper'><MechanicalObject name='copy'/><IdentityMapping/></Node></Node></Node>"
        "<Node name='particle'><MechanicalObject name='dofs' position='3.1 0.7 0.3'/><UniformMass totalMass='1.3'/></Node>"
        "<Node name='last'/></Node>");
    const DvMechanicalOperationsOps *ops = dv_service(DV_MECHANICAL_OPERATIONS);
    DvMechanics *m = ops->open(dv_scene_root(scene));
    static const char *const ends[] = {"@/rigid/contact/touch", "@/rigid/contact/deeper/copy"};
    static const char *const places[] = {"@/last/", "@/first/"};
    for (int i = 0; i < 2; i++) {
        DvNode *node = dv_object_as_node(dv_node_resolve(dv_scene_root(scene), NULL, places[i], NULL));
        for (int k = 0; k < 2; k++)
            assert_int_equal(dv_object_new(node, "SpringForceField", NULL, "object1", ends[i], "object2",
                                           "@/particle/dofs", "indices1", k ? "0" : "1", "indices2", "0", "stiffness",
                                           i ? "97.3" : "31.7", "damping", "0.37", "lengths", "0.3", NULL),
                             DV_OK);
        expect_fresh(scene, ops, m);
    }
    ops->close(m);
    dv_scene_free(scene);
}

/* Another state comes to the place of the one that a link names, between two looks at the mechanics. */
static void who_lost_its_state_acts_on_the_next_one(void **state)
{
    (void)state;
    DvScene *scene =
        scene_from_text("<Node name='root' gravity='0 -1 0'><DefaultAnimationLoop/><Node name='a'/><Node name='b'>"
                        "<MechanicalObject name='dofs' position='0 3 0  0 1 0'/><UniformMass totalMass='3'/></Node>"
                        "<Node name='c'/></Node>");
    const DvMechanicalOperationsOps *ops = dv_service(DV_MECHANICAL_OPERATIONS);
    DvNode *a = dv_object_as_node(dv_node_resolve(dv_scene_root(scene), NULL, "@/a/", NULL)),
           *c = dv_object_as_node(dv_node_resolve(dv_scene_root(scene), NULL, "@/c/", NULL));
    DvObject *old = make(a, "MechanicalObject", "position", "1 0 0  2 0 0"), *fixed;
    assert_int_equal(
        dv_object_new(c, "FixedProjectiveConstraint", &fixed, "mstate", "@/a/MechanicalObject1", "indices", "1", NULL),
        DV_OK);
    assert_int_equal(dv_object_new(c, "ConstantForceField", NULL, "mstate", "@/a/MechanicalObject1", "indices", "0",
                                   "forces", "1 2 3", NULL),
                     DV_OK);
    DvMechanics *m = ops->open(dv_scene_root(scene));
    expect_fresh(scene, ops, m);
    for (int i = 0; i < 3; i++) {
        char name[40];
        snprintf(name, sizeof name, "%s", dv_object_name(old));
        dv_object_remove(old);
        assert_int_equal(
            dv_object_new(a, "MechanicalObject", &old, "name", name, "position", "1 0 0  2 0 0  3 0 0", NULL), DV_OK);
        assert_int_equal(dv_scene_step(scene, 0.01), DV_OK);
        assert_true(dv_object_is_valid(fixed));
        expect_fresh(scene, ops, m);
    }
    ops->close(m);
    dv_scene_free(scene);
}

/* It may get the same slot, at the same place in the order, and not the same rows. */
static void a_state_of_other_points_in_the_place_of_one_has_rows_of_its_own(void **state)
{
    (void)state;
    static const char *const positions[] = {"1 0 0", "1 0 0 2 0 0 3 0 0", "1 1 0 2 2 0", "0 0 1 0 0 2"};
    DvScene *scene =
        scene_from_text("<Node name='root' gravity='0 -1 0'><Node name='first'>"
                        "<MechanicalObject name='dofs' position='0 0 0'/><UniformMass totalMass='2'/></Node></Node>");
    const DvMechanicalOperationsOps *ops = dv_service(DV_MECHANICAL_OPERATIONS);
    DvMechanics *m = ops->open(dv_scene_root(scene));
    DvNode *last = NULL;
    for (size_t i = 0; i < sizeof positions / sizeof *positions; i++) {
        if (last)
            dv_node_remove(last);
        (void)ops->unknowns(m); /* the slot becomes free, and nobody asks for a matrix meanwhile */
        last = dv_node_new(dv_scene_root(scene), "last");
        make(last, "MechanicalObject", "position", positions[i]);
        make(last, "UniformMass", "totalMass", "1.5");
        make(last, "RestShapeSpringsForceField", "stiffness", "7");
        expect_fresh(scene, ops, m);
    }
    ops->close(m);
    dv_scene_free(scene);
}

/* ---- What an edit costs ---- */

static DvScene *scene_of_bodies(unsigned bodies, const char *linear_solver)
{
    char above[200];
    snprintf(above, sizeof above, "<EulerImplicitSolver/>%s", linear_solver);
    DvText text = {0};
    bodies_text(
        &text, bodies, above, "",
        "<Node name='contact'><MechanicalObject name='touch' position='0 1 0'/><RigidMapping/></Node>",
        "<Node name='springs'><SpringForceField name='spring' object1='@/rigid/contact/touch' object2='@/b1/dofs'"
        " indices1='0' indices2='0' stiffness='5' damping='0' lengths='1'/></Node>");
    DvScene *scene = scene_from_text(text.at);
    dv_text_free(&text);
    return scene;
}

static void make_steps(DvScene *scene, int steps)
{
    for (int i = 0; i < steps; i++)
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
}

static DvObject *object_at(const DvScene *scene, const char *path)
{
    DvObject *object = dv_node_resolve(dv_scene_root(scene), NULL, path, NULL);
    assert_non_null(object);
    return object;
}

typedef enum Way { KEPT, KEPT_NODE, MADE, MADE_NODE, EMPTY_NODE, WAYS } Way;

/* One edit, out and in again. */
static void edit_once(DvScene *scene, Way way, DvObject **spring)
{
    DvNode *node = dv_object_as_node(object_at(scene, "@/springs/"));
    DvNode *contact = dv_object_as_node(object_at(scene, "@/rigid/contact/"));
    switch (way) {
    case KEPT_NODE:
        dv_node_set_active(contact, false);
        dv_node_set_active(contact, true);
        break;
    case KEPT:
        assert_int_equal(dv_object_detach(*spring), DV_OK);
        assert_int_equal(dv_object_attach(*spring, node), DV_OK);
        break;
    case MADE:
        dv_object_remove(*spring);
        assert_int_equal(bodies_join(node, "@/rigid/contact/touch", "@/b1/dofs", spring), DV_OK);
        break;
    case MADE_NODE: /* with a state, a mapping and an interaction */
        dv_object_remove(*spring);
        dv_node_remove(contact);
        contact = dv_node_new(dv_object_as_node(object_at(scene, "@/rigid/")), "contact");
        assert_int_equal(dv_object_new(contact, "MechanicalObject", NULL, "name", "touch", "position", "0 1 0", NULL),
                         DV_OK);
        assert_non_null(make(contact, "RigidMapping", NULL, NULL));
        assert_int_equal(bodies_join(node, "@/rigid/contact/touch", "@/b1/dofs", spring), DV_OK);
        break;
    case EMPTY_NODE:
    case WAYS:
        dv_node_remove(dv_node_new(node, "empty"));
    }
}

static const char *const solvers[] = {"<CGLinearSolver iterations='20' tolerance='1e-9' threshold='1e-12'/>",
                                      "<SparseLDLSolver/>"};

static void an_edit_that_repeats_asks_the_heap_for_nothing(void **state)
{
    (void)state;
    enum { STEPS = 10 };
    for (size_t s = 0; s < 2; s++)
        for (int way = 0; way < WAYS; way++) {
            uint64_t asked[2];
            for (int large = 0; large < 2; large++) {
                DvScene *scene = scene_of_bodies(large ? 500 : 6, solvers[s]);
                DvObject *spring = object_at(scene, "@/springs/spring");
                for (int i = 0; i < 20; i++) {
                    edit_once(scene, (Way)way, &spring);
                    make_steps(scene, 1);
                }
                const uint64_t before = block_count();
                for (int i = 0; i < STEPS; i++) {
                    edit_once(scene, (Way)way, &spring);
                    make_steps(scene, 1);
                }
                asked[large] = block_count() - before;
                dv_scene_free(scene);
            }
            if (BLOCK_COUNT_IS_OF_HEAP || way <= KEPT_NODE)
                assert_int_equal(asked[0] + asked[1], 0);
            /* The names of nodes and fields grow with the scene, not their number. */
            assert_true(asked[1] <= asked[0] + STEPS);
        }
}

/* A matrix, an analysis and a factorization are kept through what does not change them. */
static void what_an_edit_does_not_touch_is_kept(void **state)
{
    (void)state;
    DvScene *scene = scene_of_bodies(6, solvers[1]);
    const DvMechanicalOperationsOps *ops = dv_service(DV_MECHANICAL_OPERATIONS);
    DvNode *springs = dv_object_as_node(object_at(scene, "@/springs/"));
    DvObject *spring = object_at(scene, "@/springs/spring");
    DvMechanics *m = ops->open(dv_scene_root(scene));
    ops->compute_force(m, &step, DV_FORCE, DV_WALK_WHOLE);
    const DvBlockMatrix *a = ops->assemble(m, &step, factors, 0);
    const uint64_t structure = a->structure, entries = a->row_start[a->rows];
    make(dv_node_new(springs, "n"), "MechanicalObject", "name", "outside"); /* another state: other rows */
    assert_int_not_equal(ops->assemble(m, &step, factors, 0)->structure, structure);
    dv_node_remove(dv_node_child(springs, 0));
    const uint64_t again = ops->assemble(m, &step, factors, 0)->structure;
    (void)dv_node_new(springs, "empty");
    assert_int_equal(ops->assemble(m, &step, factors, 0)->structure, again);
    make(dv_object_node(object_at(scene, "@/b2/dofs")), "ConstantForceField", "forces", "1 0 0"); /* explicit only */
    assert_int_equal(ops->assemble(m, &step, factors, 0)->structure, again);
    assert_int_equal(dv_object_detach(spring), DV_OK);
    assert_int_equal(dv_object_attach(spring, springs), DV_OK);
    assert_int_equal(ops->assemble(m, &step, factors, 0)->structure, again);
    assert_int_equal(dv_object_detach(spring), DV_OK);
    a = ops->assemble(m, &step, factors, 0);
    assert_int_not_equal(a->structure, again);
    assert_true(a->row_start[a->rows] < entries); /* and no entry stays behind */
    dv_object_unref(spring);
    ops->close(m);
    dv_scene_free(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mechanics_that_followed_any_edits_are_those_compiled_now),
        cmocka_unit_test(what_comes_late_counts_where_it_stands),
        cmocka_unit_test(who_lost_its_state_acts_on_the_next_one),
        cmocka_unit_test(a_state_of_other_points_in_the_place_of_one_has_rows_of_its_own),
        cmocka_unit_test(an_edit_that_repeats_asks_the_heap_for_nothing),
        cmocka_unit_test(what_an_edit_does_not_touch_is_kept),
    };
    return share_run_group_tests(tests, NULL, stop_plugins);
}
