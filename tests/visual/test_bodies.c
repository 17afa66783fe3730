/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Scenes that show nothing by themselves: their bodies are drawn, and only of such scenes.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <divan/contracts/picture.h>
#include <divan/divan.h>

#include "scene_text.h"

typedef struct Counts {
    bool bodies;
    uint32_t triangles, lines, points, cylinders, arrows, spheres, wires;
    double lowest[3], highest[3]; /* of lines */
    double longest;               /* of arrows */
} Counts;

static void count_batch(Counts *counts, const DvPictureBatch *batch)
{
    const uint32_t count = batch->array->count;
    const bool wires = (batch->draw_state & DV_DRAW_WIREFRAME) != 0;
    counts->triangles += batch->kind == DV_BATCH_TRIANGLES && !wires ? count / 3 : 0;
    counts->wires += batch->kind == DV_BATCH_TRIANGLES && wires ? count / 3 : 0;
    counts->points += batch->kind == DV_BATCH_POINTS ? count : 0;
    counts->cylinders += batch->kind == DV_BATCH_CYLINDERS ? count : 0;
    counts->arrows += batch->kind == DV_BATCH_ARROWS ? count : 0;
    counts->spheres += batch->kind == DV_BATCH_SPHERES ? count : 0;
    const DvBatchSolid *arrow = batch->array->at;
    for (uint32_t i = 0; batch->kind == DV_BATCH_ARROWS && i < count; i++)
        counts->longest =
            fmax(counts->longest,
                 hypot(hypot((double)(arrow[i].to[0] - arrow[i].from[0]), (double)(arrow[i].to[1] - arrow[i].from[1])),
                       (double)(arrow[i].to[2] - arrow[i].from[2])));
    if (batch->kind != DV_BATCH_LINES)
        return;
    counts->lines += count / 2;
    const DvBatchVertex *vertex = batch->array->at;
    for (uint32_t i = 0; i < count; i++)
        for (int c = 0; c < 3; c++) {
            counts->lowest[c] = fmin(counts->lowest[c], vertex[i].at[c]);
            counts->highest[c] = fmax(counts->highest[c], vertex[i].at[c]);
        }
}

static Counts count_of(const DvPicture *picture)
{
    Counts counts = {.bodies = picture->shows_bodies};
    for (uint32_t i = 0; i < picture->batch_count; i++)
        count_batch(&counts, &picture->batches[i]);
    return counts;
}

static Counts counts_with(const char *text, const DvRecordOptions *options)
{
    DvScene *scene = scene_from_text(text);
    const DvPictureRecorderOps *ops = dv_service(DV_PICTURE_RECORDER);
    DvRecorder *recorder = ops->create(scene);
    DvPicture *picture = ops->record(recorder, options), *again = ops->record(recorder, options);
    const Counts counts = count_of(picture), later = count_of(again);
    assert_memory_equal(&counts, &later, sizeof counts);
    ops->unref(picture);
    ops->unref(again);
    ops->destroy(recorder);
    dv_scene_free(scene);
    return counts;
}

static Counts counts_of(const char *text)
{
    const DvRecordOptions options = {.bodies = true};
    return counts_with(text, &options);
}

#define SOLVER "<EulerImplicitSolver/><CGLinearSolver iterations='20' tolerance='1e-9' threshold='1e-20'/>"
#define BLOCK \
    "<RegularGridTopology n='3 3 3' min='0 0 0' max='1 1 1'/><MechanicalObject name='dofs'/><UniformMass totalMass='1'/>"

static void a_mesh_of_volumes_is_a_closed_skin(void **state)
{
    (void)state;
    Counts counts =
        counts_of("<Node>" SOLVER BLOCK "<HexahedronFEMForceField youngModulus='1e3' poissonRatio='0.3'/></Node>");
    assert_true(counts.bodies);
    assert_int_equal(counts.triangles, 6 * 4 * 2); /* of four squares on each side; elements are not drawn again */
    assert_int_equal(counts.lines, 6 * 4 * 2);     /* each edge has two squares */
    assert_int_equal(counts.points, 0);
    counts = counts_of(
        "<Node>" SOLVER
        "<MeshTopology position='0 0 0 1 0 0 0 1 0 0 0 1 1 1 1' tetrahedra='0 1 2 3 4 3 2 1'/><MechanicalObject/>"
        "<UniformMass totalMass='1'/><TetrahedronFEMForceField youngModulus='1e3' poissonRatio='0.3'/></Node>");
    assert_int_equal(counts.triangles, 6);
    assert_int_equal(counts.lines, 9);
}

/* What hangs on a body with a skin is within it: collision models are drawn by their edges. */
static void what_hangs_on_a_skin_is_drawn_by_its_edges(void **state)
{
    (void)state;
    const Counts counts = counts_of("<Node>" SOLVER BLOCK
                                    "<Node name='touch'><MeshTopology position='0 0 0 1 0 0 0 1 0' triangles='0 1 2'/>"
                                    "<MechanicalObject/><BarycentricMapping/><TriangleCollisionModel/></Node></Node>");
    assert_true(counts.bodies);
    assert_int_equal(counts.triangles, 48);
    assert_int_equal(counts.wires, 1);
}

static void springs_beams_and_points_are_seen(void **state)
{
    (void)state;
    Counts counts =
        counts_of("<Node>" SOLVER "<MechanicalObject position='0 0 0 1 0 0 2 0 0'/><UniformMass totalMass='1'/>"
                  "<SpringForceField spring='0 1 10 0 1  1 2 10 0 1'/></Node>");
    assert_true(counts.bodies);
    assert_int_equal(counts.points, 3);
    assert_int_equal(counts.lines, 2);
    counts = counts_of("<Node>" SOLVER "<MeshTopology position='0 0 0 1 0 0 2 0 0' edges='0 1 1 2'/><MechanicalObject/>"
                       "<UniformMass totalMass='1'/></Node>");
    assert_int_equal(counts.points, 3);
    assert_int_equal(counts.lines, 2);
    assert_true(counts.lowest[0] == 0 && counts.highest[0] == 2);
    counts = counts_of(
        "<Node>" SOLVER
        "<MeshTopology edges='0 1'/><MechanicalObject template='Rigid3d' position='0 0 0 0 0 0 1 1 0 0 0 0 0 1'/>"
        "<UniformMass vertexMass='1 1 [1 0 0, 0 1 0, 0 0 1]'/><BeamFEMForceField youngModulus='1e5' poissonRatio='0.3' "
        "radius='0.1'/></Node>");
    assert_true(counts.cylinders > 0);
    assert_int_equal(counts.arrows, 2 * 3);
}

/* A box of 2 x 4 x 6 m, and one of a tenth of that: its moments over its mass are (b^2 + c^2) / 12. Arrows come out of it. */
static void a_rigid_body_has_the_box_of_its_inertia(void **state)
{
    (void)state;
    for (int small = 0; small < 2; small++) {
        const double size = small ? 0.1 : 1;
        DvText text = {0};
        dv_text_add(&text,
                    "<Node>" SOLVER "<MechanicalObject template='Rigid3d' position='0 0 0 0 0 0 1  20 0 0 0 0 0 1'/>"
                    "<UniformMass vertexMass='3 1 [%.17g 0 0, 0 %.17g 0, 0 0 %.17g]'/></Node>",
                    52.0 / 12 * size * size, 40.0 / 12 * size * size, 20.0 / 12 * size * size);
        const Counts counts = counts_of(text.at);
        dv_text_free(&text);
        assert_true(counts.bodies);
        assert_int_equal(counts.lines, 2 * 12);
        assert_int_equal(counts.arrows, 2 * 3);
        assert_true(fabs(counts.longest - 3.6 * size) < 1e-5);
        const double lowest[3] = {-size, -2 * size, -3 * size}, highest[3] = {20 + size, 2 * size, 3 * size};
        for (int c = 0; c < 3; c++) {
            assert_true(fabs(counts.lowest[c] - lowest[c]) < 1e-5);
            assert_true(fabs(counts.highest[c] - highest[c]) < 1e-5);
        }
    }
}

static void scenes_that_show_something_are_left_alone(void **state)
{
    (void)state;
    assert_false(
        counts_of("<Node>" SOLVER BLOCK "<OglModel position='0 0 0 1 0 0 0 1 0' triangles='0 1 2'/></Node>").bodies);
    assert_false(counts_of("<Node><VisualStyle displayFlags='showForceFields'/>" SOLVER BLOCK
                           "<HexahedronFEMForceField youngModulus='1e3' poissonRatio='0.3'/></Node>")
                     .bodies);
    DvRecordOptions options = {.bodies = true};
    options.flags[DV_DISPLAY_FORCE_FIELDS] = -1; /* somebody has chosen what he sees */
    assert_false(counts_with("<Node>" SOLVER BLOCK "</Node>", &options).bodies);
    assert_false(counts_with("<Node>" SOLVER BLOCK "</Node>", NULL).bodies);
    /* A scene with nothing in it stays empty. */
    assert_int_equal(counts_of("<Node/>").triangles, 0);
}

static void flags_are_read_from_words(void **state)
{
    (void)state;
    const DvPictureRecorderOps *ops = dv_service(DV_PICTURE_RECORDER);
    signed char flags[DV_DISPLAY_FLAGS] = {0};
    DvText why = {0};
    flags[DV_DISPLAY_WIREFRAME] = 1;
    assert_int_equal(ops->read_flags("showCollision, hidevisual ForceFields", flags, &why), DV_OK);
    assert_int_equal(flags[DV_DISPLAY_COLLISION_MODELS], 1);
    assert_int_equal(flags[DV_DISPLAY_DETECTION_OUTPUTS], 1);
    assert_int_equal(flags[DV_DISPLAY_VISUAL_MODELS], -1);
    assert_int_equal(flags[DV_DISPLAY_FORCE_FIELDS], 1);
    assert_int_equal(flags[DV_DISPLAY_BEHAVIOR_MODELS], 0);
    assert_int_equal(flags[DV_DISPLAY_WIREFRAME], 1);
    assert_int_equal(ops->read_flags("colision", flags, &why), DV_ERROR_INVALID);
    assert_string_equal(why.at, "no display flag 'colision'; did you mean 'Collision'?");
    dv_text_free(&why);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mesh_of_volumes_is_a_closed_skin),
        cmocka_unit_test(what_hangs_on_a_skin_is_drawn_by_its_edges),
        cmocka_unit_test(springs_beams_and_points_are_seen),
        cmocka_unit_test(a_rigid_body_has_the_box_of_its_inertia),
        cmocka_unit_test(scenes_that_show_something_are_left_alone),
        cmocka_unit_test(flags_are_read_from_words),
    };
    return cmocka_run_group_tests(tests, start_plugins, stop_plugins);
}
