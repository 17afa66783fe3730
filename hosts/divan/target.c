/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * divan bench --target-hz: whether a scene can make so many steps a second, which phases stand against it, the component that most of a phase
 * belongs to, and what makes it cheaper.
 *
 * Phases are timed, components are not: of those that take part in a phase the largest is named, by what it says that it costs, or by its size.
 */
#include "host.h"

#include "target.h"

#include <divan/contracts/collision.h>
#include <divan/contracts/force_field.h>
#include <divan/contracts/lagrangian_constraint.h>
#include <divan/contracts/mapping.h>
#include <divan/contracts/solver.h>

#include <string.h>

/* What takes part in a phase, and what makes it cheaper. */
typedef struct Role {
    const char *phase, *contract; /* or NULL: the loop itself */
    const char *advice;
} Role;

#define FEWER_ELEMENTS \
    "fewer elements: the time of a body grows at least as fast as their number; a fine surface can be mapped on a coarse body"
#define FEWER_CONTACTS "fewer contacts: coarser collision models, or a smaller alarmDistance"
static const Role roles[] = {
    {"factorization", DV_LINEAR_SOLVER,
     "a factor that serves several steps: AsyncSparseLDLSolver on a free core, or PCGLinearSolver with WarpPreconditioner and RotationMatrixSystem "
     "assemblingRate=\"20\"; "
     "CGLinearSolver where 1e-6 of the forces is accurate enough; " FEWER_ELEMENTS},
    {"linear solver", DV_LINEAR_SOLVER,
     "fewer iterations: a preconditioner, or a direct solver below some hundred points; --threads; " FEWER_ELEMENTS},
    {"compliance", DV_CONSTRAINT_CORRECTION,
     FEWER_CONTACTS "; UncoupledConstraintCorrection, or a correction precomputed for a body that turns little"},
    {"assembly", DV_FORCE_FIELD, "CGLinearSolver needs no matrix; --threads; " FEWER_ELEMENTS},
    {"forces", DV_FORCE_FIELD, "--threads; " FEWER_ELEMENTS},
    {"constraint solver", DV_CONSTRAINT_SOLVER, "a larger tolerance, or a smaller number of sweeps; " FEWER_CONTACTS},
    {"constraint rows", DV_CONSTRAINT_SOLVER, FEWER_CONTACTS},
    {"correction", DV_CONSTRAINT_CORRECTION, FEWER_CONTACTS},
    {"collision", DV_COLLISION_MODEL, FEWER_CONTACTS},
    {"boxes", DV_COLLISION_MODEL, "coarser collision models; moving=\"0\" for those that stand still"},
    {"broad phase", DV_COLLISION_MODEL, "fewer collision models; moving=\"0\" for those that stand still"},
    {"narrow phase", DV_COLLISION_MODEL, FEWER_CONTACTS},
    {"contact response", DV_COLLISION_MODEL, FEWER_CONTACTS},
    {"mappings", DV_MAPPING, "coarser models at the outputs of mappings"},
    {"free motion", DV_ODE_SOLVER, FEWER_ELEMENTS},
    {"integration", DV_ODE_SOLVER, FEWER_ELEMENTS},
};

static const Role *role_of(const char *phase)
{
    for (size_t i = 0; i < G_N_ELEMENTS(roles); i++)
        if (strcmp(roles[i].phase, phase) == 0)
            return &roles[i];
    return NULL;
}

/* ---- Sizes ---- */

/* Unknowns of the node and below that nothing maps. */
static double unknowns_below(const DvNode *node)
{
    const size_t count = dv_node_find_all(node, DV_STATE, DV_SEARCH_DOWN, NULL, 0);
    DvObject **states = g_new(DvObject *, count + 1);
    (void)dv_node_find_all(node, DV_STATE, DV_SEARCH_DOWN, states, count);
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        const DvStateRef state = dv_state_ref(states[i]);
        if (state.ops && !dv_node_slot(dv_object_node(states[i]), DV_MAPPING))
            sum += (double)dv_state_count(state) * (double)state.dof->deriv;
    }
    g_free(states);
    return sum;
}

static double points_of(DvObject *const *states, uint32_t count)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += (double)dv_state_count(dv_state_ref(states[i]));
    return sum;
}

static double size_of(DvObject *object, const char *contract, const char **unit)
{
    void *self = dv_object_self(object);
    DvObject *states[8] = {NULL};
    if (strcmp(contract, DV_COLLISION_MODEL) == 0) {
        const DvCollisionModelOps *ops = dv_object_ops(object, contract);
        const DvShape *shape = ops->shape ? ops->shape(self) : NULL;
        *unit = "elements";
        return shape ? (double)shape->count : 0;
    }
    if (strcmp(contract, DV_MAPPING) == 0) {
        const DvMappingOps *ops = dv_object_ops(object, contract);
        *unit = "points";
        return points_of(states, MIN(ops->outputs(self, states, 8), 8));
    }
    if (strcmp(contract, DV_FORCE_FIELD) == 0) {
        const DvForceFieldOps *ops = dv_object_ops(object, contract);
        *unit = "points";
        return points_of(states, MIN(ops->states(self, states), 2));
    }
    *unit = "unknowns";
    return unknowns_below(dv_object_node(object));
}

/* How much of a phase is its own, beside others of the contract. */
static double weight_of(DvObject *object, const char *contract)
{
    const char *unit;
    const DvForceFieldOps *field = strcmp(contract, DV_FORCE_FIELD) == 0 ? dv_object_ops(object, contract) : NULL;
    if (field && field->cost) {
        double product = 0, assembly = 0;
        field->cost(dv_object_self(object), &product, &assembly);
        return product + assembly;
    }
    return (field ? 100.0 : 1.0) * size_of(object, contract, &unit); /* ns a point, where a force field says nothing */
}

static DvObject *dearest_of(const DvScene *scene, const char *contract)
{
    DvNode *root = dv_scene_root(scene);
    const size_t count = dv_node_find_all(root, contract, DV_SEARCH_DOWN, NULL, 0);
    DvObject **all = g_new(DvObject *, count + 1), *dearest = NULL;
    (void)dv_node_find_all(root, contract, DV_SEARCH_DOWN, all, count);
    double most = -1;
    for (size_t i = 0; i < count; i++) {
        const double weight = dv_object_is_valid(all[i]) ? weight_of(all[i], contract) : -1;
        if (weight > most) {
            most = weight;
            dearest = all[i];
        }
    }
    g_free(all);
    return dearest;
}

/* ---- The answer ---- */

typedef struct Phase {
    const char *name;
    double seconds;
} Phase;

static int by_time(const void *a, const void *b)
{
    const double x = ((const Phase *)a)->seconds, y = ((const Phase *)b)->seconds;
    return (x < y) - (x > y);
}

static Phase *phases_by_time(size_t *count, double *sum)
{
    *count = dv_phase_count();
    *sum = 0;
    Phase *phases = g_new0(Phase, *count + 1);
    for (size_t i = 0; i < *count; i++) {
        phases[i].name = dv_phase_at(i, &phases[i].seconds, NULL);
        *sum += phases[i].seconds;
    }
    qsort(phases, *count, sizeof *phases, by_time);
    return phases;
}

static void name_component(const DvScene *scene, const Role *role, GString *text)
{
    DvObject *dearest = role && role->contract ? dearest_of(scene, role->contract) : NULL;
    if (!dearest)
        return;
    const char *unit;
    const double size = size_of(dearest, role->contract, &unit);
    g_string_append_printf(text, ", mostly %s '%s', %.0f %s", dv_object_class(dearest)->name, dv_object_path(dearest),
                           size, unit);
}

/* Its parts, a line each. */
static void print_advice(const char *advice)
{
    char **parts = g_strsplit(advice, "; ", -1);
    for (char **part = parts; *part; part++)
        printf("  cheaper: %s\n", *part);
    g_strfreev(parts);
}

/* How many of the dearest phases have to go until the rest fits. */
static size_t in_the_way(const Phase *phases, size_t count, double sum, double share)
{
    size_t needed = 0;
    for (double left = sum; needed < count && left > share * sum; needed++)
        left -= phases[needed].seconds;
    return needed;
}

void host_target_print(const DvScene *scene, double hz, double dt, double mean, double p99)
{
    size_t count;
    double sum;
    const double budget = 1e6 / hz;
    Phase *phases = phases_by_time(&count, &sum);
    const bool heavy = mean > budget, at_times = !heavy && p99 > budget;
    printf("%g steps a second leave %.4g us to a step: %s", hz, budget,
           heavy      ? "the scene is too heavy"
           : at_times ? "the scene keeps up on the mean, not always"
                      : "the scene keeps up");
    if (heavy)
        printf(", a step takes %.3g times as long on the mean", mean / budget);
    else
        printf(", a step takes %.3g %% of that on the mean, %.3g %% at the 99th percentile", 100 * mean / budget,
               100 * p99 / budget);
    putchar('\n');
    if (hz * dt < 1 - 1e-9)
        printf(
            "with steps of %g s it would then run at %.4g times the speed of the clock: real time needs dt=\"%g\" or more\n",
            dt, hz * dt, 1 / hz);
    else if (hz * dt > 1 + 1e-9)
        printf("with steps of %g s it would then run at %.4g times the speed of the clock; for devices dt=\"%g\"\n", dt,
               hz * dt, 1 / hz);
    const size_t shown =
        heavy || at_times ? MIN(in_the_way(phases, count, sum, budget / (heavy ? mean : p99)), 3) : MIN(count, 1);
    for (size_t i = 0; i < shown; i++) {
        const Role *role = role_of(phases[i].name);
        GString *text = g_string_new(NULL);
        name_component(scene, role, text);
        printf("%s: %s, %.3g %% of a step%s\n", i == 0 ? "dearest phase" : "next", phases[i].name,
               sum > 0 ? 100 * phases[i].seconds / sum : 0.0, text->str);
        if ((heavy || at_times) && role)
            print_advice(role->advice);
        g_string_free(text, TRUE);
    }
    g_free(phases);
}

void host_target_print_json(const DvScene *scene, double hz, double mean, double p99)
{
    size_t count;
    double sum;
    Phase *phases = phases_by_time(&count, &sum);
    const Role *role = count > 0 ? role_of(phases[0].name) : NULL;
    DvObject *dearest = role && role->contract ? dearest_of(scene, role->contract) : NULL;
    char *path = dearest ? g_strescape(dv_object_path(dearest), NULL) : NULL;
    printf(", \"target\": {\"hz\": %.10g, \"keeps_up\": %s, \"keeps_up_at_p99\": %s, \"share_of_time\": %.6g", hz,
           mean <= 1e6 / hz ? "true" : "false", p99 <= 1e6 / hz ? "true" : "false", mean * hz / 1e6);
    if (count > 0)
        printf(", \"dearest_phase\": \"%s\"", phases[0].name);
    if (path)
        printf(", \"dearest_component\": \"%s\"", path);
    putchar('}');
    g_free(path);
    g_free(phases);
}
