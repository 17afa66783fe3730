/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Words and lines; numbers are the kernel's, but must fill a word.
 */
#include "scan.h"

#include <divan/type.h>
#include <stdio.h>
#include <string.h>

static inline bool is_white(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

Scanner scan_start(const void *bytes, size_t size)
{
    const char *at = size ? bytes : ""; /* nothing may be NULL */
    return (Scanner){.at = at, .end = at + size, .line = 1};
}

bool scan_more(Scanner *scanner)
{
    while (scanner->at < scanner->end && is_white(*scanner->at)) {
        if (*scanner->at == '\n')
            scanner->line++;
        scanner->at++;
    }
    return scanner->at < scanner->end;
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
    *line = (Scanner){.at = scanner->at, .end = end ? end : scanner->end, .line = scanner->line};
    scanner->at = end ? end + 1 : scanner->end;
    scanner->line += end != NULL;
    return true;
}

/* Moves behind a number that ends at `end`, if the word ends there too. */
static bool take_word(Scanner *scanner, const char *end)
{
    if (end < scanner->end && !is_white(*end))
        return false;
    scanner->at = end;
    return true;
}

bool scan_double(Scanner *scanner, double *value)
{
    scan_more(scanner);
    const char *at = scanner->at;
    double number;
    if (!dv_scan_double(&at, scanner->end, &number) || !take_word(scanner, at))
        return false;
    *value = number;
    return true;
}

bool scan_float(Scanner *scanner, float *value)
{
    scan_more(scanner);
    const char *at = scanner->at;
    float number;
    if (!dv_scan_float(&at, scanner->end, &number) || !take_word(scanner, at))
        return false;
    *value = number;
    return true;
}

bool scan_integer(Scanner *scanner, int64_t *value)
{
    scan_more(scanner);
    const char *at = scanner->at;
    int64_t number;
    if (!dv_scan_integer(&at, scanner->end, &number) || !take_word(scanner, at))
        return false;
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
