/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Every class that plugins register, with nothing but its name, in scenes where it makes sense and in scenes where it does not. Each is
 * loaded as far as it goes, stepped, told all events, drawn, asked for reports, reset, saved and checked. No run ends by a signal, by more
 * than its time, or with a leak.
 *
 * A class has a process of its own, which is a copy of one whose plugins run already: a signal names the class and the scene.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <divan/contracts/picture.h>
#include <divan/contracts/report.h>
#include <divan/divan.h>
#include <divan/registry.h>

#include "scene_text.h"
#include "share.h"

#define SOLVER "<EulerImplicitSolver/><CGLinearSolver iterations='9' tolerance='1e-9' threshold='1e-9'/>"
#define TETRA  "<TetrahedronSetTopologyContainer position='0 0 0  1 0 0  0 1 0  0 0 1' tetrahedra='0 1 2 3'/>"

/* The class comes where %s stands, once or twice. */
static const struct {
    const char *name, *text;
} scenes[] = {
    {"alone", "<Node>%s</Node>"},
    {"in an empty state", "<Node>" SOLVER "<Node name='n'><MechanicalObject/>%s</Node></Node>"},
    {"at one point",
     "<Node>" SOLVER "<Node name='n'><MechanicalObject position='0 0 0'/><UniformMass/>%s</Node></Node>"},
    {"at two frames", "<Node>" SOLVER "<Node name='n'><MechanicalObject template='Rigid3d' "
                      "position='0 0 0 0 0 0 1  1 0 0 0 0 0 1'/><UniformMass/>%s</Node></Node>"},
    {"at scalars", "<Node>" SOLVER
                   "<Node name='n'><MechanicalObject template='Vec1d' position='0 1'/><UniformMass/>%s</Node></Node>"},
    {"in an empty mesh", "<Node>" SOLVER "<Node name='n'><MeshTopology/><MechanicalObject/>%s</Node></Node>"},
    {"in a mesh without a state",
     "<Node>" SOLVER "<Node name='n'>" TETRA "<TetrahedronSetTopologyModifier/>%s</Node></Node>"},
    {"in a mesh with more points than the state",
     "<Node>" SOLVER "<Node name='n'>" TETRA
     "<MechanicalObject position='0 0 0  1 0 0'/><UniformMass/>%s</Node></Node>"},
    {"without mass",
     "<Node>" SOLVER "<Node name='n'>" TETRA "<MechanicalObject/><UniformMass totalMass='0'/>%s</Node></Node>"},
    {"far beyond all sense", "<Node>" SOLVER "<Node name='n'>" TETRA "<MechanicalObject "
                             "position='1e300 0 0  0 -1e300 0  0 0 1e300  nan 0 0'/><UniformMass/>%s</Node></Node>"},
    {"asleep below a mapping",
     "<Node>" SOLVER "<Node name='n'><MechanicalObject position='0 0 0  1 0 0'/><UniformMass/>"
     "<Node name='m' activated='0'><MechanicalObject/>%s<IdentityMapping/></Node></Node></Node>"},
    {"beside what has failed",
     "<Node><CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/><DiscreteIntersection/><CollisionResponse/>" SOLVER
     "<Node name='n'><TopologyBoundingTrasher/><MechanicalObject position='0 0 0  1 0 0'/><UniformMass totalMass='-1'/>%s"
     "<Node name='m'><MechanicalObject/><IdentityMapping input='@nowhere'/>%s</Node></Node></Node>"},
};
enum {
    SCENES = sizeof scenes / sizeof *scenes,
    SECONDS = 60 /* of processor time: a class and all its scenes take 0.1 */
};

static int *at; /* shared: the scene that the child is in */

static void drop(const DvMessage *message, void *context)
{
    (void)message, (void)context;
}

static void drop_line(void *context, const char *line)
{
    (void)context, (void)line;
}

static DvVisit ask_for_reports(DvNode *node, void *context)
{
    (void)context;
    DvObject *object;
    for (size_t i = 0; (object = dv_node_member(node, i)); i++) {
        const DvReportOps *ops = dv_object_ops(object, DV_REPORT);
        if (ops)
            ops->report(dv_object_self(object), drop_line, NULL);
    }
    return DV_VISIT_CONTINUE;
}

static void draw(DvScene *scene)
{
    const DvPictureRecorderOps *ops = dv_service(DV_PICTURE_RECORDER);
    DvRecorder *recorder = ops->create(scene);
    ops->unref(ops->record(recorder, NULL));
    ops->destroy(recorder);
}

static void use(DvScene *scene)
{
    DvNode *root = dv_scene_root(scene);
    for (int i = 0; i < 3; i++)
        (void)!dv_scene_step(scene, 0.0);
    for (DvEventKind kind = DV_EVENT_INIT_START; kind <= DV_EVENT_CUSTOM; kind++) {
        DvEvent event = {.kind = kind, .dt = 0.01, .name = "something"};
        dv_event_send(root, &event);
    }
    dv_visit(root, &(const DvVisitor){.top_down = ask_for_reports}, NULL);
    draw(scene);
    dv_scene_reset(scene);
    (void)!dv_scene_step(scene, 0.0);
    (void)!dv_scene_save(scene, "/dev/null");
}

static void write_scene(char *text, size_t size, const char *scene, const char *class_name)
{
    char object[256];
    snprintf(object, sizeof object, "<%s name='x' listening='1'/>", class_name);
    size_t length = 0;
    for (const char *from = scene; *from && length + sizeof object < size;)
        if (strncmp(from, "%s", 2) == 0)
            length += (size_t)snprintf(text + length, size - length, "%s", object), from += 2;
        else
            text[length++] = *from++;
    text[length] = '\0';
}

static void run_all(const char *class_name)
{
    static char text[4096];
    for (*at = 0; *at < SCENES; ++*at) {
        DvScene *scene = NULL;
        write_scene(text, sizeof text, scenes[*at].text, class_name);
        const DvLoadOptions options = {.keep_going = true}, checking = {.check_only = true};
        (void)!dv_scene_load_text(text, strlen(text), "scene.scn", NULL, &options, &scene);
        if (scene)
            use(scene);
        dv_scene_free(scene);
        scene = NULL;
        (void)!dv_scene_load_text(text, strlen(text), "scene.scn", NULL, &checking, &scene);
        dv_scene_free(scene);
    }
}

/* How the process of a class ended; 0: well. */
static int status_of(const char *class_name)
{
    fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        const struct rlimit limit = {SECONDS, SECONDS};
        (void)setrlimit(RLIMIT_CPU, &limit);
        (void)!freopen("/dev/null", "w", stdout); /* what monitors print */
        run_all(class_name);
        dv_stop();
        exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void no_class_ends_the_process(void **state)
{
    (void)state;
    const char *wanted = getenv("DIVAN_TEST_CLASS");
    char folder[] = "/tmp/divan-odd-XXXXXX";
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    dv_log_set_handler(drop, NULL);
    size_t bad = 0, count = 0;
    for (size_t i = 0; i < dv_class_count(); i++) {
        const char *name = dv_class_at(i)->name;
        if (wanted ? strcmp(wanted, name) != 0 : !share_has(i))
            continue;
        const int status = status_of(name);
        count++;
        if (status == 0)
            continue;
        bad++;
        printf("%s, %s: %s %d\n", name, *at < SCENES ? scenes[*at].name : "at the end",
               WIFSIGNALED(status) ? "signal" : "exit status",
               WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    }
    dv_log_set_handler(NULL, NULL);
    if (chdir("/") == 0) {
        char command[64];
        snprintf(command, sizeof command, "rm -rf %s", folder);
        (void)!system(command);
    }
    printf("%zu classes in %d scenes\n", count, SCENES);
    assert_true(count > 0);
    assert_int_equal(bad, 0);
}

int main(void)
{
    at = mmap(NULL, sizeof *at, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_class_ends_the_process)};
    return at == MAP_FAILED ? 1 : cmocka_run_group_tests(tests, start_plugins, stop_plugins);
}
