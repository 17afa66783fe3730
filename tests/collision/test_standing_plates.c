/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Plates and sheets that lie on each other exactly, without friction. By the way between corners each contact leans as they slide, so that
 * plates drift or slide into each other, which is told; with flatCorners they stay: without friction no force has a direction along
 * the faces, and what does not move at first never does. Sheets that show each other their backs have no contacts by LocalMinDistance,
 * which is told at the start, or when it happens; with bothSide the upper one lies at the contact distance.
 */
#include "detect.h"

static char lines[2048];

static void keep_warnings(const DvMessage *message, void *context)
{
    (void)context;
    if (message->level != DV_LEVEL_WARNING || strstr(message->text, "are not solved"))
        return;
    strncat(lines, message->text, sizeof lines - strlen(lines) - 1);
    strncat(lines, "\n", sizeof lines - strlen(lines) - 1);
}

static void add_models(DvText *text, bool with_lines, const char *attributes)
{
    dv_text_add(text, "<TriangleCollisionModel %s/>", attributes);
    if (with_lines)
        dv_text_add(text, "<LineCollisionModel %s/>", attributes);
    dv_text_add(text, "<PointCollisionModel %s/>", attributes);
}

/* A plate of 0.4 x 0.02 x 0.4 m around a point. */
static void add_plate(DvText *text, double y)
{
    static const char triangles[] = "0 1 3 0 3 2 4 6 7 4 7 5 0 4 5 0 5 1 2 3 7 2 7 6 0 2 6 0 6 4 1 5 7 1 7 3";
    dv_text_add(text, "<MeshTopology triangles='%s' position='", triangles);
    for (int i = 0; i < 8; i++)
        dv_text_add(text, "%g %.17g %g  ", i & 4 ? 0.2 : -0.2, y + (i & 2 ? 0.01 : -0.01), i & 1 ? 0.2 : -0.2);
    dv_text_add(text, "'/><MechanicalObject/>");
}

static DvScene *three_plates(bool with_lines, const char *method, const char *solver, const char *mu)
{
    DvText text = {0};
    dv_text_add(&text,
                "<Node name='root' gravity='0 -9.81 0' dt='0.01'><FreeMotionAnimationLoop/>%s<CollisionPipeline "
                "name='pipeline'/><BruteForceBroadPhase/><BVHNarrowPhase/><LocalMinDistance alarmDistance='0.02' "
                "contactDistance='0.005' %s/><CollisionResponse response='FrictionContactConstraint' "
                "responseParams='mu=%s'/><Node name='Floor'>",
                solver, method, mu);
    add_plate(&text, 0.0);
    add_models(&text, with_lines, "moving='0' simulated='0'");
    dv_text_add(&text, "</Node>");
    for (int i = 1; i < 3; i++) {
        dv_text_add(
            &text,
            "<Node name='P%d'><EulerImplicitSolver/><CGLinearSolver iterations='25' tolerance='1e-9' "
            "threshold='1e-9'/><MechanicalObject name='frame' template='Rigid3d' position='0 %.17g 0  0 0 0 1'/>"
            "<UniformMass vertexMass='1 1 [0.0134 0 0, 0 0.0267 0, 0 0 0.0134]'/><UncoupledConstraintCorrection/>"
            "<Node name='Surface'>",
            i, 0.026 * i);
        add_plate(&text, 0.0);
        add_models(&text, with_lines, "");
        dv_text_add(&text, "<RigidMapping/></Node></Node>");
    }
    dv_text_add(&text, "</Node>");
    DvScene *scene = scene_from_text(text.at);
    dv_text_free(&text);
    return scene;
}

static void run(DvScene *scene, int steps)
{
    lines[0] = '\0';
    dv_log_set_handler(keep_warnings, NULL);
    for (int step = 0; step < steps; step++)
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    dv_log_set_handler(NULL, NULL);
}

static DvVec3 place_of(DvScene *scene, const char *path)
{
    return dv_vec3_load(dv_state_read(scene_state(scene, path), DV_POSITION).at);
}

#define GAUSS_SEIDEL "<BlockGaussSeidelConstraintSolver maxIterations='1000' tolerance='1e-8'/>"
#define LCP(mu)      "<LCPConstraintSolver maxIt='1000' tolerance='1e-8' mu='" mu "'/>"

static void plates_stay_with_flat_corners(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        DvScene *scene = three_plates(i % 2, "flatCorners='1'", i / 2 ? LCP("0") : GAUSS_SEIDEL, "0");
        run(scene, 300);
        for (int plate = 1; plate < 3; plate++) {
            const DvVec3 at = place_of(scene, plate == 1 ? "/P1/frame" : "/P2/frame");
            assert_true(fabs(at.x) < 1e-5 && fabs(at.z) < 1e-5 && fabs(at.y - 0.025 * plate) < 1e-6);
        }
        assert_string_equal(lines, "");
        dv_scene_free(scene);
    }
}

static void plates_that_slide_off_each_other_are_told_of(void **state)
{
    (void)state;
    static const struct {
        const char *solver, *mu;
        bool told;
    } cases[] = {
        {GAUSS_SEIDEL, "0", true}, {GAUSS_SEIDEL, "0.3", false}, {LCP("0"), "0", true}, {LCP("0.3"), "0.3", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        DvScene *scene = three_plates(i % 2, "", cases[i].solver, cases[i].mu);
        run(scene, 10);
        const char *first = strstr(lines, "4 of its corners stand on corners of ");
        assert_int_equal(first != NULL, cases[i].told);
        assert_true(!first ||
                    (strstr(first, "flatCorners") && !strstr(strchr(first, '\n'), "stand on corners of"))); /* once */
        dv_scene_free(scene);
    }
}

/* A sheet of two by two squares above one that is held, both with their faces up; `high`: four triangles of this one are a metre above, so
 * that most of its points are before the face of the other. */
static DvScene *two_sheets(const char *attributes, bool high)
{
    DvText text = {0}, triangles = {0};
    for (int i = 0; i < 4; i++) {
        const int a = i % 2 + 3 * (i / 2);
        dv_text_add(&triangles, "%d %d %d %d %d %d ", a, a + 3, a + 1, a + 1, a + 3, a + 4);
    }
    dv_text_add(&text,
                "<Node name='root' gravity='0 -9.81 0' dt='0.01'><FreeMotionAnimationLoop/>" GAUSS_SEIDEL
                "<CollisionPipeline name='pipeline'/><BruteForceBroadPhase/><BVHNarrowPhase/><LocalMinDistance "
                "alarmDistance='0.02' contactDistance='0.005'/><CollisionResponse response='FrictionContactConstraint' "
                "responseParams='mu=0.3'/>");
    for (int sheet = 0; sheet < 2; sheet++) {
        const bool more = high && sheet == 0;
        dv_text_add(&text, "<Node name='S%d'>%s<MeshTopology triangles='%s %s' position='", sheet,
                    sheet ? "<EulerImplicitSolver/><SparseLDLSolver template='CompressedRowSparseMatrixd'/>" : "",
                    triangles.at, more ? "9 10 11  12 13 14  15 16 17  18 19 20" : "");
        for (int row = 0; row < 3; row++)
            for (int column = 0; column < 3; column++)
                dv_text_add(&text, "%g %g %g  ", 0.1 * column, 0.006 * sheet, 0.1 * row);
        for (int corner = 0; more && corner < 12; corner++)
            dv_text_add(&text, "%g 1 %g  ", 0.1 * corner, 0.1 * (corner % 3));
        dv_text_add(&text, "'/><MechanicalObject name='points'/>%s",
                    sheet
                        ? "<UniformMass totalMass='0.1'/><TriangleFEMForceField youngModulus='1e4' poissonRatio='0.3'/>"
                          "<LinearSolverConstraintCorrection/>"
                        : "");
        char models[128];
        snprintf(models, sizeof models, "%s%s", attributes, sheet ? "" : " moving='0' simulated='0'");
        add_models(&text, true, models);
        dv_text_add(&text, "</Node>");
    }
    dv_text_add(&text, "</Node>");
    DvScene *scene = scene_from_text(text.at);
    dv_text_free(&text);
    dv_text_free(&triangles);
    return scene;
}

static void sheets_that_show_their_backs_are_told_of(void **state)
{
    (void)state;
    DvScene *scene = two_sheets("", false);
    run(scene, 1);
    assert_non_null(strstr(lines, "shows its back to /S0/")); /* before it has fallen through */
    run(scene, 100);
    assert_null(strstr(lines, "as near to '"));
    assert_true(place_of(scene, "/S1/points").y < -1.0);
    dv_scene_free(scene);
    scene = two_sheets("", true);
    run(scene, 1); /* 6 mm: within the alarm distance, not yet in contact */
    assert_string_equal(lines, "");
    run(scene, 100);
    const char *first = strstr(lines, "(places: 9)");
    assert_non_null(first);
    assert_true(strstr(first, "bothSide") && !strstr(strchr(first, '\n'), "as near to '"));
    assert_true(place_of(scene, "/S1/points").y < -1.0);
    dv_scene_free(scene);
    scene = two_sheets("bothSide='1'", false);
    run(scene, 100);
    assert_string_equal(lines, "");
    assert_true(fabs(place_of(scene, "/S1/points").y - 0.005) < 1e-6);
    dv_scene_free(scene);
}

enum { WAYS = 24 };

/* A triangle falls on a wide one: all directions are along the cones of its corners. Along each axis, with either face of both, here and far
 * away. Returns how high it is after a second. */
static double height_of_flat_sheet(int way, const char *models, const char *method)
{
    static const char *const corners[] = {"0 1 2", "0 2 1"};
    const int up = way % 3;
    const double far = way < WAYS / 2 ? 0.0 : 37.1;
    const char *sheet = corners[way / 3 % 2], *floor = corners[way / 6 % 2];
    double x[6][3] = {{-5, 0, -5}, {-5, 0, 9}, {9, 0, -5}, {0, 0.02, 0}, {0, 0.02, 1}, {1, 0.02, 0}};
    double g[3] = {0}, at[3];
    DvText text = {0};
    g[up] = -9.81;
    dv_text_add(&text,
                "<Node name='root' gravity='%g %g %g' dt='0.01'><FreeMotionAnimationLoop/>" GAUSS_SEIDEL
                "<CollisionPipeline name='pipeline'/><BruteForceBroadPhase/><BVHNarrowPhase/><LocalMinDistance "
                "alarmDistance='0.03' contactDistance='0.005' %s/><CollisionResponse "
                "response='FrictionContactConstraint' responseParams='mu=0.3'/>",
                g[0], g[1], g[2], method);
    for (int body = 0; body < 2; body++) {
        dv_text_add(&text, "<Node name='S%d'>%s<MeshTopology triangles='%s' position='", body,
                    body ? "<EulerImplicitSolver/><SparseLDLSolver/>" : "", body ? sheet : floor);
        for (int p = 3 * body; p < 3 * body + 3; p++)
            for (int axis = 0; axis < 3; axis++)
                dv_text_add(&text, "%.17g ", x[p][(axis + 4 - up) % 3] + (axis == up ? 0 : far));
        dv_text_add(&text, "'/><MechanicalObject name='points'/>%s<TriangleCollisionModel %s %s/>",
                    body ? "<UniformMass totalMass='1'/><LinearSolverConstraintCorrection/>" : "", models,
                    body ? "" : "simulated='0' moving='0'");
        if (body)
            dv_text_add(&text, "<LineCollisionModel %s/><PointCollisionModel %s/>", models, models);
        dv_text_add(&text, "</Node>");
    }
    dv_text_add(&text, "</Node>");
    DvScene *scene = scene_from_text(text.at);
    dv_text_free(&text);
    run(scene, 100);
    dv_vec3_store(place_of(scene, "/S1/points"), at);
    dv_scene_free(scene);
    return at[up];
}

static void a_flat_sheet_with_two_sides_lies_on_a_floor(void **state)
{
    (void)state;
    for (int way = 0; way < WAYS; way++)
        assert_float_equal(height_of_flat_sheet(way, "bothSide='1'", ""), 0.005, 1e-6);
}

/* With one side rounding decides whether there are contacts, which is told when there are none though the sheet is that near, and backs are
 * told too; with the width of cones that is advised it lies there where both faces look at each other. */
static void a_flat_sheet_with_one_side_lies_there_or_is_told_of(void **state)
{
    (void)state;
    uint32_t lie = 0, by_rounding = 0;
    for (int way = 0; way < WAYS; way++) {
        const double height = height_of_flat_sheet(way, "", "");
        const bool rounding = strstr(lines, "only rounding leaves no contact") != NULL;
        const bool back = strstr(lines, "shows its back") || strstr(lines, "shows its back there");
        lie += fabs(height - 0.005) < 1e-6;
        by_rounding += rounding && !back;
        assert_true(fabs(height - 0.005) < 1e-6 || (height < -1.0 && (rounding || back)));
        assert_true(!rounding || strstr(lines, "angleCone=\"1e-9\" of LocalMinDistance"));
        if (rounding && !back)
            assert_float_equal(height_of_flat_sheet(way, "", "angleCone='1e-9'"), 0.005, 1e-6);
    }
    assert_int_equal(lie, 3);
    assert_int_equal(by_rounding, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plates_stay_with_flat_corners),
        cmocka_unit_test(plates_that_slide_off_each_other_are_told_of),
        cmocka_unit_test(sheets_that_show_their_backs_are_told_of),
        cmocka_unit_test(a_flat_sheet_with_two_sides_lies_on_a_floor),
        cmocka_unit_test(a_flat_sheet_with_one_side_lies_there_or_is_told_of),
    };
    return cmocka_run_group_tests(tests, NULL, stop_plugins);
}
