/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Mends scene files before the parser sees them. Scenes have long been read by a lenient parser, so users' files hold what strict
 * XML refuses: a bare '&' or '<' in an attribute, no blank between two attributes, "--" in a comment, blanks before the
 * declaration, bytes of Latin-1 in what counts as UTF-8. Each repair is a warning with its line.
 *
 * What cannot be mended is a value without its closing quote, or without any: said where it begins, since the parser would stop lines
 * below.
 *
 * One pass over the bytes, in linear time. Lines stay as they are; columns move only behind a repair of the same line.
 */
#include "scene_xml.h"

#include <string.h>

#include <divan/log.h>

enum { WARNINGS = 20 }; /* the rest are summed up */

typedef struct Repair {
    DvScene *scene;
    const char *at, *end, *copied; /* what is before `copied` has its place in `out` */
    DvText *out;
    const char *file;
    int line, column;
    int last_line; /* of the last warning: one a line is enough */
    unsigned repairs;
    bool utf8;    /* declared, or not declared otherwise */
    bool stopped; /* an element had too many attributes, or a value no quote */
} Repair;

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r' && c != '\v');
}

static bool is_name(char c)
{
    return c == '_' || c == '-' || c == '.' || c == ':' || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
           (c >= 'a' && c <= 'z');
}

static void warn(Repair *repair, const char *what)
{
    if (repair->line == repair->last_line)
        return;
    repair->last_line = repair->line;
    if (++repair->repairs > WARNINGS)
        return;
    (void)dv_build_problem(repair->scene, DV_OK, (DvPlace){repair->file, repair->line, repair->column}, NULL, NULL,
                           "%s", what);
}

static bool starts_with(const Repair *repair, const char *text)
{
    const size_t length = strlen(text);
    return (size_t)(repair->end - repair->at) >= length && memcmp(repair->at, text, length) == 0;
}

/* One byte further. */
static void step(Repair *repair)
{
    if (*repair->at++ == '\n') {
        repair->line++;
        repair->column = 1;
    } else {
        repair->column++;
    }
}

static void put(Repair *repair, const char *instead, size_t length)
{
    dv_text_add_bytes(repair->out, repair->copied, (size_t)(repair->at - repair->copied));
    dv_text_add_bytes(repair->out, instead, length);
    repair->copied = repair->at;
}

/* Takes one character of the text, and has something else in its place. */
static void replace(Repair *repair, const char *instead, size_t length)
{
    put(repair, instead, length);
    step(repair);
    repair->copied = repair->at;
}

/* Bytes of the character of UTF-8 that starts here (Unicode 15, table 3-7); 0: none does. */
static int character(const Repair *repair)
{
    const unsigned char *at = (const unsigned char *)repair->at;
    const ptrdiff_t left = repair->end - repair->at;
    const int length = at[0] < 0xC2 ? 0 : at[0] < 0xE0 ? 2 : at[0] < 0xF0 ? 3 : at[0] < 0xF5 ? 4 : 0;
    if (length == 0 || left < length)
        return 0;
    for (int i = 1; i < length; i++)
        if ((at[i] & 0xC0u) != 0x80u)
            return 0;
    const bool overlong = (at[0] == 0xE0 && at[1] < 0xA0) || (at[0] == 0xF0 && at[1] < 0x90);
    const bool surrogate = at[0] == 0xED && at[1] >= 0xA0, beyond = at[0] == 0xF4 && at[1] >= 0x90;
    return overlong || surrogate || beyond ? 0 : length;
}

/* Takes one character as it is; a byte that is no UTF-8 counts as Latin-1. */
static void copy(Repair *repair)
{
    const unsigned char byte = (unsigned char)*repair->at;
    if (byte < 0x80 || !repair->utf8) {
        step(repair);
        return;
    }
    const int length = character(repair);
    if (!length) {
        warn(repair, "a byte that is not UTF-8 is read as Latin-1; save the file as UTF-8");
        replace(repair, (const char[]){(char)(0xC0 | byte >> 6), (char)(0x80 | (byte & 0x3F))}, 2);
        return;
    }
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
            replace(repair, " ", 1);
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
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
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
           strchr(hexadecimal ? "0123456789abcdefABCDEF" : "0123456789", *digit) && *digit)
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
    replace(repair, "&amp;", 5);
}

/* Whether the value that begins here has no end, or ends where the next attribute's begins: behind "name=", in front of its text. */
static bool is_unclosed(const Repair *repair)
{
    const char *first = repair->at + 1;
    const char *end = memchr(first, *repair->at, (size_t)(repair->end - first));
    if (!end)
        return true;
    const char *last = end;
    while (last > first && is_blank(last[-1]))
        last--;
    const bool runs_on = last - first > 1 && last[-1] == '=' && is_name(last[-2]);
    return runs_on && end + 1 < repair->end && !is_blank(end[1]) && !strchr("/>?", end[1]);
}

/* The value that begins here lacks a quote; its name stands before. */
static void stop_at_value(Repair *repair, const char *start, const char *what)
{
    const char *end = repair->at;
    while (end > start && (is_blank(end[-1]) || end[-1] == '='))
        end--;
    const char *name = end;
    while (name > start && is_name(name[-1]))
        name--;
    (void)dv_build_problem(repair->scene, DV_ERROR_INVALID, (DvPlace){repair->file, repair->line, repair->column}, NULL,
                           NULL, "broken XML: the value of '%.*s' %s", (int)(end - name), name, what);
    repair->stopped = true;
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
            replace(repair, "&lt;", 4);
        } else {
            copy(repair);
        }
    }
    if (repair->at >= repair->end)
        return;
    copy(repair);
    if (repair->at < repair->end && !is_blank(*repair->at) && !strchr("/>?", *repair->at)) {
        warn(repair, "no blank between two attributes");
        put(repair, " ", 1);
    }
}

/* Whether something that is neither blank nor a quote follows the '=' of an attribute. */
static bool is_bare_value(const Repair *repair, const char *start)
{
    const char *before = repair->at;
    while (before > start && is_blank(before[-1]))
        before--;
    return !is_blank(*repair->at) && *repair->at != '=' && before > start + 1 && before[-1] == '=' &&
           (is_name(before[-2]) || is_blank(before[-2]));
}

/* Attributes are counted here already: the parser would first collect all of them, in time and memory that nobody limits. */
static void tag(Repair *repair)
{
    const char *name = repair->at + 1;
    const int line = repair->line, column = repair->column;
    int length = 0, attributes = 0;
    while (name + length < repair->end && length < 80 && !is_blank(name[length]) && !strchr("/>='\"", name[length]))
        length++;
    while (repair->at < repair->end && *repair->at != '>' && !repair->stopped) {
        const bool quoted = *repair->at == '"' || *repair->at == '\'';
        if (quoted && is_unclosed(repair)) {
            stop_at_value(repair, name, "is not closed by a quote");
        } else if (!quoted && is_bare_value(repair, name)) {
            stop_at_value(repair, name, "must stand in quotes");
        } else if (!quoted) {
            copy(repair);
        } else if (++attributes <= MAX_ATTRIBUTES) {
            attribute_value(repair);
        } else {
            (void)dv_build_problem(repair->scene, DV_ERROR_LIMIT, (DvPlace){repair->file, line, column}, NULL, NULL,
                                   "<%.*s> has more than %d attributes", length, name, MAX_ATTRIBUTES);
            repair->stopped = true;
            return;
        }
    }
}

/* The first place of `part` in a text; case of letters does not matter. NULL: none. */
static const char *find(const char *text, size_t length, const char *part)
{
    const size_t size = strlen(part);
    for (; length >= size; text++, length--)
        if (strncasecmp(text, part, size) == 0)
            return text;
    return NULL;
}

/* Whether the declaration, if there is one, leaves the text in UTF-8. */
static bool is_utf8(const char *text, size_t length)
{
    const char *end = find(text, length < 200 ? length : 200, "?>");
    const char *encoding = end ? find(text, (size_t)(end - text), "encoding") : NULL;
    const size_t rest = encoding ? (size_t)(end - encoding) : 0;
    return !encoding || find(encoding, rest, "utf-8") || find(encoding, rest, "utf8") || find(encoding, rest, "ascii");
}

bool is_utf16(const char *text, size_t length)
{
    return length >= 2 && (text[0] == '\0' || text[1] == '\0' || (unsigned char)text[0] >= 0xFE);
}

bool mend(DvScene *scene, const char *text, size_t length, const char *file, DvText *mended)
{
    Repair repair = {.scene = scene,
                     .at = text,
                     .end = text + length,
                     .copied = text,
                     .out = mended,
                     .file = file,
                     .line = 1,
                     .column = 1,
                     .utf8 = is_utf8(text, length)};
    if (is_utf16(text, length)) {
        repair.at = repair.end; /* the parser's business */
    }
    Repair start = repair;
    while (start.at < start.end && is_blank(*start.at))
        start.at++;
    const char *behind = start.at > repair.at && starts_with(&start, "<?xml")
                             ? find(start.at, (size_t)(start.end - start.at), "?>")
                             : NULL;
    if (behind) {
        warn(&repair, "blanks before the XML declaration");
        while (repair.at < behind + 2) { /* blank it out: line ends stay */
            replace(&repair, *repair.at == '\n' ? "\n" : " ", 1);
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
        dv_log_at(DV_LEVEL_WARNING, DV_OK, file, 0, 0, "%u more lines had to be mended", repair.repairs - WARNINGS);
    put(&repair, "", 0);
    return !repair.stopped;
}
