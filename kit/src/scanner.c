/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Words and lines; numbers are the kernel's, but must fill a word.
 */
#include <divan/kit/scanner.h>

#include <divan/math/decimal.h>
#include <stdio.h>
#include <string.h>

static inline bool is_white(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Whether a line ends here: with \n, \r\n (at its \n) or, as files of old have it, \r alone. */
static inline bool ends_line(const char *at, const char *end)
{
    return *at == '\n' || (*at == '\r' && (at + 1 == end || at[1] != '\n'));
}

DvScanner dv_scanner_start(const void *bytes, size_t size)
{
    static const char mark[] = {(char)0xEF, (char)0xBB, (char)0xBF}; /* of byte order, as some editors put in front */
    const char *const start = size ? bytes : "";                     /* nothing may be NULL */
    const bool marked = size >= sizeof mark && memcmp(start, mark, sizeof mark) == 0;
    return (DvScanner){.at = marked ? start + sizeof mark : start, .end = start + size, .line = 1};
}

bool dv_scanner_more(DvScanner *scanner)
{
    const char *at = scanner->at;
    for (; at < scanner->end && is_white(*at); at++)
        scanner->line += ends_line(at, scanner->end);
    scanner->at = at;
    return at < scanner->end;
}

static DvWord peek_word(const DvScanner *scanner)
{
    const char *end = scanner->at;
    while (end < scanner->end && !is_white(*end))
        end++;
    return (DvWord){scanner->at, (size_t)(end - scanner->at)};
}

DvWord dv_scanner_word(DvScanner *scanner)
{
    dv_scanner_more(scanner);
    DvWord word = peek_word(scanner);
    scanner->at += word.length;
    return word;
}

bool dv_scanner_line(DvScanner *scanner, DvScanner *line)
{
    if (scanner->at >= scanner->end)
        return false;
    const char *end = memchr(scanner->at, '\n', (size_t)(scanner->end - scanner->at));
    const char *alone = memchr(scanner->at, '\r', (size_t)((end ? end : scanner->end) - scanner->at));
    if (alone && ends_line(alone, scanner->end))
        end = alone;
    *line = (DvScanner){.at = scanner->at, .end = end ? end : scanner->end, .line = scanner->line};
    scanner->at = end ? end + 1 : scanner->end;
    scanner->line += end != NULL;
    return true;
}

/* Whether a number ends where its word does; else back to the start of the word. */
static bool is_whole_word(DvScanner *scanner, const char *start)
{
    if (scanner->at == scanner->end || is_white(*scanner->at))
        return true;
    scanner->at = start;
    return false;
}

bool dv_scanner_double(DvScanner *scanner, double *value)
{
    dv_scanner_more(scanner);
    const char *const start = scanner->at;
    double number;
    if (!dv_scan_double(&scanner->at, scanner->end, &number) || !is_whole_word(scanner, start))
        return false;
    *value = number;
    return true;
}

bool dv_scanner_float(DvScanner *scanner, float *value)
{
    dv_scanner_more(scanner);
    const char *const start = scanner->at;
    float number;
    if (!dv_scan_float(&scanner->at, scanner->end, &number) || !is_whole_word(scanner, start))
        return false;
    *value = number;
    return true;
}

bool dv_scanner_integer(DvScanner *scanner, int64_t *value)
{
    dv_scanner_more(scanner);
    const char *const start = scanner->at;
    int64_t number;
    if (!dv_scan_integer(&scanner->at, scanner->end, &number) || !is_whole_word(scanner, start))
        return false;
    *value = number;
    return true;
}

bool dv_scanner_count(DvScanner *scanner, int64_t *value)
{
    int64_t number;
    dv_scanner_more(scanner);
    DvScanner ahead = *scanner;
    if (!dv_scanner_integer(&ahead, &number) || number < 0)
        return false;
    *scanner = ahead;
    *value = number;
    return true;
}

bool dv_word_is(DvWord word, const char *text)
{
    return strlen(text) == word.length && memcmp(word.text, text, word.length) == 0;
}

bool dv_word_is_caseless(DvWord word, const char *text)
{
    if (strlen(text) != word.length)
        return false;
    for (size_t i = 0; i < word.length; i++) {
        char c = word.text[i], d = text[i];
        if ((c >= 'A' && c <= 'Z' ? c + 32 : c) != (d >= 'A' && d <= 'Z' ? d + 32 : d))
            return false;
    }
    return true;
}

bool dv_word_starts(DvWord word, const char *text)
{
    const size_t length = strlen(text);
    return length <= word.length && memcmp(word.text, text, length) == 0;
}

DvExcerpt dv_word_excerpt(DvWord word)
{
    DvExcerpt excerpt;
    if (word.length == 0) {
        snprintf(excerpt.text, sizeof excerpt.text, "the end of the file");
        return excerpt;
    }
    size_t length = 0;
    excerpt.text[length++] = '\'';
    for (size_t i = 0; i < word.length && i < 24; i++)
        excerpt.text[length++] = word.text[i] >= ' ' && word.text[i] < 127 ? word.text[i] : '?';
    if (word.length > 24)
        for (int i = 0; i < 3; i++)
            excerpt.text[length++] = '.';
    excerpt.text[length++] = '\'';
    excerpt.text[length] = 0;
    return excerpt;
}

DvExcerpt dv_scanner_excerpt(DvScanner scanner)
{
    dv_scanner_more(&scanner);
    return dv_word_excerpt(peek_word(&scanner));
}
