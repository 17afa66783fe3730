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

/* Every block of the process is counted, those of the kernel, of GLib and of the C library alike. */
extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_realloc(void *block, size_t bytes);
extern void *__libc_memalign(size_t alignment, size_t bytes);
static uint64_t blocks;

void *malloc(size_t bytes)
{
    blocks++;
    return __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    blocks++;
    return __libc_calloc(count, bytes);
}

void *realloc(void *block, size_t bytes)
{
    blocks++;
    return __libc_realloc(block, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    blocks++;
    return __libc_memalign(alignment, bytes);
}

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
    DvText text = {0};
    dv_text_add(&text, "<Node name='root' dt='0.01' gravity='0 -1 0'><DefaultAnimationLoop/>");
    if (!each)
        dv_text_add(&text, "<EulerImplicitSolver/>%s", linear);
    dv_text_add(&text,
                "<Node name='rigid'>%s%s<MechanicalObject name='dofs' template='Rigid3d' position='0 0 0 0 0 0 1'/>"
                "<UniformMass totalMass='2'/></Node>",
                each ? "<EulerImplicitSolver/>" : "", each ? linear : "");
    for (unsigned i = 1; i < bench->bodies; i++)
        dv_text_add(&text,
                    "<Node name='b%u'>%s%s<MechanicalObject name='dofs' position='%u 0 0'/><UniformMass totalMass='1'/>"
                    "<RestShapeSpringsForceField stiffness='%u'/></Node>",
                    i, each ? "<EulerImplicitSolver/>" : "", each ? linear : "", i, 10 + i % 7);
    dv_text_add(&text, "</Node>");
    check(dv_scene_load_text(text.at, text.length, "bench.scn", NULL, NULL, &bench->scene));
    dv_text_free(&text);
    bench->root = dv_scene_root(bench->scene);
}

static void add_spring(Bench *bench, const char *first)
{
    char second[40];
    snprintf(second, sizeof second, "@/b%u/dofs", bench->bodies - 1);
    check(dv_object_new(bench->root, "SpringForceField", &bench->spring, "object1", first, "object2", second,
                        "indices1", "0", "indices2", "0", "stiffness", "5", "damping", "0", "lengths", "1", NULL));
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

static void edit_node(Bench *bench)
{
    edit_nothing(bench);
    if (bench->contact)
        dv_node_remove(bench->contact);
    bench->contact = dv_node_new(bench->root, "empty");
}

/* A point of the rigid body and a spring to a particle. */
static void edit_contact(Bench *bench)
{
    if (bench->contact) {
        dv_object_remove(bench->spring);
        dv_node_remove(bench->contact);
    }
    bench->contact = dv_node_new(dv_node_child(bench->root, 0), "contact");
    check(dv_object_new(bench->contact, "MechanicalObject", NULL, "template", "Vec3d", "name", "touch", "position",
                        "0 1 0", NULL));
    check(dv_object_new(bench->contact, "RigidMapping", NULL, NULL));
    add_spring(bench, "@/rigid/contact/touch");
}

static const struct {
    const char *name;
    void (*edit)(Bench *);
} edits[] = {{"quiet", edit_nothing},
             {"kept", edit_kept},
             {"spring", edit_spring},
             {"node", edit_node},
             {"contact", edit_contact}};

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
        const uint64_t before = blocks;
        measure(&bench, edits[e].edit, steps, times);
        const double asked = (double)(blocks - before) / steps;
        qsort(times, steps, sizeof *times, ascending);
        const double median = times[steps / 2];
        quiet = e == 0 ? median : quiet;
        printf("%5u bodies, %-6s %-8s %10.1f us  %8.1f blocks", bodies, solver, edits[e].name, median, asked);
        printf(e > 0 && quiet > 0 ? "  %6.2f quiet steps\n" : "\n", median / quiet);
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
