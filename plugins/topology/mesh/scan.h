/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reading words and numbers from a block of bytes that need not end with a zero, with the line number for messages.
 * Numbers are decimal as the kernel's dv_scan_double() reads them, and whole words; nan, inf and hexadecimal are refused.
 */
#ifndef DIVAN_TOPOLOGY_SCAN_H
#define DIVAN_TOPOLOGY_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Scanner {
    const char *at, *end;
    uint32_t line; /* of `at`, from 1 */
} Scanner;

typedef struct Word {
    const char *text; /* not terminated */
    size_t length;
} Word;

/* From the first byte, or from behind a byte order mark. */
Scanner scan_start(const void *bytes, size_t size);
/* Skips blanks and line ends; true when something is left. */
bool scan_more(Scanner *scanner);
/* The next word, white space before it skipped. An empty word at the end. */
Word scan_word(Scanner *scanner);
/* The rest of the present line, without its end; moves to the next line. False at the end of the text. */
bool scan_line(Scanner *scanner, Scanner *line);
/* One number after white space. False leaves the scanner before the word that is none, and the value as it was. */
bool scan_double(Scanner *scanner, double *value);
bool scan_float(Scanner *scanner, float *value);
bool scan_integer(Scanner *scanner, int64_t *value);
bool scan_count(Scanner *scanner, int64_t *value); /* 0 or more */

bool word_is(Word word, const char *text);
bool word_is_caseless(Word word, const char *text);
bool word_starts(Word word, const char *text);

/* For messages: the next word, cut at 24 bytes and without control characters; "the end of the file" when none is
 * left. */
typedef struct Excerpt {
    char text[40];
} Excerpt;
Excerpt scan_excerpt(Scanner scanner);
Excerpt word_excerpt(Word word);

#endif
