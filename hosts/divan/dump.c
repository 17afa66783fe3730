/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Dumps as text: states (STEP, STATE, X, V) and topologies (STEP, TOPOLOGY, EDGES...). Numbers read back bit for bit.
 */
#include "host.h"

#include <string.h>

#include <divan/contracts/collision.h>
#include <divan/contracts/lagrangian_constraint.h>
#include <divan/contracts/solve_record.h>
#include <divan/contracts/topology.h>

bool host_dump_open(Dump *dump, const char *name, DvScene *scene)
{
    DvText why = {0};
    dump->name = name;
    dump->file = dv_output_open(name, scene, &why);
    if (!dump->file)
        fprintf(stderr, "divan: %s: %s\n", name, why.at);
    dv_text_free(&why);
    return dump->file != NULL;
}

bool host_dump_may_stay(const Dump *dump, DvScene *scene)
{
    if (!dump->file || !dv_scene_reads(scene, dump->name))
        return true;
    fprintf(stderr, "divan: %s: is a file that the scene is made from; choose another name\n", dump->name);
    return false;
}

bool host_dump_close(Dump *dump, bool good)
{
    if (!dump->file)
        return true;
    DvText text = {0};
    const DvOutputEnd end = good || ferror(dump->file) ? DV_OUTPUT_WHOLE : DV_OUTPUT_PART;
    const DvStatus status = dv_output_close(dump->file, end, &text);
    if (text.length)
        fprintf(stderr, "divan: %s: %s%s\n", dump->name, end == DV_OUTPUT_PART ? "is as it was; " : "", text.at);
    dv_text_free(&text);
    dump->file = NULL;
    return status == DV_OK;
}

bool host_is_standard_output(const char *name)
{
    return name && (strcmp(name, "-") == 0 || strcmp(name, "/dev/stdout") == 0);
}

void host_print_path(FILE *file, const char *path, bool with_blanks)
{
    for (; *path; path++)
        if (*path == '%' || (unsigned char)*path < ' ' || *path == 0x7f || (*path == ' ' && !with_blanks))
            fprintf(file, "%%%02X", (unsigned)(unsigned char)*path);
        else
            fputc(*path, file);
}

void host_dump_numbers(FILE *file, const char *tag, const double *numbers, size_t count)
{
    fputs(tag, file);
    for (size_t i = 0; i < count; i++) {
        char digits[G_ASCII_DTOSTR_BUF_SIZE];
        g_ascii_formatd(digits, sizeof digits, "%.17g", numbers[i]);
        fputc(' ', file);
        fputs(digits, file);
    }
    fputc('\n', file);
}

static void print_step(FILE *file, uint64_t step, double time)
{
    char digits[G_ASCII_DTOSTR_BUF_SIZE];
    fprintf(file, "STEP %" G_GUINT64_FORMAT " %s\n", step, g_ascii_formatd(digits, sizeof digits, "%.17g", time));
}

void host_dump_states(Dump *dump, const GPtrArray *states, uint64_t step, double time)
{
    print_step(dump->file, step, time);
    for (guint i = 0; i < states->len; i++) {
        DvObject *object = g_ptr_array_index(states, i);
        const DvStateRef state = dv_state_ref(object);
        if (!state.ops)
            continue;
        const DvConstVec x = dv_state_read(state, DV_POSITION), v = dv_state_read(state, DV_VELOCITY);
        fputs("STATE ", dump->file);
        host_print_path(dump->file, dv_object_path(object), true);
        fprintf(dump->file, " %u\n", dv_state_count(state));
        host_dump_numbers(dump->file, "X", x.at, x.at ? (size_t)x.count * x.dim : 0);
        host_dump_numbers(dump->file, "V", v.at, v.at ? (size_t)v.count * v.dim : 0);
    }
}

static void print_topology(FILE *file, DvObject *object)
{
    static const struct {
        DvElementKind kind;
        const char *tag;
    } kinds[] = {
        {DV_EDGES, "EDGES"},           {DV_TRIANGLES, "TRIANGLES"}, {DV_QUADS, "QUADS"},
        {DV_TETRAHEDRA, "TETRAHEDRA"}, {DV_HEXAHEDRA, "HEXAHEDRA"},
    };
    const DvTopologyOps *ops = dv_object_ops(object, DV_TOPOLOGY);
    fputs("TOPOLOGY ", file);
    host_print_path(file, dv_object_path(object), true);
    fputc('\n', file);
    for (size_t k = 0; k < G_N_ELEMENTS(kinds); k++) {
        const DvElements elements = ops->elements(dv_object_self(object), kinds[k].kind);
        if (!elements.count)
            continue;
        fprintf(file, "%s %u", kinds[k].tag, elements.count);
        const size_t numbers = (size_t)elements.count * dv_element_nodes(kinds[k].kind);
        for (size_t i = 0; i < numbers; i++)
            fprintf(file, " %u", elements.at[i]);
        fputc('\n', file);
    }
}

static void print_topologies(FILE *file, const DvNode *node)
{
    if (!dv_node_is_active(node))
        return;
    DvObject *object;
    for (size_t i = 0; (object = dv_node_member(node, i)); i++)
        if (dv_object_ops(object, DV_TOPOLOGY))
            print_topology(file, object);
    const DvNode *child;
    for (size_t i = 0; (child = dv_node_child(node, i)); i++)
        if (dv_node_parent(child, 0) == node)
            print_topologies(file, child);
}

void host_dump_topologies(Dump *dump, DvScene *scene, uint64_t step, double time)
{
    print_step(dump->file, step, time);
    print_topologies(dump->file, dv_scene_root(scene));
}

/* ---- Contacts ---- */

static void print_field(FILE *file, double number)
{
    char digits[G_ASCII_DTOSTR_BUF_SIZE];
    fputc(',', file);
    fputs(g_ascii_formatd(digits, sizeof digits, "%.17g", number), file);
}

/* Names with commas, quotes or line ends are put in quotes. */
static void print_path(FILE *file, const char *path)
{
    const bool quoted = strpbrk(path, ",\"\r\n") != NULL;
    fputc(',', file);
    if (quoted)
        fputc('"', file);
    for (; *path; path++) {
        if (path[0] == '/' && path[1] == '/')
            continue; /* a node without a name is not in the names of its models */
        if (*path == '"')
            fputc('"', file);
        fputc(*path, file);
    }
    if (quoted)
        fputc('"', file);
}

static void print_contact(FILE *file, uint64_t step, const DvContactList *list, const DvContactPair *pair,
                          const DvContact *contact, const double force[3])
{
    fprintf(file, "%" G_GUINT64_FORMAT, step);
    for (int side = 0; side < 2; side++)
        print_path(file, dv_object_path(list->bodies[pair->body[side]].object));
    fprintf(file, ",%u,%u", contact->element[0], contact->element[1]);
    for (int side = 0; side < 2; side++)
        for (int axis = 0; axis < 3; axis++)
            print_field(file, contact->point[side][axis]);
    double normal = 0;
    for (int axis = 0; axis < 3; axis++) {
        print_field(file, contact->normal[axis]);
        normal += force[axis] * contact->normal[axis];
    }
    print_field(file, contact->gap);
    print_field(file, normal);
    for (int axis = 0; axis < 3; axis++)
        print_field(file, force[axis] - normal * contact->normal[axis]);
    fputc('\n', file);
}

typedef struct ContactDump {
    FILE *file;
    uint64_t step;
} ContactDump;

static DvVisit print_contacts_of(DvNode *node, void *context)
{
    const ContactDump *dump = context;
    DvObject *pipeline = dv_node_slot(node, DV_COLLISION_PIPELINE);
    if (!pipeline)
        return DV_VISIT_CONTINUE;
    const DvCollisionPipelineOps *ops = dv_object_ops(pipeline, DV_COLLISION_PIPELINE);
    const DvContactList *list = ops->contacts(dv_object_self(pipeline));
    for (uint32_t i = 0; i < list->pair_count; i++)
        for (uint32_t k = 0; k < list->pairs[i].count; k++) {
            double force[3];
            ops->force(dv_object_self(pipeline), i, k, force);
            print_contact(dump->file, dump->step, list, &list->pairs[i], &list->pairs[i].contacts[k], force);
        }
    return DV_VISIT_CONTINUE;
}

void host_dump_contacts(Dump *dump, DvScene *scene, uint64_t step)
{
    if (step == 0) {
        fputs("step,model1,model2,element1,element2,x1,y1,z1,x2,y2,z2,nx,ny,nz,gap,normal_force,fx,fy,fz\n",
              dump->file);
        return;
    }
    ContactDump context = {dump->file, step};
    dv_visit(dv_scene_root(scene), &(const DvVisitor){.top_down = print_contacts_of, .enters_sleeping = true},
             &context);
}

typedef struct StepStats {
    uint64_t contacts, pairs;
    GString *solvers;
} StepStats;

static DvVisit count_of_node(DvNode *node, void *context)
{
    StepStats *stats = context;
    DvObject *pipeline = dv_node_slot(node, DV_COLLISION_PIPELINE), *solver = dv_node_slot(node, DV_CONSTRAINT_SOLVER);
    if (pipeline) {
        const DvCollisionPipelineOps *ops = dv_object_ops(pipeline, DV_COLLISION_PIPELINE);
        const DvContactList *list = ops->contacts(dv_object_self(pipeline));
        stats->pairs += list->pair_count;
        for (uint32_t i = 0; i < list->pair_count; i++)
            stats->contacts += list->pairs[i].count;
    }
    const DvConstraintSolverOps *ops = solver ? dv_object_ops(solver, DV_CONSTRAINT_SOLVER) : NULL;
    const DvConstraintProblem *problem = ops ? ops->take_problem(dv_object_self(solver)) : NULL;
    if (!problem)
        return DV_VISIT_CONTINUE;
    g_string_append_printf(stats->solvers, "; %s: %u rows, %u sweeps, error %.3g of %.3g%s", dv_object_name(solver),
                           problem->rows, problem->sweeps, problem->error, problem->tolerance,
                           problem->converged ? "" : ", not converged");
    ops->release_problem(problem);
    return DV_VISIT_CONTINUE;
}

static void add_record(GString *line, const DvObject *object, const DvSolveRecordOps *ops, const DvSolveRecord *record)
{
    g_string_append_printf(line, "; %s: left %.3g of %.3g", dv_object_name(object), record->left, record->asked);
    if (!ops->curve)
        return;
    DvText curve = {0};
    ops->curve(dv_object_self(object), &curve);
    g_string_append_printf(line, " (%s)", curve.at ? curve.at : "");
    dv_text_free(&curve);
}

static DvVisit add_records(DvNode *node, void *context)
{
    StepStats *stats = context;
    const DvObject *object;
    for (size_t i = 0; (object = dv_node_member(node, i)); i++) {
        const DvSolveRecordOps *ops = dv_object_ops(object, DV_SOLVE_RECORD);
        const DvSolveRecord *record = ops ? ops->record(dv_object_self(object)) : NULL;
        if (record && record->solves > 0 && !dv_object_ops(object, DV_CONSTRAINT_SOLVER))
            add_record(stats->solvers, object, ops, record);
    }
    return DV_VISIT_CONTINUE;
}

void host_print_stats(DvScene *scene, uint64_t step)
{
    StepStats stats = {.solvers = g_string_new(NULL)};
    dv_visit(dv_scene_root(scene), &(const DvVisitor){.top_down = count_of_node, .enters_sleeping = true}, &stats);
    dv_visit(dv_scene_root(scene), &(const DvVisitor){.top_down = add_records, .enters_sleeping = true}, &stats);
    printf("step %" G_GUINT64_FORMAT ": %" G_GUINT64_FORMAT " contacts of %" G_GUINT64_FORMAT " pairs%s\n", step,
           stats.contacts, stats.pairs, stats.solvers->str);
    g_string_free(stats.solvers, TRUE);
}

/* ---- Solves that ended early ---- */

static void report_unsolved(const DvObject *object, const DvSolveRecordOps *ops, const DvSolveRecord *record)
{
    if (record->told) {
        if (record->unsolved > 1)
            dv_remark(object,
                      "%" G_GUINT64_FORMAT " of its %" G_GUINT64_FORMAT
                      " solves ended like that: at worst %.3g%s%s, in step %" G_GUINT64_FORMAT,
                      record->unsolved, record->solves, record->worst, ops->unit ? " " : "", ops->unit ? ops->unit : "",
                      record->worst_step);
        return;
    }
    DvText remedy = {0};
    if (ops->remedy)
        ops->remedy(dv_object_self(object), &remedy);
    dv_warning(object,
               "%" G_GUINT64_FORMAT " of its %" G_GUINT64_FORMAT
               " solves did not reach their tolerance: the worst error is %.3g%s%s, in step %" G_GUINT64_FORMAT
               " (tolerance %.3g)%s%s",
               record->unsolved, record->solves, record->worst, ops->unit ? " " : "", ops->unit ? ops->unit : "",
               record->worst_step, record->worst_asked, remedy.at ? "; " : "", remedy.at ? remedy.at : "");
    dv_text_free(&remedy);
}

typedef struct Solves {
    FILE *to; /* totals of all solvers; or NULL */
} Solves;

static DvVisit report_solves_of_node(DvNode *node, void *context)
{
    const Solves *solves = context;
    const DvObject *object;
    for (size_t i = 0; (object = dv_node_member(node, i)); i++) {
        const DvSolveRecordOps *ops = dv_object_ops(object, DV_SOLVE_RECORD);
        const DvSolveRecord *record = ops ? ops->record(dv_object_self(object)) : NULL;
        if (!record || record->solves == 0)
            continue;
        if (solves->to && record->unsolved == 0)
            fprintf(solves->to, "%s: %" G_GUINT64_FORMAT " solves, all of them as asked\n", dv_object_path(object),
                    record->solves);
        else if (solves->to)
            fprintf(solves->to,
                    "%s: %" G_GUINT64_FORMAT " solves, %" G_GUINT64_FORMAT
                    " did not reach the tolerance; worst error %.3g of %.3g, step %" G_GUINT64_FORMAT "\n",
                    dv_object_path(object), record->solves, record->unsolved, record->worst, record->worst_asked,
                    record->worst_step);
        if (record->unsolved > 0)
            report_unsolved(object, ops, record);
    }
    return DV_VISIT_CONTINUE;
}

void host_report_solves(DvScene *scene, FILE *totals)
{
    dv_visit(dv_scene_root(scene), &(const DvVisitor){.top_down = report_solves_of_node, .enters_sleeping = true},
             &(Solves){totals});
}
