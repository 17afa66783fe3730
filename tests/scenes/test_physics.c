/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Physics that whole scenes owe: energies, momenta, beam theory.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <divan/contracts/mechanical_operations.h>
#include <divan/divan.h>

#include "scene_text.h"

static DvScene *load(const char *text)
{
    DvScene *scene = NULL;
    assert_int_equal(dv_scene_load_text(text, strlen(text), "scene.scn", NULL, NULL, &scene), DV_OK);
    return scene;
}

static void make_steps(DvScene *scene, int steps)
{
    for (int i = 0; i < steps; i++)
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
}

typedef struct System {
    const DvMechanicalOperationsOps *ops;
    DvMechanics *m;
} System;

static System open_system(DvScene *scene)
{
    const DvMechanicalOperationsOps *ops = dv_service(DV_MECHANICAL_OPERATIONS);
    const System system = {ops, ops->open(dv_scene_root(scene))};
    return system;
}

static double total_energy(System s)
{
    return s.ops->kinetic_energy(s.m) + s.ops->potential_energy(s.m);
}

/* An undamped spring pendulum: a particle on a spring, swinging and stretching. Largest deviation of the energy within 2 s. */
static double energy_error(const char *solver, double dt)
{
    char text[1000];
    snprintf(
        text, sizeof text,
        "<Node name='root' gravity='0 -10 0' dt='%.17g'><DefaultAnimationLoop/>%s"
        "<MechanicalObject position='0 0 0 1 0 0'/><UniformMass totalMass='2'/><FixedProjectiveConstraint indices='0'/>"
        "<SpringForceField spring='0 1 100 0 1'/></Node>",
        dt, solver);
    DvScene *scene = load(text);
    const System system = open_system(scene);
    const double start = total_energy(system);
    double worst = 0;
    for (int step = 0; step < (int)lround(2 / dt); step++) {
        make_steps(scene, 1);
        worst = fmax(worst, fabs(total_energy(system) - start));
    }
    system.ops->close(system.m);
    dv_scene_free(scene);
    return worst;
}

static void the_energy_of_a_spring_pendulum_is_conserved_to_the_order_of_the_integrator(void **state)
{
    (void)state;
    static const struct {
        const char *solver;
        double order;
    } cases[] = {
        {"<EulerExplicitSolver symplectic='1'/>", 1},
        {"<RungeKutta4Solver/>", 4},
        {"<EulerImplicitSolver/><SparseLDLSolver/>", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const double coarse = energy_error(cases[i].solver, 0.002), fine = energy_error(cases[i].solver, 0.001);
        const double order = log2(coarse / fine);
        if (!(fabs(order - cases[i].order) < 0.35))
            fail_msg("%s: energy errors %g and %g, order %g instead of %g", cases[i].solver, coarse, fine, order,
                     cases[i].order);
    }
    /* A symplectic method does not drift: ten times as long is not much worse, while the energy of the spring goes to and fro. */
    assert_true(energy_error("<EulerExplicitSolver symplectic='1'/>", 0.001) < 0.5);
}

static void the_momentum_of_a_free_body_stays_what_it_is(void **state)
{
    (void)state;
    static const char *const solvers[] = {
        "<EulerExplicitSolver/>",
        "<RungeKutta4Solver/>",
        "<EulerImplicitSolver/><SparseLDLSolver/>",
        "<EulerImplicitSolver/><CGLinearSolver iterations='500' tolerance='1e-16' threshold='1e-30'/>",
    };
    for (size_t i = 0; i < sizeof solvers / sizeof solvers[0]; i++) {
        char text[3000], velocities[1000] = "";
        for (int point = 0; point < 27; point++) /* uneven: the body turns, stretches and swings */
            snprintf(velocities + strlen(velocities), sizeof velocities - strlen(velocities), "%d %d %d ", point % 5,
                     point % 3 - 1, point % 7 - 3);
        snprintf(
            text, sizeof text,
            "<Node name='root' gravity='0 0 0' dt='0.001'><DefaultAnimationLoop/>%s"
            "<RegularGridTopology name='grid' nx='3' ny='3' nz='3' min='0 0 0' max='1 1 1'/>"
            "<MechanicalObject name='dofs' template='Vec3d' position='@grid.position' velocity='%s'/><UniformMass totalMass='27'/>"
            "<HexahedronFEMForceField youngModulus='2000' poissonRatio='0.3' method='polar'/></Node>",
            solvers[i], velocities);
        DvScene *scene = load(text);
        const System system = open_system(scene);
        double before[6] = {0}, after[6] = {0};
        system.ops->momentum(system.m, before);
        make_steps(scene, 50);
        system.ops->momentum(system.m, after);
        for (int c = 0; c < 3; c++)
            if (!(fabs(after[c] - before[c]) < 1e-12 * fmax(1, fabs(before[0]))))
                fail_msg("%s: momentum %g became %g", solvers[i], before[c], after[c]);
        assert_true(fabs(before[0]) > 10);
        system.ops->close(system.m);
        dv_scene_free(scene);
    }
}

/* Tip deflection of a cantilever of length 4 and section 1 x 1, E = 1000, nu = 0, loaded by 1 N over its end face, with n elements per
 * side. One implicit step that lasts nearly for ever is the solution of the static problem. */
static double tip_deflection(const char *force_field, unsigned n)
{
    const unsigned nx = 4 * n + 1, ny = n + 1;
    static char text[200000];
    sprintf(
        text,
        "<Node name='root' gravity='0 0 0' dt='1e5'><DefaultAnimationLoop/><EulerImplicitSolver/>"
        "<SparseLDLSolver template='CompressedRowSparseMatrixMat3x3d'/>"
        "<RegularGridTopology name='grid' nx='%u' ny='%u' nz='%u' min='0 0 0' max='4 1 1'/>"
        "<MechanicalObject name='dofs' template='Vec3d'/><UniformMass totalMass='1'/>%s<FixedProjectiveConstraint indices='",
        nx, ny, ny, force_field);
    for (unsigned z = 0; z < ny; z++)
        for (unsigned y = 0; y < ny; y++)
            sprintf(text + strlen(text), "%u ", (z * ny + y) * nx);
    strcat(text, "'/><ConstantForceField indices='");
    for (unsigned z = 0; z < ny; z++)
        for (unsigned y = 0; y < ny; y++)
            sprintf(text + strlen(text), "%u ", (z * ny + y) * nx + nx - 1);
    strcat(text, "' forces='");
    for (unsigned z = 0; z < ny; z++)
        for (unsigned y = 0; y < ny; y++) { /* the load of a node is the area of the faces around it, a quarter each */
            const double area = (z == 0 || z == n ? 0.5 : 1) * (y == 0 || y == n ? 0.5 : 1) / (n * n);
            sprintf(text + strlen(text), "0 %.17g 0 ", area);
        }
    strcat(text, "'/></Node>");
    DvScene *scene = load(text);
    make_steps(scene, 1);
    const DvStateRef dofs = dv_state_ref(dv_node_find(dv_scene_root(scene), DV_STATE, DV_SEARCH_DOWN));
    const DvConstVec x = dv_state_read(dofs, DV_POSITION);
    double sum = 0;
    for (unsigned z = 0; z < ny; z++)
        for (unsigned y = 0; y < ny; y++)
            sum += x.at[3 * ((z * ny + y) * nx + nx - 1) + 1] - (double)y / n;
    dv_scene_free(scene);
    return sum / (ny * ny);
}

/* The error of the finest mesh against the limit, and the order at which it got there. Tetrahedra are stiff in bending while there are few
 * across the beam; their order shows on the finest pair. */
static void a_cantilever_converges_to_beam_theory_at_the_order_of_its_elements(void **state)
{
    (void)state;
    static const char *const hexahedra =
        "<HexahedronFEMForceField youngModulus='1000' poissonRatio='0' method='small'/>";
    static const char *const tetrahedra =
        "<TetrahedronFEMForceField youngModulus='1000' poissonRatio='0' method='small'/>";
    /* Timoshenko 1921: P L^3 / 3 E I + P L / k G A, with I = 1/12, G = E / 2, k = 5/6 */
    const double theory = 64.0 / (3 * 1000.0 / 12) + 4 / (5.0 / 6 * 500);
    const double h2 = tip_deflection(hexahedra, 2), h4 = tip_deflection(hexahedra, 4),
                 h8 = tip_deflection(hexahedra, 8);
    const double order = log2((h4 - h2) / (h8 - h4)), limit = h8 + (h8 - h4) / 3;
    if (!(fabs(order - 2) < 0.2))
        fail_msg("hexahedra: deflections %g %g %g: order %g instead of 2", h2, h4, h8, order);
    if (!(fabs(limit / theory - 1) < 0.01))
        fail_msg("hexahedra: limit %g, beam theory %g", limit, theory);
    const double t4 = tip_deflection(tetrahedra, 4), t8 = tip_deflection(tetrahedra, 8);
    const double tetrahedral_order = log2((limit - t4) / (limit - t8));
    if (!(fabs(tetrahedral_order - 2) < 0.4))
        fail_msg("tetrahedra: deflections %g %g, limit %g: order %g instead of 2", t4, t8, limit, tetrahedral_order);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_energy_of_a_spring_pendulum_is_conserved_to_the_order_of_the_integrator),
        cmocka_unit_test(the_momentum_of_a_free_body_stays_what_it_is),
        cmocka_unit_test(a_cantilever_converges_to_beam_theory_at_the_order_of_its_elements),
    };
    return cmocka_run_group_tests(tests, start_plugins, stop_plugins);
}
