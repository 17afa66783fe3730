/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Scenes for tests of devices, with the template of their states left open.
 */
#ifndef TESTS_CUDA_DEVICE_SCENES_H
#define TESTS_CUDA_DEVICE_SCENES_H

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

#endif
