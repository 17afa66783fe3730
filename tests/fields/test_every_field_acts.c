/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Every field of every class acts, or a table says why not.
 *
 * fields.tsv has a row for each field (see its head). A row with a scene is proved: the scene is run as it is and once more with
 * the field changed on its object `it`, and everything that can be observed is written down both times: states, topologies,
 * values of all other fields, energies, momentum, what is drawn, and the same again after a reset. Two equal records are a
 * failure. So is a warning that only the changed scene brings, because it would mean that the value was not understood (a row
 * whose field only changes messages says so with a '!' behind the scene, one whose change deserves a warning with a '?').
 *
 * Fields that only change what is drawn need no row: they hold their value until there is drawing, and that is proved here
 * for all of them.
 *
 * The same rows prove that a field which users edit while a scene is loaded acts as if it had stood in the file, if it is not marked
 * as read at load (editors refuse it then) and edits.tsv does not say why it acts otherwise.
 *
 * `test_every_field_acts PART PARTS` does each PARTS-th piece of this work, from PART (0 or more) on; without arguments all of it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <divan/contracts/mechanical_operations.h>
#include <divan/contracts/solver.h>
#include <divan/contracts/topology.h>
#include <divan/divan.h>
#include <divan/embed.h>

#include "drawing.h"
#include "missing_library.h"
#include "open_writes.h"
#include "share.h"

enum { DEFAULT_STEPS = 3 };

typedef struct Row {
    char *classes, *field, *scene, *value,
        *with; /* with: further attributes of `it` in both runs, as in the file; or "" */
    int line;
} Row;

typedef struct Table {
    char *text;
    Row *at;
    size_t count;
} Table;

static Table table, edits, goes_on; /* of both others: classes, field, and the reason in the place of a scene */

static char folder[1024];
static char output_file[64] = P_tmpdir "/divan-fields-XXXXXX"; /* what $output in the table stands for */
static char saved_file[64] = P_tmpdir "/divan-saved-XXXXXX.scn";
static char checkpoint_file[64] = P_tmpdir "/divan-checkpoint-XXXXXX";
static DvText failures;

static size_t part = 0, parts = 1, pieces; /* pieces of work that have been met */

/* Whether the next piece of work is for this part. */
static bool is_ours(void)
{
    return pieces++ % parts == part;
}

/* ---- files ---- */

static char *contents(const char *in, const char *name)
{
    char path[2048];
    snprintf(path, sizeof path, "%s/%s", in, name);
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    DvText text = {0};
    char part[4096];
    size_t length;
    while ((length = fread(part, 1, sizeof part - 1, file)) > 0) {
        part[length] = 0;
        dv_text_add(&text, "%s", part);
    }
    fclose(file);
    return text.at;
}

static char *next_cell(char **line)
{
    char *cell = *line, *tab = strchr(cell, '\t');
    *line = tab ? tab + 1 : cell + strlen(cell);
    if (tab)
        *tab = 0;
    return cell;
}

static bool read_rows(Table *of, const char *file)
{
    of->text = contents(folder, file);
    if (!of->text)
        return false;
    int number = 0;
    for (char *line = of->text, *end; *line; line = end) {
        end = strchr(line, '\n');
        number++;
        if (end)
            *end++ = 0;
        else
            end = line + strlen(line);
        if (!*line || *line == '#')
            continue;
        of->at = realloc(of->at, (of->count + 1) * sizeof *of->at);
        Row *row = &of->at[of->count++];
        row->line = number;
        row->classes = next_cell(&line);
        row->field = next_cell(&line);
        row->scene = next_cell(&line);
        row->value = next_cell(&line);
        row->with = next_cell(&line);
    }
    return true;
}

static int read_tables(void)
{
    const char *root = getenv("DIVAN_TEST_SOURCE_ROOT");
    snprintf(folder, sizeof folder, "%s/tests/fields", root ? root : ".");
    if (!read_rows(&table, "fields.tsv") || !read_rows(&edits, "edits.tsv") || !read_rows(&goes_on, "goes_on.tsv"))
        return -1;
    const int file = mkstemp(output_file);
    if (file < 0)
        return -1;
    close(file);
    const int saved = mkstemps(saved_file, 4);
    if (saved < 0)
        return -1;
    close(saved);
    const int checkpoint = mkstemp(checkpoint_file);
    if (checkpoint < 0)
        return -1;
    close(checkpoint);
    return dv_start(NULL) == DV_OK ? 0 : -1;
}

static void stop(void)
{
    (void)remove(output_file);
    (void)remove(saved_file);
    (void)remove(checkpoint_file);
    free(table.at);
    dv_text_free(&(DvText){.at = table.text});
    free(edits.at);
    dv_text_free(&(DvText){.at = edits.text});
    free(goes_on.at);
    dv_text_free(&(DvText){.at = goes_on.text});
    dv_stop();
}

/* The next of a list of names separated by commas, or NULL; `list` moves behind it. */
static const char *next_name(const char **list, char *name, size_t size)
{
    if (!**list)
        return NULL;
    const size_t length = strcspn(*list, ",");
    snprintf(name, size, "%.*s", (int)length, *list);
    *list += length + ((*list)[length] == ',');
    return name;
}

static bool listed(const char *list, const char *word)
{
    char name[128];
    while (next_name(&list, name, sizeof name))
        if (strcmp(name, word) == 0)
            return true;
    return false;
}

/* ---- a record of everything ---- */

typedef struct Record {
    DvText text;
    DvText warnings;
    const DvData *left_out; /* the changed field */
    uint32_t flags;         /* its flags */
    bool no_files;          /* names of files are left out */
} Record;

/* All bits of them; decimal digits would take most of the time of this program. */
static void numbers(DvText *out, const double *at, size_t count)
{
    for (size_t i = 0; i < count; i++)
        dv_text_add(out, " %a", at[i]);
    dv_text_add(out, "\n");
}

static void record_state(DvText *out, DvObject *object)
{
    static const struct {
        DvVecId id;
        const char *name;
    } vectors[] = {
        {DV_POSITION, "position"},
        {DV_VELOCITY, "velocity"},
        {DV_REST_POSITION, "rest position"},
        {DV_FORCE, "force"},
    };
    const DvStateRef state = dv_state_ref(object);
    for (size_t v = 0; v < sizeof vectors / sizeof vectors[0]; v++) {
        if (!state.ops->has(state.self, vectors[v].id))
            continue;
        const DvConstVec x = dv_state_read(state, vectors[v].id);
        dv_text_add(out, "%s %s %u:", dv_object_path(object), vectors[v].name, x.count);
        numbers(out, x.at, x.at ? (size_t)x.count * x.dim : 0);
    }
}

static void record_topology(DvText *out, DvObject *object)
{
    const DvTopologyOps *ops = dv_object_ops(object, DV_TOPOLOGY);
    void *self = dv_object_self(object);
    dv_text_add(out, "%s points: %u\n", dv_object_path(object), ops->point_count(self));
    for (DvElementKind kind = DV_EDGES; kind < DV_ELEMENT_KINDS; kind++) {
        const DvElements elements = ops->elements(self, kind);
        dv_text_add(out, "%s elements %d:", dv_object_path(object), (int)kind);
        for (size_t i = 0; i < (size_t)elements.count * dv_element_nodes(kind); i++)
            dv_text_add(out, " %u", elements.at[i]);
        dv_text_add(out, "\n");
    }
}

static void drawn(void *context, const DrawnBatch *batch)
{
    DvText *out = context;
    dv_text_add(out, "draws %s:", drawn_kinds[batch->kind]);
    for (uint32_t i = 0; batch->texts && i < batch->count; i++)
        dv_text_add(out, " '%s'", batch->texts[i]);
    if (batch->screen_text)
        numbers(out, (const double[]){batch->screen_text->corner, batch->screen_text->x, batch->screen_text->y}, 3);
    numbers(out, batch->points, batch->numbers);
    numbers(out, batch->radii, batch->radii ? batch->count : 0);
    numbers(out, (const double[]){batch->size, batch->state}, 2);
    numbers(out, batch->colors, 4 * batch->color_count);
}

static void record_drawing(DvText *out, DvObject *object)
{
    DrawRecorder recorder = draw_recorder(UINT32_MAX, drawn, out);
    dv_text_add(out, "%s ", dv_object_path(object));
    record_drawing_of(&recorder, object);
    dv_text_add(out, "\n");
}

static void record_fields(Record *record, DvObject *object)
{
    for (size_t i = 0; i < dv_object_field_count(object); i++) {
        DvData *data = dv_object_field_at(object, i);
        const bool names_files = data->field->type == &dv_type_file ||
                                 (data->field->type == &dv_type_strings && strstr(data->field->name, "file") != NULL);
        if (data == record->left_out || (record->no_files && names_files))
            continue;
        dv_text_add(&record->text, "%s.%s: ", dv_object_path(object), data->field->name);
        if (data->type->scalar == DV_SCALAR_DOUBLE) {
            const double *at = dv_data_read(data);
            numbers(&record->text, at, data->count * data->type->components);
            continue;
        }
        dv_data_print(data, &record->text);
        dv_text_add(&record->text, "\n");
    }
}

static void record_object(Record *record, DvObject *object)
{
    /* What was looked up on the way is part of the fields, so they come last. */
    if (dv_object_ops(object, DV_STATE))
        record_state(&record->text, object);
    if (dv_object_ops(object, DV_TOPOLOGY))
        record_topology(&record->text, object);
    if (dv_object_ops(object, DV_DRAWABLE))
        record_drawing(&record->text, object);
    record_fields(record, object);
}

static DvVisit record_node(DvNode *node, void *context)
{
    record_object(context, dv_node_object(node));
    DvObject *object;
    for (size_t i = 0; (object = dv_node_member(node, i)); i++)
        record_object(context, object);
    return DV_VISIT_CONTINUE;
}

static void record_scene(Record *record, DvScene *scene, const char *when)
{
    DvNode *root = dv_scene_root(scene);
    dv_text_add(&record->text, "== %s\n", when);
    dv_scene_update_visual(scene);
    const DvMechanicalOperationsOps *ops = dv_service(DV_MECHANICAL_OPERATIONS);
    DvMechanics *mechanics = ops->open(root);
    double momentum[6] = {0};
    ops->momentum(mechanics, momentum);
    dv_text_add(&record->text, "energies %.17g %.17g momentum", ops->kinetic_energy(mechanics),
                ops->potential_energy(mechanics));
    numbers(&record->text, momentum, 6);
    ops->close(mechanics);
    const DvVisitor visitor = {.top_down = record_node, .enters_sleeping = true};
    dv_visit(root, &visitor, record);
}

static void hear(const DvMessage *message, void *context)
{
    Record *record = context;
    /* The line may differ from one run to the other, the path of the object does not. */
    dv_text_add(message->level >= DV_LEVEL_WARNING ? &record->warnings : &record->text, "says %s: %s\n",
                message->path ? message->path : "", message->text);
}

/* ---- scenes as text ---- */

/* The start tag that holds name="it". */
static const char *tag_of_it(const char *text, size_t *length)
{
    *length = 0;
    const char *at = strstr(text, "name=\"it\"");
    if (!at)
        return NULL;
    const char *start = at;
    while (start > text && *start != '<')
        start--;
    const char *end = strchr(at, '>');
    *length = (size_t)(end - start);
    return start;
}

/* A copy of `text` with an attribute of `it` added or replaced. Frees `text`. */
static char *with_attribute(char *text, const char *name, size_t name_length, const char *value, size_t value_length)
{
    size_t length;
    const char *tag = tag_of_it(text, &length);
    DvText out = {0};
    const char *old = NULL, *after;
    for (const char *at = tag; (at = strchr(at, ' ')) && at < tag + length; at++)
        if (strncmp(at + 1, name, name_length) == 0 && strncmp(at + 1 + name_length, "=\"", 2) == 0)
            old = at + 1;
    if (old) {
        after = strchr(old + name_length + 2, '"') + 1;
    } else {
        old = strstr(tag, "name=\"it\"");
        after = old;
    }
    dv_text_add(&out, "%.*s%.*s=\"%.*s\"%s%s", (int)(old - text), text, (int)name_length, name, (int)value_length,
                value, after == old ? " " : "", after);
    free(text);
    return out.at;
}

/* `with` holds attributes as a scene does: a="1" b="2". */
static char *with_attributes(char *text, const char *with)
{
    for (const char *at = with; (at = strchr(at, '='));) {
        const char *name = at;
        while (name > with && name[-1] != ' ')
            name--;
        const char *value = at + 2, *end = strchr(value, '"');
        text = with_attribute(text, name, (size_t)(at - name), value, (size_t)(end - value));
        at = end + 1;
    }
    return text;
}

static char *replaced(char *text, const char *what, const char *by)
{
    DvText out = {0};
    const char *at = text, *found;
    for (; (found = strstr(at, what)); at = found + strlen(what))
        dv_text_add(&out, "%.*s%s", (int)(found - at), at, by);
    dv_text_add(&out, "%s", at);
    free(text);
    return out.at;
}

static char *scene_text(const Row *row, const char *class_name)
{
    char name[256];
    snprintf(name, sizeof name, "%.*s.scn", (int)strcspn(row->scene, "!?"), row->scene);
    char *text = contents(folder, name);
    if (!text)
        return NULL;
    text = with_attributes(replaced(text, "$class", class_name), row->with);
    return replaced(text, "$output", output_file);
}

/* What a comment of the scene asks for after the first step: "set: /path.field value;", "remove: kind element" or
 * "reverse: points". */
static bool act(DvScene *scene, const char *text)
{
    DvNode *root = dv_scene_root(scene);
    const char *at = strstr(text, "set: ");
    if (at) {
        char path[256] = "@", field[64], value[256];
        if (sscanf(at + 5, "%200[^.].%60s %250[^;]", path + 1, field, value) != 3)
            return false;
        DvObject *object = dv_node_resolve(root, NULL, path, NULL);
        if (!object || dv_data_set_text(dv_object_field(object, field), value) != DV_OK)
            return false;
    }
    const bool reverses = strstr(text, "reverse: points") != NULL;
    at = strstr(text, "remove: ");
    if (at || reverses) {
        int kind;
        uint32_t element;
        DvObject *modifier = dv_node_find(root, DV_TOPOLOGY_MODIFIER, DV_SEARCH_DOWN);
        if (!modifier)
            return false;
        const DvTopologyModifierOps *ops = dv_object_ops(modifier, DV_TOPOLOGY_MODIFIER);
        void *self = dv_object_self(modifier);
        if (reverses)
            return ops->renumber_points(self, (const uint32_t[]){2, 1, 0}) == DV_OK;
        if (sscanf(at + 8, "%d %u", &kind, &element) != 2)
            return false;
        return (kind == DV_POINTS ? ops->remove_points(self, 1, &element)
                                  : ops->remove_elements(self, (DvElementKind)kind, 1, &element, true)) == DV_OK;
    }
    return true;
}

static DvObject *it_of(DvScene *scene)
{
    return dv_node_resolve(dv_scene_root(scene), NULL, "@/it", NULL);
}

static DvVisit look_for_it(DvNode *node, void *context)
{
    DvObject **it = context, *object = dv_node_object(node);
    if (strcmp(dv_object_name(object), "it") == 0)
        *it = object;
    for (size_t i = 0; !*it && (object = dv_node_member(node, i)); i++)
        if (strcmp(dv_object_name(object), "it") == 0)
            *it = object;
    return *it ? DV_VISIT_STOP : DV_VISIT_CONTINUE;
}

static DvObject *find_it(DvScene *scene)
{
    DvObject *it = it_of(scene);
    const DvVisitor visitor = {.top_down = look_for_it, .enters_sleeping = true};
    if (!it)
        dv_visit(dv_scene_root(scene), &visitor, &it);
    return it;
}

/* Runs the scene and records it; false when it cannot be loaded or run. `edit`: what a user writes into the field before the first
 * step, or NULL. `value`, if not NULL, gets the field's value at the end, and `initial` its default. */
static bool run(const char *text, const char *field, const char *edit, Record *record, DvText *value, DvText *initial)
{
    DvScene *scene = NULL;
    (void)remove(output_file);
    dv_log_set_handler(hear, record);
    bool good = dv_scene_load_text(text, strlen(text), "scene.scn", folder, NULL, &scene) == DV_OK && scene;
    if (good) {
        DvObject *it = find_it(scene);
        DvData *data = it ? dv_object_field(it, field) : NULL;
        good = data != NULL;
        record->left_out = data;
        record->flags = data ? data->field->flags : 0;
        if (good && edit)
            good = dv_data_set_text(data, edit) == DV_OK && dv_object_reinit(it) == DV_OK;
        int steps = DEFAULT_STEPS;
        const char *asked = strstr(text, "steps: ");
        if (asked)
            steps = atoi(asked + 7);
        if (good)
            record_scene(record, scene, "at the start");
        for (int i = 0; good && i < steps; i++) {
            good = dv_scene_step(scene, 0) == DV_OK;
            if (good && i == 0)
                good = act(scene, text);
        }
        if (good)
            record_scene(record, scene, "at the end");
        if (good && value) {
            dv_data_print(data, value);
            dv_text_add(initial, "%s", data->field->init ? data->field->init : "");
        }
        if (good) {
            dv_scene_reset(scene); /* files that are written are whole now */
            char *written = contents("/", output_file);
            dv_text_add(&record->text, "%s", written ? written : "");
            free(written);
            good = dv_scene_step(scene, 0) == DV_OK;
            record_scene(record, scene, "after a reset and a step");
        }
    }
    if (good && open_writes_take(&record->warnings)) {
        dv_text_add(&record->warnings, "were written, which nobody was told");
        good = false;
    }
    dv_scene_free(scene);
    dv_log_set_handler(NULL, NULL);
    return good;
}

static void free_record(Record *record)
{
    dv_text_free(&record->text);
    dv_text_free(&record->warnings);
}

static const char *first_difference(const char *a, const char *b)
{
    static char line[300];
    size_t start = 0, i = 0;
    for (; a[i] && a[i] == b[i]; i++)
        if (a[i] == '\n')
            start = i + 1;
    snprintf(line, sizeof line, "%.*s | %.*s",
             (int)strcspn(a + start, "\n") > 120 ? 120 : (int)strcspn(a + start, "\n"), a + start,
             (int)strcspn(b + start, "\n") > 120 ? 120 : (int)strcspn(b + start, "\n"), b + start);
    return line;
}

#define text_of(t) ((t).at ? (t).at : "")

/* What a row says of one class and one field. */
typedef struct Claim {
    const Row *row;
    const char *class_name, *field;
} Claim;

static void complain(const Claim *claim, const char *what, const char *more)
{
    dv_text_add(&failures, "\nfields.tsv:%d: %s.%s in %s.scn: %s%s%s", claim->row->line, claim->class_name,
                claim->field, claim->row->scene, what, *more ? ": " : "", more);
}

/* A value that says nothing: empty, or all zeros. */
static bool says_nothing(const char *value)
{
    return strspn(value, " 0.\"[]") == strlen(value);
}

static void prove_output(const Claim *claim, const char *text)
{
    Record record = {0};
    DvText value = {0}, initial = {0};
    const bool runs = run(text, claim->field, NULL, &record, &value, &initial);
    if (!runs)
        complain(claim, "the scene does not run", text_of(record.warnings));
    else if (says_nothing(text_of(value)) || strcmp(text_of(value), text_of(initial)) == 0)
        complain(claim, "is never computed", text_of(value));
    dv_text_free(&value);
    dv_text_free(&initial);
    free_record(&record);
}

static const char *end_of(const Record *record)
{
    const char *end = record->text.at ? strstr(record->text.at, "== at the end") : NULL;
    return end ? end : "";
}

static const Row *row_in(const Table *rows, const char *class_name, const char *field)
{
    for (size_t r = 0; r < rows->count; r++)
        if (listed(rows->at[r].classes, class_name) && listed(rows->at[r].field, field))
            return &rows->at[r];
    return NULL;
}

/* An edit of the loaded scene comes to what the value in the file comes to. */
static void prove_edit(const Claim *claim, const char *text, const Record *before, const Record *after)
{
    const char *value = claim->row->value;
    const uint32_t never = DV_FIELD_AT_LOAD | DV_FIELD_READ_ONLY | DV_FIELD_OUTPUT;
    if (*value == '@' || strstr(value, "$output") || (before->flags & never))
        return;
    Record edited = {0};
    const Row *otherwise = row_in(&edits, claim->class_name, claim->field);
    if (!run(text, claim->field, value, &edited, NULL, NULL))
        complain(claim, "the scene does not run when it is edited", text_of(edited.warnings));
    else if (otherwise && strcmp(end_of(&edited), end_of(after)) == 0)
        complain(claim, "edits.tsv says that an edit acts otherwise than the file, which is not so", "");
    else if (!otherwise && strcmp(end_of(&edited), end_of(before)) == 0)
        complain(claim, "an edit changes nothing", "");
    else if (!otherwise && strcmp(end_of(&edited), end_of(after)) != 0)
        complain(claim, "an edit acts otherwise than the file", first_difference(end_of(after), end_of(&edited)));
    free_record(&edited);
}

static void prove(const Claim *claim)
{
    const Row *row = claim->row;
    const char *field = claim->field;
    char *text = scene_text(row, claim->class_name);
    if (!text) {
        complain(claim, "there is no such scene", "");
        return;
    }
    if (strcmp(row->value, "output") == 0) {
        prove_output(claim, text);
        free(text);
        return;
    }
    const bool about_messages = strchr(row->scene, '!') != NULL, may_warn = strchr(row->scene, '?') != NULL;
    Record before = {0}, after = {0};
    DvText copy = {0};
    dv_text_add(&copy, "%s", text);
    char *changed = with_attribute(copy.at, field, strlen(field), row->value, strlen(row->value));
    changed = replaced(changed, "$output", output_file);
    const bool runs = run(text, field, NULL, &before, NULL, NULL);
    const bool runs_changed = run(changed, field, NULL, &after, NULL, NULL);
    if (!runs)
        complain(claim, "the scene does not run", text_of(before.warnings));
    else if (!about_messages && !runs_changed)
        complain(claim, "the scene does not run when it is changed", text_of(after.warnings));
    else if (about_messages ? strcmp(text_of(before.warnings), text_of(after.warnings)) == 0
                            : !may_warn && (before.warnings.length || after.warnings.length))
        complain(claim, about_messages ? "changes no message" : "warnings",
                 after.warnings.length ? after.warnings.at : text_of(before.warnings));
    else if (!about_messages && strcmp(text_of(before.text), text_of(after.text)) == 0)
        complain(claim, "changes nothing", "");
    else if (getenv("DIVAN_FIELDS_VERBOSE"))
        print_message("%s.%s: %s\n", claim->class_name, field,
                      first_difference(text_of(before.text), text_of(after.text)));
    if (runs && runs_changed && !about_messages && strcmp(end_of(&before), end_of(&after)) != 0)
        prove_edit(claim, text, &before, &after);
    free_record(&before);
    free_record(&after);
    free(text);
    free(changed);
}

static void expect_no_failures(void)
{
    if (!failures.length)
        return;
    puts(failures.at); /* longer than cmocka's own messages may be */
    dv_text_free(&failures);
    fail_msg("some fields do not act");
}

static void a_change_of_each_field_of_the_table_is_seen(void **state)
{
    (void)state;
    const char *only = getenv("DIVAN_FIELDS_ONLY"); /* to look at one class */
    for (size_t r = 0; r < table.count; r++) {
        const Row *row = &table.at[r];
        if (strcmp(row->scene, "-") == 0)
            continue;
        char class_name[128], field[128];
        for (const char *classes = row->classes; next_name(&classes, class_name, sizeof class_name);) {
            if ((only && strcmp(only, class_name) != 0) || library_is_missing(class_name))
                continue;
            for (const char *fields = row->field; next_name(&fields, field, sizeof field);)
                if (is_ours())
                    prove(&(Claim){.row = row, .class_name = class_name, .field = field});
        }
    }
    expect_no_failures();
    assert_true(open_writes_begun() > 0 || parts > 1);
}

/* ---- what a component uses may leave ---- */

static unsigned left, steps_of_silence;

static void hear_who_left(const DvMessage *message, void *context)
{
    (void)context;
    steps_of_silence = 0;
    left += strstr(message->text, "which it needs, has left the scene") != NULL;
}

/* The object number `which` below a node, nodes left out; NULL beyond the last. */
static DvObject *object_number(DvNode *node, size_t *which)
{
    DvObject *object;
    for (size_t i = 0; (object = dv_node_member(node, i)); i++)
        if ((*which)-- == 0)
            return object;
    DvNode *child;
    for (size_t i = 0; (child = dv_node_child(node, i)); i++)
        if ((object = object_number(child, which)))
            return object;
    return NULL;
}

/* The node number `which` below another one; NULL beyond the last. */
static DvObject *node_number(DvNode *node, size_t *which)
{
    DvNode *child;
    for (size_t i = 0; (child = dv_node_child(node, i)); i++) {
        DvObject *found = (*which)-- == 0 ? dv_node_object(child) : node_number(child, which);
        if (found)
            return found;
    }
    return NULL;
}

static bool linked(DvNode *node, const DvObject *target)
{
    DvObject *object;
    bool found = false;
    for (size_t i = 0; (object = dv_node_member(node, i)); i++)
        for (size_t f = 0; f < dv_object_field_count(object); f++) {
            const DvData *field = dv_object_field_at(object, f);
            for (size_t k = 0; field->type == &dv_type_link && k < ((const DvLink *)field)->count; k++)
                found |= ((const DvLink *)field)->objects[k] == target;
        }
    DvNode *child;
    for (size_t i = 0; (child = dv_node_child(node, i)); i++)
        found |= linked(child, target);
    return found;
}

/* A step that does not fail in silence. */
static void attempt(DvScene *scene)
{
    steps_of_silence++;
    if (dv_scene_step(scene, 0) != DV_OK)
        assert_int_equal(steps_of_silence, 0);
}

/* Takes one object or one node out of the running scene; false when there is no such one. */
static bool remove_one(const char *text, size_t number, bool node, size_t *missed)
{
    DvScene *scene = NULL;
    dv_log_set_handler(hear_who_left, NULL);
    if (dv_scene_load_text(text, strlen(text), "scene.scn", folder, NULL, &scene) != DV_OK)
        return false;
    DvNode *root = dv_scene_root(scene);
    DvObject *object = node ? node_number(root, &number) : object_number(root, &number);
    const DvObject *member = node && object ? dv_node_member(dv_object_as_node(object), 0) : NULL;
    const bool there = object != NULL;
    if (there && !dv_object_ops(object, DV_ANIMATION_LOOP)) {
        attempt(scene);
        left = 0;
        dv_object_ref(object);
        dv_object_remove(object);
        assert_false(linked(root, object) || (member && linked(root, member)));
        dv_object_unref(object);
        attempt(scene);
        const unsigned said = left;
        attempt(scene);
        dv_scene_update_visual(scene);
        dv_scene_reset(scene);
        attempt(scene);
        assert_int_equal(left, said); /* once each */
        *missed += said > 0;
    }
    dv_scene_free(scene);
    dv_log_set_handler(NULL, NULL);
    return there;
}

static void any_object_or_node_may_leave_a_running_scene(void **state)
{
    (void)state;
    size_t missed = 0, removed = 0;
    for (size_t r = 0; r < table.count; r++) {
        const Row *row = &table.at[r];
        const bool link = *row->value == '@',
                   same = r > 0 && strcmp(row->scene, row[-1].scene) == 0 && strcmp(row->classes, row[-1].classes) == 0;
        if (strcmp(row->scene, "-") == 0 || strchr(row->scene, '!') || (same && !link))
            continue;
        char class_name[128];
        for (const char *classes = row->classes; next_name(&classes, class_name, sizeof class_name);) {
            if (!is_ours())
                continue;
            char *text = scene_text(row, class_name);
            if (text && link)
                text = with_attribute(text, row->field, strlen(row->field), row->value, strlen(row->value));
            for (size_t number = 0; text && remove_one(text, number, false, &missed); number++)
                removed++;
            for (size_t number = 0; text && remove_one(text, number, true, &missed); number++)
                removed++;
            free(text);
        }
    }
    assert_true(removed > 300 / parts);
    assert_true(missed > 100 / parts);
}

/* ---- runs that go on ---- */

enum { BEFORE = 2, AFTER = 2 }; /* steps: the scene is saved in between */

static bool run_steps(DvScene *scene, const char *text, int from, int to)
{
    bool good = true;
    for (int i = from; good && i < to; i++)
        good = dv_scene_step(scene, 0) == DV_OK && (i > 0 || act(scene, text));
    return good;
}

static char *saved_text(DvScene *scene)
{
    return dv_scene_save(scene, saved_file) == DV_OK ? contents("/", saved_file) : NULL;
}

/* How it runs otherwise, or NULL. */
static const char *found_otherwise(DvScene *scene, const Record *expected)
{
    Record record = {.no_files = true};
    record_scene(&record, scene, "");
    const bool same = strcmp(text_of(record.text), text_of(expected->text)) == 0;
    const char *difference = same ? NULL : first_difference(text_of(expected->text), text_of(record.text));
    free_record(&record);
    return difference;
}

static const char broken[] = "it does not run";

/* The steps after the middle are made once more by a scene that goes back to it. */
static const char *goes_back_otherwise(const char *text, DvMoment *moment, DvScene *scene, const Record *expected)
{
    static char difference[400];
    const bool runs = dv_moment_restore(moment) == DV_OK && run_steps(scene, text, BEFORE, BEFORE + AFTER);
    const char *found = runs ? found_otherwise(scene, expected) : broken;
    if (found)
        snprintf(difference, sizeof difference, "once it has gone back to a moment: %s", found);
    return found ? difference : NULL;
}

/* By one that is restarted from a checkpoint. */
static const char *restarts_otherwise(const char *text, const Record *expected)
{
    static char difference[400];
    DvScene *scene = NULL;
    const bool runs = dv_scene_load_text(text, strlen(text), "scene.scn", folder, NULL, &scene) == DV_OK &&
                      dv_checkpoint_read(scene, checkpoint_file) == DV_OK &&
                      run_steps(scene, text, BEFORE, BEFORE + AFTER);
    const char *found = runs ? found_otherwise(scene, expected) : broken;
    if (found)
        snprintf(difference, sizeof difference, "when it is restarted: %s", found);
    dv_scene_free(scene);
    return found ? difference : NULL;
}

/* Saved in the middle, loaded, saved again, reset, taken back, restarted: each run is like one that nobody has stopped. What is
 * otherwise, or NULL. */
static const char *goes_on_otherwise(const char *text, DvScene *scenes[3], DvMoment **moment, bool *by_reset)
{
    const char *difference = NULL;
    for (int i = 0; i < 2; i++)
        if (dv_scene_load_text(text, strlen(text), "scene.scn", folder, NULL, &scenes[i]) != DV_OK ||
            !run_steps(scenes[i], text, 0, BEFORE))
            return broken;
    char *first = saved_text(scenes[1]), *second = NULL;
    if (first && dv_scene_load(saved_file, NULL, &scenes[2]) == DV_OK)
        second = saved_text(scenes[2]);
    if (!second)
        difference = broken;
    else if (strcmp(first, second) != 0)
        difference = first_difference(first, second);
    free(first);
    free(second);
    *moment = dv_moment_new(scenes[1]);
    if (!difference && (dv_moment_take(*moment) != DV_OK || dv_checkpoint_write(scenes[1], checkpoint_file) != DV_OK))
        difference = broken;
    for (int i = 0; !difference && i < 3; i++)
        difference = run_steps(scenes[i], text, BEFORE, BEFORE + AFTER) ? NULL : broken;
    if (difference)
        return difference;
    Record expected = {.no_files = true};
    record_scene(&expected, scenes[0], "");
    for (int i = 1; !difference && i < 3; i++)
        difference = found_otherwise(scenes[i], &expected);
    for (int i = 0; !difference && i < 2; i++)
        difference = goes_back_otherwise(text, *moment, scenes[1], &expected);
    if (!difference)
        difference = restarts_otherwise(text, &expected);
    for (int i = 1; !difference && i < 3; i++) {
        dv_scene_reset(scenes[i]);
        difference = run_steps(scenes[i], text, 0, BEFORE + AFTER) ? found_otherwise(scenes[i], &expected) : broken;
        *by_reset = difference != NULL;
    }
    free_record(&expected);
    return difference;
}

static void expect_goes_on(const Claim *claim, const char *text)
{
    DvScene *scenes[3] = {0};
    Record said = {0};
    dv_log_set_handler(hear, &said);
    DvMoment *moment = NULL;
    bool by_reset = false;
    const char *difference = goes_on_otherwise(text, scenes, &moment, &by_reset);
    dv_moment_free(moment);
    for (int i = 0; i < 3; i++)
        dv_scene_free(scenes[i]);
    dv_log_set_handler(NULL, NULL);
    const Row *otherwise = row_in(&goes_on, claim->class_name, claim->field);
    const bool rounding = otherwise && strncmp(otherwise->scene, "rounding: ", 10) == 0,
               kept = otherwise && strncmp(otherwise->scene, "kept by a reset: ", 17) == 0;
    if (otherwise && !rounding && !kept)
        complain(claim, "goes_on.tsv gives a reason that is none", otherwise->scene);
    else if (difference && !rounding && !(kept && by_reset))
        complain(claim, "a run that is saved, loaded or reset is another", difference);
    else if (!difference && kept)
        complain(claim, "goes_on.tsv says that it runs otherwise when it is reset, which is not so", "");
    free_record(&said);
}

/* Values of fields, not links: a scene that is linked otherwise may have states that several things move. */
static void a_scene_goes_on_when_it_is_loaded_or_reset(void **state)
{
    (void)state;
    const char *only = getenv("DIVAN_FIELDS_ONLY");
    for (size_t r = 0; r < table.count; r++) {
        const Row *row = &table.at[r];
        if (strcmp(row->scene, "-") == 0 || strchr(row->scene, '!') || *row->value == '@' ||
            strstr(row->value, "$output"))
            continue;
        char class_name[128], field[128];
        const char *fields = row->field;
        (void)next_name(&fields, field, sizeof field);
        for (const char *classes = row->classes; next_name(&classes, class_name, sizeof class_name);) {
            if ((only && strcmp(only, class_name) != 0) || library_is_missing(class_name) || !is_ours())
                continue;
            char *text = scene_text(row, class_name);
            if (text && strcmp(row->value, "output") != 0)
                text = with_attribute(text, field, strlen(field), row->value, strlen(row->value));
            expect_goes_on(&(Claim){.row = row, .class_name = class_name, .field = field}, text);
            free(text);
        }
    }
    expect_no_failures();
}

/* ---- what follows a field ---- */

/* Of each field of an object another one that follows it, of the same object. */
static DvVisit follow_all(DvNode *node, void *context)
{
    (void)context;
    DvObject *object = dv_node_object(node);
    for (size_t i = 0; object; object = dv_node_member(node, i++)) {
        const size_t count = dv_object_field_count(object);
        for (size_t f = 0; f < count; f++) {
            DvData *field = dv_object_field_at(object, f);
            char name[32];
            snprintf(name, sizeof name, "follower%zu", f);
            DvData *follower = dv_object_add_field(object, &(DvField){.name = name, .type = field->field->type});
            if (field->field->type != &dv_type_link && follower)
                (void)dv_data_link(follower, field);
        }
    }
    return DV_VISIT_CONTINUE;
}

typedef struct Following {
    const Claim *claim;
    size_t count; /* fields that have been followed */
} Following;

static DvVisit check_followers(DvNode *node, void *context)
{
    Following *following = context;
    DvObject *object = dv_node_object(node);
    for (size_t i = 0; object; object = dv_node_member(node, i++)) {
        const size_t count = dv_object_field_count(object) / 2;
        for (size_t f = 0; f < count && dv_object_field(object, "follower0"); f++) {
            DvData *field = dv_object_field_at(object, f), *follower = dv_object_field_at(object, count + f);
            if (dv_data_parent(follower) != field)
                continue;
            following->count++;
            if (!dv_data_equal(field, follower))
                complain(following->claim, "what follows a field has another value", field->field->name);
        }
    }
    return DV_VISIT_CONTINUE;
}

static void what_follows_a_field_has_its_value(void **state)
{
    (void)state;
    Following following = {0};
    for (size_t r = 0; r < table.count; r++) {
        const Row *row = &table.at[r];
        if (strcmp(row->scene, "-") == 0 || strchr(row->scene, '!') ||
            (r > 0 && strcmp(row->scene, row[-1].scene) == 0 && strcmp(row->classes, row[-1].classes) == 0))
            continue;
        char class_name[128];
        for (const char *classes = row->classes; next_name(&classes, class_name, sizeof class_name);) {
            if (!is_ours())
                continue;
            const Claim claim = {.row = row, .class_name = class_name, .field = row->field};
            char *text = scene_text(row, class_name);
            DvScene *scene = NULL;
            Record said = {0};
            dv_log_set_handler(hear, &said);
            following.claim = &claim;
            if (text && dv_scene_load_text(text, strlen(text), "scene.scn", folder, NULL, &scene) == DV_OK) {
                dv_visit(dv_scene_root(scene), &(const DvVisitor){.top_down = follow_all, .enters_sleeping = true},
                         NULL);
                for (int i = -1; i < 4; i++) { /* first as it is after loading */
                    if (i == 3)
                        dv_scene_reset(scene);
                    else if (i >= 0 && !run_steps(scene, text, i, i + 1))
                        break;
                    dv_visit(dv_scene_root(scene),
                             &(const DvVisitor){.top_down = check_followers, .enters_sleeping = true}, &following);
                }
            }
            dv_scene_free(scene);
            dv_log_set_handler(NULL, NULL);
            free_record(&said);
            free(text);
        }
    }
    assert_true(following.count > 10000 / parts);
    expect_no_failures();
}

/* ---- completeness ---- */

/* What the kernel holds does nothing, as no component can see it: it needs no row. */
static bool has_field(const DvField *fields, const char *name)
{
    const DvField *field = fields;
    while (field && field->name && strcmp(field->name, name) != 0)
        field++;
    return field && field->name && field->offset != DV_HELD;
}

/* "Node" is not a class that a plugin offers. */
static const DvClass *class_named(const char *name)
{
    static const DvClass *node;
    if (!node) {
        DvScene *scene = dv_scene_new();
        node = dv_object_class(dv_node_object(dv_scene_root(scene)));
        dv_scene_free(scene);
    }
    return strcmp(name, node->name) == 0 ? node : dv_class_find(name);
}

static void expect_rows(const DvClass *cls)
{
    for (const DvField *field = cls->fields; field && field->name; field++)
        if (field->offset != DV_HELD && !(field->flags & (DV_FIELD_DRAWING | DV_FIELD_HIDDEN | DV_FIELD_STATE)) &&
            !row_in(&table, cls->name, field->name))
            dv_text_add(&failures, "\n%s.%s has no row in fields.tsv", cls->name, field->name);
}

static void the_table_has_every_field_of_every_class(void **state)
{
    (void)state;
    expect_rows(class_named("Node"));
    for (size_t c = 0; c < dv_class_count(); c++)
        expect_rows(dv_class_at(c));
    for (const DvField *field = dv_common_fields(); field->name; field++) {
        size_t r = 0;
        while (r < table.count && !listed(table.at[r].field, field->name))
            r++;
        if (r == table.count)
            dv_text_add(&failures, "\n%s, a field of every object, has no row in fields.tsv", field->name);
    }
    expect_no_failures();
}

static void the_table_has_nothing_that_is_not_there(void **state)
{
    (void)state;
    for (size_t r = 0; r < table.count; r++) {
        const Row *row = &table.at[r];
        if (!*row->value)
            dv_text_add(&failures, "\nfields.tsv:%d: a row has at least four cells", row->line);
        char class_name[128], field[128];
        for (const char *classes = row->classes; next_name(&classes, class_name, sizeof class_name);) {
            const DvClass *cls = class_named(class_name);
            if (!cls || strcmp(cls->name, class_name) != 0)
                dv_text_add(&failures, "\nfields.tsv:%d: there is no class %s", row->line, class_name);
            for (const char *fields = row->field; cls && next_name(&fields, field, sizeof field);)
                if (!has_field(cls->fields, field) && !has_field(dv_common_fields(), field))
                    dv_text_add(&failures, "\nfields.tsv:%d: %s has no field %s that could act", row->line, class_name,
                                field);
        }
    }
    expect_no_failures();
}

/* ---- defaults ---- */

static bool is_within(const DvRange *range, double number)
{
    return (range->above ? number > range->least : number >= range->least) &&
           (range->below ? number < range->most : number <= range->most);
}

static bool is_chosen(const DvField *field)
{
    const char *const *choice = field->choices;
    while (*choice && strcmp(*choice, field->init) != 0)
        choice++;
    return *choice != NULL;
}

static void every_default_is_in_its_range(void **state)
{
    (void)state;
    size_t checked = 0;
    for (size_t c = 0; c < dv_class_count(); c++) {
        const DvClass *cls = dv_class_at(c);
        for (const DvField *field = cls->fields; field && field->name; field++) {
            if (!field->init || (!field->range && !field->choices))
                continue;
            checked++;
            bool good = !field->choices || is_chosen(field);
            char *rest = NULL;
            for (const char *at = field->init; good && field->range && *at; at = rest) {
                const double number = strtod(at, &rest);
                good = rest != at && is_within(field->range, number);
            }
            if (!good)
                dv_text_add(&failures, "\n%s.%s: its default '%s' is not one of its values", cls->name, field->name,
                            field->init);
        }
    }
    assert_true(checked > 200);
    expect_no_failures();
}

static unsigned refusals;

static void hear_errors(const DvMessage *message, void *context)
{
    if (message->level < DV_LEVEL_ERROR)
        return;
    refusals++;
    dv_text_add(context, "%s ", message->text);
}

/* Errors when the scene is loaded and makes a step. */
static unsigned errors_of(const char *text, DvText *said)
{
    DvScene *scene = NULL;
    refusals = 0;
    (void)remove(output_file);
    dv_log_set_handler(hear_errors, said);
    const bool loaded = dv_scene_load_text(text, strlen(text), "scene.scn", folder, NULL, &scene) == DV_OK && scene;
    refusals += !loaded || dv_scene_step(scene, 0) != DV_OK;
    dv_scene_free(scene);
    dv_log_set_handler(NULL, NULL);
    return refusals;
}

static const char *default_of(const char *class_name, const char *name)
{
    const DvField *field = class_named(class_name)->fields;
    while (field && field->name && strcmp(field->name, name) != 0)
        field++;
    const uint32_t computed = DV_FIELD_OUTPUT | DV_FIELD_STATE | DV_FIELD_READ_ONLY;
    return field && field->name && !(field->flags & computed) ? field->init : NULL;
}

/* A scene in which the field acts takes its default too, when that is written down. */
static void check_default(const Claim *claim, const char *value)
{
    char *text = scene_text(claim->row, claim->class_name);
    if (!text)
        return;
    DvText said = {0};
    const unsigned before = errors_of(text, &said);
    dv_text_free(&said);
    text = with_attribute(text, claim->field, strlen(claim->field), value, strlen(value));
    said = (DvText){0};
    if (errors_of(text, &said) > before)
        complain(claim, "its default is refused", text_of(said));
    dv_text_free(&said);
    free(text);
}

static void no_class_refuses_the_default_of_a_field(void **state)
{
    (void)state;
    size_t checked = 0;
    for (size_t r = 0; r < table.count; r++) {
        const Row *row = &table.at[r];
        char class_name[128], field[128];
        for (const char *classes = row->classes;
             strcmp(row->scene, "-") != 0 && next_name(&classes, class_name, sizeof class_name);)
            for (const char *fields = row->field; next_name(&fields, field, sizeof field);) {
                const char *value = default_of(class_name, field);
                if (!value || !is_ours())
                    continue;
                check_default(&(Claim){.row = row, .class_name = class_name, .field = field}, value);
                checked++;
            }
    }
    assert_true(checked > 500 / parts);
    expect_no_failures();
}

/* ---- drawing fields ---- */

static void other_value(const DvField *field, const DvType *type, DvText *out)
{
    if (type == &dv_type_choice) {
        const char *const *choice = field->choices;
        while (choice[1])
            choice++;
        dv_text_add(out, "%s", *choice);
        return;
    }
    for (uint32_t i = 0; i < type->components; i++) {
        dv_text_add(out, "%s", i ? " " : "");
        switch (type->scalar) {
        case DV_SCALAR_BOOL:
            dv_text_add(out, "%s", field->init && strcmp(field->init, "1") == 0 ? "false" : "true");
            break;
        case DV_SCALAR_INT:
        case DV_SCALAR_UINT:
            dv_text_add(out, "%u", 3 + i);
            break;
        case DV_SCALAR_DOUBLE:
            dv_text_add(out, "0.%u25", 1 + i);
            break;
        default:
            dv_text_add(out, "other");
            break;
        }
    }
}

static void check_drawing_field(DvNode *node, const DvClass *cls, const DvField *field)
{
    DvObject *object = NULL;
    if (dv_object_new(node, cls->name, &object, (char *)NULL) != DV_OK) {
        dv_text_add(&failures, "\n%s cannot be made", cls->name);
        return;
    }
    DvData *data = dv_object_field(object, field->name);
    DvText wanted = {0}, printed = {0};
    other_value(field, data->type, &wanted);
    if (dv_data_set_text(data, wanted.at) != DV_OK) {
        dv_text_add(&failures, "\n%s.%s cannot be set to '%s'", cls->name, field->name, wanted.at);
    } else {
        dv_data_print(data, &printed);
        if (strcmp(text_of(printed), wanted.at) != 0)
            dv_text_add(&failures, "\n%s.%s was set to '%s' and holds '%s'", cls->name, field->name, wanted.at,
                        text_of(printed));
    }
    dv_text_free(&wanted);
    dv_text_free(&printed);
    dv_object_remove(object);
}

static void fields_of_drawing_hold_their_value(void **state)
{
    (void)state;
    static const char *const surroundings[][2] = {
        {"MechanicalObject", "Vec3d"}, {"MechanicalObject", "Rigid3d"}, {"MechanicalObject", "Rigid2d"}};
    size_t checked = 0;
    for (size_t c = 0; c < dv_class_count(); c++) {
        const DvClass *cls = dv_class_at(c);
        for (const DvField *field = cls->fields; field && field->name; field++) {
            if (!(field->flags & DV_FIELD_DRAWING))
                continue;
            DvScene *scene = dv_scene_new();
            DvNode *node = dv_scene_root(scene);
            const char *variants = cls->variants ? cls->variants : "";
            for (size_t s = 0; s < sizeof surroundings / sizeof surroundings[0]; s++)
                if ((!*variants || strstr(variants, surroundings[s][1])) &&
                    strcmp(cls->name, surroundings[s][0]) != 0) {
                    assert_int_equal(
                        dv_object_new(node, surroundings[s][0], NULL, "template", surroundings[s][1], (char *)NULL),
                        DV_OK);
                    break;
                }
            if (cls->variant_rule == DV_VARIANT_OF_EACH) { /* the second state of the first variant: the child's */
                const char *second = variants + strcspn(variants, ",") + 1;
                char child[16] = "";
                (void)snprintf(child, sizeof child, "%.*s", (int)strcspn(second, " "), second);
                node = dv_node_new(node, "child");
                assert_int_equal(dv_object_new(node, "MechanicalObject", NULL, "template", child, (char *)NULL), DV_OK);
            }
            check_drawing_field(node, cls, field);
            checked++;
            dv_scene_free(scene);
        }
    }
    assert_true(checked > 100);
    expect_no_failures();
}

int main(int argc, char **argv)
{
    if (argc == 3) {
        part = strtoul(argv[1], NULL, 10);
        parts = strtoul(argv[2], NULL, 10);
    }
    if (part >= parts || dv_set_output_folder("/tmp") != DV_OK) /* where scenes write here */
        return 1;
    const struct CMUnitTest once[] = {
        cmocka_unit_test(the_table_has_nothing_that_is_not_there),
        cmocka_unit_test(the_table_has_every_field_of_every_class),
        cmocka_unit_test(every_default_is_in_its_range),
        cmocka_unit_test(fields_of_drawing_hold_their_value),
    };
    const struct CMUnitTest by_parts[] = {
        cmocka_unit_test(no_class_refuses_the_default_of_a_field),
        cmocka_unit_test(any_object_or_node_may_leave_a_running_scene),
        cmocka_unit_test(what_follows_a_field_has_its_value),
        cmocka_unit_test(a_scene_goes_on_when_it_is_loaded_or_reset),
        cmocka_unit_test(a_change_of_each_field_of_the_table_is_seen),
    };
    if (getenv("DIVAN_FIELDS_ONLY"))
        cmocka_set_test_filter("a_*"); /* those that look at one class */
    if (read_tables() != 0)
        return 1;
    const bool first = part == 0;
    unsigned turn, days; /* of a part its share of the day */
    share_read(&turn, &days);
    part = part * days + turn % days;
    parts *= days;
    int failed = first ? cmocka_run_group_tests(once, NULL, NULL) : 0;
    failed += cmocka_run_group_tests(by_parts, NULL, NULL);
    stop();
    return failed;
}
