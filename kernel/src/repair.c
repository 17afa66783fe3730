/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Mends scene files before the parser sees them. Scenes have long been read by a lenient parser, so users' files hold what strict
 * XML refuses: a bare '&' or '<' in an attribute, no blank between two attributes, "--" in a comment, blanks before the
 * declaration, bytes of Latin-1 in what counts as UTF-8. Each repair is a warning with its line.
 *
 * One pass over the bytes, in linear time. Lines stay as they are; columns move only behind a repair of the same line.
 */
#include "internal.h"

#include <string.h>

enum { WARNINGS = 20 }; /* the rest are summed up */

typedef struct Repair {
    DvScene *scene;
    const char *at, *end;
    GString *out;
    const char *file;
    int line, column;
    int last_line; /* of the last warning: one a line is enough */
    unsigned repairs;
    bool utf8;    /* declared, or not declared otherwise */
    bool stopped; /* an element had too many attributes */
} Repair;

static void warn(Repair *repair, const char *what)
{
    if (repair->line == repair->last_line)
        return;
    repair->last_line = repair->line;
    if (++repair->repairs > WARNINGS)
        return;
    dv_private_problem(repair->scene, DV_OK);
    dv_log_at(DV_LEVEL_WARNING, DV_OK, repair->file, repair->line, repair->column, "%s", what);
}

static bool starts_with(const Repair *repair, const char *text)
{
    const size_t length = strlen(text);
    return (size_t)(repair->end - repair->at) >= length && memcmp(repair->at, text, length) == 0;
}

static void step(Repair *repair)
{
    if (*repair->at++ == '\n') {
        repair->line++;
        repair->column = 1;
    } else {
        repair->column++;
    }
}

/* Copies one character; a byte that is no UTF-8 counts as Latin-1. */
static void copy(Repair *repair)
{
    const unsigned char byte = (unsigned char)*repair->at;
    if (byte < 0x80 || !repair->utf8) {
        g_string_append_c(repair->out, *repair->at);
        step(repair);
        return;
    }
    const gunichar character = g_utf8_get_char_validated(repair->at, MIN(repair->end - repair->at, 4));
    if (character & 0x80000000u) { /* also (gunichar)-1 and -2 */
        warn(repair, "a byte that is not UTF-8 is read as Latin-1; save the file as UTF-8");
        g_string_append_unichar(repair->out, byte);
        step(repair);
        return;
    }
    const int length = (unsigned char)g_utf8_skip[byte];
    g_string_append_len(repair->out, repair->at, length);
    repair->at += length;
    repair->column++;
}

static void copy_until(Repair *repair, const char *stop)
{
    while (repair->at < repair->end && !starts_with(repair, stop))
        copy(repair);
    for (size_t i = 0; i < strlen(stop) && repair->at < repair->end; i++)
        copy(repair);
}

static void comment(Repair *repair)
{
    for (int i = 0; i < 4; i++)
        copy(repair); /* <!-- */
    while (repair->at < repair->end && !starts_with(repair, "-->")) {
        const char *next = repair->at + 1;
        if (*repair->at == '-' && next < repair->end && *next == '-') {
            warn(repair, "'--' inside a comment");
            g_string_append_c(repair->out, ' ');
            step(repair);
        } else {
            copy(repair);
        }
    }
    copy_until(repair, "-->");
}

/* Whether an entity that XML knows starts here: &lt; &gt; &amp; &quot; &apos; &#9; &#x1F;. */
static bool is_entity(const Repair *repair)
{
    static const char *const known[] = {"&lt;", "&gt;", "&amp;", "&quot;", "&apos;"};
    for (size_t i = 0; i < G_N_ELEMENTS(known); i++)
        if (starts_with(repair, known[i]))
            return true;
    if (!starts_with(repair, "&#"))
        return false;
    const char *digit = repair->at + 2;
    const bool hexadecimal = digit < repair->end && *digit == 'x';
    if (hexadecimal)
        digit++;
    const char *first = digit;
    while (digit < repair->end && digit - first < 8 &&
           (hexadecimal ? g_ascii_isxdigit(*digit) : g_ascii_isdigit(*digit)))
        digit++;
    return digit > first && digit < repair->end && *digit == ';';
}

static void ampersand(Repair *repair)
{
    if (is_entity(repair)) {
        copy(repair);
        return;
    }
    warn(repair, "'&' stands alone; write '&amp;'");
    g_string_append(repair->out, "&amp;");
    step(repair);
}

static void attribute_value(Repair *repair)
{
    const char quote = *repair->at;
    copy(repair);
    while (repair->at < repair->end && *repair->at != quote) {
        if (*repair->at == '&') {
            ampersand(repair);
        } else if (*repair->at == '<') {
            warn(repair, "'<' inside the value of an attribute; write '&lt;'");
            g_string_append(repair->out, "&lt;");
            step(repair);
        } else {
            copy(repair);
        }
    }
    if (repair->at >= repair->end)
        return;
    copy(repair);
    if (repair->at < repair->end && !g_ascii_isspace(*repair->at) && !strchr("/>?", *repair->at)) {
        warn(repair, "no blank between two attributes");
        g_string_append_c(repair->out, ' ');
    }
}

/* Attributes are counted here already: the parser would first collect all of them, in time and memory that nobody limits. */
static void tag(Repair *repair)
{
    const char *name = repair->at + 1;
    const int line = repair->line, column = repair->column;
    int length = 0, attributes = 0;
    while (name + length < repair->end && length < 80 && !g_ascii_isspace(name[length]) &&
           !strchr("/>='\"", name[length]))
        length++;
    while (repair->at < repair->end && *repair->at != '>') {
        if (*repair->at != '"' && *repair->at != '\'') {
            copy(repair);
        } else if (++attributes <= DV_PRIVATE_MAX_ATTRIBUTES) {
            attribute_value(repair);
        } else {
            dv_log_at(DV_LEVEL_ERROR, DV_ERROR_LIMIT, repair->file, line, column, "<%.*s> has more than %d attributes",
                      length, name, DV_PRIVATE_MAX_ATTRIBUTES);
            dv_private_problem(repair->scene, DV_ERROR_LIMIT);
            repair->stopped = true;
            return;
        }
    }
}

/* Whether the declaration, if there is one, leaves the text in UTF-8. */
static bool is_utf8(const char *text, size_t length)
{
    const char *end = g_strstr_len(text, (gssize)MIN(length, 200), "?>");
    const char *encoding = end ? g_strstr_len(text, end - text, "encoding") : NULL;
    if (!encoding)
        return true;
    char *lower = g_ascii_strdown(encoding, end - encoding);
    const bool utf8 = strstr(lower, "utf-8") || strstr(lower, "utf8") || strstr(lower, "ascii");
    g_free(lower);
    return utf8;
}

bool dv_private_is_utf16(const char *text, size_t length)
{
    return length >= 2 && (text[0] == '\0' || text[1] == '\0' || (unsigned char)text[0] >= 0xFE);
}

char *dv_private_repair(DvScene *scene, const char *text, size_t length, const char *name, size_t *out_length)
{
    Repair repair = {.scene = scene,
                     .at = text,
                     .end = text + length,
                     .out = g_string_sized_new(length + length / 16 + 16),
                     .file = name,
                     .line = 1,
                     .column = 1,
                     .utf8 = is_utf8(text, length)};
    if (dv_private_is_utf16(text, length)) {
        g_string_append_len(repair.out, text, (gssize)length); /* UTF-16: the parser's business */
        repair.at = repair.end;
    }
    Repair start = repair;
    while (start.at < start.end && g_ascii_isspace(*start.at))
        start.at++;
    const char *behind = start.at > repair.at && starts_with(&start, "<?xml")
                             ? g_strstr_len(start.at, start.end - start.at, "?>")
                             : NULL;
    if (behind) {
        warn(&repair, "blanks before the XML declaration");
        while (repair.at < behind + 2) { /* blank it out: line ends stay */
            g_string_append_c(repair.out, *repair.at == '\n' ? '\n' : ' ');
            step(&repair);
        }
    }
    while (repair.at < repair.end && !repair.stopped) {
        if (*repair.at == '&') {
            ampersand(&repair);
        } else if (*repair.at != '<') {
            copy(&repair);
        } else if (starts_with(&repair, "<!--")) {
            comment(&repair);
        } else if (starts_with(&repair, "<![CDATA[")) {
            copy_until(&repair, "]]>");
        } else if (starts_with(&repair, "<?")) {
            copy_until(&repair, "?>");
        } else {
            tag(&repair);
        }
    }
    if (repair.repairs > WARNINGS)
        dv_log_at(DV_LEVEL_WARNING, DV_OK, name, 0, 0, "%u more lines had to be mended", repair.repairs - WARNINGS);
    *out_length = repair.out->len;
    return g_string_free(repair.out, repair.stopped);
}
