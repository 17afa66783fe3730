/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * --input of divan run: what is done to a scene between its steps, from a session file of divan-view (docs/viewer.md), and lines of mouse and haptic
 * devices beside:
 *
 *   divan-session 1
 *   12 edit "/Beam/elasticity.youngModulus" "2000000"
 *   12 key 1 52                                      pressed (0: released), and which; if need be what is held: 1 Shift, 2 Control, 4 Alt
 *   15 mouse pressed left 0 0                        moved, pressed, released, wheel; none, left, middle, right; to the right, down
 *   16 mouse moved left 7 -3
 *   17 device "/arm" 0.01 0 0.02 0 0 0 1             where a haptic device is to be: a place of the scene, if need be how it is turned
 *   18 button "/arm" 1 0                             pressed (0: released), and which of its buttons
 *   20 forces 0                                      no haptic device pushes any more (1: they do again)
 *   100 end 83d1b6a5e3a1c2f0                         the states then, if they are to be compared
 */
#include "host.h"

#include "quoted.h"

#include <math.h>
#include <string.h>

#include <divan/contracts/haptic_device.h>
#include <divan/embed.h>
#include <divan/input.h>
#include <divan/plugin.h>

typedef enum InputKind {
    INPUT_EDIT,
    INPUT_ELEMENT,
    INPUT_DELETE,
    INPUT_DEVICE,
    INPUT_BUTTON,
    INPUT_KEY,
    INPUT_FORCES,
    INPUT_MOUSE,
    INPUT_RESET,
    INPUT_END
} InputKind;

typedef struct InputLine {
    uint64_t step; /* steps made before it */
    uint64_t hash; /* of the end */
    InputKind kind;
    guint line;
    char *path, *text;
    double numbers[7];
    DvMouseEvent mouse;
} InputLine;

struct Input {
    const char *file;
    GArray *lines; /* InputLine */
    guint next;
    uint64_t start;
    bool has_head, has_start;
};

static void line_clear(gpointer line)
{
    g_free(((InputLine *)line)->path);
    g_free(((InputLine *)line)->text);
}

void host_input_free(Input *input)
{
    if (input)
        g_array_free(input->lines, TRUE);
    g_free(input);
}

/* ---- Reading ---- */

/* Which of the words comes next; -1: none of them. */
static int read_word(const char **at, const char *const *words)
{
    const char *begin = *at + strspn(*at, " ");
    const size_t length = strcspn(begin, " ");
    for (int i = 0; words[i]; i++)
        if (strlen(words[i]) == length && strncmp(words[i], begin, length) == 0) {
            *at = begin + length;
            return i;
        }
    return -1;
}

static bool read_hash(const char *text, uint64_t *hash)
{
    guint64 number = 0;
    const bool good = g_ascii_string_to_unsigned(text, 16, 0, G_MAXUINT64, &number, NULL);
    *hash = number;
    return good;
}

static bool read_numbers(const char **at, double *numbers, int count)
{
    for (int i = 0; i < count; i++)
        if (!dv_read_double(at, &numbers[i]) || !(fabs(numbers[i]) <= INT32_MAX))
            return false;
    return true;
}

static const char *read_mouse(const char **at, InputLine *line)
{
    static const char *const changes[] = {"moved", "pressed", "released", "wheel", NULL};
    static const char *const buttons[] = {"none", "left", "middle", "right", NULL};
    const int change = read_word(at, changes), button = change >= 0 ? read_word(at, buttons) : -1;
    double way[2];
    if (button < 0 || !read_numbers(at, way, 2))
        return "expected mouse, then moved, pressed, released or wheel, then none, left, middle or right, then two whole "
               "numbers";
    line->mouse = (DvMouseEvent){
        .move = {(int32_t)way[0], (int32_t)way[1]}, .change = (DvMouseChange)change, .button = (DvPressedButton)button};
    return NULL;
}

/* Places and, if need be, a quaternion. */
static const char *read_device(const char **at, InputLine *line)
{
    const double *turn = line->numbers + 3;
    line->numbers[6] = 1.0;
    if (!read_numbers(at, line->numbers, 3) || ((*at)[strspn(*at, " ")] && !read_numbers(at, line->numbers + 3, 4)) ||
        turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2] + turn[3] * turn[3] < 1e-12)
        return "expected x y z, and a quaternion if the device turns";
    return NULL;
}

static bool is_button(const double numbers[2])
{
    return (numbers[0] == 0.0 || numbers[0] == 1.0) && numbers[1] >= 0.0 && numbers[1] <= 31.0 &&
           numbers[1] == floor(numbers[1]);
}

static const char *read_what(const char *at, InputLine *line)
{
    static const char *const kinds[] = {"edit",   "element", "delete", "device", "button", "key",
                                        "forces", "mouse",   "reset",  "end",    NULL};
    static const char *const of_view[] = {"activate", "grab", "drag", "release", "viewpoint", "navigate", "undo", NULL};
    const char *ahead = at;
    const int kind = read_word(&at, kinds);
    if (kind < 0)
        return read_word(&ahead, of_view) >= 0
                   ? "this needs a window: `divan-view --replay` repeats it"
                   : "expected edit, element, delete, device, button, key, forces, mouse, reset or end";
    line->kind = (InputKind)kind;
    const char *wrong = NULL;
    if (kind <= INPUT_BUTTON && !(line->path = read_quoted(&at)))
        wrong = "expected a path in quotes";
    else if (kind == INPUT_EDIT && !(line->text = read_quoted(&at)))
        wrong = "expected the new value in quotes";
    else if ((kind == INPUT_ELEMENT || kind == INPUT_KEY) && !dv_read_double(&at, &line->numbers[0]))
        wrong = "expected two numbers";
    else if ((kind == INPUT_ELEMENT || kind == INPUT_KEY) && !dv_read_double(&at, &line->numbers[1]))
        wrong = "expected two numbers";
    else if (kind == INPUT_FORCES &&
             !(dv_read_double(&at, &line->numbers[0]) && line->numbers[0] * (1 - line->numbers[0]) == 0))
        wrong = "expected 0 (no device pushes any more) or 1";
    else if (kind == INPUT_KEY && at[strspn(at, " ")] &&
             !(read_numbers(&at, &line->numbers[2], 1) && line->numbers[2] >= 0.0 && line->numbers[2] <= 7.0))
        wrong = "expected what is held beside the key: a sum of 1, 2 and 4";
    else if (kind == INPUT_MOUSE)
        wrong = read_mouse(&at, line);
    else if (kind == INPUT_DEVICE)
        wrong = read_device(&at, line);
    else if (kind == INPUT_BUTTON && !(read_numbers(&at, line->numbers, 2) && is_button(line->numbers)))
        wrong = "expected 1 (pressed) or 0 (released), then the number of a button, 0 to 31";
    else if (kind == INPUT_END && !read_hash(at + strspn(at, " "), &line->hash))
        wrong = "expected end and a hash of 16 digits";
    if (!wrong && kind != INPUT_END && at[strspn(at, " ")])
        wrong = "there is more than belongs to it";
    if (!wrong && kind == INPUT_KEY && !(line->numbers[1] >= 0 && line->numbers[1] <= INT32_MAX))
        wrong = "there is no key of this number";
    return wrong;
}

static const char *read_line(Input *input, char *text, guint number)
{
    if (!*text || *text == '#')
        return NULL;
    if (!input->has_head) {
        input->has_head = strcmp(text, "divan-session 1") == 0;
        return input->has_head ? NULL : "expected 'divan-session 1': this is no session file";
    }
    if (g_str_has_prefix(text, "scene ") && input->lines->len == 0)
        return NULL; /* the command line says which */
    if (g_str_has_prefix(text, "start ") && input->lines->len == 0) {
        input->has_start = read_hash(text + strlen("start "), &input->start);
        return input->has_start ? NULL : "expected start and a hash of 16 digits";
    }
    char *rest = text;
    InputLine line = {.step = g_ascii_isdigit(*text) ? g_ascii_strtoull(text, &rest, 10) : 0, .line = number};
    if (rest == text || *rest != ' ')
        return "expected the number of a step, then what is done";
    const InputLine *last = input->lines->len ? &g_array_index(input->lines, InputLine, input->lines->len - 1) : NULL;
    if (last && last->kind == INPUT_END)
        return "there is text after the end";
    if (last && line.step < last->step)
        return "its step is before that of the line above";
    const char *wrong = read_what(rest, &line);
    g_array_append_val(input->lines, line);
    return wrong;
}

Input *host_input_read(const char *file)
{
    GError *error = NULL;
    char *text = NULL;
    if (!g_file_get_contents(file, &text, NULL, &error)) {
        fprintf(stderr, "divan: --input: %s\n", error->message);
        g_error_free(error);
        return NULL;
    }
    Input *input = g_new0(Input, 1);
    input->file = file;
    input->lines = g_array_new(FALSE, FALSE, sizeof(InputLine));
    g_array_set_clear_func(input->lines, line_clear);
    char **lines = g_strsplit(text, "\n", -1);
    const char *wrong = NULL;
    guint number = 0;
    while (!wrong && lines[number]) {
        char *stripped = g_strchomp(lines[number++]);
        wrong = read_line(input, stripped, number);
    }
    if (!wrong && !input->has_head)
        wrong = "expected 'divan-session 1': this is no session file";
    if (wrong)
        fprintf(stderr, "divan: --input: %s:%u: %s\n", file, number, wrong);
    g_strfreev(lines);
    g_free(text);
    if (wrong)
        g_clear_pointer(&input, host_input_free);
    return input;
}

/* ---- Doing ---- */

static uint64_t hash_now(DvScene *scene)
{
    GPtrArray *states = host_states(scene);
    const uint64_t hash = host_hash(states);
    g_ptr_array_unref(states);
    return hash;
}

bool host_input_fits(const Input *input, DvScene *scene)
{
    if (!input->has_start || hash_now(scene) == input->start)
        return true;
    fprintf(stderr,
            "divan: --input: %s: the scene is not the one that was recorded: its states are others from the start\n",
            input->file);
    return false;
}

static void stop_forces(DvScene *scene, bool stop)
{
    const DvHapticsOps *haptics = dv_service(DV_HAPTICS);
    if (haptics)
        haptics->stop_forces(scene, stop);
}

static void send(DvScene *scene, const InputLine *line)
{
    const DvKeyStroke stroke = {.held = (uint32_t)fmax(line->numbers[2], 0.0)};
    DvEvent event = {.kind = DV_EVENT_MOUSE, .data = &line->mouse};
    if (line->kind == INPUT_KEY)
        event = (DvEvent){.kind = line->numbers[0] != 0 ? DV_EVENT_KEY_PRESSED : DV_EVENT_KEY_RELEASED,
                          .key = (int)line->numbers[1],
                          .data = &stroke};
    dv_event_send(dv_scene_root(scene), &event);
}

static DvStatus edit(DvScene *scene, const InputLine *line, DvText *reason)
{
    DvData *field = dv_scene_field(scene, line->path);
    if (!field) {
        dv_text_add(reason, "there is no field '%s'", line->path);
        return DV_ERROR_NOT_FOUND;
    }
    return line->kind == INPUT_EDIT
               ? dv_data_edit(field, line->text, reason)
               : dv_data_edit_number(field, (size_t)fmax(line->numbers[0], 0), line->numbers[1], reason);
}

/* To the device alone, which may take it or not. */
static DvStatus lead_device(DvScene *scene, const InputLine *line, DvText *reason)
{
    char *link = g_strconcat("@", line->path, NULL);
    DvObject *device = dv_node_resolve(dv_scene_root(scene), NULL, link, NULL);
    DvHapticEvent lead = {.device = device, .wanted = true};
    g_free(link);
    if (!device || !dv_object_ops(device, DV_HAPTIC_DEVICE)) {
        dv_text_add(reason, "there is no haptic device '%s'", line->path);
        return DV_ERROR_NOT_FOUND;
    }
    if (line->kind == INPUT_BUTTON) {
        lead.changed = 1u << (uint32_t)line->numbers[1];
        lead.buttons = line->numbers[0] != 0.0 ? lead.changed : 0;
    } else {
        memcpy(lead.position, line->numbers, sizeof lead.position);
        memcpy(lead.orientation, line->numbers + 3, sizeof lead.orientation);
    }
    DvEvent event = {.kind = DV_EVENT_HAPTIC_DEVICE, .data = &lead};
    dv_event_send(dv_object_node(device), &event);
    if (event.handled)
        return DV_OK;
    dv_text_add(reason, "'%s' cannot be led: it is no simulated device, or replays a log", line->path);
    return DV_ERROR_INVALID;
}

static DvStatus remove_object(DvScene *scene, const char *path, DvText *reason)
{
    DvNode *root = dv_scene_root(scene);
    char *link = g_strconcat("@", path, NULL);
    DvObject *object = dv_node_resolve(root, NULL, link, NULL);
    DvNode *node = object ? dv_object_as_node(object) : NULL;
    g_free(link);
    if (!object || node == root) {
        dv_text_add(reason, object ? "the root cannot be removed" : "there is no object '%s'", path);
        return DV_ERROR_NOT_FOUND;
    }
    if (node)
        dv_node_remove(node);
    else
        dv_object_remove(object);
    return DV_OK;
}

/* Whether what comes after these steps is the end of the session. */
static bool ends_after(const Input *input, uint64_t step)
{
    const InputLine *last = input->lines->len ? &g_array_index(input->lines, InputLine, input->lines->len - 1) : NULL;
    return last && last->kind == INPUT_END && last->step == step;
}

bool host_input_apply(Input *input, DvScene *scene, uint64_t step, bool at_end, FILE *report)
{
    if (at_end && !ends_after(input, step))
        return true; /* a run that goes on from here does it */
    for (; input->next < input->lines->len; input->next++) {
        const InputLine *line = &g_array_index(input->lines, InputLine, input->next);
        DvText reason = {0};
        DvStatus status = DV_OK;
        if (line->step > step)
            return true;
        if (line->kind == INPUT_KEY || line->kind == INPUT_MOUSE)
            send(scene, line);
        else if (line->kind == INPUT_FORCES)
            stop_forces(scene, line->numbers[0] == 0);
        else if (line->kind == INPUT_RESET)
            dv_scene_reset(scene);
        else if (line->kind == INPUT_DELETE)
            status = remove_object(scene, line->path, &reason);
        else if (line->kind == INPUT_DEVICE || line->kind == INPUT_BUTTON)
            status = lead_device(scene, line, &reason);
        else if (line->kind != INPUT_END)
            status = edit(scene, line, &reason);
        else if (hash_now(scene) != line->hash)
            status = DV_ERROR_INVALID, dv_text_add(&reason, "the states are others than recorded");
        else if (report)
            fprintf(report, "%s: the same bits as recorded after %" G_GUINT64_FORMAT " steps\n", input->file, step);
        if (status != DV_OK)
            fprintf(stderr, "divan: --input: %s:%u: %s\n", input->file, line->line,
                    reason.at ? reason.at : "it is refused");
        dv_text_free(&reason);
        if (status != DV_OK)
            return false;
    }
    return true;
}

void host_input_skip(Input *input, uint64_t step)
{
    while (input->next < input->lines->len && g_array_index(input->lines, InputLine, input->next).step < step)
        input->next++;
}
