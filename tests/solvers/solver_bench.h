/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A linear solver of any class with a matrix that a test or a benchmark gives (given_matrix.c), for programs that have started that plugin.
 */
#ifndef TESTS_SOLVER_BENCH_H
#define TESTS_SOLVER_BENCH_H

#include "given_matrix.h"
#include "scene_text.h"

#include <divan/contracts/solver.h>
#include <divan/divan.h>

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static inline DvScene *load(const char *text)
{
    DvScene *scene = NULL;
    assert_int_equal(dv_scene_load_text(text, strlen(text), "scene.scn", NULL, NULL, &scene), DV_OK);
    return scene;
}

typedef struct Bench {
    DvScene *scene;
    const DvLinearSolverOps *ops;
    void *self, *field;
    const GivenMatrixOps *given;
    const DvMechanicalOperationsOps *operations;
    DvMechanics *m;
    DvStep step;
} Bench;

static inline Bench open_bench(const char *class_name, uint32_t points, uint32_t block)
{
    DvText text = {0};
    dv_text_add(
        &text,
        "<Node dt='0.01'><DefaultAnimationLoop/><%s name='solver'/><MechanicalObject name='dofs' template='Vec%ud' "
        "position='",
        class_name, block);
    for (uint32_t i = 0; i < points * block; i++)
        dv_text_add(&text, " 0");
    dv_text_add(&text, "'/><UniformMass totalMass='1'/><GivenMatrix name='given'/></Node>");
    Bench bench = {.scene = load(text.at), .operations = dv_service(DV_MECHANICAL_OPERATIONS)};
    dv_text_free(&text);
    DvObject *solver = scene_object(bench.scene, "/solver"), *field = scene_object(bench.scene, "/given");
    bench.ops = dv_object_ops(solver, DV_LINEAR_SOLVER);
    bench.self = dv_object_self(solver);
    bench.given = dv_object_ops(field, TEST_GIVEN_MATRIX);
    bench.field = dv_object_self(field);
    bench.m = bench.operations->open(dv_object_node(solver));
    bench.step = (DvStep){.dt = 0.01,
                          .position = DV_POSITION,
                          .velocity = DV_VELOCITY,
                          .kind = bench.ops->takes ? bench.ops->takes(bench.self) : DV_MATRIX_SYMMETRIC};
    return bench;
}

static inline void close_bench(Bench *bench)
{
    bench->operations->close(bench->m);
    dv_scene_free(bench->scene);
}

static inline DvStatus take(Bench *bench, const DvBlockMatrix *a)
{
    bench->given->set(bench->field, a);
    return bench->ops->set_system(bench->self, bench->m, &bench->step, (DvFactors){.k = 1.0});
}

#endif
