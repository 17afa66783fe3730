/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * divan probe: what each component computes by itself at a given state. No step is made, but with --outputs (outputs.c).
 *
 * The state file, plain or compressed by gzip, gives X and V of the independent states, DX of all, and the vectors put into mappings (FIN) and constraints (PIN). States are
 * matched by path and rank, objects by kind, node, class and rank. For every component the result is written with 17 digits:
 *   FORCEFIELD  F = forces, DF = K DX          MASS    KINETIC, MDX = M DX
 *   MAPPING     JTF = J^T FIN, JDX = J DX, DJTF = geometric stiffness on DX     PROJECTIVE  PROJECTED = PIN projected
 */
#include "host.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#if DIVAN_HAVE_ZLIB
#include <zlib.h>
#endif

#include <divan/contracts/force_field.h>
#include <divan/contracts/mapping.h>
#include <divan/contracts/mass.h>
#include <divan/contracts/mechanical_operations.h>
#include <divan/contracts/projective_constraint.h>

enum { MAX_STATES = 64 }; /* of one component */

#if DIVAN_HAVE_ZLIB
/* The text of a file, compressed by gzip or plain; NULL and a message when it cannot be had. Free with g_free. */
static char *read_text(const char *name)
{
    enum { BLOCK = 1 << 20, MAX_BLOCKS = 2048 }; /* 2 GiB: more is no state but a trap */
    gzFile file = gzopen(name, "rb");
    if (!file) {
        fprintf(stderr, "divan: %s: %s\n", name, g_strerror(errno));
        return NULL;
    }
    GString *text = g_string_new(NULL);
    char *block = g_malloc(BLOCK);
    int got = 0, blocks = 0;
    while (blocks++ < MAX_BLOCKS && (got = gzread(file, block, BLOCK)) > 0)
        g_string_append_len(text, block, got);
    int code = Z_OK;
    const char *why = gzerror(file, &code);
    if (got > 0)
        fprintf(stderr, "divan: %s: more than 2 GiB of text\n", name);
    else if (got < 0 || code != Z_OK)
        fprintf(stderr, "divan: %s: %s\n", name, code == Z_ERRNO ? g_strerror(errno) : why);
    const bool good = got == 0 && code == Z_OK;
    (void)gzclose(file);
    g_free(block);
    return g_string_free(text, !good);
}
#else
static char *read_text(const char *name)
{
    char *text = NULL;
    GError *error = NULL;
    if (g_str_has_suffix(name, ".gz")) {
        fprintf(stderr, "divan: %s: this program was built without zlib; unpack the file first\n", name);
    } else if (!g_file_get_contents(name, &text, NULL, &error)) {
        fprintf(stderr, "divan: %s\n", error->message);
        g_error_free(error);
    }
    return text;
}
#endif

/* The state file as lists of numbers by key: "STATE path rank X", "MAPPING node class rank FIN path". */
typedef struct Inputs {
    const char *name; /* of the file */
    unsigned line;
    GHashTable *numbers, *ranks;
    char *owner; /* key of the object whose lines follow; or NULL */
    double *dt;
    bool failed;
} Inputs;

static void refuse_line(Inputs *inputs, const char *what, const char *text)
{
    if (!inputs->failed)
        fprintf(stderr, "divan: %s:%u: %s '%.40s'\n", inputs->name, inputs->line, what, text);
    inputs->failed = true;
}

/* All of a text as numbers. */
static GArray *read_numbers(Inputs *inputs, const char *text)
{
    GArray *values = g_array_new(FALSE, FALSE, sizeof(double));
    double value;
    while (dv_read_double(&text, &value))
        g_array_append_val(values, value);
    text += strspn(text, " \t\r");
    if (*text)
        refuse_line(inputs, "expected a number, not", text);
    return values;
}

/* A path as host_print_path writes it, in place. */
static char *decoded(char *path)
{
    char *to = path;
    for (const char *at = path; *at; at++)
        if (at[0] == '%' && g_ascii_isxdigit(at[1]) && g_ascii_isxdigit(at[2])) {
            *to++ = (char)(16 * g_ascii_xdigit_value(at[1]) + g_ascii_xdigit_value(at[2]));
            at += 2;
        } else {
            *to++ = *at;
        }
    *to = '\0';
    return path;
}

/* Cuts the last word off; NULL when there is no other. */
static char *take_last_word(char *text)
{
    char *blank = strrchr(text, ' ');
    if (!blank)
        return NULL;
    *blank = '\0';
    return blank + 1;
}

/* The lines that follow belong to the next object of this description. */
static void begin_owner(Inputs *inputs, char *base)
{
    const int rank = GPOINTER_TO_INT(g_hash_table_lookup(inputs->ranks, base));
    g_hash_table_insert(inputs->ranks, g_strdup(base), GINT_TO_POINTER(rank + 1));
    g_free(inputs->owner);
    inputs->owner = g_strdup_printf("%s %d", base, rank);
    g_free(base);
}

/* "path points [free|mapped]": the path may have blanks, as in the dumps of `divan run`. */
static void read_state(Inputs *inputs, char *rest)
{
    const char *last = take_last_word(rest);
    if (last && (strcmp(last, "free") == 0 || strcmp(last, "mapped") == 0))
        last = take_last_word(rest);
    if (!last || !g_ascii_isdigit(*last))
        refuse_line(inputs, "expected the path of a state and its number of points, not", rest);
    else
        begin_owner(inputs, g_strdup_printf("STATE %s", decoded(rest)));
    if (last && inputs->owner)
        g_hash_table_insert(inputs->numbers, g_strdup_printf("%s points", inputs->owner), read_numbers(inputs, last));
}

/* "path class type" */
static void read_component(Inputs *inputs, const char *tag, char *rest)
{
    const char *type = take_last_word(rest), *cls = type ? take_last_word(rest) : NULL;
    if (!cls) {
        refuse_line(inputs, "expected the path, class and DOF type of a component, not", rest);
        return;
    }
    char *node = g_path_get_dirname(decoded(rest));
    begin_owner(inputs, g_strdup_printf("%s %s %s", tag, node, cls));
    g_free(node);
}

/* "path points numbers" */
static void read_given(Inputs *inputs, const char *tag, char *rest)
{
    char **words = g_strsplit(rest, " ", 3);
    if (g_strv_length(words) < 2)
        refuse_line(inputs, "expected the path of a state, its number of points and a vector, not", rest);
    else
        g_hash_table_insert(inputs->numbers, g_strdup_printf("%s %s %s", inputs->owner, tag, decoded(words[0])),
                            read_numbers(inputs, words[2] ? words[2] : ""));
    g_strfreev(words);
}

static bool is_one_of(const char *tag, const char *const *tags)
{
    return g_strv_contains(tags, tag);
}

static void read_line(Inputs *inputs, char *line)
{
    char *rest = strchr(line, ' ');
    if (rest)
        *rest++ = '\0';
    else
        rest = line + strlen(line);
    if (strcmp(line, "DT") == 0) {
        const char *text = rest;
        if (!dv_read_double(&text, inputs->dt) || text[strspn(text, " \t\r")])
            refuse_line(inputs, "expected a time step, not", rest);
    } else if (strcmp(line, "STATE") == 0) {
        read_state(inputs, rest);
    } else if (is_one_of(line, (const char *const[]){"MAPPING", "PROJECTIVE", NULL})) {
        read_component(inputs, line, rest);
    } else if (inputs->owner && is_one_of(line, (const char *const[]){"X", "V", "DX", NULL})) {
        g_hash_table_insert(inputs->numbers, g_strdup_printf("%s %s", inputs->owner, line), read_numbers(inputs, rest));
    } else if (inputs->owner && is_one_of(line, (const char *const[]){"FIN", "PIN", NULL})) {
        read_given(inputs, line, rest);
    }
}

/* NULL after a message. */
static GHashTable *read_inputs(const char *name, double *dt)
{
    char *text = read_text(name);
    if (!text)
        return NULL;
    Inputs inputs = {.name = name, .dt = dt};
    inputs.numbers = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)g_array_unref);
    inputs.ranks = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (char *line = text; line && *line;) {
        char *end = strchr(line, '\n');
        if (end)
            *end = '\0';
        inputs.line++;
        read_line(&inputs, g_strchomp(line));
        line = end ? end + 1 : NULL;
    }
    if (!inputs.failed && g_hash_table_size(inputs.ranks) == 0) {
        fprintf(
            stderr,
            "divan: %s: no state file: it has no line STATE; `divan run --dump` and `divan probe` write such files\n",
            name);
        inputs.failed = true;
    }
    g_free(inputs.owner);
    g_hash_table_unref(inputs.ranks);
    if (inputs.failed)
        g_clear_pointer(&inputs.numbers, g_hash_table_unref);
    g_free(text);
    return inputs.numbers;
}

typedef struct Probe {
    FILE *out;
    GHashTable *inputs, *ranks;
    const DvMechanicalOperationsOps *mechanics;
    DvMechanics *system;
    DvStep step;
    bool failed;
} Probe;

static int next_rank(Probe *probe, const char *base)
{
    const int rank = GPOINTER_TO_INT(g_hash_table_lookup(probe->ranks, base));
    g_hash_table_insert(probe->ranks, g_strdup(base), GINT_TO_POINTER(rank + 1));
    return rank;
}

/* Puts the numbers of a key into a vector of a state; zero when the file has none. False and a message when the sizes differ. */
static bool put(Probe *probe, const char *key, DvStateRef state, DvVecId id)
{
    const GArray *values = g_hash_table_lookup(probe->inputs, key);
    DvVec to = dv_state_write(state, id, DV_OVERWRITE);
    const size_t count = (size_t)to.count * to.dim;
    if (values && values->len != count) {
        fprintf(stderr, "divan: %s: %u numbers for %zu of state %s\n", key, values->len, count,
                dv_object_path(state.object));
        probe->failed = true;
        return false;
    }
    if (values && count)
        memcpy(to.at, values->data, count * sizeof(double));
    else if (id != DV_POSITION && id != DV_VELOCITY)
        state.ops->clear(state.self, id);
    return values != NULL;
}

/* The file says of how many points a state is. */
static void check_points(Probe *probe, const char *owner, DvStateRef state)
{
    char *key = g_strdup_printf("%s points", owner);
    const GArray *points = g_hash_table_lookup(probe->inputs, key);
    if (points && points->len == 1 && g_array_index(points, double, 0) != dv_state_count(state)) {
        fprintf(stderr, "divan: the state file has %g points of %s, the scene has %u\n",
                g_array_index(points, double, 0), dv_object_path(state.object), dv_state_count(state));
        probe->failed = true;
    }
    g_free(key);
}

static void print_vector(Probe *probe, const char *tag, DvStateRef state, DvConstVec v)
{
    char count[16];
    fprintf(probe->out, "%s ", tag);
    host_print_path(probe->out, dv_object_path(state.object), false);
    g_snprintf(count, sizeof count, " %u", v.count);
    host_dump_numbers(probe->out, count, v.at, (size_t)v.count * v.dim);
}

static void print_object(Probe *probe, const char *kind, DvObject *object)
{
    const char *variant = dv_object_variant(object);
    fprintf(probe->out, "%s ", kind);
    host_print_path(probe->out, dv_object_path(object), false);
    fprintf(probe->out, " %s %s\n", dv_object_class(object)->name, *variant ? variant : "-");
}

/* Distinct states of a component: an interaction of a state with itself names it twice. */
static bool is_repeated(const DvStateRef *states, uint32_t index)
{
    for (uint32_t i = 0; i < index; i++)
        if (states[i].object == states[index].object)
            return true;
    return false;
}

static void probe_force_field(Probe *probe, DvObject *object, const DvForceFieldOps *ops)
{
    DvObject *objects[2];
    DvStateRef states[2];
    DvConstVec x[2], v[2], dx[2];
    DvVec f[2], df[2];
    void *self = dv_object_self(object);
    const uint32_t count = ops->states(self, objects);
    print_object(probe, "FORCEFIELD", object);
    for (uint32_t i = 0; i < count; i++) {
        states[i] = dv_state_ref(objects[i]);
        states[i].ops->clear(states[i].self, DV_FORCE);
        states[i].ops->clear(states[i].self, DV_DFORCE);
    }
    for (uint32_t i = 0; i < count; i++) {
        x[i] = dv_state_read(states[i], DV_POSITION);
        v[i] = dv_state_read(states[i], DV_VELOCITY);
        dx[i] = dv_state_read(states[i], DV_DX);
        f[i] = dv_state_write(states[i], DV_FORCE, DV_READ_WRITE);
        df[i] = dv_state_write(states[i], DV_DFORCE, DV_READ_WRITE);
    }
    if (!count)
        return;
    ops->add_force(self, &probe->step, x, v, f);
    if (ops->add_dforce)
        ops->add_dforce(self, &probe->step, 1, 0, dx, df);
    for (uint32_t i = 0; i < count; i++)
        if (!is_repeated(states, i))
            print_vector(probe, "F", states[i], dv_const(f[i]));
    for (uint32_t i = 0; i < count; i++)
        if (!is_repeated(states, i))
            print_vector(probe, "DF", states[i], dv_const(df[i]));
}

static void probe_mass(Probe *probe, DvObject *object, const DvMassOps *ops)
{
    void *self = dv_object_self(object);
    print_object(probe, "MASS", object);
    DvObject *of = ops->state(self);
    if (!of)
        return;
    const DvStateRef state = dv_state_ref(of);
    if (ops->kinetic_energy) {
        const double energy = ops->kinetic_energy(self, dv_state_read(state, DV_VELOCITY));
        host_dump_numbers(probe->out, "KINETIC", &energy, 1);
    }
    state.ops->clear(state.self, DV_DFORCE);
    const DvVec mdx = dv_state_write(state, DV_DFORCE, DV_READ_WRITE);
    ops->add_mdx(self, 1, dv_state_read(state, DV_DX), mdx);
    print_vector(probe, "MDX", state, dv_const(mdx));
}

static void probe_mapping(Probe *probe, DvObject *object, const DvMappingOps *ops)
{
    void *self = dv_object_self(object);
    DvObject *inputs[MAX_STATES], *outputs[MAX_STATES];
    const uint32_t ins = MIN(ops->inputs(self, inputs, MAX_STATES), MAX_STATES);
    const uint32_t outs = MIN(ops->outputs(self, outputs, MAX_STATES), MAX_STATES);
    char *node = g_strdup(dv_node_path(dv_object_node(object)));
    char *base = g_strdup_printf("MAPPING %s %s", node, dv_object_class(object)->name);
    const int rank = next_rank(probe, base);
    DvStateRef in[MAX_STATES], out[MAX_STATES];
    DvConstVec force[MAX_STATES], dx[MAX_STATES];
    DvVec result[MAX_STATES], moved[MAX_STATES];
    print_object(probe, "MAPPING", object);
    for (uint32_t i = 0; i < outs; i++) {
        out[i] = dv_state_ref(outputs[i]);
        char *key = g_strdup_printf("%s %d FIN %s", base, rank, dv_object_path(outputs[i]));
        put(probe, key, out[i], DV_FORCE);
        force[i] = dv_state_read(out[i], DV_FORCE);
        moved[i] = dv_state_write(out[i], DV_DFORCE, DV_OVERWRITE);
        print_vector(probe, "FIN", out[i], force[i]);
        g_free(key);
    }
    for (uint32_t i = 0; i < ins; i++) {
        in[i] = dv_state_ref(inputs[i]);
        in[i].ops->clear(in[i].self, DV_DFORCE);
        result[i] = dv_state_write(in[i], DV_DFORCE, DV_READ_WRITE);
        dx[i] = dv_state_read(in[i], DV_DX);
    }
    ops->apply_jt(self, &probe->step, force, result);
    for (uint32_t i = 0; i < ins; i++)
        print_vector(probe, "JTF", in[i], dv_const(result[i]));
    ops->apply_j(self, &probe->step, dx, moved);
    for (uint32_t i = 0; i < outs; i++)
        print_vector(probe, "JDX", out[i], dv_const(moved[i]));
    for (uint32_t i = 0; i < ins; i++)
        in[i].ops->clear(in[i].self, DV_DFORCE);
    if (ops->apply_djt)
        ops->apply_djt(self, &probe->step, 1, force, dx, result);
    for (uint32_t i = 0; i < ins; i++)
        print_vector(probe, "DJTF", in[i], dv_const(result[i]));
    g_free(base);
    g_free(node);
}

static void probe_constraint(Probe *probe, DvObject *object, const DvProjectiveConstraintOps *ops)
{
    void *self = dv_object_self(object);
    DvObject *objects[2];
    const uint32_t count = ops->states(self, objects);
    char *base =
        g_strdup_printf("PROJECTIVE %s %s", dv_node_path(dv_object_node(object)), dv_object_class(object)->name);
    const int rank = next_rank(probe, base);
    DvVec d[2];
    DvStateRef states[2];
    print_object(probe, "PROJECTIVE", object);
    for (uint32_t i = 0; i < count; i++) {
        states[i] = dv_state_ref(objects[i]);
        char *key = g_strdup_printf("%s %d PIN %s", base, rank, dv_object_path(objects[i]));
        put(probe, key, states[i], DV_DFORCE);
        d[i] = dv_state_write(states[i], DV_DFORCE, DV_READ_WRITE);
        print_vector(probe, "PIN", states[i], dv_const(d[i]));
        g_free(key);
    }
    if (count)
        ops->project_response(self, &probe->step, d);
    for (uint32_t i = 0; i < count; i++)
        print_vector(probe, "PROJECTED", states[i], dv_const(d[i]));
    g_free(base);
}

typedef enum Kind { FORCE_FIELDS, MASSES, MAPPINGS, CONSTRAINTS } Kind;

static bool maps_states(const DvMappingOps *ops, DvObject *object)
{
    return ops->is_mechanical(dv_object_self(object));
}

static void probe_node(Probe *probe, const DvNode *node, Kind kind)
{
    if (!dv_node_is_active(node))
        return;
    DvObject *object;
    for (size_t i = 0; (object = dv_node_member(node, i)); i++) {
        const DvForceFieldOps *field = dv_object_ops(object, DV_FORCE_FIELD);
        const DvForceFieldOps *interaction = dv_object_ops(object, DV_INTERACTION_FORCE_FIELD);
        const DvMassOps *mass = dv_object_ops(object, DV_MASS);
        const DvMappingOps *mapping = dv_object_ops(object, DV_MAPPING);
        const DvProjectiveConstraintOps *constraint = dv_object_ops(object, DV_PROJECTIVE_CONSTRAINT);
        if (kind == FORCE_FIELDS && (field || interaction))
            probe_force_field(probe, object, field ? field : interaction);
        else if (kind == MASSES && mass)
            probe_mass(probe, object, mass);
        else if (kind == MAPPINGS && mapping && maps_states(mapping, object))
            probe_mapping(probe, object, mapping);
        else if (kind == CONSTRAINTS && constraint)
            probe_constraint(probe, object, constraint);
    }
    const DvNode *child;
    for (size_t i = 0; (child = dv_node_child(node, i)); i++)
        probe_node(probe, child, kind);
}

/* The states that the file does describe, as far as a line has room for them. */
static void report_missing_state(const Probe *probe, const char *owner, const DvObject *object)
{
    char *points = g_strdup_printf("%s points", owner);
    const bool described = g_hash_table_contains(probe->inputs, points);
    g_free(points);
    if (described) {
        fprintf(stderr, "divan: the state file has no positions of %s: a line X is missing\n", dv_object_path(object));
        return;
    }
    enum { MOST = 5 };
    GList *keys = g_hash_table_get_keys(probe->inputs);
    GString *names = g_string_new(NULL);
    unsigned others = 0;
    keys = g_list_sort(keys, (GCompareFunc)strcmp);
    for (const GList *key = keys; key; key = key->next) {
        const char *name = key->data;
        if (!g_str_has_prefix(name, "STATE ") || !g_str_has_suffix(name, " points"))
            continue;
        const size_t length = strlen(name) - strlen("STATE ") - strlen(" points");
        const char *path = name + strlen("STATE ");
        const char *rank = g_strrstr_len(path, (gssize)length, " ");
        if (++others <= MOST)
            g_string_append_printf(names, "%s%.*s", others > 1 ? ", " : "", (int)(rank ? rank - path : (gssize)length),
                                   path);
    }
    fprintf(stderr, "divan: the state file has no positions of %s; it describes %s%s\n", dv_object_path(object),
            names->str, others > MOST ? "..." : "");
    g_string_free(names, TRUE);
    g_list_free(keys);
}

static void set_states(Probe *probe, const GPtrArray *states, bool *is_free)
{
    for (guint i = 0; i < states->len; i++) {
        DvObject *object = g_ptr_array_index(states, i);
        const DvStateRef state = dv_state_ref(object);
        char *base = g_strdup_printf("STATE %s", dv_object_path(object));
        char *owner = g_strdup_printf("%s %d", base, next_rank(probe, base));
        DvObject *mapping = dv_node_slot(dv_object_node(object), DV_MAPPING);
        is_free[i] = !mapping;
        check_points(probe, owner, state);
        static const struct {
            const char *tag;
            DvVecId id;
        } vectors[] = {{"X", DV_POSITION}, {"V", DV_VELOCITY}, {"DX", DV_DX}};
        for (size_t k = is_free[i] ? 0 : 2; k < G_N_ELEMENTS(vectors);
             k++) { /* of mapped states the displacement alone */
            char *key = g_strdup_printf("%s %s", owner, vectors[k].tag);
            if (!put(probe, key, state, vectors[k].id) && k == 0 && dv_state_count(state) &&
                !g_hash_table_contains(probe->inputs, key)) {
                report_missing_state(probe, owner, object);
                probe->failed = true;
            }
            g_free(key);
        }
        g_free(owner);
        g_free(base);
    }
}

static void print_states(Probe *probe, const GPtrArray *states, const bool *is_free)
{
    for (guint i = 0; i < states->len; i++) {
        const DvStateRef state = dv_state_ref(g_ptr_array_index(states, i));
        fputs("STATE ", probe->out);
        host_print_path(probe->out, dv_object_path(state.object), false);
        fprintf(probe->out, " %u %s\n", dv_state_count(state), is_free[i] ? "free" : "mapped");
        const DvConstVec x = dv_state_read(state, DV_POSITION), v = dv_state_read(state, DV_VELOCITY),
                         dx = dv_state_read(state, DV_DX);
        host_dump_numbers(probe->out, "X", x.at, (size_t)x.count * x.dim);
        host_dump_numbers(probe->out, "V", v.at, (size_t)v.count * v.dim);
        host_dump_numbers(probe->out, "DX", dx.at, dx.at ? (size_t)dx.count * dx.dim : 0);
    }
}

static int probe_scene(Probe *probe, DvScene *scene)
{
    DvNode *root = dv_scene_root(scene);
    probe->mechanics = dv_service(DV_MECHANICAL_OPERATIONS);
    if (!probe->mechanics) {
        fputs("divan: no plugin offers " DV_MECHANICAL_OPERATIONS "; is divan.mechanics loaded? (see `divan list`)\n",
              stderr);
        return EXIT_FAULT;
    }
    probe->step.kind = DV_MATRIX_ANY; /* what components compute, not what a solver can bear */
    probe->step.time = dv_node_time(root);
    GPtrArray *states = host_states(scene);
    bool *is_free = g_new0(bool, states->len);
    set_states(probe, states, is_free);
    if (!probe->failed) {
        probe->system = probe->mechanics->open(root);
        probe->mechanics->propagate_position(probe->system, &probe->step, DV_POSITION);
        probe->mechanics->propagate_velocity(probe->system, &probe->step, DV_VELOCITY);
        host_dump_numbers(probe->out, "DT", &probe->step.dt, 1);
        print_states(probe, states, is_free);
        probe_node(probe, root, FORCE_FIELDS);
        probe_node(probe, root, MASSES);
        probe_node(probe, root, MAPPINGS);
        probe_node(probe, root, CONSTRAINTS);
        probe->mechanics->close(probe->system);
    }
    g_free(is_free);
    g_ptr_array_unref(states);
    return probe->failed ? EXIT_FAULT : EXIT_DONE;
}

/* The dump would take the place of the state that it is made from. */
static bool is_state_file(const Options *options)
{
    GStatBuf at, out;
    return g_stat(options->at, &at) == 0 && g_stat(options->out, &out) == 0 && S_ISREG(at.st_mode) &&
           at.st_dev == out.st_dev && at.st_ino == out.st_ino;
}

/* The outputs of engines and loaders, which need no state. */
static int probe_outputs(const Options *options)
{
    if (options->at || options->out) {
        fputs("divan probe: --outputs goes without --at and --out\n", stderr);
        return EXIT_USAGE;
    }
    DvScene *scene = host_load(options);
    Dump dump = {0};
    if (!scene || !host_dump_open(&dump, options->outputs, scene))
        return scene ? host_end(scene, EXIT_FAULT) : EXIT_FAULT;
    host_dump_outputs(&dump, scene);
    int code = EXIT_DONE;
    for (int step = 0; step < options->steps && code == EXIT_DONE; step++) {
        const DvStatus status = dv_scene_step(scene, 0);
        code = status == DV_OK ? EXIT_DONE : host_step_failed(scene, options, NULL, status);
    }
    if (options->steps > 0 && code == EXIT_DONE)
        host_dump_outputs(&dump, scene);
    if (!host_dump_close(&dump, code == EXIT_DONE))
        code = EXIT_FAULT;
    return host_end(scene, code);
}

static int probe(const Options *options)
{
    if (options->outputs)
        return probe_outputs(options);
    if (options->steps >= 0) {
        fputs("divan probe: --steps is of --outputs\n", stderr);
        return EXIT_USAGE;
    }
    if (!options->at || !options->out) {
        fputs("divan probe: needs --at FILE and --out DUMP\n", stderr);
        return EXIT_USAGE;
    }
    if (is_state_file(options)) {
        fprintf(stderr, "divan probe: --out %s: is the file of --at; choose another name\n", options->out);
        return EXIT_USAGE;
    }
    Probe probe = {.step = {.dt = 0.01, .position = DV_POSITION, .velocity = DV_VELOCITY}};
    DvScene *scene = host_load(options);
    if (!scene)
        return EXIT_FAULT;
    int code = EXIT_FAULT;
    probe.step.dt = dv_node_dt(dv_scene_root(scene));
    probe.inputs = read_inputs(options->at, &probe.step.dt);
    Dump dump = {0};
    if (probe.inputs && host_dump_open(&dump, options->out, scene)) {
        probe.out = dump.file;
        probe.ranks = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
        code = probe_scene(&probe, scene);
        g_hash_table_unref(probe.ranks);
        if (!host_dump_close(&dump, code == EXIT_DONE))
            code = EXIT_FAULT;
    }
    if (probe.inputs)
        g_hash_table_unref(probe.inputs);
    return host_end(scene, code);
}

const Command command_probe = {
    .name = "probe",
    .arguments = "SCENE",
    .summary = "evaluate each component by itself at a given state",
    .description =
        "FILE gives X, V and DX of the independent states (docs/formats.md); DUMP gets forces, products with mass and\n"
        "stiffness, and the results of mappings and constraints for given vectors. No step is made.\n"
        "With --outputs instead of both: the outputs of engines and loaders, after initialisation and after the steps.",
    .positional = 1,
    .options = "at out outputs steps dt keep-going write-anywhere",
    .run = probe,
};
