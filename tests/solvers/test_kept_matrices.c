/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Solvers that stay with the matrix of an earlier step: from each step on, what goes back to a moment, what is restarted from a checkpoint
 * and what is loaded from a saved scene makes the same steps as a run that nobody has stopped, bit for bit.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "scene_text.h"
#include "share.h"

#include <divan/divan.h>
#include <divan/embed.h>
#include <divan/moment.h>
#include <divan/parallel.h>

#define BEAM(solver)                                                                                    \
    "<Node name='root' dt='0.02' gravity='0 -4 0'><DefaultAnimationLoop/><EulerImplicitSolver/>" solver \
    "<RegularGridTopology n='2 2 5' min='0 0 0' max='1 1 4'/><MechanicalObject name='dofs'/>"           \
    "<UniformMass totalMass='20'/><FixedProjectiveConstraint indices='0 1 2 3'/>"                       \
    "<HexahedronFEMForceField youngModulus='900' poissonRatio='0.3' method='large'/></Node>"
#define PCG(more, preconditioner)                                                                                 \
    "<PreconditionedMatrixFreeSystem name='free' " more "/><PCGLinearSolver linearSystem='@free' iterations='3' " \
    "tolerance='1e-20' preconditioner='@" preconditioner "'/>"
#define LDL                                                                          \
    "<MatrixLinearSystem name='whole' template='CompressedRowSparseMatrixMat3x3d'/>" \
    "<SparseLDLSolver name='ldl' linearSystem='@whole' template='CompressedRowSparseMatrixMat3x3d'/>"
#define WARP         "<WarpPreconditioner name='warp' linearSystem='@turned' linearSolver='@ldl'/>"
#define TURNED(more) LDL "<RotationMatrixSystem name='turned' " more "/>" WARP

static const char *const scenes[] = {
    BEAM(PCG("assemblingRate='3'", "ldl") LDL),
    BEAM(PCG("assemblingRate='4'", "jacobi") "<JacobiPreconditioner name='jacobi'/>"),
    BEAM(PCG("assemblingRate='4'", "ssor") "<SSORPreconditioner name='ssor'/>"),
    BEAM(PCG("assemblingRate='3'", "blocks") "<BlockJacobiPreconditioner name='blocks'/>"),
    BEAM(PCG("", "warp") TURNED("assemblingRate='3'")),
    BEAM(PCG("assemblingRate='2'", "warp") TURNED("assemblingRate='3'")),
    BEAM(PCG("assemblingRate='3'", "warp") TURNED("")),
    BEAM(PCG(
        "",
        "warp") "<AsyncSparseLDLSolver name='ldl' refresh='2'/><RotationMatrixSystem name='turned' assemblingRate='2'/>" WARP),
    BEAM(PCG(
        "",
        "warp") "<AsyncSparseLDLSolver name='ldl' refresh='3'/><RotationMatrixSystem name='turned' assemblingRate='4'/>" WARP),
    BEAM("<AsyncSparseLDLSolver refresh='3'/>"),
    BEAM("<AsyncSparseLDLSolver refresh='2' tolerance='1e-8'/>"),
};

enum { NUMBERS = 3 * 20, FROM = 7, MORE = 4 };

static char saved[64] = P_tmpdir "/divan-kept-XXXXXX.scn", checkpoint[64] = P_tmpdir "/divan-kept-XXXXXX";

typedef struct Positions {
    double x[NUMBERS];
} Positions;

static Positions positions_of(DvScene *scene)
{
    Positions positions;
    const DvConstVec x = dv_state_read(scene_state(scene, "/dofs"), DV_POSITION);
    assert_int_equal(x.count * x.dim, NUMBERS);
    memcpy(positions.x, x.at, sizeof positions.x);
    return positions;
}

/* MORE steps after step number `from` of the run. */
static void expect_steps(DvScene *scene, const Positions *run, int from, const char *how)
{
    for (int k = from; k < from + MORE; k++) {
        assert_int_equal(dv_scene_step(scene, 0.0), DV_OK);
        const Positions now = positions_of(scene);
        if (memcmp(&now, &run[k], sizeof now) != 0)
            fail_msg("%s, from step %d: another position in step %d", how, from, k + 1);
    }
}

static void expect_loaded(const Positions *run, int from)
{
    DvScene *scene = NULL;
    assert_int_equal(dv_scene_load(saved, NULL, &scene), DV_OK);
    expect_steps(scene, run, from, "saved and loaded");
    dv_scene_free(scene);
}

static void expect_restarted(const char *text, const Positions *run, int from)
{
    dv_parallel_set_threads(3);
    DvScene *scene = scene_from_text(text);
    assert_int_equal(dv_checkpoint_read(scene, checkpoint), DV_OK);
    expect_steps(scene, run, from, "restarted");
    dv_scene_free(scene);
    dv_parallel_set_threads(1);
}

static void go_on(const char *text)
{
    Positions run[FROM + MORE];
    DvScene *straight = scene_from_text(text), *scene = scene_from_text(text);
    for (int i = 0; i < FROM + MORE; i++) {
        assert_int_equal(dv_scene_step(straight, 0.0), DV_OK);
        run[i] = positions_of(straight);
    }
    for (int from = 0; from <= FROM; from++) {
        DvMoment *moment = dv_moment_new(scene);
        assert_int_equal(dv_moment_take(moment), DV_OK);
        assert_int_equal(dv_scene_save(scene, saved), DV_OK);
        assert_int_equal(dv_checkpoint_write(scene, checkpoint), DV_OK);
        expect_steps(scene, run, from, "not stopped");
        for (int again = 0; again < 2; again++) {
            assert_int_equal(dv_moment_restore(moment), DV_OK);
            expect_steps(scene, run, from, "taken back");
        }
        if (from > 0)
            expect_loaded(run, from);
        expect_restarted(text, run, from);
        assert_int_equal(dv_moment_restore(moment), DV_OK);
        assert_int_equal(dv_scene_step(scene, 0.0), DV_OK);
        dv_moment_free(moment);
    }
    dv_scene_reset(scene);
    expect_steps(scene, run, 0, "reset");
    dv_scene_free(straight);
    dv_scene_free(scene);
}

static void a_run_goes_on_from_any_step(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++)
        if (share_has(i))
            go_on(scenes[i]);
}

static int start(void **state)
{
    const int first = mkstemps(saved, 4), second = mkstemp(checkpoint);
    if (first < 0 || second < 0 || dv_set_output_folder(P_tmpdir) != DV_OK)
        return -1;
    close(first);
    close(second);
    return start_plugins(state);
}

static int stop(void **state)
{
    (void)remove(saved);
    (void)remove(checkpoint);
    return stop_plugins(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_goes_on_from_any_step),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
