/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Heaps of bodies of several kinds, with every response: a run that is saved in the middle of its contacts and loaded goes on with the same
 * bits, so does one that is reset and begun again; the order of pairs is the same throughout. Numbers of a saved run that are none are
 * refused by name.
 */
#include "detect.h"
#include "share.h"

#include <unistd.h>

#include <divan/math/rigid.h>

enum { BODIES = 16, STEPS = 60 };

static void add_bodies(DvText *text, const char *solvers)
{
    seed = 5;
    for (uint32_t i = 0; i < BODIES; i++) {
        const uint32_t row = i / 3;
        const double x = 0.55 * (i % 3) + random_between(0, 0.1), y = 0.2 + 0.3 * row + random_between(0, 0.1),
                     z = 0.3 * (i % 2) + random_between(0, 0.1);
        dv_text_add(text, "<Node name='Body%u'>%s", i, solvers);
        switch (i % 4) {
        case 0:
        case 1:
            dv_text_add(
                text,
                "<MechanicalObject name='dofs' template='Rigid3d' position='%.17g %.17g %.17g 0 0 0 1' velocity='0 -1 0 0 %g 1'/>"
                "<UniformMass vertexMass='1 1 [0.01 0 0 0 0.01 0 0 0 0.01]'/>",
                x, y, z, i % 3 - 1.0);
            dv_text_add(text, "<SphereCollisionModel radius='0.15' contactStiffness='30' contactFriction='0.3'%s/>",
                        i % 8 == 1 ? " countRadiusOnce='1'" : "");
            break;
        case 2:
            dv_text_add(
                text,
                "<MechanicalObject name='dofs' position='%.17g %.17g %.17g  %.17g %.17g %.17g' velocity='0 -1 0 0 -1 0'/>"
                "<UniformMass vertexMass='0.5'/><SphereCollisionModel name='Balls' listRadius='0.1 0.13' "
                "contactStiffness='30'/>",
                x, y, z, x + 0.25, y, z);
            break;
        default:
            dv_text_add(
                text,
                "<MeshTopology triangles='0 1 2'/><MechanicalObject name='dofs' position='%.17g %.17g %.17g  %.17g %.17g %.17g  "
                "%.17g %.17g %.17g'/><UniformMass vertexMass='0.3'/><PointCollisionModel contactStiffness='30' selfCollision='0'/>"
                "<LineCollisionModel contactStiffness='30'/><TriangleCollisionModel contactStiffness='30'/>",
                x, y, z, x + 0.2, y, z, x, y + 0.05, z + 0.2);
            break;
        }
        dv_text_add(text, "%s</Node>", strstr(solvers, "CG") ? "<UncoupledConstraintCorrection/>" : "");
    }
    dv_text_add(
        text,
        "<Node name='Floor'><MeshTopology triangles='0 1 2  0 2 3'/>"
        "<MechanicalObject name='dofs' position='-3 0 -3  -3 0 3  3 0 3  3 0 -3'/>"
        "<TriangleCollisionModel name='floor' simulated='0' moving='0' contactStiffness='30' bothSide='1'/></Node>");
}

static char *heap(const char *loop, const char *manager, const char *solvers)
{
    DvText text = {0};
    dv_text_add(
        &text,
        "<Node name='root' gravity='0 -10 0' dt='0.01'>%s<CollisionPipeline name='pipeline' depth='3'/><BruteForceBroadPhase/>"
        "<BVHNarrowPhase name='phase'/>"
        "<NewProximityIntersection name='method' alarmDistance='0.08' contactDistance='0.02' useLineLine='1'/>%s",
        loop, manager);
    add_bodies(&text, solvers);
    dv_text_add(&text, "</Node>");
    return text.at;
}

#define FREE        "<FreeMotionAnimationLoop/><LCPConstraintSolver initial_guess='1' tolerance='1e-6' maxIt='60'/>"
#define FREE_OF_ALL "<FreeMotionAnimationLoop/><BlockGaussSeidelConstraintSolver tolerance='1e-6' maxIterations='60'/>"
#define IMPLICIT    "<EulerImplicitSolver/><CGLinearSolver iterations='25' tolerance='1e-9' threshold='1e-9'/>"
#define EXPLICIT    "<EulerExplicitSolver symplectic='1'/>"

static const char *const heaps[][3] = {
    {FREE, "<CollisionResponse response='FrictionContactConstraint' responseParams='mu=0.4'/>", IMPLICIT},
    {FREE_OF_ALL,
     "<RuleBasedContactManager response='FrictionContactConstraint?mu=0.2' "
     "rules='Balls floor StickContactConstraint  Balls * nullptr  floor * FrictionContactConstraint?mu=0.7&amp;levers=start'/>",
     IMPLICIT},
    {"<DefaultAnimationLoop/>", "<CollisionResponse response='PenalityContactForceField'/>", EXPLICIT},
    {"<DefaultAnimationLoop/>",
     "<RuleBasedContactManager response='PenalityContactForceField' rules='Balls floor StickContactForceField'/>",
     EXPLICIT},
};
enum { HEAPS = sizeof heaps / sizeof *heaps };

/* What there is after a step: positions, velocities, and the contacts in their order. */
static void write_down(DvScene *scene, DvText *text)
{
    for (int i = 0; i < BODIES; i++) {
        char path[64];
        snprintf(path, sizeof path, "/Body%d/dofs", i);
        const DvStateRef dofs = scene_state(scene, path);
        for (int what = 0; what < 2; what++) {
            const DvConstVec at = dv_state_read(dofs, what ? DV_VELOCITY : DV_POSITION);
            for (uint32_t n = 0; n < at.count * at.dim; n++)
                dv_text_add(text, "%a ", at.at[n]);
        }
    }
    DvObject *pipeline = scene_object(scene, "/pipeline");
    const DvCollisionPipelineOps *ops = dv_object_ops(pipeline, DV_COLLISION_PIPELINE);
    const DvContactList *list = ops->contacts(dv_object_self(pipeline));
    for (uint32_t p = 0; p < list->pair_count; p++) {
        const DvContactPair *pair = &list->pairs[p];
        dv_text_add(text, "\n%u %u:", pair->body[0], pair->body[1]);
        for (uint32_t i = 0; i < pair->count; i++) {
            double force[3];
            const DvContact *c = &pair->contacts[i];
            ops->force(dv_object_self(pipeline), p, i, force);
            dv_text_add(text, " %u %u %" PRId64 " %a %a %a", c->element[0], c->element[1], c->id, c->gap, force[0],
                        force[1]);
        }
    }
    dv_text_add(text, "\n");
}

static void run(DvScene *scene, int steps, DvText *text)
{
    while (steps-- > 0) {
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
        write_down(scene, text);
    }
}

static void assert_same_run(const DvText *found, const char *expected)
{
    size_t at = 0;
    while (found->at[at] && found->at[at] == expected[at])
        at++;
    if (found->at[at] != expected[at])
        fail_msg("they differ after %zu letters: %.40s, %.40s", at, found->at + at, expected + at);
}

/* Of the text of a run, where its last steps begin. */
static const char *last_steps(const DvText *run, size_t letters)
{
    return run->at + letters;
}

static void a_heap_goes_on_as_it_was(void **state)
{
    (void)state;
    for (int h = 0; h < HEAPS; h++)
        for (int before = 1; before < STEPS; before += before == 1 ? 24 : 14) {
            char *text = heap(heaps[h][0], heaps[h][1], heaps[h][2]), name[] = P_tmpdir "/divan-heap-XXXXXX.scn";
            DvText straight = {0}, after = {0}, again = {0};
            DvScene *scene = scene_from_text(text), *loaded;
            run(scene, before, &straight);
            const size_t letters = straight.length;
            const int file = mkstemps(name, 4);
            assert_true(file >= 0);
            close(file);
            assert_int_equal(dv_scene_save(scene, name), DV_OK);
            assert_int_equal(dv_scene_load(name, NULL, &loaded), DV_OK);
            remove(name);
            run(scene, STEPS - before, &straight);
            run(loaded, STEPS - before, &after);
            assert_same_run(&after, last_steps(&straight, letters));
            dv_scene_reset(scene);
            run(scene, STEPS, &again);
            assert_same_run(&again, straight.at);
            dv_scene_free(scene);
            dv_scene_free(loaded);
            dv_text_free(&straight);
            dv_text_free(&after);
            dv_text_free(&again);
            free(text);
        }
}

/* ---- Numbers that are none ---- */

static void expect_refused(const char *phase, const char *manager, const char *part)
{
    char text[2048];
    snprintf(
        text, sizeof text,
        "<Node><DefaultAnimationLoop/><CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase><State %s/></BVHNarrowPhase>"
        "<MinProximityIntersection/><CollisionResponse response='PenalityContactForceField'><State %s/></CollisionResponse></Node>",
        phase, manager);
    if (part)
        expect_load_error(text, part);
    else
        dv_scene_free(scene_from_text(text));
}

static void numbers_that_are_none_are_refused(void **state)
{
    (void)state;
    static const char ends[] = "treeOrder: it ends within a tree", none[] = "pairOrder: these are no pairs of bodies",
                      leaves[] = "treeLeaves: it ends within a tree, or treeOrder has none of that body";
    static const struct {
        const char *phase, *part;
    } trees[] = {
        {"treeOrder='0 3 2 1 0'", NULL},
        {"treeOrder='2 3 2 1 0  0 1 0'", NULL},
        {"treeOrder='0 3 2 1'", ends},
        {"treeOrder='1 1 0  0 3 2 1'", ends},
        {"treeOrder='65535 1 0'", NULL},
        {"treeOrder='65536 1 0'", ends},
        {"treeOrder='0 3 2 1 0' treeLeaves='0 3 1 2 2 1'", NULL},
        {"treeOrder='0 3 2 1 0' treeLeaves='0 3 1 2 2'", leaves},
        {"treeOrder='0 3 2 1 0' treeLeaves='1 3 1 1 3'", leaves},
        {"treeOrder='0 3 2 1 0  1 1 0' treeLeaves='1 1 1 1 1  0 3 1 3 1 1 1'", NULL},
        {"treeOrder='0 3 2 1 0  1 1 0' treeLeaves='1 1 1 1 1  0 3 1 3 1 1'", leaves},
    };
    for (size_t i = 0; i < sizeof trees / sizeof *trees; i++)
        expect_refused(trees[i].phase, "", trees[i].part);
    /* ranks given so far, bodies, the rank of each; then pairs, all of whose bodies have ranks but those of a lone one */
    static const struct {
        const char *numbers;
        bool fine;
    } pairs[] = {
        {"0 0", true},
        {"0", false},
        {"2 2 1 0  0 1", true},
        {"2 2 1 0  0", false},
        {"2 2 1", false},
        {"2 3 1 0", false},
        {"0 0  5 7", true},
        {"2 2 1 0  0 1  1 0", true},
        {"2 2 1 0  0 1  1 2", false},
        {"2 2 1 0  0 1  2 1", false},
        {"2 2 1 4294967295  0 1  1 0", false},
        {"2 2 1 4294967295  0 0  1 0", false},
        {"2 2 1 4294967295  0 0  0 0", true},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char field[128];
        snprintf(field, sizeof field, "pairOrder='%s'", pairs[i].numbers);
        expect_refused(field, "", pairs[i].fine ? NULL : none);
        expect_refused("", field, pairs[i].fine ? NULL : none);
    }
}

static void keep_message(const DvMessage *message, void *said)
{
    dv_text_add(said, "%s\n", message->text);
}

static DvScene *load_again(const char *name)
{
    DvScene *scene;
    assert_int_equal(dv_scene_load(name, NULL, &scene), DV_OK);
    return scene;
}

/* What the first step after loading says to other memories. */
static void expect_memories(const char *file, const double *numbers, size_t count, const char *refusal)
{
    DvScene *scene = load_again(file);
    dv_data_set(dv_object_field(scene_object(scene, "/manager"), "responseMemories"), numbers, count);
    DvText said = {0};
    dv_log_set_handler(keep_message, &said);
    const DvStatus status = dv_scene_step(scene, 0);
    dv_log_set_handler(NULL, NULL);
    if (!refusal)
        assert_int_equal(status, DV_OK);
    else if (status == DV_OK || !said.at || !strstr(said.at, refusal))
        fail_msg("%zu numbers: %s, not %s", count, said.at ? said.at : "nothing said", refusal);
    dv_text_free(&said);
    dv_scene_free(scene);
}

/* A list that ends early, or has a response with other numbers than it keeps, is refused at each place. */
static void memories_of_other_responses_are_refused(void **state)
{
    (void)state;
    static const char none[] = "these are no memories of", other[] = "does not know its numbers again";
    char *text =
             heap(heaps[0][0], "<CollisionResponse name='manager' response='FrictionContactConstraint'/>", heaps[0][2]),
         name[] = P_tmpdir "/divan-heap-XXXXXX.scn";
    DvScene *scene = scene_from_text(text);
    for (int i = 0; i < 30; i++)
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    const int file = mkstemps(name, 4);
    assert_true(file >= 0);
    close(file);
    assert_int_equal(dv_scene_save(scene, name), DV_OK);
    size_t total;
    const double *saved = dv_data_doubles(dv_object_field(scene_object(scene, "/manager"), "responseMemories"), &total);
    double *numbers = malloc((total + 1) * sizeof *numbers);
    memcpy(numbers, saved, total * sizeof *numbers);
    numbers[total] = 0;
    dv_scene_free(scene);
    expect_memories(name, numbers, 0, NULL);
    expect_memories(name, numbers, total, NULL);
    expect_memories(name, numbers, total + 1, NULL); /* what follows belongs to nobody */
    size_t responses = 0;
    for (size_t at = 1; at < total; at += 1 + (size_t)numbers[at], responses++) {
        const double count = numbers[at];
        expect_memories(name, numbers, at, none); /* ends before it, or within it */
        expect_memories(name, numbers, at + (size_t)count, none);
        numbers[at] = (double)(total - at);
        expect_memories(name, numbers, total, none); /* one more than there are */
        numbers[at] = count - 1;
        expect_memories(name, numbers, total, other);
        numbers[at] = count;
    }
    assert_true(responses >= 5);
    remove(name);
    free(numbers);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_heap_goes_on_as_it_was),
        cmocka_unit_test(numbers_that_are_none_are_refused),
        cmocka_unit_test(memories_of_other_responses_are_refused),
    };
    return share_run_group_tests(tests, NULL, stop_plugins);
}
