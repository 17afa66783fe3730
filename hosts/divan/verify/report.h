/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Cases as a list, a table, a page of docs/, a page for the browser.
 */
#ifndef DIVAN_VERIFY_REPORT_H
#define DIVAN_VERIFY_REPORT_H

#include "judge.h"

#include <stdio.h>

void report_list(const GPtrArray *cases, FILE *to); /* of Case * */
void report_table(const GPtrArray *cases, FILE *to);
void report_markdown(const GPtrArray *cases, FILE *to);
/* One file with its plots inside, where gnuplot is at hand. */
void report_html(const GPtrArray *cases, FILE *to);

/* What stands in the tables of all of them. */
enum { NUMBER_SIZE = 32 };
const char *report_number(char text[NUMBER_SIZE], double number, int digits); /* "-" for NAN */
const char *report_verdict(const Judgement *judgement);                       /* "holds", "deviates", "FAILS", ... */
/* The finest run that was made; NULL: none. */
const Result *report_finest(const Judgement *judgement);
/* "2.01 of 2", or "". */
char *report_order(const Judgement *judgement);

/* Cases of one problem follow each other: behind the last of those of `first`. */
guint report_end_of_problem(const GPtrArray *cases, guint first);

#endif
