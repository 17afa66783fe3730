/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What collision models draw, number by number: where they are, where they would be without contacts, in which colours.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <divan/contracts/state.h>
#include <divan/contracts/topology.h>
#include <divan/divan.h>
#include <divan/math/rigid.h>

#include "drawing.h"
#include "scene_text.h"

enum { MOST_BATCHES = 4, MOST_NUMBERS = 144 };

typedef struct Drawn {
    unsigned count;
    struct {
        DrawnKind kind;
        uint32_t count;
        double points[MOST_NUMBERS], size, color[4], radii[4];
    } batches[MOST_BATCHES];
} Drawn;

static void keep(void *context, const DrawnBatch *batch)
{
    Drawn *drawn = context;
    assert_true(drawn->count < MOST_BATCHES && batch->numbers <= MOST_NUMBERS);
    assert_int_equal(batch->color_count, 1);
    drawn->batches[drawn->count].kind = batch->kind;
    drawn->batches[drawn->count].count = batch->count;
    drawn->batches[drawn->count].size = batch->size;
    memcpy(drawn->batches[drawn->count].points, batch->points, batch->numbers * sizeof(double));
    memcpy(drawn->batches[drawn->count].color, batch->colors, 4 * sizeof(double));
    if (batch->radii)
        memcpy(drawn->batches[drawn->count].radii, batch->radii, batch->count * sizeof(double));
    drawn->count++;
}

/* What /body/model draws of the state /body/x before anybody has looked for contacts; free positions are those times 2. */
static Drawn drawing_of_body(const char *body, uint32_t flags)
{
    DvText text = {0};
    dv_text_add(&text, "<Node><DefaultAnimationLoop/><Node name='body'>%s</Node></Node>", body);
    DvScene *scene = scene_from_text(text.at);
    dv_text_free(&text);
    const DvStateRef state = scene_state(scene, "/body/x");
    const DvConstVec x = dv_state_read(state, DV_POSITION);
    const DvVec free_x = dv_state_write(state, DV_FREE_POSITION, DV_OVERWRITE);
    for (uint32_t i = 0; i < x.count * x.dim; i++)
        free_x.at[i] = 2 * x.at[i];
    DvObject *object = scene_object(scene, "/body/model");
    Drawn drawn = {0};
    DrawRecorder recorder = draw_recorder(flags, keep, &drawn);
    record_drawing_of(&recorder, object);
    dv_scene_free(scene);
    return drawn;
}

/* Of points (1, 2, 3), (4, 5, 6), (7, 8, 10). */
static Drawn drawing_of(const char *model, uint32_t flags)
{
    DvText text = {0};
    dv_text_add(&text,
                "<MeshTopology lines='0 1 1 2' triangles='2 0 1'/>"
                "<MechanicalObject name='x' position='1 2 3 4 5 6 7 8 10'/>%s",
                model);
    const Drawn drawn = drawing_of_body(text.at, flags);
    dv_text_free(&text);
    return drawn;
}

static void expect_batch(const Drawn *drawn, unsigned batch, DrawnKind kind, uint32_t count, double factor,
                         const uint32_t *order, uint32_t points, double size, const double color[4])
{
    static const double at[3][3] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 10}};
    assert_true(batch < drawn->count);
    assert_int_equal(drawn->batches[batch].kind, kind);
    assert_int_equal(drawn->batches[batch].count, count);
    for (uint32_t i = 0; i < 3 * points; i++)
        assert_true(drawn->batches[batch].points[i] == factor * at[order[i / 3]][i % 3]);
    assert_true(drawn->batches[batch].size == size);
    assert_memory_equal(drawn->batches[batch].color, color, 4 * sizeof *color);
}

#define MODELS (1u << DV_DISPLAY_COLLISION_MODELS)
static const double given[] = {0.125, 0.25, 0.5, 0.75}, of_free[] = {0, 1, 0.2, 1};
static const uint32_t in_order[] = {0, 1, 2}, of_lines[] = {0, 1, 1, 2}, of_triangle[] = {2, 0, 1},
                      sides_of_triangle[] = {2, 0, 0, 1, 1, 2};

static void points_lines_and_triangles_are_drawn_where_they_are(void **state)
{
    (void)state;
    const char *const colors = "color='0.125 0.25 0.5 0.75'";
    DvText text = {0};
    dv_text_add(&text, "<PointCollisionModel name='model' displayFreePosition='1' %s/>", colors);
    Drawn drawn = drawing_of(text.at, MODELS);
    assert_int_equal(drawn.count, 2);
    expect_batch(&drawn, 0, DRAWN_POINTS, 3, 1, in_order, 3, 3.0, given);
    expect_batch(&drawn, 1, DRAWN_POINTS, 3, 2, in_order, 3, 3.0, of_free);
    text.length = 0;
    dv_text_add(&text, "<LineCollisionModel name='model' displayFreePosition='1' %s/>", colors);
    drawn = drawing_of(text.at, MODELS);
    assert_int_equal(drawn.count, 2);
    expect_batch(&drawn, 0, DRAWN_LINES, 2, 1, of_lines, 4, 1.0, given);
    expect_batch(&drawn, 1, DRAWN_LINES, 2, 2, of_lines, 4, 1.0, of_free);
    text.length = 0;
    dv_text_add(&text, "<TriangleCollisionModel name='model' %s/>", colors);
    drawn = drawing_of(text.at, MODELS);
    assert_int_equal(drawn.count, 1);
    expect_batch(&drawn, 0, DRAWN_TRIANGLES, 1, 1, of_triangle, 3, 0.0, given);
    drawn = drawing_of(text.at, MODELS | 1u << DV_DISPLAY_WIREFRAME);
    assert_int_equal(drawn.count, 1);
    expect_batch(&drawn, 0, DRAWN_LINES, 3, 1, sides_of_triangle, 6, 1.0, given);
    assert_int_equal(drawing_of(text.at, ~MODELS).count, 0);
    dv_text_free(&text);
}

static void spheres_are_drawn_as_such_or_as_their_centres(void **state)
{
    (void)state;
    Drawn drawn =
        drawing_of("<SphereCollisionModel name='model' listRadius='0.5 1 2' color='0.125 0.25 0.5 0.75'/>", MODELS);
    assert_int_equal(drawn.count, 1);
    expect_batch(&drawn, 0, DRAWN_SPHERES, 3, 1, in_order, 3, 0.0, given);
    assert_true(drawn.batches[0].radii[0] == 0.5 && drawn.batches[0].radii[1] == 1 && drawn.batches[0].radii[2] == 2);
    drawn = drawing_of(
        "<SphereCollisionModel name='model' listRadius='0.5 1 2' showImpostors='0' color='0.125 0.25 0.5 0.75'/>",
        MODELS);
    assert_int_equal(drawn.count, 1);
    expect_batch(&drawn, 0, DRAWN_POINTS, 3, 1, in_order, 3, 3.0, given);
}

/* Grey and, when it moves, green; red and orange where it is simulated; half as bright where it is not active. */
static void a_model_without_a_colour_shows_what_it_is(void **state)
{
    (void)state;
    static const double of[2][2][2][4] = {
        /* simulated, moving, active */
        {{{0.25, 0.25, 0.25, 1}, {0.5, 0.5, 0.5, 1}}, {{0, 0.5, 0.25, 1}, {0, 1, 0.5, 1}}},
        {{{0.5, 0, 0, 1}, {1, 0, 0, 1}}, {{0.5, 0.25, 0, 1}, {1, 0.5, 0, 1}}}};
    for (int simulated = 0; simulated < 2; simulated++)
        for (int moving = 0; moving < 2; moving++)
            for (int active = 0; active < 2; active++) {
                DvText text = {0};
                dv_text_add(&text, "<PointCollisionModel name='model' simulated='%d' moving='%d' active='%d'/>",
                            simulated, moving, active);
                const Drawn drawn = drawing_of(text.at, MODELS);
                expect_batch(&drawn, 0, DRAWN_POINTS, 3, 1, in_order, 3, 3.0, of[simulated][moving][active]);
                dv_text_free(&text);
            }
}

/* Whether a batch of lines has just these, each once, its ends in either order. */
static void expect_lines(const Drawn *drawn, unsigned batch, uint32_t count, const double (*ends)[2][3])
{
    assert_true(batch < drawn->count);
    assert_int_equal(drawn->batches[batch].kind, DRAWN_LINES);
    assert_int_equal(drawn->batches[batch].count, count);
    assert_true(drawn->batches[batch].size == 1.0);
    assert_memory_equal(drawn->batches[batch].color, given, sizeof given);
    bool met[MOST_NUMBERS / 6] = {false};
    for (uint32_t wanted = 0; wanted < count; wanted++) {
        bool found = false;
        for (uint32_t line = 0; line < count && !found; line++) {
            const double *of = drawn->batches[batch].points + 6 * (size_t)line;
            for (uint32_t turned = 0; turned < 2 && !met[line] && !found; turned++) {
                double error = 0.0;
                for (uint32_t k = 0; k < 6; k++) {
                    const double off = of[k] - ends[wanted][k / 3 ^ turned][k % 3];
                    error += off * off;
                }
                found = error < 1e-24;
            }
            met[line] = met[line] || found;
        }
        assert_true(found);
    }
}

#define COLORED " color='0.125 0.25 0.5 0.75'"

/* Two that share a triangle: the six edges of each. */
static void tetrahedra_are_drawn_as_their_edges(void **state)
{
    (void)state;
    static const double at[5][3] = {{0, 0, 0}, {1, 0, 0}, {0, 2, 0}, {0, 0, 3}, {1, 2, 4}};
    static const uint32_t tetrahedra[2][4] = {{0, 1, 2, 3}, {4, 1, 2, 3}};
    double ends[12][2][3];
    uint32_t line = 0;
    for (uint32_t t = 0; t < 2; t++)
        for (uint32_t i = 0; i < 4; i++)
            for (uint32_t j = i + 1; j < 4; j++, line++) {
                memcpy(ends[line][0], at[tetrahedra[t][i]], sizeof at[0]);
                memcpy(ends[line][1], at[tetrahedra[t][j]], sizeof at[0]);
            }
    static const char body[] =
        "<MeshTopology tetrahedra='0 1 2 3  4 1 2 3'/><MechanicalObject name='x' "
        "position='0 0 0 1 0 0 0 2 0 0 0 3 1 2 4'/><TetrahedronCollisionModel name='model'" COLORED "/>";
    const Drawn drawn = drawing_of_body(body, MODELS);
    assert_int_equal(drawn.count, 1);
    expect_lines(&drawn, 0, 12, (const double(*)[2][3])ends);
    assert_int_equal(drawing_of_body(body, ~MODELS).count, 0);
}

/* Frames that are turned; the half sizes of the second are by default. */
static void boxes_are_drawn_as_their_edges(void **state)
{
    (void)state;
    static const double half[2][3] = {{1, 2, 3}, {0.5, 0.5, 0.5}};
    static const DvRigid3 frames[2] = {{{1, 2, 3}, {0.5, 0.5, 0.5, 0.5}}, {{-4, 0, 7}, {0, 0.6, 0, 0.8}}};
    double ends[24][2][3];
    uint32_t line = 0;
    for (uint32_t b = 0; b < 2; b++)
        for (uint32_t axis = 0; axis < 3; axis++)
            for (uint32_t side = 0; side < 4; side++, line++) /* along `axis`, on that side of both others */
                for (uint32_t end = 0; end < 2; end++) {
                    double corner[3];
                    corner[axis] = end ? half[b][axis] : -half[b][axis];
                    corner[(axis + 1) % 3] = half[b][(axis + 1) % 3] * (side & 1u ? 1 : -1);
                    corner[(axis + 2) % 3] = half[b][(axis + 2) % 3] * (side & 2u ? 1 : -1);
                    dv_vec3_store(dv_rigid3_to_world(frames[b], dv_vec3_load(corner)), ends[line][end]);
                }
    static const char body[] =
        "<MechanicalObject template='Rigid3d' name='x' position='1 2 3 0.5 0.5 0.5 0.5  -4 0 7 0 0.6 0 0.8'/>"
        "<OBBCollisionModel name='model' extents='1 2 3' defaultExtent='0.5'" COLORED "/>";
    const Drawn drawn = drawing_of_body(body, MODELS);
    assert_int_equal(drawn.count, 1);
    expect_lines(&drawn, 0, 24, (const double(*)[2][3])ends);
    assert_int_equal(drawing_of_body(body, ~MODELS).count, 0);
}

/* A segment each, and a sphere of its radius about either end. */
static void expect_capsules(const Drawn *drawn, uint32_t count, const double (*ends)[2][3], const double *radii)
{
    assert_int_equal(drawn->count, 2);
    expect_lines(drawn, 0, count, ends);
    assert_int_equal(drawn->batches[1].kind, DRAWN_SPHERES);
    assert_int_equal(drawn->batches[1].count, 2 * count);
    assert_memory_equal(drawn->batches[1].color, given, sizeof given);
    assert_memory_equal(drawn->batches[1].points, drawn->batches[0].points, 6 * count * sizeof(double));
    for (uint32_t i = 0; i < 2 * count; i++)
        assert_true(drawn->batches[1].radii[i] == radii[i / 2]);
}

static void capsules_are_drawn_as_segments_and_ends(void **state)
{
    (void)state;
    static const double edges[2][2][3] = {{{1, 2, 3}, {4, 5, 6}}, {{4, 5, 6}, {7, 8, 10}}}, radii[2] = {0.25, 2};
    static const char edge_model[] =
        "<CapsuleCollisionModel name='model' listCapsuleRadii='0.25' defaultRadius='2'" COLORED "/>";
    Drawn drawn = drawing_of(edge_model, MODELS);
    expect_capsules(&drawn, 2, edges, radii);
    assert_int_equal(drawing_of(edge_model, ~MODELS).count, 0);

    /* Along the second axis of the frame, which a third of a turn about (1, 1, 1) makes the third of the world. */
    static const double frames[2][2][3] = {{{1, 2, 1}, {1, 2, 5}}, {{-4, -1.5, 7}, {-4, 1.5, 7}}};
    drawn = drawing_of_body(
        "<MechanicalObject template='Rigid3d' name='x' position='1 2 3 0.5 0.5 0.5 0.5  -4 0 7 0 0 0 1'/>"
        "<CapsuleCollisionModel name='model' template='Rigid3d' heights='4' defaultHeight='3' "
        "radii='0.25' defaultRadius='2'" COLORED "/>",
        MODELS);
    expect_capsules(&drawn, 2, frames, radii);
}

/* Of two elements that share all corners but one each, the first goes with its own corner, a step is not made: what is drawn is the other. */
static void a_mesh_that_has_changed_since_the_last_step_is_drawn_as_it_is(void **state)
{
    (void)state;
    static const struct {
        const char *kind, *mesh, *model;
        DvElementKind elements;
        DrawnKind drawn;
        uint32_t before, after;
    } cases[] = {
        {"Triangle", "triangles='4 0 1  0 2 1'", "TriangleCollisionModel", DV_TRIANGLES, DRAWN_TRIANGLES, 2, 1},
        {"Tetrahedron", "tetrahedra='4 0 1 2  0 1 2 3'", "TetrahedronCollisionModel", DV_TETRAHEDRA, DRAWN_LINES, 12,
         6},
        {"Edge", "edges='4 0  0 1'", "LineCollisionModel", DV_EDGES, DRAWN_LINES, 2, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        DvText text = {0};
        dv_text_add(
            &text,
            "<Node><DefaultAnimationLoop/><Node name='body'><%sSetTopologyContainer name='mesh' position='1 0 0  0 1 0  0 0 1  "
            "0 0 0  9 9 9' %s/><%sSetTopologyModifier name='changes'/><MechanicalObject name='x'/><%s name='model'/></Node></Node>",
            cases[i].kind, cases[i].mesh, cases[i].kind, cases[i].model);
        DvScene *scene = scene_from_text(text.at);
        dv_text_free(&text);
        DvObject *changes = scene_object(scene, "/body/changes");
        const DvTopologyModifierOps *ops = dv_object_ops(changes, DV_TOPOLOGY_MODIFIER);
        Drawn drawn = {0};
        DrawRecorder recorder = draw_recorder(MODELS, keep, &drawn);
        record_drawing_of(&recorder, scene_object(scene, "/body/model"));
        assert_int_equal(drawn.count, 1);
        assert_int_equal(drawn.batches[0].count, cases[i].before);
        const uint32_t first = 0;
        assert_int_equal(ops->remove_elements(dv_object_self(changes), cases[i].elements, 1, &first, true), DV_OK);
        assert_true(dv_state_count(scene_state(scene, "/body/x")) < 5);
        drawn = (Drawn){0};
        record_drawing_of(&recorder, scene_object(scene, "/body/model"));
        assert_int_equal(drawn.count, 1);
        assert_int_equal(drawn.batches[0].kind, cases[i].drawn);
        assert_int_equal(drawn.batches[0].count, cases[i].after);
        for (size_t k = 0; k < 3 * (size_t)(cases[i].drawn == DRAWN_LINES ? 2 : 3) * cases[i].after; k++)
            assert_true(drawn.batches[0].points[k] <= 1);
        dv_scene_free(scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_lines_and_triangles_are_drawn_where_they_are),
        cmocka_unit_test(spheres_are_drawn_as_such_or_as_their_centres),
        cmocka_unit_test(a_model_without_a_colour_shows_what_it_is),
        cmocka_unit_test(tetrahedra_are_drawn_as_their_edges),
        cmocka_unit_test(boxes_are_drawn_as_their_edges),
        cmocka_unit_test(capsules_are_drawn_as_segments_and_ends),
        cmocka_unit_test(a_mesh_that_has_changed_since_the_last_step_is_drawn_as_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, stop_plugins);
}
