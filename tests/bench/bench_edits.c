/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What an edit of the graph adds to a step: bodies of one particle each, a mass and a weak spring to their place, below one solver
 * or with a solver each. In every edited step something is taken out and put in again, as contacts do.
 *
 *   bench-edits [BODIES [SOLVER [EDIT [STEPS]]]]      SOLVER: cg, direct, each; EDIT: see `edits` below, or quiet
 *
 * Without EDIT all of them. Prints the median of a step in microseconds, and the blocks asked of malloc in a step, whoever asks. To count
 * instructions: valgrind --tool=callgrind --collect-atstart=no --toggle-collect=measure bench-edits 1000 cg spring 20
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <divan/contracts/mechanical_operations.h>
#include <divan/divan.h>

#include "block_count.h"
#include "bodies.h"

typedef struct Bench {
    DvScene *scene;
    DvNode *root, *contact;
    DvObject *spring;
    unsigned bodies;
} Bench;

static void check(DvStatus status)
{
    if (status != DV_OK)
        exit(1);
}

static void load(Bench *bench, const char *solver)
{
    const bool each = strcmp(solver, "each") == 0;
    const char *linear = strcmp(solver, "direct") == 0 ? "<SparseLDLSolver/>"
                                                       : "<CGLinearSolver iterations='20' tolerance='1e-9' "
                                                         "threshold='1e-12'/>";
    char solvers[200];
    snprintf(solvers, sizeof solvers, "<EulerImplicitSolver/>%s", linear);
    DvText text = {0};
    bodies_text(&text, bench->bodies, each ? "" : solvers, each ? solvers : "", "", "");
    check(dv_scene_load_text(text.at, text.length, "bench.scn", NULL, NULL, &bench->scene));
    dv_text_free(&text);
    bench->root = dv_scene_root(bench->scene);
}

static void add_spring(Bench *bench, const char *first)
{
    char second[40];
    snprintf(second, sizeof second, "@/b%u/dofs", bench->bodies - 1);
    check(bodies_join(bench->root, first, second, &bench->spring));
}

static void edit_spring(Bench *bench)
{
    if (bench->spring)
        dv_object_remove(bench->spring);
    add_spring(bench, "@/b1/dofs");
}

/* The same scene, with a spring that stays. */
static void edit_nothing(Bench *bench)
{
    if (!bench->spring)
        add_spring(bench, "@/b1/dofs");
}

/* The same spring, out and in again. */
static void edit_kept(Bench *bench)
{
    if (!bench->spring)
        add_spring(bench, "@/b1/dofs");
    check(dv_object_detach(bench->spring));
    check(dv_object_attach(bench->spring, bench->root));
}

/* The same spring, in every other step: the pattern of the matrix changes in each. */
static void edit_toggled(Bench *bench)
{
    if (!bench->spring)
        add_spring(bench, "@/b1/dofs");
    else if (dv_object_node(bench->spring))
        check(dv_object_detach(bench->spring));
    else
        check(dv_object_attach(bench->spring, bench->root));
}

static void edit_node(Bench *bench)
{
    edit_nothing(bench);
    if (bench->contact)
        dv_node_remove(bench->contact);
    bench->contact = dv_node_new(bench->root, "empty");
}

/* A point of the rigid body and a spring to a particle. */
static void add_contact(Bench *bench)
{
    bench->contact = dv_node_new(dv_node_child(bench->root, 0), "contact");
    check(dv_object_new(bench->contact, "MechanicalObject", NULL, "template", "Vec3d", "name", "touch", "position",
                        "0 1 0", NULL));
    check(dv_object_new(bench->contact, "RigidMapping", NULL, NULL));
    add_spring(bench, "@/rigid/contact/touch");
}

static void edit_contact(Bench *bench)
{
    if (bench->contact) {
        dv_object_remove(bench->spring);
        dv_node_remove(bench->contact);
    }
    add_contact(bench);
}

/* The same scene, with a contact that stays. */
static void hold_contact(Bench *bench)
{
    if (!bench->contact)
        add_contact(bench);
}

static const struct {
    const char *name;
    void (*edit)(Bench *);
} edits[] = {{"quiet", edit_nothing}, {"kept", edit_kept},       {"toggled", edit_toggled}, {"spring", edit_spring},
             {"node", edit_node},     {"contact", edit_contact}, {"held", hold_contact}};

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double microseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e6 * (double)now.tv_sec + 1e-3 * (double)now.tv_nsec;
}

static void __attribute__((noinline)) measure(Bench *bench, void (*edit)(Bench *), unsigned steps, double *times)
{
    for (unsigned i = 0; i < steps; i++) {
        const double begin = microseconds();
        edit(bench);
        check(dv_scene_step(bench->scene, 0));
        times[i] = microseconds() - begin;
    }
}

static void run(unsigned bodies, const char *solver, const char *only, unsigned steps)
{
    double *times = malloc((steps + 5) * sizeof *times), quiet = 0;
    for (size_t e = 0; e < sizeof edits / sizeof *edits; e++) {
        if (only && strcmp(only, edits[e].name) != 0)
            continue;
        Bench bench = {.bodies = bodies};
        load(&bench, solver);
        for (unsigned i = 0; i < 5; i++) {
            edits[e].edit(&bench);
            check(dv_scene_step(bench.scene, 0));
        }
        const uint64_t before = block_count();
        measure(&bench, edits[e].edit, steps, times);
        const double asked = (double)(block_count() - before) / steps;
        qsort(times, steps, sizeof *times, ascending);
        const double median = times[steps / 2];
        quiet = e == 0 ? median : quiet;
        printf("%5u bodies, %-6s %-8s %10.1f us  %8.1f blocks", bodies, solver, edits[e].name, median, asked);
        printf(e > 0 && quiet > 0 ? "  %6.2f quiet steps\n" : "\n", median / quiet);
        if (bench.spring && !dv_object_node(bench.spring))
            dv_object_unref(bench.spring);
        dv_scene_free(bench.scene);
    }
    free(times);
}

int main(int argc, char **argv)
{
    static const unsigned sizes[] = {2, 100, 1000};
    static const char *const solvers[] = {"cg", "direct", "each"};
    check(dv_start(NULL));
    const unsigned bodies = argc > 1 ? (unsigned)atoi(argv[1]) : 0;
    const char *solver = argc > 2 ? argv[2] : NULL, *only = argc > 3 ? argv[3] : NULL;
    const unsigned steps = argc > 4 ? (unsigned)atoi(argv[4]) : 40;
    for (size_t s = 0; s < 3; s++)
        for (size_t n = 0; n < 3; n++)
            if ((!bodies && !solver) || (!solver || strcmp(solver, solvers[s]) == 0)) {
                run(bodies ? bodies : sizes[n], solvers[s], only, steps);
                if (bodies)
                    break;
            }
    dv_stop();
    return 0;
}
