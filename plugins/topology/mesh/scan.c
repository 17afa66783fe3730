/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Words and lines; numbers are the kernel's, but must fill a word.
 */
#include "scan.h"

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

Scanner scan_start(const void *bytes, size_t size)
{
    static const char mark[] = {(char)0xEF, (char)0xBB, (char)0xBF}; /* of byte order, as some editors put in front */
    const char *const start = size ? bytes : "";                     /* nothing may be NULL */
    const bool marked = size >= sizeof mark && memcmp(start, mark, sizeof mark) == 0;
    return (Scanner){.at = marked ? start + sizeof mark : start, .end = start + size, .line = 1};
}

bool scan_more(Scanner *scanner)
{
    const char *at = scanner->at;
    for (; at < scanner->end && is_white(*at); at++)
        scanner->line += ends_line(at, scanner->end);
    scanner->at = at;
    return at < scanner->end;
}

static Word peek_word(const Scanner *scanner)
{
    const char *end = scanner->at;
    while (end < scanner->end && !is_white(*end))
        end++;
    return (Word){scanner->at, (size_t)(end - scanner->at)};
}

Word scan_word(Scanner *scanner)
{
    scan_more(scanner);
    Word word = peek_word(scanner);
    scanner->at += word.length;
    return word;
}

bool scan_line(Scanner *scanner, Scanner *line)
{
    if (scanner->at >= scanner->end)
        return false;
    const char *end = memchr(scanner->at, '\n', (size_t)(scanner->end - scanner->at));
    const char *alone = memchr(scanner->at, '\r', (size_t)((end ? end : scanner->end) - scanner->at));
    if (alone && ends_line(alone, scanner->end))
        end = alone;
    *line = (Scanner){.at = scanner->at, .end = end ? end : scanner->end, .line = scanner->line};
    scanner->at = end ? end + 1 : scanner->end;
    scanner->line += end != NULL;
    return true;
}

/* Whether a number ends where its word does; else back to the start of the word. */
static bool is_whole_word(Scanner *scanner, const char *start)
{
    if (scanner->at == scanner->end || is_white(*scanner->at))
        return true;
    scanner->at = start;
    return false;
}

bool scan_double(Scanner *scanner, double *value)
{
    scan_more(scanner);
    const char *const start = scanner->at;
    double number;
    if (!dv_scan_double(&scanner->at, scanner->end, &number) || !is_whole_word(scanner, start))
        return false;
    *value = number;
    return true;
}

bool scan_float(Scanner *scanner, float *value)
{
    scan_more(scanner);
    const char *const start = scanner->at;
    float number;
    if (!dv_scan_float(&scanner->at, scanner->end, &number) || !is_whole_word(scanner, start))
        return false;
    *value = number;
    return true;
}

bool scan_integer(Scanner *scanner, int64_t *value)
{
    scan_more(scanner);
    const char *const start = scanner->at;
    int64_t number;
    if (!dv_scan_integer(&scanner->at, scanner->end, &number) || !is_whole_word(scanner, start))
        return false;
    *value = number;
    return true;
}

bool scan_count(Scanner *scanner, int64_t *value)
{
    int64_t number;
    scan_more(scanner);
    Scanner ahead = *scanner;
    if (!scan_integer(&ahead, &number) || number < 0)
        return false;
    *scanner = ahead;
    *value = number;
    return true;
}

bool word_is(Word word, const char *text)
{
    return strlen(text) == word.length && memcmp(word.text, text, word.length) == 0;
}

bool word_is_caseless(Word word, const char *text)
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

bool word_starts(Word word, const char *text)
{
    const size_t length = strlen(text);
    return length <= word.length && memcmp(word.text, text, length) == 0;
}

Excerpt word_excerpt(Word word)
{
    Excerpt excerpt;
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

Excerpt scan_excerpt(Scanner scanner)
{
    scan_more(&scanner);
    return word_excerpt(peek_word(&scanner));
}
