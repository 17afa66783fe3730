/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Recorded pictures: what a scene shows becomes data; what has not changed is shared, not copied.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <divan/contracts/drawing.h>
#include <divan/contracts/image.h>
#include <divan/contracts/picture.h>
#include <divan/divan.h>

#include "scene_text.h"

typedef struct Fixture {
    const DvPictureRecorderOps *ops;
    DvScene *scene;
    DvRecorder *recorder;
} Fixture;

static Fixture fixture(const char *text)
{
    Fixture f = {.scene = scene_from_text(text)};
    f.ops = dv_service(DV_PICTURE_RECORDER);
    assert_non_null(f.ops);
    f.recorder = f.ops->create(f.scene);
    return f;
}

static DvPicture *record(const Fixture *f)
{
    return f->ops->record(f->recorder, NULL);
}

static void end(Fixture *f)
{
    f->ops->destroy(f->recorder);
    dv_scene_free(f->scene);
}

#define TWO_SURFACES                                                                                                          \
    "<Node gravity='0 -10 0' dt='0.25'><DefaultAnimationLoop/>"                                                               \
    "<OglModel name='still' position='0 0 0  1 0 0  0 1 0  1 1 0' triangles='0 1 2  1 3 2' color='1 0 0 1'/>"                 \
    "<Node name='body'><EulerExplicitSolver/><MechanicalObject name='dofs' position='0 0 0  1 0 0  0 1 0'/>"                  \
    "<UniformMass totalMass='3'/><Node name='look'><OglModel name='falls' position='0 0 0  1 0 0  0 1 0' triangles='0 1 2'/>" \
    "<IdentityMapping input='@../dofs' output='@falls'/></Node></Node></Node>"

static void what_has_not_changed_is_the_same_array(void **state)
{
    (void)state;
    Fixture f = fixture(TWO_SURFACES);
    DvPicture *first = record(&f), *second = record(&f);
    assert_int_equal(first->surface_count, 2);
    assert_true(first->bytes_copied > 0);
    assert_int_equal(second->bytes_copied, 0);
    for (uint32_t i = 0; i < 2; i++) {
        assert_ptr_equal(first->surfaces[i].positions, second->surfaces[i].positions);
        assert_ptr_equal(first->surfaces[i].triangles, second->surfaces[i].triangles);
        assert_int_equal(first->surfaces[i].key, second->surfaces[i].key);
    }
    assert_int_equal(dv_scene_step(f.scene, 0), DV_OK);
    DvPicture *third = record(&f);
    assert_ptr_equal(first->surfaces[0].positions, third->surfaces[0].positions);
    assert_ptr_equal(first->surfaces[1].triangles, third->surfaces[1].triangles);
    assert_ptr_not_equal(first->surfaces[1].positions, third->surfaces[1].positions);
    /* Three points of three floats fell; their normals are what they were. */
    assert_int_equal(third->bytes_copied, 9 * sizeof(float));
    assert_ptr_equal(first->surfaces[1].normals, third->surfaces[1].normals);
    f.ops->unref(first);
    f.ops->unref(second);
    f.ops->unref(third);
    end(&f);
}

static void a_picture_outlives_the_scene_and_does_not_change(void **state)
{
    (void)state;
    Fixture f = fixture(TWO_SURFACES);
    DvPicture *picture = record(&f);
    assert_int_equal(dv_scene_step(f.scene, 0), DV_OK);
    assert_int_equal(dv_scene_step(f.scene, 0), DV_OK);
    f.ops->unref(record(&f));
    f.ops->unref(f.ops->ref(picture));
    end(&f);
    const float *at = picture->surfaces[1].positions->at;
    const float expected[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    assert_memory_equal(at, expected, sizeof expected);
    assert_string_equal(picture->surfaces[1].path, "/body/look/falls");
    assert_int_equal(picture->step, 0);
    const double box[6] = {0, 0, 0, 1, 1, 0};
    assert_true(picture->has_box);
    assert_memory_equal(picture->box, box, sizeof box);
    f.ops->unref(picture);
}

/* Two bodies of which one falls, on a floor of 100 m that has a state, and no mass: the view is of the bodies, wherever they are. Below a
 * narrow floor, and where nothing moves, it is of all. */
static void a_view_is_of_what_moves_on_a_wide_floor(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        const double half = i == 1 ? 1.5 : 50;
        const double all[6] = {-half, 0, -half, half, 2, half}, moves[6] = {0, 1, 0, 1, 2, 0};
        const double down[6] = {0, 1 - 2.5, 0, 1, 2, 0};
        DvText text = {0};
        double box[6];
        dv_text_add(
            &text,
            "<Node gravity='0 -10 0' dt='0.5'><DefaultAnimationLoop/>%s"
            "<Node name='one'><MechanicalObject position='0 1 0'/>%s</Node>"
            "<Node name='other'><MechanicalObject position='1 2 0'/>%s<FixedProjectiveConstraint indices='0'/></Node>"
            "<Node name='floor'><MechanicalObject position='%g 0 %g  %g 0 %g  %g 0 %g'/></Node></Node>",
            i < 2 ? "<EulerExplicitSolver/>" : "", i < 2 ? "<UniformMass totalMass='1'/>" : "",
            i < 2 ? "<UniformMass totalMass='1'/>" : "", -half, -half, half, -half, half, half);
        Fixture f = fixture(text.at);
        DvPicture *picture = record(&f);
        assert_int_equal(picture->has_moving_box, i < 2);
        assert_memory_equal(dv_picture_view_box(picture, box), i == 0 ? moves : all, sizeof box);
        f.ops->unref(picture);
        assert_int_equal(dv_scene_step(f.scene, 0), DV_OK);
        picture = record(&f);
        if (i == 0) /* by 10 x 0.5 m/s in half a second */
            assert_memory_equal(dv_picture_view_box(picture, box), down, sizeof box);
        f.ops->unref(picture);
        end(&f);
        dv_text_free(&text);
    }
    /* One point has no size: a 500th of the floor is seen around it. */
    Fixture f = fixture(
        "<Node><DefaultAnimationLoop/><EulerExplicitSolver/><Node><MechanicalObject position='1 2 3'/><UniformMass "
        "totalMass='1'/></Node><Node><MechanicalObject position='-50 0 0  50 0 0'/></Node></Node>");
    DvPicture *picture = record(&f);
    double box[6];
    const double *around = dv_picture_view_box(picture, box);
    for (int c = 0; c < 3; c++) {
        assert_true(fabs(around[c] - (c + 0.9)) < 1e-12);
        assert_true(fabs(around[3 + c] - (c + 1.1)) < 1e-12);
    }
    f.ops->unref(picture);
    end(&f);
}

/* A cube of six quads: each of its corners has three normals where it is drawn, and one where it is computed with. */
#define CUBE                                                                                      \
    "position='0 0 0  1 0 0  1 1 0  0 1 0  0 0 1  1 0 1  1 1 1  0 1 1' quads='0 3 2 1  4 5 6 7  " \
    "0 1 5 4  1 2 6 5  2 3 7 6  3 0 4 7'"

static void faces_that_meet_at_an_edge_are_drawn_with_normals_of_their_own(void **state)
{
    static const struct {
        const char *attributes;
        uint32_t vertices;
    } cases[] = {
        {"", 24},
        {"creaseAngle='89'", 24},
        {"creaseAngle='91'", 8},
        {"creaseAngle='180'", 8},
        {"updateNormals='0'", 8},
        {"normal='0 0 1  0 0 1  0 0 1  0 0 1  0 0 1  0 0 1  0 0 1  0 0 1'", 8},
        {"creaseAngle='40' normal='0 0 1  0 0 1  0 0 1  0 0 1  0 0 1  0 0 1  0 0 1  0 0 1'", 24},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        DvText text = {0};
        dv_text_add(&text, "<Node><DefaultAnimationLoop/><OglModel name='cube' %s " CUBE "/></Node>",
                    cases[i].attributes);
        Fixture f = fixture(text.at);
        DvPicture *picture = record(&f);
        const DvPictureSurface *cube = &picture->surfaces[0];
        assert_int_equal(cube->positions->count, cases[i].vertices);
        assert_int_equal(cube->normals->count, cases[i].vertices);
        const uint32_t *quad = cube->quads->at;
        const float *at = cube->positions->at, *normal = cube->normals->at;
        for (int face = 0; face < 6 && cases[i].vertices == 24; face++) /* all along one axis, outwards */
            for (int corner = 0; corner < 4; corner++) {
                const float *n = normal + 3 * quad[4 * face + corner], *first = normal + 3 * quad[4 * face];
                const float *p = at + 3 * quad[4 * face + corner];
                assert_memory_equal(n, first, 3 * sizeof *n);
                assert_true(fabsf(fabsf(n[0]) + fabsf(n[1]) + fabsf(n[2]) - 1) < 1e-6f);
                assert_true((p[0] - 0.5f) * n[0] + (p[1] - 0.5f) * n[1] + (p[2] - 0.5f) * n[2] > 0.49f);
            }
        size_t computed;
        (void)dv_data_doubles(dv_object_field(dv_node_resolve(dv_scene_root(f.scene), NULL, "@/cube", NULL), "normal"),
                              &computed);
        assert_int_equal(computed, 8);
        f.ops->unref(picture);
        end(&f);
        dv_text_free(&text);
    }
}

/* Two bodies that are stepped have two colours, what stands still is grey, and a colour that the scene gives stays. */
static void bodies_have_colours_of_their_own(void **state)
{
    (void)state;
#define BODY(name, color)                                                                                    \
    "<Node name='" name "'><MechanicalObject position='0 0 0'/><UniformMass totalMass='1'/><OglModel " color \
    "position='0 0 0  1 0 0  0 1 0' triangles='0 1 2'/></Node>"
    Fixture f = fixture("<Node><DefaultAnimationLoop/><EulerExplicitSolver/><OglModel position='0 0 0  1 0 0  0 1 0' "
                        "triangles='0 1 2'/>" BODY("a", "") BODY("b", "") BODY("c", "color='1 0 0 1' ") "</Node>");
    DvPicture *picture = record(&f);
    assert_int_equal(picture->surface_count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        double expected[4] = {0.75, 0.75, 0.75, 1};
        static const double red[4] = {1, 0, 0, 1};
        if (i == 3)
            memcpy(expected, red, sizeof red);
        else if (i > 0)
            dv_palette(i - 1, expected);
        assert_int_equal(picture->surfaces[i].moves, i > 0);
        for (int c = 0; c < 3; c++) {
            assert_true(fabs((double)picture->surfaces[i].materials[0].diffuse[c] - expected[c]) < 1e-6);
            assert_true(fabs((double)picture->surfaces[i].materials[0].ambient[c] - 0.2 * expected[c]) <
                        (i == 0 ? 0.051 : 1e-6));
        }
    }
    f.ops->unref(picture);
    end(&f);
}

/* A block, with gravity along each diagonal of it: the ground is where its lowest corner is, and a bit deeper. */
static void the_ground_is_below_the_lowest_corner(void **state)
{
    (void)state;
    for (int corner = 0; corner < 8; corner++) {
        DvText text = {0};
        dv_text_add(&text,
                    "<Node gravity='%d %d %d'><DefaultAnimationLoop/><EulerExplicitSolver/><MechanicalObject/>"
                    "<UniformMass totalMass='1'/><OglModel quads='0 1 3 2  4 5 7 6' position='",
                    corner & 1 ? 3 : -3, corner & 2 ? 4 : -4, corner & 4 ? 12 : -12);
        for (int i = 0; i < 8; i++)
            dv_text_add(&text, "%g %g %g  ", i & 1 ? 0.5 : -0.5, i & 2 ? 0.7 : -0.7, i & 4 ? 0.2 : -0.2);
        dv_text_add(&text, "'/></Node>");
        Fixture f = fixture(text.at);
        DvPicture *picture = record(&f);
        const double lowest = -(3 * 0.5 + 4 * 0.7 + 12 * 0.2) / 13;
        assert_true(picture->has_ground);
        if (!(picture->ground < lowest - 0.004 && picture->ground > lowest - 0.0075))
            fail_msg("the ground is at %g, with the corner %d at %g", picture->ground, corner, lowest);
        f.ops->unref(picture);
        end(&f);
        dv_text_free(&text);
    }
}

/* A ball of 2 kg rests on a floor: an arrow on it stands for its weight, by the legend; a dot on both sides of the contact, and a
 * normal of length 1 upwards. On a slope friction is drawn beside it, in another colour. */
static void contacts_are_seen_with_their_forces(void **state)
{
    (void)state;
    for (int slope = 0; slope < 2; slope++) {
        const double angle = slope ? 0.2 : 0, weight = 2 * 9.81;
        DvText text = {0};
        dv_text_add(
            &text,
            "<Node gravity='%.17g %.17g 0' dt='0.01'><FreeMotionAnimationLoop/><LCPConstraintSolver mu='0.8' maxIt='1000' "
            "tolerance='1e-10'/><VisualStyle displayFlags='showDetectionOutputs'/><CollisionPipeline name='contacts'/>"
            "<BruteForceBroadPhase/><BVHNarrowPhase/><LocalMinDistance alarmDistance='0.02' contactDistance='0.001'/>"
            "<CollisionResponse response='FrictionContactConstraint'/><Node name='Ball'><EulerImplicitSolver/>"
            "<SparseLDLSolver template='CompressedRowSparseMatrixMat3x3d'/><MechanicalObject template='Vec3d' position='0 0.101 0'/>"
            "<UniformMass totalMass='2'/><LinearSolverConstraintCorrection/><SphereCollisionModel radius='0.1'/></Node>"
            "<Node name='Floor'><MeshTopology triangles='0 1 2'/><MechanicalObject position='-5 0 5  5 0 5  0 0 -10'/>"
            "<TriangleCollisionModel simulated='0' moving='0'/></Node></Node>",
            -9.81 * sin(angle), -9.81 * cos(angle));
        Fixture f = fixture(text.at);
        for (int i = 0; i < 60; i++)
            assert_int_equal(dv_scene_step(f.scene, 0), DV_OK);
        DvPicture *picture = record(&f);
        double length = 0, most = 0;
        assert_int_equal(picture->text_count, 1);
        assert_int_equal(sscanf(picture->texts[0].text, "contact forces: an arrow of %lg m is %lg N", &length, &most),
                         2);
        uint32_t dots = 0, arrows = 0;
        double force[2] = {0, 0};
        for (uint32_t i = 0; i < picture->batch_count; i++) {
            const DvPictureBatch *batch = &picture->batches[i];
            dots += batch->kind == DV_BATCH_POINTS ? batch->array->count : 0;
            assert_int_equal(batch->draw_state, DV_DRAW_UNLIT | DV_DRAW_ON_TOP);
            for (uint32_t k = 0; batch->kind == DV_BATCH_ARROWS && k < batch->array->count; k++, arrows++) {
                const DvBatchSolid *arrow = (const DvBatchSolid *)batch->array->at + k;
                double size = 0;
                assert_true(fabs((double)arrow->radius / length - 0.02) < 1e-6);
                for (int c = 0; c < 3; c++)
                    size += pow((double)(arrow->to[c] - arrow->from[c]), 2);
                force[arrow->color[0] > arrow->color[2]] += sqrt(size) / length * most;
            }
        }
        assert_int_equal(dots, 2);
        assert_int_equal(arrows, 1 + slope);
        if (fabs(force[0] - weight * cos(angle)) > 0.03 * weight ||
            fabs(force[1] - weight * sin(angle)) > 0.03 * weight)
            fail_msg("%g N and %g N are drawn", force[0], force[1]);
        f.ops->unref(picture);
        end(&f);
        dv_text_free(&text);
    }
}

static void styles_hold_in_their_node_and_below_and_nowhere_else(void **state)
{
    (void)state;
    Fixture f =
        fixture("<Node><DefaultAnimationLoop/><VisualStyle displayFlags='showVisualModels'/>"
                "<Node name='hidden'><VisualStyle displayFlags='hideVisualModels'/><Node name='below'>"
                "<OglModel name='a' position='0 0 0 1 0 0 0 1 0' triangles='0 1 2'/></Node></Node>"
                "<Node name='wired'><VisualStyle displayFlags='showWireframe'/>"
                "<OglModel name='b' position='0 0 0 1 0 0 0 1 0' triangles='0 1 2'/></Node>"
                "<Node name='plain'><OglModel name='c' position='0 0 0 1 0 0 0 1 0' triangles='0 1 2'/></Node></Node>");
    DvPicture *picture = record(&f);
    assert_int_equal(picture->surface_count, 2);
    assert_string_equal(picture->surfaces[0].path, "/wired/b");
    assert_true(picture->surfaces[0].wireframe);
    assert_string_equal(picture->surfaces[1].path, "/plain/c");
    assert_false(picture->surfaces[1].wireframe);
    f.ops->unref(picture);
    /* What a viewer forces holds whatever the styles say. */
    DvRecordOptions options = {.view = {0}};
    options.flags[DV_DISPLAY_VISUAL_MODELS] = 1;
    picture = f.ops->record(f.recorder, &options);
    assert_int_equal(picture->surface_count, 3);
    f.ops->unref(picture);
    options.flags[DV_DISPLAY_VISUAL_MODELS] = -1;
    picture = f.ops->record(f.recorder, &options);
    assert_int_equal(picture->surface_count, 0);
    f.ops->unref(picture);
    end(&f);
}

static void a_root_without_style_shows_visual_models_alone(void **state)
{
    (void)state;
    const char *const scenes[2] = {
        "<Node><DefaultAnimationLoop/><MechanicalObject position='1 2 3' showObject='1' drawMode='1'/>"
        "<OglModel position='0 0 0 1 0 0 0 1 0' triangles='0 1 2'/></Node>",
        "<Node><DefaultAnimationLoop/><VisualStyle displayFlags='showBehaviorModels'/>"
        "<MechanicalObject position='1 2 3' showObject='1' showObjectScale='0.5' drawMode='1'/>"
        "<OglModel position='0 0 0 1 0 0 0 1 0' triangles='0 1 2'/></Node>"};
    Fixture f = fixture(scenes[0]);
    DvPicture *picture = record(&f);
    assert_int_equal(picture->surface_count, 1);
    assert_int_equal(picture->batch_count, 0);
    f.ops->unref(picture);
    end(&f);
    f = fixture(scenes[1]);
    picture = record(&f);
    assert_int_equal(picture->surface_count, 1); /* no word hides it */
    assert_int_equal(picture->batch_count, 1);
    const DvPictureBatch *batch = &picture->batches[0];
    assert_int_equal(batch->kind, DV_BATCH_SPHERES);
    assert_int_equal(batch->array->count, 1);
    const DvBatchSolid *ball = batch->array->at;
    assert_true(ball->from[0] == 1 && ball->from[1] == 2 && ball->from[2] == 3 && ball->radius == 0.5f);
    f.ops->unref(picture);
    end(&f);
}

/* Whether a surface is shown by the words of a style at the root, and of one in its node. */
static void visual_models_are_shown_unless_a_word_hides_them(void **state)
{
    (void)state;
    static const struct {
        const char *root, *node;
        uint32_t surfaces;
    } cases[] = {
        {"", NULL, 1},
        {"showBehavior", NULL, 1},
        {"showBehaviorModels showForceFields", NULL, 1},
        {"showCollisionModels", "showWireframe", 1},
        {"hideBehaviorModels hideCollisionModels hideMappings hideForceFields", NULL, 1},
        {"showWireframe", NULL, 1},
        {"showAll", NULL, 1},
        {"hideAll", NULL, 0},
        {"hideVisual", NULL, 0},
        {"hideVisualModels showForceFields", NULL, 0},
        {"hideVisualModels", "showForceFields", 0},
        {"hideVisualModels", "showVisual", 1},
        {"showForceFields", "hideVisualModels", 0},
        {"showForceFields", "hideAll", 0},
        {"showVisualModels", "showBehavior", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1024], style[256] = "";
        if (cases[i].node)
            snprintf(style, sizeof style, "<VisualStyle displayFlags='%s'/>", cases[i].node);
        snprintf(text, sizeof text,
                 "<Node><DefaultAnimationLoop/><VisualStyle displayFlags='%s'/><Node>%s"
                 "<OglModel position='0 0 0 1 0 0 0 1 0' triangles='0 1 2'/></Node></Node>",
                 cases[i].root, style);
        Fixture f = fixture(text);
        DvPicture *picture = record(&f);
        if (picture->surface_count != cases[i].surfaces)
            fail_msg("'%s', then '%s': %u surfaces", cases[i].root, style, picture->surface_count);
        f.ops->unref(picture);
        end(&f);
    }
}

/* Batches and texts of a picture that has nothing but marks, of the object of that path. */
static DvPicture *marked(const Fixture *f, const char *path, const DvViewerLook *look)
{
    DvNode *root = dv_scene_root(f->scene);
    DvObject *object = *path ? dv_node_resolve(root, NULL, path, NULL) : dv_node_object(root);
    assert_non_null(object);
    f->ops->mark(f->recorder, object, look);
    return record(f);
}

static void expect_batch(const DvPicture *picture, uint32_t index, DvBatchKind kind, uint32_t count, uint32_t state)
{
    assert_true(index < picture->batch_count);
    const DvPictureBatch *batch = &picture->batches[index];
    assert_int_equal(batch->kind, kind);
    assert_int_equal(batch->array->count, count);
    assert_int_equal(batch->draw_state, state);
}

/* What is selected has the marks that are asked for, in one picture. */
static void what_is_selected_is_marked(void **state)
{
    (void)state;
    enum { OVER_ALL = DV_DRAW_UNLIT | DV_DRAW_ON_TOP };
    Fixture f = fixture(
        "<Node><DefaultAnimationLoop/><VisualStyle displayFlags='hideAll'/><Node name='body'>"
        "<VisualTransform transform='9 0 0 0 0 0 1'/><MeshTopology name='mesh' position='0 0 0  3 0 0  0 4 0  0 0 12' "
        "tetrahedra='0 1 2 3' triangles='0 1 2' quads='0 1 2 3'/><MechanicalObject name='dofs' translation='1 0 0'/>"
        "<UniformMass name='mass' totalMass='1'/><OglModel name='look' position='0 0 0 1 0 0 0 1 0  1 1 0' triangles='0 1 2  1 3 2'/>"
        "</Node></Node>");
    const DvViewerLook all = {.marks_node_box = true,
                              .marks_box = true,
                              .marks_positions = true,
                              .marks_surfaces = true,
                              .marks_volumes = true,
                              .marks_indices = true,
                              .mark_size = 0.1};
    static const char *const members[] = {"@/body/dofs", "@/body/mass", "@/body/mesh"};
    for (int i = 0; i < 3; i++) {
        DvPicture *picture = marked(&f, members[i], &all);
        const bool has_box = i != 1; /* a mass has none */
        const uint32_t first = has_box;
        assert_int_equal(picture->batch_count, first + 3);
        if (has_box)
            expect_batch(picture, 0, DV_BATCH_LINES, 24, OVER_ALL);
        expect_batch(picture, first, DV_BATCH_TRIANGLES, 12, OVER_ALL);
        assert_true(picture->batches[first].translucent);
        expect_batch(picture, first + 1, DV_BATCH_POINTS, 4, OVER_ALL);
        expect_batch(picture, first + 2, DV_BATCH_TRIANGLES, 3 + 6, OVER_ALL | DV_DRAW_WIREFRAME);
        const DvBatchVertex *point = picture->batches[first + 1].array->at;
        assert_true(point[1].at[0] == 4 && point[3].at[0] == 1 &&
                    point[3].at[2] == 12); /* those of the state, not moved */
        assert_int_equal(picture->text_count, 4);
        assert_string_equal(picture->texts[3].text, "3");
        assert_true(picture->texts[3].at[2] == 12);
        const double *b = picture->box;
        assert_true(
            fabs(picture->texts[0].height - 0.1 * sqrt((b[3] - b[0]) * (b[3] - b[0]) + (b[4] - b[1]) * (b[4] - b[1]) +
                                                       (b[5] - b[2]) * (b[5] - b[2]))) < 1e-6);
        f.ops->unref(picture);
    }
    /* Faces of a surface are its own. */
    DvPicture *picture = marked(&f, "@/body/look", &(DvViewerLook){.marks_surfaces = true});
    assert_int_equal(picture->batch_count, 1);
    expect_batch(picture, 0, DV_BATCH_TRIANGLES, 6, OVER_ALL | DV_DRAW_WIREFRAME);
    f.ops->unref(picture);
    /* A node has bounds alone, and nothing has marks that nobody asks for. */
    picture = marked(&f, "@/body", &all);
    assert_int_equal(picture->batch_count, 1);
    expect_batch(picture, 0, DV_BATCH_LINES, 24, OVER_ALL);
    f.ops->unref(picture);
    picture = marked(&f, "@/body", &(DvViewerLook){.marks_box = true, .marks_positions = true});
    assert_int_equal(picture->batch_count, 0);
    f.ops->unref(picture);
    picture = marked(&f, "@/body/dofs", &(DvViewerLook){.marks_node_box = true, .marks_indices = true});
    assert_int_equal(picture->batch_count + picture->text_count, 0);
    f.ops->unref(picture);
    picture = record(&f);
    assert_int_equal(picture->batch_count, 0);
    f.ops->unref(picture);
    end(&f);
}

/* A flat grid has each face as a quad and as two triangles; what it is drawn with has it once, what is read of it is as it was. */
static void faces_that_are_there_twice_are_drawn_once(void **state)
{
    (void)state;
    Fixture f =
        fixture("<Node><DefaultAnimationLoop/><RegularGridTopology name='grid' n='3 4 1' min='0 0 0' max='2 3 0'/>"
                "<OglModel name='whole' src='@grid'/>"
                "<OglModel name='other' position='@grid.position' quads='0 1 4 3' triangles='0 1 4  0 4 5'/></Node>");
    DvPicture *picture = record(&f);
    assert_int_equal(picture->surface_count, 2);
    assert_null(picture->surfaces[0].triangles);
    assert_int_equal(picture->surfaces[0].quads->count, 6);
    assert_int_equal(picture->surfaces[1].triangles->count, 2); /* one of them is no half of the quad */
    DvObject *whole = dv_node_resolve(dv_scene_root(f.scene), NULL, "@/whole", NULL);
    DvData *triangles = dv_object_field(whole, "triangles");
    (void)dv_data_read(triangles);
    assert_int_equal(triangles->count, 12);
    f.ops->unref(picture);
    /* Another list: both are drawn again. */
    const uint32_t corners[6] = {0, 1, 4, 4, 5, 8};
    dv_data_set(triangles, corners, 2);
    picture = record(&f);
    assert_non_null(picture->surfaces[0].triangles);
    f.ops->unref(picture);
    end(&f);
}

static void primitives_of_many_objects_are_one_batch(void **state)
{
    (void)state;
    DvText text = {0};
    dv_text_add(&text, "<Node><DefaultAnimationLoop/><VisualStyle displayFlags='showBehaviorModels'/>");
    for (int i = 0; i < 50; i++)
        dv_text_add(&text, "<Node name='n%d'><MechanicalObject position='%d 0 0' showObject='1' drawMode='1'/></Node>",
                    i, i);
    dv_text_add(&text, "</Node>");
    Fixture f = fixture(text.at);
    dv_text_free(&text);
    DvPicture *picture = record(&f), *again = record(&f);
    assert_int_equal(picture->batch_count, 1);
    assert_int_equal(picture->batches[0].array->count, 50);
    assert_ptr_equal(picture->batches[0].array, again->batches[0].array); /* the same primitives: the same array */
    assert_int_equal(again->bytes_copied, 0);
    f.ops->unref(picture);
    f.ops->unref(again);
    end(&f);
}

/* Lines are drawn over lines: what the second picture has no use for is begun later in the third. */
static void batches_come_in_the_order_of_the_scene_whatever_was_drawn_before(void **state)
{
    (void)state;
    Fixture f = fixture("<Node><DefaultAnimationLoop/><VisualStyle displayFlags='showBehaviorModels'/>"
                        "<MechanicalObject name='points' position='0 0 0' showObject='1' drawMode='0'/>"
                        "<MechanicalObject name='balls' position='1 0 0' showObject='1' drawMode='1'/></Node>");
    f.ops->unref(record(&f));
    DvObject *points = dv_node_resolve(dv_scene_root(f.scene), NULL, "@/points", NULL);
    static const char *const modes[] = {"1", "0"};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        assert_int_equal(dv_data_set_text(dv_object_field(points, "drawMode"), modes[i]), DV_OK);
        assert_int_equal(dv_object_reinit(points), DV_OK);
        f.ops->unref(record(&f));
        if (i == 0) /* as long as a batch of no use is kept */
            f.ops->unref(record(&f));
    }
    DvPicture *late = record(&f);
    assert_int_equal(late->batch_count, 2);
    assert_int_equal(late->batches[0].kind, DV_BATCH_POINTS);
    assert_int_equal(late->batches[1].kind, DV_BATCH_SPHERES);
    f.ops->unref(late);
    end(&f);
}

static void materials_are_what_the_text_switches_on(void **state)
{
    (void)state;
    Fixture f = fixture(
        "<Node><DefaultAnimationLoop/><OglModel position='0 0 0 1 0 0 0 1 0' triangles='0 1 2' material='Skin "
        "specular 1 0.1 0.2 0.3 1 Diffuse 1 0.5 0.25 0.75 0.5 Ambient 0 1 1 1 1 Emissive 0 1 1 1 1 Shininess 1 200'/></Node>");
    DvPicture *picture = record(&f);
    const DvPictureMaterial *m = picture->surfaces[0].materials;
    assert_int_equal(picture->surfaces[0].material_count, 1);
    assert_true(m->diffuse[0] == 0.5f && m->diffuse[1] == 0.25f && m->diffuse[2] == 0.75f && m->diffuse[3] == 0.5f);
    assert_true(m->ambient[0] == 0 && m->emissive[0] == 0 && m->specular[2] == 0.3f && m->shininess == 128);
    assert_true(picture->surfaces[0].translucent);
    f.ops->unref(picture);
    end(&f);
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void groups_of_a_file_have_its_materials(void **state)
{
    (void)state;
    char folder[] = P_tmpdir "/divan-picture-XXXXXX", path[256], text[1024];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/two.mtl", folder);
    write_text(path, "newmtl red\nKd 1 0 0\nnewmtl blue\nKd 0 0 1\nd 0.5\nKs 1 1 1\nNs 10\n");
    snprintf(path, sizeof path, "%s/two.obj", folder);
    write_text(path, "mtllib two.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nusemtl red\nf 1 2 3\nusemtl blue\nf 2 4 3\n");
    for (int form = 0; form < 2; form++) {
        char model[512];
        /* the two ways in which scenes take files */
        if (form == 0)
            snprintf(model, sizeof model, "<OglModel filename='%s'/>", path);
        else
            snprintf(model, sizeof model, "<MeshOBJLoader name='mesh' filename='%s'/><OglModel src='@mesh'/>", path);
        snprintf(text, sizeof text, "<Node><DefaultAnimationLoop/>%s</Node>", model);
        Fixture f = fixture(text);
        DvPicture *picture = record(&f);
        const DvPictureSurface *surface = &picture->surfaces[0];
        assert_int_equal(surface->material_count, 3);
        assert_int_equal(surface->group_count, 2);
        assert_int_equal(surface->groups[1].first_triangle, 1);
        assert_int_equal(surface->groups[1].triangles, 1);
        const DvPictureMaterial *blue = &surface->materials[surface->groups[1].material];
        assert_true(blue->diffuse[2] == 1 && blue->diffuse[0] == 0 && blue->diffuse[3] == 0.5f);
        assert_true(blue->specular[0] == 1 && blue->shininess == 10);
        assert_true(surface->materials[surface->groups[0].material].diffuse[0] == 1);
        /* what is in no group has the first of them */
        assert_true(surface->materials[0].diffuse[0] == 1 && surface->materials[0].diffuse[2] == 0);
        assert_true(surface->translucent);
        f.ops->unref(picture);
        end(&f);
    }
    assert_int_equal(unlink(path), 0);
    snprintf(path, sizeof path, "%s/two.mtl", folder);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0);
}

/* What has no shininess has no highlights; none is sharper than OpenGL's. */
static void data_shine_as_they_are_told(void **state)
{
    (void)state;
    static const double cases[][3] = {
        {-1, 0, 45}, {0, 1, 0}, {5, 1, 5}, {200, 1, 128}}; /* given, highlights, sharpness */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "<Node><DefaultAnimationLoop/><MeshTopology position='0 0 0  1 0 0  0 1 0' triangles='0 1 2'/>"
                 "<DataDisplay position='0 0 0  1 0 0  0 1 0' pointData='-2 0 3' shininess='%g'/></Node>",
                 cases[i][0]);
        Fixture f = fixture(text);
        DvPicture *picture = record(&f);
        assert_int_equal(picture->surface_count, 1);
        const DvPictureMaterial *m = &picture->surfaces[0].materials[0];
        for (int c = 0; c < 3; c++)
            assert_true(m->specular[c] == (float)cases[i][1]);
        assert_true(m->shininess == (float)cases[i][2]);
        f.ops->unref(picture);
        end(&f);
    }
}

static void lights_count_below_a_light_manager_only(void **state)
{
    (void)state;
    const char *const light =
        "<SpotLight position='1 2 3' direction='1 2 0' lookat='1' cutoff='20' color='1 0.5 0 1'/>";
    char text[512];
    snprintf(text, sizeof text, "<Node><DefaultAnimationLoop/>%s</Node>", light);
    Fixture f = fixture(text);
    DvPicture *picture = record(&f);
    assert_false(picture->has_lighting);
    assert_int_equal(picture->light_count, 0);
    f.ops->unref(picture);
    end(&f);
    snprintf(text, sizeof text,
             "<Node><DefaultAnimationLoop/><LightManager shadows='1' ambient='0.1 0.2 0.3 1'/>%s</Node>", light);
    f = fixture(text);
    picture = record(&f);
    assert_true(picture->has_lighting && picture->lighting.shadows);
    assert_true(picture->lighting.ambient[2] == 0.3);
    assert_int_equal(picture->light_count, 1);
    assert_int_equal(picture->lights[0].kind, DV_LIGHT_SPOT);
    const double way[3] = {0, 0, -3}; /* to the point that it looks at */
    assert_memory_equal(picture->lights[0].direction, way, sizeof way);
    f.ops->unref(picture);
    end(&f);
}

static void objects_that_come_and_go_are_followed(void **state)
{
    (void)state;
    Fixture f = fixture(TWO_SURFACES);
    DvPicture *before = record(&f);
    DvObject *added = NULL;
    assert_int_equal(dv_object_new(dv_scene_root(f.scene), "OglModel", &added, "name", "new", "position",
                                   "0 0 5  1 0 5  0 1 5", "triangles", "0 1 2", NULL),
                     DV_OK);
    DvPicture *with = record(&f);
    assert_int_equal(with->surface_count, 3);
    assert_ptr_equal(with->surfaces[0].positions, before->surfaces[0].positions); /* the others are what they were */
    dv_object_remove(added);
    DvPicture *after = record(&f);
    assert_int_equal(after->surface_count, 2);
    assert_int_equal(after->bytes_copied, 0);
    f.ops->unref(before);
    f.ops->unref(with);
    f.ops->unref(after);
    end(&f);
}

static void collect(const DvMessage *message, void *context)
{
    dv_message_print(message, context);
    dv_text_add(context, "\n");
}

/* Of each that has no effect, in the first picture. */
static void planes_that_are_too_many_are_told_once(void **state)
{
    (void)state;
    DvText scene = {0}, said = {0};
    dv_text_add(&scene, "<Node><DefaultAnimationLoop/>");
    for (int i = 0; i < DV_PICTURE_CLIPS + 2; i++)
        dv_text_add(&scene, "<ClipPlane name='plane%d' position='0 0 %d' normal='0 0 1'/>", i, i);
    dv_text_add(&scene, "</Node>");
    Fixture f = fixture(scene.at);
    dv_log_set_handler(collect, &said);
    f.ops->unref(record(&f));
    assert_non_null(said.at);
    for (int i = 0; i < DV_PICTURE_CLIPS + 2; i++) {
        char name[32];
        snprintf(name, sizeof name, "'plane%d': more than", i);
        assert_int_equal(strstr(said.at, name) != NULL, i >= DV_PICTURE_CLIPS);
    }
    const size_t length = said.length;
    f.ops->unref(record(&f));
    DvObject *added = NULL; /* the objects are listed anew */
    assert_int_equal(dv_object_new(dv_scene_root(f.scene), "VisualStyle", &added, NULL), DV_OK);
    f.ops->unref(record(&f));
    dv_log_set_handler(NULL, NULL);
    assert_int_equal(said.length, length);
    dv_text_free(&said);
    dv_text_free(&scene);
    end(&f);
}

static void a_texture_that_cannot_be_read_is_told_once(void **state)
{
    (void)state;
    DvText said = {0};
    dv_log_set_handler(collect, &said);
    Fixture f = fixture("<Node><DefaultAnimationLoop/><OglModel name='m' position='0 0 0 1 0 0 0 1 0' triangles='0 1 2'"
                        " texturename='nowhere.png'/></Node>");
    f.ops->unref(record(&f));
    f.ops->unref(record(&f));
    dv_log_set_handler(NULL, NULL);
    const char *first = said.at ? strstr(said.at, "no file 'nowhere.png'") : NULL;
    assert_non_null(first);
    assert_null(strstr(first + 1, "no file"));
    assert_non_null(strstr(said.at, "texturename"));
    dv_text_free(&said);
    end(&f);
}

/* Each file is read once, whoever names it how often; of one that is no picture the reason is told, of another nothing. */
static void pictures_that_are_none_are_told_once_each(void **state)
{
    (void)state;
    const DvImagesOps *images = dv_service(DV_IMAGES);
    assert_non_null(images);
    char folder[] = P_tmpdir "/divan-picture-XXXXXX", good[256], bad[2][256], text[2048];
    uint8_t pixels[4] = {9, 8, 7, 255};
    DvText why = {0}, said = {0};
    assert_non_null(mkdtemp(folder));
    snprintf(good, sizeof good, "%s/good.png", folder);
    assert_int_equal(images->write(good, NULL, &(DvImage){1, 1, pixels}, true, &why), DV_OK);
    for (int i = 0; i < 2; i++) {
        snprintf(bad[i], sizeof bad[i], "%s/bad%d.png", folder, i);
        FILE *file = fopen(bad[i], "w");
        assert_non_null(file);
        assert_true(fputs(i ? "\x89PNG\r\n\x1a\n" : "GIF89a is not read", file) >= 0);
        fclose(file);
    }
#define MODEL "<OglModel position='0 0 0 1 0 0 0 1 0' triangles='0 1 2' texcoords='0 0 1 0 0 1' texturename='%s'/>"
    snprintf(text, sizeof text, "<Node><DefaultAnimationLoop/>" MODEL MODEL MODEL MODEL MODEL "</Node>", good, bad[0],
             bad[1], bad[0], good);
    dv_log_set_handler(collect, &said);
    Fixture f = fixture(text);
    for (int times = 0; times < 2; times++) {
        DvPicture *picture = record(&f);
        assert_int_equal(picture->surface_count, 5);
        for (uint32_t i = 0; i < 5; i++) {
            const DvPictureImage *image = picture->surfaces[i].materials[0].texture;
            assert_int_equal(image != NULL, i == 0 || i == 4);
            assert_true(!image ||
                        (image->pixels[0] == 9 && image->id == picture->surfaces[0].materials[0].texture->id));
        }
        f.ops->unref(picture);
    }
    dv_log_set_handler(NULL, NULL);
    static const char *const reasons[] = {"it is none of PNG, JPEG", "broken PNG"};
    for (int i = 0; i < 2; i++) {
        DvText wanted = {0};
        dv_text_add(&wanted, "the picture '%s' is not shown: %s", bad[i], reasons[i]);
        const char *first = said.at ? strstr(said.at, wanted.at) : NULL;
        assert_non_null(first);
        assert_null(strstr(first + 1, wanted.at));
        dv_text_free(&wanted);
        assert_int_equal(unlink(bad[i]), 0);
    }
    assert_null(strstr(said.at, "good.png"));
    dv_text_free(&said);
    end(&f);
    assert_int_equal(unlink(good), 0);
    assert_int_equal(rmdir(folder), 0);
}

/* One pixel of twelve, wherever it is, is enough. */
static void a_texture_with_a_clear_pixel_is_not_opaque(void **state)
{
    (void)state;
    const DvImagesOps *images = dv_service(DV_IMAGES);
    assert_non_null(images);
    char folder[] = P_tmpdir "/divan-picture-XXXXXX", path[256], text[512];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/pixels.png", folder);
    snprintf(text, sizeof text,
             "<Node><DefaultAnimationLoop/><OglModel position='0 0 0 1 0 0 0 1 0' triangles='0 1 2'"
             " texcoords='0 0 1 0 0 1' texturename='%s'/></Node>",
             path);
    for (int clear = -1; clear < 12; clear++) {
        uint8_t pixels[12 * 4];
        memset(pixels, 255, sizeof pixels);
        if (clear >= 0)
            pixels[4 * clear + 3] = 0;
        DvText why = {0};
        assert_int_equal(images->write(path, NULL, &(DvImage){3, 4, pixels}, false, &why), DV_OK);
        Fixture f = fixture(text);
        DvPicture *picture = record(&f);
        assert_int_equal(picture->surface_count, 1);
        assert_non_null(picture->surfaces[0].materials[0].texture);
        assert_int_equal(picture->surfaces[0].materials[0].texture->opaque, clear < 0);
        f.ops->unref(picture);
        end(&f);
    }
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(data_shine_as_they_are_told),
        cmocka_unit_test(what_has_not_changed_is_the_same_array),
        cmocka_unit_test(a_picture_outlives_the_scene_and_does_not_change),
        cmocka_unit_test(a_view_is_of_what_moves_on_a_wide_floor),
        cmocka_unit_test(faces_that_meet_at_an_edge_are_drawn_with_normals_of_their_own),
        cmocka_unit_test(bodies_have_colours_of_their_own),
        cmocka_unit_test(the_ground_is_below_the_lowest_corner),
        cmocka_unit_test(contacts_are_seen_with_their_forces),
        cmocka_unit_test(styles_hold_in_their_node_and_below_and_nowhere_else),
        cmocka_unit_test(a_root_without_style_shows_visual_models_alone),
        cmocka_unit_test(visual_models_are_shown_unless_a_word_hides_them),
        cmocka_unit_test(what_is_selected_is_marked),
        cmocka_unit_test(faces_that_are_there_twice_are_drawn_once),
        cmocka_unit_test(primitives_of_many_objects_are_one_batch),
        cmocka_unit_test(batches_come_in_the_order_of_the_scene_whatever_was_drawn_before),
        cmocka_unit_test(materials_are_what_the_text_switches_on),
        cmocka_unit_test(groups_of_a_file_have_its_materials),
        cmocka_unit_test(lights_count_below_a_light_manager_only),
        cmocka_unit_test(objects_that_come_and_go_are_followed),
        cmocka_unit_test(planes_that_are_too_many_are_told_once),
        cmocka_unit_test(a_texture_that_cannot_be_read_is_told_once),
        cmocka_unit_test(pictures_that_are_none_are_told_once_each),
        cmocka_unit_test(a_texture_with_a_clear_pixel_is_not_opaque),
    };
    return cmocka_run_group_tests(tests, NULL, stop_plugins);
}
