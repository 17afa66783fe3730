/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * divan check: every problem of a scene at once, as a compiler would list them, and what components report of what they will do
 * (contracts/report.h). Runs nothing.
 */
#include "host.h"

#include <string.h>

#include <divan/contracts/picture.h>
#include <divan/contracts/report.h>

typedef struct Problems {
    gboolean json;
    bool starting; /* plugins: what is wrong with one that nobody asks for is no problem of the scene */
    unsigned errors, warnings;
    GString *list;  /* JSON objects */
    GString *notes; /* the same, of reports */
} Problems;

static void add_string(GString *json, const char *key, const char *value)
{
    if (!value)
        return;
    g_string_append_printf(json, "%s\"%s\": \"", json->str[json->len - 1] == '{' ? "" : ", ", key);
    for (const char *c = value; *c; c++) {
        if (*c == '"' || *c == '\\')
            g_string_append_printf(json, "\\%c", *c);
        else if ((unsigned char)*c < 0x20)
            g_string_append_printf(json, "\\u%04x", (unsigned)(unsigned char)*c);
        else
            g_string_append_c(json, *c);
    }
    g_string_append_c(json, '"');
}

static void add_number(GString *json, const char *key, int value)
{
    if (value > 0)
        g_string_append_printf(json, ", \"%s\": %d", key, value);
}

static void collect(const DvMessage *message, void *context)
{
    Problems *problems = context;
    if (message->level < DV_LEVEL_WARNING)
        return;
    if (problems->starting && message->level == DV_LEVEL_WARNING) {
        DvText line = {0};
        dv_message_print(message, &line);
        fprintf(stderr, "warning: %s\n", line.at);
        dv_text_free(&line);
        return;
    }
    const char *level = message->level == DV_LEVEL_ERROR ? "error" : "warning";
    *(message->level == DV_LEVEL_ERROR ? &problems->errors : &problems->warnings) += 1;
    if (!problems->json) {
        DvText line = {0};
        dv_message_print(message, &line);
        printf("%s: %s\n", level, line.at);
        dv_text_free(&line);
        return;
    }
    if (problems->list->len)
        g_string_append(problems->list, ",\n  ");
    g_string_append_c(problems->list, '{');
    add_string(problems->list, "level", level);
    if (message->level == DV_LEVEL_ERROR)
        add_string(problems->list, "kind", dv_status_name(message->status));
    else
        add_string(problems->list, "changes_results", message->harmless ? "no" : "yes");
    add_string(problems->list, "file", message->file);
    add_number(problems->list, "line", message->line);
    add_number(problems->list, "column", message->column);
    add_string(problems->list, "component", message->component);
    add_string(problems->list, "name", message->name);
    add_string(problems->list, "path", message->path);
    add_string(problems->list, "field", message->field);
    add_string(problems->list, "text", message->text);
    g_string_append_c(problems->list, '}');
}

/* A line that a component reports. */
typedef struct Reporter {
    Problems *problems;
    const DvObject *object;
} Reporter;

static void collect_line(void *context, const char *text)
{
    const Reporter *reporter = context;
    const char *path = dv_object_path(reporter->object);
    GString *notes = reporter->problems->notes;
    if (!reporter->problems->json) {
        printf("note: %s: %s\n", path, text);
        return;
    }
    g_string_append(notes, notes->len ? ",\n  {" : "{");
    add_string(notes, "component", dv_object_class(reporter->object)->name);
    add_string(notes, "path", path);
    add_string(notes, "text", text);
    g_string_append_c(notes, '}');
}

static DvVisit collect_reports(DvNode *node, void *problems)
{
    DvObject *object;
    for (size_t i = 0; (object = dv_node_member(node, i)); i++) {
        const DvReportOps *ops = dv_object_ops(object, DV_REPORT);
        Reporter reporter = {problems, object};
        if (ops && dv_object_is_valid(object))
            ops->report(dv_object_self(object), collect_line, &reporter);
    }
    return DV_VISIT_CONTINUE;
}

/* What is wrong with the inputs of an engine is said when it is read, though nobody does so in a run. */
static DvVisit read_outputs(DvNode *node, void *nothing)
{
    (void)nothing;
    DvObject *object;
    for (size_t i = 0; (object = dv_node_member(node, i)); i++)
        for (size_t k = 0; k < dv_object_field_count(object) && dv_object_is_valid(object); k++) {
            DvData *data = dv_object_field_at(object, k);
            if (data->field->flags & DV_FIELD_OUTPUT)
                (void)dv_data_read(data);
        }
    return DV_VISIT_CONTINUE;
}

static void drop(const DvMessage *message, void *context)
{
    (void)message, (void)context;
}

/* Nothing of the scene is shown by itself as it begins. Only asked where a plugin records pictures. */
static bool shows_nothing(DvScene *scene)
{
    const DvPictureRecorderOps *ops = dv_service(DV_PICTURE_RECORDER);
    if (!ops)
        return false;
    DvRecorder *recorder = ops->create(scene);
    DvPicture *picture = ops->record(recorder, NULL);
    const bool nothing = picture->surface_count + picture->batch_count + picture->text_count == 0;
    ops->unref(picture);
    ops->destroy(recorder);
    return nothing;
}

/* A note, no problem: many scenes are only computed. */
static void note_if_nothing_is_shown(DvScene *scene, Problems *problems)
{
    dv_log_set_handler(drop, NULL);
    const bool nothing = shows_nothing(scene);
    dv_log_set_handler(collect, problems);
    if (nothing)
        collect_line(
            &(Reporter){problems, dv_node_object(dv_scene_root(scene))},
            "the scene shows nothing by itself, so pictures are of its bodies: add a visual model (OglModel), or show what "
            "is there, for instance <VisualStyle displayFlags=\"showBehavior showCollisionModels\"/>");
}

/* What a device will hold and move, as far as that is known beforehand. */
static void note_device_use(const Options *options, DvScene *scene, Problems *problems)
{
    DvText line = {0};
    dv_log_set_handler(drop, NULL);
    const bool known = host_predict_device_use(options, &line);
    dv_log_set_handler(collect, problems);
    if (known)
        collect_line(&(Reporter){problems, dv_node_object(dv_scene_root(scene))}, line.at);
    dv_text_free(&line);
}

static int check(const Options *options)
{
    Problems problems = {.json = options->json, .list = g_string_new(NULL), .notes = g_string_new(NULL)};
    dv_log_set_handler(collect, &problems);
    problems.starting = true;
    const DvStatus started = host_start(options);
    problems.starting = false;
    if (!host_use_device(options)) {
        dv_log_set_handler(NULL, NULL);
        g_string_free(problems.list, TRUE);
        g_string_free(problems.notes, TRUE);
        return EXIT_FAULT;
    }
    host_only_count_device();
    const DvLoadOptions load = {.keep_going = true, .check_only = true};
    DvScene *scene = NULL;
    const DvStatus status = host_read_scene(options, &load, &scene);
    if (scene) {
        dv_visit(dv_scene_root(scene), &(const DvVisitor){.top_down = read_outputs, .enters_sleeping = true}, NULL);
        dv_visit(dv_scene_root(scene), &(const DvVisitor){.top_down = collect_reports, .enters_sleeping = true},
                 &problems);
    }
    if (scene && status == DV_OK && problems.errors == 0)
        note_if_nothing_is_shown(scene, &problems);
    if (scene && problems.errors == 0 && host_uses_device(scene))
        note_device_use(options, scene, &problems);
    dv_scene_free(scene);
    dv_log_set_handler(NULL, NULL);
    const unsigned count = problems.errors + problems.warnings;
    if (options->json)
        printf("{\"errors\": %u, \"warnings\": %u, \"problems\": [%s%s%s], \"notes\": [%s%s%s]}\n", problems.errors,
               problems.warnings, count ? "\n  " : "", problems.list->str, count ? "\n" : "",
               problems.notes->len ? "\n  " : "", problems.notes->str, problems.notes->len ? "\n" : "");
    else if (count)
        printf("%s: %u error%s, %u warning%s\n", host_scene_name(options), problems.errors,
               problems.errors == 1 ? "" : "s", problems.warnings, problems.warnings == 1 ? "" : "s");
    else
        printf("%s: no problem found\n", host_scene_name(options));
    g_string_free(problems.list, TRUE);
    g_string_free(problems.notes, TRUE);
    return count || started != DV_OK || status != DV_OK ? EXIT_FAULT : EXIT_DONE;
}

const Command command_check = {
    .name = "check",
    .arguments = "SCENE",
    .summary = "report all problems of a scene at once; runs nothing",
    .description =
        "Unknown names come with the closest known one. Notes describe effects of several components\n"
        "together: for example which models can touch, and the method that finds their contacts; with --device also the\n"
        "memory there, and what a step moves.\n"
        "The exit status is 1 if there is any problem.",
    .positional = 1,
    .options = "json device no-gpu",
    .starts_plugins = true,
    .run = check,
};
