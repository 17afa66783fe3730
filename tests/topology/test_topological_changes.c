/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What triggers changes of meshes: files of changes, and lists at times.
 */
#include "scene_text.h"
#include "topology_conformance.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include <divan/log.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A file of changes in the folder that the test runs in. */
static void write_changes(const char *text)
{
    FILE *file = fopen("changes.txt", "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static unsigned warnings;
static char last_warning[512];

static void keep_warning(const DvMessage *message, void *context)
{
    (void)context;
    DvText text = {0};
    dv_message_print(message, &text);
    warnings++;
    snprintf(last_warning, sizeof last_warning, "%s", text.at);
    dv_text_free(&text);
}

static DvScene *load(const char *text)
{
    DvScene *scene = scene_from_text(text);
    warnings = 0;
    last_warning[0] = 0;
    dv_log_set_handler(keep_warning, NULL);
    return scene;
}

static void end(DvScene *scene)
{
    dv_log_set_handler(NULL, NULL);
    dv_scene_free(scene);
    (void)remove("changes.txt");
}

static DvElements elements(DvScene *scene, const char *path, DvElementKind kind)
{
    DvObject *object = scene_object(scene, path);
    const DvTopologyOps *ops = dv_object_ops(object, DV_TOPOLOGY);
    return ops->elements(dv_object_self(object), kind);
}

static void step(DvScene *scene, unsigned count)
{
    while (count--)
        assert_int_equal(dv_scene_step(scene, 0.1), DV_OK);
}

/* A fan of four triangles around point 4 of a square. */
#define FAN                                                                                                  \
    "<MechanicalObject name='x' position='0 0 0  2 0 0  2 2 0  0 2 0  1 1 0'/>"                              \
    "<TriangleSetTopologyContainer name='c' position='@x.position' triangles='0 1 4  1 2 4  2 3 4  3 0 4'/>" \
    "<TriangleSetTopologyModifier name='m'/>"
#define SCENE(...) "<Node name='root' dt='0.1'><DefaultAnimationLoop/>" __VA_ARGS__ "</Node>"

static void changes_of_a_file_come_when_their_time_has(void **state)
{
    (void)state;
    write_changes("T= 0.1\n REMOVE= 1\n0\nT= 0.3\n  ADD= Triangles 1 Ancestors 1\n 1 0 4\n");
    DvScene *scene = load(SCENE(FAN "<TopologicalChangeProcessor name='p' filename='changes.txt'/>"));
    step(scene, 1); /* at 0 */
    assert_int_equal(elements(scene, "/c", DV_TRIANGLES).count, 4);
    step(scene, 1);
    const DvElements after = elements(scene, "/c", DV_TRIANGLES);
    assert_int_equal(after.count, 3);
    const uint32_t expected[] = {3, 0, 4, 1, 2, 4, 2, 3, 4}; /* the last took the place of the first */
    assert_memory_equal(after.at, expected, sizeof expected);
    step(scene, 1);
    assert_int_equal(elements(scene, "/c", DV_TRIANGLES).count, 3);
    step(scene, 1); /* 0.1 + 0.1 + 0.1 is not 0.3: the time is due all the same */
    assert_int_equal(elements(scene, "/c", DV_TRIANGLES).count, 4);
    assert_int_equal(warnings, 0);
    check_topology(scene_object(scene, "/c"), false);
    end(scene);
}

static void of_several_times_that_have_come_the_last_counts(void **state)
{
    (void)state;
    write_changes("T= 0.01\nREMOVE= 1\n0\nT= 0.02\nREMOVE= 2\n1 2\n");
    DvScene *scene = load(SCENE(FAN "<TopologicalChangeProcessor filename='changes.txt'/>"));
    step(scene, 2);
    const DvElements after = elements(scene, "/c", DV_TRIANGLES);
    assert_int_equal(after.count, 2);
    assert_int_equal(after.at[0], 0);
    assert_int_equal(after.at[3], 3);
    end(scene);
}

static void a_file_may_come_earlier_and_again(void **state)
{
    (void)state;
    write_changes("T= 0.2\nREMOVE= 1\n0\n");
    DvScene *scene = load(SCENE(FAN "<TopologicalChangeProcessor filename='changes.txt' shift='0.15' loop='1'/>"));
    static const uint32_t left[] = {4, 3, 3, 2, 2, 1}; /* 0.05, 0.25, 0.45 */
    for (int i = 0; i < 6; i++) {
        step(scene, 1);
        assert_int_equal(elements(scene, "/c", DV_TRIANGLES).count, left[i]);
    }
    end(scene);
}

static void points_in_triangles_lie_where_their_weights_say(void **state)
{
    (void)state;
    write_changes("T= 0\nADD= PointsInTriangle 2\n1 0.5 0.25  9 0.3 0.3\n");
    DvScene *scene = load(SCENE(FAN "<TopologicalChangeProcessor filename='changes.txt'/>"));
    step(scene, 1);
    const DvConstVec x = dv_state_read(scene_state(scene, "/x"), DV_POSITION);
    assert_int_equal(x.count, 6);
    /* 0.5 (2, 0) + 0.25 (2, 2) + 0.25 (1, 1) */
    assert_true(fabs(x.at[15] - 1.75) < 1e-15 && fabs(x.at[16] - 0.75) < 1e-15 && x.at[17] == 0);
    assert_int_equal(warnings, 1);
    assert_non_null(strstr(last_warning, "line 2 of 'changes.txt': there is no triangle 9 of 4"));
    end(scene);
}

/* Each command reads as many numbers as it needs: the next one begins behind them. */
static void commands_of_all_kinds_follow_each_other(void **state)
{
    (void)state;
    write_changes(
        "T= 0\nADD= PointsInTriangle 2\n1 0.5 0.25  0 0.25 0.25\nT= 0.1\nSWAP= 1\n 0 4\nT= 0.2\nREMOVE= 2\n 0 1\n"
        "T= 0.3\nADD= Triangles 2\n 0 1 2  2 1 3\nT= 0.4\nREMOVE= 1\n 0\n");
    DvScene *scene = load(SCENE(FAN "<TopologicalChangeProcessor filename='changes.txt'/>"));
    static const uint32_t triangles[] = {4, 4, 2, 4, 3};
    for (int i = 0; i < 5; i++) {
        step(scene, 1);
        const uint32_t now = elements(scene, "/c", DV_TRIANGLES).count;
        if (now != triangles[i] || warnings)
            fail_msg("command %d: %u triangles, %u warnings, at last: %s", i, now, warnings, last_warning);
        if (i == 0)
            assert_int_equal(dv_state_count(scene_state(scene, "/x")), 7);
    }
    end(scene);
}

static void what_is_not_there_is_left_out_with_a_warning(void **state)
{
    (void)state;
    write_changes("T= 0\nREMOVE= 3\n1 70 1\nT= 0.1\nADD= Triangles 2\n0 1 2  0 1 9\n");
    DvScene *scene = load(SCENE(FAN "<TopologicalChangeProcessor filename='changes.txt'/>"));
    step(scene, 1);
    assert_int_equal(elements(scene, "/c", DV_TRIANGLES).count, 3);
    assert_non_null(strstr(last_warning, "1 of 3 elements to remove are not there: the mesh has 4"));
    step(scene, 1);
    assert_int_equal(elements(scene, "/c", DV_TRIANGLES).count, 4);
    assert_non_null(strstr(last_warning, "line 5 of 'changes.txt': 1 of 2 elements are not added"));
    assert_int_equal(warnings, 2);
    end(scene);
}

static void numbers_that_are_announced_and_missing_count_as_zero(void **state)
{
    (void)state;
    write_changes("T= 0\nREMOVE= 2\n2\n");
    dv_log_set_handler(keep_warning, NULL);
    warnings = 0;
    DvScene *scene = scene_from_text(SCENE(FAN "<TopologicalChangeProcessor filename='changes.txt'/>"));
    assert_int_equal(warnings, 1);
    assert_non_null(strstr(last_warning, "line 2: 2 numbers are announced and 1 follow"));
    step(scene, 1);
    const DvElements after = elements(scene, "/c", DV_TRIANGLES);
    assert_int_equal(after.count, 2);
    assert_int_equal(after.at[0], 3); /* 2, whose place 3 took, then 0, whose place that took */
    assert_int_equal(after.at[3], 1);
    end(scene);
}

static void the_last_element_goes_with_its_points(void **state)
{
    (void)state;
    write_changes("T= 0\nREMOVE= 4\n0 1 2 3\n");
    DvScene *scene = load(SCENE(FAN "<TopologicalChangeProcessor filename='changes.txt'/>"));
    step(scene, 3);
    assert_int_equal(elements(scene, "/c", DV_TRIANGLES).count, 0);
    assert_int_equal(elements(scene, "/c", DV_EDGES).count, 0);
    assert_int_equal(dv_state_count(scene_state(scene, "/x")), 0);
    assert_int_equal(warnings, 0);
    end(scene);
}

/* Edges that no quad has stay, and name points that are gone. */
static void the_last_quads_go_with_their_springs(void **state)
{
    (void)state;
    DvScene *scene = load(SCENE(
        "<EulerImplicitSolver/><CGLinearSolver iterations='20' tolerance='1e-9' threshold='1e-18'/>"
        "<MechanicalObject name='x' position='0 0 0  1 0 0  2 0 0.1  0 1 0  1 1 0  2 1 0'/><UniformMass vertexMass='1'/>"
        "<QuadSetTopologyContainer name='c' quads='0 1 4 3  1 2 5 4' edges='0 4  1 5'/><QuadSetTopologyModifier/>"
        "<QuadularBendingSprings stiffness='100'/>"
        "<TopologicalChangeProcessor useDataInputs='1' quadsToRemove='0 1' timeToRemove='0.15'/>"));
    step(scene, 4);
    assert_int_equal(elements(scene, "/c", DV_QUADS).count, 0);
    assert_int_equal(elements(scene, "/c", DV_EDGES).count, 2);
    assert_int_equal(dv_state_count(scene_state(scene, "/x")), 0);
    end(scene);
}

static void lists_are_removed_at_intervals(void **state)
{
    (void)state;
    DvScene *scene = load(SCENE(FAN "<TopologicalChangeProcessor useDataInputs='1' trianglesToRemove='0' "
                                    "timeToRemove='0.05' interval='0.2'/>"));
    static const uint32_t left[] = {4, 3, 3, 2, 2, 1};
    for (int i = 0; i < 6; i++) {
        step(scene, 1);
        assert_int_equal(elements(scene, "/c", DV_TRIANGLES).count, left[i]);
    }
    assert_int_equal(warnings, 0);
    end(scene);
}

static void a_region_s_triangles_are_removed_once(void **state)
{
    (void)state;
    DvScene *scene =
        load(SCENE(FAN "<BoxROI name='r' box='-1 -1 -1 3 1.1 1' position='@x.position' triangles='@c.triangles'/>"
                       "<TopologicalChangeProcessor useDataInputs='1' trianglesToRemove='@r.triangleIndices'/>"));
    step(scene, 3);
    const DvElements after = elements(scene, "/c", DV_TRIANGLES);
    assert_int_equal(after.count, 3);
    assert_int_equal(after.at[0], 3);
    end(scene);
}

static void a_reset_begins_the_file_again(void **state)
{
    (void)state;
    write_changes("T= 0.1\nREMOVE= 1\n0\n");
    DvScene *scene = load(SCENE(FAN "<TopologicalChangeProcessor name='p' filename='changes.txt'/>"));
    step(scene, 2);
    const uint32_t before = elements(scene, "/c", DV_TRIANGLES).count;
    assert_int_equal(before, 3);
    dv_scene_reset(scene);
    const uint32_t start = elements(scene, "/c", DV_TRIANGLES).count;
    step(scene, 2);
    assert_int_equal(elements(scene, "/c", DV_TRIANGLES).count, start - 1);
    end(scene);
}

static void a_saved_scene_goes_on_with_the_changes_that_are_left(void **state)
{
    (void)state;
    write_changes("T= 0.1\nREMOVE= 1\n3\nT= 0.3\nREMOVE= 1\n0\n");
    DvScene *scene = load(SCENE(FAN "<TopologicalChangeProcessor name='p' filename='changes.txt'/>"
                                    "<Node name='a'><EdgeSetTopologyContainer name='c'/><EdgeSetTopologyModifier/>"
                                    "<Triangle2EdgeTopologicalMapping name='map'/></Node>"));
    DvScene *again = NULL;
    step(scene, 2);
    assert_int_equal(dv_scene_save(scene, "saved.scn"), DV_OK);
    assert_int_equal(dv_scene_load("saved.scn", NULL, &again), DV_OK);
    (void)remove("saved.scn");
    step(scene, 3);
    step(again, 3);
    const DvElements a = elements(scene, "/a/c", DV_EDGES), b = elements(again, "/a/c", DV_EDGES);
    assert_int_equal(elements(again, "/c", DV_TRIANGLES).count, 2);
    assert_int_equal(a.count, b.count);
    assert_int_equal(a.count, 4);
    assert_memory_equal(a.at, b.at, sizeof *a.at * 2 * a.count);
    dv_scene_free(again);
    end(scene);
}

/* Lists of a saved scene that name points, or elements, which are not there, or too few numbers. */
static void a_saved_mesh_that_does_not_fit_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *saved, *error;
    } wrong[] = {
        {"removedPoints='0 0 0 0 0' triangles='0 1 4  1 5 2'", "triangles[1]: no point 5: the topology has 5"},
        {"removedPoints='0 0 0 0' triangles='0 1 4'", "does not fit the lists of elements"},
        {"removedPoints='0 1 0 1 0 0' triangles='0 1 4'", "does not fit the lists of elements"},
        {"removedPoints='0 1 1 1 0 0 0' triangles='0 1 4'", "does not fit the lists of elements"},
        {"removedPoints='0 3 0 1 0 0 0' triangles='0 1 4'", "does not fit the lists of elements"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        DvText text = {0};
        dv_text_add(
            &text,
            SCENE("<State time='0.2' steps='2'/><MechanicalObject name='x' position='0 0 0  2 0 0  2 2 0  0 2 0  "
                  "1 1 0'/><TriangleSetTopologyContainer position='@x.position' triangles='0 1 4'><State %s/>"
                  "</TriangleSetTopologyContainer><TriangleSetTopologyModifier/>"),
            wrong[i].saved);
        expect_load_error(text.at, wrong[i].error);
        dv_text_free(&text);
    }
    dv_scene_free(scene_from_text(
        SCENE("<State time='0.2' steps='2'/><MechanicalObject name='x' position='0 0 0  2 0 0  2 2 0  0 2 0  1 1 0'/>"
              "<TriangleSetTopologyContainer position='@x.position' triangles='0 1 4'>"
              "<State removedPoints='0 1 0 1 0 0 0' triangles='0 1 4'/></TriangleSetTopologyContainer>"
              "<TriangleSetTopologyModifier/>")));
}

#define EXPECT_FILE_ERROR(changes, message)                                                            \
    do {                                                                                               \
        write_changes(changes);                                                                        \
        expect_load_error(SCENE(FAN "<TopologicalChangeProcessor filename='changes.txt'/>"), message); \
        (void)remove("changes.txt");                                                                   \
    } while (0)

static void wrong_files_are_named(void **state)
{
    (void)state;
    EXPECT_FILE_ERROR("T= soon\n", "filename: 'changes.txt': line 1: the time is missing, not 'soon'");
    EXPECT_FILE_ERROR("T= 1\nREMOVE= some\n", "line 2: how many is missing, not 'some'");
    EXPECT_FILE_ERROR("T= 1\nREMOVE= -4\n", "line 2: -4 is no number of elements");
    EXPECT_FILE_ERROR("T= 1\nADD= Cubes 1\n0 1 2\n", "line 2: 'Cubes' cannot be added; known are Edges");
    EXPECT_FILE_ERROR("T= 1\nADD= Triangles 1\n0 1 two\n", "line 3: number 3 is 'two'");
    EXPECT_FILE_ERROR("T= 1\nADD= Triangles 2 Ancestors 1\n0 1 2 2 3 0\n", "line 2: ancestor 2 of 2 is");
    expect_load_error(SCENE(FAN "<TopologicalChangeProcessor filename='none.txt'/>"), "no file 'none.txt'");
    expect_load_error(SCENE(FAN "<TopologicalChangeProcessor/>"), "neither filename names a file of changes");
    expect_load_error(SCENE("<TopologicalChangeProcessor useDataInputs='1'/>"), "a container with a modifier");
    expect_load_error(
        SCENE("<MeshTopology name='c' triangles='0 1 2'/><TopologicalChangeProcessor useDataInputs='1'/>"),
        "there is no topology modifier in the node of '/c' or above");
    expect_load_error(SCENE(FAN "<TopologicalChangeProcessor useDataInputs='1' hexahedraToRemove='0'/>"),
                      "hexahedraToRemove: there is no modifier of such elements");
}

/* ---- Carving ---- */

/* Two tetrahedra side by side, along x, on a surface of their own; a tool above the first. */
#define TWO_TETRAHEDRA(tags)                                                                                    \
    "<Node name='body'><MechanicalObject name='x' position='0 0 0  1 0 0  0 1 0  0 0 1  2 0 0  2 1 0  2 0 1'/>" \
    "<TetrahedronSetTopologyContainer name='c' position='@x.position' tetrahedra='0 1 2 3  4 5 1 6'/>"          \
    "<TetrahedronSetTopologyModifier/><Node name='s'><TriangleSetTopologyContainer name='c' " tags "/>"         \
    "<TriangleSetTopologyModifier/><Tetra2TriangleTopologicalMapping/>"
#define PIPELINE                                                                                                                         \
    "<CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase name='phase'/><CollisionResponse response='PenalityContactForceField'/>" \
    "<MinProximityIntersection alarmDistance='0.3' contactDistance='0.1'/>"
#define TOOL_AT(x, tags) "<Node name='tool'><MechanicalObject name='x' position='" x "' " tags "/>"
#define TOUCHING         "0.2 0.2 -0.05"

static uint32_t tetrahedra_after(const char *text, unsigned steps)
{
    DvScene *scene = load(text);
    step(scene, steps);
    const uint32_t left = elements(scene, "/body/c", DV_TETRAHEDRA).count;
    if (left == 1) /* the second is left, with its four points and faces */
        assert_int_equal(elements(scene, "/body/s/c", DV_TRIANGLES).count, 4);
    check_topology(scene_object(scene, "/body/c"), false);
    check_topology(scene_object(scene, "/body/s/c"), false);
    end(scene);
    return left;
}

#define CARVED(manager, x, model)                                                                                   \
    SCENE(PIPELINE manager TWO_TETRAHEDRA("") "<TriangleCollisionModel name='m' " model "/></Node></Node>" TOOL_AT( \
        x, "") "<PointCollisionModel name='m' tags='CarvingTool'/></Node>")

static void a_tool_that_touches_a_surface_removes_the_volume_below(void **state)
{
    (void)state;
    assert_int_equal(tetrahedra_after(CARVED("<CarvingManager active='1'/>", TOUCHING, "tags='CarvingSurface'"), 1), 1);
    assert_int_equal(tetrahedra_after(CARVED("<CarvingManager/>", TOUCHING, "tags='CarvingSurface'"), 1), 2);
    /* 0.05 away: the gap is -0.05 */
    assert_int_equal(
        tetrahedra_after(
            CARVED("<CarvingManager active='1' carvingDistance='-0.06'/>", TOUCHING, "tags='CarvingSurface'"), 1),
        2);
    assert_int_equal(
        tetrahedra_after(
            CARVED("<CarvingManager active='1' carvingDistance='-0.04'/>", TOUCHING, "tags='CarvingSurface'"), 1),
        1);
    assert_int_equal(
        tetrahedra_after(CARVED("<CarvingManager active='1' surfaceModelPath='/body/s/m'/>", TOUCHING, ""), 1), 1);
    assert_int_equal(
        tetrahedra_after(CARVED("<CarvingManager active='1' narrowPhaseDetection='@phase' toolModel='@/tool/m'/>",
                                TOUCHING, "tags='CarvingSurface'"),
                         1),
        1);
}

static void points_of_a_surface_stand_for_the_triangles_around_them(void **state)
{
    (void)state;
    assert_int_equal(
        tetrahedra_after(
            SCENE(
                PIPELINE
                "<CarvingManager active='1'/>" TWO_TETRAHEDRA("") "<PointCollisionModel tags='CarvingSurface'/></Node></Node>" TOOL_AT(
                    "0 0 -0.05", "") "<PointCollisionModel tags='CarvingTool'/></Node>"),
            1),
        1);
}

/* Point 1 belongs to both tetrahedra: what the tool touches is looked up before anything is removed. */
static void all_that_is_touched_in_a_step_goes_at_once(void **state)
{
    (void)state;
    assert_int_equal(
        tetrahedra_after(
            SCENE(PIPELINE "<CarvingManager active='1'/>" TWO_TETRAHEDRA(
                "") "<PointCollisionModel tags='CarvingSurface'/><TriangleCollisionModel tags='CarvingSurface'/>"
                    "</Node></Node>" TOOL_AT("1 0 -0.05", "") "<PointCollisionModel tags='CarvingTool'/></Node>"),
            1),
        0);
}

/* Three quads in a row, each two triangles for contacts: the one that is touched goes, by either triangle. */
static void quads_are_carved_by_their_triangles(void **state)
{
    (void)state;
    static const char *const tools[] = {"1.7 0.2 -0.05", "1.3 0.8 -0.05"};
    for (int i = 0; i < 2; i++) {
        DvText text = {0};
        dv_text_add(&text,
                    SCENE(PIPELINE "<CarvingManager active='1'/><Node name='n'><MechanicalObject name='x' "
                                   "position='0 0 0 0 1 0 1 0 0 1 1 0 2 0 0 2 1 0 3 0 0 3 1 0'/>"
                                   "<QuadSetTopologyContainer name='c' position='@x.position' "
                                   "quads='0 2 3 1 2 4 5 3 4 6 7 5'/><QuadSetTopologyModifier/>"
                                   "<TriangleCollisionModel tags='CarvingSurface'/></Node>" TOOL_AT(
                                       "%s", "") "<PointCollisionModel tags='CarvingTool'/></Node>"),
                    tools[i]);
        DvScene *scene = load(text.at);
        step(scene, 1);
        const DvElements left = elements(scene, "/n/c", DV_QUADS);
        assert_int_equal(left.count, 2);
        uint32_t of[2] = {0, 0};
        for (int k = 0; k < 4; k++) {
            of[0] += left.at[k];
            of[1] += left.at[4 + k];
        }
        assert_int_equal(of[0] + of[1], 28);
        assert_true(of[0] == 6 || of[1] == 6); /* points 0 to 3, and 4 to 7 */
        end(scene);
        dv_text_free(&text);
    }
}

static void a_tool_that_is_a_mere_state_carves_by_distance(void **state)
{
    (void)state;
#define NEAR(distance)                                                                  \
    SCENE("<CarvingManager active='1' carvingDistance='" distance "'/>" TWO_TETRAHEDRA( \
        "tags='CarvingSurface'") "</Node></Node>" TOOL_AT(TOUCHING, "tags='CarvingTool'") "</Node>")
    assert_int_equal(tetrahedra_after(NEAR("0.049"), 1), 2);
    assert_int_equal(tetrahedra_after(NEAR("0.051"), 1), 1);
    /* sqrt(0.8^2 + 0.2^2 + 0.05^2) from the corner of the second tetrahedron, which its edges leave away from the tool */
    assert_int_equal(tetrahedra_after(NEAR("0.825"), 1), 1);
    assert_int_equal(tetrahedra_after(NEAR("0.827"), 1), 0);
}

/* One element, and how far a tool is from it: within a thousandth less it stays, within a thousandth more it goes. */
static void distances_are_to_the_nearest_point_of_an_element(void **state)
{
    (void)state;
    static const struct {
        const char *family, *list, *element;
        DvElementKind kind;
        double tool[3], distance;
    } cases[] = {
        {"Edge", "edges", "0 1", DV_EDGES, {1, 1, 0}, 1},
        {"Edge", "edges", "0 1", DV_EDGES, {-1, 0, 1}, 1.4142135623730951},
        {"Edge", "edges", "0 1", DV_EDGES, {6, 0, 0}, 2},
        {"Triangle", "triangles", "0 1 3", DV_TRIANGLES, {1, 1, 2}, 2},
        {"Triangle", "triangles", "0 1 3", DV_TRIANGLES, {1, 1, -2}, 2},
        {"Triangle", "triangles", "1 3 0", DV_TRIANGLES, {-1, 1, 0}, 1},
        {"Triangle", "triangles", "0 1 3", DV_TRIANGLES, {1, -2, 0}, 2},
        {"Triangle", "triangles", "0 1 3", DV_TRIANGLES, {3, 3, 0}, 1.4142135623730951},
        {"Triangle", "triangles", "3 0 1", DV_TRIANGLES, {6, -1, 2}, 3},
        {"Quad", "quads", "0 1 2 3", DV_QUADS, {3, 1, 1}, 1},
        {"Quad", "quads", "0 1 2 3", DV_QUADS, {1, 3, 1}, 1},
        {"Quad", "quads", "0 1 2 3", DV_QUADS, {1, 3, -3}, 3},
        {"Quad", "quads", "0 1 2 3", DV_QUADS, {-2, 3, 0}, 2},
        {"Quad", "quads", "0 1 2 3", DV_QUADS, {1, 6, 0}, 2},
        {"Quad", "quads", "0 1 2 3", DV_QUADS, {6, 1, 0}, 2},
        {"Quad", "quads", "0 1 2 3", DV_QUADS, {1, -2, 0}, 2},
        {"Quad", "quads", "0 1 2 3", DV_QUADS, {-3, 8, 0}, 5},
        {"Quad", "quads", "1 2 3 0", DV_QUADS, {-3, 8, 12}, 13},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int over = 0; over < 2; over++) {
            DvText text = {0};
            dv_text_add(
                &text,
                SCENE(
                    "<CarvingManager active='1' carvingDistance='%.17g'/><Node name='n'><MechanicalObject position='0 0 0  "
                    "4 0 0  4 4 0  0 4 0'/><%sSetTopologyContainer name='c' tags='CarvingSurface' %s='%s'/>"
                    "<%sSetTopologyModifier/></Node><Node><MechanicalObject tags='CarvingTool' position='%g %g %g'/></Node>"),
                cases[i].distance * (over ? 1.001 : 0.999), cases[i].family, cases[i].list, cases[i].element,
                cases[i].family, cases[i].tool[0], cases[i].tool[1], cases[i].tool[2]);
            DvScene *scene = load(text.at);
            step(scene, 1);
            if (elements(scene, "/n/c", cases[i].kind).count != (over ? 0 : 1))
                fail_msg("case %zu: it %s", i, over ? "stays" : "goes");
            end(scene);
            dv_text_free(&text);
        }
}

static void keys_turn_carving_on_and_off(void **state)
{
    (void)state;
    DvScene *scene = load(CARVED("<CarvingManager name='m' active='0'/>", TOUCHING, "tags='CarvingSurface'"));
    DvData *active = dv_object_field(scene_object(scene, "/m"), "active");
    DvEvent event = {.kind = DV_EVENT_KEY_PRESSED, .key = '1'};
    dv_event_send(dv_scene_root(scene), &event);
    assert_true(dv_data_bool(active));
    event = (DvEvent){.kind = DV_EVENT_KEY_RELEASED, .key = '1'};
    dv_event_send(dv_scene_root(scene), &event);
    assert_false(dv_data_bool(active));
    for (int i = 0; i < 2; i++) {
        event = (DvEvent){.kind = DV_EVENT_KEY_PRESSED, .key = '4'};
        dv_event_send(dv_scene_root(scene), &event);
        assert_int_equal(dv_data_bool(active), i == 0);
    }
    event = (DvEvent){.kind = DV_EVENT_KEY_PRESSED, .key = 'x'};
    dv_event_send(dv_scene_root(scene), &event);
    assert_false(dv_data_bool(active));
    end(scene);
}

static void wrong_carving_is_named(void **state)
{
    (void)state;
    expect_load_error(SCENE("<CarvingManager/>"), "no tool: name a collision model or a state by toolModel");
    expect_load_error(SCENE("<CarvingManager/><MechanicalObject tags='CarvingTool'/>"),
                      "no surface: give a mesh the tag");
    expect_load_error(SCENE("<CarvingManager/><MechanicalObject/><PointCollisionModel tags='CarvingTool'/>"),
                      "no CollisionPipeline finds contacts");
    expect_load_error(SCENE(PIPELINE "<CarvingManager surfaceModelPath='/none'/><MechanicalObject/>"
                                     "<PointCollisionModel tags='CarvingTool'/>"),
                      "surfaceModelPath: there is no collision model at '/none'");
}

/* ---- Bounds and checks ---- */

static void elements_outside_a_box_are_removed(void **state)
{
    (void)state;
    /* middles at y = 1/3, 1, 5/3 and 1 */
    static const char *const boxes[] = {"-9 0.5 -9 9 9 9", "9 0.5 -9 -9 9 9", "-9 9 -9 9 0.5 9", "-9 0.5 9 9 9 -9"};
    for (size_t i = 0; i < sizeof boxes / sizeof *boxes; i++) {
        char text[2048];
        snprintf(text, sizeof text, SCENE(FAN "<TopologyBoundingTrasher box='%s'/>"), boxes[i]);
        DvScene *scene = load(text);
        step(scene, 2);
        const DvElements after = elements(scene, "/c", DV_TRIANGLES);
        assert_int_equal(after.count, 3);
        assert_int_equal(after.at[0], 3);
        end(scene);
    }
    expect_load_error(SCENE("<MechanicalObject/><MeshTopology triangles='0 1 2'/><TopologyBoundingTrasher/>"),
                      "is no container whose elements can be removed");
}

static void a_mesh_without_a_modifier_keeps_its_elements(void **state)
{
    (void)state;
    DvScene *scene = load(SCENE(
        "<Node name='n'><MechanicalObject position='0 0 0  1 0 0  0 1 0  5 5 5'/><TriangleSetTopologyContainer name='c' "
        "triangles='0 1 2  1 3 2'/><TetrahedronSetTopologyModifier name='other'/><TetrahedronSetTopologyContainer name='d'/>"
        "<TopologyBoundingTrasher name='t' topology='@c' box='0 0 0 1 1 1'/></Node>"));
    step(scene, 1);
    assert_int_equal(elements(scene, "/n/c", DV_TRIANGLES).count, 2);
    assert_int_equal(warnings, 1);
    assert_non_null(strstr(
        last_warning, "TopologyBoundingTrasher 't': nothing can be removed from '/n/c': there is no modifier of it "
                      "in its node"));
    end(scene);
}

static void a_mesh_that_is_not_sound_is_told(void **state)
{
    (void)state;
    static const struct {
        const char *mesh, *warning;
    } cases[] = {
        {"<MeshTopology name='c' triangles='0 1 2  1 2 0'/>", "1 of the triangles of '/c' are there already"},
        {"<MeshTopology name='c' triangles='0 1 2  3 4 5  1 2 0  6 7 8  5 4 3  9 10 11'/>",
         "2 of the triangles of '/c' are there already"},
        {"<MeshTopology name='c' quads='0 1 2 3  1 4 5 6  3 2 1 0  7 8 9 10'/>",
         "1 of the quads of '/c' are there already"},
        {"<MeshTopology name='c' edges='0 1  2 0  1 0  4 5'/>", "1 of the edges of '/c' are there already"},
        {"<MeshTopology name='c' tetrahedra='0 1 2 2'/>", "1 of the tetrahedra of '/c' name a point twice"},
        {"<MeshTopology name='c' tetrahedra='2 1 0 2  0 1 2 3  4 5 6 6'/>",
         "2 of the tetrahedra of '/c' name a point twice"},
        {"<MeshTopology name='c' hexahedra='0 1 2 3 4 5 6 7  0 1 2 3 8 9 10 11  3 2 1 0 12 13 14 15'/>",
         "1 of the quads of '/c' belong to more than two hexahedra"},
        {"<MeshTopology name='c' triangles='0 1 2  1 0 3  0 1 4'/>",
         "1 of the edges of '/c' belong to more than two triangles"},
        {"<MeshTopology name='c' quads='0 1 2 3  1 0 4 5  0 1 6 7'/>",
         "1 of the edges of '/c' belong to more than two quads"},
        {"<TetrahedronSetTopologyContainer name='c' tetrahedra='0 1 2 3  0 2 1 4  0 2 1 5'/>",
         "1 of the triangles of '/c' belong to more than two tetrahedra"},
    };
    dv_log_set_handler(keep_warning, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        snprintf(text, sizeof text, SCENE("%s<TopologyChecker/>"), cases[i].mesh);
        warnings = 0;
        dv_scene_free(scene_from_text(text));
        if (warnings != 1 && !strstr(cases[i].warning, "twice")) /* which makes edges and faces that are no better */
            fail_msg("%u warnings for %s, at last %s", warnings, cases[i].mesh, last_warning);
        if (!strstr(last_warning, cases[i].warning))
            fail_msg("%s, not %s", last_warning, cases[i].warning);
    }
    warnings = 0;
    DvScene *scene = scene_from_text(SCENE(FAN "<TopologyChecker eachStep='1'/>"));
    step(scene, 1);
    assert_int_equal(warnings, 0);
    DvObject *by = scene_object(scene, "/m");
    const DvTopologyModifierOps *modifier = dv_object_ops(by, DV_TOPOLOGY_MODIFIER);
    assert_int_equal(modifier->add_elements(dv_object_self(by), DV_TRIANGLES, 1, (const uint32_t[]){1, 0, 4}, NULL),
                     DV_OK);
    step(scene, 1);
    assert_int_equal(warnings, 2); /* it is there already, and two of its edges have three triangles */
    end(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changes_of_a_file_come_when_their_time_has),
        cmocka_unit_test(of_several_times_that_have_come_the_last_counts),
        cmocka_unit_test(a_file_may_come_earlier_and_again),
        cmocka_unit_test(points_in_triangles_lie_where_their_weights_say),
        cmocka_unit_test(commands_of_all_kinds_follow_each_other),
        cmocka_unit_test(what_is_not_there_is_left_out_with_a_warning),
        cmocka_unit_test(numbers_that_are_announced_and_missing_count_as_zero),
        cmocka_unit_test(the_last_element_goes_with_its_points),
        cmocka_unit_test(the_last_quads_go_with_their_springs),
        cmocka_unit_test(lists_are_removed_at_intervals),
        cmocka_unit_test(a_region_s_triangles_are_removed_once),
        cmocka_unit_test(a_reset_begins_the_file_again),
        cmocka_unit_test(a_saved_scene_goes_on_with_the_changes_that_are_left),
        cmocka_unit_test(a_saved_mesh_that_does_not_fit_is_named),
        cmocka_unit_test(wrong_files_are_named),
        cmocka_unit_test(a_tool_that_touches_a_surface_removes_the_volume_below),
        cmocka_unit_test(points_of_a_surface_stand_for_the_triangles_around_them),
        cmocka_unit_test(all_that_is_touched_in_a_step_goes_at_once),
        cmocka_unit_test(quads_are_carved_by_their_triangles),
        cmocka_unit_test(a_tool_that_is_a_mere_state_carves_by_distance),
        cmocka_unit_test(distances_are_to_the_nearest_point_of_an_element),
        cmocka_unit_test(keys_turn_carving_on_and_off),
        cmocka_unit_test(wrong_carving_is_named),
        cmocka_unit_test(elements_outside_a_box_are_removed),
        cmocka_unit_test(a_mesh_without_a_modifier_keeps_its_elements),
        cmocka_unit_test(a_mesh_that_is_not_sound_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, stop_plugins);
}
