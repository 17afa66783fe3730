/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reading words and numbers from a block of bytes that need not end with a zero, with the line number for messages.
 * Numbers are decimal as the kernel's dv_scan_double() reads them, and whole words; nan, inf and hexadecimal are refused.
 */
#ifndef DIVAN_KIT_SCANNER_H
#define DIVAN_KIT_SCANNER_H

#include <divan/base.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

DV_BEGIN_DECLS

typedef struct DvScanner {
    const char *at, *end;
    uint32_t line; /* of `at`, from 1 */
} DvScanner;

typedef struct DvWord {
    const char *text; /* not terminated */
    size_t length;
} DvWord;

/* From the first byte, or from behind a byte order mark. */
DV_PUBLIC DvScanner dv_scanner_start(const void *bytes, size_t size);
/* Skips blanks and line ends; true when something is left. */
DV_PUBLIC bool dv_scanner_more(DvScanner *scanner);
/* The next word, white space before it skipped. An empty word at the end. */
DV_PUBLIC DvWord dv_scanner_word(DvScanner *scanner);
/* The rest of the present line, without its end; moves to the next line. False at the end of the text. */
DV_PUBLIC bool dv_scanner_line(DvScanner *scanner, DvScanner *line);
/* One number after white space. False leaves the scanner before the word that is none, and the value as it was. */
DV_PUBLIC bool dv_scanner_double(DvScanner *scanner, double *value);
DV_PUBLIC bool dv_scanner_float(DvScanner *scanner, float *value);
DV_PUBLIC bool dv_scanner_integer(DvScanner *scanner, int64_t *value);
DV_PUBLIC bool dv_scanner_count(DvScanner *scanner, int64_t *value); /* 0 or more */

DV_PUBLIC bool dv_word_is(DvWord word, const char *text);
DV_PUBLIC bool dv_word_is_caseless(DvWord word, const char *text);
DV_PUBLIC bool dv_word_starts(DvWord word, const char *text);

/* For messages: the next word, cut at 24 bytes and without control characters; "the end of the file" when none is
 * left. */
typedef struct DvExcerpt {
    char text[40];
} DvExcerpt;
DV_PUBLIC DvExcerpt dv_scanner_excerpt(DvScanner scanner);
DV_PUBLIC DvExcerpt dv_word_excerpt(DvWord word);

DV_END_DECLS

#endif
