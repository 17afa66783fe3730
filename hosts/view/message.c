/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Messages as lines of text. Texts stand in quotes, with C's escapes; numbers have as many digits as read back the same.
 */
#include "message.h"

#include "quoted.h"

#include <string.h>

#include <divan/type.h>

typedef struct Form {
    const char *name;
    bool path, text;
    unsigned numbers;
    unsigned words;  /* so many of the numbers, the first ones, stand as words */
    unsigned fewest; /* numbers that may stand alone, the others being 0, or 0 0 0 1; 0: none of them may be left out */
} Form;

static const char *const changes[] = {"moved", "pressed", "released", "wheel", NULL};
static const char *const buttons[] = {"none", "left", "middle", "right", NULL};
static const char *const *const words[] = {changes, buttons};

static const Form forms[MESSAGE_CHANGES] = {
    [MESSAGE_EDIT] = {"edit", true, true, .numbers = 0},
    [MESSAGE_ELEMENT] = {"element", true, false, .numbers = 2},
    [MESSAGE_ACTIVATE] = {"activate", true, false, .numbers = 1},
    [MESSAGE_DELETE] = {"delete", true, false, .numbers = 0},
    [MESSAGE_KEY] = {"key", false, false, .numbers = 3, .fewest = 2},
    [MESSAGE_GRAB] = {"grab", false, false, .numbers = 8},
    [MESSAGE_DRAG] = {"drag", false, false, .numbers = 6},
    [MESSAGE_RELEASE] = {"release", false, false, .numbers = 0},
    [MESSAGE_RESET] = {"reset", false, false, .numbers = 0},
    [MESSAGE_VIEWPOINT] = {"viewpoint", false, false, .numbers = 7},
    [MESSAGE_NAVIGATE] = {"navigate", false, false, .numbers = 0},
    [MESSAGE_UNDO] = {"undo", false, false, .numbers = 0},
    [MESSAGE_DEVICE] = {"device", true, false, .numbers = 7, .fewest = 3},
    [MESSAGE_BUTTON] = {"button", true, false, .numbers = 2},
    [MESSAGE_MOUSE] = {"mouse", false, false, .numbers = 4, .words = 2},
    [MESSAGE_FORCES] = {"forces", false, false, .numbers = 1},
};

Message *message_copy(const Message *message)
{
    Message *copy = g_memdup2(message, sizeof *message);
    copy->path = g_strdup(message->path ? message->path : "");
    copy->text = g_strdup(message->text ? message->text : "");
    return copy;
}

void message_free(Message *message)
{
    if (!message)
        return;
    g_free((char *)message->path);
    g_free((char *)message->text);
    g_free(message);
}

static void add_quoted(GString *out, const char *text)
{
    char *escaped = g_strescape(text, NULL);
    g_string_append_printf(out, " \"%s\"", escaped);
    g_free(escaped);
}

void message_print(const Message *message, GString *out)
{
    const Form *form = &forms[message->kind];
    g_string_append(out, form->name);
    if (form->path)
        add_quoted(out, message->path);
    if (form->text)
        add_quoted(out, message->text);
    for (unsigned i = 0; i < form->words; i++)
        g_string_append_printf(out, " %s", words[i][(int)message->numbers[i]]);
    const bool nothing_held = message->kind == MESSAGE_KEY && message->numbers[2] == 0;
    for (unsigned i = form->words; i < (nothing_held ? form->fewest : form->numbers); i++) {
        DvText number = {0};
        dv_text_add_double(&number, message->numbers[i]);
        g_string_append_printf(out, " %s", number.at);
        dv_text_free(&number);
    }
}

static bool read_word(const char **at, const char *const *of, double *number)
{
    const char *begin = *at + strspn(*at, " ");
    const size_t length = strcspn(begin, " ");
    for (int i = 0; of[i]; i++)
        if (strlen(of[i]) == length && strncmp(of[i], begin, length) == 0) {
            *at = begin + length;
            *number = i;
            return true;
        }
    return false;
}

static bool read_parts(const Form *form, const char *at, Message *message)
{
    if (form->path && !(message->path = read_quoted(&at)))
        return false;
    if (form->text && !(message->text = read_quoted(&at)))
        return false;
    for (unsigned i = 0; i < form->words; i++)
        if (!read_word(&at, words[i], &message->numbers[i]))
            return false;
    message->numbers[6] = form->fewest == 3 ? 1 : 0; /* a quaternion */
    for (unsigned i = form->words; i < form->numbers && !(i == form->fewest && i > 0 && !at[strspn(at, " ")]); i++)
        if (!dv_read_double(&at, &message->numbers[i]))
            return false;
    return at[strspn(at, " ")] == '\0';
}

Message *message_parse(const char *line)
{
    const size_t length = strcspn(line, " ");
    for (unsigned kind = 0; kind < MESSAGE_CHANGES; kind++) {
        if (strlen(forms[kind].name) != length || strncmp(forms[kind].name, line, length) != 0)
            continue;
        Message *message = g_new0(Message, 1);
        message->kind = (MessageKind)kind;
        if (read_parts(&forms[kind], line + length, message))
            return message;
        message_free(message);
        return NULL;
    }
    return NULL;
}
