/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What components draw: every class that offers DV_DRAWABLE or another way to be seen, or says why not in draws_nothing.tsv; points are
 * finite, and calls do not grow with the number of elements.
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
#include <divan/divan.h>

#include "drawing.h"
#include "scene_text.h"

/* A body of n x 3 x 3 points with much that draws. */
static const char *const scene_of_much =
    "<Node name='root' dt='0.01'>"
    "<DefaultAnimationLoop/><VisualStyle displayFlags='showAll'/>"
    "<VisualGrid/><LineAxis/><OglLabel label='a'/><VisualBoundingBox bbox='0 0 0 1 1 1'/><Visual3DText text='b'/>"
    "<RecordedCamera drawRotation='1' drawTranslation='1' cameraPositions='0 0 0 1 1 1' position='0 0 9'/>"
    "<OglViewport screenSize='9 9' drawCamera='1'/>"
    "<BruteForceBroadPhase/><BVHNarrowPhase/><NewProximityIntersection alarmDistance='0.4' contactDistance='0.1'/>"
    "<CollisionResponse response='PenalityContactForceField'/><CollisionPipeline/>"
    "<Node name='solid'><EulerImplicitSolver/><CGLinearSolver iterations='5' tolerance='1e-5' threshold='1e-5'/>"
    "<RegularGridTopology name='grid' n='%d 3 3' min='0 0 0' max='%d 2 2'/>"
    "<MechanicalObject name='dofs' template='Vec3d' showObject='1' showIndices='1' showVectors='1'/>"
    "<UniformMass totalMass='1' showGravityCenter='1'/>"
    "<HexahedronFEMForceField youngModulus='100' poissonRatio='0.3'/><MeshSpringForceField linesStiffness='1'/>"
    "<BoxROI name='roi' box='-1 -1 -1 99 99 99' drawBoxes='1' drawPoints='1' drawEdges='1' drawTriangles='1' "
    "drawTetrahedra='1' drawHexahedra='1' drawQuads='1'/>"
    "<FixedProjectiveConstraint indices='@roi.indices' showObject='1'/><ConstantForceField indices='@roi.indices' "
    "totalForce='0 0 1' showArrowSize='1'/>"
    "<RestShapeSpringsForceField stiffness='1' drawSpring='1'/>"
    "<PlaneForceField showPlane='1' d='-9' normal='0 0 1'/>"
    "<PointCollisionModel/><LineCollisionModel/><TriangleCollisionModel/>"
    "<VisualMesh/><VisualPointCloud position='@dofs.position' drawMode='Sphere' showIndices='1'/>"
    "<VisualVectorField position='@dofs.position' vector='@dofs.position' drawMode='Arrow'/>"
    "<PointSplatModel/><SlicedVolumetricModel nbSlices='4'/><TrailRenderer position='@dofs.position'/>"
    "<CylinderVisualModel position='@dofs.position' edges='@grid.edges'/>"
    "<DataDisplay name='values' position='@dofs.position' pointData='%s'/>"
    "<Node name='copy'><MechanicalObject name='dofs' template='Vec3d'/><IdentityMapping/></Node>"
    "<Node name='inside'><MechanicalObject name='dofs' template='Vec3d' position='0.5 0.5 0.5'/><BarycentricMapping/>"
    "<SphereCollisionModel radius='0.1'/></Node>"
    "<Node name='part'><MechanicalObject name='dofs' template='Vec3d'/><SubsetMapping indices='@../roi.indices'/></Node>"
    "</Node>"
    "<Node name='floor'><MeshTopology position='-9 -9 -0.3  9 -9 -0.3  0 99 -0.3' triangles='0 1 2'/>"
    "<MechanicalObject template='Vec3d'/><TriangleCollisionModel moving='0' simulated='0'/></Node>"
    "<Node name='body'><MechanicalObject template='Rigid3d' showObject='1' position='0 9 0 0 0 0 1'/><Node name='points'>"
    "<MechanicalObject template='Vec3d' position='1 0 0 0 1 0'/><RigidMapping/></Node></Node>"
    "<Node name='mesh'><TetrahedronSetTopologyContainer position='0 0 0 1 0 0 0 1 0 0 0 1' tetrahedra='0 1 2 3'/>"
    "<MechanicalObject template='Vec3d'/><TetrahedronSetGeometryAlgorithms drawTetrahedra='1' showPointIndices='1' "
    "drawEdges='1' drawTriangles='1' drawNormals='1'/>"
    "<TetrahedronFEMForceField youngModulus='10' poissonRatio='0.3' computeVonMisesStress='1' "
    "showVonMisesStressPerElement='1' showVonMisesStressPerNodeColorMap='1' showVonMisesStressPerNode='1'/>"
    "<FixedLagrangianConstraint indices='0'/></Node>"
    "</Node>";

enum { MOST_OBJECTS = 200 };

typedef struct Look {
    bool finite;
    uint32_t count;
    uint32_t calls[MOST_OBJECTS];
    const char *class_of[MOST_OBJECTS];
    DrawRecorder recorder;
} Look;

static void look_at_batch(void *context, const DrawnBatch *batch)
{
    Look *look = context;
    for (size_t i = 0; i < batch->numbers; i++)
        look->finite = look->finite && isfinite(batch->points[i]);
    for (size_t i = 0; i < 4 * batch->color_count; i++)
        look->finite = look->finite && batch->colors[i] >= 0.0 && batch->colors[i] <= 1.0;
    assert_true(batch->count > 0);
}

static DvVisit look_at_node(DvNode *node, void *context)
{
    Look *look = context;
    DvObject *object;
    for (size_t i = 0; (object = dv_node_member(node, i)); i++) {
        if (!dv_object_ops(object, DV_DRAWABLE))
            continue;
        assert_true(look->count < MOST_OBJECTS);
        look->recorder.calls = 0;
        record_drawing_of(&look->recorder, object);
        if (!look->finite)
            fail_msg("%s draws what is not finite, or no colour", dv_object_path(object));
        look->class_of[look->count] = dv_object_class(object)->name;
        look->calls[look->count++] = look->recorder.calls;
    }
    return DV_VISIT_CONTINUE;
}

static void look_at(Look *look, int cells, uint32_t shown)
{
    DvText values = {0}, text = {0};
    for (int i = 0; i < (cells + 1) * 9; i++)
        dv_text_add(&values, "%d ", i);
    char scene_text[16384];
    const int length = snprintf(scene_text, sizeof scene_text, scene_of_much, cells + 1, cells, values.at);
    assert_true(length > 0 && (size_t)length < sizeof scene_text);
    DvScene *scene = scene_from_text(scene_text);
    for (int step = 0; step < 3; step++)
        assert_int_equal(dv_scene_step(scene, 0.0), DV_OK);
    dv_scene_update_visual(scene);
    *look = (Look){.finite = true};
    look->recorder = draw_recorder(shown, look_at_batch, look);
    dv_visit(dv_scene_root(scene), &(const DvVisitor){.top_down = look_at_node}, look);
    dv_scene_free(scene);
    dv_text_free(&values);
    dv_text_free(&text);
}

static void calls_do_not_grow_with_the_number_of_elements(void **state)
{
    (void)state;
    static Look small, large;
    look_at(&small, 2, UINT32_MAX);
    look_at(&large, 12, UINT32_MAX);
    assert_int_equal(small.count, large.count);
    for (uint32_t i = 0; i < small.count; i++) {
        assert_string_equal(small.class_of[i], large.class_of[i]);
        if (large.calls[i] > small.calls[i])
            fail_msg("%s: %u calls for a small body, %u for a large one", small.class_of[i], small.calls[i],
                     large.calls[i]);
    }
}

static void all_that_can_be_shown_here_is(void **state)
{
    (void)state;
    static Look look;
    look_at(&look, 2, UINT32_MAX);
    for (uint32_t i = 0; i < look.count; i++) {
        uint32_t calls = strcmp(look.class_of[i], "DataDisplay") == 0; /* a surface here */
        for (uint32_t k = 0; k < look.count; k++)
            calls += strcmp(look.class_of[i], look.class_of[k]) == 0 ? look.calls[k] : 0;
        if (calls == 0)
            fail_msg("%s draws nothing", look.class_of[i]);
    }
}

static void nothing_is_drawn_when_no_flag_is_on(void **state)
{
    (void)state;
    static Look look;
    look_at(&look, 2, 0);
    for (uint32_t i = 0; i < look.count; i++)
        if (look.calls[i] != 0 && strcmp(look.class_of[i], "RecordedCamera") != 0 &&
            strcmp(look.class_of[i], "OglViewport") != 0) /* asked for by fields of their own */
            fail_msg("%s draws though nobody asked", look.class_of[i]);
}

/* ---- Elements ---- */

static void add_triangles(void *count, const DrawnBatch *batch)
{
    *(uint32_t *)count += batch->kind == DRAWN_TRIANGLES ? batch->count : 0;
}

/* Two elements of a kind apart from each other: each is drawn by the triangles of its faces. */
static void solid_elements_are_drawn_by_all_their_faces(void **state)
{
    (void)state;
    static const struct {
        const char *kind, *list, *elements;
        uint32_t triangles; /* of both */
    } solids[] = {
        {"Edge", "edges", "0 1 8 9", 0},
        {"Triangle", "triangles", "0 1 2 8 9 10", 2},
        {"Quad", "quads", "0 1 2 3 8 9 10 11", 4},
        {"Tetrahedron", "tetrahedra", "0 1 2 4 8 9 10 12", 8},
        {"Prism", "prisms", "0 1 2 4 5 6 8 9 10 12 13 14", 16},
        {"Pyramid", "pyramids", "0 1 2 3 4 8 9 10 11 12", 12},
        {"Hexahedron", "hexahedra", "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15", 24},
    };
    for (size_t i = 0; i < sizeof solids / sizeof *solids; i++) {
        char text[1024];
        snprintf(
            text, sizeof text,
            "<Node name='root'><DefaultAnimationLoop/><VisualStyle displayFlags='showAll'/><MeshTopology name='mesh' "
            "position='0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 1 1 1 0 1 1 "
            "3 0 0 4 0 0 4 1 0 3 1 0 3 0 1 4 0 1 4 1 1 3 1 1' %s='%s'/><MechanicalObject template='Vec3d'/>"
            "<LinearSmallStrainFEMForceField name='solid' template='Vec3d,%s' youngModulus='1' poissonRatio='0.3'/></Node>",
            solids[i].list, solids[i].elements, solids[i].kind);
        DvScene *scene = scene_from_text(text);
        uint32_t triangles = 0;
        DrawRecorder recorder = draw_recorder(UINT32_MAX, add_triangles, &triangles);
        record_drawing_of(&recorder, scene_object(scene, "/solid"));
        if (triangles != solids[i].triangles)
            fail_msg("%s: %u triangles, not %u", solids[i].kind, triangles, solids[i].triangles);
        dv_scene_free(scene);
    }
}

static void add_kinds(void *counts, const DrawnBatch *batch)
{
    ((uint32_t *)counts)[batch->kind] += batch->count;
}

/* Corners, edges, and two triangles for each quad and each face of a cube; of each kind only if it is asked for. */
static void a_region_draws_the_kinds_that_are_asked_for(void **state)
{
    (void)state;
    static const struct {
        const char *fields;
        uint32_t points, lines, triangles;
    } cases[] = {{"", 0, 0, 0},
                 {"drawPoints='1'", 8, 0, 0},
                 {"drawEdges='1'", 0, 2, 0},
                 {"drawQuads='1'", 0, 0, 2},
                 {"drawHexahedra='1'", 0, 0, 12}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1024];
        uint32_t counts[DRAWN_KINDS] = {0};
        snprintf(text, sizeof text,
                 "<Node name='root'><DefaultAnimationLoop/><VisualStyle displayFlags='showAll'/><MeshTopology "
                 "position='0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 1 1 1 0 1 1' edges='0 1 1 2' quads='0 1 2 3' "
                 "hexahedra='0 1 2 3 4 5 6 7'/><MechanicalObject template='Vec3d'/><BoxROI name='roi' "
                 "box='-1 -1 -1 2 2 2' %s/></Node>",
                 cases[i].fields);
        DvScene *scene = scene_from_text(text);
        DrawRecorder recorder = draw_recorder(UINT32_MAX, add_kinds, counts);
        record_drawing_of(&recorder, scene_object(scene, "/roi"));
        if (counts[DRAWN_POINTS] != cases[i].points || counts[DRAWN_LINES] != cases[i].lines ||
            counts[DRAWN_TRIANGLES] != cases[i].triangles)
            fail_msg("'%s': %u points, %u lines, %u triangles", cases[i].fields, counts[DRAWN_POINTS],
                     counts[DRAWN_LINES], counts[DRAWN_TRIANGLES]);
        dv_scene_free(scene);
    }
}

/* ---- Classes that draw nothing ---- */

static bool is_seen(const DvClass *cls)
{
    static const char *const ways[] = {DV_DRAWABLE,     DV_SURFACE,          DV_LIGHT,        DV_LIGHTING,
                                       DV_CAMERA,       DV_BACKGROUND,       DV_LEGEND,       DV_SHADER,
                                       DV_CLIP_PLANE,   DV_VISUAL_TRANSFORM, DV_TRANSPARENCY, DV_VIEWPORT,
                                       DV_POST_PROCESS, DV_RENDER_PASS,      DV_SCENE_AXES,   DV_VISUAL_STYLE,
                                       DV_VISUAL_LOOP,  DV_SHADER_ELEMENT,   DV_VIEWER_LOOK,  DV_MOUSE_BINDING};
    for (const DvContract *offer = cls->contracts; offer && offer->id; offer++)
        for (size_t w = 0; w < sizeof ways / sizeof *ways; w++)
            if (strcmp(offer->id, ways[w]) == 0)
                return true;
    return false;
}

/* Whether draws_nothing.tsv has a line for the class or its family. */
static bool is_excused(const char *table, const DvClass *cls)
{
    for (const char *line = table; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        const size_t length = strcspn(line, "\t\n");
        if (line[length] == '\t' &&
            ((strlen(cls->name) == length && strncmp(line, cls->name, length) == 0) ||
             (cls->family && strlen(cls->family) == length && strncmp(line, cls->family, length) == 0)))
            return true;
    }
    return false;
}

static void every_class_is_seen_or_says_why_not(void **state)
{
    (void)state;
    dv_scene_free(scene_from_text("<Node><DefaultAnimationLoop/></Node>")); /* starts the plugins */
    char path[1024], table[32768] = "";
    snprintf(path, sizeof path, "%s/tests/visual/draws_nothing.tsv", getenv("DIVAN_TEST_SOURCE_ROOT"));
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    table[fread(table, 1, sizeof table - 1, file)] = '\0';
    fclose(file);
    unsigned missing = 0;
    for (size_t i = 0; i < dv_class_count(); i++) {
        const DvClass *cls = dv_class_at(i);
        if (is_seen(cls) || is_excused(table, cls))
            continue;
        printf("%s (%s) draws nothing, and draws_nothing.tsv does not say why\n", cls->name, cls->family);
        missing++;
    }
    assert_int_equal(missing, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_do_not_grow_with_the_number_of_elements),
        cmocka_unit_test(all_that_can_be_shown_here_is),
        cmocka_unit_test(nothing_is_drawn_when_no_flag_is_on),
        cmocka_unit_test(solid_elements_are_drawn_by_all_their_faces),
        cmocka_unit_test(a_region_draws_the_kinds_that_are_asked_for),
        cmocka_unit_test(every_class_is_seen_or_says_why_not),
    };
    return cmocka_run_group_tests(tests, NULL, stop_plugins);
}
