/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * GlobalSystemMatrixImage: matrices whose entries are known are shown cell by cell, large ones on fewer cells; the sheet stands where it is
 * asked for; who looks on changes nothing.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <divan/memory.h>
#include <divan/scene.h>

#include "drawing.h"
#include "scene_text.h"

/* A spring in a general direction couples all of two points; a third one has its mass alone. */
#define SCENE(solver, image)                                                                             \
    "<Node name='root' dt='0.01' gravity='0 -10 0'><DefaultAnimationLoop/><EulerImplicitSolver/>" solver \
    "<MechanicalObject name='dofs' position='0 0 0  1 2 3  0 5 0'/><UniformMass totalMass='3'/>"         \
    "<SpringForceField spring='0 1 100 1 1'/>" image "</Node>"
#define IMAGE "<GlobalSystemMatrixImage name='image'/>"

static DvScene *stepped(const char *text)
{
    DvScene *scene = scene_from_text(text);
    assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    return scene;
}

static const char *bitmap_of(const DvScene *scene)
{
    return dv_data_string(dv_object_field(scene_object(scene, "/image"), "bitmap"));
}

/* P1 and the size, then whether each entry is dark. */
static void expect_bitmap(const DvScene *scene, int side, bool (*is_dark)(int row, int column))
{
    DvText text = {0};
    dv_text_add(&text, "P1 %d %d\n", side, side);
    for (int i = 0; i < side * side; i++)
        dv_text_add(&text, "%d%s", is_dark(i / side, i % side), (i + 1) % side ? " " : "\n");
    assert_string_equal(bitmap_of(scene), text.at);
    dv_text_free(&text);
}

static bool is_coupled(int row, int column)
{
    return row == column || (row < 6 && column < 6);
}

static void entries_that_are_not_zero_are_dark(void **state)
{
    (void)state;
    DvScene *scene = stepped(SCENE("<SparseLDLSolver/>", IMAGE));
    expect_bitmap(scene, 9, is_coupled);
    dv_scene_free(scene);
}

static bool is_coupled_or_fixed(int row, int column)
{
    return row == column || (row >= 3 && row < 6 && column >= 3 && column < 6);
}

/* An image of one system among several; fixed rows have their diagonal alone; an image that comes later sees the next matrix. */
static void the_system_that_is_named_is_shown(void **state)
{
    (void)state;
    DvScene *scene = stepped(
        SCENE("<MatrixLinearSystem name='it' template='CompressedRowSparseMatrixMat3x3d'/><SparseLDLSolver "
              "template='CompressedRowSparseMatrixMat3x3d' linearSystem='@it'/>",
              "<FixedProjectiveConstraint indices='0'/><GlobalSystemMatrixImage name='image' linearSystem='@it'/>"));
    expect_bitmap(scene, 9, is_coupled_or_fixed);
    dv_object_remove(scene_object(scene, "/image"));
    assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    DvObject *later = NULL;
    assert_int_equal(dv_object_new(dv_scene_root(scene), "GlobalSystemMatrixImage", &later, "name", "image",
                                   "linearSystem", "@it", (char *)NULL),
                     DV_OK);
    assert_string_equal(bitmap_of(scene), "");
    assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    expect_bitmap(scene, 9, is_coupled_or_fixed);
    dv_scene_free(scene);
}

static bool is_on_the_diagonal(int row, int column)
{
    return row == column;
}

/* 100 points without a spring: a diagonal of 300, on 64 cells. */
static void a_large_matrix_has_fewer_cells(void **state)
{
    (void)state;
    DvText text = {0};
    dv_text_add(&text, "<Node name='root' dt='0.01'><DefaultAnimationLoop/><EulerImplicitSolver/><SparseLDLSolver/>"
                       "<MechanicalObject position='");
    for (int i = 0; i < 100; i++)
        dv_text_add(&text, "%d 0 0 ", i);
    dv_text_add(&text, "'/><UniformMass totalMass='100'/>" IMAGE "</Node>");
    DvScene *scene = stepped(text.at);
    expect_bitmap(scene, 64, is_on_the_diagonal);
    dv_scene_free(scene);
    dv_text_free(&text);
}

static bool is_along_x(int row, int column)
{
    return row == column || (row % 3 == 0 && column % 3 == 0);
}

static bool is_anything(int row, int column)
{
    (void)row;
    (void)column;
    return true;
}

/* A spring along x that begins to turn: the image is another one, which costs a step no memory. */
static void another_image_allocates_nothing(void **state)
{
    (void)state;
    DvScene *scene = stepped(
        "<Node name='root' dt='0.01' gravity='0 0 0'><DefaultAnimationLoop/><EulerImplicitSolver/><SparseLDLSolver/>"
        "<MechanicalObject name='dofs' position='0 0 0  2 0 0' velocity='0 0 0  0 1 2'/><UniformMass totalMass='2'/>"
        "<SpringForceField spring='0 1 100 0 2'/>" IMAGE "</Node>");
    const uint64_t before = dv_allocation_count();
    assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    assert_int_equal(dv_allocation_count(), before);
    expect_bitmap(scene, 6, is_anything);
    dv_scene_reset(scene);
    assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    expect_bitmap(scene, 6, is_along_x);
    dv_scene_free(scene);
}

typedef struct Sheet {
    double box[6];
    uint32_t triangles, dark, state;
    bool upper_left_is_dark, upper_right_is_dark;
} Sheet;

static void read_sheet(void *context, const DrawnBatch *batch)
{
    Sheet *sheet = context;
    assert_int_equal(batch->kind, DRAWN_TRIANGLES);
    assert_int_equal(batch->color_count, batch->count);
    sheet->triangles += batch->count;
    sheet->state = batch->state;
    for (uint32_t i = 0; i < batch->count; i++) {
        const bool dark = batch->colors[4 * (size_t)i] < 0.5;
        double middle[2] = {0, 0};
        sheet->dark += dark;
        for (uint32_t k = 0; k < 9; k++) {
            const double at = batch->points[9 * (size_t)i + k];
            sheet->box[k % 3] = fmin(sheet->box[k % 3], at);
            sheet->box[3 + k % 3] = fmax(sheet->box[3 + k % 3], at);
            if (k % 3 < 2)
                middle[k % 3] += at / 3;
        }
        if (dark && middle[1] > 20 + 8)
            *(middle[0] < 10 + 1 ? &sheet->upper_left_is_dark : &sheet->upper_right_is_dark) |=
                middle[0] < 10 + 1 || middle[0] > 10 + 6;
    }
}

static Sheet draw(const DvScene *scene, uint32_t flags)
{
    Sheet sheet = {.box = {1e9, 1e9, 1e9, -1e9, -1e9, -1e9}};
    DrawRecorder recorder = draw_recorder(flags, read_sheet, &sheet);
    record_drawing_of(&recorder, scene_object(scene, "/image"));
    return sheet;
}

static void expect_box(const Sheet *sheet, const double box[6])
{
    for (int i = 0; i < 6; i++)
        if (!(fabs(sheet->box[i] - box[i]) < 1e-12))
            fail_msg("the sheet's corner %d is %g instead of %g", i, sheet->box[i], box[i]);
}

/* A cell has two triangles; the first row is on top. */
static void the_sheet_stands_where_it_is_asked_for(void **state)
{
    (void)state;
    DvScene *scene =
        stepped(SCENE("<SparseLDLSolver/>", "<GlobalSystemMatrixImage name='image' position='10 20 30' size='9'/>"));
    Sheet sheet = draw(scene, 1u << DV_DISPLAY_BEHAVIOR_MODELS);
    assert_int_equal(sheet.triangles, 2 * 81);
    assert_int_equal(sheet.dark, 2 * (36 + 3));
    assert_int_equal(sheet.state, DV_DRAW_UNLIT);
    expect_box(&sheet, (const double[]){10, 20, 30, 19, 29, 30});
    assert_true(sheet.upper_left_is_dark && !sheet.upper_right_is_dark);
    assert_int_equal(draw(scene, ~(1u << DV_DISPLAY_BEHAVIOR_MODELS)).triangles, 0);
    dv_scene_free(scene);
    /* By itself: as high as the scene, a tenth of that to its right, half-way through it. */
    scene = scene_from_text(SCENE("<SparseLDLSolver/>", IMAGE));
    assert_int_equal(draw(scene, UINT32_MAX).triangles, 0);
    dv_node_set_gravity(dv_scene_root(scene), (const double[]){0, 0, 0});
    dv_scene_free(scene);
    scene = stepped(
        "<Node name='root' dt='0.01' gravity='0 0 0'><DefaultAnimationLoop/><EulerImplicitSolver/><SparseLDLSolver/>"
        "<MechanicalObject position='0 1 0  1 3 4  0 5 0'/><UniformMass totalMass='3'/>" IMAGE "</Node>");
    sheet = draw(scene, UINT32_MAX);
    expect_box(&sheet, (const double[]){1.4, 1, 2, 5.4, 5, 2});
    dv_scene_free(scene);
}

static void hear(const DvMessage *message, void *context)
{
    dv_text_add(context, "%s\n", message->text);
}

/* A solver that does without the matrix goes on to do so, and says so once; results are the same with the image and without. */
static void who_looks_on_changes_nothing(void **state)
{
    (void)state;
    static const char *const solvers[][2] = {
        {SCENE("<SparseLDLSolver/>", IMAGE), SCENE("<SparseLDLSolver/>", "")},
        {SCENE(
             "<CGLinearSolver template='CompressedRowSparseMatrixMat3x3d' iterations='20' tolerance='1e-9' threshold='1e-20'/>",
             IMAGE),
         SCENE(
             "<CGLinearSolver template='CompressedRowSparseMatrixMat3x3d' iterations='20' tolerance='1e-9' threshold='1e-20'/>",
             "")}};
    DvText said = {0};
    for (int i = 0; i < 2; i++) {
        double x[2][9];
        for (int k = 0; k < 2; k++) {
            DvScene *scene = scene_from_text(solvers[i][k]);
            dv_log_set_handler(hear, &said);
            for (int n = 0; n < 5; n++)
                assert_int_equal(dv_scene_step(scene, 0), DV_OK);
            dv_log_set_handler(NULL, NULL);
            memcpy(x[k], dv_state_read(scene_state(scene, "/dofs"), DV_POSITION).at, sizeof x[k]);
            dv_scene_free(scene);
        }
        assert_memory_equal(x[0], x[1], sizeof x[0]);
    }
    const char *words = said.at ? strstr(said.at, "does without the matrix of") : NULL;
    if (words)
        assert_null(strstr(words + 1, "does without the matrix of"));
    dv_text_free(&said);
}

static void mistakes_are_named(void **state)
{
    (void)state;
    expect_load_error("<Node><DefaultAnimationLoop/><MechanicalObject/>" IMAGE "</Node>",
                      "no linear system in its node or above: add a solver that assembles");
    expect_load_error(
        SCENE("<CGLinearSolver template='GraphScattered' iterations='20' tolerance='1e-9' threshold='1e-9'/>", IMAGE),
        "assembles no matrix; a MatrixLinearSystem does");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_that_are_not_zero_are_dark),
        cmocka_unit_test(the_system_that_is_named_is_shown),
        cmocka_unit_test(a_large_matrix_has_fewer_cells),
        cmocka_unit_test(the_sheet_stands_where_it_is_asked_for),
        cmocka_unit_test(another_image_allocates_nothing),
        cmocka_unit_test(who_looks_on_changes_nothing),
        cmocka_unit_test(mistakes_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, stop_plugins);
}
