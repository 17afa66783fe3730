/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Elements of one body that share points: they touch where several models are of one mesh, which is said; with keepNeighboursApart they
 * do not, and everything else still does.
 */
#include "detect.h"

static uint32_t told;
static char first_line[512];

static void count_warnings(const DvMessage *message, void *context)
{
    (void)context;
    if (message->level != DV_LEVEL_WARNING || !strstr(message->text, "keepNeighboursApart"))
        return;
    if (told++ == 0)
        snprintf(first_line, sizeof first_line, "%s", message->text);
}

#define METHOD(class) class " alarmDistance='0.04' contactDistance='0.01'"

static DvScene *sheet_with(const char *method, const char *models, const char *nodes)
{
    DvText text = {0};
    dv_text_add(&text,
                "<Node name='root'><DefaultAnimationLoop/><CollisionPipeline name='pipeline'/><BruteForceBroadPhase/>"
                "<BVHNarrowPhase/><%s name='method'/><CollisionResponse response='nullptr'/><Node name='S'>"
                "<MeshTopology position='0 0 0 1 0 0 1 0 1 0 0 1  0.4 0.02 0.41  0.6 0.02 0.61  0.5 0.02 0.45' "
                "triangles='0 2 1 0 3 2 4 6 5'/><MechanicalObject/>%s%s</Node></Node>",
                method, models, nodes);
    DvScene *scene = scene_from_text(text.at);
    dv_text_free(&text);
    return scene;
}

/* Contacts in one detection, and how many of them are of elements that share a point, by the lists of the models' own vertices. */
static uint32_t contacts_in(DvScene *scene, uint32_t *of_neighbours)
{
    const DvContactList *list = detect(scene);
    uint32_t all = 0;
    *of_neighbours = 0;
    for (uint32_t p = 0; p < list->pair_count; p++)
        for (uint32_t i = 0; i < list->pairs[p].count; i++, all++) {
            uint32_t points[2][4], count[2];
            for (int side = 0; side < 2; side++) {
                const DvShape *s = list->bodies[list->pairs[p].body[side]].shape;
                const uint32_t e = list->pairs[p].contacts[i].element[side];
                count[side] = s->vertices ? s->corners : 1;
                for (uint32_t c = 0; c < count[side]; c++)
                    points[side][c] = s->vertices ? s->vertices[e * s->corners + c] : e;
            }
            bool shares = false;
            for (uint32_t c = 0; c < count[0]; c++)
                for (uint32_t d = 0; d < count[1]; d++)
                    shares = shares || points[0][c] == points[1][d];
            *of_neighbours += shares;
        }
    return all;
}

static const char model_sets[][512] = {
    /* %s: what the first, and all the others, say besides */
    "<TriangleCollisionModel selfCollision='1' %s/><LineCollisionModel selfCollision='1' %s/>"
    "<PointCollisionModel selfCollision='1' %s/>",
    "<TriangleCollisionModel selfCollision='1' %s/><TriangleCollisionModel selfCollision='1' %s/>"
    "<TriangleCollisionModel selfCollision='1' %s/>",
    "<SphereCollisionModel radius='0.001' selfCollision='1' %s/><PointCollisionModel selfCollision='1' %s/>"
    "<LineCollisionModel selfCollision='1' %s/>",
};

static void neighbours_touch_by_default_and_are_told_of(void **state)
{
    (void)state;
    for (size_t set = 0; set < sizeof model_sets / sizeof *model_sets; set++) {
        char models[512];
        snprintf(models, sizeof models, model_sets[set], "", "", "");
        DvScene *scene = sheet_with(METHOD("NewProximityIntersection"), models, "");
        uint32_t neighbours;
        told = 0;
        dv_log_set_handler(count_warnings, NULL);
        const uint32_t all = contacts_in(scene, &neighbours);
        (void)contacts_in(scene, &neighbours);
        dv_log_set_handler(NULL, NULL);
        assert_true(neighbours > 0 && all > neighbours);
        assert_int_equal(told, 1); /* once, whatever the number of pairs and steps */
        dv_scene_free(scene);
    }
}

static void neighbours_are_kept_apart_and_nothing_else_is(void **state)
{
    (void)state;
    static const char apart[] = "keepNeighboursApart='1'";
    for (size_t set = 0; set < sizeof model_sets / sizeof *model_sets; set++) {
        char models[2][512];
        snprintf(models[0], sizeof models[0], model_sets[set], "", "", "");
        snprintf(models[1], sizeof models[1], model_sets[set], apart, apart, apart);
        uint32_t all[2], neighbours[2];
        told = 0;
        for (int k = 0; k < 2; k++) {
            DvScene *scene = sheet_with(METHOD("NewProximityIntersection"), models[k], "");
            dv_log_set_handler(k ? count_warnings : NULL, NULL);
            all[k] = contacts_in(scene, &neighbours[k]);
            dv_log_set_handler(NULL, NULL);
            dv_scene_free(scene);
        }
        assert_int_equal(neighbours[1], 0);
        assert_int_equal(all[1], all[0] - neighbours[0]);
        assert_true(all[1] > 0); /* the small triangle above the sheet */
        assert_int_equal(told, 0);
    }
}

/* One of two models is enough, also where they are of different nodes over one state. */
static void one_of_both_models_is_enough(void **state)
{
    (void)state;
    static const char *const apart[2] = {"", "keepNeighboursApart='1'"};
    for (int by = 0; by < 2; by++)
        for (int nodes = 0; nodes < 2; nodes++) {
            char models[512], below[256] = "";
            snprintf(models, sizeof models, "<TriangleCollisionModel %s %s/>", nodes ? "" : "selfCollision='1'",
                     apart[by == 0]);
            snprintf(nodes ? below : models + strlen(models), 200,
                     nodes ? "<Node name='below'><LineCollisionModel %s/></Node>"
                           : "<LineCollisionModel selfCollision='1' %s/>",
                     apart[by == 1]);
            DvScene *scene = sheet_with(METHOD("NewProximityIntersection"), models, below);
            uint32_t neighbours;
            assert_true(contacts_in(scene, &neighbours) > 0);
            assert_int_equal(neighbours, 0);
            dv_scene_free(scene);
        }
}

/* A copy of the mesh below an identity is the same body: told of, and kept apart. */
static void copies_of_points_are_neighbours(void **state)
{
    (void)state;
    static const char *const mappings[] = {
        "%s<IdentityMapping/><LineCollisionModel selfCollision='1' %s/>",
        "%s<IdentityMapping/><Node name='further'><MechanicalObject/><IdentityMapping/>"
        "<LineCollisionModel selfCollision='1' %s/></Node>",
    };
    for (int i = 0; i < 2; i++) {
        uint32_t all[3], neighbours[3];
        for (int k = 0; k < 3; k++) {
            char below[512] = "<Node name='copy'>", models[128];
            snprintf(below + strlen(below), sizeof below - strlen(below), mappings[i],
                     "<MeshTopology position='0 0 0 1 0 0 1 0 1 0 0 1  0.4 0.02 0.41  0.6 0.02 0.61  0.5 0.02 0.45' "
                     "edges='0 1 1 2 2 3 3 0 0 2 4 5 5 6 6 4'/><MechanicalObject/>",
                     k == 1 ? "keepNeighboursApart='1'" : "");
            strncat(below, "</Node>", sizeof below - strlen(below) - 1);
            snprintf(models, sizeof models, "<TriangleCollisionModel selfCollision='1' %s/>",
                     k == 2 ? "keepNeighboursApart='1'" : "");
            told = 0;
            DvScene *scene = sheet_with(METHOD("NewProximityIntersection"), models, below);
            dv_log_set_handler(count_warnings, NULL);
            all[k] = contacts_in(scene, &neighbours[k]);
            dv_log_set_handler(NULL, NULL);
            dv_scene_free(scene);
            assert_int_equal(told, k == 0);
        }
        assert_true(neighbours[0] > 0 && all[0] > neighbours[0]);
        assert_int_equal(all[1], all[0] - neighbours[0]);
        assert_int_equal(all[2], all[1]);
    }
}

/* Several models of points or lines in one node: each asks the other, and one of them has to answer. */
static void several_models_of_one_kind_meet(void **state)
{
    (void)state;
    static const char *const kinds[] = {"Point", "Line"};
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++) {
            char models[512];
            snprintf(models, sizeof models,
                     "<%sCollisionModel selfCollision='1'/><%sCollisionModel selfCollision='1'/>"
                     "<%sCollisionModel selfCollision='1'/>",
                     kinds[i], kinds[i], kinds[k]);
            DvScene *scene = sheet_with(METHOD("MinProximityIntersection"), models, "");
            uint32_t neighbours;
            (void)contacts_in(scene, &neighbours);
            assert_int_equal(neighbours, 0);
            dv_scene_free(scene);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neighbours_touch_by_default_and_are_told_of),
        cmocka_unit_test(neighbours_are_kept_apart_and_nothing_else_is),
        cmocka_unit_test(one_of_both_models_is_enough),
        cmocka_unit_test(copies_of_points_are_neighbours),
        cmocka_unit_test(several_models_of_one_kind_meet),
    };
    return cmocka_run_group_tests(tests, NULL, stop_plugins);
}
