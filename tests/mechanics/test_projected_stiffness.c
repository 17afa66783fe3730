/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Stiffness that comes up through mappings, against finite differences of the forces on the unknowns: with J from unknowns to mapped points,
 *   a force field on mapped points                        K11 += J^T K22 J
 *   one between unknowns and mapped points                K11 += J^T K33 J, I12 += J^T I32, I21 += I23 J
 *   one between points of two mappings                    I12 += Ja^T I34 Jb, and its transpose
 * through one mapping and through chains, of points and of rigid bodies, with symmetric stiffness and with one that is not. All blocks are
 * compared, those off the diagonal too, of the matrix and of products.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "random_matrix.h"
#include "scene_text.h"

#include <divan/contracts/mechanical_operations.h>
#include <divan/memory.h>
#include <divan/plugin.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 64 };

typedef struct Fixture {
    DvScene *scene;
    const DvMechanicalOperationsOps *ops;
    DvMechanics *m;
    DvStep step;
    DvVecId d, start;
    uint32_t n;
} Fixture;

static Fixture fixture_of(const char *parts)
{
    char text[4096];
    const int length =
        snprintf(text, sizeof text, "<Node name='root' gravity='0 0 0'><Node name='All'>%s</Node></Node>", parts);
    assert_true(length > 0 && (size_t)length < sizeof text);
    Fixture f = {.scene = scene_from_text(text),
                 .ops = dv_service(DV_MECHANICAL_OPERATIONS),
                 .step = {.dt = 0.01, .position = DV_POSITION, .velocity = DV_VELOCITY, .kind = DV_MATRIX_ANY}};
    f.m = f.ops->open(dv_node_child(dv_scene_root(f.scene), 0));
    f.d = f.ops->allocate(f.m, DV_DERIVS);
    f.start = f.ops->allocate(f.m, DV_COORDS);
    f.n = (uint32_t)f.ops->unknowns(f.m);
    assert_true(f.n > 0 && f.n <= MOST);
    f.ops->combine(f.m, f.start, DV_POSITION, DV_NO_VEC, 0.0);
    return f;
}

static void end(Fixture *f)
{
    f->ops->close(f->m);
    dv_scene_free(f->scene);
}

/* Of the unknowns when the `moved`-th has gone by h from the start. */
static void forces_at(Fixture *f, uint32_t moved, double h, double *force)
{
    double unit[MOST + 1] = {0};
    unit[moved] = 1.0;
    f->ops->scatter(f->m, f->d, unit);
    f->ops->combine(f->m, DV_POSITION, f->start, f->d, h);
    f->ops->propagate_position(f->m, &f->step, DV_POSITION);
    f->ops->compute_force(f->m, &f->step, DV_FORCE, DV_WALK_WHOLE);
    f->ops->gather(f->m, force, DV_FORCE);
}

/* Row i, column j: force i by unknown j. */
static void differences(Fixture *f, double *k)
{
    const double h = 1e-4;
    for (uint32_t j = 0; j < f->n; j++) {
        double at[4][MOST + 1];
        forces_at(f, j, h, at[0]);
        forces_at(f, j, -h, at[1]);
        forces_at(f, j, 2 * h, at[2]);
        forces_at(f, j, -2 * h, at[3]);
        for (uint32_t i = 0; i < f->n; i++)
            k[i * f->n + j] = (8.0 * (at[0][i] - at[1][i]) - (at[2][i] - at[3][i])) / (12.0 * h);
    }
    forces_at(f, 0, 0.0, (double[MOST + 1]){0});
}

static void products(Fixture *f, double *k)
{
    double unit[MOST + 1], column[MOST + 1];
    for (uint32_t j = 0; j < f->n; j++) {
        memset(unit, 0, sizeof unit);
        unit[j] = 1.0;
        f->ops->scatter(f->m, f->d, unit);
        f->ops->clear(f->m, DV_FORCE);
        f->ops->add_mbk(f->m, &f->step, (DvFactors){.k = 1.0}, DV_FORCE, f->d, DV_WALK_WHOLE);
        f->ops->gather(f->m, column, DV_FORCE);
        for (uint32_t i = 0; i < f->n; i++)
            k[i * f->n + j] = column[i];
    }
}

static void compare(const Fixture *f, const char *what, const double *k, const double *expected)
{
    double size = 0.0;
    for (uint32_t e = 0; e < f->n * f->n; e++)
        size = fmax(size, fabs(expected[e]));
    for (uint32_t e = 0; e < f->n * f->n; e++)
        if (!(fabs(k[e] - expected[e]) <= 1e-7 * size))
            fail_msg("%s: entry (%u, %u) is %.10g, by finite differences %.10g", what, e / f->n, e % f->n, k[e],
                     expected[e]);
}

/* `couples`: blocks between unknowns before and from this one on are not zero. */
static void check(const char *parts, uint32_t couples, bool symmetric)
{
    Fixture f = fixture_of(parts);
    double *expected = dv_alloc((size_t)f.n * f.n, sizeof *expected), *k = dv_alloc((size_t)f.n * f.n, sizeof *k);
    differences(&f, expected);
    products(&f, k);
    compare(&f, "product", k, expected);
    forces_at(&f, 0, 0.0, k);
    double *a = dense_copy(f.ops->assemble(f.m, &f.step, (DvFactors){.k = 1.0}, 0));
    compare(&f, "matrix", a, expected);
    double between = 0.0, size = 0.0, asymmetry = 0.0;
    for (uint32_t i = 0; i < f.n; i++)
        for (uint32_t j = 0; j < f.n; j++) {
            size = fmax(size, fabs(a[i * f.n + j]));
            asymmetry = fmax(asymmetry, fabs(a[i * f.n + j] - a[j * f.n + i]));
            if (i < couples && j >= couples)
                between = fmax(between, fmin(fabs(a[i * f.n + j]), fabs(a[j * f.n + i])));
        }
    assert_true(couples == 0 || between > 1e-3 * size);
    assert_true(symmetric == (asymmetry <= 1e-9 * size));
    dv_free(a);
    dv_free(k);
    dv_free(expected);
    end(&f);
}

#define POINTS(name, x) "<MechanicalObject name='" name "' template='Vec3d' position='" x "'/>"
#define FRAME(name, x)  "<MechanicalObject name='" name "' template='Rigid3d' position='" x "'/>"
#define TURNED          "0.1 0.2 0 0.36 0.48 0 0.8"
#define RIGID_POINTS(inside)                                                                                     \
    "<Node name='marks'><MechanicalObject name='marks' template='Vec3d' position='1 0 0  0 1 0.5  -0.5 0.2 1'/>" \
    "<RigidMapping geometricStiffness='Exact'/>" inside "</Node>"
#define PULLS \
    "<SpringForceField spring='0 1 200 0 0.7  1 2 90 0 2.5'/><RestShapeSpringsForceField stiffness='50' points='0 1 2' external_points='1 2 0'/>"

static void of_mapped_points(void **state)
{
    (void)state;
    /* a linear mapping, a rigid one, and one below it */
    check(
        POINTS(
            "p",
            "0 0 0  1 0.2 0  0.3 1 0.1  0.2 0.3 1") "<Node name='sub'><MechanicalObject name='q' template='Vec3d'/>"
                                                    "<SubsetMapping indices='3 1 0'/><SpringForceField spring='0 1 100 0 0.6  0 2 70 0 1.4'/></Node>",
        0, true);
    check(FRAME("r", TURNED) RIGID_POINTS("<RestShapeSpringsForceField stiffness='50'/>"), 3, false);
    check(FRAME("r", TURNED)
              RIGID_POINTS("<Node name='sub'><MechanicalObject name='q' template='Vec3d'/><SubsetMapping "
                           "indices='2 0'/><RestShapeSpringsForceField stiffness='80 30' points='0 1'/></Node>"),
          3, false);
}

/* A spring from an own point to one of a body, directly and through two mappings; both ways round. */
static void between_unknowns_and_mapped_points(void **state)
{
    (void)state;
#define BOTH(first, second)                                                                                                                                            \
    "<Node name='free'>" POINTS("p", "2 1 1  1.5 0.3 2") "</Node><Node name='body'>" FRAME("r", TURNED) RIGID_POINTS(                                                  \
        "<Node name='sub'><MechanicalObject name='q' template='Vec3d' position='0 0 0  0 0 0  0 0 0'/><IdentityMapping/></Node>") "</Node>"                            \
                                                                                                                                  "<SpringForceField object1='@" first \
                                                                                                                                  "' object2='@" second                \
                                                                                                                                  "' spring='0 1 100 0 0.4  1 0 60 0 3'/>"
    check(BOTH("free/p", "body/marks/marks"), 6, false);
    check(BOTH("free/p", "body/marks/sub/q"), 6, false);
    check(BOTH("body/marks/sub/q", "free/p"), 6, false);
}

/* Two bodies, and a body and points of tetrahedra, that springs couple at the ends of chains of different length. */
static void between_mapped_points_of_two_bodies(void **state)
{
    (void)state;
#define BODIES(first, second)                                                                                                                                                           \
    "<Node name='a'>" FRAME("r", TURNED) RIGID_POINTS(                                                                                                                                  \
        "<Node name='sub'><MechanicalObject name='q' template='Vec3d' position='0 0 0  0 0 0'/><SubsetMapping indices='1 2'/></Node>") "</Node>"                                        \
                                                                                                                                       "<Node name='b'>" FRAME(                         \
                                                                                                                                           "r",                                         \
                                                                                                                                           "3 1 0 0 0.6 0 0.8")                         \
                                                                                                                                           RIGID_POINTS(                                \
                                                                                                                                               "") "</Node>"                            \
                                                                                                                                                   "<SpringForceField object1='@" first \
                                                                                                                                                   "' object2='@" second                \
                                                                                                                                                   "' spring='0 1 100 0 1.3  1 0 60 0 5'/>"
    check(BODIES("a/marks/marks", "b/marks/marks"), 6, false);
    check(BODIES("a/marks/sub/q", "b/marks/marks"), 6, false);
    check(BODIES("b/marks/marks", "a/marks/sub/q"), 6, false);
    check(
        "<Node name='a'>" POINTS(
            "p",
            "0 0 0  1 0.2 0  0.3 1 0.1  0.2 0.3 1") "<TetrahedronSetTopologyContainer tetrahedra='0 1 2 3' position='0 0 0  1 0.2 0  0.3 1 0.1  0.2 0.3 1'/>"
                                                    "<Node name='in'>" POINTS(
                                                        "q",
                                                        "0.3 0.3 0.2  0.4 0.2 0.3") "<BarycentricMapping/></Node></Node>"
                                                                                    "<Node name='b'>" FRAME(
                                                                                        "r", "3 1 0 0 0.6 0 0.8")
                                                                                        RIGID_POINTS(
                                                                                            "") "</Node>"
                                                                                                "<SpringForceField object1='@a/in/q' object2='@b/marks/marks' spring='0 1 100 0 1.3  1 0 60 0 5'/>",
        12, false);
    /* points of the same body: one block on the diagonal, from two sides */
    check("<Node name='a'>" FRAME("r", TURNED) RIGID_POINTS(PULLS) "</Node>", 3, false);
}

/* A load that follows an open surface has a stiffness that is not symmetric; on points below a mapping, below another one. */
static void of_loads_on_mapped_surfaces(void **state)
{
    (void)state;
#define PATCH \
    "<MeshTopology triangles='0 1 2' position='0 0 0  1 0 0  0 1 0'/><MechanicalObject name='q' template='Vec3d'/>"
#define LOAD "<SurfacePressureForceField pressure='7' useTangentStiffness='1'/>"
    check(POINTS("p", "0 0 0  1 0.2 0  0.3 1 0.1  0.2 0.3 1") "<Node name='sub'>" PATCH
                                                              "<SubsetMapping indices='3 1 0'/>" LOAD "</Node>",
          0, false);
    check(
        POINTS(
            "p",
            "0 0 0  1 0.2 0  0.3 1 0.1  0.2 0.3 1") "<Node name='sub'><MechanicalObject name='s' template='Vec3d'/><SubsetMapping indices='3 1 0'/><Node name='low'>" PATCH
                                                    "<IdentityMapping/>" LOAD "</Node></Node>",
        0, false);
    check(FRAME("r", TURNED) RIGID_POINTS("<Node name='low'>" PATCH "<IdentityMapping/>" LOAD "</Node>"), 0, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_mapped_points),
        cmocka_unit_test(between_unknowns_and_mapped_points),
        cmocka_unit_test(between_mapped_points_of_two_bodies),
        cmocka_unit_test(of_loads_on_mapped_surfaces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
