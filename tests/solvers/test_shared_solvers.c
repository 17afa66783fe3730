/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Solvers that share states or a linear solver, and more of them than any table has places: each gives what it gives alone, what
 * they need is given back, and what is too much is an error.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <divan/contracts/mechanical_operations.h>
#include <divan/divan.h>
#include <divan/plugin.h>

#include <math.h>
#include <string.h>

#include "scene_text.h"

static void make_steps(DvScene *scene, int steps)
{
    for (int i = 0; i < steps; i++)
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
}

static double number(const DvScene *scene, const char *path, DvVecId id, uint32_t i)
{
    return dv_state_read(scene_state(scene, path), id).at[i];
}

/* ---- One linear solver for two bodies ---- */

static const char *const linear_solvers[] = {
    "<CGLinearSolver name='%s' iterations='200' tolerance='1e-13' threshold='1e-30'/>",
    "<CGLinearSolver name='%s' template='CompressedRowSparseMatrixMat3x3d' iterations='200' tolerance='1e-13' threshold='1e-30'/>",
    "<CGLinearSolver name='%s' iterations='200' tolerance='1e-13' threshold='1e-30' warmStart='1'/>",
    "<PCGLinearSolver name='%s' iterations='200' tolerance='1e-26'/>",
    "<SparseLDLSolver name='%s'/>",
};

static void add_linear_solver(DvText *text, size_t kind, const char *name)
{
    const char *form = linear_solvers[kind], *gap = strstr(form, "%s");
    dv_text_add(text, "%.*s%s%s", (int)(gap - form), form, name, gap + 2);
}

/* A beam of `cells` cells, fixed at one point; another size of the matrix for each number. */
static void add_body(DvText *text, const char *name, unsigned cells, size_t kind, bool shared, bool free)
{
    const char *link = shared ? "linearSolver='@/shared'" : "";
    dv_text_add(text, "<Node name='%s'><EulerImplicitSolver %s/>", name, link);
    if (!shared)
        add_linear_solver(text, kind, "own");
    dv_text_add(
        text,
        "<RegularGridTopology nx='%u' ny='2' nz='2' xmin='0' xmax='2' ymin='0' ymax='1' zmin='0' zmax='1'/>"
        "<MechanicalObject name='dofs'/><UniformMass totalMass='%u'/>"
        "<HexahedronFEMForceField youngModulus='2000' poissonRatio='0.3'/><FixedProjectiveConstraint indices='0'/>",
        cells + 1, cells);
    if (free)
        dv_text_add(text, "<LinearSolverConstraintCorrection %s/>", link);
    dv_text_add(text, "</Node>");
}

static DvScene *two_bodies(size_t kind, bool shared, bool free)
{
    DvText text = {0};
    dv_text_add(&text, "<Node name='root' dt='0.01' gravity='0 -9.81 0'>%s",
                free ? "<FreeMotionAnimationLoop/><BlockGaussSeidelConstraintSolver tolerance='1e-12'/>"
                     : "<DefaultAnimationLoop/>");
    if (shared)
        add_linear_solver(&text, kind, "shared");
    add_body(&text, "A", 3, kind, shared, free);
    add_body(&text, "B", free ? 3 : 5, kind, shared, free); /* of one size a wrong factor would not be noticed */
    if (free)
        dv_text_add(&text, "<BilateralLagrangianConstraint object1='@A/dofs' object2='@B/dofs' first_point='3' "
                           "second_point='5' keepOrientationDifference='0'/>");
    dv_text_add(&text, "</Node>");
    DvScene *scene = scene_from_text(text.at);
    dv_text_free(&text);
    return scene;
}

static void expect_same(const DvScene *a, const DvScene *b, const char *path)
{
    const DvConstVec x = dv_state_read(scene_state(a, path), DV_POSITION),
                     y = dv_state_read(scene_state(b, path), DV_POSITION);
    assert_int_equal(x.count, y.count);
    for (uint32_t i = 0; i < x.count * x.dim; i++)
        assert_true(fabs(x.at[i] - y.at[i]) < 1e-9);
}

static void a_shared_linear_solver_gives_what_separate_ones_give(void **state)
{
    (void)state;
    for (size_t kind = 0; kind < sizeof linear_solvers / sizeof *linear_solvers; kind++)
        for (int free = 0; free <= 1; free++) {
            DvScene *shared = two_bodies(kind, true, free), *separate = two_bodies(kind, false, free);
            make_steps(shared, 50);
            make_steps(separate, 50);
            expect_same(shared, separate, "/A/dofs");
            expect_same(shared, separate, "/B/dofs");
            assert_true(number(shared, "/A/dofs", DV_POSITION, 3 * 3 + 1) < -0.02); /* it has sagged */
            dv_scene_free(shared);
            dv_scene_free(separate);
        }
}

/* ---- Several ODE solvers in a node ---- */

/* `count` of them; a point that falls. */
static DvScene *many_in_a_node(const char *solver, unsigned count, const char *linear)
{
    DvText text = {0};
    dv_text_add(&text, "<Node name='root' dt='0.01' gravity='0 -10 0'><DefaultAnimationLoop/>");
    for (unsigned i = 0; i < count; i++)
        dv_text_add(&text, "<%s name='s%u'/>", solver, i);
    dv_text_add(&text,
                "%s<MechanicalObject name='dofs' position='0 0 0 1 0 0'/><UniformMass totalMass='1'/>"
                "<SpringForceField spring='0 1 100 0 1'/></Node>",
                linear);
    DvScene *scene = scene_from_text(text.at);
    dv_text_free(&text);
    return scene;
}

#define CG "<CGLinearSolver iterations='25' tolerance='1e-9' threshold='1e-20'/>"

static void each_integrator_of_a_node_makes_the_step(void **state)
{
    (void)state;
    static const struct {
        const char *solver, *linear;
    } cases[] = {{"EulerImplicitSolver", CG},
                 {"EulerImplicitSolver", "<SparseLDLSolver/>"},
                 {"EulerExplicitSolver", ""},
                 {"RungeKutta4Solver", ""}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (unsigned count = 1; count <= 256; count *= 2) {
            DvScene *scene = many_in_a_node(cases[c].solver, count, cases[c].linear);
            make_steps(scene, 12);
            assert_true(fabs(number(scene, "/dofs", DV_VELOCITY, 1) / (-10.0 * 0.12 * count) - 1.0) < 1e-9);
            dv_scene_free(scene);
        }
}

/* Each keeps a vector from step to step: more than there are is an error of the step, whatever the order. */
static void integrators_that_keep_too_many_vectors_are_an_error(void **state)
{
    (void)state;
    static const char linear[] = "<CGLinearSolver iterations='25' tolerance='1e-9' threshold='1e-20' warmStart='1'/>";
    DvScene *scene = many_in_a_node("EulerImplicitSolver", 64, linear);
    assert_int_equal(dv_scene_step(scene, 0), DV_ERROR_LIMIT);
    assert_non_null(strstr(dv_last_error(), "vectors of a kind"));
    assert_int_not_equal(dv_scene_step(scene, 0), DV_OK);
    dv_scene_free(scene);
    scene = many_in_a_node("EulerImplicitSolver", 20, linear);
    make_steps(scene, 12);
    dv_scene_free(scene);
}

/* What a solver has had is free when it goes: a thousand may come and go. */
static void vectors_go_back_with_their_solver(void **state)
{
    (void)state;
    static const char linear[] = "<CGLinearSolver iterations='25' tolerance='1e-9' threshold='1e-20' warmStart='1'/>";
    DvScene *scene = many_in_a_node("EulerImplicitSolver", 1, linear);
    DvNode *root = dv_scene_root(scene);
    for (int i = 0; i < 100; i++) {
        DvObject *more;
        assert_int_equal(dv_object_new(root, "EulerImplicitSolver", &more, NULL), DV_OK);
        make_steps(scene, 1);
        dv_object_remove(more);
    }
    assert_true(fabs(number(scene, "/dofs", DV_VELOCITY, 1) + 20.0) < 1e-6);
    dv_scene_free(scene);
}

static void bodies_with_a_solver_each_have_no_number(void **state)
{
    (void)state;
    DvText text = {0};
    dv_text_add(&text, "<Node name='root' dt='0.01' gravity='0 -10 0'><DefaultAnimationLoop/>"
                       "<CGLinearSolver name='cg' iterations='25' tolerance='1e-9' threshold='1e-20' warmStart='1'/>");
    for (unsigned i = 0; i < 200; i++)
        dv_text_add(&text,
                    "<Node name='b%u'><EulerImplicitSolver linearSolver='@/cg'/><MechanicalObject name='dofs' "
                    "position='0 0 0'/><UniformMass totalMass='%u'/></Node>",
                    i, i + 1);
    dv_text_add(&text, "</Node>");
    DvScene *scene = scene_from_text(text.at);
    dv_text_free(&text);
    make_steps(scene, 20);
    assert_true(fabs(number(scene, "/b0/dofs", DV_VELOCITY, 1) + 2.0) < 1e-9);
    assert_true(fabs(number(scene, "/b199/dofs", DV_VELOCITY, 1) + 2.0) < 1e-9);
    dv_scene_free(scene);
}

/* A solver of its own may take all there are, and go on with none. */
static void operations_on_a_vector_that_is_none_do_nothing(void **state)
{
    (void)state;
    DvScene *scene = many_in_a_node("EulerImplicitSolver", 1, CG);
    const DvMechanicalOperationsOps *ops = dv_service(DV_MECHANICAL_OPERATIONS);
    DvMechanics *m = ops->open(dv_scene_root(scene));
    const DvStep step = {.dt = 0.01, .position = DV_POSITION, .velocity = DV_VELOCITY};
    const DvFactors factors = {1.0, 0.0, 1.0};
    double flat[6] = {1, 2, 3, 4, 5, 6};
    DvVecId last = DV_NO_VEC, none;
    for (int kind = DV_COORDS; kind <= DV_DERIVS; kind++) {
        uint32_t given = 0;
        while ((none = ops->allocate(m, (DvVecKind)kind)) != DV_NO_VEC) {
            last = none;
            given++;
        }
        assert_true(given >= 16 && given <= DV_MAX_VEC);
    }
    ops->clear(m, none);
    ops->combine(m, none, last, DV_NO_VEC, 1.0);
    assert_true(ops->dot(m, none, last) == 0.0);
    ops->threshold(m, none, 1.0);
    ops->scatter(m, none, flat);
    ops->gather(m, flat, none);
    assert_true(flat[5] == 0.0);
    ops->compute_force(m, &step, none, DV_WALK_WHOLE);
    ops->add_mbk(m, &step, factors, none, last, DV_WALK_WHOLE);
    ops->add_mbk(m, &step, factors, last, none, DV_WALK_WHOLE);
    ops->add_mdx(m, 1.0, none, last);
    ops->acceleration_from_force(m, none, last);
    ops->project_response(m, &step, none, DV_WALK_VISITOR);
    ops->clear_states(m, DV_STATES_ALL, none);
    ops->combine_states(m, DV_STATES_ALL, none, last, DV_NO_VEC, 1.0);
    ops->release(m, none);
    assert_int_equal(dv_scene_step(scene, 0), DV_ERROR_LIMIT); /* what was not given is a fault of the step */
    ops->close(m);
    make_steps(scene, 2);
    dv_scene_free(scene);
}

static void scratch_is_zero_once_and_shared(void **state)
{
    (void)state;
    DvScene *scene = many_in_a_node("EulerExplicitSolver", 1, "");
    const DvMechanicalOperationsOps *ops = dv_service(DV_MECHANICAL_OPERATIONS);
    DvMechanics *first = ops->open(dv_scene_root(scene)), *second = ops->open(dv_scene_root(scene));
    const double ones[6] = {1, 1, 1, 1, 1, 1};
    DvVecId a[3], b[3], beyond[2];
    assert_true(ops->scratch(first, DV_DERIVS, DV_SCRATCH_INTEGRATION, 3, a));
    ops->scatter(first, a[2], ones);
    assert_false(ops->scratch(first, DV_DERIVS, DV_SCRATCH_INTEGRATION, 3, b));
    assert_memory_equal(a, b, sizeof a);
    assert_true(ops->dot(first, a[2], a[2]) == 6.0);
    assert_true(ops->scratch(second, DV_DERIVS, DV_SCRATCH_INTEGRATION, 3, b));
    assert_memory_equal(a, b, sizeof a);
    assert_true(ops->dot(second, a[2], a[2]) == 0.0);
    assert_int_equal(dv_vec_kind(a[0]), DV_DERIVS);
    (void)ops->scratch(first, DV_COORDS, DV_SCRATCH_COUNT - 1, 2, beyond);
    assert_int_equal(dv_vec_kind(beyond[0]), DV_COORDS);
    assert_int_equal(beyond[1], DV_NO_VEC);
    ops->close(first);
    ops->close(second);
    dv_scene_free(scene);
}

static void add_falling_body(const DvScene *scene, const char *name)
{
    DvNode *node = dv_node_new(dv_scene_root(scene), name);
    assert_int_equal(dv_object_new(node, "MechanicalObject", NULL, "name", "dofs", "position", "0 0 0", NULL), DV_OK);
    assert_int_equal(dv_object_new(node, "UniformMass", NULL, "totalMass", "2", NULL), DV_OK);
}

/* Vectors that a solver has asked for are in bodies that come later too, and in those that come after it has begun anew. */
static void bodies_that_come_later_have_the_vectors_of_the_solver(void **state)
{
    (void)state;
    static const struct {
        const char *solver, *linear, *text;
    } cases[] = {{"EulerImplicitSolver", "CGLinearSolver",
                  "<CGLinearSolver name='linear' iterations='25' tolerance='1e-9' threshold='1e-20'/>"},
                 {"EulerImplicitSolver", "SparseLDLSolver", "<SparseLDLSolver name='linear'/>"},
                 {"RungeKutta4Solver", NULL, ""}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        DvScene *scene = many_in_a_node(cases[c].solver, 1, cases[c].text);
        make_steps(scene, 3);
        add_falling_body(scene, "one");
        make_steps(scene, 3);
        if (cases[c].linear) {
            dv_object_remove(scene_object(scene, "/linear"));
            assert_int_equal(dv_object_new(dv_scene_root(scene), cases[c].linear, NULL, "name", "linear", NULL), DV_OK);
        } else {
            dv_object_remove(scene_object(scene, "/s0"));
            assert_int_equal(dv_object_new(dv_scene_root(scene), cases[c].solver, NULL, "name", "s0", NULL), DV_OK);
        }
        add_falling_body(scene, "two");
        make_steps(scene, 4);
        assert_true(fabs(number(scene, "/dofs", DV_VELOCITY, 1) + 1.0) < 1e-9);
        assert_true(fabs(number(scene, "/one/dofs", DV_VELOCITY, 1) + 0.7) < 1e-9);
        assert_true(fabs(number(scene, "/two/dofs", DV_VELOCITY, 1) + 0.4) < 1e-9);
        dv_scene_free(scene);
    }
}

/* A solver that begins anew, as it does when what it needs goes and comes back, has other mechanics, in which nobody has asked yet. */
static void scratch_is_asked_for_again_in_other_mechanics(void **state)
{
    (void)state;
    DvScene *scene = many_in_a_node("EulerExplicitSolver", 1, "");
    const DvMechanicalOperationsOps *ops = dv_service(DV_MECHANICAL_OPERATIONS);
    DvVecId id[2];
    for (int i = 0; i < 3; i++) {
        DvMechanics *m = ops->open(dv_scene_root(scene));
        for (uint32_t number = 0; number < DV_SCRATCH_COUNT; number += 2) {
            const uint32_t count = number + 2 <= DV_SCRATCH_COUNT ? 2 : 1;
            assert_true(ops->scratch(m, DV_COORDS, number, count, id));
            assert_true(ops->scratch(m, DV_DERIVS, number, count, id)); /* another kind is another vector */
            assert_true(ops->dot(m, id[count - 1], id[count - 1]) == 0.0);
            ops->combine(m, id[count - 1], DV_NO_VEC, DV_VELOCITY, 1.0);
        }
        add_falling_body(scene, i == 0 ? "a" : i == 1 ? "b" : "c");
        assert_false(ops->scratch(m, DV_DERIVS, 0, 2, id)); /* they stay, and the new body has them */
        DvObject *states[4];
        const uint32_t count = ops->states(m, DV_STATES_INDEPENDENT, states, 4);
        assert_int_equal(count, 2 + i);
        for (uint32_t k = 0; k < count; k++)
            assert_non_null(dv_state_read(dv_state_ref(states[k]), id[1]).at);
        make_steps(scene, 1);
        ops->close(m);
    }
    dv_scene_free(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_shared_linear_solver_gives_what_separate_ones_give),
        cmocka_unit_test(each_integrator_of_a_node_makes_the_step),
        cmocka_unit_test(integrators_that_keep_too_many_vectors_are_an_error),
        cmocka_unit_test(vectors_go_back_with_their_solver),
        cmocka_unit_test(bodies_with_a_solver_each_have_no_number),
        cmocka_unit_test(operations_on_a_vector_that_is_none_do_nothing),
        cmocka_unit_test(scratch_is_zero_once_and_shared),
        cmocka_unit_test(scratch_is_asked_for_again_in_other_mechanics),
        cmocka_unit_test(bodies_that_come_later_have_the_vectors_of_the_solver),
    };
    return cmocka_run_group_tests(tests, start_plugins, stop_plugins);
}
