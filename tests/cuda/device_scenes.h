/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Scenes for tests of devices, with the template of their states left open.
 */
#ifndef TESTS_CUDA_DEVICE_SCENES_H
#define TESTS_CUDA_DEVICE_SCENES_H

#include <math.h>
#include <stdio.h>

#include <divan/contracts/vector_space.h>
#include <divan/divan.h>

#include "scene_text.h"

/* A beam of 5 x 3 x 3 points, held at one end; `word`: its template. */
#define BEAM(SOLVER, MORE)                                                                          \
    "<Node name='root' dt='0.01' gravity='0 -9 0'><DefaultAnimationLoop/><Node name='Body'>" SOLVER \
    "<RegularGridTopology name='grid' n='5 3 3' min='0 0 0' max='4 1 1'/>"                          \
    "<MechanicalObject name='dofs' template='%s'/>"                                                 \
    "<TetrahedronFEMForceField name='fem' youngModulus='2000' poissonRatio='0.3' method='large'/>"  \
    "<DiagonalMass name='mass' totalMass='5'/>"                                                     \
    "<FixedProjectiveConstraint name='fixed' indices='0 5 10 15 20 25 30 35 40'/>" MORE "</Node></Node>"
#define IMPLICIT                                                          \
    "<EulerImplicitSolver rayleighStiffness='0.05' rayleighMass='0.05'/>" \
    "<CGLinearSolver name='cg' iterations='200' tolerance='1e-13' threshold='1e-40'/>"
#define LOADS                                                                 \
    "<ConstantForceField indices='4 9' forces='0 0 3 0 1 0'/>"                \
    "<PlaneForceField normal='0 1 0' d='-0.05' stiffness='300' damping='1'/>" \
    "<MeshSpringForceField linesStiffness='50' linesDamping='0.1'/>"

static inline DvScene *with_template(const char *format, const char *word)
{
    char text[4096];
    assert_true((size_t)snprintf(text, sizeof text, format, word) < sizeof text);
    return scene_from_text(text);
}

static inline void make_steps_of(DvScene *scene, int steps, double dt)
{
    for (int i = 0; i < steps; i++)
        assert_int_equal(dv_scene_step(scene, dt), DV_OK);
}

static inline void make_steps(DvScene *scene, int steps)
{
    make_steps_of(scene, steps, 0);
}

/* Largest difference of positions and velocities, relative to the largest number. */
static inline double difference(const DvScene *a, const DvScene *b)
{
    const DvStateRef s = scene_state(a, "/Body/dofs"), t = scene_state(b, "/Body/dofs");
    double largest = 0, size = 1e-300;
    for (int k = 0; k < 2; k++) {
        const DvConstVec x = dv_state_read(s, k ? DV_VELOCITY : DV_POSITION),
                         y = dv_state_read(t, k ? DV_VELOCITY : DV_POSITION);
        assert_int_equal(x.count, y.count);
        for (uint32_t i = 0; i < x.count * x.dim; i++) {
            assert_true(isfinite(x.at[i]) && isfinite(y.at[i]));
            largest = fmax(largest, fabs(x.at[i] - y.at[i]));
            size = fmax(size, fabs(x.at[i]));
        }
    }
    return largest / size;
}

#endif
